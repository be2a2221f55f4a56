"""What the reference gets wrong on a model's side, by the number in its list of defects, and what Cadenza does instead.

The numbers stand in section 12 of the specification of stages 1 to 4. What is said goes through ``say`` or ``reply`` as
a whole, however it was sliced. Defects of one dialect stand here too, once there is the dialect: B20 to B26, B30, B31
and B40 to B42 are still to be added.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest

from cadenza.errors import ErrorKind, HttpError, ProviderError
from cadenza.models import Model
from cadenza.providers.failures import failure, refused, reported
from cadenza.replies import reply, say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.tools import Tool
from cadenza.types import (
    Completed,
    Failed,
    Finished,
    Outcome,
    Participant,
    Persona,
    Roster,
    Scene,
    Stopped,
    StopReason,
    TextDelta,
    ToolSpec,
)
from tests.helpers import same_every_way
from tests.tiny import CORE, Server, TinyCodec, heard, refusal, sse

SCENE = Scene("general", Persona("Ren"), roster=Roster(participants=(Participant("Alice"),)))


def delivered(pieces: list[str], **settings: Any) -> tuple[list[str], list[str], Outcome]:
    """The messages, the thoughts and the outcome of a stream of *pieces*."""
    target = MemoryTarget()
    values = {"degree": 1, **settings}
    result = asyncio.run(say(target, pieces, scene=SCENE, settings=Settings.of(**values)))
    return target.texts, list(result.thoughts), result.outcome


def said(text: str, **settings: Any) -> list[str]:
    """The messages that *text* becomes, however it is sliced; it must be all of it, and nothing else."""
    messages, thoughts, outcome = same_every_way(text, lambda pieces: delivered(pieces, **settings))
    assert ([], Completed("end_of_stream")) == (thoughts, outcome)
    return messages


# --- what a model says ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("chunks", "expected"),
    [
        (["hahahaha", "hahahaha"], ["hahahahahahahaha"]),
        (["ha ha ha ", "ha ha ha "], ["ha ha ha ha ha ha"]),
        (["I will check the weather", " the weather for you"], ["I will check the weather the weather for you"]),
        (["abcdefgh", "abcdefghij"], ["abcdefghabcdefghij"]),
    ],
)
def test_b1_what_is_repeated_is_said_twice(chunks: list[str], expected: list[str]) -> None:
    assert expected == delivered(chunks)[0]


@pytest.mark.parametrize("text", ["I love it >_<", "I <", "I <3", "a <word", "x </thi", "so <think", "1 < 2"])
def test_b2_a_last_angle_bracket_is_said(text: str) -> None:
    assert [text] == said(text)


GUARDED = {"speaker_guard": True}


@pytest.mark.parametrize(
    "text",
    [
        "see\nhttps://x.y is good",
        "time\n12:30 now",
        "Steps:\nFirst: do this\nThen: do that",
        "well\nNote: it is late",
        "- a: b\n- c: d",
    ],
)
def test_b4_not_every_colon_is_somebody_speaking(text: str) -> None:
    assert text.split("\n") == "\n".join(said(text, **GUARDED)).split("\n")


def test_b5_a_name_in_long_code_is_code() -> None:
    text = "```yaml\n" + "key: value\n" * 12 + "Alice: admin\nUser: me\n```\nDone."

    assert text == "\n".join(said(text, **GUARDED))


def test_b5_a_name_that_is_long_and_cut_is_still_a_name() -> None:
    name = "Alexandria of the Seven Hundred Sunlit Terraces"
    scene = Scene("general", Persona("Ren"), roster=Roster(participants=(Participant(name),)))
    target, text = MemoryTarget(), f"Fine by me, all of it.\n{name}: I agree"

    result = asyncio.run(say(target, list(text), scene=scene, settings=Settings.of(degree=1, speaker_guard=True)))

    assert (["Fine by me, all of it."], Stopped(StopReason.SPEAKER_GUARD)) == (target.texts, result.outcome)


@pytest.mark.parametrize("text", ["Sure, here you go.\nAlice: thanks", "Sure, here you go.\nUser: thanks"])
def test_b6_the_end_by_the_guard_is_told_apart_from_the_models_own(text: str) -> None:
    messages, _, outcome = same_every_way(text, lambda pieces: delivered(pieces, **GUARDED))

    assert (["Sure, here you go."], Stopped(StopReason.SPEAKER_GUARD)) == (messages, outcome)


# --- asking again ---------------------------------------------------------------------------------------

SAMPLING = {"temperature": 1, "top_p": 1, "stop": ["x"]}
HELLO = sse({"text": "Hello"}, {"end": "stop"})


async def test_b10_an_empty_message_in_json_is_a_generic_one() -> None:
    server = Server(
        HttpError(400, {}, b'{"error": {"message": "Bad Request", "type": "bad_request", "code": 400}}'), HELLO
    )

    assert [TextDelta("Hello"), Finished("stop")] == await heard(
        codec=TinyCodec({**CORE, **SAMPLING}), transport=server
    )


@pytest.mark.parametrize("message", ["Please stop it", "The temperature here is too high", "Overloaded, stop retrying"])
async def test_b10_a_common_word_in_an_error_costs_no_request(message: str) -> None:
    server = Server(refusal(400, message))

    await heard(codec=TinyCodec({**CORE, **SAMPLING}), transport=server)

    assert 1 == len(server.asked)


@pytest.mark.looptime
async def test_b10_a_turn_has_a_bound_in_requests() -> None:
    body = {**CORE, **{f"option_{number}": 1 for number in range(40)}}
    server = Server(otherwise=refusal(400))

    await heard(codec=TinyCodec(body), transport=server)

    assert 12 == len(server.asked)


async def test_degradation_is_remembered() -> None:
    server = Server(refusal(400, "Unsupported parameter: temperature"), HELLO, HELLO)
    model = Model(TinyCodec({**CORE, **SAMPLING}), server)

    await heard(model)
    await heard(model)

    assert [True, False, False] == ["temperature" in body for body in server.bodies]


# --- reading ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("broken", [b"data: {nonsense\n\n", b"data: 7\n\n", b"data: \xff\xfe\n\n", b"nonsense\n\n"])
async def test_b11_a_broken_line_does_not_end_the_stream(broken: bytes) -> None:
    server = Server(sse({"text": "Hel"}, broken, {"text": "lo"}, {"end": "stop"}))

    assert [TextDelta("Hel"), TextDelta("lo"), Finished("stop")] == await heard(transport=server)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r"])
async def test_b12_a_last_line_without_an_end_counts(end: bytes) -> None:
    server = Server(sse({"text": "Hel"}) + b'data: {"text": "lo"}' + end)

    assert [TextDelta("Hel"), TextDelta("lo"), Finished("end_of_stream")] == await heard(transport=server)


# --- failures ----------------------------------------------------------------------------------------------

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}


def judged(error: ProviderError) -> tuple[ErrorKind, bool]:
    return error.kind, error.retryable


@pytest.mark.parametrize(
    "body",
    [
        OVERLOADED,
        {"error": OVERLOADED},
        {"error": json.dumps(OVERLOADED)},
        {"message": "529 " + json.dumps(OVERLOADED)},
    ],
    ids=["once", "twice", "as a text", "behind a number"],
)
def test_b27_the_type_is_found_however_often_it_is_wrapped(body: object) -> None:
    error = refused(HttpError(529, {}, json.dumps(body).encode()), "anthropic")

    assert (ErrorKind.OVERLOADED, True, "overloaded_error", "Overloaded (overloaded_error)") == (
        *judged(error),
        error.code,
        error.detail,
    )
    assert (ErrorKind.OVERLOADED, True) == judged(reported(body, vendor="anthropic"))


async def test_b27_what_the_network_does_is_a_chunk_and_not_raised() -> None:
    chunks = await heard(transport=Server([sse({"text": "Hel"}), ConnectionResetError("gone")]))

    assert (TextDelta("Hel"), Failed) == (chunks[0], type(chunks[-1]))


@pytest.mark.parametrize("arguments", ["nonsense", '{"a": 1, "b": "tru', "[1]", '{"a"'])
@pytest.mark.looptime
async def test_b28_a_tool_is_not_run_with_what_cannot_be_read(arguments: str) -> None:
    runs: list[Mapping[str, object]] = []

    async def run(given: Mapping[str, object]) -> str:
        runs.append(given)
        return "done"

    server = Server(sse({"call": "dice", "arguments": arguments}), HELLO)
    tools = {"dice": Tool(ToolSpec("dice", "", {}), run)}

    result = await reply(SCENE, Model(TinyCodec(), server), MemoryTarget(), tools=tools)

    assert ([], 2, Completed("stop")) == (runs, len(server.asked), result.outcome)


@pytest.mark.looptime
async def test_b28_a_tool_is_run_with_what_can_be_read() -> None:
    runs: list[Mapping[str, object]] = []

    async def run(given: Mapping[str, object]) -> str:
        runs.append(given)
        return "done"

    server = Server(sse({"call": "dice"}, {"call": "dice", "arguments": '{"a": 1}'}), HELLO)

    await reply(SCENE, Model(TinyCodec(), server), MemoryTarget(), tools={"dice": Tool(ToolSpec("dice", "", {}), run)})

    assert [{}, {"a": 1}] == runs


@pytest.mark.parametrize("words", ["requested 40012 tokens", "you have 4290 left", "14003 of 50000", "content"])
@pytest.mark.parametrize("vendor", ["openrouter", "openai", "novelai"])
def test_b32_a_number_within_a_number_is_no_status(vendor: str, words: str) -> None:
    assert (ErrorKind.RATE_LIMIT, True) == judged(failure(words, vendor=vendor, status=429))
    assert failure(words, vendor=vendor).status is None
    assert failure(words, vendor=vendor).kind is not ErrorKind.CONTENT_BLOCKED


@pytest.mark.parametrize("words", ["Failed to generate content", "The operation was not rated", "quotation is missing"])
def test_b33_a_word_within_a_word_is_not_that_word(words: str) -> None:
    assert (ErrorKind.API, False) == judged(failure(words, vendor="google"))


def test_b33_google_too_may_take_too_long() -> None:
    assert (ErrorKind.TIMEOUT, True) == judged(failure("no", vendor="google", status=408))


@pytest.mark.parametrize("status", [400, 401, 404])
def test_b33_the_word_timeout_does_not_overrule_a_status(status: int) -> None:
    assert (ErrorKind.API, False) == judged(failure("parameter timeout is too large", vendor="openai", status=status))


@pytest.mark.parametrize("headers", [{"retry-after": "30"}, {"retry-after-ms": "30000"}])
def test_b58_how_long_a_provider_asks_us_to_wait_is_known(headers: dict[str, str]) -> None:
    assert 30.0 == refused(HttpError(429, headers, b""), "openai").retry_after
