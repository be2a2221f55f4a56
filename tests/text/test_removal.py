from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from cadenza.text.prose import Prose
from cadenza.text.removal import BLOCK_MARK, tidied, tidied_cells, without_emphasis
from cadenza.text.tables import cells
from cadenza.types import Edit
from tests.helpers import calls_of

GONE = re.compile("X+")


def without(text: str) -> str:
    """*text* without its X."""
    prose = Prose.of(text)
    return prose.edited(tidied(prose, [Edit(*match.span()) for match in GONE.finditer(text)])).text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi X there", "hi there", id="between words"),
        pytest.param("hi  X there, X  you", "hi there,  you", id="spaces of its own before, of the text behind"),
        pytest.param("X hi", "hi", id="at the beginning"),
        pytest.param("  X hi\n\tX hi", "  hi\n\thi", id="indented"),
        pytest.param("hi X\nhi X", "hi\nhi", id="at the end"),
        pytest.param("hi X \nhi", "hi \nhi", id="space at the end"),
        pytest.param("a\n X \nb", "a\n\nb", id="alone on a line"),
        pytest.param(" X ", " ", id="all there is"),
        pytest.param("X", "", id="all there is, without space"),
        pytest.param("hi X!", "hi!", id="before a mark"),
        pytest.param("hi X, you X: ok X。 (a X) “b X”", "hi, you: ok。 (a) “b”", id="before other marks"),
        pytest.param("hi X!) so X...", "hi!) so...", id="before several marks"),
        pytest.param("hi X...and X:D X.5", "hi ...and :D .5", id="before marks that begin something"),
        pytest.param("hi Xthere (X hi) [X hi]", "hi there (hi) [hi]", id="a space on one side"),
        pytest.param("hiX there", "hi there", id="a space behind"),
        pytest.param("hiXthere 1X2 aX.", "hi there 1 2 a.", id="no space"),
        pytest.param("*so X* *X so* \"so X\" 'X so'", "*so* *so* \"so\" 'so'", id="in emphasis and quotes"),
        pytest.param('"so!"X there X"so" X*so*', '"so!" there "so" *so*', id="beside emphasis and quotes"),
        pytest.param("**X** a ||X|| b _X X_ c **||X||**", "a b c", id="all that is emphasised"),
        pytest.param("**a**X**b** c*X*", "**a** **b** c* *", id="between emphasis"),
        pytest.param("a X X b\nX X c\nd X X\n", "a b\nc\nd\n", id="several"),
        pytest.param("*X* X a", "a", id="one behind another that has gone"),
        pytest.param("@Xeveryone <X@1> [a]X(b) \\X`c`", "@ everyone < @1> [a] (b) \\ `c`", id="nothing new is made"),
        pytest.param(
            "hi!Xthere wow!X! http://e.org!Xx", "hi! there wow!! http://e.org!Xx", id="between marks and words"
        ),
        pytest.param("`X` http://e.org/X `a`X`b`", "`X` http://e.org/X `a` `b`", id="code, addresses"),
        pytest.param("http://e.org/X X a", "http://e.org/X a", id="beside an address"),
        pytest.param("http://e.org/a X! b", "http://e.org/a ! b", id="between an address and a mark"),
        pytest.param("한국X말 日本語X（X）です", "한국말 日本語です", id="letters that are written without spaces"),
        pytest.param("あXb cXあ", "あ b c あ", id="beside letters that are not"),
        pytest.param("a\u3000X\u3000b", "a\u3000b", id="other spaces"),
        pytest.param("a\u2028X b", "a\u2028b", id="other line ends"),
        pytest.param("none", "none", id="none"),
    ],
)
def test_a_removal_takes_its_white_space_along(text: str, expected: str) -> None:
    assert expected == without(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi (X) [X] {X}!", "hi!", id="brackets"),
        pytest.param("「X」 『X』 （X） “X” «X» a", "a", id="other brackets"),
        pytest.param("\"X\" a 'X' b", "a b", id="quotes"),
        pytest.param('|| X || a ( X ) b " X "', "a b", id="with spaces in them"),
        pytest.param("((X) [*X* X]) a", "a", id="one in another"),
        pytest.param("f(X)g 日（X）本", "f g 日本", id="between words"),
        pytest.param('say:"X" hi||X||', "say: hi", id="quotes and a spoiler behind a word"),
        pytest.param("(X, X) (a X) X) (X", "(,) (a)) (", id="more in them, or half of them"),
        pytest.param('"a" X "b" "a"X"b"', '"a" "b" "a""b"', id="between quotes"),
        pytest.param("|| a || X || b ||", "|| a || || b ||", id="between spoilers"),
        pytest.param("it's 'X' 5\" \"X\"", "it's 5\"", id="other quotes before"),
        pytest.param("so sad :( X)", "so sad :()", id="a face is no bracket"),
        pytest.param("note:(X)", "note:", id="a bracket behind a colon"),
        pytest.param(f"{'a' * 1000} || X ||", f"{'a' * 1000} || ||", id="far from where the line begins"),
        pytest.param(f"{'a' * 1000}\n|| X ||", f"{'a' * 1000}\n", id="where a line begins"),
        pytest.param("http://e.org/(X) a", "http://e.org/(X) a", id="part of an address"),
    ],
)
def test_what_enclosed_nothing_else_goes(text: str, expected: str) -> None:
    assert expected == without(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("- X", "", id="all there is"),
        pytest.param("a\n- X\n* X\n+ X\n• X\nb", "a\n\n\n\n\nb", id="list items"),
        pytest.param("1. X\n22) X\n", "\n\n", id="numbers"),
        pytest.param("> X\n# X\n### X\n-# X\n", "\n\n\n\n", id="quotes, headings"),
        pytest.param("  > - **X** (X)\nb", "\nb", id="one in another"),
        pytest.param("X - X", "", id="between two"),
        pytest.param("- X a\n> - X a", "- a\n> - a", id="more on the line"),
        pytest.param("a - X\n5 - X", "a -\n5 -", id="no mark of a block"),
        pytest.param("100. X\n*** X\n3.5 X", "100.\n***\n3.5", id="something else"),
    ],
)
def test_no_mark_of_a_block_is_left_alone(text: str, expected: str) -> None:
    assert expected == without(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("| a X | X b |\n|X c|\n", "| a | b |\n|c|\n", id="beside words"),
        pytest.param("| X |X|X | (X) X |\n", "| | | | |\n", id="all of a cell"),
        pytest.param("X | b\na | X\n", "| | b\na | |\n", id="no bars at the ends of the line"),
        pytest.param("a |X\r\nX\r\n", "a | |\r\n| |\r\n", id="other line ends"),
        pytest.param("> X | b\n> | X |", "> | | b\n> | |", id="in a quote"),
        pytest.param(r"| a \| X | \|X |", r"| a \| | \| |", id="bars that are text"),
        pytest.param("| X `X` | [X](b) X | `a` X `b` |", "| `X` | [X](b) | `a` `b` |", id="code, links"),
        pytest.param("| `a | b` X | c |", "| `a | b` | c |", id="a bar in code"),
        pytest.param("| - X | 1. X |", "| | |", id="marks of blocks"),
        pytest.param("| a | b |", "| a | b |", id="none"),
    ],
)
def test_a_table_keeps_its_bars_and_lines(text: str, expected: str) -> None:
    prose = Prose.of(text)
    edits = [Edit(*match.span()) for match in GONE.finditer(text)]

    assert expected == prose.edited(tidied_cells(prose, edits)).text


