"""The conversation in a channel, as a reply without records of its own is sent it."""

from __future__ import annotations

from typing import Any

import discord
import pytest

from cadenza.targets.discord_py.channel_history import (
    asked,
    chain_of,
    conversation_in,
    scene_with_history,
    whole_answer,
)
from cadenza.targets.discord_py.channel_info import room_of
from cadenza.types import Persona, Scene
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, channel_of, heard, me, says_as

pytestmark = pytest.mark.timeout(60)


def written(lines: Any) -> list[str]:
    """The lines as people would write them down; ``*`` is the persona's own."""
    return [f"{'*' * line.is_own}{line.speaker}: {line.text}" for line in lines]


async def scene_for(message: discord.Message, persona: str = "", **options: Any) -> Scene:
    """The scene of a reply to *message*."""
    options = {"limit": 20, "has_waited": False, "roles": False, **options}
    return await scene_with_history(await room_of(message), Scene("", Persona(persona)), message, **options)


async def test_a_persona_without_a_name_gets_that_of_the_bot() -> None:
    async with at_work(Evening()) as evening:
        bot_says(evening, "Hello.")
        scene = await scene_for(await heard(evening, evening.mia.says(evening.general, f"Hi, <@{me(evening).id}>!")))

    assert "Cadenza" == scene.persona.name
    assert ["*Cadenza: Hello.", "Mia: Hi, @Cadenza!"] == written(scene.history)


async def test_a_persona_has_its_own_lines_and_the_bot_is_another_speaker() -> None:
    async with at_work(Evening()) as evening:
        says_as(evening, "Ren", "Evening!")
        bot_says(evening, "**Ren:** And again.")
        bot_says(evening, "Hello.")
        scene = await scene_for(await heard(evening, evening.mia.says(evening.general, "Hi!")), "Ren")

    assert ["*Ren: Evening!", "*Ren: And again.", "Cadenza: Hello.", "Mia: Hi!"] == written(scene.history)


async def test_people_of_the_conversation_can_be_named() -> None:
    async with at_work(Evening()) as evening:
        evening.tom.says(evening.general, "Hello.")
        scene = await scene_for(await heard(evening, evening.mia.says(evening.general, "Hi!")))

    assert {"Mia": f"<@{evening.mia.id}>", "Tom": f"<@{evening.tom.id}>"}.items() <= scene.roster.mentions.items()
    assert ("Tom", "Mia") == scene.roster.speakers


async def test_the_newest_lines_are_kept() -> None:
    async with at_work(Evening()) as evening:
        for number in range(6):
            evening.mia.says(evening.general, f"Line {number}.")
        last = await heard(evening, evening.tom.says(evening.general, "And?"))

        found = await conversation_in(channel_of(evening), until=last, limit=3)

    assert ["Mia: Line 4.", "Mia: Line 5.", "Tom: And?"] == written(found.lines)


async def test_one_that_waited_knows_what_was_said_meanwhile_and_ends_with_the_question() -> None:
    async with at_work(Evening()) as evening:
        question = await heard(evening, evening.mia.says(evening.general, "First?"))
        evening.tom.says(evening.general, "Second?")
        bot_says(evening, "An answer.")

        scene = await scene_for(question, has_waited=True)

    assert ["*Cadenza: An answer.", "Mia: First?"] == written(scene.history)


async def test_a_chain_does_not_quote_what_stands_above() -> None:
    async with at_work(Evening()) as evening:
        first = evening.tom.says(evening.general, "Hello?")
        second = await heard(evening, evening.mia.says(evening.general, "Yes?", reply_to=first))

        found = await chain_of(second, limit=20)

    assert ["Tom: Hello?", "Mia: Yes?"] == written(found.lines)


async def test_what_somebody_else_said_is_no_answer() -> None:
    async with at_work(Evening()) as evening:
        assert await whole_answer(await heard(evening, evening.mia.says(evening.general, "Hello?"))) is None


