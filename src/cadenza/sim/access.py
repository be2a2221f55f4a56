"""Who may do what where, and who hears of what."""

from __future__ import annotations

from . import permissions
from .api_errors import refuse
from .objects import ChannelKind
from .permissions import Overwrite, Permission
from .snowflakes import from_timestamp
from .state import ChannelState, State
from .wire import Json


class Access(State):
    """The permissions of this world."""

    def permissions_in(self, who: str, channel: str) -> Permission:
        """What *who* may do in *channel*."""
        return self._permissions(who, self._channel(channel))

    def _permissions(self, who: str, channel: ChannelState) -> Permission:
        if channel.guild is None:
            return permissions.DIRECT if who in channel.people else Permission.NONE
        guild = self._guild(channel.guild)
        if who not in guild.members:
            return Permission.NONE
        home = self._home(channel)
        roles = guild.members[who]["roles"]
        found = permissions.in_channel(
            self._permissions_in_guild(who, channel.guild),
            [_as_overwrite(overwrite) for overwrite in home.json["permission_overwrites"]],
            guild=channel.guild,
            roles=roles,
            member=who,
        )
        found = permissions.with_what_follows(
            found, is_thread=channel.kind.is_thread, is_timed_out=self._is_timed_out(guild.members[who])
        )
        is_hidden = channel.kind is ChannelKind.PRIVATE_THREAD and who not in channel.people
        return Permission.NONE if is_hidden and Permission.MANAGE_THREADS not in found else found

    def _permissions_in_guild(self, who: str, guild_id: str) -> Permission:
        guild = self._guild(guild_id)
        roles = [guild_id, *guild.members[who]["roles"]]
        theirs = [Permission(int(guild.roles[role]["permissions"])) for role in roles]
        return permissions.of_roles(theirs, is_owner=guild.json["owner_id"] == who)

    def _home(self, channel: ChannelState) -> ChannelState:
        """The channel whose permissions and webhooks hold in *channel*."""
        return self._channel(channel.json["parent_id"]) if channel.kind.is_thread else channel

    def _is_timed_out(self, member: Json) -> bool:
        until = member["communication_disabled_until"]
        return until is not None and from_timestamp(until) > self.now()

    def _visible(self, who: str, channel_id: str) -> ChannelState:
        """The channel, if *who* can see it."""
        channel = self._channel(channel_id)
        if Permission.VIEW_CHANNEL not in self._permissions(who, channel):
            raise refuse(50001)
        return channel

    def _require(self, who: str, channel: ChannelState, needed: Permission) -> None:
        """Refuse if *who* lacks any of what is *needed* in *channel*."""
        if needed not in self._permissions(who, channel):
            raise refuse(50003 if channel.guild is None else 50013)

    def _require_in_guild(self, who: str, guild: str, needed: Permission) -> None:
        self._visible_guild(who, guild)
        if needed not in self._permissions_in_guild(who, guild):
            raise refuse(50013)

    def _visible_guild(self, who: str, guild: str) -> None:
        if who not in self._guild(guild).members:
            raise refuse(50001)

    def _tell_channel(self, name: str, data: Json, channel: ChannelState, *, is_private: bool = False) -> None:
        """Tell the bots who can see *channel*; of what *is_private*, only those who look from outside."""
        there = self._bots.keys() & (
            self._guild(channel.guild).members.keys() if channel.guild is not None else channel.people.keys()
        )
        seeing = frozenset(bot for bot in there if Permission.VIEW_CHANNEL in self._permissions(bot, channel))
        place = {} if channel.guild is None else {"guild_id": channel.guild}
        self._tell(name, {**data, **place}, channel.guild, frozenset() if is_private else seeing)


def _as_overwrite(value: Json) -> Overwrite:
    return Overwrite(value["id"], Permission(int(value["allow"])), Permission(int(value["deny"])))
