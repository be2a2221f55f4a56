"""The facts of replies as readable lines.

For each message they say why it starts and ends where it does, what was held and why, which rules changed it, what pause
it was given, and how long the model, the buffer, the queue and the chat took; in between, whatever else happened.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..errors import InputError, Sentence
from ..facts import ChunkHeard, LoggedFact, MessagePlanned, MessageSent, ReplyBegan, RequestSent, TextChanged
from .sentences import Said, from_json, rendered
from .story import Stories
from .telling import began_to, change, quoted, told_of

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")
"""Characters that control a terminal."""


@dataclass(frozen=True, slots=True)
class ExplainedLine:
    """A line of an explanation."""

    at: float | None
    """Seconds since the reply began; ``None`` if it belongs to the line before."""
    said: Said


def lines(facts: Iterable[LoggedFact], *, message: int | None = None) -> Iterator[ExplainedLine]:
    """The lines of all replies in *facts*; or of one *message*, counted from 1, with all of its text."""
    for told in _told(facts, message):
        yield from told


def printed(line: ExplainedLine, language: str = "en") -> str:
    """*line* as it is printed, in *language*."""
    text = _CONTROL.sub(_escaped, rendered(line.said, language))
    return f"{'':13}{text}" if line.at is None else f"{line.at:9.3f} s  {text}"


def explain(facts: Iterable[LoggedFact], *, message: int | None = None, language: str = "en") -> Iterator[str]:
    """The lines as they are printed; an empty one stands between two replies."""
    for place, told in enumerate(_told(facts, message)):
        yield from ([""] if place and message is None else [])
        yield from (printed(line, language) for line in told)


def explain_each(facts: Iterable[LoggedFact]) -> dict[str, list[ExplainedLine]]:
    """The lines of each message, by its id in the chat, with all of its text.

    To a message belongs what happened since the one before it; to the last one also how the reply ended.
    """
    messages: dict[str, list[ExplainedLine]] = {}
    for reply in replies(facts):
        telling = _Telling(reply, first=1, only=None, is_full=True)
        head: list[ExplainedLine] = []
        since: list[ExplainedLine] = []
        last: list[ExplainedLine] | None = None
        for logged in reply:
            told = telling.told(logged)
            if isinstance(logged.fact, ReplyBegan):
                head = told
            elif isinstance(logged.fact, MessageSent):
                last = messages[logged.fact.message] = [*head, *since, *told]
                since = []
            else:
                since += told
        if last is not None:
            last += since
    return messages


def replies(facts: Iterable[LoggedFact]) -> list[list[LoggedFact]]:
    """The facts by reply, in the order in which the replies began."""
    found: list[list[LoggedFact]] = []
    running: dict[str, list[LoggedFact]] = {}
    for logged in facts:
        if isinstance(logged.fact, ReplyBegan) or logged.turn not in running:
            running[logged.turn] = []
            found.append(running[logged.turn])
        running[logged.turn].append(logged)
    return found


def _told(facts: Iterable[LoggedFact], message: int | None) -> Iterator[list[ExplainedLine]]:
    """The lines of each reply."""
    count = 0
    for reply in replies(facts):
        telling = _Telling(reply, first=count + 1, only=message, is_full=message is not None)
        yield [line for logged in reply for line in telling.told(logged)]
        count = telling.count
    if message is not None and not 1 <= message <= count:
        msg = Sentence("there is no message {message} in the trace; it has {count}", message=message, count=count)
        raise InputError(msg)


def _escaped(control: re.Match[str]) -> str:
    return f"\\x{ord(control[0]):02x}"


class _Telling:
    """The lines of one reply, fact by fact; those of a message come from its story."""

    def __init__(self, facts: Sequence[LoggedFact], *, first: int, only: int | None, is_full: bool) -> None:
        self.count = first - 1
        """The number of messages so far, in this reply and earlier ones."""
        self._only = only
        self._longest: dict[str, None] = {"longest": None} if is_full else {}
        self._shown = {
            number for logged in facts if isinstance(logged.fact, MessagePlanned) for number in logged.fact.segments
        }
        self._asked_at: float | None = None
        self._stories = Stories()

    def told(self, logged: LoggedFact) -> list[ExplainedLine]:
        """The lines for *logged*; most facts are told with their message."""
        stories = [one.about["story"] for one in self._stories.feed(logged) if one.kind == "story"]
        if isinstance(logged.fact, MessageSent):
            self.count += 1
            told = [line for story in stories if isinstance(story, Mapping) for line in self._message(logged.at, story)]
            return told if self._only in (None, self.count) else []
        said = self._between(logged)
        return [ExplainedLine(logged.at, said)] if said is not None and self._only is None else []

    def _between(self, logged: LoggedFact) -> Said | None:
        """What is told at once."""
        match logged.fact:
            case ReplyBegan() | RequestSent():
                self._asked_at = logged.at
            case ChunkHeard(kind="text" | "thought" as kind) if self._asked_at is not None:
                asked_at, self._asked_at = self._asked_at, None
                return began_to(kind, logged.at - asked_at)
            case TextChanged(effect="held" | "released"):
                return None
            case TextChanged(segments=segments) if not self._shown.isdisjoint(segments):
                return None
        return told_of(logged.fact)

    def _message(self, at: float, story: Mapping[str, Any]) -> list[ExplainedLine]:
        told = story["told"]
        changed = [rule for rule in story["rules"] if rule["effect"] not in ("held", "released")]  # the holds tell it
        changes = (change(rule, **self._longest) for rule in changed)
        said = [self._head(story), *_all_said(told["starts"], told["ends"], told["merged"], *told["holds"])]
        said += [*changes, *_all_said(told["pause"], *told["waits"], *told["refusals"], told["times"])]
        return [ExplainedLine(None if place else at, one) for place, one in enumerate(said)]

    def _head(self, story: Mapping[str, object]) -> Said:
        text, file, name = (story[part] for part in ("text", "file", "name"))
        key = "message"
        values = {"number": str(self.count)}
        if name:
            key, values["name"] = "message.as", str(name)
        if text or not file:
            values["text"] = quoted(text, **self._longest)
        if file:
            key += ".file" if text else ".only_file"
            values["file"] = str(file)
        return Said(key, values)


def _all_said(*values: object) -> list[Said]:
    return [from_json(value) for value in values if value is not None]
