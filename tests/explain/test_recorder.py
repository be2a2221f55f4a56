"""What a reply tells its hook. All in virtual time."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import asdict, replace
from math import inf
from typing import Any, TypeVar

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError, DeliveryKind, ErrorKind, ProviderError, Sentence
from cadenza.explain.fact_log import from_json, line_of
from cadenza.explain.recorder import Trace
from cadenza.explain.sentences import rendered
from cadenza.explain.telling import told_of
from cadenza.facts import (
    FACTS,
    VERSION,
    AttemptBegan,
    AttemptEnded,
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessageDeleted,
    MessageLeftOut,
    MessagePlanned,
    MessageRefused,
    MessageSent,
    MessagesMerged,
    MessagesSpared,
    MessagesSuperseded,
    MessageWaits,
    ModelSkipped,
    ModelStalled,
    NoticeShown,
    OriginRuns,
    QueueCut,
    QueueRestored,
    QueueWithdrawn,
    Ranges,
    ReadingPaused,
    ReplyBegan,
    ReplyEnded,
    RequestSent,
    RoundEnded,
    SendingBegan,
    SendRefused,
    StopAsked,
    TextChanged,
    TextCut,
    TextHeld,
    TextHidden,
    ToolCalled,
)
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.keys import Keyring
from cadenza.models.model import Model
from cadenza.replies.outbox.lookups import Lookup
from cadenza.replies.outbox.outbox import Outbox
from cadenza.replies.outbox.prepare import PostPreparer
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
    Halt,
    Line,
    Notice,
    Persona,
    Post,
    Receipt,
    RefusedAttempt,
    Roster,
    Scene,
    Segment,
    Served,
    Sprite,
    Stopped,
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

F = TypeVar("F")
SCENE = Scene("kitchen", Persona("Ren"), history=(Line("Mia", "hello"),))
AT_ONCE = Settings.of(degree=1)
ONE_TRY = AT_ONCE.with_values({"model_retries": 0})
TYPED = Settings.of(degree=2, thinking_chance=0.0)
HELLO = sse({"text": "Hello"}, {"end": "stop"})
NO_USAGE = {"input_tokens": 0, "output_tokens": 0, "cached_tokens": 0, "thought_tokens": 0}
CALL = '{"tool": {"id": "7", "name": "dice", "arguments": {"sides": 6}}}\n{"finish": "tool_calls"}'
SAYS_HI = '{"text": "Hi\\n"}\n{"after": 60.0, "text": "you"}'


class Seen(list[LoggedFact]):
    """A hook that remembers."""

    def __call__(self, logged: LoggedFact) -> None:
        self.append(logged)

    def check(self) -> None:
        """Every fact is told as it is promised."""
        for logged in self:
            again = from_json(json.loads(line_of(logged)))
            assert FACTS[logged.fact.name] is type(logged.fact)
            assert in_lists(asdict(logged.fact)) == in_lists(asdict(again.fact))
            assert (logged.turn, logged.at) == (again.turn, again.at)
            assert told_of(logged.fact) == told_of(again.fact)
            assert line_of(again) == line_of(logged)
        times = [logged.at for logged in self]
        assert sorted(times) == times

    def of(self, kind: type[F]) -> list[F]:
        """The facts of one kind."""
        return [logged.fact for logged in self if isinstance(logged.fact, kind)]

    def times(self, kind: type[Fact]) -> list[float]:
        """When there were facts of one kind."""
        return [logged.at for logged in self if isinstance(logged.fact, kind)]

    def changes(self, stage: str) -> list[TextChanged]:
        """What a stage changed, but for the white space between messages."""
        return [fact for fact in self.of(TextChanged) if fact.stage == stage and fact.by != "joint"]

    def words(self, places: Ranges) -> list[str]:
        """The model's text at *places*."""
        heard = "".join(fact.text for fact in self.of(ChunkHeard) if fact.kind == "text")
        return [heard[start:end] for start, end in places]

    @property
    def kinds(self) -> list[type[Fact]]:
        """What happened, in order."""
        return [type(logged.fact) for logged in self]


def in_lists(value: object) -> object:
    """*value* with lists instead of tuples, as JSON has it."""
    match value:
        case dict():
            return {name: in_lists(inner) for name, inner in value.items()}
        case list() | tuple():
            return [in_lists(inner) for inner in value]
        case _:
            return value


@pytest.fixture
def seen() -> Iterator[Seen]:
    """A hook whose facts are checked in the end: a trace does not let a hook fail a reply."""
    seen = Seen()
    yield seen
    seen.check()


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


async def test_a_reply_is_told_from_its_first_fact_to_its_last(seen: Seen) -> None:
    await say(MemoryTarget(), ["Hi\n", "there"], scene=SCENE, settings=AT_ONCE, trace=seen)

    sending = (SendingBegan, MessageSent)
    assert [
        *(ReplyBegan, ChunkHeard, TextHeld, ChunkHeard, TextCut, TextHeld, MessagePlanned),
        *(ChunkHeard, TextCut, TextChanged, MessagePlanned, RoundEnded, ReplyEnded),
    ] == [kind for kind in seen.kinds if kind not in sending]
    assert [*sending, *sending] == [kind for kind in seen.kinds if kind in sending]
    done = {"kind": "completed", "reason": "end_of_stream", "error": None}
    assert ReplyEnded(done, messages=2, model="", failures=0, notices=0, usage=NO_USAGE) == seen[-1].fact


async def test_the_settings_that_differ_are_told_but_for_secrets(seen: Seen) -> None:
    values = {"degree": 1, "stop_strings": ["x"], "idle_timeout": inf}
    secret = {"proxy": "http://me:password@proxy.example", "headers": {"x-key": "very-secret"}}
    scene = replace(SCENE, reply_to="77")

    await say(MemoryTarget(), "Hi", scene=scene, settings=Settings.of(**values, **secret), trace=seen)

    told = {"degree": 1, "stop_strings": ("x",), "idle_timeout": "inf", "tables": "text", "math": "text"}
    assert [ReplyBegan("say", "kitchen", "Ren", "77", told, VERSION)] == seen.of(ReplyBegan)


