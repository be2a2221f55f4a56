from __future__ import annotations

import json

import pytest

from cadenza.sim import guilds
from cadenza.sim.intents import PRIVILEGED, Intent
from cadenza.sim.permissions import EVERYONE, INVITED, Permission
from cadenza.sim.world import ChannelKind
from tests.sim.tearoom import Tearoom, refused

P = Permission


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


class TestMembers:
    def test_who_joins_is_told_of_to_the_bots_there(self, room: Tearoom) -> None:
        room.guild.join(room.cleo)

        (event,) = room.events
        assert ("GUILD_MEMBER_ADD", frozenset({room.bot.id})) == (event.name, event.bots)
        assert (room.cleo.id, room.guild.id) == (event.data["user"]["id"], event.data["guild_id"])

    def test_who_is_there_does_not_join_again(self, room: Tearoom) -> None:
        room.guild.join(room.ben)

        assert [] == room.events
        assert (404, 10013) == refused(lambda: room.guild.join("1"))

    def test_a_bot_that_joins_is_told_of_the_guild_before_all_else(self, room: Tearoom) -> None:
        other = room.world.add_bot("Other", token="other")  # noqa: S106  # of a world in memory
        room.guild.join(other)

        assert ["GUILD_CREATE"] == [event.name for event in room.events if other.id in event.bots]
        assert ["GUILD_ROLE_CREATE", "GUILD_CREATE", "GUILD_MEMBER_ADD"] == room.heard()

    def test_a_bot_can_be_granted_less_or_more(self, room: Tearoom) -> None:
        other = room.world.add_bot("Other", token="other")  # noqa: S106  # of a world in memory
        room.guild.join(other, granted=P.NONE)

        assert EVERYONE == room.world.permissions_in(other.id, room.channel)

    def test_who_has_left_has_no_access(self, room: Tearoom) -> None:
        room.guild.leave(room.bot)

        assert ["GUILD_MEMBER_REMOVE", "GUILD_DELETE"] == [event.name for event in room.events]
        assert frozenset({room.bot.id}) == room.events[1].bots
        assert (403, 50001) == refused(room.sends)
        assert [] == guilds.of_bot(room.world.state, room.bot)

    def test_a_bot_is_told_its_guilds_and_what_it_may_do_there(self, room: Tearoom) -> None:
        (guild,) = guilds.own_guilds(room.world.state, room.bot)

        assert (room.guild.id, False) == (guild["id"], guild["owner"])
        assert EVERYONE | INVITED == int(guild["permissions"])

    @pytest.mark.parametrize(
        ("privileged", "flags"),
        [(PRIVILEGED, 1 << 13 | 1 << 15 | 1 << 19), (Intent.MESSAGE_CONTENT, 1 << 19), (Intent(0), 0)],
        ids=["all", "content", "none"],
    )
    def test_an_application_is_told_which_intents_are_switched_on(
        self, room: Tearoom, privileged: Intent, flags: int
    ) -> None:
        room.world.state.privileged = privileged

        has_commands = 1 << 23
        assert flags | has_commands == guilds.application(room.world.state, room.bot)["flags"]
        assert flags | has_commands == guilds.ready(room.world.state, room.bot)["application"]["flags"]

    def test_of_a_person_who_leaves_the_bots_hear(self, room: Tearoom) -> None:
        room.guild.leave(room.ben)

        (event,) = room.events
        assert ("GUILD_MEMBER_REMOVE", room.ben.id) == (event.name, event.data["user"]["id"])

    def test_roles_names_and_time_outs_are_told_of(self, room: Tearoom) -> None:
        role = room.world.add_role(room.guild, "brewers")
        room.world.give_role(room.guild, room.ben, role)
        room.world.give_role(room.guild, room.ben, role)
        room.world.rename(room.guild, room.ben, "Benny")
        room.world.time_out(room.guild, room.ben, 60)
        room.world.permit(room.guild, role, P.MANAGE_THREADS)

        member = guilds.get_member(room.world.state, room.bot.id, room.guild.id, room.ben.id)
        assert ([role], "Benny", "2027-01-15T08:01:00.000000+00:00") == (
            member["roles"],
            member["nick"],
            member["communication_disabled_until"],
        )
        assert ["GUILD_ROLE_CREATE", *["GUILD_MEMBER_UPDATE"] * 4, "GUILD_ROLE_UPDATE"] == room.heard()

    def test_what_everybody_may_do_can_be_changed(self, room: Tearoom) -> None:
        room.world.permit(room.guild, room.guild.everyone, P.VIEW_CHANNEL)

        assert (403, 50013) == refused(lambda: room.ben.says(room.channel, "a"))


