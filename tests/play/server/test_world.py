"""The grounds: who is there, where they talk, and what the bot is told of it."""

from __future__ import annotations

import pytest

from cadenza.bot.config.config import Config, ConversationConfig
from cadenza.errors import InputError
from cadenza.play.server.world import adapted, bot_name, built_in, laid_out


def test_there_are_three_people_three_channels_and_direct_messages() -> None:
    grounds = laid_out("Cadenza")

    assert ["You", "Mia", "Jo"] == [person.name for person in grounds.people]
    assert [("general", "text"), ("stargazers", "text"), ("workshop", "text"), ("Cadenza", "direct")] == [
        (channel.name, channel.sort) for channel in grounds.channels
    ]
    for channel in grounds.channels:
        assert grounds.me.says(channel.id, "Hello")


def test_all_of_them_have_a_role_that_can_be_called() -> None:
    grounds = laid_out("Cadenza")
    [crew] = [
        role["id"]
        for role in grounds.scenery.world.get_roles(grounds.me.id, grounds.scenery.guild.id)
        if role["mentionable"]
    ]

    said = grounds.people[1].says(grounds.places[0], f"<@&{crew}>, tea is ready!")

    assert {grounds.me.id, grounds.people[2].id} == set(grounds.scenery.world.pinged(grounds.places[0], said))


def test_one_can_speak_as_those_and_nobody_else() -> None:
    grounds = laid_out("Cadenza")

    assert grounds.me is grounds.person(None)
    assert "Mia" == grounds.person(grounds.people[1].id).name
    with pytest.raises(InputError):
        grounds.person(grounds.scenery.bot)


def test_every_channel_is_answered_and_what_a_file_says_stays() -> None:
    grounds = laid_out("Cadenza")
    config = adapted(Config(conversation=ConversationConfig(channels=("7",), replies=False)), grounds, "ja")

    assert ("7", *grounds.places) == config.conversation.channels
    assert not config.conversation.replies
    assert ("ja", 0) == (config.language, config.metrics.port)


def test_the_cast_has_faces_and_names() -> None:
    cast = built_in().personas

    assert "Cadenza" == bot_name(built_in())
    assert [True, False] == [character.is_main for character in cast]
    assert all(look.avatar.startswith("data:image/png") for character in cast for look in character.looks)
    assert cast[1].avatar.startswith("data:image/png")
