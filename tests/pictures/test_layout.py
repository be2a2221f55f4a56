"""Where everything in the picture of a table stands."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings, strategies as st

from cadenza.pictures.fonts import SCALE, Fonts, Unshowable
from cadenza.pictures.layout import CODE_PADDING, LINE, PADDING_X, PADDING_Y, TIGHT, Cell, Layout, lay_out
from cadenza.text.tables import Table, parse
from tests.pictures.fonts_here import missing, table

LATIN = Fonts((), ())
SYSTEM = Fonts()


def _laid(
    source: Table, fonts: Fonts = LATIN, *, preferred: int = 550, widest: int = 700, highest: int = 2500
) -> Layout:
    return lay_out(source, fonts, preferred=preferred * SCALE, widest=widest * SCALE, highest=highest * SCALE)


def _lines(cell: Cell) -> list[str]:
    return ["".join(piece.text for piece in line.pieces) for line in cell.lines]


def _column(layout: Layout, number: int = 0) -> list[list[str]]:
    return [_lines(row[number]) for row in layout.rows]


def test_a_small_table_is_as_small_as_its_text() -> None:
    layout = _laid(table("a | bb", "ccc | d"))

    assert ([["a"], ["ccc"]], [["bb"], ["d"]]) == (_column(layout), _column(layout, 1))
    assert 2 * (LINE + 2 * PADDING_Y) == layout.height
    for number in (0, 1):
        widest = max(line.width for row in layout.rows for line in row[number].lines)
        assert 0 <= layout.columns[number] - 2 * PADDING_X - widest < 8 * SCALE
    assert not layout.is_broken


def test_empty_cells_are_empty_lines() -> None:
    layout = _laid(table(" | ", " | "))

    assert [[""], [""]] == _column(layout)
    assert 0 < layout.columns[0] - 2 * PADDING_X


def test_a_cell_beyond_the_head_has_a_column_without_a_name() -> None:
    found = parse("| a | b |\n|---|---|\n| 1 | 2 | 3 |")
    assert found is not None

    layout = _laid(found)

    assert [[["a"], ["1"]], [["b"], ["2"]], [[""], ["3"]]] == [_column(layout, number) for number in range(3)]


def test_line_ends_in_a_cell_are_kept() -> None:
    layout = _laid(table("a", "one<br>two<br><br>four"))

    assert ["one", "two", "", "four"] == _lines(layout.rows[1][0])
    assert 4 * LINE + 2 * PADDING_Y == layout.heights[1]
    assert not layout.is_broken


def test_long_text_is_broken_between_words_and_fits() -> None:
    text = "some words that go on and on " * 12

    layout = _laid(table("a", text))

    lines = _lines(layout.rows[1][0])
    assert text.split() == " ".join(lines).split()
    assert all(line == line.strip() for line in lines)
    assert len(lines) > 2
    assert layout.width <= 700 * SCALE
    assert layout.is_broken


def test_a_header_is_bold() -> None:
    layout = _laid(table("a", "b"))

    assert [True, False] == [row[0].lines[0].pieces[0].style.bold for row in layout.rows]


def test_short_cells_are_not_broken_beside_long_ones() -> None:
    layout = _laid(table("Price | Text", "12.00 EUR | " + "some words that go on and on " * 12))

    assert ["12.00 EUR"] == _lines(layout.rows[1][0])


def test_the_column_with_more_text_is_wider() -> None:
    layout = _laid(table("a | b", "some words here " * 8 + "|" + "some words here " * 32))

    first, second = layout.columns
    assert 1.3 * first < second < 3 * first


@pytest.mark.parametrize(
    ("width", "expected"),
    [
        pytest.param(360, ["several words", "that take", "two"], id="there is too little of it"),
        pytest.param(380, ["several words that take", "two"], id="there is enough of it"),
    ],
)
def test_room_that_broken_lines_leave_is_used_where_it_saves_lines(width: int, expected: list[str]) -> None:
    rows = ("Coffee with milk | left aligned | in the middle", "x | several words that take<br>two | y")

    layout = _laid(table("Item | Left | Centre", *rows), preferred=width, widest=width)

    assert layout.width <= width * SCALE
    assert expected == _lines(layout.rows[2][1])


def test_a_picture_is_made_wider_rather_than_much_higher() -> None:
    layout = _laid(table(*(["word " * 30 + "| word"] * 4)))

    assert layout.width > 550 * SCALE


def test_a_long_address_is_broken_behind_its_marks() -> None:
    lines = _lines(
        _laid(table("a", "see https://example.com/" + "segment/" * 20 + "end"), preferred=200, widest=200).rows[1][0]
    )

    assert "see" == lines[0]
    assert all(line.endswith("/") for line in lines[1:-1])
    assert "end" == lines[-1].split("/")[-1]


def test_a_long_word_is_broken_anywhere_and_nothing_of_it_is_lost() -> None:
    word = "abcdefghij" * 30

    layout = _laid(table("a | b", f"{word} | short"))

    assert word == "".join(_lines(layout.rows[1][0]))
    assert layout.width <= 700 * SCALE


def test_code_has_room_for_its_ground() -> None:
    plain, code, _ = _laid(table("a | b | c", "xx | `xx` | x")).rows[1]

    assert plain.lines[0].width + 2 * CODE_PADDING == code.lines[0].width
    assert CODE_PADDING == code.lines[0].pieces[0].x


def test_code_amid_words_has_room_on_both_sides() -> None:
    line = _laid(table("a", "xx `yy`, zz")).rows[1][0].lines[0]

    first, code, last = line.pieces
    assert first.x + first.width + CODE_PADDING == code.x
    assert code.x + code.width + CODE_PADDING == last.x


def test_short_code_is_not_broken_and_long_code_is() -> None:
    layout = _laid(table("a", "some more words `a b c` " * 9 + "`" + "code " * 40 + "end`"), preferred=180, widest=180)

    lines = _lines(layout.rows[1][0])
    assert 9 == sum(line.count("a\u00a0b\u00a0c") for line in lines)
    assert 41 == " ".join(lines).count("code") + " ".join(lines).count("end")
    assert layout.width <= 180 * SCALE + 2 * CODE_PADDING


def test_space_between_words_is_kept_and_at_the_ends_it_goes() -> None:
    source = Table(("x",), ((" a   b<br> c ",),), table("x").alignments)

    assert ["a   b", "c"] == _lines(_laid(source).rows[1][0])


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ("a\x00b\x1b[0mc\x7f\x9f", ["ab[0mc"]),
        ("\u202eabc\u202c\ufeff\u2066", ["abc"]),
        ("a\tb\u3000c\u2003d", ["a b c d"]),
        ("a\r\nb\rc\u2028d", ["a", "b", "c", "d"]),
        ("a\u00a0b", ["a\u00a0b"]),
    ],
)
def test_what_steers_is_taken_out_and_every_space_is_one(cell: str, expected: list[str]) -> None:
    source = Table(("x",), ((cell,),), table("x").alignments)

    assert expected == _lines(_laid(source).rows[1][0])


def test_where_pillow_would_draw_what_cannot_be_seen_it_is_taken_out() -> None:
    fonts = Fonts((), ())
    fonts.shapes = False

    assert ["a bc `d"] == _lines(_laid(table("x", "a\u00a0b\u200bc \\`d"), fonts).rows[1][0])


@pytest.mark.parametrize(
    ("source", "reason"),
    [
        pytest.param(Table((), (), ()), "no columns", id="no columns"),
        pytest.param(table("|".join("a" * 100)), "100 columns are too many", id="100 columns"),
        pytest.param(table("|".join(["some header"] * 13)), "13 columns are too many", id="13 columns of words"),
        pytest.param(table(*"a" * 200), "199 rows are too many", id="199 rows"),
        pytest.param(table("a", "x" * 30_000), "too long", id="30 000 letters"),
        pytest.param(table("a", "w " * 9_000), "pixels high", id="18 000 letters"),
        pytest.param(table("a | b", "x" * 10_000 + "| y"), "pixels high", id="10 000 letters beside a column"),
        pytest.param(Table(("a",), (("||b||",),), table("a").alignments), "Nothing can be hidden", id="spoiler"),
        pytest.param(table("a", "\ue000"), "No font has", id="no glyph"),
    ],
)  # fmt: skip
def test_what_would_not_be_legible_is_refused(source: Table, reason: str) -> None:
    with pytest.raises(Unshowable, match=reason):
        _laid(source)


def test_rows_stand_closer_together_before_they_are_refused() -> None:
    loose, tight = (_laid(table("A | B", *["1 | 2"] * rows)) for rows in (60, 84))

    assert (PADDING_Y, TIGHT) == (loose.padding, tight.padding)
    assert tight.height <= 2500 * SCALE


def test_many_columns_of_figures_are_legible() -> None:
    layout = _laid(table("|".join("ABCDEFGHIJKL"), "|".join(["130"] * 12)))

    assert layout.width <= 700 * SCALE


def test_words_are_broken_so_that_columns_fit_together() -> None:
    layout = _laid(table("|".join(["incomprehensibilities"] * 6)))

    assert layout.width <= 700 * SCALE
    assert all(len(_lines(cell)) > 1 for cell in layout.rows[0])


def _or_none(source: Table, what: str, not_tested: Callable[[str], None], **sizes: int) -> Layout | None:
    try:
        return _laid(source, SYSTEM, **sizes)
    except Unshowable as refusal:
        reason = str(refusal)
    assert reason.startswith(("No font has ", "This Pillow cannot join"))
    missing(what, not_tested)
    return None


def test_japanese_is_broken_anywhere_but_before_stops_and_behind_brackets(not_tested: Callable[[str], None]) -> None:
    text = "「禁則処理」では、句読点（。、）は行の先頭に置かれません。" * 3
    for width in range(120, 200, 8):
        layout = _or_none(table("x", text), "Japanese", not_tested, preferred=width, widest=width)
        if layout is None:
            return

        lines = _lines(layout.rows[1][0])
        assert text == "".join(lines)
        assert not any(line[0] in "」）。、" for line in lines)
        assert not any(line[-1] in "「（" for line in lines)
        assert "ja" == layout.rows[1][0].language


def test_korean_is_broken_between_words(not_tested: Callable[[str], None]) -> None:
    text = "한국어는 띄어쓰기를 기준으로 줄이 바뀝니다 " * 3
    layout = _or_none(table("x", text), "Korean", not_tested, preferred=150, widest=150)
    if layout is None:
        return

    assert text.split() == " ".join(_lines(layout.rows[1][0])).split()
    assert "ko" == layout.rows[1][0].language


def test_shared_characters_are_drawn_as_their_table_is_written(not_tested: Callable[[str], None]) -> None:
    chinese = _or_none(table("骨 | a", "们 | b"), "Chinese", not_tested)
    japanese = _or_none(table("骨 | a", "かな | b"), "Japanese", not_tested)

    if chinese and japanese:
        assert ["zh-Hans", None] == [cell.language for cell in chinese.rows[0]]
        assert ["ja", None] == [cell.language for cell in japanese.rows[0]]


def test_what_is_read_from_the_right_is_laid_from_the_right(not_tested: Callable[[str], None]) -> None:
    layout = _or_none(table("x", "هذا نص **عربي** طويل، نعم!", "! ab **cd** هذا"), "Arabic", not_tested)
    if layout is None:
        return

    arabic, latin = layout.rows[1][0], layout.rows[2][0]
    assert (False, True) == (arabic.rightwards, latin.rightwards)
    assert [False, True, False] == [piece.style.bold for piece in arabic.lines[0].pieces]
    assert arabic.lines[0].pieces[-1].text.startswith("هذا")
    assert latin.lines[0].pieces[0].text.startswith("! ab")


def test_emoji_are_pieces_of_their_own_and_may_part_lines(not_tested: Callable[[str], None]) -> None:
    layout = _or_none(table("x", "a😀👨‍👩‍👧b ☺ ☺️ " + "😀" * 60), "emoji", not_tested, preferred=200, widest=200)
    if layout is None:
        return
    if not any(piece.font.is_emoji for line in layout.rows[1][0].lines for piece in line.pieces):
        missing("emoji", not_tested)
        return

    texts = [piece.text for line in layout.rows[1][0].lines for piece in line.pieces]
    assert ["a", "😀", "👨‍👩‍👧", "b ☺ "] == texts[:4]
    assert 61 == texts.count("😀")


CELLS = st.lists(
    st.sampled_from(["a", "word ", "averyveryverylongword", "**b** ", "`code` ", "`longer code in here`", "<br>", "é", "日本、", "😀", " ", "\x07", "\ud800", "*"]),
    max_size=12,
).map("".join)  # fmt: skip


@settings(max_examples=60)
@given(st.integers(1, 4).flatmap(lambda columns: st.lists(st.tuples(*[CELLS] * columns), min_size=1, max_size=4)))
def test_everything_is_inside_the_picture(rows: list[tuple[str, ...]]) -> None:
    source = Table(rows[0], tuple(rows[1:]), table("|" * (len(rows[0]) - 1)).alignments)
    try:
        layout = _laid(source, SYSTEM, preferred=300, widest=400)
    except Unshowable:
        return

    assert layout.width <= 400 * SCALE + 4 * CODE_PADDING * len(rows[0])
    for row, height in zip(layout.rows, layout.heights, strict=True):
        for cell, width in zip(row, layout.columns, strict=True):
            assert LINE * len(cell.lines) <= height - 2 * PADDING_Y
            assert all(line.width <= width - 2 * PADDING_X for line in cell.lines)
