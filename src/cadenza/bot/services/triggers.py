"""Decides whether a message is answered, and by which characters. Pure: all input is passed in."""

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
    """The characters that answer *said*, in order; empty if none does.

    *cast* are the characters that may speak there, the main one first. *since_last* counts the messages since the bot
    last spoke, this one included. *links* counts the preceding replies of characters to each other, if a character said
    *said*: at ``cascade_limit`` the chain ends. *bots_answered* counts the messages of other bots that were answered
    since a person last spoke: at most one is. A character never answers itself.
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
    """The rules that apply in one channel."""

    cast: Sequence[Character]
    config: ConversationConfig
    choice: Choice

    def for_person(self, said: ChatMessage, since_last: int) -> tuple[TriggerMatch, ...]:
        """For a person in a server: the addressed characters, else the default one if the channel or ``every`` says so."""
        addressed = self._first((*self._mentioned(said), *self._replied(said), *self._named(said)))
        if addressed or not (
            said.text or said.has_more
        ):  # without the message content intent there is nothing to answer
            return addressed
        if self._is_chosen(said):
            return (TriggerMatch(self._usual, Cause.CHANNEL),)
        every = _chosen(self.choice.every, self.config.every)
        return (TriggerMatch(self._usual, Cause.EVERY),) if 0 < every <= since_last else ()

    def for_direct(self, said: ChatMessage) -> tuple[TriggerMatch, ...]:
        """For a direct message: the default character, or those that are named."""
        if not self.config.direct_messages:
            return ()
        found = tuple(self._replied(said)) or tuple(self._named(said)) or (TriggerMatch(self._usual, Cause.DIRECT),)
        return self._first(TriggerMatch(call.persona, Cause.DIRECT) for call in found)

    def for_bot(self, said: ChatMessage) -> tuple[TriggerMatch, ...]:
        """For another bot: only a mention or a reply counts, not trigger words."""
        if not _chosen(self.choice.bots, self.config.bots):
            return ()
        return self._first((*self._mentioned(said), *self._replied(said)))

    def for_character(self, said: ChatMessage, links: int) -> tuple[TriggerMatch, ...]:
        """For one of our characters: those that it names, up to the cascade limit."""
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
        """The default character."""
        return self._find(self.choice.persona or "") or self.cast[0].name

    def _find(self, name: str) -> str | None:
        found = named(self.cast, name)
        return None if found is None else found.name

    def _first(self, found: Iterable[TriggerMatch]) -> tuple[TriggerMatch, ...]:
        """The first of *found* up to ``match_limit``, each character once, with its first cause."""
        causes: dict[str, Cause] = {}
        for call in found:
            causes.setdefault(call.persona, call.cause)
        most = max(1, _chosen(self.choice.match_limit, self.config.match_limit))
        return tuple(TriggerMatch(persona, cause) for persona, cause in causes.items())[:most]


def _chosen(choice: T | None, otherwise: T) -> T:
    """*choice* if it is set, else *otherwise*."""
    return otherwise if choice is None else choice
