"""What is refused at run time is refused by a type checker, and what works is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

HEAD = """
from collections.abc import AsyncIterator
import discord
from discord.ext import commands
import cadenza
from cadenza import Line, MemoryTarget, Persona, Scene, Settings, Speaker, connect, scripted

async def answers(
    channel: discord.TextChannel, thread: discord.Thread, message: discord.Message, user: discord.User,
    member: discord.Member, context: commands.Context[commands.Bot], interaction: discord.Interaction,
    stream: AsyncIterator[str], scene: Scene, target: MemoryTarget, forum: discord.ForumChannel, client: discord.Client,
) -> None:
    model = scripted(lambda prompt: ["Hello."])
"""
RIGHT = [
    "for place in (channel, thread, message, user, member, context, interaction): await cadenza.say(place, stream)",
    'await cadenza.say(target, "Hello.", settings=Settings.of(shape="lines", gather=500, delivery={"degree": 1}))',
    'await cadenza.say(message, ["Hel", "lo."], queue=False)',
    "await cadenza.reply(message, model, tools=[len], history=5, persona=Persona('Ren'))",
    "await cadenza.reply(scene, [model, model], channel)",
    "await cadenza.reply(scene, model, target)",
    "await Speaker(client).say(channel, stream)",
    "print([line.text for line in await cadenza.history(message, limit=5, chain=True)])",
    "print((await cadenza.whole_answer(message) or '').upper())",
]
WRONG = [
    "await cadenza.say('general', stream)",
    "await cadenza.say(123456789, stream)",
    "await cadenza.say(None, stream)",
    "await cadenza.say(forum, stream)",
    "await cadenza.say(client, stream)",
    "await cadenza.say(channel, 5)",
    "await cadenza.say(channel, None)",
    "await cadenza.say(channel, len)",
    "await cadenza.say(channel, stream, settings={'shape': 'lines'})",
    "await cadenza.say(channel, stream, scene='hill')",
    "await cadenza.say(channel, stream, stop=True)",
    "await cadenza.reply(message, 'openai:gpt-5.1')",
    "await cadenza.reply(message, model, persona='Ren')",
    "await cadenza.reply(message, model, tools=5)",
    "await cadenza.reply('hello', model)",
    "await cadenza.reply(scene, model)",
    "await cadenza.reply(scene, model, target, persona=Persona('Ren'))",
    "await cadenza.reply(target, model)",
    "Speaker('a token')",
    "Speaker(client, persona='Ren')",
    "await Speaker(client).say(target, stream)",
    "Scene('hill', 'Ren')",
    "Scene('hill', Persona('Ren'), history=({'role': 'user', 'content': 'Hello?'},))",
    "await cadenza.history('general')",
    "Settings.of(shape='line')",
    "Settings.of(gather='many')",
    "Settings.of(degre=1)",
    "Settings.of(rules_off='mentions')",
]


@pytest.mark.timeout(300)
def test_a_type_checker_refuses_what_is_refused_at_run_time(tmp_path: Path) -> None:
    script = tmp_path / "calls.py"
    body = "\n".join(f"    {line}" for line in (*RIGHT, *WRONG))
    script.write_text(HEAD + body + "\n", encoding="utf-8")
    first = HEAD.count("\n") + 1

    command = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary", "--hide-error-context", str(script)]
    told = subprocess.run(command, capture_output=True, text=True, check=False, timeout=280, cwd=tmp_path).stdout
    refused = {int(line.split(":")[1]) - first for line in told.splitlines() if ": error:" in line}

    lines = [*RIGHT, *WRONG]
    assert (set(range(len(RIGHT), len(lines))), lines) == (refused, lines), told
