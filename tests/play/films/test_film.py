"""Films written down and read again, and what is said of those that cannot be."""

from __future__ import annotations

import json

import pytest

from cadenza.errors import InputError
from cadenza.play.films.film import Film, Record, dump, from_json, load

FILM = Film(
    (
        Record(0.0, "message", {"message": {"content": "Hi 👋"}}),
        Record(1.25, "tokens", {"turn": "1", "sort": "text", "text": "ab", "lengths": [1, 1], "times": [0.0, 0.5]}),
    ),
    "A title",
    {"degree": 2},
)


def test_a_film_is_written_and_read_again() -> None:
    assert load(dump(FILM)) == FILM
    assert load(dump(FILM).encode()) == FILM


def test_what_is_written_is_as_short_as_can_be() -> None:
    assert dump(Film((Record(0.1234567, "note", {"text": "é"}),))) == (
        '{"film":1,"title":"","seconds":0.123457,"settings":{},'
        '"records":[{"at":0.123457,"kind":"note","text":"é"}],"packed":true}'
    )


def test_half_a_character_can_be_written() -> None:
    film = Film((Record(0.0, "note", {"text": "\ud83d"}),))

    assert load(dump(film).encode()) == film


def test_a_film_is_as_long_as_its_last_token_is_late() -> None:
    assert FILM.seconds == 1.75
    assert Film(FILM.records[:1]).seconds == 0.0
    assert Film(()).seconds == 0.0


def test_records_can_be_had_by_their_kind() -> None:
    assert FILM.of_kind("tokens") == [FILM.records[1]]


def test_fields_that_are_not_known_are_passed_over() -> None:
    assert from_json({"film": 1, "records": [], "tomorrow": True}) == Film(())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param('{"film": 1, "rec', "not valid JSON", id="half of one"),
        pytest.param("[" * 100_000, "not valid JSON", id="nested too deep"),
        pytest.param("[]", "must look like", id="a list"),
        pytest.param('{"records": []}', "must look like", id="no version"),
        pytest.param('{"film": 2, "records": []}', "version 2", id="of tomorrow"),
        pytest.param('{"film": 1, "records": {}}', "must look like", id="no list of records"),
        pytest.param('{"film": 1, "title": 3, "records": []}', "title must be a text", id="a title that is none"),
        pytest.param('{"film": 1, "records": [3]}', "record 1 does not say", id="a record that is none"),
        pytest.param('{"film": 1, "records": [{"at": 0}]}', "record 1 does not say", id="without a kind"),
        pytest.param('{"film": 1, "records": [{"at": -1, "kind": "note"}]}', "record 1", id="before it began"),
        pytest.param('{"film": 1, "records": [{"at": NaN, "kind": "note"}]}', "record 1", id="at no time"),
        pytest.param(
            json.dumps({"film": 1, "records": [{"at": 2, "kind": "a"}, {"at": 1, "kind": "a"}]}),
            "record 2 happened before",
            id="out of order",
        ),
    ],
)
def test_what_is_no_film_is_refused_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        load(text)
