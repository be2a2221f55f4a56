"""Cases of the specification around a turn: where each of them is shown, and those that are shown nowhere else.

``6.1`` is case 1 of the ``[test]`` block of section 6 of the specification of stages 1 to 4; ``T9`` is a case of that
of stage 7. A row names a test, without its ``test_``, or says behind a dash why there is none; what ours does otherwise
is said by the test itself. Section 8 has no cases of its own: its table is that of ``test_notices.py``.
T98 to T108 are about what comes after the turn; those of stage 7 itself are in ``test_delivery_cases.py``.
"""

from __future__ import annotations

import ast
import asyncio
from functools import cache
from pathlib import Path

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.text.tables import Table
from cadenza.types import Broke, Persona, Scene, Sprite, Stopped, StopReason
from tests.timing import SlowStream, TimedTarget

WHERE = {
    "registry": "contracts/stop_registry.py",
    "round": "stages/test_s4_round.py",
    "composer": "stages/test_s7_delivery.py",
    "outbox": "replies/outbox/test_sender.py",
    "pipeline": "replies/test_pipeline.py",
    "rounds": "replies/test_tool_loop.py",
    "tries": "replies/test_attempts.py",
    "casting": "models/test_fallback.py",
    "desk": "turns/test_queue.py",
    "stops": "turns/test_queue_stops.py",
    "here": "test_turn_cases.py",
}

