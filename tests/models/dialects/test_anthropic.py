from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import anthropic
import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from hypothesis import given, strategies as st
from pydantic import TypeAdapter

from cadenza import MemoryTarget, Model, Settings, Tool, reply
from cadenza.errors import ErrorKind, HttpError
from cadenza.models.dialects.anthropic import AnthropicCodec
from cadenza.models.dialects.dialect import Endpoint
from cadenza.types import (
    Abilities,
    HttpRequest,
    Line,
    Media,
    MediaKind,
    Opaque,
    Persona,
    PrefillMode,
    Prompt,
    PromptTurn,
    Role,
    Scene,
    Thinking,
    ToolCall,
    ToolSpec,
)
from tests.loopback import Answer, serving
from tests.models.conversations import CALL, CALLED, LOOK, PICTURE, PROMPTS, plain, said
from tests.models.recorded import decoded, recorded

KEY = "sk-ant-api03-this-is-secret"
ENDPOINT = Endpoint(
    "anthropic", "claude-sonnet-4-5", "https://api.anthropic.com", KEY, abilities=Abilities(prefill=PrefillMode.TURN)
)
HI = Prompt("", said("Hi"))


def body(prompt: Prompt, model: str = "claude-sonnet-4-5", **changes: Any) -> dict[str, Any]:
    """What is sent for *prompt*."""
    request = AnthropicCodec(replace(ENDPOINT, model=model, **changes)).encode(prompt)
    found: dict[str, Any] = json.loads(request.body)
    return found


