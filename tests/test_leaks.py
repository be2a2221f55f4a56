"""Nothing is left behind: no task, no stream, no thread, no connection, and no error that nobody has seen.

A reply is brought to its end in every way there is, and given up at every moment there is; then everything is counted.
"""

from __future__ import annotations

import asyncio
import gc
import threading
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import ProviderError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.http import Http
from cadenza.models.model import Model
from cadenza.replies.outbox.lookups import Lookup
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import reply, say
from cadenza.rules import Rule
from cadenza.settings import Settings
from cadenza.stages.s7_delivery import Limits
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.tool import Tool
from cadenza.types import (
    Broke,
    Chunk,
    Completed,
    Empty,
    Ending,
    Persona,
    Reply,
    Scene,
    Segment,
    Stalled,
    Stopped,
    StopReason,
    TextDelta,
    ToolSpec,
)
from tests.leaps import leaping
from tests.loopback import Act, Answer, Loopback, Step, serving
from tests.tiny import TinyCodec, sse
from tests.trouble import NO_TROUBLE, REFUSALS, TURN, Channel, Trouble, Voice, failing, peace, stalling, stopping

SCENE = Scene("general", Persona("Ren"))
SETTINGS = Settings.of(
    degree=2, idle_timeout=50.0, first_timeout=50.0, tool_timeout=20.0, model_retries=0, empty_retries=0
)
PATIENT = Settings.of(degree=2, retry_delay=0.5, retry_wait=60.0)
LONG = "One.\nTwo, @nobody.\nThree. Four"


def _left(loop: asyncio.AbstractEventLoop) -> tuple[set[Any], int, set[threading.Thread]]:
    """What there is: tasks, generators that were begun and not ended, threads."""
    gc.collect()
    begun: Any = getattr(loop, "_asyncgens")  # noqa: B009  # asyncio's own book of them, which has no other name
    unfinished = sum(generator.ag_frame is not None for generator in begun)
    return asyncio.all_tasks(loop), unfinished, set(threading.enumerate())


@pytest.fixture(autouse=True)
async def _no_complaints() -> AsyncIterator[None]:
    """What asyncio itself complains of: errors that nobody has seen, tasks and streams that nobody has ended."""
    complaints: list[object] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    yield
    gc.collect()  # only now nothing of the test is left that could still hold them
    assert [] == complaints


@asynccontextmanager
async def nothing_left() -> AsyncIterator[None]:
    """Count what there is before and behind."""
    loop = asyncio.get_running_loop()
    before = _left(loop)
    yield
    await asyncio.sleep(0)
    assert before == _left(loop)


@dataclass
class Setup:
    """All that a reply may need, and what is to be seen of it behind."""

    channel: Channel = field(default_factory=lambda: Channel(latency=0.2))
    stops: Stops = field(default_factory=Stops)
    settings: Settings = SETTINGS
    voices: list[Voice] = field(default_factory=list)
    rules: tuple[type[Rule], ...] = ()
    seconds: float = 1.0
    """How long the tool works."""

    def voice(
        self, *rounds: list[str | None], act: Callable[[], Awaitable[None]] = peace, at: int = NO_TROUBLE
    ) -> None:
        """One more model that may be asked."""
        self.voices.append(Voice(rounds, Trouble(act, at), f"model {len(self.voices)}"))

    async def run(self) -> Reply:
        """The whole reply, with tools, lookups and all."""
        preparer = PostPreparer(painter=None, lookup=Lookup(self._find))
        try:
            with self.stops.open(TURN) as handle:
                return await reply(
                    SCENE,
                    [voice.model for voice in self.voices],
                    self.channel,
                    settings=self.settings,
                    tools=self._tools(),
                    stop=handle,
                    rules=self.rules,
                    preparer=preparer,
                )
        finally:
            await preparer.close()

    async def _find(self, _handle: str, _place: str) -> str | None:
        await asyncio.sleep(0.3)
        return None

    def _tools(self) -> Mapping[str, Tool]:
        async def look(_arguments: Mapping[str, object], *_: object) -> str:
            await asyncio.sleep(self.seconds)
            return "seen"

        return {"look": Tool(ToolSpec("look", "Look.", {"type": "object", "properties": {}}), look)}

    @property
    def open(self) -> int:
        """How many streams of models are still open."""
        return sum(voice.open for voice in self.voices)


class FailingRule(Rule):
    """Fails in the middle."""

    def change(self, segment: Segment) -> Segment:
        if "Two" in segment.text:
            raise ValueError(segment.text)
        return segment


class FailingAtTheEnd(Rule):
    """Fails when nothing more comes."""

    def flush(self, why: Ending, /) -> tuple[()]:
        raise KeyError(why)


def _overloaded() -> ProviderError:
    return ProviderError("overloaded")


