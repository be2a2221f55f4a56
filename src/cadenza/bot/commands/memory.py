"""``/memory`` and ``/forget``: notes and privacy of the user, and the notes of a server."""

from __future__ import annotations

import io
import json
from collections.abc import Awaitable, Callable, Sequence
from typing import Literal, TypeAlias

import discord
from discord import app_commands
from discord.app_commands import locale_str

from ...errors import InputError
from ..memory.conversation import ConversationMemory
from ..memory.memory_service import Memory
from ..memory.notes import NOTE_LENGTH, About, By, NoteSubject, Remark
from ..memory.privacy import PrivacyLevel
from ..store.store import StoreError
from . import context as frame
from .context import AnyCommand, CommandContext, Interaction

NoteText: TypeAlias = app_commands.Range[str, 1, NOTE_LENGTH]
Page: TypeAlias = app_commands.Range[int, 1, 1000]

_PAGE_LENGTH = 1600
"""Characters of a list per page; with the text around it, Discord allows 2000."""
_LEVELS = {
    PrivacyLevel.OPEN: "From now on I remember recent conversations and keep notes about you.",
    PrivacyLevel.LIMITED: "From now on I remember recent conversations, but keep no notes about you.",
    PrivacyLevel.FULL: "From now on I remember nothing about you, and your words are not kept in the memory of others.",
}


def commands(context: CommandContext) -> list[AnyCommand]:
    """The groups ``/memory`` and ``/forget``."""
    memory = app_commands.Group(
        name=locale_str("memory"), description=locale_str("What I remember about you, and your choices")
    )
    _add_notes(memory, context.services.memory)
    _add_wishes(memory, context.services.memory)
    _add_deletion(memory, context.services.memory)
    _add_server(memory, context.services.memory)
    forget = app_commands.Group(name=locale_str("forget"), description=locale_str("Make me forget you"))
    _add_forgetting(forget, "me", context.services.memory)
    return [memory, forget]


# --- memory of the user ---------------------------------------------------------------


def _add_notes(group: app_commands.Group, memory: Memory) -> None:
    @group.command(name=locale_str("list"), description=locale_str("The notes about you, and your choices"))
    @app_commands.describe(page=locale_str("Which page"))
    @frame.answered
    async def list_(interaction: Interaction, page: Page = 1) -> None:
        wishes = await memory.privacy.of(_asker(interaction))
        direct = frame.words(interaction, "on" if wishes.keeps_direct else "off")
        level = frame.words(interaction, wishes.level.value)
        head = frame.words(
            interaction, "Your privacy is “{level}”; memory of direct messages is {direct}.", level=level, direct=direct
        )
        notes = [_shown(interaction, note) for note in await memory.notes.of(_person(interaction))]
        none = frame.words(interaction, "There are no notes about you.")
        await frame.show(interaction, f"{head}\n{_paged(interaction, notes, page) or none}")

    @group.command(name=locale_str("note"), description=locale_str("Add a note about you that holds everywhere"))
    @app_commands.describe(text=locale_str("What to remember"))
    @frame.answered
    async def note(interaction: Interaction, text: NoteText) -> None:
        async with memory.privacy.writing:
            if (await memory.privacy.of(_asker(interaction))).level is not PrivacyLevel.OPEN:
                refusal = "You have chosen not to have notes kept; “/memory privacy” changes that."
                await frame.tell(interaction, refusal)
                return
            kept = await memory.notes.add(_person(interaction), text, by=By.PERSON)
        await frame.tell(interaction, "Kept as note {number}.", number=kept.number)

    @group.command(name=locale_str("delete"), description=locale_str("Delete one of the notes about you"))
    @app_commands.describe(note=locale_str("Which note"))
    @frame.answered
    async def delete(interaction: Interaction, note: int) -> None:
        await _delete(interaction, memory, _person(interaction), note)

    @delete.autocomplete("note")
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[int]]:
        return await _suggested(memory, _person(interaction), current)

    @group.command(name=locale_str("summary"), description=locale_str("What I remember of our recent conversations"))
    @app_commands.describe(page=locale_str("Which page"))
    @frame.answered
    async def summary(interaction: Interaction, page: Page = 1) -> None:
        entries = [_told(interaction, entry) for entry in await memory.short_term.of_person(_asker(interaction))]
        none = frame.words(interaction, "I remember no conversation with you.")
        await frame.show(interaction, _paged(interaction, entries, page) or none)


