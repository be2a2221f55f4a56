"""Painting off the loop: in time, in few threads, and never a reason to fail or to stay."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from functools import partial

import pytest

from cadenza.pictures.picture_worker import PATIENCE, PictureWorker


def painters() -> int:
    return sum(thread.name == "cadenza painter" for thread in threading.enumerate())


async def no_painters() -> None:
    """Wait until every thread has ended."""
    for thread in threading.enumerate():
        if thread.name == "cadenza painter":
            await asyncio.to_thread(thread.join, 30)
    assert painters() == 0


async def test_what_is_painted_comes_back() -> None:
    picture_worker = PictureWorker()

    pictures = await asyncio.gather(*(picture_worker.painted(partial(b"%d".__mod__, number)) for number in range(9)))

    assert [b"%d" % number for number in range(9)] == pictures
    await no_painters()


@pytest.mark.parametrize("answer", [None, b"", "text", 7, bytearray(b"x")], ids=str)
async def test_only_bytes_are_a_picture(answer: object) -> None:
    assert await PictureWorker().painted(lambda: answer) is None


@pytest.mark.parametrize("error", [ValueError, StopIteration, StopAsyncIteration, asyncio.CancelledError, SystemExit])
async def test_whatever_is_raised_there_is_no_picture_but_a_traceback_in_the_log(
    error: type[BaseException], caplog: pytest.LogCaptureFixture
) -> None:
    def paint() -> object:
        raise error

    assert await PictureWorker().painted(paint) is None
    assert [error.__name__] == [(record.exc_text or "").splitlines()[-1].rsplit(".")[-1] for record in caplog.records]


async def test_no_more_than_two_are_painted_at_once_and_nobody_else_waits() -> None:
    gate, begun = threading.Event(), threading.Semaphore(0)

    def paint() -> object:
        begun.release()
        return gate.wait(30) and b"PNG"

    picture_worker = PictureWorker()
    painting = [asyncio.create_task(picture_worker.painted(paint)) for _ in range(5)]
    assert await asyncio.to_thread(lambda: begun.acquire(timeout=30) and begun.acquire(timeout=30))

    assert (2, False) == (painters(), begun.acquire(blocking=False))
    gate.set()
    assert [b"PNG"] * 5 == await asyncio.gather(*painting)
    await no_painters()


async def test_a_painter_that_hangs_is_given_up_and_not_asked_again_while_it_does() -> None:
    gate = threading.Event()
    picture_worker = PictureWorker(patience=0.01)
    asked: list[int] = []

    def paint() -> object:
        asked.append(1)
        return gate.wait(30) and b"PNG"

    # Two hang, the third waits for one of them in vain, and then nobody waits any more.
    assert [None] * 3 == await asyncio.gather(*(picture_worker.painted(paint) for _ in range(3)))
    assert await picture_worker.painted(paint) is None
    assert len(asked) == 2
    gate.set()
    await no_painters()
    assert b"PNG" == await PictureWorker().painted(paint)


async def test_who_is_cancelled_leaves_no_picture_to_be_begun() -> None:
    gate = threading.Event()
    picture_worker = PictureWorker()
    begun: list[int] = []

    def paint(number: int) -> object:
        begun.append(number)
        return gate.wait(30) and b"PNG"

    painting = [asyncio.create_task(picture_worker.painted(partial(paint, number))) for number in range(3)]
    await asyncio.sleep(0)

    painting[2].cancel()
    await asyncio.wait([painting[2]])
    gate.set()

    assert [b"PNG"] * 2 == await asyncio.gather(*painting[:2])
    await no_painters()
    assert [0, 1] == sorted(begun)


async def test_after_closing_nothing_is_begun() -> None:
    gate = threading.Event()
    picture_worker = PictureWorker()
    painting = [asyncio.create_task(picture_worker.painted(lambda: gate.wait(30) and b"PNG")) for _ in range(3)]
    await asyncio.sleep(0)

    picture_worker.close()

    assert None is await painting[2]
    gate.set()
    assert b"PNG" == await painting[0]
    await no_painters()
    assert b"x" == await picture_worker.painted(lambda: b"x")


def test_the_process_does_not_wait_for_a_painter() -> None:
    code = (
        "import asyncio, threading\n"
        "from cadenza.pictures.picture_worker import PictureWorker\n"
        "print(asyncio.run(PictureWorker(patience=0.01).painted(threading.Event().wait)))"
    )

    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=30)

    assert ("None\n", "") == (result.stdout, result.stderr)


def test_nobody_waits_for_longer_than_ten_seconds() -> None:
    assert PATIENCE == 10.0
