"""Messages that are put together show what the model wrote: numbers, nesting and empty lines; files hold it exactly."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable

import looptime
import pytest

from answers import FAMILIES, answers
from cadenza.concurrency.stops import Stops
from cadenza.replies.pipeline import text_row
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.types import Completed, Ending, Persona, Post, Receipt, Reply, Scene, Stopped
from constructs import constructs
from looks import compare
from tests.helpers import Dice
from tests.timing import SlowStream, TimedTarget
from tests.trouble import MeteredChannel
from wait import OpenChat, Voice

LIST = "1. Prepare:\n   - Food\n   - Towels\n2. Wait"
AS_WRITTEN = {"tables": "source", "math": "source", "rules_off": Settings.reference().rules.rules_off}
"""Nothing is shown in another form."""
LINE_BY_LINE = Settings.reference(degree=1, **AS_WRITTEN)
MANNERS = {
    "line by line": LINE_BY_LINE,
    "line by line with typing": Settings.reference(degree=2, **AS_WRITTEN),
    "lines": Settings.of(shape="lines", **AS_WRITTEN),
    "blocks": Settings.of(shape="blocks", gather=0, **AS_WRITTEN),
}


def shown(receipts: Iterable[Receipt]) -> str:
    """What the messages show, with the white space between them."""
    return "".join(receipt.post.joint + receipt.post.text for receipt in receipts)


# --- a rate limit ------------------------------------------------------------------------------------


class OneAtATime(MeteredChannel):
    """A chat that takes one message in five seconds."""

    limit = 1


@pytest.mark.looptime
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LIST, id="repro: nesting and numbers"),
        pytest.param("4. Four\n5. Five\n\n   More of five.\n6. Six", id="a list that begins at four"),
        pytest.param("One.\n\nTwo.\n\n\nThree.\nFour.", id="empty lines"),
        pytest.param("# Tea\n\n> Hot.\n> Very.\n\n-# perhaps", id="a heading, a quote and subtext"),
        pytest.param("- a\n  - b\n    - c\n\t- d\n- e", id="depths"),
        pytest.param("Run:\n```sh\nls\n\n  cd\n```\nDone.", id="code"),
        pytest.param("A poem,  \nby me,\nand you", id="verse"),
    ],
)
async def test_messages_merged_for_a_rate_limit_show_the_text_itself(text: str) -> None:
    channel = OneAtATime()

    await say(channel, text, settings=LINE_BY_LINE)

    assert [text] == channel.texts


async def _paced(text: str, settings: Settings) -> Reply:
    reply = await say(OpenChat(), Voice(text, 400), settings=settings)
    assert isinstance(reply.outcome, Completed)
    return reply


def paced(text: str, settings: Settings) -> Reply:
    """*text*, said fast to a chat that takes five messages in five seconds."""
    with asyncio.Runner(loop_factory=lambda: looptime.new_event_loop(start=0.0, noop_cycles=0)) as runner:
        return runner.run(_paced(text, settings))


def planned(text: str, settings: Settings) -> int:
    """The messages of *text* without a limit."""
    row = text_row(Scene("", Persona("")), settings, Dice())
    return sum(isinstance(item, Post) for item in (*row.feed(text), *row.flush(Ending.FINAL)))


@pytest.mark.parametrize("settings", MANNERS.values(), ids=MANNERS)
@pytest.mark.parametrize("family", FAMILIES)
def test_merged_or_not_what_is_shown_is_the_answer(family: str, settings: Settings) -> None:
    merged = 0
    for text in answers(family, 6):
        reply = paced(text, settings)

        assert text == shown(reply.receipts)
        assert text == "".join(receipt.post.joint + receipt.post.said for receipt in reply.receipts)
        merged += planned(text, settings) - len(reply.receipts)
    assert merged > 0 or family == "chatty", "only a chatty answer may be few messages"


@pytest.mark.parametrize("settings", MANNERS.values(), ids=MANNERS)
def test_the_model_later_sees_what_it_wrote_without_the_marks_that_were_put_in(settings: Settings) -> None:
    """Emphasis that outlives a message is closed and opened again; a fence is written in backticks."""
    for text in constructs(30):
        reply = paced(text, settings)

        written = text.replace("\r\n", "\n").replace("~~~", "```")
        assert written == "".join(receipt.post.joint + receipt.post.said for receipt in reply.receipts)


@pytest.mark.parametrize("settings", [Settings.of(shape="lines"), Settings.of(degree=2)], ids=["lines", "degree 2"])
@pytest.mark.parametrize("family", FAMILIES)
def test_merged_or_not_no_number_depth_or_empty_line_is_lost(family: str, settings: Settings) -> None:
    for text in answers(family, 6):
        look = compare(text, [receipt.post.text for receipt in paced(text, settings).receipts])

        assert (0, 0, 0) == (look.numbers, look.flat, look.lost), text


# --- a stop ------------------------------------------------------------------------------------------


async def stopped(text: str, target: TimedTarget, *, after: float) -> Reply:
    """A model says all of *text* at once, goes on thinking, and is stopped."""
    stops = Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(after, stops.request, "turn")
        settings = Settings.reference(thinking_chance=0.0, queue=1000, on_stop="clause", **AS_WRITTEN)
        reply = await say(target, SlowStream(text, 60.0), settings=settings, stop=handle)
    assert isinstance(reply.outcome, Stopped)
    return reply


@pytest.mark.looptime
@pytest.mark.parametrize("family", FAMILIES)
@pytest.mark.parametrize("after", [0.2, 3.0])
async def test_after_a_stop_the_messages_are_the_beginning_of_the_answer(family: str, after: float) -> None:
    for text in answers(family, 6):
        target = TimedTarget()

        reply = await stopped(text, target, after=after)

        assert target.texts == [receipt.post.text for receipt in reply.receipts]
        assert text.startswith(shown(reply.receipts))


# --- the file for the rest -----------------------------------------------------------------------------


@pytest.mark.parametrize("limit", [1, 3])
@pytest.mark.parametrize("settings", MANNERS.values(), ids=MANNERS)
@pytest.mark.parametrize("family", FAMILIES)
async def test_the_file_with_the_rest_holds_the_text_exactly(family: str, settings: Settings, limit: int) -> None:
    files = 0
    for text in answers(family, 6):
        target = MemoryTarget(limits=Limits(files=True))
        wanted = settings.with_values({"message_limit": limit, "typing_budget": 0.0, "code_file": 0})

        reply = await say(target, text, settings=wanted)

        last, before = target.posts[-1], shown(reply.receipts)
        assert text.startswith(before)
        assert text == shown(reply.receipts[:-1]) + last.joint + last.said
        if last.attachment:
            files += 1
            assert ("reply.md", text[len(before) :].strip("\n") + "\n") == (
                last.attachment.name,
                last.attachment.data.decode(),
            )
        else:
            assert text == before
    assert files > 0 or planned(text, wanted) <= limit


@pytest.mark.parametrize("shape", ["reply", "blocks", "lines"])
async def test_the_file_goes_on_where_the_last_message_ends(shape: str) -> None:
    text = f"Hello, here is what you need to know:\n\n{LIST}\n\n    code\n      more\n\n\nDone."
    target = MemoryTarget(limits=Limits(files=True))

    await say(target, text, settings=Settings.of(shape=shape, message_limit=1, limit=50))

    (last,) = target.posts
    assert last.attachment is not None
    assert text[len(last.text) :].strip("\n") + "\n" == last.attachment.data.decode()
