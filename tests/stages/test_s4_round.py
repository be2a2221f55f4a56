"""The machine: whatever happens, in whatever order, there is one outcome and nothing said is forgotten.

Where the twenty cases of the orchestrator are shown (M = the table ``STORIES`` here, by number):

| case | what | where |
|---|---|---|
| 1, 2 | a line is said; the model had no room | M |
| 3 | not a word, not even an end | M (the shell says ``end_of_stream``), ``test_pipeline``: silence is an empty reply |
| 4, 5 | an unfinished clause before a call; no clause at all | M |
| 6 | a failure behind some words; whether people are told | M, ``test_pipeline``: people are told unless |
| 7, 8 | a stop or a follow-up before the start | ``test_pipeline``: a stop that was there before |
| 9, 10, 11 | a follow-up, a user's stop, a channel that is gone in mid-sentence | M |
| 12 | a guard that lets nothing pass, and one behind a message | ``test_a_guard_...`` here |
| 13 | the limit is met at the very end | here; the reply is ``Stopped``, since words were cut off; no request is left behind |
| 14 | a stop that owes an answer | not here: what follows a stop is the turn's business, and a stop ends with its turn |
| 15 | the caller gives up | ``test_pipeline``: a cancelled reply, which raises, as asyncio wants it |
| 16, 17 | the stream raises; it falls silent | ``test_pipeline``: a model that breaks off, falls silent |
| 18 | thoughts of several kinds | here; kept block by block, of one kind: no dialect needs two |
| 19 | a count of tokens behind the last word | here |
| 20 | all of it was a thought | M, and ``test_what_was_hidden_is_kept_however_it_ends`` |
"""

from __future__ import annotations

from collections.abc import Iterable
from random import Random

import pytest

from cadenza.errors import CadenzaError, DeliveryError, DeliveryKind, ErrorKind, ProviderError
from cadenza.replies.pipeline import text_row
from cadenza.rules import RULES, Rule
from cadenza.settings import Settings
from cadenza.stages.s4_round import KEEPS, Keep, Round, kept, outcome_of
from cadenza.types import (
    Broke,
    Completed,
    Empty,
    Ending,
    Failed,
    FellSilent,
    Finished,
    NeedsTools,
    Outcome,
    Participant,
    Persona,
    Roster,
    RoundEvent,
    Scene,
    Segment,
    SendFailed,
    Served,
    Stalled,
    Stopped,
    StopReason,
    StopRequested,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)

CALL = ToolCall("1", "dice", "{}")
OTHER_CALL = ToolCall("2", "dice", "{}")
SCENE = Scene("", Persona("Ren"), roster=Roster(participants=(Participant("Bob"),)))
RATE_LIMIT = ProviderError("slow down", kind=ErrorKind.RATE_LIMIT)
REFUSED = DeliveryError("refused")


def new_round(rules: Iterable[type[Rule]] = RULES, *, may_retry: bool = False, **values: object) -> Round:
    settings = Settings.of(**{"degree": 1, **values})
    row = text_row(SCENE, settings, Random(0), rules=rules, may_retry=may_retry)
    return Round(row, on_stop=settings.turn.on_stop)


def told(*events: RoundEvent, may_retry: bool = False, **values: object) -> tuple[list[str], Outcome | None]:
    round_ = new_round(may_retry=may_retry, **values)
    posts = [post for event in events for post in round_.receive(event)]
    return [post.text for post in posts], round_.outcome


def stopped(reason: StopReason) -> StopRequested:
    return StopRequested(reason)


