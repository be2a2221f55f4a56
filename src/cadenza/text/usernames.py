"""Names as a webhook may bear them, and the way back.

Discord takes 1 to 80 characters, none that nobody sees, and neither ``clyde`` nor ``discord`` in any case. A name that
holds one of the two is shown with a letter that looks the same; whoever reads it back finds the word that was meant.
"""

from __future__ import annotations

import re
import unicodedata

from .units import WHITESPACE, whole_grapheme

LONGEST = 80
"""What the name of a webhook's message may have, in code points."""
NAMELESS = "Persona"
"""Who speaks if nothing of a name can be shown."""

# The letter that changes is the c: a look of a persona is told from another by the last letter that has a twin (see
# ``names.lookalike``), so that a name and its disguise stay two names.
_ANY_CASE = "{0}(?=(?i:lyde))|(?<=(?i:dis)){0}(?=(?i:ord))"
_FORBIDDEN = re.compile(_ANY_CASE.format("[cC]"))
_BROKEN = re.compile(_ANY_CASE.format("[\u0441\u0421]"))
_TWINS = str.maketrans("cC", "\u0441\u0421")
_LETTERS = str.maketrans("\u0441\u0421", "cC")

_BLANKS = re.compile(f"[{WHITESPACE}]+")
_UNSEEN = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\uffa0\ufe00-\ufe0d\U000e0100-\U000e01ef]"
)
"""Fillers and selectors: letters, marks and signs by their kind, and nothing to the eye."""
_JOINER = "\u200d"
_PICTURES = "\u2190-\u2bff\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
_LOOSE_JOINER = re.compile(f"(?<![{_PICTURES}\ufe0f]){_JOINER}|{_JOINER}(?![{_PICTURES}])")
"""A joiner that does not make one emoji of two."""
_SOURCE = re.compile(r" \([^()（）]{1,64}\)\Z")
_DOTS = "..."


def as_username(name: str) -> str:
    """*name* as a webhook may bear it: what nobody sees is gone, and forbidden words only look like themselves.

    One that is too long is cut, but a source in brackets behind it stays whole: ``Somebody... (Ren)``.
    """
    return _FORBIDDEN.sub(lambda match: match[0].translate(_TWINS), _cut(_tidy(name) or NAMELESS))


def from_username(username: str) -> str:
    """The words that ``as_username`` made *username* of, as far as they were not cut."""
    return _BROKEN.sub(lambda match: match[0].translate(_LETTERS), username)


def _tidy(name: str) -> str:
    """*name* without what nobody sees, with single spaces; nothing if there is nothing to see."""
    name = unicodedata.normalize("NFC", _LOOSE_JOINER.sub("", _UNSEEN.sub("", _seen(name))))
    name = _BLANKS.sub(" ", name).strip(" ")
    return name if name.strip(f" \ufe0e\ufe0f{_JOINER}") else ""


def _seen(name: str) -> str:
    """*name* without controls, format characters and halves of characters; white space and joiners stay."""
    return "".join(delivery for delivery in name if _is_seen(delivery))


def _is_seen(delivery: str) -> bool:
    if delivery == "\ufeff":  # a browser's white space, but of no width
        return False
    return delivery in WHITESPACE or delivery == _JOINER or unicodedata.category(delivery) not in ("Cc", "Cf", "Cs")


def _cut(name: str) -> str:
    if len(name) <= LONGEST:
        return name
    match = _SOURCE.search(name)
    source = match[0] if match else ""
    first = name[: len(name) - len(source)]
    end = whole_grapheme(first, LONGEST - len(source) - len(_DOTS))
    return first[:end].rstrip(f" {_JOINER}") + _DOTS + source
