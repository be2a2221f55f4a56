from __future__ import annotations

import pytest

from tests import rules_at_work as work


def shown(text: str, *, sentences: bool = False) -> str:
    row = work.row_of(work.context(), only="reference_links")
    return work.joined(work.passed(row, work.segments(text, sentences=sentences)))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            'See [the docs][1], [guide][2].\n\n[1]: https://e.org/a "T"\n[2]: <https://e.org/b>\n',
            "See the docs¹, guide².\n\n¹ <https://e.org/a> (T)\n² <https://e.org/b>\n",
            id="numbers with addresses at the end",
        ),
        pytest.param(
            "See [the long guide][guide].\n[guide]: https://e.org",
            "See the long guide [guide].\n[guide]: <https://e.org>",
            id="a name with its address at the end",
        ),
        pytest.param("It is so [1].\n[1]: https://e.org", "It is so [1].\n[1]: <https://e.org>", id="a citation"),
        pytest.param(
            "[a b]: https://e.org/x\n[text][A  B] [a b][] ![p][a b] [x][y]",
            "[a b]: <https://e.org/x>\n[text](https://e.org/x) [a b](https://e.org/x) ![p](https://e.org/x) [x][y]",
            id="the address is known",
        ),
        pytest.param("[a]: https://e.org/(x\n[b c][a]", "[a]: <https://e.org/(x>\n[b c](<https://e.org/(x>)", id="odd brackets"),
        pytest.param("[`code` and](x) [the `code`][1]", "[`code` and](x) the `code`¹", id="code in the words"),
    ],
)  # fmt: skip
def test_links_and_addresses_are_brought_together(text: str, expected: str) -> None:
    assert expected == shown(text)
    assert expected == shown(text, sentences=True)


@pytest.mark.parametrize(
    "text",
    [
        *("a[i][j]", "arr[0][1]", "[0][1]", "[i][j]", "[x][y]", "[noun][verb]", "f()[a b][c]", "[1]", "[a][b][c]", "m[the key][1]"),
        *("`[the docs][1]`", "[the docs][]", "![the logo][1]", "\\[the docs][1]", "[a](https://e.org)", "[1]: see below"),
        *("[note]: http", "x [1]: https://e.org", "```\n[1]: https://e.org\n```", "[the docs][^1]", "[a b](c)[d]"),
    ],
)  # fmt: skip
def test_what_may_be_something_else_stays(text: str) -> None:
    assert text == shown(text)


def test_other_rules_leave_a_link_that_was_made() -> None:
    row = work.row_of(work.context(unknown_emoji="strip"))
    text = "[a]: https://e.org/:x:/y\n[see :x: here][a]\n"

    assert "[a]: <https://e.org/:x:/y>\n[see :x: here](https://e.org/:x:/y)\n" == work.joined(
        work.passed(row, work.segments(text))
    )
