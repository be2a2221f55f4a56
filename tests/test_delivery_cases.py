"""Cases of the specification of stage 7: where each of them is shown, and those that are shown nowhere else.

A row is the number of a case, where it is shown, and a test without its ``test_``; or, behind a dash, why there is none.
An indented line says what ours does otherwise, and by which law or defect. T79 to T81, T87 to T93 and T96 are those of a
turn: ``test_turn_cases.py``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.replies.reply import say
from cadenza.settings import DeliverySettings, Settings
from cadenza.sim.permissions import INVITED, Permission
from cadenza.sim.wire import Refusal
from cadenza.stages.s7_delivery import Composer
from cadenza.targets.discord.target import ReplyTarget
from cadenza.types import Boundary, Ending, Identity, Post, Segment, Stopped, StopReason
from tests.case_index import not_shown, rows_of
from tests.discord_room import BOT_SENDS, REN, WEBHOOK_SENDS, Room, post
from tests.helpers import Dice
from tests.timing import SlowStream, TimedTarget, now

WHERE = {
    "composer": "stages/test_s7_delivery.py",
    "taps": "stages/test_observe.py",
    "outbox": "replies/outbox/test_sender.py",
    "pipeline": "replies/test_pipeline.py",
    "tries": "replies/test_attempts.py",
    "turn": "test_turn_cases.py",
    "backstage": "replies/outbox/test_prepare.py",
    "personas": "replies/outbox/test_grouping_names.py",
    "discord": "targets/discord/test_target.py",
    "courier": "targets/discord/test_courier.py",
    "house": "targets/discord/test_shared.py",
    "home": "targets/discord_py/test_client_state.py",
    "webhooks": "targets/discord/test_webhooks.py",
    "avatars": "targets/discord/test_avatars.py",
    "usernames": "text/test_usernames.py",
    "answering": "bot/test_answering.py",
    "memory": "bot/memory/test_memory_service.py",
    "thoughts": "bot/services/test_thought_text.py",
    "log": "bot/test_thought_log.py",
    "here": "test_delivery_cases.py",
}

INDEX = """
T1    here      t1_blank_text_is_nothing_at_any_degree
T2    here      t2_at_degree_0_words_are_put_together_and_nothing_is_sent_yet
T3    composer  at_degree_0_another_face_sends_what_was_put_aside_first
T4    here      t4_t5_only_who_types_takes_time_and_not_for_the_first_message
T5    here      t4_t5_only_who_types_takes_time_and_not_for_the_first_message
T6    composer  degree_3_sends_nothing_blank_and_leaves_something
T7    answering what_a_channel_or_a_character_has_chosen_goes_before_the_settings_of_the_model
T8    taps      a_post_knows_the_segments_that_it_is_made_of
      a message carries no reason; a trace says of which segments it is made, and its boundary where it was cut
T9    composer  at_degree_0_all_is_put_together
T10   composer  at_degree_0_all_is_put_together
T11   composer  t11_what_is_too_long_for_one_message_becomes_several_without_a_pause
T12   composer  at_degree_0_all_is_put_together
T13   turn      t13_of_gathered_words_nothing_follows_the_message_that_was_being_sent
T13b  pipeline  of_an_answer_that_was_held_back_a_stop_lets_no_more_be_said
T14   composer  t14_typing_takes_its_time
T15   composer  t15_the_first_message_comes_at_once_and_breath_is_taken_from_the_third_on
T16   composer  t16_a_breath_is_as_long_as_the_dice_say
T17   here      t17_t19_a_stop_ends_a_pause_at_once
      ours wakes up at once instead of asking every 250 ms, and sends at most a clause more, if it is told to
T18   -         nobody asks every 25 ms whether there is a stop: it wakes up whoever waits (T17)
T19   here      t17_t19_a_stop_ends_a_pause_at_once
T20   pipeline  a_stop_that_was_there_before_leaves_the_model_alone
T21   here      t21_t23_a_limit_lets_so_many_through_and_costs_no_call
T22   here      t22_people_are_told_of_a_flood_once_unless_nobody_is_to_be
      W7: by default the rest is in a file, and then there is nothing to tell
