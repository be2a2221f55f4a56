"""``/memory`` and ``/forget``: what is remembered of who asks, what they wish of that, and the notes of a server."""

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
from . import context
from .context import AnyCommand, Desk, Interaction

NoteText: TypeAlias = app_commands.Range[str, 1, NOTE_LENGTH]
Page: TypeAlias = app_commands.Range[int, 1, 1000]

_PAGE_LENGTH = 1600
"""Characters of a list on one page; with what stands around it, Discord takes 2000."""
_LEVELS = {
    PrivacyLevel.OPEN: "From now on I remember what was said lately, and keep notes about you.",
    PrivacyLevel.LIMITED: "From now on I remember what was said lately, and keep no notes about you.",
    PrivacyLevel.FULL: "From now on I remember nothing of you, and your words are kept in nobody else's memory.",
}


def commands(desk: Desk) -> list[AnyCommand]:
    """What is to be registered."""
    memory = app_commands.Group(
        name=locale_str("memory"), description=locale_str("What I remember of you, and what you wish of that")
    )
    _add_notes(memory, desk.staff.memory)
    _add_wishes(memory, desk.staff.memory)
    _add_deletion(memory, desk.staff.memory)
    _add_server(memory, desk.staff.memory)
    forget = app_commands.Group(name=locale_str("forget"), description=locale_str("Have yourself forgotten"))
    _add_forgetting(forget, "me", desk.staff.memory)
    return [memory, forget]


# --- what is remembered of who asks ---------------------------------------------------------------


def _add_notes(group: app_commands.Group, memory: Memory) -> None:
    @group.command(name=locale_str("list"), description=locale_str("The notes about you, and what you have chosen"))
    @app_commands.describe(page=locale_str("Which page"))
    @context.answered
    async def list_(interaction: Interaction, page: Page = 1) -> None:
        wishes = await memory.privacy.of(_asker(interaction))
        direct = context.words(interaction, "on" if wishes.keeps_direct else "off")
        level = context.words(interaction, wishes.level.value)
        head = context.words(
            interaction, "Your privacy is “{level}”; memory of direct messages is {direct}.", level=level, direct=direct
        )
        notes = [_shown(interaction, note) for note in await memory.notes.of(_person(interaction))]
        none = context.words(interaction, "There are no notes about you.")
        await context.show(interaction, f"{head}\n{_paged(interaction, notes, page) or none}")

    @group.command(name=locale_str("note"), description=locale_str("Have something about you remembered everywhere"))
    @app_commands.describe(text=locale_str("What is to be remembered"))
    @context.answered
    async def note(interaction: Interaction, text: NoteText) -> None:
        async with memory.privacy.writing:
            if (await memory.privacy.of(_asker(interaction))).level is not PrivacyLevel.OPEN:
                refusal = "You have chosen that no notes about you are kept; “/memory privacy” changes that."
                await context.tell(interaction, refusal)
                return
            kept = await memory.notes.add(_person(interaction), text, by=By.PERSON)
        await context.tell(interaction, "Kept as note {number}.", number=kept.number)

    @group.command(name=locale_str("delete"), description=locale_str("Delete one of the notes about you"))
    @app_commands.describe(note=locale_str("Which note"))
    @context.answered
    async def delete(interaction: Interaction, note: int) -> None:
        await _delete(interaction, memory, _person(interaction), note)

    @delete.autocomplete("note")
    async def suggest(interaction: Interaction, current: str) -> list[app_commands.Choice[int]]:
        return await _suggested(memory, _person(interaction), current)

    @group.command(name=locale_str("summary"), description=locale_str("What I remember of our last conversations"))
    @app_commands.describe(page=locale_str("Which page"))
    @context.answered
    async def summary(interaction: Interaction, page: Page = 1) -> None:
        entries = [_told(interaction, entry) for entry in await memory.short_term.of_person(_asker(interaction))]
        none = context.words(interaction, "I remember no conversation with you.")
        await context.show(interaction, _paged(interaction, entries, page) or none)


