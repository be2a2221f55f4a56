"""Processes of the bot that are born with everything imported: forked from one that has done it once.

Each is a process of its own, with its own memory, files and death; only the second that it takes to import discord.py and
all of ours is not spent again for each. What happens before that is in the tests that start a command line.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Mapping, Sequence
from contextlib import suppress
from multiprocessing import get_context, parent_process
from pathlib import Path

_IMPORTED = [
    *("cadenza.cli.main", "cadenza.bot.app", "cadenza.cli.run", "cadenza.sim.clients"),
    *(
        "cadenza.bot.store.sqlite",
        "cadenza.bot.commands",
        "cadenza.bot.services.metrics",
        "cadenza.bot.services.models",
    ),
]


def _live(folder: str, environment: Mapping[str, str], arguments: Sequence[str], output: str) -> None:
    """What the process does: the command, in *folder*; what it writes goes to *output*."""
    threading.Thread(target=_end_with_the_tests, daemon=True).start()
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    writing = os.open(output, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    for stream in (sys.stdout, sys.stderr):
        os.dup2(writing, stream.fileno())
    from cadenza.cli.main import main

    sys.exit(main(list(arguments)))


def _end_with_the_tests() -> None:
    """End this process when the one of the tests has ended, however that came."""
    tests = parent_process()
    assert tests is not None
    tests.join()
    os._exit(1)


class Child:
    """A process of the bot, with what is needed of ``asyncio.subprocess.Process``."""

    def __init__(self, folder: Path, environment: Mapping[str, str], arguments: Sequence[str], output: Path) -> None:
        context = get_context("forkserver")
        context.set_forkserver_preload(_IMPORTED)
        given = (str(folder), dict(environment), arguments, str(output))
        # A daemon is not waited for by whoever is interrupted before having ended it.
        self._process = context.Process(target=_live, args=given, daemon=True)
        self._is_over = asyncio.Event()

    async def begin(self) -> None:
        """Be born; the first one waits for the imports."""
        await asyncio.to_thread(self._process.start)
        asyncio.get_running_loop().add_reader(self._process.sentinel, self._end)

    @property
    def pid(self) -> int:
        assert self._process.pid is not None
        return self._process.pid

    @property
    def returncode(self) -> int | None:
        return self._process.exitcode if self._is_over.is_set() else None

    def send_signal(self, number: int) -> None:
        with suppress(ProcessLookupError):
            os.kill(self.pid, number)

    def kill(self) -> None:
        self._process.kill()

    async def wait(self) -> int:
        await self._is_over.wait()
        return self._process.exitcode or 0

    def _end(self) -> None:
        asyncio.get_running_loop().remove_reader(self._process.sentinel)
        self._process.join()
        self._is_over.set()
