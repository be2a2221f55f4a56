"""Notices of the pipeline, such as that a model could not answer, in the language of a server.

The pipeline speaks English, and puts its values in itself; so a sentence is known again by what stands around them.
What a provider or an error of ours said stays as it was said.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache

from ...replies.notices import TEXTS
from ...types import Notice
from .languages import SOURCE, translated

_VALUE = re.compile(r"\{(\w+)\}")


def reworded(notice: Notice, language: str) -> Notice:
    """*notice* in *language*, as far as its words are known."""
    if language == SOURCE:
        return notice
    return replace(
        notice,
        title=translated(notice.title, language),
        text=_retold(notice.text, language),
        tips=tuple(translated(tip, language) for tip in notice.tips),
    )


def _retold(text: str, language: str) -> str:
    """*text* with its first sentence in *language*; what follows it are the words of others."""
    for template, pattern in _patterns():
        if found := pattern.match(text):
            rest = text[found.end() :]
            return translated(template, language, **found.groupdict()) + rest
    return translated(text, language)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """How each sentence of the pipeline is known again; the longest first, for one may begin as another does."""
    sentences = sorted((text for name, text in TEXTS.items() if name.endswith(".text")), key=len, reverse=True)
    return tuple((text, re.compile("".join(_parts(text)) + r"\.", re.DOTALL)) for text in sentences)


def _parts(template: str) -> Iterator[str]:
    for number, part in enumerate(_VALUE.split(template)):
        if number % 2:
            yield f"(?P<{part}>.+?)"
        elif number == 0 and part:
            yield f"(?i:{re.escape(part[0])}){re.escape(part[1:])}"  # a sentence has a capital
        else:
            yield re.escape(part)
