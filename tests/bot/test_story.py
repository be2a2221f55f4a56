"""An evening with the bot as a process of its own: two characters and a third, a table, a tool, a stop, a death."""

from __future__ import annotations

import os
import re
from hashlib import md5
from pathlib import Path

from tests.bot.bot_process import STORY, Town, town

GOLDEN = STORY / "transcript.txt"


async def _evening(place: Town) -> None:
    await place.start()
    place.mia.says(place.general, f"{place.mention} good evening")
    await place.quiet(2)
    place.tom.says(place.general, "Kira, when is it best?")
    await place.quiet(4)
    place.mia.says(place.general, f"{place.mention} ask Miko about that")
    await place.quiet(7)
    place.tom.says(place.general, f"{place.mention} and the weather?")
    await place.quiet(9)
    place.mia.says(place.general, f"{place.mention} what do we need?")
    await place.until(lambda: len(place.ours()) == 11)
    place.mia.says(place.general, "shorter please")
    await place.until(lambda: "Bring a blanket." in place.answers())
    await place.quiet(12)


async def _a_stop(place: Town) -> None:
    before = len(place.ours())
    place.tom.says(place.general, f"{place.mention} tell me a story")
    await place.until(lambda: len(place.ours()) == before + 2)
    place.tom.commands(place.general, "stop")
    await place.quiet(before + 2)


async def _a_death(place: Town) -> None:
    before = len(place.ours())
    place.mia.says(place.general, f"{place.mention} tell me another story")
    await place.until(lambda: len(place.ours()) == before + 3)
    await place.kill()
    await place.start()
    await place.until(lambda: "… and that is how the evening ended." in place.answers())
    await place.quiet(before + 4)


def _readable(transcript: str) -> str:
    """*transcript* without what is another each time: ids, and how far a reply had come when it was cut off."""
    shown = re.sub(r"<@\d+>", "@Cadenza", transcript)
    shown = re.sub(r"(?m)^\(.* typing …\)\n?", "", shown)
    return re.sub(r"(?:.*Chapter (?:[3-9]|\d\d)\.\n)+", "", shown).rstrip("\n") + "\n"


async def test_the_evening_reads_as_it_did(tmp_path: Path) -> None:
    async with town(tmp_path, is_command_line=True) as place:
        await _evening(place)
        await _a_stop(place)
        await _a_death(place)
        place.tom.says(place.general, "Kira, when was that again?")
        await place.quiet(len(place.ours()) + 2)
        status = await place.end()
        read = _readable(place.world.transcript(place.general))
        angry = next(one for one in place.ours() if one["content"] == "Nobody asked me!")
        webhooks = place.world.channel_webhooks(place.me.id, place.general)

    if os.environ.get("REWRITE_STORIES"):
        GOLDEN.write_text(read, encoding="utf-8")
    assert GOLDEN.read_text(encoding="utf-8") == read
    assert 0 == status, place.output
    assert 1 == len(webhooks)
    assert md5(b"https://example.org/mad.png", usedforsecurity=False).hexdigest() == angry["author"]["avatar"]
    assert "Traceback" not in place.output
