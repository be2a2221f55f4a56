"""Stories of whole turns: models that answer as they are told, a channel that notes what it sees, and a transcript.

The models speak through the real dialects; only the network is played. Time is the loop's, so it is virtual in tests.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import TypeAlias

from cadenza.concurrency.stops import StopHandle, Stops
from cadenza.errors import DeliveryError, HttpError
from cadenza.facts import LoggedFact
from cadenza.models.fallback import ModelSource
from cadenza.models.keys import Keyring
from cadenza.models.model import Model
from cadenza.models.vendors import codec
from cadenza.replies.reply import reply
from cadenza.settings import Settings
from cadenza.targets.target import Limits
from cadenza.tools.tool import Tool
from cadenza.types import (
    Broke,
    Failure,
    HttpRequest,
    Identity,
    Line,
    Notice,
    Outcome,
    Participant,
    Persona,
    Post,
    Prompt,
    Receipt,
    Reply,
    Roster,
    Scene,
    ToolSpec,
)
from tests.timing import now
from tests.voices import VOICES, Call, Said

GPT, CLAUDE, GEMINI = "openai:gpt-5.1", "anthropic:claude-opus-4-7", "google:gemini-3-pro-preview"
FOREVER = 1e6
_PEOPLE = Roster(participants=(Participant("Mia"),), speakers=("Mia",))
_LONGEST = 80
"""Characters of what a model was told last."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """An answer of a server that is none."""

    status: int
    body: Mapping[str, object]
    retry_after: float | None = None


Step: TypeAlias = bytes | float | Refusal
Answer: TypeAlias = Sequence[Step]
"""What a server does when it is asked; a number is so many seconds."""


# --- answers --------------------------------------------------------------------------------


def says(name: str, text: str, *calls: Call, after: float = 0.5) -> Answer:
    """The whole answer *text* of the model called *name*, with its calls."""
    return (after, VOICES[name](Said(text, calls=calls)))


def begins(name: str, text: str, *, after: float = 0.5) -> Answer:
    """The beginning of an answer, after which nothing more comes. Only of those who end with ``[DONE]``."""
    whole = VOICES[name](Said(text)).split(b"\n\n")
    return (after, b"".join(event + b"\n\n" for event in whole[:-4]), FOREVER)


def breaks(name: str, text: str, error: str, *, after: float = 0.5) -> Answer:
    """The beginning of an answer that breaks off with *error*, a second later."""
    begun, _, end = VOICES[name](Said(text, error=error)).rstrip().rpartition(b"\n\n")
    return (after, begun + b"\n\n", 1.0, end + b"\n\n")


def ends(reason: str, text: str = "", *, after: float = 0.5) -> Answer:
    """An answer of the OpenAI family that ends for *reason*; after *text*, a second later."""
    said = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    end = {"choices": [{"index": 0, "delta": {}, "finish_reason": reason}]}
    last = b"data: %b\n\ndata: [DONE]\n\n" % json.dumps(end).encode()
    return (after, b"data: %b\n\n" % json.dumps(said).encode(), 1.0, last) if text else (after, last)


def silent() -> Answer:
    """Nothing, ever."""
    return (FOREVER,)


def refuses(status: int, message: str, *, code: str = "", retry_after: float | None = None) -> Answer:
    """A refusal, at once."""
    return (0.1, Refusal(status, {"error": {"message": message, "code": code or None}}, retry_after))


# --- the story ----------------------------------------------------------------------------------


class Story:
    """One channel in which turns happen, and the transcript of it all."""

    def __init__(self, about: str, **settings: object) -> None:
        self._lines = [about, ""]
        self._settings = Settings.of(**{"degree": 1, "show_errors": "details", **settings})
        self._stops = Stops()
        self._turns = 0
        self.channel = Channel(self)
        self.history: list[Line] = []
        self.told: list[tuple[Reply, list[LoggedFact]]] = []
        """Each reply with its facts."""

    # --- who takes part ---------------------------------------------------------------------

    def model(self, name: str, *answers: Answer, keys: int | Keyring = 1) -> Model:
        """The model called *name*, who gives *answers*, one a request."""
        ring = keys if isinstance(keys, Keyring) else self.ring(keys)
        labels = {f"{SECRET}-{number}": f"key {number}" for number in range(1, 10)}
        vendor, _, rest = name.partition(":")
        waiting = iter(answers)
        asked: list[Prompt] = []

        async def listening(prompt: Prompt) -> Prompt:
            asked.append(prompt)
            return prompt

        async def transport(request: HttpRequest) -> AsyncIterator[bytes]:
            secret = next((word for value in request.headers.values() for word in value.split() if word in labels), "")
            self.note("ask", f"{name}, {labels[secret]}: {_told(asked[-1])}")
            for step in next(waiting, refuses(500, "nothing was written for this")):
                match step:
                    case bytes():
                        yield step
                    case Refusal(status, body, seconds):
                        self.note("refuse", f"{status}" + (f", try again in {seconds:g} s" if seconds else ""))
                        headers = {} if seconds is None else {"retry-after": f"{seconds:g}"}
                        raise HttpError(status, headers, json.dumps(body).encode())
                    case _:
                        await asyncio.sleep(step)

        return Model(codec(vendor, rest, key=ring.main.secret), transport, media=listening, name=name, keyring=ring)

    def ring(self, keys: int) -> Keyring:
        """So many keys."""
        return Keyring([f"{SECRET}-{number}" for number in range(1, keys + 1)], self._settings.fallback)

    def tool(self, name: str, does: Callable[[], object]) -> Tool:
        """A tool that does something, of which the transcript tells."""

        async def run(arguments: Mapping[str, object], *_: object) -> object:
            self.note("tool", f"{name} {json.dumps(dict(arguments))}")
            came = does()
            return await came if isinstance(came, Awaitable) else came

        return Tool(ToolSpec(name, f"The tool {name}.", {"type": "object"}), run)

    # --- what happens -----------------------------------------------------------------------

    def note(self, what: str, text: str) -> None:
        """Write down that something happens now."""
        self._lines.append(f"{now():8.2f}  {what:<8} {' ⏎ '.join(text.split(chr(10)))}")

    def aside(self, text: str) -> None:
        """Write down something that does not happen in the story."""
        self._lines += ["", text]

    async def turn(
        self,
        *models: ModelSource,
        says: str = "hello",
        tools: Iterable[Tool] = (),
        stop: float | None = None,
    ) -> Reply:
        """Mia says something, and is answered; *stop* is when she has enough, in seconds from then on."""
        self._turns += 1
        self.note("Mia", says)
        self.history.append(Line("Mia", says))
        scene = Scene("channel", Persona("Ren"), history=tuple(self.history), roster=_PEOPLE)
        facts: list[LoggedFact] = []
        with self._stops.open(f"turn {self._turns}") as handle:
            timer = asyncio.get_running_loop().call_later(stop or FOREVER, self._stop, handle)
            try:
                result = await reply(
                    scene,
                    models,
                    self.channel,
                    settings=self._settings,
                    tools=list(tools),
                    stop=handle,
                    trace=facts.append,
                )
            finally:
                timer.cancel()
        self.told.append((result, facts))
        self._note_end(result)
        return result

    def _stop(self, handle: StopHandle) -> None:
        self.note("Mia", "stops it")
        self._stops.request(handle.turn)

    def _note_end(self, result: Reply) -> None:
        if result.transcript:
            self.history.append(Line("Ren", result.transcript, is_own=True))
        self.note("end", f"{result.model or 'nobody'} {_ending(result.outcome)}")
        for failure in result.failures:
            self._lines.append(f"{'':8}  {'':<8} before: {_failure(failure)}")

    def cooldowns(self, ring: Keyring) -> None:
        """Write down which keys are in cooldown."""
        told = [
            f"{record.label} "
            + (f"in cooldown until {record.cooling_until:.2f}" if record.cooling_until > now() else "free")
            for record in ring
        ]
        self.note("keys", ", ".join(told))

    @property
    def transcript(self) -> str:
        """All of it, and what the channel shows in the end."""
        shown = [f"    {line}" for line in self.channel.shown] or ["    nothing"]
        return "\n".join([*self._lines, "", "In the end the channel shows:", *shown, ""])


SECRET = "sk-storytelling-000000000"  # noqa: S105  # it opens nothing
"""What every key begins with; no transcript may hold it."""


def _told(prompt: Prompt) -> str:
    count, last = len(prompt.turns), prompt.turns[-1]
    words = last.text if len(last.text) <= _LONGEST else last.text[:_LONGEST] + "…"
    return f"{count} turn{'s' * (count > 1)}, the last {last.role.value} “{words}”"


def _ending(outcome: Outcome) -> str:
    match outcome:
        case Broke(error):
            return f"broke: {error}"
        case _:
            values = (getattr(outcome, name) for name in outcome.__dataclass_fields__)
            told = (getattr(value, "value", value) for value in values)
            return f"{type(outcome).__name__.lower()} ({', '.join(map(str, told))})"


def _failure(failure: Failure) -> str:
    return f"{failure.model or 'somebody'} {_ending(failure.outcome)}"


# --- the channel ----------------------------------------------------------------------------------


@dataclass
class Channel:
    """Where people see the messages. A send takes *latency* seconds, and may be refused."""

    story: Story
    latency: float = 0.0
    refuses: DeliveryError | None = None
    """What every send ends with."""
    keeps: bool = False
    """Whether nothing can be removed any more."""
    limits: Limits = field(default_factory=Limits)
    _shown: dict[str, str] = field(default_factory=dict)
    _sent: int = 0

    @property
    def shown(self) -> list[str]:
        """What stands there now."""
        return [f"{number}. {text}" for number, text in self._shown.items()]

    async def send(self, post: Post, /) -> Receipt:
        await asyncio.sleep(self.latency)
        if self.refuses:
            self.story.note("refuse", f"the message “{post.text}”: {self.refuses}")
            raise self.refuses
        self._sent += 1
        number = str(self._sent)
        self._shown[number] = post.text.replace("\n", " ⏎ ")
        self.story.note("Ren", f"{number}. {post.text}")
        return Receipt(post, number)

    async def remove(self, receipt: Receipt, /) -> None:
        await asyncio.sleep(self.latency)
        if self.keeps:
            self.story.note("keep", f"{receipt.message_id}. cannot be removed")
            msg = "it cannot be removed"
            raise DeliveryError(msg)
        del self._shown[receipt.message_id]
        self.story.note("remove", f"{receipt.message_id}.")

    async def notify(self, notice: Notice, /) -> None:
        self.story.note("notice", f"{notice.urgency.value}: {notice.title}. {notice.text}")
        for tip in notice.tips:
            self.story.note("", f"  {tip}")
        self._shown[f"({len(self._shown)})"] = f"[{notice.title}]"

    async def typing(self, identity: Identity | None, /) -> None:
        """Nobody looks."""


async def hangs() -> Model | None:
    """A model that never gets ready."""
    with suppress(TimeoutError):
        await asyncio.sleep(FOREVER)
    return None
