"""Markdown as nobody should write it, and a small reader of our own to look at what comes out.

The reader shares no code with the scanner in ``cadenza.text``: a mistake there must not hide itself here.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from itertools import islice
from typing import TypeVar

import regex
from hypothesis import strategies as st

T = TypeVar("T")

DEGREES = (0, 1, 2, 3, None)
"""Every degree, and none, which is the shape ``blocks``."""
LIMITS = (50, 120, 1950)
QUOTE_PAIRS = ("「」", "『』", "｢｣", "«»", "‹›", "“”", "〈〉", "《》", "（）")
FAMILY = "👨‍👩‍👧‍👦"

BITS: list[str] = [
    *("\n", "\n\n", "\n\n\n", " ", "  ", "\t", "\r\n", "\r", "\u3000", "\u00a0", "\u2028"),
    *("word ", "Two words. ", "a", "B", "7", "\\", "\\*", "\\`", "x * y", "a_b_c", "it's ", 'xx" ', ":(", ":)", "<3 "),
    *("`", "``", "```", "````", "``````", "~~~", "```py\n", "\n```\n", '```c++ title="x"\n', "````md\n", "\n````\n"),
    *("\n~~~\n", "`code`", "``a`b``", "`" * 70, "*", "**", "***", "_", "__", "~~", "||", "|", "*" * 70, "_" * 70),
    *("(", ")", "[", "]", "{", "}", "](", '"', "'", *"".join(QUOTE_PAIRS)),
    *("\n> ", "\n>>> ", "\n> > ", "\n- ", "\n  - ", "\n    * ", "\n1. ", "\n10) ", "\n# ", "\n### ", "\n-# ", "\n-#\n"),
    *("\n---\n", "\n| a | b |\n|---|:-:|\n| x | y |\n", "\na | b | c\n---|---|---\n1 | 2 | 3\n", "\n| a |\n", "|---|\n"),
    *("[link](https://e.org/a_(b)) ", "https://e.org/a_(b)?c=d ", "<https://e.org/x> ", "http", "://", "[a](b", "ftp://e"),
    *("<@123456789012345678> ", "<@&1>", "<#1>", "<:soup:123456789012345678>", "<a:wave:1>", "<t:1700000000:R>", "</ban:1>"),
    *("<think>", "</think>", "<ns:think>", "</ns:think>", "<think>hm</think>", "`<think>`", "<thi", "nk>", "</", "<", ">"),
    *("<details>", '<details open="">', "</details>", "<summary>s</summary>", "<details><summary>s</summary>d</details>"),
    *(".", ". ", "! ", "? ", ", ", "; ", "...", "…", "\n...\n", "\n!!\n", "\n. ", "Dr. ", "No. 5", "3.14", "U.S. ", "?! "),
    *("日本語。", "はい、そう", "（笑）", "한국어 ", "العربية، ", "עברית ", "नमस्ते ", "ไทย", "\u202eback\u202c", "\u061c"),
    *(FAMILY, "🇯🇵", "👍🏽", "❤️", "1️⃣", "e\u0301", "o\u0308\u0323", "\u200d", "\ufe0f", "\ufeff", "\u0600", "क्षि"),
    *("\x00", "\x1b[31m", "\ud83d", "\ude00", "\ufffd", "\ue000", "$&", "__URL_0__"),
]  # fmt: skip

_FRAMES = [
    *("**{}**", "*{}*", "***{}***", "_{}_", "__{}__", "~~{}~~", "||{}||", "`{}`", "``{}``", "({})", "[{}](https://e.org)"),
    *('"{}"', *("{}".join(pair) for pair in QUOTE_PAIRS), "\n> {}\n", "\n>>> {}", "\n# {}\n", "\n- {}\n  - {}\n"),
    *("\n```py\n{}\n```\n", "\n````\n{}\n````\n", "\n~~~\n{}\n~~~\n", "\n| {} | b |\n|---|---|\n| x | {} |\n", "<{}>"),
    *("<think>{}</think>", "<details>{}</details>", "\n-# {}\n", "**{}", "({}", "「{}", "`{}", "\n```\n{}", "[{}](https://e.org/("),
    *("$x^2{}$", "\\(x = {}\\)", "\n\\[\n\\alpha{}\n\\]\n", "\n$$\n{} = 1\n$$\n", "${}", "\\({}", "\\[{}", "$${}"),
]  # fmt: skip

LONG: list[str] = [
    *("a" * 300, "x" * 2600, "lorem ipsum dolor " * 150, "長い文" * 800, "語。" * 300, FAMILY * 90, "e" + "\u0301" * 90),
    *("word\n" * 90, "- item\n" * 90, "\n```py\n" + "    x = 1\n\n" * 90 + "```\n", "https://e.org/" + "y" * 2600),
    *("**" + "bold " * 500 + "**", "| a | b |\n|---|---|\n" + "| x | y |\n" * 90, "." * 300, " " * 300, "!\n" * 90),
    *("\n~~~py\n" + "    x = 1\n\n" * 200 + "~~~\n", "\na | b | c\n---|---|---\n1 | " + "y" * 2000 + " | 3\nend", "\n>>> \n" + " " * 40 + "a\n"),
]  # fmt: skip
_ENDLESS = ["z" * 15_500, "no end " * 2300, "\n```\n" + "code\n" * 3200, "語" * 15_500, "(" + "so \n" * 4000]


_FIRST_LETTER = 0xF0000  # of those that Unicode leaves to whoever wants them: no text is made of them


def rows_of(bits: Sequence[T], *, min_size: int = 0, max_size: int) -> st.SearchStrategy[list[T]]:
    """Lists of *bits*, drawn as one word whose letters stand for them.

    They are as long and as mixed as ``st.lists(st.sampled_from(bits))`` makes them, for a fifth of what that costs.
    """
    assert len(bits) <= 256, "of a larger alphabet Hypothesis draws the first 256 letters more often than the others"
    letters = "".join(map(chr, range(_FIRST_LETTER, _FIRST_LETTER + len(bits))))
    words = st.text(letters, min_size=min_size, max_size=max_size)
    return words.map(lambda word: [bits[ord(letter) - _FIRST_LETTER] for letter in word])


@cache
def _characters(count: int) -> st.SearchStrategy[str]:
    return st.text(min_size=count, max_size=count)


@st.composite
def with_characters(draw: st.DrawFn, rows: st.SearchStrategy[list[str | int]]) -> list[str]:
    """*rows* with so many characters of any kind where they have a number.

    Where it is below zero there stands again what stood so many places before: by itself the same thing, of so many,
    hardly ever comes twice.
    """
    row = draw(rows)
    characters = iter(draw(_characters(sum(bit for bit in row if isinstance(bit, int) and bit > 0))))
    written: list[str] = []
    for bit in row:
        match bit:
            case str():
                written.append(bit)
            case int() if bit > 0:
                written.append("".join(islice(characters, bit)))
            case _:
                written.append(written[bit] if -bit <= len(written) else "")
    return written


# More than a quarter of what is drawn are characters of any kind, and a twentieth is what was there before.
_BITS_AND_TEXTS: list[str | int] = [*BITS, *list(range(1, 7)) * (len(BITS) // 14), *(-1, -1, -2, -2, -3, -4) * 2]

# What is drawn from is made once: to make a strategy anew for each text costs more than to draw from it.
_SIZES = st.sampled_from([None] * 40 + [st.sampled_from(LONG)] * 9 + [st.sampled_from(_ENDLESS)])
_CUTS = st.sampled_from([(front, back) for front in (0, 0, 1, 5) for back in (0, 0, 1, 7)])


@cache
def _rows(max_bits: int) -> st.SearchStrategy[list[str]]:
    sizes = (0, max_bits // 2)
    return with_characters(st.one_of(rows_of(_BITS_AND_TEXTS, min_size=size, max_size=max_bits) for size in sizes))


@cache
def _numbers(most: int) -> st.SearchStrategy[int]:
    return st.integers(0, most)


@cache
def _frames(max_bits: int) -> st.SearchStrategy[list[tuple[int, int, str]]]:
    return st.lists(st.tuples(_numbers(max_bits), _numbers(6), st.sampled_from(_FRAMES)), max_size=4)


@st.composite
def nasty(draw: st.DrawFn, max_bits: int = 24) -> str:
    """Markdown that is nested, unbalanced and cut anywhere, in many scripts, now and then without end."""
    bits = draw(_rows(max_bits))
    for start, count, around in draw(_frames(max_bits)):
        bits[start : start + count] = [around.replace("{}", "".join(bits[start : start + count]))]
    long = draw(_SIZES)
    if long is not None:
        bits.insert(draw(_numbers(len(bits))), draw(long))
    front, back = draw(_CUTS)
    text = "".join(bits)
    return text[front : max(front, len(text) - back)]


# --- the reader -----------------------------------------------------------------------------

_DISCORDS_BLOCK = re.compile(r"```\n*[^\n].*?```", re.DOTALL)
_READINGS = [re.compile("`{3,}"), re.compile(r"\\[^\w\s]|`{3,}")]
# What stands behind the opening marks is shown as code if there is nothing else, so then it is not empty.
_EMPTY_BLOCK = re.compile(r"\s*(?:(`{3,})\s*\1`*|`{6,})")
_QUOTE_MARKS = re.compile("^>+ ?", re.MULTILINE)
_SPACE = re.compile("[\t-\r \u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000\ufeff]+")
_PUNCTUATION = frozenset(".,!?;:。！？、，")


def leaves_code_open(message: str) -> bool:
    """Whether a code block is open at the end, whether or not a backslash in front of a backtick is an escape.

    For Discord the next three backticks close a block, and the three after them open another.
    """
    return "```" in _DISCORDS_BLOCK.sub("", message) and all(_ends_in_code(message, opening) for opening in _READINGS)


def _ends_in_code(message: str, opening: re.Pattern[str]) -> bool:
    """Read on from one block to the next: no fewer backticks close it than opened it, six open and close at once."""
    position = 0
    while mark := opening.search(message, position):
        position, run = mark.end(), mark.group()
        if run[0] == "\\" or len(run) >= 6:
            continue
        closing = re.compile(f"`{{{len(run)},}}").search(message, position)
        if closing is None:
            return True
        position = closing.end()
    return False


def is_empty_block(message: str) -> bool:
    """Whether *message* is a code block with nothing in it."""
    inside = _QUOTE_MARKS.sub("", message) if message.startswith(">") else message
    return _EMPTY_BLOCK.fullmatch(inside) is not None


def is_punctuation(message: str) -> bool:
    """Whether there is nothing in *message* but marks that end or divide a sentence."""
    return set(ink(message)) <= _PUNCTUATION


def is_sound(message: str, limit: int) -> bool:
    """Whether *message* can be sent and says something: valid, short enough, not blank, and with its code closed."""
    message.encode("utf-8")
    fits = 0 < utf16(message) <= limit and len(message) <= 2000
    return fits and bool(ink(message)) and not is_empty_block(message) and not leaves_code_open(message)


def utf16(text: str) -> int:
    """How long *text* is for Discord."""
    return len(text.encode("utf-16-le", "surrogatepass")) // 2


def grapheme_edges(text: str) -> set[int]:
    """Every place in *text* that is not inside what people see as one character."""
    return {0} | {match.end() for match in regex.finditer(r"\X", text)}


def ink(text: str) -> str:
    """*text* without anything that a browser calls white space."""
    return _SPACE.sub("", text)


def plain(text: str) -> str:
    """*text* as far as degree 3 keeps it: no space, no case, and none of the marks that it may leave out."""
    return re.sub(r"[,;、，､；.。．｡]", "", ink(text).casefold())
