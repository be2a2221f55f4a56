"""A whole reply: rounds, tools in between, one result whatever happens."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest

import cadenza
from cadenza.concurrency.stops import Stops
from cadenza.errors import InputError, ProviderError, SettingsError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.openai import OpenAICodec
from cadenza.models.dialects.scripted import Beat, ScriptedCodec, parse_script, transport
from cadenza.models.model import Model
from cadenza.replies.reply import reply, say
from cadenza.rules import RULES, Rule
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.tools.tool import Tool
from cadenza.types import (
    Broke,
    Chunk,
    Completed,
    Empty,
    HttpRequest,
    Line,
    Persona,
    Post,
    Prompt,
    Receipt,
    Scene,
    Segment,
    Sprite,
    Stalled,
    Stopped,
    StopReason,
    TextDelta,
    ToolSpec,
    Usage,
)
from tests.timing import TimedTarget

pytestmark = pytest.mark.looptime

SCENE = Scene("channel", Persona("Ren", prompt="Be brief."), history=(Line("Mia", "hello"),))
AT_ONCE = Settings.of(degree=1)
CALL = '{"tool": {"id": "7", "name": "dice", "arguments": {"sides": 6}}}\n{"finish": "tool_calls"}'


def scripted(*scripts: str) -> Model:
    return Model(ScriptedCodec(), transport([parse_script(script) for script in scripts], asyncio.sleep))


def dice(log: list[Mapping[str, object]], *, seconds: float = 0.0) -> dict[str, Tool]:
    async def roll(arguments: Mapping[str, object], *_: object) -> str:
        log.append(arguments)
        await asyncio.sleep(seconds)
        return "4"

    return {"dice": Tool(ToolSpec("dice", "Roll dice.", {}), roll)}


async def test_a_plain_answer() -> None:
    target = MemoryTarget()

    result = await reply(SCENE, scripted('{"text": "Hi\\nthere"}\n{"finish": "stop"}'), target, settings=AT_ONCE)

    assert ["Hi", "there"] == target.texts
    assert (Completed("stop"), "Hi\nthere") == (result.outcome, result.transcript)


async def test_a_tool_is_run_between_two_rounds_and_everything_adds_up() -> None:
    rolled: list[Mapping[str, object]] = []
    target = MemoryTarget()
    model = scripted(
        '{"thought": "dice!"}\n{"text": "Let me roll. I th"}\n{"usage": {"input_tokens": 5, "output_tokens": 2}}\n'
        + CALL,
        '{"text": "A four."}\n{"usage": {"input_tokens": 9, "output_tokens": 3}}\n{"finish": "stop"}',
    )

    result = await reply(SCENE, model, target, settings=AT_ONCE, tools=dice(rolled))

    assert ["Let me roll.", "A four."] == target.texts
    assert [{"sides": 6}] == rolled
    assert (("dice!",), Usage(14, 5)) == (result.thoughts, result.usage)


async def test_the_model_is_told_what_was_said_and_what_the_tool_found() -> None:
    asked: list[bytes] = []
    scripts = [parse_script('{"text": "Rolling."}\n' + CALL), parse_script('{"text": "Done."}')]

    async def listening(request: HttpRequest) -> AsyncIterator[bytes]:
        asked.append(request.body)
        for beat in scripts[len(asked) - 1]:
            yield beat.data

    await reply(SCENE, Model(ScriptedCodec(), listening), MemoryTarget(), settings=AT_ONCE, tools=dice([]))

    assert [["user", "Mia: hello"]] == json.loads(asked[0])["turns"]
    assert [["user", "Mia: hello"], ["model", "Rolling."], ["tool", "4"]] == json.loads(asked[1])["turns"]


@pytest.mark.parametrize(
    ("prefill", "shows", "before", "said"),
    [
        pytest.param("Well,", False, "Rolling.", "Well, Rolling.", id="it went on"),
        pytest.param("Well,", False, "Well, rolling.", "Well, rolling.", id="it said them again"),
        pytest.param("Well,", False, "", "Well,", id="it said nothing more"),
        pytest.param("Well,", True, " rolling.", "Well, rolling.", id="people see them"),
        pytest.param("Well,", True, "", "Well,", id="people would have seen them"),
        pytest.param("```json", False, "Rolling.", "Rolling.", id="code opens in them"),
        pytest.param("<think>", False, "Rolling.", "Rolling.", id="a thought opens in them"),
        pytest.param("", False, "Rolling.", "Rolling.", id="none"),
    ],
)
async def test_words_are_put_into_the_model_s_mouth_once_and_were_said_before_its_calls(
    prefill: str, before: str, said: str, *, shows: bool
) -> None:
    asked: list[Prompt] = []
    scripts = [parse_script(json.dumps({"text": before}) + "\n" + CALL), parse_script('{"text": "Done."}')]

    class Noting(ScriptedCodec):
        def encode(self, prompt: Prompt, /) -> HttpRequest:
            asked.append(prompt)
            return super().encode(prompt)

    model, scene = Model(Noting(), transport(scripts, asyncio.sleep)), replace(SCENE, prefill=prefill)
    await reply(scene, model, MemoryTarget(), settings=Settings.of(degree=1, show_prefill=shows), tools=dice([]))

    assert [prefill, ""] == [prompt.prefill for prompt in asked]
    assert said == asked[1].turns[1].text


async def test_a_tool_that_takes_too_long_does_not_hold_up_a_reply_for_ever() -> None:
    model, target = scripted(CALL, '{"text": "Never mind."}\n{"finish": "stop"}'), MemoryTarget()

    settings = Settings.of(degree=1, tool_timeout=5.0)
    result = await reply(SCENE, model, target, settings=settings, tools=dice([], seconds=1e9))

    assert (["Never mind."], Completed("stop")) == (target.texts, result.outcome)


async def test_the_settings_say_how_the_model_is_to_answer() -> None:
    asked: list[Prompt] = []

    class Noting(ScriptedCodec):
        def encode(self, prompt: Prompt, /) -> HttpRequest:
            asked.append(prompt)
            return super().encode(prompt)

    model = Model(Noting(), transport([parse_script('{"text": "Hi."}')], asyncio.sleep))
    settings = Settings.of(degree=1, temperature=0.5, stop_strings=["###"], speaker_guard=True)
    await reply(SCENE, model, MemoryTarget(), settings=settings)

    assert {"temperature": 0.5} == dict(asked[0].sampling)
    assert ("###", "\nRen:") == asked[0].stop[:2]


async def test_tools_are_run_only_as_often_as_there_are_rounds_left() -> None:
    rolled: list[Mapping[str, object]] = []
    settings = Settings.of(degree=1, tool_rounds=2)

    result = await reply(SCENE, scripted(CALL, CALL, CALL), MemoryTarget(), settings=settings, tools=dice(rolled))

    assert (2, Stopped(StopReason.ROUND_LIMIT)) == (len(rolled), result.outcome)


async def test_an_empty_round_after_a_tool_is_no_empty_reply() -> None:
    model = scripted('{"text": "Done."}\n' + CALL, '{"finish": "stop"}')

    result = await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, tools=dice([]))

    assert isinstance(result.outcome, Completed)


async def test_a_reply_of_thoughts_only_is_empty_and_keeps_them() -> None:
    settings = Settings.of(degree=1, empty_retries=0)

    result = await reply(SCENE, scripted('{"text": "<think>hm</think>"}'), MemoryTarget(), settings=settings)

    assert isinstance(result.outcome, Empty)
    assert result.thoughts == ("hm",)


async def test_a_stop_during_a_tool_cancels_it() -> None:
    target = MemoryTarget()
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        result = await reply(
            SCENE,
            scripted('{"text": "Rolling."}\n' + CALL, '{"text": "never"}'),
            target,
            settings=AT_ONCE,
            tools=dice([], seconds=100.0),
            stop=handle,
        )

    assert (["Rolling."], Stopped(StopReason.USER)) == (target.texts, result.outcome)
    assert asyncio.get_running_loop().time() == 1.0


async def test_a_message_that_fails_while_a_tool_runs_ends_the_reply_at_once() -> None:
    target = TimedTarget(latency=2.0, fail_at=1)
    model = scripted('{"text": "One.\\nTwo."}\n' + CALL, '{"text": "never"}')

    result = await reply(SCENE, model, target, settings=AT_ONCE, tools=dice([], seconds=100.0))

    assert isinstance(result.outcome, Broke)
    assert asyncio.get_running_loop().time() == 2.0


async def test_the_model_is_told_with_which_face_it_spoke() -> None:
    asked: list[bytes] = []
    scripts = [parse_script('{"text": "Ren (smug): Rolling."}\n' + CALL), parse_script('{"text": "Done."}')]

    async def listening(request: HttpRequest) -> AsyncIterator[bytes]:
        asked.append(request.body)
        for beat in scripts[len(asked) - 1]:
            yield beat.data

    scene = Scene("channel", Persona("Ren", sprites=(Sprite("smug", "smug.png"),)))
    await reply(scene, Model(ScriptedCodec(), listening), MemoryTarget(), settings=AT_ONCE, tools=dice([]))

    assert ["model", "Ren (smug): Rolling."] == json.loads(asked[1])["turns"][0]


async def test_a_broken_model_gives_a_broken_reply_with_what_it_said() -> None:
    result = await reply(SCENE, scripted('{"text": "Well"}\n{"error": "overloaded"}'), MemoryTarget(), settings=AT_ONCE)

    assert result.transcript == "Well"
    assert isinstance(result.outcome, Broke)
    assert isinstance(result.outcome.error, ProviderError)


async def test_a_transport_that_fails_at_once_gives_a_broken_reply() -> None:
    no_scripts: Sequence[Sequence[Beat]] = []

    result = await reply(SCENE, Model(ScriptedCodec(), transport(no_scripts, asyncio.sleep)), MemoryTarget())

    assert isinstance(result.outcome, Broke)


async def test_a_target_with_a_smaller_limit_gets_smaller_messages() -> None:
    target = MemoryTarget(limits=Limits(length=60))

    await say(target, "word " * 100, settings=AT_ONCE)

    assert max(map(len, target.texts)) <= 60


async def test_rules_can_be_left_out_and_added() -> None:
    class Shout(Rule):
        def change(self, segment: Segment) -> Segment:
            return Segment(segment.text.upper(), segment.boundary)

    loud, plain = MemoryTarget(), MemoryTarget()

    await say(loud, "Ren: hi", scene=SCENE, settings=AT_ONCE, rules=[*RULES, Shout])
    await say(plain, "Ren: hi", scene=SCENE, settings=AT_ONCE, rules=[])

    assert (["HI"], ["Ren: hi"]) == (loud.texts, plain.texts)


async def test_only_the_first_message_answers_the_one_that_was_asked() -> None:
    target = MemoryTarget()

    await say(target, "a\nb", scene=Scene("c", Persona("Ren"), reply_to="42"), settings=AT_ONCE)

    assert ["42", None] == [post.reply for post in target.posts]


# --- with a real dialect ------------------------------------------------------------------------


def event(delta: object = None, finish: str | None = None) -> bytes:
    """An event of the OpenAI family."""
    return b"data: %b\n\n" % json.dumps({"choices": [{"delta": delta or {}, "finish_reason": finish}]}).encode()


def piece(arguments: str, **call: str) -> bytes:
    """A piece of a call."""
    function = {"arguments": arguments, **({"name": "dice"} if call else {})}
    return event({"tool_calls": [{"index": 0, **call, "function": function}]})


def speaking(*answers: Sequence[bytes | float], asked: list[bytes] | None = None) -> Model:
    """A model of the OpenAI family that gives *answers*, one a request; a number is so many seconds of silence."""
    waiting = list(answers)

    async def transport(request: HttpRequest) -> AsyncIterator[bytes]:
        if asked is not None:
            asked.append(request.body)
        for step in waiting.pop(0):
            if isinstance(step, bytes):
                yield step
            else:
                await asyncio.sleep(step)

    return Model(OpenAICodec(Endpoint("openai", "m", "https://test.invalid")), transport)


DONE = (event({"content": "Done."}), event(finish="stop"), b"data: [DONE]\n\n")


@pytest.mark.parametrize("end", ["length", None], ids=["no more tokens", "broken off"])
async def test_a_call_that_was_cut_off_is_not_run_and_the_model_may_send_it_again(end: str | None) -> None:
    rolled: list[Mapping[str, object]] = []
    asked: list[bytes] = []
    cut = (
        event({"content": "Rolling."}),
        piece('{"sides": 6, "of": "wo', id="7"),
        *([event(finish=end)] if end else []),
    )
    target = MemoryTarget()

    model = speaking(cut, (piece('{"sides": 8}', id="8"), event(finish="tool_calls")), DONE, asked=asked)
    result = await reply(SCENE, model, target, settings=AT_ONCE, tools=dice(rolled))

    assert [{"sides": 8}] == rolled
    assert ["Rolling.", "Done."] == target.texts
    assert Completed("stop") == result.outcome
    call, told = json.loads(asked[1])["messages"][-2:]
    assert {} == json.loads(call["tool_calls"][0]["function"]["arguments"])
    assert "was cut off" in told["content"]


@pytest.mark.parametrize("before", [(event({"content": "I will write."}),), ()], ids=["after words", "at once"])
async def test_a_model_that_writes_a_long_call_has_not_stalled(before: tuple[bytes, ...]) -> None:
    rolled: list[Mapping[str, object]] = []
    pieces = [step for _ in range(20) for step in (60.0, piece("word "))]
    writing = (*before, piece('{"text": "', id="7"), *pieces, piece('"}'), event(finish="tool_calls"))

    result = await reply(SCENE, speaking(writing, DONE), MemoryTarget(), settings=AT_ONCE, tools=dice(rolled))

    assert [{"text": "word " * 20}] == rolled
    assert Completed("stop") == result.outcome


async def test_a_model_that_falls_silent_in_a_call_has_stalled() -> None:
    writing = (event({"content": "Wait."}), piece('{"text": "', id="7"), 3600.0)
    target = MemoryTarget()

    result = await reply(SCENE, speaking(writing), target, settings=AT_ONCE, tools=dice([]))

    assert Stalled(has_begun=True) == result.outcome
    assert ["Wait."] == target.texts


async def test_words_behind_the_reason_why_it_stopped_are_heard() -> None:
    """Some say it with every word; only silence behind it counts."""
    words = [step for _ in range(5) for step in (2.0, event({"content": "word "}, "stop"))]
    target = MemoryTarget()

    result = await reply(SCENE, speaking((*words, 3600.0)), target, settings=AT_ONCE)

    assert Completed("stop") == result.outcome
    assert ["word word word word word"] == target.texts


async def test_a_count_of_tokens_is_no_first_word() -> None:
    """Claude counts what it was asked before it thinks, and may think for long."""
    target = MemoryTarget()

    async def thoughtful() -> AsyncIterator[Chunk]:
        yield Usage(input_tokens=5)
        await asyncio.sleep(200.0)
        yield TextDelta("Hm.")

    await say(target, thoughtful(), settings=AT_ONCE)

    assert ["Hm."] == target.texts


async def test_what_is_no_target_is_refused_in_a_sentence() -> None:
    with pytest.raises(InputError, match="a target needs 'limits', 'send' and 'typing'; object lacks them"):
        await say(object(), "Hello")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("models", "what"),
    [
        pytest.param("openai:gpt-5.1", "str", id="a name"),
        pytest.param(["openai:gpt-5.1", "local"], "str", id="names"),
        pytest.param(None, "NoneType", id="nothing"),
        pytest.param([None], "NoneType", id="a list of nothing"),
        pytest.param(SCENE, "Scene", id="a scene"),
    ],
)
async def test_what_is_no_model_is_refused_in_a_sentence(models: Any, what: str) -> None:
    with pytest.raises(InputError, match=rf"a model must come from connect.* not {what}"):
        await reply(SCENE, models, MemoryTarget())


async def test_what_are_no_settings_is_refused_in_a_sentence() -> None:
    with pytest.raises(SettingsError, match=r"settings must be Settings, .*, not dict"):
        await say(MemoryTarget(), "Hello", settings={"degree": 3})  # type: ignore[arg-type]


async def test_a_target_that_gives_back_no_receipt_is_told_so() -> None:
    class Forgetful(MemoryTarget):
        async def send(self, post: Post, /) -> Receipt:
            await super().send(post)
            return None  # type: ignore[return-value]

    result = await say(Forgetful(), "Hello")

    assert isinstance(result.outcome, Broke)
    assert "returned NoneType" in str(result.outcome.error)


async def test_a_target_of_ones_own_is_told_for_each_reply_whom_it_may_call() -> None:
    class Pager(MemoryTarget):
        def __init__(self) -> None:
            super().__init__()
            self.told: list[object] = []

        def allow_pings(self, settings: cadenza.DeliverySettings, /) -> None:
            self.told += [settings.mention_people, settings.mention_roles]

        async def send(self, post: Post, /) -> Receipt:
            self.told.append(post.text)
            return await super().send(post)

    pager = Pager()
    assert isinstance(pager, cadenza.SupportsPings)
    await say(pager, "Hello", settings=Settings.of(mention_people=2))
    await reply(SCENE, scripted('{"text": "Hi"}\n{"finish": "stop"}'), pager, settings=Settings.of(mention_roles=True))

    assert [2, False, "Hello", 10, True, "Hi"] == pager.told
