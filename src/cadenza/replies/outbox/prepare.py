"""What happens to a message before it goes out: its picture is made, people are looked up, its name is chosen.

All of it is a courtesy. Whatever goes wrong here, the message goes out as it was planned.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import partial
from typing import TypeGuard

from ...errors import DeliveryError
from ...pictures import TablePictures
from ...pictures.picture_worker import PictureWorker
from ...settings import RuleSettings
from ...stages.s7_delivery import Grouping, Painter, Target
from ...text import tables
from ...text.handles import may_call
from ...text.units import fits
from ...types import Attachment, Post, Receipt, Roster
from .grouping_names import NameContinuity
from .lookups import Lookup


class Default(Enum):
    """What the settings decide."""

    PAINTER = auto()
    """One that is installed, with the fonts that the settings name."""


@dataclass(frozen=True, slots=True)
class PostPreparer:
    """Who helps with a message before it goes out. One for a bot: what it remembers is good for every reply."""

    painter: Painter | Default | None = Default.PAINTER
    """Makes pictures of tables; without one they are shown as text."""
    lookup: Lookup | None = None
    """Finds people whom the roster does not know."""
    continuity: NameContinuity = field(default_factory=NameContinuity)
    """Remembers under which name a look was shown last."""
    studio: PictureWorker = field(default_factory=PictureWorker)
    """Where the painter works."""

    def under(self, settings: RuleSettings) -> PostPreparer:
        """The same, with the painter that *settings* want if none was named."""
        if self.painter is not Default.PAINTER:
            return self
        wanted = settings.tables == "picture"
        return replace(self, painter=TablePictures.if_installed(settings.table_fonts) if wanted else None)

    async def close(self) -> None:
        """End the questions that are still open, and begin no more pictures. What is sent after it is still helped."""
        self.studio.close()
        if self.lookup is not None:
            await self.lookup.close()

    def helps(self, post: Post) -> bool:
        """Whether there is anything to prepare for *post*."""
        return bool(post.instead) or (self.lookup is not None and may_call(post.text))

    async def prepared(self, post: Post, *, roster: Roster, limit: int, place: str = "") -> list[Post]:
        """What goes out for *post*: itself with its picture or, if there can be none, what is shown instead.

        Only the first is ready; the others are to be prepared when it is their turn.
        """
        if post.instead:
            picture = await self._painted(post)
            if picture:
                return [picture]
        first, *rest = post.instead or (post,)
        return [await self._addressed(first, roster, limit, place), *rest]

    async def sent(self, post: Post, target: Target) -> Receipt:
        """Send *post* to *target*; one that groups by name gets a name that keeps the faces apart."""
        receipt = _checked(await target.send(self._dressed(post, target)))
        # The message has arrived: whatever else goes wrong, its receipt counts.
        with suppress(Exception):
            if _groups(target):
                self.continuity.note(str(target.channel), receipt.identity, str(receipt.message_id))
        return receipt

    def _dressed(self, post: Post, target: Target) -> Post:
        if post.identity is None:
            return post
        with suppress(Exception):  # a target's properties are foreign code
            if _groups(target):
                last = target.last_message_id
                message_id = None if last is None else str(last)  # many libraries have numbers for ids
                identity = self.continuity.dressed(str(target.channel), post.identity, last_message_id=message_id)
                return replace(post, identity=identity)
        return post

    async def _painted(self, post: Post) -> Post | None:
        painter, table = self.painter, tables.parse(post.source or "")
        if painter is None or isinstance(painter, Default) or table is None:
            return None
        data = await self.studio.painted(partial(painter.paint, table))
        return replace(post, attachment=Attachment("table.png", data), instead=()) if data else None

    async def _addressed(self, post: Post, roster: Roster, limit: int, place: str) -> Post:
        if self.lookup is None or not may_call(post.text):
            return post
        text = await self.lookup.resolve(post.text, roster, place)
        return replace(post, text=text) if fits(text, limit) else post


def _checked(receipt: object) -> Receipt:
    """*receipt*, if a target gave one back: it is foreign code."""
    if isinstance(receipt, Receipt):
        return receipt
    msg = f"the target gave back {type(receipt).__name__} for a message; let 'send' give back a Receipt"
    raise DeliveryError(msg)


def _groups(target: object) -> TypeGuard[Grouping]:
    """Whether *target* is a ``Grouping``: it is asked for every message, and ``isinstance`` of a protocol takes long."""
    return hasattr(target, "channel") and hasattr(target, "last_message_id")
