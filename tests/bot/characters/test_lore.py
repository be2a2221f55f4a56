"""The selection of lore."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.characters.character import Lore
from cadenza.bot.characters.lore import told
from tests.bot.characters.people import lores


@pytest.mark.parametrize(
    ("entry", "said", "is_told"),
    [
        pytest.param(Lore("x", ("fox",)), "A Fox!", True, id="whatever the case"),
        pytest.param(Lore("x", ("fox",)), "foxes", False, id="whole words"),
        pytest.param(Lore("x", ("fox",)), "Foxさん", True, id="japanese beside it"),
        pytest.param(Lore("x", ("狐",)), "白狐です", True, id="words run together"),
        pytest.param(Lore("x", ("여우",)), "여우가", True, id="korean endings"),
        pytest.param(Lore("x", ("Fox",), is_case_sensitive=True), "fox", False, id="this case only"),
        pytest.param(Lore("x", ("caf\u00e9",)), "cafe\u0301", True, id="however an accent is written"),
        pytest.param(Lore("x", ("c++",)), "c++ is old", True, id="no letters at the end"),
        pytest.param(Lore("x", ("a.c", ".*")), "abc", False, id="no patterns"),
        pytest.param(Lore("x", ("a",), ("b",), is_selective=True), "a", False, id="the second key is missing"),
        pytest.param(Lore("x", ("a",), ("b",), is_selective=True), "a b", True, id="both keys"),
        pytest.param(Lore("x", ("a",), ("b",)), "a", True, id="second keys are not asked"),
        pytest.param(Lore("x", ("a",), (), is_selective=True), "a", True, id="there are none"),
        pytest.param(Lore("x", is_constant=True), "", True, id="always"),
        pytest.param(Lore("x", ("a",), is_constant=True, is_enabled=False), "a", False, id="switched off"),
        pytest.param(Lore(" ", is_constant=True), "", False, id="says nothing"),
        pytest.param(Lore("x", ("", " ")), "anything", False, id="empty keys"),
        pytest.param(Lore("@@dont_activate\nx", ("a",)), "a", False, id="never by itself"),
        pytest.param(Lore("@@exclude_keys dog, cat\nx", is_constant=True), "a Cat", False, id="not if that was said"),
        pytest.param(Lore("@@exclude_keys dog\nx", ("a",)), "a cat", True, id="that was not said"),
        pytest.param(Lore("@@additional_keys b,c\nx", ("a",)), "a", False, id="one more key is missing"),
        pytest.param(Lore("@@additional_keys b,c\nx", ("a",)), "a c", True, id="one more key was said"),
        pytest.param(Lore("@@depth 3\n@@activate\nx"), "", True, id="always, as version 3 says it"),
    ],
)
def test_lore_is_told_when_it_was_spoken_of(entry: Lore, said: str, is_told: bool) -> None:  # noqa: FBT001  # a table
    assert (("x",) if is_told else ()) == told([entry], ["before", said])


def test_it_is_told_in_its_order_and_once() -> None:
    lore = [Lore("c", ("k",), order=3), Lore("a", ("k",), order=1), Lore("b", is_constant=True, order=2)]

    assert ("a", "b", "c") == told([*lore, Lore("a", ("k",), order=9)], ["k"])


def test_if_it_is_too_much_what_is_always_told_goes_first() -> None:
    lore = [Lore("a" * 6, ("k",), order=1), Lore("b" * 6, is_constant=True, order=2), Lore("c" * 4, ("k",), order=3)]

    assert ("b" * 6, "c" * 4) == told(lore, ["k"], most=10)


@settings(max_examples=40)
@given(st.lists(lores, max_size=8), st.lists(st.text(max_size=30), max_size=3), st.integers(0, 60))
def test_no_more_is_told_than_may_be(lore: list[Lore], recent: list[str], most: int) -> None:
    found = told(lore, recent, most=most)

    assert sum(map(len, found)) <= most
    assert all(any(text in entry.content for entry in lore if entry.is_enabled) for text in found)
