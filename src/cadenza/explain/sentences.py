"""Sentences of an explanation, apart from their language.

A ``Said`` is a key of the catalogue ``languages/<language>/facts.po`` and the values for its text. Terminal, ``/explain``
and page show the same sentences: each looks up the key and fills in the values. Everything else, such as plurals and the
form of numbers, is decided when the sentence is composed. The key of an error or a notice is its English template.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from types import MappingProxyType
from typing import TypeAlias

from ..errors import InputError, Sentence, filled
from ..languages import named

Value: TypeAlias = "str | Said | tuple[Said, ...]"
"""A text is inserted as it is, a sentence is rendered, and several are joined as the language does it."""

_DEEPEST = 16
"""How deep sentences may be nested in JSON."""
_CATALOGUES = ("model_errors", "notices", "facts")
_INNER = "error."
"""Sentences whose values stand in a sentence that has a full stop of its own."""
_NONE: Mapping[str, Value] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence, or a part of one, in no language yet."""

    key: str
    values: Mapping[str, Value] = field(default_factory=lambda: _NONE)


def rendered(said: Said, language: str = "en") -> str:
    """*said* in *language*; a key that is not in the catalogue is shown itself."""
    return _rendered(said, texts(language.partition("-")[0].lower()))


@cache
def texts(language: str) -> Mapping[str, str]:
    """The texts of all sentences in *language*, by key."""
    found = {key: text for name in _CATALOGUES for key, text in named(language, name).items()}
    return MappingProxyType(found)


def said_of(text: str) -> Value:
    """*text* as a value: a ``Sentence`` can still be rendered in any language."""
    if not isinstance(text, Sentence):
        return text
    return Said(text.template, {name: _part_of(value) for name, value in text.values.items()})


def _part_of(value: object) -> Value:
    match value:
        case str():
            return said_of(value)
        case tuple():
            parts = map(_part_of, value)
            return tuple(part if isinstance(part, Said) else Said(str(part)) for part in parts)
        case _:
            return str(value)


def _rendered(said: Said, texts: Mapping[str, str]) -> str:
    values = {name: _value(value, texts) for name, value in said.values.items()}
    if said.key.startswith(_INNER):
        values = {name: value.removesuffix(".").removesuffix("。") for name, value in values.items()}
    return filled(texts.get(said.key, said.key), values)


def _value(value: Value, texts: Mapping[str, str]) -> str:
    match value:
        case str():
            return value
        case Said():
            return _rendered(value, texts)
        case _:
            return texts.get("list.join", ", ").join(_rendered(one, texts) for one in value)


def as_json(said: Said) -> dict[str, object]:
    """*said* as JSON data: ``key``, and ``values`` if there are some."""
    values = {name: _as_json(value) for name, value in said.values.items()}
    return {"key": said.key, "values": values} if values else {"key": said.key}


def _as_json(value: Value) -> object:
    match value:
        case str():
            return value
        case Said():
            return as_json(value)
        case _:
            return [as_json(one) for one in value]


def from_json(value: object) -> Said:
    """The sentence in *value*, as ``as_json`` gave it."""
    return _from_json(value, _DEEPEST)


def _from_json(value: object, depth: int) -> Said:
    match value:
        case {"key": str(key), **rest} if depth and isinstance(values := rest.get("values", {}), dict):
            return Said(key, {str(name): _value_from_json(inner, depth - 1) for name, inner in values.items()})
    msg = Sentence("{value} is no sentence of an explanation; it needs a key and values", value=repr(value)[:80])
    raise InputError(msg)


def _value_from_json(value: object, depth: int) -> Value:
    match value:
        case str():
            return value
        case list():
            return tuple(_from_json(one, depth) for one in value)
        case _:
            return _from_json(value, depth)
