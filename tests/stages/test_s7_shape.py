"""What becomes a message in each shape: whole lists, headings with what follows, verses, lead-ins."""

from __future__ import annotations

from random import Random

import pytest

from cadenza.replies.pipeline import text_row
from cadenza.settings import DeliverySettings, Settings
from cadenza.stages.s4_round import Round
from cadenza.stages.s7_delivery import Composer
from cadenza.types import Boundary, Ending, Finished, Identity, Persona, Post, Scene, Segment, TextDelta

SHAPES = ("reply", "blocks", "lines", "sentences")


def posts(text: str, **settings: object) -> list[Post]:
    row = text_row(Scene("", Persona("")), Settings.of(**{"tables": "source", **settings}), Random(0))
    round_ = Round(row)
    return [post for event in (TextDelta(text), Finished()) for post in round_.receive(event)]


def shown(text: str, shape: str = "blocks", **settings: object) -> list[str]:
    return [post.text for post in posts(text, shape=shape, **settings)]


LIST = "1. Prepare:\n   - Food\n   - Towels\n2. Wait"
CODE = "import os\n\ndef main():\n    for name in os.listdir():\n        print(name)\n\nmain()"


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param(LIST, id="a list with nested items and numbers"),
        pytest.param("- a\n\n- b\n\n- c", id="a loose list"),
        pytest.param("4. four\n5. five", id="a list that starts at four"),
        pytest.param("- item\n  goes on here\n- next", id="an item of two lines"),
        pytest.param("- item\n\n  its second paragraph\n- next", id="an item of two paragraphs"),
        pytest.param("- item\n  > quoted\n- next", id="a quote in an item"),
        pytest.param("# Head\n\ntext", id="a heading with what follows"),
        pytest.param("# Head\n## Sub\n\n- a\n- b", id="two headings and a list"),
        pytest.param("**Title**\n- a\n- b", id="a bold title with what follows"),
        pytest.param("**Title:**\n\ntext", id="a bold title with a colon"),
        pytest.param("> a\n> b\n> c", id="a quote"),
        pytest.param("Roses are red,\nViolets are blue,\nSugar is sweet,\nAnd so are you.", id="a verse"),
        pytest.param("one  \ntwo  \nthree", id="forced line breaks"),
        pytest.param(CODE, id="code without a fence"),
        pytest.param("1. Run:\n   ```sh\n   ls\n   ```\n2. Wait", id="code in a list"),
    ],
)
def test_a_block_is_one_message_in_every_shape(shape: str, text: str) -> None:

    assert [text] == shown(text, shape, casual=False, rules_off=["list_code"])


ANSWER = """# Sourdough

Sourdough takes time, but it is simple.

You need three things:

- Flour
  - white
- Water
- Salt

Here is the timer:

```python
import time


def wait(hours):
    time.sleep(hours * 3600)


for step in range(3):
    wait(step)
```

| step | hours |
|------|-------|
| mix  | 1     |

> Good bread is slow bread.

1. Prepare:
   - Food
   - Towels
2. Wait

That's all."""


@pytest.mark.parametrize(
    ("shape", "firsts"),
    [
        pytest.param("reply", ["# Sourdough"], id="reply"),
        pytest.param("blocks", ["# Sourdough", "You need three things:", "Here is the timer:", "| step | hours |"], id="blocks"),
        pytest.param(
            "lines",
            [
                "# Sourdough",
                "You need three things:",
                "- Flour",
                "Here is the timer:",
                "```python",
                "| step | hours |",
                "> Good bread is slow bread.",
                "1. Prepare:",
                "That's all.",
            ],
            id="lines",
        ),
    ],
)  # fmt: skip
def test_an_answer_in_each_shape(shape: str, firsts: list[str]) -> None:
    assert firsts == [message.split("\n")[0] for message in shown(ANSWER, shape)]


def test_repro_an_answer_of_900_characters_is_four_to_six_messages() -> None:
    assert 4 <= len(shown(ANSWER)) <= 6


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a b c d e f g.\n\n" * 3, 1, id="short neighbours share a message"),
        pytest.param(("word " * 80).strip() + ".\n\n" + ("word " * 150).strip() + ".", 2, id="long ones do not"),
        pytest.param("Sure!\n\nHere it is, as you wanted.", 1, id="a tiny first block does not leave alone"),
    ],
)
def test_blocks_gather(text: str, expected: int) -> None:
    first, rest = "The first block of a reply leaves at once.\n\n", shown(text)

    assert expected == len(rest)
    if not text.startswith("Sure"):
        assert [first.strip(), *rest] == shown(first + text)


def test_the_first_block_leaves_as_soon_as_it_is_whole() -> None:
    round_ = Round(text_row(Scene("", Persona("")), Settings.of(shape="blocks"), Random(0)))

    assert [post.text for post in round_.receive(TextDelta("Here is a first paragraph.\n\nAnd"))] == [
        "Here is a first paragraph."
    ]


def test_a_heading_begins_a_new_message_if_the_one_before_is_half_full() -> None:
    first, half, little = "Sure, here it is, all of it.", "word " * 120, "word " * 20

    assert 3 == len(shown(f"{first}\n\n{half}.\n\n## Next\n\n{little}."))
    assert 2 == len(shown(f"{first}\n\n{little}.\n\n## Next\n\n{little}."))


