"""What the Discord target needs of Discord, and no more.

Two things fulfil it: ``cadenza.targets.discord_py.api``, over discord.py, and ``cadenza.sim.memory_api``, over the simulated Discord in memory.
Ids are texts. Nothing is retried here: what to do after an error is decided in one table, by the target.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import NamedTuple, Protocol

from ...types import Attachment


class ApiError(Exception):
    """Discord refused something, or it is not known whether it heard. Its text is for operators, and has no secrets."""

    def __init__(
        self,
        message: str,
        *,
        status: int | None = None,
        code: int | None = None,
        fields: tuple[str, ...] = (),
        retry_after: float | None = None,
        is_ambiguous: bool = False,
        is_ban: bool = False,
    ) -> None:
        super().__init__(message)
        self.status = status
        """The HTTP status; ``None`` if there was no answer."""
        self.code = code
        """Discord's own code, such as 10003."""
        self.fields = fields
        """Which fields of the request it did not like (50035): ``content``, ``username``, ``message_reference`` …"""
        self.retry_after = retry_after
        """Seconds after which it may be tried again, where Discord says so."""
        self.is_ambiguous = is_ambiguous
        """Whether the request may have been carried out although nobody said so: a time-out, a line that broke, a 5xx."""
        self.is_ban = is_ban
        """Whether it is Cloudflare that refuses: a 429 without ``Via``, or with a page instead of JSON."""


class PlaceKind(Enum):
    """What sort of channel it is, as far as it matters for sending."""

    CHANNEL = auto()
    """A text, voice, stage or announcement channel of a server."""
    THREAD = auto()
    """A thread, or a post of a forum; its webhooks are its parent's."""
    FORUM = auto()
    """A forum itself: nothing can be said there but in a post."""
    DIRECT = auto()
    """Messages to a person: there are no webhooks."""


@dataclass(frozen=True, slots=True)
class Place:
    """A channel, as far as it is known."""

    channel: str
    kind: PlaceKind
    guild: str | None = None
    parent: str | None = None
    """The channel whose webhooks a thread uses."""
    last_message: str | None = None
    """The newest message that was seen there."""
    file_limit: int = 10 * 2**20
    """The largest file, in bytes."""

    @property
    def webhook_channel(self) -> str | None:
        """The channel that owns the webhooks for this place; ``None`` if there can be none."""
        return None if self.kind is PlaceKind.DIRECT else self.parent or self.channel

    @property
    def thread(self) -> str | None:
        """What a webhook has to be told to speak here."""
        return self.channel if self.kind is PlaceKind.THREAD else None


@dataclass(frozen=True, slots=True)
class Embed:
    """A box under a message; only what we ourselves write is in it."""

    description: str = ""
    title: str = ""
    url: str = ""
    author: str = ""
    author_url: str = ""
    author_icon: str = ""
    footer: str = ""
    colour: int | None = None
    at: float | None = None
    """A time that stands beside the footer, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Button:
    """Something to press under a message."""

    label: str
    id: str
    """What the interaction says was pressed."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message as Discord gets it. Whom it may call is named one by one; everybody and roles by default never are."""

    content: str = ""
    nonce: str = ""
    """Under the same one the same message is stored once; webhooks know none."""
    reply_to: str | None = None
    """In the same channel; if it does not exist any more, the message is a plain one."""
    users: tuple[str, ...] = ()
    """Ids of the people whom it may call."""
    roles: tuple[str, ...] = ()
    files: tuple[Attachment, ...] = ()
    embeds: tuple[Embed, ...] = ()
    buttons: tuple[Button, ...] = ()
    is_silent: bool = False
    """Whether nobody's phone rings."""
    has_previews: bool = True
    """Whether links in it unfold."""


@dataclass(frozen=True, slots=True)
class WebhookIdentity:
    """Under which name and face a webhook speaks; without an avatar it shows the webhook's own."""

    name: str
    avatar_url: str | None = None


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook that can be spoken through."""

    id: str
    token: str = field(repr=False)
    channel: str
    name: str = ""
    is_ours: bool = False
    """Whether our own application made it."""
    has_avatar: bool = False
    """Whether a picture is stored in it."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A message that Discord has."""

    message: str
    channel: str
    webhook: str | None = None
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Seen:
    """A message as it is read back."""

    message: str
    content: str
    author: str
    webhook: str | None = None
    nonce: str | None = None
    name: str = ""
    """The name it was sent under."""
    files: tuple[str, ...] = ()
    """The names of its files."""


class Bucket(NamedTuple):
    """How much Discord takes of a kind of request at present, by its own words."""

    limit: int
    left: int
    resets_in: float
    """Seconds until it takes *limit* again."""


class DiscordApi(Protocol):
    """Discord, as the target sees it. Every method that is awaited raises ``ApiError`` and nothing else."""

    @property
    def user(self) -> str:
        """Our own id."""

    def known(self, channel: str, /) -> Place | None:
        """What is known of *channel* without asking."""

    async def find(self, channel: str, /) -> Place:
        """What there is to know of *channel*, asked for if need be; a channel that is gone is a 10003."""

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:
        """How many messages *channel*, or *webhook*, takes at present; ``None`` if nothing is known yet."""

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as ourselves. It may take as long as a rate limit lasts."""

    async def send_as(
        self, webhook: Webhook, face: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*, which knows neither replies nor nonces."""

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel*, the oldest of them first; only those behind *after*."""

    async def delete(self, channel: str, message: str, /) -> None:
        """Take a message back."""

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Take 2 to 100 messages back that are not older than two weeks, at once."""

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Take a message of *webhook* back."""

    async def typing(self, channel: str, /) -> None:
        """Show that we are writing, for ten seconds or until we send."""

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel* that can be spoken through."""

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token, wherever it is now."""

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Make a webhook."""

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Store *image* in *webhook*, or no image; give up with an ``ApiError`` if it would take longer than *patience*."""
