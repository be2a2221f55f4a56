"""The owner's tools: the public functions of Python files."""

from __future__ import annotations

import hashlib
import inspect
import sys
import traceback
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from ...errors import SettingsError
from ...tools.functions import toolset
from ...tools.tool import Tool


@dataclass(frozen=True, slots=True)
class Problem:
    """Something wrong with a file: a sentence, and the exception to log with it."""

    text: str
    error: BaseException | None = None


@dataclass(frozen=True, slots=True)
class Loaded:
    """The tools of a file and the problems with it."""

    source: bytes = b""
    tools: tuple[Tool, ...] = ()
    problems: tuple[Problem, ...] = ()


def load(path: Path, before: Loaded | None = None) -> Loaded:
    """Load the tools of the file at *path*; a file that did not change since *before* is not run again. Never raises.

    The tools are the functions in ``__all__``, else the public functions defined in the file, and everything decorated
    with ``@tool``.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        return Loaded(problems=(Problem(f"the tools in {path.name!r} cannot be read ({type(error).__name__})"),))
    if before is not None and before.source == source:
        return before
    module = ModuleType(_name(path))
    module.__file__ = str(path)
    known = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # dataclasses look up their module there
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102  # the owner's own file, which they named
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  # foreign code may raise anything
        if known is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = known
        text = f"the tools in {path.name!r} cannot be used: {_where(error, path)}"
        return Loaded(source, problems=(Problem(text, error),))
    return _tools_of(module, path, source)


def _tools_of(module: ModuleType, path: Path, source: bytes) -> Loaded:
    tools: list[Tool] = []
    problems: list[Problem] = []
    for name, thing in _public(module):
        try:
            tools.extend(toolset([thing]).values())  # type: ignore[list-item]  # it raises for what cannot be a tool
        except SettingsError as error:
            problems.append(Problem(f"{name!r} in {path.name!r} is not a tool: {error}"))
        except Exception as error:  # noqa: BLE001  # type hints are evaluated, which runs the owner's code
            problems.append(Problem(f"{name!r} in {path.name!r} is not a tool ({type(error).__name__})", error))
    return Loaded(source, tuple(tools), tuple(problems))


def _public(module: ModuleType) -> Iterator[tuple[str, object]]:
    names = getattr(module, "__all__", None)
    if isinstance(names, list | tuple):
        yield from ((str(name), getattr(module, str(name), None)) for name in names)
        return
    for name, thing in list(vars(module).items()):
        is_own = inspect.isfunction(thing) and thing.__module__ == module.__name__
        if not name.startswith("_") and (is_own or isinstance(thing, Tool)):
            yield name, thing


def _name(path: Path) -> str:
    """The module name for *path*: stable and unique."""
    return f"cadenza_tools_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}_{path.stem}"


def _where(error: BaseException, path: Path) -> str:
    """The type of *error* and its line in *path*, without its text, which may hold a secret."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line = error.lineno
    else:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = frames[-1].lineno if frames else None
    return f"{type(error).__name__} in line {line}" if line else type(error).__name__
