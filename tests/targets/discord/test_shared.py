"""What the targets of a bot share: where nothing may be said, what has arrived, and whether anything is sent at all."""

from __future__ import annotations

import asyncio
import logging
from typing import Never

import pytest

from cadenza.errors import DeliveryError
from cadenza.languages import rendered
from cadenza.targets.discord.api import ApiError, DiscordApi
from cadenza.targets.discord.policies import policy_for
from cadenza.targets.discord.shared import DiscordState
from cadenza.targets.discord.webhooks import Webhooks

FORBIDDEN = ApiError("", status=403, code=50013)
OVERLOADED = ApiError("", status=500)
BANNED = ApiError("", status=429, is_ban=True)


class Clock:
    def __init__(self) -> None:
        self.seconds = 0.0

    def __call__(self) -> float:
        return self.seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def shared(clock: Clock, no_api: DiscordApi) -> DiscordState:
    return DiscordState(Webhooks(no_api), clock=clock)


@pytest.fixture
def no_api() -> DiscordApi:
    class NoApi:
        def __getattr__(self, name: str) -> Never:
            pytest.fail(f"nobody should ask Discord for {name}")

    return NoApi()  # type: ignore[return-value]  # it has no method, on purpose


def refuse(shared: DiscordState, error: ApiError, channel: str = "1") -> DeliveryError:
    return shared.refused(channel, policy_for(error), error)


def test_a_channel_where_the_bot_may_not_speak_is_blocked(shared: DiscordState) -> None:
    assert shared.blocked("1") is None
    assert 50013 == refuse(shared, FORBIDDEN).code
    assert ("missing_permissions", None) == (shared.blocked("1"), shared.blocked("2"))


def test_a_message_that_arrives_opens_the_channel_again(shared: DiscordState) -> None:
    refuse(shared, FORBIDDEN)
    shared.note_success("2", "10")
    assert "missing_permissions" == shared.blocked("1")
    shared.note_success("1", "11")
    assert shared.blocked("1") is None


def test_a_block_ends_after_a_quarter_of_an_hour(shared: DiscordState, clock: Clock) -> None:
    refuse(shared, FORBIDDEN)
    clock.seconds = 899.0
    assert "missing_permissions" == shared.blocked("1")
    clock.seconds = 900.0
    assert shared.blocked("1") is None


def test_an_error_that_passes_blocks_nothing(shared: DiscordState) -> None:
    refuse(shared, OVERLOADED)
    assert shared.blocked("1") is None


def test_only_the_first_refusal_of_a_channel_is_an_error_in_the_log(
    shared: DiscordState, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(shared, FORBIDDEN)
    refuse(shared, FORBIDDEN)
    clock.seconds = 2000.0
    refuse(shared, FORBIDDEN)
    assert [logging.ERROR, logging.WARNING, logging.ERROR] == [record.levelno for record in caplog.records]


def test_a_channel_that_is_gone_is_no_error_in_the_log(shared: DiscordState, caplog: pytest.LogCaptureFixture) -> None:
    refuse(shared, ApiError("", status=404, code=10003))
    assert [logging.WARNING] == [record.levelno for record in caplog.records]


def test_the_log_says_what_discord_answered_if_nobody_knows_what_it_means(
    shared: DiscordState, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(shared, ApiError("Discord refused it with status 400 and code 1.", status=400, code=1))
    assert "Discord refused it with status 400 and code 1." in caplog.text


@pytest.mark.looptime
async def test_a_long_cooldown_blocks_all_channels_until_it_is_nearly_over(
    shared: DiscordState, caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(ApiError):
        async with shared.cooldown.request():
            raise BANNED
    assert ["banned", "banned"] == [shared.blocked("1"), shared.blocked("2")]
    told = refuse(shared, BANNED)
    assert "Discord takes no messages from this bot at the moment; try again in 2 minutes." == str(told)
    assert "ボット" in rendered(told.sentence, "ja")
    await asyncio.sleep(31.0)
    assert (None, "banned") == (shared.blocked("1"), shared.cooldown.reason)
    shared.reset()
    assert shared.cooldown.reason is None
    assert [logging.ERROR] == [record.levelno for record in caplog.records]


def test_what_arrived_is_known(shared: DiscordState) -> None:
    shared.note_success("1", "10")
    assert (True, False) == (shared.is_known("10"), shared.is_known("11"))


def test_only_so_much_is_remembered(shared: DiscordState) -> None:
    for number in range(5000):
        shared.note_success("1", str(number))
        refuse(shared, FORBIDDEN, f"c{number}")
    assert (False, True) == (shared.is_known("0"), shared.is_known("4999"))
    assert (None, "missing_permissions") == (shared.blocked("c0"), shared.blocked("c4999"))


def test_people_are_told_of_a_missing_name_once_in_ten_minutes(shared: DiscordState, clock: Clock) -> None:
    assert [True, False, True] == [shared.may_complain("1"), shared.may_complain("1"), shared.may_complain("2")]
    clock.seconds = 600.0
    assert shared.may_complain("1")