def test_what_a_bar_parts_stays_in_a_table() -> None:
    prose = Prose.of("| X|X | X |")

    assert [Edit(8, 10)] == list(tidied_cells(prose, [Edit(2, 5), Edit(8, 9)]))


@pytest.mark.parametrize("mark", ["-", "*", "+", "•", ">", ">>", "#", "######", "-#", "1.", "99)"])
def test_blocks_have_marks(mark: str) -> None:
    assert BLOCK_MARK.fullmatch(mark)


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        pytest.param([Edit(0, 1), Edit(2, 3, "Y")], "Y X", id="as it is"),
        pytest.param([Edit(0, 1, "Y"), Edit(2, 3)], "Y X", id="before a removal"),
        pytest.param([Edit(0, 1, "Y"), Edit(1, 3)], "Y X", id="right before a removal"),
        pytest.param([Edit(0, 1), Edit(1, 3, "Y")], "X X", id="not in what has gone"),
    ],
)
def test_what_is_replaced_keeps_its_white_space(edits: list[Edit], expected: str) -> None:
    prose = Prose.of("X X X")

    assert expected == prose.edited(tidied(prose, edits)).text


def test_a_mark_goes_once() -> None:
    prose = Prose.of("*X*a")

    assert [Edit(0, 3)] == list(tidied(prose, [Edit(1, 2), Edit(2, 4, "Y")]))


