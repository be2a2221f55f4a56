"""What becomes of messages after they are sent: edits, deletion, reading; and who is shown as writing."""

from __future__ import annotations

import pytest

from cadenza.sim import messages
from cadenza.sim.permissions import Permission
from cadenza.sim.wire import File, Json
from tests.sim.tearoom import Tearoom, refused

P = Permission


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


class TestEdits:
    def test_an_edit_changes_what_it_names(self, room: Tearoom) -> None:
        message = room.sends("a", embeds=[{"title": "t"}])
        room.heard()
        room.time += 5

        edited = room.world.edit_message(room.bot.id, room.channel, message["id"], {"content": "b"})

        assert ("b", message["embeds"], message["timestamp"]) == (
            edited["content"],
            edited["embeds"],
            edited["timestamp"],
        )
        assert edited["edited_timestamp"] > edited["timestamp"]
        assert ["MESSAGE_UPDATE"] == room.heard()

    @pytest.mark.parametrize(
        ("payload", "kept"),
        [
            pytest.param({"content": "b"}, ["a.txt", "b.txt"], id="files stay"),
            pytest.param({"content": "b", "attachments": []}, [], id="unless none is listed"),
            pytest.param({"content": "b", "attachments": None}, [], id="which nothing says as well"),
        ],
    )
    def test_which_files_stay(self, room: Tearoom, payload: Json, kept: list[str]) -> None:
        files = [File("a.txt", b"a"), File("b.txt", b"b")]
        message = room.world.create_message(room.bot.id, room.channel, {}, files)["id"]

        edited = room.world.edit_message(room.bot.id, room.channel, message, payload)

        assert kept == [file["filename"] for file in edited["attachments"]]

    def test_a_file_can_be_kept_and_another_added(self, room: Tearoom) -> None:
        files = [File("a.txt", b"a"), File("b.txt", b"b")]
        message = room.world.create_message(room.bot.id, room.channel, {}, files)
        payload = {"attachments": [{"id": message["attachments"][1]["id"]}, {"id": 0, "filename": "c.txt"}]}

        edited = room.world.edit_message(
            room.bot.id, room.channel, message["id"], payload, files=[File("blob", b"c", "text/plain")]
        )

        assert ["b.txt", "c.txt"] == [file["filename"] for file in edited["attachments"]]

    def test_an_edit_calls_anew(self, room: Tearoom) -> None:
        message = room.sends(room.ada.mention)["id"]

        edited = room.world.edit_message(room.bot.id, room.channel, message, {"content": room.ben.mention})
        quiet = room.world.edit_message(
            room.bot.id, room.channel, message, {"content": room.ben.mention, "allowed_mentions": {"parse": []}}
        )

        assert ([room.ben.id], []) == ([user["id"] for user in edited["mentions"]], quiet["mentions"])

    def test_embeds_and_buttons_can_be_replaced(self, room: Tearoom) -> None:
        message = room.sends("a", embeds=[{"title": "t"}])["id"]
        button = {"type": 2, "style": 1, "label": "a", "custom_id": "a"}
        payload = {"embeds": [{"title": "u"}], "components": [{"type": 1, "components": [button]}]}

        edited = room.world.edit_message(room.bot.id, room.channel, message, payload)

        assert ("a", "u", 1) == (edited["content"], edited["embeds"][0]["title"], len(edited["components"]))

    def test_previews_can_be_hidden(self, room: Tearoom) -> None:
        message = room.sends("a", flags=1 << 12)["id"]

        edited = room.world.edit_message(room.bot.id, room.channel, message, {"flags": 1 << 2})

        assert 1 << 12 | 1 << 2 == edited["flags"]

    @pytest.mark.parametrize(
        ("payload", "expected"),
        [({"content": ""}, (400, 50006)), ({"content": "a" * 2001}, (400, 50035)), ({"components": [1]}, (400, 50035))],
    )
    def test_an_edit_keeps_to_the_laws(self, room: Tearoom, payload: Json, expected: tuple[int, int]) -> None:
        message = room.sends("a")
        edit = room.world.edit_message

        assert expected == refused(lambda: edit(room.bot.id, room.channel, message["id"], payload))
        assert [message] == room.world.messages(room.channel)

    def test_only_ones_own_is_edited(self, room: Tearoom) -> None:
        said = room.ben.says(room.channel, "a")
        edit = room.world.edit_message

        assert (403, 50005) == refused(lambda: edit(room.ada.id, room.channel, said, {"content": "b"}))
        assert (404, 10008) == refused(lambda: edit(room.ada.id, room.channel, "1", {"content": "b"}))

    def test_in_an_archived_thread_nothing_is_edited(self, room: Tearoom) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        said = room.ben.says(thread, "a")
        room.world.archive(thread)

        assert (400, 50083) == refused(lambda: room.ben.edits(thread, said, "b"))


