"""What is found in a file, and the films of it."""

from __future__ import annotations

import io
import json
import os
import sys
from pathlib import Path

import pytest

from cadenza.errors import InputError
from cadenza.play.films.film import Film, dump
from cadenza.play.films.inputs import ExplainInput, data_of, is_trace, sources_of, subject_of
from cadenza.play.films.options import ExplainOptions
from cadenza.play.films.sources import LARGEST
from cadenza.types import TextDelta
from tests.play.films.told import filmed

FACT = b'{"fact": "chunk_heard", "at": 0.5, "kind": "text", "since": 0.5, "text": "Hi."}\n'
LINES = b'{"chunks": ["One.\\n"], "settings": {"degree": 1}}\n{"chunks": ["Two."]}\n'
SSE = b'data: {"object":"chat.completion.chunk","model":"m","choices":[{"index":0,"delta":{"content":"Hello."}}]}\n\ndata: [DONE]\n\n'


def said(film: Film) -> list[str]:
    return [record.about["message"]["content"] for record in film.of_kind("message")]


def subject(data: bytes, **wanted: object) -> ExplainInput:
    return subject_of(ExplainOptions("answer.md", **wanted), data)  # type: ignore[arg-type]  # each of its own type


@pytest.mark.parametrize(
    ("data", "what", "messages"),
    [
        pytest.param(b"One.\nTwo.", "text", [["One.", "Two."]], id="text"),
        pytest.param(LINES, "replay", [["One."], ["Two."]], id="replay"),
        pytest.param(SSE, "stream", [["Hello."]], id="stream"),
        pytest.param(dump(filmed("One.\n")), "film", [["One."]], id="film"),
    ],
)
def test_whatever_it_is_becomes_films(data: bytes, what: str, messages: list[list[str]]) -> None:
    found = subject(data, values={"degree": 2} if what == "text" else {})

    assert what == found.what
    assert messages == [said(films[0]) for films in found.films]
    assert (what != "film") == found.is_rehearsed
    assert found.told.endswith(".")


def test_what_is_said_to_be_a_text_is_one() -> None:
    found = subject(LINES, is_text=True)

    assert ("text", f"A text of {len(LINES)} characters.") == (found.what, found.told)
    assert '{"chunks": ["Two."]}' in said(found.films[0][0])[-1]


def test_only_the_answer_that_is_wanted_is_rehearsed() -> None:
    assert [["Two."]] == [said(films[0]) for films in subject(LINES, answer=2).films]


@pytest.mark.parametrize("answer", [0, 3, -1])
def test_an_answer_that_there_is_not_is_said(answer: int) -> None:
    with pytest.raises(InputError, match=f"there is no answer {answer} in 'answer.md'; it has 2"):
        subject(LINES, answer=answer)


def test_a_page_of_several_answers_asks_which() -> None:
    with pytest.raises(
        InputError, match=r"there are 2 answers in 'answer\.md', and a page shows one; choose it with --answer N"
    ):
        subject(LINES, html="out.html")


def test_a_film_is_told_as_it_is_and_rehearsed_if_something_is_to_be_otherwise() -> None:
    film = filmed("One.\nTwo.\n", settings={"degree": 1}, latency=1.0)

    as_it_was = subject(dump(film)).films[0][0]
    anew = subject(dump(film), is_rehearsed=True, values={"degree": 0}).films[0][0]

    assert dump(film) == dump(as_it_was)
    assert ["One.\nTwo."] == said(anew)


def test_a_reply_of_a_film_can_be_chosen() -> None:
    film = filmed("One.\n")
    value = film.as_json()
    value["records"] += [{**record, "at": 99.0, "turn": "other"} for record in value["records"] if "turn" in record]

    found = subject(json.dumps(value).encode(), answer=2)

    assert {"other"} == {one.about["turn"] for one in found.films[0][0].records if "turn" in one.about}


