"""Stage 7: segment in, posts out. Decides *how* a segment becomes messages.

The composer is pure: it plans messages and the pauses before them, and sends nothing.
What sends them is a ``Target``, called by the outbox in ``cadenza.replies.pipeline``.
Pauses are numbers in a post, drawn from dice that are handed in, so that a plan can be tested and repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple, Protocol, runtime_checkable

from ..errors import SettingsError
from ..settings import DeliverySettings
from ..text.emoji import EMOJI
from ..text.humanize import humanize
from ..text.plain_table import parted
from ..text.repair import tidy_block
from ..text.split import fit, line_context, split
from ..text.standalone import is_loner
from ..text.tables import Table
from ..text.units import WHITESPACE, fits
from ..types import Attachment, Boundary, Ending, Halt, Identity, Kind, Notice, Post, Receipt, Segment, StopReason
from .s7_files import LARGEST, Remainder, code_file, is_whole
from .s7_pacing import Pace, Pacer


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
    files: bool = False
    """Whether it takes files (``Post.attachment``); if not, tables arrive as text."""

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
class Noticing(Protocol):
    """A target with a place of its own for notices; to any other they are sent as messages."""

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice*. Nobody is called by it, whatever it says."""


@runtime_checkable
class Removing(Protocol):
    """A target that can take back what it was sent."""

    async def remove(self, receipt: Receipt, /) -> None:
        """Take the message of *receipt* back, or raise a ``DeliveryError``."""


@runtime_checkable
class Hurrying(Protocol):
    """A target that can take long over a message, and knows when it has not begun to send it yet."""

    def hurry(self) -> None:
        """The reply is to end: leave out what only waits to be sent, as ``SKIPPED``; what is being sent still arrives."""


@runtime_checkable
class Concluding(Protocol):
    """A target that wants to know which message is the last of a reply, before it is sent."""

    async def conclude(self) -> None:
        """The next message is the last one, as far as anybody knows. Is waited for, and should not take long."""


@runtime_checkable
class Grouping(Protocol):
    """A target that shows neighbouring messages of one name under one face, as Discord does."""

    @property
    def channel(self) -> str:
        """Which place it is: what was said there last decides."""

    @property
    def last_message_id(self) -> str | None:
        """The newest message there, whoever sent it; ``None`` if that is not known."""


@runtime_checkable
class Calling(Protocol):
    """A target whose messages make phones ring."""

    def allow_pings(self, settings: DeliverySettings, /) -> None:
        """Call no more than *settings* allow from now on: ``mention_people``, ``mention_roles``, and never everybody."""


class Allowance(NamedTuple):
    """What a chat takes at present."""

    left: int
    """How many more messages it takes now."""
    limit: int
    """Of how many."""
    seconds: float
    """When it takes all of them again."""


@runtime_checkable
class Metered(Protocol):
    """A target that knows how many messages it takes."""

    def allowance(self, identity: Identity | None, /) -> Allowance | None:
        """What it takes at present of *identity*; ``None`` if nothing is known. Asked before each message."""


class Painter(Protocol):
    """Whoever makes pictures of tables."""

    def paint(self, table: Table, /) -> bytes | None:
        """A PNG of *table*, or ``None`` if there can be no good one. Called in a thread; must not raise."""


_HURRIED = (Ending.STOP, Ending.CUT_SHORT)
"""After these, one more message is sent at most."""


