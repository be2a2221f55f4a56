"""Stages 2 and 3 in one step: bytes in, chunks out, without decoding JSON for most tokens.

Most events of a stream differ only in their text. ``Shortcut`` remembers the bytes before and after the text of one
event. When the next read begins and ends with the same bytes, it slices the text out instead of framing and decoding.

The shortcut is taken only when it cannot be wrong. Events are separated by an empty line, which no JSON string
contains; what is left of each event must be the inside of a JSON string; and the text of the remembered event occurred
in it exactly once. Every other read takes the long way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from ..types import Chunk, RawEvent, TextDelta
from .s2_generation import Framing, ServerSentEvents
from .s3_chunks import Chunks

ALIVE: Sequence[Chunk] = (TextDelta(""),)
"""The chunks for a read that only continues a tool call: no text, but the model has not stalled."""

_SPECIAL = re.compile(rb'["\\\x00-\x1f]')
"""Bytes with a meaning inside a JSON string."""
_END_OF_EVENT = (b"\n\n", b"\r\n\r\n")
_MOST_MISSES = 8
"""How many remembered events in a row may fail to match before the shortcut is given up."""


class Reader:
    """Turns the bytes of an answer into chunks."""

    def __init__(self, framing: Framing, chunks: Chunks) -> None:
        self._framing = framing
        self._chunks = chunks
        self._alike = framing if chunks.is_alike and isinstance(framing, ServerSentEvents) else None
        self._shortcut = Shortcut()

    def read(self, data: bytes) -> Iterable[Sequence[Chunk]]:
        """The chunks of *data*, up to the end of the answer."""
        if self._alike is None or not self._alike.is_clean:
            return self._decoded(data)
        if text := self._shortcut.take(data):
            return ((TextDelta(text),),)
        end = data.find(b"\n\n") + 2
        if self._shortcut.learns and 2 < end < len(data):
            return self._learning(data[:end], data[end:])
        return self._decoded(data)

    def _learning(self, first: bytes, rest: bytes) -> Iterator[Sequence[Chunk]]:
        """Decode the *first* event alone, to learn from it, and then the *rest*."""
        yield from self._decoded(first)
        if self._chunks.has_ended:
            return
        if text := self._shortcut.take(rest):
            yield (TextDelta(text),)
        else:
            yield from self._decoded(rest)

    def _decoded(self, data: bytes) -> Iterable[Sequence[Chunk]]:
        """Frame and decode *data*, the long way."""
        was_clean = self._alike is not None and self._alike.is_clean
        events = self._framing.feed(data)
        if len(events) != 1:
            return _heard(events, self._chunks)
        heard = self._chunks.feed(events[0])  # usually there is only one
        if was_clean and self._alike is not None and self._alike.is_clean:
            self._shortcut.learn(data, heard)
        return (heard or ALIVE,) if heard or self._chunks.is_calling else ()


class Shortcut:
    """Remembers what surrounds the text of the last plain text event."""

    __slots__ = ("_after", "_before", "_between", "_misses")

    def __init__(self) -> None:
        self._before = b""
        self._after = b""
        self._between = b""
        self._misses = 0

    @property
    def learns(self) -> bool:
        """Whether it is still worth trying."""
        return self._misses < _MOST_MISSES

    def take(self, data: bytes) -> str:
        """The text of *data*, which begins an event, if it holds only events like the last one; otherwise empty."""
        before, after = self._before, self._after
        if not before or not data.startswith(before) or not data.endswith(after):
            return ""
        if len(data) < len(before) + len(after):
            return ""
        inner = data[len(before) : len(data) - len(after)]
        try:
            text = inner.replace(self._between, b"")
            found = text.decode() if not _SPECIAL.search(text) else "".join(map(_text, inner.split(self._between)))
        except ValueError:
            return ""
        self._misses = 0
        return found

    def learn(self, data: bytes, heard: Sequence[Chunk]) -> None:
        """Remember what surrounds the text in *data*, one whole event that *heard* was decoded from."""
        if not self.learns or len(heard) != 1 or type(heard[0]) is not TextDelta or b"\\" in data:
            return  # written in another way than it is read, it could be found in the wrong place
        quoted = b'"%b"' % heard[0].text.encode("utf-8", "replace")
        before, found, after = data.partition(quoted)
        if not found or quoted in after or not data.endswith(_END_OF_EVENT):
            return
        self._before, self._after = before + b'"', b'"' + after
        self._between = self._after + self._before
        self._misses += 1


def _text(inside: bytes) -> str:
    """The JSON string with *inside* between its quotes; raises ``ValueError`` if it is none."""
    text: str = json.loads(b'"%b"' % inside)
    return text


def _heard(events: Sequence[RawEvent], chunks: Chunks) -> Iterator[Sequence[Chunk]]:
    """The chunks of *events*, which arrived together, up to the end of the answer.

    Texts in a row become one text: the result is the same, and a slow reader catches up.
    """
    texts: list[str] = []
    try:
        for event in events:
            heard = chunks.feed(event)
            if len(heard) == 1 and type(heard[0]) is TextDelta:
                texts.append(heard[0].text)
                continue
            if texts:
                yield _joined(texts)
            if heard or chunks.is_calling:
                yield heard or ALIVE
            if chunks.has_ended:
                return
    except Exception:
        if texts:
            yield _joined(texts)  # what was said before it counts
        raise
    if texts:
        yield _joined(texts)


def _joined(texts: list[str]) -> Sequence[Chunk]:
    """Join *texts* into one chunk and clear them."""
    text = texts[0] if len(texts) == 1 else "".join(texts)
    texts.clear()
    return (TextDelta(text),)
