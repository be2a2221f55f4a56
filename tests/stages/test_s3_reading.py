"""The shortest way from bytes to chunks comes to the same as the long one, whatever arrives however."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.models.dialects.openai_decoder import OpenAIDecoder
from cadenza.stages.s2_generation import EventsOrJson
from cadenza.stages.s3_chunks import Chunks
from cadenza.stages.s3_reading import ALIVE, Reader, Shortcut
from cadenza.types import Chunk, Ending, TextDelta

DONE = b"data: [DONE]\n\n"


def event(text: object, *, ascii_only: bool = False, end: str = "\n\n", **more: Any) -> bytes:
    """An event of the OpenAI family that says *text*."""
    fields = {"id": "chatcmpl-1", "model": "m", **more}
    choices = [{"index": 0, "delta": {"content": text}, "finish_reason": None}]
    return f"data: {json.dumps({**fields, 'choices': choices}, ensure_ascii=ascii_only)}{end}".encode()


def spoken(chunks: Iterable[Chunk]) -> list[Chunk | str]:
    """*chunks*, with texts in a row as one: so much is the same however it was sliced."""
    row: list[Chunk | str] = []
    for chunk in chunks:
        if not isinstance(chunk, TextDelta):
            row.append(chunk)
        elif chunk.text:
            row[-1:] = [row[-1] + chunk.text] if row and isinstance(row[-1], str) else [*row[-1:], chunk.text]
    return row


def by_the_long_way(body: bytes) -> list[Chunk | str]:
    framing, chunks = EventsOrJson(), Chunks(OpenAIDecoder("openai", "owner"))
    events = [*framing.feed(body), *framing.flush(Ending.FINAL)]
    return spoken([*chunks.feed_all(events), *chunks.flush(Ending.FINAL)])


def read(pieces: Iterable[bytes]) -> list[Chunk | str]:
    framing, chunks = EventsOrJson(), Chunks(OpenAIDecoder("openai", "owner"))
    reader, heard = Reader(framing, chunks), list[Chunk]()
    for piece in pieces:
        heard += [chunk for row in reader.read(piece) for chunk in row]
        if chunks.has_ended:
            return spoken(heard)
    heard += chunks.feed_all(framing.flush(Ending.FINAL))
    return spoken([*heard, *chunks.flush(Ending.FINAL)])


# --- the same, however it comes ------------------------------------------------------------

TEXTS = st.one_of(
    st.text(max_size=8),
    st.sampled_from(["content", "id", "m", "chatcmpl-1", '"', "\\", '\\"', "\n", "\n\n", "data: ", "", "é", "😀", "a"]),
)
MORE = st.sampled_from([{}, {}, {}, {"obfuscation": "x"}, {"created": 1}, {"usage": None}, {"provider": "P"}])
ENDS = st.sampled_from(["\n\n", "\n\n", "\n\n", "\r\n\r\n"])
EVENTS = st.one_of(
    st.builds(lambda text, more, end: event(text, end=end, **more), TEXTS, MORE, ENDS),
    st.builds(lambda text: event(text, ascii_only=True), TEXTS),
    st.sampled_from(
        [
            b": a comment\n\n",
            b"data: rubbish\n\n",
            b'data: {"error": {"message": "no"}}\n\n',
            event(None),
            event([{"type": "text", "text": "part"}]),
            b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n',
            b'data: {"choices": [{"delta": {"reasoning_content": "hm"}, "finish_reason": null}]}\n\n',
            (
                b'data: {"choices": [{"delta": {"tool_calls": [{"index": 0, "id": "c", "function": {"name": "f",'
                b' "arguments": "{}"}}]}, "finish_reason": null}]}\n\n'
            ),
        ]
    ),
)


@given(st.lists(EVENTS, max_size=12), st.sampled_from([b"", DONE]), st.data())
def test_it_comes_to_the_same_as_the_long_way(events: list[bytes], end: bytes, data: st.DataObject) -> None:
    body = b"".join(events) + end
    whole = data.draw(st.booleans(), label="only whole events")
    places = [sum(map(len, events[:number])) for number in range(len(events))] if whole else [*range(len(body))]
    cuts = sorted(data.draw(st.sets(st.sampled_from(places or [0]), max_size=6), label="cuts"))
    pieces = [body[begin:behind] for begin, behind in zip([0, *cuts], [*cuts, len(body)], strict=True)]

    assert repr(by_the_long_way(body)) == repr(read(piece for piece in pieces if piece))  # errors are equal to nothing


@pytest.mark.parametrize("size", [1, 2, 3, 7])
def test_a_stream_of_words_needs_to_be_decoded_hardly_ever(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    words = [f"word{number} " for number in range(60)]
    events = [event(word) for word in words]
    decoded: list[bytes] = []
    feed = OpenAIDecoder.feed
    monkeypatch.setattr(OpenAIDecoder, "feed", lambda self, event: (decoded.append(event.data), feed(self, event))[1])

    heard = read(b"".join(events[start : start + size]) for start in range(0, 60, size))

    assert "".join(words) == heard[0]
    assert len(decoded) <= 2 + size  # the first read finds nothing learnt yet


def test_words_with_escapes_are_understood_without_decoding_the_event() -> None:
    shortcut = Shortcut()
    shortcut.learn(event("word"), [TextDelta("word")])

    assert 'a\n"b"\\é😀' == shortcut.take(event('a\n"b"') + event("\\") + event("é", ascii_only=True) + event("😀"))


# --- what goes the long way -------------------------------------------------------------------


def learnt(*, text: str = "word") -> Shortcut:
    shortcut = Shortcut()
    shortcut.learn(event(text), [TextDelta(text)])
    return shortcut


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b"", id="nothing"),
        pytest.param(event("x", created=2), id="another event"),
        pytest.param(event("x")[:-1], id="not whole"),
        pytest.param(event("x") + event("y")[:-3], id="not whole behind a whole one"),
        pytest.param(event("x") + event("y", created=2) + event("z"), id="another one among them"),
        pytest.param(event("x").replace(b'"x"', b'"a", "refusal": "b"'), id="another field"),
        pytest.param(event("x").replace(b'"x"', b'"a\\"'), id="an end that is escaped"),
        pytest.param(event("x").replace(b'"x"', b'"\xff"'), id="no text"),
        pytest.param(event("x").replace(b'"x"', b'"\x01"'), id="a control character"),
        pytest.param(event("x").replace(b'"x"', b'"a\n\nb"'), id="an empty line"),
        pytest.param(event(""), id="no word"),
    ],
)
def test_what_is_not_like_the_event_that_was_learnt_is_not_taken(data: bytes) -> None:
    assert "" == learnt().take(data)


def test_an_end_that_is_escaped_does_not_run_into_the_next_event() -> None:
    first, second = (event("x").replace(b'"x"', b'"a\\"'), event("nb"))

    assert "" == learnt().take(first + second)


@pytest.mark.parametrize(
    ("data", "heard"),
    [
        pytest.param(event("id"), [TextDelta("id")], id="a word that also stands elsewhere"),
        pytest.param(event("é", ascii_only=True), [TextDelta("é")], id="a word that is written in another way"),
        pytest.param(event("id", ascii_only=True).replace(b'"id"}', b'"\\u0069d"}'), [TextDelta("id")], id="as a trap"),
        pytest.param(event("word"), [TextDelta("word"), TextDelta("more")], id="more than a word"),
        pytest.param(event("word"), [], id="nothing heard"),
        pytest.param(event("word").removesuffix(b"\n"), [TextDelta("word")], id="not whole"),
    ],
)
def test_what_could_mislead_is_not_learnt(data: bytes, heard: Sequence[Chunk]) -> None:
    shortcut = Shortcut()

    shortcut.learn(data, heard)

    assert "" == shortcut.take(data)


def test_a_stream_in_which_all_events_differ_is_not_learnt_for_ever() -> None:
    shortcut = Shortcut()
    for number in range(8):
        assert shortcut.learns
        shortcut.learn(event("word", created=number), [TextDelta("word")])

    assert not shortcut.learns


def test_one_hit_makes_it_worth_going_on() -> None:
    shortcut = Shortcut()
    for number in range(100):
        shortcut.learn(event("word", created=number), [TextDelta("word")])
        assert "more" == shortcut.take(event("more", created=number))

    assert shortcut.learns


def test_while_a_call_is_being_written_there_is_a_sign_of_life() -> None:
    piece = {"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"a'}}
    call = {"choices": [{"index": 0, "delta": {"tool_calls": [piece]}, "finish_reason": None}]}
    reader = Reader(EventsOrJson(), Chunks(OpenAIDecoder("openai", "owner")))

    assert [ALIVE] == [*reader.read(f"data: {json.dumps(call)}\n\n".encode())]


def test_nothing_is_heard_behind_the_end() -> None:
    body = [event("a"), b'data: {"choices": [{"delta": {}, "finish_reason": "stop"}]}\n\n', DONE, event("b")]

    assert by_the_long_way(b"".join(body)) == read([body[0], b"".join(body[1:])])
