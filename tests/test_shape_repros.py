"""What was seen in a channel and should not have been, row by row: the shape of messages."""

from __future__ import annotations

from random import Random

import pytest

from cadenza.replies.pipeline import text_row
from cadenza.settings import Settings
from cadenza.stages.s4_round import Round
from cadenza.stages.s7_merging import merged
from cadenza.types import Finished, Persona, Post, Scene, TextDelta

LONG_CODE = "".join(f"print({number})\n" for number in range(1000, 1004))
LONG_BOLD = "**" + ("word " * 800).strip() + "**"


def posts(text: str, **settings: object) -> list[Post]:
    round_ = Round(text_row(Scene("", Persona("")), Settings.of(**settings), Random(0)))
    made = [post for start in range(0, len(text), 7) for post in round_.receive(TextDelta(text[start : start + 7]))]
    return made + round_.receive(Finished())


def shown(text: str, **settings: object) -> list[str]:
    return [post.text for post in posts(text, **settings)]


@pytest.mark.parametrize(
    ("settings", "text", "expected"),
    [
        pytest.param({"degree": 0}, "> a\n> b\n\n- a\n  - b", ["> a\n> b\n\n- a\n  - b"], id="degree 0 is the text itself"),
        pytest.param({}, "1. Run:\n   ```python\n   import os\n   ```", ["1. Run:\n```python\nimport os\n```"], id="code in a list is dedented as a whole"),
        pytest.param({}, "||```py\nprint(42)\n```|| enjoy", ["||```py\nprint(42)\n```|| enjoy"], id="a spoiler around code"),
        pytest.param({"degree": 1}, "||```py\nprint(42)\n```|| enjoy", ["||```py\nprint(42)\n```|| enjoy"], id="a spoiler around code, line by line"),
        pytest.param({"limit": 60}, f"||It:\n```py\n{LONG_CODE}```\nwas|| ok", ["||It:||", "||```py\nprint(1000)\nprint(1001)\nprint(1002)\n```||", "||```py\nprint(1003)\n```||", "||was|| ok"], id="a spoiler around code that is cut"),
        pytest.param({"tables": "text"}, "| a | b |\n|---|---|\n| 1 | 2 | 3 |", ["```\na  b\n─  ─  ─\n1  2  3\n```"], id="cells beyond the head"),
        pytest.param({"degree": 3, "math": "source"}, r"\( \Delta G = \Gamma \)", [r"\( \Delta G = \Gamma \)"], id="degree 3 leaves commands"),
        pytest.param({"degree": 3}, "Dataset: 2, 4, 4, 4, 5, 5, 7, 9", ["Dataset: 2, 4, 4, 4, 5, 5, 7, 9"], id="degree 3 leaves numbers"),
        pytest.param({"degree": 3}, "通过**A**，**B**，**C**，**D**，**E**，**F**实现。", ["通过**A**，**B**，**C**，**D**，**E**，**F**实现"], id="degree 3 leaves marks"),
        pytest.param({"degree": 3}, "_She sighs. She walks off._ Hello there.", ["_She sighs. she walks off._ hello there"], id="degree 3 leaves italics whole"),
        pytest.param({"math": "source"}, "\\[\n(x - y)^2\n\\]", ["\\[\n(x - y)^2\n\\]"], id="a formula is one block"),
        pytest.param({"math": "source", "degree": 1}, "\\[\n(x - y)^2\n\\]", ["\\[\n(x - y)^2\n\\]"], id="a formula is one block, line by line"),
        pytest.param({"degree": 1}, "\\[\n(x - y)^2\n\\]", ["```\n(x − y)²\n```"], id="a formula can be read"),
        pytest.param({"degree": 1}, "**Note: ** be careful.\nNext line.\nThird line.", ["**Note: ** be careful.", "Next line.", "Third line."], id="even marks are not closed again"),
        pytest.param({}, 'Use "\\" to escape.', ['Use "\\" to escape.'], id="a backslash in quotes opens nothing"),
        pytest.param({}, "The <details> element hides content.\nUse it wisely.", ["The <details> element hides content.\nUse it wisely."], id="talk about details"),
        pytest.param({}, "Put your reasoning inside a <think> tag.", ["Put your reasoning inside a <think> tag."], id="talk about think"),
        pytest.param({"degree": 1}, "hello\n:\nbye", ["hello:", "bye"], id="a colon joins its line"),
        pytest.param({"degree": 3}, "Open http://[your-ip]/lr there now", ["open http://[your-ip]/lr there now"], id="an address with brackets"),
    ],
)  # fmt: skip
def test_repro(settings: dict[str, object], text: str, expected: list[str]) -> None:
    assert expected == shown(text, **settings)


def test_repro_merged_messages_keep_numbers_and_nesting() -> None:
    text = "1. Prepare:\n   - Food\n   - Towels\n2. Wait"

    post = merged(posts(f"First.\n{text}\n\nLast.", degree=1), 1950)

    assert post is not None
    assert f"First.\n{text}\n\nLast." == post.text


def test_repro_long_bold_is_bold_in_each_message() -> None:
    for shape in ("reply", "blocks", "lines"):
        messages = shown(LONG_BOLD, shape=shape)
        assert len(messages) > 1
        assert all(message.startswith("**") and message.endswith("**") for message in messages)


def test_repro_six_backticks_are_not_deleted() -> None:
    assert 6 == "".join(shown("(``````)")).count("`")


def test_repro_unfenced_code_is_one_block_with_its_indent() -> None:
    code = "def main():\n    for name in names:\n        print(name)\n\nmain()"

    assert [f"Sure, here it is.\n\n{code}".split("\n\n", 1)[0], code] == shown(f"Sure, here it is.\n\n{code}", degree=1)


@pytest.mark.parametrize("degree", range(4))
def test_a_formula_after_an_empty_line_can_be_read_and_the_model_sees_its_latex(degree: int) -> None:
    text = "It is so.\n\nHere it is \\( x^2 \\) and that is all\n"
    made = posts(text, degree=degree)

    assert "x²" in made[-1].text
    assert "\\(" not in "".join(post.text for post in made)
    assert "\\( x^2 \\)" in "".join(post.said for post in made)
