"""Where conversations began anew: what was said in a channel before is not told to a model any more."""

from __future__ import annotations

import logging

from ..store.store import Record, Shelf, Store, StoreError

logger = logging.getLogger(__name__)


class Resets:
    """The beginnings of all channels, each an id of Discord: whatever has a smaller one was before it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, channel: str) -> str:
        """With what the conversation before was over; empty if it never began anew, or nobody can tell."""
        try:
            record = await self._store.get(Shelf.BOT, _key(channel))
        except StoreError as error:
            logger.warning("it is not known where a conversation began: %s", error)
            return ""
        return "" if record is None else str(record.value.get("since", ""))

    async def begin(self, channel: str, since: str, *, server: str = "", person: str = "") -> None:
        """The conversation in *channel* begins anew with *since*; without a *server* it is that of a *person*."""
        owner = "" if server else person
        await self._store.put(Record(Shelf.BOT, _key(channel), {"since": since}, server=server, owner=owner))


def _key(channel: str) -> str:
    return f"since:{channel}"
