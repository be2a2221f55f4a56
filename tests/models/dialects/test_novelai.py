from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import openai
import pytest
from hypothesis import given, strategies as st

from cadenza import Completed, MemoryTarget, Model, Persona, Scene, Tool, reply
from cadenza.errors import Aspect, ErrorKind, HttpError, ProviderError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.novelai import NovelAICodec
from cadenza.models.vendors import codec
from cadenza.types import (
    Abilities,
    Failed,
    Finished,
    HttpRequest,
    Media,
    MediaKind,
    Prompt,
    PromptTurn,
    Role,
    TextDelta,
    ToolCall,
)
from tests.loopback import Answer, serving
from tests.models.guards.guarding import PROMPT
from tests.models.recorded import decoded, every_slicing, expected, joined, recorded, written
from tests.prompts import prompts

KEY = "pst-this-is-secret"
ASKED = replace(PROMPT, speaker="Ren", stop=("\nRen:", "###"))
HI = Prompt("You are Ren.", (PromptTurn.said(Role.USER, "alice: Hi"),), speaker="Ren")


def codec_for(model: str, **abilities: Any) -> NovelAICodec:
    """The dialect for the model that a recorded stream is named after."""
    known = {"glm": "glm-4-6", "kayra": "kayra-v1", "erato": "llama-3-erato-v1"}
    name = known.get(model.partition("-")[0], model)
    endpoint = Endpoint("novelai", name, "https://text.novelai.net", KEY, abilities=Abilities(**abilities))
    return NovelAICodec(endpoint)


def body(request: HttpRequest) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request.body)
    return found


# --- streams ------------------------------------------------------------------------


@pytest.mark.parametrize("stream", recorded("novelai"), ids=lambda path: path.stem)
def test_a_recorded_stream_comes_to_the_same_however_it_is_sliced(stream: Path) -> None:
    for slices in every_slicing(stream.read_bytes()):
        assert expected(stream) == written(decoded(codec_for(stream.stem), slices, ASKED))


@pytest.mark.parametrize(
    ("name", "text", "finish"),
    [
        pytest.param(
            "glm-text",
            " Good evening! 👩‍🚀 The moon (月) is up, and I *love* it >_<\n\nShall we go?",
            "stop",
            id="plain",
        ),
        pytest.param("glm-unfinished", " I would say that the sea is", "length", id="too long"),
        pytest.param(
            "glm-calls",
            " Two things.\n<tool_call>read_file\n<arg_key>path</arg_key>\n<arg_value>a b.txt</arg_value>\n</tool_call>\n"
            "<tool_call>now\n</tool_call>",
            "stop",
            id="calls",
        ),
    ],
)
async def test_the_official_client_for_completions_reads_the_same_words(name: str, text: str, finish: str) -> None:
    stream = next(path for path in recorded("novelai") if path.stem == name)
    async with (
        serving(Answer((stream.read_bytes(),))) as server,
        openai.AsyncOpenAI(base_url=f"{server.url}/oa/v1", api_key=KEY, max_retries=0) as client,
    ):
        answer = await client.completions.create(model="glm-4-6", prompt="Ren:", stream=True)
        events = [event async for event in answer]

    choices = [event.choices[0] for event in events if event.choices]
    assert text == "".join(choice.text for choice in choices)
    assert finish == choices[-1].finish_reason
    said = "".join(
        chunk.text
        for chunk in decoded(codec_for("glm"), [stream.read_bytes()], Prompt("", ()))
        if isinstance(chunk, TextDelta)
    )
    assert text == said  # without tools nothing is a call


async def test_the_official_client_sends_the_same_request() -> None:
    request = codec_for("glm").encode(replace(HI, max_tokens=50, sampling={"temperature": 0.5}, stop=("###",)))
    ours = body(request)
    async with (
        serving(Answer((b"data: [DONE]\n\n",))) as server,
        openai.AsyncOpenAI(base_url=f"{server.url}/oa/v1", api_key=KEY, max_retries=0) as client,
    ):
        await client.completions.create(**ours)

    assert ours == json.loads(server.asked[0].body)
    assert request.url.endswith(server.asked[0].path)
    assert request.headers["authorization"] == server.asked[0].headers["authorization"]


