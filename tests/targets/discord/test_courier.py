"""One message, whatever Discord says to it: the table of refusals row by row, and exactly once. All in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import partial
from typing import assert_never

import pytest
from hypothesis import given, strategies as st
from looptime import new_event_loop

from cadenza.errors import DeliveryError, DeliveryKind
from cadenza.sim.faults import Fault, Faults
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.permissions import Permission
from cadenza.sim.wire import File
from cadenza.targets.discord.api import ApiError, Outgoing, Place, Sent, Webhook, WebhookIdentity
from cadenza.targets.discord.policies import TABLE, UNKNOWN, Policy, PolicyRow, Step
from cadenza.targets.discord.shared import DiscordState
from cadenza.targets.discord.target import DiscordTarget
from cadenza.targets.discord.webhooks import Webhooks
from cadenza.types import Attachment, Identity, Notice, Post, Receipt, RefusedAttempt
from tests.discord_room import BOT_SENDS, REN, WEBHOOK_SENDS, Room, post, sent_or_error
from tests.timing import now

pytestmark = pytest.mark.looptime

TEXTS = ["One.", "Two.", "Three.", "Four."]
PIXEL = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
PATHS = {"bot": (None, BOT_SENDS), "webhook": (REN, WEBHOOK_SENDS)}


# --- the table, row by row -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Sample:
    """One answer that a row of the table is about."""

    row: PolicyRow
    code: int = 0
    status: int = 400
    field: str = ""
    is_ban: bool = False
    is_lost: bool = False

    @property
    def policy(self) -> Policy:
        return self.row.policy

    def __str__(self) -> str:
        what = self.field or ("ban" if self.is_ban else "lost" if self.is_lost else self.code or self.status)
        return f"{self.policy.name}-{what}"

    def strike(self, room: Room, match: str, *, after: int, is_lasting: bool) -> Fault:
        """Let *room* answer so, once or for ever; our API itself waits out a plain 429 four times."""
        is_limit = self.status == 429 and not self.code
        times = None if is_lasting else 5 if is_limit else 1
        every = 1 if is_lasting else None
        if self.is_ban or is_limit:
            return room.faults.storm(match, 2.0, times, has_via=not self.is_ban, after=after)
        if self.is_lost:
            return room.faults.lose(match, is_carried_out=False, times=times, after=after, every=every)
        errors = {self.field: {"_errors": [{"code": "INVALID", "message": "no"}]}} if self.field else None
        return room.faults.fail(
            match, self.status, self.code, fields=errors, retry_after=2.0, times=times, after=after, every=every
        )


def samples() -> Iterator[Sample]:
    for row in TABLE:
        condition = row.condition
        yield from (Sample(row, code=code) for code in sorted(condition.codes))
        yield from (Sample(row, status=status) for status in sorted(condition.statuses)[:3])
        if condition.field:
            yield Sample(row, code=50035, field=condition.field)
        if condition.is_ban:
            yield Sample(row, is_ban=True)
        if condition.is_ambiguous:
            yield Sample(row, is_lost=True)


def helps_once(policy: Policy, path: str) -> bool:
    """Whether a message arrives after all as it was meant, if Discord answers so once."""
    match policy.step:
        case Step.RECOVER | Step.RENAME:
            return path == "webhook"
        case Step.SHORTEN | Step.WAIT | Step.RETRY | Step.COOLDOWN:
            return True
        case Step.REFUSE | Step.SKIP | Step.AS_BOT | Step.DROP_REPLY | Step.DROP_FILE:
            return False
        case _:
            assert_never(policy.step)


def expected(policy: Policy, path: str, at: int, *, is_lasting: bool) -> list[str]:
    """What people see if Discord answers so from message *at* on."""
    if not is_lasting and helps_once(policy, path):
        return TEXTS
    if path == "webhook" and policy.helps_as_bot:
        labelled = [f"**Ren:** {text}" for text in TEXTS]
        return TEXTS[:at] + (labelled[at:] if is_lasting else [labelled[at], *TEXTS[at + 1 :]])
    if policy.step is Step.SKIP and not is_lasting:
        return TEXTS[:at] + TEXTS[at + 1 :]
    return TEXTS[:at]


@pytest.mark.parametrize("is_lasting", [False, True], ids=["once", "for ever"])
@pytest.mark.parametrize("at", [0, 2], ids=["at message 1", "at message 3"])
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("sample", list(samples()), ids=str)
async def test_every_row_is_kept_to(sample: Sample, path: str, at: int, is_lasting: bool) -> None:  # noqa: FBT001  # a parameter
    room = Room()
    room.shared.may_complain(room.channel)  # people have been told already
    identity, match = PATHS[path]
    policy = sample.policy
    sample.strike(room, match, after=at, is_lasting=is_lasting)
    became = await sent_or_error(room.target(), *(post(text, identity) for text in TEXTS))

    texts = expected(policy, path, at, is_lasting=is_lasting)
    assert texts == room.texts()
    receipts = [one for one in became if isinstance(one, Receipt)]
    assert [message["id"] for message in room.messages()] == [receipt.message_id for receipt in receipts]
    assert [message["author"]["username"] for message in room.messages()] == [
        receipt.identity.name if receipt.identity else "Cadenza" for receipt in receipts
    ]
    assert {policy.name} >= {refused.reason for receipt in receipts for refused in receipt.refusals}
    if not is_lasting and len(receipts) == len(TEXTS):
        assert [at] == [place for place, receipt in enumerate(receipts) if receipt.refusals]
    errors = [one for one in became if isinstance(one, DeliveryError)]
    assert (len(texts) < len(TEXTS)) == bool(errors)
    assert {policy.told} >= {error.sentence.template for error in errors}
    is_blocked = policy.is_remembered or policy.step is Step.COOLDOWN
    assert (policy.name if errors and is_blocked else None) == room.shared.blocked(room.channel)


# --- single rows, more closely -----------------------------------------------------------------------------


async def test_a_channel_that_is_gone_costs_one_call() -> None:
    room = Room()
    target = room.target()
    await target.send(post("One."))
    room.faults.fail(BOT_SENDS, 404, 10003)
    with pytest.raises(DeliveryError) as caught:
        await target.send(post("Two."))
    assert (10003, DeliveryKind.CHANNEL_GONE, 2) == (caught.value.code, caught.value.kind, len(room.rest.calls))
    assert isinstance(caught.value.__cause__, ApiError)


async def test_retries_wait_one_and_three_seconds_and_then_it_is_over() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 503, 130000, every=1)
    begun = now()
    with pytest.raises(DeliveryError, match="does not answer"):
        await room.target().send(post("One."))
    times = [call.at for call in room.rest.calls if call.request.method == "POST"]
    assert [0.0, 1.0, 4.0] == pytest.approx([at - times[0] for at in times])
    assert 4.0 == pytest.approx(now() - begun)


@pytest.mark.parametrize(("seconds", "is_waited_for"), [(30.0, True), (31.0, False)])
async def test_a_write_limit_is_waited_for_if_it_is_short(seconds: float, is_waited_for: bool) -> None:  # noqa: FBT001  # a column
    room = Room()
    room.faults.fail(BOT_SENDS, 429, 20028, retry_after=seconds)
    begun = now()
    await sent_or_error(room.target(), post("One."))
    assert (["One."] if is_waited_for else []) == room.texts()
    assert (seconds if is_waited_for else 0.0) == pytest.approx(now() - begun)


async def test_a_write_limit_that_never_ends_is_waited_for_twice() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 429, 20028, retry_after=10.0, every=1)
    [error] = await sent_or_error(room.target(), post("One."))
    assert isinstance(error, DeliveryError)
    assert (3, 20028) == (len(room.rest.calls), error.code)
    assert [("20028", "wait")] * 2 == [(refused.code, refused.remedy) for refused in error.refusals], (
        "and then it is over"
    )


async def test_the_bot_has_tries_of_its_own_where_a_webhook_has_used_them_up() -> None:
    room = Room()
    room.faults.fail(WEBHOOK_SENDS, 500, every=1)
    room.faults.fail(BOT_SENDS, 500, times=2)
    await room.target(persona=REN).send(post("One."))
    assert ["**Ren:** One."] == room.texts()


async def test_a_webhook_that_was_deleted_is_made_again_and_used_from_then_on() -> None:
    room = Room()
    target = room.target(persona=REN)
    for text in TEXTS[:2]:
        await target.send(post(text))
    [webhook] = room.world.channel_webhooks(room.bot.id, room.channel)
    room.world.delete_webhook(room.bot.id, webhook["id"])
    third, fourth = [await target.send(post(text)) for text in TEXTS[2:]]
    assert ((RefusedAttempt("webhook_gone", "10015", "recover"),), ()) == (third.refusals, fourth.refusals)
    assert [("Ren", text) for text in TEXTS] == room.said()
    assert 2 == room.calls(f"POST /channels/{room.channel}/webhooks")
    assert 2 == len({message["webhook_id"] for message in room.messages()})


@pytest.mark.parametrize("at", [0, 3])
async def test_if_a_webhook_cannot_be_made_again_the_bot_goes_on(at: int) -> None:
    room = Room()
    room.shared.may_complain(room.channel)
    question = room.mia.says(room.channel, "Tea?")
    target = room.target(persona=REN)
    await room.shared.webhooks.get(await room.api.find(room.channel))
    room.faults.fail(WEBHOOK_SENDS, 404, 10015, after=at)
    room.faults.fail("GET /channels/*/webhooks", 403, 50013, every=1)
    for number, text in enumerate(TEXTS):
        await target.send(post(text, reply=None if number else question))
    assert TEXTS[:at] + [f"**Ren:** {text}" for text in TEXTS[at:]] == room.texts()[1:]
    reference = room.messages()[1].get("message_reference")
    assert (None if at else question) == (reference and reference["message_id"])


async def test_a_file_that_is_too_large_is_said_in_words() -> None:
    room = Room()
    picture = Attachment("table.png", b"\x89PNG")
    table = replace(post("", attachment=picture), source="| a | b |\n|---|---|\n| 1 | 2 |")
    room.faults.fail(BOT_SENDS, 413, 40005)
    receipt = await room.target().send(table)
    [message] = room.messages()
    assert ("a", "1", []) == (message["content"].split()[1], message["content"].split()[-3], message["attachments"])
    assert table == receipt.post
    assert ["drop_file"] == [refused.remedy for refused in receipt.refusals]


async def test_a_webhook_that_may_not_speak_is_told_with_the_bot_that_spoke() -> None:
    room = Room()
    room.faults.fail(WEBHOOK_SENDS, 403, 50013)
    receipt = await room.target(persona=REN).send(post("Tea?"))
    assert ["**Ren:** Tea?"] == room.texts()
    assert (RefusedAttempt("missing_permissions", "50013", "as_bot"),) == receipt.refusals


@pytest.mark.parametrize(("persona", "match"), PATHS.values(), ids=PATHS)
async def test_a_rate_limit_that_our_own_api_waits_out_is_told_too(persona: Identity | None, match: str) -> None:
    room = Room()
    room.faults.storm(match, 2.0, 2)
    receipt = await room.target(persona=persona).send(post("Tea?"))
    assert (RefusedAttempt("rate_limited", "429", "wait"),) * 2 == receipt.refusals


async def test_a_file_that_is_known_to_be_too_large_is_never_sent() -> None:
    room = Room()
    await room.target().send(post("Look.", attachment=Attachment("big.bin", bytes(10 * 2**20 + 1))))
    assert (["Look."], [()]) == (room.texts(), [call.request.files for call in room.rest.calls])


async def test_a_file_that_is_too_large_and_says_nothing_is_an_error() -> None:
    room = Room()
    with pytest.raises(DeliveryError, match="too large"):
        await room.target().send(post("", attachment=Attachment("big.bin", bytes(10 * 2**20 + 1))))


async def test_a_message_that_discord_finds_too_long_arrives_in_pieces() -> None:
    room = Room()
    text = "word " * 600
    question = room.mia.says(room.channel, "Tea?")
    receipt = await room.target().send(post(text.strip(), reply=question))
    _, first, second = room.messages()
    assert text.split() == f"{first['content']} {second['content']}".split()
    assert first["id"] == receipt.message_id
    assert (True, False) == (bool(first.get("message_reference")), bool(second.get("message_reference")))


async def test_a_message_arrives_whole_or_not_at_all() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 403, 50013, after=2)
    with pytest.raises(DeliveryError):
        await room.target().send(post("word " * 600))
    assert [] == room.texts()


async def test_what_cannot_be_taken_back_stays_and_the_first_error_is_told() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 403, 50013, after=2)
    room.faults.fail("DELETE /**", 403, 50013)
    with pytest.raises(DeliveryError, match="may not send messages here"):
        await room.target().send(post("word " * 600))
    assert 1 == len(room.texts())


async def test_a_channel_is_blocked_by_a_refusal_and_opened_by_a_success() -> None:
    room = Room()
    target = room.target()
    room.world.time_out(room.guild, room.bot, 60.0)
    for _ in range(2):
        with pytest.raises(DeliveryError, match="time-out"):
            await target.send(post("One."))
        assert "missing_permissions" == room.shared.blocked(room.channel)
    room.world.time_out(room.guild, room.bot, 0.0)
    await target.send(post("Two."))
    assert (None, ["Two."]) == (room.shared.blocked(room.channel), room.texts())


async def test_after_a_ban_no_target_of_the_bot_calls_discord_until_its_cooldown_is_over() -> None:
    room = Room()
    room.faults.ban(times=1, retry_after=150.0)
    target, begun = room.target(persona=REN), now()
    with pytest.raises(DeliveryError, match=r"try again in 3 minutes\.$") as refused:
        await room.target().send(post("One."))
    assert (DeliveryKind.REFUSED, None) == (refused.value.kind, refused.value.code)
    await asyncio.sleep(60.0)
    for attempt in (target.send(post("Two.")), target.notify(Notice("Three."))):
        with pytest.raises(DeliveryError, match=r"try again in 2 minutes\.$"):
            await attempt
    await target.typing(None)
    assert ("banned", 1) == (room.shared.blocked(room.channel), len(room.rest.calls))
    await asyncio.sleep(60.0)
    assert room.shared.blocked(room.channel) is None
    receipt = await target.send(post("Four."))
    assert (["Four."], 150.0) == (room.texts(), pytest.approx(now() - begun))
    assert (RefusedAttempt("banned", "", "cooldown"),) == receipt.refusals


async def test_a_cooldown_can_be_ended_by_hand() -> None:
    room = Room()
    room.faults.ban(times=1)
    await sent_or_error(room.target(), post("One."))
    room.shared.reset()
    await room.target().send(post("Two."))
    assert (["Two."], 2) == (room.texts(), len(room.rest.calls))


@pytest.mark.parametrize("path", PATHS)
async def test_a_stray_answer_that_the_token_is_wrong_delays_a_message(path: str) -> None:
    room, begun = Room(), now()
    identity, match = PATHS[path]
    room.faults.fail(match, 401, after=1)
    became = await sent_or_error(room.target(), *(post(text, identity) for text in TEXTS))
    refusals = [one.refusals for one in became if isinstance(one, Receipt)]
    assert (TEXTS, 5.0) == (room.texts(), pytest.approx(now() - begun))
    assert [(), (RefusedAttempt("unauthorised", "401", "cooldown"),), (), ()] == refusals


@pytest.mark.parametrize("route", ["GET /channels/*/webhooks", "POST /channels/*/webhooks", "PATCH /webhooks/*/*"])
@pytest.mark.parametrize("is_ban", [False, True], ids=["unauthorised", "banned"])
async def test_a_persona_keeps_its_name_if_what_goes_before_its_message_is_shut_out(route: str, is_ban: bool) -> None:  # noqa: FBT001  # a parameter
    room, begun = Room(), now()
    picture = Identity("Ren", PIXEL)
    _ = room.faults.ban(route, times=1, retry_after=5.0) if is_ban else room.faults.fail(route, 401)
    await room.target(persona=picture).send(post("One."))
    assert ([("Ren", "One.")], 5.0) == (room.said(), pytest.approx(now() - begun))


@pytest.mark.parametrize("path", PATHS)
async def test_a_token_that_stays_wrong_ends_the_reply_after_a_few_requests(path: str) -> None:
    room, begun = Room(), now()
    identity, match = PATHS[path]
    room.faults.fail(match, 401, after=1, every=1)
    became = await sent_or_error(room.target(), *(post(text, identity) for text in TEXTS))
    assert (["One."], 35.0, 1 + 4) == (
        room.texts(),
        pytest.approx(now() - begun),
        room.calls(match.replace("*", "")[:15]),
    )
    error = became[-1]
    assert isinstance(error, DeliveryError)
    assert (RefusedAttempt("unauthorised", "401", "cooldown"),) == error.refusals
    assert "unauthorised" == room.shared.blocked(room.channel)


async def test_a_bot_with_a_wrong_token_that_is_spoken_to_all_the_time_asks_a_few_times_in_an_hour() -> None:
    room = Room()
    room.faults.fail("* /**", 401, every=1)

    async def speak() -> None:
        while True:
            await sent_or_error(room.target(persona=REN), post("One."), post("Two."))
            await asyncio.sleep(1.0)

    talks = [asyncio.create_task(speak()) for _ in range(5)]
    await asyncio.wait(talks, timeout=3600.0)
    for talk in talks:
        talk.cancel()
    assert 8 <= len(room.rest.calls) <= 15
    assert [] == room.texts()


async def test_of_two_replies_during_a_cooldown_one_tries_and_both_arrive() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 401)
    await asyncio.gather(*(room.target().send(post(text)) for text in ("One.", "Two.", "Three.")))
    assert {"One.", "Two.", "Three."} == {*room.texts()}
    room.faults.fail(BOT_SENDS, 401, times=2)
    await asyncio.sleep(100.0)
    calls, begun = len(room.rest.calls), now()
    await asyncio.wait([asyncio.create_task(room.target().send(post("Four.")))], timeout=1.0)
    await asyncio.gather(*(room.target().send(post(text)) for text in ("Five.", "Six.")))
    times = [round(call.at - room.world.now() + now() - begun) for call in room.rest.calls[calls:]]
    assert [0, 5, 15, 15, 15] == times
    assert 6 == len(room.texts())


async def test_a_stop_ends_the_wait_for_a_cooldown() -> None:
    room, begun = Room(), now()
    room.faults.fail(BOT_SENDS, 401, every=1)
    target = room.target()
    sending = asyncio.create_task(target.send(post("One.")))
    await asyncio.sleep(2.0)
    target.hurry()
    with pytest.raises(DeliveryError) as skipped:
        await sending
    assert (DeliveryKind.SKIPPED, 2.0, 1) == (skipped.value.kind, pytest.approx(now() - begun), len(room.rest.calls))


@pytest.mark.parametrize("is_there", [False, True])
async def test_a_message_that_may_have_arrived_is_looked_for_after_a_cooldown(is_there: bool) -> None:  # noqa: FBT001  # a parameter
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("One."))
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=is_there)
    room.faults.fail("GET /channels/*/messages", 401)
    await target.send(post("Two."))
    assert ["One.", "Two."] == room.texts()


async def test_a_message_is_taken_back_after_a_cooldown() -> None:
    room = Room()
    target = room.target()
    receipt = await target.send(post("One."))
    room.faults.fail("DELETE /**", 401)
    await target.remove(receipt)
    assert [] == room.texts()


async def test_a_filter_is_not_evaded_as_the_bot() -> None:
    room = Room()
    room.faults.fail(WEBHOOK_SENDS, 400, 200000, every=1)
    [error] = await sent_or_error(room.target(persona=REN), post("One."))
    assert isinstance(error, DeliveryError)
    assert (DeliveryKind.SKIPPED, []) == (error.kind, room.texts())


# --- exactly once --------------------------------------------------------------------------------------------

MANY = ["Ha!", "Ha!", "No.", "Ha!", "Ha!", "Ha!", "Well.", "Well."]


@pytest.mark.parametrize("every", [1, 2, 3])
@pytest.mark.parametrize("is_carried_out", [True, False], ids=["after", "before"])
@pytest.mark.parametrize("path", PATHS)
async def test_every_message_arrives_once_if_connections_break(path: str, is_carried_out: bool, every: int) -> None:  # noqa: FBT001  # a parameter
    room = Room()
    identity, match = PATHS[path]
    if every == 1 and not is_carried_out:
        every = 2  # a line that never works brings nothing
    room.faults.lose(match, every=every, is_carried_out=is_carried_out)
    receipts = await sent_or_error(room.target(), *(post(text, identity) for text in MANY))
    assert MANY == room.texts()
    assert [message["id"] for message in room.messages()] == [
        receipt.message_id for receipt in receipts if isinstance(receipt, Receipt)
    ]


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("every", [1, 2, 3])
async def test_a_server_error_after_the_message_was_stored_doubles_nothing(path: str, every: int) -> None:
    room = Room()
    identity, match = PATHS[path]
    room.faults.fail(match, 502, every=every, is_carried_out=True)
    receipts = await sent_or_error(room.target(), *(post(text, identity) for text in MANY))
    assert MANY == room.texts()
    assert len(MANY) == len({receipt.message_id for receipt in receipts if isinstance(receipt, Receipt)})


async def test_a_message_of_a_turn_before_is_not_taken_for_one_that_was_lost() -> None:
    room = Room()
    await room.target(persona=REN).send(post("Ha!"))
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=False)
    await room.target(persona=REN).send(post("Ha!"))
    assert ["Ha!", "Ha!"] == room.texts()


class LateApi(WorldApi):
    """A Discord whose gateway is late: nobody has heard yet of what was said last."""

    def known(self, channel: str, /) -> Place | None:
        place = super().known(channel)
        return None if place is None else replace(place, last_message=None)


async def test_what_arrived_before_is_not_taken_for_ours_if_the_gateway_is_late() -> None:
    room = Room()
    api = LateApi(room.rest, room.bot)
    await DiscordTarget(api, room.channel, shared=room.shared, persona=REN).send(post("Ha!"))
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=False)
    await DiscordTarget(api, room.channel, shared=room.shared, persona=REN).send(post("Ha!"))
    assert ["Ha!", "Ha!"] == room.texts()


@pytest.mark.parametrize(
    ("name", "content", "files"),
    [("Kai", "Ha!", ()), ("Ren", "Ho!", ()), ("Ren", "Ha!", (File("a.txt", b"a"),))],
    ids=["another name", "other words", "a file"],
)
async def test_what_somebody_else_says_meanwhile_is_not_taken_for_ours(
    name: str, content: str, files: tuple[File, ...]
) -> None:
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("Hm."))
    webhook = await room.shared.webhooks.get(await room.api.find(room.channel))
    room.faults.delay(WEBHOOK_SENDS, 1.0, times=1)
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=False)

    async def interrupt() -> None:
        await asyncio.sleep(0.5)
        room.world.execute_webhook(webhook.id, webhook.token, {"content": content, "username": name}, files)

    await asyncio.gather(target.send(post("Ha!")), interrupt())
    assert [("Ren", "Hm."), (name, content), ("Ren", "Ha!")] == room.said()


async def test_what_the_bot_says_elsewhere_in_the_same_words_is_taken_for_ours() -> None:
    # Discord keeps no nonces: of two messages in the same words nobody can tell later which was sent under which.
    room = Room()
    room.mia.says(room.channel, "Tea?")
    room.faults.lose(BOT_SENDS, is_carried_out=False, every=1)

    async def interrupt() -> None:
        await asyncio.sleep(0.5)
        room.world.create_message(room.bot.id, room.channel, {"content": "Ha!", "nonce": "other"})

    became, _ = await asyncio.gather(sent_or_error(room.target(), post("Ha!")), interrupt())
    assert [Receipt] == [type(one) for one in became]


async def test_a_message_with_a_file_that_was_lost_on_the_way_back_is_found() -> None:
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("Hm."))
    room.faults.lose(WEBHOOK_SENDS)
    receipt = await target.send(post("Look.", attachment=Attachment("a.txt", b"a")))
    assert ["Hm.", "Look."] == room.texts()
    assert room.messages()[-1]["id"] == receipt.message_id
    assert ["found"] == [refused.remedy for refused in receipt.refusals]


async def test_if_nobody_can_tell_whether_it_arrived_it_is_not_sent_again() -> None:
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("One."))
    room.faults.lose(WEBHOOK_SENDS)
    room.faults.fail("GET /channels/*/messages", 500, every=1)
    with pytest.raises(DeliveryError, match="not known whether a message arrived"):
        await target.send(post("Two."))
    assert (["One.", "Two."], 2) == (room.texts(), room.calls("POST /webhooks/"))


@pytest.mark.parametrize("path", PATHS)
async def test_if_the_channel_goes_while_that_is_asked_it_is_gone(path: str) -> None:
    room = Room()
    identity, match = PATHS[path]
    target = room.target()
    await target.send(post("One.", identity))
    room.faults.lose(match)
    room.faults.fail(match, 404, 10003)
    room.faults.fail("GET /channels/*/messages", 404, 10003, every=1)
    [error] = await sent_or_error(target, post("Two.", identity))
    assert isinstance(error, DeliveryError)
    assert DeliveryKind.CHANNEL_GONE is error.kind


async def test_a_ban_that_is_met_while_that_is_asked_begins_a_cooldown() -> None:
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("One."))
    room.faults.lose(WEBHOOK_SENDS)
    room.faults.ban("GET /**")
    with pytest.raises(DeliveryError, match="not known whether a message arrived"):
        await target.send(post("Two."))
    assert ("banned", ["One.", "Two."]) == (room.shared.cooldown.reason, room.texts())


async def test_a_message_that_arrived_counts_even_if_the_next_try_is_refused() -> None:
    room = Room()
    room.faults.lose(BOT_SENDS)
    room.faults.fail(BOT_SENDS, 403, 50013)
    receipt = await room.target().send(post("One."))
    assert [receipt.message_id] == [message["id"] for message in room.messages()]
    assert room.shared.blocked(room.channel) is None


async def test_a_bot_that_may_not_read_the_channel_does_not_send_on_the_off_chance() -> None:
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("One."))
    room.world.overwrite(room.channel, room.bot, deny=Permission.READ_MESSAGE_HISTORY)
    room.faults.lose(WEBHOOK_SENDS)
    with pytest.raises(DeliveryError, match="not known whether a message arrived"):
        await target.send(post("Two."))
    assert ["One.", "Two."] == room.texts()


async def test_a_label_that_makes_two_messages_makes_them_once_each() -> None:
    room = Room()
    direct = room.world.open_direct(room.bot, room.mia)
    room.faults.lose(BOT_SENDS, every=2)
    text = "word " * 389 + "word"
    posts: list[Post] = [post(text), post(text)]
    target = room.target(direct, persona=Identity("N" * 78))
    receipts = await sent_or_error(target, *posts)
    assert (4, 2) == (len(room.texts(direct)), len(receipts))
    assert ["word"] * 780 == " ".join(room.texts(direct)).replace("**" + "N" * 78 + ":** ", "").split()


def lose(faults: Faults, after: int) -> None:
    faults.lose("* /**", after=after)


def lose_before(faults: Faults, after: int) -> None:
    faults.lose("* /**", is_carried_out=False, after=after)


def break_after(faults: Faults, after: int) -> None:
    faults.fail("* /**", 502, is_carried_out=True, after=after)


def overload(faults: Faults, after: int) -> None:
    faults.fail("* /**", 503, 130000, after=after)


def forget_webhook(faults: Faults, after: int) -> None:
    faults.fail("POST /webhooks/*/*", 404, 10015, after=after)


def refuse(faults: Faults, after: int) -> None:
    faults.fail("POST /webhooks/*/*", 403, 99999, after=after)


def filter_out(faults: Faults, after: int) -> None:
    faults.fail("POST /*/*/messages", 400, 200000, after=after)


MISHAPS = st.tuples(
    st.sampled_from([lose, lose_before, break_after, overload, forget_webhook, refuse, filter_out]), st.integers(0, 25)
)
LINES = st.lists(st.tuples(st.sampled_from(["Ha!", "No.", "Well."]), st.sampled_from([None, REN])), max_size=6)


@pytest.mark.looptime(False)  # noqa: FBT003  # its own way to say no: each example has a loop of its own
@given(LINES, st.lists(MISHAPS, max_size=12))
def test_whatever_breaks_nothing_is_doubled_and_nothing_is_lost_unsaid(
    lines: list[tuple[str, Identity | None]], mishaps: list[tuple[Callable[[Faults, int], None], int]]
) -> None:
    async def run() -> tuple[Room, list[Receipt | DeliveryError]]:
        room = Room()
        room.shared.may_complain(room.channel)
        for mishap, after in mishaps:
            mishap(room.faults, after)
        return room, await sent_or_error(room.target(), *(post(text, identity) for text, identity in lines))

    with asyncio.Runner(loop_factory=partial(new_event_loop, noop_cycles=0)) as runner:
        room, became = runner.run(run())
    receipts = [one for one in became if isinstance(one, Receipt)]
    shown = [(message["id"], message["content"].removeprefix("**Ren:** ")) for message in room.messages()]
    if became and isinstance(became[-1], DeliveryError) and UNKNOWN.told == str(became[-1]):
        shown = shown[: len(receipts)]  # it may be there, and the error says so
    assert [(receipt.message_id, receipt.post.text) for receipt in receipts] == shown
    assert len(lines) == len(became) or isinstance(became[-1], DeliveryError)


# --- the same words at the same time -------------------------------------------------------------------------


class SlowApi(WorldApi):
    """A Discord that stores what a webhook says at once, and says so two seconds later."""

    async def send_as(
        self, webhook: Webhook, identity: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        sent = await super().send_as(webhook, identity, message, thread=thread)
        await asyncio.sleep(2.0)
        return sent


async def test_what_another_turn_says_meanwhile_in_the_same_words_is_not_taken_for_ours() -> None:
    room = Room()
    api = SlowApi(room.rest, room.bot)
    shared = DiscordState(Webhooks(api), clock=now)
    first, second = (DiscordTarget(api, room.channel, shared=shared, persona=REN) for _ in range(2))
    await first.send(post("Hm."))
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=False)

    async def later() -> Receipt:
        await asyncio.sleep(0.5)
        return await second.send(post("Ha!"))

    one, other = await asyncio.gather(first.send(post("Ha!")), later())
    assert ["Hm.", "Ha!", "Ha!"] == room.texts()
    assert one.message_id != other.message_id


async def test_a_message_is_found_again_although_discord_stored_it_in_its_own_way() -> None:
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("Hm."))
    room.faults.lose(WEBHOOK_SENDS)
    await target.send(post("Oh\x00!"))
    assert ["Hm.", "Oh!"] == room.texts()


# --- when there is no time -----------------------------------------------------------------------------------


@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("is_carried_out", [True, False])
async def test_a_stop_does_not_wait_for_the_next_try(path: str, is_carried_out: bool) -> None:  # noqa: FBT001  # a parameter
    room = Room()
    identity, match = PATHS[path]
    target = room.target(persona=identity)
    await target.send(post("One."))
    room.faults.lose(match, is_carried_out=is_carried_out, every=1)
    asyncio.get_running_loop().call_later(0.5, target.hurry)
    [became] = await sent_or_error(target, post("Two."))
    assert 0.5 == now()
    assert ["One.", "Two."][: 1 + is_carried_out] == room.texts()
    if isinstance(became, DeliveryError):
        assert (False, DeliveryKind.SKIPPED) == (is_carried_out, became.kind)
    else:
        assert room.messages()[-1]["id"] == became.message_id


async def test_a_stop_does_not_wait_for_a_write_limit() -> None:
    room = Room()
    room.faults.fail(BOT_SENDS, 429, 20028, retry_after=30.0)
    target = room.target()
    asyncio.get_running_loop().call_later(2.0, target.hurry)
    [error] = await sent_or_error(target, post("One."))
    assert isinstance(error, DeliveryError)
    assert (2.0, [], DeliveryKind.SKIPPED) == (now(), room.texts(), error.kind)
    await target.send(post("Bye."))
    assert ["Bye."] == room.texts()


@pytest.mark.parametrize("match", ["GET /channels/*/webhooks", "POST /channels/*/webhooks", "PATCH /webhooks/*/*"])
async def test_a_stop_does_not_wait_for_a_webhook_or_a_face(match: str) -> None:
    room = Room()
    room.faults.delay(match, 25.0)
    target = room.target(persona=Identity("Ren", "data:image/png;base64,iVBORw0KGgo="))
    asyncio.get_running_loop().call_later(2.0, target.hurry)
    [error] = await sent_or_error(target, post("One."))
    assert isinstance(error, DeliveryError)
    assert (2.0, [], DeliveryKind.SKIPPED) == (now(), room.texts(), error.kind)
    room.faults.clear()
    await target.send(post("Two."))
    assert [("Ren", "Two.")] == room.said()


async def test_what_is_being_sent_arrives_whatever_the_haste() -> None:
    room = Room()
    room.faults.delay(BOT_SENDS, 3.0)
    target = room.target()
    asyncio.get_running_loop().call_later(1.0, target.hurry)
    await target.send(post("One."))
    assert (3.0, ["One."]) == (now(), room.texts())


# --- taking back ---------------------------------------------------------------------------------------------


async def test_a_message_that_was_taken_back_although_nobody_said_so_is_gone() -> None:
    room = Room()
    target = room.target()
    receipt = await target.send(post("One."))
    room.faults.lose("DELETE /**")
    await target.remove(receipt)
    assert [] == room.texts()


async def test_after_a_ban_nothing_is_taken_back_either() -> None:
    room = Room()
    target = room.target()
    receipt = await target.send(post("One."))
    room.faults.ban(BOT_SENDS)
    await sent_or_error(target, post("Two."))
    room.faults.clear()
    with pytest.raises(DeliveryError, match="takes no messages from this bot"):
        await target.remove(receipt)
    assert 0 == room.calls("DELETE")


# --- where much is said --------------------------------------------------------------------------------------


async def chatter(room: Room, messages: int) -> None:
    await asyncio.sleep(0.5)
    for number in range(messages):
        room.mia.says(room.channel, f"Line {number}.")


@pytest.mark.parametrize(("messages", "is_found"), [(90, True), (150, False)])
async def test_a_message_that_others_have_pushed_out_of_sight_is_not_sent_again(messages: int, is_found: bool) -> None:  # noqa: FBT001  # a column
    room = Room()
    target = room.target(persona=REN)
    await target.send(post("One."))
    room.faults.lose(WEBHOOK_SENDS)
    [became], _ = await asyncio.gather(sent_or_error(target, post("Two.")), chatter(room, messages))
    assert 1 == room.texts().count("Two.")
    assert is_found == isinstance(became, Receipt)


async def test_what_was_said_long_ago_hides_nothing() -> None:
    room = Room()
    api = LateApi(room.rest, room.bot)
    for number in range(150):
        room.mia.says(room.channel, f"Line {number}.")
        await asyncio.sleep(1.0)
    room.faults.lose(WEBHOOK_SENDS, is_carried_out=False)
    await DiscordTarget(api, room.channel, shared=room.shared, persona=REN).send(post("One."))
    assert 1 == room.texts().count("One.")
