"""Checking a table of a configuration against the class that it becomes: every mistake a sentence, all of them at once."""

from __future__ import annotations

import difflib
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import Field, fields
from math import inf
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from ...errors import SettingsError

_SECRETIVE = re.compile(r"token|secret|password|passwd|api_?key|^key$", re.IGNORECASE)
_ENVIRONMENT = "put it into .env beside this file and keep only the name of its variable here"
_SHOWN = 60


class ConfigError(SettingsError):
    """A configuration is not right: one line a mistake, each of which says where, what is wrong and what is right."""

    def __init__(self, mistakes: Iterable[str], *, files: Collection[Path] = ()) -> None:
        self.mistakes = tuple(mistakes)
        self.files = frozenset(files)
        """What was read to find that out: a change of one of these may be the cure."""
        super().__init__("\n".join(self.mistakes))


class Complaints:
    """Gathers what is wrong, so that it can be told at once."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def add(self, place: str, complaint: str) -> None:
        """Say what is wrong at *place*, once; nothing if *complaint* is empty."""
        line = f"{place} {complaint}"
        if complaint and line not in self.lines:
            self.lines.append(line)


class _Form(NamedTuple):
    pattern: re.Pattern[str]
    words: str
    """What a text of this form is."""
    is_shown: bool = True
    """Whether a text that has another form may be repeated: somebody may have put a secret there."""


_FORMS: Mapping[str, _Form] = MappingProxyType(
    {
        "variable": _Form(
            re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,100}"),
            "the name of a variable, such as DISCORD_TOKEN; what the variable holds belongs into .env",
            is_shown=False,
        ),
        "address": _Form(
            re.compile(r"https?://[^\s/@]+(/\S*)?", re.IGNORECASE),
            "an address that begins with https:// or http://, without a password in it",
            is_shown=False,
        ),
        "id": _Form(
            re.compile(r"[0-9]{15,21}"),
            "ids, which are digits (in Discord: Settings, Advanced, Developer Mode; then right-click, Copy Channel ID)",
        ),
        "filled": _Form(re.compile(r"[^\0]*[^\0\s][^\0]*", re.DOTALL), "something and not empty"),
        "language": _Form(
            re.compile(r"[a-z]{2,3}([-_][A-Za-z]{2,4})?"), "the code of a language, such as 'en' or 'ja'"
        ),
    }
)


def table(given: object, place: str, complaints: Complaints) -> Mapping[str, object]:
    """*given*, if it is a table; else it is complained of, and stands for an empty one."""
    if isinstance(given, Mapping):
        return given
    complaints.add(place, f"must be a table, not {shown(given)}")
    return {}


def values(
    kind: type[Any], given: object, place: str, complaints: Complaints, *, besides: Collection[str] = ()
) -> dict[str, Any]:
    """Of the table *given* what is right for the fields of *kind*; keys in *besides* are somebody else's."""
    specs = {spec.name: spec for spec in fields(kind) if "kind" in spec.metadata}
    right: dict[str, Any] = {}
    for name, value in table(given, place, complaints).items():
        if name in besides:
            continue
        if name not in specs:
            complaints.add(place, unknown_key(name, [*specs, *besides]))
            continue
        read, complaint = checked(value, specs[name])
        complaints.add(f"{place} {name}", complaint)
        if not complaint:
            right[name] = read
    return right


def unknown_key(name: str, known: Collection[str]) -> str:
    """What is said of a key that there is not."""
    close = difflib.get_close_matches(name, known, n=1)
    if close:
        return f"has no key {shown(name)}; did you mean {close[0]!r}?"
    if _SECRETIVE.search(name):
        return f"has no key {shown(name)}, and no secret belongs into this file; {_ENVIRONMENT}"
    return f"has no key {shown(name)}; there are {', '.join(known)}"


def checked(value: object, spec: Field[Any]) -> tuple[object, str]:
    """*value* as it is kept, and what is wrong with it for the key of *spec*; empty if nothing is."""
    wanted = spec.metadata["kind"]
    if wanted is float and type(value) is int:
        value = float(value) if abs(value) < 10**15 else inf
    if wanted is tuple:
        return _checked_texts(value, spec)
    if type(value) is not wanted:
        words = {int: "a whole number", float: "a number", str: "a text in quotes", bool: "true or false"}
        return value, f"must be {words[wanted]}, not {shown(value)}"
    return value, _range_complaint(value, spec) or _form_complaint(value, spec)


def _checked_texts(value: object, spec: Field[Any]) -> tuple[object, str]:
    form = spec.metadata.get("form", "")
    if not isinstance(value, list):
        return value, f'must be a list of texts such as ["…"], not {shown(value)}'
    # An id is a number to most people, and to TOML.
    items = [str(item) if form == "id" and type(item) is int else item for item in value]
    if wrong := [item for item in items if not isinstance(item, str)]:
        return value, f'must be a list of texts such as ["…"], but {shown(wrong[0])} is none'
    return tuple(items), next(filter(None, (_form_complaint(item, spec) for item in items)), "")


def _range_complaint(value: Any, spec: Field[Any]) -> str:
    one_of, low, high = (spec.metadata.get(key) for key in ("one_of", "low", "high"))
    if one_of:
        hint = difflib.get_close_matches(value, one_of, n=1)
        meant = f"; did you mean {hint[0]!r}?" if hint else ""
        return "" if value in one_of else f"must be one of {', '.join(map(repr, one_of))}, not {shown(value)}{meant}"
    # Written so that a NaN, which compares false with everything, is refused too.
    if (low is None or value >= low) and (high is None or value <= high):
        return ""
    return f"must be {f'at least {low}' if high is None else f'between {low} and {high}'}, not {shown(value)}"


def _form_complaint(value: Any, spec: Field[Any]) -> str:
    form = _FORMS.get(spec.metadata.get("form", ""))
    if form is None or value == spec.default or form.pattern.fullmatch(value):
        return ""
    return f"must be {form.words}" + (f", not {shown(value)}" if form.is_shown else "")


def shown(value: object) -> str:
    """*value* as a sentence may hold it."""
    text = {True: "true", False: "false"}.get(value, repr(value)) if isinstance(value, bool) else repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