@pytest.mark.parametrize(
    ("text", "marks", "floor", "expected"),
    [
        pytest.param("**X**", "*", 0, "**X**", id="all"),
        pytest.param("***X**", "*", 0, "**X**", id="as many as there are on both sides"),
        pytest.param("||X||", "*", 0, "X", id="other marks"),
        pytest.param("a*X*", "*", 0, "X", id="behind a word"),
        pytest.param("(*X*", "*", 0, "*X*", id="behind a bracket"),
        pytest.param("**X**", "*", 2, "X", id="not before the floor"),
        pytest.param("X", "*", 0, "X", id="none"),
    ],
)
def test_emphasis_of_nothing_else_is_found(text: str, marks: str, floor: int, expected: str) -> None:
    start = text.index("X")

    first, last = without_emphasis(text, start, start + 1, marks=marks, floor=floor)

    assert expected == text[first:last]


PIECES = st.sampled_from([*'XXXa \n\t*_|~.,"()[]<@:`\u3000\ud800', "**", "http://e.org/", "`X`", "[X](b)", "<@1>"])


@given(st.lists(PIECES, max_size=24).map("".join))
def test_nothing_else_goes(text: str) -> None:
    after = without(text)

    assert text.count("\n") == after.count("\n")
    dropped = str.maketrans("", "", 'X \t\u3000*_|~()[]"')
    assert text.translate(dropped) == after.translate(dropped)
    for opener, closer in ("()", "[]"):
        assert text.count(opener) - after.count(opener) == text.count(closer) - after.count(closer)
    assert (text.count('"') - after.count('"')) % 2 == 0


@given(st.lists(st.sampled_from([*"XXa |\n-\\`(*", " | "]), max_size=24).map("".join))
def test_cells_stay_where_they_are(text: str) -> None:
    def letters(table: str) -> list[list[int]]:
        return [[cell.count("a") for cell in cells(line)] for line in table.split("\n")]

    prose = Prose.of(text)
    edits = [Edit(*match.span()) for match in GONE.finditer(text)]

    after = prose.edited(tidied_cells(prose, edits)).text

    assert letters(text) == letters(after)


@pytest.mark.parametrize(
    "unit",
    ["X ", "X", "a X", "*X*", "X" + " " * 50, "X*", "*" * 50 + "X", "(X)", "( X ", '" X " ', "- X\n", "- X", 'X"'],
)
def test_what_it_costs_grows_with_the_text(unit: str) -> None:
    def cost(length: int) -> int:
        prose = Prose.of(unit * (length // len(unit)))
        edits = [Edit(*match.span()) for match in re.finditer("X", prose.text)]
        return calls_of(lambda: list(tidied(prose, edits)))

    assert cost(4000) < 3 * cost(2000) + 100
