r"""Reactions as chemists write them in LaTeX: ``\ce{2H2 + O2 -> 2H2O}`` is "2H₂ + O₂ → 2H₂O"."""

from __future__ import annotations

import re

from .latex_symbols import SUBSCRIPT, SUPERSCRIPT

_ARROWS = {"<=>": "⇌", "<-->": "⇌", "<->": "↔", "->": "→", "<-": "←", "=": "=", "<=>>": "⇌", "<<=>": "⇌"}
_TOKEN = re.compile(
    r"(?P<arrow><?<=>>?|<-->|<->|->|<-)(?:\[(?P<over>[^\]]*)\])?(?:\[[^\]]*\])?"
    r"|(?P<scripts>(?:[_^](?:\{[^{}]*\}|[\d+-]+|\w))+)"
    r"|(?P<charge>(?<=[A-Za-z0-9\])}])[+-])(?=[\s)\]]|\Z)"
    r"|(?P<count>(?<=[A-Za-z)\]}])\d+)"
    r"|(?P<going>(?<=\s)(?:v|\^)(?=\s|\Z))"
    r"|(?P<space>\s+)"
    r"|(?P<plain>[A-Za-z0-9()\[\]+.,/*=-])"
)
_SCRIPT = re.compile(r"([_^])(?:\{([^{}]*)\}|([\d+-]+|\w))")


def readable_reaction(source: str) -> str | None:
    """*source* in Unicode; ``None`` if not all of it can be."""
    parts: list[str] = []
    position = 0
    while position < len(source):
        token = _TOKEN.match(source, position)
        if token is None:
            return None
        part = _shown(token)
        if part is None:
            return None
        parts.append(part)
        position = token.end()
    return " ".join("".join(parts).split()) or None


def _shown(token: re.Match[str]) -> str | None:
    match token.lastgroup:
        case "over" | "arrow":
            over = token["over"]
            return f" ─{over}→ " if over else f" {_ARROWS[token['arrow']]} "
        case "scripts":
            scripts = [_script(*found) for found in _SCRIPT.findall(token.group())]
            return None if None in scripts else "".join(filter(None, scripts))
        case "charge":
            return SUPERSCRIPT[token.group()]
        case "count":
            return "".join(SUBSCRIPT[digit] for digit in token.group())
        case "going":
            return "↓" if token.group() == "v" else "↑"
        case "space":
            return " "
    return {"*": "·", "-": "–"}.get(token.group(), token.group())


def _script(mark: str, group: str, single: str) -> str | None:
    characters = SUPERSCRIPT if mark == "^" else SUBSCRIPT
    small = [characters.get(character, "") for character in group or single]
    return "".join(small) if all(small) else None
