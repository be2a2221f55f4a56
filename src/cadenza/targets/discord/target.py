"""Discord as a target: posts in, messages out, under the right name, in order and exactly once.

The courier sends one message and handles every error; the shared state holds what all targets of a bot share. Here is what
belongs to one turn: its messages, whom they ping, what they answer, and what is deleted with them.
"""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple

from ...concurrency.tasks import must_rise
from ...errors import DeliveryError, DeliveryKind
from ...explain.tracebacks import get_logger
from ...settings import DeliverySettings
from ...stages.s7_delivery import receipt_of
from ...stages.s7_files import file_in_words
from ...text import tables
from ...text.formulas import parse
from ...text.plain_table import as_columns, as_records
from ...text.readable_formulas import in_lines, in_table
from ...text.units import WHITESPACE
from ...types import Boundary, Identity, Notice, Post, Receipt, Roster, Urgency
from ..target import Allowance, DiscordView, Limits
from .api import ApiError, Button, DiscordApi, Embed, Outgoing, Place, PlaceKind, Webhook
from .cancellable_waits import CancellableWaits, Hurried
from .courier import Courier, Delivered, Delivery, without_files
from .labels import file_name
from .mentions import PingBudget
from .policies import LONGEST_WAIT, RETRY_DELAYS, Step, policy_for
from .shared import DiscordState
from .throttle import PacedApi
from .webhooks import NoWebhook, SpeakerKind, SpokenBy

__all__ = ["DiscordState", "DiscordTarget", "ReplyTarget"]

logger = get_logger(__name__)

LIMITS = Limits(length=1950, files=True)
"""Discord takes 2000 characters; 1950 UTF-16 units fit however it counts them."""
_ONE = Allowance(1, 1, 0.0)
"""One message, now."""
_COLOURS = {Urgency.INFO: 0x3498DB, Urgency.WARNING: 0xF1C40F, Urgency.ERROR: 0xE74C3C}
_COMPLAINT_TAKES = 10.0
"""Timeout, in seconds, of the notice that a name cannot be shown."""
_TYPING_SHOWS = 2.0
"""Seconds for which a typing indicator that others have shown is not renewed: it lasts ten, and is renewed after eight."""
_LONGEST_LINE, _LONGEST_BOX = 1900, 4000
"""Characters of a notice that are shown, as a line and in an embed."""


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    """The message that a turn answers. A webhook cannot reply to one, so an embed shows it."""

    message: str
    author_name: str
    author_icon: str = ""
    url: str = ""
    channel: str = ""
    """Its channel, if that may be another one: Discord cannot reply across channels."""


@dataclass(frozen=True, slots=True)
class _SentPost:
    """The messages in the channel that belong to one receipt."""

    messages: tuple[Delivered, ...]
    reply_embed: Delivered | None = None
    is_view_refused: bool = False
    """Whether Discord did not take the view that was sent with it."""


@dataclass(slots=True)
class _Question:
    """What the turn answers, and whether people have seen that."""

    target: ReplyTarget | None
    is_shown: bool = False
    owed: str | None = None
    """The message that the next one answers; kept if the one that should have was not sent."""

    def reply_to(self, channel: str) -> str | None:
        """The message that can be replied to in *channel*."""
        target = self.target
        is_elsewhere = target is not None and target.message == self.owed and target.channel not in ("", channel)
        return None if is_elsewhere else self.owed


@dataclass(slots=True)
class _View:
    """The view of the reply."""

    view: DiscordView
    is_due: bool = False
    """Whether it goes with the next message."""


class _Nonces:
    """Names for the messages of a turn. A message keeps its own however often it is sent."""

    def __init__(self, channel: str, turn: str) -> None:
        self._key = f"{channel}\0{turn}"
        self.count = 0

    def next(self) -> str:
        self.count += 1
        return blake2b(f"{self._key}\0{self.count}".encode(), digest_size=11).hexdigest()


class _Persona(NamedTuple):
    """Who speaks where a post does not say."""

    identity: Identity | None
    id: str | None


class _Spoken(NamedTuple):
    """How the last message of a persona was sent: through a webhook, or by the bot for it."""

    webhook: Webhook | None


