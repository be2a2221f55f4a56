"""Translates sentences that have their values inserted already.

Errors are raised in English, without knowing the reader. So a sentence is recognised by the text around its values, which
are inserted into its translation from ``languages/ja/sentences/*.po``, one catalogue ("book") for each source.

A value stays as it is, with two exceptions: if the book has entries with the value's name as context, it is translated
with those; and a value called ``sentence`` is a sentence of the book itself.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType

from .languages import SOURCE, VALUE, filled
from .languages.catalogues import CONTEXT, read

_LONGEST = 20_000
"""Characters of a sentence that is looked at; none of ours is longer."""
_DEEPEST = 3
"""How deep sentences may be nested."""
_SENTENCE = "sentence"
_COMMA = ", "
_LISTS: Mapping[str, str] = MappingProxyType({"sizes": _COMMA, "added": _COMMA, "waits": _COMMA, "pauses": " and "})
"""Values that are lists, and their separators."""
_WORDS = r"[\w ]*"
_SHAPES: Mapping[str, str] = MappingProxyType(
    {
        "secs": r"[0-9.]+",
        **dict.fromkeys(("num", "number", "count", "least", "most", "size"), "[0-9]+"),
        "rule": r"\S+",
        "tool": r"\S*",
        "effect": r"\w+",
        "json": r'"(?:[^"\\]|\\.)*(?:"|…)',
        "quote": r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*\"""",
        "why": "[^()]*",
        "reason": _WORDS,
        "cure": _WORDS,
        "start": _WORDS,
        "boundary": _WORDS,
        "keep": _WORDS,
    }
)
"""Patterns for values, by the first part of their names; other values may be anything."""


def retold(text: str, language: str, book: str) -> str:
    """*text* in *language*, if the catalogue *book* has it; else *text*."""
    return text if language == SOURCE or len(text) > _LONGEST else _opened(language, book).told(text)


@cache
def book_of(language: str, name: str) -> Mapping[str, str]:
    """The translations of a book in *language*; the key of a sentence part begins with its context."""
    file = files("cadenza.bot.services.languages") / language / "sentences" / f"{name}.po"
    return MappingProxyType(read(file.read_text(encoding="utf-8")))


class _Book:
    """A compiled book: patterns and translations by context, those with the most fixed text first."""

    def __init__(self, language: str, name: str) -> None:
        self._known: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        texts = book_of(language, name)
        for key in sorted(texts, key=lambda text: len(VALUE.sub("", text.rpartition(CONTEXT)[2])), reverse=True):
            context, _, template = key.rpartition(CONTEXT)
            self._known.setdefault(context, []).append((re.compile(_pattern(template), re.DOTALL), texts[key]))
        self._comma = texts.get(f"list{CONTEXT}{_COMMA}", _COMMA)

    def told(self, text: str, context: str = "", deep: int = 0) -> str:
        """The translation of *text*, which is nested *deep* levels."""
        for pattern, translation in self._known.get(context, ()):
            if found := pattern.fullmatch(text):
                values = {name: self._value(name, value, deep + 1) for name, value in found.groupdict().items()}
                return filled(translation, values)
        return text

    def _value(self, name: str, value: str, deep: int) -> str:
        if deep > _DEEPEST:
            return value
        if name in _LISTS:
            return self._comma.join(self.told(one, name, deep) for one in value.split(_LISTS[name]))
        if name == _SENTENCE:
            return self.told(value, deep=deep)
        return self.told(value, name, deep) if name in self._known else value


@cache
def _opened(language: str, name: str) -> _Book:
    return _Book(language, name)


def _pattern(template: str) -> str:
    """The pattern that recognises a sentence."""
    head, *parts = VALUE.split(template)
    names, after = parts[::2], parts[1::2]
    values = map(_value, names, map(re.escape, after), [*names[1:], ""])
    return re.escape(head) + "".join(values)


def _value(name: str, after: str, following: str) -> str:
    """The pattern for a value and the text *after* it; *following* is the next value."""
    shape = _shape(name)
    found = f"(?P<{name}>{shape or '.*?'}){after}"
    # Of two values that may be anything, the first ends as soon as it can: atomic, as backtracking would be slow.
    return f"(?>{found})" if following and not shape and not _shape(following) else found


def _shape(name: str) -> str:
    return _SHAPES.get(name.partition("_")[0], "")
