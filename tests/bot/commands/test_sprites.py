"""``/sprite``, used by people in a simulated Discord."""

from __future__ import annotations

import pytest

from cadenza.bot.characters.avatars import as_uri
from cadenza.bot.characters.character import CharacterSprite
from cadenza.bot.characters.png import plain
from cadenza.bot.commands import sprites
from cadenza.sim.wire import File
from tests.bot.command_room import CommandRoom, command_room

pytestmark = pytest.mark.timeout(60)

MAY_NOT = "You need the permission “Manage Server” for this."
FACE = "https://example.org/face.png"


async def stored(room: CommandRoom) -> tuple[CharacterSprite, ...]:
    return (await room.services.cast.of(room.guild.id))[0].sprites


async def test_a_sprite_lives_from_its_making_to_its_end() -> None:
    async with command_room(sprites.commands) as room:
        mia, who = room.mia, {"persona": "cadenza"}
        assert "Cadenza has no sprites." == await room.use(room.tom, "sprite list", **who)
        added = await room.use(
            mia, "sprite add", **who, name="笑顔", image=File("a.png", plain("a")), instructions="When glad."
        )
        assert "Cadenza now has the sprite 笑顔." == added
        assert room.is_ephemeral
        await room.use(mia, "sprite add", **who, name="Shade", url=FACE, identity=True)
        assert "**笑顔** When glad.\n**Shade** (own identity)" == await room.use(room.tom, "sprite list", **who)
        glad, shade = (
            CharacterSprite("笑顔", as_uri("png", plain("a")), "When glad."),
            CharacterSprite("Shade", FACE, is_identity=True),
        )
        assert (glad, shade) == await stored(room)

        assert "The sprite Smile was changed." == await room.use(
            mia, "sprite edit", **who, name="笑顔", new_name="Smile", url=FACE, instructions="-", identity=True
        )
        assert CharacterSprite("Smile", FACE, is_identity=True) == (await stored(room))[0]
        assert "The sprite Smile of Cadenza was deleted." == await room.use(mia, "sprite delete", **who, name="SMILE")
        assert ["Shade"] == [sprite.name for sprite in await stored(room)]


async def test_who_may_not_manage_the_server_is_refused() -> None:
    async with command_room(sprites.commands) as room:
        for name in ("sprite add", "sprite edit", "sprite delete"):
            assert MAY_NOT == await room.use(room.tom, name, persona="Cadenza", name="x")
        assert () == await stored(room)


NONSENSE = [
    ("sprite list", {"persona": "Nobody"}, "There is no character called Nobody; see /persona list."),
    ("sprite add", {"name": "x"}, "A sprite needs a picture; give one, or its address."),
    (
        "sprite add",
        {"name": "x", "url": FACE, "image": File("a.png", b"")},
        "Give either a picture or an address, not both.",
    ),
    (
        "sprite add",
        {"name": "a (b)", "url": FACE},
        "The name of a sprite cannot have brackets or a colon; choose another one.",
    ),
    (
        "sprite add",
        {"name": "x" * 65, "url": FACE},
        "The name of a sprite has 1 to 64 visible characters; choose another one.",
    ),
    (
        "sprite add",
        {"name": "x", "url": FACE, "instructions": "x" * 1001},
        "The instructions of a sprite have at most 1000 characters; shorten them.",
    ),
    (
        "sprite add",
        {"name": "SAD", "url": FACE},
        "Cadenza already has a sprite called SAD; edit it, or choose another name.",
    ),
    ("sprite edit", {"name": "gone"}, "Cadenza has no sprite called gone; see /sprite list."),
    ("sprite edit", {"name": "sad"}, "Nothing was changed."),
    ("sprite delete", {"name": "gone"}, "Cadenza has no sprite called gone; see /sprite list."),
]


async def test_nonsense_is_answered_in_one_sentence() -> None:
    async with command_room(sprites.commands) as room:
        await room.use(room.mia, "sprite add", persona="Cadenza", name="sad", url=FACE)
        for name, options, answer in NONSENSE:
            assert answer == await room.use(room.mia, name, **{"persona": "Cadenza", **options}), name
        assert ["sad"] == [sprite.name for sprite in await stored(room)]


async def test_the_sprites_of_the_persona_are_suggested() -> None:
    async with command_room(sprites.commands) as room:
        for name in ("happy", "sad", "悲しい"):
            await room.use(room.mia, "sprite add", persona="Cadenza", name=name, url=FACE)

        assert ["happy", "sad"] == await room.suggest(room.mia, "sprite edit", "name", "A", persona="Cadenza")
        assert [] == await room.suggest(room.mia, "sprite edit", "name", "", persona="Nobody")
        assert ["Cadenza"] == await room.suggest(room.mia, "sprite edit", "persona", "ca")


async def test_everything_has_a_japanese_name() -> None:
    async with command_room(sprites.commands) as room:
        (sprite,) = room.world.get_commands(room.bot.id, None)

        assert "スプライト" == sprite["name_localizations"]["ja"]
        for command in sprite["options"]:
            assert all(option["name_localizations"]["ja"] for option in command["options"])
