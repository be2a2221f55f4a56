from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import openai
import pytest
from hypothesis import given, strategies as st
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

from cadenza.errors import ErrorKind, HttpError
from cadenza.models.dialects.dialect import Endpoint
from cadenza.models.dialects.openai_responses import ResponsesCodec
from cadenza.types import Media, MediaKind, Opaque, Prompt, PromptTurn, Role, Thinking, ToolCall
from tests.loopback import Answer, serving
from tests.models.conversations import CALL, CALLED, LOOK, PICTURE, PROMPTS, plain, said
from tests.models.recorded import decoded, recorded

KEY = "sk-proj-this-is-secret"
ENDPOINT = Endpoint("openai", "gpt-5.1", "https://api.openai.com/v1", KEY)
HI = Prompt("", said("Hi"))


def body(prompt: Prompt, model: str = "gpt-5.1", **changes: Any) -> dict[str, Any]:
    """What is sent for *prompt*."""
    found: dict[str, Any] = json.loads(ResponsesCodec(replace(ENDPOINT, model=model, **changes)).encode(prompt).body)
    return found


def items(*turns: PromptTurn, **changes: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body(replace(HI, turns=turns), **changes)["input"]
    return found


# --- the whole -----------------------------------------------------------------------------


async def test_openais_own_client_sends_the_same() -> None:
    prompt = Prompt(
        "You are Ren.",
        (
            *said("Hi", "Hello."),
            PromptTurn(Role.USER, ("Look!", PICTURE)),
            PromptTurn(Role.MODEL, ("I will.",), (CALL,)),
            PromptTurn(Role.TOOL, ("A moon.",), call_id="c1"),
        ),
        tools=(LOOK,),
        sampling={"temperature": 0.7, "top_p": 0.9, "top_k": 40.0},
        stop=("\nRen:",),
        thinking=Thinking.MEDIUM,
        max_tokens=500,
    )
    async with serving(Answer((b"",))) as server:
        async with openai.AsyncOpenAI(base_url=f"{server.url}/v1", api_key=KEY, max_retries=0) as client:
            stream = await client.responses.create(
                model="gpt-5.1",
                instructions="You are Ren.",
                input=[
                    {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": "Hello."},
                    {
                        "role": "user",
                        "content": [
                            {"type": "input_text", "text": "Look!"},
                            {
                                "type": "input_image",
                                "image_url": "data:image/png;base64,cGljdHVyZQ==",
                                "detail": "auto",
                            },
                        ],
                    },
                    {"role": "assistant", "content": "I will."},
                    {"type": "function_call", "call_id": "c1", "name": "look", "arguments": '{"at": "月"}'},
                    {"type": "function_call_output", "call_id": "c1", "output": "A moon."},
                ],
                tools=[
                    {
                        "type": "function",
                        "name": "look",
                        "description": "Looks.",
                        "parameters": {"type": "object", "properties": {"at": {"type": "string"}}},
                        "strict": False,
                    }
                ],
                max_output_tokens=500 + 4096,
                reasoning={"effort": "medium", "summary": "auto"},
                include=["reasoning.encrypted_content"],
                store=False,
                stream=True,
            )
            await stream.close()
        await server.quiet()
        (theirs,) = server.asked

        ours = ResponsesCodec(replace(ENDPOINT, url=f"{server.url}/v1")).encode(prompt)

    assert f"{server.url}{theirs.path}" == ours.url
    assert json.loads(theirs.body) == json.loads(ours.body)
    assert {name: theirs.headers[name] for name in ours.headers} == ours.headers


WRITTEN = TypeAdapter(ResponseCreateParamsStreaming)
"""What the client's own types say of a request."""


@given(PROMPTS, st.sampled_from(("gpt-4.1", "gpt-5-mini", "gpt-5.1", "o3")))
def test_what_is_written_is_what_the_interface_describes(prompt: Prompt, model: str) -> None:
    """OpenAI's own types take the body whole, and know every field of it; the same prompt is the same bytes."""
    codec = ResponsesCodec(replace(ENDPOINT, model=model))

    sent = json.loads(codec.encode(prompt).body)

    assert plain(WRITTEN.validate_python(sent)) == sent
    assert codec.encode(prompt) == codec.encode(prompt)


@pytest.mark.parametrize("base", ["https://a.example/v1", "https://a.example/v1/", "https://a.example/v1/responses"])
def test_the_address_is_found_whatever_of_it_is_given(base: str) -> None:
    assert ResponsesCodec(replace(ENDPOINT, url=base)).encode(HI).url == "https://a.example/v1/responses"


def test_the_key_is_in_a_header_and_nowhere_else() -> None:
    request = ResponsesCodec(ENDPOINT).encode(HI)

    assert f"Bearer {KEY}" == request.headers["authorization"]
    assert KEY not in request.url + request.body.decode() + repr(request)
    assert "authorization" not in ResponsesCodec(replace(ENDPOINT, key="")).encode(HI).headers


def test_extra_fields_and_headers_are_added_replace_ours_or_take_them_away() -> None:
    changes = {"extra": {"store": True, "service_tier": "flex", "include": None}, "headers": {"openai-project": "p"}}

    sent = body(HI, **changes)

    assert (True, "flex") == (sent["store"], sent["service_tier"])
    assert "include" not in sent
    assert "p" == ResponsesCodec(replace(ENDPOINT, **changes)).encode(HI).headers["openai-project"]  # type: ignore[arg-type]


def test_there_are_no_stops_and_no_words_to_begin_with_in_this_interface() -> None:
    sent = body(replace(HI, stop=("\nRen:",), prefill="Once upon"))

    assert "stop" not in sent
    assert ["user"] == list(dict.fromkeys(item["role"] for item in sent["input"]))
    assert "Once upon" in sent["input"][-1]["content"]


# --- thinking and sampling ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "thinking", "reasoning", "sampling"),
    [
        ("gpt-4.1", Thinking.HIGH, None, {"temperature": 0.7, "top_p": 0.9}),
        ("gpt-5.1", Thinking.AUTO, {"summary": "auto"}, {}),
        ("gpt-5.1", Thinking.LOW, {"effort": "low", "summary": "auto"}, {}),
        ("gpt-5.1", Thinking.NONE, {"effort": "none"}, {"temperature": 0.7, "top_p": 0.9}),
        ("gpt-5-mini", Thinking.NONE, {"effort": "minimal", "summary": "auto"}, {}),
        ("o3", Thinking.NONE, {"effort": "low", "summary": "auto"}, {}),
    ],
)
def test_a_model_that_thinks_is_told_how_hard_and_takes_no_sampling(
    model: str, thinking: Thinking, reasoning: object, sampling: dict[str, float]
) -> None:
    given_ = {"temperature": 0.7, "top_p": 0.9, "top_k": 20.0}

    sent = body(replace(HI, thinking=thinking, sampling=given_), model)

    assert reasoning == sent.get("reasoning")
    assert sampling == {name: sent[name] for name in given_ if name in sent}
    assert (["reasoning.encrypted_content"] if reasoning else None) == sent.get("include")
    assert sent["store"] is False


@pytest.mark.parametrize(
    ("model", "thinking", "asked", "sent"),
    [
        ("gpt-5.1", Thinking.AUTO, 0, None),
        ("gpt-4.1", Thinking.AUTO, 500, 500),
        ("gpt-4.1", Thinking.AUTO, 1, 16),
        ("gpt-5.1", Thinking.NONE, 500, 500),
        ("gpt-5.1", Thinking.LOW, 500, 1524),
        ("o3", Thinking.NONE, 500, 1524),
    ],
)
def test_the_length_of_an_answer_does_not_shrink_for_thoughts(
    model: str, thinking: Thinking, asked: int, sent: int | None
) -> None:
    assert sent == body(replace(HI, thinking=thinking, max_tokens=asked), model).get("max_output_tokens")


# --- turns ------------------------------------------------------------------------------------------


def test_what_a_tool_shows_goes_with_what_it_says() -> None:
    *_, result = items(*CALLED[:2], PromptTurn(Role.TOOL, ("A moon.", PICTURE), call_id="c1"))

    assert [
        {"type": "input_text", "text": "A moon."},
        {"type": "input_image", "image_url": "data:image/png;base64,cGljdHVyZQ==", "detail": "auto"},
    ] == result["output"]


def test_a_link_is_a_link_and_what_is_nowhere_is_named() -> None:
    link, nowhere = (Media(MediaKind.IMAGE, "image/png", url) for url in ("https://a.example/b.png", "attachment://b"))

    ((message),) = items(PromptTurn(Role.USER, (link, nowhere)))

    assert [
        {"type": "input_image", "image_url": "https://a.example/b.png", "detail": "auto"},
        {"type": "input_text", "text": "[An image was sent here that cannot be loaded.]"},
    ] == message["content"]


def test_a_result_of_nothing_is_an_empty_text() -> None:
    assert "" == items(*CALLED[:2], PromptTurn(Role.TOOL, (), call_id="c1"))[-1]["output"]


def test_nothing_said_at_all_is_still_a_conversation() -> None:
    assert [{"role": "user", "content": "[System: Conversation start]"}] == items()


def test_an_id_of_another_vendor_is_as_short_as_it_must_be() -> None:
    call = replace(CALL, id=f"{'x' * 80}-1")

    *_, called, result = items(
        *said("Look!"), PromptTurn(Role.MODEL, (), (call,)), PromptTurn(Role.TOOL, ("A.",), call_id=call.id)
    )

    assert "call00000" == called["call_id"] == result["call_id"]


def test_words_and_several_calls_stand_in_their_order() -> None:
    turn = PromptTurn(Role.MODEL, ("One.", "Two."), (CALL, replace(CALL, id="c2", arguments="")))

    _, message, first, second, *_ = items(*said("Look!"), turn)

    assert {"role": "assistant", "content": "One.\nTwo."} == message
    assert [("c1", '{"at": "月"}'), ("c2", "{}")] == [(call["call_id"], call["arguments"]) for call in (first, second)]


# --- what was reasoned before a call ------------------------------------------------------------------


def continued(model: str, **changes: Any) -> list[dict[str, Any]]:
    """What is sent after the calls of a recorded answer were answered, to *model*."""
    stream = next(path for path in recorded("openai-responses") if path.stem == "calls")
    chunks = decoded(ResponsesCodec(ENDPOINT), [stream.read_bytes()])
    calls = tuple(chunk for chunk in chunks if isinstance(chunk, ToolCall))
    results = [PromptTurn(Role.TOOL, ("Sunny.",), call_id=call.id) for call in calls]
    turns = (*said("Weather?"), PromptTurn(Role.MODEL, ("I'll look both up.",), calls), *results)
    found: list[dict[str, Any]] = body(replace(HI, turns=turns), model, **changes)["input"]
    return found


def test_reasoning_goes_back_with_its_calls_as_it_came() -> None:
    _, reasoning, message, *rest = continued("gpt-5.1")

    assert {
        "type": "reasoning",
        "id": "rs_67ccd3a9da748190baa7f1570fe91ac600",
        "summary": [{"type": "summary_text", "text": "**Two cities**"}],
        "encrypted_content": "gAAAAABpMz0x7Jc2kq_partial",
    } == reasoning
    assert {"role": "assistant", "content": "I'll look both up.", "phase": "commentary"} == message
    assert ["function_call", "function_call", "function_call_output", "function_call_output"] == [
        item["type"] for item in rest
    ]


def test_reasoning_goes_to_nobody_else() -> None:
    for sent in (continued("gpt-5.2"), continued("gpt-5.1", vendor="somebody")):
        assert {"role": "assistant", "content": "I'll look both up."} == sent[1]
        assert "reasoning" not in [item.get("type") for item in sent]


@pytest.mark.parametrize("data", ["", "[]", '{"model": "gpt-5.1", "items": 3}'])
def test_a_state_that_cannot_be_read_is_not_there(data: str) -> None:
    turn = PromptTurn(Role.MODEL, (), (replace(CALL, state=Opaque("openai-responses:openai", data)),))

    assert [None, "function_call", "function_call_output"] == [item.get("type") for item in items(*said("Look!"), turn)]


def test_a_message_among_the_reasoning_that_was_never_shown_is_not_made_up() -> None:
    data = json.dumps({"model": "gpt-5.1", "items": [{"type": "message", "phase": "commentary"}]})
    turn = PromptTurn(Role.MODEL, (), (replace(CALL, state=Opaque("openai-responses:openai", data)),))

    assert [None, "function_call", "function_call_output"] == [item.get("type") for item in items(*said("Look!"), turn)]


# --- refusals ------------------------------------------------------------------------------------------


def test_a_refusal_is_read_and_a_smaller_request_is_known() -> None:
    codec = ResponsesCodec(ENDPOINT)
    request = codec.encode(HI)

    error = codec.refused(HttpError(429, {}, b'{"error": {"message": "Slow down.", "code": "rate_limit_exceeded"}}'))

    assert (ErrorKind.RATE_LIMIT, True) == (error.kind, error.retryable)
    assert request == codec.attempts(request).request
    assert "gpt-5.1" in codec.attempts(request).key
