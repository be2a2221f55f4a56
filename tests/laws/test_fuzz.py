"""Tokens thrown at the pipeline: 100 000 of them in ``make test``, a million in ``make soak``.

A throw is several replies through one row of stages, with random settings and random endings. It is made of a seed
alone, so the number in the name of a failed test is all that is needed to see it again.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.types import Ending, Persona, Post, Roster, Scene, Sprite
from tests.laws.nasty import BITS, DEGREES, LONG, is_sound

TOKENS = 1_000_000 if os.environ.get("HYPOTHESIS_PROFILE") == "soak" else 100_000
A_THROW = 1000
"""Tokens in one throw."""

_REN = Persona("Ren", aliases=("R",), sprites=(Sprite("smug", "smug.png"),))
_SCENE = Scene("", _REN, roster=Roster(mentions={"alice": "<@1>"}, emoji={"wave": "<:wave:1>"}))
_SAID = ["Ren: ", "R (smug): ", "**Ren:** ", "\nRen (smug): ", "@alice", ":wave:", ":nobody:", "word ", "word\n"]


def _token(dice: Random) -> str:
    kind = dice.random()
    if kind < 0.002:
        return dice.choice(LONG)
    if kind < 0.1:
        return "".join(chr(dice.choice([dice.randrange(0x80), dice.randrange(0x110000)])) for _ in range(4))
    return dice.choice(_SAID if kind < 0.3 else BITS)


def _values(dice: Random) -> Settings:
    return Settings.of(
        degree=dice.choice(DEGREES),
        limit=dice.choice([50, 51, 120, 333, 1950, 2000]),
        overflow=dice.choice([50, 100, 1000]),
        code_overflow=dice.choice([200, 500, 15_000]),
        hold=dice.choice([0, 1, 40, 300, 1950, 5000]),
        message_limit=dice.choice([0, 0, 0, 9]),
        flood_limit=dice.choice([40, 1_000_000]),
        unknown_emoji=dice.choice(["keep", "strip"]),
        use_emoji=dice.random() < 0.8,
        speaker_guard=dice.random() < 0.2,
        sanitise=dice.choice(["", "*"]),
        tables=dice.choice(["text", "source"]),
    )


def _sliced(text: str, dice: Random) -> list[str]:
    slices, longest = [], dice.choice([1, 3, 30, 1000])
    while text:
        size = dice.randint(1, longest)
        slices.append(text[:size])
        text = text[size:]
    return slices


@pytest.mark.timeout(600)
@pytest.mark.parametrize("seed", range(TOKENS // A_THROW))
def test_nothing_that_is_thrown_at_it_does_harm(seed: int) -> None:
    """No token raises, every message is sound (P1, P3, P5), and slices do not matter (P8)."""
    dice = Random(seed)
    left = A_THROW
    while left > 0:
        values = _values(dice)
        replies = [[_token(dice) for _ in range(dice.randint(1, 60))] for _ in range(dice.randint(1, 4))]
        endings = [dice.choice(list(Ending)) for _ in replies]
        left -= sum(map(len, replies))

        thrown, cut, whole = (text_row(_SCENE, values, Random(0)) for _ in range(3))
        for tokens, why in zip(replies, endings, strict=True):
            text = "".join(tokens)
            outcome = [item for token in tokens for item in thrown.feed(token)] + thrown.flush(why)

            shown = ascii(text)

            assert outcome == [item for part in _sliced(text, dice) for item in cut.feed(part)] + cut.flush(why), shown
            assert outcome == whole.feed(text) + whole.flush(why), shown
            assert all(is_sound(post.text, values.delivery.limit) for post in outcome if isinstance(post, Post)), shown
