from __future__ import annotations

import asyncio
from itertools import accumulate

import pytest
from hypothesis import given, strategies as st

from cadenza.replies.reply import say
from cadenza.rules.prefill import Prefill
from cadenza.rules.rule import RuleContext
from cadenza.settings import RuleSettings, Settings
from cadenza.stages.s6_rules import with_echo
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Boundary, Ending, Identity, Kind, Persona, Scene, Segment, Sprite

CODE = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE)
MAD = Identity("Ren", "mad.png")


def rule_for(prefill: str, *, shows: bool = False) -> Prefill:
    context = RuleContext(Persona("Mirri", ("Miri",)), settings=RuleSettings(show_prefill=shows), prefill=prefill)
    return Prefill(with_echo(context))


def cleaned(
    *given: str | Segment, prefill: str = "Sure, here", shows: bool = False, why: Ending = Ending.FINAL
) -> list[str]:
    rule = rule_for(prefill, shows=shows)
    out: list[str] = []
    for segment in given:
        out += [
            item.text for item in rule.feed(Segment(segment, Boundary.NEWLINE) if isinstance(segment, str) else segment)
        ]
    return out + [item.text for item in rule.flush(why)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("Sure, here are three",), [" are three"], id="echo"),
        pytest.param(("apples",), ["apples"], id="no echo"),
        pytest.param(("Sure,", " here we go"), [" we go"], id="echo in parts"),
        pytest.param(("Sure,", " there we go"), ["Sure, there we go"], id="F14 almost an echo"),
        pytest.param(("Sure,\n", "there"), ["Sure,\n", "there"], id="almost an echo, and its line is over"),
        pytest.param(("\nSure, here go",), [" go"], id="white space before it"),
        pytest.param(("\n", " Sure,", " here go"), [" go"], id="a blank segment before it"),
        pytest.param(("\n", "no"), ["\n", "no"], id="a blank segment before something else"),
        pytest.param(("Sure, here",), [], id="nothing but the echo"),
        pytest.param(("Sure, here\n", "go"), ["\n", "go"], id="a line end behind it"),
        pytest.param(("Sure, here", " and", " Sure, here"), [" and", " Sure, here"], id="only once"),
        pytest.param(("Sure,",), ["Sure,"], id="F14 the end inside of it"),
        pytest.param(("", "Sure, here x"), [" x"], id="nothing before it"),
        pytest.param(("Sure,", CODE, " here"), ["Sure,", CODE.text, " here"], id="code"),
        pytest.param(("sure, here x",), ["sure, here x"], id="another case"),
        pytest.param(("Sure, hereby",), ["Sure, hereby"], id="the end inside a word"),
        pytest.param(("Sure,", " here's one"), ["Sure, here's one"], id="the end before an apostrophe"),
        pytest.param(("Sure, here' x",), ["' x"], id="a quote behind it"),
    ],
)
def test_an_echo_of_the_prefill_goes(given: tuple[str | Segment, ...], expected: list[str]) -> None:
    assert expected == cleaned(*given)


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("Sure, here are three",), ["Sure, here are three"], id="echo"),
        pytest.param((" are three",), ["Sure, here are three"], id="the model goes on"),
        pytest.param(("are three",), ["Sure, hereare three"], id="the model goes on without a space"),
        pytest.param(("Sure,", " there we go"), ["Sure, hereSure, there we go"], id="F14 almost an echo"),
        pytest.param(("", "x"), ["", "Sure, herex"], id="not in front of nothing"),
        pytest.param(("Sure, here",), ["Sure, here"], id="nothing but the echo"),
        pytest.param(("Sure, here", " go", " on"), ["Sure, here go", " on"], id="words in the next segment"),
        pytest.param(("Sure, here ", "", "go"), ["", "Sure, here go"], id="a space in between"),
        pytest.param(("Sure, here\n", "go"), ["Sure, here\n", "go"], id="a line end in between"),
        pytest.param(("Sure, here", CODE), ["Sure, here", CODE.text], id="code in the next segment"),
        pytest.param((CODE, "x"), ["Sure, here", CODE.text, "x"], id="code and no echo"),
        pytest.param(("Sure,",), ["Sure, here"], id="the end inside of it"),
        pytest.param((), [], id="not a word"),
        pytest.param(("\n",), ["\n"], id="nothing but white space"),
        pytest.param(("Sure, hereby",), ["Sure, hereby"], id="the end inside a word"),
        pytest.param(("\n", "- a"), ["Sure, here\n- a"], id="the model goes on with a line end"),
        pytest.param(("\n", CODE), ["Sure, here\n", CODE.text], id="a line end and code"),
    ],
)
def test_the_prefill_may_be_shown_once(given: tuple[str | Segment, ...], expected: list[str]) -> None:
    assert expected == cleaned(*given, shows=True)


