"""The courier: brings one message to Discord exactly once, or says why not.

What is done about a refusal stands in ``policies``. The bot's own messages carry a nonce, under which Discord stores one
message however often it is sent. Webhooks know no nonces: if it is not known whether a message arrived, it is looked for
before it is sent again.
"""

from __future__ import annotations

import asyncio
import logging
import unicodedata
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from hashlib import blake2b
from typing import NamedTuple, assert_never

from ...errors import DeliveryError, DeliveryKind
from ...text.usernames import as_username
from ...types import Identity
from .api import ApiError, DiscordApi, Outgoing, Place, PlaceKind, Seen, Sent, Webhook
from .cancellable_waits import CancellableWaits, Hurried
from .labels import labelled, plain_name, shortened
from .policies import LONGEST_WAIT, RETRY_DELAYS, UNKNOWN, Policy, Step, policy_for
from .shared import DiscordState
from .webhooks import NoWebhook, SpokenBy

logger = logging.getLogger(__name__)

_MOST_WAITS = 2
"""How often one message may wait because Discord says so."""

_LOOKED_AT = 100
"""How many messages are looked at to find one."""


@dataclass(frozen=True, slots=True)
class Letter:
    """A message on its way, and what was tried already."""

    message: Outgoing
    identity: Identity | None = None
    """Who is to be seen speaking; ``None`` is the bot itself."""
    speaker: SpokenBy | None = None
    """The same, for whoever chooses the face."""
    spare: str = ""
    """What is said instead of its file, if that cannot be sent."""
    after: str | None = None
    """The newest message that was there before the first try."""
    begun: float = 0.0
    """When that was, by the loop's clock."""
    webhook: Webhook | None = None
    """What it is sent through."""
    is_doubtful: bool = False
    """Whether it may have arrived although nobody said so."""
    tries: int = 0
    waits: int = 0
    has_recovered: bool = False
    is_renamed: bool = False
    is_shortened: bool = False


class Arrival(NamedTuple):
    """A message that Discord has, and how it got there."""

    sent: Sent
    identity: Identity | None = None
    webhook: Webhook | None = None


