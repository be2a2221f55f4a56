"""Translates the explanation of a message for the person who asks.

It is stored in English, as ``cadenza explain`` prints it: the reader's language is not known beforehand. The words of a
model, a provider, a tool or an error stay as they are, and so do the names of settings and rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .translated_sentences import retold

_BOOK = "stories"
_LINE = re.compile(r"(?P<time> *[0-9.]+ s  | {13}|)(?P<words>.*)", re.DOTALL)


def in_language(lines: Iterable[str], language: str) -> list[str]:
    """*lines* in *language*; unknown sentences stay as they are."""
    return [_translated(line, language) for line in lines]


def _translated(line: str, language: str) -> str:
    found = _LINE.fullmatch(line)
    return line if found is None else found["time"] + retold(found["words"], language, _BOOK)
