"""Asking again with less: which parameters are left out when an interface does not like a request, and in which order."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from ..errors import ProviderError
from ..types import HttpRequest


class Ladder:
    """The rungs of one request. See ``stages.s3_chunks.Attempts``."""

    def __init__(
        self,
        request: HttpRequest,
        *,
        key: str,
        mandatory: Collection[str] = (),
        priority: Sequence[str] = (),
        is_router: bool = False,
        opaque_5xx: bool = False,
        is_custom: bool = False,
    ) -> None:
        self.request = request
        self.key = key
        self.lesson = ""
        _ = mandatory, priority, is_router, opaque_5xx, is_custom

    def recall(self, lesson: str, /) -> None:
        """Begin where an earlier request ended."""

    def degrade(self, error: ProviderError, /) -> bool:  # noqa: ARG002
        """Take the next request, if *error* is one that it may cure."""
        return False