class Composer:
    """Plans the messages of one reply."""

    def __init__(
        self,
        settings: DeliverySettings,
        chance: Chance,
        *,
        reply_to: str | None = None,
        pictures: bool = False,
        files: bool = False,
        planned: int = 0,
        see: Callable[[Pace], None] | None = None,
    ) -> None:
        self._settings = settings
        self._pictures = pictures  # whether somebody will try to make them
        self._code_file = settings.code_file if files else 0
        self._code: list[Segment] = []  # a code block that may become a file, of which more is to come
        self._most = min(settings.message_limit or settings.flood_limit, settings.flood_limit)
        self._has_remainder = files and settings.when_full == "file"
        self._remainder: Remainder | None = None  # the last message of all, once it is planned
        self._gathered = _Gathered(settings.limit)
        self._chance = chance
        self._pacer = Pacer(settings, chance.random, see)
        self._reply_to = reply_to
        self._context = ""  # what the next segment begins with, because it goes on in a line that was cut
        self._planned = planned  # what stands already counts for the limits of the reply
        self._owed: Segment | None = None  # had a label, and nothing left to show

    def feed(self, segment: Segment, /) -> Sequence[Post | Halt]:
        """Plan the messages for *segment*; at degree 0 it is put aside until the face changes or the reply ends."""
        segment = self._labelled(segment)
        if self._remainder is not None and not self._gathered:
            self._remainder.add(segment)
            return self._let_go(Halt(StopReason.MESSAGE_LIMIT)) if self._remainder.is_too_large else []
        if self._code_file and segment.kind is Kind.CODE and not segment.source:
            self._code.append(segment)
            is_more = not is_whole(segment) and sum(len(part.text) for part in self._code) < LARGEST
            return [] if is_more else self._code_posts()
        if self._code:  # of which no more came, and nobody said so
            return [*self._code_posts(), *self.feed(segment)]
        return self._planned_for(segment)

    def _planned_for(self, segment: Segment) -> list[Post | Halt]:
        is_picture = self._pictures and bool(segment.source)
        posts: list[Post | Halt] = []
        if self._settings.degree == 0:
            if is_picture or not self._gathered.takes(segment):
                posts = self._gathered_posts(Boundary.ATTACHMENT)
            if not is_picture:
                self._gathered.add(segment)
                return posts
        if not segment.text.strip(WHITESPACE):
            self._context = ""  # whatever was cut is over
        else:
            messages = _messages(self._texts(segment), segment.source)
            is_last = self._has_remainder and self._planned + len(messages) >= self._most
            planned = self._posts(messages, segment)
            posts += _as_picture(planned) if is_picture and not is_last else planned
        return posts

    # --- files -----------------------------------------------------------------------------

    def _code_posts(self) -> list[Post | Halt]:
        """Plan the code block that was put aside: one that would be too many messages is a file."""
        parts, self._code = self._code, []
        if not parts:
            return []
        count = sum(len(_split(part.text, part, self._settings.degree, self._settings.limit)) for part in parts)
        found = code_file(parts) if count >= self._code_file else None
        if found is None:
            return [post for part in parts for post in self._planned_for(part)]
        file, source = found
        posts = self._gathered_posts(Boundary.ATTACHMENT)
        whole = replace(parts[0], boundary=parts[-1].boundary)
        return posts + self._posts([_Message("", source)], whole, file)

    def _let_go(self, *behind: Halt) -> list[Post | Halt]:
        """The last message of all, with what came behind it."""
        remainder, self._remainder = self._remainder, None
        return [remainder.post(), *behind] if remainder else []

    def _labelled(self, segment: Segment) -> Segment:
        """*segment* with the label that is owed: what a rule emptied was the first under this face, and now this is."""
        if not segment.text.strip(WHITESPACE):
            self._owed = segment if segment.label else self._owed
            return segment
        owed, self._owed = self._owed, None
        if owed is None or segment.label or segment.identity != owed.identity:
            return segment
        return replace(segment, label=owed.label)

    def _texts(self, segment: Segment) -> list[str]:
        text, degree, limit = self._in_context(segment), self._settings.degree, self._settings.limit
        if segment.source and segment.kind is Kind.PROSE:
            return fit(text.strip(WHITESPACE), limit)  # a table that became a list stays in one piece while it fits
        texts = _split(text, segment, degree, limit)
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
        posts = self._code_posts()
        posts += self._gathered_posts(why.boundary)
        if why in _HURRIED and self._remainder is not None:  # only the beginning of it is wanted, as text
            remainder, self._remainder = self._remainder, None
            return [*posts, *remainder.posts()]
        return posts + self._let_go()

    def _gathered_posts(self, boundary: Boundary) -> list[Post | Halt]:
        identity, label = self._gathered.identity, self._gathered.label
        return self._posts(self._gathered.take(), Segment("", boundary, identity=identity, label=label))

    def _posts(
        self, messages: Iterable[_Message], segment: Segment, file: Attachment | None = None
    ) -> list[Post | Halt]:
        """Give each message of *segment* its pause and the first one what it answers; end the reply at the limit."""
        posts: list[Post | Halt] = []
        label = segment.label
        for text, source in messages:
            if not text.strip(WHITESPACE) and file is None:
                continue
            if self._remainder is not None:
                self._remainder.add_lines([text if source is None else source])
                continue
            if self._planned >= self._most:
                posts.append(Halt(StopReason.MESSAGE_LIMIT))
                break
            pause = self._pacer.pause_before(text)
            reply = None if self._planned else self._reply_to
            post = Post(text, segment.boundary, pause, segment.identity, label, file, reply, source)
            label = ""
            self._planned += 1
            if self._has_remainder and self._planned == self._most:
                self._remainder = Remainder(post)
            else:
                posts.append(post)
        return posts


def _as_picture(planned: list[Post | Halt]) -> list[Post | Halt]:
    """One post that shows a table as a picture, and what was *planned* in case there can be none."""
    texts = tuple(post for post in planned if isinstance(post, Post))
    halts = planned[len(texts) :]
    return [replace(texts[0], text="", instead=texts), *halts] if texts else halts


class _Message(NamedTuple):
    """What people are shown, and what the model wrote: ``None`` if it is the same, nothing if it stands in one before."""

    text: str
    source: str | None


def _split(text: str, segment: Segment, degree: int, limit: int) -> list[str]:
    """*text* of *segment* in messages; a table in columns has its header in each."""
    columns = parted(text.strip("\n"), limit) if segment.source and segment.kind is Kind.CODE else []
    return columns or split(text, segment.kind, degree, limit)


