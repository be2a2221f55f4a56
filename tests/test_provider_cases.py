"""Cases of the specification, ``[test]`` of its sections 4 and 5, that need a dialect and the shell around it.

The others stand with what they are about: section 3 in ``stages/test_s1_*``, ``providers/test_known_models.py`` (3.13)
and ``providers/test_openai.py`` (3.10 to 3.12); section 4 in ``providers/guards``, ``providers/test_ladder.py`` and
``test_models.py``; section 5 in ``providers/guards``, ``providers/test_openai_decoder.py`` (5.11 to 5.13) and
``providers/test_failures.py`` (5.15 to 5.18).
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing

import pytest

from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.model import Model, stream
from cadenza.models.vendors import codec
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.stages.s3_chunks import NO_PROMPT
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.tool import Tool
from cadenza.types import (
    Chunk,
    Completed,
    Failed,
    Finished,
    HttpRequest,
    Outcome,
    Participant,
    Persona,
    Roster,
    Scene,
    Stalled,
    TextDelta,
    ToolCall,
    ToolSpec,
    Usage,
)
from tests.tiny import Server, sse

pytestmark = pytest.mark.looptime

OPENAI = codec("openrouter", "some/model", key="k")
GOOGLE = codec("google", "gemini-2.5-flash", key="k")
SCENE = Scene("general", Persona("Ren"), roster=Roster(participants=(Participant("Alice"),)))
CALL = {"index": 0, "id": "call_1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
USAGE = {"prompt_tokens": 3, "completion_tokens": 2}


def choice(finish: str | None = None, **delta: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


async def test_4_7_what_was_said_before_a_call_is_delivered_before_it_is_run() -> None:
    target = MemoryTarget()
    seen: list[list[str]] = []

    async def run(given: Mapping[str, object], *_: object) -> str:  # noqa: ARG001  # it takes nothing
        await asyncio.sleep(1)  # long enough for a message
        seen.append(list(target.texts))
        return "done"

    answers = sse(choice(content="abc"), choice("tool_calls", tool_calls=[CALL])), sse(choice("stop", content="Done."))
    tools = {"f": Tool(ToolSpec("f", "", {}), run)}
    settings = Settings.of(degree=1, speaker_guard=True)
    await reply(SCENE, Model(OPENAI, Server(*answers)), target, settings=settings, tools=tools)

    assert ([["abc"]], ["abc", "Done."]) == (seen, target.texts)


async def test_4_9_words_and_a_call_in_one_event_are_two_chunks() -> None:
    event = {**choice("tool_calls", content="Let me see", tool_calls=[CALL]), "usage": USAGE}

    chunks = [chunk async for chunk in stream(Model(OPENAI, Server(sse(event))), NO_PROMPT)]

    call = ToolCall("call_1", "f", "{}")
    assert [TextDelta("Let me see"), call, Usage(3, 2), Finished("tool_calls")] == chunks


@pytest.mark.parametrize(
    ("first", "texts", "outcome"),
    [
        pytest.param((), ["Hello"], Completed("stop"), id="before the first token"),
        pytest.param(("Well.\n",), ["Well."], Stalled(has_begun=True), id="after it"),
    ],
)
async def test_4_19_keepalives_count_for_the_first_token_only(
    first: tuple[str, ...], texts: list[str], outcome: Outcome
) -> None:
    async def slowly(request: HttpRequest) -> AsyncIterator[bytes]:  # noqa: ARG001  # whatever it is asked
        for text in first:
            yield sse(choice(content=text))
        for _ in range(15):
            await asyncio.sleep(0.010)
            yield b": OPENROUTER PROCESSING\n\n"
        yield sse(choice("stop", content="Hello"), b"data: [DONE]\n\n")

    target = MemoryTarget()
    settings = Settings.of(degree=1, first_timeout=1.0, idle_timeout=0.040)
    result = await reply(SCENE, Model(OPENAI, slowly), target, settings=settings)

    assert (texts, outcome) == (target.texts, result.outcome)


async def test_4_20_whoever_leaves_after_the_first_chunk_closes_the_body() -> None:
    server = Server([sse(choice(content=word)) for word in ("a", "b", "c")])

    async with aclosing(stream(Model(OPENAI, server), NO_PROMPT)) as chunks:  # type: ignore[type-var]  # a generator
        async for chunk in chunks:
            assert TextDelta("a") == chunk
            assert 1 == server.open
            break

    assert 0 == server.open


@pytest.mark.parametrize("reason", ["SAFETY", "PROHIBITED_CONTENT"])
async def test_5_14_a_prompt_that_google_blocks_is_a_blocked_one(reason: str) -> None:
    server = Server(sse({"promptFeedback": {"blockReason": reason}}))

    chunks: list[Chunk] = [chunk async for chunk in stream(Model(GOOGLE, server), NO_PROMPT)]

    last = chunks[-1]
    assert isinstance(last, Failed)
    assert isinstance(last.error, ProviderError)
    assert (ErrorKind.CONTENT_BLOCKED, reason, False) == (last.error.kind, last.error.code, last.error.retryable)
