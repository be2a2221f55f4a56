"""The benchmark of films: how it measures, and that the page says what it found."""

from __future__ import annotations

from films import PAGE, SIZES, TEXTS, goals, load, markdown, measure_one, screen
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
