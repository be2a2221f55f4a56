"""Does in the simulated world what a page asks for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, assert_never

from ...bot.terminal_input import command_of
from ...errors import InputError, Sentence
from ...sim.content_types import kind_of
from ...sim.wire import File, Json
from .request_types import (
    Act,
    ChooseAct,
    DeleteAct,
    EditAct,
    MenuAct,
    PressAct,
    ReactAct,
    SayBody,
    SubmitAct,
    SuggestAct,
    TypeAct,
    UnreactAct,
    Upload,
)

if TYPE_CHECKING:
    from ...sim.people import Person
    from .session import Live

_LONGEST = 2000
_TAKES = {
    0: "/{name} takes no files; send it without the others",
    1: "/{name} takes {count} file; send it without the others",
}
_TAKES_MORE = "/{name} takes {count} files; send it without the others"
_FILE_OPTION = 11
_ANSWERED = 3.0
"""Seconds that the bot has for an autocompletion."""


def say(live: Live, wanted: SayBody) -> Json:
    """Send a message, or use a command if it begins with a slash; two slashes send one."""
    person = live.play_world.person(wanted.who)
    files = [_file(upload) for upload in wanted.files]
    if wanted.text.startswith("/") and not wanted.text.startswith("//"):
        return {"interaction": _use(live, person, wanted, files)}
    text = wanted.text.removeprefix("/") if wanted.text.startswith("//") else wanted.text
    if not text.strip() and not files:
        msg = "there is nothing to say; write something, or send a file"
        raise InputError(msg)
    said = _sayable(live.play_world.demo_server.addressed(text))
    return {"id": person.says(wanted.channel, said, reply_to=wanted.reply_to, files=files)}


async def act(live: Live, wanted: Act) -> Json:
    """Do any other action."""
    me = live.play_world.me
    match wanted:
        case EditAct(channel, id_, text):
            _author(live, channel, id_).edits(channel, id_, _sayable(live.play_world.demo_server.addressed(text)))
        case DeleteAct(channel, id_):
            _author(live, channel, id_).deletes(channel, id_)
        case ReactAct(channel, id_, emoji):
            me.reacts(channel, id_, emoji)
        case UnreactAct(channel, id_, emoji):
            me.unreacts(channel, id_, emoji)
        case TypeAct(channel, who):
            live.play_world.person(who).types(channel)
        case PressAct(channel, id_, component):
            return {"interaction": me.presses(channel, id_, component)}
        case ChooseAct(channel, id_, component, values):
            return {"interaction": me.selects(channel, id_, component, *values)}
        case MenuAct(channel, id_, name):
            return {"interaction": me.commands(channel, name, target=id_)}
        case SubmitAct(interaction, values):
            return {"interaction": me.submits(interaction, values)}
        case SuggestAct():
            return {"suggestions": await _suggested(live, wanted)}
        case _:
            assert_never(wanted)
    return {}


def _use(live: Live, person: Person, wanted: SayBody, files: Sequence[File]) -> str:
    """Use a command; the files go to its file options, in order."""
    known = live.world.get_commands(live.play_world.demo_server.bot, None)
    spoken = [_without_files(command) for command in known] if files else known
    name, options = command_of(wanted.text[1:].strip(), spoken, live.play_world.demo_server.names())
    wants = _file_options(known, name.split())
    if len(files) > len(wants):
        msg = Sentence(_TAKES.get(len(wants), _TAKES_MORE), name=name, count=len(wants))
        raise InputError(msg)
    return person.commands(wanted.channel, name, **options, **dict(zip(wants, files, strict=False)))


def _without_files(command: Json) -> Json:
    options = command.get("options") or []
    return {**command, "options": [_without_files(one) for one in options if one["type"] != _FILE_OPTION]}


def _file_options(commands: Sequence[Json], words: Sequence[str]) -> list[str]:
    """The names of a command's file options."""
    found: Sequence[Json] = commands
    for word in words:
        found = next((one.get("options") or [] for one in found if one["name"] == word), [])
    return [option["name"] for option in found if option["type"] == _FILE_OPTION]


async def _suggested(live: Live, wanted: SuggestAct) -> list[Json]:
    """The bot's autocompletion for an option; empty if it does not answer in time."""
    interaction = live.play_world.me.completes(
        wanted.channel, wanted.command, wanted.option, wanted.text, **wanted.others
    )
    try:
        await live.server.until(lambda: live.world.is_answered(interaction), within=_ANSWERED)
    except TimeoutError:
        return []
    return [{"name": one["name"], "value": one["value"]} for one in live.world.suggestions(interaction)]


def _author(live: Live, channel: str, message: str) -> Person:
    """The author of *message*, if one can speak as them; else oneself, so that Discord refuses the action."""
    author = live.world.get_message(live.play_world.me.id, channel, message)["author"]["id"]
    return next((person for person in live.play_world.people if person.id == author), live.play_world.me)


def _file(upload: Upload) -> File:
    name = upload.name.replace("\\", "/").rpartition("/")[2] or "file"
    return File(name, upload.data, kind_of(name, upload.data))


def _sayable(text: str) -> str:
    if len(text) > _LONGEST:
        msg = Sentence(
            "a message holds {longest} characters at most, and that has {count}; say it in parts",
            longest=_LONGEST,
            count=len(text),
        )
        raise InputError(msg)
    return text
