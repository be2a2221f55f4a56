from __future__ import annotations

import pytest

from cadenza.sim import interactions, messages
from cadenza.sim.wire import File, Json
from tests.sim.tearoom import Tearoom, refused, wrong_field

COMMAND: Json = {"name": "ask", "description": "Ask", "options": [{"name": "whom", "type": 6, "description": "Whom"}]}
BUTTONS = [
    {
        "type": 1,
        "components": [
            {"type": 2, "style": 4, "label": "Stop", "custom_id": "stop"},
            {"type": 2, "style": 4, "label": "No", "custom_id": "no", "disabled": True},
        ],
    }
]


class Counter(Tearoom):
    """A room whose bot has a command and a button."""

    def __init__(self) -> None:
        super().__init__()
        self.world.put_commands(self.bot.id, None, [COMMAND])
        self.said = self.sends("Here", components=BUTTONS)["id"]
        self.events.clear()

    def used(self) -> tuple[str, str]:
        """The id and token of a command that Ben uses."""
        id_ = self.ben.commands(self.channel, "ask", what="tea")
        return id_, self.events[-1].data["token"]

    def pressed(self) -> tuple[str, str]:
        """The id and token of a button that Ben presses."""
        id_ = self.ben.presses(self.channel, self.said, "stop")
        return id_, self.events[-1].data["token"]

    def deferred(self, flags: int = 0) -> str:
        """The token of an interaction that the bot thinks about."""
        id_, token = self.used()
        self.world.respond(id_, token, {"type": 5, "data": {"flags": flags}})
        return token

    def shown(self) -> list[tuple[str, int]]:
        """What was said after the buttons, with flags."""
        return [(one["content"], one["flags"]) for one in self.world.messages(self.channel)[1:]]


@pytest.fixture
def room() -> Counter:
    return Counter()


class TestCommands:
    def test_they_are_replaced_as_a_whole_everywhere_or_in_a_guild(self, room: Counter) -> None:
        put, bot = room.world.put_commands, room.bot.id
        put(bot, None, [{"name": "a", "description": "A"}, {"name": "b", "description": "B"}])
        put(bot, room.guild.id, [{"name": "c", "description": "C"}])
        put(bot, None, [{"name": "d", "description": "D"}])

        everywhere, here = room.world.get_commands(bot, None), room.world.get_commands(bot, room.guild.id)
        assert (["d"], ["c"]) == ([one["name"] for one in everywhere], [one["name"] for one in here])
        assert (bot, room.guild.id) == (everywhere[0]["application_id"], here[0]["guild_id"])

    def test_a_file_is_given_as_what_can_be_fetched(self, room: Counter) -> None:
        option = {"name": "picture", "type": 11, "description": "Picture"}
        room.world.put_commands(room.bot.id, None, [{"name": "show", "description": "Show", "options": [option]}])

        room.ben.commands(room.channel, "show", picture=File("tea.png", b"tea", "image/png"))

        data = room.events[-1].data["data"]
        id_ = data["options"][0]["value"]
        attached = data["resolved"]["attachments"][id_]
        assert ("tea.png", 3, "image/png") == (attached["filename"], attached["size"], attached["content_type"])
        assert b"tea" == room.world.file(id_)

    @pytest.mark.parametrize(
        ("command", "where"),
        [
            pytest.param({"name": "tea", "description": "T"}, None, id="right"),
            pytest.param({"name": "Tea", "description": "T"}, "0.name", id="upper case"),
            pytest.param({"name": "a b", "description": "T"}, "0.name", id="a space"),
            pytest.param({"name": "a" * 33, "description": "T"}, "0.name", id="too long"),
            pytest.param({"name": "Ask this", "type": 3}, None, id="those of a menu have other names"),
            pytest.param({"name": "", "type": 3}, "0.name", id="but have one"),
            pytest.param({"name": "tea"}, "0.description", id="no description"),
            pytest.param({"name": "tea", "description": "T" * 101}, "0.description", id="too long a description"),
        ],
    )
    def test_a_command_keeps_to_the_laws(self, room: Counter, command: Json, where: str | None) -> None:
        assert where == wrong_field(lambda: room.world.put_commands(room.bot.id, None, [command]))

    def test_there_are_at_most_a_hundred(self, room: Counter) -> None:
        commands = [{"name": f"c{number}", "description": "C"} for number in range(101)]

        assert "commands" == wrong_field(lambda: room.world.put_commands(room.bot.id, None, commands))

    def test_using_one_tells_its_bot_alone(self, room: Counter) -> None:
        room.guild.join(room.world.add_bot("Other", token="other"))  # noqa: S106  # of a world in memory
        room.events.clear()
        id_ = room.ben.commands(room.channel, "ask", what="tea", often=3, hot=True, whom=room.ada.id)

        (event,) = room.events
        assert ("INTERACTION_CREATE", frozenset({room.bot.id})) == (event.name, event.bots)
        data = event.data
        assert (id_, 2, room.ben.id, 10 * 2**20) == (
            data["id"],
            data["type"],
            data["member"]["user"]["id"],
            data["attachment_size_limit"],
        )
        assert [("what", 3, "tea"), ("often", 4, 3), ("hot", 5, True), ("whom", 6, room.ada.id)] == [
            tuple(option.values()) for option in data["data"]["options"]
        ]
        assert {room.ada.id} == data["data"]["resolved"]["members"].keys()

    def test_in_direct_messages_it_comes_from_a_user(self, room: Counter) -> None:
        room.ada.commands(room.world.open_direct(room.bot, room.ada), "ask")

        data = room.events[-1].data
        assert (room.ada.id, 1) == (data["user"]["id"], data["context"])
        assert "member" not in data

    def test_whoever_is_named_there_is_a_user_too(self, room: Counter) -> None:
        room.world.put_commands(room.bot.id, None, [{"name": "other", "description": "O"}, COMMAND])
        room.ada.commands(room.world.open_direct(room.bot, room.ada), "ask", whom=room.ben.id)

        resolved = room.events[-1].data["data"]["resolved"]
        assert (["users"], [room.ben.id]) == (list(resolved), list(resolved["users"]))

    def test_one_that_there_is_not_is_a_mistake_of_the_test(self, room: Counter) -> None:
        with pytest.raises(LookupError, match="/brew"):
            room.ben.commands(room.channel, "brew")


