"""The courier: delivers one message to Discord exactly once, or says why not.

``policies`` says what is done about an error. The bot's own messages carry a nonce, under which Discord stores one
message however often it is sent. Webhooks have no nonces: if it is unknown whether a message arrived, the courier looks
for it before it sends it again.
"""

from __future__ import annotations

import asyncio
import unicodedata
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple, assert_never

from ...errors import DeliveryError, DeliveryKind, Sentence
from ...explain.tracebacks import get_logger
from ...text.usernames import as_username
from ...types import Identity, RefusedAttempt
from ..target import DiscordView
from .api import ApiError, DiscordApi, Outgoing, Place, PlaceKind, Seen, Sent, Webhook
from .cancellable_waits import CancellableWaits, Hurried
from .labels import labelled, plain_name, shortened
from .policies import LONGEST_WAIT, OTHERWISE, RETRY_DELAYS, UNKNOWN, Policy, Step, policy_for
from .shared import DiscordState
from .webhooks import NoWebhook, SpokenBy

logger = get_logger(__name__)

_MOST_WAITS = 2
"""How often one message may wait for a rate limit."""

_LOOKED_AT = 100
"""How many recent messages are searched for one."""


@dataclass(frozen=True, slots=True)
class Delivery:
    """A message to be sent, and what was tried already."""

    message: Outgoing
    identity: Identity | None = None
    """The name and avatar it is shown under; ``None`` is the bot's own."""
    speaker: SpokenBy | None = None
    """Whose words it holds: decides which avatar may stand in for a missing one."""
    spare: str = ""
    """Text that is sent instead of its file, if that is refused."""
    after: str | None = None
    """The newest message in the channel before the first attempt."""
    begun: float = 0.0
    """The time of the first attempt, on the loop's clock."""
    webhook: Webhook | None = None
    """The webhook it is sent through."""
    is_doubtful: bool = False
    """Whether it may have arrived without a confirmation."""
    tries: int = 0
    waits: int = 0
    has_recovered: bool = False
    is_renamed: bool = False
    is_shortened: bool = False
    refusals: tuple[RefusedAttempt, ...] = ()


class Delivered(NamedTuple):
    """A message that arrived, and how it was sent."""

    sent: Sent
    identity: Identity | None = None
    webhook: Webhook | None = None
    refusals: tuple[RefusedAttempt, ...] = ()
    view: DiscordView | None = None
    """The view that was sent with it; of a message that had to be looked for, none is known."""


