"""A film: timed records of JSON values. Here they are also written, packed and read."""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any, TypeAlias, TypeGuard

from ...errors import InputError, Sentence
from ...explain.fact_log import encoded
from ...types import Reply

Json: TypeAlias = dict[str, Any]

VERSION = 3
MOST_UNPACKED = 64 << 20
"""Bytes of JSON that a packed film may hold when it is read."""
_LEVEL = 6


@dataclass(frozen=True, slots=True)
class FilmRecord:
    """One thing that happened."""

    at: float
    """In seconds since the film began."""
    kind: str
    """One of the kinds in ``docs/films.md``."""
    about: Mapping[str, Any]
    """Its fields."""

    @property
    def until(self) -> float:
        """When it ended: one record holds several tokens."""
        times = self.about.get("times") if self.kind == "tokens" else None
        return self.at + float(times[-1]) if times else self.at

    def as_json(self) -> Json:
        """As JSON."""
        return {"at": round(self.at, 6), "kind": self.kind, **self.about}


@dataclass(frozen=True, slots=True)
class Film:
    """A whole film."""

    records: tuple[FilmRecord, ...]
    title: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    """The settings that differ from the defaults."""
    reply: Reply | None = field(default=None, compare=False, repr=False)
    """The reply that was filmed, with its outcome and transcript. It is not saved."""

    @property
    def seconds(self) -> float:
        """Its length."""
        return self.records[-1].until if self.records else 0.0

    def of_kind(self, kind: str) -> list[FilmRecord]:
        """The records of one kind."""
        return [record for record in self.records if record.kind == kind]

    def as_json(self) -> Json:
        """As JSON."""
        return {
            "film": VERSION,
            "title": self.title,
            "seconds": round(self.seconds, 6),
            "settings": dict(self.settings),
            "records": [record.as_json() for record in self.records],
        }


def dump(film: Film) -> bytes:
    """*film* as a file: the gzip of its JSON."""
    return gzip.compress(encoded(film.as_json()), _LEVEL, mtime=0)


def packed(film: Film) -> str:
    """*film* for JSON and HTML: ``dump(film)`` as base64."""
    return b64encode(dump(film)).decode("ascii")


def is_packed(data: bytes | str) -> TypeGuard[bytes]:
    """Whether *data* is gzip, which all packed films are."""
    return isinstance(data, bytes) and data.startswith(b"\x1f\x8b")


def _unpacked(data: bytes) -> bytes:
    inflating = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)  # which is gzip
    try:
        content = inflating.decompress(data, MOST_UNPACKED + 1)
    except zlib.error as error:
        why = "it is damaged, and cannot be unpacked"
        raise _unreadable(why) from error
    if len(content) > MOST_UNPACKED:
        why = Sentence("it has more than {most} MB when it is unpacked; film a shorter text", most=MOST_UNPACKED >> 20)
        raise _unreadable(why)
    if not inflating.eof:
        why = "its end is missing"
        raise _unreadable(why)
    return content


def load(data: bytes | str) -> Film:
    """Read a film, packed or as plain JSON; ``InputError`` says why it cannot be read."""
    try:
        value = json.loads(_unpacked(data) if is_packed(data) else data)
    except (ValueError, RecursionError) as error:
        msg = "the film is not valid JSON; perhaps the file is not whole"
        raise InputError(msg) from error
    return from_json(value)


def from_json(value: object) -> Film:
    """The film in *value*, which is parsed JSON."""
    match value:
        case {"film": int(version)} if version != VERSION:
            raise _unreadable(_other_version(version))
        case {"film": int(), "records": list(records), **rest}:
            title, settings = rest.get("title", ""), rest.get("settings", {})
            if not isinstance(title, str) or not isinstance(settings, dict):
                why = Sentence("its title must be a text, and its settings an object")
                raise _unreadable(why)
            read = tuple(_record(number, record) for number, record in enumerate(records, start=1))
            _check_order(read)
            return Film(read, title, settings)
        case _:
            why = Sentence('it must look like {"film": 3, "records": [...]}')
            raise _unreadable(why)


def _other_version(version: int) -> Sentence:
    if version < VERSION:
        return Sentence(
            "it has version {version}, and only {known} is known; make it again", version=version, known=VERSION
        )
    return Sentence(
        "it has version {version}, and only {known} is known; update cadenza", version=version, known=VERSION
    )


def _record(number: int, value: object) -> FilmRecord:
    match value:
        case {"at": float() | int() as at, "kind": str(kind), **rest} if isfinite(at) and at >= 0:
            about = {str(name): inner for name, inner in rest.items()}
            return FilmRecord(float(at), kind, about)
        case _:
            why = Sentence("its record {number} needs a time as 'at' and a text as 'kind'", number=number)
            raise _unreadable(why)


def _check_order(records: tuple[FilmRecord, ...]) -> None:
    last = 0.0
    for number, record in enumerate(records, start=1):
        if record.at < last:
            why = Sentence("its record {number} is earlier than the one before it", number=number)
            raise _unreadable(why)
        last = record.at


def _unreadable(why: str) -> InputError:
    return InputError(Sentence("the film cannot be read: {why}", why=Sentence(why)))
