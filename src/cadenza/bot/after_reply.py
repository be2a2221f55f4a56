"""What follows a reply: one event, and its subscribers in one order."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from dataclasses import dataclass
from typing import TypeAlias

import discord

from ..explain.tracebacks import get_logger
from ..targets.discord_py.client_state import ClientState
from ..turns import Turn
from ..types import Broke, Receipt, Reply, Scene, Stalled, Stopped
from .announcements import language_for
from .background import Background, guarded
from .memory.location import Location
from .memory.privacy import PrivacyLevel
from .reply_request import ReplyRequest
from .scene import TurnContext, identity_of
from .services.own_messages import OwnMessage, OwnMessages
from .services.thought_record import ThoughtRecord
from .store.store import StoreError
from .thought_log import Thought, log_thoughts
from .wiring import BotServices

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class ReplyFinished:
    """A turn has ended, and its reply is in the channel."""

    turn: Turn
    request: ReplyRequest
    turn_context: TurnContext
    scene: Scene
    reply: Reply
    thoughts: ThoughtRecord
    besides: tuple[Receipt, ...]
    """Messages that were posted with the reply and are not part of it."""
    seconds: float
    """From the message to the end of the turn."""
    waited: float
    """How much of that was spent in the queue."""


Subscriber: TypeAlias = Callable[[ReplyFinished], Awaitable[None]]


class AfterReply:
    """Tells subscribers of a finished reply, one after another. One that fails is logged, and the next is told.

    The order: metrics, log, records (own messages and explanations), limits, memory, thought log; then those that
    subscribed later, such as cascades. Records come before cascades, which begin another turn that reads them.
    """

    def __init__(
        self,
        services: BotServices,
        own: OwnMessages,
        client: discord.Client,
        client_state: ClientState,
        background: Background,
    ) -> None:
        self._services = services
        self._own = own
        self._client = client
        self._client_state = client_state
        self._background = background
        self._subscribers: list[tuple[str, Subscriber]] = [
            ("metrics", self._measure),
            ("log", _log),
            ("records", self._record),
            ("limits", self._charge),
            ("memory", self._remember),
            ("thought log", self._log_thoughts),
        ]

    def subscribe(self, what: str, subscriber: Subscriber) -> None:
        """Tell *subscriber* of every finished reply, after those before it; *what* names it in the log."""
        self._subscribers.append((what, subscriber))

    async def publish(self, event: ReplyFinished) -> None:
        """Tell all subscribers of *event*."""
        for what, subscriber in self._subscribers:
            await guarded(f"{what} after a reply", subscriber(event))

    async def keep(self, own: Iterable[OwnMessage], turn: str, reply: Reply, where: Location) -> None:
        """Record the messages of a reply as ours, and keep its explanation."""
        async with self._services.memory.privacy.writing:  # a person cannot be forgotten meanwhile
            kept = where.server if await may_keep(self._services, where) else ""
            await guarded("keeping own messages", self._own.note(list(own), server=kept))
            explained = self._services.explanations.keep(turn, reply, server=kept, author=where.person)
            await guarded("keeping an explanation", explained)

    async def _measure(self, event: ReplyFinished) -> None:
        self._services.metrics.turn_ended(seconds=event.seconds, waited=event.waited)

    async def _record(self, event: ReplyFinished) -> None:
        await self.keep(_own_messages(event), event.turn.id, event.reply, event.turn_context.where)

    async def _charge(self, event: ReplyFinished) -> None:
        await self._services.limits.spent(event.request.person, event.turn_context.where.server, event.reply.usage)

    async def _remember(self, event: ReplyFinished) -> None:
        await self._services.memory.keep(event.turn_context.where, event.scene.history, event.reply)

    async def _log_thoughts(self, event: ReplyFinished) -> None:
        turn_context = event.turn_context
        if not await may_keep(self._services, turn_context.where):
            return
        thought = Thought(
            event.thoughts,
            turn_context.message.channel,
            event.turn.id,
            turn_context.character.name,
            identity_of(turn_context.character),
            event.seconds,
            event.waited,
            language=language_for(turn_context.message.guild, turn_context.choice, self._services.config.now),
        )
        # In the background: the next turn must not wait for the rate limit of the log's channel.
        self._background.start(log_thoughts(thought, turn_context.choice, self._client_state, self._client))


async def may_keep(services: BotServices, where: Location) -> bool:
    """Whether records about *where* may be kept under its guild: its person allows it and was not forgotten.

    Otherwise what is kept names no guild, as in direct messages.
    """
    privacy = services.memory.privacy
    if privacy.is_forgotten(where.person, where.message):
        return False
    try:
        return (await privacy.of(where.person)).level is not PrivacyLevel.FULL
    except StoreError:
        return False


def own_message(receipt: Receipt, turn: Turn, persona: str, *, author: str, answers: str = "") -> OwnMessage:
    """The record of one message of a reply."""
    return OwnMessage(
        receipt.message_id,
        turn.channel,
        persona,
        label=receipt.post.label,
        sprite=receipt.identity.sprite if receipt.identity else "",
        turn=turn.id,
        answers=answers,
        author=author,
        is_webhook=receipt.identity is not None,
    )


def _own_messages(event: ReplyFinished) -> list[OwnMessage]:
    persona, person, answers = event.turn_context.character.name, event.request.person, str(event.request.message.id)
    receipts = (*event.besides, *event.reply.receipts)
    return [own_message(receipt, event.turn, persona, author=person, answers=answers) for receipt in receipts]


async def _log(event: ReplyFinished) -> None:
    """Log how a turn ended, without its text."""
    reply, where = event.reply, event.turn_context.where
    about = {"turn": where.turn, "channel": where.channel, "server": where.server}
    match reply.outcome:
        case Broke(error):
            logger.warning("reply broke off: %s", error, extra=about)
        case Stalled():
            logger.warning("reply stalled: the model sent nothing more", extra=about)
        case outcome:
            ended = outcome.reason.value if isinstance(outcome, Stopped) else type(outcome).__name__.lower()
            numbers = (ended, len(reply.receipts), event.seconds, event.waited, reply.model or "none")
            logger.info("turn ended: %s; messages: %d, seconds: %.1f, waited: %.1f, model: %s", *numbers, extra=about)
