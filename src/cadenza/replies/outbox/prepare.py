"""Prepares a post before it is sent: paints its table or formula, looks up mentioned members, chooses its name.

If any of this fails, the post is sent as planned.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial
from typing import TypeGuard

from ...errors import DeliveryError, Sentence
from ...explain.tracebacks import get_logger
from ...pictures import FormulaPictures, TablePictures
from ...pictures.picture_worker import PictureWorker
from ...settings import RuleSettings
from ...stages.s7_delivery import FormulaPainter, Painter
from ...targets.target import MARKDOWN, GroupsByName, Markup, Target
from ...text import alt_text, tables
from ...text.formulas import is_formula
from ...text.handles import may_mention
from ...text.readable_formulas import in_table
from ...types import Attachment, Post, Receipt, Roster
from .grouping_names import NameContinuity
from .lookups import Lookup

logger = get_logger(__name__)


class Default(Enum):
    """Options that the settings decide."""

    PAINTER = auto()
    """The installed painter, with the fonts of the settings."""
    FORMULA_PAINTER = auto()
    """The installed painter of formulas; none if no pictures of tables are wanted either."""


@dataclass(frozen=True, slots=True)
class PostPreparer:
    """The services that prepare posts. A bot keeps one for all replies, for it caches."""

    painter: Painter | Default | None = Default.PAINTER
    """Makes pictures of tables; without one, tables are shown as text."""
    lookup: Lookup | None = None
    """Finds members that the roster does not know."""
    formula_painter: FormulaPainter | Default | None = Default.FORMULA_PAINTER
    """Makes pictures of formulas; without one, they are shown as text."""
    continuity: NameContinuity = field(default_factory=NameContinuity)
    """Chooses the name under which a sprite is shown."""
    picture_worker: PictureWorker = field(default_factory=PictureWorker)
    """Where the painter works."""

    def under(self, settings: RuleSettings) -> PostPreparer:
        """Return a copy with the painters of *settings*, unless they were given."""
        painter, formula_painter = self.painter, self.formula_painter
        if isinstance(formula_painter, Default):
            wanted = settings.math == "picture" and painter is not None
            formula_painter = FormulaPictures.if_installed() if wanted else None
        if isinstance(painter, Default):
            wanted = settings.tables == "picture"
            painter = TablePictures.if_installed(settings.table_fonts) if wanted else None
        return replace(self, painter=painter, formula_painter=formula_painter)

    async def close(self) -> None:
        """Cancel pending lookups and queued pictures. It stays usable."""
        self.picture_worker.close()
        if self.lookup is not None:
            await self.lookup.close()

    def helps(self, post: Post) -> bool:
        """Return whether *post* needs preparation."""
        return bool(post.instead) or (self.lookup is not None and may_mention(post.text))

    async def prepared(
        self, post: Post, *, roster: Roster, limit: int, markup: Markup = MARKDOWN, place: str = ""
    ) -> list[Post]:
        """Return *post* with its picture or, without one, the posts to send instead.

        Only the first of them is prepared; the others are prepared when they are due.
        """
        if post.instead:
            picture = await self._painted(post)
            if picture:
                return [picture]
        first, *rest = post.instead or (post,)
        addressed = await self._addressed(first, roster, place)
        return [addressed if markup.size(addressed.text) <= limit else first, *rest]

    async def sent(self, post: Post, target: Target) -> Receipt:
        """Send *post* to *target*. Where messages are grouped by name, choose a name that shows the right avatar."""
        receipt = _checked(await target.send(self._dressed(post, target)))
        # The message has arrived: whatever else goes wrong, its receipt counts.
        try:
            if _groups(target):
                self.continuity.note(str(target.channel), receipt.identity, str(receipt.message_id))
        except Exception as error:  # a target's properties are foreign code
            logger.warning("reading the target's channel failed", exc_info=error)
        return receipt

    def _dressed(self, post: Post, target: Target) -> Post:
        if post.identity is None:
            return post
        try:
            if _groups(target):
                last = target.last_message_id
                message_id = None if last is None else str(last)  # many libraries have numbers for ids
                identity = self.continuity.dressed(str(target.channel), post.identity, last_message_id=message_id)
                return replace(post, identity=identity)
        except Exception as error:  # foreign code as well
            logger.warning("reading the target's last message failed", exc_info=error)
        return post

    async def _painted(self, post: Post) -> Post | None:
        paint, name = self._paint(post.picture)
        data = await self.picture_worker.painted(paint) if paint else None
        return (
            replace(post, attachment=Attachment(name, data, alt_text.of_picture(post.picture)), instead=())
            if data
            else None
        )

    def _paint(self, source: str) -> tuple[Callable[[], object] | None, str]:
        """What paints *source*, and the name of the picture."""
        if is_formula(source):
            formula_painter = self.formula_painter
            if formula_painter is None or isinstance(formula_painter, Default):
                return None, ""
            return partial(formula_painter.paint, source), "formula.png"
        painter, table = self.painter, tables.parse(in_table(source))
        if painter is None or isinstance(painter, Default) or table is None:
            return None, ""
        return partial(painter.paint, table), "table.png"

    async def _addressed(self, post: Post, roster: Roster, place: str) -> Post:
        if self.lookup is None or not may_mention(post.text):
            return post
        return replace(post, text=await self.lookup.resolve(post.text, roster, place))


def _checked(receipt: object) -> Receipt:
    """Return *receipt* if it is one: a target is foreign code."""
    if isinstance(receipt, Receipt):
        return receipt
    msg = Sentence(
        "the target's 'send' returned {receipt_type}; it must return a Receipt", receipt_type=type(receipt).__name__
    )
    raise DeliveryError(msg)


def _groups(target: object) -> TypeGuard[GroupsByName]:
    """Return whether *target* is a ``GroupsByName``; ``isinstance`` of a protocol is slow for every message."""
    return hasattr(target, "channel") and hasattr(target, "last_message_id")
