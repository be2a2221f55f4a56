"""What the bot itself says to people, in their language: catalogues as gettext's, one folder a language.

A text is known by its English. ``ja/*.po`` hold what stands for it; what is not there is said in English. Values are
put in afterwards, by name, so that a translation may order them as it likes.
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
"""Where something is put into a text, by its name."""


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """What stands for each text in *language*; nothing if there is no such language."""
    folder = files(__package__) / language
    texts: dict[str, str] = {}
    if language.isalpha() and folder.is_dir():
        for file in sorted(folder.iterdir(), key=lambda file: file.name):
            if file.name.endswith(".po"):
                texts |= read(file.read_text(encoding="utf-8"))
    return MappingProxyType(texts)


def languages() -> tuple[str, ...]:
    """All languages that there are, the source first."""
    others = (folder.name for folder in files(__package__).iterdir() if folder.is_dir() and catalogue(folder.name))
    return (SOURCE, *sorted(others))


def translated(text: str, language: str, /, **values: object) -> str:
    """*text* in *language*, such as ``ja`` or Discord's ``en-GB``, with *values* put in for ``{name}``."""
    found = catalogue(language.partition("-")[0].lower()).get(text) or text
    return filled(found, values) if values else found


def filled(text: str, values: Mapping[str, object]) -> str:
    """*text* with *values* in their places, all at once: what somebody typed may look like the name of another."""
    return VALUE.sub(lambda place: str(values.get(place[1], place[0])), text)


def chosen(*wishes: str | None) -> str:
    """The first of *wishes* that there is a catalogue for; the source if there is none."""
    known = languages()
    return next((wish for wish in _bases(wishes) if wish in known), SOURCE)


def _bases(wishes: Iterable[str | None]) -> Iterable[str]:
    return (wish.partition("-")[0].lower() for wish in wishes if wish)
