"""What happens to a message before it goes out: its picture is made, people are looked up, its name is chosen.

All of it is a courtesy. Whatever goes wrong here, the message goes out as it was planned.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace

from .lookups import Lookup
from .personas import Continuity
from .pictures import TablePictures
from .stages.s7_delivery import Grouping, Painter, Target
from .text import tables
from .text.units import fits
from .types import Attachment, Post, Receipt, Roster


@dataclass(frozen=True, slots=True)
class Backstage:
    """Who helps with a message before it goes out. One for a bot: what it remembers is good for every reply."""

    painter: Painter | None = field(default_factory=TablePictures.if_installed)
    """Makes pictures of tables; without one they are shown as text."""
    lookup: Lookup | None = None
    """Finds people whom the roster does not know."""
    continuity: Continuity = field(default_factory=Continuity)
    """Remembers under which name a look was shown last."""

    def helps(self, post: Post) -> bool:
        """Whether there is anything to prepare for *post*."""
        return bool(post.instead) or (self.lookup is not None and "@" in post.text)

    async def prepared(self, post: Post, *, roster: Roster, limit: int) -> list[Post]:
        """*post* as it can go out: with its picture or, if there can be none, what is shown instead."""
        if post.instead:
            picture = await self._painted(post)
            if picture:
                return [picture]
        return [await self._addressed(text, roster, limit) for text in post.instead or (post,)]

    async def sent(self, post: Post, target: Target) -> Receipt:
        """Send *post* to *target*; one that groups by name gets a name that keeps the faces apart."""
        if not isinstance(target, Grouping):
            return await target.send(post)
        if post.identity is not None:
            name = self.continuity.dressed(target.channel, post.identity, last_message_id=target.last_message_id)
            post = replace(post, identity=name)
        receipt = await target.send(post)
        self.continuity.note(target.channel, receipt.identity, receipt.message_id)
        return receipt

    async def _painted(self, post: Post) -> Post | None:
        painter, table = self.painter, tables.parse(post.source)
        if painter is None or table is None:
            return None
        try:
            data = await asyncio.to_thread(painter.paint, table)
        except Exception:  # noqa: BLE001  # a painter is foreign code, and there is a text instead
            return None
        return replace(post, attachment=Attachment("table.png", data), instead=()) if data else None

    async def _addressed(self, post: Post, roster: Roster, limit: int) -> Post:
        if self.lookup is None or "@" not in post.text:
            return post
        text = await self.lookup.resolve(post.text, roster)
        return replace(post, text=text) if fits(text, limit) else post
