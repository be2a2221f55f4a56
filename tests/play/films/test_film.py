"""Films written down and read again, and what is said of those that cannot be."""

from __future__ import annotations

import gzip
import json
from base64 import b64decode

import pytest

from cadenza.errors import InputError
from cadenza.play.films.film import MOST_UNPACKED, Film, FilmRecord, dump, from_json, load, packed
from cadenza.play.films.plan import Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.settings import Settings
from tests.play.films.told import mixed_text

FILM = Film(
    (
        FilmRecord(0.0, "message", {"message": {"content": "Hi 👋"}}),
        FilmRecord(1.25, "tokens", {"turn": "1", "sort": "text", "text": "ab", "lengths": [1, 1], "times": [0.0, 0.5]}),
    ),
    "A title",
    {"degree": 2},
)


def test_a_film_is_written_and_read_again() -> None:
    assert load(dump(FILM)) == FILM
    assert load(b64decode(packed(FILM))) == FILM
    assert load(json.dumps(FILM.as_json())) == FILM


def test_a_file_is_the_gzip_of_json_and_always_the_same() -> None:
    film = Film((FilmRecord(0.1234567, "note", {"text": "é"}),))

    assert gzip.decompress(dump(film)).decode() == (
        '{"film":3,"title":"","seconds":0.123457,"settings":{},"records":[{"at":0.123457,"kind":"note","text":"é"}]}'
    )
    assert dump(film) == dump(film)
    assert dump(film)[4:8] == bytes(4), "a time of writing would make each file another"


@pytest.mark.parametrize("degree", [0, 1])
def test_a_film_is_at_most_three_times_as_long_as_its_text(degree: int) -> None:
    text = mixed_text(100_000)
    settings = Settings.of(degree=degree, flood_limit=1_000_000)

    film = rehearse(Rehearsal(beats_of(text, 1000.0), settings=settings, limits=None, painter=None))

    assert len(dump(film)) < 3 * len(text)
    assert film.as_json() == load(dump(film)).as_json()


def test_a_mixed_text_says_no_line_twice() -> None:
    lines = [line for line in mixed_text(20_000).split("\n") if len(line) > 40]

    assert len(set(lines)) == len(lines)


def test_half_a_character_can_be_written() -> None:
    film = Film((FilmRecord(0.0, "note", {"text": "\ud83d"}),))

    assert load(dump(film)) == film


def test_a_film_is_as_long_as_its_last_token_is_late() -> None:
    assert FILM.seconds == 1.75
    assert Film(FILM.records[:1]).seconds == 0.0
    assert Film(()).seconds == 0.0


def test_records_can_be_had_by_their_kind() -> None:
    assert FILM.of_kind("tokens") == [FILM.records[1]]


def test_fields_that_are_not_known_are_passed_over() -> None:
    assert from_json({"film": 3, "records": [], "tomorrow": True}) == Film(())


@pytest.mark.parametrize(
    ("text", "why"),
    [
        pytest.param('{"film": 3, "rec', "not valid JSON", id="half of one"),
        pytest.param("[" * 100_000, "not valid JSON", id="nested too deep"),
        pytest.param("[]", "must look like", id="a list"),
        pytest.param('{"records": []}', "must look like", id="no version"),
        pytest.param('{"film": 1, "records": []}', "version 1, and only 3 is known; make it again$", id="the first"),
        pytest.param('{"film": 2, "records": []}', "version 2, and only 3 is known; make it again$", id="of yesterday"),
        pytest.param('{"film": 4, "records": []}', "version 4, and only 3 is known; update", id="of tomorrow"),
        pytest.param('{"film": 3, "records": {}}', "must look like", id="no list of records"),
        pytest.param('{"film": 3, "title": 3, "records": []}', "title must be a text", id="a title that is none"),
        pytest.param('{"film": 3, "records": [3]}', "record 1 needs a time", id="a record that is none"),
        pytest.param('{"film": 3, "records": [{"at": 0}]}', "record 1 needs a time", id="without a kind"),
        pytest.param('{"film": 3, "records": [{"at": -1, "kind": "note"}]}', "record 1", id="before it began"),
        pytest.param('{"film": 3, "records": [{"at": NaN, "kind": "note"}]}', "record 1", id="at no time"),
        pytest.param(
            json.dumps({"film": 3, "records": [{"at": 2, "kind": "a"}, {"at": 1, "kind": "a"}]}),
            "record 2 is earlier",
            id="out of order",
        ),
    ],
)
def test_what_is_no_film_is_refused_with_a_sentence(text: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        load(text)


DAMAGED = {
    "cut off": (dump(FILM)[:-9], "its end is missing"),
    "torn in the middle": (dump(FILM)[:30], "its end is missing"),
    "only the first bytes of one": (b"\x1f\x8b", "its end is missing"),
    "damaged": (dump(FILM)[:20] + bytes(20) + dump(FILM)[40:], "it is damaged"),
    "of another sum": (dump(FILM)[:-8] + bytes(8), "it is damaged"),
    "no film": (gzip.compress(b"Hello."), "not valid JSON"),
    "no UTF-8": (gzip.compress(b"\xff\xff\xff"), "not valid JSON"),
    "a zip bomb": (gzip.compress(b" " * (MOST_UNPACKED + 1)), "more than 64 MB when it is unpacked"),
}


@pytest.mark.parametrize(("data", "why"), DAMAGED.values(), ids=DAMAGED)
def test_a_packed_film_that_cannot_be_read_is_refused_with_a_sentence(data: bytes, why: str) -> None:
    with pytest.raises(InputError, match=why):
        load(data)
