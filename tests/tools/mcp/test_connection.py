"""How long an answer is waited for, and what is said of a server that cannot be had; sessions are in ``test_mcp.py``."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.tools.mcp.server_address import Place, ServerProgram, ServerUrl
from tests.timing import now

pytestmark = [pytest.mark.usefixtures("mcp_sdk"), pytest.mark.looptime]


async def test_every_sign_of_progress_gives_more_time() -> None:
    from cadenza.tools.mcp.connection import Progress, patiently

    async def answer(go_on: Progress) -> str:
        for step in range(5):
            await asyncio.sleep(9)
            await go_on(step, None, None)
        return "done"

    assert "done" == await patiently(answer, 10)
    assert 45 == now()


async def test_silence_ends_it_and_the_asking_is_cancelled() -> None:
    from cadenza.tools.mcp.connection import Progress, patiently

    cancelled = []

    async def answer(go_on: Progress) -> str:
        await asyncio.sleep(9)
        await go_on(1, 2, "half of it")
        try:
            await asyncio.sleep(11)
        except asyncio.CancelledError:
            cancelled.append(now())
            raise
        return "too late"

    with pytest.raises(TimeoutError):
        await patiently(answer, 10)
    assert [19] == cancelled


async def test_progress_that_comes_too_late_changes_nothing() -> None:
    from cadenza.tools.mcp.connection import Progress, patiently

    kept: list[Progress] = []

    async def answer(go_on: Progress) -> str:
        kept.append(go_on)
        return "done"

    assert "done" == await patiently(answer, 10)
    await kept[0](1, None, None)


PROGRAM, SITE = ServerProgram("/opt/tea"), ServerUrl("https://tea.example/?key=x")


@pytest.mark.parametrize(
    ("place", "error", "told"),
    [
        pytest.param(
            PROGRAM, PermissionError("secret"), "'tea' could not be started (PermissionError)", id="forbidden"
        ),
        pytest.param(
            SITE, ValueError("secret"), "'tea.example' does not speak as it should (ValueError)", id="nonsense"
        ),
        pytest.param(
            PROGRAM,
            ExceptionGroup("", [ExceptionGroup("", [OSError("secret")])]),
            "'tea' could not be started (OSError)",
            id="group",
        ),
    ],
)
def test_why_there_is_no_session_is_said_without_foreign_words(place: Place, error: Exception, told: str) -> None:
    from cadenza.tools.mcp.connection import _explained

    assert _explained(place, error).startswith(f"the MCP server {told}; check ")
    assert "secret" not in _explained(place, error)


async def test_a_list_that_never_ends_is_left() -> None:
    from mcp_types import ListToolsResult, Tool

    from cadenza.tools.mcp.connection import _listing

    class Endless:
        """As much of a client as is asked."""

        class server_capabilities:  # noqa: N801  # the SDK's name
            tools = object()

        def __init__(self) -> None:
            self.asked = 0

        async def list_tools(self, *, cursor: str | None) -> ListToolsResult:
            self.asked += 1
            return ListToolsResult(tools=[Tool(name=str(self.asked), input_schema={})], next_cursor=f"{cursor}+")

    client = Endless()

    assert 100 == len(await _listing(client)) == client.asked
