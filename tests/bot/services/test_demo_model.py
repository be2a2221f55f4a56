"""The demo model: the same answer to the same prompt, one of every kind, through the real pipeline."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.config.config import Config
from cadenza.bot.config.current import Current
from cadenza.bot.services.demo_model import DemoModels, parrot
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import (
    Completed,
    Finished,
    Line,
    Persona,
    Prompt,
    PromptTurn,
    Role,
    Scene,
    Sprite,
    ThoughtDelta,
    ToolCall,
    ToolSpec,
)


def _prompt(text: str, *more: PromptTurn, tools: tuple[ToolSpec, ...] = ()) -> Prompt:
    return Prompt("", (PromptTurn.said(Role.USER, text), *more), tools=tools, speaker="Ren")


def _text(prompt: Prompt) -> str:
    return "".join(said for said in parrot(prompt) if isinstance(said, str))


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ("Mia: show me a table", "| food |"),
        ("some code please", "```python"),
        ("tell me a story", "Once upon a time"),
        ("help!", "I am built in"),
        ("Mia: smile, <@123>", "Ren (happy):"),
        ("Mia: @Ren good evening", "You said: good evening\n"),
        ("roll the dice", "nobody gave me any dice"),
        ("[Go on with your last message exactly where it ended]", "And so on"),
        ("", "I am listening"),
    ],
    ids=["table", "code", "story", "help", "sprite", "echo", "no dice", "more", "nothing"],
)
def test_it_has_an_answer_of_every_kind(asked: str, expected: str) -> None:
    assert expected in _text(_prompt(asked))


DICE = ToolSpec("dice", "Rolls", {"properties": {"notation": {"type": "string"}, "n": {}}, "required": ["notation"]})


def test_it_rolls_the_dice_if_there_are_any_and_says_what_came_of_it() -> None:
    asked = _prompt("roll the dice", tools=(DICE,))

    call = next(said for said in parrot(asked) if isinstance(said, ToolCall))
    answer = _prompt("roll the dice", PromptTurn(Role.TOOL, ("7",), call_id=call.id), tools=(DICE,))

    assert ("dice", {"notation": "2d6"}) == (call.name, json.loads(call.arguments))
    assert "The dice have spoken: 7" == _text(answer)


def test_a_long_answer_takes_its_time_and_a_short_one_does_not() -> None:
    long, short = (sum(said for said in parrot(_prompt(text)) if isinstance(said, float)) for text in ("story", "hi"))

    assert 4 < long < 10
    assert 0 == short


@given(st.text(max_size=3000))
def test_it_says_the_same_to_the_same_and_always_ends(text: str) -> None:
    said = list(parrot(_prompt(text)))

    assert said == list(parrot(_prompt(text)))
    assert isinstance(said[0], ThoughtDelta)
    assert isinstance(said[-1], Finished)
    assert len(_text(_prompt(text))) < 1000


@pytest.mark.looptime
async def test_it_answers_through_the_real_pipeline_with_a_tool_and_a_face() -> None:
    async def dice(notation: str) -> str:
        """Roll dice.

        :param notation: such as 2d6
        """
        return f"{notation} came to 7"

    store = MemoryStore()
    registry = DemoModels(Current(Config()), store, Seal("key"))
    sources, target = await registry.sources("anything"), MemoryTarget()
    persona = Persona("Ren", sprites=(Sprite("happy", "data:image/png;base64,"),))

    for text in ("roll the dice", "smile"):
        scene = Scene("general", persona, history=(Line("Mia", text),))
        left = await reply(scene, sources, target, settings=Settings.of(degree=1), tools=[dice])
        assert isinstance(left.outcome, Completed)

    assert ["The dice have spoken: 2d6 came to 7", "Like this? 😄"] == target.texts
    assert ("parrot",) == registry.names()
    assert [True, False] == [await registry.may_choose(name, "") for name in ("parrot", "openai:gpt")]
    assert [True, True, False] == [await registry.is_known(name) for name in ("", "parrot", "openai:gpt")]
    assert 0.0 == await registry.cooldown("parrot")
    await registry.close()
