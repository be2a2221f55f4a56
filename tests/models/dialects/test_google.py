from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest
from google.genai import types

from cadenza.errors import ErrorKind, HttpError, ProviderError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.google import GoogleCodec, vertex_url
from cadenza.types import (
    Abilities,
    Media,
    MediaKind,
    Opaque,
    PrefillMode,
    Prompt,
    PromptTurn,
    Role,
    Thinking,
    ToolCall,
    ToolSpec,
)
from tests.loopback import Answer, serving
from tests.models.conversations import called, result, user
from tests.models.googles_client import IGNORE, googles_client

GEMINI_URL = "https://generativelanguage.googleapis.com/v1beta"
VERTEX_EXPRESS_URL = "https://aiplatform.googleapis.com/v1beta1/publishers/google"
ABILITIES = Abilities(videos=True, stops=9)
GEMINI = Endpoint("google", "gemini-2.0-flash", GEMINI_URL, key="not-a-key", abilities=ABILITIES)
OURS = "google:google"
PICTURE = Media(MediaKind.IMAGE, "image/png", data=b"\x89PNG")
INLINE = {"inlineData": {"mimeType": "image/png", "data": "iVBORw=="}}


def body_of(prompt: Prompt, **changes: Any) -> dict[str, Any]:
    request = GoogleCodec(replace(GEMINI, **changes)).encode(prompt)
    body: dict[str, Any] = json.loads(request.body)
    return body


def contents_of(*turns: PromptTurn, **changes: Any) -> list[dict[str, Any]]:
    contents: list[dict[str, Any]] = body_of(Prompt("", turns), **changes)["contents"]
    return contents


def config_of(prompt: Prompt, **changes: Any) -> dict[str, Any]:
    config: dict[str, Any] = body_of(prompt, **changes).get("generationConfig", {})
    return config


HI = user("hi")


# --- where it is asked ----------------------------------------------------------------


@pytest.mark.parametrize(
    ("url", "model", "address"),
    [
        pytest.param(
            GEMINI_URL,
            "gemini-2.5-flash",
            "https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse",
            id="Gemini",
        ),
        pytest.param(
            f"{GEMINI_URL}/",
            "tunedModels/mine",
            "https://generativelanguage.googleapis.com/v1beta/tunedModels/mine:streamGenerateContent?alt=sse",
            id="a tuned model",
        ),
        pytest.param(
            "https://proxy.example/google?who=me",
            "gemini-2.5-pro",
            "https://proxy.example/google/models/gemini-2.5-pro:streamGenerateContent?who=me&alt=sse",
            id="a proxy",
        ),
        pytest.param(
            vertex_url("acme", "europe-west4"),
            "gemini-2.5-pro",
            "https://europe-west4-aiplatform.googleapis.com/v1beta1/projects/acme/locations/europe-west4"
            "/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            id="Vertex in a region",
        ),
        pytest.param(
            vertex_url("acme"),
            "gemini-2.5-pro",
            "https://aiplatform.googleapis.com/v1beta1/projects/acme/locations/global"
            "/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            id="Vertex anywhere",
        ),
        pytest.param(
            vertex_url("acme", "eu"),
            "gemini-2.5-pro",
            "https://aiplatform.eu.rep.googleapis.com/v1beta1/projects/acme/locations/eu"
            "/publishers/google/models/gemini-2.5-pro:streamGenerateContent?alt=sse",
            id="Vertex in several regions",
        ),
        pytest.param(
            VERTEX_EXPRESS_URL,
            "gemini-2.5-pro",
            "https://aiplatform.googleapis.com/v1beta1/publishers/google/models/gemini-2.5-pro"
            ":streamGenerateContent?alt=sse",
            id="Vertex express",
        ),
    ],
)
def test_every_cloud_has_its_address(url: str, model: str, address: str) -> None:
    assert address == GoogleCodec(replace(GEMINI, url=url, model=model)).encode(Prompt("", (HI,))).url


