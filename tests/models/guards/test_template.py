from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from cadenza.models.guards.template import LONGEST_CALL, TemplateGuard
from cadenza.types import Chunk, TextDelta, ThoughtDelta, ToolCall
from tests.helpers import calls_of
from tests.models.guards.guarding import fed, heard, words


class TeaGuard(TemplateGuard):
    """Reads the template of the tea model."""

    def __init__(self) -> None:
        super().__init__(("<hm>", "<say>", "<pour>"))

    def token(self, token: str) -> Sequence[Chunk]:
        out = self.end_call()
        self.thinks = token == "<hm>"  # noqa: S105  # not that kind of token
        if token == "<pour>":  # noqa: S105  # likewise
            self.begin_call()
        return out

    def between(self, text: str) -> Sequence[Chunk]:
        return self.collect(text)

    def ended(self, held: str) -> Sequence[Chunk]:
        return [*self.between(held), *self.end_call()]

    def called(self, source: str) -> Sequence[Chunk]:
        return [ToolCall("1", "pour", source)]


POUR = ToolCall("1", "pour", "tea")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Hello", [TextDelta("Hello")], id="no token"),
        pytest.param("<hm>plan<say>Hello", [ThoughtDelta("plan"), TextDelta("Hello")], id="a thought"),
        pytest.param("a<pour>tea<say>b", [TextDelta("a"), POUR, TextDelta("b")], id="a call"),
        pytest.param("<pour>tea", [POUR], id="a call at the end"),
        pytest.param("<hm><say>", [], id="nothing between"),
        pytest.param("a < b <h <sa", [TextDelta("a < b <h <sa")], id="half tokens"),
        pytest.param("<<say>", [TextDelta("<")], id="an angle in front"),
        pytest.param("`<hm>` is a token", [TextDelta("`<hm>` is a token")], id="talked about"),
        pytest.param("`x`<hm>y", [TextDelta("`x`"), ThoughtDelta("y")], id="behind code"),
        pytest.param("```\nx\n```<hm>y", [TextDelta("```\nx\n```"), ThoughtDelta("y")], id="behind a code block"),
        pytest.param("it`s<hm>y", [TextDelta("it`s"), ThoughtDelta("y")], id="a lone backtick farther back"),
        pytest.param(
            "<hm>`<say>` x<say>y", [ThoughtDelta("`<say>` x"), TextDelta("y")], id="talked about in a thought"
        ),
        pytest.param(
            "<pour>`<say>x", [ToolCall("1", "pour", "`"), TextDelta("x")], id="backticks in a call are no code"
        ),
    ],
)
def test_what_stands_between_tokens_is_what_the_last_one_said(text: str, expected: list[Chunk]) -> None:
    assert expected == heard(TeaGuard, text)


def test_a_call_without_end_is_broken_off_and_the_rest_is_kept() -> None:
    out = fed(TeaGuard(), [TextDelta("<pour>"), *[TextDelta("tea " * 1000)] * 20, TextDelta("<say>Hi")])

    match out:
        case [ToolCall(arguments=source), ThoughtDelta(rest), TextDelta("Hi")]:
            assert LONGEST_CALL == len(source)
            assert "tea " * 20000 == source + rest
        case _:
            pytest.fail(str(out)[:200])


def test_ordinary_text_costs_next_to_nothing() -> None:
    guard = TeaGuard()
    chunk = TextDelta("word ")

    assert calls_of(lambda: guard.feed(chunk)) <= 6


@given(st.lists(st.sampled_from(["<hm>", "<say>", "a", "`", "\n", "<", "h", "m>", "<s"]), max_size=20).map("".join))
def test_nothing_but_tokens_is_lost(text: str) -> None:
    said = words(heard(TeaGuard, text))

    assert text.replace("<hm>", "").replace("<say>", "") == said.replace("<hm>", "").replace("<say>", "")
