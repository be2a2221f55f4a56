"""The first reply of a process imports much, and none of it in the thread of the event loop."""

from __future__ import annotations

import subprocess
import sys

import pytest

SCRIPT = """
import asyncio, sys, threading
import discord
import cadenza
from cadenza.sim import World, serve

class Watch:
    on = False
    seen = []

    def find_spec(self, name, path=None, target=None):
        if Watch.on and threading.current_thread() is threading.main_thread():
            Watch.seen.append(name)

async def main():
    world = World()
    mia, account = world.add_person("Mia"), world.add_bot("Foxes")
    guild = world.add_guild("Home", owner=mia, members=[mia, account])
    general = world.add_channel(guild, "general")
    async with serve(world) as server:
        with server.discord_py():
            client = discord.Client(intents=discord.Intents.all(), guild_ready_timeout=0.05)
            async with server.running(client, account.token):
                channel = client.get_channel(int(general))
                model = cadenza.scripted(lambda _: ["Hello."])
                before = set(sys.modules)
                sys.meta_path.insert(0, Watch())
                Watch.on = True
                await cadenza.{call}
                Watch.on = False
                imported = {{name for name in set(sys.modules) - before if name.startswith("cadenza")}}
    print(len(imported) > 50, [name for name in Watch.seen if name not in ALLOWED])

# What is looked for and not imported, what runs a thread, and the door itself.
ALLOWED = {{"PIL", "fontTools", "ziamath", "resvg_py", "concurrent.futures.thread", "queue", "_queue",
           "encodings.utf_16_le", "cadenza.replies.say", "cadenza.concurrency.imports", "cadenza.concurrency", "cadenza.replies",
           "cadenza.errors", "cadenza.replies.places"}}
asyncio.run(main())
"""
CALLS = {
    "a text": 'say(channel, "Hello.")',
    "a table": 'say(channel, "See:\\n\\n| a | b |\\n|---|---|\\n| 1 | 2 |\\n\\n$$x^2$$\\n\\nBye.")',
    "a model": "reply(channel, model)",
}


@pytest.mark.timeout(120)
@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_nothing_is_imported_in_the_thread_of_the_loop(call: str) -> None:
    command = [sys.executable, "-c", SCRIPT.format(call=call)]

    told = subprocess.run(command, capture_output=True, text=True, check=True, timeout=100).stdout

    assert "True []" == told.strip()
