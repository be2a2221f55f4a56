"""``cadenza explain``: a trace as a story that can be read.

For each message it says where it was cut and why, which rules changed it, what pause it was given, and how long the
model, the buffer, the queue and the chat took; in between, whatever else happened. Nothing here waits or writes: lines
go in, lines come out.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Collection, Iterable, Iterator, Sequence

from .errors import InputError
from .explain_steps import WORDS, boundary, change, number_of, numbers_of, pause, queue, quoted, shown, text_of
from .trace import Traced

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""What would do something to a terminal."""


# --- reading -----------------------------------------------------------------------------


def read(lines: Iterable[bytes]) -> tuple[list[Traced], list[str]]:
    """The steps that stand in *lines*, and a sentence for each line that holds none."""
    traced: list[Traced] = []
    complaints: list[str] = []
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            traced.append(_traced(line))
        except InputError as error:
            complaints.append(f"line {number} is no step of a trace and was passed over: {error}")
    return traced, complaints


def _traced(line: bytes) -> Traced:
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
    return Traced(value["step"], at, about, text_of(value, "turn"))


# --- telling -----------------------------------------------------------------------------


def explain(traced: Iterable[Traced], *, message: int | None = None) -> Iterator[str]:
    """The story of all replies in *traced*, line by line; or of one *message*, counted from 1 through all of them."""
    count = 0
    for place, steps in enumerate(_replies(traced)):
        story = _Story(steps, first=count + 1, only=message)
        lines = [_CONTROL.sub(_escaped, line) for step in steps for line in story.told(step)]
        count = story.count
        yield from ([""] if place and message is None else [])
        yield from lines
    if message is not None and not 1 <= message <= count:
        msg = f"there is no message {message} in the trace; it has {count}"
        raise InputError(msg)


def explain_each(traced: Iterable[Traced]) -> dict[str, list[str]]:
    """The story of each message, by its id in the chat, with all of its text.

    To a message belongs what happened since the one before it; to the last one also how the reply ended.
    """
    stories: dict[str, list[str]] = {}
    for steps in _replies(traced):
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


def _replies(traced: Iterable[Traced]) -> list[list[Traced]]:
    """The steps of each reply together, in the order in which the replies began."""
    replies: list[list[Traced]] = []
    running: dict[str, list[Traced]] = {}
    for step in traced:
        if step.step == "reply" or step.turn not in running:
            running[step.turn] = []
            replies.append(running[step.turn])
        running[step.turn].append(step)
    return replies


def _escaped(control: re.Match[str]) -> str:
    return f"\\x{ord(control[0]):02x}"


