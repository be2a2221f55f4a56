from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given, strategies as st

from cadenza.text.line_breaks import parts
from cadenza.text.plain_table import WIDTH, as_columns, as_records, split_columns
from cadenza.text.tables import Alignment, Table, parse
from cadenza.text.units import display_width
from tests.helpers import calls_of

FAMILY = "👨\u200d👩\u200d👧"


def table(*rows: str, alignments: str = "") -> Table:
    """A table of *rows* whose cells are parted by bars; the alignments are given as ``<``, ``^`` and ``>``."""
    header, *body = [tuple(row.split("|")) for row in rows]
    sides = dict(zip("<^>", Alignment, strict=True))
    return Table(header, tuple(body), tuple(sides[side] for side in alignments or "<" * len(header)))


def columns(*rows: str, alignments: str = "", width: int = WIDTH) -> list[str] | None:
    """The lines of the code block that *rows* become, without its fences."""
    text = as_columns(table(*rows, alignments=alignments), width=width)
    if text is None:
        return None
    first, *lines, last = text.split("\n")
    assert (first, last) == ("```", "```")
    return lines


# --- columns ------------------------------------------------------------------------------


def test_columns_stand_under_their_names() -> None:
    assert ["Tea    Time", "─────  ────", "Green  2", "Oolo   13"] == columns("Tea|Time", "Green|2", "Oolo|13")


def test_columns_keep_their_alignment() -> None:
    assert [
        "Left  Mid   Right",
        "────  ────  ─────",
        "a      b        c",
        "aaaa  bbbb  ccccc",
    ] == columns("Left|Mid|Right", "a|b|c", "aaaa|bbbb|ccccc", alignments="<^>")


def test_wide_characters_count_twice() -> None:
    assert [
        "エリア    x",
        "────────  ──",
        "浅草      1",
        f"{FAMILY}🇳🇴      2",
        "❤\ufe0f⭐ab✅  33",
    ] == columns("エリア|x", "浅草|1", f"{FAMILY}🇳🇴|2", "❤\ufe0f⭐ab✅|33")


@pytest.mark.parametrize(
    ("cell", "shown"),
    [
        pytest.param("**bold** and *slant*", "bold and slant", id="emphasis"),
        pytest.param("`a_b` ``c`d``", "a_b c`d", id="code"),
        pytest.param(r"\*not\* this", "*not* this", id="escapes"),
        pytest.param("<:wave:1> <a:dance:2>", ":wave: :dance:", id="emoji"),
        pytest.param("one<br>two", "one two", id="a line end"),
        pytest.param("5 * 3 | x_y", "5 * 3 | x_y", id="marks that mean themselves"),
        pytest.param("a\tb\vc\x85d", "a b c d", id="space of another kind"),
        pytest.param("a\0b\x1b[1mc", "ab[1mc", id="control characters"),
        pytest.param("a\u202eb\u2066c", "abc", id="other directions"),
        pytest.param("a\ud800b", "a?b", id="half a character"),
        pytest.param(r"\`\`\`\` x", "`\u200b`\u200b`` x", id="what would end the block"),
    ],
)
def test_a_cell_is_shown_without_its_marks(cell: str, shown: str) -> None:
    found = as_columns(Table(("a", "b"), (("", cell),), (Alignment.LEFT, Alignment.LEFT)))

    assert found is not None
    assert shown == found.split("\n")[3].strip()


def test_an_empty_row_is_an_empty_line() -> None:
    assert ["a  b", "─  ─", "", "1  2"] == columns("a|b", "|", "1|2")


def test_a_column_may_be_empty() -> None:
    assert ["a", "─", "1"] == columns("a|", "1|")
    assert ["  b", "  ─", "  1"] == columns("|b", "|1")


def test_long_cells_go_on_in_the_next_line_and_stand_apart() -> None:
    assert [
        "id  text",
        "──  ─────────",
        "1   short",
        "2   short",
        "",
        "3   some more",
        "    words in",
        "    a cell",
        "",
        "4   short",
    ] == columns("id|text", "1|short", "2|short", "3|some more words in a cell", "4|short", width=13)


