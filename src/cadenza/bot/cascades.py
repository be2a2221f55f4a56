"""Cascades: a character that pings another one is answered by it, up to a limit.

All answers that go back to one message of a person share one count, so a cascade always ends. A character neither
answers itself nor speaks twice at a time.
"""

from __future__ import annotations

import asyncio

import discord

from ..explain.tracebacks import get_logger
from ..turns import IncomingMessage
from ..types import Completed
from .admission import Admission
from .after_reply import ReplyFinished
from .pending import Pending
from .reply_request import ReplyRequest
from .services.bounded_dict import make_room
from .services.choices import Choice
from .services.message import ChatMessage
from .services.triggers import calls
from .wiring import BotServices

logger = get_logger(__name__)

_MOST_COUNTED = 2000
"""Messages of people whose cascades are counted."""


class Cascades:
    """Lets characters answer each other."""

    def __init__(self, services: BotServices, pending: Pending, admission: Admission) -> None:
        self._services = services
        self._pending = pending
        self._admission = admission
        self._counts: dict[str, int] = {}  # answers by the message of a person, the oldest first

    async def follow(self, event: ReplyFinished) -> None:
        """Queue an answer of each character that the reply pings."""
        said = _said(event)
        if said is None:
            return
        turn_context, request = event.turn_context, event.request
        root = request.root or str(request.message.id)
        links = self._counts.get(root, 0)
        found = calls(said, turn_context.cast, self._services.config.now.conversation, turn_context.choice, links=links)
        called = [call for call in found if not self._pending.is_waiting(said.channel, call.persona)]
        message = await self._message(event) if called else None
        if message is None:
            return
        most = self._limit(turn_context.choice) - links
        for call in called[: max(0, most)]:
            self._count(root)
            following = ReplyRequest(
                message, request.person, request.server, heard_at=asyncio.get_running_loop().time(), root=root
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
        return self._services.config.now.conversation.cascade_limit if chosen is None else chosen

    def _count(self, root: str) -> None:
        count = self._counts.pop(root, 0)
        make_room(self._counts, _MOST_COUNTED)
        self._counts[root] = count + 1

    async def _message(self, event: ReplyFinished) -> discord.Message | None:
        """The last message of a reply, fetched from Discord."""
        id_ = int(event.reply.receipts[-1].message_id)
        channel = event.turn_context.message.channel
        try:
            return await channel.fetch_message(id_)
        except discord.HTTPException as error:
            logger.info("message of a character could not be fetched (%s)", type(error).__name__)
            return None


def _said(event: ReplyFinished) -> ChatMessage | None:
    """The text of a reply; ``None`` if it cannot start a cascade."""
    reply, turn_context = event.reply, event.turn_context
    is_whole = isinstance(reply.outcome, Completed) and bool(reply.receipts)
    if not is_whole or not turn_context.where.server:
        return None
    return ChatMessage(
        reply.receipts[-1].message_id,
        event.turn.channel,
        author="",
        author_name=turn_context.character.name,
        text="\n".join(receipt.post.text for receipt in reply.receipts),
        server=turn_context.where.server,
        parent=turn_context.where.parent,
        is_own=True,
        persona=turn_context.character.name,
    )
