"""One client reads one stream, and says what that cost it: run by ``providers.py``, each in a process of its own.

python bench/clients.py CLIENT ADDRESS EVENTS PAUSE     prints JSON
"""

from __future__ import annotations

import asyncio
import json
import resource
import sys
import time
from collections.abc import AsyncIterator, Callable

WARM_UP = 300
"""Events of the stream that is read before the one that counts."""
TOKEN = 4
"""Characters of an event, about."""
EARLY = 0.1
"""The part of the stream after which the memory is looked at for the first time."""

Reader = Callable[[str], AsyncIterator[str]]

ASKED = "Tell me a story."


async def cadenza_chunks(base: str, codec_name: str) -> AsyncIterator[str]:
    """Our stages 1 to 3: chunks, as a round would get them."""
    from cadenza.models.http import Http  # noqa: PLC0415  # each process imports its own client only
    from cadenza.models.model import Model, stream  # noqa: PLC0415
    from cadenza.models.vendors import codec  # noqa: PLC0415
    from cadenza.types import Prompt, PromptTurn, Role, TextDelta  # noqa: PLC0415

    prompt = Prompt("", (PromptTurn.said(Role.USER, ASKED),))
    async with Http() as http:
        model = Model(codec(codec_name, "model", key="key", url=base), http.transport(private=True))
        async for chunk in stream(model, prompt):
            if type(chunk) is TextDelta:
                yield chunk.text


def cadenza_openai(base: str) -> AsyncIterator[str]:
    """Cadenza on a chat completion."""
    return cadenza_chunks(f"{base}/v1", "openai")


def cadenza_plain(base: str) -> AsyncIterator[str]:
    """Cadenza on a chat completion, with aiohttp's handler as it is: what our override of it saves."""
    from aiohttp.client_proto import ResponseHandler  # noqa: PLC0415

    from cadenza.models import http  # noqa: PLC0415

    http._CheapHandler = ResponseHandler  # type: ignore[misc,assignment]  # noqa: SLF001  # in this process only
    return cadenza_openai(base)


def cadenza_anthropic(base: str) -> AsyncIterator[str]:
    """Cadenza on a message."""
    return cadenza_chunks(base, "anthropic")


def cadenza_google(base: str) -> AsyncIterator[str]:
    """Cadenza on generated content."""
    return cadenza_chunks(f"{base}/v1beta", "google")


async def cadenza_messages(base: str) -> AsyncIterator[str]:
    """All seven stages: from bytes to messages in memory."""
    from cadenza import MemoryTarget, Model, Persona, Scene, Settings, reply  # noqa: PLC0415
    from cadenza.models.http import Http  # noqa: PLC0415
    from cadenza.models.vendors import codec  # noqa: PLC0415

    target = MemoryTarget()
    async with Http() as http:
        model = Model(codec("openai", "model", key="key", url=f"{base}/v1"), http.transport(private=True))
        await reply(Scene("bench", Persona("")), model, target, settings=Settings.of(degree=1, flood_limit=1_000_000))
    for text in target.texts:
        yield text


async def openai_sdk(base: str) -> AsyncIterator[str]:
    """OpenAI's own client."""
    from openai import AsyncOpenAI  # noqa: PLC0415

    async with AsyncOpenAI(api_key="key", base_url=f"{base}/v1", max_retries=0) as client:
        events = await client.chat.completions.create(
            model="model",
            messages=[{"role": "user", "content": ASKED}],
            stream=True,
            stream_options={"include_usage": True},
        )
        async for event in events:
            if event.choices and (text := event.choices[0].delta.content):
                yield text


async def anthropic_sdk(base: str) -> AsyncIterator[str]:
    """Anthropic's own client, its raw events: the cheaper of its two ways."""
    from anthropic import AsyncAnthropic  # noqa: PLC0415

    async with AsyncAnthropic(api_key="key", base_url=base, max_retries=0) as client:
        events = await client.messages.create(
            model="model", max_tokens=1000, messages=[{"role": "user", "content": ASKED}], stream=True
        )
        async for event in events:
            if event.type == "content_block_delta" and event.delta.type == "text_delta":
                yield event.delta.text


async def google_sdk(base: str) -> AsyncIterator[str]:
    """Google's own client."""
    from google import genai  # noqa: PLC0415
    from google.genai.types import HttpOptions  # noqa: PLC0415

    client = genai.Client(api_key="key", http_options=HttpOptions(base_url=base))
    events = await client.aio.models.generate_content_stream(model="model", contents=ASKED)
    async for event in events:
        if event.text:
            yield event.text
    await client.aio.aclose()


CLIENTS: dict[str, tuple[str, Reader]] = {
    "cadenza": ("openai", cadenza_openai),
    "cadenza, plain aiohttp": ("openai", cadenza_plain),
    "cadenza, to messages": ("openai", cadenza_messages),
    "openai SDK": ("openai", openai_sdk),
    "cadenza, Anthropic": ("anthropic", cadenza_anthropic),
    "anthropic SDK": ("anthropic", anthropic_sdk),
    "cadenza, Gemini": ("google", cadenza_google),
    "google-genai": ("google", google_sdk),
}
"""Each client: which interface it reads, and how."""


async def _read(reader: Reader, base: str, events: int) -> dict[str, float]:
    characters = early = 0
    start = time.process_time()
    async for text in reader(base):
        characters += len(text)
        if not early and characters >= events * TOKEN * EARLY:
            early = _peak_kb()
    return {"cpu": time.process_time() - start, "characters": characters, "early_kb": early, "peak_kb": _peak_kb()}


def _peak_kb() -> int:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def run(name: str, address: str, events: int, pause: int) -> dict[str, float]:
    """Let the client *name* read *events* events; the seconds of CPU that this process needed for it."""
    interface, reader = CLIENTS[name]

    async def both() -> dict[str, float]:
        await _read(reader, f"{address}/{interface}/{WARM_UP}/0", WARM_UP)
        return await _read(reader, f"{address}/{interface}/{events}/{pause}", events)

    return asyncio.run(both())


if __name__ == "__main__":
    _, which, where, count, wait = sys.argv
    print(json.dumps(run(which, where, int(count), int(wait))))
