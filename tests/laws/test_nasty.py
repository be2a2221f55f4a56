"""What the laws are tried on is as varied as it should be."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.laws.nasty import FAMILY, LONG, nasty, with_characters
from tests.laws.test_rules_properties import dense

_MARKDOWN = nasty()
_TWICE = re.compile(r"([^\x00-\x7f]{2,6}).*\1", re.DOTALL)
_SHORT = 1500


@cache
def _drawn(strategy: st.SearchStrategy[str], count: int = 500) -> list[str]:
    """Some of what *strategy* makes, and always the same."""
    texts: list[str] = []

    @settings(
        max_examples=count,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def note(text: str) -> None:
        texts.append(text)

    note()
    return texts


@pytest.mark.parametrize(
    ("strategy", "least"), [(dense(), 0.015), (_MARKDOWN, 0.05)], ids=["what rules look for", "Markdown"]
)
def test_the_same_foreign_text_comes_again_now_and_then(strategy: st.SearchStrategy[str], least: float) -> None:
    texts = [text for text in _drawn(strategy) if len(text) < _SHORT]

    assert sum(1 for text in texts if _TWICE.search(text)) > least * len(texts)


def test_markdown_is_now_and_then_very_long_in_many_scripts_or_broken() -> None:
    texts = _drawn(_MARKDOWN)

    for mark in ("```", "\n> ", "<think>", "語", FAMILY, "\ud83d", "\x00", "**", "||"):
        assert any(mark in text for text in texts), mark
    assert any(len(text) > max(map(len, LONG)) for text in texts)
    assert "" in texts


def test_a_number_stands_for_characters_and_one_below_zero_for_what_stood_before() -> None:
    texts = _drawn(with_characters(st.just(["one", -1, "two", -2, -9, 3])).map("".join), count=10)

    assert {"oneonetwoone"} == {text[:-3] for text in texts}
    assert len({text[-3:] for text in texts}) > 1
