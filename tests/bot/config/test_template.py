"""The file that ``cadenza init`` writes is valid and shows the defaults."""

from __future__ import annotations

import re
import tomllib
from dataclasses import fields, replace
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.characters.character import Character
from cadenza.bot.config.config import Config, ModelsConfig, ToolsConfig
from cadenza.bot.config.reading import PLAIN_TABLES, load
from cadenza.bot.config.template import Answers, literal, template
from cadenza.settings import Settings

ANSWERS = Answers('Ren "the fox" 🦊', "openai:gpt-5.1", "chat")


def loaded(folder: Path, text: str) -> Config:
    """The configuration in *text*."""
    (folder / "cadenza.toml").write_text(text, encoding="utf-8")
    return load(folder / "cadenza.toml", {})


@pytest.mark.parametrize(
    ("answers", "settings"),
    [(ANSWERS, Settings.of(shape="lines", typing=True)), (Answers(), Settings.of(shape="blocks"))],
    ids=["answered", "nothing answered"],
)
def test_it_is_the_defaults_and_what_was_answered(tmp_path: Path, answers: Answers, settings: Settings) -> None:
    expected = Config(
        personas=(Character(answers.name, prompt=answers.prompt, is_main=True),),
        models=ModelsConfig(answers.model),
        settings=settings,
        folder=tmp_path,
    )

    assert expected == loaded(tmp_path, template(answers))


def _uncommented(text: str) -> str:
    """Every key of the plain tables without the ``#`` before it."""
    head, tables = text.split("\n# The connection to Discord", 1)
    tables = tables.replace("#[tools.mcp.clock]", "# example\n[nothing]").split("[nothing]")[0]
    return head + "\n#" + re.sub(r"^#(?=[a-z_]+ = )", "", tables, flags=re.MULTILINE)


def test_what_stands_behind_a_mark_is_the_default(tmp_path: Path) -> None:
    text = template(ANSWERS)

    assert text.count("\n#") > 80
    assert replace(loaded(tmp_path, text), settings=Settings()) == loaded(tmp_path, _uncommented(text))
    assert len(tomllib.loads(_uncommented(text))["limits"]) == len(fields(PLAIN_TABLES["limits"]))


def test_the_examples_in_it_are_right(tmp_path: Path) -> None:
    text = template(ANSWERS)
    for name in ("[models.fast]", "[tools.mcp.clock]"):
        start = text.index(f"#{name}")
        block = text[start : text.index("\n\n", start)]
        text = text.replace(block, block.replace("\n#", "\n").removeprefix("#"))

    config = loaded(tmp_path, text)

    assert ({"fast"}, {"clock"}) == (set(config.models.named), set(config.tools.mcp))


def test_the_manner_of_talking_stands_in_four_lines_with_a_comment_each(tmp_path: Path) -> None:
    text = template(ANSWERS)

    for name in ("shape", "typing", "casual", "degree"):
        assert re.search(rf"^#?{name} = \S+ +# .+", text.partition("\n[settings]\n")[2], re.MULTILINE), name
    preset = re.sub(r"^(shape|typing) = ", r"#\1 = ", text, flags=re.MULTILINE).rpartition("#degree")
    assert Settings.of(degree=2) == loaded(tmp_path, f"{preset[0]}degree{preset[2]}").settings


@pytest.mark.parametrize(
    "table", [*PLAIN_TABLES.items(), ("models", ModelsConfig), ("tools", ToolsConfig)], ids=lambda t: t[0]
)
def test_every_key_is_there_with_a_line_of_why(table: tuple[str, type]) -> None:
    name, kind = table
    part = re.split(rf"^\[{name}\]$", template(Answers()), flags=re.MULTILINE)[1].split("\n\n")[0]

    for spec in fields(kind):
        if "about" in spec.metadata:
            assert re.search(rf"^# .+\n#{spec.name} = ", part, re.MULTILINE), spec.name


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_a_text_is_written_as_toml_reads_it(text: str) -> None:
    assert {"a": text} == tomllib.loads(f"a = {literal(text)}")
