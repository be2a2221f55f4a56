"""Markdown in another chat's marks."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.text.elements import Sort, elements
from cadenza.text.rendering import Marks

SLACK = Marks(
    bold="*", italic="_", strike="~", heading="*", bullet="• ", link="<{url}|{text}>", backslash=False
)  # fmt: skip
HTML = Marks(
    bold=("<b>", "</b>"),
    italic=("<i>", "</i>"),
    code=("<code>", "</code>"),
    fence=("<pre>", "</pre>"),
    escapes={"<": "&lt;", "&": "&amp;"},
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("plain, 2 * 3 and a_b", "plain, 2 * 3 and a_b", id="plain"),
        pytest.param("**a** *b* _c_ ~~d~~", "*a* _b_ _c_ ~d~", id="emphasis"),
        pytest.param("***a*** and **b *c* d**", "*_a_* and *b _c_ d*", id="in each other"),
        pytest.param("__a__ ||b||", "a b", id="what the chat has not is shown alone"),
        pytest.param("**a `**b**` c**", "*a `**b**` c*", id="code in a line stays"),
        pytest.param("**a**\n```py\n**x** # y\n\n```\n**b**", "*a*\n```py\n**x** # y\n\n```\n*b*", id="a code block stays"),
        pytest.param("# Tea **now**\ntext", "*Tea now*\ntext", id="a heading, whose bold is bold already"),
        pytest.param("## Tea *now*", "*Tea _now_*", id="italics in a heading"),
        pytest.param("# **a\nb**", "***a*\nb**", id="a mark that closes behind its heading"),
        pytest.param("-# small **a**", "small *a*", id="subtext"),
        pytest.param("- a\n* b\n  - c\n1. d", "• a\n• b\n  • c\n1. d", id="lists"),
        pytest.param("> a\n> # b\nc", "> a\n> *b*\nc", id="a quote"),
        pytest.param(
            ">>> a\n`b`\n```\n**c**\n```\nhttps://a.example", "> a\n> `b`\n```\n**c**\n```\n> https://a.example", id="a quote to the end"
        ),
        pytest.param("[a **b**](https://a.example/x_y)", "<https://a.example/x_y|a *b*>", id="a masked link"),
        pytest.param('[a](<https://a.example> "title")', "<https://a.example|a>", id="a link with a title"),
        pytest.param("[https://a.example](https://b.example)", "[https://a.example](https://b.example)", id="a false one"),
        pytest.param("see <https://a.example>", "see https://a.example", id="an address in brackets"),
        pytest.param("at <t:0:R>, <t:0:d>", "at 1970-01-01 00:00 UTC, 1970-01-01", id="times"),
        pytest.param("<:soup:123> </tea:12> <@12>", ":soup: /tea <@12>", id="tags"),
        pytest.param(r"\*a\* `\*b`", r"*a* `\*b`", id="backslashes"),
        pytest.param("**** and ** a", "**** and ** a", id="marks around nothing"),
    ],
)  # fmt: skip
def test_what_markdown_means_is_written_in_the_chats_own_marks(text: str, expected: str) -> None:
    assert expected == SLACK.rendered(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("**a & b**", "<b>a &amp; b</b>", id="text"),
        pytest.param("`x < y`", "<code>x &lt; y</code>", id="code"),
        pytest.param("``a ` b``", "<code>a ` b</code>", id="two backticks"),
        pytest.param("```py\nif a < b:\n    c\n```", "<pre>if a &lt; b:\n    c</pre>", id="a code block"),
        pytest.param("[a](https://a.example)", "a (https://a.example)", id="a link"),
        pytest.param(r"\*a\*", r"\*a\*", id="backslashes that the chat knows"),
        pytest.param("# a\n- b", "# a\n- b", id="lines that are written the same"),
    ],
)
def test_marks_may_come_in_pairs_and_characters_be_escaped(text: str, expected: str) -> None:
    assert expected == HTML.rendered(text)


def test_the_size_is_that_of_what_is_shown_in_the_chats_own_unit() -> None:
    assert len("*a*🍵") == SLACK.size("**a**🍵") == 4
    assert Marks(bold="*", unit=lambda text: len(text.encode())).size("**a**🍵") == 7


def test_a_notice_is_subtext() -> None:
    assert SLACK.notice("The model **failed**.") == "The model *failed*."
    assert Marks(subtext=("<small>", "</small>")).notice("No.") == "<small>No.</small>"


_PIECES = st.sampled_from(
    ["**", "*", "_", "__", "~~", "||", "`", "```", "```py\n", "\n", "\n\n", "# ", "-# ", "- ", "> ", ">>> ", "[a](https://a.example)",
     "<t:0>", "<:a:1>", "\\", "word", "two words", "🍵", "。", "| a |\n|---|\n"]
)  # fmt: skip


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_code_is_never_changed_and_plain_text_is_never_lost(text: str) -> None:
    shown = SLACK.rendered(text)

    for element in elements(text):
        if element.sort in (Sort.BLOCK, Sort.CODE):
            assert text[element.start : element.end] in shown
    assert text.count("word") == shown.count("word")
    assert text.count("🍵") == shown.count("🍵")


@given(st.text(alphabet="abc \n.,!?あ🍵", max_size=80))
def test_text_without_marks_stays_as_it_is(text: str) -> None:
    assert text == SLACK.rendered(text)
