"""From a type as a function is annotated with it to the shape of an argument."""

from __future__ import annotations

import re
from collections import abc
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
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

from .compounds import Described, Field, Many, Record, Row, Table, one_of
from .docstrings import read_docstring
from .shapes import Anything, Choice, Moment, Nothing, Number, Shape, Text, Truth, Whole

Names: TypeAlias = Mapping[str, object]
"""What types may be called where a function was defined."""

_SIMPLE: Mapping[object, Shape] = {
    str: Text(),
    int: Whole(),
    float: Number(),
    bool: Truth(),
    None: Nothing(),
    NoneType: Nothing(),
    datetime: Moment(datetime),
    date: Moment(date),
    Any: Anything(),
    object: Anything(),
}
_MADE: Mapping[object, Callable[[Iterable[Any]], object]] = {
    list: list, abc.Sequence: list, abc.MutableSequence: list, abc.Iterable: list, abc.Collection: list,
    tuple: tuple, set: set, abc.Set: set, abc.MutableSet: set, frozenset: frozenset,
}  # fmt: skip
_TABLES = (dict, abc.Mapping, abc.MutableMapping)
_KEY = re.compile(r"[a-zA-Z0-9_.-]{1,64}")
"""What a name in a schema may be; one interface refuses the whole request for another."""


class Unfit(Exception):  # noqa: N818  # what is wrong is said by whoever knows whose type it is
    """A type that a model cannot be told of; its text comes behind the parameter's name."""


def shape_of(hint: object, names: Names) -> Shape:
    """The shape of what is annotated with *hint*. Raises ``Unfit``."""
    return _Reader(names).shape(hint)


def about_of(shape: Shape, otherwise: str) -> str:
    """What is said of *shape* where it is annotated; if nothing is, *otherwise*."""
    about = shape.schema.get("description")
    return about if isinstance(about, str) else otherwise


def checked_key(name: str) -> str:
    """*name*, if it can stand in a schema. Raises ``Unfit``."""
    if not _KEY.fullmatch(name):
        msg = f"cannot be named {name!r}: a name has at most 64 letters from a to z, digits and underscores"
        raise Unfit(msg)
    return name