class TestDeletion:
    def test_ones_own_goes_and_others_with_a_permission(self, room: Tearoom) -> None:
        own, bots = room.ben.says(room.channel, "a"), room.sends("b")["id"]
        room.heard()

        assert (403, 50013) == refused(lambda: room.ben.deletes(room.channel, bots))
        room.ben.deletes(room.channel, own)
        room.world.delete_message(room.bot.id, room.channel, bots)

        assert ([], ["MESSAGE_DELETE"] * 2) == (room.contents(), room.heard())
        assert (404, 10008) == refused(lambda: room.ben.deletes(room.channel, own))

    def test_in_direct_messages_only_ones_own_goes(self, room: Tearoom) -> None:
        direct = room.world.open_direct(room.bot, room.ada)
        said = room.ada.says(direct, "a")

        assert (403, 50003) == refused(lambda: room.world.delete_message(room.bot.id, direct, said))
        room.ada.deletes(direct, said)
        assert [] == room.contents(direct)

    def test_of_messages_that_are_not_there_nothing_is_told(self, room: Tearoom) -> None:
        messages.bulk_delete(room.world.state, room.bot.id, room.channel, [room.channel, room.guild.id])

        assert [] == room.events

    def test_many_go_at_once(self, room: Tearoom) -> None:
        ids = [room.ben.says(room.channel, str(number)) for number in range(3)]
        room.events.clear()

        messages.bulk_delete(room.world.state, room.bot.id, room.channel, [*ids[:2], room.channel])

        (event,) = room.events
        assert ("MESSAGE_DELETE_BULK", ids[:2]) == (event.name, event.data["ids"])
        assert ["2"] == room.contents()

    @pytest.mark.parametrize(
        ("count", "days", "expected"),
        [
            pytest.param(1, 0, (400, 50016), id="one is too few"),
            pytest.param(2, 0, None, id="two"),
            pytest.param(100, 0, None, id="a hundred"),
            pytest.param(101, 0, (400, 50016), id="more are too many"),
            pytest.param(2, 13.9, None, id="not two weeks old"),
            pytest.param(2, 14.1, (400, 50034), id="older"),
        ],
    )
    def test_how_many_and_how_old(
        self, room: Tearoom, count: int, days: float, expected: tuple[int, int] | None
    ) -> None:
        ids = [room.sends()["id"] for _ in range(count)]
        room.time += days * 86400

        assert expected == refused(lambda: messages.bulk_delete(room.world.state, room.bot.id, room.channel, ids))

    def test_it_takes_a_permission_and_a_guild(self, room: Tearoom) -> None:
        direct = room.world.open_direct(room.bot, room.ada)
        delete, state = messages.bulk_delete, room.world.state

        assert (403, 50013) == refused(lambda: delete(state, room.ben.id, room.channel, ["1", "2"]))
        assert (403, 50003) == refused(lambda: delete(state, room.bot.id, direct, ["1", "2"]))

    def test_the_line_that_begins_a_thread_stays(self, room: Tearoom) -> None:
        said = room.ada.says(room.channel, "a")
        thread = room.world.create_thread(room.ada.id, room.channel, {"name": "aside"}, message=said)["id"]
        line = room.world.messages(thread)[0]["id"]

        assert (403, 50021) == refused(lambda: room.ada.deletes(thread, line))