async def test_times_count_from_the_beginning_of_the_reply(seen: Seen) -> None:
    await asyncio.sleep(100.0)

    await say(TimedTarget(), SlowStream(2.0, "one\n", 0.5, "two"), settings=AT_ONCE, trace=seen)

    assert [2.0, 2.5, 2.5] == seen.times(ChunkHeard)
    assert [2.0, 0.5, 0.0] == [fact.since for fact in seen.of(ChunkHeard)]


async def test_a_reply_has_the_name_of_its_turn_or_one_of_its_own(seen: Seen) -> None:
    with Stops().open("turn 7") as stop:
        await say(MemoryTarget(), "Hi", stop=stop, trace=seen)
        assert {"turn 7"} == {logged.turn for logged in seen}
        await reply(SCENE, scripted('{"text": "Hi"}'), MemoryTarget(), stop=stop, trace=seen)
        assert {"turn 7"} == {logged.turn for logged in seen}
    for _ in range(2):
        await say(MemoryTarget(), "Hi", trace=seen)
        await reply(SCENE, scripted('{"text": "Hi"}'), MemoryTarget(), trace=seen)

    assert 5 == len({logged.turn for logged in seen})
    assert ["say", "reply"] * 3 == [fact.kind for fact in seen.of(ReplyBegan)]


async def test_a_reply_that_is_cancelled_has_an_end(seen: Seen) -> None:
    speaking = asyncio.create_task(say(MemoryTarget(), SlowStream("Hi\n", 60.0), settings=AT_ONCE, trace=seen))
    await asyncio.sleep(1.0)
    speaking.cancel()
    with suppress(asyncio.CancelledError):
        await speaking

    assert [TextChanged("raised", "buffer", "dropped", (), ("Hi\n",), (), ((0, 3),))] == seen.of(TextChanged)
    raised = {"kind": "raised", "reason": "CancelledError", "error": None}
    assert [raised] == [fact.outcome for fact in seen.of(ReplyEnded)]
    assert ReplyEnded is seen.kinds[-1]


async def test_lines_that_the_composer_still_has_are_dropped_by_no_rule(seen: Seen) -> None:
    blocks = Settings.of(shape="blocks")
    speaking = asyncio.create_task(
        say(MemoryTarget(), SlowStream("- one\n- two\n- th", 60.0), settings=blocks, trace=seen)
    )
    await asyncio.sleep(1.0)
    speaking.cancel()
    with suppress(asyncio.CancelledError):
        await speaking

    dropped = [fact for fact in seen.of(TextChanged) if fact.effect == "dropped"]
    assert ["- one\n", "- two\n", "- th"] == [text for fact in dropped for text in fact.before]
    assert {("raised", "composer"), ("raised", "buffer")} == {(fact.by, fact.stage) for fact in dropped}
    assert 'Cut off "- one\\n", because the reply was cancelled.' in [
        rendered(told) for told in map(told_of, dropped) if told
    ]


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
async def test_every_chunk_is_told(seen: Seen, chunk: Chunk, kind: str, detail: dict[str, object]) -> None:
    await say(MemoryTarget(), SlowStream(0.5, chunk, "Hi"), settings=AT_ONCE, trace=seen)

    assert ChunkHeard(kind, 0.5, getattr(chunk, "text", ""), detail) == seen.of(ChunkHeard)[0]


async def test_a_failure_is_told_without_secrets_and_somebody_else_s_only_by_its_type(seen: Seen) -> None:
    error = ProviderError("it is asleep", kind=ErrorKind.OVERLOADED, code="529", detail="key sk-abcdefgh1234 sleeps")

    await say(MemoryTarget(), SlowStream("Hi", Failed(error)), settings=AT_ONCE, trace=seen)
    await say(MemoryTarget(), SlowStream("Hi", ValueError("password")), settings=AT_ONCE, trace=seen)

    errors: list[Any] = [fact.outcome["error"] for fact in seen.of(ReplyEnded)]
    first, second = errors
    assert {"type": "ProviderError", "text": "it is asleep", "kind": "provider_overloaded", "code": "529", "detail": "key *** sleeps"} == first  # fmt: skip
    assert "ValueError" in second["text"]
    assert errors == [fact.detail["error"] for fact in seen.of(ChunkHeard) if fact.kind == "failed"]
    assert errors == [fact.outcome["error"] for fact in seen.of(RoundEnded)]
    assert "password" not in repr(seen)
    assert "sk-abcdefgh1234" not in repr(seen)


@pytest.mark.parametrize("secret", ["open sesame", "sk-abcdefgh1234"], ids=["known", "by its shape"])
async def test_no_secret_is_in_the_values_of_a_sentence(seen: Seen, secret: str) -> None:
    inner = Sentence("the key {key} is not valid", key=secret, unused=secret)
    trace = Trace(seen, "t")
    trace.hide({"open sesame"})

    trace.passes_over("a:b", "not ready", ProviderError(Sentence("{model}: {why}", model="a:b", why=[inner])))
    if secret == "open sesame":  # noqa: S105  # a notice is the operator's own text
        trace.notified(Notice(Sentence("It is off: {why}.", why=inner)), is_shown=True)

    for logged in seen:
        assert secret not in line_of(logged)
        assert secret not in repr(told_of(logged.fact))


async def test_text_is_told_with_what_cut_it_and_where_it_stands(seen: Seen) -> None:
    text = "One is here.\nTwo is <think>hm</think>there. Three is left"

    await say(MemoryTarget(), text, settings=Settings.of(shape="sentences"), trace=seen)

    assert [
        TextCut(1, "One is here.\n", "newline", "\n", "", None, "prose", ((13, 0, ""),)),
        TextCut(2, "Two is there.", "period", ".", "shape", "sentences", "prose", ((7, 13, ""), (6, 37, ""))),
        TextCut(3, " Three is left", "final", "t", "", None, "prose", ((14, 43, ""),)),
    ] == seen.of(TextCut)
    assert [TextHidden("thought", "hm", ((20, 37),))] == seen.of(TextHidden)