def test_a_lead_in_stays_with_its_code_and_not_with_a_paragraph() -> None:
    code = "```py\n" + "x = 1\n" * 12 + "```"

    assert shown(f"{'Text. ' * 30}\n\nRun this:\n\n{code}\n\n{'More. ' * 40}")[1] == f"Run this:\n\n{code}"


@pytest.mark.parametrize("shape", ["reply", "blocks", "lines"])
def test_a_list_that_is_too_long_is_cut_between_its_outer_items(shape: str) -> None:
    text = "\n".join(f"{number}. item{' word' * 10}\n   - nested{' word' * 8}" for number in range(1, 40))

    messages = shown(text, shape, limit=400)

    assert len(messages) > 5
    assert all(message.split(".")[0].isdigit() for message in messages)
    assert text == "\n".join(messages)


def test_an_item_that_is_too_long_goes_on_without_its_indent() -> None:
    text = "- top\n" + "\n".join(f"  - {'word ' * 12}{number}" for number in range(12))

    first, second, *_ = shown(text, limit=300)

    assert first.startswith("- top\n  - word")
    assert [line[:2] for line in second.split("\n")] == ["- "] * len(second.split("\n"))


def test_no_message_ends_with_a_heading() -> None:
    text = "".join(f"{'word ' * 30}.\n\n## Head {number}\n\n" for number in range(20)) + "end."

    for shape in SHAPES:
        for limit in (200, 300, 1950):
            assert not any(message.split("\n")[-1].startswith("#") for message in shown(text, shape, limit=limit))


@pytest.mark.parametrize("shape", ["reply", "blocks", "lines"])
def test_messages_put_together_with_their_joints_are_the_text(shape: str) -> None:
    for limit in (80, 200, 1950):
        made = posts(ANSWER, shape=shape, limit=limit)
        assert ANSWER == "".join(post.joint + post.said for post in made)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("> a\n> b\n\n- a\n  - b", ["> a\n> b\n\n- a\n  - b"], id="repro degree 0 is the text itself"),
        pytest.param("a\n\n\n\nb", ["a\n\n\n\nb"], id="empty lines"),
        pytest.param("a\n  b", ["a\n  b"], id="an indent"),
    ],
)
def test_degree_0_is_the_text_itself(text: str, expected: list[str]) -> None:
    assert expected == [post.text for post in posts(text, degree=0)]


def test_another_speaker_begins_a_message() -> None:
    composer = Composer(DeliverySettings(shape="blocks"), Random(0))
    lines = [("One short line.\n", None), ("Grr.\n", Identity("Ren")), ("Hiss.\n", Identity("Ren")), ("Bye.\n", None)]
    segments = [Segment(text, Boundary.NEWLINE, identity=identity) for text, identity in lines]

    made = [item for segment in segments for item in composer.feed(segment)] + [*composer.flush(Ending.FINAL)]

    assert [post.text for post in made if isinstance(post, Post)] == ["One short line.", "Grr.\nHiss.", "Bye."]


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(
    "text",
    [
        pytest.param("||x```py\ny\n```||", id="code in a spoiler"),
        pytest.param("||x ```y``` z||", id="code within the line of a spoiler"),
    ],
)
def test_code_within_a_line_stays_in_its_spoiler(shape: str, text: str) -> None:
    assert [text] == shown(text, shape, casual=False)


@pytest.mark.parametrize("shape", SHAPES)
def test_parts_of_one_code_block_that_share_a_message_are_one_block(shape: str) -> None:
    block = "```py\n" + "    x = 1\n" * 60 + "```"

    assert [block] == shown(block, shape, code_overflow=200)


def test_the_marks_that_a_message_closes_count_too() -> None:
    text = 'so ||word words. >```c++ title="x"\noI and so on, words and\n```'

    assert max(map(len, shown(text, "lines", limit=62))) <= 62


@pytest.mark.parametrize("marks", [":", ".", "!!", "。"])
def test_repro_a_lone_mark_joins_its_line(marks: str) -> None:
    assert [f"hello{marks}", "bye"] == shown(f"hello\n{marks}\nbye", "lines")


def test_marks_that_a_message_closes_are_none_of_the_models_words() -> None:
    text = "g ||<\na||\n-|-"
    sent = posts(text, shape="lines", limit=300)

    assert ["g ||<||", "||a||"] == [post.text for post in sent[:2]]
    assert "".join(post.joint + post.said for post in sent).startswith(text)


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("heading", ["## Code\n\n", "**Code**\n", "## Code\n\n### More\n\n"])
def test_a_heading_stays_with_code_that_is_too_long_for_a_message(shape: str, heading: str) -> None:
    text = heading + "```py\n" + "\n".join(f"print({number})" for number in range(400)) + "\n```\n\nDone now."

    made = posts(text, shape=shape)

    assert made[0].text.startswith(f"{heading}```py\nprint(0)")
    assert all(len(post.text) <= 1950 for post in made)
    assert shape == "sentences" or text == "".join(post.joint + post.said for post in made)
