from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from cadenza.replies.outbox.grouping_names import NameContinuity
from cadenza.rules.opening_label import OpeningLabel
from cadenza.rules.own_name import OwnName
from cadenza.rules.render_modifier import RenderModifier
from cadenza.rules.rule import RuleContext
from cadenza.stages.stage import Pipe
from cadenza.text.names import NEUTRAL
from cadenza.types import Boundary, Ending, Halt, Identity, Kind, Participant, Persona, Roster, Segment, Sprite

PERSONA = Persona(
    "Locke",
    ("Lockie",),
    avatar="locke.png",
    sprites=(
        Sprite("smug", "smug.png"),
        Sprite("Very Mad", "mad.png"),
        Sprite("Ghost", "g.png", is_identity=True),
        Sprite("Shade", is_identity=True),
        Sprite("broken", is_usable=False),
        Sprite("SMUG", "never.png"),
    ),
)
ROSTER = Roster(
    participants=(
        Participant("Obonya", ("obo", "o"), "obo.png"),
        Participant("broken", (), "other.png"),
        Participant("Sam", (), "sam.png"),
        Participant("sam", (), "other-sam.png"),
        Participant("LOCKE", ("me",), "self.png"),
        Participant("Twice", ("twice",), "twice.png"),
        Participant("Twice", ("twice",), "twice.png"),
    ),
    personas={"Aki": "aki!", "Bo": ""},
)
SMUG = Identity("Locke", "smug.png", "smug")
MAD = Identity("Locke", "mad.png", "Very Mad")
GHOST = Identity("Ghost (Locke)", "g.png")
OBO = Identity("Obonya (Locke)", "obo.png")
BASE = Identity("Locke", "locke.png", NEUTRAL)

Shown = tuple[str, Identity | None, str]


def fed(rule: RenderModifier, *given: str | Segment) -> list[Shown]:
    segments = [Segment(item, Boundary.NEWLINE) if isinstance(item, str) else item for item in given]
    return [(item.text, item.identity, item.label) for segment in segments for item in rule.feed(segment)]


def rendered(*given: str | Segment, persona: Persona = PERSONA) -> list[Shown]:
    return fed(RenderModifier(RuleContext(persona, ROSTER)), *given)


# --- what is a label ---------------------------------------------------------------


@pytest.mark.parametrize(
    "line",
    [
        "Locke (smug): heh",
        "locke (SMUG): heh",
        "Locke(smug):heh",
        "Lockie (smug): heh",
        "Locke （smug）： heh",
        "  Locke ( smug ) : heh",
        "**Locke (smug):** heh",
        "**Locke (smug)**: heh",
        "`Locke (smug):` heh",
        "_Locke (smug):_ heh",
        "Locke: Locke (smug): heh",
        "**Locke:** Locke (smug): heh",
        "Aki: aki!: Lockie: Locke (smug): heh",
        "Locke (s\u200bmug): heh",
        "Locke (very mad): Locke (smug): heh",
        "**Locke (very mad):** Locke: Aki: *Locke (smug):* heh",
        "`Locke (very mad):` `Locke (smug):` heh",
        "Locke (obo): Locke (nobody): Lockie (smug): heh",
    ],
)
def test_a_line_with_a_sprite_is_shown_under_it(line: str) -> None:
    assert rendered(line) == [("heh", SMUG, "Locke (smug): ")]


@pytest.mark.parametrize(
    "line",
    [
        "Alice (smug): heh",
        "Aki (smug): heh",
        "Zed: Locke (smug): heh",
        "Sherlocke (smug): heh",
        "Locke (): heh",
        "Locke ( ): heh",
        "Locke (a:b): heh",
        "Locke (" + "x" * 65 + "): heh",
        "Locke (" + "😀" * 33 + "): heh",
        "Locke (smug) heh",
        "then Locke (smug): heh",
        "...Locke (smug): heh",
        "(smug): heh",
        "Locke ((smug)): heh",
        "Locke\n(smug): heh",
        "* Locke (smug): *sighs* heh",
        "- Locke (smug): heh",
        "1. Locke (smug): heh",
        "> Locke (smug): heh",
        "# Locke (smug): heh",
        "**Locke (smug): heh",
        "Locke (`smug`): heh",
        "Locke (smug):D heh",
        "Locke (smug) :wave: heh",
        "say `x\nLocke (smug): heh` now",
        "Locke: " * 20 + "Locke (smug): heh",
    ],
)
def test_other_lines_stay_as_they_are(line: str) -> None:
    assert [(line, None, "")] == rendered(line)


