from __future__ import annotations

import time
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from cadenza.text.alignment import aligned, rewritten, squeezed

TEXT = st.text("ab*`(.", max_size=40)


def shares(old: str, new: str) -> list[tuple[str, str]]:
    """What of *old* each run of *new* was made of: neighbours that are the same are one."""
    found: list[tuple[str, str]] = []
    cuts = aligned(old, new).cuts
    for character, (begin, end) in zip(new, pairwise(cuts), strict=True):
        share, is_same = old[begin:end], old[begin:end] == character
        if found and is_same and found[-1][0] == found[-1][1]:
            found[-1] = (found[-1][0] + character, found[-1][1] + share)
        else:
            found.append((character, share))
    return found


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        pytest.param("abcdef", "abc", [("abc", "abc")], id="a beginning"),
        pytest.param("hi,@mia!Bye", "hi,@Mia!Bye", [("hi,@", "hi,@"), ("M", "m"), ("ia!Bye", "ia!Bye")], id="a letter"),
        pytest.param("Ren:hello", "hello", [("h", "Ren:h"), ("ello", "ello")], id="left out in front"),
        pytest.param("codecode", "```code", [("`", ""), ("`", ""), ("`", ""), ("code", "code")], id="put in in front"),
        pytest.param("boldmore", "bold**", [("bold", "bold"), ("*", ""), ("*", "")], id="put in at the end"),
        pytest.param(
            "so:meteor:many", "so🌠many", [("so", "so"), ("🌠", ":meteor:"), ("many", "many")], id="another form"
        ),
        pytest.param(
            "12:x93540:yes",
            "<93541>:x93540:yes",
            [("<", "12"), *((character, "") for character in "93541>"), (":x93540:yes", ":x93540:yes")],
            id="an id is another one, though it begins alike",
        ),
        pytest.param("", "ab", [("a", ""), ("b", "")], id="out of nothing"),
        pytest.param("ab", "", [], id="nothing"),
    ],
)
def test_each_character_has_its_share(old: str, new: str, expected: list[tuple[str, str]]) -> None:
    assert expected == shares(old, new)


@pytest.mark.parametrize(
    ("old", "new", "cuts"),
    [
        pytest.param("hi@Mia!x", "hi<@123456789012345678>!x", [0, 1, *[2] * 21, 6, 7, 8], id="a short end behind a long change"),
        pytest.param("Ren:hi", "hi", [0, 5, 6], id="left out in front"),
        pytest.param("aRen:hi", "ahi", [0, 1, 6, 7], id="left out in the middle"),
        pytest.param("hi", "hi!!", [0, 1, 2, 2, 2], id="put in at the end"),
        pytest.param("abc", "xyz", [0, 0, 0, 3], id="all of it another"),
        pytest.param("abc", "", [0], id="nothing"),
    ],
)  # fmt: skip
def test_what_was_rewritten_holds_all_that_it_was_made_of(old: str, new: str, cuts: list[int]) -> None:
    assert cuts == rewritten(old, new)


@given(TEXT, TEXT)
def test_of_what_was_rewritten_the_shares_are_in_order_and_nothing_is_left(old: str, new: str) -> None:
    cuts = rewritten(old, new)

    assert len(new) + 1 == len(cuts)
    assert 0 == cuts[0]
    assert sorted(cuts) == [*cuts]
    assert not new or len(old) == cuts[-1]


def test_a_large_change_is_bridged() -> None:
    end = "the end is the same, and it is long enough"
    old, new = "begin" + "x" * 300 + end, "begin" + "y" * 40 + end

    found = aligned(old, new)

    assert len(old) == found.cuts[-1]
    assert len(new) - 40 == found.matched
    assert found.is_good


def test_what_has_nothing_in_common_is_not_good() -> None:
    assert not aligned("a" * 50, "b" * 50).is_good


@given(TEXT, TEXT)
def test_shares_are_in_order_and_leave_nothing_out(old: str, new: str) -> None:
    cuts = aligned(old, new).cuts

    assert len(new) + 1 == len(cuts)
    assert 0 == cuts[0] or not new
    assert sorted(cuts) == list(cuts)
    assert cuts[-1] <= len(old)


@given(TEXT, TEXT)
def test_a_beginning_is_exact(new: str, rest: str) -> None:
    assert (list(range(len(new) + 1)), len(new)) == (
        list(aligned(new + rest, new).cuts),
        aligned(new + rest, new).matched,
    )


def test_texts_without_end_are_compared_in_time() -> None:
    begun = time.process_time()
    aligned("|one|two|" * 300, "─one─┼two─" * 300)
    aligned("a" * 20_000, "ab" * 10_000)

    assert time.process_time() - begun < 5.0


def test_white_space_is_what_a_browser_calls_so() -> None:
    assert "a\x85b" == squeezed(" a\u3000\x85\n\ufeffb\r\n")