# --- defects of others -----------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("short", id="less than a tag"),
        pytest.param("All of this, up to the last ten characters", id="more"),
        pytest.param("web_search", id="what may become a call"),
        pytest.param("Hm.\nnow\n", id="the same, at the end"),
        pytest.param("I love you >_<", id="a bracket"),
        pytest.param("see <tool_ca", id="half a tag"),
        pytest.param("line\n", id="half a stop string"),
    ],
)
def test_b30_what_is_held_at_the_end_is_not_lost(text: str) -> None:
    stream = f"data: {json.dumps({'choices': [{'text': text}]})}\n\n".encode()
    ends = {
        "done": b"data: [DONE]\n\n",
        "finish": b'data: {"choices": [{"text": "", "finish_reason": "stop"}]}\n\n',
        "nothing": b"",
        "error": b'data: {"error": "Internal server error"}\n\n',
    }

    for end in ends.values():
        for slices in every_slicing(stream + end, times=3):
            assert TextDelta(text) == joined(decoded(codec_for("glm"), slices, ASKED))[0]


def test_too_much_context_is_known_for_what_it_is() -> None:
    stream = next(path for path in recorded("novelai") if path.stem == "glm-too-much-context")

    (failed,) = decoded(codec_for("glm"), [stream.read_bytes()])

    assert isinstance(failed, Failed)
    error = failed.error
    assert isinstance(error, ProviderError)
    assert ("unknown", False, Aspect.CONTEXT) == (error.code, error.retryable, error.aspect)


@pytest.mark.parametrize(
    ("status", "kind", "retryable"),
    [
        (400, ErrorKind.API, False),
        (401, ErrorKind.API, False),
        (402, ErrorKind.API, False),
        (408, ErrorKind.TIMEOUT, True),
        (429, ErrorKind.RATE_LIMIT, True),
        (500, ErrorKind.API, True),
        (502, ErrorKind.API, True),
        (503, ErrorKind.OVERLOADED, True),
        (504, ErrorKind.TIMEOUT, True),
    ],
)
def test_refusals_are_read_by_their_status(status: int, kind: ErrorKind, retryable: bool) -> None:  # noqa: FBT001
    answer = json.dumps({"statusCode": status, "message": "No. 400 tokens."}).encode()

    error = codec_for("glm").refused(HttpError(status, {}, answer))

    assert (kind, retryable, str(status)) == (error.kind, error.retryable, error.code)


@pytest.mark.parametrize(
    ("model", "answer"),
    [
        pytest.param("glm", {"choices": [{"text": "Hi", "finish_reason": "stop"}]}, id="a completion"),
        pytest.param("kayra", {"output": "Hi"}, id="a story"),
    ],
)
def test_an_answer_that_is_not_streamed_is_read_all_the_same(model: str, answer: object) -> None:
    for slices in every_slicing(json.dumps(answer).encode()):
        assert [TextDelta("Hi"), Finished("stop")] == joined(decoded(codec_for(model), slices))


@pytest.mark.parametrize("model", ["glm", "kayra"])
def test_an_error_in_plain_json_is_a_failure(model: str) -> None:
    for slices in every_slicing(b'{"statusCode": 503, "message": "Service unavailable"}'):
        told = written(decoded(codec_for(model), slices))
        assert [{"chunk": "Failed", "kind": "provider_overloaded", "code": "503", "retryable": True}] == told


# --- requests --------------------------------------------------------------------------


def test_glm_is_asked_for_a_completion() -> None:
    request = codec_for("glm").encode(HI)

    assert "https://text.novelai.net/oa/v1/completions" == request.url
    assert {
        "model": "glm-4-6",
        "prompt": "[gMASK]<sop><|system|>\nYou are Ren.<|user|>\nalice: Hi<|assistant|>\n<think></think>\nRen:",
        "stream": True,
        "max_tokens": 1024,
        "stop": ["<|user|>", "<|observation|>", "<|system|>", "</think>"],
    } == body(request)