def test_the_widest_columns_share_what_is_left() -> None:
    lines = columns("a|b|c", f"{'x ' * 30}|{'y ' * 30}|z", width=40)

    assert lines is not None
    assert [17, 17, 1] == list(map(len, lines[1].split()))


def test_the_longest_words_stay_whole_while_they_fit() -> None:
    """A column that wants no more than its share gives way to one with a long word."""
    assert [
        "Setting                     Meaning",
        "──────────────────────────  ────────",
        "connection_timeout_seconds  how long",
        "                            to wait",
    ] == columns("Setting|Meaning", "connection_timeout_seconds|how long to wait", width=37)


@pytest.mark.parametrize(
    ("cell", "width", "lines"),
    [
        pytest.param("src/cadenza/text/plain_table.py", 20, ["src/cadenza/text/", "plain_table.py"], id="a path"),
        pytest.param("connection_timeout_seconds", 20, ["connection_timeout_", "seconds"], id="an identifier"),
        pytest.param("ab semi-synchronous", 12, ["ab semi-", "synchronous"], id="a hyphen"),
        pytest.param("ada.lovelace@engine.example", 15, ["ada.lovelace@", "engine.example"], id="a contact"),
        pytest.param("2024-01-15 to 2024-02-29", 12, ["2024-01-15", "to", "2024-02-29"], id="dates stay whole"),
        pytest.param(FAMILY * 8, 12, [FAMILY * 6, FAMILY * 2], id="emoji"),
        pytest.param(
            "都内最古の寺院。雷門で有名。",
            14,
            ["都内最古の寺", "院。雷門で有", "名。"],
            id="no line begins with a stop",
        ),
        pytest.param("入場料（大人1200円）", 8, ["入場料", "（大人", "1200円）"], id="nor ends with a bracket"),
        pytest.param("한국의 전통 음식", 8, ["한국의", "전통", "음식"], id="Korean between its words"),
    ],
)
def test_a_long_word_is_broken_with_care(cell: str, width: int, lines: list[str]) -> None:
    found = columns("a|b", f"1|{cell}", width=width + 3)

    assert found is not None
    assert lines == [line[3:] for line in found[2:]]


def test_two_columns_of_few_words_a_line_are_no_columns() -> None:
    """A narrow column may be three lines tall, not four."""
    assert columns("a|b", f"1|{'words ' * 6}", width=16) is not None
    assert columns("a|b", f"1|{'words ' * 8}", width=16) is None
    assert columns("a|b", f"1|{'words ' * 8}", width=17) is not None


@pytest.mark.parametrize("cell", ["abcdefghijklm", "3f786850e387550fdab836ed7e", "ภาษาไทยไม่มีช่องว่างระหว่างคำ"])
def test_a_word_is_never_torn(cell: str) -> None:
    assert columns("a|b", f"1|{cell}", width=15) is None


def test_a_column_may_have_no_name() -> None:
    found = parse("| a | b |\n|---|---|\n| 1 | 2 | 3 |")

    assert found is not None
    assert as_columns(found) == "```\na  b\n─  ─  ─\n1  2  3\n```"
    assert as_records(found) == "**a: 1**\n- **b:** 2\n- 3"


@pytest.mark.parametrize(
    ("rows", "width"),
    [
        pytest.param(["|".join("ab" * 10), "|".join("12" * 10)], WIDTH, id="too many columns"),
        pytest.param(["aaaaaaaaaa|bbbbbbbbbb", "1|2"], 21, id="words too long to be cut so short"),
        pytest.param(["a|b", f"1|{'word ' * 100}"], WIDTH, id="too much text for one cell"),
        pytest.param(["a|b", f"1|{'elevenchars ' * 7}"], 20, id="too many lines for one row"),
        pytest.param(["\0|\u202e", "|"], WIDTH, id="nothing to see"),
    ],
)
def test_what_does_not_fit_well_has_no_columns(rows: list[str], width: int) -> None:
    assert columns(*rows, width=width) is None


