"""What a reply starts from, with the real discord.py over the simulated Discord, down to the text of the prompt."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import discord
import pytest

from cadenza.bot.characters.character import Character, CharacterOverrides, CharacterSprite, Lore
from cadenza.bot.config.config import Config, ConversationConfig
from cadenza.bot.config.current import Current
from cadenza.bot.memory.location import Location
from cadenza.bot.memory.notes import About, By, NoteSubject
from cadenza.bot.scene import TurnContext, scene_for, sight
from cadenza.bot.services.choices import Choice
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.sealing import Seal
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.bot.wiring import BotServices, build
from cadenza.settings import Settings
from cadenza.sim.permissions import Permission
from cadenza.stages.s1_context import assemble
from cadenza.types import Note, Prompt, Scene, Tag
from tests.bot.evening import Evening, at_work
from tests.bot.hearsay import bot_says, heard, me, says_as

pytestmark = pytest.mark.timeout(60)

NOW = datetime(2026, 11, 16, 1, 40, tzinfo=UTC)
ARIA = Character("Aria", is_main=True, prompt="You conduct.")
REN = Character(
    "Ren",
    id="r1",
    prompt="{{char}} is shy, and likes {{user}}.",
    system="Stay in character.",
    samples="<START>\n{{user}}: Hi!\n{{char}}: Oh, h-hi.",
    notes=(Note("{{char}} is tired.", 1),),
    afterword="Keep it short.",
    triggers=("mirror boy",),
    sprites=(CharacterSprite("mad", "https://example.org/mad.png", "When teased."),),
    lore=(Lore("The lamp is broken.", ("lamp",)), Lore("The cat is blue.", ("cat",))),
)
CAST = (ARIA, REN)

GOLDEN = """\
Stay in character.

You are Ren.

Ren is shy, and likes Mia.

When to use your sprites:
- mad: When teased.

Begin a line with 'Ren (sprite): ' to show one of your sprites: mad.

This is a live chat. Write as people write there: short and natural, one thought a line; every line is sent as a message \
of its own. Leave out headings and lists unless somebody asks for them; a table may be used where it helps. Speak only \
for yourself, and put no name in front of what you say, but to show a sprite: 'Ren (sprite): '.

Emoji of this server, to be used sparingly: :wave:

The lamp is broken.
---
user: [System: This is the channel #general of the server “Home”.]
---
user: [System: In this conversation: Mia, Tom. Other characters here: Aria. Write @ and a name to ping somebody. \
A character who is called by name may answer.]
---
user: Mia: Hi!
---
model: Oh, h-hi.
---
user: Mia: Who took the lamp, @Tom?
Tom: (in reply to Mia: “Who took the lamp, @Tom?”) Not me. :wave:
---
model: Ren (mad): Nor I!
---
user: Aria: Quiet, please.
---
user: [Author's note: It is Monday, 16 November 2026, 01:40 UTC.]
[Author's note: Ren is tired.]
---
user: Mia: Ren? @Aria?
---
user: [Author's note: Keep it short.]
"""


def staff_with(store: MemoryStore | None = None, **conversation: Any) -> BotServices:
    """Everybody at work with a small configuration."""
    settings = Settings.of(degree=2)  # which chats like a person
    config = Config(personas=CAST, settings=settings, conversation=replace(ConversationConfig(), **conversation))
    return build(Current(config), store or MemoryStore(), Seal())


def occasion_of(message: discord.Message, character: Character = REN, **fields: Any) -> TurnContext:
    """Why something is said about *message*."""
    server = str(message.guild.id) if message.guild else ""
    where = Location(str(message.author.id), str(message.channel.id), server=server, persona=character.id)
    wanted: dict[str, Any] = {"cast": CAST, "choice": Choice(), "where": where, **fields}
    return TurnContext(message, character, **wanted)


def written(prompt: Prompt) -> str:
    """A prompt as people can read it."""
    turns = (f"{turn.role.value}: {turn.text}" for turn in prompt.turns)
    return "\n---\n".join([prompt.system, *turns]) + "\n"


async def test_the_prompt_of_a_small_scene() -> None:
    evening, store = Evening(), MemoryStore()
    wave = evening.world.add_emoji(evening.guild, "wave")
    mia, tom, general = evening.mia, evening.tom, evening.general
    async with at_work(evening):
        first = mia.says(general, f"Who took the lamp, <@{tom.id}>?")
        tom.says(general, f"Not me. <:wave:{wave}>", reply_to=first)
        mad = says_as(evening, "Ren", "Nor I!")
        await store.put(
            Record(Namespace.SPRITE_MESSAGES, mad, {"persona": "Ren", "sprite": "mad", "label": "Ren (mad): "})
        )
        bot_says(evening, "Quiet, please.")
        message = await heard(evening, mia.says(general, f"Ren? <@{evening.bot.id}>?"))

        scene = await scene_for(occasion_of(message), staff_with(store), me(evening), now=NOW)

        assert GOLDEN == written(assemble(scene))
        assert (general, None) == (scene.channel, scene.reply_to)
        roster = scene.roster
        assert {"Aria": "Aria"} == dict(roster.personas)
        assert {"wave": f"<:wave:{wave}>"} == dict(roster.emoji)
        assert (f"<@{mia.id}>", f"<@{tom.id}>") == (roster.mentions["Mia"], roster.mentions["Tom"])
        assert evening.bot.id not in roster.mentions
        assert ("Mia", "Tom", "Aria") == roster.speakers
        assert {"Aria", "Mia", "Tom"} == {participant.name for participant in roster.participants}
        assert all(participant.avatar for participant in roster.participants)


async def test_what_was_chosen_makes_the_scene() -> None:
    evening = Evening()
    evening.world.add_emoji(evening.guild, "wave")
    async with at_work(evening):
        for text in ("One.", "Two.", "Three."):
            last = evening.mia.says(evening.general, text)
        message = await heard(evening, last)

        async def scene(character: Character = ARIA, **fields: Any) -> Scene:
            return await scene_for(occasion_of(message, character, **fields), staff_with(), me(evening), now=NOW)

        plain = await scene()
        tags = [item.tag for item in plain.context]
        assert Tag.HUMANIZER_RULES in tags
        assert Tag.SERVER_EMOJI in tags
        assert ["One.", "Two.", "Three."] == [line.text for line in plain.history]
        assert ("You conduct.", False) == (plain.persona.prompt, plain.persona.is_alter)

        fast = await scene(choice=Choice(settings={"degree": 1, "use_emoji": False}, history=2))
        assert {Tag.HUMANIZER_RULES, Tag.SERVER_EMOJI}.isdisjoint(item.tag for item in fast.context)
        assert ["Two.", "Three."] == [line.text for line in fast.history]
        for shape in ("reply", "blocks", "lines", "sentences"):
            assistant = await scene(choice=Choice(settings={"shape": shape, "typing": False}))
            assert Tag.HUMANIZER_RULES not in [item.tag for item in assistant.context]
        own = await scene(replace(ARIA, own=CharacterOverrides(degree=0)))
        assert Tag.HUMANIZER_RULES not in [item.tag for item in own.context]

        waited = await scene(has_waited=True, goes_on=True, without=[plain.history[1].message_id])
        assert str(message.id) == waited.reply_to
        assert ["One.", "Three."] == [line.text for line in waited.history]
        assert [0, 0] == [note.depth for note in waited.notes]
        assert waited.notes[-1].text.startswith("Go on with your last message exactly where it ended")

        anew = await scene(after=plain.history[1].message_id)
        assert ["Three."] == [line.text for line in anew.history]
        alone = await scene(cast=(ARIA,))
        assert {} == dict(alone.roster.personas)


async def test_roles_can_be_called_where_that_was_chosen_and_people_go_before_them() -> None:
    evening = Evening()
    crew, *_ = [evening.world.add_role(evening.guild, name, mentionable=True) for name in ("crew", "mia", "Ren")]
    async with at_work(evening):
        message = await heard(evening, evening.mia.says(evening.general, "Ren?"))
        for chosen, expected in ({}, set()), ({"mention_roles": True}, {("crew", f"<@&{crew}>")}):
            turn_context = occasion_of(message, choice=Choice(settings=chosen))
            roster = (await scene_for(turn_context, staff_with(), me(evening), now=NOW)).roster
            assert expected == {(name, tag) for name, tag in roster.mentions.items() if "&" in tag}
            assert f"<@{evening.mia.id}>" == roster.mentions["Mia"]


async def test_a_character_that_answers_another_shows_no_reply() -> None:
    evening = Evening()
    async with at_work(evening):
        message = await heard(evening, says_as(evening, "Ren", "Aria?"))

        scene = await scene_for(occasion_of(message, ARIA, has_waited=True), staff_with(), me(evening), now=NOW)

    assert scene.reply_to is None
    assert [("Ren", "Aria?", False)] == [(line.speaker, line.text, line.is_own) for line in scene.history]


async def test_in_private_only_two_are_there() -> None:
    evening = Evening()
    direct = evening.world.open_direct(evening.bot, evening.mia)
    async with at_work(evening):
        said = evening.mia.says(direct, "Psst.")
        channel = await evening.client.fetch_channel(int(direct))
        assert isinstance(channel, discord.DMChannel)
        message = await channel.fetch_message(int(said))

        scene = await scene_for(occasion_of(message), staff_with(), me(evening), now=NOW)

    place = [item for item in scene.context if item.tag is Tag.CURRENT_CONTEXT]
    assert "private conversation with Mia" in str(place[0].parts[0])
    assert Tag.USERS_IN_CONVERSATION not in [item.tag for item in scene.context]
    assert f"<@{evening.mia.id}>" == scene.roster.mentions["Mia"]


class Curious(MemoryStore):
    """A store whose channels cannot be read."""

    async def find(self, namespace: Namespace, /, **about: Any) -> list[Record]:
        """Fail for channels."""
        if namespace is Namespace.CHANNELS:
            raise StoreError
        return await super().find(namespace, **about)


async def test_only_what_the_asker_can_see_is_remembered() -> None:
    evening = Evening()
    hidden = evening.world.add_channel(evening.guild, "hidden")
    secret = evening.world.add_channel(evening.guild, "secret")
    evening.world.overwrite(hidden, evening.tom, deny=Permission.VIEW_CHANNEL)
    async with at_work(evening):
        store = MemoryStore()
        await store.put(Record(Namespace.CHANNELS, secret, {"is_private": True}, server=evening.guild.id))
        message = await heard(evening, evening.tom.says(evening.general, "Hello."))
        may_see = await sight(message.guild, message.author, store)
        places = (evening.general, hidden, secret, "1", "no id")

        assert [evening.general] == [place for place in places if may_see(place)]
        assert [] == [place for place in places if (await sight(message.guild, message.author, Curious()))(place)]


async def test_what_is_remembered_is_told() -> None:
    evening = Evening()
    async with at_work(evening):
        message = await heard(evening, evening.mia.says(evening.general, "Hello."))
        services = staff_with()
        await services.memory.notes.add(NoteSubject(About.PERSON, evening.mia.id), "Likes green tea.", by=By.PERSON)

        scene = await scene_for(occasion_of(message), services, me(evening), now=NOW)

    assert "Likes green tea." in written(assemble(scene))