async def test_code_that_is_sent_on_in_parts_is_told_with_the_setting(seen: Seen) -> None:
    text = "```py\n" + "x = 1\n" * 50 + "```"

    await say(MemoryTarget(), text, settings=Settings.of(code_overflow=200), trace=seen)

    assert [("overflow", "code_overflow", 200), ("code_close", "", None)] == [
        (fact.boundary, fact.setting, fact.value) for fact in seen.of(TextCut)
    ]


async def test_rules_are_told_with_what_they_changed(seen: Seen) -> None:
    await say(MemoryTarget(), "Ren: Hi @mia", scene=replace(SCENE, roster=Roster({"mia": "<@1>"})), trace=seen)

    assert [
        TextChanged("own_name", "rules", "changed", (1,), ("Ren: Hi @mia",), ("Hi @mia",), ((0, 5),)),
        TextChanged("mentions", "rules", "changed", (1,), ("Hi @mia",), ("Hi <@1>",), ((8, 12),)),
    ] == seen.of(TextChanged)
    (planned,), (sent,) = seen.of(MessagePlanned), seen.of(MessageSent)
    assert ((1,), "Hi <@1>") == (planned.segments, planned.text)
    assert ((3, 5, ""), (4, -1, "mentions")) == planned.origin == sent.origin
    assert ["Hi @mia"] == seen.words(planned.covers) == seen.words(sent.covers)


async def test_a_face_of_its_own_is_told_with_its_label(seen: Seen) -> None:
    scene = Scene("kitchen", Persona("Ren", sprites=(Sprite("mad"),)), reply_to="77")

    await say(MemoryTarget(), "Ren (mad): a\nRen: b", scene=scene, settings=AT_ONCE, trace=seen)

    assert [("Ren", "Ren (mad): "), (None, "")] == [(fact.identity, fact.label) for fact in seen.changes("rules")]
    assert [("Ren", "Ren (mad): ", "77"), (None, "", None)] == [
        (fact.identity, fact.label, fact.reply) for fact in seen.of(MessagePlanned)
    ]
    assert ["Ren", None] == [fact.identity for fact in seen.of(MessageSent)]
    assert [["Ren (mad): "], ["Ren: "]] == [seen.words(fact.ranges) for fact in seen.changes("rules")]


# --- messages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("values", "text", "end"),
    [
        pytest.param({"degree": 1}, "a\nb", Edge("line", "degree", 1, "\n"), id="a line by degree"),
        pytest.param({"shape": "lines"}, "a\nb", Edge("line", "shape", "lines", "\n"), id="a line"),
        pytest.param(
            {"shape": "sentences"},
            "It is one. It is two.",
            Edge("sentence", "shape", "sentences", "."),
            id="a sentence",
        ),
        pytest.param({"shape": "lines"}, "```\nx\n```\nb", Edge("block", "shape", "lines", "\n"), id="a block"),
        pytest.param({"limit": 50}, "word " * 20, Edge("limit", "limit", 50, " "), id="full"),
        pytest.param({"code_file": 1}, "```\nx\n```\nb", Edge("file", "code_file", 1, "`"), id="a file"),
        pytest.param(
            {"degree": 1, "message_limit": 1},
            "a\nb",
            Edge("message_limit", "message_limit", 1, "\n"),
            id="the last one",
        ),
        pytest.param({}, "Hi", Edge("reply", "", None, "i"), id="the model"),
    ],
)
async def test_a_message_ends_because_of_a_setting_or_of_the_model(
    seen: Seen, values: dict[str, object], text: str, end: Edge
) -> None:
    await say(Gallery(), text, settings=Settings.of(**values), trace=seen)

    assert end == seen.of(MessagePlanned)[0].ends


async def test_a_carriage_return_becomes_a_line_end_of_its_own_segment(seen: Seen) -> None:
    await say(MemoryTarget(), "One\rTwo\r\nThree", settings=AT_ONCE, trace=seen)

    assert [("intake", "changed", (1,), ("\r",), ("\n",)), ("intake", "dropped", (2,), ("\r",), ())] == [
        (fact.by, fact.effect, fact.segments, fact.before, fact.after)
        for fact in seen.of(TextChanged)
        if fact.stage == "buffer"
    ]


async def test_a_message_starts_where_the_one_before_it_ended(seen: Seen) -> None:
    await say(MemoryTarget(), "One\n```py\nx\n```\nTwo", settings=AT_ONCE, trace=seen)

    line, block = (Edge(reason, "degree", 1, "\n") for reason in ("line", "block"))
    assert [(Edge("reply"), line), (line, block), (block, Edge("reply", mark="o"))] == [
        (fact.starts, fact.ends) for fact in seen.of(MessagePlanned)
    ]


@pytest.mark.parametrize("degree", [3, None], ids=["casual", "sentences"])
async def test_a_full_stop_that_is_left_out_is_told_also_at_the_end(seen: Seen, degree: int | None) -> None:
    await say(MemoryTarget(), "one is. two is.", settings=Settings.of(degree=degree, shape="sentences"), trace=seen)

    assert ["one is", "two is"] == [fact.text for fact in seen.of(MessageSent)]
    assert [("split", (".",), ((6, 7),), "shape"), ("split", (".",), ((14, 15),), "shape")] == [
        (fact.by, fact.before, fact.ranges, fact.setting) for fact in seen.changes("composer")
    ]


async def test_the_pause_before_a_message_is_told_in_its_parts(seen: Seen) -> None:
    settings = Settings.of(degree=2, thinking_chance=1.0, typing_budget=1.0)

    await say(MemoryTarget(), "one\ntwo\nthree", settings=settings, trace=seen)

    pauses = [(fact.pause, fact.typing, fact.breath, fact.thinking, fact.cut) for fact in seen.of(MessagePlanned)]
    pause, typing, breath, thinking, cut = pauses.pop()
    assert [(0.0, 0.0, 0.0, 0.0, 0.0), (0.75, 0.75, 0.0, 0.0, 0.0)] == pauses
    assert (1.0, 0.75) == (pause, typing)
    assert min(breath, thinking) > 0.0
    assert cut == pytest.approx(typing + breath + thinking - pause)


# --- the outbox -------------------------------------------------------------------------------------


