"""Recordings: the bytes that a provider sent, with their timing, in a file that can be played again.

Recordings are for bug reports about providers. The format is JSON lines: a head, then the bytes as they arrived::

    {"recording": 1, "vendor": "openai", "model": "gpt-5.1", "status": 200}
    {"after": 0.412, "text": "data: [DONE]"}
    {"after": 0.02, "base64": "8J+Y"}
    {"after": 1.5, "broke": {"message": "the connection broke off", "code": "ECONNRESET"}}

A second head begins the answer to a second request. Keys, tokens and cookies are replaced by stars everywhere, also
where the network split one in two. Each gets as many stars as it was long, so that all other bytes stay in place.
"""

from __future__ import annotations

import asyncio
import base64
import binascii
import json
import re
from collections.abc import AsyncIterator, Collection, Iterator, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from types import MappingProxyType
from typing import TextIO
from urllib.parse import quote, unquote

from ..errors import CadenzaError, HttpError, InputError, ProviderError, Sentence
from ..stages.s2_generation import Transport
from ..stages.s3_chunks import Chunks, Codec
from ..text.redaction import secrets_of
from ..types import Chunk, Ending, HttpRequest
from .dialects import scripted
from .dialects.scripted import Beat, ScriptedCodec, Sleep, error_fields, error_from
from .model import Model, closing

_NONE: Mapping[str, str] = MappingProxyType({})
_VERSION = 1
_NOWHERE = "http://recording.invalid/v1"
"""For vendors without an address of their own; a recording is never asked again."""
_KEPT_HEADERS = {"content-type": "content_type", "retry-after": "retry_after"}
"""The headers of an error response that are kept."""

_SHAPES = re.compile(
    rb"""(?x)
    (?<![A-Za-z0-9])(?:sk|pk|rk|gsk|csk|xai|nvapi|pplx|hf|gh[oprsu])[-_](?=[\w-]{0,100}\d)[\w-]{16,}
    | AIza[\w-]{30,}
    | (?i:(?<=bearer\s)(?=[\w.~+/=-]{0,100}\d)[\w.~+/=-]{16,})
    | (?i:(?<=cookie:\s)[^\r\n"\\]{4,})
    """
)
"""Shapes of keys, tokens and cookies that belong to other services."""
_WEB_TOKEN = re.compile(rb"\beyJ[\w-]{16,}+(?P<body>\.[\w-]{16,}+(?:\.[\w-]*+)?)?")
"""JSON web tokens. A match without a body is not hidden, but consumed whole, so that it is scanned only once."""


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """The answer to one request."""

    vendor: str
    model: str
    beats: tuple[Beat, ...]
    request: Mapping[str, object] = field(default_factory=dict)
    """The request, if it was kept."""

    @property
    def codec(self) -> Codec:
        """The dialect of the answer."""
        if self.vendor == "script":
            return ScriptedCodec()
        from .vendors import VENDORS, codec  # noqa: PLC0415  # needed only for a real provider

        row = VENDORS.get(self.vendor)
        if row is None:
            msg = Sentence("the recording is of an unknown vendor {vendor}", vendor=repr(self.vendor))
            raise InputError(msg)
        return codec(row, self.model or "recorded", url="" if row.url else _NOWHERE)


@dataclass(frozen=True, slots=True)
class Recording:
    """The answers of a file, in order."""

    answers: tuple[RecordedAnswer, ...]


# --- playing ----------------------------------------------------------------------------------


def load(path: str | Path) -> Recording:
    """Read a recording."""
    return parse(read_text(path))


def read_text(path: str | Path) -> str:
    """The text of a file; a failure raises ``InputError``."""
    try:
        return Path(path).read_text(encoding="utf-8-sig")
    except UnicodeDecodeError:
        msg = Sentence("{path} is not valid UTF-8", path=repr(str(path)))
        raise InputError(msg) from None
    except (OSError, ValueError) as error:  # a NUL in the name raises ValueError
        msg = Sentence(
            "cannot read {path}: {error}", path=repr(str(path)), error=getattr(error, "strerror", None) or error
        )
        raise InputError(msg) from None


def is_head(line: str | bytes) -> bool:
    """Whether *line* is the head of a recording."""
    try:
        head = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(head, dict) and "recording" in head


