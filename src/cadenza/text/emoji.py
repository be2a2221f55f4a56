"""Find emoji in a text: tags (``<:name:1>``), shortcodes (``:name:``) and emoji characters.

Much that is no emoji looks like a shortcode (``10:30:45``, ``3:4:5``, ``std::vec::new``), so each one that is found
says whether it is separate from its neighbours.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from enum import Enum, auto
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from .units import WHITESPACE

if TYPE_CHECKING:
    import regex

EMOJI = re.compile(r"<a?:(?P<name>\w{1,32}):\d{1,20}>", re.ASCII)
"""A custom emoji of a Discord server."""

ODD_IN_NAME = "~+-"
"""What names may contain besides letters, digits and underscores: ``ok~1``, ``+1``, ``flag-jp``."""

_NUMBER = "0123456789" + ODD_IN_NAME
_THUMBS = frozenset({"+1", "-1"})
_REAL_ID = 17
"""Discord's ids have at least so many digits; a shorter number after a strange prefix may be a line number."""
_BESIDE_SHORTCODE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:")
_DIGITS = frozenset("0123456789")
_MAY_END_TAG = _DIGITS | {">"}
_TAG_BEGINS = re.compile(r"<[^\s<>]{0,64}\Z")
_TAG_ENDS = re.compile(r"[0-9]{0,20}>")
_RUN = re.compile(rf"[^{WHITESPACE}]*")
_LONGEST_NAME = 64
"""Twice what Discord allows; it bounds the patterns."""
_NEXT_SHORTCODE = re.compile(rf":[\w~+-]{{1,{_LONGEST_NAME}}}:", re.ASCII)


class Form(Enum):
    """How an emoji is written."""

    TAG = auto()
    """``<:name:1>``, and what can only be meant as one: ``<:name:>``, ``<a:name>``."""
    NEARLY_TAG = auto()
    """``<e:name:1>``, ``<::name:1>``, ``<:name:1``: a tag if an emoji has that name."""
    SHORTCODE = auto()
    """``:name:``."""
    UNCLOSED = auto()
    """``:name``: a shortcode if an emoji has that name and nothing else is meant."""


class EmojiText(NamedTuple):
    """A part of a text that is an emoji, or may be one."""

    form: Form
    start: int
    end: int
    name: str
    """As it is written."""
    is_separate: bool
    """Whether a shortcode has no word or colon beside it, except other shortcodes."""

    @property
    def is_number(self) -> bool:
        """Whether the name could be part of a clock time or a ratio."""
        return not self.name.strip(_NUMBER)

    @property
    def is_plain(self) -> bool:
        """Whether it is an emoji whatever the roster holds: a tag, or a shortcode that can mean nothing else."""
        if self.form is Form.SHORTCODE:
            return self.is_separate and (not self.is_number or self.name in _THUMBS)
        return self.form is Form.TAG


def written_emoji(text: str, odd: str = "") -> Iterator[EmojiText]:
    """The emoji of *text*, in order; names may also contain the characters of *odd*.

    If a colon may close one or open the next, as in ``:nope:wave:``, both are yielded.
    """
    reach = -1  # where a run of shortcodes has come to
    for match in _pattern(odd).finditer(text):
        start, end = match.span()
        if text[start - 1 : start] == "\\":  # escaped
            continue
        name = match["name"]
        if name is not None and _IN_TAG.search(text, max(0, start - 2), start):
            continue  # part of something that is no tag, ``<:wave:abc>``
        if name is None:
            form, name = _tag(match)
            yield EmojiText(form, start, end, name, is_separate=False)
        elif match["closed"] is None:
            yield EmojiText(Form.UNCLOSED, start, end, name, is_separate=False)
        else:
            end += 1
            if text[end : end + 1] in _MAY_END_TAG and _is_in_tag(text, start, end):
                continue
            opens = start in (0, reach) or text[start - 1] not in _BESIDE_SHORTCODE
            if opens:
                reach = end
            yield EmojiText(Form.SHORTCODE, start, end, name, is_separate=opens and _may_end(text, end))


