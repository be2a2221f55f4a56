from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from cadenza.settings import BufferSettings
from cadenza.stages.s5_buffer import Buffer, HoldReason
from cadenza.text.spans import survey
from cadenza.text.units import WHITESPACE
from cadenza.types import Aside, AsideKind, Boundary, Ending, Kind, Segment
from tests.helpers import same_every_way
from tests.laws.material import nasty_markdown

Item = Segment | Aside

RELEASED = [why for why in Ending if why not in (Ending.DISCARD, Ending.FILE)]
SMALL = BufferSettings(overflow=50, code_overflow=200, hold=100)
FAMILY = "👨\u200d👩\u200d👧"


def items(
    text: str, why: Ending = Ending.FINAL, settings: BufferSettings | None = None, *, sentences: bool = False
) -> list[Item]:
    """All that comes out for *text*, however it was sliced."""

    def run(pieces: list[str]) -> list[Item]:
        buffer = Buffer(settings, sentences=sentences, lone_words=True)
        return [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(why)]

    return same_every_way(text, run)


def segments(
    text: str, why: Ending = Ending.FINAL, settings: BufferSettings | None = None, *, sentences: bool = False
) -> list[tuple[str, str]]:
    """Boundary and text of every segment for *text*."""
    found = items(text, why, settings, sentences=sentences)
    return [(item.boundary.value, item.text) for item in found if isinstance(item, Segment)]


def asides(text: str) -> list[tuple[str, str]]:
    return [(item.kind.value, item.text) for item in items(text) if isinstance(item, Aside)]


def texts(text: str, why: Ending = Ending.FINAL, settings: BufferSettings | None = None) -> list[str]:
    return [segment for _, segment in segments(text, why, settings)]


# --- lines and sentences ----------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("Hello", [("final", "Hello")], id="a word"),
        pytest.param("Hello\nworld", [("newline", "Hello\n"), ("final", "world")], id="two lines"),
        pytest.param("A\n\nB", [("newline", "A\n"), ("newline", "\n"), ("final", "B")], id="an empty line"),
        pytest.param("Hello\n", [("final", "Hello\n")], id="a line end and nothing more"),
        pytest.param("Hello\n.\nbye", [("newline", "Hello\n."), ("newline", "\n"), ("final", "bye")], id="b32 a stop"),
        pytest.param("Hello\n!!\nbye", [("newline", "Hello\n!!"), ("newline", "\n"), ("final", "bye")], id="b32 a run"),
        pytest.param("Hello\n...\nx", [("newline", "Hello\n"), ("newline", "...\n"), ("final", "x")], id="b32 ellipsis"),
        pytest.param("Hi\n\n! bye\nx", [("newline", "Hi\n\n!"), ("newline", " bye\n"), ("final", "x")], id="b32 farther"),
        pytest.param("Hi\n:\nbye", [("newline", "Hi\n:"), ("newline", "\n"), ("final", "bye")], id="a lone colon"),
        pytest.param("Hi\n: x\ny", [("newline", "Hi\n"), ("newline", ": x\n"), ("final", "y")], id="a definition"),
        pytest.param("Hi\n:)\ny", [("newline", "Hi\n"), ("newline", ":)\n"), ("final", "y")], id="a face"),
        pytest.param("Hi\n:wave: x\ny", [("newline", "Hi\n"), ("newline", ":wave: x\n"), ("final", "y")], id="a colon"),
        pytest.param("a\r\nb\r\n\r\nc", [("newline", "a\n"), ("newline", "b\n"), ("newline", "\n"), ("final", "c")], id="b33"),
        pytest.param("A. B. C", [("final", "A. B. C")], id="no sentences unless asked for"),
    ],
)  # fmt: skip
def test_a_line_leaves_when_the_next_one_begins(text: str, expected: list[tuple[str, str]]) -> None:
    assert expected == segments(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("End.\nNext. More", [("newline", "End.\n"), ("period", "Next."), ("final", " More")], id="both"),
        pytest.param("Dr. Who. Ok. x", [("period", "Dr. Who."), ("period", " Ok."), ("final", " x")], id="title"),
        pytest.param("It is 3.5 now. Ok x", [("period", "It is 3.5 now."), ("final", " Ok x")], id="decimal"),
        pytest.param("これは。次。終", [("period", "これは。"), ("period", "次。"), ("final", "終")], id="ideographic"),
        pytest.param("What? Yes! Ok. Go", [("period", "What? Yes! Ok."), ("final", " Go")], id="only stops"),
        pytest.param('He "said. so" ok. x', [("period", 'He "said. so" ok.'), ("final", " x")], id="b11 quote"),
        pytest.param("**a. b** c. d", [("period", "**a. b** c."), ("final", " d")], id="b13 bold"),
        pytest.param("[a. b](c. d) e. f", [("period", "[a. b](c. d) e."), ("final", " f")], id="b13 link"),
        pytest.param("The U.S. agreed. Ok", [("period", "The U.S. agreed."), ("final", " Ok")], id="b24 acronym"),
        pytest.param("Done.", [("final", "Done.")], id="the last stop"),
    ],
)
def test_a_sentence_leaves_when_the_next_one_begins(text: str, expected: list[tuple[str, str]]) -> None:
    assert expected == segments(text, sentences=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I see. Yes. It is so.", ["I see.", " Yes. It is so."], id="in front of a sentence"),
        pytest.param("I see it. Truly.\nIt is so. Yes", ["I see it. Truly.\n", "It is so. Yes"], id="behind one"),
        pytest.param("No.\nIt is so.", ["No.\n", "It is so."], id="on a line of its own"),
        pytest.param('He "said. so" now. It is.', ['He "said. so" now.', " It is."], id="two words"),
        pytest.param("好。我们走吧。再见了", ["好。我们走吧。", "再见了"], id="Chinese"),
    ],
)
def test_a_single_word_leaves_with_its_neighbour(text: str, expected: list[str]) -> None:
    def run(pieces: list[str]) -> list[Item]:
        buffer = Buffer(sentences=True)
        return [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(Ending.FINAL)]

    assert expected == [item.text for item in same_every_way(text, run)]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Dataset: 2, 4, 4, 4, 5, 5, 7, 9", id="numbers"),
        pytest.param("Go to http://[your-ip]/lr and look", id="an address to fill in"),
        pytest.param("It [is so. And so] it is", id="brackets"),
        pytest.param("As Smith et al. (2023) say", id="et al."),
        pytest.param("See Fig. 3 and No. 5, e.g. this, of U.S. policy vs. them", id="short forms"),
        pytest.param("a. First thing", id="a letter"),
        pytest.param("iv. Fourth thing", id="a Roman number"),
        pytest.param("一、第一点，内容", id="a Chinese number"),
        pytest.param(r"We get \( x = y. \) so we stop", id="a formula"),
        pytest.param("# My heading. So it is", id="a heading"),
        pytest.param("-# My note. So it is", id="subtext"),
    ],
)
def test_what_looks_like_the_end_of_a_sentence_is_none(text: str) -> None:
    assert [("newline", f"{text}\n"), ("final", "It is.")] == segments(f"{text}\nIt is.", sentences=True)


def test_a_sentence_waits_for_one_word_of_the_next() -> None:
    buffer = Buffer(sentences=True)

    assert not [item for token in ("I see it.", " Truly") for item in buffer.feed(token)]
    assert [Segment("I see it.", Boundary.PERIOD)] == buffer.feed(" I")


