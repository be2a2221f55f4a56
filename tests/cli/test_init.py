"""``cadenza init``: questions, flags, files, and failures."""

from __future__ import annotations

import argparse
import io
import os
import stat
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cadenza.bot.config.dotenv import secrets
from cadenza.bot.config.reading import load
from cadenza.cli.init import Prompter, add_init, run_init
from cadenza.errors import InputError
from cadenza.settings import Settings

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4.GaBcDe." + "x1Y_" * 9
VARIABLES = ("OPENAI_API_KEY", "DISCORD_TOKEN")


class Sitter:
    """A person at a terminal who gives these answers, hidden ones too."""

    def __init__(self, *answers: str | type[BaseException]) -> None:
        self._answers = list(answers)
        self.told: list[str] = []
        self.hidden: list[str] = []

    def _answer(self, question: str) -> str:
        self.told.append(question)
        answer = self._answers.pop(0)
        if isinstance(answer, str):
            return answer
        raise answer

    def _hidden(self, question: str) -> str:
        self.hidden.append(question)
        return self._answer(question)

    @property
    def person(self) -> Prompter:
        return Prompter(self._answer, self._hidden, self.told.append, is_there=True)


@pytest.fixture(autouse=True)
def _without_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in VARIABLES:
        monkeypatch.delenv(name, raising=False)


def options(folder: Path, *arguments: str) -> argparse.Namespace:
    """The parsed options."""
    parser = argparse.ArgumentParser()
    add_init(parser.add_subparsers())
    return parser.parse_args(["init", "--folder", str(folder), *arguments])


def nobody(told: Callable[[str], None] = lambda _: None) -> Prompter:
    """No terminal."""
    return Prompter(tell=told)


def test_four_answers_make_a_bot(tmp_path: Path) -> None:
    folder, mia = tmp_path / "bot", Sitter("Ren", "openai:gpt-5.1", "chat", "the-key", f' "{TOKEN}" ')

    assert 0 == run_init(options(folder), mia.person)

    config = load(folder / "cadenza.toml", {})
    assert ("Ren", "openai:gpt-5.1") == (config.personas[0].name, config.models.default)
    assert Settings.of(shape="lines", typing=True) == config.settings
    assert {"DISCORD_TOKEN": TOKEN, "OPENAI_API_KEY": "the-key"} == dict(secrets(config, {}))
    assert [".env", "cadenza.key", "cadenza.db*"] == (folder / ".gitignore").read_text().split()
    assert 2 == len(mia.hidden)
    text = "\n".join(mia.told)
    assert "client_id=123456789012345678&scope=bot+applications.commands&permissions=" in text
    assert f"cadenza doctor --config {folder / 'cadenza.toml'} && cadenza run --config" in text
    assert TOKEN not in text
    assert "the-key" not in text


def test_enter_alone_is_the_default_and_leaves_the_token_for_later(tmp_path: Path) -> None:
    mia = Sitter("", "", "", "")

    assert 0 == run_init(options(tmp_path), mia.person)

    config = load(tmp_path / "cadenza.toml", {})
    assert ("Cadenza", "local") == (config.personas[0].name, config.models.default)
    assert Settings.of(shape="blocks") == config.settings
    assert f"Fill in DISCORD_TOKEN in {tmp_path / '.env'}." in mia.told
    assert "DISCORD_TOKEN=\n" in (tmp_path / ".env").read_text()


def test_a_wrong_answer_is_told_and_asked_again(tmp_path: Path) -> None:
    mia = Sitter("a" * 81, "Ren", "opnai:x", "local", "shout", "c", "123456789012345678", TOKEN)

    assert 0 == run_init(options(tmp_path), mia.person)

    assert "it names an unknown vendor 'opnai'; did you mean 'openai'?" in mia.told
    assert "it is one of assistant, chat" in mia.told
    assert any("that is an id" in line for line in mia.told)


