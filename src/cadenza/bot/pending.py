"""Messages that wait for an answer or are being answered: in memory, in the limits and in the journal."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ..explain.tracebacks import get_logger
from ..turns import Dropped, IncomingMessage, Turn
from .reply_request import Greeting, ReplyRequest

if TYPE_CHECKING:
    from .announcements import Announcements
    from .background import Background
    from .wiring import BotServices

logger = get_logger(__name__)


class Pending:
    """The pending messages of one bot, by their keys, the oldest first."""

    def __init__(self, services: BotServices, announcements: Announcements, background: Background) -> None:
        self._services = services
        self._announcements = announcements
        self._background = background
        self._open: dict[str, IncomingMessage] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._open

    def __len__(self) -> int:
        return len(self._open)

    def add(self, heard: IncomingMessage) -> None:
        """Note that *heard* is to be answered."""
        self._open.setdefault(heard.id, heard)

    def newest(self, channel: str) -> IncomingMessage | None:
        """The message of *channel* that came last."""
        return next((heard for heard in reversed(self._open.values()) if heard.channel == channel), None)

    def is_waiting(self, channel: str, persona: str) -> bool:
        """Whether *persona* speaks in *channel* or is queued to."""
        wanted = persona.casefold()
        return any(one.channel == channel and one.persona.casefold() == wanted for one in self._open.values())

    def has_like(self, heard: IncomingMessage) -> bool:
        """Whether a message of the same author to the same persona is pending that *heard* can be answered with."""
        mine = (heard.channel, heard.author, heard.persona, False)
        return not heard.is_command and any(
            mine == (one.channel, one.author, one.persona, one.is_command) for one in self._open.values()
        )

    async def over(self, *keys: str, is_unfinished: bool = False) -> None:
        """Remove messages that were answered or will not be. An unfinished one stays in the journal for the next process."""
        closed = [heard for key in keys if (heard := self._open.pop(key, None))]
        for heard in closed:
            match heard.payload:
                case Greeting(person=person, server=server):
                    self._services.limits.leave(person, server)
                case ReplyRequest(admitted=person, server=server) if person:
                    self._services.limits.leave(person, server)
        if not is_unfinished:
            await self._services.journal.over(*keys)

    def dropped(self, heard: IncomingMessage, why: Dropped) -> None:
        """*heard* was queued and is not answered any more."""
        logger.info("queued message dropped: %s", why.value)
        self._background.start(self.over(heard.id, is_unfinished=why is Dropped.SHUTDOWN))

    def failed(self, turn: Turn, error: BaseException) -> None:
        """The reply to *turn* failed: its messages are over, and their author is told."""
        logger.error("reply failed", exc_info=error, extra={"turn": turn.id, "channel": turn.channel})
        self._background.start(self.over(*(heard.id for heard in turn.messages)))
        request = turn.messages[-1].payload
        if isinstance(request, ReplyRequest):
            sentence = "This answer failed ({error}); see the bot's log."
            self._background.start(self._announcements.tell(request.message, sentence, error=type(error).__name__))
