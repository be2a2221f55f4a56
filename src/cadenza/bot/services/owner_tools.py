"""Tools of a bot's owner: the public functions of files of Python."""

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
class Loaded:
    """What a file gave, and what is wrong with it, a sentence each."""

    source: bytes = b""
    tools: tuple[Tool, ...] = ()
    complaints: tuple[str, ...] = ()


def load(path: Path, before: Loaded | None = None) -> Loaded:
    """The tools in the file at *path*; if it is as it was *before*, it is not run again. Never raises an ``Exception``.

    They are the functions of ``__all__`` or else those that are defined there and have a public name, and whatever was
    made a tool by ``@tool``.
    """
    try:
        source = path.read_bytes()
    except OSError as error:
        return Loaded(complaints=(f"the tools in {path.name!r} cannot be read ({type(error).__name__})",))
    if before is not None and before.source == source:
        return before
    module = ModuleType(_name(path))
    module.__file__ = str(path)
    known = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module  # dataclasses and the like look there for what is around them
    try:
        exec(compile(source, str(path), "exec"), module.__dict__)  # noqa: S102  # the owner's own file, which they named
    except (Exception, SystemExit, KeyboardInterrupt) as error:  # noqa: BLE001  # it is foreign, and may raise anything
        if known is None:
            del sys.modules[module.__name__]
        else:
            sys.modules[module.__name__] = known
        return Loaded(source, complaints=(f"the tools in {path.name!r} cannot be used: {_told(error, path)}",))
    tools, complaints = _made(module, path)
    return Loaded(source, tools, complaints)


def _made(module: ModuleType, path: Path) -> tuple[tuple[Tool, ...], tuple[str, ...]]:
    tools: list[Tool] = []
    complaints: list[str] = []
    for name, thing in _public(module):
        try:
            tools.extend(toolset([thing]).values())  # type: ignore[list-item]  # it says what cannot be one
        except SettingsError as error:  # its words are ours
            complaints.append(f"{name!r} in {path.name!r} is no tool: {error}")
        except Exception as error:  # noqa: BLE001  # hints are evaluated, which runs the owner's code
            complaints.append(f"{name!r} in {path.name!r} is no tool ({type(error).__name__})")
    return tuple(tools), tuple(complaints)


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
    """What the module of *path* is called: always the same, and like no other."""
    return f"cadenza_tools_{hashlib.sha256(str(path.resolve()).encode()).hexdigest()[:12]}_{path.stem}"


def _told(error: BaseException, path: Path) -> str:
    """What kind of error it was and in which line; its words may hold a secret."""
    if isinstance(error, SyntaxError) and error.filename == str(path):
        line = error.lineno
    else:
        frames = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == str(path)]
        line = frames[-1].lineno if frames else None
    return f"{type(error).__name__} in line {line}" if line else type(error).__name__
