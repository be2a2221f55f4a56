"""Messages as a page shows them."""

from __future__ import annotations

import json

import pytest

from cadenza.bot.characters.png import plain
from cadenza.play.films.message_view import as_shown
from cadenza.play.films.urls import InlineAddresses, Paths
from cadenza.sim import pins
from cadenza.sim.payloads import as_picture
from cadenza.sim.reactions import add as react
from cadenza.sim.wire import File, GatewayEvent, Json
from cadenza.sim.world import World
from cadenza.text.markup import Names

PICTURE = plain("Ren")


class _Scene:
    """A channel with Mia, a bot and a webhook in it."""

    def __init__(self) -> None:
        self.world = World()
        self.mia, self.bot = self.world.add_person("Mia"), self.world.add_bot("Foxes")
        self.guild = self.world.add_guild("Home", owner=self.mia, members=[self.mia, self.bot])
        self.channel = self.world.add_channel(self.guild, "general")
        self.told: list[Json] = []
        self.world.listen(self._hear)

    def _hear(self, event: GatewayEvent) -> None:
        if event.name in ("MESSAGE_CREATE", "MESSAGE_UPDATE"):
            self.told.append(event.data)

    def last(self, **names: dict[str, str]) -> Json:
        """What was told last, as it is shown."""
        shown = as_shown(self.told[-1], Names(**names), Paths(self.world))
        assert shown == json.loads(json.dumps(shown))
        return shown

    def bot_says(self, *files: File, **payload: object) -> Json:
        """What the bot says, as it is shown."""
        self.world.create_message(self.bot.id, self.channel, payload, files)
        return self.last()

    def webhook_says(self, **payload: object) -> Json:
        """What a webhook says, as it is shown."""
        made = self.world.create_webhook(self.bot.id, self.channel, {"name": "Ren", "avatar": as_picture(PICTURE)})
        self.world.execute_webhook(made["id"], made["token"], payload)
        return self.last()

    def asks(self, **answer: object) -> tuple[str, str]:
        """Mia uses a command, and the bot answers; gives back the interaction and its token."""
        self.world.put_commands(self.bot.id, None, [{"name": "ask", "description": "Ask."}])
        heard: list[GatewayEvent] = []
        stop = self.world.listen(heard.append)
        interaction = self.mia.commands(self.channel, "ask")
        stop()
        token = str(next(event for event in heard if event.name == "INTERACTION_CREATE").data["token"])
        self.world.respond(interaction, token, answer)
        return interaction, token


@pytest.fixture
def scene() -> _Scene:
    return _Scene()


def test_a_plain_message_is_shown_whole(scene: _Scene) -> None:
    id_ = scene.mia.says(scene.channel, "**hi**")

    expected = {
        "id": id_,
        "channel": scene.channel,
        "author": {"id": scene.mia.id, "name": "Mia", "avatar": None, "is_bot": False, "is_webhook": False},
        "time": scene.told[-1]["timestamp"],
        "content": "**hi**",
        "markup": [{"is": "bold", "of": ["hi"]}],
        "reply": None,
        "command": None,
        "is_edited": False,
        "is_private": False,
        "is_thinking": False,
        "is_silent": False,
        "pings": [],
        "files": [],
        "embeds": [],
        "components": [],
        "reactions": [],
        "system": None,
    }
    assert expected == scene.last()


def test_a_webhook_has_a_name_and_a_face_of_its_own(scene: _Scene) -> None:
    author = scene.webhook_says(content="a", username="Kit")["author"]

    assert ("Kit", True, True) == (author["name"], author["is_bot"], author["is_webhook"])
    assert author["avatar"].startswith("/avatars/")


def test_a_webhook_that_quotes_what_it_answers_is_no_reply(scene: _Scene) -> None:
    shown = scene.webhook_says(content="> hi\nhello")

    assert shown["reply"] is None
    assert [{"is": "quote", "of": ["hi"]}, "hello"] == shown["markup"]


