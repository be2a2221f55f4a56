"""Stages 2 and 3 together: bytes in, chunks out, by the shortest way there is.

Most of a stream is the same event again and again, with another word in it. Whoever has read one of them knows what
stands in front of the word and what behind it, and if the next read begins and ends like that, it is so many events of
the same kind: what stands between is text. So they are cut apart and put together without being framed and decoded.

That holds only where nothing of the text could be anything else. Between two events stands an empty line, which no JSON
has within a text, so that it is really events which are cut apart; what is left of each must be the inside of a JSON
text; and the text by which the event was learnt stood in it exactly once. Everything else goes the long way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from ..types import Chunk, RawEvent, TextDelta
from .s2_generation import Framing, ServerSentEvents
from .s3_chunks import Chunks

ALIVE: Sequence[Chunk] = (TextDelta(""),)
"""What is heard while a call is being written: no word, but a sign that the model has not stalled."""

_SPECIAL = re.compile(rb'["\\\x00-\x1f]')
"""What may mean something in the midst of a JSON text."""
_END_OF_EVENT = (b"\n\n", b"\r\n\r\n")
_MOST_VAIN = 8
"""How often in a row an event is learnt that does not come again: then the stream is one of those in which all differ."""


class Reader:
    """Reads what arrives into what it comes to."""

    def __init__(self, framing: Framing, chunks: Chunks) -> None:
        self._framing = framing
        self._chunks = chunks
        self._alike = framing if chunks.is_alike and isinstance(framing, ServerSentEvents) else None
        self._shortcut = Shortcut()

    def read(self, data: bytes) -> Iterable[Sequence[Chunk]]:
        """What *data* comes to, up to the end of the answer."""
        if self._alike is None or not self._alike.is_clean:
            return self._decoded(data)
        if text := self._shortcut.take(data):
            return ((TextDelta(text),),)
        end = data.find(b"\n\n") + 2
        if self._shortcut.learns and 2 < end < len(data):
            return self._learning(data[:end], data[end:])
        return self._decoded(data)

    def _learning(self, first: bytes, rest: bytes) -> Iterator[Sequence[Chunk]]:
        """The *first* event by itself, so that there is something to learn, and then the *rest*."""
        yield from self._decoded(first)
        if self._chunks.has_ended:
            return
        if text := self._shortcut.take(rest):
            yield (TextDelta(text),)
        else:
            yield from self._decoded(rest)

    def _decoded(self, data: bytes) -> Iterable[Sequence[Chunk]]:
        """What *data* comes to by the long way."""
        was_clean = self._alike is not None and self._alike.is_clean
        events = self._framing.feed(data)
        if len(events) != 1:
            return _heard(events, self._chunks)
        heard = self._chunks.feed(events[0])  # mostly there is one, which needs no further thought
        if was_clean and self._alike is not None and self._alike.is_clean:
            self._shortcut.learn(data, heard)
        return (heard or ALIVE,) if heard or self._chunks.is_calling else ()


class Shortcut:
    """Knows what the last event of plain text looked like."""

    __slots__ = ("_before", "_behind", "_between", "_vain")

    def __init__(self) -> None:
        self._before = b""
        self._behind = b""
        self._between = b""
        self._vain = 0

    @property
    def learns(self) -> bool:
        """Whether it is still worth a try."""
        return self._vain < _MOST_VAIN

    def take(self, data: bytes) -> str:
        """The text of *data*, which begins where an event does, if it is nothing but events like the last; else nothing."""
        before, behind = self._before, self._behind
        if not before or not data.startswith(before) or not data.endswith(behind):
            return ""
        if len(data) < len(before) + len(behind):
            return ""
        inner = data[len(before) : len(data) - len(behind)]
        try:
            text = inner.replace(self._between, b"")
            found = text.decode() if not _SPECIAL.search(text) else "".join(map(_text, inner.split(self._between)))
        except ValueError:
            return ""
        self._vain = 0
        return found

    def learn(self, data: bytes, heard: Sequence[Chunk]) -> None:
        """Remember what *data*, one whole event from which *heard* was read, looks like around its text."""
        if not self.learns or len(heard) != 1 or type(heard[0]) is not TextDelta or b"\\" in data:
            return  # where something is written in another way than it is read, it might be found in a wrong place
        quoted = b'"%b"' % heard[0].text.encode("utf-8", "replace")
        before, found, behind = data.partition(quoted)
        if not found or quoted in behind or not data.endswith(_END_OF_EVENT):
            return
        self._before, self._behind = before + b'"', b'"' + behind
        self._between = self._behind + self._before
        self._vain += 1


def _text(inside: bytes) -> str:
    """The JSON text that has *inside* between its quotes; raises ``ValueError`` if that is none."""
    text: str = json.loads(b'"%b"' % inside)
    return text


def _heard(events: Sequence[RawEvent], chunks: Chunks) -> Iterator[Sequence[Chunk]]:
    """What *events*, which arrived together, come to, up to the end of the answer.

    Texts in a row are one text: what is made of them is the same, and who has fallen behind catches up.
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
    """*texts* as one, which are then forgotten."""
    text = texts[0] if len(texts) == 1 else "".join(texts)
    texts.clear()
    return (TextDelta(text),)
