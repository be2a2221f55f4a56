"""Stage 6: segment in, segment out. Turns the model's text into what people should see.

Each rule is a small stage of its own in ``cadenza.rules``; this stage is the sequence of them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import replace
from itertools import takewhile

from ..errors import SettingsError
from ..rules import RULES, Prefill
from ..rules.rule import Rule, RuleContext, Scan
from ..text.units import WHITESPACE
from ..types import Boundary, Ending, Segment
from .stage import Pipe


def rule_row(context: RuleContext, rules: Iterable[type[Rule]] = RULES) -> Pipe:
    """Build *rules*, in order, for one reply.

    Rules that the settings switch off, and rules that are idle in this scene, are left out.
    """
    rules = without(rules, *context.settings.rules_off)
    return _row(with_echo(context, rules), rules)


def with_echo(context: RuleContext, rules: Iterable[type[Rule]] = RULES) -> RuleContext:
    """*context* with the prefill as the rule of that name gets it in an echo: as earlier *rules* leave it."""
    prefill = context.prefill.strip(WHITESPACE)
    if not prefill:
        return context
    before = takewhile(lambda rule: rule is not Prefill, rules)
    row = _row(replace(context, prefill="", may_retry=False, scan=Scan()), before)
    items = row.feed(Segment(prefill, Boundary.FINAL)) + row.flush(Ending.FINAL)
    echo = "".join(item.text for item in items if isinstance(item, Segment))
    return replace(context, echo=echo.strip(WHITESPACE))


def _row(context: RuleContext, rules: Iterable[type[Rule]]) -> Pipe:
    row = (rule(context) for rule in rules)
    return Pipe(*(rule for rule in row if not rule.is_idle))


def without(rules: Iterable[type[Rule]], *names: str) -> tuple[type[Rule], ...]:
    """*rules* without those called *names*; an unknown name raises ``SettingsError``."""
    rules = tuple(rules)
    known = {rule.name for rule in (*RULES, *rules)}
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"known are {', '.join(sorted(known))}."
            msg = f"there is no rule called {name!r}; {hint}"
            raise SettingsError(msg)
    return tuple(rule for rule in rules if rule.name not in names)
