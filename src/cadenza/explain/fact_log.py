"""The log of facts as a file: one line of JSON for each fact.

``say`` and ``reply`` take a hook that receives every fact; ``JsonLines`` writes them. ``docs/facts.md`` has the schema.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from os import PathLike
from pathlib import Path
from types import TracebackType
from typing import IO, Self

import msgspec

from ..errors import InputError, Sentence
from ..facts import FACTS, VERSION, LoggedFact, ReplyBegan, ReplyEnded, values_of
from .tracebacks import get_logger

_LATEST = 1e12
"""Seconds; a later fact is rubbish."""
_LARGEST = 2**53
"""Larger numbers are not safe in JSON."""

logger = get_logger(__name__)


class JsonLines:
    """A hook that writes one line of JSON for each fact, in UTF-8. A context manager that closes the file.

    A path is overwritten; an open text file is written to and left open. If writing fails, for instance because the
    disk is full, that is logged once and nothing more is written; the reply goes on.
    """

    def __init__(self, file: str | PathLike[str] | IO[str]) -> None:
        self._is_own = isinstance(file, str | PathLike)
        self._file: IO[str] | None = _opened(file) if isinstance(file, str | PathLike) else file
        self.complaint: str = ""
        """Why nothing more is written, in a sentence; empty while writing works."""

    def __call__(self, logged: LoggedFact) -> None:
        """Write *logged*; the file is flushed at the end of a reply."""
        if self._file is None:
            return
        try:
            self._file.write(line_of(logged) + "\n")
            if isinstance(logged.fact, ReplyEnded):
                self._file.flush()
        except (OSError, ValueError) as error:  # a closed file raises ValueError
            self._give_up(error)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Stop writing and close the file if it is ours."""
        file, self._file = self._file, None
        if file is None:
            return
        try:
            if self._is_own:
                file.close()
            else:
                file.flush()
        except (OSError, ValueError) as error:
            self._complain(error)

    def _give_up(self, error: OSError | ValueError) -> None:
        self._complain(error)
        file, self._file = self._file, None
        if file is not None and self._is_own:
            with suppress(OSError, ValueError):  # closing flushes, and may fail again
                file.close()

    def _complain(self, error: OSError | ValueError) -> None:
        why = getattr(error, "strerror", None) or type(error).__name__
        self.complaint = Sentence(
            "the trace cannot be written ({why}) and is incomplete; free some space, or name another file", why=why
        )
        logger.warning("%s", self.complaint)


# --- writing -----------------------------------------------------------------------------


def line_of(logged: LoggedFact) -> str:
    """*logged* as a line of JSON: ``turn``, ``at``, ``fact`` (its name) and its values."""
    values = {"turn": logged.turn, "at": logged.at, "fact": logged.fact.name, **values_of(logged.fact)}
    return _encoded(values, _encode_fact, _of_fact).decode("utf-8")


def encoded(value: object) -> bytes:
    """*value* as JSON, quickly; a lone surrogate, which UTF-8 cannot hold, is escaped."""
    return _encoded(value, _encode, _builtin)


def _encoded(value: object, encode: Callable[[object], bytes], hook: Callable[[object], object]) -> bytes:
    try:
        return encode(value)
    except UnicodeEncodeError:
        text = json.dumps(msgspec.to_builtins(value, enc_hook=hook), ensure_ascii=False, separators=(",", ":"))
        return text.encode("utf-8", "backslashreplace")


def _of_fact(value: object) -> object:
    """The same as ``_builtin``, but a ``Sentence`` keeps its values apart."""
    return template_and_values(value) if isinstance(value, Sentence) else _builtin(value)


def template_and_values(sentence: Sentence) -> dict[str, object]:
    """*sentence* as JSON data."""
    values = {name: _kept(value) for name, value in sentence.values.items()}
    return {"template": sentence.template, "values": values} if values else {"template": sentence.template}


def _kept(value: object) -> object:
    """*value* of a sentence; a number that JSON cannot hold is text."""
    match value:
        case int() | float():
            return value if abs(value) < _LARGEST else str(value)
        case tuple():
            return [*map(_kept, value)]
        case _:
            return value


