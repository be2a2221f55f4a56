"""Wrong use of ``say`` and ``reply``: one sentence for the author, and nothing in the channel."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import pytest

from cadenza import Line, MemoryTarget, Persona, Scene, Settings, Speaker, reply, say
from cadenza.errors import CadenzaError, InputError, SettingsError
from cadenza.rules import Rule
from cadenza.types import Chunk, Finished, TextDelta
from tests.actors import SCENE, Actor

MODEL = Actor(["Hi"]).model


def words() -> Iterator[str]:
    yield "Hi"


async def spoken() -> AsyncIterator[str]:
    yield "Hi"


async def asked() -> str:
    return "Hi"


def used_up() -> Iterator[str]:
    generator = words()
    assert ["Hi"] == list(generator)
    return generator


def awaited() -> Any:
    coroutine = asked()
    coroutine.close()
    return coroutine


class Sdk:
    """A client's stream that was read: it keeps a generator that has ended, as that of openai does."""

    def __init__(self) -> None:
        self._iterator = used_up()

    def __iter__(self) -> Iterator[str]:
        return self._iterator


NO_STREAM = "a model's stream must be a text, an iterable or an async iterable, not "
NO_ITEM = (
    "a stream must yield texts, chunks of Cadenza, or the chunks of a client such as openai, anthropic, google-genai, "
    "pydantic-ai, LangChain, litellm or ollama, not "
)
HISTORY = (
    "these are messages of a conversation, which a model is given, not the stream of its answer; "
    "pass what the client returns for them"
)
USED = "this stream has been read already; ask the model again for a new one"
HELLO: Any = {"role": "user", "content": "Hello"}


@pytest.mark.parametrize(
    ("stream", "sentence"),
    [
        pytest.param([HELLO], HISTORY, id="a history of dictionaries"),
        pytest.param([Line("Mia", "Hello")], HISTORY, id="a history of lines"),
        pytest.param(4, NO_STREAM + "int; pass what the client returns", id="a number"),
        pytest.param(None, NO_STREAM + "NoneType; pass what the client returns", id="None"),
        pytest.param(spoken, NO_STREAM + "function; call it first", id="a function"),
        pytest.param(Sdk, NO_STREAM + "the class Sdk; call it first", id="a class"),
        pytest.param(MODEL, "a model is asked by reply(scene, model, target); say takes the stream of its answer", id="a model"),
        pytest.param({"text": "Hi"}, NO_ITEM + "dict", id="a dictionary that is no response"),
        pytest.param(b"Hi", NO_ITEM + "bytes", id="bytes"),
        pytest.param(["Hi", 4], NO_ITEM + "int", id="a list with a number in it"),
    ],
)  # fmt: skip
async def test_what_is_no_stream_is_refused(stream: Any, sentence: str) -> None:
    await is_refused(lambda target: say(target, stream), sentence)


@pytest.mark.parametrize("made", [used_up, awaited, Sdk], ids=["generator", "coroutine", "client"])
async def test_a_stream_is_read_once(made: Callable[[], Any]) -> None:
    stream = made()
    await is_refused(lambda target: say(target, stream), USED)


async def test_a_stream_that_is_being_read_is_not_read_again() -> None:
    async def slow() -> AsyncIterator[str]:
        yield "Hi"
        await asyncio.Event().wait()

    stream = slow()
    first = asyncio.create_task(say(MemoryTarget(), stream))
    await asyncio.sleep(0.05)
    refusal = "this stream is being read elsewhere; ask the model again for another one"
    await is_refused(lambda target: say(target, stream), refusal)
    first.cancel()
    await asyncio.wait([first])


async def test_a_generator_that_begins_with_something_else_is_refused_too() -> None:
    async def numbers() -> AsyncIterator[Any]:
        yield 4

    await is_refused(lambda target: say(target, numbers()), NO_ITEM + "int")


