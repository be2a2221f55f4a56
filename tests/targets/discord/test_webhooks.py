"""The webhook of a channel: found again, made once, forgotten when it is gone. Over a simulated Discord in virtual time."""

from __future__ import annotations

import asyncio
import logging

import pytest

from cadenza.targets.discord.api import ApiError, Outgoing, Place, PlaceKind, Webhook
from cadenza.targets.discord.avatars import SpokenBy
from cadenza.targets.discord.webhooks import NAME, Lack, MemoryWebhookStore, NoWebhook
from cadenza.text.usernames import as_username
from cadenza.types import Identity
from tests.targets.persona_stage import FETCH, LIST, MAKE, SAY, PersonaStage, picture
from tests.timing import now

pytestmark = pytest.mark.looptime


class LockedStore(MemoryWebhookStore):
    """Holds what it cannot decrypt, or cannot write at all."""

    def __init__(self, *, writes: bool = True) -> None:
        super().__init__()
        self.forgotten: list[str] = []
        self._writes = writes

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        if channel in self.forgotten:
            return await super().load(channel)
        message = "secret-token cannot be decrypted"
        raise ValueError(message)

    async def save(self, channel: str, id_: str, token: str, /) -> None:
        if not self._writes:
            raise OSError(token)
        await super().save(channel, id_, token)

    async def forget(self, channel: str, /) -> None:
        self.forgotten.append(channel)
        await super().forget(channel)


class StuckStore(MemoryWebhookStore):
    """Never answers."""

    def __init__(self, *, reads: bool = False) -> None:
        super().__init__()
        self._reads = reads

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        if not self._reads:
            await asyncio.Event().wait()
        return await super().load(channel)

    async def save(self, channel: str, id_: str, token: str, /) -> None:  # noqa: ARG002  # nothing comes of it
        await asyncio.Event().wait()


