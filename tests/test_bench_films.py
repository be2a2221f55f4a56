"""The benchmark of films: how it measures, and that the page says what it found."""

from __future__ import annotations

from pathlib import Path

from films import PAGE, SIZES, TEXTS, Found, goals, load, markdown, measure_one, save, screen
from report import RESULTS

FOUND = load((RESULTS / "films.json").read_text(encoding="utf-8"))


def test_a_text_is_measured_bare_and_filmed() -> None:
    row = measure_one("one line", 2000, rounds=1)

    assert (2000, 500) == (row.size, row.tokens)
    assert min(row.bare, row.filmed, row.kilobytes) > 0


def test_everything_was_measured() -> None:
    assert {(name, size) for name in TEXTS for size in SIZES} == {(row.name, row.size) for row in FOUND.rows}


def test_a_token_of_a_long_text_costs_what_one_of_a_short_text_costs() -> None:
    growth = [goal for goal in goals(FOUND) if goal.name.endswith("longest / shortest")]

    assert len(TEXTS) == len(growth)
    assert [] == [str(goal) for goal in growth if goal.value > goal.limit]


def test_the_page_says_what_was_found() -> None:
    assert markdown(FOUND) in PAGE.read_text(encoding="utf-8")
    assert len(FOUND.rows) + len(goals(FOUND)) + 2 == len(list(screen(FOUND)))


def test_what_is_written_down_can_be_read_again(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("a\n<!-- bench:begin -->\nold\n<!-- bench:end -->\nb\n", encoding="utf-8")
    found = Found("3.11.7", 1, FOUND.rows)

    save(found, tmp_path, page)

    assert found == load((tmp_path / "films.json").read_text(encoding="utf-8"))
    assert markdown(found) in page.read_text(encoding="utf-8")
