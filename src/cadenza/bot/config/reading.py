"""Reads ``cadenza.toml`` into a ``Config``, and reports all mistakes at once."""

from __future__ import annotations

import difflib
import os
import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from shlex import quote
from types import MappingProxyType
from typing import Any

from ...errors import Sentence, SettingsError
from ...explain.tracebacks import get_logger
from ...settings import Settings
from .checking import Complaints, ConfigError, shown, table, unknown_key, values
from .config import (
    Config,
    ConversationConfig,
    DiscordConfig,
    LimitsConfig,
    LogConfig,
    MemoryConfig,
    MetricsConfig,
    ModelConfig,
    ModelsConfig,
    StoreConfig,
    ToolsConfig,
)
from .dotenv import NAME, read_dotenv, with_environment
from .folder import MOST_TEXT, Folder
from .model_names import model_complaint
from .personas import personas
from .secrecy import secrets_in

__all__ = ["ConfigError", "LoadedConfig", "load", "read"]

logger = get_logger(__name__)

PLAIN_TABLES: Mapping[str, type[Any]] = MappingProxyType(
    {
        "discord": DiscordConfig,
        "conversation": ConversationConfig,
        "memory": MemoryConfig,
        "limits": LimitsConfig,
        "store": StoreConfig,
        "log": LogConfig,
        "metrics": MetricsConfig,
    }
)
"""Tables that consist of plain keys only."""
_TABLES = (*PLAIN_TABLES, "models", "personas", "tools", "settings")
_SECTIONS = frozenset(section.name for section in fields(Settings))
_OWN_NAME = re.compile(r"[A-Za-z0-9_.-]{1,64}")
_SERVER_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_-]{0,31}")
_VARIABLE = re.compile(r"\$\{([A-Za-z_][A-Za-z0-9_]*)\}")


@dataclass(frozen=True, slots=True)
class LoadedConfig:
    """A configuration and the files it was read from."""

    config: Config
    files: frozenset[Path] = frozenset()
    """All files that are part of it, to be watched for changes."""
    warnings: tuple[str, ...] = ()


def load(path: str | Path, environment: Mapping[str, str] = os.environ) -> Config:
    """The configuration in the file *path*; raises a ``ConfigError`` with all mistakes.

    ``${NAME}`` in ``[tools.mcp]`` and in the settings ``headers`` and ``proxy`` is replaced by the variable from ``.env``
    or *environment*.
    """
    reading = read(path, environment)
    for warning in reading.warnings:
        logger.warning("%s", warning)
    return reading.config


def read(path: str | Path, environment: Mapping[str, str] = os.environ) -> LoadedConfig:
    """Like ``load``, with the files and warnings; it logs nothing."""
    path = Path(path).absolute()
    folder, complaints = Folder(path.parent), Complaints()
    folder.seen |= {path, path.parent / NAME}
    try:
        given = _tables(path)
    except SettingsError as error:
        mistakes = error.mistakes if isinstance(error, ConfigError) else (str(error),)
        raise ConfigError(mistakes, files=folder.seen) from None
    kept = read_dotenv(path.parent / NAME)
    reader = _Reader(folder, with_environment(kept.values, environment), complaints)
    config = reader.config(given)
    if found := [*kept.mistakes, *(f"{path.name}: {line}" for line in complaints.lines)]:
        raise ConfigError(found, files=folder.seen)
    return LoadedConfig(config, frozenset(folder.seen), kept.warnings)


