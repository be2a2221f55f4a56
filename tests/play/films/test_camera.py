"""What a camera sees: who and what is there, what is said and done, and what happens inside a reply."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

from cadenza.explain.sentences import Said, as_json
from cadenza.facts import ChunkHeard, Fact, LoggedFact, ReplyBegan, ReplyEnded, StopAsked
from cadenza.play.films.camera import Camera
from cadenza.play.films.film import FilmRecord
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.play.films.urls import InlineAddresses
from cadenza.settings import Settings
from cadenza.sim import messages
from cadenza.sim.faults import Faults
from cadenza.sim.permissions import Permission
from cadenza.sim.rate_limits import Quota, RateLimits
from cadenza.sim.rest import Rest
from cadenza.sim.wire import Json, RestRequest
from cadenza.sim.world import World

pytestmark = pytest.mark.looptime


BEGUN, STOP = ReplyBegan("reply", "", "Ren", None, {}), StopAsked("user", "Mia")


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


class Room:
    """A world with two people, a bot, a channel, and a camera in it that looks through Mia's eyes."""

    def __init__(self, *, is_live: bool = False, **options: Any) -> None:
        self.clock = Clock()
        self.world = World(clock=self.clock, starts=1_800_000_000.0)
        self.rest = Rest(self.world, limits=RateLimits(Quota("POST /channels/*/messages", 1, 5.0)), faults=Faults())
        self.bot = self.world.add_bot("Ren")
        self.mia, self.jo = self.world.add_person("Mia"), self.world.add_person("Jo")
        self.guild = self.world.add_guild("Home", owner=self.mia, members=[self.mia, self.jo, self.bot])
        self.general = self.world.add_channel(self.guild, "general")
        self.records: list[FilmRecord] = []
        self.camera = Camera(
            self.world,
            self.records.append,
            me=self.mia.id,
            clock=self.clock,
            rest=self.rest,
            is_live=is_live,
            **options,
        )
        self.first = len(self.records)

    @property
    def news(self) -> list[FilmRecord]:
        """What was filmed since the beginning."""
        return self.records[self.first :]

    @property
    def kinds(self) -> list[str]:
        """The kinds of that."""
        return [record.kind for record in self.news]

    def fact(self, fact: Fact, at: float = 0.0, turn: str = "1") -> None:
        """Something happens inside a reply."""
        self.camera.hook(LoggedFact(fact, at, turn))

    def chunk(self, text: str, at: float = 0.0, turn: str = "1", kind: str = "text") -> None:
        """A model says something."""
        self.fact(ChunkHeard(kind, 0.0, text), at, turn)

    def ask(self, name: str, **data: Any) -> str:
        """Jo and Mia use a command, to which the bot answers with *data*; gives back the interaction."""
        self.world.put_commands(self.bot.id, None, [{"name": "hush", "description": "Say nothing"}])
        heard: list[Json] = []
        stop = self.world.listen(lambda event: heard.append(event.data))
        person = self.mia if name == "Mia" else self.jo
        interaction = person.commands(self.general, "hush")
        stop()
        self.world.respond(interaction, heard[-1]["token"], data)
        return interaction


# --- what there is ------------------------------------------------------------------------------


def test_who_and_what_is_there_comes_first() -> None:
    room = Room()

    people = [record.about["person"] for record in room.records if record.kind == "person"]
    channels = [record.about["channel"] for record in room.records if record.kind == "channel"]
    assert [
        {"id": room.bot.id, "name": "Ren", "avatar": None, "is_bot": True, "is_me": False},
        {"id": room.mia.id, "name": "Mia", "avatar": None, "is_bot": False, "is_me": True},
        {"id": room.jo.id, "name": "Jo", "avatar": None, "is_bot": False, "is_me": False},
    ] == people
    assert [{"id": room.general, "name": "general", "sort": "text", "topic": ""}] == channels


def test_what_was_said_before_is_seen() -> None:
    room = Room()
    room.mia.says(room.general, "Hello")
    later: list[FilmRecord] = []

    Camera(room.world, later.append, me=room.mia.id, clock=room.clock)

    assert ["Hello"] == [record.about["message"]["content"] for record in later if record.kind == "message"]


