"""The simulated Discord as authors of tests see it.

It speaks Discord's JSON, opens no sockets, never waits, and raises a ``Refusal`` where Discord refuses.
The rules stand in the modules by topic, as functions that take the ``State`` first; ``rest`` adds rate limits and faults.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar

from . import access, channels, guilds, interactions, messages, objects, webhooks
from .objects import ChannelKind, copies
from .people import Guild, Person
from .permissions import Permission
from .snowflakes import Calendar
from .state import Bot, State, id_of
from .transcript import as_transcript, lines_of
from .wire import Json

__all__ = ["Bot", "ChannelKind", "Guild", "Person", "World"]

_Arguments = ParamSpec("_Arguments")
_Result = TypeVar("_Result")


def _on_state(
    function: Callable[Concatenate[State, _Arguments], _Result],
) -> Callable[Concatenate[World, _Arguments], _Result]:
    """*function* as a method of a world."""

    @wraps(function)
    def method(self: World, /, *args: _Arguments.args, **kwargs: _Arguments.kwargs) -> _Result:
        return function(self.state, *args, **kwargs)

    return method


class World:
    """A simulated Discord.

    The time is that of *clock*, in seconds; a clock that does not tell the time of day begins at *starts*.
    Methods named as Discord's REST calls take the id of the calling user first, and answer as Discord does.
    """

    def __init__(self, *, clock: Callable[[], float] = time.time, starts: float | None = None) -> None:
        self.state = State(Calendar(clock, starts))

    # what there is
    add_bot = _on_state(guilds.add_bot)
    add_channel = _on_state(channels.add)
    add_thread = _on_state(channels.add_thread)
    add_post = _on_state(channels.add_post)
    add_role = _on_state(guilds.add_role)
    add_emoji = _on_state(guilds.add_emoji)
    give_role = _on_state(guilds.give_role)
    permit = _on_state(guilds.permit)
    rename = _on_state(guilds.rename)
    time_out = _on_state(guilds.time_out)
    overwrite = _on_state(channels.overwrite)
    archive = _on_state(channels.archive)
    join_thread = _on_state(channels.join_thread)
    open_direct = _on_state(channels.open_direct)
    close_direct = _on_state(channels.close_direct)
    remove_channel = _on_state(channels.remove)
    set_locale = _on_state(interactions.set_locale)
    hosted = _on_state(webhooks.hosted)
    # Discord's calls
    create_message = _on_state(messages.create)
    edit_message = _on_state(messages.edit)
    delete_message = _on_state(messages.delete)
    get_message = _on_state(messages.get)
    typing = _on_state(messages.start_typing)
    create_thread = _on_state(channels.create_thread)
    get_channel = _on_state(channels.get)
    edit_channel = _on_state(channels.edit)
    delete_channel = _on_state(channels.delete)
    create_webhook = _on_state(webhooks.create)
    edit_webhook = _on_state(webhooks.edit)
    delete_webhook = _on_state(webhooks.delete)
    channel_webhooks = _on_state(webhooks.of_channel)
    guild_webhooks = _on_state(webhooks.of_guild)
    execute_webhook = _on_state(interactions.execute_webhook)
    put_commands = _on_state(interactions.put_commands)
    get_commands = _on_state(interactions.get_commands)
    respond = _on_state(interactions.respond)
    get_user = _on_state(guilds.get_user)
    get_members = _on_state(guilds.get_members)
    get_roles = _on_state(guilds.get_roles)
    # what happened
    now = _on_state(State.now)
    listen = _on_state(State.listen)
    modal = _on_state(interactions.modal)
    is_answered = _on_state(interactions.is_answered)
    suggestions = _on_state(interactions.suggestions)
    typists = _on_state(messages.typists)
    pinged = _on_state(messages.pinged)

    def add_person(self, name: str) -> Person:
        """A new person; they are in no guild yet."""
        person = Person(self.state.new_id(), name, self.state)
        self.state.users[person.id] = objects.user(person.id, name)
        return person

    def add_guild(self, name: str, *, owner: object = None, members: Iterable[object] = ()) -> Guild:
        """A new guild with its members; without an *owner*, one is made up."""
        holder = self.add_person(f"Owner of {name}") if owner is None else owner
        guild = Guild(guilds.create(self.state, name, id_of(holder)), name, self.state)
        for member in members:
            guild.join(member)
        return guild

    def messages(self, channel: str) -> list[Json]:
        """All messages of *channel*, oldest first, including ephemeral ones."""
        return messages.get_all(self.state, channel)

    def permissions_in(self, who: str, channel: str) -> Permission:
        """The permissions of *who* in *channel*."""
        return access.permissions_of(self.state, who, self.state.channel(channel))

    @property
    def cdn(self) -> str:
        """Where files can be fetched."""
        return self.state.cdn

    def file(self, attachment: str) -> bytes:
        """The content of the file with this id."""
        return self.state.files[attachment]

    def portrait(self, avatar: str) -> str | bytes | None:
        """The picture of the *avatar* of a user or a webhook: an address, or the picture itself."""
        return self.state.avatars.get(avatar)

    def users(self) -> list[Json]:
        """All people and bots, in the order in which they were added."""
        return copies(self.state.users.values())

    def places(self, who: str) -> list[Json]:
        """The channels, threads and direct messages that *who* can see, the oldest first."""
        seen = (one for one in self.state.channels.values() if access.sees(self.state, who, one))
        return [channels.as_seen(self.state, one, who) for one in seen]

    def transcript(self, channel: str) -> str:
        """What a person would see in *channel*: names, texts, files, replies, embeds, and who is typing."""
        return as_transcript(self.messages(channel), self._names_in(channel), self.typists(channel))

    def shown(self, channel: str, message: str) -> str:
        """One message of *channel* as a person would see it."""
        found = messages.shown(self.state, self.state.channel(channel).message(message))
        return "".join(f"{line}\n" for line in lines_of(found, self._names_in(channel)))

    def _names_in(self, channel: str) -> dict[str, str]:
        names = {id_: str(user["global_name"] or user["username"]) for id_, user in self.state.users.items()}
        guild = self.state.channel(channel).guild
        members: dict[str, Json] = {} if guild is None else self.state.guild(guild).members
        return names | {id_: str(member["nick"]) for id_, member in members.items() if member["nick"]}
