"""Taps: they see what each stage does, and change nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, strategies as st

from cadenza.replies.pipeline import Takes, text_row
from cadenza.rules import RULES
from cadenza.rules.rule import Rule, RuleContext
from cadenza.settings import Settings
from cadenza.stages.observe import SequenceNumbers, Taps, Tell
from cadenza.stages.s5_buffer import Buffer
from cadenza.stages.s6_rules import rule_row
from cadenza.stages.s7_delivery import Composer
from cadenza.stages.stage import Pipe
from cadenza.targets.target import Limits
from cadenza.types import Boundary, Ending, Halt, Identity, Persona, Post, Roster, Scene, Segment, Sprite, StopReason
from tests.laws.material import nasty_markdown

Step = tuple[str, Mapping[str, object]]
SCENE = Scene(
    "",
    Persona("Ren", sprites=(Sprite("mad"),)),
    roster=Roster(mentions={"mia": "<@1>"}, emoji={"wave": "<:wave:1>"}, speakers=("Mia",)),
)


def tapped(settings: Settings, tell: Tell, *, rules: Iterable[type[Rule]] = RULES, pictures: bool = False) -> Pipe:
    """The row of a reply, with its taps."""
    taps = Taps(tell, SequenceNumbers(), SequenceNumbers())
    row = text_row(SCENE, settings, Random(0), rules=rules, takes=Takes(pictures=pictures))
    *stages, _ = row.stages
    return taps.around(Pipe(*stages, Composer(settings.delivery, Random(0), pictures=pictures, see=taps.planned)))


def seen(
    text: str, *, rules: Iterable[type[Rule]] = RULES, degree: int = 1, pictures: bool = False, **values: object
) -> list[Step]:
    """What is told of *text*."""
    told: list[Step] = []
    row = tapped(Settings.of(degree=degree, **values), lambda step, about: told.append((step, about)), rules=rules, pictures=pictures)  # fmt: skip
    for character in text:
        row.feed(character)
    row.flush(Ending.FINAL)
    return told


def of(step: str, told: Iterable[Step]) -> list[Mapping[str, object]]:
    return [about for name, about in told if name == step]


# --- numbers ---------------------------------------------------------------------------------


def test_a_message_that_waited_for_the_rest_is_made_of_all_of_it() -> None:
    told: list[tuple[str, Mapping[str, object]]] = []
    taps = Taps(lambda step, about: told.append((step, about)), SequenceNumbers(), SequenceNumbers())
    settings = Settings.of(degree=1, message_limit=2)
    row = taps.around(
        Pipe(
            Buffer(settings.buffer), Composer(settings.delivery, Random(0), limits=Limits(files=True), see=taps.planned)
        )
    )

    row.feed("a\nb\nc\nd")
    row.flush(Ending.FINAL)

    assert [[1], [2, 3, 4]] == [about["segments"] for step, about in told if step == "post"]


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
    told = of("segment", seen("Hi\n```py\nx\n```"))

    assert [(1, "Hi\n", "newline", "prose"), (2, "```py\nx\n```", "code_close", "code")] == [
        tuple(about[name] for name in ("number", "text", "boundary", "kind")) for about in told
    ]


def test_hidden_blocks_are_told() -> None:
    assert [{"kind": "thought", "text": "hm"}] == of("aside", seen("<think>hm</think>Yes."))


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
    assert expected == [about["segments"] for about in of("post", seen(text))]


def test_what_is_gathered_is_made_of_all_but_the_empty_lines() -> None:
    assert [[1, 3]] == [about["segments"] for about in of("post", seen("a\n\nb", degree=0))]


@pytest.mark.parametrize("count", [20, 80])
def test_each_of_many_messages_is_made_of_its_own_share_of_what_was_gathered(count: int) -> None:
    """Told with all of it, a trace would grow with the square of what is said."""
    text = "".join(f"This is line {number}.\n" for number in range(count))

    shares = [about["segments"] for about in of("post", seen(text, degree=0, limit=60))]

    assert len(shares) > count / 4
    assert [*range(1, count + 1)] == [number for share in shares if isinstance(share, list) for number in share]


def test_what_is_gathered_ends_where_the_face_changes() -> None:
    assert [[1], [2]] == [about["segments"] for about in of("post", seen("a\nRen (mad): b", degree=0))]


@pytest.mark.parametrize(("degree", "expected"), [(0, [[1, 2], [4]]), (1, [[1], [2], [4]])])
def test_a_picture_is_made_of_its_table_and_its_lead_in(degree: int, expected: list[list[int]]) -> None:
    table = "| a | b |\n|---|---|\n| 1 | 2 |\n"
    told = of("post", seen(f"Look:\n{table}\nNice.", degree=degree, pictures=True, tables="picture"))

    assert expected == [about["segments"] for about in told]
    assert [True, False] == [about["picture"] for about in told[-2:]]


def test_a_post_has_the_pause_that_was_made_for_it() -> None:
    told = of("post", seen("a\nb\nc", degree=2, thinking_chance=0.0))

    first, second, third = [{name: about[name] for name in ("pause", "typing")} for about in told]
    assert {"pause": 0.0, "typing": 0.0} == first
    assert {"pause": 0.75, "typing": 0.75} == second
    assert told[2]["pause"] == pytest.approx(0.75 + float(str(told[2]["breath"])))
    assert third["typing"] == 0.75


def test_a_limit_of_messages_is_the_composer_s() -> None:
    assert [{"by": "composer", "reason": "message_limit"}] == of("halt", seen("a\nb\nc", message_limit=2))


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


def deeds(told: Iterable[Step]) -> Rules:
    return [(str(about["effect"]), list(about["before"]), list(about["after"])) for about in of("rule", told)]  # type: ignore[call-overload]  # they are lists


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
    first, second = of("rule", seen("a\nb", rules=(Dress,)))

    assert ("dress", [1], "Mia", "Mia: ") == tuple(first[name] for name in ("rule", "segments", "identity", "label"))
    assert [2] == second["segments"]


def test_a_halt_is_told_with_the_rule_that_gave_it() -> None:
    assert [{"by": "enough", "reason": "rule"}] == of("halt", seen("a", rules=(Enough,)))


def test_numbers_go_through_all_rules() -> None:
    told = seen("a\nbb\nc", rules=(Late, Shout, Halve))

    assert [[1], [2], [2], [3]] == [about["segments"] for about in of("post", told)]


def test_what_was_dropped_is_told_when_it_is_clear() -> None:
    told = deeds(seen("xy\na", rules=(Swallow,)))

    assert [("held", ["xy\n"], []), ("dropped", ["xy\n"], [])] == told


@pytest.mark.parametrize(("rule", "after"), [(Break, []), (BreakLate, ["a"])], ids=["at once", "on the way"])
def test_a_rule_that_fails_is_told_and_fails(rule: type[Rule], after: list[str]) -> None:
    told: list[Step] = []
    row = tapped(Settings.of(degree=1), lambda step, about: told.append((step, about)), rules=(rule,))

    with pytest.raises(KeyError):
        [*row.feed("a"), *row.flush(Ending.FINAL)]

    assert [("failed", ["a"], after)] == deeds(told)


@pytest.mark.parametrize("rule", [Break, BreakLate])
def test_what_a_rule_gave_before_it_failed_is_given(rule: type[Rule]) -> None:
    """A stage that breaks off on the way has said something; with a tap it has said the same."""
    given = Segment("a", Boundary.FINAL)
    bare, (tap,) = rule(RuleContext()), Taps(lambda *_: None, SequenceNumbers(), SequenceNumbers()).around(Pipe(rule(RuleContext()))).stages  # fmt: skip
    heard: list[list[Segment]] = []
    for stage in (bare, tap):
        taken: list[Segment] = []
        with pytest.raises(KeyError):
            taken += stage.feed(given)
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
    told: list[Step] = []
    row = tapped(Settings.of(degree=1), lambda step, about: told.append((step, about)))
    posts = [item for item in [*row.feed(text), *row.flush(Ending.FINAL)] if isinstance(item, Post)]

    known = {about["number"] for about in of("segment", told)}
    assert [post.text for post in posts] == [about["text"] for about in of("post", told)]
    for about in of("post", told):
        segments = about["segments"]
        assert isinstance(segments, list)
        assert segments
        assert known.issuperset(segments)
