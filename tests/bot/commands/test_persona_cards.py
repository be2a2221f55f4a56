"""Characters as files; the rest is tested with the other commands of ``/persona``."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from cadenza.bot.characters.character import Character, CharacterSprite
from cadenza.bot.characters.reading import Format, read_card, write_card
from cadenza.bot.commands import personas
from cadenza.sim.wire import File
from tests.bot.command_room import command_room

pytestmark = pytest.mark.timeout(60)

REN = Character(
    "蓮", prompt="狐", sprites=(CharacterSprite("sad", "https://example.org/a.png", "When sad."),), triggers=("fox",)
)


async def test_whoever_goes_out_in_any_format_comes_in_the_same() -> None:
    async with command_room(personas.commands) as room:
        await room.services.cast.save(room.guild.id, REN)
        for format_ in ("png", "json", "json-v2", "cadenza"):
            await room.use(room.mia, "persona export", name="蓮", format=format_)
            data = room.file()
            assert REN == replace(read_card(data, "x"), card=REN.card, id="")
            assert "蓮 was imported." == await room.use(room.mia, "persona import", file=File("x", data), replace=True)
        cast = await room.services.cast.of(room.guild.id)
        assert [("Cadenza", True), ("蓮", False)] == [(one.name, one.is_main) for one in cast]


async def test_who_was_main_elsewhere_is_not_main_here() -> None:
    async with command_room(personas.commands) as room:
        _, data = write_card(replace(REN, is_main=True, id="1"), Format.NATIVE)

        await room.use(room.mia, "persona import", file=File("x.json", data))

        cast = await room.services.cast.of(room.guild.id)
        assert "Cadenza" == cast[0].name
        assert "1" != cast[1].id


async def test_who_is_replaced_keeps_their_id_and_place() -> None:
    async with command_room(personas.commands) as room:
        before = await room.services.cast.save(room.guild.id, replace(REN, is_main=True))
        data = json.dumps({"name": "蓮", "description": "new"}).encode()

        await room.use(room.mia, "persona import", file=File("x.json", data), replace=True)

        main = (await room.services.cast.of(room.guild.id))[0]
        assert (before.id, "new", ()) == (main.id, main.prompt, main.sprites)
