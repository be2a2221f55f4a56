"""SillyTavern's character cards as JSON: flat ones (version 1), ``chara_card_v2`` and ``chara_card_v3``.

The whole card is kept in ``Character.card``. An export changes only what was edited since, so that unknown fields are
not lost.
"""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import fields
from enum import Enum
from types import MappingProxyType
from typing import Any

from ...errors import InputError
from ...text.usernames import as_username, from_username
from ...types import Note
from . import avatars, checked_json
from .character import Character, CharacterOverrides, CharacterSprite
from .checked_json import Form
from .lorebooks import read_book, write_book

OURS = "cadenza"
"""The name of our fields among a card's extensions."""
_DEPTH = "depth_prompt"
_USUAL_DEPTH = 4
_DEFAULT_ICON = "ccdefault:"
_FIRST = {
    "name": "name", "prompt": "description", "personality": "personality", "scenario": "scenario",
    "greeting": "first_mes", "samples": "mes_example",
}  # fmt: skip
"""Our fields and those of version 1."""
_LATER = {"system": "system_prompt", "afterword": "post_history_instructions", "nickname": "nickname"}


class Version(Enum):
    """The version of a card."""

    V1 = ""
    """Flat, with six fields only."""
    V2 = "chara_card_v2"
    V3 = "chara_card_v3"


# --- reading -----------------------------------------------------------------------------


def is_card(card: Form) -> bool:
    """Whether *card* looks like a card of any version."""
    return str(card.get("spec", "")).startswith("chara_card") or any(
        isinstance(_data(card).get(name), str) for name in ("first_mes", "mes_example", "description", "personality")
    )


def read(card: Form, *, file: str = "", picture: str = "") -> Character:
    """The character on *card*; *file* is its name if the card has none, *picture* the picture that held the card.

    Raises an ``InputError`` if it is not a card, or a field is invalid.
    """
    if not is_card(card):
        msg = "This JSON is not a character card; export one from SillyTavern or with /persona export."
        raise InputError(msg)
    data = _data(card)
    extensions = checked_json.inner(data, "extensions")
    ours = checked_json.inner(extensions, OURS)
    written: dict[str, Any] = {ours_: checked_json.text(data, theirs) for ours_, theirs in (_FIRST | _LATER).items()}
    return Character(
        **written | {"name": shown_name(written["name"].strip() or file)},
        other_greetings=checked_json.texts(data, "alternate_greetings"),
        notes=_notes(extensions, ours),
        triggers=checked_json.texts(ours, "triggers"),
        avatar=_avatar(data, ours, picture),
        sprites=tuple(read_sprite(sprite) for sprite in checked_json.inners(ours, "looks")),
        lore=read_book(checked_json.inner(data, "character_book")),
        own=read_own(ours),
        card=MappingProxyType(dict(card)),
    )


def shown_name(name: str) -> str:
    """*name* as Discord can show it: shortened, without invisible characters."""
    return from_username(as_username(name))


def read_sprite(sprite: Form) -> CharacterSprite:
    """A sprite from its JSON object."""
    return CharacterSprite(
        name=checked_json.text(sprite, "name"),
        avatar=checked_json.text(sprite, "avatar"),
        instructions=checked_json.text(sprite, "instructions"),
        is_identity=checked_json.flag(sprite, "is_identity"),
    )


def write_sprite(sprite: CharacterSprite) -> dict[str, Any]:
    """*sprite* as a JSON object."""
    return {spec.name: getattr(sprite, spec.name) for spec in fields(CharacterSprite)}


def read_own(form: Form) -> CharacterOverrides:
    """The character's own degree of delivery and model."""
    return CharacterOverrides(_degree(form), checked_json.text(form, "model"))


def _degree(form: Form) -> int | None:
    if form.get("degree") is None:
        return None
    degree = checked_json.number(form, "degree")
    if not 0 <= degree <= 3:
        msg = "The character cannot be read: “degree” is not a number from 0 to 3."
        raise InputError(msg)
    return degree


def _data(card: Form) -> Form:
    """The object with the fields of *card*: ``data``, or in version 1 the card itself."""
    data = card.get("data")
    return data if isinstance(data, dict) else card


def _notes(extensions: Form, ours: Form) -> tuple[Note, ...]:
    deep = checked_json.inner(extensions, _DEPTH)
    prompt = checked_json.text(deep, "prompt")
    first = (Note(prompt, max(checked_json.number(deep, "depth", default=_USUAL_DEPTH), 0)),) if prompt.strip() else ()
    return (
        *first,
        *(
            Note(checked_json.text(note, "text"), checked_json.number(note, "depth"))
            for note in checked_json.inners(ours, "notes")
        ),
    )


def _avatar(data: Form, ours: Form, picture: str) -> str:
    """The avatar of a card: its main icon, or the *picture* that held it, unless that is only a carrier."""
    icon = _icon(checked_json.inners(data, "assets"))
    uri = "" if icon is None else checked_json.text(icon, "uri")
    if own := checked_json.text(ours, "avatar"):
        return own
    if _is_icon(uri):
        return uri
    return picture if checked_json.flag(ours, "has_avatar", default=True) else ""


def _is_icon(uri: str) -> bool:
    """Whether *uri* can be an icon: an https address, or a ``data:`` URI with a picture."""
    return uri.startswith("https://") or avatars.of_uri(uri) is not None


def _icon(assets: tuple[dict[str, Any], ...]) -> dict[str, Any] | None:
    icons = [asset for asset in assets if asset.get("type") == "icon"]
    return next((icon for icon in icons if icon.get("name") == "main"), icons[0] if icons else None)


