"""How soon a turn is silent after a stop, in whatever phase it comes: run by ``turns.py``.

    python bench/silence.py LOOP ADDRESS TIMES      prints JSON

In each phase some turns run at once in a real event loop, and each is stopped at a moment of its own. What counts is
the time from the request to the last start of a send, which is nothing if no send starts any more, and to the return
of ``reply``.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from random import Random
from typing import Any

from cadenza import (
    Http,
    Identity,
    Limits,
    Line,
    Model,
    Persona,
    Post,
    Receipt,
    Scene,
    Settings,
    Stopped,
    StopReason,
    Stops,
    Tool,
    ToolSpec,
    connect,
    reply,
)
from cadenza.tools.tool import ToolContext
from crowd import new_loop
from paced import TOOL

TOKENS = 400
"""Those of a stream that is to be stopped long before its end."""
LONG = 2.0
"""Seconds that a pause, a tool or a wait for a rate limit takes: much longer than until the stop."""


@dataclass(frozen=True, slots=True)
class Phase:
    """A moment in a turn."""

    name: str
    question: str
    """What the server is to do, but for the number of the stream."""
    settings: Settings
    after: tuple[float, float]
    """Between which seconds after its beginning a turn is stopped."""
    limited: bool = False
    """Whether the second send has to wait, as for a rate limit."""


def _settings(**values: Any) -> Settings:
    return Settings.of(private_addresses=True, **values)


PHASES = (
    Phase("waiting for the first token", "mute", _settings(), (0.3, 1.0)),
    Phase("in the midst of the stream", "text", _settings(degree=1), (0.5, 2.0)),
    Phase("in a typing pause", "burst", _settings(degree=2, typing_least=LONG), (0.3, 1.0)),
    Phase("in a wait for a rate limit", "burst", _settings(degree=1), (0.3, 1.0), limited=True),
    Phase("while a tool runs", "call", _settings(), (0.3, 1.0)),
)


@dataclass(slots=True)
class Sends:
    """A target that notes when each send started."""

    limited: bool
    limits: Limits = field(default_factory=Limits)
    started: list[float] = field(default_factory=list)

    async def send(self, post: Post, /) -> Receipt:
        """Note it; the second one may have to wait until there is room, and cannot be called back."""
        self.started.append(time.monotonic())
        if self.limited and len(self.started) == 2:
            await asyncio.sleep(LONG)
        return Receipt(post, str(len(self.started)))

    async def typing(self, identity: Identity | None, /) -> None:
        """Nobody is watching."""


@dataclass(frozen=True, slots=True)
class Quiet:
    """One stop: the seconds from the request to the last start of a send, and to the end of the turn."""

    silent: float
    returned: float


async def _wait(arguments: Mapping[str, object], context: ToolContext) -> str:  # noqa: ARG001  # it only takes long
    await asyncio.sleep(LONG)
    return "done"


TOOLS = {TOOL: Tool(ToolSpec(TOOL, "Waits.", {"type": "object", "properties": {}}), _wait)}


async def stopped(phase: Phase, model: Model, number: int, stops: Stops) -> Quiet:
    """Stop one turn in *phase*."""
    target, turn = Sends(phase.limited), str(number)
    scene = Scene("bench", Persona("Ren"), (Line("Ann", f"<{phase.question} {number} {TOKENS}>"),))
    with stops.open(turn) as stop:
        async with asyncio.TaskGroup() as group:
            running = group.create_task(
                reply(scene, model, target, settings=phase.settings, tools=TOOLS, stop=stop),
            )
            await asyncio.sleep(Random(number).uniform(*phase.after))
            requested = time.monotonic()
            assert stops.request(turn), f"the turn was over before its stop ({phase.name})"
            result = await running
            returned = time.monotonic()
    assert result.outcome == Stopped(StopReason.USER), f"{result.outcome} ({phase.name})"
    last = max(target.started, default=requested)
    return Quiet(max(0.0, last - requested), returned - requested)


async def measure(address: str, times: int) -> dict[str, list[Quiet]]:
    """Stop *times* turns in each phase."""
    return {phase.name: await measure_phase(phase, address, times) for phase in PHASES}


async def measure_phase(phase: Phase, address: str, times: int) -> list[Quiet]:
    """Stop *times* turns in *phase*."""
    async with Http(phase.settings.http) as http:
        model = connect("openai:model", key="key", url=f"{address}/v1", settings=phase.settings, http=http)
        stops = Stops()
        return await asyncio.gather(*(stopped(phase, model, number, stops) for number in range(times)))


if __name__ == "__main__":
    _, loop_name, where, how_often = sys.argv
    with asyncio.Runner(loop_factory=new_loop(loop_name)) as runner:
        quiet = runner.run(measure(where, int(how_often)))
    print(json.dumps({name: [asdict(one) for one in row] for name, row in quiet.items()}))