class ForgetfulStore(MemoryWebhookStore):
    """Never answers when it is to forget something, unless it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.is_stuck = True
        self.forgotten: list[str] = []

    async def forget(self, channel: str, /) -> None:
        if self.is_stuck:
            await asyncio.Event().wait()
        self.forgotten.append(channel)
        await super().forget(channel)


# --- found and made ------------------------------------------------------------------------------


async def test_a_webhook_is_made_once_and_then_known() -> None:
    stage = PersonaStage()

    first = await stage.webhooks.get(stage.place())
    second = await stage.webhooks.get(stage.place())

    assert first == second
    assert (NAME, stage.channel, True) == (first.name, first.channel, first.is_ours)
    assert [LIST, MAKE] == stage.asked()


def test_the_name_of_our_webhooks_is_one_that_discord_takes() -> None:
    assert NAME == as_username(NAME)


async def test_ten_who_ask_at_once_share_one_search() -> None:
    stage = PersonaStage()
    stage.faults.delay("* /channels/*/webhooks", 1.0)

    found = await asyncio.gather(*(stage.webhooks.get(stage.place()) for _ in range(10)))

    assert 1 == len(set(found))
    assert [LIST, MAKE] == stage.asked()


async def test_ten_who_ask_at_once_share_one_refusal() -> None:
    stage = PersonaStage()
    stage.faults.delay("* /channels/*/webhooks", 1.0)
    stage.faults.fail(MAKE.replace("{channel}", "*"), 403, 50013, every=1)

    found = await asyncio.gather(*(stage.webhooks.get(stage.place()) for _ in range(10)), return_exceptions=True)

    assert [Lack.MISSING_PERMISSIONS] * 10 == [error.reason for error in found if isinstance(error, NoWebhook)]
    assert 2 == stage.tried()


async def test_who_gives_up_waiting_leaves_the_search_to_the_others() -> None:
    stage = PersonaStage()
    stage.faults.delay("* /channels/*/webhooks", 1.0)
    first = asyncio.create_task(stage.webhooks.get(stage.place()))
    second = asyncio.create_task(stage.webhooks.get(stage.place()))
    await asyncio.sleep(0.5)

    first.cancel()

    assert NAME == (await second).name
    assert first.cancelled()
    assert 1 == len(stage.held())


async def test_a_thread_speaks_through_the_webhook_of_its_parent() -> None:
    """T28."""
    stage = PersonaStage()

    webhook = await stage.webhooks.get(stage.place(stage.thread))
    sent = await stage.say("Ren", channel=stage.thread)

    assert stage.channel == webhook.channel
    assert stage.thread == sent.channel
    assert {"thread_id": stage.thread}.items() <= dict(stage.rest.calls[-1].request.query).items()


@pytest.mark.parametrize("kind", [PlaceKind.DIRECT, PlaceKind.FORUM])
async def test_where_there_can_be_no_webhook_nobody_is_asked(kind: PlaceKind) -> None:
    """T29."""
    stage = PersonaStage()

    with pytest.raises(NoWebhook, match="speak there as the bot") as refused:
        await stage.webhooks.get(Place("1", kind))

    assert Lack.UNSUPPORTED is refused.value.reason
    assert [] == stage.rest.calls


async def test_a_webhook_of_ours_goes_before_one_that_only_has_the_name() -> None:
    stage = PersonaStage()
    stage.made_by_others(NAME)
    ours = await stage.api.create_webhook(stage.channel, NAME)

    assert ours.id == (await stage.webhooks.get(stage.place())).id


async def test_a_webhook_that_our_bot_has_for_something_else_is_left_alone() -> None:
    stage = PersonaStage()
    other = await stage.api.create_webhook(stage.channel, "Something else")

    found = await stage.webhooks.get(stage.place())

    assert (False, NAME) == (other.id == found.id, found.name)


async def test_a_webhook_with_the_name_goes_before_a_new_one() -> None:
    stage = PersonaStage()
    stage.made_by_others("News")
    named = stage.made_by_others(NAME)

    assert named["id"] == (await stage.webhooks.get(stage.place())).id
    assert [LIST] == stage.asked()


# --- none -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "code", "reason", "level"),
    [
        pytest.param(403, 50013, Lack.MISSING_PERMISSIONS, logging.WARNING, id="T30"),
        pytest.param(400, 30007, Lack.MAX_WEBHOOKS, logging.WARNING, id="T31"),
        pytest.param(400, 30058, Lack.MAX_WEBHOOKS, logging.WARNING, id="T31 in the server"),
        pytest.param(403, 50001, Lack.UNKNOWN, logging.ERROR, id="anything else"),
    ],
)
async def test_a_refusal_is_remembered_for_a_quarter_of_an_hour(
    status: int, code: int, reason: Lack, level: int, caplog: pytest.LogCaptureFixture
) -> None:
    stage = PersonaStage()
    stage.faults.fail("POST /channels/*/webhooks", status, code)

    for _ in range(2):
        with pytest.raises(NoWebhook) as refused:
            await stage.webhooks.get(stage.place())
        assert reason is refused.value.reason
        await asyncio.sleep(899)
    asked = stage.tried()
    webhook = await stage.webhooks.get(stage.place())

    assert 2 == asked
    assert NAME == webhook.name
    assert [level] == [record.levelno for record in caplog.records if record.name.startswith("cadenza")]


async def test_after_an_invalidation_a_refusal_does_not_count() -> None:
    """T30."""
    stage = PersonaStage()
    stage.faults.fail("GET /channels/*/webhooks", 403, 50013)
    with pytest.raises(NoWebhook):
        await stage.webhooks.get(stage.place())

    stage.webhooks.invalidate(stage.channel)

    assert NAME == (await stage.webhooks.get(stage.place())).name


@pytest.mark.parametrize("status", [500, 503])
async def test_a_failure_that_passes_is_soon_forgotten(status: int) -> None:
    stage = PersonaStage()
    stage.faults.fail("POST /channels/*/webhooks", status)
    with pytest.raises(NoWebhook, match="asked again later"):
        await stage.webhooks.get(stage.place())

    await asyncio.sleep(31)

    assert NAME == (await stage.webhooks.get(stage.place())).name


async def test_a_search_that_takes_for_ever_is_given_up() -> None:
    stage = PersonaStage()
    stage.faults.storm("POST /channels/*/webhooks", 3600.0)

    found = await asyncio.gather(*(stage.webhooks.get(stage.place()) for _ in range(3)), return_exceptions=True)

    assert [Lack.UNKNOWN] * 3 == [error.reason for error in found if isinstance(error, NoWebhook)]
    assert 30.0 == pytest.approx(now())


async def test_a_webhook_that_was_made_although_the_answer_was_lost_is_found() -> None:
    stage = PersonaStage()
    stage.faults.lose("POST /channels/*/webhooks")
    with pytest.raises(NoWebhook):
        await stage.webhooks.get(stage.place())

    await asyncio.sleep(31)
    webhook = await stage.webhooks.get(stage.place())

    assert [webhook.id] == [held["id"] for held in stage.held()]


async def test_when_a_full_channel_changes_it_is_asked_again() -> None:
    stage = PersonaStage()
    others = [stage.made_by_others(f"Hook {number}") for number in range(15)]
    with pytest.raises(NoWebhook, match="remove one") as refused:
        await stage.webhooks.get(stage.place())

    stage.world.delete_webhook(stage.ada.id, others[0]["id"])

    assert Lack.MAX_WEBHOOKS is refused.value.reason
    assert NAME == (await stage.webhooks.get(stage.place())).name


async def test_a_channel_where_we_may_not_is_not_asked_again_because_others_change_it() -> None:
    stage = PersonaStage()
    stage.faults.fail("GET /channels/*/webhooks", 403, 50013)
    with pytest.raises(NoWebhook):
        await stage.webhooks.get(stage.place())

    stage.made_by_others("News")

    with pytest.raises(NoWebhook, match="give it the permission"):
        await stage.webhooks.get(stage.place())
    assert 1 == stage.tried()


# --- the store ------------------------------------------------------------------------------------


async def test_after_a_restart_the_webhook_comes_from_the_store() -> None:
    store = MemoryWebhookStore()
    stage = PersonaStage(store=store)
    before = await stage.webhooks.get(stage.place())
    stage.restart(store)

    after = await stage.webhooks.get(stage.place())

    assert (before.id, before.token) == (after.id, after.token)
    assert [LIST, MAKE, FETCH] == stage.asked()


async def test_after_a_restart_without_a_store_the_webhook_is_found_in_its_channel() -> None:
    stage = PersonaStage()
    before = await stage.webhooks.get(stage.place())
    stage.restart()

    assert before.id == (await stage.webhooks.get(stage.place())).id
    assert [LIST, MAKE, LIST] == stage.asked()


@pytest.mark.parametrize("writes", [True, False])
async def test_a_store_that_fails_costs_a_search_and_nothing_else(
    writes: bool,  # noqa: FBT001  # a case of the table
    caplog: pytest.LogCaptureFixture,
) -> None:
    """T32."""
    store = LockedStore(writes=writes)
    stage = PersonaStage(store=store)

    webhook = await stage.webhooks.get(stage.place())

    assert [stage.channel] == store.forgotten
    assert ((webhook.id, webhook.token) if writes else None) == await store.load(stage.channel)
    assert "secret" not in caplog.text
    assert webhook.token not in caplog.text


async def test_a_store_that_never_answers_is_not_waited_for() -> None:
    stage = PersonaStage(store=StuckStore())

    async with asyncio.timeout(20):
        assert NAME == (await stage.webhooks.get(stage.place())).name


async def test_however_much_a_store_that_never_answers_has_to_forget_a_webhook_is_found_soon() -> None:
    stage = PersonaStage(store=ForgetfulStore())
    for number in range(100):
        stage.webhooks.gone(str(number))

    assert NAME == (await stage.webhooks.get(stage.place())).name
    assert now() <= 5.0


async def test_a_store_that_answers_again_is_asked_again() -> None:
    store = ForgetfulStore()
    stage = PersonaStage(store=store)
    stage.webhooks.gone("1")
    webhook = await stage.webhooks.get(stage.place())
    assert await store.load(stage.channel) is None

    await asyncio.sleep(60)
    store.is_stuck = False
    stage.webhooks.invalidate(stage.channel)
    assert webhook.id == (await stage.webhooks.get(stage.place())).id
    assert (webhook.id, webhook.token) == await store.load(stage.channel)


async def test_only_so_many_channels_are_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cadenza.targets.discord.webhooks._MOST", 2)
    store = ForgetfulStore()
    store.is_stuck = False
    stage = PersonaStage(store=store)
    for number in range(4):
        stage.webhooks.gone(str(number))
    await stage.webhooks.settle()
    assert ["2", "3"] == store.forgotten

    places = [stage.place(stage.world.add_channel(stage.guild, f"room-{number}")) for number in range(3)]
    found = [await stage.webhooks.get(place) for place in places]
    stage.rest.calls.clear()
    assert found[::-1] == [await stage.webhooks.get(place) for place in reversed(places)]
    assert [FETCH] == stage.asked()


@pytest.mark.parametrize("reads", [True, False])
async def test_who_waits_for_the_store_can_be_cancelled(reads: bool) -> None:  # noqa: FBT001  # a case of the table
    stage = PersonaStage(store=StuckStore(reads=reads))
    waiting = asyncio.create_task(stage.webhooks.get(stage.place()))
    await asyncio.sleep(1)

    waiting.cancel()
    await asyncio.wait([waiting])

    assert waiting.cancelled()
    assert 1.0 == now()


async def test_a_webhook_that_is_gone_is_not_asked_for_twice() -> None:
    """Discord counts who does."""
    store = MemoryWebhookStore()
    stage = PersonaStage(store=store)
    await store.save(stage.channel, "1", "old")
    stage.faults.fail("POST /channels/*/webhooks", 403, 50013)

    with pytest.raises(NoWebhook):
        await stage.webhooks.get(stage.place())

    assert await store.load(stage.channel) is None


async def test_a_webhook_that_was_moved_is_not_spoken_through() -> None:
    """T33: the words would appear elsewhere."""
    store = MemoryWebhookStore()
    stage = PersonaStage(store=store)
    moved = await stage.webhooks.get(stage.place())
    other = stage.world.add_channel(stage.guild, "other")
    stage.world.edit_webhook(stage.ada.id, moved.id, {"channel_id": other})

    found = await stage.webhooks.get(stage.place())

    assert moved.id != found.id
    assert stage.channel == found.channel
    assert (found.id, found.token) == await store.load(stage.channel)


async def test_a_stored_webhook_that_is_gone_is_made_anew() -> None:
    store = MemoryWebhookStore()
    await store.save("7", "1", "old")
    stage = PersonaStage(store=store)
    await store.save(stage.channel, "1", "old")

    found = await stage.webhooks.get(stage.place())

    assert (found.id, found.token) == await store.load(stage.channel)
    assert ("1", "old") == await store.load("7")


async def test_a_stored_webhook_that_cannot_be_asked_for_now_is_looked_for_in_its_channel() -> None:
    store = MemoryWebhookStore()
    stage = PersonaStage(store=store)
    before = await stage.webhooks.get(stage.place())
    stage.restart(store)
    stage.faults.fail("GET /webhooks/*/*", 503)

    assert before.id == (await stage.webhooks.get(stage.place())).id
    assert [LIST, MAKE, LIST] == stage.asked()


# --- what the gateway tells -----------------------------------------------------------------------


async def test_our_own_changes_are_no_reason_to_ask() -> None:
    """W10."""
    stage = PersonaStage()

    for _ in range(5):
        await stage.say("Ren", "https://faces.example/ren.png")

    assert [LIST, MAKE, *[SAY] * 5] == stage.asked()


async def test_the_news_of_our_own_webhook_may_come_late() -> None:
    stage = PersonaStage()
    stage.stop_hearing()
    await stage.webhooks.get(stage.place())
    await asyncio.sleep(1)

    stage.webhooks.changed(stage.channel)
    await stage.webhooks.get(stage.place())

    assert [LIST, MAKE] == stage.asked()


async def test_after_a_change_by_others_it_is_asked_once_whether_ours_is_still_there() -> None:
    stage = PersonaStage()
    before = await stage.webhooks.get(stage.place())

    stage.made_by_others("News")
    found = [await stage.webhooks.get(stage.place()) for _ in range(3)]

    assert [before] * 3 == found
    assert [LIST, MAKE, FETCH] == stage.asked()


async def test_a_webhook_that_somebody_deleted_is_made_anew_without_a_message_failing() -> None:
    stage = PersonaStage()
    before = await stage.webhooks.get(stage.place())

    stage.remove(before)
    await stage.say("Ren")

    assert before.id != stage.held()[0]["id"]
    assert 1 == stage.tried(SAY)


async def test_of_a_channel_that_is_gone_nothing_is_kept() -> None:
    store = MemoryWebhookStore()
    stage = PersonaStage(store=store)
    await stage.say("Ren", picture("ren"))

    stage.world.delete_channel(stage.ada.id, stage.channel)
    await stage.webhooks.settle()

    assert await store.load(stage.channel) is None
    assert {} == stage.webhooks._avatars._held
    assert stage.webhooks._avatars.last(stage.channel) is None


# --- a webhook that is lost -----------------------------------------------------------------------


@pytest.mark.parametrize(("status", "code"), [(404, 10015), (401, 50027)])
async def test_a_webhook_that_is_lost_is_forgotten_when_a_message_finds_out(status: int, code: int) -> None:
    store = MemoryWebhookStore()
    stage = PersonaStage(store=store)
    await stage.say("Ren")
    stage.faults.fail("POST /webhooks/*/*", status, code)

    with pytest.raises(ApiError) as refused:
        await stage.say("Ren")
    await asyncio.gather(stage.say("Ren"), stage.say("Ren"))

    assert code == refused.value.code
    assert [LIST, MAKE, SAY, LIST, SAY, SAY] == stage.asked()
    assert 0 == stage.tried(FETCH)


@pytest.mark.parametrize(
    ("status", "code"),
    [pytest.param(503, 0, id="W12 a failure that passes"), pytest.param(400, 50035, id="a bad name")],
)
async def test_any_other_failure_leaves_the_webhook_known(status: int, code: int) -> None:
    stage = PersonaStage()
    await stage.say("Ren")
    stage.faults.fail("POST /webhooks/*/*", status, code)

    with pytest.raises(ApiError):
        await stage.say("Ren")
    await stage.say("Ren")

    assert [LIST, MAKE, SAY, SAY] == stage.asked()


async def test_who_finds_out_late_does_not_spoil_what_others_found() -> None:
    stage = PersonaStage()
    lost = await stage.webhooks.get(stage.place())
    stage.world.delete_webhook(stage.ada.id, lost.id)
    found = await stage.webhooks.get(stage.place())

    with pytest.raises(ApiError):
        await stage.webhooks.send(stage.place(), lost, Identity("Ren"), Outgoing("hi"), speaker=SpokenBy("ren"))

    asked = stage.tried()
    assert found == await stage.webhooks.get(stage.place())
    assert asked == stage.tried()


def test_a_token_is_not_shown() -> None:
    assert "secret" not in repr(Webhook("1", "secret", "2"))
