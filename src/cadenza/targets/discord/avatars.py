"""Which face a webhook shows with a message.

An address travels with each message. A picture that only we have (a data URI) does not: it has to be stored in the
webhook, which all speakers of a channel share, and Discord takes very few changes of it. So a picture is stored only if
another one is there, nothing is said through the webhook between storing it and sending under it, and if storing would
take long, a persona may wear the face in which it was seen last. The words are never lost for want of a face.
"""

from __future__ import annotations

import asyncio
import logging
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum, auto
from hashlib import sha256
from types import MappingProxyType
from typing import TypeAlias, assert_never
from urllib.parse import unquote_to_bytes, urlsplit
from weakref import WeakValueDictionary

from ...text.units import WHITESPACE
from ...text.usernames import as_username
from ...types import Identity
from .api import ApiError, Outgoing, Place, Sent, Webhook, WebhookIdentity
from .cancellable_waits import CancellableWaits
from .own_webhook_events import OwnWebhookEvents
from .paced import PacedApi

logger = logging.getLogger(__name__)

_PATIENCE = 5.0
"""Seconds that a face may take before another one will do."""
_LONG_PATIENCE = 75.0
"""Seconds that it may take where no other one will do: Discord lets a webhook be changed again after a minute."""
_LARGEST = 10 * 2**20
"""Bytes of a picture."""
_REMEMBERED = 600.0
"""Seconds for which it counts how somebody was seen last."""
_MOST = 2000
"""How many channels that is remembered of, and how many pictures that Discord does not take."""
LOST = frozenset({10015, 50027})
"""What Discord says of a webhook that is gone, or whose token is."""


# --- who speaks -----------------------------------------------------------------------------


class SpeakerKind(Enum):
    """As what somebody speaks."""

    APPEARANCE = auto()
    """As themselves, in whichever look."""
    IDENTITY_SPRITE = auto()
    """As somebody of their own whom a persona brings along."""
    COPIED = auto()
    """As somebody else who is there."""


@dataclass(frozen=True, slots=True)
class SpokenBy:
    """Whose words a message holds, whatever name they stand under."""

    persona: str | None = None
    """What tells the persona from others, such as its id; ``None`` if nobody knows."""
    kind: SpeakerKind = SpeakerKind.APPEARANCE


# --- faces ----------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Link:
    """A face that everybody can fetch."""

    url: str


@dataclass(frozen=True, slots=True)
class AvatarImage:
    """A face that only we have."""

    mark: str
    """What tells it from other pictures."""
    data: bytes = field(repr=False, compare=False)


class Stored(Enum):
    """What a webhook holds, if it is no picture of ours."""

    NOTHING = auto()
    UNKNOWN = auto()


Held: TypeAlias = str | Stored
"""What a webhook holds: the mark of a picture, or what is known instead."""


def avatar(text: str | None) -> Link | AvatarImage | None:
    """The face that *text* means; ``None`` if Discord could show nothing of the kind, such as a file's path."""
    text = (text or "").strip(WHITESPACE)
    if text[:5].lower() == "data:":
        return _picture(text[5:])
    return _link(text)


def _link(text: str) -> Link | None:
    try:
        scheme, host = urlsplit(text).scheme, urlsplit(text).hostname
    except ValueError:  # brackets that hold no address
        return None
    if scheme not in ("http", "https") or not host or any(letter.isspace() for letter in text):
        return None
    return Link(scheme + text[len(scheme) :])  # Discord takes it in small letters only


def _picture(text: str) -> AvatarImage | None:
    """What a data URI holds, without its scheme, if that is a picture."""
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


# --- another face instead -------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Delivery:
    """How somebody was seen last in a channel."""

    speaker: SpokenBy
    face: Link | str | None
    """An address, the mark of a picture that was stored, or neither."""
    is_bot: bool = False
    """Whether it was the bot's own message, with the bot's own face."""


class LastDelivery(Enum):
    """What was delivered to a channel last, seen from who speaks now."""

    NOTHING = auto()
    """Nothing, or too long ago."""
    OTHERS = auto()
    """Somebody else, or the same one as somebody else; or who speaks now is nobody in particular."""
    BOT = auto()
    """The same persona, as the bot, whose face has an address."""
    FACELESS = auto()
    """The same persona, with a face that cannot be shown again because nothing is known of it."""
    STORED = auto()
    """The same persona, with the picture that the webhook still holds."""
    REPLACED = auto()
    """The same persona, with a picture that the webhook held."""
    LINKED = auto()
    """The same persona, with a face that has an address."""


class Instead(Enum):
    """What is done about a face that would take long."""

    WAIT = auto()
    BOT_AVATAR = auto()
    STORED_AVATAR = auto()
    PREVIOUS_URL = auto()


INSTEAD: Mapping[LastDelivery, Instead] = MappingProxyType(
    {
        LastDelivery.NOTHING: Instead.WAIT,
        LastDelivery.OTHERS: Instead.WAIT,
        LastDelivery.BOT: Instead.BOT_AVATAR,
        LastDelivery.FACELESS: Instead.WAIT,
        LastDelivery.STORED: Instead.STORED_AVATAR,
        LastDelivery.REPLACED: Instead.WAIT,
        LastDelivery.LINKED: Instead.PREVIOUS_URL,
    }
)
"""A persona may be seen as it was seen last, and nobody as somebody else."""


