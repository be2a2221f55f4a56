from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.own_name import OwnName
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Ending, Kind, Persona, Segment

REN = Persona("Ren", ("Ren Amamiya", "蓮"))
TOMORI = Persona("Tomori")
LILYA = Persona("Lilya", ("Tomori",))


def stripped(*given: str | Segment, persona: Persona = REN) -> list[str]:
    rule = OwnName(RuleContext(persona))
    segments = [Segment(item, Boundary.NEWLINE) if isinstance(item, str) else item for item in given]
    return [item.text for segment in segments for item in rule.feed(segment)]


@pytest.mark.parametrize(
    "line",
    [
        "Ren: hello",
        "REN:hello",
        "  Ren: hello",
        "Ren：hello",
        "Ren : hello",
        "Ren Amamiya: hello",
        "蓮：hello",
        "**Ren:** hello",
        "**Ren**: hello",
        "*Ren*: hello",
        "__Ren:__ hello",
        "Ren: Ren: hello",
        "Ren: **Ren Amamiya:** hello",
        "Ren (mad): hello",
        "**Ren (mad):** hello",
        "蓮（怒）：hello",
        "{bot}: hello",
        "{{ char }}: Ren: hello",
        "**{user}**: hello",
    ],
)
def test_own_names_in_front_of_a_reply_are_taken_off(line: str) -> None:
    assert stripped(line) == ["hello"]


