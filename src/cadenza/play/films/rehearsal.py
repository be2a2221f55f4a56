"""Delivers a stream to a simulated Discord in virtual time, and films it.

The same input gives the same film: nothing depends on the clock, the dice or the network of this machine.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from random import Random

from ...concurrency.stops import StopHandle, Stops
from ...concurrency.tasks import end_task
from ...pictures.picture_worker import PictureWorker
from ...replies.outbox.grouping_names import NameContinuity
from ...replies.outbox.prepare import PostPreparer
from ...replies.reply import say
from ...targets.discord.shared import DiscordState
from ...targets.discord.target import DiscordTarget, ReplyTarget
from ...targets.discord.webhooks import Webhooks
from ...types import Chunk, Identity, Reply, Scene, StopReason, TextDelta
from . import virtual_time
from .film import Film
from .plan import ModelBeat, Rehearsal
from .rehearsal_room import RehearsalRoom
from .virtual_time import GivenUp, VirtualLoop

_TURN = "1"


async def spoken(beats: Iterable[ModelBeat]) -> AsyncIterator[str | Chunk]:
    """The chunks of *beats*, each at its time: a model does not wait for its reader."""
    loop = asyncio.get_running_loop()
    due = loop.time()
    for beat in beats:
        due += beat.after
        if (wait := due - loop.time()) > 0:
            await asyncio.sleep(wait)
        for chunk in beat.chunks:
            yield chunk.text if type(chunk) is TextDelta else chunk  # plain text takes the fast path


def rehearse(wanted: Rehearsal, *, given_up: GivenUp | None = None) -> Film:
    """Film *wanted* in virtual time.

    It blocks the calling thread, which must have no running event loop; with one, use ``asyncio.to_thread``. Once
    *given_up* (such as ``threading.Event().is_set``) returns true, it ends soon with ``virtual.Abandoned``.
    """
    return virtual_time.run(_filmed(wanted), given_up=given_up)


async def _filmed(wanted: Rehearsal) -> Film:
    room = RehearsalRoom(wanted)
    with room, Stops().open(_TURN) as handle:
        acts = asyncio.create_task(meanwhile(wanted, room, handle.take))
        try:
            reply = await _delivered(wanted, room, handle)
            await acts
        finally:
            await end_task(acts)
    return room.film(reply)


async def meanwhile(wanted: Rehearsal, room: RehearsalRoom, stop: Callable[[StopReason, str], object]) -> None:
    """Let people act, each at their time."""
    loop = asyncio.get_running_loop()
    for one in wanted.interludes:
        await asyncio.sleep(max(0.0, room.begun + one.at - loop.time()))
        person = room.people[one.who or wanted.people[0]]
        if one.says:
            person.says(room.channel, one.says)
        if one.stops is not None:
            stop(one.stops, person.name)


async def _delivered(wanted: Rehearsal, room: RehearsalRoom, handle: StopHandle) -> Reply:
    persona, loop = room.persona, asyncio.get_running_loop()
    continuity = NameContinuity(clock=loop.time)
    preparer = PostPreparer(painter=wanted.painter, continuity=continuity, picture_worker=_PatientStudio())
    target = DiscordTarget(
        room.api,
        room.channel,
        shared=DiscordState(Webhooks(room.api), clock=loop.time),
        turn=_TURN,
        persona=Identity(persona.name, persona.avatar) if persona.is_alter else None,
        roster=room.roster,
        reply_target=ReplyTarget(room.reply_to, wanted.people[0]) if room.reply_to else None,
    )
    try:
        return await say(
            target,
            spoken(wanted.beats),
            scene=Scene(room.channel, persona, roster=room.roster, reply_to=room.reply_to, prefill=wanted.prefill),
            settings=wanted.settings,
            stop=handle,
            chance=Random(wanted.settings.delivery.seed if wanted.seed is None else wanted.seed),
            preparer=preparer,
            trace=room.camera.hook,
        )
    finally:
        await preparer.close()


class _PatientStudio(PictureWorker):
    """A studio in which painting takes no virtual time: the loop is told of its threads."""

    async def painted(self, paint: Callable[[], object]) -> bytes | None:
        """The result of *paint*, if it is a picture."""
        loop = asyncio.get_running_loop()
        if not isinstance(loop, VirtualLoop):
            return await super().painted(paint)
        with loop.computing():
            return await super().painted(paint)
