"""The webhooks of personas: one for each channel, found or created when it is needed.

A webhook is searched for in the cache, then in the store, then in the channel; if there is none, it is created. The
cache is trusted until the gateway or a refused message says otherwise.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple, Protocol
from weakref import WeakValueDictionary

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...types import Identity
from .api import ApiError, DiscordApi, Outgoing, Place, PlaceKind, Sent, Webhook
from .avatars import LOST, Avatars, SpeakerKind, SpokenBy
from .cancellable_waits import CancellableWaits
from .own_webhook_events import OwnWebhookEvents
from .policies import Step, policy_for
from .throttle import PacedApi, Throttle

__all__ = ["NAME", "Lack", "MemoryWebhookStore", "NoWebhook", "SpeakerKind", "SpokenBy", "WebhookStore", "Webhooks"]

logger = get_logger(__name__)

NAME = "Cadenza personas"
"""The name of our webhooks."""
_REFUSED_LASTS = 900.0
"""Seconds for which a channel that has no webhook for us is not asked again."""
_FAILED_LASTS = 30.0
"""The same after a temporary failure of Discord."""
_SEARCH_TAKES = 30.0
"""Timeout of a search, in seconds; then the bot itself speaks. Some rate limits of Discord last for hours."""
_STORE_TAKES = 5.0
"""Timeout of the store, in seconds."""
_STORE_RESTS = 60.0
"""Seconds for which the store is not asked after a timeout."""
_MOST = 10_000
"""How many channels are remembered."""


class Lack(StrEnum):
    """Why a channel has no webhook for us."""

    MISSING_PERMISSIONS = "missing_permissions"
    MAX_WEBHOOKS = "max_webhooks"
    """The channel or its guild has as many as Discord allows."""
    UNSUPPORTED = "unsupported"
    """Such a channel has no webhooks."""
    UNKNOWN = "unknown"


_LACKS: Mapping[int | None, Lack] = MappingProxyType(
    {50013: Lack.MISSING_PERMISSIONS, 30007: Lack.MAX_WEBHOOKS, 30058: Lack.MAX_WEBHOOKS}
)
_ADVICE: Mapping[Lack, str] = MappingProxyType(
    {
        Lack.MISSING_PERMISSIONS: "the bot may not manage webhooks in this channel; give it the permission",
        Lack.MAX_WEBHOOKS: "the channel has as many webhooks as Discord allows; remove one that nobody needs",
        Lack.UNSUPPORTED: "there are no webhooks in such a place; personas speak there as the bot",
        Lack.UNKNOWN: "Discord gave no webhook for this channel; it is asked again later",
    }
)


class NoWebhook(Exception):  # noqa: N818  # it is an answer: the message can still be sent as the bot
    """A place has no webhook for us."""

    def __init__(self, reason: Lack) -> None:
        super().__init__(_ADVICE[reason])
        self.reason = reason


class WebhookStore(Protocol):
    """Keeps webhooks across a restart. A token is a secret: a store on disk encrypts it."""

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        """The id and the token of the webhook of *channel*; ``None`` if there is none or it cannot be read."""

    async def save(self, channel: str, id_: str, token: str, /) -> None:
        """Keep the webhook of *channel* in place of an earlier one."""

    async def forget(self, channel: str, /) -> None:
        """Drop the webhook of *channel*."""


class MemoryWebhookStore:
    """Keeps webhooks while the process runs."""

    def __init__(self) -> None:
        self._kept: dict[str, tuple[str, str]] = {}

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        """The id and the token of the webhook of *channel*."""
        return self._kept.get(channel)

    async def save(self, channel: str, id_: str, token: str, /) -> None:
        """Keep the webhook of *channel*."""
        self._kept[channel] = id_, token

    async def forget(self, channel: str, /) -> None:
        """Drop the webhook of *channel*."""
        self._kept.pop(channel, None)


class _Refusal(NamedTuple):
    """Why a channel has no webhook for us, and until when it is not asked again."""

    reason: Lack
    until: float


class Webhooks:
    """Finds the webhook of a channel and sends through it. One for each bot."""

    def __init__(self, api: DiscordApi, store: WebhookStore | None = None, *, throttle: Throttle | None = None) -> None:
        self.throttle = throttle or Throttle()
        """The bot's global rate limit."""
        self._api = api = PacedApi(api, self.throttle)
        self._store = MemoryWebhookStore() if store is None else store
        self._echoes = OwnWebhookEvents()
        self._avatars = Avatars(api, self._echoes, in_haste=api.in_haste)
        self._known: dict[str, Webhook] = {}
        self._refusals: dict[str, _Refusal] = {}
        self._owed: dict[str, None] = {}  # channels that the store is still to forget, the oldest first
        self._store_rests_until = 0.0  # for so long it is not asked, because it did not answer
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def get(self, place: Place, /) -> Webhook:
        """The webhook for personas in *place*; raises ``NoWebhook``. Concurrent calls share one search.

        During a cooldown of the bot it raises ``ApiError``: that says nothing about the channel.
        """
        channel = place.webhook_channel
        if channel is None or place.kind is PlaceKind.FORUM:
            raise NoWebhook(Lack.UNSUPPORTED)
        if known := self._remembered(channel):
            return known
        async with self._locks.setdefault(channel, asyncio.Lock()):
            return self._remembered(channel) or await self._looked_up(channel)  # somebody else may have asked meanwhile

    async def send(
        self,
        place: Place,
        webhook: Webhook,
        identity: Identity,
        message: Outgoing,
        /,
        *,
        speaker: SpokenBy,
        waits: CancellableWaits | None = None,
    ) -> Sent:
        """Send *message* through *webhook* under the name and avatar of *identity*; raises ``ApiError``.

        If *waits* is wanted while it waits for an avatar, nothing is sent and it raises ``Hurried``. A webhook that turns
        out to be gone is dropped: ``get`` finds or creates another.
        """
        try:
            return await self._avatars.send(
                place, webhook, identity, message, speaker=speaker, waits=waits or CancellableWaits()
            )
        except ApiError as error:
            if error.code in LOST and _is_same(self._known.get(webhook.channel), webhook):
                self.invalidate(webhook.channel)  # unless another was found meanwhile
            raise

    def note_bot(self, channel: str, speaker: SpokenBy, /, *, avatar_url: str | None = None) -> None:
        """Note that the bot itself spoke in *channel*, with the avatar at *avatar_url*."""
        self._avatars.note_bot(channel, speaker, avatar_url)

    def invalidate(self, channel: str, /) -> None:
        """Forget the webhook of *channel*, or that there was none; the next ``get`` searches again."""
        self._refusals.pop(channel, None)
        if known := self._known.pop(channel, None):
            self._avatars.forget(known)
        self._owed[channel] = None
        if len(self._owed) > _MOST:  # what the store still has is checked before it is used
            del self._owed[next(iter(self._owed))]

    def changed(self, channel: str, /) -> None:
        """The webhooks of *channel* changed (``WEBHOOKS_UPDATE``): the next ``get`` checks whether ours is still there."""
        if self._echoes.heard(channel):
            return
        if known := self._known.pop(channel, None):
            self._avatars.doubt(known)
        refusal = self._refusals.get(channel)
        if refusal and refusal.reason is not Lack.MISSING_PERMISSIONS:  # there may be room now
            del self._refusals[channel]

    def gone(self, channel: str, /) -> None:
        """*channel* was deleted, or the bot lost access to it."""
        self.invalidate(channel)
        self._avatars.forget_channel(channel)

    async def settle(self) -> None:
        """Drop webhooks that are gone from the store. Every search does this; call it before the process ends too."""
        while self._owed and _now() >= self._store_rests_until:
            channel = next(iter(self._owed))
            del self._owed[channel]
            await self._kept(self._store.forget, channel)

    # --- searching --------------------------------------------------------------------------

    def _remembered(self, channel: str) -> Webhook | None:
        refusal = self._refusals.get(channel)
        if refusal and refusal.until > _now():
            raise NoWebhook(refusal.reason)
        return self._known.get(channel)

    async def _looked_up(self, channel: str) -> Webhook:
        await self.throttle.cooldown.pause()  # which is no part of the search
        try:
            async with asyncio.timeout(_SEARCH_TAKES):
                await self.settle()
                webhook = await self._restored(channel) or await self._found(channel)
        except ApiError as error:
            if policy_for(error).step is Step.COOLDOWN:
                raise
            raise self._lacking(channel, error) from error
        except TimeoutError:
            raise self._lacking(channel, ApiError("the search took too long", is_ambiguous=True)) from None
        self._known[channel] = webhook
        if len(self._known) > _MOST:  # the oldest is found again if it is needed
            self._avatars.forget(self._known.pop(next(iter(self._known))))
        self._avatars.forget(webhook)
        return webhook

    async def _restored(self, channel: str) -> Webhook | None:
        """The webhook that the store has for *channel*, if it is still there."""
        kept = await self._loaded(channel)
        if kept is None:
            return None
        try:
            webhook = await self._api.webhook(*kept)
        except ApiError as error:
            if error.code in LOST:
                await self._kept(self._store.forget, channel)
            return None  # its channel is unknown, so it cannot be used
        if webhook.channel == channel:
            return webhook
        await self._kept(self._store.forget, channel)
        return None

    async def _found(self, channel: str) -> Webhook:
        """Our webhook of *channel*, or a new one."""
        all_ = await self._api.webhooks(channel)
        ours = [webhook for webhook in all_ if webhook.name == NAME]  # the bot may have others, for other purposes
        if ours:
            webhook = max(ours, key=lambda webhook: webhook.is_ours)
        else:
            with self._echoes.expected(channel):
                webhook = await self._api.create_webhook(channel, NAME)
        await self._kept(self._store.save, channel, webhook.id, webhook.token)
        return webhook

    def _lacking(self, channel: str, error: ApiError) -> NoWebhook:
        """Remember that *channel* has no webhook for us."""
        reason = _LACKS.get(error.code, Lack.UNKNOWN)
        is_passing = error.is_ambiguous or error.status is None or error.status == 429 or error.status >= 500
        now = _now()
        self._refusals = {name: refusal for name, refusal in self._refusals.items() if refusal.until > now}
        self._refusals[channel] = _Refusal(reason, now + (_FAILED_LASTS if is_passing else _REFUSED_LASTS))
        level = logging.ERROR if reason is Lack.UNKNOWN and not is_passing else logging.WARNING
        logger.log(level, "%s (channel %s, status %s, code %s)", _ADVICE[reason], channel, error.status, error.code)
        return NoWebhook(reason)

    # --- the store, which is foreign --------------------------------------------------------

    async def _loaded(self, channel: str) -> tuple[str, str] | None:
        """The store's webhook of *channel*; one that it cannot read is dropped."""
        if _now() < self._store_rests_until:
            return None
        try:
            async with asyncio.timeout(_STORE_TAKES):
                return await self._store.load(channel)
        except BaseException as error:
            if must_rise(error):
                raise
            self._complain(error)
        await self._kept(self._store.forget, channel)
        return None

    async def _kept(self, change: Callable[..., Awaitable[None]], *what: str) -> None:
        """Change the store. It only helps the next process, so no message fails or waits long for it."""
        if _now() < self._store_rests_until:
            return
        try:
            async with asyncio.timeout(_STORE_TAKES):
                await change(*what)
        except BaseException as error:
            if must_rise(error):
                raise
            self._complain(error)

    def _complain(self, error: BaseException) -> None:
        """Log a failure of the store by its type alone: its text may hold a token, which no filter would know."""
        if isinstance(error, TimeoutError):
            self._store_rests_until = _now() + _STORE_RESTS
        name = type(error).__name__
        logger.warning("the store of webhooks failed (%s); webhooks are searched for in their channels", name)


def _is_same(known: Webhook | None, webhook: Webhook) -> bool:
    return known is not None and (known.id, known.token) == (webhook.id, webhook.token)


def _now() -> float:
    return asyncio.get_running_loop().time()
