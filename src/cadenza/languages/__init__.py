"""Translations: gettext catalogues, one folder per language.

A sentence is looked up by its English. ``ja/**/*.po`` hold the translations; a missing one falls back to English. Values
are inserted afterwards by name, so a translation may reorder them.

A catalogue that exists in ``en/`` too has keys such as ``starts.reply`` instead of sentences; ``named`` reads it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from importlib.resources.abc import Traversable
from types import MappingProxyType

from ..errors import Sentence, filled
from .catalogues import read

__all__ = ["SOURCE", "catalogue", "chosen", "languages", "named", "rendered", "translated"]

SOURCE = "en"
"""The language that the texts are written in."""


@cache
def catalogue(language: str) -> Mapping[str, str]:
    """The translations of sentences for *language*; empty for an unknown one."""
    texts: dict[str, str] = {}
    keyed = dict(_files(SOURCE))
    for name, file in _files(language):
        if name not in keyed:
            texts |= read(file.read_text(encoding="utf-8"))
    return MappingProxyType(texts)


@cache
def named(language: str, name: str) -> Mapping[str, str]:
    """The texts of the catalogue *name* in *language*, by key; English where there is no translation."""
    texts: dict[str, str] = {}
    for file in (dict(_files(SOURCE)).get(name), dict(_files(language)).get(name)):
        texts |= read(file.read_text(encoding="utf-8")) if file else {}
    return MappingProxyType(texts)


def languages() -> tuple[str, ...]:
    """All available languages, the source first."""
    others = {folder.name for folder in files(__package__).iterdir() if folder.is_dir() and catalogue(folder.name)}
    return (SOURCE, *sorted(others - {SOURCE}))


def translated(text: str, language: str, /, **values: object) -> str:
    """*text* in *language*, such as ``ja`` or Discord's ``en-GB``, with *values* inserted for ``{name}``."""
    found = catalogue(language.partition("-")[0].lower()).get(text) or text
    return filled(found, values) if values else found


def rendered(text: str, language: str) -> str:
    """*text* in *language*: a ``Sentence`` with its values, and the sentences among them; other text if it is known."""
    if not isinstance(text, Sentence):
        return translated(text, language)
    return translated(text.template, language, **{name: _said(value, language) for name, value in text.values.items()})


def _said(value: object, language: str) -> object:
    match value:
        case Sentence():
            return rendered(value, language)
        case tuple():
            return translated(", ", language).join(str(_said(one, language)) for one in value)
        case _:
            return value


def chosen(*wishes: str | None) -> str:
    """The first of *wishes* that has a catalogue, else the source language."""
    known = languages()
    return next((wish for wish in _bases(wishes) if wish in known), SOURCE)


def _bases(wishes: Iterable[str | None]) -> Iterable[str]:
    return (wish.partition("-")[0].lower() for wish in wishes if wish)


def _files(language: str) -> Iterator[tuple[str, Traversable]]:
    """The catalogues of *language* by name, such as ``stop`` or ``page/words``; none for an unknown language."""
    folder = files(__package__) / language
    if language.isalpha() and folder.is_dir():
        yield from _inside(folder, "")


def _inside(folder: Traversable, path: str) -> Iterator[tuple[str, Traversable]]:
    for file in sorted(folder.iterdir(), key=lambda file: file.name):
        if file.is_dir():
            yield from _inside(file, f"{path}{file.name}/")
        elif file.name.endswith(".po"):
            yield path + file.name.removesuffix(".po"), file
