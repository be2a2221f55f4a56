"""``.env``: parsing, precedence, and file permissions."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.config.checking import ConfigError
from cadenza.bot.config.config import Config, ModelConfig, ModelsConfig
from cadenza.bot.config.dotenv import line_for, parsed, read_dotenv, secrets, with_environment


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("KEY=value", "value"),
        ("  KEY = value  ", "value"),
        ("export KEY=value", "value"),
        ("KEY=value # why", "value"),
        ("KEY=a#b", "a#b"),
        ("KEY=#b", ""),
        ('KEY="a # b"', "a # b"),
        ('KEY="a\\"b\\n" # why', 'a"b\n'),
        ("KEY='a\\n'", "a\\n"),
        ("KEY=", ""),
        ("KEY=a=b", "a=b"),
    ],
)
def test_a_line_sets_a_variable(line: str, value: str) -> None:
    assert ({"KEY": value}, []) == parsed(line)


@pytest.mark.parametrize("line", ["", "   ", "# KEY=value"])
def test_a_line_may_say_nothing(line: str) -> None:
    assert ({}, []) == parsed(line)


@pytest.mark.parametrize("line", ["value", "1KEY=value", 'KEY="open', "KEY='a' b", "KEY-A=1"])
def test_a_line_that_says_nothing_understandable_is_counted(line: str) -> None:
    assert ({"A": "1"}, [2]) == parsed(f"A=1\r\n{line}\r\n")


@given(
    st.text(st.characters(exclude_categories=["Cs"]).filter(lambda c: c not in "\x0b\x0c\x1c\x1d\x1e\x85\u2028\u2029"))
)
def test_what_is_written_is_read_back(value: str) -> None:
    assert ({"KEY": value}, []) == parsed(line_for("KEY", value))


def test_the_environment_wins_where_it_says_something() -> None:
    both = with_environment({"A": "file", "B": "file", "C": " "}, {"A": "real", "B": " ", "D": "real"})

    assert {"A": "real", "B": "file", "D": "real"} == dict(both)


def _written(folder: Path, text: str, mode: int = 0o600) -> Path:
    path = folder / ".env"
    path.write_text(text, encoding="utf-8")
    path.chmod(mode)
    return path


def test_secrets_are_what_the_configuration_names_and_vendors_usually_do(tmp_path: Path) -> None:
    _written(tmp_path, "DISCORD_TOKEN=file\nMINE=file\nOTHER=file\n")
    config = Config(folder=tmp_path, models=ModelsConfig(named={"a": ModelConfig("openai:x", key_env="MINE")}))
    environment = {"DISCORD_TOKEN": "real", "OPENAI_API_KEY": "real", "HOME": "real", "CADENZA_KEY": "real"}

    found = secrets(config, environment)

    expected = {
        "DISCORD_TOKEN": "real",
        "MINE": "file",
        "OTHER": "file",
        "OPENAI_API_KEY": "real",
        "CADENZA_KEY": "real",
    }
    assert expected == dict(found)


def test_nobody_is_shown_what_a_secret_is(tmp_path: Path) -> None:
    _written(tmp_path, "A=hunter2\n")

    assert "Secrets(A)" == repr(secrets(Config(folder=tmp_path), {}))
    assert "hunter2" not in repr(read_dotenv(tmp_path / ".env"))


def test_a_mistake_is_told_by_its_line_alone(tmp_path: Path) -> None:
    _written(tmp_path, "A=1\nhunter2\n")

    with pytest.raises(ConfigError) as raised:
        secrets(Config(folder=tmp_path), {})

    assert "line 2 of .env is not NAME=value; correct it, or put a # before it" == str(raised.value)


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
@pytest.mark.parametrize(("mode", "warnings"), [(0o600, 0), (0o400, 0), (0o644, 1), (0o640, 1)])
def test_a_file_that_others_can_read_is_warned_of(tmp_path: Path, mode: int, warnings: int) -> None:
    assert warnings == len(read_dotenv(_written(tmp_path, "A=1", mode)).warnings)


def test_there_need_not_be_one(tmp_path: Path) -> None:
    kept = read_dotenv(tmp_path / ".env")

    assert ({}, (), ()) == (dict(kept.values), kept.mistakes, kept.warnings)


def test_what_cannot_be_read_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(b"\xff\xfe")
    (tmp_path / "b").mkdir()

    assert ("a is not UTF-8 text; save it as UTF-8",) == read_dotenv(tmp_path / "a").mistakes
    assert "cannot read b" in read_dotenv(tmp_path / "b").mistakes[0]