def test_the_name_in_the_guild_is_shown(scene: _Scene) -> None:
    scene.world.state.guilds[scene.guild.id].members[scene.mia.id]["nick"] = "Mimi"

    scene.mia.says(scene.channel, scene.mia.mention)

    assert "Mimi" == scene.last()["author"]["name"]
    assert "Mimi" == scene.last()["markup"][0]["name"]
    assert "M." == scene.last(users={scene.mia.id: "M."})["author"]["name"]


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("a **b**\n- c", "a b c"),
        ("a ||b||", "a ▒▒▒"),
        ("x" * 300, "x" * 199 + "…"),
    ],
    ids=["without marks in one line", "without spoilers", "not too long"],
)
def test_a_reply_shows_what_it_answers(scene: _Scene, said: str, expected: str) -> None:
    id_ = scene.mia.says(scene.channel, said)

    shown = scene.bot_says(content="b", message_reference={"message_id": id_})

    assert {"id": id_, "name": "Mia", "avatar": None, "text": expected} == shown["reply"]
    assert [scene.mia.id] == shown["pings"]


def test_a_reply_to_what_has_no_words_shows_what_else_it_has(scene: _Scene) -> None:
    texts = []
    for more in ({"embeds": [{"title": "Title"}]}, {"embeds": [{"description": "Text"}]}):
        id_ = scene.bot_says(**more)["id"]
        texts.append(scene.bot_says(content="b", message_reference={"message_id": id_})["reply"]["text"])
    id_ = scene.bot_says(File("a.txt", b"a"))["id"]
    texts.append(scene.bot_says(content="b", message_reference={"message_id": id_})["reply"]["text"])

    assert ["Title", "Text", "a.txt"] == texts


def test_a_reply_to_what_was_deleted_says_so(scene: _Scene) -> None:
    id_ = scene.mia.says(scene.channel, "a")
    reply = scene.bot_says(content="b", message_reference={"message_id": id_})["id"]
    scene.mia.deletes(scene.channel, id_)
    scene.world.edit_message(scene.bot.id, scene.channel, reply, {"content": "c"})

    shown = scene.last()

    assert {"id": None, "name": "", "avatar": None, "text": ""} == shown["reply"]
    assert shown["is_edited"]


def test_an_answer_to_a_command_says_who_used_which(scene: _Scene) -> None:
    scene.asks(type=4, data={"content": "a", "flags": 1 << 6})

    shown = scene.last()

    assert {"name": "ask", "who": "Mia"} == shown["command"]
    assert shown["is_private"]
    assert not shown["author"]["is_webhook"]


def test_a_deferred_answer_is_thought_about_until_it_comes(scene: _Scene) -> None:
    _, token = scene.asks(type=5)
    before = scene.last()

    scene.world.execute_webhook(scene.bot.id, token, {"content": "done"})
    after = scene.last()

    assert (True, []) == (before["is_thinking"], before["markup"])
    assert (False, ["done"]) == (after["is_thinking"], after["markup"])
    assert before["id"] == after["id"]


def test_a_silent_message_is_one(scene: _Scene) -> None:
    assert scene.bot_says(content="a", flags=1 << 12)["is_silent"]


def test_who_is_called_is_told(scene: _Scene) -> None:
    role = scene.world.add_role(scene.guild.id, "Cooks", mentionable=True)

    scene.mia.says(scene.channel, f"{scene.mia.mention} <@&{role}> <#{scene.channel}> @everyone")
    shown = scene.last(roles={role: "Cooks"}, channels={scene.channel: "general"})

    assert [scene.mia.id, role, "everyone"] == shown["pings"]
    assert ["Mia", "Cooks", "general", "everyone"] == [node["name"] for node in shown["markup"][::2]]


