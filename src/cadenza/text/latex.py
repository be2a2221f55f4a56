r"""LaTeX in, text that people can read out: ``\frac{a}{b} \le x^2`` is "a/b ≤ x²".

A formula that cannot be shown in full is not shown by halves: the result is ``None``, and the LaTeX stays.
Fractions are written in one line, with the brackets that they need then. What Unicode has no raised or lowered
character for follows a ``^`` or ``_``. Matrices and cases have several lines where there is room for them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from enum import Enum, auto
from typing import NamedTuple

from .chemistry import readable_reaction
from .latex_layout import aligned, columns, fenced, side_by_side
from .latex_symbols import (
    ACCENTS,
    BINARY,
    CHARACTERS,
    CLOSING,
    FRACTIONS,
    FUNCTIONS,
    IGNORED,
    LARGE,
    LETTERS,
    LINES,
    OPENING,
    RELATIONS,
    SPACES,
    STYLES,
    SUBSCRIPT,
    SUPERSCRIPT,
    styled,
)

_LONGEST = 4000
_DEEPEST = 24
_TOKEN = re.compile(r"\\[A-Za-z]+\*?|\\[\s\S]|\s+|[\s\S]")
_SCRIPTS = "".join({*SUPERSCRIPT.values(), *SUBSCRIPT.values()} - {"*"})
_ATOM = re.compile(rf"√?(?:[\d.,]+|[½⅓⅔¼¾⅕-⅞]|[^\W\d]|[^\w\s])[\u0300-\u036f\u20d0-\u20ff{_SCRIPTS}*!]*")
"""A number or one letter, with what stands on and beside it."""
_DIFFERENTIAL = re.compile(rf"[d∂][{_SCRIPTS}]*[^\W\d][{_SCRIPTS}]*")
_WORD_OF_ANOTHER_SCRIPT = re.compile(r"(?:(?![\u0370-\u03ff])[^\W\d_\x00-\x7f])+")
_CALL = re.compile(rf"√?(?:(?:\w[\w']*)?\([^()]*\)|\[[^][]*\]|\|[^|]*\|)[{_SCRIPTS}]*")
_LOOSE_SCRIPT = re.compile(r"[\^_](?:\w+|\([^()]*\))\Z")
"""A script that has to be kept apart from what follows."""
_SPACES = re.compile(r" {2,}")
_PLAIN_TEXT = frozenset(
    [
        *("text", "textrm", "textnormal", "textit", "textbf", "textsf", "texttt", "emph", "mbox", "hbox"),
        *("mathrm", "mathit", "mathsf", "mathtt", "mathop", "mathbin", "mathrel", "mathord"),
        *("operatorname", "operatorname*"),
    ]
)
_UNWRAPPED = frozenset(["boxed", "fbox", "mathclap", "ensuremath", "smash"])
_WITH_COLOUR = frozenset(["textcolor", "colorbox"])
_UNSEEN = frozenset(["label", "phantom", "hphantom", "vphantom", "color", "vspace", "hspace"])
_ROOTS = {"": "√", "2": "√", "3": "∛", "4": "∜"}
_ESCAPED = re.compile(r"\\([%$#&_{} ])")
_STOPS = frozenset(["}", "\\right", "\\end", "&", "\\\\"])


class _Kind(Enum):
    """What decides the space around a piece, as in TeX."""

    ORDINARY = auto()
    FUNCTION = auto()
    BINARY = auto()
    RELATION = auto()
    OPENING = auto()
    CLOSING = auto()
    PUNCTUATION = auto()
    SPACE = auto()
    FRACTION = auto()
    WORDS = auto()


class _Piece(NamedTuple):
    text: str
    kind: _Kind = _Kind.ORDINARY
    lines: tuple[str, ...] = ()
    """The same on several lines, if it is a matrix or the like."""


_OPERANDS = (_Kind.ORDINARY, _Kind.CLOSING, _Kind.FRACTION, _Kind.WORDS)


class _UnreadableError(Exception):
    """There is something in it that Unicode does not have."""


def readable(latex: str) -> str | None:
    """*latex* in one line; ``None`` if not all of it can be read then."""
    rows = _read(latex)
    if rows is None or len(rows) != 1:
        return None
    return _tidy(_joined(rows[0])) or None


def readable_lines(latex: str) -> list[str] | None:
    """*latex* in lines, for a code block; ``None`` if not all of it can be read then."""
    rows = _read(latex)
    if rows is None:
        return None
    lines = [line.rstrip() for row in rows for line in _stacked(row)]
    return lines if any(lines) else None


def _read(latex: str) -> list[list[_Piece]] | None:
    if len(latex) > _LONGEST:
        return None
    try:
        reader = _Reader(latex)
        rows = [[piece for cell in row for piece in cell] for row in reader.rows()]
        return None if reader.has_more else [row for row in rows if row]
    except (_UnreadableError, RecursionError):
        return None


class _Reader:
    """Reads tokens from left to right; every command takes its own arguments."""

    def __init__(self, latex: str) -> None:
        self._tokens = _TOKEN.findall(latex)
        self._next = 0
        self._depth = 0

    @property
    def has_more(self) -> bool:
        return self._next < len(self._tokens)

    def rows(self) -> list[list[list[_Piece]]]:
        """The rows up to the end of an environment, of the formula or of a group, each with its cells."""
        rows: list[list[list[_Piece]]] = [[self._pieces()]]
        while self._peek() in ("&", "\\\\"):
            if self._take() == "&":
                rows[-1].append(self._pieces())
            else:
                self._optional()  # the space between two rows
                rows.append([self._pieces()])
        return rows

    def _pieces(self, stop: str = "") -> list[_Piece]:
        """What follows, up to *stop* or anything else that ends it."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _UnreadableError
        pieces: list[_Piece] = []
        while self.has_more and self._peek() not in _STOPS and self._peek() != stop:
            piece = self._atom()
            if piece is not None:
                pieces.append(self._with_scripts(piece))
        self._depth -= 1
        return pieces

    # --- tokens -------------------------------------------------------------------------

    def _peek(self) -> str:
        return self._tokens[self._next] if self.has_more else ""

    def _take(self) -> str:
        mark = self._peek()
        self._next += 1
        return mark

    def _skip_space(self) -> None:
        while self._peek().isspace():
            self._next += 1

    def _argument(self) -> str:
        """The next argument, as text."""
        self._skip_space()
        if self._peek() == "{":
            return _tidy(_joined(self._group()))
        piece = self._atom()
        if piece is None:
            raise _UnreadableError
        return piece.text

    def _group(self) -> list[_Piece]:
        self._take()
        pieces = self._pieces()
        if self._take() != "}":
            raise _UnreadableError
        return pieces

    def _raw(self) -> str:
        """The next argument as it is written."""
        self._skip_space()
        if self._take() != "{":
            raise _UnreadableError
        start, depth = self._next, 1
        while depth:
            mark = self._take()
            if not mark:
                raise _UnreadableError
            depth += (mark == "{") - (mark == "}")
        return "".join(self._tokens[start : self._next - 1])

    def _optional(self) -> str:
        """The argument in square brackets, if there is one."""
        if self._peek() != "[":
            return ""
        self._take()
        text = _tidy(_joined(self._pieces("]"), tight=True))
        if self._take() != "]":
            raise _UnreadableError
        return text

    # --- atoms --------------------------------------------------------------------------

    def _atom(self) -> _Piece | None:
        mark = self._take()
        if not mark or mark in _STOPS:
            raise _UnreadableError
        if mark.isspace():
            return None
        if mark == "{":
            self._next -= 1
            pieces = self._group()
            return _Piece(pieces[0].text if len(pieces) == 1 else _tidy(_joined(pieces), strip=False))
        if mark[0] == "\\":
            return self._command(mark[1:])
        if mark in "^_":
            self._next -= 1
            return _Piece("")
        return self._character(mark)

    def _character(self, character: str) -> _Piece:
        match character:
            case "-" | "−":
                return _Piece("−", _Kind.BINARY)
            case "+" | "*":
                return _Piece(character, _Kind.BINARY)
            case "=" | "<" | ">":
                return _Piece(character, _Kind.RELATION)
            case "~":
                return _Piece(" ", _Kind.SPACE)
            case "'":
                return _Piece("′", _Kind.CLOSING)
            case "," | ";" | ":":
                is_apart = not self._peek()[:1].isdigit() if character == "," else self._peek()[:1] in (" ", "\n", "\\")
                return _Piece(character, _Kind.PUNCTUATION if is_apart or character == ";" else _Kind.ORDINARY)
        return _sign(character)

    def _command(self, name: str) -> _Piece | None:
        if name in _PLAIN_TEXT:
            return self._words(name)
        if name in ("left", "begin"):
            return self._enclosed() if name == "left" else self._environment()
        if name in SPACES:
            return _Piece(SPACES[name], _Kind.SPACE)
        if name in IGNORED:
            return None
        if name in LARGE:
            return _Piece(LARGE[name], _Kind.FUNCTION)
        if name in FUNCTIONS:
            return _Piece({"limsup": "lim sup", "liminf": "lim inf"}.get(name, name), _Kind.FUNCTION)
        if name in RELATIONS:
            return _Piece(RELATIONS[name], _Kind.RELATION)
        if name in BINARY:
            return _Piece(BINARY[name], _Kind.BINARY)
        if name in LETTERS:
            return _sign(LETTERS[name])
        if name in CHARACTERS:
            return _sign(CHARACTERS[name])
        return self._built(name)

    def _built(self, name: str) -> _Piece | None:
        """What a command makes of its arguments."""
        if name in ACCENTS:
            return _Piece(_accented(self._argument(), ACCENTS[name]))
        if name in LINES:
            return _Piece("".join(character + LINES[name] for character in self._argument()))
        if name in STYLES:
            return _Piece(styled(self._argument(), STYLES[name]))
        if name in _UNWRAPPED:
            return _Piece(self._argument())
        if name in _WITH_COLOUR:
            self._raw()
            return _Piece(self._argument())
        if name in _UNSEEN:
            self._raw()
            return None
        return self._composed(name)

    def _composed(self, name: str) -> _Piece:
        match name:
            case "frac" | "dfrac" | "tfrac" | "cfrac":
                return _fraction(self._argument(), self._argument())
            case "binom" | "dbinom" | "tbinom":
                return _Piece(f"C({self._argument()}, {self._argument()})")
            case "sqrt":
                return _root(self._optional(), self._argument())
            case "not":
                return _negated(self._atom())
            case "pmod" | "pod":
                return _Piece(f" (mod {self._argument()})", _Kind.SPACE)
            case "tag" | "tag*":
                return _Piece(f"   ({self._argument()})", _Kind.SPACE)
            case "xrightarrow" | "xleftarrow":
                return self._long_arrow(name)
            case "overset" | "stackrel":
                return _overset(self._argument(), self._argument())
            case "ce":
                return self._reaction()
        raise _UnreadableError

    def _words(self, name: str) -> _Piece:
        self._skip_space()
        if name in ("mathrm", "mathit", "mathop", "mathbin", "mathrel", "mathord") or self._peek() != "{":
            text = self._argument()
        else:
            text = _ESCAPED.sub(r"\1", self._raw())
            if "\\" in text or "$" in text:
                raise _UnreadableError
            text = re.sub(r"[{}]", "", text).replace("~", " ")
        if name.startswith("operatorname"):
            return _Piece(text, _Kind.FUNCTION)
        return _Piece(text, _Kind.WORDS if len(text) > 1 else _Kind.ORDINARY)

    def _enclosed(self) -> _Piece:
        r"""What is between ``\left`` and ``\right``."""
        opening = self._delimiter()
        pieces = self._pieces()
        if self._take() != "\\right":
            raise _UnreadableError
        closing = self._delimiter()
        if len(pieces) == 1 and pieces[0].lines:
            lines = fenced(pieces[0].lines, opening, closing)
            return _Piece(opening + pieces[0].text + closing, lines=lines)
        return _Piece(opening + _tidy(_joined(pieces)) + closing, _Kind.CLOSING if closing else _Kind.ORDINARY)

    def _delimiter(self) -> str:
        self._skip_space()
        mark = self._take()
        if mark == ".":
            return ""
        name = mark[1:] if mark[:1] == "\\" else ""
        return LETTERS.get(name) or CHARACTERS.get(name) or mark

    def _environment(self) -> _Piece:
        name = self._raw().removesuffix("*")
        if name in ("array", "alignedat", "alignat", "tabular"):
            self._skip_space()
            self._optional()
            self._raw()
        rows = [[_tidy(_joined(cell)) for cell in row] for row in self.rows()]
        if self._take() != "\\end" or self._raw().removesuffix("*") != name:
            raise _UnreadableError
        return _table(name, [row for row in rows if any(row)])

    def _long_arrow(self, name: str) -> _Piece:
        below, above = self._optional(), self._argument()
        label = ", ".join(part for part in (above, below) if part)
        return _Piece(f"─{label}→" if name == "xrightarrow" else f"←{label}─", _Kind.RELATION)

    def _reaction(self) -> _Piece:
        text = readable_reaction(self._raw())
        if text is None:
            raise _UnreadableError
        return _Piece(text)

    # --- scripts ------------------------------------------------------------------------

    def _with_scripts(self, piece: _Piece) -> _Piece:
        text = piece.text
        lower = upper = ""
        while True:
            start = self._next
            self._skip_space()
            mark = self._peek()
            if mark in ("\\limits", "\\nolimits"):
                self._take()
            elif mark == "^" and piece.kind is not _Kind.SPACE:
                self._take()
                upper += self._script()
            elif mark == "_":
                self._take()
                lower += self._script()
            elif mark == "'" and (lower or upper):
                self._take()
                upper = "′" + upper
            else:
                self._next = start
                break
        if not (lower or upper):
            return piece
        if piece.kind in (_Kind.ORDINARY, _Kind.FRACTION):
            text = _bracketed(text)
        text += _raised(lower, SUBSCRIPT, "_") + _raised(upper, SUPERSCRIPT, "^")
        kind = piece.kind if piece.kind is _Kind.FUNCTION else _Kind.ORDINARY
        return _Piece(text, _Kind.CLOSING if piece.kind is _Kind.CLOSING else kind)

    def _script(self) -> str:
        self._skip_space()
        if self._peek() == "{":
            return _tidy(_joined(self._group(), tight=True))
        piece = self._atom()
        if piece is None:
            raise _UnreadableError
        return piece.text


