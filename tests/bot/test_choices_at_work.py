"""What is chosen with commands, as it holds in the whole bot: a turn before, the command, and a turn after it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import Any

import pytest

from cadenza.bot.config.config import LimitsConfig, ModelsConfig
from cadenza.bot.store.store import Namespace
from cadenza.bot.wiring import BotServices
from cadenza.sim.people import Person
from cadenza.types import Prompt
from tests.bot.bot_room import CONFIG, BotRoom, bot_room
from tests.bot.command_room import CommandRoom
from tests.bot.whole_room import JAPANESE, Stocked, commands_of, heard_of, stocked

pytestmark = pytest.mark.timeout(60)

ANSWERS = {
    "lines": "One.\nTwo.\nThree.",
    "long": "A word and another word, and then some more of them. " * 3,
    "smile": "Hello 😀 there.",
    "cat": "Ask kitty.",
    "nothing": "",
    "call": "Look, @Mia and @everyone!",
}

WHOLE = "One.\nTwo.\nThree."


def answer(prompt: Prompt) -> Iterable[str]:
    """What is asked for by its name; whoever is not the main character only says that they are there."""
    word = prompt.turns[-1].text.split()[-1].strip("]")
    return [ANSWERS[word] if prompt.speaker == "Ren" and word in ANSWERS else f"{prompt.speaker} is here."]


@dataclass
class Place:
    """A channel of its own, in which there is time for some messages."""

    bot: BotRoom
    commands: CommandRoom
    channel: str

    async def hears(self, text: str, *, mentioned: bool = True, by: Person | None = None) -> list[str]:
        """What is said in answer to *text*, with who says it."""
        before = len(self.bot.ours(self.channel))
        (by or self.bot.mia).says(self.channel, f"{self.bot.mention} {text}" if mentioned else text)
        await self.bot.heard()
        await self.bot.quiet()
        return [
            f"{one['author']['username']}: {one['content']}"
            for one in self.bot.ours(self.channel)[before:]
            if not one.get("interaction_metadata")
        ]

    async def chooses(self, command: str, **options: Any) -> None:
        await self.commands.use(self.bot.mia, command, channel=self.channel, given=options)


@asynccontextmanager
async def places(**about: Any) -> AsyncIterator[Any]:
    """A bot, and what makes new channels for it."""
    async with bot_room(answer, staffed=about.pop("staffed", stocked), **about) as bot:
        commands = commands_of(bot)

        async def place() -> Place:
            channel = bot.world.add_channel(bot.guild, "place")
            await heard_of(lambda: bot.bot.get_channel(int(channel)))
            return Place(bot, commands, channel)

        yield place


@pytest.mark.parametrize(
    ("text", "before", "command", "options", "after"),
    [
        ("lines", ["One.", "Two.", "Three."], "config shape", {"shape": "reply"}, [WHOLE]),
        ("lines", ["One.", "Two.", "Three."], "config limits", {"messages": 1, "rest": "stop"}, ["One."]),
        ("smile", ["Hello 😀 there."], "config guards", {"emoji": False}, ["Hello there."]),
        ("lines", ["One.", "Two.", "Three."], "config set", {"name": "degree", "value": "0"}, [WHOLE]),
        ("lines", ["One.", "Two.", "Three."], "config silent", {"silent": True}, []),
        ("lines", ["One.", "Two.", "Three."], "config triggers", {"mentions": False, "words": False}, []),
        ("lines", ["One.", "Two.", "Three."], "persona set", {"name": "Ren", "degree": 0}, [WHOLE]),
    ],
    ids=["shape", "limits", "guards", "set", "silent", "triggers", "a character's degree"],
)
async def test_what_is_said_after_a_command_is_as_it_was_chosen(
    text: str, before: list[str], command: str, options: Mapping[str, Any], after: list[str]
) -> None:
    where = {} if command.startswith("persona") else {"where": "channel"}
    async with places() as place:
        here, elsewhere = await place(), await place()
        assert [f"Cadenza: {line}" for line in before] == await here.hears(text)
        await here.chooses(command, **options, **where)

        assert [f"Cadenza: {line}" for line in after] == await here.hears(text)
        if where:
            assert [f"Cadenza: {line}" for line in before] == await elsewhere.hears(text)


async def test_who_answers_and_who_hears_whom_is_as_it_was_chosen() -> None:
    async with places() as place:
        here = await place()
        assert [] == await here.hears("hello", mentioned=False)
        await here.chooses("config triggers", always=True)
        assert ["Cadenza: Ren is here."] == await here.hears("hello", mentioned=False)
        await here.chooses("persona here", first="kira")
        assert ["Kira: Kira is here."] == await here.hears("hello")
        await here.chooses("persona here", first="-", names="Miko")
        assert ["Miko: Miko is here."] == await here.hears("hello")
        await here.chooses("status")
        assert "`Miko`" == here.commands.answers[0]["embeds"][0]["fields"][1]["value"]
        await here.chooses("persona here", names="-")
        assert ["Cadenza: Ren is here."] == await here.hears("hello")
        await here.chooses("status")
        assert "`Ren`, `Kira`, `Miko`" == here.commands.answers[0]["embeds"][0]["fields"][1]["value"]

        there = await place()
        assert ["Cadenza: Ask kitty.", "Kira: Kira is here."] == await there.hears("cat")
        await there.chooses("config cascade", links=0)
        assert ["Cadenza: Ask kitty."] == await there.hears("cat")


async def test_whom_a_reply_calls_is_as_it_was_chosen() -> None:
    async with places() as place:
        here = await place()

        async def called() -> list[str]:
            [said] = await here.hears("call")
            assert f"Cadenza: Look, <@{here.bot.mia.id}> and @everyone!" == said
            message = here.bot.ours(here.channel)[-1]
            assert not message["mention_everyone"]
            return [user["id"] for user in message["mentions"]]

        assert [here.bot.mia.id] == await called()
        await here.chooses("config set", name="mention_people", value="0", where="channel")
        assert [] == await called()


async def test_a_channel_has_its_own_model_and_history() -> None:
    async with places(config=replace(CONFIG, models=ModelsConfig(default="a:b", fallbacks=("c:d",)))) as place:
        here = await place()
        model: Any = here.bot.services.models
        await here.hears("apples")
        await here.hears("two")
        assert "" == model.wanted[-1]
        assert "apples" in str(model.prompts[-1].turns)

        await here.chooses("model set", model="c:d", where="channel")
        await here.chooses("config history", messages=1)
        await here.hears("three")
        assert "c:d" == model.wanted[-1]
        thread = here.bot.world.add_thread(here.channel, "thread")
        await here.commands.use(here.bot.mia, "model show", channel=thread)
        assert "This channel has chosen `c:d`." in here.commands.answers[0]["content"]
        assert "apples" not in str(model.prompts[-1].turns)


class OfOneMessage(Stocked):
    """A model that the operator wants to answer in one message."""

    def settings_of(self, name: str) -> Mapping[str, object]:
        del name
        return {"degree": 0}


async def test_what_a_server_chooses_goes_before_the_settings_of_a_model() -> None:
    def staffed(services: BotServices) -> BotServices:
        stock: Any = stocked(services).models
        models: Any = OfOneMessage(stock, stock._registry)
        return replace(services, models=models)

    async with places(staffed=staffed) as place:
        here = await place()
        assert [f"Cadenza: {WHOLE}"] == await here.hears("lines")
        await here.chooses("config shape", shape="lines")

        assert 3 == len(await here.hears("lines"))


async def test_who_wants_nothing_kept_has_nothing_kept() -> None:
    async with places() as place:
        here = await place()
        await here.hears("hello")
        store, mia = here.bot.services.store, here.bot.mia.id

        async def shelves() -> set[Namespace]:
            return {
                namespace for namespace in Namespace for record in await store.find(namespace) if record.owner == mia
            }

        assert Namespace.SHORT_TERM in await shelves()
        await here.chooses("memory privacy", level="full")
        await here.hears("hello")

        assert not await shelves() & {Namespace.SHORT_TERM, Namespace.NOTES, Namespace.EXPLANATIONS}


# --- in which language ---------------------------------------------------------------------------------


async def test_the_bot_itself_speaks_the_language_that_was_chosen() -> None:
    config = replace(CONFIG, limits=LimitsConfig(user_per_hour=1))
    async with places(config=config) as place:
        here = await place()
        await here.hears("hello")
        await here.hears("hello", by=here.bot.tom)
        english = await here.hears("hello")
        await here.chooses("config language", language="ja")
        japanese = await here.hears("hello", by=here.bot.tom)

        assert (1, 1) == (len(english), len(japanese))
        assert not JAPANESE.search(english[0])
        assert JAPANESE.search(japanese[0])


async def test_what_went_wrong_is_told_in_the_language_that_was_chosen() -> None:
    async with places() as place:
        here = await place()
        await here.chooses("config language", language="ja", where="channel")
        await here.hears("nothing")

        [box] = here.bot.ours(here.channel)[-1]["embeds"]
        assert "返事がありませんでした。言い方を変えるか、もう一度試してください。" == box["description"]
