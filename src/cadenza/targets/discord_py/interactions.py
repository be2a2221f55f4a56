"""Answers to an interaction: a slash command, a button, a form.

They are follow-ups. Discord waits three seconds for a first sign and a quarter of an hour for all of it, and knows no
nonce for them, so here it is remembered which messages have arrived and of which that is not known.
"""

from __future__ import annotations

import asyncio
import logging
from typing import Any

import discord

from ...concurrency.tasks import must_rise
from ..discord.api import ApiError, Bucket, Outgoing, Place, PlaceKind, Seen, Sent, Webhook, WebhookIdentity
from .api import DiscordPyApi
from .translate_errors import as_api_error

logger = logging.getLogger(__name__)

_GONE = (10015, 50027)
"""What Discord answers when the quarter of an hour is over."""
_TOO_LATE = 10062
"""What it answers when the three seconds are."""
_HAS_SIGN = 40060
"""What it answers to a second first sign."""
_TAKING_BACK_TAKES = 5.0
"""Seconds after which a first sign that nothing came of is left to Discord."""


class InteractionApi:
    """A ``DiscordApi`` for one interaction: what is sent are its follow-ups."""

    def __init__(self, api: DiscordPyApi, interaction: discord.Interaction[Any]) -> None:
        self._api = api
        self._interaction = interaction
        self._is_open = False
        self._is_ephemeral = False
        self._is_owed = False  # whether people see, by our own sign, that there will be an answer, and there is none
        self._sent: dict[str, Sent] = {}
        self._doubtful: set[str] = set()

    async def open(self) -> None:
        """Give the first sign, if nobody has: people see that there will be an answer."""
        if self._is_open:
            return
        for is_last in (False, True):
            try:
                await self._give_sign()
                break
            except BaseException as error:
                if must_rise(error):
                    raise
                refusal = as_api_error(error)
                if is_last or not refusal.is_ambiguous:
                    raise _in_words(refusal) from None
        self._is_open = True

    async def _give_sign(self) -> None:
        response = self._interaction.response
        if not response.is_done():
            try:
                await response.defer(thinking=True)
            except discord.HTTPException as error:
                if error.code != _HAS_SIGN:  # of ours, whose answer was lost, or of somebody who was quicker
                    raise
            else:
                self._is_owed = True
                return
        self._is_ephemeral = await self._was_ephemeral()

    async def settle(self) -> None:
        """Take our first sign back if nothing came of it: nobody shall wait for an answer that does not come."""
        if not self._is_owed:
            return
        self._is_owed = False
        try:
            async with asyncio.timeout(_TAKING_BACK_TAKES):
                await self._interaction.delete_original_response()
        except BaseException as error:
            if must_rise(error):
                raise
            logger.debug("people still see that there will be an answer (%s)", type(error).__name__)

    async def _was_ephemeral(self) -> bool:
        """Whether only one person sees what was answered so far: then nobody else sees the rest."""
        try:
            return (await self._interaction.original_response()).flags.ephemeral
        except discord.NotFound:
            return False

    # --- sending -------------------------------------------------------------------------

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as a follow-up; one that has arrived under its nonce is not sent again."""
        await self.open()
        arrived = self._sent.get(message.nonce) or await self._read_back(channel, message)
        if arrived is None:
            arrived = await self._follow_up(channel, message)
        if message.nonce:
            self._sent[message.nonce] = arrived
        return arrived

    async def _follow_up(self, channel: str, message: Outgoing) -> Sent:
        try:
            sent = await self._api.follow_up(
                self._interaction, message, channel=channel, is_ephemeral=self._is_ephemeral
            )
        except ApiError as error:
            self._is_owed = self._is_owed and not error.is_ambiguous
            if error.code in _GONE and not self._is_ephemeral:
                return await self._api.send(channel, message)  # too late for an answer, but not for a message
            if error.is_ambiguous:
                self._doubtful.add(message.nonce)
            raise
        self._is_owed = False
        return sent

    async def _read_back(self, channel: str, message: Outgoing) -> Sent | None:
        """The follow-up with *message*, if it was sent before and nobody said that it arrived."""
        if message.nonce not in self._doubtful:
            return None
        if self._is_ephemeral:
            msg = "it is not known whether the answer arrived, and what one person sees cannot be read back."
            raise ApiError(msg)
        application = str(self._interaction.application_id)
        taken = {sent.message for sent in self._sent.values()}
        for seen in reversed(await self._api.recent(channel, after=str(self._interaction.id))):
            is_ours = seen.webhook == application and seen.content.strip() == message.content.strip()
            if is_ours and seen.message not in taken and len(seen.files) == len(message.files):
                return Sent(seen.message, channel, seen.webhook)
        self._doubtful.discard(message.nonce)
        return None

    async def typing(self, channel: str, /) -> None:  # noqa: ARG002  # there is but one place to answer in
        """Show that there will be an answer, as Discord does after the first sign."""
        await self.open()

    async def delete(self, channel: str, message: str, /) -> None:  # noqa: ARG002  # likewise
        """Take a follow-up back."""
        await self._api.take_back_follow_up(self._interaction, message)

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Take follow-ups back, one by one."""
        for message in messages:
            await self.delete(channel, message)

    # --- what is known ----------------------------------------------------------------------

    @property
    def user(self) -> str:
        """Our own id."""
        return self._api.user

    def known(self, channel: str, /) -> Place:
        """The place of the interaction: one without webhooks, for a follow-up cannot be said under another name."""
        guild, known = self._interaction.guild_id, self._api.known(channel)
        return Place(
            channel,
            PlaceKind.DIRECT,
            guild=None if guild is None else str(guild),
            last_message=None if known is None else known.last_message,
            file_limit=self._interaction.filesize_limit,
        )

    async def find(self, channel: str, /) -> Place:
        """The same."""
        return self.known(channel)

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:  # noqa: ARG002  # see above
        """How many more follow-ups there can be at present."""
        return self._api.follow_up_bucket(self._interaction)

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*, if we may read there."""
        return await self._api.recent(channel, after=after, limit=limit)

    # --- webhooks: not for what is sent here, but for what was sent before -----------------------

    async def send_as(
        self, webhook: Webhook, face: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*."""
        return await self._api.send_as(webhook, face, message, thread=thread)

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Take a message of *webhook* back."""
        await self._api.delete_as(webhook, message, thread=thread)

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel*."""
        return await self._api.webhooks(channel)

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token."""
        return await self._api.webhook(id_, token)

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Make a webhook."""
        return await self._api.create_webhook(channel, name)

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Store *image* in *webhook*."""
        await self._api.set_avatar(webhook, image, patience=patience)


def _in_words(refusal: ApiError) -> ApiError:
    """*refusal* of a first sign, so that a reader knows what to do about the one that is met most."""
    if refusal.code != _TOO_LATE:
        return refusal
    msg = "This interaction is over, for Discord waits three seconds for a first sign; speak or defer sooner."
    return ApiError(msg, status=refusal.status, code=refusal.code)
