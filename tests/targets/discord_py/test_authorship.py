"""Whose message it is."""

from __future__ import annotations

import pytest

from cadenza.targets.discord.api import Outgoing, WebhookIdentity
from cadenza.targets.discord_py.authorship import is_ours
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)


async def test_ours_is_what_the_bot_and_its_webhooks_say() -> None:
    async with at_work(Evening()) as evening:
        evening.mia.says(evening.general, "Hi.")
        await evening.api.send(evening.general, Outgoing("Hello."))
        webhook = await evening.api.create_webhook(evening.general, "w")
        await evening.api.send_as(webhook, WebhookIdentity("Ren"), Outgoing("I am Ren."))
        theirs = evening.world.create_webhook(evening.mia.id, evening.general, {"name": "news"})
        evening.world.execute_webhook(theirs["id"], theirs["token"], {"content": "News!"})
        channel = evening.client.get_partial_messageable(int(evening.general))

        said = {message.content: is_ours(message) async for message in channel.history()}

    assert {"Hi.": False, "Hello.": True, "I am Ren.": True, "News!": False} == said
