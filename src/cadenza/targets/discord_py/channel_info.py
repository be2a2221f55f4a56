"""From whatever a bot has in its hands, a channel, a person, a message, an interaction, to where something is said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import discord
from discord.ext import commands

from ...concurrency.tasks import must_rise
from ...errors import InputError
from ...replies.outbox.lookups import Member, the_one
from ...text.names import normalised
from ...types import Roster
from .translate_errors import as_api_error

_MOST_MEMBERS = 10_000
"""Of a server with more people in the cache, only so many can be called unasked; each reply goes through all of them."""
_QUERIED = 20
"""How many people a server is asked for by the beginning of a name."""


@dataclass(frozen=True, slots=True)
class SendTarget:
    """Where something is to be said."""

    client: discord.Client
    channel: str
    guild: discord.Guild | None = None
    people: tuple[discord.abc.User, ...] = ()
    """Who is there for sure: whoever wrote, pressed or is written to."""
    message: discord.Message | discord.PartialMessage | None = None
    """What is answered."""
    interaction: discord.Interaction[Any] | None = None

    def for_rules(self, *, roles: bool = False) -> Roster:
        """What the rules are told: the emoji that can be used here, and the *roles* if they may be called.

        People are looked up when they are named.
        """
        guild = self.guild
        usable = () if guild is None else (emoji for emoji in guild.emojis if emoji.is_usable())
        roster = Roster(emoji={emoji.name: str(emoji) for emoji in usable})
        return self.with_roles(roster) if roles else roster

    def for_calls(self, roster: Roster | None = None) -> Roster:
        """*roster* with everybody who is here, by their ids, and the roles: all who may be called if the settings allow it."""
        guild, roster = self.guild, roster or Roster()
        cached = () if guild is None else guild.members[:_MOST_MEMBERS]
        roles = () if guild is None else _open_roles(guild)
        here = {str(person.id): f"<@{person.id}>" for person in (*self.people, *cached)}
        here |= {str(role.id): f"<@&{role.id}>" for role in roles}
        return replace(roster, mentions=here | dict(roster.mentions))

    def with_roles(self, roster: Roster) -> Roster:
        """*roster* with the roles that can be called here, by their names; whoever it knows by one of them goes before."""
        if self.guild is None:
            return roster
        tags = role_tags(self.guild, (*roster.mentions, *roster.personas, *roster.personas.values()))
        return replace(roster, mentions=tags | dict(roster.mentions))


async def room_of(place: object, client: discord.Client | None = None) -> SendTarget:
    """Where *place* is; *client* is who speaks there, if not the one that it came from."""
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
                msg = "a bot cannot write to itself; give somebody else, or a channel"
                raise InputError(msg)
            direct = await _opened(place, client)
            return SendTarget(client, str(direct.id), people=(place,))
        case discord.DMChannel():
            recipients = () if place.recipient is None else (place.recipient,)
            return SendTarget(client or client_of(place), str(place.id), people=recipients)
        case discord.abc.Messageable() if isinstance(id_ := getattr(place, "id", None), int):
            return SendTarget(client or client_of(place), str(id_), getattr(place, "guild", None))
        case discord.ForumChannel():
            msg = "in a forum nothing can be said but in a post; make one with create_thread, and give its thread"
            raise InputError(msg)
        case _:
            msg = f"nothing can be said in a {type(place).__name__}; give a channel, a message, a person or an interaction"
            raise InputError(msg)


def role_tags(guild: discord.Guild, taken: Iterable[str] = ()) -> dict[str, str]:
    """The roles of *guild* that anybody there may call, by their names.

    A name that is *taken*, or that a member has, is not that of a role, and one that several roles have stays a text.
    """
    roles = _open_roles(guild)
    counts = Counter(normalised(role.name) for role in roles)
    others = {*map(normalised, taken), *_borne(counts, guild)} if roles else set()
    free = [role for role in roles if normalised(role.name) not in others]
    return {role.name: f"<@&{role.id}>" if counts[normalised(role.name)] == 1 else "" for role in free}


def _open_roles(guild: discord.Guild) -> list[discord.Role]:
    return [role for role in guild.roles if role.mentionable and not role.is_default()]


def _borne(names: Container[str], guild: discord.Guild) -> Iterator[str]:
    """Those of *names* that members of *guild* in the cache have."""
    for member in guild.members[:_MOST_MEMBERS]:
        for name in filter(None, (member.name, member.global_name, member.nick)):
            if (compared := _compared(name)) in names:
                yield compared


def _compared(name: str) -> str:
    """*name* as it is compared; that of most people is told at a glance, and there may be many of them."""
    is_plain = name.isascii() and name.isprintable() and " " not in name and not name.startswith("@")
    return name.lower() if is_plain else normalised(name)


async def tag_of(handle: str, guild: discord.Guild) -> str | None:
    """The tag of whoever in *guild* is meant by *handle*; asked of Discord where the cache does not have everybody."""
    cached = guild.members
    is_large = len(cached) > _MOST_MEMBERS  # to look at them all would hold everything else up
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
        interaction.client,
        str(interaction.channel_id),
        interaction.guild,
        (interaction.user,),
        interaction=interaction,
    )


async def _opened(person: discord.User | discord.Member, client: discord.Client) -> discord.DMChannel:
    """The channel of messages from *client* to *person*, asked for if it is not known. Raises ``ApiError``."""
    try:
        return await client.create_dm(person)
    except BaseException as error:
        if must_rise(error):
            raise
        raise as_api_error(error) from None


def client_of(thing: Any) -> discord.Client:
    """Whose *thing* is. There is no public way to it."""
    try:
        client = thing._state._get_client()  # noqa: SLF001  # see above
    except AttributeError:
        client = None
    if isinstance(client, discord.Client):
        return client
    msg = f"it is not known which client this {type(thing).__name__} belongs to; use Speaker(client)"
    raise InputError(msg)


def _member(member: discord.Member) -> Member:
    return Member(str(member.id), member.name, member.global_name, member.nick)


def parent_of(channel: object) -> str:
    """The id of the channel of a thread, also of one of which nothing else is known; empty for all others."""
    parent = getattr(channel, "parent_id", None)
    return str(parent) if parent else ""