def test_a_storyteller_is_asked_to_go_on_with_a_transcript() -> None:
    request = codec_for("kayra").encode(HI)

    assert "https://text.novelai.net/ai/generate-stream" == request.url
    assert {
        "model": "kayra-v1",
        "input": "You are Ren.\n***\nalice: Hi\nRen:",
        "parameters": {
            "use_string": True,
            "min_length": 1,
            "max_length": 150,
            "generate_until_sentence": True,
            "return_full_text": False,
            "prefix": "vanilla",
        },
    } == body(request)


@pytest.mark.parametrize(
    ("model", "call"),
    [
        ("glm-4-6", "/oa/v1/completions"),
        ("glm-4-5", "/oa/v1/completions"),
        ("xialong-v1", "/oa/v1/completions"),
        ("kayra-v1", "/ai/generate-stream"),
        ("llama-3-erato-v1", "/ai/generate-stream"),
        ("clio-v1", "/ai/generate-stream"),
    ],
)
@pytest.mark.parametrize(
    "url", ["https://a.example", "https://a.example/", "https://a.example/oa/v1", "https://a.example/ai"]
)
def test_each_model_is_asked_where_it_is(model: str, call: str, url: str) -> None:
    assert f"https://a.example{call}" == NovelAICodec(Endpoint("novelai", model, url)).encode(HI).url


def test_what_stands_behind_a_question_mark_stays_there() -> None:
    url = NovelAICodec(Endpoint("novelai", "glm-4-6", "https://a.example/oa/v1?a=b")).encode(HI).url

    assert "https://a.example/oa/v1/completions?a=b" == url


@pytest.mark.parametrize("model", ["glm", "kayra"])
def test_the_key_stands_in_a_header_and_nowhere_else(model: str) -> None:
    request = codec_for(model).encode(HI)

    assert f"Bearer {KEY}" == request.headers["authorization"]
    assert KEY not in request.url
    assert KEY.encode() not in request.body
    assert KEY not in repr(request)


def test_without_a_key_none_is_sent() -> None:
    request = NovelAICodec(Endpoint("novelai", "glm-4-6", "http://localhost", headers={"x-team": "a"})).encode(HI)

    assert {"content-type", "accept", "x-team"} == set(request.headers)


SAMPLING = {
    "temperature": 0.7,
    "top_p": 0.9,
    "top_k": 40.0,
    "min_p": 0.05,
    "frequency_penalty": 0.1,
    "presence_penalty": 0.2,
    "repetition_penalty": 1.1,
}


def test_glm_is_told_what_it_takes_by_its_names() -> None:
    asked = body(codec_for("glm").encode(replace(HI, sampling=SAMPLING)))

    told = {name: asked[name] for name in SAMPLING if name in asked}
    assert {name: value for name, value in SAMPLING.items() if name != "repetition_penalty"} == told
    assert "40" == str(asked["top_k"])


def test_a_storyteller_is_told_what_it_takes_by_its_names() -> None:
    asked = body(codec_for("kayra").encode(replace(HI, sampling=SAMPLING)))["parameters"]

    plain = body(codec_for("kayra").encode(HI))["parameters"]
    assert {
        "temperature": 0.7,
        "top_p": 0.9,
        "top_k": 40,
        "min_p": 0.05,
        "repetition_penalty": 1.1,
        "repetition_penalty_frequency": 0.1,
        "repetition_penalty_presence": 0.2,
    } == {name: value for name, value in asked.items() if name not in plain}


@pytest.mark.parametrize(
    ("stops", "sent"),
    [
        pytest.param(("###", "\nRen:"), ["###", "\nRen:"], id="few"),
        pytest.param(tuple("abcdef"), list("abcd"), id="many"),
        pytest.param(("</think>", "a"), ["a"], id="one of its own"),
    ],
)
def test_glms_own_stops_come_first_and_there_are_at_most_eight(stops: tuple[str, ...], sent: list[str]) -> None:
    asked = body(codec_for("glm").encode(replace(HI, stop=stops)))

    assert ["<|user|>", "<|observation|>", "<|system|>", "</think>", *sent] == asked["stop"]


