from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.text.prose import Edit, Prose
from cadenza.text.removal import tidied, without_emphasis
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
        pytest.param("a\u3000X\u3000b", "a\u3000b", id="other spaces"),
        pytest.param("a\u2028X b", "a\u2028b", id="other line ends"),
        pytest.param("none", "none", id="none"),
    ],
)
def test_a_removal_takes_its_white_space_along(text: str, expected: str) -> None:
    assert expected == without(text)


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
    dropped = str.maketrans("", "", "X \t\u3000*_|~")
    assert text.translate(dropped) == after.translate(dropped)


@pytest.mark.parametrize("unit", ["X ", "X", "a X", "*X*", "X" + " " * 50, "X*", "*" * 50 + "X"])
def test_what_it_costs_grows_with_the_text(unit: str) -> None:
    def cost(length: int) -> int:
        prose = Prose.of(unit * (length // len(unit)))
        edits = [Edit(*match.span()) for match in re.finditer("X", prose.text)]
        return calls_of(lambda: list(tidied(prose, edits)))

    assert cost(4000) < 3 * cost(2000) + 100
