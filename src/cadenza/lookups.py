"""Looking up people whom the roster does not know: ``hi @ghost`` → ``hi <@9>``.

The rules only know the roster, for they may not wait. What they leave as it is can be asked for before it is sent:
a lookup asks, remembers what it was told, and never lets a message wait long or fail because of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from .text.handles import unknown_handles, with_mentions
from .text.names import normalised
from .types import Roster


@dataclass(frozen=True, slots=True)
class Member:
    """Somebody who may be meant by a handle."""

    id: str
    username: str
    global_name: str | None = None
    nickname: str | None = None


def the_one(handle: str, members: Iterable[Member]) -> Member | None:
    """The only one of *members* with this id, else user name, else global name, else nickname.

    A name that several of them have is nobody's: somebody else may still be the only one with it as the next kind.
    """
    wanted = normalised(handle)
    members = tuple(members) if wanted else ()
    for names in (
        [member.id for member in members],
        [member.username for member in members],
        [member.global_name for member in members],
        [member.nickname for member in members],
    ):
        found = [member for member, name in zip(members, names, strict=True) if normalised(name or "") == wanted]
        if len(found) == 1:
            return found[0]
    return None


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a question came to, and until when that counts."""

    tag: str | None
    until: float


class Lookup:
    """Asks who is meant by a handle, and remembers the answer. One for every place with members of its own.

    *find* is given a handle or an id as the model wrote it, and gives back what the platform wants to see for it, or
    ``None``. Whatever goes wrong with it counts as nobody found; what it raises is shown nowhere.
    """

    def __init__(
        self,
        find: Callable[[str], Awaitable[str | None]],
        *,
        clock: Callable[[], float] = time.monotonic,
        found_lasts: float = 600.0,
        missed_lasts: float = 120.0,
        failed_lasts: float = 15.0,
        timeout: float = 2.0,
        most: int = 5,
        room: int = 1000,
    ) -> None:
        """Take *find*, and how to use it.

        *found_lasts*, *missed_lasts* and *failed_lasts* are for how many seconds of *clock* it is remembered who was
        found, that nobody was, and that the question failed or took longer than *timeout* seconds. *most* is how many
        questions one text may ask, all at once; *room* is how many answers are kept, the latest.
        """
        self._find = find
        self._clock = clock
        self._found_lasts = found_lasts
        self._missed_lasts = missed_lasts
        self._failed_lasts = failed_lasts
        self._timeout = timeout
        self._most = most
        self._room = room
        self._answers: dict[str, _Answer] = {}
        self._questions: dict[str, asyncio.Task[str | None]] = {}

    async def resolve(self, text: str, roster: Roster) -> str:
        """*text* with a tag for everybody in it whom *roster* does not know but *find* does."""
        handles = unknown_handles(text, roster)
        if not handles:
            return text
        tags = await self._tags(handles)
        return with_mentions(text, tags, roster) if tags else text

    async def close(self) -> None:
        """End the questions that are still open; whoever waits for one goes on without an answer."""
        questions = tuple(self._questions.values())
        for question in questions:
            question.cancel()
        if questions:
            await asyncio.wait(questions, timeout=self._timeout)

    async def _tags(self, handles: Iterable[str]) -> dict[str, str]:
        """The tags of those of *handles* that somebody has."""
        tags: dict[str, str | None] = {}
        questions: dict[str, asyncio.Task[str | None]] = {}
        asked = 0
        for handle in handles:
            key = normalised(handle)
            if (answer := self._remembered(key)) is not None:
                tags[handle] = answer.tag
            elif key in self._questions:
                questions[handle] = self._questions[key]
            elif asked < self._most:
                asked += 1
                questions[handle] = self._ask(key, handle)
        if questions:
            tags |= await self._answered(questions)
        return {handle: tag for handle, tag in tags.items() if tag}

    async def _answered(self, questions: Mapping[str, asyncio.Task[str | None]]) -> dict[str, str | None]:
        """Wait for the answers to *questions*, which go on if whoever waits here is cancelled: others may wait too."""
        done, open_ = await asyncio.wait(questions.values(), timeout=self._timeout)
        for handle, question in questions.items():
            if question in open_:  # it does not heed its time limit; nobody shall wait for it again so soon
                self._remember(normalised(handle), None, self._failed_lasts)
        done = {question for question in done if not question.cancelled()}
        return {handle: question.result() for handle, question in questions.items() if question in done}

    def _ask(self, key: str, handle: str) -> asyncio.Task[str | None]:
        question = asyncio.create_task(self._answer(key, handle), name="cadenza lookup")
        self._questions[key] = question
        question.add_done_callback(lambda _: self._questions.pop(key))
        return question

    async def _answer(self, key: str, handle: str) -> str | None:
        """What *find* says of *handle*; it is remembered."""
        tag, lasts = None, self._failed_lasts
        try:
            with suppress(Exception):  # what it raises may hold a secret, so it goes no further
                async with asyncio.timeout(self._timeout):
                    tag = await self._find(handle)
                lasts = self._found_lasts if tag else self._missed_lasts
        finally:
            self._remember(key, tag, lasts)
        return tag

    def _remembered(self, key: str) -> _Answer | None:
        answer = self._answers.get(key)
        if answer is not None and answer.until <= self._clock():
            del self._answers[key]
            return None
        return answer

    def _remember(self, key: str, tag: str | None, lasts: float) -> None:
        self._answers.pop(key, None)
        self._answers[key] = _Answer(tag, self._clock() + lasts)
        if len(self._answers) > self._room:
            del self._answers[next(iter(self._answers))]
