"""What a line of Markdown is: an item of a list, a quote, a heading, a title, code without a fence, or text."""

from __future__ import annotations

import re
from enum import Enum, auto
from typing import NamedTuple

from .units import WHITESPACE

LONE_PUNCTUATION = re.compile(rf"[{WHITESPACE}]*[.,!?;:。！？、，]+[{WHITESPACE}]*")
"""A line that is nothing but marks, which belong to the line before it."""


class LineSort(Enum):
    """What a line is."""

    TEXT = auto()
    BLANK = auto()
    ITEM = auto()
    """It begins an item of a list."""
    INDENTED = auto()
    """It is indented as far as the text of an item."""
    QUOTE = auto()
    TITLE = auto()
    """A heading, a line all bold, or one without any word: it belongs to what follows."""
    CODE = auto()
    """It looks like code, though no fence is around it."""


class SortedLine(NamedTuple):
    """What a line is, and how far it is indented."""

    sort: LineSort
    indent: int = 0


LINE_MARKS = re.compile(
    r"(?P<quote>[ \t]{0,8}(?:>>>[ \t]|(?:>[ \t]?){1,4}|-?#{1,3}[ \t]))?(?P<list>[ \t]{0,20}(?:[-*+•]|\d{1,3}[.)])[ \t]+)?"
)
"""How a line begins that is a quote, a heading, subtext or an item of a list. It matches every line."""
_TAB = 4
_ITEM = re.compile(r"(?:[-*+•‣◦]|\d{1,9}[.)])(?:[ \t]+|$)")
_HEADING = re.compile(r"#{1,6} ")
_BOLD = re.compile(r"[^\w\s*_]{0,4}\s?(?P<mark>\*\*|__)(?![\s*_])(?P<title>(?:(?!(?P=mark)).){1,120})(?P=mark)\s*:?")
_WORD = re.compile(r"\w|[\u00a9-\u3300\U0001f000-\U0001faff]")
_LEAD_IN = re.compile(r"[:：][*_~|)]{0,4}\Z")
_CODE = re.compile(
    r"(?:(?:async )?def \w+\(|class \w+.{0,80}:$|(?:el)?if .{1,200}:$|else:$|try:$|except.{0,80}:$|(?:for|while|with) .{1,200}:$"
    r"|import [\w.]+(?: as \w+)?$|from [\w.]+ import [\w, *()]+$|#include ?[<\"]|using [\w.]+;|@\w+[\w.]*(?:\(.*\))?$"
    r"|(?:public|private|protected|static|final|func|fn|function|const|let|var|int|void|double|float|string|bool|auto)\b.*[;{(=]"
    r"|[\w.\[\]\"']{1,60} ?[-+*/]?= ?(?:\S.*)?[\w)\]}\"';]$|[\w.]{1,60}\(.*\);?$|return\b.{0,200};?$"
    r"|[\])}]+[;,)]*$|.{0,200}[{};]$|//|/\*|<\?php|<!DOCTYPE|</?\w+[^>]*>$|\$ \w)"
)
_KEYWORDS = ("import ", "from ", "return")
"""What code begins with that has no sign."""
_ENDS_PROSE = frozenset([*".!?。！？", ""])
_VERSE_ENDS = (*",;，；、—–\\", "  ")
_STOPS = frozenset(".!?…。！？:：")
_AFTER_STOP = "\"'”’»)*_~"
_LONGEST_TITLE = 60
_LONGEST_VERSE = 80
_LOOK = 400
"""How much of a line is looked at: a longer one is text."""

TEXT_LINE = SortedLine(LineSort.TEXT)
"""Text without an indent, as most lines are."""
BLANK_LINE = SortedLine(LineSort.BLANK)
_CODE_LINE, _ITEM_LINE = SortedLine(LineSort.CODE), SortedLine(LineSort.ITEM)


