from __future__ import annotations

import pytest

from cadenza.rules.html_tags import HtmlTags
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Segment
from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(tables="source"), only="html_tags")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a<br>b<br/>c <br /> d<BR>\ne", "a\nb\nc\nd\ne", id="line ends"),
        pytest.param("a<br><br>b", "a\n\nb", id="two"),
        pytest.param("a\n<br>\nb", "a\n\nb", id="alone"),
        pytest.param("a<br>", "a", id="at the end"),
        pytest.param("- a<br>b\n  1. c<br>d\n> e<br>f", "- a\n  b\n  1. c\n     d\n> e\n> f", id="in lists and quotes"),
        pytest.param("x. The end.<br>Next", "x. The end.\nNext", id="after a sentence"),
        pytest.param("H<sub>2</sub>O, x<sup>n+1</sup>, 4<sup>th</sup>", "H₂O, xⁿ⁺¹, 4ᵗʰ", id="raised and lowered"),
        pytest.param("a<sub>C</sub> b<sup>q</sup>", "a\\_(C) b^(q)", id="no such characters"),
        pytest.param("so<sup>[1]</sup> X<sup>®</sup> 10<sup>&minus;3</sup>", "so¹ X® 10⁻³", id="citations, signs, entities"),
        pytest.param("x<sup><b>2</b></sup>", "x^(**2**)", id="tags in what is raised"),
        pytest.param("<b>a</b> <strong>b</strong> <i>c</i> <em>d</em>", "**a** **b** *c* *d*", id="bold and italic"),
        pytest.param("<u>a</u> <ins>b</ins> <s>c</s> <del>d</del>", "__a__ __b__ ~~c~~ ~~d~~", id="underlined and struck"),
        pytest.param("<b>Note: </b>text <b> x</b>", "**Note:** text  **x**", id="spaces go out"),
        pytest.param('<B class="x" id=y>a</B>', "**a**", id="attributes"),
        pytest.param("<b><i>a</i></b> <i>b <b>c</b></i>", "***a*** *b **c***", id="nested"),
        pytest.param("<b>a <strong>b</strong></b> <b>*c*</b> **<b>d</b>**", "**a b** *c* **d**", id="bold in bold"),
        pytest.param("<b>a</b><b>b</b>", "**a**b", id="side by side"),
        pytest.param("<kbd>Ctrl</kbd>+<kbd>C</kbd><kbd>D</kbd>`e`", "`Ctrl`+`C` `D` `e`", id="keys"),
        pytest.param("<code>&lt;b&gt; *x*</code> <code>a`b</code>", "`<b> *x*` `` a`b ``", id="code"),
        pytest.param("<code>https://e.org/x</code>", "https://e.org/x", id="an address as code"),
        pytest.param('<span style="color:red">a</span> <font color=red>b</font>', "a b", id="colours"),
        pytest.param("<p>a <b>b</b></p><p>c</p>\n<center>d</center>", "a **b**\nc\nd", id="paragraphs"),
        pytest.param("a\n<!-- b -->\nc <!-- d --> e", "a\nc e", id="comments"),
        pytest.param("| H<sub>2</sub>O | <b>a</b><br>b |\n|---|---|\n| <b>c | d</b> |\n", "| H₂O | **a**<br>b |\n|---|---|\n| <b>c | d</b> |\n", id="a table"),
        pytest.param("https://e.org/x<span>y</span>", "https://e.org/x y", id="after an address"),
    ],
)  # fmt: skip
def test_tags_are_shown_as_what_they_mean(text: str, expected: str) -> None:
    assert expected == shown(text)


@pytest.mark.parametrize(
    "text",
    [
        *("`List<br>`", "```\na<br>b\n```", "``<b>x</b>``", "a < b > c", "if a<b and c>d</b>", "x <b y z> w</b>"),
        *("<@1> <:x:1> <t:1> <https://e.org> </cmd:1>", "<details>", "<user>x</user>", "List<String>", "<brr>", "<big"),
        *("the <b> tag", "use <b> and </b>", "<b>…</b>", "<b></b>", "</b>x", "the <br> tag ends a line", "[<b>a</b>](https://e.org)"),
        *("<div>\n<b>a</b><br>\n</div>", "  <li><b>a</b></li>", "<my-tag><b>a</b>", "<!-- a\nb -->", "<a href='x'><b>y</b></a>"),
    ],
)  # fmt: skip
def test_what_is_no_tag_or_the_topic_stays(text: str) -> None:
    assert text.replace("<details>", "") == shown(text)  # stage 5 keeps what a hidden block holds


def test_an_empty_line_ends_the_source_of_a_page() -> None:
    assert "<div>\n<b>a</b>\n\n**b**" == shown("<div>\n<b>a</b>\n\n<b>b</b>")


def test_a_line_break_after_a_sentence_is_one() -> None:
    assert "This is it.\nNext one" == shown("This is it. <br> Next one", sentences=True)


def test_bold_text_in_bold_text_gets_no_marks() -> None:
    (segment,) = HtmlTags(RuleContext()).feed(Segment("<b>a</b>\n", Boundary.NEWLINE, opens_in="**", ends_in="**"))

    assert isinstance(segment, Segment)
    assert "a\n" == segment.text