STORIES = [
    pytest.param([TextDelta("A quiet nod.\n"), Finished()], ["A quiet nod."], Completed(), id="1 a line"),
    pytest.param([TextDelta("a\nb"), Finished()], ["a", "b"], Completed(), id="1 two lines"),
    pytest.param([Finished("length")], [], Empty("length"), id="2 no room"),
    pytest.param([Finished("end_of_stream")], [], Empty("end_of_stream"), id="3 not a word"),
    pytest.param([TextDelta("  \n "), Finished()], [], Empty(), id="3 blank"),
    pytest.param(
        [TextDelta("I will check. Then maybe"), CALL, Finished("tool_calls")],
        ["I will check."],
        NeedsTools((CALL,)),
        id="4 an unfinished clause before a call",
    ),
    pytest.param(
        [TextDelta("no boundary here"), CALL, Finished()], ["no boundary here"], NeedsTools((CALL,)), id="5 no clause"
    ),
    pytest.param([CALL, OTHER_CALL, Finished()], [], NeedsTools((CALL, OTHER_CALL)), id="5 two calls in their order"),
    pytest.param([TextDelta("hi"), Failed(RATE_LIMIT)], ["hi"], Broke(RATE_LIMIT), id="6 a failure behind some words"),
    pytest.param([CALL, Failed(RATE_LIMIT)], [], Broke(RATE_LIMIT), id="6 a failure behind a call"),
    pytest.param(
        [TextDelta("Hello wor"), stopped(StopReason.FOLLOW_UP), TextDelta("ld")],
        [],
        Stopped(StopReason.FOLLOW_UP),
        id="9 a follow-up",
    ),
    pytest.param(
        [TextDelta("One. Tw"), stopped(StopReason.USER), TextDelta("o.")],
        [],
        Stopped(StopReason.USER),
        id="10 a user's stop",
    ),
    pytest.param(
        [TextDelta("One.\nTwo."), stopped(StopReason.SHUTDOWN)],
        ["One."],
        Stopped(StopReason.SHUTDOWN),
        id="10 at a shutdown",
    ),
    pytest.param(
        [TextDelta("Hello"), stopped(StopReason.MISSING_ACCESS), TextDelta("!")],
        [],
        Stopped(StopReason.MISSING_ACCESS),
        id="11 no access",
    ),
    pytest.param([TextDelta("<think>hm</think>"), Finished()], [], Empty(), id="20 only a thought"),
]


@pytest.mark.parametrize(("events", "texts", "outcome"), STORIES)
def test_what_comes_of_a_story(events: list[RoundEvent], texts: list[str], outcome: Outcome) -> None:
    assert (texts, outcome) == told(*events)


# --- what is kept ------------------------------------------------------------------------------

STORY = (ThoughtDelta("first"), TextDelta("One.\n\n<details>why</details>Two. Thr"))
THOUGHT = TextDelta("\n<think>last")
EVERYTHING = {0: ["One.\n\nTwo. Thr"], 1: ["One.", "Two. Thr"]}
CLAUSE = {0: ["One.\n\nTwo."], 1: ["One.", "Two."]}
DECIDED = {0: [], 1: ["One."]}

ENDS = {
    "completed": ((Finished(),), Completed(), EVERYTHING),
    "needs tools": ((CALL, Finished()), NeedsTools((CALL,)), CLAUSE),
    "broke": ((Failed(RATE_LIMIT),), Broke(RATE_LIMIT), EVERYTHING),
    "stalled": ((FellSilent(has_begun=True),), Stalled(has_begun=True), EVERYTHING),
    "never began": ((FellSilent(has_begun=False),), Stalled(has_begun=False), EVERYTHING),
    "refused": ((SendFailed(REFUSED),), Broke(REFUSED), DECIDED),
    StopReason.USER: DECIDED,
    StopReason.SHUTDOWN: DECIDED,
    StopReason.TIME_LIMIT: DECIDED,
    StopReason.FOLLOW_UP: DECIDED,
    StopReason.CHANNEL_GONE: DECIDED,
    StopReason.MISSING_ACCESS: DECIDED,
    StopReason.TRIGGER_GONE: DECIDED,
    StopReason.STALE: DECIDED,
    StopReason.SPEAKER_GUARD: DECIDED,
    StopReason.MESSAGE_LIMIT: DECIDED,
    StopReason.RULE: DECIDED,
    StopReason.ROUND_LIMIT: EVERYTHING,
}
"""Every way to end: the events, the outcome, and what was given out by then at degree 0 and 1."""