class TestAnswers:
    def test_a_message(self, room: Counter) -> None:
        id_, token = room.used()
        answer = room.world.respond(id_, token, {"type": 4, "data": {"content": "yes"}})

        assert [("yes", 0)] == room.shown()
        message = answer["resource"]["message"]
        assert (20, "ask", room.bot.id) == (message["type"], message["interaction"]["name"], message["webhook_id"])
        assert message["id"] == answer["interaction"]["response_message_id"]

    def test_a_message_for_one_is_heard_by_no_bot_and_read_by_none(self, room: Counter) -> None:
        id_, token = room.used()
        message = room.world.respond(id_, token, {"type": 4, "data": {"content": "psst", "flags": 64}})
        own = message["interaction"]["response_message_id"]

        assert [("psst", 64)] == room.shown()
        assert room.events[-1].bots
        assert room.bot.id not in room.events[-1].bots
        assert ["Here"] == [one["content"] for one in messages.get_many(room.world.state, room.bot.id, room.channel)]
        assert (404, 10008) == refused(lambda: room.world.get_message(room.bot.id, room.channel, own))
        assert "psst" == interactions.get_webhook_message(room.world.state, room.bot.id, token, "@original")["content"]

    def test_an_answer_that_is_thought_about(self, room: Counter) -> None:
        token = room.deferred()
        thinking = room.shown()
        edited = interactions.edit_webhook_message(
            room.world.state, room.bot.id, token, "@original", payload={"content": "yes"}
        )

        assert ([("", 128)], [("yes", 0)]) == (thinking, room.shown())
        assert edited["edited_timestamp"] is None

    def test_what_first_follows_takes_the_place_of_what_is_thought_about(self, room: Counter) -> None:
        token = room.deferred(flags=64)
        room.world.execute_webhook(room.bot.id, token, {"content": "yes"})
        room.world.execute_webhook(room.bot.id, token, {"content": "more"})

        assert [("yes", 64), ("more", 0)] == room.shown()

    def test_a_refused_edit_leaves_it_thinking(self, room: Counter) -> None:
        token = room.deferred()
        edit, state = interactions.edit_webhook_message, room.world.state
        long = {"content": "a" * 2001}

        assert (400, 50035) == refused(lambda: edit(state, room.bot.id, token, "@original", payload=long))
        assert [("", 128)] == room.shown()

    def test_what_follows_answers_the_answer(self, room: Counter) -> None:
        id_, token = room.used()
        room.world.respond(id_, token, {"type": 4, "data": {"content": "yes"}})
        more = room.world.execute_webhook(room.bot.id, token, {"content": "more"})

        assert (19, "yes") == (more["type"], more["referenced_message"]["content"])
        interactions.delete_webhook_message(room.world.state, room.bot.id, token, more["id"])
        interactions.delete_webhook_message(room.world.state, room.bot.id, token, "@original")
        assert [] == room.shown()

    def test_if_the_answer_is_gone_what_follows_is_a_plain_message(self, room: Counter) -> None:
        id_, token = room.used()
        room.world.respond(id_, token, {"type": 4, "data": {"content": "yes"}})
        interactions.delete_webhook_message(room.world.state, room.bot.id, token, "@original")

        assert 0 == room.world.execute_webhook(room.bot.id, token, {"content": "more"})["type"]

    def test_in_a_thread_what_one_sees_does_not_count(self, room: Counter) -> None:
        thread = room.world.add_thread(room.channel, "aside")
        id_ = room.ben.commands(thread, "ask")
        token = room.events[-1].data["token"]
        room.world.respond(id_, token, {"type": 4, "data": {"content": "psst", "flags": 64}})
        interactions.delete_webhook_message(room.world.state, room.bot.id, token, "@original")

        assert 0 == room.world.get_channel(room.bot.id, thread)["message_count"]

    def test_the_bot_can_edit_its_answer_as_any_message(self, room: Counter) -> None:
        id_, token = room.used()
        answer = room.world.respond(id_, token, {"type": 4, "data": {"content": "yes"}})
        message = answer["interaction"]["response_message_id"]
        room.world.edit_message(room.bot.id, room.channel, message, {"content": "no"})

        assert [("no", 0)] == room.shown()

    def test_under_its_token_only_its_own_messages_are_found(self, room: Counter) -> None:
        token = room.deferred()

        assert (404, 10008) == refused(
            lambda: interactions.get_webhook_message(room.world.state, room.bot.id, token, room.said)
        )


