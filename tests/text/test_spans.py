from __future__ import annotations

from itertools import pairwise
from typing import SupportsIndex

import pytest
from hypothesis import given, strategies as st

from cadenza.text.spans import Find, Found, Scanner, Span, SpanKind, survey
from tests.helpers import calls_of, same_every_way

EMPHASIS, ENCLOSED, LINK, CODE, URL, TAG, MATH = SpanKind


def scanned(
    text: str, *, sentence_ends: bool = False, lone_words: bool = False, hold: int = 1950
) -> tuple[list[Find], Scanner]:
    """Scan *text* every way; what was found and the scanner at the end, all finds being those of any slicing."""
    scanners: list[Scanner] = []

    def run(pieces: list[str]) -> tuple[list[Find], list[Span], list[tuple[str, int]]]:
        scanner = Scanner(sentence_ends=sentence_ends, lone_words=lone_words, hold=hold)
        finds: list[Find] = []
        for piece in pieces:
            scanner.feed(piece)
            _follow(scanner, finds, final=False)
        _follow(scanner, finds, final=True)
        scanners.append(scanner)
        return finds, scanner.spans, [(opener.mark, opener.start) for opener in scanner.openers]

    finds, _, _ = same_every_way(text, run)
    return finds, scanners[0]


def _follow(scanner: Scanner, finds: list[Find], *, final: bool) -> None:
    while find := scanner.find(final=final):
        finds.append(find)
        if find.what is Found.BLOCK_TAG:
            scanner.position = find.end


def spans_of(text: str) -> list[tuple[SpanKind, str]]:
    _, scanner = scanned(text)
    spans = sorted(scanner.spans, key=lambda span: (span.start, -span.end))
    return [(span.kind, text[span.start : span.end]) for span in spans]


