"""``cadenza replay``: the pipeline as a filter, one recorded stream a line.

Each line of JSON goes through stages 4 to 7 without a clock. The result is a line of JSON with the messages, their
segments and everything else that the stages returned. Tests, bug reports and comparisons use it.
A recording from ``cadenza record`` holds the bytes of a provider, and goes through stages 2 to 7.
"""

from __future__ import annotations

import difflib
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields
from enum import Enum
from itertools import groupby
from random import Random
from typing import Any

from ..errors import CadenzaError, InputError, Sentence
from ..models.recordings import heard, parse as parse_recording
from ..settings import Settings
from ..stages.s4_round import Round
from ..targets.target import Limits
from ..types import (
    Broke,
    Chunk,
    Ending,
    Finished,
    Participant,
    Persona,
    Post,
    Roster,
    RoundEvent,
    Scene,
    Segment,
    Sprite,
    StopReason,
    StopRequested,
    TextDelta,
    ToolCall,
)
from .outbox.queue import PostQueue
from .pipeline import text_row, with_tap

_LONGEST_SLICE = 24
_EMOJI_TAG = re.compile(r"<a?:(?P<name>\w+):\d+>")
_OUTCOME_NAME = re.compile(r"(?<=[a-z])(?=[A-Z])")


class End(Enum):
    """How the stream ended."""

    FINAL = "final"
    TOOL = "tool"
    STOP = "stop"
    FOLLOW_UP = "follow_up"

    @property
    def events(self) -> tuple[RoundEvent, ...]:
        """The events of the round after the last chunk."""
        match self:
            case End.FINAL:
                return (Finished(),)
            case End.TOOL:
                return (ToolCall("1", "tool", "{}"), Finished("tool_calls"))
            case End.STOP:
                return (StopRequested(StopReason.USER),)
            case End.FOLLOW_UP:
                return (StopRequested(StopReason.FOLLOW_UP),)


Slicer = Callable[[Sequence[str]], Sequence[str]]
"""Slices the chunks of a stream differently."""


def slicer(how: str) -> Slicer:
    """The slicer that ``--slices`` names."""
    if how == "whole":
        return lambda chunks: ["".join(chunks)]
    if how == "chars":
        return lambda chunks: list("".join(chunks))
    name, _, seed = how.partition(":")
    if name == "random" and seed.isascii() and seed.isdigit() and len(seed) <= 20:
        return lambda chunks: _random_slices("".join(chunks), Random(int(seed)))
    msg = Sentence("cannot slice {how}: use whole, chars or random:SEED with a whole number", how=repr(how))
    raise InputError(msg)


def _random_slices(text: str, dice: Random) -> list[str]:
    slices = []
    start = 0
    while start < len(text):
        end = start + dice.randint(1, _LONGEST_SLICE)
        slices.append(text[start:end])
        start = end
    return slices


@dataclass(frozen=True, slots=True)
class ReplayInput:
    """One parsed line of input."""

    chunks: tuple[str, ...]
    settings: Settings
    end: End = End.FINAL
    persona: Persona = field(default_factory=lambda: Persona(""))
    roster: Roster = field(default_factory=Roster)
    prefill: str = ""


def replay_line(line: bytes, *, settings: Settings | None = None, slices: Slicer | None = None) -> dict[str, object]:
    """The result of one line of input, or its error."""
    id_: object = None
    try:
        value = read_line(line)
        id_ = value.get("id")
        take = parse(value, settings or Settings())
    except CadenzaError as error:
        return {"id": id_, "error": str(error)}
    return {"id": id_, **replay(take, slices)}


def replay_recording(
    text: str, *, settings: Settings | None = None, slices: Slicer | None = None
) -> Iterator[dict[str, object]]:
    """The results of a recording, one for each answer of the model, or an error."""
    try:
        recording = parse_recording(text)
        streams = [(f"{answer.vendor}:{answer.model}", heard(answer)) for answer in recording.answers]
    except CadenzaError as error:
        yield {"id": None, "error": str(error)}
        return
    take = ReplayInput((), settings or Settings())
    for name, chunks in streams:
        events = list(_sliced(chunks, slices)) if slices else chunks
        round_, result = _through(take, events)
        calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in _calls(chunks)]
        yield {"id": name, **result, "calls": calls, "usage": asdict(round_.usage), "failure": _failure(round_)}


def _sliced(chunks: Iterable[Chunk], slices: Slicer) -> Iterator[Chunk]:
    """*chunks* with each run of text sliced differently."""
    for is_text, run in groupby(chunks, lambda chunk: isinstance(chunk, TextDelta)):
        if is_text:
            yield from map(TextDelta, slices([chunk.text for chunk in run if isinstance(chunk, TextDelta)]))
        else:
            yield from run


def _calls(chunks: Iterable[Chunk]) -> list[ToolCall]:
    return [chunk for chunk in chunks if isinstance(chunk, ToolCall)]


