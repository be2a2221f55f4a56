"""What cards write instead of names, ``{{char}}`` and ``{{user}}``, and the words that they stand for."""

from __future__ import annotations

import re
from random import Random, SystemRandom

SOMEBODY = "User"
"""What ``{{user}}`` stands for where nobody in particular is talked to."""

_MACRO = re.compile(
    r"\{\{\s*(?P<word>char|user|original)\s*\}\}"
    r"|<(?P<tag>char|bot|user)>"
    r"|\{\{\s*(?P<made>random|pick|roll|reverse)\s*::?(?P<of>[^{}]*)\}\}"
    # a comment may hold single braces, but no macro
    r"|\{\{(?://|comment:|hidden_key:)(?:[^{}]|[{}](?![{}]))*\}\}",
    re.IGNORECASE,
)
_COMMA = re.compile(r"(?<!\\),")
_SIDES = re.compile("[1-9][0-9]{0,8}")
_DICE = SystemRandom()


def resolved(text: str, *, char: str, user: str = "", original: str = "") -> str:
    """*text* with names put in and comments taken out. What a name holds is not looked at again."""

    def meant(match: re.Match[str]) -> str:
        if match["made"]:
            return _made(match["made"].lower(), match["of"], place=f"{char}/{match.start()}")
        match (match["word"] or match["tag"] or "").lower():
            case "char" | "bot":
                return char
            case "user":
                return user or SOMEBODY
            case "original":
                return original
            case _:
                return ""

    return _MACRO.sub(meant, text)


def _made(how: str, of: str, *, place: str) -> str:
    """What is made of a text: one of several, any or always the same in one *place*, a throw of dice, the way back."""
    match how:
        case "random":
            return _DICE.choice(_parts(of))
        case "pick":
            return Random(f"{place}/{of}").choice(_parts(of))
        case "reverse":
            return of[::-1]
        case _:
            sides = of.strip().lower().removeprefix("d")
            return str(_DICE.randint(1, int(sides))) if _SIDES.fullmatch(sides) else ""


def _parts(of: str) -> list[str]:
    """The texts of a list: with ``::`` between them, or commas, of which one behind a backslash is meant as such."""
    parts = of.split("::") if "::" in of else _COMMA.split(of)
    return [part.replace("\\,", ",").strip() for part in parts]
