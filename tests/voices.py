"""One conversation in the words of every vendor: what a round says, thinks and calls, as each of them streams it."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from cadenza.types import Usage


@dataclass(frozen=True, slots=True)
class Call:
    """A call as a model makes it."""

    id: str
    name: str
    arguments: Mapping[str, object] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Said:
    """All that one round comes to."""

    text: str
    thought: str = ""
    calls: Sequence[Call] = ()
    usage: Usage = field(default_factory=Usage)
    error: str = ""
    """What breaks it off behind the text."""


def _pieces(text: str) -> list[str]:
    """*text* as tokens might cut it."""
    return [text[start : start + 5] for start in range(0, len(text), 5)]


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _events(values: Iterable[object], *, done: bool = False) -> bytes:
    lines = [f"data: {_json(value)}\n\n" for value in values]
    return "".join([*lines, "data: [DONE]\n\n"] if done else lines).encode()


def _named(values: Iterable[Mapping[str, object]]) -> bytes:
    return "".join(f"event: {value['type']}\ndata: {_json(value)}\n\n" for value in values).encode()


# --- chat completions ------------------------------------------------------------------------


def _choice(finish: str | None = None, **delta: object) -> dict[str, object]:
    head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1757430100, "model": "m"}
    return {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def _completion(said: Said, thoughts: Sequence[Mapping[str, object]]) -> bytes:
    events = [_choice(role="assistant", content=""), *(_choice(**thought) for thought in thoughts)]
    events += [_choice(content=piece) for piece in _pieces(said.text)]
    if said.error:
        error = {"error": {"message": said.error, "type": "server_error", "code": 502}}
        return _events([*events, error])
    for index, call in enumerate(said.calls):
        head = {"index": index, "id": call.id, "type": "function", "function": {"name": call.name, "arguments": ""}}
        events.append(_choice(tool_calls=[head]))
        for piece in _pieces(_json(call.arguments)):
            events.append(_choice(tool_calls=[{"index": index, "function": {"arguments": piece}}]))
    events.append(_choice("tool_calls" if said.calls else "stop"))
    events.append({**_choice(), "choices": [], "usage": _counted(said.usage)})
    return _events(events, done=True)


def _counted(usage: Usage) -> Mapping[str, object]:
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.input_tokens + usage.output_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.thought_tokens},
    }


def openai(said: Said) -> bytes:
    """OpenAI shows no thoughts here."""
    return _completion(said, [])


def deepseek(said: Said) -> bytes:
    """Thoughts have a field of their own."""
    return _completion(said, [{"content": None, "reasoning_content": piece} for piece in _pieces(said.thought)])


def openrouter(said: Said) -> bytes:
    """Thoughts come twice, the second time as blocks that are signed at their end."""
    block = {"type": "reasoning.text", "format": "anthropic-claude-v1", "index": 0}
    thoughts: list[Mapping[str, object]] = [
        {"content": "", "reasoning": piece, "reasoning_details": [{**block, "text": piece}]}
        for piece in _pieces(said.thought)
    ]
    if thoughts:
        thoughts.append({"content": "", "reasoning_details": [{**block, "signature": f"signed {said.thought}"}]})
    return _completion(said, thoughts)


def mistral(said: Said) -> bytes:
    """Thoughts are parts of what is said."""
    parts = [{"type": "thinking", "thinking": [{"type": "text", "text": piece}]} for piece in _pieces(said.thought)]
    return _completion(said, [{"content": [part]} for part in parts])


# --- the others --------------------------------------------------------------------------------


def anthropic(said: Said) -> bytes:
    """Blocks: a signed thought, words, calls."""
    usage = said.usage
    fresh = usage.input_tokens - usage.cached_tokens
    begun = {"input_tokens": fresh, "cache_read_input_tokens": usage.cached_tokens, "output_tokens": 1}
    head = {"id": "msg_1", "type": "message", "role": "assistant", "model": "claude", "content": []}
    events: list[Mapping[str, object]] = [
        {"type": "message_start", "message": {**head, "stop_reason": None, "stop_sequence": None, "usage": begun}}
    ]
    blocks: list[tuple[Mapping[str, object], list[Mapping[str, object]]]] = []
    if said.thought:
        deltas: list[Mapping[str, object]] = [
            {"type": "thinking_delta", "thinking": piece} for piece in _pieces(said.thought)
        ]
        deltas.append({"type": "signature_delta", "signature": f"signed {said.thought}"})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if said.text:
        blocks.append(
            ({"type": "text", "text": ""}, [{"type": "text_delta", "text": piece} for piece in _pieces(said.text)])
        )
    for call in said.calls:
        written = [{"type": "input_json_delta", "partial_json": piece} for piece in _pieces(_json(call.arguments))]
        blocks.append(({"type": "tool_use", "id": call.id, "name": call.name, "input": {}}, [*written]))
    for index, (block, deltas) in enumerate(blocks):
        events.append({"type": "content_block_start", "index": index, "content_block": block})
        events += [{"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas]
        events.append({"type": "content_block_stop", "index": index})
    if said.error:
        return _named([*events, {"type": "error", "error": {"type": "overloaded_error", "message": said.error}}])
    end = {"stop_reason": "tool_use" if said.calls else "end_turn", "stop_sequence": None}
    counted = {**begun, "output_tokens": usage.output_tokens}
    counted_thoughts = {"output_tokens_details": {"thinking_tokens": usage.thought_tokens}}
    events.append({"type": "message_delta", "delta": end, "usage": {**counted, **counted_thoughts}})
    return _named([*events, {"type": "message_stop"}])


def google(said: Said) -> bytes:
    """Parts: thoughts are marked, and the first call is signed, with what must be base64."""
    usage = {
        "promptTokenCount": said.usage.input_tokens,
        "candidatesTokenCount": said.usage.output_tokens - said.usage.thought_tokens,
        "thoughtsTokenCount": said.usage.thought_tokens,
        "cachedContentTokenCount": said.usage.cached_tokens,
    }
    parts: list[dict[str, object]] = [{"text": piece, "thought": True} for piece in _pieces(said.thought)]
    parts += [{"text": piece} for piece in _pieces(said.text)]
    for index, call in enumerate(said.calls):
        signed = {} if index else {"thoughtSignature": b64encode(said.thought.encode()).decode()}
        parts.append({"functionCall": {"id": call.id, "name": call.name, "args": call.arguments}, **signed})
    contents = [{"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}]} for part in parts]
    if said.error:
        return _events([*contents, {"error": {"code": 503, "message": said.error, "status": "UNAVAILABLE"}}])
    last = {"candidates": [{"content": {"parts": [{"text": ""}]}, "finishReason": "STOP", "index": 0}]}
    return _events([*contents, {**last, "usageMetadata": usage}])


def responses(said: Said) -> bytes:
    """Items: encrypted reasoning, a message, calls."""
    events: list[Mapping[str, object]] = [{"type": "response.created", "response": {"id": "resp_1"}}]
    index = 0
    if said.thought:
        item = {"id": f"rs_{len(said.thought)}", "type": "reasoning", "summary": []}
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events.append({"type": "response.reasoning_summary_part.added", "output_index": index, "summary_index": 0})
        events += _deltas("reasoning_summary_text", index, said.thought)
        whole = {
            **item,
            "summary": [{"type": "summary_text", "text": said.thought}],
            "encrypted_content": f"signed {said.thought}",
        }
        events.append({"type": "response.output_item.done", "output_index": index, "item": whole})
        index += 1
    if said.text:
        item = {"id": "msg_1", "type": "message", "role": "assistant", "content": []}
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events += _deltas("output_text", index, said.text)
        content = [{"type": "output_text", "text": said.text, "annotations": []}]
        events.append(
            {"type": "response.output_item.done", "output_index": index, "item": {**item, "content": content}}
        )
        index += 1
    for call in said.calls:
        item = {"id": f"fc_{index}", "type": "function_call", "call_id": call.id, "name": call.name, "arguments": ""}
        events.append({"type": "response.output_item.added", "output_index": index, "item": item})
        events += _deltas("function_call_arguments", index, _json(call.arguments))
        whole = {**item, "arguments": _json(call.arguments), "status": "completed"}
        events.append({"type": "response.output_item.done", "output_index": index, "item": whole})
        index += 1
    if said.error:
        return _named([*events, {"type": "error", "code": "server_error", "message": said.error}])
    usage = {
        "input_tokens": said.usage.input_tokens,
        "output_tokens": said.usage.output_tokens,
        "input_tokens_details": {"cached_tokens": said.usage.cached_tokens},
        "output_tokens_details": {"reasoning_tokens": said.usage.thought_tokens},
    }
    return _named([*events, {"type": "response.completed", "response": {"status": "completed", "usage": usage}}])


def _deltas(what: str, index: int, text: str) -> list[Mapping[str, object]]:
    return [{"type": f"response.{what}.delta", "output_index": index, "delta": piece} for piece in _pieces(text)]


def ollama(said: Said) -> bytes:
    """A line a token, and calls whole; thoughts and what was cached are not counted."""
    messages: list[Mapping[str, object]] = [{"content": "", "thinking": piece} for piece in _pieces(said.thought)]
    messages += [{"content": piece} for piece in _pieces(said.text)]
    for index, call in enumerate(said.calls):
        function = {"index": index, "name": call.name, "arguments": call.arguments}
        messages.append({"content": "", "tool_calls": [{"id": call.id, "function": function}]})
    lines: list[Mapping[str, object]] = [
        {"model": "m", "message": {"role": "assistant", **message}, "done": False} for message in messages
    ]
    if said.error:
        lines.append({"error": said.error})
    else:
        counts = {"prompt_eval_count": said.usage.input_tokens, "eval_count": said.usage.output_tokens}
        end = {"message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}
        lines.append({"model": "m", **end, **counts})
    return "".join(f"{_json(line)}\n" for line in lines).encode()


def glm(said: Said) -> bytes:
    """Everything is text, in GLM's template."""
    thought = f"<think>{said.thought}</think>" if said.thought else ""
    calls = "".join(map(_glm_call, said.calls))
    events: list[object] = [_text_choice(piece) for piece in _pieces(f"{thought}{said.text}{calls}")]
    if said.error:
        return _events([*events, {"error": {"message": said.error, "code": 502}}])
    usage = {"prompt_tokens": said.usage.input_tokens, "completion_tokens": said.usage.output_tokens}
    return _events([*events, {**_text_choice("", "stop"), "usage": usage}], done=True)


def _text_choice(text: str, finish: str | None = None) -> dict[str, object]:
    return {"object": "text_completion", "choices": [{"index": 0, "text": text, "finish_reason": finish}]}


def _glm_call(call: Call) -> str:
    pairs = (f"<arg_key>{name}</arg_key>\n<arg_value>{value}</arg_value>\n" for name, value in call.arguments.items())
    return f"\n<tool_call>{call.name}\n{''.join(pairs)}</tool_call>"


VOICES: Mapping[str, Callable[[Said], bytes]] = MappingProxyType(
    {
        "openai:gpt-5.1": openai,
        "openrouter:anthropic/claude-sonnet-4.5": openrouter,
        "deepseek:deepseek-chat": deepseek,
        "mistral:magistral-medium-latest": mistral,
        "anthropic:claude-opus-4-7": anthropic,
        "google:gemini-3-pro-preview": google,
        "openai-responses:gpt-5.1": responses,
        "ollama:gpt-oss:20b": ollama,
        "novelai:glm-4-6": glm,
    }
)
"""The name of a model → how it speaks."""
