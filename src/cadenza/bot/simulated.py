"""``cadenza run --sim``: the very same bot in a Discord on this machine, and this terminal as a channel in it."""

from __future__ import annotations

import asyncio
import getpass
import sys
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TextIO

from ..characters.character import Character, Look
from ..config.config import Config, LogConfig, MetricsConfig, ModelsConfig
from ..config.current import Current
from ..config.dotenv import secrets
from ..config.reading import load
from ..service.parrot import NAME as PARROT
from ..service.parrot import ParrotShelf
from ..sim.limits import RateLimits
from ..sim.server import serve
from ..store.api import Store
from ..store.memory import MemoryStore
from ..store.sealing import Seal, new_key
from ..store.sqlite import SqliteStore
from ..tasks import end_task
from .chat import Chat, Keyboard
from .chat_view import View
from .intents import PRIVILEGES, intents_for
from .run import greeting
from .scenery import Scenery
from .shift import Interrupts, work
from .staff import Staff, employed
from .workplace import ClientOf, follow_log, publish, simulated_bot, workplace

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
_ALL_FLAGS = sum(privilege.flags for privilege in PRIVILEGES)
"""A simulated portal allows everything."""


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
    keys, out = stdin or sys.stdin, stdout or sys.stdout
    is_terminal = keys.isatty() and out.isatty()
    scenery = Scenery(wanted.name or (_logged_in() if is_terminal else "You"))
    config, kept = _configuration(wanted, scenery)
    current = Current(config)
    follow_log(current, lambda _: kept, level=wanted.level)
    publish(kept)
    async with _store(wanted) as store, serve(scenery.world, limits=RateLimits()) as server:
        staff = _staff(current, store)
        with server.discord_py(), Interrupts() as interrupts:
            async with workplace(staff, intents_for(config, _ALL_FLAGS), client_of) as (hands, metering):
                view = View(scenery.world, out, {scenery.general: ""}, me=scenery.me.id, is_terminal=is_terminal)
                chat = Chat(scenery, server, hands, view, is_terminal=is_terminal)
                begun = asyncio.Event()
                stop_listening = scenery.world.listen(chat.hear)

                def ready() -> None:
                    metering.application = str(hands.client.application_id or "")
                    for line in greeting(hands.client, config):
                        view.tell(line)
                    if is_terminal:
                        view.tell("You are in #general. Type something; /help tells what else you can do.")
                    begun.set()

                chatting = asyncio.create_task(_chat(chat, keys, begun, interrupts), name="cadenza-chat")
                try:
                    is_polite = await work(
                        hands.client,
                        scenery.token,
                        interrupts=interrupts,
                        wind_down=hands.wind_down,
                        on_ready=ready,
                    )
                finally:
                    await end_task(chatting)
                    stop_listening()
                    view.end()
    return 0 if is_polite else _INTERRUPTED


async def _chat(chat: Chat, keys: TextIO, begun: asyncio.Event, interrupts: Interrupts) -> None:
    """Chat as soon as the bot is there; when that is over, so is everything."""
    try:
        await begun.wait()
        await chat.run(aiter(Keyboard(keys)))
    finally:
        interrupts.first.set()


def _configuration(wanted: Simulation, scenery: Scenery) -> tuple[Config, Mapping[str, str]]:
    """The configuration of a simulated bot, and its secrets. Without a file, the built-in cast answers everything."""
    log = LogConfig(level="warning")
    if wanted.config is None:
        plain = Config(personas=_CAST, log=log)
        talk = replace(plain.conversation, channels=(scenery.general,))
        return _with_model(replace(plain, conversation=talk)), {}
    config = load(wanted.config)
    return _with_model(replace(config, log=log, metrics=MetricsConfig())), secrets(config)


def _with_model(config: Config) -> Config:
    """*config*; where no model is chosen, the built-in one answers."""
    return config if config.models.default else replace(config, models=ModelsConfig(PARROT))


def _staff(current: Current, store: Store) -> Staff:
    seal = Seal(new_key())
    staff = employed(current, store, seal)
    is_built_in = current.now.models.default == PARROT
    return replace(staff, models=ParrotShelf(current, store, seal)) if is_built_in else staff


def _store(wanted: Simulation) -> Store:
    return MemoryStore() if wanted.store is None else SqliteStore(wanted.store)


def _logged_in() -> str:
    try:
        return getpass.getuser().capitalize()
    except (OSError, KeyError, ImportError):  # a container may know nobody
        return "You"
