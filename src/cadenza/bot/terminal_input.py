"""Parses the lines of the terminal chat into acts."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

from ..errors import InputError, Sentence
from ..sim.wire import Json

HELP = """What you type is sent to #general. Also:
  /COMMAND name:value   use a command of the bot, as in /persona create name:Ren prompt:A shy astronomer
  /reply TEXT           reply to the last message of another author
  /dm TEXT              send a direct message to the bot
  /as NAME TEXT         send it as another person
  /edit TEXT            edit your last message
  /delete               delete it
  /react EMOJI          react to the last message of another author
  /press LABEL          press a button of that message
  /fill name:value      fill in and submit the form that the bot shows
  /menu NAME            use a context menu command on that message, as in /menu Explain
  /wait SECONDS         wait so long instead of until the channel is quiet (for scripts)
  /help, /quit          this text; the end
To send a message that begins with a slash, type two slashes."""


@dataclass(frozen=True, slots=True)
class SayLine:
    """Send a message."""

    text: str
    who: str = ""
    """Empty is the user."""
    is_direct: bool = False
    is_reply: bool = False


@dataclass(frozen=True, slots=True)
class UseLine:
    """Use a command of the bot."""

    line: str


@dataclass(frozen=True, slots=True)
class ReactLine:
    """React to the last message of another author."""

    emoji: str


@dataclass(frozen=True, slots=True)
class PressLine:
    """Press a button of that message."""

    label: str


@dataclass(frozen=True, slots=True)
class MenuLine:
    """Use a context menu command on that message."""

    name: str


@dataclass(frozen=True, slots=True)
class FillLine:
    """Submit the form that the bot shows."""

    text: str


@dataclass(frozen=True, slots=True)
class EditLine:
    """Edit one's last message."""

    text: str


@dataclass(frozen=True, slots=True)
class DeleteLine:
    """Delete one's last message."""


@dataclass(frozen=True, slots=True)
class WaitLine:
    """Wait."""

    seconds: float


@dataclass(frozen=True, slots=True)
class HelpLine:
    """Show what can be typed."""


@dataclass(frozen=True, slots=True)
class QuitLine:
    """End the chat."""


Typed: TypeAlias = (
    SayLine
    | UseLine
    | ReactLine
    | PressLine
    | MenuLine
    | FillLine
    | EditLine
    | DeleteLine
    | WaitLine
    | HelpLine
    | QuitLine
)

_LONGEST_WAIT = 600.0
_GROUPS = (1, 2)
_WHOLE = 4
_SHORT = 60
"""The type of an option that is a whole number."""
_YES, _NO = ("true", "yes", "on", "1"), ("false", "no", "off", "0")


_ALONE: Mapping[str, Typed] = MappingProxyType(
    {"help": HelpLine(), "quit": QuitLine(), "exit": QuitLine(), "delete": DeleteLine()}
)
"""Commands without arguments."""
_WITH_TEXT: Mapping[str, tuple[str, Callable[[str], Typed]]] = MappingProxyType(
    {
        "reply": ("what to say", lambda text: SayLine(text, is_reply=True)),
        "dm": ("what to say", lambda text: SayLine(text, is_direct=True)),
        "as": ("who says it, and what", lambda text: _said_by(*text.partition(" ")[::2])),
        "edit": ("what it should say", EditLine),
        "react": ("an emoji", ReactLine),
        "press": ("the label of the button", PressLine),
        "fill": ("field:value", FillLine),
        "menu": ("the name of the command", MenuLine),
        "wait": ("for how many seconds", lambda text: WaitLine(_seconds(text))),
    }
)
"""Commands with an argument: its name, and the act."""


def understood(line: str) -> Typed | None:
    """The act of *line*; ``None`` if it is empty. An incomplete one raises an ``InputError``."""
    line = line.strip()
    if not line.startswith("/") or line.startswith("//"):
        return SayLine(line.removeprefix("/")) if line else None
    word, _, rest = line[1:].partition(" ")
    word, rest = word.lower(), rest.strip()
    if word in _ALONE and not rest:
        return _ALONE[word]
    if word in _WITH_TEXT:
        what, made = _WITH_TEXT[word]
        return made(_given(rest, what))
    return UseLine(line[1:].strip())


def _said_by(who: str, text: str) -> SayLine:
    return SayLine(_given(text.strip(), "what to say"), who=who.removeprefix("@") or who)


def command_of(line: str, commands: Iterable[Json], names: Mapping[str, str]) -> tuple[str, dict[str, object]]:
    """The full name of the command in *line*, and its options.

    *names* are the ids of people (``@mia``) and channels (``#general``), in lower case. Raises an ``InputError``.
    """
    known = {name: options for command in commands if command["type"] == 1 for name, options in _leaves(command)}
    words = line.split()
    for length in (3, 2, 1):
        name = " ".join(words[:length])
        if name in known:
            rest = line.split(maxsplit=length)[length:]
            return name, _options(name, rest[0] if rest else "", known[name], names)
    below = sorted(name for name in known if name.startswith(f"{words[0]} ")) if words else []
    families = sorted({name.split()[0] for name in known})
    offered = ", ".join(f"/{name}" for name in below or families)
    msg = Sentence(
        "there is no command /{name}; there is {names}"
        if offered
        else "there is no command /{name}; there is no command at all",
        name=" ".join(words[:2]),
        names=offered,
    )
    raise InputError(msg)