def exits() -> dict[str, tuple[Setup, type[object]]]:
    """Every way out of a reply, made anew, and the outcome that belongs to it."""
    ways: dict[str, tuple[Setup, type[object]]] = {}

    def way(name: str, outcome: type[object], **values: Any) -> Setup:
        setup = Setup(**values)
        ways[name] = (setup, outcome)
        return setup

    way("finish", Completed).voice([LONG])
    way("finish with tools", Completed).voice(["I look.\n", None], [LONG])
    way("empty", Empty).voice([])
    way("no model", Broke)
    way("stall", Stalled).voice([LONG, "x"], act=stalling, at=1)
    way("a stall before the first word", Stalled).voice([LONG], act=stalling, at=0)
    way("failure", Broke).voice([LONG, "x"], act=failing(_overloaded), at=1)
    way("foreign failure", Broke).voice([LONG, "x"], act=failing(RuntimeError), at=1)
    way("a stream that gives up", Broke).voice([LONG, "x"], act=failing(asyncio.CancelledError), at=1)
    way("tool timeout", Completed, seconds=1000.0).voice(["I look.\n", None], ["Never mind."])
    way("out of time", Stopped, settings=Settings.of(degree=1, turn_timeout=5.0)).voice([LONG], act=stalling, at=1)
    way("a rule that raises", Broke, rules=(FailingRule,)).voice([LONG])
    way("a rule that raises at the end", Broke, rules=(FailingAtTheEnd,)).voice([LONG])
    for reason in StopReason:
        for at in range(3):
            setup = way(f"{reason.value} at {at}", Stopped)
            setup.voice([LONG, "x"], act=stopping(setup.stops, reason, seconds=500.0), at=at)
        setup = way(f"{reason.value} in a tool", Stopped if reason is not StopReason.FOLLOW_UP else Completed)
        setup.voice(["I look.\n", None], ["Done."], act=_soon(setup.stops, reason), at=1)
    for name, error in REFUSALS.items():
        for crash_at in range(3):
            channel = Channel(latency=0.2, crash_at=crash_at, error=error)
            way(f"{name} at message {crash_at}", object, channel=channel).voice([LONG])
    way("another try", Completed, settings=PATIENT).voice([LONG, "x"], ["Better."], act=failing(RuntimeError), at=1)
    way("another try of a silent model", Completed, settings=PATIENT).voice([], [], ["Better."])
    fallback = way("fallback", Completed)
    fallback.voice([LONG, "x"], act=failing(_overloaded), at=1)
    fallback.voice(["Better."])
    vain = way("fallback in vain", Broke)
    vain.voice([LONG, "x"], act=failing(_overloaded), at=1)
    vain.voice([LONG, "x"], act=failing(_overloaded), at=0)
    return ways


def _soon(stops: Stops, reason: StopReason) -> Callable[[], Awaitable[None]]:
    """A stop in a little while, and the model goes on."""

    async def act() -> None:
        asyncio.get_running_loop().call_later(0.5, stops.request, TURN, reason)

    return act


def _make(name: str) -> tuple[Setup, type[object]]:
    return exits()[name]


@pytest.mark.looptime
@pytest.mark.parametrize("name", exits())
async def test_whatever_the_way_out_nothing_is_left(name: str) -> None:
    setup, outcome = _make(name)
    async with nothing_left():
        result = await setup.run()

    assert isinstance(result.outcome, outcome), result.outcome
    assert 0 == setup.open


# --- given up ------------------------------------------------------------------------------------


def everything() -> Setup:
    """A reply in which there is nothing that does not happen: a tool, a failure, another model, a lookup, pauses."""
    setup = Setup()
    setup.voice(["I look.\n", None], [LONG, "x"], act=failing(_overloaded), at=5)
    setup.voice(["Four.\n", "Five, @somebody.\n", None], ["Six.\nSev", "en."])
    return setup


async def _given_up(setup: Setup, *moments: float) -> None:
    """Cancel the reply, once for each of *moments*."""
    task = asyncio.ensure_future(setup.run())
    for moment in moments:
        await asyncio.sleep(moment)
        task.cancel()
    with suppress(asyncio.CancelledError):
        await task


@pytest.mark.looptime
async def test_two_hundred_replies_given_up_at_any_moment_leave_nothing() -> None:
    dice = Random(7)
    async with nothing_left():
        for _ in range(200):
            setup = everything()
            moments = [dice.uniform(0.0, 14.0), *(dice.uniform(0.0, 0.3) for _ in range(dice.randint(0, 2)))]

            await _given_up(setup, *moments)

            assert 0 == setup.open
            assert len(setup.channel.started) >= len(setup.channel.shown)


@pytest.mark.looptime
async def test_given_up_after_any_number_of_steps_it_leaves_nothing() -> None:
    """Not at a moment in time, but at every turn that the loop takes."""
    async with nothing_left():
        for steps in range(250):
            setup = everything()
            task = asyncio.ensure_future(setup.run())
            for _ in range(steps):
                await asyncio.sleep(0)
            task.cancel()
            with suppress(asyncio.CancelledError):
                await task

            assert 0 == setup.open


@pytest.mark.looptime
async def test_a_send_under_way_when_it_is_given_up_arrives_and_is_the_last() -> None:
    setup = Setup(channel=Channel(latency=5.0))
    setup.voice([LONG])
    async with nothing_left():
        await _given_up(setup, 1.0, 1.0)

    assert (["One."], [0.0]) == (setup.channel.texts, setup.channel.started)


