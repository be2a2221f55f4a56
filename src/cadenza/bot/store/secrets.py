"""The sealed secrets in the values of records: where they are, and how they are sealed anew."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from .sealing import MARK, Seal
from .store import Record, Shelf, Store, Value

Way: TypeAlias = tuple[str | int, ...]
"""How to get to a text within a value: names of objects and places in lists."""


def sealed_in(value: object, way: Way = ()) -> Iterator[tuple[Way, str]]:
    """Every text in *value* that looks sealed, and the way there."""
    match value:
        case str() if value.startswith(MARK):
            yield way, value
        case Mapping():
            for name, part in value.items():
                yield from sealed_in(part, (*way, name))
        case list() | tuple():
            for place, part in enumerate(value):
                yield from sealed_in(part, (*way, place))
        case _:
            pass


def with_texts(value: Value, changes: Mapping[Way, Callable[[str], str]]) -> Value:
    """*value*, with what each of *changes* makes of the text at the end of its way; ``LookupError`` if there is none."""
    fresh: object = value
    for way, change in changes.items():
        fresh = _changed(fresh, way, change)
    if isinstance(fresh, Mapping):
        return fresh
    raise LookupError  # an empty way leads to the value itself, which is no text


def _changed(value: object, way: Way, change: Callable[[str], str]) -> object:
    match value:
        case str() if not way:
            return change(value)
        case Mapping() if way and way[0] in value:
            return {**value, way[0]: _changed(value[way[0]], way[1:], change)}
        case list() | tuple() if way and isinstance(way[0], int) and 0 <= way[0] < len(value):
            return [_changed(part, way[1:], change) if n == way[0] else part for n, part in enumerate(value)]
        case _:
            raise LookupError


@dataclass(frozen=True, slots=True)
class Resealed:
    """What came of sealing everything anew."""

    secrets: int
    unreadable: int
    """Secrets that no key opens; they are left as they are."""


async def reseal(store: Store, seal: Seal) -> Resealed:
    """Seal every secret of *store* with the key in use, all of them or none. Nobody else may write meanwhile."""
    changed: list[Record] = []
    count = unreadable = 0
    for record in await everything(store):
        found = list(sealed_in(record.value))
        ways = [way for way, sealed in found if seal.can_open(sealed)]
        unreadable += len(found) - len(ways)
        count += len(ways)
        if ways:
            changed.append(replace(record, value=with_texts(record.value, dict.fromkeys(ways, seal.reseal))))
    await store.put(*changed)
    return Resealed(count, unreadable)


async def everything(store: Store) -> Sequence[Record]:
    """Every record of every shelf, in order."""
    return [record for shelf in Shelf for record in await store.find(shelf)]
