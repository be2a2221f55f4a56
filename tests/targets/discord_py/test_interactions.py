"""Answers to an interaction."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import discord
import pytest

from cadenza.targets.discord.api import ApiError, DiscordApi, Outgoing, PlaceKind, WebhookIdentity
from cadenza.targets.discord_py.interactions import InteractionApi
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

EXECUTE = "POST /webhooks/"


@asynccontextmanager
async def asked() -> AsyncIterator[tuple[Evening, discord.Interaction[Any], InteractionApi]]:
    """Somebody has used a command."""
    async with at_work(Evening()) as evening:
        tree: Any = evening.client.tree

        @tree.command(name="ask", description="Ask.")
        async def ask(interaction: discord.Interaction[Any]) -> None:
            """It is answered by the test."""

        await tree.sync()
        heard = asyncio.create_task(evening.client.wait_for("interaction", timeout=5.0))
        await asyncio.sleep(0)
        evening.mia.commands(evening.general, "ask")
        interaction = await heard
        yield evening, interaction, InteractionApi(evening.api, interaction)


async def refused(asked: Any) -> ApiError:
    with pytest.raises(ApiError) as caught:
        await asked
    return caught.value


async def test_the_first_sign_is_given_once() -> None:
    async with asked() as (evening, _, api):
        fulfilled: DiscordApi = api
        await fulfilled.typing(evening.general)
        await fulfilled.typing(evening.general)

        assert 1 == len(evening.bodies("POST /interactions/"))
        assert evening.bot.id == fulfilled.user


async def test_a_first_sign_that_is_too_late_is_told() -> None:
    async with asked() as (evening, _, api):
        evening.faults.fail("POST /interactions/**", 404, 10062, times=1)

        assert 10062 == (await refused(api.open())).code


async def test_the_same_nonce_is_sent_once() -> None:
    async with asked() as (evening, _, api):
        sent = [await api.send(evening.general, Outgoing("Hi.", nonce="n1")) for _ in range(2)]
        sent.append(await api.send(evening.general, Outgoing("Hi.", nonce="n2")))

        assert ["Hi.", "Hi."] == evening.texts()
        assert [True, False] == [each.message == sent[0].message for each in sent[1:]]


async def test_a_first_answer_that_is_gone_was_for_everybody() -> None:
    async with asked() as (evening, interaction, api):
        await interaction.response.defer(thinking=True)
        evening.faults.fail("GET /webhooks/**", 404, 10008, times=1)

        await api.send(evening.general, Outgoing("Hi."))

        assert ["Hi."] == evening.texts()


@pytest.mark.parametrize("is_carried_out", [True, False])
async def test_what_may_be_there_already_is_looked_for(is_carried_out: bool) -> None:  # noqa: FBT001  # a table
    async with asked() as (evening, _, api):
        await api.open()
        # The gateway has nothing to say of it in time.
        evening.faults.lose("POST /webhooks/*/*", times=1, is_carried_out=False)
        first = await refused(api.send(evening.general, Outgoing("Hi.", nonce="n1")))
        if is_carried_out:
            await evening.api.follow_up(api._interaction, Outgoing("Hi."), channel=evening.general)

        await api.send(evening.general, Outgoing("Hi.", nonce="n1"))

        assert first.is_ambiguous
        assert ["Hi."] == evening.texts()


async def test_what_one_person_sees_is_not_sent_again_if_it_may_be_there() -> None:
    async with asked() as (evening, interaction, api):
        await interaction.response.send_message("Psst:", ephemeral=True)
        evening.faults.lose("POST /webhooks/*/*", times=1, is_carried_out=False)
        errors = [await refused(api.send(evening.general, Outgoing("Hi.", nonce="n1"))) for _ in range(2)]

        assert [True, False] == [error.is_ambiguous for error in errors]
        assert 1 == len(evening.bodies(EXECUTE))


async def test_after_a_quarter_of_an_hour_the_bot_goes_on_by_itself() -> None:
    async with asked() as (evening, _, api):
        await api.send(evening.general, Outgoing("one"))
        evening.faults.fail("POST /webhooks/*/*", 401, 50027)

        await api.send(evening.general, Outgoing("two"))

        assert ["one", "two"] == evening.texts()
        assert 1 == len(evening.bodies("POST /channels/{channel}/messages"))


async def test_after_a_quarter_of_an_hour_nobody_else_hears_what_was_for_one() -> None:
    async with asked() as (evening, interaction, api):
        await interaction.response.defer(ephemeral=True, thinking=True)
        evening.faults.fail("POST /webhooks/*/*", 401, 50027)

        assert 50027 == (await refused(api.send(evening.general, Outgoing("secret")))).code
        assert [] == evening.bodies("POST /channels/{channel}/messages")


async def test_follow_ups_can_be_taken_back_and_counted() -> None:
    async with asked() as (evening, _, api):
        sent = [await api.send(evening.general, Outgoing(text)) for text in ("one", "two", "three")]
        await evening.api.close()
        bucket = api.bucket(evening.general)
        read = [seen.content for seen in await api.recent(evening.general)]

        await api.delete(evening.general, sent[0].message)
        await api.delete_many(evening.general, tuple(each.message for each in sent[1:]))

        assert ["one", "two", "three"] == read
        assert [] == evening.texts()
        assert bucket is not None
        assert (5, 2) == (bucket.limit, bucket.left)


async def test_an_interaction_is_a_place_without_webhooks() -> None:
    async with asked() as (evening, _, api):
        place = await api.find(evening.general)

        assert (PlaceKind.DIRECT, evening.guild.id, None) == (place.kind, place.guild, place.webhook_channel)


async def test_what_was_said_through_a_webhook_before_can_still_be_taken_back() -> None:
    async with asked() as (evening, _, api):
        webhook = await api.create_webhook(evening.general, "w")
        await api.set_avatar(webhook, None, patience=1.0)
        sent = await api.send_as(webhook, WebhookIdentity("Ren"), Outgoing("Hi."))

        assert [webhook.id] == [each.id for each in await api.webhooks(evening.general)]
        assert webhook.id == (await api.webhook(webhook.id, webhook.token)).id
        await api.delete_as(webhook, sent.message)

        assert [] == evening.texts()