@pytest.mark.parametrize(
    "rest", ["Locke: heh", "* Locke (very mad): heh", "`Locke (very mad): heh`", "I am Locke (x): heh"]
)
def test_what_is_no_sprite_behind_one_is_text(rest: str) -> None:
    assert [(rest, SMUG, "Locke (smug): ")] == rendered(f"Locke (smug): {rest}")


def test_a_label_in_the_middle_of_a_line_is_text() -> None:
    running = Segment("He said. ", Boundary.PERIOD)

    assert rendered(running, "Locke (smug): heh")[1] == ("Locke (smug): heh", None, "")


def test_after_a_tool_call_a_line_begins() -> None:
    rule = RenderModifier(RuleContext(PERSONA))
    fed(rule, Segment("Let me see. ", Boundary.PERIOD))

    assert list(rule.flush(Ending.TOOL_CALL)) == []
    assert fed(rule, "Locke (smug): heh") == [("heh", SMUG, "Locke (smug): ")]


def test_a_persona_without_a_name_wears_no_sprite() -> None:
    nobody = Persona("", sprites=(Sprite("smug", "smug.png"),))

    assert RenderModifier(RuleContext(nobody)).is_idle
    assert rendered(" (smug): heh", persona=nobody) == [(" (smug): heh", None, "")]


def test_a_name_is_taken_literally() -> None:
    persona = Persona("R.E.N (2)", sprites=(Sprite("mad", "mad.png"),))

    assert rendered("R.E.N (2) (mad): x", persona=persona)[0][::2] == ("x", "R.E.N (2) (mad): ")
    assert rendered("RxExN (2) (mad): x", persona=persona) == [("RxExN (2) (mad): x", None, "")]


# --- which face it stands for --------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "identity", "label"),
    [
        pytest.param("Locke (very  mad): x", MAD, "Locke (Very Mad): ", id="spaces and case"),
        pytest.param("Locke (@smug): x", SMUG, "Locke (smug): ", id="a handle"),
        pytest.param("Locke (ghost): x", GHOST, "Locke (Ghost): ", id="somebody of their own"),
        pytest.param("Locke (shade): x", Identity("Shade (Locke)"), "Locke (Shade): ", id="somebody without a picture"),
        pytest.param("Locke (OBO): x", OBO, "Locke (Obonya): ", id="somebody in the scene"),
        pytest.param("Locke (twice): x", Identity("Twice (Locke)", "twice.png"), "Locke (Twice): ", id="listed twice"),
        pytest.param("Locke (broken): x", None, "", id="a sprite without a picture, and nobody instead of it"),
        pytest.param("Locke (sam): x", None, "", id="two of that name"),
        pytest.param("Locke (me): x", None, "", id="the persona itself"),
        pytest.param("Locke (dancing): x", None, "", id="unknown"),
    ],
)
def test_a_label_stands_for_one_face_or_is_only_taken_off(line: str, identity: Identity | None, label: str) -> None:
    assert [("x", identity, label)] == rendered(line)


def test_a_label_is_taken_off_where_there_is_no_face_at_all() -> None:
    rule = RenderModifier(RuleContext(Persona("Locke")))

    assert not rule.is_idle
    assert fed(rule, "Locke (nobody): hi\n") == [("hi\n", None, "")]


def test_an_identity_that_is_there_already_stays() -> None:
    other = Identity("Other")

    assert rendered("Locke (smug): a\n", Segment("b", Boundary.FINAL, identity=other))[1] == ("b", other, "")


# --- how long it lasts -----------------------------------------------------------------


