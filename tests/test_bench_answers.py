"""The answers that the benchmark of shapes and the judges read: fixed by their seed, and of the sizes they claim."""

from __future__ import annotations

from statistics import median

import pytest

from answers import FAMILIES, answers
from constructs import CONSTRUCTS, constructs


@pytest.mark.parametrize("family", FAMILIES)
def test_a_seed_makes_the_same_answers_whatever_their_number(family: str) -> None:
    assert answers(family, 20, seed=3)[:5] == answers(family, 5, seed=3)
    assert answers(family, 5, seed=3) != answers(family, 5, seed=4)


def test_no_answer_of_an_assistant_is_said_twice() -> None:
    assert 300 == len(set(answers("assistant", 300)))


def test_an_assistant_says_as_much_as_assistants_do() -> None:
    sizes = sorted(map(len, answers("assistant", 300)))

    assert (True, True, True) == (sizes[0] >= 800, 2000 <= median(sizes) <= 2400, sizes[-1] <= 4500)


def test_a_chatty_answer_has_one_to_six_lines() -> None:
    assert {1, 2, 3, 4, 5, 6} == {text.count("\n") + 1 for text in answers("chatty", 100)}


def test_two_thousand_answers_hold_every_construct_often() -> None:
    texts = constructs(2000)

    assert texts[:5] == constructs(5)
    assert len(CONSTRUCTS) == 57
    signs = [
        "\r\n",
        ">>> ",
        "-# ",
        "\n4. ",
        "````",
        "~~~",
        "1) ",
        "\\[",
        "||",
        "\t- ",
        "  - ",
        "    - ",
        "שלום",
        "مرحبا",
    ]
    assert [] == [sign for sign in signs if sum(sign in text for text in texts) < 15]
