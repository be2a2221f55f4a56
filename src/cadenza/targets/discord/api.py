"""What the Discord target needs of Discord, and no more.

Two things fulfil it: ``cadenza.targets.discord_py.api``, over discord.py, and ``cadenza.sim.memory_api``, over the simulated Discord in memory.
Ids are texts. Nothing is retried here: what to do after an error is decided in one table, by the target.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, auto
from typing import TYPE_CHECKING, NamedTuple, Protocol

from ...types import Attachment

if TYPE_CHECKING:
    from ..target import DiscordView


class ApiError(Exception):
    """A request was refused, or it is unknown whether it arrived. The text is for operators and holds no secrets."""

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
        """The invalid fields of the request (50035): ``content``, ``username``, ``message_reference`` …"""
        self.retry_after = retry_after
        """Seconds to wait before a retry, if Discord says so."""
        self.is_ambiguous = is_ambiguous
        """Whether the request may have succeeded without a confirmation: a timeout, a broken connection, a 5xx."""
        self.is_ban = is_ban
        """Whether Cloudflare blocks us: a 429 without ``Via``, or with a page instead of JSON."""


class PlaceKind(Enum):
    """The kind of a channel, as it matters for sending."""

    CHANNEL = auto()
    """A text, voice, stage or announcement channel of a guild."""
    THREAD = auto()
    """A thread, or a post of a forum; its webhooks are its parent's."""
    FORUM = auto()
    """A forum itself: messages go into its posts only."""
    DIRECT = auto()
    """Direct messages: without webhooks."""


@dataclass(frozen=True, slots=True)
class Place:
    """A channel."""

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
    """An embed; it holds only our own text."""

    description: str = ""
    title: str = ""
    url: str = ""
    author: str = ""
    author_url: str = ""
    author_icon: str = ""
    footer: str = ""
    colour: int | None = None
    at: float | None = None
    """A time beside the footer, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class Button:
    """A button under a message."""

    label: str
    id: str
    """The ``custom_id`` of its interaction."""


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One message as Discord gets it. It pings only the people and roles that are listed, and never everyone."""

    content: str = ""
    nonce: str = ""
    """Discord stores one message per nonce; webhooks have none."""
    reply_to: str | None = None
    """In the same channel; if it does not exist any more, the message is a plain one."""
    users: tuple[str, ...] = ()
    """Ids of the people it may ping."""
    roles: tuple[str, ...] = ()
    pings_author: bool = False
    """Whether it pings the person whose message it replies to."""
    files: tuple[Attachment, ...] = ()
    embeds: tuple[Embed, ...] = ()
    buttons: tuple[Button, ...] = ()
    is_silent: bool = False
    """Whether it is sent without a notification."""
    has_previews: bool = True
    """Whether links in it unfold."""
    view: DiscordView | None = None
    """What is shown under it; one with a layout is the whole message, which then has no content, files or embeds."""


@dataclass(frozen=True, slots=True)
class WebhookIdentity:
    """The name and avatar of a webhook message; without an avatar it shows the webhook's own."""

    name: str
    avatar_url: str | None = None


@dataclass(frozen=True, slots=True)
class Webhook:
    """A webhook that can send."""

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
    limited: int = 0
    """How often a rate limit refused it first, and it was sent again after a pause, if that is known."""
    is_answered: bool = True
    """Whether the request was answered; else it is known from an event alone, and a view of it does nothing yet."""


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
    """A rate limit bucket, as Discord reports it."""

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
        """*channel*, from the cache; ``None`` if it is not there."""

    async def find(self, channel: str, /) -> Place:
        """*channel*, by a request if need be; one that is gone is a 10003."""

    def bucket(self, channel: str, webhook: Webhook | None = None, /) -> Bucket | None:
        """The rate limit of *channel*, or *webhook*; ``None`` if it is not known yet."""

    async def send(self, channel: str, message: Outgoing, /) -> Sent:
        """Send *message* as ourselves. It may take as long as a rate limit lasts."""

    async def send_as(
        self, webhook: Webhook, identity: WebhookIdentity, message: Outgoing, /, *, thread: str | None = None
    ) -> Sent:
        """Send *message* through *webhook*, which knows neither replies nor nonces."""

    async def recent(self, channel: str, /, *, after: str | None = None, limit: int = 10) -> list[Seen]:
        """The newest messages of *channel* after *after*, the oldest first."""

    async def delete(self, channel: str, message: str, /) -> None:
        """Delete a message."""

    async def delete_many(self, channel: str, messages: tuple[str, ...], /) -> None:
        """Delete 2 to 100 messages at once; none may be older than two weeks."""

    async def delete_as(self, webhook: Webhook, message: str, /, *, thread: str | None = None) -> None:
        """Delete a message of *webhook*."""

    async def add_view(self, channel: str, message: str, view: DiscordView, /) -> None:
        """Show *view* under a message of ours, and hear what people press."""

    async def add_view_as(
        self, webhook: Webhook, message: str, view: DiscordView, /, *, thread: str | None = None
    ) -> None:
        """Show *view* under a message of *webhook*, and hear what people press."""

    async def typing(self, channel: str, /) -> None:
        """Show a typing indicator, for ten seconds or until we send."""

    async def webhooks(self, channel: str, /) -> list[Webhook]:
        """All webhooks of *channel* that can send."""

    async def webhook(self, id_: str, token: str, /) -> Webhook:
        """The webhook with this id and token, wherever it is now."""

    async def create_webhook(self, channel: str, name: str, /) -> Webhook:
        """Create a webhook."""

    async def set_avatar(self, webhook: Webhook, image: bytes | None, /, *, patience: float) -> None:
        """Store *image* in *webhook*, or no image; raises ``ApiError`` if it would take longer than *patience*."""