def test_two_settings_are_two_films() -> None:
    found = subject(b"It is. It was.", side_values=({"degree": 1}, {"degree": 3}))

    assert [["It is. It was."], ["it is", "it was"]] == [said(film) for film in found.films[0]]


def test_a_long_text_is_said_in_larger_pieces_in_the_same_time() -> None:
    text = ("a" * 99 + "\n") * 2500

    for is_text in (False, True):
        [source] = sources_of(ExplainOptions("answer.md", is_text=is_text, rate=1000.0), text.encode())

        assert 50_001 == len(source.beats)  # with the end
        assert 62.5 == pytest.approx(source.seconds)
        assert text == "".join(chunk.text for beat in source.beats for chunk in beat.chunks if type(chunk) is TextDelta)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"", "there is nothing to explain in 'answer.md'", id="empty"),
        pytest.param(b" \n\n", "there is nothing to explain in 'answer.md'", id="blank"),
        pytest.param(b"a\xff", "'answer.md' is not text in UTF-8", id="not UTF-8"),
        pytest.param(b"a\x00b", "'answer.md' is not text", id="binary"),
        pytest.param(b"a" * (LARGEST + 1), "'answer.md' is larger than ", id="large"),
        pytest.param(b'{"film": 3, "records": 5}', "the film cannot be read", id="half a film"),
        pytest.param(b'{"chunks": 5}', "line 1 cannot be replayed", id="half a line"),
    ],
)
def test_what_cannot_be_explained_is_said_in_a_sentence(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        subject(data)

    assert str(caught.value).startswith(complaint)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"a\xff", "'answer.md' is not text in UTF-8", id="not UTF-8"),
        pytest.param(b"a" * (LARGEST + 1), "'answer.md' is larger than ", id="large"),
    ],
)
def test_what_is_said_to_be_a_text_must_be_one(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError) as caught:
        subject(data, is_text=True)

    assert str(caught.value).startswith(complaint)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(FACT, True, id="a fact"),
        pytest.param(b"rubbish\n" + FACT, True, id="half of them"),
        pytest.param(b"rubbish\n" * 2 + FACT, False, id="less than half"),
        pytest.param(b"\xff\n" + FACT * 50, True, id="much of it"),
        pytest.param(b'{"step": "chunk", "at": 0.5, "kind": "text", "text": "Hi."}\n', False, id="an old trace"),
        pytest.param(b"Hello.\n", False, id="text"),
        pytest.param(LINES, False, id="replay"),
        pytest.param(b"", False, id="nothing"),
    ],
)
def test_a_trace_is_told_from_all_else(data: bytes, expected: bool) -> None:  # noqa: FBT001  # a column of the table
    assert expected == is_trace(data)


def test_a_file_is_read(tmp_path: Path) -> None:
    file = tmp_path / "answer.md"
    file.write_bytes(b"Hello.")

    assert b"Hello." == data_of(str(file))


def test_of_what_is_too_large_not_all_is_read_but_of_a_trace_it_is(tmp_path: Path) -> None:
    file = tmp_path / "large"
    with file.open("wb") as large:
        os.truncate(large.fileno(), 2 * LARGEST)
    assert LARGEST + 1 == len(data_of(str(file)))

    file.write_bytes(FACT + b"\n" * (2 * LARGEST))
    assert len(FACT) + 2 * LARGEST == len(data_of(str(file)))


@pytest.mark.parametrize(("name", "why"), [("no-such-file", "No such file"), (".", "Is a directory"), ("a\0b", "null")])
def test_a_file_that_cannot_be_read_is_said(name: str, why: str) -> None:
    with pytest.raises(InputError, match=f"cannot read .*{why}"):
        data_of(name)


def test_standard_input_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"Hello.")))
    assert b"Hello." == data_of("-")

    monkeypatch.setattr(sys, "stdin", None)
    with pytest.raises(InputError, match="there is no standard input"):
        data_of("-")