def test_b04_a_line_leaves_at_once_whatever_was_open_before_it() -> None:
    buffer = Buffer()

    assert list(buffer.feed("a (b\nc\nd")) == []
    assert [Segment("a (b\nc\nd) e\n", Boundary.NEWLINE)] == list(buffer.feed(") e\nf"))
    assert [Segment("f\n", Boundary.NEWLINE)] == list(buffer.feed("\ng"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('a "b\nc" d\ne', ['a "b\nc" d\n', "e"], id="b12 quote"),
        pytest.param("**a\nb** c\nd", ["**a\nb** c\n", "d"], id="b13 bold"),
        pytest.param("||a\nb|| c\nd", ["||a\nb|| c\n", "d"], id="b39 spoiler"),
        pytest.param("「a\nb」c\nd", ["「a\nb」c\n", "d"], id="Japanese quote"),
        pytest.param("（a\nb）c\nd", ["（a\nb）c\n", "d"], id="b39 full width"),
        pytest.param("nice :)\nok ;)\nx", ["nice :)\n", "ok ;)\n", "x"], id="b22 smileys"),
        pytest.param("a) one\nb) two", ["a) one\n", "b) two"], id="b22 list marks"),
        pytest.param('a 6" pipe\nnext\nx', ['a 6" pipe\n', "next\n", "x"], id="b23 inches"),
        pytest.param("sad :(\nnext\nx", ["sad :(\n", "next\n", "x"], id="b23 sad"),
        pytest.param("2 * 3\n* item\nx", ["2 * 3\n", "* item\n", "x"], id="stars"),
        pytest.param("a (b\n\nc\nd", ["a (b\n", "\n", "c\n", "d"], id="b06 a paragraph ends what it opened"),
        pytest.param("A_(b) http://e.org/A_(b\nc", ["A_(b) http://e.org/A_(b\n", "c"], id="b25 half an address"),
        pytest.param("see [a](http://e.org/A_(b)) ok\nx", ["see [a](http://e.org/A_(b)) ok\n", "x"], id="b25 link"),
        pytest.param("a `b\nc` d\ne", ["a `b\nc` d\n", "e"], id="code over a line end"),
        pytest.param("a `b\n\nc` d\ne", ["a `b\n", "\n", "c` d\n", "e"], id="code ends with its paragraph"),
        pytest.param(">>> a\nb\n\nc\nd", [">>> a\nb\n", "\n", "c\n", "d"], id="a long quote"),
        pytest.param("> a\n>\n> b\nc", ["> a\n", ">\n> b\n", "c"], id="a lone quote mark"),
        pytest.param(">\nb\nc", [">\n", "b\n", "c"], id="a lone quote mark and no quote"),
        pytest.param("*a\nb* c\nd", ["*a\nb* c\n", "d"], id="a star over a line end"),
        pytest.param("_a\nb_ c\nd", ["_a\nb_ c\n", "d"], id="an underscore over a line end"),
        pytest.param("a_b\nc_d e_\nf", ["a_b\n", "c_d e_\n", "f"], id="underscores in names"),
        pytest.param("**a\n\nb** c\nd", ["**a\n\nb** c\n", "d"], id="bold over an empty line"),
        pytest.param("[a\nb](http://e.org) c\nd", ["[a\nb](http://e.org) c\n", "d"], id="a link over a line end"),
        pytest.param("**a: ** b\nc\nd", ["**a: ** b\n", "c\n", "d"], id="even marks"),
        pytest.param("**a: **b\nc\nd", ["**a: **b\n", "c\n", "d"], id="even marks that both look open"),
        pytest.param('a "\\" b.\nc', ['a "\\" b.\n', "c"], id="a backslash in quotes"),
        pytest.param('a "\\"', ['a "\\"'], id="a backslash in quotes at the end"),
        pytest.param('Use "\\" to escape.', ['Use "\\" to escape.'], id="a backslash in quotes in the only line"),
        pytest.param("hello\n:\nbye", ["hello\n:", "\n", "bye"], id="a colon joins the line before"),
        pytest.param("no >_<\nyes ^_^\nx", ["no >_<\n", "yes ^_^\n", "x"], id="faces"),
        pytest.param("-#\nsmall\nx", ["-# small\n", "x"], id="a lone subtext marker"),
        pytest.param("a\n-# \n\n\nb\nx", ["a\n", "-# b\n", "x"], id="a lone subtext marker over empty lines"),
        pytest.param("-#" + "\n" * 40 + "b\nx", ["-# b\n", "x"], id="over ever so many"),
        pytest.param("-#\n\n", ["-#\n\n"], id="with nothing behind it"),
        pytest.param("-#x\ny", ["-#x\n", "y"], id="no subtext marker"),
    ],
)
def test_what_belongs_together_leaves_together(text: str, expected: list[str]) -> None:
    assert expected == texts(text)


# --- code and tables -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Look: ```py\nx\n``` done\nok",
            [("code_open", "Look: "), ("code_close", "```py\nx\n```"), ("newline", " done\n"), ("final", "ok")],
            id="in a line",
        ),
        pytest.param(
            "Look:\n```py\nprint(1)\n```\nDone",
            [("newline", "Look:\n"), ("code_close", "```py\nprint(1)\n```"), ("newline", "\n"), ("final", "Done")],
            id="on lines of its own",
        ),
        pytest.param(
            "He (said ```x``` ok",
            [("code_open", "He (said "), ("code_close", "```x```"), ("final", " ok")],
            id="b04 an open bracket does not hide it",
        ),
        pytest.param(
            "````md\n```py\nx\n```\n````\nend",
            [("code_close", "````md\n```py\nx\n```\n````"), ("newline", "\n"), ("final", "end")],
            id="b37 four backticks",
        ),
        pytest.param(
            "> ```py\n> x\n> ```\n> y",
            [("code_close", "> ```py\n> x\n> ```"), ("newline", "\n"), ("final", "> y")],
            id="in a quote",
        ),
        pytest.param(
            '```py\nprint("(\n```\nend\nz',
            [("code_close", '```py\nprint("(\n```'), ("newline", "\n"), ("newline", "end\n"), ("final", "z")],
            id="b38 what code leaves open holds nothing",
        ),
        pytest.param(
            "```\na\n\n\nb\n```",
            [("code_close", "```\na\n\n\nb\n```")],
            id="b16 blank lines",
        ),
        pytest.param(
            "Look:\n~~~py\nx\n~~~\nDone",
            [("newline", "Look:\n"), ("code_close", "```py\nx\n```"), ("newline", "\n"), ("final", "Done")],
            id="tildes with a language",
        ),
        pytest.param(
            "~~~~\nx\n~~~\n~~~~\nDone",
            [("code_close", "```\nx\n~~~\n```"), ("newline", "\n"), ("final", "Done")],
            id="tildes that close in reach",
        ),
        pytest.param(
            "> ~~~py\n> x ~~~\n> ~~~\n> y",
            [("code_close", "> ```py\n> x ~~~\n> ```"), ("newline", "\n"), ("final", "> y")],
            id="tildes in a quote",
        ),
        pytest.param(
            "~~~py\na ```b``` c\n~~~\nDone",
            [("code_close", "````py\na ```b``` c\n````"), ("newline", "\n"), ("final", "Done")],
            id="tildes around backticks",
        ),
        pytest.param("~~~\nx\nDone", [("newline", "~~~\n"), ("newline", "x\n"), ("final", "Done")], id="drawn tildes"),
        pytest.param(
            "Use ``` to open a ```` block\nand so",
            [("code_open", "Use "), ("code_close", "``` to open a ````"), ("newline", " block\n"), ("final", "and so")],
            id="in a line, closed in reach",
        ),
        pytest.param(
            ">>> a\n```x```\nb\nc",
            [("code_open", ">>> a\n"), ("code_close", "```x```"), ("newline", "\n"), ("newline", "b\n"), ("final", "c")],
            id="behind a long quote",
        ),
    ],
)  # fmt: skip
def test_a_code_block_leaves_when_it_closes(text: str, expected: list[tuple[str, str]]) -> None:
    assert expected == segments(text)
    assert all(
        item.kind is (Kind.CODE if "```" in item.text else Kind.PROSE)
        for item in items(text)
        if isinstance(item, Segment)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Use ``` to open\nand so", "Use \\`\\`\\` to open\n", id="alone in its line"),
        pytest.param("Use ``` or `a` to\nand so", "Use \\`\\`\\` or `a` to\n", id="with code behind it"),
        pytest.param("Use ```` to open\nand so", "Use \\`\\`\\`\\` to open\n", id="four backticks"),
        pytest.param("(``````)\nb", "(" + "\\`" * 6 + ")\n", id="six backticks are not deleted"),
        pytest.param("``````\nb", "\\`" * 6 + "\n", id="six backticks on a line of their own"),
        pytest.param("`" * 20 + "\n`b`\n", "\\`" * 20 + "\n", id="a drawn line of backticks"),
        pytest.param(
            "Use ``` to" + " open" * 20 + " `a`\n```x```",
            "Use \\`\\`\\` to" + " open" * 20 + " `a`\n",
            id="out of reach",
        ),
    ],
)
def test_a_fence_in_a_line_that_opens_nothing_means_itself(text: str, expected: str) -> None:
    assert ("newline", expected) == segments(text, settings=SMALL)[0]


