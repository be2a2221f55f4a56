"""Stage 7: segment in, posts out. Decides *how* a segment becomes messages.

The composer is pure: it plans messages and the pauses before them, and sends nothing.
The outbox sends them to a ``Target``.
Pauses are numbers in a post, drawn from dice that are passed in, so that a plan can be tested and repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import NamedTuple, Protocol

from ..settings import DeliverySettings
from ..targets.target import MARKDOWN, Limits, Markup
from ..text.emoji import EMOJI
from ..text.formulas import is_formula
from ..text.humanize import humanize
from ..text.plain_table import split_columns
from ..text.repair import tidy_block
from ..text.split import fit, line_context, split
from ..text.standalone import is_standalone
from ..text.tables import Table
from ..text.units import WHITESPACE, fits, units, whole_grapheme
from ..types import Attachment, Boundary, Ending, Halt, Identity, Kind, Notice, Post, Receipt, Segment, StopReason
from .s7_files import LARGEST, Remainder, code_file, is_whole
from .s7_pacing import Pace, Pacer


class Chance(Protocol):
    """Dice: ``random.Random`` is one."""

    def random(self) -> float:
        """A number from 0 up to, not including, 1."""


class Painter(Protocol):
    """Makes pictures of tables."""

    def paint(self, table: Table, /) -> bytes | None:
        """A PNG of *table*, or ``None`` if there can be no good one. Called in a thread; must not raise."""


class FormulaPainter(Protocol):
    """Makes pictures of formulas."""

    def paint(self, source: str, /) -> bytes | None:
        """A PNG of the LaTeX *source*, or ``None`` if there can be no good one. Called in a thread; must not raise."""


_SMALLEST = 50
"""UTF-16 units below which a message cannot be split with care."""
_DEGREES = {"reply": 0, "blocks": 1, "lines": 1, "sentences": 3}
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
        formula_pictures: bool = False,
        limits: Limits | None = None,
        planned: int = 0,
        see: Callable[[Pace], None] | None = None,
    ) -> None:
        limits = limits or Limits()
        self._settings = settings
        self._degree = _DEGREES[settings.manner.shape]
        self._limit = limits.length if settings.limit is None else settings.limit
        self._markup = limits.markup
        self._pictures = pictures  # whether a painter will try to make them of tables
        self._formula_pictures = formula_pictures  # and of formulas
        self._code_file = settings.code_file if limits.files else 0
        self._code: list[Segment] = []  # the parts so far of a code block that may become a file
        self._most = min(settings.message_limit or settings.flood_limit, settings.flood_limit)
        self._has_remainder = limits.files and settings.when_full == "file"
        self._remainder: Remainder | None = None  # the last message of the reply, once it is planned
        self._gathered = _Gathered(self._limit, self._markup)
        self._chance = chance
        self._pacer = Pacer(settings, chance.random, see)
        self._reply_to = reply_to
        self._context = ""  # what the next segment begins with if it continues a line that was cut
        self._planned = planned  # messages that were sent before count towards the limit of the reply
        self._owed: Segment | None = None  # a segment with a label that was emptied by a rule

    def feed(self, segment: Segment, /) -> Sequence[Post | Halt]:
        """Plan the messages for *segment*; at degree 0 it is collected until the speaker changes or the reply ends."""
        segment = self._labelled(segment)
        if self._remainder is not None and not self._gathered:
            self._remainder.add(segment)
            return self._last_post(Halt(StopReason.MESSAGE_LIMIT)) if self._remainder.is_too_large else []
        if self._code_file and segment.kind is Kind.CODE and not segment.source:
            self._code.append(segment)
            is_more = not is_whole(segment) and sum(len(part.text) for part in self._code) < LARGEST
            return [] if is_more else self._code_posts()
        if self._code:  # it ended without a closing fence
            return [*self._code_posts(), *self.feed(segment)]
        return self._planned_for(segment)

    def _planned_for(self, segment: Segment) -> list[Post | Halt]:
        is_picture = bool(segment.source) and (self._formula_pictures if is_formula(segment.source) else self._pictures)
        posts: list[Post | Halt] = []
        if self._degree == 0:
            if is_picture or not self._gathered.takes(segment):
                posts = self._gathered_posts(Boundary.ATTACHMENT)
            if not is_picture:
                self._gathered.add(segment)
                return posts
        if not segment.text.strip(WHITESPACE):
            self._context = ""  # the line that was cut has ended
        else:
            messages = _messages(self._texts(segment), segment.source)
            is_last = self._has_remainder and self._planned + len(messages) >= self._most
            planned = self._posts(messages, segment)
            posts += _as_picture(planned) if is_picture and not is_last else planned
        return posts

    # --- files -----------------------------------------------------------------------------

    def _code_posts(self) -> list[Post | Halt]:
        """Plan the collected code block: as a file if it would be too many messages."""
        parts, self._code = self._code, []
        if not parts:
            return []
        count = sum(len(self._split(part.text, part)) for part in parts)
        found = code_file(parts) if count >= self._code_file else None
        if found is None:
            return [post for part in parts for post in self._planned_for(part)]
        file, source = found
        posts = self._gathered_posts(Boundary.ATTACHMENT)
        whole = replace(parts[0], boundary=parts[-1].boundary)
        return posts + self._posts([_Message("", source)], whole, file)

    def _last_post(self, *after: Halt) -> list[Post | Halt]:
        """The last message of the reply, with the text after it as a file."""
        remainder, self._remainder = self._remainder, None
        return [remainder.post(), *after] if remainder else []

    def _labelled(self, segment: Segment) -> Segment:
        """*segment* with the label of an emptied one before it: it is now the first of its speaker."""
        if not segment.text.strip(WHITESPACE):
            self._owed = segment if segment.label else self._owed
            return segment
        owed, self._owed = self._owed, None
        if owed is None or segment.label or segment.identity != owed.identity:
            return segment
        return replace(segment, label=owed.label)

    def _texts(self, segment: Segment) -> list[str]:
        text = self._in_context(segment)
        if segment.source and segment.kind is Kind.PROSE:
            # A table that became a list stays in one piece while it fits.
            return _cut(text.strip(WHITESPACE), self._limit, self._markup, fit)
        texts = self._split(text, segment)
        if self._settings.manner.casual and segment.kind is Kind.PROSE:
            pieces = [piece for text in texts for piece in self._humanized(text)]
            texts = [part for piece in pieces for part in _fitting(piece, self._limit, self._markup, fit)]
        return texts

    def _split(self, text: str, segment: Segment) -> list[str]:
        return _split_for(self._markup, text, segment, self._degree, self._limit)

    def _humanized(self, text: str) -> list[str]:
        pieces = humanize(text, self._chance.random)
        return pieces if any(piece.strip(WHITESPACE) for piece in pieces) else [text]  # it was a lone comma

    def _in_context(self, segment: Segment) -> str:
        """The text of *segment*; if it continues a line that was cut, with the quote marks of that line."""
        text = segment.text
        if self._context and segment.kind is Kind.PROSE and not text.startswith("\n"):
            text = self._context + text.lstrip(" ")
        self._context = ""
        if segment.boundary is Boundary.OVERFLOW and segment.kind is Kind.PROSE:
            # The last line may be over, and empty; a >>> is not.
            self._context = ">>> " if text.startswith(">>> ") else line_context(text.rpartition("\n")[2])
        return text

    def flush(self, why: Ending, /) -> Sequence[Post | Halt]:
        """Plan what was collected."""
        posts = self._code_posts()
        posts += self._gathered_posts(why.boundary)
        if why in _HURRIED and self._remainder is not None:  # only its beginning is needed, as text
            remainder, self._remainder = self._remainder, None
            return [*posts, *remainder.posts()]
        return posts + self._last_post()

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
    """One post that shows a table or a formula as a picture, with what was *planned* as its fallback."""
    texts = tuple(post for post in planned if isinstance(post, Post))
    halts = planned[len(texts) :]
    return [replace(texts[0], text="", instead=texts), *halts] if texts else halts


class _Message(NamedTuple):
    """What people see, and what the model wrote: ``None`` if it is the same, empty if an earlier message has it."""

    text: str
    source: str | None


def _split(text: str, segment: Segment, degree: int, limit: int) -> list[str]:
    """*text* of *segment* in messages of at most *limit* UTF-16 units; a table in columns has its header in each."""
    is_table = bool(segment.source) and segment.kind is Kind.CODE and not is_formula(segment.source)
    columns = split_columns(text.strip("\n"), limit) if is_table else []
    return columns or split(text, segment.kind, degree, limit)


def _split_for(markup: Markup, text: str, segment: Segment, degree: int, limit: int) -> list[str]:
    """The same, with messages of at most *limit* as *markup* counts them."""
    if markup is MARKDOWN:
        return _split(text, segment, degree, limit)
    return _cut(text, limit, markup, lambda text, limit: _split(text, segment, degree, limit))


def _cut(text: str, limit: int, markup: Markup, split: Callable[[str, int], list[str]]) -> list[str]:
    """Cut *text* by *split*, which counts UTF-16 units, into messages of at most *limit* as *markup* counts them."""
    if markup is MARKDOWN:
        return split(text, limit)
    written, shown = units(text), markup.size(text)
    room = max(limit, written)
    if shown > limit:  # give each message what it takes on the average, and a little less if some take more
        room = limit if shown == written else max(_SMALLEST, limit * written * 15 // (shown * 16))
    return [piece for message in split(text, room) for piece in _fitting(message, limit, markup, split)]


def _fitting(message: str, limit: int, markup: Markup, split: Callable[[str, int], list[str]]) -> list[str]:
    """*message*, halved as often as it must be to fit once it is rendered."""
    if markup is MARKDOWN or markup.size(message) <= limit or len(message) < 2:
        return [message]
    room = units(message) // 2 + 1
    if room >= _SMALLEST:
        halves = split(message, room)
    else:  # so few characters cannot be rendered as one message
        middle = whole_grapheme(message, len(message) // 2)
        halves = [message[:middle], message[middle:]]
    return [piece for half in halves for piece in _fitting(half, limit, markup, split)]


def _messages(texts: Iterable[str], source: str) -> list[_Message]:
    """*texts* as messages; if they show *source* in another form, the first has all of it."""
    if not source:
        return [_Message(text, None) for text in texts]
    return [_Message(text, "" if number else source) for number, text in enumerate(texts)]


class _Gathered:
    """Degree 0: all segments of one speaker, joined into as few messages as fit."""

    def __init__(self, limit: int, markup: Markup) -> None:
        self._limit = limit
        self._markup = markup
        self._parts: list[tuple[str, Segment]] = []
        self._after: Segment | None = None
        self.identity: Identity | None = None
        self.label = ""
        """The first label of the speaker."""

    def __bool__(self) -> bool:
        """Whether there is anything."""
        return bool(self._parts)

    def takes(self, segment: Segment) -> bool:
        """Whether *segment* can be appended: it is of the same speaker, or blank."""
        return not self._parts or segment.identity == self.identity or not segment.text.strip(WHITESPACE)

    def add(self, segment: Segment) -> None:
        """Append *segment*, with the white space that belongs between."""
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
        """Return the messages, and start over."""
        whole: list[_Saying] = []
        current = _Saying("", "")
        for between, block in self._blocks():
            text, kind = block.text, block.kind
            joined = current.followed_by(_saying(text, block.source or None), between)
            if self._fits(joined) and not (kind is Kind.PROSE and EMOJI.search(text)):
                current = joined
                continue
            pieces = _messages(_split_for(self._markup, text, block, 0, self._limit) or [""], block.source)
            first, *rest = (_saying(*piece) for piece in pieces)
            joined = current.followed_by(first, between)
            if self._fits(joined) and not is_standalone(first.text):
                first = joined
            else:
                whole.append(current)
            *done, current = first, *rest
            whole += done
            if is_standalone(current.text):
                whole.append(current)
                current = _Saying("", "")
        whole.append(current)
        self._parts.clear()
        self._after, self.identity, self.label = None, None, ""
        return [saying.message() for saying in whole if saying.text.strip(WHITESPACE)]

    def _fits(self, saying: _Saying) -> bool:
        if self._markup is MARKDOWN:
            return fits(saying.text, self._limit)
        return self._markup.size(saying.text) <= self._limit

    def _blocks(self) -> list[tuple[str, Segment]]:
        """The segments, with neighbouring prose joined: it is split as one text."""
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
    """What people see, and what the model wrote for it."""

    text: str
    wrote: str

    def followed_by(self, after: _Saying, between: str) -> _Saying:
        return _Saying(_joined(self.text, between, after.text), _joined(self.wrote, between, after.wrote))

    def message(self) -> _Message:
        text, wrote = self.text.strip(WHITESPACE), self.wrote.strip(WHITESPACE)
        return _Message(text, None if text == wrote else wrote)


def _saying(text: str, source: str | None) -> _Saying:
    """*text*, with the *source* that it shows in another form, if any."""
    return _Saying(text, source + "\n" * text.endswith("\n") if source else text if source is None else "")


def _is_plain(segment: Segment) -> bool:
    """Whether *segment* is prose as the model wrote it."""
    return segment.kind is Kind.PROSE and not segment.source


def _joined(before: str, between: str, after: str) -> str:
    """Join two texts; *between* replaces the line ends between them."""
    return before.rstrip("\n") + between + after.lstrip("\n") if between else before + after


def as_post(notice: Notice, markup: Markup = MARKDOWN) -> Post:
    """*notice* as a message, rendered already; it is none of the persona's words."""
    return Post(markup.notice(notice.text), Boundary.FINAL, source="")


def rendered(post: Post, markup: Markup) -> Post:
    """*post* as a chat with *markup* is sent it; what the model wrote stays in its source."""
    text = post.text if markup is MARKDOWN else markup.rendered(post.text)
    if text == post.text or not text.strip(WHITESPACE):
        return post
    return replace(post, text=text, source=post.text if post.source is None else post.source)


def receipt_of(message_id: str, identity: Identity | None = None) -> Receipt:
    """A receipt for a message of an earlier process, of which only the id is known: enough to delete it."""
    return Receipt(Post("", Boundary.FINAL), message_id, identity=identity)
