"""The guards in their row, and what people get to see of streams that need one: from the bytes to the messages."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import fields

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ProviderError
from cadenza.models.dialects.dialect import Quirks
from cadenza.models.dialects.scripted import Beat, ScriptedCodec, ScriptedDecoder, transport
from cadenza.models.guards import guarded
from cadenza.models.model import Model
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.stages.s3_chunks import NO_PROMPT, Chunks
from cadenza.stages.stage import Pipe, Stage
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.tool import Tool
from cadenza.types import (
    Chunk,
    Completed,
    Ending,
    Failed,
    Finished,
    Outcome,
    Persona,
    Prompt,
    RawEvent,
    Reply,
    Scene,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from tests.helpers import slicings
from tests.models.guards.guarding import PROMPT
from tests.models.recorded import joined

AT_ONCE = Settings.of(degree=1, empty_retries=0)
NERINE = Scene("channel", Persona("Nerine"))
Line = dict[str, object]


class OddCodec(ScriptedCodec):
    """The dialect of scripts, spoken by an odd model."""

    def __init__(self, quirks: Quirks) -> None:
        super().__init__()
        self._quirks = quirks

    def decoder(self, prompt: Prompt = NO_PROMPT, /) -> Stage[RawEvent, Chunk]:  # type: ignore[override]  # as codecs do
        return guarded(ScriptedDecoder(), self._quirks, prompt)


def script(lines: Iterable[Line]) -> tuple[Beat, ...]:
    return tuple(Beat(0.0, json.dumps(line).encode() + b"\n") for line in lines)


async def visible(
    lines: Iterable[Line], quirks: Quirks | None = None, scene: Scene = NERINE
) -> tuple[list[str], tuple[str, ...]]:
    """The messages that people see, and the thoughts that they do not."""
    target = MemoryTarget()
    model = Model(OddCodec(quirks or Quirks()), transport([script([*lines, {"finish": "stop"}])], asyncio.sleep))
    result = await reply(scene, model, target, settings=AT_ONCE)
    return target.texts, result.thoughts


def said(*pieces: str) -> list[Line]:
    return [{"text": piece} for piece in pieces]


# --- the row --------------------------------------------------------------------------


def decoded(lines: Iterable[Line], quirks: Quirks, prompt: Prompt = PROMPT) -> list[Chunk]:
    chunks = Chunks(guarded(ScriptedDecoder(), quirks, prompt))
    out = chunks.feed_all(RawEvent("", json.dumps(line).encode()) for line in lines)
    return joined([*out, *chunks.flush(Ending.FINAL)])


def test_a_model_without_quirks_is_read_by_its_decoder_alone() -> None:
    decoder = ScriptedDecoder()

    assert decoder is guarded(decoder, Quirks(replays_reasoning=True), PROMPT)


def test_calls_are_only_looked_for_where_there_are_tools() -> None:
    decoder = ScriptedDecoder()

    assert decoder is guarded(decoder, Quirks(verbatim_calls=True), NO_PROMPT)


@pytest.mark.parametrize("name", [field.name for field in fields(Quirks) if field.name != "replays_reasoning"])
def test_every_quirk_of_speech_has_one_guard(name: str) -> None:
    row = guarded(ScriptedDecoder(), Quirks(**{name: True}), PROMPT)

    assert isinstance(row, Pipe)
    assert 2 == len(row.stages)


ALL = Quirks(**{field.name: True for field in fields(Quirks)})


def test_the_guards_stand_in_one_order() -> None:
    row = guarded(ScriptedDecoder(), ALL, PROMPT)

    assert isinstance(row, Pipe)
    names = [type(stage).__name__.removesuffix("Guard") for stage in row.stages]
    assert ["ScriptedDecoder", "Resent", "Gemma", "Harmony", "OpenThought", "Spill", "Verbatim"] == names


def test_what_was_sent_twice_is_gone_before_anything_is_made_of_it() -> None:
    lines = said("plan</think>Hel", "</think>Hello there")

    expected = [ThoughtDelta("plan"), TextDelta("Hello there"), Finished("end_of_stream")]
    assert expected == decoded(lines, Quirks(resends=True, opens_in_thought=True))


def test_what_is_held_comes_before_a_failure() -> None:
    lines = [*said('Look: read_file("a'), {"error": "overloaded"}]

    text, failed = decoded(lines, ALL)

    assert TextDelta('Look: read_file("a') == text
    assert isinstance(failed, Failed)


def test_what_is_held_comes_before_a_stream_that_breaks() -> None:
    chunks = Chunks(guarded(ScriptedDecoder(), ALL, PROMPT))
    chunks.feed(RawEvent("", b'{"text": "Look: read_f"}'))
    error = ProviderError("gone")

    assert [TextDelta("Look: read_f"), Failed(error)] == joined(chunks.fail(error))


def test_what_is_held_comes_before_a_call_with_its_finish_and_its_usage_behind() -> None:
    call: Line = {"tool": {"id": "1", "name": "f", "arguments": {}}}
    usage: Line = {"usage": {"input_tokens": 1, "output_tokens": 2}}
    lines = [*said("Let me see"), call, usage, {"finish": "tool_calls"}]

    expected = [TextDelta("Let me see"), ToolCall("1", "f", "{}"), Usage(1, 2), Finished("tool_calls")]
    assert expected == decoded(lines, ALL)


@given(st.text(st.characters(blacklist_characters="<`("), max_size=80))
def test_text_without_any_trigger_passes_all_guards_byte_for_byte(text: str) -> None:
    quirks = Quirks(gemma=True, harmony=True, spills_thoughts=True, verbatim_calls=True)
    for pieces in slicings(text):
        out = decoded(said(*pieces), quirks)

        assert text == "".join(chunk.text for chunk in out if isinstance(chunk, TextDelta))


# --- thoughts in tags: what stage 5 makes of them ---------------------------------------


@pytest.mark.parametrize(
    ("pieces", "messages", "thoughts"),
    [
        pytest.param(["<th", "ink>plan</th", "ink>Hello"], ["Hello"], ("plan",), id="1 tags in pieces"),
        pytest.param(["plan the reply</think>Hello"], ["Hello"], ("plan the reply",), id="2 only its end"),
        pytest.param(["plan the re", "ply</think>Hello"], ["Hello"], ("plan the reply",), id="3 B3 sliced otherwise"),
        pytest.param(["<mm:think>z</mm:th", "ink>ok"], ["ok"], ("z",), id="4 a namespace"),
        pytest.param(["<think>plan\nNerine: Hey"], ["Hey"], ("plan",), id="5 the persona speaks"),
        pytest.param(["<think>plan\nNer", "ine", "： Hey"], ["Hey"], ("plan",), id="5 in pieces, with a wide colon"),
        pytest.param(["<think>Nerine: Hey"], [], ("Nerine: Hey",), id="5 nothing was thought before"),
        pytest.param(["<think>plan\nBob: Hey"], [], ("plan\nBob: Hey",), id="5 somebody else"),
        pytest.param(["I <", "3 you"], ["I <3 you"], (), id="6 a heart"),
        pytest.param(["a </thi", "s> b"], ["a </this> b"], (), id="6 almost an end"),
        pytest.param(["x <b", ">bold</b> y"], ["x **bold** y"], (), id="6 another tag"),
        pytest.param(["I love you >_<"], ["I love you >_<"], (), id="7 B2 ends in an angle"),
        pytest.param(["see <foo"], ["see <foo"], (), id="7 B2 ends in half a tag"),
    ],
)
async def test_thoughts_in_tags_are_not_shown(
    pieces: list[str], messages: list[str], thoughts: tuple[str, ...]
) -> None:
    for slices in [pieces, *slicings("".join(pieces))]:
        assert (messages, thoughts) == await visible(said(*slices))


async def test_b3_what_has_left_before_a_late_end_stays_unless_the_model_is_known_for_it() -> None:
    text = "First I greet.\nThen I ask.</think>Hello"

    assert (["First I greet.", "Hello"], ("Then I ask.",)) == await visible(said(text))
    expected = (["Hello"], ("First I greet.\nThen I ask.",))
    assert expected == await visible(said(text), Quirks(opens_in_thought=True))


# --- the guard against speaking for others ------------------------------------------------


async def delivered(pieces: list[str]) -> tuple[list[str], Outcome]:
    target = MemoryTarget()
    settings = Settings.of(degree=1, speaker_guard=True)
    result: Reply = await say(target, pieces, scene=NERINE, settings=settings)
    return target.texts, result.outcome


@pytest.mark.parametrize(
    ("pieces", "messages"),
    [
        pytest.param(["Sure, here you go.\nUser: thanks"], ["Sure, here you go."], id="3"),
        pytest.param(
            ["Sure, here you go, enjoy it a lot.\nUs", "er: hi"],
            ["Sure, here you go, enjoy it a lot."],
            id="4 in pieces",
        ),
    ],
)
async def test_b6_a_reply_ends_where_it_speaks_for_others_and_says_so(pieces: list[str], messages: list[str]) -> None:
    assert (messages, Stopped(StopReason.SPEAKER_GUARD)) == await delivered(pieces)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Note: first line ok", id="5 the first words"),
        pytest.param("css\n```\ncolor: red\n```", id="6 code"),
        pytest.param("```yaml\n" + "key: value\n" * 20 + "User: ann\n```", id="B5 far into code"),
        pytest.param("hi\n[User]: y", id="6 brackets"),
        pytest.param("see\nhttps://x.y", id="8 B4 an address"),
        pytest.param("time\n12:30 now", id="8 B4 a time"),
        pytest.param("Steps:\nFirst: do this", id="8 B4 a step"),
    ],
)
async def test_b4_what_only_looks_like_somebody_else_ends_nothing(text: str) -> None:
    messages, outcome = await delivered([text])

    assert Completed("end_of_stream") == outcome
    assert text.split() == " ".join(messages).split()


async def test_b1_a_refrain_is_heard_as_often_as_it_was_said() -> None:
    assert (["ha ha ha ha ha ha"], ()) == await visible(said("ha ha ha ", "ha ha ha"))
    assert (["ha ha ha"], ()) == await visible(said("ha ha ha ", "ha ha ha "), Quirks(resends=True))


# --- calls in the text -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("quirks", "text"),
    [
        pytest.param(Quirks(verbatim_calls=True), 'Let me look. `read_file("a")`', id="verbatim"),
        pytest.param(
            Quirks(gemma=True), 'Let me look. <|tool_call>call:read_file{path:<|"|>a<|"|>}<tool_call|>', id="gemma"
        ),
        pytest.param(
            Quirks(harmony=True),
            "<|channel|>commentary<|message|>Let me look. <|end|><|start|>assistant"
            '<|channel|>commentary to=functions.read_file <|constrain|>json<|message|>{"path": "a"}<|call|>',
            id="harmony",
        ),
    ],
)
async def test_a_call_in_the_text_is_run_and_answered(quirks: Quirks, text: str) -> None:
    asked: list[Mapping[str, object]] = []

    async def read(arguments: Mapping[str, object], *_: object) -> str:
        asked.append(arguments)
        return "tea"

    schema = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
    tools = {"read_file": Tool(ToolSpec("read_file", "", schema), read)}
    for pieces in slicings(text):
        target = MemoryTarget()
        scripts = [script([*said(*pieces), {"finish": "stop"}]), script([*said("It says tea."), {"finish": "stop"}])]
        model = Model(OddCodec(quirks), transport(scripts, asyncio.sleep))

        await reply(NERINE, model, target, settings=AT_ONCE, tools=tools)

        assert ["Let me look.", "It says tea."] == [message.strip() for message in target.texts]
    assert [{"path": "a"}] * len(list(slicings(text))) == asked


async def test_a_thought_that_spills_over_is_not_shown() -> None:
    lines: list[Line] = [{"thought": "This I "}, *said("must do.", "Hello!")]

    assert (["Hello!"], ("This I must do.",)) == await visible(lines, Quirks(spills_thoughts=True))
    assert (["must do.Hello!"], ("This I ",)) == await visible(lines)
