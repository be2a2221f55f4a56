"""Turns a trace into films, one for each reply.

A trace holds what the bot sent, but not what others did, nor the content of pictures; so its films show less.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from datetime import UTC, datetime

from ...explain.story import Stories
from ...explain.words import replies
from ...facts import LoggedFact, MessageDeleted, MessageSent, ReplyBegan
from ...text.markup import nodes
from .fact_records import record_of, said_in
from .film import Film, FilmRecord, Json
from .tokens import Tokens

_EPOCH = 1_800_000_000
"""When all films begin, in seconds since 1970: a trace has no date."""
_CHANNEL = "1"
_BOT = "2"
"""Ids for what a trace does not name."""
_UNKNOWN = ReplyBegan("reply", "", "", None, {})
"""How a reply began whose first fact is missing."""


def films_of(facts: Iterable[LoggedFact]) -> list[Film]:
    """A film of each reply in *facts*."""
    return [_film(own) for own in replies(facts)]


def _film(facts: Sequence[LoggedFact]) -> Film:
    begun = next((logged.fact for logged in facts if isinstance(logged.fact, ReplyBegan)), _UNKNOWN)
    name = begun.persona or "Cadenza"
    channel = begun.channel or _CHANNEL
    records = [*_scene(begun, name, channel), *_Reel(name, channel).records(facts)]
    return Film(tuple(sorted(records, key=lambda record: record.at)), settings=dict(begun.settings))


def _scene(begun: ReplyBegan, name: str, channel: str) -> list[FilmRecord]:
    place = {"id": channel, "name": begun.channel or "general", "sort": "text", "topic": ""}
    person = {"id": _BOT, "name": name, "avatar": None, "is_bot": True, "is_me": False}
    return [FilmRecord(0.0, "person", {"person": person}), FilmRecord(0.0, "channel", {"channel": place})]


class _Reel:
    """Makes records of the facts of one reply of *name* in a *channel*."""

    def __init__(self, name: str, channel: str) -> None:
        self._name = name
        self._channel = channel
        self._tokens = Tokens(is_live=False)
        self._stories = Stories()

    def records(self, facts: Sequence[LoggedFact]) -> Iterator[FilmRecord]:
        """All of them."""
        for logged in facts:
            if token := said_in(logged.fact):
                if record := self._tokens.add(logged.turn, *token, logged.at):
                    yield record
            else:
                yield from self._fact(logged)
            for told in self._stories.feed(logged):
                yield FilmRecord(logged.at, told.kind, {"turn": logged.turn, **told.about})
        yield from self._said()

    def _fact(self, logged: LoggedFact) -> Iterator[FilmRecord]:
        yield from self._said()
        match logged.fact:
            case MessageSent() as sent:
                yield FilmRecord(logged.at, "message", {"message": self._message(sent, logged.at)})
            case MessageDeleted(message=id_, error=None):
                yield FilmRecord(logged.at, "deleted", {"channel": self._channel, "id": id_})
            case _:
                pass
        if record := record_of(logged, logged.at):
            yield record

    def _said(self) -> Iterator[FilmRecord]:
        """The tokens before another fact."""
        if record := self._tokens.flush():
            yield record

    def _message(self, sent: MessageSent, at: float) -> Json:
        text, file, name = sent.text, sent.attachment, sent.identity
        return {
            "id": sent.message,
            "channel": self._channel,
            "time": datetime.fromtimestamp(_EPOCH + min(at, 1e9), UTC).isoformat(),
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
