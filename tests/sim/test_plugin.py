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

OPTIONS = ("-p", "cadenza.sim.plugin", "-p", "pytest_asyncio.plugin", "-p", "no:cacheprovider", "-q")
PAGE = Path(__file__).parents[2] / "docs" / "sim.md"
PUT_BACK = """

def test_afterwards_discord_is_where_it_was():
    assert discord.http.Route.BASE == "https://discord.com/api/v10"
"""


@pytest.mark.parametrize("mode", ["auto", "strict"])
def test_the_test_on_the_page_tests_a_bot(tmp_path: Path, mode: str) -> None:
    example = re.search(r"^```python\n(.*?)^```", PAGE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert example
    (tmp_path / "test_bot.py").write_text(example[1] + PUT_BACK, encoding="utf-8")

    result = _pytest(tmp_path, f"--asyncio-mode={mode}")

    assert "2 passed" in result.stdout, result.stdout


def test_pytest_finds_it_by_itself_where_cadenza_is_installed() -> None:
    project = tomllib.loads((PAGE.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))["project"]

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


def _pytest(folder: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run pytest in a project of its own, as its author does."""
    (folder / "pytest.ini").write_text("[pytest]\n", encoding="utf-8")
    command = [sys.executable, "-m", "pytest", *OPTIONS, *options]
    alone = {**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}  # whatever else is installed here is not meant
    return subprocess.run(command, cwd=folder, env=alone, capture_output=True, text=True, check=False, timeout=50)
