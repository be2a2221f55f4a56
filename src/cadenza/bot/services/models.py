"""The models of a bot by their names, connected when they are first asked, with the right keys."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ...concurrency.tasks import must_rise
from ...errors import SettingsError
from ...models.connect import connect
from ...models.fallback import ModelSource
from ...models.keys import Keyring, ready_in
from ...models.model import Model
from ...models.vendor_rows import VENDORS
from ...settings import from_environment
from ..config.config import Config, ModelConfig
from ..config.current import Current
from ..store.sealing import Seal
from ..store.store import Store
from .server_keys import ServerKeys, parted, wallet_of

if TYPE_CHECKING:
    from ...models.http import Http

logger = logging.getLogger(__name__)

_FROM_FILES = ("script", "local")
"""Vendors whose models are files of this machine: nothing that is named or chosen in a chat."""
_MODEL_NAME = re.compile(r"(?!.*\.\.)[\w][\w.:/@+-]{0,99}", re.ASCII)
_MOST_OF_SERVERS = 256
"""How many ways with keys of servers are kept; the oldest is made again when it is needed. They hold nothing open."""


@dataclass(frozen=True, slots=True)
class _Way:
    """How a model is reached; two that are equal are one."""

    name: str
    model: str
    url: str
    server: str
    """Whose keys they are; empty is the operator."""
    secrets: tuple[str, ...] = field(repr=False)
    variable: str = ""
    """Where the operator's key should stand, if one must."""

    @property
    def vendor(self) -> str:
        return _vendor(self.model)


@dataclass(frozen=True, slots=True)
class _Retired:
    """What is closed once nobody can be using it any more."""

    close_at: float
    models: tuple[Model, ...]
    http: Http | None