def test_a_sprite_lasts_until_the_plain_name_speaks() -> None:
    assert rendered("Locke (smug): heh", "still", "Locke: base", "again") == [
        ("heh", SMUG, "Locke (smug): "),
        ("still", SMUG, ""),
        ("base", None, ""),
        ("again", None, ""),
    ]


@pytest.mark.parametrize("plain", ["Lockie: b", "**Locke:** b", "*Locke*: b", "  LOCKE ： b"])
def test_every_plain_label_of_an_own_name_takes_the_sprite_off_and_goes(plain: str) -> None:
    assert rendered("Locke (smug): a\n", plain)[1] == ("b", None, "")


@pytest.mark.parametrize("line", ["Lockes: b", "- Locke: b", "well, Locke: b", "Locke b", "x `y\nLocke: b`", "Aki: b"])
def test_nothing_else_takes_it_off(line: str) -> None:
    assert rendered("Locke (smug): a\n", line)[1] == (line, SMUG, "")


def test_a_plain_name_in_the_middle_of_a_line_takes_nothing_off() -> None:
    faces = rendered("Locke (smug): hi\n", Segment("Right. ", Boundary.PERIOD), "Locke: mid-line\n")

    assert [SMUG, SMUG, SMUG] == [identity for _, identity, _ in faces]


def test_a_sprite_lasts_until_another_one_comes() -> None:
    faces = [identity for _, identity, _ in rendered("Locke (smug): a", "Locke (very mad): b", "c")]

    assert [SMUG, MAD, MAD] == faces


def test_somebody_of_their_own_stays_too() -> None:
    assert rendered("Locke (ghost): hi\n", "more\n", "Locke: me\n", "Locke (smug): x\n") == [
        ("hi\n", GHOST, "Locke (Ghost): "),
        ("more\n", GHOST, ""),
        ("me\n", None, ""),
        ("x\n", SMUG, "Locke (smug): "),
    ]


def test_an_unknown_sprite_is_taken_off_and_ends_the_one_before() -> None:
    assert rendered("Locke (smug): a", "Locke (dancing): b", "c") == [
        ("a", SMUG, "Locke (smug): "),
        ("b", None, ""),
        ("c", None, ""),
    ]


def test_code_and_tables_are_shown_under_the_sprite_that_is_on() -> None:
    code = Segment("```\nLocke (very mad): x\n```", Boundary.CODE_CLOSE, Kind.CODE)
    table = Segment("| Locke: |\n|---|\n| x |\n", Boundary.NEWLINE, Kind.TABLE)

    assert [
        ("a", SMUG, "Locke (smug): "),
        (code.text, SMUG, ""),
        (table.text, SMUG, ""),
        ("b", SMUG, ""),
    ] == rendered("Locke (smug): a", code, table, "b")


def test_a_borrowed_face_lasts_until_its_line_ends() -> None:
    assert [("hi there.", OBO, "Locke (Obonya): "), (" more", OBO, ""), ("back\n", None, "")] == rendered(
        Segment("Locke (obo): hi there.", Boundary.PERIOD), " more", "back\n"
    )


def test_a_borrowed_face_is_given_back_where_only_the_end_of_its_line_is_left() -> None:
    shown = rendered(Segment("Locke (obo): hi there. ", Boundary.PERIOD), "\n", "back")

    assert shown == [("hi there. ", OBO, "Locke (Obonya): "), ("\n", OBO, ""), ("back", None, "")]


def test_several_lines_in_one_segment_are_one_line_to_a_borrowed_face() -> None:
    many = Segment("Locke (Obonya): one\ntwo ", Boundary.OVERFLOW)

    assert [("one\ntwo ", OBO, "Locke (Obonya): "), ("three", None, "")] == rendered(many, "three")


