"""What follows a reply: subscribers in one order, records, and the log."""

from __future__ import annotations

import logging

import pytest

from cadenza.bot.after_reply import ReplyFinished, may_keep
from cadenza.bot.memory.location import Location
from cadenza.bot.memory.privacy import PrivacyLevel
from cadenza.types import Prompt
from tests.bot.bot_room import bot_room, parrot


async def test_subscribers_are_told_in_order_and_a_failing_one_stops_no_other(
    caplog: pytest.LogCaptureFixture,
) -> None:
    told: list[str] = []
    async with bot_room(parrot) as room:

        async def fails(event: ReplyFinished) -> None:
            own = await room.bot.own.about(event.reply.receipts[-1].message_id)
            told.append(f"first: {own.persona if own else None}")  # the records were kept before
            raise ValueError

        async def works(event: ReplyFinished) -> None:
            told.append(f"second: {event.reply.receipts[-1].post.text}")

        room.bot.after_reply.subscribe("first", fails)
        room.bot.after_reply.subscribe("second", works)
        await room.asks("hello")

    assert ["first: Ren", "second: Ren heard: hello"] == told
    failed = [record for record in caplog.records if record.getMessage() == "first after a reply failed"]
    assert ["ValueError"] == [record.exc_text.splitlines()[-1] for record in failed if record.exc_text]


async def test_records_of_a_person_who_wants_nothing_kept_name_no_guild() -> None:
    async with bot_room(parrot) as room:
        where = Location(room.mia.id, room.general, server=room.guild.id)
        assert await may_keep(room.services, where)
        await room.services.memory.privacy.set_level(room.mia.id, PrivacyLevel.FULL)

        assert not await may_keep(room.services, where)


async def test_the_log_says_how_each_turn_ended_without_its_text(caplog: pytest.LogCaptureFixture) -> None:
    def moody(prompt: Prompt) -> list[str]:
        if "bad" in prompt.turns[-1].text:
            raise ValueError("marzipan")  # noqa: EM101  # as foreign code does
        return ["Marzipan!"]

    caplog.set_level(logging.INFO, "cadenza")
    async with bot_room(moody) as room:
        await room.asks("marzipan")
        await room.asks("bad marzipan")
        where = (room.general, room.guild.id)
    told = [record for record in caplog.records if record.name == "cadenza.bot.after_reply"]

    assert ["INFO", "WARNING"] == [record.levelname for record in told]
    assert told[0].getMessage().startswith("turn ended: completed; messages: 1, seconds: ")
    assert told[1].getMessage().startswith("reply broke off: ")
    assert [where, where] == [(vars(record)["channel"], vars(record)["server"]) for record in told]
    assert "marzipan" not in caplog.text.casefold()
