"""What the targets of a bot share: where nothing may be said, what has arrived, and whether anything is sent at all."""

from __future__ import annotations

import logging
from typing import Never

import pytest

from cadenza.errors import DeliveryError
from cadenza.targets.api import ApiError, DiscordApi
from cadenza.targets.house import House
from cadenza.targets.policies import policy_for
from cadenza.targets.webhooks import Webhooks

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
def house(clock: Clock, no_api: DiscordApi) -> House:
    return House(Webhooks(no_api), clock=clock)


@pytest.fixture
def no_api() -> DiscordApi:
    class NoApi:
        def __getattr__(self, name: str) -> Never:
            pytest.fail(f"nobody should ask Discord for {name}")

    return NoApi()  # type: ignore[return-value]  # it has no method, on purpose


def refuse(house: House, error: ApiError, channel: str = "1") -> DeliveryError:
    return house.refused(channel, policy_for(error), error)


def test_a_channel_where_the_bot_may_not_speak_is_blocked(house: House) -> None:
    assert house.blocked("1") is None
    assert 50013 == refuse(house, FORBIDDEN).code
    assert ("missing_permissions", None) == (house.blocked("1"), house.blocked("2"))


def test_a_message_that_arrives_opens_the_channel_again(house: House) -> None:
    refuse(house, FORBIDDEN)
    house.note_success("2", "10")
    assert "missing_permissions" == house.blocked("1")
    house.note_success("1", "11")
    assert house.blocked("1") is None


def test_a_block_ends_after_a_quarter_of_an_hour(house: House, clock: Clock) -> None:
    refuse(house, FORBIDDEN)
    clock.seconds = 899.0
    assert "missing_permissions" == house.blocked("1")
    clock.seconds = 900.0
    assert house.blocked("1") is None


def test_an_error_that_passes_blocks_nothing(house: House) -> None:
    refuse(house, OVERLOADED)
    assert house.blocked("1") is None


def test_only_the_first_refusal_of_a_channel_is_an_error_in_the_log(
    house: House, clock: Clock, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(house, FORBIDDEN)
    refuse(house, FORBIDDEN)
    clock.seconds = 2000.0
    refuse(house, FORBIDDEN)
    assert [logging.ERROR, logging.WARNING, logging.ERROR] == [record.levelno for record in caplog.records]


def test_a_channel_that_is_gone_is_no_error_in_the_log(house: House, caplog: pytest.LogCaptureFixture) -> None:
    refuse(house, ApiError("", status=404, code=10003))
    assert [logging.WARNING] == [record.levelno for record in caplog.records]


def test_the_log_says_what_discord_answered_if_nobody_knows_what_it_means(
    house: House, caplog: pytest.LogCaptureFixture
) -> None:
    refuse(house, ApiError("Discord refused it with status 400 and code 1.", status=400, code=1))
    assert "Discord refused it with status 400 and code 1." in caplog.text


def test_after_a_ban_nothing_is_sent_until_somebody_says_so(house: House, caplog: pytest.LogCaptureFixture) -> None:
    house.check()
    refuse(house, BANNED)
    refuse(house, BANNED)
    assert ("banned", None) == (house.broken, house.blocked("1"))
    with pytest.raises(DeliveryError, match="shut this bot out"):
        house.check()
    house.reset()
    house.check()
    assert house.broken is None
    assert [logging.CRITICAL] == [record.levelno for record in caplog.records]


def test_what_arrived_is_known(house: House) -> None:
    house.note_success("1", "10")
    assert (True, False) == (house.is_known("10"), house.is_known("11"))


def test_only_so_much_is_remembered(house: House) -> None:
    for number in range(5000):
        house.note_success("1", str(number))
        refuse(house, FORBIDDEN, f"c{number}")
    assert (False, True) == (house.is_known("0"), house.is_known("4999"))
    assert (None, "missing_permissions") == (house.blocked("c0"), house.blocked("c4999"))


def test_people_are_told_of_a_missing_name_once_in_ten_minutes(house: House, clock: Clock) -> None:
    assert [True, False, True] == [house.may_complain("1"), house.may_complain("1"), house.may_complain("2")]
    clock.seconds = 600.0
    assert house.may_complain("1")


def test_a_message_that_cannot_be_taken_back_blocks_nothing_but_a_ban_does(house: House) -> None:
    house.unremoved(policy_for(FORBIDDEN), FORBIDDEN)
    assert (None, None) == (house.blocked("1"), house.broken)
    house.unremoved(policy_for(BANNED), BANNED)
    assert "banned" == house.broken