T23   here      t21_t23_a_limit_lets_so_many_through_and_costs_no_call
T24   here      t24_who_says_stop_is_not_told_that_there_is_more
T25   discord   a_blank_post_is_left_out_but_not_if_it_has_a_file
T26   here      t26_a_notice_that_is_refused_changes_nothing
T27   composer  both_limits_hold
      ours are one limit, the smaller, and one notice: there is no second that could fire
T28   webhooks  a_thread_speaks_through_the_webhook_of_its_parent
T29   discord   in_direct_messages_the_name_stands_in_front_and_no_webhook_is_asked_for
      W21: the name is not lost, it stands in front
T30   webhooks  a_refusal_is_remembered_for_a_quarter_of_an_hour
T31   webhooks  a_refusal_is_remembered_for_a_quarter_of_an_hour
T32   webhooks  a_store_that_fails_costs_a_search_and_nothing_else
      a store encrypts for itself; one that cannot decrypt raises, and its entry is forgotten
T33   webhooks  a_webhook_that_was_moved_is_not_spoken_through
T34   avatars   a_picture_is_stored_only_when_it_changes
T35   avatars   who_has_no_face_does_not_wear_anothers
T36   avatars   a_face_with_an_address_travels_with_the_message
T37   avatars   nothing_is_said_between_storing_a_face_and_speaking_under_it
T38   avatars   which_face_is_shown_instead
T39   avatars   a_persona_is_seen_as_before_when_its_new_face_would_take_long
      which sprite was asked for is in the receipt: T53
T40   avatars   somebody_else_is_never_seen_with_a_face_that_is_not_theirs
T41   discord   a_webhook_shows_what_it_answers_first
T42   discord   what_is_answered_is_shown_for_a_sprite_of_the_persona_only
T43   discord   what_is_answered_is_shown_for_a_sprite_of_the_persona_only
T44   discord   what_is_answered_is_shown_once_a_turn_even_if_that_failed
T45   here      t45_what_is_answered_is_shown_once_a_turn
T46   personas  a_change_of_sprite_is_a_change_of_name
T47   personas  behind_a_message_of_somebody_else_a_name_stands_for_itself
T48   personas  which_message_is_somebody_elses
T49   backstage the_next_reply_remembers_the_last_sprite
T50   personas  after_ten_minutes_all_is_forgotten
T51   here      t51_nobody_can_change_an_identity_that_was_given
T52   personas  behind_a_message_of_the_bot_too
T53   here      t53_a_sprite_that_nobody_saw_is_not_in_the_receipt
      there are no rows: a receipt says under which sprite its message stands, for whoever keeps them
T54   outbox    t80_whatever_goes_wrong_behind_a_send_it_was_sent
      nothing is written while a message is sent, so nothing can fail there
T55   discord   the_first_message_answers_and_the_next_does_not
T56   discord   an_answer_to_a_message_that_was_deleted_is_a_plain_message
T57   discord   a_message_of_another_channel_is_not_answered
T58   discord   only_whom_the_roster_knows_is_called_and_never_everybody
      W5: nothing is ever parsed; people are named one by one, roles only if that is allowed, pictures call nobody
T59   discord   a_bot_that_may_not_read_the_history_answers_with_a_plain_message
T60   turn      t60_a_message_that_failed_was_not_said
T61   turn      t61_a_label_is_remembered_once_however_many_messages_it_takes
T62   turn      t62_a_picture_counts_as_a_message_and_its_table_is_remembered
T63   turn      t63_what_arrives_behind_a_stop_is_known_all_the_same
T64   backstage without_a_picture_the_table_goes_out_as_text
T65   backstage at_degree_0_a_picture_stands_between_what_was_gathered
T66   backstage a_stop_does_not_wait_for_a_picture
      nothing is kept besides: the table is in the receipt, and what was not sent has none
T67   courier   a_file_that_is_too_large_is_said_in_words
T68   here      t68_a_channel_that_is_gone_ends_the_reply_with_one_call
T69   courier   a_webhook_that_was_deleted_is_made_again_and_used_from_then_on
T70   courier   if_a_webhook_cannot_be_made_again_the_bot_goes_on
      W2: also on message 4
