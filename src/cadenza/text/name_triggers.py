"""Which personas a text calls by a name or a trigger word, as whole words where the script has words.

Words in code, links, addresses and Discord's tags do not count. Han, kana and Hangul are written without spaces, so no
space is needed next to them or within them: ``蓮くん`` calls 蓮, ``Renさん`` calls Ren, ``Trent`` does not.
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
    """The keys of *words*, which has the triggers of each, that *text* calls; in order of appearance, each once.

    Of several words at one position the longest counts; a word that several share calls the first of them.
    """
    owners: dict[str, str] = {}
    for owner, theirs in words.items():
        for word in theirs:
            owners.setdefault(_folded(word), owner)
    owners.pop("", None)
    if not owners:
        return ()
    longest_first = sorted(owners, key=len, reverse=True)
    found = (word for prose in _prose_parts(_folded(text, is_text=True)) for word in _words(prose, longest_first))
    return tuple(dict.fromkeys(owners[word] for word in found))


def _folded(text: str, *, is_text: bool = False) -> str:
    """*text* for comparison: case-folded and normalised; a word also with single spaces."""
    folded = unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
    return folded if is_text else _BLANKS.sub(" ", folded).strip(" @")


def _prose_parts(text: str) -> Iterator[Prose]:
    if _BLOCK.search(text) is None:
        yield Prose.of(text)
        return
    for kind, block in blocks(text):
        if kind is not Kind.CODE:
            yield Prose.of(block)


def _words(prose: Prose, longest_first: list[str]) -> Iterator[str]:
    """The words in *prose*, without overlaps."""
    text, position = prose.text, 0
    pattern = re.compile("|".join(map(re.escape, longest_first)))
    while match := pattern.search(text, position):
        start = match.start()
        word = next((word for word in longest_first if _is_whole_word(word, prose, start)), None)
        if word is None:
            position = start + 1
        else:
            yield word
            position = start + len(word)


def _is_whole_word(word: str, prose: Prose, start: int) -> bool:
    """Whether *word* is at *start* as a whole word, in visible prose."""
    text, end = prose.text, start + len(word)
    return (
        text.startswith(word, start)
        and not _continues_before(text, start)
        and not _continues_after(text, end)
        and prose.is_free(start, end)
    )


def _continues_before(text: str, start: int) -> bool:
    """Whether the word at *start* began earlier, or is part of an address."""
    if not _is_letter(text[start]):
        return False
    before = start - 1
    while before >= 0 and text[before] == "_":  # it emphasises, or it joins
        before -= 1
    if before >= 0 and text[before] == "@":
        return before > 0 and _is_letter(text[before - 1])
    return before >= 0 and _is_letter(text[before])


def _continues_after(text: str, end: int) -> bool:
    """Whether the word continues after *end*, or begins an address."""
    if _is_mark(text[end : end + 1]):
        return True
    if not _is_letter(text[end - 1]):
        return False
    while text[end : end + 1] == "_":
        end += 1
    if text[end : end + 1] == "@":
        end += 1
    return _is_letter(text[end : end + 1])


def _is_unspaced(letter: str) -> bool:
    return _UNSPACED.match(letter) is not None


def _is_letter(letter: str) -> bool:
    """Whether *letter* is part of a word in a script with spaces."""
    return (letter.isalnum() or _is_mark(letter)) and not _is_unspaced(letter)


def _is_mark(letter: str) -> bool:
    """Whether *letter* only modifies or joins the one before: an accent, a vowel sign."""
    return bool(letter) and (letter in _JOINERS or unicodedata.category(letter)[0] == "M") and letter != "\ufe0f"
