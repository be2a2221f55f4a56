"""Whole answers: an answer of the bot is many messages, and a model is sent it as one.

What was sent lately is remembered. An older answer is found by looking at the channel: our messages that follow each
other, from the one that answers somebody to the one before the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import TypeAlias

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...types import Line, Receipt
from ..discord.labels import read_label
from .authorship import is_ours
from .system_messages import answered_by_notice, is_notice

logger = get_logger(__name__)

BETWEEN = "\n\n"
"""Between the messages of an answer that is not remembered: what the model wrote there is not known."""
_MOST, _MOST_CHARACTERS = 2000, 4_000_000
"""Answers that are remembered, and how much they say."""
_AROUND = 50
"""Messages before and after one that are looked at."""
_TOGETHER = timedelta(minutes=10)
"""The longest time between two messages of one answer."""
_SECONDS = 15.0
"""The timeout for looking at the channel."""


@dataclass(frozen=True, slots=True)
class Answer:
    """An answer of the bot."""

    text: str
    """What people were shown, as the model wrote it."""
    messages: tuple[str, ...]
    """The ids of its messages, the first one first."""
    answers: str = ""
    """The id of the message that it answers."""
    question: Line | None = None
    """What it answers, if that is no message: the values of a command."""


class AnswerMemory:
    """The newest answers of one client."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}  # by the first message, the oldest first
        self._firsts: dict[str, str] = {}  # the first message of each message's answer
        self._size = 0

    def note(
        self,
        receipts: Sequence[Receipt],
        besides: Iterable[Receipt] = (),
        *,
        answers: str = "",
        question: Line | None = None,
    ) -> None:
        """Remember the answer of *receipts*; *besides* are further messages that belong to it."""
        messages = tuple(dict.fromkeys(receipt.message_id for receipt in (*receipts, *besides)))
        text = _joined(receipts)
        if not messages or not text:
            return
        self._answers[messages[0]] = Answer(text, messages, answers, question)
        self._firsts |= dict.fromkeys(messages, messages[0])
        self._size += len(text)
        while len(self._answers) > _MOST or (self._size > _MOST_CHARACTERS and len(self._answers) > 1):
            self._forget(next(iter(self._answers)))

    def of(self, message: str) -> Answer | None:
        """The answer that *message* belongs to, if it is remembered."""
        return self._answers.get(self._firsts.get(message, ""))

    def still_in(self, messages: Sequence[discord.Message]) -> Recall:
        """How to recall the answers of *messages* that people have left as they were: none is edited or deleted."""
        there = {str(message.id): message for message in messages}
        since, until = (messages[0].id, messages[-1].id) if messages else (0, 0)

        def recall(message: str) -> Answer | None:
            known = self.of(message)
            if known is None:
                return None
            part = [there.get(one) for one in known.messages if since <= int(one) <= until]
            return known if all(one is not None and one.edited_at is None for one in part) else None

        return recall

    def _forget(self, first: str) -> None:
        forgotten = self._answers.pop(first)
        self._size -= len(forgotten.text)
        for message in forgotten.messages:
            self._firsts.pop(message, None)


Recall: TypeAlias = Callable[[str], Answer | None]
"""Gives the remembered answer that a message belongs to."""


@dataclass(frozen=True, slots=True)
class FoundAnswer:
    """An answer of the bot, found in its channel."""

    messages: tuple[discord.Message, ...]
    answers: str = ""
    """The id of the message that it answers, if that can be seen."""


def answers_in(messages: Iterable[discord.Message]) -> list[FoundAnswer]:
    """The answers of ours in *messages*, which are all that stand there, the oldest first."""
    found: list[FoundAnswer] = []
    last: discord.Message | None = None  # the one that the next may follow
    answered = ""
    for message in messages:
        if not is_ours(message) or is_notice(message):
            last, answered = None, answered_by_notice(message) if is_ours(message) else ""
            continue
        if last is not None and _goes_on(last, message):
            found[-1] = replace(found[-1], messages=(*found[-1].messages, message))
        else:
            found.append(FoundAnswer((message,), answered or referenced(message)))
        last, answered = message, ""
    return found


def whole(lines: Iterable[Line], found: Iterable[FoundAnswer], recall: Recall) -> tuple[Line, ...]:
    """*lines* in which every answer of ours is one line: as it is remembered, or else as it was *found*."""
    firsts = dict(_firsts(found, recall))
    told: list[Line] = []
    places: dict[str, int] = {}  # of the line of each answer, by its first message
    for line in lines:
        known = recall(line.message_id)
        first = known.messages[0] if known else firsts.get(line.message_id, "")
        if first not in places or not first:
            if known and known.question:
                told.append(known.question)
            places[first] = len(told)
            told.append(replace(line, text=known.text, media=()) if known else line)
        elif known is None:
            before = told[places[first]]
            text = BETWEEN.join(filter(None, (before.text, line.text)))
            told[places[first]] = replace(before, text=text, media=(*before.media, *line.media))
    return tuple(told)


def _firsts(found: Iterable[FoundAnswer], recall: Recall) -> Iterator[tuple[str, str]]:
    """For each message that is not remembered the first one of its answer; one that is remembered is another answer."""
    for one in found:
        first = ""
        for message in map(str, (message.id for message in one.messages)):
            first = "" if recall(message) else first or message
            if first:
                yield message, first


async def answer_of(message: discord.Message) -> FoundAnswer:
    """The answer of ours that *message* is part of, found by looking at the channel."""
    before, after = await _around(message)
    found = answers_in([*reversed(before), message, *after])
    return next((one for one in found if message in one.messages), FoundAnswer((message,)))


async def _around(message: discord.Message) -> tuple[list[discord.Message], list[discord.Message]]:
    """The messages before *message*, the newest first, and those after it. Raises nothing but a cancellation."""
    channel = message.channel
    before: list[discord.Message] = []
    after: list[discord.Message] = []
    try:
        async with asyncio.timeout(_SECONDS):
            before += [one async for one in channel.history(limit=_AROUND, before=message)]
            after += [one async for one in channel.history(limit=_AROUND, after=message, oldest_first=True)]
    except BaseException as error:
        if must_rise(error):
            raise
        logger.info("the rest of an answer could not be read", exc_info=error)
    return before, after


def _goes_on(first: discord.Message, second: discord.Message) -> bool:
    """Whether *second* belongs to the same answer as *first*, right before it."""
    if _speaker(first) != _speaker(second):
        return False
    if second.created_at - first.created_at > _TOGETHER:
        return False
    one, other = first.interaction_metadata, second.interaction_metadata
    if one is not None or other is not None:  # an answer to a command; its follow-ups refer to the first of them
        return one is not None and other is not None and one.id == other.id
    return not referenced(second)


def _speaker(message: discord.Message) -> tuple[int, str, str]:
    """Who speaks: an account, under a name, perhaps for a persona that has no name of its own there."""
    label = read_label(message.content)
    return message.author.id, message.author.name, label[0] if label else ""


def referenced(message: discord.Message) -> str:
    """The id of the message that *message* replies to, if it does."""
    reference = message.reference
    if reference is None or reference.type is discord.MessageReferenceType.forward:
        return ""
    return str(reference.message_id or "")


def _joined(receipts: Iterable[Receipt]) -> str:
    """What the messages of *receipts* say, with the line ends that the model wrote between them."""
    text = ""
    for post in (receipt.post for receipt in receipts):
        if post.said:
            text += (post.joint or "\n" if text else "") + post.said
    return text
