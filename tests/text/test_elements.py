"""What the scanner finds in a whole text: elements, in their order."""

from __future__ import annotations

import pytest
from hypothesis import given

from cadenza.text.elements import Element, Sort, elements
from tests.helpers import calls_of
from tests.laws.nasty import nasty


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param('("a" 「b」)', [], id="quotes and brackets look like the rest"),
        pytest.param("**a *b***", [(Sort.EMPHASIS, 0, 9, "**"), (Sort.EMPHASIS, 4, 7, "*")], id="outer ones first"),
        pytest.param("`a` <@1>", [(Sort.CODE, 0, 3, ""), (Sort.TAG, 4, 8, "")], id="code and a tag"),
        pytest.param("[a](https://b.c)", [(Sort.LINK, 0, 16, "")], id="a link"),
        pytest.param("<https://b.c>", [(Sort.ADDRESS, 0, 13, "")], id="an address in brackets"),
        pytest.param("\\<https://b.c>", [(Sort.ADDRESS, 2, 13, "")], id="a bracket that stands for itself"),
        pytest.param("```py\nx\n``` *a*", [(Sort.BLOCK, 0, 11, "```"), (Sort.EMPHASIS, 12, 15, "*")], id="a block"),
        pytest.param("  ```\nx\n```", [(Sort.BLOCK, 2, 11, "```")], id="a block begins at its marks"),
        pytest.param("```\n*a*", [(Sort.EMPHASIS, 4, 7, "*")], id="a block that nothing closes is none"),
        pytest.param("````\n```\nx\n```", [(Sort.BLOCK, 5, 14, "```")], id="nor one that is closed by less"),
        pytest.param("~~~py\n~~~py\n*a*", [(Sort.EMPHASIS, 12, 15, "*")], id="two that nothing closes"),
        pytest.param("a | b\n--|--\n*c* | d", [(Sort.EMPHASIS, 12, 15, "*")], id="rows of a table are lines"),
        pytest.param("<think>*a*</think>", [(Sort.EMPHASIS, 7, 10, "*")], id="a thought that is shown is text"),
        pytest.param("-#\n*a*", [(Sort.EMPHASIS, 3, 6, "*")], id="behind a mark on a line of its own"),
    ],
)
def test_a_text_has_these_elements(text: str, expected: list[tuple[Sort, int, int, str]]) -> None:
    assert [Element(*one) for one in expected] == elements(text)


@given(nasty())
def test_elements_are_in_order_and_lie_in_the_text(text: str) -> None:
    found = elements(text)

    assert sorted(found, key=lambda element: (element.start, -element.end)) == found
    assert all(0 <= element.start < element.end <= len(text) for element in found)


@given(nasty())
def test_elements_never_cross(text: str) -> None:
    open_ends: list[int] = []
    for element in elements(text):
        while open_ends and open_ends[-1] <= element.start:
            open_ends.pop()
        assert not open_ends or element.end <= open_ends[-1]
        open_ends.append(element.end)


def _cost(text: str) -> int:
    return calls_of(lambda: elements(text))


def test_many_blocks_that_nothing_closes_cost_no_more_than_their_length() -> None:
    few, many = _cost("~~~py\n" * 500), _cost("~~~py\n" * 4000)

    assert many < few * 12
