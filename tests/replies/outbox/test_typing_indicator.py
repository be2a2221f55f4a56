"""The typing indicator, in virtual time; what it looks like around messages is in ``test_outbox.py`` (T94)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable

import pytest

from cadenza.replies.outbox.typing_indicator import TypingIndicator
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Identity
from tests.timing import now
from tests.trouble import REFUSALS

pytestmark = pytest.mark.looptime

REN, MIA = Identity("Ren"), Identity("Mia")


class Watched(MemoryTarget):
    """A chat in which somebody notes who was seen writing, and when; *error* is what it answers with."""

    def __init__(self, error: Callable[[], BaseException] | None = None) -> None:
        super().__init__()
        self.seen: list[tuple[str, float]] = []
        self._error = error

    async def typing(self, identity: Identity | None, /) -> None:
        self.seen.append((identity.name if identity else "", now()))
        if self._error:
            raise self._error()


async def write(indicator: TypingIndicator, identity: Identity | None, seconds: float) -> None:
    indicator.begin(identity)
    await asyncio.sleep(seconds)
    await indicator.end()


async def test_it_is_shown_at_once_and_again_before_it_goes_out() -> None:
    target = Watched()

    await write(TypingIndicator(target), REN, 17.0)
    await asyncio.sleep(20.0)

    assert [("Ren", 0.0), ("Ren", 8.0), ("Ren", 16.0)] == target.seen


async def test_while_it_still_shows_it_is_not_shown_again_unless_for_somebody_else() -> None:
    target = Watched()
    indicator = TypingIndicator(target)

    for identity in (REN, REN, MIA, REN):
        await write(indicator, identity, 1.0)

    assert [("Ren", 0.0), ("Mia", 2.0), ("Ren", 3.0)] == target.seen


async def test_a_moment_after_a_message_it_is_shown_again() -> None:
    target = Watched()
    indicator = TypingIndicator(target)

    await write(indicator, None, 1.0)
    indicator.is_out()
    await write(indicator, None, 1.0)

    assert [("", 0.0), ("", 1.5)] == target.seen


async def test_it_is_not_shown_in_the_moment_after_a_message_whoever_writes() -> None:
    target = Watched()
    indicator = TypingIndicator(target)

    indicator.is_out()
    await write(indicator, REN, 0.2)
    await write(indicator, MIA, 0.2)
    await write(indicator, REN, 0.2)

    assert [("Ren", 0.5)] == target.seen


@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS)
async def test_whatever_a_chat_raises_is_no_matter(error: Callable[[], BaseException]) -> None:
    target = Watched(error)

    await write(TypingIndicator(target), REN, 9.0)

    assert [("Ren", 0.0), ("Ren", 8.0)] == target.seen