@pytest.mark.parametrize(
    ("url", "headers"),
    [
        pytest.param(GEMINI_URL, {"x-goog-api-key": "s3cret"}, id="Gemini"),
        pytest.param(VERTEX_EXPRESS_URL, {"x-goog-api-key": "s3cret"}, id="Vertex express"),
        pytest.param(vertex_url("acme"), {"authorization": "Bearer s3cret"}, id="Vertex"),
    ],
)
def test_the_key_stands_in_a_header_and_nowhere_else(url: str, headers: dict[str, str]) -> None:
    request = GoogleCodec(replace(GEMINI, url=url, key="s3cret", headers={"x-more": "1"})).encode(Prompt("", (HI,)))

    assert {"content-type": "application/json", "x-more": "1", **headers} == request.headers
    assert "s3cret" not in request.url
    assert b"s3cret" not in request.body
    assert "s3cret" not in repr(request)


def test_without_a_key_there_is_no_header_for_it() -> None:
    request = GoogleCodec(replace(GEMINI, key="")).encode(Prompt("", (HI,)))

    assert {"content-type": "application/json"} == request.headers


# --- the conversation -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("turns", "contents"),
    [
        pytest.param((HI,), [("user", [{"text": "hi"}])], id="words"),
        pytest.param(
            (HI, PromptTurn.said(Role.MODEL, "ho"), user("hm")),
            [("user", [{"text": "hi"}]), ("model", [{"text": "ho"}]), ("user", [{"text": "hm"}])],
            id="both sides",
        ),
        pytest.param(
            (user("a", PICTURE, "b"),), [("user", [{"text": "a"}, INLINE, {"text": "b"}])], id="a picture among words"
        ),
        pytest.param(
            (user(Media(MediaKind.IMAGE, "image/png", url="data:image/png;base64,iVBORw==")),),
            [("user", [INLINE])],
            id="a picture in a data URI",
        ),
        pytest.param(
            (user("a", Media(MediaKind.IMAGE, "image/png", url="https://example.com/a.png")),),
            [("user", [{"text": "a\n[An image was sent here that cannot be loaded.]"}])],
            id="C-7 a picture that nobody fetched",
        ),
        pytest.param(
            (user(Media(MediaKind.VIDEO, "video/mp4", url="https://youtu.be/x", is_watched=True)),),
            [("user", [{"fileData": {"fileUri": "https://youtu.be/x", "mimeType": "video/mp4"}}])],
            id="a video to be watched",
        ),
        pytest.param(
            (user("a", Media(MediaKind.VIDEO, "video/mp4", url="https://youtu.be/x")),),
            [("user", [{"text": "a\n[A video was sent here that you cannot watch: https://youtu.be/x]"}])],
            id="C-10 a video that is left to a tool",
        ),
        pytest.param(
            (user(Media(MediaKind.VIDEO, "", url="gs://store/a.mp4")),),
            [("user", [{"fileData": {"fileUri": "gs://store/a.mp4"}}])],
            id="a video in their own store",
        ),
        pytest.param((HI, user(), user("")), [("user", [{"text": "hi"}])], id="turns without anything"),
    ],
)
def test_turns_are_contents(turns: tuple[PromptTurn, ...], contents: list[tuple[str, list[object]]]) -> None:
    assert [{"role": role, "parts": parts} for role, parts in contents] == contents_of(*turns)


def test_instructions_have_a_place_of_their_own() -> None:
    assert body_of(Prompt("be kind", (HI,)))["systemInstruction"] == {"parts": [{"text": "be kind"}]}
    assert "systemInstruction" not in body_of(Prompt("", (HI,)))


def test_a_prefill_is_the_last_thing_that_the_model_said() -> None:
    """Behind the results of its calls, where the conversation is."""
    prompt = Prompt("", (HI,), prefill="It is")

    contents = body_of(prompt, abilities=Abilities(prefill=PrefillMode.TURN))["contents"]

    assert {"role": "model", "parts": [{"text": "It is"}]} == contents[-1]


START, CONTINUE = (
    {"role": "user", "parts": [{"text": f"[System: {word}]"}]} for word in ("Conversation start", "Continue")
)