def test_a_borrowed_face_without_words_waits_for_the_next_line() -> None:
    code = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert [("\n", OBO, ""), ("\n", OBO, ""), ("hi\n", OBO, "Locke (Obonya): "), ("back", None, "")] == rendered(
        "Locke (obo):\n", "\n", "hi\n", "back"
    )
    assert [("\n", OBO, ""), (code.text, OBO, "Locke (Obonya): "), ("back", None, "")] == rendered(
        "Locke (obo):\n", code, "back"
    )


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("Locke (obo): wait. ", ("hi", None, ""), id="a borrowed face is given back"),
        pytest.param("Locke (obo): ", ("hi", OBO, "Locke (Obonya): "), id="unless nothing was said"),
        pytest.param("Locke (smug): wait. ", ("hi", SMUG, ""), id="a sprite stays"),
    ],
)
def test_a_tool_call_ends_a_line(given: str, expected: Shown) -> None:
    rule = RenderModifier(RuleContext(PERSONA, ROSTER))
    fed(rule, Segment(given, Boundary.PERIOD))
    rule.flush(Ending.TOOL_CALL)

    assert [expected] == fed(rule, "hi")


def test_a_label_on_a_line_of_its_own_stands_for_the_next_words() -> None:
    assert [("\n", SMUG, ""), ("heh\n", SMUG, "Locke (smug): "), ("more", SMUG, "")] == rendered(
        "Locke (smug):\n", "heh\n", "more"
    )


@pytest.mark.parametrize(
    ("sprites", "expected"),
    [
        pytest.param(["smug"], BASE, id="after a sprite"),
        pytest.param(["smug", "very mad"], BASE, id="after two"),
        pytest.param(["ghost"], None, id="after somebody of their own"),
        pytest.param(["broken"], None, id="after none"),
    ],
)
def test_a_persona_with_a_name_of_its_own_goes_back_to_a_sprite_too(
    sprites: list[str], expected: Identity | None
) -> None:
    said = [f"Locke ({sprite}): a\n" for sprite in sprites]

    shown = rendered(*said, "Locke: b\n", "c\n", "Locke: d\n", persona=replace(PERSONA, is_alter=True))

    assert [("b\n", expected), ("c\n", expected), ("d\n", expected)] == [
        (text.removeprefix("Locke: "), identity) for text, identity, _ in shown[-3:]
    ]


# --- several lines in one segment --------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "Locke (smug): one.\nLocke (very mad): two",
            [("one.\n", SMUG, "Locke (smug): "), ("two", MAD, "Locke (Very Mad): ")],
            id="two labels",
        ),
        pytest.param(
            "a\n\n  Locke (smug): b\nc\n",
            [("a\n\n", None, ""), ("b\nc\n", SMUG, "Locke (smug): ")],
            id="a label further down",
        ),
        pytest.param(
            "Locke (smug): a\nLocke: b",
            [("a\n", SMUG, "Locke (smug): "), ("b", None, "")],
            id="a plain label behind it",
        ),
        pytest.param(
            "Locke (obo): a\nLocke (obo): b\nc",
            [("a\n", OBO, "Locke (Obonya): "), ("b\nc", OBO, "Locke (Obonya): ")],
            id="a borrowed face twice",
        ),
        pytest.param("\n\nLocke (smug): a", [("\n\na", SMUG, "Locke (smug): ")], id="empty lines in front"),
        pytest.param(
            "Locke (smug):\nLocke (very mad): a",
            [("\na", MAD, "Locke (Very Mad): ")],
            id="a sprite that nothing is said under",
        ),
        pytest.param("Locke: a\nLocke: b", [("Locke: a\nLocke: b", None, "")], id="plain labels and no sprite"),
        pytest.param("Locke (smug):", [("", SMUG, "")], id="only a label"),
        pytest.param(
            "a `b`\nLocke (smug): c `Locke (x): d`",
            [("a `b`\n", None, ""), ("c `Locke (x): d`", SMUG, "Locke (smug): ")],
            id="beside code",
        ),
        pytest.param(
            "a\n`Locke (smug):` b", [("a\n", None, ""), ("b", SMUG, "Locke (smug): ")], id="in backticks further down"
        ),
    ],
)
def test_a_segment_is_parted_where_the_face_changes(text: str, expected: list[Shown]) -> None:
    assert expected == rendered(text)


