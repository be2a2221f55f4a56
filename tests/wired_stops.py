"""A registry of stops whose requests go over a wire: bytes that arrive later, as between two processes."""

from __future__ import annotations

import asyncio
import json
from types import TracebackType
from typing import Any, Self

from cadenza.concurrency.stops import StopHandle, Stops
from cadenza.concurrency.tasks import end_task
from cadenza.types import StopReason


class Wire:
    """A server in between: it keeps the names of turns, and hands on what is published to everybody, some time later."""

    def __init__(self, latency: float) -> None:
        self.latency = latency
        self.turns: set[str] = set()
        self.listeners: list[asyncio.Queue[bytes]] = []

    async def publish(self, **message: object) -> None:
        await asyncio.sleep(self.latency)
        for listener in self.listeners:
            listener.put_nowait(json.dumps(message).encode())


class WiredStops(Stops):
    """One process's end of the wire. An async context manager: it owns the two tasks that listen and announce."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire
        self._inbox: asyncio.Queue[bytes] = asyncio.Queue()
        self._news: asyncio.Queue[tuple[str, bool]] = asyncio.Queue()
        self._asked: dict[int, asyncio.Future[bool]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        self._wire.listeners.append(self._inbox)
        self._tasks = [asyncio.create_task(self._listen()), asyncio.create_task(self._announce())]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._wire.listeners.remove(self._inbox)
        for task in self._tasks:
            await end_task(task)

    def open(self, turn: str, /) -> StopHandle:
        handle = super().open(turn)
        self._news.put_nowait((turn, True))
        return handle

    def forget(self, handle: StopHandle, /) -> None:
        was_running = self._handles.get(handle.turn) is handle
        super().forget(handle)
        if was_running:
            self._news.put_nowait((handle.turn, False))

    async def stop(self, turn: str, reason: StopReason = StopReason.USER, *, by: str = "") -> bool:
        answer: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._asked[id(answer)] = answer
        try:
            await self._wire.publish(turn=turn, reason=reason.value, by=by, answer_to=id(answer))
            async with asyncio.timeout(self._wire.latency * 4 + 0.1):
                return await answer
        except TimeoutError:
            return False
        finally:
            del self._asked[id(answer)]

    async def turns(self) -> tuple[str, ...]:
        await asyncio.sleep(self._wire.latency)
        return tuple(self._wire.turns)

    async def _announce(self) -> None:
        while True:
            turn, is_running = await self._news.get()
            await asyncio.sleep(self._wire.latency)
            (self._wire.turns.add if is_running else self._wire.turns.discard)(turn)

    async def _listen(self) -> None:
        while True:
            message: dict[str, Any] = json.loads(await self._inbox.get())
            if "accepted" in message:
                asked = self._asked.get(message["answer"])
                if asked and not asked.done():
                    asked.set_result(message["accepted"])
            elif message["turn"] in self.running():
                accepted = self.request(message["turn"], StopReason(message["reason"]), by=message["by"])
                await self._wire.publish(answer=message["answer_to"], accepted=accepted)
