from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.rules.leaked_tags import LeakedTags
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Ending, Kind, Segment
from tests.helpers import calls_of


def cleaned(*given: str | Segment) -> list[str]:
    rule = LeakedTags(RuleContext())
    items = [
        item
        for segment in given
        for item in rule.feed(Segment(segment, Boundary.NEWLINE) if isinstance(segment, str) else segment)
    ]
    return [item.text for item in (*items, *rule.flush(Ending.FINAL)) if isinstance(item, Segment)]


@pytest.mark.parametrize(
    "token",
    [
        "<|im_end|>",
        "<|file_separator|>",
        "<|endoftext|>",
        "<|eot_id|>",
        "<|end|>",
        "<|IM_END|>",
        "<｜end▁of▁sentence｜>",
        "<end_of_turn>",
        "<start_of_turn>",
        "</s>",
        "<eos>",
        "[/INST]",
    ],
)
def test_what_ends_a_turn_goes_at_the_end_of_a_line(token: str) -> None:
    assert ["hi"] == cleaned(f"hi {token}")
    assert ["hi\n"] == cleaned(f"hi{token} \n")
    assert [f"{token} hi"] == cleaned(f"{token} hi")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("hi <|im_end|> <|endoftext|>\t\n", "hi\n", id="several"),
        pytest.param("<|im_end|><|im_end|> hi", "<|im_end|><|im_end|> hi", id="several that stay"),
        pytest.param("a <|im_end|>\nb<|im_end|>\nc", "a\nb\nc", id="on every line"),
        pytest.param("a\n <|im_end|>\nb", "a\nb", id="a line of its own"),
        pytest.param("a\n<|im_end|>", "a\n", id="the last line"),
        pytest.param("<|im_end|>\n", "\n", id="all there is on the line"),
        pytest.param("`<|im_end|>`", "`<|im_end|>`", id="code"),
        pytest.param("say `<|im_end|>`\nbye <|im_end|>", "say `<|im_end|>`\nbye", id="beside code"),
        pytest.param("<s>old</s>\nnew</s>", "<s>old</s>\nnew</s>", id="struck out"),
        pytest.param("new</s>\n<s>old", "new\n<s>old", id="struck out later"),
        pytest.param("a <| b |>\n<||>\n<|a b|>", "a <| b |>\n<||>\n<|a b|>", id="no such mark"),
    ],
)
def test_marks_of_a_template(given: str, expected: str) -> None:
    assert expected == "".join(cleaned(given))


def test_a_segment_of_which_nothing_is_left_is_left_out() -> None:
    assert ["hi\n"] == cleaned("hi\n", "<|im_end|>")


@pytest.mark.parametrize("boundary", [Boundary.PERIOD, Boundary.OVERFLOW])
def test_a_line_that_goes_on_has_not_ended(boundary: Boundary) -> None:
    assert ["a <|im_end|>", " b"] == cleaned(Segment("a <|im_end|>", boundary), " b")
    assert ["a\nb <|im_end|>"] == cleaned(Segment("a <|im_end|>\nb <|im_end|>", boundary))


@pytest.mark.parametrize(
    "name",
    [
        "system",
        "system_prompt",
        "SYSTEM-Prompt",
        "system_instruction",
        "instructions",
        "tool_call",
        "tool_calls",
        "tool_response",
        "tool_use",
        "function_call",
        "antml:function_calls",
        "function_results",
        "scratchpad",
        "inner_monologue",
        "author_note",
        "authors_note",
    ],
)
def test_known_tags_go_with_what_they_enclose(name: str) -> None:
    assert ["a b"] == cleaned(f"a <{name}>x\n\ny</{name}> b")


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(("<b>bold</b> text",), ["<b>bold</b> text"], id="F20 HTML"),
        pytest.param(("Use `<div>hello</div>` please",), ["Use `<div>hello</div>` please"], id="F20 code"),
        pytest.param(("<user>x</user>y",), ["<user>x</user>y"], id="F20 a word"),
        pytest.param(
            ("<response>x</response><context>y</context>",),
            ["<response>x</response><context>y</context>"],
            id="an answer",
        ),
        pytest.param(("a <b> c", "x < y > z"), ["a <b> c", "x < y > z"], id="comparisons"),
        pytest.param(("a `<system>x</system>` b",), ["a `<system>x</system>` b"], id="known tags in code"),
        pytest.param(('<tool_call id="1">x</tool_call> b',), ["b"], id="attributes"),
        pytest.param(("<system>a<system>b</system>c</system>d",), ["d"], id="nested"),
        pytest.param(("<system>a<tool_call>b</system>c",), ["c"], id="one that is not closed within"),
        pytest.param(("<system>a</tool_call>b</system>c",), ["c"], id="one that was not opened within"),
        pytest.param(("<system>\n", "a\n", "\n", "</system>\n", "b\n"), ["b\n"], id="segments"),
        pytest.param(("<a:system>x</system> b",), ["<a:system>x</system> b"], id="another namespace does not close it"),
        pytest.param(
            ("write <system> first\n", "b\n"), ["write <system> first\n", "b\n"], id="talk about an opening tag"
        ),
        pytest.param(("then </system> last\n", "b\n"), ["then </system> last\n", "b\n"], id="talk about a closing tag"),
        pytest.param((" <tool_call> \n", "b\n"), ["b\n"], id="an opening tag alone on its line"),
        pytest.param(("a\n", "</tool_call>\n", "b\n"), ["a\n", "b\n"], id="a closing tag alone on its line"),
        pytest.param(("<system>\n" + "x" * 2000, "y</system>"), ["x" * 2000, "y</system>"], id="too long"),
        pytest.param(
            ("<system>a<|im_end|>\n", "b <|im_end|>"), ["<system>a\n", "b"], id="template marks in what is let go"
        ),
    ],
)
def test_tags(given: tuple[str, ...], expected: list[str]) -> None:
    assert expected == cleaned(*given)


def test_code_ends_a_block() -> None:
    code = Segment("```\n</system>\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert ["a\n", code.text, "b"] == cleaned("<system>\na\n", code, "b")


def test_many_tags_cost_no_more_than_their_length() -> None:
    def cost(times: int) -> int:
        rule = LeakedTags(RuleContext())
        segment = Segment("<system></scratchpad><|im_end|></s>" * times, Boundary.NEWLINE)
        return calls_of(lambda: [*rule.feed(segment), *rule.flush(Ending.FINAL)])

    assert cost(800) < 2.5 * cost(400)


BITS = st.sampled_from(["<system>", "</system>", "<|im_end|>", "</s>", "<s>", "w", " ", "\n", "`", "<", "\ud83d", "\0"])


@given(st.lists(st.lists(BITS, max_size=8).map("".join), max_size=8))
def test_nothing_is_added_doubled_or_moved(texts: list[str]) -> None:
    before = iter("".join(texts))

    assert all(character in before for character in "".join(cleaned(*texts)) if character != " ")
