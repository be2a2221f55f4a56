"""Whoever looks changes nothing: with a trace the same messages are sent, in the same order, at the same time.

And the trace is whole: every message in it is one that was sent, made of text that the model said.
"""

from __future__ import annotations

import asyncio
from random import Random

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.facts import ChunkHeard, Hook, LoggedFact, MessageSent, ReplyHalted
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.types import Line, Persona, Reply, Roster, Scene, Sprite, StopReason
from tests.laws.material import CORPUS
from tests.timing import SlowStream, TimedTarget

# Ticks of a power of two: a sum of pauses is then never a hair's breadth after one, where virtual time would stand still.
pytestmark = pytest.mark.looptime(resolution=2**-20)

SCENE = Scene(
    "channel",
    Persona("Ren", aliases=("Renny",), sprites=(Sprite("mad"),)),
    history=(Line("Mia", "hello"),),
    roster=Roster(mentions={"mia": "<@1>"}, emoji={"wave": "<:wave:1>"}, speakers=("Mia",)),
    reply_to="77",
)


def model(text: str) -> SlowStream:
    """A model that says *text* in uneven pieces, now fast, now slowly; the same each time."""
    dice = Random(len(text))
    items: list[str | float] = []
    while text:
        size = dice.randint(1, 24)
        items += [text[:size], dice.choice([0.0, 0.0, 0.015625, 0.25])]
        text = text[size:]
    return SlowStream(*items)


async def told(text: str, degree: int, trace: Hook | None) -> tuple[Reply, TimedTarget, list[float]]:
    """What comes of *text*, and when everything happened, counted from the beginning."""
    target, begun = TimedTarget(latency=0.0625), asyncio.get_running_loop().time()
    settings = Settings.of(degree=degree, speaker_guard=True, queue=3)
    reply = await say(target, model(text), scene=SCENE, settings=settings, trace=trace)
    return reply, target, [round(at - begun, 6) for at in (*target.started, *target.arrived, *target.typed)]


@pytest.mark.parametrize("degree", range(4))
@pytest.mark.parametrize("name", CORPUS)
async def test_the_same_is_sent_at_the_same_time(name: str, degree: int) -> None:
    seen: list[LoggedFact] = []
    bare_reply, bare_target, bare_times = await told(CORPUS[name], degree, None)
    seen_reply, seen_target, seen_times = await told(CORPUS[name], degree, seen.append)

    assert bare_target.posts == seen_target.posts
    assert bare_times == seen_times
    assert bare_reply == seen_reply
    assert [post.text for post in seen_target.posts] == [
        one.fact.text for one in seen if isinstance(one.fact, MessageSent)
    ]
    heard = "".join(one.fact.text for one in seen if isinstance(one.fact, ChunkHeard))
    is_whole = not any(isinstance(one.fact, ReplyHalted) for one in seen)
    assert heard == CORPUS[name] if is_whole else CORPUS[name].startswith(heard)


@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.FOLLOW_UP], ids=str)
async def test_a_stop_takes_effect_at_the_same_time(reason: StopReason) -> None:
    for tenth in range(0, 90, 3):
        outcomes = []
        for trace in (None, [].append):
            target, stops, begun = TimedTarget(latency=0.35), Stops(), asyncio.get_running_loop().time()
            with stops.open("turn") as stop:
                asyncio.get_running_loop().call_later(tenth / 10, stops.request, "turn", reason)
                text = "one.\ntwo, three.\n\n```py\nfour\n```\nfive. six\n**seven\neight** nine\n"
                reply = await say(target, SlowStream(*(piece for letter in text for piece in (letter, 0.1)), 60.0), stop=stop, trace=trace)  # fmt: skip
            outcomes.append((reply, target.posts, [round(at - begun, 6) for at in (*target.started, *target.arrived)]))

        assert outcomes[0] == outcomes[1]
