from __future__ import annotations

import pytest

from cadenza.rules.rule import RuleContext
from cadenza.rules.sanitise import Sanitise
from cadenza.settings import RuleSettings
from cadenza.types import Boundary, Kind, Segment


def sanitised(text: str, words: str = "*", *, kind: Kind = Kind.PROSE) -> str:
    rule = Sanitise(RuleContext(settings=RuleSettings(sanitise=words)))
    (segment,) = rule.feed(Segment(text, Boundary.NEWLINE, kind))
    assert isinstance(segment, Segment)
    return segment.text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("sn·eaky `a·b`", "sneaky `a·b`", id="a word, code"),
        pytest.param("a·b :e·f: <x·y> `c·d`", "ab :ef: <x·y> `c·d`", id="a name, a tag"),
        pytest.param("s·n·e·aky, Crê·pe!", "sneaky, Crêpe!", id="several dots"),
        pytest.param("k·i·l·l", "kill", id="a dot between two l that is one of many"),
        pytest.param("3·4 = 12 and Catalan col·legi, COL·LEGI", "3·4 = 12 and Catalan col·legi, COL·LEGI", id="numbers, Catalan"),
        pytest.param("· a· ·b a · b a··b 3·a·b да·да", "· a· ·b a · b a··b 3·a·b да·да", id="no Latin letters around"),
        pytest.param("http://e.org/a·b [a·b](c)", "http://e.org/a·b [a·b](c)", id="addresses, links"),
        pytest.param("2 < 3 a·b", "2 < 3 ab", id="behind a less-than sign"),
        pytest.param("none", "none", id="none"),
    ],
)  # fmt: skip
def test_words_are_put_together(text: str, expected: str) -> None:
    assert expected == sanitised(text)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        pytest.param("sneaky", "sneaky o·ther", id="one"),
        pytest.param("  OTHER  sn·eaky ", "sneaky other", id="two, in any case, with a dot"),
        pytest.param("sneak", "sn·eaky o·ther", id="not a part of a word"),
    ],
)
def test_only_words_of_the_list_are_put_together(words: str, expected: str) -> None:
    assert expected == sanitised("sn·eaky o·ther", words)


def test_words_keep_their_case() -> None:
    assert sanitised("Sn·EAKY", "sneaky") == "SnEAKY"


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_only_prose_is_changed(kind: Kind) -> None:
    assert sanitised("a·b", kind=kind) == "a·b"


@pytest.mark.parametrize(("words", "idle"), [("", True), ("  ", True), ("*", False), ("a", False)])
def test_it_is_idle_without_words(words: str, idle: bool) -> None:  # noqa: FBT001
    assert idle is Sanitise(RuleContext(settings=RuleSettings(sanitise=words))).is_idle
