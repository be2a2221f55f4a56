"""What the server of the playground may refuse, found in the syntax trees of whoever does that."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

import cadenza
from tests.bot.services.languages.texts import around_values

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


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it stands in the source."""

    where: str
    pieces: tuple[str, ...]
    """What stands before, between and behind its values."""

    @property
    def pattern(self) -> re.Pattern[str]:
        """What it can be made to."""
        return re.compile(".*".join(map(re.escape, self.pieces)), re.DOTALL)

    def __str__(self) -> str:
        return f"{self.where}: {'{}'.join(self.pieces)}"


def refusals() -> list[Sentence]:
    """All of them."""
    return [one for name, strange in WHO.items() for one in found(SOURCE / name, name, strange)]


def found(path: Path, where: str, strange: frozenset[str] = frozenset()) -> list[Sentence]:
    """Every sentence of a file with which something is refused, but for those of *strange* functions."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    nodes = [one for node in _walked(tree, strange) for said in _said(node) for one in _either(said)]
    return [Sentence(where, pieces) for node in nodes if (pieces := _pieces(node)) and _is_sentence(pieces)]


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


def _pieces(node: ast.expr) -> tuple[str, ...]:
    match node:
        case ast.Constant(value=str(text)):
            return (text,)
        case ast.JoinedStr(values=parts):
            return tuple(around_values(parts))
        case _:
            return ()


def _is_sentence(pieces: tuple[str, ...]) -> bool:
    return " " in "".join(pieces).strip()
