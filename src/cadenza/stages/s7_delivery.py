"""Stage 7: segment in, posts out. Decides *how* a segment becomes messages.

The composer is pure: it plans messages and the pauses before them, and sends nothing.
What sends them is a ``Target``, called by the outbox in ``cadenza.pipeline``.
Pauses are numbers in a post, drawn from dice that are handed in, so that a plan can be tested and repeated.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, runtime_checkable

from ..errors import SettingsError
from ..settings import DeliverySettings
from ..text.emoji import EMOJI
from ..text.humanize import humanize
from ..text.loners import is_loner
from ..text.repair import tidy_block
from ..text.sentences import clause_ends
from ..text.split import fit, line_context, split
from ..text.survey import survey
from ..text.tables import Table
from ..text.units import WHITESPACE, fits, units
from ..types import Boundary, Ending, Halt, Identity, Kind, Post, Receipt, Segment, StopReason


class Chance(Protocol):
    """Dice: ``random.Random`` is one."""

    def random(self) -> float:
        """A number from 0 up to, not including, 1."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What a target can take."""

    length: int = 1950
    """The longest message, in UTF-16 units; at least 50."""
    tables: bool = False
    """Whether it shows Markdown tables itself; then they arrive as they were written."""

    def __post_init__(self) -> None:
        """Refuse a length in which no message could stand alone."""
        if self.length < 50:
            msg = f"a target must take messages of at least 50 characters, not {self.length}"
            raise SettingsError(msg)


class Target(Protocol):
    """A place to deliver to."""

    @property
    def limits(self) -> Limits:
        """What it can take."""

    async def send(self, post: Post, /) -> Receipt:
        """Deliver *post* or raise a ``DeliveryError``.

        Once started it is never cancelled, so that it is always known what arrived: it must end by itself, in time.
        """

    async def typing(self, identity: Identity | None, /) -> None:
        """Show that something is being written. May be called often, may do nothing, must not raise."""


@runtime_checkable
class Grouping(Protocol):
    """A target that shows neighbouring messages of one name under one face, as Discord does."""

    @property
    def channel(self) -> str:
        """Which place it is: what was said there last decides."""

    @property
    def last_message_id(self) -> str | None:
        """The newest message there, whoever sent it; ``None`` if that is not known."""


class Painter(Protocol):
    """Whoever makes pictures of tables."""

    def paint(self, table: Table, /) -> bytes | None:
        """A PNG of *table*, or ``None`` if there can be no good one. Called in a thread; must not raise."""


class Composer:
    """Plans the messages of one reply."""

    def __init__(
        self, settings: DeliverySettings, chance: Chance, *, reply_to: str | None = None, pictures: bool = False
    ) -> None:
        self._settings = settings
        self._pictures = pictures  # whether somebody will try to make them
        self._gathered = _Gathered(settings.limit)
        self._chance = chance
        self._pacer = _Pacer(settings, chance)
        self._reply_to = reply_to
        self._context = ""  # what the next segment begins with, because it goes on in a line that was cut
        self._planned = 0

    def feed(self, segment: Segment, /) -> Sequence[Post | Halt]:
        """Plan the messages for *segment*; at degree 0 it is put aside until the end."""
        is_picture = self._pictures and bool(segment.source)
        if self._settings.degree == 0 and segment.identity is None and not is_picture:
            self._gathered.add(segment)
            return ()
        posts = self._gathered_posts(Boundary.ATTACHMENT) if self._gathered.parts else []
        if not segment.text.strip(WHITESPACE):
            self._context = ""  # whatever was cut is over
        else:
            texts = self._texts(segment)
            posts += self._picture(segment, texts) if is_picture else self._posts(texts, segment)
        return posts

    def _picture(self, segment: Segment, texts: Sequence[str]) -> list[Post | Halt]:
        """One post that shows the source of *segment* as a picture, and *texts* in case there can be none."""
        posts = self._posts(texts[:1], segment)
        if not posts or not isinstance(first := posts[0], Post):
            return posts
        rest = (
            replace(first, text=text, pause=self._pacer.least, label="", reply=None, source="") for text in texts[1:]
        )
        return [replace(first, text="", instead=(first, *rest))]

    def _texts(self, segment: Segment) -> list[str]:
        text, degree, limit = self._in_context(segment), self._settings.degree, self._settings.limit
        if segment.source and segment.kind is Kind.PROSE:
            return fit(text.strip(WHITESPACE), limit)  # a table that became a list stays in one piece while it fits
        texts = split(text, segment.kind, degree, limit)
        if degree == 3 and segment.kind is Kind.PROSE:
            texts = [piece for text in texts for piece in self._humanized(text)]
        return texts

    def _humanized(self, text: str) -> list[str]:
        pieces = humanize(text, self._chance.random)
        return pieces if any(piece.strip(WHITESPACE) for piece in pieces) else [text]  # a lone comma is all there is

    def _in_context(self, segment: Segment) -> str:
        """The text of *segment*; if it goes on in a line that had to be cut, with the quote marks of that line."""
        text = segment.text
        if self._context and segment.kind is Kind.PROSE and not text.startswith("\n"):
            text = self._context + text.lstrip(" ")
        self._context = ""
        if segment.boundary is Boundary.OVERFLOW and segment.kind is Kind.PROSE:
            # The last line may be over, and empty; a >>> is not.
            self._context = ">>> " if text.startswith(">>> ") else line_context(text.rpartition("\n")[2])
        return text

    def flush(self, why: Ending, /) -> Sequence[Post | Halt]:
        """Plan what was put aside."""
        return self._gathered_posts(why.boundary)

    def _gathered_posts(self, boundary: Boundary) -> list[Post | Halt]:
        return self._posts(self._gathered.take(), Segment("", boundary))

    def _posts(self, texts: Iterable[str], segment: Segment) -> list[Post | Halt]:
        """Give each message of *segment* its pause and the first one what it answers; end the reply at the limit."""
        posts: list[Post | Halt] = []
        boundary, identity, label, source = segment.boundary, segment.identity, segment.label, segment.source
        for text in texts:
            if not text.strip(WHITESPACE):
                continue
            if self._settings.message_limit and self._planned >= self._settings.message_limit:
                posts.append(Halt(StopReason.MESSAGE_LIMIT))
                break
            pause = self._pacer.pause_before(text)
            reply = None if self._planned else self._reply_to
            posts.append(Post(text, boundary, pause, identity, label, None, reply, source))
            label = source = ""
            self._planned += 1
        return posts