class Courier:
    """Delivers the messages of one turn to one channel."""

    def __init__(
        self, api: DiscordApi, shared: DiscordState, *, is_strict: bool = False, waits: CancellableWaits | None = None
    ) -> None:
        self._api = api
        self._shared = shared
        self.is_strict = is_strict
        self._complaint: str | None = None
        self.waits = waits or CancellableWaits()
        """Ends all waiting when the reply is stopped; a message that was not sent by then is skipped."""

    def take_complaint(self) -> str | None:
        """Why a message could not be sent under its own name, such as ``max_webhooks``. Asking clears it."""
        complaint, self._complaint = self._complaint, None
        return complaint

    async def deliver(self, place: Place, delivery: Delivery) -> list[Delivered]:
        """Deliver to *place*, if need be as several messages. All of it arrives, or a ``DeliveryError`` is raised."""
        delivery = self._shut_out(delivery)
        while True:
            try:
                found = await self._advanced(place, delivery)
            except DeliveryError as error:
                error.refusals = error.refusals or delivery.refusals
                raise
            if isinstance(found, Delivered):
                return [found]
            if len(found) != 1:
                return await self.deliver_all(place, found)
            [delivery] = found

    def _shut_out(self, delivery: Delivery) -> Delivery:
        """*delivery*, with the cooldown that it meets before anything is asked."""
        cooldown = self._shared.cooldown
        if cooldown.reason is None or cooldown.left == 0 or _was_shut_out(delivery):
            return delivery
        met = RefusedAttempt(cooldown.reason, "", Step.COOLDOWN.name.lower())
        return replace(delivery, refusals=(*delivery.refusals, met))

    async def deliver_all(self, place: Place, deliveries: Sequence[Delivery]) -> list[Delivered]:
        """Deliver the pieces of one message; if one fails, those before it are deleted."""
        delivered: list[Delivered] = []
        try:
            for delivery in deliveries:
                delivered += await self.deliver(place, delivery)
        except DeliveryError:
            for piece in reversed(delivered):
                await self.try_remove(place, piece)
            raise
        return delivered

    async def try_remove(self, place: Place, delivered: Delivered) -> None:
        """Delete *delivered*; if that fails, it stays."""
        try:
            await self.remove(place, delivered.sent.message, delivered.webhook)
        except DeliveryError as error:
            logger.warning("a message that is no longer wanted could not be deleted: %s", error)

    async def remove(self, place: Place, message: str, webhook: Webhook | None) -> None:
        """Delete *message*, through its *webhook* if it has one, else as the bot. One that is gone is no failure."""
        if webhook is not None:
            try:
                await self._api.delete_as(webhook, message, thread=place.thread)
            except ApiError as error:
                logger.debug("the webhook could not delete its message, so the bot does: %s", error)
            else:
                return
        await self._remove_by_channel(place, message)

    async def _remove_by_channel(self, place: Place, message: str) -> None:
        delays = iter(RETRY_DELAYS)
        while True:
            try:
                await self._api.delete(place.channel, message)
            except ApiError as error:
                if error.code == _UNKNOWN_MESSAGE:
                    return
                policy = policy_for(error)
                delay = None if self.waits.is_wanted else self.pause_after(policy, delays)
                if delay is None:
                    raise policy.error(error, wait=self._shared.cooldown.left) from error
            else:
                return
            await self.waits.pause(delay)  # it may be gone already: the next attempt tells

    def pause_after(self, policy: Policy, delays: Iterator[float]) -> float | None:
        """Seconds before a request that only looks or deletes is made again, out of *delays*; ``None`` if it is not."""
        match policy.step:
            case Step.RETRY:
                return next(delays, None)
            case Step.COOLDOWN:
                is_soon = self._shared.cooldown.reason is not None and not self._shared.cooldown.is_long
                return 0.0 if is_soon else None  # the request itself waits for its end
            case _:
                return None

    # --- one attempt ---------------------------------------------------------------------

    @asynccontextmanager
    async def _alone(self, place: Place, delivery: Delivery) -> AsyncIterator[None]:
        """Lock out equal messages of other turns: one could be taken for ours when we look for ours."""
        lock = self._shared.alone(place.channel, _speaks(delivery), delivery.message.content)
        try:
            async with self.waits.patience():
                await lock.acquire()
        except Hurried:
            raise _too_late() from None
        try:
            yield
        finally:
            lock.release()

    def check_time(self, refusals: tuple[RefusedAttempt, ...] = ()) -> None:
        """Raise a ``DeliveryError`` with *refusals* if the reply was stopped: a message that was not begun is skipped."""
        if self.waits.is_wanted:
            raise _too_late(refusals)

    async def _advanced(self, place: Place, delivery: Delivery) -> Delivered | list[Delivery]:
        """Give *delivery* its webhook, or attempt it; returns it delivered, or what to send instead."""
        if delivery.identity is not None and delivery.webhook is None:
            return await self._equipped(place, delivery)
        async with self._alone(place, delivery):
            return await self._tried(place, delivery)

    async def _tried(self, place: Place, delivery: Delivery) -> Delivered | list[Delivery]:
        """Attempt *delivery*; returns it delivered, or what to send instead."""
        try:
            return await self._attempt(place, delivery)
        except Hurried:
            raise _too_late() from None
        except ApiError as error:
            found = await self._after(place, delivery, error)
        return self._arrived(place, found) if isinstance(found, Delivered) else found

    async def _attempt(self, place: Place, delivery: Delivery) -> Delivered:
        if delivery.webhook is None or delivery.identity is None:
            sent = await self._api.send(place.channel, delivery.message)
            return self._arrived(
                place, Delivered(sent, refusals=_with_waits(delivery, sent), view=_view_of(delivery, sent))
            )
        message = replace(delivery.message, reply_to=None, nonce="")  # webhooks know neither
        speaker = delivery.speaker or SpokenBy()
        sent = await self._shared.webhooks.send(
            place, delivery.webhook, delivery.identity, message, speaker=speaker, waits=self.waits
        )
        return self._arrived(
            place,
            Delivered(sent, delivery.identity, delivery.webhook, _with_waits(delivery, sent), _view_of(delivery, sent)),
        )

    def _arrived(self, place: Place, delivered: Delivered) -> Delivered:
        self._shared.note_success(place.channel, delivered.sent.message)
        return delivered

    async def _equipped(self, place: Place, delivery: Delivery) -> Delivered | list[Delivery]:
        """*delivery* with a webhook; as the bot's own if there can be none."""
        if place.kind is PlaceKind.DIRECT:
            return self._as_bot(delivery)
        try:
            async with self.waits.patience():
                webhook = await self._shared.webhooks.get(place)
        except Hurried:
            raise _too_late() from None
        except NoWebhook as refusal:
            self._complaint = str(refusal.reason)
            return self._as_bot(delivery)
        except ApiError as error:
            return await self._after(place, delivery, error)
        return [replace(delivery, webhook=webhook)]

    # --- after an error ----------------------------------------------------------------------

    async def _after(self, place: Place, delivery: Delivery, error: ApiError) -> Delivered | list[Delivery]:
        """Handle *error*; returns *delivery* if it arrived all the same, else what to send next."""
        policy = policy_for(error)
        logger.info("Discord refused a message to channel %s (%s): %s", place.channel, policy.name, error)
        refused = RefusedAttempt(policy.name, _code(error), policy.step.name.lower())
        if policy.step is not Step.COOLDOWN or not _was_shut_out(delivery):
            delivery = replace(delivery, refusals=(*delivery.refusals, refused))
        delivery = replace(delivery, is_doubtful=delivery.is_doubtful or error.is_ambiguous)
        delay = self._delay(delivery, policy, error)
        if delay is not None:
            await self.waits.pause(delay)
            delay = None if self.waits.is_wanted else delay
        if delivery.is_doubtful and (delivery.webhook is not None or delay is None):
            # The bot's own message can be sent again under its nonce; for any other we must look first.
            found = await self.found(place, delivery, error)
            if found is not None:
                return found._replace(refusals=(*delivery.refusals[:-1], replace(refused, remedy="found")))
            delivery = replace(delivery, is_doubtful=False)
        self.check_time(delivery.refusals)
        if delay is None:
            if policy is OTHERWISE and (view := delivery.message.view) and not view.has_components_v2():
                logger.warning("Discord did not take the view of a reply; the message is sent without it: %s", error)
            return self._changed(delivery, policy) or self._given_up(place, delivery, policy, error)
        is_retry, is_wait = policy.step is Step.RETRY, policy.step is Step.WAIT
        return [replace(delivery, tries=delivery.tries + is_retry, waits=delivery.waits + is_wait)]

    def _delay(self, delivery: Delivery, policy: Policy, error: ApiError) -> float | None:
        """Seconds before *delivery* is sent again; ``None`` if waiting does not help."""
        match policy.step:
            case Step.RETRY if delivery.tries < len(RETRY_DELAYS):
                return RETRY_DELAYS[delivery.tries]
            case Step.WAIT if delivery.waits < _MOST_WAITS:
                soon = error.retry_after is not None and error.retry_after <= LONGEST_WAIT
                return error.retry_after if soon else None
            case Step.COOLDOWN:
                return self.pause_after(policy, iter(()))
            case _:
                return None

    def _changed(self, delivery: Delivery, policy: Policy) -> list[Delivery]:
        """*delivery*, changed so that it can be sent at once; empty if nothing can be changed."""
        message = delivery.message
        match policy.step:
            case Step.RECOVER if delivery.webhook is not None and not delivery.has_recovered:
                # The shared state has dropped the webhook already, and finds or creates another.
                return [replace(delivery, webhook=None, has_recovered=True)]
            case Step.AS_BOT if delivery.webhook is not None:
                self._complaint = policy.name
                return self._as_bot(delivery)
            case Step.RENAME if delivery.identity is not None and not delivery.is_renamed:
                plain = replace(delivery.identity, name=plain_name(delivery.identity.name))
                return [replace(delivery, identity=plain, is_renamed=True)] if plain.name else []
            case Step.DROP_REPLY if message.reply_to is not None and delivery.webhook is None:
                return [replace(delivery, message=replace(message, reply_to=None))]
            case Step.DROP_FILE if message.files:
                return without_files(delivery)
            case Step.REFUSE if message.files and policy.kind is DeliveryKind.MISSING_PERMISSIONS:
                return without_files(_remedied(delivery, Step.DROP_FILE))  # perhaps only files are forbidden here
            case Step.REFUSE if policy is OTHERWISE and message.view and not message.view.has_components_v2():
                return [replace(delivery, message=replace(message, view=None))]
            case Step.SHORTEN if not delivery.is_shortened:
                return _pieces(replace(delivery, is_shortened=True), shortened(message.content, _SHORTER))
            case Step():
                return []
            case _:
                assert_never(policy.step)

    def _given_up(self, place: Place, delivery: Delivery, policy: Policy, error: ApiError) -> list[Delivery]:
        """*delivery* as the bot's own message if that may help; else raise, and remember the refusal."""
        if delivery.webhook is not None and policy.helps_as_bot and not self.is_strict:
            return self._as_bot(_remedied(delivery, Step.AS_BOT))
        raise self._shared.refused(place.channel, policy, error) from error

    def _as_bot(self, delivery: Delivery) -> list[Delivery]:
        """*delivery* under the bot's own name with the persona's name in front; in pieces if it gets too long."""
        if delivery.identity is None:
            return [delivery]
        if self.is_strict:
            msg = Sentence(
                "{name} cannot speak here under their own name, and nobody else may speak for them.",
                name=delivery.identity.name,
            )
            raise DeliveryError(msg)
        own = replace(delivery, identity=None, webhook=None, tries=0, waits=0)
        return _pieces(own, labelled(delivery.identity.name, delivery.message.content))

    # --- looking for a message --------------------------------------------------------------

    async def found(self, place: Place, delivery: Delivery, error: ApiError) -> Delivered | None:
        """The message of *delivery* if the channel has it, else ``None``; raises a ``DeliveryError`` if that stays unknown."""
        since = await self._recent(place, after=delivery.after, limit=_LOOKED_AT)
        if not since and delivery.after is not None and not await self._recent(place, after=None, limit=1):
            # There are messages and we see none: we lack the permission to read them, so we cannot know.
            raise self._shared.refused(place.channel, UNKNOWN, error) from error
        for seen in since:
            if not self._shared.is_known(seen.message) and self._is_it(seen, delivery):
                sent = Sent(seen.message, place.channel, seen.webhook, _url(place, seen.message), is_answered=False)
                return Delivered(sent, delivery.identity if delivery.webhook else None, delivery.webhook)
        if len(since) >= _LOOKED_AT and _span(since) < asyncio.get_running_loop().time() - delivery.begun:
            # So many messages came since that ours may be before the ones we see.
            raise self._shared.refused(place.channel, UNKNOWN, error) from error
        return None

    async def _recent(self, place: Place, *, after: str | None, limit: int) -> list[Seen]:
        """The messages after *after*. If Discord does not tell, it raises, and nothing is sent again."""
        delays = iter(RETRY_DELAYS)
        while True:
            try:
                return await self._api.recent(place.channel, after=after, limit=limit)
            except ApiError as error:
                policy = policy_for(error)
                delay = self.pause_after(policy, delays)
                if delay is None:
                    raise self._unread(place, policy, error) from error
            await asyncio.sleep(delay)  # not cut short by a stop: we must know

    def _unread(self, place: Place, policy: Policy, error: ApiError) -> DeliveryError:
        """The error for a channel that cannot be read: ``UNKNOWN``, unless the channel itself is gone."""
        is_over = policy.kind in (DeliveryKind.CHANNEL_GONE, DeliveryKind.MISSING_ACCESS)
        return self._shared.refused(place.channel, policy if is_over else UNKNOWN, error)

    def _is_it(self, seen: Seen, delivery: Delivery) -> bool:
        message = delivery.message
        if delivery.webhook is None or delivery.identity is None:
            if seen.nonce:
                return seen.nonce == message.nonce
            is_author = seen.webhook is None and seen.author == self._api.user
        else:
            is_name = _gist(seen.name) == _gist(as_username(delivery.identity.name))
            is_author = seen.webhook == delivery.webhook.id and is_name
        # Discord may change the names of files, so only their number is compared.
        is_same = _gist(seen.content) == _gist(message.content) and len(seen.files) == len(message.files)
        return is_author and is_same


