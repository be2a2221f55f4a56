"""The benchmark of shapes: virtual time, so every run finds the same, and the page says what it found."""

from __future__ import annotations

import pytest

from answers import FAMILIES
from fragments import fragment
from looks import Look, compare
from report import RESULTS
from shape import PAGE, SHAPES, goals, load, markdown, measure_one, picture, screen

FOUND = load((RESULTS / "shape.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("message", "sort"),
    [
        pytest.param("- one item", "item", id="item"),
        pytest.param("3. **Term**: text\n   that goes on", "item", id="item of two lines"),
        pytest.param("- one\n- two", None, id="list"),
        pytest.param("- one\n  - two", None, id="nested list"),
        pytest.param("1. Run:\n   ```sh\n   ls\n   ```", None, id="item with code"),
        pytest.param("## Why it matters", "title", id="heading"),
        pytest.param("**Why it matters:**", "title", id="bold title"),
        pytest.param("**Why**\nBecause.", None, id="bold title with its text"),
        pytest.param("**Term**: text", None, id="bold term"),
        pytest.param("Here are three:", "lead-in", id="lead-in"),
        pytest.param("主要原因包括：", "lead-in", id="Chinese lead-in"),
        pytest.param("Here are three:\n- one\n- two", None, id="lead-in with its list"),
        pytest.param("---", "rule", id="rule"),
        pytest.param("}", "symbol", id="bracket"),
        pytest.param("\\[", "symbol", id="formula's beginning"),
        pytest.param("Therefore,", "word", id="word"),
        pytest.param("👍🏽", None, id="emoji"),
        pytest.param("希望对您有帮助！", None, id="Chinese sentence"),
        pytest.param("lol same", None, id="two words"),
    ],
)
def test_a_fragment_is_known_by_its_sort(message: str, sort: str | None) -> None:
    assert sort == fragment(message)


_LIST = "Steps:\n\n1. Prepare:\n   - Food\n   - Towels\n2. Wait\n\nThen rest."


@pytest.mark.parametrize(
    ("answer", "messages", "look"),
    [
        pytest.param(_LIST, [_LIST], Look(nested=2), id="the answer itself"),
        pytest.param(
            _LIST, ["Steps:\n\n1. Prepare:\n   - Food\n   - Towels", "2. Wait"], Look(nested=2), id="cut well"
        ),
        pytest.param(
            _LIST,
            ["1. Prepare:\n- Food\n- Towels\n2. Wait"],
            Look(nested=2, flat=2, numbers=3),
            id="merged flat: Discord counts 1, 2, 3, 4",
        ),
        pytest.param(_LIST, ["1. Prepare:", "1. Wait"], Look(nested=2, numbers=1), id="a list that begins anew"),
        pytest.param(
            _LIST,
            ["Steps:\n1. Prepare:\n\n   - Food\n   - Towels"],
            Look(nested=2, lost=1, put_in=1),
            id="an empty line lost, another put in",
        ),
        pytest.param("Do it. Now.\n- Now", ["Do it", "Now", "- Now"], Look(), id="sentences"),
        pytest.param("1. a\n\n2. b", ["1. a\n2. b"], Look(lost=1), id="a list closed up"),
        pytest.param(
            "- a:\n  ```py\n  if x:\n      y()\n  ```",
            ["- a:", "```py\n  if x:\n      y()\n```"],
            Look(half=1),
            id="code half indented",
        ),
        pytest.param(
            "- a:\n  ```py\n  if x:\n      y()\n  ```",
            ["- a:", "```py\nif x:\n    y()\n```"],
            Look(),
            id="code dedented as a whole",
        ),
        pytest.param("\\[\nx\n\\]\n\n$$y$$", ["\\[", "x", "\\]", "$$y$$"], Look(torn=1), id="a formula torn"),
    ],
)
def test_what_looks_otherwise_is_counted(answer: str, messages: list[str], look: Look) -> None:
    assert look == compare(answer, messages)


@pytest.mark.parametrize("shape", ["blocks", "lines"])
def test_a_run_finds_what_stands_in_the_results(shape: str) -> None:
    assert measure_one("chatty", shape) in FOUND.rows


def test_every_family_is_measured_in_every_shape() -> None:
    assert [(family, shape) for family in FAMILIES for shape in SHAPES] == [
        (row.family, row.shape) for row in FOUND.rows
    ]


def test_the_goals_are_met() -> None:
    assert [] == [str(goal) for goal in goals(FOUND) if goal.value > goal.limit]


def test_the_page_and_the_plot_say_what_the_last_run_found() -> None:
    assert markdown(FOUND) in PAGE.read_text(encoding="utf-8")
    assert picture(FOUND) == (RESULTS / "shape.svg").read_text(encoding="utf-8")
    assert 2 * len(FOUND.rows) + len(goals(FOUND)) + 4 == len(list(screen(FOUND)))
