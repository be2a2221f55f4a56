"""Tags in a model's text: hidden blocks (``<think>``, ``<details>``) and Discord's own (mentions, emoji, times).

A tag may arrive in pieces, so each pattern has a second one for the beginning of a tag.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from ..types import AsideKind
from .origins import join
from .units import WHITESPACE

if TYPE_CHECKING:
    from .labels import AnswerLabel

# With its namespace a name has at most 63 letters.
_THINK = r"(?:(?:[a-z][\w.-]{0,56}:)?think|(?:[a-z][\w.-]{0,52}:)?(?:thinking|thought|reasoning))"

_DETAILS = r"<details(?:\s[^>]{0,200})?>"

BLOCK_TAG = re.compile(rf"(?P<think></?{_THINK}>)|(?-i:(?P<details>{_DETAILS}))", re.ASCII | re.IGNORECASE)
"""The tag of a hidden block: opening or closing for thoughts, opening for details."""
DETAILS_END = "</details>"

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

_LINE_BEGIN = r"\n[ \t>]{0,20}"
BLOCK_EDGES = {
    AsideKind.THOUGHT: re.compile(rf"(?P<opens>{_LINE_BEGIN}<{_THINK}>)|</{_THINK}>", re.ASCII | re.IGNORECASE),
    AsideKind.DETAILS: re.compile(rf"(?P<opens>{_LINE_BEGIN}{_DETAILS})|{DETAILS_END}", re.ASCII),
}
"""Where a block ends, and where another of its kind begins a line: the next end is the end of that one."""
LONGEST_EDGE = 240
_THOUGHT_END = re.compile(rf"</{_THINK}>", re.ASCII | re.IGNORECASE)
# Details may hold details. A thought is over at the first closing tag: models open one twice and close it once.
_ENDS = {AsideKind.THOUGHT: _THOUGHT_END, AsideKind.DETAILS: BLOCK_EDGES[AsideKind.DETAILS]}
_SUMMARY = re.compile(r"<(?P<end>/)?summary>", re.IGNORECASE)
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
    closer = _THOUGHT_END.search(text)
    if closer:
        return BlockEnd(closer.start(), closer.end(), is_whole=True)
    # Only a short tail that begins with "<" can be part of a closing tag.
    possible = text.rfind("</", max(0, len(text) - _LONGEST_CLOSER))
    if possible < 0 and text.endswith("<"):
        possible = len(text) - 1
    return BlockEnd(len(text) if possible < 0 else possible, len(text), is_whole=False)


def without_summary(details: str) -> str:
    """*details* without the first summary."""
    start = -1
    for tag in _SUMMARY.finditer(details):
        if start >= 0 and tag["end"]:
            return details[:start] + details[tag.end() :]
        if start < 0 and not tag["end"]:
            start = tag.start()
    return details


class HiddenBlock:
    """Reads a hidden block until its closing tag, however the stream is sliced."""

    __slots__ = ("_closing", "_inner", "_opening", "_parts", "_tail", "kind")

    def __init__(self, kind: AsideKind, opening: str = "") -> None:
        """Read a block of *kind*, which began with the tag *opening*."""
        self.kind = kind
        self._opening = opening
        self._closing = ""
        self._inner = 0  # how many blocks inside it are open
        self._parts: list[str] = []
        self._tail = ""  # what may hold the beginning of a tag

    def feed(self, text: str) -> str | None:
        """Take *text*; once the block has closed, return the text after it."""
        text = self._tail + text
        read = 0
        for edge in _ENDS[self.kind].finditer(text):
            read = edge.end()
            if edge.lastgroup == "opens":
                self._inner += 1
            elif self._inner:
                self._inner -= 1
            else:
                self._parts.append(text[: edge.start()])
                self._tail, self._closing = "", text[edge.start() : read]
                return text[read:]
        read = max(read, len(text) - LONGEST_EDGE)
        self._parts.append(text[:read])
        self._tail = text[read:]
        return None

    def content(self) -> str:
        """The content, trimmed; details also lose their summary line."""
        text = join(self._parts) + self._tail
        if self.kind is AsideKind.DETAILS:
            text = without_summary(text)
        return text.strip(WHITESPACE)

    def source(self) -> str:
        """The whole block so far, with its tags."""
        return join([self._opening, *self._parts, self._tail, self._closing])

    def speech(self, speaker: AnswerLabel) -> str:
        """Remove and return the answer of *speaker*, label included, from a thought that nothing has closed."""
        thought = join(self._parts) + self._tail
        start = speaker.begins(thought) if self.kind is AsideKind.THOUGHT else None
        if start is None:
            return ""
        self._parts, self._tail = [thought[:start]], ""
        return thought[start:]
