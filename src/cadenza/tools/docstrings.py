"""Descriptions from docstrings: of a function or class, and of its parameters or fields.

Four styles are understood: Google's (``Args:`` and indented names), NumPy's (``Parameters`` over a line of dashes),
Sphinx's (``:param name: …``), and plain lines ``name: …``. Only existing names are looked for, so prose is not misread.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

_GOOGLE = re.compile(
    r"(?:Args|Arguments|Parameters|Params|Attributes|Keyword Args|Keyword Arguments|Other Parameters):"
)
_DASHES = re.compile(r"-{3,}")
_FIELD = re.compile(r"[:@](?P<word>[a-z]+)(?:\s+(?P<rest>[^:]*))?:\s*(?P<text>.*)")
_FIELDS_OF_PARAMETERS = ("param", "parameter", "arg", "argument", "key", "keyword", "ivar", "var", "cvar")
_NAMED = re.compile(
    r"(?:[-*+]\s+)?[`*]{0,2}(?P<name>[A-Za-z_]\w*)[`*]{0,2}\s*(?:\([^()]*\)\s*)?(?::|--|–|—)(?P<text>\s.*|)"
)
_NUMPY = re.compile(r"(?P<names>[*A-Za-z_][\w*, ]*?)\s*(?::.*)?")


@dataclass(frozen=True, slots=True)
class Described:
    """The descriptions in a docstring."""

    about: str = ""
    """The first paragraph, in one line."""
    names: Mapping[str, str] = field(default_factory=lambda: MappingProxyType({}))


def read_docstring(text: str | None, names: Collection[str]) -> Described:
    """The first paragraph of *text*, and its descriptions of *names*."""
    lines = inspect.cleandoc(text or "").split("\n")
    found: dict[str, str] = {}
    for name, words in (*_fields(lines), *_numpy(lines), *_named(lines)):
        if name in names and words:
            found.setdefault(name, words)
    return Described(_first_paragraph(lines, names), found)


def _first_paragraph(lines: Sequence[str], names: Collection[str]) -> str:
    paragraph: list[str] = []
    for line in lines:
        named = _NAMED.fullmatch(line.strip())
        if not line.strip() or _GOOGLE.fullmatch(line.strip()) or _FIELD.fullmatch(line.strip()):
            break
        if paragraph and named and named["name"] in names:
            break
        paragraph.append(line)
    return _joined(paragraph)


def _fields(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """``:param int sides: How many.``, with its indented lines."""
    for place, line in enumerate(lines):
        match = _FIELD.fullmatch(line.strip())
        if match and match["word"] in _FIELDS_OF_PARAMETERS and match["rest"]:
            name = match["rest"].split()[-1].lstrip("*")
            yield name, _joined([match["text"], *_below(lines, place)])


def _numpy(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """Names under a heading with dashes, with their indented lines."""
    inside = False
    for place, line in enumerate(lines):
        if _DASHES.fullmatch(line.strip()) and place:
            inside = lines[place - 1].strip() in ("Parameters", "Other Parameters", "Attributes")
        elif inside and line[:1].strip() and (match := _NUMPY.fullmatch(line.strip())):
            words = _joined(list(_below(lines, place)))
            yield from ((name.strip().lstrip("*"), words) for name in match["names"].split(","))


def _named(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """``sides: How many.`` or ``sides (int): How many.``, alone or under a heading, with its indented lines."""
    for place, line in enumerate(lines):
        match = _NAMED.fullmatch(line.strip())
        if match and place:  # the first line describes the whole
            yield match["name"], _joined([match["text"], *_below(lines, place)])


def _below(lines: Sequence[str], place: int) -> Iterator[str]:
    """The lines after *place* that are indented more."""
    depth = _depth(lines[place])
    for line in lines[place + 1 :]:
        if not line.strip() or _depth(line) <= depth:
            return
        yield line


def _depth(line: str) -> int:
    return len(line) - len(line.lstrip())


def _joined(lines: Sequence[str]) -> str:
    return " ".join(" ".join(lines).split())
