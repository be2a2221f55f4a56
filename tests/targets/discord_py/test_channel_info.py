"""Where something is said, and who is there."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import discord
import pytest

from cadenza.errors import InputError
from cadenza.targets.discord_py.channel_info import parent_of, role_tags, room_of, tag_of
from cadenza.types import Roster
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)


async def test_a_room_knows_who_is_there_and_whom_it_belongs_to() -> None:
    async with at_work(Evening()) as evening:
        room = await room_of(evening.client.get_channel(int(evening.general)))

        assert evening.client is room.client
        everybody = {evening.mia.id, evening.tom.id, evening.bot.id}
        assert {id_: f"<@{id_}>" for id_ in everybody} == dict(room.for_calls().mentions)
        assert "<@1>" == room.for_calls(Roster(mentions={"zoe": "<@1>"})).mentions["zoe"]


async def test_only_roles_that_anybody_may_mention_and_whose_name_is_theirs_alone_can_be_called() -> None:
    evening = Evening()
    crew, _, *_ = (
        evening.world.add_role(evening.guild, name, mentionable=is_open)
        for name, is_open in (("crew", True), ("secret", False), ("TOM", True), ("twice", True), ("Twice", True))
    )
    async with at_work(evening):
        room = await room_of(evening.client.get_channel(int(evening.general)))

        assert {} == dict(room.for_rules().mentions)
        assert {"crew": f"<@&{crew}>", "twice": "", "Twice": ""} == dict(room.for_rules(roles=True).mentions)


@pytest.mark.parametrize("name", ["tom", "Tom K", "TOM  K", " @tom", "\u0422\u043eм"])
def test_what_somebody_is_called_in_any_writing_calls_no_role(name: str) -> None:
    def person(id_: int, *names: str | None) -> Any:
        return SimpleNamespace(id=id_, **dict(zip(("name", "global_name", "nick"), names, strict=True)))

    role = SimpleNamespace(id=9, name=name, mentionable=True, is_default=lambda: False)
    crew = SimpleNamespace(id=8, name="crew", mentionable=True, is_default=lambda: False)
    crowd = [person(id_, f"user{id_}", None, None) for id_ in range(600)]
    guild: Any = SimpleNamespace(members=[*crowd, person(600, "tom", "tom k", "Том")], roles=[role, crew])

    assert {"crew": "<@&8>"} == role_tags(guild)


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


async def test_a_bot_does_not_write_to_itself() -> None:
    async with at_work(Evening()) as evening:
        with pytest.raises(InputError, match="cannot write to itself"):
            await room_of(evening.client.guilds[0].me)


async def test_a_person_is_written_to_by_whoever_speaks() -> None:
    evening = Evening()
    ren = evening.world.add_bot("Ren", token="ren-token")  # noqa: S106  # of a world in memory
    evening.guild.join(ren)
    async with at_work(evening):
        other = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0.05)
        async with evening.server.running(other, "ren-token"):
            room = await room_of(evening.client.get_user(int(evening.mia.id)), other)

    assert evening.world.open_direct(ren, evening.mia) == room.channel


@pytest.mark.parametrize(("handle", "tag"), [("mia", "<@5>"), ("7", "<@7>"), ("8", None)])
async def test_of_a_large_server_not_everybody_is_looked_at(handle: str, tag: str | None) -> None:
    def person(id_: int, name: str) -> Any:
        return SimpleNamespace(id=id_, name=name, global_name=None, nick=None)

    async def query(_handle: str, **_: object) -> list[Any]:
        return [person(5, "mia"), person(6, "miami")]

    crowd: Any = SimpleNamespace(
        members=[None] * 10_001, chunked=True, query_members=query, get_member={7: person(7, "tom")}.get
    )

    assert tag == await tag_of(handle, crowd)


@pytest.mark.parametrize("has_members", [True, False], ids=["everybody is known", "the server is asked"])
@pytest.mark.parametrize(("handle", "found"), [("tom", True), ("TOM", True), ("nobody", False), ("to", False)])
async def test_somebody_is_found_by_their_name(handle: str, found: bool, has_members: bool) -> None:  # noqa: FBT001  # a table
    intents = discord.Intents.default()
    intents.members = has_members
    async with at_work(Evening(), intents=intents) as evening:
        tag = await tag_of(handle, evening.client.guilds[0])

        assert (f"<@{evening.tom.id}>" if found else None) == tag


async def test_a_thread_knows_its_channel_and_nothing_else_has_one() -> None:
    before = Evening()
    thread = before.world.add_thread(before.general, "aside")
    async with at_work(before) as evening:
        places = (evening.client.get_channel(int(id_)) for id_ in (thread, evening.general))

        assert [evening.general, "", ""] == [parent_of(place) for place in (*places, None)]
