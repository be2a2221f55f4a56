from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.errors import SettingsError
from cadenza.rules import (
    RULES,
    Emoji,
    LeakedTags,
    ListCode,
    LongFences,
    Mentions,
    NoEmoji,
    OpeningLabel,
    OrphanPunctuation,
    OwnName,
    Prefill,
    RenderModifier,
    RepeatedEmoji,
    Rule,
    RuleContext,
    Sanitise,
    SpeakerGuard,
    SystemBlocks,
    Tables,
    TrailingLabel,
    UnicodeSpaces,
)
from cadenza.settings import RuleSettings
from cadenza.stages.s6_rules import rule_row, with_echo, without
from cadenza.types import Boundary, Ending, Identity, Kind, Persona, Roster, Segment, Sprite

CONTEXT = RuleContext(
    Persona("Ren", sprites=(Sprite("mad", "mad.png"),)),
    Roster(mentions={"alice": "<@1>"}, emoji={"wave": "<:wave:2>"}),
)


def segment(text: str, boundary: Boundary = Boundary.NEWLINE, kind: Kind = Kind.PROSE) -> Segment:
    return Segment(text, boundary, kind)


class Brackets(Rule):
    def change(self, segment: Segment) -> Segment:
        return replace(segment, text=f"[{segment.text}]")


class Letters(Rule):
    def change(self, segment: Segment) -> Segment:
        return replace(segment, text=segment.text.upper().replace("[", "("))


def test_every_rule_is_in_the_row_once() -> None:
    assert len(set(RULES)) == len(RULES)
    assert {OwnName, Emoji, Mentions} < set(RULES)


def test_rules_run_in_the_order_that_they_are_given() -> None:
    assert [segment("(A]")] == rule_row(CONTEXT, (Brackets, Letters)).feed(segment("a"))
    assert [segment("[A]")] == rule_row(CONTEXT, (Letters, Brackets)).feed(segment("a"))


def test_no_rules_change_nothing() -> None:
    assert [segment("Ren: @alice")] == rule_row(CONTEXT, ()).feed(segment("Ren: @alice"))


def test_all_rules_together_make_what_people_see() -> None:
    row = rule_row(CONTEXT)
    said = ["Ren: hi @alice :wave:\n", "...\n", "anyway\n", "Ren (mad): grr `@alice`\n", "Ren: ok\n"]

    out = [item for text in said for item in row.feed(segment(text))]

    mad = Identity("Ren", "mad.png", "mad")
    assert [
        ("hi <@1> <:wave:2>\n", None, ""),
        ("...anyway\n", None, ""),
        ("grr `@alice`\n", mad, "Ren (mad): "),
        ("ok\n", None, ""),
    ] == [(item.text, item.identity, item.label) for item in out]


def test_code_passes_every_rule_untouched() -> None:
    code = segment("```\nRen: @alice :wave:\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert [code] == rule_row(CONTEXT).feed(code)


def test_what_a_rule_holds_comes_out_at_the_end() -> None:
    row = rule_row(CONTEXT)

    assert row.feed(segment("...")) == []
    assert [segment("...", Boundary.FINAL)] == row.flush(Ending.FINAL)


def test_every_reply_has_rules_of_its_own() -> None:
    rule_row(CONTEXT).feed(segment("..."))

    assert rule_row(CONTEXT).flush(Ending.FINAL) == []


def test_a_rule_is_switched_off_by_its_name() -> None:
    context = replace(CONTEXT, settings=RuleSettings(rules_off=("own_name", "mentions")))

    assert [segment("Ren: @alice <:wave:2>")] == rule_row(context).feed(segment("Ren: @alice :wave:"))


def test_a_rule_of_ones_own_is_switched_off_by_its_name_too() -> None:
    assert (Letters,) == without((Brackets, Letters), "brackets")


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        pytest.param("mention", "did you mean 'mentions'?", id="nearly right"),
        pytest.param("xyz", "known are ", id="quite wrong"),
    ],
)
def test_a_name_that_no_rule_has_is_refused(name: str, hint: str) -> None:
    with pytest.raises(SettingsError, match=f"there is no rule called '{name}'") as caught:
        rule_row(replace(CONTEXT, settings=RuleSettings(rules_off=(name,))))

    assert hint in str(caught.value)


