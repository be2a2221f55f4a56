"""Taps: they see what each stage does, and change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from random import Random
from typing import TypeVar, cast

import pytest
from hypothesis import given, strategies as st

from cadenza.explain.deciding import deciding_setting
from cadenza.facts import Fact, MessagePlanned, ReplyHalted, TextChanged, TextCut, TextHidden
from cadenza.replies.pipeline import Takes, text_row
from cadenza.rules import RULES
from cadenza.rules.rule import Rule, RuleContext
from cadenza.settings import Settings
from cadenza.stages.observe import PostNumbers, SegmentNumbers, SequenceNumbers, Taps, Tell
from cadenza.stages.s5_buffer import Buffer
from cadenza.stages.s6_rules import rule_row
from cadenza.stages.s7_delivery import Composer
from cadenza.stages.stage import Pipe
from cadenza.targets.target import Limits
from cadenza.types import Boundary, Ending, Halt, Identity, Persona, Post, Roster, Scene, Segment, Sprite, StopReason
from tests.laws.material import nasty_markdown

F = TypeVar("F")
SCENE = Scene(
    "",
    Persona("Ren", sprites=(Sprite("mad"),)),
    roster=Roster(mentions={"mia": "<@1>"}, emoji={"wave": "<:wave:1>"}, speakers=("Mia",)),
)


def tapped(settings: Settings, tell: Tell, *, rules: Iterable[type[Rule]] = RULES, pictures: bool = False) -> Pipe:
    """The row of a reply, with its taps."""
    taps = taps_of(settings, tell)
    row = text_row(SCENE, settings, Random(0), rules=rules, takes=Takes(pictures=pictures))
    _, *stages, _ = row.stages
    composer = Composer(settings.delivery, Random(0), pictures=pictures, see=taps.planned)
    return taps.around(Pipe(buffer_of(settings), *stages, composer))


def taps_of(settings: Settings, tell: Tell) -> Taps:
    is_casual = settings.delivery.manner.casual
    return Taps(tell, SegmentNumbers(), PostNumbers(), deciding_setting(settings, None), is_casual=is_casual)


def buffer_of(settings: Settings) -> Buffer:
    """The buffer of a traced reply."""
    manner = settings.delivery.manner
    return Buffer(
        settings.buffer,
        sentences=manner.shape == "sentences",
        lone_words=not settings.delivery.grouping,
        speaker=SCENE.persona.name,
        traced_from=0,
    )


def seen(
    text: str, *, rules: Iterable[type[Rule]] = RULES, degree: int = 1, pictures: bool = False, **values: object
) -> list[Fact]:
    """The facts of *text*."""
    told: list[Fact] = []
    row = tapped(Settings.of(degree=degree, **values), told.append, rules=rules, pictures=pictures)
    for character in text:
        row.feed(character)
    row.flush(Ending.FINAL)
    return told


def of(kind: type[F], told: Iterable[object]) -> list[F]:
    return [fact for fact in told if isinstance(fact, kind)]


# --- numbers ---------------------------------------------------------------------------------


def test_a_message_that_waited_for_the_rest_is_made_of_all_of_it() -> None:
    told: list[Fact] = []
    settings = Settings.of(degree=1, message_limit=2)
    taps = taps_of(settings, told.append)
    composer = Composer(settings.delivery, Random(0), limits=Limits(files=True), see=taps.planned)
    row = taps.around(Pipe(buffer_of(settings), composer))

    row.feed("a\nb\nc\nd")
    row.flush(Ending.FINAL)

    assert [(1,), (2, 3, 4)] == [fact.segments for fact in of(MessagePlanned, told)]


def test_a_thing_is_known_by_which_one_it_is_and_not_by_what_it_is_like() -> None:
    numbers: SequenceNumbers[Segment] = SequenceNumbers()
    one, same = Segment("ha", Boundary.NEWLINE), Segment("ha", Boundary.NEWLINE)

    assert (1, 2) == (numbers.new(one), numbers.new(same))
    assert ((1,), (2,), ()) == (numbers.of(one), numbers.of(same), numbers.of(Segment("ha", Boundary.NEWLINE)))


def test_what_is_made_of_several_has_all_their_numbers_once() -> None:
    numbers: SequenceNumbers[str] = SequenceNumbers()
    numbers.inherit("made", (1, 2, 1))

    assert (1, 2) == numbers.of("made")
    assert {} == numbers.things


# --- the stages --------------------------------------------------------------------------------


def test_segments_are_told_with_their_boundary_and_kind() -> None:
    told = of(TextCut, seen("Hi\n```py\nx\n```"))

    assert [(1, "Hi\n", "newline", "prose"), (2, "```py\nx\n```", "code_close", "code")] == [
        (fact.number, fact.text, fact.boundary, fact.kind) for fact in told
    ]


def test_hidden_blocks_are_told() -> None:
    assert [TextHidden("thought", "hm", ((0, 17),))] == of(TextHidden, seen("<think>hm</think>Yes."))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\nb", [[1], [2]], id="a post a segment"),
        pytest.param("...\nThen.", [[1, 2]], id="what a rule put together"),
        pytest.param("a\n\nb", [[1], [3]], id="an empty line is no post"),
        pytest.param("Ren (mad): a\nRen: b", [[1], [2]], id="labels that are taken off"),
    ],
)
def test_a_post_knows_the_segments_that_it_is_made_of(text: str, expected: list[list[int]]) -> None:
    assert expected == [[*fact.segments] for fact in of(MessagePlanned, seen(text))]


def test_what_is_gathered_is_made_of_all_of_it() -> None:
    assert [[1, 2, 3]] == [[*fact.segments] for fact in of(MessagePlanned, seen("a\n\nb", degree=0))]


@pytest.mark.parametrize("count", [20, 80])
def test_each_of_many_messages_is_made_of_its_own_share_of_what_was_gathered(count: int) -> None:
    """Told with all of it, a trace would grow with the square of what is said."""
    text = "".join(f"This is line {number}.\n" for number in range(count))

    shares = [[*fact.segments] for fact in of(MessagePlanned, seen(text, degree=0, limit=60))]

    assert len(shares) > count / 4
    assert [*range(1, count + 1)] == [number for share in shares for number in share]


def test_what_is_gathered_ends_where_the_face_changes() -> None:
    assert [[1], [2]] == [[*fact.segments] for fact in of(MessagePlanned, seen("a\nRen (mad): b", degree=0))]


@pytest.mark.parametrize(("degree", "expected"), [(0, [[1, 2], [4]]), (1, [[1], [2], [4]])])
def test_a_picture_is_made_of_its_table_and_its_lead_in(degree: int, expected: list[list[int]]) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    told = of(MessagePlanned, seen(f"Look:\n{table}\nNice.", degree=degree, pictures=True, tables="picture"))

    assert expected == [[*fact.segments] for fact in told]
    assert [True, False] == [fact.picture for fact in told[-2:]]


def test_a_post_has_the_pause_that_was_made_for_it() -> None:
    told = of(MessagePlanned, seen("a\nb\nc", degree=2, thinking_chance=0.0))

    first, second, third = told
    assert (0.0, 0.0) == (first.pause, first.typing)
    assert (0.75, 0.75) == (second.pause, second.typing)
    assert third.pause == pytest.approx(0.75 + third.breath)
    assert third.typing == 0.75


def test_a_limit_of_messages_is_the_composer_s() -> None:
    assert [ReplyHalted("composer", "message_limit")] == of(ReplyHalted, seen("a\nb\nc", message_limit=2))


# --- rules ---------------------------------------------------------------------------------------


class Shout(Rule):
    """Writes in capitals."""

    def change(self, segment: Segment) -> Segment:
        return replace(segment, text=segment.text.upper())


class Halve(Rule):
    """Makes two of one."""

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        middle = len(segment.text) // 2
        return [replace(segment, text=segment.text[:middle]), replace(segment, text=segment.text[middle:])]


class Late(Rule):
    """Lets each segment go when the next one comes."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._held: list[Segment] = []

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        held, self._held = self._held, [segment]
        return held

    def flush(self, why: Ending, /) -> Iterable[Segment]:  # noqa: ARG002  # it lets go whatever the reason
        held, self._held = self._held, []
        return held


