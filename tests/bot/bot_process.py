"""The bot as a process of its own, as its owner starts it, in a simulated Discord that outlives it."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from cadenza.sim.limits import Quota, RateLimits
from cadenza.sim.people import Guild, Person
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import Json
from cadenza.sim.world import World

STORY = Path(__file__).parent / "story"


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
    output: list[str] = field(default_factory=list)
    """What the bot's processes wrote."""
    options: tuple[str, ...] = ()
    """More for the command line."""
    process: asyncio.subprocess.Process | None = None

    @property
    def mention(self) -> str:
        return f"<@{self.me.id}>"

    def ours(self) -> list[Json]:
        people = {self.mia.id, self.tom.id}
        return [one for one in self.world.messages(self.general) if one["author"]["id"] not in people]

    def answers(self) -> list[str]:
        return [one["content"] for one in self.ours()]

    async def until(self, condition: Callable[[], object], *, within: float = 20.0) -> None:
        try:
            await self.server.until(condition, within=within)
        except TimeoutError:
            told = "".join(self.output)
            problem = f"it did not happen; the bot wrote:\n{told}\n{self.world.transcript(self.general)}"
            raise AssertionError(problem) from None

    async def start(self) -> None:
        """Start the bot, and wait until it is ready."""
        environment = {
            **{name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "PYTHONPATH", "LANG")},
            "DISCORD_TOKEN": "sim-token",
            "PYTHONUNBUFFERED": "1",
        }
        command = ["-m", "cadenza", "run", "--config", "cadenza.toml", "--sim", self.server.url, *self.options]
        self.process = process = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            cwd=self.folder,
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.STDOUT,
        )
        assert process.stdout is not None
        async with asyncio.timeout(20):
            while line := await process.stdout.readline():
                self.output.append(line.decode())
                if "ready" in line.decode().lower():
                    self._reader = asyncio.create_task(self._read(process.stdout))
                    return
        problem = f"the bot did not start:\n{''.join(self.output)}"
        raise AssertionError(problem)

    async def _read(self, lines: asyncio.StreamReader) -> None:
        while line := await lines.readline():
            self.output.append(line.decode())

    async def kill(self) -> None:
        """Kill the bot as a power cut would: nothing of it can react."""
        assert self.process is not None
        self.process.kill()
        await self.process.wait()
        await self._reader

    async def end(self) -> int:
        """End the bot as an operator does; gives back its exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(20):
            status = await self.process.wait()
        await self._reader
        return status

    async def quiet(self, messages: int, *, seconds: float = 0.4, within: float = 20.0) -> None:
        """Wait until there are so many messages of ours, and then for a while no other."""
        await self.until(lambda: len(self.ours()) >= messages, within=within)
        async with asyncio.timeout(within):
            while True:
                before = self.world.transcript(self.general)
                await asyncio.sleep(seconds)
                if before == self.world.transcript(self.general):
                    return


@asynccontextmanager
async def town(folder: Path) -> AsyncIterator[Town]:
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
        place = Town(world, server, folder, me, mia, tom, guild, general)
        try:
            yield place
        finally:
            if place.process is not None and place.process.returncode is None:
                with suppress(ProcessLookupError):
                    place.process.kill()
                await place.process.wait()
