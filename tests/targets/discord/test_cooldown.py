"""When Discord shuts a bot out: pauses that grow, and one request that tries after each. All in virtual time."""

from __future__ import annotations

import asyncio
import logging
from math import inf, nan

import pytest

from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord.cancellable_waits import CancellableWaits, Hurried
from cadenza.targets.discord.cooldown import Cooldown
from tests.timing import now

pytestmark = pytest.mark.looptime


def unauthorised() -> ApiError:
    return ApiError("", status=401)


def banned(retry_after: float | None = None) -> ApiError:
    return ApiError("", status=429, is_ban=True, retry_after=retry_after)


async def ask(cooldown: Cooldown, answer: ApiError | None = None, *, takes: float = 0.0) -> float:
    """Make a request that Discord answers with *answer*; returns how long it waited before it was made."""
    begun = now()
    async with cooldown.request():
        waited = now() - begun
        await asyncio.sleep(takes)
        if answer is not None:
            raise answer
    return waited


async def refuse(cooldown: Cooldown, answer: ApiError) -> float:
    """The same for a refusal; returns the pause after it."""
    await asyncio.sleep(cooldown.left)
    with pytest.raises(ApiError) as refused:
        await ask(cooldown, answer)
    assert refused.value is answer
    return cooldown.left


@pytest.mark.parametrize(
    ("answers", "pauses"),
    [
        pytest.param([unauthorised()] * 10, [5, 10, 20, 40, 80, 160, 320, 640, 900, 900], id="a token"),
        pytest.param([banned()] * 8, [60, 120, 240, 480, 960, 1920, 3600, 3600], id="a page"),
        pytest.param([banned(2.0)] * 3, [2, 4, 8], id="Discord names a time, and does not keep to it"),
        pytest.param([banned(), banned(900.0), banned(7200.0)], [60, 900, 7200], id="it names later times"),
        pytest.param([banned(0.0), banned(-3.0)], [60, 120], id="it names no time to come"),
        pytest.param([banned(0.2)], [1], id="it names hardly any time"),
        pytest.param([banned(1e9)], [86_400], id="it names a time that nobody lives to see"),
        pytest.param([banned(inf), banned(nan)], [60, 120], id="it names what is no time"),
        pytest.param([unauthorised(), banned()], [5, 60], id="one after the other"),
    ],
)
async def test_pauses_grow(answers: list[ApiError], pauses: list[float]) -> None:
    cooldown = Cooldown()
    assert pauses == [pytest.approx(await refuse(cooldown, answer)) for answer in answers]


async def test_a_success_ends_it_and_what_comes_back_later_begins_anew() -> None:
    cooldown = Cooldown()
    assert 10.0 == pytest.approx([await refuse(cooldown, unauthorised()) for _ in range(2)][-1])
    assert ("unauthorised", 10.0) == (cooldown.reason, pytest.approx(await ask(cooldown)))
    assert (None, 0.0, False) == (cooldown.reason, cooldown.left, cooldown.is_long)
    await asyncio.sleep(60.0)
    assert 5.0 == pytest.approx(await refuse(cooldown, unauthorised()))


async def test_what_comes_back_soon_goes_on_growing() -> None:
    cooldown, pauses = Cooldown(), list[float]()
    for _ in range(4):
        pauses.append(await refuse(cooldown, unauthorised()))
        await asyncio.sleep(cooldown.left)
        await ask(cooldown)
    assert [5.0, 10.0, 20.0, 40.0] == pytest.approx(pauses)


async def test_it_can_be_ended_by_hand() -> None:
    cooldown = Cooldown()
    await refuse(cooldown, banned())
    assert ("banned", True) == (cooldown.reason, cooldown.is_long)
    cooldown.reset()
    assert 0.0 == await ask(cooldown)
    assert 60.0 == pytest.approx(await refuse(cooldown, banned()))


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        pytest.param(ApiError("", status=403, code=50013), None, id="forbidden"),
        pytest.param(ApiError("", status=404, code=10008), None, id="gone"),
        pytest.param(ApiError("", status=429, retry_after=1.0), None, id="a rate limit"),
        pytest.param(ApiError("", status=502, is_ambiguous=True), "unauthorised", id="in trouble"),
        pytest.param(ApiError("", is_ambiguous=True), "unauthorised", id="lost"),
        pytest.param(ApiError("the client is closed"), "unauthorised", id="not asked"),
    ],
)
async def test_it_is_over_as_soon_as_discord_listens_whatever_it_says(answer: ApiError, reason: str | None) -> None:
    cooldown = Cooldown()
    await refuse(cooldown, unauthorised())
    await refuse(cooldown, answer)
    assert (reason, 0.0) == (cooldown.reason, cooldown.left)