def sort_line(line: str) -> SortedLine:
    """What *line* is, its line end aside."""
    if line[:1].isalpha():  # most lines
        return _CODE_LINE if _may_be_code(line) and looks_like_code(line) else TEXT_LINE
    core = line.lstrip(" \t")
    if not core or core in ("\n", "\r\n") or core.isspace():
        return BLANK_LINE
    indent = 0
    if core is not line and len(core) < len(line):
        indent = len(line[: len(line) - len(core)].expandtabs(_TAB))
    if core.startswith("||"):
        core = core[2:] or core  # a spoiler may begin with a list
    first = core[0]
    if first == ">":
        return SortedLine(LineSort.QUOTE, indent)
    if (first in "-*+•‣◦" or first.isdigit()) and _ITEM.match(core):
        return SortedLine(LineSort.ITEM, indent) if indent else _ITEM_LINE
    if _is_title(core):
        return SortedLine(LineSort.TITLE, indent)
    if indent >= 2:
        return SortedLine(LineSort.INDENTED, indent)
    return SortedLine(LineSort.CODE if looks_like_code(core) else LineSort.TEXT, indent)


def _is_title(core: str) -> bool:
    if core[0] == "#":
        return _HEADING.match(core) is not None
    if core[0].isalnum() or len(core) > _LOOK:
        return False
    core = core.rstrip(WHITESPACE)
    return (("**" in core or "__" in core) and _BOLD.fullmatch(core) is not None) or _WORD.search(core) is None


def is_sentence(line: str) -> bool:
    """Whether *line* begins with a letter and ends with a stop: then it is text, and no part of a verse."""
    return line[:1].isalpha() and line.rstrip(WHITESPACE)[-1] in _ENDS_PROSE and not line.endswith("  \n")


def _may_be_code(line: str) -> bool:
    """A quick check of a *line* that begins with a letter: code has a sign, or begins with a keyword."""
    for sign in "(:;{}=":
        if sign in line:
            return True
    return line.startswith(_KEYWORDS)


def looks_like_code(line: str) -> bool:
    """Whether *line* looks like code."""
    core = line.rstrip(WHITESPACE)
    if core[-1:] in _ENDS_PROSE or len(core) > _LOOK:
        return False
    return _CODE.match(core.lstrip(WHITESPACE)) is not None


def is_lead_in(line: str) -> bool:
    """Whether *line* announces what follows: it ends with a colon."""
    end = line[-16:].rstrip(WHITESPACE)
    return (":" in end or "：" in end) and _LEAD_IN.search(end) is not None


def is_plain_title(line: str) -> bool:
    """Whether *line* could be a title without any mark: it is short and no sentence."""
    core = line.strip(WHITESPACE)
    return len(core) <= _LONGEST_TITLE and core[:1].isalnum() and core[-1:].isalnum() and not core[:1].islower()


def may_be_verse(line: str) -> bool:
    """Whether *line* could be the first line of a verse: it begins with a capital, and no sentence ends with it."""
    core = line.strip(WHITESPACE)
    return core[:1].isupper() and core.rstrip(_AFTER_STOP)[-1:] not in _STOPS


def looks_like_verse(line: str) -> bool:
    """Whether *line* is, or could be, a line of a verse."""
    core = line.strip(WHITESPACE)
    if core[-1:] in _ENDS_PROSE and not line.endswith("  \n"):  # most lines
        return False
    return is_verse(line) or may_be_verse(line)


def is_short(line: str) -> bool:
    """Whether *line* is as short as a line of a verse."""
    return len(line) <= _LONGEST_VERSE


def is_verse(line: str) -> bool:
    """Whether *line* ends as only a line of a verse does: with a comma or a forced line break."""
    return line.strip("\n").endswith(_VERSE_ENDS)


def line_context(line: str) -> str:
    """The beginning of a cut line after the cut: its line marks, and space in place of its list marker."""
    match = LINE_MARKS.match(line)
    if match is None:
        return ""
    return (match["quote"] or "") + " " * len(match["list"] or "")
