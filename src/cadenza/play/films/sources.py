"""Recognises what a text or a file is, and reads what a model said in it, with its times.

Anything can be rehearsed: a text, a provider's response (recorded, or saved by other means), a line for ``cadenza
replay``, a trace, a film. The content decides what it is; the file name is only a hint.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ...errors import CadenzaError, ErrorKind, InputError, ProviderError, SettingsError
from ...explain.steps import TraceStep
from ...explain.words import read as read_trace
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
from .film import Film, is_packed, load
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
    called = f"{name!r}" if name else "the input"
    if len(data) > LARGEST:
        msg = f"{called} is larger than {LARGEST // 2**20} MB; give a part of it"
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
        msg = f"{called} is not text in UTF-8; if it is text, save it as UTF-8"
        raise InputError(msg) from None
    if "\x00" in text:
        msg = f"{called} is not text; give what a model said, or a recorded stream"
        raise InputError(msg)
    if not text.strip():
        msg = f"there is nothing in {called}; give what a model said, or a recorded stream"
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
        msg = f"line {number} cannot be replayed: {error}"
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
        return [Source("script", "A script of ours, with its timings.", _timed(answer))]
    return [Source("script", "A script of ours; it has no timings.", _paced(heard(answer), rate))]


def _is_scripted(line: dict[str, Any]) -> bool:
    return not _SCRIPTED.isdisjoint(line) and line.keys() <= _SCRIPTED | {"after"}


def _trace(text: str, _rate: float) -> list[Source]:
    first = _object(_first_line(text))
    if not isinstance(first.get("step"), str) or "at" not in first:
        return []
    traced, _ = read_trace(text.encode("utf-8", "surrogatepass").split(b"\n"))
    return _replies(traced, "trace", "A trace of ours")


def _film(text: str, _rate: float) -> list[Source]:
    if not text.lstrip().startswith('{"film"') and "film" not in _object(text):
        return []
    return _film_replies(text)


def _film_replies(data: bytes | str) -> list[Source]:
    return _replies(_steps(load(data)), "film", "A film")


def _steps(film: Film) -> list[TraceStep]:
    """The steps of *film*, with its tokens among them."""
    steps: list[TraceStep] = []
    for record in film.records:
        match record.about:
            case {"turn": str(turn), "step": str(step), "about": dict(about)}:
                steps.append(TraceStep(step, record.at, about, turn))
            case {"turn": str(turn), "sort": "text" | "thought" as sort, "text": str(), "lengths": list()}:
                steps += [
                    TraceStep("chunk", at, {"kind": sort, "text": text}, turn)
                    for at, text in _tokens(record.at, record.about)
                ]
            case _:
                pass
    return steps


def _tokens(at: float, about: Any) -> Iterable[tuple[float, str]]:
    data, start = about["text"].encode("utf-16-le", "surrogatepass"), 0
    for length, since in zip(about["lengths"], about.get("times", ()), strict=False):
        if not isinstance(length, int) or length < 0 or not isinstance(since, int | float):
            msg = "the film cannot be read: its tokens have lengths or times that are no numbers"
            raise InputError(msg)
        piece = data[2 * start : 2 * (start + length)]
        start += length
        yield at + since, piece.decode("utf-16-le", "surrogatepass")


def _replies(traced: Iterable[TraceStep], what: str, told: str) -> list[Source]:
    """The replies in *traced*; those without text of the model are left out."""
    turns: dict[str, list[TraceStep]] = {}
    for step in traced:
        turns.setdefault(step.turn, []).append(step)
    found = [one for steps in turns.values() if (one := _reply(steps, what)) is not None]
    if not found:
        msg = f"no model said anything in this {what}; give one with 'chunk' steps or tokens in it"
        raise InputError(msg)
    if len(found) == 1:
        return [replace(found[0], told=f"{told}, with its timings.")]
    return [
        replace(one, told=f"{told}, reply {number} of {len(found)}, with its timings.")
        for number, one in enumerate(found, start=1)
    ]


def _reply(steps: Sequence[TraceStep], what: str) -> Source | None:
    came = [(step.at, chunk) for step in steps if step.step == "chunk" and (chunk := _chunk(step.about)) is not None]
    said = [(at, chunk) for at, chunk in came if isinstance(chunk, TextDelta | ThoughtDelta | Usage | Served)]
    if not any(isinstance(chunk, TextDelta | ThoughtDelta) for _, chunk in said):
        return None
    # Of several rounds, only the last end counts: tool calls cannot be repeated.
    end = [(at, chunk) for at, chunk in came[-3:] if isinstance(chunk, Finished | Failed)][-1:]
    begun = next((step for step in steps if step.step == "reply"), None)
    last = begun.at if begun else said[0][0]
    beats = []
    for at, chunk in [*said, *(end or [(said[-1][0], Finished())])]:
        beats.append(ModelBeat(max(0.0, at - last), (chunk,)))
        last = max(at, last)
    about = begun.about if begun else {}
    name = about.get("persona")
    persona = Persona(name) if isinstance(name, str) and name else None
    return Source(what, "", tuple(beats), _settings(about.get("settings")), persona)


def _chunk(about: Any) -> Chunk | None:
    match about:
        case {"kind": "text", "text": str(text)}:
            return TextDelta(text)
        case {"kind": "thought", "text": str(text)}:
            return ThoughtDelta(text)
        case {"kind": "served", "detail": {"by": str(by)}}:
            return Served(by)
        case {"kind": "usage", "detail": {"input_tokens": int(read), "output_tokens": int(written)}}:
            return Usage(read, written)
        case {"kind": "finished", "detail": {"reason": str(reason)}}:
            return Finished("stop" if reason == "tool_calls" else reason)
        case {"kind": "failed", "detail": {"error": {"text": str(text), **rest}}}:
            return Failed(ProviderError(text or "the model failed", kind=_kind(rest.get("kind"))))
        case _:
            return None


def _kind(value: object) -> ErrorKind:
    try:
        return ErrorKind(value)
    except ValueError:
        return ErrorKind.API


def _settings(values: object) -> Settings | None:
    """The settings of a trace; ``None`` if they are not valid any more."""
    if not isinstance(values, dict) or not values:
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