SCENES: list[Any] = [
    pytest.param("general", "scene must be a Scene, such as Scene('general', Persona('Ren')), not str", id="a text"),
    pytest.param(Scene, "scene must be a Scene, such as Scene('general', Persona('Ren')), not the class Scene", id="its class"),
    pytest.param(Scene("general", "Ren"), "the persona of a scene must be a Persona, such as Persona('Ren'), not str", id="a persona in words"),  # type: ignore[arg-type]
    pytest.param(Scene("general", None), "the persona of a scene must be a Persona, such as Persona('Ren'), not NoneType", id="no persona"),  # type: ignore[arg-type]
    pytest.param(Scene(7, Persona("Ren")), "the channel of a scene must be the name or id of a channel, as text, not int", id="a number for a channel"),  # type: ignore[arg-type]
    pytest.param(Scene("general", Persona("Ren"), history=(HELLO,)), "each entry of the history of a scene must be a Line, such as Line('Mia', 'Hello'), not dict", id="a history of dictionaries"),
    pytest.param(Scene("general", Persona("Ren"), history="Hello"), "the history of a scene must be a list or tuple, not str", id="a history in words"),  # type: ignore[arg-type]
    pytest.param(Scene("general", Persona("Ren"), memories="He is kind."), "the memories of a scene must be a list or tuple, not str", id="memories in words"),  # type: ignore[arg-type]
    pytest.param(Scene("general", Persona("Ren"), roster={"Mia": "<@1>"}), "the roster of a scene must be a Roster, not dict", id="a dictionary for a roster"),  # type: ignore[arg-type]
]  # fmt: skip


@pytest.mark.parametrize(("scene", "sentence"), SCENES)
async def test_what_is_no_scene_is_refused(scene: Any, sentence: str) -> None:
    await is_refused(lambda target: say(target, "Hi", scene=scene), sentence)
    await is_refused(lambda target: reply(scene, MODEL, target), sentence)


OPTIONS: list[Any] = [
    pytest.param({"settings": {"degree": 3}}, "settings must be Settings, such as Settings.of(degree=3), not dict", id="settings in a dictionary"),
    pytest.param({"settings": Settings}, "settings must be Settings, such as Settings.of(degree=3), not the class Settings", id="the class of settings"),
    pytest.param({"stop": asyncio.Event()}, "stop must be a handle, such as Stops().open('turn'), not Event", id="an event for a stop"),
    pytest.param({"chance": 7}, "chance must be a source of random numbers, such as random.Random(1), not int", id="a seed for chance"),
    pytest.param({"rules": Rule}, "rules must be a list of rule classes, such as (*RULES, NoShouting), not the class Rule", id="one rule"),
    pytest.param({"rules": ["names"]}, "rules must be a list of rule classes, such as (*RULES, NoShouting), not str", id="the name of a rule"),
    pytest.param({"trace": "log.jsonl"}, "trace must be a function that takes a fact, not str", id="a file for a trace"),
    pytest.param({"on_error": "ignore"}, "on_error must be a function that takes an error, not str", id="a word for a hook"),
    pytest.param({"preparer": "pictures"}, "preparer must be a PostPreparer, not str", id="a word for a preparer"),
]  # fmt: skip


@pytest.mark.parametrize(("options", "sentence"), OPTIONS)
async def test_what_is_no_such_option_is_refused(options: dict[str, Any], sentence: str) -> None:
    await is_refused(lambda target: say(target, "Hi", **options), sentence)
    await is_refused(lambda target: reply(SCENE, MODEL, target, **options), sentence)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        pytest.param({"model": "openai:gpt-5.1"}, "a model must come from connect('openai:gpt-5.1'), or be a function that returns one, not str", id="the name of a model"),
        pytest.param({"tools": words}, "tools must be a list of functions and tools, not function; put a single one into a list", id="one tool"),
        pytest.param({"tools": ["roll"]}, "the tool 'str' must be a function, not 'roll'", id="the name of a tool"),
        pytest.param({"consent": True}, "consent must be a function that answers whether a tool may run, not bool", id="consent in advance"),
    ],
)  # fmt: skip
async def test_what_only_reply_takes_is_looked_at_too(options: dict[str, Any], sentence: str) -> None:
    wanted: dict[str, Any] = {"model": MODEL, **options}
    await is_refused(lambda target: reply(SCENE, target=target, **wanted), sentence)