# --- what belongs together -------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a **b c** d", [(EMPHASIS, "**b c**")], id="bold"),
        pytest.param("*a* _b_ __c__ ~~d~~", [(EMPHASIS, mark) for mark in ("*a*", "_b_", "__c__", "~~d~~")], id="all"),
        pytest.param("***a** b*", [(EMPHASIS, "***a** b*"), (EMPHASIS, "**a**")], id="closed in two steps"),
        pytest.param("many **API**s here", [(EMPHASIS, "**API**")], id="closed inside a word"),
        pytest.param("„Ja“, sagte er", [(ENCLOSED, "„Ja“")], id="German quotes"),
        pytest.param("»Ja«, sagte er", [(ENCLOSED, "»Ja«")], id="inverted quotes"),
        pytest.param("«Oui», dit-il", [(ENCLOSED, "«Oui»")], id="French quotes"),
        pytest.param("**a *b* c**", [(EMPHASIS, "**a *b* c**"), (EMPHASIS, "*b*")], id="nested"),
        pytest.param("えっと*ため息*ね", [(EMPHASIS, "*ため息*")], id="no spaces in Japanese"),
        pytest.param("||a b|| c", [(EMPHASIS, "||a b||")], id="b39 spoiler"),
        pytest.param('he "says so" ok', [(ENCLOSED, '"says so"')], id="quote"),
        pytest.param("a (b (c) d) e", [(ENCLOSED, "(b (c) d)"), (ENCLOSED, "(c)")], id="brackets"),
        pytest.param("「a『b』」", [(ENCLOSED, "「a『b』」"), (ENCLOSED, "『b』")], id="Japanese quotes"),
        pytest.param("（全角）", [(ENCLOSED, "（全角）")], id="b39 full width brackets"),
        pytest.param("“a b” «c»", [(ENCLOSED, "“a b”"), (ENCLOSED, "«c»")], id="curly quotes and guillemets"),
        pytest.param('"a\nb" c', [(ENCLOSED, '"a\nb"')], id="b12 over two lines"),
        pytest.param("use `a(b` ok", [(CODE, "`a(b`")], id="code"),
        pytest.param("use ``a`b`` ok", [(CODE, "``a`b``")], id="code with a backtick in it"),
        pytest.param("[a](http://e.org/x) b", [(LINK, "[a](http://e.org/x)")], id="link"),
        pytest.param("[a](e.org/A_(b)) c", [(LINK, "[a](e.org/A_(b))")], id="b25 link with brackets in it"),
        pytest.param("see http://e.org/a.b?c=d#e ok", [(URL, "http://e.org/a.b?c=d#e")], id="address"),
        pytest.param("http://e.org/A_(b) ok", [(URL, "http://e.org/A_(b)")], id="b25 address with brackets"),
        pytest.param(
            "(http://e.org/A_(b))",
            [(ENCLOSED, "(http://e.org/A_(b))"), (URL, "http://e.org/A_(b)")],
            id="b25 address in brackets",
        ),
        pytest.param("<https://e.org/a> b", [(URL, "<https://e.org/a>")], id="b25 address in angles"),
        pytest.param(
            "**https://e.org/a**", [(EMPHASIS, "**https://e.org/a**"), (URL, "https://e.org/a")], id="b25 bold address"
        ),
        pytest.param(
            '"https://e.org/a"', [(ENCLOSED, '"https://e.org/a"'), (URL, "https://e.org/a")], id="b25 quoted address"
        ),
        pytest.param("http://e.org/a_b_c", [(URL, "http://e.org/a_b_c")], id="underscores in an address"),
        pytest.param("hi <@1> <:soup:123>", [(TAG, "<@1>"), (TAG, "<:soup:123>")], id="tags"),
        pytest.param("<t:1700000000:R>", [(TAG, "<t:1700000000:R>")], id="time"),
        pytest.param("use `a\nb` ok", [(CODE, "`a\nb`")], id="code over a line end"),
        pytest.param("_a b_ c", [(EMPHASIS, "_a b_")], id="italic with underscores"),
        pytest.param("*a*\ufe0f b", [(EMPHASIS, "*a*")], id="a key of a telephone closes"),
        pytest.param("[a](<https://e.org>) b", [(LINK, "[a](<https://e.org>)")], id="link with angles in it"),
        pytest.param(
            "http://e.org/a(b(c)) ok", [(URL, "http://e.org/a(b(c))")], id="address with brackets in brackets"
        ),
        pytest.param("http://e.org/a(b", [(URL, "http://e.org/a(b")], id="address with half a bracket"),
        pytest.param(
            "http://e.org/a_(b c) ok",
            [(URL, "http://e.org/a_"), (ENCLOSED, "(b c)")],
            id="brackets with a space in them are not the address's",
        ),
        pytest.param("http://e.org/a(b(c d", [(URL, "http://e.org/a")], id="nor is half of them"),
        pytest.param("[a\nb](c) d", [(LINK, "[a\nb](c)")], id="a link's text goes over a line end"),
        pytest.param("[a\n\nb](c) d", [(ENCLOSED, "(c)")], id="a link's text ends with its paragraph"),
        pytest.param("**a: ** b", [(EMPHASIS, "**a: **")], id="a wide mark closes behind a space"),
        pytest.param("*a: * b", [], id="a single one does not"),
        pytest.param("**a\nb: ** c", [], id="nor does a wide one on the next line"),
        pytest.param("**a **b\nc", [(EMPHASIS, "**a **")], id="marks that are even at the end of the line"),
        pytest.param("**a\n**b\nc", [], id="even marks on two lines"),
        pytest.param("_**a**_", [(EMPHASIS, "_**a**_"), (EMPHASIS, "**a**")], id="an underscore around other marks"),
        pytest.param('_"a." B._ c', [(EMPHASIS, '_"a." B._'), (ENCLOSED, '"a."')], id="an underscore around a quote"),
        pytest.param("_a http://e.org/b_ c", [(EMPHASIS, "_a http://e.org/b_"), (URL, "http://e.org/b")], id="and URL"),
        pytest.param("**a\n\nb** c", [(EMPHASIS, "**a\n\nb**")], id="emphasis over an empty line"),
        pytest.param('a "\\" b" c', [], id="a backslash in quotes"),
        pytest.param('a "\\"b\\" c" d', [(ENCLOSED, '"\\"b\\" c"')], id="quotes in quotes"),
        pytest.param("(a ||b) c|| d", [(ENCLOSED, "(a ||b)"), (EMPHASIS, "||b) c||")], id="a spoiler that overlaps"),
        pytest.param("http://e.org/a*b*", [(URL, "http://e.org/a*b*")], id="stars in an address"),
        pytest.param("a [b c] d", [(ENCLOSED, "[b c]")], id="square brackets"),
        pytest.param("http://[your-ip]/lr", [(ENCLOSED, "[your-ip]")], id="an address to fill in is none"),
    ],
)
def test_what_belongs_together_is_a_span(text: str, expected: list[tuple[SpanKind, str]]) -> None:
    assert expected == spans_of(text)


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("nice :) and ;)", id="b22 smileys"),
        pytest.param("a) one b) two", id="b22 list marks"),
        pytest.param('27" and 6" wide', id="b23 inches"),
        pytest.param("sad :( and :-( and =(", id="b23 sad faces"),
        pytest.param("2 * 3 * 4", id="product"),
        pytest.param("* item\n* item", id="bullets"),
        pytest.param("snake_case_name", id="identifier"),
        pytest.param("f***ing", id="stars in a word"),
        pytest.param("Best* deal* ever", id="footnote"),
        pytest.param("a*b*c", id="stars between letters"),
        pytest.param("やだ~~w", id="tildes in a word"),
        pytest.param("a ~ b ~ c", id="single tildes"),
        pytest.param("a || b || c", id="or"),
        pytest.param(r"\*a\* \`b\` \{c\}", id="escaped"),
        pytest.param("`a\n\nb`", id="code does not cross an empty line"),
        pytest.param("[a (b", id="no link"),
        pytest.param("it's a dog's life", id="apostrophes"),
        pytest.param("key: value http: x", id="colons"),
        pytest.param("a < b > c <foo> <3", id="angles"),
        pytest.param("b29 <:so up:1> <@bob>", id="b29 no tags"),
        pytest.param("^_^ and >_< and T_T", id="faces"),
        pytest.param("[a](<b", id="half a tag in half a link"),
        pytest.param("~~~ a ~~~", id="three tildes on one line"),
    ],
)
def test_marks_that_mean_nothing_are_text(text: str) -> None:
    assert spans_of(text) == []


