"""Which OpenAI models think, and which reasoning efforts they accept."""

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
"""The efforts by the beginning of a model's name; the first match counts. Other models do not think."""


def efforts(model: str) -> tuple[str, ...]:
    """The efforts that *model* accepts, from least to most; empty if it does not think."""
    name = model.lower().rpartition("/")[2]
    return next((taken for pattern, taken in _EFFORTS if pattern.match(name)), ())


def effort(taken: Sequence[str], wanted: Thinking) -> str:
    """The effort in *taken* that is closest to *wanted*; empty to leave it to the model."""
    if wanted is Thinking.AUTO or not taken:
        return ""
    rank = _RANKS.index(wanted.value)
    return min(taken, key=lambda one: abs(_RANKS.index(one) - rank))
