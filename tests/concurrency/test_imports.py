"""Imports that do not block the event loop."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from cadenza.concurrency.imports import imported

SLOW = "import time\ntime.sleep(0.3)\n"


async def test_a_module_that_is_imported_takes_no_thread() -> None:
    before = asyncio.all_tasks()

    await imported("json", "asyncio")

    assert before == asyncio.all_tasks()


async def test_the_loop_goes_on_while_a_module_is_imported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "a_slow_module.py").write_text(SLOW, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    importing = asyncio.gather(imported("a_slow_module"), imported("a_slow_module", "json"))
    ticks = 0
    while not importing.done():
        await asyncio.sleep(0)
        ticks += 1

    assert ticks > 100
    assert "a_slow_module" in sys.modules
    monkeypatch.delitem(sys.modules, "a_slow_module")


async def test_a_module_that_does_not_exist_is_an_import_error() -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_module"):
        await imported("no_such_module")


def test_a_name_of_the_package_brings_little_along() -> None:
    """``cadenza.say`` is often first used in the middle of an event, in the loop."""
    script = "import asyncio, cadenza, sys\ncadenza.say, cadenza.reply, cadenza.history\nprint(sum(n.startswith('cadenza') for n in sys.modules))"

    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert int(found.stdout) <= 10
