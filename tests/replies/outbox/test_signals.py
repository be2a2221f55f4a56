"""What wakes the sender and the reply. The rest is in ``test_outbox.py`` and ``test_sender.py``."""

from __future__ import annotations

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.replies.outbox.pacing import Pacing
from cadenza.replies.outbox.queue import PostQueue
from cadenza.replies.outbox.signals import Signals
from cadenza.settings import Settings
from cadenza.stages.s4_round import Keep
from cadenza.types import Boundary, Post, StopReason

pytestmark = pytest.mark.looptime


async def test_there_is_room_until_the_queue_is_full_and_again_once_it_takes_nothing_more() -> None:
    queue = PostQueue(50)
    signals = Signals(queue, Pacing(Settings.of(queue=2), 0.0, limit=50), None)
    seen = []
    for text in ("one", "two"):
        queue.add([Post(text, Boundary.NEWLINE)])
        signals.wake()
        seen.append(signals.has_room.is_set())
    queue.cut(Keep.EVERYTHING)
    signals.wake()

    assert ([True, False], True) == (seen, signals.has_room.is_set())
    assert signals.changed.is_set()


async def test_nothing_is_sent_between_a_stop_and_what_is_decided_about_it() -> None:
    stops = Stops()
    with stops.open("turn") as stop:
        signals = Signals(PostQueue(50), Pacing(None, 0.0, limit=50), stop)
        seen = [signals.is_stopping]
        stops.request("turn", StopReason.USER)
        seen.append(signals.is_stopping)
        signals.heeds_stop = False
        seen.append(signals.is_stopping)

    assert [False, True, False] == seen
