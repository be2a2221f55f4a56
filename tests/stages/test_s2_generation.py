from __future__ import annotations

import json
import re
import tracemalloc
from collections.abc import Callable, Iterable
from functools import partial
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from cadenza.stages.s2_generation import LONGEST, EventsOrJson, JsonArray, NewlineJson, ServerSentEvents
from cadenza.types import Ending, RawEvent
from tests.helpers import calls_of, same_every_way

AnyFraming = ServerSentEvents | NewlineJson | JsonArray
Read = tuple[list[RawEvent], int]
"""Some events, and how much was skipped."""


def read(framing: AnyFraming, pieces: Iterable[bytes]) -> Read:
    events = [event for piece in pieces for event in framing.feed(piece)]
    events += framing.flush(Ending.FINAL)
    return events, framing.skipped


def framed(make: Callable[[], AnyFraming], data: bytes) -> list[RawEvent]:
    events, _ = same_every_way(data, lambda pieces: read(make(), pieces))
    return events


def skipped(make: Callable[[], AnyFraming], data: bytes) -> int:
    _, count = same_every_way(data, lambda pieces: read(make(), pieces))
    return count


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n", b"\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(
    ("data", "events"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b"data: a\n\ndata: b\n\n", [("", b"a"), ("", b"b")], id="two"),
        pytest.param(
            b"event: delta\ndata: a\n\ndata: b\n\n", [("delta", b"a"), ("", b"b")], id="a name lasts one event"
        ),
        pytest.param(b"data: a\ndata: b\n\n", [("", b"a\nb")], id="data over two lines"),
        pytest.param(b"data: a\ndata:\ndata: b\n\n", [("", b"a\n\nb")], id="an empty line of data"),
        pytest.param(b": ping\ndata: a\n: pong\n\n: ping\n\n", [("", b"a")], id="comments"),
        pytest.param(b"data:a\n\n", [("", b"a")], id="no space"),
        pytest.param(b"data:  a \n\n", [("", b" a ")], id="one space only is taken"),
        pytest.param(b"data: a: b\n\n", [("", b"a: b")], id="a colon in the data"),
        pytest.param(b"data\n\n", [("", b"")], id="a field without a colon"),
        pytest.param(b"id: 1\nretry: 5\nother: x\ndata: a\n\n", [("", b"a")], id="other fields"),
        pytest.param(b"event: ping\n\ndata: a\n\n", [("", b"a")], id="an event without data is none"),
        pytest.param(b"\n\n\ndata: a\n\n\n\n", [("", b"a")], id="empty lines"),
        pytest.param(b"data: a\n\ndata: b", [("", b"a"), ("", b"b")], id="the last line is not ended"),
        pytest.param(b"data: a\n\nevent: x\ndata: b\n", [("", b"a"), ("x", b"b")], id="the last event is not ended"),
        pytest.param(b"Data: a\n data: b\ndata: c\n\n", [("", b"c")], id="a field is spelled exactly"),
        pytest.param("data: é😀\n\n".encode(), [("", "é😀".encode())], id="letters cut in two"),
        pytest.param(b"data: \xff\xfe\n\n", [("", b"\xff\xfe")], id="bytes that are no text"),
        pytest.param(b"data: [DONE]\n\n", [("", b"[DONE]")], id="done"),
        pytest.param(b"\xef\xbb\xbfdata: a\n\n", [("", b"a")], id="a byte order mark is not part of the first field"),
    ],
)
def test_server_sent_events_are_framed(data: bytes, events: list[tuple[str, bytes]], line_end: bytes) -> None:
    raw = data.replace(b"\n", line_end)

    assert [RawEvent(name, value) for name, value in events] == framed(ServerSentEvents, raw)


def test_an_event_comes_as_soon_as_its_empty_line() -> None:
    framing = ServerSentEvents()

    assert list(framing.feed(b"data: a\r\n")) == []
    assert [RawEvent("", b"a")] == list(framing.feed(b"\r"))
    assert list(framing.feed(b"\n")) == []


