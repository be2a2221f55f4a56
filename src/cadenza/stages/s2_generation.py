"""Stage 2: bytes in, raw events out. Frames a provider's stream, however the network sliced it.

The network itself is a ``Transport``: one callable from a request to the bytes of the answer.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Protocol, TypeAlias

from ..types import Ending, HttpRequest, RawEvent

Transport: TypeAlias = Callable[[HttpRequest], AsyncIterator[bytes]]
"""Sends a request and yields the bytes of the answer as they come; closing the iterator closes the connection."""


class Framing(Protocol):
    """A stage from bytes to events."""

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take some bytes; give back the events that are whole."""

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:
        """The connection is over: give back a last event that was not ended."""


class _Lines:
    """Cuts bytes into lines; a line may come in any number of pieces and end in CR, LF or both."""

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._after_cr = False

    def feed(self, data: bytes) -> list[bytes]:
        if self._after_cr and data:
            data = data.removeprefix(b"\n")
            self._after_cr = False
        if b"\n" not in data and b"\r" not in data:
            if data:
                self._tail.append(data)
            return []
        self._after_cr = data.endswith(b"\r")
        whole = b"".join([*self._tail, data])
        lines = whole.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        last = lines.pop()
        self._tail = [last] if last else []
        return lines

    def flush(self) -> list[bytes]:
        last = b"".join(self._tail)
        self._tail = []
        return [last] if last else []


class JsonLines:
    """One event a line."""

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take some bytes; give back an event for every whole line."""
        return [RawEvent("", line) for line in self._lines.feed(data) if line.strip()]

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:  # noqa: ARG002  # the last line counts, whatever the end
        """Give back the last line, if it was not ended."""
        return [RawEvent("", line) for line in self._lines.flush() if line.strip()]


class ServerSentEvents:
    """Server-sent events as the HTML standard frames them: names, comments, data over several lines."""

    def __init__(self) -> None:
        self._lines = _Lines()
        self._is_first_line = True
        self._name = ""
        self._data: list[bytes] = []

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take some bytes; give back the events that were ended by an empty line."""
        return [event for line in self._lines.feed(data) for event in self._line(line)]

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:  # noqa: ARG002  # likewise
        """Give back a last event, even if no empty line ended it: some servers forget."""
        events = [event for line in self._lines.flush() for event in self._line(line)]
        return [*events, *self._line(b"")]

    def _line(self, line: bytes) -> list[RawEvent]:
        if self._is_first_line:
            line = line.removeprefix(b"\xef\xbb\xbf")  # a byte order mark is not part of the first field's name
            self._is_first_line = False
        if not line:
            name, data = self._name, self._data
            self._name, self._data = "", []
            return [RawEvent(name, b"\n".join(data))] if data else []
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value)
        elif field == b"event":
            self._name = value.decode("utf-8", "replace")
        return []
