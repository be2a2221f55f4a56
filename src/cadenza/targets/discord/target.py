"""Discord as a target: posts in, messages out, under the right name, in order and exactly once.

How one message gets there, whatever Discord says to it, is the courier's matter; what all targets of a bot share is the
house's. Here stands what a turn is: its messages, whom they call, what they answer, and what is taken back with them.
"""

from __future__ import annotations

import asyncio
import logging
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from hashlib import blake2b

from ...concurrency.tasks import must_rise
from ...errors import DeliveryError, DeliveryKind
from ...settings import DeliverySettings
from ...stages.s7_delivery import Allowance, Limits, receipt_of
from ...text import tables
from ...text.plain_table import as_columns, as_records
from ...text.units import WHITESPACE
from ...types import Identity, Notice, Post, Receipt, Roster, Urgency
from .api import ApiError, Button, DiscordApi, Embed, Outgoing, Place, PlaceKind, Webhook
from .cancellable_waits import CancellableWaits, Hurried
from .courier import Arrival, Courier, Letter, without_files
from .mentions import PingBudget
from .paced import PacedApi
from .policies import RETRY_DELAYS, Step, policy_for
from .shared import DiscordState
from .webhooks import NoWebhook, SpeakerKind, SpokenBy

__all__ = ["DiscordState", "DiscordTarget", "ReplyTarget"]

logger = logging.getLogger(__name__)

_LIMITS = Limits(files=True)
_ONE = Allowance(1, 1, 0.0)
"""One message, now."""
_COLOURS = {Urgency.INFO: 0x3498DB, Urgency.WARNING: 0xF1C40F, Urgency.ERROR: 0xE74C3C}
_COMPLAINT_TAKES = 10.0
"""Seconds after which people are not told any more why a name is missing."""
_TYPING_SHOWS = 2.0
"""Seconds for which it need not be shown anew that something is being written: it lasts ten, and is renewed after eight."""
_LONGEST_LINE, _LONGEST_BOX = 1900, 4000
"""What of a notice is shown, as a line and in a box."""


@dataclass(frozen=True, slots=True)
class ReplyTarget:
    """The message that a turn answers. A webhook cannot answer one, so people are shown it."""

    message: str
    author_name: str
    author_icon: str = ""
    url: str = ""
    channel: str = ""
    """Where it stands, if that may be elsewhere: there it cannot be answered."""


@dataclass(frozen=True, slots=True)
class _Delivered:
    """All that stands in the channel for one receipt."""

    arrivals: tuple[Arrival, ...]
    notice: Arrival | None = None