def test_only_the_last_piece_ends_as_the_segment_did() -> None:
    rule = RenderModifier(RuleContext(PERSONA))

    pieces = rule.feed(Segment("a\nLocke (smug): b\nLocke: c", Boundary.OVERFLOW))

    assert [Boundary.NEWLINE, Boundary.NEWLINE, Boundary.OVERFLOW] == [piece.boundary for piece in pieces]


def test_in_a_line_that_goes_on_only_the_next_one_may_have_a_label() -> None:
    shown = rendered(Segment("a ", Boundary.OVERFLOW), "Locke (smug): b\nLocke (smug): c")

    assert shown[1:] == [("Locke (smug): b\n", None, ""), ("c", SMUG, "Locke (smug): ")]


_PARTS = [
    "Locke", "Aki", " (smug)", " (obo)", " (x)", ":", "：", " ", "\n", "**", "*", "`", "word ", "- ", "\ud800", "\0", "",
]  # fmt: skip


@given(st.lists(st.sampled_from(_PARTS), max_size=14).map("".join))
def test_only_labels_are_taken_off(text: str) -> None:
    """What comes out is what went in, but for stretches that end with a label."""
    rest = text
    for piece, _, _ in rendered(text):
        for line in piece.splitlines(keepends=True):
            before, found, rest = rest.partition(line)
            assert found
            assert not before.strip() or before.rstrip("*`_ ").endswith((":", "："))
    assert not rest.strip() or rest.rstrip("*`_ ").endswith((":", "："))


# --- with the rules and the names behind it -----------------------------------------------

LOCKE = replace(PERSONA, aliases=("Tomori",), sprites=(*PERSONA.sprites, Sprite("mad", "mad.png")))
TWIN = "Lock\u0435"


def delivered(
    *given: str | Segment, persona: Persona = LOCKE, may_retry: bool = True
) -> list[tuple[str, str | None, str] | str]:
    """What people see: text, name and label of each message; a reply that was ended says why."""
    context = RuleContext(persona, ROSTER, may_retry=may_retry)
    row = Pipe(*(rule(context) for rule in (RenderModifier, OpeningLabel, OwnName)))
    continuity = NameContinuity(clock=lambda: 0.0)
    shown: list[tuple[str, str | None, str] | str] = []
    items = [Segment(item, Boundary.NEWLINE) if isinstance(item, str) else item for item in given]
    out = [item for segment in items for item in row.feed(segment)] + row.flush(Ending.FINAL)
    for number, item in enumerate(out, start=100):
        if isinstance(item, Halt):
            shown.append(item.reason.value)
        elif item.text.strip():
            last = str(number - 1) if shown else None
            identity = item.identity and continuity.dressed("channel", item.identity, last_message_id=last)
            continuity.note("channel", identity, str(number))
            shown.append((item.text.strip(), identity.name if identity else None, item.label))
    return shown


ALTER = replace(LOCKE, is_alter=True)


