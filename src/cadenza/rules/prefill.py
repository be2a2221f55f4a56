"""Remove the prefill when the model repeats it, or show it once.

With the prefill ``Sure, here``, ``Sure, here are three`` → `` are three``. If people are to see the prefill, they get
``Sure, here are three``, also when the model continues with `` are three`` only. A prefill that opens code or a hidden
block is never shown: the visible text begins where the model continues.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace
from unicodedata import east_asian_width

from ..text.tags import BLOCK_TAG
from ..text.units import WHITESPACE
from ..types import Boundary, Ending, Kind, Segment
from .rule import Rule, RuleContext

_GOES_ON = re.compile(r"[-'’]?+\w")
"""What continues a word."""


class Prefill(Rule):
    """Compares the beginning of the answer with the prefill, and holds it back until it differs or is complete."""

    def __init__(self, context: RuleContext) -> None:
        super().__init__(context)
        self._target = context.prefill.strip(WHITESPACE) if context.echo is None else context.echo
        shows = context.settings.show_prefill and can_be_shown(context.prefill)
        self._front = self._target if shows else ""  # what is still to be shown
        self._compares = True
        self._matched = 0
        self._held: list[Segment] = []
        self._echo: Segment | None = None  # the end of the echo, until something follows it

    @property
    def is_idle(self) -> bool:
        """Whether there is no prefill."""
        return not self._target

    def feed(self, segment: Segment, /) -> Iterable[Segment]:
        """Remove what the model repeats; prepend what people are to see."""
        segments = self._compared(segment) if self._compares else (segment,)
        if self._front or self._echo:
            return [shown for kept in segments for shown in self._shown(kept)]
        return segments

    def flush(self, why: Ending, /) -> Iterable[Segment]:
        """Release what is held, which was only the beginning. An echo without words after it is shown alone."""
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
        rest = text[start + len(wanted) :]
        if not self._front and _is_in_word(self._target, rest):  # a shown prefill stays whole anyway
            return self._given_up(segment)
        self._held.append(segment)
        self._matched += len(wanted)
        return self._completed(rest) if self._matched == len(self._target) else ()

    def _given_up(self, segment: Segment) -> Iterable[Segment]:
        """It is no echo: release what looked like one."""
        held, self._held = self._held, []
        self._compares = False
        if self._matched and held and segment.kind is Kind.PROSE and not held[-1].text.endswith("\n"):
            last = held.pop()  # the line continues
            segment = replace(segment, text=last.text + segment.text, label=last.label or segment.label)
        return (*held, segment)

    def _completed(self, rest: str) -> Iterable[Segment]:
        """It is an echo, and *rest* follows it. The label at its end applies to what is left."""
        held, self._held = self._held, []
        self._compares = False
        echo = replace(
            held[-1], text=rest, label=next((segment.label for segment in reversed(held) if segment.label), "")
        )
        if rest.strip(WHITESPACE) or (rest and not self._front):
            return (echo,)
        if "\n" in rest:
            front, self._front = self._front, ""
            return (replace(echo, text=front + rest),)
        self._front += rest if self._front else ""
        self._echo = echo
        return ()

    def _shown(self, segment: Segment) -> Iterable[Segment]:
        """Prepend the prefill to the first words."""
        if not segment.text.strip(WHITESPACE):
            if not self._front or not segment.text:
                return (segment,)
            self._front += segment.text  # the model continues it
            return ()
        front, self._front = self._front, ""
        echo, self._echo = self._echo, None
        if echo is not None and echo.identity == segment.identity:
            segment = replace(segment, label=segment.label or echo.label)
        if not front or segment.kind is Kind.PROSE:
            return (replace(segment, text=front + segment.text),)
        first = replace(segment, text=front, boundary=Boundary.NEWLINE, kind=Kind.PROSE, source="")
        return (first, replace(segment, label=""))


def can_be_shown(prefill: str) -> bool:
    """Whether *prefill* is only words: code or a hidden block would continue in the answer."""
    return "```" not in prefill and BLOCK_TAG.search(prefill) is None


def _is_in_word(before: str, after: str) -> bool:
    """Whether a word continues from *before* to *after*; unknown for scripts without spaces."""
    last = before[-1:]
    return last.isalnum() and east_asian_width(last) not in "WF" and _GOES_ON.match(after) is not None
