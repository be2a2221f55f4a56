from __future__ import annotations

import pytest

from cadenza.text.intake import Intake
from tests.helpers import same_every_way


def cleaned(pieces: list[str]) -> str:
    intake = Intake()
    return "".join(map(intake.feed, pieces)) + intake.flush()


@pytest.mark.parametrize(
    ("raw", "clean"),
    [
        pytest.param("", "", id="nothing"),
        pytest.param("plain\ntext", "plain\ntext", id="plain"),
        pytest.param("a\r\nb\r\n\r\nc", "a\nb\n\nc", id="b33 CRLF"),
        pytest.param("a\rb\r\rc", "a\nb\n\nc", id="CR alone"),
        pytest.param("a\n\rb", "a\n\nb", id="LF CR is two"),
        pytest.param("a\r", "a\n", id="CR at the very end"),
        pytest.param("a\r\n", "a\n", id="CRLF at the very end"),
        pytest.param("\r\r\n\n", "\n\n\n", id="a heap of ends"),
        pytest.param("x\ud83d\ude00y", "x😀y", id="b21 a pair in two halves"),
        pytest.param("\ud83d\ude00\ud83d\ude00", "😀😀", id="two pairs"),
        pytest.param("a\ud83db", "a\ufffdb", id="a lone high half"),
        pytest.param("a\ude00b", "a\ufffdb", id="a lone low half"),
        pytest.param("\ude00\ud83d", "\ufffd\ufffd", id="the wrong way round"),
        pytest.param("\ud83d\ud83d\ude00", "\ufffd😀", id="a lone half before a pair"),
        pytest.param("a\ud83d", "a\ufffd", id="a high half at the very end"),
        pytest.param("\ud83d\r\n", "\ufffd\n", id="a high half before a line end"),
        pytest.param("a\0b", "a\ufffdb", id="NUL"),
        pytest.param("a\x1b[2Jb\x7f\x07", "a\x1b[2Jb\ufffd\ufffd", id="orders to a terminal, but colours"),
        pytest.param("a\tb\vc\fd", "a\tb\vc\fd", id="white space stays"),
        pytest.param("😀 é \u2028\ufeff", "😀 é \u2028\ufeff", id="what is whole stays"),
    ],
)
def test_text_comes_out_clean_however_it_was_cut(raw: str, clean: str) -> None:
    assert clean == same_every_way(raw, cleaned)


@pytest.mark.parametrize("last", ["\r", "\ud83d"], ids=ascii)
def test_only_a_character_that_needs_the_next_one_is_held(last: str) -> None:
    intake = Intake()

    assert intake.feed("abc") == "abc"
    assert intake.feed("def" + last) == "def"


def test_an_empty_piece_lets_nothing_go() -> None:
    intake = Intake()
    intake.feed("a\r")

    assert intake.feed("") == ""
    assert intake.feed("\nb") == "\nb"


def test_flush_lets_go_once() -> None:
    intake = Intake()
    intake.feed("a\r")

    assert intake.flush() == "\n"
    assert intake.flush() == ""
