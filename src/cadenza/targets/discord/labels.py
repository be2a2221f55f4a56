"""A persona's name in front of the text, where Discord cannot show it, and the cutting of texts that are too long."""

from __future__ import annotations

import re

from ...text.blocks import blocks
from ...text.split import fit, split
from ...text.units import WHITESPACE, fits
from ...text.usernames import as_username, from_username
from ...types import Kind

LONGEST = 2000
"""The longest message that Discord takes."""

_MARKS = re.compile(r"([\\*_~`|\[\]<:])")
_NEEDS_LINE = re.compile(r"```|>|#{1,3} |-# |[-*+•] |[0-9]{1,3}[.)] ")
"""Marks that count only at the beginning of a line."""
_LABEL = re.compile(r"\*\*(?P<name>(?:\\.|[^*\n\\]){1,160}?):\*\*[ \n]?")
_ESCAPED = re.compile(r"\\(.)")
_ODD_IN_FILES = re.compile(r'[\x00-\x1f\x7f"*:<>?|\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]')
_LONGEST_FILE_NAME = 100
_ODD = re.compile(r"[^\w .'()-]")
_BLANKS = re.compile(f"[{WHITESPACE}]+")


def labelled(name: str, text: str) -> list[str]:
    """*text* with *name* in front of it, in as few messages as it takes."""
    shown = _MARKS.sub(r"\\\1", from_username(as_username(name)))
    label = f"**{shown}:**"
    if not text.strip(WHITESPACE):
        return [label]
    whole = f"{label}\n{text}" if _NEEDS_LINE.match(text) else f"{label} {text}"
    if fits(whole, LONGEST):
        return [whole]
    if any(kind is not Kind.PROSE for kind, _ in blocks(text)):
        return [label, text]  # a block is not cut to make room for a name
    return fit(whole, LONGEST)


def read_label(text: str) -> tuple[str, int] | None:
    """The name in front of *text*, as ``labelled`` writes it, and the length of the label."""
    label = _LABEL.match(text)
    return (_ESCAPED.sub(r"\1", label["name"]), label.end()) if label else None


def shortened(text: str, limit: int) -> list[str]:
    """*text* in messages of at most *limit* UTF-16 units."""
    if fits(text, limit):
        return [text]
    pieces = (piece for kind, block in blocks(text) for piece in split(block, kind, 0, limit))
    return [piece for piece in pieces if piece.strip(WHITESPACE)]


def file_name(name: str) -> str:
    """*name* as Discord takes the name of a file: without folders, line ends and other characters that break a request."""
    plain = _ODD_IN_FILES.sub("_", name.replace("\\", "/").rpartition("/")[2]).strip(" .")
    if len(plain) > _LONGEST_FILE_NAME:
        plain = plain[:40] + plain[-60:]
    return plain or "file"


def plain_name(name: str) -> str:
    """*name* reduced to letters, digits and a few marks; may be empty."""
    return _BLANKS.sub(" ", _ODD.sub("", name)).strip()[:80].strip()