@pytest.mark.parametrize(
    ("turns", "contents"),
    [
        pytest.param((), [START], id="nothing was said"),
        pytest.param(
            (PromptTurn.said(Role.MODEL, "I"), HI),
            [START, {"role": "model", "parts": [{"text": "I"}]}, {"role": "user", "parts": [{"text": "hi"}]}],
            id="the model spoke first",
        ),
        pytest.param(
            (HI, PromptTurn.said(Role.MODEL, "I")),
            [{"role": "user", "parts": [{"text": "hi"}]}, {"role": "model", "parts": [{"text": "I"}]}, CONTINUE],
            id="the model spoke last",
        ),
        pytest.param(
            (HI, PromptTurn.said(Role.MODEL, "I"), called(ToolCall("a-0", "a", "{}")), result("a-0", "b")),
            [
                {"role": "user", "parts": [{"text": "hi"}]},
                {"role": "model", "parts": [{"text": "I"}, {"functionCall": {"name": "a", "args": {}}}]},
                {"role": "user", "parts": [{"functionResponse": {"name": "a", "response": {"result": "b"}}}]},
            ],
            id="a call stands in no turn behind another of the model's",
        ),
    ],
)
def test_the_user_speaks_first_and_last(turns: tuple[PromptTurn, ...], contents: list[object]) -> None:
    """Anything else is answered with status 400."""
    assert contents == contents_of(*turns)


# --- calls and their results ----------------------------------------------------------


def test_calls_made_together_are_answered_together() -> None:
    weather, now = ToolCall("weather-0", "weather", '{"city":"Oslo"}'), ToolCall("now-1", "now", "{}")

    contents = contents_of(
        HI,
        called(weather, now, text="Let me see."),
        result("weather-0", '{"sky": "blue"}', PICTURE),
        result("now-1", "noon"),
        user("and?"),
    )

    assert contents[1:] == [
        {
            "role": "model",
            "parts": [
                {"text": "Let me see."},
                {"functionCall": {"name": "weather", "args": {"city": "Oslo"}}},
                {"functionCall": {"name": "now", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"name": "weather", "response": {"result": {"sky": "blue"}}}},
                {"functionResponse": {"name": "now", "response": {"result": "noon"}}},
            ],
        },
        {"role": "user", "parts": [INLINE]},
        {"role": "user", "parts": [{"text": "and?"}]},
    ]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        pytest.param("noon", "noon", id="words"),
        pytest.param("", "", id="nothing"),
        pytest.param('{"a": [1, null]}', {"a": [1, None]}, id="an object"),
        pytest.param("[1]", [1], id="a list"),
        pytest.param("12.50", "12.50", id="a number stays as it was written"),
        pytest.param('{"a": NaN}', '{"a": NaN}', id="what is not quite JSON"),
    ],
)
def test_a_result_is_told_as_it_is(text: str, value: object) -> None:
    contents = contents_of(HI, called(ToolCall("now-0", "now", "{}")), result("now-0", text))

    assert contents[-1]["parts"] == [{"functionResponse": {"name": "now", "response": {"result": value}}}]


def test_a_result_whose_call_is_gone_is_told_all_the_same() -> None:
    (content,) = contents_of(result("now-0", "noon"))

    assert content["parts"] == [{"text": "[System: A tool was run and gave back what follows.]\nnoon"}]


def test_an_id_goes_back_only_to_who_gave_it() -> None:
    theirs = ToolCall("call_1", "now", "{}", state=Opaque(OURS, '{"id":true,"signature":"s"}'))
    foreign = ToolCall("call_2", "now", "{}", state=Opaque("openai:openai", '{"id":true,"signature":"s"}'))

    contents = contents_of(HI, called(theirs, foreign), result("call_1", "a"), result("call_2", "b"))

    assert contents[1:] == [
        {
            "role": "model",
            "parts": [
                {"functionCall": {"id": "call_1", "name": "now", "args": {}}, "thoughtSignature": "s"},
                {"functionCall": {"name": "now", "args": {}}},
            ],
        },
        {
            "role": "user",
            "parts": [
                {"functionResponse": {"id": "call_1", "name": "now", "response": {"result": "a"}}},
                {"functionResponse": {"name": "now", "response": {"result": "b"}}},
            ],
        },
    ]


def test_every_signature_goes_back_to_its_place() -> None:
    first = ToolCall("a-0", "a", "{}", state=Opaque(OURS, '{"signature":"s1","before":["s0"]}'))
    last = ToolCall("b-1", "b", "{}", state=Opaque(OURS, '{"after":["s2"]}'))

    _, content, _ = contents_of(HI, called(first, last, text="So."))

    assert content["parts"] == [
        {"text": "So."},
        {"text": "", "thoughtSignature": "s0"},
        {"functionCall": {"name": "a", "args": {}}, "thoughtSignature": "s1"},
        {"functionCall": {"name": "b", "args": {}}},
        {"text": "", "thoughtSignature": "s2"},
    ]