# --- pieces -----------------------------------------------------------------------------


def _sign(character: str) -> _Piece:
    if character in OPENING:
        return _Piece(character, _Kind.OPENING)
    return _Piece(character, _Kind.CLOSING if character in CLOSING else _Kind.ORDINARY)


def _raised(script: str, characters: dict[str, str], mark: str) -> str:
    """*script* in small *characters*; after *mark* if there are none for it."""
    if not script:
        return ""
    if script in ("∘", "°"):
        return "°"
    small = [characters.get(character, "") for character in script]
    if all(small):
        return "".join(small)
    is_word = mark == "_" and script.isascii() and script.isalnum()
    return f"{mark}{script}" if is_word or len(script) == 1 else f"{mark}({script})"


def _accented(text: str, accent: str) -> str:
    if not text or len(text) > 2:
        raise _UnreadableError
    return text + accent


def _negated(piece: _Piece | None) -> _Piece:
    if piece is None or len(piece.text) != 1:
        raise _UnreadableError
    return piece._replace(text=unicodedata.normalize("NFC", piece.text + "\u0338"))


def _fraction(above: str, below: str) -> _Piece:
    if sign := FRACTIONS.get(f"{above}/{below}"):
        return _Piece(sign)
    if not above or not below:
        raise _UnreadableError
    upper = above if " " not in above and "/" not in above else _bracketed(above)
    return _Piece(f"{upper}/{_bracketed(below)}", _Kind.FRACTION)