class _Reader:
    """Reads one hint, and knows which classes it is in: one that holds itself has no end."""

    def __init__(self, names: Names) -> None:
        self._names = names
        self._around: tuple[type, ...] = ()

    def shape(self, hint: object) -> Shape:
        try:
            simple = _SIMPLE.get(hint)
        except TypeError:  # a hint may hold what has no hash, and is then none of those
            simple = None
        if simple is not None:
            return simple
        if isinstance(hint, NewType):
            return self.shape(hint.__supertype__)
        if type(hint).__name__ == "TypeAliasType":  # ``type Name = …``, which Python has since 3.12
            return self.shape(hint.__value__)  # type: ignore[attr-defined]  # unknown to Python 3.11
        if isinstance(hint, type) and get_origin(hint) is None:
            return self._class(hint)
        return self._generic(hint, get_origin(hint), get_args(hint))

    def _generic(self, hint: object, origin: object, args: tuple[Any, ...]) -> Shape:
        if origin is Annotated:
            about = next((word for word in args[1:] if isinstance(word, str)), "")
            inner = self.shape(args[0])
            return Described(inner, about) if about else inner
        if origin is Union or origin is UnionType:
            return one_of(self.shape(option) for option in args)
        if origin is Literal:
            return _literal(args)
        if origin in (Required, NotRequired):
            return self.shape(args[0])
        return self._container(hint, origin, args)

    def _class(self, kind: type) -> Shape:
        if issubclass(kind, Enum):
            return _enumeration(kind)
        if is_typeddict(kind):
            return self._typed_dict(kind)
        if is_dataclass(kind):
            return self._dataclass(kind)
        return self._container(kind, kind, ())

    def _container(self, hint: object, kind: object, args: tuple[Any, ...]) -> Shape:
        if kind in _TABLES:
            if args and args[0] is not str:
                msg = f"has a type whose keys are no texts ({_named(hint)}); JSON knows only dict[str, …]"
                raise Unfit(msg)
            return Table(self.shape(args[1]) if args else Anything())
        make = _MADE.get(kind)
        if make is None:
            raise _unfit(hint)
        if make is tuple and args and args[-1] is not Ellipsis:
            return Row(tuple(map(self.shape, args)))
        if make in (set, frozenset) and args and getattr(get_origin(args[0]) or args[0], "__hash__", None) is None:
            msg = f"has a type that cannot be ({_named(hint)}); in a set stands only what has a hash"
            raise Unfit(msg)
        return Many(self.shape(args[0]) if args else Anything(), make)

    # --- objects ----------------------------------------------------------------------------

    def _typed_dict(self, kind: type) -> Shape:
        hints = self._entered(kind)
        required: frozenset[str] = kind.__required_keys__  # type: ignore[attr-defined]  # a TypedDict has them
        return self._record(kind, {name: (hint, _is_required(hint, name in required)) for name, hint in hints.items()})

    def _dataclass(self, kind: type) -> Shape:
        hints = self._entered(kind)
        parts = [part for part in fields(kind) if part.init]
        needed = {part.name: part.default is MISSING and part.default_factory is MISSING for part in parts}
        return self._record(kind, {name: (hints[name], is_needed) for name, is_needed in needed.items()}, kind)

    def _entered(self, kind: type) -> dict[str, Any]:
        if kind in self._around:
            msg = f"has a type that holds itself ({kind.__name__}); a model can be told only of one that ends"
            raise Unfit(msg)
        with suppress(NameError):  # where it is defined, its own names mean what they say
            return get_type_hints(kind, include_extras=True)
        try:
            return get_type_hints(kind, localns=dict(self._names), include_extras=True)
        except NameError as error:
            msg = f"has the type {kind.__name__}, in which the name {error.name} is not known"
            raise Unfit(msg) from error

    def _record(
        self, kind: type, parts: Mapping[str, tuple[object, bool]], make: Callable[..., object] = dict
    ) -> Record:
        said = read_docstring(kind.__doc__, parts).names
        around, self._around = self._around, (*self._around, kind)
        try:
            shapes = {checked_key(name): self.shape(hint) for name, (hint, _) in parts.items()}
        finally:
            self._around = around
        return Record(
            {name: Field(shape, parts[name][1], about_of(shape, said.get(name, ""))) for name, shape in shapes.items()},
            make,
        )


def _is_required(hint: object, otherwise: bool) -> bool:  # noqa: FBT001  # what holds if the hint does not say
    """Whether a key must be there. Where annotations are texts, the class itself does not know."""
    origin = get_origin(hint)
    return origin is Required or (origin is not NotRequired and otherwise)


# --- choices ----------------------------------------------------------------------------------


def _literal(values: tuple[object, ...]) -> Shape:
    choices = [value for value in values if value is not None]
    options: list[tuple[str | int | float, object]] = []
    for value in choices:
        said = value.value if isinstance(value, Enum) else value
        if not isinstance(said, str | int):
            msg = f"has a choice that is neither a text nor a number ({said!r})"
            raise Unfit(msg)
        options.append((said, value))
    shapes: list[Shape] = [Choice.of(options)] if options else []
    return one_of([*shapes, Nothing()] if len(choices) < len(values) else shapes)


def _enumeration(kind: type[Enum]) -> Shape:
    """A choice among the values of *kind* if those can be sent, among its names if not."""
    members = list(kind)
    if not members:
        msg = f"has a type without any value ({kind.__name__})"
        raise Unfit(msg)
    can_be_sent = all(isinstance(member.value, str | int | float) for member in members)
    names = {member.name: member for member in members}
    return Choice.of([(member.value if can_be_sent else member.name, member) for member in members], names)


def _unfit(hint: object) -> Unfit:
    return Unfit(
        f"has a type that a model cannot be told of ({_named(hint)}); use str, int, float, bool, datetime, a list, a dict, "
        "a Literal, an Enum, a TypedDict or a dataclass"
    )


def _named(hint: object) -> str:
    return hint.__qualname__ if isinstance(hint, type) and get_origin(hint) is None else str(hint)
