"""The webhooks of personas, stored across restarts with sealed tokens."""

from __future__ import annotations

from collections.abc import Callable

from .sealing import Seal
from .store import Namespace, Record, Store, StoreError


class StoredWebhooks:
    """A ``WebhookStore`` of ``targets.webhooks`` in *store*. *server_of* gives the server of a channel."""

    def __init__(self, store: Store, seal: Seal, *, server_of: Callable[[str], str] = lambda _: "") -> None:
        self._store = store
        self._seal = seal
        self._server_of = server_of

    async def load(self, channel: str, /) -> tuple[str, str] | None:
        """The id and token of the webhook of *channel*; one that cannot be read is deleted."""
        record = await self._store.get(Namespace.WEBHOOKS, channel)
        if record is None:
            return None
        match record.value:
            case {"id": str(id_), "token": str(sealed)}:
                try:
                    return id_, self._seal.open(sealed)
                except StoreError:  # the key is gone; Discord can return the token again
                    pass
            case _:
                pass
        await self.forget(channel)
        return None

    async def save(self, channel: str, id_: str, token: str, /) -> None:
        """Store the webhook of *channel*, replacing an earlier one."""
        value = {"id": id_, "token": self._seal.seal(token)}
        await self._store.put(Record(Namespace.WEBHOOKS, channel, value, server=self._server_of(channel)))

    async def forget(self, channel: str, /) -> None:
        """Delete the webhook of *channel*."""
        await self._store.delete(Namespace.WEBHOOKS, channel)
