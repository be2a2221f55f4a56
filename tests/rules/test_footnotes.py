from __future__ import annotations

import pytest

from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(), only="footnotes")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("So it is.[^1]\n\n[^1]: A note.", "So it is.¹\n\n¹ A note.", id="a number"),
        pytest.param("So it is [^12].", "So it is¹².", id="after a space"),
        pytest.param("[^1] so", "¹ so", id="at the beginning"),
        pytest.param("a[^1][^2]", "a¹,²", id="two in a row"),
        pytest.param("a[^why] b[^how] c[^why]\n[^how]: H\n[^why]: W", "a¹ b² c¹\n² H\n¹ W", id="names"),
        pytest.param("a[^1] b[^why] c[^2]", "a¹ b² c²", id="a name takes a number that is not taken yet"),
        pytest.param("a[^2] b[^why] c[^how]", "a² b¹ c³", id="a name does not take one that is"),
        pytest.param("[^Why]: W\nsee [^why]", "¹ W\nsee ¹", id="a name that is known"),
        pytest.param("**bold**[^1] `[^1]`", "**bold**¹ `[^1]`", id="beside bold text and code"),
    ],
)
def test_numbers_are_raised(text: str, expected: str) -> None:
    assert expected == shown(text)
    assert expected == shown(text, sentences=True)


@pytest.mark.parametrize(
    "text",
    ["the set [^abc] of", "a[^abc]+", "x[^a-z]", "[^a-zA-Z0-9]", '"[^x]"', "a[^]", "[^ 1]", "x[^1](y)", "`a[^1]`", "[1]", "a[^x]"],
)  # fmt: skip
def test_sets_of_characters_and_the_like_stay(text: str) -> None:
    assert text == shown(text)


def test_a_note_begins_a_line() -> None:
    assert "This is it.¹: x" == shown("This is it.[^1]: x", sentences=True)
