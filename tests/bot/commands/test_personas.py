"""``/persona``, used by people in a simulated Discord."""

from __future__ import annotations

import json

import pytest

from cadenza.bot.characters.avatars import as_uri
from cadenza.bot.characters.character import Character, CharacterOverrides, CharacterSprite
from cadenza.bot.characters.png import plain
from cadenza.bot.commands import personas
from cadenza.bot.config.config import Config, ModelsConfig
from cadenza.languages import catalogue
from cadenza.sim.wire import File
from tests.bot.command_room import CommandRoom, command_room

pytestmark = pytest.mark.timeout(60)

MAY_NOT = "You need the permission “Manage Server” for this."
CONFIG = Config(models=ModelsConfig(default="openai:gpt-5.1"))


async def kept(room: CommandRoom, name: str) -> Character:
    found = await room.services.cast.find(room.guild.id, name)
    assert found is not None
    return found


async def test_a_persona_lives_from_its_making_to_its_end() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        mia = room.mia
        made = await room.use(mia, "persona create", name="Ren", prompt="A fox.", url="https://example.org/fox.png")
        assert "Ren was created; /persona edit has room for more." == made
        assert room.is_ephemeral
        assert "There is already a character called Ren; choose another name." == await room.use(
            mia, "persona create", name="REN"
        )
        assert "**Cadenza** (main)\n**Ren**" == await room.use(room.tom, "persona list")
        assert "" == await room.use(room.tom, "persona show", name="ren")
        assert "A fox." == room.answers[0]["embeds"][0]["description"]

        changed = await room.use(
            mia, "persona set", name="ren", new_name="蓮", degree=1, model="openai:gpt-5.1", main=True
        )
        assert "蓮 was changed." == changed
        ren = await kept(room, "蓮")
        assert (1, "openai:gpt-5.1", True, "A fox.") == (ren.own.degree, ren.own.model, ren.is_main, ren.prompt)
        assert "**蓮** (main)\n**Cadenza**" == await room.use(mia, "persona list")
        await room.use(mia, "persona set", name="蓮", degree=-1, model="-", url="-")
        ren = await kept(room, "蓮")
        assert (None, "", "") == (ren.own.degree, ren.own.model, ren.avatar)

        await room.use(mia, "persona delete", name="蓮")
        assert "蓮" in room.answers[0]["content"]
        await room.press(mia, "persona-delete")
        assert "**Cadenza** (main)" == await room.use(mia, "persona list")


async def test_the_list_counts_sprites_as_people_do() -> None:
    sprites = (CharacterSprite("happy"), CharacterSprite("sad"))
    config = Config(personas=(Character("Ren", is_main=True, sprites=sprites), Character("Yuki", sprites=sprites[:1])))
    async with command_room(personas.commands, config=config) as room:
        assert "**Ren** (main) · 2 sprites\n**Yuki** · 1 sprite" == await room.use(room.tom, "persona list")


async def test_the_form_shows_what_there_is_and_keeps_what_is_made_of_it() -> None:
    async with command_room(personas.commands) as room:
        long = "x" * 4001
        await room.services.cast.save(
            room.guild.id, Character("Ren", prompt=long, personality="Shy", triggers=("fox",))
        )
        await room.use(room.mia, "persona edit", name="Ren")
        assert room.form is not None
        assert "Edit Ren" == room.form["title"]
        await room.services.cast.change(
            room.guild.id, "Ren", lambda one: Character(**fields(one) | {"own": CharacterOverrides(model="m")})
        )

        said = await room.submit(room.mia, prompt="", personality="Bold", scenario="", samples="", greeting="Hi.\nYou?")

        assert "Ren was changed." == said
        ren = await kept(room, "Ren")
        assert (long, "Bold", "Hi.\nYou?", "m") == (ren.prompt, ren.personality, ren.greeting, ren.own.model)


def fields(character: Character) -> dict[str, object]:
    return {name: getattr(character, name) for name in character.__dataclass_fields__}


async def test_trigger_words_are_shown_and_changed() -> None:
    async with command_room(personas.commands) as room:
        assert "Cadenza has no trigger words besides the name." == await room.use(
            room.mia, "persona triggers", name="Cadenza"
        )
        assert "Cadenza listens to: fox, 狐" == await room.use(
            room.mia, "persona triggers", name="Cadenza", words="fox, 狐, Fox"
        )
        assert "Cadenza has no trigger words besides the name." == await room.use(
            room.mia, "persona triggers", name="Cadenza", words="-"
        )