INDEX = """
6.1   registry  a_follow_up_never_takes_the_place_of_a_stop
6.2   registry  a_stop_takes_the_place_of_a_follow_up
6.3   registry  who_asked_is_known_after_the_turn_and_only_from_its_handle
6.4   registry  when_a_turn_is_over_its_reason_is_over_too
6.5   registry  every_reason_arrives_as_what_it_is
6.6   registry  a_late_stop_is_refused_and_leaves_nothing
7.1   round     what_comes_of_a_story
7.2   round     what_comes_of_a_story
7.3   pipeline  silence_is_an_empty_reply
7.4   round     what_comes_of_a_story
7.5   round     what_comes_of_a_story
7.6   pipeline  people_are_told_of_a_failure_unless_the_settings_say_no
7.7   pipeline  a_stop_that_was_there_before_leaves_the_model_alone
7.8   pipeline  a_stop_that_was_there_before_leaves_the_model_alone
7.9   round     what_comes_of_a_story
7.10  round     what_comes_of_a_story
7.11  round     what_comes_of_a_story
7.12  round     a_guard_ends_the_round
7.13  round     13_a_limit_that_is_met_at_the_very_end_ends_the_round
7.14  stops     t89_what_comes_after_a_stop_is_answered
7.15  pipeline  a_cancelled_reply_leaves_nothing_running_and_loses_no_receipt
7.16  pipeline  a_model_that_breaks_off_leaves_what_it_said
7.17  pipeline  a_model_that_falls_silent_is_given_up_and_what_it_said_is_sent
7.18  round     18_thoughts_are_kept_block_by_block_in_their_order
7.19  round     19_the_last_usage_counts_wherever_it_comes
7.20  round     what_was_hidden_is_kept_however_it_ends
9.1   rounds    1_a_call_and_an_answer
9.2   rounds    2_five_failures_in_a_row_end_it
9.3   rounds    3_a_hundred_rounds_end_it_and_people_are_told_once_that_it_takes_longer
9.4   rounds    4_words_before_a_call_are_said_once_and_told_with_it
9.5   rounds    5_blanks_before_a_call_are_no_words
9.6   rounds    6_each_call_has_its_own_words
9.7   rounds    7_a_tool_that_settles_it
9.8   rounds    8_what_is_to_be_known_from_now_on_is_known_from_the_beginning
9.9   rounds    9_a_tool_that_is_not_exposed_is_not_run
9.10  rounds    10_a_call_without_a_name_is_not_run_and_the_model_may_do_better
9.11  rounds    11_a_call_that_was_cut_off_is_not_run_and_its_arguments_are_not_told
9.12  rounds    12_an_empty_round_behind_a_tool
9.13  rounds    what_is_asked_for_while_a_tool_runs
9.14  rounds    what_is_asked_for_while_a_tool_runs
9.15  rounds    15_a_model_that_is_silent_for_too_long
9.16  rounds    16_a_stop_during_an_answer_is_heard_at_once
9.17  rounds    17_a_tool_that_is_too_slow_is_stopped_and_the_model_is_told
10.1  tries     1_a_fallback_answers_and_one_line_says_so
10.2  tries     2_an_error_is_shown_once
10.3  tries     3_what_a_silent_model_had_said_goes_when_the_next_one_speaks
10.4  tries     4_5_a_fallback_that_is_stopped_is_not_told_of
10.5  tries     4_5_a_fallback_that_is_stopped_is_not_told_of
10.6  tries     6_a_message_that_cannot_be_sent_is_no_reason_to_ask_anybody_else
10.7  tries     7_another_key_answers_and_what_the_first_had_said_goes
10.8  tries     8_of_five_keys_three_are_tried_then_the_next_model_and_the_last_error_is_shown
10.9  tries     9_a_silent_model_is_not_asked_with_another_key
10.10 tries     10_an_empty_answer_is_asked_for_again_and_then_of_the_next_model
10.11 casting   11_one_of_the_models_is_drawn_to_be_first
10.12 tries     10_a_model_without_room_is_told_less_each_time
10.13 tries     13_a_fallback_that_is_refused_leaves_the_failure_that_was_and_it_is_shown
10.14 tries     14_each_model_is_told_of_tools_in_its_own_way
10.15 tries     15_a_filter_rests_no_key
11.1  desk      admission_1_whoever_is_answered_and_says_more_interrupts
11.2  desk      admission_2_in_a_tool_chain_more_waits_in_front_and_interrupts_nothing
11.3  desk      admission_3_and_t96_after_three_in_a_row_it_waits
11.4  desk      admission_4_somebody_else_waits
11.5  desk      admission_5_a_turn_that_a_command_asked_for_is_not_interrupted
11.6  stops     admission_6_a_stop_in_words_is_obeyed_and_not_answered
11.7  stops     admission_7_and_t92_somebody_elses_stop_is_an_ordinary_message
11.8  desk      admission_8_two_follow_ups_make_one_turn
11.9  stops     admission_9_and_t93_a_turn_that_does_not_get_on_gives_way_and_what_waited_is_gone
11.10 tries     10_an_empty_answer_is_asked_for_again_and_then_of_the_next_model
T9    composer  at_degree_0_all_is_put_together
T10   composer  at_degree_0_all_is_put_together
T11   composer  t11_what_is_too_long_for_one_message_becomes_several_without_a_pause
T12   composer  at_degree_0_all_is_put_together
T13   here      t13_of_gathered_words_nothing_follows_the_message_that_was_being_sent
T13b  pipeline  of_an_answer_that_was_held_back_a_stop_lets_no_more_be_said
T60   here      t60_a_message_that_failed_was_not_said
T61   here      t61_a_label_is_remembered_once_however_many_messages_it_takes
T62   here      t62_a_picture_counts_as_a_message_and_its_table_is_remembered
T63   here      t63_what_arrives_behind_a_stop_is_known_all_the_same
T79   outbox    t79_slow_sends_are_no_silence_of_the_model
T80   outbox    t80_whatever_goes_wrong_behind_a_send_it_was_sent
T81   outbox    t81_only_what_is_sent_is_progress
T82   tries     t82_nothing_to_take_back
T83   tries     t83_all_of_it_is_taken_back_one_at_a_time
T84   tries     t84_what_cannot_be_taken_back_is_skipped_and_was_said
T85   tries     t85_what_is_just_being_sent_is_taken_back_too
T86   tries     t86_notices_are_not_taken_back
T87   registry  a_follow_up_never_takes_the_place_of_a_stop
T88   registry  when_a_turn_is_over_its_reason_is_over_too
T89   stops     t89_what_comes_after_a_stop_is_answered
T90   stops     t90_where_nothing_goes_on_there_is_nothing_to_stop
T91   stops     t91_a_command_stops_the_reply_and_clears_what_waits
T92   stops     admission_7_and_t92_somebody_elses_stop_is_an_ordinary_message
T93   stops     admission_9_and_t93_a_turn_that_does_not_get_on_gives_way_and_what_waited_is_gone
T94   outbox    t94_typing_is_shown_every_eight_seconds_and_not_after_the_last_message
T95   -         webhooks are a matter of the Discord target: test_delivery_cases.py
T96   desk      admission_3_and_t96_after_three_in_a_row_it_waits
T97   -         likewise
"""