class DiscordTarget:
    """A channel of Discord, for one turn.

    What a filter of the server refuses is raised as a ``DeliveryError`` of the kind ``SKIPPED``: the outbox leaves the
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
    ) -> None:
        """*turn* names the turn, and must be another for each; without one, one is made up.

        *persona* is who speaks where a post does not say; without it the bot does. *persona_id* tells the persona from
        others, whatever its name; without one the name does. If *is_strict*, nobody else ever speaks for them.
        *roster* is who may be called; *is_found* says of a tag whether it is that of somebody who was looked up, and may
        be called too. How many, the settings of the reply say (see ``allow_pings``). *reply_target* is shown in front of
        the first message of a webhook that answers it. *table_button* stands under each table that is shown as a picture.
        *reword* says a notice in the words in which it is shown.
        *on_last* is told the id of the message before the last one, empty if there is none, before that one is sent.
        *typing_since* is when, on the loop's clock, others have shown here that something is being written.
        """
        haste = CancellableWaits()
        self._api = api = PacedApi(api, shared.throttle, haste)
        self._channel = channel
        self._house = shared
        self._turn = turn or secrets.token_hex(8)
        self._persona = persona
        self._persona_id = persona_id or (None if persona is None else persona.name)
        self._is_strict = is_strict
        self._mentions = PingBudget(roster, is_found=is_found)
        self._reply_target = reply_target
        self._table_button = table_button
        self._reword = reword
        self._on_last = on_last
        self._typing_since = typing_since
        self._courier = Courier(api, shared, is_strict=is_strict, haste=haste)
        self._sent = 0  # messages that were begun: the number of one is in its nonce
        self._last: str | None = None
        self._webhook: Webhook | None = None  # through which somebody with a name spoke last; none if as the bot
        self._has_spoken = False  # whether anybody with a name has
        self._has_shown_reply = False
        self._owed_reply: str | None = None  # what the next message answers, if the one before was left out
        self._delivered: dict[str, _Delivered] = {}

    async def conclude(self) -> None:
        """The next message is the last of the reply."""
        if self._on_last is not None:
            await self._on_last(self._last or "")

    def allow_pings(self, settings: DeliverySettings, /) -> None:
        """Call no more people and roles from now on than *settings* allow."""
        self._mentions.allow(settings)

    # --- what it is ------------------------------------------------------------------------

    @property
    def limits(self) -> Limits:
        """What Discord can take."""
        return _LIMITS

    @property
    def channel(self) -> str:
        """Which channel it is."""
        return self._channel

    @property
    def last_message_id(self) -> str | None:
        """The newest message there, whoever sent it, as far as it is known without asking."""
        known = self._api.known(self._channel)
        return _newer(self._last, None if known is None else known.last_message)

    def allowance(self, identity: Identity | None, /) -> Allowance | None:
        """How many more messages Discord takes at present from *identity*."""
        is_named = identity is not None or self._persona is not None
        if is_named and not self._has_spoken:
            return _ONE if self._house.throttle.backlog > 0 else None  # nobody knows yet how it will be sent
        bucket = self._api.bucket(self._channel, self._webhook if is_named else None)
        is_low = bucket is not None and 2 * bucket.left <= bucket.limit
        if not is_low and self._house.throttle.backlog > 0:
            return _ONE  # it waits for its turn among all channels: whatever is due now had better go together
        return None if bucket is None else Allowance(bucket.left, bucket.limit, bucket.resets_in)

    # --- messages ----------------------------------------------------------------------------

    async def send(self, post: Post, /) -> Receipt:
        """Deliver *post*: it arrives once and whole, or a ``DeliveryError`` says why not."""
        self._house.check()
        self._courier.haste.take_time()
        if not post.text.strip(WHITESPACE) and post.attachment is None:
            msg = "A part of this answer is missing: there was nothing in it."
            raise DeliveryError(msg, kind=DeliveryKind.SKIPPED)
        place = await self._place()
        self._owed_reply = post.reply or self._owed_reply
        letter = self._letter(post, place)
        notice = await self._shown_reply(place, post, letter)
        try:
            arrivals = await self._brought(place, letter)
        except DeliveryError:
            if notice is not None:
                await self._courier.withdraw(place, notice)
                self._has_shown_reply = False
            raise
        self._owed_reply = None
        first = arrivals[0]
        if notice is not None and first.identity is None:
            await self._courier.withdraw(place, notice)  # the bot can answer a message itself
            notice = None
        self._note(letter, arrivals, notice)
        if first.identity is None:
            speaker = SpokenBy() if letter.identity else self._speaker(post)
            self._house.webhooks.note_bot(self._channel, speaker)
        await self._complain()
        return Receipt(post, first.sent.message, first.sent.url, first.identity)

    def hurry(self) -> None:
        """The reply is to end: a message that waits to be sent is left out, and one that is being sent still arrives."""
        self._courier.haste.hurry()

    async def _brought(self, place: Place, letter: Letter) -> list[Arrival]:
        self._courier.check_time()
        size = sum(len(file.data) for file in letter.message.files)
        letters = (size > place.file_limit and without_files(letter)) or [letter]
        return await self._courier.deliver_all(place, letters)

    def _note(self, letter: Letter, arrivals: list[Arrival], notice: Arrival | None) -> None:
        """Remember what stands in the channel for *letter*."""
        self._delivered[arrivals[0].sent.message] = _Delivered(tuple(arrivals), notice)
        self._last = arrivals[-1].sent.message
        if letter.identity is not None:
            self._webhook, self._has_spoken = arrivals[-1].webhook, True

    def _letter(self, post: Post, place: Place) -> Letter:
        identity = post.identity or self._persona
        called = self._mentions.called_by("" if post.attachment else post.text)
        message = Outgoing(
            post.text,
            nonce=self._nonce(),
            reply_to=self._owed_reply if self._may_answer(self._owed_reply) else None,
            users=called.users,
            roles=called.roles,
            files=(post.attachment,) if post.attachment else (),
            buttons=(self._table_button,) if self._table_button and post.shows_table else (),
        )
        spare = _in_words(post.source or "") if post.attachment else ""
        after = _newer(self.last_message_id, place.last_message)
        return Letter(message, identity, self._speaker(post), spare, after, begun=asyncio.get_running_loop().time())

    def _may_answer(self, message: str | None) -> bool:
        target = self._reply_target
        is_elsewhere = target is not None and target.message == message and target.channel not in ("", self._channel)
        return not is_elsewhere

    def _speaker(self, post: Post) -> SpokenBy:
        """Whose words *post* holds. Somebody without a look is somebody else, whose face nothing can stand in for."""
        is_own = post.identity is None or bool(post.identity.look)
        return SpokenBy(self._persona_id, SpeakerKind.APPEARANCE if is_own else SpeakerKind.COPIED)

    def _nonce(self) -> str:
        """A name for the next message of the turn, which is the same however often that one is tried."""
        self._sent += 1
        key = "\0".join((self._channel, self._turn, str(self._sent)))
        return blake2b(key.encode(), digest_size=11).hexdigest()

    async def _place(self) -> Place:
        """What is known of the channel; it is asked for if need be."""
        known = self._api.known(self._channel)
        if known is not None:
            return known
        delays = iter(RETRY_DELAYS)
        while True:
            try:
                return await self._api.find(self._channel)
            except ApiError as error:
                policy = policy_for(error)
                delay = next(delays, None) if policy.step is Step.RETRY else None
                if delay is None:
                    raise self._house.refused(self._channel, policy, error) from None
            await self._courier.haste.pause(delay)

    # --- what is shown besides ------------------------------------------------------------------

    async def typing(self, identity: Identity | None, /) -> None:  # noqa: ARG002  # Discord shows the bot's own name
        """Show that something is being written. If that fails, so be it."""
        if self._house.broken is not None or self._shows_typing():
            return
        try:
            await self._api.typing(self._channel)
        except BaseException as error:
            if must_rise(error):
                raise
            logger.debug("nobody was shown that something is being written (%s)", type(error).__name__)

    def _shows_typing(self) -> bool:
        """Whether it still shows what others have shown before anything was sent, and will until it is shown again."""
        since = self._typing_since
        return since is not None and not self._sent and asyncio.get_running_loop().time() < since + _TYPING_SHOWS

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice* under the bot's own name. Nobody is called by it, and no phone rings.

        Where nobody else may speak, the bot does not either: then it is a ``DeliveryError``, and whoever told it logs it.
        """
        self._house.check()
        if self._is_strict:
            msg = "Only one person is to be seen speaking here, so the bot shows no notice of its own."
            raise DeliveryError(msg)
        self._courier.haste.take_time()
        place = await self._place()
        message = replace(_as_message(self._reword(notice)), nonce=self._nonce())
        after = _newer(self.last_message_id, place.last_message)
        arrivals = await self._courier.deliver(
            place, Letter(message, after=after, begun=asyncio.get_running_loop().time())
        )
        self._last = arrivals[-1].sent.message

    async def _complain(self) -> None:
        """Tell people why a name could not be shown, now and then."""
        told = _COMPLAINTS.get(self._courier.take_complaint() or "")
        if told is None or not self._house.may_complain(self._channel):
            return
        try:
            async with asyncio.timeout(_COMPLAINT_TAKES):  # the message has arrived, and its receipt is waited for
                await self.notify(Notice(told))
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("people could not be told why a name is missing (%s)", type(error).__name__)

    async def _shown_reply(self, place: Place, post: Post, letter: Letter) -> Arrival | None:
        """Show what *post* answers, where a webhook says it; ``None`` if that is not called for, or fails."""
        target, identity = self._reply_target, letter.identity
        is_own_face = post.identity is None or bool(post.identity.look)
        if (
            target is None
            or identity is None
            or self._is_strict
            or self._has_shown_reply
            or self._owed_reply != target.message
            or not is_own_face
            or place.kind is PlaceKind.DIRECT
        ):
            return None
        self._has_shown_reply = True  # whatever comes of it, it is tried once
        message = Outgoing(embeds=(_reply_embed(target),), is_silent=True)
        try:
            async with self._courier.haste.patience():
                webhook = await self._house.webhooks.get(place)
        except (NoWebhook, Hurried):
            return None  # the bot will speak, and it can answer a message itself; or nobody will
        try:
            sent = await self._house.webhooks.send(
                place, webhook, identity, message, speaker=self._speaker(post), haste=self._courier.haste
            )
        except Hurried:
            return None
        except ApiError as error:
            logger.info("what a message answers could not be shown: %s", error)
            return await self._perhaps_shown(place, replace(letter, message=message, webhook=webhook), error)
        self._house.note_success(place.channel, sent.message)
        return Arrival(sent, identity, webhook)

    async def _perhaps_shown(self, place: Place, letter: Letter, error: ApiError) -> Arrival | None:
        """What *letter* shows, if it got there although *error* came back."""
        if not error.is_ambiguous:
            return None
        try:
            return await self._courier.found(place, letter, error)
        except DeliveryError:
            return None

    @property
    def besides(self) -> tuple[Receipt, ...]:
        """What stands there besides the messages that have receipts: what was answered, and what came in several parts."""
        return tuple(
            receipt_of(arrival.sent.message, arrival.identity)
            for delivered in self._delivered.values()
            for arrival in (*((delivered.notice,) if delivered.notice else ()), *delivered.arrivals[1:])
        )

    # --- taking back -----------------------------------------------------------------------------

    async def remove(self, receipt: Receipt, /) -> None:
        """Take the message of *receipt* back, with all that stands there for it; one that is gone is no failure."""
        place = await self._place()
        delivered = self._delivered.get(receipt.message_id)
        if delivered is None:  # it is of a turn before
            webhook = await self._webhook_of(place) if receipt.identity else None
            await self._courier.remove(place, receipt.message_id, webhook)
            return
        for arrival in reversed(delivered.arrivals):
            await self._courier.remove(place, arrival.sent.message, arrival.webhook)
        if delivered.notice is not None:
            await self._courier.withdraw(place, delivered.notice)
            self._has_shown_reply = False  # what comes instead answers the same message
        del self._delivered[receipt.message_id]  # only now: if something could not be taken back, it can be tried again

    async def _webhook_of(self, place: Place) -> Webhook | None:
        try:
            return await self._house.webhooks.get(place)
        except NoWebhook:
            return None


