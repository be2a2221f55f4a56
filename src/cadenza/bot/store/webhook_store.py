"""The webhooks of personas, kept over a restart with their tokens sealed."""

from __future__ import annotations

from collections.abc import Callable

from .sealing import Seal
from .store import Record, Shelf, Store, StoreError


class StoredWebhooks:
    """A ``WebhookStore`` of ``targets.webhooks`` in *store*. *server_of* tells the server of a channel, with which it goes."""

    def __init__(self, store: Store, seal: Seal, *, server_of: Callable[[str], str] = lambda _: "") -> None:
        self._store = store
        self._seal = seal
        self._server_of = server_of

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        """The id and the token of the webhook of *channel*; one that cannot be read is forgotten."""
        record = await self._store.get(Shelf.WEBHOOKS, channel)
        if record is None:
            return None
        match record.value:
            case {"id": str(id_), "token": str(sealed)}:
                try:
                    return id_, self._seal.open(sealed)
                except StoreError:  # sealed with a key that is gone: Discord tells the token again
                    pass
            case _:
                pass
        await self.forget(channel)
        return None

    async def save(self, channel: str, id_: str, token: str, /) -> None:
        """Keep the webhook of *channel*, instead of the one that was kept."""
        value = {"id": id_, "token": self._seal.seal(token)}
        await self._store.put(Record(Shelf.WEBHOOKS, channel, value, server=self._server_of(channel)))

    async def forget(self, channel: str, /) -> None:
        """Keep none for *channel*."""
        await self._store.delete(Shelf.WEBHOOKS, channel)
