"""Large films are made in a process of their own, so that the one that serves the page stays awake.

What is wanted goes in on standard input: a line that says what to do and how long the request is, and the request itself.
What comes out on standard output is the answer, to be passed on as it is, or, if it ends with ``REFUSED``, a sentence.
Standard input stays open for as long as somebody waits: when it ends, the process does.
"""

from __future__ import annotations

import asyncio
import logging
import os
import sys
import threading
from asyncio.subprocess import PIPE, Process
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, Literal

import msgspec

from ..errors import CadenzaError, InputError
from ..tasks import end_task
from . import bodies, filming

logger = logging.getLogger(__name__)

REFUSED = 3
"""How a process ends that has a sentence to say."""
_ALONE = 4
"""And one for which nobody waits any more."""
_MOST_LOGGED = 4000
"""Characters of a traceback that are logged: its end says what went wrong."""
_ROOT = str(Path(__file__).parents[2])


class FilmJob(msgspec.Struct, frozen=True):
    """What is to be done."""

    what: Literal["rehearse", "share"]
    size: int
    """How many bytes the request has."""
    language: str = "en"


async def made(what: Literal["rehearse", "share"], request: bytes, language: str = "en") -> bytes:
    """What a process of its own makes of *request*; who is cancelled meanwhile ends it."""
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
    """The environment, in which the process finds the same code as this one."""
    paths = [_ROOT, *filter(None, [os.environ.get("PYTHONPATH")])]
    return {**os.environ, "PYTHONPATH": os.pathsep.join(paths)}


async def _ask(process: Process, request: bytes) -> None:
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    with suppress(ConnectionError):  # then it has ended, and how tells why
        process.stdin.write(request)
        await process.stdin.drain()


async def _output(process: Process) -> tuple[bytes, bytes]:
    """All that *process* writes: its answer, and its errors."""
    assert process.stdout is not None  # noqa: S101  # it is a pipe
    assert process.stderr is not None  # noqa: S101  # and so is this
    return await asyncio.gather(process.stdout.read(), process.stderr.read())


async def _end(process: Process) -> None:
    """Leave nothing of *process* behind, whatever it does."""
    if process.returncode is None:
        with suppress(ProcessLookupError):  # it was quicker
            process.kill()
    assert process.stdin is not None  # noqa: S101  # it is a pipe
    process.stdin.close()
    await process.wait()


# --- in the process ------------------------------------------------------------------------


def main(asked: BinaryIO, answers: BinaryIO) -> int:
    """Do what is *asked*; how it ended."""
    order = msgspec.json.decode(asked.readline(), type=FilmJob)
    request = asked.read(order.size)
    threading.Thread(target=_watch, args=(asked,), daemon=True).start()
    try:
        answer, status = _done(order, request), 0
    except (CadenzaError, LookupError, ValueError) as error:
        sentence = str(error.args[0]) if error.args else type(error).__name__
        answer, status = sentence.encode("utf-8", "replace"), REFUSED
    answers.write(answer)
    answers.flush()
    return status


def _done(order: FilmJob, request: bytes) -> bytes:
    if order.what == "share":
        return filming.shared(bodies.read(request, bodies.Share), order.language)
    return filming.rehearsed(bodies.read(request, bodies.Rehearse))


def _watch(asked: BinaryIO) -> None:
    """End at once when nobody waits any more, also if whoever did was killed."""
    asked.read()
    os._exit(_ALONE)


def _run() -> None:
    status = main(sys.stdin.buffer, sys.stdout.buffer)
    os._exit(status)  # what is left in memory need not be put in order


if __name__ == "__main__":
    _run()
