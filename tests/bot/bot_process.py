"""The bot as a process of its own, as its owner starts it, in a simulated Discord that outlives it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sqlite3
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, closing, suppress
from dataclasses import dataclass
from pathlib import Path

from cadenza.bot.store.store import Namespace
from cadenza.sim.people import Guild, Person
from cadenza.sim.rate_limits import Quota, RateLimits
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import Json
from cadenza.sim.world import World
from tests.bot.nursery import Child

STORY = Path(__file__).parent / "story"
PATIENCE = 60.0
"""Seconds in which anything happens, also on a machine that has much else to do."""


@dataclass
class Town:
    """A world with two people, in which a bot can be started and killed."""

    world: World
    server: Server
    folder: Path
    me: object
    mia: Person
    tom: Person
    guild: Guild
    general: str
    options: tuple[str, ...] = ()
    """More for the command line."""
    is_command_line: bool = False
    """Whether it is started by a command line, as its owner does, and not forked with everything imported."""
    process: Child | asyncio.subprocess.Process | None = None

    @property
    def mention(self) -> str:
        return f"<@{self.me.id}>"

    def ours(self) -> list[Json]:
        people = {self.mia.id, self.tom.id}
        return [one for one in self.world.messages(self.general) if one["author"]["id"] not in people]

    def answers(self) -> list[str]:
        return [one["content"] for one in self.ours()]

    async def until(self, condition: Callable[[], object], *, within: float = PATIENCE) -> None:
        try:
            await self.server.until(condition, within=within)
        except TimeoutError:
            told = self.output
            problem = f"it did not happen; the bot wrote:\n{told}\n{self.world.transcript(self.general)}"
            raise AssertionError(problem) from None

    @property
    def output(self) -> str:
        """What the bot's processes wrote."""
        # It is read while it is written, so perhaps up to the middle of a character.
        return self._log.read_text(encoding="utf-8", errors="replace") if self._log.exists() else ""

    @property
    def _log(self) -> Path:
        return self.folder / "output.log"

    async def start(self) -> None:
        """Start the bot, and wait until it is ready."""
        environment = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "PYTHONPATH", "LANG")},
            "DISCORD_TOKEN": "sim-token",
            "PYTHONUNBUFFERED": "1",
        }
        arguments = ["run", "--config", "cadenza.toml", "--sim", self.server.url, *self.options]
        before = len(self.output)
        self.process = process = await self._begun(arguments, environment)
        await self.look(lambda: process.returncode is not None or "ready" in self.output[before:].lower())
        assert process.returncode is None, f"the bot did not start:\n{self.output}"

    async def _begun(self, arguments: list[str], environment: dict[str, str]) -> Child | asyncio.subprocess.Process:
        if not self.is_command_line:
            child = Child(self.folder, environment, arguments, self._log)
            await child.begin()
            return child
        with self._log.open("ab") as log:
            return await asyncio.create_subprocess_exec(
                *(sys.executable, "-m", "cadenza", *arguments),
                cwd=self.folder,
                env=environment,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=log,
                stderr=asyncio.subprocess.STDOUT,
            )

    async def look(self, condition: Callable[[], object]) -> None:
        """Wait for something that the world is not told of."""
        async with asyncio.timeout(PATIENCE):
            while not condition():  # noqa: ASYNC110  # another process does it
                await asyncio.sleep(0.01)

    async def kill(self) -> None:
        """Kill the bot as a power cut would: nothing of it can react."""
        assert self.process is not None
        self.process.kill()
        await self.process.wait()

    async def end(self) -> int:
        """End the bot as an operator does; gives back its exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            return await self.process.wait()

    async def quiet(self, messages: int) -> None:
        """Wait until there are so many messages of ours, and the bot has seen to everything and rests."""
        await self.until(lambda: len(self.ours()) >= messages)
        rested = 0

        def is_quiet() -> bool:
            nonlocal rested
            rested = rested + 1 if self._rests() and not self.undone() else 0
            return rested >= 10

        await self.look(is_quiet)

    def _rests(self) -> bool:
        """Whether every thread of the process waits for something to happen; one that waits for a core or a disk works."""
        assert self.process is not None
        tasks = Path("/proc", str(self.process.pid), "task")
        try:
            told = [file.read_text(encoding="utf-8") for file in tasks.glob("*/stat")]
        except OSError:  # a thread ended while we looked
            return False
        # Where the system does not tell, ten looks must do.
        return all(one.rpartition(")")[2].split()[0] == "S" for one in told)

    def undone(self) -> list[str]:
        """The keys of the turns that stand in the bot's journal."""
        path = f"file:{self.folder / 'cadenza.db'}?mode=ro"
        with closing(sqlite3.connect(path, uri=True, timeout=PATIENCE)) as store:
            rows = store.execute("SELECT key FROM records WHERE shelf = ?", (Namespace.TURNS,)).fetchall()
        return [str(key) for (key,) in rows]


@asynccontextmanager
async def town(folder: Path, *, is_command_line: bool = False) -> AsyncIterator[Town]:
    """Have a town with a copy of the story's files in *folder*; a bot that still runs at the end is killed."""
    for file in STORY.glob("*.*"):
        shutil.copy(file, folder / file.name)
    world = World()
    me = world.add_bot("Cadenza", token="sim-token")  # noqa: S106  # of a world in memory
    mia, tom = world.add_person("Mia"), world.add_person("Tom")
    guild = world.add_guild("Hill", owner=mia, members=[mia, tom, me])
    general = world.add_channel(guild, "general")
    # A patient Discord: what is put together because little may be sent would differ from run to run.
    limits = RateLimits(
        Quota("* /channels/*/messages", 1000, 1.0),
        Quota("POST /channels/*/typing", 1000, 1.0),
        Quota("POST /webhooks/*/*", 1000, 1.0),
    )
    async with serve(world, limits=limits) as server:
        place = Town(world, server, folder, me, mia, tom, guild, general, is_command_line=is_command_line)
        try:
            yield place
        finally:
            if place.process is not None and place.process.returncode is None:
                with suppress(ProcessLookupError):
                    place.process.kill()
                await place.process.wait()
