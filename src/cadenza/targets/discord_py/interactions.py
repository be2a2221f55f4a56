"""Answers to an interaction: a slash command, a button, a form.

They are follow-ups. Discord waits three seconds for the acknowledgement and 15 minutes for the rest. Follow-ups have no
nonce, so we track which of them were confirmed.
"""

from __future__ import annotations

import asyncio
from typing import Any

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ..discord.api import ApiError, Bucket, Outgoing, Place, PlaceKind, Seen, Sent, Webhook, WebhookIdentity
from ..target import DiscordView
from .api import DiscordPyApi
from .translate_errors import as_api_error

logger = get_logger(__name__)

_GONE = (10015, 50027)
"""Error codes after the 15 minutes."""
_TOO_LATE = 10062
"""The error code after the three seconds."""
_HAS_SIGN = 40060
"""The error code of a second acknowledgement."""
_TAKING_BACK_TAKES = 5.0
"""Seconds that deleting an unused acknowledgement may take."""


class InteractionApi:
    """A ``DiscordApi`` for one interaction; messages are its follow-ups."""

    def __init__(self, api: DiscordPyApi, interaction: discord.Interaction[Any]) -> None:
        self._api = api
        self._interaction = interaction
        self._is_open = False
        self._is_ephemeral = False
        self._is_owed = False  # whether our acknowledgement still shows as pending
        self._sent: dict[str, Sent] = {}
        self._doubtful: set[str] = set()

    @property
    def is_ephemeral(self) -> bool:
        """Whether only the person who asked sees the follow-ups; known once it is open."""
        return self._is_ephemeral

    async def open(self) -> None:
        """Acknowledge the interaction, unless that is done: Discord shows it as pending."""
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
                    raise _in_words(refusal) from error
        self._is_open = True

    async def _give_sign(self) -> None:
        response = self._interaction.response
        if not response.is_done():
            try:
                await response.defer(thinking=True)
            except discord.HTTPException as error:
                if error.code != _HAS_SIGN:  # ours, whose answer was lost, or another handler's
                    raise
            else:
                self._is_owed = True
                return
        await self._look_at_the_first_answer()

    async def settle(self) -> None:
        """Delete our acknowledgement if no message followed, so that it does not show as pending."""
        if not self._is_owed:
            return
        self._is_owed = False
        try:
            async with asyncio.timeout(_TAKING_BACK_TAKES):
                await self._interaction.delete_original_response()
        except BaseException as error:
            if must_rise(error):
                raise
            logger.debug("unused acknowledgement could not be deleted", exc_info=error)

    async def _look_at_the_first_answer(self) -> None:
        """Learn from the first answer, which somebody else gave: whether all are ephemeral, and whether it is still owed."""
        try:
            flags = (await self._interaction.original_response()).flags
        except discord.NotFound:
            return
        self._is_ephemeral = flags.ephemeral
        self._is_owed = flags.loading  # deferred by the author, it shows as pending as ours would

    # --- sending -------------------------------------------------------------------------

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as a follow-up; one that was confirmed under its nonce is not sent again."""
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
                return await self._api.send(channel, message)  # too late for a follow-up, but not for a message
            if error.is_ambiguous:
                self._doubtful.add(message.nonce)
            raise
        self._is_owed = False
        return sent

    async def _read_back(self, channel: str, message: Outgoing) -> Sent | None:
        """The follow-up with *message*, if an earlier, unconfirmed try has sent it."""
        if message.nonce not in self._doubtful:
            return None
        if self._is_ephemeral:
            msg = "it is unknown whether the answer arrived, and ephemeral messages cannot be read back."
            raise ApiError(msg)
        application = str(self._interaction.application_id)
        taken = {sent.message for sent in self._sent.values()}
        for seen in reversed(await self._api.recent(channel, after=str(self._interaction.id))):
            is_ours = seen.webhook == application and seen.content.strip() == message.content.strip()
            if is_ours and seen.message not in taken and len(seen.files) == len(message.files):
                return Sent(seen.message, channel, seen.webhook)
        self._doubtful.discard(message.nonce)
        return None

    async def typing(self, channel: str, /) -> None:  # noqa: ARG002  # there is only one place
        """Do nothing: Discord shows the acknowledgement."""
        await self.open()

    async def delete(self, channel: str, message: str, /) -> None:  # noqa: ARG002  # as above
        """Delete a follow-up."""
        await self._api.delete_follow_up(self._interaction, message)

    async def add_view(self, channel: str, message: str, view: DiscordView, /) -> None:
        """Show *view* under a follow-up, or under a message that was sent too late for one."""
        if any(sent.message == message and sent.webhook is None for sent in self._sent.values()):
            await self._api.add_view(channel, message, view)
        else:
            await self._api.add_follow_up_view(self._interaction, message, view)

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Delete follow-ups, one by one."""
        for message in messages:
            await self.delete(channel, message)

    # --- what is known ----------------------------------------------------------------------

    @property
    def user(self) -> str:
        """Our own id."""
        return self._api.user

    def known(self, channel: str, /) -> Place:
        """The place of the interaction, without webhooks: a follow-up cannot have another name."""
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
        """The rate limit bucket of follow-ups."""
        return self._api.follow_up_bucket(self._interaction)

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*, if we may read there."""
        return await self._api.recent(channel, after=after, limit=limit)

    # --- webhooks: not for what is sent here, but for what was sent before -----------------------

    async def send_as(
        self, webhook: Webhook, identity: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*."""
        return await self._api.send_as(webhook, identity, message, thread=thread)

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Delete a message of *webhook*."""
        await self._api.delete_as(webhook, message, thread=thread)

    async def add_view_as(
        self, webhook: Webhook, message: str, view: DiscordView, /, *, thread: str | None = None
    ) -> None:
        """Show *view* under a message of *webhook*."""
        await self._api.add_view_as(webhook, message, view, thread=thread)

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel*."""
        return await self._api.webhooks(channel)

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token."""
        return await self._api.webhook(id_, token)

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Create a webhook."""
        return await self._api.create_webhook(channel, name)

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Set the avatar of *webhook*."""
        await self._api.set_avatar(webhook, image, patience=patience)


def _in_words(refusal: ApiError) -> ApiError:
    """*refusal* of an acknowledgement, with advice for the most common one."""
    if refusal.code != _TOO_LATE:
        return refusal
    msg = "This interaction has expired: Discord waits three seconds for an answer; answer or defer sooner."
    return ApiError(msg, status=refusal.status, code=refusal.code)