@pytest.mark.parametrize(
    ("model", "states", "signatures"),
    [
        pytest.param("gemini-2.5-pro", ["", ""], [None, None], id="2.5 takes them without"),
        pytest.param("gemini-3-pro-preview", ["", ""], ["skip_thought_signature_validator", None], id="3 does not"),
        pytest.param("gemini-flash-latest", [""], ["skip_thought_signature_validator"], id="nor does the newest"),
        pytest.param("gemini-3.1-pro", ["s1", ""], ["s1", None], id="signed ones are"),
        pytest.param("gemini-3.1-pro", ["", "s2"], [None, "s2"], id="whichever it is"),
    ],
)
def test_calls_that_another_model_made_are_taken(model: str, states: list[str], signatures: list[str | None]) -> None:
    calls = [
        ToolCall(f"a-{index}", "a", "{}", state=Opaque(OURS, json.dumps({"signature": sign})) if sign else None)
        for index, sign in enumerate(states)
    ]

    _, content, _ = contents_of(HI, called(*calls), model=model)

    assert signatures == [part.get("thoughtSignature") for part in content["parts"]]


@pytest.mark.parametrize("arguments", ["", "[1]", '{"a": '])
def test_arguments_are_always_an_object(arguments: str) -> None:
    _, content, _ = contents_of(HI, called(ToolCall("a-0", "a", arguments)))

    assert content["parts"] == [{"functionCall": {"name": "a", "args": {}}}]


def test_the_same_history_gives_the_same_bytes() -> None:
    codec = GoogleCodec(GEMINI)
    prompt = Prompt("x", (HI, called(ToolCall("now-0", "now", "{}")), result("now-0", "noon")), stop=("a",))

    assert codec.encode(prompt) == codec.encode(prompt)


# --- tools and parameters -------------------------------------------------------------


def test_a_tool_is_declared_with_its_schema() -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"anyOf": [{"type": "integer"}, {"type": "null"}]}},
        "required": ["city"],
        "additionalProperties": False,
    }

    body = body_of(Prompt("", (HI,), tools=(ToolSpec("weather", "Tells the weather.", schema),)))

    expected = {name: value for name, value in schema.items() if name != "$schema"}
    declaration = {"name": "weather", "description": "Tells the weather.", "parametersJsonSchema": expected}
    assert body["tools"] == [{"functionDeclarations": [declaration]}]


@pytest.mark.parametrize("schema", [{}, {"type": "object"}, {"type": "object", "properties": {}}])
def test_a_tool_without_parameters_has_none(schema: dict[str, object]) -> None:
    body = body_of(Prompt("", (HI,), tools=(ToolSpec("now", "Tells the time.", schema),)))

    assert body["tools"] == [{"functionDeclarations": [{"name": "now", "description": "Tells the time."}]}]


def test_parameters_have_their_names_and_unknown_ones_are_left_out() -> None:
    sampling = {
        "temperature": 0.5, "top_p": 0.9, "top_k": 40.0, "frequency_penalty": 0.1, "presence_penalty": 0.2,
        "min_p": 0.1, "repetition_penalty": 1.1,
    }  # fmt: skip
    prompt = Prompt("", (HI,), sampling=sampling, max_tokens=100, stop=("a", "b", "c", "d", "e", "f"))

    assert config_of(prompt) == {
        "temperature": 0.5,
        "topP": 0.9,
        "topK": 40,
        "frequencyPenalty": 0.1,
        "presencePenalty": 0.2,
        "maxOutputTokens": 100,
        "stopSequences": ["a", "b", "c", "d", "e"],
    }
    assert '"topK":40,' in GoogleCodec(GEMINI).encode(prompt).body.decode()


def test_the_newer_ones_get_no_penalties_which_they_refuse() -> None:
    sampling = {"temperature": 0.5, "frequency_penalty": 0.1, "presence_penalty": 0.2}

    config = config_of(Prompt("", (HI,), sampling=sampling), model="gemini-2.5-flash")

    assert {"temperature", "thinkingConfig"} == set(config)