def _ending(name: str | StopReason) -> tuple[tuple[RoundEvent, ...], Outcome, dict[int, list[str]]]:
    row = ENDS[name]
    if isinstance(name, StopReason):
        assert isinstance(row, dict)
        return (StopRequested(name),), Stopped(name), row
    assert isinstance(row, tuple)
    return row


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("end", ENDS, ids=str)
def test_what_is_kept_however_it_ends(end: str | StopReason, degree: int) -> None:
    events, outcome, texts = _ending(end)

    assert (texts[degree], outcome) == told(*STORY, *events, degree=degree)


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("end", ENDS, ids=str)
def test_what_was_hidden_is_kept_however_it_ends(end: str | StopReason, degree: int) -> None:
    """An open block, too: B14, B15 and B17."""
    round_ = new_round(degree=degree)
    for event in (*STORY, THOUGHT, *_ending(end)[0]):
        round_.receive(event)

    assert (["first", "last"], ["why"]) == (round_.thoughts, round_.details)


@pytest.mark.parametrize("end", ENDS, ids=str)
def test_what_was_said_is_what_was_given_out(end: str | StopReason) -> None:
    round_ = new_round()

    posts = [post for event in (*STORY, *_ending(end)[0]) for post in round_.receive(event)]

    assert [post.said for post in posts] == round_.said


def test_every_reason_has_its_row_in_the_table() -> None:
    assert set(StopReason) == set(KEEPS) == {end for end in ENDS if isinstance(end, StopReason)}


def test_whatever_is_no_early_end_keeps_everything() -> None:
    assert {Keep.EVERYTHING} == {
        kept(Completed()),
        kept(Empty()),
        kept(NeedsTools(())),
        kept(Stalled(has_begun=False)),
        kept(Broke(ProviderError("x"))),
    }


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize("reason", [StopReason.USER, StopReason.SHUTDOWN, StopReason.TIME_LIMIT, StopReason.FOLLOW_UP])
def test_the_clause_after_a_stop_is_a_setting_unless_a_follow_up_comes(degree: int, reason: StopReason) -> None:
    texts = DECIDED if reason is StopReason.FOLLOW_UP else CLAUSE

    assert (texts[degree], Stopped(reason)) == told(*STORY, stopped(reason), degree=degree, on_stop="clause")


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        pytest.param("Hello wor", [], id="a stub is all there is"),
        pytest.param("\n<think>hm</think>Star num", [], id="a stub behind a thought"),
        pytest.param("One.\nStar num", ["One."], id="a stub behind a line"),
        pytest.param("One. Tw", ["One."], id="in the second clause"),
    ],
)
def test_a_clause_that_is_not_whole_is_not_finished(text: str, texts: list[str]) -> None:
    assert texts == told(TextDelta(text), stopped(StopReason.USER), on_stop="clause")[0]


# --- a stage that ends it -----------------------------------------------------------------------


@pytest.mark.parametrize("degree", [0, 1])
@pytest.mark.parametrize(
    ("text", "texts", "outcome"),
    [
        pytest.param("Bob: hi\nThree", [], Empty("speaker_guard"), id="12 nothing passed"),
        pytest.param("One.\nBob: hi\nThree", ["One."], Stopped(StopReason.SPEAKER_GUARD), id="12 behind a message"),
    ],
)
def test_a_guard_ends_the_round(text: str, texts: list[str], outcome: Outcome, degree: int) -> None:
    events = TextDelta(text), Finished()

    assert (texts, outcome) == told(*events, degree=degree, speaker_guard=True, may_retry=True)


