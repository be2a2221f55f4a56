from __future__ import annotations

import pytest

from cadenza.text.repair import Fence, close_fence, close_openers, is_blank, split_fence
from cadenza.text.spans import Scanner
from tests.helpers import same_every_way


@pytest.mark.parametrize(
    ("text", "fence", "body"),
    [
        pytest.param("```py\nx\n```", Fence("", "```", "py"), "x\n```", id="usual"),
        pytest.param("```\nx\n```", Fence("", "```", ""), "x\n```", id="no info string"),
        pytest.param("```c++\nx\n```", Fence("", "```", "c++"), "x\n```", id="b17 c++"),
        pytest.param("```py title=x\nx\n```", Fence("", "```", "py title=x"), "x\n```", id="b17 attributes"),
        pytest.param("````md\n```\n````", Fence("", "````", "md"), "```\n````", id="b37 four backticks"),
        pytest.param("> ```py\n> x\n> ```", Fence("> ", "```", "py"), "> x\n> ```", id="in a quote"),
        pytest.param("  ```\n  x", Fence("  ", "```", ""), "  x", id="indented"),
        pytest.param("```all here```", Fence("", "```", ""), "all here```", id="on one line"),
        pytest.param("no fence", Fence("", "```", ""), "no fence", id="no fence at all"),
    ],
)
def test_the_opening_line_comes_off(text: str, fence: Fence, body: str) -> None:
    assert (fence, body) == split_fence(text)


def test_b17_a_fence_opens_again_with_all_of_its_line() -> None:
    fence = Fence("> ", "````", "py title=x")

    assert (fence.opening, fence.closing) == ("> ````py title=x\n", "> ````")


@pytest.mark.parametrize(
    ("text", "closed"),
    [
        pytest.param("```py\nx = (1", "```py\nx = (1\n```", id="b15 in a line"),
        pytest.param("```py\nx\n", "```py\nx\n```", id="b15 after a line"),
        pytest.param("````md\n```\nx\n```\n", "````md\n```\nx\n```\n````", id="b37 with as many backticks"),
        pytest.param("```py\nx\n``", "```py\nx\n```", id="half of the closing run came"),
        pytest.param("> ```py\n> x", "> ```py\n> x\n> ```", id="in a quote"),
        pytest.param("```on one line", "```on one line```", id="on one line"),
        pytest.param("```on one line``", "```on one line```", id="on one line, half closed"),
        pytest.param("```", "", id="b19 only a fence"),
        pytest.param("```\n\n  \n", "", id="b19 nothing in it"),
        pytest.param("```py\n\n  \n", "```\npy\n```", id="its first line is all it has"),
        pytest.param("```py\nx\n\n\n", "```py\nx\n\n\n```", id="b16 blank lines stay"),
    ],
)
def test_a_code_block_that_was_left_open_is_closed(text: str, closed: str) -> None:
    assert closed == close_fence(text)


@pytest.mark.parametrize("body", ["", "\n \n", "```", "\n```"])
def test_a_block_of_space_is_blank(body: str) -> None:
    assert is_blank(Fence("", "```", "py"), body)


def test_a_quoted_block_of_empty_lines_is_blank() -> None:
    assert is_blank(Fence("> ", "```", ""), "> \n>\n> ```")
    assert not is_blank(Fence("> ", "```", ""), "> x\n> ```")


def closed(pieces: list[str]) -> str:
    scanner = Scanner()
    for piece in pieces:
        scanner.feed(piece)
        while scanner.find():
            pass
    while scanner.find(final=True):
        pass
    return close_openers(scanner.text, scanner.openers)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("((a", "((a))", id="brackets"),
        pytest.param('"(a', '"(a)"', id="b31 inside out"),
        pytest.param("(**a *b", "(**a *b***)", id="b31 three deep"),
        pytest.param("「『a", "「『a』」", id="Japanese quotes"),
        pytest.param("“a", "“a”", id="curly quotes"),
        pytest.param("**bold** and *it", "**bold** and *it*", id="only what is open"),
        pytest.param("***a** b", "***a** b*", id="what is left of three stars"),
        pytest.param("~~gone", "~~gone~~", id="strike"),
        pytest.param("||secret", "||secret||", id="spoiler"),
        pytest.param("__under", "__under__", id="underline"),
        pytest.param("**bold \n", "**bold** \n", id="before the space at the end"),
        pytest.param("[a", "[a", id="b31 a bracket is just a bracket"),
        pytest.param("[a](b", "[a](b)", id="half an address"),
        pytest.param("snake_case", "snake_case", id="b31 identifier"),
        pytest.param("* item", "* item", id="b31 bullet"),
        pytest.param("2 * 3", "2 * 3", id="b31 product"),
        pytest.param('27" and :(', '27" and :(', id="b23 inches and a face"),
        pytest.param("`(a` ok", "`(a` ok", id="b31 not for code"),
        pytest.param("fine :)", "fine :)", id="b22 smiley"),
    ],
)
def test_what_is_open_closes_in_reverse(text: str, expected: str) -> None:
    assert expected == same_every_way(text, closed)
