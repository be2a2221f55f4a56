from __future__ import annotations

import pytest

from cadenza.rules.render_modifier import RenderModifier
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Identity, Kind, Persona, Segment, Sprite

PERSONA = Persona(
    "Locke",
    ("Lockie",),
    sprites=(Sprite("smug", "smug.png"), Sprite("Very Mad", "mad.png"), Sprite("Ghost", "g.png", is_identity=True)),
)
SMUG = Identity("Locke", "smug.png")


def rendered(*given: str | Segment, persona: Persona = PERSONA) -> list[tuple[str, Identity | None, str]]:
    rule = RenderModifier(RuleContext(persona))
    segments = [Segment(item, Boundary.NEWLINE) if isinstance(item, str) else item for item in given]
    return [(item.text, item.identity, item.label) for segment in segments for item in rule.feed(segment)]


@pytest.mark.parametrize(
    "line",
    [
        "Locke (smug): heh",
        "locke (SMUG): heh",
        "Locke(smug):heh",
        "Lockie (smug): heh",
        "Locke （smug）： heh",
        "\nLocke ( smug ): heh",
        "**Locke (smug):** heh",
    ],
)
def test_a_line_with_a_look_is_shown_under_it(line: str) -> None:
    assert rendered(line) == [("heh", SMUG, "Locke (smug): ")]


def test_a_label_on_a_line_of_its_own_stands_for_the_next_words() -> None:
    assert [("\n", SMUG, ""), ("heh\n", SMUG, "Locke (smug): "), ("more", SMUG, "")] == rendered(
        "Locke (smug):\n", "heh\n", "more"
    )


@pytest.mark.parametrize(
    ("line", "identity", "label"),
    [
        pytest.param("Locke (very  mad): x", Identity("Locke", "mad.png"), "Locke (Very Mad): ", id="spaces and case"),
        pytest.param(
            "Locke (ghost): x", Identity("Ghost (Locke)", "g.png"), "Locke (Ghost): ", id="somebody of their own"
        ),
    ],
)
def test_a_look_has_its_name_as_it_is_kept(line: str, identity: Identity, label: str) -> None:
    assert [("x", identity, label)] == rendered(line)


def test_a_look_lasts_until_the_plain_name_speaks() -> None:
    assert rendered("Locke (smug): heh", "still", "Locke: base", "again") == [
        ("heh", SMUG, "Locke (smug): "),
        ("still", SMUG, ""),
        ("Locke: base", None, ""),
        ("again", None, ""),
    ]


def test_a_look_lasts_until_another_one_comes() -> None:
    faces = [identity for _, identity, _ in rendered("Locke (smug): a", "Locke (very mad): b", "c")]

    assert [SMUG, Identity("Locke", "mad.png"), Identity("Locke", "mad.png")] == faces


def test_code_is_shown_under_the_look_that_is_on() -> None:
    code = Segment("```\nLocke (very mad): x\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert rendered("Locke (smug): a", code)[1] == ("```\nLocke (very mad): x\n```", SMUG, "")


def test_an_unknown_look_is_taken_off_and_ends_the_one_before() -> None:
    assert rendered("Locke (smug): a", "Locke (dancing): b", "c") == [
        ("a", SMUG, "Locke (smug): "),
        ("b", None, ""),
        ("c", None, ""),
    ]


@pytest.mark.parametrize(
    "line",
    [
        "Alice (smug): heh",
        "Sherlocke (smug): heh",
        "Locke (): heh",
        "Locke ( ): heh",
        "Locke (a:b): heh",
        "Locke (" + "x" * 65 + "): heh",
        "Locke (smug) heh",
        "then Locke (smug): heh",
        "(smug): heh",
        "Locke ((smug)): heh",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert [(line, None, "")] == rendered(line)


def test_a_label_in_the_middle_of_a_line_is_text() -> None:
    running = Segment("He said. ", Boundary.PERIOD)

    assert rendered(running, "Locke (smug): heh")[1] == ("Locke (smug): heh", None, "")


def test_a_persona_without_a_name_wears_no_look() -> None:
    assert rendered(" (smug): heh", persona=Persona("", sprites=(Sprite("smug"),))) == [(" (smug): heh", None, "")]


def test_a_name_is_taken_literally() -> None:
    persona = Persona("R.E.N (2)", sprites=(Sprite("mad"),))

    assert rendered("R.E.N (2) (mad): x", persona=persona)[0][::2] == ("x", "R.E.N (2) (mad): ")
    assert rendered("RxExN (2) (mad): x", persona=persona) == [("RxExN (2) (mad): x", None, "")]