T71   here      t71_nobody_else_speaks_for_somebody_strict_whatever_fails
T72   house     only_the_first_refusal_of_a_channel_is_an_error_in_the_log
T73   courier   every_message_arrives_once_if_connections_break
T74   discord   each_try_has_the_file
T75   home      t75_what_the_bot_may_not_is_known_before_a_model_is_asked
      whoever begins a turn asks a Speaker, and asks no model if it is blocked
T76   house     a_block_ends_after_a_quarter_of_an_hour
T77   house     an_error_that_passes_blocks_nothing
T78   home      t78_a_bot_that_is_timed_out_may_not_speak_whatever_its_roles
T82   tries     t82_nothing_to_take_back
T83   discord   messages_are_taken_back_each_by_who_sent_it
T84   discord   a_message_that_is_gone_already_counts_as_taken_back
T85   tries     t85_what_is_just_being_sent_is_taken_back_too
T86   discord   what_a_message_answers_goes_with_it_and_is_shown_again_with_the_next
T94   outbox    t94_typing_is_shown_every_eight_seconds_and_not_after_the_last_message
T95   -         W23: there are no temporary webhooks to delete, see test_delivery_defects.py
T97   discord   without_the_right_to_webhooks_the_name_stands_in_front_and_people_are_told_once
T98   memory    t98_of_twelve_messages_and_an_answer_ten_are_kept_and_the_answer_is_the_last
T99   memory    t99_in_direct_messages_there_is_one_entry_if_it_was_asked_for
      nothing of direct messages is kept unless somebody asks for that
T100  memory    t100_a_summary_survives_the_next_turns
T101  memory    t101_nothing_is_kept
T102  memory    t102_what_is_old_is_gone_and_a_summary_lives_longer
T103  memory    t103_two_personas_leave_four_entries
T104  thoughts  t104_a_long_thought_is_three_messages_with_a_heading_each_and_the_source_on_the_first
T105  thoughts  t105_every_part_of_what_tools_did_stands_in_a_closed_block
T106  log       t106_a_thread_of_a_private_channel_tells_nothing
T107  thoughts  t107_without_thoughts_only_the_payer_is_named
      how long it took is told of every turn
T108  thoughts  t108_a_time_is_shown_as_people_read_it
T109  usernames a_name_becomes_one_that_a_webhook_may_bear
T110  usernames a_name_becomes_one_that_a_webhook_may_bear
T111  here      t111_so_many_emoji_as_discord_takes_arrive
      ours counts UTF-16 units, in which no text is shorter: what it sends is legal however Discord counts
