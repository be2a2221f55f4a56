"""Emoji as they are written: tags (``<:name:1>``), shortcodes (``:name:``) and characters that are drawn as pictures.

A shortcode is made of what stands in many texts that mean something else (``10:30:45``, ``3:4:5``, ``std::vec::new``),
so each one that is found says whether it stands for itself.
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
"""What names may hold besides letters, digits and underscores: ``ok~1``, ``+1``, ``flag-jp``."""

_NUMBER = "0123456789" + ODD_IN_NAME
_THUMBS = frozenset({"+1", "-1"})
_REAL_ID = 17
"""Discord's ids have at least so many digits; what has fewer behind a strange prefix may be a file and a line."""
_BESIDE_SHORTCODE = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_:")
_DIGITS = frozenset("0123456789")
_MAY_END_TAG = _DIGITS | {">"}
_TAG_BEGINS = re.compile(r"<[^\s<>]{0,64}\Z")
_TAG_ENDS = re.compile(r"[0-9]{0,20}>")
_RUN = re.compile(rf"[^{WHITESPACE}]*")
_LONGEST_NAME = 64
"""Twice what Discord allows, so that no pattern looks further."""
_NEXT_SHORTCODE = re.compile(rf":[\w~+-]{{1,{_LONGEST_NAME}}}:", re.ASCII)


class Form(Enum):
    """How an emoji is written."""

    TAG = auto()
    """``<:name:1>``, and what cannot be anything else: ``<:name:>``, ``<a:name>``."""
    NEARLY_TAG = auto()
    """``<e:name:1>``, ``<::name:1>``, ``<:name:1``: one if there is an emoji of that name."""
    SHORTCODE = auto()
    """``:name:``."""
    UNCLOSED = auto()
    """``:name``: one if there is an emoji of that name and nothing else is meant."""


class EmojiText(NamedTuple):
    """Something in a text that is an emoji, or may be one."""

    form: Form
    start: int
    end: int
    name: str
    """As it is written."""
    stands: bool
    """Whether a shortcode has neighbours of its own kind at most, and no word or colon on either side."""

    @property
    def is_number(self) -> bool:
        """Whether the name could be part of a clock time or a ratio."""
        return not self.name.strip(_NUMBER)

    @property
    def is_plain(self) -> bool:
        """Whether it is an emoji wherever it comes from: a tag, or a shortcode that can mean nothing else."""
        if self.form is Form.SHORTCODE:
            return self.stands and (not self.is_number or self.name in _THUMBS)
        return self.form is Form.TAG


def written_emoji(text: str, odd: str = "") -> Iterator[EmojiText]:
    """The emoji of *text*, in order; names may also hold the characters of *odd*.

    Where a colon may close one or open the next, ``:nope:wave:``, both are given.
    """
    reach = -1  # where a row of shortcodes has come to
    for match in _pattern(odd).finditer(text):
        start, end = match.span()
        if text[start - 1 : start] == "\\":  # it is meant to be read, not seen
            continue
        name = match["name"]
        if name is not None and _IN_TAG.search(text, max(0, start - 2), start):
            continue  # a part of something that is no tag, ``<:wave:abc>``
        if name is None:
            form, name = _tag(match)
            yield EmojiText(form, start, end, name, stands=False)
        elif match["closed"] is None:
            yield EmojiText(Form.UNCLOSED, start, end, name, stands=False)
        else:
            end += 1
            if text[end : end + 1] in _MAY_END_TAG and _is_in_tag(text, start, end):
                continue
            opens = start in (0, reach) or text[start - 1] not in _BESIDE_SHORTCODE
            if opens:
                reach = end
            yield EmojiText(Form.SHORTCODE, start, end, name, stands=opens and _may_end(text, end))


class InWords:
    """Says of the shortcodes of a text whether they are emoji though they stand inside a word: ``hi:wave:there``.

    There a colon may mean anything, as in ``00:1b:a1:cc``, ``urn:a:b:c`` and ``list[1:x:2]``, so no digit may stand
    beside one, and up to the next spaces all colons must belong to names that are known.
    """

    __slots__ = ("_holds", "_is_known", "_is_sure", "_reach", "_row", "_text")

    def __init__(self, text: str, is_known: Callable[[str], bool]) -> None:
        self._text = text
        self._is_known = is_known
        self._row = self._reach = 0
        self._holds = self._is_sure = True

    def holds(self, emoji: EmojiText) -> bool:
        """Whether *emoji*, whose name is known, is one; to be asked in order. With a word on one side only it is."""
        if emoji.start >= self._row:
            self._row = self._end_of_row(emoji.end)
            self._holds = self._may_stand(
                self._text[emoji.start - 1 : emoji.start], self._text[self._row : self._row + 1]
            )
        return self._holds

    def _end_of_row(self, end: int) -> int:
        """Where the last of those ends that follow each other without anything between."""
        while (after := _NEXT_SHORTCODE.match(self._text, end)) and self._is_known(after.group()[1:-1]):
            end = after.end()
        return end

    def _may_stand(self, before: str, after: str) -> bool:
        if before not in _BESIDE_SHORTCODE or after not in _BESIDE_SHORTCODE:
            return True
        return not (before in _DIGITS or after in _DIGITS) and self._is_word_of_emoji(self._row)

    def _is_word_of_emoji(self, index: int) -> bool:
        """Whether all colons belong to names that are known, as far as there is no space; one look at each word."""
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
    """Every word of *text* that may be the name of an emoji: a quick look whether it is worth another."""
    return _names(odd).findall(text)


def drawn_emoji(text: str) -> Iterator[tuple[int, int]]:
    """Where in *text* characters stand that are drawn as pictures: all of a flag, a family, a keycap.

    Symbols that are text unless something says otherwise (``™``, ``☑``) are none without that something.
    """
    if _MAY_BE_DRAWN.search(text) is None:
        return
    for match in _drawn().finditer(text):
        yield match.span()


def _tag(match: re.Match[str]) -> tuple[Form, str]:
    """How a tag is written, and the name in it."""
    if name := match["whole"]:
        is_sure = bool(match["id"] or name.strip(_NUMBER))  # `<:3>` is a face
    elif name := match["strange"]:
        is_sure = len(match["strange_id"]) >= _REAL_ID
    else:
        name, is_sure = match["half"], False
    return Form.TAG if is_sure else Form.NEARLY_TAG, name


def _is_in_tag(text: str, start: int, end: int) -> bool:
    """Whether a shortcode is part of something in angle brackets: one tag inside another would be none."""
    return _TAG_ENDS.match(text, end) is not None and _TAG_BEGINS.search(text[max(0, start - 65) : start]) is not None


def _may_end(text: str, end: int) -> bool:
    """Whether what follows a shortcode is no word, and no colon but that of another one."""
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
"""Without one of these there is nothing for the pattern below, which is slow to make and slow to use."""


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
