"""Files that a stream or a tool shows: at their place, once, with their alt text, and in words where there are none."""

from __future__ import annotations

import io
from collections.abc import AsyncIterator, Callable, Iterator
from typing import Any

import discord
import pytest

import cadenza
from cadenza import Attachment, MemoryTarget, Persona, Scene, Settings, Speaker, ToolCall, ToolResult
from cadenza.facts import ChunkHeard, LoggedFact, MessagePlanned
from cadenza.models.dialects.scripted import ScriptedDecoder, script_of
from cadenza.sim.wire import Json
from cadenza.targets.target import Limits
from cadenza.types import (
    Completed,
    Finished,
    Line,
    Media,
    MediaKind,
    NeedsTools,
    Prompt,
    RawEvent,
    Reply,
    Stopped,
    StopReason,
    ThoughtDelta,
)
from tests.bot.evening import Evening, at_work

pytestmark = pytest.mark.timeout(60)

FOX = Attachment("fox.png", b"\x89PNG fox", "A fox in the snow.")
TEA = Attachment("tea.txt", b"green")
TABLE = "| Tea | Price |\n|---|---|\n| green | **3** |\n| mint | 2 |"
FILES = Limits(files=True)
SCENE = Scene("general", Persona("Ren"), history=(Line("Mia", "Show me."),))


@pytest.fixture
async def evening() -> AsyncIterator[Evening]:
    async with at_work(Evening()) as evening:
        yield evening


def place(evening: Evening) -> Any:
    return evening.client.get_channel(int(evening.general))


def shown(message: Json) -> str:
    """What a message says, or which file it shows."""
    return message["content"] or "".join(f"[{file['filename']}]" for file in message["attachments"])


def in_memory(target: MemoryTarget) -> list[str]:
    return [post.text or (post.attachment.name if post.attachment else "") for post in target.posts]


async def say(*items: Any, limits: Limits = FILES, trace: Any = None, **settings: Any) -> tuple[list[str], Reply]:
    target = MemoryTarget(limits=limits)
    said = await cadenza.say(target, list(items), settings=Settings.of(**settings), trace=trace)
    return in_memory(target), said


# --- streams -----------------------------------------------------------------------------------------


async def test_a_file_is_a_message_at_its_place(evening: Evening) -> None:
    said = await cadenza.say(place(evening), ["Look", ":", FOX, "Nice, ", TEA, "is it not?"])

    messages = evening.world.messages(evening.general)
    assert ["Look:", "[fox.png]", "Nice,", "[tea.txt]", "is it not?"] == [shown(message) for message in messages]
    assert FOX.description == messages[1]["attachments"][0]["description"]
    assert "description" not in messages[3]["attachments"][0]
    assert "Look:Nice, is it not?" == said.text
    assert isinstance(said.outcome, Completed)


@pytest.mark.parametrize(
    ("items", "expected"),
    [
        pytest.param([FOX], ["fox.png"], id="alone"),
        pytest.param([FOX, TEA], ["fox.png", "tea.txt"], id="two"),
        pytest.param(["a\n\nb", FOX], ["a\n\nb", "fox.png"], id="at the end"),
        pytest.param(["One. And the", FOX, "other"], ["One. And the", "fox.png", "other"], id="in a clause"),
        pytest.param(["- a\n", FOX, "- b"], ["- a", "fox.png", "- b"], id="in a list"),
        pytest.param(["```py\n1\n", FOX, "```\nb"], ["fox.png", "```py\n1\n```\nb"], id="in code"),
        pytest.param(["<think>a", FOX, "b</think>c"], ["fox.png", "c"], id="in a thought"),
        pytest.param([ThoughtDelta("a"), FOX, ThoughtDelta("b"), "c"], ["fox.png", "c"], id="among thoughts"),
        pytest.param(["**a ", FOX, "b"], ["**a**", "fox.png", "b"], id="in bold"),
        pytest.param(
            ["a", Media(MediaKind.IMAGE, "image/png", data=b"x"), "b"], ["a", "image.png", "b"], id="a medium"
        ),
    ],
)
@pytest.mark.looptime
async def test_texts_and_files_keep_their_order(items: list[Any], expected: list[str]) -> None:
    for degree in (None, 0, 1, 3):
        found, said = await say(*items, degree=degree, casual=False)

        assert isinstance(said.outcome, Completed)
        if degree is None:
            assert expected == [text.strip() for text in found]
        names = [name for name in found if name.endswith((".png", ".txt"))]
        assert names == [name for name in expected if name.endswith((".png", ".txt"))]


