"""A plugin for pytest: a Discord to test bots against, as fixtures.

pytest loads this file in every project where cadenza is installed, so it imports nothing before a fixture is used.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import nullcontext
from importlib.util import find_spec
from inspect import iscoroutinefunction
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from .server import Server
    from .world import World

try:
    from pytest_asyncio import fixture as async_fixture
except ImportError:  # others, such as anyio, run any fixture that is async
    async_fixture = pytest.fixture  # type: ignore[assignment]  # used in the same way

_HOW_TO_RUN = (
    "an async test needs a plugin that runs it: install pytest-asyncio and write 'asyncio_mode = auto' under [pytest] in "
    "pytest.ini, or mark the test with @pytest.mark.asyncio (or @pytest.mark.anyio)"
)


def pytest_runtest_setup(item: pytest.Item) -> None:
    """Fail a test that uses the server but that no plugin for async tests has taken, and say what it needs."""
    if type(item) is not pytest.Function or "discord_server" not in item.fixturenames:
        return  # pytest-asyncio has items of its own
    is_taken = "anyio_backend" in item.fixturenames or any(map(item.get_closest_marker, ("asyncio", "anyio")))
    if iscoroutinefunction(item.function) and not is_taken:
        pytest.fail(_HOW_TO_RUN, pytrace=False)


@pytest.fixture
def discord_world() -> World:
    """An empty Discord: put bots, people, guilds and channels into it."""
    from .world import World  # noqa: PLC0415  # see above

    return World()


@pytest.fixture
def discord_options() -> dict[str, Any]:
    """Arguments of ``serve`` besides the world, such as ``limits``; override this fixture to set them."""
    return {}


@async_fixture
async def discord_server(discord_world: World, discord_options: dict[str, Any]) -> AsyncIterator[Server]:
    """The same Discord on loopback. If discord.py is installed, it connects there instead of to the real one."""
    from .server import serve  # noqa: PLC0415  # see above

    async with serve(discord_world, **discord_options) as server:
        with server.discord_py() if find_spec("discord") else nullcontext():
            yield server