def test_a_stage_that_halts_ends_the_round() -> None:
    round_ = new_round(message_limit=2)

    texts = [post.text for post in round_.receive(TextDelta("a\nb\nc\nd\n"))]

    assert (["a", "b"], Stopped(StopReason.MESSAGE_LIMIT)) == (texts, round_.outcome)
    assert [] == round_.receive(TextDelta("more\nand more\n"))


@pytest.mark.parametrize("end", [(Finished(),), (CALL, Finished())], ids=["the end", "a call"])
def test_13_a_limit_that_is_met_at_the_very_end_ends_the_round(end: tuple[RoundEvent, ...]) -> None:
    assert (["a."], Stopped(StopReason.MESSAGE_LIMIT)) == told(TextDelta("a.\nb."), *end, message_limit=1)


def test_a_stop_from_outside_outranks_a_limit_that_its_last_message_meets() -> None:
    events = TextDelta("a.\nb."), stopped(StopReason.USER)

    assert (["a."], Stopped(StopReason.USER)) == told(*events, message_limit=1)


@pytest.mark.parametrize(
    ("behind", "texts"),
    [
        pytest.param(Finished("tool_calls"), ["One.", "Let me see. Three."], id="and it finishes"),
        pytest.param(Failed(CadenzaError("down")), ["One.", "Let me see. Three."], id="and it breaks off"),
    ],
)
def test_words_behind_a_call_go_on_where_those_before_it_ended(behind: RoundEvent, texts: list[str]) -> None:
    assert texts == told(TextDelta("One.\nLet me"), CALL, TextDelta(" see. Three."), behind)[0]


class Failing(Rule):
    """Fails where it is told to."""

    def change(self, segment: Segment) -> Segment:
        if "fail" in segment.text:
            raise ValueError(segment.text)
        return segment


class FailingAtTheEnd(Rule):
    """Fails when nothing more comes."""

    def flush(self, why: Ending, /) -> tuple[()]:
        raise KeyError(why)


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("rule", "events"),
    [
        pytest.param(Failing, [TextDelta("One.\nTwo.\nfail secret.\nThree.\n")], id="in a chunk of several lines"),
        pytest.param(Failing, [TextDelta("One.\nTwo.\n"), TextDelta("fail\nx")], id="in a line of its own"),
        pytest.param(Failing, [TextDelta("One.\nTwo.\nfail"), Finished()], id="in what was held"),
        pytest.param(FailingAtTheEnd, [TextDelta("One.\nTwo."), Finished()], id="at the end"),
        pytest.param(FailingAtTheEnd, [TextDelta("One.\nTwo."), CALL, Finished()], id="before a call"),
        pytest.param(FailingAtTheEnd, [TextDelta("One.\nTwo."), FellSilent(has_begun=True)], id="in silence"),
    ],
)
def test_a_rule_that_fails_is_the_end_and_what_stood_before_is_given_out(
    rule: type[Rule], events: list[RoundEvent], degree: int
) -> None:
    round_ = new_round([rule], degree=degree)

    posts = [post for event in events for post in round_.receive(event)]

    words = "".join(filter(str.isalpha, "".join(post.text for post in posts)))
    assert words.casefold() == "onetwo"
    assert [post.said for post in posts] == round_.said
    assert isinstance(round_.outcome, Broke)
    assert f"a rule or another stage failed ({type(round_.fault).__name__})" == str(round_.outcome.error)
    assert round_.outcome.error.__cause__ is round_.fault
    assert [] == round_.receive(TextDelta("more\n"))


@pytest.mark.parametrize("reason", StopReason)
def test_a_rule_that_fails_at_a_stop_changes_nothing_about_the_stop(reason: StopReason) -> None:
    round_ = new_round([FailingAtTheEnd])
    for event in (*STORY, THOUGHT, StopRequested(reason)):
        round_.receive(event)

    assert Stopped(reason) == round_.outcome
    assert (["first", "last"], ["why"]) == (round_.thoughts, round_.details)


