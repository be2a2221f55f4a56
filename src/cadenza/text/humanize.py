"""Make text look typed in a hurry: lower case, fewer commas, and sometimes several messages instead of one.

How it works
    The text is never rewritten step by step. What must stay (code, addresses, tags, labels) is a list of ranges.
    What is removed (a semicolon, a comma) and where a message ends is a list of edits. One pass over both makes the
    pieces. So there are no placeholders, which a model's text could be mistaken for.

Randomness is passed in. Every comma that may change is rolled for, then every run of ``!`` and ``?``, each from left to
right. A comma within a list of numbers, a formula or brackets, or between two marks, is left as it is, and so is ``、``.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator
from enum import IntEnum

from .origins import join, substituted
from .sentences import is_lone_word
from .spans import Span, SpanKind, survey
from .units import WHITESPACE

_COMMA_GOES = 0.4
"""A comma is removed for a roll below this one,"""
_COMMA_BREAKS = 0.6
"""ends the message for a roll below this one, and stays for any other."""
_MARKS_BREAK = 0.5

_SHORTHAND = frozenset(
    [
        "lol",
        "rofl",
        "lmao",
        "lmfao",
        "wtf",
        "btw",
        "omg",
        "iirc",
        "afaik",
        "tbh",
        "imo",
        "imho",
        "fyi",
        "idk",
        "brb",
        "afk",
        "ttyl",
        "rn",
        "smh",
        "tysm",
    ]
)
"""Abbreviations that keep their case."""

_Range = tuple[int, int]
_FAR = 1 << 60

_SPACE = f"[{WHITESPACE}]"
_SPACES = re.compile(f"{_SPACE}*+")
_LETTERS = r"[^\W\d_]++"
_JOINERS = r"\u0300-\u036f'’\-"
"""A combining accent joins letters like an apostrophe does."""
# A word that touches a digit or "_" is a name. Plain lower-case words, which are most, are skipped: handling each would
# take longer than all the rest.
_WORD = re.compile(rf"(?<!\w)(?![a-z]++(?![\w{_JOINERS}])){_LETTERS}(?:[{_JOINERS}]++{_LETTERS})*(?!\w)")

# Part of a word in a script with spaces between words; the scripts above this range have none.
_IN_SPACED_WORD = re.compile(rf"(?![\u2e80-\U0010ffff])[\w{_JOINERS}]")

# Without any other character there is no span to look for: most messages of degree 3 are words and an emoji or two.
_MARKED = re.compile(rf"[^\w.,;:!?'’…。、，！？；{WHITESPACE}\u200d\u2600-\u27bf\ufe0f\U0001f300-\U0001faff-]|_")
_ESCAPED_OR_FENCE = re.compile(r"\\[!-/:-@\[-`{-~]|`{3,8}")
_FENCE_END = re.compile("`{3,8}")
_AFTER_URL = ".,;:!?'…；，、！？。"
# The scanner knows an address by its lower-case scheme; the case of these matters too: discord.gg/Ab, Https://[IP]/.
_BARE_ADDRESS = re.compile(
    rf"(?<![\w.+-])(?:[\w+-]++://(?:\[[^{WHITESPACE}\[\]]*+\])?|[\w-]++(?:\.[\w-]++)++/)[^{WHITESPACE}<>\"`()\[\]*|]*+"
)
_PLACEHOLDERS = re.compile(rf"(?:(?:\[[\w.-]{{1,40}}\]|<[a-zA-Z][\w-]{{0,40}}>)[^{WHITESPACE}<>\"`()\[\]*|]*+){{0,4}}+")
_LABEL = re.compile(rf"\([\w{WHITESPACE}]++\):|[\w{WHITESPACE}]++:?")
_SHORTCODE = re.compile(r":\w*+[+-][\w+-]*+:")
"""Shortcodes with a sign in them; those of plain letters are kept as labels."""

_MOUTH = r"[-'^]?(?:[()\]]|[DPp3](?![\w;；]))"
_SMILE = re.compile(rf"(?<={_SPACE}):{_MOUTH}")
# A wink is a face too: ;) ;-D ;_; and the like.
_SEMICOLONS = re.compile(rf"(?P<face>;[-_.w];|;++{_MOUTH})|[;；]++")
# Semicolons are removed in any case, so one between a comma and its space does not count.
_COMMA = re.compile(rf"(?:,(?=[;；]*+(?:{_SPACE}|\Z))[;；]*+|[、，､](?!\d))({_SPACE}*+)")
_ENUMERATION_COMMA = frozenset("、､")
"""Without one of these the words of an enumeration are one word."""
_NO_COMMA: frozenset[str] = frozenset()
_AFTER_NUMBER = frozenset("%‰°….")
_EMPHASIS = frozenset("*_~|`")
_NEXT_NUMBER = re.compile(r"(?:(?:and|or) )?[-+−±~≈$€£¥#]?\d|\.\.\.|…")
_FORMULA_MARK = re.compile(r"\\\\|\\[()\[\]]|\$\$?|\n")
_FORMULA_ENDS = {"\\(": "\\)", "\\[": "\\]", "$$": "$$", "$": "$"}
_COMMAND = re.compile(r"\\[A-Za-z]++(?:\[[^\[\]\n]*+\])?(?:\{[^{}\n]*+\})*+")
"""``\\alpha``, ``\\text{For All}``, a folder on Windows."""
_BRACKETS = re.compile(r"\[[^\[\]\n]*+\]|\{[^{}\n]*+\}")
_MARKS = re.compile("[!?！？]++")
_NEVER_FIRST = frozenset(")]}」』）》〉｣”’»›.,…。．｡、，､~～ー")
"""No message begins with one of these."""
_HEADING = re.compile(r"^[ \t]*+(?:>>> [\s\S]*|(?:>|-#|#{1,6}) .*|\*\*(?!\s)[^*\n]++\*\*:?[ \t]*+$)", re.MULTILINE)
"""A heading, a title in bold, subtext or a quote: nothing in it changes."""
_ENUMERATION = r"(?:[a-zA-Z]|[ivx]{1,5}|\d{1,3})[.)] |\([a-zA-Z\d]{1,3}\) |[一二三四五六七八九十]{1,3}[、.)）]"
# The mark that opens such a line applies up to its end; a message cut from it would lose the style.
_ITEM_OR_ROW = re.compile(rf"^[ \t]*+(?:(?:[-*+•] |{_ENUMERATION}).*|\|(?!\|).*)|^(?:[ ]{{2}}|\t).*", re.MULTILINE)


class _Does(IntEnum):
    """What happens to a range of the text."""

    BREAKS = 0
    GOES = 1
    STAYS = 2


_Edit = tuple[int, int, _Does]


def humanize(text: str, roll: Callable[[], float] | None = None, *, reference: bool = False) -> list[str]:
    """Make *text* casual; each piece is a message of its own.

    Without *roll* only capitals and semicolons change, and there is one piece. With *reference*, a single word of a line
    may be a piece, and ``、`` is a comma like any other, as in the system that Cadenza follows.
    """
    is_marked = _MARKED.search(text) is not None
    spans = survey(text).spans if is_marked else ()
    kept = _kept(text, spans) if is_marked or ":" in text else []
    edits = _without_semicolons(text, kept)
    if roll is not None:
        quiet = _merged([*kept, *_quiet(text, spans)])
        edits += _rolled_commas(text, quiet, roll, _NO_COMMA if reference else _ENUMERATION_COMMA)
        edits += _rolled_marks(text, quiet, edits, roll)
        if not reference:
            edits = _without_lone_words(text, edits)
    return _pieces(text, [*edits, *((start, end, _Does.STAYS) for start, end in kept)])


# --- ranges -------------------------------------------------------------------------


def _merged(ranges: Iterable[_Range]) -> list[_Range]:
    """The same ranges in order, without overlaps."""
    merged: list[_Range] = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def _gaps(ranges: list[_Range], length: int) -> Iterator[_Range]:
    """The gaps between *ranges*, which are merged."""
    position = 0
    for start, end in ranges:
        yield position, start
        position = end
    yield position, length


def _holds(ranges: list[_Range], index: int) -> bool:
    at = bisect_right(ranges, (index, _FAR)) - 1
    return at >= 0 and index < ranges[at][1]


# --- what is kept -------------------------------------------------------------------


def _kept(text: str, spans: tuple[Span, ...]) -> list[_Range]:
    """The ranges in which no character may change."""
    headings = (match.span() for match in _HEADING.finditer(text))
    kept = _merged([*headings, *filter(None, (_atom(text, span) for span in spans))])
    if "\\" in text or "$" in text:
        kept = _merged([*kept, *_formulas(text), *(command.span() for command in _COMMAND.finditer(text))])
    if "```" in text:
        kept = _merged([*kept, *_fences(text, kept)])
    if "/" in text:
        kept = _merged([*kept, *_addresses(text, kept)])
    if ":" in text:
        # Searched separately: a label reaches up to the first colon of a shortcode.
        shortcodes = [match.span() for match in _SHORTCODE.finditer(text)]
        kept = _merged([*kept, *shortcodes, *_labels(text, kept)])
    return kept


def _atom(text: str, span: Span) -> _Range | None:
    match span.kind:
        case SpanKind.CODE | SpanKind.TAG | SpanKind.MATH:
            return span.start, span.end
        case SpanKind.URL:
            rest = _PLACEHOLDERS.match(text, span.end)  # https://e.org/<Name>/Of
            end = rest.end() if rest else span.end
            return span.start, _address_end(text, span.start, end)
        case SpanKind.LINK:
            # Its text is treated like any other; only the address is kept.
            return max(span.start, text.find("](", span.start, span.end)), span.end
        case _:
            return None


def _address_end(text: str, start: int, end: int) -> int:
    """Where an address ends without the punctuation of the sentence around it."""
    return start + len(text[start:end].rstrip(_AFTER_URL))


def _fences(text: str, atoms: list[_Range]) -> Iterator[_Range]:
    """Code blocks as the scanner sees them; an unclosed one reaches to the end."""
    position = 0
    while mark := _ESCAPED_OR_FENCE.search(text, position):
        start, position = mark.span()
        if text[start] == "\\" or _holds(atoms, start):
            continue
        width = position - start
        if width >= 6:
            width = 3  # it opens and closes at once
        position = _fence_end(text, start + width, width)
        yield start, position


def _fence_end(text: str, start: int, width: int) -> int:
    found = text.find("`" * width, start)
    closer = _FENCE_END.match(text, found) if found >= 0 else None
    if closer is None:
        return len(text)
    # A run twice as long closes this block and opens the next.
    return found + width if closer.end() - found >= 2 * width else closer.end()


def _formulas(text: str) -> Iterator[_Range]:
    r"""``\( … \)``, ``\[ … \]``, ``$$ … $$`` and, if the dollars touch it on a line, ``$ … $``."""
    opened, begin = "", 0
    for match in _FORMULA_MARK.finditer(text):
        mark, (start, end) = match.group(), match.span()
        if mark == "\n":
            opened = opened if opened in ("\\[", "$$") else ""
        elif opened and mark == _FORMULA_ENDS[opened] and (mark != "$" or _touches_formula(text, start)):
            yield begin, end
            opened = ""
        elif mark in _FORMULA_ENDS and opened in ("", "$"):
            opened, begin = mark, start


def _touches_formula(text: str, index: int) -> bool:
    """Whether the dollar at *index* closes a formula; that of a price does not."""
    return text[index - 1] not in WHITESPACE and not text[index + 1 : index + 2].isalnum()


def _addresses(text: str, atoms: list[_Range]) -> Iterator[_Range]:
    for gap in _gaps(atoms, len(text)):
        for match in _BARE_ADDRESS.finditer(text, *gap):
            yield match.start(), _address_end(text, *match.span())


def _labels(text: str, atoms: list[_Range]) -> Iterator[_Range]:
    """Speakers (``Name:``, ``(Full Name):``), and whatever else precedes a colon: 10:30."""
    for gap in _gaps(atoms, len(text)):
        for match in _LABEL.finditer(text, *gap):
            colon = match.end() - 1
            if text[colon] == ":" and not _SMILE.match(text, colon):
                yield match.span()


def _quiet(text: str, spans: tuple[Span, ...]) -> Iterator[_Range]:
    """The ranges without rolls: half of a quotation, of bold text or of a table is no message."""
    for span in spans:
        if span.kind is not SpanKind.URL:  # the scanner may count the mark after an address as part of it
            yield span.start, span.end
    for pattern in (_ITEM_OR_ROW, _BRACKETS):
        for match in pattern.finditer(text):
            yield match.span()


# --- what is removed ----------------------------------------------------------------


def _without_semicolons(text: str, kept: list[_Range]) -> list[_Edit]:
    if ";" not in text and "；" not in text:
        return []
    return [
        (*match.span(), _Does.GOES)
        for match in _SEMICOLONS.finditer(text)
        if not (match["face"] or _holds(kept, match.start()) or _joins(text, *match.span()))
    ]


def _joins(text: str, start: int, end: int) -> bool:
    """Whether the text around the semicolons would mean something else without them."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if before in ("\\", ":"):
        return True  # an escape, or the beginning of an address
    if _IN_SPACED_WORD.match(before) and _IN_SPACED_WORD.match(after):
        return True  # two words
    return before == after != "" and before not in WHITESPACE  # one run of backticks or stars