@pytest.mark.parametrize(
    ("model", "thinking", "longest"),
    [
        ("gemini-2.0-flash", "high", 100),
        ("gemini-2.5-flash", "none", 100),
        ("gemini-2.5-pro", "none", 100 + 1024),
        ("gemini-2.5-flash", "medium", 100 + 4096),
        ("gemini-3-pro", "auto", 100 + 8192),
    ],
)
def test_thoughts_do_not_cut_an_answer_short(model: str, thinking: str, longest: int) -> None:
    prompt = Prompt("", (HI,), max_tokens=100, thinking=Thinking(thinking))

    assert longest == config_of(prompt, model=model)["maxOutputTokens"]


def test_what_is_not_set_is_not_sent() -> None:
    assert {"contents"} == body_of(Prompt("", (HI,))).keys()


def test_what_else_is_wanted_goes_into_the_body() -> None:
    safety = [{"category": "HARM_CATEGORY_HARASSMENT", "threshold": "BLOCK_NONE"}]
    extra = {"safetySettings": safety, "generationConfig": {"seed": 7}}

    body = body_of(Prompt("", (HI,), sampling={"temperature": 0.5}), extra=extra)

    assert safety == body["safetySettings"]
    assert body["generationConfig"] == {"temperature": 0.5, "seed": 7}


SHOWN = {"includeThoughts": True}


@pytest.mark.parametrize(
    ("model", "thinking", "config"),
    [
        ("gemini-2.5-flash", "auto", {**SHOWN, "thinkingBudget": -1}),
        ("gemini-2.5-flash", "none", {"thinkingBudget": 0}),
        ("gemini-2.5-flash-lite", "none", {"thinkingBudget": 0}),
        ("gemini-2.5-flash-lite", "low", {**SHOWN, "thinkingBudget": 1024}),
        ("gemini-2.5-pro", "none", {"thinkingBudget": 128}),
        ("gemini-2.5-pro", "low", {**SHOWN, "thinkingBudget": 1024}),
        ("gemini-2.5-pro", "medium", {**SHOWN, "thinkingBudget": 4096}),
        ("models/gemini-2.5-pro", "high", {**SHOWN, "thinkingBudget": 8192}),
        ("gemini-3-flash-preview", "auto", SHOWN),
        ("gemini-3-flash-preview", "none", {"thinkingLevel": "MINIMAL"}),
        ("gemini-3-pro-preview", "none", {"thinkingLevel": "LOW"}),
        ("gemini-3-pro-preview", "medium", {**SHOWN, "thinkingLevel": "HIGH"}),
        ("gemini-3.7-flash", "none", {"thinkingLevel": "LOW"}),
        ("gemini-flash-latest", "none", {"thinkingLevel": "LOW"}),
        ("gemini-3.1-pro", "low", {**SHOWN, "thinkingLevel": "LOW"}),
        ("gemini-3.1-pro", "medium", {**SHOWN, "thinkingLevel": "MEDIUM"}),
        ("Gemini-4-Flash", "high", {**SHOWN, "thinkingLevel": "HIGH"}),
        ("gemini-flash-latest", "high", {**SHOWN, "thinkingLevel": "HIGH"}),
        ("gemini-2.5-flash-image", "high", None),
        ("gemini-2.5-flash-preview-tts", "high", None),
        ("gemini-2.0-flash", "high", None),
        ("gemini-1.5-pro", "none", None),
        ("gemma-3-27b-it", "high", None),
    ],
)
def test_how_long_to_think_is_said_as_each_model_takes_it(model: str, thinking: str, config: object) -> None:
    prompt = Prompt("", (HI,), thinking=Thinking(thinking))

    assert config == config_of(prompt, model=model).get("thinkingConfig")


def test_half_an_emoji_does_not_keep_a_prompt_from_being_written() -> None:
    (content,) = contents_of(user("a\ud83d"))

    assert content["parts"] == [{"text": "a\ufffd"}]


# --- against Google's own client ------------------------------------------------------


def camel_cased(value: Any) -> Any:
    """*value* with keys in one of the two ways of writing them that protocol buffers take; their client mixes them."""
    match value:
        case dict():
            return {re.sub(r"_(.)", lambda m: m[1].upper(), key): camel_cased(inner) for key, inner in value.items()}
        case list():
            return [camel_cased(inner) for inner in value]
        case _:
            return value