class Courier:
    """Brings the messages of one turn to one channel."""

    def __init__(
        self, api: DiscordApi, shared: DiscordState, *, is_strict: bool = False, haste: CancellableWaits | None = None
    ) -> None:
        self._api = api
        self._house = shared
        self._is_strict = is_strict
        self._complaint: str | None = None
        self.haste = haste or CancellableWaits()
        """What cuts waiting short; a message that is not sent for it is left out."""

    def take_complaint(self) -> str | None:
        """Why a message could not be sent under its own name, such as ``max_webhooks``; each reason is told once."""
        complaint, self._complaint = self._complaint, None
        return complaint

    async def deliver(self, place: Place, letter: Letter) -> list[Arrival]:
        """Bring *letter* to *place*, if need be as several messages; all of it arrives, or a ``DeliveryError`` is raised."""
        while True:
            if letter.identity is not None and letter.webhook is None:
                letters = await self._equipped(place, letter)
            else:
                async with self._alone(place, letter):
                    found = await self._tried(place, letter)
                if isinstance(found, Arrival):
                    return [found]
                letters = found
            if len(letters) != 1:
                return await self.deliver_all(place, letters)
            [letter] = letters

    async def deliver_all(self, place: Place, letters: Sequence[Letter]) -> list[Arrival]:
        """Bring *letters*, the pieces of one; if one of them cannot be sent, those before it are taken back."""
        arrivals: list[Arrival] = []
        try:
            for letter in letters:
                arrivals += await self.deliver(place, letter)
        except DeliveryError:
            for arrival in reversed(arrivals):
                await self.withdraw(place, arrival)
            raise
        return arrivals

    async def withdraw(self, place: Place, arrival: Arrival) -> None:
        """Take *arrival* back if that can be done; if not, it stays."""
        try:
            await self.remove(place, arrival.sent.message, arrival.webhook)
        except DeliveryError as error:
            logger.warning("a message that was sent in vain could not be taken back: %s", error)

    async def remove(self, place: Place, message: str, webhook: Webhook | None) -> None:
        """Take *message* back, through its *webhook* if it has one, else by the channel; one that is gone is no failure."""
        self._house.check()
        if webhook is not None:
            try:
                await self._api.delete_as(webhook, message, thread=place.thread)
            except ApiError as error:
                logger.debug("a webhook's message is taken back by the channel instead: %s", error)
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
                delay = None if self.haste.is_wanted or policy.step is not Step.RETRY else next(delays, None)
                if delay is None:
                    raise self._house.unremoved(policy, error) from None
            else:
                return
            await self.haste.pause(delay)  # it may be gone although nobody said so: that is asked by trying again

    # --- one try -------------------------------------------------------------------------

    @asynccontextmanager
    async def _alone(self, place: Place, letter: Letter) -> AsyncIterator[None]:
        """Nobody else says the same in here: it could be taken for ours when we look whether ours arrived."""
        lock = self._house.alone(place.channel, _speaks(letter), letter.message.content)
        try:
            async with self.haste.patience():
                await lock.acquire()
        except Hurried:
            raise _too_late() from None
        try:
            yield
        finally:
            lock.release()

    def check_time(self) -> None:
        """Raise a ``DeliveryError`` if a message that was not begun is to be left out."""
        if self.haste.is_wanted:
            raise _too_late()

    async def _tried(self, place: Place, letter: Letter) -> Arrival | list[Letter]:
        """What became of *letter*, or what is to be sent instead."""
        try:
            return await self._attempt(place, letter)
        except Hurried:
            raise _too_late() from None
        except ApiError as error:
            found = await self._after(place, letter, error)
        return self._arrived(place, found) if isinstance(found, Arrival) else found

    async def _attempt(self, place: Place, letter: Letter) -> Arrival:
        self._house.check()
        if letter.webhook is None or letter.identity is None:
            sent = await self._api.send(place.channel, letter.message)
            return self._arrived(place, Arrival(sent))
        message = replace(letter.message, reply_to=None, nonce="")  # webhooks know neither
        speaker = letter.speaker or SpokenBy()
        sent = await self._house.webhooks.send(
            place, letter.webhook, letter.identity, message, speaker=speaker, haste=self.haste
        )
        return self._arrived(place, Arrival(sent, letter.identity, letter.webhook))

    def _arrived(self, place: Place, arrival: Arrival) -> Arrival:
        self._house.note_success(place.channel, arrival.sent.message)
        return arrival

    async def _equipped(self, place: Place, letter: Letter) -> list[Letter]:
        """*letter* with a webhook to send it through; as the bot's own if there can be none."""
        self._house.check()
        if place.kind is PlaceKind.DIRECT:
            return self._as_bot(letter)
        try:
            async with self.haste.patience():
                webhook = await self._house.webhooks.get(place)
        except Hurried:
            raise _too_late() from None
        except NoWebhook as refusal:
            self._complaint = str(refusal.reason)
            return self._as_bot(letter)
        return [replace(letter, webhook=webhook)]

    # --- what comes after a refusal --------------------------------------------------------

    async def _after(self, place: Place, letter: Letter, error: ApiError) -> Arrival | list[Letter]:
        """What became of *letter*, or what is to be sent now that *error* came back for it."""
        policy = policy_for(error)
        logger.info("a message to channel %s came back (%s): %s", place.channel, policy.name, error)
        letter = replace(letter, is_doubtful=letter.is_doubtful or error.is_ambiguous)
        delay = _delay(letter, policy, error)
        if delay is not None:
            await self.haste.pause(delay)
            delay = None if self.haste.is_wanted else delay
        if letter.is_doubtful and (letter.webhook is not None or delay is None):
            # The bot's own can be sent again under its nonce; anything else has to be known first.
            found = await self.found(place, letter, error)
            if found is not None:
                return found
            letter = replace(letter, is_doubtful=False)
        self.check_time()
        if delay is None:
            return self._changed(letter, policy) or self._given_up(place, letter, policy, error)
        is_retry = policy.step is Step.RETRY
        return [replace(letter, tries=letter.tries + is_retry, waits=letter.waits + (not is_retry))]

    def _changed(self, letter: Letter, policy: Policy) -> list[Letter]:
        """*letter* as it may fare better at once; nothing if there is nothing to change."""
        message = letter.message
        match policy.step:
            case Step.RECOVER if letter.webhook is not None and not letter.has_recovered:
                # The house has forgotten it already, and finds or makes another.
                return [replace(letter, webhook=None, has_recovered=True)]
            case Step.AS_BOT if letter.webhook is not None:
                self._complaint = policy.name
                return self._as_bot(letter)
            case Step.RENAME if letter.identity is not None and not letter.is_renamed:
                plain = replace(letter.identity, name=plain_name(letter.identity.name))
                return [replace(letter, identity=plain, is_renamed=True)] if plain.name else []
            case Step.DROP_REPLY if message.reply_to is not None and letter.webhook is None:
                return [replace(letter, message=replace(message, reply_to=None))]
            case Step.DROP_FILE if message.files:
                return without_files(letter)
            case Step.REFUSE if message.files and policy.kind is DeliveryKind.MISSING_PERMISSIONS:
                return without_files(letter)  # it may be files that may not be sent here, and nothing else
            case Step.SHORTEN if not letter.is_shortened:
                return _pieces(replace(letter, is_shortened=True), shortened(message.content, _SHORTER))
            case Step():
                return []
            case _:
                assert_never(policy.step)

    def _given_up(self, place: Place, letter: Letter, policy: Policy, error: ApiError) -> list[Letter]:
        """*letter* as the bot's own if that may help; else what is raised, and remembered."""
        if letter.webhook is not None and policy.helps_as_bot and not self._is_strict:
            return self._as_bot(letter)
        raise self._house.refused(place.channel, policy, error) from None

    def _as_bot(self, letter: Letter) -> list[Letter]:
        """*letter* under the bot's own name, with the other name in front; in pieces if it gets too long."""
        if letter.identity is None:
            return [letter]
        if self._is_strict:
            msg = f"{letter.identity.name} cannot speak here under their own name, and nobody else may speak for them."
            raise DeliveryError(msg)
        own = replace(letter, identity=None, webhook=None, tries=0, waits=0)
        return _pieces(own, labelled(letter.identity.name, letter.message.content))

    # --- whether it arrived ------------------------------------------------------------------

    async def found(self, place: Place, letter: Letter, error: ApiError) -> Arrival | None:
        """The message of *letter* if it is there although nobody said so; ``None`` if it is not.

        If that cannot be found out, a ``DeliveryError`` says so.
        """
        since = await self._recent(place, after=letter.after, limit=_LOOKED_AT)
        if not since and letter.after is not None and not await self._recent(place, after=None, limit=1):
            # Something was said there, and we are not shown it: we may not read what is there, so we cannot know.
            raise self._house.refused(place.channel, UNKNOWN, error) from None
        for seen in since:
            if not self._house.is_known(seen.message) and self._is_it(seen, letter):
                sent = Sent(seen.message, place.channel, seen.webhook, _url(place, seen.message))
                return Arrival(sent, letter.identity if letter.webhook else None, letter.webhook)
        if len(since) >= _LOOKED_AT and _span(since) < asyncio.get_running_loop().time() - letter.begun:
            # So much was said meanwhile that it may stand before what we are shown.
            raise self._house.refused(place.channel, UNKNOWN, error) from None
        return None

    async def _recent(self, place: Place, *, after: str | None, limit: int) -> list[Seen]:
        """What was said behind *after*; if Discord does not tell, nothing is sent again."""
        delays = iter(RETRY_DELAYS)
        while True:
            try:
                return await self._api.recent(place.channel, after=after, limit=limit)
            except ApiError as error:
                policy = policy_for(error)
                delay = next(delays, None) if policy.step is Step.RETRY else None
                if delay is None:
                    raise self._unread(place, policy, error) from None
            await asyncio.sleep(delay)  # in haste too: what may stand there has to be known

    def _unread(self, place: Place, policy: Policy, error: ApiError) -> DeliveryError:
        """What is raised if nobody can tell what was said in *place*: that, unless nothing is said there any more."""
        if policy.step is Step.BREAK:
            self._house.shut(policy)
        is_over = policy.kind in (DeliveryKind.CHANNEL_GONE, DeliveryKind.MISSING_ACCESS)
        return self._house.refused(place.channel, policy if is_over else UNKNOWN, error)

    def _is_it(self, seen: Seen, letter: Letter) -> bool:
        message = letter.message
        if letter.webhook is None or letter.identity is None:
            if seen.nonce:
                return seen.nonce == message.nonce
            is_author = seen.webhook is None and seen.author == self._api.user
        else:
            is_name = _gist(seen.name) == _gist(as_username(letter.identity.name))
            is_author = seen.webhook == letter.webhook.id and is_name
        # Discord may write the names of files in its own way, so they are only counted.
        is_same = _gist(seen.content) == _gist(message.content) and len(seen.files) == len(message.files)
        return is_author and is_same