# --- what is held ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "start"),
    [
        pytest.param("a *sigh, fine", 2, id="star"),
        pytest.param("**still", 0, id="bold"),
        pytest.param("a ~~gone", 2, id="strike"),
        pytest.param("えっと*ため息", 3, id="in Japanese"),
        pytest.param("a) (b", 3, id="b22 an orphan does not hide an opener"),
        pytest.param('say "a b', 4, id="quote"),
        pytest.param("“a", 0, id="curly quote"),
        pytest.param("a ||b", 2, id="spoiler"),
        pytest.param("(a (b) c", 0, id="the outer one"),
    ],
)
def test_an_opener_holds_from_where_it_stands(text: str, start: int) -> None:
    _, scanner = scanned(text)

    assert start == scanner.held_from()
    assert scanner.is_inside(start + 1)
    assert not scanner.is_inside(start)
    assert start == scanner.outside(len(text))


@pytest.mark.parametrize(
    "text",
    [
        "nice :)",
        "2 * 3",
        "* item",
        "Best* deal",
        "f***ing",
        ":* ok",
        "*_* wow",
        "a*b",
        "やだ~~w",
        "use `*args`",
        '27"',
        ":(",
        "[a] b",
        "a_b",
        "^_^ a",
        "-_- a",
        "*\ufe0f\u20e3 key",
        "||a||",
        "(a) b",
    ],
)
def test_what_needs_no_closing_holds_nothing(text: str) -> None:
    _, scanner = scanned(text)

    assert len(text) == scanner.held_from()


def test_b06_an_opener_that_does_not_close_in_time_was_text() -> None:
    finds, scanner = scanned("a (" + "b" * 30, hold=20)

    assert [Find(Found.RELEASED, 2, 22)] == finds
    assert scanner.held_from() == len(scanner.text)


def test_an_opener_that_closes_just_in_time_is_a_span() -> None:
    _, scanner = scanned("(" + "b" * 18 + ") c", hold=80)

    assert [Span(ENCLOSED, 0, 20)] == scanner.spans


def test_emphasis_is_waited_for_four_times_as_long() -> None:
    _, scanner = scanned("*" + "b" * 70 + "* c", hold=80)

    assert [Span(EMPHASIS, 0, 72, "*")] == scanner.spans


@pytest.mark.parametrize(
    ("hold", "closes"),
    [
        pytest.param(10, True, id="its last character is the last in reach"),
        pytest.param(9, False, id="one too far"),
    ],
)
def test_tildes_alone_on_their_line_open_a_block_if_it_closes_in_reach(hold: int, closes: bool) -> None:  # noqa: FBT001
    finds, _ = scanned("~~~\nx\n~~~\ny", hold=hold)

    assert closes is (Found.FENCE_CLOSE in [find.what for find in finds])


