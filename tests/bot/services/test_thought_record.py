"""What the thought log shows of a reply agrees with what ``reply`` returns, in every story of trouble."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import asdict

import pytest

from cadenza.bot.services.thought_record import ThoughtFold, ThoughtRecord
from cadenza.facts import LoggedFact
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.model import Model
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.tools.tool import Tool
from cadenza.types import Broke, Empty, Failure, Line, Outcome, Persona, Reply, Scene, Stalled, ToolSpec
from tests.storytelling import Story
from tests.test_stories_of_trouble import SETTINGS, STORIES

pytestmark = pytest.mark.looptime


def record_of(facts: Sequence[LoggedFact]) -> ThoughtRecord:
    fold = ThoughtFold()
    for logged in facts:
        fold.hear(logged)
    return fold.record


def kind(outcome: Outcome) -> str:
    return type(outcome).__name__.lower()


def failed(answer: Reply) -> list[tuple[str, str]]:
    """The attempts that failed, the last one too."""
    attempts = [*answer.failures, Failure(answer.model, answer.outcome)]
    return sorted(
        (one.model, kind(one.outcome)) for one in attempts if isinstance(one.outcome, Broke | Stalled | Empty)
    )


def disagreements(answer: Reply, record: ThoughtRecord) -> list[str]:
    pairs = {
        "thoughts": (answer.thoughts, record.thoughts),
        "tools": ([use.call.name for use in answer.tools], [used.tool for used in record.tools]),
        "usage": (asdict(answer.usage), record.usage),
        "model": (answer.model, record.model),
        "failures": (failed(answer), sorted((one.model, str(one.outcome["kind"])) for one in record.failures)),
        "messages": ([receipt.message_id for receipt in answer.receipts], [*record.urls]),
    }
    return [
        f"{name}: {theirs} of the reply, {ours} of the record"
        for name, (theirs, ours) in pairs.items()
        if theirs != ours
    ]


@pytest.mark.parametrize("tell", STORIES, ids=lambda tell: tell.__name__)
async def test_the_record_agrees_with_the_reply(tell: Callable[[Story], Awaitable[None]]) -> None:
    story = Story(str(tell.__doc__), **SETTINGS.get(tell.__name__, {}))
    await tell(story)

    assert [] == [wrong for answer, facts in story.told for wrong in disagreements(answer, record_of(facts))]


def scripted(*scripts: str, name: str) -> Model:
    return Model(ScriptedCodec(), transport([parse_script(script) for script in scripts], asyncio.sleep), name=name)


async def heard(*models: Model, tools: Sequence[Tool] = ()) -> tuple[Reply, ThoughtRecord]:
    facts: list[LoggedFact] = []
    scene = Scene("kitchen", Persona("Ren"), history=(Line("Mia", "hello"),))
    settings = Settings.of(degree=1, model_retries=0, empty_retries=0)
    answer = await reply(scene, models, MemoryTarget(), settings=settings, tools=tools, trace=facts.append)
    record = record_of(facts)
    assert [] == disagreements(answer, record)
    return answer, record


async def test_thoughts_of_both_kinds_stand_in_order_around_a_tool() -> None:
    async def roll(*_: object) -> str:
        return "four"

    first = """
        {"served": "North"}
        {"thought": "Roll "}
        {"thought": "it."}
        {"text": "One moment. <think>A die.</think>"}
        {"tool": {"name": "dice", "arguments": {"sides": 6}}}
    """
    second = """
        {"served": "South"}
        {"thought": "Four."}
        {"text": "Four!"}
        {"usage": {"input_tokens": 9, "output_tokens": 3, "thought_tokens": 2}}
        {"finish": "stop"}
    """
    _, record = await heard(scripted(first, second, name="gpt"), tools=[Tool(ToolSpec("dice", "Roll dice.", {}), roll)])

    assert ("Roll it.", "A die.", "Four.") == record.thoughts
    assert [("dice", '{"sides": 6}', 4, False)] == [
        (used.tool, used.arguments, used.size, used.is_error) for used in record.tools
    ]
    assert "South" == record.served_by
    assert (9, 2) == (record.tokens["input_tokens"], record.tokens["thought_tokens"])


BREAKS = '{"thought": "Hm."}\n{"text": "One.\\nTwo"}\n{"served": "North"}\n{"error": "asleep"}'


async def test_thoughts_of_a_failed_attempt_are_gone_when_another_model_answers() -> None:
    _, record = await heard(
        scripted(BREAKS, name="first"), scripted('{"thought": "Better."}\n{"text": "Hi."}', name="second")
    )

    assert ("Better.",) == record.thoughts
    assert "" == record.served_by
    assert [("first", "broke")] == [(one.model, one.outcome["kind"]) for one in record.failures]


@pytest.mark.parametrize(
    ("silence", "thoughts", "served"),
    [
        pytest.param('{"thought": "Oh."}\n{"error": "ill"}', ("Hm.", "Oh."), ("third", ""), id="fails too"),
        pytest.param('{"finish": "stop"}', ("Hm.",), ("first", "North"), id="empty"),
    ],
)
async def test_thoughts_of_a_failed_attempt_count_when_no_other_model_answers(
    silence: str, thoughts: tuple[str, ...], served: tuple[str, str]
) -> None:
    _, record = await heard(
        scripted(BREAKS, name="first"), scripted(silence, name="second"), scripted(silence, name="third")
    )

    assert thoughts == record.thoughts
    assert served == (record.model, record.served_by)


async def test_a_reply_of_nothing_has_only_its_failure() -> None:
    _, record = await heard(scripted('{"error": "ill"}', name="first"))

    assert not record.is_shown
    assert record.url is None
    assert [("first", "ill")] == [(one.model, one.outcome["error"]["text"]) for one in record.failures]  # type: ignore[index]  # a value of JSON
