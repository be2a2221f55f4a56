"""Which avatar a webhook shows with a message.

A URL is sent with each message. A picture that only we have (a data URI) has to be stored in the webhook, which all
speakers of a channel share, and Discord allows few changes of it. So a picture is stored only if another one is there,
nothing else is sent through the webhook between storing and sending, and if storing would take long, a persona may keep
the avatar it was last seen with. A message is never lost because of its avatar.
"""

from __future__ import annotations

import asyncio
from base64 import b64decode
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from hashlib import sha256
from types import MappingProxyType
from typing import TypeAlias, assert_never
from urllib.parse import unquote_to_bytes, urlsplit
from weakref import WeakValueDictionary

from ...explain.tracebacks import get_logger
from ...text.units import WHITESPACE
from ...text.usernames import as_username
from ...types import Identity
from .api import ApiError, DiscordApi, Outgoing, Place, Sent, Webhook, WebhookIdentity
from .cancellable_waits import CancellableWaits
from .own_webhook_events import OwnWebhookEvents
from .policies import Step, policy_for

logger = get_logger(__name__)

_PATIENCE = 5.0
"""Seconds to change an avatar before a substitute is used."""
_LONG_PATIENCE = 75.0
"""The same where there is no substitute: Discord lets a webhook be changed again after a minute."""
_LARGEST = 10 * 2**20
"""Bytes of the largest picture."""
_REMEMBERED = 600.0
"""Seconds for which the last avatar of a channel is remembered."""
_MOST = 2000
"""How many channels are remembered, and how many refused pictures."""
LOST = frozenset({10015, 50027})
"""Error codes for a webhook that is gone, or whose token is."""


# --- who speaks -----------------------------------------------------------------------------


class SpeakerKind(Enum):
    """As whom a persona speaks."""

    APPEARANCE = auto()
    """As itself, with any sprite."""
    IDENTITY_SPRITE = auto()
    """As a character of its own, with a name and a sprite."""
    COPIED = auto()
    """As another person of the channel."""


@dataclass(frozen=True, slots=True)
class SpokenBy:
    """Whose words a message holds, under any name."""

    persona: str | None = None
    """Identifies the persona, such as its id; ``None`` if unknown."""
    kind: SpeakerKind = SpeakerKind.APPEARANCE


# --- avatars --------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """An avatar at a public URL."""

    url: str


@dataclass(frozen=True, slots=True)
class AvatarImage:
    """An avatar that only we have."""

    mark: str
    """A hash that identifies it."""
    data: bytes = field(repr=False, compare=False)


class Stored(Enum):
    """What a webhook holds, if it is no picture of ours."""

    NOTHING = auto()
    UNKNOWN = auto()


Held: TypeAlias = str | Stored
"""What a webhook holds: the mark of a picture, or a ``Stored``."""


def avatar(text: str | None) -> Link | AvatarImage | None:
    """The avatar that *text* names; ``None`` if Discord cannot show it, as with a file path."""
    text = (text or "").strip(WHITESPACE)
    if text[:5].lower() == "data:":
        return _picture(text[5:])
    return _link(text)


def _link(text: str) -> Link | None:
    try:
        scheme, host = urlsplit(text).scheme, urlsplit(text).hostname
    except ValueError:  # brackets that hold no address
        return None
    if scheme not in ("http", "https") or not host or any(character.isspace() for character in text):
        return None
    return Link(scheme + text[len(scheme) :])  # Discord takes it in small letters only


def _picture(text: str) -> AvatarImage | None:
    """The picture of a data URI, given without its scheme."""
    head, _, body = text.partition(",")
    kind, *marks = head.lower().split(";")
    if not kind.startswith("image/") or len(body) > 3 * _LARGEST:  # a byte is three characters at most, %20
        return None
    try:
        data = unquote_to_bytes(body)
        data = b64decode(data) if "base64" in marks else data
    except ValueError:
        return None
    return AvatarImage(sha256(data).hexdigest(), data) if 0 < len(data) <= _LARGEST else None


# --- substitutes ----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class LastSeen:
    """The last speaker of a channel, and the avatar that was shown."""

    speaker: SpokenBy
    avatar: Link | str | None
    """A URL, the mark of a stored picture, or neither."""
    is_bot: bool = False
    """Whether it was the bot's own message, with the bot's own avatar."""


