"""What a film is made of: records, each with its time, in values that JSON knows; and how one is written and read."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from math import isfinite
from typing import Any

import msgspec

from ...errors import InputError
from ...types import Reply
from .packing import Json, packed, unpacked

VERSION = 1


@dataclass(frozen=True, slots=True)
class Record:
    """Something that happened."""

    at: float
    """When, in seconds since the film began."""
    kind: str
    """What: one of those in ``docs/films.md``."""
    about: Mapping[str, Any]
    """All there is to say of it."""

    @property
    def until(self) -> float:
        """When the last of it happened: several tokens are one record."""
        times = self.about.get("times") if self.kind == "tokens" else None
        return self.at + float(times[-1]) if times else self.at

    def as_json(self) -> Json:
        """As it is written down, and sent to a page."""
        return {"at": round(self.at, 6), "kind": self.kind, **self.about}


@dataclass(frozen=True, slots=True)
class Film:
    """A whole film."""

    records: tuple[Record, ...]
    title: str = ""
    settings: Mapping[str, object] = field(default_factory=dict)
    """Those that differ from the defaults."""
    reply: Reply | None = field(default=None, compare=False, repr=False)
    """What was left of the reply that was filmed: its outcome, its transcript. It is not written down."""

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.records[-1].until if self.records else 0.0

    def of_kind(self, kind: str) -> list[Record]:
        """The records of one kind."""
        return [record for record in self.records if record.kind == kind]

    def as_json(self) -> Json:
        """As it is written down."""
        return {
            "film": VERSION,
            "title": self.title,
            "seconds": round(self.seconds, 6),
            "settings": dict(self.settings),
            "records": [record.as_json() for record in self.records],
        }


def short_form(film: Film) -> Json:
    """*film* as it is written to a file or sent to a page: as ``as_json``, but packed."""
    whole = film.as_json()
    return {**whole, "packed": True, "records": list(packed(whole["records"]))}


def dump(film: Film) -> str:
    """*film* as text; half a character, which no file can hold, is written as JSON's own escape."""
    text = json.dumps(short_form(film), ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def encoded(value: object) -> bytes:
    """*value* as JSON, quickly; half a character, as a stream that was cut badly has it, is written as JSON's own escape."""
    try:
        return msgspec.json.encode(value)
    except UnicodeEncodeError:
        return json.dumps(msgspec.to_builtins(value), separators=(",", ":")).encode()


def load(text: str | bytes) -> Film:
    """Read a film, or say in a sentence why it is none."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        msg = "the film is not valid JSON; perhaps the file is not whole"
        raise InputError(msg) from None
    return from_json(value)


def from_json(value: object) -> Film:
    """The film that is written down as *value*."""
    match value:
        case {"film": int(version)} if version != VERSION:
            why = f"it is of version {version}, and only {VERSION} is known"
            raise _unreadable(why)
        case {"film": int(), "records": list(records), **rest}:
            title, settings = rest.get("title", ""), rest.get("settings", {})
            if not isinstance(title, str) or not isinstance(settings, dict):
                why = "its title must be a text, and its settings an object"
                raise _unreadable(why)
            whole = unpacked(records) if rest.get("packed") is True else records
            read = tuple(_record(number, record) for number, record in enumerate(whole, start=1))
            _check_order(read)
            return Film(read, title, settings)
        case _:
            why = 'it must look like {"film": 1, "records": [...]}'
            raise _unreadable(why)


def _record(number: int, value: object) -> Record:
    match value:
        case {"at": float() | int() as at, "kind": str(kind), **rest} if isfinite(at) and at >= 0:
            about = {str(name): inner for name, inner in rest.items()}
            return Record(float(at), kind, about)
        case _:
            why = f"its record {number} does not say 'at' which time what 'kind' of thing happened"
            raise _unreadable(why)


def _check_order(records: tuple[Record, ...]) -> None:
    last = 0.0
    for number, record in enumerate(records, start=1):
        if record.at < last:
            why = f"its record {number} happened before the one that stands in front of it"
            raise _unreadable(why)
        last = record.at


def _unreadable(why: str) -> InputError:
    return InputError(f"the film cannot be read: {why}")
