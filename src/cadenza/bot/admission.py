"""From a message to the queue: whether it is answered, by whom, and whether the limits allow it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TYPE_CHECKING

import discord

from ..explain.tracebacks import get_logger
from ..targets.discord_py.authorship import is_ours, user_of
from ..text.stop_phrases import is_stop
from ..turns import IncomingMessage, Turns, Verdict
from .incoming import said_of
from .reply_request import ReplyRequest, key_of, message_of, request_of
from .services.bounded_dict import make_room
from .services.journal import JournalEntry
from .services.quotas import Excess
from .services.triggers import Cause, TriggerMatch, calls

if TYPE_CHECKING:
    from .announcements import Announcements
    from .pending import Pending
    from .services.message import ChatMessage
    from .services.own_messages import OwnMessages
    from .wiring import BotServices

logger = get_logger(__name__)

_MOST_SEEN = 4096
"""Message ids remembered, since the gateway repeats events after a reconnect."""
_MOST_RECENT = 500
"""Messages remembered for a later edit."""
_MOST_COUNTED = 5000
"""Channels whose messages since the last reply are counted."""


class Admission:
    """Decides for one bot which messages are answered, and queues them."""

    def __init__(
        self,
        services: BotServices,
        own: OwnMessages,
        client: discord.Client,
        *,
        pending: Pending,
        announcements: Announcements,
        turns: Turns,
    ) -> None:
        self._services = services
        self._own = own
        self._client = client
        self._pending = pending
        self._announcements = announcements
        self._turns = turns
        self._seen: dict[str, None] = {}
        self._counts: dict[str, int] = {}
        self._bots: dict[str, int] = {}  # replies to other bots since a person spoke, by channel
        self._recent: dict[str, IncomingMessage] = {}  # also those that are over: a message may still be edited
        self._gone: dict[str, None] = {}  # deleted messages: one may not be queued yet
        self._last: dict[str, asyncio.Future[None]] = {}  # done when the last message of a channel is handled

    # --- what is heard ------------------------------------------------------------------------

    async def hear(self, message: discord.Message) -> None:
        """Handle *message*, which is not one of ours."""
        if not _is_new(self._seen, str(message.id), _MOST_SEEN):
            return
        async with self._in_order(str(message.channel.id)):
            await self._hear(message)

    @asynccontextmanager
    async def _in_order(self, channel: str) -> AsyncIterator[None]:
        """Handle the messages of *channel* in order, though their look-ups take different times."""
        before, done = self._last.get(channel), asyncio.get_running_loop().create_future()
        self._last[channel] = done
        try:
            if before is not None:
                await asyncio.wait([before])
            yield
        finally:
            done.set_result(None)
            if self._last.get(channel) is done:
                del self._last[channel]

    async def _hear(self, message: discord.Message) -> None:
        said = await self._said(message)
        choice = await self._services.choices.here(said.server, said.channel, said.parent)
        cast = await self._services.present(said.server, choice)
        self._count(said)
        found = calls(
            said,
            cast,
            self._services.config.now.conversation,
            choice,
            since_last=self._counts.get(said.channel, 0),
            bots_answered=self._bots.get(said.channel, 0),
        ) or self._follow_up(said, message)
        if not found:
            return
        self._counts.pop(said.channel, None)
        if said.is_bot:
            make_room(self._bots, _MOST_COUNTED)
            self._bots[said.channel] = self._bots.get(said.channel, 0) + 1
        request = ReplyRequest(message, said.author, said.server, heard_at=asyncio.get_running_loop().time())
        for number, call in enumerate(found):
            await self._admit(said, call, request, is_first=number == 0)

    async def _said(self, message: discord.Message) -> ChatMessage:
        return said_of(message, user_of(self._client), answers=await self._answered_persona(message))

    async def _answered_persona(self, message: discord.Message) -> str:
        """The character that *message* replies to; ``*`` if it is ours but the character is unknown."""
        reference = message.reference
        if reference is None or reference.message_id is None:
            return ""
        own = await self._own.about(str(reference.message_id))
        if own is not None:
            return own.persona
        answered = reference.resolved
        return "*" if isinstance(answered, discord.Message) and is_ours(answered) else ""

    def _count(self, said: ChatMessage) -> None:
        if said.is_bot or said.is_system:
            return
        self._bots.pop(said.channel, None)
        count = self._counts.pop(said.channel, 0)
        make_room(self._counts, _MOST_COUNTED)
        self._counts[said.channel] = count + 1

    def _follow_up(self, said: ChatMessage, message: discord.Message) -> tuple[TriggerMatch, ...]:
        """A follow-up of the person being answered needs no ping, unless it addresses others."""
        persona = self._who_answers(said)
        if persona is None or said.is_bot or said.is_system or not (said.text or said.has_more):
            return ()
        me = user_of(self._client)
        is_to_others = message.reference is not None or any(person.id != me.id for person in message.mentions)
        if is_to_others and not is_stop(said.text, (persona,)):
            return ()
        return (TriggerMatch(persona, Cause.REPLY),)

    def _who_answers(self, said: ChatMessage) -> str | None:
        """The character that answers the author of *said*, or is queued to and nobody asked later."""
        turn = next((turn for turn in self._turns.running() if turn.channel == said.channel), None)
        if turn is not None and turn.author == said.author:
            return turn.persona
        newest = self._pending.newest(said.channel)
        if newest is None or newest.author != said.author or newest.is_command:
            return None
        return newest.persona

    # --- the queue --------------------------------------------------------------------------

    async def _admit(self, said: ChatMessage, call: TriggerMatch, request: ReplyRequest, *, is_first: bool) -> None:
        heard = IncomingMessage(
            key_of(said.id, call.persona, is_first=is_first),
            said.channel,
            said.author,
            said.text,
            is_command=not is_first,
            persona=call.persona,
            payload=request,
        )
        excess = await self._services.limits.admit(said.author, said.server)
        if excess is not None and not (self._is_mere_stop(heard) or self._says_more(heard, excess)):
            await self._refuse(request.message, said.author, excess)
            return
        if excess is None:
            heard = replace(heard, payload=replace(request, admitted=said.author))
        await self.ask(heard)

    def _is_mere_stop(self, heard: IncomingMessage) -> bool:
        """Whether *heard* only stops a running reply, which is allowed over the limit."""
        is_running = any(
            turn.channel == heard.channel and turn.author == heard.author for turn in self._turns.running()
        )
        return is_running and is_stop(heard.text, (heard.persona,))

    def _says_more(self, heard: IncomingMessage, excess: Excess) -> bool:
        """Whether *heard* joins a pending message, so that it costs no further reply."""
        return excess in (Excess.USER_ACTIVE, Excess.SERVER_ACTIVE) and self._pending.has_like(heard)

    async def _refuse(self, message: discord.Message, person: str, excess: Excess) -> None:
        logger.info("message refused: %s", excess.value)
        self._services.metrics.refused(excess.value)
        if await self._services.limits.may_warn(person, excess):
            self._announcements.refuse(message, excess)

    async def ask(self, heard: IncomingMessage, *, is_written: bool = False) -> Verdict:
        """Journal *heard*, unless *is_written*, and queue it."""
        self._pending.add(heard)
        if not is_written and isinstance(heard.payload, ReplyRequest):  # a lost greeting can be asked for again
            await self._services.journal.heard(_entry(heard))
        if message_of(heard.id) in self._gone:  # deleted before it was queued
            await self._pending.over(heard.id)
            return Verdict.STOPPED
        self._recent.pop(heard.id, None)
        make_room(self._recent, _MOST_RECENT)
        self._recent[heard.id] = heard
        verdict = self._turns.heard(heard)
        if verdict in (Verdict.STOPPED, Verdict.FULL, Verdict.CLOSED, Verdict.REPEATED):
            await self._pending.over(heard.id)
        return verdict

    # --- what is done to a message --------------------------------------------------------------

    async def edited(self, message: discord.Message) -> None:
        """*message* was edited. A new reply to it counts towards the limits."""
        async with self._in_order(str(message.channel.id)):
            for heard in self._keys(str(message.id)):
                request = heard.payload
                if isinstance(request, ReplyRequest):
                    await self._changed(heard, replace(request, message=message))

    async def _changed(self, heard: IncomingMessage, request: ReplyRequest) -> None:
        changed = replace(heard, text=request.message.content, payload=request)
        if self._turns.would_rerun(changed):
            excess = await self._services.limits.admit_again(heard.author, request.server)
            if excess is not None:
                await self._refuse(request.message, heard.author, excess)
                return
        self._recent[heard.id] = changed
        self._turns.edited(changed)

    def deleted(self, channel: str, messages: Iterable[str]) -> None:
        """*messages* of *channel* were deleted."""
        for message in messages:
            _is_new(self._gone, message, _MOST_SEEN)
            keys = [heard.id for heard in self._keys(message)] or [message]
            for key in keys:
                self._turns.deleted(channel, key)

    def forget(self, person: str) -> None:
        """Forget the messages of *person*, except pending ones."""
        for key in [key for key, heard in self._recent.items() if heard.author == person and key not in self._pending]:
            del self._recent[key]

    def _keys(self, message: str) -> list[IncomingMessage]:
        return [heard for key, heard in self._recent.items() if message_of(key) == message]


def _entry(heard: IncomingMessage) -> JournalEntry:
    """The journal entry of *heard*."""
    request = request_of(heard)
    return JournalEntry(
        heard.id,
        str(request.message.id),
        heard.channel,
        heard.author,
        server=request.server,
        persona=heard.persona,
        at=time.time(),
        goes_on=request.goes_on,
        supersedes=tuple(receipt.message_id for receipt in request.supersedes),
        root=request.root,
    )


def _is_new(seen: dict[str, None], key: str, most: int) -> bool:
    """Add *key*; return whether it is new."""
    if key in seen:
        return False
    make_room(seen, most)
    seen[key] = None
    return True
