"""What a stage is, and how stages stand in a row.

A stage takes one thing and gives back what is now certain.
It keeps its own state, calls no other stage and does no I/O.
``feed`` may hold something back until more is known; ``flush`` lets go of what was held.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Protocol, TypeVar

from ..types import Aside, Ending, Halt

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


class Stage(Protocol[In, Out]):
    """One step of the pipeline.

    Both methods do their work when they are called, not when their result is iterated:
    a stage whose answer is dropped has still seen its input.
    """

    def feed(self, item: In, /) -> Iterable[Out | Aside | Halt]:
        """Take *item*; give back what no later input can change."""

    def flush(self, why: Ending, /) -> Iterable[Out | Aside | Halt]:
        """Nothing more comes, because of *why*: give back what was held."""


class Pipe:
    """Stages in a row, themselves a stage.

    An ``Aside`` or a ``Halt`` goes straight to the end of the row.
    After a ``Halt`` nothing more comes out, for whatever goes in.
    """

    __slots__ = ("_halted", "_stages")

    def __init__(self, *stages: Stage[Any, Any]) -> None:
        self._stages = stages
        self._halted = False

    def feed(self, item: Any, /) -> list[Any]:
        """Send *item* down the row."""
        out: list[Any] = []
        if not self._stages:
            self._push(item, 0, out)
        elif not self._halted:
            for result in self._stages[0].feed(item):  # for most tokens there is no result, and this is all
                self._push(result, 1, out)
        return out

    def flush(self, why: Ending, /) -> list[Any]:
        """Flush each stage in turn; what it lets go passes the stages after it."""
        out: list[Any] = []
        for after, stage in enumerate(self._stages, start=1):
            if self._halted:
                break
            for item in stage.flush(why):
                self._push(item, after, out)
        return out

    def _push(self, item: Any, start: int, out: list[Any]) -> None:
        if self._halted:
            return
        if isinstance(item, Halt):
            self._halted = True
            out.append(item)
        elif start == len(self._stages) or isinstance(item, Aside):
            out.append(item)
        else:
            for result in self._stages[start].feed(item):
                self._push(result, start + 1, out)
