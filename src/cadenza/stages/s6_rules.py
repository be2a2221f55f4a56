"""Stage 6: segment in, segment out. Makes the model's text what people should see.

Each rule is a small stage of its own in ``cadenza.rules``; this stage is the row of them.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..rules import RULES
from ..rules.rule import Rule, RuleContext
from .stage import Pipe


def rule_row(context: RuleContext, rules: Iterable[type[Rule]] = RULES) -> Pipe:
    """Build *rules*, in their order, for one reply; those that have nothing to do in this scene are left out."""
    row = (rule(context) for rule in rules)
    return Pipe(*(rule for rule in row if not rule.is_idle))