def parse(text: str) -> Recording:
    """Parse a recording."""
    answers: list[RecordedAnswer] = []
    head: Mapping[str, object] = {}
    beats: list[Beat] = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        value = _object(number, line)
        if "recording" in value:
            if head:
                answers.append(_answer(head, beats))
            head, beats = _checked_head(number, value), []
        elif not head:
            raise _unreadable(number, 'a recording begins with a line such as {"recording": 1, "vendor": "openai"}')
        else:
            beats.append(_beat(number, value))
    if not head:
        raise _unreadable(1, "there is no recording in it")
    return Recording((*answers, _answer(head, beats)))


def transport(recording: Recording, sleep: Sleep, *, pace: float = 1.0, over_and_over: bool = False) -> Transport:
    """Play *recording*, one answer per request; *over_and_over* starts again after the last one."""
    scripts = [answer.beats for answer in recording.answers]
    return scripted.transport(cycle(scripts) if over_and_over else scripts, sleep, pace=pace)


def playing(recording: Recording, sleep: Sleep = asyncio.sleep, *, pace: float = 1.0) -> Model:
    """A model that plays *recording* over and over."""
    return Model(recording.answers[0].codec, transport(recording, sleep, pace=pace, over_and_over=True))


def heard(answer: RecordedAnswer) -> list[Chunk]:
    """The chunks of *answer*, decoded like a model's stream."""
    return [chunk for _, chunks in timed(answer) for chunk in chunks]


def timed(answer: RecordedAnswer) -> Iterator[tuple[float, list[Chunk]]]:
    """The chunks of *answer* by arrival: seconds since the previous ones, and the chunks."""
    codec = answer.codec
    framing, chunks = codec.framing(), Chunks(codec.decoder())
    for beat in answer.beats:
        if beat.error is not None:
            error = codec.refused(beat.error) if isinstance(beat.error, HttpError) else beat.error
            yield beat.after, [*chunks.feed_all(framing.flush(Ending.FINAL)), *chunks.fail(error)]
            return
        yield beat.after, chunks.feed_all(framing.feed(beat.data))
    yield 0.0, [*chunks.feed_all(framing.flush(Ending.FINAL)), *chunks.flush(Ending.FINAL)]


def _object(number: int, line: str) -> Mapping[str, object]:
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        raise _unreadable(number, "it is not valid JSON") from None
    if not isinstance(value, dict):
        raise _unreadable(number, "it is not an object")
    return value


def _checked_head(number: int, head: Mapping[str, object]) -> Mapping[str, object]:
    if head["recording"] != _VERSION:
        why = "it is of version {version}, and only {known} is known"
        raise _unreadable(number, Sentence(why, version=repr(head["recording"]), known=_VERSION))
    if not isinstance(head.get("vendor"), str) or not isinstance(head.get("model", ""), str):
        raise _unreadable(number, "its head must name a 'vendor' and a 'model'")
    if type(head.get("status", 200)) is not int:
        raise _unreadable(number, "'status' must be a whole number")
    return head


def _beat(number: int, line: Mapping[str, object]) -> Beat:
    after = line.get("after", 0.0)
    if not isinstance(after, int | float) or isinstance(after, bool) or not 0 <= after < float("inf"):
        raise _unreadable(number, "'after' must be a number of seconds")
    match line:
        case {"text": str(text)}:
            return Beat(after, text.encode("utf-8", "surrogatepass"))
        case {"base64": str(text)}:
            try:
                return Beat(after, base64.b64decode(text, validate=True))
            except (binascii.Error, ValueError):
                raise _unreadable(number, "'base64' is not base64") from None
        case {"broke": {"message": str(message), **told}}:
            try:
                return Beat(after, b"", error_from(message, told))
            except ValueError:
                raise _unreadable(number, "'broke' has a kind that is not known") from None
        case _:
            raise _unreadable(number, "expected 'text', 'base64' or 'broke'")


def _answer(head: Mapping[str, object], beats: Sequence[Beat]) -> RecordedAnswer:
    """The answer with *head*; an error response becomes one beat with its whole body."""
    status, request = head.get("status", 200), head.get("request")
    if isinstance(status, int) and status >= 400:
        headers = {name: str(head[kept]) for name, kept in _KEPT_HEADERS.items() if kept in head}
        refusal = HttpError(status, headers, b"".join(beat.data for beat in beats))
        beats = [Beat(sum(beat.after for beat in beats), b"", refusal)]
    asked = request if isinstance(request, dict) else {}
    return RecordedAnswer(str(head["vendor"]), str(head.get("model", "")), tuple(beats), asked)


