"""Valid names of characters and sprites, and how names are compared."""

from __future__ import annotations

import re
import unicodedata

from ...errors import InputError, Sentence
from ...text.usernames import LONGEST, NAMELESS, as_username, from_username

LONGEST_SPRITE_NAME = 64
_BLANKS = re.compile(r"\s+")
_NOT_IN_A_SPRITE_NAME = re.compile(r"[()（）:：]")
"""The marks of ``Name (sprite): ``, as a model writes it."""


def key_of(name: str) -> str:
    """*name* for comparison, without case and with normalised accents."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


def character_name(name: str) -> str:
    """*name*, normalised; raises an ``InputError`` if it is invalid for a character."""
    bare = unicodedata.normalize("NFC", name).strip()
    if len(bare) > LONGEST:
        msg = Sentence("A name has at most {longest} characters; choose a shorter one.", longest=LONGEST)
        raise InputError(msg)
    tidy = from_username(as_username(bare))
    if tidy == NAMELESS and key_of(bare) != key_of(NAMELESS):
        msg = Sentence("A name needs at least one visible character; choose another one.")
        raise InputError(msg)
    return tidy


def sprite_name(name: str) -> str:
    """*name*, normalised; raises an ``InputError`` if it is invalid for a sprite."""
    bare = _BLANKS.sub(" ", unicodedata.normalize("NFC", name)).strip()
    if not bare.isprintable() or not bare or len(bare) > LONGEST_SPRITE_NAME:
        msg = Sentence(
            "The name of a sprite has 1 to {most} visible characters; choose another one.",
            most=LONGEST_SPRITE_NAME,
        )
        raise InputError(msg)
    if _NOT_IN_A_SPRITE_NAME.search(bare):
        msg = Sentence("The name of a sprite cannot have brackets or a colon; choose another one.")
        raise InputError(msg)
    return bare
