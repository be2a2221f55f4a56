"""A target that keeps messages in memory: for tests, and for callers that want the messages themselves."""

from __future__ import annotations

from ..types import Identity, Notice, Post, Receipt
from .target import Limits


class MemoryTarget:
    """Keeps what it is sent, in order."""

    def __init__(self, *, limits: Limits | None = None) -> None:
        self._limits = limits or Limits()
        self.posts: list[Post] = []
        self.notices: list[Notice] = []
        self._sent = 0

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
        self._sent += 1
        return Receipt(post, str(self._sent), identity=post.identity)

    async def notify(self, notice: Notice, /) -> None:
        """Keep *notice*, apart from the messages."""
        self.notices.append(notice)

    async def remove(self, receipt: Receipt, /) -> None:
        """Forget the message of *receipt*."""
        self.posts = [post for post in self.posts if post is not receipt.post]

    async def typing(self, identity: Identity | None, /) -> None:
        """Do nothing."""
