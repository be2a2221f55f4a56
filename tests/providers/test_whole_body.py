from __future__ import annotations

import pytest

from cadenza.providers.whole_body import EventsOrDocument
from cadenza.types import Ending, RawEvent
from tests.providers.recorded import every_slicing

BODIES = [
    pytest.param(b'data: {"a": 1}\n\ndata: [DONE]\n\n', [b'{"a": 1}', b"[DONE]"], id="events"),
    pytest.param(b"\n\n: hello\n\ndata: 1\n\n", [b"1"], id="events behind blanks and a comment"),
    pytest.param(b"\xef\xbb\xbfdata: 1\n\n", [b"1"], id="events behind a byte order mark"),
    pytest.param(b"data: 1", [b"1"], id="an event that was not ended"),
    pytest.param(b'{\n  "a": "\n\ndata: 1"\n}\n', [b'{\n  "a": "\n\ndata: 1"\n}'], id="a document"),
    pytest.param(b'\r\n \xef\xbb\xbf{"a": 1}', [b'{"a": 1}'], id="a document behind blanks"),
    pytest.param(b'[{"error": 1}]', [b'[{"error": 1}]'], id="a list"),
    pytest.param(b"<html>wrong address</html>", [b"<html>wrong address</html>"], id="a web page"),
    pytest.param(b" \n\n", [], id="blanks"),
    pytest.param(b"", [], id="nothing"),
]


@pytest.mark.parametrize(("body", "events"), BODIES)
def test_a_body_is_events_or_one_document_however_it_is_sliced(body: bytes, events: list[bytes]) -> None:
    for slices in every_slicing(body) if body else [[]]:
        framing = EventsOrDocument()
        found = [event for data in slices for event in framing.feed(data)]

        assert [RawEvent("", data) for data in events] == [*found, *framing.flush(Ending.FINAL)]


def test_a_document_without_end_is_dropped() -> None:
    framing = EventsOrDocument()
    framing.feed(b"{")
    for _ in range(20):
        framing.feed(b" " * 1_000_000)

    assert [] == list(framing.flush(Ending.FINAL))