def test_a_picture_has_its_size_and_may_be_a_spoiler(scene: _Scene) -> None:
    described = [{"id": 0, "filename": "SPOILER_a.png", "description": "A fox."}]

    [file] = scene.bot_says(File("SPOILER_a.png", PICTURE), attachments=described)["files"]

    assert {
        "id": file["id"],
        "name": "a.png",
        "size": len(PICTURE),
        "type": "image/png",
        "url": f"/files/{file['id']}/SPOILER_a.png",
        "width": 64,
        "height": 64,
        "about": "A fox.",
        "is_spoiler": True,
    } == file


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        (File("a.txt", b"a"), "text/plain"),
        (File("a.html", b"a"), "application/octet-stream"),
        (File("a.bin", b"a", "audio/ogg"), "audio/ogg"),
    ],
    ids=["by its name", "not what could do harm", "as it was told"],
)
def test_another_file_has_a_type_and_no_size(scene: _Scene, file: File, expected: str) -> None:
    [shown] = scene.bot_says(file)["files"]

    assert (expected, None, None, "", False) == tuple(
        shown[part] for part in ("type", "width", "height", "about", "is_spoiler")
    )


def test_an_embed_is_shown_with_all_its_parts(scene: _Scene) -> None:
    [embed] = scene.bot_says(
        File("a.png", PICTURE),
        embeds=[
            {
                "author": {"name": "Ren"},
                "title": "**T**",
                "url": "https://a.example",
                "description": "_d_",
                "fields": [{"name": "*n*", "value": "`v`", "inline": True}, {"name": "m", "value": "w"}],
                "footer": {"text": "f"},
                "color": 0x00FF07,
                "image": {"url": "attachment://a.png"},
                "thumbnail": {"url": "https://elsewhere.example/b.png"},
                "timestamp": "2026-01-01T00:00:00+00:00",
            }
        ],
    )["embeds"]

    image = embed.pop("image")
    assert image.startswith("/files/")
    assert {
        "author": "Ren",
        "title": [{"is": "bold", "of": ["T"]}],
        "url": "https://a.example",
        "text": [{"is": "italic", "of": ["d"]}],
        "fields": [
            {"name": "*n*", "value": [{"is": "code", "text": "v"}], "is_inline": True},
            {"name": "m", "value": ["w"], "is_inline": False},
        ],
        "footer": "f",
        "colour": "#00ff07",
        "thumbnail": None,
        "time": "2026-01-01T00:00:00+00:00",
    } == embed


def test_an_embed_with_hardly_anything_in_it_is_shown(scene: _Scene) -> None:
    [embed] = scene.bot_says(
        embeds=[{"title": "a", "url": "javascript:alert(1)", "color": "red", "image": {"url": "attachment://b.png"}}]
    )["embeds"]

    assert (None, None, None, "", [], [], None) == tuple(
        embed[part] for part in ("url", "colour", "image", "author", "text", "fields", "time")
    )


def test_buttons_and_links_are_shown(scene: _Scene) -> None:
    row = [
        {"type": 2, "style": 4, "label": "Stop", "custom_id": "stop", "disabled": True, "emoji": {"name": "🛑"}},
        {"type": 2, "style": 5, "label": "Docs", "url": "https://a.example"},
        {"type": 2, "style": 5, "label": "Harm", "url": "javascript:alert(1)"},
    ]

    [[stop, docs, harm]] = scene.bot_says(content="a", components=[{"type": 1, "components": row}])["components"]

    assert {
        "sort": "button",
        "id": "stop",
        "label": "Stop",
        "emoji": {"is": "emoji", "name": "🛑", "id": None, "is_animated": False},
        "style": "danger",
        "url": None,
        "is_disabled": True,
        "options": [],
        "placeholder": "",
    } == stop
    assert ("link", "Docs", "https://a.example", None) == tuple(
        docs[part] for part in ("sort", "label", "url", "style")
    )
    assert harm["url"] is None


