"""Streams rehearsed: the same film each time, with everything that can be wanted of one."""

from __future__ import annotations

import asyncio
import base64
import threading
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.errors import ProviderError
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film, dump
from cadenza.play.films.plan import Interlude, ModelBeat, Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.play.films.virtual_time import Abandoned
from cadenza.replies.replay import slicer
from cadenza.settings import Settings
from cadenza.sim.rate_limits import Rate
from cadenza.text.tables import Table
from cadenza.types import (
    Broke,
    Completed,
    Failed,
    Finished,
    Persona,
    Sprite,
    Stopped,
    StopReason,
    TextDelta,
    ThoughtDelta,
)

TALK = """Evening, @Mia! :wave:

| a | b |
|---|---|
| 1 | 2 |

Some `code`:
```python
def f():
    return 1
```
<think>secret</think>Done (really
done). Bye @everyone.
"""
PICTURE = base64.b64encode(
    base64.b64decode("iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==")
).decode()
LINES = Settings.of(degree=2)
SLOW = Settings.of(degree=2, typing_speed=0.03, typing_least=0.5)


def said(film: Film, *, by: str = "") -> list[str]:
    """What was said by others than Mia, or *by* one of them."""
    authors = [record.about["message"] for record in film.of_kind("message")]
    return [
        one["content"] for one in authors if (one["author"]["name"] == by if by else one["author"]["name"] != "Mia")
    ]


def facts(film: Film, name: str) -> list[Any]:
    """The values of the facts of this name."""
    return [record.about["about"] for record in film.of_kind("fact") if record.about["fact"] == name]


def test_a_text_becomes_messages() -> None:
    film = rehearse(Rehearsal(beats_of("One.\nTwo.\n"), LINES, asked="Well?", title="Counting"))

    assert said(film) == ["One.", "Two."]
    assert film.title == "Counting"
    assert film.reply is not None
    assert film.reply.outcome == Completed("stop")
    assert film.reply.transcript == "One.\nTwo."
    assert ["reply_began", "reply_ended"] == [film.of_kind("fact")[index].about["fact"] for index in (0, -1)]


def test_the_film_says_which_settings_it_was_played_with() -> None:
    assert rehearse(Rehearsal(beats_of("Hi"), settings=Settings.of(degree=3))).settings == {"degree": 3}


WANTED = Rehearsal(
    beats_of(TALK, 30),
    asked="Well?",
    settings=Settings.of(degree=3, tables="picture"),
    persona=Persona("Ren", avatar=f"data:image/png;base64,{PICTURE}", is_alter=True, sprites=(Sprite("mad"),)),
    people=("Mia", "Jo"),
    emoji=("wave",),
    asides=(Interlude(1.0, "Hm.", "Jo"),),
    faults=(
        RehearsalFault("rate_limit", at_message=3),
        RehearsalFault("lost", at_message=5),
        RehearsalFault("webhook_gone", at_message=4),
    ),
    seed=7,
)


def test_the_same_is_the_same_film_byte_for_byte() -> None:
    assert dump(rehearse(WANTED)) == dump(rehearse(WANTED))


def test_another_seed_is_another_film() -> None:
    assert dump(rehearse(WANTED)) != dump(rehearse(replace(WANTED, seed=8)))


@settings(max_examples=15)
@given(
    st.lists(
        st.sampled_from(["Hello there. ", "**bold", "** ", "\n", "```\n", "x = 1\n", "(a ", "b) ", "👋🏽 ", "@Mia "]),
        max_size=30,
    ),
    st.integers(0, 99),
)
def test_messages_do_not_depend_on_slicing(words: list[str], seed: int) -> None:
    """With as much time as they want: only the joining of messages that wait depends on time."""
    text = "".join(words)
    sliced = [ModelBeat(0.0, (TextDelta(piece),)) for piece in slicer(f"random:{seed}")([text])]
    unlimited = Rehearsal(beats_of(text, 1e6), limits=None, latency=0.0)

    assert said(rehearse(unlimited)) == said(
        rehearse(replace(unlimited, beats=[*sliced, ModelBeat(0.0, (Finished(),))]))
    )


