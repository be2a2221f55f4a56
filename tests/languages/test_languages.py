from __future__ import annotations

import re
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import discord
import pytest
from discord import app_commands

from cadenza import languages as languages_module
from cadenza.bot.commands.config_channels import LANGUAGES
from cadenza.bot.commands.context import AnyCommand, CommandContext
from cadenza.bot.commands.register import FAMILIES
from cadenza.bot.config.config import Config
from cadenza.bot.config.current import Current
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.wiring import build
from cadenza.languages import catalogue, chosen, languages, translated
from cadenza.languages.catalogues import read
from tests.bot.command_room import MirrorSeal, Remote
from tests.languages.texts import COMMANDS, SOURCE, said, sentences, shown_by_discord, templates, written

OTHERS = [language for language in languages() if language != "en"]
VALUE = re.compile(r"\{\w+\}")
NAME = re.compile(r"[-_'\w]{1,32}")
ERRORS_OF_REPLIES = (
    "models/error_message.py",
    "models/dialects/dialect.py",
    "models/dialects/google_events.py",
    "models/http.py",
    "models/error_kind.py",
    "replies/streams.py",
    "replies/tool_loop.py",
    "replies/outbox/calls.py",
    "stages/s4_round.py",
    "targets/discord_py/translate_errors.py",
)
"""What they raise is shown by the thought log and by ``/explain``."""


@pytest.fixture(scope="module", name="all_commands")
def every_command() -> list[AnyCommand]:
    services = build(Current(Config()), MemoryStore(), MirrorSeal())
    context = CommandContext(services, Remote(), discord.Client(intents=discord.Intents.none()))
    return [command for family in FAMILIES for command in family(context)]


def named(commands: list[AnyCommand]) -> set[str]:
    """What Discord shows of the commands; the names of languages are the same in every language."""
    return set(shown_by_discord(commands)) - set(LANGUAGES.values())


# --- the texts ----------------------------------------------------------------------------------


def test_there_is_english_and_japanese() -> None:
    assert ("en", "ja") == languages()
    assert set(languages()) == set(LANGUAGES)


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("path", COMMANDS, ids=lambda path: path.name)
def test_whatever_a_command_says_is_in_the_catalogue(path: Path, language: str) -> None:
    assert set() == said(path) - set(catalogue(language))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", ["announcements.py", "pending.py", "recovery.py", "markdown_button.py"])
def test_whatever_the_bot_says_of_itself_is_in_the_catalogue(name: str, language: str) -> None:
    told = sentences(SOURCE / "bot" / name)

    assert told
    assert set() == told - set(catalogue(language))


@pytest.mark.parametrize("language", OTHERS)
@pytest.mark.parametrize("name", ERRORS_OF_REPLIES)
def test_whatever_can_go_wrong_in_a_reply_is_in_the_catalogue(name: str, language: str) -> None:
    told = templates(SOURCE / name)

    assert told
    assert set() == told - set(catalogue(language))


@pytest.mark.parametrize("language", OTHERS)
def test_whatever_discord_shows_of_the_commands_is_in_the_catalogue(
    all_commands: list[AnyCommand], language: str
) -> None:
    assert set() == named(all_commands) - set(catalogue(language))


@pytest.mark.parametrize("language", OTHERS)
def test_every_value_of_a_text_is_in_its_translation(language: str) -> None:
    other = {
        source: target
        for source, target in catalogue(language).items()
        if sorted(VALUE.findall(source)) != sorted(VALUE.findall(target))
    }

    assert {} == other


@pytest.mark.parametrize("language", OTHERS)
def test_no_line_of_a_catalogue_is_there_for_nobody(all_commands: list[AnyCommand], language: str) -> None:
    assert set() == set(catalogue(language)) - named(all_commands) - written()


@pytest.mark.parametrize("language", languages())
def test_no_catalogue_says_one_thing_in_two_ways(language: str) -> None:
    folder = files("cadenza.languages") / language
    for file in (file for file in folder.iterdir() if file.is_file()):
        text = file.read_text(encoding="utf-8")

        assert text.count('msgid "') == len(read(text)) + 1, file.name


def test_what_is_said_nowhere_is_not_taken_for_said() -> None:
    assert {"Stopped.", "there is no interaction {id}"} <= written()
    assert "The moon says this." not in written()


def test_what_a_command_says_is_found_wherever_it_stands(tmp_path: Path) -> None:
    file = tmp_path / "sample.py"
    file.write_text(
        """
async def sample(interaction):
    await tell(interaction, "at once")
    told = "in a variable"
    await frame.tell(interaction, told, value=words(interaction, "inside"))
    words(interaction, "one" if told else "other")
    kinds = {"in a table": 1}
    [words(interaction, kind) for kind, holds in kinds.items() if holds]
    for text, most in (("in a row", 1), ("in another", 2)):
        words(interaction, text)
    refuse(interaction, nothing="as an argument")
    log("not this")
""",
        encoding="utf-8",
    )

    assert {
        "at once", "in a variable", "inside", "one", "other", "in a table", "in a row", "in another", "as an argument",
    } == said(file)  # fmt: skip


