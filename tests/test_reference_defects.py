"""What the reference gets wrong, by the number in its list of defects, and what Cadenza does instead.

B-01 to B-40 stand in the specification of stage 5 and the chunker. The inputs are those of the recorded wrong outputs
where there are such, and neighbours of them. Whole messages are compared, however the text was sliced; where those do
not show it, the segments of stage 5 or the pieces of ``split``. Degree 3 is looked at before words are humanised.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest

from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.stages.s5_buffer import Buffer
from cadenza.text.repair import with_three_backticks
from cadenza.text.split import split
from cadenza.text.units import units
from cadenza.types import Boundary, Ending, Finished, Kind, Persona, Scene, Segment, TextDelta
from tests.helpers import calls_of, same_every_way
from tests.laws.material import messages, play

LIMIT = 1950
LOREM = "lorem ipsum dolor sit amet "
EMOJI = "<:soupbowl:100000000000000001>"
FAMILY = "👨\u200d👩\u200d👧"
TABLE = "| name | qty |\n|---|---|\n| a | 1 |\n"
CODE = "```py\nx = 1\n```"


def said(text: str, *, degree: int = 1, **options: Any) -> list[str]:
    """The messages that *text* becomes, however it is sliced."""
    return same_every_way(text, lambda pieces: messages("", slices=pieces, reference=True, degree=degree, **options))


def hidden(text: str, **options: Any) -> tuple[list[str], list[str]]:
    """The thoughts and the details that are kept of *text*, however it is sliced."""

    def run(pieces: list[str]) -> tuple[list[str], list[str]]:
        out = play("", slices=pieces, degree=1, **options)
        return out["thoughts"], out["details"]

    return same_every_way(text, run)


def left(text: str, *, sentences: bool = False) -> list[str]:
    """What has left stage 5 when *text* has arrived and more may come, however it was sliced."""

    def run(pieces: list[str]) -> list[str]:
        buffer = Buffer(sentences=sentences)
        return [item.text for piece in pieces for item in buffer.feed(piece)]

    return same_every_way(text, run)


def segments(text: str) -> list[Segment]:
    """The segments of *text*, however it was sliced."""

    def run(pieces: list[str]) -> list[Segment]:
        buffer = Buffer()
        out = [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(Ending.FINAL)]
        return [item for item in out if isinstance(item, Segment)]

    return same_every_way(text, run)


def by_sentence(text: str) -> list[str]:
    """The messages of degree 3, single words too, before they are humanised: streamed in any way or split as a whole."""
    assert sentences(text, lone_words=False) == split(text, Kind.PROSE, 3, LIMIT)
    streamed = sentences(text, lone_words=True)
    assert streamed == split(text, Kind.PROSE, 3, LIMIT, lone_words=True)
    return streamed


def sentences(text: str, *, lone_words: bool) -> list[str]:
    """The messages of degree 3 before they are humanised, however the text was sliced."""

    def run(pieces: list[str]) -> list[str]:
        buffer = Buffer(sentences=True, lone_words=lone_words)
        out = [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(Ending.FINAL)]
        segments = [item for item in out if isinstance(item, Segment)]
        return [piece for item in segments for piece in split(item.text, item.kind, 3, LIMIT, lone_words=lone_words)]

    return same_every_way(text, run)


def overlapping(chunks: list[str], *, degree: int = 1) -> list[str]:
    """The messages of a stream that sends some of its text again."""
    return messages("", slices=chunks, reference=True, degree=degree, overlap=True)


def code_lines(parts: list[str], opening: str, closing: str = "```") -> list[str]:
    """The lines of code in *parts*, each of which must be a whole block with something in it."""
    lines: list[str] = []
    for part in parts:
        first, *body, last = part.split("\n")
        assert (opening, closing) == (first, last)
        assert "".join(body).strip()
        lines += body
    return lines


def without_space(text: str) -> str:
    return "".join(text.split())


def without_stops(text: str) -> str:
    return re.sub("[.。]", "", without_space(text))


# --- hidden blocks ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected", "thoughts", "details"),
    [
        pytest.param("Visible <think>plan</think> tail\nx", ["Visible  tail", "x"], ["plan"], [], id="in a line"),
        pytest.param("Visible line\n<think>plan</think>tail\nx", ["Visible line", "tail", "x"], ["plan"], [], id="line"),
        pytest.param("<think>a</think>B<think>c</think>D\nx", ["BD", "x"], ["a", "c"], [], id="two"),
        pytest.param("Hi\n<think>never", ["Hi"], ["never"], [], id="never closed"),
        pytest.param("Hi <think>never", ["Hi <think>never"], [], [], id="never closed, in a line"),
        pytest.param("Visible <details>m</details> tail\nx", ["Visible  tail", "x"], [], ["m"], id="details"),
        pytest.param("Hi\n<details>mem", ["Hi"], [], ["mem"], id="details never closed"),
        pytest.param("so (a <think>b)</think>\nc) d\ne", ["so (a \nc) d", "e"], ["b)"], [], id="in a bracket"),
        pytest.param("**bo<think>x</think>ld** y\nz", ["**bold** y", "z"], ["x"], [], id="in a bold word"),
        pytest.param("https://e.org/a<think>x</think>b c\nz", ["https://e.org/ab c", "z"], ["x"], [], id="in an address"),
        pytest.param("see [a](<think>x</think>b) c\nz", ["see [a](b) c", "z"], ["x"], [], id="in the address of a link"),
        pytest.param("a `b <think>x</think> c\nz", ["a `b  c", "z"], ["x"], [], id="behind a lone backtick"),
        pytest.param(
            'Hey! Look:\n1. one\n2. two (maybe\nthree)\n```py\nx=1\n```\n<think>hm</think>Bye. "You\nsoon" ok\nend',
            ["Hey! Look:", "1. one", "2. two (maybe\nthree)", "```py\nx=1\n```", 'Bye. "You\nsoon" ok', "end"],
            ["hm"],
            [],
            id="mixed",
        ),
    ],
)  # fmt: skip
@pytest.mark.parametrize("end", ["final", "tool"])
def test_b01_visible_text_before_a_hidden_block_keeps_its_place(
    text: str, expected: list[str], thoughts: list[str], details: list[str], end: str
) -> None:
    assert expected == said(text, end=end)
    assert (thoughts, details) == hidden(text, end=end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("before https://e.org/abc after", ["before https://e.org/abc after"], id="in a line"),
        pytest.param("https://e.org/abc then text", ["https://e.org/abc then text"], id="in front"),
        pytest.param("before\nhttps://e.org/abc\nafter", ["before", "https://e.org/abc", "after"], id="on a line"),
        pytest.param("see https://e.org/1, then https://e.org/2 ok", ["see https://e.org/1, then https://e.org/2 ok"], id="two"),
        pytest.param("before\n```py\n1\n```\nafter", ["before", "```py\n1\n```", "after"], id="code"),
        pytest.param("```py\nx = 1\n```\nafter", [CODE, "after"], id="code in front"),
        pytest.param("a\n```py\n1\n```\nb\n```js\n2\n```\nc", ["a", "```py\n1\n```", "b", "```js\n2\n```", "c"], id="two blocks"),
        pytest.param("say ```hey``` ok", ["say", "```hey```", "ok"], id="code in a line"),
        pytest.param("a https://e.org/1\n```py\nx = 1\n```\nhttps://e.org/2 b", ["a https://e.org/1", CODE, "https://e.org/2 b"], id="both"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("degree", [1, 2])
def test_b02_addresses_and_code_stay_where_they_were_said(text: str, expected: list[str], degree: int) -> None:
    assert expected == said(text, degree=degree)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("before https://e.org/abc after", id="in a line"),
        pytest.param("see https://e.org/x ok\nend", id="in a line of two"),
        pytest.param("before\nhttps://e.org/abc\nafter", id="on a line"),
        pytest.param("a\n```py\n1\n```\nb", id="code"),
    ],
)
def test_b02_in_one_message_too_everything_stays_in_its_place(text: str) -> None:
    assert [text] == said(text, degree=0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("```html\n<think>no</think>\n```\nend", ["```html\n<think>no</think>\n```", "end"], id="block"),
        pytest.param("```\n<details>\n```\nend", ["```\n<details>\n```", "end"], id="details"),
        pytest.param("```\n</think>\n```\nend", ["```\n</think>\n```", "end"], id="stray end"),
        pytest.param("```\n<think>x", ["```\n<think>x\n```"], id="block never closed"),
        pytest.param("> ```\n> <think>\n> ```\nend", ["> ```\n> <think>\n> ```", "end"], id="quoted block"),
        pytest.param("Write `<think>` first\nx", ["Write `<think>` first", "x"], id="inline"),
        pytest.param("Write ``a` <think>`` first\nx", ["Write ``a` <think>`` first", "x"], id="two backticks"),
        pytest.param("End with `</think>` ok\nx", ["End with `</think>` ok", "x"], id="stray end inline"),
        pytest.param("Use `<details open>` ok\nx", ["Use `<details open>` ok", "x"], id="details inline"),
    ],
)
def test_b03_a_tag_in_code_is_code(text: str, expected: list[str]) -> None:
    assert expected == said(text)
    assert ([], []) == hidden(text)


# --- holding ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Hi (a\nb) c\nd\ne", ["Hi (a\nb) c\n", "d\n"], id="bracket"),
        pytest.param("f(g(x)\n) ok\nbye", ["f(g(x)\n) ok\n"], id="nested brackets"),
        pytest.param('say "hi\nthere" ok\nbye', ['say "hi\nthere" ok\n'], id="quote"),
        pytest.param("||secret||\nnext\nx", ["||secret||\n", "next\n"], id="spoiler"),
        pytest.param("a | b | c\nnext\nx", ["a | b | c\n", "next\n"], id="bars in prose"),
        pytest.param(f"Intro\n{TABLE}\nAfter\nx", ["Intro\n", TABLE, "\n", "After\n"], id="table"),
        pytest.param("مرحبا\nكيف حالك؟ (نعم\nلا) طيب\nx", ["مرحبا\n", "كيف حالك؟ (نعم\nلا) طيب\n"], id="Arabic"),
        pytest.param(
            'He said "run\n```\nx\n```\nok" end\nz',
            ['He said "run\n', "```\nx\n```", "\n", 'ok" end\n'],
            id="code behind an open quote",
        ),
    ],
)
def test_b04_a_line_that_belongs_together_leaves_without_waiting_for_the_end(text: str, expected: list[str]) -> None:
    assert expected == left(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('He said "a. b." ok. fine x', ['He said "a. b." ok.'], id="quote"),
        pytest.param("So (a. b.) ok. fine x", ["So (a. b.) ok."], id="bracket"),
        pytest.param("Hi (a. b) c\nd it. e f", ["Hi (a. b) c\n", "d it."], id="line end behind a bracket"),
    ],
)
def test_b04_a_sentence_leaves_though_an_earlier_stop_was_inside_something(text: str, expected: list[str]) -> None:
    assert expected == left(text, sentences=True)


@pytest.mark.parametrize("opening", ["```txt", "```c++ title=x", "````md"])
@pytest.mark.parametrize("end", ["", "{fence}\nafter\nok"], ids=["open", "closed"])
def test_b05_code_longer_than_the_buffer_closes_and_opens_again_and_stays_code(opening: str, end: str) -> None:
    fence = "`" * opening.count("`")
    lines = [f"line {number} of code text" if number % 5 else "" for number in range(1, 760)]

    found = said("\n".join([opening, *lines]) + "\n" + end.format(fence=fence), rules_off=())

    rest = ["after", "ok"] if end else []
    code = found[: len(found) - len(rest)]
    assert rest == found[len(code) :]
    assert len(code) > 3
    assert max(map(units, code)) <= LIMIT
    assert lines == code_lines(code, opening.replace("````", "```"), "```")


def test_b05_the_parts_of_long_code_leave_as_code() -> None:
    parts = segments("```txt\n" + "line of code\n" * 2000 + "```")

    assert {Kind.CODE} == {part.kind for part in parts}
    assert [Boundary.OVERFLOW, Boundary.CODE_CLOSE] == [part.boundary for part in parts]


@pytest.mark.parametrize("opener", ['"', "(", "「", "**", "||", "`", "~~", "[a](", "“"])
@pytest.mark.parametrize("filler", [LOREM, LOREM.strip() + "\n", "漢字"], ids=["words", "lines", "no spaces"])
def test_b06_a_mark_that_never_closes_does_not_hold_the_text_for_ever(opener: str, filler: str) -> None:
    text = opener + filler * (9000 // len(filler))
    bound = 1000 + 200 + LIMIT + 200

    assert len(text) - len("".join(left(text))) <= bound
    found = said(text)
    assert max(map(units, found)) <= LIMIT
    wrote, shown = (without_space(part).replace(opener, "") for part in (text, "".join(found)))
    assert wrote == shown  # emphasis is closed where a message ends, and opened again


def test_b06_a_quote_that_never_closes_leaves_as_it_was_said() -> None:
    text = '"' + LOREM * 90

    assert text.strip() == " ".join(said(text))


# --- length -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("a" * 1951, id="one too many"),
        pytest.param(LOREM * 93, id="paragraph"),
        pytest.param("short\n" + "e" * 2100, id="short then long"),
        pytest.param("A " + "very " * 600 + "long sentence. Then short.", id="sentence"),
        pytest.param("u https://e.org/" + "p" * 2100 + " v", id="address"),
        pytest.param("[a](https://e.org/" + "p" * 2100 + ") v", id="link"),
        pytest.param(EMOJI * 80, id="emoji"),
        pytest.param("これは長い文章です、とても。" * 180, id="Japanese"),
        pytest.param("字" * 2500, id="no marks at all"),
        pytest.param('"' + "quoted words here " * 150 + '"', id="quote"),
        pytest.param("`" + "code words here " * 150 + "`", id="inline code"),
        pytest.param("<" + "x" * 2500 + ">", id="angles"),
    ],
)
@pytest.mark.parametrize("degree", range(4))
@pytest.mark.parametrize("limit", [50, LIMIT])
def test_b07_no_message_is_longer_than_the_limit(text: str, degree: int, limit: int) -> None:
    pieces = split(text, Kind.PROSE, degree, limit)

    assert max(map(units, pieces)) <= limit
    if degree == 3:
        assert without_stops(text) == without_stops("".join(pieces))
    else:
        assert without_space(text) == without_space("".join(pieces))
        found = said(text, degree=degree, limit=limit)
        assert max(map(units, found)) <= limit
        assert without_space(text) == without_space("".join(found))


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        pytest.param("a" * 1951, Kind.PROSE, ["a" * 1950, "a"], id="prose"),
        pytest.param(
            "u https://e.org/" + "p" * 1940 + " v", Kind.PROSE, ["u", "https://e.org/" + "p" * 1936, "pppp v"], id="address"
        ),
        pytest.param(
            "```py\n" + "z" * 2500 + "\n```",
            Kind.CODE,
            ["```py\n" + "z" * 1940 + "\n```", "```py\n" + "z" * 560 + "\n```"],
            id="line of code",
        ),
    ],
)  # fmt: skip
def test_b07_what_is_too_long_is_cut_where_the_message_is_full(text: str, kind: Kind, expected: list[str]) -> None:
    assert expected == split(text, kind, 1, LIMIT)


def test_b07_a_row_of_emoji_is_cut_between_them() -> None:
    found = said(EMOJI * 80)

    assert EMOJI * 80 == "".join(found)
    assert {""} == {message.replace(EMOJI, "") for message in found}


# --- repetition ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param(["abcdefgh", "abcdefgh", "\nx"], ["abcdefghabcdefgh", "x"], id="eight letters"),
        pytest.param(["la la la ", "la la la ", "la la la\nx"], ["la la la la la la la la la", "x"], id="refrain"),
        pytest.param(["so --------", "--------", "\nx"], ["so ----------------", "x"], id="dashes"),
        pytest.param(["hahahaha", "hahahahaha", "!\nx"], ["hahahahahahahahaha!", "x"], id="laughter"),
        pytest.param(["hahaha! ", "hahaha! ", "that is funny"], ["hahaha! hahaha! that is funny"], id="laughter in words"),
        pytest.param(["Say it.\n", "Say it.\n", "Say it."], ["Say it.", "Say it.", "Say it."], id="lines"),
        pytest.param(
            ["```txt\n", "same code line\n", "same code line\n", "same code line\n", "```\nok"],
            ["```txt\nsame code line\nsame code line\nsame code line\n```", "ok"],
            id="lines of code",
        ),
        pytest.param(["```py\n", "        ", "        ", "x\n```"], ["```py\n                x\n```"], id="indentation"),
    ],
)  # fmt: skip
def test_b08_what_is_said_twice_is_said_twice(chunks: list[str], expected: list[str]) -> None:
    assert expected == messages("", slices=chunks, reference=True, degree=1)
    assert expected == said("".join(chunks))


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param(["Hello wor", "Hello world, ", "Hello world, friend"], ["Hello world, friend"], id="grows"),
        pytest.param(["Hello world", "Hello world"], ["Hello world"], id="nothing new"),
        pytest.param(
            ["I think that this", "that this is overlap\nx"], ["I think that this is overlap", "x"], id="tail"
        ),
    ],
)
def test_b08_overlap_is_trimmed_where_it_is_declared(chunks: list[str], expected: list[str]) -> None:
    assert expected == overlapping(chunks)
    assert expected != messages("", slices=chunks, reference=True, degree=1)


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        pytest.param(
            ["First line here\nSecond", "First line here\nSecond part\nx"],
            ["First line here", "Second part", "x"],
            id="all again",
        ),
        pytest.param(
            ["First line here\nSecond line", " line here\nSecond line and on\nx"],
            ["First line here", "Second line and on", "x"],
            id="the tail again",
        ),
        pytest.param(
            ["<think>plan</think>Hello wor", "<think>plan</think>Hello world"], ["Hello world"], id="a hidden block again"
        ),
        pytest.param(["Look: ```py\nx = 1\n```\nDo", "Look: ```py\nx = 1\n```\nDone"], ["Look:", CODE, "Done"], id="code again"),
    ],
)  # fmt: skip
def test_b09_declared_overlap_is_found_behind_what_has_left(chunks: list[str], expected: list[str]) -> None:
    assert expected == overlapping(chunks)


def test_b09_declared_overlap_is_found_whatever_became_of_the_sentence() -> None:
    buffer = Buffer(Settings.of(overlap=True).buffer, sentences=True)

    out = [
        *buffer.feed("Hello There Friend. Next"),
        *buffer.feed("Hello There Friend. Next one\nx"),
        *buffer.flush(Ending.FINAL),
    ]

    assert [item.text for item in out] == ["Hello There Friend.", " Next one\n", "x"]


# --- one message --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("T\n```py\nx\n```\nmore\nend", id="a line end"),
        pytest.param("T\n```py\nx\n```\n\n\nmore", id="empty lines"),
        pytest.param("```a```\n```b```", id="two blocks"),
        pytest.param(f"T\n{TABLE}more", id="table"),
        pytest.param("T ```x``` more\nend", id="in a line"),
        pytest.param("T\n```x```more", id="nothing between"),
        pytest.param("```a``````b```", id="two in a row"),
    ],
)
def test_b10_in_one_message_code_stands_exactly_as_the_model_wrote_it(text: str) -> None:
    assert [text] == said(text, degree=0)


@pytest.mark.parametrize("shape", ["reply", "blocks", "lines", "sentences"])
@pytest.mark.parametrize("text", ["(``````)", "a `````` b", "``````"])
def test_six_backticks_are_not_deleted(text: str, shape: str) -> None:
    """They are escaped, so that they arrive as written and open no block in their message."""
    assert [text.replace("`", "\\`")] == said(text, shape=shape)


# --- what belongs together ------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('She said "stop. now. please" Then left.', ['She said "stop. now. please" Then left'], id="quote"),
        pytest.param("I waited (a while. a bit) and left. Bye.", ["I waited (a while. a bit) and left", "Bye"], id="bracket"),
        pytest.param("This is **very. very. bold** text. Bye.", ["This is **very. very. bold** text", "Bye"], id="bold"),
        pytest.param("*she sighs. slowly.* Fine. Ok.", ["*she sighs. slowly.* Fine", "Ok"], id="italic"),
        pytest.param("a __b. c__ d. e", ["a __b. c__ d", "e"], id="underline"),
        pytest.param("a ~~b. c~~ d. e", ["a ~~b. c~~ d", "e"], id="strike"),
        pytest.param("use `a. b` ok. c", ["use `a. b` ok", "c"], id="inline code"),
        pytest.param("use ``a`. b`` ok. c", ["use ``a`. b`` ok", "c"], id="inline code with a backtick"),
        pytest.param('(he "said. it") ok. end', ['(he "said. it") ok', "end"], id="quote in a bracket"),
        pytest.param('{"a": "b. c", "d": [1, 2]}\nok. fine.', ['{"a": "b. c", "d": [1, 2]}', "ok", "fine"], id="json"),
        pytest.param("He said “yes. no” and left. End.", ["He said “yes. no” and left", "End"], id="curly quotes"),
        pytest.param("Il dit «oui. non» et part. Fin.", ["Il dit «oui. non» et part", "Fin"], id="guillemets"),
        pytest.param("「はい。いいえ。」と言った。終わり。", ["「はい。いいえ。」と言った", "終わり"], id="Japanese quote"),
        pytest.param("你好。今天很好。「真的。吗」他问。", ["你好", "今天很好", "「真的。吗」他问"], id="Chinese"),
        pytest.param("えっと*ため息。をつく*ふん。終わり。", ["えっと*ため息。をつく*ふん", "終わり"], id="Japanese italic"),
        pytest.param("a (b. c [d. e](f. g) h. i) j. k", ["a (b. c [d. e](f. g) h. i) j", "k"], id="link in a bracket"),
    ],
)  # fmt: skip
def test_b11_a_stop_inside_something_ends_no_message(text: str, expected: list[str]) -> None:
    assert expected == by_sentence(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('She said "one\ntwo" ok\nend', ['She said "one\ntwo" ok', "end"], id="quote"),
        pytest.param("Note (one\ntwo) ok\nend", ["Note (one\ntwo) ok", "end"], id="bracket"),
        pytest.param("Some **one\ntwo** ok\nend", ["Some **one\ntwo** ok", "end"], id="bold"),
        pytest.param("Some *one\ntwo* ok\nend", ["Some *one\ntwo* ok", "end"], id="italic"),
        pytest.param("Some ~~one\ntwo~~ ok\nend", ["Some ~~one\ntwo~~ ok", "end"], id="strike"),
        pytest.param(
            "彼は「行こう\n今すぐ」と言った。\n次", ["彼は「行こう\n今すぐ」と言った。", "次"], id="Japanese quote"
        ),
        pytest.param("`a\nb` c\nd", ["`a\nb` c", "d"], id="inline code"),
    ],
)
@pytest.mark.parametrize("degree", [1, 2])
def test_b12_a_line_end_inside_something_ends_no_message(text: str, expected: list[str], degree: int) -> None:
    assert expected == said(text, degree=degree)
    assert expected == split(text, Kind.PROSE, degree, LIMIT)


def test_b12_what_is_longer_than_a_message_is_cut_all_the_same() -> None:
    found = split('"' + "one two\n" * 20 + 'end" ok', Kind.PROSE, 1, 60)

    assert max(map(units, found)) <= 60
    assert all(line in ('"one two', "one two", 'end" ok') for piece in found for line in piece.split("\n"))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**bold\nmore** x\ny", ["**bold\nmore** x\n"], id="bold"),
        pytest.param("*it\nmore* x\ny", ["*it\nmore* x\n"], id="italic"),
        pytest.param("~~it\nmore~~ x\ny", ["~~it\nmore~~ x\n"], id="strike"),
        pytest.param("`it\nmore` x\ny", ["`it\nmore` x\n"], id="inline code"),
        pytest.param("「it\nmore」x\ny", ["「it\nmore」x\n"], id="Japanese quote"),
        pytest.param("«a\nb» c\nd", ["«a\nb» c\n"], id="guillemets"),
        pytest.param("“a\nb” c\nd", ["“a\nb” c\n"], id="curly quotes"),
        pytest.param("***a\nb*** c\nd", ["***a\nb*** c\n"], id="bold and italic"),
    ],
)
def test_b13_a_line_end_inside_something_lets_nothing_go(text: str, expected: list[str]) -> None:
    assert expected == left(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**very. very** x. y z", ["**very. very** x."], id="bold"),
        pytest.param("*walks. slowly* hi. there x", ["*walks. slowly* hi."], id="italic"),
        pytest.param("~~a. b~~ c. d e", ["~~a. b~~ c."], id="strike"),
        pytest.param("`a. b` c. d e", ["`a. b` c."], id="inline code"),
        pytest.param("See [the. docs](https://e.org/a) now. Ok x", ["See [the. docs](https://e.org/a) now."], id="link"),
        pytest.param("See [a](https://e.org/b. c) now. Ok x", ["See [a](https://e.org/b. c) now."], id="address of a link"),
    ],
)  # fmt: skip
def test_b13_a_stop_inside_something_lets_nothing_go(text: str, expected: list[str]) -> None:
    assert expected == left(text, sentences=True)


# --- broken off -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("I will look. Let me", ["I will look."], id="an unfinished clause"),
        pytest.param("Let me check that", ["Let me check that"], id="nothing else"),
        pytest.param("Version 3.5 beta is", ["Version 3.5 beta is"], id="decimal"),
        pytest.param("v3.5 is", ["v3.5 is"], id="version"),
        pytest.param("e.g. this", ["e.g. this"], id="abbreviation"),
        pytest.param("Ask Dr. Lin", ["Ask Dr. Lin"], id="title"),
        pytest.param("Ok. Ask the U.S. about", ["Ok."], id="acronym"),
        pytest.param("1. item", ["1. item"], id="list number"),
        pytest.param("see https://e.org/a.b now", ["see https://e.org/a.b now"], id="address"),
        pytest.param("Done. See https://e.org/a.b now", ["Done."], id="address behind a clause"),
        pytest.param("Done. Use `a. b` and", ["Done."], id="inline code"),
        pytest.param("Look at [a. b](https://e.org/c.d) and", ["Look at [a. b](https://e.org/c.d) and"], id="link"),
        pytest.param('He said "stop." and', ['He said "stop."'], id="closing quote"),
        pytest.param("(done.) more", ["(done.)"], id="closing bracket"),
        pytest.param("[done.] x", ["[done.]"], id="closing square bracket"),
        pytest.param("「終わり。」次", ["「終わり。」"], id="closing Japanese quote"),
        pytest.param("He said “done.” and", ["He said “done.”"], id="closing curly quote"),
        pytest.param("**done.** and", ["**done.**"], id="closing bold"),
        pytest.param("I will (look. Let me", ["I will (look.)"], id="trimmed, then closed"),
        pytest.param("**I will look. Let me", ["**I will look.**"], id="bold trimmed, then closed"),
        pytest.param("Ok. (Let me", ["Ok."], id="what is trimmed off is not closed"),
        pytest.param(f"Intro\n{TABLE.strip()}", ["Intro", TABLE.strip()], id="table"),
        pytest.param("```py\nx = 1. y", ["```py\nx = 1. y\n```"], id="code"),
        pytest.param("見ます。それから次", ["見ます。"], id="Japanese"),
        pytest.param("Hmm… let me see", ["Hmm…"], id="ellipsis"),
        pytest.param("Really? Let me", ["Really?"], id="question"),
    ],
)
def test_b14_a_reply_that_is_broken_off_ends_with_a_whole_clause(text: str, expected: list[str]) -> None:
    assert expected == said(text, end="tool")


@pytest.mark.parametrize(
    ("end", "expected"), [("tool", ["Steps:", "1. Mix"]), ("stop", ["Steps:"])], ids=["tool", "stop"]
)
def test_b14_a_list_number_is_no_clause_and_behind_other_words_a_stop_leaves_it_out(
    end: str, expected: list[str]
) -> None:
    assert expected == said("Steps:\n1. Mix", end=end)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("```py\nx = (1", ["```py\nx = (1\n```"], id="bracket"),
        pytest.param('```py\nx = "a **b', ['```py\nx = "a **b\n```'], id="quote and stars"),
        pytest.param("intro\n```py\nprint(1)\nprint(2)", ["intro", "```py\nprint(1)\nprint(2)\n```"], id="two lines"),
        pytest.param("```txt\nOne. Two.\nThree. Fo", ["```txt\nOne. Two.\nThree. Fo\n```"], id="sentences"),
        pytest.param("```py\nx\n``", ["```py\nx\n```"], id="half a closing fence"),
        pytest.param("(see\n```py\nx", ["(see", "```py\nx\n```"], id="behind an open bracket"),
    ],
)
@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("end", ["final", "tool"])
def test_b15_code_that_is_left_open_is_closed_and_otherwise_left_alone(
    text: str, expected: list[str], degree: int, end: str
) -> None:
    assert expected == said(text, degree=degree, end=end)


def test_b15_code_that_is_left_open_is_closed_in_one_message_too() -> None:
    assert ["intro\n```py\nx = (1\n```"] == said("intro\n```py\nx = (1", degree=0)


# --- code -----------------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, 1, 2])
def test_b16_a_split_code_block_keeps_its_blank_lines(degree: int) -> None:
    lines = ["a = 1", "", "", "    b = 2", "", "c = 3"] * 8

    found = said("```py\n" + "\n".join(lines) + "\n```", degree=degree, limit=60)

    assert len(found) > 3
    assert lines == code_lines(found, "```py")


def test_b16_blank_lines_stand_where_they_stood() -> None:
    assert split("```py\nab\n\ncde\nfgh\n\nij\n```", Kind.CODE, 1, 21) == [
        "```py\nab\n\ncde\nfgh\n```",
        "```py\n\nij\n```",
    ]


@pytest.mark.parametrize("info", ["c++", "objective-c", "py title=x", "C#", "js {1,3}", "f90", "", "py "])
def test_b17_every_part_has_the_whole_info_string(info: str) -> None:
    lines = [f"value_{number} = compute({number})" for number in range(40)]

    found = said(f"```{info}\n" + "\n".join(lines) + "\n```", limit=200)

    assert len(found) > 3
    assert lines == code_lines(found, f"```{info}")


def test_b18_a_line_of_code_longer_than_a_message_is_cut_inside_its_fence() -> None:
    text = "```py\nshort\n" + "z" * 100 + "\nshort2\n```"

    assert said(text, limit=50) == [
        "```py\nshort\n```",
        "```py\n" + "z" * 40 + "\n```",
        "```py\n" + "z" * 40 + "\n```",
        "```py\n" + "z" * 20 + "\nshort2\n```",
    ]


def test_b18_a_line_of_code_is_not_cut_inside_a_character() -> None:
    found = said("```\n" + FAMILY * 60 + "\n```", limit=50)

    assert max(map(units, found)) <= 50
    assert {""} == {line.replace(FAMILY, "") for line in code_lines(found, "```")}


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param(
            "```py\na=1\nb=2\nc=3\nd=4\n```", 24, ["```py\na=1\nb=2\nc=3\n```", "```py\nd=4\n```"], id="last line over"
        ),
        pytest.param("```\n" + "k" * 43 + "\n```", 50, ["```\n" + "k" * 42 + "\n```", "```\nk\n```"], id="over by one"),
        pytest.param("```py\n" + "k" * 41 + "\nend\n```", 50, ["```py\n" + "k" * 40 + "\n```", "```py\nk\nend\n```"], id="long first line"),
        pytest.param("```py\nend\n" + "k" * 40 + "\n\n\n```", 50, ["```py\nend\n```", "```py\n" + "k" * 40 + "\n```"], id="blank lines behind the last"),
        pytest.param("```\n\n```", 50, [], id="nothing in it"),
    ],
)  # fmt: skip
def test_b19_no_message_is_an_empty_code_block(text: str, limit: int, expected: list[str]) -> None:
    assert expected == split(text, Kind.CODE, 1, limit)


@pytest.mark.parametrize("degree", [0, 1, 2])
@pytest.mark.parametrize("empty", ["```\n```", "```\n\n\n```", "``` ```"], ids=["two lines", "blank lines", "a space"])
def test_b19_an_empty_code_block_is_left_out_at_every_degree(empty: str, degree: int) -> None:
    assert (["a", "b"] if degree else ["a\n\nb"]) == said(f"a\n{empty}\nb", degree=degree)
    assert [] == said(empty, degree=degree)


@pytest.mark.parametrize("text", ["```\n`\n```", "```py\n``\n```", "````\n```\n````"], ids=["one", "two", "three"])
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_b19_a_code_block_that_shows_backticks_is_not_empty(text: str, degree: int) -> None:
    assert [text] == said(text, degree=degree, rules_off=("long_fences",))


# --- where a long text is cut -----------------------------------------------------------


@pytest.mark.parametrize("degree", range(4))
@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        pytest.param("c" * 1950 + " " + "d" * 50, LIMIT, ["c" * 1950, "d" * 50], id="just behind"),
        pytest.param("c" * 1949 + " " + "d" * 50, LIMIT, ["c" * 1949, "d" * 50], id="just before"),
        pytest.param("abcdefghij klmnop", 10, ["abcdefghij", "klmnop"], id="ten"),
        pytest.param("alpha beta gamma delta epsilon", 12, ["alpha beta", "gamma delta", "epsilon"], id="words"),
    ],
)
def test_b20_a_space_at_the_limit_makes_no_message_longer(
    text: str, limit: int, expected: list[str], degree: int
) -> None:
    assert expected == split(text, Kind.PROSE, degree, limit)


def test_b21_no_pair_of_surrogates_is_cut() -> None:
    assert split("x" + "😀" * 1200, Kind.PROSE, 1, LIMIT) == ["x" + "😀" * 974, "😀" * 226]
    assert ["x" + "😀" * 974, "😀" * 25, "😀" * 201] == said("x" + "😀" * 1200, degree=0)  # stage 5 cuts after 1000


@pytest.mark.parametrize("lead", ["", "x", "xx", "xxx"])
@pytest.mark.parametrize(
    "character",
    ["😀", FAMILY, "🇯🇵", "👍🏽", "e\u0301\u0302", "नि"],
    ids=["pair", "family", "flag", "skin", "accents", "Hindi"],
)
@pytest.mark.parametrize("degree", [0, 1])
def test_b21_no_visible_character_is_cut(lead: str, character: str, degree: int) -> None:
    text = lead + character * 1300

    found = said(text, degree=degree)

    assert len(found) > 1
    assert text == "".join(found)
    assert {""} == {message.lstrip("x").replace(character, "") for message in found}


def test_b21_a_pair_that_arrives_in_halves_is_one_character() -> None:
    assert ["x😀y"] == messages("", slices=["x\ud83d", "\ude00y"], degree=1)


# --- faces and inches ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("nice :)\nok\nbye", ["nice :)\n", "ok\n"], id="smiley"),
        pytest.param("we won B)\nok\nbye", ["we won B)\n", "ok\n"], id="cool"),
        pytest.param("a) one\nb) two\nc", ["a) one\n", "b) two\n"], id="list marks"),
        pytest.param("やあ」と\n次\nx", ["やあ」と\n", "次\n"], id="Japanese quote"),
        pytest.param("so” he\nsaid\nx", ["so” he\n", "said\n"], id="curly quote"),
        pytest.param("a) (b\nc) d\ne", ["a) (b\nc) d\n"], id="it hides no opening one"),
        pytest.param("やあ」「行\nこう」と\n次", ["やあ」「行\nこう」と\n"], id="it hides no opening quote"),
        pytest.param(":) (b\nc) d\ne", [":) (b\nc) d\n"], id="a smiley hides no opening one"),
    ],
)
def test_b22_a_closing_mark_alone_holds_nothing_and_hides_nothing(text: str, expected: list[str]) -> None:
    assert expected == left(text)


@pytest.mark.parametrize("face", [":(", ";(", "=(", ":'(", ":-(", "8("])
def test_b22_a_bracket_that_is_part_of_a_face_is_not_open(face: str) -> None:
    text = f"oh {face}\nok\nbye"

    assert [f"oh {face}\n", "ok\n"] == left(text)
    assert [f"oh {face}", "ok", "bye"] == said(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param('a 6" pipe\nok\nbye', ['a 6" pipe', "ok", "bye"], id="inches"),
        pytest.param('the 27" and the 32" one\nok\nbye', ['the 27" and the 32" one', "ok", "bye"], id="inches twice"),
        pytest.param("I am 5'10\" tall\nok\nbye", ["I am 5'10\" tall", "ok", "bye"], id="feet"),
        pytest.param('tea 2\ncake "\nok\nbye', ["tea 2", 'cake "', "ok", "bye"], id="ditto mark"),
        pytest.param("sad :(\nok\nbye", ["sad :(", "ok", "bye"], id="sad face"),
    ],
)
def test_b23_a_quote_that_opens_nothing_holds_nothing_and_is_not_closed(text: str, expected: list[str]) -> None:
    assert expected == said(text)
    assert expected[:-1] == [line.strip("\n") for line in left(text)]


def test_b23_a_quote_that_is_never_closed_is_not_waited_for_beyond_its_paragraph() -> None:
    text = 'He said "hi\nand went\n\nNext one\nend'

    assert ['He said "hi\n', "and went\n", "\n", "Next one\n"] == left(text)
    assert ['He said "hi', "and went", "Next one", "end"] == said(text)


# --- sentences ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("The U.S. and the U.K. agreed. Fine.", ["The U.S. and the U.K. agreed", "Fine"], id="countries"),
        pytest.param("at 5 p.m. we go. ok.", ["at 5 p.m. we go", "ok"], id="time"),
        pytest.param("J. R. Smith spoke. Ok.", ["J. R. Smith spoke", "Ok"], id="initials"),
        pytest.param("Fine. I live in the U.S.", ["Fine", "I live in the U.S."], id="at the end"),
        pytest.param("We met at 5 p.m.\nOk.", ["We met at 5 p.m.", "Ok"], id="at the end of a line"),
        pytest.param(
            "Come with us. I said no. You may. Go.", ["Come with us", "I said no", "You may", "Go"], id="words"
        ),
        pytest.param("I saw the sun. It was hot. Bye.", ["I saw the sun", "It was hot", "Bye"], id="the sun"),
        pytest.param("It was on Mar. 3 or so. Ok.", ["It was on Mar. 3 or so", "Ok"], id="month"),
        pytest.param("Sat. was fun. Ok.", ["Sat. was fun", "Ok"], id="day"),
        pytest.param("See p. 12 and No. 5 there. Ok.", ["See p. 12 and No. 5 there", "Ok"], id="page and number"),
        pytest.param("St. Petersburg is cold. Ok.", ["St. Petersburg is cold", "Ok"], id="saint"),
        pytest.param("So do I. Then go.", ["So do I", "Then go"], id="I is a word"),
    ],
)
def test_b24_short_forms_end_no_sentence_and_words_do(text: str, expected: list[str]) -> None:
    assert expected == by_sentence(text)


# --- addresses --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        pytest.param("<https://e.org/no-embed> tail\nend", ["<https://e.org/no-embed> tail", "end"], id="angles"),
        pytest.param('see "https://e.org/1" ok\nend', ['see "https://e.org/1" ok', "end"], id="quotes"),
        pytest.param("(https://e.org/1) ok\nend", ["(https://e.org/1) ok", "end"], id="brackets"),
        pytest.param("(see https://e.org/A_(b)) ok\nend", ["(see https://e.org/A_(b)) ok", "end"], id="brackets twice"),
        pytest.param("**https://e.org/1** ok\nend", ["**https://e.org/1** ok", "end"], id="bold"),
        pytest.param("- https://e.org/1\n- https://e.org/2", ["- https://e.org/1", "- https://e.org/2"], id="bullets"),
        pytest.param("1. https://e.org/1\n2. https://e.org/2", ["1. https://e.org/1", "2. https://e.org/2"], id="numbers"),
        pytest.param("[w](https://e.org/A_(b)_c) ok\nend", ["[w](https://e.org/A_(b)_c) ok", "end"], id="link"),
    ],
)  # fmt: skip
def test_b25_an_address_is_not_torn_from_what_stands_around_it(text: str, lines: list[str]) -> None:
    assert lines == said(text)
    assert lines == by_sentence(text)
    assert [text] == said(text, degree=0)


@pytest.mark.parametrize(
    ("text", "lines", "sentences"),
    [
        pytest.param("see https://e.org/A_(b) ok\nend", ["see https://e.org/A_(b) ok", "end"], ["see", "https://e.org/A_(b)", "ok", "end"], id="brackets in it"),
        pytest.param("text:https://e.org/1text\nend", ["text:https://e.org/1text", "end"], ["text:", "https://e.org/1text", "end"], id="glued"),
        pytest.param("詳細はhttps://e.jp/を見て\n次", ["詳細はhttps://e.jp/を見て", "次"], ["詳細は", "https://e.jp/を見て", "次"], id="Japanese"),
    ],
)  # fmt: skip
def test_b25_an_address_stays_in_its_line_and_stands_alone_only_where_sentences_do(
    text: str, lines: list[str], sentences: list[str]
) -> None:
    assert lines == said(text)
    assert sentences == by_sentence(text)
    assert [text] == said(text, degree=0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Visit https://e.org/a.b.html. Then rest.", ["Visit", "https://e.org/a.b.html.", "Then rest"], id="stop"
        ),
        pytest.param("(see https://e.org/A_(b)). Then rest.", ["(see https://e.org/A_(b))", "Then rest"], id="bracket"),
        pytest.param("Is it https://e.org/a? No. Ok.", ["Is it", "https://e.org/a?", "No", "Ok"], id="question"),
    ],
)
def test_b25_what_ends_the_sentence_is_no_part_of_the_address(text: str, expected: list[str]) -> None:
    assert expected == by_sentence(text)


@pytest.mark.parametrize(
    "address", ["https://e.org/A_(b)_c_(d)", "<https://e.org/no-embed>", "[wiki](https://e.org/A_(b)_c)"]
)
@pytest.mark.parametrize("lead", range(18, 46, 3))
def test_b25_a_forced_cut_leaves_an_address_whole(address: str, lead: int) -> None:
    found = said("a b " * (lead // 4) + "c" * (lead % 4) + f" {address} and so on and on and on", limit=50)

    assert sum(address in message for message in found) == 1


# --- lone punctuation ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("https://e.org/1\n.", ["https://e.org/1."], id="behind an address"),
        pytest.param("https://e.org/1\n.\nx", ["https://e.org/1.", "x"], id="behind an address, then text"),
        pytest.param("```\nx\n```\n.", ["```\nx\n```", "."], id="behind code"),
        pytest.param(".\n```\nx\n```", [".", "```\nx\n```"], id="before code"),
        pytest.param("...\nhttps://e.org/1\nx", ["...", "https://e.org/1", "x"], id="before an address"),
        pytest.param(f"...\n{EMOJI}\nx", ["...", EMOJI, "x"], id="before an emoji"),
    ],
)
def test_b26_punctuation_is_never_put_in_front_of_an_address_code_or_emoji(text: str, expected: list[str]) -> None:
    assert expected == said(text)


@pytest.mark.parametrize("start", ["https://e.org/1", "<https://e.org/1>", EMOJI])
def test_b26_nor_when_a_whole_text_is_split(start: str) -> None:
    assert [".", start, "x"] == split(f".\n{start}\nx", Kind.PROSE, 1, LIMIT)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(f"{EMOJI}.", id="stop"),
        pytest.param(f"{EMOJI} ...", id="ellipsis"),
        pytest.param(f"{EMOJI}\n!", id="on the next line"),
        pytest.param(f"Wow! {EMOJI}! Next bit", id="between sentences"),
        pytest.param(f"Wow! {EMOJI}, next bit", id="comma"),
        pytest.param(f"Yes. {EMOJI} ... then no", id="ellipsis between sentences"),
    ],
)
@pytest.mark.parametrize("degree", [0, 1, 2])
def test_b27_punctuation_behind_an_emoji_is_kept(text: str, degree: int) -> None:
    found = said(text, degree=degree)

    assert without_space(text) == without_space("".join(found))
    assert found == [message.strip() for message in found]
    assert all(re.search(r"\w", message) for message in found)


# --- humanising -----------------------------------------------------------------------------------


@pytest.mark.parametrize("roll", [0.0, 0.45, 0.99])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("It costs 1,000,000 or 2,5", "it costs 1,000,000 or 2,5", id="numbers"),
        pytest.param("Hello,World", "hello,world", id="no space behind it"),
        pytest.param('Run `Say "Hi, Bob";` Now', 'run `Say "Hi, Bob";` now', id="quotes in code"),
        pytest.param("Run `Été, Ça; 日本` Now", "run `Été, Ça; 日本` now", id="letters in code"),
        pytest.param("```py\nPrint(A, B);\n``` Then", "```py\nPrint(A, B);\n``` then", id="code block"),
        pytest.param("$& $1 $$ `$&` (a, b)", "$& $1 $$ `$&` (a, b)", id="dollars"),
        pytest.param(r"\1 \g<0> `\1`", r"\1 \g<0> `\1`", id="backslashes"),
        pytest.param("__URL_0__ https://E.org/A,B Ok", "__URL_0__ https://E.org/A,B ok", id="looks like a token"),
        pytest.param("__INLINE_CODE_0__ `X` Ok", "__INLINE_CODE_0__ `X` ok", id="looks like another"),
        pytest.param("\ue000 \ue001 Ok", "\ue000 \ue001 ok", id="private characters"),
    ],
)
def test_b28_humanising_changes_neither_numbers_nor_code_nor_words_that_look_like_tokens(
    text: str, expected: str, roll: float
) -> None:
    from cadenza.text.humanize import humanize

    assert [expected] == humanize(text, lambda: roll)


@pytest.mark.parametrize(
    ("roll", "expected"),
    [
        pytest.param(0.0, ["\ue000 hello you!", "a,b ok"], id="comma left out"),
        pytest.param(0.45, ["\ue000 hello", "you!", "a,b ok"], id="message ended"),
        pytest.param(0.99, ["\ue000 hello, you! a,b ok"], id="kept"),
    ],
)
def test_b28_only_a_comma_before_a_space_is_ever_left_out(roll: float, expected: list[str]) -> None:
    from cadenza.text.humanize import humanize

    assert expected == humanize("\ue000 Hello, you! a,b Ok", lambda: roll, reference=True)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<:bad> x <a:> y <:n:>", ["<:bad> x <a:> y <:n:>"], id="broken tags"),
        pytest.param("<:so\nup:123456789012345678> x", ["<:so", "up:123456789012345678> x"], id="over two lines"),
        pytest.param("<:a b: c> d\ne", ["<:a b: c> d", "e"], id="spaces"),
        pytest.param("if a <:b and c: 5> d\ne", ["if a <:b and c: 5> d", "e"], id="comparison"),
    ],
)
def test_b29_what_is_no_emoji_tag_is_text(text: str, expected: list[str]) -> None:
    assert expected == said(text)


def test_b29_a_sentence_ends_inside_what_is_no_emoji_tag() -> None:
    assert ["<:not a tag", "really:123456789012345678> ok", "x"] == by_sentence(
        "<:not a tag. really:123456789012345678> ok. x"
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("say __ELLIPSIS__ ok. bye.", ["say __ELLIPSIS__ ok", "bye"], id="ellipsis"),
        pytest.param("Hm... __MARKDOWN_LINK_0__ [a](b. c) ok. bye.", ["Hm... __MARKDOWN_LINK_0__ [a](b. c) ok", "bye"], id="link"),
        pytest.param("pay [x$&y](u. v). bye.", ["pay [x$&y](u. v)", "bye"], id="dollars"),
        pytest.param(r"pay [x\1\g<0>](u. v). bye.", [r"pay [x\1\g<0>](u. v)", "bye"], id="backslashes"),
        pytest.param("a \ue000 (b. c) \ue001 d. bye.", ["a \ue000 (b. c) \ue001 d", "bye"], id="private characters"),
    ],
)  # fmt: skip
def test_b30_what_looks_like_a_placeholder_is_text(text: str, expected: list[str]) -> None:
    assert expected == by_sentence(text)


# --- closing what is open ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("use snake_case", "use snake_case", id="identifier"),
        pytest.param("use snake_case (see", "use snake_case (see)", id="identifier and bracket"),
        pytest.param("2 * 3 (or", "2 * 3 (or)", id="product"),
        pytest.param("* item (a", "* item (a)", id="bullet"),
        pytest.param("[a", "[a", id="no link is made up"),
        pytest.param("(see [a", "(see [a)", id="bracket and square bracket"),
        pytest.param("(“a", "(“a”)", id="inside out"),
        pytest.param('"a (b 「c', '"a (b 「c」)"', id="three deep"),
        pytest.param("a) (b", "a) (b)", id="a bracket that was closed before"),
        pytest.param("||a", "||a||", id="spoiler"),
        pytest.param("say `a (b` c", "say `a (b` c", id="what code leaves open"),
        pytest.param("use `foo", "use `foo`", id="inline code"),
    ],
)
def test_b31_only_what_is_open_is_closed_and_inside_out(text: str, expected: str) -> None:
    assert [expected] == said(text)


# --- slices -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\n...\nb", ["a", "...b"], id="ellipsis"),
        pytest.param("Hello\n.\nbye", ["Hello.", "bye"], id="stop"),
        pytest.param("Hello\n!! x\ny", ["Hello!!", "x", "y"], id="marks"),
        pytest.param("Hello\n, bye\nx", ["Hello,", "bye", "x"], id="comma"),
        pytest.param("Hello\n  ! bye\nx", ["Hello!", "bye", "x"], id="spaces"),
        pytest.param("はい\n。次\nx", ["はい。", "次", "x"], id="Japanese"),
        pytest.param("Hello\n!?!?\nbye", ["Hello!?!?", "bye"], id="a run"),
        pytest.param("Hello\n:wave: hi\nx", ["Hello", ":wave: hi", "x"], id="shortcode"),
        pytest.param("Hello\n!help\nx", ["Hello", "!help", "x"], id="command"),
    ],
)
def test_b32_a_mark_on_the_next_line_is_decided_when_its_run_is_over(text: str, expected: list[str]) -> None:
    assert expected == said(text)


@pytest.mark.parametrize(
    ("degree", "text", "expected"),
    [
        pytest.param(1, "one\r\ntwo\r\n\r\nthree", ["one", "two", "three"], id="lines"),
        pytest.param(0, "a\r\nb\r\nc", ["a\nb\nc"], id="one message"),
        pytest.param(1, "a\r\n.\r\nb", ["a.", "b"], id="a mark on the next line"),
        pytest.param(1, "```py\r\nx = 1\r\n```\r\nend", [CODE, "end"], id="code"),
        pytest.param(1, TABLE.replace("\n", "\r\n") + "end", [TABLE.strip(), "end"], id="table"),
        pytest.param(1, "a (b\r\nc) d\r\ne", ["a (b\nc) d", "e"], id="inside a bracket"),
    ],
)
def test_b33_no_carriage_return_is_left(degree: int, text: str, expected: list[str]) -> None:
    assert expected == said(text, degree=degree)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("```diff\n-#\n\n\nsmall\n```\nx", ["```diff\n-#\n\n\nsmall\n```", "x"], id="code"),
        pytest.param("-#\nsmall print\nx", ["-# small print", "x"], id="prose"),
        pytest.param("text\n-#\n\n\nsmall\nx", ["text", "-# small", "x"], id="prose, farther"),
        pytest.param("text\n-#", ["text", "-#"], id="nothing behind it"),
    ],
)
def test_b34_a_subtext_mark_finds_its_line_in_prose_and_not_in_code(text: str, expected: list[str]) -> None:
    assert expected == said(text)


def test_b35_a_tool_call_lets_go_of_an_open_thought_with_nothing_else_to_say() -> None:
    assert (["plan"], []) == hidden("<think>plan", end="tool")
    assert ([], ["plan"]) == hidden("<details>plan", end="tool")


@pytest.mark.parametrize("text", ["Hello\n...\n\n", "Hello\n...\n", "Hello\n..."])
def test_b35_a_tool_call_lets_go_of_punctuation_that_was_held(text: str) -> None:
    assert ["Hello", "..."] == said(text, end="tool")


# --- an overfull buffer -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "whole"),
    [
        pytest.param(30, "(" + LOREM * 20 + ")", id="bracket"),
        pytest.param(20, "(" + LOREM * 20 + ")", id="bracket that closes in sight"),
        pytest.param(20, '"' + LOREM * 20 + 'end."', id="quote that closes in sight"),
        pytest.param(35, "**" + LOREM * 5 + "end**", id="bold"),
        pytest.param(35, "~~" + LOREM * 5 + "end~~", id="strike"),
        pytest.param(35, "||" + LOREM * 5 + "end||", id="spoiler"),
        pytest.param(35, '"' + LOREM * 5 + 'end."', id="quote"),
        pytest.param(35, "`" + LOREM * 5 + "end`", id="inline code"),
        pytest.param(35, "[" + LOREM * 4 + "](https://e.org/a)", id="link"),
        pytest.param(36, "https://e.org/" + "q" * 300, id="address"),
        pytest.param(35, "https://e.org/" + "q" * 1200, id="long address"),
        pytest.param(0, "https://e.org/" + "q" * 1800, id="long address alone"),
        pytest.param(0, "**" + LOREM * 50 + "end**", id="long bold alone"),
        pytest.param(36, EMOJI, id="emoji"),
    ],
)
def test_b36_an_overflow_leaves_whole_what_belongs_together(words: int, whole: str) -> None:
    text = f"{LOREM * words}see {whole} end {LOREM * 40}"

    found = said(text)

    assert text.split() == " ".join(found).split()
    assert sum(whole in message for message in found) == 1


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("````md\n```\nx\n```\n````\nok", ["````md\n```\nx\n```\n````", "ok"], id="four backticks"),
        pytest.param(
            "````md\n```py\nx\n```\n````", ["````md\n```py\nx\n```\n````"], id="four backticks and a language"
        ),
        pytest.param("`````\n````\nx\n`````\nok", ["`````\n````\nx\n`````", "ok"], id="five backticks"),
        pytest.param("````\n```\nx", ["````\n```\nx\n````"], id="never closed"),
    ],
)
def test_b37_a_code_block_ends_with_a_fence_as_long_as_its_first(text: str, expected: list[str]) -> None:
    """Discord's client knows only three backticks: the rule ``long_fences`` sees to that."""
    assert expected == said(text, rules_off=("long_fences",))
    assert list(map(_with_three, expected)) == said(text, rules_off=())


