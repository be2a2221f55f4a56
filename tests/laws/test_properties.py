"""The ten things that hold for whatever a model writes, at every degree and with messages short and long.

What comes out is judged by the small reader in ``nasty.py``, never by the code that made it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from itertools import count, pairwise
from random import Random
from typing import Any

import pytest
from hypothesis import example, given, settings, strategies as st

from cadenza.replies.pipeline import text_row
from cadenza.settings import BufferSettings, Settings
from cadenza.stages.s5_buffer import Buffer
from cadenza.types import Ending, Persona, Post, Scene, Segment
from tests.helpers import Dice
from tests.laws.material import messages, numbered_words, play
from tests.laws.nasty import (
    DEGREES,
    FAMILY,
    LIMITS,
    QUOTE_PAIRS,
    grapheme_edges,
    ink,
    is_empty_block,
    is_punctuation,
    leaves_code_open,
    nasty,
    plain,
    rows_of,
    utf16,
)

pytestmark = pytest.mark.timeout(7200)  # `make soak` takes its time

thorough = settings(max_examples=max(300, settings().max_examples))
degrees = st.sampled_from(DEGREES)
limits = st.sampled_from(LIMITS)
endings = st.sampled_from(list(Ending))
ends = st.sampled_from([end for end in Ending if end is not Ending.FILE])  # a file ends no open code


# --- P1, P3 and P5 of whatever is written ---------------------------------------------------


@thorough
@given(nasty(), degrees, limits)
@example("`a``", 0, 50)
@example("``a`", 1, 50)
@example("`<think></think>``", 1, 50)
def test_p01_p03_p05_every_message_can_be_sent_closes_its_code_and_says_something(
    text: str, degree: int | None, limit: int
) -> None:
    """Every message has something in it, is no longer than the limit and than 2000, and is valid Unicode.

    None leaves a code block open, and none is blank or an empty code block.
    """
    for message in messages(text, degree=degree, limit=limit):
        message.encode("utf-8")
        assert 0 < utf16(message) <= limit
        assert len(message) <= 2000
        assert not leaves_code_open(message), message
        assert ink(message)
        assert not is_empty_block(message)


# --- P2: what is said arrives, in order -----------------------------------------------------

# Every word is numbered and occurs once; there is no other "w" or digit. What a part of a cut block repeats (its first
# lines) holds no word, and no frame makes a fence of two that meet.
_WORDS = [
    *("{} ", "{}\n", "{}\n\n", "{}. ", "{}.\n", "{}! ", "{}, ", "{}; ", "{}。", "{}… ", "{}\n...\n", "{}\n!\n{} ", "{}" * 30),
    *("`{}` ", "`{}\n", "[{}](https://e.org/{}_({})) ", "https://e.org/{}?{} ", "<https://e.org/{}> ", "<{}> ", "{} " * 60),
    *("- {}\n  - {}\n    - {}\n", "> {}\n> {}\n", ">>> {}\n", "# {}\n", "-# {}\n", "\na | b\n---|---\n{} | {}\n"),
    *("\n```py\n{}\n\n    {}\n```\n", "\n````\n```\n{}\n```\n{}\n````\n", "\n~~~\n{}\n\n  {}\n~~~\n", "```{}```", "{} :( "),
    *("\n| a | b |\n|---|---|\n| {} | {} |\n", "\n```c++ title='x'\n" + "{}\n" * 40 + "```\n", '{}" ', "<t:{}", "\\*{} "),
]  # fmt: skip
_AROUND = [
    *("**{}** ", "*{}* ", "__{}__ ", "_{}_ ", "(~~{}~~) ", "||{}|| ", "({}) ", '"{}" ', *("{}".join(pair) for pair in QUOTE_PAIRS)),
    *("**{}", "*{}", "(~~{}", "||{}", "({}", '"{}', "「{}", "{})", "{}」", "{}**", "[{}", "{}](", "> {}", "\n{}\n", FAMILY + "{}"),
]  # fmt: skip


_PARTS = st.one_of(rows_of(_WORDS, min_size=least, max_size=24) for least in (1, 12))
_FRAMES = st.lists(st.tuples(st.integers(0, 20), st.integers(1, 6), st.sampled_from(_AROUND)), max_size=6)


@st.composite
def _numbered(draw: st.DrawFn) -> str:
    parts = draw(_PARTS)
    for start, length, frame in draw(_FRAMES):
        parts[start : start + length] = [frame.replace("{}", "".join(parts[start : start + length]))]
    numbers = count(1)
    return re.sub(r"\{\}", lambda _: f"w{next(numbers)}", "".join(parts))


@thorough
@given(_numbered(), degrees, limits, st.sampled_from([1000, 50]))
def test_p02_every_word_arrives_once_and_in_order(text: str, degree: int | None, limit: int, overflow: int) -> None:
    """However the Markdown around them is nested or broken, the numbered words come out as they went in."""
    arrived = "".join(messages(text, degree=degree, limit=limit, overflow=overflow, code_overflow=4 * overflow))

    assert numbered_words(text) == numbered_words(arrived)


_HARMLESS = [
    *("word", "Two words", "3.14", "日本語", FAMILY, "e\u0301", "العربية", " ", ". ", ", ", "! ", "? ", "; ", ": ", "。", "、"),
    *("\n", "\n\n", "...", "…", " - ", "\n- ", "\n1. ", ":)", ":(", "'", "\n!\n", "a" * 70, "a b " * 40),
]  # fmt: skip


@thorough
@given(rows_of(_HARMLESS, max_size=60).map("".join), degrees, limits, st.sampled_from([1000, 50]))
def test_p02_every_mark_arrives_too(text: str, degree: int | None, limit: int, overflow: int) -> None:
    """Where nothing is closed and opened again, every character but space arrives; at degree 3 bar its stops."""
    arrived = "".join(messages(text, degree=degree, limit=limit, overflow=overflow))

    assert (plain(text) == plain(arrived)) if degree == 3 else (ink(text) == ink(arrived))


# --- P3: code blocks are closed and whole ---------------------------------------------------


_CODE_LINES = [
    *("", "x = 1", "    if y:", "\t\treturn", "`a` ``b``", "((( [", "<think>", "</think>", "| a | b |", "> -# 日本語"),
    *("x" * size for size in (9, 10, 11, 12, 13, 20, 24, 25, 26, 27)),
]  # fmt: skip


def _code() -> st.SearchStrategy[list[str]]:
    lines = rows_of(_CODE_LINES, min_size=1, max_size=40).filter(any)
    return st.builds(lambda lines, times: lines * times, lines, st.sampled_from([1, 1, 3, 12]))


@thorough
@given(
    _code(),
    st.sampled_from(["```", "```py", "```c++", "```objective-c", '```c++ title="x"', "````", '````c++ title="x"']),
    degrees,
    limits,
    st.sampled_from([15_000, 200]),
)
def test_p03_a_cut_code_block_keeps_every_line(
    lines: list[str], opening: str, degree: int | None, limit: int, overflow: int
) -> None:
    """Every part repeats the whole first line and closes; together they hold each line, blank and indented ones too.

    Only between two parts may blank lines be missing: a part of nothing else would be an empty message.
    """
    fence = "````" if opening.startswith("````") else "```"
    if fence == "````":
        lines = [line for code in lines for line in ("```", code)]
    block = "\n".join([opening, *lines, fence])

    for message in messages(block, degree=degree, limit=limit, code_overflow=overflow, rules_off=("long_fences",)):
        assert message.endswith(f"\n{fence}")
        for part in message.removesuffix(f"\n{fence}").split(f"\n{fence}\n"):
            first, *body = part.split("\n")
            assert opening == first
            while lines and not lines[0] and lines[: len(body)] != body:
                del lines[0]
            assert lines[: len(body)] == body
            del lines[: len(body)]
    assert not any(lines)


# --- P4: what people see as one character stays one -------------------------------------------

# All lower-case, so that degree 3 has nothing to do.
_SEEN = [
    *(FAMILY, "🇯🇵", "👍🏽", "❤️", "1️⃣", "e\u0301", "o\u0308\u0323", "क्षि", "ไทย", "العربية", "日", "本。", "a", "ab ", " ", "\n"),
]  # fmt: skip


@thorough
@given(rows_of([(seen, times) for seen in _SEEN for times in (1, 1, 2, 9, 60)], max_size=30), degrees, limits)
def test_p04_no_character_is_cut(seen: list[tuple[str, int]], degree: int | None, limit: int) -> None:
    """Every message begins and ends where, in the text itself, a character begins and ends."""
    text = "".join(character * times for character, times in seen)
    edges = grapheme_edges(text)
    places = [place for place, character in enumerate(text) if plain(character)]
    position = 0

    for message in messages(text, degree=degree, limit=limit):
        length = len(plain(message))
        assert plain(message) == "".join(text[place] for place in places[position : position + length])
        assert places[position] in edges
        position += length
        assert places[position - 1] + 1 in edges


# --- P5: every message says something -----------------------------------------------------------


_LINES = [
    *("word", "Two words.", "- item", "# Title", "「はい」", "!", "!!", "?", "...", "…", ".", ",", "?!", "!!!", "。", "", ""),
]  # fmt: skip


@thorough
@given(rows_of(_LINES, max_size=14), degrees, limits)
def test_p05_no_message_is_only_punctuation(lines: list[str], degree: int | None, limit: int) -> None:
    """Marks on a line of their own join a neighbour.

    They cannot stand in front of what shapes its line by its first character, and at the end there may be none left.
    A short "!" or "?!" says something by itself.
    """
    for message, following in pairwise(messages("\n".join(lines), degree=degree, limit=limit)):
        says_nothing = is_punctuation(message) and not (len(message) < 3 and set("!?") & set(message))
        assert not says_nothing or following.startswith(("- ", "# "))


@pytest.mark.parametrize("degree", [1, 2, 3])
@pytest.mark.parametrize("marks", ["!!!", "?…", "...", "."])
@pytest.mark.parametrize("block", ["```py\nx\n```", "| a | b |\n|---|---|\n| x | y |\n"], ids=["code", "table"])
def test_p05_marks_behind_a_block_join_what_follows(block: str, marks: str, degree: int | None) -> None:
    """Nothing can be put behind a code block or a table, so marks that stand there go in front of the next words."""
    arrived = messages(f"{block}\n{marks}\nwords", degree=degree)

    assert ink(marks + "words") == ink(arrived[-1])


# --- P6: what belongs together stays together ---------------------------------------------------

_MARKS = ["**", "*", "***", "__", "_", "~~", "||"]
_PAIRS = ["()", '""', *QUOTE_PAIRS]


_LIKE_IT = ["", " `a.b`", " ~~no. way~~", " (so. it)", " **b. c**", " [e. f](https://e.org)"]


@dataclass(frozen=True, slots=True)
class _Span:
    """Something with a beginning and an end, sometimes with something like it inside."""

    words: int
    kind: str
    like_it: str
    choice: int
    """Which of the marks that do not stand in it already are put around it."""
    behind: str
    """What stands between it and the next one."""

    def text(self, room: int, *, line_end: bool) -> str:
        """It, about *room* long at most."""
        content = ("word " * self.words + "end")[-max(3, room - 30) :].lstrip()
        if line_end:
            content = content.replace(" ", "\n", 1)
        if self.kind == "link":
            return f"[{content}](https://e.org/a_(b))"
        if self.kind == "code":
            return f"`{content}`"
        content += self.like_it
        if self.kind == "mark":  # a single underscore is not waited for over a line end
            marks = [mark for mark in _MARKS if mark[0] not in content and not (mark == "_" and line_end)]
            return content.join([marks[self.choice % len(marks)]] * 2)
        pairs = [pair for pair in _PAIRS if pair[0] not in content]
        return content.join(pairs[self.choice % len(pairs)])


_BETWEEN = [" ", " and. Then ", "\n", "\n\n", ".\n", " words " * 9, ", ", "! ", "。", "\n- ", "\n> ", " so " * 100]


def _spans_in_text(kinds: Sequence[str], *, line_end: bool) -> st.SearchStrategy[tuple[int, list[str], str]]:
    """A limit, spans that are shorter than it, and a text that holds them."""
    span = st.builds(
        _Span,
        st.sampled_from([1, 2, 5, 20, 90]),
        st.sampled_from(kinds),
        st.sampled_from(_LIKE_IT),
        st.integers(0, len(_MARKS) * len(_PAIRS) - 1),
        st.sampled_from(_BETWEEN),
    )
    return st.builds(partial(_around, line_end=line_end), limits, st.lists(span, min_size=1, max_size=8))


def _around(limit: int, drawn: Sequence[_Span], *, line_end: bool) -> tuple[int, list[str], str]:
    """*limit*, those of the spans that fit into a message, and a text that holds them."""
    written = [(span.text(min(limit - 1, 480), line_end=line_end), span.behind) for span in drawn]
    fitting = [(text, behind) for text, behind in written if len(text) < limit - 2]  # a quote mark may stand in front
    text = "Begin " + "".join(map("".join, fitting)) + " and so it ends."
    return (
        limit,
        [span for span, _ in fitting],
        text.replace('。"', '。 "'),
    )  # it opens only behind a space or a bracket


def _assert_whole(spans: Sequence[str], arrived: Sequence[str], degree: int | None) -> None:
    """Each of *spans* stands in one message, in their order."""
    look = plain if degree == 3 else (lambda text: re.sub(r"\s+", " ", text))
    left = iter(map(look, arrived))
    current = next(left, "")
    for span in spans:
        while look(span) not in current:
            following = next(left, None)
            assert following is not None, span
            current = following
        current = current.split(look(span), 1)[1]


@thorough
@given(_spans_in_text(["mark", "pair", "link", "code"], line_end=False), degrees)
def test_p06_no_span_is_cut_that_fits_into_a_message(given_: tuple[int, list[str], str], degree: int | None) -> None:
    limit, spans, text = given_

    _assert_whole(spans, messages(text, degree=degree, limit=limit), degree)


@thorough
@given(_spans_in_text(["mark", "pair"], line_end=True), degrees)
def test_p06_nor_one_with_a_line_end_in_it(given_: tuple[int, list[str], str], degree: int | None) -> None:
    limit, spans, text = given_

    _assert_whole(spans, messages(text, degree=degree, limit=limit), degree)


@thorough
@given(_spans_in_text(["code"], line_end=True), degrees)
def test_p06_nor_code_with_a_line_end_in_it(given_: tuple[int, list[str], str], degree: int | None) -> None:
    limit, spans, text = given_

    _assert_whole(spans, messages(text, degree=degree, limit=limit), degree)


# --- P7: what is said aloud is not hidden ---------------------------------------------------------

_ALOUD = [
    *("{v} ", "{v}\n", "{v}\n\n", "{v}. ", "- {v}\n", "**{v}** ", "({v} ", '"{v}\n', "`<think> {v}` ", "<thoughts>{v} "),
    *("```\n<think>{v}</think>\n</think>\n```\n", "```py\n<details>\n{v}\n</details>\n```\n", "<thi {v} ", "< {v} "),
    *("<DETAILS>{v} ", "</details>{v} "),
]  # fmt: skip
_HIDDEN = [
    *("<think>{h}</think>", "<think>\n{h}\n\n{h}</think>\n", "<x:think>{h}</y:THINK>", "<think>```\n{h}</think>"),
    *("<details>{h}</details>", '<details open="">{h} <think> {h}</details>\n', "<details><summary>s</summary>({h}</details>"),
]  # fmt: skip


def _words(text: str, letter: str) -> list[str]:
    return re.findall(rf"{letter}\d+", text)


def _filled(frames: Sequence[str]) -> str:
    numbers = count(1)
    return re.sub(r"\{([vh])\}", lambda match: f"{match[1]}{next(numbers)}", "".join(frames))


@thorough
@given(rows_of(_ALOUD + _HIDDEN, max_size=30).map(_filled), degrees, limits, st.integers(0, 99))
def test_p07_only_hidden_blocks_are_hidden(text: str, degree: int | None, limit: int, seed: int) -> None:
    """Words outside hidden blocks are said, words inside are kept aside, all in their order."""
    result = play(text, how=f"random:{seed}", degree=degree, limit=limit)
    said = "".join(post["text"] for post in result["posts"])

    assert _words(text, "v") == _words(said, "v")
    assert not _words(said, "h")
    assert not _words("".join(result["thoughts"] + result["details"]), "v")
    assert sorted(_words(text, "h")) == sorted(_words("".join(result["thoughts"] + result["details"]), "h"))


@thorough
@given(
    rows_of(["{v} ", "{v}\n", "({v} ", "**{v}\n", "{v}\n\n"], max_size=20),
    rows_of(_ALOUD, max_size=20),
    degrees,
)
def test_p07_a_lone_end_of_a_thought_hides_only_what_stood_before(
    before: list[str], after: list[str], degree: int | None
) -> None:
    """Of the words before a stray close some have been said and the rest is a thought; all after it are said."""
    text = _filled([*before, "</think>", *after])
    result = play(text, degree=degree)
    said = _words("".join(post["text"] for post in result["posts"]), "v")
    early = len(said) - len(after)

    assert _words(text, "v") == said[:early] + _words("".join(result["thoughts"]), "v") + said[early:]


# --- P8: slices do not matter ---------------------------------------------------------------------


@thorough
@given(nasty(), degrees, limits, st.sampled_from(["final", "tool", "stop", "follow_up"]), st.integers(0, 2**32))
@example("~~~\n" + "a" * 1950 + "\n~~~\n", 1, 1950, "final", 0)
@example("a||a\n-|-|-\n|\n" + "a" * 1950 + "|", 1, 1950, "final", 0)
@example(">>> \n" + " " * 32 + "a\n", 1, 1950, "final", 0)
def test_p08_slices_do_not_matter(text: str, degree: int | None, limit: int, end: str, seed: int) -> None:
    """Whole, letter by letter and at random: the same messages, the same pauses, the same thoughts."""
    options: dict[str, Any] = {"degree": degree, "limit": limit, "end": end}
    whole = play(text, **options)

    assert whole == play(text, how="chars", **options)
    assert whole == play(text, how=f"random:{seed}", **options)


# --- P9: nothing is held for ever -----------------------------------------------------------------


def _prose(text: str) -> str:
    """*text* with nothing in it that changes how many characters there are: blocks, tables, lines that are joined."""
    text = re.sub("``+|~~+|(?i:think|details)|[|][ :-]|[>#]", "so", text.replace("\r", "\n"))
    return text.strip("`~") or "so "


@thorough
@given(
    nasty(max_bits=12).map(_prose),
    st.sampled_from(["", "(", "「", "**", "[", "[a](", "`", "https://e.org/"]),
    st.sampled_from([1000, 50, 100]),
    st.sampled_from([1950, 0, 60, 200]),
    st.booleans(),
)
def test_p09_what_waits_has_a_bound(text: str, opener: str, overflow: int, hold: int, sentences: bool) -> None:  # noqa: FBT001
    """At no time does more wait than the settings say: what may overflow, and what is looked for behind it."""
    text = (opener + text) * (1 + 6000 // len(opener + text))
    buffer = Buffer(BufferSettings(overflow=overflow, hold=hold), sentences=sentences)
    left = 0

    for start in range(0, min(len(text), 9000), 9):
        left += sum(len(item.text) for item in buffer.feed(text[start : start + 9]) if isinstance(item, Segment))
        assert start + 9 - left <= overflow + 200 + 2 * hold + 500


@thorough
@given(_code(), st.sampled_from(["```", "```c++ title", "````"]), st.sampled_from([200, 1000]))
def test_p09_so_has_code_that_waits(lines: list[str], opening: str, overflow: int) -> None:
    """Of a code block no more waits than its own setting says, and a line."""
    buffer = Buffer(BufferSettings(code_overflow=overflow))
    fed = left = 0

    buffer.feed(opening + "\n")
    for line in lines * 9:
        fed += line.count("x")
        left += sum(item.text.count("x") for item in buffer.feed(line + "\n") if isinstance(item, Segment))
        assert fed - left <= overflow


@thorough
@given(nasty(max_bits=4), st.sampled_from([1, 2, 3]), st.sampled_from(["", "(", "**", "「", "||", "[", "`"]))
def test_p09_the_same_over_and_over_does_not_wait_for_its_end(text: str, degree: int | None, opener: str) -> None:
    """However dull a reply is, its messages keep coming."""
    endless = opener + (text * (6000 // max(1, len(text))))[:6000]
    row = text_row(
        Scene("", Persona("")),
        Settings.of(degree=degree, code_overflow=2000, tables="source", flood_limit=1_000_000),
        Random(0),
    )

    row.feed(endless)

    rest = sum(len(item.text.replace("\\`", "`")) for item in row.flush(Ending.FINAL) if isinstance(item, Post))
    assert rest <= 4700 + 1950  # what waits for its mark, and a message that a line may still fill


# --- P10: a flush leaves nothing ------------------------------------------------------------------


@thorough
@given(nasty(), nasty(), ends, degrees)
@example("(a", "b) c\nd", Ending.FINAL, 1)
def test_p10_a_flush_leaves_nothing(first: str, second: str, why: Ending, degree: int | None) -> None:
    """After a flush a second one gives nothing, and the next reply is read as if it were the first."""
    used, fresh = (Buffer(sentences=degree == 3) for _ in range(2))
    used.feed(first)
    used.flush(why)

    assert [] == list(used.flush(why))
    assert (list(used.feed(second)), list(used.flush(why))) == (list(fresh.feed(second)), list(fresh.flush(why)))


@thorough
@given(nasty(), nasty(), ends, st.sampled_from([0, 1, 2, 3]), limits)
def test_p10_nor_do_the_stages_behind(first: str, second: str, why: Ending, degree: int | None, limit: int) -> None:
    """No rule and no composer keeps a word of one reply for the next.

    Without a degree it remembers that the first message has left: later ones need not be as quick.
    """
    values = Settings.of(degree=degree, limit=limit, flood_limit=1_000_000)
    used, fresh = (text_row(Scene("", Persona("")), values, Dice(0.5)) for _ in range(2))
    used.feed(first)
    used.flush(why)

    assert [] == used.flush(why)
    rows = [[getattr(item, "text", item) for item in row.feed(second) + row.flush(why)] for row in (used, fresh)]
    assert rows[0] == rows[1]
