"""The REST interface of the simulated Discord: routes, errors, limits, faults."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.sim.faults import Faults, LostResponse
from cadenza.sim.rate_limits import Quota, Rate, RateLimits
from cadenza.sim.wire import File, Response
from tests.sim.scenery import Scenery
from tests.timing import now

pytestmark = pytest.mark.looptime

SAY = "POST /channels/*/messages"


# --- answers -------------------------------------------------------------------------------------------------


async def test_a_message_is_answered_with_what_it_became_and_with_the_headers_of_its_bucket() -> None:
    scenery = Scenery()

    answer = await scenery.say("hello")

    assert (200, "hello", scenery.bot.id) == (answer.status, answer.body["content"], answer.body["author"]["id"])
    assert ["hello"] == scenery.texts
    told = {name: answer.headers[name] for name in ("Via", "X-RateLimit-Limit", "X-RateLimit-Remaining")}
    assert {"Via": "1.1 google", "X-RateLimit-Limit": "5", "X-RateLimit-Remaining": "4"} == told


async def test_a_file_goes_along() -> None:
    scenery = Scenery()
    body = {"content": "", "attachments": [{"id": 0, "filename": "tea.png"}]}

    answer = await scenery.call(
        f"POST /channels/{scenery.channel}/messages", body, files=(File("tea.png", b"png", "image/png"),)
    )

    assert ["tea.png"] == [file["filename"] for file in answer.body["attachments"]]


@pytest.mark.parametrize(
    ("query", "status"), [({}, 204), ({"wait": "0"}, 204), ({"wait": "1"}, 200), ({"wait": "true"}, 200)], ids=str
)
async def test_a_webhook_answers_only_if_somebody_waits(query: dict[str, str], status: int) -> None:
    scenery = Scenery()
    webhook = scenery.webhook()

    answer = await scenery.call(
        f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"}, query=query, token=""
    )

    assert status == answer.status
    assert (status == 204) == (answer.body is None)
    assert ["hi"] == scenery.texts


async def test_a_webhook_speaks_in_a_thread() -> None:
    scenery = Scenery()
    webhook = scenery.webhook()
    thread = scenery.world.add_thread(scenery.channel, "talk")

    answer = await scenery.call(
        f"POST /webhooks/{webhook['id']}/{webhook['token']}",
        {"content": "hi"},
        query={"wait": "1", "thread_id": thread},
    )

    assert thread == answer.body["channel_id"]


async def test_messages_are_read_as_the_query_says() -> None:
    scenery = Scenery()
    ids = [scenery.mia.says(scenery.channel, text) for text in ("one", "two", "three")]

    answers = [
        await scenery.call(f"GET /channels/{scenery.channel}/messages", query=query)
        for query in ({}, {"limit": "1"}, {"after": ids[0], "limit": "1"}, {"before": ids[1]})
    ]

    assert [["three", "two", "one"], ["three"], ["two"], ["one"]] == [
        [message["content"] for message in answer.body] for answer in answers
    ]


# --- errors --------------------------------------------------------------------------------------------------

UNAUTHORISED = {"message": "401: Unauthorized", "code": 0}


async def test_errors_look_as_discord_writes_them() -> None:
    scenery = Scenery()
    messages = f"POST /channels/{scenery.channel}/messages"

    answers = [
        await scenery.call(messages, {"content": "hi"}, token="wrong"),  # noqa: S106  # that is what is tested
        await scenery.call(messages, {"content": "hi"}, token=""),
        await scenery.call("GET /tea"),
        await scenery.call("PUT /channels"),
        await scenery.call("POST /channels/1/messages", {"content": "hi"}),
        await scenery.call(messages, {"content": ""}),
        await scenery.call(messages, ["hi"]),
        await scenery.call(f"PUT /applications/{scenery.bot.application}/commands", {"name": "tea"}),
        await scenery.call("POST /webhooks/1/a", {"content": "hi"}, token=""),
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
    scenery = Scenery()

    too_long = await scenery.say("a" * 2001)
    no_number = await scenery.call(f"GET /channels/{scenery.channel}/messages", query={"limit": "many"})

    assert [(400, 50035, "Invalid Form Body", ["content"]), (400, 50035, "Invalid Form Body", ["limit"])] == [
        (answer.status, answer.body["code"], answer.body["message"], list(answer.body["errors"]))
        for answer in (too_long, no_number)
    ]
    assert too_long.body["errors"]["content"]["_errors"][0]["code"] == "BASE_TYPE_MAX_LENGTH"


async def test_what_the_world_refuses_still_counts_and_tells_of_its_bucket() -> None:
    scenery = Scenery()

    answer = await scenery.say("")

    assert answer.headers["X-RateLimit-Remaining"] == "4"


# --- limits --------------------------------------------------------------------------------------------------


async def test_the_sixth_message_is_told_exactly_when_to_come_again() -> None:
    scenery = Scenery()
    for _ in range(5):
        await scenery.say("hi")
    await asyncio.sleep(1.5)

    answer = await scenery.say("six")

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
    assert 3.5 == pytest.approx(float(reset) - scenery.world.now(), abs=0.002)
    await asyncio.sleep(3.5)
    assert (await scenery.say("seven")).status == 200
    assert "six" not in scenery.texts


async def test_too_much_of_everything_is_told_as_global() -> None:
    scenery = Scenery(limits=RateLimits(overall=Rate(2, 1.0)))

    answers = [await scenery.call("GET /users/@me") for _ in range(3)]

    assert [200, 200, 429] == [answer.status for answer in answers]
    assert {"message": "You are being rate limited.", "retry_after": 1.0, "global": True} == answers[-1].body
    assert {
        "Via": "1.1 google",
        "Retry-After": "1",
        "X-RateLimit-Global": "true",
        "X-RateLimit-Scope": "global",
    } == answers[-1].headers


async def test_the_webhooks_of_a_channel_have_a_limit_together() -> None:
    scenery = Scenery(limits=RateLimits(webhook_channel=Rate(2, 60.0)))
    webhooks = [scenery.webhook(name) for name in ("Ren", "Mia", "Kai")]

    answers = [
        await scenery.call(f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"}, token="")
        for webhook in webhooks
    ]

    assert [204, 204, 429] == [answer.status for answer in answers]
    assert {"message": "The resource is being rate limited.", "retry_after": 60.0, "global": False} == answers[-1].body
    assert ("shared", "4") == tuple(answers[-1].headers[f"X-RateLimit-{name}"] for name in ("Scope", "Remaining"))


async def test_ten_thousand_refusals_are_a_ban_of_which_a_page_tells() -> None:
    scenery = Scenery(limits=RateLimits(overall=None))

    for _ in range(10_000):
        await scenery.call("GET /users/@me", token="wrong")  # noqa: S106  # that is what is tested
    banned = await scenery.call("GET /users/@me")
    await asyncio.sleep(600)
    forgiven = await scenery.call("GET /users/@me")

    assert (429, {"Retry-After": "600"}) == (banned.status, dict(banned.headers))
    assert isinstance(banned.body, str)
    assert forgiven.status == 200


async def test_a_shared_limit_leads_to_no_ban() -> None:
    limits = RateLimits(webhook_channel=Rate(1, 60.0), invalid=Rate(2, 600.0), overall=None)
    scenery = Scenery(limits=limits)
    webhook = scenery.webhook()

    answers = [
        await scenery.call(f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"}) for _ in range(5)
    ]

    assert [204, 429, 429, 429, 429] == [answer.status for answer in answers]
    assert (await scenery.call("GET /users/@me")).status == 200


async def test_many_channels_at_once_get_all_they_may_have_and_no_more() -> None:
    scenery = Scenery(limits=RateLimits(Quota(SAY, 3, 10.0)))
    channels = [scenery.world.add_channel(scenery.guild, f"room-{number}") for number in range(5)]

    await asyncio.gather(*(scenery.say("hi", channel) for channel in channels for _ in range(4)))

    assert [3] * 5 == [len(scenery.world.messages(channel)) for channel in channels]


# --- faults --------------------------------------------------------------------------------------------------


async def test_a_failure_is_answered_and_nothing_is_done() -> None:
    scenery = Scenery()
    fields = {"username": {"_errors": [{"code": "X", "message": "no"}]}}
    scenery.faults.fail(SAY, 400, 50035, message="Invalid Form Body", fields=fields)

    answer = await scenery.say("hi")

    assert (400, {"message": "Invalid Form Body", "code": 50035, "errors": fields}) == (answer.status, answer.body)
    assert [] == scenery.texts


async def test_a_failure_may_come_although_it_was_done() -> None:
    scenery = Scenery()
    scenery.faults.fail(SAY, 502, is_carried_out=True)

    answer = await scenery.say("hi")

    assert (502, ["hi"]) == (answer.status, scenery.texts)


async def test_a_limit_of_the_world_says_so_with_its_code() -> None:
    scenery = Scenery()
    scenery.faults.fail(SAY, 429, 20016, message="slow mode", retry_after=12.5)

    answer = await scenery.say("hi")

    assert {"message": "slow mode", "retry_after": 12.5, "global": False, "code": 20016} == answer.body
    assert {"Via": "1.1 google", "Retry-After": "13", "X-RateLimit-Scope": "shared"} == answer.headers


async def test_a_refusal_that_is_no_429_may_say_when_to_come_again_too() -> None:
    scenery = Scenery()
    scenery.faults.fail(SAY, 403, 20028, message="too much", retry_after=4.5)

    answer = await scenery.say("hi")

    assert (403, {"message": "too much", "code": 20028, "retry_after": 4.5}) == (answer.status, answer.body)


@pytest.mark.parametrize("every", [1, 2, 3, 5])
async def test_of_each_nth_answer_that_is_lost_the_message_is_there_once_and_nobody_was_told(every: int) -> None:
    scenery = Scenery(limits=RateLimits.off())
    scenery.faults.lose(SAY, every=every)
    said = [f"message {number}" for number in range(1, 21)]

    told = []
    for text in said:
        try:
            told.append((await scenery.say(text)).body["content"])
        except LostResponse:
            told.append(None)

    assert said == scenery.texts
    assert [None if number % every == 0 else text for number, text in enumerate(said, start=1)] == told
    assert [told_of is None for told_of in told] == [call.status is None for call in scenery.rest.calls]


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
        scenery = Scenery(limits=RateLimits.off())
        told = []
        for number, trouble in enumerate(troubles):
            TROUBLES[trouble](scenery.faults)
            with suppress(LostResponse):
                answer = await scenery.say(f"{number}")
                told += [f"{number}"] if answer.status == 200 else []
        return scenery.texts, told

    there, told = asyncio.run(talk())

    assert [f"{number}" for number, trouble in enumerate(troubles) if trouble in DONE] == there
    assert [f"{number}" for number, trouble in enumerate(troubles) if trouble == "nothing"] == told


async def test_a_call_that_is_lost_itself_does_nothing() -> None:
    scenery = Scenery()
    scenery.faults.lose(SAY, is_carried_out=False)

    with pytest.raises(LostResponse):
        await scenery.say("hi")

    assert [] == scenery.texts


async def test_a_delay_comes_before_anything_is_done() -> None:
    scenery = Scenery()
    scenery.faults.delay(SAY, 3.0)

    saying = asyncio.create_task(scenery.say("hi"))
    await asyncio.sleep(2.9)
    before = scenery.texts
    await saying

    assert ([], ["hi"], 3.0) == (before, scenery.texts, now())


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
    scenery = Scenery(limits=RateLimits.off())
    scenery.faults.storm(SAY, 1.5, 2, is_global=is_global, has_via=has_via)

    answers = [await scenery.say("hi") for _ in range(3)]

    body = {"message": "You are being rate limited.", "retry_after": 1.5, "global": is_global}
    assert [Response(429, body, headers)] * 2 == answers[:2]
    assert answers[2].status == 200


async def test_a_ban_is_a_page_without_via_until_it_is_ended() -> None:
    scenery = Scenery()
    ban = scenery.faults.ban()

    banned = [await scenery.say("hi"), await scenery.call("GET /users/@me")]
    ban.end()

    assert [(429, True, False)] * 2 == [
        (answer.status, isinstance(answer.body, str), "Via" in answer.headers) for answer in banned
    ]
    assert (await scenery.say("hi")).status == 200


# --- what is remembered --------------------------------------------------------------------------------------


async def test_every_call_is_remembered_with_its_time_and_its_end() -> None:
    scenery = Scenery()
    await scenery.say("hi")
    await asyncio.sleep(2.0)
    await scenery.call("GET /channels/1")
    await scenery.call("GET /tea")

    begun = scenery.rest.calls[0].at
    assert [
        (0.0, "POST /channels/{channel}/messages", 200, 0),
        (2.0, "GET /channels/{channel}", 404, 10003),
        (2.0, "GET", 404, 0),
    ] == [(call.at - begun, call.route, call.status, call.code) for call in scenery.rest.calls]
    assert {"content": "hi"} == scenery.rest.calls[0].request.body


async def test_a_call_is_remembered_with_the_channel_that_it_was_about() -> None:
    scenery = Scenery()
    webhook = scenery.webhook()
    hook = f"/webhooks/{webhook['id']}/{webhook['token']}"

    await scenery.say("hello")
    await scenery.call(f"POST {hook}", {"content": "hi"}, token="")
    await scenery.call(f"POST {hook}", {"content": "hi"}, query={"thread_id": "77"}, token="")
    await scenery.call("GET /users/@me")
    await scenery.call("POST /webhooks/1/a", {"content": "hi"}, token="")

    assert [scenery.channel, scenery.channel, "77", "", ""] == [call.channel for call in scenery.rest.calls]


async def test_whoever_listens_hears_of_every_call_until_they_stop() -> None:
    scenery = Scenery(limits=RateLimits(Quota(SAY, 1, 4.0)))
    heard: list[tuple[int | None, float | None]] = []
    stop = scenery.rest.listen(lambda call: heard.append((call.status, call.retry_after)))
    await scenery.say("hi")
    await scenery.say("hi")
    scenery.rest.faults.lose(SAY)
    with suppress(LostResponse):
        await scenery.say("hi")
    scenery.rest.faults.ban()
    await scenery.call("GET /channels/1")
    stop()
    stop()
    await scenery.call("GET /channels/1")

    assert [(200, None), (429, 4.0), (None, None), (429, None)] == heard


async def test_no_token_shows_in_what_is_remembered() -> None:
    scenery = Scenery()
    webhook = scenery.webhook()
    await scenery.call(f"POST /webhooks/{webhook['id']}/{webhook['token']}", {"content": "hi"})

    shown = repr(scenery.rest.calls)

    assert webhook["token"] not in shown
    assert scenery.bot.token not in shown


async def test_of_very_many_calls_the_oldest_are_forgotten() -> None:
    scenery = Scenery(limits=RateLimits.off())

    for number in range(20_001):
        await scenery.call(f"GET /{number}")

    assert len(scenery.rest.calls) == 10_000
    assert scenery.rest.calls[-1].request.path == "/20000"
