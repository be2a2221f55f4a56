r"""Normalise incoming text, so that every later stage can rely on it.

Line ends become ``\n``, a surrogate pair that was cut in two becomes one character again, and what no chat can show
(lone surrogates, control characters) becomes U+FFFD, as in browsers.
"""

from __future__ import annotations

import re

_UNSEEN = "\0-\x08\x0e-\x1a\x1c-\x1f\x7f"
"""Control characters except ESC: Discord has colours in code blocks, and the terminal target handles it."""
_ODD = re.compile(f"[\r{_UNSEEN}\ud800-\udfff]")
ODD = frozenset(filter(_ODD.match, map(chr, [*range(128), *range(0xD800, 0xE000)])))
"""Every character that the intake may change: text without these needs no intake."""
_PAIR = re.compile("([\ud800-\udbff])([\udc00-\udfff])")
_BROKEN = re.compile(f"[{_UNSEEN}\ud800-\udfff]")


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
        self.held = ""
        if text and (text[-1] == "\r" or "\ud800" <= text[-1] <= "\udbff"):
            self.held = text[-1]
            text = text[:-1]
        return _clean(text)

    def flush(self) -> str:
        """Release what was held back."""
        held, self.held = self.held, ""
        return _clean(held)


def _clean(text: str) -> str:
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = _PAIR.sub(_joined, text)
    return _BROKEN.sub("\ufffd", text)


def _joined(pair: re.Match[str]) -> str:
    high, low = map(ord, pair.groups())
    return chr(0x10000 + ((high - 0xD800) << 10) + (low - 0xDC00))
