"""What the reference gets wrong in delivering, by the number in its list of defects, and what Cadenza does instead.

The numbers stand in section 20 of the specification of stage 7. A row names a test, without its ``test_``, or says behind
a dash what there is not yet, and why; an indented line says what of it there is not. Tests that stand nowhere else are here.
"""

from __future__ import annotations

import pytest

from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Identity, Stopped, StopReason
from tests.case_index import not_shown, rows_of
from tests.discord_room import BOT_SENDS, REN, WEBHOOK_SENDS, Room, post
from tests.targets.persona_stage import picture

pytestmark = pytest.mark.looptime

WHERE = {
    "composer": "stages/test_s7_delivery.py",
    "outbox": "replies/outbox/test_sender.py",
    "pipeline": "replies/test_pipeline.py",
    "tries": "replies/test_attempts.py",
    "turns": "test_turn_defects.py",
    "stops": "turns/test_queue_stops.py",
    "desk": "turns/test_queue_replies.py",
    "discord": "targets/discord/test_target.py",
    "courier": "targets/discord/test_courier.py",
    "webhooks": "targets/discord/test_webhooks.py",
    "usernames": "text/test_usernames.py",
    "app": "bot/test_app.py",
    "kills": "bot/test_kills.py",
    "thoughts": "bot/services/test_thought_text.py",
    "alarm": "bot/services/test_invalid_requests.py",
    "metrics": "bot/services/test_metrics.py",
    "here": "test_delivery_defects.py",
}

INDEX = """
W1    tries     6_a_message_that_cannot_be_sent_is_no_reason_to_ask_anybody_else
W2    courier   if_a_webhook_cannot_be_made_again_the_bot_goes_on
W3    here      w3_what_is_remembered_is_how_a_message_was_really_sent
W3    here      w3_whichever_way_a_message_arrives_the_channel_is_open
W4    here      w4_a_channel_that_is_gone_when_the_bot_speaks_instead_ends_the_reply_quietly
W5    discord   only_whom_the_roster_knows_is_called_and_never_everybody
W6    tries     limits_of_a_reply_count_what_stands_over_all_tries
W6    tries     the_first_message_that_stands_answers_the_one_that_was_asked
W7    composer  w7_what_is_too_much_for_the_messages_of_a_reply
W8    pipeline  a_pause_is_shortened_by_the_time_that_the_model_took
W8    outbox    all_pauses_together_stay_within_the_budget
W9    outbox    a_message_puts_the_typing_out_so_it_is_shown_again
W9    pipeline  typing_is_shown_until_the_last_message_and_not_after
W10   webhooks  our_own_changes_are_no_reason_to_ask
W11   usernames every_name_becomes_a_legal_one
W12   courier   every_message_arrives_once_if_connections_break
W12   webhooks  any_other_failure_leaves_the_webhook_known
W13   discord   what_a_message_answers_goes_with_it_and_is_shown_again_with_the_next
W13   discord   what_is_answered_is_not_shown_to_stay_if_the_answer_never_arrives
W14   here      w14_words_of_two_messages_do_not_run_together_in_what_is_remembered
W15   turns     b7_a_stop_behind_the_last_word_does_not_end_the_next_turn
W15   turns     b8_two_turns_of_one_channel_are_stopped_apart
W16   stops     b54_a_stop_word_in_a_sentence_is_a_follow_up
W16   stops     a_command_of_somebody_who_may_not_stop_others_stops_only_what_they_asked_for
W16   app       a_reaction_stops_it_if_it_is_theirs_to_stop
W17   composer  w17_there_is_always_an_end_to_a_flood
W18   thoughts  w18_what_is_more_than_three_boxes_is_a_file
W19   tries     half_a_line_does_not_flash_up_when_a_model_breaks_off
W19   tries     3_what_a_silent_model_had_said_goes_when_the_next_one_speaks
      what stands is taken back one by one, from the last: deleting all at once needs a right that few bots have
W20   desk      at_a_shutdown_people_are_told_that_the_reply_was_cut_off
W20   webhooks  after_a_restart_the_webhook_comes_from_the_store
W20   kills     nothing_is_said_twice_and_nothing_is_forgotten
W21   discord   in_direct_messages_the_name_stands_in_front_and_no_webhook_is_asked_for
W22   courier   every_row_is_kept_to
W23   here      w23_who_speaks_as_somebody_else_uses_the_webhook_that_is_there
W24   -         a message that grows by being edited is a way of its own to deliver, which nothing here stands in the way of
W25   metrics   sends_are_counted_by_the_way_they_took
W25   alarm     the_log_is_warned_once_an_episode
W26   composer  w26_a_long_code_block_is_a_file
W27   -         a message can be sent without previews (Outgoing.has_previews), but no setting asks for it yet
"""


