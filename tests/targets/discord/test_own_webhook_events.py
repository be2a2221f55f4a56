"""The news of our own changes: heard once each, and told from the news of others. All in virtual time."""

from __future__ import annotations

import asyncio
from contextlib import suppress

import pytest

from cadenza.targets.discord.api import ApiError
from cadenza.targets.discord.own_webhook_events import OwnWebhookEvents

pytestmark = pytest.mark.looptime


async def test_what_nobody_expects_is_of_others() -> None:
    assert not OwnWebhookEvents().heard("1")


async def test_each_change_of_ours_is_heard_of_once_and_only_in_its_channel() -> None:
    echoes = OwnWebhookEvents()
    for _ in range(2):
        with echoes.expected("1"):
            pass

    assert [False, True, True, False] == [echoes.heard(channel) for channel in ("2", "1", "1", "1")]


async def test_the_news_may_come_before_the_answer() -> None:
    echoes = OwnWebhookEvents()

    with echoes.expected("1"):
        await asyncio.sleep(60)
        during = echoes.heard("1")

    assert [True, False] == [during, echoes.heard("1")]


async def test_late_news_are_of_others() -> None:
    echoes = OwnWebhookEvents()
    with echoes.expected("1"):
        pass
    with echoes.expected("2"):
        pass

    await asyncio.sleep(4.5)
    in_time = echoes.heard("1")
    await asyncio.sleep(1.0)

    assert [True, False] == [in_time, echoes.heard("2")]


async def test_of_what_fails_nothing_is_expected() -> None:
    echoes = OwnWebhookEvents()

    with echoes.expected("1"), suppress(ApiError), echoes.expected("1"):
        raise ApiError("refused")  # noqa: EM101  # nobody reads it

    assert [True, False] == [echoes.heard("1"), echoes.heard("1")]


async def test_where_nobody_listens_nothing_piles_up() -> None:
    echoes = OwnWebhookEvents()
    for number in range(50):
        with echoes.expected(str(number % 5)):
            pass
        await asyncio.sleep(10)

    assert 1 == sum(len(expected) for expected in echoes._expected.values())  # nothing else shows it
