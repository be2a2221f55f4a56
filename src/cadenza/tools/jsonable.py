"""Any Python value as data that JSON can hold. Never fails, whatever a tool returned."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping, Sequence, Set as AbstractSet
from dataclasses import fields, is_dataclass
from datetime import date, time
from enum import Enum

from ..types import Media
from .images import as_media

_DEEPEST = 50
"""Levels of nested containers; deeper ones become an ellipsis."""
_MOST_VALUES = 100_000
"""Values that are converted: more than a model ever gets, and few enough to be quick."""
_LONGEST_NUMBER = 10_000
"""Bits of the longest number that is written out; Python refuses much longer ones."""
_MORE = "…"


def plain(value: object, most: int = _MOST_VALUES) -> tuple[object, tuple[Media, ...]]:
    """*value* as JSON data, and the images in it. After *most* values the rest is left out."""
    reader = _Reader(min(most, _MOST_VALUES))
    return reader.read(value), tuple(reader.media)


def as_json(value: object) -> str:
    """The JSON text of what ``plain`` returned."""
    return sendable(json.dumps(value, ensure_ascii=False))


def canonical(value: object) -> str:
    """*value* as canonical JSON: keys sorted, 6.0 as 6."""
    return json.dumps(_Reader(math.inf, is_canonical=True).read(value), sort_keys=True)


def sendable(text: str) -> str:
    """*text* with surrogate pairs joined; a lone surrogate, which UTF-8 cannot hold, is replaced."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


class _Reader:
    """Converts one value. Canonical values are converted in full: the arguments of a call are limited anyway."""

    def __init__(self, most: float, *, is_canonical: bool = False) -> None:
        self.media: list[Media] = []
        self._is_canonical = is_canonical
        self._left = most
        self._deepest = (2 + is_canonical) * _DEEPEST
        self._open: set[int] = set()  # the containers around the current value: one may contain itself

    def read(self, value: object) -> object:
        """*value* as JSON data."""
        self._left -= 1
        try:
            return self._read(value)
        except Exception:  # noqa: BLE001  # a foreign class may fail at anything
            return f"(a {type(value).__name__} that cannot be shown)"

    def _read(self, value: object) -> object:
        match value:
            case None | bool():
                return value
            case Enum():
                return self.read(value.value)
            case str():
                return str(value)
            case int():
                return int(value) if value.bit_length() <= _LONGEST_NUMBER else "(a very long number)"
            case float():
                return self._number(value)
            case date() | time():
                return value.isoformat()
            case Media():
                return self._beside(value)
            case bytes() | bytearray() | memoryview():
                media = as_media(bytes(value))
                return self._beside(media) if media else f"({len(bytes(value))} bytes)"
            case Mapping() | AbstractSet() | Sequence():
                return self._container(value)
            case _ if is_dataclass(value) and not isinstance(value, type):
                return self._container({field.name: getattr(value, field.name) for field in fields(value)}, of=value)
            case _ if callable(dump := getattr(value, "model_dump", None)):  # a pydantic model
                return self.read(dump())
            case _:
                return str(value)

    def _number(self, value: float) -> object:
        if not math.isfinite(value):
            return str(value)
        return int(value) if self._is_canonical and value.is_integer() else float(value)

    def _beside(self, media: Media) -> str:
        """A reference to *media*, which comes after the data."""
        self.media.append(media)
        return f"({media.kind.value} {len(self.media)})"

    def _container(
        self, items: Mapping[object, object] | AbstractSet[object] | Sequence[object], of: object = None
    ) -> object:
        place = id(items if of is None else of)
        if place in self._open or len(self._open) == self._deepest:
            return _MORE
        self._open.add(place)
        try:
            match items:
                case Mapping():
                    return self._pairs(items)
                case AbstractSet():
                    return sorted(self._row(items), key=as_json)
                case _:
                    return self._row(items)
        finally:
            self._open.discard(place)

    def _pairs(self, items: Mapping[object, object]) -> dict[str, object]:
        read: dict[str, object] = {}
        for key, item in items.items():
            if self._left <= 0:
                read[_MORE] = _MORE
                break
            word = self.read(key)
            read[word if isinstance(word, str) else as_json(word)] = self.read(item)
        return read

    def _row(self, items: Iterable[object]) -> list[object]:
        read: list[object] = []
        for item in items:
            if self._left <= 0:
                read.append(_MORE)
                break
            read.append(self.read(item))
        return read
