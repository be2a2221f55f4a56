"""JSON Schema from a type hint.

The schemas use only keywords that every provider accepts, and hold no ``$ref``: classes are inlined. msgspec converts
what the model sends, so a type that msgspec does not support is refused when the tool is made.
"""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Iterable, Mapping
from dataclasses import MISSING, fields, is_dataclass
from datetime import date, datetime
from enum import Enum
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NewType,
    NotRequired,
    Required,
    TypeAlias,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import msgspec

from .docstrings import read_docstring

Schema: TypeAlias = dict[str, Any]

_SIMPLE: Mapping[object, Schema] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    None: {"type": "null"},
    NoneType: {"type": "null"},
    datetime: {"type": "string", "format": "date-time"},
    date: {"type": "string", "format": "date"},
    Any: {},
    object: {},
}
_SETS = (set, frozenset, abc.Set, abc.MutableSet)
_LISTS = (list, tuple, abc.Sequence, abc.MutableSequence, abc.Collection, *_SETS)
_OBJECTS = (dict, abc.Mapping, abc.MutableMapping)
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""Anthropic refuses a whole request for any other property name."""


class UnfitType(Exception):  # noqa: N818  # the caller adds the name of the parameter
    """A type without a schema. The text follows the name of a parameter."""


def schema_of(hint: object) -> Schema:
    """The schema of *hint*; an optional property may be null. Raises ``UnfitType``."""
    schema = _schema(hint, ())
    try:
        msgspec.inspect.type_info(hint)
    except (TypeError, NameError) as error:
        msg = f"has a type that msgspec cannot convert ({error})"
        raise UnfitType(msg) from error
    return schema


def object_of(properties: Mapping[str, Schema], required: Iterable[str]) -> Schema:
    """The schema of an object with these properties and no others. Raises ``UnfitType``."""
    for name in properties:
        if not _KEY.fullmatch(name):
            msg = f"cannot be named {name!r}: use at most 64 letters from a to z, digits and underscores"
            raise UnfitType(msg)
    return {
        "type": "object",
        "properties": dict(properties),
        "required": [name for name in properties if name in set(required)],
        "additionalProperties": False,
    }


def described(schema: Schema, about: str) -> Schema:
    """*schema* with a description, unless it has one or *about* is empty."""
    return {**schema, "description": about} if about and "description" not in schema else schema


def told(schema: Schema) -> Schema:
    """*schema* as the model sees it: an optional property is left out rather than null."""
    shown = dict(schema)
    if "properties" in schema:
        shown["properties"] = {
            name: told(inner if name in schema["required"] else _not_null(inner))
            for name, inner in schema["properties"].items()
        }
    if "anyOf" in schema:
        shown["anyOf"] = [told(option) for option in schema["anyOf"]]
    for key in ("items", "additionalProperties"):
        if isinstance(schema.get(key), dict):
            shown[key] = told(schema[key])
    return shown


def _not_null(schema: Schema) -> Schema:
    options = [option for option in schema.get("anyOf", ()) if option != _SIMPLE[None]]
    rest = {key: value for key, value in schema.items() if key != "anyOf"}
    return {**any_of(options), **rest} if options else schema


def any_of(options: Iterable[Schema]) -> Schema:
    """One of *options*, without duplicates and without ``anyOf`` in ``anyOf``."""
    flat: list[Schema] = []
    for option in options:
        for one in option["anyOf"] if option.keys() == {"anyOf"} else [option]:
            if one not in flat:
                flat.append(one)
    if {} in flat:
        return {}
    return flat[0] if len(flat) == 1 else {"anyOf": flat}


# --- one hint -----------------------------------------------------------------------------------


def _schema(hint: Any, around: tuple[type, ...]) -> Schema:
    """The schema of *hint*, which stands in the classes *around*."""
    origin, args = get_origin(hint) or hint, get_args(hint)
    if origin is hint and hint in _SIMPLE:
        return _SIMPLE[hint]
    if isinstance(hint, NewType):
        return _schema(hint.__supertype__, around)
    if type(hint).__name__ == "TypeAliasType":  # ``type Name = …``, which Python has since 3.12
        return _schema(hint.__value__, around)
    if origin is Annotated:
        about = next((word for word in args[1:] if isinstance(word, str)), "")
        return described(_schema(args[0], around), about)
    if origin in (Required, NotRequired):
        return _schema(args[0], around)
    if origin in (Union, UnionType):
        return any_of([_schema(option, around) for option in args])
    if origin is Literal:
        return _choice(args)
    if isinstance(origin, type) and issubclass(origin, Enum):
        return _choice([member.value for member in origin])
    if is_typeddict(origin) or (isinstance(origin, type) and is_dataclass(origin)):
        return _class(origin, around)
    return _container(hint, origin, args, around)


def _container(hint: object, origin: object, args: tuple[Any, ...], around: tuple[type, ...]) -> Schema:
    if origin in _OBJECTS:
        if args and args[0] is not str:
            msg = f"has a type whose keys are not str ({_named(hint)}); JSON has only dict[str, …]"
            raise UnfitType(msg)
        inner = _schema(args[1], around) if args else {}
        return {"type": "object", "additionalProperties": inner} if inner else {"type": "object"}
    if origin not in _LISTS:
        msg = (
            f"has a type without a JSON schema ({_named(hint)}); use str, int, float, bool, datetime, a list, "
            "a dict, a Literal, an Enum, a TypedDict or a dataclass"
        )
        raise UnfitType(msg)
    if origin in _SETS and args and getattr(get_origin(args[0]) or args[0], "__hash__", None) is None:
        msg = f"has a type that cannot exist ({_named(hint)}); the items of a set need a hash"
        raise UnfitType(msg)
    if origin is tuple and args and args[-1] is not Ellipsis:
        items = any_of([_schema(item, around) for item in args])
        return {"type": "array", "items": items, "minItems": len(args), "maxItems": len(args)}
    return {"type": "array", "items": _schema(args[0], around) if args else {}}


def _choice(values: Iterable[object]) -> Schema:
    """One of *values*. Each JSON type has its own list, because an ``enum`` of mixed types is not accepted everywhere."""
    options: list[Schema] = []
    for name, kind in (("boolean", bool), ("integer", int), ("string", str), ("null", NoneType)):
        of_kind = [value for value in values if isinstance(value, kind) and isinstance(value, bool) is (kind is bool)]
        if of_kind:
            options.append({"type": name, "enum": of_kind} if kind in (int, str) else {"type": name})
    return any_of(options) if options else {}


def _class(kind: type, around: tuple[type, ...]) -> Schema:
    """A dataclass or a TypedDict, its fields described by its docstring."""
    if kind in around:
        msg = f"has a type that contains itself ({kind.__name__}); a schema must have an end"
        raise UnfitType(msg)
    try:
        hints = get_type_hints(kind, include_extras=True)
    except NameError as error:
        msg = f"has the type {kind.__name__}, in which the name {error.name} is not known; define it at the top of the module"
        raise UnfitType(msg) from error
    if is_typeddict(kind):  # with postponed annotations its __required_keys__ do not know Required and NotRequired
        keys: frozenset[str] = kind.__required_keys__  # type: ignore[attr-defined]  # a TypedDict has them
        needed = {name: get_origin(hint) is Required or name in keys for name, hint in hints.items()}
        needed |= {name: False for name, hint in hints.items() if get_origin(hint) is NotRequired}
    else:
        needed = {
            part.name: part.default is MISSING and part.default_factory is MISSING for part in fields(kind) if part.init
        }
    said = read_docstring(kind.__doc__, needed).names
    properties = {name: described(_schema(hints[name], (*around, kind)), said.get(name, "")) for name in needed}
    return object_of(properties, [name for name, is_needed in needed.items() if is_needed])


def _named(hint: object) -> str:
    return hint.__qualname__ if isinstance(hint, type) and get_origin(hint) is None else str(hint)
