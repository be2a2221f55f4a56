"""A room in which commands are tried: a small Discord on loopback, a real client of discord.py, and two people.

::

    async with command_room(personas.commands) as room:
        assert "Ren is here." == await room.use(room.mia, "persona create", name="Ren")
        assert ["Ren"] == await room.suggest(room.mia, "persona show", "name", "r")

Mia owns the server and may do everything, Tom is there and may do nothing in particular.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import discord
from discord import app_commands

from cadenza.bot.commands.context import AnyCommand, CommandContext, Translations
from cadenza.bot.config.config import Config
from cadenza.bot.config.current import Current
from cadenza.bot.reply_controls import Asker, Control, ControlRefused
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal
from cadenza.bot.store.store import Store
from cadenza.bot.wiring import BotServices, build
from cadenza.sim import interactions
from cadenza.sim.objects import MessageFlag
from cadenza.sim.people import Guild, Person
from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from cadenza.sim.wire import Json
from cadenza.sim.world import World
from cadenza.turns import StopResult
from tests.leaps import leaping, time_of_day

Family = Callable[[CommandContext], Sequence[AnyCommand]]
"""What gives the commands of one file: ``personas.commands``."""

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_AT_WORK = ("CommandTree-invoker", "discord-ui-view-dispatch", "discord-ui-modal-dispatch")
"""What discord.py calls the tasks in which commands, buttons and forms are answered."""


class MirrorSeal(Seal):
    """A seal that needs no key: it turns a text round, so that what was sealed can be told from what was not."""

    def seal(self, secret: str) -> str:
        """*secret*, turned round."""
        return secret[::-1]

    def open(self, sealed: str) -> str:
        """What was sealed."""
        return sealed[::-1]


@dataclass
class Remote(Control):
    """A ``Control`` that remembers what was asked of it, and answers what it is told to."""

    stopping: StopResult | ControlRefused = field(default_factory=lambda: StopResult(was_running=True, cleared=0))
    refusal: ControlRefused | None = None
    """What becomes of a wish to have a reply again, or more of it."""
    is_running: bool = False
    asked: list[tuple[str, str, Asker, str]] = field(default_factory=list)
    """What was wanted, in which channel, by whom, and about which message."""

    def stop(self, channel: str, asker: Asker, /) -> StopResult | ControlRefused:
        """End what is being said."""
        self.asked.append(("stop", channel, asker, ""))
        return self.stopping

    async def regenerate(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Answer anew."""
        self.asked.append(("regenerate", channel, asker, message))
        return self.refusal

    async def go_on(self, channel: str, asker: Asker, /, *, message: str = "") -> ControlRefused | None:
        """Go on."""
        self.asked.append(("go_on", channel, asker, message))
        return self.refusal

    async def greet(self, channel: Any, asker: Asker, /, *, persona: str, text: str) -> ControlRefused | None:
        """Let somebody greet."""
        self.asked.append(("greet", str(channel.id), asker, f"{persona}: {text}"))
        return self.refusal

    def running(self, channel: str, /) -> bool:
        """Whether something is being said."""
        return bool(channel) and self.is_running


