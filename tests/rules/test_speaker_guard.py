from __future__ import annotations

import pytest

from cadenza.replies.reply import say
from cadenza.rules.orphan_punctuation import OrphanPunctuation
from cadenza.rules.rule import RuleContext
from cadenza.rules.speaker_guard import SpeakerGuard
from cadenza.settings import RuleSettings, Settings
from cadenza.stages.s6_rules import rule_row
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Boundary, Ending, Halt, Kind, Persona, Roster, Scene, Segment, Stopped, StopReason
from tests.helpers import calls_of

HALT = Halt(StopReason.SPEAKER_GUARD)
ROSTER = Roster(
    mentions={"ada": "<@1>"},
    speakers=("Bob Smith", "クリス", "Indented Name", "Other", "Chris", "x" * 64, "12", "https"),
)
SCENE = Scene("c", Persona("Ren", ("Joker",)), roster=ROSTER)


def guard(**values: object) -> SpeakerGuard:
    settings = Settings.of(speaker_guard=True, **values).rules
    return SpeakerGuard(RuleContext(SCENE.persona, ROSTER, settings))


def guarded(*given: str | Segment) -> list[str | Halt]:
    rule = guard()
    out: list[str | Halt] = []
    for segment in given:
        for item in rule.feed(Segment(segment, Boundary.NEWLINE) if isinstance(segment, str) else segment):
            out.append(item.text if isinstance(item, Segment) else item)
            if item == HALT:
                return out
    return out


@pytest.mark.parametrize(
    ("text", "before"),
    [
        pytest.param("Fine by me.\nUser: ok", "Fine by me.", id="reserved"),
        pytest.param("a\n\n\nBob Smith: hey\nz", "a", id="empty lines before it"),
        pytest.param("a\nクリス: やあ", "a", id="another script"),
        pytest.param("a\nクリス：やあ", "a", id="F15 wide colon"),
        pytest.param("a\n   Indented Name :  hi", "a", id="indented"),
        pytest.param("a\n" + "x" * 64 + ": y", "a", id="as long as a name may be"),
        pytest.param("x\nOther (mad): hi", "x", id="a sprite"),
        pytest.param("x\n**Other:** hi", "x", id="bold"),
        pytest.param("x\n*Other*: hi", "x", id="italics"),
        pytest.param("x\nada: hi", "x", id="somebody who can be mentioned"),
        pytest.param("x\nOther:hi", "x", id="no space"),
        pytest.param("x\n**Other :** hi", "x", id="bold with a space"),
        pytest.param("User: ok\nOther: hi", "User: ok", id="the second line"),
        pytest.param("Ren (mad): hi\nOther: stop", "Ren (mad): hi", id="the persona's own sprite before it"),
        pytest.param("a `User: x` b\nUser: y", "a `User: x` b", id="code before it"),
        pytest.param("a\nUser: x `b`", "a", id="code behind it"),
        pytest.param("it\\`s\nUser: y", "it\\`s", id="a backtick that is none"),
        pytest.param("a [b](https://e.org)\nUser: y", "a [b](https://e.org)", id="a link before it"),
    ],
)
def test_what_stands_before_another_speaker_is_delivered(text: str, before: str) -> None:
    assert [before, HALT] == guarded(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("User: ok", id="the first words of the reply"),
        pytest.param("\n\n User: ok", id="the first words, after empty lines"),
        pytest.param("time: 3pm", id="a word"),
        pytest.param("a\n[Chris]: x", id="in brackets"),
        pytest.param("a\n!!!: x", id="marks"),
        pytest.param("a\n" + "x" * 65 + ": y", id="too long for a name"),
        pytest.param("a\n```\nUser: in code\n```\nok", id="code block"),
        pytest.param("see `x\nUser: y` z", id="code"),
        pytest.param("`open\nUser: y", id="code that has not closed"),
        pytest.param("`a` `open\nUser: y `b`", id="code that has not closed behind some that has"),
        pytest.param("it`s <@1>\nUser: y", id="code that has not closed before a mention"),
        pytest.param("", id="nothing"),
        pytest.param("x\nRen (mad): hi", id="own sprite"),
        pytest.param("x\nRen: plain", id="own name"),
        pytest.param("x\nJoker: plain", id="own alias"),
        pytest.param("see\nhttps://x.y/z", id="F15 address"),
        pytest.param("plan\n12:30 lunch", id="F15 clock time"),
        pytest.param("ok\nNote: remember this", id="F15 prose"),
        pytest.param("ok\n**Step 1:** go", id="F15 bold heading"),
        pytest.param("x\ndef f(a):\n  return", id="F15 code without a fence"),
        pytest.param("Here:\n- Chris: 3\n* Chris: 4\n1. Chris: 5", id="F15 lists"),
        pytest.param("Here:\n> Chris: 3\n# Chris: 4", id="F15 quote and heading"),
        pytest.param("as Chris: said", id="not at the beginning of the line"),
        pytest.param("x\n@Other: do the dishes", id="somebody who is called"),
        pytest.param("x\n**@Other:** do the dishes", id="somebody who is called, in bold"),
        pytest.param("x\n<@1>: do the dishes", id="somebody who is mentioned"),
        pytest.param("x\nOther :wave:\nOther:wave: hi", id="emoji behind a name"),
        pytest.param("x\nChris :)\nChris:D\nChris :/ hm", id="smileys behind a name"),
    ],
)
def test_what_is_nobody_elses_line_passes(text: str) -> None:
    assert [text] == guarded(text)