@pytest.mark.parametrize("model", ["glm", "kayra"])
def test_stop_strings_that_no_interface_was_told_of_count_all_the_same(model: str) -> None:
    prompt = replace(HI, stop=tuple("123456789"))
    event = {"choices": [{"text": "a 9 b"}], "token": "a 9 b"}

    heard = decoded(codec_for(model), [f"data: {json.dumps(event)}\n\n".encode()], prompt)

    assert [TextDelta("a "), Finished("stop")] == heard


def test_the_personas_label_is_no_stop_where_it_may_not_be() -> None:
    prompt = replace(HI, stop=("\nRen:",))
    event = b'data: {"choices": [{"text": "a\\nRen: b"}]}\n\n'

    assert [TextDelta("a"), Finished("stop")] == decoded(codec_for("glm"), [event], prompt)
    heard = joined(decoded(codec_for("glm", speaker_stop=False), [event], prompt))
    assert [TextDelta("a\nRen: b"), Finished("end_of_stream")] == heard


@pytest.mark.parametrize(
    ("model", "field"), [pytest.param("glm", "max_tokens", id="glm"), pytest.param("kayra", "temperature", id="kayra")]
)
def test_extra_fields_have_the_last_word(model: str, field: str) -> None:
    name = "glm-4-6" if model == "glm" else "kayra-v1"
    extra: dict[str, object] = {field: 7} if model == "glm" else {"parameters": {field: 7, "order": [0]}}
    endpoint = Endpoint("novelai", name, "https://text.novelai.net", extra={**extra, "seed": 1})
    asked = body(NovelAICodec(endpoint).encode(replace(HI, sampling={"temperature": 1.0})))

    found = asked if model == "glm" else asked["parameters"]
    assert (7, 1) == (found[field], asked["seed"])
    if model == "kayra":
        assert ([0], True) == (found["order"], found["use_string"])


# --- how long --------------------------------------------------------------------------


def longest(model: str, length: int, wanted: int, **abilities: Any) -> int:
    """How long an answer is asked for behind a prompt of *length* characters."""
    found = codec_for(model, **abilities)
    asked = body(found.encode(HI))
    padding = length - len(asked["prompt"] if "prompt" in asked else asked["input"])
    asked = body(found.encode(replace(HI, system=HI.system + "x" * padding, max_tokens=wanted)))
    assert length == len(asked["prompt"] if "prompt" in asked else asked["input"])
    found_length: int = asked["max_tokens"] if "max_tokens" in asked else asked["parameters"]["max_length"]
    return found_length


@pytest.mark.parametrize(
    ("length", "wanted", "sent"),
    [
        pytest.param(1000, 500, 500, id="room enough"),
        pytest.param(25_000, 4000, 2173, id="95 % of what is left"),
        pytest.param(30_600, 4000, 50, id="but 50"),
        pytest.param(40_000, 4000, 50, id="even where nothing is left"),
        pytest.param(40_000, 20, 20, id="or what was wanted"),
    ],
)
def test_glms_answer_fits_behind_its_prompt(length: int, wanted: int, sent: int) -> None:
    assert sent == longest("glm", length, wanted)


@pytest.mark.parametrize(
    ("length", "wanted", "sent"),
    [
        pytest.param(1000, 150, 150, id="room enough"),
        pytest.param(28_000, 500, 192, id="all that is left"),
        pytest.param(28_668, 500, 1, id="the last token"),
        pytest.param(30_000, 500, 500, id="nothing left: as it was wanted"),
        pytest.param(1000, 9000, 2048, id="never more than it takes"),
    ],
)
def test_a_storytellers_answer_fits_behind_its_prompt(length: int, wanted: int, sent: int) -> None:
    assert sent == longest("kayra", length, wanted)


@pytest.mark.parametrize(("model", "sent"), [("glm", 50), ("kayra", 23)])
def test_a_subscription_with_less_room_can_be_told(model: str, sent: int) -> None:
    assert sent == longest(model, 3500, 3000, context_tokens=1023)


