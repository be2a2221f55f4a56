"""The ``cadenza.toml`` that ``cadenza init`` writes: every table, what each key is for, and its default behind a ``#``."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from textwrap import wrap
from typing import Any

from .config import Config, ModelsConfig, ToolsConfig
from .reading import PLAIN_TABLES

_WIDTH = 100
_HEAD = """\
What a bot is. Every key with a # before it shows its default: take the # away to change it.
The bot reads this file again when it changes; a mistake leaves everything as it was, says the log.
No secret belongs in here: the token and the keys stand in .env, beside this file.
All keys, and what can stand there: docs/bot/configuration.md; is all well? cadenza doctor
"""
_PERSONAS = """\
Who the bot is. The first one, or the one with main = true, has the bot's own name and face.
Each further [[personas]] is somebody else in the same channels, with a name and a face of their own.
"""
_PERSONA_KEYS = """\
#prompt_file = "ren.md"                # the prompt in a file of its own, instead
#card = "ren.png"                      # a character card (PNG or JSON) of SillyTavern and others
#avatar = "ren.png"                    # a picture beside this file, or an address that begins with https://
#triggers = ["fox"]                    # words that call them, besides their name
#degree = 2                            # 0: one message at the end, 1: a message a line, 2: with typing, 3: a message a sentence
#model = "local"                       # a model of their own
"""
_NAMED = """\
A model under a name of its own, to be used above or chosen with /model:
"""
_NAMED_KEYS = """\
#[models.fast]
#model = "openai:gpt-5.1-mini"
#key_env = "OPENAI_API_KEY"            # the variable in .env that holds its key; this is the usual one
#settings = { temperature = 0.8 }
"""
_SERVERS = """\
Servers of the Model Context Protocol, a table each; ${NAME} is filled in from .env:
"""
_SERVER_KEYS = """\
#[tools.mcp.clock]
#command = "uvx"
#args = ["mcp-server-time"]
"""
_SETTINGS = """\
How replies are made and delivered: the settings of docs/pipeline, by their names.
"""
_SETTINGS_KEYS = """\
#degree = 2                            # 0: one message at the end, 1: a message a line, 2: with typing, 3: a message a sentence
#mention_people = 10                   # how many different people one reply may call; 0 is nobody
#mention_roles = false                 # whether it may call roles too; nothing ever calls @everyone or @here
#show_errors = true                    # whether people are told when a reply fails
#show_fallback = true                  # whether people are told that another model answered
"""
_PROMPT = "You are {name}. You talk with several people in a chat: friendly, in short messages, as a person would."


@dataclass(frozen=True, slots=True)
class Answers:
    """What somebody who makes a bot is asked."""

    name: str = "Cadenza"
    model: str = ""

    @property
    def prompt(self) -> str:
        """Who the bot is, until somebody says it better."""
        return _PROMPT.format(name=self.name)


def template(answers: Answers) -> str:
    """The whole file."""
    language = next(spec for spec in fields(Config) if spec.name == "language")
    parts = [
        _comment(_HEAD),
        "\n".join(
            [_comment(language.metadata["about"].capitalize() + ":"), f"#language = {literal(language.default)}"]
        ),
        "\n".join([_comment(_PERSONAS), "[[personas]]", *_persona(answers), _PERSONA_KEYS.rstrip()]),
        "\n".join([_comment("Who answers."), "[models]", *_models(answers)]),
        "\n".join([_comment(_NAMED), _NAMED_KEYS.rstrip()]),
        *("\n".join(_table(name, kind)) for name, kind in PLAIN_TABLES.items()),
        "\n".join(_table("tools", ToolsConfig)),
        "\n".join([_comment(_SERVERS), _SERVER_KEYS.rstrip()]),
        "\n".join([_comment(_SETTINGS), "[settings]", _SETTINGS_KEYS.rstrip()]),
    ]
    return "\n\n".join(parts) + "\n"


def literal(value: object) -> str:
    """*value* as TOML writes it."""
    match value:
        case bool():
            return "true" if value else "false"
        case str():
            return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")
        case tuple() | list():
            return f"[{', '.join(map(literal, value))}]"
        case _:
            return str(value)


def _persona(answers: Answers) -> Iterator[str]:
    yield f"name = {literal(answers.name)}"
    yield f"prompt = {literal(answers.prompt)}"


def _models(answers: Answers) -> Iterator[str]:
    for spec in fields(ModelsConfig):
        if "about" in spec.metadata:
            yield _comment(spec.metadata["about"])
            is_answered = spec.name == "default" and answers.model
            yield f"default = {literal(answers.model)}" if is_answered else f"#{spec.name} = {literal(spec.default)}"


def _table(name: str, kind: type[Any]) -> Iterator[str]:
    yield _comment((kind.__doc__ or "").partition("\n")[0])
    yield f"[{name}]"
    for spec in fields(kind):
        if "about" in spec.metadata:
            one_of = ", ".join(map(repr, spec.metadata["one_of"]))
            restart = "; needs a restart" if spec.metadata["restarts"] else ""
            yield _comment(spec.metadata["about"] + (f" ({one_of})" if one_of else "") + restart)
            yield f"#{spec.name} = {literal(spec.default)}"


def _comment(text: str) -> str:
    return "\n".join(f"# {line}" for paragraph in text.splitlines() for line in wrap(paragraph, _WIDTH) or [""])
