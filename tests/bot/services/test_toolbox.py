"""All tools of a bot, also when some of them are broken."""

from __future__ import annotations

import asyncio
import logging
import sys
import threading
from collections.abc import Callable
from dataclasses import replace
from importlib.util import find_spec
from pathlib import Path
from random import Random

import pytest

from cadenza.bot.config.config import Config, ToolsConfig
from cadenza.bot.config.current import Current
from cadenza.bot.services import mcp_servers, toolbox as toolbox_module
from cadenza.bot.services.toolbox import Toolbox
from cadenza.tools.functions import toolset
from cadenza.tools.tool import ToolContext

SIMPLE = str(Path(__file__).parents[2] / "tools" / "mcp" / "a_simple_server.py")


async def names(toolbox: Toolbox) -> list[str]:
    return list(toolset(await toolbox.tools()))


def configured(folder: Path = Path(), **tools: object) -> Config:
    return Config(tools=ToolsConfig(**tools), folder=folder)  # type: ignore[arg-type]  # as it is told


@pytest.mark.looptime
async def test_a_bot_has_a_clock_and_dice() -> None:
    async with Toolbox(Current(Config()), clock=lambda: 0.0, random=Random(1)) as toolbox:
        time, dice = await toolbox.tools()

        assert "Thursday, 1 January 1970, 00:00 (UTC, UTC+0000)" == await time.run({}, ToolContext())
        assert ("time", "dice") == (time.spec.name, dice.spec.name)


@pytest.mark.looptime
async def test_only_what_is_wanted_is_there_and_an_unknown_one_is_a_line(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level(logging.WARNING):
        async with Toolbox(Current(configured(builtin=("dice", "lottery", "dice")))) as toolbox:
            assert ["dice"] == await names(toolbox)
            assert ["dice"] == await names(toolbox)

    assert 1 == caplog.text.count("there is no built-in tool 'lottery'; there are: time, dice")


async def test_a_broken_file_leaves_the_other_tools(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "good.py").write_text("def brew() -> str:\n    'Brew.'\n    return 'tea'", encoding="utf-8")
    (tmp_path / "bad.py").write_text("\nraise ValueError('key-4711')", encoding="utf-8")
    files = ("bad.py", "good.py", "missing.py")

    with caplog.at_level(logging.WARNING):
        async with Toolbox(Current(configured(tmp_path, files=files))) as toolbox:
            assert ["time", "dice", "brew"] == await names(toolbox)

    assert "the tools in 'bad.py' cannot be used: ValueError in line 2" in caplog.text
    assert "'missing.py'" in caplog.text
    assert "4711" not in str(caplog.messages), "only its traceback has it"


async def test_of_two_tools_with_one_name_the_first_is_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "mine.py").write_text("def dice() -> str:\n    'Always six.'\n    return '6'", encoding="utf-8")

    with caplog.at_level(logging.WARNING):
        async with Toolbox(Current(configured(tmp_path, files=("mine.py",)))) as toolbox:
            tools = {tool.spec.name: tool for tool in await toolbox.tools()}
            assert ["time", "dice"] == await names(toolbox)

    assert "Roll dice, fairly." == tools["dice"].spec.description
    assert 1 == caplog.text.count("there are two tools named 'dice'")


async def test_a_change_of_the_configuration_is_followed(tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text("def brew() -> str:\n    'Brew.'", encoding="utf-8")
    current = Current(configured(tmp_path))
    async with Toolbox(current) as toolbox:
        assert ["time", "dice"] == await names(toolbox)

        current.change(replace(current.now, tools=ToolsConfig(builtin=(), files=("mine.py",))))
        assert ["brew"] == await names(toolbox)

        file.write_text("def stir() -> str:\n    'Stir.'", encoding="utf-8")
        assert ["brew"] == await names(toolbox)
        current.change(replace(current.now, language="ja"))
        assert ["stir"] == await names(toolbox)

        current.change(configured(tmp_path, builtin=("time",)))
        assert ["time"] == await names(toolbox)


@pytest.mark.timeout(60)
async def test_servers_stay_while_their_entries_do_and_go_with_them(
    not_tested: Callable[[str], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(mcp_servers, "_CONNECT_WAIT", 50.0)
    if find_spec("mcp") is None:
        not_tested("MCP servers of a bot; try: pip install 'cadenza[mcp]'")
        pytest.skip("the MCP SDK is not installed")
    tea = {"command": sys.executable, "args": [SIMPLE, "polite"]}
    current = Current(configured(builtin=(), mcp={"tea": tea}))
    async with Toolbox(current) as toolbox:

        async def pid() -> str:
            tools = {tool.spec.name: tool for tool in await toolbox.tools()}
            result = await tools["tea_pid"].run({}, ToolContext())
            return str(result.text)  # type: ignore[attr-defined]

        first = await pid()
        current.change(replace(current.now, language="ja"))
        assert first == await pid()
        current.change(configured(builtin=("time",), mcp={}))
        assert ["time"] == await names(toolbox)
    assert () == await toolbox.tools()


async def test_a_file_that_does_not_end_holds_nobody_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(toolbox_module, "_FILE_TAKES", 1.0)
    (tmp_path / "endless.py").write_text("import time\nwhile True:\n    time.sleep(0.001)", encoding="utf-8")
    (tmp_path / "good.py").write_text("def brew() -> str:\n    'Brew.'", encoding="utf-8")

    with caplog.at_level(logging.WARNING):
        async with Toolbox(Current(configured(tmp_path, builtin=(), files=("endless.py", "good.py")))) as toolbox:
            assert ["brew"] == await names(toolbox)

    assert "the tools in 'endless.py' cannot be used: the file did not finish within" in caplog.text
    running = [thread for thread in threading.enumerate() if thread.name == "cadenza tool file"]
    for thread in running:
        thread.join(30)
    assert not any(thread.is_alive() for thread in running)


async def test_one_who_was_cancelled_while_looking_leaves_it_to_the_next(tmp_path: Path) -> None:
    slow = f"""
import time
from pathlib import Path

while not Path({str(tmp_path / "go")!r}).exists():
    time.sleep(0.001)

def brew() -> str:
    'Brew.'
"""
    (tmp_path / "slow.py").write_text(slow, encoding="utf-8")
    async with Toolbox(Current(configured(tmp_path, builtin=(), files=("slow.py",)))) as toolbox:
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.02):
                await toolbox.tools()
        (tmp_path / "go").touch()

        assert ["brew"] == await names(toolbox)


@pytest.mark.looptime
async def test_nothing_that_goes_wrong_is_raised(caplog: pytest.LogCaptureFixture) -> None:
    broken = Config(tools=ToolsConfig(builtin=None))  # type: ignore[arg-type]  # what nobody thought of
    current = Current(Config())
    async with Toolbox(current) as toolbox:
        assert ["time", "dice"] == await names(toolbox)
        current.change(broken)
        with caplog.at_level(logging.ERROR):
            assert ["time", "dice"] == await names(toolbox)

    assert "tools could not be loaded" in caplog.text
    assert caplog.records[0].exc_text
