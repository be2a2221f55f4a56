"""The architecture as a test: who may import whom, what is pure, how large things are, and that each has its test."""

from __future__ import annotations

import ast
import importlib
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import get_args

import pytest

import cadenza
from tree import Tree, measure

SOURCE = Path(cadenza.__file__).parent
ROOT = SOURCE.parent.parent
MODULES = sorted(path.relative_to(SOURCE) for path in SOURCE.rglob("*.py"))

# Imports point from a later row to the same or an earlier one. A row names rooms, or modules of a room.
LAYERS = [
    ["types", "errors", "facts", "settings", "setting_values"],  # the nouns
    ["languages"],  # the catalogues of texts for people, one folder a language
    ["text"],  # the scanner and what is read off it
    ["targets.target"],  # the seam to a chat: Target, Limits, Markup
    ["stages", "rules"],  # the seven stages, and one rule a file
    ["concurrency", "explain"],  # tasks and stops; the trace of a reply, and its story
    ["models", "tools", "pictures"],  # asking a model, running its tools, drawing its tables
    ["replies", "turns"],  # one reply; one turn a channel
    ["targets", "sim"],  # chats to deliver to, and a Discord for tests
    ["replies.say", "replies.speaker", "replies.history"],  # the public calls, which find the target
    ["bot.store", "bot.characters", "bot.config", "bot.memory", "bot.services"],  # the bot without discord.py
    ["bot"],  # the bot
    ["play"],  # the playground
    ["__init__", "cli", "__main__"],  # the public names, and the commands
]
PURE = ("errors", "facts", "types", "text", "stages", "rules", "models")
IMPURE = ("connect", "fallback", "http", "keys", "local", "media", "model", "network_guard", "recordings")
"""What does I/O, waits or logs among the models; everything else there is pure."""
PURE_MODULES = [
    module
    for module in MODULES
    if module.parts[0].removesuffix(".py") in PURE and not (module.parts[0] == "models" and module.stem in IMPURE)
] + [Path("targets", "target.py"), Path("replies", "outbox", "queue.py"), Path("replies", "outbox", "pacing.py")]
# What the pure half may import besides itself. No clock, no chance, no files, no network, no loop, no log.
ALLOWED = {
    "__future__", "bisect", "collections", "contextlib", "copy", "dataclasses", "difflib", "enum", "functools", "html", "itertools", "json", "math", "operator", "re", "types", "typing", "unicodedata",
}  # fmt: skip
ALLOWED_EXTRA = {
    "text": {"regex"},
    "models": {"msgspec", "base64", "importlib"},
}  # a dialect is imported when asked for

LARGE_STATE = {
    "setting_values.py:SettingValues": "the names and types of all settings, for type checkers",
    "settings.py:DeliverySettings": "each is a setting, and a section of settings is one table for people",
    "text/spans.py:Scanner": "one pass over the text, where every span can open inside any other",
}
"""The classes that may have more than 20 attributes, and why."""
MANY_OPTIONS = (
    "models/connect.py connect", "replies/reply.py reply", "replies/reply.py say", "replies/say.py say", "replies/speaker.py reply",
    "targets/discord/target.py __init__",
)  # fmt: skip
"""The public entry points that may have more than 8 parameters, because most are keyword-only options."""


def _layer(module: Path) -> int:
    name = ".".join(module.with_suffix("").parts)
    rooms = {room: number for number, row in enumerate(LAYERS) for room in row if f"{name}.".startswith(f"{room}.")}
    if not rooms:
        pytest.fail(f"{module} has no place in LAYERS")
    return rooms[max(rooms, key=len)]


@dataclass(frozen=True, slots=True)
class Facts:
    """What is looked at of a module; its tree itself is large, and is let go."""

    is_described: bool
    imports: tuple[tuple[str, bool], ...]
    """What it imports: a dotted name, and whether that is inside the package."""
    calls: tuple[tuple[int, str], ...]
    """The plain names that it calls, each with its line."""
    makes: frozenset[str]
    """The plain names that it calls, and not only to compare something with the result."""
    feeds: frozenset[str]
    """Whose ``feed`` or ``flush`` it uses."""


def _tree(module: Path) -> ast.Module:
    return ast.parse((SOURCE / module).read_text(encoding="utf-8"))