_UNKNOWN_MESSAGE = 10008
_SHORTER = 1900
"""How long the pieces of a message are that Discord found too long, in UTF-16 units."""


def _too_late() -> DeliveryError:
    msg = "A part of this answer was not sent: the answer was stopped while that part waited for Discord."
    return DeliveryError(msg, kind=DeliveryKind.SKIPPED)


def _span(messages: Sequence[Seen]) -> float:
    """The seconds between the first and the last of *messages*: their ids say when they were sent."""
    first, last = (int(seen.message) >> 22 for seen in (messages[0], messages[-1]))
    return (last - first) / 1000


def _gist(text: str) -> str:
    """What there is to see in *text*: Discord stores white space and what nobody sees in its own way, or not at all."""
    text = unicodedata.normalize("NFC", text)
    return "".join(letter for letter in text if not letter.isspace() and unicodedata.category(letter)[0] != "C")


def _speaks(letter: Letter) -> str:
    return letter.identity.name if letter.identity and letter.webhook else ""


def without_files(letter: Letter) -> list[Letter]:
    """*letter* without its files: what they show is said in words."""
    bare = replace(letter, message=replace(letter.message, files=(), buttons=()))  # buttons are about the file
    spare = shortened(letter.spare, _SHORTER) if letter.spare else []
    return _pieces(bare, [text for text in (letter.message.content, *spare) if text])


