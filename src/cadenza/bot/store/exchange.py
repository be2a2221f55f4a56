"""Everything that is kept, as one text of JSON, and back.

::

    {"format": "cadenza store", "version": 1, "records": [
        {"shelf": "notes", "key": "…", "value": {…}, "owner": "…", "server": "…", "expires": null, "secrets": []}, …]}

What is sealed goes out as it is, or opened if that is asked for; then ``secrets`` says where, as ways into the value,
and it is sealed again on the way in.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import NoReturn

import msgspec

from ...errors import InputError
from .sealing import Seal
from .secrets import Way, everything, sealed_in, with_texts
from .store import Record, Shelf, Store, StoreError
from .values import check, is_storable, packed

FORMAT = "cadenza store"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Exported:
    """Everything, written down."""

    text: str
    records: int
    secrets: int
    """How many secrets stand in it."""
    unreadable: int
    """How many of them were to be opened and could not; they are in it as they are."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came in."""

    records: int
    unreadable: int
    """Sealed secrets for which there is no key here."""


async def export(store: Store, *, opened_with: Seal | None = None) -> Exported:
    """Everything that is in *store*; with a seal, secrets stand in it readable."""
    entries = []
    secrets = unreadable = 0
    for record in await everything(store):
        found = list(sealed_in(record.value))
        ways = [way for way, sealed in found if opened_with and opened_with.can_open(sealed)]
        secrets += len(found)
        unreadable += len(found) - len(ways) if opened_with else 0
        value = with_texts(record.value, dict.fromkeys(ways, opened_with.open)) if opened_with else record.value
        entries.append(_entry(replace(record, value=value), ways))
    envelope = {"format": FORMAT, "version": VERSION, "records": entries}
    text = json.dumps(envelope, indent=1, ensure_ascii=False, allow_nan=False)
    if not is_storable(text):  # halves of characters; JSON has a way to write them
        text = json.dumps(envelope, indent=1, allow_nan=False)
    return Exported(text, len(entries), secrets, unreadable)


async def import_(store: Store, text: str | bytes, seal: Seal) -> Imported:
    """Put everything that *text* tells into *store*, each record instead of the one with its key: all of it or nothing.

    Raises an ``InputError`` if *text* is not what ``export`` makes.
    """
    records = [_sealed(record, ways, seal) for record, ways in _read(text)]
    sealed = [secret for record in records for _, secret in sealed_in(record.value)]
    await store.put(*records)
    return Imported(len(records), sum(not seal.can_open(secret) for secret in sealed))


def _entry(record: Record, ways: Sequence[Way]) -> Mapping[str, object]:
    return {
        "shelf": record.shelf.value,
        "key": record.key,
        "value": record.value,
        "owner": record.owner,
        "server": record.server,
        "expires": record.expires,
        "secrets": [list(way) for way in ways],
    }


def _sealed(record: Record, ways: Sequence[Way], seal: Seal) -> Record:
    try:
        value = with_texts(record.value, dict.fromkeys(ways, seal.seal))
    except LookupError:
        _refuse(f"{record.key!r} is said to hold a secret that is not there")
    return replace(record, value=value)


# --- reading what may be anything -----------------------------------------------------------------


class _Entry(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A record as it is written down."""

    shelf: Shelf
    key: str
    value: dict[str, object]
    owner: str = ""
    server: str = ""
    expires: float | None = None
    secrets: list[list[str | int]] = []


def _read(text: str | bytes) -> list[tuple[Record, list[Way]]]:
    try:
        envelope = json.loads(text, parse_constant=_refuse_constant)
    except (ValueError, RecursionError):
        _refuse("it is not JSON")
    match envelope:
        case {"format": str(name), "version": int(version), "records": list(entries)} if name == FORMAT:
            if version != VERSION:
                _refuse(f"it is of version {version}, and this Cadenza knows {VERSION}; update it")
        case _:
            _refuse("it is not an export of a store")
    read = [_record(number, entry) for number, entry in enumerate(entries, start=1)]
    places = Counter((record.shelf, record.key) for record, _ in read)
    for number, (record, _) in enumerate(read, start=1):
        if places[record.shelf, record.key] > 1:
            _refuse(f"record {number} is in it twice")
    return read


def _record(number: int, written: object) -> tuple[Record, list[Way]]:
    try:
        entry = msgspec.convert(written, _Entry)
    except msgspec.ValidationError as error:  # it names types and the place, never what stands there
        _refuse(f"record {number} is not one ({error})")
    record = Record(entry.shelf, entry.key, entry.value, owner=entry.owner, server=entry.server, expires=entry.expires)
    try:
        check(record)
        packed(record.value)
    except StoreError as error:
        _refuse(f"record {number}: {error}")
    return record, [tuple(way) for way in entry.secrets]


def _refuse_constant(_: str) -> object:
    raise ValueError


def _refuse(why: str) -> NoReturn:
    msg = f"this cannot be imported, and nothing was: {why}"
    raise InputError(msg) from None
