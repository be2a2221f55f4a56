"""The architecture as a test: who may import whom, what is pure, and that nothing stands without its test."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import cadenza

SOURCE = Path(cadenza.__file__).parent
ROOT = SOURCE.parent.parent
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))

# Imports point from a later row to the same or an earlier one. A row is a list of modules or folders.
LAYERS = [
    ["errors", "types", "settings"],
    ["text"],
    ["stages", "rules", "providers"],
    ["trace", "tracing"],
    ["speed", "tasks", "stops", "tools", "lookups", "personas", "pictures", "backstage", "models", "keys", "streams"],
    ["notices", "indicator", "metering", "outbox", "pipeline", "dialogue", "rounds", "casting", "tries", "replies"],
    ["turns"],
    ["targets", "sim"],
    ["http", "addresses", "media"],
    ["recordings", "local", "connections"],
    ["explain", "explain_steps", "stories", "provenance", "hearsay", "replay"],
    ["page"],
    ["films"],
    ["store"],
    ["characters"],
    ["config"],
    ["memory"],
    ["service"],
    ["bot"],
    ["playground"],
    ["doors"],
    ["__init__"],
    ["demo", "record", "talk"],
    ["cli"],
    ["__main__"],
]
PURE = ("errors", "types", "text", "stages", "rules", "providers")
# What the pure half may import besides itself. No clock, no chance, no files, no network, no loop, no log.
ALLOWED = {
    "__future__", "bisect", "collections", "contextlib", "copy", "dataclasses", "difflib", "enum", "functools", "itertools", "json", "math", "operator", "re", "types", "typing", "unicodedata",
}  # fmt: skip
ALLOWED_EXTRA = {
    "text": {"regex"},
    "providers": {"msgspec", "base64", "importlib"},
}  # a dialect is imported when asked for


def _layer(module: Path) -> int:
    head = module.parts[0].removesuffix(".py")
    for number, row in enumerate(LAYERS):
        if head in row:
            return number
    pytest.fail(f"{module} has no place in LAYERS")


def _imports(module: Path) -> Iterator[tuple[str, bool]]:
    """What *module* imports: a dotted name, and whether it is inside the package."""
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
    package = module.parent.parts
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, False) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield node.module or "", False
        elif isinstance(node, ast.ImportFrom):
            base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
            names = (
                [".".join(filter(None, base))] if node.module else [".".join([*base[:-1], a.name]) for a in node.names]
            )
            yield from ((name, True) for name in names)


def _file(name: str) -> Path | None:
    for path in (Path(*name.split("."), "__init__.py"), Path(*name.split(".")).with_suffix(".py")):
        if (SOURCE / path).exists():
            return path
    return None


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_imports_point_one_way(module: Path) -> None:
    for name, inside in _imports(module):
        if inside:
            target = _file(name) or Path("__init__.py")
            assert _layer(target) <= _layer(module), f"{module} imports {name}"


@pytest.mark.parametrize("module", [m for m in MODULES if m.parts[0].removesuffix(".py") in PURE], ids=str)
def test_the_pure_half_is_pure(module: Path) -> None:
    allowed = ALLOWED | ALLOWED_EXTRA.get(module.parts[0], set())

    foreign = {name.split(".")[0] for name, inside in _imports(module) if not inside} - allowed

    assert foreign == set()


@pytest.mark.parametrize("module", [m for m in MODULES if m.parts[0].removesuffix(".py") in PURE], ids=str)
def test_the_pure_half_opens_nothing_and_prints_nothing(module: Path) -> None:
    tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))

    called = {node.func.id for node in ast.walk(tree) if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)}

    assert called.isdisjoint({"open", "print", "input", "exec", "eval", "__import__"})


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_discord_py_is_imported_by_the_bot_alone(module: Path) -> None:
    """The simulation only sets addresses in it, where somebody asks for that."""
    imported = {name.split(".")[0] for name, inside in _imports(module) if not inside}

    assert "discord" not in imported or module.parts[0] == "bot" or module == Path("sim", "clients.py")


def test_no_stage_calls_another() -> None:
    """Stages may know each other's types (the round says goodbye as delivery does), but none feeds or flushes one.

    Nor does a rule feed another. The round owns its row of stages, as stage 6 its row of rules; the row itself is the
    one place that feeds, and so is the reader, which is the row of stages 2 and 3 with a short way past them; a tap
    stands for the stage that it is around.
    """
    owners = ("stage.py", "s3_chunks.py", "s3_reading.py", "s4_round.py", "s6_rules.py", "taps.py")
    feeding = {}
    for module in MODULES:
        if module.parts[0] in ("stages", "rules") and module.name not in owners:
            tree = ast.parse((SOURCE / module).read_text(encoding="utf-8"))
            feeding[str(module)] = {
                ast.unparse(node.value)
                for node in ast.walk(tree)
                if isinstance(node, ast.Attribute) and node.attr in ("feed", "flush")
            }

    own = {"self", "super()", "self._intake", "self._scanner", "hidden", "self._lines", "self._json"}
    assert {name: called - own for name, called in feeding.items() if called - own} == {}


@pytest.mark.parametrize("module", [m for m in MODULES if m.name not in ("__init__.py", "__main__.py")], ids=str)
def test_every_module_has_its_tests(module: Path) -> None:
    assert (ROOT / "tests" / module.parent / f"test_{module.name}").is_file()


@pytest.mark.parametrize("module", MODULES, ids=str)
def test_every_module_says_what_it_is(module: Path) -> None:
    assert ast.get_docstring(ast.parse((SOURCE / module).read_text(encoding="utf-8")))


def test_the_public_names_are_exactly_those_that_are_promised() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    imported = {
        alias.asname or alias.name
        for block in tree.body
        if isinstance(block, ast.If)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }

    assert set(cadenza.__all__) == imported | {"__version__"} == set(dir(cadenza))
    assert len(cadenza.__all__) == len(set(cadenza.__all__))


def test_every_public_name_comes_from_where_it_is_said_to() -> None:
    """What type checkers are told is imported is what is imported when the name is first used."""
    tree = ast.parse((SOURCE / "__init__.py").read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            home = importlib.import_module(f".{node.module}", "cadenza")
            for alias in node.names:
                assert getattr(cadenza, alias.name) is getattr(home, alias.name)


def test_a_name_that_is_not_public_is_missing_in_the_usual_words() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Pipe'"):
        cadenza.Pipe  # type: ignore[attr-defined]  # noqa: B018  # the point is to ask for it


@pytest.mark.parametrize("name", [name for name in cadenza.__all__ if name != "__version__"])
def test_every_public_name_is_documented(name: str) -> None:
    described = getattr(cadenza, name)
    if name in ("RULES", "Chunk", "Consent", "Outcome"):  # values: their words stand under them in the source
        return

    # A dataclass without a docstring is given its signature as one.
    assert described.__doc__
    assert not described.__doc__.startswith(f"{name}(")


def test_importing_cadenza_stays_light() -> None:
    """What costs much to import (the terminal's toolkit, a chat client) is imported where it is used."""
    script = "import {}, sys; print([name for name in {!r} if name in sys.modules])"
    heavy = ("rich", "discord", "aiohttp", "regex", "sqlite3", "PIL", "mcp")
    for package, absent in (("cadenza", (*heavy, "asyncio", "dataclasses")), ("cadenza.replies", heavy)):
        command = [sys.executable, "-c", script.format(package, absent)]

        result = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)

        assert result.stdout.strip() == "[]", package


@pytest.mark.parametrize(
    ("name", "weight"), [("ConsoleTarget", "aiohttp"), ("Http", "rich"), ("DiscordTarget", "discord")]
)
def test_a_heavy_name_brings_nothing_along_that_belongs_to_another(name: str, weight: str) -> None:
    script = f"import cadenza, sys; cadenza.{name}; print({weight!r} in sys.modules)"

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert result.stdout.strip() == "False"
