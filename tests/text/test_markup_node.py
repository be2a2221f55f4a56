"""The words of what is shown."""

from __future__ import annotations

import pytest

from cadenza.text.markup import Names, nodes
from cadenza.text.markup_node import plain

NAMES = Names(users={"1": "Mia"}, roles={"2": "Cooks"}, channels={"3": "general"})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\n**b** `c`", "a\nb c"),
        ("- a\n- b", "a\nb\n"),
        ("```py\na\n```b", "a\nb"),
        ("<@1> <@&2> <#3> </a b:4> <:c:5> @here", "@Mia @Cooks #general /a b :c: @here"),
        ("<t:0:d>", "1970-01-01"),
        ("[a](https://example.org/)", "a"),
    ],
    ids=["lines", "a list", "a block", "tags", "a time", "a link"],
)
def test_what_is_shown_has_these_words(text: str, expected: str) -> None:
    assert expected == plain(nodes(text, NAMES))


def test_the_words_of_a_spoiler_can_be_hidden() -> None:
    assert "a …, c" == plain(nodes("a **||b||**, c"), hidden="…")
    assert "… \n" == plain(nodes("- ||b||\n  > ||c||"), hidden="…").replace("\n…\n", " ")