def test_an_opener_that_is_not_waited_for_any_more_may_still_close() -> None:
    finds, scanner = scanned("(" + "b" * 30 + ") c", hold=20)

    assert [Found.RELEASED] == [find.what for find in finds]
    assert [Span(ENCLOSED, 0, 32)] == scanner.spans


@pytest.mark.parametrize(
    ("text", "released"),
    [
        pytest.param("*a\n" + "b" * 30, True, id="a star that outlasts its line"),
        pytest.param("*a " + "b" * 30, False, id="a star on its line"),
        pytest.param("**a\n" + "b" * 30, False, id="two stars"),
        pytest.param("(a\n" + "b" * 30, True, id="a bracket that outlasts its line"),
        pytest.param("(a " + "b" * 30, False, id="a bracket on its line"),
    ],
)
def test_what_outlasts_its_line_is_not_waited_for_as_long(text: str, released: bool) -> None:  # noqa: FBT001
    finds, scanner = scanned(text, hold=80)

    assert released is (Found.RELEASED in [find.what for find in finds])
    assert released is (scanner.held_from() == len(text))


@pytest.mark.parametrize(
    ("address", "kind"),
    [
        pytest.param("c" * 70, LINK, id="longer than other brackets"),
        pytest.param("c" * 80, ENCLOSED, id="too long"),
        pytest.param("c " + "d" * 30, ENCLOSED, id="too long for one with a space in it"),
        pytest.param("c " + "d" * 10, LINK, id="a short one with a space in it"),
    ],
)
def test_an_address_without_a_space_is_waited_for_longer(address: str, kind: SpanKind) -> None:
    _, scanner = scanned(f"[a]({address}) b", hold=80)

    assert [kind] == [span.kind for span in scanner.spans]


def test_marks_that_open_too_deep_are_text() -> None:
    _, scanner = scanned("(" * 100 + "a" + ")" * 100)

    assert 0 < len(scanner.spans) < 100
    assert scanner.openers == []


def test_an_empty_line_ends_quotes_and_brackets() -> None:
    _, scanner = scanned('(a\n\nb) "c\n\nd" e')

    assert (scanner.spans, scanner.openers) == ([], [])


@pytest.mark.parametrize(("words", "spans"), [(40, 1), (60, 0)])
def test_emphasis_over_an_empty_line_closes_soon_or_never(words: int, spans: int) -> None:
    found = survey("**a\n\n" + "word and " * words + "b** c")

    assert spans == len(found.spans)


