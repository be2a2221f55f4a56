"""The ``cadenza.toml`` that ``cadenza init`` writes: every key with its description and its default, commented out."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, fields
from textwrap import wrap
from typing import Any

from .config import Config, ModelsConfig, ToolsConfig
from .reading import PLAIN_TABLES

_WIDTH = 100
_COLUMN = 39
_HEAD = """\
The configuration of a bot. A key with a # before it shows its default: remove the # to change it.
The bot reloads this file when it changes. A mistake changes nothing, and the log describes it.
Keep secrets out of this file: the token and the keys belong in .env, beside it.
All keys and their values: docs/bot/configuration.md. To check the file: cadenza doctor
"""
_PERSONAS = """\
The bot's characters. The first one, or the one with main = true, has the bot's name and avatar.
Each further [[personas]] is another character in the same channels, with its own name and avatar.
"""
_PERSONA_KEYS = """\
#prompt_file = "ren.md"                # the prompt in a file, instead
#card = "ren.png"                      # a character card (PNG or JSON) of SillyTavern and others
#avatar = "ren.png"                    # a picture beside this file, or an address that begins with https://
#triggers = ["fox"]                    # trigger words besides the name
#degree = 2                            # its own way of talking, whatever [settings] says: one of the presets there
#model = "local"                       # its own model
"""
_NAMED = """\
A named model, for use above or with /model:
"""
_NAMED_KEYS = """\
#[models.fast]
#model = "openai:gpt-5.1-mini"
#key_env = "OPENAI_API_KEY"            # the variable in .env that holds its key; this is the default
#settings = { temperature = 0.8 }
"""
_SERVERS = """\
MCP servers (Model Context Protocol), one table each; ${NAME} is replaced by a variable from .env:
"""
_SERVER_KEYS = """\
#[tools.mcp.clock]
#command = "uvx"
#args = ["mcp-server-time"]
"""
_SETTINGS = """\
How replies are generated and delivered: the settings described in docs/pipeline.
"""
_SHAPE = '# what becomes a message: "reply" everything, "blocks" paragraphs and whole lists, "lines", "sentences"'
_TYPING = "# whether messages have pauses, as if a person typed them"
_SETTINGS_KEYS = """\
#casual = false                        # whether replies look typed in a hurry: lower case, fewer commas
#degree = 2                            # a preset in place of these three: 0: reply, 1: lines, 2: lines with typing, 3: sentences with both
#mention_people = 10                   # how many different people one reply may ping; 0 is none
#mention_roles = false                 # whether it may ping roles too; it never pings @everyone or @here
#show_errors = "friendly"              # what people are told when a reply fails: "friendly", "details" for operators, or "off"
#show_fallback = true                  # whether a notice says that another model answered
"""
_ASSISTANT = "You are {name}, an assistant in a chat with several people: friendly, helpful and to the point."
_PERSON = "You are {name}. You talk with several people in a chat: friendly, in short messages, as a person would."
TALKS = ("assistant", "chat")
"""The ways of talking that ``cadenza init`` offers: in blocks, or in lines with typing."""


@dataclass(frozen=True, slots=True)
class Answers:
    """The answers to the questions of ``cadenza init``."""

    name: str = "Cadenza"
    model: str = ""
    talk: str = "assistant"
    """One of ``TALKS``."""

    @property
    def prompt(self) -> str:
        """The default prompt."""
        return (_PERSON if self.talk == "chat" else _ASSISTANT).format(name=self.name)


def template(answers: Answers) -> str:
    """The text of the file."""
    language = next(spec for spec in fields(Config) if spec.name == "language")
    parts = [
        _comment(_HEAD),
        "\n".join(
            [_comment(language.metadata["about"].capitalize() + ":"), f"#language = {literal(language.default)}"]
        ),
        "\n".join([_comment(_PERSONAS), "[[personas]]", *_persona(answers), _PERSONA_KEYS.rstrip()]),
        "\n".join([_comment(ModelsConfig.__doc__ or ""), "[models]", *_models(answers)]),
        "\n".join([_comment(_NAMED), _NAMED_KEYS.rstrip()]),
        *("\n".join(_table(name, kind)) for name, kind in PLAIN_TABLES.items()),
        "\n".join(_table("tools", ToolsConfig)),
        "\n".join([_comment(_SERVERS), _SERVER_KEYS.rstrip()]),
        "\n".join([_comment(_SETTINGS), "[settings]", *_shape(answers), _SETTINGS_KEYS.rstrip()]),
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


def _shape(answers: Answers) -> Iterator[str]:
    is_chat = answers.talk == "chat"
    yield f"shape = {literal('lines' if is_chat else 'blocks')}".ljust(_COLUMN) + _SHAPE
    yield ("typing = true" if is_chat else "#typing = false").ljust(_COLUMN) + _TYPING


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
