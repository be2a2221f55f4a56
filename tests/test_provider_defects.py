"""What the reference gets wrong on a model's side, by the number in its list of defects, and what Cadenza does instead.

The numbers stand in section 12 of the specification of stages 1 to 4. What is said goes through ``say`` or ``reply`` as
a whole, however it was sliced; what dialects send is read by their own codecs, from recorded streams where there is one.
B30 is NovelAI's alone and stands with its dialect; B3 and B7 to B19 are those of other stages.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from cadenza.errors import ErrorKind, HttpError, ProviderError
from cadenza.models.error_kind import failure, refused, reported
from cadenza.models.model import Model
from cadenza.models.vendors import codec
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.stages.s1_context import assemble
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.tool import Tool
from cadenza.types import (
    Broke,
    Completed,
    Empty,
    Failed,
    Finished,
    Line,
    Outcome,
    Participant,
    Persona,
    Prompt,
    PromptTurn,
    Reply,
    Role,
    Roster,
    Scene,
    Stopped,
    StopReason,
    TextDelta,
    ToolCall,
    ToolSpec,
)
from tests.helpers import same_every_way
from tests.models.recorded import STREAMS, every_slicing
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
    server = Server([sse({"text": "Hel"}, broken), sse({"text": "lo"}, {"end": "stop"})])

    assert [TextDelta("Hel"), TextDelta("lo"), Finished("stop")] == await heard(transport=server)


@pytest.mark.parametrize("end", [b"", b"\n", b"\r"])
async def test_b12_a_last_line_without_an_end_counts(end: bytes) -> None:
    server = Server(sse({"text": "Hel"}) + b'data: {"text": "lo"}' + end)

    assert [TextDelta("Hel"), TextDelta("lo"), Finished("end_of_stream")] == await heard(transport=server)


# --- what dialects send ---------------------------------------------------------------------------------

MODELS = {
    "openai": codec("openai", "gpt-4.1", key="k"),
    "openrouter": codec("openrouter", "some/model", key="k"),
    "custom": codec("custom", "gemma-3", url="http://localhost:1/v1"),
    "vllm": codec("vllm", "m"),
    "mistral": codec("mistral", "m", key="k"),
    "anthropic": codec("anthropic", "claude-sonnet-4-6", key="k"),
    "google": codec("google", "gemini-2.5-flash", key="k"),
    "openai-responses": codec("openai-responses", "gpt-5.1", key="k"),
    "ollama": codec("ollama", "m"),
}
GOES_ON = {
    "anthropic": "anthropic/text.sse",
    "google": "google/plain.sse",
    "openai-responses": "openai-responses/text.sse",
    "ollama": "ollama/plain.ndjson",
}
"""A plain answer in each dialect; chat completions are all alike."""


def body_of(name: str) -> bytes:
    return (STREAMS / name).read_bytes()


async def answered(
    vendor: str, *bodies: bytes | list[bytes], tools: Mapping[str, Tool] = MappingProxyType({})
) -> tuple[Reply, list[str], Server]:
    """What comes of a reply whose requests are answered with *bodies*."""
    server, target = Server(*bodies), MemoryTarget()
    model = Model(MODELS[vendor], server)
    result = await reply(SCENE, model, target, settings=Settings.of(degree=1, empty_retries=0), tools=tools)
    return result, target.texts, server


def chat(*choices: Mapping[str, object]) -> bytes:
    """A stream of chat completions."""
    return sse(*({"choices": [{"index": 0, **choice}]} for choice in choices), b"data: [DONE]\n\n")


@pytest.mark.parametrize(
    ("vendor", "body"),
    [
        pytest.param("google", body_of("google/length.sse"), id="B20 Google"),
        pytest.param(
            "openai", chat({"delta": {"content": "Once upon"}, "finish_reason": "length"}), id="B22 in its last event"
        ),
        pytest.param("openai", body_of("openai/length.sse"), id="B22 behind the words"),
        pytest.param("anthropic", body_of("anthropic/length.sse"), id="B27 Anthropic"),
        pytest.param("openai-responses", body_of("openai-responses/length.sse"), id="Responses"),
        pytest.param("ollama", body_of("ollama/length.ndjson"), id="Ollama"),
    ],
)
async def test_b20_b22_an_answer_that_was_too_long_is_said_and_known_as_such(vendor: str, body: bytes) -> None:
    result, texts, _ = await answered(vendor, body)

    assert Completed("length") == result.outcome
    assert "".join(texts).strip()


@pytest.mark.parametrize(
    ("vendor", "body"),
    [
        pytest.param("google", sse({"candidates": [{"finishReason": "MAX_TOKENS"}]}), id="Google"),
        pytest.param(
            "openai",
            chat({"delta": {"reasoning_content": "hm"}}, {"delta": {}, "finish_reason": "length"}),
            id="chat completions",
        ),
        pytest.param(
            "anthropic",
            sse({"type": "message_delta", "delta": {"stop_reason": "max_tokens"}}, {"type": "message_stop"}),
            id="Anthropic",
        ),
    ],
)
async def test_b22_nothing_but_thoughts_until_there_was_no_room_is_known_as_such(vendor: str, body: bytes) -> None:
    result, texts, _ = await answered(vendor, body)

    assert (Empty("length"), []) == (result.outcome, texts)


@pytest.mark.parametrize(
    ("vendor", "stream", "said"),
    [
        pytest.param("google", "google/safety.sse", "First you take the", id="B21 Google"),
        pytest.param("openai", "openai/content-filter.sse", "First, you", id="B23 chat completions"),
        pytest.param("openrouter", "openrouter/content-filter.sse", "Take the", id="B23 a router"),
        pytest.param("anthropic", "anthropic/refusal.sse", "To begin,", id="B27 Anthropic"),
    ],
)
async def test_b21_b23_what_a_filter_breaks_off_is_said_as_far_as_it_came(vendor: str, stream: str, said: str) -> None:
    for slices in every_slicing(body_of(stream), times=3):
        result, texts, _ = await answered(vendor, slices)

        assert isinstance(result.outcome, Broke)
        assert isinstance(result.outcome.error, ProviderError)
        assert (ErrorKind.CONTENT_BLOCKED, [said]) == (result.outcome.error.kind, texts)


async def test_b24_words_beside_reasoning_are_said() -> None:
    details = [{"type": "reasoning.text", "text": "hm"}]
    body = chat(
        {"delta": {"content": "Hel", "reasoning_details": details}},
        {"delta": {"content": "lo"}, "finish_reason": "stop"},
    )

    result, texts, _ = await answered("openrouter", body)

    assert (["Hello"], ("hm",)) == (texts, result.thoughts)


Run = tuple[str, dict[str, object]]
"""A tool and what it was given."""


def noting(log: list[Run]) -> dict[str, Tool]:
    """The tools of the recorded streams; each notes its name and what it was given."""

    def named(name: str) -> Tool:
        async def run(given: Mapping[str, object], *_: object) -> str:
            log.append((name, dict(given)))
            return f"{name} was run"

        return Tool(ToolSpec(name, "", {"type": "object", "properties": {}}), run)

    return {name: named(name) for name in ("weather", "local_time", "get_weather", "now", "note", "save_file", "purge")}


@pytest.mark.parametrize(
    ("vendor", "stream", "runs"),
    [
        pytest.param(
            "openai",
            "openai/calls.sse",
            [("weather", {"city": "Oslo"}), ("local_time", {"zone": "Europe/Oslo"})],
            id="B26 chat completions",
        ),
        pytest.param(
            "vllm",
            "vllm/calls-finished-with-stop.sse",
            [("weather", {"city": "Tokyo"}), ("weather", {"city": "Kyoto"})],
            id="B25 they end with a stop",
        ),
        pytest.param(
            "mistral",
            "mistral/calls.sse",
            [("weather", {"city": "Paris"}), ("weather", {"city": "Lyon"})],
            id="B26 Mistral",
        ),
        pytest.param(
            "anthropic",
            "anthropic/thinking-calls.sse",
            [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "京都"})],
            id="B26 Anthropic",
        ),
        pytest.param(
            "google",
            "google/several_calls.sse",
            [("weather", {"city": "Oslo"}), ("weather", {"city": "東京"}), ("now", {})],
            id="B26 Google",
        ),
        pytest.param(
            "openai-responses",
            "openai-responses/calls.sse",
            [("get_weather", {"city": "Oslo"}), ("get_weather", {"city": "京都"})],
            id="B26 Responses",
        ),
        pytest.param(
            "ollama",
            "ollama/several_calls.ndjson",
            [("weather", {"city": "Oslo"}), ("weather", {"city": "東京"}), ("now", {})],
            id="B26 Ollama",
        ),
    ],
)
async def test_b25_b26_all_calls_are_run_in_order_and_answered(vendor: str, stream: str, runs: list[Run]) -> None:
    for slices in every_slicing(body_of(stream), times=3):
        log: list[Run] = []
        then = body_of(GOES_ON.get(vendor, "openai/text.sse"))

        result, _, server = await answered(vendor, slices, then, tools=noting(log))

        assert (runs, Completed("stop")) == (log, result.outcome)
        told = server.asked[1].body.decode()
        places = [told.rindex(f"{name} was run") for name in dict.fromkeys(name for name, _ in runs)]
        assert places == sorted(places)


@pytest.mark.parametrize(
    ("vendor", "stream"),
    [
        ("openai", "openai/cut-arguments.sse"),
        ("custom", "custom/cut-in-a-call.sse"),
        ("anthropic", "anthropic/length-in-call.sse"),
        ("openai-responses", "openai-responses/length-in-call.sse"),
    ],
)
async def test_b28_a_call_that_is_cut_off_is_not_run_and_the_model_is_told(vendor: str, stream: str) -> None:
    log: list[Run] = []

    result, _, server = await answered(
        vendor, body_of(stream), body_of(GOES_ON.get(vendor, "openai/text.sse")), tools=noting(log)
    )

    assert ([], Completed("stop")) == (log, result.outcome)
    assert "the tool was not run" in server.asked[1].body.decode()


async def test_a_call_that_a_router_found_malformed_ends_the_answer_with_what_was_said() -> None:
    result, texts, server = await answered("openrouter", body_of("openrouter/malformed-call.sse"), tools=noting([]))

    assert (Completed("stop"), ["I will look it up."], 1) == (result.outcome, texts, len(server.asked))


@pytest.mark.parametrize("text", ["Well <|chan", "Well <", "Well <tool_co"])
@pytest.mark.parametrize("end", [chat(), b""], ids=["done", "nothing"])
async def test_b31_what_a_guard_holds_is_said_when_the_last_event_ends_the_answer(text: str, end: bytes) -> None:
    last = sse({"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": "stop"}]}) + end

    _, texts, _ = await answered("custom", last)

    assert [text] == texts


# --- what dialects are sent ------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("vendor", "field", "most"),
    [
        ("openai", "stop", 4),
        ("openrouter", "stop", 4),
        ("google", "stopSequences", 5),
        ("anthropic", "stop_sequences", 16),
    ],
)
def test_b40_no_more_stops_are_sent_than_are_taken_and_the_configured_ones_first(
    vendor: str, field: str, most: int
) -> None:
    wanted = [f"<{number}>" for number in range(30)]
    prompt = assemble(SCENE, settings=Settings.of(stop_strings=wanted).context, stop_at_speaker=True)

    body = json.loads(MODELS[vendor].encode(prompt).body)

    assert wanted[:most] == {**body, **body.get("generationConfig", {})}[field]


CALLED = Prompt(
    "Be kind.",
    (
        PromptTurn.said(Role.USER, "Ada: Rain?"),
        PromptTurn(Role.MODEL, ("One moment.",), (ToolCall("call_1", "weather", "{}"),)),
        PromptTurn(Role.TOOL, ("It rains.",), call_id="call_1"),
        PromptTurn.said(Role.MODEL, "Yes, it"),
    ),
    (ToolSpec("weather", "", {}),),
)


@pytest.mark.parametrize("vendor", MODELS)
def test_b41_a_call_is_replayed_to_the_letter(vendor: str) -> None:
    assert MODELS[vendor].encode(CALLED) == MODELS[vendor].encode(CALLED)
    longer = assemble(Scene("general", Persona("Ren"), (Line("Ada", "Hi"),)), CALLED.tools)
    both = Prompt(CALLED.system, (*CALLED.turns, *longer.turns), CALLED.tools)
    assert _turns(vendor, CALLED)[:4] == _turns(vendor, both)[:4]


@pytest.mark.parametrize("vendor", MODELS)
def test_b42_what_was_said_behind_a_result_comes_last_everywhere(vendor: str) -> None:
    """Only a model that must be answered before it speaks is asked to go on."""
    said = [turn for turn in map(json.dumps, _turns(vendor, CALLED)) if "[System: Continue]" not in turn]

    assert ("It rains." in said[-2], "Yes, it" in said[-1]) == (True, True)


def _turns(vendor: str, prompt: Prompt) -> list[object]:
    body = json.loads(MODELS[vendor].encode(prompt).body)
    found: list[object] = body.get("messages") or body.get("contents") or body["input"]
    return found


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

    async def run(given: Mapping[str, object], *_: object) -> str:
        runs.append(given)
        return "done"

    server = Server(sse({"call": "dice", "arguments": arguments}), HELLO)
    tools = {"dice": Tool(ToolSpec("dice", "", {}), run)}

    result = await reply(SCENE, Model(TinyCodec(), server), MemoryTarget(), tools=tools)

    assert ([], 2, Completed("stop")) == (runs, len(server.asked), result.outcome)


@pytest.mark.looptime
async def test_b28_a_tool_is_run_with_what_can_be_read() -> None:
    runs: list[Mapping[str, object]] = []

    async def run(given: Mapping[str, object], *_: object) -> str:
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