def test_mixed_line_ends_are_line_ends() -> None:
    assert [RawEvent("", b"a"), RawEvent("", b"b")] == framed(ServerSentEvents, b"data: a\r\n\ndata: b\n\r\n")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        pytest.param(b"", [], id="nothing"),
        pytest.param(b'{"a": 1}\n{"b": 2}\n', [b'{"a": 1}', b'{"b": 2}'], id="two"),
        pytest.param(b'{"a": 1}\r\n{"b": 2}\r\n', [b'{"a": 1}', b'{"b": 2}'], id="CRLF"),
        pytest.param(b'{"a": 1}\n{"b": 2}', [b'{"a": 1}', b'{"b": 2}'], id="the last line is not ended"),
        pytest.param(b"\n \n\r\n{}\n\n", [b"{}"], id="blank lines"),
        pytest.param('{"a": "é😀"}\n'.encode(), ['{"a": "é😀"}'.encode()], id="letters cut in two"),
    ],
)
def test_json_lines_are_one_event_each(data: bytes, lines: list[bytes]) -> None:
    assert [RawEvent("", line) for line in lines] == framed(NewlineJson, data)


@pytest.mark.parametrize("make", [NewlineJson, ServerSentEvents, EventsOrJson])
def test_flush_gives_what_was_held_once(make: Callable[[], AnyFraming]) -> None:
    framing = make()
    framing.feed(b"data: a")

    assert len(framing.flush(Ending.FINAL)) == 1
    assert len(framing.flush(Ending.FINAL)) == 0


@pytest.mark.parametrize(
    ("data", "count"),
    [
        pytest.param(b"data: a\n\n", 0, id="nothing"),
        pytest.param(b": hello\nid: 1\nretry: 5\nevent: x\ndata\n\n", 0, id="every field there is"),
        pytest.param(b"Data: a\n data: b\nother: c\n<html>\ndata: d\n\n", 4, id="lines that are no fields"),
    ],
)
def test_lines_that_are_no_fields_are_counted(data: bytes, count: int) -> None:
    assert count == skipped(ServerSentEvents, data)


# --- JSON arrays ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("data", "objects", "count"),
    [
        pytest.param(b"", [], 0, id="nothing"),
        pytest.param(b"[]", [], 0, id="an empty array"),
        pytest.param(b'[{"a": 1},\r\n{"b": 2}]', [b'{"a": 1}', b'{"b": 2}'], 0, id="two"),
        pytest.param(
            b'[{"a": 1}\n,\r\n{"b": 2}\n]\n', [b'{"a": 1}', b'{"b": 2}'], 0, id="commas on lines of their own"
        ),
        pytest.param(b'{"error": {"code": 429}}', [b'{"error": {"code": 429}}'], 0, id="one object and no array"),
        pytest.param(b'{"a": 1}\n{"b": 2}\n', [b'{"a": 1}', b'{"b": 2}'], 0, id="objects on lines"),
        pytest.param(b'[{"a": [{"b": [1, {}]}]}]', [b'{"a": [{"b": [1, {}]}]}'], 0, id="objects in objects"),
        pytest.param(b'[{"a": "}]{["}]', [b'{"a": "}]{["}'], 0, id="brackets in a string"),
        pytest.param(rb'[{"a": "\"}\\"}]', [rb'{"a": "\"}\\"}'], 0, id="escapes in a string"),
        pytest.param(b'[{\n  "a": "x"\n}]', [b'{\n  "a": "x"\n}'], 0, id="written prettily"),
        pytest.param('[{"a": "é😀"}]'.encode(), ['{"a": "é😀"}'.encode()], 0, id="letters cut in two"),
        pytest.param(b'\xef\xbb\xbf[{"a": 1}]', [b'{"a": 1}'], 0, id="a byte order mark"),
        pytest.param(b'[{"a": 1}, {"b": ', [b'{"a": 1}'], 1, id="an object that does not end"),
        pytest.param(b'[{"a": 1}, {"b": "', [b'{"a": 1}'], 1, id="a string that does not end"),
        pytest.param(b'[{"a": 1}', [b'{"a": 1}'], 0, id="an array that does not end"),
        pytest.param(b'[1, "a{", {"a": 1}, null]', [b'{"a": 1}'], 2, id="what is no object"),
        pytest.param(b"<html>no</html>", [], 1, id="no JSON at all"),
        pytest.param(b"}]}", [], 1, id="ends without beginnings"),
    ],
)
def test_every_object_of_an_array_is_an_event(data: bytes, objects: list[bytes], count: int) -> None:
    expected = [RawEvent("", value) for value in objects]

    assert (expected, count) == same_every_way(data, lambda pieces: read(JsonArray(), pieces))


