"""The explanations of hard replies. A person has read each sentence and found it true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.play.films.hard_replies import HARD_REPLIES, explanation

GOLDEN = (Path(__file__).parents[2] / "golden" / "hard_replies.txt").read_text(encoding="utf-8")


def test_each_of_them_is_there() -> None:
    assert [*HARD_REPLIES] == re.findall(r"^#### (.+)$", GOLDEN, re.MULTILINE)
    assert len(HARD_REPLIES) >= 20


@pytest.mark.parametrize("name", HARD_REPLIES)
def test_a_hard_reply_is_explained_as_it_was_read(name: str) -> None:
    assert explanation(name) == GOLDEN[GOLDEN.index(f"#### {name}\n") :].split("\n#### ")[0].rstrip("\n") + "\n\n"