class TestReading:
    def test_members_come_in_pages(self, room: Tearoom) -> None:
        pages = room.world.get_members
        first = pages(room.bot.id, room.guild.id, limit=2)
        second = pages(room.bot.id, room.guild.id, limit=2, after=first[-1]["user"]["id"])

        assert ([room.bot.id, room.ada.id], [room.ben.id]) == tuple(
            [one["user"]["id"] for one in page] for page in (first, second)
        )

    def test_what_is_in_it(self, room: Tearoom) -> None:
        soup = room.world.add_emoji(room.guild, "soup", animated=True)
        role = room.world.add_role(room.guild, "brewers", mentionable=True)
        world, bot, guild = room.world, room.bot.id, room.guild.id

        assert [("soup", True, soup)] == [
            (one["name"], one["animated"], one["id"]) for one in guilds.get_emojis(world.state, bot, guild)
        ]
        assert ["@everyone", "Cadenza", "brewers"] == [one["name"] for one in world.get_roles(bot, guild)]
        assert [guild, role] == [guilds.get(world.state, bot, guild)["roles"][place]["id"] for place in (0, 2)]
        assert [room.channel] == [one["id"] for one in guilds.get_channels(world.state, bot, guild)]
        assert ["GUILD_EMOJIS_UPDATE", "GUILD_ROLE_CREATE"] == room.heard()

    def test_only_for_those_who_are_there(self, room: Tearoom) -> None:
        world, guild = room.world, room.guild.id

        reads = (guilds.get, guilds.get_members, guilds.get_roles, guilds.get_emojis, guilds.get_channels)
        for read in reads:
            assert (403, 50001) == refused(lambda read=read: read(world.state, room.cleo.id, guild))  # type: ignore[misc]
        assert (404, 10004) == refused(lambda: guilds.get(world.state, room.bot.id, "1"))
        assert (404, 10007) == refused(lambda: guilds.get_member(world.state, room.bot.id, guild, room.cleo.id))

    def test_users_are_known_to_all(self, room: Tearoom) -> None:
        user = room.world.get_user(room.bot.id, room.cleo.id)

        assert ("Cleo", "cleo", False) == (user["global_name"], user["username"], user["bot"])
        assert (404, 10013) == refused(lambda: room.world.get_user(room.bot.id, "1"))
        assert guilds.current_user(room.world.state, room.bot.id)["bot"]


class TestGateway:
    def test_a_bot_is_known_by_its_token(self, room: Tearoom) -> None:
        assert room.bot == guilds.authenticate(room.world.state, "sim-token")
        assert (401, 0) == refused(lambda: guilds.authenticate(room.world.state, "other"))
        assert "sim-token" not in repr(room.bot)

    def test_ready_names_the_guilds_and_nothing_of_the_connection(self, room: Tearoom) -> None:
        ready = guilds.ready(room.world.state, room.bot)

        assert [{"id": room.guild.id, "unavailable": True}] == ready["guilds"]
        assert (room.bot.id, room.bot.application) == (ready["user"]["id"], ready["application"]["id"])
        assert ready.keys().isdisjoint({"session_id", "resume_gateway_url", "shard"})

    def test_an_application_has_what_clients_read(self, room: Tearoom) -> None:
        needed = {"id", "name", "description", "icon", "bot_public", "bot_require_code_grant", "owner", "verify_key"}

        assert needed <= guilds.application(room.world.state, room.bot).keys()

    def test_a_guild_is_told_with_what_the_bot_can_see(self, room: Tearoom) -> None:
        hidden = room.world.add_channel(room.guild, "hidden")
        room.world.overwrite(hidden, room.bot, deny=P.VIEW_CHANNEL)
        thread = room.world.add_thread(room.channel, "aside")
        room.world.add_thread(room.channel, "secret", private=True)
        room.world.archive(room.world.add_thread(room.channel, "old"))
        forum = room.world.add_channel(room.guild, "forum", kind=ChannelKind.FORUM)

        guild = guilds.created(room.world.state, room.guild.id, room.bot)

        assert ([room.channel, forum], [thread]) == (
            [one["id"] for one in guild["channels"]],
            [one["id"] for one in guild["threads"]],
        )
        assert 3 == guild["member_count"] == len(guild["members"])
        assert guild.keys() >= {"id", "name", "owner_id", "roles", "emojis", "joined_at", "afk_channel_id", "features"}
        json.dumps(guild)


def test_of_itself_a_bot_is_told_more_than_of_others() -> None:
    room = Tearoom()

    assert (False, True) == tuple(
        guilds.ready(room.world.state, room.bot)["user"][name] for name in ("mfa_enabled", "verified")
    )
    assert "email" not in room.world.get_user(room.bot.id, room.ben.id)


def test_without_a_token_nobody_is_logged_in() -> None:
    room = Tearoom()
    room.world.add_bot("Other", token="")

    assert (401, 0) == refused(lambda: guilds.authenticate(room.world.state, ""))
