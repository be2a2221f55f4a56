"""What one value may be: how it is told to a model as JSON Schema, and how what the model sends becomes it.

Models err in small ways: ``"6"`` for 6, one thing for a list of one, an object written as a text. Where it is plain what
is meant, it is taken; where not, a ``Misfit`` says what is wanted and what was given, for the model to do better.
The schemas use only words that every interface takes, and nothing in them refers to anything else.
"""

from __future__ import annotations

import json
import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import date, datetime
from typing import TypeAlias

Schema: TypeAlias = dict[str, object]

_WHOLE = re.compile(r"[+-]?[0-9]{1,4000}(?:\.0*)?")
_TRUTHS = {"true": True, "false": False, "1": True, "0": False}
_NOTHINGS = ("", "null", "none")
MOST_SHOWN = 60
"""Characters of what was given that are shown."""
_MOST_CHOICES = 30


@dataclass(frozen=True, slots=True)
class Complaint:
    """What is wrong with one value."""

    text: str
    """What comes behind the value's name: ``must be a number, not "six"``."""
    path: tuple[str | int, ...] = ()
    """Where it stands: the argument, the field in it, the place in a list."""

    def __str__(self) -> str:
        steps = (f"[{step}]" if isinstance(step, int) else f".{step[:MOST_SHOWN]}" for step in self.path)
        return f"The argument '{''.join(steps).removeprefix('.')}' {self.text}."


class Misfit(Exception):  # noqa: N818  # nobody erred on this side: it is how a shape says no
    """A value is not what it should be."""

    def __init__(self, *complaints: Complaint) -> None:
        super().__init__(" ".join(map(str, complaints)))
        self.complaints = complaints

    def within(self, step: str | int) -> Misfit:
        """The same, of what stands at *step* in something."""
        return Misfit(*(replace(complaint, path=(step, *complaint.path)) for complaint in self.complaints))


def shown(value: object) -> str:
    """*value* as JSON, if it is long only its beginning."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    return text if len(text) <= MOST_SHOWN else text[: MOST_SHOWN - 1] + "…"


class Shape(ABC):
    """What a value may be."""

    @property
    @abstractmethod
    def schema(self) -> Schema:
        """How a model is told."""

    @property
    @abstractmethod
    def wanted(self) -> str:
        """The same in words, behind "must be"."""

    @abstractmethod
    def read(self, value: object, *, strict: bool = False) -> object:
        """What *value*, which came from JSON, is; *strict* takes only what is exactly right. Raises ``Misfit``."""

    def misfit(self, value: object) -> Misfit:
        """That *value* is not what is wanted."""
        return Misfit(Complaint(f"must be {self.wanted}, not {shown(value)}"))


# --- one value -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Anything(Shape):
    """Whatever the model likes."""

    @property
    def schema(self) -> Schema:
        """No condition at all."""
        return {}

    @property
    def wanted(self) -> str:
        """In words."""
        return "anything"

    def read(self, value: object, *, strict: bool = False) -> object:  # noqa: ARG002  # anything is always right
        """It stays as it is."""
        return value


@dataclass(frozen=True, slots=True)
class Text(Shape):
    """A text. A number is one too: ids are often sent as numbers."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "string"}

    @property
    def wanted(self) -> str:
        """In words."""
        return "a text"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take a text, or a number as it is written."""
        if isinstance(value, str):
            return value
        if not strict and isinstance(value, int | float) and not isinstance(value, bool):
            return json.dumps(value)
        raise self.misfit(value)


@dataclass(frozen=True, slots=True)
class Whole(Shape):
    """A whole number: also 6.0 and ``"6"``."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "integer"}

    @property
    def wanted(self) -> str:
        """In words."""
        return "a whole number"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take a number without a fraction."""
        match value:
            case bool():
                pass
            case int():
                return value
            case float() if value.is_integer():
                return int(value)
            case str() if not strict and _WHOLE.fullmatch(value.strip()):
                return int(value.strip().partition(".")[0])
        raise self.misfit(value)


@dataclass(frozen=True, slots=True)
class Number(Shape):
    """A number, with or without a fraction."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "number"}

    @property
    def wanted(self) -> str:
        """In words."""
        return "a number"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take a number that is finite."""
        number = math.nan
        if not isinstance(value, bool) and isinstance(value, (int, float) if strict else (int, float, str)):
            with suppress(ValueError, OverflowError):
                number = float(value)
        if math.isfinite(number):
            return number
        raise self.misfit(value)


@dataclass(frozen=True, slots=True)
class Truth(Shape):
    """Yes or no."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "boolean"}

    @property
    def wanted(self) -> str:
        """In words."""
        return "true or false"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take true and false, also as words and as 1 and 0."""
        if isinstance(value, bool):
            return value
        known = None if strict or not isinstance(value, int | str) else _TRUTHS.get(str(value).strip().lower())
        if known is None:
            raise self.misfit(value)
        return known


@dataclass(frozen=True, slots=True)
class Nothing(Shape):
    """No value: null, also as a word."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "null"}

    @property
    def wanted(self) -> str:
        """In words."""
        return "null"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take null, and what models write for it where a text cannot be meant."""
        if value is None or (not strict and isinstance(value, str) and value.strip().lower() in _NOTHINGS):
            return None
        raise self.misfit(value)


@dataclass(frozen=True, slots=True)
class Moment(Shape):
    """A day, or a day and a time of it, written as in ISO 8601."""

    kind: type[date]
    """``date`` or ``datetime``."""

    @property
    def schema(self) -> Schema:
        """How a model is told."""
        return {"type": "string", "format": "date-time" if self.kind is datetime else "date"}

    @property
    def wanted(self) -> str:
        """In words."""
        example = (
            "a date and time such as 2025-01-31T18:30:00" if self.kind is datetime else "a date such as 2025-01-31"
        )
        return f"{example} (ISO 8601)"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take a text that says when; of a whole moment for a day, the day."""
        if isinstance(value, str):
            for kind in (self.kind,) if strict else (self.kind, datetime):
                try:
                    moment = kind.fromisoformat(value.strip())
                except ValueError:
                    continue
                return moment.date() if isinstance(moment, datetime) and self.kind is not datetime else moment
        raise self.misfit(value)