# --- what the scan stops for ---------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a\nb", [(Found.LINE_END, "\n")], id="line end"),
        pytest.param("a\n\nb", [(Found.LINE_END, "\n"), (Found.LINE_END, "\n")], id="empty line"),
        pytest.param("a\n.\nb", [(Found.LINE_END, "\n."), (Found.LINE_END, "\n")], id="b32 a stop is carried"),
        pytest.param("a\n!!\nb", [(Found.LINE_END, "\n!!"), (Found.LINE_END, "\n")], id="b32 a whole run is carried"),
        pytest.param("a\n\n ? b", [(Found.LINE_END, "\n\n ?")], id="over an empty line"),
        pytest.param("a\n...\nb", [(Found.LINE_END, "\n"), (Found.LINE_END, "\n")], id="b32 an ellipsis is not"),
        pytest.param("a\n..b", [(Found.LINE_END, "\n")], id="b32 nor are two dots"),
        pytest.param("a\n!help", [(Found.LINE_END, "\n")], id="nor a command"),
        pytest.param("a\n.env", [(Found.LINE_END, "\n")], id="nor a file"),
        pytest.param("a\n:wave:", [(Found.LINE_END, "\n")], id="nor a colon"),
        pytest.param("a\n、b", [(Found.LINE_END, "\n、")], id="a Japanese comma is"),
        pytest.param("a ```b``` c", [(Found.FENCE_OPEN, "```"), (Found.FENCE_CLOSE, "a ```b```")], id="fence"),
        pytest.param(
            "````\n```\n````",
            [(Found.FENCE_OPEN, "````"), (Found.FENCE_CLOSE, "````\n```\n````")],
            id="b37 four backticks",
        ),
        pytest.param('```\n("*<think>\n', [(Found.FENCE_OPEN, "```")], id="b03 nothing is found in code"),
        pytest.param("a <think>", [(Found.BLOCK_TAG, "<think>")], id="block tag"),
        pytest.param("`<think>` a", [], id="b03 no tag in code"),
        pytest.param(
            "| a |\n|---|\n| 1 |\nb",
            [(Found.TABLE_OPEN, "| a |\n|---|"), (Found.TABLE_CLOSE, "| a |\n|---|\n| 1 |\n")],
            id="table",
        ),
        pytest.param("| a |\nb", [(Found.LINE_END, "\n")], id="no table"),
        pytest.param("| a | b |\n|---|\nc", [(Found.LINE_END, "\n"), (Found.LINE_END, "\n")], id="too few dashes"),
        pytest.param("||a||\n|---|\nb", [(Found.LINE_END, "\n"), (Found.LINE_END, "\n")], id="a spoiler is no header"),
        pytest.param(
            "a | b | c\n--|--|--\n1 | 2 | 3\nd",
            [(Found.TABLE_OPEN, "a | b | c\n--|--|--"), (Found.TABLE_CLOSE, "a | b | c\n--|--|--\n1 | 2 | 3\n")],
            id="table without edge bars",
        ),
        pytest.param(
            "a | b\n--|--\n1 | 2\nd",
            [(Found.TABLE_OPEN, "a | b\n--|--"), (Found.TABLE_CLOSE, "a | b\n--|--\n1 | 2\n")],
            id="f16 two columns are enough",
        ),
        pytest.param("a | b\nc", [(Found.LINE_END, "\n")], id="no table: one bar"),
        pytest.param(
            "a | b |\n--|--|\n1 | 2 |\nc | d\ne",
            [
                (Found.TABLE_OPEN, "a | b |\n--|--|"),
                (Found.TABLE_CLOSE, "a | b |\n--|--|\n1 | 2 |\n"),
                (Found.LINE_END, "\n"),
            ],
            id="f16 rows end with a bar as the header does",
        ),
        pytest.param(
            "a | b |\n--|--|\n1 | 2 |",
            [(Found.TABLE_OPEN, "a | b |\n--|--|")],
            id="the last row ends with a bar",
        ),
        pytest.param(
            "| a | b |\n|--|--|\n| 1 | 2 |\nc | d\ne",
            [
                (Found.TABLE_OPEN, "| a | b |\n|--|--|"),
                (Found.TABLE_CLOSE, "| a | b |\n|--|--|\n| 1 | 2 |\n"),
                (Found.LINE_END, "\n"),
            ],
            id="f16 rows begin with a bar as the header does",
        ),
        pytest.param(
            "a | b\n--|--\nc | d\n",
            [(Found.TABLE_OPEN, "a | b\n--|--")],
            id="without edge bars any bar makes a row",
        ),
        pytest.param(
            "| a |\n|--|\n| ` |\nb `c` d\ne",
            [(Found.TABLE_OPEN, "| a |\n|--|"), (Found.TABLE_CLOSE, "| a |\n|--|\n| ` |\n"), (Found.LINE_END, "\n")],
            id="f16 a backtick in a row takes nothing from behind the table",
        ),
        pytest.param(
            "> | a |\n> |--|\n> | 1 |\n> b",
            [(Found.TABLE_OPEN, "> | a |\n> |--|"), (Found.TABLE_CLOSE, "> | a |\n> |--|\n> | 1 |\n")],
            id="table in a quote",
        ),
        pytest.param(
            "  >a | b\n  >-|-\n  >1 | 2\n  >\nb",
            [
                (Found.TABLE_OPEN, "  >a | b\n  >-|-"),
                (Found.TABLE_CLOSE, "  >a | b\n  >-|-\n  >1 | 2\n"),
                (Found.LINE_END, "\n"),
            ],
            id="a quoted table ends with an empty line",
        ),
        pytest.param(
            "a\n>\n> \n> | a |\n> |--|\n| 1 |",
            [
                (Found.LINE_END, "\n"),
                (Found.TABLE_OPEN, ">\n> \n> | a |\n> |--|"),
                (Found.TABLE_CLOSE, "a\n>\n> \n> | a |\n> |--|\n"),
            ],
            id="lone quote marks belong to the table behind them",
        ),
        pytest.param(
            f"> | a |\n> |--|\n> {' ' * 40}| 1 |",
            [(Found.TABLE_OPEN, "> | a |\n> |--|"), (Found.TABLE_CLOSE, "> | a |\n> |--|\n")],
            id="a bar too far from its quote mark",
        ),
        pytest.param("> | a |\n|--|\n| 1 |", [(Found.LINE_END, "\n")] * 2, id="no table: half a quote"),
        pytest.param("> a | b\n> c", [(Found.LINE_END, "\n")], id="no table: one bar in a quote"),
        pytest.param(
            "| a |\n|---|\n| 1 |\n```x```",
            [
                (Found.TABLE_OPEN, "| a |\n|---|"),
                (Found.TABLE_CLOSE, "| a |\n|---|\n| 1 |\n"),
                (Found.FENCE_OPEN, "```"),
                (Found.FENCE_CLOSE, "| a |\n|---|\n| 1 |\n```x```"),
            ],
            id="code ends a table",
        ),
        pytest.param(
            "| a |\n|---|\n| 1 ```x```",
            [
                (Found.TABLE_OPEN, "| a |\n|---|"),
                (Found.TABLE_CLOSE, "| a |\n|---|\n"),
                (Found.FENCE_OPEN, "```"),
                (Found.FENCE_CLOSE, "| a |\n|---|\n| 1 ```x```"),
            ],
            id="code in a row ends a table before it",
        ),
        pytest.param("~~~py\nx", [(Found.FENCE_OPEN, "~~~")], id="tildes with a language"),
        pytest.param(
            "~~~\nx\n~~~", [(Found.FENCE_OPEN, "~~~"), (Found.FENCE_CLOSE, "~~~\nx\n~~~")], id="tildes that close"
        ),
        pytest.param("~~~\nx", [(Found.LINE_END, "\n")], id="tildes that do not"),
        pytest.param("~~~~\nx\n~~~", [(Found.LINE_END, "\n")] * 2, id="too few tildes to close"),
        pytest.param("~~~ a ~~~\nb\n~~~", [(Found.LINE_END, "\n")] * 2, id="tildes on both sides"),
        pytest.param("a ~~~py\nx", [(Found.LINE_END, "\n")], id="tildes in a line"),
        pytest.param("Use ``` here\nx", [(Found.LONE_FENCE, "```"), (Found.LINE_END, "\n")], id="a lone fence"),
        pytest.param("(``````)", [(Found.LONE_FENCE, "``````")], id="six backticks"),
        pytest.param(
            "``````\nx\n`````\n",
            [(Found.LONE_FENCE, "``````"), (Found.LINE_END, "\n"), (Found.LINE_END, "\n"), (Found.FENCE_OPEN, "`````")],
            id="six that do not close",
        ),
        pytest.param(
            "``````\n```\n``````",
            [(Found.FENCE_OPEN, "``````"), (Found.FENCE_CLOSE, "``````\n```\n``````")],
            id="six that close",
        ),
        pytest.param("``````md\nx", [(Found.FENCE_OPEN, "``````")], id="six with a language"),
        pytest.param("Look: ```py\nx", [(Found.FENCE_OPEN, "```")], id="a fence at the end of a line"),
        pytest.param("-#\n\nb", [(Found.LONE_MARKER, "\n\n")], id="a lone subtext marker"),
        pytest.param(">>> a\nb\n\nc", [(Found.LINE_END, "\n")] * 2, id="no line ends in a long quote"),
        pytest.param(">\n> a\nb", [(Found.LINE_END, "\n")], id="none behind a lone quote mark"),
        pytest.param(">\na\nb", [(Found.LINE_END, "\n")] * 2, id="unless the quote is over"),
        pytest.param("[a](<think>", [(Found.BLOCK_TAG, "<think>")], id="nothing is hidden in an address"),
    ],
)
def test_the_scan_stops_for(text: str, expected: list[tuple[Found, str]]) -> None:
    finds, _ = scanned(text)

    assert expected == [(find.what, text[find.start : find.end]) for find in finds]


