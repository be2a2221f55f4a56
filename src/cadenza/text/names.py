"""Names of people and personas: when two are the same."""

from __future__ import annotations

from .units import WHITESPACE


def normalised(name: str) -> str:
    """*name* as it is compared: without an ``@`` in front, in one case, with single spaces."""
    return " ".join(name.strip(WHITESPACE).lstrip("@").casefold().split())
