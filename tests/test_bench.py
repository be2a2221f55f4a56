"""The benchmark: what it measures is fixed, and what the papers say of it is what it found. No test measures time."""

from __future__ import annotations

from dataclasses import asdict

import pytest

from corpus import documents
from report import (
    BEGIN,
    END,
    PAGE,
    RESULTS,
    Results,
    load,
    markdown,
    picture,
)
from text import TOKEN, measure, trace_costs


@pytest.fixture(scope="module")
def texts() -> dict[str, str]:
    return documents(1)


@pytest.fixture(scope="module")
def tiny(texts: dict[str, str]) -> Results:
    return measure({name: text[:400] for name, text in texts.items()}, rounds=1)


@pytest.fixture(scope="module")
def saved() -> Results:
    return load((RESULTS / "text.json").read_text(encoding="utf-8"))


def test_a_tiny_run_fills_every_field(tiny: Results, texts: dict[str, str]) -> None:
    assert list(texts) == [found.name for found in tiny.rows]
    assert (1, 1, 4, 1) == (tiny.seed, tiny.degree, tiny.token, tiny.rounds)
    assert tiny.call_ns > 0
    for found in tiny.rows:
        figures = asdict(found)
        assert figures.pop("mb_per_s") >= 0  # rounds to nothing if the machine was busy elsewhere
        assert all(figures.values()), found


def test_what_a_hook_costs_is_told_of_every_document(texts: dict[str, str]) -> None:
    costs = trace_costs({name: text[:400] for name, text in texts.items()}, rounds=1)

    assert list(texts) == list(costs)
    assert all(cost > 0 for cost in costs.values())


def test_the_saved_results_are_of_the_documents_there_are(saved: Results, texts: dict[str, str]) -> None:
    expected = {name: (len(text.encode()), -(-len(text) // TOKEN)) for name, text in texts.items()}

    assert expected == {found.name: (found.size, found.tokens) for found in saved.rows}
    assert (1, 1) == (saved.seed, saved.degree)


def test_the_table_on_the_page_is_what_the_results_render_to(saved: Results) -> None:
    readme = PAGE.read_text(encoding="utf-8")

    assert readme.split(BEGIN)[1].split(END)[0] == markdown(saved)


def test_the_saved_plot_is_what_the_results_render_to(saved: Results) -> None:
    assert (RESULTS / "text.svg").read_text(encoding="utf-8") == picture(saved)
