"""Imports that do not block the event loop."""

from __future__ import annotations

import asyncio
import sys
from importlib import import_module


async def imported(*modules: str) -> None:
    """Import *modules*, by their full names, in a thread: together they may take a third of a second.

    Afterwards an ``import`` of them takes no time.
    """
    missing = [name for name in modules if not _is_ready(name)]
    if missing:
        await asyncio.to_thread(_import_all, missing)


def _is_ready(name: str) -> bool:
    """Whether *name* is imported, and no other task is in the middle of importing it."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    return spec is not None and not getattr(spec, "_initializing", False)


def _import_all(names: list[str]) -> None:
    for name in names:
        import_module(name)
