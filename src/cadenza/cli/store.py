"""``cadenza store …``: back up, export, import, check and clean the store of a bot.

Backup, export and check work while the bot runs. Import, forget and reseal need it stopped.
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
from ..bot.store.backup import back_up, problems, reading
from ..bot.store.exchange import export, import_
from ..bot.store.opening import MEMORY
from ..bot.store.sealing import Seal, add_key, seal_from
from ..bot.store.secrets import everything, reseal, sealed_in
from ..bot.store.sqlite import SqliteStore
from ..bot.store.store import Store, StoreError
from ..errors import InputError, Sentence

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class StoreLocation:
    """The path of a store and the keys for its secrets."""

    path: Path
    key_file: Path
    variable: str | None = None
    """The value of the environment variable for the key."""

    def __repr__(self) -> str:
        return f"<Place {str(self.path)!r}>"

    @property
    def seal(self) -> Seal:
        """The seal that opens its secrets."""
        return seal_from(self.variable, self.key_file)


# --- the command line ------------------------------------------------------------------------------


def add_store(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``store`` to the command line."""
    store = commands.add_parser(
        "store",
        help="back up, export, import, check or delete the bot's data",
        description="The bot's store: settings, characters, memories. A backup is a store itself. To restore it, stop "
        "the bot, remove the store and its '-wal' and '-shm' files, and copy the backup to its place.",
        epilog="docs/bot/store.md describes it.",
    )
    actions = store.add_subparsers(dest="action", metavar="ACTION", required=True)
    backup = _action(actions, "backup", "copy the store to a new file; the bot may run")
    backup.add_argument("file", metavar="FILE", help="the file to write")
    backup.add_argument("--force", action="store_true", help="overwrite an existing file")
    exporting = _action(actions, "export", "write all records as JSON; the bot may run")
    exporting.add_argument("file", metavar="FILE", help="the file to write")
    exporting.add_argument("--force", action="store_true", help="overwrite an existing file")
    exporting.add_argument("--with-secrets", action="store_true", help="write keys and tokens in plain text")
    importing = _action(actions, "import", "read all records of an export; stop the bot first")
    importing.add_argument("file", metavar="FILE", help="a file written by 'export'")
    _action(actions, "check", "check the store for damage and count its records; the bot may run")
    forget = _action(actions, "forget", "delete everything about a person or a server; stop the bot first")
    subject = forget.add_mutually_exclusive_group(required=True)
    subject.add_argument("--person", metavar="ID", help="the id of a person")
    subject.add_argument("--server", metavar="ID", help="the id of a server")
    resealing = _action(actions, "reseal", "seal all secrets with the current key; stop the bot first")
    resealing.add_argument("--new-key", action="store_true", help="add a new key to the key file first")


def run_store(options: argparse.Namespace) -> int:
    """Run the action that *options* name; return the exit status."""
    return _ACTIONS[options.action](options, _place(options))


def _action(
    actions: argparse._SubParsersAction[argparse.ArgumentParser], name: str, about: str
) -> argparse.ArgumentParser:
    action = actions.add_parser(name, help=about, description=f"{about[0].upper()}{about[1:]}.")
    action.add_argument(
        "--config", default="cadenza.toml", metavar="FILE", help="the configuration (default: cadenza.toml)"
    )
    action.add_argument("--path", metavar="FILE", help="the store (default: as configured)")
    action.add_argument("--key-file", metavar="FILE", help="the key file (default: as configured)")
    return action


def _place(options: argparse.Namespace) -> StoreLocation:
    """The store named by ``--path``, which needs no configuration; else the configuration's."""
    if options.path is not None:
        if Path(options.path).is_dir():
            msg = Sentence("{path} is a folder; name the store in it with --path", path=repr(options.path))
            raise InputError(msg)
        usual = StoreConfig()
        key_file = Path(options.key_file) if options.key_file else Path(options.path).parent / usual.key_file
        return StoreLocation(Path(options.path), key_file, os.environ.get(usual.key_env))
    config = load(options.config)
    variables = secrets(config)
    if config.store.path == MEMORY:
        msg = Sentence(
            "the store of the configuration {config} is ':memory:', with nothing on disk; name a store with --path",
            config=repr(options.config),
        )
        raise InputError(msg)
    key_file = Path(options.key_file) if options.key_file else config.place(config.store.key_file)
    return StoreLocation(config.place(config.store.path), key_file, variables.get(config.store.key_env))


# --- actions ---------------------------------------------------------------------------------------


def _backup(options: argparse.Namespace, place: StoreLocation) -> int:
    target = _target(options)
    count = back_up(place.path, target, force=options.force)
    return _say(f"{_many(count, 'record')} copied to {str(target)!r}; the copy is intact")


def _export(options: argparse.Namespace, place: StoreLocation) -> int:
    target = _target(options)
    opened_with = place.seal if options.with_secrets else None
    exported = asyncio.run(_with(_copy(place), lambda store: export(store, opened_with=opened_with)))
    _write(target, exported.text)
    how = "in plain text: keep the file safe" if options.with_secrets else "sealed: an import needs the key"
    _say(f"{_many(exported.records, 'record')} written to {str(target)!r}")
    if exported.secrets:
        _say(f"{_many(exported.secrets - exported.unreadable, 'secret')} in it {how}")
    if exported.unreadable:
        _say(f"{_many(exported.unreadable, 'secret')} could not be opened with this key and stayed sealed")
    return 1 if exported.unreadable else 0