def test_a_rule_that_is_not_in_this_row_may_be_switched_off() -> None:
    assert (Letters,) == without((Letters,), "mentions")


def test_every_rule_has_a_name_of_its_own() -> None:
    names = [rule.name for rule in RULES]

    assert len(set(names)) == len(names)
    assert [rule.__module__.rpartition(".")[2] for rule in RULES] == names


ALWAYS = {SystemBlocks, LeakedTags, OrphanPunctuation, ListCode, LongFences, Tables}
STRIP = RuleSettings(unknown_emoji="strip")
MAD = Sprite("mad", "mad.png")


@pytest.mark.parametrize(
    ("context", "busy"),
    [
        pytest.param(RuleContext(), set(), id="nobody is known"),
        pytest.param(RuleContext(Persona("Ren")), {RenderModifier, OpeningLabel, OwnName, TrailingLabel}, id="a name"),
        pytest.param(
            RuleContext(Persona("Ren"), settings=RuleSettings(label_guard=False)),
            {RenderModifier, OwnName, TrailingLabel},
            id="a name without a guard",
        ),
        pytest.param(RuleContext(Persona("", ("Ren",))), {OpeningLabel, OwnName, TrailingLabel}, id="only an alias"),
        pytest.param(RuleContext(openers=("Ren",)), {OwnName}, id="a name to open with"),
        pytest.param(RuleContext(roster=Roster(speakers=("Bob",))), {TrailingLabel}, id="somebody who spoke"),
        pytest.param(RuleContext(Persona("", sprites=(MAD,))), set(), id="a face of nobody"),
        pytest.param(RuleContext(roster=Roster(mentions={"alice": "<@1>"})), {Mentions}, id="somebody to mention"),
        pytest.param(RuleContext(roster=Roster(mentions={"": "<@1>"})), set(), id="somebody without a name"),
        pytest.param(RuleContext(roster=Roster(emoji={"wave": "<:wave:2>"})), {Emoji}, id="an emoji"),
        pytest.param(RuleContext(settings=STRIP), {Emoji}, id="emoji to take out"),
        pytest.param(RuleContext(settings=RuleSettings(use_emoji=False)), {NoEmoji}, id="no emoji at all"),
        pytest.param(RuleContext(roster=Roster(recent_emoji=("wave",))), {RepeatedEmoji}, id="an emoji that was used"),
        pytest.param(RuleContext(prefill="Sure"), {Prefill}, id="a prefill"),
        pytest.param(RuleContext(settings=RuleSettings(speaker_guard=True)), {SpeakerGuard}, id="a guard"),
        pytest.param(RuleContext(settings=RuleSettings(unicode_spaces=True)), {UnicodeSpaces}, id="odd spaces"),
        pytest.param(RuleContext(settings=RuleSettings(sanitise="*")), {Sanitise}, id="hidden words"),
    ],
)
def test_rules_with_nothing_to_do_are_left_out(context: RuleContext, busy: set[type[Rule]]) -> None:
    assert [rule for rule in RULES if rule in busy | ALWAYS] == [type(rule) for rule in rule_row(context).stages]


def test_a_prefill_is_compared_as_the_rules_before_leave_it() -> None:
    """Those of somebody's own too; one that is switched off leaves it as it is."""
    context = RuleContext(Persona("Ren"), prefill=" Ren: [system: x] Sure, ")

    assert "Sure," == with_echo(context).echo
    assert "(SURE,]" == with_echo(replace(context, prefill="Sure,"), (Brackets, Letters, *RULES)).echo
    assert "Ren: Sure," == with_echo(context, without(RULES, "own_name")).echo
    assert with_echo(RuleContext(prefill=" ")).echo is None