@pytest.mark.parametrize(
    ("cell", "fits"),
    [
        pytest.param("[notes](https://example.org)", False, id="a link"),
        pytest.param("https://example.org", False, id="an address"),
        pytest.param("<@123>", False, id="a mention"),
        pytest.param("<t:1700000000:R>", False, id="a time"),
        pytest.param("||hush||", False, id="a spoiler"),
        pytest.param("a || b", True, id="two bars"),
        pytest.param("`https://example.org`", True, id="an address in code"),
        pytest.param("<:wave:1> a]( b", True, id="an emoji"),
        pytest.param("a <the> b", True, id="no tag"),
    ],
)
def test_what_only_prose_can_show_has_no_columns(cell: str, fits: bool) -> None:  # noqa: FBT001
    found = Table(("a", "b"), (("1", "2"), ("3", cell)), (Alignment.LEFT, Alignment.LEFT))

    assert fits is (as_columns(found) is not None)


_BITS = [*"aabbc 1-日本é⭐", "e\u0301", FAMILY, "🇳🇴", "  ", " word ", "longer-word"]
_CELLS = st.lists(st.sampled_from(_BITS), max_size=8).map("".join).map(str.strip)


@given(
    st.integers(2, 3).flatmap(
        lambda width: st.lists(st.tuples(*[_CELLS] * width), min_size=2, max_size=4),
    ),
    st.integers(5, 80),
)
def test_columns_fit_and_lose_nothing(rows: list[tuple[str, ...]], width: int) -> None:
    header, *body = rows

    text = as_columns(Table(header, tuple(body), (Alignment.CENTRE,) * len(header)), width=width)

    if text is not None:
        lines = text.split("\n")[1:-1]
        shown = Counter("".join(lines).replace(" ", "").replace("─", ""))
        assert Counter("".join("".join(row) for row in rows).replace(" ", "")) == shown
        assert all(display_width(line) <= width for line in lines)
        assert "\u200d" not in text.replace(FAMILY, "")
        words = [word for row in rows for cell in row for word in cell.split(" ")]
        assert all(part in text for word in words for part in parts(word, 0))


def test_a_table_of_hundreds_of_rows_costs_as_much_as_its_rows() -> None:
    def work(rows: int) -> int:
        found = table("a|b|c", *["some words|日本語|x **y** z"] * rows)
        return calls_of(lambda: as_columns(found))

    work(1)  # what is made once

    assert work(400) <= 4.5 * work(100)


# --- records ------------------------------------------------------------------------------


def test_a_row_becomes_a_record() -> None:
    assert as_records(table("Tea|Time|Note", "Green|2 min|", "|3 min|*hot*", "||", "Black||")) == (
        "**Tea: Green**\n"
        "- **Time:** 2 min\n"
        "\n"
        "- **Time:** 3 min\n"
        "- **Note:** *hot*\n"
        "\n"
        "**Tea: Black**"
    )  # fmt: skip


@pytest.mark.parametrize(
    ("name", "cell", "expected"),
    [
        pytest.param("", "a", "- a", id="no name"),
        pytest.param("Price:", "1", "- **Price:** 1", id="a colon already"),
        pytest.param("値段：", "1", "- **値段:** 1", id="a wide colon already"),
        pytest.param("**Price**", "1", "- **Price:** 1", id="bold already"),
        pytest.param("*a* b*", "1", r"- **a b\*:** 1", id="stars in bold"),
        pytest.param("`a`**`b`**", "1", "- **`a` `b`:** 1", id="code next to code"),
        pytest.param("`**a**`", "1", "- **`**a**`:** 1", id="stars in code"),
        pytest.param("a", "**x** *y* `z` ~~s~~ __u__", "- **a:** **x** *y* `z` ~~s~~ __u__", id="marks"),
        pytest.param("a", "[x](https://e.org/**b)", "- **a:** [x](https://e.org/**b)", id="a link"),
        pytest.param("a", "||hush||", "- **a:** ||hush||", id="a spoiler"),
        pytest.param("a", "b || c", r"- **a:** b \|\| c", id="bars that hide nothing"),
        pytest.param("a", "**open `tick ~~x", r"- **a:** \*\*open \`tick \~\~x", id="marks that do not close"),
        pytest.param("a", r"\*x \`", r"- **a:** \*x \`", id="escaped already"),
        pytest.param("a", "snake_case _x", "- **a:** snake_case _x", id="single underscores"),
        pytest.param("a", "one<br>two <BR/> three", "- **a:** one two three", id="line ends"),
        pytest.param("a", "`<br>` ||x||", "- **a:** `<br>` ||x||", id="a line end in code"),
        pytest.param("a", "<:a__b:1> **", r"- **a:** <:a__b:1> \*\*", id="an emoji"),
        pytest.param("C:\\", "D:\\", "- **C:\\\\:** D:\\", id="backslashes"),
    ],
)
def test_a_cell_keeps_its_marks_and_lends_none_to_others(name: str, cell: str, expected: str) -> None:
    assert expected == as_records(Table(("", name), (("", cell),), (Alignment.LEFT, Alignment.LEFT)))