def messages(*turns: PromptTurn, model: str = "claude-sonnet-4-5", **changes: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body(replace(HI, turns=turns), model, **changes)["messages"]
    return found


# --- the whole ---------------------------------------------------------------------------


async def test_anthropics_own_client_sends_the_same() -> None:
    prompt = Prompt(
        "You are Ren.",
        (
            *said("Hi", "Hello.", "Look!"),
            PromptTurn(Role.MODEL, ("I will.",), (CALL,)),
            PromptTurn(Role.TOOL, ("A moon.", PICTURE), call_id="c1"),
        ),
        tools=(LOOK,),
        sampling={"temperature": 0.7, "top_k": 40.0, "min_p": 0.1},
        stop=("\nRen:",),
        max_tokens=500,
    )
    image = {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cGljdHVyZQ=="}}
    async with serving(Answer((b"",))) as server:
        async with anthropic.AsyncAnthropic(base_url=server.url, api_key=KEY, max_retries=0) as client:
            stream = await client.messages.create(
                model="claude-haiku-4-5",
                max_tokens=500,
                system=[{"type": "text", "text": "You are Ren.", "cache_control": {"type": "ephemeral"}}],
                messages=[
                    {"role": "user", "content": "Hi"},
                    {"role": "assistant", "content": "Hello."},
                    {"role": "user", "content": "Look!"},
                    {
                        "role": "assistant",
                        "content": [
                            {"type": "text", "text": "I will."},
                            {"type": "tool_use", "id": "c1", "name": "look", "input": {"at": "月"}},
                        ],
                    },
                    {
                        "role": "user",
                        "content": [
                            {
                                "type": "tool_result",
                                "tool_use_id": "c1",
                                "content": [{"type": "text", "text": "A moon."}, image],  # type: ignore[list-item]
                            }
                        ],
                    },
                ],
                tools=[
                    {
                        "name": "look",
                        "description": "Looks.",
                        "input_schema": {"type": "object", "properties": {"at": {"type": "string"}}},
                        "cache_control": {"type": "ephemeral"},
                    }
                ],
                stop_sequences=["\nRen:"],
                stream=True,
                extra_body={"temperature": 0.7, "top_k": 40},  # the client no longer names what only older models take
            )
            await stream.close()
        await server.quiet()
        (theirs,) = server.asked

        ours = AnthropicCodec(replace(ENDPOINT, model="claude-haiku-4-5", url=server.url)).encode(prompt)

    assert f"{server.url}{theirs.path}" == ours.url
    assert json.loads(theirs.body) == json.loads(ours.body)
    assert theirs.headers["content-type"] == ours.headers["content-type"]
    assert "2023-06-01" == ours.headers["anthropic-version"]  # the client's own is later, and takes no sampling


WRITTEN = TypeAdapter(MessageCreateParamsStreaming)
"""What the client's own types say of a request."""


MODELS = ("claude-3-haiku-20240307", "claude-sonnet-4-5", "claude-sonnet-4-6", "claude-sonnet-5-5", "claude-fable-5")


@given(PROMPTS, st.sampled_from(MODELS))
def test_what_is_written_is_what_the_interface_describes(prompt: Prompt, model: str) -> None:
    """Anthropic's own types take the body whole, and know every field of it; and what they cannot say holds too."""
    sent = body(prompt, model)

    named = {name: value for name, value in sent.items() if name not in ("temperature", "top_p", "top_k")}
    assert plain(WRITTEN.validate_python(sent)) == named
    roles = [message["role"] for message in sent["messages"]]
    assert roles[0] == "user"
    assert all(before != after for before, after in pairwise(roles))
    assert sent["thinking"].get("budget_tokens", 0) < sent["max_tokens"] if "thinking" in sent else True


@given(PROMPTS, st.sampled_from(MODELS))
def test_the_same_prompt_is_the_same_bytes(prompt: Prompt, model: str) -> None:
    codec = AnthropicCodec(replace(ENDPOINT, model=model))

    assert codec.encode(prompt) == codec.encode(prompt)


@pytest.mark.parametrize(
    "base",
    [
        "https://api.anthropic.com",
        "https://api.anthropic.com/",
        "https://api.anthropic.com/v1",
        "https://api.anthropic.com/v1/messages",
    ],
)
def test_the_address_is_found_whatever_of_it_is_given(base: str) -> None:
    assert AnthropicCodec(replace(ENDPOINT, url=base)).encode(HI).url == "https://api.anthropic.com/v1/messages"


def test_the_key_is_in_a_header_and_nowhere_else() -> None:
    request = AnthropicCodec(ENDPOINT).encode(HI)

    assert KEY == request.headers["x-api-key"]
    assert KEY not in request.url + request.body.decode() + repr(request)
    assert "x-api-key" not in AnthropicCodec(replace(ENDPOINT, key="")).encode(HI).headers


def test_headers_of_the_endpoint_are_added_and_come_first() -> None:
    headers = {"anthropic-beta": "context-1m-2025-08-07", "anthropic-version": "2099-01-01"}

    sent = AnthropicCodec(replace(ENDPOINT, headers=headers)).encode(HI).headers

    assert headers == {name: sent[name] for name in headers}


def test_extra_fields_are_added_replace_ours_or_take_them_away() -> None:
    sent = body(replace(HI, stop=("x",)), extra={"max_tokens": 7, "metadata": {"user_id": "u"}, "stop_sequences": None})

    assert (7, {"user_id": "u"}) == (sent["max_tokens"], sent["metadata"])
    assert "stop_sequences" not in sent


# --- caching --------------------------------------------------------------------------------


def test_tools_and_instructions_are_marked_for_the_cache() -> None:
    sent = body(replace(HI, system="You are Ren.", tools=(LOOK, replace(LOOK, name="hear"))))

    assert [{"type": "text", "text": "You are Ren.", "cache_control": {"type": "ephemeral"}}] == sent["system"]
    assert [None, {"type": "ephemeral"}] == [tool.get("cache_control") for tool in sent["tools"]]


@pytest.mark.parametrize("told", [None, {"type": "ephemeral", "ttl": "1h"}], ids=repr)
def test_whoever_minds_the_cache_themselves_finds_no_marks_of_ours(told: object) -> None:
    sent = body(replace(HI, system="You are Ren.", tools=(LOOK,)), extra={"cache_control": told})

    assert told == sent.pop("cache_control", None)
    assert "cache_control" not in json.dumps(sent)


# --- thinking ---------------------------------------------------------------------------------

DISABLED = {"type": "disabled"}
SHOWN = {"type": "adaptive", "display": "summarized"}


@pytest.mark.parametrize(
    ("model", "thinking", "told", "effort", "tokens"),
    [
        ("claude-3-haiku-20240307", Thinking.HIGH, None, None, 4096),
        ("claude-3-5-haiku-20241022", Thinking.NONE, None, None, 8192),
        ("claude-sonnet-4-5", Thinking.AUTO, None, None, 8192),
        ("claude-sonnet-4-5", Thinking.NONE, DISABLED, None, 8192),
        ("claude-sonnet-4-5", Thinking.LOW, {"type": "enabled", "budget_tokens": 1024}, None, 9216),
        ("claude-sonnet-4-5", Thinking.MEDIUM, {"type": "enabled", "budget_tokens": 4096}, None, 12288),
        ("claude-sonnet-4-5", Thinking.HIGH, {"type": "enabled", "budget_tokens": 8192}, None, 16384),
        ("claude-opus-4-6", Thinking.AUTO, {"type": "adaptive"}, None, 16384),
        ("claude-opus-4-6", Thinking.MEDIUM, {"type": "adaptive"}, "medium", 12288),
        ("claude-opus-4-6", Thinking.NONE, DISABLED, None, 8192),
        ("claude-opus-4-8", Thinking.LOW, SHOWN, "low", 9216),
        ("claude-opus-4-8", Thinking.NONE, DISABLED, None, 8192),
        ("claude-opus-5-5", Thinking.NONE, SHOWN, "low", 9216),
        ("claude-sonnet-5-5", Thinking.NONE, {"type": "between_tools"}, None, 9216),
        ("claude-fable-5", Thinking.NONE, SHOWN, "low", 9216),
        ("claude-fable-5", Thinking.HIGH, SHOWN, "high", 16384),
        ("glm-4.6", Thinking.AUTO, None, None, 8192),
        ("glm-4.6", Thinking.LOW, {"type": "enabled", "budget_tokens": 1024}, None, 9216),
    ],
)
def test_each_generation_is_told_to_think_in_its_own_way(
    model: str, thinking: Thinking, told: object, effort: str | None, tokens: int
) -> None:
    sent = body(replace(HI, thinking=thinking), model)

    assert told == sent.get("thinking")
    assert effort == sent.get("output_config", {}).get("effort")
    assert tokens == sent["max_tokens"]


def test_thinking_can_be_said_in_the_interfaces_own_words() -> None:
    told = {"type": "enabled", "budget_tokens": 2000}

    sent = body(replace(HI, sampling={"temperature": 0.5}, prefill="Well"), extra={"thinking": told})

    assert told == sent["thinking"]
    assert "temperature" not in sent
    assert [message["role"] for message in sent["messages"]] == ["user"]


def test_the_length_of_an_answer_does_not_shrink_for_thoughts() -> None:
    assert 100 == body(replace(HI, max_tokens=100))["max_tokens"]
    assert 1124 == body(replace(HI, max_tokens=100, thinking=Thinking.LOW))["max_tokens"]


# --- sampling and stops -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "thinking", "sent"),
    [
        ("claude-sonnet-4-20250514", Thinking.AUTO, {"temperature": 1.0, "top_p": 0.9, "top_k": 20}),
        ("claude-opus-4-1", Thinking.AUTO, {"temperature": 1.0, "top_k": 20}),
        ("claude-sonnet-4-5", Thinking.AUTO, {"temperature": 1.0, "top_k": 20}),
        ("claude-sonnet-4-5", Thinking.LOW, {}),
        ("claude-opus-4-6", Thinking.NONE, {"temperature": 1.0, "top_k": 20}),
        ("claude-opus-4-6", Thinking.AUTO, {}),
        ("claude-opus-4-7", Thinking.NONE, {}),
        ("claude-fable-5", Thinking.AUTO, {}),
    ],
)
def test_only_the_sampling_that_a_model_takes_is_sent(model: str, thinking: Thinking, sent: dict[str, float]) -> None:
    given_ = {"temperature": 1.5, "top_p": 0.9, "top_k": 20.0, "min_p": 0.1, "frequency_penalty": 0.2}

    found = body(replace(HI, sampling=given_, thinking=thinking), model)

    assert sent == {name: found[name] for name in given_ if name in found}


def test_of_two_that_exclude_each_other_the_only_one_that_is_set_is_sent() -> None:
    assert 0.9 == body(replace(HI, sampling={"top_p": 0.9}))["top_p"]


def test_blank_stops_are_refused_by_the_interface_so_they_are_left_out() -> None:
    assert ["\nRen:"] == body(replace(HI, stop=("\n", "\nRen:", " ")))["stop_sequences"]
    assert "stop_sequences" not in body(replace(HI, stop=("\n",)))


# --- turns ----------------------------------------------------------------------------------------


def test_results_of_several_calls_stand_in_one_message_and_what_is_said_next_behind_them() -> None:
    calls = (CALL, replace(CALL, id="t2"))
    results = [PromptTurn(Role.TOOL, (text,), call_id=call.id) for text, call in zip(("A.", ""), calls, strict=True)]

    *_, called, last = messages(*said("Look!"), PromptTurn(Role.MODEL, (), calls), *results, *said("And?"))

    use = {"type": "tool_use", "name": "look", "input": {"at": "月"}}
    assert {"role": "assistant", "content": [{**use, "id": "c1"}, {**use, "id": "t2"}]} == called
    assert [
        {"type": "tool_result", "tool_use_id": "c1", "content": "A."},
        {"type": "tool_result", "tool_use_id": "t2"},
        {"type": "text", "text": "And?"},
    ] == last["content"]


def test_an_id_of_another_vendor_is_written_so_that_it_is_taken() -> None:
    call = replace(CALL, id="functions.look:0")

    _, called, result = messages(
        *said("Look!"), PromptTurn(Role.MODEL, (), (call,)), PromptTurn(Role.TOOL, ("A.",), call_id=call.id)
    )

    assert "call00000" == called["content"][0]["id"] == result["content"][0]["tool_use_id"]


@pytest.mark.parametrize("arguments", ["", "[]", "nonsense", "{"])
def test_arguments_that_are_no_object_are_an_empty_one(arguments: str) -> None:
    turn = PromptTurn(Role.MODEL, (), (replace(CALL, arguments=arguments),))

    assert {} == messages(*said("Look!"), turn, *CALLED[2:])[1]["content"][0]["input"]


def test_calls_among_the_turns_name_their_tools_even_if_none_may_be_used_now() -> None:
    sent = body(replace(HI, turns=CALLED))

    assert [{"name": "look", "input_schema": {"type": "object", "properties": {}}}] == sent["tools"]
    assert {"type": "none"} == sent["tool_choice"]


def test_nothing_said_at_all_is_still_a_conversation() -> None:
    assert [{"role": "user", "content": "[System: Conversation start]"}] == messages()


def test_blank_words_are_left_out() -> None:
    assert [{"role": "user", "content": "Hi"}] == messages(PromptTurn(Role.USER, (" \n", "Hi", "")))


# --- words to begin with ------------------------------------------------------------------------


def test_words_to_begin_with_are_a_last_turn_without_white_space_behind_them() -> None:
    assert [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Once upon"}] == body(
        replace(HI, prefill="Once upon \n")
    )["messages"]


@pytest.mark.parametrize(
    ("model", "thinking"),
    [("claude-sonnet-4-5", Thinking.LOW), ("claude-opus-4-6", Thinking.NONE), ("claude-fable-5", Thinking.AUTO)],
)
def test_where_nobody_may_begin_for_the_model_it_is_asked_to(model: str, thinking: Thinking) -> None:
    sent = body(replace(HI, prefill="Once upon", thinking=thinking), model)["messages"]

    assert [message["role"] for message in sent] == ["user"]
    assert "Once upon" in sent[0]["content"]


def test_a_model_that_must_not_speak_last_is_asked_to_go_on() -> None:
    turns = said("Hi", "Hello.")

    assert [("user", "Hi"), ("assistant", "Hello."), ("user", "[System: Continue]")] == [
        (message["role"], message["content"]) for message in messages(*turns, model="claude-opus-4-8")
    ]
    assert "assistant" == messages(*turns)[-1]["role"]


# --- pictures -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("media", "block"),
    [
        pytest.param(
            PICTURE,
            {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "cGljdHVyZQ=="}},
            id="data",
        ),
        pytest.param(
            Media(MediaKind.IMAGE, "", "data:image/jpg;base64,YWJj"),
            {"type": "image", "source": {"type": "base64", "media_type": "image/jpeg", "data": "YWJj"}},
            id="data URI",
        ),
        pytest.param(
            Media(MediaKind.IMAGE, "image/png", "https://a.example/b.png"),
            {"type": "image", "source": {"type": "url", "url": "https://a.example/b.png"}},
            id="link",
        ),
        pytest.param(
            Media(MediaKind.IMAGE, "image/heic", data=b"abc"),
            {"type": "text", "text": "[An image that cannot be shown here: image/heic]"},
            id="of a kind that is not taken",
        ),
    ],
)
def test_a_picture_is_shown_or_named(media: Media, block: dict[str, object]) -> None:
    assert [{"type": "text", "text": "See"}, block] == messages(PromptTurn(Role.USER, ("See", media)))[0]["content"]


