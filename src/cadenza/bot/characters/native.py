"""Our own format: one JSON file with the whole character, pictures included."""

from __future__ import annotations

import json
from dataclasses import fields
from types import MappingProxyType
from typing import Any

from ...errors import InputError, Sentence
from ...types import Note
from . import checked_json
from .character import Character, Lore
from .checked_json import Form
from .tavern import read_own, read_sprite, shown_name, write_sprite

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
    version = checked_json.number(form, "version", default=VERSION)
    if version > VERSION:
        msg = Sentence(
            "The file is of version {version}, and this bot reads version {known}; update the bot.",
            version=version,
            known=VERSION,
        )
        raise InputError(msg)
    return of_value(checked_json.inner(form, "character"))


def as_value(character: Character) -> dict[str, Any]:
    """*character* as a JSON object, without empty fields."""
    value: dict[str, Any] = {
        "name": character.name,
        **{name: getattr(character.own if name == "model" else character, name) for name in _TEXTS},
        **{name: list(getattr(character, name)) for name in _LISTS},
        "notes": [{"text": note.text, "depth": note.depth} for note in character.notes],
        "sprites": [write_sprite(sprite) for sprite in character.sprites],
        "lore": [_write_lore(entry) for entry in character.lore],
        "degree": character.own.degree,
        "is_main": character.is_main or None,
        "card": dict(character.card),
    }
    return {name: item for name, item in value.items() if name == "name" or item not in (None, "", [], {})}


def of_value(value: Form) -> Character:
    """The character in *value*; raises an ``InputError`` if it has no name."""
    name = checked_json.text(value, "name")
    if not name.strip():
        msg = "The character in the file has no name; write one into it."
        raise InputError(msg)
    written: dict[str, Any] = {name: checked_json.text(value, name) for name in _TEXTS if name != "model"}
    return Character(
        shown_name(name),
        **written | {name: checked_json.texts(value, name) for name in _LISTS},
        notes=tuple(
            Note(checked_json.text(note, "text"), checked_json.number(note, "depth"))
            for note in checked_json.inners(value, "notes")
        ),
        sprites=tuple(read_sprite(sprite) for sprite in checked_json.inners(value, "sprites")),
        lore=tuple(_read_lore(entry) for entry in checked_json.inners(value, "lore")),
        own=read_own(value),
        is_main=checked_json.flag(value, "is_main"),
        card=MappingProxyType(checked_json.inner(value, "card")),
    )


def _write_lore(entry: Lore) -> dict[str, Any]:
    value = {spec.name: getattr(entry, spec.name) for spec in fields(Lore)}
    return {name: list(item) if isinstance(item, tuple) else item for name, item in value.items()}


def _read_lore(entry: Form) -> Lore:
    return Lore(
        content=checked_json.text(entry, "content"),
        keys=checked_json.texts(entry, "keys"),
        secondary_keys=checked_json.texts(entry, "secondary_keys"),
        is_enabled=checked_json.flag(entry, "is_enabled", default=True),
        is_constant=checked_json.flag(entry, "is_constant"),
        is_selective=checked_json.flag(entry, "is_selective"),
        is_case_sensitive=checked_json.flag(entry, "is_case_sensitive"),
        order=checked_json.number(entry, "order", default=100),
    )
