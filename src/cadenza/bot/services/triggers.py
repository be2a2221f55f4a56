"""Whether a message is answered, and by whom. Only decisions: everything is handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import TypeVar

from ...text.name_triggers import called
from ...text.names import normalised
from ..characters.cast import named
from ..characters.character import Character
from ..config.config import ConversationConfig
from .choices import Choice
from .message import ChatMessage

T = TypeVar("T")


class Cause(Enum):
    """Why a message is answered."""

    DIRECT = "direct"
    MENTION = "mention"
    REPLY = "reply"
    WORD = "word"
    CHANNEL = "channel"
    EVERY = "every"


@dataclass(frozen=True, slots=True)
class TriggerMatch:
    """A character is to answer."""

    persona: str
    """Its name."""
    cause: Cause


def calls(
    said: ChatMessage,
    cast: Sequence[Character],
    config: ConversationConfig,
    choice: Choice,
    *,
    since_last: int = 0,
    links: int = 0,
    bots_answered: int = 0,
) -> tuple[TriggerMatch, ...]:
    """Who answers *said*, in this order; empty if nobody does.

    *cast* is who may speak there, the main one first. *since_last* is how many messages were said there since the bot
    last spoke, this one included. *links* is how many answers of characters to each other came before, if *said* is by
    one of them: at ``cascade_limit`` nobody answers. *bots_answered* is how many messages of other bots were answered
    there since a person last spoke: once is enough. No character answers itself, and the bot never itself.
    """
    if said.is_system or choice.is_silent or not cast:
        return ()
    rules = _Rules(cast, config, choice)
    if said.is_own:
        return rules.for_character(said, links)
    if said.is_bot:
        return rules.for_bot(said) if bots_answered == 0 else ()
    if not said.server:
        return rules.for_direct(said)
    return rules.for_person(said, since_last)


@dataclass(frozen=True, slots=True)
class _Rules:
    """What holds where something was said."""

    cast: Sequence[Character]
    config: ConversationConfig
    choice: Choice

    def for_person(self, said: ChatMessage, since_last: int) -> tuple[TriggerMatch, ...]:
        """Who answers a person in a server: whoever is called, else one of us if everything or by now something is."""
        addressed = self._first((*self._mentioned(said), *self._replied(said), *self._named(said)))
        if addressed or not (said.text or said.has_more):  # what the bot may not read it cannot join in
            return addressed
        if self._is_chosen(said):
            return (TriggerMatch(self._usual, Cause.CHANNEL),)
        every = _chosen(self.choice.every, self.config.every)
        return (TriggerMatch(self._usual, Cause.EVERY),) if 0 < every <= since_last else ()

    def for_direct(self, said: ChatMessage) -> tuple[TriggerMatch, ...]:
        """Who answers somebody who talks to the bot alone: always one, and more only if they are named."""
        if not self.config.direct_messages:
            return ()
        found = tuple(self._replied(said)) or tuple(self._named(said)) or (TriggerMatch(self._usual, Cause.DIRECT),)
        return self._first(TriggerMatch(call.persona, Cause.DIRECT) for call in found)

    def for_bot(self, said: ChatMessage) -> tuple[TriggerMatch, ...]:
        """Who answers another bot: words alone do not call anybody."""
        if not _chosen(self.choice.bots, self.config.bots):
            return ()
        return self._first((*self._mentioned(said), *self._replied(said)))

    def for_character(self, said: ChatMessage, links: int) -> tuple[TriggerMatch, ...]:
        """Which others answer a character of ours: only those that it calls by a word, and only so often."""
        left = _chosen(self.choice.cascade_limit, self.config.cascade_limit) - links
        if not said.persona or left <= 0:
            return ()
        speaker = normalised(said.persona)
        return self._first(call for call in self._named(said) if normalised(call.persona) != speaker)[:left]

    def _mentioned(self, said: ChatMessage) -> Iterator[TriggerMatch]:
        if said.mentions_us and _chosen(self.choice.mentions, self.config.mentions):
            yield TriggerMatch(self._usual, Cause.MENTION)

    def _replied(self, said: ChatMessage) -> Iterator[TriggerMatch]:
        if said.answers and _chosen(self.choice.replies, self.config.replies):
            yield TriggerMatch(self._find(said.answers) or self._usual, Cause.REPLY)

    def _named(self, said: ChatMessage) -> Iterator[TriggerMatch]:
        if said.text and _chosen(self.choice.trigger_words, self.config.trigger_words):
            words = {character.name: (character.name, *character.aliases) for character in self.cast}
            yield from (TriggerMatch(name, Cause.WORD) for name in called(said.text, words))

    def _is_chosen(self, said: ChatMessage) -> bool:
        is_listed = not {said.channel, said.parent}.isdisjoint(self.config.channels)
        return _chosen(self.choice.always, is_listed)

    @property
    def _usual(self) -> str:
        """Who answers where nobody in particular is called."""
        return self._find(self.choice.persona or "") or self.cast[0].name

    def _find(self, name: str) -> str | None:
        found = named(self.cast, name)
        return None if found is None else found.name

    def _first(self, found: Iterable[TriggerMatch]) -> tuple[TriggerMatch, ...]:
        """As many of *found* as may answer one message, each character once and for its first cause."""
        causes: dict[str, Cause] = {}
        for call in found:
            causes.setdefault(call.persona, call.cause)
        most = max(1, _chosen(self.choice.match_limit, self.config.match_limit))
        return tuple(TriggerMatch(persona, cause) for persona, cause in causes.items())[:most]


def _chosen(choice: T | None, otherwise: T) -> T:
    """What was chosen, if anything was."""
    return otherwise if choice is None else choice
