"""The benchmark of the rules: what it measures is fixed, and the page says what it found. No test measures time."""

from __future__ import annotations

import json

from cadenza.stages.s6_rules import rule_row
from cadenza.types import Boundary, Segment
from report import RESULTS
from rules import PAGE, SHORT, Cost, goals, markdown, measure, scene, texts


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


def test_the_page_says_what_was_found() -> None:
    saved = [Cost(**cost) for cost in json.loads((RESULTS / "rules.json").read_text(encoding="utf-8"))]

    assert markdown(saved) in PAGE.read_text(encoding="utf-8")
    assert all("not met" not in str(goal) for goal in goals(saved))
