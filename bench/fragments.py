"""Which messages are fragments: something that a person would not have sent alone."""

from __future__ import annotations

import re
import unicodedata

SORTS = ("item", "title", "lead-in", "rule", "symbol", "word")
"""One list item alone, a heading or bold title, a lead-in, a rule, a symbol or bracket, one word."""

_RULE = re.compile(r"(?:-{3,}|\*{3,}|_{3,}|- - -)")
_ITEM = re.compile(r"[ \t]*(?:[-*+•]|\d{1,9}[.)])[ \t]+\S")
_TITLE = re.compile(r"#{1,6} .+|\*\*[^*]{1,80}\*\*:?|__[^_]{1,80}__:?")
_LEAD_IN = re.compile(r".{1,300}[:：][*_]{0,3}")
_WORD = re.compile(r"[^\w\s]{0,3}[^\W\d_]+[^\w\s]{0,3}")
_SPACELESS = re.compile(r"[\u3040-\u30ff\u3400-\u9fff]")
"""Scripts in which a sentence has no spaces."""


def fragment(message: str) -> str | None:
    """What sort of fragment *message* is; ``None`` if it is none."""
    lines = [line for line in message.strip().split("\n") if line.strip()]
    if not lines:
        return "symbol"
    if _ITEM.match(lines[0]) and _is_one_item(lines):
        return "item"
    if len(lines) > 1:
        return None
    line = lines[0].strip()
    if _RULE.fullmatch(line):
        return "rule"
    if all(map(_is_mark, line)):
        return "symbol"
    if _TITLE.fullmatch(line):
        return "title"
    if _LEAD_IN.fullmatch(line):
        return "lead-in"
    if _WORD.fullmatch(line) and not _SPACELESS.search(line):
        return "word"
    return None


def _is_one_item(lines: list[str]) -> bool:
    return all(line[0] in " \t" and not _ITEM.match(line) and "```" not in line for line in lines[1:])


def _is_mark(character: str) -> bool:
    """Whether it is a mark, and not an emoji."""
    return character.isspace() or unicodedata.category(character)[0] == "P" or character in "$+<=>^`|~"
