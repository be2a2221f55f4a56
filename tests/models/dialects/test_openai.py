from __future__ import annotations

import base64
import json
from dataclasses import replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest
from openai import APIError, AsyncOpenAI

from cadenza.errors import HttpError, ProviderError
from cadenza.models.dialects.openai import OpenAICodec
from cadenza.models.vendors import codec
from cadenza.types import (
    Abilities,
    HttpRequest,
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
from tests.models.conversations import called, result
from tests.models.recorded import expected, recorded

PNG = Media(MediaKind.IMAGE, "image/png", data=b"picture")
PNG_URL = "data:image/png;base64," + base64.b64encode(b"picture").decode()
JPEG_URL = PNG_URL.replace("png", "jpeg")
LINK = Media(MediaKind.IMAGE, "image/png", url="https://pictures.example/cat.png")
VIDEO = Media(MediaKind.VIDEO, "video/mp4", url="https://films.example/cat.mp4")
WEATHER = ToolSpec(
    "weather",
    "Says what the weather is.",
    MappingProxyType({"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}),
)
HELLO = PromptTurn.said(Role.USER, "Hello")


def request(vendor: str, prompt: Prompt, model: str = "a-model", **options: Any) -> HttpRequest:
    if vendor == "custom":
        options.setdefault("url", "http://localhost:1/v1")
    return codec(vendor, model, key="sk-secret", **options).encode(prompt)


def body(vendor: str, prompt: Prompt, model: str = "a-model", **options: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(request(vendor, prompt, model, **options).body)
    return found


def asked(*turns: PromptTurn, **fields: Any) -> Prompt:
    return Prompt(fields.pop("system", ""), turns or (HELLO,), **fields)


def messages(vendor: str, *turns: PromptTurn, **fields: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = body(vendor, asked(*turns, **fields))["messages"]
    return found


def refused(status: int, words: str) -> ProviderError:
    return codec("openai", "m").refused(HttpError(status, {}, json.dumps({"error": {"message": words}}).encode()))


class TestTheRequest:
    def test_it_goes_to_the_vendor_with_the_key_in_a_header_only(self) -> None:
        sent = request("openai", asked())

        assert "https://api.openai.com/v1/chat/completions" == sent.url
        assert "Bearer sk-secret" == sent.headers["authorization"]
        assert "sk-secret" not in f"{sent.url}{sent.body!r}{sent!r}"

    def test_without_a_key_there_is_no_such_header(self) -> None:
        sent = codec("llamacpp", "a-model").encode(asked())

        assert "authorization" not in sent.headers

    def test_the_same_prompt_is_always_the_same_bytes(self) -> None:
        sampling = {"temperature": 0.5, "top_p": 0.9, "min_p": 0.1}
        other_way_round = dict(reversed(sampling.items()))

        first, second = (request("custom", asked(sampling=values)).body for values in (sampling, other_way_round))

        assert first == second

    def test_the_fields_have_a_steady_order(self) -> None:
        prompt = asked(
            system="S",
            tools=(WEATHER,),
            sampling={"temperature": 1.0},
            stop=("#",),
            max_tokens=9,
            thinking=Thinking.LOW,
        )

        assert [
            "model", "messages", "stream", "stream_options", "max_tokens", "temperature", "stop", "tools", "provider",
            "reasoning",
        ] == list(body("openrouter", prompt))  # fmt: skip

    def test_half_an_emoji_does_not_break_it(self) -> None:
        assert ["half \ufffd", "whole 😀"] == [
            message["content"]
            for message in messages(
                "openai", PromptTurn.said(Role.USER, "half \ud83d"), PromptTurn.said(Role.MODEL, "whole \ud83d\ude00")
            )
        ]

    def test_extra_fields_have_the_last_word(self) -> None:
        extra = {"seed": 7, "stream_options": None, "provider": {"order": ["Novita"]}, "temperature": 0}
        sent = body("openrouter", asked(tools=(WEATHER,), sampling={"temperature": 1.0}), extra=extra)

        assert (7, 0, {"require_parameters": True, "order": ["Novita"]}, False) == (
            sent["seed"], sent["temperature"], sent["provider"], "stream_options" in sent,
        )  # fmt: skip

    def test_a_query_stays_at_the_end_of_the_address(self) -> None:
        url = "https://x.example/openai/deployments/gpt/chat/completions?api-version=1"

        assert url == request("custom", asked(), url=url).url


class TestTheConversation:
    def test_words_are_plain_texts(self) -> None:
        turns = (HELLO, PromptTurn.said(Role.MODEL, "Hi."), PromptTurn(Role.USER, ("How", "are you?")))

        assert [
            {"role": "system", "content": "Be kind."},
            {"role": "user", "content": "Hello"},
            {"role": "assistant", "content": "Hi."},
            {"role": "user", "content": "How\nare you?"},
        ] == messages("openai", *turns, system="Be kind.")

    def test_pictures_are_sent_along(self) -> None:
        turn = PromptTurn(Role.USER, ("Look:", PNG, "nice?"))

        assert [
            {"type": "text", "text": "Look:"},
            {"type": "image_url", "image_url": {"url": PNG_URL}},
            {"type": "text", "text": "nice?"},
        ] == messages("openai", turn)[0]["content"]

    @pytest.mark.parametrize(
        ("vendor", "media", "urls"),
        [
            pytest.param("openai", LINK, [LINK.url], id="a link"),
            pytest.param("llamacpp", LINK, [], id="a link where none is taken"),
            pytest.param("llamacpp", replace(LINK, url=PNG_URL), [PNG_URL], id="a data URI"),
            pytest.param("openai", replace(LINK, data=b"picture"), [PNG_URL], id="both"),
            pytest.param("openai", replace(PNG, mime="image/jpg"), [JPEG_URL], id="a type's other name"),
            pytest.param(
                "openai", replace(LINK, url="data:IMAGE/JPG;base64,cGljdHVyZQ=="), [JPEG_URL], id="in a data URI"
            ),
            pytest.param("openai", replace(LINK, url="attachment://cat.png"), [], id="what nobody can fetch"),
            pytest.param("openai", replace(PNG, mime="image/X-PNG; q=1"), [PNG_URL], id="another name of the kind"),
        ],
    )
    def test_a_link_is_written_where_links_are_taken(self, vendor: str, media: Media, urls: list[str]) -> None:
        content = messages(vendor, PromptTurn(Role.USER, ("Look:", media)))[0]["content"]

        parts = content if isinstance(content, list) else []
        assert urls == [part["image_url"]["url"] for part in parts if part["type"] == "image_url"]

    def test_a_video_is_a_link_where_the_model_sees_videos(self) -> None:
        turn = PromptTurn(Role.USER, (VIDEO,))
        sent = body("openrouter", asked(turn), abilities={"videos": True})

        assert [{"type": "video_url", "video_url": {"url": VIDEO.url}}] == sent["messages"][0]["content"]

    def test_10_a_result_of_words_is_not_repeated(self) -> None:
        turns = (HELLO, called(ToolCall("c1", "weather", '{"city":"Oslo"}')), result("c1", '{"sky":"clear"}'))

        assert [
            {"role": "user", "content": "Hello"},
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": '{"sky":"clear"}'},
        ] == messages("openrouter", *turns, tools=(WEATHER,))

    def test_11_words_before_a_call_stand_in_its_message_with_nothing_between_them(self) -> None:
        turn = PromptTurn(Role.MODEL, ("Let me ", "check."), (ToolCall("c1", "weather", "{}"),))

        assert (
            "Let me check." == messages("openrouter", HELLO, turn, result("c1", "ok"), tools=(WEATHER,))[1]["content"]
        )

    def test_what_tools_show_comes_behind_the_last_result(self) -> None:
        calls = (ToolCall("c1", "weather", "{}"), ToolCall("c2", "weather", "{}"))
        shown = replace(PNG, reference="media_1")
        turns = (HELLO, called(*calls), result("c1", "a", shown), result("c2", "b"), PromptTurn.said(Role.MODEL, "So."))

        found = messages("openai", *turns, tools=(WEATHER,))

        assert ["user", "assistant", "tool", "tool", "user", "assistant"] == [message["role"] for message in found]
        assert {"type": "image_url", "image_url": {"url": PNG_URL}} == found[4]["content"][1]
        assert "media_1" in found[4]["content"][0]["text"]

    def test_b41_ids_are_the_same_at_every_replay(self) -> None:
        turns = (HELLO, called(ToolCall("weather-0", "weather", "{}")), result("weather-0", "ok"))

        first, second = (request("openai", asked(*turns, tools=(WEATHER,))).body for _ in range(2))

        assert first == second
        assert b'"id":"weather-0"' in first

    def test_mistral_gets_ids_that_it_takes(self) -> None:
        turns = (
            HELLO,
            called(ToolCall("call_long_one", "weather", "{}"), ToolCall("D681PevKs", "weather", "{}")),
            result("call_long_one", "a"),
            result("D681PevKs", "b"),
        )
        found = messages("mistral", *turns, tools=(WEATHER,))

        assert ["call00000", "D681PevKs"] == [call["id"] for call in found[1]["tool_calls"]]
        assert ["call00000", "D681PevKs"] == [message["tool_call_id"] for message in found[2:]]

    @pytest.mark.parametrize("turns", [(PromptTurn.said(Role.USER, ""),), (PromptTurn(Role.MODEL, ()),)])
    def test_somebody_always_says_something(self, turns: tuple[PromptTurn, ...]) -> None:
        """With instructions alone many answer with status 400, and with nothing at all everybody does."""
        start = {"role": "user", "content": "[System: Conversation start]"}

        assert [{"role": "system", "content": "S"}, start] == messages("openai", *turns, system="S")
        assert [start] == messages("openai", *turns)

    def test_a_blank_beside_a_picture_is_left_out(self) -> None:
        (message,) = messages("openai", PromptTurn(Role.USER, ("", PNG)))

        assert [{"type": "image_url", "image_url": {"url": PNG_URL}}] == message["content"]

    @pytest.mark.parametrize(
        ("turns", "roles"),
        [
            pytest.param((PromptTurn.said(Role.MODEL, "Hi."),), "user assistant user", id="the model spoke last"),
            pytest.param(
                (called(ToolCall("c1", "weather", "{}")), result("c1", "ok"), HELLO),
                "user assistant tool assistant user",
                id="it said nothing to a result",
            ),
            pytest.param(
                (called(ToolCall("c1", "weather", "{}")), result("c1", "ok", PNG)),
                "user assistant tool assistant user",
                id="a tool showed something",
            ),
            pytest.param(
                (called(ToolCall("c1", "weather", "{}")), result("c1", "ok")), "user assistant tool", id="as it must be"
            ),
        ],
    )
    def test_mistral_gets_turns_in_the_order_that_it_takes(self, turns: tuple[PromptTurn, ...], roles: str) -> None:
        found = messages("mistral", HELLO, *turns, tools=(WEATHER,))

        assert roles.split() == [message["role"] for message in found]
        assert all(message.get("content") or message.get("tool_calls") for message in found)

    def test_a_beginning_may_be_the_last_turn_even_there(self) -> None:
        assert "Once upon" == messages("mistral", HELLO, prefill="Once upon")[-1]["content"]


class TestWhatBelongsToTheProvider:
    STATE = json.dumps(
        {
            "reasoning_content": "hm",
            "reasoning_details": [{"type": "reasoning.encrypted", "data": "x"}],
            "thought_signature": "s",
        }
    )

    def _sent(self, vendor: str, owner: str) -> dict[str, Any]:
        call = ToolCall("c1", "weather", "{}", state=Opaque(owner, self.STATE))
        return messages(vendor, HELLO, called(call), result("c1", "ok"), tools=(WEATHER,))[1]

    def test_it_goes_back_with_its_call(self) -> None:
        sent = self._sent("openrouter", "openai:openrouter")

        assert ("hm", "x", "s") == (
            sent["reasoning_content"], sent["reasoning_details"][0]["data"], sent["tool_calls"][0]["thought_signature"],
        )  # fmt: skip

    def test_nobody_else_gets_it(self) -> None:
        assert {"role", "content", "tool_calls"} == set(self._sent("zai", "openai:openrouter"))

    def test_one_who_must_be_told_is_told_that_nothing_was_thought(self) -> None:
        """DeepSeek answers a turn of its own without thoughts with status 400, even if another model called."""
        assert "" == self._sent("deepseek", "openai:openrouter")["reasoning_content"]
        assert "" == messages("deepseek", HELLO, PromptTurn.said(Role.MODEL, "Hi."), HELLO)[1]["reasoning_content"]

    def test_what_a_stream_gave_comes_back_as_it_would_stand_in_a_whole_answer(self) -> None:
        stream = next(path for path in recorded("deepseek") if path.stem == "thinking-and-call")
        (state,) = [chunk["state"] for chunk in expected(stream) if chunk["chunk"] == "ToolCall"]
        assert isinstance(state, dict)
        call = ToolCall("c1", "weather", "{}", state=Opaque(state["owner"], json.dumps(state["data"])))

        sent = messages("deepseek", HELLO, called(call), result("c1", "ok"), tools=(WEATHER,))[1]

        assert "The user wants the weather." == sent["reasoning_content"]

    def test_what_cannot_be_read_is_left_out(self) -> None:
        call = ToolCall("c1", "weather", "{}", state=Opaque("openai:openai", "nonsense"))

        assert {"role", "content", "tool_calls"} == set(
            messages("openai", HELLO, called(call), result("c1", "ok"), tools=(WEATHER,))[1]
        )


class TestParameters:
    ALL = MappingProxyType(
        {
            "temperature": 0.7,
            "top_p": 0.9,
            "top_k": 40.0,
            "min_p": 0.05,
            "frequency_penalty": 0.1,
            "presence_penalty": 0.2,
            "repetition_penalty": 1.1,
        }
    )

    @pytest.mark.parametrize(
        ("vendor", "model", "names"),
        [
            ("custom", "m", {*ALL}),
            ("openai", "gpt-4.1", {"temperature", "top_p", "frequency_penalty", "presence_penalty"}),
            ("openai", "gpt-5.1", set()),
            ("openai", "o4-mini", set()),
            ("groq", "llama-3.3-70b", {"temperature", "top_p"}),
            ("llamacpp", "m", {*ALL, "repeat_penalty"} - {"repetition_penalty"}),
        ],
    )
    def test_what_is_set_and_known_is_sent_under_its_name(self, vendor: str, model: str, names: set[str]) -> None:
        known = {*self.ALL, "repeat_penalty", "rep_pen"}

        assert names == known & set(body(vendor, asked(sampling=self.ALL), model))

    def test_what_is_not_set_is_not_sent(self) -> None:
        assert {"model", "messages", "stream", "stream_options"} == set(body("custom", asked()))

    def test_a_number_of_words_is_a_whole_number(self) -> None:
        assert "40" == json.dumps(body("custom", asked(sampling=self.ALL))["top_k"])

    @pytest.mark.parametrize(
        ("vendor", "field"),
        [("openai", "max_completion_tokens"), ("deepseek", "max_tokens"), ("groq", "max_completion_tokens")],
    )
    def test_the_longest_answer_has_the_vendors_name(self, vendor: str, field: str) -> None:
        assert 99 == body(vendor, asked(max_tokens=99))[field]

    def test_18_parameters_that_a_model_is_known_not_to_take_are_left_out(self) -> None:
        known = frozenset({"temperature", "max_completion_tokens"})
        prompt = asked(sampling=self.ALL, max_tokens=9, stop=("#",), tools=(WEATHER,), thinking=Thinking.HIGH)

        sent = body("openrouter", prompt, style={"parameters": known})

        assert {
            "model",
            "messages",
            "stream",
            "stream_options",
            "temperature",
            "max_tokens",
            "tools",
            "provider",
        } == set(sent)

    @pytest.mark.parametrize(
        ("length", "longest"),
        [pytest.param(28_000, 1072, id="14"), pytest.param(32_000, 172, id="15"), pytest.param(10, 4096, id="room")],
    )
    def test_the_answer_must_fit_behind_the_prompt(self, length: int, longest: int) -> None:
        prompt = asked(PromptTurn.said(Role.USER, "x" * length), max_tokens=4096)
        known = {"context_tokens": 8192}
        sent = OpenAICodec(_endpoint("openrouter", known))._longest(prompt, [{"content": "x" * length}])

        assert longest == sent

    @pytest.mark.parametrize(
        ("vendor", "level", "longest"),
        [
            pytest.param("openrouter", Thinking.AUTO, 300, id="its own matter"),
            pytest.param("openrouter", Thinking.NONE, 300, id="no thoughts"),
            pytest.param("openrouter", Thinking.HIGH, 300 + 8192, id="many"),
            pytest.param("deepseek", Thinking.LOW, 300 + 1024, id="few"),
            pytest.param("together", Thinking.HIGH, 300, id="nobody can be told"),
        ],
    )
    def test_who_is_told_to_think_gets_room_for_it(self, vendor: str, level: Thinking, longest: int) -> None:
        sent = body(vendor, replace(asked(HELLO), max_tokens=300, thinking=level))

        assert longest == sent["max_tokens"]

    def test_pictures_count_nothing_there(self) -> None:
        turn = PromptTurn(Role.USER, ("x", replace(PNG, data=b"x" * 100_000)))

        assert (
            4096 == body("openrouter", asked(turn, max_tokens=4096), abilities={"context_tokens": 8192})["max_tokens"]
        )

    def test_stops_are_a_list(self) -> None:
        assert ["#", "\nUser:"] == body("openai", asked(stop=("#", "\nUser:")))["stop"]

    def test_a_server_is_told_how_long_a_context_is_wanted(self) -> None:
        sent = body("custom", asked(), abilities={"context_tokens": 16384})

        assert ({"num_ctx": 16384}, 16384) == (sent["options"], sent["max_context_length"])

    def test_tools_are_functions(self) -> None:
        assert [
            {
                "type": "function",
                "function": {
                    "name": "weather",
                    "description": "Says what the weather is.",
                    "parameters": dict(WEATHER.parameters),
                },
            }
        ] == body("openai", asked(tools=(WEATHER,)))["tools"]

    def test_a_tool_that_takes_nothing_says_so(self) -> None:
        (tool,) = body("openai", asked(tools=(ToolSpec("now", "", {}),)))["tools"]

        assert {"type": "object", "properties": {}} == tool["function"]["parameters"]

    @pytest.mark.parametrize(
        ("model", "thinking", "longest"),
        [
            ("gpt-4.1", Thinking.HIGH, 100),
            ("gpt-5", Thinking.AUTO, 100 + 8192),
            ("gpt-5", Thinking.NONE, 100 + 1024),
            ("gpt-5.1", Thinking.NONE, 100),
            ("o3", Thinking.MEDIUM, 100 + 4096),
        ],
    )
    def test_thoughts_do_not_cut_an_answer_short(self, model: str, thinking: Thinking, longest: int) -> None:
        found = body("openai", asked(max_tokens=100, thinking=thinking), model)

        assert longest == found["max_completion_tokens"]

    def test_vendors_want_more_beside_tools(self) -> None:
        assert {"require_parameters": True} == body("openrouter", asked(tools=(WEATHER,)))["provider"]
        assert body("zai", asked(tools=(WEATHER,)))["tool_stream"] is True
        assert "provider" not in body("openrouter", asked())
        assert "tool_stream" not in body("zai", asked())


def _endpoint(vendor: str, abilities: dict[str, object]) -> Any:
    made = codec(vendor, "a-model", abilities=abilities)
    assert isinstance(made, OpenAICodec)
    return made.endpoint


class TestThinking:
    @pytest.mark.parametrize(
        ("vendor", "model", "level", "fields"),
        [
            ("openrouter", "m", Thinking.AUTO, {}),
            ("openrouter", "m", Thinking.NONE, {"reasoning": {"effort": "none"}}),
            ("openrouter", "m", Thinking.HIGH, {"reasoning": {"effort": "high"}}),
            ("openai", "gpt-4.1", Thinking.HIGH, {}),
            ("openai", "gpt-5.1", Thinking.NONE, {"reasoning_effort": "none"}),
            ("openai", "gpt-5-mini", Thinking.NONE, {"reasoning_effort": "minimal"}),
            ("openai", "o3", Thinking.MEDIUM, {"reasoning_effort": "medium"}),
            ("deepseek", "deepseek-chat", Thinking.NONE, {"thinking": {"type": "disabled"}}),
            (
                "deepseek",
                "deepseek-chat",
                Thinking.LOW,
                {"thinking": {"type": "enabled"}, "reasoning_effort": "low"},
            ),
            ("zai", "glm-4.6", Thinking.NONE, {"thinking": {"type": "disabled"}}),
            ("zai", "glm-4.6", Thinking.LOW, {"thinking": {"type": "enabled"}}),
            ("nvidia", "m", Thinking.NONE, {"chat_template_kwargs": {"enable_thinking": False}}),
            (
                "nvidia",
                "m",
                Thinking.MEDIUM,
                {"chat_template_kwargs": {"enable_thinking": True}, "reasoning_budget": 4096},
            ),
            ("vllm", "m", Thinking.LOW, {"chat_template_kwargs": {"enable_thinking": True}}),
            ("ollama-compat", "m", Thinking.NONE, {"reasoning_effort": "none"}),
            ("custom", "m", Thinking.HIGH, {}),
        ],
    )
    def test_it_is_said_in_the_vendors_words(
        self, vendor: str, model: str, level: Thinking, fields: dict[str, object]
    ) -> None:
        plain = body(vendor, asked(), model)
        sent = body(vendor, asked(thinking=level), model)

        assert fields == {name: value for name, value in sent.items() if name not in plain}

    def test_a_custom_ollama_is_told_too(self) -> None:
        sent = body("custom", asked(thinking=Thinking.LOW), url="http://localhost:11434/v1")

        assert "low" == sent["reasoning_effort"]

    @pytest.mark.parametrize("vendor", ["deepseek", "zai"])
    def test_some_take_no_sampling_with_it(self, vendor: str) -> None:
        sampling = {"temperature": 0.5, "top_p": 0.5}

        assert {"temperature", "top_p"}.isdisjoint(body(vendor, asked(sampling=sampling, thinking=Thinking.LOW)))
        assert {"temperature", "top_p"} <= set(body(vendor, asked(sampling=sampling)))


class TestAnAnswerThatHasBegun:
    def _sent(self, vendor: str, prefill: str) -> HttpRequest:
        return request(vendor, Prompt("", (HELLO,), prefill=prefill))

    def test_12_the_last_message_is_marked(self) -> None:
        sent = self._sent("mistral", "Once upon")

        assert {"role": "assistant", "content": "Once upon", "prefix": True} == json.loads(sent.body)["messages"][-1]

    def test_12_only_if_it_is_the_same_to_the_letter(self) -> None:
        prompt = Prompt("", (HELLO, PromptTurn.said(Role.MODEL, "Once upon ")), prefill="")

        assert "prefix" not in json.loads(request("mistral", prompt).body)["messages"][-1]

    def test_deepseek_has_an_address_for_it(self) -> None:
        sent = self._sent("deepseek", "Once upon")
        last = json.loads(sent.body)["messages"][-1]

        assert "https://api.deepseek.com/beta/chat/completions" == sent.url
        assert {"role": "assistant", "content": "Once upon", "prefix": True, "reasoning_content": ""} == last

    def test_vllm_is_told_to_go_on(self) -> None:
        sent = json.loads(self._sent("vllm", "Once upon").body)

        assert (False, True) == (sent["add_generation_prompt"], sent["continue_final_message"])
        assert {"role": "assistant", "content": "Once upon"} == sent["messages"][-1]

    def test_llamacpp_goes_on_by_itself(self) -> None:
        sent = json.loads(self._sent("llamacpp", "Once upon").body)

        assert {"role": "assistant", "content": "Once upon"} == sent["messages"][-1]
        assert "continue_final_message" not in sent

    def test_an_answer_that_has_not_begun_goes_the_usual_way(self) -> None:
        sent = request("deepseek", asked())

        assert "https://api.deepseek.com/chat/completions" == sent.url


def test_attempts_know_the_interface_and_the_model() -> None:
    made = codec("nvidia", "a-model")
    ladder = made.attempts(made.encode(asked()))

    assert ladder is not None
    assert "https://integrate.api.nvidia.com/v1 a-model" == ladder.key


# --- beside the official client ---------------------------------------------------

_ALIKE = ("openai", "openrouter", "deepseek", "groq", "vllm", "llamacpp")
ALIKE = [
    *(pytest.param(stream, id=f"{vendor}-{stream.stem}") for vendor in _ALIKE for stream in recorded(vendor)),
    *(pytest.param(stream, id=f"mistral-{stream.stem}") for stream in recorded("mistral") if stream.stem != "thinking"),
]


def _answer(stream: Path) -> Answer:
    return Answer((stream.read_bytes(),))


class _Heard:
    """What the official client made of a stream."""

    def __init__(self) -> None:
        self.text = ""
        self.thoughts = ""
        self.calls: dict[int, dict[str, str]] = {}
        self.usage: tuple[int, int] | None = None
        self.finish = ""
        self.failed = False

    def take(self, chunk: Any) -> None:
        if chunk.usage:
            self.usage = (chunk.usage.prompt_tokens, chunk.usage.completion_tokens)
        elif groq := (chunk.model_extra or {}).get("x_groq", {}).get("usage"):
            self.usage = (groq["prompt_tokens"], groq["completion_tokens"])
        for choice in chunk.choices:
            delta = choice.delta
            extra = delta.model_extra or {}
            self.text += (delta.content or "") + (delta.refusal or "")
            self.thoughts += extra.get("reasoning_content") or extra.get("reasoning") or ""
            self.finish = choice.finish_reason or self.finish
            for piece in delta.tool_calls or ():
                call = self.calls.setdefault(piece.index, {"id": "", "name": "", "arguments": ""})
                call["id"] = piece.id or call["id"]
                call["name"] += piece.function.name or ""
                call["arguments"] += piece.function.arguments or ""


@pytest.mark.parametrize("stream", ALIKE)
async def test_the_official_client_hears_the_same(stream: Path) -> None:
    heard = _Heard()
    async with (
        serving(_answer(stream)) as loopback,
        AsyncOpenAI(api_key="k", base_url=f"{loopback.url}/v1", max_retries=0) as client,
    ):
        try:
            answer = await client.chat.completions.create(
                model="m", messages=[{"role": "user", "content": "Hello"}], stream=True
            )
            async for chunk in answer:
                heard.take(chunk)
        except APIError:
            heard.failed = True

    ours = expected(stream)
    counts = next(((c.get("input_tokens", 0), c.get("output_tokens", 0)) for c in ours if c["chunk"] == "Usage"), None)
    assert "".join(str(chunk["text"]) for chunk in ours if chunk["chunk"] == "TextDelta") == heard.text
    assert "".join(str(chunk["text"]) for chunk in ours if chunk["chunk"] == "ThoughtDelta") == heard.thoughts
    assert counts == heard.usage
    if stream.stem == "malformed-call":  # we know what the router's complaint means; a client cannot
        assert heard.failed
        return
    made = [chunk for chunk in ours if chunk["chunk"] == "ToolCall"]
    assert [(chunk["id"], chunk["name"]) for chunk in made] == [(c["id"], c["name"]) for c in heard.calls.values()]
    for chunk, call in zip(made, heard.calls.values(), strict=True):
        assert chunk.get("is_truncated") or chunk["arguments"] == call["arguments"]
    last = ours[-1]
    blocked = heard.finish in ("content_filter", "insufficient_system_resource")
    assert (last["chunk"] == "Failed") == (heard.failed or blocked)
    if last["chunk"] == "Finished":
        named = {"model_length": "length"}.get(heard.finish, heard.finish)
        assert last["reason"] == ("tool_calls" if made and named == "stop" else named)


async def test_the_official_client_sends_what_we_send() -> None:
    prompt = Prompt(
        "Be kind.",
        (
            PromptTurn(Role.USER, ("What is this?", PNG)),
            PromptTurn(Role.MODEL, ("Let me see.",), calls=(ToolCall("call_1", "weather", '{"city": "Oslo"}'),)),
            result("call_1", '{"sky": "clear"}'),
            PromptTurn.said(Role.MODEL, "Oslo, in the sun."),
            PromptTurn.said(Role.USER, "Thanks 👋"),
        ),
        tools=(WEATHER,),
        sampling={"temperature": 0.7, "top_p": 0.9, "frequency_penalty": 0.1, "presence_penalty": 0.2},
        stop=("###", "\nUser:"),
        max_tokens=500,
    )
    function: Any = {"name": "weather", "description": WEATHER.description, "parameters": dict(WEATHER.parameters)}
    async with (
        serving(Answer((b"data: [DONE]\n\n",))) as loopback,
        AsyncOpenAI(api_key="sk-secret", base_url=f"{loopback.url}/v1", max_retries=0) as client,
    ):
        answer = await client.chat.completions.create(
            model="gpt-4.1",
            messages=[
                {"role": "system", "content": "Be kind."},
                {
                    "role": "user",
                    "content": [
                        {"type": "text", "text": "What is this?"},
                        {"type": "image_url", "image_url": {"url": PNG_URL}},
                    ],
                },
                {
                    "role": "assistant",
                    "content": "Let me see.",
                    "tool_calls": [
                        {
                            "id": "call_1",
                            "type": "function",
                            "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
                        }
                    ],
                },
                {"role": "tool", "tool_call_id": "call_1", "content": '{"sky": "clear"}'},
                {"role": "assistant", "content": "Oslo, in the sun."},
                {"role": "user", "content": "Thanks 👋"},
            ],
            tools=[{"type": "function", "function": function}],
            temperature=0.7,
            top_p=0.9,
            frequency_penalty=0.1,
            presence_penalty=0.2,
            stop=["###", "\nUser:"],
            max_completion_tokens=500,
            stream=True,
            stream_options={"include_usage": True},
        )
        await answer.close()
        ours = request("openai", prompt, "gpt-4.1", url=f"{loopback.url}/v1")

    (theirs,) = loopback.asked
    assert json.loads(theirs.body) == json.loads(ours.body)
    assert theirs.path == ours.url.removeprefix(loopback.url)
    for name in ("authorization", "content-type"):
        assert theirs.headers[name] == ours.headers[name]


def test_an_ability_of_the_row_is_what_the_prompt_is_fitted_to() -> None:
    blind = messages("deepseek", PromptTurn(Role.USER, ("Look:", PNG)))

    assert isinstance(blind[0]["content"], str)
    assert (
        Abilities(images=False, stops=16, prefill=PrefillMode.PREFIX, prefill_with_tools=False)
        == _endpoint("deepseek", {}).abilities
    )


class TestAskingAgainWithLess:
    """What is known of a vendor reaches the ladder."""

    @pytest.mark.parametrize(
        ("status", "words", "vendor"),
        [
            pytest.param(502, "Bad gateway", "openrouter", id="a router may have chosen badly"),
            pytest.param(500, "Internal server error.", "nvidia", id="a server error may mean a parameter"),
            pytest.param(
                422,
                "the stop list that you have just sent to us is invalid",
                "custom",
                id="nobody knows whose words these are",
            ),
        ],
    )
    def test_some_failures_are_worth_it_only_with_some(self, status: int, words: str, vendor: str) -> None:
        for name in ("openai", vendor):
            options = {"url": "http://localhost:1/v1"} if name == "custom" else {}
            spoken = codec(name, "a-model", key="k", **options)
            attempts = spoken.attempts(spoken.encode(asked(stop=("#",), sampling={"temperature": 1.0})))

            assert attempts is not None
            assert (name == vendor) == attempts.degrade(refused(status, words))

    def test_what_a_vendor_must_have_stays_and_what_is_ours_goes_first(self) -> None:
        spoken = codec("nvidia", "a-model", key="k")
        attempts = spoken.attempts(spoken.encode(asked(sampling={"top_p": 0.5}, thinking=Thinking.MEDIUM)))
        assert attempts is not None
        labels = []
        while attempts.degrade(refused(400, "Bad request")):
            labels.append(attempts.label)
            assert "chat_template_kwargs" in json.loads(attempts.request.body)

        assert ["no_stream_options", "probe_drop_reasoning_budget", "probe_drop_top_p", "minimal_payload"] == labels

    @pytest.mark.parametrize(
        ("vendor", "asks"), [("openai", True), ("mistral", False), ("perplexity", False), ("zai", False)]
    )
    def test_only_who_must_be_asked_to_count_is_asked(self, vendor: str, *, asks: bool) -> None:
        assert asks == ("stream_options" in body(vendor, asked()))