def _tables(path: Path) -> dict[str, Any]:
    """Parse the file as TOML; raises a ``SettingsError`` if that fails, or if it contains a secret."""
    try:
        with path.open("rb") as file:
            text = file.read(MOST_TEXT).decode("utf-8-sig")
    except FileNotFoundError:
        where = "" if path.parent == Path.cwd() else f" --folder {quote(str(path.parent))}"
        what = "one" if path.name == "cadenza.toml" else "cadenza.toml"
        msg = Sentence(
            "there is no {name} in {parent}; create {what} with: cadenza init{where}",
            name=path.name,
            parent=repr(str(path.parent)),
            what=what,
            where=where,
        )
        raise SettingsError(msg) from None
    except UnicodeDecodeError:
        msg = Sentence("{name}: is not UTF-8 text; save it as UTF-8", name=path.name)
        raise SettingsError(msg) from None
    except (OSError, ValueError) as error:
        msg = Sentence(
            "cannot read {path}: {error}",
            path=repr(str(path)),
            error=getattr(error, "strerror", None) or "not a valid name",
        )
        raise SettingsError(msg) from None
    if found := [f"{path.name}: {sentence}" for sentence in secrets_in(text)]:
        raise ConfigError(found)  # without other mistakes, which could repeat the secret
    try:
        return tomllib.loads(text)
    except (tomllib.TOMLDecodeError, RecursionError) as error:
        why = str(error) if isinstance(error, tomllib.TOMLDecodeError) else "it is nested too deeply"
        msg = Sentence(
            "{name}: is not valid TOML: {why}; a text needs quotes, and a table a line such as [discord]",
            name=path.name,
            why=why,
        )
        raise SettingsError(msg) from None


