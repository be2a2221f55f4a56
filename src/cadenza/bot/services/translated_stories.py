"""The story of a message in the language of whoever asks for it.

It is kept as ``cadenza explain`` tells it, in English: nobody knows beforehand who will ask. What a model, a provider, a
tool or an error said stays as it was said, and so do the names of settings and rules.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from .translated_sentences import retold

_BOOK = "stories"
_LINE = re.compile(r"(?P<time> *[0-9.]+ s  | {13}|)(?P<words>.*)", re.DOTALL)


def in_language(lines: Iterable[str], language: str) -> list[str]:
    """*lines* in *language*; what has no words there stays as it is."""
    return [_told(line, language) for line in lines]


def _told(line: str, language: str) -> str:
    found = _LINE.fullmatch(line)
    return line if found is None else found["time"] + retold(found["words"], language, _BOOK)