async def test_cards_come_in_and_go_out() -> None:
    async with command_room(personas.commands) as room:
        card = {"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "蓮", "description": "狐", "x": 1}}
        file = File("ren.json", json.dumps(card).encode())
        assert "蓮 was imported." == await room.use(room.mia, "persona import", file=file)
        again = await room.use(room.mia, "persona import", file=file)
        assert again.startswith("There is already a character called 蓮; give another name")
        assert "Ren was imported." == await room.use(room.mia, "persona import", file=file, name="Ren")
        assert "蓮 was imported." == await room.use(room.mia, "persona import", file=file, replace=True)
        assert 3 == len(await room.services.cast.of(room.guild.id))

        await room.use(room.mia, "persona export", name="蓮", format="json-v2")
        assert 1 == json.loads(room.file())["data"]["x"]
        await room.use(room.mia, "persona export", name="蓮")
        assert room.file().startswith(b"\x89PNG")
        assert "Neu was imported." == await room.use(
            room.mia, "persona import", file=File("a.png", room.file()), name="Neu"
        )
        assert "狐" == (await kept(room, "Neu")).prompt


async def test_a_picture_that_is_given_becomes_the_face() -> None:
    async with command_room(personas.commands) as room:
        await room.use(room.mia, "persona set", name="Cadenza", image=File("a.png", plain("a")))

        assert as_uri("png", plain("a")) == (await kept(room, "Cadenza")).avatar


REFUSED = {
    "persona create": {"name": "X"},
    "persona edit": {"name": "Cadenza"},
    "persona set": {"name": "Cadenza", "degree": 1},
    "persona triggers": {"name": "Cadenza", "words": "x"},
    "persona delete": {"name": "Cadenza"},
    "persona import": {"file": File("a.json", b"{}")},
    "persona export": {"name": "Cadenza"},
}
NONSENSE = [
    ("persona show", {"name": "Nobody"}, "There is no character called Nobody; see /persona list."),
    ("persona edit", {"name": "*"}, "There is no character called \\*; see /persona list."),
    ("persona delete", {"name": "Nobody"}, "There is no character called Nobody; see /persona list."),
    ("persona export", {"name": "Nobody"}, "There is no character called Nobody; see /persona list."),
    ("persona create", {"name": "x" * 81}, "A name has at most 80 characters; choose a shorter one."),
    (
        "persona create",
        {"name": "\u200b"},
        "A name needs at least one visible character; choose another one.",
    ),
    (
        "persona create",
        {"name": "X", "url": "javascript:1"},
        "This is not the address of a picture; copy one that begins with https:// from a browser.",
    ),
    (
        "persona create",
        {"name": "X", "image": File("a.png", b"no picture")},
        "The file is not a picture that Discord shows; use a PNG, JPEG, GIF or WebP.",
    ),
    ("persona set", {"name": "Cadenza"}, "Nothing was changed."),
    (
        "persona set",
        {"name": "Cadenza", "main": False},
        "One character must be the bot itself; set “main” on another one first.",
    ),
    (
        "persona set",
        {"name": "Cadenza", "model": "what"},
        "No model has that name; pick a suggestion, or write vendor:model.",
    ),
    ("persona delete", {"name": "Cadenza"}, "Cadenza is defined in the bot’s configuration and cannot be deleted here."),
    (
        "persona import",
        {"file": File("a.json", b"[]")},
        "The file does not contain a character: its JSON is not an object.",
    ),
    ("persona import", {"file": File("a.json", bytes(8 * 2**20 + 1))}, "The file is larger than 8 MB; take a smaller one."),
]  # fmt: skip


async def test_who_may_not_manage_the_server_is_refused() -> None:
    async with command_room(personas.commands) as room:
        answers = {name: await room.use(room.tom, name, **options) for name, options in REFUSED.items()}

        assert dict.fromkeys(REFUSED, MAY_NOT) == answers
        assert ["Cadenza"] == [one.name for one in await room.services.cast.of(room.guild.id)]


async def test_nonsense_is_answered_in_one_sentence() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        for name, options, answer in NONSENSE:
            assert answer == await room.use(room.mia, name, **options), name


def test_what_is_wrong_is_said_in_japanese_too() -> None:
    said = {answer for _, _, answer in NONSENSE if not {"Nobody", "\\*"} & set(answer.replace(";", "").split())}

    assert {
        "Cadenza is defined in the bot’s configuration and cannot be deleted here.",
        "A name has at most 80 characters; choose a shorter one.",
    } == said - set(catalogue("ja"))
    assert "A name has at most {longest} characters; choose a shorter one." in catalogue("ja")


async def test_only_who_may_can_press_the_button() -> None:
    async with command_room(personas.commands) as room:
        await room.services.cast.save(
            room.guild.id, Character("Ren", sprites=(CharacterSprite("sad", "https://example.org/a.png"),))
        )
        await room.use(room.mia, "persona delete", name="Ren")
        asked = room.answers[0]["id"]

        assert MAY_NOT == await room.press(room.tom, "persona-delete", message=asked)
        assert "Ren" == (await kept(room, "Ren")).name
        await room.press(room.mia, "persona-delete", message=asked)
        assert await room.services.cast.find(room.guild.id, "Ren") is None


async def test_names_are_suggested_whatever_their_case() -> None:
    async with command_room(personas.commands, config=CONFIG) as room:
        for name in ("Ren", "蓮華", "Irene"):
            await room.services.cast.save(room.guild.id, Character(name))

        assert ["Ren", "Irene"] == await room.suggest(room.tom, "persona show", "name", "REN")
        assert ["蓮華"] == await room.suggest(room.tom, "persona show", "name", "蓮")
        assert [] == await room.suggest(room.tom, "persona show", "name", "zzz")
        assert ["openai:gpt-5.1"] == await room.suggest(room.mia, "persona set", "model", "GPT", name="Ren")


async def test_everything_has_a_japanese_name_and_no_two_options_have_the_same() -> None:
    async with command_room(personas.commands) as room:
        (persona,) = room.world.get_commands(room.bot.id, None)

        assert "ペルソナ" == persona["name_localizations"]["ja"]
        for command in persona["options"]:
            names = [option["name_localizations"]["ja"] for option in command["options"]]
            assert sorted(set(names)) == sorted(names)
            assert command["description_localizations"]["ja"]