@pytest.mark.looptime
async def test_a_target_without_files_names_them() -> None:
    found, said = await say("Look:", FOX, Attachment("big.bin", b"x" * 2_500_000), "Nice.", limits=Limits())

    assert ["Look:", "📎 fox.png (8 B): A fox in the snow.", "📎 big.bin (2.5 MB)", "Nice."] == found
    assert "Look:Nice." == said.text
    assert "Look:\nNice." == said.transcript


@pytest.mark.looptime
async def test_a_long_description_is_cut_to_a_message() -> None:
    [words], _ = await say(Attachment("a.png", b"x", "so long " * 60), limits=Limits(length=50))

    assert words.startswith("📎 a.png (1 B): so long")
    assert len(words) <= 50


async def test_alt_text_is_cut_to_what_discord_takes(evening: Evening) -> None:
    await cadenza.say(place(evening), [Attachment("a.png", b"x", "so long " * 500)])

    [file] = evening.last()["attachments"]
    assert 1000 < len(file["description"]) <= 1024


async def test_a_file_that_is_too_large_is_named(evening: Evening) -> None:
    large = Attachment("large.bin", b"x" * (10 * 2**20 + 1), "Much.")

    said = await cadenza.say(place(evening), ["Look:", large, "Bye."])

    assert ["Look:", "📎 large.bin (10.5 MB): Much.", "Bye."] == evening.texts()
    assert isinstance(said.outcome, Completed)


async def test_a_file_goes_under_the_name_that_spoke(evening: Evening) -> None:
    async with Speaker(evening.client, persona=Persona("Ren", is_alter=True)) as speaker:
        await speaker.say(place(evening), ["Look:", FOX])

    assert [("Ren", "Look:"), ("Ren", "[fox.png]")] == [
        (message["author"]["username"], shown(message)) for message in evening.world.messages(evening.general)
    ]


async def test_a_picture_of_a_table_says_what_is_in_it(evening: Evening) -> None:
    await cadenza.say(place(evening), f"Here:\n\n{TABLE}\n\nNice.", settings=Settings.of(tables="picture"))

    [file] = [file for message in evening.world.messages(evening.general) for file in message["attachments"]]
    assert ("table.png", TABLE) == (file["filename"], file["description"])


@pytest.mark.looptime
async def test_files_count_as_messages() -> None:
    found, said = await say(*[FOX] * 9, flood_limit=3, when_full="stop")

    assert (["fox.png"] * 3, Stopped(StopReason.MESSAGE_LIMIT)) == (found, said.outcome)


@pytest.mark.looptime
async def test_the_rest_of_a_full_reply_names_them() -> None:
    target = MemoryTarget(limits=FILES)
    settings = Settings.of(message_limit=1, shape="lines")

    await cadenza.say(target, ["One.\n", "Two.\n", FOX, "Three."], settings=settings)

    [post] = target.posts
    assert post.attachment is not None
    assert "Two.\n\n📎 fox.png (8 B): A fox in the snow.\n\nThree.\n" == post.attachment.data.decode()


@pytest.mark.looptime
async def test_a_trace_tells_of_them() -> None:
    logged: list[LoggedFact] = []
    found, _ = await say("Look:\n\nHere.", FOX, "Nice.", trace=logged.append)
    untraced, _ = await say("Look:\n\nHere.", FOX, "Nice.")

    assert untraced == found
    facts = [one.fact for one in logged]
    [heard] = [fact for fact in facts if isinstance(fact, ChunkHeard) and fact.kind == "file"]
    assert {"name": "fox.png", "size": 8} == heard.detail
    planned = [fact for fact in facts if isinstance(fact, MessagePlanned)]
    assert [None, "fox.png", None] == [fact.file for fact in planned]
    assert ["attachment", "attachment", "reply"] == [fact.ends.reason for fact in planned]