def past(speaker: SpokenBy, last: Delivery | None, held: Held) -> LastDelivery:
    """What *last* is to *speaker*, when the webhook holds *held*."""
    if last is None:
        return LastDelivery.NOTHING
    if speaker.persona is None or speaker.kind is not SpeakerKind.APPEARANCE or speaker != last.speaker:
        return LastDelivery.OTHERS
    match last.face:
        case Link():
            return LastDelivery.BOT if last.is_bot else LastDelivery.LINKED
        case str():
            return LastDelivery.STORED if last.face == held else LastDelivery.REPLACED
        case None:
            return LastDelivery.FACELESS
        case _:
            assert_never(last.face)


# --- sending --------------------------------------------------------------------------------


class _Storing(Enum):
    """What came of storing a picture."""

    DONE = auto()
    PUT_OFF = auto()
    """It would take too long, or Discord was not there for it."""
    REFUSED = auto()


class Avatars:
    """Sends through webhooks, each speaker under their own face. One for a bot: it knows what the webhooks hold."""

    def __init__(self, api: PacedApi, echoes: OwnWebhookEvents) -> None:
        self._api = api
        self._echoes = echoes
        self._held: dict[str, Held] = {}  # what is not in it is as the webhook said when it was looked up
        self._last: dict[str, tuple[float, Delivery]] = {}  # the one that was heard of longest ago is first
        self._refused: dict[str, None] = {}  # marks of pictures that Discord does not take, the oldest first
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
        haste: CancellableWaits,
    ) -> Sent:
        """Send *message* through *webhook* as *identity*; what Discord says against it is raised as it is."""
        face = avatar(identity.avatar)
        if isinstance(face, Link):
            return await self._sent(place, webhook, identity, message, Delivery(speaker, face), haste=haste)
        lock = self._locks.setdefault(webhook.id, asyncio.Lock())
        async with haste.patience():
            await lock.acquire()
        try:
            async with haste.patience():
                shown = await self._put_on(place, webhook, face, speaker)
            return await self._sent(place, webhook, identity, message, Delivery(speaker, shown), haste=haste)
        finally:
            lock.release()

    def note_bot(self, channel: str, speaker: SpokenBy, avatar_url: str | None) -> None:
        """The bot itself said something in *channel*, with its own face."""
        face = avatar(avatar_url)
        self._note(channel, Delivery(speaker, face if isinstance(face, Link) else None, is_bot=True))

    def last(self, channel: str) -> Delivery | None:
        """How somebody was seen last in *channel*; ``None`` if that is too long ago."""
        at, delivery = self._last.get(channel, (0.0, None))
        return delivery if delivery is not None and _now() - at <= _REMEMBERED else None

    def doubt(self, webhook: Webhook) -> None:
        """Somebody else may have changed what *webhook* holds."""
        self._held[webhook.id] = Stored.UNKNOWN

    def forget(self, webhook: Webhook) -> None:
        """*webhook* is gone; or it was looked up just now, and says itself whether it holds something."""
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
        delivery: Delivery,
        *,
        haste: CancellableWaits,
    ) -> Sent:
        url = delivery.face.url if isinstance(delivery.face, Link) else None
        face = WebhookIdentity(as_username(identity.name), url)
        sent = await self._api.in_haste(haste).send_as(webhook, face, message, thread=place.thread)
        self._note(place.channel, delivery)
        return sent

    async def _put_on(
        self, place: Place, webhook: Webhook, picture: AvatarImage | None, speaker: SpokenBy
    ) -> Link | str | None:
        """Let *webhook* hold *picture*, or no picture; give back what is shown, which may be another face instead."""
        if picture is not None and picture.mark in self._refused:
            picture = None
        done = await self._store(webhook, picture, _PATIENCE)
        if done is _Storing.PUT_OFF:
            last = self.last(place.channel)
            instead = INSTEAD[past(speaker, last, self._holds(webhook))]
            if instead is not Instead.WAIT and last is not None:
                logger.info("a face would take long to change; another is shown (%s)", instead.name.lower())
                return last.face
            done = await self._store(webhook, picture, _LONG_PATIENCE)
        if done is _Storing.REFUSED and picture is not None:
            self._refuse(picture)
            return await self._put_on(place, webhook, None, speaker)
        return picture.mark if picture is not None and done is _Storing.DONE else None

    async def _store(self, webhook: Webhook, picture: AvatarImage | None, patience: float) -> _Storing:
        """Store *picture* in *webhook*, unless it is there; only what the message would meet with too is raised."""
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
            if error.code in LOST or error.is_ban or error.status == 401:
                raise
            logger.info("a face was not changed: status %s, code %s", error.status, error.code)
            return _Storing.REFUSED if _is_refusal(error) else _Storing.PUT_OFF
        self._held[webhook.id] = wanted
        return _Storing.DONE

    def _holds(self, webhook: Webhook) -> Held:
        return self._held.get(webhook.id, Stored.UNKNOWN if webhook.has_avatar else Stored.NOTHING)

    def _refuse(self, picture: AvatarImage) -> None:
        logger.warning("Discord does not take a picture as a face, so it is left out; use a small PNG or JPEG")
        if len(self._refused) >= _MOST:
            del self._refused[next(iter(self._refused))]
        self._refused[picture.mark] = None

    def _note(self, channel: str, delivery: Delivery) -> None:
        now = _now()
        self._last.pop(channel, None)
        if len(self._last) >= _MOST:
            self._last = {place: last for place, last in self._last.items() if now - last[0] <= _REMEMBERED}
        if len(self._last) >= _MOST:
            del self._last[next(iter(self._last))]
        self._last[channel] = now, delivery


def _is_refusal(error: ApiError) -> bool:
    """Whether it is the picture that Discord does not like: it never will, however long one waits."""
    return error.status in (400, 413)


def _now() -> float:
    return asyncio.get_running_loop().time()