def _root(degree: str, text: str) -> _Piece:
    sign = _ROOTS.get(degree) or _raised(degree, SUPERSCRIPT, "") + "√"
    if not all(character in SUPERSCRIPT for character in degree):
        raise _UnreadableError
    return _Piece(sign + _bracketed(text))


def _overset(above: str, below: str) -> _Piece:
    sign = {("?", "="): "≟", ("def", "="): "≝", ("!", "="): "≟", ("d", "="): "≝"}.get((above, below))
    if sign is None:
        raise _UnreadableError
    return _Piece(sign, _Kind.RELATION)


def _bracketed(text: str) -> str:
    """*text* in brackets if it needs them as one operand."""
    is_one = any(pattern.fullmatch(text) for pattern in (_ATOM, _DIFFERENTIAL, _CALL, _WORD_OF_ANOTHER_SCRIPT))
    return text if is_one or not text else f"({text})"


def _joined(pieces: Sequence[_Piece], *, tight: bool = False) -> str:
    """*pieces* with the space that belongs between them; *tight* as in a raised or lowered text."""
    parts: list[str] = []
    before: _Piece | None = None
    for number, piece in enumerate(pieces):
        after = pieces[number + 1] if number + 1 < len(pieces) else None
        parts.append(_with_space(before, piece, after, tight=tight))
        before = piece
    return "".join(parts)


