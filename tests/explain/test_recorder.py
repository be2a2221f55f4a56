"""What a reply tells its hook. All in virtual time."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from math import inf
from typing import Any

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError, DeliveryKind, ErrorKind, ProviderError
from cadenza.explain.recorder import Trace
from cadenza.explain.steps import STEPS, TraceStep
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.keys import Keyring
from cadenza.models.model import Model
from cadenza.replies.outbox.lookups import Lookup
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.outbox.sender import Outbox
from cadenza.replies.pipeline import text_row
from cadenza.replies.reply import reply, say
from cadenza.rules import RULES, Rule
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.text.tables import Table
from cadenza.tools.tool import Tool
from cadenza.types import (
    Boundary,
    Chunk,
    Failed,
    Finished,
    Line,
    Notice,
    Persona,
    Post,
    Receipt,
    Roster,
    Scene,
    Segment,
    Served,
    StopReason,
    ThoughtDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from tests.helpers import Dice
from tests.timing import SlowStream, TimedTarget, now
from tests.tiny import CORE, KEY, Server, TinyCodec, refusal, sse
from tests.trouble import MeteredChannel

pytestmark = pytest.mark.looptime

SCENE = Scene("kitchen", Persona("Ren"), history=(Line("Mia", "hello"),))
AT_ONCE = Settings.of(degree=1)
TYPED = Settings.of(degree=2, thinking_chance=0.0)
HELLO = sse({"text": "Hello"}, {"end": "stop"})
CALL = '{"tool": {"id": "7", "name": "dice", "arguments": {"sides": 6}}}\n{"finish": "tool_calls"}'


class Seen(list[TraceStep]):
    """A hook that remembers, and checks that every step is told as it is promised."""

    def __call__(self, traced: TraceStep) -> None:
        assert STEPS[traced.step] == tuple(traced.about)
        assert traced.about == json.loads(json.dumps(traced.about, allow_nan=False))
        assert not self or self[-1].at <= traced.at
        self.append(traced)

    def of(self, *steps: str) -> list[Mapping[str, Any]]:
        """What was told of *steps*."""
        return [traced.about for traced in self if traced.step in steps]

    def values(self, step: str, *names: str) -> list[Any]:
        """Some of what was told of a step."""
        told = [tuple(about[name] for name in names) for about in self.of(step)]
        return [value for (value,) in told] if len(names) == 1 else told

    @property
    def steps(self) -> list[str]:
        return [traced.step for traced in self]


def scripted(*scripts: str, name: str = "first") -> Model:
    return Model(ScriptedCodec(), transport([parse_script(script) for script in scripts], asyncio.sleep), name=name)


def tiny(*answers: bytes | Exception, name: str = "tiny", **more: Any) -> Model:
    return Model(TinyCodec(), Server(*answers), name=name, **more)


def dice(*, seconds: float = 0.0) -> dict[str, Tool]:
    async def roll(*_: object) -> str:
        await asyncio.sleep(seconds)
        return "4"

    return {"dice": Tool(ToolSpec("dice", "Roll dice.", {}), roll)}


# --- the reply ---------------------------------------------------------------------------------


async def test_a_reply_is_told_from_its_first_step_to_its_last() -> None:
    seen = Seen()

    await say(MemoryTarget(), ["Hi\n", "there"], scene=SCENE, settings=AT_ONCE, trace=seen)

    expected = [
        *("reply", "chunk", "hold", "chunk", "segment", "hold", "post"),
        *("chunk", "segment", "post", "round"),
        *("sending", "sent", "sending", "sent", "end"),
    ]
    assert sorted(expected) == sorted(seen.steps)
    assert ("reply", "end") == (seen.steps[0], seen.steps[-1])
    assert [{"kind": "completed", "reason": "end_of_stream", "error": None}] == seen.values("end", "outcome")
    assert [(2, "")] == seen.values("end", "messages", "model")


async def test_the_settings_that_differ_are_told_but_for_secrets() -> None:
    seen = Seen()
    values = {"degree": 1, "stop_strings": ["x"], "idle_timeout": inf}
    secret = {"proxy": "http://me:password@proxy.example", "headers": {"x-key": "very-secret"}}

    await say(MemoryTarget(), "Hi", scene=SCENE, settings=Settings.of(**values, **secret), trace=seen)

    (about,) = seen.of("reply")
    assert {**values, "idle_timeout": "inf", "tables": "text", "math": "text"} == about["settings"]
    assert ("say", "kitchen", "Ren", None) == tuple(about[name] for name in ("kind", "channel", "persona", "reply_to"))


async def test_times_count_from_the_beginning_of_the_reply() -> None:
    seen = Seen()
    await asyncio.sleep(100.0)

    await say(TimedTarget(), SlowStream(2.0, "one\n", 0.5, "two"), settings=AT_ONCE, trace=seen)

    assert [2.0, 2.5, 2.5] == [traced.at for traced in seen if traced.step == "chunk"]
    assert [2.0, 0.5, 0.0] == seen.values("chunk", "since")


async def test_a_reply_has_the_name_of_its_turn_or_one_of_its_own() -> None:
    seen = Seen()
    with Stops().open("turn 7") as stop:
        await say(MemoryTarget(), "Hi", stop=stop, trace=seen.append)
        assert {"turn 7"} == {traced.turn for traced in seen}
        await reply(SCENE, scripted('{"text": "Hi"}'), MemoryTarget(), stop=stop, trace=seen.append)
        assert {"turn 7"} == {traced.turn for traced in seen}
    for _ in range(2):
        await say(MemoryTarget(), "Hi", trace=seen.append)
        await reply(SCENE, scripted('{"text": "Hi"}'), MemoryTarget(), trace=seen.append)

    assert 5 == len({traced.turn for traced in seen})


async def test_a_reply_that_is_cancelled_has_an_end() -> None:
    seen = Seen()
    speaking = asyncio.create_task(say(MemoryTarget(), SlowStream("Hi\n", 60.0), settings=AT_ONCE, trace=seen))
    await asyncio.sleep(1.0)
    speaking.cancel()
    with suppress(asyncio.CancelledError):
        await speaking

    assert [{"kind": "raised", "reason": "CancelledError", "error": None}] == seen.values("end", "outcome")
    assert "end" == seen.steps[-1]


# --- chunks and text ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunk", "kind", "detail"),
    [
        (ThoughtDelta("hm"), "thought", {}),
        (Usage(1, 2), "usage", {"input_tokens": 1, "output_tokens": 2, "cached_tokens": 0, "thought_tokens": 0}),
        (Served("router"), "served", {"by": "router"}),
        (ToolCall("7", "dice", '{"token": "sk-abcdefgh1234"}'), "call", {"id": "7", "name": "dice", "arguments": '{"token": "***"}'}),
        (Finished("length"), "finished", {"reason": "length"}),
    ],
    ids=["thought", "usage", "served", "call", "finished"],
)  # fmt: skip
async def test_every_chunk_is_told(chunk: Chunk, kind: str, detail: dict[str, object]) -> None:
    seen = Seen()

    await say(MemoryTarget(), [chunk, "Hi"], settings=AT_ONCE, trace=seen)

    assert (kind, getattr(chunk, "text", ""), detail) == seen.values("chunk", "kind", "text", "detail")[0]


async def test_a_failure_is_told_without_secrets_and_somebody_else_s_only_by_its_type() -> None:
    seen = Seen()
    error = ProviderError("it is asleep", kind=ErrorKind.OVERLOADED, code="529", detail="key sk-abcdefgh1234 sleeps")

    await say(MemoryTarget(), SlowStream("Hi", Failed(error)), settings=AT_ONCE, trace=seen)
    await say(MemoryTarget(), SlowStream("Hi", ValueError("password")), settings=AT_ONCE, trace=seen)

    first, second = (outcome["error"] for outcome in seen.values("end", "outcome"))
    assert {"type": "ProviderError", "text": "it is asleep", "kind": "provider_overloaded", "code": "529", "detail": "key *** sleeps"} == first  # fmt: skip
    assert "ValueError" in second["text"]
    assert "password" not in repr(seen)
    assert "sk-abcdefgh1234" not in repr(seen)


async def test_rules_are_told_with_what_they_changed() -> None:
    seen = Seen()

    await say(MemoryTarget(), "Ren: Hi @mia", scene=replace(SCENE, roster=Roster({"mia": "<@1>"})), trace=seen)

    assert [("own_name", ["Ren: Hi @mia"], ["Hi @mia"]), ("mentions", ["Hi @mia"], ["Hi <@1>"])] == seen.values(
        "rule", "rule", "before", "after"
    )
    assert [[1], [1]] == seen.values("rule", "segments")
    assert [[1]] == seen.values("post", "segments")


# --- the outbox -------------------------------------------------------------------------------------


async def test_a_message_is_told_with_what_it_waited_for_and_how_long_it_took() -> None:
    seen = Seen()

    await say(TimedTarget(latency=0.2), SlowStream("one\ntwo\nx", 9.0), settings=TYPED, trace=seen)

    assert [([1], {}, 0.2), ([2], {"typing": 0.75}, 0.2), ([3], {}, 0.2)] == seen.values(
        "sent", "posts", "waited", "seconds"
    )
    assert [("one", "1"), ("two", "2"), ("x", "3")] == seen.values("sent", "text", "message")


async def test_a_chat_that_is_slower_than_the_model_presses_back() -> None:
    seen = Seen()

    await say(TimedTarget(latency=1.0), SlowStream(*(f"{n}\n" for n in range(4))), settings=Settings.of(degree=1, queue=1), trace=seen)  # fmt: skip

    assert [1.0, 1.0] == seen.values("back_pressure", "seconds")[-2:]


async def test_messages_that_were_put_together_are_told_with_the_reason() -> None:
    seen, target = Seen(), MeteredChannel()
    lines = SlowStream(*(item for number in range(8) for item in (f"{number}\n", 0.5)), "end")

    await say(target, lines, settings=Settings.of(degree=1), trace=seen)

    assert [([4, 5, 6, 7], "3\n4\n5\n6", "rate_limit")] == seen.values("merged", "posts", "text", "why")[:1]
    numbers, waits = zip(*seen.values("sent", "posts", "waited"), strict=True)
    assert list(range(1, 10)) == [number for group in numbers for number in group]
    assert {"rate_limit"} == {reason for waited in waits for reason in waited}


class Painter:
    """Makes a picture, or does not."""

    def __init__(self, data: bytes | None) -> None:
        self._data = data

    def paint(self, _: Table, /) -> bytes | None:
        return self._data


class Gallery(MemoryTarget):
    """Takes files."""

    def __init__(self) -> None:
        super().__init__(limits=Limits(files=True))


TABLE = "Look:\n| a | b |\n|---|---|\n| 1 | 2 |\n\nNice."


@pytest.mark.looptime(False)  # noqa: FBT003  # its own way to say no: pictures are made in a thread, in real time
@pytest.mark.parametrize(("data", "attachment"), [(b"png", "table.png"), (None, None)], ids=["made", "not to be had"])
async def test_a_picture_is_known_by_its_post_whether_it_can_be_made_or_not(
    data: bytes | None, attachment: str | None
) -> None:
    seen = Seen()

    await say(Gallery(), TABLE, settings=AT_ONCE, preparer=PostPreparer(Painter(data)), trace=seen)

    assert [False, True, False] == seen.values("post", "picture")
    assert [([1], None), ([2], attachment), ([3], None)] == seen.values("sent", "posts", "attachment")
    assert ["picture"] == [*seen.of("sent")[1]["waited"]]


async def test_looking_people_up_is_told_as_what_was_waited_for() -> None:
    async def find(*_: str) -> str:
        await asyncio.sleep(0.5)
        return "<@9>"

    seen = Seen()
    preparer = PostPreparer(None, Lookup(find, clock=now))

    await say(TimedTarget(), "hi @ghost", settings=AT_ONCE, preparer=preparer, trace=seen)

    assert [([1], "hi <@9>", {"names": 0.5})] == seen.values("sent", "posts", "text", "waited")


async def test_a_message_that_cannot_be_sent_is_told_with_all_that_is_dropped_for_it() -> None:
    seen = Seen()
    target = TimedTarget(
        fail_at=1, error=DeliveryError("the channel is gone", code=10003, kind=DeliveryKind.CHANNEL_GONE)
    )

    await say(target, "one\ntwo\nthree", settings=AT_ONCE, trace=seen)

    ((posts, error),) = seen.values("unsent", "posts", "error")
    assert ([2], "channel_gone", "10003") == (posts, error["kind"], error["code"])
    assert ("nothing", [], [3]) == seen.values("cut", "keep", "posts", "dropped")[0]


async def test_a_stop_is_told_with_its_reason_and_what_is_still_sent() -> None:
    seen = Seen()
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, lambda: stops.request("turn", by="Mia"))
        await say(TimedTarget(), SlowStream("one\ntwo\nthree\nfour. fi", 60.0), settings=TYPED, stop=handle, trace=seen)

    assert [("user", "Mia")] == seen.values("stop", "reason", "by")
    assert ("clause", [2, 3, 4], [], "two\nthree\nfour.") == seen.values("cut", "keep", "posts", "dropped", "text")[0]
    assert [([1], {}), ([2, 3, 4], {"typing": 0.5})] == seen.values("sent", "posts", "waited")


async def test_what_does_not_fit_into_the_last_message_is_dropped() -> None:
    seen = Seen()
    stops, lines = Stops(), "".join(f"{letter * 40}\n" for letter in "abcd")
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, "turn")
        settings = TYPED.with_values({"limit": 90})
        await say(TimedTarget(), SlowStream(f"one\n{lines}", 60.0), settings=settings, stop=handle, trace=seen)

    assert ("clause", [2, 3], [4, 5]) == seen.values("cut", "keep", "posts", "dropped")[0]
    assert [[1], [2, 3]] == seen.values("sent", "posts")


@pytest.mark.parametrize(
    ("model", "has_begun", "seconds"),
    [(SlowStream(600.0), False, 5.0), (SlowStream("Hi\n", 600.0), True, 2.0)],
    ids=["never", "in the middle"],
)
async def test_a_silent_model_is_told(model: SlowStream, seconds: float, *, has_begun: bool) -> None:
    seen = Seen()

    await say(MemoryTarget(), model, settings=Settings.of(degree=1, first_timeout=5.0, idle_timeout=2.0), trace=seen)

    assert [(has_begun, seconds)] == seen.values("stall", "has_begun", "seconds")


class Mute(MemoryTarget):
    """Has no place for notices, after all."""

    async def notify(self, notice: Notice, /) -> None:
        raise OSError(notice.text)


@pytest.mark.parametrize(("target", "is_shown"), [(MemoryTarget(), True), (Mute(), False)], ids=["shown", "not shown"])
async def test_notices_are_told(target: MemoryTarget, *, is_shown: bool) -> None:
    seen = Seen()

    await say(target, SlowStream(600.0), trace=seen)

    assert [("No answer", "warning", is_shown)] == seen.values("notice", "title", "urgency", "is_shown")


async def test_what_holds_text_back_is_told_when_it_begins_and_when_it_ends() -> None:
    seen = Seen()
    pieces = [
        "One (two\n",
        "three) four\n",
        "```py\n",
        "x\n",
        "```\n",
        "| a |\n|---|\n| b |\n",
        "\n<think>",
        "hm",
        "</think>end <think>",
        "hm",
        "</think>.",
    ]

    await say(MemoryTarget(), pieces, settings=AT_ONCE, trace=seen)

    assert [
        ("mark", "("),
        ("undecided", "\n"),
        ("code", "```"),
        ("undecided", "\n"),
        ("table", ""),
        ("hidden", "thought"),
        ("mark", "<think>"),
        ("", ""),
    ] == seen.values("hold", "why", "mark")
    assert 9 == seen.values("hold", "size")[0]


async def test_each_wait_is_told_once_and_ends_when_the_message_is_on_its_way() -> None:
    seen = Seen()

    await say(TimedTarget(latency=0.2), SlowStream("one\ntwo\n", 0.1, "three\nx", 9.0), settings=TYPED, trace=seen)

    assert [([2], "typing"), ([3], "typing")] == seen.values("wait", "posts", "why")[:2]
    assert seen.values("sent", "posts") == seen.values("sending", "posts")
    waits, sendings, sents = ([t for t in seen if t.step == step] for step in ("wait", "sending", "sent"))
    assert [sent.about["waited"] for sent in sents[1:3]] == [
        {"typing": round(sending.at - wait.at, 6)} for wait, sending in zip(waits[:2], sendings[1:3], strict=True)
    ]


async def test_a_wait_for_the_rate_limit_is_told() -> None:
    seen = Seen()
    lines = SlowStream(*(item for number in range(8) for item in (f"{number}\n", 0.5)), "end")

    await say(MeteredChannel(), lines, settings=AT_ONCE, trace=seen)

    assert {"rate_limit"} == set(seen.values("wait", "why"))
    assert [4] == seen.values("wait", "posts")[0]


# --- who is asked -------------------------------------------------------------------------------------


async def test_a_try_a_request_a_round_and_an_end() -> None:
    seen = Seen()
    model = scripted('{"text": "Hi"}\n{"usage": {"input_tokens": 5, "output_tokens": 2}}\n{"finish": "stop"}')

    await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, trace=seen)

    assert [(1, "first", None, "first", 0.0, 0, False)] == seen.values("try", *STEPS["try"])
    assert [(1, "", False, None, 1, 0)] == seen.values(
        "request", "number", "rung", "remembered", "error", "turns", "tools"
    )
    assert [("completed", 1, 5)] == [
        (r["outcome"]["kind"], r["said"], r["usage"]["input_tokens"]) for r in seen.of("round")
    ]
    assert [(1, "first", "nothing")] == seen.values("tried", "number", "model", "cure")
    assert [("first", 0, 0)] == seen.values("end", "model", "failures", "notices")


async def test_every_request_of_a_ladder_is_told_with_the_error_that_led_to_it() -> None:
    seen = Seen()
    refused = refusal(400, f"Unsupported parameter: 'top_p', for {KEY}")
    model = Model(TinyCodec({**CORE, "top_p": 0.9}), Server(refused, HELLO, HELLO), name="tiny")

    for _ in range(2):
        await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, trace=seen)

    assert [(1, "default", False), (2, "probe_drop_top_p", False), (1, "recalled", True)] == (
        seen.values("request", "number", "rung", "remembered")
    )
    assert [None, "Unsupported parameter: 'top_p', for ***", None] == (
        [error and error["detail"] for error in seen.values("request", "error")]
    )
    assert KEY not in repr(seen)


async def test_a_key_that_a_model_repeats_is_not_told() -> None:
    seen = Seen()

    await reply(SCENE, tiny(sse({"text": f"My key is {KEY}."}, {"end": "stop"})), MemoryTarget(), trace=seen)

    assert ["My key is ***."] == seen.values("sent", "text")
    assert KEY not in repr(seen)


async def test_another_key_and_another_model_are_told_with_their_reasons() -> None:
    seen = Seen()
    ring = Keyring(["secret-key-one", "secret-key-two"])
    first = tiny(refusal(401, "bad key"), refusal(401, "bad key"), name="first", keyring=ring)

    await reply(SCENE, [first, tiny(HELLO, name="second")], MemoryTarget(), settings=AT_ONCE, trace=seen)

    expected = [("first", "key 1", "first"), ("first", "key 2", "another key"), ("second", None, "another model")]
    assert expected == seen.values("try", "model", "key", "why")
    assert ["key", "key", "nothing"] == seen.values("tried", "cure")
    assert [("second", 2)] == seen.values("end", "model", "failures")
    assert "secret-key" not in repr(seen)


async def test_a_model_that_is_busy_is_asked_later() -> None:
    seen = Seen()

    await reply(SCENE, tiny(refusal(503, "busy"), HELLO), MemoryTarget(), settings=AT_ONCE, trace=seen)

    assert [("first", 0.0), ("later", 1.0)] == seen.values("try", "why", "waited")
    assert ["time", "nothing"] == seen.values("tried", "cure")


async def test_a_model_that_says_nothing_is_asked_once_more() -> None:
    seen = Seen()
    model = scripted('{"finish": "length"}', '{"finish": "length"}', '{"text": "Hi"}')

    await reply(SCENE, model, MemoryTarget(), settings=Settings.of(empty_drop=1), trace=seen)

    assert [("first", 0), ("once more", 1), ("once more", 2)] == seen.values("try", "why", "dropped")


async def test_a_model_whose_keys_rest_is_passed_over() -> None:
    seen = Seen()
    ring = Keyring("secret-key-one")
    key = ring.main
    ring.failed(key, ProviderError("slow down", kind=ErrorKind.RATE_LIMIT, retry_after=30.0))

    async def unready() -> Model | None:
        return None

    models = [tiny(name="tired", keyring=ring), unready, tiny(HELLO, name="fresh")]
    await reply(SCENE, models, MemoryTarget(), settings=AT_ONCE, trace=seen)

    assert [("tired", "cooldown", 30.0), ("", "not ready", None)] == seen.values(
        "passed_over", "model", "why", "seconds"
    )
    assert ["fresh"] == seen.values("try", "model")


async def test_what_a_failed_try_said_is_put_aside_and_taken_back() -> None:
    seen = Seen()
    first = scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}')
    settings = TYPED.with_values({"model_retries": 0})

    await reply(
        SCENE, [first, scripted('{"text": "better"}', name="second")], TimedTarget(), settings=settings, trace=seen
    )

    assert [[2]] == seen.values("withdrawn", "posts")
    assert [["1"]] == seen.values("superseded", "messages")
    assert [("1", None)] == seen.values("deleted", "message", "error")
    assert [[1], [3]] == seen.values("sent", "posts")


async def test_what_was_put_aside_is_brought_back_if_nobody_does_better() -> None:
    seen = Seen()
    first = scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}')
    settings = TYPED.with_values({"model_retries": 0})

    await reply(
        SCENE, [first, scripted('{"error": "asleep too"}', name="second")], TimedTarget(), settings=settings, trace=seen
    )

    assert [["1"]] == seen.values("spared", "messages")
    assert [[2]] == [posts for posts in seen.values("brought_back", "posts") if posts]
    assert [[1], [2]] == seen.values("sent", "posts")


class Sticky(TimedTarget):
    """Takes nothing back."""

    async def remove(self, receipt: Receipt, /) -> None:
        raise OSError(receipt.message_id)


async def test_a_message_that_cannot_be_taken_back_is_told_with_the_reason() -> None:
    seen = Seen()
    old = Receipt(Post("old", Boundary.FINAL), "99")

    await reply(SCENE, scripted('{"text": "Hi"}'), Sticky(), settings=AT_ONCE, supersedes=[old], trace=seen)

    ((message, error),) = seen.values("deleted", "message", "error")
    assert ("99", "OSError", "") == (message, error["type"], error["text"])


# --- tools ---------------------------------------------------------------------------------------------


async def test_tools_are_told_between_the_rounds() -> None:
    seen = Seen()
    model = scripted('{"text": "Rolling. I th"}\n' + CALL, '{"text": "A four."}')

    await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, tools=dice(), trace=seen)

    assert [("7", "dice", '{"sides": 6}', False, False)] == (
        seen.values("tool", "call", "name", "arguments", "is_error", "remembered")
    )
    assert ["round", "tool", "round"] == [step for step in seen.steps if step in ("round", "tool")]
    assert [("needs_tools", "dice"), ("completed", "end_of_stream")] == [
        (outcome["kind"], outcome["reason"]) for outcome in seen.values("round", "outcome")
    ]


async def test_a_result_that_is_remembered_is_told_as_such() -> None:
    """Another model that takes over calls the same tool, which is not run again."""
    seen = Seen()
    broken, second = '{"text": "Oh"}\n{"error": "asleep"}', scripted(CALL, '{"text": "A four."}', name="second")
    settings = AT_ONCE.with_values({"model_retries": 0})

    await reply(SCENE, [scripted(CALL, broken), second], MemoryTarget(), settings=settings, tools=dice(seconds=0.25), trace=seen)  # fmt: skip

    assert [("dice", 0.25, False), ("dice", 0.0, True)] == seen.values("tool", "name", "seconds", "remembered")


async def test_a_tool_that_a_stop_ends_is_told() -> None:
    seen = Seen()
    stops = Stops()
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        await reply(SCENE, scripted(CALL), MemoryTarget(), tools=dice(seconds=60.0), stop=stop, trace=seen)

    assert [("dice", True)] == seen.values("tool", "name", "is_error")
    assert ["user"] == seen.values("stop", "reason")


async def test_what_a_model_says_again_after_a_tool_is_left_out() -> None:
    seen = Seen()
    async with Outbox(MemoryTarget(), trace=Trace(seen)) as outbox:
        row = text_row(SCENE, AT_ONCE, Dice(), trace=outbox.trace)
        outbox.begin_part(repeated=["Rolling."])
        outbox.add(row.feed("Rolling.\nDone.\nx"))

    assert [([1], "repeated")] == seen.values("left_out", "posts", "why")
    assert [[2]] == seen.values("sent", "posts")


# --- hooks that misbehave ----------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError("secret"), asyncio.CancelledError("secret"), GeneratorExit()], ids=repr)
async def test_a_hook_that_raises_is_told_once_in_the_log_and_not_called_again(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    called: list[TraceStep] = []

    def hook(traced: TraceStep) -> None:
        called.append(traced)
        if traced.step == "segment":
            raise error

    target = MemoryTarget()
    with caplog.at_level(logging.WARNING):
        said = await say(target, "one\ntwo", settings=AT_ONCE, trace=hook)

    assert ["one", "two"] == target.texts
    assert "completed" == type(said.outcome).__name__.lower()
    assert "segment" == called[-1].step
    assert ["a trace hook failed; it is not called again in this reply"] == caplog.messages
    assert ", in hook\n" in caplog.text
    assert caplog.text.endswith(f"{type(error).__name__}\n")


async def test_a_hook_may_end_the_program() -> None:
    def hook(_: TraceStep) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await say(MemoryTarget(), "Hi", trace=hook)


async def test_a_hook_may_stop_the_reply_that_it_sees() -> None:
    stops, target = Stops(), MemoryTarget()
    with stops.open("turn") as stop:

        def hook(traced: TraceStep) -> None:
            if traced.step == "sent":
                stops.request("turn", StopReason.FOLLOW_UP)

        await say(target, SlowStream("one\n", 1.0, "two\n", 1.0, "three"), settings=AT_ONCE, stop=stop, trace=hook)

    assert ["one"] == target.texts


# --- a rule of somebody's own ---------------------------------------------------------------------------------


class Angry(Rule):
    """Has enough when it hears a stop word."""

    def feed(self, segment: Segment, /) -> Sequence[Segment]:
        if "stop" in segment.text:
            raise KeyError
        return (segment,)


async def test_a_rule_that_fails_is_told_by_its_name() -> None:
    seen = Seen()

    await say(MemoryTarget(), "one\nstop\n", settings=AT_ONCE, rules=(Angry, *RULES), trace=seen)

    assert [("angry", "failed")] == seen.values("rule", "rule", "effect")
    assert ["broke"] == [outcome["kind"] for outcome in seen.values("end", "outcome")]
