"""What several values may be: lists, objects, and one thing or another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from itertools import islice
from typing import Any

from ..errors import ToolError
from .arguments import read_json
from .shapes import MOST_SHOWN, Anything, Complaint, Misfit, Nothing, Schema, Shape, shown

_MOST_UNKNOWN = 5
"""Keys that nobody knows of which it is said so: a model may send thousands."""


# --- lists ---------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Many(Shape):
    """A list of values of one shape."""

    item: Shape
    make: Callable[[Iterable[Any]], object] = list

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "array", "items": self.item.schema}

    @property
    def wanted(self) -> str:
        """In words."""
        return "a list" if isinstance(self.item, Anything) else f"a list in which each is {self.item.wanted}"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take a list, or one thing for a list of it."""
        if not strict:
            value = _unfolded(value, list)
            value = [value] if value is not None and not isinstance(value, list) else value
        if not isinstance(value, list):
            raise self.misfit(value)
        return self.make(_each([self.item] * len(value), value, strict=strict))


@dataclass(frozen=True, slots=True)
class Row(Shape):
    """A list of so many values, each with its own shape."""

    items: tuple[Shape, ...]

    @property
    def schema(self) -> Schema:
        """How a model is told: of what, and how many; which stands where is checked when it is read."""
        inner = one_of(self.items).schema if self.items else {}
        return {"type": "array", "items": inner, "minItems": len(self.items), "maxItems": len(self.items)}

    @property
    def wanted(self) -> str:
        """In words."""
        return f"a list of {len(self.items)}: {', '.join(item.wanted for item in self.items)}"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take a list of exactly as many."""
        value = value if strict else _unfolded(value, list)
        if not isinstance(value, list) or len(value) != len(self.items):
            raise self.misfit(value)
        return tuple(_each(self.items, value, strict=strict))


def _each(shapes: Sequence[Shape], values: Sequence[object], *, strict: bool) -> list[object]:
    read: list[object] = []
    for place, (shape, value) in enumerate(zip(shapes, values, strict=True)):
        try:
            read.append(shape.read(value, strict=strict))
        except Misfit as misfit:
            raise misfit.within(place) from None
    return read


# --- objects -------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Table(Shape):
    """An object whose keys the model chooses."""

    value: Shape

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        inner = self.value.schema
        return {"type": "object", "additionalProperties": inner} if inner else {"type": "object"}

    @property
    def wanted(self) -> str:
        """In words."""
        return "an object"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take an object, and each of its values."""
        value = value if strict else _unfolded(value, dict)
        if not isinstance(value, dict):
            raise self.misfit(value)
        read: dict[str, object] = {}
        for key, item in value.items():
            try:
                read[key] = self.value.read(item, strict=strict)
            except Misfit as misfit:
                raise misfit.within(key) from None
        return read


@dataclass(frozen=True, slots=True)
class Field:
    """One named value of an object."""

    shape: Shape
    is_required: bool = True
    about: str = ""

    @property
    def schema(self) -> Schema:
        """How a model is told; what need not be there need not be null either."""
        shape = self.shape
        if isinstance(shape, Either) and not self.is_required:
            shape = one_of(option for option in shape.options if not isinstance(option, Nothing))
        return {**shape.schema, "description": self.about} if self.about else shape.schema


