"""The texts of the commands, found in their syntax trees and in what they register at Discord."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

from discord import app_commands

import cadenza

SOURCE = Path(cadenza.__file__).parent
COMMANDS = sorted((SOURCE / "bot" / "commands").glob("*.py"))
_SAYING = ("tell", "words", "translated")


def said(path: Path) -> set[str]:
    """Every text that a file gives to people: what is handed to ``tell``, ``words`` or ``translated``.

    A text may also stand in a variable, in a default, or in a table before it is handed over: then every text that was
    given that name counts.
    """
    tree = ast.parse(path.read_text(encoding="utf-8"))
    names = _named_texts(tree)
    found: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and _called(node) in _SAYING:
            place = 1 if _called(node) in ("tell", "words") else 0
            found.update(*(_texts(argument, names) for argument in node.args[place : place + 1]))
        for keyword in node.keywords if isinstance(node, ast.Call) else ():
            if keyword.arg == "nothing":
                found.update(_texts(keyword.value, names))
    return found


def sentences(path: Path) -> set[str]:
    """Every whole sentence in a file, except docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    explaining = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    texts = {
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explaining
    }
    return {text for text in texts if text[:1].isupper() and " " in text and text.endswith(".")}


def templates(path: Path) -> set[str]:
    """The templates of all sentences that a file makes: those in the call, and those in its tables."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    calls = [
        node for node in ast.walk(tree) if isinstance(node, ast.Call) and _called(node) == "Sentence" and node.args
    ]
    tables = [node.value for node in tree.body if isinstance(node, ast.Assign | ast.AnnAssign) and node.value]
    strings = {text for call in calls for text in _texts(call.args[0], _named_texts(tree))}
    told = {
        node.value
        for table in tables
        for node in ast.walk(table)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "; " in node.value
    }
    return strings | told


def _called(node: ast.Call) -> str:
    match node.func:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case _:
            return ""


def _named_texts(tree: ast.AST) -> dict[str, set[str]]:
    """The texts that each variable of a file may hold."""
    names: dict[str, set[str]] = {}
    for node in ast.walk(tree):
        match node:
            case ast.Assign(targets=[ast.Name(id=name)], value=value):
                names.setdefault(name, set()).update(_texts(value, {}))
            case ast.For(target=target, iter=ast.Tuple(elts=rows)) if isinstance(target, ast.Tuple):
                for row in rows:
                    for variable, value in zip(target.elts, getattr(row, "elts", []), strict=False):
                        if isinstance(variable, ast.Name):
                            names.setdefault(variable.id, set()).update(_texts(value, {}))
            case ast.comprehension(
                target=ast.Tuple(elts=[ast.Name(id=name), *_]),
                iter=ast.Call(func=ast.Attribute(value=ast.Name(id=table))),
            ):
                for other in ast.walk(tree):
                    match other:
                        case ast.Assign(targets=[ast.Name(id=found)], value=ast.Dict(keys=keys)) if found == table:
                            names.setdefault(name, set()).update(*(_texts(key, {}) for key in keys if key))
    return names


def _texts(node: ast.AST, names: dict[str, set[str]]) -> set[str]:
    match node:
        case ast.Constant(value=str(text)):
            return {text}
        case ast.IfExp(body=body, orelse=other):
            return _texts(body, names) | _texts(other, names)
        case ast.Name(id=name):
            return names.get(name, set())
        case _:
            return set()


@cache
def written() -> frozenset[str]:
    """Every text in our source: templates of sentences are among them, word by word."""
    trees = (ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py"))
    nodes = (node for tree in trees for node in ast.walk(tree))
    return frozenset(node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str))


def shown_by_discord(commands: Iterable[Any]) -> Iterator[str]:
    """Names (with a slash before them), descriptions and choices of *commands* and all that is in them."""
    for command in commands:
        yield f"/{command.name}"
        if isinstance(command, app_commands.ContextMenu):
            continue
        yield command.description
        if isinstance(command, app_commands.Group):
            yield from shown_by_discord(command.commands)
            continue
        for parameter in command.parameters:
            yield f"/{parameter.display_name}"
            yield str(parameter.description)
            yield from (choice.name for choice in parameter.choices)