@pytest.mark.parametrize("why", RELEASED)
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("~~~py\nx = 1\n~~", ["```py\nx = 1\n```"], id="tildes"),
        pytest.param("Look: ```py\nx", ["Look: ", "```py\nx\n```"], id="opened in a line"),
        pytest.param("Look: ```x = 1", ["Look: ", "```x = 1```"], id="broken off on its first line"),
        pytest.param("```py\nx = (1. Y", ["```py\nx = (1. Y\n```"], id="in a line"),
        pytest.param("```py\nx\n", ["```py\nx\n```"], id="after a line"),
        pytest.param("a\n```py\nx\n``", ["a\n", "```py\nx\n```"], id="half a closing fence"),
        pytest.param("````\n```\nx", ["````\n```\nx\n````"], id="b37 four backticks"),
        pytest.param("a\n```", ["a\n"], id="b19 nothing in it"),
        pytest.param("a\n```\n\n", ["a\n"], id="b19 nothing but its first line"),
        pytest.param("a\n```py\n\n", ["a\n", "```\npy\n```"], id="nothing but an info string"),
    ],
)
def test_b15_a_code_block_that_never_closes_is_closed(text: str, expected: list[str], why: Ending) -> None:
    assert expected == texts(text, why)


@pytest.mark.parametrize("opening", ["```py", "```c++", "```py title=x", "> ```", "````md"])
def test_b05_code_that_is_too_long_closes_and_opens_again(opening: str) -> None:
    prefix = opening[: opening.index("`")]
    fence = prefix + "`" * opening.count("`")
    lines = [f"{prefix}line {number}" if number % 3 else prefix for number in range(150)]

    found = items("\n".join([opening, *lines, fence]) + "\nend", settings=SMALL)

    code = [item for item in found if isinstance(item, Segment) and item.kind is Kind.CODE]
    bodies = [item.text.split("\n") for item in code]
    assert len(code) > 3
    assert [(opening, fence)] * len(code) == [(body[0], body[-1]) for body in bodies]
    assert lines == [line for body in bodies for line in body[1:-1]]
    assert [Boundary.OVERFLOW] * (len(code) - 1) + [Boundary.CODE_CLOSE] == [item.boundary for item in code]
    assert [(item.boundary.value, item.text) for item in found[len(code) :] if isinstance(item, Segment)] == [
        ("newline", "\n"),
        ("final", "end"),
    ]


@pytest.mark.parametrize("prefix", ["", "> "])
def test_b05_code_between_tildes_that_is_too_long_opens_again_with_backticks(prefix: str) -> None:
    lines = [f"{prefix}line {number}" for number in range(60)]

    parts = texts("\n".join([f"{prefix}~~~py", *lines, f"{prefix}~~~"]), settings=SMALL)

    assert len(parts) > 2
    assert all(part.startswith(f"{prefix}```py\n") and part.endswith(f"\n{prefix}```") for part in parts)
    assert lines == [line for part in parts for line in part.split("\n")[1:-1]]


def test_b19_nothing_is_left_of_a_block_of_which_all_has_left() -> None:
    block = "```py\n" + "x" * 193 + "\n"

    for rest in ("```\nend", "\n```\nend", ""):
        found = segments(block + rest, settings=SMALL)
        assert ("overflow", block + "```") == found[0]
        assert [text for _, text in found[1:]] == (["\n", "end"] if rest else [])


def test_b18_a_line_of_code_that_is_too_long_is_cut_between_characters() -> None:
    parts = texts("```\n" + FAMILY * 100 + "\n```", settings=SMALL)

    assert len(parts) > 2
    assert all(part.startswith("```\n") and part.endswith("\n```") for part in parts)
    assert "".join(part[4:-4] for part in parts) == FAMILY * 100
    assert all(part[4:-4].replace(FAMILY, "") == "" for part in parts)


def test_a_table_leaves_whole_and_what_follows_it_flows_on() -> None:
    table = "| name | q |\n|---|---|\n| a | (1 |\n| b | 2 |\n"

    assert [
        ("newline", "Intro\n"),
        ("newline", table),
        ("newline", "\n"),
        ("newline", "After\n"),
        ("final", "x"),
    ] == segments(f"Intro\n{table}\nAfter\nx")


def test_b04_a_table_leaves_before_the_end() -> None:
    buffer = Buffer()

    out = buffer.feed("| a |\n|---|\n| 1 |\nAfter\nx")

    assert [(item.text, item.kind) for item in out if isinstance(item, Segment)] == [
        ("| a |\n|---|\n| 1 |\n", Kind.TABLE),
        ("After\n", Kind.PROSE),
    ]


@pytest.mark.parametrize("why", RELEASED)
def test_b14_a_table_at_the_end_keeps_its_last_row(why: Ending) -> None:
    text = "| a |\n|---|\n| 1. X |\n| 2 |"

    assert [text] == texts(text, why)


def test_a_table_that_is_too_long_repeats_its_head() -> None:
    rows = [f"| {number} | x |\n" for number in range(60)]

    parts = texts("| a | b |\n|---|---|\n" + "".join(rows) + "end", settings=SMALL)

    head = "| a | b |\n|---|---|\n"
    assert len(parts) > 3
    assert all(part.startswith(head) for part in parts[:-1])
    assert "".join(rows) + "end" == "".join(part.removeprefix(head) for part in parts)