_TABLE_BITS = (
    *("| a | b |\n", "|---|---|\n", "a | b\n", "---|---\n", "1 | 2\n", "a | b |\n", "--|--|\n", "> a | b\n", "> -|-\n"),
    *(
        "> | a | b |\n",
        "> |--|--|\n",
        "> | 1 | 2 |\n",
        ">\n",
        "> ",
        "\n",
        "| x",
        "`",
        "``",
        "```\n",
        "text\n",
        " " * 33,
    ),
)


@given(st.lists(st.sampled_from(_TABLE_BITS), max_size=9).map("".join), st.sampled_from([0, 20, 1950]))
def test_tables_are_found_however_they_are_sliced(text: str, hold: int) -> None:
    finds, _ = scanned(text, hold=hold)

    assert all(find.start <= find.end <= len(text) for find in finds)


@pytest.mark.parametrize(
    ("text", "waits"),
    [
        pytest.param("a | b\n", True, id="a header so far"),
        pytest.param("a | b\nc", False, id="a word"),
        pytest.param("a | b\n- ", True, id="it could be dashes"),
        pytest.param("a | b\n- c", False, id="a list"),
        pytest.param("> a | b\n>", True, id="the quote may go on"),
        pytest.param("> a | b\n> c", False, id="the quote goes on"),
        pytest.param("> a | b\nc", False, id="the quote is over"),
    ],
)
def test_a_bar_keeps_a_line_no_longer_than_it_must(text: str, waits: bool) -> None:  # noqa: FBT001
    scanner = Scanner()

    scanner.feed(text)

    assert waits is (scanner.find() is None)


