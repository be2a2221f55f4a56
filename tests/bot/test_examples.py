"""The bots among the examples, as people run them: each a process of its own, here on a Discord of our own."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from asyncio.subprocess import PIPE
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from pathlib import Path

import pytest

from cadenza.sim.rate_limits import RateLimits
from cadenza.sim.server import Server, serve
from tests.bot.evening import Evening
from tests.loopback import Answer, serving

pytestmark = pytest.mark.timeout(60)

EXAMPLES = Path(__file__).parent.parent.parent / "examples"
SECONDS = 30.0
RUN = """
import runpy, sys
from cadenza.sim.clients import discord_py
with discord_py(*sys.argv[1:4]):
    runpy.run_path(sys.argv[4], run_name="__main__")
"""


@asynccontextmanager
async def bot(evening: Evening, example: str, environment: Mapping[str, str]) -> AsyncIterator[Server]:
    """Have the bot *example* logged in."""
    async with serve(evening.world, limits=RateLimits.off()) as server:
        addresses = (server.url, server.gateway_url, server.cdn_url)
        path = os.pathsep.join(sys.path)
        process = await asyncio.create_subprocess_exec(
            *(sys.executable, "-W", "ignore", "-c", RUN, *addresses, str(EXAMPLES / f"{example}.py")),
            env={**os.environ, "PYTHONPATH": path, "DISCORD_TOKEN": "sim-token", **environment},
            stderr=PIPE,
        )
        assert process.stderr is not None
        try:
            async with asyncio.timeout(SECONDS):
                log = b""
                while b"has connected to Gateway" not in log:
                    line = await process.stderr.readline()
                    assert line, log.decode()
                    log += line
            yield server
        finally:
            with suppress(ProcessLookupError):
                process.terminate()
            await process.communicate()


async def test_the_bot_with_openai_s_client_answers_who_mentions_it() -> None:
    evening = Evening()
    chunks = [{"choices": [{"index": 0, "delta": {"content": text}}]} for text in ("Hello, ", "Mia.\n\n", "Fine day.")]
    body = "".join(f"data: {json.dumps({'id': '1', 'object': 'chat.completion.chunk', **each})}\n\n" for each in chunks)
    async with serving(Answer((body.encode() + b"data: [DONE]\n\n",))) as openai:
        environment = {"OPENAI_API_KEY": "k", "OPENAI_BASE_URL": openai.url + "/v1"}
        async with bot(evening, "discord_openai", environment) as server:
            evening.mia.says(evening.general, "Nobody is asked.")
            evening.mia.says(evening.general, f"<@{evening.bot.id}> hi!")
            await server.until(lambda: "Fine day." in evening.texts()[-1], within=SECONDS)

    assert "Hello, Mia. Fine day." == " ".join(" ".join(evening.texts()[2:]).split())
    assert 1 == len(openai.asked)


async def test_the_bot_with_an_agent_of_pydantic_ai_answers_its_command() -> None:
    evening = Evening()
    async with bot(evening, "discord_pydantic_ai", {"MODEL": "test"}) as server:
        evening.mia.says(evening.general, "!ask Will you roll?")
        await server.until(lambda: len(evening.texts()) == 2, within=SECONDS)

    assert "roll" in evening.texts()[1]


async def test_the_bot_with_a_model_of_this_machine_answers_its_slash_command(tmp_path: Path) -> None:
    evening, script = Evening(), tmp_path / "fox.jsonl"
    script.write_text('{"text": "Look up:\\n\\n"}\n{"text": "there is Vega."}\n', encoding="utf-8")
    async with bot(evening, "discord_local", {"MODEL": f"script:{script}"}) as server:
        evening.mia.commands(evening.general, "ask", question="What do you see?")
        await server.until(lambda: "Vega." in "".join(evening.texts()), within=SECONDS)

    assert "Look up: there is Vega." == " ".join(" ".join(evening.texts()).split())
