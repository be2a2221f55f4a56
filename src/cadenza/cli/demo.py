"""``cadenza demo``: a short scripted conversation, played through the real pipeline in this terminal.

Only the model's words are scripted. They arrive in tokens, as from any provider. Everything after that is what a bot
uses too: the stages, the rules, a tool, a fallback model, a stop button, the outbox with its pauses.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ..concurrency.stops import Stops
from ..concurrency.tasks import end_task
from ..facts import Hook
from ..models.dialects.scripted import Beat, ScriptedCodec, Sleep, spoken, transport
from ..models.model import Model
from ..replies.reply import reply
from ..settings import Settings
from ..stages.s2_generation import Transport
from ..targets.console import ConsoleTarget
from ..targets.target import Limits
from ..types import (
    HttpRequest,
    Identity,
    Line,
    Notice,
    Persona,
    Post,
    Receipt,
    Reply,
    Roster,
    Scene,
    Sprite,
    Stopped,
)

_INTERRUPTED = 130
_TOKEN = 4
_TOKEN_EVERY = 0.015
_LINE_BREAKS = 1.0
"""Seconds of silence before the connection breaks."""

_SETTINGS = Settings().with_values(
    {"degree": 2, "typing_speed": 0.004, "typing_least": 0.12, "typing_most": 0.5, "thinking_chance": 0.0}
)
_HASTE: Mapping[str, object] = {"typing_budget": 0.0}


# --- the story --------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Exchange:
    """A line of a person, and the model's answers: one script for each round of the tool loop."""

    speaker: str
    says: str
    rounds: tuple[tuple[Beat, ...], ...]
    instead: tuple[Beat, ...] = ()
    """The answer of the fallback model, where the first one fails."""
    stopped_by: str = ""
    """The person who presses stop, in the middle of the third message."""


def _script(text: str) -> tuple[Beat, ...]:
    return spoken(text, size=_TOKEN, after=_TOKEN_EVERY)


def _call(name: str, **arguments: str) -> tuple[Beat, ...]:
    line = {"tool": {"id": "1", "name": name, "arguments": arguments}}
    return (_beat(line),)


def _failure(why: str) -> tuple[Beat, ...]:
    return (_beat({"error": why}, after=_LINE_BREAKS),)


def _beat(line: Mapping[str, object], *, after: float = _TOKEN_EVERY) -> Beat:
    return Beat(after, json.dumps(line).encode() + b"\n")


_REN = Persona(
    name="Ren",
    prompt="A fox who knows the night sky. Warm, dry, never in a hurry.",
    avatar="🦊",
    sprites=(Sprite("smug", avatar="😼"),),
)
_ROSTER = Roster(mentions={"mia": "@Mia", "jo": "@Jo"}, emoji={"meteor": "🌠"})
"""Mentions and emoji as a terminal shows them; on Discord these are tags with ids."""
_EARLIER = (
    Line("Jo", "The Perseids are on Saturday!"),
    Line("Ren", "Then so are we.", is_own=True),
)

_STORY = (
    _Exchange(
        "Mia",
        "Ren, we're going up the hill to watch the meteors. What do we need?",
        (
            _script(
                "Evening, @mia! :meteor:\n"
                "You need less than you think :) No tickets, no booking, **no phone screens**.\n"
                "But do bring:\n"
                "- a blanket each (Jo *borrows*)\n"
                "- the big flask\n"
                "- twenty minutes of patience, for your eyes\n"
            ),
        ),
    ),
    _Exchange(
        "Jo",
        'My telescope is 27" long. Worth carrying, or will it be cloudy?',
        (
            _script("Let me ask the weather station.\n") + _call("weather", place="Whitby"),
            _script(
                "Clear from ten o'clock, and hardly any wind.\n"
                'But leave the 27" at home, meteors are too quick for it.\n'
                "Ren (smug): I did say Saturday, didn't I?\n"
            ),
        ),
    ),
    _Exchange(
        "Mia",
        "When is it best?",
        (
            _script(
                "<think>The peak is at three, but Mia is up at seven. Give her an early choice.</think>"
                "Depends how much you like your bed:\n"
                "| when | look | meteors an hour |\n"
                "|---|---|---:|\n"
                "| 22:00 | north-east | 15 |\n"
                "| 00:30 | halfway up | 40 |\n"
                "| 03:00 | *anywhere* | **70** |\n"
                "\n"
                "Half past midnight is the kind answer.\n"
            ),
        ),
    ),
    _Exchange(
        "Jo",
        "I'll never stay awake. Can you make me an alarm?",
        (_script("Easy, all it takes is a rooster.\n<think>Where does Jo sle") + _failure("the line to it broke"),),
        instead=_script(
            "Three lines, no snooze, @jo:\n"
            "```python\n"
            "import time\n"
            "\n"
            "time.sleep(2.5 * 60 * 60)  # from ten to half past twelve\n"
            'print("\\a Jo! Look up!")\n'
            "```\n"
        ),
    ),
    _Exchange(
        "Mia",
        "And where do they come from?",
        (
            _script(
                "Oh, I hoped somebody would ask.\n"
                "In July 1862 two men found the same comet, three days apart.\n"
                "Neither gave in, so it bears both names. It is 26 kilometres wide, and if you now imagine its orb"
            ),
        ),
        stopped_by="Mia",
    ),
)
_LAST_WORDS = ("Mia", "Keep the rest for the hill :)")
_FIRST, _SECOND = "polaris", "vega"
"""The names of the two models."""


# --- playing it ----------------------------------------------------------


