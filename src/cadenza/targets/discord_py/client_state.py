"""What everything that is said through one client shares: what is known of its webhooks, of refusals and of people."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any
from weakref import WeakKeyDictionary

import discord
from discord.ext import commands

from ...errors import InputError
from ...replies.outbox.lookups import Lookup
from ...replies.outbox.prepare import PostPreparer
from ...types import Identity, Notice, Roster
from ..discord.api import Button
from ..discord.shared import DiscordState
from ..discord.target import DiscordTarget, ReplyTarget
from ..discord.webhooks import MemoryWebhookStore, Webhooks, WebhookStore
from .api import DiscordPyApi
from .channel_info import SendTarget, tag_of
from .interactions import InteractionApi

_ATTRIBUTE = "_cadenza_home"


class Home:
    """One for each client; see ``of``."""

    def __init__(self, client: discord.Client, store: WebhookStore | None = None) -> None:
        self._client = client
        self.api = DiscordPyApi(client)
        self._shelf = _Shelf(store)
        self._interactions: WeakKeyDictionary[DiscordTarget, InteractionApi] = WeakKeyDictionary()
        self.shared = DiscordState(Webhooks(self.api, self._shelf))
        self.preparer = PostPreparer(lookup=Lookup(self._tag))
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
        elif store is not None:
            home._shelf.use(store)
        return home

    async def target(
        self,
        room: SendTarget,
        *,
        turn: str = "",
        persona: Identity | None = None,
        roster: Roster | None = None,
        is_found: Callable[[str], bool] | None = None,
        table_button: Button | None = None,
        reword: Callable[[Notice], Notice] = lambda notice: notice,
        on_last: Callable[[str], Awaitable[None]] | None = None,
        typing_since: float | None = None,
    ) -> DiscordTarget:
        """Where whatever is said in *room* is delivered to. An interaction is given its first sign.

        The members of the room, whoever else is in *roster*, and whoever *is_found* says was looked up may be called.
        *table_button* stands under each table that is shown as a picture. *reword* says a notice in other words.
        *on_last* is told before the last message is sent behind which it will stand. *typing_since* is when it was first
        shown that something is being written.
        """
        api: DiscordPyApi | InteractionApi = self.api
        if room.interaction is not None:
            api = InteractionApi(self.api, room.interaction)
            await api.open()
        target = DiscordTarget(
            api,
            room.channel,
            shared=self.shared,
            turn=turn,
            persona=persona,
            roster=room.for_calls(roster),
            is_found=is_found,
            reply_target=_reply_target(room),
            table_button=table_button,
            reword=reword,
            on_last=on_last,
            typing_since=typing_since,
        )
        if isinstance(api, InteractionApi):
            self._interactions[target] = api
        return target

    async def settle(self, target: DiscordTarget) -> None:
        """All has been said in *target*: if that is nothing, nobody is left to wait for it."""
        if api := self._interactions.get(target):
            await api.settle()

    def blocked(self, room: SendTarget) -> str | None:
        """Why nothing can be said in *room* at present; ``None`` if it may be tried. Discord is not asked."""
        is_forbidden = room.interaction is None and not _may_speak(self._client.get_channel(int(room.channel)))
        return self.shared.broken or ("missing_permissions" if is_forbidden else self.shared.blocked(room.channel))

    async def close(self) -> None:
        """Wait for what is under way. It can be used after it."""
        await self.api.close()
        await self.shared.webhooks.settle()

    async def _tag(self, handle: str, channel: str) -> str | None:
        place: Any = self._client.get_channel(int(channel)) if channel.isdecimal() else None
        guild = getattr(place, "guild", None)
        return None if guild is None else await tag_of(handle, guild)

    async def _webhooks_changed(self, channel: discord.abc.GuildChannel) -> None:
        self.shared.webhooks.changed(str(channel.id))

    async def _channel_gone(self, channel: discord.abc.GuildChannel) -> None:
        self.shared.webhooks.gone(str(channel.id))


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


class _Shelf:
    """Where the webhooks of a client are kept: in memory, until a speaker brings a store along."""

    def __init__(self, store: WebhookStore | None) -> None:
        self._given = store
        self._store: WebhookStore = MemoryWebhookStore() if store is None else store

    def use(self, store: WebhookStore) -> None:
        """Keep them in *store* from now on, unless they have a store already."""
        if self._given is not None and self._given is not store:
            msg = "this client keeps its webhooks in another store already; give all its speakers the same one"
            raise InputError(msg)
        self._given = self._store = store

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        """The id and the token of the webhook of *channel*."""
        return await self._store.load(channel)

    async def save(self, channel: str, id_: str, token: str, /) -> None:
        """Keep the webhook of *channel*."""
        await self._store.save(channel, id_, token)

    async def forget(self, channel: str, /) -> None:
        """Keep none for *channel*."""
        await self._store.forget(channel)


def _reply_target(room: SendTarget) -> ReplyTarget | None:
    message = room.message
    if not isinstance(message, discord.Message):
        return None
    author = message.author
    return ReplyTarget(str(message.id), author.display_name, author.display_avatar.url, message.jump_url)