async def test_a_message_is_told_with_what_it_waited_for_and_how_long_it_took(seen: Seen) -> None:
    await say(TimedTarget(latency=0.2), SlowStream("one\ntwo\nx", 9.0), settings=TYPED, trace=seen)

    def sent(number: int, text: str, start: int, **waited: float) -> MessageSent:
        end = start + len(text)
        return MessageSent((number,), text, ((len(text), start, ""),), ((start, end),), str(number), None, None, None, waited, 0.2)  # fmt: skip

    assert [sent(1, "one", 0), sent(2, "two", 4, typing=0.75), sent(3, "x", 8)] == seen.of(MessageSent)


async def test_a_chat_that_is_slower_than_the_model_presses_back(seen: Seen) -> None:
    await say(TimedTarget(latency=1.0), SlowStream(*(f"{n}\n" for n in range(4))), settings=Settings.of(degree=1, queue=1), trace=seen)  # fmt: skip

    assert [1.0, 1.0] == [fact.seconds for fact in seen.of(ReadingPaused)[-2:]]


async def test_messages_that_were_put_together_are_told_with_the_reason(seen: Seen) -> None:
    lines = SlowStream(*(item for number in range(8) for item in (f"{number}\n", 0.5)), "end")

    await say(MeteredChannel(), lines, settings=AT_ONCE, trace=seen)

    assert MessagesMerged((4, 5, 6, 7), "3\n4\n5\n6", "rate_limit") == seen.of(MessagesMerged)[0]
    sent = seen.of(MessageSent)
    assert list(range(1, 10)) == [number for fact in sent for number in fact.posts]
    assert {"rate_limit"} == {reason for fact in sent for reason in fact.waited}
    assert (["3\n4\n5\n6"], ((7, 6, ""),)) == (seen.words(sent[3].covers), sent[3].origin)


class Stubborn(MemoryTarget):
    """Takes each message at the second attempt."""

    async def send(self, post: Post, /) -> Receipt:
        return replace(await super().send(post), refusals=(RefusedAttempt("overloaded", "503", "retry"),))


@pytest.mark.parametrize("kind", [DeliveryKind.REFUSED, DeliveryKind.SKIPPED])
async def test_so_are_those_of_a_message_that_never_arrives(seen: Seen, kind: DeliveryKind) -> None:
    refusals = (RefusedAttempt("overloaded", "503", "retry"),)
    target = TimedTarget(fail_at=0, error=DeliveryError("not today", code=503, kind=kind, refusals=refusals))

    await say(target, "one", settings=AT_ONCE, trace=seen)

    error = {"type": "DeliveryError", "text": "not today", "kind": kind.value, "code": "503", "detail": ""}
    end = MessageRefused((1,), {}, error) if kind.ends_reply else MessageLeftOut((1,), "skipped", error)
    told = [logged.fact for logged in seen if isinstance(logged.fact, SendRefused | MessageRefused | MessageLeftOut)]
    assert [SendRefused((1,), "overloaded", "503", "retry"), end] == told


async def test_attempts_that_were_refused_are_told_before_the_message(seen: Seen) -> None:
    await say(Stubborn(), "One.\nTwo.", settings=AT_ONCE, trace=seen)

    told = [logged.fact for logged in seen if isinstance(logged.fact, SendRefused | MessageSent)]
    assert [SendRefused((1,), "overloaded", "503", "retry"), SendRefused((2,), "overloaded", "503", "retry")] == told[
        ::2
    ]
    assert [(1,), (2,)] == [fact.posts for fact in told[1::2]]


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


TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.mark.looptime(False)  # noqa: FBT003  # its own way to say no: pictures are made in a thread, in real time
@pytest.mark.parametrize(
    ("data", "attachment", "origin"),
    [(b"png", "table.png", ()), (None, None, ((22, -1, "tables"),))],
    ids=["made", "not to be had"],
)
async def test_a_picture_is_known_by_its_post_whether_it_can_be_made_or_not(
    seen: Seen, data: bytes | None, attachment: str | None, origin: OriginRuns
) -> None:
    preparer = PostPreparer(Painter(data))

    await say(Gallery(), f"Look:\n{TABLE}\n\nNice.", settings=AT_ONCE, preparer=preparer, trace=seen)

    planned, sent = seen.of(MessagePlanned), seen.of(MessageSent)
    assert [False, True, False] == [fact.picture for fact in planned]
    assert Edge("picture", "tables", "picture", "\n") == planned[1].ends == planned[2].starts
    assert [((1,), None), ((2,), attachment), ((3,), None)] == [(fact.posts, fact.attachment) for fact in sent]
    assert [["Look:"], [TABLE], ["Nice."]] == [seen.words(fact.covers) for fact in sent]
    assert [["Look:"], [TABLE], ["Nice."]] == [seen.words(fact.covers) for fact in planned]
    assert ((), origin) == (planned[1].origin, sent[1].origin)
    assert [[], ["picture"], []] == [[*fact.waited] for fact in sent]


@pytest.mark.looptime(False)  # noqa: FBT003  # as above
async def test_a_formula_that_is_a_picture_ends_messages_by_its_own_setting(seen: Seen) -> None:
    preparer = PostPreparer(Painter(b"png"), formula_painter=Painter(b"png"))

    await say(Gallery(), f"{TABLE}\n\nIt is hot.\n\n$$\nE = m c^2\n$$\n\nNice.", preparer=preparer, trace=seen)

    table, text, formula, _ = planned = seen.of(MessagePlanned)
    assert [True, False, True, False] == [fact.picture for fact in planned]
    assert ("picture", "tables") == (table.ends.reason, table.ends.setting)
    for end in (text.ends, formula.starts, formula.ends):
        assert ("formula", "math", "picture") == (end.reason, end.setting, end.value)


