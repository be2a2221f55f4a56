"""``cadenza demo --model``: somebody talks with a real model for a while, in this terminal.

Only what the person says is written down beforehand. Everything else is what a bot does: the prompt, the request, the
stream, the stages, the outbox with its pauses. It ends by itself: the answers are short, and each has its time.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from ..concurrency.stops import Stops
from ..explain.steps import Hook
from ..models.connect import connect
from ..models.model import Model
from ..replies.reply import reply
from ..settings import Settings
from ..targets.console import ConsoleTarget
from ..types import Broke, Empty, Identity, Line, Persona, Reply, Scene, Stalled, Stopped, StopReason, Usage

_INTERRUPTED = 130
_ANSWER_TOKENS = 120
_ANSWER_SECONDS = 60.0
"""Seconds after which somebody says: enough."""

_SETTINGS = Settings().with_values(
    {
        "max_tokens": _ANSWER_TOKENS,
        "temperature": 0.5,
        "repetition_penalty": 1.15,  # small models like to say things again, and again
        "first_timeout": 120.0,
        "idle_timeout": 30.0,
        "message_limit": 8,
        "typing_speed": 0.004,
        "typing_least": 0.12,
        "typing_most": 0.5,
        "thinking_chance": 0.0,
    }
)
_REN = Persona(
    name="Ren",
    prompt="You are a friendly fox who knows the night sky. Answer in two or three short sentences.",
    avatar="🦊",
)
_MIA = "Mia"
_SAYS = (
    "Hi Ren! Who are you?",
    "What can we see in the sky tonight?",
    "Write a list of five things to bring to the hill.",
    "Thank you, Ren. Good night!",
)


class _Evening:
    """One exchange after the other."""

    def __init__(self, target: ConsoleTarget, model: Model, settings: Settings, trace: Hook | None) -> None:
        self._target = target
        self._trace = trace
        self._model = model
        self._settings = settings
        self._scene = Scene("campfire", _REN)
        self._stops = Stops()
        self.replies: list[Reply] = []
        self.seconds = 0.0

    async def play(self) -> None:
        for says in _SAYS:
            await self._target.typing(Identity(_MIA))
            self._target.say(_MIA, says)
            said = await self._answer(says)
            self._target.typing_over()
            for thought in said.thoughts:
                self._target.aside(thought)
            if _is_failed(said):
                return

    async def _answer(self, says: str) -> Reply:
        self._scene = replace(
            self._scene, history=(*self._scene.history, Line("", says))
        )  # of two, no names are needed
        loop = asyncio.get_running_loop()
        begun = loop.time()
        with self._stops.open(says) as stop:
            enough = loop.call_later(_ANSWER_SECONDS, stop.take, StopReason.USER)
            try:
                said = await reply(
                    self._scene, self._model, self._target, settings=self._settings, stop=stop, trace=self._trace
                )
            finally:
                enough.cancel()
        self.seconds += loop.time() - begun
        self.replies.append(said)
        if said.transcript:
            line = Line(_REN.name, said.transcript, is_own=True)
            self._scene = replace(self._scene, history=(*self._scene.history, line))
        return said

    def __str__(self) -> str:
        messages = sum(len(said.receipts) for said in self.replies)
        tokens = sum((said.usage for said in self.replies), Usage()).output_tokens
        told = f" made of {tokens} tokens" if tokens else ""
        stopped = sum(isinstance(said.outcome, Stopped) for said in self.replies)
        return f"{messages} messages{told} in {self.seconds:.0f} seconds" + (
            f", {stopped} cut short" if stopped else ""
        )


async def play(target: ConsoleTarget, name: str, *, fast: bool = False, trace: Hook | None = None) -> tuple[Reply, ...]:
    """Talk with the model called *name* in *target*; what came of it."""
    settings = _SETTINGS.with_values({"typing_budget": 0.0}) if fast else _SETTINGS
    async with connect(name, settings=settings) as model:
        target.notice(f"#campfire: {_MIA} and {_REN.name} ({name})")
        evening = _Evening(target, model, settings, trace)
        await evening.play()
    if not _is_failed(evening.replies[-1]):
        target.notice(f"That was {evening}.")
    return tuple(evening.replies)


def run(name: str, *, fast: bool = False, trace: Hook | None = None) -> int:
    """Talk with the model called *name* on standard output; give back the exit status."""
    with ConsoleTarget(_REN.name, avatar=_REN.avatar) as target:
        try:
            replies = asyncio.run(play(target, name, fast=fast, trace=trace))
        except KeyboardInterrupt:
            target.notice("Good night.")
            return _INTERRUPTED
    return 1 if _is_failed(replies[-1]) else 0


def _is_failed(said: Reply) -> bool:
    """Whether there was no answer, or half of one; a notice has said why."""
    return isinstance(said.outcome, Broke | Empty | Stalled)
