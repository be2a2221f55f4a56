"""The grounds: who is there, where they talk, and what the bot is told of it."""

from __future__ import annotations

import pytest

from cadenza.bot.config.config import Config, ConversationConfig
from cadenza.errors import InputError
from cadenza.play.server.world import adapted, bot_name, built_in, laid_out


def test_there_are_three_people_three_channels_and_direct_messages() -> None:
    play_world = laid_out("Cadenza")

    assert ["You", "Mia", "Jo"] == [person.name for person in play_world.people]
    assert [("general", "text"), ("stargazers", "text"), ("workshop", "text"), ("Cadenza", "direct")] == [
        (channel.name, channel.sort) for channel in play_world.channels
    ]
    for channel in play_world.channels:
        assert play_world.me.says(channel.id, "Hello")


def test_all_of_them_have_a_role_that_can_be_called() -> None:
    play_world = laid_out("Cadenza")
    [crew] = [
        role["id"]
        for role in play_world.demo_server.world.get_roles(play_world.me.id, play_world.demo_server.guild.id)
        if role["mentionable"]
    ]

    said = play_world.people[1].says(play_world.places[0], f"<@&{crew}>, tea is ready!")

    assert {play_world.me.id, play_world.people[2].id} == set(
        play_world.demo_server.world.pinged(play_world.places[0], said)
    )


def test_one_can_speak_as_those_and_nobody_else() -> None:
    play_world = laid_out("Cadenza")

    assert play_world.me is play_world.person(None)
    assert "Mia" == play_world.person(play_world.people[1].id).name
    with pytest.raises(InputError):
        play_world.person(play_world.demo_server.bot)


def test_every_channel_is_answered_and_what_a_file_says_stays() -> None:
    play_world = laid_out("Cadenza")
    config = adapted(Config(conversation=ConversationConfig(channels=("7",), replies=False)), play_world, "ja")

    assert ("7", *play_world.places) == config.conversation.channels
    assert not config.conversation.replies
    assert ("ja", 0) == (config.language, config.metrics.port)


def test_the_cast_has_faces_and_names() -> None:
    cast = built_in().personas

    assert "Cadenza" == bot_name(built_in())
    assert [True, False] == [character.is_main for character in cast]
    assert all(sprite.avatar.startswith("data:image/png") for character in cast for sprite in character.sprites)
    assert cast[1].avatar.startswith("data:image/png")
