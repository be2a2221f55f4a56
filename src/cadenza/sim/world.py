"""The simulated Discord: everything in it, and the laws that hold there.

It speaks Discord's JSON, knows no sockets and no waiting, and raises a ``Refusal`` for whatever Discord refuses.
Each module below it is one storey: state, access, attachments, messages, reactions, channels, webhooks, interactions, guilds, moderation,
pins, housekeeping.
Rate limits and faults are not its business, but that of ``rest``.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable

from . import objects
from .channel_admin import Housekeeping
from .channels import id_of
from .objects import ChannelKind
from .people import Guild, Person
from .permissions import Permission
from .state import Bot
from .transcript import as_transcript, lines_of
from .wire import Json

__all__ = ["Bot", "ChannelKind", "Guild", "Person", "World"]


class World(Housekeeping):
    """A Discord of our own.

    The time is that of *clock*, in seconds; a clock that does not tell the time of day begins at *starts*.
    Methods that are named as Discord's REST calls take the id of the user who asks first, and answer as Discord does.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time, starts: float | None = None) -> None:
        super().__init__(clock, starts)

    def add_person(self, name: str) -> Person:
        """A new person; they are in no guild yet."""
        person = Person(self._snowflakes.next(), name, self)
        self._users[person.id] = objects.user(person.id, name)
        return person

    def add_guild(self, name: str, *, owner: object = None, members: Iterable[object] = ()) -> Guild:
        """A new guild with its owner, who is made up if there is none, and its members."""
        holder = self.add_person(f"Owner of {name}") if owner is None else owner
        guild = Guild(self._found(name, id_of(holder)), name, self)
        for member in members:
            guild.join(member)
        return guild

    def users(self) -> list[Json]:
        """Everybody there is, people and bots, in the order in which they came."""
        return self._copies(self._users.values())

    def places(self, who: str) -> list[Json]:
        """The channels, threads and direct messages that *who* can see, the oldest first."""
        seen = (one for one in self._channels.values() if Permission.VIEW_CHANNEL in self._permissions(who, one))
        return [self._channel_as_seen(one, who) for one in seen]

    def transcript(self, channel: str) -> str:
        """What a person would see in *channel*: names, texts, files, replies, embeds, and who writes."""
        return as_transcript(self.messages(channel), self._names_in(channel), self.typists(channel))

    def shown(self, channel: str, message: str) -> str:
        """One message of *channel* as a person would see it."""
        found = self._shown(self._message(self._channel(channel), message), "")
        return "".join(f"{line}\n" for line in lines_of(found, self._names_in(channel)))

    def _names_in(self, channel: str) -> dict[str, str]:
        names = {id_: str(user["global_name"] or user["username"]) for id_, user in self._users.items()}
        guild = self._channel(channel).guild
        members: dict[str, Json] = {} if guild is None else self._guild(guild).members
        return names | {id_: str(member["nick"]) for id_, member in members.items() if member["nick"]}
