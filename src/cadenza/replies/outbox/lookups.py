"""Looking up people whom the roster does not know: ``hi @ghost`` → ``hi <@9>``.

The rules only know the roster, for they may not wait. What they leave as it is can be asked for before it is sent:
a lookup asks, remembers what it was told, and never lets a message wait long or fail because of it.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from ...concurrency.stops import is_cancelled
from ...text.handles import Directory
from ...text.names import normalised
from ...types import Roster


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


_Key: TypeAlias = tuple[str, str]
"""A place, and a handle as names are compared."""

_ROSTERS = 16
"""How many rosters are remembered as directories."""


class Lookup:
    """Asks who is meant by a handle, and remembers the answer. One serves many places, and does not mix them up.

    *find* is given a handle or an id as the model wrote it and the place where it was said (``Scene.channel``), and
    gives back what the platform wants to see for it, or ``None``. Whatever goes wrong with it counts as nobody found;
    what it raises is shown nowhere.
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
        self._answers: dict[_Key, _Answer] = {}
        self._questions: dict[_Key, asyncio.Task[str | None]] = {}
        self._directories: dict[int, tuple[Roster, Directory]] = {}

    async def resolve(self, text: str, roster: Roster, place: str = "") -> str:
        """*text*, said in *place*, with a tag for everybody in its prose whom *roster* does not know but *find* does."""
        if "@" not in text:
            return text
        directory = self._directory(roster)
        tags = await self._tags(directory.unknown(text), place)
        return directory.answered(text, tags) if tags else text

    def has_found(self, tag: str, place: str) -> bool:
        """Whether *tag* is that of somebody who was found in *place*, as far as that is remembered."""
        return any(answer.tag == tag and where == place for (where, _), answer in self._answers.items())

    async def close(self) -> None:
        """End the questions that are still open; whoever waits for one goes on without an answer."""
        questions = tuple(self._questions.values())
        for question in questions:
            question.cancel()
        if questions:
            await asyncio.wait(questions, timeout=self._timeout)

    def _directory(self, roster: Roster) -> Directory:
        """Whom *roster* knows: made once for all messages of a reply."""
        known = self._directories.get(id(roster))
        if known is None:
            if len(self._directories) == _ROSTERS:
                del self._directories[next(iter(self._directories))]
            # The roster is kept too: so long nothing else can have its identity.
            known = self._directories[id(roster)] = (roster, Directory.of(roster))
        return known[1]

    async def _tags(self, handles: Iterable[str], place: str) -> dict[str, str]:
        """The tags of those of *handles* that somebody in *place* has."""
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
        """Wait for the answers to *questions*, which go on if whoever waits here is cancelled: others may wait too."""
        done, open_ = await asyncio.wait(questions.values(), timeout=self._timeout)
        for handle, question in questions.items():
            if question in open_:  # it does not heed its time limit; nobody shall wait for it again so soon
                self._remember((place, normalised(handle)), None, self._failed_lasts)
        done = {question for question in done if not question.cancelled()}
        return {handle: question.result() for handle, question in questions.items() if question in done}

    def _ask(self, key: _Key, handle: str) -> asyncio.Task[str | None]:
        question = asyncio.create_task(self._answer(key, handle), name="cadenza lookup")
        self._questions[key] = question
        question.add_done_callback(lambda _: self._questions.pop(key))
        return question

    async def _answer(self, key: _Key, handle: str) -> str | None:
        """What *find* says of *handle*; it is remembered."""
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
