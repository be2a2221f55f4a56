"""Our own format: one JSON file with the whole character, pictures included."""

from __future__ import annotations

import json
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from ..errors import InputError
from ..types import Note
from . import forms
from .character import Character, Lore
from .forms import Form
from .tavern import read_degree, read_look, shown_name, write_look

FORMAT = "cadenza/character"
"""The format name in our files, which never changes."""
VERSION = 1
_TEXTS = (
    "id", "prompt", "personality", "scenario", "system", "afterword", "greeting", "samples", "avatar", "model",
    "nickname",
)  # fmt: skip
_LISTS = ("other_greetings", "triggers", "former")


def is_native(form: Form) -> bool:
    """Whether *form* is in our format."""
    return form.get("format") == FORMAT


def write(character: Character) -> bytes:
    """*character* as a file."""
    form = {"format": FORMAT, "version": VERSION, "character": as_value(character)}
    return json.dumps(form, ensure_ascii=False, indent=2).encode()


def read(form: Form) -> Character:
    """The character in a file; raises an ``InputError`` if it is invalid, or of a later version."""
    version = forms.number(form, "version", default=VERSION)
    if version > VERSION:
        msg = f"The file is of version {version}, and this bot reads version {VERSION}; update the bot."
        raise InputError(msg)
    return of_value(forms.inner(form, "character"))


def as_value(character: Character) -> dict[str, Any]:
    """*character* as a JSON object, without empty fields."""
    value: dict[str, Any] = {
        "name": character.name,
        **{name: getattr(character, name) for name in _TEXTS},
        **{name: list(getattr(character, name)) for name in _LISTS},
        "notes": [{"text": note.text, "depth": note.depth} for note in character.notes],
        "looks": [write_look(look) for look in character.looks],
        "lore": [_write_lore(entry) for entry in character.lore],
        "degree": character.degree,
        "is_main": character.is_main or None,
        "card": dict(character.card),
    }
    return {name: item for name, item in value.items() if name == "name" or item not in (None, "", [], {})}


def of_value(value: Form) -> Character:
    """The character in *value*; raises an ``InputError`` if it has no name."""
    name = forms.text(value, "name")
    if not name.strip():
        msg = "The character in the file has no name; write one into it."
        raise InputError(msg)
    written: dict[str, Any] = {name: forms.text(value, name) for name in _TEXTS}
    return Character(
        shown_name(name),
        **written | {name: forms.texts(value, name) for name in _LISTS},
        notes=tuple(
            Note(forms.text(note, "text"), forms.number(note, "depth")) for note in forms.inners(value, "notes")
        ),
        looks=tuple(read_look(look) for look in forms.inners(value, "looks")),
        lore=tuple(_read_lore(entry) for entry in forms.inners(value, "lore")),
        degree=read_degree(value),
        is_main=forms.flag(value, "is_main"),
        card=MappingProxyType(forms.inner(value, "card")),
    )


def _write_lore(entry: Lore) -> dict[str, Any]:
    value = {spec.name: getattr(entry, spec.name) for spec in fields(Lore)}
    return {name: list(item) if isinstance(item, tuple) else item for name, item in value.items()}


def _read_lore(entry: Form) -> Lore:
    return Lore(
        content=forms.text(entry, "content"),
        keys=forms.texts(entry, "keys"),
        secondary_keys=forms.texts(entry, "secondary_keys"),
        is_enabled=forms.flag(entry, "is_enabled", default=True),
        is_constant=forms.flag(entry, "is_constant"),
        is_selective=forms.flag(entry, "is_selective"),
        is_case_sensitive=forms.flag(entry, "is_case_sensitive"),
        order=forms.number(entry, "order", default=100),
    )
