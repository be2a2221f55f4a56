"""In a channel one reply speaks at a time, in the order in which the replies were called, whatever becomes of each.

Random replies to few channels: some take long, some fail, are cancelled or stopped while they wait or speak, some say
something in another channel or leave a task behind.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from dataclasses import dataclass
from functools import partial
from itertools import groupby

from hypothesis import given, settings, strategies as st
from looptime import new_event_loop

from cadenza.concurrency.stops import Stops
from cadenza.replies.channel_queue import ChannelQueue
from cadenza.replies.say import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget

LINES = Settings.of(shape="lines")
CHANNELS = ("hill", "barn")


class Place(MemoryTarget):
    """A target with a channel."""

    def __init__(self, channel: str) -> None:
        super().__init__()
        self.channel = channel


@dataclass(frozen=True)
class Call:
    """A reply that is called."""

    channel: str
    after: float
    """Seconds after which it is called."""
    lines: int
    fails: bool
    ends: float | None
    """Seconds after which it is cancelled or stopped."""
    is_stopped: bool
    inside: str | None
    """The channel in which it says something itself."""


calls = st.builds(
    Call,
    channel=st.sampled_from(CHANNELS),
    after=st.sampled_from([0.0, 0.5, 1.0, 4.0]),
    lines=st.integers(0, 4),
    fails=st.booleans(),
    ends=st.none() | st.sampled_from([0.25, 1.25, 3.25]),
    is_stopped=st.booleans(),
    inside=st.none() | st.sampled_from(CHANNELS),
)


async def words(number: int, call: Call, places: dict[str, Place]) -> AsyncIterator[str]:
    """What the model of a reply says."""
    for line in range(call.lines):
        yield f"{number} says {line}.\n"
        await asyncio.sleep(0.5)
        if line == 1 and call.inside:
            await say(places[call.inside], f"{number} says so inside.", settings=LINES)
    if call.fails:
        raise KeyError


async def reply(number: int, call: Call, places: dict[str, Place], called: list[int]) -> None:
    """One reply, from its call, which *called* notes, to its end."""
    stops, loop = Stops(), asyncio.get_running_loop()
    await asyncio.sleep(call.after)
    with stops.open("turn") as stop:
        called.append(number)
        stream = words(number, call, places)
        saying = asyncio.create_task(say(places[call.channel], stream, settings=LINES, stop=stop))
        if call.ends is not None:
            loop.call_later(call.ends, *((stops.request, "turn") if call.is_stopped else (saying.cancel,)))
        await asyncio.wait([saying])


async def evening(script: list[Call]) -> tuple[dict[str, Place], list[int]]:
    """All replies of *script*, each in a task of its own; also the order in which they were called."""
    places, called = {channel: Place(channel) for channel in CHANNELS}, list[int]()
    async with asyncio.timeout(1000.0):
        await asyncio.gather(*(reply(number, call, places, called) for number, call in enumerate(script)))
    for channel in CHANNELS:
        with ChannelQueue.of_loop().joined(("channel", channel)) as queued:
            assert queued.is_first, "a reply is left in the queue"
    return places, called


@settings(deadline=None)
@given(st.lists(calls, max_size=7))
def test_no_line_of_a_reply_stands_between_those_of_another(script: list[Call]) -> None:
    with asyncio.Runner(loop_factory=partial(new_event_loop, noop_cycles=0)) as runner:
        places, called = runner.run(evening(script))

    for channel, place in places.items():
        lines = [line for text in place.texts for line in text.splitlines()]
        # What is said inside a reply to another channel does not wait there, and is no line of a reply there.
        guests = {f"{number} says so inside." for number, call in enumerate(script) if call.channel != channel}
        said = [int(line.split()[0]) for line in lines if line not in guests]
        speakers = [speaker for speaker, _ in groupby(said)]
        assert len(speakers) == len({*speakers}), lines
        assert sorted(speakers, key=called.index) == speakers, lines
