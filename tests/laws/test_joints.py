"""Messages put together with their joints are what the model wrote, and none of them ends with a heading.

The rules are left out: they change the text on purpose. What stage 5 itself changes is listed here with its reason.
"""

from __future__ import annotations

import re
from random import Random
from typing import Any

import pytest
from hypothesis import assume, given, strategies as st

from answers import FAMILIES, answers
from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.text.intake import Intake
from cadenza.text.units import WHITESPACE
from cadenza.types import Finished, Persona, Post, Scene, TextDelta
from tests.laws.material import CORPUS
from tests.laws.nasty import BITS, rows_of

SHAPES = ("reply", "blocks", "lines")
LIMITS = (None, 300, 60)
CHANGED = {
    "20-four-backticks": "a fence of tildes becomes one of backticks",
    "21-unclosed-fence": "a code block that is left open is closed",
    "48-think-start": "hidden",
    "49-think-mid-sentence": "hidden",
    "50-think-two-blocks": "hidden",
    "51-think-unclosed": "hidden",
    "52-think-namespaced": "hidden",
    "54-details-html": "hidden",
    "60-long-mixed-cut-mid-word": "emphasis that is left open is closed",
}
"""Replies of the corpus that stage 5 changes, and why."""
ANSWERS = {f"{family} {number}": text for family in FAMILIES for number, text in enumerate(answers(family, 4))}
_HEADING = re.compile(r"#{1,6} ")


def _posts(text: str, **values: Any) -> list[Post]:
    row = text_row(Scene("", Persona("")), Settings.of(flood_limit=1_000_000, **values), Random(0), rules=())
    round_ = Round(row)
    return [post for event in (TextDelta(text), Finished()) for post in round_.receive(event)]


def _together(posts: list[Post]) -> str:
    return "".join(post.joint + post.said for post in posts).strip(WHITESPACE)


def _written(text: str) -> str:
    """*text* with line ends and characters as the intake makes them."""
    intake = Intake()
    return (intake.feed(text) + intake.flush()).strip(WHITESPACE)


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", [name for name in CORPUS if name not in CHANGED])
def test_a_real_reply_put_together_is_the_text(name: str, shape: str, limit: int | None) -> None:
    assert _written(CORPUS[name]) == _together(_posts(CORPUS[name], shape=shape, limit=limit))


@pytest.mark.parametrize("name", CHANGED)
def test_a_reply_that_is_said_to_be_changed_is_changed(name: str) -> None:
    assert _written(CORPUS[name]) != _together(_posts(CORPUS[name]))


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_put_together_is_the_text(name: str, shape: str, limit: int | None) -> None:
    assert _written(ANSWERS[name]) == _together(_posts(ANSWERS[name], shape=shape, limit=limit))


# What stage 5 changes, and why: what is hidden; fences of tildes become backticks, long runs of backticks are escaped, a
# code block that is open or empty at the end is closed or left out; a "-#" without text joins the next line.
_UNCHANGED = [bit for bit in BITS if not re.search(r"think|details|summary|thi|nk>|~~|```|-#|^``$", bit)]
_BLOCK = "\n```py\nx = 1\n\n    y\n```\n"
_CLOSERS = ")]*_~|\"'`」』｣»›”〉》）«‹"


@pytest.mark.parametrize("shape", SHAPES)
@given(rows_of([*_UNCHANGED, _BLOCK], max_size=30).map("".join), st.sampled_from([None, 300]))
def test_nasty_markdown_put_together_is_the_text(shape: str, text: str, limit: int | None) -> None:
    """What is left open is closed at the very end, and nothing else is added."""
    assume("```" not in text.replace(_BLOCK, ""))

    written, together = _written(text), _together(_posts(text, shape=shape, limit=limit))

    assert together.startswith(written)
    assert set(together[len(written) :]) <= set(_CLOSERS)


@pytest.mark.parametrize("shape", [*SHAPES, "sentences"])
@pytest.mark.parametrize("name", ANSWERS)
def test_no_message_of_an_answer_ends_with_a_heading(name: str, shape: str) -> None:
    for post in _posts(ANSWERS[name], shape=shape)[:-1]:
        assert not _HEADING.match(post.text.rpartition("\n")[2]), post.text