def test_tables_are_pictures_and_painting_takes_no_time() -> None:
    class Painter:
        def paint(self, _table: Table, /) -> bytes:
            threading.Event().wait(0.05)
            return base64.b64decode(PICTURE)

    wanted = Rehearsal(beats_of(TALK, 1e6), settings=Settings.of(tables="picture"), painter=Painter(), limits=None)
    film = rehearse(wanted)

    assert ["table.png"] == [one["attachment"] for one in facts(film, "message_sent") if one["attachment"]]
    assert [0.0] * len(facts(film, "message_sent")) == [
        one["waited"].get("picture", 0.0) for one in facts(film, "message_sent")
    ]
    assert dump(film) == dump(rehearse(wanted))


def test_without_a_painter_tables_are_text() -> None:
    film = rehearse(Rehearsal(beats_of(TALK), settings=Settings.of(tables="picture"), painter=None))

    assert [one["attachment"] for one in facts(film, "message_sent")] == [None] * len(facts(film, "message_sent"))


def test_people_and_emoji_are_named_as_discord_wants_it() -> None:
    film = rehearse(Rehearsal(beats_of("Evening, @Jo! :wave:"), people=("Mia", "Jo"), emoji=("wave",)))

    text = " ".join(said(film))
    jo = next(one.about["person"]["id"] for one in film.of_kind("person") if one.about["person"]["name"] == "Jo")
    assert text.startswith(f"Evening, <@{jo}>!")
    assert "<:wave:" in text


def test_nobody_calls_everyone() -> None:
    film = rehearse(Rehearsal(beats_of("Hello @everyone and @Mia!")))

    mia = next(one.about["person"]["id"] for one in film.of_kind("person") if one.about["person"]["is_me"])
    assert [mia] == [call for one in film.of_kind("message") for call in one.about["message"]["pings"]]


def test_a_persona_speaks_under_its_own_name_and_with_its_sprites() -> None:
    mad = Sprite("mad", avatar=f"data:image/png;base64,{PICTURE}")
    persona = Persona("Ren", is_alter=True, sprites=(mad,))
    film = rehearse(Rehearsal(beats_of("Hello.\nRen (mad): Grr.\n"), persona=persona))

    authors = [one.about["message"]["author"] for one in film.of_kind("message")]
    assert ["Ren", "Ren"] == [author["name"].strip("\u200b\u2060 ") for author in authors]
    assert all(author["is_webhook"] for author in authors)
    assert [None, f"data:image/png;base64,{PICTURE}"] == [author["avatar"] for author in authors]


@pytest.mark.parametrize(
    "wanted",
    [
        pytest.param({"stop_at": 2.5}, id="at a time"),
        pytest.param({"asides": (Interlude(2.5, stops=StopReason.USER),)}, id="by somebody"),
    ],
)
def test_a_reply_can_be_stopped(wanted: dict[str, Any]) -> None:
    film = rehearse(Rehearsal(beats_of("Again and again.\n" * 40), asked="Well?", **wanted))

    assert film.reply is not None
    assert film.reply.outcome == Stopped(StopReason.USER)
    assert [(2.5, "Mia")] == [
        (round(one.at, 3), one.about["about"]["by"])
        for one in film.of_kind("fact")
        if one.about["fact"] == "stop_asked"
    ]
    assert 2.5 <= film.seconds < 4


def test_people_say_things_meanwhile_and_afterwards() -> None:
    acts = (Interlude(60.0, "Thanks!"), Interlude(0.2, "And Jo?", "Jo", StopReason.FOLLOW_UP))
    film = rehearse(Rehearsal(beats_of("Again and again.\n" * 40), people=("Mia", "Jo"), asides=acts))

    assert film.reply is not None
    assert film.reply.outcome == Stopped(StopReason.FOLLOW_UP)
    assert [(0.2, "And Jo?")] == [
        (round(one.at, 3), one.about["message"]["content"])
        for one in film.of_kind("message")
        if one.about["message"]["author"]["name"] == "Jo"
    ]
    assert film.seconds == 60.0


def test_a_tight_limit_has_messages_merged() -> None:
    wanted = Rehearsal(beats_of("One.\nTwo.\nThree.\nFour.\nFive.\nSix.\n" * 2, 500), settings=Settings.of(degree=1))
    loose, tight = rehearse(replace(wanted, limits=None)), rehearse(replace(wanted, limits=Rate(2, 8.0)))

    assert facts(loose, "messages_merged") == []
    assert facts(tight, "messages_merged") != []
    assert "\n".join(said(loose)) == "\n".join(said(tight))