class Swallow(Rule):
    """Lets nothing pass that begins with an x."""

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        return () if segment.text.startswith("x") else (segment,)


class Dress(Rule):
    """Speaks under another name."""

    def change(self, segment: Segment) -> Segment:
        return replace(segment, identity=Identity("Mia"), label="Mia: ")


class Enough(Rule):
    """Ends the reply at the first word."""

    def feed(self, segment: Segment, /) -> Iterable[Segment | Halt]:  # noqa: ARG002  # whatever it is
        return (Halt(StopReason.RULE),)


class PostScript(Rule):
    """Has the last word."""

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        return (Segment("P.S.", why.boundary),)


class Break(Rule):
    """Cannot do it."""

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        raise KeyError(segment.text)


class BreakLate(Rule):
    """Gives something, and then cannot go on."""

    def feed(self, segment: Segment, /) -> Iterator[Segment]:
        yield segment
        raise KeyError(segment.text)


Rules = list[tuple[str, list[str], list[str]]]


def deeds(told: Iterable[Fact]) -> Rules:
    return [(fact.effect, [*fact.before], [*fact.after]) for fact in of(TextChanged, told) if fact.stage == "rules"]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        pytest.param(Rule, [], id="left alone"),
        pytest.param(Shout, [("changed", ["a\n"], ["A\n"]), ("changed", ["xy"], ["XY"])], id="changed"),
        pytest.param(Halve, [("split", ["a\n"], ["a", "\n"]), ("split", ["xy"], ["x", "y"])], id="split"),
        pytest.param(Dress, [("changed", ["a\n"], ["a\n"]), ("changed", ["xy"], ["xy"])], id="shown as somebody else"),
        pytest.param(Swallow, [("held", ["xy"], []), ("dropped", ["xy"], [])], id="dropped in the end"),
        pytest.param(Enough, [("dropped", ["a\n"], [])], id="ended"),
        pytest.param(PostScript, [("added", [], ["P.S."])], id="added"),
        pytest.param(
            Late,
            [("held", ["a\n"], []), ("released", ["a\n"], ["a\n"]), ("held", ["xy"], []), ("released", ["xy"], ["xy"])],
            id="held and released",
        ),
    ],
)
def test_what_a_rule_did_is_told(rule: type[Rule], expected: Rules) -> None:
    assert expected == deeds(seen("a\nxy", rules=(rule,)))