def test_a_segment_may_begin_with_another_speaker_once_something_was_said() -> None:
    assert ["hi\n", HALT] == guarded("hi\n", "User: x\n")
    assert ["\n", "User: x\n", HALT] == guarded("\n", "User: x\n", "User: y\n")
    assert ["Step one: go\n", "Step two: more\n"] == guarded("Step one: go\n", "Step two: more\n")


def test_a_segment_that_goes_on_in_a_line_does_not_begin_one() -> None:
    begun = Segment("I say.", Boundary.PERIOD)

    assert ["I say.", "User: x\n", HALT] == guarded(begun, "User: x\n", "User: y")
    assert ["I say.", "User: x", HALT] == guarded(begun, "User: x\nUser: y")


def test_code_is_no_speaker() -> None:
    code = Segment("```\nUser: x\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert ["a\n", code.text, HALT] == guarded("a\n", code, "User: y")


def test_what_is_delivered_keeps_all_else() -> None:
    segment = Segment("a\n\nUser: x\n", Boundary.NEWLINE, label="l")

    assert [Segment("a", Boundary.NEWLINE, label="l"), HALT] == list(guard().feed(segment))


def test_the_guard_stands_only_where_it_is_wanted_and_of_use() -> None:
    everybody = Persona("User", ("Assistant", "System", "Human"))

    assert SpeakerGuard(RuleContext()).is_idle
    assert SpeakerGuard(RuleContext(everybody, settings=RuleSettings(speaker_guard=True))).is_idle
    assert not guard().is_idle


def test_f18_empty_lines_cost_nothing() -> None:
    segment = Segment("a:" + "\n" * 2000, Boundary.NEWLINE)
    rule = guard()

    assert calls_of(lambda: rule.feed(segment)) < 30


def test_f21_punctuation_that_waits_is_not_lost_when_the_guard_halts() -> None:
    context = RuleContext(SCENE.persona, ROSTER, RuleSettings(speaker_guard=True))
    row = rule_row(context, (SpeakerGuard, OrphanPunctuation))

    assert [Segment("a\n", Boundary.NEWLINE)] == row.feed(Segment("a\n", Boundary.NEWLINE))
    assert [] == row.feed(Segment("...\n", Boundary.NEWLINE))
    assert [Segment("...", Boundary.FINAL), HALT] == row.feed(Segment("User: x\n", Boundary.NEWLINE))
    assert [] == [*row.feed(Segment("b\n", Boundary.NEWLINE)), *row.flush(Ending.FINAL)]


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
async def test_what_stood_before_the_guard_halted_arrives(degree: int) -> None:
    target = MemoryTarget()
    settings = Settings.of(speaker_guard=True, degree=degree, typing_budget=0.0)

    reply = await say(
        target,
        "Hello there\nFine by me\n...\nUser: ok\nnever",
        scene=SCENE,
        settings=settings,
        rules=(SpeakerGuard, OrphanPunctuation),
    )

    assert Stopped(StopReason.SPEAKER_GUARD) == reply.outcome
    texts = " ".join(receipt.post.text for receipt in reply.receipts)
    assert ["hello", "there", "fine", "by", "me", "..."] == texts.lower().split()


@pytest.mark.parametrize("figure", ["12", " 12:30", " 5 points", " $5"])
def test_a_score_is_nobody_speaking(figure: str) -> None:
    assert guarded(f"Scores:\nChris:{figure}\nOther: 3") == [f"Scores:\nChris:{figure}\nOther: 3"]
    assert guarded("Scores:\nChris: 12 angry men is a film") == ["Scores:", HALT]


def test_a_persona_is_known_by_the_word_that_calls_it_too() -> None:
    roster = Roster(personas={"Shy Tomori": "lilya"})
    rule = SpeakerGuard(RuleContext(Persona("Ren"), roster, RuleSettings(speaker_guard=True)))

    rule.feed(Segment("Fine.\n", Boundary.NEWLINE))

    assert [Halt(StopReason.SPEAKER_GUARD)] == list(rule.feed(Segment("lilya: hi\n", Boundary.NEWLINE)))