def _with_space(before: _Piece | None, piece: _Piece, after: _Piece | None, *, tight: bool) -> str:
    text, kind = piece.text, piece.kind
    last, following = before.kind if before else None, after.kind if after else None
    touches_left = last in _OPERANDS
    if kind is _Kind.FRACTION and (_multiplies(before, is_left=True) or _multiplies(after, is_left=False)):
        text = f"({text})"
    if following in (_Kind.ORDINARY, _Kind.FRACTION, _Kind.WORDS) and _LOOSE_SCRIPT.search(text[-64:]):
        return f" {text} " if kind is _Kind.FUNCTION and touches_left else f"{text} "
    if tight:
        is_word = kind in (_Kind.FUNCTION, _Kind.WORDS) and text[-1:].isalpha()
        return text + " " if is_word and following in (_Kind.ORDINARY, _Kind.FUNCTION) else text
    match kind:
        case _Kind.RELATION:
            return f" {text} "
        case _Kind.BINARY:
            is_infix = (touches_left or last is _Kind.SPACE) and following not in (None, _Kind.CLOSING)
            return f" {text} " if is_infix else text
        case _Kind.PUNCTUATION:
            return f"{text} "
        case _Kind.FUNCTION:
            left = " " if touches_left else ""
            is_sign = not text[0].isalpha() or text[-1] == ")"
            opens = after is not None and after.text[:1] in OPENING
            return left + text + (" " if after and (not _is_bracket(after) or (opens and is_sign)) else "")
        case _Kind.WORDS:
            left = " " if last in (_Kind.ORDINARY, _Kind.CLOSING) and text[:1].isalpha() else ""
            is_apart = following is _Kind.ORDINARY and text[-1:].isalpha()
            return left + text + (" " if is_apart and after and not _is_bracket(after) else "")
        case _:
            return text


