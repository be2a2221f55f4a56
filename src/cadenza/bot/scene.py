"""All that a reply starts from, put together for one turn."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, takewhile

import discord

from ..targets.discord_py.channel_info import role_tags
from ..text.names import normalised
from ..types import ContextItem, Note, Participant, Persona, Role, Roster, Scene, Tag
from . import situation
from .authorship import is_ours
from .characters.character import Character
from .characters.lore import told
from .characters.macros import samples
from .characters.placeholders import resolved
from .display_names import AnyUser, handles, name_of
from .history import Conversation, history
from .memory.location import Location
from .services.choices import Choice, settings_for
from .speaker_lookup import SpeakerLookup
from .store.store import Shelf, Store, StoreError
from .wiring import BotServices

_RECENT = 12
"""Lines of the history in which keys of lore are looked for."""
_SAMPLES = 60
"""Lines of sample dialogue that are told."""
_NOTES = 10
_PARTICIPANTS = 50
_MEMBERS = 500
"""Members of a server, besides those in the conversation, whom the model can call unasked; others are looked up."""

_GO_ON = (
    "Go on with your last message exactly where it ended, as if you had never stopped: repeat nothing of it, "
    "greet nobody, and do not say that you go on."
)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """Why, where and by whom something is to be said."""

    message: discord.Message
    """What is answered; the newest of several."""
    character: Character
    cast: tuple[Character, ...]
    """Everybody who may speak there."""
    choice: Choice
    where: Location
    without: Collection[str] = ()
    """Ids of messages that are left out of the history."""
    goes_on: bool = False
    """Whether the last reply is to go on where it ended."""
    has_waited: bool = False
    """Whether others were answered first: then the answer shows what it is about."""
    after: str = ""
    """The id of a message with which the conversation before was over; empty if there is none."""
    asker: AnyUser | None = None
    """The person whom it goes back to, who need not have said *message*; ``None`` if nothing is known of them."""
    meanwhile: bool = False
    """Whether what we said after *message* is told too: it waited until that was said."""
    answers: Collection[str] = ()
    """The ids of all messages that are answered."""


async def scene_for(
    occasion: TurnContext, staff: BotServices, me: discord.ClientUser, *, now: datetime | None = None
) -> Scene:
    """The scene for *occasion*: persona, history, roster, what is remembered, lore, samples, notes."""
    heard = await _listen(occasion, staff, me)
    character, message = occasion.character, occasion.message
    person = occasion.asker or message.author
    asker = heard.names.get(person.id) or name_of(person)
    persona = character.as_persona(asker)
    roles = settings_for(staff.config.now, occasion.choice).delivery.mention_roles
    roster = _roster(occasion, heard, me, roles=roles)
    setting = _Setting(occasion, staff, heard, roster, persona, asker)
    remembered = await staff.memory.recall(occasion.where, may_see=await sight(message.guild, person, staff.store))
    return Scene(
        channel=str(message.channel.id),
        persona=persona,
        history=heard.lines,
        roster=roster,
        # A character that answers another one comes late by nature; nobody needs to be shown what it is about.
        reply_to=str(message.id) if occasion.has_waited and not is_ours(message) else None,
        context=(*setting.context(), *remembered),
        samples=tuple(islice(samples(character, asker), _SAMPLES)),
        notes=tuple(setting.notes(now or datetime.now(UTC))),
    )


async def _listen(occasion: TurnContext, staff: BotServices, me: discord.ClientUser) -> Conversation:
    """What was said so far, as the character sees it."""
    config, choice = staff.config.now.conversation, occasion.choice
    return await history(
        occasion.message.channel,
        me,
        until=occasion.message,
        limit=config.history if choice.history is None else choice.history,
        without=occasion.without,
        after=occasion.after,
        meanwhile=occasion.meanwhile,
        at_end=occasion.answers if occasion.has_waited else (),
        persona=occasion.character.name,
        own_name=next((one.name for one in occasion.cast if one.is_main), ""),
        characters=[one.name for one in occasion.cast],
        speaker_of=SpeakerLookup(staff.store, occasion.cast, me),
        images=config.images if choice.images is None else choice.images,
        text_file_characters=config.text_file_characters,
    )


# --- who and what can be named -----------------------------------------------------------


def _roster(occasion: TurnContext, heard: Conversation, me: discord.ClientUser, *, roles: bool) -> Roster:
    guild = occasion.message.guild
    others = _others(occasion)
    members = () if guild is None else islice((member for member in guild.members if member.id != me.id), _MEMBERS)
    usable = () if guild is None else (emoji for emoji in guild.emojis if emoji.is_usable())
    barred = [name for character in occasion.cast for name in (character.name, me.name, me.display_name)]
    people = handles(heard.people, heard.names, members, nobody=barred)
    tags = role_tags(guild, (*people, *barred)) if roles and guild is not None else {}
    return Roster(
        mentions={**tags, **people},
        emoji={emoji.name: str(emoji) for emoji in usable},
        personas={character.name: character.name for character in others},
        participants=(*_faces(others, me), *_people(heard)),
        speakers=heard.speakers,
    )


def _others(occasion: TurnContext) -> list[Character]:
    own = normalised(occasion.character.name)
    return [character for character in occasion.cast if normalised(character.name) != own]


def _faces(characters: Sequence[Character], me: discord.ClientUser) -> Iterator[Participant]:
    for character in characters:
        own = me.display_avatar.url if character.is_main else None
        yield Participant(character.name, character.aliases, character.avatar or own)


def _people(heard: Conversation) -> Iterator[Participant]:
    for user in heard.people[:_PARTICIPANTS]:
        name = heard.names[user.id]
        aliases = dict.fromkeys(alias for alias in (user.name, user.global_name) if alias and alias != name)
        yield Participant(name, tuple(aliases), user.display_avatar.url)


# --- what else is told -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Setting:
    """All that the things that are told besides the conversation are made of."""

    occasion: TurnContext
    staff: BotServices
    heard: Conversation
    roster: Roster
    persona: Persona
    asker: str

    def context(self) -> Iterator[ContextItem]:
        """What the model is to know, each thing under its tag."""
        character, message = self.occasion.character, self.occasion.message
        config, choice = self.staff.config.now, self.occasion.choice
        settings = settings_for(config, choice, degree=character.degree)
        if system := self._resolved(character.system):
            yield ContextItem(Tag.INSTRUCTION, (system,), Role.SYSTEM)
        if settings.delivery.degree >= 2:
            yield situation.manners(self.persona)
        if settings.rules.use_emoji and (emoji := situation.emoji(list(self.roster.emoji))):
            yield emoji
        if lore := told(character.lore, [line.text for line in self.heard.lines[-_RECENT:]]):
            yield ContextItem(Tag.SERVER_DOCUMENTS, (self._resolved("\n\n".join(lore)),), Role.SYSTEM)
        yield situation.place(message.channel, message.guild, self.asker)
        limit = config.conversation.cascade_limit if choice.cascade_limit is None else choice.cascade_limit
        words = config.conversation.trigger_words if choice.trigger_words is None else choice.trigger_words
        people = [self.heard.names[user.id] for user in self.heard.people]
        company = situation.company(people, list(self.roster.personas), can_call_characters=words and limit > 0)
        if company is not None and message.guild is not None:
            yield company

    def notes(self, now: datetime) -> Iterator[Note]:
        """Reminders: the time, the character's own, its afterword, and that it is to go on."""
        character = self.occasion.character
        yield situation.time(now, depth=0 if self.occasion.goes_on else max(1, self._newest()))
        for note in character.notes[:_NOTES]:
            yield Note(self._resolved(note.text), note.depth)
        if afterword := self._resolved(character.afterword):
            yield Note(afterword)
        if self.occasion.goes_on:
            yield Note(_GO_ON)

    def _newest(self) -> int:
        """How many lines at the end are what is answered."""
        is_answered = (line.message_id in self.occasion.answers for line in reversed(self.heard.lines))
        return sum(1 for _ in takewhile(bool, is_answered))

    def _resolved(self, text: str) -> str:
        return resolved(text, char=self.occasion.character.called, user=self.asker).strip()


async def sight(guild: discord.Guild | None, person: AnyUser, store: Store) -> Callable[[str], bool]:
    """Tells of channels of *guild*, by their ids, whether *person* can see them and they are not private."""
    member = person if isinstance(person, discord.Member) else None
    if guild is None or member is None:
        return lambda _: False
    try:
        records = await store.find(Shelf.CHANNELS, server=str(guild.id))
    except StoreError:
        return lambda _: False
    private = {record.key for record in records if record.value.get("is_private")}

    def may_see(channel: str) -> bool:
        found = guild.get_channel_or_thread(int(channel)) if channel.isdecimal() else None
        if found is None or (isinstance(found, discord.Thread) and found.is_private()):
            return False
        if channel in private or str(getattr(found, "parent_id", "")) in private:
            return False
        try:
            # What others here cannot see is not told here either, though whoever is answered could be.
            is_open = found.permissions_for(guild.default_role).read_messages
            return is_open and found.permissions_for(member).read_messages
        except discord.ClientException:  # a thread of whose channel nothing is known
            return False

    return may_see
