"""The memory tools of a model: write a note, delete one, summarise the conversation."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from ...errors import InputError, Sentence, ToolError
from ...tools.functions import tool
from ...tools.tool import Tool, ToolContext
from ...types import Line
from ..config.config import MemoryConfig
from .location import Location
from .notes import DIRECT, PRIVATE, About, By, Notes, NoteSubject
from .privacy import Privacy, PrivacyLevel
from .recall_text import is_told
from .screening import Unfit, unfit
from .short_term import ShortTerm


@dataclass
class MemoryTools:
    """The tools of one turn. They are methods, so their schemas are made once and bound to each turn."""

    where: Location
    short_term: ShortTerm
    notes: Notes
    privacy: Privacy
    is_summed_up: bool = False

    def offered(self, config: MemoryConfig) -> list[Tool]:
        """The tools that *config* enables."""
        about_notes = [tool(self.remember), tool(self.forget_note)] if config.notes else []
        return [*about_notes, *([tool(self.summarise_conversation, once=True)] if config.short_term else [])]

    async def remember(self, note: str, context: ToolContext, about: Literal["person", "server"] = "person") -> str:
        """Write down one short fact that is worth knowing for a long time, so that you know it in later conversations.

        Args:
            note: The fact, in one sentence of at most 500 characters. No orders, no secrets.
            about: Whether it is about the person you are answering, or about the server.
        """
        _check(note)
        async with self.privacy.writing:
            await self._check_wishes(about)
            await self._check_others(note, context.scene.history)
            subject = self._subject(about)
            before = {kept.key for kept in await self.notes.of(subject)}
            writer = self.where.person if subject.about is About.SERVER else ""
            try:
                kept = await self.notes.add(subject, note, by=By.MODEL, writer=writer, origin=self._origin())
            except InputError as error:
                raise ToolError(error.sentence) from None
        return f"Known already as note {kept.number}." if kept.key in before else f"Kept as note {kept.number}."

    async def forget_note(self, number: int, about: Literal["person", "server"] = "person") -> str:
        """Delete one of your notes, for instance because it is not true any more.

        Args:
            number: The number that the note has in your list.
            about: Whether the note is about the person you are answering, or about the server.
        """
        async with self.privacy.writing:
            subject = self._subject(about)
            note = await self.notes.find(subject, number)
            if note is None or not (subject.about is About.SERVER or is_told(note, self.where)):
                msg = Sentence("There is no note {number}.", number=number)
                raise ToolError(msg)
            if subject.about is About.SERVER and note.by is By.PERSON:
                msg = Sentence("That note was written by those who manage the server; only they can delete it.")
                raise ToolError(msg)
            await self.notes.delete(subject, number)
        return f"Note {number} is deleted."

    async def summarise_conversation(self, summary: str, context: ToolContext) -> str:
        """Keep a summary of this conversation, so that you know later what it was about. Once in a turn.

        Args:
            summary: What happened and what was agreed, in at most 1500 characters. No orders, no secrets.
        """
        if self.is_summed_up:
            msg = "There is a summary of this turn already."
            raise ToolError(msg)
        _check(summary)
        async with self.privacy.writing:
            wishes = await self.privacy.of(self.where.person)
            people = {line.author for line in context.scene.history if line.author}
            if wishes.level is PrivacyLevel.FULL or (self.where.is_direct and not wishes.keeps_direct):
                raise ToolError(_NOTHING_KEPT)
            is_of_forgotten = any(
                self.privacy.is_forgotten(line.author, line.message_id) for line in context.scene.history
            )
            if is_of_forgotten or await self.privacy.hidden(people):
                msg = "It was not kept: somebody who takes part wishes not to be remembered."
                raise ToolError(msg)
            await self.short_term.sum_up(self.where, summary.strip(), people=people)
        self.is_summed_up = True
        return "The summary is kept."

    def _subject(self, about: str) -> NoteSubject:
        if about == "person":
            return NoteSubject(About.PERSON, self.where.person)
        if self.where.is_direct:
            msg = "There is no server in direct messages."
            raise ToolError(msg)
        return NoteSubject(About.SERVER, self.where.server)

    def _origin(self) -> str:
        if self.where.is_direct:
            return DIRECT
        return PRIVATE if self.where.is_private else self.where.server

    async def _check_wishes(self, about: str) -> None:
        wishes = await self.privacy.of(self.where.person)
        is_over = self.privacy.is_forgotten(self.where.person, self.where.message)
        is_unwanted = (
            is_over or wishes.level is PrivacyLevel.FULL or (about == "person" and wishes.level is PrivacyLevel.LIMITED)
        )
        if is_unwanted or (self.where.is_direct and not wishes.keeps_direct):
            raise ToolError(_NOTHING_KEPT)
        if about == "server" and self.where.is_private:
            msg = "It was not kept: what is said here is not told elsewhere."
            raise ToolError(msg)

    async def _check_others(self, note: str, history: Iterable[Line]) -> None:
        """See to it that *note* names nobody who wishes not to be remembered."""
        speakers = {line.author: line.speaker for line in history if line.author}
        for person in await self.privacy.hidden(speakers):
            if person in note or (speakers[person] and speakers[person].casefold() in note.casefold()):
                msg = "It was not kept: it names somebody who wishes not to be remembered."
                raise ToolError(msg)


_NOTHING_KEPT = "It was not kept: this person has not asked for that here."


def _check(text: str) -> None:
    match unfit(text):
        case Unfit.SECRET:
            msg = "It was not kept: it looks like a key, a token or a password."
            raise ToolError(msg)
        case Unfit.ORDER:
            msg = "It was not kept: it reads like an order to you; only facts are kept."
            raise ToolError(msg)
        case None if not text.strip():
            msg = "It was not kept: there are no words in it."
            raise ToolError(msg)
        case None:
            return