@pytest.mark.parametrize(
    ("name", "cell", "expected"),
    [
        pytest.param("", "a", "**a**", id="no name"),
        pytest.param("Dir", "C:\\", "**Dir: C:\\\\**", id="a backslash"),
        pytest.param("Dir", "C:\\\\", "**Dir: C:\\\\**", id="an escaped backslash"),
        pytest.param("**T**", "**b** [x](https://e.org)", "**T: b [x](https://e.org)**", id="bold, and a link"),
    ],
)
def test_the_first_cell_is_the_title(name: str, cell: str, expected: str) -> None:
    assert expected == as_records(Table((name, "b"), ((cell, ""),), (Alignment.LEFT, Alignment.LEFT)))


@given(st.lists(st.text("ab*_~|`\\<>[]()\n\t\0\ud800日:# ", max_size=15), min_size=1, max_size=5))
def test_anything_can_be_shown(cells: list[str]) -> None:
    rows = [cell.replace("|", "\\|").replace("\n", "<br>") for cell in cells]
    found = parse("| a | b |\n|---|---|\n" + "".join(f"| x | {row} |\n" for row in rows))
    assert found is not None

    text = as_columns(found)

    assert text is None or text.count("```") == 2
    assert as_records(found).count("**a: x**") == len(cells)


@pytest.mark.parametrize("mark", ["", "> "], ids=["plain", "in a quote"])
def test_a_long_table_has_its_header_in_every_part(mark: str) -> None:
    rows = tuple((str(number), f"user {number}") for number in range(50))
    block = as_columns(Table(("id", "name"), rows, (Alignment.RIGHT, Alignment.LEFT)))
    assert block is not None
    block = "\n".join(mark + line for line in block.split("\n"))

    parts = split_columns(block, 200)

    opening, header, rule, *body, closing = block.split("\n")
    assert len(parts) > 3
    assert all(len(part) <= 200 for part in parts)
    assert {(opening, header, rule, closing)} == {(*part.split("\n")[:3], part.split("\n")[-1]) for part in parts}
    assert body == [line for part in parts for line in part.split("\n")[3:-1]]


def test_what_fits_is_one_part() -> None:
    assert ["```\na\n─\n1\n```"] == split_columns("```\na\n─\n1\n```", 50)


def test_empty_lines_between_rows_neither_begin_nor_end_a_part() -> None:
    block = "```\na\n─\n" + "\n".join("1111111111\n2222222222\n" for _ in range(9)) + "\n```"

    for part in split_columns(block, 60):
        rows = part.split("\n")[3:-1]
        assert rows[0]
        assert rows[-1]


@pytest.mark.parametrize(
    "block", ["```\n" + "x" * 90 + "\n─\n1\n```", "```\na\n─\n" + "x" * 90 + "\n```", "```\n" + "x\n" * 60 + "```"]
)
def test_what_cannot_be_parted_is_left_to_others(block: str) -> None:
    assert [] == split_columns(block, 60)