async def test_looking_people_up_is_told_as_what_was_waited_for(seen: Seen) -> None:
    async def find(*_: str) -> str:
        await asyncio.sleep(0.5)
        return "<@9>"

    preparer = PostPreparer(None, Lookup(find, clock=now))

    await say(TimedTarget(), "hi @ghost", settings=AT_ONCE, preparer=preparer, trace=seen)

    assert [TextChanged("names", "outbox", "changed", (1,), ("hi @ghost",), ("hi <@9>",), ((3, 9),))] == (
        seen.of(TextChanged)
    )
    assert [((1,), "hi <@9>", ((3, 0, ""), (4, -1, "names")), {"names": 0.5})] == [
        (fact.posts, fact.text, fact.origin, fact.waited) for fact in seen.of(MessageSent)
    ]


class Shouting(TimedTarget):
    """Writes in capitals what it is sent."""

    async def send(self, post: Post, /) -> Receipt:
        receipt = await super().send(post)
        return replace(receipt, post=replace(post, text=post.text.replace("you", "YOU")))


async def test_what_a_chat_wrote_itself_is_told_as_such(seen: Seen) -> None:
    await say(Shouting(), "hi you there", trace=seen)

    assert [("hi YOU there", ((3, 0, ""), (3, -1, "target"), (6, 6, "")), ((0, 12),))] == [
        (fact.text, fact.origin, fact.covers) for fact in seen.of(MessageSent)
    ]


async def test_a_message_that_cannot_be_sent_is_told_with_all_that_is_dropped_for_it(seen: Seen) -> None:
    target = TimedTarget(
        fail_at=1, error=DeliveryError("the channel is gone", code=10003, kind=DeliveryKind.CHANNEL_GONE)
    )

    await say(target, "one\ntwo\nthree", settings=AT_ONCE, trace=seen)

    error = {"type": "DeliveryError", "text": "the channel is gone", "kind": "channel_gone", "code": "10003", "detail": ""}  # fmt: skip
    assert [MessageRefused((2,), {}, error)] == seen.of(MessageRefused)
    assert [QueueCut("nothing", (), (3,), None, None, ("three",))] == [
        fact for fact in seen.of(QueueCut) if fact.dropped
    ]
    assert [(1,)] == [fact.posts for fact in seen.of(MessageSent)]


CLAUSE = Edge("stop", "on_stop", "clause")


async def test_a_stop_is_told_with_its_reason_and_what_is_still_sent(seen: Seen) -> None:
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, lambda: stops.request("turn", by="Mia"))
        model, settings = SlowStream("one\ntwo\nthree\nfour. fi", 60.0), TYPED.with_values({"on_stop": "clause"})
        await say(TimedTarget(), model, settings=settings, stop=handle, trace=seen)

    assert [StopAsked("user", "Mia")] == seen.of(StopAsked)
    assert [0.5] == seen.times(StopAsked)
    assert [TextChanged("unfinished_clause", "buffer", "dropped", (), (" fi",), (), ((19, 22),))] == (
        seen.changes("buffer")
    )
    assert Edge("stop", "on_stop", "clause", ".") == seen.of(MessagePlanned)[-1].ends
    assert [QueueCut("clause", (2,), (3, 4), "two", CLAUSE, ("three", "four."))] == seen.of(QueueCut)
    assert [((1,), {}), ((2,), {"typing": 0.5})] == [(fact.posts, fact.waited) for fact in seen.of(MessageSent)]


async def test_a_stop_that_keeps_nothing_is_told_with_its_setting_and_what_is_dropped(seen: Seen) -> None:
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, "turn")
        await say(TimedTarget(), SlowStream("one\ntwo\nthree. fo", 60.0), settings=TYPED, stop=handle, trace=seen)

    silence = Edge("stop", "on_stop", "silence")
    assert [QueueCut("nothing", (), (2,), None, silence, ("two",))] == seen.of(QueueCut)
    assert [(("user", "dropped"), ["three. fo"])] == [
        ((one.by, one.effect), seen.words(one.ranges)) for one in seen.changes("buffer")
    ]
    assert [(1,)] == [fact.posts for fact in seen.of(MessageSent)]


async def test_of_the_message_of_which_one_clause_is_sent_the_rest_is_dropped(seen: Seen) -> None:
    stops, text = Stops(), "one\nThis is one. And @mia is two, which is longer.\nthree\n"
    scene = replace(SCENE, roster=Roster({"mia": "<@1>"}))
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, "turn")
        settings = TYPED.with_values({"on_stop": "clause"})
        await say(TimedTarget(), SlowStream(text, 60.0), scene=scene, settings=settings, stop=handle, trace=seen)

    last = "This is one."
    assert [QueueCut("clause", (2,), (3,), last, CLAUSE, ("three",))] == seen.of(QueueCut)
    (cut,), sent = seen.changes("outbox"), seen.of(MessageSent)[-1]
    assert ("stop", "dropped", (2,), (), (last,)) == (cut.by, cut.effect, cut.segments, cut.before, cut.after)
    assert [" And @mia is two, which is longer."] == seen.words(cut.ranges)
    assert ((2,), [last], ((12, 4, ""),)) == (sent.posts, seen.words(sent.covers), sent.origin)


@pytest.mark.parametrize(
    ("model", "has_begun", "seconds"),
    [(SlowStream(600.0), False, 5.0), (SlowStream("Hi\n", 600.0), True, 2.0)],
    ids=["never", "in the middle"],
)
async def test_a_silent_model_is_told(seen: Seen, model: SlowStream, seconds: float, *, has_begun: bool) -> None:
    await say(MemoryTarget(), model, settings=Settings.of(degree=1, first_timeout=5.0, idle_timeout=2.0), trace=seen)

    assert [ModelStalled(has_begun, seconds)] == seen.of(ModelStalled)
    assert [seconds] == seen.times(ModelStalled)


class Mute(MemoryTarget):
    """Has no place for notices, after all."""

    async def notify(self, notice: Notice, /) -> None:
        raise OSError(notice.text)


@pytest.mark.parametrize(("target", "is_shown"), [(MemoryTarget(), True), (Mute(), False)], ids=["shown", "not shown"])
async def test_notices_are_told(seen: Seen, target: MemoryTarget, *, is_shown: bool) -> None:
    await say(target, SlowStream(600.0), trace=seen)

    text = "The answer took too long; try again in a little while."
    assert [NoticeShown("", text, "warning", is_shown)] == seen.of(NoticeShown)
    assert [int(is_shown)] == [fact.notices for fact in seen.of(ReplyEnded)]