def test_a_table_needs_no_bars_at_its_edges() -> None:
    table = "a | b | c\n--|--|--\n1 | 2 | 3\n4 | 5 | 6\n"

    assert [("newline", table), ("newline", "After\n"), ("final", "x")] == segments(f"{table}After\nx")
    assert [("newline", table), ("newline", "\n"), ("final", "x | y | z")] == segments(f"{table}\nx | y | z")


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        pytest.param("| a |\n|---|\n", [Kind.PROSE], id="a head at the end"),
        pytest.param("| a |\n|---|\nend", [Kind.PROSE, Kind.PROSE], id="a head"),
        pytest.param("| a |\n|---|\n| 1 |\nend", [Kind.TABLE, Kind.PROSE], id="with a row"),
        pytest.param("| a |\n|---|\n| 1 |\n```x```", [Kind.TABLE, Kind.CODE], id="with code behind it"),
        pytest.param("a | b | c\n--|--|--\n1 | 2 | 3\n" + "x" * 120 + " | y", [Kind.TABLE, Kind.PROSE], id="far bars"),
    ],
)
def test_a_table_has_rows(text: str, kinds: list[Kind]) -> None:
    assert kinds == [item.kind for item in items(text, settings=SMALL) if isinstance(item, Segment)]


@pytest.mark.parametrize(
    ("text", "tables"),
    [
        pytest.param("| a | b |\n|---|---|\n| 1 | 2 |", ["| a | b |\n|---|---|\n| 1 | 2 |"], id="001"),
        pytest.param("a | b | c\n-|-|-\n1|2|3", ["a | b | c\n-|-|-\n1|2|3"], id="002"),
        pytest.param("| a | b |\n|---|---|", [], id="004 no row"),
        pytest.param("| a | b |\n|---|---|\n", [], id="005 no row, a line end"),
        pytest.param("| a | b |", [], id="006 a header"),
        pytest.param("| a | b |\n|---|\n| 1 | 2 |", [], id="008 too few dashes"),
        pytest.param(
            "| a | b |\n|---|---|\n| 1 | 2 |\n\n| c | d |\n|---|---|\n| 5 | 6 |\ntail",
            ["| a | b |\n|---|---|\n| 1 | 2 |\n", "| c | d |\n|---|---|\n| 5 | 6 |\n"],
            id="011 two",
        ),
        pytest.param("  | a | b |\n  |--|--|\n  | 1 | 2 |", ["  | a | b |\n  |--|--|\n  | 1 | 2 |"], id="012 indented"),
        pytest.param("no pipes at all", [], id="018 words"),
        pytest.param("| a | b |\n|--|--|\n| 1 | 2 |\n```\nx\n```", ["| a | b |\n|--|--|\n| 1 | 2 |\n"], id="019 code"),
        pytest.param("| a | b |\n\n|---|---|\n| 1 | 2 |", [], id="020 an empty line"),
        pytest.param("a | b\n---|---\n1 | 2", ["a | b\n---|---\n1 | 2"], id="021 f16 two columns, no edge bars"),
        pytest.param("| a | b |\n|---|---|\n| 1 |\n", ["| a | b |\n|---|---|\n| 1 |\n"], id="023 f16 a short row"),
        pytest.param("| a | b |\n|--|--|\n| 1 | 2 |\np | q", ["| a | b |\n|--|--|\n| 1 | 2 |\n"], id="f16 prose behind"),
        pytest.param("| h | i |\n|-|-|\n|--|--|\n| 1 | 2 |", ["| h | i |\n|-|-|\n|--|--|\n| 1 | 2 |"], id="f16 dashes"),
        pytest.param(
            "> x\n>\n> | a | b |\n> |--|--|\n> | 1 | 2 |\n>\n> y",
            [">\n> | a | b |\n> |--|--|\n> | 1 | 2 |\n"],
            id="026 f16 in a quote",
        ),
    ],
)  # fmt: skip
def test_tables_are_segments_and_nothing_else_changes(text: str, tables: list[str]) -> None:
    found = [item for item in items(text) if isinstance(item, Segment)]

    assert tables == [item.text for item in found if item.kind is Kind.TABLE]
    assert text == "".join(item.text for item in found)


def test_a_table_in_a_fence_of_tildes_is_code() -> None:
    assert ["```\n| a | b |\n|---|---|\n| 1 | 2 |\n```"] == texts("~~~\n| a | b |\n|---|---|\n| 1 | 2 |\n~~~")


def test_a_quoted_table_that_is_too_long_repeats_its_head_in_the_quote() -> None:
    head = ">\n> | a | b |\n> |---|---|\n"
    rows = [f"> | {number} | x |\n" for number in range(60)]

    parts = texts("> Look:\n" + head + "".join(rows) + "end", settings=SMALL)

    assert len(parts) > 4
    assert all(part.startswith(head) for part in parts[1:-1])
    assert "> Look:\n" + "".join(rows) + "end" == "".join(part.removeprefix(head) for part in parts)


def test_a_row_without_an_end_is_none() -> None:
    text = "| a |\n|---|\n| " + "x" * 400 + "\n| b |\n| c |\n| d |\nend"

    found = [item for item in items(text, settings=SMALL) if isinstance(item, Segment)]

    assert text == "".join(item.text for item in found)
    assert {Kind.PROSE} == {item.kind for item in found}


# --- emphasis that is cut ---------------------------------------------------------------


def marked(text: str, why: Ending = Ending.FINAL, *, sentences: bool = False) -> list[tuple[str, str, str]]:
    """The marks open at the beginning of every segment for *text*, its text, and those open at its end."""
    found = items(text, why, sentences=sentences)
    return [(item.opens_in, item.text, item.ends_in) for item in found if isinstance(item, Segment)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "||```py\nprint(42)\n```|| enjoy",
            [("", "||", "||"), ("||", "```py\nprint(42)\n```", "||"), ("||", "|| enjoy", "")],
            id="a spoiler around code",
        ),
        pytest.param(
            "**Run:\n```sh\nls\n```\nnow** ok\nx",
            [("", "**Run:\n", "**"), ("**", "```sh\nls\n```", "**"), ("**", "\nnow** ok\n", ""), ("", "x", "")],
            id="bold around code",
        ),
        pytest.param(
            "**Run:\n```sh\nls\n```\nnow",
            [("", "**Run:\n", ""), ("", "```sh\nls\n```", ""), ("", "\n", ""), ("", "now", "")],
            id="a mark before code that does not close",
        ),
        pytest.param(
            "||a\n\n| b |\n|---|\n| c |\n\nd|| e",
            [
                ("", "||a\n", "||"),
                ("||", "\n", "||"),
                ("||", "| b |\n|---|\n| c |\n", "||"),
                ("||", "\n", "||"),
                ("||", "d|| e", ""),
            ],
            id="a spoiler around a table",
        ),
        pytest.param(
            "||a\n```\nb\n```\nc",
            [("", "||a\n", "||"), ("||", "```\nb\n```", "||"), ("||", "\n", "||"), ("||", "c", "||")],
            id="a reply that breaks off in a spoiler",
        ),
        pytest.param("||a\nb", [("", "||a\nb||", "")], id="a short one"),
        pytest.param(
            "||a\n<think>b</think>c\n```\nd\n```|| e",
            [("", "||a\n", "||"), ("||", "c\n", "||"), ("||", "```\nd\n```", "||"), ("||", "|| e", "")],
            id="a thought in a spoiler",
        ),
    ],
)
def test_the_marks_around_a_block_are_known_on_both_sides(text: str, expected: list[tuple[str, str, str]]) -> None:
    assert expected == marked(text)


@pytest.mark.parametrize("mark", ["**", "*", "_", "__", "~~", "||", "**~~"])
def test_emphasis_that_is_longer_than_a_message_goes_on(mark: str) -> None:
    first, *middle, last = marked(f"Hi {mark}{'word and ' * 445}end{mark[::-1]} so")

    assert (first[0], first[2], last[0], last[2]) == ("", mark, mark, "")
    assert len(middle) > 1
    assert {(opens_in, ends_in) for opens_in, _, ends_in in middle} == {(mark, mark)}


