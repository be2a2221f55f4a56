"""MCP servers that a bot shares among its replies."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import pytest

from cadenza.bot.services import mcp_servers
from cadenza.bot.services.mcp_servers import McpServers, prefix_of
from cadenza.tools.tool import ToolContext

SIMPLE = str(Path(__file__).parent.parent / "tools" / "mcp" / "a_simple_server.py")
POLITE = {"command": sys.executable, "args": [SIMPLE, "polite"]}
MISSING = {"command": "no-such-program-4711"}
NAMES = ["tea_greet", "tea_pid", "tea_crash", "tea_environment"]


@pytest.fixture
def _sdk(not_tested: Callable[[str], None]) -> None:
    if find_spec("mcp") is None:
        not_tested("MCP servers of a bot; try: pip install 'cadenza[mcp]'")
        pytest.skip("the MCP SDK is not installed")


@pytest.mark.usefixtures("_sdk")
@pytest.mark.timeout(60)
async def test_a_server_is_connected_once_and_one_that_fails_is_passed_over(caplog: pytest.LogCaptureFixture) -> None:
    servers = McpServers({"tea": POLITE, "gone": MISSING})
    try:
        with caplog.at_level(logging.WARNING):
            tools, again = await asyncio.gather(servers.tools(), servers.tools())
            assert [NAMES, NAMES] == [[tool.spec.name for tool in each] for each in (tools, again)]
        pids = [await each[1].run({}, ToolContext()) for each in (tools, again, await servers.tools())]
        assert 1 == len({result.text for result in pids})  # type: ignore[attr-defined]
        assert 1 == caplog.text.count("the MCP server 'gone' cannot be reached")
    finally:
        await servers.close()
    assert [] == await servers.tools()


@pytest.mark.usefixtures("_sdk")
@pytest.mark.timeout(60)
async def test_one_that_failed_is_tried_again_after_a_rest(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(mcp_servers, "_RESTS", 0.0)
    servers = McpServers({"gone": MISSING})

    with caplog.at_level(logging.WARNING):
        assert [[], []] == [await servers.tools(), await servers.tools()]

    await servers.close()
    assert 2 == caplog.text.count("cannot be reached")


@pytest.mark.usefixtures("_sdk")
@pytest.mark.timeout(60)
async def test_one_that_is_slow_is_not_waited_for_and_ends_when_all_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(mcp_servers, "_PATIENCE", 0.05)
    script = "import sys; sys.stdin.read()"  # it never says a word
    servers = McpServers({"slow": {"command": sys.executable, "args": ["-c", script]}})

    assert [] == await servers.tools()
    async with asyncio.timeout(20):
        await servers.close()

    assert not [task for task in asyncio.all_tasks() if "mcp" in task.get_name()]


async def test_an_entry_that_is_nonsense_is_a_line_in_the_log(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        servers = McpServers({"odd": {"colour": "red"}})

    assert [] == await servers.tools()
    assert "the MCP server 'odd' cannot be used" in caplog.text
    await servers.close()


@pytest.mark.parametrize(
    ("name", "expected"), [("tea", "tea_"), ("my tea", "my_tea_"), ("7up", "_7up_"), ("", "__"), ("茶", "__")]
)
def test_names_of_tools_begin_with_their_server(name: str, expected: str) -> None:
    assert expected == prefix_of(name)


@pytest.mark.parametrize("name", ["x" * 100, "7" * 100, "é" * 100])
def test_a_long_name_is_cut_to_what_is_taken(name: str) -> None:
    assert len(prefix_of(name)) <= 32
