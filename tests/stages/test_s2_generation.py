from __future__ import annotations

import pytest

from cadenza.stages.s2_generation import Framing, JsonLines, ServerSentEvents
from cadenza.types import Ending, RawEvent
from tests.helpers import same_every_way


def framed(make: type[Framing], data: bytes) -> list[RawEvent]:
    def run(pieces: list[bytes]) -> list[RawEvent]:
        framing = make()
        events = [event for piece in pieces for event in framing.feed(piece)]
        return [*events, *framing.flush(Ending.FINAL)]

    return same_every_way(data, run)


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
    assert [RawEvent("", line) for line in lines] == framed(JsonLines, data)


@pytest.mark.parametrize("make", [JsonLines, ServerSentEvents])
def test_flush_gives_what_was_held_once(make: type[Framing]) -> None:
    framing = make()
    framing.feed(b"data: a")

    assert len(framing.flush(Ending.FINAL)) == 1
    assert len(framing.flush(Ending.FINAL)) == 0
