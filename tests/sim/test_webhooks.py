from __future__ import annotations

import base64

import pytest

from cadenza.sim import interactions, webhooks
from cadenza.sim.permissions import Permission
from cadenza.sim.wire import File, Json
from cadenza.sim.world import ChannelKind
from tests.sim.tearoom import Tearoom, refused, wrong_field

PICTURE = "data:image/png;base64," + base64.b64encode(b"a picture").decode()


@pytest.fixture
def room() -> Tearoom:
    return Tearoom()


def test_a_webhook_speaks_under_its_name_or_another(room: Tearoom) -> None:
    webhook, token = room.webhook("Mouth")
    said = [
        room.world.execute_webhook(webhook, token, {"content": "a"}),
        room.world.execute_webhook(webhook, token, {"content": "b", "username": "  Ren "}),
    ]

    assert ["Mouth", "Ren"] == [message["author"]["username"] for message in said]
    assert {(webhook, webhook, "0000")} == {
        (message["webhook_id"], message["author"]["id"], message["author"]["discriminator"]) for message in said
    }
    assert ["WEBHOOKS_UPDATE", "MESSAGE_CREATE", "MESSAGE_CREATE"] == [event.name for event in room.events]
    assert "member" not in room.events[-1].data


def test_it_knows_neither_replies_nor_nonces(room: Tearoom) -> None:
    webhook, token = room.webhook()
    asked = room.ada.says(room.channel, "a")
    payload = {"content": "b", "nonce": "x", "enforce_nonce": True, "message_reference": {"message_id": asked}}
    said = [room.world.execute_webhook(webhook, token, payload) for _ in range(2)]

    assert [0, 0] == [message["type"] for message in said]
    assert 3 == len(room.contents())
    assert all("nonce" not in message and "message_reference" not in message for message in said)


