"""Waiting messages put together; the last message after a stop is in ``test_s7_delivery.py``."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.stages.s7_merging import farewell, joinable, merged
from cadenza.text.units import units
from cadenza.types import Attachment, Boundary, Identity, Post

LINE, FINAL = Boundary.NEWLINE, Boundary.FINAL
REN, MIA = Identity("Ren"), Identity("Mia")
FILE = Attachment("a.txt", b"a")


def posts(*texts: str) -> list[Post]:
    return [Post(text, LINE, pause=1.0) for text in texts]


@pytest.mark.parametrize(
    ("waiting", "limit", "count"),
    [
        pytest.param([], 50, 0, id="nothing"),
        pytest.param(posts("a"), 50, 1, id="one"),
        pytest.param(posts("a", "b", "c"), 50, 3, id="lines"),
        pytest.param(posts("a" * 20, "b" * 20, "c" * 9), 50, 2, id="as far as they fit"),
        pytest.param(posts("a" * 24, "b" * 25), 50, 2, id="to the last character"),
        pytest.param(posts("a" * 25, "b" * 25), 50, 1, id="and not one more"),
        pytest.param(posts("😀" * 12, "b" * 26), 50, 1, id="in UTF-16 units"),
        pytest.param(posts("a" * 80, "b"), 50, 1, id="one that is too long by itself"),
        pytest.param([Post("a", LINE, identity=REN), Post("b", LINE, identity=REN)], 50, 2, id="one name"),
        pytest.param([Post("a", LINE, identity=REN), Post("b", LINE, identity=MIA)], 50, 1, id="two names"),
        pytest.param([Post("a", LINE, label="Ren: "), Post("b", LINE)], 50, 2, id="a label in front"),
        pytest.param([Post("a", LINE), Post("b", LINE, label="Ren: ")], 50, 1, id="a label in the middle"),
        pytest.param([Post("a", LINE, attachment=FILE), Post("b", LINE)], 50, 1, id="behind a file"),
        pytest.param([Post("a", LINE), Post("b", LINE, attachment=FILE)], 50, 1, id="before a file"),
        pytest.param([Post("", LINE, instead=(Post("x", LINE),)), Post("b", LINE)], 50, 1, id="behind a picture"),
        pytest.param([Post("a", LINE), Post("", LINE, instead=(Post("x", LINE),))], 50, 1, id="before a picture"),
        pytest.param(posts("<:hi:123456789012345678>", "b"), 50, 1, id="behind an emoji"),
        pytest.param(posts("a", "<:hi:123456789012345678>!"), 50, 1, id="before an emoji"),
        pytest.param(posts("a <:hi:123456789012345678> b", "c"), 50, 2, id="an emoji in a sentence"),
        pytest.param(posts("https://example.org", "b"), 50, 1, id="behind an address"),
        pytest.param(posts("a", "https://example.org"), 50, 1, id="before an address"),
        pytest.param(posts("see https://example.org", "b"), 50, 2, id="an address in a sentence"),
        pytest.param(posts("> a", "b"), 50, 2, id="a quoted line"),
        pytest.param(posts(">>> a", "b"), 50, 1, id="a quote that goes on"),
        pytest.param(posts("a", ">>> b", "c"), 50, 2, id="a quote that goes on behind something"),
        pytest.param(posts("```\n>>> a\n```", "b"), 50, 2, id="no quote but code"),
        pytest.param(posts("```py\na\n```", "b", "```py\nc\n```"), 50, 3, id="code"),
        pytest.param(posts("write ``` there", "b"), 50, 1, id="a fence that nothing closes"),
        pytest.param(posts("| a |\n|---|\n| b |", "| c |\n|---|\n| d |"), 50, 1, id="a table"),
    ],
)
def test_as_many_are_joined_as_can_be_one_message(waiting: list[Post], limit: int, count: int) -> None:
    assert count == joinable(waiting, limit)
    assert (merged(waiting, limit) is not None) is (0 < count == len(waiting))


def test_what_is_merged_answers_as_the_first_and_ends_as_the_last_without_a_pause() -> None:
    first = Post("a", LINE, 2.0, REN, "Ren: ", reply="42")

    post = merged([first, Post("b", LINE, 1.0, REN), Post("c", FINAL, 1.0, REN)], 50)

    assert Post("a\nb\nc", FINAL, 0.0, REN, "Ren: ", reply="42") == post
    assert "Ren: a\nb\nc" == (post.said if post else "")


@pytest.mark.parametrize(
    ("sources", "said"),
    [
        pytest.param((None, None), "a\nb", id="as it is shown"),
        pytest.param(("| a |", None), "| a |\nb", id="a table and a line"),
        pytest.param((None, "| b |"), "a\n| b |", id="a line and a table"),
        pytest.param(("| a b |", ""), "| a b |", id="two halves of a table"),
        pytest.param(("", None), "b", id="the rest of a table and a line"),
        pytest.param(("", ""), "", id="nothing that was not said before"),
    ],
)
def test_the_model_sees_what_it_wrote(sources: tuple[str | None, str | None], said: str) -> None:
    waiting = [replace(post, source=source) for post, source in zip(posts("a", "b"), sources, strict=True)]

    post = merged(waiting, 50)

    assert post is not None
    assert said == post.said


TEXTS = st.lists(
    st.sampled_from(
        ["a", "b " * 9, "> q", ">>> q", "```\nc\n```", "``` open", "<:hi:123456789012345678>", "https://a.org", "| x |"]
    )
    | st.text(min_size=1, max_size=30).map(str.strip).filter(bool),
    min_size=1,
    max_size=8,
)
SOURCES = st.sampled_from([None, None, "| t |", ""])


@given(TEXTS, st.data(), st.integers(50, 120))
def test_nothing_is_lost_doubled_or_moved(texts: list[str], data: st.DataObject, limit: int) -> None:
    waiting = [Post(text, LINE, source=data.draw(SOURCES)) for text in texts]

    count = joinable(waiting, limit)
    post = merged(waiting[:count], limit)

    assert post is not None
    assert "\n".join(texts[:count]) == post.text
    assert "\n".join(filter(None, (one.said for one in waiting[:count]))) == post.said
    assert count == 1 or units(post.text) <= limit


@given(st.sampled_from(["a. b", "a\nb", "> q\n> r", ">>> q", "**a. b** c", "```\nc\n```"]) | st.text(min_size=1))
def test_a_farewell_is_one_line_and_a_beginning(text: str) -> None:
    if last := farewell(Post(text, LINE)):
        assert text.startswith(last.text)
