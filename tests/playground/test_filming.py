"""What comes of what a page asks for."""

from __future__ import annotations

import json

import pytest

from cadenza.errors import CadenzaError, InputError
from cadenza.films.film import from_json, short_form
from cadenza.playground.bodies import Rehearse, Share, Side
from cadenza.playground.filming import checked, rehearsed, shared, told
from cadenza.playground.tour import STORIES
from tests.films.told import filmed


def test_a_text_is_rehearsed_once_for_each_side() -> None:
    made = json.loads(rehearsed(Rehearse("One.\nTwo.", 50.0, (Side(settings={"degree": 1}), Side(is_usual=True)))))

    assert "text" == made["what"]
    assert [2, 1] == [len(from_json(film).of_kind("message")) for film in made["films"]]


def test_what_nobody_waits_for_is_not_made() -> None:
    with pytest.raises(CadenzaError, match="nobody waits"):
        rehearsed(Rehearse("One.\nTwo.", 50.0, (Side(),)), lambda: True)


def test_a_story_has_its_films_and_captions() -> None:
    made = json.loads(told(STORIES[0], "en"))

    assert STORIES[0].id == made["id"]
    assert made["captions"]
    assert all(from_json(film).records for film in made["films"])


def test_films_are_shared_as_a_page() -> None:
    page = shared(Share((short_form(filmed("Hello there.")),), title="Mine"), "ja").decode()

    assert page.startswith("<!doctype html>")
    assert '<html lang="ja"' in page
    assert "Hello there." in page


def test_settings_that_name_files_are_refused() -> None:
    with pytest.raises(InputError, match="no setting that can be changed here"):
        checked(Side(settings={"table_fonts": ["x"]}))
