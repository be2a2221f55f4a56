"""``Reply.text``: what the model said, exactly, whatever became of it on its way."""

from __future__ import annotations

import asyncio

import pytest

from answers import FAMILIES, answers
from cadenza.concurrency.stops import Stops
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import Completed, ThoughtDelta
from constructs import constructs
from tests.actors import BUSY, NO_MODEL, Actor, call, perform, tool
from tests.helpers import slicings
from tests.timing import SlowStream, TimedTarget

LIST = "1. Prepare:\n   - Food\n   - Towels\n2. Wait"


@pytest.mark.parametrize(
    "settings",
    [
        pytest.param(Settings(), id="the defaults"),
        *(pytest.param(Settings.of(degree=degree, typing_budget=0.0), id=f"degree {degree}") for degree in range(4)),
        pytest.param(Settings.reference(typing_budget=0.0), id="the reference"),
        pytest.param(Settings.of(message_limit=2, when_full="stop"), id="ended early"),
    ],
)
@pytest.mark.parametrize("family", [*FAMILIES, "constructs"])
async def test_it_is_the_answer_whatever_is_shown_of_it(family: str, settings: Settings) -> None:
    texts = constructs(20) if family == "constructs" else answers(family, 6)
    for text in texts:
        reply = await say(MemoryTarget(), text, settings=settings)

        is_whole = isinstance(reply.outcome, Completed)
        assert text == reply.text if is_whole else text.startswith(reply.text) and reply.text


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("\n\n  One.\n\n\nTwo.  \n\n", id="white space around it"),
        pytest.param("Ren: Hi <b>you</b> &amp; @mia :) ---", id="what rules change"),
        pytest.param("a\r\nb\r\n", id="line ends of Windows"),
        pytest.param("\u2800 \u200b\ufeff", id="nothing that can be seen"),
        pytest.param("The <think> tag, and <details> too.", id="tags that open nothing"),
    ],
)
async def test_nothing_is_cleaned_or_trimmed(text: str) -> None:
    for pieces in slicings(text):
        assert text == (await say(MemoryTarget(), pieces)).text


@pytest.mark.parametrize(
    ("text", "said"),
    [
        pytest.param("<think>plan</think>Hello.", "Hello.", id="at the beginning"),
        pytest.param("<think>plan\n\nmore</think>\n\n" + LIST, "\n\n" + LIST, id="its empty line stays"),
        pytest.param("One.\n<think>hm</think>\nTwo.", "One.\n\nTwo.", id="on a line of its own"),
        pytest.param("One <think>hm</think>two.", "One two.", id="within a line"),
        pytest.param("One.\n<details>hm</details>\nTwo.", "One.\n\nTwo.", id="details"),
        pytest.param("One.\n```html\n<think>x</think>\n```\n", "One.\n```html\n<think>x</think>\n```\n", id="in code"),
    ],
)
async def test_hidden_blocks_are_left_out_and_the_rest_is_exact(text: str, said: str) -> None:
    for pieces in slicings(text):
        assert said == (await say(MemoryTarget(), pieces)).text


async def test_thoughts_that_come_apart_are_not_in_it() -> None:
    reply = await say(MemoryTarget(), SlowStream(ThoughtDelta("plan"), "One.\n", ThoughtDelta("hm"), "Two."))

    assert ("One.\nTwo.", ("plan", "hm")) == (reply.text, reply.thoughts)


# --- tools and other models ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("before", "after", "text"),
    [
        pytest.param("Let me see.", LIST, f"Let me see.\n\n{LIST}", id="an empty line between"),
        pytest.param(f"{LIST}\n", "Done.", f"{LIST}\nDone.", id="it wrote a line end"),
        pytest.param("Let me see.", "\n\nDone.", "Let me see.\n\nDone.", id="it wrote one afterwards"),
        pytest.param("", "  Done.\n", "  Done.\n", id="nothing before"),
        pytest.param("Let me see.", "", "Let me see.", id="nothing after"),
        pytest.param("<think>a</think>One. Tw", "<think>b</think>Done.", "One. Tw\n\nDone.", id="thoughts"),
    ],
)
@pytest.mark.parametrize("degree", [0, 1, 3])
async def test_tools_in_between_change_nothing(before: str, after: str, text: str, degree: int) -> None:
    reply = await perform(Actor([before, call()], [after]), tools=[tool()], degree=degree, typing_budget=0.0)

    assert text == reply.text


async def test_three_rounds() -> None:
    actor = Actor(["One.\n\nTwo.", call()], ["Three:\n", call(identity="2")], [f"{LIST}\n"])

    reply = await perform(actor, tools=[tool()])

    assert f"One.\n\nTwo.\n\nThree:\n{LIST}\n" == reply.text


@pytest.mark.parametrize("failure", [NO_MODEL, BUSY], ids=["no model", "overloaded"])
async def test_the_words_of_a_model_that_another_replaced_are_not_in_it(failure: object) -> None:
    reply = await perform(
        Actor(["One.\nTw", failure]), Actor(["Three.\n\nFour."], name="second"), model_retries=0, retry_delay=0.0
    )

    assert isinstance(reply.outcome, Completed)
    assert ("Three.\n\nFour.", "second") == (reply.text, reply.model)


@pytest.mark.looptime
async def test_after_a_stop_it_holds_what_was_not_delivered_too() -> None:
    target, stops = TimedTarget(), Stops()
    with stops.open("turn") as handle:
        asyncio.get_running_loop().call_later(0.2, stops.request, "turn")
        model = SlowStream("One.\n\nTwo.\nThree is not", 60.0, " whole.")
        reply = await say(target, model, settings=Settings.of(degree=2, on_stop="silence"), stop=handle)

    assert (["One."], "One.\n\nTwo.\nThree is not") == (target.texts, reply.text)
