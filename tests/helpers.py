"""What several test modules share: every way to slice a stream, and dice that fall as they are told."""

from __future__ import annotations

import io
import logging
from collections.abc import Callable, Iterable, Iterator
from cProfile import Profile
from itertools import cycle
from typing import AnyStr, TypeVar

from cadenza.bot.config.config import LogConfig
from cadenza.bot.services.logs import set_up, take_down

T = TypeVar("T")


def slicings(whole: AnyStr) -> Iterator[list[AnyStr]]:
    """*whole* in one piece, one by one, and in odd pieces with nothing between some of them."""
    nothing = whole[:0]
    yield [whole]
    yield [whole[index : index + 1] for index in range(len(whole))]
    for sizes in ((2, 3), (5, 1, 7), (13, 4)):
        pieces, start, steps = [nothing], 0, cycle(sizes)
        while start < len(whole):
            size = next(steps)
            pieces += [whole[start : start + size], nothing]
            start += size
        yield pieces


def same_every_way(whole: AnyStr, run: Callable[[list[AnyStr]], T]) -> T:
    """Give *run* every slicing of *whole*; all must come to the same, which is given back."""
    first, *others = [run(pieces) for pieces in slicings(whole)]
    for other in others:
        assert first == other, f"depends on how {whole!r} was sliced"
    return first


def written_by_the_bot(records: Iterable[logging.LogRecord], *secrets: str) -> str:
    """*records* as the bot writes them at level debug, with tracebacks."""
    out = io.StringIO()
    set_up(LogConfig(level="debug"), secrets=secrets, stream=out)
    try:
        for record in records:
            logging.getLogger().handlers[-1].handle(record)
    finally:
        take_down()
    return out.getvalue()


class Dice:
    """Falls as it is told, over and over, and counts its throws."""

    def __init__(self, *rolls: float) -> None:
        self._rolls = cycle(rolls or (0.99,))
        self.thrown = 0

    def random(self) -> float:
        """The next roll."""
        self.thrown += 1
        return next(self._rolls)


def calls_of(work: Callable[[], object]) -> int:
    """How many functions are called to do *work*: what it costs, the same on every machine."""
    profile = Profile()
    profile.runcall(work)
    return sum(entry.callcount for entry in profile.getstats())
