"""Handles: names after an ``@``, and who they mention.

Notation
    ``@alice``, ``@john.doe``, ``@mary jane``, ``@555555555555555555``   plain; a dot after it ends the sentence
    ``@{mary jane}``, ``@(alice)``, ``@[alice]``                         in brackets
    ``@{alice|555555555555555555}``, ``@alice|555555555555555555``       with an id, which decides

A name ends where its word ends. Han, kana and Hangul are written without spaces, so a name next to them needs no space
either: in ``@アリスさん`` the known name アリス is found, and in ``@aliceさん`` the name ``alice``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple
from unicodedata import category

from ..types import Edit, Kind, Roster
from .blocks import blocks
from .names import normalised
from .prose import Prose
from .units import LINE_ENDS, SPACES, UNSPACED, WHITESPACE, fits

MOST_UNKNOWN = 10
"""At most so many unknown handles of one text are looked up."""

_EVERYBODY = frozenset({"everyone", "here"})
"""Words that mention a whole channel: they are never a name."""
_LONGEST = 32
"""The longest name of a member that the roster does not know."""

_JOINERS = frozenset("\u200c\u200d")
_FIRST_MARK = "\u0300"

# Not inside a word (an e-mail address), a tag or the path of an address, and not escaped. The lookbehinds come after
# the @, because a pattern that begins with a literal is found much faster.
_SIGN = re.compile(rf"@(?=[^{WHITESPACE}@])(?<![^\W{UNSPACED}]@)(?<![</@\\]@)")
# Nothing in brackets crosses a line end or another bracket of its kind, so no text is read twice.
_BRACKETED = {
    opener: re.compile(rf"\{opener}([^\{opener}\{closer}{LINE_ENDS}]{{1,100}})\{closer}")
    for opener, closer in ("{}", "()", "[]")
}
_BLOCK = re.compile(r"```|~~~|\|")
"""Every code block and every table contains one of these."""
_ID = re.compile(r"[0-9]{17,20}")
_WITH_ID = re.compile(rf"(?P<name>\w[\w{SPACES}.'’-]{{0,31}})\|(?P<id>{_ID.pattern})(?![^\W{UNSPACED}])")

_UNSPACED_LETTER = re.compile(f"[{UNSPACED}]")
_WORD = re.compile(r"\w*")
_SPACED_WORD = re.compile(rf"[^\W{UNSPACED}]*")
_PIECE = re.compile(rf"[{SPACES}]+|[^\W{UNSPACED}]+|[^@{LINE_ENDS}]")
_GOES_ON = re.compile(rf"[-.@]?[^\W{UNSPACED}]")
"""After a name: it is part of a longer one, ``@alice-2``, ``@alice.b``, or of an address, ``@alice@e.org``."""


class HandleMatch(NamedTuple):
    """``text[start:end]`` mentions a known person or persona."""

    start: int
    end: int
    target: str
    """The replacement; empty if the handle is known but stays as it is."""


@dataclass(slots=True)
class _Node:
    """A node of the trie of names: how names continue, piece by piece."""

    target: str | None = None
    after: dict[str, _Node] = field(default_factory=dict)


class Directory:
    """All people and personas that can be mentioned, by every name."""

    def __init__(self, people: Mapping[str, str], personas: Mapping[str, str]) -> None:
        """Take the replacement for each name; an empty one leaves the handle. Personas take precedence over people."""
        self._personas = _by_name(personas.items())
        self._targets = {**_by_name(people.items()), **self._personas}
        self._root: dict[str, _Node] = {}
        for name, target in self._targets.items():
            self._add(name, target)

    @classmethod
    def of(cls, roster: Roster) -> Directory:
        """Everyone in *roster*; a persona also by its trigger word."""
        words = {word: _trigger(word) for word in roster.personas.values()}
        return cls(roster.mentions, words | {name: words[word] for name, word in roster.personas.items()})

    @property
    def is_empty(self) -> bool:
        """Whether no name has a replacement."""
        return not any(self._targets.values())

    def edits(self, text: str) -> Iterator[Edit]:
        """The edits that replace every known handle in *text*."""
        for _, match in self._matches(text):
            if match and match.target and match.target != text[match.start : match.end]:
                yield Edit(*match)

    def unknown(self, text: str) -> tuple[str, ...]:
        """The unknown handles in the prose of *text*, in order, as they are written, each once.

        Round and square brackets are left out: they hold an aside more often than a name. If letters of a script
        without spaces follow other letters, ``@bobさん``, the handle may be all of it or the first part: both are
        returned.
        """
        found: dict[str, str] = {}
        for block in _prose_with_signs(text):
            prose: Prose | None = None
            for start, end, handle in self._unanswered(block):
                key = normalised(handle)
                if key not in found and _may_be_name(handle):
                    prose = prose or Prose.of(block)
                    if prose.is_free(start, end):
                        found[key] = handle
                if len(found) == MOST_UNKNOWN:
                    return tuple(found.values())
        return tuple(found.values())

    def answered(self, text: str, found: Mapping[str, str]) -> str:
        """*text* with the tags of *found*, by handle, in place of unknown handles."""
        tags = _by_name(found.items())
        return "".join(
            Prose.of(block).edited(self._answers(block, tags)).text if kind is Kind.PROSE and "@" in block else block
            for kind, block in _blocks(text)
        )

    def _answers(self, text: str, tags: Mapping[str, str]) -> Iterator[Edit]:
        done = 0
        for start, end, handle in self._unanswered(text):
            tag = tags.get(normalised(handle))
            if tag and start >= done:
                yield Edit(start, end, tag)
                done = end

    def _unanswered(self, text: str) -> Iterator[tuple[int, int, str]]:
        for start, match in self._matches(text):
            for end, handle in () if match else _readings(text, start):
                yield start, end, handle.lstrip(WHITESPACE + "@").rstrip(WHITESPACE)

    def _add(self, name: str, target: str) -> None:
        if "@" in name or _first_piece(name) in _EVERYBODY:
            return  # it is resolved in brackets only
        node = _Node(after=self._root)
        for _, piece in _pieces(name, 0):
            node = node.after.setdefault(piece, _Node())
        node.target = target

    def _matches(self, text: str) -> Iterator[tuple[int, HandleMatch | None]]:
        """Where *text* may mention somebody, and who that is."""
        done = 0
        for sign in _SIGN.finditer(text):
            start = sign.start()
            if start >= done:
                match = self._at(text, start)
                yield start, match
                done = match.end if match else done

    def _at(self, text: str, start: int) -> HandleMatch | None:
        """Who the ``@`` at *start* mentions."""
        if bracketed := _bracketed(text, start + 1):
            target = self._in_brackets(bracketed[1])
            if target is not None:
                return HandleMatch(start, bracketed.end(), target)
        if with_id := _WITH_ID.match(text, start + 1):
            target = self._by_id(with_id["id"], with_id["name"])
            return None if target is None else HandleMatch(start, with_id.end(), target)
        return self._longest(text, start)

    def _in_brackets(self, handle: str) -> str | None:
        target = self._targets.get(normalised(handle))
        name, number = _with_id(handle)
        return self._by_id(number, name) if target is None and number else target

    def _by_id(self, number: str, name: str) -> str | None:
        target = self._targets.get(number)
        return self._personas.get(normalised(name)) if target is None else target

    def _longest(self, text: str, start: int) -> HandleMatch | None:
        """The longest known name after the ``@`` at *start*."""
        found: HandleMatch | None = None
        names = self._root
        for end, piece in _pieces(text, start + 1):
            node = names.get(piece)
            if node is None:
                break
            if node.target is not None and _ends_name(text, end):
                found = HandleMatch(start, end, node.target)
            names = node.after
            if not names:
                break
        return found


def may_mention(text: str) -> bool:
    """Whether the prose of *text* may hold a mention."""
    return any(
        prose.is_free(sign.start(), sign.end())
        for prose in map(Prose.of, _prose_with_signs(text))
        for sign in _SIGN.finditer(prose.text)
    )


def _prose_with_signs(text: str) -> Iterator[str]:
    """The parts of the prose of *text* that may hold a mention."""
    if _SIGN.search(text):
        yield from (block for kind, block in _blocks(text) if kind is Kind.PROSE and _SIGN.search(block))


def _blocks(text: str) -> Iterable[tuple[Kind, str]]:
    """The blocks of *text*; most texts are prose and need no scan."""
    return blocks(text) if _BLOCK.search(text) else ((Kind.PROSE, text),)


def _by_name(targets: Iterable[tuple[str, str]]) -> dict[str, str]:
    """*targets* by normalised name; a name that two share is left as it is."""
    found: dict[str, str] = {}
    for name, target in targets:
        key = normalised(name)
        if key and key not in _EVERYBODY:
            found[key] = target if found.get(key, target) == target else ""
    return found


def _trigger(word: str) -> str:
    """The text that triggers a persona by *word*; empty if it would mention everyone."""
    word = word.lstrip(WHITESPACE + "@").rstrip(WHITESPACE)
    return f"@{word}" if _first_piece(word) not in ("", *_EVERYBODY) else ""


def _bracketed(text: str, start: int) -> re.Match[str] | None:
    pattern = _BRACKETED.get(text[start])
    return pattern.match(text, start) if pattern else None


def _with_id(handle: str) -> tuple[str, str]:
    """The name, and the id after the last bar; empty without one."""
    name, bar, last = handle.rpartition("|")
    number = last.strip(WHITESPACE)
    return name, number if bar and _ID.fullmatch(number) else ""


def _readings(text: str, start: int) -> Iterator[tuple[int, str]]:
    """What the unknown handle after the ``@`` at *start* may be, each with its end."""
    if bracketed := _bracketed(text, start + 1):
        _, number = _with_id(bracketed[1])
        if text[start + 1] == "{":
            yield bracketed.end(), number or bracketed[1]
    elif with_id := _WITH_ID.match(text, start + 1):
        yield with_id.end(), with_id["id"]
    elif _first_piece(text, start + 1) not in _EVERYBODY:
        for end in dict.fromkeys(_handle_end(text, start + 1, letters) for letters in (_WORD, _SPACED_WORD)):
            if _ends_name(text, end):
                yield end, text[start + 1 : end]


def _may_be_name(handle: str) -> bool:
    return normalised(handle) not in ("", *_EVERYBODY) and fits(handle, _LONGEST)


def _handle_end(text: str, start: int, letters: re.Pattern[str]) -> int:
    """Where the handle at *start* ends: words with dots and hyphens between them."""
    end = _past(text, start, letters)
    while end > start and text[end : end + 1] in ("-", ".") and (further := _past(text, end + 1, letters)) > end + 1:
        end = further
    return end


def _ends_name(text: str, end: int) -> bool:
    """Whether a name may end at *end*."""
    return _UNSPACED_LETTER.match(text, end - 1) is not None or _GOES_ON.match(text, end) is None


def _pieces(text: str, start: int) -> Iterator[tuple[int, str]]:
    """The pieces by which names are compared, from *start* on, each with its end: words, white space, characters."""
    while piece := _PIECE.match(text, start):
        end = piece.end()
        if text[start] in SPACES:
            yield end, " "
        else:
            end = _past_marks(text, end, _SPACED_WORD)
            yield end, normalised(text[start:end])
        start = end


def _first_piece(text: str, start: int = 0) -> str:
    return next(_pieces(text, start), (start, ""))[1]


def _past(text: str, start: int, letters: re.Pattern[str]) -> int:
    """Where the word at *start* ends, accents and vowel signs included."""
    match = letters.match(text, start)
    end = match.end() if match else start
    return _past_marks(text, end, letters) if end > start else end


def _past_marks(text: str, end: int, letters: re.Pattern[str]) -> int:
    # Accents and vowel signs are no letters to Python, but they end no word.
    while text[end : end + 1] >= _FIRST_MARK and (category(text[end])[0] == "M" or text[end] in _JOINERS):
        match = letters.match(text, end + 1)
        end = match.end() if match else end + 1
    return end