def _add_wishes(group: app_commands.Group, memory: Memory) -> None:
    @group.command(name=locale_str("privacy"), description=locale_str("Choose how much I remember of you"))
    @app_commands.describe(level=locale_str("“limited” keeps no notes, “full” keeps nothing; what is there is deleted"))
    @context.answered
    async def privacy(interaction: Interaction, level: Literal["open", "limited", "full"]) -> None:
        gone = await memory.privacy.set_level(_asker(interaction), PrivacyLevel(level), asked=str(interaction.id))
        deleted = context.words(interaction, "Deleted: {count}.", count=gone.records + gone.lines)
        await context.show(interaction, f"{context.words(interaction, _LEVELS[PrivacyLevel(level)])} {deleted}")

    @group.command(name=locale_str("direct"), description=locale_str("Choose whether I remember our direct messages"))
    @app_commands.describe(state=locale_str("“off” deletes what is remembered of them"))
    @context.answered
    async def direct(interaction: Interaction, state: Literal["on", "off"]) -> None:
        gone = await memory.privacy.set_direct(_asker(interaction), keeps=state == "on")
        if state == "on":
            await context.tell(interaction, "From now on I remember our direct messages; they are told nowhere else.")
        else:
            await context.tell(interaction, "I do not remember direct messages. Deleted: {count}.", count=gone)

    @group.command(
        name=locale_str("export"), description=locale_str("Have everything that is kept about you as a file")
    )
    @context.answered
    async def export(interaction: Interaction) -> None:
        await interaction.response.defer(ephemeral=True, thinking=True)
        kept = await memory.export(_asker(interaction))
        written = json.dumps(kept, ensure_ascii=False, indent=2, default=dict).encode()
        file = discord.File(io.BytesIO(written), filename="memory.json")
        await context.show(interaction, context.words(interaction, "This is all that is kept about you."), file=file)


# --- deleting all of it ----------------------------------------------------------------------------


class _Answer(discord.ui.Button["_Question"]):
    """A button that does something once."""

    def __init__(self, label: str, style: discord.ButtonStyle, act: Callable[[Interaction], Awaitable[str]]) -> None:
        super().__init__(label=label, style=style)
        self._act = act

    async def callback(self, interaction: Interaction) -> None:
        """Do it, and put what came of it in the place of the question."""
        if self.view is not None:
            self.view.stop()
        await self._answer(interaction)

    async def _answer(self, interaction: Interaction) -> None:
        @context.answered
        async def answer(interaction: Interaction) -> None:
            await interaction.response.edit_message(content=await self._act(interaction), view=None)

        await answer(interaction)


class _Question(discord.ui.View):
    """Buttons of which one is pressed, if any, within three minutes."""

    def __init__(self, *answers: _Answer) -> None:
        super().__init__(timeout=180.0)
        for answer in answers:
            self.add_item(answer)


def _add_deletion(group: app_commands.Group, memory: Memory) -> None:
    @group.command(name=locale_str("clear"), description=locale_str("Delete what I remember of you, not your choices"))
    @context.answered
    async def clear(interaction: Interaction) -> None:
        async def act(interaction: Interaction) -> str:
            gone = await memory.privacy.clear(_asker(interaction), asked=str(interaction.id))
            return context.words(interaction, "Deleted: {count}.", count=gone.records + gone.lines)

        question = "Shall I delete all notes about you, and what I remember of our conversations?"
        await _ask(
            interaction, question, _Answer(context.words(interaction, "Delete"), discord.ButtonStyle.danger, act)
        )

    _add_forgetting(group, "forget", memory)


