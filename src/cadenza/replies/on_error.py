"""What follows an error that ended a reply: one line in the log, and the hook of the author of the bot."""

from __future__ import annotations

import logging
from collections.abc import Callable
from inspect import isawaitable
from typing import TypeAlias

from ..concurrency.tasks import must_rise
from ..errors import CadenzaError, ProviderError
from ..explain.tracebacks import get_logger
from ..text.redaction import without_secrets

logger = get_logger(__name__)

OnError: TypeAlias = Callable[[CadenzaError], object]
"""Called with the error that ended a reply, whose ``__cause__`` is the original exception; what it returns is awaited."""


async def report(error: CadenzaError | None, on_error: OnError | None = None) -> None:
    """Log *error* with the traceback of its cause and call *on_error* with it; a hook that fails changes nothing."""
    if error is None:
        return
    is_passing = isinstance(error, ProviderError) and error.retryable
    cause = error.__cause__ or (error if error.__traceback__ else None)
    level = logging.WARNING if is_passing else logging.ERROR
    logger.log(level, "a reply failed: %s", _told(error), exc_info=cause)
    if on_error is None:
        return
    try:
        answer = on_error(error)
        if isawaitable(answer):
            await answer
    except BaseException as fault:  # foreign code may raise anything
        if must_rise(fault):
            raise
        logger.warning("the hook on_error failed", exc_info=fault)


def _told(error: CadenzaError) -> str:
    """The sentence of *error*, and what a provider said, which people are not told."""
    words = str(error)
    if isinstance(error, ProviderError):
        words = f"{words} [{error.kind.value}, {error.code or 'no code'}] {error.detail}".rstrip()
    return without_secrets(words)
