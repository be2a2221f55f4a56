"""Whole answers: an answer of the bot is many messages, and a model is sent it as one.

What was sent lately is remembered. An older answer is found by looking at the channel: our messages that follow each
other, from the one that answers somebody to the one before the next.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import discord

from ...concurrency.tasks import must_rise
from ...explain.tracebacks import get_logger
from ...types import Line, Receipt
from .authorship import is_ours
from .system_messages import is_notice

logger = get_logger(__name__)

_MOST = 2000
"""Answers that are remembered."""
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


class AnswerMemory:
    """The newest answers of one client."""

    def __init__(self) -> None:
        self._answers: dict[str, Answer] = {}  # by the first message, the oldest first
        self._firsts: dict[str, str] = {}  # the first message of each message's answer

    def note(self, receipts: Sequence[Receipt], besides: Iterable[Receipt] = (), *, answers: str = "") -> None:
        """Remember the answer of *receipts*; *besides* are further messages that belong to it."""
        messages = tuple(dict.fromkeys(receipt.message_id for receipt in (*receipts, *besides)))
        text = _joined(receipts)
        if not messages or not text:
            return
        self._answers[messages[0]] = Answer(text, messages, answers)
        self._firsts |= dict.fromkeys(messages, messages[0])
        while len(self._answers) > _MOST:
            self._forget(next(iter(self._answers)))

    def of(self, message: str) -> Answer | None:
        """The answer that *message* belongs to, if it is remembered."""
        return self._answers.get(self._firsts.get(message, ""))

    def _forget(self, first: str) -> None:
        for message in self._answers.pop(first).messages:
            self._firsts.pop(message, None)


def whole(lines: Iterable[Line], memory: AnswerMemory) -> tuple[Line, ...]:
    """*lines* in which every answer of ours is one line: a remembered one, else our lines that follow each other."""
    told: list[Line] = []
    seen: set[str] = set()
    is_open = False  # whether the last line may go on
    for line in lines:
        answer = memory.of(line.message_id)
        if answer is not None:
            if answer.messages[0] not in seen:
                seen.add(answer.messages[0])
                told.append(replace(line, text=answer.text, media=()))
            is_open = False
        elif is_open and line.is_own and line.speaker == told[-1].speaker:
            told[-1] = replace(told[-1], text=f"{told[-1].text}\n{line.text}", media=(*told[-1].media, *line.media))
        else:
            told.append(line)
            is_open = line.is_own
    return tuple(told)


async def messages_of_answer(message: discord.Message) -> list[discord.Message]:
    """The messages of the answer of ours that *message* is part of, found by looking at the channel."""
    before, after = await _around(message)
    part = [message]
    for other in before:  # the newest first
        if _begins(part[0]) or not _goes_on(other, part[0]):
            break
        part.insert(0, other)
    for other in after:
        if _begins(other) or not _goes_on(part[-1], other):
            break
        part.append(other)
    return [one for one in part if not is_notice(one)]


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


def _begins(message: discord.Message) -> bool:
    """Whether an answer begins with *message*: it answers somebody, or a command."""
    return message.reference is not None or message.interaction_metadata is not None


def _goes_on(first: discord.Message, second: discord.Message) -> bool:
    """Whether *second* may belong to the same answer as *first*, right before it."""
    is_one_speaker = first.author.id == second.author.id and first.author.name == second.author.name
    return is_ours(first) and is_one_speaker and second.created_at - first.created_at <= _TOGETHER


def _joined(receipts: Iterable[Receipt]) -> str:
    """What the messages of *receipts* say, with the line ends that the model wrote between them."""
    text = ""
    for post in (receipt.post for receipt in receipts):
        if post.said:
            text += (post.joint or "\n" if text else "") + post.said
    return text
