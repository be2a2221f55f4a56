"""Where a word may be broken over two lines."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from .units import display_width, graphemes

_NO_START = frozenset(
    "、。，．・：；！？）」』】〕〉》〗〙｝］’”ーぁぃぅぇぉっゃゅょゎゕゖァィゥェォッャュョヮヵヶ々ゝゞヽヾ…‥〜～゛゜％‰℃"
    ",.!?:;)]}%»›"
)
"""Characters that do not start a line."""
_NO_END = frozenset("（「『【〔〈《〖〘｛［‘“￥＄([{«‹$£¥€#@")
"""Characters that do not end a line."""
_HANGUL = re.compile("[\uac00-\ud7a3]")
_BEFORE, _AFTER = r"[\w)\]}>]", r"(?=[^\W\d_]\w\w|[(\[{<$]\w\w)"
_SOFT = (
    re.compile(rf"(?<={_BEFORE}{_BEFORE}[/\\–—-]){_AFTER}"),
    re.compile(rf"(?<={_BEFORE}{_BEFORE}[._:=@,;+&?|]){_AFTER}"),
)
"""Places where a long word may be broken, the better ones first. A number, a date or a short end stays whole."""


def parts(word: str, width: int | None = None) -> list[str]:
    """The parts of *word* that are never broken; those wider than *width* are broken after punctuation, if it is given."""
    found = [word] if word.isascii() else _between_wide_characters(word)
    if width is not None:
        for soft in _SOFT:
            found = [end for part in found for end in (soft.split(part) if display_width(part) > width else [part])]
    return found


def _between_wide_characters(word: str) -> list[str]:
    found: list[str] = []
    start = end = 0
    before = ""
    for character in graphemes(word):
        if before and may_break(before, character):
            found.append(word[start:end])
            start = end
        end += len(character)
        before = character
    return [*found, word[start:]]


@lru_cache(maxsize=4096)
def may_break(before: str, after: str) -> bool:
    """Whether a line may end between two characters, neither of them a space."""
    return (_is_wide(before) or _is_wide(after)) and after[0] not in _NO_START and before not in _NO_END


def _is_wide(character: str) -> bool:
    """Whether lines may be broken on either side: Chinese characters, kana, emoji; Korean is broken between words."""
    return unicodedata.east_asian_width(character[0]) in ("W", "F") and not _HANGUL.match(character)
