"""API keys of servers: sealed in the store, opened only to ask a model."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from ...errors import InputError
from ...explain.tracebacks import get_logger
from ...models.vendor_rows import VENDORS, Vendor
from ..store.sealing import Seal
from ..store.store import Namespace, Record, Store, StoreError

logger = get_logger(__name__)

_SEPARATOR = re.compile(r"[\s,]+")
_KEY = re.compile(r"[!-~]{8,2000}")
"""What an HTTP header can carry."""
_SEALED = "sealed"


def wallets() -> tuple[str, ...]:
    """The vendors that a server can have a key for; of several that share keys, the first."""
    return tuple(dict.fromkeys(wallet for vendor in VENDORS.values() if (wallet := wallet_of(vendor.name))))


def wallet_of(vendor: str) -> str:
    """The vendor under whose name keys for *vendor* are stored; empty if a server cannot have one.

    A vendor without a fixed address is excluded: the key would go to an address that someone else has chosen.
    """
    row = VENDORS.get(vendor.lower())
    if row is None or not _takes_keys(row):
        return ""
    return next(other.name for other in VENDORS.values() if _takes_keys(other) and _same_keys(row, other))


def split_keys(text: str) -> tuple[str, ...]:
    """The keys in *text*, separated by commas or spaces."""
    return tuple(filter(None, _SEPARATOR.split(text)))


class ServerKeys:
    """The keys of all servers."""

    def __init__(self, store: Store, seal: Seal) -> None:
        self._store = store
        self._seal = seal

    async def keep(self, server: str, vendor: str, text: str) -> None:
        """Store the keys in *text* for *vendor*, replacing those that *server* had."""
        wallet, secrets = wallet_of(vendor), split_keys(text)
        if not wallet:
            msg = "there is no vendor of that name that a server can have a key for"
            raise InputError(msg)
        if not secrets or not all(map(_KEY.fullmatch, secrets)):
            msg = "that does not look like a key; copy it whole from the vendor's page, and nothing else"
            raise InputError(msg)
        sealed = self._seal.seal(" ".join(secrets))
        await self._store.put(Record(Namespace.KEYS, f"{server}/{wallet}", {_SEALED: sealed}, server=server))

    async def remove(self, server: str, vendor: str) -> bool:
        """Delete the keys of *server* for *vendor*; return whether there were any."""
        return bool(await self._store.delete(Namespace.KEYS, f"{server}/{wallet_of(vendor) or vendor}"))

    async def vendors(self, server: str) -> tuple[str, ...]:
        """The vendors for which *server* has keys."""
        records = await self._store.find(Namespace.KEYS, prefix=f"{server}/")
        return tuple(record.key.partition("/")[2] for record in records)

    async def of(self, server: str) -> Mapping[str, tuple[str, ...]]:
        """The keys of *server* by vendor. Never raises: keys that cannot be read are left out."""
        if not server:
            return MappingProxyType({})
        try:
            records = await self._store.find(Namespace.KEYS, prefix=f"{server}/")
        except StoreError as error:
            logger.warning("the keys of a server could not be read; the operator's are used", exc_info=error)
            return MappingProxyType({})
        opened = {record.key.partition("/")[2]: self._opened(record) for record in records}
        return MappingProxyType({vendor: secrets for vendor, secrets in opened.items() if secrets})

    def _opened(self, record: Record) -> tuple[str, ...]:
        try:
            return split_keys(self._seal.open(str(record.value.get(_SEALED, ""))))
        except StoreError:
            logger.warning("a key of a server cannot be opened with the key of this bot and is not used")
            return ()


def _takes_keys(vendor: Vendor) -> bool:
    return bool(vendor.key_variables and vendor.url) and not vendor.is_local


def _same_keys(one: Vendor, other: Vendor) -> bool:
    return one.key_variables == other.key_variables