@dataclass
class CommandRoom:
    """One server with one channel, a bot in it whose commands can be used, and what it answered last."""

    world: World
    server: Server
    client: discord.Client
    tree: app_commands.CommandTree[discord.Client]
    context: CommandContext
    remote: Remote
    bot: Any
    mia: Person
    tom: Person
    guild: Guild
    general: str
    answers: list[Json] = field(default_factory=list)
    """The messages that the last use was answered with, with their embeds, attachments and components."""
    last: str = ""
    """The id of the last interaction."""

    @property
    def services(self) -> BotServices:
        """Who works for the bot."""
        return self.context.services

    @property
    def form(self) -> Json | None:
        """The form that the last use was answered with."""
        return self.world.modal(self.last)

    @property
    def is_ephemeral(self) -> bool:
        """Whether nobody else saw what was answered last."""
        return bool(self.answers) and all(message["flags"] & MessageFlag.EPHEMERAL for message in self.answers)

    async def use(
        self, person: Person, name: str, /, *, channel: str = "", given: Mapping[str, Any] = _NOTHING, **options: Any
    ) -> str:
        """Let *person* use a command with *options*; gives back the text that only they see.

        *given* are options too, for one that is called ``channel``. Of a menu on a message or a person, ``target`` is
        what it is used on. A command that answers with neither a message nor a form within five seconds fails the test.
        """
        used = interactions.use_command(
            self.world.state, person.id, channel or self.general, name, {**given, **options}
        )
        return await self._answered(used)

    async def suggest(
        self, person: Person, name: str, option: str, text: str, /, *, channel: str = "", **options: Any
    ) -> list[str]:
        """What is suggested to *person* who has written *text* into *option*."""
        self.last = person.completes(channel or self.general, name, option, text, **options)
        state = interactions.find(self.world.state, self.last)
        await self.server.until(lambda: state.is_answered)
        return [str(choice["value"]) for choice in self.world.suggestions(self.last)]

    async def press(self, person: Person, custom_id: str, /, *, message: str = "", channel: str = "") -> str:
        """Let *person* press a button, by its id or its label, of a message or else of what was answered last."""
        pressed, part = self._component(custom_id, message, channel or self.general)
        return await self._answered(person.presses(channel or self.general, pressed, part))

    async def choose(
        self, person: Person, custom_id: str, /, *values: str, message: str = "", channel: str = ""
    ) -> str:
        """Let *person* choose from a menu likewise."""
        pressed, part = self._component(custom_id, message, channel or self.general)
        return await self._answered(person.selects(channel or self.general, pressed, part, *values))

    async def submit(self, person: Person, /, **texts: str) -> str:
        """Let *person* fill in the form that was shown last, by the ids of its fields, and send it."""
        return await self._answered(person.submits(self.last, texts))

    def texts(self, channel: str = "") -> list[str]:
        """What stands in a channel."""
        return [message["content"] for message in self.world.messages(channel or self.general)]

    def file(self, place: int = 0) -> bytes:
        """What is in a file that was answered with."""
        attached = [one for message in self.answers for one in message["attachments"]]
        return self.world.file(attached[place]["id"])

    def _component(self, wanted: str, message: str, channel: str) -> tuple[str, str]:
        """The message and the id of what is *wanted*, by its own id or label."""
        shown = [one for one in self.world.messages(channel) if one["id"] == message] if message else self.answers
        for one in shown:
            for row in one["components"]:
                for part in row["components"]:
                    if wanted in (part.get("custom_id"), part.get("label")):
                        return one["id"], part["custom_id"]
        problem = f"there is nothing to press that is called {wanted}"
        raise LookupError(problem)

    async def _answered(self, interaction: str) -> str:
        self.last = interaction
        state = interactions.find(self.world.state, interaction)
        await self.server.until(lambda: state.is_answered)
        await _over()
        if self._is_loading():
            await self.server.until(lambda: not self._is_loading())
        self.answers = self._answers()
        mine = [message for message in self.answers if message["flags"] & MessageFlag.EPHEMERAL]
        return "\n".join(message["content"] for message in mine if message["content"])

    def _is_loading(self) -> bool:
        return any(message["flags"] & MessageFlag.LOADING for message in self._answers())

    def _answers(self) -> list[Json]:
        """What was said in answer to the last interaction; a button may also have changed its own message."""
        state = interactions.find(self.world.state, self.last)
        return [
            message
            for message in self.world.messages(state.channel)
            if (message.get("interaction_metadata") or {}).get("id") == self.last or message["id"] == state.original
        ]


async def _over() -> None:
    """Wait until every command, button and form has been dealt with; one that waits for a person is left alone."""
    working = {task for task in asyncio.all_tasks() if task.get_name().startswith(_AT_WORK)}
    if working:
        await asyncio.wait(working, timeout=2.0)


@asynccontextmanager
async def command_room(
    *families: Family,
    config: Config | None = None,
    store: Store | None = None,
    seal: Seal | None = None,
    remote: Remote | None = None,
    intents: discord.Intents | None = None,
) -> AsyncIterator[CommandRoom]:
    """Have a bot with the commands of *families* in a server; they are there when this begins."""
    world = World(clock=time_of_day)
    bot = world.add_bot("Cadenza", token="sim-token")  # noqa: S106  # of a world in memory
    mia, tom = world.add_person("Mia"), world.add_person("Tom")
    guild = world.add_guild("Home", owner=mia, members=[mia, tom, bot])
    general = world.add_channel(guild, "general")
    if intents is None:
        intents = discord.Intents.default()
        intents.message_content = intents.members = True
    remote = remote or Remote()
    services = build(Current(config or Config()), store or MemoryStore(), seal or MirrorSeal())
    async with serve(world, limits=RateLimits.off()) as server:
        with server.discord_py(), leaping():
            client = discord.Client(intents=intents, guild_ready_timeout=0.05)
            tree = app_commands.CommandTree(client)
            context = CommandContext(services, remote, client)
            async with server.running(client):
                await tree.set_translator(Translations())
                for family in families:
                    for command in family(context):
                        tree.add_command(command)
                await tree.sync()
                yield CommandRoom(world, server, client, tree, context, remote, bot, mia, tom, guild, general)
