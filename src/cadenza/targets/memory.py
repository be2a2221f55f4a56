"""A target that only remembers: for tests, and for whoever wants the messages rather than a chat."""

from __future__ import annotations

from ..stages.s7_delivery import Limits
from ..types import Identity, Post, Receipt


class MemoryTarget:
    """Keeps what it is sent, in order."""

    def __init__(self, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.posts: list[Post] = []

    @property
    def limits(self) -> Limits:
        """What it can take."""
        return self._limits

    @property
    def texts(self) -> list[str]:
        """The text of each message."""
        return [post.text for post in self.posts]

    async def send(self, post: Post, /) -> Receipt:
        """Keep *post*."""
        self.posts.append(post)
        return Receipt(post, str(len(self.posts)), identity=post.identity)

    async def typing(self, identity: Identity | None, /) -> None:
        """Nobody is watching."""
