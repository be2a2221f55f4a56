"""Where a sentence ends, and where it only seems to: abbreviations, numbers, initials, the marks of an enumeration."""

from __future__ import annotations

import re

from .units import SPACES, UNSPACED, WHITESPACE

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
        "figs",
        "eq",
        "eqs",
        "refs",
        "thm",
        "vols",
        "nos",
        "incl",
        "excl",
        "resp",
        "dept",
        "univ",
        "bzw",
        "usw",
        "ca",
        "nr",
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
_SOMETIMES = frozenset(
    [
        *("no", "may", "mar", "sat", "sun", "p", "us", "uk", "usa", "ussr", "eu", "ma"),
        *("art", "def", "ed", "est", "ex", "lem", "max", "min", "prop", "tab"),
    ]
)

# Before one of these a full-width stop is part of an ellipsis or of what a bracket encloses.
_KEEPS_FULL_WIDTH = frozenset("。．｡」』）》〉”’")

_ENUMERATION = re.compile(r"[a-zA-Z]|[ivx]{1,5}|[IVX]{1,5}|[一二三四五六七八九十百]{1,4}|\d{1,3}")
"""What may be counted with: a letter, a Roman or a Chinese number, a number."""
_BEFORE_ENUMERATION = re.compile(rf"(?:\A|[\n:;：；.!?。！？])[{SPACES}>*+(\[-]*+\Z")
_FAR_BACK = 200
"""How far before ``b.`` its ``a.`` is looked for."""
_WORD_BEFORE = re.compile(r"[\w.]+\Z")
_ET = re.compile(r"(?<!\w)et \Z")
_DOTTED = re.compile(r"(?:[^\W\d_]\.)+[^\W\d_]")
_CLOSERS = r"[)\"'\]」』》〉】）｣»›”’*_~|`]*"
_CLAUSE_END = re.compile(rf"[.!?。！？…．｡]+{_CLOSERS}|\n")
_ENDS_CLAUSE = re.compile(rf"[.!?。！？…．｡]{_CLOSERS}(?:\]\([^()\s]*\){_CLOSERS})?\Z")
_CLOSING = re.compile(rf"{_CLOSERS}(?:\]?\([^\n]*\){_CLOSERS})?")
_CLOSES_FORMULA = (" \\)", " \\]")

# A word that is no message. In scripts without spaces between words three letters may be a whole sentence.
_LONE_WORD = rf"(?:[{UNSPACED}]{{1,2}}+|(?:(?![{UNSPACED}])[\w'’-]){{1,20}}+)(?![\w'’-])"
_LONE = re.compile(rf"[{WHITESPACE}]*+[^\w{WHITESPACE}<:]*+{_LONE_WORD}[^\w{WHITESPACE}]*+[{WHITESPACE}]*+")
_LONGEST_LONE = 40
"""How far a lone word is looked for, with its marks and the space around it."""
_LONE_BEFORE = re.compile(
    rf"(?:\A|\n|[{re.escape(STOPS)}])[{SPACES}]*+(?:(?:[-*+•]|\d{{1,3}}[.)])[{SPACES}]++)?[*_~|\"“'(]*+{_LONE_WORD}{_CLOSERS}\Z"
)
_LONE_AFTER = re.compile(rf"[{SPACES}]*+[*_~|\"“'(]*+{_LONE_WORD}[.!?…。！？]*{_CLOSERS}[{SPACES}]*+(?:\n|\Z)")
_MAY_BE_LONE = re.compile(rf"[{SPACES}]*+[*_~|\"“'(]*+[\w{UNSPACED}'’-]*+[.!?…。！？]*{_CLOSERS}[{SPACES}]*+\Z")


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
    if text[index + 1 : index + 4] in _CLOSES_FORMULA:
        return False
    return not _is_short_form(text, index)


def is_lone_word(text: str, begin: int, end: int) -> bool:
    """Whether ``text[begin:end]`` is a single short word, with marks and space around it."""
    return end - begin < _LONGEST_LONE and _LONE.fullmatch(text, begin, end) is not None


def leaves_lone_word(text: str, index: int) -> bool:
    """Whether a message that ends with the stop at *index*, or the rest of its line after it, would be a single word."""
    if _LONE_AFTER.match(text, index + 1, min(len(text), index + _LONGEST_LONE)):
        return True
    lone = _LONE_BEFORE.search(text, max(0, index - _LONGEST_LONE), index)
    if lone is None:
        return False
    begin = lone.start()
    return text[begin] not in STOPS or ends_sentence(text, begin)


def may_leave_lone_word(text: str, index: int) -> bool:
    """Whether that depends on text after *text*."""
    return len(text) - index < _LONGEST_LONE and _MAY_BE_LONE.match(text, index + 1) is not None


def ends_with_stop(sentence: str) -> bool:
    """Whether *sentence* ends with a stop that is only that: no ellipsis, no ``p.m.``."""
    if sentence[-1:] in FULL_WIDTH_STOPS:
        return bool(sentence) and sentence[-2:-1] not in ("。", "．", "｡")
    if not sentence.endswith(".") or sentence.endswith(".."):
        return False
    return not _is_dotted(*_word_before(sentence, len(sentence) - 1)) and not _ENUMERATION.fullmatch(sentence[:-1])


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
    if word == "al" and _ET.search(text, max(0, index - 6), index - 2):
        return True
    return _is_dotted(word, before) or _is_enumeration(text, index, word)


def _is_enumeration(text: str, index: int, word: str) -> bool:
    """Whether *word* before the stop at *index* counts what follows: ``a.``, ``iv.``, ``一.``."""
    if not _ENUMERATION.fullmatch(word):
        return False
    begin = index - len(word)
    if _BEFORE_ENUMERATION.search(text, max(0, begin - 16), begin):
        return True
    return len(word) == 1 and f" {chr(ord(word) - 1)}. " in text[max(0, begin - _FAR_BACK) : begin]


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
