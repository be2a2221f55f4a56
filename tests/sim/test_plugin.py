"""The plugin as somebody has it who tests a bot of their own."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from cadenza.sim import plugin

pytestmark = pytest.mark.timeout(60)

OPTIONS = ("-p", "cadenza.sim.plugin", "-p", "no:cacheprovider", "-q")
ASYNCIO = ("-p", "pytest_asyncio.plugin")
ANYIO = ("-p", "anyio.pytest_plugin")
DOCS = Path(__file__).parents[2] / "docs"
PUT_BACK = """

def test_afterwards_discord_is_where_it_was():
    assert discord.http.Route.BASE == "https://discord.com/api/v10"
"""


FURNISHED = """
import discord
import pytest


@pytest.fixture
def mia(discord_world):
    return discord_world.add_person("Mia")


@pytest.fixture
def account(discord_world):
    return discord_world.add_bot("Pingu")


@pytest.fixture
def general(discord_server, discord_world, mia, account):
    return discord_world.add_channel(discord_world.add_guild("Home", owner=mia, members=[account]), "general")


@pytest.fixture
async def bot(discord_server, account):
    bot = discord.Client(intents=discord.Intents.all())
    bot.events = []
    for name in ("guild_join", "guild_channel_create", "member_join", "guild_role_create", "member_update", "thread_create"):
        setattr(bot, f"on_{name}", noting(bot, name))
    async with discord_server.running(bot, account.token):
        yield bot


def noting(bot, name):
    async def note(*about):
        bot.events.append(name)

    return note


@pytest.fixture
def later(bot, discord_world, mia, account):
    guild = discord_world.add_guild("Later", owner=mia, members=[account])
    channel = discord_world.add_channel(guild, "late")
    tom = discord_world.add_person("Tom")
    guild.join(tom)
    discord_world.give_role(guild, tom, discord_world.add_role(guild, "team"))
    discord_world.add_thread(channel, "aside")
    return channel


async def test_furnished_while_the_server_is_up(discord_server, general, bot, mia):
    assert [channel.name for channel in bot.get_all_channels()] == ["general"]
    mia.says(general, "Hello")
    await discord_server.until(lambda: bot.cached_messages)


async def test_furnished_while_the_bot_is_connected(discord_server, bot, later, mia):
    mia.says(later, "Hello")
    await discord_server.until(lambda: len(bot.events) == 6 and bot.cached_messages)
    assert set(bot.events) == {
        "guild_join", "guild_channel_create", "member_join", "guild_role_create", "member_update", "thread_create"
    }
    [guild] = bot.guilds
    assert {member.name for member in guild.members} == {"mia", "tom", "Pingu"}
    assert [thread.name for thread in guild.threads] == ["aside"]


SYNC
"""
SYNC = """
def test_without_a_loop(general, mia, discord_world):
    mia.says(general, "Hello")
    assert discord_world.transcript(general) == "Mia: Hello\\n"
"""
OF_ANYIO = """
pytestmark = pytest.mark.anyio


@pytest.fixture
def anyio_backend():
    return "asyncio"
"""


@pytest.mark.parametrize(("page", "mode"), [("sim.md", "auto"), ("sim.md", "strict"), ("test-your-bot.md", "auto")])
def test_the_test_on_a_page_tests_a_bot(tmp_path: Path, page: str, mode: str) -> None:
    text = (DOCS / page).read_text(encoding="utf-8")
    example = re.search(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert example
    (tmp_path / "test_bot.py").write_text(example[1] + PUT_BACK, encoding="utf-8")

    result = _pytest(tmp_path, f"--asyncio-mode={mode}")

    assert f"{example[1].count('async def test_') + 1} passed" in result.stdout, result.stdout


@pytest.mark.parametrize(
    ("plugins", "options", "source"),
    [
        pytest.param(ASYNCIO, ["--asyncio-mode=auto"], FURNISHED.replace("SYNC", SYNC), id="pytest-asyncio"),
        pytest.param(ANYIO, [], FURNISHED.replace("SYNC", OF_ANYIO), id="anyio"),
        pytest.param((*ASYNCIO, *ANYIO), [], FURNISHED.replace("SYNC", OF_ANYIO), id="anyio beside pytest-asyncio"),
    ],
)
def test_plain_fixtures_furnish_the_world_at_any_time(
    tmp_path: Path, plugins: tuple[str, ...], options: list[str], source: str
) -> None:
    (tmp_path / "test_bot.py").write_text(source, encoding="utf-8")

    result = _pytest(tmp_path, *options, plugins=plugins)

    assert f"{source.count('def test_')} passed" in result.stdout, result.stdout


@pytest.mark.parametrize("plugins", [(), ASYNCIO, ANYIO], ids=["none", "pytest-asyncio", "anyio"])
def test_a_test_that_nobody_runs_is_told_how_it_is_run(tmp_path: Path, plugins: tuple[str, ...]) -> None:
    (tmp_path / "test_bot.py").write_text("async def test_it(discord_server):\n    pass\n", encoding="utf-8")

    result = _pytest(tmp_path, plugins=plugins)

    assert "write 'asyncio_mode = auto' under [pytest]" in result.stdout, result.stdout


def test_pytest_finds_it_by_itself_where_cadenza_is_installed() -> None:
    project = tomllib.loads((DOCS.parent / "pyproject.toml").read_text(encoding="utf-8"))["project"]

    [module] = project["entry-points"]["pytest11"].values()

    assert plugin.__name__ == module


def test_the_server_can_be_told_more_by_overriding_a_fixture(tmp_path: Path) -> None:
    (tmp_path / "test_bot.py").write_text(
        "import pytest\n"
        "from cadenza.sim.sessions import GatewayRules\n"
        "@pytest.fixture\n"
        "def discord_options():\n"
        "    return {'rules': GatewayRules(shards=7)}\n"
        "async def test_it(discord_server):\n"
        "    assert discord_server.gateway.rules.shards == 7\n",
        encoding="utf-8",
    )

    result = _pytest(tmp_path, "--asyncio-mode=auto")

    assert "1 passed" in result.stdout, result.stdout


def test_the_fixtures_are_listed_with_what_they_are(tmp_path: Path) -> None:
    result = _pytest(tmp_path, "--fixtures")

    assert "An empty Discord" in result.stdout
    assert "The same Discord on loopback" in result.stdout


def test_nothing_heavy_is_imported_before_a_fixture_is_used(tmp_path: Path) -> None:
    (tmp_path / "test_light.py").write_text(
        "import sys\n"
        "def test_light():\n"
        "    heavy = {'discord', 'aiohttp', 'msgspec', 'cadenza.sim.world', 'cadenza.sim.server'}\n"
        "    assert 'cadenza.sim.plugin' in sys.modules\n"
        "    assert set() == heavy & set(sys.modules)\n",
        encoding="utf-8",
    )

    result = _pytest(tmp_path)

    assert "1 passed" in result.stdout, result.stdout


def _pytest(folder: Path, *options: str, plugins: tuple[str, ...] = ASYNCIO) -> subprocess.CompletedProcess[str]:
    """Run pytest in a project of its own, as its author does."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *OPTIONS, *plugins, *options]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # whatever else is installed here is not meant
    return subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False, timeout=50)