class TestFaces:
    def test_a_picture_can_come_with_a_message_or_be_stored(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        webhooks.edit_with_token(room.world.state, webhook, token, {"avatar": PICTURE})
        stored = room.world.execute_webhook(webhook, token, {"content": "a"})["author"]["avatar"]
        sent = {"content": "b", "avatar_url": "https://a.example/ren.png"}
        given = room.world.execute_webhook(webhook, token, sent)["author"]["avatar"]

        assert (b"a picture", "https://a.example/ren.png") == (
            room.world.portrait(stored),
            room.world.portrait(given),
        )

    def test_it_can_be_taken_away_again(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        webhooks.edit_with_token(room.world.state, webhook, token, {"avatar": PICTURE})
        webhooks.edit_with_token(room.world.state, webhook, token, {"name": "Other"})
        kept = webhooks.get_with_token(room.world.state, webhook, token)["avatar"]

        assert kept is not None
        assert webhooks.edit_with_token(room.world.state, webhook, token, {"avatar": None})["avatar"] is None

    def test_a_picture_that_is_kept_here_has_an_address(self, room: Tearoom) -> None:
        address = room.world.hosted(PICTURE)
        kept = address.removeprefix(f"{room.world.cdn}/avatars/0/").removesuffix(".png")

        assert b"a picture" == room.world.portrait(kept)
        assert "avatar" == wrong_field(lambda: room.world.hosted("data:text/plain;base64,YQ=="))

    @pytest.mark.parametrize("avatar", ["a", "data:text/plain;base64,YQ==", "data:image/png;base64,?", 7])
    def test_what_is_no_picture_is_refused(self, room: Tearoom, avatar: object) -> None:
        webhook, token = room.webhook()

        assert "avatar" == wrong_field(
            lambda: webhooks.edit_with_token(room.world.state, webhook, token, {"avatar": avatar})
        )

    @pytest.mark.parametrize(
        ("payload", "where"),
        [
            pytest.param({"username": "Clyde"}, "username", id="clyde"),
            pytest.param({"username": "My DISCORD"}, "username", id="discord"),
            pytest.param({"username": "a" * 81}, "username", id="too long"),
            pytest.param({"username": " "}, "username", id="empty"),
            pytest.param({"avatar_url": "data:image/png;base64,YQ=="}, "avatar_url", id="a picture for an address"),
        ],
    )
    def test_names_and_addresses_keep_to_the_laws(self, room: Tearoom, payload: Json, where: str) -> None:
        webhook, token = room.webhook()
        say = room.world.execute_webhook

        assert where == wrong_field(lambda: say(webhook, token, {"content": "a", **payload}))
        assert [] == room.contents()


class TestPlaces:
    def test_fifteen_are_enough(self, room: Tearoom) -> None:
        made = [room.webhook(str(number)) for number in range(15)]

        assert (400, 30007) == refused(room.webhook)
        room.world.delete_webhook(room.bot.id, made[0][0])
        assert refused(room.webhook) is None

    def test_a_thousand_are_enough_for_a_guild(self, room: Tearoom) -> None:
        channels = [room.world.add_channel(room.guild, str(number)) for number in range(67)]
        for number in range(1000):
            room.webhook(str(number), channels[number // 15])

        assert (400, 30058) == refused(room.webhook)

    @pytest.mark.parametrize(
        ("place", "expected"),
        [("thread", (400, 50024)), ("direct", (403, 50003)), ("forum", None), ("voice", None), ("nowhere", (404, 10003))],
    )  # fmt: skip
    def test_where_they_can_be_made(self, room: Tearoom, place: str, expected: tuple[int, int] | None) -> None:
        places = {
            "thread": lambda: room.world.add_thread(room.channel, "aside"),
            "direct": lambda: room.world.open_direct(room.bot, room.ada),
            "forum": lambda: room.world.add_channel(room.guild, "forum", kind=ChannelKind.FORUM),
            "voice": lambda: room.world.add_channel(room.guild, "voice", kind=ChannelKind.VOICE),
            "nowhere": lambda: "1",
        }
        channel = places[place]()

        assert expected == refused(lambda: room.webhook(channel=channel))

    def test_it_takes_a_permission(self, room: Tearoom) -> None:
        webhook, _ = room.webhook()
        room.world.overwrite(room.channel, room.bot, deny=Permission.MANAGE_WEBHOOKS)
        world, bot = room.world, room.bot.id

        for action in (
            room.webhook,
            lambda: world.channel_webhooks(bot, room.channel),
            lambda: webhooks.get(world.state, bot, webhook),
            lambda: world.edit_webhook(bot, webhook, {"name": "a"}),
            lambda: world.delete_webhook(bot, webhook),
            lambda: world.guild_webhooks(room.ben.id, room.guild.id),
        ):
            assert (403, 50013) == refused(action)

    def test_in_a_thread_it_speaks_only_if_told_and_only_in_those_of_its_channel(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        thread = room.world.add_thread(room.channel, "aside")
        foreign = room.world.add_thread(room.world.add_channel(room.guild, "other"), "far")
        say = room.world.execute_webhook
        said = say(webhook, token, {"content": "a"}, thread=thread)

        assert (thread, ["a"]) == (said["channel_id"], room.contents(thread))
        assert (404, 10003) == refused(lambda: say(webhook, token, {"content": "a"}, thread=foreign))
        assert (404, 10003) == refused(lambda: say(webhook, token, {"content": "a"}, thread=room.channel))
        assert (400, 220003) == refused(lambda: say(webhook, token, {"content": "a", "thread_name": "b"}))

    @pytest.mark.parametrize(("locked", "expected"), [(False, None), (True, (403, 160005))])
    def test_it_opens_what_is_archived_but_not_what_is_locked(
        self,
        room: Tearoom,
        locked: bool,  # noqa: FBT001  # a column
        expected: tuple[int, int] | None,
    ) -> None:
        webhook, token = room.webhook()
        thread = room.world.add_thread(room.channel, "aside")
        room.world.archive(thread, locked=locked)

        assert expected == refused(lambda: room.world.execute_webhook(webhook, token, {"content": "a"}, thread=thread))

    def test_in_a_forum_it_needs_a_post_or_a_name_for_one(self, room: Tearoom) -> None:
        forum = room.world.add_channel(room.guild, "forum", kind=ChannelKind.FORUM)
        webhook, token = room.webhook(channel=forum)
        say = room.world.execute_webhook
        said = say(webhook, token, {"content": "a", "thread_name": "Tea"})
        post = said["channel_id"]

        assert post == said["id"]
        assert refused(lambda: say(webhook, token, {"content": "b"}, thread=post)) is None
        assert (400, 220001) == refused(lambda: say(webhook, token, {"content": "a"}))
        assert (400, 220002) == refused(lambda: say(webhook, token, {"content": "a", "thread_name": "b"}, thread=post))
        assert "thread_name" == wrong_field(lambda: say(webhook, token, {"content": "a", "thread_name": "b" * 101}))

    def test_it_can_be_moved(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        other = room.world.add_channel(room.guild, "other")
        room.heard()
        room.world.edit_webhook(room.bot.id, webhook, {"channel_id": other})

        assert other == room.world.execute_webhook(webhook, token, {"content": "a"})["channel_id"]
        assert ["WEBHOOKS_UPDATE", "WEBHOOKS_UPDATE", "MESSAGE_CREATE"] == room.heard()

    def test_or_renamed(self, room: Tearoom) -> None:
        webhook, _ = room.webhook()

        renamed = room.world.edit_webhook(room.bot.id, webhook, {"name": " New  name "})

        assert ("New name", room.channel) == (renamed["name"], renamed["channel_id"])

    def test_but_not_where_there_are_enough(self, room: Tearoom) -> None:
        webhook, _ = room.webhook()
        other = room.world.add_channel(room.guild, "other")
        for number in range(15):
            room.webhook(str(number), other)

        move = room.world.edit_webhook
        assert (400, 30007) == refused(lambda: move(room.bot.id, webhook, {"channel_id": other}))


class TestTokens:
    def test_what_is_gone_and_what_is_wrong(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        say = room.world.execute_webhook

        assert (401, 50027) == refused(lambda: say(webhook, "wrong", {"content": "a"}))
        webhooks.delete_with_token(room.world.state, webhook, token)
        assert (404, 10015) == refused(lambda: say(webhook, token, {"content": "a"}))
        assert (404, 10015) == refused(lambda: webhooks.get(room.world.state, room.bot.id, webhook))

    def test_each_sees_the_tokens_of_people_and_its_own(self, room: Tearoom) -> None:
        other = room.world.add_bot("Other", token="other")  # noqa: S106  # of a world in memory
        room.guild.join(other)
        room.world.create_webhook(room.ada.id, room.channel, {"name": "Ada's"})
        room.world.create_webhook(other.id, room.channel, {"name": "Other's"})
        room.webhook("Own")

        seen = room.world.channel_webhooks(room.bot.id, room.channel)

        assert {"Ada's": True, "Other's": False, "Own": True} == {one["name"]: "token" in one for one in seen}
        assert [None, other.id, room.bot.id] == [one["application_id"] for one in seen]
        assert seen == room.world.guild_webhooks(room.bot.id, room.guild.id)

    def test_by_its_token_it_does_not_tell_who_made_it(self, room: Tearoom) -> None:
        webhook, token = room.webhook()

        assert "user" not in webhooks.get_with_token(room.world.state, webhook, token)
        assert room.bot.id == webhooks.get(room.world.state, room.bot.id, webhook)["user"]["id"]


class TestMessages:
    def test_it_edits_and_deletes_what_it_said_itself(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        said = room.world.execute_webhook(webhook, token, {"content": "a"}, [File("a.txt", b"a")])["id"]
        edited = interactions.edit_webhook_message(room.world.state, webhook, token, said, payload={"content": "b"})

        assert ("b", 1) == (edited["content"], len(edited["attachments"]))
        assert edited == interactions.get_webhook_message(room.world.state, webhook, token, said)
        interactions.delete_webhook_message(room.world.state, webhook, token, said)
        assert (404, 10008) == refused(lambda: interactions.get_webhook_message(room.world.state, webhook, token, said))

    def test_but_nothing_of_others(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        said = room.ada.says(room.channel, "a")

        assert (404, 10008) == refused(
            lambda: interactions.delete_webhook_message(room.world.state, webhook, token, said)
        )

    def test_what_is_in_a_thread_is_found_only_there(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        thread = room.world.add_thread(room.channel, "aside")
        said = room.world.execute_webhook(webhook, token, {"content": "a"}, thread=thread)["id"]

        assert (404, 10008) == refused(lambda: interactions.get_webhook_message(room.world.state, webhook, token, said))
        assert (
            refused(lambda: interactions.get_webhook_message(room.world.state, webhook, token, said, thread=thread))
            is None
        )

    def test_without_a_word_about_it_only_users_are_called_also_when_edited(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        text = f"@everyone {room.ada.mention}"
        said = room.world.execute_webhook(webhook, token, {"content": text})
        edited = interactions.edit_webhook_message(
            room.world.state, webhook, token, said["id"], payload={"content": text}
        )

        assert [(False, 1)] * 2 == [(one["mention_everyone"], len(one["mentions"])) for one in (said, edited)]

    def test_it_can_call_everybody_if_it_says_so(self, room: Tearoom) -> None:
        webhook, token = room.webhook()
        payload = {"content": "@everyone", "allowed_mentions": {"parse": ["everyone"]}}

        assert room.world.execute_webhook(webhook, token, payload)["mention_everyone"]

    def test_only_a_bots_webhook_has_buttons(self, room: Tearoom) -> None:
        own = room.webhook()
        adas = room.world.create_webhook(room.ada.id, room.channel, {"name": "Ada's"})
        button = {"type": 2, "style": 1, "label": "a", "custom_id": "a"}
        payload = {"content": "a", "components": [{"type": 1, "components": [button]}]}

        said = [room.world.execute_webhook(*one, payload) for one in (own, (adas["id"], adas["token"]))]

        assert [1, 0] == [len(message["components"]) for message in said]