def _target(options: argparse.Namespace) -> Path:
    """The file to write; ``InputError`` if it may not be written there."""
    target = Path(options.file)
    if target.is_dir():
        msg = Sentence("{file} is a folder; name a file in it", file=repr(options.file))
        raise InputError(msg)
    if target.exists() and not options.force:
        msg = Sentence("the file {target} exists already; name another one, or add --force", target=repr(str(target)))
        raise InputError(msg)
    return target


def _import(options: argparse.Namespace, place: StoreLocation) -> int:
    try:
        text = Path(options.file).read_bytes()
    except OSError as error:
        msg = Sentence(
            "cannot read {file}: {strerror}", file=repr(options.file), strerror=error.strerror or type(error).__name__
        )
        raise InputError(msg) from None
    imported = asyncio.run(_with(_own(place), lambda store: import_(store, text, place.seal)))
    _say(f"{_many(imported.records, 'record')} imported")
    if imported.unreadable:
        _say(f"{_many(imported.unreadable, 'secret')} cannot be opened with this key; use the key of the export")
    return 1 if imported.unreadable else 0


def _check(_: argparse.Namespace, place: StoreLocation) -> int:
    with closing(reading(place.path)) as connection:
        found = problems(connection)
    if found:
        for problem in found:
            _say(problem)
        msg = Sentence("the store {path} is damaged; stop the bot, and restore a backup", path=repr(str(place.path)))
        raise StoreError(msg)
    records = asyncio.run(_with(_copy(place), everything))
    _say(f"the store {str(place.path)!r} is intact; {_many(len(records), 'record')}")
    for collection, count in sorted(Counter(record.namespace.value for record in records).items()):
        _say(f"  {collection}: {count}")
    secrets = [secret for record in records for _, secret in sealed_in(record.value)]
    seal = place.seal
    lost = sum(not seal.can_open(secret) for secret in secrets)
    if lost:
        _say(f"{lost} of {_many(len(secrets), 'secret')} cannot be opened with this key; restore the key that can")
    return 1 if lost else 0


def _forget(options: argparse.Namespace, place: StoreLocation) -> int:
    subject = options.person or options.server
    if not subject:
        msg = "the id is empty; name a person with --person ID, or a server with --server ID"
        raise InputError(msg)
    _check_exists(place)
    count = asyncio.run(_with(_own(place), lambda store: _forgotten(store, options.person, options.server)))
    return _say(f"{_many(count, 'record')} of {subject} deleted for good; backups and exports may still hold them")


async def _forgotten(store: Store, person: str | None, server: str | None) -> int:
    """Delete a person, with their words in the memory of others, or a server; return the number of records."""
    if person and not server:
        forgotten = await Memory(store, MemoryConfig).privacy.forget(person)
        return forgotten.records + forgotten.lines
    return await store.forget(owner=person, server=server)


def _reseal(options: argparse.Namespace, place: StoreLocation) -> int:
    _check_exists(place)
    if options.new_key:
        if place.variable:
            msg = "the key comes from the environment; put a new key and a comma before it there, then reseal"
            raise InputError(msg)
        asyncio.run(_with(_own(place), _nothing))  # fails while a bot runs, before the key changes
        add_key(place.key_file)
    done = asyncio.run(_with(_own(place), lambda store: reseal(store, place.seal)))
    _say(f"{_many(done.secrets, 'secret')} sealed with the current key; earlier backups need the older keys")
    if done.unreadable:
        _say(f"{_many(done.unreadable, 'secret')} cannot be opened with any of the keys and stayed as before")
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


# --- store and output ------------------------------------------------------------------------------


def _own(place: StoreLocation) -> SqliteStore:
    """The store, locked for us; created if it is missing, as an import may be its first use."""
    return SqliteStore(str(place.path))


def _check_exists(place: StoreLocation) -> None:
    """Raise a ``StoreError`` if there is no store, so that none is created only to be changed."""
    reading(place.path).close()


def _copy(place: StoreLocation) -> SqliteStore:
    """A copy of the store in memory, also while a bot uses it."""
    return SqliteStore(str(place.path), copy=True)


async def _with(store: SqliteStore, work: Callable[[Store], Awaitable[T]]) -> T:
    async with store:
        return await work(store)


async def _nothing(_: Store) -> None:
    """Do nothing: opening the store is the check."""


def _write(target: Path, text: str) -> None:
    """Write *text* to *target* atomically, readable for us alone."""
    part = target.with_name(f"{target.name}.part")
    try:
        part.unlink(missing_ok=True)
        with os.fdopen(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as file:
            file.write(f"{text}\n")
            file.flush()
            os.fsync(file.fileno())  # or a power cut might replace an older file by an empty one
        part.replace(target)
    except OSError as error:
        part.unlink(missing_ok=True)
        msg = Sentence(
            "cannot write {target}: {strerror}",
            target=repr(str(target)),
            strerror=error.strerror or type(error).__name__,
        )
        raise InputError(msg) from None


def _many(count: int, noun: str) -> str:
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def _say(sentence: str) -> int:
    sys.stdout.write(f"{sentence}\n")
    return 0
