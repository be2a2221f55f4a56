"""The tables of a configuration: every key has a description and a valid default, and the page shows it."""

from __future__ import annotations

import os
from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import Any

import pytest

from cadenza.bot.config.checking import checked
from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig, ToolsConfig
from cadenza.bot.config.personas import LoreTable, NoteTable, PersonaTable, SpriteTable
from cadenza.bot.config.reading import PLAIN_TABLES
from cadenza.bot.config.template import literal
from cadenza.bot.services.invitation import RIGHTS

DOCS = Path(__file__).parents[3] / "docs" / "bot"
TABLES: dict[str, type[Any]] = {
    "top": Config,
    "personas": PersonaTable,
    "sprites": SpriteTable,
    "notes": NoteTable,
    "lore": LoreTable,
    "models": ModelsConfig,
    "model": ModelConfig,
    "tools": ToolsConfig,
    **PLAIN_TABLES,
}
HEAD = ["| key | default | what it is |", "|---|---|---|"]


def _keys(kind: type[Any]) -> list[Field[Any]]:
    return [spec for spec in fields(kind) if "about" in spec.metadata]


def _default(spec: Field[Any]) -> str:
    if spec.default_factory is not MISSING:
        return "`{}`"
    return "" if spec.default in (None, MISSING) else f"`{literal(spec.default)}`"


def _about(spec: Field[Any]) -> str:
    one_of, low, high = (spec.metadata.get(key) for key in ("one_of", "low", "high"))
    words = [spec.metadata["about"].replace("|", "\\|").replace("<START>", "`<START>`")]
    if one_of:
        words.append(f"one of {', '.join(f'`{one}`' for one in one_of)}")
    if low is not None:
        words.append(f"{low:g} to {high:g}" if high is not None else f"at least {low:g}")
    if spec.metadata.get("restarts"):
        words.append("*restart*")
    return "; ".join(words)


def _compare(page: str, mark: str, expected: list[str]) -> None:
    """``REWRITE_DOCS=1`` rewrites the table; review the changes before you keep them."""
    path = DOCS / page
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(f"<!-- {mark}:begin -->\n")
    table, after = rest.split(f"<!-- {mark}:end -->")
    if os.environ.get("REWRITE_DOCS"):
        table = "\n".join([*expected, ""])
        path.write_text(f"{before}<!-- {mark}:begin -->\n{table}<!-- {mark}:end -->{after}", encoding="utf-8")

    assert expected == table.splitlines()


@pytest.mark.parametrize("name", TABLES)
def test_the_page_shows_every_key(name: str) -> None:
    rows = [f"| `{spec.name}` | {_default(spec)} | {_about(spec)} |" for spec in _keys(TABLES[name])]

    _compare("configuration.md", name, [*HEAD, *rows])


def test_the_page_shows_every_permission() -> None:
    rows = [f"| **{right.name}** | {right.without} |" for right in RIGHTS]

    _compare("getting-started.md", "rights", ["| permission | without it |", "|---|---|", *rows])


@pytest.mark.parametrize(
    "spec",
    [pytest.param(spec, id=f"{name}-{spec.name}") for name, kind in TABLES.items() for spec in _keys(kind)],
)
def test_every_default_is_allowed(spec: Field[Any]) -> None:
    if spec.default in (None, MISSING):
        return
    given = list(spec.default) if isinstance(spec.default, tuple) else spec.default

    assert (spec.default, "") == checked(given, spec)


def test_nothing_secret_is_shown() -> None:
    tools = ToolsConfig(mcp={"a": {"env": {"KEY": "hunter2"}}})
    model = ModelConfig("local", settings={"headers": {"key": "hunter2"}})

    assert "hunter2" not in repr(Config(tools=tools, models=ModelsConfig(named={"a": model})))


def test_files_are_seen_from_the_folder_of_the_configuration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", "/home/ren")
    config = Config(folder=tmp_path)

    places = [config.place(name) for name in ("a.db", "../a.db", "/a.db", "~/a.db")]

    assert [tmp_path / "a.db", tmp_path / "../a.db", Path("/a.db"), Path("/home/ren/a.db")] == places
