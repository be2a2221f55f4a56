"""Lengths in UTF-16 units, display widths, and the white space of the pipeline.

Discord may count code points or UTF-16 units. The latter are never fewer, so a limit in UTF-16 units holds either way.
The pipeline uses the browsers' definition of white space, which differs from Python's.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import regex

# Browsers' white space. Python's str.strip() would keep U+FEFF and remove U+0085 and U+001C to U+001F.
WHITESPACE = "\t\n\v\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"
LINE_ENDS = "\n\v\f\r\u2028\u2029"
"""White space that ends a line."""
SPACES = "".join(character for character in WHITESPACE if character not in LINE_ENDS)
"""White space within a line."""

# Han, kana and Hangul. The last range holds only Han in Unicode.
UNSPACED = (
    r"\u1100-\u11ff\u2e80-\u2fdf\u3005-\u3007\u3021-\u3029\u3031-\u3035\u3038-\u303c\u3040-\u318f\u31a0-\u31bf\u31f0-\u31ff"
    r"\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff\uff66-\uffdc\U0001b000-\U0001b16f\U00020000-\U0003ffff"
)
"""Letters of scripts without spaces between words, as a set for a pattern."""

_ONE_COLUMN = re.compile("[ -~]*")
_JOINING = re.compile("[\u200d\ufe0f\U0001f1e6-\U0001f1ff\U0001f3fb-\U0001f3ff]")
"""What joins several code points into one character: a joiner, an emoji selector, halves of a flag, a skin tone."""


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
    """Move *index* back to the beginning of a visible character.

    A single character longer than all of ``text[start:index]`` has to be cut; then *index* is returned unchanged.
    """
    if index >= len(text) or text[index - 1 : index + 1].isascii():
        return index
    boundary = start
    # The pattern reads flags and joined emoji to their end, so it gets only what is near.
    for match in _grapheme().finditer(text[start : index + 64]):
        if start + match.end() > index:
            break
        boundary = start + match.end()
    return boundary if boundary > start else index


def graphemes(text: str) -> list[str]:
    """The visible characters of *text*."""
    return list(text) if text.isascii() else _grapheme().findall(text)


def display_width(text: str) -> int:
    """How many columns *text* takes: wide characters and emoji take two, combining marks none."""
    if (text.isascii() and text.isprintable()) or _ONE_COLUMN.fullmatch(text):
        return len(text)
    if _JOINING.search(text) is None:
        return sum(map(_columns, text))
    return sum(2 if "\ufe0f" in shown[1:] else min(2, sum(map(_columns, shown))) for shown in graphemes(text))


@lru_cache(maxsize=4096)
def _columns(character: str) -> int:
    """How many columns *character* takes by itself."""
    if unicodedata.category(character) in ("Cc", "Cf", "Me", "Mn", "Zl", "Zp"):
        return 0
    if "\u1160" <= character <= "\u11ff" or "\ud7b0" <= character <= "\ud7fb":
        return 0  # the second and third letter of a Korean syllable take no column of their own
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1


@lru_cache(maxsize=1)
def _grapheme() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415  # only a forced cut needs it, and it doubles the time to import Cadenza

    # \X looks back over a whole run of flags for each of them; reading pairs from the left needs no look back.
    return regex.compile(r"\p{Regional_Indicator}{2}[\p{GCB=Extend}\p{GCB=ZWJ}\p{GCB=SpacingMark}]*+|\X")