def test_a_picture_that_is_nowhere_to_be_had_is_told_of() -> None:
    nowhere = Media(MediaKind.IMAGE, "image/png", "attachment://b.png")

    (message,) = messages(PromptTurn(Role.USER, ("See", nowhere)))

    assert message["content"] == "See\n[An image was sent here that cannot be loaded.]"


# --- what was thought before a call ------------------------------------------------------------------


def continued(model: str, thinking: Thinking = Thinking.AUTO, **changes: Any) -> dict[str, Any]:
    """What is sent after the calls of a recorded answer were answered, to *model*."""
    stream = next(path for path in recorded("anthropic") if path.stem == "thinking-calls")
    codec = AnthropicCodec(replace(ENDPOINT, model="claude-sonnet-4-6"))
    calls = tuple(chunk for chunk in decoded(codec, [stream.read_bytes()]) if isinstance(chunk, ToolCall))
    results = [PromptTurn(Role.TOOL, ("Sunny.",), call_id=call.id) for call in calls]
    turns = (*said("Weather?"), PromptTurn(Role.MODEL, ("Both at once:",), calls), *results)
    return body(Prompt("", turns, tools=(LOOK,), thinking=thinking), model, **changes)


def kinds(sent: dict[str, Any]) -> list[str]:
    return [block["type"] for block in sent["messages"][1]["content"]]


