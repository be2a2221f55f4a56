"""The desk with real replies: whatever a reply is just doing, it gives way, and people see the right thing."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

import pytest

from cadenza.errors import ErrorKind
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.turns import ShutdownResult, Turns, Verdict
from cadenza.turns.channels import Turn
from cadenza.turns.waiting import IncomingMessage
from cadenza.types import Completed, Line, Outcome, Persona, Reply, Scene, Stopped, StopReason
from tests.actors import NO_MODEL, Actor, call, fails, tool
from tests.at_the_desk import others
from tests.timing import SlowStream, TimedTarget, now

pytestmark = pytest.mark.looptime


@dataclass
class Bot:
    """A bot that answers "question" with *models*, and everything else at once."""

    models: Iterable[Actor]
    target: TimedTarget = field(default_factory=TimedTarget)
    replies: list[Reply] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.turns = Turns(self.answer)

    def write(self, text: str, author: str = "ann") -> Verdict:
        return self.turns.heard(IncomingMessage(text, "general", author, text))

    async def answer(self, turn: Turn) -> Reply:
        words = "+".join(message.text for message in turn.messages)
        models = self.models if words == "question" else [Actor([f"So: {words}."])]
        scene = Scene("general", Persona("Ren"), history=(Line("Ann", words),))
        result = await reply(
            scene,
            [actor.model for actor in models],
            self.target,
            settings=Settings.of(degree=1, retry_wait=100.0),
            tools=[tool(lambda: asyncio.sleep(60.0, "4"))],
            stop=turn.stop,
            supersedes=turn.supersedes,
        )
        self.replies.append(result)
        return result


SAID = "Once upon a time.\n\n"
PHASES = [
    pytest.param(lambda: [Actor([60.0, "Late."])], [], id="waiting for the first word"),
    pytest.param(lambda: [Actor([SAID, "And", 60.0])], ["Once upon a time."], id="between two words"),
    pytest.param(lambda: [Actor([fails(ErrorKind.OVERLOADED, retry_after=60.0)])], [], id="before the next try"),
    pytest.param(lambda: [Actor([NO_MODEL]), Actor([60.0, "Late."])], [], id="waiting for another model"),
    pytest.param(lambda: [Actor([SAID, call()])], ["Once upon a time."], id="while a tool runs"),
]
"""What a reply does after a second, and what it has said until then."""


@pytest.mark.parametrize(("models", "said"), PHASES)
async def test_at_a_shutdown_people_are_told_that_the_reply_was_cut_off(
    models: Callable[[], list[Actor]], said: list[str]
) -> None:
    bot = Bot(models())
    bot.write("question")
    await asyncio.sleep(1.0)

    assert ShutdownResult(stopped=1, left=0, dropped=0) == await bot.turns.close()
    assert 11.0 == now()
    assert said == bot.target.texts
    assert ["The reply was cut off by a restart; ask again in a moment."] == [
        notice.text for notice in bot.target.notices
    ]
    assert set() == others()


@pytest.mark.parametrize(
    ("latency", "said", "outcome", "told"),
    [
        pytest.param(8.0, ["One.", "Two."], Completed("end_of_stream"), [], id="the last message under way"),
        pytest.param(
            12.0,
            ["One."],
            Stopped(StopReason.SHUTDOWN),
            ["The reply was cut off by a restart; ask again in a moment."],
            id="one waiting behind another",
        ),
    ],
)
async def test_a_reply_whose_last_message_is_being_sent_at_a_shutdown_is_not_cut_off(
    latency: float, said: list[str], outcome: Outcome, told: list[str]
) -> None:
    bot = Bot([Actor(["One.\n\nTwo."])], TimedTarget(latency=latency))
    bot.write("question")
    await asyncio.sleep(1.0)
    await bot.turns.close()

    assert said == bot.target.texts
    assert [outcome] == [reply.outcome for reply in bot.replies]
    assert told == [notice.text for notice in bot.target.notices]


@pytest.mark.parametrize(("models", "said"), PHASES)
async def test_a_stop_in_words_ends_it_at_once_in_silence(models: Callable[[], list[Actor]], said: list[str]) -> None:
    bot = Bot(models())
    bot.write("question")
    await asyncio.sleep(1.0)

    assert Verdict.STOPPED is bot.write("stop")
    await asyncio.sleep(0.1)
    assert said == bot.target.texts
    assert [] == bot.target.notices
    await bot.turns.close()


@pytest.mark.parametrize(
    ("models", "texts"),
    [
        pytest.param(lambda: [Actor([60.0, "Late."])], ["So: question+more."], id="waiting for the first word"),
        pytest.param(
            lambda: [Actor([SAID, "And", 60.0])], ["Once upon a time.", "So: more."], id="behind the first message"
        ),
        pytest.param(
            lambda: [Actor([NO_MODEL]), Actor([60.0, "Late."])], ["So: question+more."], id="waiting for another model"
        ),
    ],
)
async def test_a_follow_up_is_answered_with_the_question_if_nothing_was_said_yet(
    models: Callable[[], list[Actor]], texts: list[str]
) -> None:
    bot = Bot(models())
    bot.write("question")
    await asyncio.sleep(1.0)

    assert Verdict.INTERRUPTED is bot.write("more")
    await asyncio.sleep(0.1)
    assert texts == bot.target.texts
    await bot.turns.close()


@pytest.mark.parametrize("rest", ["Two.", "Two.\n" * 20], ids=["all is said", "more than can wait"])
async def test_a_chat_that_never_takes_a_message_does_not_keep_the_channel(rest: str) -> None:
    bot = Bot([Actor(["One.\n\n", rest])], TimedTarget(latency=10_000.0))
    bot.write("question")
    await asyncio.sleep(205.0)

    assert () == bot.turns.running()
    assert 1 == bot.turns.left_behind
    assert {"cadenza answer", "cadenza sender"} == others()
    await asyncio.sleep(10_000.0)
    assert ["One."] == bot.target.texts, "it could not be taken back any more, and nothing came behind it"
    assert set() == others()


async def test_a_reply_that_is_interrupted_says_nothing_more_and_the_next_one_says_everything() -> None:
    target = TimedTarget()

    async def answer(turn: Turn) -> Reply:
        words = SlowStream(*(piece for word in ("one\n", "two\n", "three\n") for piece in (word, 1.0)))
        return await say(target, words, settings=Settings.of(degree=1), stop=turn.stop)

    async with Turns(answer) as turns:
        turns.heard(IncomingMessage("1", "general", "ann", "count"))
        await asyncio.sleep(1.5)
        assert Verdict.INTERRUPTED is turns.heard(IncomingMessage("2", "general", "ann", "again, please"))
        await asyncio.sleep(1.0)

    assert ["one", "one", "two", "three"] == target.texts
    assert [1.0, 2.5, 3.5, 4.5] == target.arrived


@pytest.mark.parametrize(("on_stop", "said"), [("silence", []), ("clause", ["Once upon a time."])])
async def test_at_a_shutdown_a_clause_is_finished_only_if_the_settings_say_so(on_stop: str, said: list[str]) -> None:
    target, replies = TimedTarget(), list[Reply]()

    async def answer(turn: Turn) -> Reply:
        words = SlowStream("Once upon a time. There was a", 60.0, "nother one")
        settings = Settings.of(degree=1, on_stop=on_stop)
        replies.append(await say(target, words, settings=settings, stop=turn.stop))
        return replies[0]

    async with Turns(answer) as turns:
        turns.heard(IncomingMessage("1", "general", "ann", "tell me"))
        await asyncio.sleep(1.0)

    assert [Stopped(StopReason.SHUTDOWN)] == [reply.outcome for reply in replies]
    assert said == target.texts
    assert 11.0 == now()
