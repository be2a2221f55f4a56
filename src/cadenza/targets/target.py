"""The seam to a chat: what a target must have, what it may have, how long its messages are and how it marks them up.

Pure: it names things and sends nothing. Everything before it works on Markdown as models write it and Discord shows it.
A chat with another markup gives its own ``Markup`` with its ``Limits``: messages are then measured as they will be
rendered, and each is rendered just before it is sent.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, Protocol, runtime_checkable

from ..errors import Sentence, SettingsError
from ..settings import DeliverySettings
from ..text.units import units
from ..types import Identity, Notice, Post, Receipt


class Markup(Protocol):
    """How a chat writes what Markdown means. ``cadenza.Marks`` is one that is given its marks.

    The methods are pure and must not raise. The first two are called often, for whole messages and for parts of them.
    """

    def rendered(self, text: str, /) -> str:
        """*text*, a whole message in Markdown, as the chat writes it."""

    def size(self, text: str, /) -> int:
        """How long *text* is once it is rendered, in the chat's own unit."""

    def notice(self, text: str, /) -> str:
        """A sentence that the bot itself says, as a message that looks different from a reply."""


class Markdown:
    """Markdown as Discord shows it, counted in UTF-16 units: nothing is rendered."""

    def rendered(self, text: str, /) -> str:
        """*text* itself."""
        return text

    size = staticmethod(units)
    """The UTF-16 units of a text."""

    def notice(self, text: str, /) -> str:
        """*text* in small print."""
        return f"-# {text}"


MARKDOWN: Markup = Markdown()


@dataclass(frozen=True, slots=True)
class Limits:
    """What a target can take."""

    length: int = 1950
    """The longest message, in the unit of its markup; at least 50. The default is Discord's 2000, with room to spare."""
    tables: bool = False
    """Whether it shows Markdown tables itself; then they arrive as they were written."""
    files: bool = False
    """Whether it takes files (``Post.attachment``); if not, tables arrive as text."""
    markup: Markup = MARKDOWN
    """How it writes bold, links and the rest."""

    def __post_init__(self) -> None:
        """Refuse a length in which no message could stand alone."""
        if self.length < 50:
            msg = Sentence("a target must take messages of at least 50 characters, not {length}", length=self.length)
            raise SettingsError(msg)


class Target(Protocol):
    """A place to deliver to."""

    @property
    def limits(self) -> Limits:
        """What it can take."""

    async def send(self, post: Post, /) -> Receipt:
        """Deliver *post* or raise a ``DeliveryError``.

        A send is never cancelled once it has started, so that it is always known what arrived. It must end by itself, in time.
        """

    async def typing(self, identity: Identity | None, /) -> None:
        """Show a typing indicator. May be called often, may do nothing, must not raise."""


@runtime_checkable
class SupportsNotify(Protocol):
    """A target with a place of its own for notices; any other is sent them as messages."""

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice*. It pings nobody, whatever it says."""


@runtime_checkable
class SupportsRemove(Protocol):
    """A target that can delete its messages."""

    async def remove(self, receipt: Receipt, /) -> None:
        """Delete the message of *receipt*, or raise a ``DeliveryError``."""


@runtime_checkable
class SupportsHurry(Protocol):
    """A target that may wait before it sends a message, and knows whether it has begun to."""

    def hurry(self) -> None:
        """End the reply soon: skip a message that only waits to be sent, as ``SKIPPED``. One being sent still arrives."""


@runtime_checkable
class SupportsConclude(Protocol):
    """A target that wants to know which message is the last of a reply, before it is sent."""

    async def conclude(self) -> None:
        """The next message is probably the last. The outbox waits for this call, so it should be short."""


@runtime_checkable
class GroupsByName(Protocol):
    """A target that shows neighbouring messages of one name under one avatar, as Discord does."""

    @property
    def channel(self) -> str:
        """The channel: messages are grouped within one."""

    @property
    def last_message_id(self) -> str | None:
        """The newest message there, of any author; ``None`` if unknown."""


@runtime_checkable
class SupportsPings(Protocol):
    """A target whose messages can ping people."""

    def allow_pings(self, settings: DeliverySettings, /) -> None:
        """Ping at most what *settings* allow from now on: ``mention_people``, ``mention_roles``, and never everyone.

        What else they say about messages holds too: ``mention_author``, ``silent``, ``suppress_embeds``, ``notices``.
        """


class DiscordView(Protocol):
    """Buttons, menus and more for people to press: a ``View`` or a ``LayoutView`` of discord.py."""

    def to_components(self) -> list[dict[str, Any]]:
        """Its parts, as Discord gets them."""

    def has_components_v2(self) -> bool:
        """Whether it has a layout of its own, which needs a message without text."""


@runtime_checkable
class SupportsView(Protocol):
    """A target that can show a view."""

    def has_view(self, view: DiscordView, /) -> None:
        """The reply has *view*: it can go with the last message, if that is known to be the last (``conclude``)."""

    async def show_view(self, view: DiscordView, receipt: Receipt, /) -> None:
        """Show *view* on the message of *receipt*, the last of a reply, or raise a ``DeliveryError``."""


class Allowance(NamedTuple):
    """The rate limit of a chat at present."""

    left: int
    """How many more messages it takes now."""
    limit: int
    """Of how many."""
    seconds: float
    """When it takes all of them again."""


@runtime_checkable
class SupportsAllowance(Protocol):
    """A target that knows its rate limit."""

    def allowance(self, identity: Identity | None, /) -> Allowance | None:
        """What it takes at present of *identity*; ``None`` if unknown. Asked before each message."""