def test_a_script_holds_them() -> None:
    items = ["a", FOX, TEA, Finished()]
    decoder = ScriptedDecoder()

    read = [chunk for beat in script_of(items) for chunk in decoder.feed(RawEvent("", beat.data))]

    assert items[1:] == read[1:]


# --- tools -------------------------------------------------------------------------------------------


def draws(result: Callable[[], Any], *, then: str = "Nice, is it not?") -> tuple[Any, Callable[[], Any]]:
    """A model that calls a tool that shows something, and the tool."""

    def draw() -> Any:
        """Draw."""
        return result()

    def answer(prompt: Prompt) -> Iterator[str | ToolCall]:
        if prompt.turns[-1].call_id is None:
            yield from ("Wait.", ToolCall("1", "draw", "{}"))
        else:
            told.append(prompt.turns[-1].text)
            yield then

    told: list[str] = []
    draw.told = told  # type: ignore[attr-defined]  # for the test
    return cadenza.scripted(answer), draw


@pytest.mark.parametrize(
    "result",
    [
        pytest.param(lambda: FOX, id="a file"),
        pytest.param(lambda: [FOX, "done"], id="in a list"),
        pytest.param(
            lambda: discord.File(io.BytesIO(FOX.data), FOX.name, description=FOX.description), id="a file of discord.py"
        ),
    ],
)
async def test_a_tool_shows_a_file_and_the_model_is_told(result: Callable[[], Any], evening: Evening) -> None:
    model, draw = draws(result)
    async with Speaker(evening.client) as speaker:
        said = await cadenza.reply(SCENE, model, await speaker.target(place(evening)), tools=[draw])

    messages = evening.world.messages(evening.general)
    assert ["Wait.", "[fox.png]", "Nice, is it not?"] == [shown(message) for message in messages]
    assert FOX.description == messages[1]["attachments"][0]["description"]
    [told] = draw.told  # type: ignore[attr-defined]  # see above
    assert told.startswith("The file fox.png (8 bytes) is shown to the people in the chat now: A fox in the snow.")
    assert isinstance(said.outcome, Completed)


@pytest.mark.looptime
async def test_a_result_says_what_the_model_sees_and_what_people_see() -> None:
    model, draw = draws(lambda: ToolResult(("a fox",), files=(FOX, TEA)))
    target = MemoryTarget(limits=FILES)

    await cadenza.reply(SCENE, model, target, tools=[draw])

    assert ["Wait.", "fox.png", "tea.txt", "Nice, is it not?"] == in_memory(target)
    assert ["a fox"] == draw.told  # type: ignore[attr-defined]  # see above


@pytest.mark.looptime
async def test_a_picture_for_the_model_is_not_shown_to_people() -> None:
    model, draw = draws(lambda: b"\x89PNG\r\n\x1a\n")
    target = MemoryTarget(limits=FILES)

    await cadenza.reply(SCENE, model, target, tools=[draw])

    assert ["Wait.", "Nice, is it not?"] == target.texts


@pytest.mark.looptime
async def test_a_file_may_be_the_whole_answer() -> None:
    def answer(prompt: Prompt) -> Iterator[str | ToolCall]:
        if prompt.turns[-1].call_id is None:
            yield ToolCall("1", "draw", "{}")

    def draw() -> ToolResult:
        """Draw."""
        return ToolResult(("shown",), files=(FOX,), ends_turn=True)

    target = MemoryTarget(limits=FILES)
    said = await cadenza.reply(SCENE, cadenza.scripted(answer), target, tools=[draw])

    assert (["fox.png"], Completed("tool")) == (in_memory(target), said.outcome)


@pytest.mark.looptime
async def test_calls_behind_a_file_are_still_the_callers() -> None:
    found, said = await say("Look:", FOX, ToolCall("1", "draw", "{}"), Finished("tool_calls"))

    assert ["Look:", "fox.png"] == found
    assert isinstance(said.outcome, NeedsTools)
