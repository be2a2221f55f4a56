"""Law 7: one way out. Every message is planned in one place, whatever led to it."""

from __future__ import annotations

import ast
from pathlib import Path

import cadenza

_SOURCE = Path(cadenza.__file__).parent


def test_only_the_composer_makes_posts() -> None:
    makers = {
        str(path.relative_to(_SOURCE))
        for path in _SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "Post"
    }

    assert {"stages/s7_delivery.py"} == makers
