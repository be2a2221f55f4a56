"""Tags in a model's text: hidden blocks (``<think>``, ``<details>``) and Discord's own (mentions, emoji, times).

A tag may arrive in pieces, so each pattern has a second one for the beginning of a tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..types import AsideKind
from .units import WHITESPACE

if TYPE_CHECKING:
    from .labels import AnswerLabel

# With its namespace a name has at most 63 letters.
_THINK = r"(?:(?:[a-z][\w.-]{0,56}:)?think|(?:[a-z][\w.-]{0,52}:)?(?:thinking|thought|reasoning))"

BLOCK_TAG = re.compile(
    rf"(?P<think></?{_THINK}>)|(?-i:(?P<details><details(?:\s[^>]{{0,200}})?>))", re.ASCII | re.IGNORECASE
)
"""The tag of a hidden block: opening or closing for thoughts, opening for details."""

_BLOCK_TAG_PART = re.compile(r"</?(?:[a-z][\w.:-]{0,62})?\Z|<details\s[^>]{0,200}\Z", re.ASCII | re.IGNORECASE)

DISCORD_TAG = re.compile(
    r"<(?:@[!&]?\d{1,20}|#\d{1,20}|a?:\w{1,32}:\d{1,20}|t:-?\d{1,17}(?::[a-zA-Z])?|id:\w{1,20}|/[^\n<>]{1,100}:\d{1,20})>",
    re.ASCII,
)
"""A mention, channel, custom emoji, timestamp or command, which is never cut."""

_DISCORD_TAG_PART = re.compile(
    r"<(?:@[!&]?\d{0,20}|#\d{0,20}|a?(?::\w{0,32}(?::\d{0,20})?)?|t(?::-?\d{0,17}(?::[a-zA-Z]?)?)?|id?(?::\w{0,20})?|/[^\n<>]{0,121})\Z",
    re.ASCII,
)

_CLOSERS = {
    AsideKind.THOUGHT: re.compile(rf"</{_THINK}>", re.ASCII | re.IGNORECASE),
    AsideKind.DETAILS: re.compile("</details>"),
}
_SUMMARY = re.compile(r"<summary>.*?</summary>", re.IGNORECASE | re.DOTALL)
_LONGEST_CLOSER = 72


def could_be_block_tag(text: str, start: int) -> bool:
    """Whether ``text[start:]``, which begins with ``<``, could become a block tag."""
    return _BLOCK_TAG_PART.match(text, start) is not None


def could_be_discord_tag(text: str, start: int) -> bool:
    """Whether ``text[start:]`` could become one of Discord's tags."""
    return _DISCORD_TAG_PART.match(text, start) is not None


@dataclass(frozen=True, slots=True)
class BlockTag:
    """A tag of a hidden block."""

    kind: AsideKind
    closes: bool


def block_tag(match: re.Match[str]) -> BlockTag:
    """The meaning of a match of ``BLOCK_TAG``."""
    if match["details"]:
        return BlockTag(AsideKind.DETAILS, closes=False)
    return BlockTag(AsideKind.THOUGHT, closes=match.group().startswith("</"))


class BlockEnd(NamedTuple):
    """Where a hidden block ends in a text; if it does not, where its closing tag may begin."""

    start: int
    end: int
    is_whole: bool


def thought_end(text: str) -> BlockEnd:
    """Where a thought ends that *text* is a part of."""
    return _block_end(text, AsideKind.THOUGHT)


def _block_end(text: str, kind: AsideKind) -> BlockEnd:
    closer = _CLOSERS[kind].search(text)
    if closer:
        return BlockEnd(closer.start(), closer.end(), is_whole=True)
    # Only a short tail that begins with "<" can be part of a closing tag.
    possible = text.rfind("</", max(0, len(text) - _LONGEST_CLOSER))
    if possible < 0 and text.endswith("<"):
        possible = len(text) - 1
    return BlockEnd(len(text) if possible < 0 else possible, len(text), is_whole=False)


class HiddenBlock:
    """Reads a hidden block until its closing tag, however the stream is sliced."""

    __slots__ = ("_parts", "_tail", "kind")

    def __init__(self, kind: AsideKind) -> None:
        self.kind = kind
        self._parts: list[str] = []
        self._tail = ""

    def feed(self, text: str) -> str | None:
        """Take *text*; once the block has closed, return the text after it."""
        text = self._tail + text
        end = _block_end(text, self.kind)
        self._parts.append(text[: end.start])
        if end.is_whole:
            self._tail = ""
            return text[end.end :]
        self._tail = text[end.start :]
        return None

    def content(self) -> str:
        """The content, trimmed; details also lose their summary line."""
        text = "".join(self._parts) + self._tail
        if self.kind is AsideKind.DETAILS:
            text = _SUMMARY.sub("", text.strip(WHITESPACE), count=1)
        return text.strip(WHITESPACE)

    def speech(self, speaker: AnswerLabel) -> str:
        """Remove and return the answer of *speaker*, label included, from a thought that nothing has closed."""
        thought = "".join(self._parts) + self._tail
        start = speaker.begins(thought) if self.kind is AsideKind.THOUGHT else None
        if start is None:
            return ""
        self._parts, self._tail = [thought[:start]], ""
        return thought[start:]