def _add_wishes(group: app_commands.Group, memory: Memory) -> None:
    @group.command(name=locale_str("privacy"), description=locale_str("Choose how much I remember about you"))
    @app_commands.describe(level=locale_str("“limited” keeps no notes, “full” keeps nothing; what exists is deleted"))
    @frame.answered
    async def privacy(interaction: Interaction, level: Literal["open", "limited", "full"]) -> None:
        gone = await memory.privacy.set_level(_asker(interaction), PrivacyLevel(level), asked=str(interaction.id))
        deleted = frame.words(interaction, "Deleted: {count}.", count=gone.records + gone.lines)
        await frame.show(interaction, f"{frame.words(interaction, _LEVELS[PrivacyLevel(level)])} {deleted}")

    @group.command(name=locale_str("direct"), description=locale_str("Choose whether I remember our direct messages"))
    @app_commands.describe(state=locale_str("“off” deletes what I remember of them"))
    @frame.answered
    async def direct(interaction: Interaction, state: Literal["on", "off"]) -> None:
        gone = await memory.privacy.set_direct(_asker(interaction), keeps=state == "on")
        if state == "on":
            await frame.tell(interaction, "From now on I remember our direct messages; I use them nowhere else.")
        else:
            await frame.tell(interaction, "I do not remember direct messages. Deleted: {count}.", count=gone)

    @group.command(name=locale_str("export"), description=locale_str("Get everything that is kept about you as a file"))
    @frame.answered
    async def export(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        kept = await memory.export(_asker(interaction))
        written = json.dumps(kept, ensure_ascii=False, indent=2, default=dict).encode()
        file = discord.File(io.BytesIO(written), filename="memory.json")
        await frame.show(interaction, frame.words(interaction, "This is everything that is kept about you."), file=file)


# --- deleting all of it ----------------------------------------------------------------------------


class _Answer(discord.ui.Button["_Question"]):
    """A button that does something once."""

    def __init__(self, label: str, style: discord.ButtonStyle, act: Callable[[Interaction], Awaitable[str]]) -> None:
        super().__init__(label=label, style=style)
        self._act = act

    async def callback(self, interaction: Interaction) -> None:
        """Run the action, and replace the question with its result."""
        if self.view is not None:
            self.view.stop()
        await self._answer(interaction)

    async def _answer(self, interaction: Interaction) -> None:
        @frame.answered
        async def answer(interaction: Interaction) -> None:
            await interaction.response.edit_message(content=await self._act(interaction), view=None)

        await answer(interaction)


class _Question(discord.ui.View):
    """Buttons that expire after three minutes."""

    def __init__(self, *answers: _Answer) -> None:
        super().__init__(timeout=180.0)
        for answer in answers:
            self.add_item(answer)


def _add_deletion(group: app_commands.Group, memory: Memory) -> None:
    @group.command(
        name=locale_str("clear"), description=locale_str("Delete what I remember about you, but not your choices")
    )
    @frame.answered
    async def clear(interaction: Interaction) -> None:
        async def act(interaction: Interaction) -> str:
            gone = await memory.privacy.clear(_asker(interaction), asked=str(interaction.id))
            return frame.words(interaction, "Deleted: {count}.", count=gone.records + gone.lines)

        question = "Delete all notes about you and what I remember of our conversations?"
        await _ask(interaction, question, _Answer(frame.words(interaction, "Delete"), discord.ButtonStyle.danger, act))

    _add_forgetting(group, "forget", memory)


def _add_forgetting(group: app_commands.Group, name: str, memory: Memory) -> None:
    @group.command(name=locale_str(name), description=locale_str("Delete everything that is kept about you"))
    @frame.answered
    async def forget(interaction: Interaction) -> None:
        async def act(interaction: Interaction) -> str:
            gone = await memory.privacy.forget(_asker(interaction), asked=str(interaction.id))
            text = (
                "You are forgotten. Deleted: {records} records of yours and {lines} lines in the memory of others. "
                "From now on you are remembered like everyone else."
            )
            return frame.words(interaction, text, records=gone.records, lines=gone.lines)

        async def act_for_good(interaction: Interaction) -> str:
            gone = await memory.privacy.forget(_asker(interaction), asked=str(interaction.id))
            await memory.privacy.set_level(_asker(interaction), PrivacyLevel.FULL, asked=str(interaction.id))
            text = (
                "You are forgotten. Deleted: {records} records of yours and {lines} lines in the memory of others. "
                "Only your wish not to be remembered is kept."
            )
            return frame.words(interaction, text, records=gone.records, lines=gone.lines)

        danger = discord.ButtonStyle.danger
        await _ask(
            interaction,
            "Delete everything that is kept about you: notes, conversations, choices? This cannot be undone.",
            _Answer(frame.words(interaction, "Forget me"), danger, act),
            _Answer(frame.words(interaction, "Forget me, and remember nothing in future"), danger, act_for_good),
        )


async def _ask(interaction: Interaction, question: str, *answers: _Answer) -> None:
    async def leave(interaction: Interaction) -> str:
        return frame.words(interaction, "Nothing was deleted.")

    cancel = _Answer(frame.words(interaction, "Cancel"), discord.ButtonStyle.secondary, leave)
    await frame.show(interaction, frame.words(interaction, question), view=_Question(*answers, cancel))


# --- the notes of a server -------------------------------------------------------------------------


def _add_server(group: app_commands.Group, memory: Memory) -> None:
    server = app_commands.Group(
        name=locale_str("server"), description=locale_str("The notes about this server"), parent=group
    )

    @server.command(name=locale_str("list"), description=locale_str("The notes about this server"))
    @app_commands.describe(page=locale_str("Which page"))
    @frame.answered
    async def list_(interaction: Interaction, page: Page = 1) -> None:
        if await frame.may_manage_server(interaction):
            notes = [_shown(interaction, note) for note in await memory.notes.of(_server(interaction))]
            none = frame.words(interaction, "There are no notes about this server.")
            await frame.show(interaction, _paged(interaction, notes, page) or none)

    @server.command(name=locale_str("note"), description=locale_str("Add a note about this server"))
    @app_commands.describe(text=locale_str("What to remember"))
    @frame.answered
    async def note(interaction: Interaction, text: NoteText) -> None:
        if await frame.may_manage_server(interaction):
            async with memory.privacy.writing:
                kept = await memory.notes.add(_server(interaction), text, by=By.PERSON)
            await frame.tell(interaction, "Kept as note {number}.", number=kept.number)

    @server.command(name=locale_str("delete"), description=locale_str("Delete one of the notes about this server"))
    @app_commands.describe(note=locale_str("Which note"))
    @frame.answered
    async def delete(interaction: Interaction, note: int) -> None:
        if await frame.may_manage_server(interaction):
            await _delete(interaction, memory, _server(interaction), note)

    @delete.autocomplete("note")
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[int]]:
        if interaction.guild_id is None or not interaction.permissions.manage_guild:
            return []
        return await _suggested(memory, _server(interaction), current)