def test_thoughts_go_back_with_their_calls_as_they_came() -> None:
    sent = continued("claude-sonnet-4-6")

    assert ["thinking", "redacted_thinking", "text", "tool_use", "tool_use"] == kinds(sent)
    thinking, redacted, *_ = sent["messages"][1]["content"]
    assert {
        "type": "thinking",
        "thinking": "Two cities: two calls.",
        "signature": "EqQBCgIYAhIM1gbcDa9GJwZA2b3hGgxBdjrkzLoky3dl1pkiMOYds==",
    } == thinking
    assert redacted["data"].startswith("EmwKAhgBEgy3va3pzix")
    assert plain(WRITTEN.validate_python(sent)) == sent


async def test_a_whole_reply_with_tools_carries_its_thoughts_along() -> None:
    bodies = {path.stem: path.read_bytes() for path in recorded("anthropic")}
    answers = [bodies["thinking-calls"], bodies["text"]]
    asked: list[dict[str, Any]] = []

    async def transport(request: HttpRequest) -> AsyncIterator[bytes]:
        asked.append(json.loads(request.body))
        yield answers.pop(0)

    async def weather(arguments: Mapping[str, object], *_: object) -> object:
        return f"Sunny in {arguments['city']}."

    model = Model(AnthropicCodec(replace(ENDPOINT, model="claude-sonnet-4-6")), transport)
    scene = Scene("general", Persona("Ren"), (Line("Ann", "Weather?"),))
    target = MemoryTarget()
    tools = {"get_weather": Tool(ToolSpec("get_weather", "Tells.", {}), weather)}

    await reply(scene, model, target, settings=Settings.of(degree=1), tools=tools)

    _, called, results = asked[1]["messages"]
    assert ["thinking", "redacted_thinking", "text", "tool_use", "tool_use"] == [
        one["type"] for one in called["content"]
    ]
    assert ["Sunny in Oslo.", "Sunny in 京都."] == [one["content"] for one in results["content"]]
    assert "Both at once:" == target.texts[0]
    assert target.texts[-1].endswith("done.")


