"""Characters who call each other."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.bot.config.config import ConversationConfig
from cadenza.types import Prompt
from tests.bot.bot_room import CONFIG, bot_room, parrot


async def test_characters_answer_each_other_only_so_often() -> None:
    def chatty(prompt: Prompt) -> list[str]:
        other = "Miko" if prompt.speaker == "Kira" else "Kira"
        return [f"{other}, what do you say?"]

    async with bot_room(chatty) as room:
        room.mia.says(room.general, "Kira, ask Miko")
        await room.until(room.answers)
        await room.quiet()

        limit = CONFIG.conversation.cascade_limit
        assert ["Kira", "Miko"] == room.names()[:2]
        assert 2 + limit == len(room.names())


async def test_with_no_cascades_nobody_answers_a_character() -> None:
    config = replace(CONFIG, conversation=ConversationConfig(cascade_limit=0))
    async with bot_room(lambda _: ["Miko, what do you say?"], config=config) as room:
        room.mia.says(room.general, "kitty?")
        await room.until(room.answers)
        await room.quiet()

        assert ["Kira"] == room.names()


async def test_one_webhook_serves_all_characters_also_after_a_restart() -> None:
    async with bot_room(parrot) as room:
        room.mia.says(room.general, "Kira and Miko, good morning")
        await room.until(lambda: len(room.answers()) == 2)
        await room.quiet()
    async with bot_room(parrot, before=room) as again:
        again.mia.says(again.general, "kitty?")
        await again.until(lambda: len(again.answers()) == 3)
        await again.quiet()

        assert 1 == len(again.world.channel_webhooks(again.me.id, again.general))
        assert not [call for call in again.server.rest.calls if call.route.startswith("POST /channels/{}/webhooks")]


@pytest.mark.parametrize("word", ["stop", "やめて"])
async def test_whoever_asks_for_silence_has_it_and_nobody_else_begins(word: str) -> None:
    def chatty(prompt: Prompt) -> list[str | float]:
        other = "Miko" if prompt.speaker == "Kira" else "Kira"
        return [f"{other}, what do you say?\n", 0.2, "Well.\n", 0.2, "Hm."]

    async with bot_room(chatty) as room:
        room.mia.says(room.general, "Kira, ask Miko")
        await room.until(lambda: len(room.answers()) >= 4)
        room.mia.says(room.general, word)
        await room.heard()
        await room.quiet()

        # Kira, and Miko until the stop.
        assert ["Kira", "Miko"] == [prompt.speaker for prompt in room.model.prompts]