class _Reader:
    """Builds a configuration from tables."""

    def __init__(self, folder: Folder, variables: Mapping[str, str], complaints: Complaints) -> None:
        self._folder = folder
        self._variables = variables
        self._complaints = complaints

    def config(self, given: Mapping[str, Any]) -> Config:
        """The whole configuration; invalid parts are reported and left out."""
        self._report_unknown(given)
        models = self._models(given.get("models", {}))
        found: dict[str, Any] = values(
            Config, {name: value for name, value in given.items() if name not in _TABLES}, "the key", Complaints()
        )
        for name, kind in PLAIN_TABLES.items():
            found[name] = kind(**values(kind, given.get(name, {}), f"[{name}]", self._complaints))
        if "personas" in given and (
            people := personas(given["personas"], self._folder, models.named, self._complaints)
        ):
            found["personas"] = people
        return Config(
            **found,
            models=models,
            tools=self._tools(given.get("tools", {})),
            settings=self._settings(given.get("settings", {}), "[settings]"),
            folder=self._folder.path,
        )

    def _report_unknown(self, given: Mapping[str, Any]) -> None:
        keys = [spec.name for spec in fields(Config) if "kind" in spec.metadata]
        for name, value in given.items():
            if name in _TABLES:
                continue
            if not isinstance(value, Mapping | list):
                self._complaints.add("the top of the file", self._top_complaint(name, value, keys))
                continue
            close = difflib.get_close_matches(name, _TABLES, n=1)
            hint = f"did you mean [{close[0]}]?" if close else f"there are {', '.join(f'[{one}]' for one in _TABLES)}"
            self._complaints.add(f"[{name}]", f"is not known; {hint}")

    def _top_complaint(self, name: str, value: object, keys: list[str]) -> str:
        if name not in keys:
            return unknown_key(name, keys) + "; all other keys belong below a line such as [discord]"
        complaints = Complaints()
        values(Config, {name: value}, "", complaints)
        return " ".join(complaints.lines).strip()

    # --- models ----------------------------------------------------------------------------

    def _models(self, given: object) -> ModelsConfig:
        tables = table(given, "[models]", self._complaints)
        named = {name: self._model(name, one) for name, one in tables.items() if isinstance(one, Mapping)}
        known = {name: model for name, model in named.items() if model is not None}
        read = values(ModelsConfig, tables, "[models]", self._complaints, besides=named)
        for key in ("default", "fallbacks"):
            names = read.get(key, ())
            for name in filter(None, [names] if isinstance(names, str) else names):
                self._complaints.add(f"[models] {key}", model_complaint(name, named))
        return ModelsConfig(**read, named=MappingProxyType(known))

    def _model(self, name: str, given: Mapping[str, object]) -> ModelConfig | None:
        place = f"[models.{name}]"
        if not _OWN_NAME.fullmatch(name):
            self._complaints.add(place, "must have a name of letters, digits, '_', '-' and '.'")
        read = values(ModelConfig, given, place, self._complaints, besides=("settings",))
        settings = given.get("settings", {})
        self._settings(settings, f"{place} settings")
        if "model" not in given:
            self._complaints.add(place, 'must name a model, as in model = "openai:gpt-5.1"')
        elif "model" in read:
            self._complaints.add(f"{place} model", model_complaint(read["model"]))
        if "model" not in read or not isinstance(settings, Mapping):
            return None
        return ModelConfig(**read, settings=MappingProxyType(self._filled_settings(settings, f"{place} settings")))

    # --- settings --------------------------------------------------------------------------

    def _settings(self, given: object, place: str) -> Settings:
        settings = Settings()
        for one in _one_by_one(self._filled_settings(table(given, place, self._complaints), place)):
            try:
                settings = settings.with_values(one)
            except SettingsError as error:
                self._complaints.add(f"{place}:", str(error).rstrip("."))
        return settings

    def _filled_settings(self, given: Mapping[str, Any], place: str) -> dict[str, Any]:
        """*given* with variables replaced in the settings that may hold secrets."""
        filled: dict[str, Any] = {}
        for name, value in given.items():
            match name, value:
                case "headers" | "proxy", _:
                    filled[name] = self._filled(value, f"{place} {name}")
                case "http", Mapping():
                    filled[name] = self._filled_settings(value, place)
                case _:
                    filled[name] = value
        return filled

    # --- tools -----------------------------------------------------------------------------

    def _tools(self, given: object) -> ToolsConfig:
        tables = table(given, "[tools]", self._complaints)
        read = values(ToolsConfig, tables, "[tools]", self._complaints, besides=("mcp",))
        servers = table(tables.get("mcp", {}), "[tools.mcp]", self._complaints)
        found = {name: self._server(name, one) for name, one in servers.items()}
        for name in read.get("files", ()):
            path = self._folder.place(name)
            self._folder.seen.add(path)
            if not path.is_file():
                self._complaints.add("[tools] files", f"names {shown(name)}, which does not exist")
        return ToolsConfig(**read, mcp=MappingProxyType(found))

    def _server(self, name: str, given: object) -> Mapping[str, object]:
        from ...tools.mcp.server_address import from_entry  # noqa: PLC0415  # slow to import, and rarely needed

        place = f"[tools.mcp.{name}]"
        if not _SERVER_NAME.fullmatch(name):
            self._complaints.add(place, "must have a name of up to 32 letters, digits, '_' and '-', a letter first")
        filled = self._filled(table(given, place, self._complaints), place)
        try:
            from_entry(filled)
        except SettingsError as error:
            self._complaints.add(place, f"is invalid: {error}")
        return MappingProxyType(filled)

    def _filled(self, value: Any, place: str) -> Any:
        """*value* with every ``${NAME}`` in its texts replaced by that variable."""
        match value:
            case str():
                for name in _VARIABLE.findall(value):
                    if name not in self._variables:
                        self._complaints.add(place, f"needs the variable {name}, which is not set; set it in .env")
                return _VARIABLE.sub(lambda found: self._variables.get(found[1], ""), value)
            case list():
                return [self._filled(one, place) for one in value]
            case Mapping():
                return {name: self._filled(one, place) for name, one in value.items()}
            case _:
                return value


def _one_by_one(given: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Every setting of *given* by itself, so that each mistake is reported."""
    for name, value in given.items():
        if name in _SECTIONS and isinstance(value, Mapping):
            yield from ({name: {inner: one}} for inner, one in value.items())
        else:
            yield {name: value}
