"""``cadenza store …``: what an owner does about what their bot keeps.

To copy, to write down and to look over can be done while the bot runs. To change something, it must be stopped.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TypeVar

from ..bot.config.config import MemoryConfig, StoreConfig
from ..bot.config.dotenv import secrets
from ..bot.config.reading import load
from ..bot.memory.memory_service import Memory
from ..bot.store.backup import back_up, complaints, reading
from ..bot.store.exchange import export, import_
from ..bot.store.opening import MEMORY
from ..bot.store.sealing import Seal, add_key, seal_from
from ..bot.store.secrets import everything, reseal, sealed_in
from ..bot.store.sqlite import SqliteStore
from ..bot.store.store import Store, StoreError
from ..errors import InputError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """Where a store is, and what opens its secrets."""

    path: Path
    key_file: Path
    variable: str | None = None
    """What stands in the variable for the key."""

    def __repr__(self) -> str:
        return f"<Place {str(self.path)!r}>"

    @property
    def seal(self) -> Seal:
        """What opens its secrets."""
        return seal_from(self.variable, self.key_file)


# --- the command line ------------------------------------------------------------------------------


def add_store(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Put ``store`` among *commands*."""
    store = commands.add_parser(
        "store",
        help="back up, export, import, check or forget what the bot keeps",
        description="What the bot keeps: settings, characters, memories. A backup is a store: to go back to it, stop "
        "the bot, remove the store with its companions '-wal' and '-shm', and copy the backup to its place.",
        epilog="It is described in docs/bot/store.md.",
    )
    actions = store.add_subparsers(dest="action", metavar="ACTION", required=True)
    backup = _action(actions, "backup", "copy the store to a new file, while the bot runs or not")
    backup.add_argument("file", metavar="FILE", help="where to")
    backup.add_argument("--force", action="store_true", help="write over a file that is there already")
    out = _action(actions, "export", "write everything as JSON, while the bot runs or not")
    out.add_argument("file", metavar="FILE", help="where to")
    out.add_argument("--force", action="store_true", help="write over a file that is there already")
    out.add_argument("--with-secrets", action="store_true", help="write keys and tokens readable, not sealed")
    back = _action(actions, "import", "take in everything that an export holds; the bot must not run")
    back.add_argument("file", metavar="FILE", help="what 'export' has written")
    _action(actions, "check", "look whether the store is whole, and say what is in it")
    forget = _action(actions, "forget", "forget all of a person or a server; the bot must not run")
    whom = forget.add_mutually_exclusive_group(required=True)
    whom.add_argument("--person", metavar="ID", help="the id of somebody")
    whom.add_argument("--server", metavar="ID", help="the id of a server")
    fresh = _action(actions, "reseal", "seal all secrets with the key in use; the bot must not run")
    fresh.add_argument("--new-key", action="store_true", help="put a new key into the key file before")


def run_store(options: argparse.Namespace) -> int:
    """Do what was asked for; give back the exit status."""
    return _ACTIONS[options.action](options, _place(options))


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, about: str
) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    action.add_argument("--config", default="cadenza.toml", metavar="FILE", help="the configuration; cadenza.toml")
    action.add_argument("--path", metavar="FILE", help="the store, if it is not where the configuration says")
    action.add_argument("--key-file", metavar="FILE", help="the key file, likewise")
    return action


def _place(options: argparse.Namespace) -> StoreLocation:
    """Where the store is: as the options say, else the configuration. Who names it needs no configuration."""
    if options.path is not None:
        usual = StoreConfig()
        key_file = Path(options.key_file) if options.key_file else Path(options.path).with_name(usual.key_file)
        return StoreLocation(Path(options.path), key_file, os.environ.get(usual.key_env))
    config = load(options.config)
    variables = secrets(config)
    if config.store.path == MEMORY:
        msg = (
            f"the configuration {options.config!r} keeps nothing, for its store is ':memory:'; name a store with --path"
        )
        raise InputError(msg)
    key_file = Path(options.key_file) if options.key_file else config.place(config.store.key_file)
    return StoreLocation(config.place(config.store.path), key_file, variables.get(config.store.key_env))


# --- what can be done ------------------------------------------------------------------------------


def _backup(options: argparse.Namespace, place: StoreLocation) -> int:
    target = Path(options.file)
    count = back_up(place.path, target, force=options.force)
    return _say(f"{_many(count, 'record')} copied to {str(target)!r}, which is whole")


def _export(options: argparse.Namespace, place: StoreLocation) -> int:
    target = Path(options.file)
    if target.exists() and not options.force:
        msg = f"there is a file {str(target)!r} already; name another one, or add --force"
        raise InputError(msg)
    opened_with = place.seal if options.with_secrets else None
    exported = asyncio.run(_with(_copy(place), lambda store: export(store, opened_with=opened_with)))
    _write(target, exported.text)
    how = "readable: keep the file safe" if options.with_secrets else "sealed: it needs the key to be of use"
    _say(f"{_many(exported.records, 'record')} written to {str(target)!r}")
    if exported.secrets:
        _say(f"{_many(exported.secrets - exported.unreadable, 'secret')} in it {how}")
    if exported.unreadable:
        _say(f"{_many(exported.unreadable, 'secret')} could not be opened with this key and stayed sealed")
    return 1 if exported.unreadable else 0


