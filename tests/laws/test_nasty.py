"""What the laws are tried on is as varied as it should be."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import HealthCheck, Phase, given, settings, strategies as st

from tests.laws.nasty import nasty
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
