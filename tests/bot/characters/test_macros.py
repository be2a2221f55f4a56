"""Samples of how somebody talks."""

from __future__ import annotations

import pytest

from cadenza.bot.characters.character import Character
from cadenza.bot.characters.macros import samples
from cadenza.types import Line


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("", (), id="none"),
        pytest.param("<START>\n<start>\n", (), id="empty ones"),
        pytest.param(
            "<START>\n{{user}}: Hi\n{{char}}: Hello\nyou.\n<START>\n{{char}}: Again.",
            (Line("Mia", "Hi"), Line("Ren", "Hello\nyou.", is_own=True), Line("Ren", "Again.", is_own=True)),
            id="two conversations",
        ),
        pytest.param(
            "mia: Hi\nRen: Note: a fox.\n  Rennie: Yes",
            (Line("Mia", "Hi"), Line("Ren", "Note: a fox.", is_own=True), Line("Ren", "Yes", is_own=True)),
            id="names written out",
        ),
        pytest.param("*hums* {{// quietly}}", (Line("Ren", "*hums*", is_own=True),), id="nobody in front"),
        pytest.param("{{char}}:   \n{{user}}: x", (Line("Mia", "x"),), id="nothing said"),
    ],
)
def test_samples_become_lines(text: str, expected: tuple[Line, ...]) -> None:
    assert expected == samples(Character("Ren", samples=text, nickname="Rennie"), "Mia")


def test_somebody_asks_where_nobody_in_particular_does() -> None:
    assert (Line("User", "Hi"),) == samples(Character("Ren", samples="{{user}}: Hi"))
