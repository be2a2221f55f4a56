"""Text rules, one per file. They run in the order of ``RULES``."""

from __future__ import annotations

from .deep_headings import DeepHeadings
from .emoji import Emoji
from .footnotes import Footnotes
from .formulas import Formulas
from .html_entities import HtmlEntities
from .html_tags import HtmlTags
from .images import Images
from .leaked_tags import LeakedTags
from .list_code import ListCode
from .long_fences import LongFences
from .mentions import Mentions
from .no_emoji import NoEmoji
from .opening_label import OpeningLabel
from .orphan_punctuation import OrphanPunctuation
from .own_name import OwnName
from .prefill import Prefill
from .reference_links import ReferenceLinks
from .render_modifier import RenderModifier
from .repeated_emoji import RepeatedEmoji
from .rule import Rule, RuleContext
from .sanitise import Sanitise
from .speaker_guard import SpeakerGuard
from .system_blocks import SystemBlocks
from .tables import Tables
from .task_lists import TaskLists
from .thematic_breaks import ThematicBreaks
from .trailing_label import TrailingLabel
from .unicode_spaces import UnicodeSpaces

RULES: tuple[type[Rule], ...] = (
    # Text that is not meant for people goes first, so that labels are at the beginning of a line.
    SystemBlocks,
    LeakedTags,
    UnicodeSpaces,
    Sanitise,
    # Who speaks. The guards come before orphan punctuation is held, which would otherwise precede the labels.
    RenderModifier,
    OpeningLabel,
    OwnName,
    Prefill,
    SpeakerGuard,
    TrailingLabel,
    OrphanPunctuation,
    # Code as a chat can show it.
    ListCode,
    LongFences,
    # What a chat does not render. Breaks are whole lines. Tags are read before what their content may be, a heading or a
    # link, and before entities, which stand for text. A reference may turn out to be an image.
    ThematicBreaks,
    HtmlTags,
    HtmlEntities,
    DeepHeadings,
    TaskLists,
    Footnotes,
    ReferenceLinks,
    Images,
    # A table becomes columns or a picture, which later rules skip, or a list, which is prose for them.
    NoEmoji,
    # A formula within a line or in a cell becomes text; one on its own becomes a block.
    Formulas,
    Tables,
    # Names in the platform's own notation.
    RepeatedEmoji,
    Emoji,
    Mentions,
)
"""The rules that every reply passes, first to last."""

__all__ = [
    "RULES",
    "DeepHeadings",
    "Emoji",
    "Footnotes",
    "Formulas",
    "HtmlEntities",
    "HtmlTags",
    "Images",
    "LeakedTags",
    "ListCode",
    "LongFences",
    "Mentions",
    "NoEmoji",
    "OpeningLabel",
    "OrphanPunctuation",
    "OwnName",
    "Prefill",
    "ReferenceLinks",
    "RenderModifier",
    "RepeatedEmoji",
    "Rule",
    "RuleContext",
    "Sanitise",
    "SpeakerGuard",
    "SystemBlocks",
    "Tables",
    "TaskLists",
    "ThematicBreaks",
    "TrailingLabel",
    "UnicodeSpaces",
]