@dataclass(frozen=True, slots=True)
class Record(Shape):
    """An object with known keys."""

    fields: Mapping[str, Field]
    make: Callable[..., object] = dict
    """Makes what is wanted of the values, which are given by name."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {
            "type": "object",
            "properties": {name: field.schema for name, field in self.fields.items()},
            "required": [name for name, field in self.fields.items() if field.is_required],
            "additionalProperties": False,
        }

    @property
    def wanted(self) -> str:
        """In words."""
        return f"an object with {', '.join(self.fields)}" if self.fields else "an empty object"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take an object with these keys and no others; all that is wrong with it is told at once."""
        value = value if strict else _unfolded(value, dict)
        if not isinstance(value, dict):
            raise self.misfit(value)
        unknown = islice((name for name in value if name not in self.fields), _MOST_UNKNOWN)
        complaints = [Complaint(self._unknown(name), (name,)) for name in unknown]
        read: dict[str, object] = {}
        for name, field in self.fields.items():
            if name not in value and field.is_required:
                complaints.append(Complaint(f"is missing; it must be {field.shape.wanted}", (name,)))
            elif name in value:
                try:
                    read |= _given(name, field, value[name], strict=strict)
                except Misfit as misfit:
                    complaints += misfit.within(name).complaints
        if complaints:
            raise Misfit(*complaints)
        return self._made(read)

    def _unknown(self, name: str) -> str:
        close = get_close_matches(name[:MOST_SHOWN], self.fields, n=1)
        known = f"there are only: {', '.join(self.fields)}" if self.fields else "there are none to give"
        return f"is not known; perhaps '{close[0]}' is meant; {known}" if close else f"is not known; {known}"

    def _made(self, values: dict[str, object]) -> object:
        try:
            return self.make(**values)
        except ToolError as error:
            raise Misfit(Complaint(f"is not right: {str(error).rstrip('.')}")) from error
        except Exception as error:  # it is foreign code, and the text of its errors may hold secrets
            raise Misfit(Complaint(f"cannot be {shown(values)} ({type(error).__name__})")) from error


def _given(name: str, field: Field, value: object, *, strict: bool) -> dict[str, object]:
    """The value of a field by its name; null for one that need not be there is as if it were not."""
    if value is None and not field.is_required and not strict:
        try:
            return {name: field.shape.read(None, strict=True)}
        except Misfit:
            return {}
    return {name: field.shape.read(value, strict=strict)}


def _unfolded(value: object, kind: type) -> object:
    """*value*, or what it holds if it is a text in which a list or an object is written."""
    if isinstance(value, str) and value.lstrip()[:1] in ("[", "{"):
        try:
            inner = read_json(value)
        except ValueError:
            return value
        return inner if isinstance(inner, kind) else value
    return value


# --- one or the other ----------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Either(Shape):
    """A value of one shape or another: what is exactly right for one of them goes before what may be meant."""

    options: tuple[Shape, ...]

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        kinds: list[object] = []
        for option in self.options:
            schema = option.schema
            several = schema.get("anyOf")
            kinds += several if isinstance(several, list) and len(schema) == 1 else [schema]
        return {} if {} in kinds else {"anyOf": [kind for place, kind in enumerate(kinds) if kind not in kinds[:place]]}

    @property
    def wanted(self) -> str:
        """In words."""
        return " or ".join(dict.fromkeys(option.wanted for option in self.options))

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take what one of them takes, the first first; what may be meant as nothing is not one thing of a list."""
        misfits: list[Misfit] = []
        for exactly in (True,) if strict else (True, False):
            misfits.clear()
            for option in sorted(self.options, key=lambda option: not isinstance(option, Nothing)):
                try:
                    return option.read(value, strict=exactly)
                except Misfit as misfit:
                    if not isinstance(option, Nothing):
                        misfits.append(misfit)
        raise misfits[0] if len(misfits) == 1 and value is not None else self.misfit(value)


@dataclass(frozen=True, slots=True)
class Described(Shape):
    """A shape with a sentence about it."""

    inner: Shape
    about: str

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {**self.inner.schema, "description": self.about}

    @property
    def wanted(self) -> str:
        """In words."""
        return self.inner.wanted

    def read(self, value: object, *, strict: bool = False) -> object:
        """As without the sentence."""
        return self.inner.read(value, strict=strict)


def one_of(options: Iterable[Shape]) -> Shape:
    """Any of *options*, each of them once; one alone is itself."""
    distinct: list[Shape] = []
    for option in options:
        if option not in distinct:
            distinct.append(option)
    return distinct[0] if len(distinct) == 1 else Either(tuple(distinct))
