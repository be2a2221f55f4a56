"""``[[personas]]``: characters, their prompts and their pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadenza.bot.characters.character import Character, CharacterOverrides, CharacterSprite, Lore
from cadenza.bot.config.reading import ConfigError, load
from cadenza.types import Note

PNG = b"\x89PNG\r\n\x1a\n rest"
URI = "data:image/png;base64,iVBORw0KGgogcmVzdA=="


def people(folder: Path, text: str) -> tuple[Character, ...]:
    """The characters of a configuration with *text*, beside some other files."""
    (folder / "ren.md").write_text("A shy fox.\n")
    (folder / "ren.png").write_bytes(PNG)
    (folder / "cadenza.toml").write_text(text, encoding="utf-8")
    return load(folder / "cadenza.toml", {}).personas


def test_somebody_has_everything_that_is_said_of_them(tmp_path: Path) -> None:
    found = people(
        tmp_path,
        """
[[personas]]
name = "Ren"
prompt_file = "ren.md"
personality = "shy"
scenario = "a wood"
system = "s"
afterword = "a"
greeting = "Hi"
samples = "{{char}}: Yip."
triggers = ["fox"]
avatar = "ren.png"
degree = 0
model = "local"
[[personas.sprites]]
name = "mad"
avatar = "https://example.org/mad.png"
instructions = "when cross"
identity = true
[[personas.notes]]
text = "Stay shy."
depth = 2
[[personas.lore]]
content = "The wood is old."
keys = ["wood"]
constant = true
case_sensitive = true
order = 5
""",
    )

    ren = Character(
        "Ren", prompt="A shy fox.", personality="shy", scenario="a wood", system="s", afterword="a", greeting="Hi",
        samples="{{char}}: Yip.", triggers=("fox",), avatar=URI, own=CharacterOverrides(0, "local"), is_main=True,
        sprites=(CharacterSprite("mad", "https://example.org/mad.png", "when cross", is_identity=True),),
        notes=(Note("Stay shy.", 2),),
        lore=(Lore("The wood is old.", ("wood",), is_constant=True, is_case_sensitive=True, order=5),),
    )  # fmt: skip
    assert (ren,) == found


@pytest.mark.parametrize(
    ("mains", "names"),
    [((), "A B C"), ((1,), "B A C"), ((0,), "A B C"), ((2,), "C A B")],
    ids=["the first", "the second", "the first, as said", "the last"],
)
def test_the_main_one_is_first_and_alone(tmp_path: Path, mains: tuple[int, ...], names: str) -> None:
    tables = [f"[[personas]]\nname = '{name}'\nmain = {str(n in mains).lower()}\n" for n, name in enumerate("ABC")]

    found = people(tmp_path, "".join(tables))

    assert names.split() == [person.name for person in found]
    assert [True, False, False] == [person.is_main for person in found]


@pytest.mark.parametrize(
    ("text", "mistake"),
    [
        ("personas = 1", "[[personas]] must be tables, each under a line [[personas]] of its own"),
        ("[personas]\nname = 'A'", "[[personas]] must be tables, each under a line [[personas]] of its own"),
        ("[[personas]]", '[[personas]] 1 must have a name, as in name = "Ren"'),
        ("[[personas]]\nname = ' '", "[[personas]] 1 name must be a text that is not empty, not ' '"),
        ("[[personas]]\nname = 'A'\nprmopt = ''", "[[personas]] 1 has no key 'prmopt'; did you mean 'prompt'?"),
        ("[[personas]]\nname = 'A'\ndegree = 4", "[[personas]] 1 degree must be between 0 and 3, not 4"),
        ("[[personas]]\nname = 'A'\nmodel = 'opnai:x'", "[[personas]] 1 (A) model names an unknown vendor 'opnai'; did you mean 'openai'?"),
        ("[[personas]]\nname = 'A'\nprompt_file = 'no.md'", "[[personas]] 1 (A) prompt_file names 'no.md', which cannot be read (No such file or directory)"),
        ("[[personas]]\nname = 'A'\nprompt = 'a'\nprompt_file = 'ren.md'", "[[personas]] 1 (A) prompt_file conflicts with prompt; keep one of the two"),
        ("[[personas]]\nname = 'A'\navatar = 'ren.md'", "[[personas]] 1 (A) avatar names 'ren.md', which is not a picture; it may be PNG, JPEG, GIF or WebP"),
        ("[[personas]]\nname = 'A'\ncard = 'no.png'", "[[personas]] 1 (A) card names 'no.png', which cannot be read (No such file or directory)"),
        ("[[personas]]\nname = 'A'\nsprites = 1", "[[personas]] 1 (A) sprites must be tables, each under a line [[personas.sprites]] of its own"),
        ("[[personas]]\nname = 'A'\nsprites = [{}]", '[[personas]] 1 (A) sprites 1 must have name = "…"'),
        ("[[personas]]\nname = 'A'\n[[personas]]\nname = 'a'", "[[personas]] have the name 'a' twice; give each a name of its own"),
        ("[[personas]]\nname = 'A'\nmain = true\n[[personas]]\nname = 'B'\nmain = true", "[[personas]] have more than one main = true; leave it with one of them"),
    ],
    ids=range(15),
)  # fmt: skip
def test_a_mistake_is_one_sentence_with_its_place(tmp_path: Path, text: str, mistake: str) -> None:
    with pytest.raises(ConfigError) as raised:
        people(tmp_path, text)

    assert (f"cadenza.toml: {mistake}",) == raised.value.mistakes


def test_a_file_that_is_no_card_is_told_as_such(tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as raised:
        people(tmp_path, "[[personas]]\nname = 'A'\ncard = 'ren.md'\n")

    (mistake,) = raised.value.mistakes
    assert "[[personas]] 1 (A) card names 'ren.md', which cannot be read as a character card (" in mistake


def test_a_card_says_who_somebody_is_and_the_file_has_the_last_word(tmp_path: Path) -> None:
    pytest.importorskip("cadenza.bot.characters.reading", reason="cards cannot be read yet")
    card = '{"spec": "chara_card_v2", "spec_version": "2.0", "data": {"name": "Ren", "description": "A fox.", "personality": "shy"}}'
    (tmp_path / "ren.json").write_text(card)

    (ren,) = people(tmp_path, "[[personas]]\ncard = 'ren.json'\npersonality = 'bold'\n")

    assert ("Ren", "A fox.", "bold", True) == (ren.name, ren.prompt, ren.personality, ren.is_main)
