"""The doors, for who has no discord.py; whoever has it is met in tests/bot."""

from __future__ import annotations

import subprocess
import sys

import pytest

import cadenza
from cadenza.errors import InputError
from cadenza.replies.say import say
from cadenza.replies.speaker import Speaker
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Completed

pytestmark = pytest.mark.looptime


async def test_any_target_can_be_spoken_to() -> None:
    target = MemoryTarget()

    said = await say(target, "Hello. It is good to see you.\n\nHow are you?")

    assert isinstance(said.outcome, Completed)
    assert ["Hello. It is good to see you.", "How are you?"] == target.texts


async def test_what_is_no_place_is_refused_in_one_sentence() -> None:
    with pytest.raises(InputError, match="str is not a channel; pass the channel"):
        await say("general", "Hello.")
    with pytest.raises(InputError, match="NoneType is not a channel; pass the channel"):
        await Speaker().say(None, "Hello.")
    with pytest.raises(InputError, match="not MemoryTarget; use say"):
        await Speaker().say(MemoryTarget(), "Hello.")
    with pytest.raises(InputError, match="not MemoryTarget; use say"):
        await Speaker().target(MemoryTarget())


def test_a_speaker_needs_a_client_of_discord_py() -> None:
    with pytest.raises(InputError, match=r"a discord\.py client, not str"):
        Speaker("a token")


async def test_a_speaker_that_said_nothing_has_nothing_to_wait_for() -> None:
    async with Speaker() as speaker:
        await speaker.close()


def test_the_doors_are_the_public_ones() -> None:
    assert (say, Speaker) == (cadenza.say, cadenza.Speaker)


def test_no_door_needs_discord_py() -> None:
    script = (
        "import sys; sys.modules['discord'] = None\n"
        "import asyncio, cadenza\n"
        "target = cadenza.MemoryTarget()\n"
        "asyncio.run(cadenza.say(target, 'Hello.'))\n"
        "cadenza.Speaker()\n"
        "print(target.texts, 'aiohttp' in sys.modules)"
    )

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert "['Hello.'] False" == result.stdout.strip()