def test_thoughts_go_to_nobody_else() -> None:
    plain_kinds = ["text", "tool_use", "tool_use"]

    assert plain_kinds == kinds(continued("claude-opus-4-8"))
    assert plain_kinds == kinds(continued("claude-sonnet-4-6", vendor="somebody"))
    assert plain_kinds == kinds(continued("claude-sonnet-4-6", Thinking.NONE))


def test_a_model_with_a_budget_does_not_think_on_about_calls_of_another() -> None:
    assert {"type": "disabled"} == continued("claude-sonnet-4-5", Thinking.LOW)["thinking"]


def test_a_model_with_a_budget_thinks_on_about_its_own_calls_and_about_what_is_said_after_them() -> None:
    state = Opaque("anthropic:anthropic", json.dumps({"model": "claude-sonnet-4-5", "blocks": [{"type": "thinking"}]}))
    own = PromptTurn(Role.MODEL, (), (replace(CALL, state=state),))
    later = PromptTurn(Role.MODEL, (), (replace(CALL, id="t2"),))  # it thinks once, before the first
    result = PromptTurn(Role.TOOL, ("A.",), call_id="c1")
    thinking = replace(HI, thinking=Thinking.LOW)

    for turns in (
        (*said("Look!"), own, result),
        (*said("Look!"), own, result, later, replace(result, call_id="t2")),
        (*CALLED, *said("And?")),
    ):
        assert "enabled" == body(replace(thinking, turns=turns))["thinking"]["type"]


