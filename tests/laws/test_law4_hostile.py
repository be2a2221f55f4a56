"""Law 4 where the work hides inside one call: a pattern that goes back, a search that goes on and on.

Counting calls does not see that, so these are measured; each took from two seconds to for ever before it was linear.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from cadenza.rules import RenderModifier, Rule, RuleContext, SpeakerGuard
from cadenza.settings import Settings
from cadenza.text.survey import survey
from cadenza.text.units import display_width, graphemes
from cadenza.types import Boundary, Persona, Roster, Segment, Sprite

_SECONDS = 1.0


def _rule(kind: type[Rule], *personas: str) -> Rule:
    context = RuleContext(
        Persona("Ren", sprites=(Sprite("mad"),)),
        Roster(personas=dict.fromkeys(personas, "word")),
        Settings.of(speaker_guard=True).rules,
    )
    return kind(context)


def _feed(text: str, kind: type[Rule], *personas: str) -> Callable[[], object]:
    return lambda: list(_rule(kind, *personas).feed(Segment(text, Boundary.FINAL)))


@pytest.mark.parametrize(
    "work",
    [
        pytest.param(lambda: survey("\\`` " * 5000), id="backticks behind backslashes"),
        pytest.param(lambda: survey(")[a](b)" * 15_000), id="links without a space"),
        pytest.param(lambda: display_width("\U0001f1e6" * 32_000), id="a row of flags"),
        pytest.param(
            _feed("a:" * 60 + " x (y):", RenderModifier, *(":".join("a" * length) for length in range(1, 13))),
            id="names with colons",
        ),
        pytest.param(_feed("Ren (mad):" + "\n" * 10, RenderModifier), id="one label"),
        pytest.param(_feed(("Ren (mad):" + "\n" * 10) * 6000, RenderModifier), id="labels without words"),
        pytest.param(
            _feed("so\n" + "word and " * 7000 + " ` \n" + "User: a\n" * 8000, SpeakerGuard),
            id="labels behind a backtick",
        ),
    ],
)
def test_hostile_text_takes_no_longer_than_other_text(work: Callable[[], object]) -> None:
    begin = time.process_time()
    work()
    assert time.process_time() - begin < _SECONDS


def test_flags_are_still_paired_from_the_left() -> None:
    flag = "\U0001f1e9\U0001f1ea"
    assert graphemes(flag * 2 + flag[0] + "x") == [flag, flag, flag[0], "x"]
    assert graphemes(flag + "\u200d\u0301" + flag) == [flag + "\u200d\u0301", flag]


def test_a_chain_of_labels_still_gives_back_what_belongs_to_the_name() -> None:
    context = RuleContext(Persona("Aki: Ren", sprites=(Sprite("mad"),)), Roster(personas={"Aki": "aki"}))
    (segment,) = RenderModifier(context).feed(Segment("Aki: Aki: Ren (mad): grr", Boundary.FINAL))
    assert (segment.text, segment.label) == ("grr", "Aki: Ren (mad): ")
