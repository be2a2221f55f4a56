"""Recognises what a text or a file is, and reads what a model said in it, with its times.

Anything can be rehearsed: a text, a provider's response (recorded, or saved by other means), a line for ``cadenza
replay``, a trace, a film. The content decides what it is; the file name is only a hint.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import CadenzaError, ErrorKind, InputError, ProviderError, Sentence, SettingsError
from ...explain.fact_log import from_json, read as read_facts
from ...explain.words import replies
from ...facts import ChunkHeard, LoggedFact, ReplyBegan
from ...models.dialects.scripted import parse_script
from ...models.recordings import RecordedAnswer, heard, is_head, parse as parse_recording, timed
from ...replies.replay import End, parse as parse_line, read_line
from ...settings import HttpSettings, Settings
from ...types import (
    Chunk,
    Failed,
    Finished,
    Persona,
    Roster,
    Served,
    StopReason,
    TextDelta,
    ThoughtDelta,
    ToolCall,
    Usage,
)
from .api_dumps import Dump, recognised
from .fact_records import facts_of
from .film import is_packed, load
from .plan import Interlude, ModelBeat, Rehearsal, beats_of

LARGEST = 8 * 2**20
"""Most bytes, or characters, that are read."""
_RATE = 50.0
_SCRIPTED = frozenset({"text", "thought", "tool", "usage", "served", "finish", "error"})
_DATA_NAMES = (".json", ".jsonl", ".ndjson", ".sse")


@dataclass(frozen=True, slots=True)
class Source:
    """One answer of a model, from any input."""

    what: str
    """``text``, ``recording``, ``stream``, ``script``, ``replay``, ``trace`` or ``film``."""
    told: str
    """What it was recognised as, in a sentence."""
    beats: tuple[ModelBeat, ...]
    settings: Settings | None = None
    """The settings of the input, if it has any; the same holds for the fields below."""
    persona: Persona | None = None
    roster: Roster | None = None
    prefill: str = ""
    stops: StopReason | None = None
    """Why the reply stops at the end of the text."""

    @property
    def said(self) -> str:
        """All text of the model."""
        return "".join(chunk.text for chunk in _all(self.beats) if isinstance(chunk, TextDelta))

    @property
    def seconds(self) -> float:
        """Seconds from the first beat to the last."""
        return sum(beat.after for beat in self.beats)

    def rehearsal(self, base: Rehearsal | None = None) -> Rehearsal:
        """*base* with this answer. Settings of *base* that differ from the defaults win."""
        base = base or Rehearsal(())
        settings = self.settings if self.settings is not None and base.settings == Settings() else base.settings
        stop = () if self.stops is None else (Interlude(self.seconds, stops=self.stops),)
        return replace(
            base,
            beats=self.beats,
            settings=settings,
            persona=self.persona or base.persona,
            roster=self.roster or base.roster,
            prefill=self.prefill or base.prefill,
            asides=(*base.asides, *stop),
        )


def understood(data: bytes | str, name: str = "", *, rate: float = _RATE, timed: bool = True) -> list[Source]:
    """The answers in *data*, at least one; ``InputError`` says why there is none.

    Input without times is said at *rate* tokens a second; without *timed*, all input is.
    """
    beats_of("", rate)  # refuses a wrong rate
    called = repr(name) if name else Sentence("the input")
    if len(data) > LARGEST:
        msg = Sentence(
            "{called} is larger than {largest} MB; give a part of it", called=called, largest=LARGEST // 2**20
        )
        raise InputError(msg)
    if is_packed(data):
        sources = _film_replies(data)
    else:
        text = _decoded(data, called)
        sources = _told_apart(text, rate)
        if not sources:
            return [_plain(text, name, rate)]
    sources = [replace(one, settings=_harmless(one.settings)) for one in sources]
    return sources if timed else [replace(one, beats=_paced(_all(one.beats), rate)) for one in sources]


def _told_apart(text: str, rate: float) -> list[Source]:
    """The answers in *text*, if its format is known."""
    known = (_recording, _film, _trace, _replay, _script, _dump)
    return next((sources for understand in known if (sources := understand(text, rate))), [])


def _decoded(data: bytes | str, called: str) -> str:
    try:
        encoding = "utf-16" if isinstance(data, bytes) and data[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
        text = data.decode(encoding) if isinstance(data, bytes) else data
    except UnicodeDecodeError:
        msg = Sentence("{called} is not text in UTF-8; if it is text, save it as UTF-8", called=called)
        raise InputError(msg) from None
    if "\x00" in text:
        msg = Sentence("{called} is not text; give what a model said, or a recorded stream", called=called)
        raise InputError(msg)
    if not text.strip():
        msg = Sentence("there is nothing in {called}; give what a model said, or a recorded stream", called=called)
        raise InputError(msg)
    return text


def _plain(text: str, name: str, rate: float) -> Source:
    is_odd = name.lower().endswith(_DATA_NAMES) or text.lstrip().startswith("{")
    hint = "; its format is not recognised" if is_odd else ""
    return Source("text", f"A text of {len(text)} characters{hint}.", tuple(beats_of(text, rate)))


# --- what Cadenza itself writes ---------------------------------------------------------------


def _recording(text: str, _rate: float) -> list[Source]:
    if not is_head(_first_line(text)):
        return []
    answers = parse_recording(text).answers
    return [
        Source("recording", _told_of(answer, number, len(answers)), _timed(answer))
        for number, answer in enumerate(answers, start=1)
    ]


def _told_of(answer: RecordedAnswer, number: int, count: int) -> str:
    return f"A recording of {answer.vendor}:{answer.model or '?'}{_which(number, count)}, with its timings."


def _which(number: int, count: int) -> str:
    return f", answer {number} of {count}" if count > 1 else ""


def _timed(answer: RecordedAnswer) -> tuple[ModelBeat, ...]:
    """The chunks of *answer*, each at its time."""
    return tuple(ModelBeat(after, tuple(chunks)) for after, chunks in timed(answer))


def _replay(text: str, rate: float) -> list[Source]:
    if "chunks" not in _object(_first_line(text)):
        return []
    lines = enumerate(text.split("\n"), start=1)
    return [_line(line, number, rate) for number, line in lines if line.strip()]


def _line(line: str, number: int, rate: float) -> Source:
    try:
        take = parse_line(read_line(line), Settings())
    except CadenzaError as error:
        msg = Sentence("line {number} cannot be replayed: {error}", number=number, error=error)
        raise InputError(msg) from None
    stops = {End.STOP: StopReason.USER, End.FOLLOW_UP: StopReason.FOLLOW_UP}.get(take.end)
    last = [event for event in take.end.events if isinstance(event, ToolCall | Finished)]
    chunks: list[Chunk] = [*map(TextDelta, filter(None, take.chunks)), *last]
    told = f"Line {number} for 'cadenza replay', in {len(take.chunks)} chunks."
    persona = take.persona if take.persona.name else None
    return Source(
        "replay", told, _paced(chunks, rate), take.settings, persona, take.roster, prefill=take.prefill, stops=stops
    )


def _script(text: str, rate: float) -> list[Source]:
    lines = [line for line in text.split("\n") if line.strip()]
    if len(lines) < 2 or not all(_is_scripted(_object(line)) for line in lines):  # stops at the first that is not
        return []
    try:
        answer = RecordedAnswer("script", "script", parse_script(text))
    except CadenzaError:
        return []  # it only looks like a script
    if any(slice_.after for slice_ in answer.beats):
        return [Source("script", "A script of Cadenza, with its timings.", _timed(answer))]
    return [Source("script", "A script of Cadenza; it has no timings.", _paced(heard(answer), rate))]


def _is_scripted(line: dict[str, Any]) -> bool:
    return not _SCRIPTED.isdisjoint(line) and line.keys() <= _SCRIPTED | {"after"}


def _trace(text: str, _rate: float) -> list[Source]:
    first = _object(_first_line(text))
    if "at" not in first or not isinstance(first.get("fact", first.get("step")), str):
        return []
    facts, _ = read_facts(text.encode("utf-8", "surrogatepass").split(b"\n"))
    if "fact" not in first or not facts:
        _refuse(first)
    return _replies(facts, "trace", "A trace of Cadenza")


def _refuse(line: dict[str, Any]) -> None:
    """Say why a trace of another version, which begins with *line*, cannot be read."""
    try:
        from_json(line)
    except InputError as error:
        msg = Sentence("the trace cannot be read: {why}", why=error.sentence)
        raise InputError(msg) from None


def _film(text: str, _rate: float) -> list[Source]:
    if not text.lstrip().startswith('{"film"') and "film" not in _object(text):
        return []
    return _film_replies(text)


def _film_replies(data: bytes | str) -> list[Source]:
    return _replies(facts_of(load(data)), "film", "A film")


def _replies(facts: Iterable[LoggedFact], what: str, told: str) -> list[Source]:
    """The replies in *facts*; those without text of the model are left out."""
    found = [one for own in replies(facts) if (one := _reply(own, what)) is not None]
    if not found:
        msg = Sentence(
            "no model said anything in this {what}; give one with text of a model in it", what=Sentence(what)
        )
        raise InputError(msg)
    if len(found) == 1:
        return [replace(found[0], told=f"{told}, with its timings.")]
    return [
        replace(one, told=f"{told}, reply {number} of {len(found)}, with its timings.")
        for number, one in enumerate(found, start=1)
    ]


def _reply(facts: Sequence[LoggedFact], what: str) -> Source | None:
    came = [
        (logged.at, chunk)
        for logged in facts
        if isinstance(logged.fact, ChunkHeard) and (chunk := _chunk(logged.fact)) is not None
    ]
    said = [(at, chunk) for at, chunk in came if isinstance(chunk, TextDelta | ThoughtDelta | Usage | Served)]
    if not any(isinstance(chunk, TextDelta | ThoughtDelta) for _, chunk in said):
        return None
    # Of several rounds, only the last end counts: tool calls cannot be repeated.
    end = [(at, chunk) for at, chunk in came[-3:] if isinstance(chunk, Finished | Failed)][-1:]
    begun = next(((logged.at, logged.fact) for logged in facts if isinstance(logged.fact, ReplyBegan)), None)
    last = begun[0] if begun else said[0][0]
    beats = []
    for at, chunk in [*said, *(end or [(said[-1][0], Finished())])]:
        beats.append(ModelBeat(max(0.0, at - last), (chunk,)))
        last = max(at, last)
    if begun is None:
        return Source(what, "", tuple(beats))
    persona = Persona(begun[1].persona) if begun[1].persona else None
    return Source(what, "", tuple(beats), _settings(begun[1].settings), persona)


def _chunk(heard: ChunkHeard) -> Chunk | None:
    match heard.kind, heard.detail:
        case "text", _:
            return TextDelta(heard.text)
        case "thought", _:
            return ThoughtDelta(heard.text)
        case "served", {"by": str(by)}:
            return Served(by)
        case "usage", {"input_tokens": int(read), "output_tokens": int(written)}:
            return Usage(read, written)
        case "finished", {"reason": str(reason)}:
            return Finished("stop" if reason == "tool_calls" else reason)
        case "failed", {"error": {"text": str(text), **rest}}:
            return Failed(ProviderError(text or "the model failed", kind=_kind(rest.get("kind"))))
        case _:
            return None


def _kind(value: object) -> ErrorKind:
    try:
        return ErrorKind(value)
    except ValueError:
        return ErrorKind.API


def _settings(values: Mapping[str, object]) -> Settings | None:
    """The settings of a trace; ``None`` if they are not valid any more."""
    if not values:
        return None
    try:
        return Settings().with_values(values)
    except SettingsError:
        return None


def _harmless(settings: Settings | None) -> Settings | None:
    """*settings* without files to open and HTTP options: the input may come from a stranger."""
    if settings is None:
        return None
    return replace(settings, http=HttpSettings(), rules=replace(settings.rules, table_fonts=()))


# --- what others have written -----------------------------------------------------------------


def _dump(text: str, rate: float) -> list[Source]:
    dumps = recognised(text)
    return [
        Source("stream", _told_of_dump(dump, number, len(dumps)), _paced(dump.chunks, rate))
        for number, dump in enumerate(dumps, start=1)
    ]


def _told_of_dump(dump: Dump, number: int, count: int) -> str:
    model = f" by {dump.model}" if dump.model else ""
    return f"A stream in the dialect of {dump.dialect}{model}{_which(number, count)}; it has no timings of its own."


def _paced(chunks: Iterable[Chunk], rate: float) -> tuple[ModelBeat, ...]:
    return tuple(ModelBeat(1 / rate if isinstance(one, TextDelta | ThoughtDelta) else 0.0, (one,)) for one in chunks)


def _all(beats: Iterable[ModelBeat]) -> list[Chunk]:
    return [chunk for beat in beats for chunk in beat.chunks]


def _first_line(text: str) -> str:
    return text.lstrip().partition("\n")[0]


def _object(text: str) -> dict[str, Any]:
    """The JSON object in *text*, or an empty one."""
    if not text.lstrip().startswith("{"):
        return {}
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
