"""``say`` and ``reply`` with the real discord.py over the simulated Discord."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from itertools import groupby
from typing import Any

import discord
import pytest
from discord import app_commands

import cadenza
from cadenza import Completed, InputError, Line, Persona, Prompt, Reply, Role, Scene, Settings, Speaker, scripted
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import channel_of, heard

pytestmark = pytest.mark.timeout(60)

LINES = Settings.of(shape="lines")


async def answer_to(name: str, *, lines: int = 4) -> AsyncIterator[str]:
    """A stream that takes a while."""
    for number in range(lines):
        yield f"{name} line {number}.\n"
        await asyncio.sleep(0.3)


def told(prompt: Prompt) -> list[tuple[str, str]]:
    """The dialogue that a model was sent."""
    return [(turn.role.value, turn.text) for turn in prompt.turns]


class Model:
    """A scripted model that remembers what it was sent."""

    def __init__(self, *answers: str) -> None:
        self.prompts: list[Prompt] = []
        self._answers = list(answers)
        self.model = scripted(self._answer)

    def _answer(self, prompt: Prompt) -> list[str]:
        self.prompts.append(prompt)
        return [self._answers[min(len(self.prompts), len(self._answers)) - 1]]


async def asks(evening: Evening, text: str, **options: Any) -> discord.Message:
    """Mia asks something in the channel."""
    return await heard(evening, evening.mia.says(evening.general, text, **options))


async def test_two_people_who_ask_at_once_ten_times_get_answers_that_do_not_interleave() -> None:
    async with at_work(Evening()) as evening:
        for number in range(10):
            questions = [
                await heard(evening, person.says(evening.general, f"{person.name} asks {number}"))
                for person in (evening.mia, evening.tom)
            ]
            await asyncio.gather(
                *(cadenza.say(message, answer_to(message.content), settings=LINES) for message in questions)
            )

        said = [line for text in evening.texts() for line in text.splitlines() if " line " in line]

    assert 2 * 10 * 4 == len(said)
    answers = [name for name, _ in groupby(text.rpartition(" line ")[0] for text in said)]
    assert [f"{name} asks {number}" for number in range(10) for name in ("Mia", "Tom")] == answers


async def test_threads_and_direct_messages_are_other_places() -> None:
    async with at_work(Evening()) as evening:
        thread = await channel_of(evening).create_thread(name="aside", type=discord.ChannelType.public_thread)
        mia = await evening.client.fetch_user(int(evening.mia.id))
        places = [channel_of(evening), thread, mia]
        loop = asyncio.get_running_loop()
        began = loop.time()

        await asyncio.gather(*(cadenza.say(place, answer_to("hello"), settings=LINES) for place in places))

        assert loop.time() - began < 2 * 4 * 0.3


async def test_a_message_is_answered_with_what_was_said_before() -> None:
    ren = Model("Evening, Mia!")
    async with at_work(Evening()) as evening:
        evening.tom.says(evening.general, "It is late.")
        question = await asks(evening, "Hello?")

        said = await cadenza.reply(question, ren.model, persona=Persona("Ren", prompt="You are a fox."))

        assert isinstance(said.outcome, Completed)
        answer = evening.last()
        assert ("Evening, Mia!", str(question.id)) == (answer["content"], answer["message_reference"]["message_id"])
    assert [("user", "Tom: It is late.\nMia: Hello?")] == told(ren.prompts[0])
    assert "You are a fox." in ren.prompts[0].system


async def test_the_second_who_asks_is_answered_in_the_light_of_the_first_answer() -> None:
    ren = Model("One.\n\nAnd so on.", "Two.")
    async with at_work(Evening()) as evening:
        first, second = await asks(evening, "First?"), await asks(evening, "Second?")

        await asyncio.gather(cadenza.reply(first, ren.model), cadenza.reply(second, ren.model))

    # The second question stands above the first answer in the channel, and below it in the prompt.
    assert [("user", "Mia: First?")] == told(ren.prompts[0])
    answer = ("model", "One.\n\nAnd so on.")
    assert [("user", "Mia: First?"), answer, ("user", "Mia: Second?")] == told(ren.prompts[1])


async def test_tools_are_functions() -> None:
    rolled: list[int] = []

    def roll(sides: int = 6) -> int:
        """Roll a die."""
        rolled.append(sides)
        return 4

    def croupier(prompt: Prompt) -> list[Any]:
        last = prompt.turns[-1]
        if last.role is Role.TOOL:
            return [f"You rolled a {last.text}."]
        return [cadenza.ToolCall("1", "roll", '{"sides": 20}')]

    async with at_work(Evening()) as evening:
        await cadenza.reply(await asks(evening, "Roll!"), scripted(croupier), tools=[roll])

        assert ("You rolled a 4.", [20]) == (evening.last()["content"], rolled)


async def test_an_old_style_reply_takes_a_channel_too() -> None:
    ren = Model("Hello.")
    scene = Scene("", Persona("Ren"), history=(Line("Mia", "Hello?"),))
    async with at_work(Evening()) as evening:
        await cadenza.reply(scene, ren.model, channel_of(evening))

        assert "Hello." == evening.last()["content"]
    assert [("user", "Mia: Hello?")] == told(ren.prompts[0])


async def test_a_slash_command_is_answered_with_its_values_as_the_question() -> None:
    ren, replies = Model("A star."), asyncio.Queue[Reply]()
    async with at_work(Evening()) as evening:

        @app_commands.command()
        async def ask(interaction: discord.Interaction, question: str) -> None:
            """Ask the fox."""
            assert question
            replies.put_nowait(await cadenza.reply(interaction, ren.model))

        evening.client.tree.add_command(ask)
        await evening.client.tree.sync()
        evening.tom.says(evening.general, "Look up!")
        evening.mia.commands(evening.general, "ask", question="What is it?")
        said = await replies.get()

        assert isinstance(said.outcome, Completed)
        assert "A star." in evening.texts()
    assert [("user", "Tom: Look up!\nMia: What is it?")] == told(ren.prompts[0])


async def test_an_ephemeral_answer_waits_for_nobody() -> None:
    replies = asyncio.Queue[float]()
    async with at_work(Evening()) as evening:
        loop = asyncio.get_running_loop()

        @app_commands.command()
        async def whisper(interaction: discord.Interaction) -> None:
            """Whisper."""
            await interaction.response.defer(ephemeral=True)
            began = loop.time()
            await cadenza.say(interaction, "psst")
            replies.put_nowait(loop.time() - began)

        evening.client.tree.add_command(whisper)
        await evening.client.tree.sync()
        speaking = asyncio.create_task(cadenza.say(channel_of(evening), answer_to("a", lines=20), settings=LINES))
        evening.mia.commands(evening.general, "whisper")

        assert await replies.get() < 3.0
        assert not speaking.done()
        await speaking


async def test_a_speaker_answers_as_its_persona() -> None:
    ren = Model("Hello.")
    fox = Persona("Ren", avatar="https://example.com/ren.png", is_alter=True)
    async with at_work(Evening()) as evening:
        speaker = Speaker(evening.client, persona=fox)
        await speaker.reply(await asks(evening, "Hello?"), ren.model)
        await speaker.reply(await asks(evening, "And?"), ren.model)

        assert ["Ren", "Ren"] == [
            message["author"]["username"]
            for message in evening.world.messages(evening.general)
            if message.get("webhook_id") and message["content"]
        ]
    assert [("user", "Mia: Hello?"), ("model", "Hello."), ("user", "Mia: And?")] == told(ren.prompts[1])


async def test_one_stop_for_two_replies_loses_nothing() -> None:
    async with at_work(Evening()) as evening:
        stops = cadenza.Stops()
        for text in ("One.", "Two."):
            with stops.open("mia") as stop:
                await cadenza.say(channel_of(evening), text, stop=stop)

        assert ["One.", "Two."] == evening.texts()


@pytest.mark.parametrize("defers", [False, True], ids=["cadenza defers", "the author defers"])
async def test_a_command_that_waited_is_answered_below_the_answer_before_it(*, defers: bool) -> None:
    replies = asyncio.Queue[Reply]()
    async with at_work(Evening()) as evening:

        @app_commands.command()
        async def ask(interaction: discord.Interaction) -> None:
            """Ask."""
            if defers:
                await interaction.response.defer()
            replies.put_nowait(await cadenza.say(interaction, "One.\nTwo.", settings=LINES))

        evening.client.tree.add_command(ask)
        await evening.client.tree.sync()
        speaking = asyncio.create_task(cadenza.say(channel_of(evening), answer_to("a"), settings=LINES))
        await evening.server.until(evening.texts)
        evening.tom.commands(evening.general, "ask")
        await speaking
        await replies.get()

        lines = [line for text in evening.texts() for line in text.splitlines()]
        assert [*(f"a line {number}." for number in range(4)), "One.", "Two."] == lines


async def test_a_button_asks_what_it_says() -> None:
    ren, replies = Model("Mizzle."), asyncio.Queue[Reply]()

    class Again(discord.ui.View):
        @discord.ui.button(label="Another word")
        async def again(self, interaction: discord.Interaction, _: discord.ui.Button[Any]) -> None:
            replies.put_nowait(await cadenza.reply(interaction, ren.model))

    async with at_work(Evening()) as evening:
        await cadenza.say(channel_of(evening), "Drizzle.", view=Again())
        evening.mia.presses(evening.general, evening.last()["id"], "Another word")
        await replies.get()

    assert ("user", "Mia: Another word") == told(ren.prompts[0])[-1]


async def test_the_scene_decides_who_speaks() -> None:
    fox, other = Persona("Ren", is_alter=True), Scene("", Persona("Assistant"))
    async with at_work(Evening()) as evening:
        await Speaker(evening.client, persona=fox).say(channel_of(evening), "Hello.", scene=other)

        assert evening.last().get("webhook_id") is None


@pytest.mark.parametrize("number", [0, -1, True, "5", None], ids=repr)
async def test_a_history_has_at_least_one_line(number: Any) -> None:
    async with at_work(Evening()) as evening:
        with pytest.raises(InputError, match="history must be a whole number of at least 1"):
            await cadenza.reply(await asks(evening, "Hello?"), Model("x").model, history=number)
        assert ["Hello?"] == evening.texts()


async def test_a_closed_client_is_said_at_once() -> None:
    async with at_work(Evening()) as evening:
        channel = channel_of(evening)
    with pytest.raises(InputError, match=r"the discord\.py client is closed"):
        await cadenza.say(channel, "Hello.")


async def test_a_command_that_its_author_deferred_does_not_stay_pending_if_nothing_is_said() -> None:
    replies = asyncio.Queue[Reply]()
    async with at_work(Evening()) as evening:

        @app_commands.command()
        async def ask(interaction: discord.Interaction) -> None:
            """Ask."""
            await interaction.response.defer()
            replies.put_nowait(await cadenza.say(interaction, "", settings=Settings.of(show_errors="off")))

        evening.client.tree.add_command(ask)
        await evening.client.tree.sync()
        evening.tom.commands(evening.general, "ask")
        await replies.get()

        assert [] == evening.world.messages(evening.general)
