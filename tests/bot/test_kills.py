"""A bot that is killed again and again in the middle of what it says."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path
from random import Random

import pytest

from cadenza.bot.store.sqlite import SqliteStore
from cadenza.bot.store.store import Namespace
from tests.bot.bot_process import PATIENCE, Town, town

pytestmark = pytest.mark.timeout(300)

TURNS = 50
KILLS = 10

MODEL = '''
import re

def answer(prompt):
    """Says three numbered lines about the number that was asked for; Kira says hers under her own name."""
    told = "\\n".join(turn.text for turn in prompt.turns[-3:])
    if "where it ended" in told:
        yield "(and so on)"
        return
    number = re.findall(r"question (\\d+)", told)[-1]
    for part in "abc":
        yield f"Answer {number}{part} by {prompt.speaker}.\\n"
        yield 0.02
'''


async def _talk(place: Town, dice: Random, stop_at: list[int]) -> None:
    for number in range(TURNS):
        if place.process is None:
            await place.start()
        who = place.mia if number % 2 else place.tom
        called = "Kira," if number % 7 == 0 else place.mention
        is_heard = asyncio.Event()
        stop_listening = place.world.listen(
            lambda event, is_heard=is_heard: is_heard.set() if event.name == "TYPING_START" else None
        )
        who.says(place.general, f"{called} question {number}?")
        if number in stop_at:
            async with asyncio.timeout(PATIENCE):  # what it never heard of, it cannot know of after its death
                await is_heard.wait()
            await asyncio.sleep(dice.uniform(0.0, 0.12))
            await place.kill()
            await place.start()
        await place.until(lambda number=number: _is_answered(place, number))
        stop_listening()


def _is_answered(place: Town, number: int) -> bool:
    """Whether a question has its whole answer, or one that was finished or marked after a death."""
    said = "\n".join(place.answers())
    parts = list(re.finditer(rf"Answer {number}[abc] ", said))
    if len(parts) >= 3 or not parts:
        return bool(parts)
    rest = said[parts[-1].end() :]
    return "and so on" in rest or "restarted" in rest


async def test_nothing_is_said_twice_and_nothing_is_forgotten(tmp_path: Path) -> None:
    dice = Random(7)
    async with town(tmp_path) as place:
        (tmp_path / "model.py").write_text(MODEL, encoding="utf-8")
        await place.start()
        await _settings(place)
        await _talk(place, dice, sorted(dice.sample(range(TURNS), KILLS)))
        status = await place.end()
        said = Counter(re.findall(r"Answer \d+[abc]", "\n".join(place.answers())))
        webhooks = place.world.channel_webhooks(place.me.id, place.general)

    assert {} == {text: count for text, count in said.items() if count > 1}
    assert TURNS == len({text[:-1] for text in said})
    assert 1 == len(webhooks)
    assert 0 == status
    async with SqliteStore(str(tmp_path / "cadenza.db")) as store:
        kept = await store.get(Namespace.CHANNELS, place.general)
        assert kept is not None
        assert {"degree": 1} == kept.value["settings"]
        assert [] == await store.find(Namespace.TURNS)
        assert 1 == len([note for note in await store.find(Namespace.NOTES) if "owls" in str(note.value)])
        assert await store.find(Namespace.SHORT_TERM)


async def _settings(place: Town) -> None:
    """What must outlive every death."""
    place.mia.commands(place.general, "config set", name="degree", value="1", where="channel")
    place.mia.commands(place.general, "memory note", text="I like owls")
    await place.quiet(2)
