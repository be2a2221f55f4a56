"""A view under the last message of a reply: refused at once if it cannot be shown, and shown when all is sent."""

from __future__ import annotations

from collections.abc import Sequence
from logging import DEBUG, WARNING

from ..concurrency.tasks import must_rise
from ..errors import DeliveryError, DeliveryKind, InputError, Sentence
from ..explain.tracebacks import get_logger
from ..targets.target import DiscordView, SupportsView, Target
from ..types import Receipt

logger = get_logger(__name__)

_NOT_SHOWN = "the view of a reply could not be shown"


def check_view(view: object) -> None:
    """Raise an ``InputError`` unless *view* is a view of discord.py, or ``None``."""
    if view is None or _is_view(view):
        return
    msg = Sentence(
        "view must be a View or LayoutView of discord.py, such as discord.ui.View(), not {view_type}",
        view_type=f"the class {view.__name__}" if isinstance(view, type) else type(view).__name__,
    )
    raise InputError(msg)


def announce_view(view: DiscordView | None, target: Target) -> None:
    """Tell *target* that the reply has *view*; an ``InputError`` if it cannot show it."""
    check_view(view)
    if view is None:
        return
    if not isinstance(target, SupportsView):
        msg = Sentence(
            "a view can only be shown in a channel of discord.py; {target_type} shows none",
            target_type=type(target).__name__,
        )
        raise InputError(msg)
    target.has_view(view)


async def show_view(view: DiscordView | None, target: Target, receipts: Sequence[Receipt]) -> None:
    """Show *view* on the last of *receipts*, if there is one. A failure is only logged: the reply has arrived."""
    if view is None or not receipts or not isinstance(target, SupportsView):
        return
    try:
        await target.show_view(view, receipts[-1])
    except DeliveryError as error:
        is_stop = error.kind is DeliveryKind.SKIPPED  # after a stop no further message is sent
        logger.log(DEBUG if is_stop else WARNING, _NOT_SHOWN, exc_info=error)
    except BaseException as error:
        if must_rise(error):
            raise
        logger.warning(_NOT_SHOWN, exc_info=error)


def _is_view(view: object) -> bool:
    """Return whether *view* is one, without importing discord.py. A modal is shown by an interaction only."""
    views = {("discord.ui.view", "View"), ("discord.ui.view", "LayoutView")}
    return any((base.__module__, base.__name__) in views for base in type(view).__mro__)
