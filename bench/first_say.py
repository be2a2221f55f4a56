"""How long the first ``say`` of a process keeps the event loop busy: part of ``make bench``.

Each round is a process of its own, with discord.py and the simulated Discord, and an answer with a table and a formula.
What counts is the processor time of the loop's thread between two turns of the loop, so that another process on the same
machine does not count.

    python bench/first_say.py [--rounds N]
"""

from __future__ import annotations

import argparse
import asyncio
import subprocess
import sys
import time
from statistics import median

GOAL = 50.0
"""Milliseconds."""
ROUNDS = 5
ANSWER = "Hello there.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n$$x^2$$\n\nBye."


async def longest_turn() -> float:
    """The most milliseconds that one turn of the loop takes while the first reply is delivered."""
    import discord  # noqa: PLC0415  # each is imported as a bot would, before its loop has much to do

    import cadenza  # noqa: PLC0415
    from cadenza.sim import World, serve  # noqa: PLC0415

    world = World()
    mia, account = world.add_person("Mia"), world.add_bot("Foxes")
    guild = world.add_guild("Home", owner=mia, members=[mia, account])
    general = world.add_channel(guild, "general")
    async with serve(world) as server:
        with server.discord_py():
            client = discord.Client(intents=discord.Intents.default(), guild_ready_timeout=0.05)
            async with server.running(client, account.token):
                channel = client.get_channel(int(general))
                assert isinstance(channel, discord.TextChannel)
                replying = asyncio.create_task(cadenza.say(channel, ANSWER))
                longest, last = 0.0, time.thread_time()
                while not replying.done():
                    await asyncio.sleep(0)
                    now = time.thread_time()
                    longest, last = max(longest, now - last), now
    return 1000 * longest


def measured(rounds: int) -> list[float]:
    """The longest turns of *rounds* processes, in milliseconds."""
    command = [sys.executable, __file__, "--once"]
    runs = [
        subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)  # noqa: S603  # our own command
        for _ in range(rounds)
    ]
    return [float(run.stdout) for run in runs]


def main() -> int:
    """Measure, and say whether the goal is met."""
    parser = argparse.ArgumentParser(description="how long the first say keeps the event loop busy")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--once", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.once:
        print(asyncio.run(longest_turn()))
        return 0
    found = median(measured(options.rounds))
    print(f"The first say keeps the event loop busy for {found:.0f} ms at most; the goal is {GOAL:.0f} ms.")
    return 0 if found <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
