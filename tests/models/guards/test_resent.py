from __future__ import annotations

import pytest

from cadenza.models.guards.resent import ResentGuard
from cadenza.types import Ending, Finished, TextDelta


def passed(*pieces: str) -> list[str]:
    guard = ResentGuard()
    out = [chunk for piece in pieces for chunk in guard.feed(TextDelta(piece))]
    return [chunk.text for chunk in out if isinstance(chunk, TextDelta)]


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param(
            ["I will check the weather", " the weather for you"],
            ["I will check the weather", " for you"],
            id="4.1 the end again",
        ),
        pytest.param(["abcdefgh", "abcdefghij"], ["abcdefgh", "ij"], id="4.2 all of it again, and more"),
        pytest.param(["abcdefgh", "abcdefgh"], ["abcdefgh"], id="all of it again"),
        pytest.param(["short", "short"], ["short", "short"], id="4.2 too short to tell"),
        pytest.param(
            ["Hello there, ", "there, friend"], ["Hello there, ", "there, friend"], id="4.2 too little in common"
        ),
        pytest.param(["a", "", "b"], ["a", "b"], id="nothing"),
    ],
)
def test_what_was_sent_before_is_taken_off(pieces: list[str], expected: list[str]) -> None:
    assert expected == passed(*pieces)


def test_nothing_is_held() -> None:
    guard = ResentGuard()
    guard.feed(TextDelta("abcdefgh"))

    assert [Finished()] == list(guard.feed(Finished()))
    assert [] == list(guard.flush(Ending.FINAL))