def test_long_emphasis_is_cut_into_sentences() -> None:
    found = marked(f"**{'It goes on. ' * 200}It ends.** Then. x", sentences=True)

    assert found[0] == ("", "**It goes on.", "**")
    assert set(found[1:-2]) == {("**", " It goes on.", "**")}
    assert found[-2:] == [("**", " It ends.** Then.", ""), ("", " x", "")]


def test_emphasis_that_its_long_line_does_not_close_ends_with_the_line() -> None:
    found = marked(f"**{'word and ' * 400}end.\nnext\n\nlast")

    assert [ends_in for _, _, ends_in in found[:-3]] == ["**"] * (len(found) - 3)
    assert found[-3:] == [("", "next\n", ""), ("", "\n", ""), ("", "last", "")]


def test_a_spoiler_hides_its_lines_whatever_its_length() -> None:
    found = marked("||" + "secret\n" * 400 + "\nend|| so")

    assert [opens_in for opens_in, _, _ in found[1:]] == ["||"] * (len(found) - 1)
    assert (found[0], found[-1]) == (("", "||secret\n", "||"), ("||", "end|| so", ""))


@pytest.mark.parametrize("text", ["if a||b then", "if (a ||b) then", "a || b"])
def test_an_operator_hides_nothing(text: str) -> None:
    assert not any(opens_in or ends_in for opens_in, _, ends_in in marked(text + "\nline" * 500))


@pytest.mark.parametrize("why", Ending)
def test_what_was_sent_of_a_spoiler_is_closed_by_the_last_segment(why: Ending) -> None:
    assert marked("||" + "One two. " * 300, why)[-1][2] == "||"


def test_a_thought_that_only_closes_opens_nothing() -> None:
    assert marked("||a b</think>c\nd") == [("", "c\n", ""), ("", "d", "")]


# --- hidden blocks ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected", "hidden"),
    [
        pytest.param("<think>plan</think>Hello\nx", ["Hello\n", "x"], [("thought", "plan")], id="in front"),
        pytest.param("See <think>plan</think> you\nx", ["See  you\n", "x"], [("thought", "plan")], id="b01 between"),
        pytest.param(
            "a<think>b</think>c<think>d</think>e", ["ace"], [("thought", "b"), ("thought", "d")], id="b01 two"
        ),
        pytest.param("a\n<think>b", ["a\n"], [("thought", "b")], id="b01 never closed"),
        pytest.param("a (<think>b)</think> c)\nd", ["a ( c)\n", "d"], [("thought", "b)")], id="its marks do not count"),
        pytest.param("<mm:think>a</think>b", ["b"], [("thought", "a")], id="namespace"),
        pytest.param("lost</think>Hi", ["Hi"], [("thought", "lost")], id="only its end is seen"),
        pytest.param("one\nlost</think>Hi", ["one\n", "Hi"], [("thought", "lost")], id="what has left has left"),
        pytest.param("<thinking>a</thinking>b", ["b"], [("thought", "a")], id="another word"),
        pytest.param("x <reasoning>a</reasoning>b", ["x b"], [("thought", "a")], id="a third word"),
        pytest.param("<thoughts>a</thoughts>b", ["<thoughts>a</thoughts>b"], [], id="a word too long"),
        pytest.param("`<think>` a\nb", ["`<think>` a\n", "b"], [], id="b03 in code"),
        pytest.param("```\n<think>\n</think>\n```", ["```\n<think>\n</think>\n```"], [], id="b03 in a code block"),
        pytest.param("`</think>` a", ["`</think>` a"], [], id="b03 its end in code"),
        pytest.param("a <details>b</details> c", ["a  c"], [("details", "b")], id="b01 details"),
        pytest.param(
            "<details open><summary>T</summary>body</details>x",
            ["x"],
            [("details", "body")],
            id="details with a summary",
        ),
        pytest.param("<DETAILS>m</DETAILS>x", ["<DETAILS>m</DETAILS>x"], [], id="details keep their case"),
        pytest.param("<details>a<think>b</think>c</details>d", ["d"], [("details", "a<think>b</think>c")], id="nested"),
        pytest.param("<think> </think>x", ["x"], [], id="an empty block is nothing"),
        pytest.param("a < b <3 <foo\nc", ["a < b <3 <foo\n", "c"], [], id="angles"),
        pytest.param("a <", ["a <"], [], id="an angle at the end"),
        pytest.param("[a](<think>b</think>c) d", ["[a](c) d"], [("thought", "b")], id="in an address"),
        pytest.param("a ` <think>`b` c</think> d", ["a `  d"], [("thought", "`b` c")], id="behind a lone backtick"),
        pytest.param("a `b\n<think>c ` d</think>e", ["a `b\n", "e"], [("thought", "c ` d")], id="on the next line"),
        pytest.param(
            "a ` <details>b ` c</details>d", ["a ` d"], [("details", "b ` c")], id="details behind a backtick"
        ),
        pytest.param("a ` <details>b</details> ` c", ["a ` <details>b</details> ` c"], [], id="details in code"),
        pytest.param("use `a\n<think>b", ["use `a\n"], [("thought", "b")], id="never closed behind a backtick"),
        pytest.param("`a`<think>b</think>`c`", ["`a` `c`"], [("thought", "b")], id="between backticks"),
        pytest.param(
            "`a`<think>b</think><think>c</think>`d`",
            ["`a` `d`"],
            [("thought", "b"), ("thought", "c")],
            id="two between",
        ),
        pytest.param("`a`<think>b</think>x`c`", ["`a`x`c`"], [("thought", "b")], id="behind backticks only"),
        pytest.param("`a`<think>b</think>", ["`a`"], [("thought", "b")], id="behind backticks and nothing more"),
    ],
)
def test_a_hidden_block_is_taken_out_and_the_rest_stays_in_order(
    text: str, expected: list[str], hidden: list[tuple[str, str]]
) -> None:
    assert expected == texts(text)
    assert hidden == asides(text)


MENTION = "The <details> element hides content.\nUse it wisely."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(MENTION, id="repro details"),
        pytest.param(MENTION.replace("<details>", "`<details>`"), id="repro details in backticks"),
        pytest.param(MENTION.replace("<details>", "<details open>"), id="with attributes"),
        pytest.param("Put your reasoning inside a <think> tag.", id="repro think"),
        pytest.param("Put your reasoning inside a `<think>` tag.", id="repro think in backticks"),
        pytest.param("Some say <THINKING>, some <mm:thought>.\nSo be it.", id="other spellings"),
        pytest.param("use `a <think>b`", id="in code over a space"),
        pytest.param("- <details>: more text\n- <think>: a thought\n", id="in a list of tags"),
        pytest.param("1. <details> is one\n2. <summary> another\n", id="in a numbered list"),
        pytest.param("| tag |\n|---|\n| <think> |\n\nx", id="in a table"),
        pytest.param("a **<details>** b (<think>) c\nd", id="in other marks"),
        pytest.param("The `</think>` tag closes it.", id="its end in backticks"),
        pytest.param("[a](<think> b) c\nd", id="in an address"),
        pytest.param("Ann: <think> is a tag", id="behind another's label"),
    ],
)
def test_a_tag_within_a_line_that_nothing_closes_is_text(text: str) -> None:
    assert text == "".join(texts(text))
    assert not asides(text)


