"""How many requests a bot makes in a second, over all its channels: Discord takes fifty, and refuses the rest.

Whoever asks first goes first, so that a channel that says much delays no other for longer than one request of each.
"""

from __future__ import annotations

import asyncio
from collections import deque
from math import isfinite

from ..errors import SettingsError
from .api import Bucket, DiscordApi, Face, Outgoing, Place, Seen, Sent, Webhook
from .haste import Haste

_LIMIT = 45
"""Of Discord's fifty: the rest is left to what else the bot does, of which nothing is known here."""
_SECONDS = 1.05
"""A second, and a little more: requests take different times to get there, and may arrive closer together than they left."""


class Throttle:
    """Lets at most *limit* requests leave in any stretch of *seconds*. One for each bot; it holds no task.

    A request is told its time as soon as it asks, and waits for it. So there is no window whose edge two bursts could
    meet at: the request that leaves has always seen the one *limit* before it leave *seconds* ago.
    """

    def __init__(self, *, limit: int = _LIMIT, seconds: float = _SECONDS) -> None:
        if limit < 1 or not (isfinite(seconds) and seconds > 0):
            msg = f"a bot makes at least one request in a while, not {limit} in {seconds:g} seconds"
            raise SettingsError(msg)
        self._limit = limit
        self._seconds = seconds
        self._times: deque[float] = deque()  # when requests left of late, or will; the earliest is first

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
            self._times.remove(time)  # it never left: whoever comes next need not wait for it
            raise

    def admit_courtesy(self) -> bool:
        """Whether one more request may leave at once that nobody would miss: if so, it counts as left.

        It may as long as half of all are left for others.
        """
        now = _now()
        if self._next(now) > now or len(self._times) >= self._limit // 2:
            return False
        self._times.append(now)
        return True

    def _next(self, now: float) -> float:
        """When the next request may leave: not before those that asked earlier."""
        while self._times and self._times[0] + self._seconds <= now:
            self._times.popleft()
        if len(self._times) < self._limit:
            return max(now, self._times[-1]) if self._times else now
        return max(now, self._times[-1], self._times[-self._limit] + self._seconds)


class PacedApi:
    """A ``DiscordApi`` whose requests wait until *throttle* lets them leave, in the order in which they were made.

    That somebody is writing is a courtesy: it is not shown when there is little room for messages.
    """

    def __init__(self, api: DiscordApi, throttle: Throttle, haste: Haste | None = None) -> None:
        """If *haste* is wanted while a message waits for its turn, ``Hurried`` is raised: it was not sent."""
        self._api = api
        self._throttle = throttle
        self._haste = haste or Haste()

    def in_haste(self, haste: Haste) -> PacedApi:
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

    async def send_as(self, webhook: Webhook, face: Face, message: Outgoing, /, *, thread: str | None = None) -> Sent:
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


def _now() -> float:
    return asyncio.get_running_loop().time()
