"""Messages on their way in: who may send which where, nonces, replies, slow mode, and who is called."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from cadenza.sim.permissions import Permission
from cadenza.sim.wire import File, Json, Refusal
from cadenza.sim.world import ChannelKind
from tests.sim.tearoom import Tearoom, refused, wrong_field

P = Permission


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_a_message_is_stored_and_told_of_with_where_and_by_whom(room: Tearoom) -> None:
    message = room.sends("  hello  ")

    assert "hello" == message["content"]
    assert [message] == room.world.messages(room.channel)
    (event,) = room.events
    assert ("MESSAGE_CREATE", room.guild.id, frozenset({room.bot.id})) == (event.name, event.guild, event.bots)
    assert room.guild.id == event.data["guild_id"]
    assert "user" not in event.data["member"]
    assert {**message, "guild_id": room.guild.id, "member": event.data["member"]} == event.data


def test_what_is_given_out_is_not_what_is_kept(room: Tearoom) -> None:
    room.sends("hello", embeds=[{"title": "a"}])["embeds"].clear()
    room.events[0].data["content"] = "changed"

    (kept,) = room.world.messages(room.channel)
    assert ("hello", 1) == (kept["content"], len(kept["embeds"]))


Action = Callable[[Tearoom], object]


def in_forum(room: Tearoom) -> object:
    forum = room.world.add_channel(room.guild, "forum", kind=ChannelKind.FORUM)
    return room.world.create_message(room.bot.id, forum, {"content": "hi"})


def in_category(room: Tearoom) -> object:
    category = room.world.add_channel(room.guild, "rooms", kind=ChannelKind.CATEGORY)
    return room.world.create_message(room.bot.id, category, {"content": "hi"})


def denied(permission: Permission, **payload: object) -> Action:
    def action(room: Tearoom) -> object:
        room.world.overwrite(room.channel, room.bot, deny=permission)
        files = [File("a", b"a")] if payload.pop("files", None) else []
        return room.world.create_message(room.bot.id, room.channel, {"content": "hi", **payload}, files)

    return action


def timed_out(seconds: float, later: float) -> Action:
    def action(room: Tearoom) -> object:
        room.world.time_out(room.guild, room.bot, seconds)
        room.time += later
        return room.sends()

    return action


def to_closed(room: Tearoom) -> object:
    direct = room.world.open_direct(room.bot, room.cleo)
    room.world.close_direct(room.cleo)
    return room.world.create_message(room.bot.id, direct, {"content": "hi"})


def to_stranger(room: Tearoom) -> object:
    direct = room.world.open_direct(room.bot, room.cleo)
    return room.world.create_message(room.bot.id, direct, {"content": "hi"})


def to_reopened(room: Tearoom) -> object:
    to = room.world.open_direct(room.bot, room.ben)
    room.world.close_direct(room.ben)
    room.world.close_direct(room.ben, is_closed=False)
    return room.world.create_message(room.bot.id, to, {"content": "hi"})


def to_archived(*, locked: bool) -> Action:
    def action(room: Tearoom) -> object:
        thread = room.world.add_thread(room.channel, "aside")
        room.world.archive(thread, locked=locked)
        return room.world.create_message(room.bot.id, thread, {"content": "hi"})

    return action


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        pytest.param(lambda room: room.sends(), None, id="a member may speak"),
        pytest.param(lambda room: room.world.create_message(room.bot.id, "1", {"content": "a"}), (404, 10003), id="unknown channel"),
        pytest.param(lambda room: room.cleo.says(room.channel, "a"), (403, 50001), id="who is not there has no access"),
        pytest.param(denied(P.VIEW_CHANNEL), (403, 50001), id="nor who cannot see it"),
        pytest.param(denied(P.SEND_MESSAGES), (403, 50013), id="who may not send"),
        pytest.param(denied(P.ATTACH_FILES), None, id="without files the permission for them is not needed"),
        pytest.param(denied(P.ATTACH_FILES, files=True), (403, 50013), id="with files it is"),
        pytest.param(denied(P.EMBED_LINKS), None, id="likewise without embeds"),
        pytest.param(denied(P.EMBED_LINKS, embeds=[{"title": "a"}]), (403, 50013), id="and with them"),
        pytest.param(timed_out(60, 59), (403, 50013), id="who is timed out"),
        pytest.param(timed_out(60, 61), None, id="and is not any more"),
        pytest.param(in_forum, (400, 50008), id="a forum itself"),
        pytest.param(in_category, (400, 50008), id="a category"),
        pytest.param(to_closed, (403, 50007), id="direct messages that are closed"),
        pytest.param(to_reopened, None, id="and opened again"),
        pytest.param(to_stranger, (403, 50278), id="somebody whom the bot meets nowhere"),
        pytest.param(to_archived(locked=False), None, id="an archived thread"),
        pytest.param(to_archived(locked=True), (403, 160005), id="a locked one"),
        pytest.param(lambda room: room.sends(""), (400, 50006), id="an empty message"),
        pytest.param(lambda room: room.sends("a" * 2001), (400, 50035), id="one that is too long"),
    ],
)  # fmt: skip
def test_who_may_speak_where(room: Tearoom, action: Action, expected: tuple[int, int] | None) -> None:
    assert expected == refused(lambda: action(room))


def test_what_is_refused_is_neither_stored_nor_told(room: Tearoom) -> None:
    refused(lambda: room.sends("a", nonce="n" * 26))
    refused(lambda: room.sends("a", message_reference={"message_id": "1"}))
    refused(lambda: room.sends("a", allowed_mentions={"parse": ["x"]}))

    assert ([], []) == (room.contents(), room.events)


class TestNonces:
    def test_under_the_same_nonce_the_same_message_comes_back(self, room: Tearoom) -> None:
        first = room.sends("a", nonce="x", enforce_nonce=True)

        assert first == room.sends("a", nonce="x", enforce_nonce=True)
        assert (["a"], ["MESSAGE_CREATE"]) == (room.contents(), room.heard())

    @pytest.mark.parametrize(
        ("seconds", "count"), [pytest.param(299, 1, id="for minutes"), pytest.param(301, 2, id="not for ever")]
    )
    def test_it_is_remembered_for_some_time(self, room: Tearoom, seconds: float, count: int) -> None:
        room.sends("a", nonce="x", enforce_nonce=True)
        room.time += seconds
        room.sends("a", nonce="x", enforce_nonce=True)

        assert count == len(room.contents())

    @pytest.mark.parametrize(
        "fields",
        [
            pytest.param({"nonce": "x"}, id="not enforced"),
            pytest.param({"nonce": "y", "enforce_nonce": True}, id="another one"),
            pytest.param({"enforce_nonce": True}, id="none"),
        ],
    )
    def test_otherwise_it_is_a_new_message(self, room: Tearoom, fields: dict[str, Any]) -> None:
        room.sends("a", nonce="x", enforce_nonce=True)
        room.sends("a", **fields)

        assert ["a", "a"] == room.contents()

    def test_those_that_are_old_are_not_kept_for_ever(self, room: Tearoom) -> None:
        for number in range(50):
            room.sends("a", nonce=number)
            room.time += 100

        assert 3 >= len(room.world.state.nonces)

    def test_one_that_is_used_anew_is_remembered_anew(self, room: Tearoom) -> None:
        room.sends("a", nonce="x")
        room.time += 200
        second = room.sends("a", nonce="x")
        room.time += 200

        assert second["id"] == room.sends("a", nonce="x", enforce_nonce=True)["id"]

    def test_it_belongs_to_its_author(self, room: Tearoom) -> None:
        room.sends("a", nonce="x", enforce_nonce=True)
        room.world.create_message(room.ben.id, room.channel, {"content": "b", "nonce": "x", "enforce_nonce": True})

        assert ["a", "b"] == room.contents()

    def test_a_message_that_was_deleted_since_is_not_sent_again(self, room: Tearoom) -> None:
        first = room.sends("a", nonce="x", enforce_nonce=True)
        room.world.delete_message(room.bot.id, room.channel, first["id"])

        assert first["id"] == room.sends("a", nonce="x", enforce_nonce=True)["id"]
        assert [] == room.contents()


class TestReplies:
    def test_a_reply_shows_what_it_answers(self, room: Tearoom) -> None:
        asked = room.ada.says(room.channel, "tea?")

        reply = room.sends("yes", message_reference={"message_id": int(asked)})

        assert (19, "tea?") == (reply["type"], reply["referenced_message"]["content"])
        assert {"type": 0, "message_id": asked, "channel_id": room.channel, "guild_id": room.guild.id} == reply[
            "message_reference"
        ]

    def test_what_is_answered_is_shown_as_it_is_now(self, room: Tearoom) -> None:
        asked = room.ada.says(room.channel, "tea?")
        reply = room.sends("yes", message_reference={"message_id": asked})["id"]

        room.ada.edits(room.channel, asked, "coffee?")
        edited = room.world.get_message(room.bot.id, room.channel, reply)
        room.ada.deletes(room.channel, asked)
        gone = room.world.get_message(room.bot.id, room.channel, reply)

        assert ("coffee?", None) == (edited["referenced_message"]["content"], gone["referenced_message"])

    def test_to_a_message_that_is_gone_it_is_refused_or_a_plain_message(self, room: Tearoom) -> None:
        gone = {"message_id": "1"}

        assert "message_reference" == wrong_field(lambda: room.sends(message_reference=gone))
        assert 0 == room.sends(message_reference={**gone, "fail_if_not_exists": False})["type"]

    @pytest.mark.parametrize("reference", [{"message_id": "1", "channel_id": "5"}, "1"], ids=["elsewhere", "no object"])
    def test_a_reference_that_makes_no_sense_is_refused(self, room: Tearoom, reference: object) -> None:
        assert "message_reference" == wrong_field(lambda: room.sends(message_reference=reference))

    def test_nothing_is_forwarded(self, room: Tearoom) -> None:
        assert "message_reference.type" == wrong_field(lambda: room.sends(message_reference={"type": 1}))

    def test_system_messages_are_not_answered(self, room: Tearoom) -> None:
        room.world.add_thread(room.channel, "aside")
        line = room.world.messages(room.channel)[0]["id"]

        assert "message_reference" == wrong_field(lambda: room.sends(message_reference={"message_id": line}))

    def test_who_may_not_read_what_was_may_not_answer_it(self, room: Tearoom) -> None:
        asked = room.ada.says(room.channel, "tea?")
        room.world.overwrite(room.channel, room.bot, deny=P.READ_MESSAGE_HISTORY)

        assert (403, 160002) == refused(lambda: room.sends(message_reference={"message_id": asked}))
        assert refused(room.sends) is None


class TestSlowMode:
    def test_people_wait(self, room: Tearoom) -> None:
        slow = room.world.add_channel(room.guild, "slow", slowmode=30)
        room.ben.says(slow, "a")
        room.time += 20

        with pytest.raises(Refusal) as refusal:
            room.ben.says(slow, "b")
        room.time += 10
        room.ben.says(slow, "c")

        assert (429, 20016, 10.0) == (refusal.value.status, refusal.value.code, refusal.value.retry_after)
        assert ["a", "c"] == room.contents(slow)

    def test_bots_and_those_who_manage_do_not(self, room: Tearoom) -> None:
        slow = room.world.add_channel(room.guild, "slow", slowmode=30)
        for _ in range(2):
            room.ada.says(slow, "a")
            room.world.create_message(room.bot.id, slow, {"content": "b"})

        assert ["a", "b", "a", "b"] == room.contents(slow)


class TestCalls:
    @pytest.mark.parametrize(
        ("allowed", "rung"),
        [
            pytest.param(None, {"Ada", "Ben"}, id="nothing said: everybody"),
            pytest.param({"parse": []}, set(), id="nobody"),
            pytest.param({"parse": ["users"]}, {"Ada"}, id="who is named"),
            pytest.param({"parse": ["roles"]}, {"Ben"}, id="who has the role"),
            pytest.param({"parse": ["everyone"]}, {"Ada", "Ben"}, id="all"),
            pytest.param({"parse": [], "replied_user": True}, {"Ben"}, id="who is answered"),
        ],
    )
    def test_whose_phone_rings(self, room: Tearoom, allowed: Json | None, rung: set[str]) -> None:
        role = room.world.add_role(room.guild, "brewers", mentionable=True)
        room.world.give_role(room.guild, room.ben, role)
        asked = room.ben.says(room.channel, "tea?")
        text = f"@everyone {room.ada.mention} <@&{role}>"

        fields = {} if allowed is None else {"allowed_mentions": allowed}
        message = room.sends(text, message_reference={"message_id": asked}, **fields)["id"]

        names = {room.ada.id: "Ada", room.ben.id: "Ben"}
        assert rung == {names[id_] for id_ in room.world.pinged(room.channel, message)}

    def test_in_direct_messages_who_is_named_or_answered_is_rung(self, room: Tearoom) -> None:
        direct = room.world.open_direct(room.bot, room.ada)
        asked = room.ada.says(direct, "tea?")
        payload = {"content": "yes", "message_reference": {"message_id": asked}}
        message = room.world.create_message(room.bot.id, direct, payload)

        assert {room.ada.id} == room.world.pinged(direct, message["id"])
        assert "guild_id" not in message["message_reference"]

    def test_a_silent_message_rings_nowhere_but_names_all_the_same(self, room: Tearoom) -> None:
        message = room.sends(room.ada.mention, flags=1 << 12)

        assert frozenset() == room.world.pinged(room.channel, message["id"])
        assert [room.ada.id] == [user["id"] for user in message["mentions"]]

    def test_who_cannot_see_the_channel_is_not_rung(self, room: Tearoom) -> None:
        room.world.overwrite(room.channel, room.ben, deny=P.VIEW_CHANNEL)

        assert {room.ada.id} == room.world.pinged(room.channel, room.sends("@everyone")["id"])

    @pytest.mark.parametrize(
        ("may", "mentionable", "expected"),
        [
            pytest.param(True, False, (True, 1), id="with the permission: all"),
            pytest.param(False, False, (False, 0), id="without it: nobody"),
            pytest.param(False, True, (False, 1), id="but roles that may be called"),
        ],
    )
    def test_calling_all_and_roles_takes_a_permission(
        self,
        room: Tearoom,
        may: bool,  # noqa: FBT001  # a column
        mentionable: bool,  # noqa: FBT001  # a column
        expected: tuple[bool, int],
    ) -> None:
        role = room.world.add_role(room.guild, "brewers", mentionable=mentionable)
        if not may:
            room.world.overwrite(room.channel, room.bot, deny=P.MENTION_EVERYONE)

        message = room.sends(f"@everyone <@&{role}> <@&5> <@7>")

        assert expected == (message["mention_everyone"], len(message["mention_roles"]))
        assert [] == message["mentions"]

    def test_in_direct_messages_there_is_no_everybody(self, room: Tearoom) -> None:
        direct = room.world.open_direct(room.bot, room.ada)
        message = room.world.create_message(room.bot.id, direct, {"content": f"@everyone {room.ada.mention}"})

        assert (False, 1) == (message["mention_everyone"], len(message["mentions"]))

    def test_those_who_are_called_are_told_of_as_members(self, room: Tearoom) -> None:
        room.sends(f"{room.ada.mention} {room.cleo.mention}")

        assert [True, False] == ["member" in user for user in room.events[0].data["mentions"]]
