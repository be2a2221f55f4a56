"""Discord as the target sees it, over the simulated one in memory."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable

import pytest

from cadenza.sim import guilds
from cadenza.sim.faults import Faults
from cadenza.sim.memory_api import WorldApi
from cadenza.sim.rate_limits import Quota, Rate, RateLimits
from cadenza.sim.world import ChannelKind
from cadenza.targets.discord.api import (
    ApiError,
    Bucket,
    Button,
    DiscordApi,
    Embed,
    Outgoing,
    Place,
    PlaceKind,
    Seen,
    Sent,
    Webhook,
    WebhookIdentity,
)
from cadenza.types import Attachment
from tests.sim.scenery import Scenery
from tests.timing import now

pytestmark = pytest.mark.looptime

SAY = "POST /channels/*/messages"
REN = WebhookIdentity("Ren", "https://example.org/ren.png")


async def refusal(doing: Awaitable[object]) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await doing
    return caught.value


# --- places --------------------------------------------------------------------------------------------------


async def test_what_is_known_of_a_channel_is_what_matters_for_sending() -> None:
    demo_server = Scenery()
    world = demo_server.world
    forum = world.add_channel(demo_server.guild, "ideas", kind=ChannelKind.FORUM)
    voice = world.add_channel(demo_server.guild, "lounge", kind=ChannelKind.VOICE)
    thread = world.add_thread(demo_server.channel, "talk")
    direct = world.open_direct(demo_server.bot, demo_server.mia)
    last = demo_server.mia.says(demo_server.channel, "hi")

    assert [
        Place(demo_server.channel, PlaceKind.CHANNEL, demo_server.guild, None, last),
        Place(forum, PlaceKind.FORUM, demo_server.guild),
        Place(voice, PlaceKind.CHANNEL, demo_server.guild),
        Place(thread, PlaceKind.THREAD, demo_server.guild, demo_server.channel),
        Place(direct, PlaceKind.DIRECT),
    ] == [demo_server.api.known(channel) for channel in (demo_server.channel, forum, voice, thread, direct)]
    assert [] == demo_server.rest.calls


async def test_what_is_known_is_not_asked_for_and_what_is_gone_is_a_10003() -> None:
    demo_server = Scenery()

    found = await demo_server.api.find(demo_server.channel)
    unknown = demo_server.api.known("1")
    gone = await refusal(demo_server.api.find("1"))

    assert (demo_server.channel, None) == (found.channel, unknown)
    assert (404, 10003, False) == (gone.status, gone.code, gone.is_ambiguous)
    assert ["GET /channels/{channel}"] == [call.route for call in demo_server.rest.calls]


async def test_it_is_one_of_us() -> None:
    demo_server = Scenery()
    api: DiscordApi = demo_server.api

    assert demo_server.bot.id == api.user


# --- messages ------------------------------------------------------------------------------------------------


async def test_a_message_goes_out_and_comes_back() -> None:
    demo_server = Scenery()
    question = demo_server.mia.says(demo_server.channel, "tea?")
    message = Outgoing(
        f"yes <@{demo_server.mia.id}>",
        nonce="n1",
        reply_to=question,
        users=(demo_server.mia.id,),
        files=(Attachment("tea.txt", b"tea"),),
        embeds=(Embed("hot"),),
        buttons=(Button("Stop", "stop"),),
        is_silent=True,
    )

    sent = await demo_server.api.send(demo_server.channel, message)

    stored = demo_server.world.messages(demo_server.channel)[-1]
    url = f"https://discord.com/channels/{demo_server.guild}/{demo_server.channel}/{stored['id']}"
    assert Sent(stored["id"], demo_server.channel, None, url) == sent
    assert question == stored["message_reference"]["message_id"]
    assert [demo_server.mia.id] == [user["id"] for user in stored["mentions"]]
    assert ("hot", "stop") == (
        stored["embeds"][0]["description"],
        stored["components"][0]["components"][0]["custom_id"],
    )
    assert [
        Seen(
            question,
            "tea?",
            demo_server.mia.id,
            name=demo_server.world.get_user(demo_server.bot.id, demo_server.mia.id)["username"],
        ),
        Seen(sent.message, message.content, demo_server.bot.id, name="Cadenza", files=("tea.txt",)),
    ] == await demo_server.api.recent(demo_server.channel)


async def test_under_the_same_nonce_a_message_is_there_once() -> None:
    demo_server = Scenery()

    first = await demo_server.api.send(demo_server.channel, Outgoing("hi", nonce="n1"))
    second = await demo_server.api.send(demo_server.channel, Outgoing("hi", nonce="n1"))

    assert first == second
    assert ["hi"] == demo_server.texts


async def test_a_direct_message_has_an_address_without_a_server() -> None:
    demo_server = Scenery()
    direct = demo_server.world.open_direct(demo_server.bot, demo_server.mia)

    sent = await demo_server.api.send(direct, Outgoing("hi"))

    assert f"https://discord.com/channels/@me/{direct}/{sent.message}" == sent.url


async def test_the_newest_messages_behind_one_are_read_the_oldest_first() -> None:
    demo_server = Scenery()
    ids = [demo_server.mia.says(demo_server.channel, str(number)) for number in range(15)]

    async def contents(**options: object) -> list[str]:
        return [seen.content for seen in await demo_server.api.recent(demo_server.channel, **options)]  # type: ignore[arg-type]

    assert [str(number) for number in range(5, 15)] == await contents()
    assert ["13", "14"] == await contents(after=ids[12])
    assert ["12", "13", "14"] == await contents(after=ids[2], limit=3)


async def test_messages_are_taken_back_alone_and_together() -> None:
    demo_server = Scenery()
    sent = [(await demo_server.api.send(demo_server.channel, Outgoing(text))).message for text in "abcd"]

    await demo_server.api.delete(demo_server.channel, sent[0])
    await demo_server.api.delete_many(demo_server.channel, tuple(sent[1:3]))

    assert ["d"] == demo_server.texts


async def test_typing_is_seen() -> None:
    demo_server = Scenery()

    await demo_server.api.typing(demo_server.channel)

    assert [demo_server.bot.id] == demo_server.world.typists(demo_server.channel)


# --- webhooks ------------------------------------------------------------------------------------------------


async def test_a_webhook_is_made_found_and_spoken_through() -> None:
    demo_server = Scenery()

    made = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    sent = await demo_server.api.send_as(made, REN, Outgoing("hello", nonce="never sent", reply_to="1"))

    assert Webhook(made.id, made.token, demo_server.channel, "Cadenza", is_ours=True) == made
    assert [made] == await demo_server.api.webhooks(demo_server.channel)
    assert made == await demo_server.api.webhook(made.id, made.token)
    assert [
        Seen(sent.message, "hello", made.id, webhook=made.id, name="Ren"),
    ] == await demo_server.api.recent(demo_server.channel)
    assert made.id == sent.webhook


async def test_webhooks_of_others_that_cannot_be_spoken_through_are_left_out() -> None:
    demo_server = Scenery()
    other = demo_server.world.add_bot("Other", token="other.secret")  # noqa: S106  # of a bot that there is not
    guilds.join(demo_server.world.state, demo_server.guild, other)

    await WorldApi(demo_server.rest, other).create_webhook(demo_server.channel, "Theirs")

    assert [] == await demo_server.api.webhooks(demo_server.channel)


async def test_a_webhook_speaks_in_a_thread_and_takes_it_back_there() -> None:
    demo_server = Scenery()
    thread = demo_server.world.add_thread(demo_server.channel, "talk")
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")

    sent = await demo_server.api.send_as(webhook, REN, Outgoing("hello"), thread=thread)
    there = [message["content"] for message in demo_server.world.messages(thread)]
    await demo_server.api.delete_as(webhook, sent.message, thread=thread)

    assert (thread, "hello") == (sent.channel, there[-1])
    assert "hello" not in [message["content"] for message in demo_server.world.messages(thread)]


async def test_no_token_of_a_bot_is_sent_where_the_webhook_has_its_own() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")

    await demo_server.api.send_as(webhook, REN, Outgoing("hello"))

    assert ["bot.secret", ""] == [call.request.token for call in demo_server.rest.calls]
    assert {"wait": "1", "with_components": "0"} == demo_server.rest.calls[-1].request.query


async def test_a_picture_is_stored_and_taken_away() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")

    has_avatar = []
    for image in (b"\x89PNG\r\n\x1a\n", None):
        await demo_server.api.set_avatar(webhook, image, patience=1.0)
        has_avatar.append((await demo_server.api.webhook(webhook.id, webhook.token)).has_avatar)

    assert [True, False] == has_avatar


async def test_who_has_no_patience_does_not_wait_for_the_limit_of_pictures() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    for _ in range(2):
        await demo_server.api.set_avatar(webhook, None, patience=1.0)

    error = await refusal(demo_server.api.set_avatar(webhook, None, patience=10.0))

    assert (60.0, False, 0.0) == (error.retry_after, error.is_ambiguous, now())
    await demo_server.api.set_avatar(webhook, None, patience=61.0)
    assert now() == 60.0


async def test_nor_for_a_429_of_which_nobody_knew() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    demo_server.faults.storm("PATCH /webhooks/*/*", 30.0, 1)

    error = await refusal(demo_server.api.set_avatar(webhook, None, patience=10.0))

    assert (429, 30.0, 0.0) == (error.status, error.retry_after, now())


async def test_nor_for_an_answer_that_does_not_come() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    demo_server.faults.delay("PATCH /webhooks/*/*", 30.0)

    error = await refusal(demo_server.api.set_avatar(webhook, None, patience=10.0))

    assert (None, True, 10.0) == (error.status, error.is_ambiguous, now())


# --- limits --------------------------------------------------------------------------------------------------


async def test_a_bucket_is_known_from_the_headers() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")

    before = demo_server.api.bucket(demo_server.channel)
    await demo_server.api.send(demo_server.channel, Outgoing("one"))
    await demo_server.api.send_as(webhook, REN, Outgoing("two"))
    await asyncio.sleep(1.0)
    between = demo_server.api.bucket(demo_server.channel), demo_server.api.bucket(demo_server.channel, webhook)
    await asyncio.sleep(9.0)

    assert before is None
    assert [Bucket(5, 4, 4.0), Bucket(5, 4, 1.0)] == [
        bucket and bucket._replace(resets_in=round(bucket.resets_in, 3)) for bucket in between
    ]
    assert Bucket(5, 5, 0.0) == demo_server.api.bucket(demo_server.channel)


async def test_a_bucket_that_is_used_up_is_waited_for_without_a_single_429() -> None:
    demo_server = Scenery()

    await asyncio.gather(*(demo_server.api.send(demo_server.channel, Outgoing(str(number))) for number in range(12)))

    assert [str(number) for number in range(12)] == demo_server.texts
    assert {200} == set(demo_server.statuses)
    assert now() == pytest.approx(10.0)


async def test_a_limit_that_nobody_tells_of_is_waited_out() -> None:
    demo_server = Scenery(limits=RateLimits(webhook_channel=Rate(2, 60.0)))
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")

    for number in range(3):
        await demo_server.api.send_as(webhook, REN, Outgoing(str(number)))

    assert ["0", "1", "2"] == demo_server.texts
    assert [200, 200, 200, 429, 200] == demo_server.statuses
    assert now() == pytest.approx(60.0)


async def test_a_storm_is_waited_out_five_times_and_no_more() -> None:
    demo_server = Scenery()
    demo_server.faults.storm(SAY, 1.5, 4)
    await demo_server.api.send(demo_server.channel, Outgoing("four"))
    waited = now()
    demo_server.faults.storm(SAY, 1.5)

    error = await refusal(demo_server.api.send(demo_server.channel, Outgoing("ever")))

    assert ["four"] == demo_server.texts
    assert (429, None, 1.5, False) == (error.status, error.code, error.retry_after, error.is_ban)
    assert (6.0, 12.0, 10) == (waited, now(), len(demo_server.rest.calls))


async def test_a_global_limit_holds_back_everything() -> None:
    demo_server = Scenery()
    demo_server.faults.storm(SAY, 3.0, 1, is_global=True)

    saying = asyncio.create_task(demo_server.api.send(demo_server.channel, Outgoing("hi")))
    await asyncio.sleep(1.0)
    await demo_server.api.typing(demo_server.channel)

    assert now() == pytest.approx(3.0)
    await saying
    assert [429, 204, 200] == sorted(demo_server.statuses, key=lambda status: (status != 429, status != 204))


async def test_forty_channels_stay_within_fifty_a_second() -> None:
    demo_server = Scenery(limits=RateLimits(Quota(SAY, 5, 2.0)))
    channels = [demo_server.world.add_channel(demo_server.guild, f"room-{number}") for number in range(40)]

    async def talk(channel: str) -> None:
        for number in range(6):
            await demo_server.api.send(channel, Outgoing(str(number)))

    await asyncio.gather(*map(talk, channels))

    assert [[str(number) for number in range(6)]] * 40 == [
        [message["content"] for message in demo_server.world.messages(channel)] for channel in channels
    ]
    times = [call.at for call in demo_server.rest.calls if call.status == 200]
    assert all(later - earlier > 0.999 for earlier, later in zip(times, times[100:], strict=False))


# --- errors --------------------------------------------------------------------------------------------------

ERRORS: dict[str, tuple[Callable[[Faults], object], tuple[int | None, int | None, bool, bool]]] = {
    "an answer lost": (lambda faults: faults.lose(SAY), (None, None, True, False)),
    "a call lost": (lambda faults: faults.lose(SAY, is_carried_out=False), (None, None, True, False)),
    "500": (lambda faults: faults.fail(SAY, 500), (500, None, True, False)),
    "502 although it was done": (lambda faults: faults.fail(SAY, 502, is_carried_out=True), (502, None, True, False)),
    "503 with a code": (lambda faults: faults.fail(SAY, 503, 130000), (503, 130000, True, False)),
    "no permission": (lambda faults: faults.fail(SAY, 403, 50013), (403, 50013, False, False)),
    "a wrong token": (lambda faults: faults.fail(SAY, 401), (401, None, False, False)),
    "slow mode": (lambda faults: faults.fail(SAY, 429, 20016, retry_after=9), (429, 20016, False, False)),
    "a 429 without Via": (lambda faults: faults.storm(SAY, 1.0, has_via=False), (429, None, False, True)),
    "a ban": (lambda faults: faults.ban(), (429, None, False, True)),
}


@pytest.mark.parametrize(("trouble", "expected"), ERRORS.values(), ids=ERRORS)
async def test_an_error_says_what_it_is_and_nothing_is_tried_again(
    trouble: Callable[[Faults], object], expected: tuple[int | None, int | None, bool, bool]
) -> None:
    demo_server = Scenery()
    trouble(demo_server.faults)

    error = await refusal(demo_server.api.send(demo_server.channel, Outgoing("hi")))

    assert expected == (error.status, error.code, error.is_ambiguous, error.is_ban)
    assert (1, 0.0) == (len(demo_server.rest.calls), now())


async def test_how_long_slow_mode_lasts_is_told() -> None:
    demo_server = Scenery()
    demo_server.faults.fail(SAY, 429, 20016, retry_after=9.0)

    assert (await refusal(demo_server.api.send(demo_server.channel, Outgoing("hi")))).retry_after == 9.0


async def test_which_fields_were_wrong_is_told() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    demo_server.faults.fail("GET /webhooks/*/*", 400, 50035, fields={"_errors": [], "username": {"_errors": []}})

    errors = [
        await refusal(demo_server.api.send(demo_server.channel, Outgoing("a" * 2001))),
        await refusal(demo_server.api.send(demo_server.channel, Outgoing("hi", embeds=(Embed("a" * 4097),)))),
        await refusal(demo_server.api.send_as(webhook, WebhookIdentity("clyde"), Outgoing("hi"))),
        await refusal(demo_server.api.webhook(webhook.id, webhook.token)),
        await refusal(demo_server.api.send(demo_server.channel, Outgoing(""))),
    ]

    assert [
        (50035, ("content",)),
        (50035, ("embeds",)),
        (50035, ("username",)),
        (50035, ("username",)),
        (50006, ()),
    ] == [(error.code, error.fields) for error in errors]


async def test_no_error_has_a_secret_in_its_text() -> None:
    demo_server = Scenery()
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    demo_server.faults.lose("POST /webhooks/*/*")
    demo_server.faults.ban("DELETE /**")

    errors = [
        await refusal(demo_server.api.send_as(webhook, REN, Outgoing("hi"))),
        await refusal(demo_server.api.send_as(webhook, REN, Outgoing(""))),
        await refusal(demo_server.api.delete_as(webhook, "1")),
    ]

    assert "POST /webhooks/{}/{}" in str(errors[0])
    for error in errors:
        assert webhook.token not in str(error)
        assert error.__cause__ is None


@pytest.mark.parametrize("every", [1, 2, 3])
async def test_a_message_whose_answer_was_lost_is_there_once_and_can_be_found(every: int) -> None:
    demo_server = Scenery(limits=RateLimits.off())
    webhook = await demo_server.api.create_webhook(demo_server.channel, "Cadenza")
    demo_server.faults.lose("POST /webhooks/*/*", every=every)
    texts = [f"message {number}" for number in range(9)]

    for number, text in enumerate(texts, start=1):
        sending = demo_server.api.send_as(webhook, REN, Outgoing(text))
        if number % every:
            await sending
        else:
            assert (await refusal(sending)).is_ambiguous
        assert text == (await demo_server.api.recent(demo_server.channel, limit=1))[0].content

    assert texts == demo_server.texts


async def test_who_is_cancelled_while_waiting_leaves_the_way_free() -> None:
    demo_server = Scenery()
    for number in range(5):
        await demo_server.api.send(demo_server.channel, Outgoing(str(number)))
    waiting = asyncio.create_task(demo_server.api.send(demo_server.channel, Outgoing("never")))
    await asyncio.sleep(1.0)
    waiting.cancel()

    await demo_server.api.send(demo_server.channel, Outgoing("next"))

    assert [*"01234", "next"] == demo_server.texts
    assert waiting.cancelled()
