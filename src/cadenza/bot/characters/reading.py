"""Import and export of characters in all formats."""

from __future__ import annotations

import binascii
import json
import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from enum import StrEnum
from pathlib import PurePath
from typing import Any, assert_never

from ...errors import InputError
from . import avatars, checked_json, native, png, tavern
from .character import Character
from .tavern import Carrier, Version

_SECOND, _THIRD = "chara", "ccv3"
_ASSET_TEXT, _ASSET = "chara-ext-asset_:", "__asset:"
_ARCHIVE = b"PK\x03\x04"
_UNSAFE = re.compile(r"[^\w-]+")


class Format(StrEnum):
    """The formats of an export."""

    PNG = "png"
    """A picture that contains the card in versions 2 and 3."""
    JSON = "json"
    """A card of version 3."""
    JSON_V2 = "json-v2"
    JSON_V1 = "json-v1"
    """A flat card of six fields."""
    NATIVE = "cadenza"
    """Our own format, with everything."""


def read_card(data: bytes, name: str) -> Character:
    """The character in the file *data*, in any format; *name* is the file's. Raises an ``InputError``."""
    if len(data) > checked_json.LARGEST:
        msg = "The file is larger than 8 MB; take a smaller one."
        raise InputError(msg)
    if data.startswith(_ARCHIVE):
        msg = "A .charx file cannot be read here; export the character as PNG or JSON."
        raise InputError(msg)
    stem = PurePath(name).stem
    if data.startswith(png.SIGNATURE):
        return _from_picture(data, stem)
    if avatars.kind_of(data):
        msg = "This picture contains no card: cards are PNG or JSON files, and a preview has lost the card."
        raise InputError(msg)
    form = checked_json.parsed(data.removeprefix(b"\xef\xbb\xbf"))
    return native.read(form) if native.is_native(form) else tavern.read(form, file=stem)


def write_card(character: Character, format: Format) -> tuple[str, bytes]:  # noqa: A002  # what else is it
    """The name and the contents of a file with *character*."""
    stem = _UNSAFE.sub("_", character.name).strip("_") or "character"
    match format:
        case Format.PNG:
            return f"{stem}.png", _picture(character)
        case Format.JSON:
            return f"{stem}.json", _written(tavern.write(character, Version.V3))
        case Format.JSON_V2:
            return f"{stem}.v2.json", _written(tavern.write(character, Version.V2))
        case Format.JSON_V1:
            return f"{stem}.v1.json", _written(tavern.write(character, Version.V1))
        case Format.NATIVE:
            return f"{stem}.cadenza.json", native.write(character)
        case _:
            assert_never(format)


def _written(card: Mapping[str, Any]) -> bytes:
    return json.dumps(card, ensure_ascii=False, indent=2).encode()


# --- pictures ------------------------------------------------------------------------


def _from_picture(data: bytes, stem: str) -> Character:
    found = png.texts(data)
    cards = {name.lower(): text for name, text in reversed(found.items()) if name.lower() in (_SECOND, _THIRD)}
    if not any(cards.values()):
        msg = "This picture contains no card; a preview or a screenshot has lost it, so use the original."
        raise InputError(msg)
    form = _newest(cards)
    _take_assets(form, found)
    bare = png.without_texts(data, [name for name in found if name.startswith(_ASSET_TEXT) or name.lower() in cards])
    try:
        avatar = avatars.uri_of(bare)
    except InputError:  # the card is still usable without its picture
        avatar = ""
    return tavern.read(form, file=stem, picture=avatar)


def _newest(cards: Mapping[str, str]) -> dict[str, Any]:
    """The card of the later version, or the other if that one is damaged."""
    texts = [text for keyword in (_THIRD, _SECOND) if (text := cards.get(keyword))]
    try:
        return checked_json.parsed(_decoded(texts[0]))
    except InputError:
        if len(texts) == 1:
            raise
        return checked_json.parsed(_decoded(texts[1]))


def _decoded(text: str) -> bytes:
    try:
        return b64decode(text + "==")  # some programs omit the padding
    except (binascii.Error, ValueError):
        msg = "The card in this picture is damaged; download it again, the original and not a preview."
        raise InputError(msg) from None


def _take_assets(form: dict[str, Any], found: Mapping[str, str]) -> None:
    """Move assets from text chunks of their own, as older programs write them, into the card."""
    data = form.get("data")
    for asset in checked_json.inners(data, "assets") if isinstance(data, dict) else ():
        uri = checked_json.text(asset, "uri")
        content = found.get(_ASSET_TEXT + uri.removeprefix(_ASSET)) if uri.startswith(_ASSET) else None
        if content:
            asset["uri"] = f"data:image/{checked_json.text(asset, 'ext') or 'png'};base64,{content}"


def _picture(character: Character) -> bytes:
    """A PNG with the card: the character's avatar if that is a PNG, else a plain picture."""
    own = _own_picture(character)
    picture, carrier = (png.plain(character.name), Carrier.PLAIN) if own is None else (own, Carrier.AVATAR)
    versions = {_SECOND: Version.V2, _THIRD: Version.V3}
    cards = {
        keyword: b64encode(_written(tavern.write(character, version, carrier=carrier))).decode("ascii")
        for keyword, version in versions.items()
    }
    return png.with_texts(picture, cards)


def _own_picture(character: Character) -> bytes | None:
    """The avatar of *character*, if it is a valid PNG."""
    own = avatars.of_uri(character.avatar)
    if own is None or character.avatar != avatars.as_uri("png", own):
        return None
    try:
        return png.without_texts(own, ())
    except InputError:
        return None
