"""Lengths as Discord may count them: in UTF-16 units, so that 1950 holds however it counts.

Also the set of characters that Python and the pipeline see differently: white space.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

# What a browser calls white space. Python's str.strip() would keep U+FEFF and take U+0085 and U+001C to U+001F.
WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def units(text: str) -> int:
    """How many UTF-16 units *text* takes."""
    if text.isascii():
        return len(text)
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def fits(text: str, limit: int) -> bool:
    """Whether *text* takes at most *limit* units."""
    return len(text) * 2 <= limit or units(text) <= limit  # no character takes more than two


def fitting(text: str, limit: int, start: int = 0) -> int:
    """The largest index such that ``text[start:index]`` takes at most *limit* units."""
    piece = text[start : start + limit]
    if piece.isascii() or max(piece) <= "\uffff":
        return start + len(piece)
    whole = piece.encode("utf-16-le", "surrogatepass")
    data = whole[: limit * 2]
    if data[-1:] and 0xD8 <= data[-1] <= 0xDB and 0xDC <= (whole[limit * 2 + 1 :] or b"\0")[0] <= 0xDF:
        data = data[:-2]  # the limit falls between the two halves of one character
    return start + len(data.decode("utf-16-le", "surrogatepass"))


def whole_grapheme(text: str, index: int, start: int = 0) -> int:
    """Move *index* back to where a character, as people see it, begins.

    A single character longer than all of ``text[start:index]`` has to be cut; then *index* is given back as it is.
    """
    if index >= len(text) or text[index - 1 : index + 1].isascii():
        return index
    boundary = start
    # Flags and joined emoji are looked at as far as they go, both ways, so only what is near is shown.
    for match in _grapheme().finditer(text[start : index + 64]):
        if start + match.end() > index:
            break
        boundary = start + match.end()
    return boundary if boundary > start else index


@lru_cache(maxsize=1)
def _grapheme() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415  # only a forced cut needs it, and it doubles the time to import Cadenza

    return regex.compile(r"\X")