def _add_forgetting(group: app_commands.Group, name: str, memory: Memory) -> None:
    @group.command(name=locale_str(name), description=locale_str("Delete everything that is kept about you"))
    @context.answered
    async def forget(interaction: Interaction) -> None:
        async def act(interaction: Interaction) -> str:
            gone = await memory.privacy.forget(_asker(interaction), asked=str(interaction.id))
            text = (
                "You are forgotten. Deleted: {records} records that were yours, and {lines} lines in the memory of "
                "others. What you say from now on is remembered as of anybody else."
            )
            return context.words(interaction, text, records=gone.records, lines=gone.lines)

        async def act_for_good(interaction: Interaction) -> str:
            gone = await memory.privacy.forget(_asker(interaction), asked=str(interaction.id))
            await memory.privacy.set_level(_asker(interaction), PrivacyLevel.FULL, asked=str(interaction.id))
            text = (
                "You are forgotten. Deleted: {records} records that were yours, and {lines} lines in the memory of "
                "others. Nothing more is kept than that you wish not to be remembered."
            )
            return context.words(interaction, text, records=gone.records, lines=gone.lines)

        danger = discord.ButtonStyle.danger
        await _ask(
            interaction,
            "Shall I delete everything that is kept about you: notes, conversations, choices? It cannot be undone.",
            _Answer(context.words(interaction, "Forget me"), danger, act),
            _Answer(context.words(interaction, "Forget me, and remember nothing in future"), danger, act_for_good),
        )


async def _ask(interaction: Interaction, question: str, *answers: _Answer) -> None:
    async def leave(interaction: Interaction) -> str:
        return context.words(interaction, "Nothing was deleted.")

    cancel = _Answer(context.words(interaction, "Cancel"), discord.ButtonStyle.secondary, leave)
    await context.show(interaction, context.words(interaction, question), view=_Question(*answers, cancel))


# --- the notes of a server -------------------------------------------------------------------------


def _add_server(group: app_commands.Group, memory: Memory) -> None:
    server = app_commands.Group(
        name=locale_str("server"), description=locale_str("The notes about this server"), parent=group
    )

    @server.command(name=locale_str("list"), description=locale_str("The notes about this server"))
    @app_commands.describe(page=locale_str("Which page"))
    @context.answered
    async def list_(interaction: Interaction, page: Page = 1) -> None:
        if await context.may_manage_server(interaction):
            notes = [_shown(interaction, note) for note in await memory.notes.of(_server(interaction))]
            none = context.words(interaction, "There are no notes about this server.")
            await context.show(interaction, _paged(interaction, notes, page) or none)

    @server.command(name=locale_str("note"), description=locale_str("Have something about this server remembered"))
    @app_commands.describe(text=locale_str("What is to be remembered"))
    @context.answered
    async def note(interaction: Interaction, text: NoteText) -> None:
        if await context.may_manage_server(interaction):
            async with memory.privacy.writing:
                kept = await memory.notes.add(_server(interaction), text, by=By.PERSON)
            await context.tell(interaction, "Kept as note {number}.", number=kept.number)

    @server.command(name=locale_str("delete"), description=locale_str("Delete one of the notes about this server"))
    @app_commands.describe(note=locale_str("Which note"))
    @context.answered
    async def delete(interaction: Interaction, note: int) -> None:
        if await context.may_manage_server(interaction):
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
    await context.tell(interaction, "Deleted: {text}", text=gone.text)


async def _suggested(memory: Memory, subject: NoteSubject, current: str) -> list[app_commands.Choice[int]]:
    """The notes that *current* may mean: by a part of their text, or by their number."""
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
    return f"{note.number}. {note.text} ({context.words(interaction, 'written by the model')})"


def _told(interaction: Interaction, entry: ConversationMemory) -> str:
    count = len(entry.lines)
    many = context.words(interaction, "1 message" if count == 1 else "{count} messages", count=count)
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
    foot = context.words(interaction, "Page {page} of {pages}", page=number, pages=len(pages))
    return "\n".join([*pages[number - 1], *([foot] if len(pages) > 1 else [])])
