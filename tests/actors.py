"""Models that say what they are told to and remember what they were asked, for tests of whole replies."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import replace
from inspect import isawaitable
from typing import Any, TypeAlias, cast

from cadenza.concurrency.stops import StopHandle
from cadenza.errors import ErrorKind, ProviderError
from cadenza.models.dialects.dialect import Dialect, Endpoint
from cadenza.models.dialects.scripted import ScriptedCodec, script_of
from cadenza.models.fallback import ModelSource
from cadenza.models.keys import Keyring
from cadenza.models.model import Model
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Target
from cadenza.tools.consent import Consent
from cadenza.tools.tool import Tool
from cadenza.types import (
    Abilities,
    Chunk,
    Failed,
    Finished,
    HttpRequest,
    Line,
    Persona,
    Prompt,
    Reply,
    Scene,
    ToolCall,
    ToolResult,
    ToolSpec,
)

Step: TypeAlias = str | float | Chunk
SCENE = Scene("channel", Persona("Ren"), history=(Line("Mia", "hello"),))


class _Codec(ScriptedCodec):
    """The dialect of scripts, spoken by somebody who listens."""

    def __init__(self, actor: Actor, abilities: Abilities) -> None:
        super().__init__()
        Dialect.__init__(self, Endpoint("script", "script", "script:", abilities=abilities))
        self._actor = actor

    def encode(self, prompt: Prompt, /) -> HttpRequest:
        self._actor.prompts.append(prompt)
        self._actor.keys.append(self.endpoint.key)
        self._actor.times.append(asyncio.get_running_loop().time())
        return super().encode(prompt)


class Actor:
    """A model that gives *answers*, one a request: texts and chunks as they are, numbers as seconds to wait.

    The last answer is given over and over.
    """

    def __init__(
        self,
        *answers: Iterable[object],
        name: str = "first",
        keys: Keyring | None = None,
        abilities: Abilities | None = None,
    ) -> None:
        self.prompts: list[Prompt] = []
        self.keys: list[str] = []
        """With which key it was asked, each time."""
        self.times: list[float] = []
        """When."""
        self._answers = [cast("list[Step]", list(answer)) for answer in answers]
        codec = _Codec(self, abilities or Abilities())
        self.model = Model(codec, self._transport, name=name, keyring=keys)

    @property
    def asked(self) -> int:
        """How often it was asked."""
        return len(self.prompts)

    async def _transport(self, _: HttpRequest) -> AsyncIterator[bytes]:
        for step in self._answers[min(self.asked, len(self._answers)) - 1]:
            if isinstance(step, int | float):
                await asyncio.sleep(step)
            else:
                for beat in script_of([step]):
                    yield beat.data


def call(name: str = "dice", identity: str = "1", arguments: str = "{}") -> ToolCall:
    """A call of the tool *name*."""
    return ToolCall(identity, name, arguments)


def fails(kind: ErrorKind = ErrorKind.API, *, status: int | None = None, retry_after: float | None = None) -> Failed:
    """How a stream breaks off; limits and overload pass."""
    retryable = kind in (ErrorKind.RATE_LIMIT, ErrorKind.OVERLOADED, ErrorKind.TIMEOUT)
    error = ProviderError(kind.value, kind=kind, status=status, retryable=retryable, retry_after=retry_after)
    return Failed(error)


LIMITED = fails(ErrorKind.RATE_LIMIT, status=429)
BUSY = fails(ErrorKind.OVERLOADED, status=503)
REFUSED = fails(status=401)
BLOCKED = fails(ErrorKind.CONTENT_BLOCKED)
NO_MODEL = fails(ErrorKind.MODEL, status=404)
NOTHING = (Finished("stop"),)
STOPS_SHORT = (Finished("length"),)


def tool(
    gives: object = "4", *, name: str = "dice", runs: list[Mapping[str, object]] | None = None, **options: bool
) -> Tool:
    """A tool that gives back *gives*, or what that comes to if it is a function; *runs* is told of each time."""

    async def run(arguments: Mapping[str, object], *_: object) -> object:
        if runs is not None:
            runs.append(arguments)
        came: object = gives() if callable(gives) else gives
        return await came if isawaitable(came) else came

    return replace(Tool(ToolSpec(name, "", {"type": "object"}), run), **cast("Any", options))


def broken(name: str = "dice", runs: list[Mapping[str, object]] | None = None) -> Tool:
    """A tool that never does what it is asked."""
    return tool(ToolResult(("it does not work",), is_error=True), name=name, runs=runs)


async def perform(
    *models: Actor | ModelSource,
    scene: Scene = SCENE,
    target: Target | None = None,
    tools: Iterable[Tool] = (),
    stop: StopHandle | None = None,
    consent: Consent | None = None,
    **settings: object,
) -> Reply:
    """Let *models* answer; every line is a message, sent at once, unless *settings* say otherwise."""
    return await reply(
        scene,
        [model.model if isinstance(model, Actor) else model for model in models],
        target or MemoryTarget(),
        settings=Settings.of(**{"degree": 1, "show_errors": "details", **settings}),
        tools=list(tools),
        stop=stop,
        consent=consent,
    )