async def test_the_values_of_a_command_are_the_question() -> None:
    async with at_work(Evening()) as evening:
        heard_there: list[discord.Interaction[Any]] = []

        @evening.client.tree.command()
        async def ask(interaction: discord.Interaction[Any], question: str, times: int) -> None:
            """Ask."""
            assert (question, times) == (f"What, <@{me(evening).id}>?", 2)
            heard_there.append(interaction)
            await interaction.response.send_message("Yes.")

        await evening.client.tree.sync()
        evening.mia.commands(evening.general, "ask", question=f"What, <@{me(evening).id}>?", times=2)
        await evening.server.until(lambda: heard_there)

        line = asked(heard_there[0], me(evening))

    assert ("Mia", "What, @Cadenza?\n2", evening.mia.id) == (line.speaker, line.text, line.author)


class Tea(discord.ui.View):
    """A menu and two buttons, which tell what they were asked."""

    def __init__(self, heard_there: list[discord.Interaction[Any]]) -> None:
        super().__init__()
        self._heard = heard_there

    @discord.ui.select(
        options=[discord.SelectOption(label="Green tea", value="g"), discord.SelectOption(label="Mate", value="m")]
    )
    async def choose(self, interaction: discord.Interaction[Any], _: discord.ui.Select[Any]) -> None:
        self._heard.append(interaction)
        await interaction.response.defer()

    @discord.ui.button(label="Again", custom_id="again")
    async def again(self, interaction: discord.Interaction[Any], _: discord.ui.Button[Any]) -> None:
        self._heard.append(interaction)
        await interaction.response.defer()

    @discord.ui.button(emoji="🫖", custom_id="pot")
    async def pot(self, interaction: discord.Interaction[Any], _: discord.ui.Button[Any]) -> None:
        self._heard.append(interaction)
        await interaction.response.defer()


async def test_a_menu_asks_with_its_labels_and_a_button_with_what_it_says() -> None:
    async with at_work(Evening()) as evening:
        heard_there: list[discord.Interaction[Any]] = []
        view = Tea(heard_there)
        sent = await channel_of(evening).send("Tea?", view=view)
        menu = next(item.custom_id for item in view.children if isinstance(item, discord.ui.Select))
        evening.mia.selects(evening.general, str(sent.id), menu, "g")
        for button in ("again", "pot"):
            evening.mia.presses(evening.general, str(sent.id), button)
        await evening.server.until(lambda: len(heard_there) == 3)

        assert ["Green tea", "Again", "🫖"] == [asked(one, me(evening)).text for one in heard_there]


async def test_a_context_menu_asks_with_its_name_and_a_bare_command_too() -> None:
    async with at_work(Evening()) as evening:
        heard_there: list[discord.Interaction[Any]] = []

        async def take(interaction: discord.Interaction[Any]) -> None:
            heard_there.append(interaction)
            await interaction.response.send_message("Yes.")

        @evening.client.tree.context_menu(name="Translate")
        async def translate(interaction: discord.Interaction[Any], message: discord.Message) -> None:
            assert message.content == "Bonjour."
            await take(interaction)

        @evening.client.tree.context_menu(name="Who is")
        async def who(interaction: discord.Interaction[Any], member: discord.Member) -> None:
            assert member.display_name == "Tom"
            await take(interaction)

        @evening.client.tree.command()
        async def again(interaction: discord.Interaction[Any]) -> None:
            """Again."""
            await take(interaction)

        await evening.client.tree.sync()
        said = evening.tom.says(evening.general, "Bonjour.")
        evening.mia.commands(evening.general, "Translate", target=said)
        evening.mia.commands(evening.general, "Who is", target=evening.tom.id)
        evening.mia.commands(evening.general, "again")
        await evening.server.until(lambda: len(heard_there) == 3)

        asked_there = {asked(one, me(evening)).text for one in heard_there}
        assert {"Translate:\nBonjour.", "Who is:\nTom", "/again"} == asked_there