class ModelRegistry:
    """One for a bot. A server may have keys of its own, which are asked before the operator's."""

    def __init__(
        self, current: Current, store: Store, seal: Seal, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.keys = ServerKeys(store, seal)
        """The keys of servers."""
        self._current = current
        self._clock = clock
        self._models: dict[_Way, Model] = {}
        self._rings: dict[tuple[str, str, tuple[str, ...]], Keyring] = {}
        self._http: Http | None = None
        self._retired: list[_Retired] = []
        current.listen(self._changed)

    # --- what there is ------------------------------------------------------------------------

    def names(self) -> tuple[str, ...]:
        """What can be chosen: the named ones, the default and its fallbacks; no file of this machine is shown by its path."""
        models = self._current.now.models
        others = (name for name in (models.default, *models.fallbacks) if name and not _is_path(name))
        return tuple(dict.fromkeys((*models.named, *others)))

    async def may_choose(self, name: str, server: str) -> bool:
        """Whether *server* may have *name* answer: it is on offer, or of a vendor for whom the server has a key."""
        if name in self.names():
            return True
        return _is_plain(name) and wallet_of(_vendor(name)) in await self.keys.vendors(server)

    def settings_of(self, name: str) -> Mapping[str, object]:
        """The settings that hold when *name* (empty is the default) answers; give them to ``settings_for``."""
        return self._spec(name or self._current.now.models.default).settings

    # --- asking ---------------------------------------------------------------------------------

    async def sources(self, name: str, server: str = "") -> Sequence[ModelSource]:
        """Who is asked for *name* (empty is the default) and who then, for ``reply``; ``SettingsError`` if nobody.

        In the place of a name that is not on offer, or not any more, comes the default.
        """
        await self._clear_away()
        keys = await self.keys.of(server)
        ways = [way for one in self._chain(name, server, keys) for way in self._ways(one, server, keys)]
        if not ways:
            msg = "no model is named that could be asked; name one in cadenza.toml as default under [models]"
            raise SettingsError(msg)
        return tuple(partial(self._model, way) for way in ways)

    async def resting(self, name: str, server: str = "") -> float:
        """For how many seconds *name* itself (empty is the default) cannot be asked; 0 if it can be, or was not yet."""
        ways = self._ways(name or self._current.now.models.default, server, await self.keys.of(server))
        return min((ready_in(self._models[way]) if way in self._models else 0.0 for way in ways), default=0.0)

    async def is_known(self, name: str, server: str = "") -> bool:
        """Whether *name* can be asked at all, and is not replaced by the default."""
        return bool(self._ways(name, server, await self.keys.of(server)))

    async def close(self) -> None:
        """Close every way to a model."""
        self._retire(self._models, close_at=-1.0, with_http=True)
        self._rings.clear()
        retired, self._retired = self._retired, []
        await _close(retired)

    # --- from a name to ways ---------------------------------------------------------------------

    def _chain(self, name: str, server: str, keys: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
        """The names that are asked, in their order."""
        models = self._current.now.models
        if name and not self._ways(name, server, keys):
            logger.warning("a model was chosen that is not on offer; the default answers instead")
            name = ""
        return dict.fromkeys(filter(None, (name or models.default, *models.fallbacks)))

    def _ways(self, name: str, server: str, keys: Mapping[str, tuple[str, ...]]) -> list[_Way]:
        """How *name* is reached: with the server's own *keys*, then with the operator's. None if it may not be asked."""
        spec, ways = self._spec(name), list[_Way]()
        is_offered = name in self._offered()
        if not spec.url and (is_offered or _is_plain(name)):
            secrets = keys.get(wallet_of(_vendor(spec.model)), ())
            ways += [_Way(name, spec.model, "", server, secrets)] if secrets else []
        if is_offered:
            own = _operators(name, spec)
            # Who has no key here is asked only to be told so, which nobody wants to hear behind a server's own.
            ways += [own] if own.secrets or not own.variable or not ways else []
        return ways

    def _offered(self) -> set[str]:
        """All names that the operator has written down."""
        config = self._current.now
        personas = (persona.model for persona in config.personas)
        return {*config.models.named, config.models.default, *config.models.fallbacks, *personas} - {""}

    def _spec(self, name: str) -> ModelConfig:
        return self._current.now.models.named.get(name) or ModelConfig(name)

    # --- from a way to a model ---------------------------------------------------------------------

    def _model(self, way: _Way) -> Model:
        """The model at the end of *way*, connected if it is not yet."""
        if way not in self._models:
            self._models[way] = self._connected(way)
            self._let_go()
        return self._models[way]

    def _let_go(self) -> None:
        """Keep no more ways with keys of servers than there is room for, and no ring that belongs to none."""
        of_servers = [way for way in self._models if way.server]
        for way in of_servers[:-_MOST_OF_SERVERS]:
            del self._models[way]
        if len(self._rings) > 2 * _MOST_OF_SERVERS:
            used = {id(model.keyring) for model in self._models.values()}
            self._rings = {place: ring for place, ring in self._rings.items() if id(ring) in used}

    def _connected(self, way: _Way) -> Model:
        if way.variable and not way.secrets:
            msg = f"the model {way.name!r} needs a key; put it into the environment as {way.variable}"
            raise SettingsError(msg)
        config = self._current.now
        model = connect(
            _seen_from(config, way.model),
            keyring=self._ring(way),
            url=way.url or None,
            settings=config.settings,
            http=self._shared_http(),
        )
        return replace(model, name=way.name)

    def _ring(self, way: _Way) -> Keyring | None:
        """The keys for *way*, shared by all who are asked with them."""
        if not way.secrets:
            return None
        place = (way.url or wallet_of(way.vendor) or way.vendor, way.server, way.secrets)
        if place not in self._rings:
            self._rings[place] = Keyring(way.secrets, self._current.now.settings.turn)
        return self._rings[place]

    def _shared_http(self) -> Http:
        if self._http is None:
            from ...models.http import Http as Way  # noqa: PLC0415  # it takes long to import, and a bot that is idle asks nobody

            self._http = Way(self._current.now.settings.http)
        return self._http

    # --- a new configuration -----------------------------------------------------------------------

    def _changed(self, before: Config, after: Config) -> None:
        """Put away what is not named any more, or named otherwise; whoever is asking it now may ask to the end."""
        close_at = self._clock() + before.settings.turn.turn_timeout
        is_new = (before.settings.http, before.settings.turn, before.folder) != (
            after.settings.http,
            after.settings.turn,
            after.folder,
        )
        if is_new:
            self._rings.clear()
        gone = self._models if is_new else list(self._outdated())
        self._retire(gone, close_at=close_at, with_http=before.settings.http != after.settings.http)

    def _outdated(self) -> Iterator[_Way]:
        offered = self._offered()
        for way in self._models:
            spec = self._spec(way.name)
            is_named = way.name in offered or (way.server and _is_plain(way.name))
            if not is_named or (spec.model, spec.url) != (way.model, way.url):
                yield way

    def _retire(self, ways: Iterable[_Way], *, close_at: float, with_http: bool) -> None:
        models = tuple(self._models.pop(way) for way in tuple(ways))
        http, self._http = (self._http, None) if with_http else (None, self._http)
        if models or http:
            self._retired.append(_Retired(close_at, models, http))

    async def _clear_away(self) -> None:
        """Close what was put away so long ago that no reply can still be using it."""
        now = self._clock()
        due = [retired for retired in self._retired if retired.close_at <= now]
        self._retired = [retired for retired in self._retired if retired.close_at > now]
        await _close(due)


def _operators(name: str, spec: ModelConfig) -> _Way:
    """The way to a model of the configuration, with the operator's keys."""
    row = VENDORS.get(_vendor(spec.model))
    variables = (spec.key_env,) if spec.key_env else row.key_variables if row else ()
    needs_none = not spec.key_env and (row is None or row.is_local or bool(spec.url) or not row.url)
    secrets = parted(from_environment(variables)) if variables else ()
    return _Way(name, spec.model, spec.url, "", secrets, "" if needs_none else " or ".join(variables))


async def _close(retired: Iterable[_Retired]) -> None:
    for one in retired:
        for opened in (*one.models, one.http):
            if opened is None:
                continue
            try:
                await opened.close()
            except BaseException as error:
                if must_rise(error):
                    raise
                logger.warning("a way to a model could not be closed (%s)", type(error).__name__)


def _vendor(model: str) -> str:
    return model.partition(":")[0].strip().lower()


def _is_path(name: str) -> bool:
    return _vendor(name) in _FROM_FILES and bool(name.partition(":")[2].strip())


def _is_plain(name: str) -> bool:
    """Whether *name* names a vendor that servers can have keys for, and a model of it: no file, and no address."""
    vendor, sign, model = name.partition(":")
    return bool(sign and wallet_of(vendor) and _MODEL_NAME.fullmatch(model)) and "//" not in model


def _seen_from(config: Config, model: str) -> str:
    """*model*, and if it is a file, where that is seen from the folder of the configuration."""
    if not _is_path(model):
        return model
    vendor, _, path = (part.strip() for part in model.partition(":"))
    is_packaged = vendor.lower() == "local" and path == "smollm2"
    return model if is_packaged or path.startswith("~") else f"{vendor}:{config.folder / path}"