def test_sentences_are_found_only_when_asked_for() -> None:
    text = "It is. Dr. Lin (so. yes). 3.5 次。終"

    assert scanned(text)[0] == []
    assert [text[: find.start] for find in scanned(text, sentence_ends=True, lone_words=True)[0]] == [
        "It is",
        "It is. Dr. Lin (so",
        "It is. Dr. Lin (so. yes)",
        "It is. Dr. Lin (so. yes). 3.5 次",
    ]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("Yes. I know it. I do", ["Yes. I know it"], id="the first"),
        pytest.param("I know it. Truly. I do", ["I know it"], id="in the middle"),
        pytest.param("I know it. Truly!\nI do. It is", ["I know it. Truly!\nI do"], id="the last of a line"),
        pytest.param("I know it. Truly", [], id="the last"),
        pytest.param("I know it. " + "x" * 60, ["I know it"], id="a long one"),
        pytest.param("そうだ。好。行こう", ["そうだ"], id="without spaces"),
        pytest.param("We get \\( y. \\) It is. \\( z \\)", ["We get \\( y. \\) It is"], id="in a formula"),
    ],
)
def test_a_single_word_is_no_sentence(text: str, sentences: list[str]) -> None:
    finds, _ = scanned(text, sentence_ends=True)

    assert sentences == [text[: find.start] for find in finds if find.what is Found.SENTENCE_END]


@pytest.mark.parametrize("line", ["# A one. Two", "> A one. Two", "-# A one. Two", ">>> A one. Two\nthree. Four"])
def test_no_sentence_ends_in_a_line_that_its_beginning_shapes(line: str) -> None:
    finds, _ = scanned(line, sentence_ends=True)

    assert finds == []


def test_the_bound_stops_the_scan_wherever_it_is() -> None:
    def run(pieces: list[str]) -> Find | None:
        scanner = Scanner()
        scanner.bound = 7
        for piece in pieces:
            scanner.feed(piece)
            if find := scanner.find():
                return find
        return None

    assert Find(Found.FULL, 0, 7) == same_every_way("abc (def ghi", run)


@pytest.mark.parametrize("text", ["a*", "a`", "a|", "a<", "a\n", "a:", "a\\", 'a"', "http:", "[a]"])
def test_a_mark_that_the_next_character_decides_is_waited_for(text: str) -> None:
    scanner = Scanner()

    scanner.feed(text)

    assert scanner.find() is None
    assert scanner.position < len(text)


def test_a_piece_with_nothing_interesting_is_only_appended() -> None:
    scanner = Scanner()
    assert not scanner.append_plain("just words, ")  # not before the scan has come to rest
    scanner.feed("just words, ")
    assert scanner.find() is None

    assert scanner.append_plain("and more, ")
    assert not scanner.append_plain("then a *")
    scanner.feed("then a *")
    assert scanner.find(final=True) is None
    assert scanner.text == "just words, and more, then a *"


# --- text that leaves ------------------------------------------------------------------


def test_what_is_dropped_is_forgotten_and_the_rest_moves_up() -> None:
    _, scanner = scanned("(a) b (c) **d")

    scanner.drop(4)

    assert ("b (c) **d", [Span(ENCLOSED, 2, 5)], 6) == (scanner.text, scanner.spans, scanner.held_from())