_UNKNOWN_MESSAGE = 10008
_SHORTER = 1900
"""The size of the pieces of a message that Discord found too long, in UTF-16 units."""


def _with_waits(delivery: Delivery, sent: Sent) -> tuple[RefusedAttempt, ...]:
    """The refusals of *delivery*, with those by rate limits that were waited for below."""
    limited = RefusedAttempt("rate_limited", "429", Step.WAIT.name.lower())
    return delivery.refusals + (limited,) * sent.limited


def _view_of(delivery: Delivery, sent: Sent) -> DiscordView | None:
    """The view that *sent* shows and that works; ``None`` if there is none or it has to be shown again."""
    return delivery.message.view if sent.is_answered else None


def _was_shut_out(delivery: Delivery) -> bool:
    """Whether it is told of *delivery* already that it waits for a cooldown; its later refusals are the same one."""
    return bool(delivery.refusals) and delivery.refusals[-1].remedy == Step.COOLDOWN.name.lower()


def _remedied(delivery: Delivery, step: Step) -> Delivery:
    """*delivery*, after whose last refusal *step* was taken."""
    *before, last = delivery.refusals
    return replace(delivery, refusals=(*before, replace(last, remedy=step.name.lower())))


def _code(error: ApiError) -> str:
    code = error.status if error.code is None else error.code
    return "" if code is None else str(code)


