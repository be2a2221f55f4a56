from __future__ import annotations

import pytest

from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(), only="images")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("![alt](https://e.org/a.png)\nx", "https://e.org/a.png\nx", id="alone on its line"),
        pytest.param("  ![alt](https://e.org/a.png)  \n", "  https://e.org/a.png  \n", id="alone with spaces"),
        pytest.param('![a](https://e.org/a_(b).png "T")', "https://e.org/a_(b).png", id="brackets, a title"),
        pytest.param("![a](<https://e.org/a.png>)", "https://e.org/a.png", id="in angle brackets"),
        pytest.param("![a [b]](http://e.org)", "http://e.org", id="brackets in its words"),
        pytest.param('see ![the logo](https://e.org/a.png "T").', 'see [the logo](https://e.org/a.png "T").', id="in a sentence"),
        pytest.param("- ![a](https://e.org/a.png)", "- [a](https://e.org/a.png)", id="in a list"),
        pytest.param("see ![](https://e.org/a.png) x", "see https://e.org/a.png x", id="without words"),
        pytest.param("![a](https://e.org/a) ![b](https://e.org/b)", "[a](https://e.org/a) [b](https://e.org/b)", id="two"),
        pytest.param("[![ci](https://e.org/b.svg)](https://e.org/x)", "[ci](https://e.org/x)", id="a badge"),
        pytest.param("wow![a](https://e.org/a)", "wow[a](https://e.org/a)", id="behind a word"),
    ],
)  # fmt: skip
def test_an_image_becomes_an_address_or_a_link(text: str, expected: str) -> None:
    assert expected == shown(text)


@pytest.mark.parametrize(
    "text",
    [
        *("![a](b.png)", "![a](data:image/png;base64,x)", "\\![a](https://e.org)", "`![a](https://e.org)`", "[a](https://e.org)"),
        *("![a][b]", "!(https://e.org)", "```\n![a](https://e.org)\n```", "![a](https://e.org/a b.png)"),
    ],
)  # fmt: skip
def test_what_has_no_picture_stays(text: str) -> None:
    assert text == shown(text)


def test_an_image_after_a_sentence_on_the_same_line_is_a_link() -> None:
    assert "Here it is now. [a](https://e.org/a)\n" == shown("Here it is now. ![a](https://e.org/a)\n", sentences=True)
