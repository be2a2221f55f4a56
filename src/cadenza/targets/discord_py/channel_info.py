"""Resolves a channel, user, message, context or interaction to the room where messages go."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord.ext import commands

from ...concurrency.tasks import must_rise
from ...errors import InputError, Sentence
from ...replies.outbox.lookups import Member, the_one
from ...text.names import normalised
from ...types import Roster
from .translate_errors import as_api_error

_MOST_MEMBERS = 10_000
"""Cached members that are considered at most: each reply goes through all of them."""
_QUERIED = 20
"""Members that a query by name returns at most."""


@dataclass(frozen=True, slots=True)
class SendTarget:
    """Where messages are sent."""

    client: discord.Client
    channel: str
    guild: discord.Guild | None = None
    people: tuple[discord.abc.User, ...] = ()
    """Users known to be there: the author, the clicker or the recipient."""
    message: discord.Message | discord.PartialMessage | None = None
    """The answered message."""
    interaction: discord.Interaction[Any] | None = None

    def for_rules(self, *, roles: bool = False) -> Roster:
        """The roster for the rules: usable emoji, and with *roles* the roles that may be pinged.

        Users are looked up when they are named.
        """
        guild = self.guild
        usable = () if guild is None else (emoji for emoji in guild.emojis if emoji.is_usable())
        roster = Roster(emoji={emoji.name: str(emoji) for emoji in usable})
        return self.with_roles(roster) if roles else roster

    def for_calls(self, roster: Roster | None = None) -> Roster:
        """*roster* with all users and roles here, by id: the pings that the settings may allow."""
        guild, roster = self.guild, roster or Roster()
        cached = () if guild is None else guild.members[:_MOST_MEMBERS]
        roles = () if guild is None else _open_roles(guild)
        here = {str(person.id): f"<@{person.id}>" for person in (*self.people, *cached)}
        here |= {str(role.id): f"<@&{role.id}>" for role in roles}
        return replace(roster, mentions=here | dict(roster.mentions))

    def with_roles(self, roster: Roster) -> Roster:
        """*roster* with the pingable roles by name; names that it knows already win."""
        if self.guild is None:
            return roster
        tags = role_tags(self.guild, (*roster.mentions, *roster.personas, *roster.personas.values()))
        return replace(roster, mentions=tags | dict(roster.mentions))


async def room_of(place: object, client: discord.Client | None = None) -> SendTarget:
    """The room of *place*; *client* sends there, by default the one that *place* belongs to."""
    match place:
        case discord.Interaction():
            return _of_interaction(place)
        case commands.Context():
            if place.interaction is not None:
                return _of_interaction(place.interaction)
            return SendTarget(place.bot, str(place.channel.id), place.guild, (place.author,))
        case discord.Message():
            people = (place.author,)
            return SendTarget(client or client_of(place), str(place.channel.id), place.guild, people, message=place)
        case discord.PartialMessage():
            return SendTarget(client or client_of(place.channel), str(place.channel.id), place.guild, message=place)
        case discord.User() | discord.Member():
            client = client or client_of(place)
            if place == client.user:
                msg = "a bot cannot send messages to itself; give another user, or a channel"
                raise InputError(msg)
            direct = await _opened(place, client)
            return SendTarget(client, str(direct.id), people=(place,))
        case discord.DMChannel():
            recipients = () if place.recipient is None else (place.recipient,)
            return SendTarget(client or client_of(place), str(place.id), people=recipients)
        case discord.abc.Messageable() if isinstance(id_ := getattr(place, "id", None), int):
            return SendTarget(client or client_of(place), str(id_), getattr(place, "guild", None))
        case discord.ForumChannel():
            msg = "a forum takes posts only; create one with create_thread, and give its thread"
            raise InputError(msg)
        case _:
            msg = Sentence(
                "a {place_type} takes no messages; give a channel, a message, a user or an interaction",
                place_type=type(place).__name__,
            )
            raise InputError(msg)


def role_tags(guild: discord.Guild, taken: Iterable[str] = ()) -> dict[str, str]:
    """The tags of the roles of *guild* that everyone may ping, by name.

    Names that are *taken* or belong to a member are left out; a name of several roles has an empty tag.
    """
    roles = _open_roles(guild)
    counts = Counter(normalised(role.name) for role in roles)
    others = {*map(normalised, taken), *_borne(counts, guild)} if roles else set()
    free = [role for role in roles if normalised(role.name) not in others]
    return {role.name: f"<@&{role.id}>" if counts[normalised(role.name)] == 1 else "" for role in free}


def _open_roles(guild: discord.Guild) -> list[discord.Role]:
    return [role for role in guild.roles if role.mentionable and not role.is_default()]


def _borne(names: Container[str], guild: discord.Guild) -> Iterator[str]:
    """Those of *names* that cached members of *guild* have."""
    for member in guild.members[:_MOST_MEMBERS]:
        for name in filter(None, (member.name, member.global_name, member.nick)):
            if (compared := _compared(name)) in names:
                yield compared


def _compared(name: str) -> str:
    """*name* normalised, with a fast path for plain names, since there may be many."""
    is_plain = name.isascii() and name.isprintable() and " " not in name and not name.startswith("@")
    return name.lower() if is_plain else normalised(name)


async def tag_of(handle: str, guild: discord.Guild) -> str | None:
    """The tag of the member of *guild* with *handle*; Discord is asked where the cache is incomplete."""
    cached = guild.members
    is_large = len(cached) > _MOST_MEMBERS  # going through all of them would block the loop
    member = None if is_large else the_one(handle, map(_member, cached))
    if is_large and handle.isdecimal() and (known := guild.get_member(int(handle))):
        member = _member(known)
    if member is None and (is_large or not guild.chunked):
        found = [] if handle.isdecimal() else await guild.query_members(handle, limit=_QUERIED)
        member = the_one(handle, map(_member, found))
    return None if member is None else f"<@{member.id}>"


def _of_interaction(interaction: discord.Interaction[Any]) -> SendTarget:
    if interaction.channel_id is None:
        msg = "this interaction has no channel to answer in"
        raise InputError(msg)
    return SendTarget(
        interaction.client, str(interaction.channel_id), interaction.guild, (interaction.user,), interaction=interaction
    )


async def _opened(person: discord.User | discord.Member, client: discord.Client) -> discord.DMChannel:
    """The direct message channel of *person*, opened if needed. Raises ``ApiError``."""
    try:
        return await client.create_dm(person)
    except BaseException as error:
        if must_rise(error):
            raise
        raise as_api_error(error) from error


def client_of(thing: Any) -> discord.Client:
    """The client of *thing*, which discord.py keeps private."""
    try:
        client = thing._state._get_client()  # noqa: SLF001  # see above
    except AttributeError:
        client = None
    if isinstance(client, discord.Client):
        return client
    msg = Sentence("the client of this {thing_type} is unknown; use Speaker(client)", thing_type=type(thing).__name__)
    raise InputError(msg)


def _member(member: discord.Member) -> Member:
    return Member(str(member.id), member.name, member.global_name, member.nick)


def parent_of(channel: object) -> str:
    """The id of the parent channel of a thread; empty for other channels."""
    parent = getattr(channel, "parent_id", None)
    return str(parent) if parent else ""


def server_of(client: discord.Client, channel: str) -> str:
    """The id of the guild that *channel* is in; empty if it is in none or not cached."""
    place = client.get_channel(int(channel)) if channel.isdecimal() else None
    return str(place.guild.id) if isinstance(place, discord.abc.GuildChannel | discord.Thread) else ""
