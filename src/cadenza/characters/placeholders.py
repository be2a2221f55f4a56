"""What cards write instead of names, ``{{char}}`` and ``{{user}}``, and the words that they stand for."""

from __future__ import annotations

import re

SOMEBODY = "User"
"""What ``{{user}}`` stands for where nobody in particular is talked to."""

_MACRO = re.compile(
    r"\{\{\s*(?P<word>char|user|original)\s*\}\}"
    r"|<(?P<tag>char|bot|user)>"
    # a comment may hold single braces, but no macro
    r"|\{\{(?://|comment:|hidden_key:)(?:[^{}]|[{}](?![{}]))*\}\}",
    re.IGNORECASE,
)


def resolved(text: str, *, char: str, user: str = "", original: str = "") -> str:
    """*text* with names put in and comments taken out. What a name holds is not looked at again."""

    def meant(match: re.Match[str]) -> str:
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
