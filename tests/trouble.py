"""Trouble at a given moment of a reply: a stop, a silence, a failure, a chat that crashes; and a chat that tells all.

Everything happens by number: events of the model's stream and sends to the chat are counted from 0, and trouble comes
just before the one that it was meant for. So a test can try every moment there is.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass, field

from cadenza.concurrency.stops import Stops
from cadenza.errors import CadenzaError, DeliveryError, DeliveryKind, ProviderError
from cadenza.models.dialects.scripted import ScriptedCodec
from cadenza.models.model import Model
from cadenza.stages.s7_delivery import Allowance, Limits
from cadenza.types import Chunk, HttpRequest, Identity, Notice, Post, Receipt, Reply, StopReason, TextDelta
from tests.timing import now

TURN = "turn"
"""The turn that is stopped."""

REFUSALS: dict[str, Callable[[], BaseException]] = {
    **{kind.value: lambda kind=kind: DeliveryError("refused", kind=kind) for kind in DeliveryKind if kind.ends_reply},  # type: ignore[misc]
    "an error of ours": lambda: CadenzaError("refused"),
    "a provider's error": lambda: ProviderError("refused", retryable=True),
    "a foreign error": lambda: OSError("token=secret"),
    "a cancellation of its own": asyncio.CancelledError,
    "no exception at all": lambda: GeneratorExit("secret"),
}
"""Everything that a chat may answer with instead of a receipt."""


@dataclass
class Trouble:
    """What happens before event *at* of the stream: *act*, once."""

    act: Callable[[], Awaitable[None]]
    at: int
    _count: int = field(default=0)
    struck_at: float | None = None
    """When it was, on the loop's clock."""

    async def next(self) -> None:
        """The next event is about to happen."""
        number, self._count = self._count, self._count + 1
        if number == self.at:
            self.struck_at = now()
            await self.act()


NO_TROUBLE = -1


def stopping(stops: Stops, *reasons: StopReason, seconds: float = 30.0) -> Callable[[], Awaitable[None]]:
    """Somebody asks for a stop, for each of *reasons*, and the model says nothing for *seconds*."""

    async def act() -> None:
        for reason in reasons:
            stops.request(TURN, reason)
        await asyncio.sleep(seconds)

    return act


async def stalling() -> None:
    """The model falls silent, for longer than anybody waits."""
    await asyncio.sleep(10_000.0)


def failing(error: Callable[[], BaseException]) -> Callable[[], Awaitable[None]]:
    """The stream breaks off."""

    async def act() -> None:
        raise error()

    return act


async def peace() -> None:
    """Nothing happens."""


async def speech(pieces: Sequence[str], trouble: Trouble | None = None) -> AsyncIterator[Chunk]:
    """A model that says *pieces*, with *trouble*; whatever comes behind the last piece is an event, too."""
    for piece in pieces:
        if trouble:
            await trouble.next()
        yield TextDelta(piece)
    if trouble:
        await trouble.next()


@dataclass
class Voice:
    """A model that answers with the next of *rounds* whenever it is asked: texts, and ``None`` for a call of a tool."""

    rounds: Sequence[Sequence[str | None]]
    trouble: Trouble | None = None
    name: str = ""
    asked: int = 0
    open: int = 0
    """How many streams of it are not closed."""

    @property
    def model(self) -> Model:
        """How it is asked."""
        return Model(ScriptedCodec(), self._answer, name=self.name)

    async def _answer(self, _: HttpRequest) -> AsyncIterator[bytes]:
        said = self.rounds[self.asked] if self.asked < len(self.rounds) else ()
        self.asked += 1
        self.open += 1
        try:
            for piece in said:
                if self.trouble:
                    await self.trouble.next()
                yield json.dumps(_line(piece, self.asked)).encode() + b"\n"
            if self.trouble:
                await self.trouble.next()
            yield json.dumps({"finish": "tool_calls" if None in said else "stop"}).encode() + b"\n"
        finally:
            self.open -= 1


def _line(piece: str | None, number: int) -> dict[str, object]:
    if piece is None:
        return {"tool": {"id": str(number), "name": "look", "arguments": {"number": number}}}
    return {"text": piece}


class FixedChannel:
    """A chat that shows what arrived, from which nothing can be taken back."""

    def __init__(
        self, *, latency: float = 0.0, crash_at: int | None = None, error: Callable[[], BaseException] | None = None
    ) -> None:
        self.limits = Limits()
        self.shown: list[Receipt] = []
        self.started: list[float] = []
        self.notices: list[Notice] = []
        self.typed: list[float] = []
        self._latency = latency
        self._crash_at = crash_at
        self._error = error or (lambda: DeliveryError("refused"))

    @property
    def texts(self) -> list[str]:
        """What people see, message by message."""
        return [receipt.post.text for receipt in self.shown]

    @property
    def transcript(self) -> str:
        """What a model should be told of it."""
        return "\n".join(receipt.post.said for receipt in self.shown if receipt.post.said)

    async def send(self, post: Post, /) -> Receipt:
        """Show *post*, in time, or crash."""
        self.started.append(now())
        number = len(self.started)
        await asyncio.sleep(self._latency)
        if number - 1 == self._crash_at:
            raise self._error()
        receipt = Receipt(post, str(number))
        self.shown.append(receipt)
        return receipt

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice* somewhere else."""
        self.notices.append(notice)

    async def typing(self, identity: Identity | None, /) -> None:  # noqa: ARG002  # one name is enough here
        """Note when it was."""
        self.typed.append(now())


class Channel(FixedChannel):
    """A chat from which everything can be taken back."""

    async def remove(self, receipt: Receipt, /) -> None:
        """Take *receipt* back, in time."""
        await asyncio.sleep(self._latency)
        self.shown.remove(receipt)


class MeteredChannel(Channel):
    """A chat that takes five messages in five seconds, from the first of them on, and says so; one more is a fault."""

    limit = 5

    def __init__(self, *, latency: float = 0.0) -> None:
        super().__init__(latency=latency)
        self._left, self._resets = self.limit, 0.0
        self.refused = 0
        """How many came too early."""

    def allowance(self, _: Identity | None, /) -> Allowance:
        """What it takes now."""
        if now() >= self._resets:
            self._left = self.limit
        return Allowance(self._left, self.limit, max(0.0, self._resets - now()))

    async def send(self, post: Post, /) -> Receipt:
        """Show *post*, unless it comes too early."""
        left = self.allowance(None).left
        self.refused += not left
        if left == self.limit:
            self._resets = now() + 5.0
        self._left -= 1
        return await super().send(post)


def check_books(reply: Reply, channel: FixedChannel) -> None:
    """What the reply says of itself is what the channel shows."""
    assert channel.shown == list(reply.receipts)
    assert channel.transcript == reply.transcript