@cache
def _facts(module: Path) -> Facts:
    tree = _tree(module)
    nodes = list(ast.walk(tree))
    return Facts(
        bool(ast.get_docstring(tree)),
        tuple(imported for node in nodes for imported in _imported(node, module.parent.parts)),
        tuple(
            (node.lineno, node.func.id)
            for node in nodes
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        ),
        frozenset(_made(nodes)),
        frozenset(
            ast.unparse(node.value)
            for node in nodes
            if isinstance(node, ast.Attribute) and node.attr in ("feed", "flush")
        ),
    )


def _made(nodes: Sequence[ast.AST]) -> Iterator[str]:
    compared = [one for node in nodes if isinstance(node, ast.Compare) for one in (node.left, *node.comparators)]
    for node in nodes:
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node not in compared:
            yield node.func.id


def _imported(node: ast.AST, package: tuple[str, ...]) -> Iterator[tuple[str, bool]]:
    if isinstance(node, ast.Import):
        yield from ((alias.name, False) for alias in node.names)
    elif isinstance(node, ast.ImportFrom) and not node.level:
        yield node.module or "", False
    elif isinstance(node, ast.ImportFrom):
        base = [*package[: len(package) - node.level + 1], *(node.module or "").split(".")]
        names = [".".join(filter(None, base))] if node.module else [".".join([*base[:-1], a.name]) for a in node.names]
        yield from ((name, True) for name in names)


def _file(name: str) -> Path | None:
    for path in (Path(*name.split("."), "__init__.py"), Path(*name.split(".")).with_suffix(".py")):
        if (SOURCE / path).exists():
            return path
    return None


def _foreign(module: Path) -> set[str]:
    """The packages outside ours that *module* imports."""
    return {name.split(".")[0] for name, inside in _facts(module).imports if not inside}


def test_there_are_modules_to_look_at() -> None:
    assert len(PURE_MODULES) > 100
    assert len(MODULES) > 400
    assert (("cli.main", True),) == tuple(name for name in _facts(Path("__main__.py")).imports if name[1])


def test_imports_point_one_way() -> None:
    wrong = [
        f"{module} imports {name}"
        for module in MODULES
        for name, inside in _facts(module).imports
        if inside and _layer(_file(name) or Path("__init__.py")) > _layer(module)
    ]

    assert [] == wrong


def test_the_pure_half_is_pure() -> None:
    foreign = {
        str(module): _foreign(module) - ALLOWED - ALLOWED_EXTRA.get(module.parts[0], set()) for module in PURE_MODULES
    }

    assert {} == {module: names for module, names in foreign.items() if names}


def test_the_pure_half_opens_nothing_and_prints_nothing() -> None:
    impure = {"open", "print", "input", "exec", "eval", "__import__"}
    called = [
        f"{module}:{line} calls {name}"
        for module in PURE_MODULES
        for line, name in _facts(module).calls
        if name in impure
    ]

    assert [] == called


def test_discord_py_is_imported_by_the_bot_and_its_target_alone() -> None:
    """The simulation only sets addresses in it, on request; in ``replies/places.py`` it is for type checkers alone."""
    rooms = (("bot",), ("targets", "discord_py"), ("cli", "run.py"), ("sim", "clients.py"), ("replies", "places.py"))
    importing = [module for module in MODULES if "discord" in _foreign(module)]

    assert [] == [str(one) for one in importing if not any(one.parts[: len(room)] == room for room in rooms)]


def test_no_stage_calls_another() -> None:
    """Stages may know each other's types (the round says goodbye as delivery does), but none feeds or flushes one.

    Nor does a rule feed another. The round owns its row of stages, as stage 6 its row of rules; the row itself is the
    one place that feeds, and so is the reader, which is the row of stages 2 and 3 with a short way past them; a tap
    stands for the stage that it is around.
    """
    owners = ("stage.py", "s3_chunks.py", "s3_reading.py", "s4_round.py", "s6_rules.py", "observe.py")
    feeding = {
        str(module): _facts(module).feeds
        for module in MODULES
        if module.parts[0] in ("stages", "rules") and module.name not in owners
    }

    own = {"self", "super()", "self._intake", "self._scanner", "hidden", "self._lines", "self._json"}
    assert {name: called - own for name, called in feeding.items() if called - own} == {}


