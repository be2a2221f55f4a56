"""Validation of messages: lengths, counts and sizes. Pure, and done before anything changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .api_errors import as_list, as_number, as_object, as_objects, bad_length, invalid, refuse, required, too_long
from .objects import MessageFlag, copied
from .wire import File, Json

CONTENT_LENGTH = 2000
FILE_SIZE = 10 * 2**20
REQUEST_SIZE = 25 * 2**20
FILES = 10
EMBEDS = 10
EMBEDS_LENGTH = 6000
NONCE_LENGTH = 25
NAME_LENGTH = 80
ROWS = 5
BUTTONS = 5

_EMBED_TEXTS = {"title": 256, "description": 4096, "footer.text": 2048, "author.name": 256}
_EMBED_OBJECTS = frozenset({"footer", "author", "image", "thumbnail", "video", "provider"})
_FIELD_TEXTS = {"name": 256, "value": 1024}
_FIELDS = 25
_FORBIDDEN_NAMES = ("clyde", "discord")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # neither can be stored as text
_ACTION_ROW = 1
_BUTTON = 2
_LINK_BUTTON = 5
_FLAGS = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.IS_COMPONENTS_V2

_LEGACY = "The 'content' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
_LAYOUT_PARTS = frozenset({1, 9, 10, 12, 13, 14, 17})
"""Action row, section, text, gallery, file, separator and container."""
_LAYOUT_SIZE = 40


@dataclass(frozen=True, slots=True)
class Draft:
    """A validated message that is not stored yet."""

    content: str
    embeds: list[Json]
    components: list[Json]
    files: tuple[File, ...]
    attachments: list[Json]
    """The names and descriptions of the files; in an edit, also the old ones that stay."""
    nonce: str | int | None
    flags: int
    is_spoken: bool


def as_draft(payload: Json, files: Sequence[File]) -> Draft:
    """Validate the form of a new message."""
    check_files(files)
    flags = as_number(payload.get("flags"), at="flags") & _FLAGS
    has_layout = bool(flags & MessageFlag.IS_COMPONENTS_V2)
    draft = Draft(
        content=as_content(payload.get("content")),
        embeds=as_embeds(payload.get("embeds")),
        components=as_components(payload.get("components"), has_layout=has_layout),
        files=tuple(files),
        attachments=as_objects(payload.get("attachments"), at="attachments"),
        nonce=as_nonce(payload.get("nonce")),
        flags=flags,
        is_spoken=bool(payload.get("tts")),
    )
    if has_layout and (draft.content or draft.embeds):
        raise invalid(at="content", code="MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", problem=_LEGACY)
    if not (draft.content or draft.embeds or draft.files or (has_layout and draft.components)):
        raise refuse(50006)
    return draft


def as_content(value: object) -> str:
    """The text of a message as it is stored: trimmed, without NUL and surrogates."""
    if value is None:
        return ""
    if not isinstance(value, str):
        raise invalid(at="content", code="BASE_TYPE_BAD_STRING", problem="Could not interpret as string.")
    if len(value) > CONTENT_LENGTH:
        raise too_long(at="content", most=CONTENT_LENGTH)
    return _UNSTORABLE.sub("", value).strip()


def as_nonce(value: object) -> str | int | None:
    """The nonce of a message."""
    if value is None or value == "":
        return None
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise invalid(at="nonce", code="NONCE_TYPE_INVALID", problem="Nonce must be a string or an integer.")
    if len(str(value)) > NONCE_LENGTH:
        raise too_long(at="nonce", most=NONCE_LENGTH)
    return value


def as_embeds(value: object) -> list[Json]:
    """The embeds of a message, trimmed; empty ones are dropped."""
    embeds = as_list(value, at="embeds")
    if len(embeds) > EMBEDS:
        raise bad_length(at="embeds", least=0, most=EMBEDS)
    trimmed = [_as_embed(embed, f"embeds.{number}") for number, embed in enumerate(embeds)]
    if sum(map(_length, trimmed)) > EMBEDS_LENGTH:
        raise invalid(at="embeds", code="MAX_EMBED_SIZE_EXCEEDED", problem="Embed size exceeds maximum size of 6000")
    return [embed for embed in trimmed if embed.keys() - {"type", "color", "content_scan_version"}]


def _as_embed(value: object, path: str) -> Json:
    given = as_object(value, at=path)
    embed: Json = {name: copied(part) for name, part in given.items() if part is not None} | {"type": "rich"}
    for name in _EMBED_OBJECTS & embed.keys():
        as_object(embed[name], at=f"{path}.{name}")
    for place, most in _EMBED_TEXTS.items():
        _trim(embed, place, path, most)
    fields = as_list(embed.get("fields"), at=f"{path}.fields")
    if len(fields) > _FIELDS:
        raise bad_length(at=f"{path}.fields", least=0, most=_FIELDS)
    for number, field in enumerate(fields):
        as_object(field, at=f"{path}.fields.{number}")
        for name, most in _FIELD_TEXTS.items():
            _trim(field, name, f"{path}.fields.{number}", most, is_required=True)
    return embed


def _trim(holder: Json, place: str, path: str, most: int, *, is_required: bool = False) -> None:
    head, _, rest = place.partition(".")
    if rest:
        if isinstance(holder.get(head), dict):
            _trim(holder[head], rest, f"{path}.{head}", most)
        return
    text = str(holder.get(head) or "").strip()
    if len(text) > most:
        raise too_long(at=f"{path}.{head}", most=most)
    if text:
        holder[head] = text
    elif is_required:
        raise required(at=f"{path}.{head}")
    else:
        holder.pop(head, None)


def _length(embed: Json) -> int:
    footer, author = embed.get("footer") or {}, embed.get("author") or {}
    texts = [embed.get("title"), embed.get("description"), footer.get("text"), author.get("name")]
    texts += [text for field in embed.get("fields", []) for text in (field["name"], field["value"])]
    return sum(len(text or "") for text in texts)


def check_files(files: Sequence[File]) -> None:
    """Refuse files that are too many or too large."""
    if len(files) > FILES:
        raise bad_length(at="files", least=0, most=FILES)
    sizes = [len(file.data) for file in files]
    if max(sizes, default=0) > FILE_SIZE or sum(sizes) > REQUEST_SIZE:
        raise refuse(40005)


def parts_of(components: Iterable[Json]) -> list[Json]:
    """All *components*, with those inside others."""
    found: list[Json] = []
    for part in components:
        inner = [*part.get("components", ()), *filter(None, [part.get("accessory")])]
        found += [part, *parts_of(inner)]
    return found


def _as_layout(value: object) -> list[Json]:
    """The parts of a message that is nothing but components."""
    parts = as_objects(value, at="components")
    if not 1 <= len(parts_of(parts)) <= _LAYOUT_SIZE:
        raise bad_length(at="components", least=1, most=_LAYOUT_SIZE)
    for number, part in enumerate(parts):
        if part.get("type") not in _LAYOUT_PARTS:
            problem = f"Value of field 'type' must be one of {tuple(sorted(_LAYOUT_PARTS))}."
            raise invalid(at=f"components.{number}", code="UNION_TYPE_CHOICES", problem=problem)
    return [copied(part) for part in parts]


def as_components(value: object, *, has_layout: bool = False) -> list[Json]:
    """The rows of buttons and menus under a message, or its whole layout."""
    if has_layout:
        return _as_layout(value)
    rows = as_list(value, at="components")
    if len(rows) > ROWS:
        raise bad_length(at="components", least=0, most=ROWS)
    for number, row in enumerate(rows):
        path = f"components.{number}"
        if not isinstance(row, dict) or row.get("type") != _ACTION_ROW:
            raise invalid(at=path, code="UNION_TYPE_CHOICES", problem="Value of field 'type' must be one of (1,).")
        parts = as_list(row.get("components"), at=f"{path}.components")
        if not 1 <= len(parts) <= BUTTONS:
            raise bad_length(at=f"{path}.components", least=1, most=BUTTONS)
        for place, part in enumerate(parts):
            _check_part(part, f"{path}.components.{place}")
    names = [part["custom_id"] for row in rows for part in row["components"] if part.get("custom_id")]
    if len(names) != len(set(names)):
        problem = "Component custom id cannot be duplicated"
        raise invalid(at="components", code="COMPONENT_CUSTOM_ID_DUPLICATED", problem=problem)
    return [copied(row) for row in rows]


def _check_part(part: object, path: str) -> None:
    part = as_object(part, at=path)
    is_link = part.get("type") == _BUTTON and part.get("style") == _LINK_BUTTON
    name = part.get("url" if is_link else "custom_id")
    if not name or not isinstance(name, str):
        raise required(at=path)
    if not is_link and len(name) > 100:
        raise too_long(at=f"{path}.custom_id", most=100)
    if part.get("type") == _BUTTON and len(str(part.get("label") or "")) > 80:
        raise too_long(at=f"{path}.label", most=80)


def as_webhook_name(value: object, field: str = "name") -> str:
    """The name of a webhook, or the username of one message, with whitespace collapsed."""
    name = " ".join(_UNSTORABLE.sub("", value).split()) if isinstance(value, str) else ""
    if not 1 <= len(name) <= NAME_LENGTH:
        raise bad_length(at=field, least=1, most=NAME_LENGTH)
    for word in _FORBIDDEN_NAMES:
        if word in name.lower():
            raise invalid(at=field, code="USERNAME_INVALID_CONTAINS", problem=f'Username cannot contain "{word}"')
    return name


def as_ids(values: Iterable[object], *, at: str) -> list[str]:
    """Ids without duplicates; strings or numbers."""
    ids = list(dict.fromkeys(map(str, values)))
    if not all(id_.isdecimal() for id_ in ids):
        raise invalid(at=at, code="NUMBER_TYPE_COERCE", problem="Value is not snowflake.")
    return ids
