"""Indexes of the specification's cases: a line each, with its number, where it is shown, and the test or the reason."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from functools import cache
from pathlib import Path

Row = tuple[str, str, str]


def rows_of(index: str) -> list[Row]:
    """The number of each case, where it is shown, and the test or the reason; an indented line only explains."""
    lines = (line for line in index.split("\n") if line and not line.startswith(" "))
    return [(number, where, what) for number, where, what in (line.split(None, 2) for line in lines)]


def not_shown(index: str, files: Mapping[str, str]) -> list[Row]:
    """The cases whose test does not exist; ``-`` stands for a case that has a reason instead."""
    return [row for row in rows_of(index) if row[1] != "-" and row[2] not in _names_in(files[row[1]])]


@cache
def _names_in(file: str) -> frozenset[str]:
    """The names of all tests in *file*, without their ``test_``."""
    tree = ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8"))
    functions = (node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef))
    return frozenset(node.name.removeprefix("test_") for node in functions if node.name.startswith("test_"))
