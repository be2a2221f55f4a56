"""Google's own client, talking to a server on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from google import genai
from google.genai import types
from google.genai.client import AsyncClient

IGNORE = pytest.mark.filterwarnings("ignore:Inheritance class AiohttpClientSession:DeprecationWarning")
"""What they do to aiohttp is theirs to change."""


@asynccontextmanager
async def googles_client(url: str) -> AsyncIterator[AsyncClient]:
    """The asynchronous half of their client, asking at *url*."""
    client = genai.Client(api_key="not-a-key", http_options=types.HttpOptions(base_url=url, api_version="v1beta"))
    try:
        async with client.aio as asynchronous:
            yield asynchronous
    finally:
        client.close()