def test_the_round_alone_names_the_outcome_of_a_stop_and_what_is_kept_after_it() -> None:
    """Everything else passes events and facts to a ``Round`` or a ``Conclusion``."""
    words = ("outcome_of", "kept(", "KEEPS", "farewell(")
    owners = {"stages/s4_round.py", "stages/s7_merging.py", "replies/outbox/queue.py"}
    using = {
        module.as_posix()
        for module in MODULES
        if module.parts[0] in ("stages", "replies")
        and any(word in (SOURCE / module).read_text("utf-8") for word in words)
    }

    assert owners == using


def test_stage_4_alone_makes_outcomes() -> None:
    """Everybody else asks for them by what happened, matches them, or compares something with one."""
    outcomes = {kind.__name__ for kind in get_args(cadenza.Outcome)}
    making = {module.as_posix() for module in MODULES if _facts(module).makes & outcomes}

    assert len(outcomes) == 6
    assert making == {"stages/s4_round.py"}


def test_every_logger_hides_secrets_in_tracebacks() -> None:
    allowed = {"explain/tracebacks.py", "cli/main.py", "bot/services/logs.py", "pictures/fontfile.py"}
    using = {module.as_posix() for module in MODULES if "logging.getLogger(" in (SOURCE / module).read_text("utf-8")}

    assert set() == using - allowed, "use cadenza.explain.tracebacks.get_logger"


def test_every_module_has_its_tests() -> None:
    wanted = [
        Path("tests", module.parent, f"test_{module.name}")
        for module in MODULES
        if module.name not in ("__init__.py", "__main__.py")
    ]

    assert [] == [str(path) for path in wanted if not (ROOT / path).is_file()]


def test_every_module_says_what_it_is() -> None:
    assert [] == [str(module) for module in MODULES if not _facts(module).is_described]


# --- its size ----------------------------------------------------------------------


@cache
def _measured() -> Tree:
    return measure(SOURCE)


def test_few_modules_are_in_no_room() -> None:
    assert len(_measured().root) <= 7


def test_a_class_name_has_one_meaning() -> None:
    assert {} == _measured().shared_class_names


def test_a_file_name_is_used_twice_at_most() -> None:
    assert {} == _measured().shared_file_names


def test_a_class_has_few_attributes() -> None:
    large = {name for name, count in _measured().state.items() if count > 20}

    assert set() == large - LARGE_STATE.keys()


def test_a_function_has_few_parameters() -> None:
    many = [one for one in _measured().functions if one.parameters > 8]
    names = {f"{one.where.partition(':')[0]} {one.where.split()[-1]}" for one in many}

    assert set() == names - set(MANY_OPTIONS)
    assert [] == [one.where for one in many if one.parameters - one.options > 8]


def test_imports_do_not_go_deep() -> None:
    chain = _measured().chain

    assert len(chain) <= 20, " > ".join(chain)


# --- its public names --------------------------------------------------------------


def test_the_public_names_are_exactly_those_that_are_promised() -> None:
    tree = _tree(Path("__init__.py"))
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
    tree = _tree(Path("__init__.py"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level:
            home = importlib.import_module(f".{node.module}", "cadenza")
            for alias in node.names:
                assert getattr(cadenza, alias.name) is getattr(home, alias.name)


def test_a_name_that_is_not_public_is_missing_in_the_usual_words() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'Pipe'"):
        cadenza.Pipe  # type: ignore[attr-defined]  # noqa: B018  # the point is to ask for it


def test_every_public_name_is_documented() -> None:
    values = {"RULES", "Chunk", "Consent", "Outcome", "__version__"}  # their words stand under them in the source
    told = {name: getattr(cadenza, name).__doc__ or "" for name in cadenza.__all__ if name not in values}

    # A dataclass without a docstring is given its signature as one.
    assert [] == [name for name, words in told.items() if not words or words.startswith(f"{name}(")]


def test_importing_cadenza_stays_light() -> None:
    """What costs much to import (the terminal's toolkit, a chat client) is imported where it is used."""
    script = "import {}, sys; print([name for name in {!r} if name in sys.modules])"
    heavy = ("rich", "discord", "aiohttp", "regex", "sqlite3", "PIL", "fontTools", "mcp")
    for package, absent in (("cadenza", (*heavy, "asyncio", "dataclasses")), ("cadenza.replies.reply", heavy)):
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