def test_a_rule_is_told_by_its_name_with_the_segments_it_was_at_work_on() -> None:
    first, second = (fact for fact in of(TextChanged, seen("a\nb", rules=(Dress,))) if fact.stage == "rules")

    assert ("dress", (1,), "Mia", "Mia: ") == (first.by, first.segments, first.identity, first.label)
    assert (2,) == second.segments


def test_a_halt_is_told_with_the_rule_that_gave_it() -> None:
    assert [ReplyHalted("enough", "rule")] == of(ReplyHalted, seen("a", rules=(Enough,)))


def test_numbers_go_through_all_rules() -> None:
    told = seen("a\nbb\nc", rules=(Late, Halve, Shout))

    assert [[1], [2], [2], [3]] == [[*fact.segments] for fact in of(MessagePlanned, told)]


def test_what_was_dropped_is_told_when_it_is_clear() -> None:
    told = deeds(seen("xy\na", rules=(Swallow,)))

    assert [("held", ["xy\n"], []), ("dropped", ["xy\n"], [])] == told


@pytest.mark.parametrize(("rule", "after"), [(Break, []), (BreakLate, ["a"])], ids=["at once", "on the way"])
def test_a_rule_that_fails_is_told_and_fails(rule: type[Rule], after: list[str]) -> None:
    told: list[Fact] = []
    row = tapped(Settings.of(degree=1), told.append, rules=(rule,))

    with pytest.raises(KeyError):
        [*row.feed("a"), *row.flush(Ending.FINAL)]

    assert [("failed", ["a"], after)] == deeds(told)


@pytest.mark.parametrize("rule", [Break, BreakLate])
def test_what_a_rule_gave_before_it_failed_is_given(rule: type[Rule]) -> None:
    """A stage that breaks off on the way has said something; with a tap it has said the same."""
    given = Segment("a", Boundary.FINAL)
    bare = rule(RuleContext())
    tap, _ = taps_of(Settings(), lambda _: None).around(Pipe(rule(RuleContext()), Composer(Settings().delivery, Random(0)))).stages  # fmt: skip
    heard: list[list[Segment]] = []
    for stage in (bare, tap):
        taken: list[Segment] = []
        with pytest.raises(KeyError):
            taken += cast("Iterable[Segment]", stage.feed(given))
        heard.append(taken)

    assert heard[0] == heard[1]


# --- nothing changes -------------------------------------------------------------------------------


def test_without_a_trace_there_are_no_taps() -> None:
    row = text_row(SCENE, Settings(), Random(0))

    assert {Buffer, Composer, *map(type, rule_row(RuleContext(SCENE.persona, SCENE.roster)).stages)} >= {
        *map(type, row.stages)
    }


@pytest.mark.parametrize("degree", range(4))
@given(text=nasty_markdown(), dice=st.randoms(use_true_random=False))
def test_a_tapped_row_gives_what_a_bare_one_gives(degree: int, text: str, dice: Random) -> None:
    settings = Settings.of(degree=degree, speaker_guard=True)
    bare, seen_row = text_row(SCENE, settings, Random(0)), tapped(settings, lambda *_: None)
    while text:
        size = dice.randint(1, 12)
        assert bare.feed(text[:size]) == seen_row.feed(text[:size])
        text = text[size:]

    assert bare.flush(Ending.FINAL) == seen_row.flush(Ending.FINAL)


@given(text=nasty_markdown())
def test_every_post_is_told_in_its_order_and_made_of_segments_that_were_told(text: str) -> None:
    told: list[Fact] = []
    row = tapped(Settings.of(degree=1), told.append)
    posts = [item for item in [*row.feed(text), *row.flush(Ending.FINAL)] if isinstance(item, Post)]

    known = {fact.number for fact in of(TextCut, told)}
    assert [post.text for post in posts] == [fact.text for fact in of(MessagePlanned, told)]
    for fact in of(MessagePlanned, told):
        assert fact.segments or all(start < 0 for _, start, _ in fact.origin)
        assert known.issuperset(fact.segments)
