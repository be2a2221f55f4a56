from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.long_fences import LongFences
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Kind, Segment
from tests.laws.material import messages
from tests.rules_at_work import segments

RUN = "`\u200b``"
"""Three backticks that close nothing."""
_CLIENT = re.compile(r"```(?:[a-z0-9_+\-.#]+?\n)?\n*([^\n](?:.|\n)*?)\n*```", re.IGNORECASE)
"""A code block as Discord's client reads it."""


def cleaned(text: str) -> list[str]:
    """The code blocks of *text* after stage 5 and the rule."""
    rule = LongFences(RuleContext())
    return [out.text for item in segments(text) for out in rule.feed(item) if out.kind is Kind.CODE]


@pytest.mark.parametrize(
    ("text", "block"),
    [
        pytest.param("````md\n```py\nx\n```\n````", f"```md\n{RUN}py\nx\n{RUN}\n```", id="four around three"),
        pytest.param("`````\n````\nx\n````\n`````", f"```\n`\u200b{RUN}\nx\n`\u200b{RUN}\n```", id="five around four"),
        pytest.param("``````md\n```\nx\n```\n``````", f"```md\n{RUN}\nx\n{RUN}\n```", id="six"),
        pytest.param("~~~md\n```py\nx\n```\n~~~", f"```md\n{RUN}py\nx\n{RUN}\n```", id="tildes around backticks"),
        pytest.param("````py\nx\n````", "```py\nx\n```", id="four around nothing of that kind"),
        pytest.param("````a ``` b````", f"```\na {RUN} b\n```", id="on one line"),
        pytest.param("> ````md\n> ```\n> x\n> ```\n> ````", f"> ```md\n> {RUN}\n> x\n> {RUN}\n> ```", id="in a quote"),
        pytest.param("> ````a ``` b````", f"> ```\n> a {RUN} b\n> ```", id="on one line of a quote"),
        pytest.param("````\n```\nx", f"```\n{RUN}\nx\n```", id="never closed"),
        pytest.param("```py\nx\n`````", "```py\nx\n```", id="a longer run closes"),
        pytest.param("```py\n``x`` `y`\n```", "```py\n``x`` `y`\n```", id="three and less stay"),
        pytest.param("```x```", "```x```", id="three on one line stay"),
    ],
)
def test_a_block_is_safe_for_a_client_that_knows_three_backticks(text: str, block: str) -> None:
    assert [block] == cleaned(text)


@given(
    st.lists(st.sampled_from(["x", "```", "````", "```py", "a ``` b", "`", "``", "", "~~~~"]), min_size=1, max_size=8)
)
def test_the_client_shows_one_whole_block(lines: list[str]) -> None:
    body = "\n".join(lines)
    segment = Segment(f"`````md\n{body}\n`````", Boundary.CODE_CLOSE, Kind.CODE)

    (found,) = LongFences(RuleContext()).feed(segment)

    assert found.text.replace("\u200b", "") == f"```md\n{body}\n```"
    assert not body.strip() or _CLIENT.fullmatch(found.text)


def test_inline_code_with_two_backticks_is_prose() -> None:
    assert messages("a ``b ` c`` d", degree=1) == ["a ``b ` c`` d"]


@pytest.mark.parametrize("degree", [0, 1, 3])
def test_people_see_it_whole_and_nothing_torn(degree: int) -> None:
    text = "Look:\n\n````md\n```py\nx\n```\n````\n\nDone"

    sent = messages(text, degree=degree)

    assert f"```md\n{RUN}py\nx\n{RUN}\n```" in "\n".join(sent)
    assert all(message.count("```") in (0, 2) for message in sent)


def test_it_can_be_switched_off() -> None:
    assert messages("````\n```\n````", degree=1, rules_off=("long_fences",)) == ["````\n```\n````"]


@pytest.mark.parametrize("kind", [Kind.PROSE, Kind.TABLE])
def test_other_text_passes(kind: Kind) -> None:
    segment = Segment("````\n", Boundary.NEWLINE, kind)

    assert [segment] == [*LongFences(RuleContext()).feed(segment)]
