"""An HTTP session without retries, so that no webhook message is sent twice.

Webhook messages have no nonce, and discord.py retries on a status of 500 or more, though the message may have arrived.
Here such an answer, or a broken connection, is raised at once; the caller can check whether the message is there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp

from .translate_errors import LineBroke, ServerTrouble


class NoRetrySession:
    """The part of an aiohttp session that discord.py's webhooks use; *see* gets the headers of every answer."""

    def __init__(self, session: aiohttp.ClientSession, see: Callable[[Mapping[str, str]], None]) -> None:
        self._session = session
        self._see = see

    def request(
        self, method: str, url: str, **options: Any
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse, bool | None]:
        """Send a request once."""
        return self._once(method, url, options)

    @asynccontextmanager
    async def _once(self, method: str, url: str, options: Mapping[str, Any]) -> AsyncIterator[aiohttp.ClientResponse]:
        try:
            async with self._session.request(method, url, **options) as response:
                self._see(response.headers)
                if response.status >= 500:
                    raise ServerTrouble(response.status)
                yield response
        except OSError as error:
            raise LineBroke(type(error).__name__) from error
