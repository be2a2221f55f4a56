"""Usernames for webhook messages, and the way back.

Discord allows 1 to 80 visible characters, and neither ``clyde`` nor ``discord`` in any case. A name that contains one
of these words gets a letter that looks the same; ``from_username`` restores it.
"""

from __future__ import annotations

import re
import unicodedata

from .units import WHITESPACE, whole_grapheme

LONGEST = 80
"""The longest username of a webhook message, in code points."""
NAMELESS = "Persona"
"""The name if nothing of a name can be shown."""

# The c changes: lookalikes of sprites change the last letter possible (see ``names.lookalike``), so both stay distinct.
_ANY_CASE = "{0}(?=(?i:lyde))|(?<=(?i:dis)){0}(?=(?i:ord))"
_FORBIDDEN = re.compile(_ANY_CASE.format("[cC]"))
_BROKEN = re.compile(_ANY_CASE.format("[\u0441\u0421]"))
_TWINS = str.maketrans("cC", "\u0441\u0421")
_LETTERS = str.maketrans("\u0441\u0421", "cC")

_BLANKS = re.compile(f"[{WHITESPACE}]+")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0d\U000e0100-\U000e01ef]"
)
"""Invisible letters, fillers and selectors."""
_JOINER = "\u200d"
_PICTURES = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_LOOSE_JOINER = re.compile(f"(?<![{_PICTURES}\ufe0f]){_JOINER}|{_JOINER}(?![{_PICTURES}])")
"""A joiner that does not join two emoji."""
_SOURCE = re.compile(r" \([^()（）]{1,64}\)\Z")
_DOTS = "..."


def as_username(name: str) -> str:
    """*name* as a webhook may use it: without invisible characters, and with forbidden words replaced by lookalikes.

    A long name is cut, but a source in brackets at its end stays whole: ``Somebody... (Ren)``.
    """
    return _FORBIDDEN.sub(lambda match: match[0].translate(_TWINS), _cut(_tidy(name) or NAMELESS))


def from_username(username: str) -> str:
    """The name that ``as_username`` was given, apart from what it cut."""
    return _BROKEN.sub(lambda match: match[0].translate(_LETTERS), username)


def _tidy(name: str) -> str:
    """*name* without invisible characters, with single spaces; empty if nothing is visible."""
    name = unicodedata.normalize("NFC", _LOOSE_JOINER.sub("", _UNSEEN.sub("", _seen(name))))
    name = _BLANKS.sub(" ", name).strip(" ")
    return name if name.strip(f" \ufe0e\ufe0f{_JOINER}") else ""


def _seen(name: str) -> str:
    """*name* without control characters, format characters and surrogates; white space and joiners stay."""
    return "".join(letter for letter in name if _is_seen(letter))


def _is_seen(letter: str) -> bool:
    if letter == "\ufeff":  # white space to browsers, but without a width
        return False
    return letter in WHITESPACE or letter == _JOINER or unicodedata.category(letter) not in ("Cc", "Cf", "Cs")


def _cut(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    match = _SOURCE.search(name)
    source = match[0] if match else ""
    first = name[: len(name) - len(source)]
    end = whole_grapheme(first, LONGEST - len(source) - len(_DOTS))
    return first[:end].rstrip(f" {_JOINER}") + _DOTS + source