def _failure(round_: Round) -> str | None:
    """The error of the provider, in our words."""
    return str(round_.outcome.error) if isinstance(round_.outcome, Broke) else None


def replay(take: ReplayInput, slices: Slicer | None = None) -> dict[str, object]:
    """Run one stream through the pipeline."""
    texts = slices(take.chunks) if slices else take.chunks
    _, result = _through(take, [*map(TextDelta, texts), *take.end.events])
    return result


def _through(take: ReplayInput, events: Iterable[RoundEvent]) -> tuple[Round, dict[str, object]]:
    """Run *events* through the pipeline with the settings of *take*."""
    tap = _Tap()
    settings = take.settings
    scene = Scene("replay", take.persona, roster=take.roster, prefill=take.prefill)
    row = with_tap(text_row(scene, settings, Random(settings.delivery.seed)), tap)
    round_ = Round(row, on_stop=settings.turn.on_stop)
    posts: list[Post] = []
    for event in events:
        made = round_.receive(event)
        posts += _last_words(made, round_, settings) if isinstance(event, StopRequested) else made
    if round_.fault:
        raise round_.fault
    return round_, {
        "posts": [_post(post) for post in posts],
        "segments": [
            {"text": segment.text, "boundary": segment.boundary.value, "kind": segment.kind.value}
            for segment in tap.segments
        ],
        "thoughts": round_.thoughts,
        "details": round_.details,
        "halt": round_.halt.reason.value if round_.halt else None,
        "outcome": _OUTCOME_NAME.sub("_", type(round_.outcome).__name__).lower(),
    }


def _last_words(posts: list[Post], round_: Round, settings: Settings) -> list[Post]:
    """What is sent of *posts*, the last ones of a stopped *round_*."""
    queue = PostQueue(settings.delivery.limit or Limits().length)
    queue.add(posts)
    queue.cut(round_.keep)
    return queue.posts


class _Tap:
    """A stage that records the segments."""

    def __init__(self) -> None:
        self.segments: list[Segment] = []

    def feed(self, segment: Segment, /) -> tuple[Segment]:
        self.segments.append(segment)
        return (segment,)

    def flush(self, why: Ending, /) -> tuple[()]:  # noqa: ARG002  # it holds nothing back
        return ()


def _post(post: Post) -> dict[str, object]:
    identity, attachment = post.identity, post.attachment
    return {
        "text": post.text,
        "joint": post.joint,
        "boundary": post.boundary.value,
        "pause": post.pause,
        "identity": {"name": identity.name, "avatar": identity.avatar} if identity else None,
        "label": post.label,
        "attachment": {"name": attachment.name, "size": len(attachment.data)} if attachment else None,
    }


# --- reading a line -------------------------------------------------------------------------


def read_line(line: bytes | str) -> Mapping[str, object]:
    """The JSON object in *line*; ``InputError`` says why there is none."""
    try:
        text = line if isinstance(line, str) else line.decode("utf-8-sig")
        value = json.loads(text, parse_constant=_refuse_constant)
    except UnicodeDecodeError as error:
        msg = Sentence("the line is not valid UTF-8 (byte {start})", start=error.start + 1)
        raise InputError(msg) from None
    except json.JSONDecodeError as error:
        msg = Sentence("the line is not valid JSON: {msg} (column {colno})", msg=error.msg, colno=error.colno)
        raise InputError(msg) from None
    except (ValueError, RecursionError):
        msg = Sentence(
            "the line is not JSON that can be parsed: a number is too long or invalid, or the nesting is too deep"
        )
        raise InputError(msg) from None
    if not isinstance(value, dict):
        msg = Sentence("the line must be an object with 'chunks', not {value}", value=_shown(value))
        raise InputError(msg)
    return value


def _refuse_constant(name: str) -> float:
    raise ValueError(name)  # Python would read NaN and Infinity, which JSON does not have


def parse(value: Mapping[str, object], settings: Settings) -> ReplayInput:
    """Parse one line of input; its settings go on top of *settings*."""
    _refuse_misspelt(value)
    if "chunks" not in value:
        msg = "the line has no 'chunks': give the text of the stream as a list of strings"
        raise InputError(msg)
    return ReplayInput(
        chunks=_texts(value["chunks"], "chunks"),
        settings=settings.with_values(_mapping(value.get("settings"), "settings")),
        end=_end(value.get("end")),
        persona=_persona(_mapping(value.get("persona"), "persona")),
        roster=_roster(_mapping(value.get("roster"), "roster")),
        prefill=_text(_given(value, "prefill", ""), "prefill"),
    )


def _refuse_misspelt(value: Mapping[str, object]) -> None:
    """Refuse misspelt fields. Other unknown fields are allowed: they may belong to another program."""
    known = ["id", "error", *(spec.name for spec in fields(ReplayInput))]
    for name in value:
        close = difflib.get_close_matches(name, known, n=1, cutoff=0.75)
        if name not in known and close:
            msg = Sentence("unknown field {name}; did you mean {close}?", name=repr(name), close=repr(close[0]))
            raise InputError(msg)