def _with_three(message: str) -> str:
    return with_three_backticks(message) if "````" in message else message


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("~~~\nx\n~~~\nok", ["```\nx\n```", "ok"], id="plain"),
        pytest.param("~~~py\nx. y\n\n<think>z</think>\n~~~\nok", ["```py\nx. y\n\n<think>z</think>\n```", "ok"], id="with more in it"),
        pytest.param("~~~md\n```\nx\n```\n~~~\nok", ["```md\n`\u200b``\nx\n`\u200b``\n```", "ok"], id="with backticks in it"),
        pytest.param("~~~py\nx", ["```py\nx\n```"], id="never closed"),
        pytest.param("~~~\nx", ["~~~", "x"], id="a line that somebody drew"),
    ],
)  # fmt: skip
def test_b37_a_fence_of_tildes_is_a_fence(text: str, expected: list[str]) -> None:
    """Discord does not know such fences, so they become backticks."""
    assert expected == said(text, rules_off=())


@pytest.mark.parametrize(
    "code", ["```py\nprint(1)\n```", '```py\nprint("(\n```', "```\n**[ 「 || ~~ `\n```", "```\n| a |\n|---|\n```"]
)
def test_b38_what_code_leaves_open_neither_holds_nor_closes_anything(code: str) -> None:
    text = f"{code}\nend\nz\ny"

    assert [code, "\n", "end\n", "z\n"] == left(text)
    assert [code, "end", "z", "y"] == said(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("||it\nmore|| x\ny", ["||it\nmore|| x", "y"], id="spoiler"),
        pytest.param("a（b\nc）d\ne", ["a（b\nc）d", "e"], id="full-width brackets"),
    ],
)
def test_b39_a_line_end_in_a_spoiler_or_full_width_brackets_ends_no_message(text: str, expected: list[str]) -> None:
    assert expected == said(text)
    assert expected == split(text, Kind.PROSE, 1, LIMIT)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("||hidden. thing|| ok. end", ["||hidden. thing|| ok", "end"], id="spoiler"),
        pytest.param("（秘密。です）はい。次。", ["（秘密。です）はい", "次"], id="full-width brackets"),
    ],
)
def test_b39_a_stop_in_a_spoiler_or_full_width_brackets_ends_no_message(text: str, expected: list[str]) -> None:
    assert expected == by_sentence(text)


