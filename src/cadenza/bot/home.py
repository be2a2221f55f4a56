"""What everything that is said through one client shares: what is known of its webhooks, of refusals and of people."""

from __future__ import annotations

from typing import Any

import discord
from discord.ext import commands

from ..backstage import Backstage
from ..lookups import Lookup
from ..targets.discord import DiscordTarget, ReplyTarget
from ..targets.house import House
from ..targets.mentions import MentionPolicy
from ..targets.webhooks import Webhooks, WebhookStore
from ..types import Identity, Roster
from .api import DiscordPyApi
from .interactions import InteractionApi
from .rooms import Room, tag_of

_ATTRIBUTE = "_cadenza_home"


class Home:
    """One for each client; see ``of``."""

    def __init__(self, client: discord.Client, store: WebhookStore | None = None) -> None:
        self._client = client
        self.api = DiscordPyApi(client)
        self.house = House(Webhooks(self.api, store))
        self.backstage = Backstage(lookup=Lookup(self._tag))
        if isinstance(client, commands.Bot | commands.AutoShardedBot):  # others find out when they are refused
            client.add_listener(self._webhooks_changed, "on_webhooks_update")
            client.add_listener(self._channel_gone, "on_guild_channel_delete")

    @classmethod
    def of(cls, client: discord.Client, store: WebhookStore | None = None) -> Home:
        """The home of *client*, made when it is first asked for; *store* keeps its webhooks over a restart.

        It is kept in the client itself, which it knows: so both go together, as soon as nobody needs the client.
        """
        home = vars(client).get(_ATTRIBUTE)
        if not isinstance(home, cls):
            home = cls(client, store)
            setattr(client, _ATTRIBUTE, home)
        return home

    async def target(
        self,
        room: Room,
        *,
        turn: str = "",
        persona: Identity | None = None,
        roster: Roster | None = None,
        mentions: MentionPolicy | None = None,
    ) -> DiscordTarget:
        """Where whatever is said in *room* is delivered to. An interaction is given its first sign.

        The members of the room and whoever else is in *roster* may be called.
        """
        api: DiscordPyApi | InteractionApi = self.api
        if room.interaction is not None:
            api = InteractionApi(self.api, room.interaction)
            await api.open()
        return DiscordTarget(
            api,
            room.channel,
            house=self.house,
            turn=turn,
            persona=persona,
            roster=room.for_calls(roster),
            mentions=mentions,
            reply_target=_reply_target(room),
        )

    def blocked(self, room: Room) -> str | None:
        """Why nothing can be said in *room* at present; ``None`` if it may be tried. Discord is not asked."""
        is_forbidden = room.interaction is None and not _may_speak(self._client.get_channel(int(room.channel)))
        return self.house.broken or ("missing_permissions" if is_forbidden else self.house.blocked(room.channel))

    async def close(self) -> None:
        """Wait for what is under way. It can be used after it."""
        await self.api.close()

    async def _tag(self, handle: str, channel: str) -> str | None:
        place: Any = self._client.get_channel(int(channel)) if channel.isdecimal() else None
        guild = getattr(place, "guild", None)
        return None if guild is None else await tag_of(handle, guild)

    async def _webhooks_changed(self, channel: discord.abc.GuildChannel) -> None:
        self.house.webhooks.changed(str(channel.id))

    async def _channel_gone(self, channel: discord.abc.GuildChannel) -> None:
        self.house.webhooks.gone(str(channel.id))


def _may_speak(place: Any) -> bool:
    """Whether our bot may speak in *place*, as far as that is known: one that is timed out may not, whatever its roles."""
    guild: discord.Guild | None = getattr(place, "guild", None)
    if guild is None or guild.me is None:
        return True
    try:
        allowed: discord.Permissions = place.permissions_for(guild.me)
    except discord.ClientException:  # a thread of whose channel nothing is known
        return True
    return allowed.send_messages_in_threads if isinstance(place, discord.Thread) else allowed.send_messages


def _reply_target(room: Room) -> ReplyTarget | None:
    message = room.message
    if not isinstance(message, discord.Message):
        return None
    author = message.author
    return ReplyTarget(str(message.id), author.display_name, author.display_avatar.url, message.jump_url)
