"""Law 4 where the work hides inside one call: a pattern that goes back, a search that goes on and on.

Counting calls does not see that, so these are measured; each took from two seconds to for ever before it was linear.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable

import pytest

from cadenza.models.dialects.anthropic_events import AnthropicDecoder
from cadenza.models.dialects.google_events import GoogleDecoder
from cadenza.models.dialects.ollama import OllamaDecoder
from cadenza.models.dialects.openai_decoder import OpenAIDecoder
from cadenza.models.dialects.openai_responses_events import ResponsesDecoder
from cadenza.models.error_kind import failure, reported
from cadenza.models.error_text import is_generic
from cadenza.models.recordings import hide_secrets
from cadenza.rules import RenderModifier, Rule, RuleContext, SpeakerGuard
from cadenza.settings import Settings
from cadenza.stages.s2_generation import ServerSentEvents
from cadenza.stages.s3_chunks import Chunks
from cadenza.stages.stage import Stage
from cadenza.text.spans import survey
from cadenza.text.units import display_width, graphemes
from cadenza.types import (
    Boundary,
    Chunk,
    Ending,
    Finished,
    Persona,
    RawEvent,
    Roster,
    Segment,
    Sprite,
    TextDelta,
    ToolCall,
    Usage,
)

_SECONDS = 4.0  # ten times what the slowest takes where nothing else runs


def _rule(kind: type[Rule], *personas: str) -> Rule:
    context = RuleContext(
        Persona("Ren", sprites=(Sprite("mad"),)),
        Roster(personas=dict.fromkeys(personas, "word")),
        Settings.of(speaker_guard=True).rules,
    )
    return kind(context)


def _feed(text: str, kind: type[Rule], *personas: str) -> Callable[[], object]:
    return lambda: list(_rule(kind, *personas).feed(Segment(text, Boundary.FINAL)))


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda: survey("\\`` " * 5000), id="backticks behind backslashes"),
        pytest.param(lambda: survey(")[a](b)" * 15_000), id="links without a space"),
        pytest.param(lambda: display_width("\U0001f1e6" * 32_000), id="a row of flags"),
        pytest.param(
            _feed("a:" * 60 + " x (y):", RenderModifier, *(":".join("a" * length) for length in range(1, 13))),
            id="names with colons",
        ),
        pytest.param(_feed("Ren (mad):" + "\n" * 10, RenderModifier), id="one label"),
        pytest.param(_feed(("Ren (mad):" + "\n" * 10) * 6000, RenderModifier), id="labels without words"),
        pytest.param(
            _feed("so\n" + "word and " * 7000 + " ` \n" + "User: a\n" * 8000, SpeakerGuard),
            id="labels behind a backtick",
        ),
    ],
)
def test_hostile_text_takes_no_longer_than_other_text(work: Callable[[], object]) -> None:
    begin = time.process_time()
    work()
    assert time.process_time() - begin < _SECONDS


def test_flags_are_still_paired_from_the_left() -> None:
    flag = "\U0001f1e9\U0001f1ea"
    assert graphemes(flag * 2 + flag[0] + "x") == [flag, flag, flag[0], "x"]
    assert graphemes(flag + "\u200d\u0301" + flag) == [flag + "\u200d\u0301", flag]


def test_a_chain_of_labels_still_gives_back_what_belongs_to_the_name() -> None:
    context = RuleContext(Persona("Aki: Ren", sprites=(Sprite("mad"),)), Roster(personas={"Aki": "aki"}))
    (segment,) = RenderModifier(context).feed(Segment("Aki: Aki: Ren (mad): grr", Boundary.FINAL))
    assert (segment.text, segment.label) == ("grr", "Aki: Ren (mad): ")


# --- what a provider sends ---------------------------------------------------------------------


def _heard(decoder: Stage[RawEvent, Chunk], *events: bytes) -> list[Chunk]:
    chunks = Chunks(decoder)
    return [*chunks.feed_all(RawEvent("", event) for event in events), *chunks.flush(Ending.FINAL)]


def _openai(*events: bytes) -> list[Chunk]:
    return _heard(OpenAIDecoder("openai", "owner"), *events)


def _call_piece(name: str, arguments: str) -> bytes:
    piece = {"index": 0, "function": {"name": name, "arguments": arguments}}
    return json.dumps({"choices": [{"delta": {"tool_calls": [piece]}, "finish_reason": None}]}).encode()


def _tree(width: int) -> object:
    """An error with as many messages in it as there can be places for them."""
    holders = ("error", "errors", "message", "msg", "detail", "title", "metadata", "raw", "details", "description")
    leaves = iter(range(10**6))
    fill = "." * 1900
    return {
        one: {two: {three: [f"{fill}{next(leaves)}" for _ in range(4)] for three in holders} for two in holders[:width]}
        for one in holders
    }


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda: failure("model" + ":" * 20_000, vendor="openai"), id="a model without a name"),
        pytest.param(lambda: failure("code.400." * 10_000, vendor="openai"), id="a status again and again"),
        pytest.param(
            lambda: reported("code.400." * 10_000 + '{"message": "no"}', vendor="openai"), id="the same before JSON"
        ),
        pytest.param(lambda: failure("https://" * 50_000, vendor="openai"), id="an address in an address"),
        pytest.param(
            lambda: reported({"error": {"message": "x", "param": "model:" * 4000}}, vendor="openai"),
            id="a parameter without end",
        ),
        pytest.param(lambda: reported(_tree(10), vendor="openai"), id="thousands of messages"),
        pytest.param(lambda: is_generic("." * 20_000 + "x"), id="a row of dots"),
        pytest.param(lambda: hide_secrets(b"eyJ-" * 20_000, ()), id="beginnings of web tokens"),
        pytest.param(lambda: _openai(*[_call_piece("find", "[1, 2, 3, ")] * 10_000), id="a name with every piece"),
        pytest.param(
            lambda: _openai(_call_piece("find", ""), *[_call_piece("", "x" * 200)] * 20_000), id="many pieces"
        ),
        pytest.param(lambda: _openai(*[_call_piece(name * 40, "") for name in "ab" * 10_000]), id="a name in pieces"),
    ],
)
def test_hostile_answers_take_no_longer_than_others(work: Callable[[], object]) -> None:
    begin = time.process_time()
    work()
    assert time.process_time() - begin < _SECONDS


_DECODERS: dict[str, tuple[Callable[[], Stage[RawEvent, Chunk]], str, str]] = {
    "openai": (
        lambda: OpenAIDecoder("openai", "owner"),
        '{"choices": [{"delta": {"content": "still here"}, "finish_reason": null}]}',
        (
            '{"choices": [{"delta": {"tool_calls": [{"id": "1", "function": {"name": "f", "arguments": %s},'
            ' "extra_content": %s}]}, "finish_reason": null}]}'
        ),
    ),
    "anthropic": (
        lambda: AnthropicDecoder("anthropic", "model", "owner"),
        '{"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "still here"}}',
        '{"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "name": "f", "input": %s}}',
    ),
    "responses": (
        lambda: ResponsesDecoder("openai", "model", "owner"),
        '{"type": "response.output_text.delta", "delta": "still here"}',
        (
            '{"type": "response.output_item.done", "output_index": 1, "item":'
            ' {"type": "reasoning", "id": "r", "encrypted_content": "e", "summary": [%s]}}'
        ),
    ),
    "google": (
        lambda: GoogleDecoder("google", owner="owner"),
        '{"candidates": [{"content": {"parts": [{"text": "still here"}]}}]}',
        '{"candidates": [{"content": {"parts": [{"functionCall": {"name": "f", "args": {"a": %s}}}]}}]}',
    ),
    "ollama": (
        lambda: OllamaDecoder("ollama", owner="owner"),
        '{"message": {"content": "still here"}}',
        '{"message": {"tool_calls": [{"function": {"name": "f", "arguments": {"a": %s}}}]}}',
    ),
}


@pytest.mark.parametrize("dialect", _DECODERS)
@pytest.mark.parametrize("depth", [*range(900, 1010, 3), 100_000])
def test_what_nests_without_end_breaks_no_answer(dialect: str, depth: int) -> None:
    """Between what can be read and what can be written there are a few levels: all of them are tried."""
    decoder, text, event = _DECODERS[dialect]
    nested = '{"a":' * depth + "1" + "}" * depth
    done = '{"type": "response.output_item.done", "item": {"type": "function_call", "name": "f", "arguments": "{}"}}'

    heard = _heard(decoder(), (event.replace("%s", nested)).encode(), done.encode(), text.encode())

    assert TextDelta("still here") in heard
    assert all(call.is_truncated for call in heard if isinstance(call, ToolCall) and call.arguments != "{}")


@pytest.mark.parametrize("number", ["1e999", "Infinity", "-1e999", "NaN", "9" * 5000])
def test_a_count_that_is_no_number_of_tokens_is_none(number: str) -> None:
    heard = _openai(
        b'{"choices": [{"delta": {"content": "Hi"}, "finish_reason": "stop"}]}',
        f'{{"choices": [], "usage": {{"prompt_tokens": {number}, "completion_tokens": 2}}}}'.encode(),
    )

    assert heard[0] == TextDelta("Hi")
    assert heard[-1] == Finished()
    assert all(chunk.input_tokens == 0 for chunk in heard if isinstance(chunk, Usage))


def test_empty_lines_of_data_do_not_pile_up() -> None:
    framing = ServerSentEvents(longest=100)
    events = [event for _ in range(1000) for event in framing.feed(b"data:\n")]
    events += framing.feed(b"\ndata: next\n\n")

    assert events == [RawEvent("", b"next")]
    assert framing.skipped == 1


@pytest.mark.parametrize("seconds", [float("inf"), float("nan"), -1.0, 1e300])
def test_nobody_waits_for_ever(seconds: float) -> None:
    assert failure("slow down", vendor="openai", status=429, retry_after=seconds).retry_after is None
