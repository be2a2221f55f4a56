"""Models and chats in virtual time, for tests of what waits."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

from cadenza.errors import CadenzaError
from cadenza.targets.target import Limits
from cadenza.types import Chunk, Identity, Notice, Post, Receipt, TextDelta


def now() -> float:
    """The time on the loop's clock."""
    return asyncio.get_running_loop().time()


class SlowStream:
    """A model's stream: texts and chunks as they are, numbers as seconds to wait."""

    def __init__(self, *items: str | float | Chunk | BaseException) -> None:
        self._items = items
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[Chunk]:
        try:
            for item in self._items:
                match item:
                    case str():
                        yield TextDelta(item)
                    case int() | float():
                        await asyncio.sleep(item)
                    case BaseException():
                        raise item
                    case _:
                        yield item
        finally:
            self.closed = True


class TimedTarget:
    """A chat that notes when each message was sent and arrived; every send takes *latency* seconds."""

    def __init__(self, *, latency: float = 0.0, fail_at: int | None = None, error: BaseException | None = None) -> None:
        self.limits = Limits()
        self.started: list[float] = []
        self.arrived: list[float] = []
        self.posts: list[Post] = []
        self.typed: list[float] = []
        self.notices: list[Notice] = []
        self._latency = latency
        self._fail_at = fail_at
        self._error = error or CadenzaError("refused")

    @property
    def texts(self) -> list[str]:
        return [post.text for post in self.posts]

    async def send(self, post: Post, /) -> Receipt:
        self.started.append(now())
        if len(self.started) - 1 == self._fail_at:
            raise self._error
        await asyncio.sleep(self._latency)
        self.posts.append(post)
        self.arrived.append(now())
        return Receipt(post, str(len(self.posts)))

    async def notify(self, notice: Notice, /) -> None:
        self.notices.append(notice)

    async def remove(self, receipt: Receipt, /) -> None:
        await asyncio.sleep(self._latency)
        self.posts = [post for post in self.posts if post is not receipt.post]

    async def typing(self, identity: Identity | None, /) -> None:  # noqa: ARG002  # one name is enough here
        self.typed.append(now())
