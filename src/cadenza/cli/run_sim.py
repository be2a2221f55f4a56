"""``cadenza run --sim``: the very same bot in a Discord on this machine, and this terminal as a channel in it."""

from __future__ import annotations

import asyncio
import getpass
import io
import os
import sys
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from ..bot.characters.character import Character, Look
from ..bot.config.checking import ConfigError
from ..bot.config.config import Config, LogConfig, MetricsConfig, ModelsConfig
from ..bot.config.current import Current
from ..bot.config.dotenv import secrets
from ..bot.config.reading import LoadedConfig, load, read
from ..bot.config.reloading import Reloader
from ..bot.demo_server import DemoServer
from ..bot.intents import ALL_FLAGS, intents_for
from ..bot.lifecycle import Interrupts, work
from ..bot.runtime import ClientOf, follow_keys, follow_log, simulated_bot, workplace
from ..bot.services.demo_model import NAME as PARROT
from ..bot.services.demo_model import DemoModels
from ..bot.store.in_memory import MemoryStore
from ..bot.store.sealing import Seal, new_key
from ..bot.store.sqlite import SqliteStore
from ..bot.store.store import Store
from ..bot.terminal_chat import Chat, Keyboard
from ..bot.terminal_view import View
from ..bot.wiring import BotServices, employed
from ..concurrency.tasks import end_task
from ..sim.rate_limits import RateLimits
from ..sim.server import serve
from ..sim.wire import GatewayEvent
from .run import greeting

_INTERRUPTED = 130
_FACE = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=="
_CAST = (
    Character(
        "Cadenza",
        prompt="A friendly parrot that shows what this bot can do.",
        looks=(Look("happy", _FACE, "when there is something to smile about"),),
        is_main=True,
    ),
    Character(
        "Ren",
        prompt="A shy astronomer who answers when somebody says their name.",
        avatar=_FACE,
        looks=(Look("happy", _FACE, "when the sky is clear"),),
    ),
)


@dataclass(frozen=True, slots=True)
class Simulation:
    """What was asked for."""

    config: Path | None = None
    store: str | None = None
    name: str = ""
    """Who sits at the terminal; empty is whoever is logged in there."""
    level: str = ""
    """Of the log; empty is warnings, so that the chat can be read."""


async def simulate(
    wanted: Simulation,
    *,
    stdin: TextIO | None = None,
    stdout: TextIO | None = None,
    client_of: ClientOf = simulated_bot,
) -> int:
    """Run a simulation until what is typed ends, or somebody interrupts; give back the exit status."""
    keys, out = _lenient(stdin or sys.stdin or io.StringIO()), _lenient(stdout or sys.stdout)
    is_terminal = keys.isatty() and out.isatty()
    real = dict(os.environ)  # before secrets are put there, which would win over a later .env
    given = None if wanted.config is None else load(wanted.config, real)
    scenery = DemoServer(wanted.name.strip() or (_logged_in() if is_terminal else "You"), _bot_name(given))
    config = _adapted(given) if given is not None else _built_in(scenery)
    current = Current(config)

    def secrets_of(config: Config) -> Mapping[str, str]:
        return {} if given is None else secrets(config, real)

    follow_log(current, secrets_of, level=wanted.level)
    follow_keys(current, secrets_of, real=real)
    async with _store(wanted) as store, serve(scenery.world, limits=RateLimits()) as server:
        staff = _staff(current, store)
        with server.discord_py(), Interrupts() as interrupts:
            async with workplace(staff, intents_for(config, ALL_FLAGS), client_of) as (hands, metering):
                view = View(scenery.world, out, {scenery.general: ""}, me=scenery.me.id, is_terminal=is_terminal)
                chat = Chat(scenery, server, hands, view, is_terminal=is_terminal)
                begun = asyncio.Event()

                def hear(event: GatewayEvent) -> None:
                    chat.hear(event)
                    if view.trouble is not None:  # nobody sees it any more: nothing to wait for
                        interrupts.first.set()
                        interrupts.second.set()

                stop_listening = scenery.world.listen(hear)

                def ready() -> None:
                    metering.application = str(hands.client.application_id or "")
                    for line in greeting(hands.client, config, secrets_of(config)):
                        view.tell(line)
                    if is_terminal:
                        view.tell(
                            f"You are in #general. {_how_to_begin(config, scenery)}; /help tells what else you can do."
                        )
                    begun.set()

                async def wind_down() -> None:
                    if is_terminal and hands.is_busy(scenery.general):
                        view.tell("Ending once all is said; Ctrl-C ends it at once.")
                    await hands.wind_down()

                current.listen(lambda _, __: view.tell("cadenza.toml was read again."))
                chatting = asyncio.create_task(_chat(chat, keys, begun, interrupts), name="cadenza-chat")
                try:
                    async with _reloader(current, wanted.config, real):
                        is_polite = await work(
                            hands.client,
                            scenery.token,
                            interrupts=interrupts,
                            wind_down=wind_down,
                            on_ready=ready,
                        )
                finally:
                    await end_task(chatting)
                    stop_listening()
                    view.end()
    if view.trouble is not None:
        raise view.trouble
    return 0 if is_polite else _INTERRUPTED


