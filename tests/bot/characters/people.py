"""Characters for tests: the cards beside this file, and generated ones."""

from __future__ import annotations

import json
from pathlib import Path
from types import MappingProxyType
from typing import Any

from hypothesis import strategies as st

from cadenza.bot.characters.avatars import as_uri
from cadenza.bot.characters.character import Character, CharacterOverrides, CharacterSprite, Lore
from cadenza.bot.characters.png import plain
from cadenza.bot.characters.tavern import shown_name
from cadenza.types import Note

CARDS = {path.stem: path.read_bytes() for path in sorted((Path(__file__).parent / "cards").glob("*.json"))}


def card(name: str) -> dict[str, Any]:
    """One of the cards."""
    found: dict[str, Any] = json.loads(CARDS[name])
    return found


texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
words = st.lists(texts, max_size=3).map(tuple)
names = st.text(st.sampled_from("abRen 蓮é(:'"), min_size=1, max_size=12).map(shown_name)
avatars = st.sampled_from(
    ["", "https://example.org/a.png", "http://example.org/a.png", as_uri("png", plain("a")), as_uri("gif", b"GIF89a;")]
)
sprites = st.builds(CharacterSprite, texts, avatars, texts, st.booleans())
lores = st.builds(
    Lore, texts, words, words, st.booleans(), st.booleans(), st.booleans(), st.booleans(), st.integers(-5, 500)
)
notes = st.builds(Note, texts.filter(str.strip), st.integers(0, 20))
json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | texts,
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(texts, inner, max_size=2),
    max_leaves=5,
)
cards = st.sampled_from([{}, *(card(name) for name in CARDS)]).map(MappingProxyType)


def characters(**fixed: Any) -> st.SearchStrategy[Character]:
    """Any characters, with *fixed* fields."""
    parts: dict[str, Any] = {
        "name": names,
        **dict.fromkeys(
            ("prompt", "personality", "scenario", "system", "afterword", "greeting", "samples", "nickname"),
            texts,
        ),
        "other_greetings": words,
        "triggers": words,
        "notes": st.lists(notes, max_size=3).map(tuple),
        "avatar": avatars,
        "sprites": st.lists(sprites, max_size=2).map(tuple),
        "lore": st.lists(lores, max_size=3).map(tuple),
        "own": st.builds(CharacterOverrides, st.none() | st.integers(0, 3), texts),
        "card": cards,
    }
    return st.builds(Character, **{**parts, **fixed})
