"""What a model is told and shown of a result."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from cadenza.tools.images import as_media
from cadenza.tools.results import as_result, failure, shortened
from cadenza.types import Media, MediaKind, Part, ToolResult
from tests.tools.test_images import PNG

PICTURE = as_media(PNG)
FILM = Media(MediaKind.VIDEO, "video/mp4", "https://example.org/film")


@pytest.mark.parametrize(
    ("value", "parts"),
    [
        pytest.param("clear", ("clear",), id="text"),
        pytest.param("\ud83c\udf75", ("🍵",), id="text in halves of characters"),
        pytest.param(None, ("Done; there is nothing to show.",), id="nothing"),
        pytest.param("", ("Done; there is nothing to show.",), id="empty text"),
        pytest.param([], ("[]",), id="an empty list is an answer"),
        pytest.param({"sky": "clear"}, ('{"sky": "clear"}',), id="data"),
        pytest.param(["a", "b"], ('["a", "b"]',), id="a list of texts"),
        pytest.param(False, ("false",), id="no"),
        pytest.param(FILM, (FILM,), id="media"),
        pytest.param(PNG, (PICTURE,), id="bytes of a picture"),
        pytest.param(bytearray(PNG), (PICTURE,), id="bytes that can change"),
        pytest.param(b"abc", ("(3 bytes that are no picture)",), id="other bytes"),
        pytest.param(["Look:", PNG, {"a": 1}, FILM], ("Look:", PICTURE, '{"a": 1}', FILM), id="all of them"),
        pytest.param((PNG, None, ["x", PNG]), (PICTURE, "x", PICTURE), id="a list in a list"),
        pytest.param({"map": PNG}, ('{"map": "(image 1)"}', PICTURE), id="a picture in data"),
    ],
)  # fmt: skip
def test_what_a_model_is_told(value: object, parts: tuple[Part, ...]) -> None:
    assert ToolResult(parts) == as_result(value)


def test_a_result_stays_as_it_is() -> None:
    result = ToolResult(("done", FILM), is_error=True, ends_turn=True)

    assert result == as_result(result)


def test_a_result_is_cut_too() -> None:
    told = as_result(ToolResult(("x" * 1000, FILM), ends_turn=True), limit=200)

    assert told.ends_turn
    assert FILM in told.parts
    assert len(told.text) <= 201


def test_a_picture_behind_a_long_row_is_shown_behind_it() -> None:
    told = as_result([0] * 2000 + [PNG])

    assert told.text.endswith('0, "(image 1)"]')
    assert PNG == told.parts[-1].data  # type: ignore[union-attr]  # it is no text


def test_of_a_row_without_end_only_what_there_is_room_for_is_looked_at() -> None:
    class Endless(Sequence[int]):
        looked_at = 0

        def __len__(self) -> int:
            return 10**9

        def __getitem__(self, place: object) -> int:
            self.looked_at += 1
            return 7

    endless = Endless()

    assert as_result(endless, limit=300).text.startswith("[7, 7, ")
    assert endless.looked_at < 300


def test_one_tool_cannot_fill_the_prompt() -> None:
    told = as_result("\n".join(f"line {number}" for number in range(10_000)), limit=500).text

    assert len(told) <= 500
    assert told.startswith("line 0\nline 1\n")
    assert told.endswith("\nline 9998\nline 9999")
    assert " characters are left out here " in told
    lines = [line for line in told.split("\n") if "left out" not in line]
    assert all(line.startswith("line ") for line in lines), "it is cut at the ends of lines"


def test_the_parts_of_a_result_share_the_room() -> None:
    told = as_result([PNG, "a" * 300, "b" * 300, "c"], limit=400)

    assert PICTURE in told.parts
    assert sum(len(part) for part in told.parts if isinstance(part, str)) <= 400


def test_a_note_says_how_much_is_missing() -> None:
    text = "word " * 1000

    head, _, rest = shortened(text, 300).partition("\n[… ")
    missing, _, tail = rest.partition(" characters are left out here …]\n")

    assert int(missing) == len(text) - len(head) - len(tail)
    assert text == head + text[len(head) : len(text) - len(tail)] + tail


@given(st.text(alphabet="ab\n🍵"), st.integers(1, 300))
def test_no_text_is_longer_than_it_may_be(text: str, limit: int) -> None:
    assert len(shortened(text * 20, limit)) <= limit
    assert text == shortened(text, max(len(text), limit))


def test_a_failure_says_so() -> None:
    assert ToolResult(("There is no tea left.",), is_error=True) == failure("There is no tea left.")
