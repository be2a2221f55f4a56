"""Translations of the bot's own texts: gettext catalogues, one folder per language.

A text is looked up by its English. ``ja/*.po`` hold the translations; a missing one falls back to English. Values are
inserted afterwards by name, so a translation may reorder them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from .catalogues import read

SOURCE = "en"
"""The language that the texts are written in."""
VALUE = re.compile(r"\{(\w+)\}")
"""A placeholder in a text."""


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The translations for *language*; empty for an unknown one."""
    folder = files(__package__) / language
    texts: dict[str, str] = {}
    if language.isalpha() and folder.is_dir():
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".po"):
                texts |= read(file.read_text(encoding="utf-8"))
    return MappingProxyType(texts)


def languages() -> tuple[str, ...]:
    """All available languages, the source first."""
    others = (folder.name for folder in files(__package__).iterdir() if folder.is_dir() and catalogue(folder.name))
    return (SOURCE, *sorted(others))


def translated(text: str, language: str, /, **values: object) -> str:
    """*text* in *language*, such as ``ja`` or Discord's ``en-GB``, with *values* inserted for ``{name}``."""
    found = catalogue(language.partition("-")[0].lower()).get(text) or text
    return filled(found, values) if values else found


def filled(text: str, values: Mapping[str, object]) -> str:
    """*text* with all *values* inserted in one pass, as a value may itself look like a placeholder."""
    return VALUE.sub(lambda place: str(values.get(place[1], place[0])), text)


def chosen(*wishes: str | None) -> str:
    """The first of *wishes* that has a catalogue, else the source language."""
    known = languages()
    return next((wish for wish in _bases(wishes) if wish in known), SOURCE)


def _bases(wishes: Iterable[str | None]) -> Iterable[str]:
    return (wish.partition("-")[0].lower() for wish in wishes if wish)
