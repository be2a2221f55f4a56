"""What messages show otherwise than the answer they are of: numbers and depths of lists, empty lines, code, formulas.

It says how a chat shows lists by a few rules of Discord's client. The judges in ``tests/judging.py`` are more exact, and
need Node.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate

_ITEM = re.compile(r"([-*]|\d{1,9}\.)[ ]+")
_BLOCK = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})[^\n`]*\n(?P<body>(?:.*\n)*?) *(?P=fence)[`~]*[ ]*$", re.MULTILINE
)
_DISPLAY = re.compile(r"\\\[|\\\]|\$\$")
_WINDOW = 2000
"""Letters within which the line of a message is looked for in the answer."""


@dataclass(slots=True)
class Look:
    """How many things look wrong."""

    nested: int = 0
    """Nested items there are."""
    flat: int = 0
    """Nested items that are shown at the left edge."""
    numbers: int = 0
    """Items with another number, or with one instead of a bullet."""
    put_in: int = 0
    lost: int = 0
    """Empty lines that were put in, and lost, between two lines of one message."""
    half: int = 0
    """Code blocks in lists whose lines are indented otherwise than their fence."""
    torn: int = 0
    """Display formulas that begin in a message and do not end in it."""

    def add(self, other: Look) -> None:
        """Count *other* as well."""
        for name in self.__slots__:
            setattr(self, name, getattr(self, name) + getattr(other, name))


@dataclass(frozen=True, slots=True)
class _Line:
    key: str
    indent: int
    is_apart: bool
    """Whether there is an empty line before it."""
    label: str
    """What the chat shows before an item: its number or a bullet."""
    is_nested: bool


def _lines(text: str) -> Iterator[_Line]:
    """The lines of *text* in which there is a word, as a chat shows them."""
    lists: list[tuple[int, int | None]] = []
    """Indent and next number of each list that is open, outermost first; a list of bullets has no numbers."""
    outer: list[int] = []
    """Indents of the items around, which an empty line does not end."""
    is_apart = False
    for line in text.replace("\r\n", "\n").strip().split("\n"):
        core = line.expandtabs(4).lstrip(" ")
        indent = len(line.expandtabs(4)) - len(core)
        if not core:
            is_apart, lists = True, []
            continue
        label = ""
        item = _ITEM.match(core)
        if item:
            label, lists = _labelled(lists, indent, item[1])
            outer = [one for one in outer if one < indent]
        elif not indent:
            lists, outer = [], []
        is_nested = bool(item and outer)
        if item:
            outer.append(indent)
        key = "".join(filter(str.isalnum, core[item.end() :] if item else core)).casefold()
        if key:
            yield _Line(key, indent, is_apart, label, is_nested)
            is_apart = False


def _labelled(lists: list[tuple[int, int | None]], indent: int, mark: str) -> tuple[str, list[tuple[int, int | None]]]:
    """What is shown before an item, and the lists that are open then: a chat counts on from the first number."""
    lists = [one for one in lists if one[0] <= indent]
    if not lists or lists[-1][0] < indent:
        lists.append((indent, int(mark[:-1]) if mark[0].isdigit() else None))
    _, number = lists[-1]
    if number is None:
        return "•", lists
    return f"{number}.", [*lists[:-1], (indent, number + 1)]


def compare(answer: str, messages: Sequence[str]) -> Look:
    """What *messages* show otherwise than *answer*."""
    source = list(_lines(answer))
    look = Look(nested=sum(line.is_nested for line in source), half=_half(answer, messages), torn=_torn(messages))
    written = "".join(line.key for line in source)
    starts = dict(zip(accumulate((len(line.key) for line in source), initial=0), source, strict=False))
    cursor = 0
    for message in messages:
        is_first = True
        for line in _lines(message):
            place = written.find(line.key, cursor, cursor + _WINDOW + len(line.key))
            if place < 0:  # a rule changed it
                continue
            own = starts.get(place)  # none if the line begins with another sentence
            if own:
                look.flat += own.is_nested and not line.indent
                look.numbers += own.label != line.label
            if place == cursor and not is_first:
                look.put_in += line.is_apart and not (own and own.is_apart)
                look.lost += bool(own and own.is_apart and not line.is_apart)
            cursor, is_first = place + len(line.key), False
    return look


def _blocks(text: str) -> Iterator[tuple[str, str, bool]]:
    """The letters of each code block, its lines without the indent of its fence, and whether it had one."""
    for block in _BLOCK.finditer(text.replace("\r\n", "\n")):
        indent = len(block["indent"])
        lines = (line[min(indent, len(line) - len(line.lstrip(" "))) :] for line in block["body"].split("\n"))
        yield "".join(block["body"].split()), "\n".join(line.rstrip() for line in lines), bool(indent)


def _half(answer: str, messages: Iterable[str]) -> int:
    shown = {letters: body for message in messages for letters, body, _ in _blocks(message)}
    return sum(indented and shown.get(letters, body) != body for letters, body, indented in _blocks(answer))


def _torn(messages: Iterable[str]) -> int:
    """How many formulas begin in a message and do not end in it."""
    count = 0
    for message in messages:
        signs = _DISPLAY.findall(_BLOCK.sub("", message))
        count += max(0, signs.count("\\[") - signs.count("\\]")) + signs.count("$$") % 2
    return count
