"""What Discord tells a bot of itself before it connects: who it is, what it may, where it is."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp

from ..errors import CadenzaError

DISCORD = "https://discord.com/api/v10"
_AGENT = "DiscordBot (cadenza, 1)"
_TRIES = 3
_LONGEST_WAIT = 5.0


class PortalError(CadenzaError):
    """Discord did not answer as hoped. Its text is one sentence; ``status`` is what it answered with, 0 if not at all."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Portal:
    """Asks Discord, within an ``async with``; what is only busy or slow is asked again."""

    token: str = field(repr=False)
    url: str = DISCORD
    seconds: float = 10.0
    """How long one answer may take."""
    _session: aiohttp.ClientSession | None = field(default=None, init=False, repr=False)

    async def __aenter__(self) -> Self:
        self._session = aiohttp.ClientSession(
            headers={"Authorization": f"Bot {self.token}", "User-Agent": _AGENT},
            timeout=aiohttp.ClientTimeout(total=self.seconds),
        )
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._session is not None:
            session, self._session = self._session, None
            await session.close()

    async def ask(self, path: str) -> Any:
        """What Discord answers to ``GET path``; raises a ``PortalError``."""
        for attempt in range(1, _TRIES + 1):
            try:
                return await self._answer(path)
            except _Busy as busy:
                if attempt == _TRIES or busy.wait > _LONGEST_WAIT:
                    msg = "Discord is busy and did not answer; try again in a minute"
                    raise PortalError(msg, status=busy.status) from None
                await asyncio.sleep(busy.wait)
        raise AssertionError  # the last try either answered or raised

    async def ask_all(self, *paths: str) -> list[Any]:
        """What it answers to each of *paths*, asked at the same time; raises the first ``PortalError`` when all are over."""
        answers = await asyncio.gather(*map(self.ask, paths), return_exceptions=True)
        for answer in answers:
            if isinstance(answer, BaseException):
                raise answer
        return answers

    async def _answer(self, path: str) -> Any:
        if self._session is None:
            msg = "a Portal is used within an 'async with'"
            raise RuntimeError(msg)
        try:
            async with self._session.get(f"{self.url}{path}") as response:
                return await _read(response)
        except TimeoutError:
            msg = f"Discord did not answer within {self.seconds:g} seconds; look at the network, or try again"
            raise PortalError(msg) from None
        except (aiohttp.ClientError, OSError, ValueError) as error:
            msg = f"Discord cannot be reached ({type(error).__name__}); look at the network"
            raise PortalError(msg) from None


class _Busy(Exception):  # noqa: N818  # not an error yet: it is asked again
    def __init__(self, status: int, wait: float) -> None:
        super().__init__(status)
        self.status = status
        self.wait = wait


async def _read(response: aiohttp.ClientResponse) -> Any:
    status = response.status
    if status == 200:
        return await response.json(content_type=None)
    if status == 429 or status >= 500:
        raise _Busy(status, _wait(response.headers.get("Retry-After", "")))
    if status == 401:
        msg = "Discord does not accept the token; make a new one (Bot, Reset Token) and put it into .env"
        raise PortalError(msg, status=status)
    msg = f"Discord refused to answer (status {status})"
    raise PortalError(msg, status=status)


def _wait(header: str) -> float:
    try:
        return max(float(header), 0.0)
    except ValueError:
        return 0.5