@pytest.mark.parametrize("data", ["", "[]", '{"model": "claude-sonnet-4-6", "blocks": 3}'])
def test_a_state_that_cannot_be_read_is_not_there(data: str) -> None:
    turn = PromptTurn(Role.MODEL, (), (replace(CALL, state=Opaque("anthropic:anthropic", data)),))

    sent = messages(*said("Look!"), turn, *CALLED[2:], model="claude-sonnet-4-6")

    assert ["tool_use"] == [block["type"] for block in sent[1]["content"]]


def test_words_stand_where_they_stood_among_the_thoughts() -> None:
    blocks = [{"type": "text"}, {"type": "thinking", "thinking": "Hm.", "signature": "s"}, {"type": "text"}]
    state = Opaque("anthropic:anthropic", json.dumps({"model": "claude-sonnet-4-6", "blocks": blocks}))
    turn = PromptTurn(Role.MODEL, ("I will.",), (replace(CALL, state=state),))

    sent = messages(*said("Look!"), turn, *CALLED[2:], model="claude-sonnet-4-6")

    assert ["text", "thinking", "tool_use"] == [block["type"] for block in sent[1]["content"]]


# --- refusals -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("status", "answer"),
    [
        pytest.param(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}, id="529"),
        pytest.param(
            529,
            {"error": {"message": '{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}'}},
            id="wrapped twice",
        ),
    ],
)
def test_b27_too_much_to_do_is_recognised_and_may_be_tried_again(status: int, answer: object) -> None:
    error = AnthropicCodec(ENDPOINT).refused(HttpError(status, {}, json.dumps(answer).encode()))

    assert (ErrorKind.OVERLOADED, True) == (error.kind, error.retryable)
