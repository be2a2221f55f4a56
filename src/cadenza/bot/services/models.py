"""The models of a bot by name, connected on first use with the right keys."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from ...concurrency.tasks import must_rise
from ...errors import Sentence, SettingsError
from ...explain.tracebacks import get_logger
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
from .server_keys import ServerKeys, split_keys, wallet_of

if TYPE_CHECKING:
    from ...models.http import Http

logger = get_logger(__name__)

_FROM_FILES = ("script", "local")
"""Vendors whose models are local files: never shown by path, never chosen in a chat."""
_MODEL_NAME = re.compile(r"(?!.*\.\.)[\w][\w.:/@+-]{0,99}", re.ASCII)
_MOST_OF_SERVERS = 256
"""How many routes with servers' keys are kept; an older one is connected again on use. They hold nothing open."""


@dataclass(frozen=True, slots=True)
class _Route:
    """How a model is reached: its address and keys. Equal routes share one connection."""

    name: str
    model: str
    url: str
    server: str
    """The server that owns the keys; empty is the operator."""
    secrets: tuple[str, ...] = field(repr=False)
    variable: str = ""
    """The environment variable for the operator's key, if one is needed."""

    @property
    def vendor(self) -> str:
        return _vendor(self.model)


@dataclass(frozen=True, slots=True)
class _Retired:
    """Models and a client to close once no reply can be using them."""

    close_at: float
    models: tuple[Model, ...]
    http: Http | None


