"""Leave out the words that were put into the model's mouth when it says them again, or show them once.

With ``Sure, here`` put in front, ``Sure, here are three`` → `` are three``; if people are to see it, they see
``Sure, here are three``, and so they do if the model only goes on with `` are three``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from ..text.units import WHITESPACE
from ..types import Boundary, Ending, Kind, Segment
from .rule import Rule, RuleContext


class Prefill(Rule):
    """Compares the beginning of the answer with the prefill; holds what is the same until it differs or is whole."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._target = _without_labels(context.prefill.strip(WHITESPACE), context.own_names)
        self._front = self._target if context.settings.show_prefill else ""  # what has yet to be shown
        self._compares = True
        self._matched = 0
        self._held: list[Segment] = []
        self._echo: Segment | None = None  # what ended the echo, while nothing has come behind it

    @property
    def is_idle(self) -> bool:
        """Whether nothing was put in front."""
        return not self._target

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Take off what the model only repeats; put in front what people are to see."""
        segments = self._compared(segment) if self._compares else (segment,)
        if self._front or self._echo:
            return [shown for kept in segments for shown in self._shown(kept)]
        return segments

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        """Let go of what is held: it was no more than the beginning. An echo without words behind it is shown alone."""
        held, self._held = self._held, []
        if self._matched and held:
            self._compares = False
        if self._front and (self._echo or (self._matched and held)):
            last = self._echo or held[-1]
            front, self._front, self._echo = self._front, "", None
            return (replace(last, text=front, boundary=why.boundary),)
        return held

    def _compared(self, segment: Segment) -> Iterable[Segment]:
        text = segment.text
        start = 0 if self._matched else len(text) - len(text.lstrip(WHITESPACE))
        wanted = self._target[self._matched : self._matched + len(text) - start]
        if segment.kind is not Kind.PROSE or not text.startswith(wanted, start):
            return self._given_up(segment)
        self._held.append(segment)
        self._matched += len(wanted)
        return self._completed(text[start + len(wanted) :]) if self._matched == len(self._target) else ()

    def _given_up(self, segment: Segment) -> Iterable[Segment]:
        """It is not an echo: what looked like one is let go."""
        held, self._held = self._held, []
        self._compares = False
        if self._matched and held and segment.kind is Kind.PROSE and not held[-1].text.endswith("\n"):
            last = held.pop()  # the line goes on
            segment = replace(segment, text=last.text + segment.text, label=last.label or segment.label)
        return (*held, segment)

    def _completed(self, rest: str) -> Iterable[Segment]:
        """It is an echo, and *rest* stands behind it. The label of what it began with stays with what is left."""
        held, self._held = self._held, []
        self._compares = False
        echo = replace(held[-1], text=rest, label=next((segment.label for segment in held if segment.label), ""))
        if rest.strip(WHITESPACE) or (rest and not self._front):
            return (echo,)
        if "\n" in rest:
            front, self._front = self._front, ""
            return (replace(echo, text=front + rest),)
        self._front += rest if self._front else ""
        self._echo = echo
        return ()

    def _shown(self, segment: Segment) -> Iterable[Segment]:
        """Put what is owed in front of the first words."""
        if not segment.text.strip(WHITESPACE):
            return (segment,)
        front, self._front = self._front, ""
        echo, self._echo = self._echo, None
        if echo is not None and echo.identity == segment.identity:
            segment = replace(segment, label=segment.label or echo.label)
        if not front or segment.kind is Kind.PROSE:
            return (replace(segment, text=front + segment.text),)
        first = replace(segment, text=front, boundary=Boundary.NEWLINE, kind=Kind.PROSE, source="")
        return (first, replace(segment, label=""))


def _without_labels(text: str, names: Iterable[str]) -> str:
    """*text* without the persona's own name in front, which another rule takes off the echo."""
    own = "|".join(map(re.escape, names))
    label = rf"(?:\*\*(?:{own})[:：]\*\*|\*\*(?:{own})\*\*[:：]|(?:{own})[:：])\s*"
    chain = re.compile(rf"(?:{label})+", re.IGNORECASE).match(text) if own else None
    return text[chain.end() :] if chain else text
