from __future__ import annotations

from collections.abc import Sequence

import pytest

from cadenza.errors import ProviderError
from cadenza.stages.s3_chunks import Chunks
from cadenza.types import Chunk, Ending, Failed, Finished, RawEvent, TextDelta

BROKEN = Failed(ProviderError("overloaded"))


class Letters:
    """A dialect of one letter a chunk: ``.`` finishes, ``!`` fails, anything else is text; ``(`` is held to the end."""

    def __init__(self) -> None:
        self._held: list[Chunk] = []

    def feed(self, event: RawEvent, /) -> Sequence[Chunk]:
        chunks: list[Chunk] = []
        for letter in event.data.decode():
            match letter:
                case "(":
                    self._held.append(TextDelta("held"))
                case ".":
                    chunks.append(Finished())
                case "!":
                    chunks.append(BROKEN)
                case _:
                    chunks.append(TextDelta(letter))
        return chunks

    def flush(self, why: Ending, /) -> Sequence[Chunk]:  # noqa: ARG002  # the end is the end
        return self._held


def decoded(*events: str) -> list[object]:
    chunks = Chunks(Letters())
    out = [chunk for event in events for chunk in chunks.feed(RawEvent("", event.encode()))]
    return [*out, *chunks.flush(Ending.FINAL)]


A, B, HELD, DONE, OVER = TextDelta("a"), TextDelta("b"), TextDelta("held"), Finished(), Finished("end_of_stream")


@pytest.mark.parametrize(
    ("events", "expected"),
    [
        pytest.param([], [OVER], id="nothing at all"),
        pytest.param(["a", "b"], [A, B, OVER], id="the end is not said"),
        pytest.param(["ab."], [A, B, DONE], id="the end is said"),
        pytest.param(["a.b"], [A, DONE], id="nothing after the end, in one event"),
        pytest.param(["a.", "b"], [A, DONE], id="nothing after the end, in another"),
        pytest.param(["a.", "."], [A, DONE], id="one end"),
        pytest.param(["a!", "b."], [A, BROKEN], id="a failure is an end"),
        pytest.param(["a.!"], [A, DONE], id="no failure after the end"),
        pytest.param(["a("], [A, HELD, OVER], id="what is held comes before the end"),
        pytest.param(["(a."], [A, DONE], id="what is held does not come after it"),
    ],
)
def test_a_stream_has_exactly_one_end(events: list[str], expected: list[object]) -> None:
    assert expected == decoded(*events)


def test_a_second_flush_says_nothing_more() -> None:
    chunks = Chunks(Letters())

    assert list(chunks.flush(Ending.FINAL)) == [OVER]
    assert list(chunks.flush(Ending.FINAL)) == []
