"""Patterns of calls: a method and a path with wildcards."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote


class Pattern(NamedTuple):
    """A method and a path, such as ``POST /channels/*/messages``.

    ``*`` is any method, or any one part of a path; ``{name}`` is a named part, and ``**`` at the end is any number of
    parts.
    """

    method: str
    parts: tuple[str, ...]

    @classmethod
    def read(cls, text: str) -> Pattern:
        """Parse a pattern; without a method and a path it is a ``ValueError``."""
        method, _, path = text.partition(" ")
        if not path.startswith("/"):
            msg = f"{text!r} does not say which calls it means; write a method and a path, as in 'POST /channels/*/messages'."
            raise ValueError(msg)
        return cls(method.upper(), split(path))

    def fits(self, method: str, path: str) -> bool:
        """Whether a call matches."""
        return self.method in ("*", method) and self.read_parts(split(path)) is not None

    def read_parts(self, parts: tuple[str, ...]) -> dict[str, str] | None:
        """The named parts of a path; ``None`` if it does not match."""
        mine = self.parts
        if mine[-1:] == ("**",):
            mine = mine[:-1]
            parts = parts[: len(mine)]
        if len(mine) != len(parts):
            return None
        found = {}
        for open_, part in zip(mine, parts, strict=True):
            if open_.startswith("{"):
                found[open_[1:-1]] = part
            elif open_ not in ("*", part):
                return None
        return found


def split(path: str) -> tuple[str, ...]:
    """The parts of a path, with percent-encoding decoded."""
    return tuple(unquote(part) for part in path.split("/") if part)