class LastDelivery(Enum):
    """How the last message of a channel relates to the present speaker."""

    NOTHING = auto()
    """There is none, or it is too old."""
    OTHERS = auto()
    """Another speaker, or the same persona as someone else; or the present speaker is unknown."""
    BOT = auto()
    """The same persona, sent as the bot, whose avatar has a URL."""
    UNKNOWN = auto()
    """The same persona, with an unknown avatar."""
    STORED = auto()
    """The same persona, with the picture that the webhook still holds."""
    REPLACED = auto()
    """The same persona, with a picture that the webhook no longer holds."""
    LINKED = auto()
    """The same persona, with an avatar at a URL."""


class Instead(Enum):
    """What is done if an avatar would take long to change."""

    WAIT = auto()
    BOT_AVATAR = auto()
    STORED_AVATAR = auto()
    PREVIOUS_URL = auto()


INSTEAD: Mapping[LastDelivery, Instead] = MappingProxyType(
    {
        LastDelivery.NOTHING: Instead.WAIT,
        LastDelivery.OTHERS: Instead.WAIT,
        LastDelivery.BOT: Instead.BOT_AVATAR,
        LastDelivery.UNKNOWN: Instead.WAIT,
        LastDelivery.STORED: Instead.STORED_AVATAR,
        LastDelivery.REPLACED: Instead.WAIT,
        LastDelivery.LINKED: Instead.PREVIOUS_URL,
    }
)
"""A persona may keep its own last avatar, and never gets another speaker's."""


def past(speaker: SpokenBy, last: LastSeen | None, held: Held) -> LastDelivery:
    """How *last* relates to *speaker* while the webhook holds *held*."""
    if last is None:
        return LastDelivery.NOTHING
    if speaker.persona is None or speaker.kind is not SpeakerKind.APPEARANCE or speaker != last.speaker:
        return LastDelivery.OTHERS
    match last.avatar:
        case Link():
            return LastDelivery.BOT if last.is_bot else LastDelivery.LINKED
        case str():
            return LastDelivery.STORED if last.avatar == held else LastDelivery.REPLACED
        case None:
            return LastDelivery.UNKNOWN
        case _:
            assert_never(last.avatar)


# --- sending --------------------------------------------------------------------------------


class _Storing(Enum):
    """The result of storing a picture."""

    DONE = auto()
    PUT_OFF = auto()
    """It would take too long, or Discord failed."""
    REFUSED = auto()