# --- writing -----------------------------------------------------------------------------


class Carrier(Enum):
    """What contains a card."""

    FILE = "file"
    """A JSON file."""
    AVATAR = "avatar"
    """The character's avatar."""
    PLAIN = "plain"
    """A plain picture, which is no avatar."""


def write(character: Character, version: Version, *, carrier: Carrier = Carrier.FILE) -> dict[str, Any]:
    """*character* as a card: its original card with the changes since."""
    card: dict[str, Any] = deepcopy(dict(character.card)) if is_card(character.card) else {}
    before = read(card) if card else Character("")
    changed = {
        theirs: getattr(character, ours)
        for ours, theirs in (_FIRST | _LATER).items()
        if getattr(character, ours) != getattr(before, ours)
    }
    if version is Version.V1:
        return _flat(card, changed)
    has_data = isinstance(card.get("data"), dict)
    data = card.pop("data") if has_data else {theirs: card.pop(theirs, "") for theirs in _FIRST.values()}
    if not has_data:  # a flat card may have fields of later versions
        data |= {name: card.pop(name) for name in (*_DEFAULTS, *_OPTIONAL) if name in card}
    data |= changed
    for name, default in _DEFAULTS.items():
        if data.get(name) is None or (not data[name] and type(data[name]) is not type(default)):
            data[name] = deepcopy(default)
    if version is Version.V3 and data.get("group_only_greetings") is None:
        data["group_only_greetings"] = []
    _write_lists(data, character, before)
    _write_extensions(data["extensions"], character, before, carrier)
    _write_icon(data, "" if carrier is Carrier.AVATAR else character.avatar)
    card |= {name: value for name, value in changed.items() if name in card}  # fields that are repeated at the top
    is_same = card.get("spec") == version.value
    number = card.get("spec_version") if is_same else None
    return card | {"spec": version.value, "spec_version": number or _NUMBERS[version], "data": data}


_NUMBERS = {Version.V2: "2.0", Version.V3: "3.0"}
_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(_FIRST.values(), ""),
    "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
    "tags": [], "creator": "", "character_version": "", "extensions": {},
}  # fmt: skip
"""The required fields from version 2 on."""
_OPTIONAL = (
    "character_book", "assets", "nickname", "creator_notes_multilingual", "source", "group_only_greetings",
    "creation_date", "modification_date",
)  # fmt: skip
"""Optional fields."""


def _flat(card: dict[str, Any], changed: Mapping[str, Any]) -> dict[str, Any]:
    data = _data(card)
    rest = {name: value for name, value in card.items() if name not in ("spec", "spec_version", "data")}
    return rest | {theirs: changed.get(theirs, data.get(theirs) or "") for theirs in _FIRST.values()}


def _write_lists(data: dict[str, Any], character: Character, before: Character) -> None:
    if character.other_greetings != before.other_greetings:
        data["alternate_greetings"] = list(character.other_greetings)
    if character.lore != before.lore:
        data["character_book"] = write_book(character.lore, checked_json.inner(data, "character_book"))


def _write_extensions(extensions: dict[str, Any], character: Character, before: Character, carrier: Carrier) -> None:
    ours = checked_json.inner(extensions, OURS)
    if character.notes != before.notes:
        first, rest = _split(character.notes)
        _write_depth(extensions, first)
        _set(ours, "notes", [{"text": note.text, "depth": note.depth} for note in rest])
    if character.sprites != before.sprites:
        _set(ours, "looks", [write_sprite(sprite) for sprite in character.sprites])
    if character.triggers != before.triggers:
        _set(ours, "triggers", list(character.triggers))
    _set(ours, "degree", character.own.degree)
    _set(ours, "model", character.own.model or None)
    _set(ours, "avatar", None if _is_icon(character.avatar) or carrier is Carrier.AVATAR else character.avatar or None)
    _set(ours, "has_avatar", False if carrier is Carrier.PLAIN and not character.avatar else None)
    _set(extensions, OURS, ours)


def _split(notes: tuple[Note, ...]) -> tuple[Note | None, tuple[Note, ...]]:
    """The note that fits into a card's own field, and the others."""
    is_theirs = bool(notes) and bool(notes[0].text.strip()) and notes[0].depth >= 0
    return (notes[0], notes[1:]) if is_theirs else (None, notes)


def _write_depth(extensions: dict[str, Any], note: Note | None) -> None:
    if note is not None:
        usual = {"role": "system"}
        extensions[_DEPTH] = usual | checked_json.inner(extensions, _DEPTH) | {"prompt": note.text, "depth": note.depth}
    elif _DEPTH in extensions:
        extensions[_DEPTH] = checked_json.inner(extensions, _DEPTH) | {"prompt": ""}


def _write_icon(data: dict[str, Any], avatar: str) -> None:
    """Make *avatar* the main icon, if it can be one."""
    wanted = avatar if _is_icon(avatar) else ""
    if wanted == _avatar(data, {}, ""):
        return
    assets = list(checked_json.inners(data, "assets"))
    icon = _icon(tuple(assets))
    if icon is None:
        icon = {"type": "icon", "name": "main"}
        assets.append(icon)
    kind = avatars.kind_of(avatars.of_uri(wanted) or b"")
    icon |= {"uri": wanted or _DEFAULT_ICON, "ext": kind or "png"}
    data["assets"] = assets


def _set(form: dict[str, Any], name: str, value: object) -> None:
    """Set *value*, or remove the field if it is empty."""
    if value is None or value in ([], {}):
        form.pop(name, None)
    else:
        form[name] = value