@pytest.mark.parametrize(
    ("text", "expected", "hidden"),
    [
        pytest.param(
            "A <details> tag:\n```html\n<details>\nb\n</details>\n```\nc",
            ["A <details> tag:\n", "```html\n<details>\nb\n</details>\n```", "\n", "c"],
            [],
            id="an example in code",
        ),
        pytest.param(
            "A <think> tag:\n<think>\nb\n</think>c", ["A <think> tag:\n", "c"], [("thought", "b")], id="a block"
        ),
        pytest.param(
            "a <details>b\n<details>\nc\n</details>\nd</details> e",
            ["a  e"],
            [("details", "b\n<details>\nc\n</details>\nd")],
            id="a block in the block",
        ),
        pytest.param(
            "a <think>b <think>c</think> d", ["a  d"], [("thought", "b <think>c")], id="a mention in a thought"
        ),
        pytest.param("a\n  <think>b\nc", ["a\n", "  "], [("thought", "b\nc")], id="behind an indent"),
        pytest.param("> <think>b\nc", ["> "], [("thought", "b\nc")], id="behind a quote mark"),
        pytest.param("<think>a</think> <details>b", [" "], [("thought", "a"), ("details", "b")], id="behind a block"),
        pytest.param("- <details>a</details>b", ["- b"], [("details", "a")], id="in an item, closed"),
        pytest.param(
            "<details>\na\n<details>\nb\n</details>\nc\n</details>d",
            ["d"],
            [("details", "a\n<details>\nb\n</details>\nc")],
            id="details in details",
        ),
        pytest.param(
            "<think>\n<think>\na</think>b", ["b"], [("thought", "<think>\na")], id="opened twice, closed once"
        ),
    ],
)
def test_a_tag_is_closed_by_its_own_end(text: str, expected: list[str], hidden: list[tuple[str, str]]) -> None:
    assert expected == texts(text)
    assert hidden == asides(text)


@pytest.mark.parametrize("label", ["Ren: ", "**Ren:** ", "Ren (mad): ", "> Ren: "])
def test_behind_its_own_label_the_persona_thinks_at_once(label: str) -> None:
    buffer = Buffer(speaker="Ren")

    assert not buffer.feed(f"{label}<think>" + "plan\n" * 1000)
    assert HoldReason("hidden", "thought") == buffer.waiting()
    assert [f"{label}Hi\n"] == [item.text for item in buffer.feed("</think>Hi\nx") if isinstance(item, Segment)]


@pytest.mark.parametrize("opening", ["<think>", "<ns:THOUGHT>", "<details>", "<details open>"])
def test_the_text_behind_a_tag_within_a_line_waits_for_hold_and_no_longer(opening: str) -> None:
    buffer = Buffer(BufferSettings(hold=100))

    said = [buffer.feed(piece) for piece in (f"One.\nTwo {opening}\nthree", "x" * 93, "x")]

    assert [[Segment("One.\n", Boundary.NEWLINE)], [], [Segment(f"Two {opening}\n", Boundary.NEWLINE)]] == [
        *map(list, said)
    ]


def test_an_end_that_comes_too_late_closes_nothing() -> None:
    long = "x" * 90
    late = f"a <details>{long}x</details> b"

    assert ["a  b"] == texts(late.replace("xx", "x", 1), settings=BufferSettings(hold=100))
    assert late == "".join(texts(late, settings=BufferSettings(hold=100)))


def test_what_may_be_a_thought_is_not_shown_if_the_reply_is_broken_off() -> None:
    assert [Segment("Well. ", Boundary.FINAL), Aside(AsideKind.THOUGHT, "He is rude. I")] == items(
        "Well. <think>He is rude. I", Ending.STOP
    )


TAGS = [
    *("<think>", "</think>", "<ns:Thinking>", "</THOUGHT>", "<details>", "<details open>", "</details>", "<det", "ails>", "</"),
    *("<summary>s</summary>", "<summary>", "\n", "\n\n", "\n> ", "\n- ", " ", "a", "b. ", "Ren: ", "(", ")", "**", "||", "|"),
    *("`", "\n```py\n", "\n```\n", "| a | b |\n|---|---|\n| c || d |\n", "x" * 40, "lorem ipsum " * 9, "\r", "日本。"),
]  # fmt: skip


@given(
    st.lists(st.sampled_from(TAGS), max_size=25).map("".join),
    st.lists(st.integers(0, 800), max_size=5),
    st.builds(
        BufferSettings,
        overflow=st.just(100),
        code_overflow=st.just(200),
        hold=st.sampled_from([0, 5, 60, 200, 1950]),
        details=st.sampled_from(["hide", "spoiler"]),
    ),
    st.sampled_from(Ending),
)
def test_tags_at_any_place_mean_the_same_however_they_are_sliced(
    text: str, cuts: list[int], settings: BufferSettings, why: Ending
) -> None:
    def run(pieces: list[str]) -> list[Item]:
        buffer = Buffer(settings, sentences=len(cuts) % 2 > 0, speaker="Ren")
        return [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(why)]

    places = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]

    assert run([text]) == run(list(text)) == run([text[start:end] for start, end in pairwise(places)])


@pytest.mark.parametrize(
    ("speaker", "text", "expected", "hidden"),
    [
        pytest.param("Ren", "<think>plan\nRen: Hey\nx", ["\n", "Ren: Hey\n", "x"], ["plan"], id="the persona speaks"),
        pytest.param(
            "Ren", "a <think>b\nRen: c\nNo, rude.</think>d", ["a d"], ["b\nRen: c\nNo, rude."], id="only a draft"
        ),
        pytest.param(
            "Ren",
            "<think>a\nRen: b\n<think>c\nRen: d",
            ["\n", "Ren: b\n"],
            ["a", "c\nRen: d"],
            id="what is hidden in it stays hidden",
        ),
        pytest.param("Ren", "<think>a\nBob: b", [], ["a\nBob: b"], id="somebody else"),
        pytest.param("Ren", "a\nRen: b", ["a\n", "Ren: b"], [], id="no thought"),
        pytest.param(" ", "<think>a\n: b", [], ["a\n: b"], id="a persona without a name"),
    ],
)
def test_a_thought_is_over_where_the_persona_speaks(
    speaker: str, text: str, expected: list[str], hidden: list[str]
) -> None:
    def run(pieces: list[str]) -> list[Item]:
        buffer = Buffer(speaker=speaker)
        return [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(Ending.FINAL)]

    found = same_every_way(text, run)

    assert expected == [item.text for item in found if isinstance(item, Segment)]
    assert hidden == [item.text for item in found if isinstance(item, Aside)]


def test_a_tag_is_the_same_however_it_is_sliced_and_however_long_it_is() -> None:
    text = f"hi <{'n' * 80}:think>x</{'n' * 80}:think> yo"

    assert texts(text)[-1].endswith(" yo")


def test_b35_a_block_that_is_open_is_let_go_with_nothing_else_to_say() -> None:
    assert [Aside(AsideKind.THOUGHT, "plan")] == items("<think>plan", Ending.TOOL_CALL)


# --- too much text -----------------------------------------------------------------------


def test_a_long_line_leaves_in_parts() -> None:
    text = "Some words in a row. " * 200

    parts = segments(text)

    assert text == "".join(part for _, part in parts)
    assert all(700 <= len(part) <= 1200 for _, part in parts[:-1])
    assert {"overflow"} == {boundary for boundary, _ in parts[:-1]}


