"""The protocol of a stage, and ``Pipe``, which runs stages one after the other.

A stage takes one item and returns what is now certain. It has its own state, calls no other stage and does no I/O.
``feed`` may hold something back until more is known; ``flush`` releases it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Protocol, TypeVar

from ..types import Aside, Attachment, Ending, Halt, StopReason

In = TypeVar("In", contravariant=True)
Out = TypeVar("Out", covariant=True)


_GOES_PAST = frozenset({Aside, Halt})
"""What passes every stage unseen."""
_BROKEN = Halt(StopReason.RULE)
"""Ends the stages after one that failed."""


class Stage(Protocol[In, Out]):
    """One step of the pipeline.

    Both methods do their work when they are called, not when their result is iterated: a stage whose result is dropped
    has still seen its input.
    """

    def feed(self, item: In, /) -> Iterable[Out | Aside | Halt]:
        """Take *item*; return what no later input can change."""

    def flush(self, why: Ending, /) -> Iterable[Out | Aside | Halt]:
        """The input has ended because of *why*: return what was held back."""


class Pipe:
    """Stages in sequence, themselves a stage.

    An ``Aside`` goes straight to the end. So does a ``Halt``, but first the later stages release what they hold,
    because it came before. After a ``Halt`` nothing more comes out, whatever is fed.

    A stage that raises also ends the pipe. What had passed it before is kept: the next ``flush`` returns it.
    """

    __slots__ = ("_feed_first", "_feeds", "_halted", "_rescued", "_single", "_stages")

    def __init__(self, *stages: Stage[Any, Any]) -> None:
        self._stages: tuple[Stage[Any, Any], ...] = tuple(inner for stage in stages for inner in _members(stage))
        self._single = tuple(inner for stage in self._stages for inner in getattr(stage, "stages", (stage,)))
        self._feeds = tuple(stage.feed for stage in self._stages)
        self._feed_first: Callable[[Any], Iterable[Any]] = self._feeds[0] if self._feeds else _unchanged
        self._halted = False
        self._rescued: list[Any] = []  # what had passed a stage before it failed

    @property
    def stages(self) -> tuple[Stage[Any, Any], ...]:
        """The stages, in order, with those of a group one by one."""
        return self._single

    def feed(self, item: Any, /) -> list[Any]:
        """Send *item* through the stages."""
        try:
            results = self._feed_first(item)
        except Exception:
            self._break_off([], 1)
            raise
        return self._pass_on(results, 1) if results else []  # most tokens give no result

    def show(self, file: Attachment, /) -> list[Any]:
        """Release what is held, then let the last stage show *file*; later items are fed as before."""
        out = self.flush(Ending.FILE)
        return out if self._halted else out + self._until_halt(self._feeds[-1](file))

    def flush(self, why: Ending, /) -> list[Any]:
        """Flush each stage in turn; what it releases passes the later stages."""
        out, self._rescued = self._rescued, []
        for after, stage in enumerate(self._stages, start=1):
            if self._halted:
                break
            try:
                out += self._pass_on(self._flushed(stage, why, after), after)
            except Exception:
                self._rescued = out + self._rescued
                raise
        return out

    def discard(self) -> list[Aside]:
        """Drop what is held back; return only the asides in it."""
        asides: list[Aside] = []
        for stage in () if self._halted else self._stages:
            with suppress(Exception):  # an error in dropped text does not matter
                asides += (item for item in stage.flush(Ending.DISCARD) if type(item) is Aside)
        self._halt()
        return asides

    def _flushed(self, stage: Stage[Any, Any], why: Ending, after: int) -> Iterable[Any]:
        try:
            return stage.flush(why)
        except Exception:
            self._break_off([], after)
            raise

    def _pass_on(self, items: Any, start: int) -> list[Any]:
        """Send *items* through the stages from *start* on; each stage gets all of them before the next one begins."""
        kind: type | None = None  # of the last item that a stage was given alone
        for after, feed in enumerate(self._feeds[start:], start + 1):
            if type(items) is not tuple or len(items) != 1 or type(items[0]) is not kind:
                if not items:
                    return []
                is_listed = type(items) is tuple or type(items) is list
                if not is_listed or len(items) != 1 or type(items[0]) in _GOES_PAST:
                    items = self._pass_all(items, feed, after)
                    continue
                kind = type(items[0])
            try:
                items = feed(items[0])  # usually there is one item, and no list is needed
            except Exception:
                self._break_off([], after)
                raise
        return self._until_halt(items) if items else []

    def _pass_all(self, items: Iterable[Any], feed: Callable[[Any], Iterable[Any]], after: int) -> list[Any]:
        """Send *items* through the stage that has *feed*, which comes before the stage number *after*."""
        passed: list[Any] = []
        try:
            for item in items:
                if type(item) not in _GOES_PAST:
                    passed += feed(item)
                elif type(item) is Aside:
                    passed.append(item)
                else:
                    passed += self._stages[after - 1].flush(Ending.FINAL)
                    passed.append(item)
                    break  # what follows a halt is dropped
        except Exception:
            self._break_off(passed, after)
            raise
        return passed

    def _break_off(self, passed: list[Any], after: int) -> None:
        """A stage failed after it *passed* these items on: send them through the stages *after* it, and keep them."""
        self._halt()
        with suppress(Exception):  # if another stage fails on the way, it has kept what had passed it
            passed = self._pass_on([*passed, _BROKEN], after)
            self._rescued = [item for item in passed if item is not _BROKEN]

    def _until_halt(self, items: Iterable[Any]) -> list[Any]:
        kept: list[Any] = []
        for item in items:
            kept.append(item)
            if type(item) is Halt:
                self._halt()
                break
        return kept

    def _halt(self) -> None:
        self._halted = True
        self._feed_first = _nothing  # so that a token need not ask whether the pipe has halted


def _members(stage: Stage[Any, Any]) -> tuple[Stage[Any, Any], ...]:
    """The stages of *stage*, if it is a pipe: one loop instead of two."""
    return stage._stages if isinstance(stage, Pipe) else (stage,)  # noqa: SLF001  # a group stays one


def skipped(stage: object) -> int:
    """How many items *stage*, or the stages of a pipe together, could not read; 0 for a stage that does not count."""
    if isinstance(stage, Pipe):
        return sum(map(skipped, stage.stages))
    count = getattr(stage, "skipped", 0)
    return count if isinstance(count, int) else 0


def is_ending(stage: object) -> bool:
    """Whether *stage*, or one of a pipe, knows why the stream ends and waits for what comes with that."""
    return _says(stage, "is_ending")


def is_calling(stage: object) -> bool:
    """Whether *stage*, or one of a pipe, holds a tool call that is still arriving."""
    return _says(stage, "is_calling")


def _says(stage: object, name: str) -> bool:
    if isinstance(stage, Pipe):
        return any(_says(inner, name) for inner in stage.stages)
    return getattr(stage, name, False) is True


def _unchanged(item: Any) -> tuple[Any]:
    return (item,)


def _nothing(_: Any) -> tuple[()]:
    return ()
