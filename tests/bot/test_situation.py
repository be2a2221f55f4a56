"""What a model is told of where it is."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest

from cadenza.bot.situation import company, emoji, manners, place, time
from cadenza.types import ContextItem, Note, Persona, Role, Sprite, Tag

NOW = datetime(2026, 11, 16, 1, 40, tzinfo=UTC)
GUILD: Any = SimpleNamespace(name="Home\nsweet home")
GENERAL: Any = SimpleNamespace(name="general", topic="Tea.\nAnd cake.")


def text(item: ContextItem | None) -> str:
    """What an item says."""
    assert item is not None
    return "\n".join(part for part in item.parts if isinstance(part, str))


@pytest.mark.parametrize(
    ("channel", "guild", "expected"),
    [
        pytest.param(
            GENERAL,
            GUILD,
            "This is the channel #general of the server “Home sweet home”. It is about: Tea. And cake.",
            id="a channel",
        ),
        pytest.param(
            SimpleNamespace(name="cake", parent=GENERAL),
            GUILD,
            "This is the thread “cake” of the channel #general of the server “Home sweet home”. It is about: Tea. And cake.",
            id="a thread",
        ),
        pytest.param(
            SimpleNamespace(name="voice"),
            GUILD,
            "This is the channel #voice of the server “Home sweet home”.",
            id="no topic",
        ),
        pytest.param(SimpleNamespace(), None, "This is a private conversation with Mia.", id="in private"),
    ],
)
def test_the_place_is_told(channel: Any, guild: Any, expected: str) -> None:
    item = place(channel, guild, "Mia")

    assert f"[System: {expected}]" == text(item)
    assert (Tag.CURRENT_CONTEXT, Role.USER) == (item.tag, item.role)


def test_a_topic_is_not_told_without_end() -> None:
    assert 500 > len(text(place(SimpleNamespace(name="general", topic="x" * 1024), GUILD, "Mia")))


def test_the_time_is_told_near_the_end() -> None:
    assert Note("It is Monday, 16 November 2026, 01:40 UTC.", 1) == time(NOW, depth=1)


def test_who_is_there_is_told_in_an_order_that_does_not_change_with_who_spoke_last() -> None:
    assert company(["Tom", "ada", "Mia"], [], can_call_characters=True) == company(
        ["Mia", "Tom", "ada"], [], can_call_characters=True
    )


def test_who_is_there_is_told() -> None:
    told = company(["Mia", "Tom [tom.k]"], ["Ren"], can_call_characters=True)

    assert (
        "[System: In this conversation: Mia, Tom [tom.k]. Other characters here: Ren. "
        "Write @ and a name to ping somebody. A character who is called by name may answer.]"
    ) == text(told)
    assert "may answer" not in text(company(["Mia"], ["Ren"], can_call_characters=False))
    assert "Other characters" not in text(company(["Mia"], [], can_call_characters=True))
    assert company([], [], can_call_characters=True) is None


def test_of_many_only_some_are_named() -> None:
    told = text(company([f"P{number}" for number in range(100)], [], can_call_characters=False))

    assert "P9 and 70 more." in told
    assert "P30" not in told
    assert "P30" not in told


def test_emoji_are_listed_up_to_a_bound() -> None:
    assert text(emoji(["wave", "hug"])).endswith(": :wave: :hug:")
    assert emoji([]) is None
    assert 2000 > len(text(emoji([f"emoji_{number}" for number in range(500)])))


def test_how_to_show_a_sprite_is_told_to_who_has_one() -> None:
    assert "'Ren (sprite): '" in text(manners(Persona("Ren", sprites=(Sprite("mad"),))))
    assert "(sprite)" not in text(manners(Persona("Ren")))