@pytest.mark.parametrize(
    "unit",
    [
        pytest.param("(a ", id="brackets"),
        pytest.param("*a **b ", id="stars"),
        pytest.param('"a ', id="quotes"),
        pytest.param("「あ", id="Japanese quotes"),
        pytest.param("[a ", id="square brackets"),
        pytest.param("||a ~~b ", id="spoilers"),
        pytest.param("`a ``b ", id="backticks"),
        pytest.param("<a ", id="angles"),
        pytest.param("http://", id="schemes"),
        pytest.param("\\", id="backslashes"),
        pytest.param("| a ", id="bars"),
        pytest.param("</", id="half tags"),
    ],
)
def test_b06_marks_that_never_close_neither_hold_the_text_nor_make_it_crumble(unit: str) -> None:
    text = unit * (12_000 // len(unit))

    parts = texts(text)

    assert "".join(parts).startswith(text.rstrip())
    assert max(map(len, parts)) <= 1000 + 200 + 1950 + 200
    assert len(parts) <= 12_000 // 500


@pytest.mark.parametrize(
    "start",
    [
        pytest.param("(", id="bracket"),
        pytest.param('He said "', id="quote"),
        pytest.param("**", id="bold"),
        pytest.param("`", id="backtick"),
        pytest.param("[a](", id="address"),
        pytest.param("http://e.org/", id="url"),
        pytest.param("<details ", id="half a tag"),
    ],
)
@pytest.mark.parametrize("word", ["word. ", "x"])
def test_b06_no_more_than_a_bounded_text_is_ever_held(start: str, word: str) -> None:
    buffer = Buffer()
    text = start + word * (12_000 // len(word))
    held, most = 0, 0
    for begin in range(0, len(text), 7):
        piece = text[begin : begin + 7]
        out = buffer.feed(piece)
        held += len(piece) - sum(len(item.text) for item in out)
        most = max(most, held)

    assert most <= 1000 + 200 + 1950 + 200


def test_b06_a_line_end_after_what_never_closed_is_a_line_end_again() -> None:
    text = "(" + "a" * 30 + "\nb\n" + "c" * 100 + "\nd"

    assert texts(text, settings=BufferSettings(hold=50)) == ["(" + "a" * 30 + "\n", "b\n", "c" * 100 + "\n", "d"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "*a\n" + "b" * 30 + "\nc* d", ["*a\n", "b" * 30 + "\n", "c* d"], id="a star that outlasts its line"
        ),
        pytest.param("**a\n" + "b" * 30 + "\nc** d", ["**a\n" + "b" * 30 + "\nc** d"], id="two stars"),
        pytest.param("x (" + "b" * 30 + "\nc) d", ["x (" + "b" * 30 + "\n", "c) d"], id="a bracket, out of reach"),
        pytest.param(
            "(a\nb **c\n" + "d" * 30 + "** e", ["(a\n", "b **c\n" + "d" * 30 + "** e"], id="what still holds stays"
        ),
        pytest.param("x (b\nc" + "d" * 10 + ") e", ["x (b\nc" + "d" * 10 + ") e"], id="a bracket in reach"),
    ],
)
def test_b06_marks_that_seldom_close_are_not_waited_for_as_long(text: str, expected: list[str]) -> None:
    assert expected == texts(text, settings=SMALL)


def test_b06_marks_that_give_up_one_after_the_other_let_go_of_one_line_after_the_other() -> None:
    text = "(a\nb **c\n" + "d" * 120

    assert ["(a\n", "b **c\n", "d" * 120] == texts(text, settings=SMALL)


def test_a_mark_that_is_not_waited_for_any_more_still_closes_what_has_not_left() -> None:
    enclosed = "(" + "b! " * 20 + "c)"

    parts = texts("a " * 20 + enclosed + " d" * 150, settings=BufferSettings(overflow=50, hold=80))

    assert parts[0] == "a " * 20
    assert parts[1].startswith(enclosed)


def test_b36_an_address_is_not_cut_by_an_overflow() -> None:
    address = "https://e.org/" + "a" * 300

    parts = texts("x " * 450 + address + " tail" * 100)

    assert sum(address in part for part in parts) == 1


@pytest.mark.parametrize("lead", range(4))
def test_b21_no_visible_character_is_cut_by_an_overflow(lead: int) -> None:
    text = "x" * lead + FAMILY * 200

    parts = texts(text, settings=SMALL)

    assert len(parts) > 2
    assert text == "".join(parts)
    assert all(part.lstrip("x").replace(FAMILY, "") == "" for part in parts)


def test_b21_half_a_pair_never_comes_out() -> None:
    assert texts("x\ud83d\ude00y\ud83d") == ["x😀y\ufffd"]


# --- the end --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I will look. Let me", "I will look.", id="an unfinished clause"),
        pytest.param("Ok! see https://e.org/a.b now", "Ok!", id="b14 address"),
        pytest.param('He said "stop." and', 'He said "stop."', id="b14 closing quote"),
        pytest.param("(I will look. Let me", "(I will look.)", id="b14 trimmed, then closed"),
        pytest.param("Ok. (Let me", "Ok.", id="b14 what is trimmed off is not closed"),
        pytest.param("Done.", "Done.", id="whole"),
        pytest.param("Ok. Read [this.](http://e.org)", "Ok. Read [this.](http://e.org)", id="whole in a link"),
        pytest.param("**Ok.** And so", "**Ok.**", id="whole in bold"),
        pytest.param("*I sigh. And", "*I sigh.*", id="emphasis that was broken off"),
        pytest.param("そう．次", "そう．", id="full width"),
    ],
)
@pytest.mark.parametrize(("why", "boundary"), [(Ending.TOOL_CALL, "tool_call"), (Ending.STOP, "final")])
def test_a_reply_that_is_broken_off_ends_with_a_whole_clause(
    text: str, expected: str, why: Ending, boundary: str
) -> None:
    assert [(boundary, expected)] == segments(text, why)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Let me", id="nothing but an unfinished clause"),
        pytest.param("It costs 3.5 or", id="b14 decimal"),
        pytest.param("Ask Dr. Lin", id="b14 abbreviation"),
        pytest.param("*I sigh. And go* now", id="b14 nothing closed is cut"),
    ],
)
def test_what_has_no_whole_clause_stays_in_front_of_a_tool_call_and_goes_after_a_stop(text: str) -> None:
    assert [("tool_call", text)] == segments(text, Ending.TOOL_CALL)
    assert [] == segments(text, Ending.STOP)


@pytest.mark.parametrize(
    ("before", "why", "expected"),
    [
        pytest.param("One.\n", Ending.STOP, "", id="a stop behind other words"),
        pytest.param("\n \n", Ending.STOP, "", id="a stop behind nothing"),
        pytest.param("One.\n", Ending.TOOL_CALL, "Star num", id="a tool call"),
        pytest.param("One.\n", Ending.FINAL, "Star num", id="the end"),
    ],
)
def test_a_person_who_stops_a_reply_hears_no_stub(before: str, why: Ending, expected: str) -> None:
    buffer = Buffer()
    buffer.feed(before)
    buffer.feed("Star num")

    assert expected == "".join(item.text for item in buffer.flush(why)).strip()


def test_a_whole_line_is_no_stub() -> None:
    buffer = Buffer()
    buffer.feed("One.\nStar number\n")

    assert "Star number" == "".join(item.text for item in buffer.flush(Ending.STOP)).strip()


