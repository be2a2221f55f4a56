"""Marks within a line: what they mean, and what is left of the text without them."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given, strategies as st

from cadenza.text.inline_styles import Run, StyledRange, plain, read, runs
from cadenza.types import Edit
from tests.helpers import calls_of


def _styles(cell: str) -> list[tuple[str, ...]]:
    """The runs of *cell*: the text of each, then the names of its styles."""
    return [(run.text, *(name for name, is_set in run._asdict().items() if is_set is True)) for run in runs(cell)]


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        pytest.param("", [], id="nothing"),
        pytest.param("a b", [("a b",)], id="words"),
        pytest.param("**b**", [("b", "bold")], id="bold"),
        pytest.param("*i* _i_", [("i", "italic"), (" ",), ("i", "italic")], id="italic"),
        pytest.param("***x***", [("x", "bold", "italic")], id="bold and italic"),
        pytest.param("__u__", [("u", "underline")], id="underline"),
        pytest.param("___u___", [("u", "italic", "underline")], id="underline and italic"),
        pytest.param("~~s~~", [("s", "strike")], id="strike"),
        pytest.param("||s||", [("s", "spoiler")], id="spoiler"),
        pytest.param("**a *b* c**", [("a ", "bold"), ("b", "bold", "italic"), (" c", "bold")], id="nested"),
        pytest.param("***a** b*", [("a", "bold", "italic"), (" b", "italic")], id="two close apart"),
        pytest.param("**a**__b__", [("a", "bold"), ("b", "underline")], id="side by side"),
        pytest.param("**a****b**", [("a****b", "bold")], id="four stars are no mark"),
        pytest.param("5 * 3 * 2 snake_case_x", [("5 * 3 * 2 snake_case_x",)], id="no marks"),
        pytest.param(r"\*a\* \\ C:\dir", [(r"*a* \ C:\dir",)], id="escapes"),
        pytest.param(r"\\\*", [(r"\*",)], id="an escaped escape"),
        pytest.param("`**a**`", [("**a**", "code")], id="code"),
        pytest.param("``a`b``", [("a`b", "code")], id="two backticks"),
        pytest.param("`` `a` ``", [("`a`", "code")], id="space that keeps backticks apart"),
        pytest.param("` `", [(" ", "code")], id="code of space"),
        pytest.param(r"`a \| \*` \|", [(r"a | \*", "code"), (" |",)], id="bars are escaped in code too"),
        pytest.param("```a```", [("a", "code")], id="a code block within a line"),
        pytest.param("```a", [("```a",)], id="a code block that never closes"),
        pytest.param("~~~ a", [("~~~ a",)], id="tildes"),
        pytest.param("[a *b*](https://x.example/c_d_e)", [("a ", "link"), ("b", "italic", "link")], id="link"),
        pytest.param(r"[a](https://x.example/b\_c)", [("a", "link")], id="link with an escape in its address"),
        pytest.param("https://x.example/a_b_c", [("https://x.example/a_b_c", "link")], id="address"),
        pytest.param("<https://x.example>", [("https://x.example", "link")], id="address in brackets"),
        pytest.param("a<br>b<BR/>c<br />d", [("a\nb\nc\nd",)], id="line ends"),
        pytest.param("**a<br>b** `<br>`", [("a\nb", "bold"), (" ",), ("<br>", "code")], id="line end in bold"),
        pytest.param("<:wave:12> <a:dance:34>", [(":wave: :dance:",)], id="custom emoji"),
        pytest.param("**<:wave:12>**", [(":wave:", "bold")], id="custom emoji in bold"),
        pytest.param("<@12> <#34> <@&56> <id:guide>", [("<@12> <#34> <@&56> <id:guide>",)], id="mentions stay"),
        pytest.param("</ping all:12>", [("/ping all",)], id="command"),
        pytest.param("# a", [("# a",)], id="no headings in a cell"),
        pytest.param("> a", [("> a",)], id="no quotes in a cell"),
        pytest.param("x ", [("x ",)], id="what the scan is given in front"),
    ],
)
def test_a_cell_is_read_as_people_see_it(cell: str, expected: list[tuple[str, ...]]) -> None:
    assert expected == _styles(cell)
    assert "".join(text for text, *_ in expected).replace("\n", " ") == plain(cell)


@pytest.mark.parametrize(
    ("tag", "expected"),
    [
        ("<t:1700000000>", "2023-11-14 22:13 UTC"),
        ("<t:1700000000:f>", "2023-11-14 22:13 UTC"),
        ("<t:1700000000:R>", "2023-11-14 22:13 UTC"),
        ("<t:1700000000:d>", "2023-11-14"),
        ("<t:1700000000:D>", "2023-11-14"),
        ("<t:1700000000:t>", "22:13 UTC"),
        ("<t:1700000000:T>", "22:13:20 UTC"),
        ("<t:0>", "1970-01-01 00:00 UTC"),
        ("<t:-1:T>", "23:59:59 UTC"),
        ("<t:951782400:D>", "2000-02-29"),
    ],
)
def test_a_time_is_put_in_words(tag: str, expected: str) -> None:
    assert expected == plain(tag)


@given(st.datetimes(datetime(1, 1, 1), datetime(9999, 12, 31)))  # noqa: DTZ001  # the strategy wants it so
def test_every_date_is_right(moment: datetime) -> None:
    seconds = (moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(seconds=1)

    assert f"{moment.isoformat(' ', 'minutes')} UTC" == plain(f"<t:{seconds}>")


@pytest.mark.parametrize("seconds", ["9" * 17, "-" + "9" * 17])
def test_a_time_beyond_all_calendars_is_no_error(seconds: str) -> None:
    assert plain(f"<t:{seconds}>").endswith(" UTC")


def test_outside_of_tables_nothing_that_carries_meaning_goes() -> None:
    text = r"[a](https://x.example) <t:0> </b:1> <https://y.example> **c<br>** `\|`"

    stretches, edits = read(text)

    assert ["https://x.example", "<https://y.example>", "**c<br>**", r"`\|`"] == [
        text[start:end] for _, start, end in stretches
    ]
    assert ["[", "]", "**", "**", "`", "`"] == [text[edit.start : edit.end] for edit in edits]


def test_marks_are_named_where_they_are() -> None:
    assert ([StyledRange("bold", 0, 5)], [Edit(0, 2), Edit(3, 5)]) == read("**a**")


PIECES = [
    *"*_~|`<>[]()\\#: \nab1é日🌠\ud800\0",
    "**",
    "||",
    "```",
    "<:a:1>",
    "<br>",
    "https://a.example ",
    "](https://a.example)",
]


@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join))
def test_no_word_is_lost_added_or_moved(cell: str) -> None:
    """What is seen is what was written without some of it: marks, and addresses behind a text."""
    left = iter(cell.replace("<br>", "\n<br>"))

    assert all(character in left for character in "".join(run.text for run in runs(cell)))
    assert all(run.text for run in runs(cell))


@given(st.text(st.sampled_from("ab1é日 .,"), max_size=50))
def test_text_without_marks_is_one_run(cell: str) -> None:
    assert ((Run(cell),) if cell else ()) == runs(cell)


@pytest.mark.parametrize(
    "piece", ["`", "*", "**a", "[", "[a](", "\\", "<", "<br>", "**a** ", "||", "`a` \\| ", "<t:1>"]
)
def test_what_a_cell_costs_grows_with_its_length(piece: str) -> None:
    short, long = (calls_of(lambda cell=piece * count: runs(cell)) for count in (200, 2000))  # type: ignore[misc]

    assert long < 15 * short


def test_a_tag_in_code_is_code() -> None:
    assert "<br> a *" == plain("`<br>` a \\*")
