"""Every command and menu of the whole bot, used as people use them: allowed and refused, in English and in Japanese."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import discord
import pytest

from cadenza.bot.config.config import ModelsConfig
from cadenza.bot.store.store import Namespace
from cadenza.languages import translated
from cadenza.sim.people import Person
from cadenza.sim.wire import File
from tests.bot.bot_room import CONFIG, bot_room, parrot
from tests.bot.command_room import CommandRoom
from tests.bot.whole_room import JAPANESE, commands_of, stocked, told

pytestmark = pytest.mark.timeout(60)

NEEDS_MANAGER = "You need the permission “{permission}” for this."
NOT_THEIRS = "That reply is for someone else; only they, or members with the permission “{permission}”, can do that."
CARD = json.dumps({"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Luna", "description": "A moth."}})
PICTURE = "https://example.org/face.png"


@dataclass(frozen=True)
class Use:
    """How a command is used."""

    options: Mapping[str, Any] | Callable[[CommandRoom], Mapping[str, Any]] = ()  # type: ignore[assignment]
    """What is given to it."""
    refusal: str = ""
    """What Tom, who has no permission, is told; empty if everybody may use it."""
    permission: str = "Manage Server"
    then: str = ""
    """The button that is pressed afterwards."""
    form: Mapping[str, str] | None = None
    """What is written into the form that it shows."""
    wordless: bool = False
    """Whether it answers with nothing but a file, names, or the story of a message, which is in English."""

    def given(self, room: CommandRoom) -> dict[str, Any]:
        return dict(self.options(room) if callable(self.options) else self.options)


def managing(options: Any = (), **about: Any) -> Use:
    """A command for members who may manage the server."""
    return Use(options, NEEDS_MANAGER, **about)


def of_the_bot(room: CommandRoom) -> dict[str, str]:
    """The last message that the bot said in a conversation."""
    said = [one for one in room.world.messages(room.general) if one["content"].startswith(("Ren", "Kira"))]
    return {"target": said[-1]["id"]}


THEIRS = Use((), NOT_THEIRS, permission="Manage Messages")
USES: dict[str, Use] = {
    "regenerate": THEIRS,
    "continue": THEIRS,
    "Regenerate": replace(THEIRS, options=of_the_bot),
    "Continue": replace(THEIRS, options=of_the_bot),
    "stop": Use(),
    "explain": Use(wordless=True),
    "Explain": Use(of_the_bot, wordless=True),
    "status": Use(),
    "reset": managing(permission="Manage Messages"),
    "config show": managing(),
    "config set": managing({"name": "temperature", "value": "1"}),
    "config shape": managing({"shape": "lines"}),
    "config limits": managing({"messages": 5}),
    "config guards": managing({"emoji": False}),
    "config triggers": managing({"words": True}),
    "config thought-log": managing(lambda room: {"channel": room.general}),
    "config private": managing({"private": True}),
    "config silent": managing({"silent": False}),
    "config history": managing({"messages": 20}),
    "config language": managing({"language": "ja"}),
    "config cascade": managing({"links": 1}),
    "config reset": managing({"name": "everything"}),
    "model show": managing(),
    "model list": managing(),
    "model set": managing({"model": "openai:gpt-5.1"}),
    "model test": managing(),
    "model reset": managing(),
    "model key set": managing({"vendor": "mistral"}, form={"key": "sk-secret-key-1234"}),
    "model key remove": managing({"vendor": "mistral"}),
    "persona list": Use(wordless=True),
    "persona create": managing({"name": "Nova", "prompt": "A star.", "url": PICTURE}),
    "persona show": Use({"name": "ren"}, wordless=True),
    "persona edit": managing({"name": "Nova"}, form={"prompt": "A small star."}),
    "persona set": managing({"name": "Nova", "degree": 0}),
    "persona triggers": managing({"name": "Nova", "words": "star, light"}),
    "persona here": managing({"names": "Ren, kira", "first": "ren"}),
    "persona greet": Use({"name": "Ren"}),
    "persona import": managing({"file": File("luna.json", CARD.encode())}),
    "persona export": managing({"name": "Luna", "format": "json"}, wordless=True),
    "sprite add": managing({"persona": "Nova", "name": "glad", "url": PICTURE}),
    "sprite list": Use({"persona": "Nova"}, wordless=True),
    "sprite edit": managing({"persona": "Nova", "name": "glad", "instructions": "when she wins"}),
    "sprite delete": managing({"persona": "Nova", "name": "glad"}),
    "persona delete": managing({"name": "Nova"}, then="persona-delete"),
    "memory note": Use({"text": "likes tea"}),
    "memory list": Use(),
    "memory delete": Use({"note": 1}),
    "memory summary": Use(),
    "memory privacy": Use({"level": "limited"}),
    "memory direct": Use({"state": "on"}),
    "memory export": Use(),
    "memory clear": Use(then="Delete"),
    "memory forget": Use(then="Forget me"),
    "memory server note": managing({"text": "a quiet place"}),
    "memory server list": managing(wordless=True),
    "memory server delete": managing({"note": 1}),
    "forget me": Use(then="Cancel"),
}
"""All of them, in the order in which they are used: who is made first can be shown then, and deleted at the end."""


def names_in(tree: discord.app_commands.CommandTree[Any]) -> set[str]:
    kinds = discord.AppCommandType
    found = [one for kind in (kinds.chat_input, kinds.message, kinds.user) for one in tree.walk_commands(type=kind)]
    return {one.qualified_name for one in found if not isinstance(one, discord.app_commands.Group)}


async def kept(room: CommandRoom) -> list[Any]:
    """All that stands in the store."""
    return [
        (namespace.value, record.key, dict(record.value))
        for namespace in Namespace
        for record in await room.services.store.find(namespace)
    ]


async def refused(room: CommandRoom, name: str, use: Use, language: str) -> None:
    before = await kept(room)
    await room.use(room.tom, name, given=use.given(room))

    permission = translated(use.permission, language)
    assert translated(use.refusal, language, permission=permission) == told(room).strip(), name
    assert room.form is None
    assert before == await kept(room), name


async def used(room: CommandRoom, person: Person, name: str, use: Use) -> list[str]:
    """What *person* is told who uses a command, and does what it then asks for."""
    await room.use(person, name, given=use.given(room))
    if use.form is not None:
        assert room.form is not None, name
        await room.submit(person, **use.form)
    texts = [told(room)]
    if use.then:
        labels = [part for row in room.answers[0]["components"] for part in row["components"]]
        wanted = next(part for part in labels if use.then in (part["custom_id"], part["label"], labels_of(part)))
        await room.press(person, wanted["custom_id"])
        texts.append(told(room))
        assert [] == room.answers[0]["components"]
    return texts


def labels_of(part: Mapping[str, Any]) -> str:
    """The English of a button's label."""
    texts = ("Delete", "Forget me", "Cancel")
    return next((text for text in texts if translated(text, "ja") == part["label"]), "")


