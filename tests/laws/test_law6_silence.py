"""Law 6: after an outcome, silence. Whenever a stop comes, it takes effect at once.

In virtual time: the stop falls on every tenth of a second of a reply that types, pauses, codes and waits.
"""

from __future__ import annotations

import asyncio

import pytest

from cadenza.replies import say
from cadenza.settings import Settings
from cadenza.stops import Stops
from cadenza.types import Stopped, StopReason
from tests.timing import SlowStream, TimedTarget

pytestmark = pytest.mark.looptime

SAID = "one.\ntwo, three.\n\n```py\nfour\n```\nfive. six\n**seven\neight** nine\n"
_CRUMB = 1e-6
MOMENTS = [tenth / 10 for tenth in range(90)]


@pytest.mark.parametrize("latency", [0.0, 0.35])
@pytest.mark.parametrize(
    ("reason", "most"), [(StopReason.USER, 1), (StopReason.SHUTDOWN, 1), (StopReason.FOLLOW_UP, 0)], ids=str
)
async def test_after_a_stop_there_is_one_message_at_most(reason: StopReason, most: int, latency: float) -> None:
    for moment in MOMENTS:
        model = SlowStream(*(piece for character in SAID for piece in (character, 0.1)), 60.0)
        target, stops = TimedTarget(latency=latency), Stops()
        begin = asyncio.get_running_loop().time()
        with stops.open("turn") as handle:
            asyncio.get_running_loop().call_at(begin + moment, stops.request, "turn", reason)
            reply = await say(target, model, settings=Settings.of(degree=2), stop=handle)

        delays = [start - begin - moment for start in target.started if start - begin - moment > _CRUMB]
        assert len(delays) <= most
        assert max(delays, default=0.0) <= latency + _CRUMB, "it waits for a send under way and for nothing else"
        assert reply.outcome == Stopped(reason)
        assert target.texts == [receipt.post.text for receipt in reply.receipts]
        assert _letters(SAID).startswith(_letters("".join(target.texts)))
        assert model.closed


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))
