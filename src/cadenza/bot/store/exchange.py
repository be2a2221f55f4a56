"""Export and import of a store as JSON.

::

    {"format": "cadenza store", "version": 1, "records": [
        {"namespace": "notes", "key": "…", "value": {…}, "owner": "…", "server": "…", "expires": null, "secrets": []}, …]}

Sealed secrets are exported sealed, or opened on request. Then ``secrets`` lists their paths within the value, and the
import seals them again.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import msgspec

from ...errors import InputError, Sentence
from .sealing import Seal
from .secrets import ValuePath, everything, sealed_in, with_texts
from .store import Namespace, Record, Store, StoreError
from .values import check, is_storable, packed

FORMAT = "cadenza store"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Exported:
    """An export and its counts."""

    text: str
    records: int
    secrets: int
    """How many secrets it contains."""
    unreadable: int
    """How many of them could not be opened and stayed sealed."""


@dataclass(frozen=True, slots=True)
class Imported:
    """The counts of an import."""

    records: int
    unreadable: int
    """Sealed secrets that the keys here cannot open."""


async def export(store: Store, *, opened_with: Seal | None = None) -> Exported:
    """Export all records of *store*; with a seal, secrets are exported in plain text."""
    entries = []
    secrets = unreadable = 0
    for record in await everything(store):
        found = list(sealed_in(record.value))
        paths = [path for path, sealed in found if opened_with and opened_with.can_open(sealed)]
        secrets += len(found)
        unreadable += len(found) - len(paths) if opened_with else 0
        value = with_texts(record.value, dict.fromkeys(paths, opened_with.open)) if opened_with else record.value
        entries.append(_entry(replace(record, value=value), paths))
    envelope = {"format": FORMAT, "version": VERSION, "records": entries}
    text = json.dumps(envelope, indent=1, ensure_ascii=False, allow_nan=False)
    if not is_storable(text):  # lone surrogates, which JSON can escape
        text = json.dumps(envelope, indent=1, allow_nan=False)
    return Exported(text, len(entries), secrets, unreadable)


async def import_(store: Store, text: str | bytes, seal: Seal) -> Imported:
    """Put all records of the export *text* into *store*, replacing those with the same key: all or none.

    Raises an ``InputError`` if *text* is not an export.
    """
    records = [_sealed(record, paths, seal) for record, paths in _read(text)]
    sealed = [secret for record in records for _, secret in sealed_in(record.value)]
    await store.put(*records)
    return Imported(len(records), sum(not seal.can_open(secret) for secret in sealed))


def _entry(record: Record, paths: Sequence[ValuePath]) -> Mapping[str, object]:
    return {
        "namespace": record.namespace.value,
        "key": record.key,
        "value": record.value,
        "owner": record.owner,
        "server": record.server,
        "expires": record.expires,
        "secrets": [list(path) for path in paths],
    }


def _sealed(record: Record, paths: Sequence[ValuePath], seal: Seal) -> Record:
    try:
        value = with_texts(record.value, dict.fromkeys(paths, seal.seal))
    except LookupError:
        _refuse(f"{record.key!r} lists a secret that it does not contain")
    return replace(record, value=value)


# --- parsing --------------------------------------------------------------------------------------


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record in an export."""

    namespace: Namespace
    key: str
    value: dict[str, object]
    owner: str = ""
    server: str = ""
    expires: float | None = None
    secrets: list[list[str | int]] = []


def _read(text: str | bytes) -> list[tuple[Record, list[ValuePath]]]:
    try:
        envelope = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        _refuse("it is not JSON")
    match envelope:
        case {"format": str(name), "version": int(version), "records": list(entries)} if name == FORMAT:
            if version != VERSION:
                _refuse(f"it has version {version}, and this Cadenza reads version {VERSION}; update Cadenza")
        case _:
            _refuse("it is not an export of a store")
    read = [_record(number, entry) for number, entry in enumerate(entries, start=1)]
    places = Counter((record.namespace, record.key) for record, _ in read)
    for number, (record, _) in enumerate(read, start=1):
        if places[record.namespace, record.key] > 1:
            _refuse(f"record {number} occurs twice")
    return read


def _record(number: int, written: object) -> tuple[Record, list[ValuePath]]:
    try:
        entry = msgspec.convert(written, _Entry)
    except msgspec.ValidationError as error:  # its text names types and paths, never values
        _refuse(f"record {number} is invalid ({error})")
    record = Record(
        entry.namespace, entry.key, entry.value, owner=entry.owner, server=entry.server, expires=entry.expires
    )
    try:
        check(record)
        packed(record.value)
    except StoreError as error:
        _refuse(f"record {number}: {error}")
    return record, [tuple(path) for path in entry.secrets]


def _refuse_constant(_: str) -> object:
    raise ValueError


def _refuse(why: str) -> NoReturn:
    msg = Sentence("nothing was imported: {why}", why=why)
    raise InputError(msg) from None
