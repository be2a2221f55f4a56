"""Functions of the owner's files as tools."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadenza.bot.services.owner_tools import Loaded, load
from cadenza.tools.tool import ToolContext

GOOD = '''
"""My tools."""
from __future__ import annotations
from dataclasses import dataclass
from os.path import join
from cadenza import tool

runs = []
runs.append(1)

@dataclass
class Cup:
    size: int

async def brew(cup: Cup, minutes: int = 3) -> str:
    """Brew tea."""
    return f"{cup.size} after {minutes}"

def _hidden() -> None: ...

@tool(name="stir", once=True)
async def stirred() -> str:
    """Stir."""
    return "stirred"
'''


def written(folder: Path, source: str, name: str = "mine.py") -> Path:
    path = folder / name
    path.write_text(source, encoding="utf-8")
    return path


async def test_public_functions_and_what_was_made_a_tool_are_tools(tmp_path: Path) -> None:
    loaded = load(written(tmp_path, GOOD))

    assert ((), ["brew", "stir"]) == (loaded.complaints, [tool.spec.name for tool in loaded.tools])
    assert "2 after 3" == await loaded.tools[0].run({"cup": {"size": 2}}, ToolContext())
    assert loaded.tools[1].once


def test_what_is_named_in_all_is_a_tool_and_nothing_else(tmp_path: Path) -> None:
    source = "from math import sqrt\n__all__ = ['_kept', 'missing', 'number']\nnumber = 5\ndef _kept() -> int: 'x'\ndef other() -> int: 'x'"

    loaded = load(written(tmp_path, source))

    assert ["_kept"] == [tool.spec.name for tool in loaded.tools]
    assert ["'missing' in 'mine.py' is no tool", "'number' in 'mine.py' is no tool"] == [
        complaint.partition(":")[0] for complaint in loaded.complaints
    ]


@pytest.mark.parametrize(
    ("source", "told"),
    [
        pytest.param("x = 1\ndef f(:\n", "SyntaxError in line 2", id="syntax"),
        pytest.param("\n\nraise ValueError('key-4711')", "ValueError in line 3", id="raises"),
        pytest.param("def f():\n    return 1 / 0\n\nf()", "ZeroDivisionError in line 2", id="deep"),
        pytest.param("import json\njson.loads('key-4711')", "JSONDecodeError in line 2", id="elsewhere"),
        pytest.param("import sys\nsys.exit(4)", "SystemExit in line 2", id="exit"),
        pytest.param("import no_such_package_4711", "ModuleNotFoundError in line 1", id="import"),
        pytest.param("x = '\x00'", "in line", id="nul"),
    ],
)
def test_a_broken_file_is_told_of_by_kind_and_line_and_without_its_words(
    tmp_path: Path, source: str, told: str
) -> None:
    loaded = load(written(tmp_path, source))

    (complaint,) = loaded.complaints
    if told != "in line":  # how Python complains of that depends on its version
        assert f"the tools in 'mine.py' cannot be used: {told}" == complaint
    assert () == loaded.tools
    assert "4711" not in complaint


def test_a_missing_file_is_told_of(tmp_path: Path) -> None:
    assert ("the tools in 'mine.py' cannot be read (FileNotFoundError)",) == load(tmp_path / "mine.py").complaints


def test_a_function_that_cannot_be_a_tool_leaves_the_others(tmp_path: Path) -> None:
    source = "def good() -> int:\n    'Good.'\ndef odd(x: 'Unknown') -> int:\n    'Odd.'\ndef also_good() -> int:\n    'Good.'"

    loaded = load(written(tmp_path, source))

    assert ["good", "also_good"] == [tool.spec.name for tool in loaded.tools]
    assert len(loaded.complaints) == 1
    assert "'odd'" in loaded.complaints[0]


def test_a_file_that_did_not_change_is_not_run_again(tmp_path: Path) -> None:
    path = written(tmp_path, GOOD)
    first = load(path)

    assert load(path, first) is first
    path.write_text(GOOD.replace("Brew tea", "Brew coffee"), encoding="utf-8")
    assert "Brew coffee." == load(path, first).tools[0].spec.description


def test_two_files_of_one_name_do_not_meet(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    one = load(written(tmp_path, "def one() -> int: 'x'"))
    two = load(written(tmp_path / "other", "def two() -> int: 'x'"))

    assert [["one"], ["two"]] == [[tool.spec.name for tool in loaded.tools] for loaded in (one, two)]


def test_nothing_loaded_is_nothing() -> None:
    assert ((), ()) == (Loaded().tools, Loaded().complaints)
