"""Whose character a message of ours is."""

from __future__ import annotations

import pytest

from cadenza.bot.characters.character import Character
from cadenza.bot.speaker_lookup import SpeakerLookup
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.targets.discord_py.history import Voice
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, heard, made, me, says_as

pytestmark = pytest.mark.timeout(60)

CAST = (Character("Cadenza", is_main=True), Character("Ren"), Character("Clyde"))


class Deaf(MemoryStore):
    """A store that has lost its file."""

    async def get(self, namespace: Namespace, key: str, /) -> Record | None:  # noqa: ARG002  # a store is asked so
        """Fail."""
        raise StoreError


async def test_every_way_to_know_a_voice() -> None:
    evening, store = Evening(), MemoryStore()
    async with at_work(evening):
        voices = SpeakerLookup(store, CAST, me(evening))

        async def voice(message: str) -> Voice | None:
            return await voices(await heard(evening, message))

        assert await voice(evening.mia.says(evening.general, "**Ren:** I am Ren")) is None
        assert Voice("Cadenza") == await voice(bot_says(evening, "Hello."))
        assert Voice("Ren", "", 9) == await voice(bot_says(evening, "**Ren:** Hello."))
        assert Voice("Ren", "Ren (mad)", 15) == await voice(bot_says(evening, "**Ren (mad):** Hello."))
        assert Voice("Cadenza") == await voice(bot_says(evening, "**Note:** This is bold."))
        assert Voice("Ren") == await voice(says_as(evening, "Ren", "Hm."))
        assert Voice("Ren", "Ren (mad)") == await voice(says_as(evening, "mad (Ren)", "Hm."))
        assert Voice("Clyde") == await voice(says_as(evening, "\u0421lyde", "Hm."))
        assert Voice("Left") == await voice(says_as(evening, "Left", "Hm."))
        assert await voices(made(evening, "Hm.", webhook_id="700000000000000001")) is None

        row = says_as(evening, "Ren", "Grr.")
        more = says_as(evening, "R\u0435n", "Grrr.")
        gone = says_as(evening, "Old", "Bye.")
        labelled = bot_says(evening, "**Ren:** Grr.")
        await store.put(
            Record(Namespace.SPRITE_MESSAGES, row, {"persona": "ren", "sprite": "mad", "label": "Ren (mad): "}),
            Record(Namespace.SPRITE_MESSAGES, more, {"persona": "Ren", "sprite": "mad"}),
            Record(Namespace.SPRITE_MESSAGES, gone, {"persona": "Old Ren", "label": "Old Ren: "}),
            Record(Namespace.SPRITE_MESSAGES, labelled, {"persona": "Ren", "label": "Ren (sad): "}),
        )
        assert Voice("Ren", "Ren (mad)") == await voice(row)
        assert Voice("Ren") == await voice(more)
        assert Voice("Old Ren") == await voice(gone)
        assert Voice("Ren", "Ren (sad)", 9) == await voice(labelled)

        deaf = SpeakerLookup(Deaf(), (), me(evening))
        assert Voice("Ren") == await deaf(await heard(evening, row))
        assert Voice("Cadenza") == await deaf(await heard(evening, labelled))


async def test_the_bot_speaks_for_the_main_character_whoever_is_first() -> None:
    evening = Evening()
    async with at_work(evening):
        voices = SpeakerLookup(MemoryStore(), (Character("Ren"), Character("Aria", is_main=True)), me(evening))

        assert Voice("Aria") == await voices(await heard(evening, bot_says(evening, "Hello.")))