def test_every_defect_is_shown_by_a_test_or_has_a_reason() -> None:
    assert [] == not_shown(INDEX, WHERE)


def test_no_defect_is_left_out() -> None:
    assert [f"W{number}" for number in range(1, 28)] == list(dict.fromkeys(number for number, _, _ in rows_of(INDEX)))


# --- those that are shown nowhere else ---------------------------------------------------------------

PICTURE = Identity("Ren", picture("mad"), "mad")


@pytest.mark.parametrize(
    ("code", "face", "stored"),
    [
        pytest.param(10015, REN.avatar, 0, id="through another webhook: its face can be shown again"),
        pytest.param(99999, None, 1, id="as the bot: there is no face of the persona to show again"),
    ],
)
async def test_w3_what_is_remembered_is_how_a_message_was_really_sent(code: int, face: str | None, stored: int) -> None:
    """The next face would take half a minute to store; only what people have seen last may stand in for it."""
    room = Room()
    target = room.target(persona=REN)
    room.faults.fail(WEBHOOK_SENDS, 404, code)
    await target.send(post("One."))
    room.faults.storm("PATCH /webhooks/*/*", 30.0, times=1)

    await target.send(post("Two.", PICTURE))

    said = [call.request.body for call in room.rest.calls if (call.request.body or {}).get("content") == "Two."]
    assert [face] == [body.get("avatar_url") for body in said]
    assert stored == sum(call.request.method == "PATCH" and call.status == 200 for call in room.rest.calls)


@pytest.mark.parametrize("code", [pytest.param(10015, id="another webhook"), pytest.param(99999, id="the bot")])
async def test_w3_whichever_way_a_message_arrives_the_channel_is_open(code: int) -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 403, 50013)
    await say(room.target(), "Zero.")
    blocked = room.shared.blocked(room.channel)
    room.faults.fail(WEBHOOK_SENDS, 404, code)

    await room.target(persona=REN).send(post("One."))

    assert ("missing_permissions", None) == (blocked, room.shared.blocked(room.channel))


async def test_w4_a_channel_that_is_gone_when_the_bot_speaks_instead_ends_the_reply_quietly() -> None:
    room = Room()
    room.faults.fail(WEBHOOK_SENDS, 403, 99999)
    room.faults.fail(BOT_SENDS, 404, 10003)

    result = await say(room.target(persona=REN), "One.\nTwo.", settings=Settings.of(degree=1))

    assert (Stopped(StopReason.CHANNEL_GONE), [], []) == (result.outcome, room.texts(), list(result.notices))


async def test_w14_words_of_two_messages_do_not_run_together_in_what_is_remembered() -> None:
    target = MemoryTarget()

    result = await say(target, "Hi.\nThere", settings=Settings.of(degree=1))

    assert (["Hi.", "There"], "Hi.\nThere") == (target.texts, result.transcript)


async def test_w23_who_speaks_as_somebody_else_uses_the_webhook_that_is_there() -> None:
    room = Room()
    for name in ("Mia", "Kai"):
        await room.target(persona=Identity(name), is_strict=True).send(post("Hello."))
    await room.target(persona=REN).send(post("Hello."))

    assert ["Mia", "Kai", "Ren"] == [name for name, _ in room.said()]
    assert 1 == len({message["webhook_id"] for message in room.messages()})
    assert (1, 0) == (room.calls(f"POST /channels/{room.channel}/webhooks"), room.calls("DELETE"))