@pytest.mark.parametrize(
    "line",
    [
        "Alice: hello",
        "Lauren: hello",
        "Renate: hello",
        "Ren hello",
        "Ren says: hello",
        "I am Ren: hello",
        "Ren; hello",
        "Ren :) hello",
        "Ren:) hello",
        "Ren:-) hello",
        "Ren:D",
        "Ren:wave: hello",
        "Ren :wave: hello",
        "@Ren: hello",
        "Ren::new()",
        "*Ren*",
        "Re: n",
        "{persona}: hello",
        "Ren (the one) is here",
        "`Ren: hello`",
        "Ren (`mad`): hello",
        "[Ren: hello](https://e.org)",
        '"Ren: hello" she said',
        "“Ren: hello” she said",
        "「Ren: hello」",
        "<:Ren:123>",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert [line] == stripped(line)


@pytest.mark.parametrize(
    ("persona", "text", "expected"),
    [
        pytest.param(TOMORI, "Tomori: one.Tomori: two.Tomori: three", "one.\ntwo.\nthree", id="behind sentences"),
        pytest.param(TOMORI, "Tomori: one\n\nTomori: two", "one\n\ntwo", id="paragraphs"),
        pytest.param(TOMORI, "one\n  **Tomori:**  two", "one\ntwo", id="bold and indented"),
        pytest.param(TOMORI, "one\nTomori:\ntwo", "one\n\ntwo", id="alone on its line"),
        pytest.param(TOMORI, "hi! Tomori: yes", "hi!\nyes", id="what stands before it stays"),
        pytest.param(TOMORI, "Good.\nTomori: and\nTomori: bye", "Good.\nand\nbye", id="every line"),
        pytest.param(TOMORI, "what？Tomori：yes。 *Tomori*: no", "what？\nyes。\nno", id="full-width marks"),
        pytest.param(TOMORI, "well... Tomori: yes", "well...\nyes", id="an ellipsis"),
        pytest.param(TOMORI, "well… Tomori: yes", "well…\nyes", id="an ellipsis in one character"),
        pytest.param(TOMORI, "a\ntomori (sad): b", "a\nb", id="a look in any case"),
        pytest.param(TOMORI, "scored 100.Tomori: nice", "scored 100.\nnice", id="a number that is none of a list"),
        pytest.param(TOMORI, "my favourite toy!Tomori:", "my favourite toy!", id="nothing behind it"),
        pytest.param(TOMORI, "my toy! Tomori: \nyours", "my toy!\nyours", id="nothing behind it on its line"),
        pytest.param(TOMORI, "my toy! Tomori:\r\nyours", "my toy!\r\nyours", id="nothing before a carriage return"),
        pytest.param(TOMORI, "Tomori: <:a:1> Tomori: hi", "<:a:1>\nhi", id="an emoji"),
        pytest.param(TOMORI, "<a:b:2>Tomori: hi", "<a:b:2>\nhi", id="an emoji that moves"),
        pytest.param(TOMORI, "oh :wave: Tomori: hi", "oh :wave:\nhi", id="a shortcode"),
        pytest.param(TOMORI, "oh. Tomori: Tomori: b", "oh.\nb", id="two of them"),
        pytest.param(TOMORI, "Tomori: Tomori: oh. Tomori: b", "oh.\nb", id="in front and later"),
        pytest.param(TOMORI, '"a." b. Tomori: c', '"a." b.\nc', id="behind a quote that is closed"),
        pytest.param(TOMORI, '"a\nTomori: b', '"a\nb', id="a quote of the line before"),
        pytest.param(LILYA, "Tomori: Lilya: chained", "chained", id="a chain"),
        pytest.param(LILYA, "tomori:\n Lilya: chained", "\nchained", id="a chain over lines"),
        pytest.param(LILYA, "Lilya (angry): a\nTomori (sad): b", "a\nb", id="a look of any name"),
        pytest.param(LILYA, "oh. Tomori (sad): b", "oh.\nb", id="a look behind a sentence"),
        pytest.param(Persona("Mr. X"), "Mr. X (v2): hi. Mr. X: ho", "hi.\nho", id="a name with a stop"),
        pytest.param(Persona("a+b"), "a+b: hi\na+b: ho", "hi\nho", id="a name with a sign"),
        pytest.param(Persona("Zoë"), "hi\nZoe\u0308: ho", "hi\nho", id="an accent in two characters"),
    ],
)
def test_labels_go_and_everything_else_stays(persona: Persona, text: str, expected: str) -> None:
    assert [expected] == stripped(Segment(text, Boundary.FINAL), persona=persona)


@pytest.mark.parametrize(
    ("persona", "text"),
    [
        pytest.param(TOMORI, "- Tomori: 12\n* Tomori: 9\n• Tomori: 8", id="a list"),
        pytest.param(TOMORI, "1. Tomori: first\n2) Tomori: second\n3.Tomori: third", id="a numbered list"),
        pytest.param(TOMORI, "- so. Tomori: 12", id="further on in a list"),
        pytest.param(TOMORI, "> Tomori: x\n> so. Tomori: y", id="a quote"),
        pytest.param(TOMORI, "# Tomori: x\n-# Tomori: y\n### So! Tomori: z", id="headings"),
        pytest.param(TOMORI, "well, Tomori: x", id="in a sentence"),
        pytest.param(TOMORI, "I met Dr. Tomori: she is nice", id="behind a title"),
        pytest.param(TOMORI, "I met J. Tomori: she is nice", id="behind an initial"),
        pytest.param(TOMORI, "at 10:30: Tomori: x", id="behind a time"),
        pytest.param(TOMORI, "the total is 30Tomori: it is 30!", id="glued to a number"),
        pytest.param(TOMORI, "so “well. Tomori: x", id="in a quote that is open"),
        pytest.param(TOMORI, 'so "well. Tomori: x" he said', id="in a straight quote"),
        pytest.param(TOMORI, "see `so. Tomori: sample` inline", id="code"),
        pytest.param(TOMORI, "see `so\nTomori: sample` inline", id="code over lines"),
        pytest.param(TOMORI, "see https://e.org/.Tomori: x", id="an address"),
        pytest.param(TOMORI, "so. Tomori (the one) is here: x", id="brackets in a sentence"),
        pytest.param(LILYA, "ok.\nTomori: alias later stays", id="another name later"),
        pytest.param(Persona("Max"), "Limits:\nmax: 5\nMAX: 6", id="a word like the name"),
        pytest.param(TOMORI, "a\nTomori:D\nTomori:wave: b", id="smileys"),
        pytest.param(LILYA, "ok.\n{bot}: macro later stays", id="a macro later"),
        pytest.param(Persona("Ai"), "Thai: hello", id="part of a word"),
        pytest.param(Persona("Al"), "Personal: yes, total: 5", id="part of words"),
    ],
)
def test_a_name_that_is_no_label_stays(persona: Persona, text: str) -> None:
    assert [text] == stripped(text, persona=persona)


def test_every_line_is_looked_at() -> None:
    assert stripped("Ren: a\n", "Ren: b\n", "Ren Amamiya: c\n") == ["a\n", "b\n", "Ren Amamiya: c\n"]


def test_a_reply_has_not_opened_while_nothing_was_said() -> None:
    assert stripped("Ren:\n", "\n", "Ren Amamiya: hi\n", "Ren Amamiya: ho\n") == [
        "\n",
        "\n",
        "hi\n",
        "Ren Amamiya: ho\n",
    ]


@pytest.mark.parametrize("boundary", [Boundary.PERIOD, Boundary.OVERFLOW])
@pytest.mark.parametrize(
    ("before", "expected"),
    [
        pytest.param("He asked. ", "\nhello", id="a sentence"),
        pytest.param("He asked ", "Ren: hello", id="no sentence"),
        pytest.param('He asked: "So. ', "Ren: hello", id="in quotes"),
        pytest.param("- He asked. ", "Ren: hello", id="a list"),
        pytest.param("- He asked.\n", "hello", id="a new line"),
        pytest.param(" \t", "hello", id="nothing yet"),
    ],
)
def test_a_line_may_go_on_in_the_next_segment(before: str, boundary: Boundary, expected: str) -> None:
    assert ["x\n", before, expected] == stripped("x\n", Segment(before, boundary), "Ren: hello")


def test_a_line_may_go_on_for_long() -> None:
    parts = [Segment(text, Boundary.PERIOD) for text in ("- a list of " + "very " * 50, "many things. ", "Or two. ")]

    assert stripped(*parts, "Ren: hello")[-1] == "Ren: hello"


def test_a_label_that_a_segment_ends_with_still_begins_a_line() -> None:
    assert stripped(Segment("So! Ren: ", Boundary.OVERFLOW), "hello") == ["So!\n", "hello"]


def test_code_is_never_touched_and_opens_the_reply() -> None:
    code = Segment("Ren: hello", Boundary.CODE_CLOSE, Kind.CODE)

    assert stripped(code, "Ren Amamiya: hi") == ["Ren: hello", "Ren Amamiya: hi"]


def test_a_code_block_in_between_begins_a_new_line() -> None:
    code = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert stripped(Segment("so much text ", Boundary.OVERFLOW), code, "Ren: there")[-1] == "there"


def test_what_stands_around_code_is_kept() -> None:
    code = Segment("```\nRen: x\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert stripped("a\n", code, "b\nRen: c") == ["a\n", "```\nRen: x\n```", "b\nc"]


@pytest.mark.parametrize(
    ("why", "expected"), [(Ending.TOOL_CALL, "hello"), (Ending.STOP, "Ren Amamiya: hello")], ids=["tool", "stop"]
)
def test_after_a_tool_call_the_model_begins_anew(why: Ending, expected: str) -> None:
    rule = OwnName(RuleContext(REN))
    rule.feed(Segment("let me see ", Boundary.PERIOD))

    assert list(rule.flush(why)) == []
    assert [expected] == [item.text for item in rule.feed(Segment("Ren Amamiya: hello", Boundary.FINAL))]


def test_a_line_end_behind_the_name_stays() -> None:
    assert stripped("Ren:\n") == ["\n"]


def test_without_a_name_nothing_is_taken_off() -> None:
    assert OwnName(RuleContext(Persona(""))).is_idle
    assert stripped(": hello", persona=Persona("")) == [": hello"]


def test_with_only_another_name_the_opening_is_looked_at() -> None:
    assert stripped("Jo: hi\n", "Jo: ho", persona=Persona("", ("Jo",))) == ["hi\n", "Jo: ho"]


def test_other_names_may_stand_in_front_of_the_whole_text_only() -> None:
    context = RuleContext(Persona("Ren"), openers=(" Aki ",))

    assert ["hi\n", "Aki: ho"] == _texts(OwnName(context), "Aki: **Ren:** Aki (sad): hi\n", "Aki: ho")
    assert ["hi. Aki: ho"] == _texts(OwnName(RuleContext(openers=("Aki",))), "Aki: hi. Aki: ho")
    assert not OwnName(RuleContext(openers=("Aki",))).is_idle


def _texts(rule: OwnName, *texts: str) -> list[str]:
    return [item.text for text in texts for item in rule.feed(Segment(text, Boundary.NEWLINE))]


def test_a_name_is_taken_literally() -> None:
    assert stripped("Axa: hi", "A.a: hi", persona=Persona("A.a")) == ["Axa: hi", "hi"]


_PARTS = [
    "Ren", "Lauren", ": ", "：", " :", "**", "*", "`", '"', ". ", "!", "\n", "- ", "1. ", " (mad)", "{bot}", ":a_b:",
    "<:a:1>", "https://e.org/", "word", "\ud800", "\0",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PARTS), max_size=14).map("".join))
def test_only_own_labels_are_lost(text: str) -> None:
    """Without names, macros, marks and white space, what comes out is what went in."""

    def words(of: str) -> str:
        for name in ("(mad)", "{bot}", *": ：*_\n"):
            of = of.replace(name, "")
        return of.replace("Ren", "")

    assert words(text) == words("".join(stripped(text)))


@pytest.mark.parametrize(
    "text",
    ["Ren: " * 5000, ". Ren: " * 5000, "a\nRen: " * 5000, "Ren" + " " * 50_000 + ":", '"' * 20_000 + "Ren: x"],
    ids=["labels", "sentences", "lines", "blanks", "quotes"],
)
def test_no_text_takes_long(text: str) -> None:
    """Were anything looked at again and again, this would take minutes."""
    assert len(stripped(text)[0]) <= len(text)


@pytest.mark.parametrize("before", ["*waves*", "(sigh)", "ok,", "yay~", "✨", "🎉", "`x`"])
def test_a_label_that_is_glued_to_what_stands_before_it_goes(before: str) -> None:
    rule = OwnName(RuleContext(Persona("Tomori")))

    rule.feed(Segment("hi\n", Boundary.NEWLINE))
    (segment,) = rule.feed(Segment(f"{before}Tomori: hi\n", Boundary.NEWLINE))

    assert f"{before}\nhi\n" == segment.text


def test_what_closes_no_quote_opens_none_either() -> None:
    rule = OwnName(RuleContext(Persona("Tomori")))

    rule.feed(Segment("hi\n", Boundary.NEWLINE))
    (segment,) = rule.feed(Segment("oops」 hi. 「Hm. Tomori: x」\n", Boundary.NEWLINE))

    assert "oops」 hi. 「Hm. Tomori: x」\n" == segment.text


@pytest.mark.parametrize("figure", ["3", "12:00", "12/20", "5 points.", "$5", "-2 °C", "20 %"])
def test_a_score_keeps_its_name(figure: str) -> None:
    assert stripped("Scores:\n", f"Ren: {figure}\n", "Bob: 2") == ["Scores:\n", f"Ren: {figure}\n", "Bob: 2"]


def test_a_figure_that_is_said_loses_its_label() -> None:
    assert stripped("Ren: how many?\n", "Ren: 42") == ["how many?\n", "42"]
    assert stripped("Ren: 42") == ["42"]
    assert stripped("ok\n", "Ren: 42 of them, if I count the small ones") == [
        "ok\n",
        "42 of them, if I count the small ones",
    ]
    assert stripped("ok\n", "Ren (mad): 42") == ["ok\n", "42"]


@pytest.mark.parametrize(
    "line",
    ["**Ren: hi**", "_Ren: hi_", "*Ren: hi*", "~~Ren: hi~~", "Ok **Ren: hi** then", "\\*Ren: hi", "**Ren (mad): hi**"],
)
def test_emphasis_that_opens_in_front_of_a_label_is_not_torn_from_it(line: str) -> None:
    assert stripped("first\n", line) == ["first\n", line]


def test_a_label_glued_to_emphasis_that_closes_goes() -> None:
    assert stripped("**Well**Ren: hi") == ["**Well**\nhi"]
