from __future__ import annotations

import pytest

from cadenza.rules.own_name import OwnName
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Kind, Persona, Segment

REN = Persona("Ren", ("Ren Amamiya", "蓮"))


def stripped(*given: str | Segment, persona: Persona = REN) -> list[str]:
    rule = OwnName(RuleContext(persona))
    segments = [Segment(item, Boundary.NEWLINE) if isinstance(item, str) else item for item in given]
    return [item.text for segment in segments for item in rule.feed(segment) if isinstance(item, Segment)]


@pytest.mark.parametrize(
    "line",
    [
        "Ren: hello",
        "REN:hello",
        "  Ren: hello",
        "Ren：hello",
        "Ren Amamiya: hello",
        "蓮：hello",
        "**Ren:** hello",
        "**Ren**: hello",
        "Ren: Ren: hello",
        "Ren: **Ren Amamiya:** hello",
    ],
)
def test_an_own_name_in_front_is_taken_off(line: str) -> None:
    assert stripped(line) == ["hello"]


@pytest.mark.parametrize(
    "line",
    ["Alice: hello", "Lauren: hello", "Renate: hello", "Ren hello", "I am Ren: hello", "Ren; hello", "*Ren*", "Re: n"],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert [line] == stripped(line)


def test_every_line_is_looked_at() -> None:
    assert stripped("Ren: a\n", "Ren: b\n") == ["a\n", "b\n"]


@pytest.mark.parametrize("boundary", [Boundary.PERIOD, Boundary.OVERFLOW])
def test_a_name_in_the_middle_of_a_line_is_text(boundary: Boundary) -> None:
    assert stripped(Segment("He asked. ", boundary), "Ren: hello") == ["He asked. ", "Ren: hello"]


def test_code_is_never_touched() -> None:
    code = Segment("Ren: hello", Boundary.CODE_CLOSE, Kind.CODE)

    assert stripped(code) == ["Ren: hello"]


def test_a_line_end_behind_the_name_stays() -> None:
    assert stripped("Ren:\n") == ["\n"]


def test_without_a_name_nothing_is_taken_off() -> None:
    assert stripped(": hello", persona=Persona("")) == [": hello"]


def test_a_name_is_taken_literally() -> None:
    assert stripped("Axa: hi", "A.a: hi", persona=Persona("A.a")) == ["Axa: hi", "hi"]


def test_a_code_block_in_between_begins_a_new_line() -> None:
    rule = OwnName(RuleContext(Persona("Ren")))
    rule.feed(Segment("so much text that it was cut ", Boundary.OVERFLOW))
    rule.feed(Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE))

    (segment,) = rule.feed(Segment("Ren: there", Boundary.FINAL))

    assert segment.text == "there"
