"""What comes of what a page asks for."""

from __future__ import annotations

import json

import pytest

from cadenza.errors import CadenzaError, InputError
from cadenza.play.films.film import dump, packed
from cadenza.play.server.filming import checked, rehearsed, shared, told
from cadenza.play.server.request_types import Rehearse, Share, Side
from cadenza.play.server.tour import STORIES
from tests.play.films.told import filmed, unpacked


def test_a_text_is_rehearsed_once_for_each_side() -> None:
    made = json.loads(rehearsed(Rehearse("One.\nTwo.", 50.0, (Side(settings={"degree": 1}), Side(is_usual=True)))))

    assert "text" == made["what"]
    assert [2, 1] == [len(unpacked(film).of_kind("message")) for film in made["films"]]


EVENT = 'data: {"model": "m", "choices": [{"delta": {"content": "%s"}}]}\n\ndata: [DONE]\n\n'
SEVERAL = {
    "a recording of two calls": "".join(
        '{"recording": 1, "vendor": "openai", "model": "m"}\n' + json.dumps({"text": EVENT % said}) + "\n"
        for said in ("One.", "Two.")
    ),
    "a dump of two answers": EVENT % "One." + EVENT % "Two.",
    "two lines to replay": '{"chunks": ["One."]}\n{"chunks": ["Two."]}',
}


@pytest.mark.parametrize("text", SEVERAL.values(), ids=SEVERAL)
def test_one_answer_of_several_is_chosen(text: str) -> None:
    first, second = (json.loads(rehearsed(Rehearse(text, 50.0, (Side(),), answer=answer))) for answer in (1, 2))

    assert ["One.", "Two."] == first["answers"] == second["answers"]
    assert (1, 2) == (first["answer"], second["answer"])
    said = [[record.about["message"]["content"] for record in unpacked(one["films"][0]).of_kind("message")]
            for one in (first, second)]  # fmt: skip
    assert [["One."], ["Two."]] == said


def test_a_packed_film_is_rehearsed() -> None:
    film = filmed("One.\nTwo.", settings={"degree": 1})
    made = json.loads(rehearsed(Rehearse("", 50.0, (Side(),), file=dump(film), name="a.film.gz")))

    assert ("film", ["One. Two."]) == (made["what"], made["answers"])


def test_an_answer_that_is_not_there_is_refused() -> None:
    with pytest.raises(InputError, match=r"there is no answer 2 in 'a\.txt'; it has 1"):
        rehearsed(Rehearse("One.", 50.0, (Side(),), name="a.txt", answer=2))


@pytest.mark.parametrize(
    ("said", "shown"),
    [("One.\n\n Two.", "One. Two."), ("long " * 40, "long " * 11 + "long…"), ("<think>a</think>", "<think>a</think>")],
    ids=["in a line", "in short", "as it is"],
)
def test_answers_are_known_by_how_they_begin(said: str, shown: str) -> None:
    assert [shown] == json.loads(rehearsed(Rehearse(said, 50.0, (Side(),))))["answers"]


def test_what_nobody_waits_for_is_not_made() -> None:
    with pytest.raises(CadenzaError, match="this film was cancelled"):
        rehearsed(Rehearse("One.\nTwo.", 50.0, (Side(),)), lambda: True)


def test_a_story_has_its_films_and_captions() -> None:
    made = json.loads(told(STORIES[0], "en"))

    assert STORIES[0].id == made["id"]
    assert made["captions"]
    assert all(unpacked(film).records for film in made["films"])


def test_films_are_shared_as_a_page() -> None:
    film = packed(filmed("Hello there."))
    page = shared(Share((film,), title="Mine"), "ja").decode()

    assert page.startswith("<!doctype html>")
    assert '<html lang="ja"' in page
    assert film in page


def test_settings_that_name_files_are_refused() -> None:
    with pytest.raises(InputError, match="no setting that can be changed here"):
        checked(Side(settings={"table_fonts": ["x"]}))
