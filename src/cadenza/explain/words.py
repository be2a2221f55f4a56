"""``cadenza explain``: a trace in words.

For each message it tells why it starts and ends where it does, what was held back and why, which rules changed it, its
pause, and how long the model, the buffer, the queue and the chat took; and in between, everything else. Lines go in,
lines come out: nothing here waits or writes.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence

from ..errors import InputError
from .step_words import (
    WORDS,
    About,
    change,
    ends,
    held,
    limited,
    number_of,
    numbers_of,
    part_of,
    parts_of,
    pause,
    queue,
    quoted,
    seconds_of,
    shown,
    starts,
    text_of,
)
from .steps import TraceStep
from .story import MessageStory, Stories

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""What would control a terminal."""


# --- reading -----------------------------------------------------------------------------


def read(lines: Iterable[bytes]) -> tuple[list[TraceStep], list[str]]:
    """The steps in *lines*, and a sentence for each line that holds none."""
    traced: list[TraceStep] = []
    complaints: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            traced.append(_traced(line))
        except InputError as error:
            complaints.append(f"line {number} is no step of a trace and was passed over: {error}")
    return traced, complaints


def _traced(line: bytes) -> TraceStep:
    try:
        value = json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        msg = "it is not JSON"
        raise InputError(msg) from None
    if not isinstance(value, dict) or not isinstance(value.get("step"), str):
        msg = "it does not name its 'step'"
        raise InputError(msg)
    at = number_of(value, "at", -1.0)
    if at < 0:
        msg = "it does not say 'at' which time"
        raise InputError(msg)
    about = {name: inner for name, inner in value.items() if name not in ("step", "at", "turn")}
    return TraceStep(value["step"], at, about, text_of(value, "turn"))


# --- explaining --------------------------------------------------------------------------


def explain(traced: Iterable[TraceStep], *, message: int | None = None) -> Iterator[str]:
    """Explain all replies in *traced*, line by line; or one *message*, counted from 1 through all of them."""
    count = 0
    for place, steps in enumerate(replies(traced)):
        story = _Story(steps, first=count + 1, only=message)
        lines = [_CONTROL.sub(_escaped, line) for step in steps for line in story.told(step)]
        count = story.count
        yield from ([""] if place and message is None else [])
        yield from lines
    if message is not None and not 1 <= message <= count:
        msg = f"there is no message {message} in the trace; it has {count}"
        raise InputError(msg)


def explain_each(traced: Iterable[TraceStep]) -> dict[str, list[str]]:
    """The explanation of each message, by its id in the chat, with its full text.

    It covers what happened since the previous message; that of the last one also tells how the reply ended.
    """
    stories: dict[str, list[str]] = {}
    for steps in replies(traced):
        story = _Story(steps, first=1, only=None, is_full=True)
        head: list[str] = []
        since: list[str] = []
        last: list[str] | None = None
        for step in steps:
            lines = [_CONTROL.sub(_escaped, line) for line in story.told(step)]
            if step.step == "reply":
                head = lines
            elif step.step == "sent":
                last = stories[text_of(step.about, "message")] = [*head, *since, *lines]
                since = []
            else:
                since += lines
        if last is not None:
            last += since
    return stories


def replies(traced: Iterable[TraceStep]) -> list[list[TraceStep]]:
    """The steps of each reply, in the order in which the replies began."""
    replies: list[list[TraceStep]] = []
    running: dict[str, list[TraceStep]] = {}
    for step in traced:
        if step.step == "reply" or step.turn not in running:
            running[step.turn] = []
            replies.append(running[step.turn])
        running[step.turn].append(step)
    return replies


def _escaped(control: re.Match[str]) -> str:
    return f"\\x{ord(control[0]):02x}"


class _Story:
    """Explains one reply step by step; ``Stories`` knows what belongs to a message."""

    def __init__(self, steps: Sequence[TraceStep], *, first: int, only: int | None, is_full: bool = False) -> None:
        self.count = first - 1
        """How many messages there were so far, in this reply and those before."""
        self._only = only
        self._longest = {} if only is None and not is_full else {"longest": None}  # how much of a text is shown
        self._seen = {number for step in steps if step.step == "post" for number in numbers_of(step.about, "segments")}
        self._asked_at: float | None = None
        self._since = 0.0  # when the model began what is not explained yet
        self._stories = Stories()

    def told(self, step: TraceStep) -> list[str]:
        """The lines for *step*; most steps are explained with their message."""
        known = self._stories.feed(step)
        if step.step == "sent":
            self.count += 1
            lines = [line for told in known if told.kind == "story" for line in self._message(step, told)]
            return lines if self._only in (None, self.count) else []
        words = self._noted(step)
        if self._only is not None or not words:
            return []
        return words.split("\n") if step.step == "reply" else [f"{step.at:9.3f} s  {words}"]

    def _noted(self, step: TraceStep) -> str:
        """What is said about *step* at once."""
        about = step.about
        match step.step:
            case "chunk":
                return self._hear(step)
            case "segment" | "post":
                return ""
            case "rule":
                return f"rule {change(about)}" if self._seen.isdisjoint(numbers_of(about, "segments")) else ""
            case "reply" | "request":
                self._asked_at = self._since = step.at
        if step.step in WORDS:
            return WORDS[step.step](about)
        return f"{step.step} (a step that is not known here): {quoted(about)}"

    def _hear(self, step: TraceStep) -> str:
        kind, asked_at = step.about.get("kind"), self._asked_at
        if kind not in ("text", "thought") or asked_at is None:
            return ""
        self._asked_at = None
        return f"the model began to {'speak' if kind == 'text' else 'think'} after {shown(step.at - asked_at)}"

    # --- a message -------------------------------------------------------------------------

    def _message(self, sent: TraceStep, told: MessageStory) -> list[str]:
        story = part_of(told.about, "story")
        is_planned = bool(text_of(story, "ends"))
        details = [
            starts(story) if is_planned else "",
            ends(story) if is_planned else "",
            *map(held, parts_of(story, "holds")),
            *(change(rule, **self._longest) for rule in parts_of(story, "rules")),
            pause(part_of(story, "pause")),
            *map(limited, parts_of(story, "waits")),
            self._times(sent, story),
        ]
        return [f"{sent.at:9.3f} s  {self._head(story)}", *(f"{'':13}{detail}" for detail in details if detail)]

    def _head(self, story: About) -> str:
        text, file, name = (text_of(story, part) for part in ("text", "file", "name"))
        said = quoted(text, **self._longest)
        what = " with ".join(filter(None, (said if text or not file else "", file)))
        return f"message {self.count}{f' as {name}' if name else ''}: {what}"

    def _times(self, sent: TraceStep, story: About) -> str:
        """How long the model, the buffer, the queue and the chat took."""
        parts: list[str] = []
        times = part_of(story, "times")
        heard, planned, sending = (number_of(times, name) for name in ("heard", "planned", "sending"))
        if text_of(story, "ends"):
            parts += [f"model {shown(heard - self._since)}", f"buffer {shown(planned - heard)}"]
            parts.append(queue(sent.about, sending - planned))
            self._since = max(heard, self._since)
        return ", ".join([*parts, f"sending {seconds_of(sent.about, 'seconds')}"])
