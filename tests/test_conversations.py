"""Whole conversations with every dialect, over HTTP: a model says something, calls tools twice, and answers.

The server on loopback stands for the vendor. What people see, what was thought and counted, and what each request tells
the model of all that came before must be the same whoever it is; ``voices.py`` knows how each of them speaks.
"""

from __future__ import annotations

import json
import re
from base64 import b64decode, b64encode
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from random import Random
from typing import Any

import pytest
from anthropic.types.message_create_params import MessageCreateParamsStreaming
from google.genai import types as google_types
from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming
from openai.types.responses.response_create_params import ResponseCreateParamsStreaming
from pydantic import TypeAdapter

from cadenza.concurrency.stops import Stops
from cadenza.errors import ProviderError
from cadenza.models.connect import connect
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.stages.s3_chunks import Codec
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.tool import Tool
from cadenza.types import (
    Broke,
    Completed,
    HttpRequest,
    Line,
    Media,
    MediaKind,
    Participant,
    Persona,
    Post,
    Prompt,
    Receipt,
    Reply,
    Roster,
    Scene,
    Sprite,
    Stopped,
    StopReason,
    ToolSpec,
    Usage,
)
from tests.loopback import Act, Answer, Asked, serving
from tests.voices import VOICES, Call, Said

ANSWER = """Here you are:

```python
print("Oslo")
```

| city | sky |
|---|---|
| Oslo | clear |
| 京都 | rain |

That is **all**."""
ROUNDS = (
    Said(
        "Let me look both up.\nOne moment.",
        "Two cities, two calls.",
        (Call("call_1", "weather", {"city": "Oslo"}), Call("call_2", "weather", {"city": "京都"})),
        Usage(100, 20, 10, 5),
    ),
    Said("Both are in.", "Now the clock.", (Call("call_3", "clock"),), Usage(150, 10, 100, 4)),
    Said(ANSWER, "That is all of it.", (), Usage(200, 40, 150, 8)),
)
BEFORE = ["Let me look both up.", "One moment.", "Both are in."]
AFTER = [
    "Here you are:",
    '```python\nprint("Oslo")\n```',
    "```\ncity  sky\n────  ─────\nOslo  clear\n京都  rain\n```",
    "That is **all**.",
]
PICTURE = b64decode("UklGRiQAAABXRUJQVlA4IBgAAAAwAQCdASoBAAEAAgA0JaQAA3AA/vuUAAA=")
"""A WebP of one pixel."""
SCENE = Scene("general", Persona("Ren"), history=(Line("Mia", "The weather?"),))
everybody = pytest.mark.parametrize("name", VOICES)


async def _weather(given: Mapping[str, object], *_: object) -> object:
    return {"sky": f"clear in {given['city']}"}


async def _clock(given: Mapping[str, object], *_: object) -> object:
    raise OSError(given)


CITY: Mapping[str, object] = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
TOOLS = {
    "weather": Tool(ToolSpec("weather", "Tells the weather.", CITY), _weather, needs_answer=True),
    "clock": Tool(ToolSpec("clock", "Tells the time.", {}), _clock, needs_answer=True),
}
RESULTS = (
    '{"sky": "clear in Oslo"}',
    '{"sky": "clear in 京都"}',
    "The tool failed: OSError. Try it in another way, or go on without it.",
)


@dataclass(frozen=True, slots=True)
class Held:
    """What is left of a conversation."""

    result: Reply
    target: MemoryTarget
    asked: Sequence[Asked]

    @property
    def bodies(self) -> list[dict[str, Any]]:
        return [json.loads(asked.body) for asked in self.asked]


async def hold(
    name: str,
    rounds: Sequence[Said] = ROUNDS,
    *,
    scene: Scene = SCENE,
    cut: Callable[[bytes], Iterable[bytes]] = lambda data: (data,),
    **values: object,
) -> Held:
    """Hold a conversation with *name*, whose answers are *rounds*, each of them *cut* again before it is read."""
    settings, target = Settings.of(degree=1, private_addresses=True, **values), MemoryTarget()
    answers = [Answer((VOICES[name](said),)) for said in rounds]
    async with serving(answers) as server, connect(name, key="a-key", url=server.url, settings=settings) as model:

        async def transport(request: HttpRequest) -> AsyncIterator[bytes]:
            async for data in model.transport(request):
                for piece in cut(data):
                    yield piece

        asked = replace(model, transport=transport)
        result = await reply(scene, asked, target, settings=settings, tools=TOOLS)
    return Held(result, target, server.asked)


