"""Markdown in another chat's marks."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.text.elements import Sort, elements
from cadenza.text.rendering import Marks

SLACK = Marks(
    bold="*", italic="_", strike="~", heading="*", bullet="• ", link="<{url}|{text}>", backslash=False
)  # fmt: skip
ESCAPES = {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
SAFE = replace(SLACK, subtext="_", escapes=ESCAPES)
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
            ">>> a\n`b`\n```\n**c**\n```\nhttps://a.example", "> a\n> `b`\n> ```\n> **c**\n> ```\n> https://a.example", id="a quote to the end"
        ),
        pytest.param("[a **b**](https://a.example/x_y)", "<https://a.example/x_y|a *b*>", id="a masked link"),
        pytest.param('[a](<https://a.example> "title")', "<https://a.example|a>", id="a link with a title"),
        pytest.param("[https://a.example](https://b.example)", "[https://a.example](https://b.example)", id="a false one"),
        pytest.param("see <https://a.example>", "see https://a.example", id="an address in brackets"),
        pytest.param("at <t:0:R>, <t:0:d>", "at 1970-01-01 00:00 UTC, 1970-01-01", id="times"),
        pytest.param("<:soup:123> </tea:12> <@12>", ":soup: /tea <@12>", id="tags"),
        pytest.param(r"\*a\* `\*b`", r"*a* `\*b`", id="backslashes"),
        pytest.param("**** and ** a", "**** and ** a", id="marks around nothing"),
        pytest.param("#### a\n###### b\n####### c", "*a*\n*b*\n####### c", id="small headings"),
        pytest.param("+ a\n+b", "• a\n+b", id="another bullet"),
        pytest.param("![a](https://a.example/i)", "<https://a.example/i|a>", id="an image"),
        pytest.param("![](https://a.example/i)", "https://a.example/i", id="an image without a text"),
        pytest.param(r"Oh![a](https://a.example) \![b](https://b.example)",
                     "Oh!<https://a.example|a> !<https://b.example|b>", id="no image"),
        pytest.param("[![a](https://a.example)](https://b.example)",
                     "[<https://a.example|a>](https://b.example)", id="a link in a link"),
        pytest.param("[a|b](https://a.example)", "a|b (https://a.example)", id="a bar in the text of a link"),
        pytest.param("[a](https://a.example/b|c)", "<https://a.example/b%7Cc|a>", id="a bar in an address"),
        pytest.param("*a _b_ c* _d_", "_a b c_ _d_", id="italics in italics"),
        pytest.param("**a *b **c** d* e**", "*a _b c d_ e*", id="bold in italics in bold"),
        pytest.param("~~~py\na\n~~~", "```py\na\n```", id="tildes"),
        pytest.param("````md\n```py\n```\n````", "````md\n```py\n```\n````", id="a fence in code"),
        pytest.param("~~~\n```\na\n```\n~~~", "````\n```\na\n```\n````", id="a fence in tildes"),
        pytest.param("```a```, ``````", "```a```, ``````", id="blocks within a line"),
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


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<@12> <@!12> <@&12> <#12> <@U01AB> <#C01>", "<@12> <@!12> <@&12> <#12> <@U01AB> <#C01>", id="mentions"),
        pytest.param("<!channel> <\\!here> <!everyone|x>", "&lt;!channel&gt; &lt;!here&gt; &lt;!everyone|x&gt;", id="calls to everyone"),
        pytest.param(r"\<@12> \<@U01> <@U 1> `<@12>`", "&lt;@12&gt; &lt;@U01&gt; &lt;@U 1&gt; `&lt;@12&gt;`", id="no mentions"),
        pytest.param("<:a:1> <t:0:d> </a & b:1>", ":a: 1970-01-01 /a &amp; b", id="tags"),
        pytest.param("https://a.example?b&c <https://a.example?b&c>", "https://a.example?b&amp;c https://a.example?b&amp;c", id="addresses"),
        pytest.param("[a & b](https://a.example?b&c)", "<https://a.example?b&amp;c|a &amp; b>", id="a link"),
        pytest.param("[hi <@12>](https://a.example)", "hi <@12> (https://a.example)", id="a mention in a link"),
        pytest.param("> a > b\n>\n> # c\n>d", "> a &gt; b\n>\n> *c*\n&gt;d", id="a quote"),
        pytest.param(">>> a > b\n\n> c", "> a &gt; b\n> \n> &gt; c", id="a quote to the end"),
        pytest.param("> ```py\n> a > b\n>\n>   c\n> ```\nd", "> ```py\n> a &gt; b\n> \n>   c\n> ```\nd", id="code in a quote"),
        pytest.param(">```\n>a\n>```", "> ```\n> a\n> ```", id="code in a narrow quote"),
        pytest.param("> ```\na\n> b\n```", "> ```\n> a\n> &gt; b\n> ```", id="code that is not quoted itself"),
        pytest.param(">>> ```\n> a\n```", "> ```\n> &gt; a\n> ```", id="code in a quote to the end"),
        pytest.param("```py a=<!here>\nb\n```", "```py a=&lt;!here&gt;\nb\n```", id="after a fence"),
        pytest.param("-# *a* **b _c_**", "_a *b c*_", id="italics in subtext that is italic"),
    ],
)  # fmt: skip
def test_only_mentions_and_marks_are_not_escaped(text: str, expected: str) -> None:
    assert expected == SAFE.rendered(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("> a\n\n>>> b\nc", "| a\n\n| b\n| c", id="quotes"),
        pytest.param("> ```py\n> a\n> ```", "| {{{\n| a\n| }}}", id="code in a quote"),
        pytest.param("```a b\nc```", "{{{\na b\nc\n}}}", id="a first line that is code"),
        pytest.param("<@12> <#3>", "@12 #3", id="mentions"),
        pytest.param(
            "[a](<https://a.example/b'c>)", "<a href='https://a.example/b%27c'>a</a>", id="a quote in an address"
        ),
    ],
)
def test_quotes_mentions_and_fences_are_written_as_the_chat_writes_them(text: str, expected: str) -> None:
    marks = Marks(
        quote="| ", fence=("{{{\n", "\n}}}"), mention=lambda tag: tag.strip("<>"), link="<a href='{url}'>{text}</a>"
    )
    assert expected == marks.rendered(text)


def test_a_fence_of_backticks_is_wider_than_those_in_the_code() -> None:
    marks = Marks(fence=("```\n", "\n```"))

    assert marks.rendered("````md\n```py\n```\n````") == "````\n```py\n```\n````"
    assert marks.rendered("````md\na\n````") == "```\na\n```"


def test_the_size_is_that_of_what_is_shown_in_the_chats_own_unit() -> None:
    assert len("*a*🍵") == SLACK.size("**a**🍵") == 4
    assert Marks(bold="*", unit=lambda text: len(text.encode())).size("**a**🍵") == 7


def test_a_notice_is_subtext() -> None:
    assert SLACK.notice("The model **failed**.") == "The model *failed*."
    assert Marks(subtext=("<small>", "</small>")).notice("No.") == "<small>No.</small>"


_PIECES = st.sampled_from(
    ["**", "*", "_", "__", "~~", "||", "`", "```", "```py\n", "\n", "\n\n", "# ", "-# ", "- ", "> ", ">>> ", "[a](https://a.example)",
     "<t:0>", "<:a:1>", "<@12>", "<@U1>", "<", "!here>", "&", ">", "~~~\n", "\n> ```\n> ", "\\", "word", "two words", "🍵", "。", "| a |\n|---|\n"]
)  # fmt: skip


def _unquoted(text: str) -> str:
    return re.sub(r"^(?:[ \t]*>[ \t]?)+|[ \t]+$", "", text, flags=re.MULTILINE)


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_code_is_never_changed_and_plain_text_is_never_lost(text: str) -> None:
    shown = html.unescape(SAFE.rendered(text))

    for element in elements(text):
        source = text[element.start : element.end]
        if element.sort is Sort.CODE:
            assert source in shown
        if element.sort is Sort.BLOCK:
            assert _unquoted(source.strip("`~\n> ")) in _unquoted(shown)
    assert text.count("word") == shown.count("word")
    assert text.count("🍵") == shown.count("🍵")


@given(st.lists(st.text("ab <>&;#*_|\\\t"), min_size=1), st.sampled_from([("", ""), ("> ", "> "), (">>> ", "")]))
def test_code_keeps_every_letter_in_a_quote_too(code: list[str], quotes: tuple[str, str]) -> None:
    first, other = quotes
    text = f"\n{other}".join(["```", *code, "```"])

    expected = f"\n{'> ' if first else ''}".join(["```", *code, "```"])
    assert expected == SAFE.rendered(first + text).removeprefix("> ").replace("&lt;", "<").replace("&gt;", ">").replace(
        "&amp;", "&"
    )


@given(st.lists(_PIECES, max_size=40).map("".join))
def test_nothing_but_a_mention_or_a_link_keeps_its_brackets(text: str) -> None:
    shown = SAFE.rendered(text)

    assert "<!" not in shown
    assert re.findall(r"<(?!@!?\w+>|https://)", shown) == []


@given(st.text(alphabet="abc \n.,!?あ🍵", max_size=80))
def test_text_without_marks_stays_as_it_is(text: str) -> None:
    assert text == SLACK.rendered(text)