def _unreadable(number: int, why: str) -> InputError:
    return InputError(
        Sentence("line {number} of the recording cannot be read: {why}", number=number, why=Sentence(why))
    )


# --- recording ----------------------------------------------------------------------------------


def recorder(
    inner: Transport,
    file: TextIO,
    *,
    vendor: str,
    model: str,
    with_prompt: bool = False,
    added: Mapping[str, str] = _NONE,
) -> Transport:
    """Wrap *inner* so that each answer is written to *file* when it is over, however it ended.

    The request is kept only *with_prompt*. *added* are the headers that *inner* adds to every request; the secrets in
    them are hidden too.
    """

    async def recorded(request: HttpRequest) -> AsyncIterator[bytes]:
        tape = _Tape({"recording": _VERSION, "vendor": vendor, "model": model}, _forms(secrets_of(request, added)))
        if with_prompt:
            tape.ask(request)
        try:
            async with aclosing(closing(inner(request))) as body:
                async for data in body:
                    tape.note(data)
                    yield data
        except CadenzaError as error:
            tape.fail(error)
            raise
        finally:
            file.write(tape.written())
            file.flush()

    return recorded


class _Tape:
    """Collects one answer."""

    def __init__(self, head: Mapping[str, object], secrets: Collection[bytes]) -> None:
        self._head = {**head, "status": 200}
        self._secrets = secrets
        self._last = asyncio.get_running_loop().time()
        self._heard: list[tuple[float, bytes]] = []
        self._end: dict[str, object] = {}

    def ask(self, request: HttpRequest) -> None:
        """Keep the request, its address without the query."""
        body = hide_secrets(request.body, self._secrets).decode("utf-8", "replace")
        self._head["request"] = {"url": request.url.partition("?")[0], "body": body}

    def note(self, data: bytes) -> None:
        """Keep bytes that arrived."""
        self._heard.append((self._elapsed(), data))

    def fail(self, error: CadenzaError) -> None:
        """Keep an error response, or note that the stream broke off."""
        if isinstance(error, HttpError):
            kept = {_KEPT_HEADERS[name]: value for name, value in error.headers.items() if name in _KEPT_HEADERS}
            self._head |= {"status": error.status, **kept}
            self.note(error.body)
        else:
            told = error_fields(error) if isinstance(error, ProviderError) else {}
            self._end = {"after": self._elapsed(), "broke": {"message": str(error), **told}}

    def written(self) -> str:
        """The recording as JSON lines, without secrets."""
        lines = [json.dumps(line, ensure_ascii=False) for line in (self._head, *self._lines())]
        if self._end:
            lines.append(hide_secrets(json.dumps(self._end).encode(), self._secrets).decode())
        return "".join(line + "\n" for line in lines)

    def _elapsed(self) -> float:
        before, self._last = self._last, asyncio.get_running_loop().time()
        return round(self._last - before, 4)

    def _lines(self) -> Iterator[dict[str, object]]:
        """The bytes as they arrived: secrets are hidden in the whole, which is then split as before."""
        whole = hide_secrets(b"".join(data for _, data in self._heard), self._secrets)
        start = 0
        for after, data in self._heard:
            clean = whole[start : start + len(data)]
            start += len(data)
            try:
                yield {"after": after, "text": clean.decode()}
            except UnicodeDecodeError:
                yield {"after": after, "base64": base64.b64encode(clean).decode()}


def _forms(secrets: Collection[str]) -> set[bytes]:
    """*secrets* in every encoding in which a server might repeat them."""
    plain = {form for secret in secrets for form in (secret, unquote(secret))}
    escaped = {form for secret in plain for form in (json.dumps(secret)[1:-1], secret.replace("/", "\\/"))}
    coded = {form for secret in plain for form in (quote(secret, safe=""), base64.b64encode(secret.encode()).decode())}
    return {form.encode() for form in plain | escaped | coded}


def hide_secrets(data: bytes, secrets: Collection[bytes]) -> bytes:
    """*data* with stars in place of *secrets* and of everything that looks like a key. The length stays the same."""
    for secret in sorted(secrets, key=len, reverse=True):
        while secret in data and secret.strip(b"*"):  # stars may complete another secret
            data = data.replace(secret, b"*" * len(secret))
    data = _WEB_TOKEN.sub(lambda match: b"*" * len(match[0]) if match["body"] else match[0], data)
    return _SHAPES.sub(lambda match: b"*" * len(match[0]), data)
