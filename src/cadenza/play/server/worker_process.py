"""Makes large films in a process of their own, so that the server stays responsive.

Standard input holds a line with the job and the length of the request, then the request itself. Standard output holds the
answer for the page or, if the exit status is ``REFUSED``, a sentence. Standard input stays open while the server waits;
when it closes, the process ends.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from ...concurrency.tasks import end_task
from ...errors import CadenzaError, InputError
from ...explain.tracebacks import get_logger
from ...languages import rendered
from . import filming, request_types

logger = get_logger(__name__)

REFUSED = 3
"""Exit status of a process that refuses, with a sentence."""
_ALONE = 4
"""Exit status when the server does not wait any more."""
_MOST_LOGGED = 4000
"""Characters of a traceback that are logged: its end says what went wrong."""
_ROOT = str(Path(__file__).parents[3])


class FilmJob(msgspec.Struct, frozen=True):
    """One job."""

    what: Literal["rehearse", "share"]
    size: int
    """Bytes of the request."""
    language: str = "en"


async def made(what: Literal["rehearse", "share"], request: bytes, language: str = "en") -> bytes:
    """Have *request* done by a new process; cancelling this ends it."""
    order = msgspec.json.encode(FilmJob(what, len(request), language))
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-P", "-m", __name__, stdin=PIPE, stdout=PIPE, stderr=PIPE, env=_surroundings()
    )
    asking = asyncio.create_task(_ask(process, order + b"\n" + request))
    try:
        answer, errors = await _output(process)
        status = await process.wait()
    finally:
        await end_task(asking)
        await _end(process)
    if status == REFUSED:
        raise InputError(answer.decode("utf-8", "replace"))
    if status != 0:
        logger.error("film process ended with status %d: %s", status, errors.decode("utf-8", "replace")[-_MOST_LOGGED:])
        msg = "the process that made the film ended too early; try again, or try a shorter text"
        raise CadenzaError(msg)
    return answer


def _surroundings() -> Mapping[str, str]:
    """The environment, with this process's code on its path."""
    paths = [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


async def _ask(process: Process, request: bytes) -> None:
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    with suppress(ConnectionError):  # it has ended; its status says why
        process.stdin.write(request)
        await process.stdin.drain()


async def _output(process: Process) -> tuple[bytes, bytes]:
    """All that *process* writes: its answer, and its errors."""
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    assert process.stderr is not None  # noqa: S101  # and so is this
    return await asyncio.gather(process.stdout.read(), process.stderr.read())


async def _end(process: Process) -> None:
    """Kill *process* if it still runs, and wait for its end."""
    if process.returncode is None:
        with suppress(ProcessLookupError):  # it has just ended
            process.kill()
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    process.stdin.close()
    await process.wait()


# --- in the process ------------------------------------------------------------------------


def main(asked: BinaryIO, answers: BinaryIO) -> int:
    """Do the job in *asked*; returns the exit status."""
    order = msgspec.json.decode(asked.readline(), type=FilmJob)
    request = asked.read(order.size)
    threading.Thread(target=_watch, args=(asked,), daemon=True).start()
    try:
        answer, status = _done(order, request), 0
    except (CadenzaError, LookupError, ValueError) as error:
        first = error.args[0] if error.args else type(error).__name__
        sentence = rendered(first if isinstance(first, str) else str(first), order.language)
        answer, status = sentence.encode("utf-8", "replace"), REFUSED
    answers.write(answer)
    answers.flush()
    return status


def _done(order: FilmJob, request: bytes) -> bytes:
    if order.what == "share":
        return filming.shared(request_types.read(request, request_types.Share), order.language)
    return filming.rehearsed(request_types.read(request, request_types.Rehearse))


def _watch(asked: BinaryIO) -> None:
    """End at once when the server goes away, also if it was killed."""
    asked.read()
    os._exit(_ALONE)


def _run() -> None:
    status = main(sys.stdin.buffer, sys.stdout.buffer)
    os._exit(status)  # skip the clean-up


if __name__ == "__main__":
    _run()