def _import(options: argparse.Namespace, place: StoreLocation) -> int:
    try:
        text = Path(options.file).read_bytes()
    except OSError as error:
        msg = f"cannot read {options.file!r}: {error.strerror or type(error).__name__}"
        raise InputError(msg) from None
    imported = asyncio.run(_with(_own(place), lambda store: import_(store, text, place.seal)))
    _say(f"{_many(imported.records, 'record')} taken in")
    if imported.unreadable:
        _say(
            f"{_many(imported.unreadable, 'secret')} cannot be opened with this key; bring the one of the export along"
        )
    return 1 if imported.unreadable else 0


def _check(_: argparse.Namespace, place: StoreLocation) -> int:
    with closing(reading(place.path)) as connection:
        found = complaints(connection)
    if found:
        for complaint in found:
            _say(complaint)
        msg = f"the store {str(place.path)!r} is damaged; stop the bot, and put a backup in its place"
        raise StoreError(msg)
    records = asyncio.run(_with(_copy(place), everything))
    _say(f"the store {str(place.path)!r} is whole; {_many(len(records), 'record')} in it")
    for shelf, count in sorted(Counter(record.shelf.value for record in records).items()):
        _say(f"  {shelf}: {count}")
    secrets = [secret for record in records for _, secret in sealed_in(record.value)]
    seal = place.seal
    lost = sum(not seal.can_open(secret) for secret in secrets)
    if lost:
        _say(f"{lost} of {_many(len(secrets), 'secret')} cannot be opened with this key; bring back the one that can")
    return 1 if lost else 0


def _forget(options: argparse.Namespace, place: StoreLocation) -> int:
    whom = options.person or options.server
    if not whom:
        msg = "nobody has an empty id; name whom to forget with --person ID or --server ID"
        raise InputError(msg)
    _see(place)
    count = asyncio.run(_with(_own(place), lambda store: _forgotten(store, options.person, options.server)))
    return _say(f"{_many(count, 'record')} of {whom} forgotten for good; backups and exports may still hold them")


async def _forgotten(store: Store, person: str | None, server: str | None) -> int:
    """Forget a person, also what they said in the memory of others, or a server; say how many records that is."""
    if person and not server:
        forgotten = await Memory(store, MemoryConfig).privacy.forget(person)
        return forgotten.records + forgotten.lines
    return await store.forget(owner=person, server=server)


def _reseal(options: argparse.Namespace, place: StoreLocation) -> int:
    _see(place)
    if options.new_key:
        if place.variable:
            msg = "the key comes from the environment; put a new one before it there, apart by a comma, and reseal"
            raise InputError(msg)
        asyncio.run(_with(_own(place), _nothing))  # if a bot runs, it must not find another key
        add_key(place.key_file)
    done = asyncio.run(_with(_own(place), lambda store: reseal(store, place.seal)))
    _say(f"{_many(done.secrets, 'secret')} sealed with the key in use; backups from before need the older ones")
    if done.unreadable:
        _say(f"{_many(done.unreadable, 'secret')} cannot be opened with any key at hand and stayed as before")
    return 1 if done.unreadable else 0


_ACTIONS: Mapping[str, Callable[[argparse.Namespace, StoreLocation], int]] = MappingProxyType(
    {
        "backup": _backup,
        "export": _export,
        "import": _import,
        "check": _check,
        "forget": _forget,
        "reseal": _reseal,
    }
)


# --- the store, and words --------------------------------------------------------------------------


def _own(place: StoreLocation) -> SqliteStore:
    """The store for us alone, made if it is not there: an import may be the first that there is of it."""
    return SqliteStore(str(place.path))


def _see(place: StoreLocation) -> None:
    """Complain if there is no store: what is not there is not to be made to be changed."""
    reading(place.path).close()


def _copy(place: StoreLocation) -> SqliteStore:
    """What is in the store now, whoever uses it."""
    return SqliteStore(str(place.path), copy=True)


async def _with(store: SqliteStore, work: Callable[[Store], Awaitable[T]]) -> T:
    async with store:
        return await work(store)


async def _nothing(_: Store) -> None:
    """Only to see whether one may."""


def _write(target: Path, text: str) -> None:
    """Write *text* to *target*, for us alone, whole or not at all."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())  # or a power cut might leave an empty file in the place of an older one
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        msg = f"cannot write {str(target)!r}: {error.strerror or type(error).__name__}"
        raise InputError(msg) from None


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _say(sentence: str) -> int:
    sys.stdout.write(f"{sentence}\n")
    return 0
