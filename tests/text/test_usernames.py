"""Names of webhooks: what Discord takes, and how the words are found again."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import given, strategies as st

from cadenza.text.names import both, lookalike, normalised, read_back
from cadenza.text.usernames import as_username, from_username

CLYDE = "\u0421lyde"
ODD = "cCdDiIsSoOrRlLyYeE aé\u0301\u0441\u0421\u200b\u200d\ufe0f\ufeff\t\n\x00\x85\u034f\u3164\u00a0()👩🚀🏽友\u017f"
NAMES = (
    st.text(max_size=200)
    | st.text(ODD, max_size=120)
    | st.lists(
        st.sampled_from(
            ["clyde", "Discord", "DISCORD", "\u200b", " ", " (Ren)", "x" * 40, "👩\u200d🚀", "e\u0301", "dis"]
        )
    ).map("".join)
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        pytest.param("Ren", "Ren", id="a name"),
        pytest.param("  Ren \t of\n\nAsh ", "Ren of Ash", id="white space is collapsed"),
        pytest.param("R\u200be\u2060n\x07\u202e", "Ren", id="what nobody sees is gone"),
        pytest.param("\ufeffRe\ufeffn", "Ren", id="a mark of no width is no space"),
        pytest.param("Re\u0301n", "R\u00e9n", id="accents are put together"),
        pytest.param("e\u034f\u0301", "\u00e9", id="also when something stood between"),
        pytest.param("\u200b", "Persona", id="T112 nothing to see"),
        pytest.param("", "Persona", id="nothing"),
        pytest.param(" \u3164\u2800 ", "Persona", id="fillers"),
        pytest.param("\ufe0f\u200d", "Persona", id="only what changes others"),
        pytest.param("a\ud800b", "ab", id="half a character"),
        pytest.param("👩\u200d🚀 Kay", "👩\u200d🚀 Kay", id="a joined emoji stays one"),
        pytest.param("K\u200day\u200d", "Kay", id="a loose joiner goes"),
        pytest.param("Clyde the Bard", f"{CLYDE} the Bard", id="T109 a forbidden word"),
        pytest.param("my DISCORD, discord", "my DIS\u0421ORD, dis\u0441ord", id="the other one, in any case"),
        pytest.param("cl\u200byde", "\u0441lyde", id="one that was hidden"),
        pytest.param("Discard Clive", "Discard Clive", id="words that are allowed"),
        pytest.param("x" * 80, "x" * 80, id="the longest"),
        pytest.param("x" * 81, "x" * 77 + "...", id="too long"),
        pytest.param("😀" * 80, "😀" * 80, id="code points count, not units"),
        pytest.param("x" * 90 + " (Ren)", "x" * 71 + "... (Ren)", id="T110 the source stays whole"),
        pytest.param("x" * 70 + " y" * 10 + " (Ren)", "x" * 70 + "... (Ren)", id="no space before the dots"),
        pytest.param("x (" + "y" * 90 + ")", "x (" + "y" * 74 + "...", id="a source that is too long itself"),
        pytest.param("x" * 76 + "👩\u200d🚀👩\u200d🚀", "x" * 76 + "...", id="no emoji is cut in two"),
    ],
)
def test_a_name_becomes_one_that_a_webhook_may_bear(name: str, expected: str) -> None:
    assert expected == as_username(name)


@pytest.mark.parametrize(
    ("username", "expected"),
    [
        pytest.param(f"{CLYDE} the Bard", "Clyde the Bard", id="T109"),
        pytest.param("DIS\u0421ORD dis\u0441ord", "DISCORD discord", id="the other one"),
        pytest.param("\u0421\u043b\u0430\u0432\u0430", "\u0421\u043b\u0430\u0432\u0430", id="a Cyrillic name"),
        pytest.param("\u0436\u0441lyde\u0436\u0436\u0436", "\u0436clyde\u0436\u0436\u0436", id="amid Cyrillic letters"),
        pytest.param("Ren", "Ren", id="nothing to find"),
    ],
)
def test_the_words_are_found_again(username: str, expected: str) -> None:
    assert expected == from_username(username)


@given(NAMES)
def test_every_name_becomes_a_legal_one(name: str) -> None:
    username = as_username(name)

    assert 1 <= len(username) <= 80
    assert not re.search("clyde|discord", username.casefold())
    assert username == unicodedata.normalize("NFC", username)
    assert username == " ".join(username.split())
    assert {"Cc", "Cf", "Cs"}.isdisjoint(unicodedata.category(letter) for letter in username.replace("\u200d", ""))
    assert username.replace("\ufe0f", "").replace("\u200d", "").strip()


@given(NAMES)
def test_a_legal_name_stays_as_it_is(name: str) -> None:
    username = as_username(name)

    assert username == as_username(username)
    assert username == as_username(from_username(username))


@given(
    st.lists(st.sampled_from(["Clyde", "discord", "DisCorD", "Ren", "d", "\u0436", "é", "-"]), min_size=1, max_size=9)
)
def test_the_words_of_a_tidy_name_come_back(words: list[str]) -> None:
    name = " ".join(words)

    assert name == from_username(as_username(name))


@pytest.mark.parametrize("name", ["Clyde", "Discord", "Clyde the Bard", "The discordant"])
def test_a_persona_is_recognised_under_its_legal_name(name: str) -> None:
    """T109: the history is read with this."""
    author = read_back(as_username(name), [name])

    assert author is not None
    assert name == author.persona
    assert normalised(name) == normalised(as_username(name))


@pytest.mark.parametrize("name", ["Clyde", "Discord", "Clyde Discord", "clydeclyde"])
def test_two_looks_of_a_forbidden_name_still_stand_under_two_names(name: str) -> None:
    twin = lookalike(name)

    assert twin is not None
    assert as_username(name) != as_username(twin)


def test_what_was_fitted_by_units_is_left_alone() -> None:
    name = both("M" * 90, "Ren")

    assert name == as_username(name)
