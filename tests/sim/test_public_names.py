"""What ``cadenza.sim`` promises, and that it costs nobody anything who does not use it."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from pathlib import Path

import pytest

from cadenza import sim

PACKAGE = Path(sim.__file__)
NODES = [
    node
    for block in ast.parse(PACKAGE.read_text(encoding="utf-8")).body
    if isinstance(block, ast.If)
    for node in block.body
    if isinstance(node, ast.ImportFrom)
]
HOMES = {alias.name: f"cadenza.sim.{node.module}" for node in NODES for alias in node.names}


def test_the_public_names_are_exactly_those_that_are_promised() -> None:
    assert sorted(HOMES) == sorted(sim.__all__) == sorted(dir(sim))


@pytest.mark.parametrize("name", sim.__all__)
def test_every_public_name_is_what_type_checkers_are_told(name: str) -> None:
    assert getattr(importlib.import_module(HOMES[name]), name) is getattr(sim, name)


def test_a_name_that_is_not_public_is_missing_in_the_usual_words() -> None:
    with pytest.raises(AttributeError, match=r"'cadenza\.sim' has no attribute 'Guilds'"):
        sim.Guilds  # type: ignore[attr-defined]  # noqa: B018  # the point is to ask for it


@pytest.mark.parametrize(
    ("script", "absent"),
    [
        ("import cadenza.sim.plugin", ("aiohttp", "discord", "msgspec", "cadenza.sim.world")),
        ("from cadenza.sim import Faults, World", ("aiohttp", "discord", "cadenza.sim.server")),
    ],
    ids=["plugin", "world"],
)
def test_nobody_pays_for_what_they_do_not_use(script: str, absent: tuple[str, ...]) -> None:
    command = [
        sys.executable,
        "-c",
        f"{script}\nimport sys; print([name for name in {absent!r} if name in sys.modules])",
    ]

    result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

    assert result.stdout.strip() == "[]"
