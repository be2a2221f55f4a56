"""Every call to the target of a reply, which is foreign code.

What it raises is logged and ends nothing, except for a failed send. The text of its errors may hold secrets.
"""

from __future__ import annotations

import asyncio
from asyncio import CancelledError
from collections.abc import Awaitable
from math import inf

from ...concurrency.tasks import must_rise, outlast
from ...errors import CadenzaError, DeliveryError, Sentence
from ...explain.recorder import Trace
from ...explain.tracebacks import get_logger
from ...stages.s7_delivery import as_post, rendered
from ...targets.target import Allowance, SupportsConclude, SupportsHurry, SupportsNotify, SupportsRemove, Target
from ...types import Identity, Notice, Post, Receipt, Roster, Scene
from .prepare import PostPreparer
from .typing_indicator import TypingIndicator

logger = get_logger(__name__)

_NOTICE_SECONDS = 10.0
"""Timeout of a notice."""


class TargetCalls:
    """Prepares posts and sends them to a target."""

    def __init__(
        self,
        target: Target,
        limit: int,
        preparer: PostPreparer | None = None,
        scene: Scene | None = None,
        trace: Trace | None = None,
    ) -> None:
        self._target = target
        self._limit = limit
        self._preparer = preparer or PostPreparer(painter=None)
        self._roster = scene.roster if scene else Roster()
        self._place = scene.channel if scene else ""
        self._trace = trace
        self.indicator = TypingIndicator(target)
        self.notices: list[Notice] = []
        """The notices that were shown."""

    # --- what it can do ----------------------------------------------------------------------

    @property
    def is_metered(self) -> bool:
        """Whether the target has a rate limit."""
        return callable(getattr(self._target, "allowance", None))  # isinstance of a protocol is slow

    @property
    def shows_notices(self) -> bool:
        """Whether notices are no messages of the chat."""
        return isinstance(self._target, SupportsNotify)

    @property
    def can_remove(self) -> bool:
        """Whether the target can delete messages."""
        return isinstance(self._target, SupportsRemove)

    def allowance(self, identity: Identity | None) -> Allowance | None:
        """Return what the target takes from *identity* now; ``None`` without a limit or a valid answer."""
        try:
            ask = getattr(self._target, "allowance", None)
            found = ask(identity) if callable(ask) else None
            if isinstance(found, Allowance) and found.left != inf:
                return Allowance(int(found.left), int(found.limit), float(found.seconds))
        except (Exception, CancelledError) as error:  # nothing is awaited here, so the cancellation is not ours
            logger.warning("asking the target for its allowance failed", exc_info=error)
        return None

    # --- posts -------------------------------------------------------------------------------

    def helps(self, post: Post) -> bool:
        """Return whether *post* needs preparation."""
        return self._preparer.helps(post)

    async def prepared(self, post: Post) -> list[Post]:
        """Return what to send for *post*; if its preparation fails, *post* as planned."""
        try:
            return await self._preparer.prepared(
                post, roster=self._roster, limit=self._limit, markup=self._target.limits.markup, place=self._place
            )
        except BaseException as error:
            if must_rise(error):
                raise
            logger.warning("preparing a message failed; it is sent as planned", exc_info=error)
            return list(post.instead) or [post]

    async def send(self, post: Post) -> Receipt:
        """Send *post*."""
        if self._trace:
            self._trace.sends(post)
        receipt = await self._preparer.sent(rendered(post, self._target.limits.markup), self._target)
        self.indicator.is_out()  # a message ends the typing
        return receipt

    async def remove(self, receipt: Receipt) -> bool:
        """Delete *receipt* and return whether it is gone."""
        if self._trace:
            self._trace.deletes()
        failure = None
        if isinstance(self._target, SupportsRemove):
            failure = await _failure(self._target.remove(receipt), "a message could not be deleted")
        if self._trace:
            self._trace.deleted(receipt, failure)
        return failure is None

    async def show(self, notice: Notice) -> None:
        """Show *notice*. A failure is only logged, for it is no part of the reply."""
        failure = await _failure(self._show(notice), f"a notice could not be shown: {notice.text}")
        if failure is None:
            self.notices.append(notice)
            self.indicator.is_out()  # a chat may show it as a message
        if self._trace:
            self._trace.notified(notice, is_shown=failure is None)

    async def show_once(self, notice: Notice) -> None:
        """Show *notice* unless it was shown before."""
        if notice not in self.notices:
            await self.show(notice)

    async def _show(self, notice: Notice) -> None:
        if isinstance(self._target, SupportsNotify):
            async with asyncio.timeout(_NOTICE_SECONDS):
                await self._target.notify(notice)
        else:
            sending = self._send_plain(as_post(notice, self._target.limits.markup))
            await outlast(asyncio.create_task(sending, name="cadenza notice"))

    async def _send_plain(self, post: Post) -> Receipt:
        return await self._target.send(post)

    async def conclude(self) -> None:
        """Tell the target that the next message is the last."""
        if isinstance(self._target, SupportsConclude):
            await _failure(self._target.conclude(), "telling the target that a reply ends failed")

    def hurry(self) -> None:
        """Tell the target that the reply has ended, so a send under way should not wait for long."""
        if isinstance(self._target, SupportsHurry):
            try:
                self._target.hurry()
            except Exception as error:  # a target is foreign code
                logger.warning("hurrying the target failed", exc_info=error)


async def _failure(call: Awaitable[object], what: str) -> BaseException | None:
    """Await *call*; log and return what it raised."""
    try:
        await call
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning("%s", what, exc_info=error)
        return error
    return None


def undelivered(error: BaseException) -> DeliveryError:
    """*error* as a ``DeliveryError``: the text of a foreign error may hold secrets."""
    if isinstance(error, DeliveryError):
        return error
    if isinstance(error, CadenzaError):
        reason = error.sentence
    else:
        logger.warning("a message could not be sent", exc_info=error)
        reason = Sentence("a message could not be sent ({error_type})", error_type=type(error).__name__)
    failure = DeliveryError(reason)
    failure.__cause__ = error
    return failure
