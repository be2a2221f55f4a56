from __future__ import annotations

import pytest

from cadenza.sim import channels
from cadenza.sim.permissions import Permission
from cadenza.sim.wire import Json
from cadenza.sim.world import ChannelKind
from tests.sim.tearoom import Tearoom, refused, wrong_field

P = Permission


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


@pytest.mark.parametrize("kind", [ChannelKind.TEXT, ChannelKind.VOICE, ChannelKind.ANNOUNCEMENT, ChannelKind.STAGE])
def test_a_channel_of_each_sort_can_be_spoken_in(room: Tearoom, kind: ChannelKind) -> None:
    channel = room.world.add_channel(room.guild, "new", kind=kind)
    room.world.create_message(room.bot.id, channel, {"content": "a"})

    assert ["CHANNEL_CREATE", "MESSAGE_CREATE"] == room.heard()
    assert int(kind) == room.world.get_channel(room.bot.id, channel)["type"]


def test_a_channel_knows_its_last_message(room: Tearoom) -> None:
    said = room.ada.says(room.channel, "a")

    assert said == room.world.get_channel(room.bot.id, room.channel)["last_message_id"]


def test_an_overwrite_replaces_the_one_before_it(room: Tearoom) -> None:
    room.world.overwrite(room.channel, room.bot, deny=P.SEND_MESSAGES)
    room.world.overwrite(room.channel, room.bot, allow=P.SEND_MESSAGES)
    room.world.overwrite(room.channel, room.guild, deny=P.ATTACH_FILES)

    assert [(room.bot.id, 1, "2048", "0"), (room.guild.id, 0, "0", "32768")] == [
        tuple(entry.values()) for entry in room.world.get_channel(room.bot.id, room.channel)["permission_overwrites"]
    ]
    assert ["CHANNEL_UPDATE"] * 3 == room.heard()


