from __future__ import annotations

import re
from dataclasses import replace

import pytest

from cadenza.rules.rule import LineOpening, Rule, RuleContext
from cadenza.types import Boundary, Ending, Kind, Persona, Segment


class Shout(Rule):
    def change(self, segment: Segment) -> Segment:
        return replace(segment, text=segment.text.upper())


@pytest.mark.parametrize(
    ("persona", "names"),
    [
        pytest.param(Persona("Ren"), ("Ren",), id="one"),
        pytest.param(Persona("Ren", ("Ren Amamiya", "Jo")), ("Ren Amamiya", "Ren", "Jo"), id="longest first"),
        pytest.param(Persona(" Ren ", ("Ren", "", "  ")), ("Ren",), id="blank and double ones do not count"),
        pytest.param(Persona("B", ("A",)), ("A", "B"), id="as long as another"),
        pytest.param(Persona(""), (), id="none"),
    ],
)
def test_a_persona_answers_to_its_names(persona: Persona, names: tuple[str, ...]) -> None:
    assert names == RuleContext(persona).own_names


def test_a_text_may_open_with_other_names_too() -> None:
    context = RuleContext(Persona("Ren"), openers=("Aki", " Ren", "", "Lilya"))

    assert ("Lilya", "Aki", "Ren") == context.opening_names
    assert ("Ren",) == context.own_names


def test_only_prose_is_changed() -> None:
    rule = Shout(RuleContext())

    assert [
        item.text
        for kind in Kind
        for item in rule.feed(Segment("a", Boundary.FINAL, kind))
        if isinstance(item, Segment)
    ] == ["A", "a", "a"]


def test_a_plain_rule_changes_and_holds_nothing() -> None:
    rule = Rule(RuleContext())
    segment = Segment("a", Boundary.FINAL)

    assert (segment,) == tuple(rule.feed(segment))
    assert tuple(rule.flush(Ending.FINAL)) == ()


@pytest.mark.parametrize(
    ("text", "boundary", "opens"),
    [
        pytest.param("a\n", Boundary.NEWLINE, True, id="a line end"),
        pytest.param("a.", Boundary.PERIOD, False, id="a sentence"),
        pytest.param("a ", Boundary.OVERFLOW, False, id="an overflow"),
        pytest.param("a\n", Boundary.OVERFLOW, True, id="an overflow at a line end"),
        pytest.param("```\n```", Boundary.CODE_CLOSE, True, id="code"),
    ],
)
def test_what_comes_before_says_whether_a_line_begins(text: str, boundary: Boundary, opens: bool) -> None:  # noqa: FBT001
    line = LineOpening()
    assert line.opens_line

    line.last = Segment(text, boundary)

    assert opens is line.opens_line


# --- what rules have in common --------------------------------------------------------


class Vowels(Rule):
    def change(self, segment: Segment) -> Segment:
        return self.substituted(segment, re.compile("[aeiou]"), lambda vowel: vowel.group().upper())


def test_a_pattern_is_replaced_in_prose_only() -> None:
    rule = Vowels(RuleContext())

    assert rule.change(Segment("tea `tea` https://tea.example <:tea:1>", Boundary.FINAL)).text == (
        "tEA `tea` https://tea.example <:tea:1>"
    )


def test_a_segment_in_which_nothing_is_found_is_the_same_segment() -> None:
    rule = Vowels(RuleContext())

    for segment in (Segment("xyz", Boundary.FINAL), Segment("xyz `a`", Boundary.FINAL)):
        assert segment is rule.change(segment)


def test_one_rule_knows_what_another_has_scanned() -> None:
    context = RuleContext()
    first, second = Vowels(context), Vowels(context)

    changed = first.change(Segment("tea `tea`", Boundary.FINAL))

    assert first.prose(changed) is second.prose(changed)
    assert "tEA `tea`" == second.prose(changed).text


def test_every_context_has_a_scan_of_its_own() -> None:
    assert RuleContext() == RuleContext()
    assert RuleContext().scan is not RuleContext().scan


def test_a_rule_is_called_like_its_class() -> None:
    class MyHTTPRule2(Rule):
        pass

    class Named(Rule):
        name = "something_else"

    assert ["my_httprule2", "something_else", "shout"] == [MyHTTPRule2.name, Named.name, Shout.name]
