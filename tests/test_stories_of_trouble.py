"""Stories of turns in which something goes wrong, each with its transcript in ``stories/``.

``REWRITE_STORIES=1 pytest tests/test_stories_of_trouble.py`` writes the transcripts anew; read what has changed before you keep it.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from cadenza.errors import DeliveryError, DeliveryKind, ToolError
from cadenza.models.model import Model
from cadenza.types import Line
from tests.storytelling import (
    CLAUDE,
    FOREVER,
    GEMINI,
    GPT,
    SECRET,
    Refusal,
    Story,
    begins,
    breaks,
    ends,
    hangs,
    refuses,
    says,
    silent,
)
from tests.voices import Call

pytestmark = pytest.mark.looptime

_FOLDER = Path(__file__).parent / "stories"
LAMP = Call("call_1", "lamp", {"on": True})
LIMITED = "Rate limit reached for requests"
HALF = "Well, hello.\n<think>What"
"""A whole message and the beginning of a thought."""


async def dead_key(story: Story) -> None:
    """A key that is refused is passed over, in the next turn too; when it has rested it gets another chance."""
    ring = story.ring(2)
    wrong = refuses(401, "Incorrect API key provided", code="invalid_api_key")
    model = story.model(
        GPT, wrong, says(GPT, "Hello, Mia."), says(GPT, "Still here."), says(GPT, "And again."), keys=ring
    )
    await story.turn(model)
    story.cooldowns(ring)
    await story.turn(model, says="are you there?")
    await asyncio.sleep(300)
    await story.turn(model, says="and now?")
    story.cooldowns(ring)


async def rate_limited_key(story: Story) -> None:
    """A key that is used too often is in cooldown for as long as its provider says, and is then used again."""
    ring = story.ring(2)
    limited = refuses(429, LIMITED, retry_after=30)
    answers = (says(GPT, f"Answer {number}.") for number in range(1, 4))
    model = story.model(GPT, limited, *answers, keys=ring)
    await story.turn(model)
    story.cooldowns(ring)
    await story.turn(model, says="and you?")
    await asyncio.sleep(30)
    await story.turn(model, says="still?")
    story.cooldowns(ring)


async def all_keys_rate_limited_for_a_short_time(story: Story) -> None:
    """Nobody else can answer: the key that can be used first is waited for."""
    first, second = refuses(429, LIMITED, retry_after=4), refuses(429, LIMITED, retry_after=8)
    await story.turn(story.model(GPT, first, second, says(GPT, "Hello, Mia."), keys=2))


async def all_keys_rate_limited_for_long(story: Story) -> None:
    """Nobody else can answer, and nobody waits that long: one notice. The next turn is asked anyway, with the main key."""
    ring = story.ring(2)
    limited = refuses(429, LIMITED, retry_after=30)
    model = story.model(GPT, limited, limited, limited, says(GPT, "Hello, Mia."), keys=ring)
    await story.turn(model)
    story.cooldowns(ring)
    await story.turn(model, says="hello?")
    story.cooldowns(ring)
    await asyncio.sleep(22)
    await story.turn(model, says="now?")


async def model_in_cooldown(story: Story) -> None:
    """A model whose keys are all in cooldown is not asked while there is another."""
    gpt = story.model(GPT, refuses(429, LIMITED, retry_after=30), says(GPT, "Back again."))
    claude = story.model(CLAUDE, says(CLAUDE, "Hello, Mia."), says(CLAUDE, "Still me."))
    await story.turn(gpt, claude)
    await story.turn(gpt, claude, says="who are you?")
    await asyncio.sleep(30)
    await story.turn(gpt, claude, says="and now?")


async def dead_model(story: Story) -> None:
    """A model that there is not any more: no other key is tried, the next model answers, and one line says so."""
    gone = refuses(404, "The model `gpt-5.1` does not exist or you do not have access to it.", code="model_not_found")
    await story.turn(story.model(GPT, gone, keys=3), story.model(CLAUDE, says(CLAUDE, "Hello, Mia.")))


async def content_filter(story: Story) -> None:
    """What a filter holds back is not asked again with another key, which would only make that key suspect as well."""
    ring = story.ring(3)
    blocked = (0.1, b'data: {"promptFeedback": {"blockReason": "PROHIBITED_CONTENT"}}\n\n')
    await story.turn(story.model(GEMINI, blocked, keys=ring), story.model(GPT, says(GPT, "Hello, Mia.")))
    story.cooldowns(ring)


async def content_filter_in_the_middle(story: Story) -> None:
    """A filter that strikes in the middle of an answer: what was said goes when somebody else speaks."""
    filtered = ends("content_filter", "Once upon a time.\n<think>")
    await story.turn(story.model(GPT, filtered, keys=2), story.model(CLAUDE, says(CLAUDE, "Let me tell it my way.")))


async def empty_twice(story: Story) -> None:
    """A model that says nothing is asked again, a second later each time; the third time it answers."""
    nothing = ends("stop")
    await story.turn(story.model(GPT, nothing, nothing, says(GPT, "Hello, Mia.")))


async def empty_three_times(story: Story) -> None:
    """A model that says nothing three times is passed over."""
    nothing = ends("stop")
    await story.turn(story.model(GPT, nothing, nothing, nothing), story.model(CLAUDE, says(CLAUDE, "Hello, Mia.")))


async def no_room_for_an_answer(story: Story) -> None:
    """A model that has no room for an answer is told less each time; the next one is told everything again."""
    for number in range(6):
        story.history += [Line("Mia", f"question {number}"), Line("Ren", f"answer {number}", is_own=True)]
    short = ends("length")
    await story.turn(story.model(GPT, short, short, short), story.model(CLAUDE, says(CLAUDE, "Hello, Mia.")))


async def somebody_else_s_words(story: Story) -> None:
    """A model that begins to speak for somebody else is reminded of who it is."""
    await story.turn(story.model(GPT, says(GPT, "Mia: hello yourself"), says(GPT, "Hello, Mia.")))


async def tool_fails_five_times(story: Story) -> None:
    """A tool that fails five times in a row ends the turn, once; nobody is told five times."""

    def broken() -> object:
        msg = "the lamp does not answer"
        raise ToolError(msg)

    tools = [story.tool("lamp", broken)]
    answers = [says(GPT, "Let me see.", LAMP), *(says(GPT, "", LAMP) for _ in range(9))]
    await story.turn(story.model(GPT, *answers), says="light, please", tools=tools)


async def tool_fails_five_times_and_another_model_goes_on(story: Story) -> None:
    """Another model gets its chance: it is told of all that was tried, what was said before stays, counting begins anew."""
    failures = iter(range(7))

    def broken() -> object:
        if next(failures, None) is None:
            return "the lamp is on"
        msg = "the lamp does not answer"
        raise ToolError(msg)

    tools = [story.tool("lamp", broken)]
    first = [says(GPT, "Let me see.", LAMP), *(says(GPT, "", LAMP) for _ in range(3)), says(GPT, "Hm.", LAMP)]
    second = [*(says(CLAUDE, "", LAMP) for _ in range(3)), says(CLAUDE, "Now it is on.")]
    await story.turn(story.model(GPT, *first), story.model(CLAUDE, *second), says="light, please", tools=tools)


async def stall_after_one_message(story: Story) -> None:
    """A model falls silent after a message: it stays until the next model speaks, and goes then."""
    claude = story.model(CLAUDE, says(CLAUDE, "Hello, Mia.\nHow are you?", after=3.0))
    await story.turn(story.model(GPT, begins(GPT, HALF)), claude)


async def stall_and_nobody_else(story: Story) -> None:
    """A model falls silent and nobody else is there: what it said stays, and the rest of it is sent."""
    await story.turn(story.model(GPT, begins(GPT, "Well, hello.\nI was about to")))


async def stall_and_nobody_does_better(story: Story) -> None:
    """The next model has nothing to say: what the first said stays after all."""
    claude = story.model(CLAUDE, *(says(CLAUDE, "") for _ in range(3)))
    await story.turn(story.model(GPT, begins(GPT, HALF)), claude)


async def a_message_that_cannot_be_removed(story: Story) -> None:
    """What cannot be deleted stays, and is a part of what was said."""
    story.channel.keeps = True
    claude = story.model(CLAUDE, says(CLAUDE, "Hello, Mia."), says(CLAUDE, "Sorry for that."))
    gpt = story.model(GPT, breaks(GPT, HALF, "upstream is gone"), refuses(500, "out of order"))
    await story.turn(gpt, claude)
    await story.turn(claude, says="you said hello twice")


async def fallback_after_an_effect(story: Story) -> None:
    """A tool had an effect before the model broke down: the next one is told, and the tool is not run again."""
    overloaded = refuses(503, "The server is overloaded")
    gpt = story.model(GPT, says(GPT, "One moment.", LAMP), overloaded, overloaded)
    claude = story.model(CLAUDE, says(CLAUDE, "", LAMP), says(CLAUDE, "The lamp is on."))
    await story.turn(gpt, claude, says="light, please", tools=[story.tool("lamp", lambda: "the lamp is on")])


async def everything_fails(story: Story) -> None:
    """Each fails in its own way, and people are told once."""
    gpt = story.model(GPT, refuses(401, "Incorrect API key provided", code="invalid_api_key"))
    gemini = story.model(GEMINI, (0.1, b'data: {"promptFeedback": {"blockReason": "SAFETY"}}\n\n'))
    busy = (0.1, Refusal(529, {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}))
    await story.turn(gpt, gemini, story.model(CLAUDE, busy, busy))


async def overloaded_then_fine(story: Story) -> None:
    """A model that is overloaded is asked once more, when its server says so, with the same key."""
    body = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}
    busy = (0.1, Refusal(529, body, retry_after=7))
    await story.turn(story.model(CLAUDE, busy, says(CLAUDE, "Hello, Mia."), keys=2), story.model(GPT))


async def overloaded_for_too_long(story: Story) -> None:
    """A server that wants us to wait for longer than anybody would is not waited for."""
    busy = (0.1, Refusal(503, {"error": {"message": "Overloaded"}}, retry_after=120))
    await story.turn(story.model(GPT, busy), story.model(CLAUDE, says(CLAUDE, "Hello, Mia.")))


async def fallback_that_cannot_be_prepared(story: Story) -> None:
    """A fallback that cannot be made ready is passed over, and so is one that is not to be had."""

    async def broken() -> Model | None:
        msg = "postgres://user:password@host is down"
        raise OSError(msg)

    async def absent() -> Model | None:
        return None

    busy = refuses(503, "The server is overloaded")
    await story.turn(story.model(GPT, busy, busy), broken, absent, story.model(CLAUDE, says(CLAUDE, "Hello, Mia.")))
    await story.turn(broken, story.model(CLAUDE, says(CLAUDE, "Me again.")), says="again?")
    await story.turn(broken, absent, says="anybody?")


async def delivery_refused(story: Story) -> None:
    """A channel that takes no message is not the model's fault: nobody else is asked, and no key gets a cooldown."""
    ring = story.ring(2)
    gpt = story.model(GPT, says(GPT, "Hello, Mia."), says(GPT, "Hello again."), keys=ring)
    claude = story.model(CLAUDE)
    story.channel.refuses = DeliveryError("Missing Permissions", code=50013, kind=DeliveryKind.MISSING_PERMISSIONS)
    await story.turn(gpt, claude)
    story.channel.refuses = DeliveryError("Unknown Channel", code=10003, kind=DeliveryKind.CHANNEL_GONE)
    await story.turn(gpt, claude, says="hello?")
    story.cooldowns(ring)


