from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType

import msgspec
import pytest

from cadenza.errors import HttpError, ProviderError
from cadenza.models.dialects.dialect import Dialect, Endpoint, EventReader, as_json
from cadenza.models.error_message import known_as
from cadenza.models.vendors import VENDORS, codec
from cadenza.stages.s2_generation import ServerSentEvents
from cadenza.types import Chunk, Ending, Failed, HttpRequest, Prompt, RawEvent, TextDelta
from tests.models.recorded import STREAMS, decoded


class Word(msgspec.Struct):
    """A shape to read."""

    say: str = ""


class WordReader(EventReader[Word]):
    """Reads words, and holds the last one."""

    def __init__(self) -> None:
        super().__init__(msgspec.json.Decoder(Word), "somebody")
        self._held: list[Chunk] = []

    def read(self, value: Word) -> Sequence[Chunk]:
        held, self._held = self._held, [TextDelta(value.say)]
        return held

    def rest(self) -> Sequence[Chunk]:
        return self._held


def read(*events: bytes) -> tuple[list[Chunk], int]:
    reader = WordReader()
    chunks = [chunk for event in events for chunk in reader.feed(RawEvent("", event))]
    return [*chunks, *reader.flush(Ending.FINAL)], reader.skipped


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_dialect_with_another_key_differs_in_that_alone(vendor: str) -> None:
    first = codec(vendor, "m", key="first-key", url="https://here.example/v1")
    assert isinstance(first, Dialect)
    second = first.keyed("second-key")

    one, other = first.encode(Prompt("s", ())), second.encode(Prompt("s", ()))
    assert type(first) is type(second)
    assert (first.endpoint.key, second.endpoint.key) == ("first-key", "second-key")
    assert (one.url, one.body) == (other.url, other.body)
    headers = {name: value.replace("first-key", "second-key") for name, value in one.headers.items()}
    assert headers == other.headers
    assert "second-key" in " ".join(other.headers.values())


def test_events_are_read_and_what_is_held_is_let_go() -> None:
    assert ([TextDelta("a"), TextDelta("b")], 0) == read(b'{"say": "a"}', b'{"say": "b", "more": 1}')


def test_an_event_that_cannot_be_read_is_passed_over_and_counted() -> None:
    assert ([TextDelta("a")], 2) == read(b"nonsense", b"[1]", b'{"say": "a"}')


class Inner(msgspec.Struct):
    say: str = ""
    count: int = 0


class Outer(msgspec.Struct):
    inner: list[Inner] | None = None
    other: Inner | None = None


class InnerReader(EventReader[Outer]):
    def __init__(self) -> None:
        super().__init__(msgspec.json.Decoder(Outer), "somebody")

    def read(self, value: Outer) -> Sequence[Chunk]:
        return [TextDelta(inner.say) for inner in value.inner or ()]


def test_what_is_not_as_it_should_be_is_left_out_and_the_rest_is_read() -> None:
    reader = InnerReader()

    chunks = reader.feed(
        RawEvent("", b'{"inner": [{"say": "a", "count": null}, {"say": "b", "count": "c"}], "other": "d"}')
    )

    assert [TextDelta("a"), TextDelta("b")] == chunks
    assert (1, ()) == (reader.skipped, reader.flush(Ending.FINAL))


@pytest.mark.parametrize("data", [b"3", b'{"inner": [3, 4]}', b'{"other": {"say": {}}}'])
def test_a_stream_of_which_only_the_frame_could_be_read_has_failed(data: bytes) -> None:
    reader = InnerReader()

    assert () == tuple(reader.feed(RawEvent("", data)))
    assert isinstance(reader.flush(Ending.FINAL)[0], Failed)


def test_a_stream_of_which_nothing_could_be_read_has_failed() -> None:
    (chunks, skipped) = read(b"nonsense")

    assert 1 == skipped
    assert isinstance(chunks[0], Failed)


def test_half_an_emoji_and_bytes_that_are_no_unicode_are_read_all_the_same() -> None:
    assert ([TextDelta("\ud83d"), TextDelta("\ufffd")], 0) == read(b'{"say": "\\ud83d"}', b'{"say": "\xff"}')


