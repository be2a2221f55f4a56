"""Values of a film that may come from another version or an editor: what is missing or of another type is left out."""

from __future__ import annotations

from collections.abc import Mapping
from math import isfinite
from typing import TypeAlias

from ...errors import InputError
from ...explain.sentences import from_json, rendered

About: TypeAlias = Mapping[str, object]
"""The values of a record, or of a part of it."""


def text_of(about: About, name: str) -> str:
    """The text called *name*."""
    value = about.get(name)
    return value if isinstance(value, str) else ""


def texts_of(about: About, name: str) -> list[str]:
    """The list of texts called *name*."""
    return [item for item in list_of(about, name) if isinstance(item, str)]


def number_of(about: About, name: str, default: float = 0.0) -> float:
    """The number called *name*."""
    value = about.get(name)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return default
    try:
        return float(value) if isfinite(value) else default
    except OverflowError:  # a whole number with hundreds of digits
        return default


def numbers_of(about: About, name: str) -> list[int]:
    """The list of whole numbers called *name*."""
    return [item for item in list_of(about, name) if type(item) is int]


def part_of(about: About, name: str) -> About:
    """The object called *name*."""
    value = about.get(name)
    return value if isinstance(value, Mapping) else {}


def parts_of(about: About, name: str) -> list[About]:
    """The list of objects called *name*."""
    return [item for item in list_of(about, name) if isinstance(item, Mapping)]


def list_of(about: About, name: str) -> list[object]:
    """The list called *name*."""
    value = about.get(name)
    return [*value] if isinstance(value, list | tuple) else []


def sentence_of(value: object, language: str = "en") -> str:
    """The sentence in *value*, rendered; empty if it is none."""
    try:
        return rendered(from_json(value), language)
    except InputError:
        return ""
