"""Delivers a stream as a usual bot does, for comparison.

Most bots that stream work like this: the first words are a message, which is edited about once a second to show what has
come since. At 2000 units it is full, even within a word or a code block, and the next message continues it. Everything
that the model says is shown, ``<think>`` blocks and speaker labels too, and every mention pings: no allowed mentions are
set. An edit that hits a rate limit is skipped, because the next one shows more; a new message and the last edit are tried
once more after the wait, as the client libraries do. Any other error ends the reply without a notice. It has no
``/stop`` and no sprites.

There are better and worse bots; this is one in the middle.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

from ...concurrency.tasks import end_task
from ...facts import ChunkHeard, LoggedFact
from ...sim.faults import LostResponse
from ...sim.wire import Json, Response, RestRequest
from ...text.units import fitting, units
from ...types import Failed, TextDelta, ThoughtDelta
from . import virtual_time
from .film import Film
from .plan import ModelBeat, Rehearsal
from .rehearsal import meanwhile
from .rehearsal_room import RehearsalRoom
from .virtual_time import GivenUp

_FULL = 2000
"""UTF-16 units of a message."""
_BETWEEN = 1.0
"""Least seconds between two edits."""
_MESSAGES = "* /channels/*/messages/**"
"""The calls that send or edit a message."""
_TURN = "usual"
_TOO_MANY = 429


def rehearse_usual(wanted: Rehearsal, *, given_up: GivenUp | None = None) -> Film:
    """Film *wanted* with a usual bot: the same stream, people, limits and faults. Otherwise like ``rehearse``."""
    as_itself = replace(wanted, persona=replace(wanted.persona, is_alter=False))
    return virtual_time.run(_filmed(as_itself), given_up=given_up)


async def _filmed(wanted: Rehearsal) -> Film:
    room = RehearsalRoom(wanted, messages=_MESSAGES)
    with room:
        acts = asyncio.create_task(meanwhile(wanted, room, lambda _reason, _by: None))
        try:
            with suppress(_Over):
                await _UsualBot(room).answer(wanted.beats)
            await acts
        finally:
            await end_task(acts)
    return room.film()


class _Over(Exception):  # noqa: N818  # it is a signal, not an error
    """A call failed, so the reply is over."""


class _UsualBot:
    """One reply of a usual bot."""

    def __init__(self, room: RehearsalRoom) -> None:
        self._room = room
        self._text = ""  # of the current message
        self._shown = ""  # the part that was sent
        self._message = ""
        self._shown_at = 0.0
        self._has_spoken = False

    async def answer(self, beats: Sequence[ModelBeat]) -> None:
        """Show the text of *beats*; chunks that come during a call are read after it."""
        loop = asyncio.get_running_loop()
        due = loop.time()
        await self._call("POST", "typing")
        for beat in beats:
            due += beat.after
            if (wait := due - loop.time()) > 0:
                await asyncio.sleep(wait)
            for chunk in beat.chunks:
                if isinstance(chunk, TextDelta | ThoughtDelta):
                    self._film(chunk)
                if isinstance(chunk, TextDelta):
                    self._text += chunk.text
                elif isinstance(chunk, Failed):
                    raise _Over
            await self._show_now_and_then(loop.time())
        await self._show(is_last=True)

    def _film(self, chunk: TextDelta | ThoughtDelta) -> None:
        kind = "text" if isinstance(chunk, TextDelta) else "thought"
        self._room.camera.hook(LoggedFact(ChunkHeard(kind, 0.0, chunk.text), 0.0, _TURN))

    async def _show_now_and_then(self, now: float) -> None:
        while units(self._text) > _FULL:
            cut = fitting(self._text, _FULL)
            rest, self._text = self._text[cut:], self._text[:cut]
            await self._show(is_last=True)
            self._text, self._shown, self._message = rest, "", ""
        if not self._message or now - self._shown_at >= _BETWEEN:
            await self._show(is_last=False)

    async def _show(self, *, is_last: bool) -> None:
        """Update the current message; if this *is_last*, it waits for a rate limit."""
        if self._text == self._shown or not self._text.strip():
            return
        self._shown_at = asyncio.get_running_loop().time()
        if not self._message:
            answer = await self._insist("POST", "messages", {"content": self._text, **self._reference()})
            self._message = str(answer.body["id"])
        elif is_last:
            await self._insist("PATCH", f"messages/{self._message}", {"content": self._text})
        elif (await self._call("PATCH", f"messages/{self._message}", {"content": self._text})).status == _TOO_MANY:
            return
        self._shown = self._text

    def _reference(self) -> Json:
        """Only the first message is a reply."""
        reply_to = None if self._has_spoken else self._room.reply_to
        self._has_spoken = True
        return {"message_reference": {"message_id": reply_to}} if reply_to else {}

    async def _insist(self, method: str, path: str, body: Json) -> Response:
        answer = await self._call(method, path, body)
        if answer.status == _TOO_MANY:
            wait = answer.body.get("retry_after") if isinstance(answer.body, dict) else None
            await asyncio.sleep(float(wait or _BETWEEN))
            answer = await self._call(method, path, body)
        if answer.status == _TOO_MANY:
            raise _Over
        return answer

    async def _call(self, method: str, path: str, body: Json | None = None) -> Response:
        room = self._room
        request = RestRequest(method, f"/channels/{room.channel}/{path}", body=body, token=room.bot.token)
        try:
            answer = await room.rest.handle(request)
        except LostResponse:
            raise _Over from None
        if answer.status >= 400 and answer.status != _TOO_MANY:
            raise _Over
        return answer
