"""Where a sentence ends, and where it only seems to: abbreviations, numbers, initials."""

from __future__ import annotations

import re

from .units import WHITESPACE

FULL_WIDTH_STOPS = "。．｡"
"""These end a sentence whatever follows."""

STOPS = "." + FULL_WIDTH_STOPS
"""Every mark that can end a sentence at degree 3."""

# Always abbreviations: hardly ever the last word of a sentence.
_ABBREVIATIONS = frozenset(
    [
        "mr",
        "mrs",
        "ms",
        "dr",
        "prof",
        "rev",
        "fr",
        "sr",
        "jr",
        "inc",
        "ltd",
        "co",
        "corp",
        "llc",
        "vs",
        "etc",
        "e.g",
        "eg",
        "i.e",
        "ie",
        "cf",
        "viz",
        "ibid",
        "phd",
        "md",
        "ba",
        "bs",
        "jd",
        "dds",
        "st",
        "ave",
        "blvd",
        "rd",
        "ln",
        "ct",
        "pl",
        "vol",
        "fig",
        "ref",
        "pp",
        "ch",
        "sec",
        "jan",
        "feb",
        "apr",
        "jun",
        "jul",
        "aug",
        "sep",
        "sept",
        "oct",
        "nov",
        "dec",
        "mon",
        "tue",
        "wed",
        "thu",
        "fri",
        "a.k.a",
        "aka",
        "approx",
        "sra",
        "srta",
        "sres",
        "dra",
        "mme",
        "mlle",
        "т.е",
        "т.д",
        "т.п",
        "ул",
    ]
)
# Also ordinary words or names: abbreviations only before a digit or a lower-case letter (``no. 5``, ``Sat. at noon``).
_SOMETIMES = frozenset(["no", "may", "mar", "sat", "sun", "p", "us", "uk", "usa", "ussr", "eu", "ma"])

# Before one of these a full-width stop is part of an ellipsis or of what a bracket encloses.
_KEEPS_FULL_WIDTH = frozenset("。．｡」』）》〉”’")

_LIST_NUMBER = re.compile(r"\d{1,3}\.")
_WORD_BEFORE = re.compile(r"[\w.]+\Z")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_CLOSERS = r"[)\"'\]」』》〉】）｣»›”’*_~|`]*"
_CLAUSE_END = re.compile(rf"[.!?。！？…．｡]+{_CLOSERS}|\n")
_ENDS_CLAUSE = re.compile(rf"[.!?。！？…．｡]{_CLOSERS}(?:\]\([^()\s]*\){_CLOSERS})?\Z")
_CLOSING = re.compile(rf"{_CLOSERS}(?:\]?\([^\n]*\){_CLOSERS})?")


def ends_sentence(text: str, index: int) -> bool:
    """Whether the stop at *index* ends a sentence; the character after it must be known or not exist."""
    after = text[index + 1 : index + 2]
    if text[index] in FULL_WIDTH_STOPS:
        return after not in _KEEPS_FULL_WIDTH and (not index or text[index - 1] not in FULL_WIDTH_STOPS)
    if after and after not in WHITESPACE:
        return False
    before = text[index - 1] if index else ""
    if before == "." or before.isdigit():
        return False
    return not _is_short_form(text, index)


def ends_with_stop(sentence: str) -> bool:
    """Whether *sentence* ends with a stop that is only that: no ellipsis, no ``p.m.``."""
    if sentence[-1:] in FULL_WIDTH_STOPS:
        return bool(sentence) and sentence[-2:-1] not in ("。", "．", "｡")
    if not sentence.endswith(".") or sentence.endswith(".."):
        return False
    return not _is_dotted(*_word_before(sentence, len(sentence) - 1)) and not _LIST_NUMBER.fullmatch(sentence)


def _word_before(text: str, index: int) -> tuple[str, str]:
    """The word before the stop at *index*, with the stops inside it, and the character before that."""
    match = _WORD_BEFORE.search(text, max(0, index - 16), index)
    if match is None:
        return "", ""
    return match.group().lstrip("."), text[match.start() - 1 : match.start()]


def _is_short_form(text: str, index: int) -> bool:
    word, before = _word_before(text, index)
    for form in (word.lower(), word.rpartition(".")[2].lower()):
        if form in _ABBREVIATIONS:
            return True
        if form in _SOMETIMES:
            after = text[index + 1 : index + 3].strip(WHITESPACE)[:1]
            return after.isdigit() or after.islower()
    return _is_dotted(word, before)


def _is_dotted(word: str, before: str) -> bool:
    """Whether *word* is an initial (J. R. Smith) or a dotted form (U.S., p.m.), but not the word "I" or an address."""
    if len(word) == 1:
        return word.isupper() and word != "I"
    return before != "/" and _DOTTED.fullmatch(word) is not None


def is_whole(text: str) -> bool:
    """Whether *text* ends like a clause, closing marks included."""
    return _ENDS_CLAUSE.search(text) is not None


def closes(text: str) -> bool:
    """Whether *text* only closes what precedes it: quotes, brackets, emphasis, code, a link."""
    return _CLOSING.fullmatch(text) is not None


def clause_ends(text: str) -> list[int]:
    """Every index after which a clause is whole, closing marks included, from the last to the first."""
    found = []
    for match in _CLAUSE_END.finditer(text):
        mark = match.group()
        if mark == "\n" or mark[0] != "." or mark.startswith("..") or _plain_stop(text, match):
            found.append(match.end())
    found.reverse()
    return found


def _plain_stop(text: str, match: re.Match[str]) -> bool:
    end = match.end()
    if end < len(text) and text[end] not in WHITESPACE:
        return False
    stop = match.start()
    if end == stop + 1:
        return ends_sentence(text, stop)
    # Judge the stop as if the space followed directly: the closing marks belong to it.
    near = text[max(0, stop - 20) : stop + 1]
    return ends_sentence(near, len(near) - 1)
