"""Macros of cards."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.characters.placeholders import resolved


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{{char}} and {{user}}", "Ren and Mia"),
        ("{{CHAR}} {{ user }} <BOT> <char> <USER>", "Ren Mia Ren Ren Mia"),
        ("{{original}} Be brief.", "Be kind. Be brief."),
        ("a{{// a note {x} }}b", "ab"),
        ("a{{// several\nlines}}b{{comment: x}}{{hidden_key:fox}}", "ab"),
        ("{{time}} {char} {{", "{{time}} {char} {{"),
        ("{{random:a}} {{pick:: b }} {{Random: a\\,b}}", "a b a,b"),
        ("{{reverse:fox}} {{roll:1}} {{roll:d1}}{{roll:many}}", "xof 1 1"),
        ("<START>", "<START>"),
    ],
)
def test_names_are_put_in_and_comments_taken_out(text: str, expected: str) -> None:
    assert expected == resolved(text, char="Ren", user="Mia", original="Be kind.")


def test_nobody_in_particular_is_the_user() -> None:
    assert "User" == resolved("{{user}}", char="Ren")


def test_what_a_name_holds_is_not_looked_at_again() -> None:
    assert "{{user}} {{// x}}" == resolved("{{char}} {{user}}", char="{{user}}", user="{{// x}}")


@given(st.text("{}/ charuse:<>\n", max_size=200))
def test_text_without_macros_stays(text: str) -> None:
    if "{{" not in text and "<" not in text:
        assert text == resolved(text, char="Ren")


def test_hostile_text_is_quick() -> None:
    assert len(resolved("{{//" * 50_000, char="Ren")) == 200_000


def test_one_of_several_is_taken_and_dice_are_thrown() -> None:
    assert {"a", "b", "c"} == {resolved("{{random:a, b,c}}", char="Ren") for _ in range(200)}
    assert {"a", "b"} == {resolved("{{random::a::b}}", char="Ren") for _ in range(200)}
    assert {"1", "2", "3"} == {resolved("{{roll:d3}}", char="Ren") for _ in range(200)}
    assert 1 == len({resolved("{{pick:a,b,c,d,e,f,g}}", char="Ren") for _ in range(50)})