# --- what they have in common ----------------------------------------------------------------------


def _asker(interaction: Interaction) -> str:
    return str(interaction.user.id)


def _person(interaction: Interaction) -> NoteSubject:
    return NoteSubject(About.PERSON, _asker(interaction))


def _server(interaction: Interaction) -> NoteSubject:
    return NoteSubject(About.SERVER, str(interaction.guild_id))


async def _delete(interaction: Interaction, memory: Memory, subject: NoteSubject, number: int) -> None:
    async with memory.privacy.writing:
        gone = await memory.notes.delete(subject, number)
    if gone is None:
        msg = "There is no such note; choose one from the list."
        raise InputError(msg)
    await frame.tell(interaction, "Deleted: {text}", text=gone.text)


async def _suggested(memory: Memory, subject: NoteSubject, current: str) -> list[app_commands.Choice[int]]:
    """The notes that match *current*, by text or number."""
    try:
        notes = await memory.notes.of(subject)
    except StoreError:
        return []
    wanted = str(current).casefold().strip()
    fitting = [note for note in notes if wanted in f"{note.number}. {note.text}".casefold()]
    return [app_commands.Choice(name=f"{note.number}. {note.text}"[:100], value=note.number) for note in fitting[:25]]


def _shown(interaction: Interaction, note: Remark) -> str:
    if note.by is By.PERSON:
        return f"{note.number}. {note.text}"
    return f"{note.number}. {note.text} ({frame.words(interaction, 'written by the model')})"


def _told(interaction: Interaction, entry: ConversationMemory) -> str:
    count = len(entry.lines)
    many = frame.words(interaction, "1 message" if count == 1 else "{count} messages", count=count)
    return f"<#{entry.channel}>, <t:{int(entry.at)}:R>: {entry.summary or many}"


def _paged(interaction: Interaction, lines: Sequence[str], number: int) -> str:
    """Page *number* of *lines*, or the last; empty if there are none."""
    pages: list[list[str]] = []
    room = 0
    for line in lines:
        room -= len(line) + 1
        if room < 0:
            pages.append([])
            room = _PAGE_LENGTH - len(line) - 1
        pages[-1].append(line)
    if not pages:
        return ""
    number = min(number, len(pages))
    foot = frame.words(interaction, "Page {page} of {pages}", page=number, pages=len(pages))
    return "\n".join([*pages[number - 1], *([foot] if len(pages) > 1 else [])])