class TestReading:
    @pytest.mark.parametrize(
        ("edge", "expected"),
        [
            pytest.param({}, "98765", id="the newest"),
            pytest.param({"before": 5}, "43210", id="before"),
            pytest.param({"before": 2}, "10", id="before, and no more"),
            pytest.param({"after": 2}, "76543", id="after: those that follow"),
            pytest.param({"after": 7}, "98", id="after, and no more"),
            pytest.param({"around": 5}, "76543", id="around"),
        ],
    )
    def test_pages_are_newest_first(self, room: Tearoom, edge: dict[str, int], expected: str) -> None:
        ids = [room.sends(str(number))["id"] for number in range(10)]
        where = {name: ids[number] for name, number in edge.items()}

        page = messages.get_many(room.world.state, room.bot.id, room.channel, limit=5, **where)  # type: ignore[arg-type]

        assert expected == "".join(message["content"] for message in page)

    @pytest.mark.parametrize(("limit", "expected"), [(0, (400, 50035)), (1, None), (100, None), (101, (400, 50035))])
    def test_a_page_has_one_to_a_hundred(self, room: Tearoom, limit: int, expected: tuple[int, int] | None) -> None:
        assert expected == refused(lambda: messages.get_many(room.world.state, room.bot.id, room.channel, limit=limit))

    def test_who_may_not_read_what_was_is_shown_nothing(self, room: Tearoom) -> None:
        said = room.ada.says(room.channel, "a")
        room.world.overwrite(room.channel, room.bot, deny=P.READ_MESSAGE_HISTORY)

        assert [] == messages.get_many(room.world.state, room.bot.id, room.channel)
        assert (403, 50013) == refused(lambda: room.world.get_message(room.bot.id, room.channel, said))


class TestTyping:
    def test_it_lasts_ten_seconds(self, room: Tearoom) -> None:
        room.world.typing(room.bot.id, room.channel)
        room.time += 9.9
        during = room.world.typists(room.channel)
        room.time += 0.1

        assert ([room.bot.id], []) == (during, room.world.typists(room.channel))

    def test_it_ends_with_a_message_of_the_same_author(self, room: Tearoom) -> None:
        room.world.typing(room.bot.id, room.channel)
        room.ben.types(room.channel)
        room.sends()

        assert [room.ben.id] == room.world.typists(room.channel)

    def test_it_is_told_of(self, room: Tearoom) -> None:
        room.ben.types(room.channel)

        (event,) = room.events
        assert ("TYPING_START", room.ben.id) == (event.name, event.data["user_id"])
        assert room.ben.id == event.data["member"]["user"]["id"]

    def test_in_direct_messages_too(self, room: Tearoom) -> None:
        direct = room.world.open_direct(room.bot, room.ada)
        room.ada.types(direct)

        (event,) = room.events
        assert ("TYPING_START", direct, False) == (event.name, event.data["channel_id"], "member" in event.data)

    def test_who_may_not_speak_does_not_type(self, room: Tearoom) -> None:
        room.world.overwrite(room.channel, room.bot, deny=P.SEND_MESSAGES)

        assert (403, 50013) == refused(lambda: room.world.typing(room.bot.id, room.channel))


def test_a_nonce_is_told_once_and_not_read_back(room: Tearoom) -> None:
    sent = room.sends("hi", nonce="n")

    assert "n" == sent["nonce"] == room.events[-1].data["nonce"]
    read = [
        room.world.get_message(room.bot.id, room.channel, sent["id"]),
        *messages.get_many(room.world.state, room.bot.id, room.channel),
    ]
    assert [None, None] == [message.get("nonce") for message in read]