def _too_late(refusals: tuple[RefusedAttempt, ...] = ()) -> DeliveryError:
    msg = "A part of this answer was not sent: the answer was stopped while that part waited for Discord."
    return DeliveryError(msg, kind=DeliveryKind.SKIPPED, refusals=refusals)


def _span(messages: Sequence[Seen]) -> float:
    """The seconds between the first and the last of *messages*: their ids say when they were sent."""
    first, last = (int(seen.message) >> 22 for seen in (messages[0], messages[-1]))
    return (last - first) / 1000


def _gist(text: str) -> str:
    """The visible characters of *text*: Discord changes or drops white space and invisible ones."""
    text = unicodedata.normalize("NFC", text)
    return "".join(
        character for character in text if not character.isspace() and unicodedata.category(character)[0] != "C"
    )


def _speaks(delivery: Delivery) -> str:
    return delivery.identity.name if delivery.identity and delivery.webhook else ""


def without_files(delivery: Delivery) -> list[Delivery]:
    """*delivery* without its files, with its ``spare`` text instead."""
    bare = replace(delivery, message=replace(delivery.message, files=(), buttons=()))  # buttons are about the file
    spare = shortened(delivery.spare, _SHORTER) if delivery.spare else []
    return _pieces(bare, [text for text in (delivery.message.content, *spare) if text])


def _pieces(delivery: Delivery, texts: Sequence[str]) -> list[Delivery]:
    """*delivery* as several, each with one of *texts*: the first is the reply, the last has the files."""
    whole, last = delivery.message, len(texts) - 1
    return [
        replace(
            delivery,
            message=replace(
                whole,
                content=text,
                nonce=_nonce_of_piece(whole.nonce, number),
                reply_to=None if number else whole.reply_to,
                files=whole.files if number == last else (),
                embeds=whole.embeds if number == last else (),
                buttons=whole.buttons if number == last else (),
                view=whole.view if number == last else None,
            ),
        )
        for number, text in enumerate(texts)
    ]


def _nonce_of_piece(nonce: str, number: int) -> str:
    """The nonce of piece *number*: each needs its own, since a piece may be cut again."""
    return blake2b(f"{nonce}.{number}".encode(), digest_size=11).hexdigest() if number and nonce else nonce


def _url(place: Place, message: str) -> str:
    return f"https://discord.com/channels/{place.guild or '@me'}/{place.channel}/{message}"
