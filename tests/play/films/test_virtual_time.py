"""Time that passes at once, threads that take none of it, and work that can be given up."""

from __future__ import annotations

import asyncio
import signal
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future

import pytest

from cadenza.play.films.virtual_time import Abandoned, VirtualLoop, run

HOUR = 3600.0


def loop() -> VirtualLoop:
    """The loop that is running."""
    running = asyncio.get_running_loop()
    assert isinstance(running, VirtualLoop)
    return running


def in_a_thread(work: Callable[[], object]) -> Future[object]:
    """What *work* comes to in a thread that the loop does not know of."""
    future: Future[object] = Future()
    future.set_running_or_notify_cancel()  # so that it cannot be cancelled, as little as the thread
    threading.Thread(target=lambda: future.set_result(work()), daemon=True).start()
    return future


async def test_work_is_not_begun_where_another_loop_is_running() -> None:
    with pytest.raises(RuntimeError, match="run this in another one"):
        run(asyncio.sleep(0))


def test_hours_pass_at_once_and_in_their_order() -> None:
    async def work() -> list[tuple[str, float]]:
        seen = []

        async def wait(name: str, seconds: float) -> None:
            await asyncio.sleep(seconds)
            seen.append((name, loop().time()))

        await asyncio.gather(wait("late", 2 * HOUR), wait("early", HOUR), wait("now", 0))
        return seen

    begun = time.monotonic()

    assert run(work()) == [("now", 0.0), ("early", HOUR), ("late", 2 * HOUR)]
    assert time.monotonic() - begun < 60


def test_time_limits_are_of_the_same_time() -> None:
    async def work() -> float:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(HOUR):
                await asyncio.Event().wait()
        return loop().time()

    assert run(work()) == HOUR


def test_what_a_thread_computes_takes_no_time() -> None:
    async def work() -> tuple[object, object, float]:
        async with asyncio.timeout(0.01):
            one = await asyncio.to_thread(lambda: time.sleep(0.05) or "by the loop")  # type: ignore[func-returns-value]
            with loop().computing():
                other = await asyncio.wrap_future(in_a_thread(lambda: time.sleep(0.05) or "by itself"))  # type: ignore[func-returns-value]
        return one, other, loop().time()

    assert run(work()) == ("by the loop", "by itself", 0.0)


def test_a_thread_that_never_ends_is_not_waited_for() -> None:
    hung = threading.Event()

    async def work() -> float:
        with pytest.raises(TimeoutError), loop().computing():
            async with asyncio.timeout(HOUR):
                await asyncio.wrap_future(in_a_thread(hung.wait))
        return loop().time()

    assert run(work(), patience=0.1) == HOUR
    hung.set()


def test_an_executor_is_closed_in_real_time() -> None:
    """Later Pythons give its threads a limit, which would be over at once."""
    ended = []

    async def work() -> None:
        asyncio.get_running_loop().run_in_executor(None, lambda: (time.sleep(0.1), ended.append(1)))

    run(work())

    assert ended == [1]


def test_an_error_comes_out_as_it_is() -> None:
    async def work() -> None:
        await asyncio.sleep(HOUR)
        msg = "so it is"
        raise LookupError(msg)

    with pytest.raises(LookupError, match="so it is"):
        run(work())


def test_somebody_can_give_up_what_goes_on_and_on() -> None:
    over = threading.Event()
    cleaned = []

    async def work() -> None:
        try:
            while True:
                await asyncio.sleep(HOUR)
                if loop().time() > 100 * HOUR:
                    over.set()
        finally:
            await asyncio.sleep(HOUR)
            cleaned.append(1)

    with pytest.raises(Abandoned, match="not wanted"):
        run(work(), given_up=over.is_set)

    assert cleaned == [1]


@pytest.mark.parametrize("computes", [True, False], ids=["while a thread computes", "while nothing can happen"])
def test_somebody_can_give_up_what_hangs(*, computes: bool) -> None:
    over, hung = threading.Event(), threading.Event()

    async def work() -> None:
        threading.Timer(0.1, over.set).start()
        if not computes:
            await asyncio.Event().wait()
        with loop().computing():
            await asyncio.wrap_future(in_a_thread(hung.wait))

    with pytest.raises(Abandoned):
        run(work(), given_up=over.is_set)
    hung.set()


def test_a_cancellation_of_its_own_is_not_taken_for_giving_up() -> None:
    async def work() -> None:
        raise asyncio.CancelledError

    with pytest.raises(asyncio.CancelledError):
        run(work(), given_up=lambda: False)


def test_ctrl_c_ends_what_hangs() -> None:
    cleaned = []

    async def work() -> None:
        threading.Timer(0.1, signal.raise_signal, [signal.SIGINT]).start()
        try:
            await asyncio.Event().wait()
        finally:
            cleaned.append(1)

    with pytest.raises(KeyboardInterrupt):
        run(work())

    assert cleaned == [1]


async def test_it_runs_in_a_thread_beside_a_loop() -> None:
    async def work() -> float:
        await asyncio.sleep(HOUR)
        return loop().time()

    assert await asyncio.wait_for(asyncio.to_thread(run, work()), 10) == HOUR