class _Pacer:
    """How long someone would type, message by message, and not longer in all than the budget."""

    def __init__(self, settings: DeliverySettings, chance: Chance) -> None:
        self._settings = settings
        self._chance = chance
        self._left = settings.typing_budget
        self._count = 0
        self.least = settings.typing_least if settings.degree >= 2 else 0.0

    def pause_before(self, text: str) -> float:
        count, self._count = self._count, self._count + 1
        if self._settings.degree < 2 or count == 0:
            return 0.0
        pause = self._typing(text)
        if count >= 2:
            pause += self._breath()
        pause = round(min(pause, self._left), 4)
        self._left = max(0.0, self._left - pause)
        return pause

    def _typing(self, text: str) -> float:
        settings = self._settings
        typing = max(settings.typing_least, min(settings.typing_speed * units(text), settings.typing_most))
        return max(typing, 1.25 * settings.typing_least) if "```" in text else typing

    def _breath(self) -> float:
        """A moment between two messages; now and then a longer one, as if thinking. Both dice are always thrown."""
        breath = (250 + int(self._chance.random() * 1250)) / 1000
        thinks = self._chance.random() < self._settings.thinking_chance
        return max(1.5 * breath, 0.75) if thinks else breath


class _Gathered:
    """Degree 0: everything that was said, put together into as few messages as fit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self.parts: list[tuple[str, Segment]] = []
        self._after: Segment | None = None

    def add(self, segment: Segment) -> None:
        """Put *segment* behind what is there, with what belongs between the two."""
        if segment.kind is Kind.CODE:
            segment = replace(segment, text=tidy_block(segment.text))
        if not segment.text.strip(WHITESPACE):
            if segment.boundary is Boundary.NEWLINE and self._after is not None:
                self._after = replace(self._after, boundary=Boundary.NEWLINE)  # an empty line separates too
            return
        self.parts.append((self._between(segment), segment))
        self._after = segment

    def take(self) -> list[str]:
        """Give back the messages, and be empty again."""
        texts: list[str] = []
        current = ""
        for between, kind, text in self._blocks():
            joined = _joined(current, between, text)
            if fits(joined, self._limit) and not (kind is Kind.PROSE and EMOJI.search(text)):
                current = joined
                continue
            first, *rest = split(text, kind, 0, self._limit) or [""]
            joined = _joined(current, between, first)
            if fits(joined, self._limit) and not is_loner(first):
                first = joined
            else:
                texts.append(current)
            *whole, current = first, *rest
            texts += whole
            if is_loner(current):
                texts.append(current)
                current = ""
        texts.append(current)
        self.parts.clear()
        self._after = None
        return [text.strip(WHITESPACE) for text in texts if text.strip(WHITESPACE)]

    def _blocks(self) -> list[tuple[str, Kind, str]]:
        """What was gathered, neighbouring prose put together: it is split as one text."""
        blocks: list[tuple[str, Kind, list[str]]] = []
        for between, segment in self.parts:
            if not blocks or not blocks[-1][1] is segment.kind is Kind.PROSE:
                blocks.append((between, segment.kind, [segment.text]))
                continue
            texts = blocks[-1][2]
            if between:
                texts[-1] = texts[-1].rstrip("\n")
            texts += [between, segment.text.lstrip("\n") if between else segment.text]
        return [(between, kind, "".join(texts)) for between, kind, texts in blocks]

    def _between(self, segment: Segment) -> str:
        if self._after is None:
            return ""
        if self._after.boundary is Boundary.NEWLINE:
            return "\n\n"
        if Kind.PROSE is not self._after.kind or Kind.PROSE is not segment.kind:
            return "\n"  # a code block has its lines to itself
        return ""


def _joined(before: str, between: str, after: str) -> str:
    """Put two texts together; what is put between them stands instead of the line ends that were there."""
    return before.rstrip("\n") + between + after.lstrip("\n") if between else before + after


def farewell(posts: Sequence[Post], limit: int) -> Post | None:
    """The one last message after a stop: what waits in *posts*, up to its last whole clause that fits.

    Whole messages are put together while they fit under one name; of the next one, only whole clauses are taken.
    """
    if not posts:
        return None
    first, *rest = [text for post in posts for text in post.instead or (post,)]  # there is no time for a picture now
    text = first.text
    for post in rest:
        room = limit - units(text) - 1
        if post.identity != first.identity or post.label or post.attachment is not None:
            break
        if units(post.text) <= room:
            text += "\n" + post.text
            continue
        part = _clauses_within(post.text, room)
        text += "\n" + part if part else ""
        break
    return replace(first, text=text, pause=0.0, boundary=posts[-1].boundary)


def _clauses_within(text: str, room: int) -> str:
    """The whole clauses at the beginning of *text* that fit into *room*, or nothing."""
    if "```" in text:
        return ""
    spans = survey(text).spans
    for end in clause_ends(text):
        if units(text[:end]) <= room and not any(span.start < end < span.end for span in spans):
            return text[:end].rstrip(WHITESPACE)
    return ""
