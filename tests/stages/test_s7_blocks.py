"""Blocks of a reply: what a block is, and how its pieces may be cut."""

from __future__ import annotations

import pytest

from cadenza.stages.s7_blocks import Block, Cut, TextPiece, Verse, is_large, pieces_of, size_of, verse_after
from cadenza.text.line_sorts import LineSort
from cadenza.types import Boundary, Segment


def block(sort: LineSort, *lines: str, cut: Cut = Cut.LINE) -> Block:
    made = Block(sort)
    for line in lines:
        made.add(TextPiece(Segment(line, Boundary.NEWLINE), line, cut), len(line))
    made.has_ended = bool(lines) and not lines[-1].strip()
    return made


@pytest.mark.parametrize(
    ("made", "announces", "is_title", "quotes_all"),
    [
        pytest.param(block(LineSort.TEXT, "Here are three:\n", "\n"), True, False, False, id="a lead-in"),
        pytest.param(block(LineSort.ITEM, "1. Run:\n"), True, False, False, id="an item that is a lead-in"),
        pytest.param(block(LineSort.CODE, "else:\n"), False, False, False, id="code is none"),
        pytest.param(block(LineSort.TITLE, "# Head\n"), False, True, False, id="a heading"),
        pytest.param(block(LineSort.TEXT, "Proof\n", "\n"), False, True, False, id="a short line between empty ones"),
        pytest.param(block(LineSort.TEXT, "Proof\n"), False, False, False, id="not known yet"),
        pytest.param(block(LineSort.TEXT, "Proof\n", "Lemma\n", "\n"), False, False, False, id="two lines"),
        pytest.param(block(LineSort.TEXT, "It is so.\n", "\n"), False, False, False, id="a sentence"),
        pytest.param(block(LineSort.QUOTE, ">>> all of it\n"), False, False, True, id="a quote to the end"),
        pytest.param(block(LineSort.QUOTE, "> a line\n"), False, False, False, id="a quote"),
    ],
)
def test_what_a_block_is(made: Block, *, announces: bool, is_title: bool, quotes_all: bool) -> None:
    assert (announces, is_title, quotes_all) == (made.announces, made.is_title, made.quotes_all)


def test_a_cut_within_a_group_is_worse_than_one_between_two() -> None:
    head, text, other = (block(LineSort.TEXT, "\n", line, "end\n", cut=Cut.BLOCK) for line in "abc")

    pieces = pieces_of([[head, text], [other]])

    assert [piece.cut for piece in pieces if piece.text in "abc"] == [Cut.BLOCK, Cut.GLUED, Cut.BLOCK]
    assert size_of([head, text]) == 12


def test_a_group_is_large_if_one_of_its_blocks_is() -> None:
    small, large = block(LineSort.TEXT), block(LineSort.CODE)
    large.is_large = True

    assert (False, True) == (is_large([small]), is_large([small, large]))


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        pytest.param(["Roses are red,\n"], [Verse.YES], id="a comma"),
        pytest.param(["Roses are red\n", "violets are blue,\n", "Fine.\n"], [Verse.PERHAPS, Verse.YES, Verse.YES], id="the second line decides"),
        pytest.param(["Roses are red\n", "Violets are blue\n"], [Verse.PERHAPS, Verse.NO], id="two lines without a mark"),
        pytest.param(["It is done.\n"], [Verse.NO], id="a sentence"),
        pytest.param(["x" * 90 + ",\n"], [Verse.NO], id="too long"),
    ],
)  # fmt: skip
def test_a_verse_is_known_by_its_lines(lines: list[str], expected: list[Verse]) -> None:
    found, verse = [], Verse.NO
    for line in lines:
        verse = verse_after(verse, line)
        found.append(verse)

    assert expected == found
