"""Labels, as a model writes them in front of what somebody says: ``Ren: ``, ``**Ren:** ``, ``Ren (mad): ``.

A label stays on one line. It may stand in emphasis, with the colon inside or outside, and have full-width marks.
What its colon begins is no emoji: ``Ren:wave:`` and ``Ren:D`` are no labels, ``Ren:hello`` is one.
Nothing here looks at more of a text than one label, and none of the patterns looks at anything twice.
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
"""What is said about the speaker; it is not blank."""
MOST_IN_A_CHAIN = 8
"""Labels in a row that are looked at: ``Ren: Ren: Ren (mad): ``."""

_SPACE = r"[ \t]*+"
_EMPHASIS = r"\*{1,3}|_{1,3}"
# What follows the first colon of ``:wave:``, and the eyes of ``:)``, ``:-/`` and ``:D``.
# But ``:D-don't`` and ``:(...)`` are speech.
_SHORTCODE = r"(?=[0-9~+-]{0,31}+[a-z_]|[+-]1:)[a-z0-9_~+-]{1,32}+:"
_MOUTH = rf"\)|[(\[\]{{}}/\\|<>@$]++(?=[.,!?…~*_]*+(?:[{WHITESPACE}]|\Z))|(?-i:D++|P++|[COcop3])(?![\w'’-])"
# Nor is it the first half of ``::``, or the colon of an address or a clock time.
_COLON = rf"(?::(?!//|(?i:{_SHORTCODE})|[-'^]?+(?:{_MOUTH}))|：)(?![:：)）]|(?<=\d[:：])\d)"

COLON = rf"(?:(?<!{BLANK}){_COLON}|(?<={BLANK})[:：](?=[{WHITESPACE}]|\Z))"
"""The colon of a label, behind its name and what white space there is: if there is some, some must follow too."""

_SPACED_COLON = rf"{BLANK}*+{COLON}"
# Behind a space a mark only closes if it cannot open: in ``*Ren: *sighs*`` it opens.
_CLOSED = rf"(?:(?P=wrap)|[ \t]++(?P=wrap)(?=[{WHITESPACE}]|\Z))"

MACRO = rf"\{{\{{{BLANK}*+(?:bot|char|user){BLANK}*+\}}\}}|\{{{BLANK}*+(?:bot|char|user){BLANK}*+\}}"
"""A placeholder for a name that nobody filled in: ``{bot}``, ``{{ char }}``."""

# Cheaper to look for than a label, and in every decorated one: a bracket closes and a colon follows.
DECORATION = re.compile(rf"[)）]{BLANK}*+[`*_]{{0,3}}+{BLANK}*+[:：]")
"""How every decorated label ends."""


FIGURE = re.compile(
    r"[-+±~≈]?[$€£¥₩₹₽]?\d[\d.,:/%°–-]{0,30}+(?:[ \t]?(?:[^\W\d_]|[%°€$£]){1,20}+){0,2}+[ \t.,;!]*+(?=[\r\n]|\Z)"
)
"""A line on which only a figure stands, ``12``, ``12:30`` or ``5 points``: with a name in front it is a score, no speech."""


def spellings(names: Iterable[str]) -> tuple[str, ...]:
    """*names*, the longest first, with their accents in either way of writing them."""
    forms = {unicodedata.normalize(form, name) for name in names if name for form in ("NFC", "NFD")}
    return tuple(sorted(forms, key=lambda name: (-len(name), name)))


def any_of(names: Iterable[str]) -> str:
    """A pattern for any of *names*; where there is none it matches nothing."""
    return _any_of(tuple(names))


@lru_cache(maxsize=256)
def _any_of(names: tuple[str, ...]) -> str:
    return "|".join(map(re.escape, spellings(names))) or "(?!)"


@lru_cache(maxsize=256)
def label(head: str) -> re.Pattern[str]:
    """A pattern for a label whose name is matched by the pattern *head*, in emphasis or not, and the space behind it.

    It does not begin within a word.
    """
    inside = rf"(?:{_SPACED_COLON}|{BLANK}*+[:：](?=(?P=wrap)))"
    ending = rf"(?(wrap)(?:{inside}{_CLOSED}|(?P=wrap){_SPACED_COLON})|{_SPACED_COLON})"
    return re.compile(rf"(?<![^\W_])(?P<wrap>{_EMPHASIS})?(?:{head}){ending}{_SPACE}", re.IGNORECASE)


@lru_cache(maxsize=256)
def decorated_label(names: str, chain: str) -> re.Pattern[str]:
    """A pattern for a label with a modifier whose name is matched by *names*, perhaps behind plain ones of *chain*.

    It begins with the indentation of its line. It may stand in backticks too; a ``*`` with a space behind is a bullet.
    """
    wrap = rf"(?:(?!\*{BLANK})(?P<wrap>`|{_EMPHASIS}){BLANK}*+)?"
    # Names may hold colons, so a chain can be read in many ways; what one label of it is, is decided once.
    before = rf"(?:(?>(?:{chain}){_SPACED_COLON}{_SPACE})){{0,{MOST_IN_A_CHAIN}}}"
    ending = rf"(?(wrap)(?:[:：]{_CLOSED}|(?P=wrap){BLANK}*+{_COLON})|{_COLON})"
    return re.compile(
        rf"{BLANK}*+{wrap}{before}(?:{names}){BLANK}*+{BRACKETED}{BLANK}*+{ending}{_SPACE}", re.IGNORECASE
    )


def opening_label(names: str) -> re.Pattern[str]:
    """A pattern for what a model puts in front of a whole reply: a plain or decorated label of *names*, or a macro."""
    return label(rf"(?:{names})(?:{BLANK}*+{BRACKETED})?|{MACRO}")


class AnswerLabel:
    """Whose label, ``Ren:`` in front of a line, begins the answer in a thought that nothing closes.

    Whether nothing does is known only at the end: models also draft their answer in thoughts that they do close.
    """

    __slots__ = ("_search",)

    def __init__(self, name: str) -> None:
        self._search = re.compile(f"\n(?:{any_of([name.strip(WHITESPACE)])})[:：]").search

    def begins(self, thought: str) -> int | None:
        """Where in *thought* the answer begins; a label that nothing was thought before is not its beginning."""
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
    """Where the white space at *position* ends, or the line does."""
    return _end(_INDENT, text, position)


def before_space(text: str, position: int, floor: int = 0) -> int:
    """Where the spaces in front of *position* begin, but not before *floor*."""
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