def test_a_rate_limit_out_of_nowhere_loses_nothing() -> None:
    wanted = Rehearsal(
        beats_of("One.\nTwo.\nThree.\n"), LINES, faults=(RehearsalFault("rate_limit", at_message=2, seconds=4),)
    )
    film = rehearse(wanted)

    assert said(film)[0] == "One."
    assert "\n".join(said(film)) == "One.\nTwo.\nThree."
    assert [4.0] == [one.about["retry_after"] for one in film.of_kind("call") if one.about["status"] == 429]


def test_an_answer_that_is_lost_doubles_nothing() -> None:
    film = rehearse(Rehearsal(beats_of("One.\nTwo.\n"), LINES, faults=(RehearsalFault("lost"),)))

    assert said(film) == ["One.", "Two."]


def test_a_webhook_that_is_deleted_is_made_again() -> None:
    persona = Persona("Ren", is_alter=True)
    film = rehearse(Rehearsal(beats_of("One.\nTwo.\n"), LINES, persona, faults=(RehearsalFault("webhook_gone"),)))

    assert said(film, by="Ren") == ["One.", "Two."]
    made = [one for one in film.of_kind("call") if one.about["route"] == "POST /channels/{channel}/webhooks"]
    assert len(made) == 2


def test_a_model_that_fails_is_filmed_until_it_does() -> None:
    beats = [ModelBeat(0.1, (ThoughtDelta("Hm."),)), ModelBeat(0.1, (TextDelta("One.\nTw"),))]
    film = rehearse(Rehearsal([*beats, ModelBeat(0.5, (Failed(ProviderError("it broke")),))], LINES))

    assert film.reply is not None
    assert isinstance(film.reply.outcome, Broke)
    assert "One." in said(film)
    assert ["thought", "text"] == [one.about["sort"] for one in film.of_kind("tokens")]


def test_a_model_does_not_wait_until_somebody_has_listened() -> None:
    """What it says while the bot is busy has come when the bot listens again."""
    film = rehearse(Rehearsal(beats_of("One.\n" * 30, 10), latency=2.0))

    last = film.of_kind("tokens")[-1]
    assert last.until == pytest.approx(38 * 0.1, abs=0.2)


def test_a_megabyte_is_a_film_of_a_few_megabytes() -> None:
    """A part of one, so that the tests do not take long."""
    text = ("Hello there, this is a line of prose. " * 4 + "\n") * 200
    film = rehearse(Rehearsal(beats_of(text, 1000)))

    assert len(dump(film)) < 3 * len(text)
    assert len(film.of_kind("tokens")) < 1_000


async def test_it_can_be_run_beside_a_loop() -> None:
    film = await asyncio.wait_for(asyncio.to_thread(rehearse, Rehearsal(beats_of("Hi"))), 20)

    assert said(film) == ["Hi"]


def test_it_can_be_given_up() -> None:
    looks = iter(range(10**9))

    with pytest.raises(Abandoned):
        rehearse(Rehearsal(beats_of("Again and again.\n" * 10_000)), given_up=lambda: next(looks) > 50)

    assert next(looks) < 1_000


@pytest.mark.parametrize(("people", "called"), [(10, ["Mia", "Jo"]), (1, ["Mia"]), (0, [])])
def test_whom_a_message_calls_is_as_the_settings_say(people: int, called: list[str]) -> None:
    wanted = Settings.of(degree=1, mention_people=people)
    film = rehearse(Rehearsal(beats_of("@Mia, @Jo, @everyone!"), settings=wanted, people=("Mia", "Jo")))
    names = {record.about["person"]["id"]: record.about["person"]["name"] for record in film.of_kind("person")}
    [message] = [record.about["message"] for record in film.of_kind("message")]
    assert called == [names.get(id_, id_) for id_ in message["pings"]]


def test_a_role_is_there_if_the_settings_let_it_be_called() -> None:
    text = "@crew, tea!"
    calls = []
    for is_allowed in (False, True):
        film = rehearse(Rehearsal(beats_of(text), settings=Settings.of(mention_roles=is_allowed)))
        [message] = [record.about["message"] for record in film.of_kind("message")]
        calls.append((message["content"] == text, len(message["pings"])))
    assert [(True, 0), (False, 2)] == calls  # the role, and Mia, who has it
