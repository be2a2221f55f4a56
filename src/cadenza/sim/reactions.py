"""Reactions: little emoji under messages."""

from __future__ import annotations

from .api_errors import refuse
from .messages import Messages
from .permissions import Permission
from .state import ChannelState
from .validation import as_ids
from .wire import Json

_MOST = 20


class Reactions(Messages):
    """How people take what is said."""

    def react(self, who: str, channel: str, message: str, emoji: str) -> None:
        """Put *emoji*, a character or ``name:id``, under a message."""
        place = self._visible(who, channel)
        self._message(place, message)
        self._require(who, place, Permission.READ_MESSAGE_HISTORY)
        self._require_awake(place)
        emoji = self._known(emoji)
        reactions = self._reactions.setdefault(message, {})
        if emoji not in reactions:
            self._require(who, place, Permission.ADD_REACTIONS)
            if len(reactions) >= _MOST:
                raise refuse(30010)
        users = reactions.setdefault(emoji, [])
        if who not in users:
            users.append(who)
            self._tell_of_reaction("MESSAGE_REACTION_ADD", place, message, emoji, who)

    def unreact(self, who: str, channel: str, message: str, emoji: str, user: str) -> None:
        """Take the *emoji* of *user* away again; that of another only with the permission for it."""
        place = self._visible(who, channel)
        self._message(place, message)
        if user != who:
            self._require(who, place, Permission.MANAGE_MESSAGES)
        emoji = self._known(emoji)
        users = self._reactions.get(message, {}).get(emoji, [])
        if user not in users:
            return
        users.remove(user)
        if not users:
            del self._reactions[message][emoji]
        self._tell_of_reaction("MESSAGE_REACTION_REMOVE", place, message, emoji, user)

    def reactors(
        self, who: str, channel: str, message: str, emoji: str, *, limit: int = 25, after: str = "0"
    ) -> list[Json]:
        """Who has put *emoji* under a message, in the order of their ids."""
        place = self._visible(who, channel)
        self._require(who, place, Permission.READ_MESSAGE_HISTORY)
        self._message(place, message)
        [start] = as_ids([after], at="after")
        users = self._reactions.get(message, {}).get(self._known(emoji), [])
        later = sorted((user for user in users if int(user) > int(start)), key=int)
        return self._copies(self._users[user] for user in later[:limit])

    def clear_reactions(self, who: str, channel: str, message: str, emoji: str | None = None) -> None:
        """Take all emoji under a message away, or all of one kind."""
        place = self._visible(who, channel)
        self._message(place, message)
        self._require(who, place, Permission.MANAGE_MESSAGES)
        data: Json = {"channel_id": place.id, "message_id": message}
        if emoji is None:
            self._reactions.pop(message, None)
            self._tell_channel("MESSAGE_REACTION_REMOVE_ALL", data, place)
        elif self._reactions.get(message, {}).pop(known := self._known(emoji), None):
            name, _, id_ = known.partition(":")
            emoji_shape = {"id": id_ or None, "name": name}
            self._tell_channel("MESSAGE_REACTION_REMOVE_EMOJI", {**data, "emoji": emoji_shape}, place)

    def _known(self, emoji: str) -> str:
        """*emoji* as it is kept; one that there is not is refused."""
        parts = emoji.strip("<>").removeprefix("a:").strip(":").split(":")
        name, id_ = parts[0], parts[1] if len(parts) > 1 else ""
        if id_:
            own = [guild.emojis[id_] for guild in self._guilds.values() if id_ in guild.emojis]
            if not own:
                raise refuse(10014)
            return f"{own[0]['name']}:{id_}"
        if not name or (name.isascii() and not name.isdigit()):  # a digit may be the beginning of a keycap
            raise refuse(10014)
        return name

    def _tell_of_reaction(self, name: str, channel: ChannelState, message: str, emoji: str, who: str) -> None:
        bare, _, id_ = emoji.partition(":")
        data: Json = {
            "user_id": who, "channel_id": channel.id, "message_id": message, "burst": False, "type": 0,
            "emoji": {"id": id_ or None, "name": bare},
        }  # fmt: skip
        if name == "MESSAGE_REACTION_ADD":
            data["message_author_id"] = self._message(channel, message)["author"]["id"]
            if channel.guild is not None:
                data["member"] = self._member(channel.guild, who)
        self._tell_channel(name, data, channel)
