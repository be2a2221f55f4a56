"""The real discord.py over loopback: what it sends for us, what it gives back, and how soon."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import discord
import pytest

from cadenza.sim.channels import ChannelKind
from cadenza.sim.rate_limits import Quota, RateLimits
from cadenza.targets.discord.api import (
    ApiError,
    Bucket,
    Button,
    DiscordApi,
    Embed,
    Outgoing,
    PlaceKind,
    Sent,
    Webhook,
    WebhookIdentity,
)
from cadenza.targets.discord_py.api import DiscordPyApi
from cadenza.types import Attachment
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

SEND = "POST /channels/{channel}/messages"
EXECUTE = "POST /webhooks/"
REN = WebhookIdentity("Ren", "https://example.org/ren.png")
PNG = b"\x89PNG\r\n\x1a\n"


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    async with at_work(Evening()) as evening:
        yield evening


@pytest.fixture
def api(evening: Evening) -> DiscordPyApi:
    return evening.api


def now() -> float:
    return asyncio.get_running_loop().time()


async def refused(asked: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await asked
    return caught.value


def test_it_is_what_the_target_needs(api: DiscordPyApi, evening: Evening) -> None:
    fulfilled: DiscordApi = api

    assert evening.bot.id == fulfilled.user


async def test_who_is_not_logged_in_has_no_name() -> None:
    error = await refused(DiscordPyApi(discord.Client(intents=discord.Intents.none())).send("1", Outgoing("Hi.")))

    assert "not logged in" in str(error)


# --- what is sent -----------------------------------------------------------------------------


async def test_a_message_has_our_nonce_and_calls_nobody_who_is_not_named(api: DiscordPyApi, evening: Evening) -> None:
    message = Outgoing("@everyone <@1>", nonce="n1", users=(evening.mia.id,), roles=("77",))

    sent = await api.send(evening.general, message)

    [body] = evening.bodies(SEND)
    assert ("@everyone <@1>", "n1", True) == (body["content"], body["nonce"], body["enforce_nonce"])
    mentions = {"parse": [], "users": [int(evening.mia.id)], "roles": [77]}  # and nobody for being answered
    assert mentions == body["allowed_mentions"]
    url = f"https://discord.com/channels/{evening.guild.id}/{evening.general}/{sent.message}"
    assert Sent(evening.last()["id"], evening.general, None, url) == sent


async def test_a_message_that_names_nobody_still_says_so(api: DiscordPyApi, evening: Evening) -> None:
    evening.client.allowed_mentions = discord.AllowedMentions.all()

    await api.send(evening.general, Outgoing("Hi."))
    await api.send_as(await api.create_webhook(evening.general, "w"), REN, Outgoing("Hi."))

    nobody: dict[str, list[int]] = {"parse": [], "users": [], "roles": []}
    assert [nobody, nobody] == [body["allowed_mentions"] for body in (*evening.bodies(SEND), *evening.bodies(EXECUTE))]


async def test_a_channel_that_was_never_heard_of_is_sent_to(api: DiscordPyApi, evening: Evening) -> None:
    direct = evening.world.create_dm(evening.bot.id, evening.mia.id)["id"]

    sent = await api.send(direct, Outgoing("Hi."))

    assert f"https://discord.com/channels/@me/{direct}/{sent.message}" == sent.url
    assert ["Hi."] == evening.texts(direct)


async def test_the_same_nonce_is_the_same_message(api: DiscordPyApi, evening: Evening) -> None:
    first, second = [await api.send(evening.general, Outgoing("Hi.", nonce="n1")) for _ in range(2)]

    assert first == second
    assert ["Hi."] == evening.texts()


async def test_a_reply_to_a_message_that_is_gone_is_a_plain_one(api: DiscordPyApi, evening: Evening) -> None:
    asked = evening.mia.says(evening.general, "Who is there?")
    await api.send(evening.general, Outgoing("Me.", reply_to=asked))
    evening.mia.deletes(evening.general, asked)
    await api.send(evening.general, Outgoing("Still me.", reply_to=asked))

    reply, plain = evening.world.messages(evening.general)
    assert asked == reply["message_reference"]["message_id"]
    assert "message_reference" not in plain
    assert [False, False] == [body["message_reference"]["fail_if_not_exists"] for body in evening.bodies(SEND)]


async def test_a_message_carries_files_boxes_and_buttons_each_time_it_is_sent(
    api: DiscordPyApi, evening: Evening
) -> None:
    embed = Embed("words", "title", "https://example.org/", "Mia", footer="foot", colour=0x123456)
    message = Outgoing(
        "Look:", files=(Attachment("a.txt", b"abc"),), embeds=(embed,), buttons=(Button("Stop", "stop:1"),)
    )

    for _ in range(2):
        await api.send(evening.general, message)

    for sent in evening.world.messages(evening.general):
        [file], [box], [row] = sent["attachments"], sent["embeds"], sent["components"]
        assert ("a.txt", 3) == (file["filename"], file["size"])
        assert ("words", "title", "Mia", "foot") == (
            box["description"],
            box["title"],
            box["author"]["name"],
            box["footer"]["text"],
        )
        assert [("Stop", "stop:1")] == [(each["label"], each["custom_id"]) for each in row["components"]]
    assert [] == evening.client.persistent_views  # nobody keeps the buttons


@pytest.mark.parametrize(
    ("message", "flags"),
    [
        pytest.param(Outgoing("Hi."), None, id="plain"),
        pytest.param(Outgoing("Hi.", is_silent=True), 1 << 12, id="silent"),
        pytest.param(Outgoing("Hi.", has_previews=False), 1 << 2, id="without previews"),
    ],
)
async def test_what_is_silent_is_marked_so_on_both_ways(
    message: Outgoing, flags: int | None, api: DiscordPyApi, evening: Evening
) -> None:
    await api.send(evening.general, message)
    await api.send_as(await api.create_webhook(evening.general, "w"), REN, message)

    assert [flags, flags] == [body.get("flags") for body in (*evening.bodies(SEND), *evening.bodies(EXECUTE))]


async def test_a_webhook_speaks_under_the_name_it_is_told_also_in_a_thread(api: DiscordPyApi, evening: Evening) -> None:
    thread = evening.world.add_thread(evening.general, "aside")
    webhook = await api.create_webhook(evening.general, "Cadenza personas")

    here = await api.send_as(webhook, REN, Outgoing("Hi."))
    there = await api.send_as(webhook, WebhookIdentity("Kit"), Outgoing("Psst."), thread=thread)

    assert (evening.general, thread) == (here.channel, there.channel)
    assert (webhook.id, webhook.id) == (here.webhook, there.webhook)
    assert "Ren" == evening.last()["author"]["username"]
    assert ("Kit", "Psst.") == (evening.last(thread)["author"]["username"], evening.last(thread)["content"])
    assert ["https://example.org/ren.png", None] == [body.get("avatar_url") for body in evening.bodies(EXECUTE)]


# --- how soon it is known ------------------------------------------------------------------------


async def test_the_last_message_of_a_bucket_is_known_at_once() -> None:
    limits = RateLimits(Quota("POST /channels/*/messages", 2, 3.0))
    async with at_work(Evening(), limits=limits) as evening:
        begun = now()
        sent = [await evening.api.send(evening.general, Outgoing(text)) for text in ("one", "two")]
        known = now() - begun
        await evening.api.send(evening.general, Outgoing("three"))

        assert known < 1.5 < now() - begun
        assert [message["id"] for message in evening.world.messages(evening.general)][:2] == [
            each.message for each in sent
        ]
        assert 429 not in evening.statuses(SEND)


async def test_the_last_message_of_a_webhook_s_bucket_is_known_at_once_and_equal_ones_are_told_apart() -> None:
    limits = RateLimits(Quota("POST /webhooks/*/*", 2, 2.0))
    async with at_work(Evening(), limits=limits) as evening:
        webhook = await evening.api.create_webhook(evening.general, "w")
        begun = now()
        sent = [await evening.api.send_as(webhook, REN, Outgoing("Ha.")) for _ in range(2)]
        known = now() - begun
        sent += await asyncio.gather(*(evening.api.send_as(webhook, REN, Outgoing("Ha.")) for _ in range(2)))

        assert known < 1.0
        assert {message["id"] for message in evening.world.messages(evening.general)} == {each.message for each in sent}
        assert 4 == len({each.message for each in sent})
        assert 429 not in evening.statuses(EXECUTE)


async def test_without_the_gateway_s_word_the_answer_counts() -> None:
    intents = discord.Intents.none()
    intents.guilds = True
    async with at_work(Evening(), intents=intents) as evening:
        sent = await evening.api.send(evening.general, Outgoing("Hi."))

        assert evening.last()["id"] == sent.message


async def test_a_send_that_nobody_waits_for_any_more_is_still_made(api: DiscordPyApi, evening: Evening) -> None:
    evening.faults.delay("POST /channels/*/messages", 0.2, times=1)
    waiting = asyncio.create_task(api.send(evening.general, Outgoing("Hi.")))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting

    await api.close()

    assert ["Hi."] == evening.texts()


# --- what goes wrong ---------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["bot", "webhook"])
async def test_a_message_whose_answer_was_lost_is_known_from_the_gateway(
    way: str, api: DiscordPyApi, evening: Evening
) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.lose("POST /channels/*/messages" if way == "bot" else "POST /webhooks/*/*", times=1)

    sent = await (
        api.send(evening.general, Outgoing("Hi.")) if way == "bot" else api.send_as(webhook, REN, Outgoing("Hi."))
    )

    assert [sent.message] == [message["id"] for message in evening.world.messages(evening.general)]


async def test_a_webhook_s_message_is_never_sent_twice_whatever_is_answered(
    api: DiscordPyApi, evening: Evening
) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.fail("POST /webhooks/*/*", 502, times=1)

    error = await refused(api.send_as(webhook, REN, Outgoing("Hi.")))

    assert (502, True) == (error.status, error.is_ambiguous)
    assert [502] == evening.statuses(EXECUTE)


async def test_a_message_that_was_refused_with_trouble_but_stands_there_is_known(
    api: DiscordPyApi, evening: Evening
) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.fail("POST /webhooks/*/*", 502, is_carried_out=True, times=1)

    sent = await api.send_as(webhook, REN, Outgoing("Hi."))

    assert [sent.message] == [message["id"] for message in evening.world.messages(evening.general)]


@pytest.mark.parametrize(
    ("status", "code"), [(403, 50013), (403, 50001), (404, 10003), (403, 160002), (400, 200000), (401, 0)]
)
async def test_a_refusal_says_its_code(status: int, code: int, api: DiscordPyApi, evening: Evening) -> None:
    evening.faults.fail("POST /channels/*/messages", status, code, times=1)

    error = await refused(api.send(evening.general, Outgoing("Hi.")))

    assert (status, code or None, False, False) == (error.status, error.code, error.is_ambiguous, error.is_ban)


async def test_a_refusal_says_which_field_it_was(api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")

    too_long = await refused(api.send(evening.general, Outgoing("x" * 2001)))
    bad_name = await refused(api.send_as(webhook, WebhookIdentity("Clyde"), Outgoing("Hi.")))

    assert (50035, ("content",)) == (too_long.code, too_long.fields)
    assert (50035, ("username",)) == (bad_name.code, bad_name.fields)


@pytest.mark.parametrize("way", ["bot", "webhook"])
async def test_a_ban_is_known(way: str, api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.ban()

    error = await refused(
        api.send(evening.general, Outgoing("Hi.")) if way == "bot" else api.send_as(webhook, REN, Outgoing("Hi."))
    )

    assert (429, True) == (error.status, error.is_ban)


async def test_a_webhook_that_is_gone_and_one_with_another_token_are_told_apart(
    api: DiscordPyApi, evening: Evening
) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    forged = await refused(api.send_as(Webhook(webhook.id, "x" * 68, evening.general), REN, Outgoing("Hi.")))
    evening.world.delete_webhook(evening.bot.id, webhook.id)

    gone = await refused(api.send_as(webhook, REN, Outgoing("Hi.")))

    assert (50027, 10015) == (forged.code, gone.code)
    assert webhook.token not in str(gone)


# --- channels --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "kind"),
    [
        pytest.param(lambda e: e.general, PlaceKind.CHANNEL, id="text"),
        pytest.param(
            lambda e: e.world.add_channel(e.guild, "v", kind=ChannelKind.VOICE), PlaceKind.CHANNEL, id="voice"
        ),
        pytest.param(lambda e: e.world.add_channel(e.guild, "f", kind=ChannelKind.FORUM), PlaceKind.FORUM, id="forum"),
        pytest.param(lambda e: e.world.add_thread(e.general, "t"), PlaceKind.THREAD, id="thread"),
        pytest.param(lambda e: e.world.open_direct(e.bot, e.mia), PlaceKind.DIRECT, id="direct"),
    ],
)
async def test_a_place_is_known_or_found(make: Callable[[Evening], str], kind: PlaceKind) -> None:
    evening = Evening()
    channel = make(evening)
    async with at_work(evening):
        place = await evening.api.find(channel)

        assert (channel, kind) == (place.channel, place.kind)
        assert (None if kind is PlaceKind.DIRECT else evening.guild.id) == place.guild
        assert (evening.general if kind is PlaceKind.THREAD else None) == place.parent


async def test_nothing_can_be_said_in_a_category() -> None:
    evening = Evening()
    category = evening.world.add_channel(evening.guild, "c", kind=ChannelKind.CATEGORY)
    async with at_work(evening):
        assert 50024 == (await refused(evening.api.find(category))).code


async def test_a_channel_that_is_not_there_is_unknown(api: DiscordPyApi) -> None:
    assert api.known("123") is None
    assert [10003, 10003] == [(await refused(api.find(channel))).code for channel in ("123", "general")]


async def test_the_newest_message_of_a_place_is_known(api: DiscordPyApi, evening: Evening) -> None:
    sent = await api.send(evening.general, Outgoing("Hi."))

    place = api.known(evening.general)

    assert place is not None
    assert sent.message == place.last_message


async def test_typing_is_shown(api: DiscordPyApi, evening: Evening) -> None:
    await api.typing(evening.general)

    assert [204] == evening.statuses("POST /channels/{channel}/typing")


# --- buckets ---------------------------------------------------------------------------------------


async def test_a_bucket_is_what_discord_says_of_it() -> None:
    limits = RateLimits(Quota("POST /channels/*/messages", 7, 9.0), Quota("POST /webhooks/*/*", 6, 8.0))
    async with at_work(Evening(), limits=limits) as evening:
        api = evening.api
        webhook = await api.create_webhook(evening.general, "w")
        nothing = api.bucket(evening.general), api.bucket(evening.general, webhook)
        await api.send(evening.general, Outgoing("Hi."))
        await api.send_as(webhook, REN, Outgoing("Hi."))
        await api.close()  # an echo may be faster than the answer with its headers

        told = api.bucket(evening.general), api.bucket(evening.general, webhook)

        assert (None, None) == nothing
        for (limit, seconds), bucket in zip(((7, 9.0), (6, 8.0)), told, strict=True):
            assert bucket is not None
            assert (limit, limit - 1) == bucket[:2]
            assert seconds - 2 < bucket.resets_in <= seconds


async def test_a_bucket_that_nobody_tells_of_is_counted(api: DiscordPyApi, evening: Evening) -> None:
    await api.send(evening.general, Outgoing("Hi."))
    await api.close()

    bucket = api.bucket(evening.general)

    assert bucket is not None
    assert Bucket(5, 4, bucket.resets_in) == bucket
    assert 0 < bucket.resets_in <= 5


# --- reading and taking back -------------------------------------------------------------------------


async def test_what_was_sent_can_be_read_back(api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    first = await api.send(evening.general, Outgoing("one", nonce="n1"))
    await api.send(evening.general, Outgoing("two"))
    await api.send_as(webhook, REN, Outgoing("three", files=(Attachment("a.txt", b"a"),)))

    everything, newest = await api.recent(evening.general), await api.recent(evening.general, limit=1)
    later = await api.recent(evening.general, after=first.message)

    assert ["one", "two", "three"] == [seen.content for seen in everything]
    assert ["three"] == [seen.content for seen in newest]
    assert ["two", "three"] == [seen.content for seen in later]
    assert (webhook.id, "Ren", ("a.txt",)) == (later[1].webhook, later[1].name, later[1].files)


async def test_what_was_sent_can_be_taken_back(api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    one, *more = [await api.send(evening.general, Outgoing(text)) for text in ("one", "two", "three")]
    said = await api.send_as(webhook, REN, Outgoing("four"))

    await api.delete(evening.general, one.message)
    await api.delete_many(evening.general, tuple(sent.message for sent in more))
    await api.delete_as(webhook, said.message)
    gone = await refused(api.delete(evening.general, one.message))

    assert ([], 10008) == (evening.texts(), gone.code)


async def test_messages_to_a_person_are_taken_back_one_by_one() -> None:
    evening = Evening()
    direct = evening.world.open_direct(evening.bot, evening.mia)
    async with at_work(evening):
        assert 50003 == (await refused(evening.api.delete_many(direct, ("1", "2")))).code


# --- webhooks ---------------------------------------------------------------------------------------


async def test_webhooks_are_found_by_channel_and_by_token(api: DiscordPyApi, evening: Evening) -> None:
    made = await api.create_webhook(evening.general, "Cadenza personas")
    somebodys = evening.world.create_webhook(evening.mia.id, evening.general, {"name": "theirs"})

    listed = {webhook.id: webhook for webhook in await api.webhooks(evening.general)}
    found = await api.webhook(made.id, made.token)

    assert made == listed[made.id]
    assert (True, False) == (made.is_ours, somebodys["id"] in listed and listed[somebodys["id"]].is_ours)
    assert (made.id, evening.general) == (found.id, found.channel)
    assert made.token not in repr(made)


async def test_a_thread_has_no_webhooks_of_its_own(api: DiscordPyApi, evening: Evening) -> None:
    thread = evening.world.add_thread(evening.general, "aside")

    assert 50024 == (await refused(api.webhooks(thread))).code


async def test_a_picture_is_stored_in_a_webhook_and_nobody_waits_for_its_bucket() -> None:
    limits = RateLimits(Quota("PATCH /webhooks/*/*", 1, 60.0))
    async with at_work(Evening(), limits=limits) as evening:
        api = evening.api
        webhook = await api.create_webhook(evening.general, "w")
        begun = now()
        await api.set_avatar(webhook, PNG, patience=5.0)
        stored = await api.webhook(webhook.id, webhook.token)
        error = await refused(api.set_avatar(webhook, None, patience=0.5))
        await api.send_as(webhook, WebhookIdentity("Ren"), Outgoing("Hi."))

        assert now() - begun < 3.0
        assert stored.has_avatar
        assert 429 == error.status
        assert 50 < (error.retry_after or 0) <= 60
        [body, _] = evening.bodies("PATCH /webhooks/")
        assert body["avatar"].startswith("data:image/png;base64,")


async def test_a_picture_may_wait_as_long_as_there_is_patience(api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.storm("PATCH /webhooks/*/*", 0.1, 1)

    await api.set_avatar(webhook, PNG, patience=5.0)

    assert [429, 200] == evening.statuses("PATCH /webhooks/")


async def test_a_picture_that_takes_too_long_is_given_up(api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.delay("PATCH /webhooks/*/*", 1.0, times=1)

    error = await refused(api.set_avatar(webhook, PNG, patience=0.1))

    assert error.is_ambiguous


async def test_a_ban_is_known_from_a_picture_too(api: DiscordPyApi, evening: Evening) -> None:
    webhook = await api.create_webhook(evening.general, "w")
    evening.faults.ban()

    assert (await refused(api.set_avatar(webhook, PNG, patience=0.1))).is_ban
