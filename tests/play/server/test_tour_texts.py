"""The texts of the tour: each story is there in both languages, and says the same in them."""

from __future__ import annotations

import re

import pytest

from cadenza.play.server.tour import STORIES
from cadenza.play.server.tour_texts import ANSWERS, CODE, QUESTIONS

_KANA = re.compile("[ぁ-ヿ]")
_MARKS = ("<think>", "</think>", "```", "@everyone", ":wave:", "||", "|---", "Ren:", "Ren (")


@pytest.mark.parametrize("texts", [ANSWERS, QUESTIONS], ids=["answers", "questions"])
def test_every_story_has_its_texts_in_both_languages(texts: dict[str, dict[str, str]]) -> None:
    assert [story.id for story in STORIES] == list(texts)
    for told in texts.values():
        assert ["en", "ja"] == list(told)
        assert not _KANA.search(told["en"])
        assert _KANA.search(told["ja"])


@pytest.mark.parametrize("id_", list(ANSWERS))
def test_what_a_story_shows_is_in_both_languages(id_: str) -> None:
    counts = [{mark: ANSWERS[id_][language].count(mark) for mark in _MARKS} for language in ("en", "ja")]

    assert counts[0] == counts[1]


def test_the_code_of_the_tour_is_code_and_too_long_for_a_message() -> None:
    compile(CODE, "tour", "exec")

    assert all(CODE in ANSWERS["code"][language] for language in ("en", "ja"))
    assert len(CODE) > 2000 - len("```python\n```")