async def test_a_request_that_would_wait_long_is_not_made() -> None:
    cooldown, begun = Cooldown(), now()
    await refuse(cooldown, banned())
    with pytest.raises(ApiError) as refused:
        await ask(cooldown)
    assert (429, True, 60.0) == (refused.value.status, refused.value.is_ban, pytest.approx(refused.value.retry_after))
    assert begun == now()
    await asyncio.sleep(31.0)
    assert 29.0 == pytest.approx(await ask(cooldown))


async def test_one_request_tries_and_the_others_wait_for_it() -> None:
    cooldown, begun, times = Cooldown(), now(), list[float]()

    async def wait() -> None:
        async with cooldown.request():
            times.append(now() - begun)
            await asyncio.sleep(3.0)
            if now() - begun < 10.0:
                raise unauthorised()

    await refuse(cooldown, unauthorised())
    became = await asyncio.gather(*(wait() for _ in range(5)), return_exceptions=True)
    assert [5.0, 18.0, 21.0, 21.0, 21.0] == pytest.approx(times)
    assert [401, None, None, None, None] == [getattr(one, "status", None) for one in became]


async def test_nobody_waits_for_ever_for_the_one_that_tries() -> None:
    cooldown = Cooldown()
    await refuse(cooldown, unauthorised())
    trial = asyncio.create_task(ask(cooldown, takes=600.0))
    await asyncio.sleep(6.0)
    begun = now()
    with pytest.raises(ApiError):
        await ask(cooldown)
    assert 30.0 == pytest.approx(now() - begun)
    assert 5.0 == pytest.approx(await trial)


async def test_after_one_that_was_cancelled_another_tries() -> None:
    cooldown = Cooldown()
    await refuse(cooldown, unauthorised())
    trial = asyncio.create_task(ask(cooldown, takes=600.0))
    await asyncio.sleep(6.0)
    other = asyncio.create_task(ask(cooldown))
    await asyncio.sleep(1.0)
    trial.cancel()
    assert (1.0, None) == (pytest.approx(await other), cooldown.reason)


async def test_what_was_asked_before_it_began_says_nothing_about_it() -> None:
    cooldown = Cooldown()
    early = [
        asyncio.create_task(ask(cooldown, answer, takes=takes))
        for answer, takes in ((unauthorised(), 1.0), (None, 2.0), (unauthorised(), 3.0), (unauthorised(), 4.0))
    ]
    await asyncio.wait(early)
    assert ("unauthorised", 2.0) == (cooldown.reason, pytest.approx(cooldown.left))
    assert [True, False, True, True] == [one.exception() is not None for one in early]


async def test_its_end_can_be_waited_for_without_a_request() -> None:
    cooldown, begun = Cooldown(), now()
    await cooldown.pause()
    await refuse(cooldown, unauthorised())
    await cooldown.pause()
    assert (5.0, "unauthorised") == (pytest.approx(now() - begun), cooldown.reason)
    cooldown.reset()
    await refuse(cooldown, banned())
    with pytest.raises(ApiError):
        await cooldown.pause()


async def test_a_wait_ends_when_the_reply_is_stopped() -> None:
    cooldown, waits = Cooldown(), CancellableWaits()
    await refuse(cooldown, unauthorised())

    async def wait() -> None:
        async with cooldown.request(waits):
            pytest.fail("it was stopped")

    waiting = asyncio.create_task(wait())
    await asyncio.sleep(1.0)
    waits.hurry()
    with pytest.raises(Hurried):
        await waiting
    assert 4.0 == pytest.approx(cooldown.left)


async def test_a_bot_that_is_busy_for_an_hour_with_a_bad_token_asks_a_dozen_times() -> None:
    cooldown, asked = Cooldown(), 0

    async def reply() -> None:
        nonlocal asked
        while True:
            try:
                async with cooldown.request():
                    asked += 1
                    await asyncio.sleep(0.1)
                    raise unauthorised()
            except ApiError:
                await asyncio.sleep(1.0)

    await asyncio.wait([asyncio.create_task(reply()) for _ in range(20)], timeout=3600.0)
    assert 20 + 10 == asked  # all twenty had asked when the first answer came


async def test_the_log_has_a_line_for_each_pause_and_one_for_the_end(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO, "cadenza")
    cooldown = Cooldown()
    for answer in (unauthorised(), unauthorised()):
        await refuse(cooldown, answer)
    await ask(cooldown)
    await ask(cooldown)
    assert [logging.ERROR, logging.ERROR, logging.INFO] == [record.levelno for record in caplog.records]
    first, second, last = (record.getMessage() for record in caplog.records)
    assert "shuts the bot out (unauthorised): nothing is asked of it for 5 seconds" in first
    assert "set a new one" in first
    assert "still shuts the bot out (unauthorised): nothing is asked of it for 10 seconds" in second
    assert "listens to the bot again" in last