@pytest.mark.parametrize(
    ("target", "sentence"),
    [
        pytest.param(MemoryTarget, "a target needs 'limits', 'send' and 'typing'; the class MemoryTarget lacks them; CONTRIBUTING.md shows one", id="its class"),
        pytest.param(object(), "a target needs 'limits', 'send' and 'typing'; object lacks them; CONTRIBUTING.md shows one", id="an object"),
    ],
)  # fmt: skip
async def test_what_is_no_target_is_refused(target: Any, sentence: str) -> None:
    for call in (say(target, "Hi"), reply(SCENE, MODEL, target)):
        with pytest.raises(InputError) as raised:
            await call
        assert sentence == str(raised.value)


@pytest.mark.parametrize("place", [7, "general", None], ids=str)
async def test_the_id_or_name_of_a_channel_is_none(place: Any) -> None:
    with pytest.raises(InputError) as raised:
        await say(place, "Hi")

    advice = "is not a channel; pass the channel object, which client.get_channel returns once it is ready"
    assert f"{type(place).__name__} {advice}" == str(raised.value)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        pytest.param({"persona": "Ren"}, "persona must be a Persona, such as Persona('Ren'), not str", id="a persona in words"),
        pytest.param({"settings": {}}, "settings must be Settings, such as Settings.of(degree=3), not dict", id="settings in a dictionary"),
        pytest.param({"rules": "names"}, "rules must be a list of rule classes, such as (*RULES, NoShouting), not str", id="the name of a rule"),
        pytest.param({"client": "token"}, "a Speaker needs a discord.py client, not str", id="a token"),
    ],
)  # fmt: skip
def test_a_speaker_is_refused_when_it_is_made(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(CadenzaError) as raised:
        Speaker(**options)

    assert sentence == str(raised.value)


@pytest.mark.parametrize("value", [True, False])
def test_whether_errors_are_shown_is_one_of_three_words(*, value: bool) -> None:
    with pytest.raises(SettingsError) as raised:
        Settings.of(show_errors=value)

    assert f"the setting 'show_errors' must be one of 'friendly', 'details', 'off', not {value}" == str(raised.value)


@pytest.mark.parametrize("call", ["say", "reply"])
def test_without_a_loop_there_is_one_sentence(call: str) -> None:
    target = MemoryTarget()
    coroutine = say(target, "Hi") if call == "say" else reply(SCENE, MODEL, target)

    with pytest.raises(InputError) as raised:
        coroutine.send(None)  # as a library with another loop does

    assert f"{call} needs a running loop of asyncio; await it in a coroutine that asyncio runs" == str(raised.value)


async def test_what_is_right_is_not_refused() -> None:
    target = MemoryTarget()
    chunks: list[Chunk] = [TextDelta("Hi"), Finished()]
    scene = Scene("general", Persona("Ren"), history=[Line("Mia", "Hello")])  # type: ignore[arg-type]  # a list does too
    for stream in ("Hi", ["H", "i"], chunks, words(), spoken(), asked(), {"message": {"content": "Hi"}, "done": True}):
        await say(target, stream, scene=scene)

    assert ["Hi"] * 7 == target.texts


async def is_refused(call: Callable[[MemoryTarget], Any], sentence: str) -> None:
    """Nothing of *call* is sent or told, and its author gets the *sentence*."""
    target = MemoryTarget()
    with pytest.raises(CadenzaError) as raised:
        await call(target)

    assert sentence == str(raised.value)
    assert ([], []) == (target.texts, target.notices)
