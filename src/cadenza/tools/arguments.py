"""The arguments of a tool call: parsed from JSON, corrected where the meaning is clear, and converted by msgspec.

Models make small mistakes: ``"6"`` for 6, one value for a list of one, an object written as a string. ``convert``
corrects these by the schema that the model was given; for the rest a ``ToolError`` tells the model what is wrong.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import date, datetime
from difflib import get_close_matches
from types import NoneType, UnionType
from typing import Any, NoReturn

import msgspec

from ..errors import Sentence, ToolError
from ..types import ToolCall
from .jsonable import sendable
from .schemas import Schema

_LONGEST = 1_000_000
"""Characters of the longest arguments that are parsed."""
_DEEPEST = 100
"""Levels of nested containers."""
_MOST_SHOWN = 60
"""Characters of a name or a value that an error shows."""
_NULLS = ("", "null", "none")
_TYPES: Mapping[str, type | UnionType] = {
    "string": str, "integer": int, "number": int | float, "boolean": bool, "null": NoneType, "array": list, "object": dict,
}  # fmt: skip
_PLACE = re.compile(r" - at `\$?(?P<path>.*)`$")
_AGAIN = "so the tool was not run; send the call again with"


def arguments_of(call: ToolCall) -> dict[str, object]:
    """The arguments of *call*. Raises a ``ToolError`` that tells the model what to correct."""
    if call.is_truncated:
        msg = (
            "The call was cut off before its arguments were whole, so the tool was not run and nothing happened. "
            "Send the call again, complete."
        )
        raise ToolError(msg)
    try:
        arguments = read_json(call.arguments or "{}")
    except ValueError as error:
        msg = Sentence("The arguments were {error}, {again} one JSON object.", error=error, again=_AGAIN)
        raise ToolError(msg) from error
    if not isinstance(arguments, dict):
        msg = Sentence("The arguments must be a JSON object, {again} one.", again=_AGAIN)
        raise ToolError(msg)
    return arguments


def read_json(text: str) -> object:
    """Parse *text*. The text of a ``ValueError`` completes a sentence: "The arguments were …"."""
    if len(text) > _LONGEST:
        msg = f"longer than {_LONGEST} characters"
        raise ValueError(msg)
    try:
        value = json.loads(text, parse_constant=_refuse)
    except (ValueError, RecursionError):
        msg = "not valid JSON"
        raise ValueError(msg) from None
    if _is_deeper(value, _DEEPEST):
        msg = "nested too deep"
        raise ValueError(msg)
    if "\\u" in text:
        value = json.loads(sendable(json.dumps(value, ensure_ascii=False)))
    return value


def _refuse(constant: str) -> NoReturn:
    """Refuse ``NaN``, which Python parses though it is not JSON."""
    raise ValueError(constant)


def _is_deeper(value: object, most: int) -> bool:
    """Whether *value* has more than *most* levels of containers; found without recursion."""
    level = [value]
    for _ in range(most + 1):
        level = [inner for outer in level for inner in _inside(outer)]
        if not level:
            return False
    return True


def _inside(value: object) -> Iterator[object]:
    if isinstance(value, dict):
        yield from value.values()
    elif isinstance(value, list):
        yield from value


# --- what the model meant -----------------------------------------------------------------------


def convert(value: object, hint: Any, schema: Schema, name: str) -> object:
    """*value* of the argument *name* as *hint*, whose schema is *schema*. Raises a ``ToolError`` for the model."""
    corrected = _corrected(value, schema, name)
    try:
        return msgspec.convert(corrected, hint, strict=False)
    except ToolError as error:  # a dataclass refused its values
        raise ToolError(_sentence(name, str(error))) from error
    except msgspec.ValidationError as error:
        place, cause = _PLACE.search(str(error)), error.__cause__
        said = _PLACE.sub("", str(error)) if cause is None else type(cause).__name__  # its text may be secret
        raise ToolError(_sentence(name + (place["path"] if place else ""), said)) from error
    except Exception as error:
        raise ToolError(_sentence(name, type(error).__name__)) from error


def check_names(given: Mapping[str, object], known: Mapping[str, object], path: str = "") -> None:
    """Raise a ``ToolError`` if *given* has a name that is not *known*."""
    name = next((name for name in given if name not in known), None)
    if name is not None:
        close = get_close_matches(name[:_MOST_SHOWN], known, n=1)
        there = f"there are only: {', '.join(known)}" if known else "there are none to give"
        perhaps = f"perhaps '{close[0]}' is meant; " if close else ""
        msg = Sentence(
            "The argument '{path}{name}' is not known; {perhaps}{there}.",
            path=path,
            name=name[:_MOST_SHOWN],
            perhaps=perhaps,
            there=there,
        )
        raise ToolError(msg)


def can_be_null(schema: Schema) -> bool:
    """Whether null is one of the values that *schema* allows."""
    return _fits(None, schema)


def _sentence(path: str, text: str) -> str:
    return f"The argument '{path}' is not right: {text.rstrip('.')}."


def _corrected(value: object, schema: Schema, path: str) -> object:
    """*value*, nearer to *schema* where the meaning is clear; msgspec checks the result."""
    match schema:
        case {"anyOf": options}:
            return _corrected_by_one(value, options, path)
        case {"enum": options}:
            return _choice(value, options, path)
        case {"type": "array", "items": items}:
            value = _unfolded(value, list)
            is_one = value is not None and not isinstance(value, list) and "minItems" not in schema
            listed = [value] if is_one else value
            if isinstance(listed, list):
                return [_corrected(item, items, f"{path}[{place}]") for place, item in enumerate(listed)]
        case {"type": "object"}:
            return _object(_unfolded(value, dict), schema, path)
        case {"format": kind} if isinstance(value, str):
            with suppress(ValueError):
                moment = datetime.fromisoformat(value.strip())
                return moment if kind == "date-time" else moment.date()
        case {"type": "string"} if isinstance(value, int | float) and not isinstance(value, bool):
            return json.dumps(value)
        case {"type": "null"} if isinstance(value, str) and value.strip().lower() in _NULLS:
            return None
        case {"type": "integer" | "number" | "boolean" as kind} if isinstance(value, str | float):
            text = str(value).strip()
            if kind == "number" and text.lstrip("+-")[:3].lower() in ("nan", "inf"):
                raise ToolError(_sentence(path, "Expected a finite number"))
            return text if isinstance(value, str) else value
    return value


def _object(value: object, schema: Schema, path: str) -> object:
    """Null for an optional property that cannot be null counts as left out."""
    if not isinstance(value, dict):
        return value
    if "properties" not in schema:
        inner = schema.get("additionalProperties", {})
        return {key: _corrected(item, inner, f"{path}.{key[:_MOST_SHOWN]}") for key, item in value.items()}
    known, required = schema["properties"], schema["required"]
    check_names(value, known, f"{path}.")
    return {
        name: _corrected(item, known[name], f"{path}.{name}")
        for name, item in value.items()
        if item is not None or name in required or can_be_null(known[name])
    }


def _choice(value: object, options: Sequence[object], path: str) -> object:
    """One of *options*; the case of letters does not matter, nor whether a number is written as a text."""
    word = str(int(value) if isinstance(value, float) and value.is_integer() else value).strip().casefold()
    for option in options:
        if str(option).casefold() == word:
            return option
    told = json.dumps(value, ensure_ascii=False)[:_MOST_SHOWN]
    listed = ", ".join(json.dumps(option, ensure_ascii=False) for option in options)
    msg = Sentence("The argument '{path}' must be one of {listed}, not {told}.", path=path, listed=listed, told=told)
    raise ToolError(msg)


def _corrected_by_one(value: object, options: Sequence[Schema], path: str) -> object:
    """Correct by an option that *value* fits as it is; else a word for null is null; else the first that can be met."""
    exact = next((option for option in options if _fits(value, option)), None)
    if exact is not None:
        return _corrected(value, exact, path)
    others = [option for option in options if option.get("type") != "null"]
    if len(others) < len(options) and isinstance(value, str) and value.strip().lower() in _NULLS:
        return None
    for option in others:
        with suppress(ToolError):
            corrected = _corrected(value, option, path)
            if _fits(corrected, option):
                return corrected
    return _corrected(value, others[0], path) if len(others) == 1 else value


def _fits(value: object, schema: Schema) -> bool:
    """Whether *value* is of the type that *schema* wants; the items of a container are not looked at."""
    match schema:
        case {"anyOf": options}:
            return any(_fits(value, option) for option in options)
        case {"enum": options}:
            return any(type(option) is type(value) and option == value for option in options)
        case {"format": _}:
            return isinstance(value, date)
        case {"type": kind}:
            return isinstance(value, _TYPES[kind]) and (kind == "boolean" or not isinstance(value, bool))
        case _:
            return True


def _unfolded(value: object, kind: type) -> object:
    """*value*, or the list or object that it holds as JSON text."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        with suppress(ValueError):
            inner = read_json(value)
            return inner if isinstance(inner, kind) else value
    return value
