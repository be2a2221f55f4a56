"""The little world of a simulation."""

from __future__ import annotations

import pytest

from cadenza.bot.demo_server import DemoServer


def test_there_is_a_server_a_channel_the_bot_and_whoever_sits_here() -> None:
    scenery = DemoServer("Mia")

    scenery.me.says(scenery.general, "hello")

    assert "Mia: hello\n" == scenery.world.transcript(scenery.general)
    assert {"@mia": scenery.me.id, "@cadenza": scenery.bot, "#general": scenery.general} == scenery.names()


def test_others_come_in_when_they_are_named_and_stay_who_they_are() -> None:
    scenery = DemoServer("Mia")

    tom = scenery.person("Tom")
    tom.says(scenery.general, "hey")

    assert scenery.person("tom") is tom
    assert scenery.person("") is scenery.me
    assert scenery.direct(tom) == scenery.direct(tom) != scenery.direct(scenery.me)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("@Cadenza hi", "<@{bot}> hi"), ("hi @MIA!", "hi <@{me}>!"), ("me@cadenza.example", "me@cadenza.example"), ("@nobody", "@nobody")],
    ids=str,
)  # fmt: skip
def test_who_is_named_is_called_as_discord_does(text: str, expected: str) -> None:
    scenery = DemoServer("Mia")

    assert expected.format(bot=scenery.bot, me=scenery.me.id) == scenery.addressed(text)


def test_the_bot_is_called_as_its_character_is_also_with_a_blank_in_it() -> None:
    scenery = DemoServer("Ren", "Ren Sato")

    assert f"<@{scenery.bot}>, <@{scenery.me.id}>?" == scenery.addressed("@ren sato, @Ren?")


def test_a_further_channel_can_be_named() -> None:
    scenery = DemoServer("Mia")

    tool_runner = scenery.add_channel("Workshop")

    assert tool_runner == scenery.names()["#workshop"]
    assert scenery.general == scenery.names()["#general"]
    assert scenery.me.says(tool_runner, "Hello")
