"""Patterns for labels in front of a line of speech: ``Ren: ``, ``**Ren:** ``, ``Ren (mad): ``.

A label stays on one line. It may be in emphasis, with the colon inside or outside, and have full-width marks. Its colon
begins no emoji: ``Ren:wave:`` and ``Ren:D`` are no labels, ``Ren:hello`` is one. No pattern reads more of a text than
one label, and none backtracks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

from .units import LINE_ENDS, SPACES, WHITESPACE

BLANK = f"[{SPACES}]"
"""White space within a line."""
BRACKETED = rf"[(（](?!{BLANK}*+[)）])(?P<modifier>[^()（）:：{LINE_ENDS}]{{1,64}})[)）]"
"""A modifier in brackets; it is not blank."""
MOST_IN_A_CHAIN = 8
"""At most so many labels in a row are read: ``Ren: Ren: Ren (mad): ``."""

_SPACE = r"[ \t]*+"
_EMPHASIS = r"\*{1,3}|_{1,3}"
# What follows the first colon of ``:wave:``, and the eyes of ``:)``, ``:-/`` and ``:D``. But ``:D-don't`` and
# ``:(...)`` are speech.
_SHORTCODE = r"(?=[0-9~+-]{0,31}+[a-z_]|[+-]1:)[a-z0-9_~+-]{1,32}+:"
_MOUTH = rf"\)|[(\[\]{{}}/\\|<>@$]++(?=[.,!?…~*_]*+(?:[{WHITESPACE}]|\Z))|(?-i:D++|P++|[COcop3])(?![\w'’-])"
# Nor is it the first half of ``::``, or the colon of an address or a clock time.
_COLON = rf"(?::(?!//|(?i:{_SHORTCODE})|[-'^]?+(?:{_MOUTH}))|：)(?![:：)）]|(?<=\d[:：])\d)"

COLON = rf"(?:(?<!{BLANK}){_COLON}|(?<={BLANK})[:：](?=[{WHITESPACE}]|\Z))"
"""The colon of a label, after its name and optional white space; if there is some, some must follow too."""

_SPACED_COLON = rf"{BLANK}*+{COLON}"
# After a space a mark closes only if it cannot open: in ``*Ren: *sighs*`` it opens.
_CLOSED = rf"(?:(?P=wrap)|[ \t]++(?P=wrap)(?=[{WHITESPACE}]|\Z))"

MACRO = rf"\{{\{{{BLANK}*+(?:bot|char|user){BLANK}*+\}}\}}|\{{{BLANK}*+(?:bot|char|user){BLANK}*+\}}"
"""An unfilled placeholder for a name: ``{bot}``, ``{{ char }}``."""

# A quick check, cheaper than a label: in every decorated one a bracket closes and a colon follows.
DECORATION = re.compile(rf"[)）]{BLANK}*+[`*_]{{0,3}}+{BLANK}*+[:：]")
"""The end of every decorated label."""


FIGURE = re.compile(
    r"[-+±~≈]?[$€£¥₩₹₽]?\d[\d.,:/%°–-]{0,30}+(?:[ \t]?(?:[^\W\d_]|[%°€$£]){1,20}+){0,2}+[ \t.,;!]*+(?=[\r\n]|\Z)"
)
"""A line that is only a figure, ``12``, ``12:30`` or ``5 points``: with a name in front it is a score, not speech."""


def spellings(names: Iterable[str]) -> tuple[str, ...]:
    """*names*, the longest first, with accents in both Unicode forms."""
    forms = {unicodedata.normalize(form, name) for name in names if name for form in ("NFC", "NFD")}
    return tuple(sorted(forms, key=lambda name: (-len(name), name)))


def any_of(names: Iterable[str]) -> str:
    """A pattern for any of *names*; without names it matches nothing."""
    return _any_of(tuple(names))


@lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, spellings(names))) or "(?!)"


@lru_cache(maxsize=256)
def label(head: str) -> re.Pattern[str]:
    """A pattern for a label whose name matches *head*, in emphasis or not, with the space after it.

    It does not begin within a word.
    """
    inside = rf"(?:{_SPACED_COLON}|{BLANK}*+[:：](?=(?P=wrap)))"
    ending = rf"(?(wrap)(?:{inside}{_CLOSED}|(?P=wrap){_SPACED_COLON})|{_SPACED_COLON})"
    return re.compile(rf"(?<![^\W_])(?P<wrap>{_EMPHASIS})?(?:{head}){ending}{_SPACE}", re.IGNORECASE)


@lru_cache(maxsize=256)
def decorated_label(names: str, chain: str) -> re.Pattern[str]:
    """A pattern for a label with a modifier whose name matches *names*, optionally after plain labels of *chain*.

    It begins with the indentation of its line, and may be in backticks; a ``*`` with a space after it is a bullet.
    """
    wrap = rf"(?:(?!\*{BLANK})(?P<wrap>`|{_EMPHASIS}){BLANK}*+)?"
    # Names may contain colons, so a chain can be read in many ways; the atomic group decides each label once.
    before = rf"(?:(?>(?:{chain}){_SPACED_COLON}{_SPACE})){{0,{MOST_IN_A_CHAIN}}}"
    ending = rf"(?(wrap)(?:[:：]{_CLOSED}|(?P=wrap){BLANK}*+{_COLON})|{_COLON})"
    return re.compile(
        rf"{BLANK}*+{wrap}{before}(?:{names}){BLANK}*+{BRACKETED}{BLANK}*+{ending}{_SPACE}", re.IGNORECASE
    )


def opening_label(names: str) -> re.Pattern[str]:
    """A pattern for what a model puts in front of a reply: a label of *names*, plain or with a modifier, or a macro."""
    return label(rf"(?:{names})(?:{BLANK}*+{BRACKETED})?|{MACRO}")


class AnswerLabel:
    """Finds the answer in a thought that nothing closes: it begins with the persona's label at the start of a line.

    That nothing closes the thought is known only at the end: models also draft their answer in thoughts that they
    close.
    """

    __slots__ = ("_search",)

    def __init__(self, name: str) -> None:
        self._search = re.compile(f"\n(?:{any_of([name.strip(WHITESPACE)])})[:：]").search

    def begins(self, thought: str) -> int | None:
        """Where in *thought* the answer begins; a label with nothing before it does not count."""
        match = self._search(thought)
        while match is not None and not thought[: match.start()].strip(WHITESPACE):
            match = self._search(thought, match.end())
        return None if match is None else match.start()


_WHITE = re.compile(f"[{WHITESPACE}]*+")
_INDENT = re.compile(f"{BLANK}*+")


def after_white(text: str, position: int) -> int:
    """Where the white space at *position* ends."""
    return _end(_WHITE, text, position)


def after_indent(text: str, position: int) -> int:
    """Where the white space at *position* ends, at most at the end of the line."""
    return _end(_INDENT, text, position)


def before_space(text: str, position: int, floor: int = 0) -> int:
    """Where the spaces before *position* begin, but not before *floor*."""
    while position > floor and text[position - 1] in " \t":
        position -= 1
    return position


def after_space(text: str, position: int) -> int:
    """Where the spaces at *position* end."""
    while position < len(text) and text[position] in " \t":
        position += 1
    return position


def _end(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position
