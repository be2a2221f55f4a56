"""The shape of the package in figures: sizes, names with two meanings, parameters, state and the longest import chain.

``python bench/tree.py [FOLDER]`` prints them; a test holds the ones with a limit.
"""

from __future__ import annotations

import ast
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

PACKAGE = Path(__file__).parent.parent / "src" / "cadenza"
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


@dataclass(frozen=True, slots=True)
class Function:
    """A function or method: where it is, and its size."""

    where: str
    body: int
    """Lines without the docstring."""
    parameters: int
    """Without ``self`` and ``cls``."""
    options: int
    """Those of them that are keyword-only and have a default."""


@dataclass(frozen=True, slots=True)
class Tree:
    """The figures of one package."""

    lines: Mapping[str, int]
    """By file."""
    functions: tuple[Function, ...]
    classes: Mapping[str, tuple[str, ...]]
    """Where each public class name is defined."""
    state: Mapping[str, int]
    """Attributes of each class: its fields, and what its methods assign to ``self``."""
    chain: tuple[str, ...]
    """The longest chain of modules that import each other when they are imported."""

    @property
    def root(self) -> list[str]:
        """The modules that are in no room."""
        return sorted(name for name in self.lines if "/" not in name)

    @property
    def shared_class_names(self) -> dict[str, tuple[str, ...]]:
        """Public class names with more than one meaning."""
        return {name: where for name, where in self.classes.items() if len(where) > 1}

    @property
    def shared_file_names(self) -> dict[str, int]:
        """File names that more than two files have."""
        names = Counter(Path(name).name for name in self.lines)
        return {name: count for name, count in names.items() if count > 2 and name != "__init__.py"}


def measure(package: Path = PACKAGE) -> Tree:
    """Measure all Python files of *package*."""
    trees = {str(path.relative_to(package)): ast.parse(path.read_bytes()) for path in sorted(package.rglob("*.py"))}
    lines = {name: len((package / name).read_text(encoding="utf-8").splitlines()) for name in trees}
    functions = tuple(one for name, tree in trees.items() for one in _functions(name, tree))
    classes: dict[str, tuple[str, ...]] = {}
    state: dict[str, int] = {}
    for name, tree in trees.items():
        for node in tree.body:
            if isinstance(node, ast.ClassDef):
                state[f"{name}:{node.name}"] = len(_attributes(node))
                if not node.name.startswith("_"):
                    classes[node.name] = (*classes.get(node.name, ()), name)
    return Tree(lines, functions, classes, state, _longest({name: _imports(name, trees) for name in trees}))


def _functions(name: str, tree: ast.Module) -> Iterator[Function]:
    for node in ast.walk(tree):
        if isinstance(node, _FUNCTIONS):
            documented = ast.get_docstring(node) is not None
            body = node.body[1:] if documented and len(node.body) > 1 else node.body
            given = node.args
            every = [*given.posonlyargs, *given.args, *given.kwonlyargs]
            own = [one for one in every if one.arg not in ("self", "cls")]
            size = (body[-1].end_lineno or 0) - body[0].lineno + 1
            options = sum(default is not None for default in given.kw_defaults)
            yield Function(f"{name}:{node.lineno} {node.name}", size, len(own), options)


def _attributes(node: ast.ClassDef) -> set[str]:
    fields = {one.target.id for one in node.body if isinstance(one, ast.AnnAssign) and isinstance(one.target, ast.Name)}
    assigned = {
        one.attr
        for one in ast.walk(node)
        if isinstance(one, ast.Attribute)
        and isinstance(one.ctx, ast.Store)
        and isinstance(one.value, ast.Name)
        and one.value.id == "self"
    }
    return fields | assigned


def _imports(name: str, trees: Mapping[str, ast.Module]) -> set[str]:
    """The files of the package that *name* imports at once: not in a function, and not for type checkers alone."""
    package = Path(name).parent.parts
    found: set[str] = set()
    for node in trees[name].body:
        if isinstance(node, ast.ImportFrom) and node.level:
            base = [*package[: len(package) - node.level + 1], *(node.module.split(".") if node.module else [])]
            for alias in node.names:
                candidates = [
                    "/".join([*base, alias.name]) + ".py",
                    "/".join(base) + ".py",
                    "/".join([*base, "__init__.py"]),
                ]
                found.update([next((one for one in candidates if one in trees), name)])
    return found - {name}


def _longest(graph: Mapping[str, set[str]]) -> tuple[str, ...]:
    @cache
    def below(name: str) -> tuple[str, ...]:
        return (name, *max((below(one) for one in sorted(graph[name])), key=len, default=()))

    return max((below(name) for name in graph), key=len)


def _figures(tree: Tree) -> Iterator[tuple[str, object]]:
    bodies = sorted(one.body for one in tree.functions)
    fixed = [one for one in tree.functions if one.parameters - one.options > 8]
    sizes = sorted(tree.state.items(), key=lambda item: -item[1])
    yield "files", len(tree.lines)
    yield "lines", sum(tree.lines.values())
    yield "modules at the root", len(tree.root)
    yield "class names with two meanings", len(tree.shared_class_names)
    yield "file names used more than twice", len(tree.shared_file_names)
    yield "functions", len(bodies)
    yield (
        "body of a function, median / 90th / largest",
        (f"{bodies[len(bodies) // 2]} / {bodies[len(bodies) * 9 // 10]} / {bodies[-1]}"),
    )
    yield "functions with more than 8 parameters", sum(one.parameters > 8 for one in tree.functions)
    yield "... that are not keyword-only options", len(fixed)
    yield "classes with more than 20 attributes", ", ".join(f"{n} {c}" for n, c in sizes if c > 20) or "none"
    yield "largest states", ", ".join(f"{n.split(':')[1]} {c}" for n, c in sizes[:6])
    yield "longest chain of imports", len(tree.chain)


def main() -> None:
    """Print the figures of the package, or of the one in the folder given."""
    tree = measure(Path(sys.argv[1]) if len(sys.argv) > 1 else PACKAGE)
    for name, value in _figures(tree):
        print(f"{name:48} {value}")
    for title, found in (("class names", tree.shared_class_names), ("file names", tree.shared_file_names)):
        for name, where in found.items():
            print(f"  {title}: {name} {where}")
    for one in tree.functions:
        if one.parameters > 8:
            print(f"  {one.parameters} parameters, {one.options} options: {one.where}")
    print("  chain:", " > ".join(tree.chain))


if __name__ == "__main__":
    main()
