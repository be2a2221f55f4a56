"""Reactions under messages."""

from __future__ import annotations

from . import messages
from .access import require, tell_channel, visible
from .api_errors import refuse
from .objects import copies
from .permissions import Permission
from .state import ChannelState, State
from .validation import as_ids
from .wire import Json

_MOST = 20


def add(state: State, who: str, channel: str, message: str, emoji: str) -> None:
    """React to a message with *emoji*, a character or ``name:id``."""
    place = visible(state, who, channel)
    place.message(message)
    require(state, who, place, Permission.READ_MESSAGE_HISTORY)
    messages.require_unarchived(place)
    emoji = _known(state, emoji)
    reactions = state.reactions.setdefault(message, {})
    if emoji not in reactions:
        require(state, who, place, Permission.ADD_REACTIONS)
        if len(reactions) >= _MOST:
            raise refuse(30010)
    users = reactions.setdefault(emoji, [])
    if who not in users:
        users.append(who)
        _tell(state, "MESSAGE_REACTION_ADD", place, message, emoji, who=who)


def remove(state: State, who: str, channel: str, message: str, emoji: str, *, user: str) -> None:
    """Remove the reaction of *user*; one of another user needs the permission to manage messages."""
    place = visible(state, who, channel)
    place.message(message)
    if user != who:
        require(state, who, place, Permission.MANAGE_MESSAGES)
    emoji = _known(state, emoji)
    users = state.reactions.get(message, {}).get(emoji, [])
    if user not in users:
        return
    users.remove(user)
    if not users:
        del state.reactions[message][emoji]
    _tell(state, "MESSAGE_REACTION_REMOVE", place, message, emoji, who=user)


def reactors(
    state: State, who: str, channel: str, message: str, emoji: str, *, limit: int = 25, after: str = "0"
) -> list[Json]:
    """The users who reacted with *emoji*, in the order of their ids."""
    place = visible(state, who, channel)
    require(state, who, place, Permission.READ_MESSAGE_HISTORY)
    place.message(message)
    [start] = as_ids([after], at="after")
    users = state.reactions.get(message, {}).get(_known(state, emoji), [])
    later = sorted((user for user in users if int(user) > int(start)), key=int)
    return copies(state.users[user] for user in later[:limit])


def clear(state: State, who: str, channel: str, message: str, emoji: str | None = None) -> None:
    """Remove all reactions to a message, or those with one emoji."""
    place = visible(state, who, channel)
    place.message(message)
    require(state, who, place, Permission.MANAGE_MESSAGES)
    data: Json = {"channel_id": place.id, "message_id": message}
    if emoji is None:
        state.reactions.pop(message, None)
        tell_channel(state, "MESSAGE_REACTION_REMOVE_ALL", data, place)
    elif state.reactions.get(message, {}).pop(known := _known(state, emoji), None):
        name, _, id_ = known.partition(":")
        emoji_shape = {"id": id_ or None, "name": name}
        tell_channel(state, "MESSAGE_REACTION_REMOVE_EMOJI", {**data, "emoji": emoji_shape}, place)


def _known(state: State, emoji: str) -> str:
    """*emoji* as it is stored; an unknown one is refused."""
    parts = emoji.strip("<>").removeprefix("a:").strip(":").split(":")
    name, id_ = parts[0], parts[1] if len(parts) > 1 else ""
    if id_:
        own = [guild.emojis[id_] for guild in state.guilds.values() if id_ in guild.emojis]
        if not own:
            raise refuse(10014)
        return f"{own[0]['name']}:{id_}"
    if not name or (name.isascii() and not name.isdigit()):  # a digit may begin a keycap
        raise refuse(10014)
    return name


def _tell(state: State, name: str, channel: ChannelState, message: str, emoji: str, *, who: str) -> None:
    bare, _, id_ = emoji.partition(":")
    data: Json = {
        "user_id": who, "channel_id": channel.id, "message_id": message, "burst": False, "type": 0,
        "emoji": {"id": id_ or None, "name": bare},
    }  # fmt: skip
    if name == "MESSAGE_REACTION_ADD":
        data["message_author_id"] = channel.message(message)["author"]["id"]
        if channel.guild is not None:
            data["member"] = state.member(channel.guild, who)
    tell_channel(state, name, data, channel)
