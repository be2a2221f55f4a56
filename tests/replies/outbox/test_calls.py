"""The calls to a target, which is foreign code: what it answers, and what it raises."""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import Callable
from math import inf, nan

import pytest

from cadenza.errors import CadenzaError, DeliveryError, Sentence
from cadenza.replies.outbox.calls import TargetCalls, undelivered
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Allowance, SupportsAllowance
from cadenza.types import Boundary, Identity, Notice, Post, Receipt
from tests.trouble import REFUSALS, Channel, FixedChannel

pytestmark = pytest.mark.looptime


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


async def test_a_target_that_does_not_say_has_no_limit() -> None:
    calls = TargetCalls(MemoryTarget(), 50)

    assert (False, None) == (calls.is_metered, calls.allowance(None))


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
async def test_so_has_one_without_a_valid_answer(answer: object, caplog: pytest.LogCaptureFixture) -> None:
    calls = TargetCalls(Says(answer), 50)

    assert (True, None) == (calls.is_metered, calls.allowance(None))
    assert "secret" not in caplog.text


async def test_it_is_asked_about_the_one_that_speaks_next() -> None:
    target = Says(Allowance(2, 5, 4.0))
    assert isinstance(target, SupportsAllowance)

    assert Allowance(2, 5, 4.0) == TargetCalls(target, 50).allowance(Identity("Ren"))
    assert [Identity("Ren")] == target.asked


@pytest.mark.parametrize("error", REFUSALS.values(), ids=REFUSALS)
async def test_a_message_that_cannot_be_deleted_is_told_and_one_that_can_is_gone(
    error: Callable[[], BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    class Stubborn(Channel):
        async def remove(self, receipt: Receipt, /) -> None:
            if receipt.post.text == "two":
                raise error()
            await super().remove(receipt)

    channel = Stubborn()
    calls = TargetCalls(channel, 50)
    one, two = [await calls.send(Post(text, Boundary.NEWLINE)) for text in ("one", "two")]

    assert (True, False) == (await calls.remove(one), await calls.remove(two))
    assert ["two"] == channel.texts
    assert "could not be deleted" in caplog.text


async def test_what_a_target_can_do_is_known() -> None:
    able, plain = TargetCalls(Channel(), 50), TargetCalls(FixedChannel(), 50)

    assert (True, True) == (able.can_remove, able.shows_notices)
    assert not plain.can_remove


async def test_a_notice_is_shown_once_it_is_known_that_it_was() -> None:
    class Deaf(Channel):
        async def notify(self, _notice: Notice, /) -> None:
            raise OSError

    shown, lost = TargetCalls(Channel(), 50), TargetCalls(Deaf(), 50)
    notice = Notice("Done.")

    await shown.show(notice)
    await shown.show_once(notice)
    await lost.show_once(notice)

    assert ([notice], []) == (shown.notices, lost.notices)


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (DeliveryError("gone"), "gone"),
        (CadenzaError("no"), "no"),
        (OSError("secret"), "a message could not be sent (OSError)"),
        (asyncio.CancelledError(), "a message could not be sent (CancelledError)"),
    ],
)
async def test_whatever_is_raised_is_a_delivery_error_in_our_words(error: BaseException, words: str) -> None:
    assert words == str(undelivered(error))


def test_the_values_of_its_sentence_stay_apart() -> None:
    kept = undelivered(CadenzaError(Sentence("no {what}", what="tea"))).sentence

    assert ("no {what}", {"what": "tea"}) == (kept.template, kept.values)


@pytest.mark.parametrize(("left", "logged"), [(inf, 0), (nan, 1)])
async def test_infinitely_many_are_no_limit_and_no_nonsense(
    left: float, logged: int, caplog: pytest.LogCaptureFixture
) -> None:
    calls = TargetCalls(Says(Allowance(left, 5, 4.0)), 50)  # type: ignore[arg-type]  # foreign code

    assert calls.allowance(None) is None
    assert logged == len(caplog.records)
