r"""Normalise incoming text, so that every later stage can rely on it.

Line ends become ``\n``, a surrogate pair that was cut in two becomes one character again, and what no chat can show
(lone surrogates, control characters) becomes U+FFFD, as in browsers.
"""

from __future__ import annotations

import re

from .origins import substituted

_UNSEEN = "\0-\x08\x0e-\x1a\x1c-\x1f\x7f"
"""Control characters except ESC: Discord has colours in code blocks, and the terminal target handles it."""
_ODD = re.compile(f"[\r{_UNSEEN}\ud800-\udfff]")
ODD = frozenset(filter(_ODD.match, map(chr, [*range(128), *range(0xD800, 0xE000)])))
"""Every character that the intake may change: text without these needs no intake."""
_CHANGED = re.compile(f"\r|[\ud800-\udbff][\udc00-\udfff]|[{_UNSEEN}\ud800-\udfff]")


class Intake:
    """Takes pieces of text and returns clean ones. Holds back at most one character."""

    __slots__ = ("held",)

    def __init__(self) -> None:
        self.held = ""

    def feed(self, text: str) -> str:
        """Clean *text*; its last character may have to wait for the next piece."""
        if not self.held and not _ODD.search(text):
            return text
        text = self.held + text
        ready = len(text) - self.holds(text)
        self.held = text[ready:]
        return cleaned(text[:ready])

    @staticmethod
    def holds(text: str) -> bool:
        """Whether the last character of *text* has to wait for the next piece."""
        return bool(text) and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff")

    def flush(self) -> str:
        """Release what was held back."""
        held, self.held = self.held, ""
        return cleaned(held)


def cleaned(text: str) -> str:
    """*text* without what no chat can show."""
    return substituted(_CHANGED, _clean, text) if _ODD.search(text) else text


def _clean(match: re.Match[str]) -> str:
    text = match.group()
    if text[0] == "\r":
        return "" if match.string.startswith("\n", match.end()) else "\n"
    if len(text) == 1:
        return "\ufffd"
    high, low = map(ord, text)
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