def _rolled_commas(text: str, quiet: list[_Range], roll: Callable[[], float], exempt: frozenset[str]) -> list[_Edit]:
    edits: list[_Edit] = []
    for match in _COMMA.finditer(text):
        start, end = match.span()
        if text[start] in exempt or _holds(quiet, start) or _is_between(text, start, match.start(1), end):
            continue
        if start + 1 < end and _holds(quiet, match.start(1)):
            if text[start] == ",":
                continue  # the space belongs to a label, so this comma has none
            end = start + 1
        rolled = roll()
        if rolled < _COMMA_GOES:
            edits.append((start, start + 1, _Does.GOES))
        elif rolled < _COMMA_BREAKS:
            edits.append((start, end, _Does.BREAKS))
    return edits


def _is_between(text: str, start: int, blank: int, end: int) -> bool:
    """Whether the comma at *start* is between two numbers or two marks; *blank* to *end* is the space behind it."""
    before, after = text[start - 1 : start], text[end : end + 1]
    if (before.isdigit() or before in _AFTER_NUMBER) and _NEXT_NUMBER.match(text, end):
        return True
    are_marks = _is_mark(before) and _is_mark(after)
    return are_marks and (blank == end or (before in _EMPHASIS and after in _EMPHASIS))


def _is_mark(character: str) -> bool:
    return not (character.isalnum() or character in WHITESPACE)


