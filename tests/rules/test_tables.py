from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.rule import RuleContext
from cadenza.rules.tables import Tables
from cadenza.settings import RuleSettings
from cadenza.text.split import split
from cadenza.types import Boundary, Identity, Kind, Segment

TABLE = "| Tea | Time |\n|:--|--:|\n| **Green** | 2 |\n| Oolong | 13 |\n"
COLUMNS = "```\nTea     Time\n──────  ────\nGreen      2\nOolong    13\n```"


def shown(text: str, kind: Kind = Kind.TABLE) -> Segment:
    (segment,) = Tables(RuleContext()).feed(Segment(text, Boundary.NEWLINE, kind))
    return segment


@pytest.mark.parametrize(("tables", "idle"), [("picture", False), ("text", False), ("source", True)])
def test_tables_stay_as_they_were_written_if_that_is_wanted(tables: str, idle: bool) -> None:  # noqa: FBT001
    assert idle is Tables(RuleContext(settings=RuleSettings(tables=tables))).is_idle


def test_a_table_becomes_columns() -> None:
    assert Segment(COLUMNS + "\n", Boundary.NEWLINE, Kind.CODE, source=TABLE.strip("\n"), is_painted=True) == shown(
        TABLE
    )


def test_the_line_ends_where_it_ended() -> None:
    assert shown(TABLE.rstrip("\n")).text == COLUMNS


def test_a_table_that_is_too_wide_becomes_a_list() -> None:
    table = "| Tea | " + "Name " * 15 + "|\n|---|---|\n| Green | " + "word " * 90 + "|\n"

    expected = "**Tea: Green**\n- **" + ("Name " * 15).strip() + ":** " + ("word " * 90).strip() + "\n"
    assert Segment(expected, Boundary.NEWLINE, Kind.PROSE, source=table.strip("\n"), is_painted=True) == shown(table)


def test_so_does_one_that_is_mostly_space_in_columns() -> None:
    segment = shown(f"| a | b |\n|---|---|\n| {'x' * 50} | 1 |\n" + "|1|2|\n" * 500)

    assert segment.kind is Kind.PROSE
    assert segment.text.endswith("\n\n**a: 1**\n- **b:** 2\n")


def test_a_secret_stays_one() -> None:
    segment = shown("| Who | How |\n|---|---|\n| him | \\|\\|poison\\|\\| |\n")

    assert ("**Who: him**\n- **How:** ||poison||\n", Kind.PROSE) == (segment.text, segment.kind)


@pytest.mark.parametrize("lead", ["", ">\n"], ids=["at once", "behind a lone mark"])
def test_a_quoted_table_stays_in_its_quote(lead: str) -> None:
    segment = shown(f"{lead}> | a | b |\n> |---|---|\n> | 1 | 2 |\n")

    assert segment.text == "> ```\n> a  b\n> ─  ─\n> 1  2\n> ```\n"
    assert f"{lead}> | a | b |\n> |---|---|\n> | 1 | 2 |" == segment.source


def test_so_does_a_list() -> None:
    segment = shown("> | a | b |\n> |---|---|\n> | 1 | <@1> |\n> | 2 | x |\n")

    assert segment.text == "> **a: 1**\n> - **b:** <@1>\n> \n> **a: 2**\n> - **b:** x\n"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("| a |\n|---|\n| 1 |\n", id="one column"),
        pytest.param("| a | b |\n|---|---|\n", id="no row"),
        pytest.param("|" + "a|" * 40 + "\n|" + "-|" * 40 + "\n" + "| 1 |\n" * 60, id="next to nothing in it"),
        pytest.param(f"| {'a' * 400} | b |\n|---|---|\n| | |\n", id="only empty cells"),
        pytest.param(f"| a | {'b' * 1900} |\n|---|---|\n" + "| 1 | 2 |\n" * 20, id="a page in every record"),
    ],
)
def test_what_has_no_better_form_stays_a_table(text: str) -> None:
    assert Segment(text, Boundary.NEWLINE, Kind.TABLE) == shown(text)


@pytest.mark.parametrize("text", ["", "words", "| a | b |\n| 1 | 2 |\n", "|  |  |\n|---|---|\n| 1 | 2 |\n"])
def test_what_is_no_table_is_prose(text: str) -> None:
    assert Segment(text, Boundary.NEWLINE, Kind.PROSE) == shown(text)


@pytest.mark.parametrize("kind", [Kind.PROSE, Kind.CODE])
def test_only_tables_are_changed(kind: Kind) -> None:
    assert Segment(TABLE, Boundary.NEWLINE, kind) == shown(TABLE, kind)


def test_whoever_speaks_goes_on_speaking() -> None:
    segment = Segment(TABLE, Boundary.NEWLINE, Kind.TABLE, Identity("Ren"), "Ren (mad): ")

    (found,) = Tables(RuleContext()).feed(segment)

    assert (segment.identity, segment.label) == (found.identity, found.label)


def test_a_long_table_can_be_split() -> None:
    """The names of the columns stand in the first part only; no row is lost or cut."""
    rows = [f"row {number}" for number in range(400)]
    segment = shown("| a | b |\n|---|---|\n" + "".join(f"| {row} | x |\n" for row in rows))

    parts = split(segment.text, segment.kind, 1, 1950)

    assert len(parts) > 2
    assert all(part.startswith("```\n") and part.endswith("\n```") and len(part) <= 1950 for part in parts)
    lines = [line for part in parts for line in part.split("\n")[1:-1]]
    assert rows == [line.split("  ")[0] for line in lines[2:]]


@given(st.text("ab|*`\\<>:- \n\t\0\ud800日😀", max_size=60), st.sampled_from(["", "> ", "| a | b |\n|--|--|\n"]))
def test_nothing_makes_it_fail(text: str, begin: str) -> None:
    segment = shown(begin + text)

    assert bool(begin + text) is bool(segment.text)
    assert segment.source in ("", (begin + text).strip("\n"))