async def test_what_holds_text_back_is_told_when_it_begins_and_when_it_ends(seen: Seen) -> None:
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
        TextHeld("mark", "(", 9),
        TextHeld("undecided", "\n", 21),
        TextHeld("code", "```", 6),
        TextHeld("undecided", "\n", 1),
        TextHeld("table", "", 18),
        TextHeld("hidden", "thought", 0),
        TextHeld("mark", "<think>", 11),
        TextHeld("", "", 5),
    ] == seen.of(TextHeld)
    assert [("thought", "hm", ["<think>hm</think>"])] * 2 == [
        (fact.kind, fact.text, seen.words(fact.ranges)) for fact in seen.of(TextHidden)
    ]
    assert ["end ", "."] == seen.words(seen.of(MessageSent)[-1].covers)


async def test_each_wait_is_told_once_and_ends_when_the_message_is_on_its_way(seen: Seen) -> None:
    model = SlowStream("one\ntwo\nth", 0.5, "ree\nx", 9.0)  # the third comes while the second waits

    await say(TimedTarget(latency=0.2), model, settings=TYPED, trace=seen)

    sendings, sents = seen.of(SendingBegan), seen.of(MessageSent)
    assert [MessageWaits((2,), "typing"), MessageWaits((3,), "typing")] == seen.of(MessageWaits)
    assert [fact.posts for fact in sents] == [fact.posts for fact in sendings]
    waited = zip(seen.times(MessageWaits), seen.times(SendingBegan)[1:3], strict=True)
    assert [{"typing": round(end - start, 6)} for start, end in waited] == [fact.waited for fact in sents[1:3]]


async def test_a_wait_for_the_rate_limit_is_told(seen: Seen) -> None:
    lines = SlowStream(*(item for number in range(8) for item in (f"{number}\n", 0.5)), "end")

    await say(MeteredChannel(), lines, settings=AT_ONCE, trace=seen)

    assert {"rate_limit"} == {fact.why for fact in seen.of(MessageWaits)}
    assert (4,) == seen.of(MessageWaits)[0].posts


# --- who is asked -------------------------------------------------------------------------------------


async def test_an_attempt_a_request_a_round_and_an_end(seen: Seen) -> None:
    model = scripted('{"text": "Hi"}\n{"usage": {"input_tokens": 5, "output_tokens": 2}}\n{"finish": "stop"}')

    await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, trace=seen)

    done = {"kind": "completed", "reason": "stop", "error": None}
    usage = NO_USAGE | {"input_tokens": 5, "output_tokens": 2}
    (request,) = seen.of(RequestSent)
    assert [AttemptBegan(1, "first", None, "first", 0.0, 0, reminded=False)] == seen.of(AttemptBegan)
    assert RequestSent(1, "", remembered=False, error=None, turns=1, tools=0, bytes=request.bytes) == request
    assert request.bytes > 0
    assert [RoundEnded(1, done, 1, usage)] == seen.of(RoundEnded)
    assert [AttemptEnded(1, "first", done, "nothing")] == seen.of(AttemptEnded)
    assert [ReplyEnded(done, 1, "first", 0, 0, usage)] == seen.of(ReplyEnded)


async def test_every_request_of_a_ladder_is_told_with_the_error_that_led_to_it(seen: Seen) -> None:
    refused = refusal(400, f"Unsupported parameter: 'top_p', for {KEY}")
    model = Model(TinyCodec({**CORE, "top_p": 0.9}), Server(refused, HELLO, HELLO), name="tiny")

    for _ in range(2):
        await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, trace=seen)

    requests = seen.of(RequestSent)
    assert [(1, "default", False), (2, "probe_drop_top_p", False), (1, "recalled", True)] == [
        (fact.number, fact.rung, fact.remembered) for fact in requests
    ]
    assert [None, "Unsupported parameter: 'top_p', for ***", None] == [
        fact.error and fact.error["detail"] for fact in requests
    ]
    assert requests[0].bytes > requests[1].bytes == requests[2].bytes
    assert KEY not in repr(seen)


async def test_a_key_that_a_model_repeats_is_not_told(seen: Seen) -> None:
    await reply(SCENE, tiny(sse({"text": f"My key is {KEY}."}, {"end": "stop"})), MemoryTarget(), trace=seen)

    (cut,), (planned,), (sent,) = seen.of(TextCut), seen.of(MessagePlanned), seen.of(MessageSent)
    hidden = f"My key is {'*' * len(KEY)}."
    assert hidden == cut.text == planned.text == sent.text
    assert ((len(hidden), 0, ""),) == cut.origin == planned.origin == sent.origin
    assert KEY not in repr(seen)


async def test_another_key_and_another_model_are_told_with_their_reasons(seen: Seen) -> None:
    ring = Keyring(["secret-key-one", "secret-key-two"])
    first = tiny(refusal(401, "bad key"), refusal(401, "bad key"), name="first", keyring=ring)

    await reply(SCENE, [first, tiny(HELLO, name="second")], MemoryTarget(), settings=AT_ONCE, trace=seen)

    assert [
        AttemptBegan(1, "first", "key 1", "first"),
        AttemptBegan(2, "first", "key 2", "another key"),
        AttemptBegan(3, "second", None, "another model"),
    ] == seen.of(AttemptBegan)
    assert [(1, "first", "key"), (2, "first", "key"), (3, "second", "nothing")] == [
        (fact.number, fact.model, fact.cure) for fact in seen.of(AttemptEnded)
    ]
    assert [("second", 2)] == [(fact.model, fact.failures) for fact in seen.of(ReplyEnded)]
    assert "secret-key" not in repr(seen)


async def test_a_model_that_is_busy_is_asked_later(seen: Seen) -> None:
    await reply(SCENE, tiny(refusal(503, "busy"), HELLO), MemoryTarget(), settings=AT_ONCE, trace=seen)

    assert [("first", 0.0), ("later", 1.0)] == [(fact.why, fact.waited) for fact in seen.of(AttemptBegan)]
    assert [0.0, 1.0] == seen.times(AttemptBegan)
    assert {0.0} == {fact.since for fact in seen.of(ChunkHeard)}, "counted from the request"
    assert ["time", "nothing"] == [fact.cure for fact in seen.of(AttemptEnded)]


