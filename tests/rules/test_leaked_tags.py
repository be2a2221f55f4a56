from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.rules.leaked_tags import LeakedTags
from cadenza.rules.rule import RuleContext
from cadenza.types import Boundary, Ending, Halt, Kind, Segment, StopReason
from tests.helpers import calls_of


def items_of(*given: str | Segment) -> list[Segment | Halt]:
    rule = LeakedTags(RuleContext())
    items: list[Segment | Halt] = []
    for segment in given:
        items += rule.feed(Segment(segment, Boundary.NEWLINE) if isinstance(segment, str) else segment)
        if items and isinstance(items[-1], Halt):
            return items
    return [*items, *rule.flush(Ending.FINAL)]


def cleaned(*given: str | Segment) -> list[str]:
    return [item.text for item in items_of(*given) if isinstance(item, Segment)]


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
        "[INST]",
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
        pytest.param("<|im_end|>\n", "", id="all there is on the line"),
        pytest.param("`<|im_end|>`", "`<|im_end|>`", id="code"),
        pytest.param("say `<|im_end|>`\nbye <|im_end|>", "say `<|im_end|>`\nbye", id="beside code"),
        pytest.param("<s>old</s>\nnew</s>", "<s>old</s>\nnew</s>", id="struck out"),
        pytest.param("new</s>\n<s>old", "new\n<s>old", id="struck out later"),
        pytest.param("a <| b |>\n<||>\n<|a b|>", "a <| b |>\n<||>\n<|a b|>", id="no such mark"),
    ],
)
def test_marks_of_a_template(given: str, expected: str) -> None:
    assert expected == "".join(cleaned(given))


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param("<|im_start|>assistant\nHi<|im_end|>", "Hi", id="ChatML"),
        pytest.param("<|im_start|> Assistant \nHi", "Hi", id="spaces and capitals"),
        pytest.param("<|start_header_id|>assistant<|end_header_id|>\n\nHi<|eot_id|>", "\nHi", id="Llama"),
        pytest.param("<|start_header_id|>assistant<|end_header_id|> Hi", "Hi", id="Llama without a line end"),
        pytest.param("<start_of_turn>model\nHi<end_of_turn>", "Hi", id="Gemma"),
        pytest.param("<|start|>assistant<|channel|>final<|message|>Hi<|return|>", "Hi", id="Harmony"),
        pytest.param("<|channel|>final<|message|>Hi", "Hi", id="the end of a header"),
        pytest.param("<bos>Hi<eos>", "Hi", id="the beginning of all"),
        pytest.param("<|begin_of_text|>Hi<|end_of_text|>", "Hi", id="the beginning of a text"),
        pytest.param("<｜Assistant｜>Hi<｜end▁of▁sentence｜>", "Hi", id="wide bars"),
        pytest.param("[/INST] Hi</s>", "Hi", id="Mistral"),
        pytest.param("  [/INST] Hi", "  Hi", id="indented"),
        pytest.param("a<|im_end|>\n<|im_start|>assistant\nb", "a\nb", id="a second turn"),
        pytest.param("a<|im_end|><|im_start|>assistant\nb", "a\nb", id="a second turn on the same line"),
        pytest.param(
            "a <|end|><|start|>assistant<|channel|>final<|message|>b", "a\nb", id="a second turn within a line"
        ),
        pytest.param("a\n\n<|im_end|>\n\nb", "a\n\nb", id="between empty lines"),
        pytest.param("<|im_start|>user\nHi", "Hi", id="nothing was said before"),
        pytest.param("\n<|im_start|>assistant\n<|user|>\nHi", "\nHi", id="nothing but marks before"),
        pytest.param("<|im_start|>assistant is how it begins", "<|im_start|>assistant is how it begins", id="talk"),
        pytest.param("a <|im_start|>user b", "a <|im_start|>user b", id="talk about somebody else's"),
        pytest.param("in [/INST] and <bos> it", "in [/INST] and <bos> it", id="in a sentence"),
        pytest.param("<|user|> is one", "<|user|> is one", id="in front of words"),
        pytest.param("`<|im_start|>user`\nx", "`<|im_start|>user`\nx", id="in code"),
    ],
)
def test_what_opens_a_turn_goes_with_its_role(given: str, expected: str) -> None:
    assert expected == "".join(cleaned(given))


