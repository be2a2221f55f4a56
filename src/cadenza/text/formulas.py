r"""Formulas in a text: ``\( … \)`` and ``$ … $`` within a line, ``\[ … \]`` and ``$$ … $$`` on their own.

A dollar sign is mostly money, and ``\[`` may be a bracket that Markdown escapes. So what is between the marks decides:
it must look like mathematics.
"""

from __future__ import annotations

import re
from typing import NamedTuple

CLOSINGS = {"\\(": "\\)", "\\[": "\\]", "$": "$", "$$": "$$"}
"""The marks that open a formula, with those that close it."""
DISPLAY = ("\\[", "$$")
"""Those that open one on lines of its own."""

_COMMAND = re.compile(r"\\(?:[A-Za-z]{2,}|[,;:!{}%]|\|.+\\\|)|[\u0370-\u03ff\u2070-\u209f\u2190-\u22ff]")
"""A command with a name, or a sign that only mathematics has."""
_IN_PATTERNS = re.compile(r"\\[dwsbDWSB](?![A-Za-z])|\\[.+*?^]|\(\?[:=!<]")
"""What a regular expression has and mathematics has not."""
_SCRIPT = re.compile(r"[\w)\]}|!']\s*\^|(?<![A-Za-z])[A-Za-z]'*_[\w{\\]|[)}\]]_[\w{\\]")
_OPERATOR = re.compile(r"[\w)\]}!'|.]\s*(?:[=<>+*/±×÷·−:-]|<=|>=|!=|->)\s*[\w(\[{\\|.+−-]")
_NAME = r"[-+±]?(?:[A-Za-z]{1,3}\d?'*|\.{3}|…)"
_SYMBOLS = re.compile(
    rf"{_NAME}(?:,\s*{_NAME})*|[A-Za-z]{{1,3}}\([^()]{{1,40}}\)|[(\[{{][\w\s,.+-]{{1,40}}[)\]}}]"
    r"|\|{1,2}[^|]{1,40}\|{1,2}|[<>=]=?\s*[-\w.]{1,10}"
)
"""A name, a list of names, a function of something, a pair, an absolute value, half of a comparison."""
_NUMBER = re.compile(r"-?\d[\d,.]*(?<=\d)\s?\\?%?")
_WORD = re.compile(r"(?<![A-Za-z])[A-Za-z]{2,}")
_FUNCTIONS = frozenset(["sinh", "cosh", "tanh", "arcsin", "arccos", "arctan", "sqrt", "argmax", "argmin", "softmax"])
_PROSE = frozenset(
    ["and", "are", "as", "at", "but", "by", "for", "from", "in", "is", "it", "of", "on", "or", "per", "so", "the", "to"]
)
_AMOUNT = re.compile(r"\d[\d.,]*(?:[kKMB]|bn)?[.,;:!?)]?\s+(?:[A-Za-z]{2,}|[A-Z])\b")
"""How an amount of money begins: ``$5 million``, ``$20. Or``."""
_DANGLING = re.compile(r"(?<![\^_{])[=<>+*/,;:(\[{&^_-]\Z")


class Formula(NamedTuple):
    """A formula as it was written."""

    opening: str
    latex: str
    """What is between the marks."""

    @property
    def is_display(self) -> bool:
        """Whether it is meant to stand on lines of its own."""
        return self.opening in DISPLAY


def parse(source: str) -> Formula | None:
    """The formula that *source* is, marks included; ``None`` if it is none.

    It may be quoted, and the stop of the sentence may follow it.
    """
    if source[:1] in (">", " ", "\t"):
        source = "\n".join(line.lstrip("> \t") for line in source.split("\n"))
    source = source.strip(" \t\n.,;:!?。，")
    opening = source[:2] if source[:2] in CLOSINGS else source[:1]
    closing = CLOSINGS.get(opening)
    if closing is None or not source.endswith(closing) or len(source) < len(opening + closing):
        return None
    latex = source[len(opening) : -len(closing)]
    return None if closing == "$$" in latex else Formula(opening, latex)


def is_formula(source: str) -> bool:
    """Whether *source* is a display formula and not a table."""
    formula = parse(source)
    return formula is not None and formula.is_display


def begins_amount(text: str, start: int) -> bool:
    """Whether an amount of money begins at *start*, after a dollar sign."""
    return _AMOUNT.match(text, start) is not None


def is_mathematical(opening: str, latex: str, *, opens_line: bool = False) -> bool:
    r"""Whether *latex* after *opening* is mathematics.

    *opens_line* says that the formula has lines of its own; anywhere else ``\[x\]`` is a box that was ticked.
    """
    inner = latex.strip()
    if not inner or _IN_PATTERNS.search(inner) or not _is_balanced(inner):
        return False
    if (opening == "$" and begins_amount(latex, 0)) or (opening not in DISPLAY and _DANGLING.search(inner)):
        return False
    if _COMMAND.search(inner):
        return True
    is_apart = latex[0].isspace() and latex[-1].isspace()
    if any(_is_prose(word) for word in _WORD.findall(inner)):
        return opening != "$" and is_apart and "=" in inner
    if _SCRIPT.search(inner) or _OPERATOR.search(inner):
        return True
    if opening == "\\[":
        return opens_line and _SYMBOLS.fullmatch(inner) is not None
    return bool(_SYMBOLS.fullmatch(inner) or _NUMBER.fullmatch(inner))


def _is_prose(word: str) -> bool:
    return word.lower() in _PROSE or (len(word) > 3 and word not in _FUNCTIONS)


def _is_balanced(latex: str) -> bool:
    """Whether as many brackets close as open; ``[0, 1)`` is an interval."""
    return sum(map(latex.count, "([{")) == sum(map(latex.count, ")]}"))