async def test_a_model_that_says_nothing_is_asked_once_more(seen: Seen) -> None:
    model = scripted('{"finish": "length"}', '{"finish": "length"}', '{"text": "Hi"}')

    await reply(SCENE, model, MemoryTarget(), settings=Settings.of(empty_drop=1), trace=seen)

    assert [("first", 0), ("once more", 1), ("once more", 2)] == [
        (fact.why, fact.dropped) for fact in seen.of(AttemptBegan)
    ]


async def test_a_model_whose_keys_rest_is_passed_over(seen: Seen) -> None:
    ring = Keyring("secret-key-one")
    key = ring.main
    ring.failed(key, ProviderError("slow down", kind=ErrorKind.RATE_LIMIT, retry_after=30.0))

    async def unready() -> Model | None:
        return None

    models = [tiny(name="tired", keyring=ring), unready, tiny(HELLO, name="fresh")]
    await reply(SCENE, models, MemoryTarget(), settings=AT_ONCE, trace=seen)

    tired, absent = seen.of(ModelSkipped)
    assert ("tired", "cooldown", 30.0) == (tired.model, tired.why, tired.seconds)
    assert tired.error is not None
    assert "its keys are in cooldown after an error" == tired.error["text"]
    assert ModelSkipped("", "not ready", None) == absent
    assert ["fresh"] == [fact.model for fact in seen.of(AttemptBegan)]


async def test_what_a_failed_attempt_said_is_put_aside_and_taken_back(seen: Seen) -> None:
    first = scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}')
    settings = TYPED.with_values({"model_retries": 0})

    await reply(
        SCENE, [first, scripted('{"text": "better"}', name="second")], TimedTarget(), settings=settings, trace=seen
    )

    assert [QueueWithdrawn((2,))] == seen.of(QueueWithdrawn)
    assert [MessagesSuperseded(("1",))] == seen.of(MessagesSuperseded)
    assert [MessageDeleted("1", 0.0, None)] == seen.of(MessageDeleted)
    assert [((1,), ["one"]), ((3,), ["better"])] == [
        (fact.posts, seen.words(fact.covers)) for fact in seen.of(MessageSent)
    ]
    assert Edge("reply") == seen.of(MessagePlanned)[2].starts


async def test_what_was_put_aside_is_brought_back_if_nobody_does_better(seen: Seen) -> None:
    first = scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}')
    settings = TYPED.with_values({"model_retries": 0})

    await reply(
        SCENE, [first, scripted('{"error": "asleep too"}', name="second")], TimedTarget(), settings=settings, trace=seen
    )

    assert [MessagesSpared(("1",))] == seen.of(MessagesSpared)
    assert [QueueRestored((2,))] == [fact for fact in seen.of(QueueRestored) if fact.posts]
    assert [((1,), ["one"]), ((2,), ["two"])] == [
        (fact.posts, seen.words(fact.covers)) for fact in seen.of(MessageSent)
    ]


async def test_what_was_brought_back_can_still_be_dropped(seen: Seen) -> None:
    stops, settings = Stops(), TYPED.with_values({"model_retries": 0, "on_stop": "silence"})
    models = [scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}'), scripted('{"error": "asleep"}')]
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(0.625, stops.request, "turn")
        await reply(SCENE, models, TimedTarget(), settings=settings, stop=stop, trace=seen)

    assert [(0.5, (2,))] == [(one.at, one.fact.posts) for one in seen if isinstance(one.fact, QueueRestored)]
    assert [QueueCut("nothing", (), (2,), None, Edge("stop", "on_stop", "silence"), ("two",))] == [
        fact for fact in seen.of(QueueCut) if fact.dropped
    ]


class Enough(Rule):
    """Ends the reply when it hears a stop word, which it does not let pass."""

    def feed(self, segment: Segment, /) -> Sequence[Segment | Halt]:
        return (Halt(StopReason.RULE),) if "stop" in segment.text else (segment,)


async def test_what_was_put_aside_arrives_if_a_rule_ends_the_next_answer_before_it_begins(seen: Seen) -> None:
    target = TimedTarget(latency=1.0)
    models = [scripted('{"text": "one\\ntwo\\n"}\n{"error": "asleep"}'), scripted('{"text": "stop\\nthree\\n"}')]

    result = await reply(SCENE, models, target, settings=ONE_TRY, rules=(Enough, *RULES), trace=seen)

    assert (Stopped(StopReason.RULE), "one\ntwo") == (result.outcome, result.transcript)
    assert [QueueRestored((2,))] == [fact for fact in seen.of(QueueRestored) if fact.posts]
    assert [(1,), (2,)] == [fact.posts for fact in seen.of(MessageSent)]


async def test_what_was_put_aside_is_not_said_to_come_back_after_a_stop(seen: Seen) -> None:
    stops, target = Stops(), TimedTarget(latency=0.25)
    models = [scripted('{"text": "one\\ntwo\\n"}\n{"error": "asleep"}'), scripted('{"after": 9.0, "text": "three"}')]
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        await reply(SCENE, models, target, settings=ONE_TRY, stop=stop, trace=seen)

    assert ([(1,)], [QueueWithdrawn((2,))]) == ([fact.posts for fact in seen.of(MessageSent)], seen.of(QueueWithdrawn))
    assert [] == seen.of(QueueRestored)
    assert [QueueCut("nothing", (), (), None, Edge("stop", "on_stop", "silence"))] == seen.of(QueueCut)


class Sticky(TimedTarget):
    """Takes nothing back."""

    async def remove(self, receipt: Receipt, /) -> None:
        raise OSError(receipt.message_id)


async def test_a_message_that_cannot_be_taken_back_is_told_with_the_reason(seen: Seen) -> None:
    old = Receipt(Post("old", Boundary.FINAL), "99")

    await reply(SCENE, scripted('{"text": "Hi"}'), Sticky(), settings=AT_ONCE, supersedes=[old], trace=seen)

    error = {"type": "OSError", "text": "", "kind": "", "code": "", "detail": ""}
    assert [MessageDeleted("99", 0.0, error)] == seen.of(MessageDeleted)


