"""Traces as films."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from cadenza.facts import LoggedFact, MessageDeleted, MessageSent
from cadenza.play.films.film import dump, load
from cadenza.play.films.from_trace import films_of
from cadenza.play.films.summary import tellings
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Persona, Scene

SCENE = Scene("kitchen", Persona("Ren"))


SENT = MessageSent((), "Oops", (), (), "5", None, None, None, {}, 0.1)


def traced(text: str, *, turn: str = "") -> list[LoggedFact]:
    """The facts of a reply."""
    facts: list[LoggedFact] = []
    pieces = [text[start : start + 4] for start in range(0, len(text), 4)]
    asyncio.run(say(MemoryTarget(), pieces, scene=SCENE, settings=Settings.of(degree=1), trace=facts.append))
    return [replace(logged, turn=turn or logged.turn) for logged in facts]


def test_the_messages_of_a_trace_are_those_of_its_film() -> None:
    film = films_of(traced("One.\n<think>hm</think>Two *times*.\n"))[0]

    said = [record.about["message"] for record in film.of_kind("message")]
    assert ["One.", "Two *times*."] == [one["content"] for one in said]
    assert {"Ren"} == {one["author"]["name"] for one in said}
    assert ["Two ", {"is": "italic", "of": ["times"]}, "."] == said[1]["markup"]
    assert "One.\n<think>hm</think>Two *times*.\n" == "".join(one.about["text"] for one in film.of_kind("tokens"))
    assert 1 == film.settings["degree"]


def test_messages_stand_in_the_channel_of_the_reply() -> None:
    film = films_of(traced("One."))[0]

    [channel] = film.of_kind("channel")
    assert ("kitchen", "kitchen") == (channel.about["channel"]["id"], channel.about["channel"]["name"])
    assert ["kitchen"] == [one.about["message"]["channel"] for one in film.of_kind("message")]


def test_the_film_of_a_trace_can_be_written_read_and_told() -> None:
    film = films_of(traced("One.\nTwo (or\nthree).\n"))[0]

    [telling] = tellings(load(dump(film)))
    assert ["One.", "Two (or\nthree)."] == [message.text for message in telling.messages]
    assert ["reply", "line"] == [message.story["starts"]["reason"] for message in telling.messages]  # type: ignore[index]  # it is an object


def test_each_reply_of_a_trace_is_a_film() -> None:
    films = films_of([*traced("One.", turn="1"), *traced("Two.", turn="2")])

    assert [["One."], ["Two."]] == [
        [one.about["message"]["content"] for one in film.of_kind("message")] for film in films
    ]


def test_a_message_under_another_name_with_a_file_is_shown_as_such() -> None:
    fact = replace(SENT, text="", identity="Ren (mad)", attachment="table.png")
    film = films_of([LoggedFact(fact, 1.0, "t")])[0]

    shown = film.of_kind("message")[0].about["message"]
    assert ("Ren (mad)", True) == (shown["author"]["name"], shown["author"]["is_webhook"])
    assert ["table.png"] == [file["name"] for file in shown["files"]]


def test_a_message_that_was_taken_back_is_gone() -> None:
    facts = [
        LoggedFact(SENT, 1.0, "t"),
        LoggedFact(MessageDeleted("5", 0.1, None), 2.0, "t"),
        LoggedFact(MessageDeleted("6", 0.1, {"type": "X"}), 3.0, "t"),
    ]

    assert ["5"] == [record.about["id"] for record in films_of(facts)[0].of_kind("deleted")]
