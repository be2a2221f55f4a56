from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.repair import (
    Fence,
    as_written,
    close_fence,
    close_openers,
    continue_block,
    enclose,
    harmless,
    in_backticks,
    in_fence,
    is_blank,
    split_fence,
    tidy_block,
    without_closing,
)
from cadenza.text.spans import Opener, Scanner
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
        pytest.param("~~~py\nx\n~~~", Fence("", "~~~", "py"), "x\n~~~", id="tildes"),
        pytest.param("```" + "i" * 101 + "\nx", Fence("", "```", ""), "i" * 101 + "\nx", id="a first line of code"),
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
        pytest.param("~~~py\nx\n~~", "~~~py\nx\n~~~", id="half of the closing tildes came"),
        pytest.param("> ```\n> x\n> ``", "> ```\n> x\n> ```", id="half of the closing run came in a quote"),
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


@pytest.mark.parametrize(
    ("fence", "body", "expected"),
    [
        pytest.param(Fence("", "```", "py"), "x\n```", "x\n", id="on its line"),
        pytest.param(Fence("", "```", ""), "x```", "x", id="behind the code"),
        pytest.param(Fence("", "```", ""), "x\n```\n\n", "x\n", id="with space behind it"),
        pytest.param(Fence("", "```", ""), "x\n`````", "x\n", id="a longer run"),
        pytest.param(Fence("", "```", ""), "x\n``\n```", "x\n``\n", id="a shorter run before it is code"),
        pytest.param(Fence("", "````", ""), "```\nx\n```", "```\nx\n```", id="a shorter run does not close"),
        pytest.param(Fence("> ", "```", ""), "> x\n> ```", "> x\n", id="with its quote marks"),
        pytest.param(Fence("", "~~~", ""), "x\n~~~~", "x\n", id="tildes"),
        pytest.param(Fence("", "```", ""), "x\n", "x\n", id="not closed"),
    ],
)
def test_what_closes_a_code_block_comes_off(fence: Fence, body: str, expected: str) -> None:
    assert expected == without_closing(body, fence)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("~~~\nx\n~~~", "```\nx\n```", id="bare"),
        pytest.param("~~~~py\nx\n~~~\n~~~~", "```py\nx\n~~~\n```", id="with a language"),
        pytest.param("> ~~~py\n> x\n> ~~~", "> ```py\n> x\n> ```", id="in a quote"),
        pytest.param("~~~\na ```b``` c\n~~~", "````\na ```b``` c\n````", id="more than there are in it"),
        pytest.param("~~~\na `b` c\n~~~", "```\na `b` c\n```", id="code within a line needs no more"),
        pytest.param("~~~\n" + "`" * 9 + "\n~~~", "`" * 8 + "\n" + "`" * 9 + "\n" + "`" * 8, id="never more than 8"),
        pytest.param("~~~\nx~~~", "```\nx\n```", id="the end has its line"),
        pytest.param("```\nx~~~```", "```\nx~~~```", id="backticks stay as they are"),
    ],
)
def test_a_fence_of_tildes_becomes_one_of_backticks(text: str, expected: str) -> None:
    assert expected == in_backticks(text)


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        pytest.param("x\n", "> ```py\nx\n> ```", id="three"),
        pytest.param("```\nx", "> ````py\n```\nx\n> ````", id="one more than there are in it"),
    ],
)
def test_code_gets_a_fence_like_another(code: str, expected: str) -> None:
    assert expected == in_fence(code, Fence("> ", "`````", "py"))


