from __future__ import annotations

import pytest

from cadenza.sim import objects
from cadenza.sim.objects import ChannelKind, MessageKind
from cadenza.sim.permissions import Permission
from cadenza.sim.wire import Json

PARENT: Json = {"id": "2", "guild_id": "1", "type": 0}


@pytest.mark.parametrize(
    ("shape", "needed"),
    [
        pytest.param(objects.user("1", "Ada"), "id username discriminator avatar", id="user"),
        pytest.param(objects.member({}, "t"), "user roles flags", id="member"),
        pytest.param(objects.role("1", "r", Permission.NONE, position=1), "id name permissions", id="role"),
        pytest.param(objects.emoji("1", "e"), "id name", id="emoji"),
        pytest.param(
            objects.channel("1", ChannelKind.TEXT, "c", guild="1", position=0, slowmode=0), "id type name position",
            id="channel",
        ),
        pytest.param(
            objects.channel("1", ChannelKind.VOICE, "c", guild="1", position=0, slowmode=0), "bitrate user_limit",
            id="voice channel",
        ),
        pytest.param(
            objects.channel("1", ChannelKind.FORUM, "c", guild="1", position=0, slowmode=0), "available_tags",
            id="forum",
        ),
        pytest.param(
            objects.thread("3", ChannelKind.PUBLIC_THREAD, "t", parent=PARENT, owner="4", at="t"),
            "id type parent_id name owner_id message_count member_count thread_metadata", id="thread",
        ),
        pytest.param(
            objects.thread("3", ChannelKind.PUBLIC_THREAD, "t", parent={**PARENT, "type": 15}, owner="4", at="t"),
            "applied_tags", id="post",
        ),
        pytest.param(objects.direct("1", {}), "id type recipients", id="direct messages"),
        pytest.param(objects.guild("1", "g", "2"), "id name owner_id afk_channel_id features", id="guild"),
        pytest.param(objects.message("1", "2", {}, "c", "t"), "id channel_id author content type attachments", id="message"),
    ],
)  # fmt: skip
def test_what_clients_need_is_there(shape: Json, needed: str) -> None:
    assert set(needed.split()) <= shape.keys()


def test_a_private_thread_says_who_may_invite() -> None:
    thread = objects.thread("3", ChannelKind.PRIVATE_THREAD, "t", parent=PARENT, owner="4", at="t")

    assert thread["thread_metadata"]["invitable"]


def test_names_of_people_are_shown_as_given_and_called_without_spaces() -> None:
    user, webhook = objects.user("1", "Ada  Lovelace"), objects.webhook_user("1", "The Bard", None)

    assert ("Ada  Lovelace", "ada_lovelace") == (user["global_name"], user["username"])
    assert ("The Bard", None) == (webhook["username"], webhook["global_name"])


def test_a_copy_shares_nothing() -> None:
    value = {"a": [{"b": 1}], "c": "d"}
    copy = objects.copied(value)
    copy["a"][0]["b"] = 2

    assert {"a": [{"b": 1}], "c": "d"} == value


def test_which_channels_are_threads_and_which_have_webhooks() -> None:
    threads = {ChannelKind.ANNOUNCEMENT_THREAD, ChannelKind.PUBLIC_THREAD, ChannelKind.PRIVATE_THREAD}

    assert threads == {kind for kind in ChannelKind if kind.is_thread}
    assert threads | {ChannelKind.DIRECT, ChannelKind.CATEGORY} == {
        kind for kind in ChannelKind if not kind.has_webhooks
    }


def test_which_messages_nobody_has_written() -> None:
    written = {MessageKind.DEFAULT, MessageKind.REPLY, MessageKind.CHAT_INPUT_COMMAND}
    assert set(MessageKind) - written == {kind for kind in MessageKind if kind.is_system}
