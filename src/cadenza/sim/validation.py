"""Validation of messages: lengths, counts and sizes. Pure, and done before anything changes."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from .api_errors import as_list, as_number, as_object, as_objects, bad_length, invalid, refuse, required, too_long
from .components import as_components, texts_of
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

_EMBED_TEXTS = {"title": 256, "description": 4096, "footer.text": 2048, "author.name": 256}
_EMBED_OBJECTS = frozenset({"footer", "author", "image", "thumbnail", "video", "provider"})
_FIELD_TEXTS = {"name": 256, "value": 1024}
_FIELDS = 25
_FORBIDDEN_NAMES = ("clyde", "discord")
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")  # neither can be stored as text
_FLAGS = MessageFlag.SUPPRESS_EMBEDS | MessageFlag.SUPPRESS_NOTIFICATIONS | MessageFlag.IS_COMPONENTS_V2


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

    @property
    def text(self) -> str:
        """Its text, or the texts of its layout."""
        return self.content or "\n".join(texts_of(self.components))


def as_draft(payload: Json, files: Sequence[File]) -> Draft:
    """Validate the form of a new message."""
    check_files(files)
    flags = as_number(payload.get("flags"), at="flags") & _FLAGS
    is_layout = bool(flags & MessageFlag.IS_COMPONENTS_V2)
    draft = Draft(
        content=as_content(payload.get("content")),
        embeds=as_embeds(payload.get("embeds")),
        components=as_components(payload.get("components"), is_layout=is_layout),
        files=tuple(files),
        attachments=as_objects(payload.get("attachments"), at="attachments"),
        nonce=as_nonce(payload.get("nonce")),
        flags=flags,
        is_spoken=bool(payload.get("tts")),
    )
    if is_layout:
        check_layout(draft.content, draft.embeds)
    if not (draft.content or draft.embeds or draft.files or (is_layout and draft.components)):
        raise refuse(50006)
    return draft


def check_layout(content: str, embeds: list[Json]) -> None:
    """Refuse what a message with a layout cannot have beside it."""
    for name, value in (("content", content), ("embeds", embeds)):
        if value:
            problem = f"The '{name}' field cannot be used when using MessageFlags.IS_COMPONENTS_V2"
            raise invalid(at=name, code="MESSAGE_CANNOT_USE_LEGACY_FIELDS_WITH_COMPONENTS_V2", problem=problem)


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