@given(st.text("`x\n", max_size=30))
def test_no_run_of_harmless_backticks_closes_a_block(code: str) -> None:
    assert "```" not in harmless(code)
    assert code == as_written(harmless(code))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("```py\nx\n```", "```py\nx\n```", id="tidy already"),
        pytest.param("```all here```", "```all here```", id="on one line"),
        pytest.param("```a `b` c\nd\n```", "```\na `b` c\nd\n```", id="code on its first line gets its own"),
        pytest.param("```py\n\n```", "```\npy\n```", id="a first line is all it has"),
        pytest.param("```\n \n```", "", id="empty"),
        pytest.param("> ```\n>\n> ```", "", id="empty in a quote"),
    ],
)
def test_a_code_block_is_shown_tidily(text: str, expected: str) -> None:
    assert expected == tidy_block(text)


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
        pytest.param("„Ja", "„Ja“", id="German quotes"),
        pytest.param("（a", "（a）", id="full-width brackets"),
    ],
)
def test_what_is_open_closes_in_reverse(text: str, expected: str) -> None:
    assert expected == same_every_way(text, closed)


@pytest.mark.parametrize(
    ("text", "opener", "expected"),
    [
        pytest.param("a ** ", Opener("*", 2, 2), "a ** ", id="emphasis of nothing"),
        pytest.param("a ||", Opener("|", 2, 2), "a ||", id="a spoiler of nothing"),
        pytest.param("a (", Opener("(", 2, 1), "a ()", id="brackets around nothing"),
        pytest.param("``a`", Opener("`", 0, 2), "``a`", id="code that ends with a backtick"),
    ],
)
def test_only_what_would_be_something_is_closed(text: str, opener: Opener, expected: str) -> None:
    assert expected == close_openers(text, [opener])


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        pytest.param("> ```a `b` c\n> d\n> ```", "> ```\n> a `b` c\n> d\n> ```", id="code behind the fence"),
        pytest.param("> ```py\n> ```", "> ```\n> py\n> ```", id="nothing but a first line"),
    ],
)
def test_code_that_moves_to_a_line_of_its_own_stays_in_its_quote(block: str, expected: str) -> None:
    assert expected == tidy_block(block)


@pytest.mark.parametrize(
    ("text", "opens_in", "ends_in", "expected"),
    [
        pytest.param("a", "", "", "a", id="nothing"),
        pytest.param("a **b\n", "", "**", "a **b**\n", id="the first part"),
        pytest.param(" b c", "||**", "||**", " ||**b c**||", id="a part between"),
        pytest.param("\nb** c", "**", "", "\n**b** c", id="the last part"),
        pytest.param("|| b", "||", "", " b", id="a mark that closes at once"),
        pytest.param("**|| b", "||**", "", " b", id="two"),
        pytest.param("a ||", "", "||", "a", id="a mark that opens last"),
        pytest.param("||", "", "||", "", id="a mark alone"),
        pytest.param("**b** c", "*", "*", "***b** c*", id="another mark at its beginning"),
        pytest.param("> - b", "||", "||", "> - ||b||", id="a quoted item"),
        pytest.param("a\n# b", "||", "||", "||a\n# b||", id="only the first line counts"),
        pytest.param("\n# b", "||", "||", "\n# ||b||", id="behind an empty line"),
        pytest.param("\n", "||", "||", "\n", id="a line end"),
        pytest.param("```\na\n```", "||", "||", "||```\na\n```||", id="code"),
    ],
)
def test_a_part_of_emphasis_stands_alone(text: str, opens_in: str, ends_in: str, expected: str) -> None:
    assert expected == enclose(text, opens_in, ends_in)


@pytest.mark.parametrize(
    ("text", "more", "is_torn", "expected"),
    [
        pytest.param("```py\na\n```", "```py\nb\n```\n", False, "```py\na\nb\n```\n", id="between two lines"),
        pytest.param("```py\na\n```", "```py\nb\n```", True, "```py\nab\n```", id="within a line"),
        pytest.param("````\na\n````", "````\n```\n````", False, "````\na\n```\n````", id="a longer fence"),
        pytest.param("\n```\na\n\n```", "\n```\nb\n```", False, "\n```\na\n\nb\n```", id="an empty line between them"),
    ],
)
def test_a_further_part_of_a_code_block_goes_on_with_it(text: str, more: str, *, is_torn: bool, expected: str) -> None:
    assert expected == continue_block(text, more, is_torn=is_torn)