def test_nesting_without_end_is_passed_over() -> None:
    assert ([TextDelta("a")], 1) == read(b'{"say": ' + b"[" * 100_000, b'{"say": "a"}')


@pytest.mark.parametrize(
    ("base", "address"),
    [
        ("https://x.example/v1", "https://x.example/v1/call"),
        ("https://x.example/v1/", "https://x.example/v1/call"),
        ("https://x.example/v1?version=2", "https://x.example/v1/call?version=2"),
    ],
)
def test_a_call_has_its_address(base: str, address: str) -> None:
    assert address == Endpoint("somebody", "m", base).at("/call")


def test_an_endpoint_does_not_show_its_key_nor_its_headers() -> None:
    shown = repr(Endpoint("somebody", "m", "https://x.example", "sk-secret", {"x-key": "sk-secret"}))

    assert "sk-secret" not in shown


def test_an_endpoint_shows_where_it_is_and_no_secret_of_its_address() -> None:
    shown = repr(Endpoint("somebody", "m", "https://user:pw@x.example/v1?key=abc"))

    assert shown == "Endpoint('somebody', 'm', 'https://***@x.example/v1?***')"


def test_a_dialect_frames_events_and_takes_a_no_for_a_no() -> None:
    dialect = Dialect(Endpoint("somebody", "m", "https://x.example"))

    assert isinstance(dialect.framing(), ServerSentEvents)
    assert dialect.attempts(HttpRequest("https://x.example", b"")) is None
    assert isinstance(dialect.refused(HttpError(401, {}, b"no")), ProviderError)


class TestJson:
    def test_the_fields_keep_their_order(self) -> None:
        assert b'{"b":1,"a":[1.5,null,true,"\xc3\xa9"]}' == as_json({"b": 1, "a": [1.5, None, True, "é"]})

    def test_what_cannot_be_changed_is_written_too(self) -> None:
        assert {"a": {"b": [1]}} == json.loads(as_json(MappingProxyType({"a": MappingProxyType({"b": (1,)})})))

    @pytest.mark.parametrize(
        ("text", "shown"), [("\ud83d", "\ufffd"), ("a\ude00b", "a\ufffdb"), ("\ud83d\ude00", "😀")], ids=ascii
    )
    def test_half_an_emoji_is_shown_as_such(self, text: str, shown: str) -> None:
        assert {"a": [shown], "b": {}} == json.loads(as_json({"a": [text], "b": MappingProxyType({})}))


# --- at the wrong address -------------------------------------------------------------------------

SPEAKERS = {
    "openai": "openai/text.sse",
    "anthropic": "anthropic/text.sse",
    "google": "google/plain.sse",
    "openai-responses": "openai-responses/text.sse",
    "ollama": "ollama/plain.ndjson",
}


@pytest.mark.parametrize("heard", SPEAKERS)
@pytest.mark.parametrize("meant", SPEAKERS)
def test_an_answer_in_another_dialect_is_a_failure_and_not_an_empty_answer(meant: str, heard: str) -> None:
    body = (STREAMS / SPEAKERS[heard]).read_bytes()

    chunks = decoded(codec(meant, "a-model", key="key"), [body])

    failed = [chunk.error for chunk in chunks if isinstance(chunk, Failed)]
    if meant == heard:
        assert not failed
    else:
        assert ["unreadable"] == [error.code for error in failed if isinstance(error, ProviderError)]
        assert "look whether its address is right" in str(failed[0])
        assert str(failed[0]).startswith(known_as(meant))


@pytest.mark.parametrize(
    ("model", "heard"),
    [
        ("glm-4-6", "google"),
        ("glm-4-6", "openai-responses"),
        ("kayra-v1", "google"),
        ("kayra-v1", "openai-responses"),
        ("kayra-v1", "openai"),
    ],
)
def test_so_it_is_for_both_shapes_of_novelai(model: str, heard: str) -> None:
    chunks = decoded(codec("novelai", model, key="key"), [(STREAMS / SPEAKERS[heard]).read_bytes()])

    failed = [chunk.error for chunk in chunks if isinstance(chunk, Failed)]
    assert ["unreadable"] == [error.code for error in failed if isinstance(error, ProviderError)]