_COMPLAINTS = {
    "missing_permissions": "Personas cannot show their own name here; give the bot the right to manage webhooks.",
    "max_webhooks": "Personas cannot show their own name here; delete a webhook of this channel that is not needed.",
}
"""What people are told if a name cannot be shown, by the reason."""


def _newer(one: str | None, other: str | None) -> str | None:
    """The newer of two messages: ids grow."""
    known = [message for message in (one, other) if message is not None]
    return max(known, key=lambda message: (len(message), message), default=None)


def _in_words(source: str) -> str:
    """What a picture of *source*, a table, shows."""
    table = tables.parse(source)
    return source if table is None else as_columns(table) or as_records(table)


def _reply_embed(target: ReplyTarget) -> Embed:
    author = f"Replying to {target.author_name}"[:256]
    return Embed(url=target.url, author=author, author_url=target.url, author_icon=target.author_icon)


def _as_message(notice: Notice) -> Outgoing:
    """*notice* as Discord gets it: a small line if it is no more than one, else a box."""
    if notice.urgency is Urgency.INFO and not notice.title and not notice.tips:
        return Outgoing(f"-# {notice.text}"[:_LONGEST_LINE], is_silent=True)
    text = "\n".join([notice.text, *(f"- {tip}" for tip in notice.tips)])[:_LONGEST_BOX]
    return Outgoing(embeds=(Embed(text, notice.title[:256], colour=_COLOURS[notice.urgency]),), is_silent=True)
