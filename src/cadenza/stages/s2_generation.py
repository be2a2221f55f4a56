"""Stage 2: bytes in, raw events out. Frames a provider's stream, however the network sliced it.

The network itself is a ``Transport``: a callable from a request to the bytes of the answer. There is one event per
token, so the framings are fast for the usual read, which holds whole events only: one ``split`` takes it apart.
Anything else (a cut event, a comment, an odd line end) goes line by line, with the same result.

Bytes stay bytes, so a character may be cut in two. Events that never end are bounded, and unusable input is counted.
"""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from typing import Protocol, TypeAlias

from ..types import Ending, HttpRequest, RawEvent

Transport: TypeAlias = Callable[[HttpRequest], AsyncIterator[bytes]]
"""Sends a request and yields the bytes of the answer as they arrive; closing the iterator closes the connection."""

LONGEST = 16 * 1024 * 1024
"""The longest line or event in bytes; longer ones are skipped."""

_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_CR = 0x0D
"""A number, because a byte is found much faster than a bytes object of length one."""


class Framing(Protocol):
    """A stage from bytes to events."""

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take bytes; return the events that are complete."""

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:
        """The connection has ended: return a last event that was not terminated."""


_new = tuple.__new__


def _unnamed(values: Iterable[bytes]) -> list[RawEvent]:
    """One event for each of *values*. Building the tuple directly takes half the time of calling ``RawEvent``."""
    return [_new(RawEvent, ("", value)) for value in values]


class _Lines:
    """Whole lines from any number of pieces; CR, LF and CR LF all become LF."""

    __slots__ = ("_after_cr", "_is_endless", "_longest", "_size", "_tail", "skipped")

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self._tail: list[bytes] = []
        self._size = 0
        self._after_cr = False
        self._is_endless = False
        self.skipped = 0
        """How many lines were too long."""

    @property
    def is_midway(self) -> bool:
        """Whether the next byte continues a line."""
        return bool(self._tail) or self._after_cr or self._is_endless

    def feed(self, data: bytes) -> bytes:
        """The lines that are now complete, each with its LF; empty if there are none."""
        if self._after_cr and data:
            self._after_cr = False
            data = data.removeprefix(b"\n")
        if _CR in data:
            self._after_cr = data.endswith(b"\r")
            data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        end = data.rfind(b"\n") + 1
        if not end:
            self._hold(data)
            return b""
        whole = self._completed(data[:end])
        self._hold(data[end:])
        return whole

    def flush(self) -> bytes:
        """The last line, with its missing LF."""
        return self._completed(b"\n") if self._tail else b""

    def _hold(self, data: bytes) -> None:
        if not data or self._is_endless:
            return
        self._tail.append(data)
        self._size += len(data)
        if self._size > self._longest:
            self._tail, self._size = [], 0
            self._is_endless = True
            self.skipped += 1

    def _completed(self, data: bytes) -> bytes:
        """*data*, which holds line ends, after the held part of its first line and without lines that are too long."""
        if self._is_endless:
            self._is_endless = False
            data = data[data.find(b"\n") + 1 :]
        elif self._tail:
            data = b"".join([*self._tail, data])
            self._tail, self._size = [], 0
        if len(data) <= self._longest:
            return data
        lines = data.split(b"\n")
        kept = [line for line in lines if len(line) <= self._longest]
        self.skipped += len(lines) - len(kept)
        return b"\n".join(kept)


class NewlineJson:
    """One event per line; blank lines are skipped."""

    def __init__(self, *, longest: int = LONGEST) -> None:
        self._lines = _Lines(longest)
        self._longest = longest
        self._is_clean = True  # whether the next byte begins a line

    @property
    def skipped(self) -> int:
        """How many lines were too long."""
        return self._lines.skipped

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take bytes; return an event for every complete line."""
        is_one = self._is_clean and data[:1] == b"{" and data.find(b"\n") == len(data) - 1 <= self._longest
        if is_one and _CR not in data:
            return (_new(RawEvent, ("", data[:-1])),)  # the usual case
        events = _line_events(self._lines.feed(data))
        self._is_clean = not self._lines.is_midway
        return events

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:  # noqa: ARG002  # the last line counts, whatever the end
        """Return the last line if it was not terminated."""
        return _line_events(self._lines.flush())


def _line_events(whole: bytes) -> list[RawEvent]:
    return _unnamed([line for line in whole.split(b"\n") if line and not line.isspace()]) if whole else []


