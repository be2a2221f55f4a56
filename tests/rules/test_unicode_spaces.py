from __future__ import annotations

import pytest

from cadenza.rules.rule import RuleContext
from cadenza.rules.unicode_spaces import UnicodeSpaces
from cadenza.settings import RuleSettings
from cadenza.types import Boundary, Kind, Segment


def spaced(text: str, *, kind: Kind = Kind.PROSE) -> str:
    rule = UnicodeSpaces(RuleContext(settings=RuleSettings(unicode_spaces=True)))
    (segment,) = rule.feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a⠀b⠀⠀c\n", "a b  c\n", id="between words"),
        pytest.param("⠀", " ", id="alone"),
        pytest.param("`a⠀b`⠀c ⠁", "`a⠀b` c ⠁", id="not in code"),
        pytest.param("[a⠀b](http://e.org)⠀c", "[a⠀b](http://e.org) c", id="not in a link"),
        pytest.param("see http://e.org⠀now <@1>⠀x", "see http://e.org now <@1> x", id="behind an address"),
        pytest.param("a b", "a b", id="none"),
    ],
)
def test_blank_patterns_become_spaces(text: str, expected: str) -> None:
    assert expected == spaced(text)


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert spaced("a⠀b", kind=kind) == "a⠀b"


@pytest.mark.parametrize("wanted", [True, False])
def test_it_is_idle_unless_it_is_wanted(wanted: bool) -> None:  # noqa: FBT001
    assert wanted is not UnicodeSpaces(RuleContext(settings=RuleSettings(unicode_spaces=wanted))).is_idle
