"""Asks Discord about the bot before it connects: its account, flags, guilds and permissions."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

import aiohttp

from ..errors import CadenzaError, Sentence

DISCORD = "https://discord.com/api/v10"
_AGENT = "DiscordBot (cadenza, 1)"
_TRIES = 3
_LONGEST_WAIT = 5.0


class PortalError(CadenzaError):
    """A failed request, in one sentence; ``status`` is the HTTP status, 0 without an answer."""

    def __init__(self, message: str, *, status: int = 0) -> None:
        super().__init__(message)
        self.status = status


@dataclass(slots=True)
class Portal:
    """Sends GET requests to Discord, within an ``async with``; rate limits and slow answers are retried."""

    token: str = field(repr=False)
    url: str = DISCORD
    seconds: float = 10.0
    """The timeout of one request."""
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
        """The answer to ``GET path``. Raises ``PortalError``."""
        for attempt in range(1, _TRIES + 1):
            try:
                return await self._answer(path)
            except _Busy as busy:
                if attempt == _TRIES or busy.wait > _LONGEST_WAIT:
                    msg = "Discord is busy and did not answer; try again in a minute"
                    raise PortalError(msg, status=busy.status) from None
                await asyncio.sleep(busy.wait)
        raise AssertionError  # the last try returns or raises

    async def ask_all(self, *paths: str) -> list[Any]:
        """The answers to *paths*, asked concurrently; raises the first ``PortalError`` when all are done."""
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
        except TimeoutError as error:
            msg = Sentence(
                "Discord did not answer within {seconds} seconds; check the network, or try again",
                seconds=f"{self.seconds:g}",
            )
            raise PortalError(msg) from error
        except (aiohttp.ClientError, OSError, ValueError) as error:
            msg = Sentence(
                "Discord cannot be reached ({error_type}); check the network", error_type=type(error).__name__
            )
            raise PortalError(msg) from error


class _Busy(Exception):  # noqa: N818  # not an error yet: it is retried
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
    msg = Sentence("Discord refused to answer (status {status})", status=status)
    raise PortalError(msg, status=status)


def _wait(header: str) -> float:
    try:
        return max(float(header), 0.0)
    except ValueError:
        return 0.5