def test_who_and_what_comes_later_is_seen_when_it_comes() -> None:
    room = Room()
    room.guild.join(room.world.add_person("Kim"))
    room.world.rename(room.guild, room.jo, "Joanna")
    thread = room.world.add_thread(room.world.add_channel(room.guild, "tea"), "aside")
    room.world.edit_channel(room.mia.id, room.general, {"topic": "Everything"})

    assert ["Kim", "Joanna"] == [record.about["person"]["name"] for record in room.news if record.kind == "person"]
    channels = [record.about["channel"] for record in room.news if record.kind == "channel"]
    assert [("tea", "text"), ("aside", "thread"), ("general", "text")] == [
        (one["name"], one["sort"]) for one in channels
    ]
    assert thread == channels[1]["id"]
    assert channels[2]["topic"] == "Everything"


def test_direct_messages_are_found_when_something_is_said_there() -> None:
    room = Room()
    direct = room.world.open_direct(room.bot, room.mia)
    room.mia.says(direct, "Only you")

    assert room.kinds == ["channel", "message"]
    assert room.news[0].about["channel"] == {"id": direct, "name": "Ren", "sort": "direct", "topic": ""}


def test_what_one_cannot_see_is_not_filmed() -> None:
    room = Room()
    with_jo = room.world.open_direct(room.bot, room.jo)
    room.jo.says(with_jo, "Psst")
    room.jo.types(with_jo)

    assert room.news == []


def test_a_channel_is_seen_no_more_once_it_is_closed_to_one() -> None:
    jo_sees = Room()
    records: list[FilmRecord] = []
    Camera(jo_sees.world, records.append, me=jo_sees.jo.id, clock=jo_sees.clock)
    jo_sees.world.overwrite(jo_sees.general, jo_sees.jo, deny=Permission.VIEW_CHANNEL)
    before = len(records)
    jo_sees.mia.says(jo_sees.general, "Now we are alone")

    assert records[before:] == []


# --- what is said and done ----------------------------------------------------------------------


def test_a_message_its_changes_and_its_end() -> None:
    room = Room()
    message = room.mia.says(room.general, "Hello")
    room.clock.now += 2
    room.mia.edits(room.general, message, "Hello there")
    room.mia.reacts(room.general, message, "👍")
    room.mia.unreacts(room.general, message, "👍")
    room.mia.deletes(room.general, message)

    assert room.kinds == ["message", "changed", "changed", "changed", "deleted"]
    assert [0.0, 2.0, 2.0, 2.0, 2.0] == [record.at for record in room.news]
    assert "Hello there" == room.news[2].about["message"]["content"]
    assert room.news[4].about == {"channel": room.general, "id": message}


def test_many_messages_are_deleted_one_by_one() -> None:
    room = Room()
    ids = [room.mia.says(room.general, text) for text in "ab"]
    messages.bulk_delete(room.world.state, room.bot.id, room.general, ids)

    assert ids == [record.about["id"] for record in room.news if record.kind == "deleted"]


def test_who_types_is_seen() -> None:
    room = Room()
    room.jo.types(room.general)
    room.mia.types(room.general)  # whom she does not see herself
    room.world.typing(room.bot.id, room.general)

    assert [
        {"channel": room.general, "who": {"id": room.jo.id, "name": "Jo", "avatar": None}},
        {"channel": room.general, "who": {"id": room.bot.id, "name": "Ren", "avatar": None}},
    ] == [record.about for record in room.news]


def test_a_webhook_is_nobody_who_is_there() -> None:
    room = Room()
    webhook = room.world.create_webhook(room.bot.id, room.general, {"name": "Mouth"})
    room.world.execute_webhook(webhook["id"], webhook["token"], {"content": "Hi", "username": "Nova"})

    assert room.kinds == ["message"]
    assert "Nova" == room.news[0].about["message"]["author"]["name"]


PRIVATE: Json = {"type": 4, "data": {"content": "Only for you", "flags": 64}}


@pytest.mark.parametrize(("name", "kinds"), [("Mia", ["message", "deleted"]), ("Jo", [])])
def test_what_is_meant_for_one_person_is_seen_by_that_one(name: str, kinds: list[str]) -> None:
    room = Room()
    room.ask(name, **PRIVATE)
    [message] = room.world.messages(room.general)
    room.world.delete_message(room.bot.id, room.general, message["id"])

    assert room.kinds == kinds


