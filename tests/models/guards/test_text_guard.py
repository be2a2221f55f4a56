from __future__ import annotations

from collections.abc import Sequence

import pytest

from cadenza.errors import ProviderError
from cadenza.models.guards.text_guard import TextGuard, said, thought
from cadenza.types import Chunk, Ending, Failed, Finished, Served, TextDelta, ThoughtDelta, ToolCall, Usage


class Holding(TextGuard):
    """Holds all text but the letter x, and remembers thoughts."""

    def __init__(self) -> None:
        self.held = ""
        self.overheard = ""

    def passes(self, text: str) -> bool:
        return text == "x"

    def read(self, text: str) -> Sequence[Chunk]:
        self.held += text
        return ()

    def rest(self) -> Sequence[Chunk]:
        held, self.held = self.held, ""
        return said(held)

    def overhear(self, text: str) -> None:
        self.overheard += text


CALL = ToolCall("1", "f", "{}")
FAILED = Failed(ProviderError("no"))


@pytest.mark.parametrize("chunk", [CALL, Finished("length"), FAILED], ids=["call", "end", "failure"])
def test_what_is_held_comes_before_a_call_and_before_the_end(chunk: Chunk) -> None:
    guard = Holding()

    assert [] == list(guard.feed(TextDelta("a")))
    assert [TextDelta("a"), chunk] == list(guard.feed(chunk))
    assert [] == list(guard.flush(Ending.FINAL))


@pytest.mark.parametrize("chunk", [Usage(1, 2), Served("x"), ThoughtDelta("hm")], ids=["usage", "served", "thought"])
def test_what_stands_nowhere_in_the_text_goes_past_it(chunk: Chunk) -> None:
    guard = Holding()
    guard.feed(TextDelta("a"))

    assert [chunk] == list(guard.feed(chunk))
    assert "a" == guard.held


def test_a_guard_overhears_thoughts() -> None:
    guard = Holding()
    guard.feed(ThoughtDelta("hm"))

    assert "hm" == guard.overheard


def test_ordinary_text_passes_as_the_very_chunk_that_came() -> None:
    chunk = TextDelta("x")

    (passed,) = Holding().feed(chunk)

    assert chunk is passed


def test_a_stream_that_just_stops_loses_nothing() -> None:
    """B31: no last chunk is needed to let go of what is held."""
    guard = Holding()
    guard.feed(TextDelta("a"))

    assert [TextDelta("a")] == list(guard.flush(Ending.FINAL))


def test_nothing_makes_no_chunk() -> None:
    assert () == said("")
    assert () == thought("")
    assert (ThoughtDelta("a"),) == thought("a")
