"""What a usual bot makes of a stream."""

from __future__ import annotations

import pytest

from cadenza.errors import ProviderError
from cadenza.play.films.fault_names import RehearsalFault
from cadenza.play.films.film import Film, dump
from cadenza.play.films.plan import Interlude, ModelBeat, Rehearsal, beats_of
from cadenza.play.films.usual_bot import rehearse_usual
from cadenza.play.films.virtual_time import Abandoned
from cadenza.sim.rate_limits import Rate
from cadenza.types import Failed, Persona, StopReason, TextDelta, ThoughtDelta


def shown(film: Film) -> list[str]:
    """What can be read in the end, of what the bot said."""
    texts: dict[str, str] = {}
    for record in film.records:
        if record.kind in ("message", "changed") and record.about["message"]["author"]["is_bot"]:
            texts[record.about["message"]["id"]] = record.about["message"]["content"]
    return list(texts.values())


def statuses(film: Film, method: str) -> list[int | None]:
    """How the calls of this method were answered."""
    return [one.about["status"] for one in film.of_kind("call") if one.about["route"].startswith(method)]


def test_one_message_grows_about_once_a_second() -> None:
    film = rehearse_usual(Rehearsal(beats_of("word " * 80, 20), asked="Well?", latency=0.0))

    assert shown(film) == [("word " * 80).strip()]
    times = [record.at for record in film.of_kind("changed")]
    assert [1.05, 2.05, 3.1, 4.15, 5.0] == [round(at, 2) for at in times]


def test_at_two_thousand_units_the_next_message_goes_on_wherever_that_is() -> None:
    text = "abc👋" * 500  # five units each
    film = rehearse_usual(Rehearsal(beats_of(text, 200)))

    assert [400 * "abc👋", 100 * "abc👋"] == shown(film)
    code = rehearse_usual(Rehearsal(beats_of("```py\n" + "x = 1\n" * 500 + "```", 200)))
    assert [1, 1] == [one.count("```") for one in shown(code)]


def test_everything_is_shown_and_everybody_is_called() -> None:
    text = "<think>They are new.</think>\nRen: Hello @everyone!"
    film = rehearse_usual(Rehearsal(beats_of(text), persona=Persona("Ren", is_alter=True)))

    assert shown(film) == [text]
    assert ["everyone"] in [one.about["message"]["pings"] for one in film.records if "message" in one.about]
    assert {"Ren"} == {one.about["message"]["author"]["name"] for one in film.of_kind("message")}


def test_what_it_was_told_is_in_the_film_but_no_facts() -> None:
    beats = [ModelBeat(0.1, (ThoughtDelta("Hm."),)), ModelBeat(0.1, (TextDelta("Hi."),))]
    film = rehearse_usual(Rehearsal(beats, asked="Well?"))

    assert [("thought", "Hm."), ("text", "Hi.")] == [
        (one.about["sort"], one.about["text"]) for one in film.of_kind("tokens")
    ]
    assert film.of_kind("fact") == []
    assert film.reply is None


def test_an_edit_that_meets_a_limit_is_left_out_and_the_last_is_not() -> None:
    wanted = Rehearsal(beats_of("word " * 80, 20), faults=(RehearsalFault("rate_limit", at_message=3, times=1),))
    film = rehearse_usual(wanted)

    assert shown(film) == [("word " * 80).strip()]
    assert statuses(film, "PATCH").count(429) == 1


def test_a_new_message_is_tried_once_more() -> None:
    once = rehearse_usual(Rehearsal(beats_of("Hi."), faults=(RehearsalFault("rate_limit", times=1),)))
    twice = rehearse_usual(Rehearsal(beats_of("Hi."), faults=(RehearsalFault("rate_limit", times=2),)))

    assert shown(once) == ["Hi."]
    assert shown(twice) == []


@pytest.mark.parametrize("what", ["refused", "lost", "broken"])
def test_whatever_else_goes_wrong_ends_the_reply_and_nobody_is_told(what: str) -> None:
    trouble = RehearsalFault(what, at_message=2)  # type: ignore[arg-type]  # it is one of them
    [text] = shown(rehearse_usual(Rehearsal(beats_of("word " * 80, 20), faults=(trouble,))))

    assert len(text) < 200


def test_a_model_that_breaks_off_leaves_what_was_shown() -> None:
    beats = [
        ModelBeat(0.1, (TextDelta("One"),)),
        ModelBeat(0.1, (TextDelta(" two"),)),
        ModelBeat(0.1, (Failed(ProviderError("no")),)),
    ]

    assert shown(rehearse_usual(Rehearsal(beats))) == ["One"]


def test_nothing_is_said_where_there_is_nothing_to_say() -> None:
    assert shown(rehearse_usual(Rehearsal(beats_of("  \n")))) == []


def test_it_cannot_be_stopped_and_people_talk_meanwhile() -> None:
    wanted = Rehearsal(
        beats_of("word " * 80, 20), stop_at=0.5, asides=(Interlude(1.0, "Stop!", stops=StopReason.USER),)
    )
    film = rehearse_usual(wanted)

    assert shown(film) == [("word " * 80).strip()]
    assert "Stop!" in [one.about["message"]["content"] for one in film.of_kind("message")]


def test_only_the_first_message_answers() -> None:
    film = rehearse_usual(Rehearsal(beats_of("a" * 5000, 500), asked="Well?"))

    asked = [one for one in film.of_kind("call") if one.about["route"].startswith("POST /channels/{channel}/messages")]
    assert len(asked) == 3


def test_a_tight_limit_slows_it_down() -> None:
    wanted = Rehearsal(beats_of("a" * 9000, 2000), limits=Rate(1, 5.0))

    assert 429 in statuses(rehearse_usual(wanted), "POST")


def test_the_same_is_the_same_film() -> None:
    wanted = Rehearsal(beats_of("word " * 800, 90), asked="Well?")

    assert dump(rehearse_usual(wanted)) == dump(rehearse_usual(wanted))


def test_it_can_be_given_up() -> None:
    with pytest.raises(Abandoned):
        rehearse_usual(Rehearsal(beats_of("Again and again.\n" * 10_000)), given_up=lambda: True)
