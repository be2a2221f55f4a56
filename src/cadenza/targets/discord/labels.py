"""How a name is shown that Discord does not show: in front of the text, and how a text that is too long is cut."""

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
"""What means something only at the beginning of a line."""
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
        return [label, text]  # what stands in a block is not cut for the sake of a name
    return fit(whole, LONGEST)


def shortened(text: str, limit: int) -> list[str]:
    """*text* in messages of at most *limit* UTF-16 units."""
    if fits(text, limit):
        return [text]
    pieces = (piece for kind, block in blocks(text) for piece in split(block, kind, 0, limit))
    return [piece for piece in pieces if piece.strip(WHITESPACE)]


def plain_name(name: str) -> str:
    """*name* of nothing but letters, digits and a few marks; empty if nothing is left of it."""
    return _BLANKS.sub(" ", _ODD.sub("", name)).strip()[:80].strip()
