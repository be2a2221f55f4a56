"""Import and export of characters."""

from __future__ import annotations

import json
from base64 import b64encode
from dataclasses import replace

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.characters import png
from cadenza.bot.characters.avatars import as_uri
from cadenza.bot.characters.character import Character
from cadenza.bot.characters.reading import Format, read_card, write_card
from cadenza.errors import InputError
from tests.bot.characters.people import CARDS, card, characters

PLAIN = png.plain("x")


def packed(given_: object) -> str:
    return b64encode(json.dumps(given_).encode()).decode()


@settings(max_examples=60, deadline=None)
@given(characters(), st.sampled_from([Format.PNG, Format.JSON, Format.JSON_V2, Format.NATIVE]))
def test_whoever_goes_out_comes_in_again(character: Character, format_: Format) -> None:
    name, data = write_card(character, format_)
    again = read_card(data, name)

    assert replace(character, card={}) == replace(again, card={})
    assert again == read_card(write_card(again, format_)[1], name)


@pytest.mark.parametrize("name", CARDS)
def test_the_cards_of_every_version_go_through_a_picture(name: str) -> None:
    hana = read_card(CARDS[name], f"{name}.json")

    again = read_card(write_card(hana, Format.PNG)[1], "hana.png")

    assert replace(hana, card={}) == replace(again, card={})
    data = card(name).get("data", {})
    assert data.get("character_book") == again.card["data"].get("character_book")  # type: ignore[attr-defined]


def test_the_picture_of_a_card_is_the_face_and_goes_out_again() -> None:
    data = png.with_texts(PLAIN, {"chara": packed(card("v2"))})
    hana = read_card(data, "hana.png")

    assert as_uri("png", PLAIN) == hana.avatar
    written = write_card(hana, Format.PNG)[1]
    assert PLAIN == png.without_texts(written, ["chara", "ccv3"])
    assert hana.avatar == read_card(write_card(hana, Format.JSON)[1], "x").avatar


def test_of_two_cards_in_a_picture_the_third_version_wins() -> None:
    second, third = (packed({"name": name, "description": ""}) for name in ("Old", "New"))

    assert "New" == read_card(png.with_texts(PLAIN, {"chara": second, "ccv3": third}), "x.png").name
    assert "Old" == read_card(png.with_texts(PLAIN, {"chara": second.rstrip("=")}), "x.png").name
    assert "Old" == read_card(png.with_texts(PLAIN, {"chara": second, "ccv3": "damaged"}), "x.png").name
    assert "New" == read_card(png.with_texts(PLAIN, {"Chara": second, "CCV3": third}), "x.png").name


def test_assets_in_texts_of_their_own_are_not_lost() -> None:
    asset = {"type": "icon", "name": "main", "uri": "__asset:0", "ext": "png"}
    given_ = {"spec": "chara_card_v3", "data": {"name": "Ren", "assets": [asset]}}
    texts = {"ccv3": packed(given_), "chara-ext-asset_:0": b64encode(png.plain("y")).decode()}

    assert as_uri("png", png.plain("y")) == read_card(png.with_texts(PLAIN, texts), "x.png").avatar


def test_a_face_that_is_damaged_travels_on_the_card_and_not_as_its_picture() -> None:
    ren = Character("Ren", avatar=as_uri("png", PLAIN[:-1]))

    assert ren.avatar == read_card(write_card(ren, Format.PNG)[1], "ren.png").avatar


@pytest.mark.parametrize(
    ("format_", "expected"),
    [
        (Format.PNG, "蓮_Ren.png"),
        (Format.JSON, "蓮_Ren.json"),
        (Format.JSON_V2, "蓮_Ren.v2.json"),
        (Format.JSON_V1, "蓮_Ren.v1.json"),
        (Format.NATIVE, "蓮_Ren.cadenza.json"),
    ],
)
def test_a_file_is_called_like_who_is_in_it(format_: Format, expected: str) -> None:
    assert expected == write_card(Character("蓮 / Ren"), format_)[0]
    assert write_card(Character("!?"), format_)[0].startswith("character.")


def test_a_mark_of_unicode_before_it_does_no_harm() -> None:
    assert "Hana" == read_card(b"\xef\xbb\xbf" + CARDS["v2"], "x.json").name


@pytest.mark.parametrize(
    ("data", "complaint"),
    [
        pytest.param(b"PK\x03\x04rest", "charx", id="an archive"),
        pytest.param(PLAIN, "contains no card;", id="a picture"),
        pytest.param(b"\xff\xd8\xffrest", "contains no card:", id="a preview"),
        pytest.param(png.with_texts(PLAIN, {"chara": "é".encode().hex() + "!"}), "JSON|damaged", id="no base64"),
        pytest.param(png.with_texts(PLAIN, {"chara": packed([1])}), "not an object", id="a list in a picture"),
        pytest.param(b"Hello!", "not contain valid JSON", id="a text"),
        pytest.param(b" " * (8 * 2**20 + 1), "larger than 8 MB", id="large"),
    ],
)
def test_rubbish_is_refused_in_one_sentence(data: bytes, complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        read_card(data, "x.json")
