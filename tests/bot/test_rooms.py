"""Where something is said, and who is there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from cadenza.bot.rooms import room_of, tag_of
from cadenza.errors import InputError
from cadenza.types import Roster
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(20)


async def test_a_room_knows_who_is_there_and_whom_it_belongs_to() -> None:
    async with at_work(Evening()) as evening:
        room = await room_of(evening.client.get_channel(int(evening.general)))

        assert evening.client is room.client
        everybody = {evening.mia.id, evening.tom.id, evening.bot.id}
        assert {id_: f"<@{id_}>" for id_ in everybody} == dict(room.for_calls().mentions)
        assert "<@1>" == room.for_calls(Roster(mentions={"zoe": "<@1>"})).mentions["zoe"]


async def test_a_part_of_a_message_is_answered_as_one() -> None:
    async with at_work(Evening()) as evening:
        asked = evening.mia.says(evening.general, "Hi!")
        channel = evening.client.get_channel(int(evening.general))
        assert isinstance(channel, discord.TextChannel)

        room = await room_of(channel.get_partial_message(int(asked)))

        assert room.message is not None
        assert (evening.general, int(asked)) == (room.channel, room.message.id)


async def test_whoever_speaks_can_be_said() -> None:
    async with at_work(Evening()) as evening:
        other = discord.Client(intents=discord.Intents.none())

        room = await room_of(evening.client.get_channel(int(evening.general)), other)

        assert other is room.client


async def test_a_thing_of_nobody_is_refused() -> None:
    state: Any = SimpleNamespace()
    orphan = discord.PartialMessageable(state=state, id=1)

    with pytest.raises(InputError, match=r"use Speaker\(client\)"):
        await room_of(orphan)


@pytest.mark.parametrize("has_members", [True, False], ids=["everybody is known", "the server is asked"])
@pytest.mark.parametrize(("handle", "found"), [("tom", True), ("TOM", True), ("nobody", False), ("to", False)])
async def test_somebody_is_found_by_their_name(handle: str, found: bool, has_members: bool) -> None:  # noqa: FBT001  # a table
    intents = discord.Intents.default()
    intents.members = has_members
    async with at_work(Evening(), intents=intents) as evening:
        tag = await tag_of(handle, evening.client.guilds[0])

        assert (f"<@{evening.tom.id}>" if found else None) == tag