def test_what_is_only_for_one_is_seen_when_it_changes() -> None:
    room = Room()
    room.ask("Mia", **PRIVATE)
    [message] = room.world.messages(room.general)
    room.world.edit_message(room.bot.id, room.general, message["id"], {"content": "Changed"})

    assert [("message", "Only for you"), ("changed", "Changed")] == [
        (record.kind, record.about["message"]["content"]) for record in room.news
    ]


def test_names_of_people_roles_and_channels_are_known() -> None:
    room = Room()
    role = room.world.add_role(room.guild, "team")
    tea = room.world.add_channel(room.guild, "tea")
    room.world.rename(room.guild, room.jo, "Joanna")
    room.mia.says(room.general, f"<@{room.jo.id}> <@&{role}> <#{tea}>")

    nodes = room.news[-1].about["message"]["markup"]
    assert ["Joanna", "team", "tea"] == [node["name"] for node in nodes if isinstance(node, dict)]


def test_who_has_a_role_is_called_by_it() -> None:
    room = Room()
    crew, guests = (room.world.add_role(room.guild, name, mentionable=True) for name in ("crew", "guests"))
    room.world.give_role(room.guild, room.mia, crew)
    for role in (crew, guests):
        room.jo.says(room.general, f"<@&{role}>, tea is ready!")
    room.jo.says(room.general, f"{room.mia.mention} <@&{crew}>")

    calls = [record.about["message"]["pings"] for record in room.news if record.kind == "message"]
    assert [[crew, room.mia.id], [guests], [room.mia.id, crew]] == calls


def test_ones_own_reactions_are_ones_own() -> None:
    room = Room()
    message = room.jo.says(room.general, "Hello")
    room.jo.reacts(room.general, message, "👍")
    room.mia.reacts(room.general, message, "👍")

    reactions = [record.about["message"]["reactions"] for record in room.news if record.kind == "changed"]
    assert [[(1, False)], [(2, True)]] == [[(one["count"], one["is_mine"]) for one in found] for found in reactions]


def test_a_face_is_where_the_addresses_say() -> None:
    class Elsewhere(InlineAddresses):
        def avatar(self, author: Json, /) -> str | None:
            return f"/avatars/{author['id']}"

    room = Room()
    records: list[FilmRecord] = []
    Camera(room.world, records.append, me=room.mia.id, clock=room.clock, addresses=Elsewhere(room.world))
    room.jo.types(room.general)

    assert f"/avatars/{room.jo.id}" == records[-1].about["who"]["avatar"]


def test_nothing_is_seen_when_the_camera_stops() -> None:
    room = Room()
    room.chunk("a")
    room.camera.stop()
    room.mia.says(room.general, "Hello")

    assert room.kinds == ["tokens"]


def test_the_playground_can_say_something() -> None:
    room = Room()
    room.camera.note("The model is another one now.", "warning")

    assert room.news[0].about == {"text": "The model is another one now.", "urgency": "warning"}


# --- what the bot asks --------------------------------------------------------------------------


async def test_calls_are_seen_with_how_they_ended() -> None:
    room = Room()
    call = RestRequest("POST", f"/channels/{room.general}/messages", body={"content": "Hi"}, token=room.bot.token)
    for _ in range(2):
        await room.rest.handle(call)
    await room.rest.handle(RestRequest("GET", "/channels/1", token=room.bot.token))
    room.rest.faults.lose("GET /users/*")
    with pytest.raises(ConnectionError):
        await room.rest.handle(RestRequest("GET", "/users/1", token=room.bot.token))

    assert [
        {
            "route": "POST /channels/{channel}/messages",
            "channel": room.general,
            "status": 200,
            "code": 0,
            "retry_after": None,
        },
        {
            "route": "POST /channels/{channel}/messages",
            "channel": room.general,
            "status": 429,
            "code": 0,
            "retry_after": 5.0,
        },
        {"route": "GET /channels/{channel}", "channel": "1", "status": 404, "code": 10003, "retry_after": None},
        {"route": "GET /users/{user}", "channel": None, "status": None, "code": 0, "retry_after": None},
    ] == [record.about for record in room.news if record.kind == "call"]


