"""What a server or a channel has chosen otherwise than the configuration says."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from ...errors import SettingsError
from ...settings import Settings
from ..config.config import Config
from ..store.store import Record, Shelf, Store
from .choosable import may_choose

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Choice:
    """What was chosen; ``None`` is nothing, and an empty text is 'none at all'."""

    settings: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """Settings of the pipeline by their names: ``{"degree": 1}``."""
    model: str | None = None
    persona: str | None = None
    """Who answers where nobody in particular is called."""
    personas: tuple[str, ...] | None = None
    """Who may speak here at all; ``None`` is everybody."""
    mentions: bool | None = None
    replies: bool | None = None
    trigger_words: bool | None = None
    always: bool | None = None
    """Whether everything is answered here."""
    every: int | None = None
    bots: bool | None = None
    history: int | None = None
    images: bool | None = None
    cascade_limit: int | None = None
    match_limit: int | None = None
    thought_log: str | None = None
    """The id of the channel that is told the thoughts of a server's turns."""
    is_private: bool | None = None
    """Whether nothing that is thought here is told elsewhere."""
    is_silent: bool | None = None
    """Whether the bot never speaks here."""
    language: str | None = None

    def over(self, other: Choice) -> Choice:
        """This choice, and where it has none, the *other*."""
        chosen = {
            spec.name: getattr(self, spec.name)
            for spec in fields(self)
            if spec.name != "settings" and getattr(self, spec.name) is not None
        }
        return replace(other, **chosen, settings=MappingProxyType({**other.settings, **self.settings}))

    def as_value(self) -> Mapping[str, object]:
        """What a store keeps of it."""
        plain = {**{spec.name: getattr(self, spec.name) for spec in fields(self)}, "settings": dict(self.settings)}
        kept = {name: value for name, value in plain.items() if value is not None and value != {}}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}

    @classmethod
    def of_value(cls, value: Mapping[str, Any]) -> Choice:
        """What was kept; a name that is not known any more, and a value of another kind than it should be, is passed over."""
        given: dict[str, Any] = {}
        for spec in fields(cls):
            item = tuple(found) if isinstance(found := value.get(spec.name), list) else found
            if item is not None and _is_of_kind(item, str(spec.type)):
                given[spec.name] = item
        settings = given.pop("settings", {})
        return cls(settings=MappingProxyType(dict(settings)), **given)


_KINDS: Mapping[str, type] = MappingProxyType(
    {"bool": bool, "int": int, "str": str, "tuple": tuple, "Mapping": Mapping}
)


def _is_of_kind(item: object, annotation: str) -> bool:
    """Whether *item* is what *annotation* begins with; a yes is not a number here."""
    kind = _KINDS[re.match(r"\w+", annotation).group()]  # type: ignore[union-attr]  # every annotation begins with a name
    return isinstance(item, kind) and isinstance(item, bool) is (kind is bool)


class Choices:
    """The choices of all servers and channels."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of_server(self, server: str) -> Choice:
        """What *server* has chosen."""
        return await self._kept(Shelf.SERVERS, server)

    async def of_channel(self, channel: str) -> Choice:
        """What *channel* has chosen."""
        return await self._kept(Shelf.CHANNELS, channel)

    async def here(self, server: str, channel: str, parent: str = "") -> Choice:
        """What holds in *channel*: its own choice, over that of the channel of a thread, over that of its server."""
        places = [(Shelf.SERVERS, server), (Shelf.CHANNELS, parent), (Shelf.CHANNELS, channel)]
        chosen = Choice()
        is_private = False
        for shelf, key in places:
            if key:
                own = await self._kept(shelf, key)
                is_private = is_private or bool(own.is_private)
                chosen = own.over(chosen)
        return replace(chosen, is_private=True) if is_private else chosen  # what is private stays so in its threads

    async def change_server(self, server: str, change: Callable[[Choice], Choice]) -> Choice:
        """Let *server* choose what *change* makes of its choice."""
        return await self._change(Shelf.SERVERS, server, server, change)

    async def change_channel(self, channel: str, server: str, change: Callable[[Choice], Choice]) -> Choice:
        """Let *channel* choose likewise."""
        return await self._change(Shelf.CHANNELS, channel, server, change)

    async def _kept(self, shelf: Shelf, key: str) -> Choice:
        record = await self._store.get(shelf, key)
        return Choice() if record is None else Choice.of_value(record.value)

    async def _change(self, shelf: Shelf, key: str, server: str, change: Callable[[Choice], Choice]) -> Choice:
        def changed(record: Record | None) -> Record | None:
            before = Choice() if record is None else Choice.of_value(record.value)
            value = change(before).as_value()
            return Record(shelf, key, value, server=server) if value else None

        kept = await self._store.change(shelf, key, changed)
        return Choice() if kept is None else Choice.of_value(kept.value)


def settings_for(
    config: Config, choice: Choice, *, degree: int | None = None, of_model: Mapping[str, object] = _NOTHING
) -> Settings:
    """The settings of the pipeline that hold: the configuration's, those *of_model*, what was chosen, a character's degree.

    A setting that was chosen long ago and is not right any more, or not a server's to choose, is passed over.
    """
    settings = _with_those_that_are_right(config.settings, of_model)
    chosen = {name: value for name, value in choice.settings.items() if may_choose(name)}
    settings = _with_those_that_are_right(settings, chosen)
    return settings if degree is None else _with_those_that_are_right(settings, {"degree": degree})


def _with_those_that_are_right(settings: Settings, values: Mapping[str, object]) -> Settings:
    for name, value in values.items():
        try:
            settings = settings.with_values({name: value})
        except SettingsError:
            continue
    return settings