async def _chat(chat: Chat, keys: TextIO, begun: asyncio.Event, interrupts: Interrupts) -> None:
    """Chat as soon as the bot is there; when that is over, so is everything."""
    try:
        await begun.wait()
        await chat.run(aiter(Keyboard(keys)))
    finally:
        interrupts.first.set()


def _lenient(stream: TextIO) -> TextIO:
    """*stream*, which shows in some way what its encoding cannot hold, and does not end because of it."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace" if stream.readable() else "backslashreplace")
    return stream


def _built_in(scenery: DemoServer) -> Config:
    """What a bot is for which there is no file: the built-in cast, which answers everything."""
    plain = Config(personas=_CAST)
    return _adapted(replace(plain, conversation=replace(plain.conversation, channels=(scenery.general,))))


def _adapted(config: Config) -> Config:
    """*config* for a simulation: a quiet log, so that the chat can be read, and no port."""
    return _with_model(replace(config, log=LogConfig(level="warning"), metrics=MetricsConfig()))


def _reloader(
    current: Current, path: Path | None, environment: Mapping[str, str]
) -> AbstractAsyncContextManager[object]:
    """Who looks whether the configuration has changed, if there is one."""
    if path is None:
        return nullcontext()

    def read_adapted(path: Path, environment: Mapping[str, str]) -> LoadedConfig:
        reading = read(path, environment)
        adapted = _adapted(reading.config)
        if (adapted.models.default == PARROT) != (current.now.models.default == PARROT):
            told = f"{path.name}: start anew to have another model in the place of the built-in one, or the other way round"
            raise ConfigError([told], files=reading.files)
        return replace(reading, config=adapted)

    return Reloader(current, path, environment=environment, read=read_adapted)


def _bot_name(config: Config | None) -> str:
    """What the bot is called: as its main character is."""
    return next((one.name for one in (config.personas if config else ()) if one.is_main), "Cadenza")


def _how_to_begin(config: Config, scenery: DemoServer) -> str:
    """What to type so that somebody answers."""
    if scenery.general in config.conversation.channels:
        return "Type something"
    return f"To be answered, say '@{scenery.bot_named} hello' there, or in private '/dm hello'"


def _with_model(config: Config) -> Config:
    """*config*; where no model is chosen, the built-in one answers."""
    return config if config.models.default else replace(config, models=ModelsConfig(PARROT))


def _staff(current: Current, store: Store) -> BotServices:
    seal = Seal(new_key())
    staff = employed(current, store, seal)
    is_built_in = current.now.models.default == PARROT
    return replace(staff, models=DemoModels(current, store, seal)) if is_built_in else staff


def _store(wanted: Simulation) -> Store:
    return MemoryStore() if wanted.store is None else SqliteStore(wanted.store)


def _logged_in() -> str:
    try:
        return getpass.getuser().capitalize()
    except (OSError, KeyError, ImportError):  # a container may know nobody
        return "You"
