"""Names of people and personas: comparing them, joining two, and making lookalikes.

A chat groups consecutive messages of one name and shows the avatar of the first. So two sprites of one persona get
names that look the same but differ: ``Tomori`` with one Cyrillic letter in it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple

from .units import WHITESPACE, fits, fitting, units, whole_grapheme

NEUTRAL = "(neutral)"
"""The modifier of a persona without a sprite; no sprite can have this name, because of the brackets."""

_BLANKS = re.compile(f"[{WHITESPACE}]+")


@lru_cache(maxsize=8192)  # rules ask for the same names for every reply
def normalised(name: str) -> str:
    """*name* for comparison: without a leading ``@`` and lookalike letters, in lower case, with single spaces.

    Both Unicode forms of an accent are equal.
    """
    bare = name.strip(WHITESPACE).lstrip("@").strip(WHITESPACE)
    if not bare.isascii():
        bare = unicodedata.normalize("NFC", revealed(bare))
    return _BLANKS.sub(" ", bare.lower())


# --- joining two names ------------------------------------------------------------

_LONGEST = 80
"""The longest name of a message's author, in UTF-16 units."""
_DOTS = "..."


def both(first: str, second: str) -> str:
    """Two names as one, ``first (second)``; if that is too long, the first one is shortened, or else the second."""
    first, second = first.strip(WHITESPACE), second.strip(WHITESPACE)
    if not first or not second:
        return _cut(first or second or "Persona", _LONGEST)
    whole = f"{first} ({second})"
    if fits(whole, _LONGEST):
        return whole
    over = units(whole) - _LONGEST
    if (room := units(first) - over) > len(_DOTS):
        return f"{_cut(first, room)} ({second})"
    if (room := units(second) - over) > len(_DOTS):
        return f"{first} ({_cut(second, room)})"
    return _shortened(first, _LONGEST)


def _cut(name: str, limit: int) -> str:
    """*name* in at most *limit* units, with dots if it is shortened."""
    return name if fits(name, limit) else _shortened(name, limit)


def _shortened(name: str, limit: int) -> str:
    """*name*, shortened if necessary, with dots."""
    end = whole_grapheme(name, fitting(name, limit - len(_DOTS)))
    return name[:end].rstrip(WHITESPACE) + _DOTS


# --- lookalikes --------------------------------------------------------------------

_LATIN = "aceijopsxABCEHIJMOPSTX"
_CYRILLIC = (
    "\u0430\u0441\u0435\u0456\u0458\u043e\u0440\u0455\u0445"  # a c e i j o p s x
    "\u0410\u0412\u0421\u0415\u041d\u0406\u0408\u041c\u041e\u0420\u0405\u0422\u0425"  # A B C E H I J M O P S T X
)
_TO_CYRILLIC = dict(zip(_LATIN, _CYRILLIC, strict=True))
_TO_LATIN = dict(zip(_CYRILLIC, _LATIN, strict=True))
_HAS_CYRILLIC = re.compile("[\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f]")


class _Word(NamedTuple):
    """A run of letters, or of other characters."""

    text: str
    latin: int
    cyrillic: int


def lookalike(name: str) -> str | None:
    """Another name that looks like *name*; ``None`` if there is none that ``revealed`` turns back."""
    words = _words(name)
    for index in reversed(range(len(words))):
        twin = _twin(words[index])
        if twin is not None:
            whole = "".join([*(word.text for word in words[:index]), twin, *(word.text for word in words[index + 1 :])])
            return whole if revealed(whole) == name else None
    return None


def revealed(name: str) -> str:
    """*name* with its lookalike letters turned back: in a word of two scripts the more frequent one wins."""
    if _HAS_CYRILLIC.search(name) is None:
        return name
    return "".join(map(_revealed_word, _words(name)))


def _twin(word: _Word) -> str | None:
    """*word* with its last replaceable letter replaced by its lookalike."""
    if min(word.latin, word.cyrillic) or max(word.latin, word.cyrillic) < 3:
        return None
    letters = _TO_CYRILLIC if word.latin else _TO_LATIN
    for index in reversed(range(len(word.text))):
        if letter := letters.get(word.text[index]):
            return word.text[:index] + letter + word.text[index + 1 :]
    return None


def _revealed_word(word: _Word) -> str:
    if not word.latin or not word.cyrillic or word.latin == word.cyrillic:
        return word.text
    letters = _TO_LATIN if word.latin > word.cyrillic else _TO_CYRILLIC
    return "".join(letters.get(letter, letter) for letter in word.text)


def _words(name: str) -> list[_Word]:
    words = []
    for _, letters in groupby(name, str.isalpha):
        text = "".join(letters)
        scripts = list(map(_script, text))
        words.append(_Word(text, scripts.count("LATIN"), scripts.count("CYRILLIC")))
    return words


@lru_cache(maxsize=1024)
def _script(letter: str) -> str:
    """LATIN, CYRILLIC or empty; cached, because names of characters are slow to look up."""
    name = unicodedata.name(letter, "")
    return next((script for script in ("LATIN", "CYRILLIC") if f"{script} " in name), "")


# --- names of sprites ------------------------------------------------------------------

_CONTROLS = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_INVISIBLE = re.compile("[\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff]")


def sprite_key(name: str) -> str:
    """The key of the sprite called *name*."""
    return normalised(_visible(name))


def _visible(name: str) -> str:
    """*name* without invisible characters, and with single spaces."""
    return _BLANKS.sub(" ", _INVISIBLE.sub("", _CONTROLS.sub(" ", name))).strip(WHITESPACE)


# --- reading names back -----------------------------------------------------------------


class Author(NamedTuple):
    """The author of a message, read from its username."""

    persona: str
    label: str
    """What precedes the message when a model reads it: ``Ren``, or ``Ren (mad)``."""
    is_neutral: bool = False
    """Whether the name only told the persona's plain avatar from a sprite."""


_TWO_NAMES = re.compile(r"(?P<first>.*) \((?P<second>[^()（）]{1,64})\)", re.DOTALL)


def read_back(username: str, personas: Iterable[str]) -> Author | None:
    """Which of *personas* spoke as *username*: by its name, a lookalike, or a name joined from two."""
    known = {normalised(persona): persona for persona in personas}
    if persona := known.get(normalised(username)):
        return Author(persona, persona)
    match = _TWO_NAMES.fullmatch(username.strip(WHITESPACE))
    if match is None:
        return None
    first, second = match["first"], match["second"]
    if persona := known.get(normalised(second)):
        return Author(persona, both(persona, first))
    if persona := known.get(normalised(first)):
        is_neutral = normalised(second) == NEUTRAL.strip("()")
        return Author(persona, persona if is_neutral else both(persona, second), is_neutral)
    return None