async def stops(story: Story) -> None:
    """Mia stops it, in every place where something is waited for: it is over at once, and nobody else is asked."""
    claude = story.model(CLAUDE)
    busy = refuses(503, "The server is overloaded", retry_after=9)
    stalling = begins(GPT, HALF)

    story.aside("While a model is made ready.")
    await story.turn(hangs, claude, says="one", stop=1)
    story.aside("Before the first word.")
    await story.turn(story.model(GPT, silent()), claude, says="two", stop=1)
    story.aside("In the middle of an answer.")
    await story.turn(story.model(GPT, begins(GPT, "First.\nThis is whole. This is no")), claude, says="three", stop=1)
    story.aside("While a tool runs.")
    lamp = story.tool("lamp", lambda: asyncio.sleep(FOREVER))
    await story.turn(
        story.model(GPT, says(GPT, "One moment.", LAMP)), claude, says="light, please", tools=[lamp], stop=2
    )
    story.aside("While a busy model is waited for.")
    await story.turn(story.model(GPT, busy), claude, says="four", stop=2)
    story.aside("While the next model is made ready.")
    await story.turn(story.model(GPT, stalling), hangs, says="five", stop=130)
    story.aside("While the next model thinks.")
    await story.turn(story.model(GPT, stalling), story.model(CLAUDE, silent()), says="six", stop=130)
    story.aside("While a message is being sent.")
    story.channel.latency = 2.0
    await story.turn(story.model(GPT, says(GPT, "First.")), claude, says="seven", stop=1)


