"""The state of one client that its targets share: API, webhooks, blocked channels and member lookups."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, TypedDict, Unpack
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
from .answers import AnswerMemory
from .api import DiscordPyApi
from .channel_info import SendTarget, tag_of
from .interactions import InteractionApi

_ATTRIBUTE = "_cadenza_home"


class TargetOptions(TypedDict, total=False):
    """What only the bot asks of a target; see ``DiscordTarget``."""

    table_button: Button | None
    reword: Callable[[Notice], Notice]
    on_last: Callable[[str], Awaitable[None]] | None
    typing_since: float | None
    complains: bool


class ClientState:
    """What all targets of one client share; see ``of``."""

    def __init__(self, client: discord.Client, store: WebhookStore | None = None) -> None:
        self._client = client
        self.api = DiscordPyApi(client)
        self._webhook_store = _WebhookStore(store)
        self._interactions: WeakKeyDictionary[DiscordTarget, InteractionApi] = WeakKeyDictionary()
        self.shared = DiscordState(Webhooks(self.api, self._webhook_store))
        self.answers = AnswerMemory()
        self.preparer = PostPreparer(lookup=Lookup(self._tag))
        if isinstance(client, commands.Bot | commands.AutoShardedBot):  # other clients learn it from a 404
            client.add_listener(self._webhooks_changed, "on_webhooks_update")
            client.add_listener(self._channel_gone, "on_guild_channel_delete")

    @classmethod
    def of(cls, client: discord.Client, store: WebhookStore | None = None) -> ClientState:
        """The state of *client*, built on first use; *store* keeps its webhooks over a restart.

        It is an attribute of the client, so both are garbage collected together.
        """
        client_state = vars(client).get(_ATTRIBUTE)
        if not isinstance(client_state, cls):
            client_state = cls(client, store)
            setattr(client, _ATTRIBUTE, client_state)
        elif store is not None:
            client_state._webhook_store.use(store)
        return client_state

    async def target(
        self,
        room: SendTarget,
        *,
        turn: str = "",
        persona: Identity | None = None,
        roster: Roster | None = None,
        is_found: Callable[[str], bool] | None = None,
        **options: Unpack[TargetOptions],
    ) -> DiscordTarget:
        """The target for *room*; an interaction is acknowledged.

        The members of the room, those of *roster*, and users of whom *is_found* is true may be pinged.
        """
        api: DiscordPyApi | InteractionApi = self.api
        if room.interaction is not None:
            api = InteractionApi(self.api, room.interaction)
            await self._acknowledge(api)
        target = DiscordTarget(
            api,
            room.channel,
            shared=self.shared,
            turn=turn,
            persona=persona,
            roster=room.for_calls(roster),
            is_found=is_found,
            reply_target=_reply_target(room),
            **options,
        )
        if isinstance(api, InteractionApi):
            self._interactions[target] = api
        return target

    async def _acknowledge(self, api: InteractionApi) -> None:
        """Acknowledge an interaction, unless a cooldown forbids it: then its first message does, if it may be sent."""
        cooldown = self.shared.cooldown
        if cooldown.left == 0:
            async with cooldown.request():
                await api.open()
        elif cooldown.reason != "banned":  # Discord waits three seconds, and this needs no token of the bot
            await api.open()

    async def settle(self, target: DiscordTarget) -> None:
        """End an interaction that got no message, so that it does not show as pending."""
        if api := self._interactions.get(target):
            await api.settle()

    def is_private(self, target: DiscordTarget) -> bool:
        """Whether only one person sees the messages of *target*: they are ephemeral."""
        api = self._interactions.get(target)
        return api is not None and api.is_ephemeral

    def blocked(self, room: SendTarget) -> str | None:
        """Why messages in *room* would fail at present, without asking Discord; ``None`` if they may work."""
        is_forbidden = room.interaction is None and not _may_speak(self._client.get_channel(int(room.channel)))
        return "missing_permissions" if is_forbidden else self.shared.blocked(room.channel)

    async def close(self) -> None:
        """Wait for requests in flight. The state can be used again afterwards."""
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
    """Whether the bot may send messages in *place*, true if unknown. A timeout of the bot counts."""
    guild: discord.Guild | None = getattr(place, "guild", None)
    if guild is None or guild.me is None:
        return True
    try:
        allowed: discord.Permissions = place.permissions_for(guild.me)
    except discord.ClientException:  # a thread whose channel is not cached
        return True
    return allowed.send_messages_in_threads if isinstance(place, discord.Thread) else allowed.send_messages


class _WebhookStore:
    """The webhook store of a client: memory, until a speaker provides another."""

    def __init__(self, store: WebhookStore | None) -> None:
        self._given = store
        self._store: WebhookStore = MemoryWebhookStore() if store is None else store

    def use(self, store: WebhookStore) -> None:
        """Use *store* from now on; a second, different one is an ``InputError``."""
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
