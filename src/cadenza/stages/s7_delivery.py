"""Stage 7: segment in, posts out. Decides *how* segments become messages.

The composer is pure: it plans messages and the pauses before them, and sends nothing. The shaper bundles the segments,
the composer cuts what is too long and makes posts of it. The outbox sends them to a ``Target``.
Pauses are numbers in a post, drawn from dice that are passed in, so that a plan can be tested and repeated.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple, Protocol

from ..facts import MessageEnd
from ..settings import DeliverySettings
from ..targets.target import MARKDOWN, Limits, Markup
from ..text.formulas import is_formula
from ..text.humanize import humanize
from ..text.line_sorts import is_lead_in, line_context
from ..text.origins import explained, join, line_end_between
from ..text.plain_table import split_columns
from ..text.repair import enclose
from ..text.split import Part, fit, split, split_prose
from ..text.tables import Table
from ..text.units import WHITESPACE, fits, units, whole_grapheme
from ..types import Attachment, Boundary, Ending, Halt, Identity, Kind, Notice, Post, Receipt, Segment, StopReason
from .s7_blocks import Cut, TextPiece
from .s7_files import LARGEST, Remainder, code_file, file_in_words, is_whole
from .s7_pacing import Pace, Pacer
from .s7_packing import marks_of, messages, shown, slices, wrote
from .s7_shape import Bundle, Shaper, end_of


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


Watch = Callable[[Post, Pace, Sequence[Segment], MessageEnd], None]
"""Is told of each post: its pause, the segments that it is made of, and why it ends where it ends."""

_SMALLEST = 50
"""UTF-16 units below which a message cannot be split with care."""
_DEGREES = {"reply": 0, "blocks": 0, "lines": 1, "sentences": 3}
"""How finely prose is split in each shape."""
_PROSE, _CODE = Kind.PROSE, Kind.CODE  # a global is faster to look up than a member of an enumeration
_ENDS = {
    Ending.FINAL: MessageEnd.REPLY,
    Ending.TOOL_CALL: MessageEnd.TOOL_CALL,
    Ending.FILE: MessageEnd.ATTACHMENT,
}
"""Why the last message ends; after any other ending, because of a stop."""
_BY_ITSELF = (
    *(MessageEnd.LINE, MessageEnd.SENTENCE, MessageEnd.BLOCK, MessageEnd.FIRST_BLOCK, MessageEnd.LARGE_BLOCK),
    *(MessageEnd.GATHERED, MessageEnd.NEXT_TOO_LONG, MessageEnd.LIMIT, MessageEnd.LONG_TEXT),
)
"""These are not why a message ends whose line or block goes on in the next one, because the buffer did not wait for it."""
_FILLED = (MessageEnd.LIMIT, MessageEnd.GATHERED, MessageEnd.NEXT_TOO_LONG, MessageEnd.HEADING, MessageEnd.SECTION)
"""A message ends for these because of what it holds."""


class _Takes(NamedTuple):
    """What is planned as a file."""

    files: bool
    """Whether the target takes any."""
    pictures: bool
    """Whether a painter will try to make them of tables."""
    formulas: bool
    """And of formulas."""


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
        see: Watch | None = None,
    ) -> None:
        limits = limits or Limits()
        shape, _, self._is_casual = settings.manner
        self._degree = _DEGREES[shape]
        self._limit = limits.length if settings.limit is None else settings.limit
        self._markup = limits.markup
        self._shaper = (
            Shaper(
                shape,
                gather=settings.gather,
                limit=self._limit,
                markup=self._markup,
                cut=self._cut,
                has_begun=planned > 0,
            )
            if settings.grouping or not self._degree
            else None
        )
        self._takes = _Takes(limits.files, pictures, formula_pictures)
        self._code_file = settings.code_file if limits.files else 0
        self._code: list[Segment] = []  # the parts so far of a code block that may become a file
        self._most = min(settings.message_limit or settings.flood_limit, settings.flood_limit)
        self._has_remainder = limits.files and settings.when_full == "file"
        self._remainder: Remainder | None = None  # the last message of the reply, once it is planned
        self._chance = chance
        self._pacer = Pacer(settings, chance.random)
        self._see = see
        self._reply_to = reply_to
        self._identity: Identity | None = None  # of the last message
        self._context = ""  # what the next segment begins with if it continues a line that was cut
        self._planned = planned  # messages that were sent before count towards the limit of the reply
        self._owed: Segment | None = None  # a segment with a label that was emptied by a rule
        self._white = ""  # the white space after the last message

    def feed(self, segment: Segment | Attachment, /) -> Sequence[Post | Halt]:
        """Plan the messages that *segment* completes, or the one that shows a file."""
        if isinstance(segment, Attachment):
            return self._shown_file(segment)
        if segment.label or self._owed is not None:
            segment = self._labelled(segment)
        if self._remainder is not None:
            self._remainder.add(segment)
            return self._last_post(Halt(StopReason.MESSAGE_LIMIT)) if self._remainder.is_too_large else []
        if self._code_file and segment.kind is _CODE and not segment.is_painted:
            self._code.append(segment)
            is_more = not is_whole(segment) and sum(len(part.text) for part in self._code) < LARGEST
            return [] if is_more else self._code_posts()
        if self._code:  # it ended without a closing fence
            return [*self._code_posts(), *self.feed(segment)]
        if self._shaper is None:
            return self._planned_for(segment)
        bundles = self._shaper.take(segment)
        return self._posts(bundles) if bundles else []

    def flush(self, why: Ending, /) -> Sequence[Post | Halt]:
        """Plan what is left."""
        posts = [*self._code_posts(), *self._posts(self._rest(_ENDS.get(why, MessageEnd.STOP)))]
        if posts and isinstance(posts[-1], Post):
            posts[-1] = replace(posts[-1], boundary=why.boundary)
        if why is Ending.FILE:
            return posts
        if why is Ending.STOP and self._remainder is not None:  # only its beginning is needed, as text
            remainder, self._remainder = self._remainder, None
            return [*posts, *remainder.posts()]
        return posts + self._last_post()

    def _planned_for(self, segment: Segment) -> list[Post | Halt]:
        if self._shaper is None:
            text = self._in_context(segment)
            piece = TextPiece(segment, text, Cut.BLOCK)
            is_plain = segment.kind is Kind.PROSE and not segment.is_painted
            return self._posts([Bundle([piece], is_plain, end_of(piece))])
        return self._posts(self._shaper.take(segment))

    def _rest(self, end: MessageEnd) -> list[Bundle]:
        """What the shaper still holds; the last message ends because of *end*."""
        return [] if self._shaper is None else self._shaper.rest(end)

    # --- files -----------------------------------------------------------------------------

    def _shown_file(self, file: Attachment) -> list[Post | Halt]:
        """The message that shows *file*; a line that names it, where there are no files or no more messages."""
        words = _cut(file_in_words(file), self._limit, self._markup, fit)[0]
        if self._remainder is not None:
            self._remainder.name(words)
            return []
        taken = file if self._takes.files else None
        message = _Message("" if taken else words, "", self._joint("\n"))
        segment = Segment("", Boundary.ATTACHMENT, identity=self._identity)
        return self._made([message], [TextPiece(segment, "", Cut.BLOCK)], MessageEnd.ATTACHMENT, taken)

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
        bundles = self._rest(MessageEnd.FILE)
        before = [piece for bundle in bundles[-1:] for piece in bundle.pieces]
        text = next((piece.text for piece in reversed(before) if not piece.is_blank), "")
        cut = Cut.GLUED if is_lead_in(text) else Cut.BLOCK
        pieces = [*before, TextPiece(replace(parts[0], boundary=parts[-1].boundary, source=source), "", cut)]
        start = _caption(pieces, len(before))
        posts = self._posts([*bundles[:-1], Bundle(pieces[:start], end=MessageEnd.FILE)])
        return posts + self._made([self._message(pieces[start:])], pieces[start:], MessageEnd.FILE, file)

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

    # --- from bundles to messages ------------------------------------------------------------

    def _posts(self, bundles: Iterable[Bundle]) -> list[Post | Halt]:
        posts: list[Post | Halt] = []
        for pieces, is_plain, end in bundles:
            if is_plain and self._degree:
                posts += self._made(self._plain(pieces), pieces, end)
                continue
            rest = self._pictured(pieces, posts) if self._takes.pictures or self._takes.formulas else pieces
            is_short = end in _FILLED and len(rest) < len(pieces)  # the picture counted as text
            posts += self._made_of(rest, MessageEnd.BLOCK if is_short else end, is_plain=is_plain)
        return posts

    def _pictured(self, pieces: Sequence[TextPiece], posts: list[Post | Halt]) -> Sequence[TextPiece]:
        """Plan *pieces* up to the last table, with pictures; return the rest."""
        start = 0
        for index, piece in enumerate(pieces):
            if self._is_picture(piece.segment) and self._remainder is None:
                caption = max(start, _caption(pieces, index))
                end = MessageEnd.FORMULA if is_formula(piece.segment.source) else MessageEnd.PICTURE
                posts += self._made_of(pieces[start:caption], end)
                posts += self._picture(pieces[caption : index + 1], end)
                start = index + 1
        return pieces[start:]

    def _is_picture(self, segment: Segment) -> bool:
        """Whether a picture of *segment* will be tried."""
        if not segment.is_painted or segment.opens_in or segment.ends_in:  # a picture would leave its spoiler
            return False
        return self._takes.formulas if is_formula(segment.source) else self._takes.pictures

    def _picture(self, pieces: Sequence[TextPiece], end: MessageEnd) -> list[Post | Halt]:
        """One post that shows the table or formula at the end of *pieces* as a picture; as text, if there can be none."""
        if self._has_remainder and self._planned + len([*self._cut(pieces)]) >= self._most:
            end = MessageEnd.BLOCK  # the last message may get a file, so it shows text
        planned = self._made_of(pieces, end)
        texts = tuple(post for post in planned if isinstance(post, Post))
        if self._remainder is not None or not texts:  # the rest of its text is in a file
            return planned
        source = pieces[-1].segment.source
        whole = self._message(pieces)
        caption = shown(pieces[:-1]) if len(pieces) > 1 else ""
        post = replace(texts[0], text=caption, source=whole.source or source, picture=source, instead=texts)
        return [post, *planned[len(texts) :]]

    def _made_of(self, pieces: Sequence[TextPiece], end: MessageEnd, *, is_plain: bool = False) -> list[Post | Halt]:
        posts: list[Post | Halt] = []
        done = 0
        for part in self._cut(pieces):
            done += len(part)
            if len(part) == 1:
                made = self._fitted(part[0], is_plain=is_plain)
            elif self._markup.size(part[-1].text) > self._limit and not part[-1].is_blank:
                made = self._headed(part[:-1], part[-1])
            else:
                made = [self._message(part)]
            is_cut, why = len(made) > 1, end
            if done < len(pieces) and not all(piece.is_blank for piece in pieces[done:]):
                why = MessageEnd.LONG_TEXT if is_cut else MessageEnd.LIMIT
            elif (is_cut or posts) and end in _FILLED:  # it is not the last part that fills a message
                why = MessageEnd.LONG_TEXT
            posts += self._made(made, part, why)
        return posts

    def _cut(self, pieces: Sequence[TextPiece]) -> Iterator[Sequence[TextPiece]]:
        return messages(pieces, self._limit, self._markup.size)

    def _message(self, pieces: Sequence[TextPiece], text: str | None = None) -> _Message:
        """The message of *pieces*, which shows *text*."""
        raw = wrote(pieces)
        core = raw.strip(WHITESPACE)
        text = shown(pieces) if text is None else text
        joint = self._joint(raw)
        return _Message(text, None if text == core else core, joint)

    def _joint(self, raw: str) -> str:
        """The white space between the last message and *raw*."""
        joint = self._white + raw[: len(raw) - len(raw.lstrip(WHITESPACE))]
        self._white = raw[len(raw.rstrip(WHITESPACE)) :]
        if self._white == raw:  # it is blank
            self._white, joint = joint, ""
        return joint

    def _fitted(self, piece: TextPiece, *, is_plain: bool) -> list[_Message]:
        """The messages of a single *piece*."""
        text = shown([piece])
        if fits(text, self._limit) if self._markup is MARKDOWN else self._markup.size(text) <= self._limit:
            if self._is_casual and is_plain:
                text = explained(humanize(text)[0], "casual")
            return [self._message([piece], text)]
        return self._parted(piece, self._limit)

    def _parted(self, piece: TextPiece, limit: int) -> list[_Message]:
        """The messages of a *piece* that is too long for one."""
        raw, segment = wrote([piece]), piece.segment
        if segment.kind is Kind.PROSE:
            texts = _cut(shown([piece]), limit, self._markup, fit)
        else:
            texts = self._hidden_parts(piece, limit)
        joint = self._joint(raw)
        if segment.source:
            return [_Message(text, "" if number else segment.source, joint) for number, text in enumerate(texts)]
        return _with_joints(raw, piece.text, texts, joint, segment.kind)

    def _hidden_parts(self, piece: TextPiece, limit: int) -> list[str]:
        """The parts of a code block or a table; within a spoiler, each of them is one."""
        segment = piece.segment
        bars = [marks_of(piece, marks) for marks in (segment.opens_in, segment.ends_in)]
        if not any(bars):
            return self._split(piece.text, segment, limit)
        first, last = bars
        hidden = first or last
        texts = self._split(piece.text, segment, limit - 2 * len(hidden))
        opens, ends = [first, *[hidden] * (len(texts) - 1)], [*[hidden] * (len(texts) - 1), last]
        return [enclose(text, *marks) for text, *marks in zip(texts, opens, ends, strict=True)]

    def _headed(self, heading: Sequence[TextPiece], piece: TextPiece) -> list[_Message]:
        """The messages of a *piece* that is too long for one; the first begins with its *heading*."""
        head = self._message(heading)
        gap = self._white
        room = self._limit - self._markup.size(head.text + gap)
        made = self._parted(piece, room if 2 * room > self._limit else self._limit)
        if not made or 2 * room <= self._limit:
            return [head, *made]
        first, *rest = made
        text, said = head.text + gap + first.text, head.said + first.joint + first.said
        return [_Message(text, None if said == text else said, head.joint), *rest]

    def _plain(self, pieces: Sequence[TextPiece]) -> list[_Message]:
        """The messages of a line or a sentence of prose."""
        first = pieces[0]
        raw = wrote(pieces) if len(pieces) > 1 or first.segment.joint or first.segment.source else first.text
        is_marked = bool(first.segment.opens_in or pieces[-1].segment.ends_in)  # it shows marks that were not written
        written = first.text if len(pieces) == 1 else join([piece.text for piece in pieces])
        text = written
        if is_marked:
            text = shown(pieces)
        elif first.context:
            text = explained(first.context + written, "quote")
        lone_words = self._shaper is None
        if self._markup is MARKDOWN:
            parts = split_prose(text, self._degree, self._limit, lone_words=lone_words)
        else:
            room = _room(text, self._limit, self._markup)
            parts = self._fitting(split_prose(text, self._degree, room, lone_words=lone_words), fit)
        if self._is_casual:
            parts = [part for whole in parts for part in self._humanized(whole)]
        joint = self._joint(raw)
        if self._degree == 3 and joint == " ":
            joint = "\n"  # a sentence without its stop needs a line of its own
        if len(parts) == 1 and (text != raw or self._degree == 1):
            text, core = parts[0].text.strip(WHITESPACE), raw.strip(WHITESPACE)
            return [_Message(text, None if text == core else core, joint)]
        made = _with_joints(raw, written, [part.text for part in parts], joint, _PROSE)
        return [message._replace(end=part.end) for message, part in zip(made, parts, strict=True)]

    def _fitting(self, parts: Iterable[Part], split: Callable[[str, int], list[str]]) -> list[Part]:
        """*parts*, each cut as often as it must be to fit as the markup counts."""
        fitted: list[Part] = []
        for part in parts:
            *texts, last = _fitting(part.text, self._limit, self._markup, split)
            fitted += [*map(Part, texts), Part(last, part.end)]
        return fitted

    def _split(self, text: str, segment: Segment, limit: int | None = None) -> list[str]:
        is_plain = self._shaper is None  # as the reference splits sentences
        return _split_for(self._markup, text, segment, self._degree, limit or self._limit, lone_words=is_plain)

    def _humanized(self, part: Part) -> list[Part]:
        pieces = humanize(part.text, self._chance.random, reference=self._shaper is None)
        if not any(piece.strip(WHITESPACE) for piece in pieces):
            return [part]  # it was a lone comma
        *texts, last = (explained(piece, "casual") for piece in pieces)
        cut = [*(Part(text, MessageEnd.CASUAL) for text in texts), Part(last, part.end)]
        return cut if self._markup is MARKDOWN else self._fitting(cut, fit)

    def _in_context(self, segment: Segment) -> str:
        """The text of *segment*; if it continues a line that was cut, with the quote marks of that line."""
        text = segment.text
        if not text.strip(WHITESPACE):
            self._context = ""  # the line that was cut has ended
            return text
        if self._context and segment.kind is Kind.PROSE and not text.startswith("\n"):
            text = explained(self._context + text.lstrip(" "), "quote")
        self._context = ""
        if segment.boundary is Boundary.OVERFLOW and segment.kind is Kind.PROSE:
            # The last line may be over, and empty; a >>> is not.
            self._context = ">>> " if text.startswith(">>> ") else line_context(text.rpartition("\n")[2])
        return text

    # --- from messages to posts ----------------------------------------------------------------

    def _made(
        self, made: Sequence[_Message], pieces: Sequence[TextPiece], end: MessageEnd, file: Attachment | None = None
    ) -> list[Post | Halt]:
        """Give each message its pause and the first one what it answers; end the reply at the limit.

        The last one ends because of *end*.
        """
        posts: list[Post | Halt] = []
        if len(pieces) == 1:
            segments = [pieces[0].segment]
        else:
            segments = [piece.segment for piece in pieces if file or (piece.text and not piece.text.isspace())]
        label = segments[0].label if segments else ""
        for message in made:
            text, source, joint, own_end = message
            if not text.strip(WHITESPACE) and file is None:
                continue
            if self._remainder is not None:
                self._remainder.append(joint + (text if source is None else source))
                continue
            if self._planned >= self._most:
                posts.append(Halt(StopReason.MESSAGE_LIMIT))
                break
            pace = self._pacer.pause_before(text)
            reply = None if self._planned else self._reply_to
            identity, boundary = segments[0].identity, segments[-1].boundary
            self._identity = identity
            post = Post(text, boundary, pace.pause, identity, label, file, reply, source, joint)
            label = ""
            self._planned += 1
            if self._see:
                self._see(post, pace, segments, _reason(end, segments[-1]) if message is made[-1] else own_end)
            if self._has_remainder and self._planned == self._most:
                self._remainder = Remainder(post)
            else:
                posts.append(post)
        if self._remainder is not None:
            self._keep_rest(self._remainder)
        return posts

    def _keep_rest(self, remainder: Remainder) -> None:
        """What the shaper holds comes after the last message."""
        remainder.append(self._white)
        self._white = ""
        for bundle in self._rest(MessageEnd.MESSAGE_LIMIT):
            remainder.append(wrote(bundle.pieces))


def _caption(pieces: Sequence[TextPiece], index: int) -> int:
    """Where the text begins that announces the piece at *index*; *index* itself without one."""
    start = index
    if pieces[index].cut is not Cut.GLUED:
        return index
    while start and pieces[start].cut is not Cut.BLOCK:
        start -= 1
    return start


class _Message(NamedTuple):
    """What people see, and what the model wrote: ``None`` if it is the same, empty if an earlier message has it."""

    text: str
    source: str | None
    joint: str
    """The white space in front of it."""
    end: MessageEnd = MessageEnd.LIMIT
    """Why it ends, if another message of the same text follows."""

    @property
    def said(self) -> str:
        """What the model wrote."""
        return self.text if self.source is None else self.source


def _with_joints(raw: str, written: str, texts: Sequence[str], joint: str, kind: Kind) -> list[_Message]:
    """The messages with *texts*, which *written* was cut into; *joint* is in front of the first.

    *raw* is the same as the model wrote it, before the rules.
    """
    if len(texts) == 1:
        return [_Message(texts[0].strip(WHITESPACE), None, joint)]
    texts = [text.strip(WHITESPACE) for text in texts]
    parts = slices(raw.strip(WHITESPACE), texts, kind) or slices(written.strip(WHITESPACE), texts, kind)
    if parts is None:
        joints = [joint, *(line_end_between(raw, *pair) for pair in pairwise(texts))]
        return [_Message(text, None, joint) for text, joint in zip(texts, joints, strict=False)]  # there may be no text
    made: list[_Message] = []
    for text, part in zip(texts, parts, strict=True):
        said = part.rstrip(WHITESPACE)
        made.append(_Message(text, None if said == text else said, joint))
        joint = part[len(said) :]
    return made


def _reason(end: MessageEnd, last: Segment) -> MessageEnd:
    """*end*, unless the line or block of the *last* segment is so long that the buffer sent it on before it was over."""
    if end not in _BY_ITSELF or last.boundary is not Boundary.OVERFLOW:
        return end
    return MessageEnd.OVERFLOW if last.kind is _PROSE else MessageEnd.CODE_OVERFLOW


def _split(text: str, segment: Segment, degree: int, limit: int, *, lone_words: bool) -> list[str]:
    """*text* of *segment* in messages of at most *limit* UTF-16 units; a table in columns has its header in each."""
    is_table = segment.is_painted and segment.kind is Kind.CODE and not is_formula(segment.source)
    columns = split_columns(text.strip("\n"), limit) if is_table else []
    return columns or split(text, segment.kind, degree, limit, lone_words=lone_words)


def _split_for(markup: Markup, text: str, segment: Segment, degree: int, limit: int, *, lone_words: bool) -> list[str]:
    """The same, with messages of at most *limit* as *markup* counts them."""
    if markup is MARKDOWN:
        return _split(text, segment, degree, limit, lone_words=lone_words)
    return _cut(text, limit, markup, lambda text, limit: _split(text, segment, degree, limit, lone_words=lone_words))


def _cut(text: str, limit: int, markup: Markup, split: Callable[[str, int], list[str]]) -> list[str]:
    """Cut *text* by *split*, which counts UTF-16 units, into messages of at most *limit* as *markup* counts them."""
    if markup is MARKDOWN:
        return split(text, limit)
    room = _room(text, limit, markup)
    return [piece for message in split(text, room) for piece in _fitting(message, limit, markup, split)]


def _room(text: str, limit: int, markup: Markup) -> int:
    """The UTF-16 units of *text* that a message of at most *limit* as *markup* counts holds."""
    if markup is MARKDOWN:
        return limit
    written, shown = units(text), markup.size(text)
    if shown <= limit:
        return max(limit, written)
    # Give each message what it takes on the average, and a little less if some take more.
    return limit if shown == written else max(_SMALLEST, limit * written * 15 // (shown * 16))


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
