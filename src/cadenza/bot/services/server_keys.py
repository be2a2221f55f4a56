"""Keys that servers have for vendors of models: sealed when they are kept, opened only where a model is asked."""

from __future__ import annotations

import logging
import re
from collections.abc import Mapping
from types import MappingProxyType

from ...errors import InputError
from ...models.vendor_rows import VENDORS, Vendor
from ..store.sealing import Seal
from ..store.store import Record, Shelf, Store, StoreError

logger = logging.getLogger(__name__)

_PARTING = re.compile(r"[\s,]+")
"""What parts several keys of one text."""
_KEY = re.compile(r"[!-~]{8,2000}")
"""What can be sent in a header."""
_SEALED = "sealed"


def wallets() -> tuple[str, ...]:
    """The vendors that a server can have a key for; of several that take the same keys, the first."""
    return tuple(dict.fromkeys(wallet for vendor in VENDORS.values() if (wallet := wallet_of(vendor.name))))


def wallet_of(vendor: str) -> str:
    """Under whose name keys for *vendor* are kept; empty if no server can have one.

    A vendor without an address of its own would send the key wherever the address leads that somebody else has chosen.
    """
    row = VENDORS.get(vendor.lower())
    if row is None or not _takes_keys(row):
        return ""
    return next(other.name for other in VENDORS.values() if _takes_keys(other) and _same_keys(row, other))


def parted(text: str) -> tuple[str, ...]:
    """The keys in *text*, which commas and spaces part."""
    return tuple(filter(None, _PARTING.split(text)))


class ServerKeys:
    """The keys of all servers."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store = store
        self._seal = seal

    async def keep(self, server: str, vendor: str, text: str) -> None:
        """Keep the keys in *text* for *vendor*, instead of those that *server* had for it."""
        wallet, secrets = wallet_of(vendor), parted(text)
        if not wallet:
            msg = "there is no vendor of that name that a server can have a key for"
            raise InputError(msg)
        if not secrets or not all(map(_KEY.fullmatch, secrets)):
            msg = "that does not look like a key; copy it whole from the vendor's page, and nothing else"
            raise InputError(msg)
        sealed = self._seal.seal(" ".join(secrets))
        await self._store.put(Record(Shelf.KEYS, f"{server}/{wallet}", {_SEALED: sealed}, server=server))

    async def remove(self, server: str, vendor: str) -> bool:
        """Forget the keys that *server* has for *vendor*; say whether there were any."""
        return bool(await self._store.delete(Shelf.KEYS, f"{server}/{wallet_of(vendor) or vendor}"))

    async def vendors(self, server: str) -> tuple[str, ...]:
        """For whom *server* has keys."""
        records = await self._store.find(Shelf.KEYS, prefix=f"{server}/")
        return tuple(record.key.partition("/")[2] for record in records)

    async def of(self, server: str) -> Mapping[str, tuple[str, ...]]:
        """The keys of *server* by vendor. Never raises: what cannot be read is as if it were not there."""
        if not server:
            return MappingProxyType({})
        try:
            records = await self._store.find(Shelf.KEYS, prefix=f"{server}/")
        except StoreError:
            logger.warning("the keys of a server could not be read; the operator's are used")
            return MappingProxyType({})
        opened = {record.key.partition("/")[2]: self._opened(record) for record in records}
        return MappingProxyType({vendor: secrets for vendor, secrets in opened.items() if secrets})

    def _opened(self, record: Record) -> tuple[str, ...]:
        try:
            return parted(self._seal.open(str(record.value.get(_SEALED, ""))))
        except StoreError:
            logger.warning("a key of a server cannot be opened with the key of this bot; it is passed over")
            return ()


def _takes_keys(vendor: Vendor) -> bool:
    return bool(vendor.key_variables and vendor.url) and not vendor.is_local


def _same_keys(one: Vendor, other: Vendor) -> bool:
    return one.key_variables == other.key_variables
