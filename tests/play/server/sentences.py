"""What the server of the playground may refuse, found in the syntax trees of whoever does that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import cadenza

SOURCE = Path(cadenza.__file__).parent

WHO: Mapping[str, frozenset[str]] = {
    **{f"play/server/{path.name}": frozenset() for path in sorted((SOURCE / "play" / "server").glob("*.py"))},
    "play/server/model_choices.py": frozenset({"with_models"}),
    "cli/play.py": frozenset({"run_play", "listening", "_port"}),
    "play/films/film.py": frozenset(),
    "play/films/sources.py": frozenset(),
    "play/films/plan.py": frozenset(),
    "play/films/rehearsal.py": frozenset(),
    "play/films/fault_names.py": frozenset(),
    "play/films/api_dumps.py": frozenset(),
    "models/recordings.py": frozenset({"read_text"}),
    "replies/replay.py": frozenset({"slicer"}),
    "settings.py": frozenset({"load", "given"}),
    "bot/terminal_input.py": frozenset({"filled_in", "_given", "_seconds"}),
    "sim/interactions.py": frozenset(),
    "sim/inputs.py": frozenset(),
}
"""Whose sentences reach a page, and which of their functions no page ever calls: they read files or command lines."""

_RAISED = re.compile("InputError|SettingsError|CadenzaError|LookupError|ValueError|_unreadable")
_NAMED = ("msg", "message", "problem", "why")


def refusals() -> list[tuple[str, str]]:
    """Where each of them stands, and its template."""
    return [(name, one) for name, strange in WHO.items() for one in found(SOURCE / name, strange)]


def found(path: Path, strange: frozenset[str] = frozenset()) -> list[str]:
    """The template of every sentence with which a file refuses something, except those of *strange* functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [one for node in _walked(tree, strange) for said in _said(node) for one in _either(said)]
    return [one.value for one in nodes if isinstance(one, ast.Constant) and " " in str(one.value).strip()]


def _walked(tree: ast.AST, strange: frozenset[str]) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if not (isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and node.name in strange):
            yield node
            yield from _walked(node, strange)


def _said(node: ast.AST) -> Iterator[ast.expr]:
    """The texts that *node* says: what has the name of one, is given to an error, or complains."""
    match node:
        case ast.Assign(targets=[ast.Name(id=name)], value=value) if name in _NAMED:
            yield value
        case ast.Call(func=ast.Name(id="Sentence"), args=[template]):
            yield template
        case ast.Call(func=ast.Name(id=name), args=given) if _RAISED.fullmatch(name):
            yield from given
        case ast.Call(func=ast.Attribute(attr="_refused"), args=given):
            yield from given
        case ast.FunctionDef(name="complaint" | "_about_posting"):
            yield from (one.value for one in ast.walk(node) if isinstance(one, ast.Return) and one.value is not None)
        case ast.Call(func=ast.Attribute(value=ast.Name(id="_SENTENCES"), attr="get"), args=[_, other]):
            yield other
        case ast.Assign(targets=[ast.Name(id="_SENTENCES")], value=ast.Dict(values=values)):
            yield from values
        case _:
            pass


def _either(node: ast.expr) -> Iterator[ast.expr]:
    """All that *node* may be."""
    if isinstance(node, ast.IfExp):
        yield from _either(node.body)
        yield from _either(node.orelse)
    else:
        yield node