class _Story:
    """One reply, told step by step."""

    def __init__(self, steps: Sequence[Traced], *, first: int, only: int | None, is_full: bool = False) -> None:
        self.count = first - 1
        """How many messages there were so far, in this reply and those before."""
        self._only = only
        self._longest = {} if only is None and not is_full else {"longest": None}  # how much of a text is shown
        self._seen = {number for step in steps if step.step == "post" for number in numbers_of(step.about, "segments")}
        self._asked_at: float | None = None
        self._heard = _Heard()
        self._segments: dict[int, float] = {}  # when the last of their text had arrived
        self._rules: dict[int, list[Traced]] = {}  # what was done to each segment
        self._posts: dict[int, Traced] = {}

    def told(self, step: Traced) -> list[str]:
        """The lines for *step*; most steps are told with the message that they belong to."""
        if step.step == "sent":
            self.count += 1
            lines = self._message(step)
            return lines if self._only in (None, self.count) else []
        words = self._noted(step)
        if self._only is not None or not words:
            return []
        return words.split("\n") if step.step == "reply" else [f"{step.at:9.3f} s  {words}"]

    def _noted(self, step: Traced) -> str:
        """Remember what a message may be made of; say what is to be said at once."""
        about = step.about
        match step.step:
            case "chunk":
                return self._hear(step)
            case "segment":
                arrived = self._heard.arrival(text_of(about, "text"), step.at)
                self._segments[int(number_of(about, "number"))] = arrived
                return ""
            case "rule":
                numbers = numbers_of(about, "segments")
                for number in numbers:
                    self._rules.setdefault(number, []).append(step)
                return f"rule {change(about)}" if self._seen.isdisjoint(numbers) else ""
            case "post":
                self._posts[int(number_of(about, "number"))] = step
                return ""
            case "reply" | "request":
                self._asked_at = self._heard.since = step.at
        if step.step in WORDS:
            return WORDS[step.step](about)
        return f"{step.step} (a step that is not known here): {quoted(about)}"

    def _hear(self, step: Traced) -> str:
        kind, asked_at = step.about.get("kind"), self._asked_at
        if kind == "text":
            self._heard.add(text_of(step.about, "text"), step.at)
        if kind not in ("text", "thought") or asked_at is None:
            return ""
        self._asked_at = None
        return f"the model began to {'speak' if kind == 'text' else 'think'} after {shown(step.at - asked_at)}"

    # --- a message -------------------------------------------------------------------------

    def _message(self, sent: Traced) -> list[str]:
        posts = [self._posts[number] for number in numbers_of(sent.about, "posts") if number in self._posts]
        segments = list(dict.fromkeys(number for post in posts for number in numbers_of(post.about, "segments")))
        details = [
            boundary(posts[-1].about, len(posts), len(segments)) if posts else "",
            *self._changes(segments),
            pause(posts[0].about) if posts else "",
            self._times(sent, posts, segments),
        ]
        return [f"{sent.at:9.3f} s  {self._head(sent)}", *(f"{'':13}{detail}" for detail in details if detail)]

    def _head(self, sent: Traced) -> str:
        text, file, name = (text_of(sent.about, part) for part in ("text", "attachment", "identity"))
        said = quoted(text, **self._longest)
        what = " with ".join(filter(None, (said if text or not file else "", file)))
        return f"message {self.count}{f' as {name}' if name else ''}: {what}"

    def _changes(self, segments: Collection[int]) -> list[str]:
        """What the rules did to it."""
        rules = {id(rule): rule for number in segments for rule in self._rules.get(number, ())}  # each one once
        return [change(rule.about, **self._longest) for rule in rules.values()]

    def _times(self, sent: Traced, posts: Sequence[Traced], segments: Sequence[int]) -> str:
        """How long the model, the buffer, the queue and the chat took."""
        parts: list[str] = []
        sending = number_of(sent.about, "seconds")
        if posts:
            planned_at = posts[-1].at
            arrived = max((self._segments.get(number, planned_at) for number in segments), default=planned_at)
            parts += [f"model {shown(arrived - self._heard.since)}", f"buffer {shown(planned_at - arrived)}"]
            parts.append(queue(sent.about, sent.at - sending - planned_at))
            self._heard.since = max(arrived, self._heard.since)
        return ", ".join([*parts, f"sending {shown(sending)}"])


class _Heard:
    """What the model said so far, and when."""

    def __init__(self) -> None:
        self.since = 0.0
        """When it began with what is still to be told."""
        self._new: list[str] = []
        self._rest = ""  # what was not let go yet
        self._count = 0
        self._ends: list[int] = []  # how much had arrived
        self._times: list[float] = []  # and when

    def add(self, text: str, at: float) -> None:
        """It said *text*."""
        self._new.append(text)
        self._count += len(text)
        self._ends.append(self._count)
        self._times.append(at)

    def arrival(self, text: str, at: float) -> float:
        """When the last of *text*, which was let go *at* that time, had arrived."""
        wanted = text.strip()
        self._rest += "".join(self._new)
        self._new.clear()
        start = self._rest.find(wanted) if wanted else -1
        if start < 0:  # the buffer made something else of it
            return at
        self._rest = self._rest[start + len(wanted) :]
        return self._times[bisect_left(self._ends, self._count - len(self._rest))]