def filled_in(text: str, form: Json) -> dict[str, str]:
    """The values that *text* gives the fields of *form*, by id; a field is named by its id or label."""
    fields = {str(name).casefold(): id_ for id_, label, _ in _fields(form) for name in (id_, label) if name}
    found = _split(text, fields)
    if not found:
        msg = Sentence("write what the form should hold as field:value; there is {fields}", fields=", ".join(fields))
        raise InputError(msg)
    return {fields[name]: value for name, value in found.items()}


def form_told(form: Json) -> str:
    """*form* as lines: its title, and the id, label and value of each field."""
    fields = list(_fields(form))
    lines = [f"  {id_}: {label}" + (f" (now: {_in_short(value)})" if value else "") for id_, label, value in fields]
    how = " ".join(f"{id_}:…" for id_, _, _ in fields)
    return "\n".join([f"A form: {form.get('title', '')}", *lines, f"Send it with /fill {how}"])


def _fields(form: Json) -> Iterable[tuple[str, str, str]]:
    """The id, the label and the text of each field of *form*."""
    for part in form["components"]:
        for field in part.get("components") or [part.get("component") or {}]:
            label = field.get("label") or part.get("label")
            yield str(field.get("custom_id", "")), str(label or ""), str(field.get("value") or "")


def _in_short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= _SHORT else f"{line[: _SHORT - 1]}…"


def _leaves(command: Json, before: str = "") -> Iterable[tuple[str, Sequence[Json]]]:
    """Every command by its full name, with its options."""
    name = f"{before} {command['name']}".strip()
    options = command.get("options") or []
    inner = [option for option in options if option["type"] in _GROUPS]
    if not inner:
        yield name, options
    for option in inner:
        yield from _leaves(option, name)


def _options(name: str, text: str, known: Sequence[Json], names: Mapping[str, str]) -> dict[str, object]:
    by_name = {str(option["name"]): option for option in known}
    found = _split(text, by_name)
    if text and not found:
        required = [one for one, option in by_name.items() if option.get("required") or len(known) == 1]
        if len(required) != 1:
            msg = Sentence(
                "write the options of /{name} as name:value; there is {names}"
                if by_name
                else "write the options of /{name} as name:value; there is none",
                name=name,
                names=", ".join(by_name),
            )
            raise InputError(msg)
        found = {required[0]: text}
    if missing := [one for one, option in by_name.items() if option.get("required") and one not in found]:
        msg = Sentence("/{name} needs {options}", name=name, options=", ".join(f"{one}:…" for one in missing))
        raise InputError(msg)
    return {one: _value(by_name[one], value, names) for one, value in found.items()}


def _split(text: str, known: Iterable[str]) -> dict[str, str]:
    """Split *text* at known names followed by a colon; other colons belong to the values."""
    marks = "|".join(map(re.escape, sorted(known, key=len, reverse=True)))
    if not marks:
        return {}
    places = list(re.finditer(rf"(?:^|(?<=\s))({marks}):", text, re.IGNORECASE))
    if not places or text[: places[0].start()].strip():
        return {}
    ends = [*(place.start() for place in places[1:]), len(text)]
    return {place[1].casefold(): text[place.end() : end].strip() for place, end in zip(places, ends, strict=True)}


def _value(option: Json, text: str, names: Mapping[str, str]) -> object:
    """Convert *text* to the type of *option*."""
    name, kind = option["name"], option["type"]
    for choice in option.get("choices") or ():
        if text.casefold() in (str(choice["name"]).casefold(), str(choice["value"]).casefold()):
            return choice["value"]
    match kind:
        case 3:
            return text
        case 4 | 10:
            try:
                return int(text) if kind == _WHOLE else float(text)
            except ValueError:
                msg = Sentence("{name} is a number, not {text}", name=name, text=repr(text[:40]))
                raise InputError(msg) from None
        case 5 if text.lower() in (*_YES, *_NO):
            return text.lower() in _YES
        case 5:
            msg = Sentence("{name} is yes or no", name=name)
            raise InputError(msg)
        case 6 | 7 | 8 | 9:
            return _id_of(name, text, names)
        case _:
            msg = Sentence("{name} is a file, which cannot be given here", name=name)
            raise InputError(msg)


def _id_of(name: str, text: str, names: Mapping[str, str]) -> str:
    for written in (text, f"@{text}", f"#{text}"):
        if found := names.get(written.lower()):
            return found
    if text.isdecimal():
        return text
    msg = Sentence(
        "{name}: there is no person or channel called {text}; there is {names}",
        name=name,
        text=repr(text[:40]),
        names=", ".join(sorted(names)),
    )
    raise InputError(msg)


def _given(text: str, what: str) -> str:
    if not text:
        msg = Sentence("add {what}", what=what)
        raise InputError(msg)
    return text


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = -1.0
    if not 0.0 <= seconds <= _LONGEST_WAIT:
        msg = Sentence("write how many seconds to wait, 0 to {most}, as in /wait 0.5", most=f"{_LONGEST_WAIT:g}")
        raise InputError(msg)
    return seconds