@pytest.mark.parametrize("shows", [False, True])
@pytest.mark.parametrize("why", list(Ending))
def test_a_tool_call_may_stand_inside_the_echo(why: Ending, shows: bool) -> None:  # noqa: FBT001
    rule = rule_for("Sure, here", shows=shows)
    rule.feed(Segment("Sure,", Boundary.PERIOD))

    assert ["Sure, here" if shows else "Sure,"] == [item.text for item in rule.flush(why)]
    assert [] == list(rule.flush(why))
    assert [" here"] == [item.text for item in rule.feed(Segment(" here", Boundary.FINAL))]


def test_before_the_first_word_a_tool_call_changes_nothing() -> None:
    rule = rule_for("Sure, here")
    rule.feed(Segment("\n", Boundary.NEWLINE))

    assert ["\n"] == [item.text for item in rule.flush(Ending.TOOL_CALL)]
    assert [" go"] == [item.text for item in rule.feed(Segment("Sure, here go", Boundary.FINAL))]


def test_a_shown_prefill_is_not_shown_again_at_the_end() -> None:
    rule = rule_for("Sure, here", shows=True)
    rule.feed(Segment("Sure, here", Boundary.PERIOD))

    assert [Segment("Sure, here", Boundary.TOOL_CALL)] == list(rule.flush(Ending.TOOL_CALL))
    assert ["go"] == [item.text for item in rule.feed(Segment("go", Boundary.FINAL))]
    assert [] == list(rule.flush(Ending.FINAL))


@pytest.mark.parametrize(
    ("prefill", "given", "expected"),
    [
        pytest.param("はい", "はいそう", "そう", id="no spaces between words"),
        pytest.param("Hi", "Hidden", "Hidden", id="inside a word"),
        pytest.param("Hi!", "Hi!x", "x", id="no word"),
        pytest.param("é", "école", "école", id="an accent"),
    ],
)
def test_an_echo_does_not_end_inside_a_word(prefill: str, given: str, expected: str) -> None:
    assert [expected] == cleaned(given, prefill=prefill)


@pytest.mark.parametrize(
    "prefill", ["Sure:\n```py\n", "<think>\nSo", "</think> Sure", "<details><summary>a</summary>b"]
)
def test_what_opens_code_or_a_hidden_block_is_not_shown(prefill: str) -> None:
    assert ["hello"] == cleaned("hello", prefill=prefill, shows=True)


@pytest.mark.parametrize(
    "prefill",
    [
        "Mirri: Sure, here",
        " **Mirri:** Sure, here ",
        "miri：**Mirri**: Sure, here",
        "Mirri:\nSure, here\n",
        "Mirri (mad): Sure, here",
        "**Mirri (mad)**: Sure, here",
        "*Mirri*: Mirri（照れ）：Sure, here",
        "{{char}}: Sure, here",
    ],
)
def test_own_names_in_front_of_the_prefill_do_not_count(prefill: str) -> None:
    assert ["Sure, there"] == cleaned("Sure, there", prefill=prefill)
    assert [" go"] == cleaned("Sure, here go", prefill=prefill)


@pytest.mark.parametrize("prefill", ["", " \n", "Mirri:", "**Mirri:** ", "Mirri (mad):", "{bot}:"])
def test_without_words_there_is_nothing_to_do(prefill: str) -> None:
    assert rule_for(prefill).is_idle
    assert not rule_for("x").is_idle


def test_without_a_name_nothing_is_taken_off_the_prefill() -> None:
    assert [" x"] == [
        item.text for item in Prefill(RuleContext(prefill="A: b")).feed(Segment("A: b x", Boundary.FINAL))
    ]