def _without_lone_words(text: str, edits: list[_Edit]) -> list[_Edit]:
    """*edits* without the breaks that leave a single word of a line."""
    breaks = sorted(edit for edit in edits if edit[2] is _Does.BREAKS)
    good: list[_Edit] = []
    begin = 0
    for edit in breaks:
        start, end, _ = edit
        if "\n" in text[start:end] or not is_lone_word(text, begin, start):
            good.append(edit)
            begin = end
    if good and is_lone_word(text, begin, len(text)) and "\n" not in text[good[-1][0] : begin]:
        good.pop()
    return [edit for edit in edits if edit[2] is not _Does.BREAKS] + good


def _rolled_marks(text: str, quiet: list[_Range], edits: list[_Edit], roll: Callable[[], float]) -> list[_Edit]:
    gone = {start: end for start, end, does in edits if does is _Does.GOES}
    breaks: list[_Edit] = []
    for match in _MARKS.finditer(text):
        if _holds(quiet, match.start()):
            continue
        start = match.end()
        while start in gone:
            start = gone[start]
        end = start if _holds(quiet, start) else _space_end(text, start)
        if _ends_something(match.group(), text[end : end + 1], spaced=end > start) and roll() < _MARKS_BREAK:
            breaks.append((start, end, _Does.BREAKS))
    return breaks


