from __future__ import annotations

import pytest

from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(), only="task_lists")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("- [ ] a\n- [x] b\n* [X] c", "- ☐ a\n- ☑ b\n* ☑ c", id="every box"),
        pytest.param("1. [ ] a\n2) [x] b", "1. ☐ a\n2) ☑ b", id="numbers"),
        pytest.param("- [ ] a\n  - [x] b\n    - [ ] c", "- ☐ a\n  - ☑ b\n    - ☐ c", id="nested"),
        pytest.param("> - [ ] a", "> - ☐ a", id="in a quote"),
        pytest.param("- [ ] `[ ] x` [ ]", "- ☐ `[ ] x` [ ]", id="only the first"),
    ],
)
def test_boxes_are_shown(text: str, expected: str) -> None:
    assert expected == shown(text)
    assert expected == shown(text, sentences=True)


@pytest.mark.parametrize(
    "text",
    ["- [x](https://e.org)", "- [y] a", "- [ ]", "a - [ ] b", "[ ] a", "> [x] a", "`- [ ] a`", "```\n- [ ] a\n```", "- [ ]a"],
)  # fmt: skip
def test_what_is_no_task_stays(text: str) -> None:
    assert text == shown(text)


def test_a_box_after_a_sentence_on_the_same_line_stays() -> None:
    text = "This is one sentence. - [ ] a\n"

    assert text == shown(text, sentences=True)