@pytest.mark.parametrize("shows", [False, True])
def test_the_label_of_an_echo_stays_with_the_words_behind_it(shows: bool) -> None:  # noqa: FBT001
    front = "Sure, here" if shows else ""
    mad = Segment("Sure,", Boundary.NEWLINE, identity=MAD, label="Ren (mad): ")
    go = Segment(" here go", Boundary.NEWLINE, identity=MAD)
    rule, other, third = (rule_for("Sure, here", shows=shows) for _ in range(3))

    rule.feed(mad)
    (kept,) = rule.feed(go)
    assert (front + " go", "Ren (mad): ") == (kept.text, kept.label)

    other.feed(Segment("Sure, here", Boundary.NEWLINE, identity=MAD, label="Ren (mad): "))
    (kept,) = other.feed(Segment(" go", Boundary.NEWLINE, identity=MAD))
    assert (front + " go", "Ren (mad): ") == (kept.text, kept.label)

    third.feed(Segment("Sure, here", Boundary.NEWLINE, identity=MAD, label="Ren (mad): "))
    (kept,) = third.feed(Segment(" go", Boundary.NEWLINE))
    assert (front + " go", "") == (kept.text, kept.label)


def test_in_front_of_code_the_prefill_stands_alone_and_has_the_label() -> None:
    code = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE, MAD, "Ren (mad): ")

    first, second = rule_for("Sure", shows=True).feed(code)

    assert Segment("Sure", Boundary.NEWLINE, Kind.PROSE, MAD, "Ren (mad): ") == first
    assert Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE, MAD) == second


@given(
    st.lists(st.text("ab \n\ud83d", max_size=4), max_size=6),
    st.text("ab \n", max_size=8).map(str.strip).filter(bool),
    st.booleans(),
)
def test_nothing_is_lost_or_doubled(texts: list[str], prefill: str, shows: bool) -> None:  # noqa: FBT001
    said = "".join(texts)
    words = said.lstrip()
    rest = words.removeprefix(prefill)
    is_whole = not rest[:1].isalnum() or len(said) - len(rest) in accumulate(
        map(len, texts)
    )  # no segment ends in a word
    if words.startswith(prefill) and (shows or is_whole):
        expected = words if shows else rest
    elif not shows or not words:
        expected = said
    else:
        expected = prefill if prefill.startswith(words) else prefill + said

    arrived = "".join(cleaned(*texts, prefill=prefill, shows=shows))

    assert expected.strip() == arrived.strip()


def test_a_label_stays_with_the_words_that_were_no_echo() -> None:
    rule = Prefill(RuleContext(Persona("Ren"), prefill="Sure, here"))

    rule.feed(Segment("Sure,", Boundary.PERIOD, label="Ren (mad): "))
    (segment,) = rule.feed(Segment(" no", Boundary.FINAL))

    assert ("Sure, no", "Ren (mad): ") == (segment.text, segment.label)


@pytest.mark.parametrize("shows", [False, True])
@pytest.mark.parametrize(
    ("prefill", "said"),
    [
        pytest.param("Ren (mad): No!\nRen (glad): ok", ["No!", "ok"], id="two looks"),
        pytest.param("Ren: No!\nRen: ok", ["No!", "ok"], id="two labels"),
        pytest.param("[system: be kind] ok", ["ok"], id="a system block"),
    ],
)
def test_an_echo_is_compared_with_what_the_rules_before_leave_of_the_prefill(
    prefill: str, said: list[str], *, shows: bool
) -> None:
    persona = Persona("Ren", sprites=(Sprite("mad"), Sprite("glad")))
    scene = Scene("c", persona, prefill=prefill)
    target = MemoryTarget()

    asyncio.run(say(target, f"{prefill} then.\nbye", scene=scene, settings=Settings.of(degree=1, show_prefill=shows)))

    assert target.texts == ([*said[:-1], f"{said[-1]} then.", "bye"] if shows else ["then.", "bye"])


def test_the_label_of_an_echo_that_is_a_line_goes_with_the_next_words() -> None:
    scene = Scene("c", Persona("Ren", sprites=(Sprite("mad"),)), prefill="Ren (mad): Sure")
    reply = asyncio.run(say(MemoryTarget(), "Ren (mad): Sure\n\nnext", scene=scene, settings=Settings.of(degree=1)))

    assert reply.transcript == "Ren (mad): next"


def test_behind_an_echo_with_two_looks_the_last_one_counts() -> None:
    persona = Persona("Ren", sprites=(Sprite("mad"), Sprite("glad")))
    scene = Scene("c", persona, prefill="Ren (mad): No!\nRen (glad): ok")
    reply = asyncio.run(say(MemoryTarget(), f"{scene.prefill} then", scene=scene, settings=Settings.of(degree=1)))

    assert reply.transcript == "Ren (glad): then"
