"""Builds the scene of a turn: everything that a reply starts from."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from itertools import islice, takewhile

import discord

from ..targets.discord_py.attachments import AttachmentReader
from ..targets.discord_py.authorship import is_ours
from ..targets.discord_py.channel_info import role_tags
from ..targets.discord_py.display_names import AnyUser, handles, name_of
from ..targets.discord_py.history import Conversation, HistoryWindow, Perspective, history
from ..text.names import normalised
from ..types import ContextItem, Identity, Note, Participant, Persona, Role, Roster, Scene, Tag
from . import situation
from .characters.character import Character
from .characters.lore import told
from .characters.macros import samples
from .characters.placeholders import resolved
from .memory.location import Location
from .services.choices import Choice, settings_for
from .speaker_lookup import SpeakerLookup
from .store.store import Namespace, Store, StoreError
from .wiring import BotServices

_RECENT = 12
"""Lines of the history that are searched for keys of lore."""
_SAMPLES = 60
"""Lines of sample dialogue in a prompt at most."""
_NOTES = 10
_PARTICIPANTS = 50
_MEMBERS = 500
"""Members outside the conversation that the model can ping directly; others are looked up."""

_GO_ON = (
    "Go on with your last message exactly where it ended, as if you had never stopped: repeat nothing of it, "
    "greet nobody, and do not say that you go on."
)


@dataclass(frozen=True, slots=True)
class TurnContext:
    """What is answered, where, and by which character."""

    message: discord.Message
    """The answered message; the newest of several."""
    character: Character
    cast: tuple[Character, ...]
    """All characters that may speak there."""
    choice: Choice
    where: Location
    without: Collection[str] = ()
    """Ids of messages to leave out of the history."""
    goes_on: bool = False
    """Whether to continue the last reply."""
    has_waited: bool = False
    """Whether the message waited behind others: then the reply shows what it answers."""
    after: str = ""
    """The id of the message with which the conversation was reset; empty if it was not."""
    asker: AnyUser | None = None
    """The person who asked, not always the author of *message*; ``None`` if unknown."""
    meanwhile: bool = False
    """Whether to include our own messages after *message*, for which it waited."""
    answers: Collection[str] = ()
    """The ids of all answered messages."""


async def scene_for(
    turn_context: TurnContext, services: BotServices, me: discord.ClientUser, *, now: datetime | None = None
) -> Scene:
    """The scene for *turn_context*: persona, history, roster, memory, lore, samples, notes."""
    heard = await _listen(turn_context, services, me)
    character, message = turn_context.character, turn_context.message
    person = turn_context.asker or message.author
    asker = heard.names.get(person.id) or name_of(person)
    persona = character.as_persona(asker)
    roles = settings_for(services.config.now, turn_context.choice).delivery.mention_roles
    roster = _roster(turn_context, heard, me, roles=roles)
    setting = _Setting(turn_context, services, heard, roster, persona, asker)
    remembered = await services.memory.recall(
        turn_context.where, may_see=await sight(message.guild, person, services.store)
    )
    return Scene(
        channel=str(message.channel.id),
        persona=persona,
        history=heard.lines,
        roster=roster,
        # In a cascade the answered message stands right above.
        reply_to=str(message.id) if turn_context.has_waited and not is_ours(message) else None,
        context=(*setting.context(), *remembered),
        samples=tuple(islice(samples(character, asker), _SAMPLES)),
        notes=tuple(setting.notes(now or datetime.now(UTC))),
    )


async def _listen(turn_context: TurnContext, services: BotServices, me: discord.ClientUser) -> Conversation:
    """The history as the character sees it."""
    config, choice = services.config.now.conversation, turn_context.choice
    window = HistoryWindow(
        turn_context.message,
        config.history if choice.history is None else choice.history,
        turn_context.without,
        after=turn_context.after,
        meanwhile=turn_context.meanwhile,
        at_end=turn_context.answers if turn_context.has_waited else (),
    )
    view = Perspective(
        turn_context.character.name,
        SpeakerLookup(services.store, turn_context.cast, me),
        AttachmentReader(config.images if choice.images is None else choice.images, config.text_file_characters),
        characters=[one.name for one in turn_context.cast],
        own_name=next((one.name for one in turn_context.cast if one.is_main), ""),
    )
    return await history(turn_context.message.channel, me, window, view)


# --- who and what can be named -----------------------------------------------------------


def _roster(turn_context: TurnContext, heard: Conversation, me: discord.ClientUser, *, roles: bool) -> Roster:
    guild = turn_context.message.guild
    others = _others(turn_context)
    members = () if guild is None else islice((member for member in guild.members if member.id != me.id), _MEMBERS)
    usable = () if guild is None else (emoji for emoji in guild.emojis if emoji.is_usable())
    barred = [name for character in turn_context.cast for name in (character.name, me.name, me.display_name)]
    people = handles(heard.people, heard.names, members, barred=barred)
    tags = role_tags(guild, (*people, *barred)) if roles and guild is not None else {}
    return Roster(
        mentions={**tags, **people},
        emoji={emoji.name: str(emoji) for emoji in usable},
        personas={character.name: character.name for character in others},
        participants=(*_characters(others, me), *_people(heard)),
        speakers=heard.speakers,
    )


def _others(turn_context: TurnContext) -> list[Character]:
    own = normalised(turn_context.character.name)
    return [character for character in turn_context.cast if normalised(character.name) != own]


def _characters(characters: Sequence[Character], me: discord.ClientUser) -> Iterator[Participant]:
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
    """Makes the context items and notes of a scene."""

    turn_context: TurnContext
    services: BotServices
    heard: Conversation
    roster: Roster
    persona: Persona
    asker: str

    def context(self) -> Iterator[ContextItem]:
        """The context of the prompt, each item under its tag."""
        character, message = self.turn_context.character, self.turn_context.message
        config, choice = self.services.config.now, self.turn_context.choice
        settings = settings_for(config, choice, degree=character.own.degree)
        if system := self._resolved(character.system):
            yield ContextItem(Tag.INSTRUCTION, (system,), Role.SYSTEM)
        if settings.delivery.manner.typing:
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
        """The notes: the time, the character's own, its afterword, and the order to continue."""
        character = self.turn_context.character
        yield situation.time(now, depth=0 if self.turn_context.goes_on else max(1, self._newest()))
        for note in character.notes[:_NOTES]:
            yield Note(self._resolved(note.text), note.depth)
        if afterword := self._resolved(character.afterword):
            yield Note(afterword)
        if self.turn_context.goes_on:
            yield Note(_GO_ON)

    def _newest(self) -> int:
        """How many lines at the end are answered messages."""
        is_answered = (line.message_id in self.turn_context.answers for line in reversed(self.heard.lines))
        return sum(1 for _ in takewhile(bool, is_answered))

    def _resolved(self, text: str) -> str:
        return resolved(text, char=self.turn_context.character.called, user=self.asker).strip()


async def sight(guild: discord.Guild | None, person: AnyUser, store: Store) -> Callable[[str], bool]:
    """A function that tells by id whether *person* sees a channel of *guild* and it is not private."""
    member = person if isinstance(person, discord.Member) else None
    if guild is None or member is None:
        return lambda _: False
    try:
        records = await store.find(Namespace.CHANNELS, server=str(guild.id))
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
            # Only channels that everyone sees: the reply is public, though the person may see more.
            is_open = found.permissions_for(guild.default_role).read_messages
            return is_open and found.permissions_for(member).read_messages
        except discord.ClientException:  # a thread whose channel is not cached
            return False

    return may_see


def identity_of(character: Character) -> Identity | None:
    """The webhook identity of *character*; ``None`` for the main one, which speaks as the bot itself."""
    return None if character.is_main else Identity(character.name, character.avatar or None)
