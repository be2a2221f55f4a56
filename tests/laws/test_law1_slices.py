"""Law 1: a decision may wait, but never change. How a stream is sliced changes nothing that comes out."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from tests.laws.material import CORPUS, nasty_markdown, play

MANNERS: tuple[dict[str, Any], ...] = (
    {"shape": "reply"},
    {"shape": "blocks"},
    {"shape": "lines"},
    {"shape": "lines", "grouping": False},
    {"degree": 3},
)
ENDS = ("final", "tool", "stop", "follow_up")


@pytest.mark.parametrize("manner", MANNERS, ids=str)
@pytest.mark.parametrize("name", CORPUS)
def test_a_real_reply_comes_out_the_same_however_it_is_sliced(name: str, manner: dict[str, Any]) -> None:
    text = CORPUS[name]

    whole = play(text, **manner)

    assert whole == play(text, how="chars", **manner)
    for seed in range(5):
        assert whole == play(text, how=f"random:{seed}", **manner)


@given(nasty_markdown(), st.integers(0, 2**32), st.sampled_from(MANNERS), st.sampled_from(ENDS))
def test_nasty_markdown_comes_out_the_same_however_it_is_sliced(
    text: str, seed: int, manner: dict[str, Any], end: str
) -> None:
    whole = play(text, **manner, end=end)

    assert whole == play(text, how="chars", **manner, end=end)
    assert whole == play(text, how=f"random:{seed}", **manner, end=end)


@given(
    nasty_markdown(max_bits=25),
    st.integers(0, 2**32),
    st.integers(50, 300),
    st.integers(50, 400),
    st.integers(0, 300),
)
def test_small_limits_change_nothing_about_that(text: str, seed: int, limit: int, overflow: int, hold: int) -> None:
    settings = {"limit": limit, "overflow": overflow, "code_overflow": 200, "hold": hold}

    whole = play(text, **settings)

    assert whole == play(text, how="chars", **settings)
    assert whole == play(text, how=f"random:{seed}", **settings)


@given(nasty_markdown(max_bits=20), st.data())
def test_what_was_given_out_is_never_taken_back(text: str, data: st.DataObject) -> None:
    """What a longer text gives out begins with what the shorter one gave out while it was streaming."""
    cut = data.draw(st.integers(0, len(text)))

    before = play(text[:cut], end="follow_up")["segments"]
    after = play(text, end="follow_up")["segments"]

    assert before == after[: len(before)]
