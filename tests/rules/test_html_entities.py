from __future__ import annotations

import pytest

from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(tables="source"), only="html_entities")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("R&amp;D, it&#39;s &quot;so&quot; &hellip;&#x21;", "R&D, it's \"so\" …!", id="characters"),
        pytest.param("a&nbsp;b &lt; c &gt; d", "a\xa0b < c > d", id="spaces and signs"),
        pytest.param("&amp;lt; &amp;amp;", "&lt; &amp;", id="decoded once"),
        pytest.param("&lt;b&gt; &lt;/b&gt;", "<b> \\</b>", id="tags become text"),
        pytest.param("&lt;@1&gt; &lt;:x:1&gt; &lt;t:1&gt;", "\\<@1> \\<:x:1> \\<t:1>", id="no tag of Discord's"),
        pytest.param("&lt;&#64;1&gt; <@1&gt;", "\\<@1> <@1\\>", id="no tag of Discord's in other pieces"),
        pytest.param("&#42;a&#42; &#95;b&lowbar; &#96;c&grave; &#124;&vert;", "\\*a\\* \\_b\\_ \\`c\\` \\|\\|", id="no emphasis, no code"),
        pytest.param("&#91;a&rbrack;(b) &bsol;", "\\[a\\](b) \\\\", id="no link, no escape"),
        pytest.param("&gt; a\n  &num; b\n&#45; c\nd &gt; e &num;", "\\> a\n  \\# b\n\\- c\nd > e #", id="no quote, heading or list"),
        pytest.param("a&#10;b&NewLine;c", "a b c", id="no line end"),
        pytest.param("&lt;div> is\n", "<div> is\n", id="a line that begins with one"),
        pytest.param("| a&amp;b | &vert; |\n|---|---|\n| &lt; | 2 |\n", "| a&b | \\| |\n|---|---|\n| < | 2 |\n", id="in a table"),
    ],
)  # fmt: skip
def test_entities_become_characters(text: str, expected: str) -> None:
    assert expected == shown(text)


@pytest.mark.parametrize(
    "text",
    [
        *("AT&T; R&D", "&foo; &; &#; &#x;", "&lt without an end", "`&lt;`", "```\n&lt;\n```", "https://e.org/?a=1&amp;b=2"),
        *("[&lt;](https://e.org)", "<div>&lt;b&gt;</div>", "a && b; c &b;"),
    ],
)  # fmt: skip
def test_what_is_no_entity_or_is_out_of_reach_stays(text: str) -> None:
    assert text == shown(text)


def test_a_sign_after_a_sentence_is_no_quote() -> None:
    assert "This is it. > a\n" == shown("This is it. &gt; a\n", sentences=True)
