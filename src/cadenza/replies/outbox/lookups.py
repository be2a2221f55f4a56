"""Looks up members that the roster does not know: ``hi @ghost`` → ``hi <@9>``.

The rules know only the roster, for they may not wait. A lookup resolves the remaining handles before a message is sent
and caches the answers. It has a timeout, and its failures never end a message.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ...concurrency.stops import is_cancelled
from ...explain.tracebacks import get_logger
from ...text.handles import Directory
from ...text.names import normalised
from ...types import Roster

logger = get_logger(__name__)


@dataclass(frozen=True, slots=True)
class Member:
    """A member that a handle may refer to."""

    id: str
    username: str
    global_name: str | None = None
    nickname: str | None = None


def the_one(handle: str, members: Iterable[Member]) -> Member | None:
    """Return the only one of *members* with this id, else user name, else global name, else nickname.

    A name that several members share is skipped, and the next kind of name is tried.
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
    """A cached result."""

    tag: str | None
    until: float


_Key: TypeAlias = tuple[str, str]
"""A channel and a normalised handle."""

_ROSTERS = 16
"""Number of rosters whose directories are cached."""


class Lookup:
    """Resolves handles through *find* and caches the answers for each channel.

    *find* gets a handle or an id as the model wrote it and the channel (``Scene.channel``), and returns the platform's
    mention for it, or ``None``. A failure counts as not found; the log has its traceback.
    """

    def __init__(
        self,
        find: Callable[[str, str], Awaitable[str | None]],
        *,
        clock: Callable[[], float] = time.monotonic,
        found_lasts: float = 600.0,
        missed_lasts: float = 120.0,
        failed_lasts: float = 15.0,
        timeout: float = 2.0,
        most: int = 5,
        room: int = 1000,
    ) -> None:
        """Take *find* and its limits.

        *found_lasts*, *missed_lasts* and *failed_lasts* are the seconds for which a hit, a miss, and a failure or a
        timeout are cached. *timeout* limits each call in seconds, *most* the calls for one text, which run at the same
        time, and *room* the number of cached answers.
        """
        self._find = find
        self._clock = clock
        self._found_lasts = found_lasts
        self._missed_lasts = missed_lasts
        self._failed_lasts = failed_lasts
        self._timeout = timeout
        self._most = most
        self._room = room
        self._answers: dict[_Key, _Answer] = {}
        self._questions: dict[_Key, asyncio.Task[str | None]] = {}
        self._directories: dict[int, tuple[Roster, Directory]] = {}

    async def resolve(self, text: str, roster: Roster, place: str = "") -> str:
        """Return *text*, said in *place*, with mentions for the handles in its prose that only *find* knows."""
        if "@" not in text:
            return text
        directory = self._directory(roster)
        tags = await self._tags(directory.unknown(text), place)
        return directory.answered(text, tags) if tags else text

    def has_found(self, tag: str, place: str) -> bool:
        """Return whether *tag* is the cached mention of a member found in *place*."""
        return any(answer.tag == tag and where == place for (where, _), answer in self._answers.items())

    async def close(self) -> None:
        """Cancel pending calls; their messages are sent without an answer."""
        questions = tuple(self._questions.values())
        for question in questions:
            question.cancel()
        if questions:
            await asyncio.wait(questions, timeout=self._timeout)

    def _directory(self, roster: Roster) -> Directory:
        """Return the directory of *roster*, built once for all messages of a reply."""
        known = self._directories.get(id(roster))
        if known is None:
            if len(self._directories) == _ROSTERS:
                del self._directories[next(iter(self._directories))]
            # The roster is kept too, so no other object can get its id.
            known = self._directories[id(roster)] = (roster, Directory.of(roster))
        return known[1]

    async def _tags(self, handles: Iterable[str], place: str) -> dict[str, str]:
        """Return the mentions of those *handles* that are known in *place*."""
        tags: dict[str, str | None] = {}
        questions: dict[str, asyncio.Task[str | None]] = {}
        asked = 0
        for handle in handles:
            key = place, normalised(handle)
            if (answer := self._remembered(key)) is not None:
                tags[handle] = answer.tag
            elif key in self._questions:
                questions[handle] = self._questions[key]
            elif asked < self._most:
                asked += 1
                questions[handle] = self._ask(key, handle)
        if questions:
            tags |= await self._answered(questions, place)
        return {handle: tag for handle, tag in tags.items() if tag}

    async def _answered(self, questions: Mapping[str, asyncio.Task[str | None]], place: str) -> dict[str, str | None]:
        """Wait for *questions*; they continue if this wait is cancelled, for others may wait for them too."""
        done, open_ = await asyncio.wait(questions.values(), timeout=self._timeout)
        for handle, question in questions.items():
            if question in open_:  # it ignores its timeout; do not wait for it again so soon
                self._remember((place, normalised(handle)), None, self._failed_lasts)
        done = {question for question in done if not question.cancelled()}
        return {handle: question.result() for handle, question in questions.items() if question in done}

    def _ask(self, key: _Key, handle: str) -> asyncio.Task[str | None]:
        question = asyncio.create_task(self._answer(key, handle), name="cadenza lookup")
        self._questions[key] = question
        question.add_done_callback(lambda _: self._questions.pop(key))
        return question

    async def _answer(self, key: _Key, handle: str) -> str | None:
        """Call *find* and cache its answer."""
        tag, lasts = None, self._failed_lasts
        try:
            async with asyncio.timeout(self._timeout):
                answer: object = await self._find(handle, key[0])
            if not answer:
                lasts = self._missed_lasts
            elif isinstance(answer, str):
                tag, lasts = answer, self._found_lasts
        except (KeyboardInterrupt, SystemExit):
            raise
        except BaseException as error:  # what it raises may hold a secret, so it goes no further
            if is_cancelled(error):
                raise
            logger.warning("looking up a handle failed", exc_info=error)
        finally:
            self._remember(key, tag, lasts)
        return tag

    def _remembered(self, key: _Key) -> _Answer | None:
        answer = self._answers.get(key)
        if answer is not None and answer.until <= self._clock():
            del self._answers[key]
            return None
        return answer

    def _remember(self, key: _Key, tag: str | None, lasts: float) -> None:
        self._answers.pop(key, None)
        self._answers[key] = _Answer(tag, self._clock() + lasts)
        if len(self._answers) > self._room:
            del self._answers[next(iter(self._answers))]
