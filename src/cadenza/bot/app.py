"""The discord.py client of the bot: it builds the parts, and hands each gateway event to the part that handles it.

A message goes to ``admission``, which queues it in ``turns``; its turn is answered by ``answering``, and ``after_reply``
tells what follows. None of them calls back into the client.
"""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import discord
from discord.ext import commands

from ..targets.discord_py.authorship import is_ours, user_of
from ..targets.discord_py.channel_info import server_of
from ..targets.discord_py.client_state import ClientState
from ..turns import ShutdownResult, Turns
from .admission import Admission
from .after_reply import AfterReply
from .announcements import Announcements
from .answering import Answering
from .background import Background
from .cascades import Cascades
from .commands.context import CommandContext
from .commands.register import register
from .config.config import Config
from .markdown_button import listen
from .pending import Pending
from .recovery import Recovery
from .reply_controls import Asker, Control
from .services.own_messages import OwnMessages
from .store.webhook_store import StoredWebhooks
from .wiring import BotServices

STOP, AGAIN, MORE = "⏹", "🔁", "▶"
"""Reactions that do what a command does; Discord adds a variation selector to some."""
_VARIATION = "\ufe0f"


def _status(config: Config) -> discord.CustomActivity | None:
    return discord.CustomActivity(config.discord.status) if config.discord.status else None


class CadenzaBot(commands.Bot):
    """The bot. Start it as any discord.py client.

    ``wind_down`` ends it gracefully; ``close`` alone breaks off running replies at once.
    """

    def __init__(self, services: BotServices, *, intents: discord.Intents, **options: Any) -> None:
        config = services.config.now
        super().__init__(
            commands.when_mentioned,
            intents=intents,
            help_command=None,
            allowed_mentions=discord.AllowedMentions.none(),
            activity=_status(config),
            **options,
        )
        self.services = services
        self.own = own = OwnMessages(services.store)
        webhooks = StoredWebhooks(services.store, services.seal, server_of=partial(server_of, self))
        self.client_state = client_state = ClientState.of(self, webhooks)
        # Each part gets the parts that it uses, so the order matters. To them the bot is only a discord.py client.
        self.background = background = Background()
        announcements = Announcements(services, self, client_state, background)
        self.pending = pending = Pending(services, announcements, background)
        self.after_reply = after_reply = AfterReply(services, own, self, client_state, background)
        answering = Answering(
            services, own, self, client_state, pending=pending, announcements=announcements, after_reply=after_reply
        )
        self.turns = Turns(
            answering.answer,
            settings=config.settings,
            names=answering.names,
            on_dropped=pending.dropped,
            on_failed=pending.failed,
        )
        self.admission = Admission(services, own, self, pending=pending, announcements=announcements, turns=self.turns)
        self.control = Control(services, own, self, self.turns, self.admission)
        self.recovery = Recovery(services, own, self, self.admission)
        after_reply.subscribe("cascades", Cascades(services, pending, self.admission).follow)
        for forget in (own.forget_person, self.admission.forget):
            services.memory.privacy.listen(forget)
        self._has_recovered = False
        self._is_winding_down = False
        self._has_ended = False
        services.config.listen(self._follow)

    def _follow(self, before: Config, after: Config) -> None:
        """Update the presence when the configuration changes."""
        if before.discord.status == after.discord.status:
            return
        self.activity = _status(after)  # for the next connect
        if self.is_ready() and not self._is_winding_down:
            self.background.start(self.change_presence(activity=_status(after)))

    # --- beginning and end --------------------------------------------------------------------

    async def setup_hook(self) -> None:
        """Register the commands; discord.py calls this after the login."""
        listen(self, self.services.explanations)
        await register(self.tree, CommandContext(self.services, self.control, self))

    async def on_ready(self) -> None:
        """Recover, once, what an earlier process left unfinished."""
        if not self._has_recovered:
            self._has_recovered = True
            self.background.start(self.recovery.run())

    async def wind_down(self) -> ShutdownResult:
        """Take no more messages, let running replies end for a while, and close."""
        self._is_winding_down = True
        closing = await self.turns.close()
        await self.background.finish()
        await self.client_state.close()
        await self.client_state.preparer.close()
        self._has_ended = True
        await self.close()
        return closing

    async def close(self) -> None:
        """Close at once; running replies break off, unless the bot was wound down before."""
        self._is_winding_down = True
        if not self._has_ended:
            self._has_ended = True
            ending = asyncio.create_task(self.turns.close(), name="cadenza end")
            await asyncio.sleep(0)  # let it begin
            ending.cancel()
            await asyncio.wait([ending])
            await self.background.finish(within=0.0)
        await super().close()

    # --- what happens ---------------------------------------------------------------------------

    async def on_message(self, message: discord.Message, /) -> None:
        """A message was sent."""
        if is_ours(message) or self._is_winding_down:
            return
        await self.admission.hear(message)

    async def on_raw_message_edit(self, payload: discord.RawMessageUpdateEvent) -> None:
        """A message was edited, or Discord has added an embed to it."""
        await self.admission.edited(payload.message)

    async def on_raw_message_delete(self, payload: discord.RawMessageDeleteEvent) -> None:
        """A message was deleted."""
        self._gone(payload.channel_id, {payload.message_id})

    async def on_raw_bulk_message_delete(self, payload: discord.RawBulkMessageDeleteEvent) -> None:
        """Several messages were deleted at once."""
        self._gone(payload.channel_id, payload.message_ids)

    def _gone(self, channel: int, messages: set[int]) -> None:
        ids = [str(message) for message in messages]
        self.own.forget(*ids)
        self.admission.deleted(str(channel), ids)

    async def on_raw_reaction_add(self, payload: discord.RawReactionActionEvent) -> None:
        """Stop, regenerate or continue a reply by reaction."""
        emoji = (payload.emoji.name or "").removesuffix(_VARIATION)  # a deleted emoji has no name
        if emoji not in (STOP, AGAIN, MORE) or payload.user_id == user_of(self).id:
            return
        if payload.member is not None and payload.member.bot:
            return
        channel, message = str(payload.channel_id), str(payload.message_id)
        if emoji != STOP and await self.own.about(message) is None:
            return
        asker = Asker(str(payload.user_id), may_manage=await self._may_manage(payload))
        match emoji:
            case "⏹":
                self.control.stop(channel, asker)
            case "🔁":
                await self.control.regenerate(channel, asker, message=message)
            case _:
                await self.control.go_on(channel, asker, message=message)

    async def _may_manage(self, payload: discord.RawReactionActionEvent) -> bool:
        if payload.guild_id is None:
            return True
        channel = self.get_channel(payload.channel_id)
        member = payload.member
        if member is None or not isinstance(channel, discord.abc.GuildChannel | discord.Thread):
            return False
        return channel.permissions_for(member).manage_messages

    async def on_guild_remove(self, guild: discord.Guild) -> None:
        """The bot left a guild: forget its webhooks."""
        for channel in guild.channels:
            self.client_state.shared.webhooks.gone(str(channel.id))