# --- tools ---------------------------------------------------------------------------------------------


async def test_tools_are_told_between_the_rounds(seen: Seen) -> None:
    model = scripted('{"text": "Rolling. I th"}\n' + CALL, '{"text": "A four."}')

    await reply(SCENE, model, MemoryTarget(), settings=AT_ONCE, tools=dice(), trace=seen)

    assert [ToolCalled("7", "dice", '{"sides": 6}', 0.0, is_error=False, remembered=False, size=1)] == seen.of(
        ToolCalled
    )
    assert [RoundEnded, ToolCalled, RoundEnded] == [kind for kind in seen.kinds if kind in (RoundEnded, ToolCalled)]
    assert [(1, "needs_tools", "dice"), (2, "completed", "end_of_stream")] == [
        (fact.number, fact.outcome["kind"], fact.outcome["reason"]) for fact in seen.of(RoundEnded)
    ]
    first, second = seen.of(MessagePlanned)
    assert Edge("tool_call", "", None, ".") == first.ends == second.starts
    assert [["Rolling."], ["A four."]] == [seen.words(fact.covers) for fact in (first, second)]
    assert [("unfinished_clause", [" I th"])] == [(fact.by, seen.words(fact.ranges)) for fact in seen.of(TextChanged)]


@pytest.mark.parametrize(
    "models",
    [
        [scripted('{"text": "Rolling."}\n' + CALL, SAYS_HI)],
        [scripted('{"text": "Rolling."}\n{"error": "asleep"}'), scripted(SAYS_HI)],
    ],
    ids=["after a tool", "after another model"],
)
async def test_what_is_said_later_stands_behind_what_was_said_before(seen: Seen, models: list[Model]) -> None:
    settings = AT_ONCE.with_values({"model_retries": 0})
    speaking = asyncio.create_task(reply(SCENE, models, MemoryTarget(), tools=dice(), settings=settings, trace=seen))
    await asyncio.sleep(1.0)
    speaking.cancel()
    with suppress(asyncio.CancelledError):
        await speaking

    assert [TextChanged("raised", "buffer", "dropped", (), ("Hi\n",), (), ((8, 11),))] == seen.of(TextChanged)


async def test_a_result_that_is_remembered_is_told_as_such(seen: Seen) -> None:
    """Another model that takes over calls the same tool, which is not run again."""
    broken, second = '{"text": "Oh"}\n{"error": "asleep"}', scripted(CALL, '{"text": "A four."}', name="second")
    settings = AT_ONCE.with_values({"model_retries": 0})

    await reply(SCENE, [scripted(CALL, broken), second], MemoryTarget(), settings=settings, tools=dice(seconds=0.25), trace=seen)  # fmt: skip

    assert [("dice", 0.25, False), ("dice", 0.0, True)] == [
        (fact.tool, fact.seconds, fact.remembered) for fact in seen.of(ToolCalled)
    ]


async def test_a_tool_that_a_stop_ends_is_told(seen: Seen) -> None:
    stops = Stops()
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn")
        await reply(SCENE, scripted(CALL), MemoryTarget(), tools=dice(seconds=60.0), stop=stop, trace=seen)

    assert [("dice", True)] == [(fact.tool, fact.is_error) for fact in seen.of(ToolCalled)]
    assert [1.0] == seen.times(ToolCalled)
    assert [StopAsked("user", "")] == seen.of(StopAsked)


async def test_what_a_model_says_again_after_a_tool_is_left_out(seen: Seen) -> None:
    trace = Trace(seen)
    async with Outbox(MemoryTarget(), trace=trace) as outbox:
        row = text_row(SCENE, AT_ONCE, Dice(), trace=trace)
        outbox.begin_part(repeated=["Rolling."])
        outbox.add(row.feed("Rolling.\nDone.\nx"))

    assert [MessageLeftOut((1,), "repeated")] == seen.of(MessageLeftOut)
    assert [(2,)] == [fact.posts for fact in seen.of(MessageSent)]


# --- hooks that misbehave ----------------------------------------------------------------------------------


@pytest.mark.parametrize("error", [ValueError("secret"), asyncio.CancelledError("secret"), GeneratorExit()], ids=repr)
async def test_a_hook_that_raises_is_told_once_in_the_log_and_not_called_again(
    error: BaseException, caplog: pytest.LogCaptureFixture
) -> None:
    called: list[LoggedFact] = []

    def hook(logged: LoggedFact) -> None:
        called.append(logged)
        if isinstance(logged.fact, TextCut):
            raise error

    target = MemoryTarget()
    with caplog.at_level(logging.WARNING):
        said = await say(target, "one\ntwo", settings=AT_ONCE, trace=hook)

    assert ["one", "two"] == target.texts
    assert "completed" == type(said.outcome).__name__.lower()
    assert isinstance(called[-1].fact, TextCut)
    assert ["a trace hook failed; it is not called again in this reply"] == caplog.messages
    assert ", in hook\n" in caplog.text
    assert caplog.text.endswith(f"{type(error).__name__}\n")


async def test_a_hook_may_end_the_program() -> None:
    def hook(_: LoggedFact) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        await say(MemoryTarget(), "Hi", trace=hook)


async def test_a_hook_may_stop_the_reply_that_it_sees() -> None:
    stops, target = Stops(), MemoryTarget()
    with stops.open("turn") as stop:

        def hook(logged: LoggedFact) -> None:
            if isinstance(logged.fact, MessageSent):
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


async def test_a_rule_that_fails_is_told_by_its_name(seen: Seen) -> None:
    await say(MemoryTarget(), "one\nstop\n", settings=AT_ONCE, rules=(Angry, *RULES), trace=seen)

    assert [TextChanged("angry", "rules", "failed", (2,), ("stop\n",), (), ((4, 9),))] == seen.changes("rules")
    assert ["broke"] == [fact.outcome["kind"] for fact in seen.of(ReplyEnded)]
