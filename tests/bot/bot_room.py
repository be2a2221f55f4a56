"""A whole bot in a small Discord: the real client on loopback, everything of ours at work, a model that is a function.

::

    async with bot_room(lambda prompt: ["Hello!"]) as room:
        room.mia.says(room.general, f"{room.mention} hi")
        await room.quiet()
        assert ["Hello!"] == room.answers()
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import discord

from cadenza.bot.app import CadenzaBot
from cadenza.bot.characters.character import Character, CharacterSprite
from cadenza.bot.config.config import Config
from cadenza.bot.config.current import Current
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Store
from cadenza.bot.wiring import BotServices, build
from cadenza.errors import SettingsError
from cadenza.models.connect import scripted
from cadenza.models.model import Model
from cadenza.settings import Settings
from cadenza.sim.faults import Faults
from cadenza.sim.people import Guild, Person
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import Json
from cadenza.sim.world import World
from cadenza.types import Prompt
from tests.bot.command_room import MirrorSeal
from tests.leaps import leaping, time_of_day

QUICK = Settings.of(degree=1, retry_delay=0.01)
REN = Character("Ren", prompt="A fox.", is_main=True)
KIRA = Character("Kira", prompt="A cat.", triggers=("kitty",), avatar="https://example.org/kira.png")
MIKO = Character(
    "Miko",
    prompt="An owl.",
    sprites=(CharacterSprite("mad", "https://example.org/mad.png", instructions="when she is angry"),),
)
CONFIG = Config(personas=(REN, KIRA, MIKO), settings=QUICK)


def parrot(prompt: Prompt) -> list[str]:
    """Says who it is and what it was told last."""
    return [f"{prompt.speaker} heard: {prompt.turns[-1].text.split()[-1]}"]


class OneModel:
    """A model registry with one model, a function, which remembers what it was asked."""

    def __init__(self, answer: Callable[[Prompt], Iterable[Any]] | None) -> None:
        self._answer = answer
        self.prompts: list[Prompt] = []
        self.wanted: list[str] = []

    def _heard(self, prompt: Prompt) -> Iterable[Any]:
        self.prompts.append(prompt)
        assert self._answer is not None
        return self._answer(prompt)

    def names(self) -> tuple[str, ...]:
        return ("function",)

    async def sources(self, name: str, server: str = "") -> Sequence[Model]:  # noqa: ARG002  # there is but one
        self.wanted.append(name)
        if self._answer is None:
            complaint = "No model is configured; name one in cadenza.toml."
            raise SettingsError(complaint)
        return [scripted(self._heard, name=name or "function")]

    def settings_of(self, name: str) -> Mapping[str, object]:  # noqa: ARG002  # likewise
        return {}

    async def close(self) -> None: ...


@dataclass
class BotRoom:
    """The bot, where it is, and who else is."""

    world: World
    server: Server
    bot: CadenzaBot
    model: OneModel
    mia: Person
    tom: Person
    guild: Guild
    general: str
    me: Any
    faults: Faults
    handed: dict[str, Any] = field(default_factory=dict)

    @property
    def services(self) -> BotServices:
        return self.bot.services

    @property
    def mention(self) -> str:
        return f"<@{self.me.id}>"

    async def quiet(self, *, within: float = 60.0) -> None:
        """Wait until nothing is being answered, and nothing is on its way to be."""
        async with asyncio.timeout(within):
            calm = 0
            while calm < 6:
                await asyncio.sleep(0.005)
                calm = 0 if self._is_busy() else calm + 1

    def _is_busy(self) -> bool:
        return bool(self.bot.turns.running() or self.bot.background or _events())

    async def until(self, condition: Callable[[], object], *, within: float = 60.0) -> None:
        await self.server.until(condition, within=within)

    def ours(self, channel: str = "") -> list[Json]:
        """The messages of the bot and its characters."""
        people = {self.mia.id, self.tom.id}
        return [one for one in self.world.messages(channel or self.general) if one["author"]["id"] not in people]

    def answers(self, channel: str = "") -> list[str]:
        return [one["content"] for one in self.ours(channel)]

    def names(self, channel: str = "") -> list[str]:
        return [one["author"]["username"] for one in self.ours(channel)]

    async def asks(self, text: str, *, by: Person | None = None) -> str:
        """Somebody mentions the bot and says *text*; gives back the message's id once all is quiet."""
        message = (by or self.mia).says(self.general, f"{self.mention} {text}")
        await self.heard()
        await self.quiet()
        return message

    async def heard(self) -> None:
        """Give the gateway a moment to tell the bot of what was said."""
        await asyncio.sleep(0.03)


def _events() -> list[asyncio.Task[Any]]:
    return [task for task in asyncio.all_tasks() if task.get_name().startswith("discord.py: on_")]


@asynccontextmanager
async def bot_room(
    answer: Callable[[Prompt], Iterable[Any]] | None,
    *,
    config: Config = CONFIG,
    store: Store | None = None,
    world: World | None = None,
    intents: discord.Intents | None = None,
    limits: RateLimits | None = None,
    staffed: Callable[[BotServices], BotServices] = lambda services: services,
    before: BotRoom | None = None,
) -> AsyncIterator[BotRoom]:
    """Have a bot at work; *before* is a room that it comes back to after its end."""
    if before is None:
        world = world or World(clock=time_of_day)
        me = world.add_bot("Cadenza", token="sim-token")  # noqa: S106  # of a world in memory
        mia, tom = world.add_person("Mia"), world.add_person("Tom")
        guild = world.add_guild("Home", owner=mia, members=[mia, tom, me])
        general = world.add_channel(guild, "general")
    else:
        world, me, mia, tom, guild, general = (
            before.world, before.me, before.mia, before.tom, before.guild, before.general
        )  # fmt: skip
        store = store or before.services.store
    if intents is None:
        intents = discord.Intents.default()
        intents.message_content = intents.members = True
    faults = Faults()
    model = OneModel(answer)
    services = build(Current(config), store or MemoryStore(), MirrorSeal())
    services = staffed(replace(services, models=model))
    async with serve(world, limits=limits or RateLimits.off(), faults=faults) as server:
        with server.discord_py(), leaping():
            bot = CadenzaBot(services, intents=intents, guild_ready_timeout=0.05)
            async with server.running(bot):
                yield BotRoom(world, server, bot, model, mia, tom, guild, general, me, faults)
                if not bot.is_closed():
                    await bot.wind_down()
