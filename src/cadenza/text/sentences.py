"""Where a sentence ends, and where it only looks so: abbreviations, numbers, initials."""

from __future__ import annotations

import re

from .units import WHITESPACE

FULL_WIDTH_STOPS = "。．｡"
"""These end a sentence whatever follows."""

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
        "dds",
        "st",
        "ave",
        "blvd",
        "rd",
        "vol",
        "fig",
        "ref",
        "pp",
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
        "usu",
        "est",
        "dept",
        "ca",
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
# Also ordinary words: abbreviations only with a digit behind (``no. 5``, ``p. 12``).
_SOMETIMES = frozenset(["no", "may", "mar", "sat", "sun", "p", "ch", "ct", "pl", "ln"])

# Next to one of these a full-width stop is part of an ellipsis or of what a bracket encloses.
_KEEPS_FULL_WIDTH = frozenset("。．｡」』）》〉”’")

_WORD_BEFORE = re.compile(r"[\w.]+\Z")
_CLAUSE_END = re.compile(r"[.!?。！？…．｡]+[)\"'\]」』》】”’*_~|]*|\n")


def ends_sentence(text: str, index: int) -> bool:
    """Whether the stop at *index* ends a sentence; the character after it must be known or not exist."""
    after = text[index + 1 : index + 2]
    if text[index] in FULL_WIDTH_STOPS:
        around = text[index - 1 : index] + after if index else after
        return not any(mark in _KEEPS_FULL_WIDTH for mark in around)
    if after and after not in WHITESPACE:
        return False
    before = text[index - 1 : index]
    if not before or before == "." or before.isdigit():
        return False
    match = _WORD_BEFORE.search(text, max(0, index - 16), index)
    word = match.group() if match else ""
    return not _is_short_form(word, text[index + 1 : index + 3])


def _is_short_form(word: str, following: str) -> bool:
    lower = word.lower()
    if lower in _ABBREVIATIONS:
        return True
    if lower in _SOMETIMES:
        return following.strip(WHITESPACE)[:1].isdigit()
    # An initial (J. R. Smith) or a dotted form (U.S., p.m.) but not the word "I".
    return (len(word) == 1 and word.isupper() and word != "I") or (len(word) >= 3 and word[-2] == ".")


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
    # Judge the stop as if nothing stood between it and the space: the closing marks belong to it.
    near = text[max(0, stop - 20) : stop + 1]
    return ends_sentence(near, len(near) - 1)