@pytest.mark.skipif(os.name != "posix", reason="there are no such modes")
def test_nobody_else_can_read_the_secrets(tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        run_init(options(tmp_path, "--yes"), nobody())
        assert 0o600 == stat.S_IMODE((tmp_path / ".env").stat().st_mode)
        (tmp_path / ".env").chmod(0o644)
        run_init(options(tmp_path, "--yes", "--force"), nobody())
        assert 0o600 == stat.S_IMODE((tmp_path / ".env").stat().st_mode)
    finally:
        os.umask(before)


def test_flags_ask_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = list[str]()
    monkeypatch.setattr(sys, "stdin", io.StringIO(TOKEN + "\n"))

    status = run_init(options(tmp_path, "--name", "Ren", "--model", "openai:x", "--token-stdin"), nobody(told.append))

    assert (0, TOKEN) == (status, secrets(load(tmp_path / "cadenza.toml", {}), {})["DISCORD_TOKEN"])
    assert f"Fill in OPENAI_API_KEY in {tmp_path / '.env'}." in told


def test_yes_takes_every_default_and_says_what_is_missing(tmp_path: Path) -> None:
    told = list[str]()

    assert 0 == run_init(options(tmp_path, "--yes"), nobody(told.append))

    assert "local" == load(tmp_path / "cadenza.toml", {}).models.default
    (link,) = (line for line in told if "client_id=APPLICATION_ID" in line)
    assert link.endswith(" (replace APPLICATION_ID with the id of your application)")


@pytest.mark.parametrize(
    ("talk", "settings"),
    [
        ((), Settings.of(shape="blocks")),
        (("--talk", "assistant"), Settings.of(shape="blocks")),
        (("--talk", "chat"), Settings.of(shape="lines", typing=True)),
    ],
    ids=["not given", "assistant", "chat"],
)
def test_without_a_terminal_it_talks_as_an_option_says_or_as_an_assistant(
    tmp_path: Path, talk: tuple[str, ...], settings: Settings
) -> None:
    assert 0 == run_init(options(tmp_path, "--name", "Ren", "--model", "local", *talk), nobody())

    assert settings == load(tmp_path / "cadenza.toml", {}).settings


def test_a_key_that_the_environment_has_is_not_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "k")
    mia = Sitter("Ren", "openai:x", "", "")

    assert 0 == run_init(options(tmp_path), mia.person)

    assert "OPENAI_API_KEY" not in (tmp_path / ".env").read_text()


@pytest.mark.parametrize("name", ["cadenza.toml", ".env"])
def test_nothing_is_written_over_and_nothing_asked(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("mine")

    with pytest.raises(InputError, match="exists already; --force overwrites it"):
        run_init(options(tmp_path), Sitter().person)

    assert [name] == [path.name for path in tmp_path.iterdir()]
    assert "mine" == (tmp_path / name).read_text()


def test_force_writes_over_but_keeps_other_secrets_and_lines(tmp_path: Path) -> None:
    (tmp_path / ".env").write_text(f"# mine\nOTHER=1\nDISCORD_TOKEN={TOKEN}\nOPENAI_API_KEY=old\n")
    (tmp_path / ".gitignore").write_text("*.log\n.env")
    (tmp_path / "cadenza.toml").write_text("old")

    run_init(options(tmp_path, "--force"), Sitter("Ren", "openai:x", "", "new", "").person)

    assert f"# mine\nOTHER=1\nDISCORD_TOKEN={TOKEN}\nOPENAI_API_KEY=new\n" == (tmp_path / ".env").read_text()
    assert "*.log\n.env\ncadenza.key\ncadenza.db*\n" == (tmp_path / ".gitignore").read_text()
    assert "openai:x" == load(tmp_path / "cadenza.toml", {}).models.default


@pytest.mark.parametrize("end", [KeyboardInterrupt, EOFError])
def test_an_interruption_writes_nothing(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], end: type[BaseException]
) -> None:
    assert 130 == run_init(options(tmp_path), Sitter("Ren", "local", "chat", end).person)

    assert "\ncadenza: interrupted; nothing was written\n" == capsys.readouterr().err
    assert [] == [path.name for path in tmp_path.iterdir()]


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((), "there is no terminal; give --name and --model, or --yes for the defaults"),
        (("--name", "a\nb", "--yes"), "a name has 1 to 80 characters on one line"),
        (("--model", "opnai:x", "--yes"), "--model names an unknown vendor 'opnai'; did you mean 'openai'?"),
        (("--token-stdin", "--yes"), "that is an id, as of an application or a client, not the bot's token; open"),
    ],
    ids=["no terminal", "name", "model", "token"],
)
def test_what_is_wrong_is_one_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...], complaint: str
) -> None:
    monkeypatch.setattr(sys, "stdin", io.StringIO("123456789012345678"))

    with pytest.raises(InputError) as raised:
        run_init(options(tmp_path, *arguments), nobody())

    assert str(raised.value).startswith(complaint)
    assert [] == [path.name for path in tmp_path.iterdir()]


def test_a_place_that_cannot_be_written_is_one_sentence_and_left_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"cannot write into .*; choose another place with --folder"):
        run_init(options(tmp_path / "file" / "bot", "--yes"), nobody())

    (tmp_path / ".env.new").mkdir()  # where the new one would be written first
    with pytest.raises(InputError, match="cannot write into"):
        run_init(options(tmp_path, "--yes", "--force"), nobody())

    assert [".env.new", "file"] == sorted(path.name for path in tmp_path.iterdir())