class ModelRegistry:
    """The models of one bot. A server's own keys are used before the operator's."""

    def __init__(
        self, current: Current, store: Store, seal: Seal, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.keys = ServerKeys(store, seal)
        """The keys of servers."""
        self._current = current
        self._clock = clock
        self._models: dict[_Route, Model] = {}
        self._keyrings: dict[tuple[str, str, tuple[str, ...]], Keyring] = {}
        self._http: Http | None = None
        self._retired: list[_Retired] = []
        current.listen(self._changed)

    # --- names --------------------------------------------------------------------------------

    def names(self) -> tuple[str, ...]:
        """The names to choose from: configured ones, the default and its fallbacks, without paths of local files."""
        models = self._current.now.models
        others = (name for name in (models.default, *models.fallbacks) if name and not _is_path(name))
        return tuple(dict.fromkeys((*models.named, *others)))

    async def may_choose(self, name: str, server: str) -> bool:
        """Whether *server* may choose *name*: it is configured, or the server has a key for its vendor."""
        if name in self.names():
            return True
        return _is_plain(name) and wallet_of(_vendor(name)) in await self.keys.vendors(server)

    def settings_of(self, name: str) -> Mapping[str, object]:
        """The settings of the model *name* (empty is the default), for ``settings_for``."""
        return self._spec(name or self._current.now.models.default).settings

    # --- asking ---------------------------------------------------------------------------------

    async def sources(self, name: str, server: str = "") -> Sequence[ModelSource]:
        """The model *name* (empty is the default) and its fallbacks, for ``reply``; ``SettingsError`` if there is none.

        A name that is not available, or not any more, is replaced by the default.
        """
        await self._close_retired()
        keys = await self.keys.of(server)
        routes = [route for one in self._chain(name, server, keys) for route in self._routes(one, server, keys)]
        if not routes:
            msg = "no model is configured; name one in cadenza.toml as default under [models]"
            raise SettingsError(msg)
        return tuple(partial(self._model, route) for route in routes)

    async def cooldown(self, name: str, server: str = "") -> float:
        """The cooldown of *name* itself (empty is the default) in seconds; 0 if it is ready, or was never used."""
        routes = self._routes(name or self._current.now.models.default, server, await self.keys.of(server))
        return min((ready_in(self._models[route]) if route in self._models else 0.0 for route in routes), default=0.0)

    async def is_known(self, name: str, server: str = "") -> bool:
        """Whether *name* is available, so that the default does not replace it."""
        return bool(self._routes(name, server, await self.keys.of(server)))

    async def close(self) -> None:
        """Close all models and the HTTP client."""
        self._retire(self._models, close_at=-1.0, with_http=True)
        self._keyrings.clear()
        retired, self._retired = self._retired, []
        await _close(retired)

    # --- from a name to routes ---------------------------------------------------------------------

    def _chain(self, name: str, server: str, keys: Mapping[str, tuple[str, ...]]) -> Iterable[str]:
        """The names to ask, in order."""
        models = self._current.now.models
        if name and not self._routes(name, server, keys):
            logger.warning("the chosen model is not available; the default answers instead")
            name = ""
        return dict.fromkeys(filter(None, (name or models.default, *models.fallbacks)))

    def _routes(self, name: str, server: str, keys: Mapping[str, tuple[str, ...]]) -> list[_Route]:
        """The routes to *name*: with the server's own *keys*, then with the operator's; empty if it is not available."""
        spec, routes = self._spec(name), list[_Route]()
        is_offered = name in self._offered()
        if not spec.url and (is_offered or _is_plain(name)):
            secrets = keys.get(wallet_of(_vendor(spec.model)), ())
            routes += [_Route(name, spec.model, "", server, secrets)] if secrets else []
        if is_offered:
            own = _operators_route(name, spec)
            # Without a key this route only fails, so it is left out after a server's own route.
            routes += [own] if own.secrets or not own.variable or not routes else []
        return routes

    def _offered(self) -> set[str]:
        """All names in the configuration."""
        config = self._current.now
        personas = (persona.own.model for persona in config.personas)
        return {*config.models.named, config.models.default, *config.models.fallbacks, *personas} - {""}

    def _spec(self, name: str) -> ModelConfig:
        return self._current.now.models.named.get(name) or ModelConfig(name)

    # --- from a route to a model ---------------------------------------------------------------------

    def _model(self, route: _Route) -> Model:
        """The model at the end of *route*, connected on first use."""
        if route not in self._models:
            self._models[route] = self._connected(route)
            self._evict()
        return self._models[route]

    def _evict(self) -> None:
        """Drop the oldest routes with servers' keys beyond the limit, and keyrings that no model uses."""
        of_servers = [route for route in self._models if route.server]
        for route in of_servers[:-_MOST_OF_SERVERS]:
            del self._models[route]
        if len(self._keyrings) > 2 * _MOST_OF_SERVERS:
            used = {id(model.keyring) for model in self._models.values()}
            self._keyrings = {place: ring for place, ring in self._keyrings.items() if id(ring) in used}

    def _connected(self, route: _Route) -> Model:
        if route.variable and not route.secrets:
            msg = Sentence(
                "the model {name} needs a key; put it into the environment as {variable}",
                name=repr(route.name),
                variable=route.variable,
            )
            raise SettingsError(msg)
        config = self._current.now
        model = connect(
            _resolved(config, route.model),
            keyring=self._keyring(route),
            url=route.url or None,
            settings=config.settings,
            http=self._shared_http(),
        )
        return replace(model, name=route.name)

    def _keyring(self, route: _Route) -> Keyring | None:
        """The keys for *route*, shared by all models that use them."""
        if not route.secrets:
            return None
        place = (route.url or wallet_of(route.vendor) or route.vendor, route.server, route.secrets)
        if place not in self._keyrings:
            self._keyrings[place] = Keyring(route.secrets, self._current.now.settings.fallback)
        return self._keyrings[place]

    def _shared_http(self) -> Http:
        if self._http is None:
            from ...models.http import Http as Client  # noqa: PLC0415  # slow to import, and an idle bot needs none

            self._http = Client(self._current.now.settings.http)
        return self._http

    # --- a new configuration -----------------------------------------------------------------------

    def _changed(self, before: Config, after: Config) -> None:
        """Retire models that were removed or changed; running replies may finish with them."""
        close_at = self._clock() + before.settings.turn.turn_timeout
        is_new = (before.settings.http, before.settings.fallback, before.folder) != (
            after.settings.http,
            after.settings.fallback,
            after.folder,
        )
        if is_new:
            self._keyrings.clear()
        gone = self._models if is_new else list(self._outdated())
        self._retire(gone, close_at=close_at, with_http=before.settings.http != after.settings.http)

    def _outdated(self) -> Iterator[_Route]:
        offered = self._offered()
        for route in self._models:
            spec = self._spec(route.name)
            is_named = route.name in offered or (route.server and _is_plain(route.name))
            if not is_named or (spec.model, spec.url) != (route.model, route.url):
                yield route

    def _retire(self, routes: Iterable[_Route], *, close_at: float, with_http: bool) -> None:
        models = tuple(self._models.pop(route) for route in tuple(routes))
        http, self._http = (self._http, None) if with_http else (None, self._http)
        if models or http:
            self._retired.append(_Retired(close_at, models, http))

    async def _close_retired(self) -> None:
        """Close what was retired so long ago that no reply can be using it."""
        now = self._clock()
        due = [retired for retired in self._retired if retired.close_at <= now]
        self._retired = [retired for retired in self._retired if retired.close_at > now]
        await _close(due)


def _operators_route(name: str, spec: ModelConfig) -> _Route:
    """The route to a model of the configuration, with the operator's keys."""
    row = VENDORS.get(_vendor(spec.model))
    variables = (spec.key_env,) if spec.key_env else row.key_variables if row else ()
    needs_none = not spec.key_env and (row is None or row.is_local or bool(spec.url) or not row.url)
    secrets = split_keys(from_environment(variables)) if variables else ()
    return _Route(name, spec.model, spec.url, "", secrets, "" if needs_none else " or ".join(variables))


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
                logger.warning("a connection to a model could not be closed", exc_info=error)


def _vendor(model: str) -> str:
    return model.partition(":")[0].strip().lower()


def _is_path(name: str) -> bool:
    return _vendor(name) in _FROM_FILES and bool(name.partition(":")[2].strip())


def _is_plain(name: str) -> bool:
    """Whether *name* is ``VENDOR:MODEL`` with a vendor that servers can have keys for: not a file or an address."""
    vendor, sign, model = name.partition(":")
    return bool(sign and wallet_of(vendor) and _MODEL_NAME.fullmatch(model)) and "//" not in model


def _resolved(config: Config, model: str) -> str:
    """*model*; the path of a file is resolved from the configuration's folder."""
    if not _is_path(model):
        return model
    vendor, _, path = (part.strip() for part in model.partition(":"))
    is_packaged = vendor.lower() == "local" and path == "smollm2"
    return model if is_packaged or path.startswith("~") else f"{vendor}:{config.folder / path}"
