"""Characters who call each other: what one of them said may be answered by another, for a few times and no more.

All answers that go back to one message of a person are counted together, so there is an end whatever anybody says; a
person who speaks begins anew. Nobody answers themselves, nor twice at a time.
"""

from __future__ import annotations

import asyncio
import logging

import discord

from ..turns import IncomingMessage, TurnReason
from ..types import Completed
from .admission import Admission
from .answering import Answered
from .reply_request import ReplyRequest
from .services.bounded_dict import make_room
from .services.choices import Choice
from .services.message import ChatMessage
from .services.triggers import calls
from .wiring import BotServices

logger = logging.getLogger(__name__)

_MOST_COUNTED = 2000
"""Messages of people of which it is counted how many answers of characters to each other they led to."""


class Cascades:
    """Sees to it that characters answer each other."""

    def __init__(self, staff: BotServices, admission: Admission) -> None:
        self._staff = staff
        self._admission = admission
        self._counts: dict[str, int] = {}  # answers to each other, by what a person said; the oldest first

    async def follow(self, answered: Answered) -> None:
        """A character has said something: let whom it called answer."""
        said = _said(answered)
        if said is None:
            return
        occasion, request = answered.occasion, answered.request
        root = request.root or str(request.message.id)
        links = self._counts.get(root, 0)
        found = calls(said, occasion.cast, self._staff.config.now.conversation, occasion.choice, links=links)
        called = [call for call in found if not self._admission.is_waiting(said.channel, call.persona)]
        message = await self._message(answered) if called else None
        if message is None:
            return
        most = self._limit(occasion.choice) - links
        for call in called[: max(0, most)]:
            self._count(root)
            following = ReplyRequest(
                message,
                request.person,
                request.server,
                heard_at=asyncio.get_running_loop().time(),
                root=root,
            )
            heard = IncomingMessage(
                f"{said.id}#{call.persona}",
                said.channel,
                request.person,
                said.text,
                is_command=True,
                persona=call.persona,
                payload=following,
            )
            await self._admission.ask(heard)

    def _limit(self, choice: Choice) -> int:
        chosen = choice.cascade_limit
        return self._staff.config.now.conversation.cascade_limit if chosen is None else chosen

    def _count(self, root: str) -> None:
        count = self._counts.pop(root, 0)
        make_room(self._counts, _MOST_COUNTED)
        self._counts[root] = count + 1

    async def _message(self, answered: Answered) -> discord.Message | None:
        """The last message of a reply; it is asked for if the gateway has not told of it yet."""
        id_ = int(answered.reply.receipts[-1].message_id)
        channel = answered.occasion.message.channel
        try:
            return await channel.fetch_message(id_)
        except discord.HTTPException as error:
            logger.info("what a character said could not be read back (%s)", type(error).__name__)
            return None


def _said(answered: Answered) -> ChatMessage | None:
    """What a character said in all of its reply; ``None`` if that does not call for anything."""
    reply, occasion = answered.reply, answered.occasion
    is_whole = isinstance(reply.outcome, Completed) and bool(reply.receipts)
    is_farewell = answered.turn.why is TurnReason.STOP_REPLY  # whoever asked for silence does not want others to begin
    if not is_whole or is_farewell or not occasion.where.server:
        return None
    return ChatMessage(
        reply.receipts[-1].message_id,
        answered.turn.channel,
        author="",
        author_name=occasion.character.name,
        text="\n".join(receipt.post.text for receipt in reply.receipts),
        server=occasion.where.server,
        parent=occasion.where.parent,
        is_own=True,
        persona=occasion.character.name,
    )
