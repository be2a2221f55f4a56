"""Law 4: each character is looked at once. Cost grows with the text, not with its square.

Counted in calls of functions, not in seconds: the same on every machine.
"""

from __future__ import annotations

from random import Random

import pytest

from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.types import Finished, Persona, Scene, TextDelta
from tests.helpers import calls_of
from tests.laws.material import CORPUS

_TOKEN = 4


def _calls(text: str, degree: int) -> int:
    """How many calls it takes to stream *text* in small tokens."""
    round_ = Round(text_row(Scene("", Persona("")), Settings.of(degree=degree, flood_limit=1_000_000), Random(0)))
    tokens = [TextDelta(text[start : start + _TOKEN]) for start in range(0, len(text), _TOKEN)]

    def stream() -> None:
        for token in tokens:
            round_.receive(token)
        round_.receive(Finished())

    return calls_of(stream)


# Whole replies that leave nothing open, so that four of these are really four times the same.
_MIXED = "\n\n".join(CORPUS[name] for name in sorted(CORPUS)[:17]) + "\n\n"


@pytest.mark.parametrize("degree", [0, 1, 3])
@pytest.mark.parametrize(
    ("head", "body"),
    [
        pytest.param("", _MIXED, id="mixed"),
        pytest.param("(", "some words in a bracket that never closes " * 200, id="open bracket"),
        pytest.param("", "word " * 2000, id="no line end"),
        pytest.param("", "x\n" * 1000, id="only line ends"),
        pytest.param("```py\n", "x = f(1)\n" * 1000, id="open code block"),
        pytest.param("| a | b |\n|---|---|\n", "| x | y |\n" * 1000, id="long table"),
        pytest.param("`", "word " * 2000, id="open inline code"),
        pytest.param("", "[a](" * 3000, id="broken links"),
        pytest.param("", "*a **b " * 1000, id="open emphasis"),
        pytest.param("", "<" * 6000, id="angles"),
        pytest.param("https://e.org/", "a" * 8000, id="endless address"),
        pytest.param("<think>", "word " * 2000, id="open hidden block"),
        pytest.param("a <think>", "word " * 2000, id="a tag that may open one"),
    ],
)
def test_four_times_the_text_takes_four_times_the_work(head: str, body: str, degree: int) -> None:
    assert _calls(head + body * 4, degree) < 4.4 * _calls(head + body, degree) + 2000
