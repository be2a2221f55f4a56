from __future__ import annotations

import pytest

from cadenza.rules.deep_headings import DeepHeadings
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Kind, Segment
from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(), only="deep_headings")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("#### Title\n\ntext", "**Title**\n\ntext", id="a title"),
        pytest.param("###### Title", "**Title**", id="the deepest"),
        pytest.param("####  Title  ####  \ntext", "**Title**\ntext", id="marks at its end"),
        pytest.param("#### C#", "**C#**", id="a word that ends like a mark"),
        pytest.param("#### **Title**", "**Title**", id="bold already"),
        pytest.param("#### **1. Title:** more", "**1. Title: more**", id="bold in part"),
        pytest.param("#### **A** and **B**", "**A and B**", id="bold twice"),
        pytest.param("#### ***A***", "***A***", id="bold and italic"),
        pytest.param("#### The *new* API", "**The *new* API**", id="italic inside"),
        pytest.param("#### *Title*", "***Title***", id="italic"),
        pytest.param("#### 2 ** 3 and a\\*\\*b", "**2 \\*\\* 3 and a\\*\\*b**", id="stray stars"),
        pytest.param("#### `**kwargs` and `x`", "**`**kwargs` and `x`**", id="code"),
        pytest.param("#### [a](https://e.org/x)", "**[a](https://e.org/x)**", id="a link"),
        pytest.param("#### C:\\", "**C:\\\\**", id="a backslash at the end"),
        pytest.param("#### C:\\\\", "**C:\\\\**", id="an escaped backslash at the end"),
        pytest.param("- #### A\n  1. #### B\n> ##### C", "- **A**\n  1. **B**\n> **C**", id="in lists and quotes"),
        pytest.param('#### A "b\nc" d\n', '**A "b**\nc" d\n', id="a segment of two lines"),
    ],
)
def test_a_deep_heading_becomes_a_bold_line(text: str, expected: str) -> None:
    assert expected == shown(text)


@pytest.mark.parametrize(
    "text",
    ["### Title", "# A\n## B", "####", "#### \n", "####Title", "x #### y", "`#### x`", "```\n#### x\n```", "\\#### x", "#### ####"],
)  # fmt: skip
def test_what_is_no_deep_heading_stays(text: str) -> None:
    assert text == shown(text)


def test_each_part_of_a_title_that_is_cut_at_its_sentences_is_bold() -> None:
    assert "**One is here.** **Two is there.** \nnext. One" == shown(
        "#### One is here. Two is there. ##\nnext. One", sentences=True
    )


def test_a_title_does_not_go_on_after_code() -> None:
    rule = DeepHeadings(RuleContext())
    segments = [
        Segment("#### One.", Boundary.PERIOD),
        Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE),
        Segment("text", Boundary.FINAL),
    ]

    assert ["**One.**", "```\nx\n```", "text"] == [item.text for given in segments for item in rule.feed(given)]


def test_a_title_within_bold_text_gets_no_marks_of_its_own() -> None:
    rule = DeepHeadings(RuleContext())

    (segment,) = rule.feed(Segment("#### Title\n", Boundary.NEWLINE, opens_in="**", ends_in="**"))

    assert Segment("Title\n", Boundary.NEWLINE, opens_in="**", ends_in="**") == segment
