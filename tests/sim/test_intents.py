from __future__ import annotations

import pytest

from cadenza.sim.intents import ALL, PRIVILEGED, Intent, as_seen, hears
from cadenza.sim.wire import GatewayEvent, Json

BOT = "100"
NONE = Intent(0)


@pytest.mark.parametrize(
    ("name", "guild", "direct"),
    [
        pytest.param("MESSAGE_CREATE", Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES, id="message"),
        pytest.param("MESSAGE_DELETE_BULK", Intent.GUILD_MESSAGES, Intent.DIRECT_MESSAGES, id="many deleted"),
        pytest.param(
            "MESSAGE_REACTION_ADD", Intent.GUILD_MESSAGE_REACTIONS, Intent.DIRECT_MESSAGE_REACTIONS, id="reaction"
        ),
        pytest.param("TYPING_START", Intent.GUILD_MESSAGE_TYPING, Intent.DIRECT_MESSAGE_TYPING, id="typing"),
        pytest.param("GUILD_CREATE", Intent.GUILDS, NONE, id="guild"),
        pytest.param("GUILD_ROLE_UPDATE", Intent.GUILDS, NONE, id="role"),
        pytest.param("CHANNEL_DELETE", Intent.GUILDS, NONE, id="channel"),
        pytest.param("THREAD_CREATE", Intent.GUILDS, NONE, id="thread"),
        pytest.param("GUILD_MEMBER_ADD", Intent.GUILD_MEMBERS, NONE, id="member"),
        pytest.param("GUILD_EMOJIS_UPDATE", Intent.GUILD_EXPRESSIONS, NONE, id="emoji"),
        pytest.param("WEBHOOKS_UPDATE", Intent.GUILD_WEBHOOKS, NONE, id="webhooks"),
    ],
)
def test_an_event_needs_its_intent(name: str, guild: Intent, direct: Intent) -> None:
    assert hears(GatewayEvent(name, {}, guild="1"), guild, BOT)
    assert not hears(GatewayEvent(name, {}, guild="1"), ALL & ~guild, BOT)
    assert hears(GatewayEvent(name, {}), direct, BOT)
    assert (direct == NONE) is hears(GatewayEvent(name, {}), ALL & ~direct, BOT)


@pytest.mark.parametrize("name", ["INTERACTION_CREATE", "USER_UPDATE", "GUILD_MEMBERS_CHUNK", "SOMETHING_NEW"])
def test_some_events_need_none(name: str) -> None:
    assert hears(GatewayEvent(name, {}, guild="1"), NONE, BOT)


def test_of_itself_a_bot_is_always_told() -> None:
    assert hears(GatewayEvent("GUILD_MEMBER_UPDATE", {"user": {"id": BOT}}, guild="1"), NONE, BOT)
    assert not hears(GatewayEvent("GUILD_MEMBER_UPDATE", {"user": {"id": "200"}}, guild="1"), NONE, BOT)


def test_those_that_are_privileged_are_three() -> None:
    assert Intent.GUILD_MEMBERS | Intent.GUILD_PRESENCES | Intent.MESSAGE_CONTENT == PRIVILEGED


def _message(**more: object) -> Json:
    said: Json = {
        "id": "1",
        "content": "hello",
        "embeds": [{"title": "a"}],
        "attachments": [{"id": "2"}],
        "components": [{"type": 1}],
        "mentions": [],
        "author": {"id": "200"},
    }
    return {**said, **more}


def _content(event: GatewayEvent, intents: Intent = NONE) -> tuple[object, ...]:
    seen = as_seen(event, intents, BOT)
    return tuple(seen[name] for name in ("content", "embeds", "attachments", "components"))


WHOLE = ("hello", [{"title": "a"}], [{"id": "2"}], [{"type": 1}])
BLANK = ("", [], [], [])


@pytest.mark.parametrize(
    ("message", "guild", "intents", "seen"),
    [
        pytest.param(_message(), "1", NONE, BLANK, id="of others"),
        pytest.param(_message(), "1", Intent.MESSAGE_CONTENT, WHOLE, id="with the intent"),
        pytest.param(_message(), None, NONE, WHOLE, id="in direct messages"),
        pytest.param(_message(author={"id": BOT}), "1", NONE, WHOLE, id="its own"),
        pytest.param(_message(mentions=[{"id": "7"}, {"id": BOT}]), "1", NONE, WHOLE, id="mentioned"),
        pytest.param(_message(mentions=[{"id": "7"}]), "1", NONE, BLANK, id="others mentioned"),
    ],
)
@pytest.mark.parametrize("name", ["MESSAGE_CREATE", "MESSAGE_UPDATE"])
def test_content_is_for_those_who_may_read_it(
    name: str, message: Json, guild: str | None, intents: Intent, seen: tuple[object, ...]
) -> None:
    assert seen == _content(GatewayEvent(name, message, guild=guild), intents)


def test_what_is_blank_is_only_so_for_that_bot() -> None:
    message = _message()

    as_seen(GatewayEvent("MESSAGE_CREATE", message, guild="1"), NONE, BOT)

    assert "hello" == message["content"]


def test_what_a_message_answers_is_shown_by_its_own_right() -> None:
    mine = _message(referenced_message=_message(author={"id": BOT}))
    others = _message(author={"id": BOT}, referenced_message=_message())

    assert "" == as_seen(GatewayEvent("MESSAGE_CREATE", mine, guild="1"), NONE, BOT)["content"]
    assert (
        "hello" == as_seen(GatewayEvent("MESSAGE_CREATE", mine, guild="1"), NONE, BOT)["referenced_message"]["content"]
    )
    assert "" == as_seen(GatewayEvent("MESSAGE_CREATE", others, guild="1"), NONE, BOT)["referenced_message"]["content"]


def test_nothing_is_added_to_what_an_update_leaves_out() -> None:
    assert {"id": "1"} == as_seen(GatewayEvent("MESSAGE_UPDATE", {"id": "1", "poll": {}}, guild="1"), NONE, BOT)


def test_a_guild_shows_all_its_members_only_with_presences() -> None:
    members = [{"user": {"id": BOT}}, {"user": {"id": "200"}}]
    guild = GatewayEvent("GUILD_CREATE", {"id": "1", "members": members, "presences": [{}]}, guild="1")

    assert members[:1] == as_seen(guild, ALL & ~Intent.GUILD_PRESENCES, BOT)["members"]
    assert members == as_seen(guild, ALL, BOT)["members"]
