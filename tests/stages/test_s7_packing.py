"""Where a text that is too long for one message is cut, and what is shown on both sides of the cut."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.stages.s7_blocks import Cut, TextPiece
from cadenza.stages.s7_packing import messages, shown, slices, wrote
from cadenza.types import Boundary, Kind, Segment


def piece(text: str, cut: Cut = Cut.LINE, kind: Kind = Kind.PROSE, **values: str) -> TextPiece:
    return TextPiece(Segment(text, Boundary.NEWLINE, kind, **values), text, cut)  # type: ignore[arg-type]


def packed(*pieces: TextPiece, limit: int) -> list[str]:
    return [shown(part) for part in messages(pieces, limit, len)]


@pytest.mark.parametrize(
    ("cuts", "expected"),
    [
        pytest.param([Cut.BLOCK, Cut.LINE, Cut.BLOCK, Cut.LINE], ["aaa\nbbb", "ccc\nddd"], id="between blocks"),
        pytest.param([Cut.BLOCK, Cut.ITEM, Cut.LINE, Cut.LINE], ["aaa", "bbb\nccc\nddd"], id="an item before lines"),
        pytest.param([Cut.BLOCK, Cut.NESTED, Cut.ITEM, Cut.NESTED], ["aaa\nbbb", "ccc\nddd"], id="the outer item"),
        pytest.param([Cut.BLOCK, Cut.LINE, Cut.LINE, Cut.GLUED], ["aaa\nbbb", "ccc\nddd"], id="not behind a heading"),
        pytest.param([Cut.BLOCK, Cut.LINE, Cut.LINE, Cut.LINE], ["aaa\nbbb\nccc", "ddd"], id="as late as it can be"),
    ],
)
def test_the_best_cut_that_fits_is_made(cuts: list[Cut], expected: list[str]) -> None:
    lines = [piece(text + "\n", cut) for text, cut in zip(("aaa", "bbb", "ccc", "ddd"), cuts, strict=True)]

    assert expected == packed(*lines, limit=12)


def test_a_good_cut_that_leaves_almost_nothing_is_not_made() -> None:
    lines = [piece("a\n"), piece("b" * 20 + "\n", Cut.BLOCK), piece("c" * 20 + "\n"), piece("d" * 20 + "\n")]

    assert packed(*lines, limit=50)[0] == "a\n" + "b" * 20 + "\n" + "c" * 20


def test_a_piece_that_is_too_long_is_left_to_the_caller() -> None:
    assert ["a", "b" * 90, "c"] == packed(piece("a\n"), piece("b" * 90 + "\n"), piece("c"), limit=50)


@given(
    st.lists(st.tuples(st.text("ab \n", min_size=1, max_size=30), st.sampled_from(Cut)), min_size=1),
    st.integers(30, 90),
)
def test_nothing_is_lost_and_everything_fits(parts: list[tuple[str, Cut]], limit: int) -> None:
    pieces = [piece(text, cut) for text, cut in parts]

    made = list(messages(pieces, limit, len))

    assert pieces == [one for part in made for one in part]
    assert all(len(shown(part)) <= limit for part in made)


@pytest.mark.parametrize(
    ("pieces", "expected"),
    [
        pytest.param([piece("  - a\n"), piece("  - b\n"), piece("    - c\n")], "- a\n- b\n  - c", id="an indent goes from all lines"),
        pytest.param([piece("  - a\n"), piece("- b\n"), piece("  - c\n")], "- a\n- b\n  - c", id="up to a line without it"),
        pytest.param([piece("a b", opens_in="**")], "**a b", id="reopened"),
        pytest.param([piece("a b\n", ends_in="||**")], "a b**||", id="closed, the inner one first"),
        pytest.param([piece("|| c\n", opens_in="||")], "c", id="what closes at once is left out"),
        pytest.param([piece("```\nx\n```", Cut.BLOCK, Kind.CODE, opens_in="||**", ends_in="||**")], "||```\nx\n```||", id="code is hidden, never bold"),
        pytest.param([piece("a\n", opens_in="**", ends_in="**"), piece("b\n")], "**a**\nb", id="what ends in between is closed there"),
        pytest.param([piece("b\n")._replace(context="> ")], "> b", id="a line goes on as what it was"),
    ],
)  # fmt: skip
def test_what_is_shown(pieces: list[TextPiece], expected: str) -> None:
    assert expected == shown(pieces)


def test_what_the_model_wrote_is_put_together_with_its_white_space() -> None:
    table = piece("shown\n", Cut.BLOCK, Kind.CODE, source="| a |")
    code = piece("```\nx\n```", Cut.LINE, Kind.CODE, joint="  ")

    assert "a\n| a |\n  ```\nx\n```" == wrote([piece("a\n"), table, code])


@pytest.mark.parametrize(
    ("raw", "texts", "kind", "expected"),
    [
        pytest.param("a b", ["a b"], Kind.PROSE, ["a b"], id="one"),
        pytest.param("**a b c d**", ["**a b**", "**c d**"], Kind.PROSE, ["**a b ", "c d**"], id="emphasis"),
        pytest.param("> a b c", ["> a", "> b c"], Kind.PROSE, ["> a ", "b c"], id="a quote"),
        pytest.param("```py\na\nb\n```", ["```py\na\n```", "```py\nb\n```"], Kind.CODE, ["```py\na\n", "b\n```"], id="code"),
        pytest.param("a b", ["x", "y"], Kind.PROSE, None, id="something else"),
    ],
)  # fmt: skip
def test_a_cut_text_knows_what_the_model_wrote(
    raw: str, texts: list[str], kind: Kind, expected: list[str] | None
) -> None:
    assert expected == slices(raw, texts, kind)
