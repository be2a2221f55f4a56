"""Facts in films."""

from __future__ import annotations

import json

import pytest

from cadenza.errors import Sentence
from cadenza.explain.sentences import as_json
from cadenza.explain.telling import held_because, told_of
from cadenza.facts import (
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessagePlanned,
    ReplyBegan,
    StopAsked,
    TextChanged,
    TextHeld,
)
from cadenza.play.films.fact_records import facts_of, record_of, said_in
from cadenza.play.films.film import Film, FilmRecord, dump, load
from cadenza.text.origins import OriginRun, Traced

PLANNED = MessagePlanned(
    number=1, segments=(1,), text="Hi", origin=((2, 0, ""),), covers=((0, 2),), starts=Edge("reply"),
    ends=Edge("line", "shape", "lines", "\n"), pause=0.0, typing=0.0, breath=0.0, thinking=0.0, cut=0.0, identity=None,
    label="", reply=None, picture=False, file=None,
)  # fmt: skip


@pytest.mark.parametrize(
    ("fact", "token"),
    [
        pytest.param(ChunkHeard("text", 0.1, "a"), ("text", "a"), id="text"),
        pytest.param(ChunkHeard("thought", 0.1, "a"), ("thought", "a"), id="thought"),
        pytest.param(ChunkHeard("finished", 0.1, ""), None, id="another chunk"),
        pytest.param(StopAsked("user", ""), None, id="no chunk"),
    ],
)
def test_only_what_a_model_says_or_thinks_is_a_token(fact: Fact, token: tuple[str, str] | None) -> None:
    assert token == said_in(fact)


def filmed(fact: Fact, at: float = 0.0) -> FilmRecord:
    """The record of *fact*, which has one."""
    record = record_of(LoggedFact(fact, at, "1"), at)
    assert record is not None
    return record


def test_the_sentence_of_an_error_can_be_said_in_every_language_again() -> None:
    sentence = Sentence("{model} broke off: {why}", model="a:b", why=Sentence("the model sent no answer"))
    failed = ChunkHeard("failed", 0.0, "", {"error": {"type": "ProviderError", "text": sentence}})

    film = load(dump(Film((filmed(failed),))))
    [again] = [logged.fact for logged in facts_of(film)]
    assert failed == again
    assert told_of(failed) == told_of(again)


def test_a_record_is_what_json_would_give_back() -> None:
    facts: list[Fact] = [
        PLANNED,
        ReplyBegan("reply", "", "", None, {"a": (1, {"b": 2})}),
        TextHeld("mark", Traced("(", [OriginRun(1, 0)]), 1),
    ]
    for fact in facts:
        record = filmed(fact, 2.0)

        assert json.loads(json.dumps(record.as_json())) == record.as_json()
        assert load(dump(Film((record,)))).records == (record,)


def test_a_record_has_the_values_and_the_sentence_of_its_fact() -> None:
    stop, told = StopAsked("user", "Mia"), told_of(StopAsked("user", "Mia"))
    assert told is not None

    about = {"turn": "1", "fact": "stop_asked", "about": {"reason": "user", "by": "Mia"}, "told": as_json(told)}
    assert FilmRecord(2.0, "fact", about) == filmed(stop, 2.0)


def test_where_a_message_comes_from_is_told_by_its_story() -> None:
    about = filmed(PLANNED).about["about"]

    assert [[0, 2]] == about["covers"]
    assert "origin" not in about


@pytest.mark.parametrize("why", ["code", ""])
def test_a_hold_has_its_reason_while_it_lasts(why: str) -> None:
    told = filmed(TextHeld(why, "```", 3)).about["told"]

    assert (as_json(held_because("code", "```")) if why else None) == told


@pytest.mark.parametrize(("by", "expected"), [("joint", False), ("mentions", True)])
def test_changes_of_white_space_are_not_filmed(by: str, expected: bool) -> None:  # noqa: FBT001  # a column of the table
    changed = TextChanged(by, "rules", "changed", (1,), ("a",), ("b",), ())

    assert expected == (record_of(LoggedFact(changed, 0.0), 0.0) is not None)


def test_what_was_said_is_read_again() -> None:
    begun, end = ReplyBegan("reply", "c", "Ren", None, {}), ChunkHeard("finished", 0.5, "", {"reason": "stop"})
    tokens = {"turn": "1", "sort": "text", "text": "🌙ab", "lengths": [2, 2], "times": [0.0, 0.5]}
    records = [
        filmed(begun),
        FilmRecord(1.0, "tokens", tokens),
        filmed(end, 2.0),
        FilmRecord(2.0, "fact", {"turn": "1", "fact": "reply_began", "about": {"kind": 3}, "told": None}),
    ]

    assert [
        LoggedFact(begun, 0.0, "1"),
        LoggedFact(ChunkHeard("text", 0.0, "🌙", {}), 1.0, "1"),
        LoggedFact(ChunkHeard("text", 0.5, "ab", {}), 1.5, "1"),
        LoggedFact(end, 2.0, "1"),
    ] == [*facts_of(Film(tuple(records)))]
