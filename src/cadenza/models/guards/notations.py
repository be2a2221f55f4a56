"""Arguments of calls in the notations of chat templates, written as JSON.

Both are read piece by piece, without building anything: what is cut off stays cut off at the same place, and what makes
no sense makes no sense as JSON either, so that whoever reads the JSON finds out.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import NamedTuple

_LITERAL = re.compile(r"-?[0-9]+(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?|true|false|null")
_CLOSING = {"{": "}", "[": "]", "(": ")"}


class ParsedArguments(NamedTuple):
    """Arguments as JSON, and where they ended in their source."""

    json: str
    end: int


# --- Gemma ------------------------------------------------------------------------

_DELIMITER = '<|"|>'
_GEMMA = re.compile(
    r'\s*(?:<\|"\|>(?P<text>.*?)(?P<end><\|"\|>|\Z)|(?P<json>"(?:[^"\\]|\\.)*")|(?P<mark>[{}\[\],:]))', re.DOTALL
)
_KEY = re.compile(r"\s*([^:{}\[\],<]+)")
_VALUE = re.compile(r"\s*([^,}\]]+)")
_BEFORE_TEXT = frozenset(",:[{")
_BEHIND_TEXT = re.compile(r"\s*(?:[,}\]]|\Z)")


class Delimiters:
    """The delimiters of *source* that may end a value whose first one was forgotten; each is looked at once."""

    def __init__(self, source: str) -> None:
        self._source = source
        self._next = -1  # where the next one stands
        self._ends = False  # whether what stands behind it may stand behind a value

    def end(self, start: int) -> int:
        """Where the value ends that began at *start*, if the next delimiter ends it and begins no other; else -1."""
        if self._next < start:
            found = self._source.find(_DELIMITER, start)
            self._next = found if found >= 0 else len(self._source)
            self._ends = found >= 0 and _BEHIND_TEXT.match(self._source, found + len(_DELIMITER)) is not None
        before = self._source[max(start, self._next - 16) : self._next].rstrip()[-1:]
        return self._next if self._ends and before not in _BEFORE_TEXT else -1


def gemma_arguments(source: str, start: int = 0, delimiters: Delimiters | None = None) -> ParsedArguments:
    """The arguments that open with the brace at *start*: ``{city:<|"|>Oslo<|"|>,days:2}``.

    Whoever reads several in one source gives the same *delimiters* along.
    """
    delimiters = delimiters or Delimiters(source)
    out: list[str] = []
    open_marks: list[str] = []
    position, is_key = start, False
    while position < len(source):
        piece = _GEMMA.match(source, position)
        if piece is None:
            text, position = _bare(source, position, None if is_key else delimiters)
            out.append(text)
            continue
        position = piece.end()
        if piece["text"] is not None:
            out.append(_quoted(piece["text"], is_whole=bool(piece["end"])))
        elif piece["json"] is not None:
            out.append(_requoted(piece["json"]))
        else:
            is_key = _mark(piece["mark"], out, open_marks)
            if not open_marks:
                break
    return ParsedArguments("".join(out), position)


def _mark(mark: str, out: list[str], open_marks: list[str]) -> bool:
    """Write *mark* down; say whether a key comes next."""
    if mark in _CLOSING:
        open_marks.append(mark)
    elif mark in "}]":
        if out and out[-1] == ",":
            out.pop()
        if open_marks:
            open_marks.pop()
    out.append(mark)
    return bool(open_marks) and open_marks[-1] == "{" and mark != ":"


def _bare(source: str, position: int, delimiters: Delimiters | None) -> tuple[str, int]:
    """A key, for which there are no *delimiters*, or a value without, or without the first; and where it ends."""
    match = (_VALUE if delimiters else _KEY).match(source, position)
    if match is None:
        return source[position], position + 1
    text = match.group(1).strip()
    if delimiters and _LITERAL.fullmatch(text):
        return text, match.end()
    forgotten = delimiters.end(position) if delimiters else -1
    if forgotten >= 0:
        return _quoted(source[position:forgotten].strip(), is_whole=True), forgotten + len(_DELIMITER)
    return _quoted(text, is_whole=match.end() < len(source)), match.end()


# --- Python -----------------------------------------------------------------------

_PYTHON = re.compile(
    r"\s*(?:"
    r"(?P<quote>'''|\"\"\"|'|\")(?P<text>(?:\\.|(?!(?P=quote)).)*+)(?P<end>(?P=quote)|\Z)"
    r"|(?P<mark>[{}\[\](),:])"
    r"|(?P<word>[^\s{}\[\](),:'\"=]+)(?P<keyword>\s*=(?!=))?"
    r"|(?P<other>\S)"
    r"|\Z)",
    re.DOTALL,
)
_WORDS = {"True": "true", "False": "false", "None": "null"}
_ESCAPE = re.compile(r"\\(.)", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\n": "", "\\": "\\", "'": "'", '"': '"'}
_AS_JSON = {"(": "[", ")": "]"}


def python_arguments(source: str, start: int, parameters: Sequence[str]) -> ParsedArguments:
    """The arguments that open with the bracket at *start*: ``("Oslo", days=2)``; *parameters* are names for those without."""
    out = ["{"]
    depth, position, unnamed = 1, start + 1, 0
    begins = True  # whether an argument comes next
    while position < len(source) and depth:
        piece = _PYTHON.match(source, position)
        if piece is None:
            break
        position = piece.end()
        mark = piece["mark"]
        if piece["keyword"] and depth == 1:
            out.append(_quoted(piece["word"], is_whole=True) + ":")
            begins = False
            continue
        if begins and mark not in (")", ",") and piece.group().strip():
            out.append(_quoted(parameters[unnamed], is_whole=True) + ":" if unnamed < len(parameters) else "")
            unnamed += 1
            begins = False
        if mark is None:
            out.append(_python_value(piece))
            continue
        depth += (mark in "([{") - (mark in ")]}")
        if mark in ")]}" and out[-1] == ",":
            out.pop()
        out.append("}" if not depth else _AS_JSON.get(mark, mark))
        begins = depth == 1 and mark == ","
    return ParsedArguments("".join(out), position)


def _python_value(piece: re.Match[str]) -> str:
    if piece["text"] is not None:
        text = _ESCAPE.sub(lambda match: _ESCAPED.get(match.group(1), match.group()), piece["text"])
        return _quoted(text, is_whole=bool(piece["end"]))
    word = piece["word"] or piece["other"] or ""
    return " " + _WORDS.get(word, word) + (piece["keyword"] or "")  # two words stay two


# --- both -------------------------------------------------------------------------


def _quoted(text: str, *, is_whole: bool) -> str:
    written = json.dumps(text, ensure_ascii=False)
    return written if is_whole else written[:-1]


def _requoted(written: str) -> str:
    """*written* if it is JSON; else what stands between its quotes."""
    try:
        json.loads(written)
    except ValueError:
        return _quoted(written[1:-1], is_whole=True)
    return written
