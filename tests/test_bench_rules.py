"""The benchmark of the rules: what it measures is fixed, and the page says what it found. No test measures time."""

from __future__ import annotations

import json

import pytest

from cadenza.rules import RULES
from cadenza.stages.s6_rules import rule_row
from cadenza.types import Boundary, Segment
from report import RESULTS
from rules import LONG, PAGE, SHORT, Cost, goals, markdown, measure, scene, screen, texts

NEVER_TOGETHER = {"no_emoji"}


def test_every_rule_is_measured_but_for_those_that_exclude_each_other() -> None:
    busy = {rule.name for rule in rule_row(scene()).stages}

    assert busy == {rule.name for rule in RULES} - NEVER_TOGETHER


def test_the_scene_is_as_busy_as_it_says() -> None:
    roster = scene().roster

    assert (250, 200, 20) == (len(roster.emoji), len(roster.mentions), len(roster.participants))


@pytest.mark.parametrize("size", [SHORT, LONG])
def test_every_text_has_its_size(size: int) -> None:
    assert {size} == {len(text) for text in texts(scene(), size).values()}


def test_the_rules_have_something_to_do_in_the_texts_that_are_meant_for_them() -> None:
    context = scene()
    found = texts(context, SHORT)
    for name, wanted in (("emoji in every clause", "<:e"), ("nothing but handles", "<@"), ("everything", "<:e")):
        out = rule_row(context).feed(Segment(found[name], Boundary.FINAL))

        assert wanted in "".join(segment.text for segment in out), name


def test_a_tiny_run_measures_every_kind_of_text() -> None:
    costs = measure(1, short=50, long=100)

    assert list(texts(scene(), 50)) == [cost.name for cost in costs]
    assert all(cost.short_ms > 0 and cost.long_ms > 0 for cost in costs)


def test_the_worst_decides() -> None:
    costs = [Cost("cheap", 0.1, 0.2), Cost("dear", 0.9, 1.5)]

    cost, growth = goals(costs)

    assert (1.5, "not met" in str(cost)) == (cost.value, True)
    assert (2.0, "not met" in str(growth)) == (growth.value, True)
    assert "rules: cheap" in growth.name
    assert ["cheap", "dear"] == [line.split()[0] for line in screen(costs) if line.startswith(("cheap", "dear"))]


def test_a_cost_of_nothing_does_not_grow() -> None:
    assert Cost("nothing", 0.0, 0.0).growth == 1.0


def test_the_page_says_what_was_found() -> None:
    saved = [Cost(**cost) for cost in json.loads((RESULTS / "rules.json").read_text(encoding="utf-8"))]

    assert markdown(saved) in PAGE.read_text(encoding="utf-8")
    assert all("not met" not in str(goal) for goal in goals(saved))