def _messages(texts: Iterable[str], source: str) -> list[_Message]:
    """*texts*, which show *source* in another form if there is one; the first of them says all of it."""
    if not source:
        return [_Message(text, None) for text in texts]
    return [_Message(text, "" if number else source) for number, text in enumerate(texts)]


class _Gathered:
    """Degree 0: everything that was said under one face, put together into as few messages as fit."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._parts: list[tuple[str, Segment]] = []
        self._after: Segment | None = None
        self.identity: Identity | None = None
        self.label = ""
        """The first label of what was gathered: it stands for all under this face."""

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self._parts)

    def takes(self, segment: Segment) -> bool:
        """Whether *segment* can stand behind what is there: under the same face, or without a word."""
        return not self._parts or segment.identity == self.identity or not segment.text.strip(WHITESPACE)

    def add(self, segment: Segment) -> None:
        """Put *segment* behind what is there, with what belongs between the two."""
        if segment.kind is Kind.CODE:
            segment = replace(segment, text=tidy_block(segment.text))
        if not segment.text.strip(WHITESPACE):
            if segment.boundary is Boundary.NEWLINE and self._after is not None:
                self._after = replace(self._after, boundary=Boundary.NEWLINE)  # an empty line separates too
            return
        self.identity, self.label = segment.identity, self.label or segment.label
        self._parts.append((self._between(segment), segment))
        self._after = segment

    def take(self) -> list[_Message]:
        """Give back the messages, and be empty again."""
        whole: list[_Saying] = []
        current = _Saying("", "")
        for between, block in self._blocks():
            text, kind = block.text, block.kind
            joined = current.followed_by(_saying(text, block.source or None), between)
            if fits(joined.text, self._limit) and not (kind is Kind.PROSE and EMOJI.search(text)):
                current = joined
                continue
            pieces = _messages(_split(text, block, 0, self._limit) or [""], block.source)
            first, *rest = (_saying(*piece) for piece in pieces)
            joined = current.followed_by(first, between)
            if fits(joined.text, self._limit) and not is_loner(first.text):
                first = joined
            else:
                whole.append(current)
            *done, current = first, *rest
            whole += done
            if is_loner(current.text):
                whole.append(current)
                current = _Saying("", "")
        whole.append(current)
        self._parts.clear()
        self._after, self.identity, self.label = None, None, ""
        return [saying.message() for saying in whole if saying.text.strip(WHITESPACE)]

    def _blocks(self) -> list[tuple[str, Segment]]:
        """What was gathered, neighbouring prose put together: it is split as one text."""
        blocks: list[tuple[str, Segment, list[str]]] = []
        for between, segment in self._parts:
            if not blocks or not (_is_plain(blocks[-1][1]) and _is_plain(segment)):
                blocks.append((between, segment, [segment.text]))
                continue
            texts = blocks[-1][2]
            if between:
                texts[-1] = texts[-1].rstrip("\n")
            texts += [between, segment.text.lstrip("\n") if between else segment.text]
        return [(between, replace(segment, text="".join(texts))) for between, segment, texts in blocks]

    def _between(self, segment: Segment) -> str:
        if self._after is None:
            return ""
        if self._after.boundary is Boundary.NEWLINE:
            return "\n\n"
        if Kind.PROSE is not self._after.kind or Kind.PROSE is not segment.kind:
            return "\n"  # a code block has its lines to itself
        return ""


class _Saying(NamedTuple):
    """What people are shown, and what the model wrote for it."""

    text: str
    wrote: str

    def followed_by(self, after: _Saying, between: str) -> _Saying:
        return _Saying(_joined(self.text, between, after.text), _joined(self.wrote, between, after.wrote))

    def message(self) -> _Message:
        text, wrote = self.text.strip(WHITESPACE), self.wrote.strip(WHITESPACE)
        return _Message(text, None if text == wrote else wrote)


def _saying(text: str, source: str | None) -> _Saying:
    """*text*, which shows *source* in another form if there is one."""
    return _Saying(text, source + "\n" * text.endswith("\n") if source else text if source is None else "")


def _is_plain(segment: Segment) -> bool:
    """Whether *segment* is prose as the model wrote it."""
    return segment.kind is Kind.PROSE and not segment.source


def _joined(before: str, between: str, after: str) -> str:
    """Put two texts together; what is put between them stands instead of the line ends that were there."""
    return before.rstrip("\n") + between + after.lstrip("\n") if between else before + after


def as_post(notice: Notice) -> Post:
    """How *notice* looks as a message: small, and none of the persona's words."""
    return Post(f"-# {notice.text}", Boundary.FINAL, source="")


def receipt_of(message_id: str, identity: Identity | None = None) -> Receipt:
    """What stands for a message of an earlier process, of which nothing else is known: enough to take it back."""
    return Receipt(Post("", Boundary.FINAL), message_id, identity=identity)
