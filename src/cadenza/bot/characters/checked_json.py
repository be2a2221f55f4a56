"""Reads untrusted JSON: limits for size and depth, and type checks for fields."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from math import isfinite
from typing import Any, NoReturn, TypeAlias

from ...errors import InputError, Sentence

Form: TypeAlias = Mapping[str, object]
"""A JSON object."""

LARGEST = 8 * 2**20
"""Largest uploaded file in bytes."""
_DIGITS = re.compile(r"-?[0-9]{1,15}")
_DEEPEST = 64
"""How deep objects and lists may be nested."""


def parsed(data: bytes | str) -> dict[str, Any]:
    """The JSON object in *data*; raises an ``InputError`` if it is invalid or too large."""
    if len(data) > LARGEST:
        msg = "The file is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    try:
        found = json.loads(data, parse_constant=_no_number, parse_float=_finite)
    except (ValueError, RecursionError):  # also for invalid Unicode and numbers with thousands of digits
        msg = "The file does not contain valid JSON; export it again where it came from."
        raise InputError(msg) from None
    if not isinstance(found, dict):
        msg = "The file does not contain a character: its JSON is not an object."
        raise InputError(msg)
    return {_valid_unicode(name): _checked(value, 1) for name, value in found.items()}


def _finite(digits: str) -> float:
    """A finite number; others could not be written as JSON again."""
    value = float(digits)
    return value if isfinite(value) else _no_number(digits)


def _no_number(name: str) -> NoReturn:
    raise ValueError(name)


def _checked(value: Any, depth: int) -> Any:
    """*value* with valid Unicode texts; raises an ``InputError`` if it is too deep."""
    if depth > _DEEPEST:
        msg = "The file is nested too deeply; export it again where it came from."
        raise InputError(msg)
    match value:
        case str():
            return _valid_unicode(value)
        case list():
            return [_checked(item, depth + 1) for item in value]
        case dict():
            return {_valid_unicode(name): _checked(item, depth + 1) for name, item in value.items()}
        case _:
            return value


def _valid_unicode(text: str) -> str:
    """*text* without lone surrogates, which JSON can hold and UTF-8 cannot."""
    if text.isascii():
        return text
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


# --- fields ------------------------------------------------------------------------


def text(form: Form, name: str) -> str:
    """A text; empty if it is missing."""
    value = form.get(name)
    if value is None:
        return ""
    if not isinstance(value, str):
        raise _wrong(name, "a text")
    return value


def texts(form: Form, name: str) -> tuple[str, ...]:
    """A list of texts."""
    return tuple(_text_in(item, name) for item in _list(form, name))


def _text_in(item: object, name: str) -> str:
    if not isinstance(item, str):
        raise _wrong(name, "a list of texts")
    return item


def flag(form: Form, name: str, *, default: bool = False) -> bool:
    """A boolean."""
    value = form.get(name)
    if value is None:
        return default
    if not isinstance(value, bool):
        raise _wrong(name, "true or false")
    return value


def number(form: Form, name: str, *, default: int = 0) -> int:
    """A whole number, without decimals. Some programs write it as a text."""
    value = form.get(name)
    if isinstance(value, str) and _DIGITS.fullmatch(value.strip()):
        value = int(value)
    if value is None:
        return default
    if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) < 1e15:
        raise _wrong(name, "a number")
    return int(value)


def inner(form: Form, name: str) -> dict[str, Any]:
    """An object; empty if it is missing, or an empty list, as which some programs write it."""
    value = form.get(name)
    if value is None or value == []:
        return {}
    if not isinstance(value, dict):
        raise _wrong(name, "an object")
    return value


def inners(form: Form, name: str) -> tuple[dict[str, Any], ...]:
    """A list of objects."""
    return tuple(_object_in(item, name) for item in _list(form, name))


def _object_in(item: object, name: str) -> dict[str, Any]:
    if not isinstance(item, dict):
        raise _wrong(name, "a list of objects")
    return item


def _list(form: Form, name: str) -> list[object]:
    value = form.get(name)
    if value is None or value in ("", {}):  # some programs write an empty list like this
        return []
    if not isinstance(value, list):
        raise _wrong(name, "a list")
    return value


def _wrong(name: str, kind: str) -> InputError:
    return InputError(Sentence("The character cannot be read: “{name}” is not {kind}.", name=name, kind=kind))
