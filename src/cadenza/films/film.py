"""What a film is made of: records, each with its time, in values that JSON knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

Json: TypeAlias = dict[str, Any]

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

    @property
    def seconds(self) -> float:
        """How long it is."""
        return self.records[-1].at if self.records else 0.0

    def as_json(self) -> Json:
        """As it is written down."""
        return {
            "film": VERSION,
            "title": self.title,
            "seconds": round(self.seconds, 6),
            "settings": dict(self.settings),
            "records": [record.as_json() for record in self.records],
        }
