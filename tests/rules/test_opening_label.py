from __future__ import annotations

import pytest

from cadenza.rules.opening_label import OpeningLabel
from cadenza.rules.rule import RuleContext
from cadenza.settings import RuleSettings
from cadenza.types import Boundary, Ending, Halt, Kind, Participant, Persona, Roster, Segment, StopReason

LOCKE = Persona("Locke", ("Tomori",))
ROSTER = Roster(
    mentions={"dana": "<@1>"},
    personas={"Mia": "mia!"},
    participants=(Participant("Chris", ("the boss",)), Participant("Locke", ("tomori",))),
    speakers=("old man",),
)
STOP = Halt(StopReason.SPEAKER_GUARD)


def guard(*, may_retry: bool, roster: Roster = ROSTER) -> OpeningLabel:
    return OpeningLabel(RuleContext(LOCKE, roster, may_retry=may_retry))


def guarded(*given: str | Segment, may_retry: bool = False, roster: Roster = ROSTER) -> list[str | Halt]:
    rule = guard(may_retry=may_retry, roster=roster)
    segments = [Segment(item, Boundary.NEWLINE) if isinstance(item, str) else item for item in given]
    out = [item for segment in segments for item in rule.feed(segment)]
    return [item if isinstance(item, Halt) else item.text for item in out]


@pytest.mark.parametrize(
    ("line", "rest"),
    [
        pytest.param("Chris (smug): yo\n", "yo\n", id="somebody in the scene"),
        pytest.param("the boss (smug): yo", "yo", id="by another name"),
        pytest.param("Dana (smug): yo", "yo", id="somebody who can be mentioned"),
        pytest.param("mia (smug): yo", "yo", id="another persona"),
        pytest.param("MIA! (smug): yo", "yo", id="what calls it"),
        pytest.param("Old Man (in 2 days): yo", "yo", id="somebody who spoke before"),
        pytest.param("Zed (smug): yo", "yo", id="somebody unknown"),
        pytest.param("Mary-Jane O'Neil Éclair (very mad): yo", "yo", id="three words"),
        pytest.param("Zed（smug）：yo", "yo", id="full width"),
        pytest.param("**Zed (smug):** yo", "yo", id="bold"),
        pytest.param("*Zed (smug)*: yo", "yo", id="italic"),
        pytest.param("  Zed (smug) : yo", "yo", id="spaces"),
        pytest.param("\n\nZed (smug): yo", "\n\nyo", id="empty lines stay"),
        pytest.param("Chris: yo", "yo", id="plain"),
        pytest.param("the  BOSS：yo", "yo", id="plain by another name"),
        pytest.param("Locke: Zed (smug): yo", "yo", id="behind an own label"),
        pytest.param("**Locke:** {{char}}: Tomori: Chris: yo", "yo", id="behind several own labels"),
        pytest.param("Locke:\nChris: yo", "yo", id="on the next line"),
        pytest.param("Zed (smug): Chris: yo", "yo", id="two of them"),
        pytest.param("Zed (smug): Locke: yo", "Locke: yo", id="own labels behind it stay"),
        pytest.param("Chris (smug):", "", id="nothing behind it"),
        pytest.param("Chris (Germany): 5", "5", id="somebody in the scene, whatever is said"),
        pytest.param("Zed (smug): *sighs*", "*sighs*", id="an action"),
        pytest.param("Zed (smug): <3", "<3", id="a heart"),
        pytest.param("Chris:D-don't", "D-don't", id="a stutter that is no smiley"),
    ],
)
def test_a_reply_that_opens_as_somebody_else_is_tried_again_or_loses_the_label(line: str, rest: str) -> None:
    assert guarded(line, may_retry=True) == [STOP]
    assert [rest] == guarded(line)


@pytest.mark.parametrize(
    "line",
    [
        "Three options (pick one): a, b",
        "Option (a): b",
        "Note: yo",
        "Note (important): yo",
        "Warning (spoilers ahead): yo",
        "Python (3.11): yo",
        "Paris (one of my favourites): yo",
        "Ramen (recommended): yo",
        "Berlin (Germany): sunny",
        "Sakura (桜): yo",
        "Sakura (pretty 桜): yo",
        "Zed (very, very mad): yo",
        "Zed (so very mad): yo",
        "Python (programming language): yo",
        "Titanic (film): yo",
        "Butter (soft): 200 g",
        "Players (online): 5",
        "Frost (strong): -5 °C",
        "Rent (monthly): €500",
        "Rent (monthly): ~ $500",
        "Fruit (fresh): - apples",
        "Fruit (fresh):\n* apples",
        "Zutaten (frisch): Butter",
        "Réponse (courte): non",
        "The Sea (calm): yo",
        "Best Of Luck (smug): yo",
        "Four Capital Words Here (smug): yo",
        "zed (smug): yo",
        "Zed2 (smug): yo",
        "注意（重要）：yo",
        "Locke: hi",
        "Locke (smug): hi",
        "tomori (smug): hi",
        "Tomori: hi",
        "Dana: hi",
        "Mia: hi",
        "Zed: hi",
        "**Chris:** 5 points",
        '"Chris: hi" she said',
        "- Chris: yo",
        "* Chris (smug): yo",
        "1. Chris: yo",
        "1) Chris (smug): yo",
        "> Chris: yo",
        "# Chris: yo",
        "[Chris]: yo",
        "<@1>: yo",
        "@Chris: yo",
        "＠Chris: yo",
        "@Chris (smug): yo",
        "@Chris :wave: yo",
        "!!!: yo",
        "!!! (smug): yo",
        ":ok: yo",
        "Chris:) yo",
        "Chris:D yo",
        "Chris :wave: yo",
        "Chris:wave: yo",
        "Chris::yo",
        "chris://x.y",
        "https://x.y",
        "Chris (`smug`): yo",
        "Chris\n(smug): yo",
        "Chris (smug) yo",
        "hello Chris",
        "x" * 81 + " (smug): yo",
    ],
)
@pytest.mark.parametrize("may_retry", [True, False], ids=["may retry", "may not"])
def test_other_openings_stay_as_they_are(line: str, *, may_retry: bool) -> None:
    assert [line] == guarded(line, may_retry=may_retry)


