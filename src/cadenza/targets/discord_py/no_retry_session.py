"""A way to Discord on which nothing is sent twice.

Messages of webhooks have no nonce, and discord.py sends one again whenever Discord answers with a status of 500 or more,
though it may stand in the channel already. Here such an answer, or a line that breaks, is raised at once instead; what
then is done is decided by whoever can look whether the message is there.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import aiohttp

from .translate_errors import LineBroke, ServerTrouble


class NoRetrySession:
    """A session of aiohttp, as far as discord.py's webhooks use one; *see* is shown the headers of every answer."""

    def __init__(self, session: aiohttp.ClientSession, see: Callable[[Mapping[str, str]], None]) -> None:
        self._session = session
        self._see = see

    def request(
        self, method: str, url: str, **options: Any
    ) -> AbstractAsyncContextManager[aiohttp.ClientResponse, bool | None]:
        """The answer to a request, if there is one that says what became of it."""
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
            raise LineBroke(type(error).__name__) from None