class TestChanges:
    def test_a_channel_is_changed_by_those_who_may(self, room: Tearoom) -> None:
        change = room.world.edit_channel

        assert (403, 50013) == refused(lambda: change(room.bot.id, room.channel, {"name": "b"}))
        changed = change(room.ada.id, room.channel, {"name": "b", "rate_limit_per_user": 5, "id": "1"})
        assert ("b", 5, room.channel) == (changed["name"], changed["rate_limit_per_user"], changed["id"])
        assert ["CHANNEL_UPDATE"] == room.heard()

    @pytest.mark.parametrize(
        ("payload", "where"),
        [
            ({"name": ""}, "name"),
            ({"name": "a" * 101}, "name"),
            ({"rate_limit_per_user": 21601}, "rate_limit_per_user"),
        ],
    )
    def test_within_limits(self, room: Tearoom, payload: Json, where: str) -> None:
        assert where == wrong_field(lambda: room.world.edit_channel(room.ada.id, room.channel, payload))

    def test_a_channel_goes_with_its_threads_and_webhooks(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        webhook, token = room.webhook()
        room.heard()

        assert (403, 50013) == refused(lambda: room.world.delete_channel(room.bot.id, room.channel))
        room.world.delete_channel(room.ada.id, room.channel)

        assert ["CHANNEL_DELETE"] == room.heard()
        for gone in (room.channel, thread):
            assert (404, 10003) == refused(lambda gone=gone: room.world.get_channel(room.bot.id, gone))  # type: ignore[misc]
        assert (404, 10015) == refused(lambda: room.world.execute_webhook(webhook, token, {"content": "a"}))

    def test_a_channel_can_be_removed_by_nobody_in_particular(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        room.heard()
        room.world.remove_channel(thread)
        room.world.remove_channel(room.channel)

        assert ["THREAD_DELETE", "CHANNEL_DELETE"] == room.heard()

    def test_what_is_in_a_category_stays_when_that_goes(self, room: Tearoom) -> None:
        category = room.world.add_channel(room.guild, "rooms", kind=ChannelKind.CATEGORY)
        inner = room.world.add_channel(room.guild, "inner", parent=category)
        before = room.world.get_channel(room.bot.id, inner)["parent_id"]
        room.world.remove_channel(category)

        assert (category, None) == (before, room.world.get_channel(room.bot.id, inner)["parent_id"])

    def test_direct_messages_are_neither_changed_nor_deleted(self, room: Tearoom) -> None:
        direct = room.world.open_direct(room.bot, room.ada)

        assert (403, 50003) == refused(lambda: room.world.edit_channel(room.bot.id, direct, {"name": "a"}))
        room.world.delete_channel(room.bot.id, direct)
        assert direct == room.world.get_channel(room.bot.id, direct)["id"]


class TestThreads:
    def test_a_thread_is_announced_in_its_channel(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")

        shape = room.world.get_channel(room.bot.id, thread)
        assert (11, room.channel, room.ada.id) == tuple(shape[name] for name in ("type", "parent_id", "owner_id"))
        assert [(18, "aside")] == [(line["type"], line["content"]) for line in room.world.messages(room.channel)]
        assert ["THREAD_CREATE", "MESSAGE_CREATE"] == room.heard()

    def test_in_announcements_it_is_of_their_sort(self, room: Tearoom) -> None:
        news = room.world.add_channel(room.guild, "news", kind=ChannelKind.ANNOUNCEMENT)

        assert 10 == room.world.get_channel(room.bot.id, room.world.add_thread(news, "aside"))["type"]

    def test_one_that_begins_with_a_message_has_its_id_and_shows_it(self, room: Tearoom) -> None:
        said = room.ada.says(room.channel, "tea?")
        room.heard()
        thread = room.world.create_thread(room.bot.id, room.channel, {"name": "aside"}, message=said)

        (first,) = room.world.messages(said)
        assert (said, "tea?") == (thread["id"], first["referenced_message"]["content"])
        assert ["THREAD_CREATE", "MESSAGE_UPDATE", "MESSAGE_CREATE"] == room.heard()
        again = lambda: room.world.create_thread(room.bot.id, room.channel, {"name": "a"}, message=said)  # noqa: E731
        assert (400, 160004) == refused(again)

    @pytest.mark.parametrize(
        ("payload", "denied", "expected"),
        [
            pytest.param({"name": "a", "type": 11}, P.NONE, None, id="public"),
            pytest.param({"name": "a", "type": 11}, P.CREATE_PUBLIC_THREADS, (403, 50013), id="public, denied"),
            pytest.param({"name": "a"}, P.CREATE_PUBLIC_THREADS, None, id="private"),
            pytest.param({"name": "a"}, P.CREATE_PRIVATE_THREADS, (403, 50013), id="private, denied"),
            pytest.param({"name": " "}, P.NONE, (400, 50035), id="without a name"),
            pytest.param({"name": "a" * 101}, P.NONE, (400, 50035), id="with too long a name"),
        ],
    )
    def test_who_may_begin_one(
        self, room: Tearoom, payload: Json, denied: Permission, expected: tuple[int, int] | None
    ) -> None:
        room.world.overwrite(room.channel, room.bot, deny=denied)

        assert expected == refused(lambda: room.world.create_thread(room.bot.id, room.channel, payload))

    def test_not_everywhere_can_be_one(self, room: Tearoom) -> None:
        voice = room.world.add_channel(room.guild, "voice", kind=ChannelKind.VOICE)

        assert (400, 50024) == refused(lambda: room.world.create_thread(room.bot.id, voice, {"name": "a"}))

    def test_it_counts_what_is_said_and_who_is_there(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        said = room.ben.says(thread, "a")
        room.ben.says(thread, "b")
        room.ben.deletes(thread, said)

        shape = room.world.get_channel(room.bot.id, thread)
        assert (1, 2, 2) == tuple(shape[name] for name in ("message_count", "total_message_sent", "member_count"))

    def test_what_is_said_in_an_archived_one_opens_it(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        room.world.archive(thread)
        room.heard()
        room.ben.says(thread, "a")

        assert not room.world.get_channel(room.bot.id, thread)["thread_metadata"]["archived"]
        assert ["THREAD_UPDATE", "MESSAGE_CREATE"] == room.heard()

    @pytest.mark.parametrize(
        ("who", "payload", "expected"),
        [
            pytest.param("ada", {"locked": True}, None, id="who manages threads locks them"),
            pytest.param("ben", {"locked": True}, (403, 50013), id="its owner does not"),
            pytest.param("ben", {"name": "b"}, None, id="but names it"),
            pytest.param("bot", {"name": "b"}, (403, 50013), id="others do not"),
            pytest.param("bot", {"archived": False}, None, id="anybody opens it"),
        ],
    )
    def test_who_changes_it(self, room: Tearoom, who: str, payload: Json, expected: tuple[int, int] | None) -> None:
        thread = room.world.add_thread(room.channel, "aside", owner=room.ben)

        assert expected == refused(lambda: room.world.edit_channel(getattr(room, who).id, thread, payload))

    def test_an_archived_one_is_opened_before_it_is_changed(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        room.world.archive(thread)

        assert (400, 50083) == refused(lambda: room.world.edit_channel(room.ada.id, thread, {"name": "b"}))
        assert refused(lambda: room.world.edit_channel(room.ada.id, thread, {"archived": False, "name": "b"})) is None


class TestForums:
    def test_a_post_is_a_thread_whose_first_message_has_its_id(self, room: Tearoom) -> None:
        forum = room.world.add_channel(room.guild, "questions", kind=ChannelKind.FORUM)
        post = room.world.add_post(forum, "Tea", "Which?", room.ada)
        room.world.create_message(room.bot.id, post, {"content": "Green."})

        assert ["Which?", "Green."] == room.contents(post)
        assert post == room.world.messages(post)[0]["id"]
        assert [] == room.contents(forum)

    def test_a_post_has_a_first_message(self, room: Tearoom) -> None:
        forum = room.world.add_channel(room.guild, "questions", kind=ChannelKind.FORUM)
        make = room.world.create_thread

        assert "message" == wrong_field(lambda: make(room.bot.id, forum, {"name": "a"}))
        assert (400, 50006) == refused(lambda: make(room.bot.id, forum, {"name": "a", "message": {}}))


class TestDirectMessages:
    def test_they_are_the_same_each_time_and_show_the_other(self, room: Tearoom) -> None:
        first, second = (channels.create_dm(room.world.state, room.bot.id, room.ada.id) for _ in range(2))
        seen = room.world.get_channel(room.ada.id, first["id"])

        assert first == second
        assert [[room.ada.id], [room.bot.id]] == [[one["id"] for one in dm["recipients"]] for dm in (first, seen)]

    @pytest.mark.parametrize("who", ["1", "bot"])
    def test_with_nobody_and_with_oneself_there_are_none(self, room: Tearoom, who: str) -> None:
        recipient = room.bot.id if who == "bot" else who

        assert (404, 10013) == refused(lambda: channels.create_dm(room.world.state, room.bot.id, recipient))


def test_the_name_of_a_thread_is_trimmed_however_it_begins() -> None:
    room = Tearoom()
    forum = room.world.add_channel(room.guild, "forum", kind=ChannelKind.FORUM)
    said, name, first = room.sends()["id"], {"name": " aside "}, {"message": {"content": "a"}}
    threads = [
        room.world.create_thread(room.bot.id, room.channel, {**name, "type": 11}),
        room.world.create_thread(room.bot.id, room.channel, name, message=said),
        room.world.create_thread(room.bot.id, forum, name | first),
    ]

    assert ["aside"] * 3 == [thread["name"] for thread in threads]