class ServerSentEvents:
    """Server-sent events as the HTML standard frames them: names, comments, data over several lines."""

    def __init__(self, *, longest: int = LONGEST) -> None:
        self._lines = _Lines(longest)
        self._longest = longest
        self._is_first = True
        self.is_clean = False
        """Whether the next byte begins an event, and no state is held for it."""
        self._name = ""
        self._data: list[bytes] = []
        self._size = 0
        self._malformed = 0

    @property
    def skipped(self) -> int:
        """How many lines were no field, and how many lines or events were too long."""
        return self._malformed + self._lines.skipped

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take bytes; return the events that an empty line has ended."""
        if self.is_clean and len(data) <= self._longest:
            text = data.replace(b"\r\n", b"\n") if _CR in data else data
            if text[-2:] == b"\n\n" and _CR not in text:
                if text[:6] != b"data: ":
                    return self._events(text)
                if text.find(b"\n") == len(text) - 2:
                    return (_new(RawEvent, ("", text[6:-2])),)  # the usual case
                return _plain_events(text) or self._events(text)
        return self._line_by_line(self._lines.feed(data))

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:  # noqa: ARG002  # what is held counts, whatever the end
        """Return a last event, even if no empty line ended it: some servers forget that."""
        return self._line_by_line(self._lines.flush() + b"\n")

    def _line_by_line(self, text: bytes) -> list[RawEvent]:
        """The events that end in *text*, which holds whole lines, whatever came before it."""
        events: list[RawEvent] = []
        if text:
            if self._is_first:
                self._is_first = False
                text = text.removeprefix(_BYTE_ORDER_MARK)  # not part of the first field's name
            end = text.rfind(b"\n\n") + 2
            if end > 1 and not self._is_open:
                events = _plain_events(text[:end])
            events += self._events(text[end:] if events else text)
        self.is_clean = not (self._is_first or self._is_open or self._lines.is_midway)
        return events

    @property
    def _is_open(self) -> bool:
        """Whether an event has begun."""
        return bool(self._name or self._data or self._size)

    def _events(self, text: bytes) -> list[RawEvent]:
        """The events of *text*, one by one; the two LF after each end its last line and form the empty line."""
        events: list[RawEvent] = []
        blocks = text.split(b"\n\n")
        rest = blocks.pop()
        is_open = self._is_open
        head, name = b"", ""
        for block in blocks:
            if not is_open and block[:7] == b"event: ":
                end = block.find(b"\n")
                if block[end : end + 7] == b"\ndata: " and block.find(b"\n", end + 1) < 0:
                    if block[7:end] != head:  # usually the names are the same
                        head = block[7:end]
                        name = head.decode("utf-8", "replace")
                    events.append(_new(RawEvent, (name, block[end + 7 :])))
                    continue
            for line in block.split(b"\n"):
                self._line(line, events)
            self._end(events)
            is_open = False
        if rest:
            for line in rest[:-1].split(b"\n"):
                self._line(line, events)
        return events

    def _line(self, line: bytes, events: list[RawEvent]) -> None:
        if not line:
            self._end(events)
            return
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        match field:
            case b"data":
                self._size += len(value) + 1  # an empty line counts too
                if self._size <= self._longest:
                    self._data.append(value)
                else:
                    self._data.clear()
            case b"event":
                self._name = value.decode("utf-8", "replace")
            case b"" | b"id" | b"retry":
                pass  # a comment, or a field for clients that reconnect
            case _:
                self._foreign(line, events)

    def _end(self, events: list[RawEvent]) -> None:
        """End the open event."""
        if self._size > self._longest:
            self._malformed += 1
        elif self._data:
            events.append(RawEvent(self._name, b"\n".join(self._data)))
        self._name, self._data, self._size = "", [], 0

    def _foreign(self, line: bytes, events: list[RawEvent]) -> None:  # noqa: ARG002  # some make something of it
        """Skip a line that is no field."""
        self._malformed += 1


def _plain_events(text: bytes) -> list[RawEvent]:
    """The events of *text*, which ends in an empty line, if each is a single line of data; otherwise none."""
    if not text.startswith(b"data: "):
        return []
    values = text[6:-2].split(b"\n\ndata: ")
    # Every LF is one of the two after a value, or the text holds something else.
    return _unnamed(values) if text.count(b"\n") == 2 * len(values) else []


_IRRELEVANT = re.compile(rb'(?:[^"{}\[\]]++|"[^"\\]*+(?:\\.[^"\\]*+)*+")*+', re.DOTALL)
"""What does not matter: anything but brackets, and whole strings."""
_IN_STRING = re.compile(rb'["\\]')
_BETWEEN = b" \t\r\n,[]" + _BYTE_ORDER_MARK
"""What may come between and around the objects of an array."""


class JsonArray:
    """One JSON array of objects, each an event as soon as it is complete; a single object is also accepted.

    Every byte is read once: position, depth and string state are kept from read to read.
    """

    def __init__(self, *, longest: int = LONGEST) -> None:
        self._longest = longest
        self._buffer = bytearray()
        self._start = 0  # where the open object begins, or what precedes the next one
        self._position = 0  # how far was read; past the end if the next byte is escaped
        self._depth = 0
        self._in_string = False
        self._is_endless = False
        self._is_junk = False
        self.skipped = 0
        """How many objects were too long or never ended, and how often something else came between two."""

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take bytes; return the objects that are complete."""
        self._buffer += data
        events: list[RawEvent] = []
        while (mark := self._next_mark()) is not None:
            if mark in b"{[":
                self._open(mark)
            elif self._depth:
                self._close(events)
        self._forget()
        return events

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:  # noqa: ARG002  # half an object is none, whatever the end
        """Drop and count what was not terminated."""
        self.skipped += (self._depth > 0 and not self._is_endless) or self._is_junk
        self._buffer.clear()
        self._start = self._position = self._depth = 0
        self._in_string = self._is_endless = self._is_junk = False
        return ()

    def _next_mark(self) -> int | None:
        """Read on to the next bracket outside a string; ``None`` if it has not arrived."""
        buffer = self._buffer
        while True:
            if self._in_string and not self._leave_string():
                return None
            skipped_part = _IRRELEVANT.match(buffer, self._position)
            end = skipped_part.end() if skipped_part else len(buffer)  # it always matches, at least the empty string
            if end == len(buffer):
                self._position = end
                return None
            self._position = end + 1
            if buffer[end] != 0x22:
                return buffer[end]
            self._in_string = True

    def _leave_string(self) -> bool:
        """Read on to the end of the string; ``False`` if it has not arrived."""
        while (found := _IN_STRING.search(self._buffer, self._position)) is not None:
            self._position = found.end()
            if found[0] == b'"':
                self._in_string = False
                return True
            self._position += 1
        self._position = max(self._position, len(self._buffer))
        return False

    def _open(self, mark: int) -> None:
        if self._depth:
            self._depth += 1
        elif mark == 0x7B:  # an opening brace; the bracket of the array itself opens nothing
            self._note_junk(self._position - 1)
            self.skipped += self._is_junk
            self._is_junk = False
            self._depth = 1

    def _close(self, events: list[RawEvent]) -> None:
        self._depth -= 1
        if self._depth:
            return
        if self._position - self._start <= self._longest and not self._is_endless:
            events.append(RawEvent("", bytes(self._buffer[self._start : self._position])))
        elif not self._is_endless:
            self.skipped += 1
        self._is_endless = False
        self._start = self._position

    def _note_junk(self, end: int) -> None:
        """Count what does not belong before the next object, which begins at *end*."""
        self._is_junk = self._is_junk or bool(self._buffer[self._start : end].translate(None, _BETWEEN))
        self._start = end

    def _forget(self) -> None:
        """Keep only what can still become an event."""
        if not self._depth:
            self._note_junk(len(self._buffer))
        elif not self._is_endless and len(self._buffer) - self._start > self._longest:
            self._is_endless = True
            self.skipped += 1
        if self._is_endless:
            self._start = len(self._buffer)
        del self._buffer[: self._start]
        self._position -= self._start
        self._start = 0