def test_menus_are_shown_with_what_can_be_chosen(scene: _Scene) -> None:
    options = [{"label": "A", "value": "a", "description": "first", "default": True}, {"label": "B", "value": "b"}]
    rows = [
        {
            "type": 3,
            "custom_id": "letters",
            "placeholder": "Choose",
            "options": options,
            "min_values": 0,
            "max_values": 2,
        },
        {"type": 5, "custom_id": "people"},
    ]

    shown = scene.bot_says(content="a", components=[{"type": 1, "components": [row]} for row in rows])["components"]

    [[letters], [people]] = shown
    assert [
        {"label": "A", "value": "a", "about": "first", "emoji": None, "is_chosen": True},
        {"label": "B", "value": "b", "about": "", "emoji": None, "is_chosen": False},
    ] == letters["options"]
    assert ("menu", "Choose", "texts", 0, 2) == tuple(
        letters[part] for part in ("sort", "placeholder", "of", "least", "most")
    )
    assert ("menu", "users", []) == tuple(people[part] for part in ("sort", "of", "options"))


def test_reactions_are_one_s_own_by_who_asks(scene: _Scene) -> None:
    id_ = scene.mia.says(scene.channel, "a")
    scene.mia.reacts(scene.channel, id_, "👍")
    react(scene.world.state, scene.bot.id, scene.channel, id_, "👍")
    react(scene.world.state, scene.bot.id, scene.channel, id_, "🦊")

    seen = scene.world.get_message(scene.mia.id, scene.channel, id_)
    reactions = as_shown(seen, Names(), Paths(scene.world))["reactions"]

    assert [("👍", 2, True), ("🦊", 1, False)] == [
        (one["emoji"]["name"], one["count"], one["is_mine"]) for one in reactions
    ]
    assert {"is": "emoji", "name": "👍", "id": None, "is_animated": False} == reactions[0]["emoji"]


def test_what_nobody_wrote_says_what_it_is(scene: _Scene) -> None:
    id_ = scene.mia.says(scene.channel, "a")
    pins.pin(scene.world.state, scene.mia.id, scene.channel, id_)
    pinned = scene.last()
    scene.world.create_thread(scene.mia.id, scene.channel, {"name": "Soup", "type": 11})
    thread = scene.last()

    assert ("pinned", "Mia", "") == (pinned["system"], pinned["author"]["name"], pinned["content"])
    assert ("thread", "Mia", "Soup") == (thread["system"], thread["author"]["name"], thread["content"])


def test_a_thread_begins_with_the_message_that_it_was_made_from(scene: _Scene) -> None:
    id_ = scene.mia.says(scene.channel, "*a*", files=[File("a.txt", b"a")])
    scene.world.create_thread(scene.bot.id, scene.channel, {"name": "Soup"}, message=id_)

    shown = scene.last()

    assert (None, "Mia", [{"is": "italic", "of": ["a"]}]) == (shown["system"], shown["author"]["name"], shown["markup"])
    assert (None, id_) == (shown["reply"], shown["channel"])
    assert ["a.txt"] == [file["name"] for file in shown["files"]]


def test_a_thread_whose_first_message_is_gone_still_begins(scene: _Scene) -> None:
    id_ = scene.mia.says(scene.channel, "a")
    scene.world.create_thread(scene.bot.id, scene.channel, {"name": "Soup"}, message=id_)
    scene.mia.deletes(scene.channel, id_)

    [first] = scene.world.messages(id_)

    assert "thread" == as_shown(first, Names(), Paths(scene.world))["system"]


def test_a_film_has_its_faces_and_files_in_itself(scene: _Scene) -> None:
    scene.webhook_says(content="a")
    webhook = as_shown(scene.told[-1], Names(), InlineAddresses(scene.world))
    scene.bot_says(File("a.png", PICTURE))
    file = as_shown(scene.told[-1], Names(), InlineAddresses(scene.world))

    assert webhook["author"]["avatar"].startswith("data:image/png;base64,")
    assert webhook["author"]["avatar"] == file["files"][0]["url"]
