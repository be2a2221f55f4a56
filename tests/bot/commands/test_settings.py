from __future__ import annotations

from dataclasses import replace
from types import MappingProxyType
from typing import Any

from cadenza.bot.commands.settings import commands
from cadenza.bot.config.config import Config, ConversationConfig
from cadenza.bot.services.choices import Choice
from cadenza.bot.services.choosable import choosable
from cadenza.settings import Settings
from tests.bot.command_room import CommandRoom, command_room


def settings(**chosen: object) -> Choice:
    return Choice(settings=MappingProxyType(chosen))


async def of_server(room: CommandRoom) -> Choice:
    return await room.services.choices.of_server(room.guild.id)


async def test_any_setting_is_chosen_by_its_name() -> None:
    async with command_room(commands) as room:
        told = await room.use(room.mia, "config set", name="temperature", value="0.5")
        assert "Set for this server: `temperature` = 0.5." == told
        assert settings(temperature=0.5) == await of_server(room)

        told = await room.use(room.mia, "config set", name="label_guard", value="off", where="channel")
        assert "Set for this channel: `label_guard` = off." == told
        assert settings(label_guard=False) == await room.services.choices.of_channel(room.general)

        told = await room.use(room.mia, "config set", name="stop_strings", value="###, END")
        assert "Set for this server: `stop_strings` = `###`, `END`." == told
        assert settings(temperature=0.5, stop_strings=["###", "END"]) == await of_server(room)


WRONG = (
    ("degree", "9", "`degree` takes a whole number from 0 to 3, not `9`."),
    ("shape", "blobs", "`shape` takes one of `reply`, `blocks`, `lines`, `sentences`, not `blobs`."),
    ("top_k", "-1", "`top_k` takes a number, at least 0, not `-1`."),
    ("top_p", "two", "`top_p` takes a number from 0 to 1, not `two`."),
    ("label_guard", "perhaps", "`label_guard` takes on or off, not `perhaps`."),
    ("tables", "paper", "`tables` takes one of `picture`, `text`, `source`, not `paper`."),
    ("proxy", "x", "A server cannot change a setting `proxy`; pick one from the list."),
    ("`@here`", "x", "A server cannot change a setting `ˋ@hereˋ`; pick one from the list."),
)


async def test_what_is_not_right_is_refused_in_one_sentence() -> None:
    async with command_room(commands) as room:
        for name, value, told in WRONG:
            assert told == await room.use(room.mia, "config set", name=name, value=value)
        assert Choice() == await of_server(room)


async def test_settings_and_their_values_are_suggested() -> None:
    async with command_room(commands) as room:
        names = {setting.name for setting in choosable()}
        suggested = await room.suggest(room.mia, "config set", "name", "")
        assert 25 == len(suggested)
        assert names.issuperset(suggested)
        assert "degree" == (await room.suggest(room.mia, "config set", "name", "DEGR"))[0]

        assert ["0", "1", "2", "3"] == await room.suggest(room.mia, "config set", "value", "", name="degree")
        assert ["on"] == await room.suggest(room.mia, "config set", "value", "on", name="label_guard")
        assert ["text"] == await room.suggest(room.mia, "config set", "value", "TE", name="tables")
        assert [] == await room.suggest(room.mia, "config set", "value", "", name="proxy")


CASES: tuple[tuple[str, dict[str, Any], Choice], ...] = (
    ("shape", {"shape": "blocks"}, settings(shape="blocks")),
    ("shape", {"shape": "lines", "typing": True, "casual": False}, settings(shape="lines", typing=True, casual=False)),
    ("limits", {"messages": 0, "length": 500}, settings(message_limit=0, limit=500)),
    ("limits", {"rest": "notice", "code": 2}, settings(when_full="notice", code_file=2)),
    ("guards", {"labels": False, "speakers": True}, settings(label_guard=False, speaker_guard=True)),
    (
        "guards",
        {"emoji": False, "unknown": "strip", "spaces": True, "dots": "*"},
        settings(use_emoji=False, unknown_emoji="strip", unicode_spaces=True, sanitise="*"),
    ),
)


async def test_the_settings_with_words_of_their_own_are_chosen_by_managers_alone() -> None:
    async with command_room(commands) as room:
        for name, options, chosen in CASES:
            assert "“Manage Server”" in await room.use(room.tom, f"config {name}", **options)
            assert Choice() == await of_server(room)

            assert (await room.use(room.mia, f"config {name}", **options)).startswith("Set for this server: ")
            assert chosen == await of_server(room)
            Settings.of(**chosen.settings)
            await room.services.choices.change_server(room.guild.id, lambda _: Choice())


