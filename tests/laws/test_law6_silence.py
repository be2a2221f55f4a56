"""Law 6: after an outcome, silence. Whenever a stop comes, it takes effect at once.

In virtual time: the stop falls on every tenth of a second of a reply that types, pauses, codes and waits, and into the
middle of everything that a reply may wait for.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from dataclasses import dataclass

import pytest

from cadenza.concurrency.stops import StopHandle, Stops
from cadenza.errors import ProviderError
from cadenza.models.model import Model
from cadenza.replies.outbox.lookups import Lookup
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.stages.s4_round import KEEPS, Keep
from cadenza.tools.tool import Tool
from cadenza.types import Completed, Identity, Outcome, Persona, Reply, Scene, Stopped, StopReason, ToolSpec
from tests.timing import SlowStream, TimedTarget
from tests.trouble import TURN, Channel, Trouble, Voice, check_books

pytestmark = pytest.mark.looptime

SAID = "one.\ntwo, three.\n\n```py\nfour\n```\nfive. six\n**seven\neight** nine\n"
_CRUMB = 1e-6
MOMENTS = [tenth / 10 for tenth in range(90)]
AT_ONCE = 0.020
"""Seconds after which nothing may begin any more."""


@pytest.mark.parametrize("latency", [0.0, 0.35])
@pytest.mark.parametrize(
    ("reason", "on_stop", "most"),
    [
        (StopReason.USER, "silence", 0),
        (StopReason.USER, "clause", 1),
        (StopReason.SHUTDOWN, "clause", 1),
        (StopReason.FOLLOW_UP, "clause", 0),
    ],
    ids=str,
)
async def test_after_a_stop_there_is_silence_or_one_message_at_most(
    reason: StopReason, on_stop: str, most: int, latency: float
) -> None:
    for moment in MOMENTS:
        model = SlowStream(*(piece for character in SAID for piece in (character, 0.1)), 60.0)
        target, stops = TimedTarget(latency=latency), Stops()
        begin = asyncio.get_running_loop().time()
        with stops.open("turn") as handle:
            asyncio.get_running_loop().call_at(begin + moment, stops.request, "turn", reason)
            reply = await say(target, model, settings=Settings.of(degree=2, on_stop=on_stop), stop=handle)

        delays = [start - begin - moment for start in target.started if start - begin - moment > -_CRUMB]
        assert len(delays) <= most
        assert max(delays, default=0.0) < AT_ONCE
        assert reply.outcome == Stopped(reason)
        assert target.texts == [receipt.post.text for receipt in reply.receipts]
        assert _letters(SAID).startswith(_letters("".join(target.texts)))
        assert model.closed


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


# --- in every phase -------------------------------------------------------------------------------

SCENE = Scene("general", Persona("Ren"))
PLAIN = Settings.of(degree=1)
TYPED = Settings.of(degree=2, thinking_chance=0.0)

Run = Callable[[StopHandle], Awaitable[Reply]]


@dataclass(frozen=True, slots=True)
class Phase:
    """A reply that is in the middle of something *seconds* after it has begun."""

    begin: Callable[[Channel], Run]
    seconds: float = 1.0
    latency: float = 0.0
    has_tools: bool = False
    """Whether tools are at work, which a follow-up does not interrupt."""


def saying(
    *items: str | float, settings: Settings = PLAIN, preparer: PostPreparer | None = None
) -> Callable[[Channel], Run]:
    return lambda channel: (
        lambda handle: say(channel, SlowStream(*items), scene=SCENE, settings=settings, stop=handle, preparer=preparer)
    )


def asking(
    *models: Callable[[], Model | Callable[[], Awaitable[Model]]], tool_cleans_up: float = 0.0
) -> Callable[[Channel], Run]:
    async def look(_arguments: Mapping[str, object], *_: object) -> str:
        try:
            await asyncio.sleep(60.0)
        finally:
            await asyncio.sleep(tool_cleans_up)
        return "seen"

    tools = {"look": Tool(ToolSpec("look", "Look.", {"type": "object", "properties": {}}), look)}

    def begin(channel: Channel) -> Run:
        ready = [model() for model in models]
        return lambda handle: reply(SCENE, ready, channel, settings=PLAIN, tools=tools, stop=handle)

    return begin


def breaking(*pieces: str, after: float = 0.0, wait: float | None = None) -> Callable[[], Model]:
    """A model that breaks off some seconds *after* it has said *pieces*."""

    async def break_off() -> None:
        await asyncio.sleep(after)
        msg = "overloaded"
        raise ProviderError(msg, retryable=wait is not None, retry_after=wait)

    return lambda: Voice([pieces], Trouble(break_off, len(pieces)), "first").model


def speaking(*pieces: str | None, silence: float = 60.0) -> Callable[[], Model]:
    """A model that says *pieces*, and then nothing for a while."""

    async def fall_silent() -> None:
        await asyncio.sleep(silence)

    return lambda: Voice([pieces], Trouble(fall_silent, len(pieces)), "second").model


def slow_to_hang_up(channel: Channel) -> Run:
    async def model() -> AsyncIterator[str]:
        try:
            yield "One.\nTwo. Thr"
            await asyncio.sleep(60.0)
        finally:
            await asyncio.sleep(30.0)

    return lambda handle: say(channel, model(), scene=SCENE, settings=PLAIN, stop=handle)


async def nobody(_handle: str, _place: str) -> str | None:
    try:
        await asyncio.sleep(60.0)
    except asyncio.CancelledError:
        await asyncio.sleep(1.0)
    return None


async def slow_source() -> Model:
    await asyncio.sleep(60.0)
    return speaking("late")()


LINES = "One.\nTwo.\nThree.\nFour is n"

PHASES = {
    "waiting for the first word": Phase(saying(60.0, "late")),
    "in a word": Phase(saying("First. Second, and th", 60.0, "en\nmore")),
    "in a hidden block": Phase(saying("One.\n<think>hm", 60.0)),
    "in a typing pause": Phase(saying(LINES, 60.0, settings=TYPED), seconds=0.2),
    "in a typing pause, the model done": Phase(saying(LINES, settings=TYPED), seconds=0.2),
    "in a typing pause, the model stalled": Phase(
        saying(LINES, 60.0, settings=Settings.of(degree=2, idle_timeout=0.1, thinking_chance=0.0)), seconds=0.2
    ),
    "in a rate limit": Phase(saying(LINES, 60.0), latency=5.0),
    "in a send": Phase(saying(LINES), seconds=0.4, latency=0.25),
    "in a send, the reader waiting for room": Phase(
        saying(LINES, 60.0, settings=Settings.of(degree=1, queue=1)), latency=3.0
    ),
    "in a tool": Phase(asking(speaking("I look. Then", None, silence=0.0)), has_tools=True),
    "in a tool that cleans up for long": Phase(
        asking(speaking("I look. Then", None, silence=0.0), tool_cleans_up=4.0), has_tools=True
    ),
    "in a retry delay": Phase(asking(breaking("One.\nTwo", wait=5.0)), seconds=2.0),
    "while a model is made ready": Phase(asking(breaking(), lambda: slow_source)),
    "while people are looked up": Phase(
        saying("Hi.\nAsk @nobody.\nTwo. Thr", 60.0, preparer=PostPreparer(lookup=Lookup(nobody))), seconds=0.5
    ),
    "while messages are taken back": Phase(
        asking(breaking("One.\n", "Two.\n", "x", after=3.5), speaking("Four.\n", "Five.\n", "Six. Sev")),
        seconds=4.0,
        latency=1.0,
    ),
    "before messages are taken back": Phase(
        asking(breaking("One.\n", "Two.\n", "x", after=3.5), speaking("Four. Fi")),
        seconds=5.0,
        latency=1.0,
    ),
    "while the stream hangs up": Phase(slow_to_hang_up),
}

OUTSIDE = [reason for reason in StopReason if KEEPS[reason] in (Keep.CLAUSE, Keep.NOTHING)]


@pytest.mark.parametrize("reason", OUTSIDE, ids=lambda reason: reason.value)
@pytest.mark.parametrize("name", PHASES)
async def test_in_every_phase_a_stop_is_heard_at_once(name: str, reason: StopReason) -> None:
    phase = PHASES[name]
    if phase.has_tools and reason is StopReason.FOLLOW_UP:
        return
    channel, stops = Channel(latency=phase.latency), Stops()
    loop = asyncio.get_running_loop()
    with stops.open(TURN) as handle:
        loop.call_later(phase.seconds, stops.request, TURN, reason)
        result = await phase.begin(channel)(handle)

    after = [start - phase.seconds for start in channel.started if start >= phase.seconds]
    assert [] == after
    assert max(channel.typed, default=0.0) < phase.seconds + AT_ONCE
    assert Stopped(reason) == result.outcome
    check_books(result, channel)


@pytest.mark.parametrize("name", PHASES)
async def test_the_phases_are_what_they_say(name: str) -> None:
    """Without a stop they last."""
    phase, channel = PHASES[name], Channel(latency=PHASES[name].latency)
    with Stops().open(TURN) as handle:
        running = asyncio.ensure_future(phase.begin(channel)(handle))
        await asyncio.sleep(phase.seconds)

        assert not running.done()
        await running


@pytest.mark.parametrize("name", PHASES)
async def test_a_follow_up_and_then_a_stop_are_as_silent_as_one(name: str) -> None:
    phase = PHASES[name]
    if phase.has_tools:
        return
    channel, stops = Channel(latency=phase.latency), Stops()
    with stops.open(TURN) as handle:
        loop = asyncio.get_running_loop()
        loop.call_later(phase.seconds, stops.request, TURN, StopReason.FOLLOW_UP)
        loop.call_later(phase.seconds + 0.001, stops.request, TURN, StopReason.USER)
        result = await phase.begin(channel)(handle)

    assert max(channel.started, default=0.0) < phase.seconds + AT_ONCE
    assert Stopped(StopReason.FOLLOW_UP) == result.outcome
    check_books(result, channel)


@pytest.mark.parametrize("manner", ["hangs", "fails"])
async def test_the_typing_indicator_does_not_hold_up_a_stop(manner: str) -> None:
    class Typing(Channel):
        async def typing(self, identity: Identity | None, /) -> None:
            await super().typing(identity)
            if manner == "fails":
                raise OSError
            await asyncio.sleep(60.0)

    channel, stops = Typing(), Stops()
    with stops.open(TURN) as handle:
        asyncio.get_running_loop().call_later(0.2, stops.request, TURN)
        await saying(LINES, 60.0, settings=TYPED)(channel)(handle)

    assert ([0.0], ["One."]) == (channel.started, channel.texts)


@pytest.mark.parametrize(
    ("text", "reason", "texts", "outcome"),
    [
        pytest.param(
            "One.\nTwo.",
            StopReason.SHUTDOWN,
            ["One.", "Two."],
            Completed("end_of_stream"),
            id="a shutdown, all is said",
        ),
        pytest.param("One.\nTwo.", StopReason.USER, ["One.", "Two."], Stopped(StopReason.USER), id="a person"),
        pytest.param(
            LINES, StopReason.SHUTDOWN, ["One.", "Two."], Stopped(StopReason.SHUTDOWN), id="a shutdown, not all is said"
        ),
    ],
)
async def test_a_shutdown_that_cuts_nothing_off_is_no_stop(
    text: str, reason: StopReason, texts: list[str], outcome: Outcome
) -> None:
    channel, stops, settings = Channel(), Stops(), TYPED.with_values({"on_stop": "clause"})
    with stops.open(TURN) as handle:
        asyncio.get_running_loop().call_later(0.2, stops.request, TURN, reason)
        result = await saying(text, settings=settings)(channel)(handle)

    assert (texts, outcome) == (channel.texts, result.outcome)


async def test_a_notice_is_no_way_around_it() -> None:
    """What was to be told waits with all the rest, and goes with it."""

    class Plain:
        def __init__(self, channel: Channel) -> None:
            self.limits = channel.limits
            self.send = channel.send
            self.typing = channel.typing

    channel, stops = Channel(latency=1.0), Stops()
    with stops.open(TURN) as handle:
        asyncio.get_running_loop().call_later(0.5, stops.request, TURN)
        result = await say(
            Plain(channel), SlowStream("One.\nTwo", ProviderError("overloaded")), settings=PLAIN, stop=handle
        )

    assert ([0.0], Stopped(StopReason.USER)) == (channel.started, result.outcome)


def test_every_reason_that_comes_from_outside_is_tried() -> None:
    assert {StopReason.USER, StopReason.FOLLOW_UP, StopReason.SHUTDOWN, StopReason.STALE} <= set(OUTSIDE)