def _end(value: object) -> End:
    if value is None:
        return End.FINAL
    try:
        return End(value)
    except ValueError:
        msg = Sentence(
            "'end' must be one of {names}, not {value}",
            names=", ".join(repr(end.value) for end in End),
            value=_shown(value),
        )
        raise InputError(msg) from None


def _persona(value: Mapping[str, object]) -> Persona:
    return Persona(
        name=_text(_given(value, "name", ""), "persona.name"),
        aliases=_texts(_given(value, "aliases", []), "persona.aliases"),
        avatar=_optional(value, "avatar", "persona.avatar"),
        sprites=tuple(_sprite(sprite) for sprite in _list(_given(value, "sprites", []), "persona.sprites")),
        is_alter=_flag(value, "is_alter", "persona.is_alter"),
    )


def _sprite(value: object) -> Sprite:
    if isinstance(value, str):
        return Sprite(value)
    found = _mapping(value, "persona.sprites[]")
    return Sprite(
        name=_text(found.get("name"), "persona.sprites[].name"),
        avatar=_optional(found, "avatar", "persona.sprites[].avatar"),
        is_identity=_flag(found, "is_identity", "persona.sprites[].is_identity"),
        is_usable=_flag(found, "is_usable", "persona.sprites[].is_usable", default=True),
    )


def _roster(value: Mapping[str, object]) -> Roster:
    return Roster(
        mentions={
            handle.removeprefix("@"): _mention(target)
            for handle, target in _mapping(value.get("mentions"), "roster.mentions").items()
        },
        emoji=_emoji(_given(value, "emoji", [])),
        personas={
            name: _text(word, "roster.personas")
            for name, word in _mapping(value.get("personas"), "roster.personas").items()
        },
        participants=tuple(
            _participant(one) for one in _list(_given(value, "participants", []), "roster.participants")
        ),
        speakers=_texts(_given(value, "speakers", []), "roster.speakers"),
        recent_emoji=_texts(_given(value, "recent_emoji", []), "roster.recent_emoji"),
    )


def _participant(value: object) -> Participant:
    if isinstance(value, str):
        return Participant(value)
    found = _mapping(value, "roster.participants[]")
    return Participant(
        name=_text(found.get("name"), "roster.participants[].name"),
        aliases=_texts(_given(found, "aliases", []), "roster.participants[].aliases"),
        avatar=_optional(found, "avatar", "roster.participants[].avatar"),
    )


def _mention(target: object) -> str:
    if isinstance(target, int) and not isinstance(target, bool):
        target = str(target)
    text = _text(target, "roster.mentions")
    return f"<@{text}>" if text.isdigit() else text


def _emoji(value: object) -> dict[str, str]:
    if isinstance(value, dict):
        return {name.strip(":"): _text(tag, "roster.emoji") for name, tag in value.items()}
    tags = {}
    for tag in _texts(value, "roster.emoji"):
        match = _EMOJI_TAG.fullmatch(tag)
        if match is None:
            msg = Sentence("'roster.emoji' must hold tags such as '<:wave:123>', not {tag}", tag=_shown(tag))
            raise InputError(msg)
        tags[match["name"]] = tag
    return tags


def _given(value: Mapping[str, object], name: str, default: object) -> object:
    """The field *name*; ``null`` counts as missing."""
    found = value.get(name)
    return default if found is None else found


def _optional(value: Mapping[str, object], name: str, where: str) -> str | None:
    found = value.get(name)
    return None if found is None else _text(found, where)


def _flag(value: Mapping[str, object], name: str, where: str, *, default: bool = False) -> bool:
    found = _given(value, name, default)
    if isinstance(found, bool):
        return found
    msg = Sentence("'{where}' must be true or false, not {found}", where=where, found=_shown(found))
    raise InputError(msg)


def _text(value: object, where: str) -> str:
    if isinstance(value, str):
        return value
    msg = Sentence("'{where}' must be a text, not {value}", where=where, value=_shown(value))
    raise InputError(msg)


def _texts(value: object, where: str) -> tuple[str, ...]:
    items = _list(value, where)
    for item in items:
        if not isinstance(item, str):
            msg = Sentence("'{where}' must be a list of strings, but holds {item}", where=where, item=_shown(item))
            raise InputError(msg)
    return tuple(items)


def _list(value: object, where: str) -> list[Any]:
    if isinstance(value, list):
        return value
    msg = Sentence("'{where}' must be a list, not {value}", where=where, value=_shown(value))
    raise InputError(msg)


def _mapping(value: object, where: str) -> Mapping[str, object]:
    if value is None:
        return {}
    if isinstance(value, dict):
        return value
    msg = Sentence("'{where}' must be an object, not {value}", where=where, value=_shown(value))
    raise InputError(msg)


def _shown(value: object) -> str:
    text = json.dumps(value)
    return text if len(text) <= 60 else text[:57] + "..."