# --- cost -----------------------------------------------------------------------------------------------


_DENSE = [
    pytest.param("*a **b ", id="stars"),
    pytest.param("(a ", id="brackets"),
    pytest.param("[a ", id="square brackets"),
    pytest.param('"a ', id="quotes"),
    pytest.param("「あ", id="Japanese quotes"),
    pytest.param("`a ``b ", id="backticks"),
    pytest.param("(a) **b** `c` [d](e) ", id="spans"),
]


@pytest.mark.parametrize("unit", _DENSE)
@pytest.mark.parametrize("degree", [0, 1, 3])
def test_b40_ten_times_the_text_is_ten_times_the_work_to_stream(unit: str, degree: int) -> None:
    def calls(length: int) -> int:
        round_ = Round(text_row(Scene("", Persona("")), Settings.of(degree=degree, flood_limit=1_000_000), Random(0)))
        text = (unit * length)[:length]
        events: list[TextDelta | Finished] = [TextDelta(text[start : start + 4]) for start in range(0, length, 4)]
        return calls_of(lambda: [round_.receive(event) for event in [*events, Finished()]])

    assert calls(20_000) <= 1.5 * 10 * calls(2_000)


@pytest.mark.parametrize("unit", _DENSE)
@pytest.mark.parametrize("degree", [0, 1, 3])
def test_b40_ten_times_the_text_is_ten_times_the_work_to_split(unit: str, degree: int) -> None:
    def calls(length: int) -> int:
        text = (unit * length)[:length]
        return calls_of(lambda: split(text, Kind.PROSE, degree, LIMIT))

    assert calls(20_000) <= 1.5 * 10 * calls(2_000)