# --- what else is kept --------------------------------------------------------------------------


def test_18_thoughts_are_kept_block_by_block_in_their_order() -> None:
    round_ = new_round()
    for event in (
        ThoughtDelta("fir"),
        ThoughtDelta("st"),
        TextDelta("<think>second</think>hi"),
        ThoughtDelta("third"),
        Finished(),
    ):
        round_.receive(event)

    assert ["first", "second", "third"] == round_.thoughts


def test_thoughts_with_words_between_them_are_two() -> None:
    round_ = new_round()
    for event in (ThoughtDelta("first."), TextDelta("hi"), ThoughtDelta("second."), Finished()):
        round_.receive(event)

    assert ["first.", "second."] == round_.thoughts


def test_19_the_last_usage_counts_wherever_it_comes() -> None:
    round_ = new_round()
    for event in (Usage(1, 1), TextDelta("hi"), TextDelta(""), Usage(5, 9), Finished()):
        round_.receive(event)

    assert Usage(5, 9) == round_.usage


def test_the_first_who_is_said_to_answer_counts() -> None:
    round_ = new_round()
    for event in (Served(""), Served("one"), Served("two")):
        round_.receive(event)

    assert "one" == round_.served_by


# --- after the outcome --------------------------------------------------------------------------

GONE = DeliveryError("gone", kind=DeliveryKind.CHANNEL_GONE)
HIDDEN = DeliveryError("hidden", kind=DeliveryKind.MISSING_ACCESS)


@pytest.mark.parametrize(
    ("error", "outcome"),
    [
        (GONE, Stopped(StopReason.CHANNEL_GONE)),
        (HIDDEN, Stopped(StopReason.MISSING_ACCESS)),
        (REFUSED, Broke(REFUSED)),
        (no_right := DeliveryError("no", kind=DeliveryKind.MISSING_PERMISSIONS), Broke(no_right)),
    ],
    ids=lambda value: value.kind.value if isinstance(value, DeliveryError) else "",
)
def test_where_there_is_no_place_for_a_message_any_more_it_is_a_stop(error: DeliveryError, outcome: Outcome) -> None:
    assert outcome == outcome_of(SendFailed(error))
    assert ([], outcome) == told(TextDelta("a"), SendFailed(error))


@pytest.mark.parametrize(
    ("event", "renamed"),
    [(stopped(StopReason.USER), Stopped(StopReason.USER)), (SendFailed(REFUSED), Broke(REFUSED))],
    ids=["a stop", "a failed send"],
)
@pytest.mark.parametrize(
    "end",
    [(Finished(),), (CALL, Finished()), (Failed(RATE_LIMIT),), (FellSilent(has_begun=True),)],
    ids=["done", "wants tools", "failed", "stalled"],
)
def test_until_everything_is_sent_a_stop_or_a_failed_send_renames_what_the_model_ended_with(
    end: tuple[RoundEvent, ...], event: RoundEvent, renamed: Outcome
) -> None:
    assert (["a"], renamed) == told(TextDelta("a"), *end, event)


@pytest.mark.parametrize("after", [stopped(StopReason.USER), SendFailed(GONE), Finished(), Failed(RATE_LIMIT)], ids=str)
@pytest.mark.parametrize(
    "end", [stopped(StopReason.FOLLOW_UP), stopped(StopReason.SPEAKER_GUARD), SendFailed(REFUSED)], ids=str
)
def test_the_first_stop_or_failed_send_counts(end: RoundEvent, after: RoundEvent) -> None:
    assert ([], outcome_of(end)) == told(TextDelta("a"), end, after)


def test_what_ends_no_reply_is_not_taken_for_an_end() -> None:
    with pytest.raises(ValueError, match="TextDelta ends no reply"):
        outcome_of(TextDelta("a"))
