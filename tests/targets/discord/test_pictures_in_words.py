"""Pictures where no files may be sent: what they show is said in words, under the text that announces it."""

from __future__ import annotations

import pytest

from cadenza.sim.permissions import INVITED, Permission
from cadenza.types import Attachment, Boundary, Post
from tests.discord_room import Room

FORMULA = "$$\nx^2 + 1\n$$"
TABLE = "| a | b |\n|---|---|\n| $x^2$ | 2 |"


@pytest.mark.parametrize(
    ("name", "source", "words"),
    [
        pytest.param("formula.png", FORMULA, "```\nx² + 1\n```", id="a formula"),
        pytest.param("table.png", TABLE, "```\na   b\n──  ─\nx²  2\n```", id="a formula in a table"),
    ],
)
async def test_it_can_be_read_as_text(name: str, source: str, words: str) -> None:
    room = Room(granted=INVITED & ~Permission.ATTACH_FILES)
    room.world.overwrite(room.channel, room.guild.everyone, deny=Permission.ATTACH_FILES)
    shown = Post(
        "Look:",
        Boundary.FINAL,
        attachment=Attachment(name, b"\x89PNG"),
        source=f"Look:\n\n{source}",
        picture=source,
    )
    await room.target().send(shown)

    assert ["Look:", words] == room.texts()