class TestButtons:
    def test_pressing_one_tells_of_its_message(self, room: Counter) -> None:
        room.pressed()

        data = room.events[-1].data
        assert (3, "stop", room.said) == (data["type"], data["data"]["custom_id"], data["message"]["id"])

    @pytest.mark.parametrize("custom_id", ["go", "no"], ids=["there is none", "it is disabled"])
    def test_what_cannot_be_pressed_is_a_mistake_of_the_test(self, room: Counter, custom_id: str) -> None:
        with pytest.raises(LookupError, match="nothing to press"):
            room.ben.presses(room.channel, room.said, custom_id)

    def test_under_a_webhooks_message_it_is_its_bots(self, room: Counter) -> None:
        webhook, token = room.webhook()
        said = room.world.execute_webhook(webhook, token, {"content": "a", "components": BUTTONS})["id"]
        room.ben.presses(room.channel, said, "stop")

        assert room.bot.id == room.events[-1].data["application_id"]

    def test_the_message_can_be_changed_in_answer(self, room: Counter) -> None:
        id_, token = room.pressed()
        room.world.respond(id_, token, {"type": 7, "data": {"content": "Stopped", "components": []}})

        (message,) = room.world.messages(room.channel)
        assert ("Stopped", []) == (message["content"], message["components"])

    def test_or_later(self, room: Counter) -> None:
        id_, token = room.pressed()
        answer = room.world.respond(id_, token, {"type": 6})
        interactions.edit_webhook_message(
            room.world.state, room.bot.id, token, "@original", payload={"content": "Stopped"}
        )

        assert "message" not in answer["resource"]
        assert ["Stopped"] == room.contents()

    def test_or_answered(self, room: Counter) -> None:
        id_, token = room.pressed()
        room.world.respond(id_, token, {"type": 4, "data": {"content": "ok"}})

        message = room.world.messages(room.channel)[-1]
        assert (19, "Here") == (message["type"], message["referenced_message"]["content"])


class TestTime:
    @pytest.mark.parametrize(("seconds", "expected"), [(3, None), (3.1, (404, 10062))])
    def test_the_first_answer_has_three_seconds(
        self, room: Counter, seconds: float, expected: tuple[int, int] | None
    ) -> None:
        id_, token = room.used()
        room.time += seconds

        assert expected == refused(lambda: room.world.respond(id_, token, {"type": 5}))

    @pytest.mark.parametrize(("seconds", "expected"), [(899, None), (901, (401, 50027))])
    def test_what_follows_has_a_quarter_of_an_hour(
        self, room: Counter, seconds: float, expected: tuple[int, int] | None
    ) -> None:
        token = room.deferred()
        room.time += seconds

        assert expected == refused(lambda: room.world.execute_webhook(room.bot.id, token, {"content": "a"}))

    def test_it_is_answered_once_and_before_anything_follows(self, room: Counter) -> None:
        id_, token = room.used()
        follow = lambda: room.world.execute_webhook(room.bot.id, token, {"content": "a"})  # noqa: E731

        assert (404, 10015) == refused(follow)
        room.world.respond(id_, token, {"type": 4, "data": {"content": "a"}})
        assert (400, 40060) == refused(lambda: room.world.respond(id_, token, {"type": 5}))
        assert refused(follow) is None

    def test_a_wrong_id_or_token_is_unknown(self, room: Counter) -> None:
        id_, token = room.used()

        assert (404, 10062) == refused(lambda: room.world.respond("1", token, {"type": 5}))
        assert (404, 10062) == refused(lambda: room.world.respond(id_, "a", {"type": 5}))
        assert (401, 50027) == refused(lambda: room.world.execute_webhook(room.bot.id, "a", {"content": "a"}))

    @pytest.mark.parametrize("kind", [None, 1, 7, 6, 99])
    def test_an_answer_of_a_wrong_sort_does_not_count(self, room: Counter, kind: int | None) -> None:
        id_, token = room.used()

        assert "type" == wrong_field(lambda: room.world.respond(id_, token, {"type": kind}))
        assert refused(lambda: room.world.respond(id_, token, {"type": 5})) is None

    def test_nor_does_one_that_is_refused(self, room: Counter) -> None:
        id_, token = room.used()

        assert (400, 50006) == refused(lambda: room.world.respond(id_, token, {"type": 4, "data": {}}))
        assert refused(lambda: room.world.respond(id_, token, {"type": 5})) is None
