"""Finds the sealed secrets in the values of records, and reseals them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from .sealing import MARK, Seal
from .store import Namespace, Record, Store, Value

ValuePath: TypeAlias = tuple[str | int, ...]
"""The path of a text within a value: keys of objects and indexes of lists."""


def sealed_in(value: object, path: ValuePath = ()) -> Iterator[tuple[ValuePath, str]]:
    """The path and text of every sealed secret in *value*."""
    match value:
        case str() if value.startswith(MARK):
            yield path, value
        case Mapping():
            for name, part in value.items():
                yield from sealed_in(part, (*path, name))
        case list() | tuple():
            for place, part in enumerate(value):
                yield from sealed_in(part, (*path, place))
        case _:
            pass


def with_texts(value: Value, changes: Mapping[ValuePath, Callable[[str], str]]) -> Value:
    """*value* with each of *changes* applied to the text at its path; ``LookupError`` if there is none."""
    fresh: object = value
    for path, change in changes.items():
        fresh = _changed(fresh, path, change)
    if isinstance(fresh, Mapping):
        return fresh
    raise LookupError  # an empty path leads to the value itself, which is not a text


def _changed(value: object, path: ValuePath, change: Callable[[str], str]) -> object:
    match value:
        case str() if not path:
            return change(value)
        case Mapping() if path and path[0] in value:
            return {**value, path[0]: _changed(value[path[0]], path[1:], change)}
        case list() | tuple() if path and isinstance(path[0], int) and 0 <= path[0] < len(value):
            return [_changed(part, path[1:], change) if n == path[0] else part for n, part in enumerate(value)]
        case _:
            raise LookupError


@dataclass(frozen=True, slots=True)
class Resealed:
    """The counts of a reseal."""

    secrets: int
    unreadable: int
    """Secrets that no key opens; they stay as they are."""


async def reseal(store: Store, seal: Seal) -> Resealed:
    """Seal every secret of *store* with the current key, all or none. There must be no other writer meanwhile."""
    changed: list[Record] = []
    count = unreadable = 0
    for record in await everything(store):
        found = list(sealed_in(record.value))
        paths = [path for path, sealed in found if seal.can_open(sealed)]
        unreadable += len(found) - len(paths)
        count += len(paths)
        if paths:
            changed.append(replace(record, value=with_texts(record.value, dict.fromkeys(paths, seal.reseal))))
    await store.put(*changed)
    return Resealed(count, unreadable)


async def everything(store: Store) -> Sequence[Record]:
    """All records of all collections, in order."""
    return [record for namespace in Namespace for record in await store.find(namespace)]