@pytest.mark.parametrize(("model", "length"), [("glm", 12_288 * 2.5), ("kayra", 8192 * 3.5)])
def test_the_oldest_exchanges_are_left_out_where_there_is_no_room(model: str, length: float) -> None:
    turns = [PromptTurn.said((Role.USER, Role.MODEL)[index % 2], f"{index}: " + "x" * 500) for index in range(200)]

    asked = body(codec_for(model).encode(Prompt("Be kind.", tuple(turns), speaker="Ren", max_tokens=100)))

    text = asked["prompt"] if model == "glm" else asked["input"]
    assert len(text) <= length
    assert "Be kind." in text
    assert "199: x" in text
    assert "\n0: x" not in text


# --- what the models cannot do -------------------------------------------------------------


@pytest.mark.parametrize("model", ["glm", "kayra"])
def test_pictures_are_told_in_words(model: str) -> None:
    picture = Media(MediaKind.IMAGE, "image/png", data=b"picture")

    asked = body(codec_for(model).encode(Prompt("", (PromptTurn(Role.USER, ("alice: Look!", picture)),))))

    assert "alice: Look!\n[An image was sent here that you cannot see.]" in (asked.get("prompt") or asked["input"])


def test_a_storyteller_has_no_tools_and_is_told_what_others_found_with_theirs() -> None:
    turns = (
        PromptTurn.said(Role.USER, "alice: Weather?"),
        PromptTurn(Role.MODEL, ("Let me look.",), (ToolCall("1", "web_search", '{"query": "x"}'),)),
        PromptTurn(Role.TOOL, ("rain",), call_id="1"),
    )

    asked = body(codec_for("kayra").encode(replace(HI, turns=turns, tools=PROMPT.tools)))

    assert (
        "You are Ren.\n***\nalice: Weather?\nRen: Let me look.\n"
        '[System: The tool web_search was run with {"query": "x"} and gave back what follows.]\nrain\nRen:'
    ) == asked["input"]


def test_where_tools_are_off_nothing_is_a_call() -> None:
    event = b'data: {"choices": [{"text": "<tool_call>now</tool_call>"}]}\n\n'

    heard = joined(decoded(codec_for("glm", tools=False), [event], ASKED))

    assert [TextDelta("<tool_call>now</tool_call>"), Finished("end_of_stream")] == heard


@given(prompts(), st.sampled_from(["glm", "kayra"]))
def test_whatever_is_asked_the_same_prompt_gives_the_same_bytes(prompt: Prompt, model: str) -> None:
    first, second = codec_for(model).encode(prompt), codec_for(model).encode(prompt)

    assert first.body == second.body
    speaker = prompt.speaker or ("" if model == "glm" else "Assistant")
    text = body(first).get("prompt") or body(first)["input"]
    assert text.rpartition("\n")[2].startswith(f"{speaker}:" if speaker else "")


# --- all of it ----------------------------------------------------------------------------


async def test_a_whole_reply_with_a_tool() -> None:
    first = next(path for path in recorded("novelai") if path.stem == "glm-call").read_bytes()
    last = next(path for path in recorded("novelai") if path.stem == "glm-text").read_bytes()
    asked: list[HttpRequest] = []

    async def transport(request: HttpRequest) -> AsyncIterator[bytes]:
        asked.append(request)
        yield first if len(asked) == 1 else last

    async def search(arguments: Mapping[str, object], *_: object) -> str:
        return f"{arguments['count']} results for {arguments['query']}"

    target = MemoryTarget()
    model = Model(codec("novelai", "glm-4-6", key=KEY), transport)
    tools = {
        "web_search": Tool(next(tool for tool in PROMPT.tools if tool.name == "web_search"), search, needs_answer=True)
    }
    done = await reply(Scene("general", Persona("Ren")), model, target, tools=tools)

    assert isinstance(done.outcome, Completed)
    assert "Let me look." == target.texts[0]
    assert target.texts[1].startswith("Good evening!")
    assert (
        "<|assistant|>\n<think></think>\nRen: Let me look.\n<tool_call>web_search\n<arg_key>query</arg_key>\n"
        "<arg_value>weather in 東京 <today></arg_value>\n<arg_key>count</arg_key>\n<arg_value>3</arg_value>\n</tool_call>"
        "<|observation|>\n<tool_response>\n3 results for weather in 東京 <today>\n</tool_response>"
        "<|assistant|>\n<think></think>\nRen:"
    ) in body(asked[1])["prompt"]