def test_the_character_before_what_was_dropped_still_counts() -> None:
    scanner = Scanner()
    scanner.feed("snake")
    scanner.drop(5)
    scanner.feed("_case (a")
    scanner.find()

    assert [opener.mark for opener in scanner.openers] == ["("]


def test_what_is_cut_out_comes_back_and_the_scan_goes_on_there() -> None:
    scanner = Scanner()
    scanner.feed("a <think>b")
    scanner.find()

    assert scanner.cut_out(2) == "<think>b"
    scanner.feed("(c")
    scanner.find()
    assert (scanner.text, scanner.held_from()) == ("a (c", 2)


def test_text_put_in_front_is_not_scanned() -> None:
    scanner = Scanner()
    scanner.feed("```\nx\n")
    scanner.find()
    scanner.find()
    scanner.drop(4)

    scanner.put_in_front("```\n", "code_overflow")
    scanner.feed("```")

    assert Find(Found.FENCE_CLOSE, 0, 9) == scanner.find(final=True)


def test_nothing_is_lost_when_nothing_is_dropped() -> None:
    _, scanner = scanned("a (b")

    scanner.drop(0)

    assert (scanner.text, scanner.held_from()) == ("a (b", 2)


def test_text_that_is_replaced_counts_as_scanned() -> None:
    scanner = Scanner()
    scanner.feed("Use ``` (here\nx")
    find = scanner.find(final=True)
    assert find is not None

    scanner.replace(find.start, find.end, "\\`(", "lone_fence")
    scanner.find()

    assert scanner.text == "Use \\`( (here\nx"
    assert [opener.start for opener in scanner.openers] == [8]


class _Looked(str):
    """A text that counts how many of its characters are taken out of it."""

    __slots__ = ("taken",)

    taken: int

    def __getitem__(self, place: SupportsIndex | slice) -> str:  # type: ignore[override]  # one place or many
        piece = super().__getitem__(place)
        self.taken += len(piece)
        return piece


@pytest.mark.parametrize("text", ["||" * 4000, "||a|| " * 2000], ids=["marks", "spoilers"])
def test_a_line_of_spoilers_is_not_looked_at_again_for_each(text: str) -> None:
    scanner = Scanner()
    scanner.text = looked = _Looked(text)
    looked.taken = 0

    scanner.find(final=True)

    assert looked.taken < 10 * len(text)


def test_lines_and_sentences_are_both_found_beside_spans() -> None:
    text = "? ok. <@1> 「はい。」 , 今日は。 \n <@1> x"
    found = survey(text, sentence_ends=True)

    assert ([4, 22], [24]) == (list(found.sentence_ends), list(found.line_ends))


def test_a_stop_on_the_next_line_ends_a_sentence() -> None:
    text = "Hello\n. bye"

    assert [(5,), (6,)] == [survey(text).line_ends, survey(text, sentence_ends=True).sentence_ends]


def test_b12_a_line_end_in_a_span_is_no_line_end() -> None:
    text = 'a "b\nc" d\n(e\nf)\ng'

    assert [text[:end] for end in survey(text).line_ends] == ['a "b\nc" d', 'a "b\nc" d\n(e\nf)']


def test_b11_a_stop_in_a_span_ends_no_sentence() -> None:
    text = 'She said "stop. now" ok. See [the. docs](e. x) now. It [is. so] fine'

    assert [text[:end] for end in survey(text, sentence_ends=True).sentence_ends] == [
        'She said "stop. now" ok',
        'She said "stop. now" ok. See [the. docs](e. x) now',
    ]


def test_a_survey_is_in_order() -> None:
    spans = survey("**a (b)** `c` [d](e) http://f.g <@1>").spans

    assert [span.kind for span in spans] == [EMPHASIS, ENCLOSED, CODE, LINK, URL, TAG]
    assert all(first.start <= second.start for first, second in pairwise(spans))


@pytest.mark.parametrize(
    "unit", ["\n", "(a ", "*a **b ", '"a ', "`a ", "[a](b ", "<a ", "||a ", "a_b ", "`a` ", "http://"]
)
def test_b40_the_work_grows_with_the_text_and_not_faster(unit: str) -> None:
    """Law 4: each character is looked at once."""
    text = unit * (12_000 // len(unit))

    assert calls_of(lambda: survey(text * 4)) < 4.4 * calls_of(lambda: survey(text)) + 2000