BLOCKS = {"6": 6, "7": 20, "9": 17, "10": 15, "11": 10}
"""How many cases each section has."""


def rows() -> list[tuple[str, str, str]]:
    """The number of each case, where it is shown, and the test or the reason."""
    return [
        (number, where, what) for number, where, what in (line.split(None, 2) for line in INDEX.split("\n") if line)
    ]


@cache
def names_in(where: str) -> frozenset[str]:
    """The names of all tests in a file, without their ``test_``."""
    tree = ast.parse((Path(__file__).parent / WHERE[where]).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name.removeprefix("test_") for node in functions if node.name.startswith("test_"))


def test_every_case_is_shown_by_a_test_or_has_a_reason() -> None:
    assert [] == [row for row in rows() if row[1] != "-" and row[2] not in names_in(row[1])]


def test_no_case_is_left_out() -> None:
    numbered = [f"{section}.{case}" for section, cases in BLOCKS.items() for case in range(1, cases + 1)]
    delivery = [9, 10, 11, 12, 13, "13b", *range(60, 64), *range(79, 98)]

    assert [*numbered, *(f"T{number}" for number in delivery)] == [number for number, _, _ in rows()]


# --- those that are shown nowhere else ---------------------------------------------------------------

AT_ONCE = Settings.of(degree=1)
MAD = Scene("general", Persona("Ren", sprites=(Sprite("mad", "mad.png"),)))
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"


@pytest.mark.looptime
@pytest.mark.parametrize("reason", [StopReason.FOLLOW_UP, StopReason.USER], ids=lambda reason: reason.value)
async def test_t13_of_gathered_words_nothing_follows_the_message_that_was_being_sent(reason: StopReason) -> None:
    target, stops, said = TimedTarget(latency=2.0), Stops(), "word " * 1100
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn", reason)

        result = await say(target, said, settings=Settings.of(degree=0), stop=handle)

    assert (1, Stopped(reason)) == (len(target.posts), result.outcome)
    assert said.startswith(result.transcript)


@pytest.mark.looptime
async def test_t60_a_message_that_failed_was_not_said() -> None:
    target = TimedTarget(fail_at=1, error=DeliveryError("no"))

    result = await say(target, "One.\nTwo.\nThree.", settings=AT_ONCE)

    assert isinstance(result.outcome, Broke)
    assert ("One.", ["One."]) == (result.transcript, [receipt.post.text for receipt in result.receipts])


async def test_t61_a_label_is_remembered_once_however_many_messages_it_takes() -> None:
    target = MemoryTarget(limits=Limits(length=50))

    result = await say(target, f"Ren (mad): one {'two ' * 30}", scene=MAD, settings=AT_ONCE)

    assert 3 == len(target.posts)
    assert result.transcript.startswith("Ren (mad): one")
    assert 1 == result.transcript.count("Ren (mad)")
    assert not any("mad" in text for text in target.texts)


class Painter:
    """Paints every table alike."""

    def paint(self, table: Table, /) -> bytes | None:  # noqa: ARG002  # it is always the same picture
        return b"PNG"


async def test_t62_a_picture_counts_as_a_message_and_its_table_is_remembered() -> None:
    target = MemoryTarget(limits=Limits(files=True))

    result = await say(
        target,
        f"Look:\n\n{TABLE}\n\nNice.",
        settings=Settings.of(degree=1, message_limit=2, when_full="stop"),
        preparer=PostPreparer(Painter()),
    )

    assert (["Look:", ""], Stopped(StopReason.MESSAGE_LIMIT)) == (target.texts, result.outcome)
    assert f"Look:\n{TABLE}" == result.transcript


@pytest.mark.looptime
async def test_t63_what_arrives_behind_a_stop_is_known_all_the_same() -> None:
    target, stops = TimedTarget(latency=30.0), Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn", StopReason.FOLLOW_UP)

        result = await say(target, SlowStream("One.\nTwo.\n", 1e9), settings=AT_ONCE, stop=handle)

    assert (["One."], "One.", 1) == (target.texts, result.transcript, len(result.receipts))
