"""``.env``: the secrets of a bot, beside its configuration and never in it. The real environment wins."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from .checking import ConfigError
from .config import Config
from .model_names import known_key_variables

NAME = ".env"
_MOST_BYTES = 1 << 20
_LINE = re.compile(r"\s*(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)", re.DOTALL)
_QUOTED = re.compile(r"""(?:"((?:[^"\\]|\\.)*)"|'([^']*)')\s*(?:#.*)?""", re.DOTALL)
_COMMENT = re.compile(r"(?:^|\s)#.*")
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "r": "\r", "t": "\t"}


class Secrets(Mapping[str, str]):
    """Variables and what they hold. Who prints it sees their names."""

    def __init__(self, values: Mapping[str, str]) -> None:
        self._values = dict(values)

    def __getitem__(self, name: str) -> str:
        return self._values[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._values)

    def __len__(self) -> int:
        return len(self._values)

    def __repr__(self) -> str:
        return f"Secrets({', '.join(self._values)})"


@dataclass(frozen=True, slots=True)
class Dotenv:
    """What stands in a ``.env``."""

    values: Secrets
    mistakes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


def secrets(config: Config, environment: Mapping[str, str] = os.environ) -> Mapping[str, str]:
    """The secrets of a bot by the names of their variables: whatever *config* names and vendors usually call their keys.

    They come from *environment* or else from ``.env``, of which all is there; what is empty is not.
    """
    kept = read_dotenv(config.folder / NAME)
    if kept.mistakes:
        raise ConfigError(kept.mistakes, files=[config.folder / NAME])
    named = {config.discord.token_env, config.store.key_env, *known_key_variables(config.models)}
    return with_environment(kept.values, {name: environment[name] for name in named if name in environment})


def with_environment(kept: Mapping[str, str], environment: Mapping[str, str]) -> Secrets:
    """What is *kept* and what *environment* says, which wins where it says something."""
    both = {**kept, **{name: value for name, value in environment.items() if value.strip()}}
    return Secrets({name: value.strip() for name, value in both.items() if value.strip()})


def read_dotenv(path: Path) -> Dotenv:
    """What stands in the file *path*, which need not be there."""
    try:
        with path.open("rb") as file:
            mode = os.fstat(file.fileno()).st_mode
            text = file.read(_MOST_BYTES).decode("utf-8-sig")
    except FileNotFoundError:
        return Dotenv(Secrets({}))
    except UnicodeDecodeError:
        return Dotenv(Secrets({}), mistakes=(f"{path.name} is not a text in UTF-8; write it anew",))
    except OSError as error:
        return Dotenv(Secrets({}), mistakes=(f"cannot read {path.name}: {error.strerror or type(error).__name__}",))
    values, mistakes = parsed(text)
    warnings = (f"{path.name} can be read by others on this machine; make it yours alone: chmod 600 {path.name}",)
    return Dotenv(
        Secrets(values),
        tuple(
            f"line {number} of {path.name} is not NAME=value; correct it, or put a # before it" for number in mistakes
        ),
        warnings if os.name == "posix" and stat.S_IMODE(mode) & 0o077 else (),
    )


def parsed(text: str) -> tuple[dict[str, str], list[int]]:
    """The variables that *text* sets, and the numbers of the lines that say nothing understandable."""
    found: dict[str, str] = {}
    mistakes: list[int] = []
    for number, line in enumerate(text.replace("\r\n", "\n").split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        parts = _LINE.fullmatch(line)
        value = None if parts is None else _value(parts[2].strip())
        if parts is None or value is None:
            mistakes.append(number)
        else:
            found[parts[1]] = value
    return found, mistakes


def _value(written: str) -> str | None:
    """What *written*, the right side of a line, means; ``None`` if its quotes do not close."""
    if not written.startswith(('"', "'")):
        return _COMMENT.sub("", written).strip()
    quoted = _QUOTED.fullmatch(written)
    if quoted is None:
        return None
    if quoted[2] is not None:
        return str(quoted[2])
    return _ESCAPE.sub(lambda escape: _ESCAPED.get(escape[1], escape[1]), quoted[1])


def line_for(name: str, value: str) -> str:
    """The line that sets *name* to *value*, which ``parsed`` reads back."""
    if re.fullmatch(r"[A-Za-z0-9_.,:/@%+=-]*", value):
        return f"{name}={value}"
    escaped = value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n").replace("\r", "\\r")
    return f'{name}="{escaped}"'