T112  usernames a_name_becomes_one_that_a_webhook_may_bear
"""


def test_every_case_is_shown_by_a_test_or_has_a_reason() -> None:
    assert [] == not_shown(INDEX, WHERE)


def test_no_case_is_left_out() -> None:
    numbers = [*range(1, 14), "13b", *range(14, 79), *range(82, 87), 94, 95, *range(97, 113)]

    assert [f"T{number}" for number in numbers] == [number for number, _, _ in rows_of(INDEX)]


# --- from segments to messages -----------------------------------------------------------------------

LINES = "One.\nTwo.\nThree."


def fed(degree: int, *texts: str) -> tuple[list[Post], list[Post]]:
    """What *texts* become at once, and what at the end."""
    composer = Composer(DeliverySettings(degree=degree), Dice())
    at_once = [item for text in texts for item in composer.feed(Segment(text, Boundary.OVERFLOW))]
    at_the_end = composer.flush(Ending.FINAL)
    return [item for item in at_once if isinstance(item, Post)], [item for item in at_the_end if isinstance(item, Post)]


@pytest.mark.parametrize("degree", range(4))
def test_t1_blank_text_is_nothing_at_any_degree(degree: int) -> None:
    assert ([], []) == fed(degree, "   ")


def test_t2_at_degree_0_words_are_put_together_and_nothing_is_sent_yet() -> None:
    at_once, at_the_end = fed(0, "a", "b")

    assert ([], ["ab"]) == (at_once, [post.text for post in at_the_end])


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("degree", "times"),
    [
        pytest.param(1, [0.0, 0.0, 0.0], id="T4"),
        pytest.param(2, [0.0, 0.75, 0.75 + 0.75 + 0.25], id="T5"),
    ],
)
async def test_t4_t5_only_who_types_takes_time_and_not_for_the_first_message(degree: int, times: list[float]) -> None:
    target = TimedTarget()

    await say(target, LINES, settings=Settings.reference(degree=degree), chance=Dice(0.0, 0.99))

    assert ["One.", "Two.", "Three."] == target.texts
    assert pytest.approx(times) == target.started


# --- stops and limits --------------------------------------------------------------------------------

LONG = "word " * 79 + "word."


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("reason", "on_stop", "count"),
    [
        pytest.param(StopReason.USER, "silence", 1, id="T17"),
        pytest.param(StopReason.USER, "clause", 2, id="T17 with a goodbye"),
        pytest.param(StopReason.FOLLOW_UP, "clause", 1, id="T19"),
    ],
)
async def test_t17_t19_a_stop_ends_a_pause_at_once(reason: StopReason, on_stop: str, count: int) -> None:
    target, stops = TimedTarget(), Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.3, stops.request, "turn", reason)

        result = await say(
            target, f"One.\n{LONG}", settings=Settings.of(degree=2, on_stop=on_stop), stop=handle, chance=Dice()
        )

    assert (["One.", LONG][:count], Stopped(reason), 0.3) == (target.texts, result.outcome, now())


@pytest.mark.looptime
@pytest.mark.parametrize("is_strict", [False, True], ids=["as the bot", "as somebody else"])
@pytest.mark.parametrize("limit", [pytest.param(1, id="T23"), pytest.param(2, id="T21")])
async def test_t21_t23_a_limit_lets_so_many_through_and_costs_no_call(limit: int, *, is_strict: bool) -> None:
    room = Room()
    target = room.target(persona=Identity("Mia"), is_strict=True) if is_strict else room.target()

    result = await say(target, LINES, settings=Settings.of(degree=1, message_limit=limit, when_full="stop"))

    assert (["One.", "Two."][:limit], Stopped(StopReason.MESSAGE_LIMIT)) == (room.texts(), result.outcome)
    sends = [call for call in room.rest.calls if "content" in (call.request.body or {})]
    assert (limit, limit) == (len(sends), len(result.receipts))


TOLD = "There is more"


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("options", "settings", "titles"),
    [
        pytest.param({}, {}, [TOLD], id="people are told"),
        pytest.param({}, {"show_errors": "off"}, [], id="nobody is to be told"),
        pytest.param({"persona": Identity("Mia"), "is_strict": True}, {}, [], id="the bot does not speak for others"),
    ],
)
async def test_t22_people_are_told_of_a_flood_once_unless_nobody_is_to_be(
    options: dict[str, Any], settings: dict[str, Any], titles: list[str]
) -> None:
    room = Room()

    result = await say(
        room.target(**options), LINES, settings=Settings.of(degree=1, flood_limit=2, when_full="notice", **settings)
    )

    assert Stopped(StopReason.MESSAGE_LIMIT) == result.outcome
    assert ["One.", "Two."] == [text for text in room.texts() if text]
    assert titles == [embed["title"] for message in room.messages() for embed in message["embeds"]]
    assert titles == [notice.title for notice in result.notices]


@pytest.mark.looptime
@pytest.mark.parametrize("on_stop", ["clause", "silence"])
@pytest.mark.parametrize(
    ("seconds", "reason"),
    [
        pytest.param(0.5, StopReason.USER, id="the stop was first"),
        pytest.param(1.0, StopReason.MESSAGE_LIMIT, id="both at once"),
        pytest.param(1.5, StopReason.MESSAGE_LIMIT, id="the limit was first"),
    ],
)
async def test_t24_who_says_stop_is_not_told_that_there_is_more(
    seconds: float, reason: StopReason, on_stop: str
) -> None:
    target, stops = TimedTarget(latency=2.0), Stops()
    settings = Settings.of(degree=1, message_limit=1, when_full="notice", on_stop=on_stop)
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(seconds, stops.request, "turn")

        result = await say(target, SlowStream("One.\nT", 1.0, "wo.\nThree."), settings=settings, stop=handle)

    assert (["One."], []) == (target.texts, target.notices)
    assert Stopped(reason) == result.outcome


@pytest.mark.looptime
async def test_t26_a_notice_that_is_refused_changes_nothing() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 403, 50013, after=2)

    result = await say(room.target(), LINES, settings=Settings.of(degree=1, message_limit=2, when_full="notice"))

    assert (["One.", "Two."], Stopped(StopReason.MESSAGE_LIMIT)) == (room.texts(), result.outcome)
    assert () == tuple(result.notices)


# --- names and answers -------------------------------------------------------------------------------


@pytest.mark.looptime
async def test_t45_what_is_answered_is_shown_once_a_turn() -> None:
    """Whatever is said behind a tool is of the same turn, and so of the same target."""
    room = Room()
    question = room.mia.says(room.channel, "Tea?")
    target = room.target(persona=REN, reply_target=ReplyTarget(question, "Mia"))

    for text in ("One moment.", "Yes."):
        await target.send(post(text, reply=question))

    assert ["Tea?", "", "One moment.", "Yes."] == room.texts()


def test_t51_nobody_can_change_an_identity_that_was_given() -> None:
    identity: Any = Identity("Ren")

    with pytest.raises(FrozenInstanceError):
        identity.name = "Mia"


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("granted", "sprite"),
    [
        pytest.param(INVITED, "mad", id="through a webhook"),
        pytest.param(INVITED & ~Permission.MANAGE_WEBHOOKS, None, id="as the bot"),
    ],
)
async def test_t53_a_sprite_that_nobody_saw_is_not_in_the_receipt(granted: Permission, sprite: str | None) -> None:
    room = Room(granted=granted)

    receipt = await room.target().send(post("Grr.", replace(REN, sprite="mad")))

    assert sprite == (receipt.identity.sprite if receipt.identity else None)


# --- what fails --------------------------------------------------------------------------------------


@pytest.mark.looptime
async def test_t68_a_channel_that_is_gone_ends_the_reply_with_one_call() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 404, 10003, after=1, every=1)

    result = await say(room.target(), LINES, settings=Settings.of(degree=1))

    assert (Stopped(StopReason.CHANNEL_GONE), ["One."]) == (result.outcome, room.texts())
    assert (2, ()) == (room.calls(f"POST /channels/{room.channel}/messages"), tuple(result.notices))


def _gone(room: Room) -> None:
    room.faults.fail(WEBHOOK_SENDS, 404, 10015, every=1)


def _broken(room: Room) -> None:
    room.faults.fail(WEBHOOK_SENDS, 500, every=1)


def _filtered(room: Room) -> None:
    room.faults.fail(WEBHOOK_SENDS, 400, 200000, every=1)


def _unmade(room: Room) -> None:
    room.faults.fail("* /channels/*/webhooks", 403, 50013, every=1)


@pytest.mark.looptime
@pytest.mark.parametrize("fault", [_gone, _broken, _filtered, _unmade], ids=lambda fault: fault.__name__)
async def test_t71_nobody_else_speaks_for_somebody_strict_whatever_fails(fault: Callable[[Room], None]) -> None:
    room = Room()
    fault(room)

    await say(room.target(persona=Identity("Mia"), is_strict=True), LINES, settings=Settings.of(degree=1))

    assert ([], 0) == (room.texts(), room.calls(f"POST /channels/{room.channel}/messages"))


@pytest.mark.looptime
@pytest.mark.parametrize("count", [2000, 2001])
async def test_t111_so_many_emoji_as_discord_takes_arrive(count: int) -> None:
    room, emoji = Room(), "\N{GRINNING FACE}"
    if count > 2000:
        with pytest.raises(Refusal):
            room.world.create_message(room.bot.id, room.channel, {"content": emoji * count})
    else:
        room.world.create_message(room.bot.id, room.channel, {"content": emoji * count})
        room.world.delete_message(room.bot.id, room.channel, room.messages()[0]["id"])

    await say(room.target(), emoji * count, settings=Settings.of(degree=1, limit=2000))

    assert emoji * count == "".join(room.texts())
    assert all(0 < len(text) <= 1000 for text in room.texts())
