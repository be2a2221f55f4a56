"""SillyTavern's cards."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.bot.characters import tavern
from cadenza.bot.characters.avatars import as_uri
from cadenza.bot.characters.character import Character, CharacterOverrides, CharacterSprite, Lore
from cadenza.bot.characters.png import plain
from cadenza.bot.characters.tavern import Carrier, Version
from cadenza.errors import InputError
from cadenza.types import Note
from tests.bot.characters.people import CARDS, card, characters, json_values, texts

SAME = {"v1": Version.V1, "v2": Version.V2, "v3": Version.V3}


def test_everything_that_is_understood_is_read() -> None:
    hana = tavern.read(card("v3"))

    assert ("Hana", "Hana-san", "patient, dry", "A rainy afternoon.") == (
        hana.name, hana.nickname, hana.personality, hana.scenario,
    )  # fmt: skip
    assert "{{char}} keeps a tea house by the sea." == hana.prompt
    assert "{{original}} Write in short sentences." == hana.system
    assert "Never hurry." == hana.afterword
    assert "*pours tea* You are early, {{user}}." == hana.greeting
    assert ("The kettle is on.", "*looks up from a book*") == hana.other_greetings
    assert hana.samples.startswith("<START>\n{{user}}: Is it")
    assert (Note("{{char}} never says where she is from.", 3),) == hana.notes
    assert "https://example.org/hana.png" == hana.avatar
    assert 4 == len(hana.lore)


@pytest.mark.parametrize("name", CARDS)
def test_a_card_goes_out_as_it_came_in(name: str) -> None:
    assert card(name) == tavern.write(tavern.read(card(name)), SAME[name])


@pytest.mark.parametrize("name", ["v2", "v3"])
@pytest.mark.parametrize("version", [Version.V2, Version.V3])
def test_nothing_is_lost_in_another_version(name: str, version: Version) -> None:
    """Not even fields that the version does not know."""
    written = tavern.write(tavern.read(card(name)), version)

    assert version.value == written["spec"]
    assert card(name)["data"] == {key: written["data"][key] for key in card(name)["data"]}
    assert replace(tavern.read(card(name)), card={}) == replace(tavern.read(written), card={})


def test_a_flat_card_becomes_a_later_one_and_keeps_what_else_it_holds() -> None:
    flat = card("v1") | {"character_book": card("v2")["data"]["character_book"], "tags": ["x"]}
    written = tavern.write(tavern.read(flat), Version.V2)

    assert {"avatar": "none", "chat": "Hana - 2023", "create_date": "2023-05-01"} == {
        key: value for key, value in written.items() if key not in ("spec", "spec_version", "data")
    }
    assert ["x"] == written["data"]["tags"]
    assert tavern.read(flat).lore == tavern.read(written).lore
    assert card("v1") == {key: tavern.write(tavern.read(written), Version.V1)[key] for key in card("v1")}


def test_every_field_that_a_version_wants_is_there() -> None:
    second, third = (tavern.write(Character("Ren"), version)["data"] for version in (Version.V2, Version.V3))

    assert set(card("v2")["data"]) - {"character_book"} == set(second)
    assert set(second) | {"group_only_greetings"} == set(third)
    assert {"name", "description", "personality", "scenario", "first_mes", "mes_example"} == set(
        tavern.write(Character("Ren"), Version.V1)
    )


def test_what_was_changed_since_wins_and_the_rest_stays() -> None:
    hana = tavern.read(card("v2"))
    changed = replace(
        hana,
        name="蓮",
        prompt="A fox.",
        other_greetings=("Hm.",),
        notes=(Note("Quiet.", 1), Note("Late.", 0)),
        lore=(*hana.lore, Lore("new", ("fox",))),
        triggers=("fox",),
        own=CharacterOverrides(0, "m"),
        avatar="https://example.org/new.png",
        sprites=(CharacterSprite("sad", "https://example.org/sad.png", "When sad.", is_identity=True),),
    )
    written = tavern.write(changed, Version.V2)
    data, before = written["data"], card("v2")["data"]

    assert ("蓮", "蓮", "A fox.", "A fox.") == (
        data["name"],
        written["name"],
        data["description"],
        written["description"],
    )
    assert before["character_book"]["entries"] == data["character_book"]["entries"][:4]
    assert {"prompt": "Quiet.", "depth": 1, "role": "system"} == data["extensions"]["depth_prompt"]
    assert before["extensions"]["other_tool/voice"] == data["extensions"]["other_tool/voice"]
    assert {"triggers", "degree", "model", "looks", "notes"} == set(data["extensions"]["cadenza"])
    assert before["creator_notes"] == data["creator_notes"]
    assert replace(changed, card={}) == replace(tavern.read(written), card={})


def test_what_was_taken_away_since_is_gone() -> None:
    hana = tavern.read(card("v3"))
    bare = replace(hana, notes=(), lore=(), other_greetings=(), avatar="", nickname="", system="")

    assert replace(bare, card={}) == replace(tavern.read(tavern.write(bare, Version.V3)), card={})


@settings(max_examples=100, deadline=None)
@given(characters(), st.sampled_from([Version.V2, Version.V3]))
def test_whoever_is_written_is_read_again(character: Character, version: Version) -> None:
    written = tavern.write(character, version)
    again = tavern.read(written)

    assert replace(character, card={}) == replace(again, card={})
    assert written == tavern.write(again, version)


@settings(max_examples=50, deadline=None)
@given(st.dictionaries(texts, json_values, max_size=4), st.dictionaries(texts, json_values, max_size=4))
def test_what_nobody_knows_is_never_lost(top: dict[str, Any], extensions: dict[str, Any]) -> None:
    known = card("v3")
    given_ = {**top, **known, "data": {**top, **known["data"], "extensions": extensions}}

    assert given_ == tavern.write(tavern.read(given_), Version.V3)


@settings(max_examples=60, deadline=None)
@given(st.dictionaries(st.sampled_from([*card("v3")["data"], "data", "spec"]), json_values, max_size=6))
def test_whatever_stands_on_a_card_it_is_read_or_refused(fields: dict[str, Any]) -> None:
    try:
        read = tavern.read(fields)
    except InputError:
        return
    assert replace(read, card={}) == replace(tavern.read(tavern.write(read, Version.V3)), card={})


FACE = as_uri("png", plain("x"))


@pytest.mark.parametrize(
    ("assets", "expected"),
    [
        pytest.param(None, "carrier", id="none"),
        pytest.param(
            [{"type": "icon", "name": "main", "uri": "ccdefault:", "ext": "png"}], "carrier", id="the default"
        ),
        pytest.param([{"type": "icon", "name": "main", "uri": FACE}], FACE, id="a picture"),
        pytest.param([{"type": "icon", "name": "main", "uri": "http://x.org/a"}], "carrier", id="not safe"),
        pytest.param(
            [{"type": "icon", "name": "main", "uri": "data:text/html;base64,YWJj"}], "carrier", id="not a picture"
        ),
        pytest.param([{"type": "icon", "name": "b", "uri": "https://x.org/b"}], "https://x.org/b", id="the only one"),
        pytest.param(
            [{"type": "icon", "name": "b", "uri": FACE}, {"type": "icon", "name": "main", "uri": "https://x.org/a"}],
            "https://x.org/a",
            id="the main one",
        ),
        pytest.param([{"type": "emotion", "name": "main", "uri": FACE}], "carrier", id="another sort"),
    ],
)
def test_the_main_icon_is_the_face(assets: Any, expected: str) -> None:
    given_ = {"spec": "chara_card_v3", "data": {"name": "Ren", "assets": assets}}

    assert expected == tavern.read(given_, picture="carrier").avatar


def test_a_plain_picture_that_only_carries_a_card_is_nobodys_face() -> None:
    written = tavern.write(Character("Ren"), Version.V3, carrier=Carrier.PLAIN)

    assert "" == tavern.read(written, picture=FACE).avatar
    assert "has_avatar" not in str(tavern.write(tavern.read(written), Version.V3))


def test_a_card_without_a_name_is_called_like_its_file() -> None:
    assert "ren" == tavern.read({"description": "x"}, file="ren").name
    assert 80 == len(tavern.read({"name": "x" * 100, "description": ""}).name)
    assert "x" * 100 == tavern.write(tavern.read({"name": "x" * 100, "description": ""}), Version.V2)["data"]["name"]


def test_a_later_version_is_read_as_far_as_it_is_known() -> None:
    assert "Ren" == tavern.read({"spec": "chara_card_v4", "spec_version": "4.0", "data": {"name": "Ren"}}).name
    newer = card("v3") | {"spec_version": "3.1"}
    assert newer == tavern.write(tavern.read(newer), Version.V3)


@pytest.mark.parametrize(
    ("wrong", "complaint"),
    [
        ({}, "not a character card"),
        ({"name": "Ren"}, "not a character card"),
        ({"spec": "lorebook_v3", "data": {"entries": []}}, "not a character card"),
        ({"description": "x", "name": 5}, "“name” is not a text"),
        ({"description": "x", "alternate_greetings": "Hi"}, "“alternate_greetings” is not a list"),
        ({"description": "x", "alternate_greetings": [1]}, "“alternate_greetings” is not a list of texts"),
        ({"description": "x", "extensions": [1]}, "“extensions” is not an object"),
        (
            {"description": "x", "extensions": {"depth_prompt": {"prompt": "x", "depth": "x"}}},
            "“depth” is not a number",
        ),
        ({"description": "x", "extensions": {"cadenza": {"degree": 7}}}, "“degree” is not a number from 0 to 3"),
        ({"description": "x", "character_book": {"entries": {"0": {}}}}, "“entries” is not a list"),
        ({"description": "x", "character_book": {"entries": [{"keys": "x"}]}}, "“keys” is not a list"),
        ({"description": "x", "assets": ["x"]}, "“assets” is not a list of objects"),
    ],
)
def test_rubbish_is_refused_in_one_sentence(wrong: dict[str, Any], complaint: str) -> None:
    with pytest.raises(InputError, match=complaint):
        tavern.read(wrong)


@pytest.mark.parametrize("version", [Version.V2, Version.V3])
def test_what_some_programs_write_for_nothing_does_no_harm(version: Version) -> None:
    odd = {"name": " ", "description": "x", "extensions": [], "character_book": [], "alternate_greetings": ""}
    ren = tavern.read({"spec": "chara_card_v2", "data": odd}, file="Ren")

    assert "Ren" == ren.name
    assert replace(ren, triggers=("fox",)) == replace(
        tavern.read(tavern.write(replace(ren, triggers=("fox",)), version)), card=ren.card
    )