@pytest.mark.parametrize(
    "line",
    [
        pytest.param("Chris:\n", id="heading"),
        pytest.param("Chris:\r\n- likes cats", id="heading of a list"),
        pytest.param("Chris: 12 points.", id="score"),
        pytest.param("Chris: ", id="nothing behind it"),
        pytest.param("Zed (smug):\n", id="somebody unknown"),
    ],
)
def test_what_may_be_a_heading_is_tried_again_but_never_taken_off(line: str) -> None:
    assert guarded(line, may_retry=True) == [STOP]
    assert [line] == guarded(line)
    assert ["...\n", line] == guarded("...\n", line, may_retry=True)


def test_other_names_that_a_text_may_open_with_are_nobody_elses() -> None:
    roster = Roster(participants=(Participant("Chris"), Participant("Mia")))
    rule = OpeningLabel(RuleContext(LOCKE, roster, openers=("Mia",)))

    assert ["Mia: yo", "yo"] == [
        segment.text
        for text in ("Mia: yo", "Mia: Chris: yo")
        for segment in OpeningLabel(rule.context).feed(Segment(text, Boundary.FINAL))
        if isinstance(segment, Segment)
    ]


def test_only_the_first_words_are_looked_at() -> None:
    assert guarded("hi\n", "Chris (smug): yo", may_retry=True) == ["hi\n", "Chris (smug): yo"]


def test_white_space_is_not_the_first_words() -> None:
    assert guarded("\n", " \n", "Chris (smug): yo", may_retry=True) == ["\n", " \n", STOP]


def test_a_reply_of_which_something_was_seen_is_not_tried_again() -> None:
    assert guarded("...\n", "Chris (smug): yo", may_retry=True) == ["...\n", "yo"]


def test_a_label_alone_on_its_line_was_not_the_first_words() -> None:
    assert guarded("Chris (smug):\n", "Chris: yo\n", "Chris: yo") == ["\n", "yo\n", "Chris: yo"]


@pytest.mark.parametrize("kind", [Kind.CODE, Kind.TABLE])
def test_what_is_no_prose_is_no_label(kind: Kind) -> None:
    block = Segment("Chris (smug): yo", Boundary.CODE_CLOSE, kind)

    assert guarded(block, "Chris (smug): yo", may_retry=True) == ["Chris (smug): yo", "Chris (smug): yo"]


def test_after_a_tool_call_the_reply_goes_on() -> None:
    rule = guard(may_retry=True)
    rule.feed(Segment("hi", Boundary.TOOL_CALL))
    rule.flush(Ending.TOOL_CALL)
    said = Segment("Chris (smug): yo", Boundary.FINAL)

    assert [said] == list(rule.feed(said))


def test_a_segment_keeps_what_else_it_is() -> None:
    (segment,) = guard(may_retry=False).feed(Segment("Chris: yo", Boundary.OVERFLOW, label="x"))

    assert Segment("yo", Boundary.OVERFLOW, label="x") == segment


@pytest.mark.parametrize(
    ("context", "idle"),
    [
        pytest.param(RuleContext(LOCKE), False, id="a name"),
        pytest.param(RuleContext(Persona("")), True, id="no name"),
        pytest.param(RuleContext(LOCKE, settings=RuleSettings(label_guard=False)), True, id="no guard"),
    ],
)
def test_when_there_is_nothing_to_guard(context: RuleContext, *, idle: bool) -> None:
    assert idle is OpeningLabel(context).is_idle


@pytest.mark.parametrize("text", ["Chris: " * 5000, "Zed (x): " * 5000, "Locke: " * 5000, " " * 50_000 + "x:"])
def test_long_openings_are_no_trouble(text: str) -> None:
    (rest,) = guarded(text)

    assert isinstance(rest, str)
    assert text.endswith(rest)


@pytest.mark.parametrize("line", ["Chris: $5", "Chris: -3 points", "Chris: - tea", "Chris: ≈ 12"])
def test_a_label_in_front_of_a_price_or_a_list_stays(line: str) -> None:
    assert guarded(line) == [line]
    assert guarded(line, may_retry=True) == [STOP]


@pytest.mark.parametrize(
    "line",
    [
        "Japanese (polite): ありがとうございます",
        "English (casual): hey there",
        "Python (interpreted): easy to learn",
        "Rezept (einfach): Nudeln kochen",
        "Lunes (temprano): gimnasio",
        "Verb (irregular): go",
    ],
)
def test_what_heads_an_answer_about_words_or_days_is_nobody(line: str) -> None:
    assert guarded(line) == [line]
    assert guarded(line, may_retry=True) == [line]
