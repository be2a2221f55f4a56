from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.overlap import Overlap, without_overlap


@pytest.mark.parametrize(
    ("before", "text", "expected"),
    [
        pytest.param("xyzabcdefgh", "abcdefghijk", "ijk", id="the end again"),
        pytest.param("abcdefghi", "cdefghijk", "cdefghijk", id="seven are chance"),
        pytest.param("abcdefgh", "abcdefgh", "", id="all again"),
        pytest.param("abcdefg", "abcdefg", "abcdefg", id="too short to tell"),
        pytest.param("aaaaaaaa", "aaaaaaaaaa", "aa", id="the longest counts"),
        pytest.param("x12345678y", "12345678", "12345678", id="not at the end"),
        pytest.param("Hello wor", "Hello world", "ld", id="the whole reply so far"),
        pytest.param("", "abcdefgh", "abcdefgh", id="nothing before"),
        pytest.param("abcdefgh", "", "", id="nothing new"),
        pytest.param("abcdefgh" + "x" * 4096, "abcdefgh", "abcdefgh", id="too long ago"),
    ],
)
def test_what_was_there_before_is_taken_off(before: str, text: str, expected: str) -> None:
    assert expected == without_overlap(before, text)


def test_an_interface_that_sends_everything_again_each_time_says_it_once() -> None:
    overlap = Overlap()

    assert "".join(map(overlap.take, ["Hello wor", "Hello world, ", "Hello world, friend"])) == "Hello world, friend"


@given(st.text("ab", min_size=1, max_size=60), st.data())
def test_a_stream_cut_with_overlaps_comes_together_again(text: str, data: st.DataObject) -> None:
    """Letters are numbered, so that every overlap is a real one."""
    whole = "".join(f"{letter}{index:03}." for index, letter in enumerate(text))
    overlap, said, position = Overlap(), "", 0
    while position < len(whole):
        again = data.draw(st.integers(0, position))
        end = data.draw(st.integers(position + 1, len(whole)))
        again = again if position - again >= 8 else position  # shorter overlaps are no overlaps
        said += overlap.take(whole[again:end])
        position = end

    assert whole == said