@pytest.mark.looptime
async def test_a_stream_that_does_not_want_to_end_is_not_listened_to_for_ever() -> None:
    said = 0

    async def stubborn() -> AsyncIterator[Chunk]:
        nonlocal said
        while True:
            with suppress(asyncio.CancelledError):
                await asyncio.sleep(1.0)
            said += 1
            yield TextDelta("x")

    async with nothing_left():
        task = asyncio.ensure_future(say(MemoryTarget(), stubborn(), settings=SETTINGS))
        await asyncio.sleep(2.5)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    assert said == 3


@pytest.mark.looptime
async def test_the_errors_of_a_stream_that_is_given_up_are_nobody_s() -> None:
    async def sulking() -> AsyncIterator[str]:
        try:
            yield "One.\n"
            await asyncio.sleep(60.0)
        except asyncio.CancelledError:
            msg = "secret"
            raise RuntimeError(msg) from None

    async with nothing_left():
        task = asyncio.ensure_future(say(MemoryTarget(), sulking(), settings=SETTINGS))
        await asyncio.sleep(1.0)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task


# --- on a real loop ----------------------------------------------------------------------------------

GOOD = sse({"text": "One.\n"}, {"text": "Two."}, {"end": "stop"})
BEGUN = sse({"text": "One.\nTw"})


def _model(loopback: Loopback, http: Http) -> Model:
    return Model(TinyCodec(endpoint=Endpoint("tiny", "m", loopback.url, "sk-test")), http.transport(private=True))


HASTY = Settings.of(degree=1, idle_timeout=0.05, first_timeout=0.05, model_retries=0, empty_retries=0)


@pytest.mark.parametrize(
    ("steps", "outcome"),
    [
        pytest.param((GOOD,), Completed, id="finish"),
        pytest.param((BEGUN, Act.STALL), Stalled, id="stall"),
        pytest.param((Act.STALL,), Stalled, id="a stall before the first word"),
        pytest.param((BEGUN, Act.RESET), Broke, id="failure"),
    ],
)
async def test_no_connection_is_left_open_however_it_ends(steps: tuple[Step, ...], outcome: type[object]) -> None:
    async with asyncio.timeout(20), serving(Answer(steps)) as loopback, nothing_left():
        async with Http() as http:
            with leaping():  # only who says nothing is late
                result = await reply(SCENE, _model(loopback, http), MemoryTarget(), settings=HASTY)

            if outcome is not Completed:  # one that ended well is kept for the next answer
                await loopback.quiet()
        await loopback.quiet()
        await _others_ended()

    assert isinstance(result.outcome, outcome)
    assert (1, 0) == (loopback.accepted, loopback.open)


@pytest.mark.parametrize("how", ["stop", "cancel"])
@pytest.mark.parametrize("steps", [(Act.STALL,), (BEGUN, Act.STALL)], ids=["before the first word", "in a word"])
async def test_no_connection_is_left_open_when_it_is_given_up(how: str, steps: tuple[Step, ...]) -> None:
    stops = Stops()
    async with asyncio.timeout(20), serving(Answer(steps)) as loopback, nothing_left():
        async with Http() as http:
            with stops.open(TURN) as handle:
                task = asyncio.ensure_future(
                    reply(SCENE, _model(loopback, http), MemoryTarget(), settings=SETTINGS, stop=handle)
                )
                while not loopback.asked:  # noqa: ASYNC110  # the server has no event for it
                    await asyncio.sleep(0.001)
                if how == "stop":
                    stops.request(TURN, StopReason.FOLLOW_UP)
                else:
                    task.cancel()
                with suppress(asyncio.CancelledError):
                    await task
            await loopback.quiet()
        await _others_ended()

    assert (1, 0) == (loopback.accepted, loopback.open)


async def _others_ended() -> None:
    """Let the server's own tasks end; that its connections are closed is known already."""
    for _ in range(10):
        await asyncio.sleep(0)


async def test_no_thread_is_left_when_a_picture_is_not_waited_for() -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n\nNext."
    go_on = threading.Event()

    class Painter:
        def paint(self, _table: object, /) -> bytes | None:
            go_on.wait(10.0)
            return b"PNG"

    stops, target = Stops(), MemoryTarget(limits=Limits(files=True))
    async with asyncio.timeout(20), nothing_left():
        with stops.open(TURN) as handle:
            asyncio.get_running_loop().call_later(0.05, stops.request, TURN, StopReason.FOLLOW_UP)
            result = await say(
                target, table, settings=Settings.of(degree=1), stop=handle, preparer=PostPreparer(Painter())
            )
        go_on.set()
        for thread in threading.enumerate():
            if thread.name == "cadenza painter":
                await asyncio.to_thread(thread.join, 10.0)
        await asyncio.get_running_loop().shutdown_default_executor()

    assert ([], Stopped(StopReason.FOLLOW_UP)) == (target.texts, result.outcome)