@IGNORE
async def test_googles_own_client_sends_the_same_for_the_same() -> None:
    schema = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
    call = ToolCall("call_1", "weather", '{"city":"Oslo"}', state=Opaque(OURS, '{"id":true,"signature":"c2lnbmVk"}'))
    prompt = Prompt(
        "be kind",
        (
            user("look", PICTURE, Media(MediaKind.VIDEO, "video/mp4", url="https://youtu.be/x", is_watched=True)),
            called(call, text="Let me see."),
            result("call_1", '{"sky": "blue"}'),
        ),
        tools=(ToolSpec("weather", "Tells the weather.", schema),),
        sampling={"temperature": 0.5, "top_p": 0.9, "top_k": 40},
        stop=("###",),
        thinking=Thinking.LOW,
        max_tokens=100,
    )
    part = types.Part
    contents: types.ContentListUnion = [
        types.Content(
            role="user",
            parts=[
                part(text="look"),
                part(inline_data=types.Blob(mime_type="image/png", data=b"\x89PNG")),
                part(file_data=types.FileData(file_uri="https://youtu.be/x", mime_type="video/mp4")),
            ],
        ),
        types.Content(
            role="model",
            parts=[
                part(text="Let me see."),
                part(
                    function_call=types.FunctionCall(id="call_1", name="weather", args={"city": "Oslo"}),
                    thought_signature=b"signed",
                ),
            ],
        ),
        types.Content(
            role="user",
            parts=[
                part(
                    function_response=types.FunctionResponse(
                        id="call_1", name="weather", response={"result": {"sky": "blue"}}
                    )
                )
            ],
        ),
    ]
    declaration = types.FunctionDeclaration(
        name="weather", description="Tells the weather.", parameters_json_schema=schema
    )
    config = types.GenerateContentConfig(
        system_instruction="be kind",
        temperature=0.5,
        top_p=0.9,
        top_k=40,
        stop_sequences=["###"],
        max_output_tokens=100 + 1024,
        thinking_config=types.ThinkingConfig(include_thoughts=True, thinking_level=types.ThinkingLevel.LOW),
        tools=[types.Tool(function_declarations=[declaration])],
    )

    async with serving(Answer((b'data: {"candidates": []}\r\n\r\n',))) as server, googles_client(server.url) as client:
        async for _ in await client.models.generate_content_stream(
            model="gemini-3-pro-preview", contents=contents, config=config
        ):
            pass
    theirs = server.asked[0]
    ours = GoogleCodec(replace(GEMINI, model="gemini-3-pro-preview", url=f"{server.url}/v1beta")).encode(prompt)

    body = camel_cased(json.loads(theirs.body))
    del body["systemInstruction"]["role"]  # they say that it is the user's, which is not read
    assert body == json.loads(ours.body)
    assert (theirs.method, server.url + theirs.path) == ("POST", ours.url)
    for name in ("x-goog-api-key", "content-type"):
        assert theirs.headers[name] == ours.headers[name]


# --- refusals -------------------------------------------------------------------------


@pytest.mark.parametrize("shape", [dict, list], ids=["an object", "a list"])
@pytest.mark.parametrize(
    ("status", "name", "verdict"),
    [
        (400, "INVALID_ARGUMENT", (ErrorKind.API, False)),
        (403, "PERMISSION_DENIED", (ErrorKind.API, False)),
        (404, "NOT_FOUND", (ErrorKind.API, False)),
        (429, "RESOURCE_EXHAUSTED", (ErrorKind.RATE_LIMIT, True)),
        (500, "INTERNAL", (ErrorKind.API, True)),
        (503, "UNAVAILABLE", (ErrorKind.OVERLOADED, True)),
        (504, "DEADLINE_EXCEEDED", (ErrorKind.TIMEOUT, True)),
    ],
)
def test_a_refusal_is_what_its_status_says(
    status: int, name: str, verdict: tuple[ErrorKind, bool], shape: type
) -> None:
    error = {"error": {"code": status, "message": "Failed to generate content", "status": name}}

    refused = GoogleCodec(GEMINI).refused(
        HttpError(status, {}, json.dumps([error] if shape is list else error).encode())
    )

    assert isinstance(refused, ProviderError)
    assert (*verdict, str(status)) == (refused.kind, refused.retryable, refused.code)
    assert "Failed to generate content" in refused.detail
