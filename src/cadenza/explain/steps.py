"""The steps of a trace, the hook that receives them, and a hook that writes them to a file.

``say`` and ``reply`` take a hook. ``STEPS`` lists the steps and their values; ``docs/trace.md`` explains them. A reply
records its steps with ``tracing``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from types import MappingProxyType, TracebackType
from typing import IO, Self, TypeAlias

from ..errors import InputError
from .tracebacks import get_logger

logger = get_logger(__name__)

STEPS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "reply": ("kind", "channel", "persona", "reply_to", "settings"),
        "passed_over": ("model", "why", "seconds"),
        "try": ("number", "model", "key", "why", "waited", "dropped", "reminded"),
        "request": ("number", "rung", "remembered", "error", "turns", "tools", "bytes"),
        "chunk": ("kind", "since", "text", "detail"),
        "hold": ("why", "mark", "size"),
        "aside": ("kind", "text"),
        "segment": ("number", "text", "boundary", "kind"),
        "rule": ("rule", "effect", "segments", "before", "after", "identity", "label"),
        "halt": ("by", "reason"),
        "post": (
            "number", "segments", "text", "boundary", "pause", "typing", "breath", "thinking", "cut", "identity", "label",
            "reply", "picture", "file",
        ),
        "back_pressure": ("seconds",),
        "merged": ("posts", "text", "why"),
        "wait": ("posts", "why"),
        "sending": ("posts",),
        "sent": ("posts", "text", "message", "url", "identity", "attachment", "waited", "seconds"),
        "unsent": ("posts", "waited", "error"),
        "left_out": ("posts", "why"),
        "cut": ("keep", "posts", "dropped", "text"),
        "withdrawn": ("posts",),
        "brought_back": ("posts",),
        "superseded": ("messages",),
        "spared": ("messages",),
        "deleted": ("message", "seconds", "error"),
        "tool": ("call", "name", "arguments", "seconds", "is_error", "remembered"),
        "notice": ("title", "text", "urgency", "is_shown"),
        "stop": ("reason", "by"),
        "stall": ("has_begun", "seconds"),
        "round": ("number", "outcome", "said", "usage"),
        "tried": ("number", "model", "outcome", "cure"),
        "end": ("outcome", "messages", "model", "failures", "notices", "usage"),
    }
)  # fmt: skip
"""Every step, and the names of its values."""


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of a reply."""

    step: str
    """The name: one of ``STEPS``."""
    at: float
    """Seconds since the reply began."""
    about: Mapping[str, object]
    """The values of the step, as JSON data."""
    turn: str = ""
    """The id of the reply, for a hook that sees several."""


Hook: TypeAlias = Callable[[TraceStep], None]
"""Receives the steps. It is called in the middle of a reply, so it must be quick."""


class JsonLines:
    """A hook that writes one line of JSON for each step, in UTF-8. A context manager that closes the file.

    A path is overwritten; an open text file is written to and left open. If writing fails, for instance because the
    disk is full, that is logged once and nothing more is written; the reply goes on.
    """

    def __init__(self, file: str | PathLike[str] | IO[str]) -> None:
        self._is_own = isinstance(file, str | PathLike)
        self._file: IO[str] | None = _opened(file) if isinstance(file, str | PathLike) else file
        self.complaint = ""
        """Why nothing more is written, in a sentence; empty while writing works."""

    def __call__(self, traced: TraceStep) -> None:
        """Write *traced*; the file is flushed at the end of a reply."""
        if self._file is None:
            return
        try:
            self._file.write(line_of(traced) + "\n")
            if traced.step == "end":
                self._file.flush()
        except (OSError, ValueError) as error:  # a closed file raises ValueError
            self._give_up(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop writing and close the file if it is ours."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if self._is_own:
                file.close()
            else:
                file.flush()
        except (OSError, ValueError) as error:
            self._complain(error)

    def _give_up(self, error: OSError | ValueError) -> None:
        self._complain(error)
        file, self._file = self._file, None
        if file is not None and self._is_own:
            with suppress(OSError, ValueError):  # closing flushes, and may fail again
                file.close()

    def _complain(self, error: OSError | ValueError) -> None:
        why = getattr(error, "strerror", None) or type(error).__name__
        self.complaint = f"the trace cannot be written ({why}) and is incomplete; free some space, or name another file"
        logger.warning("%s", self.complaint)


def line_of(traced: TraceStep) -> str:
    """*traced* as a line of JSON; a lone surrogate, which UTF-8 cannot hold, is escaped."""
    value = {"turn": traced.turn, "at": traced.at, "step": traced.step, **traced.about}
    text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def _opened(path: str | PathLike[str]) -> IO[str]:
    try:
        return Path(path).open("w", encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:  # a path with a NUL raises ValueError
        msg = f"cannot write the trace to {str(path)!r}: {getattr(error, 'strerror', None) or error}"
        raise InputError(msg) from None