def test_an_object_comes_with_its_last_brace() -> None:
    framing = JsonArray()

    assert list(framing.feed(b'[{"a": {"b": 1}')) == []
    assert [RawEvent("", b'{"a": {"b": 1}}')] == list(framing.feed(b"}"))


def test_an_array_can_be_read_after_one_that_broke_off() -> None:
    framing = JsonArray()
    framing.feed(b'[{"a": "')
    framing.flush(Ending.FINAL)

    assert [RawEvent("", b'{"b": 1}')] == list(framing.feed(b'[{"b": 1}]'))


# --- events, or JSON in their place ---------------------------------------------------


ERROR = b'{\n  "error": {\n    "code": 503,\n    "message": "data: {"\n  }\n}'


@pytest.mark.parametrize("line_end", [b"\n", b"\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize(
    ("data", "events", "count"),
    [
        pytest.param(b"", [], 0, id="nothing"),
        pytest.param(b"\n \n", [], 0, id="blanks"),
        pytest.param(b"data: a\n\ndata: b\n\n", [b"a", b"b"], 0, id="events"),
        pytest.param(b"\n\ndata: a\n\n", [b"a"], 0, id="blanks before events"),
        pytest.param(b'[{"a": 1},\n{"b": 2}]', [b'{"a": 1}', b'{"b": 2}'], 0, id="an array"),
        pytest.param(b"\n " + ERROR, [ERROR], 0, id="an error and nothing else"),
        pytest.param(b"data: a\n\n" + ERROR + b"\n", [b"a", ERROR], 0, id="an error after an event"),
        pytest.param(b"data: a\n" + ERROR + b"\n", [b"a", ERROR], 0, id="an error after an event that was not ended"),
        pytest.param(b"data: a\n\n[" + ERROR + b"]", [b"a", ERROR], 0, id="an error in an array"),
        pytest.param(ERROR + b"\n\ndata: a\n\n", [ERROR], 1, id="JSON stays JSON"),
        pytest.param(b"data: a\n\n<html>\n</html>\n", [b"a"], 1, id="something else"),
        pytest.param(b"<html>\n</html>\n", [b""], 1, id="nothing but something else"),
        pytest.param(b"[1]", [b""], 1, id="an array of something else"),
        pytest.param(ERROR[:-1], [b""], 1, id="nothing but an error that does not end"),
        pytest.param(b": ping\n\n", [], 0, id="nothing but a comment"),
        pytest.param(b"data: a\n\n" + ERROR[:-1], [b"a"], 1, id="an error that does not end"),
    ],
)
def test_json_among_events_is_an_event(data: bytes, events: list[bytes], count: int, line_end: bytes) -> None:
    raw = data.replace(b"\n", line_end)

    found, passed_over = same_every_way(raw, lambda pieces: read(EventsOrJson(), pieces))

    assert events == [value.replace(b"\r", b"") for _, value in found]
    assert count == passed_over


# --- against the plainest reading there is --------------------------------------------


def plain_lines(data: bytes, longest: int) -> tuple[list[bytes], int]:
    """The lines of *data*, the last with or without an end, and how many were too long."""
    lines = re.split(rb"\r\n|\n|\r", data)
    if not lines[-1]:
        lines.pop()
    kept = [line for line in lines if len(line) <= longest]
    return kept, len(lines) - len(kept)


def plain_events(data: bytes, longest: int) -> Read:
    """Server-sent events as the standard's steps say, one after the other."""
    lines, count = plain_lines(data, longest)
    events: list[RawEvent] = []
    name, values = "", list[bytes]()
    for line in [lines[0].removeprefix(b"\xef\xbb\xbf"), *lines[1:], b""] if lines else []:
        field, _, value = line.partition(b":")
        if not line:
            if sum(map(len, values)) > longest:
                count += 1
            elif values:
                events.append(RawEvent(name, b"\n".join(values)))
            name, values = "", []
        elif field == b"data":
            values.append(value.removeprefix(b" "))
        elif field == b"event":
            name = value.removeprefix(b" ").decode("utf-8", "replace")
        elif field not in (b"", b"id", b"retry"):
            count += 1
    return events, count


def plain_json_lines(data: bytes, longest: int) -> Read:
    """Every line that is not blank."""
    lines, count = plain_lines(data, longest)
    return [RawEvent("", line) for line in lines if line.strip()], count


def plain_array(data: bytes, longest: int) -> Read:
    """The outermost braces of *data*, byte by byte."""
    events: list[RawEvent] = []
    count = depth = start = 0
    in_string = escaped = junk = False
    for index, byte in enumerate(data):
        letter = chr(byte)
        if not depth and letter not in " \t\r\n,[]{\xef\xbb\xbf":
            junk = True
        if in_string:
            junk = junk or not depth
            in_string = escaped or letter != '"'
            escaped = letter == "\\" and not escaped
        elif letter == '"':
            in_string = True
        elif letter == "{" or (letter == "[" and depth):
            if not depth:
                count, junk, start = count + junk, False, index
            depth += 1
        elif letter in "]}" and depth:
            depth -= 1
            if not depth and index + 1 - start > longest:
                count += 1
            elif not depth:
                events.append(RawEvent("", data[start : index + 1]))
    return events, count + (depth > 0 or junk)


def cut(data: bytes, places: Iterable[int]) -> list[bytes]:
    """*data* cut at *places*, which may be far past its end."""
    edges = [0, *sorted(place % (len(data) + 1) for place in places), len(data)]
    return [data[start:end] for start, end in pairwise(edges)]


CUTS = st.lists(st.integers(0, 10_000), max_size=12)
LONGESTS = st.sampled_from([12, 40, LONGEST])

SSE_PIECES = st.sampled_from(
    [
        *(b"data: a\n\n", b"data: {}\r\n\r\n", b"event: x\ndata: y\n\n", b"data: b\n\ndata: c\n\n", b"data: d\n"),
        *(b"event: x\ndata: y\ndata: z\n\n", b"data: abcdefghijklm\n\n", b"data: e\rdata: f\n\n", b": ping\n\n"),
        *(
            b"data: ",
            b"data:",
            b"data",
            b"event: ",
            b"event",
            b"id: 1",
            b"retry: 1",
            b": ping",
            b"other: x",
            b" ",
            b":",
        ),
        *(b"\n", b"\n\n", b"\r\n", b"\r\n\r\n", b"\r", b"\xef\xbb\xbf", "é😀".encode(), b"\xff", b'{"a": "b"}'),
    ]
)
JSON_PIECES = st.sampled_from(
    [
        *(b'{"a": "}"}', b'{"b": [1]}', b'{"c": 1}\n', b'{"c": "abcdefghijklm"},', b'{"d": 1}\r{"e": 2}\n', b'"\\""'),
        *(b"{", b"}", b"[", b"]", b'"', b"\\", b",", b" ", b"\n", b"\r", b"x", b'"a": 1', b"\xc3"),
    ]
)


def reads_of(pieces: st.SearchStrategy[bytes]) -> st.SearchStrategy[list[bytes]]:
    """Reads that end where something ends, as most do, or anywhere."""
    return st.lists(st.lists(pieces, max_size=3).map(b"".join), max_size=12)


def check_against(
    plain: Callable[[bytes, int], Read], make: type[AnyFraming], reads: list[bytes], longest: int
) -> None:
    data = b"".join(reads)
    expected = plain(data, longest)

    assert expected == read(make(longest=longest), reads)
    assert expected == read(make(longest=longest), [data])
    assert expected == read(make(longest=longest), cut(data, range(len(data))))


@given(reads_of(SSE_PIECES), LONGESTS)
def test_server_sent_events_are_what_the_standard_says(reads: list[bytes], longest: int) -> None:
    check_against(plain_events, ServerSentEvents, reads, longest)


@given(reads_of(SSE_PIECES | JSON_PIECES), LONGESTS)
def test_json_lines_are_the_lines(reads: list[bytes], longest: int) -> None:
    check_against(plain_json_lines, NewlineJson, reads, longest)


@given(reads_of(JSON_PIECES), LONGESTS)
def test_the_objects_of_an_array_are_its_outermost_braces(reads: list[bytes], longest: int) -> None:
    check_against(plain_array, JsonArray, reads, longest)


@given(reads_of(SSE_PIECES | JSON_PIECES), LONGESTS)
def test_events_or_json_are_the_same_however_they_are_cut(reads: list[bytes], longest: int) -> None:
    data = b"".join(reads)
    expected = read(EventsOrJson(longest=longest), [data])

    assert expected == read(EventsOrJson(longest=longest), reads)
    assert expected == read(EventsOrJson(longest=longest), cut(data, range(len(data))))


LONG = b"x" * 20


@pytest.mark.parametrize("longest", [12, LONGEST], ids=["short", "long"])
@pytest.mark.parametrize(
    "reads",
    [
        pytest.param([b"data: a\n\n", b"data: b\rdata: c\n\n"], id="a CR alone in the middle"),
        pytest.param([b"data: a\n\n", b"data: b\rdata: c\r\n\r\n"], id="a CR alone among others"),
        pytest.param([b"data: a\r\n\r", b"\ndata: b\n\n"], id="an end cut in two"),
        pytest.param([b"data: a\n\r", b"\n", b"data: b\n\n"], id="an end in two reads"),
        pytest.param([b"data: a\n\n", LONG, b"data: b\n\n", b"data: c\n\n"], id="the end of a long line"),
        pytest.param([b"data: a\n\n", b"data: " + LONG + b"\n\n"], id="a long line in one read"),
        pytest.param([b"data: a\n\n", b"event: " + LONG + b"\ndata: b\n\n"], id="a long name in one read"),
        pytest.param([b"data: abcdef\ndata: ghijkl\ndata: m\n\ndata: a\n\n"], id="a long event of short lines"),
        pytest.param([b"data: a\n", b"data: b\n\n"], id="an event that goes on"),
        pytest.param([b"data: a\n", b"event: x\ndata: b\n\n"], id="a name behind data"),
        pytest.param([b"event: x\n", b"event: y\ndata: b\n\n"], id="two names"),
        pytest.param([b"data: a\n", b"data: b\n\nevent: x\ndata: c\n\n"], id="data in two reads"),
        pytest.param([b"data: a\n\n", b"event: x\ndata: b\ndata: c\n\n"], id="a name and two lines of data"),
        pytest.param([b"data: a\n\n", b"\xef\xbb\xbfdata: b\n\n"], id="a byte order mark in the middle"),
        pytest.param([b"", b"\xef\xbb", b"\xbfdata: b\n\n"], id="a byte order mark cut in two"),
        pytest.param([b"\n", b"\xef\xbb\xbfdata: b\n\n"], id="a byte order mark on the second line"),
    ],
)
def test_no_read_is_too_odd(reads: list[bytes], longest: int) -> None:
    """What decides whether a read may be taken apart at once, each thing for itself."""
    check_against(plain_events, ServerSentEvents, reads, longest)


@pytest.mark.parametrize("longest", [12, LONGEST], ids=["short", "long"])
@pytest.mark.parametrize(
    "reads",
    [
        pytest.param([b'{"a": 1}\r{"b": 2}\n'], id="a CR alone in the middle"),
        pytest.param([b'{"a": 1}\r\n', b'{"b": 2}\n'], id="CRLF"),
        pytest.param([b'{"a": 1}\r', b"\n", b'{"b": 2}\n'], id="an end cut in two"),
        pytest.param([b'{"a"', b'{"b": 1}\n', b'{"c": 1}\n'], id="the end of a line that looks like one"),
        pytest.param([LONG, b'{"b": 1}\n', b'{"c": 1}\n'], id="the end of a long line"),
        pytest.param([b'{"c": 12345678}\n'], id="a long line in one read"),
    ],
)
def test_no_read_of_lines_is_too_odd(reads: list[bytes], longest: int) -> None:
    check_against(plain_json_lines, NewlineJson, reads, longest)


def test_an_object_behind_one_that_was_too_long_is_read() -> None:
    framing = JsonArray(longest=12)

    assert [RawEvent("", b'{"b": 1}')] == [
        event for piece in (b'[{"a": "', LONG, LONG, b'"}, ', b'{"b": 1}]') for event in framing.feed(piece)
    ]
    assert 1 == framing.skipped


def test_blanks_before_an_array_do_not_hold_it_up() -> None:
    framing = EventsOrJson()

    assert [] == list(framing.feed(b"\r\n "))
    assert [RawEvent("", b'{"a": 1}')] == list(framing.feed(b' [{"a": 1}'))


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(st.dictionaries(st.text(), VALUES, max_size=3), max_size=5), CUTS, st.sampled_from([None, 2]))
def test_what_was_written_as_an_array_is_read(objects: list[object], places: list[int], indent: int | None) -> None:
    data = json.dumps(objects, indent=indent, ensure_ascii=False).encode("utf-8", "surrogatepass")

    events, count = read(JsonArray(), cut(data, places))

    assert objects == [json.loads(event.data.decode("utf-8", "surrogatepass")) for event in events]
    assert count == 0