async def test_a_choice_is_taken_back() -> None:
    async with command_room(commands) as room:
        choices = room.services.choices
        both = Choice(settings=MappingProxyType({"degree": 1, "limit": 500}), every=3, model="quick")
        await choices.change_server(room.guild.id, lambda _: both)
        await choices.change_channel(room.general, room.guild.id, lambda _: Choice(history=9))

        suggested = await room.suggest(room.mia, "config reset", "name", "")
        assert ["everything", "degree", "every", "history", "limit", "model"] == suggested

        assert "`degree` was reset for this server." == await room.use(room.mia, "config reset", name="degree")
        assert "`every` was reset for this server." == await room.use(room.mia, "config reset", name="every")
        assert "`every` is not set here." == await room.use(room.mia, "config reset", name="every")
        assert "`nonsense` is not set here." == await room.use(room.mia, "config reset", name="nonsense")
        assert Choice(settings=MappingProxyType({"limit": 500}), model="quick") == await of_server(room)

        told = await room.use(room.mia, "config reset", name="everything", where="channel")
        assert "`everything` was reset for this channel." == told
        assert Choice() == await choices.of_channel(room.general)
        assert Choice() != await of_server(room)


async def test_it_is_shown_what_holds_and_who_has_chosen_it() -> None:
    config = Config(settings=Settings.of(degree=0), conversation=ConversationConfig(history=40))
    async with command_room(commands, config=config) as room:
        choices = room.services.choices
        await choices.change_server(room.guild.id, lambda _: Choice(every=7, mentions=False, thought_log="5"))
        await choices.change_channel(room.general, room.guild.id, lambda _: settings(degree=1))

        await room.use(room.mia, "config show")

        assert room.is_ephemeral
        [embed] = room.answers[0]["embeds"]
        lines = embed["description"].splitlines()
        assert "**every** 7 · this server" in lines
        assert "**mentions** off · this server" in lines
        assert "**thought_log** <#5> · this server" in lines
        assert "**degree** 1 · this channel" in lines
        assert "history 40" in lines
        assert not any("limit " in line and "match" not in line and "cascade" not in line for line in lines)


async def test_a_degree_replaces_a_shape_that_was_chosen_before_and_a_shape_goes_over_a_degree() -> None:
    async with command_room(commands) as room:
        await room.use(room.mia, "config shape", shape="blocks", casual=True)
        await room.use(room.mia, "config set", name="degree", value="2")
        assert settings(degree=2) == await of_server(room)

        await room.use(room.mia, "config shape", shape="sentences")
        await room.use(room.mia, "config show")

        lines = room.answers[0]["embeds"][0]["description"].splitlines()
        assert {"**degree** 2 · this server", "**shape** `sentences` · this server"}.issubset(lines)


async def test_the_shape_in_force_is_shown_where_none_was_chosen() -> None:
    async with command_room(commands, config=Config(settings=Settings.of(shape="blocks"))) as room:
        await room.use(room.mia, "config show")
        assert "shape `blocks`" in room.answers[0]["embeds"][0]["description"].splitlines()

        await room.use(room.mia, "config set", name="degree", value="0", where="channel")
        await room.use(room.mia, "config show")
        assert "shape `reply`" in room.answers[0]["embeds"][0]["description"].splitlines()


async def test_who_may_not_manage_the_server_sees_and_changes_nothing() -> None:
    uses = {"show": {}, "set": {"name": "degree", "value": "1"}, "reset": {"name": "everything"}}
    async with command_room(commands) as room:
        await room.services.choices.change_server(room.guild.id, lambda _: Choice(every=3))
        for name, options in uses.items():
            told = await room.use(room.tom, f"config {name}", **options)
            assert "You need the permission “Manage Server” for this." == told
            assert [] == room.answers[0]["embeds"]
        assert Choice(every=3) == await of_server(room)


async def test_where_the_configuration_has_everything_answered_that_is_shown_also_in_threads() -> None:
    async with command_room(commands) as room:
        thread = room.world.add_thread(room.general, "aside")
        for channels, told in (((), "always off"), ((room.general,), "always on")):
            talk = ConversationConfig(channels=channels)
            room.services.config.change(replace(room.services.config.now, conversation=talk))
            for place in (room.general, thread):
                await room.use(room.mia, "config show", channel=place)
                assert told in room.answers[0]["embeds"][0]["description"].splitlines()


async def test_a_thread_is_shown_what_its_channel_has_chosen() -> None:
    async with command_room(commands) as room:
        thread = room.world.add_thread(room.general, "aside")
        await room.services.choices.change_channel(room.general, room.guild.id, lambda _: Choice(every=4))

        await room.use(room.mia, "config show", channel=thread)

        assert "**every** 4 · this channel" in room.answers[0]["embeds"][0]["description"]
