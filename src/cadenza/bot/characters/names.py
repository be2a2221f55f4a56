"""What characters and their looks may be called, and when two names are the same."""

from __future__ import annotations

import re
import unicodedata

from ...errors import InputError
from ...text.usernames import LONGEST, NAMELESS, as_username, from_username

LONGEST_LOOK = 64
_BLANKS = re.compile(r"\s+")
_NOT_IN_A_LOOK = re.compile(r"[()（）:：]")
"""What ends ``Name (look): `` where a model writes it."""


def key_of(name: str) -> str:
    """*name* as it is compared: whatever its case, and however its accents are written."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold()).strip()


def character_name(name: str) -> str:
    """*name* as it is kept; raises an ``InputError`` if nobody can be called that."""
    bare = unicodedata.normalize("NFC", name).strip()
    if len(bare) > LONGEST:
        msg = f"A name has at most {LONGEST} characters; choose a shorter one."
        raise InputError(msg)
    tidy = from_username(as_username(bare))
    if tidy == NAMELESS and key_of(bare) != key_of(NAMELESS):
        msg = "A name needs at least one character that can be seen; choose another one."
        raise InputError(msg)
    return tidy


def look_name(name: str) -> str:
    """The *name* of a look as it is kept; raises an ``InputError`` if none can be called that."""
    bare = _BLANKS.sub(" ", unicodedata.normalize("NFC", name)).strip()
    if not bare.isprintable() or not bare or len(bare) > LONGEST_LOOK:
        msg = f"The name of a sprite has 1 to {LONGEST_LOOK} characters that can be seen; choose another one."
        raise InputError(msg)
    if _NOT_IN_A_LOOK.search(bare):
        msg = "The name of a sprite has neither brackets nor a colon; choose another one."
        raise InputError(msg)
    return bare