# --- what a request tells, whoever it is written for ---------------------------------------


def told(name: str, body: dict[str, Any]) -> list[tuple[str, ...]]:
    """What was said, thought, called and found, in its order; ids are told as numbers."""
    rows = list(_TOLD[name.partition(":")[0]](body))
    ids = dict.fromkeys(row[-1] for row in rows if row[0] in ("call", "result"))
    number = {identity: str(place) for place, identity in enumerate(ids, 1)}
    return [(*row[:-1], number[row[-1]]) if row[0] in ("call", "result") else row for row in rows]


def _called(name: str, arguments: object, identity: str) -> tuple[str, ...]:
    return ("call", name, json.dumps(arguments, ensure_ascii=False), identity)


def _chat(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    for message in body["messages"]:
        if message["role"] == "tool":
            yield "result", message["content"], message["tool_call_id"]
            continue
        if thought := message.get("reasoning_content"):
            yield "thought", thought
        for block in message.get("reasoning_details", ()):
            yield "thought", block["text"]
            assert block["signature"] == f"signed {block['text']}"
        if message["content"]:
            yield message["role"], message["content"]
        for call in message.get("tool_calls", ()):
            yield _called(call["function"]["name"], json.loads(call["function"]["arguments"]), call["id"])


def _messages(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    yield "system", body["system"][0]["text"]
    for message in body["messages"]:
        content = message["content"]
        for block in [{"type": "text", "text": content}] if isinstance(content, str) else content:
            match block["type"]:
                case "thinking":
                    yield "thought", block["thinking"]
                    assert block["signature"] == f"signed {block['thinking']}"
                case "tool_use":
                    yield _called(block["name"], block["input"], block["id"])
                case "tool_result":
                    yield "result", block["content"], block["tool_use_id"]
                case _:
                    yield message["role"], block["text"]


def _contents(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """What Google did not give an id to goes back without one: results stand in the order of the calls."""
    yield "system", body["systemInstruction"]["parts"][0]["text"]
    waiting: list[dict[str, Any]] = []
    for content in body["contents"]:
        for part in content["parts"]:
            signature = part.get("thoughtSignature", UNSIGNED)
            if signature != UNSIGNED:
                yield "thought", b64decode(signature).decode()
            if call := part.get("functionCall"):
                waiting.append(call)
                yield _called(call["name"], call["args"], f"{id(call)}")
            elif found := part.get("functionResponse"):
                call = waiting.pop(0)
                assert (call["name"], call.get("id")) == (found["name"], found.get("id"))
                result = found["response"]["result"]
                words = result if isinstance(result, str) else json.dumps(result, ensure_ascii=False)
                yield "result", words, f"{id(call)}"
            else:
                yield {"model": "assistant"}.get(content["role"], content["role"]), part["text"]


def _items(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    yield "system", body["instructions"]
    for item in body["input"]:
        match item.get("type"):
            case "reasoning":
                yield "thought", item["encrypted_content"].removeprefix("signed ")
            case "function_call":
                yield _called(item["name"], json.loads(item["arguments"]), item["call_id"])
            case "function_call_output":
                yield "result", item["output"], item["call_id"]
            case _:
                yield item["role"], item["content"]


def _lines(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """Ollama has no ids: results stand in the order of the calls, under the names of the tools."""
    waiting: list[tuple[str, str]] = []
    for message in body["messages"]:
        if message["role"] == "tool":
            name, identity = waiting.pop(0)
            assert name == message["tool_name"]
            yield "result", message["content"], identity
            continue
        if thought := message.get("thinking"):
            yield "thought", thought
        if message["content"]:
            yield message["role"], message["content"]
        for call in message.get("tool_calls", ()):
            waiting.append((call["function"]["name"], f"{id(call)}"))
            yield _called(call["function"]["name"], call["function"]["arguments"], waiting[-1][1])


_PAIR = re.compile(r"<arg_key>(.*?)</arg_key>\n<arg_value>(.*?)</arg_value>\n")
_PART = re.compile(
    r"<\|(?P<role>\w+)\|>\n?(?:<think></think>\n)?(?:Ren:)?"
    r"|<tool_call>(?P<call>\w+)\n(?P<pairs>.*?)</tool_call>"
    r"|<tool_response>\n(?P<result>.*?)\n</tool_response>",
    re.DOTALL,
)


def _template(body: dict[str, Any]) -> Iterator[tuple[str, ...]]:
    """GLM's template has no ids either."""
    prompt = body["prompt"].removeprefix("[gMASK]<sop>")
    prompt = prompt[prompt.index("<|system|>\nYou are") :] if "# Tools" in prompt else prompt
    role, waiting, number = "", [], 0
    parts = list(_PART.finditer(prompt))
    for part, end in zip(parts, [*(after.start() for after in parts[1:]), len(prompt)], strict=True):
        if part["role"]:
            role = part["role"]
        elif part["call"]:
            number += 1
            waiting.append(str(number))
            yield _called(part["call"], dict(_PAIR.findall(part["pairs"])), waiting[-1])
        else:
            yield "result", part["result"], waiting.pop(0)
        if words := prompt[part.end() : end].strip():
            yield role, words


_TOLD: Mapping[str, Callable[[dict[str, Any]], Iterator[tuple[str, ...]]]] = {
    **dict.fromkeys(("openai", "openrouter", "deepseek", "mistral"), _chat),
    "anthropic": _messages,
    "google": _contents,
    "openai-responses": _items,
    "ollama": _lines,
    "novelai": _template,
}
UNSIGNED = "skip_thought_signature_validator"
"""How Google is told that somebody else made a call."""
REPLAYS = ("openrouter", "deepseek", "anthropic", "google", "openai-responses")
"""Who gets back what was thought before a call."""


def history(
    name: str, rounds: int, *, said: Sequence[str] = ("Let me look both up.\nOne moment.", "Both are in.")
) -> list[tuple[str, ...]]:
    """What *name* must be told after so many *rounds*."""
    vendor = name.partition(":")[0]
    rows: list[tuple[str, ...]] = [("system", "You are Ren."), ("user", "Mia: The weather?")]
    results = iter(enumerate(RESULTS, 1))
    for words, before in zip(said, ROUNDS[:rounds], strict=False):
        turn: list[tuple[str, ...]] = [("assistant", words)]
        thought = [("thought", before.thought)] if vendor in REPLAYS else []
        calls: list[tuple[str, ...]] = [_called(call.name, call.arguments, call.id[-1]) for call in before.calls]
        # Google signs the call, everybody else what comes before the words.
        rows += [*turn, *thought, *calls] if vendor == "google" else [*thought, *turn, *calls]
        rows += [("result", words, str(number)) for _, (number, words) in zip(before.calls, results, strict=False)]
    return rows


# --- what the official clients would take ------------------------------------------------------

_CHAT: TypeAdapter[Any] = TypeAdapter(CompletionCreateParamsStreaming)
_MESSAGES: TypeAdapter[Any] = TypeAdapter(MessageCreateParamsStreaming)
_RESPONSES: TypeAdapter[Any] = TypeAdapter(ResponseCreateParamsStreaming)


def check(name: str, body: dict[str, Any]) -> None:
    """Fail if the types of the vendor's own client do not take *body*."""
    match name.partition(":")[0]:
        case "openai" | "openrouter" | "deepseek" | "mistral":
            _walk(_CHAT.validate_python(body))
        case "anthropic":
            _walk(_MESSAGES.validate_python(body))
        case "openai-responses":
            _walk(_RESPONSES.validate_python(body))
        case "google":
            for content in (*body["contents"], body["systemInstruction"]):
                google_types.Content.model_validate(content)
            google_types.GenerateContentConfig.model_validate({**body["generationConfig"], "tools": body["tools"]})
        case _:
            pass  # theirs have no types for a request


def _walk(value: object) -> None:
    """Go through *value*: what is only iterable is looked at only when somebody does."""
    if isinstance(value, str | bytes | int | float | None):
        return
    for inner in value.values() if isinstance(value, Mapping) else value:  # type: ignore[attr-defined]
        _walk(inner)


# --- three rounds ------------------------------------------------------------------------------


@everybody
@pytest.mark.parametrize("thinking", ["auto", "high"])
async def test_three_rounds_with_tools(name: str, thinking: str) -> None:
    held = await hold(name, thinking=thinking)

    assert [*BEFORE, *AFTER] == held.target.texts
    assert Completed("stop") == held.result.outcome
    thoughts = () if name.startswith("openai:") else tuple(said.thought for said in ROUNDS)
    assert thoughts == held.result.thoughts
    counts_all = not name.startswith(("ollama", "novelai"))
    assert (Usage(450, 70, 260, 17) if counts_all else Usage(450, 70)) == held.result.usage
    assert [history(name, rounds) for rounds in range(3)] == [told(name, body) for body in held.bodies]
    for body in held.bodies:
        check(name, body)


@everybody
async def test_how_the_stream_is_sliced_changes_nothing(name: str) -> None:
    whole, dice = await hold(name), Random(5)

    def byte_by_byte(data: bytes) -> Iterator[bytes]:
        return (data[place : place + 1] for place in range(len(data)))

    def at_random(data: bytes) -> Iterator[bytes]:
        cuts = sorted(dice.sample(range(1, len(data)), min(40, len(data) - 1)))
        return (data[start:end] for start, end in pairwise((0, *cuts, len(data))))

    for cut in (byte_by_byte, at_random, at_random):
        held = await hold(name, cut=cut)

        assert whole.target.posts == held.target.posts
        assert whole.result == held.result
        assert whole.bodies == held.bodies


@everybody
async def test_a_small_context_never_parts_calls_and_results(name: str) -> None:
    """What came before goes; what is being answered stays whole, however little room there is."""
    old = tuple(Line("Mia", f"old words {number} " * 20, is_own=number % 2 == 1) for number in range(6))
    scene = replace(SCENE, history=(*old, *SCENE.history))

    held = await hold(name, scene=scene, context_tokens=50)

    assert [*BEFORE, *AFTER] == held.target.texts
    assert [history(name, rounds) for rounds in range(3)] == [told(name, body) for body in held.bodies]


@everybody
async def test_an_error_in_the_last_round_keeps_what_was_said(name: str) -> None:
    held = await hold(name, (*ROUNDS[:2], replace(ROUNDS[2], error="Upstream is on fire")), model_retries=0)

    assert [*BEFORE, *AFTER] == held.target.texts
    assert isinstance(held.result.outcome, Broke)
    error = held.result.outcome.error
    assert isinstance(error, ProviderError)
    assert "Upstream is on fire" in error.detail
    assert "fire" not in str(error)
    assert "try again" in str(error)
    counted = Usage(450, 31) if name.startswith("anthropic") else Usage(250, 30)  # it counts at the beginning, too
    assert counted == replace(held.result.usage, cached_tokens=0, thought_tokens=0)


@everybody
async def test_a_stop_in_the_second_round_ends_it_there(name: str) -> None:
    stops, settings = Stops(), Settings.of(degree=1, private_addresses=True)
    second = VOICES[name](Said("Both are in.\nAnd now. After a wh", ROUNDS[1].thought, error="not heard"))
    cut = second[: second.index(b"not heard")]
    answers = [Answer((VOICES[name](ROUNDS[0]),)), Answer((cut[: cut.rindex(b"\n") + 1], Act.STALL))]

    class Listener(MemoryTarget):
        """Has the turn stopped as soon as it has heard enough."""

        async def send(self, post: Post, /) -> Receipt:
            if post.text == "Both are in.":
                stops.request("turn")
            return await super().send(post)

    target = Listener()
    async with serving(answers) as server, connect(name, key="a-key", url=server.url, settings=settings) as model:
        with stops.open("turn") as stop:
            result = await reply(SCENE, model, target, settings=settings, tools=TOOLS, stop=stop)
    await server.quiet()

    assert Stopped(StopReason.USER) == result.outcome
    assert BEFORE == target.texts
    assert [history(name, rounds) for rounds in range(2)] == [told(name, json.loads(one.body)) for one in server.asked]


@everybody
@pytest.mark.parametrize("shows", [False, True], ids=["hidden", "shown"])
async def test_words_to_begin_with_are_said_once(name: str, *, shows: bool) -> None:
    rounds = (replace(ROUNDS[0], text=" let me look."), *ROUNDS[1:])

    held = await hold(name, rounds, scene=replace(SCENE, prefill="Well,"), show_prefill=shows)

    first = "Well, let me look." if shows else "let me look."
    assert [first, "Both are in.", *AFTER] == held.target.texts
    begun, *others = [told(name, body) for body in held.bodies]
    assert "Well," in begun[-1][-1]
    said = ("Well, let me look.", "Both are in.")
    assert [history(name, count, said=said) for count in (1, 2)] == others
    for body in held.bodies:
        check(name, body)


@everybody
async def test_a_persona_with_looks_who_does_not_speak_for_others(name: str) -> None:
    persona = Persona("Ren", avatar="calm.png", sprites=(Sprite("mad", "mad.png"),), is_alter=True)
    scene = replace(SCENE, persona=persona, roster=Roster(participants=(Participant("Mia"),)))
    rounds = (
        replace(ROUNDS[0], text="Ren (mad): Let me look."),
        ROUNDS[1],
        replace(ROUNDS[2], text="Ren: All clear.\nMia: thanks!\nRen: no problem"),
    )

    held = await hold(name, rounds, scene=scene, speaker_guard=True)

    seen = [(post.identity.avatar if post.identity else None, post.text) for post in held.target.posts]
    assert [("mad.png", "Let me look."), ("mad.png", "Both are in."), ("calm.png", "All clear.")] == seen
    assert Stopped(StopReason.SPEAKER_GUARD) == held.result.outcome
    said = ("Ren (mad): Let me look.", "Both are in.")
    assert history(name, 2, said=said)[1:] == told(name, held.bodies[2])[1:]


@everybody
async def test_a_picture_is_fetched_once_and_shown_in_every_round(name: str) -> None:
    """Who cannot see is told that there was one, and nobody fetches it."""
    settings, target = Settings.of(degree=1, private_addresses=True), MemoryTarget()
    waiting = [Answer((VOICES[name](said),)) for said in ROUNDS]

    def answer(asked: Asked) -> Answer:
        return waiting.pop(0) if asked.method == "POST" else Answer((PICTURE,), headers={"content-type": "image/webp"})

    async with serving(answer) as server, connect(name, key="a-key", url=server.url, settings=settings) as model:
        picture = Media(MediaKind.IMAGE, "image/webp", f"{server.url}/cat.webp")
        scene = replace(SCENE, history=(Line("Mia", "The weather?", media=(picture,)),))
        result = await reply(scene, model, target, settings=settings, tools=TOOLS)

    assert Completed("stop") == result.outcome
    assert [*BEFORE, *AFTER] == target.texts
    bodies = [asked.body for asked in server.asked if asked.method == "POST"]
    sees = not name.startswith(("deepseek", "novelai"))
    assert [sees] * 3 == [body.count(b64encode(PICTURE)) == 1 for body in bodies]
    assert [not sees] * 3 == [b"that you cannot see" in body for body in bodies]
    assert sees == ["GET" == asked.method for asked in server.asked].count(True)
    for body in bodies:
        check(name, json.loads(body))


# --- from one vendor to another ----------------------------------------------------------------


class Relay:
    """Is asked as one dialect first, and as another from then on: what a fallback does."""

    def __init__(self, first: Codec, then: Codec) -> None:
        self._waiting, self._now = [first, then], first

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        """Write *prompt* down as whoever's turn it is."""
        self._now = self._waiting.pop(0) if len(self._waiting) > 1 else self._waiting[0]
        return self._now.encode(prompt)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._now, name)


@everybody
@pytest.mark.parametrize("other", VOICES)
async def test_another_vendor_takes_over_after_the_first_round(other: str, name: str) -> None:
    settings, target = Settings.of(degree=1, private_addresses=True, thinking="high"), MemoryTarget()
    voices = [VOICES[other], VOICES[name], VOICES[name]]
    answers = [Answer((voice(said),)) for voice, said in zip(voices, ROUNDS, strict=True)]
    async with serving(answers) as server:
        first, then = (connect(one, key="a-key", url=server.url, settings=settings) for one in (other, name))
        async with first, then:
            model = replace(then, codec=Relay(first.codec, then.codec))
            result = await reply(SCENE, model, target, settings=settings, tools=TOOLS)

    assert [*BEFORE, *AFTER] == target.texts
    assert Completed("stop") == result.outcome
    bodies = [json.loads(asked.body) for asked in server.asked]
    for vendor, body in zip((other, name, name), bodies, strict=True):
        check(vendor, body)
    foreign = ("thought", ROUNDS[0].thought)
    wanted = [[row for row in history(name, count) if name == other or row != foreign] for count in (1, 2)]
    assert wanted == [told(name, body) for body in bodies[1:]]
