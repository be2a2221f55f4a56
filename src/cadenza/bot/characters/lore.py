"""Which of a character's lore is told: what is always told, and what was spoken of."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from functools import lru_cache

from .character import Lore

MOST = 8000
"""Characters of lore in one prompt."""

_RUN_TOGETHER = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff"
    "\uff66-\uff9f\U00020000-\U0003ffff"
)
"""Scripts that put no spaces between words, and Korean, which puts endings on them."""
_SPACED = f"[^\\W{_RUN_TOGETHER}]"
"""A letter or digit of a script whose words stand apart."""
_SPACED_LETTER = re.compile(_SPACED)
_DECORATION = re.compile(r"(?:[ \t]*@@[^\n]*(?:\n|\Z))+")
_VERDICT = re.compile(r"^[ \t]*@@(?P<word>activate|dont_activate)[ \t]*$", re.MULTILINE)

_KEYS = re.compile(r"^[ \t]*@@(?P<word>additional_keys|exclude_keys)[ \t]+(?P<keys>[^\n]+)$", re.MULTILINE)
"""Keys of which one must have been said besides, or none."""


def told(lore: Sequence[Lore], recent: Iterable[str], *, most: int = MOST) -> tuple[str, ...]:
    """What is told of *lore* after the *recent* texts, in its order, no more than *most* characters.

    If it is too much, what is always told goes first, then what stands first. Nothing is told twice.
    """
    said = _plain("\n".join(recent))
    found = [(entry, content) for entry in lore if (content := _content(entry)) and _is_told(entry, said)]
    kept: dict[str, int] = {}
    left = most
    for entry, content in sorted(found, key=lambda pair: (not pair[0].is_constant, pair[0].order)):
        if content not in kept and len(content) <= left:
            kept[content] = entry.order
            left -= len(content)
    return tuple(sorted(kept, key=lambda content: kept[content]))


def _content(entry: Lore) -> str:
    """What *entry* says, without the ``@@`` lines with which cards direct programs."""
    head = _DECORATION.match(entry.content)
    return entry.content[head.end() if head else 0 :].strip()


def _is_told(entry: Lore, said: str) -> bool:
    if not entry.is_enabled:
        return False
    head = _DECORATION.match(entry.content)
    if head and (verdict := _VERDICT.search(head[0])):
        return verdict["word"] == "activate"
    if head and _any(_decorated(head[0], "exclude_keys"), said, entry):
        return False
    if entry.is_constant:
        return True
    more = _decorated(head[0], "additional_keys") if head else ()
    if more and not _any(more, said, entry):
        return False
    is_second = entry.is_selective and bool(entry.secondary_keys)
    return _any(entry.keys, said, entry) and (not is_second or _any(entry.secondary_keys, said, entry))


def _decorated(head: str, word: str) -> tuple[str, ...]:
    """The keys that stand behind the decorator *word*."""
    lines = (match["keys"] for match in _KEYS.finditer(head) if match["word"] == word)
    return tuple(key for line in lines for key in line.split(",") if key.strip())


def _any(keys: Iterable[str], said: str, entry: Lore) -> bool:
    return any(_pattern(key, entry.is_case_sensitive).search(said) for key in keys if _plain(key).strip())


@lru_cache(maxsize=4096)  # the same keys are looked for before every reply
def _pattern(key: str, is_case_sensitive: bool) -> re.Pattern[str]:  # noqa: FBT001  # a key of the cache
    """A pattern for *key* as whole words, where its script has words. It holds nothing but letters to be found."""
    key = _plain(key).strip()
    before = f"(?<!{_SPACED})" if _SPACED_LETTER.match(key[0]) else ""
    behind = f"(?!{_SPACED})" if _SPACED_LETTER.match(key[-1]) else ""
    return re.compile(before + re.escape(key) + behind, 0 if is_case_sensitive else re.IGNORECASE)


def _plain(text: str) -> str:
    return unicodedata.normalize("NFC", text)