def _pieces(letter: Letter, texts: Sequence[str]) -> list[Letter]:
    """*letter* as several, each with one of *texts*: the first answers and the last has the files."""
    whole, last = letter.message, len(texts) - 1
    return [
        replace(
            letter,
            message=replace(
                whole,
                content=text,
                nonce=_nonce_of_piece(whole.nonce, number),
                reply_to=None if number else whole.reply_to,
                files=whole.files if number == last else (),
                embeds=whole.embeds if number == last else (),
                buttons=whole.buttons if number == last else (),
            ),
        )
        for number, text in enumerate(texts)
    ]


def _nonce_of_piece(nonce: str, number: int) -> str:
    """Under which nonce piece *number* of a message goes: a piece may be cut again, so each needs one of its own."""
    return blake2b(f"{nonce}.{number}".encode(), digest_size=11).hexdigest() if number and nonce else nonce


def _delay(letter: Letter, policy: Policy, error: ApiError) -> float | None:
    """How long *letter* waits before it is sent again; ``None`` if that would not help."""
    match policy.step:
        case Step.RETRY if letter.tries < len(RETRY_DELAYS):
            return RETRY_DELAYS[letter.tries]
        case Step.WAIT if letter.waits < _MOST_WAITS:
            soon = error.retry_after is not None and error.retry_after <= LONGEST_WAIT
            return error.retry_after if soon else None
        case _:
            return None


def _url(place: Place, message: str) -> str:
    return f"https://discord.com/channels/{place.guild or '@me'}/{place.channel}/{message}"