class InWords:
    """Decides whether shortcodes inside a word are emoji: ``hi:wave:there``.

    A colon may mean anything there, as in ``00:1b:a1:cc``, ``urn:a:b:c`` and ``list[1:x:2]``. So no digit may be next
    to one, and all colons up to the next spaces must belong to known names.
    """

    __slots__ = ("_holds", "_is_known", "_is_sure", "_reach", "_row", "_text")

    def __init__(self, text: str, is_known: Callable[[str], bool]) -> None:
        self._text = text
        self._is_known = is_known
        self._row = self._reach = 0
        self._holds = self._is_sure = True

    def holds(self, emoji: EmojiText) -> bool:
        """Whether *emoji*, whose name is known, is one; call it in order. With a word on one side only it is."""
        if emoji.start >= self._row:
            self._row = self._end_of_row(emoji.end)
            self._holds = self._may_stand(
                self._text[emoji.start - 1 : emoji.start], self._text[self._row : self._row + 1]
            )
        return self._holds

    def _end_of_row(self, end: int) -> int:
        """Where a run of shortcodes without anything between them ends."""
        while (after := _NEXT_SHORTCODE.match(self._text, end)) and self._is_known(after.group()[1:-1]):
            end = after.end()
        return end

    def _may_stand(self, before: str, after: str) -> bool:
        if before not in _BESIDE_SHORTCODE or after not in _BESIDE_SHORTCODE:
            return True
        return not (before in _DIGITS or after in _DIGITS) and self._is_word_of_emoji(self._row)

    def _is_word_of_emoji(self, index: int) -> bool:
        """Whether all colons of the word belong to known names; each word is checked once."""
        if index <= self._reach:
            return self._is_sure
        begin = index
        while begin > self._reach and self._text[begin - 1] not in WHITESPACE:
            begin -= 1
        run = _RUN.match(self._text, begin)
        word = run.group() if run else ""
        self._reach = begin + len(word)
        parts = EMOJI.sub("<>", word).split(":")
        self._is_sure = len(parts) % 2 == 1 and all(map(self._is_known, parts[1::2]))
        return self._is_sure


def emoji_names(text: str, odd: str = "") -> list[str]:
    """All words of *text* that may be names of emoji: a quick check."""
    return _names(odd).findall(text)


def drawn_emoji(text: str) -> Iterator[tuple[int, int]]:
    """The ranges of emoji characters in *text*: whole flags, families and keycaps.

    Symbols that are text by default (``™``, ``☑``) count only with a variation selector.
    """
    if _MAY_BE_DRAWN.search(text) is None:
        return
    for match in _drawn().finditer(text):
        yield match.span()


def _tag(match: re.Match[str]) -> tuple[Form, str]:
    """The form of a tag, and the name in it."""
    if name := match["whole"]:
        is_sure = bool(match["id"] or name.strip(_NUMBER))  # `<:3>` is a face
    elif name := match["strange"]:
        is_sure = len(match["strange_id"]) >= _REAL_ID
    else:
        name, is_sure = match["half"], False
    return Form.TAG if is_sure else Form.NEARLY_TAG, name


def _is_in_tag(text: str, start: int, end: int) -> bool:
    """Whether a shortcode is inside angle brackets: a tag inside another would be broken."""
    return _TAG_ENDS.match(text, end) is not None and _TAG_BEGINS.search(text[max(0, start - 65) : start]) is not None


def _may_end(text: str, end: int) -> bool:
    """Whether a shortcode may end here: no word follows, and no colon except that of another one."""
    after = text[end : end + 1]
    return after not in _BESIDE_SHORTCODE or (after == ":" and _NEXT_SHORTCODE.match(text, end) is not None)


def _name(odd: str) -> str:
    return rf"[\w{re.escape(ODD_IN_NAME + odd)}]"


_IN_TAG = re.compile(r"<a?\Z")


@lru_cache(maxsize=64)
def _pattern(odd: str) -> re.Pattern[str]:
    name = f"{_name(odd)}{{1,{_LONGEST_NAME}}}"
    return re.compile(
        rf"<a?:(?P<whole>{name})(?::{{1,3}}(?P<id>\d*+))?>"
        rf"|<[^\s:<>@#/]{{0,32}}:{{1,3}}(?P<strange>{name}):{{1,3}}(?P<strange_id>\d++)>"
        rf"|<a?:(?P<half>{name}):\d*+(?![\w:>])"
        rf"|:(?P<name>{name})(?P<closed>(?=:))?",
        re.ASCII,
    )


@lru_cache(maxsize=64)
def _names(odd: str) -> re.Pattern[str]:
    return re.compile(f":({_name(odd)}+)", re.ASCII)


_MAY_BE_DRAWN = re.compile("[\u200d\u20e3\ufe0f\u231a-\u2b55\U0001f000-\U0001ffff]")
"""A quick check before the pattern below, which is slow to compile and to run."""


@lru_cache(maxsize=1)
def _drawn() -> regex.Pattern[str]:
    import regex  # noqa: PLC0415  # only replies without emoji need it, and it doubles the time to import Cadenza

    joined = r"(?:\u200D\p{Extended_Pictographic}\uFE0F?\p{Emoji_Modifier}?)"
    tags = r"(?:[\U000E0020-\U000E007E]{1,32}\U000E007F)?"
    return regex.compile(
        r"[0-9#*]\uFE0F?\u20E3"
        r"|\p{Regional_Indicator}{1,2}"
        rf"|\p{{Emoji_Presentation}}(?!\uFE0E)\uFE0F?\p{{Emoji_Modifier}}?{tags}{joined}*+"
        rf"|\p{{Extended_Pictographic}}(?:\uFE0F\p{{Emoji_Modifier}}?|\p{{Emoji_Modifier}}){joined}*+"
        rf"|\p{{Extended_Pictographic}}{joined}++"
    )