# --- the names of commands -------------------------------------------------------------------------


def siblings(commands: list[Any]) -> Iterator[list[Any]]:
    """The commands, and the options, of one group."""
    yield [command for command in commands if not isinstance(command, app_commands.ContextMenu)]
    for command in commands:
        if isinstance(command, app_commands.Group):
            yield from siblings(command.commands)
        elif isinstance(command, app_commands.Command):
            yield command.parameters


def name_of(one: Any) -> str:
    return str(one.display_name if isinstance(one, app_commands.Parameter) else one.name)


@pytest.mark.parametrize("language", languages())
def test_every_name_is_one_that_discord_takes_and_the_only_one_of_its_group(
    all_commands: list[AnyCommand], language: str
) -> None:
    for beside in siblings(all_commands):
        names = [catalogue(language).get(f"/{name_of(one)}", name_of(one)) for one in beside]
        assert len(names) == len(set(names)), names
        for name in names:
            assert NAME.fullmatch(name), name
            assert name == name.lower()


@pytest.mark.parametrize("language", languages())
def test_everything_else_is_as_short_as_discord_wants_it(all_commands: list[AnyCommand], language: str) -> None:
    texts = [catalogue(language).get(text, text) for text in named(all_commands)]

    assert {} == {text: len(text) for text in texts if not 1 <= len(text) <= 100}


# --- saying them ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("wishes", "language"),
    [
        ((), "en"),
        ((None, None), "en"),
        (("ja",), "ja"),
        (("ja-JP",), "ja"),
        (("JA",), "ja"),
        (("en-GB", "ja"), "en"),
        (("de", "ja"), "ja"),
        (("de", None, ""), "en"),
    ],
)
def test_the_first_language_that_there_is_is_chosen(wishes: tuple[str | None, ...], language: str) -> None:
    assert language == chosen(*wishes)


@pytest.mark.parametrize(
    ("text", "language", "values", "said_text"),
    [
        ("Stopped.", "ja", {}, "止めました。"),
        ("Stopped.", "ja-JP", {}, "止めました。"),
        ("Stopped.", "en-GB", {}, "Stopped."),
        ("Stopped.", "../ja", {}, "Stopped."),
        ("Stopped.", "", {}, "Stopped."),
        ("Unheard of {what}.", "ja", {"what": 3}, "Unheard of 3."),
        ("{one} {two}", "en", {"one": "{two}", "two": "{one}"}, "{two} {one}"),
        ("{one} {gone}", "en", {"one": 1}, "1 {gone}"),
    ],
)
def test_a_text_is_said_in_a_language_with_its_values(
    text: str, language: str, values: dict[str, object], said_text: str
) -> None:
    assert said_text == translated(text, language, **values)


def test_a_language_that_there_is_not_has_no_catalogue() -> None:
    assert {} == catalogue("de") == catalogue("..") == catalogue("") == catalogue("__pycache__")


# --- key-based catalogues -------------------------------------------------------------------------


@pytest.fixture(name="folder")
def two_languages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder of catalogues, with a key-based one in English and German."""
    catalogues = {
        "en/story.po": 'msgid "starts.reply"\nmsgstr "the reply starts"\n\nmsgid "ends"\nmsgstr "it ends"',
        "de/story.po": 'msgid "starts.reply"\nmsgstr "die Antwort beginnt"\n\nmsgid "ends"\nmsgstr ""',
        "de/page/words.po": 'msgid "Stop"\nmsgstr "Halt"',
    }
    for name, text in catalogues.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.setattr(languages_module, "files", lambda _package: tmp_path)
    languages_module.named.cache_clear()
    catalogue.cache_clear()
    yield tmp_path
    languages_module.named.cache_clear()
    catalogue.cache_clear()


@pytest.mark.usefixtures("folder")
def test_a_catalogue_of_keys_falls_back_to_english_and_does_not_mix_with_sentences() -> None:
    named_texts = languages_module.named

    assert {"starts.reply": "the reply starts", "ends": "it ends"} == named_texts("en", "story")
    assert {"starts.reply": "die Antwort beginnt", "ends": "it ends"} == named_texts("de", "story")
    assert named_texts("en", "story") == named_texts("xx", "story") == named_texts("../de", "story")
    assert {"Stop": "Halt"} == catalogue("de")
    assert {} == catalogue("en")
    assert ("en", "de") == languages()
    assert {} == named_texts("de", "gone")
