"""The global rate limit of a bot: Discord takes fifty requests a second over all channels, and refuses the rest.

Requests leave in the order in which they were made, so a busy channel delays another by one request at most.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from math import isfinite
from typing import TYPE_CHECKING

from ...errors import Sentence, SettingsError
from .api import Bucket, DiscordApi, Outgoing, Place, Seen, Sent, Webhook, WebhookIdentity
from .cancellable_waits import CancellableWaits
from .cooldown import Cooldown

if TYPE_CHECKING:
    from ..target import DiscordView

_LIMIT = 45
"""Of Discord's fifty; the rest is for requests that do not go through here."""
_SECONDS = 1.05
"""A little more than a second: requests may arrive closer together than they left."""


class Throttle:
    """Lets at most *limit* requests leave in any *seconds*. One for each bot; it has no task.

    A request gets its time as soon as it asks, and sleeps until then. It is a sliding window: each request leaves at
    least *seconds* after the one *limit* before it.
    """

    def __init__(self, *, limit: int = _LIMIT, seconds: float = _SECONDS) -> None:
        if limit < 1 or not (isfinite(seconds) and seconds > 0):
            msg = Sentence(
                "a bot makes at least one request in a while, not {limit} in {seconds} seconds",
                limit=limit,
                seconds=f"{seconds:g}",
            )
            raise SettingsError(msg)
        self._limit = limit
        self._seconds = seconds
        self.cooldown = Cooldown()
        """Whether Discord shuts the bot out."""
        self._times: deque[float] = deque()  # when recent requests left, or will leave; the earliest first

    @property
    def backlog(self) -> float:
        """Seconds that a request would wait now."""
        now = _now()
        return self._next(now) - now

    async def admit(self) -> None:
        """Wait until one more request may leave; then it counts as left."""
        now = _now()
        time = self._next(now)
        self._times.append(time)
        if time <= now:
            return
        try:
            await asyncio.sleep(time - now)
        except BaseException:
            self._times.remove(time)  # it never left, so the next need not wait for it
            raise

    def admit_courtesy(self) -> bool:
        """Whether an unimportant request may leave at once; if so, it counts as left. Half of the limit is kept free."""
        now = _now()
        if self._next(now) > now or len(self._times) >= self._limit // 2:
            return False
        self._times.append(now)
        return True

    def _next(self, now: float) -> float:
        """When the next request may leave: never before an earlier one."""
        while self._times and self._times[0] + self._seconds <= now:
            self._times.popleft()
        if len(self._times) < self._limit:
            return max(now, self._times[-1]) if self._times else now
        return max(now, self._times[-1], self._times[-self._limit] + self._seconds)


class PacedApi:
    """A ``DiscordApi`` whose requests wait for *throttle* and its cooldown. Typing indicators are dropped instead."""

    def __init__(self, api: DiscordApi, throttle: Throttle, waits: CancellableWaits | None = None) -> None:
        """If *waits* is wanted while a message waits, it is not sent and ``Hurried`` is raised."""
        self._api = api
        self._throttle = throttle
        self._waits = waits or CancellableWaits()

    def in_haste(self, waits: CancellableWaits) -> PacedApi:
        """The same, with another *waits*."""
        return PacedApi(self._api, self._throttle, waits)

    # --- without a request -------------------------------------------------------------------

    @property
    def user(self) -> str:
        """Our own id."""
        return self._api.user

    def known(self, channel: str, /) -> Place | None:
        """*channel*, from the cache."""
        return self._api.known(channel)

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:
        """How many messages *channel*, or *webhook*, takes at present."""
        return self._api.bucket(channel, webhook)

    # --- channels and messages ---------------------------------------------------------------

    async def find(self, channel: str, /) -> Place:
        """*channel*, by a request."""
        async with self._admitted():
            return await self._api.find(channel)

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as ourselves."""
        async with self._admitted(self._waits):
            return await self._api.send(channel, message)

    async def send_as(
        self, webhook: Webhook, identity: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*."""
        async with self._admitted(self._waits):
            return await self._api.send_as(webhook, identity, message, thread=thread)

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*."""
        async with self._admitted():
            return await self._api.recent(channel, after=after, limit=limit)

    async def delete(self, channel: str, message: str, /) -> None:
        """Delete a message."""
        async with self._admitted():
            await self._api.delete(channel, message)

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Delete many at once."""
        async with self._admitted():
            await self._api.delete_many(channel, messages)

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Delete a message of *webhook*."""
        async with self._admitted():
            await self._api.delete_as(webhook, message, thread=thread)

    async def add_view(self, channel: str, message: str, view: DiscordView, /) -> None:
        """Show *view* under a message of ours."""
        async with self._admitted():
            await self._api.add_view(channel, message, view)

    async def add_view_as(
        self, webhook: Webhook, message: str, view: DiscordView, /, *, thread: str | None = None
    ) -> None:
        """Show *view* under a message of *webhook*."""
        async with self._admitted():
            await self._api.add_view_as(webhook, message, view, thread=thread)

    async def typing(self, channel: str, /) -> None:
        """Show a typing indicator, if the limit is not near and Discord listens."""
        if self._throttle.cooldown.reason is None and self._throttle.admit_courtesy():
            async with self._throttle.cooldown.request():
                await self._api.typing(channel)

    # --- webhooks ------------------------------------------------------------------------------

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel* that can send."""
        async with self._admitted():
            return await self._api.webhooks(channel)

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token."""
        async with self._admitted():
            return await self._api.webhook(id_, token)

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Create a webhook."""
        async with self._admitted():
            return await self._api.create_webhook(channel, name)

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Store *image* in *webhook*, or no image."""
        async with self._admitted():
            await self._api.set_avatar(webhook, image, patience=patience)

    @asynccontextmanager
    async def _admitted(self, waits: CancellableWaits | None = None) -> AsyncIterator[None]:
        """Context of a request, which waits for its time; for no longer than *waits* allows."""
        waits = waits or CancellableWaits()
        async with self._throttle.cooldown.request(waits):
            async with waits.patience():
                await self._throttle.admit()
            yield


def _now() -> float:
    return asyncio.get_running_loop().time()
