from __future__ import annotations

import pytest

from cadenza.rules.rule import RuleContext
from cadenza.rules.speakers import LABEL, known_speakers, names_speaker, next_speakers
from cadenza.types import Participant, Persona, Roster

RESERVED = {"user", "assistant", "system", "human"}


@pytest.mark.parametrize(
    ("roster", "names"),
    [
        pytest.param(Roster(), set(), id="nobody"),
        pytest.param(Roster(speakers=("Bob Smith", "@Eve")), {"bob smith", "eve"}, id="speakers"),
        pytest.param(Roster(personas={"Lilya": "lil"}), {"lilya", "lil"}, id="personas, and what calls them"),
        pytest.param(Roster(participants=(Participant("Ann", ("annie",)),)), {"ann", "annie"}, id="participants"),
        pytest.param(Roster(mentions={"ada": "<@1>", "1": "<@1>"}), {"ada"}, id="handles but no ids"),
        pytest.param(
            Roster(mentions={"everyone": "@everyone", "Here": "@here", "": ""}), set(), id="nobody in particular"
        ),
        pytest.param(Roster(speakers=("Ren", "REN  Amamiya")), set(), id="the persona itself"),
    ],
)
def test_everybody_else_may_speak(roster: Roster, names: set[str]) -> None:
    context = RuleContext(Persona("Ren", ("Ren Amamiya",)), roster)

    assert RESERVED | names == known_speakers(context)
    assert RESERVED | (names - {"ada"}) == next_speakers(context)


def test_nobody_speaks_after_nobody() -> None:
    everybody = Roster(mentions={"ada": "<@1>"}, speakers=("Bob",))

    assert RESERVED | {"ada", "bob"} == known_speakers(RuleContext(roster=everybody))
    assert {"bob"} == next_speakers(RuleContext(roster=everybody))
    assert frozenset() == next_speakers(RuleContext())


def test_a_persona_may_have_a_reserved_name() -> None:
    assert RESERVED - {"system"} == known_speakers(RuleContext(Persona("System")))


@pytest.mark.parametrize(
    ("line", "label"),
    [
        pytest.param("Bob: hi", "Bob", id="plain"),
        pytest.param("Bob：hi", "Bob", id="wide colon"),
        pytest.param(" \tBob Smith : hi", "Bob Smith ", id="indented, with a space before the colon"),
        pytest.param("**Bob:** hi", "**Bob", id="emphasis"),
        pytest.param("Bob 2:x", "Bob 2", id="a number before the colon"),
        pytest.param("x" * 136 + ": y", "x" * 136, id="as long as can be"),
        pytest.param("x" * 137 + ": y", None, id="too long"),
        pytest.param("https://x.y", None, id="address"),
        pytest.param("std::vec", None, id="two colons"),
        pytest.param("12:30 lunch", None, id="clock time"),
        pytest.param("**Bob :** hi", "**Bob ", id="emphasis closes behind a space"),
        pytest.param("Bob:wave: hi", None, id="emoji"),
        pytest.param("Bob :wave: hi", None, id="emoji behind a space"),
        pytest.param("Bob:-) hi", None, id="smiley"),
        pytest.param("Bob :( hi: ho", None, id="smiley behind a space"),
        pytest.param(":wave: hi", None, id="shortcode"),
        pytest.param("", None, id="nothing"),
    ],
)
def test_a_line_begins_with_a_label(line: str, label: str | None) -> None:
    match = LABEL.search(f"\n\n{line}\n")

    assert label == (match["label"] if match else None)


@pytest.mark.parametrize(
    "label",
    [
        "Bob Smith",
        " bob  smith ",
        "*Bob Smith",
        "**Bob Smith**",
        "__Bob Smith__",
        "***Bob Smith***",
        "Bob Smith (angry)",
        "Bob Smith（angry）",
        "**Bob Smith (angry)**",
        "**Bob Smith** (angry)",
        "_bot_",
    ],
)
def test_a_label_may_name_a_speaker(label: str) -> None:
    assert names_speaker(label, {"bob smith", "_bot_"})


@pytest.mark.parametrize(
    "label",
    [
        "Bob",
        "* Bob Smith",
        "@Bob Smith",
        "＠Bob Smith",
        "**@Bob Smith**",
        "@Bob Smith (angry)",
        "- Bob Smith",
        "1. Bob Smith",
        "> Bob Smith",
        "# Bob Smith",
        "[Bob Smith]",
        "<Bob Smith>",
        "Bob Smith (angry) said",
        "(Bob Smith)",
        "Bob Smith ()",
        "x" * 65,
        "!!!",
        "**",
        "",
    ],
)
def test_a_label_may_name_nobody(label: str) -> None:
    assert not names_speaker(label, {"bob smith", "x" * 65})
