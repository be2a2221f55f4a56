"""``cadenza run --sim``: the same bot in a simulated Discord, with this terminal as a channel."""

from __future__ import annotations

import asyncio
import getpass
import io
import os
import sys
from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from ..bot.characters.character import Character, CharacterSprite
from ..bot.config.checking import ConfigError
from ..bot.config.config import Config, LogConfig, MetricsConfig
from ..bot.config.current import Current
from ..bot.config.dotenv import secrets
from ..bot.config.model_names import model_complaint
from ..bot.config.reading import LoadedConfig, load, read
from ..bot.config.reloading import Reloader
from ..bot.demo_server import DemoServer
from ..bot.lifecycle import Interrupts, work
from ..bot.runtime import ClientFactory, RunningClient, session, simulated_bot
from ..bot.services.demo_model import NAME as PARROT, DemoModels
from ..bot.store.in_memory import MemoryStore
from ..bot.store.sealing import Seal, new_key
from ..bot.store.sqlite import SqliteStore
from ..bot.store.store import Store
from ..bot.terminal_chat import Chat, Keyboard
from ..bot.terminal_view import View
from ..bot.wiring import BotServices, build
from ..concurrency.tasks import end_task
from ..errors import InputError, Sentence
from ..sim.rate_limits import RateLimits
from ..sim.server import serve
from ..sim.wire import GatewayEvent
from .run import INTERRUPTED, greeting

_AVATAR = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_CAST = (
    Character(
        "Cadenza",
        prompt="A friendly parrot that shows what this bot can do.",
        sprites=(CharacterSprite("happy", _AVATAR, "when there is something to smile about"),),
        is_main=True,
    ),
    Character(
        "Ren",
        prompt="A shy astronomer who answers when somebody says their name.",
        avatar=_AVATAR,
        sprites=(CharacterSprite("happy", _AVATAR, "when the sky is clear"),),
    ),
)


@dataclass(frozen=True, slots=True)
class Simulation:
    """The options of ``run --sim``."""

    config: Path | None = None
    store: str | None = None
    name: str = ""
    """The name of the user; empty is the login name."""
    level: str = ""
    """The log level; empty is warnings, so that the chat stays readable."""
    model: str = ""
    """The model that answers; empty is the configured one, or the built-in one."""


async def simulate(
    wanted: Simulation,
    *,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    client_of: ClientFactory = simulated_bot,
) -> int:
    """Run a simulation until the input ends or an interrupt comes; return the exit status."""
    keys, out = _lenient(stdin or sys.stdin or io.StringIO()), _lenient(stdout or sys.stdout)
    is_terminal = keys.isatty() and out.isatty()
    real = dict(os.environ)  # before secrets are put there, which would win over a later .env
    given = None if wanted.config is None else load(wanted.config, real)
    if wanted.model and (problem := model_complaint(wanted.model, given.models.named if given else ())):
        msg = Sentence("--model {problem}", problem=problem)
        raise InputError(msg)
    demo_server = DemoServer(wanted.name.strip() or (_logged_in() if is_terminal else "You"), _bot_name(given))
    config = _adapted(_built_in(demo_server) if given is None else given, wanted.model)

    def secrets_of(config: Config) -> Mapping[str, str]:
        return {} if given is None else secrets(config, real)

    view = View(demo_server.world, out, {demo_server.general: ""}, me=demo_server.me.id, is_terminal=is_terminal)
    bot_session = session(
        config,
        _store(wanted),
        secrets=secrets_of,
        environment=real,
        level=wanted.level,
        services_of=_services,
        client_of=client_of,
    )
    async with serve(demo_server.world, limits=RateLimits()) as server:
        with server.discord_py():
            async with bot_session as running, _reloader(running.current, wanted, real):

                def greet() -> None:
                    for line in greeting(running.bot.client, config, secrets_of(config)):
                        view.tell(line)
                    if is_terminal:
                        how = _how_to_begin(config, demo_server)
                        view.tell(f"You are in #general. {how}; /help tells what else you can do.")

                running.current.listen(lambda _, __: view.tell("cadenza.toml was read again."))
                chat = Chat(demo_server, server, running.bot, view)
                is_polite = await _work(running.bot, chat, view, demo_server=demo_server, keys=keys, greet=greet)
    if view.trouble is not None:
        raise view.trouble
    return 0 if is_polite else INTERRUPTED


