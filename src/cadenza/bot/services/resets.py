"""Where conversations were reset: the model does not see what was said in a channel before that."""

from __future__ import annotations

from ...explain.tracebacks import get_logger
from ..store.store import Namespace, Record, Store, StoreError

logger = get_logger(__name__)


class Resets:
    """The resets of all channels. Each is a Discord id: messages with a smaller id came before it."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of(self, channel: str) -> str:
        """The id of the last reset of *channel*; empty if there was none, or the store failed."""
        try:
            record = await self._store.get(Namespace.BOT, _key(channel))
        except StoreError as error:
            logger.warning("the reset of a channel could not be read: %s", error, exc_info=error)
            return ""
        return "" if record is None else str(record.value.get("since", ""))

    async def begin(self, channel: str, since: str, *, server: str = "", person: str = "") -> None:
        """Reset the conversation in *channel* at the id *since*; without a *server* it belongs to *person*."""
        owner = "" if server else person
        await self._store.put(Record(Namespace.BOT, _key(channel), {"since": since}, server=server, owner=owner))


def _key(channel: str) -> str:
    return f"since:{channel}"
