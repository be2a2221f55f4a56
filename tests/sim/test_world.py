from __future__ import annotations

import asyncio
import json
import time

import pytest

from cadenza.sim.permissions import Permission
from cadenza.sim.snowflakes import from_timestamp, made_at
from cadenza.sim.wire import GatewayEvent
from cadenza.sim.world import ChannelKind, World
from tests.sim.tearoom import STARTS, Tearoom
from tests.sim.test_transcript import told


def test_ids_grow_and_tell_the_time() -> None:
    room = Tearoom()
    first = room.sends("a")
    room.time += 90
    second = room.sends("b")

    assert int(room.guild.id) < int(room.channel) < int(first["id"]) < int(second["id"])
    assert [STARTS, STARTS + 90] == [made_at(message["id"]) for message in (first, second)]
    assert [STARTS, STARTS + 90] == [from_timestamp(message["timestamp"]) for message in (first, second)]


def test_without_a_word_about_it_the_time_is_that_of_the_day() -> None:
    assert World().now() == pytest.approx(time.time(), abs=5)


@pytest.mark.looptime
async def test_it_can_go_by_the_clock_of_a_loop() -> None:
    world = World(clock=asyncio.get_running_loop().time)
    bot = world.add_bot()
    channel = world.add_channel(world.add_guild("Tea", members=[bot]), "general")
    world.typing(bot.id, channel)
    await asyncio.sleep(9)
    during = world.typists(channel)
    await asyncio.sleep(2)

    assert ([bot.id], []) == (during, world.typists(channel))


def test_a_guild_without_an_owner_is_given_one() -> None:
    world = World()
    guild = world.add_guild("Tea")
    bot = world.add_bot()
    guild.join(bot)

    assert {"Owner of Tea", None} == {member["user"]["global_name"] for member in world.get_members(bot.id, guild.id)}


def test_everything_that_happens_can_be_written_as_json_and_says_where() -> None:
    room = told()
    forum = room.world.add_channel(room.guild, "forum", kind=ChannelKind.FORUM)
    room.world.add_post(forum, "Tea", "Which?", room.ada)

    assert room.events
    for event in room.events:
        assert event.data == json.loads(json.dumps(event.data))
        assert room.guild.id == event.guild == event.data["guild_id"]


def test_everybody_and_every_place_that_one_can_see_are_listed() -> None:
    world = World()
    mia, bot = world.add_person("Mia"), world.add_bot("Ren")
    guild = world.add_guild("Home", owner=mia, members=[bot])
    general, hidden = world.add_channel(guild, "general"), world.add_channel(guild, "hidden")
    world.overwrite(hidden, bot, deny=Permission.VIEW_CHANNEL)
    direct = world.open_direct(bot, mia)

    assert [mia.id, bot.id] == [user["id"] for user in world.users()]
    assert [general, hidden, direct] == [place["id"] for place in world.places(mia.id)]
    assert [general, direct] == [place["id"] for place in world.places(bot.id)]
    assert [mia.id] == [user["id"] for user in world.places(bot.id)[-1]["recipients"]]


def test_two_worlds_share_nothing() -> None:
    first, second = Tearoom(), Tearoom()
    first.sends("a")

    assert ([], []) == (second.contents(), second.events)


def test_what_listeners_hear_is_enough_to_follow_a_channel() -> None:
    """Who only hears of messages, and of their changes and ends, sees the same channel as who looks."""
    room = Tearoom()
    followed: dict[str, str] = {}

    def follow(event: GatewayEvent) -> None:
        match event.name:
            case "MESSAGE_CREATE" | "MESSAGE_UPDATE":
                followed[event.data["id"]] = event.data["content"]
            case "MESSAGE_DELETE":
                del followed[event.data["id"]]
            case "MESSAGE_DELETE_BULK":
                for message in event.data["ids"]:
                    del followed[message]

    room.world.listen(follow)
    ids = [room.sends(str(number))["id"] for number in range(5)]
    webhook, token = room.webhook()
    spoken = room.world.execute_webhook(webhook, token, {"content": "spoken"})["id"]
    room.world.edit_webhook_message(webhook, token, spoken, payload={"content": "changed"})
    room.world.edit_message(room.bot.id, room.channel, ids[4], {"content": "four"})
    room.world.delete_message(room.bot.id, room.channel, ids[0])
    room.world.bulk_delete(room.bot.id, room.channel, ids[1:3])

    assert ["3", "four", "changed"] == list(followed.values()) == room.contents()