def _multiplies(piece: _Piece | None, *, is_left: bool) -> bool:
    """Whether a fraction beside *piece* is multiplied with it, without a sign between them."""
    if piece is None:
        return False
    if piece.kind is _Kind.FUNCTION and is_left:
        return piece.text[0].isalpha() and not piece.text.startswith("lim")
    if piece.kind is _Kind.CLOSING:
        return is_left or piece.text[:1] in OPENING
    return piece.kind in (_Kind.ORDINARY, _Kind.FRACTION, _Kind.FUNCTION) or (
        piece.kind is _Kind.OPENING and not is_left
    )


def _is_bracket(piece: _Piece) -> bool:
    return piece.kind in (_Kind.OPENING, _Kind.CLOSING, _Kind.PUNCTUATION)


def _tidy(text: str, *, strip: bool = True) -> str:
    text = _SPACES.sub(" ", text).replace("′′", "″")
    return text.strip() if strip else text


# --- several lines ----------------------------------------------------------------------

_MATRICES = {
    "pmatrix": ("(", ")"),
    "bmatrix": ("[", "]"),
    "Bmatrix": ("{", "}"),
    "vmatrix": ("|", "|"),
    "Vmatrix": ("‖", "‖"),
    **dict.fromkeys(["matrix", "array", "smallmatrix"], ("", "")),
}
_ALIGNED = frozenset(
    [
        *("aligned", "align", "alignedat", "alignat", "flalign", "split", "eqnarray"),
        *("gather", "gathered", "equation", "multline"),
    ]
)


def _table(name: str, rows: list[list[str]]) -> _Piece:
    """An environment, in one line and in several."""
    if name in _ALIGNED:
        return _Piece("; ".join(" ".join(filter(None, row)) for row in rows), lines=aligned(rows))
    if name == "cases":
        text = "; ".join(" ".join(filter(None, row)) for row in rows)
        return _Piece(f"{{ {text}", lines=fenced(columns(rows, gap="   "), "{", ""))
    if name not in _MATRICES:
        raise _UnreadableError
    opening, closing = _MATRICES[name]
    text = "; ".join("  ".join(row) for row in rows)
    return _Piece(f"{opening}{text}{closing}", lines=fenced(columns(rows, gap="  "), opening, closing))


def _stacked(pieces: Sequence[_Piece]) -> list[str]:
    """*pieces* in lines: text stands beside the middle of what has several."""
    if not any(len(piece.lines) > 1 for piece in pieces):
        return [_tidy(_joined(pieces))]
    boxes: list[tuple[str, ...]] = []
    start = 0
    for number, piece in enumerate(pieces):
        if len(piece.lines) > 1:
            boxes += _text_box(pieces[start:number])
            boxes.append(piece.lines)
            start = number + 1
    boxes += _text_box(pieces[start:])
    return side_by_side(boxes)


def _text_box(pieces: Sequence[_Piece]) -> list[tuple[str, ...]]:
    text = _tidy(_joined(pieces))
    return [(text,)] if text else []
