"""The Discord of a rehearsal: who is there, what may be named, what the server takes."""

from __future__ import annotations

from typing import Any

from cadenza.play.films import virtual_time
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film
from cadenza.play.films.plan import Rehearsal
from cadenza.play.films.rehearsal_room import RehearsalRoom
from cadenza.sim.rate_limits import Rate
from cadenza.sim.wire import Response, RestRequest
from cadenza.types import Persona, Roster, Sprite


def staged(**wanted: Any) -> RehearsalRoom:
    """The room of a rehearsal."""

    async def made() -> RehearsalRoom:
        with RehearsalRoom(Rehearsal((), **wanted)) as room:
            return room

    return virtual_time.run(made())


def sent(count: int, **wanted: Any) -> list[tuple[float, int | None]]:
    """When so many messages of the bot are answered, and with what."""

    async def sending() -> list[tuple[float, int | None]]:
        with RehearsalRoom(Rehearsal((), **wanted)) as room:
            body = {"content": "Hi"}
            for _ in range(count):
                await room.rest.handle(
                    RestRequest("POST", f"/channels/{room.channel}/messages", body=body, token=room.bot.token)
                )
            return [(round(record.at, 3), record.about["status"]) for record in room.film().of_kind("call")]

    return virtual_time.run(sending())


def test_the_first_of_the_people_asks_and_looks() -> None:
    room = staged(people=("Jo", "Mia"), asked="Well?")

    [message] = room.film().of_kind("message")
    assert "Jo" == message.about["message"]["author"]["name"]
    assert room.reply_to == message.about["message"]["id"]
    assert ["Jo"] == [
        one.about["person"]["name"] for one in room.film().of_kind("person") if one.about["person"]["is_me"]
    ]


def test_nobody_need_ask() -> None:
    room = staged()

    assert room.reply_to is None
    assert room.film().of_kind("message") == []
    assert room.roster.speakers == ()


def test_people_and_emoji_can_be_named() -> None:
    room = staged(people=("Mia", "Jo"), emoji=("wave",), asked="Well?")

    mia, jo = room.people["Mia"], room.people["Jo"]
    tags = {"Mia": mia.mention, "Jo": jo.mention, mia.id: mia.mention, jo.id: jo.mention}
    assert tags == dict(room.roster.mentions)
    assert room.roster.emoji["wave"].startswith("<:wave:")
    assert room.roster.speakers == ("Mia",)


def test_another_roster_goes_before_that() -> None:
    roster = Roster({"kim": "<@1>"})

    assert staged(roster=roster).roster is roster


def test_the_bot_has_the_name_of_a_persona_without_a_face_of_its_own() -> None:
    assert staged(persona=Persona("Ren")).bot.name == "Ren"
    assert staged(persona=Persona("Ren", is_alter=True)).bot.name == "Cadenza"
    assert staged(persona=Persona("")).bot.name == "Cadenza"


def test_faces_have_addresses_so_that_each_message_can_have_another() -> None:
    sprites = tuple(Sprite(name, f"data:image/png;base64,{name}") for name in ("aGFwcHk=", "c2xlZXB5"))
    room = staged(
        persona=Persona("Ren", avatar="https://a.example/ren.png", sprites=(*sprites, Sprite("odd", "data:,")))
    )
    happy, sleepy, odd = (sprite.avatar for sprite in room.persona.sprites)

    assert "https://a.example/ren.png" == room.persona.avatar
    assert happy != sleepy
    assert all(face and face.startswith(f"{room.world.cdn}/avatars/") for face in (happy, sleepy))
    assert "data:," == odd, "what is no picture stays what it was"


def test_the_server_takes_only_so_many_messages_and_takes_its_time() -> None:
    assert sent(3, limits=Rate(2, 9.0), latency=0.5) == [(0.5, 200), (1.0, 200), (1.5, 429)]


def test_limits_can_be_off_and_nothing_need_take_time() -> None:
    assert sent(60, limits=None, latency=0.0) == [(0.0, 200)] * 60


def test_what_goes_wrong_goes_wrong() -> None:
    assert sent(3, faults=(RehearsalFault("refused", at_message=2),), latency=0) == [(0, 200), (0, 403), (0, 200)]


def test_a_film_can_be_had_whenever() -> None:
    assert isinstance(staged(title="Now").film(), Film)
    assert staged(title="Now").film().title == "Now"


def test_a_webhook_that_somebody_deletes_is_gone() -> None:

    async def speaking() -> list[int]:
        with RehearsalRoom(Rehearsal((), faults=(RehearsalFault("webhook_gone"),))) as room:
            made = room.world.create_webhook(room.bot.id, room.channel, {"name": "Mouth"})
            path = f"/webhooks/{made['id']}/{made['token']}"
            answers: list[Response] = [
                await room.rest.handle(RestRequest("POST", path, body={"content": "Hi"})) for _ in "ab"
            ]
            return [answer.status for answer in answers]

    assert virtual_time.run(speaking()) == [204, 404]
