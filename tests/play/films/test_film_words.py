"""What is said of a message, in words."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cadenza.play.films import film_words
from cadenza.types import Boundary
from tests.play.films.told import message, told


@pytest.mark.parametrize("boundary", [one.value for one in Boundary])
def test_every_boundary_has_words_for_both_of_its_sides(boundary: str) -> None:
    one = message(starts=boundary, ends=boundary)

    assert " " in film_words.starts(one)
    assert " " in film_words.ends(one)


def test_a_boundary_of_another_version_is_named_as_it_is() -> None:
    assert "a new thing" == film_words.ends(message(ends="a_new_thing"))


@pytest.mark.parametrize(
    ("hold", "words"),
    [
        pytest.param({"why": "code", "mark": "```"}, "because a block of code stays whole", id="code"),
        pytest.param({"why": "table", "mark": ""}, "because a table stays whole", id="table"),
        pytest.param({"why": "hidden", "mark": "thought"}, "because of a thought that is not shown", id="thought"),
        pytest.param({"why": "mark", "mark": "**"}, "because ** was open", id="mark"),
        pytest.param({"why": "undecided", "mark": "*"}, "because * may go on", id="undecided"),
        pytest.param({"why": "undecided", "mark": "\n"}, "because the next character decides", id="line end"),
        pytest.param(
            {"why": "rule", "mark": "sanitise"}, "because the rule sanitise waited for what follows", id="rule"
        ),
        pytest.param({"why": "gathered", "mark": ""}, "because the message was to hold more", id="gathered"),
        pytest.param({"why": "new_thing"}, "because of new thing", id="unknown"),
    ],
)
def test_a_hold_has_a_reason(hold: dict[str, object], words: str) -> None:
    assert [f"0.50 s {words}"] == film_words.holds(message(holds=[{"from": 1.0, "to": 1.5, **hold}]))


def test_holds_for_the_same_reason_are_told_together_and_short_ones_not_at_all() -> None:
    holds = [
        {"from": 1.0, "to": 1.5, "why": "mark", "mark": "("},
        {"from": 2.0, "to": 2.5, "why": "mark", "mark": "("},
        {"from": 3.0, "to": 3.01, "why": "undecided", "mark": "\n"},
    ]

    assert ["1.00 s because ( was open"] == film_words.holds(message(holds=holds), least=0.1)
    assert 2 == len(film_words.holds(message(holds=holds)))


@pytest.mark.parametrize(
    ("pause", "words"),
    [
        pytest.param({}, "", id="none"),
        pytest.param({"planned": 1.0, "typing": 1.0}, "1.00 s planned: typing 1.00 s", id="typing"),
        pytest.param(
            {"planned": 1.5, "typing": 1.0, "breath": 0.75, "cut": 0.25},
            "1.50 s planned: typing 1.00 s and breath 0.75 s, shortened by 0.25 s to fit the budget",
            id="cut",
        ),
    ],
)
def test_a_pause_is_told_with_its_parts(pause: dict[str, object], words: str) -> None:
    assert words == film_words.pause(message(pause=pause))


def test_messages_that_went_out_together_say_why() -> None:
    merged = {"count": 3, "why": "rate_limit"}

    assert "3 planned messages in one: the chat's rate limit" == film_words.merged(message(merged=merged))
    assert film_words.merged(message(merged=None)) == ""


@pytest.mark.parametrize(
    ("pings", "shows", "words"),
    [
        ((), (), ""),
        (("@Mia", "@crew"), (), "@Mia, @crew"),
        (("@Mia",), ("@Jo",), "@Mia; only named: @Jo"),
        ((), ("@everyone",), "nobody; only named: @everyone"),
    ],
)
def test_whom_a_message_pings_is_told(pings: tuple[str, ...], shows: tuple[str, ...], words: str) -> None:
    assert words == film_words.pings(replace(message(), pings=pings, shows=shows))


def test_the_time_is_told_by_where_it_went() -> None:
    waits = [{"from": 1.0, "to": 1.5, "why": "typing"}, {"from": 1.5, "to": 1.75, "why": "rate_limit"}]
    one = replace(message(waits=waits), took={"model": 0.5, "buffer": 0.001, "queue": 1.0, "sending": 0.08})

    assert (
        "0.50 s the model spoke, 1.00 s in the queue (0.50 s typing, 0.25 s for the rate limit, 0.25 s behind others), "
        "0.08 s on its way"
    ) == film_words.time(one)


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        pytest.param({"kind": "completed", "reason": "stop", "error": None}, "completed", id="completed"),
        pytest.param({"kind": "completed", "reason": "length", "error": None}, "completed: length", id="too long"),
        pytest.param({"kind": "stopped", "reason": "user", "error": None}, "stopped: user", id="stopped"),
        pytest.param({"kind": "broke", "reason": "X", "error": {"text": "Oh no"}}, "broke: Oh no", id="broke"),
        pytest.param({}, "nobody knows how", id="nothing"),
    ],
)
def test_an_outcome_is_told(outcome: dict[str, Any], words: str) -> None:
    assert words == film_words.outcome(outcome)


@pytest.mark.parametrize(
    ("seconds", "words"), [(0.0, "0.00 s"), (59.994, "59.99 s"), (59.996, "1 min 0 s"), (119.7, "2 min 0 s")]
)
def test_seconds_are_told_as_people_read_them(seconds: float, words: str) -> None:
    assert words == film_words.shown_seconds(seconds)


@pytest.mark.parametrize(
    ("file", "words"), [("", "5 characters taken out"), ("x.md", "5 characters taken out, or in a file")]
)
def test_what_is_in_no_text_is_told_and_a_file_is_not_forgotten(file: str, words: str) -> None:
    telling = told("Hi.<think>hm</think>")
    dropped = replace(telling, messages=(message(file=file),), numbers=replace(telling.numbers, unshown={"dropped": 5}))

    assert "17 characters of thoughts" == film_words.unshown(telling)
    assert words == film_words.unshown(dropped)
