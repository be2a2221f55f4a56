"""A channel as a person would see it, as text."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from .objects import MessageFlag, MessageKind
from .wire import Json

_QUOTE = 40


def as_transcript(messages: Iterable[Json], names: Mapping[str, str], typists: Iterable[str]) -> str:
    """*messages* as text, with *names* by id; *typists* are the ids of the users who are typing."""
    lines = [line for message in messages for line in lines_of(message, names)]
    lines += [f"({names.get(who, who)} is typing …)" for who in typists]
    return "".join(f"{line}\n" for line in lines)


def lines_of(message: Json, names: Mapping[str, str]) -> Iterable[str]:
    """One message as a person would see it."""
    name = name_of(message["author"], names)
    if message["type"] == MessageKind.THREAD_CREATED:
        yield f"→ {name} started a thread: {message['content']}"
        return
    if "referenced_message" in message:
        yield f"  ┌ {_quote(message['referenced_message'], names)}"
    if message.get("interaction"):
        interaction = message["interaction"]
        yield f"  ┌ {name_of(interaction['user'], names)} used /{interaction['name']}"
    text = "(thinking …)" if message["flags"] & MessageFlag.LOADING else str(message["content"])
    first, *rest = text.split("\n")
    yield f"{name}{_marks(message)}: {first}".rstrip()
    yield from (f"    {line}".rstrip() for line in rest)
    for embed in message["embeds"]:
        yield from (f"  ┃ {line}" for line in _embed(embed))
    for file in message["attachments"]:
        described = f", {_short(file['description'])}" if file.get("description") else ""
        yield f"  [{file['filename']}, {file['size']} bytes{described}]"
    yield from (f"  {line}" for component in message["components"] for line in _component(component))
    if message.get("reactions"):
        yield "  " + " ".join(f"{one['emoji']['name']} {one['count']}" for one in message["reactions"])


def name_of(author: Json, names: Mapping[str, str]) -> str:
    """The display name of *author*: the one in the guild, or that of the webhook message."""
    return names.get(author["id"]) or author["global_name"] or str(author["username"])


def _marks(message: Json) -> str:
    possible = {
        "APP": message["author"]["bot"],
        "edited": message["edited_timestamp"],
        "only one sees this": message["flags"] & MessageFlag.EPHEMERAL,
        "silent": message["flags"] & MessageFlag.SUPPRESS_NOTIFICATIONS,
    }
    marks = [mark for mark, is_set in possible.items() if is_set]
    return f" [{', '.join(marks)}]" if marks else ""


def _component(component: Json) -> Iterable[str]:
    match component["type"]:
        case 1:
            yield " ".join(f"({_label(part)})" for part in component["components"])
        case 9:
            yield from (line for part in component["components"] for line in _component(part))
            yield from _component(component["accessory"])
        case 10:
            yield from component["content"].split("\n")
        case 11 | 13:
            yield f"[{component.get('description') or (component.get('media') or component['file'])['url']}]"
        case 12:
            yield " ".join(f"[{item.get('description') or item['media']['url']}]" for item in component["items"])
        case 14:
            yield "───"
        case 17:
            yield from (f"┃ {line}" for part in component["components"] for line in _component(part))
        case _:
            yield f"({_label(component)})"


def _label(part: Json) -> str:
    return str(part.get("label") or part.get("placeholder") or part.get("custom_id") or "?")


def _embed(embed: Json) -> Iterable[str]:
    parts = [(embed.get("author") or {}).get("name"), embed.get("title"), embed.get("description")]
    parts += [f"{field['name']}: {field['value']}" for field in embed.get("fields", [])]
    parts.append((embed.get("footer") or {}).get("text"))
    return [line for part in parts if part for line in part.split("\n")]


def _quote(answered: Json | None, names: Mapping[str, str]) -> str:
    if answered is None:
        return "(a message that was deleted)"
    return f"{name_of(answered['author'], names)}: {_short(answered['content'])}"


def _short(text: str) -> str:
    """The beginning of *text* in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else line[: _QUOTE - 1] + "…"
