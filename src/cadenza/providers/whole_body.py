"""A body that should be a stream of events, but may be one document: some servers do not stream when asked to."""

from __future__ import annotations

from collections.abc import Sequence

from ..stages.s2_generation import Framing, ServerSentEvents
from ..types import Ending, RawEvent

_LONGEST = 16_000_000
"""Bytes of a document above which it is no answer."""
_BLANK = b" \t\r\n\xef\xbb\xbf"
"""What may stand in front, a byte order mark among it."""
_OPENINGS = (b"{", b"[", b"<")
"""How a document begins: an answer, a list with an error in it, or a web page that says that the address is wrong."""


class EventsOrDocument:
    """Server-sent events; or, if the body begins like a document, all of it as one event at its end."""

    def __init__(self) -> None:
        self._events: Framing | None = None
        self._document: list[bytes] = []
        self._length = 0
        self._is_document = False

    def feed(self, data: bytes, /) -> Sequence[RawEvent]:
        """Take some bytes; give back the events that are whole."""
        if self._events is not None:
            return self._events.feed(data)
        if self._is_document or not data.strip(_BLANK):
            self._keep(data)
            return ()
        if data.lstrip(_BLANK)[:1] in _OPENINGS:
            self._is_document = True
            self._keep(data)
            return ()
        self._events = ServerSentEvents()
        before, self._document = b"".join(self._document), []
        return self._events.feed(before + data)

    def flush(self, why: Ending, /) -> Sequence[RawEvent]:
        """The connection is over: give back the document, or a last event that was not ended."""
        if self._events is not None:
            return self._events.flush(why)
        whole, self._document = b"".join(self._document).strip(_BLANK), []
        return [RawEvent("", whole)] if whole else []

    def _keep(self, data: bytes) -> None:
        self._length += len(data)
        if self._length <= _LONGEST:
            self._document.append(data)
        else:
            self._document.clear()
