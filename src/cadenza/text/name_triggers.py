"""Who is called in a text: names and other words, as whole words where a script has words.

A word in code, in a link, an address or one of Discord's tags calls nobody. Han, kana and Hangul are written without
spaces, so next to them, and within them, no space is needed: ``蓮くん`` calls 蓮, ``Renさん`` calls Ren, ``Trent`` does not.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping

from ..types import Kind
from .blocks import blocks
from .prose import Prose
from .units import UNSPACED, WHITESPACE

_BLANKS = re.compile(f"[{WHITESPACE}]+")
_UNSPACED = re.compile(f"[{UNSPACED}]")
_BLOCK = re.compile(r"```|~~~")
_JOINERS = frozenset("\u200c\u200d")


def called(text: str, words: Mapping[str, Iterable[str]]) -> tuple[str, ...]:
    """Those of whom *words* tells what calls them that are called in *text*, in the order of appearance, each once.

    Where several words begin at one place, the longest counts; a word that several share calls the first of them.
    """
    owners: dict[str, str] = {}
    for owner, theirs in words.items():
        for word in theirs:
            owners.setdefault(_folded(word), owner)
    owners.pop("", None)
    if not owners:
        return ()
    longest_first = sorted(owners, key=len, reverse=True)
    found = (word for prose in _proses(_folded(text, is_text=True)) for word in _words(prose, longest_first))
    return tuple(dict.fromkeys(owners[word] for word in found))


def _folded(text: str, *, is_text: bool = False) -> str:
    """*text* as it is compared: in one case, accents in one way of writing them; a word also with single spaces."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return folded if is_text else _BLANKS.sub(" ", folded).strip(" @")


def _proses(text: str) -> Iterator[Prose]:
    if _BLOCK.search(text) is None:
        yield Prose.of(text)
        return
    for kind, block in blocks(text):
        if kind is not Kind.CODE:
            yield Prose.of(block)


def _words(prose: Prose, longest_first: list[str]) -> Iterator[str]:
    """The words in *prose*, none within another."""
    text, position = prose.text, 0
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    while match := pattern.search(text, position):
        start = match.start()
        word = next((word for word in longest_first if _stands(word, prose, start)), None)
        if word is None:
            position = start + 1
        else:
            yield word
            position = start + len(word)


def _stands(word: str, prose: Prose, start: int) -> bool:
    """Whether *word* stands at *start*, as a whole, where people read it."""
    text, end = prose.text, start + len(word)
    return (
        text.startswith(word, start)
        and not _goes_on_before(text, start)
        and not _goes_on_behind(text, end)
        and prose.is_free(start, end)
    )


def _goes_on_before(text: str, start: int) -> bool:
    """Whether the word that *start* is in began before it, or an address did."""
    if not _is_letter(text[start]):
        return False
    before = start - 1
    while before >= 0 and text[before] == "_":  # it emphasises, or it joins
        before -= 1
    if before >= 0 and text[before] == "@":
        return before > 0 and _is_letter(text[before - 1])
    return before >= 0 and _is_letter(text[before])


def _goes_on_behind(text: str, end: int) -> bool:
    """Whether the word that ends at *end* does not end there, or is the beginning of an address."""
    if _is_mark(text[end : end + 1]):
        return True
    if not _is_letter(text[end - 1]):
        return False
    while text[end : end + 1] == "_":
        end += 1
    if text[end : end + 1] == "@":
        end += 1
    return _is_letter(text[end : end + 1])


def _is_unspaced(delivery: str) -> bool:
    return _UNSPACED.match(delivery) is not None


def _is_letter(delivery: str) -> bool:
    """Whether *delivery* is part of a word of a script that has words."""
    return (delivery.isalnum() or _is_mark(delivery)) and not _is_unspaced(delivery)


def _is_mark(delivery: str) -> bool:
    """Whether *delivery* only changes or joins the one before: an accent, a vowel sign."""
    return (
        bool(delivery) and (delivery in _JOINERS or unicodedata.category(delivery)[0] == "M") and delivery != "\ufe0f"
    )
