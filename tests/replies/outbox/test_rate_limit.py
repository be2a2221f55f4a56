"""What a target takes, and what that means for the posts that wait; the arithmetic is in ``test_s7_rations.py``."""

from __future__ import annotations

from asyncio import CancelledError

import pytest

from cadenza.replies.outbox.rate_limit import AllowanceMeter, SendPermit
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Allowance, SupportsAllowance
from cadenza.types import Boundary, Identity, Post


class Says(MemoryTarget):
    """A chat that says *answer* when it is asked what it takes."""

    def __init__(self, answer: object) -> None:
        super().__init__()
        self._answer = answer
        self.asked: list[Identity | None] = []

    def allowance(self, identity: Identity | None, /) -> Allowance | None:
        self.asked.append(identity)
        if isinstance(self._answer, BaseException):
            raise self._answer
        return self._answer  # type: ignore[return-value]  # whatever foreign code may give back


def waiting(*sizes: int) -> list[Post]:
    return [Post("x" * size, Boundary.NEWLINE, identity=Identity("Ren")) for size in sizes]


def test_a_target_that_does_not_say_takes_everything_as_it_is() -> None:
    meter = AllowanceMeter(MemoryTarget(), 50)

    assert (False, SendPermit(0.0, 1)) == (bool(meter), meter.leave(waiting(1, 1), 2, is_last=False, since=0.0))


@pytest.mark.parametrize(
    "answer",
    [
        pytest.param(None, id="nothing is known"),
        pytest.param(ValueError("secret"), id="an error"),
        pytest.param("five", id="something else"),
        pytest.param(CancelledError(), id="a cancellation of its own"),
        pytest.param(Allowance("two", 5, 1.0), id="no number"),  # type: ignore[arg-type]  # foreign code
        pytest.param(Allowance(0, 5, 10**400), id="no time"),
    ],
)
def test_so_does_one_that_has_no_answer(answer: object) -> None:
    meter = AllowanceMeter(Says(answer), 50)

    assert (True, SendPermit(0.0, 1)) == (bool(meter), meter.leave(waiting(1, 1), 2, is_last=False, since=0.0))


def test_it_is_asked_about_whoever_speaks_next() -> None:
    target = Says(None)
    assert isinstance(target, SupportsAllowance)

    AllowanceMeter(target, 50).leave(waiting(1), 1, is_last=True, since=0.0)

    assert [Identity("Ren")] == target.asked


@pytest.mark.parametrize(
    ("answer", "sizes", "wanted"),
    [
        pytest.param(Allowance(5, 5, 0.0), (1, 1), SendPermit(0.0, 1), id="as planned"),
        pytest.param(Allowance(2, 5, 4.0), (1, 1), SendPermit(2.0, 2), id="for the sake of what may come"),
        pytest.param(Allowance(2, 5, 4.0), (30, 30), SendPermit(0.0, 1), id="what is full need not wait for more"),
        pytest.param(Allowance(1, 5, 4.0), (30, 30), SendPermit(4.0, 1), id="unless none is left"),
    ],
)
def test_what_can_be_one_message_is_waited_for(answer: Allowance, sizes: tuple[int, ...], wanted: SendPermit) -> None:
    assert wanted == AllowanceMeter(Says(answer), 50).leave(waiting(*sizes), len(sizes), is_last=False, since=0.0)


def test_what_cannot_be_put_together_counts_as_well() -> None:
    meter = AllowanceMeter(Says(Allowance(2, 5, 4.0)), 50)

    assert SendPermit(0.0, 2) == meter.leave(waiting(1, 1), 4, is_last=True, since=0.0)
    assert SendPermit(0.0, 1) == meter.leave(waiting(1, 1), 2, is_last=True, since=0.0)


def test_who_was_short_once_is_careful_from_then_on() -> None:
    answers = [Allowance(4, 5, 4.0), Allowance(1, 5, 4.0), Allowance(4, 5, 4.0)]

    class Changing(Says):
        def allowance(self, _: Identity | None, /) -> Allowance:
            return answers.pop(0)

    meter = AllowanceMeter(Changing(None), 50)

    assert [0.0, 4.0, 1.0] == [meter.leave(waiting(1), 1, is_last=False, since=0.0).wait for _ in range(3)]


def test_one_that_never_takes_anything_is_believed_for_a_minute() -> None:
    meter = AllowanceMeter(Says(Allowance(0, 5, 20.0)), 50)
    waits = []
    for _ in range(5):
        waits.append(meter.leave(waiting(1, 1), 2, is_last=True, since=0.0))
        meter.waited(waits[-1].wait)

    assert [SendPermit(20.0, 2)] * 3 + [SendPermit(0.0, 2)] * 2 == waits


def test_one_that_took_something_is_believed_again() -> None:
    answers = [Allowance(0, 5, 20.0), Allowance(5, 5, 0.0), Allowance(0, 5, 20.0)]

    class Changing(Says):
        def allowance(self, _: Identity | None, /) -> Allowance:
            return answers.pop(0)

    meter = AllowanceMeter(Changing(None), 50)
    meter.waited(50.0)
    waits = []
    for _ in range(3):
        waits.append(meter.leave(waiting(1), 1, is_last=True, since=0.0).wait)
        meter.waited(10.0)

    assert [20.0, 0.0, 20.0] == waits
