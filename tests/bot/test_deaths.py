"""A bot that is killed at the very moment when it hurts most, and the one that comes after it."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import count
from pathlib import Path

import pytest

from cadenza.sim.state import GatewayEvent
from tests.bot.bot_process import PATIENCE, STORY, Town, town

pytestmark = pytest.mark.timeout(180)

MODEL = '''
import re

def answer(prompt):
    """Says what it is asked to, a line a message; Ren calls Kira if he is to."""
    told = "\\n".join(turn.text for turn in prompt.turns)
    if "where it ended" in told:
        yield "(and so on)"
        return
    words = re.findall(r"say ([a-z, ]+)!", told)[-1].split(", ")
    if prompt.speaker == "Kira":
        words = ["purr", "meow"]
    for number, word in enumerate(words):
        if word == "wait":
            yield 60.0  # for as long as anybody could need to end it
            continue
        yield ("\\n" if number else "") + word
        yield 0.02
'''


def dies_at(place: Town, is_moment: Callable[[GatewayEvent], bool]) -> None:
    """Have the bot killed as soon as something happens in the world, before it can hear of it."""

    def hear(event: GatewayEvent) -> None:
        if is_moment(event):
            stop()
            assert place.process is not None
            place.process.kill()

    stop = place.world.listen(hear)


def says(text: str) -> Callable[[GatewayEvent], bool]:
    return lambda event: event.name == "MESSAGE_CREATE" and event.data["content"] == text


@asynccontextmanager
async def quick_town(folder: Path, *, grace: float | None = None) -> AsyncIterator[Town]:
    """A town with the model of this file; in the end the bot ends as it should, and has left nothing undone."""
    async with town(folder) as place:
        if grace is not None:
            patient_for(place, grace)
        (folder / "model.py").write_text(MODEL, encoding="utf-8")
        await place.start()
        yield place
        assert 0 == await place.end()
        assert [] == place.undone()


def patient_for(place: Town, seconds: float) -> None:
    """From its next start on, have the bot wait for replies under way at its end for no longer than this."""
    config = (STORY / "cadenza.toml").read_text(encoding="utf-8") + f"shutdown_grace = {seconds}\n"
    (place.folder / "cadenza.toml").write_text(config, encoding="utf-8")


def said(place: Town) -> list[str]:
    """What the bot said in the channel, without what only one sees."""
    return [one["content"] for one in place.ours() if not one.get("flags", 0) & 64]


def boxes(place: Town) -> list[str]:
    return [embed["description"] for one in place.ours() for embed in one["embeds"]]


async def comes_back(place: Town) -> None:
    assert place.process is not None
    async with asyncio.timeout(PATIENCE):
        await place.process.wait()
    await place.start()


async def test_half_an_answer_is_told_from_a_whole_one(tmp_path: Path) -> None:
    async with quick_town(tmp_path) as place:
        for words, moment in (("one, two", "two"), ("only", "only"), ("three, four", "three")):
            dies_at(place, says(moment))
            place.mia.says(place.general, f"{place.mention} say {words}!")
            await comes_back(place)
            await place.quiet(1)

        assert ["one", "two", "only", "three", "(and so on)"] == place.answers()


async def test_commands_are_seen_to_after_a_death_as_well(tmp_path: Path) -> None:
    async with quick_town(tmp_path) as place:
        place.mia.says(place.general, f"{place.mention} say one, two!")
        await place.quiet(2)
        # The old answer is gone, and the new one not there.
        gone = count(1)
        dies_at(place, lambda event: event.name == "MESSAGE_DELETE" and next(gone) == 2)
        place.mia.commands(place.general, "regenerate")
        await comes_back(place)
        await place.quiet(2)
        assert ["one", "two"] == said(place)

        dies_at(place, lambda event: event.name == "TYPING_START")
        place.mia.commands(place.general, "continue")
        await comes_back(place)
        await place.quiet(3)
        assert ["one", "two", "(and so on)"] == said(place)


async def test_whoever_waits_is_answered_however_often_it_dies(tmp_path: Path) -> None:
    async with quick_town(tmp_path) as place:
        dies_at(place, says("one"))
        place.mia.says(place.general, f"{place.mention} say one, two!")
        place.tom.says(place.general, f"{place.mention} Kira, say three, four!")
        await comes_back(place)
        await place.kill()  # while it sees to what was left
        await comes_back(place)
        await place.quiet(6)
        assert ["one", "(and so on)", "three", "four", "purr", "meow"] == [text for text in place.answers() if text]

        # Of a character that answers another, half was said.
        before = len(place.ours())
        dies_at(place, says("purr"))
        place.mia.says(place.general, f"{place.mention} say hey kira!")
        await comes_back(place)
        await place.quiet(before + 3)
        assert ["hey kira", "purr", "(and so on)"] == place.answers()[before:]
        assert 1 == len(place.world.channel_webhooks(place.me.id, place.general))


async def test_who_was_told_of_the_end_is_not_told_to_ask_again_after_it(tmp_path: Path) -> None:
    async with quick_town(tmp_path, grace=0.1) as place:
        place.mia.says(place.general, f"{place.mention} say one, and, wait, two!")
        await place.until(lambda: "one" in place.answers())
        assert 0 == await place.end()
        assert ["The reply was cut off by a restart; ask again in a moment."] == boxes(place)
        patient_for(place, 60.0)
        await place.start()
        await place.until(lambda: "(and so on)" in place.answers())
        await place.quiet(2)
        assert ([], "one", "(and so on)") == (boxes(place), place.answers()[0], place.answers()[-1])

        # Whoever cannot wait for the end is obeyed at once, and what was being said is known to be unfinished.
        place.mia.says(place.general, f"{place.mention} say three, and, wait, four!")
        await place.until(lambda: "three" in place.answers())
        assert place.process is not None
        before = place.output.count("stopping")
        place.process.send_signal(signal.SIGTERM)
        await place.look(lambda: place.output.count("stopping") > before)
        place.process.send_signal(signal.SIGTERM)
        async with asyncio.timeout(PATIENCE):
            assert 130 == await place.process.wait()
        assert "Traceback" not in place.output
        patient_for(place, 0.1)
        await place.start()
        await place.until(lambda: place.answers()[-1] == "(and so on)")
        assert 0 == place.answers().count("four")
        await place.quiet(0)

        # Who has heard everything is not told to ask again, although the answer to the last message was still awaited.
        before = len(place.ours())
        slow = place.server.faults.delay("POST /channels/*/messages", 1.0, times=1)
        place.mia.says(place.general, f"{place.mention} say only!")
        await place.look(lambda: slow.struck)  # it is being sent
        assert 0 == await place.end()
        assert (["only"], []) == (said(place)[before:], boxes(place))
        await place.start()
        place.mia.says(place.general, f"{place.mention} say more!")
        await place.quiet(before + 2)
        assert ["only", "more"] == said(place)[before:]


TOOLED = '''
from cadenza.types import Role, ToolCall

def answer(prompt):
    """Asks a tool that takes its time, and says what it said."""
    if "where it ended" in str(prompt.turns):
        yield "(and so on)"
    elif prompt.turns[-1].role is Role.TOOL:
        yield f"It says: {prompt.turns[-1].text}."
    else:
        yield "I ask.\\n" if "aloud!" in prompt.turns[-1].text[-10:] else ""
        yield ToolCall("1", "ring", "{}")
'''
BELL = '''
import asyncio
from pathlib import Path

async def ring() -> str:
    """Ring the bell."""
    with Path("rung").open("a") as book:
        book.write("x")
    if Path("rung").stat().st_size < 3:
        await asyncio.sleep(60)  # whoever waits for this dies
    return "ding"
'''


async def test_what_dies_while_a_tool_runs_says_nothing_twice(tmp_path: Path) -> None:
    (tmp_path / "rung").touch()
    async with town(tmp_path) as place:
        (tmp_path / "model.py").write_text(TOOLED, encoding="utf-8")
        (tmp_path / "tools.py").write_text(BELL, encoding="utf-8")
        await place.start()
        for rung, manner in enumerate(("aloud", "in silence"), 1):
            place.mia.says(place.general, f"{place.mention} ask {manner}!")
            await place.look(lambda rung=rung: (tmp_path / "rung").stat().st_size >= rung)
            if manner == "aloud":
                await place.until(lambda: "I ask." in place.answers())
            await place.kill()
            await place.start()
            await place.quiet(rung + 1)

        assert 0 == await place.end()
        assert [] == place.undone()
        assert ["I ask.", "(and so on)", "It says: ding."] == place.answers()
        assert "xxx" == (tmp_path / "rung").read_text(encoding="utf-8")
