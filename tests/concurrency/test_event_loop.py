"""Running a program with many turns."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
from collections.abc import Iterator

import pytest

from cadenza.concurrency.event_loop import collecting_seldom, run


@pytest.fixture(autouse=True)
def collector() -> Iterator[None]:
    """Whatever a test does to how often the collector of this process looks, it is as before.

    What is frozen stays so: that is all that was loaded for the tests, and it is as well not looked at again.
    """
    before = gc.get_threshold()
    yield
    gc.set_threshold(*before)


async def loop_name() -> str:
    return type(asyncio.get_running_loop()).__module__.partition(".")[0]


def test_it_runs_with_uvloop_where_that_is_installed() -> None:
    pytest.importorskip("uvloop", reason="NOT TESTED: uvloop, which is not installed here. Try: pip install uvloop")

    assert "uvloop" == run(loop_name())


def test_it_runs_without_uvloop_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvloop", None)

    assert "asyncio" == run(loop_name())


async def test_what_it_runs_may_fail_and_the_error_comes_out() -> None:
    async def fails() -> None:
        raise LookupError

    def elsewhere() -> None:
        with pytest.raises(LookupError):
            run(fails())

    await asyncio.to_thread(elsewhere)


IN_A_PROCESS_OF_ITS_OWN = """
import gc
from cadenza.concurrency.event_loop import run

async def look():
    return gc.get_threshold(), gc.get_freeze_count() > 1000

before = gc.get_threshold()
assert gc.get_freeze_count() == 0
print(run(look()), gc.get_threshold() == before, gc.get_freeze_count())
"""


def test_while_it_runs_the_collector_looks_seldom_and_leaves_alone_what_was_there() -> None:
    """In a process in which nobody has frozen anything before."""
    command = [sys.executable, "-c", IN_A_PROCESS_OF_ITS_OWN]

    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=110)

    assert "((20000, 20, 20), True) True 0\n" == result.stdout


def test_what_others_froze_stays_frozen() -> None:
    gc.freeze()

    with collecting_seldom():
        pass

    assert gc.get_freeze_count() > 1000


def test_cycles_that_a_program_leaves_behind_are_still_found() -> None:
    class Ring:
        living = 0

        def __init__(self) -> None:
            self.itself = self
            Ring.living += 1

        def __del__(self) -> None:
            Ring.living -= 1

    with collecting_seldom():
        for _ in range(50_000):
            Ring()

        assert Ring.living <= 20_000
