"""Replies that wait for those before them in the channel of their target."""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import AbstractContextManager, nullcontext
from typing import Any

from ..concurrency.stops import StopHandle
from ..errors import InputError, Sentence
from ..targets.target import Target
from ..types import Reply, Scene
from . import reply
from .channel_queue import ChannelQueue, QueuedReply
from .misuse import check_models
from .outbox.typing_indicator import TypingIndicator
from .streams import ModelStream


def queued_for(target: Target) -> AbstractContextManager[QueuedReply]:
    """Join the queue of the channel of *target*; one that names no channel has its own queue."""
    channel = getattr(target, "channel", None)
    key: Hashable = ("channel", channel) if isinstance(channel, str) and channel else ("target", id(target))
    return ChannelQueue.of_loop().joined(key)


async def its_turn(queued: QueuedReply | None, target: Target, stop: StopHandle | None) -> None:
    """Show the typing indicator until it is the turn of *queued*, or *stop* is requested."""
    if queued is None or queued.is_first:
        return
    async with TypingIndicator(target).shown(None):
        await queued.first(stop)


async def say_to(target: Target, stream: ModelStream, *, queue: bool, **options: Any) -> Reply:
    """Deliver *stream* to *target*, with the *options* of ``say``."""
    with queued_for(target) if queue else nullcontext() as queued:
        return await reply.say(target, stream, queued=queued, **options)


async def reply_in(
    scene: Scene | None,
    model: Any,
    target: Target,
    *,
    queue: bool = True,
    stop: StopHandle | None = None,
    **options: Any,
) -> Reply:
    """Let *model* answer *scene* in *target*, with the *options* of ``reply``."""
    if scene is None:
        msg = Sentence(
            "a {target_type} has no messages to answer; use reply(scene, model, target), with the history in the scene",
            target_type=type(target).__name__,
        )
        raise InputError(msg)
    check_models(model)
    with queued_for(target) if queue else nullcontext() as queued:
        await its_turn(queued, target, stop)
        return await reply.reply(scene, model, target, stop=stop, queued=queued, **options)
