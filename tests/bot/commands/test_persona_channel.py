"""Who speaks in a channel, and who begins; that a greeting is really said is tested with the whole bot."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.bot.characters.character import Character
from cadenza.bot.commands import personas
from cadenza.bot.config.config import Config
from cadenza.bot.reply_controls import Asker, ControlRefused
from tests.bot.command_room import command_room

pytestmark = pytest.mark.timeout(60)

REN = Character("Ren", greeting="Hello {{user}}.", other_greetings=(" ", "Oh."), is_main=True)
ONE = Character("One", greeting="Hi.")
FOX = Character("Ren, the Fox", greeting=" ")
MIKO = Character("Miko")
CONFIG = Config(personas=(REN, FOX, MIKO, ONE))


@pytest.mark.parametrize(
    ("options", "told", "said"),
    [
        pytest.param({"name": "ren"}, "Ren will say a greeting.", "Ren: Hello {{user}}.", id="the first"),
        pytest.param({"name": "Ren", "number": 2}, "Ren will say a greeting.", "Ren: Oh.", id="another; none is blank"),
        pytest.param({"name": "One", "number": 2}, "One has only one greeting.", "", id="there is but one"),
        pytest.param({"name": "Ren", "number": 3}, "Ren has only 2 greetings.", "", id="too many"),
        pytest.param(
            {"name": "Miko"}, "Miko has no greeting; write one with /persona edit.", "", id="who has nothing to say"
        ),
        pytest.param({"name": "Tom"}, "There is no character called Tom; see /persona list.", "", id="nobody"),
    ],
)
async def test_everybody_can_have_somebody_greet(options: dict[str, str], told: str, said: str) -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        assert told == await room.use(room.tom, "persona greet", **options)
        wanted = [("greet", room.general, Asker(room.tom.id), said)]
        assert (wanted if said else []) == room.remote.asked


async def test_who_is_refused_a_greeting_is_told_why() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        room.remote.refusal = ControlRefused.NOTHING_THERE
        told = await room.use(room.tom, "persona greet", name="Ren")
        assert "This character does not speak in this channel; see /persona here and /config show." == told

        room.remote.refusal = ControlRefused.TOO_MUCH
        told = await room.use(room.tom, "persona greet", name="Ren")
        assert "You have reached your limit for now; try again later." == told


async def test_who_speaks_in_a_channel_is_chosen_shown_and_taken_back() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:

        async def here(**options: str) -> str:
            return await room.use(room.mia, "persona here", **options)

        everybody = "Characters here: everybody. By default Ren answers."
        assert everybody == await here()
        await here(names="Ren, the Fox")
        assert ("Ren, the Fox",) == (await room.services.choices.of_channel(room.general)).personas
        await room.services.cast.change(room.guild.id, "Ren, the Fox", lambda one: replace(one, name="Fox"))
        told = "Characters here: Fox, Miko. By default {} answers."
        assert told.format("Fox") == await here(names="miko、FOX,Fox")
        assert told.format("Miko") == await here(first="Miko")
        assert "The default character must be one that may speak here." == await here(first="Ren")
        assert "There is no character called Tom; see /persona list." == await here(names="Miko, Tom")
        assert told.format("Miko") == await here()
        assert everybody == await here(names="-", first="-")


async def test_only_who_manages_the_server_chooses_who_speaks() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        assert "Manage Server" in await room.use(room.tom, "persona here", names="Miko")
        assert (await room.services.choices.of_channel(room.general)).personas is None


async def test_several_names_are_suggested_one_after_another() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        assert ["Miko"] == await room.suggest(room.mia, "persona here", "names", "mi")
        assert ["Miko, Ren", "Miko, Ren, the Fox"] == await room.suggest(room.mia, "persona here", "names", "Miko, r")
        assert "Miko, Miko" not in await room.suggest(room.mia, "persona here", "names", "Miko,")
        assert [] == await room.suggest(room.mia, "persona here", "names", "x" * 99 + ",")
