"""The cooldown of a bot that Discord shuts out: nothing is asked for a while, then one request tries, and so on.

Each request that meets a closed door makes matters worse: Discord bans an address that is refused 10,000 times within ten
minutes. So the pauses grow until a request succeeds.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from math import isfinite

from ...errors import Sentence
from ...explain.tracebacks import get_logger
from .api import ApiError
from .cancellable_waits import CancellableWaits
from .policies import LONGEST_WAIT, Policy, Step, policy_for

logger = get_logger(__name__)

_LEAST = 1.0
"""The shortest pause, in seconds, even if Discord asks for less."""
_MOST_ASKED = 86_400.0
"""The longest ``retry_after`` that is believed, in seconds."""
_RELAPSE = 60.0
"""Seconds after its end in which a cooldown that begins again goes on growing: some requests may pass while others do not."""


class Cooldown:
    """Whether Discord shuts a bot out, and until when. One for each bot; it has no task."""

    def __init__(self) -> None:
        self._policy: Policy | None = None
        self._error: ApiError | None = None
        self._clock: Callable[[], float] = lambda: 0.0  # that of the loop, as soon as there is something to measure
        self._until = 0.0
        self._pause = 0.0
        self._relapses_until = 0.0
        self._number = 0  # of the pause: what a request learns counts only if it began in this one
        self._trial: asyncio.Future[None] | None = None

    @property
    def reason(self) -> str | None:
        """Why Discord shuts the bot out, such as ``banned``; ``None`` since the last success."""
        return None if self._policy is None else self._policy.name

    @property
    def left(self) -> float:
        """Seconds until a request may try; 0 if one may now."""
        return 0.0 if self._policy is None else max(0.0, self._until - self._clock())

    @property
    def is_long(self) -> bool:
        """Whether a message fails at once, because it would wait too long."""
        return self.left > LONGEST_WAIT

    def reset(self) -> None:
        """End it by hand, and the growth of its pauses."""
        self._policy = self._error = None
        self._pause = self._relapses_until = 0.0

    async def pause(self, waits: CancellableWaits | None = None) -> None:
        """Wait until a request may try, as ``request`` does."""
        waits = waits or CancellableWaits()
        while (left := self.left) > 0:
            if self.is_long:
                raise self._shut_out()
            async with waits.patience():
                await asyncio.sleep(left)

    @asynccontextmanager
    async def request(self, waits: CancellableWaits | None = None) -> AsyncIterator[None]:
        """Context of one request of Discord; it waits before, and learns from what is raised.

        It raises an ``ApiError`` if that would take too long. If *waits* is wanted while it waits, it raises ``Hurried``.
        """
        trial = await self._admitted(waits or CancellableWaits())
        number = self._number
        try:
            yield
        except ApiError as error:
            self._failed(error, number)
            raise
        else:
            self._succeeded(number)
        finally:
            if trial is not None:
                self._trial = None
                trial.set_result(None)

    # --- before a request ----------------------------------------------------------------------

    async def _admitted(self, waits: CancellableWaits) -> asyncio.Future[None] | None:
        """Wait until a request may be made; returns a future that it resolves if it is the one that tries."""
        while self._policy is not None:
            if self.left > 0:
                await self.pause(waits)
            elif self._trial is None:
                self._trial = asyncio.get_running_loop().create_future()
                return self._trial
            else:
                await self._tried(self._trial, waits)
        return None

    async def _tried(self, trial: asyncio.Future[None], waits: CancellableWaits) -> None:
        """Wait for the result of another request, but not for ever."""
        async with waits.patience():
            done, _ = await asyncio.wait([trial], timeout=LONGEST_WAIT)
        if not done:
            raise self._shut_out()

    def _shut_out(self) -> ApiError:
        """The error of a request that is not made: that of the last one, with the time that is left."""
        last = self._error or ApiError("")
        seconds = max(self.left, 1.0)  # behind a request that takes long, none may be left
        message = Sentence("nothing is asked of Discord for {seconds} more seconds.", seconds=f"{seconds:.0f}")
        return ApiError(message, status=last.status, code=last.code, retry_after=seconds, is_ban=last.is_ban)

    # --- after a request -----------------------------------------------------------------------

    def _failed(self, error: ApiError, number: int) -> None:
        policy = policy_for(error)
        if policy.step is not Step.COOLDOWN:
            if error.status is not None and error.status < 500:
                self._succeeded(number)  # Discord has listened
        elif number == self._number or self._policy is None:
            self._begin(policy, error)

    def _begin(self, policy: Policy, error: ApiError) -> None:
        """Begin a pause: the first, or a longer one."""
        now = self._clock = asyncio.get_running_loop().time
        is_first = self._policy is None
        if is_first and now() >= self._relapses_until:
            self._pause = 0.0
        asked = error.retry_after if error.retry_after is not None and isfinite(error.retry_after) else 0.0
        grown = max(2 * self._pause, 0.0 if asked > 0 else policy.first_pause)
        self._pause = max(_LEAST, min(grown, policy.longest_pause), min(asked, _MOST_ASKED))
        self._until = now() + self._pause
        self._policy, self._error = policy, error
        self._number += 1
        logger.error(
            "Discord %s (%s): nothing is asked of it for %.0f seconds, then one request tries; %s",
            "shuts the bot out" if is_first else "still shuts the bot out",
            policy.name,
            self._pause,
            policy.advice,
        )

    def _succeeded(self, number: int) -> None:
        if self._policy is None or number != self._number:
            return
        logger.info("Discord listens to the bot again (%s is over)", self._policy.name)
        self._policy = self._error = None
        self._relapses_until = self._clock() + _RELAPSE
