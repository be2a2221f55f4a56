"""Large films are made in processes of their own, of which nothing is left."""

from __future__ import annotations

import asyncio
import io
import json
import resource
import signal
import sys
import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from time import process_time

import msgspec
import pytest

from cadenza.errors import CadenzaError, InputError
from cadenza.play.server import worker_process
from cadenza.play.server.film_jobs import LARGE, FilmJobs
from cadenza.play.server.request_types import Rehearse, Side
from tests.play.films.told import mixed_text, unpacked
from tests.play.server.playing import HEADERS, PATIENCE, playing

_COUNTED = Path("/proc/self/task")
"""Where Linux tells of processes."""
MISSING = "films that are made in a process of their own, which are counted by /proc; run the tests on Linux"


@pytest.fixture(autouse=True)
def _where_processes_are_counted(not_tested: Callable[[str], None]) -> None:
    if not _COUNTED.exists():
        not_tested(MISSING)
        pytest.skip(MISSING)


def _children() -> list[int]:
    """The processes of this one that make films."""
    found = []
    for tasks in _COUNTED.glob("*/children"):
        found += [int(number) for number in tasks.read_text(encoding="ascii").split()]
    return [number for number in found if b"cadenza.play.server.worker_process" in _command(number)]


def _command(number: int) -> bytes:
    try:
        return Path(f"/proc/{number}/cmdline").read_bytes()
    except OSError:
        return b""


async def _begun(count: int = 1) -> list[int]:
    async with asyncio.timeout(PATIENCE):
        while len(found := _children()) < count:  # noqa: ASYNC110  # nobody tells of processes
            await asyncio.sleep(0.01)
    return found


@cache
def _text(size: int = 20 * LARGE) -> str:
    """A text that takes a process seconds; whoever looks for it finds it at work."""
    return mixed_text(size)


def _wanted(size: int = 20 * LARGE) -> Rehearse:
    return Rehearse(_text(size), 1000.0, (Side(),))


def _worked() -> float:
    """Seconds that processes of this one have computed, those that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


async def test_a_large_text_has_the_film_that_it_would_have_here() -> None:
    before, wanted = _worked(), _wanted(LARGE + 1)
    made = json.loads(await FilmJobs().rehearsed(wanted))

    assert wanted.text.startswith("".join(_said(made["films"][0])))
    assert _worked() > before, "nobody else has made it"
    assert [] == _children()


def _said(film: str) -> list[str]:
    return [one.about["text"] for one in unpacked(film).of_kind("tokens")]


async def test_who_goes_away_ends_the_process() -> None:
    making = asyncio.create_task(FilmJobs().rehearsed(_wanted()))
    await _begun()
    making.cancel()
    await asyncio.wait([making])

    assert making.cancelled()
    assert [] == _children()


async def test_what_takes_too_long_ends_the_process() -> None:
    with pytest.raises(InputError, match=r"longer than 0\.1 seconds"):
        await FilmJobs(takes=0.1).rehearsed(_wanted())

    assert [] == _children()


async def test_no_more_than_two_processes_run_at_a_time() -> None:
    screening = FilmJobs()
    making = [asyncio.create_task(screening.rehearsed(_wanted())) for _ in range(3)]
    await _begun(2)
    await asyncio.sleep(0.2)

    assert 2 == len(_children())
    for task in making:
        task.cancel()
    await asyncio.wait(making)
    assert [] == _children()


async def test_a_process_that_dies_is_told_in_a_sentence() -> None:
    making = asyncio.create_task(FilmJobs().rehearsed(_wanted()))
    [process] = await _begun()
    signal.pidfd_send_signal(_opened(process), signal.SIGKILL)

    with pytest.raises(CadenzaError, match="ended too early"):
        await making


async def test_the_traceback_of_a_process_that_fails_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    with pytest.raises(CadenzaError, match="ended too early"):
        await worker_process.made("dance", b"")  # type: ignore[arg-type]  # that is the point

    assert "Traceback" in caplog.text
    assert "dance" in caplog.text


def _opened(process: int) -> int:
    import os  # only where there are such files

    return os.pidfd_open(process)


async def test_a_process_ends_by_itself_when_nobody_listens_any_more() -> None:
    request = msgspec.json.encode(_wanted())
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", worker_process.__name__, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.DEVNULL
    )
    assert process.stdin is not None
    process.stdin.write(msgspec.json.encode(worker_process.FilmJob("rehearse", len(request))) + b"\n" + request)
    await process.stdin.drain()
    process.stdin.close()

    async with asyncio.timeout(PATIENCE):
        assert await process.wait() not in (0, worker_process.REFUSED)


async def test_the_playground_leaves_no_process_behind() -> None:
    async with playing() as play:
        body = {"text": _text(), "rate": 1000, "sides": [{}]}
        asking = asyncio.create_task(play.post("/api/rehearse", body))
        await _begun()
    await asyncio.wait([asking])

    assert asking.exception() is not None
    assert [] == _children()


async def test_the_loop_is_not_kept_while_a_large_text_is_rehearsed_and_shared() -> None:
    body = {"text": _text(LARGE + 1), "rate": 1000, "sides": [{"settings": {"degree": 1}}]}
    async with playing() as play:
        gaps, over, before = [0.0], asyncio.Event(), _worked()
        watching = asyncio.create_task(_watch(gaps, over))
        async with play.http.post(f"{play.url}/api/rehearse", json=body, headers=HEADERS) as response:
            assert 200 == response.status
            made = await response.read()
        films = b'{"films":' + made[made.index(b'"films":') + len(b'"films":') :]
        async with play.http.post(f"{play.url}/api/share", data=io.BytesIO(films), headers=_JSON) as response:
            assert 200 == response.status
            assert (await response.read()).startswith(b"<!doctype html>")
        over.set()
        await watching

    assert max(gaps) < (_worked() - before) / 4


_JSON = {**HEADERS, "Content-Type": "application/json"}


async def _watch(gaps: list[float], over: asyncio.Event) -> None:
    """How long this process has computed between any two turns of its loop; what others do meanwhile does not count."""
    last = process_time()
    while not over.is_set():
        await asyncio.sleep(0.005)
        gaps.append(process_time() - last)
        last = process_time()


async def test_what_is_wrong_is_said_in_a_sentence() -> None:
    with pytest.raises(InputError, match="request is not valid"):
        await FilmJobs().shared(b'{"films": []}' + b" " * LARGE, "en")


REQUESTS = [
    pytest.param("rehearse", b'{"text": "Hi.", "rate": 50, "sides": [{}]}', 0, b'{"what":"text"', id="a film"),
    pytest.param("share", b'{"films": ["eA=="]}', 0, b"<!doctype html>", id="a page"),
    pytest.param("share", b"{", worker_process.REFUSED, b"the request is not valid JSON", id="no request at all"),
    pytest.param(
        "rehearse",
        b'{"text": "", "rate": 5, "sides": [{"settings": {"x": 1}}]}',
        worker_process.REFUSED,
        b"",
        id="no setting",
    ),
]


@pytest.mark.parametrize(("what", "request_", "status", "answer"), REQUESTS)
def test_what_the_process_does(
    what: str, request_: bytes, status: int, answer: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = threading.Event()
    monkeypatch.setattr(worker_process.os, "_exit", lambda _: ended.set())  # nobody holds its input open here
    order = msgspec.json.encode({"what": what, "size": len(request_)})
    answers = io.BytesIO()

    assert status == worker_process.main(io.BytesIO(order + b"\n" + request_), answers)
    assert answers.getvalue().startswith(answer)
    assert ended.wait(PATIENCE), "or its thread would end the tests once the real _exit is back"
