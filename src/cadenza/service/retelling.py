"""Sentences that have their values in them already, in another language.

Whoever refuses something says so in English, once, and need not know who reads it. So a sentence is known again by what
stands around its values, which are put into the sentence that stands for it: in ``languages/ja/sentences/*.po``, a book
for each who says them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from .languages import SOURCE, VALUE, filled
from .languages.catalogues import read

_LONGEST = 20_000
"""Characters of a sentence that is looked at; there is none of ours that is longer."""
_TOLD = frozenset(
    {"why", "hint", "called", "boundary", "effect", "reason", "outcome", "change", "keep", "cure", "kind", "model"}
)
"""Values that are said in words of ours, which have an entry of their own."""
_COMMA = ", "
_LISTS: Mapping[str, str] = MappingProxyType({"sizes": _COMMA, "added": _COMMA, "waits": _COMMA, "pauses": " and "})
"""Values that are several such, and what stands between them."""
_SHAPES: Mapping[str, str] = MappingProxyType(
    {"secs": r"[0-9.]+", "num": "[0-9]+", "rule": r"\S+", "effect": r"\w+", "json": r'"(?:[^"\\]|\\.)*(?:"|…)'}
)
"""Values that look like something, by the first part of their names; all others may be anything."""


def retold(text: str, language: str, book: str) -> str:
    """*text* in *language*, if it is in the catalogue called *book*; what is not there stays as it is."""
    if language == SOURCE or len(text) > _LONGEST:
        return text
    for template, pattern in _patterns(language, book):
        if found := pattern.fullmatch(text):
            values = {name: _value(name, value, language, book) for name, value in found.groupdict().items()}
            return filled(book_of(language, book)[template], values)
    return text


def _value(name: str, value: str, language: str, book: str) -> str:
    if name in _LISTS:
        between = book_of(language, book).get(_COMMA, _COMMA)
        return between.join(retold(one, language, book) for one in value.split(_LISTS[name]))
    return retold(value, language, book) if name in _TOLD else value


@cache
def book_of(language: str, name: str) -> Mapping[str, str]:
    """What stands for each sentence of a book in *language*."""
    file = files("cadenza.service.languages") / language / "sentences" / f"{name}.po"
    return MappingProxyType(read(file.read_text(encoding="utf-8")))


@cache
def _patterns(language: str, book: str) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """How each sentence of a book is known again; first those that say the most by themselves."""
    templates = sorted(book_of(language, book), key=lambda text: len(VALUE.sub("", text)), reverse=True)
    return tuple((text, re.compile("".join(_parts(text)), re.DOTALL)) for text in templates)


def _parts(template: str) -> Iterator[str]:
    for number, part in enumerate(VALUE.split(template)):
        yield f"(?P<{part}>{_SHAPES.get(part.partition('_')[0], '.*?')})" if number % 2 else re.escape(part)