class Avatars:
    """Sends through webhooks, each speaker with its own avatar. One for each bot: it tracks what the webhooks hold."""

    def __init__(
        self, api: DiscordApi, echoes: OwnWebhookEvents, *, in_haste: Callable[[CancellableWaits], DiscordApi]
    ) -> None:
        """*in_haste* returns *api* for a message that need not be sent."""
        self._api = api
        self._in_haste = in_haste
        self._echoes = echoes
        self._held: dict[str, Held] = {}  # for any other webhook, what it said when it was looked up
        self._last: dict[str, tuple[float, LastSeen]] = {}  # the oldest first
        self._refused: dict[str, None] = {}  # marks of pictures that Discord refused, the oldest first
        self._locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()

    async def send(
        self,
        place: Place,
        webhook: Webhook,
        identity: Identity,
        message: Outgoing,
        /,
        *,
        speaker: SpokenBy,
        waits: CancellableWaits,
    ) -> Sent:
        """Send *message* through *webhook* as *identity*; raises Discord's ``ApiError`` unchanged."""
        picture = avatar(identity.avatar)
        if isinstance(picture, Link):
            return await self._sent(place, webhook, identity, message, LastSeen(speaker, picture), waits=waits)
        lock = self._locks.setdefault(webhook.id, asyncio.Lock())
        async with waits.patience():
            await lock.acquire()
        try:
            async with waits.patience():
                shown = await self._put_on(place, webhook, picture, speaker)
            return await self._sent(place, webhook, identity, message, LastSeen(speaker, shown), waits=waits)
        finally:
            lock.release()

    def note_bot(self, channel: str, speaker: SpokenBy, avatar_url: str | None) -> None:
        """Note that the bot itself spoke in *channel*, with its own avatar."""
        picture = avatar(avatar_url)
        self._note(channel, LastSeen(speaker, picture if isinstance(picture, Link) else None, is_bot=True))

    def last(self, channel: str) -> LastSeen | None:
        """The last speaker of *channel* and its avatar; ``None`` if that is too old."""
        at, seen = self._last.get(channel, (0.0, None))
        return seen if seen is not None and _now() - at <= _REMEMBERED else None

    def doubt(self, webhook: Webhook) -> None:
        """Note that another client may have changed what *webhook* holds."""
        self._held[webhook.id] = Stored.UNKNOWN

    def forget(self, webhook: Webhook) -> None:
        """Drop what is known of *webhook*: it is gone, or was just looked up and says itself whether it has an avatar."""
        self._held.pop(webhook.id, None)

    def forget_channel(self, channel: str) -> None:
        """*channel* is gone."""
        self._last.pop(channel, None)

    async def _sent(
        self,
        place: Place,
        webhook: Webhook,
        identity: Identity,
        message: Outgoing,
        seen: LastSeen,
        *,
        waits: CancellableWaits,
    ) -> Sent:
        url = seen.avatar.url if isinstance(seen.avatar, Link) else None
        shown = WebhookIdentity(as_username(identity.name), url)
        sent = await self._in_haste(waits).send_as(webhook, shown, message, thread=place.thread)
        self._note(place.channel, seen)
        return sent

    async def _put_on(
        self, place: Place, webhook: Webhook, picture: AvatarImage | None, speaker: SpokenBy
    ) -> Link | str | None:
        """Store *picture*, or no picture, in *webhook*; returns what is shown, which may be a substitute."""
        if picture is not None and picture.mark in self._refused:
            picture = None
        done = await self._store(webhook, picture, _PATIENCE)
        if done is _Storing.PUT_OFF:
            last = self.last(place.channel)
            instead = INSTEAD[past(speaker, last, self._holds(webhook))]
            if instead is not Instead.WAIT and last is not None:
                logger.info("an avatar would take long to change; a substitute is shown (%s)", instead.name.lower())
                return last.avatar
            done = await self._store(webhook, picture, _LONG_PATIENCE)
        if done is _Storing.REFUSED and picture is not None:
            self._refuse(picture)
            return await self._put_on(place, webhook, None, speaker)
        return picture.mark if picture is not None and done is _Storing.DONE else None

    async def _store(self, webhook: Webhook, picture: AvatarImage | None, patience: float) -> _Storing:
        """Store *picture* in *webhook*, unless it is there; raises only errors that the message would meet too."""
        wanted, before = Stored.NOTHING if picture is None else picture.mark, self._holds(webhook)
        if before == wanted:
            return _Storing.DONE
        self._held[webhook.id] = Stored.UNKNOWN  # until it is known what became of it
        try:
            with self._echoes.expected(webhook.channel):
                await self._api.set_avatar(webhook, picture.data if picture else None, patience=patience)
        except ApiError as error:
            if not error.is_ambiguous:
                self._held[webhook.id] = before
            if error.code in LOST or policy_for(error).step is Step.COOLDOWN:
                raise
            logger.info("an avatar was not changed: status %s, code %s", error.status, error.code)
            return _Storing.REFUSED if _is_refusal(error) else _Storing.PUT_OFF
        self._held[webhook.id] = wanted
        return _Storing.DONE

    def _holds(self, webhook: Webhook) -> Held:
        return self._held.get(webhook.id, Stored.UNKNOWN if webhook.has_avatar else Stored.NOTHING)

    def _refuse(self, picture: AvatarImage) -> None:
        logger.warning("Discord refuses a picture as an avatar, so it is left out; use a small PNG or JPEG")
        if len(self._refused) >= _MOST:
            del self._refused[next(iter(self._refused))]
        self._refused[picture.mark] = None

    def _note(self, channel: str, seen: LastSeen) -> None:
        now = _now()
        self._last.pop(channel, None)
        if len(self._last) >= _MOST:
            self._last = {place: last for place, last in self._last.items() if now - last[0] <= _REMEMBERED}
        if len(self._last) >= _MOST:
            del self._last[next(iter(self._last))]
        self._last[channel] = now, seen


def _is_refusal(error: ApiError) -> bool:
    """Whether Discord refuses the picture itself: waiting does not help."""
    return error.status in (400, 413)


def _now() -> float:
    return asyncio.get_running_loop().time()
