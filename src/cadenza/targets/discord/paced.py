"""Discord, asked no oftener than it allows over all channels together."""

from __future__ import annotations

from .api import Bucket, DiscordApi, Outgoing, Place, Seen, Sent, Webhook, WebhookIdentity
from .cancellable_waits import CancellableWaits
from .throttle import Throttle


class PacedApi:
    """A ``DiscordApi`` whose requests wait until *throttle* lets them leave, in the order in which they were made.

    That somebody is writing is a courtesy: it is not shown when there is little room for messages.
    """

    def __init__(self, api: DiscordApi, throttle: Throttle, haste: CancellableWaits | None = None) -> None:
        """If *haste* is wanted while a message waits for its turn, ``Hurried`` is raised: it was not sent."""
        self._api = api
        self._throttle = throttle
        self._haste = haste or CancellableWaits()

    def in_haste(self, haste: CancellableWaits) -> PacedApi:
        """The same, for somebody who may be in *haste*."""
        return PacedApi(self._api, self._throttle, haste)

    # --- what costs no request ---------------------------------------------------------------

    @property
    def user(self) -> str:
        """Our own id."""
        return self._api.user

    def known(self, channel: str, /) -> Place | None:
        """What is known of *channel* without asking."""
        return self._api.known(channel)

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:
        """How many messages *channel*, or *webhook*, takes at present."""
        return self._api.bucket(channel, webhook)

    # --- channels and messages ---------------------------------------------------------------

    async def find(self, channel: str, /) -> Place:
        """What there is to know of *channel*."""
        await self._throttle.admit()
        return await self._api.find(channel)

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as ourselves."""
        async with self._haste.patience():
            await self._throttle.admit()
        return await self._api.send(channel, message)

    async def send_as(
        self, webhook: Webhook, face: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*."""
        async with self._haste.patience():
            await self._throttle.admit()
        return await self._api.send_as(webhook, face, message, thread=thread)

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*."""
        await self._throttle.admit()
        return await self._api.recent(channel, after=after, limit=limit)

    async def delete(self, channel: str, message: str, /) -> None:
        """Take a message back."""
        await self._throttle.admit()
        await self._api.delete(channel, message)

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Take many back at once."""
        await self._throttle.admit()
        await self._api.delete_many(channel, messages)

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Take a message of *webhook* back."""
        await self._throttle.admit()
        await self._api.delete_as(webhook, message, thread=thread)

    async def typing(self, channel: str, /) -> None:
        """Show that we are writing, if that takes nothing from anybody."""
        if self._throttle.admit_courtesy():
            await self._api.typing(channel)

    # --- webhooks ------------------------------------------------------------------------------

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel* that can be spoken through."""
        await self._throttle.admit()
        return await self._api.webhooks(channel)

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token."""
        await self._throttle.admit()
        return await self._api.webhook(id_, token)

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Make a webhook."""
        await self._throttle.admit()
        return await self._api.create_webhook(channel, name)

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Store *image* in *webhook*, or no image."""
        await self._throttle.admit()
        await self._api.set_avatar(webhook, image, patience=patience)