# --- what a hostile server costs ------------------------------------------------------


def peak_of(work: Callable[[], object]) -> int:
    """The most bytes that *work* held at a time."""
    tracemalloc.start()
    try:
        work()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("make", [ServerSentEvents, EventsOrJson])
@pytest.mark.parametrize("comment", [b": keep-alive\n", b": keep-alive\n\n", b"\n"], ids=["lines", "events", "blanks"])
def test_keep_alive_comments_cost_no_memory(make: Callable[[], AnyFraming], comment: bytes) -> None:
    framing = make()
    part = comment * (10_000 // len(comment))

    def keep_alive() -> None:
        for _ in range(100):
            framing.feed(part[:-3])
            framing.feed(part[-3:])

    assert peak_of(keep_alive) < 3_000_000
    assert [RawEvent("", b"a")] == list(framing.feed(b"data: a\n\n"))


@pytest.mark.parametrize("make", [ServerSentEvents, EventsOrJson, NewlineJson, JsonArray])
@pytest.mark.parametrize(
    "part",
    [
        pytest.param(b"data: abcdefgh", id="a line without an end"),
        pytest.param(b"data: abcdefgh\n", id="an event without an end"),
        pytest.param(b'{"a": "abcdefgh"', id="an object without an end"),
        pytest.param(b'["abcdefgh\\', id="a string without an end"),
    ],
)
def test_what_does_not_end_costs_little_memory(make: type[AnyFraming], part: bytes) -> None:
    framing = make(longest=10_000)

    def go_on() -> None:
        for _ in range(100):
            for event in framing.feed(part * 100):
                assert len(event.data) <= 10_000

    assert peak_of(go_on) < 600_000


@pytest.mark.parametrize(
    ("make", "data"),
    [
        pytest.param(ServerSentEvents, b": keep-alive\n\n", id="comments"),
        pytest.param(ServerSentEvents, b'data: {"a": 1}\r\n\r\n', id="events"),
        pytest.param(ServerSentEvents, b"data: a\n", id="one event of many lines"),
        pytest.param(ServerSentEvents, b"data: a", id="one line"),
        pytest.param(NewlineJson, b'{"a": 1}\n', id="lines of JSON"),
        pytest.param(JsonArray, b'{"a": "b\\""},', id="objects"),
        pytest.param(JsonArray, b'{"a": [', id="one deep object"),
        pytest.param(JsonArray, b'"', id="quotes"),
    ],
)
def test_cost_grows_with_the_stream_and_no_faster(make: Callable[[], AnyFraming], data: bytes) -> None:
    def cost(times: int) -> int:
        body = data * times
        return calls_of(partial(read, make(), [body[index : index + 1] for index in range(len(body))]))

    assert cost(400) < 2.2 * cost(200)


@pytest.mark.parametrize("make", [ServerSentEvents, NewlineJson, JsonArray])
def test_a_long_line_in_many_reads_takes_no_longer_than_it_must(make: Callable[[], AnyFraming]) -> None:
    """Calls do not tell how much is copied: this would take minutes if every read copied all before it."""
    body = b'{"data": "' + b"a" * 8_000_000 + b'"}\n'

    events, count = read(make(), [body[index : index + 200] for index in range(0, len(body), 200)])

    assert (0 if make is ServerSentEvents else 1, 1 if make is ServerSentEvents else 0) == (len(events), count)


def test_the_usual_read_is_taken_apart_by_a_handful_of_calls() -> None:
    """One read, many events: nothing of ours is called for each of them but what makes the event."""
    framing = ServerSentEvents()
    framing.feed(b"data: first\n\n")
    body = b'data: {"a": 1}\n\n' * 100

    assert calls_of(partial(framing.feed, body)) < 130
