"""Sentences that have their values in them already, in another language.

Whoever refuses something says so in English, once, and need not know who reads it. So a sentence is known again by what
stands around its values, which are put into the sentence that stands for it: in ``languages/ja/sentences/*.po``, a book
for each who says them.

A value stays as it is: it is what somebody else said. Only if the book has entries with its name as their context is it
one of those, and only one of those; and a value called ``sentence`` is a sentence of the book itself.
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
"""Characters of a sentence that is looked at; there is none of ours that is longer."""
_DEEPEST = 3
"""Sentences of ours within one another; more are somebody's who writes as we do."""
_SENTENCE = "sentence"
_COMMA = ", "
_LISTS: Mapping[str, str] = MappingProxyType({"sizes": _COMMA, "added": _COMMA, "waits": _COMMA, "pauses": " and "})
"""Values that are several such, and what stands between them."""
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
        "boundary": _WORDS,
        "keep": _WORDS,
    }
)
"""Values that look like something, by the first part of their names; all others may be anything."""


def retold(text: str, language: str, book: str) -> str:
    """*text* in *language*, if it is in the catalogue called *book*; what is not there stays as it is."""
    return text if language == SOURCE or len(text) > _LONGEST else _opened(language, book).told(text)


@cache
def book_of(language: str, name: str) -> Mapping[str, str]:
    """What stands for each sentence of a book in *language*; what stands only within others has its context in front."""
    file = files("cadenza.bot.services.languages") / language / "sentences" / f"{name}.po"
    return MappingProxyType(read(file.read_text(encoding="utf-8")))


class _Book:
    """A book that is open: for each context how its sentences are known, first those that say the most by themselves."""

    def __init__(self, language: str, name: str) -> None:
        self._known: dict[str, list[tuple[re.Pattern[str], str]]] = {}
        texts = book_of(language, name)
        for key in sorted(texts, key=lambda text: len(VALUE.sub("", text.rpartition(CONTEXT)[2])), reverse=True):
            context, _, template = key.rpartition(CONTEXT)
            self._known.setdefault(context, []).append((re.compile(_pattern(template), re.DOTALL), texts[key]))
        self._comma = texts.get(f"list{CONTEXT}{_COMMA}", _COMMA)

    def told(self, text: str, context: str = "", deep: int = 0) -> str:
        """What stands for *text*, which is *deep* within others."""
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
    """How a sentence is known again."""
    head, *parts = VALUE.split(template)
    names, behind = parts[::2], parts[1::2]
    values = map(_value, names, map(re.escape, behind), [*names[1:], ""])
    return re.escape(head) + "".join(values)


def _value(name: str, behind: str, following: str) -> str:
    """What may stand for a value, and *behind* it; *following* is the value that comes then."""
    shape = _shape(name)
    found = f"(?P<{name}>{shape or '.*?'}){behind}"
    # Of two that may be anything, the first ends as soon as it can: other places take long to try, and there is none.
    return f"(?>{found})" if following and not shape and not _shape(following) else found


def _shape(name: str) -> str:
    return _SHAPES.get(name.partition("_")[0], "")
