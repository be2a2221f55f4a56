"""What each generation of Claude supports: thinking modes, sampling, prefill.

An unsupported parameter is refused with status 400, so the request has to know. A model that is not a known Claude
(other vendors offer this API too) counts as an older one that thinks only on request.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

_NAME = re.compile(
    r"claude-(?:(?P<old>\d)(?:[.-](?P<old_minor>\d))?(?:-|$))?"  # claude-3-5-haiku, claude-2.1
    r"(?:(?P<family>[a-z]+)(?:-(?P<major>\d{1,2})(?!\d)(?:[.-](?P<minor>\d{1,2})(?!\d))?)?)?"  # claude-opus-4-7
)
_OLD_FAMILIES = ("opus", "sonnet", "haiku", "instant", "v")
"""Families from before these features; every later family supports all of them, whatever its number."""
_LATEST = (99, 0)


class Silence(Enum):
    """How thinking is switched off."""

    DISABLED = "disabled"
    BETWEEN_TOOLS = "between_tools"
    """Thinking shrinks to notes between one tool call and the next."""
    NEVER = "never"
    """It cannot be switched off; low effort is the minimum."""


@dataclass(frozen=True, slots=True)
class Claude:
    """What one model supports."""

    thinks: bool = True
    """Whether it can think at all."""
    adapts: bool = False
    """Whether it decides itself how long to think and takes an effort; others take a budget."""
    hides_thoughts: bool = False
    """Whether it shows its thoughts only on request."""
    silence: Silence = Silence.DISABLED
    samples: bool = True
    """Whether it takes sampling parameters."""
    samples_twice: bool = True
    """Whether it takes ``temperature`` and ``top_p`` together."""
    prefill: bool = True
    """Whether it continues a last turn of its own."""
    answer_tokens: int = 8192
    """The default for the longest answer."""


def claude(model: str) -> Claude:
    """What *model* supports, by its name in any vendor's spelling."""
    found = _NAME.search(model.lower())
    if found is None:
        return Claude()
    family = found["family"] or ""
    version = (int(found["old"] or found["major"] or 0), int(found["old_minor"] or found["minor"] or 0))
    if family and family not in _OLD_FAMILIES:
        version = _LATEST
    elif version == (0, 0):
        return Claude()
    return Claude(
        thinks=version >= (3, 7),
        adapts=version >= (4, 6),
        hides_thoughts=version >= (4, 7),
        silence=_silence(family, version),
        samples=version < (4, 7),
        samples_twice=version < (4, 1),
        prefill=version < (4, 6),
        answer_tokens=8192 if version >= (3, 5) else 4096,
    )


def _silence(family: str, version: tuple[int, int]) -> Silence:
    if version == _LATEST or (family == "opus" and version >= (5, 5)):
        return Silence.NEVER
    if family == "sonnet" and version >= (5, 5):
        return Silence.BETWEEN_TOOLS
    return Silence.DISABLED