@dataclass(frozen=True, slots=True)
class Choice(Shape):
    """One of a few values."""

    options: tuple[tuple[str | int | float, object], ...]
    """What the model sends, and what that means."""
    names: Mapping[str, object]
    """Other words for the same, in small letters."""

    @classmethod
    def of(
        cls, options: Iterable[tuple[str | int | float, object]], names: Mapping[str, object] | None = None
    ) -> Choice:
        """A choice among *options*, which the model may also call by *names*; small and capital letters are alike."""
        options = tuple(options)
        words = {name.casefold(): meant for name, meant in (names or {}).items()}
        return cls(options, words | {str(said).casefold(): meant for said, meant in reversed(options)})

    @property
    def schema(self) -> Schema:
        """How a model is told; values of several types are several conditions, and truths need no list."""
        types = {"boolean": bool, "integer": int, "number": float, "string": str}
        kinds: list[Schema] = []
        for name, kind in types.items():
            values = [said for said, _ in self.options if type(said) is kind]
            if values:
                kinds.append({"type": name} if kind is bool else {"type": name, "enum": values})
        return kinds[0] if len(kinds) == 1 else {"anyOf": kinds}

    @property
    def wanted(self) -> str:
        """In words."""
        said = [json.dumps(said, ensure_ascii=False) for said, _ in self.options[:_MOST_CHOICES]]
        more = len(self.options) - len(said)
        return f"one of {', '.join(said)}{f' and {more} more' if more else ''}"

    def read(self, value: object, *, strict: bool = False) -> object:
        """Take one of the values; as a word in any case."""
        for said, meant in self.options:
            if type(said) is type(value) and said == value:
                return meant
        if not strict and isinstance(value, str | int | float):
            word = str(int(value) if isinstance(value, float) and value.is_integer() else value)
            if (meant := self.names.get(word.strip().casefold(), self)) is not self:
                return meant
        raise self.misfit(value)