class EventsOrJson(ServerSentEvents):
    """Server-sent events, from a server that sometimes sends plain JSON instead.

    A body that begins like JSON is an array or one object. Among events, JSON lines that are no fields become an event
    of their own: an error in the middle of an answer looks like that. A body without anything usable, such as a web
    page, becomes one event that no decoder can read.
    """

    def __init__(self, *, longest: int = LONGEST) -> None:
        super().__init__(longest=longest)
        self._json = JsonArray(longest=longest)
        self._is_json: bool | None = None
        self._is_empty = True

    @property
    def skipped(self) -> int:
        """How much input was unusable."""
        return super().skipped + self._json.skipped

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take bytes; return the events that are complete."""
        if self._is_json is None:
            data = data.lstrip(b" \t\r\n")
            if not data:
                return ()
            self._is_json = data.startswith((b"[", b"{"))
        events = self._json.feed(data) if self._is_json else super().feed(data)
        if events:
            self._is_empty = False
        return events

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:
        """Return a last event, even if no empty line ended it."""
        events = [*super().flush(why), *self._json.flush(why)]
        if self._is_empty and self.skipped and not events:
            events = [RawEvent("", b"")]
        self._is_empty = False
        return events

    def _foreign(self, line: bytes, events: list[RawEvent]) -> None:
        """A line that is no field may be part of some JSON."""
        found = self._json.feed(line + b"\n")
        if found:
            self._end(events)
            events += found