@pytest.mark.parametrize(
    ("persona", "given", "expected"),
    [
        pytest.param(
            LOCKE,
            ["Locke (smug): a\n", "Locke (mad): b\n", "Locke (smug): c\n", "Locke (smug): d\n"],
            [
                ("a", "Locke", "Locke (smug): "),
                ("b", TWIN, "Locke (mad): "),
                ("c", "Locke", "Locke (smug): "),
                ("d", "Locke", "Locke (smug): "),
            ],
            id="sprites take turns with names",
        ),
        pytest.param(
            LOCKE,
            ["Locke (smug): heh\n", "still\n", "Locke: base\n", "again\n"],
            [("heh", "Locke", "Locke (smug): "), ("still", "Locke", ""), ("base", None, ""), ("again", None, "")],
            id="the plain name",
        ),
        pytest.param(
            ALTER,
            ["Locke (smug): a\n", "Locke: b\n", "c\n", "Locke (smug): d\n"],
            [("a", "Locke", "Locke (smug): "), ("b", TWIN, ""), ("c", TWIN, ""), ("d", "Locke", "Locke (smug): ")],
            id="the plain name of a persona with a name of its own",
        ),
        pytest.param(
            ALTER,
            ["Locke (smug): a\n", "Locke (mad): b\n", "Locke: c\n"],
            [("a", "Locke", "Locke (smug): "), ("b", TWIN, "Locke (mad): "), ("c", "Locke", "")],
            id="the plain name after two sprites",
        ),
        pytest.param(
            LOCKE,
            ["Tomori (smug): hi\n"],
            [("hi", "Locke", "Locke (smug): ")],
            id="an alias",
        ),
        pytest.param(
            LOCKE,
            ["Locke (smug): hi\n", Segment("Right. ", Boundary.PERIOD), "Locke: mid-line\n"],
            [("hi", "Locke", "Locke (smug): "), ("Right.", "Locke", ""), ("mid-line", "Locke", "")],
            id="a name in the middle of a line",
        ),
        pytest.param(
            LOCKE,
            ["Locke (smug): one.\nLocke (mad): two"],
            [("one.", "Locke", "Locke (smug): "), ("two", TWIN, "Locke (mad): ")],
            id="two sprites in one segment",
        ),
        pytest.param(
            LOCKE,
            ["Locke (mad):\n", "text after\n"],
            [("text after", "Locke", "Locke (mad): ")],
            id="a label on a line of its own",
        ),
        pytest.param(
            LOCKE,
            ["Locke (mad):\n", "Locke (smug):\n", "a\n", "Locke (mad): b\n"],
            [("a", "Locke", "Locke (smug): "), ("b", TWIN, "Locke (mad): ")],
            id="a sprite that was never shown changes no name",
        ),
        pytest.param(
            LOCKE,
            ["...\n", "Locke (smug): grr\n"],
            [("...", None, ""), ("grr", "Locke", "Locke (smug): ")],
            id="marks on a line of their own do not hide a label",
        ),
        pytest.param(LOCKE, ["- Locke (smug): hi\n"], [("- Locke (smug): hi", None, "")], id="a list"),
        pytest.param(LOCKE, ["Locke: \n"], [], id="a label and nothing else"),
        pytest.param(LOCKE, ["Locke: Chris (smug): hi\n"], ["speaker_guard"], id="somebody else"),
    ],
)
def test_what_people_see_and_what_the_model_remembers(
    persona: Persona, given: list[str | Segment], expected: list[object]
) -> None:
    assert expected == delivered(*given, persona=persona)


# --- what was put into the model's mouth -----------------------------------------------


@pytest.mark.parametrize(
    ("prefill", "expected"),
    [
        pytest.param("Locke (smug):", [("a\n", SMUG, "Locke (smug): "), ("b", SMUG, "")], id="a sprite"),
        pytest.param(" **Locke (smug):** Well, ", [("a\n", SMUG, "Locke (smug): "), ("b", SMUG, "")], id="and words"),
        pytest.param("Locke (obo): Well,", [("a\n", OBO, "Locke (Obonya): "), ("b", None, "")], id="a borrowed face"),
        pytest.param("Locke (obo): Well,\nand", [("a\n", None, ""), ("b", None, "")], id="a borrowed face, given back"),
        pytest.param(
            "Locke (obo): x\nLocke (smug): y", [("a\n", SMUG, "Locke (smug): "), ("b", SMUG, "")], id="the last sprite"
        ),
        pytest.param("Locke (smug): x\nLocke: y", [("a\n", None, ""), ("b", None, "")], id="taken off again"),
        pytest.param("`code` Locke (smug): x", [("a\n", None, ""), ("b", None, "")], id="no label"),
        pytest.param("Locke: x", [("a\n", None, ""), ("b", None, "")], id="a plain name"),
    ],
)
def test_a_prefill_says_which_face_the_reply_begins_with(prefill: str, expected: list[Shown]) -> None:
    rule = RenderModifier(RuleContext(PERSONA, ROSTER, prefill=prefill))

    assert expected == fed(rule, "a\n", "b")


def test_the_face_of_a_prefill_goes_when_the_reply_has_another() -> None:
    rule = RenderModifier(RuleContext(PERSONA, ROSTER, prefill="Locke (smug):"))

    assert [("a", MAD, "Locke (Very Mad): ")] == fed(rule, "Locke (very mad): a")