async def _work(
    bot: RunningClient, chat: Chat, view: View, *, demo_server: DemoServer, keys: TextIO, greet: Callable[[], None]
) -> bool:
    """Run *bot* while the user chats; return whether it ended gracefully."""
    begun = asyncio.Event()
    with Interrupts() as interrupts:

        def hear(event: GatewayEvent) -> None:
            chat.hear(event)
            if view.trouble is not None:  # the output is closed
                interrupts.first.set()
                interrupts.second.set()

        def ready() -> None:
            greet()
            begun.set()

        async def wind_down() -> None:
            if view.is_terminal and bot.is_busy(demo_server.general):
                view.tell("Waiting for the reply to end; Ctrl-C stops at once.")
            await bot.wind_down()

        stop_listening = demo_server.world.listen(hear)
        chatting = asyncio.create_task(_chat(chat, keys, begun, interrupts), name="cadenza-chat")
        try:
            return await work(bot.client, demo_server.token, interrupts=interrupts, wind_down=wind_down, on_ready=ready)
        finally:
            await end_task(chatting)
            stop_listening()
            view.end()


async def _chat(chat: Chat, keys: TextIO, begun: asyncio.Event, interrupts: Interrupts) -> None:
    """Chat once the bot is ready; the end of the chat ends the session."""
    try:
        await begun.wait()
        await chat.run(aiter(Keyboard(keys)))
    finally:
        interrupts.first.set()


def _lenient(stream: TextIO) -> TextIO:
    """*stream*, which replaces characters that its encoding lacks."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace" if stream.readable() else "backslashreplace")
    return stream


def _built_in(demo_server: DemoServer) -> Config:
    """The configuration without a file: built-in characters that answer everything."""
    plain = Config(personas=_CAST)
    return replace(plain, conversation=replace(plain.conversation, channels=(demo_server.general,)))


def _adapted(config: Config, model: str) -> Config:
    """*config* for a simulation: a quiet log, no metrics port, and *model*, else its own, else the built-in one."""
    models = replace(config.models, default=model or config.models.default or PARROT)
    return replace(config, log=LogConfig(level="warning"), metrics=MetricsConfig(), models=models)


def _reloader(
    current: Current, wanted: Simulation, environment: Mapping[str, str]
) -> AbstractAsyncContextManager[object]:
    """The reloader of the configuration file, if there is one."""
    if (path := wanted.config) is None:
        return nullcontext()

    def read_adapted(path: Path, environment: Mapping[str, str]) -> LoadedConfig:
        reading = read(path, environment)
        adapted = _adapted(reading.config, wanted.model)
        if (adapted.models.default == PARROT) != (current.now.models.default == PARROT):
            told = f"{path.name}: restart to switch between the built-in model and another one"
            raise ConfigError([told], files=reading.files)
        return replace(reading, config=adapted)

    return Reloader(current, path, environment=environment, read=read_adapted)


def _bot_name(config: Config | None) -> str:
    """The name of the bot: that of its main character."""
    return next((one.name for one in (config.personas if config else ()) if one.is_main), "Cadenza")


def _how_to_begin(config: Config, demo_server: DemoServer) -> str:
    """What to type for an answer."""
    if demo_server.general in config.conversation.channels:
        return "Type something"
    return f"To be answered, say '@{demo_server.bot_named} hello' there, or in private '/dm hello'"


def _services(current: Current, store: Store) -> BotServices:
    seal = Seal(new_key())
    services = build(current, store, seal)
    is_built_in = current.now.models.default == PARROT
    return replace(services, models=DemoModels(current, store, seal)) if is_built_in else services


def _store(wanted: Simulation) -> Store:
    return MemoryStore() if wanted.store is None else SqliteStore(wanted.store)


def _logged_in() -> str:
    try:
        return getpass.getuser().capitalize()
    except (OSError, KeyError, ImportError):  # a container may have no user names
        return "You"
