"""Pins."""

from __future__ import annotations

import pytest

from cadenza.sim import pins
from cadenza.sim.permissions import ALL, Permission
from tests.sim.tearoom import Tearoom, refused


@pytest.fixture
def room() -> Tearoom:
    room = Tearoom()
    room.world.give_role(room.guild, room.bot, room.world.add_role(room.guild, "Staff", permissions=ALL))
    return room


def test_to_pin_needs_a_permission_of_its_own(room: Tearoom) -> None:
    message = room.ben.says(room.channel, "hi")
    room.world.permit(room.guild, room.guild.everyone, Permission.VIEW_CHANNEL | Permission.MANAGE_MESSAGES)
    assert (403, 50013) == refused(lambda: pins.pin(room.world.state, room.ben.id, room.channel, message))


def test_a_line_says_what_was_pinned_and_cannot_be_pinned_itself(room: Tearoom) -> None:
    message = room.ben.says(room.channel, "hi")
    room.heard()

    pins.pin(room.world.state, room.bot.id, room.channel, message)
    pins.pin(room.world.state, room.bot.id, room.channel, message)

    assert ["MESSAGE_UPDATE", "CHANNEL_PINS_UPDATE", "MESSAGE_CREATE"] == room.heard()
    line = room.world.messages(room.channel)[-1]
    assert (6, message) == (line["type"], line["message_reference"]["message_id"])
    assert (403, 50021) == refused(lambda: pins.pin(room.world.state, room.bot.id, room.channel, line["id"]))


def test_pins_come_in_pages(room: Tearoom) -> None:
    for text in "abc":
        room.time += 1
        pins.pin(room.world.state, room.bot.id, room.channel, room.ben.says(room.channel, text))

    first = pins.get_pins(room.world.state, room.bot.id, room.channel, limit=2)
    rest = pins.get_pins(room.world.state, room.bot.id, room.channel, before=first["items"][-1]["pinned_at"])

    assert (["c", "b"], True) == ([item["message"]["content"] for item in first["items"]], first["has_more"])
    assert (["a"], False) == ([item["message"]["content"] for item in rest["items"]], rest["has_more"])
