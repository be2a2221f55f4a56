"""Text rules, one file each. The order in which they run is the order of ``RULES``."""

from __future__ import annotations

from .emoji import Emoji
from .mentions import Mentions
from .opening_label import OpeningLabel
from .orphan_punctuation import OrphanPunctuation
from .own_name import OwnName
from .render_modifier import RenderModifier
from .rule import Rule, RuleContext

RULES: tuple[type[Rule], ...] = (RenderModifier, OpeningLabel, OwnName, OrphanPunctuation, Emoji, Mentions)
"""The rules that every reply passes, first to last."""

__all__ = [
    "RULES",
    "Emoji",
    "Mentions",
    "OpeningLabel",
    "OrphanPunctuation",
    "OwnName",
    "RenderModifier",
    "Rule",
    "RuleContext",
]
