from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.names import (
    Author,
    both,
    lookalike,
    normalised,
    read_back,
    revealed,
    sprite_key,
)
from cadenza.text.units import units

# The letters that the next tests tell apart are spelled out: they would look the same.
TOMORI = "Tomor\u0456"
LOCKE = "Lock\u0435"


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(" Ren ", "ren", id="around"),
        pytest.param("@@ Ren", "ren", id="handles"),
        pytest.param("Ren \t\u3000 Amamiya", "ren amamiya", id="spaces"),
        pytest.param("\ufeffRen\u00a0A", "ren a", id="white space of the web"),
        pytest.param("Ren\x85A", "ren\x85a", id="no white space of the web"),
        pytest.param("Straße", "straße", id="case"),
        pytest.param("Jose\u0301", "jos\xe9", id="an accent in two characters"),
        pytest.param(TOMORI, "tomori", id="lookalikes"),
        pytest.param("", "", id="nothing"),
        pytest.param("@", "", id="only a handle"),
    ],
)
def test_names_are_the_same_when_they_are_normalised(name: str, expected: str) -> None:
    assert expected == normalised(name)


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        pytest.param("Ren", "mad", "Ren (mad)", id="both"),
        pytest.param(" Ren ", "\tmad\n", "Ren (mad)", id="trimmed"),
        pytest.param("", "mad", "mad", id="no first"),
        pytest.param("Ren", " ", "Ren", id="no second"),
        pytest.param("", "", "Persona", id="neither"),
        pytest.param("R" * 74, "mad", "R" * 74 + " (mad)", id="just fits"),
        pytest.param("R" * 90, "mad", "R" * 71 + "... (mad)", id="the first is cut"),
        pytest.param("R" * 70 + " RRRRRRRR", "mad", "R" * 70 + "... (mad)", id="no space before the dots"),
        pytest.param("Ren", "m" * 90, "Ren (" + "m" * 71 + "...)", id="the second is cut"),
        pytest.param("R" * 90, "m" * 73, "R... (" + "m" * 73 + ")", id="one letter is left of the first"),
        pytest.param("R" * 73, "m" * 90, "R" * 73 + " (m...)", id="one letter is left of the second"),
        pytest.param("R" * 90, "m" * 90, "R" * 77 + "...", id="neither leaves room"),
        pytest.param("R" * 74, "m" * 76, "R" * 74 + "...", id="neither leaves room, and the first would fit"),
        pytest.param("R" * 90, "", "R" * 77 + "...", id="alone and too long"),
        pytest.param("😀" * 40, "mad", "😀" * 35 + "... (mad)", id="in units, no half character"),
        pytest.param("👩‍👩‍👧" * 12, "mad", "👩‍👩‍👧" * 8 + "... (mad)", id="no half family"),
    ],
)
def test_two_names_become_one(first: str, second: str, expected: str) -> None:
    assert expected == both(first, second)


@given(st.text(max_size=120), st.text(max_size=120))
def test_a_name_of_two_is_never_too_long_nor_empty(first: str, second: str) -> None:
    assert 0 < units(both(first, second)) <= 80


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Tomori", TOMORI, id="the last letter that can"),
        pytest.param("Locke", LOCKE, id="at the end"),
        pytest.param("Ren", "R\u0435n", id="in the middle"),
        pytest.param("Touko Fukawa", "Touko Fukaw\u0430", id="the last word"),
        pytest.param("Tomori Ai", TOMORI + " Ai", id="the last word that is long enough"),
        pytest.param("Tomori (mad)", "Tomori (m\u0430d)", id="in brackets"),
        pytest.param("\u0421\u0430\u0448\u0430", "\u0421\u0430\u0448a", id="the other way round"),
        pytest.param("Ai", None, id="too short"),
        pytest.param("Luv", None, id="no letter that can"),
        pytest.param("ZZZ", None, id="no letter that can, in capitals"),
        pytest.param("ともり", None, id="another script"),
        pytest.param("X Æ A-12", None, id="single letters"),
        pytest.param("I\u043e\u043e Luv", None, id="a word of two scripts"),
        pytest.param("T\u043emori Ren", None, id="could not be turned back"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_name_has_a_twin_that_looks_the_same(name: str, expected: str | None) -> None:
    assert expected == lookalike(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param(TOMORI, "Tomori", id="one letter"),
        pytest.param("\u041cost", "Most", id="a capital"),
        pytest.param("\u0421\u0430\u0448a", "\u0421\u0430\u0448\u0430", id="the other way round"),
        pytest.param("\u0421\u0430\u0448\u0430", "\u0421\u0430\u0448\u0430", id="one script"),
        pytest.param("I\u043e", "I\u043e", id="half and half"),
        pytest.param("Ren\u0436", "Ren\u0436", id="a letter without a twin"),
        pytest.param("Ren", "Ren", id="nothing to reveal"),
    ],
)
def test_a_twin_is_turned_back(name: str, expected: str) -> None:
    assert expected == revealed(name)


@given(st.text("aceikoRTZ -(\u0430\u0435\u0436\u0421é友1", max_size=12))
def test_every_twin_is_another_name_and_turns_back(name: str) -> None:
    twin = lookalike(name)
    if twin is not None:
        assert name != twin
        assert name == revealed(twin)
        assert normalised(name) == normalised(twin)


@pytest.mark.parametrize(
    ("raw", "name", "key"),
    [
        pytest.param("Mad", "Mad", "mad", id="a word"),
        pytest.param("  very   mad ", "very mad", "very mad", id="spaces"),
        pytest.param("tab\there", "tab here", "tab here", id="a tab"),
        pytest.param("@Mad", "@Mad", "mad", id="a handle"),
        pytest.param("Ünï", "Ünï", "ünï", id="accents"),
        pytest.param("m\u200bad\u2060", "mad", "mad", id="what nobody sees"),
        pytest.param("m" * 64, "m" * 64, "m" * 64, id="the longest"),
    ],
)
def test_a_sprite_is_found_by_its_key(raw: str, name: str, key: str) -> None:
    assert key == sprite_key(raw) == sprite_key(name)


@pytest.mark.parametrize(
    ("username", "expected"),
    [
        pytest.param("Locke", Author("Locke", "Locke"), id="plain"),
        pytest.param(LOCKE, Author("Locke", "Locke"), id="a twin"),
        pytest.param("The Voice (Locke)", Author("Locke", "Locke (The Voice)"), id="somebody through the persona"),
        pytest.param("Mia (Locke)", Author("Locke", "Locke (Mia)"), id="a persona through another"),
        pytest.param("Locke (smug)", Author("Locke", "Locke (smug)"), id="a sprite in brackets"),
        pytest.param("locke (neutral)", Author("Locke", "Locke", is_neutral=True), id="the plain sprite in brackets"),
        pytest.param("A (B) (Locke)", Author("Locke", "Locke (A (B))"), id="the last brackets count"),
        pytest.param("Duo (2)", Author("Duo (2)", "Duo (2)"), id="a persona with brackets in its name"),
        pytest.param("Chris", None, id="nobody"),
        pytest.param("Chris (smug)", None, id="nobody in brackets"),
        pytest.param("Locke(smug)", None, id="no space"),
        pytest.param("Locke (" + "x" * 65 + ")", None, id="too long"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_who_spoke_is_read_back_from_a_name(username: str, expected: Author | None) -> None:
    assert expected == read_back(username, ["Locke", "Mia", "Duo (2)"])
