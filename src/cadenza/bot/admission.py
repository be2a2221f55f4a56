"""From a message to the desk: whether it is answered, by whom, and whether that is not too much."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Callable, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace

import discord

from ..text.stop_phrases import is_stop
from ..turns import IncomingMessage, Turns, Verdict
from .authorship import is_ours
from .characters.cast import named
from .characters.character import Character
from .incoming import said_of
from .reply_request import Greeting, ReplyRequest, key_of, message_of, request_of
from .services.bounded_dict import make_room
from .services.choices import Choice
from .services.journal import JournalEntry
from .services.message import ChatMessage
from .services.own_messages import OwnMessages
from .services.quotas import Excess
from .services.triggers import Cause, TriggerMatch, calls
from .wiring import BotServices

logger = logging.getLogger(__name__)

_MOST_SEEN = 4096
"""Messages that are known again if the gateway tells of them twice, as it does after a broken line."""
_MOST_RECENT = 500
"""Messages of which it is known what was asked of the desk."""
_MOST_COUNTED = 5000
"""Channels of which it is counted how much was said since the bot last spoke."""


class Admission:
    """One for a bot. *warn* tells people that they have had enough."""

    def __init__(
        self,
        staff: BotServices,
        own: OwnMessages,
        turns: Turns,
        *,
        client: discord.Client,
        warn: Callable[[discord.Message, Excess], object],
    ) -> None:
        self._staff = staff
        self._own = own
        self._turns = turns
        self._client = client
        self._warn = warn
        self._seen: dict[str, None] = {}
        self._counts: dict[str, int] = {}
        self._bots: dict[str, int] = {}  # messages of other bots that were answered since a person spoke, by channel
        self._open: dict[str, IncomingMessage] = {}  # what is being answered or waits, by its key
        self._recent: dict[str, IncomingMessage] = {}  # what was, too: a message may still be changed
        self._gone: dict[str, None] = {}  # messages that were deleted: one of them may not be at the desk yet
        self._last: dict[str, asyncio.Future[None]] = {}  # ends when the last message of a channel has been seen to

    # --- what is heard ------------------------------------------------------------------------

    async def hear(self, message: discord.Message) -> None:
        """Somebody who is not of ours has written *message*."""
        if not _is_new(self._seen, str(message.id), _MOST_SEEN):
            return
        async with self._in_order(str(message.channel.id)):
            await self._hear(message)

    @asynccontextmanager
    async def _in_order(self, channel: str) -> AsyncIterator[None]:
        """One message of *channel* after another: each is looked up for a while, and some take longer than others."""
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
        choice = await self._staff.choices.here(said.server, said.channel, said.parent)
        cast = await self.present(said.server, choice)
        self._count(said)
        found = calls(
            said,
            cast,
            self._staff.config.now.conversation,
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

    async def present(self, server: str, choice: Choice) -> tuple[Character, ...]:
        """Who may speak where *choice* holds, whoever answers by default first."""
        everybody = await self._staff.cast.of(server)
        allowed = [named(everybody, name) for name in choice.personas or ()]
        here = [one for one in everybody if one in allowed] or list(everybody)
        first = named(here, choice.persona or "")
        return tuple(sorted(here, key=lambda one: (one != first, not one.is_main)))

    async def _said(self, message: discord.Message) -> ChatMessage:
        return said_of(message, user_of(self._client), answers=await self._answered_persona(message))

    async def _answered_persona(self, message: discord.Message) -> str:
        """Whose message *message* replies to: the name of one of our characters, ``*`` if it is just ours."""
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
        """Whoever is being answered and says more need not call anybody by name, unless they speak to somebody else."""
        persona = self._who_answers(said)
        if persona is None or said.is_bot or said.is_system or not (said.text or said.has_more):
            return ()
        me = user_of(self._client)
        is_to_others = message.reference is not None or any(person.id != me.id for person in message.mentions)
        if is_to_others and not is_stop(said.text, (persona,)):
            return ()
        return (TriggerMatch(persona, Cause.REPLY),)

    def _who_answers(self, said: ChatMessage) -> str | None:
        """Who answers the author of *said*, or is going to unless somebody else has asked for something since."""
        turn = next((turn for turn in self._turns.running() if turn.channel == said.channel), None)
        if turn is not None and turn.author == said.author:
            return turn.persona
        newest = next((heard for heard in reversed(self._open.values()) if heard.channel == said.channel), None)
        if newest is None or newest.author != said.author or newest.is_command:
            return None
        return newest.persona

    # --- the desk ---------------------------------------------------------------------------

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
        excess = await self._staff.limits.admit(said.author, said.server)
        if excess is not None and not (self._is_mere_stop(heard) or self._says_more(heard, excess)):
            await self._refuse(request.message, said.author, excess)
            return
        if excess is None:
            heard = replace(heard, payload=replace(request, admitted=said.author))
        await self.ask(heard)

    def _is_mere_stop(self, heard: IncomingMessage) -> bool:
        """Whoever has had enough may still say so."""
        is_running = any(
            turn.channel == heard.channel and turn.author == heard.author for turn in self._turns.running()
        )
        return is_running and is_stop(heard.text, (heard.persona,))

    def _says_more(self, heard: IncomingMessage, excess: Excess) -> bool:
        """Whether *heard* is answered together with what was let in before, and is no answer more."""
        is_at_once = excess in (Excess.USER_ACTIVE, Excess.SERVER_ACTIVE)
        mine = (heard.channel, heard.author, heard.persona, False)
        return (
            is_at_once
            and not heard.is_command
            and any(mine == (one.channel, one.author, one.persona, one.is_command) for one in self._open.values())
        )

    async def _refuse(self, message: discord.Message, person: str, excess: Excess) -> None:
        logger.info("a message is not answered (%s)", excess.value)
        self._staff.metrics.refused(excess.value)
        if await self._staff.limits.may_warn(person, excess):
            self._warn(message, excess)

    async def ask(self, heard: IncomingMessage, *, is_written: bool = False) -> Verdict:
        """Let the desk see to *heard*, which is written down before, unless it is already."""
        self._open.setdefault(heard.id, heard)
        if not is_written and isinstance(heard.payload, ReplyRequest):  # who was to be greeted asks again
            await self._staff.journal.heard(_entry(heard))
        if message_of(heard.id) in self._gone:  # meanwhile, or before anybody could answer it
            await self.over(heard.id)
            return Verdict.STOPPED
        self._recent.pop(heard.id, None)
        make_room(self._recent, _MOST_RECENT)
        self._recent[heard.id] = heard
        verdict = self._turns.heard(heard)
        if verdict in (Verdict.STOPPED, Verdict.FULL, Verdict.CLOSED, Verdict.REPEATED):
            await self.over(heard.id)
        return verdict

    def is_waiting(self, channel: str, persona: str) -> bool:
        """Whether *persona* speaks in *channel*, or is going to."""
        wanted = persona.casefold()
        return any(one.channel == channel and one.persona.casefold() == wanted for one in self._open.values())

    async def over(self, *keys: str, is_unfinished: bool = False) -> None:
        """They were answered, or will not be. What *is_unfinished* stays in the journal for the next process."""
        closed = [heard for key in keys if (heard := self._open.pop(key, None))]
        for heard in closed:
            match heard.payload:
                case Greeting(person=person, server=server):
                    self._staff.limits.leave(person, server)
                case ReplyRequest(admitted=person, server=server) if person:
                    self._staff.limits.leave(person, server)
        if not is_unfinished:
            await self._staff.journal.over(*keys)

    # --- what is done to a message --------------------------------------------------------------

    async def edited(self, message: discord.Message) -> None:
        """*message* says something else now. To answer it anew is one answer more, also for who is counted."""
        async with self._in_order(str(message.channel.id)):
            for heard in self._keys(str(message.id)):
                request = heard.payload
                if isinstance(request, ReplyRequest):
                    await self._changed(heard, replace(request, message=message))

    async def _changed(self, heard: IncomingMessage, request: ReplyRequest) -> None:
        changed = replace(heard, text=request.message.content, payload=request)
        if self._turns.would_rerun(changed):
            excess = await self._staff.limits.admit_again(heard.author, request.server)
            if excess is not None:
                await self._refuse(request.message, heard.author, excess)
                return
        self._recent[heard.id] = changed
        self._turns.edited(changed)

    def deleted(self, channel: str, messages: Iterable[str]) -> None:
        """They are gone."""
        for message in messages:
            _is_new(self._gone, message, _MOST_SEEN)
            keys = [heard.id for heard in self._keys(message)] or [message]
            for key in keys:
                self._turns.deleted(channel, key)

    def forget(self, person: str) -> None:
        """Nothing that *person* said is known any more, but for what is being answered."""
        for key in [key for key, heard in self._recent.items() if heard.author == person and key not in self._open]:
            del self._recent[key]

    def _keys(self, message: str) -> list[IncomingMessage]:
        return [heard for key, heard in self._recent.items() if message_of(key) == message]


def user_of(client: discord.Client) -> discord.ClientUser:
    """Who we are; a client that hears something knows it."""
    if client.user is None:
        msg = "the client is not logged in"
        raise RuntimeError(msg)
    return client.user


def _entry(heard: IncomingMessage) -> JournalEntry:
    """What is written down of *heard*."""
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
    """Note *key*; say whether it was not there."""
    if key in seen:
        return False
    make_room(seen, most)
    seen[key] = None
    return True
