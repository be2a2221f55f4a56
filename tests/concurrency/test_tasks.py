"""Tasks that end before whoever began them does, whatever happens meanwhile."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.concurrency.tasks import end_task, must_rise, outlast
from tests.timing import now

pytestmark = pytest.mark.looptime


async def work(seconds: float, *, clean_up: float = 0.0, error: BaseException | None = None) -> str:
    try:
        await asyncio.sleep(seconds)
    finally:
        await asyncio.sleep(clean_up)
        if error:
            raise error
    return "done"


def begun(seconds: float, **how: object) -> asyncio.Task[str]:
    return asyncio.create_task(work(seconds, **how))  # type: ignore[arg-type]  # as it is told


async def test_a_task_that_is_ended_has_cleaned_up() -> None:
    task = begun(60.0, clean_up=2.0)
    await asyncio.sleep(1.0)

    await end_task(task)

    assert (True, 3.0) == (task.cancelled(), now())


async def test_a_task_that_is_done_is_left_alone() -> None:
    task = begun(1.0)
    await task

    await end_task(task)

    assert "done" == task.result()


async def test_what_an_ended_task_raises_is_raised() -> None:
    task = begun(60.0, error=KeyError("x"))
    await asyncio.sleep(1.0)

    with pytest.raises(KeyError):
        await end_task(task)


@pytest.mark.parametrize("error", [None, KeyError("x")], ids=["well", "badly"])
async def test_who_is_cancelled_while_ending_a_task_waits_and_is_then_cancelled(error: Exception | None) -> None:
    task = begun(60.0, clean_up=5.0, error=error)
    await asyncio.sleep(1.0)
    ending = asyncio.create_task(end_task(task))
    for _ in range(2):
        await asyncio.sleep(1.0)
        ending.cancel()

    with pytest.raises(asyncio.CancelledError):
        await ending

    assert (True, 6.0) == (task.done(), now())
    assert not task._log_traceback, "asyncio would complain of an error that nobody has seen"


async def test_what_must_not_be_cancelled_is_waited_for() -> None:
    hurried: list[float] = []
    task = begun(5.0)
    waiting = asyncio.create_task(outlast(task, hurry=lambda: hurried.append(now())))
    await asyncio.sleep(1.0)
    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting

    assert ("done", 5.0, [1.0]) == (task.result(), now(), hurried)


async def test_what_it_comes_to_is_given_back() -> None:
    assert "done" == await outlast(begun(5.0))
    with pytest.raises(KeyError):
        await outlast(begun(5.0, error=KeyError("x")))
    with pytest.raises(asyncio.CancelledError):
        await outlast(begun(5.0, error=asyncio.CancelledError()))


async def test_a_cancellation_that_nobody_asked_for_is_foreign() -> None:
    assert not must_rise(asyncio.CancelledError())
    assert not must_rise(GeneratorExit())
    assert not must_rise(ValueError())


@pytest.mark.parametrize("error", [KeyboardInterrupt(), SystemExit()])
async def test_the_end_of_the_process_must_rise(error: BaseException) -> None:
    assert must_rise(error)


async def test_our_own_cancellation_must_rise() -> None:
    risen: list[bool] = []

    async def cancelled() -> None:
        try:
            await asyncio.sleep(60.0)
        except asyncio.CancelledError as error:
            risen.append(must_rise(error))

    task = asyncio.create_task(cancelled())
    await asyncio.sleep(1.0)
    task.cancel()
    await task

    assert [True] == risen
