"""Turns a trace into films, one for each reply.

A trace holds what the bot sent, but not what others did, nor the content of pictures; so its films show less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import UTC, datetime

from ...explain.step_words import text_of
from ...explain.steps import TraceStep
from ...explain.story import Stories
from ...explain.words import replies
from ...text.markup import nodes
from .film import Film, FilmRecord, Json
from .tokens import Tokens

_EPOCH = 1_800_000_000
"""When all films begin, in seconds since 1970: a trace has no date."""
_CHANNEL = "1"
_BOT = "2"
"""Ids for what a trace does not name."""


def films_of(traced: Iterable[TraceStep]) -> list[Film]:
    """A film of each reply in *traced*."""
    return [_film(steps) for steps in replies(traced)]


def _film(steps: Sequence[TraceStep]) -> Film:
    begun = next((step.about for step in steps if step.step == "reply"), {})
    settings = begun.get("settings")
    name = text_of(begun, "persona") or "Cadenza"
    records = sorted([*_scene(begun, name), *_Reel(name, _channel(begun)).records(steps)], key=lambda record: record.at)
    return Film(tuple(records), settings=dict(settings) if isinstance(settings, Mapping) else {})


def _scene(begun: Mapping[str, object], name: str) -> list[FilmRecord]:
    name_of_channel = text_of(begun, "channel") or "general"
    channel = {"id": _channel(begun), "name": name_of_channel, "sort": "text", "topic": ""}
    person = {"id": _BOT, "name": name, "avatar": None, "is_bot": True, "is_me": False}
    return [FilmRecord(0.0, "person", {"person": person}), FilmRecord(0.0, "channel", {"channel": channel})]


def _channel(begun: Mapping[str, object]) -> str:
    return text_of(begun, "channel") or _CHANNEL


class _Reel:
    """Makes records of the steps of one reply of *name* in a *channel*."""

    def __init__(self, name: str, channel: str) -> None:
        self._name = name
        self._channel = channel
        self._tokens = Tokens(is_live=False)
        self._stories = Stories()

    def records(self, steps: Sequence[TraceStep]) -> Iterator[FilmRecord]:
        """All of them."""
        for step in steps:
            if step.step == "chunk" and (sort := text_of(step.about, "kind")) in ("text", "thought"):
                if record := self._tokens.add(step.turn, sort, text_of(step.about, "text"), step.at):
                    yield record
            else:
                yield from self._step(step)
            for told in self._stories.feed(step):
                yield FilmRecord(step.at, told.kind, {"turn": step.turn, **told.about})
        yield from self._said()

    def _step(self, step: TraceStep) -> Iterator[FilmRecord]:
        yield from self._said()
        if step.step == "sent":
            yield FilmRecord(step.at, "message", {"message": self._message(step)})
        elif step.step == "deleted" and step.about.get("error") is None:
            yield FilmRecord(step.at, "deleted", {"channel": self._channel, "id": text_of(step.about, "message")})
        yield FilmRecord(step.at, "step", {"turn": step.turn, "step": step.step, "about": dict(step.about)})

    def _said(self) -> Iterator[FilmRecord]:
        """The tokens before another step."""
        if record := self._tokens.flush():
            yield record

    def _message(self, sent: TraceStep) -> Json:
        text, file = text_of(sent.about, "text"), text_of(sent.about, "attachment")
        name = text_of(sent.about, "identity")
        return {
            "id": text_of(sent.about, "message"),
            "channel": self._channel,
            "time": datetime.fromtimestamp(_EPOCH + min(sent.at, 1e9), UTC).isoformat(),
            "author": {
                "id": name or _BOT,
                "name": name or self._name,
                "avatar": None,
                "is_bot": True,
                "is_webhook": bool(name),
            },
            "content": text,
            "markup": nodes(text),
            "reply": None,
            "command": None,
            "is_edited": False,
            "is_private": False,
            "is_thinking": False,
            "is_silent": False,
            "pings": [],
            "files": [_file(file)] if file else [],
            "embeds": [],
            "components": [],
            "reactions": [],
            "system": None,
        }


def _file(name: str) -> Json:
    """A file that is known only by name."""
    kind = "application/octet-stream"
    absent = dict.fromkeys(("url", "width", "height"))
    return {"id": name, "name": name, "size": 0, "type": kind, **absent, "about": "", "is_spoiler": False}