class DiscordTarget:
    """A channel of Discord, for one turn.

    What a filter of the guild refuses is raised as a ``DeliveryError`` of the kind ``SKIPPED``: the outbox leaves the
    message out, tells people, and goes on. There is no receipt for it, so no transcript says that it arrived.
    """

    def __init__(
        self,
        api: DiscordApi,
        channel: str,
        *,
        shared: DiscordState,
        turn: str = "",
        persona: Identity | None = None,
        persona_id: str | None = None,
        is_strict: bool = False,
        roster: Roster | None = None,
        is_found: Callable[[str], bool] | None = None,
        reply_target: ReplyTarget | None = None,
        table_button: Button | None = None,
        reword: Callable[[Notice], Notice] = lambda notice: notice,
        on_last: Callable[[str], Awaitable[None]] | None = None,
        typing_since: float | None = None,
        complains: bool = True,
    ) -> None:
        """*turn* names the turn and must be unique; by default one is made up.

        *persona* is who speaks where a post does not say; by default the bot does. *persona_id* identifies the persona
        whatever its name; by default the name does. If *is_strict*, the bot never speaks for them.
        *roster* is who may be pinged; *is_found* says whether a tag belongs to someone who was looked up, and may be
        pinged too. The settings of the reply say how many (see ``allow_pings``). *reply_target* is shown before
        the first message of a webhook that answers it. *table_button* stands under each picture of a table.
        *reword* translates a notice before it is shown.
        *on_last* is called with the id of the message before the last one, empty if there is none, before that is sent.
        *typing_since* is when, on the loop's clock, others have shown a typing indicator here. If it *complains*, people
        are told why a persona is not shown under its own name; the log is told in any case.
        """
        waits = CancellableWaits()
        self._api = api = PacedApi(api, shared.throttle, waits)
        self._channel = channel
        self._shared = shared
        self._courier = Courier(api, shared, is_strict=is_strict, waits=waits)
        self._persona = _Persona(persona, persona_id or (None if persona is None else persona.name))
        self._mentions = PingBudget(roster, is_found=is_found)
        self._settings = DeliverySettings()
        self._question = _Question(reply_target)
        self._table_button = table_button
        self._reword = reword
        self._on_last = on_last
        self._typing_since = typing_since
        self._complains = complains
        self._nonces = _Nonces(channel, turn or secrets.token_hex(8))
        self._view: _View | None = None
        self._last: str | None = None  # the newest of our messages
        self._spoken: _Spoken | None = None  # how a persona spoke last; None before the first message
        self._sent_posts: dict[str, _SentPost] = {}

    async def conclude(self) -> None:
        """The next message is the last of the reply."""
        if self._view is not None:
            self._view.is_due = not self._view.view.has_components_v2()
        if self._on_last is not None:
            await self._on_last(self._last or "")

    def allow_pings(self, settings: DeliverySettings, /) -> None:
        """Ping from now on whom *settings* allow, and send messages as they say."""
        self._mentions.allow(settings)
        self._settings = settings

    # --- what it is ------------------------------------------------------------------------

    @property
    def limits(self) -> Limits:
        """What Discord can take."""
        return LIMITS

    @property
    def channel(self) -> str:
        """Which channel it is."""
        return self._channel

    @property
    def last_message_id(self) -> str | None:
        """The newest message there, of any author, without a request."""
        known = self._api.known(self._channel)
        return _newer(self._last, None if known is None else known.last_message)

    def allowance(self, identity: Identity | None, /) -> Allowance | None:
        """How many more messages Discord takes at present from *identity*."""
        is_named = identity is not None or self._persona.identity is not None
        if is_named and self._spoken is None:
            return _ONE if self._shared.throttle.backlog > 0 else None  # it is not known yet how it will be sent
        bucket = self._api.bucket(self._channel, self._spoken.webhook if is_named and self._spoken else None)
        is_low = bucket is not None and 2 * bucket.left <= bucket.limit
        if not is_low and self._shared.throttle.backlog > 0:
            return _ONE  # the bot's global rate limit makes it wait: all that is due now had better go together
        return None if bucket is None else Allowance(bucket.left, bucket.limit, bucket.resets_in)

    # --- messages ----------------------------------------------------------------------------

    async def send(self, post: Post, /) -> Receipt:
        """Deliver *post*: it arrives once and whole, or a ``DeliveryError`` says why not."""
        self._courier.waits.take_time()
        if not post.text.strip(WHITESPACE) and post.attachment is None:
            msg = "A part of this answer is missing: there was nothing in it."
            raise DeliveryError(msg, kind=DeliveryKind.SKIPPED)
        place = await self._place()
        self._question.owed = post.reply or self._question.owed
        delivery = self._delivery(post, place)
        embed = await self._shown_reply(place, post, delivery)
        try:
            delivered = await self._delivered(place, delivery)
        except DeliveryError:
            if embed is not None:
                await self._courier.try_remove(place, embed)
                self._question.is_shown = False
            raise
        self._question.owed = None
        first = delivered[0]
        if embed is not None and first.identity is None:
            await self._courier.try_remove(place, embed)  # the bot itself can reply to a message
            embed = None
        self._note(delivery, delivered, embed)
        if first.identity is None:
            speaker = SpokenBy() if delivery.identity else self._speaker(post)
            self._shared.webhooks.note_bot(self._channel, speaker)
        await self._complain()
        return Receipt(post, first.sent.message, first.sent.url, first.identity, first.refusals)

    def hurry(self) -> None:
        """End the reply soon: a message that waits to be sent is skipped, and one that is being sent still arrives."""
        self._courier.waits.hurry()

    async def _delivered(self, place: Place, delivery: Delivery) -> list[Delivered]:
        self._courier.check_time()
        size = sum(len(file.data) for file in delivery.message.files)
        deliveries = (size > place.file_limit and without_files(delivery)) or [delivery]
        return await self._courier.deliver_all(place, deliveries)

    def _note(self, delivery: Delivery, delivered: list[Delivered], embed: Delivered | None) -> None:
        """Remember the messages in the channel that *delivery* became."""
        last = delivered[-1]
        is_refused = delivery.message.view is not None and last.view is None and last.sent.is_answered
        self._sent_posts[delivered[0].sent.message] = _SentPost(tuple(delivered), embed, is_refused)
        self._last = delivered[-1].sent.message
        if delivery.identity is not None:
            self._spoken = _Spoken(delivered[-1].webhook)

    def _delivery(self, post: Post, place: Place) -> Delivery:
        identity = post.identity or self._persona.identity
        pings = self._mentions.pinged_by(post.text)
        view = self._view.view if self._view and self._view.is_due else None
        message = Outgoing(
            post.text,
            nonce=self._nonces.next(),
            reply_to=self._question.reply_to(self._channel),
            users=pings.users,
            roles=pings.roles,
            pings_author=self._settings.mention_author,
            is_silent=self._settings.silent,
            has_previews=not self._settings.suppress_embeds,
            files=(replace(post.attachment, name=file_name(post.attachment.name)),) if post.attachment else (),
            buttons=(self._table_button,) if self._table_button and post.shows_source and not view else (),
            view=view,
        )
        if self._view:
            self._view.is_due = False
        spare = _in_words(post) if post.attachment else ""
        after = _newer(self.last_message_id, place.last_message)
        return Delivery(message, identity, self._speaker(post), spare, after, begun=asyncio.get_running_loop().time())

    def _speaker(self, post: Post) -> SpokenBy:
        """Whose words *post* holds. An identity without a sprite is another person, whose avatar has no substitute."""
        is_own = post.identity is None or bool(post.identity.sprite)
        return SpokenBy(self._persona.id, SpeakerKind.APPEARANCE if is_own else SpeakerKind.COPIED)

    async def _place(self) -> Place:
        """The channel, from the cache or by a request."""
        known = self._api.known(self._channel)
        if known is not None:
            return known
        delays = iter(RETRY_DELAYS)
        while True:
            try:
                return await self._api.find(self._channel)
            except ApiError as error:
                policy = policy_for(error)
                delay = self._courier.pause_after(policy, delays)
                if delay is None:
                    raise self._shared.refused(self._channel, policy, error) from error
            await self._courier.waits.pause(delay)

    # --- what is shown besides ------------------------------------------------------------------

    async def typing(self, identity: Identity | None, /) -> None:  # noqa: ARG002  # Discord shows the bot's own name
        """Show a typing indicator; a failure is only logged."""
        if self._shows_typing():
            return
        try:
            await self._api.typing(self._channel)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.debug("the typing indicator could not be shown", exc_info=error)

    def _shows_typing(self) -> bool:
        """Whether the typing indicator that others have shown still lasts."""
        since = self._typing_since
        return (
            since is not None and not self._nonces.count and asyncio.get_running_loop().time() < since + _TYPING_SHOWS
        )

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice* under the bot's own name, silently and without a ping.

        Where only the persona may speak, it raises a ``DeliveryError``, which the caller logs.
        """
        if self._courier.is_strict:
            msg = "Only one person is to be seen speaking here, so the bot shows no notice of its own."
            raise DeliveryError(msg)
        self._courier.waits.take_time()
        place = await self._place()
        is_boxed = self._settings.notices == "embed"
        message = replace(_as_message(self._reword(notice), is_boxed=is_boxed), nonce=self._nonces.next())
        after = _newer(self.last_message_id, place.last_message)
        delivery = Delivery(message, after=after, begun=asyncio.get_running_loop().time())
        self._last = (await self._courier.deliver(place, delivery))[-1].sent.message

    def has_view(self, view: DiscordView, /) -> None:
        """Send *view* with the last message, if that is known to be the last."""
        self._view = _View(view)

    async def show_view(self, view: DiscordView, receipt: Receipt, /) -> None:
        """Show *view* on the message of *receipt*, unless it is there; one with a layout of its own is a message after it.

        Discord marks a message that is changed afterwards as edited, so this is for a last message that was not known to
        be the last.
        """
        place = await self._place()
        post = self._sent_posts.get(receipt.message_id)
        if post is None or post.messages[-1].view is view or post.is_view_refused:
            return  # it was deleted, has it, or cannot have it
        if view.has_components_v2():
            self._courier.check_time()
            message = Outgoing(nonce=self._nonces.next(), is_silent=self._settings.silent, view=view)
            after = _newer(self.last_message_id, place.last_message)
            begun = asyncio.get_running_loop().time()
            delivery = Delivery(message, self._persona.identity, self._speaker(receipt.post), after=after, begun=begun)
            shown = await self._courier.deliver(place, delivery)
            self._sent_posts[receipt.message_id] = replace(post, messages=(*post.messages, *shown))
            self._last = shown[-1].sent.message
        else:
            await self._add_view(place, post.messages[-1], view)

    async def _add_view(self, place: Place, last: Delivered, view: DiscordView) -> None:
        message, delays = last.sent.message, iter(RETRY_DELAYS)
        while True:
            try:
                if last.webhook is None:
                    await self._api.add_view(place.channel, message, view)
                else:
                    await self._api.add_view_as(last.webhook, message, view, thread=place.thread)
            except ApiError as error:
                policy, delay = policy_for(error), next(delays, None)
                if policy.step is Step.WAIT and delay is not None:
                    delay = error.retry_after
                elif policy.step is not Step.RETRY:
                    delay = None
                if delay is None or delay > LONGEST_WAIT:
                    raise policy.error(error) from error
            else:
                return
            await self._courier.waits.pause(delay)

    async def _complain(self) -> None:
        """Tell people why a name cannot be shown, at most every ten minutes."""
        told = _COMPLAINTS.get(self._courier.take_complaint() or "")
        if told is None or not self._shared.may_complain(self._channel):
            return
        logger.warning("channel %s: %s", self._channel, told)
        if not self._complains:
            return
        try:
            async with asyncio.timeout(_COMPLAINT_TAKES):  # the message has arrived, and its receipt is waited for
                await self.notify(Notice(told))
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("the notice why a name is missing could not be shown", exc_info=error)

    async def _shown_reply(self, place: Place, post: Post, delivery: Delivery) -> Delivered | None:
        """Send an embed of what *post* answers through its webhook; ``None`` if there is no need, or if that fails."""
        target, identity = self._question.target, delivery.identity
        is_own_avatar = post.identity is None or bool(post.identity.sprite)
        if (
            target is None
            or identity is None
            or self._courier.is_strict
            or self._question.is_shown
            or self._question.owed != target.message
            or not is_own_avatar
            or place.kind is PlaceKind.DIRECT
        ):
            return None
        self._question.is_shown = True  # it is tried once, whatever the result
        message = Outgoing(embeds=(_reply_embed(target),), is_silent=True)
        try:
            async with self._courier.waits.patience():
                webhook = await self._shared.webhooks.get(place)
        except (NoWebhook, Hurried, ApiError):
            return None  # the bot will speak and can reply to a message itself, or nothing is sent
        try:
            sent = await self._shared.webhooks.send(
                place, webhook, identity, message, speaker=self._speaker(post), waits=self._courier.waits
            )
        except Hurried:
            return None
        except ApiError as error:
            logger.info("the embed of the answered message could not be sent: %s", error)
            return await self._perhaps_shown(place, replace(delivery, message=message, webhook=webhook), error)
        self._shared.note_success(place.channel, sent.message)
        return Delivered(sent, identity, webhook)

    async def _perhaps_shown(self, place: Place, delivery: Delivery, error: ApiError) -> Delivered | None:
        """The message of *delivery*, if it arrived although *error* came back."""
        if not error.is_ambiguous:
            return None
        try:
            return await self._courier.found(place, delivery, error)
        except DeliveryError:
            return None

    @property
    def besides(self) -> tuple[Receipt, ...]:
        """Further messages that belong to those with receipts: embeds of what was answered, and later parts."""
        return tuple(
            receipt_of(message.sent.message, message.identity)
            for post in self._sent_posts.values()
            for message in (*((post.reply_embed,) if post.reply_embed else ()), *post.messages[1:])
        )

    # --- deleting --------------------------------------------------------------------------------

    async def remove(self, receipt: Receipt, /) -> None:
        """Delete the message of *receipt* with all that belongs to it; one that is gone is no failure."""
        place = await self._place()
        post = self._sent_posts.get(receipt.message_id)
        if post is None:  # it belongs to an earlier turn
            webhook = await self._webhook_of(place) if receipt.identity else None
            await self._courier.remove(place, receipt.message_id, webhook)
            return
        for message in reversed(post.messages):
            await self._courier.remove(place, message.sent.message, message.webhook)
        if post.reply_embed is not None:
            await self._courier.try_remove(place, post.reply_embed)
            self._question.is_shown = False  # what comes instead answers the same message
        del self._sent_posts[receipt.message_id]  # only now: if a deletion failed, it can be tried again

    async def _webhook_of(self, place: Place) -> Webhook | None:
        try:
            return await self._shared.webhooks.get(place)
        except (NoWebhook, ApiError):
            return None


_COMPLAINTS = {
    "missing_permissions": "Personas cannot show their own name here; give the bot the right to manage webhooks.",
    "max_webhooks": "Personas cannot show their own name here; delete a webhook of this channel that is not needed.",
}
"""Notices for a name that cannot be shown, by reason."""


def _newer(one: str | None, other: str | None) -> str | None:
    """The newer of two messages: ids grow."""
    known = [message for message in (one, other) if message is not None]
    return max(known, key=lambda message: (len(message), message), default=None)


def _in_words(post: Post) -> str:
    """What the file of *post* shows, as text: the message itself is not in it."""
    if post.attachment is not None and post.boundary is Boundary.ATTACHMENT and not post.source:
        return file_in_words(post.attachment)
    if (formula := parse(post.picture)) is not None:
        return "\n".join(["```", *in_lines(formula), "```"])
    source = post.picture or (post.source or "").removeprefix(post.text).lstrip(WHITESPACE)
    table = tables.parse(in_table(source))
    return source if table is None else as_columns(table) or as_records(table)


def _reply_embed(target: ReplyTarget) -> Embed:
    author = f"Replying to {target.author_name}"[:256]
    return Embed(url=target.url, author=author, author_url=target.url, author_icon=target.author_icon)


def _as_message(notice: Notice, *, is_boxed: bool) -> Outgoing:
    """*notice* as an embed; as small print if it is one line, or if no notice *is_boxed*."""
    if not is_boxed or (notice.urgency is Urgency.INFO and not notice.title and not notice.tips):
        lines = [*([f"**{notice.title}**"] if notice.title else []), *notice.text.splitlines(), *notice.tips]
        return Outgoing("\n".join(map(LIMITS.markup.notice, lines))[:_LONGEST_LINE], is_silent=True)
    text = "\n".join([notice.text, *(f"- {tip}" for tip in notice.tips)])[:_LONGEST_BOX]
    return Outgoing(embeds=(Embed(text, notice.title[:256], colour=_COLOURS[notice.urgency]),), is_silent=True)