async def out_of_time(story: Story) -> None:
    """All tries together take too long: what was said is kept, and people are told."""
    stalling = begins(GPT, HALF)
    await story.turn(story.model(GPT, stalling), story.model(CLAUDE, silent()))
    lamp = story.tool("lamp", lambda: asyncio.sleep(FOREVER))
    await story.turn(story.model(GPT, says(GPT, "One moment.", LAMP)), says="light, please", tools=[lamp])


SETTINGS: dict[str, dict[str, object]] = {"out_of_time": {"turn_timeout": 150.0}, "stops": {"tool_timeout": 600.0}}
STORIES: tuple[Callable[[Story], Awaitable[None]], ...] = (
    dead_key,
    rate_limited_key,
    all_keys_rate_limited_for_a_short_time,
    all_keys_rate_limited_for_long,
    model_in_cooldown,
    dead_model,
    content_filter,
    content_filter_in_the_middle,
    empty_twice,
    empty_three_times,
    no_room_for_an_answer,
    somebody_else_s_words,
    tool_fails_five_times,
    tool_fails_five_times_and_another_model_goes_on,
    stall_after_one_message,
    stall_and_nobody_else,
    stall_and_nobody_does_better,
    a_message_that_cannot_be_removed,
    fallback_after_an_effect,
    everything_fails,
    overloaded_then_fine,
    overloaded_for_too_long,
    fallback_that_cannot_be_prepared,
    delivery_refused,
    stops,
    out_of_time,
)


@pytest.mark.parametrize("tell", STORIES, ids=lambda tell: tell.__name__)
async def test_a_story_goes_as_it_was_written_down(tell: Callable[[Story], Awaitable[None]]) -> None:
    name = tell.__name__
    story = Story(str(tell.__doc__), **SETTINGS.get(name, {}))
    await tell(story)
    path = _FOLDER / f"{name}.txt"
    if os.environ.get("REWRITE_STORIES"):
        path.write_text(story.transcript, "utf-8")

    assert path.read_text("utf-8") == story.transcript
    assert SECRET not in story.transcript


def test_every_transcript_has_its_story() -> None:
    assert {f"{tell.__name__}.txt" for tell in STORIES} == {path.name for path in _FOLDER.iterdir()}