async def test_a_form_is_seen() -> None:
    room = Room()
    room.world.put_commands(room.bot.id, None, [{"name": "why", "description": "Ask"}])
    heard: list[Json] = []
    room.world.listen(lambda event: heard.append(event.data))
    interaction = room.mia.commands(room.general, "why")
    part = {"type": 4, "custom_id": "r", "label": "Reason", "style": 1}
    modal = {"title": "Why?", "custom_id": "w", "components": [{"type": 1, "components": [part]}]}
    path = f"/interactions/{interaction}/{heard[-1]['token']}/callback"
    await room.rest.handle(RestRequest("POST", path, body={"type": 9, "data": modal}))

    assert room.kinds == ["call", "form"]
    assert interaction == room.news[1].about["interaction"]
    assert ("Why?", "Reason") == (room.news[1].about["form"]["title"], room.news[1].about["form"]["fields"][0]["label"])


# --- the inside ---------------------------------------------------------------------------------


def test_tokens_are_gathered_until_something_else_happens() -> None:
    room = Room()
    room.chunk("a")
    room.chunk("b")
    room.fact(STOP)
    room.chunk("c", kind="thought")
    room.mia.says(room.general, "Hello")
    room.fact(ChunkHeard("finished", 0.0, "", {"reason": "stop"}))

    assert room.kinds == ["tokens", "fact", "tokens", "message", "fact"]
    assert ("ab", "c") == (room.news[0].about["text"], room.news[2].about["text"])
    assert as_json(Said("stop.person.by", {"by": "Mia"})) == room.news[1].about["told"]
    assert room.news[4].about == {
        "turn": "1",
        "fact": "chunk_heard",
        "about": {"kind": "finished", "text": "", "since": 0.0, "detail": {"reason": "stop"}},
        "told": None,
    }


def test_somebody_who_watches_is_given_tokens_by_a_timer() -> None:
    room = Room(is_live=True)
    room.chunk("a")
    room.camera.flush()
    room.camera.flush()

    assert room.kinds == ["tokens"]


def test_each_of_several_turns_has_its_own_time() -> None:
    room = Room()
    room.clock.now = 110.0
    room.fact(BEGUN, 0.0, "1")
    room.clock.now = 115.0
    room.fact(BEGUN, 0.0, "2")
    room.clock.now = 116.0
    room.fact(STOP, 6.0, "1")
    room.fact(STOP, 1.0, "2")
    room.chunk("x", 1.0, "2")
    room.fact(ReplyEnded({}, 0, "", 0, 0, {}), 1.0, "2")

    times = [record.at for record in room.news if record.kind != "fate"]
    assert [10.0, 15.0, 16.0, 16.0, 16.0, 16.0] == times


def test_a_reply_that_began_before_the_camera_has_the_time_of_day() -> None:
    room = Room()
    room.clock.now = 103.0
    room.fact(STOP, 57.0)
    room.chunk("x", 58.0)
    room.camera.flush()

    assert [3.0, 3.0] == [record.at for record in room.news]


def test_nothing_is_filmed_before_what_was_filmed_already() -> None:
    """A trace rounds its times."""
    room = Room()
    room.clock.now = 100.0000004
    room.mia.says(room.general, "Hello")
    room.fact(BEGUN)
    room.clock.now = 101.0000004
    room.mia.says(room.general, "Hello")
    room.fact(STOP, 1.0)

    times = [record.at for record in room.news]
    assert sorted(times) == times


def test_stories_stand_behind_the_fact_that_tells_them() -> None:
    records = rehearse(
        Rehearsal(beats_of("One.\n<think>hm</think>Two."), Settings.of(degree=2), asked="Hello?")
    ).records

    told = [(before, record) for before, record in pairwise(records) if record.kind in ("story", "fate")]
    stories = [(before, record.about) for before, record in told if record.kind == "story"]

    assert [before.about["about"]["message"] for before, _ in stories] == [about["message"] for _, about in stories]
    assert [[[0, 4]], [[22, 26]]] == [about["story"]["raw"] for _, about in stories]
    assert ["thought"] == [record.about["fate"] for _, record in told if record.kind == "fate"]
    assert all(before.at == record.at for before, record in told)