def test_what_was_said_before_a_tool_call_counts_too() -> None:
    buffer = Buffer()
    buffer.feed("I look.")
    buffer.flush(Ending.TOOL_CALL)
    buffer.feed("Star num")

    assert [] == buffer.flush(Ending.STOP)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I will look. Let me", "I will look. Let me", id="nothing is left out"),
        pytest.param('"(a', '"(a)"', id="b31 closed inside out"),
        pytest.param('"a (b 「c', '"a (b 「c」)"', id="b31 three deep"),
        pytest.param("*args and **kwargs and _x", "*args and **kwargs and _x", id="b31 a mark that was meant"),
        pytest.param("use snake_case (see", "use snake_case (see)", id="b31 an identifier is left alone"),
        pytest.param("* item", "* item", id="b31 a bullet"),
        pytest.param("[a", "[a", id="b31 no link is made up"),
        pytest.param("||secret", "||secret||", id="spoiler"),
        pytest.param("`a (b", "`a (b`", id="b31 code that was broken off"),
        pytest.param("the ` key (b", "the ` key (b)", id="a lone backtick is text"),
        pytest.param("**bold and", "**bold and**", id="b31 one mark that was broken off"),
        pytest.param("ok :(", "ok :(", id="b23 a face"),
        pytest.param("use ``a `b", "use ``a `b``", id="b31 code with a backtick in it"),
        pytest.param("use ``a`", "use ``a`", id="no third run of backticks"),
        pytest.param("use `a\nb", "use `a\nb`", id="b31 code over a line end"),
        pytest.param("(**a `b", "(**a `b`**)", id="b31 code in emphasis"),
        pytest.param("*a *b", "*a *b", id="b31 two that were meant"),
        pytest.param("see **<think>a</think>", "see **", id="emphasis of nothing"),
        pytest.param("the _x", "the _x", id="a single underscore"),
        pytest.param("[a](<thin", "[a](<thin)", id="half a tag in an address"),
    ],
)
def test_a_reply_that_is_over_closes_what_it_left_open(text: str, expected: str) -> None:
    assert [("final", expected)] == segments(text)


@pytest.mark.parametrize(
    "rest", ["a (b", "```py\nx", "| a |\n|---|\n| 1", "<think>x", "a\r", "a\ud83d", "http://e", "a\n"]
)
@pytest.mark.parametrize("why", RELEASED)
def test_after_a_flush_everything_begins_anew(rest: str, why: Ending) -> None:
    buffer = Buffer()
    buffer.feed(rest)
    buffer.flush(why)

    assert list(buffer.flush(Ending.FINAL)) == []
    assert [Segment("Hello\n", Boundary.NEWLINE)] == list(buffer.feed("Hello\nx"))


def test_what_an_interface_sends_again_is_taken_off_where_that_is_known() -> None:
    sent = ["Hello wor", "Hello world,\n", "lo world,\nfriend"]

    def said(*, overlap: bool) -> str:
        buffer = Buffer(BufferSettings(overlap=overlap))
        out = [*(item for text in sent for item in buffer.feed(text)), *buffer.flush(Ending.FINAL)]
        return "".join(item.text for item in out)

    assert said(overlap=True) == "Hello world,\nfriend"
    assert "".join(sent) == said(overlap=False)


def test_feed_works_when_its_answer_is_dropped() -> None:
    buffer = Buffer()
    buffer.feed("a\nb")

    assert [Segment("b", Boundary.FINAL)] == list(buffer.flush(Ending.FINAL))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a b c\n" * 2000 + "end", id="lines"),
        pytest.param("(a) *b* `c` " * 900 + "end", id="spans"),
        pytest.param("```\n" + "x = 1\n" * 2000 + "```\nend", id="code"),
    ],
)
def test_a_text_of_any_length_leaves_whole(text: str) -> None:
    parts = texts(text)

    assert text == "".join(parts)
    assert len(parts) > 1


def test_of_what_is_discarded_only_what_was_hidden_is_left() -> None:
    buffer = Buffer(traced_from=0)
    buffer.feed("One is he")

    assert [] == buffer.flush(Ending.DISCARD)
    assert [] == buffer.losses  # the unfinished clause is not why it is gone

    buffer.feed("<think>Hm")
    assert [Aside(AsideKind.THOUGHT, "Hm")] == buffer.flush(Ending.DISCARD)


# --- what waits, for whoever looks ------------------------------------------------


@pytest.mark.parametrize(
    ("text", "why", "mark"),
    [
        pytest.param("", "", "", id="nothing"),
        pytest.param("an unfinished (line", "", "", id="an unfinished line"),
        pytest.param("a line\n", "undecided", "\n", id="a line end, behind which more may belong to the line"),
        pytest.param("a line\r", "undecided", "\r", id="half a line end"),
        pytest.param("(a\nb", "mark", "(", id="a bracket"),
        pytest.param("**a\nb", "mark", "**", id="bold"),
        pytest.param("a ||b\n", "mark", "||", id="a spoiler, whatever follows its line"),
        pytest.param("(a\nb) c", "", "", id="a bracket that has closed"),
        pytest.param("a `b\nc", "mark", "`", id="inline code"),
        pytest.param("a \\(b\nc", "mark", "\\(", id="a formula"),
        pytest.param("| a | b |\n|--", "line", "\n", id="the head of a table, perhaps"),
        pytest.param("```py\nx = 1\n", "code", "```", id="code"),
        pytest.param("| a |\n|---|\n| b |", "table", "", id="a table"),
        pytest.param("<think>b\n", "hidden", "thought", id="a thought"),
        pytest.param("a <think>b\n", "mark", "<think>", id="a tag that may open one"),
        pytest.param("<details>b", "hidden", "details", id="details"),
        pytest.param("a <think>b</think> c", "", "", id="a thought that is over"),
    ],
)
def test_it_says_why_text_stays(text: str, why: str, mark: str) -> None:
    buffer = Buffer()
    buffer.feed(text)

    assert HoldReason(why, mark) == buffer.waiting()


@given(nasty_markdown(), st.booleans())
def test_no_finished_line_stays_without_a_reason(text: str, sentences: bool) -> None:  # noqa: FBT001  # of hypothesis
    buffer = Buffer(sentences=sentences)
    for place, character in enumerate(text, start=1):
        buffer.feed(character)
        scanner = buffer._scanner
        kept = "".join([scanner.text, *scanner.unjoined]).strip(WHITESPACE)
        assert not survey(kept).line_ends or buffer.waiting() != HoldReason(), text[:place]


def test_it_says_how_much_stays() -> None:
    buffer = Buffer()
    for piece in ("one\ntwo", " th", "ree", "\r"):
        buffer.feed(piece)

    assert len("two three\r") == buffer.size
    buffer.flush(Ending.FINAL)
    assert (0, HoldReason()) == (buffer.size, buffer.waiting())


def test_a_file_does_not_end_a_code_block() -> None:
    buffer = Buffer()

    assert [] == [*buffer.feed("```py\n1\n"), *buffer.flush(Ending.FILE)]
    assert "```py\n1\n```" == buffer.feed("```\nb\n")[0].text.strip()  # type: ignore[union-attr]  # a segment


def test_a_file_does_not_end_a_hidden_block() -> None:
    buffer = Buffer()

    assert [] == [*buffer.feed("<think>One."), *buffer.flush(Ending.FILE)]
    assert [Aside(AsideKind.THOUGHT, "One. Two.")] == list(buffer.feed(" Two.</think>"))
    assert [Segment("Hello\n", Boundary.NEWLINE)] == list(buffer.feed("Hello\nx"))
