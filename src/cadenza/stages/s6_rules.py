"""Stage 6: segment in, segment out. Turns the model's text into what people should see.

Each rule is a small stage of its own in ``cadenza.rules``; this stage is the sequence of them.
"""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import groupby, takewhile

from ..errors import Sentence, SettingsError
from ..rules import RULES, Prefill
from ..rules.rule import LineRule, Rule, RuleContext, Scan
from ..text.units import WHITESPACE
from ..types import Boundary, Ending, Kind, Segment
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
    row = (rule for rule in (rule(context) for rule in rules) if not rule.is_idle)
    groups = (list(group) for _, group in groupby(row, key=lambda rule: isinstance(rule, LineRule)))
    return Pipe(*(stage for group in groups for stage in _grouped(group)))


def _grouped(rules: Sequence[Rule]) -> Sequence[Rule | _LineRules]:
    """*rules* as they are, or as one stage if all of them are line rules."""
    line_rules = [rule for rule in rules if isinstance(rule, LineRule)]
    return (_LineRules(line_rules),) if line_rules else rules


class _LineRules:
    """Line rules that follow each other. Most segments have no sign that one of them looks for, and pass at once."""

    def __init__(self, rules: Iterable[LineRule]) -> None:
        self.stages = tuple(rules)
        signs = {rule.sign for rule in self.stages}
        self._signs = [sign for sign in signs if not any(other in sign for other in signs - {sign})]
        self._passed: Segment | None = None  # the last one that no rule has seen
        self._waits = False

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Send *segment* through the rules if it has a sign, or if a rule waits."""
        if not self._waits:
            text = segment.text
            for sign in self._signs:
                if sign in text and segment.kind is not Kind.CODE:
                    break
            else:
                self._passed = segment
                return (segment,)
        if self._passed is not None:
            for rule in self.stages:
                rule.line.last = self._passed
            self._passed = None
        left: Segment | None = segment
        self._waits = False
        for rule in self.stages:
            if left is not None:
                if rule.sign in left.text or rule.waits:
                    left = rule.left_of(left)
                else:
                    rule.line.last = left
            self._waits = self._waits or rule.waits
        return () if left is None else (left,)

    def flush(self, _: Ending, /) -> tuple[()]:
        """Return nothing: line rules hold nothing back."""
        return ()


def without(rules: Iterable[type[Rule]], *names: str) -> tuple[type[Rule], ...]:
    """*rules* without those called *names*; an unknown name raises ``SettingsError``."""
    rules = tuple(rules)
    known = {rule.name for rule in (*RULES, *rules)}
    for name in names:
        if name not in known:
            close = difflib.get_close_matches(name, known, n=1)
            hint = (
                Sentence("did you mean {close}?", close=repr(close[0]))
                if close
                else Sentence("known are {names}.", names=", ".join(sorted(known)))
            )
            msg = Sentence("there is no rule called {name}; {hint}", name=repr(name), hint=hint)
            raise SettingsError(msg)
    return tuple(rule for rule in rules if rule.name not in names)
