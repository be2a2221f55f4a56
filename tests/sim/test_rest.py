"""The REST interface of the simulated Discord: routes, errors, limits, faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.faults import Faults, LostResponse
from cadenza.sim.rate_limits import Quota, Rate, RateLimits
from cadenza.sim.wire import File, Response
from tests.sim.scenery import Scenery
from tests.timing import now

pytestmark = pytest.mark.looptime

SAY = "POST /channels/*/messages"


# --- answers -------------------------------------------------------------------------------------------------


async def test_a_message_is_answered_with_what_it_became_and_with_the_headers_of_its_bucket() -> None:
    demo_server = Scenery()

    answer = await demo_server.say("hello")

    assert (200, "hello", demo_server.bot.id) == (answer.status, answer.body["content"], answer.body["author"]["id"])
    assert ["hello"] == demo_server.texts
    told = {name: answer.headers[name] for name in ("Via", "X-RateLimit-Limit", "X-RateLimit-Remaining")}
    assert {"Via": "1.1 google", "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "4"} == told


async def test_a_file_goes_along() -> None:
    demo_server = Scenery()
    body = {"content": "", "attachments": [{"id": 0, "filename": "tea.png"}]}

    answer = await demo_server.call(
        f"POST /channels/{demo_server.channel}/messages", body, files=(File("tea.png", b"png", "image/png"),)
    )

    assert ["tea.png"] == [file["filename"] for file in answer.body["attachments"]]


@pytest.mark.parametrize(
    ("query", "status"), [({}, 204), ({"wait": "0"}, 204), ({"wait": "1"}, 200), ({"wait": "true"}, 200)], ids=str
)
async def test_a_webhook_answers_only_if_somebody_waits(query: dict[str, str], status: int) -> None:
    demo_server = Scenery()
    webhook = demo_server.webhook()

    answer = await demo_server.call(
        f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"}, query=query, token=""
    )

    assert status == answer.status
    assert (status == 204) == (answer.body is None)
    assert ["hi"] == demo_server.texts


async def test_a_webhook_speaks_in_a_thread() -> None:
    demo_server = Scenery()
    webhook = demo_server.webhook()
    thread = demo_server.world.add_thread(demo_server.channel, "talk")

    answer = await demo_server.call(
        f"POST /webhooks/{webhook['id']}/{webhook['token']}",
        {"content": "hi"},
        query={"wait": "1", "thread_id": thread},
    )

    assert thread == answer.body["channel_id"]


async def test_messages_are_read_as_the_query_says() -> None:
    demo_server = Scenery()
    ids = [demo_server.mia.says(demo_server.channel, text) for text in ("one", "two", "three")]

    answers = [
        await demo_server.call(f"GET /channels/{demo_server.channel}/messages", query=query)
        for query in ({}, {"limit": "1"}, {"after": ids[0], "limit": "1"}, {"before": ids[1]})
    ]

    assert [["three", "two", "one"], ["three"], ["two"], ["one"]] == [
        [message["content"] for message in answer.body] for answer in answers
    ]


# --- errors --------------------------------------------------------------------------------------------------

UNAUTHORISED = {"message": "401: Unauthorized", "code": 0}


async def test_errors_look_as_discord_writes_them() -> None:
    demo_server = Scenery()
    messages = f"POST /channels/{demo_server.channel}/messages"

    answers = [
        await demo_server.call(messages, {"content": "hi"}, token="wrong"),  # noqa: S106  # that is what is tested
        await demo_server.call(messages, {"content": "hi"}, token=""),
        await demo_server.call("GET /tea"),
        await demo_server.call("PUT /channels"),
        await demo_server.call("POST /channels/1/messages", {"content": "hi"}),
        await demo_server.call(messages, {"content": ""}),
        await demo_server.call(messages, ["hi"]),
        await demo_server.call(f"PUT /applications/{demo_server.bot.application}/commands", {"name": "tea"}),
        await demo_server.call("POST /webhooks/1/a", {"content": "hi"}, token=""),
    ]

    assert [
        (401, UNAUTHORISED),
        (401, UNAUTHORISED),
        (404, {"message": "404: Not Found", "code": 0}),
        (404, {"message": "404: Not Found", "code": 0}),
        (404, {"message": "Unknown Channel", "code": 10003}),
        (400, {"message": "Cannot send an empty message", "code": 50006}),
        (400, {"message": "The request body contains invalid JSON.", "code": 50109}),
        (400, {"message": "The request body contains invalid JSON.", "code": 50109}),
        (404, {"message": "Unknown Webhook", "code": 10015}),
    ] == [(answer.status, answer.body) for answer in answers]
    assert all("Via" in answer.headers for answer in answers)


async def test_a_form_that_is_wrong_is_told_field_by_field() -> None:
    demo_server = Scenery()

    too_long = await demo_server.say("a" * 2001)
    no_number = await demo_server.call(f"GET /channels/{demo_server.channel}/messages", query={"limit": "many"})

    assert [(400, 50035, "Invalid Form Body", ["content"]), (400, 50035, "Invalid Form Body", ["limit"])] == [
        (answer.status, answer.body["code"], answer.body["message"], list(answer.body["errors"]))
        for answer in (too_long, no_number)
    ]
    assert too_long.body["errors"]["content"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"


async def test_what_the_world_refuses_still_counts_and_tells_of_its_bucket() -> None:
    demo_server = Scenery()

    answer = await demo_server.say("")

    assert answer.headers["X-RateLimit-Remaining"] == "4"


# --- limits --------------------------------------------------------------------------------------------------


async def test_the_sixth_message_is_told_exactly_when_to_come_again() -> None:
    demo_server = Scenery()
    for _ in range(5):
        await demo_server.say("hi")
    await asyncio.sleep(1.5)

    answer = await demo_server.say("six")

    assert {"message": "You are being rate limited.", "retry_after": 3.5, "global": False} == answer.body
    bucket = answer.headers["X-RateLimit-Bucket"]
    reset = answer.headers["X-RateLimit-Reset"]
    assert {
        "Via": "1.1 google",
        "Retry-After": "4",
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": "0",
        "X-RateLimit-Reset": reset,
        "X-RateLimit-Reset-After": "3.500",
        "X-RateLimit-Bucket": bucket,
        "X-RateLimit-Scope": "user",
    } == answer.headers
    assert 3.5 == pytest.approx(float(reset) - demo_server.world.now(), abs=0.002)
    await asyncio.sleep(3.5)
    assert (await demo_server.say("seven")).status == 200
    assert "six" not in demo_server.texts


async def test_too_much_of_everything_is_told_as_global() -> None:
    demo_server = Scenery(limits=RateLimits(overall=Rate(2, 1.0)))

    answers = [await demo_server.call("GET /users/@me") for _ in range(3)]

    assert [200, 200, 429] == [answer.status for answer in answers]
    assert {"message": "You are being rate limited.", "retry_after": 1.0, "global": True} == answers[-1].body
    assert {
        "Via": "1.1 google",
        "Retry-After": "1",
        "X-RateLimit-Global": "true",
        "X-RateLimit-Scope": "global",
    } == answers[-1].headers


async def test_the_webhooks_of_a_channel_have_a_limit_together() -> None:
    demo_server = Scenery(limits=RateLimits(webhook_channel=Rate(2, 60.0)))
    webhooks = [demo_server.webhook(name) for name in ("Ren", "Mia", "Kai")]

    answers = [
        await demo_server.call(f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"}, token="")
        for webhook in webhooks
    ]

    assert [204, 204, 429] == [answer.status for answer in answers]
    assert {"message": "The resource is being rate limited.", "retry_after": 60.0, "global": False} == answers[-1].body
    assert ("shared", "4") == tuple(answers[-1].headers[f"X-RateLimit-{name}"] for name in ("Scope", "Remaining"))


async def test_ten_thousand_refusals_are_a_ban_of_which_a_page_tells() -> None:
    demo_server = Scenery(limits=RateLimits(overall=None))

    for _ in range(10_000):
        await demo_server.call("GET /users/@me", token="wrong")  # noqa: S106  # that is what is tested
    banned = await demo_server.call("GET /users/@me")
    await asyncio.sleep(600)
    forgiven = await demo_server.call("GET /users/@me")

    assert (429, {"Retry-After": "600"}) == (banned.status, dict(banned.headers))
    assert isinstance(banned.body, str)
    assert forgiven.status == 200


async def test_a_shared_limit_leads_to_no_ban() -> None:
    limits = RateLimits(webhook_channel=Rate(1, 60.0), invalid=Rate(2, 600.0), overall=None)
    demo_server = Scenery(limits=limits)
    webhook = demo_server.webhook()

    answers = [
        await demo_server.call(f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"})
        for _ in range(5)
    ]

    assert [204, 429, 429, 429, 429] == [answer.status for answer in answers]
    assert (await demo_server.call("GET /users/@me")).status == 200


async def test_many_channels_at_once_get_all_they_may_have_and_no_more() -> None:
    demo_server = Scenery(limits=RateLimits(Quota(SAY, 3, 10.0)))
    channels = [demo_server.world.add_channel(demo_server.guild, f"room-{number}") for number in range(5)]

    await asyncio.gather(*(demo_server.say("hi", channel) for channel in channels for _ in range(4)))

    assert [3] * 5 == [len(demo_server.world.messages(channel)) for channel in channels]


# --- faults --------------------------------------------------------------------------------------------------


async def test_a_failure_is_answered_and_nothing_is_done() -> None:
    demo_server = Scenery()
    fields = {"username": {"_errors": [{"code": "X", "message": "no"}]}}
    demo_server.faults.fail(SAY, 400, 50035, message="Invalid Form Body", fields=fields)

    answer = await demo_server.say("hi")

    assert (400, {"message": "Invalid Form Body", "code": 50035, "errors": fields}) == (answer.status, answer.body)
    assert [] == demo_server.texts


async def test_a_failure_may_come_although_it_was_done() -> None:
    demo_server = Scenery()
    demo_server.faults.fail(SAY, 502, is_carried_out=True)

    answer = await demo_server.say("hi")

    assert (502, ["hi"]) == (answer.status, demo_server.texts)


async def test_a_limit_of_the_world_says_so_with_its_code() -> None:
    demo_server = Scenery()
    demo_server.faults.fail(SAY, 429, 20016, message="slow mode", retry_after=12.5)

    answer = await demo_server.say("hi")

    assert {"message": "slow mode", "retry_after": 12.5, "global": False, "code": 20016} == answer.body
    assert {"Via": "1.1 google", "Retry-After": "13", "X-RateLimit-Scope": "shared"} == answer.headers


async def test_a_refusal_that_is_no_429_may_say_when_to_come_again_too() -> None:
    demo_server = Scenery()
    demo_server.faults.fail(SAY, 403, 20028, message="too much", retry_after=4.5)

    answer = await demo_server.say("hi")

    assert (403, {"message": "too much", "code": 20028, "retry_after": 4.5}) == (answer.status, answer.body)


@pytest.mark.parametrize("every", [1, 2, 3, 5])
async def test_of_each_nth_answer_that_is_lost_the_message_is_there_once_and_nobody_was_told(every: int) -> None:
    demo_server = Scenery(limits=RateLimits.off())
    demo_server.faults.lose(SAY, every=every)
    said = [f"message {number}" for number in range(1, 21)]

    told = []
    for text in said:
        try:
            told.append((await demo_server.say(text)).body["content"])
        except LostResponse:
            told.append(None)

    assert said == demo_server.texts
    assert [None if number % every == 0 else text for number, text in enumerate(said, start=1)] == told
    assert [told_of is None for told_of in told] == [call.status is None for call in demo_server.rest.calls]


TROUBLES: dict[str, Callable[[Faults], object]] = {
    "nothing": lambda _: None,
    "answer lost": lambda faults: faults.lose(SAY),
    "call lost": lambda faults: faults.lose(SAY, is_carried_out=False),
    "failed": lambda faults: faults.fail(SAY, 500),
    "failed and done": lambda faults: faults.fail(SAY, 502, is_carried_out=True),
    "storm": lambda faults: faults.storm(SAY, 1.0, 1),
}
DONE = ("nothing", "answer lost", "failed and done")


@given(st.lists(st.sampled_from(sorted(TROUBLES)), max_size=30))
def test_whatever_goes_wrong_what_is_there_is_what_was_done_once_and_in_order(troubles: list[str]) -> None:
    async def talk() -> tuple[list[str], list[str]]:
        demo_server = Scenery(limits=RateLimits.off())
        told = []
        for number, trouble in enumerate(troubles):
            TROUBLES[trouble](demo_server.faults)
            with suppress(LostResponse):
                answer = await demo_server.say(f"{number}")
                told += [f"{number}"] if answer.status == 200 else []
        return demo_server.texts, told

    there, told = asyncio.run(talk())

    assert [f"{number}" for number, trouble in enumerate(troubles) if trouble in DONE] == there
    assert [f"{number}" for number, trouble in enumerate(troubles) if trouble == "nothing"] == told


async def test_a_call_that_is_lost_itself_does_nothing() -> None:
    demo_server = Scenery()
    demo_server.faults.lose(SAY, is_carried_out=False)

    with pytest.raises(LostResponse):
        await demo_server.say("hi")

    assert [] == demo_server.texts


async def test_a_delay_comes_before_anything_is_done() -> None:
    demo_server = Scenery()
    demo_server.faults.delay(SAY, 3.0)

    saying = asyncio.create_task(demo_server.say("hi"))
    await asyncio.sleep(2.9)
    before = demo_server.texts
    await saying

    assert ([], ["hi"], 3.0) == (before, demo_server.texts, now())


@pytest.mark.parametrize(
    ("is_global", "has_via", "headers"),
    [
        (False, True, {"Via": "1.1 google", "Retry-After": "2", "X-RateLimit-Scope": "user"}),
        (False, False, {"Retry-After": "2", "X-RateLimit-Scope": "user"}),
        (
            True,
            True,
            {"Via": "1.1 google", "Retry-After": "2", "X-RateLimit-Scope": "global", "X-RateLimit-Global": "true"},
        ),
    ],
)
async def test_a_storm_is_a_429_whatever_the_limits_are(
    is_global: bool,  # noqa: FBT001  # a column of the table
    has_via: bool,  # noqa: FBT001  # likewise
    headers: dict[str, str],
) -> None:
    demo_server = Scenery(limits=RateLimits.off())
    demo_server.faults.storm(SAY, 1.5, 2, is_global=is_global, has_via=has_via)

    answers = [await demo_server.say("hi") for _ in range(3)]

    body = {"message": "You are being rate limited.", "retry_after": 1.5, "global": is_global}
    assert [Response(429, body, headers)] * 2 == answers[:2]
    assert answers[2].status == 200


async def test_a_ban_is_a_page_without_via_until_it_is_ended() -> None:
    demo_server = Scenery()
    ban = demo_server.faults.ban()

    banned = [await demo_server.say("hi"), await demo_server.call("GET /users/@me")]
    ban.end()

    assert [(429, True, False)] * 2 == [
        (answer.status, isinstance(answer.body, str), "Via" in answer.headers) for answer in banned
    ]
    assert (await demo_server.say("hi")).status == 200


# --- what is remembered --------------------------------------------------------------------------------------


async def test_every_call_is_remembered_with_its_time_and_its_end() -> None:
    demo_server = Scenery()
    await demo_server.say("hi")
    await asyncio.sleep(2.0)
    await demo_server.call("GET /channels/1")
    await demo_server.call("GET /tea")

    begun = demo_server.rest.calls[0].at
    assert [
        (0.0, "POST /channels/{channel}/messages", 200, 0),
        (2.0, "GET /channels/{channel}", 404, 10003),
        (2.0, "GET", 404, 0),
    ] == [(call.at - begun, call.route, call.status, call.code) for call in demo_server.rest.calls]
    assert {"content": "hi"} == demo_server.rest.calls[0].request.body


async def test_a_call_is_remembered_with_the_channel_that_it_was_about() -> None:
    demo_server = Scenery()
    webhook = demo_server.webhook()
    hook = f"/webhooks/{webhook['id']}/{webhook['token']}"

    await demo_server.say("hello")
    await demo_server.call(f"POST {hook}", {"content": "hi"}, token="")
    await demo_server.call(f"POST {hook}", {"content": "hi"}, query={"thread_id": "77"}, token="")
    await demo_server.call("GET /users/@me")
    await demo_server.call("POST /webhooks/1/a", {"content": "hi"}, token="")

    assert [demo_server.channel, demo_server.channel, "77", "", ""] == [call.channel for call in demo_server.rest.calls]


async def test_whoever_listens_hears_of_every_call_until_they_stop() -> None:
    demo_server = Scenery(limits=RateLimits(Quota(SAY, 1, 4.0)))
    heard: list[tuple[int | None, float | None]] = []
    stop = demo_server.rest.listen(lambda call: heard.append((call.status, call.retry_after)))
    await demo_server.say("hi")
    await demo_server.say("hi")
    demo_server.rest.faults.lose(SAY)
    with suppress(LostResponse):
        await demo_server.say("hi")
    demo_server.rest.faults.ban()
    await demo_server.call("GET /channels/1")
    stop()
    stop()
    await demo_server.call("GET /channels/1")

    assert [(200, None), (429, 4.0), (None, None), (429, None)] == heard


async def test_no_token_shows_in_what_is_remembered() -> None:
    demo_server = Scenery()
    webhook = demo_server.webhook()
    await demo_server.call(f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"})

    shown = repr(demo_server.rest.calls)

    assert webhook["token"] not in shown
    assert demo_server.bot.token not in shown


async def test_of_very_many_calls_the_oldest_are_forgotten() -> None:
    demo_server = Scenery(limits=RateLimits.off())

    for number in range(20_001):
        await demo_server.call(f"GET /{number}")

    assert len(demo_server.rest.calls) == 10_000
    assert demo_server.rest.calls[-1].request.path == "/20000"