def _space_end(text: str, start: int) -> int:
    spaces = _SPACES.match(text, start)
    return spaces.end() if spaces else start


def _ends_something(marks: str, after: str, *, spaced: bool) -> bool:
    """Whether a sentence may end with *marks*; full-width ones need no space after them."""
    if spaced or not after:
        return True
    return not marks.isascii() and after not in _NEVER_FIRST


# --- the pieces ---------------------------------------------------------------------


def _pieces(text: str, edits: list[_Edit]) -> list[str]:
    pieces: list[str] = []
    parts: list[str] = []
    position = 0
    for start, end, does in sorted(edits):
        if start < position:
            continue  # a semicolon before the space that a break has removed
        parts.append(_lowered(text[position:start]))
        position = end
        if does is _Does.STAYS:
            parts.append(text[start:end])
        elif does is _Does.BREAKS:
            pieces.append(join(parts))
            parts.clear()
    parts.append(_lowered(text[position:]))
    pieces.append(join(parts))
    return _trimmed(pieces)


def _trimmed(pieces: list[str]) -> list[str]:
    """*pieces* without the space around breaks, and without blank ones."""
    if len(pieces) == 1:
        return pieces
    first, *between, last = pieces
    trimmed = [
        first.rstrip(WHITESPACE),
        *(piece.strip(WHITESPACE) for piece in between),
        last.lstrip(WHITESPACE),
    ]
    return [piece for piece in trimmed if piece] or [""]


def _lowered(text: str) -> str:
    return text if text == text.lower() else substituted(_WORD, _lowered_word, text)


def _lowered_word(match: re.Match[str]) -> str:
    word = match.group()
    lower = word.lower()
    grows = len(lower) > len(word)  # "İ" becomes two characters, and the message must not become too long
    return word if grows or word.isupper() or lower in _SHORTHAND else lower
