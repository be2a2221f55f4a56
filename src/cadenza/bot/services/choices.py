"""The settings of servers and channels that override the configuration."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any

from ...errors import SettingsError
from ...settings import Manner, Settings
from ..config.config import Config
from ..store.store import Namespace, Record, Store
from .choosable import may_choose

_NOTHING: Mapping[str, object] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Choice:
    """The overrides of one server or channel; ``None`` is not set, and an empty text means 'none at all'."""

    settings: Mapping[str, object] = field(default_factory=lambda: _NOTHING)
    """Pipeline settings by name: ``{"degree": 1}``."""
    model: str | None = None
    persona: str | None = None
    """The default persona, for messages that address no particular one."""
    personas: tuple[str, ...] | None = None
    """The personas that may speak here; ``None`` is all of them."""
    mentions: bool | None = None
    replies: bool | None = None
    trigger_words: bool | None = None
    always: bool | None = None
    """Whether every message is answered here."""
    every: int | None = None
    bots: bool | None = None
    history: int | None = None
    images: bool | None = None
    cascade_limit: int | None = None
    match_limit: int | None = None
    thought_log: str | None = None
    """The id of the channel that receives the thought log."""
    is_private: bool | None = None
    """Whether this channel stays out of the thought log and of memory elsewhere."""
    is_silent: bool | None = None
    """Whether the bot stays silent here."""
    language: str | None = None

    def over(self, other: Choice) -> Choice:
        """This choice, with *other* for what is not set."""
        chosen = {
            spec.name: getattr(self, spec.name)
            for spec in fields(self)
            if spec.name != "settings" and getattr(self, spec.name) is not None
        }
        replaced = Manner._fields if "degree" in self.settings else ()  # a preset, as in ``Settings.with_values``
        kept = {name: value for name, value in other.settings.items() if name not in replaced}
        return replace(other, **chosen, settings=MappingProxyType({**kept, **self.settings}))

    def as_value(self) -> Mapping[str, object]:
        """The JSON value for the store."""
        plain = {**{spec.name: getattr(self, spec.name) for spec in fields(self)}, "settings": dict(self.settings)}
        kept = {name: value for name, value in plain.items() if value is not None and value != {}}
        return {name: list(value) if isinstance(value, tuple) else value for name, value in kept.items()}

    @classmethod
    def of_value(cls, value: Mapping[str, Any]) -> Choice:
        """The choice from a stored value; unknown names and values of a wrong type are skipped."""
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
    """Whether *item* has the first type of *annotation*; a bool is not an int here."""
    kind = _KINDS[re.match(r"\w+", annotation).group()]  # type: ignore[union-attr]  # every annotation begins with a name
    return isinstance(item, kind) and isinstance(item, bool) is (kind is bool)


class Choices:
    """The choices of all servers and channels."""

    def __init__(self, store: Store) -> None:
        self._store = store

    async def of_server(self, server: str) -> Choice:
        """What *server* has chosen."""
        return await self._kept(Namespace.SERVERS, server)

    async def of_channel(self, channel: str) -> Choice:
        """What *channel* has chosen."""
        return await self._kept(Namespace.CHANNELS, channel)

    async def here(self, server: str, channel: str, parent: str = "") -> Choice:
        """The choice in effect in *channel*: its own, over its parent channel's (for a thread), over its server's."""
        places = [(Namespace.SERVERS, server), (Namespace.CHANNELS, parent), (Namespace.CHANNELS, channel)]
        chosen = Choice()
        is_private = False
        for namespace, key in places:
            if key:
                own = await self._kept(namespace, key)
                is_private = is_private or bool(own.is_private)
                chosen = own.over(chosen)
        return replace(chosen, is_private=True) if is_private else chosen  # threads of a private channel are private

    async def change_server(self, server: str, change: Callable[[Choice], Choice]) -> Choice:
        """Replace the choice of *server* by what *change* makes of it."""
        return await self._change(Namespace.SERVERS, server, server, change)

    async def change_channel(self, channel: str, server: str, change: Callable[[Choice], Choice]) -> Choice:
        """Replace the choice of *channel* by what *change* makes of it."""
        return await self._change(Namespace.CHANNELS, channel, server, change)

    async def _kept(self, namespace: Namespace, key: str) -> Choice:
        record = await self._store.get(namespace, key)
        return Choice() if record is None else Choice.of_value(record.value)

    async def _change(self, namespace: Namespace, key: str, server: str, change: Callable[[Choice], Choice]) -> Choice:
        def changed(record: Record | None) -> Record | None:
            before = Choice() if record is None else Choice.of_value(record.value)
            value = change(before).as_value()
            return Record(namespace, key, value, server=server) if value else None

        kept = await self._store.change(namespace, key, changed)
        return Choice() if kept is None else Choice.of_value(kept.value)


def settings_for(
    config: Config, choice: Choice, *, degree: int | None = None, of_model: Mapping[str, object] = _NOTHING
) -> Settings:
    """The pipeline settings in effect: the configuration's, then those *of_model*, the choice, a character's degree.

    A stored setting that has become invalid, or that a server may not choose, is skipped.
    """
    settings = _with_valid(config.settings, of_model)
    chosen = {name: value for name, value in choice.settings.items() if may_choose(name)}
    settings = _with_valid(settings, chosen)
    return settings if degree is None else _with_valid(settings, {"degree": degree})


def _with_valid(settings: Settings, values: Mapping[str, object]) -> Settings:
    for name, value in sorted(values.items(), key=lambda item: item[0] != "degree"):  # a preset comes first
        try:
            settings = settings.with_values({name: value})
        except SettingsError:
            continue
    return settings
