"""Which of OpenAI's models think before they speak, and how hard they can be told to try."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...types import Thinking

_RANKS = ("none", "minimal", "low", "medium", "high")
_FROM_LOW = ("low", "medium", "high")
_FROM_NONE = ("none", "low", "medium", "high")

_EFFORTS: Sequence[tuple[re.Pattern[str], tuple[str, ...]]] = tuple(
    (re.compile(pattern), efforts)
    for pattern, efforts in (
        (r"gpt-5-chat", ()),
        (r"gpt-5\.\d+-chat", ("medium",)),
        (r"gpt-5-pro", ("high",)),
        (r"gpt-5\.\d+-pro", ("medium", "high")),
        (r"gpt-5(?:\.1)?-codex", _FROM_LOW),
        (r"gpt-5\.", _FROM_NONE),
        (r"gpt-5(?!\d)", ("minimal", "low", "medium", "high")),
        (r"gpt-6-(?:sol|luna)|gpt-6\.1-terra", _FROM_NONE),
        (r"gpt-(?:[6-9]|\d\d)|gpt-oss|codex-|o\d", _FROM_LOW),
    )
)
"""The efforts that a model takes, by how its name begins; the first that fits counts. What is missing does not think."""


def efforts(model: str) -> tuple[str, ...]:
    """The efforts that *model* takes, from least to most; none if it does not think."""
    name = model.lower().rpartition("/")[2]
    return next((taken for pattern, taken in _EFFORTS if pattern.match(name)), ())


def effort(taken: Sequence[str], wanted: Thinking) -> str:
    """The effort among *taken* that is nearest to what is *wanted*; empty if that is the model's own matter."""
    if wanted is Thinking.AUTO or not taken:
        return ""
    rank = _RANKS.index(wanted.value)
    return min(taken, key=lambda one: abs(_RANKS.index(one) - rank))
