"""SillyTavern's character cards as JSON: the flat ones of version 1, ``chara_card_v2`` and ``chara_card_v3``.

A card is kept whole in ``Character.card``. When it goes out again, only what was changed since is written over it, so
that nothing is lost which is not understood here.
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
from .character import Character, Look
from .checked_json import Form
from .lorebooks import read_book, write_book

OURS = "cadenza"
"""What is ours stands under this name among a card's extensions."""
_DEPTH = "depth_prompt"
_USUAL_DEPTH = 4
_DEFAULT_ICON = "ccdefault:"
_FIRST = {
    "name": "name", "prompt": "description", "personality": "personality", "scenario": "scenario",
    "greeting": "first_mes", "samples": "mes_example",
}  # fmt: skip
"""Our fields and those of the first version."""
_LATER = {"system": "system_prompt", "afterword": "post_history_instructions", "nickname": "nickname"}


class Version(Enum):
    """Which version of a card is written."""

    V1 = ""
    """Flat; it holds six fields only."""
    V2 = "chara_card_v2"
    V3 = "chara_card_v3"


# --- reading -----------------------------------------------------------------------------


def is_card(card: Form) -> bool:
    """Whether *card* looks like a card of any version."""
    return str(card.get("spec", "")).startswith("chara_card") or any(
        isinstance(_data(card).get(name), str) for name in ("first_mes", "mes_example", "description", "personality")
    )


def read(card: Form, *, file: str = "", picture: str = "") -> Character:
    """The character on *card*; *file* names it if the card does not, *picture* is what the card came in.

    Raises an ``InputError`` if it is no card, or one of its fields is not what it should be.
    """
    if not is_card(card):
        msg = "This JSON is no character card; export one from SillyTavern or with /persona export."
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
        looks=tuple(read_look(look) for look in checked_json.inners(ours, "looks")),
        lore=read_book(checked_json.inner(data, "character_book")),
        degree=read_degree(ours),
        model=checked_json.text(ours, "model"),
        card=MappingProxyType(dict(card)),
    )


def shown_name(name: str) -> str:
    """*name* as it can be shown over a message: cut if it is too long, and without what nobody sees."""
    return from_username(as_username(name))


def read_look(look: Form) -> Look:
    """One of our looks, as it is written down."""
    return Look(
        name=checked_json.text(look, "name"),
        avatar=checked_json.text(look, "avatar"),
        instructions=checked_json.text(look, "instructions"),
        is_identity=checked_json.flag(look, "is_identity"),
    )


def write_look(look: Look) -> dict[str, Any]:
    """*look*, written down."""
    return {spec.name: getattr(look, spec.name) for spec in fields(Look)}


def read_degree(form: Form) -> int | None:
    """A way of delivering, if there is one."""
    if form.get("degree") is None:
        return None
    degree = checked_json.number(form, "degree")
    if not 0 <= degree <= 3:
        msg = "The character cannot be read: “degree” is not a number from 0 to 3."
        raise InputError(msg)
    return degree


def _data(card: Form) -> Form:
    """Where the fields of *card* stand: below ``data``, or in the first version at the top."""
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
    """The face of a card: its main icon, or the *picture* that it came in, unless that is only there to carry it."""
    icon = _icon(checked_json.inners(data, "assets"))
    uri = "" if icon is None else checked_json.text(icon, "uri")
    if own := checked_json.text(ours, "avatar"):
        return own
    if _is_icon(uri):
        return uri
    return picture if checked_json.flag(ours, "has_avatar", default=True) else ""


def _is_icon(uri: str) -> bool:
    """Whether *uri* can be taken from an icon: it can be fetched safely, or holds a picture."""
    return uri.startswith("https://") or avatars.of_uri(uri) is not None


def _icon(assets: tuple[dict[str, Any], ...]) -> dict[str, Any] | None:
    icons = [asset for asset in assets if asset.get("type") == "icon"]
    return next((icon for icon in icons if icon.get("name") == "main"), icons[0] if icons else None)


# --- writing -----------------------------------------------------------------------------


class Carrier(Enum):
    """What a card goes into."""

    FILE = "file"
    """A file of its own."""
    FACE = "face"
    """The picture that is the character's face."""
    PLAIN = "plain"
    """A picture that is nobody's face."""


def write(character: Character, version: Version, *, carrier: Carrier = Carrier.FILE) -> dict[str, Any]:
    """*character* as a card: the one that it came on, with what was changed since."""
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
    if not has_data:  # what a flat card holds besides may be fields of later versions
        data |= {name: card.pop(name) for name in (*_DEFAULTS, *_OPTIONAL) if name in card}
    data |= changed
    for name, default in _DEFAULTS.items():
        if data.get(name) is None or (not data[name] and type(data[name]) is not type(default)):
            data[name] = deepcopy(default)
    if version is Version.V3 and data.get("group_only_greetings") is None:
        data["group_only_greetings"] = []
    _write_lists(data, character, before)
    _write_extensions(data["extensions"], character, before, carrier)
    _write_icon(data, "" if carrier is Carrier.FACE else character.avatar)
    card |= {name: value for name, value in changed.items() if name in card}  # what stands at the top as well
    is_same = card.get("spec") == version.value
    number = card.get("spec_version") if is_same else None
    return card | {"spec": version.value, "spec_version": number or _NUMBERS[version], "data": data}


_NUMBERS = {Version.V2: "2.0", Version.V3: "3.0"}
_DEFAULTS: Mapping[str, Any] = {
    **dict.fromkeys(_FIRST.values(), ""),
    "creator_notes": "", "system_prompt": "", "post_history_instructions": "", "alternate_greetings": [],
    "tags": [], "creator": "", "character_version": "", "extensions": {},
}  # fmt: skip
"""What every card must hold from the second version on."""
_OPTIONAL = (
    "character_book", "assets", "nickname", "creator_notes_multilingual", "source", "group_only_greetings",
    "creation_date", "modification_date",
)  # fmt: skip
"""What it may hold besides."""


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
    if character.looks != before.looks:
        _set(ours, "looks", [write_look(look) for look in character.looks])
    if character.triggers != before.triggers:
        _set(ours, "triggers", list(character.triggers))
    _set(ours, "degree", character.degree)
    _set(ours, "model", character.model or None)
    _set(ours, "avatar", None if _is_icon(character.avatar) or carrier is Carrier.FACE else character.avatar or None)
    _set(ours, "has_avatar", False if carrier is Carrier.PLAIN and not character.avatar else None)
    _set(extensions, OURS, ours)


def _split(notes: tuple[Note, ...]) -> tuple[Note | None, tuple[Note, ...]]:
    """The note that a card can hold by itself, and the others."""
    is_theirs = bool(notes) and bool(notes[0].text.strip()) and notes[0].depth >= 0
    return (notes[0], notes[1:]) if is_theirs else (None, notes)


def _write_depth(extensions: dict[str, Any], note: Note | None) -> None:
    if note is not None:
        usual = {"role": "system"}
        extensions[_DEPTH] = usual | checked_json.inner(extensions, _DEPTH) | {"prompt": note.text, "depth": note.depth}
    elif _DEPTH in extensions:
        extensions[_DEPTH] = checked_json.inner(extensions, _DEPTH) | {"prompt": ""}


def _write_icon(data: dict[str, Any], face: str) -> None:
    """Let the main icon be *face*; one that an icon cannot be stands elsewhere."""
    wanted = face if _is_icon(face) else ""
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
    """Write *value* down, unless there is nothing to write."""
    if value is None or value in ([], {}):
        form.pop(name, None)
    else:
        form[name] = value