@dataclass(slots=True)
class DemoCount:
    """Counts for the last line of the demo."""

    tokens: int = 0
    replies: list[Reply] = field(default_factory=list)

    @property
    def messages(self) -> int:
        """The number of sent messages."""
        return sum(len(said.receipts) for said in self.replies)

    def __str__(self) -> str:
        thoughts = sum(len(said.thoughts) for said in self.replies)
        failures = sum(len(said.failures) for said in self.replies)
        stops = sum(isinstance(said.outcome, Stopped) for said in self.replies)
        return (
            f"{self.messages} messages from {self.tokens} tokens: "
            f"{thoughts} thought kept back, {failures} failure made good, {stops} stop obeyed"
        )


class _Evenly:
    """A random source that always returns a low number, for short pauses."""

    def random(self) -> float:
        return 0.1


class _Watched:
    """A target that reports when its second message has arrived."""

    def __init__(self, target: ConsoleTarget) -> None:
        self._target = target
        self._arrived = 0
        self.second = asyncio.Event()

    @property
    def limits(self) -> Limits:
        return self._target.limits

    async def send(self, post: Post, /) -> Receipt:
        receipt = await self._target.send(post)
        self._arrived += 1
        if self._arrived == 2:
            self.second.set()
        return receipt

    async def typing(self, identity: Identity | None, /) -> None:
        await self._target.typing(identity)

    async def remove(self, receipt: Receipt, /) -> None:
        await self._target.remove(receipt)

    async def notify(self, notice: Notice, /) -> None:
        await self._target.notify(notice)


class _Evening:
    """Plays the exchanges one after the other."""

    def __init__(self, target: ConsoleTarget, *, fast: bool, trace: Hook | None) -> None:
        self._target = target
        self._trace = trace
        self._sleep: Sleep = _no_time if fast else asyncio.sleep
        self._settings = _SETTINGS.with_values(_HASTE) if fast else _SETTINGS
        self._scene = Scene("stargazers", _REN, history=_EARLIER, roster=_ROSTER)
        self._stops = Stops()
        self.tally = DemoCount()

    async def play(self) -> None:
        self._target.notice("#stargazers: Mia, Jo and Ren")
        for exchange in _STORY:
            await self._person(exchange.speaker, exchange.says)
            said = await self._answer(exchange)
            self._target.typing_over()
            for thought in said.thoughts:
                self._target.aside(thought)
            self._remember(exchange, said)
        await self._person(*_LAST_WORDS)
        await self._sleep(0.4)

    async def _person(self, name: str, text: str) -> None:
        """A person types and sends *text*."""
        await self._sleep(0.6)
        await self._target.typing(Identity(name))
        await self._sleep(0.5)
        self._target.say(name, text)

    async def _answer(self, exchange: _Exchange) -> Reply:
        turn = f"answer to {exchange.speaker}: {exchange.says}"
        watched = _Watched(self._target)
        talks_on = asyncio.Event() if exchange.stopped_by else None
        models = [self._model(_FIRST, exchange.rounds, talks_on), self._model(_SECOND, [exchange.instead])]
        finger = asyncio.create_task(self._press_stop(exchange.stopped_by, turn, watched.second, talks_on))
        with self._stops.open(turn) as stop:
            try:
                return await reply(
                    self._scene,
                    models,
                    watched,
                    settings=self._settings,
                    tools=[self.weather],
                    stop=stop,
                    chance=_Evenly(),
                    trace=self._trace,
                )
            finally:
                await end_task(finger)

    async def _press_stop(self, who: str, turn: str, second: asyncio.Event, talks_on: asyncio.Event | None) -> None:
        """Press stop when two messages have arrived and the model is in the middle of the third."""
        if talks_on is None:
            return
        await second.wait()
        await talks_on.wait()
        await self._sleep(0.6)
        self._stops.request(turn)
        self._target.notice(f"{who} pressed stop")

    def _model(self, name: str, scripts: Iterable[Sequence[Beat]], talks_on: asyncio.Event | None = None) -> Model:
        return Model(ScriptedCodec(), self._counted(transport(scripts, self._sleep), talks_on), name=name)

    def _counted(self, play: Transport, talks_on: asyncio.Event | None) -> Transport:
        """Count the tokens of *play*. With *talks_on* the model does not finish after its script."""

        async def counted(request: HttpRequest) -> AsyncIterator[bytes]:
            async for data in play(request):
                self.tally.tokens += 1
                yield data
            if talks_on is not None:
                talks_on.set()
                await asyncio.Event().wait()  # only a stop ends this

        return counted

    async def weather(self, place: str) -> str:
        """What the sky will do tonight."""
        await self._sleep(0.6)
        self._target.notice(f"weather tool: {place}, clear from 22:00, wind 3 km/h")
        return "clear from 22:00, wind 3 km/h"

    def _remember(self, exchange: _Exchange, said: Reply) -> None:
        self.tally.replies.append(said)
        lines = (Line(exchange.speaker, exchange.says), Line(_REN.name, said.transcript, is_own=True))
        self._scene = replace(self._scene, history=self._scene.history + lines)


async def _no_time(_: float) -> None:
    """Let other tasks run, without a pause."""
    await asyncio.sleep(0)


async def play(target: ConsoleTarget, *, fast: bool = False, trace: Hook | None = None) -> DemoCount:
    """Play the conversation in *target*; return the counts."""
    evening = _Evening(target, fast=fast, trace=trace)
    await evening.play()
    target.notice(f"That was {evening.tally}.\nNow try a stream of your own: cadenza replay --help")
    return evening.tally


def run(*, fast: bool = False, trace: Hook | None = None) -> int:
    """Play the demo on standard output; return the exit status."""
    with ConsoleTarget(_REN.name, avatar=_REN.avatar) as target:
        try:
            asyncio.run(play(target, fast=fast, trace=trace))
        except KeyboardInterrupt:
            target.notice("Good night.")
            return _INTERRUPTED
    return 0
