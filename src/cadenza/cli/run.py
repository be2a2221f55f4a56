"""``cadenza run``: run the bot of a configuration; with ``--sim``, in a simulated Discord on this machine."""

from __future__ import annotations

import argparse
import logging
import os
import sys
from collections.abc import Callable, Coroutine, Mapping
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from ..bot.services.logs import LEVELS
from ..errors import CadenzaError, Sentence, SettingsError
from ..explain.tracebacks import get_logger

if TYPE_CHECKING:
    import discord

    from ..bot.config.config import Config
    from ..bot.config.reading import LoadedConfig
    from ..bot.runtime import ClientFactory
    from ..bot.store.sealing import Seal
    from ..bot.store.store import Store

logger = get_logger(__name__)

CONFIG = "cadenza.toml"
_NO_MODEL = 'no model is chosen; say who answers in cadenza.toml, as in: [models] default = "openai:gpt-5.1"'
INTERRUPTED = 130
"""The exit status after a second Ctrl-C."""
_LATER = 75
"""The exit status of a temporary failure, after which a supervisor should restart the bot."""


def add_run(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``cadenza run`` to the command line."""
    run = commands.add_parser(
        "run",
        help="start the bot; with --sim, try it in this terminal",
        description="Start the bot that cadenza.toml describes. Ctrl-C stops it: it finishes the replies under way and "
        "accepts no new ones; a second Ctrl-C ends it at once. "
        "With --sim the same bot runs in a simulated Discord on this machine, and this terminal is a channel in it: "
        "that needs no token, no API key and no configuration.",
        epilog="See docs/bot/running.md for running it in production.",
    )
    run.add_argument("--config", metavar="FILE", help=f"the configuration (default: {CONFIG} in this folder)")
    run.add_argument(
        "--sim",
        nargs="?",
        const="",
        metavar="URL",
        help="use a simulated Discord, with a chat in this terminal; with a URL, use one that already runs on this "
        "machine, without a chat",
    )
    run.add_argument("--store", metavar="FILE", help="with --sim: the file for the bot's data")
    run.add_argument(
        "--model",
        metavar="MODEL",
        default="",
        help="with --sim: the model that answers: local (on this machine, without a key), or VENDOR:NAME",
    )
    run.add_argument("--name", metavar="NAME", default="", help="with --sim: your name in the chat")
    run.add_argument("--log-level", choices=tuple(LEVELS), help="what is logged (default: as configured)")


def run_run(options: argparse.Namespace) -> int:
    """Run the bot and return the exit status. Raises ``CadenzaError``."""
    try:
        import discord  # noqa: F401, PLC0415  # an extra, and slow to load
    except ImportError:
        msg = "the bot needs discord.py; install it with: pip install 'cadenza[bot]'"
        raise SettingsError(msg) from None
    from ..concurrency import event_loop  # noqa: PLC0415  # only who runs a bot waits for what it needs

    level = options.log_level or ""
    if options.sim == "":
        from .run_sim import Simulation, simulate  # noqa: PLC0415  # likewise

        config = _config_for_sim(options.config)
        return event_loop.run(simulate(Simulation(config, options.store, options.name, level, options.model)))
    for name in ("store", "name", "model"):
        if getattr(options, name):
            msg = Sentence("--{name} works with the chat of --sim only; configure the bot in cadenza.toml", name=name)
            raise SettingsError(msg)
    from ..bot.runtime import cadenza_bot, simulated_bot  # noqa: PLC0415  # likewise

    client_of = cadenza_bot if options.sim is None else simulated_bot
    with _elsewhere(options.sim):
        bot = run_bot(Path(options.config or CONFIG), level=level, client_of=client_of)
        return tried_once(lambda: event_loop.run(bot))


def _elsewhere(url: str | None) -> AbstractContextManager[None]:
    """Point discord.py at the simulated Discord at *url*; without one, at the real Discord."""
    if url is None:
        return nullcontext()
    from ..sim.clients import discord_py  # noqa: PLC0415  # only who simulates needs it

    try:
        place = urlsplit(url)
        is_here = place.hostname == "localhost" or ip_address(place.hostname or "").is_loopback
    except ValueError:
        is_here = False
    if not is_here or place.scheme != "http":
        msg = "--sim takes the address of a simulated Discord on this machine, as in http://127.0.0.1:8000/api/v10"
        raise SettingsError(msg)
    return discord_py(url.rstrip("/"), f"ws://{place.netloc}/gateway", f"http://{place.netloc}/cdn")


def tried_once(start: Callable[[], int]) -> int:
    """Run *start*; a temporary failure returns its own exit status."""
    from ..bot.startup_errors import StartError  # noqa: PLC0415  # as above

    try:
        return start()
    except StartError as error:
        if not error.is_passing:
            raise
        if sys.stderr is not None:
            sys.stderr.write(f"cadenza: {error}\n")
        return _LATER


async def run_bot(path: Path, *, level: str = "", client_of: ClientFactory, store: Store | None = None) -> int:
    """Run the bot of the configuration *path* until it is interrupted; return the exit status.

    *store* replaces the store of the configuration.
    """
    from ..bot.config.dotenv import secrets  # noqa: PLC0415  # as above
    from ..bot.config.reading import load  # noqa: PLC0415
    from ..bot.config.reloading import Reloader  # noqa: PLC0415
    from ..bot.lifecycle import Interrupts, work  # noqa: PLC0415
    from ..bot.runtime import session  # noqa: PLC0415
    from ..bot.wiring import build  # noqa: PLC0415

    environment = dict(os.environ)  # before secrets are put there, which would win over a later .env
    secrets_of = partial(secrets, environment=environment)
    config = load(path, environment)
    kept = secrets_of(config)
    token = _token(config, kept)
    _require_model(config)
    async with session(
        config,
        _store(config) if store is None else store,
        secrets=secrets_of,
        environment=environment,
        level=level,
        services_of=lambda current, store: build(current, store, _seal(config, kept)),
        client_of=client_of,
        flags=partial(_flags, config, token),
    ) as running:

        def ready() -> None:
            for line in greeting(running.bot.client, running.current.now, secrets_of(running.current.now)):
                print(line, flush=True)  # noqa: T201  # the log may be elsewhere

        bot = running.bot
        async with Reloader(running.current, path, environment=environment, read=_read_with_model):
            with Interrupts() as interrupts:
                working = work(bot.client, token, interrupts=interrupts, wind_down=bot.wind_down, on_ready=ready)
                is_polite = await _translated(working, config.discord.token_env)
    return 0 if is_polite else INTERRUPTED


def _read_with_model(path: Path, environment: Mapping[str, str]) -> LoadedConfig:
    """Read the configuration; one without a model is an error, so that a running bot keeps the old one."""
    from ..bot.config.checking import ConfigError  # noqa: PLC0415  # as above
    from ..bot.config.reading import read  # noqa: PLC0415

    reading = read(path, environment)
    if not reading.config.models.default:
        raise ConfigError([f"{path.name}: {_NO_MODEL}"], files=reading.files)
    return reading


def greeting(client: discord.Client, config: Config, kept: Mapping[str, str]) -> list[str]:
    """The lines shown when the bot is ready: its name, guilds, model and triggers, and what is missing."""
    from ..bot.config.model_names import key_of, key_variables, needs_key, resolved  # noqa: PLC0415  # as above
    from ..bot.services.invitation import invite_link  # noqa: PLC0415

    name = client.user.display_name if client.user else "The bot"
    count = len(client.guilds)
    where = f"{count} server{'' if count == 1 else 's'}"
    answered = listens_to(config, hears_all=client.intents.message_content)
    lines = [f"{name} is ready in {where}, with the model {config.models.default}. It answers {answered}."]
    model = resolved(config.models, config.models.default)
    if needs_key(model) and not key_of(model, kept):
        variables = " or ".join(key_variables(model))
        lines.append(f"{config.models.default} needs a key and cannot answer yet; put it into .env as {variables}.")
    if not count:
        lines.append(f"It is in no server yet; let it in with {invite_link(str(client.application_id or ''))}")
    return lines


def listens_to(config: Config, *, hears_all: bool = True) -> str:
    """What the bot answers, in words. Without the message content intent (*hears_all*) that is less."""
    talk = config.conversation
    kinds = [
        ("mentions", talk.mentions),
        ("replies", talk.replies),
        ("trigger words", talk.trigger_words and hears_all),
        ("direct messages", talk.direct_messages),
        (
            f"every message in {len(talk.channels)} channel{'' if len(talk.channels) == 1 else 's'}",
            bool(talk.channels) and hears_all,
        ),
        (f"every {talk.every}. message", bool(talk.every) and hears_all),
    ]
    words = [word for word, is_on in kinds if is_on]
    if not words:
        return "nothing, since no trigger is on in [conversation]"
    return words[0] if len(words) == 1 else f"{', '.join(words[:-1])} and {words[-1]}"


async def _flags(config: Config, token: str) -> int:
    """The flags of the bot's application, which tell its privileged intents."""
    from discord.http import Route  # noqa: PLC0415  # as above

    from ..bot.application_info import PortalError  # noqa: PLC0415
    from ..bot.config.secrecy import token_complaint  # noqa: PLC0415
    from ..bot.intents import application  # noqa: PLC0415
    from ..bot.startup_errors import StartError  # noqa: PLC0415

    try:
        return await application(token, url=Route.BASE)
    except PortalError as error:
        if error.status == 401 and (complaint := token_complaint(token)):
            msg = Sentence(
                "Discord does not accept the token in {token_env}: {complaint}",
                token_env=config.discord.token_env,
                complaint=complaint,
            )
            raise StartError(msg) from None
        is_passing = error.status in (0, 429) or error.status >= 500
        raise StartError(str(error), is_passing=is_passing) from None


async def _translated(working: Coroutine[Any, Any, bool], variable: str) -> bool:
    """Await *working*; exceptions of discord.py become a ``StartError``."""
    from ..bot.startup_errors import StartError, is_passing, sentence_of  # noqa: PLC0415  # as above

    try:
        return await working
    except CadenzaError:
        raise
    except Exception as error:
        sentence = sentence_of(error, variable=variable)
        logger.log(logging.ERROR if sentence is None else logging.DEBUG, "the bot failed", exc_info=True)
        if sentence is None:
            sentence = Sentence(
                "the bot ended because of an error ({error_type}); see the log", error_type=type(error).__name__
            )
        raise StartError(sentence, is_passing=is_passing(error)) from error


def _token(config: Config, kept: Mapping[str, str]) -> str:
    variable = config.discord.token_env
    if not kept.get(variable, ""):
        msg = Sentence(
            "there is no token; put it into .env as {variable}=…, or run 'cadenza init', or try 'cadenza run --sim'",
            variable=variable,
        )
        raise SettingsError(msg)
    return kept[variable]


def _require_model(config: Config) -> None:
    if not config.models.default:
        raise SettingsError(_NO_MODEL)


def _store(config: Config) -> Store:
    from ..bot.store.sqlite import SqliteStore  # noqa: PLC0415  # as above

    path = config.store.path
    return SqliteStore(path if path == ":memory:" else str(config.place(path)))


def _seal(config: Config, kept: Mapping[str, str]) -> Seal:
    from ..bot.store.sealing import seal_from  # noqa: PLC0415  # as above

    return seal_from(kept.get(config.store.key_env), config.place(config.store.key_file))


def _config_for_sim(given: str | None) -> Path | None:
    """The configuration for ``--sim``: the given one, the one of this folder, or none."""
    if given is not None:
        return Path(given)
    return Path(CONFIG) if Path(CONFIG).is_file() else None
