"""Loggers whose tracebacks hold no secrets.

Tools, rules, targets, hooks and streams are written by others. When one of them raises, the log shows where: the frames
and the types of all exceptions, with known shapes of secrets hidden. The text of an exception may also hold what people
said, or a secret of no known shape, so it is logged only at the level ``debug``.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from itertools import islice
from traceback import format_tb

from ..text.redaction import without_secrets

_MOST_EXCEPTIONS = 20
"""Exceptions of one chain or group that are shown."""
_MOST_FRAMES = 40
"""Frames of one exception that are shown, the innermost ones."""
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]+")
"""Characters that begin a new line or control a terminal."""


def get_logger(name: str) -> logging.Logger:
    """Return the logger called *name*; it hides secrets in tracebacks before any handler sees them."""
    # A filter of the logger itself runs before every handler, also those of the root and of error trackers, and
    # ``logging.config`` does not remove it. A filter of the parent logger would not see the records of its children.
    logger = logging.getLogger(name)
    logger.addFilter(_hide)  # adding it twice changes nothing
    return logger


def _hide(record: logging.LogRecord) -> bool:
    """Replace the exception of *record*, whose frames hold every local variable, by a text without secrets."""
    error = record.exc_info[1] if record.exc_info else None
    if error is not None:
        has_texts = logging.getLogger(record.name).isEnabledFor(logging.DEBUG)
        record.exc_text, record.exc_info = traceback_text(error, has_texts=has_texts), None
    return True


def traceback_text(error: BaseException, *, has_texts: bool) -> str:
    """Return the traceback of *error* and its causes without secrets, and without their texts unless *has_texts*."""
    shown = reversed([*islice(_chain(error), _MOST_EXCEPTIONS)])
    return without_secrets("\n".join(_block(one, relation, has_texts=has_texts) for one, relation in shown))


def _chain(error: BaseException) -> Iterator[tuple[BaseException, str]]:
    """*error*, the members of a group and all causes, each with its relation to the one that it belongs to."""
    todo, seen = [(error, "")], set[int]()
    while todo:
        one, relation = todo.pop()
        if id(one) in seen:
            continue
        seen.add(id(one))
        yield one, relation
        if one.__cause__ is not None:
            todo.append((one.__cause__, "This was the direct cause of the exception below."))
        elif one.__context__ is not None and not one.__suppress_context__:
            todo.append((one.__context__, "While this was handled, the exception below was raised."))
        if isinstance(one, BaseExceptionGroup):
            todo += [(inner, "This is a member of the group below.") for inner in reversed(one.exceptions)]


def _block(error: BaseException, relation: str, *, has_texts: bool) -> str:
    frames = "".join(format_tb(error.__traceback__, limit=-_MOST_FRAMES))
    kind = type(error)
    name = kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    text = "\n  ".join(_texts(error)) if has_texts else ""
    return f"Traceback (most recent call last):\n{frames}{name}{text and ': '}{text}" + (relation and f"\n{relation}\n")


def _texts(error: BaseException) -> Iterator[str]:
    """The message of *error* and its notes, each in one line; both are foreign code and may fail."""
    try:
        yield _CONTROL.sub(" ", str(error))
        for note in getattr(error, "__notes__", ()):
            yield _CONTROL.sub(" ", str(note))
    except Exception as failure:  # noqa: BLE001  # an exception that cannot be shown is still logged
        yield f"(its text cannot be shown: {type(failure).__name__})"
