"""Functions in threads of their own. These tests wait for events, in real time, and never for long."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from contextvars import ContextVar

import pytest

from cadenza.tools.threads import Stop, _Work, in_thread

WHO: ContextVar[str] = ContextVar("who", default="nobody")
_PATIENCE = 60.0
"""Seconds after which a test is lost."""


@pytest.fixture(autouse=True)
def _no_thread_fails(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Whatever is raised in a thread, it must not come out at its end; and no thread may be left."""
    failed: list[object] = []
    before = set(threading.enumerate())
    monkeypatch.setattr(threading, "excepthook", failed.append)
    yield
    for thread in set(threading.enumerate()) - before:
        thread.join(_PATIENCE)
        assert not thread.is_alive()
    assert [] == failed


async def until(condition: threading.Event) -> None:
    """Let the loop run until *condition* holds."""
    async with asyncio.timeout(_PATIENCE):
        while not condition.is_set():  # noqa: ASYNC110  # it is set in another thread
            await asyncio.sleep(0)


async def test_what_it_gives_back_and_raises_comes_here() -> None:
    def fail() -> None:
        raise LookupError

    assert "done" == await in_thread(lambda: "done")
    with pytest.raises(LookupError):
        await in_thread(fail)


@pytest.mark.parametrize("error", [SystemExit, KeyboardInterrupt, GeneratorExit, asyncio.CancelledError])
async def test_what_would_end_more_than_a_call_ends_the_call(error: type[BaseException]) -> None:
    def leave() -> None:
        raise error

    with pytest.raises(RuntimeError, match=error.__name__):
        await in_thread(leave)


async def test_it_runs_elsewhere_and_holds_nobody_up() -> None:
    released = threading.Event()

    def wait() -> tuple[str, bool]:
        return threading.current_thread().name, released.wait(_PATIENCE)

    work = asyncio.create_task(in_thread(wait, name="cadenza tool roll"))
    await asyncio.sleep(0)
    released.set()

    assert ("cadenza tool roll", True) == await work


async def test_it_knows_the_context_of_its_caller_and_does_not_change_it() -> None:
    def ask() -> str:
        who = WHO.get()
        WHO.set("somebody else")
        return who

    token = WHO.set("Mia")
    try:
        assert ("Mia", "Mia") == (await in_thread(ask), WHO.get())
    finally:
        WHO.reset(token)


async def test_b18_a_loop_that_is_cancelled_does_not_go_on_to_act() -> None:
    begun, gate, done = threading.Event(), threading.Event(), threading.Event()
    effects: list[str] = []

    def crawl() -> None:
        try:
            begun.set()
            while not gate.wait(0.001):
                pass
            effects.append("acted")
        finally:
            done.set()

    work = asyncio.create_task(in_thread(crawl))
    await until(begun)
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    assert done.is_set(), "it has cleaned up when the cancellation is over"
    gate.set()
    assert [] == effects


async def test_b18_one_that_hangs_is_left_behind_and_does_not_act_when_it_comes_back() -> None:
    begun, gate, done = threading.Event(), threading.Event(), threading.Event()
    effects: list[str] = []

    def hang() -> None:
        try:
            begun.set()
            gate.wait(_PATIENCE)  # in a system call nothing can be raised
            effects.append("acted")
        finally:
            done.set()

    work = asyncio.create_task(in_thread(hang))
    await until(begun)
    for _ in range(2):
        work.cancel()
        await asyncio.sleep(0)
    with pytest.raises(asyncio.CancelledError):
        await work  # although the gate is shut
    gate.set()
    assert done.wait(_PATIENCE)

    assert [] == effects


async def test_one_that_does_not_listen_is_told_twice() -> None:
    begun, stopped, gate = threading.Event(), threading.Event(), threading.Event()
    effects: list[str] = []

    def stubborn() -> None:
        try:
            begun.set()
            while not gate.wait(0.001):
                pass
        except Stop:
            stopped.set()
            while not gate.wait(0.001):
                pass
        effects.append("acted")

    work = asyncio.create_task(in_thread(stubborn))
    await until(begun)
    work.cancel()
    await until(stopped)
    assert not work.done(), "it is waited for until it has ended, or until there is a second cancellation"
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work

    for thread in threading.enumerate():
        if thread.name == "cadenza tool":
            thread.join(_PATIENCE)
    gate.set()
    assert [] == effects


async def test_what_has_not_begun_does_not_begin() -> None:
    ran: list[str] = []
    work = _Work(lambda: ran.append("ran"))

    work.stop()
    work.run()
    await asyncio.wait([work.ended])

    assert ([], None) == (ran, work.result())


async def test_what_begins_at_the_very_moment_sees_by_itself_that_it_is_stopped() -> None:
    ran: list[str] = []
    work = _Work(lambda: ran.append("ran"))
    held, released = threading.Event(), threading.Event()

    def hold() -> None:
        with work._lock:
            held.set()
            released.wait(_PATIENCE)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(_PATIENCE)
    work.stop()  # it does not wait: the loop would stand still
    released.set()
    holder.join(_PATIENCE)
    work.run()

    assert [] == ran


class Unlucky(_Work):
    """Stopped at the worst moments: while it ends, and once more."""

    stops = 2

    def _finish(self) -> None:
        self.stops -= 1
        if self.stops >= 0:
            raise Stop
        super()._finish()


async def test_one_that_is_stopped_while_it_ends_ends_all_the_same() -> None:
    work = Unlucky(lambda: "done")
    work.run()
    await asyncio.wait([work.ended])

    assert ("done", None) == (work.result(), work._thread)


async def test_what_has_ended_is_not_told_to_stop() -> None:
    work = _Work(lambda: "done")
    work.run()
    work.stop()
    await asyncio.wait([work.ended])

    assert "done" == work.result()


def test_when_nobody_waits_any_more_it_ends_all_the_same() -> None:
    ran: list[str] = []

    async def prepare() -> _Work:
        return _Work(lambda: ran.append("ran"))

    asyncio.run(prepare()).run()

    assert ["ran"] == ran


def _count() -> int:
    return sum(range(200))


def _sort() -> list[int]:
    return sorted(range(500), key=lambda number: -number)


@pytest.mark.parametrize("call", [_count, _sort], ids=["short", "longer"])
async def test_at_whatever_moment_it_is_stopped_its_thread_ends_in_peace(call: Callable[[], object]) -> None:
    """What is raised from outside may hit the lines around the call; none of these moments may be wrong."""
    for number in range(400):
        work = asyncio.create_task(in_thread(call, name="cadenza hurried"))
        for _ in range(number % 7):
            await asyncio.sleep(0)
        work.cancel()
        if number % 2:
            await asyncio.sleep(0)
            work.cancel()
        async with asyncio.timeout(_PATIENCE):
            await asyncio.wait([work])
