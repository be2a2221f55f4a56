"""Rehearsals as they are planned: what is refused, and how a text is said."""

from __future__ import annotations

from typing import Any

import pytest

from cadenza.errors import InputError
from cadenza.play.films.plan import Interlude, ModelBeat, Rehearsal, beats_of
from cadenza.sim.rate_limits import Rate
from cadenza.types import Finished, StopReason, TextDelta


@pytest.mark.parametrize(
    ("wanted", "why"),
    [
        pytest.param({"people": ()}, "at least one person", id="nobody"),
        pytest.param({"people": ("Mia", "Mia")}, "each name only once", id="the same twice"),
        pytest.param({"asides": (Interlude(1.0, "Hi", "Kim"),)}, "'Kim' is not among", id="a stranger"),
        pytest.param({"asked": "x" * 2001}, "at most 2000 characters", id="too long a question"),
        pytest.param({"asides": (Interlude(1.0, "x" * 2001),)}, "at most 2000 characters", id="too long a word"),
        pytest.param({"asides": (Interlude(-1.0, "x"),)}, "from 0 seconds to one day", id="before it begins"),
        pytest.param({"stop_at": float("nan")}, "from 0 seconds to one day", id="stopped at no time"),
        pytest.param({"latency": float("inf")}, "from 0 seconds to one day", id="answers that never come"),
        pytest.param({"limits": Rate(0, 5.0)}, "at least one message", id="no messages at all"),
        pytest.param({"webhook_limits": Rate(5, 0.0)}, "more than 0 seconds", id="in no time"),
    ],
)
def test_what_nobody_can_play_is_refused(wanted: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        Rehearsal((), **wanted)


@pytest.mark.parametrize("rate", [0.0, -1.0, float("nan"), float("inf"), 1e7])
def test_no_model_speaks_at_such_a_rate(rate: float) -> None:
    with pytest.raises(InputError, match="tokens a second"):
        beats_of("Hi", rate)


def test_a_text_is_said_in_tokens() -> None:
    assert beats_of("abcdef", 10, token=4) == [
        ModelBeat(0.1, (TextDelta("abcd"),)),
        ModelBeat(0.1, (TextDelta("ef"),)),
        ModelBeat(0.0, (Finished(),)),
    ]


def test_what_people_do_meanwhile_is_in_its_order() -> None:
    said = (Interlude(3.0, "Later"), Interlude(1.0, "Hm."))

    acts = Rehearsal((), asides=said, stop_at=2.0).interludes

    assert acts == [Interlude(1.0, "Hm."), Interlude(2.0, stops=StopReason.USER), Interlude(3.0, "Later")]