def _builtin(value: object) -> object:
    match value:
        case str():
            return str(value)  # of a text that knows its origin, only the text
        case Mapping():
            return dict(value)
        case _:
            msg = f"JSON cannot hold {type(value).__name__}"
            raise TypeError(msg)


_encode = msgspec.json.Encoder(enc_hook=_builtin).encode
_encode_fact = msgspec.json.Encoder(enc_hook=_of_fact).encode


def _opened(path: str | PathLike[str]) -> IO[str]:
    try:
        return Path(path).open("w", encoding="utf-8", newline="\n")
    except (OSError, ValueError) as error:  # a path with a NUL raises ValueError
        msg = Sentence(
            "cannot write the trace to {path}: {error}",
            path=repr(str(path)),
            error=getattr(error, "strerror", None) or error,
        )
        raise InputError(msg) from None


# --- reading -----------------------------------------------------------------------------


def read(lines: Iterable[bytes]) -> tuple[list[LoggedFact], list[str]]:
    """The facts in *lines*, and a sentence for each line without one.

    A reply that a later version wrote is skipped whole, with one sentence.
    """
    facts: list[LoggedFact] = []
    complaints: list[str] = []
    later: set[str] = set()  # the replies of a later version
    for number, line in enumerate(lines, start=1):
        if not line.strip():
            continue
        try:
            value = _value_in(line)
            turn = _turn_of(value)
            if _is_later(value):
                later.add(turn)
            elif turn in later:
                continue
            facts.append(from_json(value))
        except InputError as error:
            said = "line {number} is no fact of a trace and was skipped: {error}"
            complaints.append(Sentence(said, number=number, error=error))
    return facts, complaints


def _value_in(line: bytes) -> object:
    try:
        return json.loads(line.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        msg = "it is not JSON"
        raise InputError(msg) from None


def _turn_of(value: object) -> str:
    turn = value.get("turn") if isinstance(value, dict) else ""
    return turn if isinstance(turn, str) else ""


def _is_later(value: object) -> bool:
    version = value.get("version") if isinstance(value, dict) and value.get("fact") == ReplyBegan.name else None
    return isinstance(version, int) and version > VERSION


def from_json(value: object) -> LoggedFact:
    """The fact in *value*, which was a line of JSON."""
    if not isinstance(value, dict) or not isinstance(value.get("fact"), str):
        is_old = isinstance(value, dict) and "step" in value
        msg = "it was written by an older version; record the reply again" if is_old else "it does not name its 'fact'"
        raise InputError(msg)
    if _is_later(value):
        version = value["version"]
        msg = Sentence(
            "it has version {version}, and only {known} is known; update cadenza", version=version, known=VERSION
        )
        raise InputError(msg)
    values = {field: one for field, one in value.items() if field not in ("turn", "at", "fact")}
    name, at = value["fact"], value.get("at")
    if isinstance(at, bool) or not isinstance(at, int | float) or not 0 <= at < _LATEST:
        msg = "it does not say 'at' which time"
        raise InputError(msg)
    if name not in FACTS:
        msg = Sentence("{name} is not a known fact; update cadenza", name=repr(name))
        raise InputError(msg)
    try:
        fact = msgspec.convert({field: _read_again(field, one) for field, one in values.items()}, FACTS[name])
    except (msgspec.ValidationError, RecursionError) as error:
        msg = Sentence("its values are wrong: {error}", error=error)
        raise InputError(msg) from None
    return LoggedFact(fact, float(at), _turn_of(value))


def _read_again(field: str, value: object) -> object:
    """The *value* of a field of a fact, with the sentences of notices and errors made again."""
    match field, value:
        case "title" | "text", {"template": str()}:
            return _sentence(value)
        case "error" | "outcome" | "detail", dict():
            return {name: _read_again(name, inner) for name, inner in value.items()}
        case _:
            return value


def _sentence(value: object) -> object:
    """The sentence in *value*, as ``template_and_values`` gave it; anything else stays as it is."""
    match value:
        case {"template": str(template), **rest} if isinstance(values := rest.get("values", {}), dict):
            return Sentence(template, **{name: _sentence(inner) for name, inner in values.items()})
        case list():
            return [*map(_sentence, value)]
        case _:
            return value
