from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ProviderError
from cadenza.models.guards.stop_strings import StopGuard
from cadenza.types import Chunk, Ending, Failed, Finished, TextDelta, ThoughtDelta, Usage
from tests.helpers import same_every_way
from tests.models.guards.guarding import fed, words


def answered(text: str, *stops: str) -> list[Chunk]:
    """What comes out for *text*, however it is sliced."""
    return same_every_way(text, lambda pieces: fed(StopGuard(stops), [*map(TextDelta, pieces), Finished("length")]))


@pytest.mark.parametrize(
    ("text", "stops", "expected"),
    [
        pytest.param("a###b", ("###",), "a", id="in the middle"),
        pytest.param("###b", ("###",), "", id="at the beginning"),
        pytest.param("a###", ("###",), "a", id="at the end"),
        pytest.param("a##b###c", ("###",), "a##b", id="behind half of one"),
        pytest.param("a####b", ("###",), "a", id="the first place"),
        pytest.param("a b c", ("c", "b"), "a ", id="the first of several"),
        pytest.param("Hi\nRen: x", ("\nRen:",), "Hi", id="a label"),
        pytest.param("aab aac", ("aac", "aab"), "", id="alike"),
        pytest.param("xa#a", ("a#a", "#"), "xa", id="one within another, which is whole before"),
    ],
)
def test_an_answer_ends_where_a_stop_string_begins(text: str, stops: tuple[str, ...], expected: str) -> None:
    *said, end = answered(text, *stops)

    assert Finished("stop") == end
    assert expected == words(said)


@pytest.mark.parametrize(
    ("text", "stops"),
    [
        pytest.param("Ren: x\nRe", ("\nRen:",), id="half of one at the end"),
        pytest.param("a##", ("###",), id="all but its last letter"),
        pytest.param("a###b", (), id="none"),
        pytest.param("a###b", ("",), id="an empty one"),
        pytest.param("a.*b", (".+b",), id="no pattern"),
    ],
)
def test_an_answer_without_one_is_not_touched(text: str, stops: tuple[str, ...]) -> None:
    assert [TextDelta(text), Finished("length")] == answered(text, *stops)


def test_counts_go_past_what_is_held() -> None:
    heard = fed(StopGuard(["##"]), [TextDelta("a#"), Usage(1, 2), Finished()])

    assert [TextDelta("a"), Usage(1, 2), TextDelta("#"), Finished()] == heard


def test_nothing_comes_behind_it() -> None:
    guard = StopGuard(["#"])
    heard = fed(guard, [TextDelta("a#b"), TextDelta("c"), Usage(1, 2), Finished()])

    assert [TextDelta("a"), Finished("stop")] == heard
    assert [] == list(guard.flush(Ending.FINAL))


def test_what_is_held_comes_before_what_ends_the_stream() -> None:
    failed = Failed(ProviderError("x"))

    assert [TextDelta("a#"), failed] == fed(StopGuard(["##"]), [TextDelta("a#"), failed])
    guard = StopGuard(["##"])
    assert [TextDelta("a")] == list(guard.feed(TextDelta("a#")))
    assert [TextDelta("#")] == list(guard.flush(Ending.FINAL))


def test_thoughts_are_not_looked_at() -> None:
    assert [ThoughtDelta("a#b"), Finished("length")] == fed(StopGuard("#"), [ThoughtDelta("a#b"), Finished("length")])


@given(st.text("ab#\n", max_size=40), st.lists(st.text("ab#\n", min_size=1, max_size=4), max_size=4))
def test_what_is_said_is_all_that_stands_before_the_first_that_is_whole(text: str, stops: list[str]) -> None:
    places = [(text.index(stop) + len(stop), text.index(stop)) for stop in stops if stop in text]

    *said, end = answered(text, *stops)

    assert text[: min(places)[1] if places else None] == words(said)
    assert Finished("stop" if places else "length") == end