@pytest.mark.parametrize("locale", ["en-GB", "ja"])
async def test_every_command_is_answered_to_who_may_use_it_and_refused_to_others(
    locale: str, caplog: pytest.LogCaptureFixture
) -> None:
    config = replace(CONFIG, models=ModelsConfig(default="openai:gpt-5.1"))
    async with bot_room(parrot, config=config, staffed=stocked) as bot:
        room = commands_of(bot)
        assert set(USES) == names_in(bot.bot.tree)
        for person in (bot.mia, bot.tom):
            bot.world.set_locale(person.id, locale)
        await bot.asks("hello")
        for name, use in USES.items():
            if use.refusal:
                await refused(room, name, use, locale)
            texts = await used(room, bot.mia if use.refusal else bot.tom, name, use)
            if use.refusal == NOT_THEIRS:
                await bot.quiet()
            if locale == "ja" and not use.wordless:
                assert all(map(JAPANESE.search, texts)), (name, texts)
            elif locale != "ja":
                assert not any(map(JAPANESE.search, texts)) or name == "config show", (name, texts)

    ours = [record for record in caplog.records if record.name != "discord.client"]  # which misses what calls need
    assert [] == [one.getMessage() for one in ours if one.levelno >= logging.WARNING or one.exc_text]
    assert "sk-secret-key-1234" not in caplog.text


async def test_in_direct_messages_what_is_a_servers_is_refused_and_all_else_works(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async with bot_room(parrot, staffed=stocked) as bot:
        direct = bot.world.open_direct(bot.me, bot.mia)
        room = commands_of(bot)
        room.general = direct
        bot.mia.says(direct, "hello")
        await bot.heard()
        await bot.quiet()
        for name, use in USES.items():
            given = {} if name == "config thought-log" else use.given(room)  # there are no channels there
            if name.startswith("sprite"):
                given["persona"] = "Miko"
            told_ = await room.use(bot.mia, name, given=given)
            if use.refusal == NOT_THEIRS:
                await bot.quiet()
            is_servers = use.refusal == NEEDS_MANAGER and use.permission == "Manage Server"
            assert is_servers is (told_.strip() == "This works in servers only."), name

    assert [] == [one for one in caplog.records if one.exc_info or one.exc_text]
