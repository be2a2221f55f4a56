"""The little world of a simulation."""

from __future__ import annotations

import pytest

from cadenza.bot.demo_server import DemoServer


def test_there_is_a_server_a_channel_the_bot_and_whoever_sits_here() -> None:
    demo_server = DemoServer("Mia")

    demo_server.me.says(demo_server.general, "hello")

    assert "Mia: hello\n" == demo_server.world.transcript(demo_server.general)
    assert {
        "@mia": demo_server.me.id,
        "@cadenza": demo_server.bot,
        "#general": demo_server.general,
    } == demo_server.names()


def test_others_come_in_when_they_are_named_and_stay_who_they_are() -> None:
    demo_server = DemoServer("Mia")

    tom = demo_server.person("Tom")
    tom.says(demo_server.general, "hey")

    assert demo_server.person("tom") is tom
    assert demo_server.person("") is demo_server.me
    assert demo_server.direct(tom) == demo_server.direct(tom) != demo_server.direct(demo_server.me)


@pytest.mark.parametrize(
    ("text", "expected"),
    [("@Cadenza hi", "<@{bot}> hi"), ("hi @MIA!", "hi <@{me}>!"), ("me@cadenza.example", "me@cadenza.example"), ("@nobody", "@nobody")],
    ids=str,
)  # fmt: skip
def test_who_is_named_is_called_as_discord_does(text: str, expected: str) -> None:
    demo_server = DemoServer("Mia")

    assert expected.format(bot=demo_server.bot, me=demo_server.me.id) == demo_server.addressed(text)


def test_the_bot_is_called_as_its_character_is_also_with_a_blank_in_it() -> None:
    demo_server = DemoServer("Ren", "Ren Sato")

    assert f"<@{demo_server.bot}>, <@{demo_server.me.id}>?" == demo_server.addressed("@ren sato, @Ren?")


def test_a_further_channel_can_be_named() -> None:
    demo_server = DemoServer("Mia")

    workshop = demo_server.add_channel("Workshop")

    assert workshop == demo_server.names()["#workshop"]
    assert demo_server.general == demo_server.names()["#general"]
    assert demo_server.me.says(workshop, "Hello")
