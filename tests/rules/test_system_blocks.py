from __future__ import annotations

import pytest

from cadenza.rules.rule import RuleContext
from cadenza.rules.system_blocks import SystemBlocks
from cadenza.types import Boundary, Ending, Segment
from tests.helpers import calls_of


def cleaned(*texts: str) -> list[str]:
    rule = SystemBlocks(RuleContext())
    items = [item for text in texts for item in rule.feed(Segment(text, Boundary.NEWLINE))]
    return [item.text for item in (*items, *rule.flush(Ending.FINAL)) if isinstance(item, Segment)]


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("[System: secret] hello", "hello", id="at the beginning"),
        pytest.param("hello [system: unclosed tail", "hello", id="not closed"),
        pytest.param("a [System: x [nested] y] b", "a b", id="F10 nested"),
        pytest.param("a [SYSTEM \t： x] b", "a b", id="spaces, capitals and a wide colon"),
        pytest.param("a [system: x\ny] b", "a b", id="two lines"),
        pytest.param("a [system: x\nb\n\nc] d", "a d", id="F10 over an empty line"),
        pytest.param("a [system: x\nb\n\nc d", "a\nb\n\nc d", id="F10 not closed, and an empty line"),
        pytest.param("see https://e.org/[system:x] y", "see https://e.org/[system:x] y", id="behind an address"),
        pytest.param("a [system: x [y\nz] b", "a\nz] b", id="F10 closed only within"),
        pytest.param("```py\nx\n``` [system: x] b", "```py\nx\n``` b", id="F19 beside code"),
        pytest.param("**[System: be nice]** hello", "hello", id="in bold"),
        pytest.param("*[System: x]* hi", "hi", id="emphasised"),
        pytest.param("well [System: x], ok", "well, ok", id="before a comma"),
        pytest.param("> [System: x]\n> hi", "> hi", id="all there is in a line of a quote"),
        pytest.param("`[system: x]`", "`[system: x]`", id="code"),
        pytest.param("[System: x](https://e.org)", "[System: x](https://e.org)", id="a link"),
        pytest.param(
            "[systematic: x] [system x] [ system: x]", "[systematic: x] [system x] [ system: x]", id="other words"
        ),
    ],
)
def test_system_blocks_go(given: str, expected: str) -> None:
    assert [expected] == cleaned(given)


def test_f10_a_block_may_end_in_another_segment() -> None:
    assert ["hello there\n", "next\n"] == cleaned("hello [system: a\n", "b] there\n", "next\n")


def test_f10_a_block_that_does_not_close_costs_its_own_line_only() -> None:
    lines = [f"line {number}\n" for number in range(300)]

    assert ["hello\n", *lines] == cleaned("hello [system: be kind\n", *lines)


def test_of_an_endless_line_only_the_opening_goes() -> None:
    line = "word " * 300

    assert [line] == cleaned(f"[system: {line}")


def test_many_that_do_not_close_cost_no_more_than_their_length() -> None:
    def cost(lines: int) -> int:
        rule = SystemBlocks(RuleContext())
        segment = Segment("[system: x [\n" * lines, Boundary.NEWLINE)
        return calls_of(lambda: rule.feed(segment))

    assert cost(800) < 2.5 * cost(400)


def test_a_block_that_is_too_long_is_let_go_before_the_end() -> None:
    rule = SystemBlocks(RuleContext())

    first = [*rule.feed(Segment("hi [system: " + "x" * 1500, Boundary.OVERFLOW))]
    second = [*rule.feed(Segment(" next\n", Boundary.NEWLINE))]

    assert [first, second] == [[Segment("hi " + "x" * 1500, Boundary.OVERFLOW)], [Segment(" next\n", Boundary.NEWLINE)]]