@pytest.mark.parametrize(
    "opening",
    [
        "\n<|im_start|>user\n",
        "<|im_end|>\n<|im_start|>user\n",
        "<|im_end|><|im_start|>human\n",
        "<|eot_id|><|start_header_id|>user<|end_header_id|>\n\n",
        "\n<|start_header_id|>system<|end_header_id|> ",
        "<end_of_turn>\n<start_of_turn>user\n",
        "<|end|><|start|>tool<|message|>",
        "\n<|user|>\n",
        "<｜end▁of▁sentence｜><｜User｜>",
        "</s>[INST] ",
        " <|im_end|> \n <|IM_START|> System \n",
    ],
)
def test_the_turn_of_somebody_else_ends_the_reply(opening: str) -> None:
    text = f"a\nb{opening}c"
    lines = text.splitlines(keepends=True)
    halt = Halt(StopReason.SPEAKER_GUARD)

    *before, last = items_of(text)
    assert ("a\nb", halt) == ("".join(item.text for item in before if isinstance(item, Segment)).rstrip(), last)
    *before, last = items_of(*lines)
    assert ("a\nb", halt) == ("".join(item.text for item in before if isinstance(item, Segment)).rstrip(), last)


def test_what_is_held_is_said_before_the_reply_ends() -> None:
    assert ["a\n", "b <system> c\n", Halt(StopReason.SPEAKER_GUARD)] == [
        item.text if isinstance(item, Segment) else item
        for item in items_of("a\n", "b <system> c\n", "<|im_start|>user\n", "d")
    ]


def test_code_was_said_too() -> None:
    code = Segment("```\nx\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert [code, Segment("\n", Boundary.NEWLINE), Halt(StopReason.SPEAKER_GUARD)] == items_of(
        code, "\n", "<|im_start|>user\n"
    )


def test_marks_within_what_is_held_go_as_well() -> None:
    assert ["a\n", "\n", "b <system>\n", "\n", "c"] == cleaned("a\n", "\n", "b <system>\n", "<|im_end|>\n", "\n", "c")


def test_a_mark_behind_words_of_the_segment_before_opens_no_line() -> None:
    assert ["a.", " [/INST] b"] == cleaned(Segment("a.", Boundary.PERIOD), " [/INST] b")
    assert ["a.", "\n"] == cleaned(Segment("a.", Boundary.PERIOD), " <|im_end|>\n")


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
        "developer_instructions",
        "tool_call",
        "tool_calls",
        "tool_response",
        "tool_use",
        "function_call",
        "antml:function_calls",
        "function_results",
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
        pytest.param(
            ("<instructions>x</instructions><scratchpad>y</scratchpad>",),
            ["<instructions>x</instructions><scratchpad>y</scratchpad>"],
            id="what people ask for",
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


def test_a_block_may_hold_code() -> None:
    code = Segment("```\n</system>\n```", Boundary.CODE_CLOSE, Kind.CODE)

    assert ["b"] == cleaned("<system>\na\n", code, "\n", "</system>\n", "b")
    assert ["a\n", code.text, "b"] == cleaned("<system>\na\n", code, "b")


def test_many_tags_cost_no_more_than_their_length() -> None:
    def cost(times: int) -> int:
        rule = LeakedTags(RuleContext())
        segment = Segment("<system></tool_call><|im_end|></s>[/INST]" * times, Boundary.NEWLINE)
        return calls_of(lambda: [*rule.feed(segment), *rule.flush(Ending.FINAL)])

    assert cost(800) < 2.5 * cost(400)


BITS = st.sampled_from(
    [
        "<bos>",
        "<|im_start|>assistant",
        "<system>",
        "</system>",
        "<|im_end|>",
        "</s>",
        "<s>",
        "w",
        " ",
        "\n",
        "`",
        "<",
        "\ud83d",
        "\0",
    ]
)


@given(st.lists(st.lists(BITS, max_size=8).map("".join), max_size=8))
def test_nothing_is_added_doubled_or_moved(texts: list[str]) -> None:
    """What comes out is what went in, with parts left out; only white space may part what was apart."""
    before = iter("".join(texts))

    assert all(character in before for character in "".join(cleaned(*texts)) if character not in " \n")
