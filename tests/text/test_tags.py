from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.labels import AnswerLabel
from cadenza.text.tags import (
    BLOCK_TAG,
    DISCORD_TAG,
    BlockEnd,
    BlockTag,
    HiddenBlock,
    block_tag,
    could_be_block_tag,
    could_be_discord_tag,
    thought_end,
)
from cadenza.types import AsideKind
from tests.helpers import same_every_way

OPENS = BlockTag(AsideKind.THOUGHT, closes=False)
CLOSES = BlockTag(AsideKind.THOUGHT, closes=True)
DETAILS = BlockTag(AsideKind.DETAILS, closes=False)


@pytest.mark.parametrize(
    ("text", "tag"),
    [
        pytest.param("<think>", OPENS, id="think"),
        pytest.param("</think>", CLOSES, id="end of think"),
        pytest.param("<THINK>", OPENS, id="capitals"),
        pytest.param("<thinking>", OPENS, id="thinking"),
        pytest.param("</thinking>", CLOSES, id="end of thinking"),
        pytest.param("<thought>", OPENS, id="thought"),
        pytest.param("</Reasoning>", CLOSES, id="end of reasoning"),
        pytest.param("<mm:think>", OPENS, id="namespace"),
        pytest.param("<mm:reasoning>", OPENS, id="namespace of another word"),
        pytest.param("</a-b.c_1:think>", CLOSES, id="odd namespace"),
        pytest.param("<details>", DETAILS, id="details"),
        pytest.param("<details open>", DETAILS, id="details with attributes"),
        pytest.param("<details\nopen>", DETAILS, id="details over two lines"),
    ],
)
def test_a_block_tag_is_known(text: str, tag: BlockTag) -> None:
    match = BLOCK_TAG.fullmatch(text)

    assert match is not None
    assert tag == block_tag(match)


@pytest.mark.parametrize(
    "text",
    [
        "<thinks>",
        "<thoughts>",
        "<reason>",
        "<think >",
        "<think x>",
        "<1:think>",
        "<a:b:think>",
        "<DETAILS>",
        "</details>",
        "<detailsx>",
        "< think>",
    ],
)
def test_what_only_looks_like_a_block_tag_is_text(text: str) -> None:
    assert BLOCK_TAG.match(text) is None


@pytest.mark.parametrize(
    "tag",
    ["<think>", "</mm:think>", "<thinking>", "</reasoning>", "<a:thought>", "<details>", "<details open class='a b'>"],
)
def test_every_beginning_of_a_block_tag_could_become_one(tag: str) -> None:
    assert all(could_be_block_tag("x" + tag[:length], 1) for length in range(1, len(tag)))


@pytest.mark.parametrize("word", ["think", "thinking", "thought", "reasoning"])
def test_a_block_tag_is_given_the_same_length_whole_and_in_parts(word: str) -> None:
    """Law 1: a tag that is waited for no longer must not be found when it happens to be there."""
    for length in range(40, 120):
        tag = f"<{'n' * length}:{word}>"
        waited_for = all(could_be_block_tag(tag[:end], 0) for end in range(1, len(tag)))

        assert waited_for or BLOCK_TAG.match(tag) is None, f"a namespace of {length} letters"


@pytest.mark.parametrize("text", ["<1", "<foo bar", "<@", "<details>x", "<!", "a<"])
def test_what_cannot_become_a_block_tag_is_not_waited_for(text: str) -> None:
    assert not could_be_block_tag(text, 0)


DISCORD_TAGS = [
    "<@1>",
    "<@!12345678901234567890>",
    "<@&42>",
    "<#42>",
    "<:soup:123456789012345678>",
    "<a:Wave_2:1>",
    "<t:1700000000>",
    "<t:-5:R>",
    "<id:customize>",
    "</play song:42>",
]


@pytest.mark.parametrize("tag", DISCORD_TAGS)
def test_a_tag_of_discord_is_known_and_waited_for(tag: str) -> None:
    assert DISCORD_TAG.fullmatch(tag)
    assert all(could_be_discord_tag("x" + tag[:length], 1) for length in range(1, len(tag)))


@pytest.mark.parametrize(
    "text",
    ["<@>", "<@bob>", "<#general>", "<:soup>", "<:so up:1>", "<:so\nup:1>", "<b:soup:1>", "<t:now>", "<@１>", "< @1>"],
)
def test_b29_what_only_looks_like_a_tag_of_discord_is_text(text: str) -> None:
    assert DISCORD_TAG.match(text) is None


def read(kind: AsideKind, pieces: list[str]) -> tuple[str, str | None]:
    """What the block holds, and what stands after it."""
    block = HiddenBlock(kind)
    after: str | None = None
    for piece in pieces:
        if after is None:
            after = block.feed(piece)
        else:
            after += piece
    return block.content(), after


@pytest.mark.parametrize(
    ("kind", "text", "content", "after"),
    [
        pytest.param(AsideKind.THOUGHT, "plan</think>Hello", "plan", "Hello", id="think"),
        pytest.param(AsideKind.THOUGHT, " \n plan \n</think>", "plan", "", id="space around"),
        pytest.param(AsideKind.THOUGHT, "a</mm:THINK>b", "a", "b", id="another namespace closes it"),
        pytest.param(AsideKind.THOUGHT, "a</reasoning>b", "a", "b", id="another word closes it"),
        pytest.param(AsideKind.THOUGHT, "a < b </thin </think>x", "a < b </thin", "x", id="almost closed"),
        pytest.param(AsideKind.THOUGHT, "a</details>b", "a</details>b", None, id="not by the other's tag"),
        pytest.param(AsideKind.THOUGHT, "a</th", "a</th", None, id="never closed"),
        pytest.param(AsideKind.THOUGHT, "a<", "a<", None, id="ends in a bracket"),
        pytest.param(AsideKind.THOUGHT, "a<</think>b</think>", "a<", "b</think>", id="only the first closes"),
        pytest.param(AsideKind.DETAILS, "body</details>x", "body", "x", id="details"),
        pytest.param(
            AsideKind.DETAILS,
            "a\n > <details open>b</details>c</details>d",
            "a\n > <details open>b</details>c",
            "d",
            id="details in details",
        ),
        pytest.param(
            AsideKind.DETAILS, "a <details> b</details>c", "a <details> b", "c", id="a mention of details in details"
        ),
        pytest.param(AsideKind.THOUGHT, "\n<think>a</think>b", "<think>a", "b", id="a thought opened twice"),
        pytest.param(AsideKind.DETAILS, "a</DETAILS>b", "a</DETAILS>b", None, id="details keep their case"),
        pytest.param(AsideKind.DETAILS, "<summary>T</summary>\nbody</details>", "body", "", id="without the summary"),
        pytest.param(
            AsideKind.DETAILS,
            "<Summary>\nT</SUMMARY>a<summary>U</summary></details>",
            "a<summary>U</summary>",
            "",
            id="one summary only",
        ),
        pytest.param(
            AsideKind.THOUGHT, "<summary>T</summary>a</think>", "<summary>T</summary>a", "", id="think keeps it"
        ),
    ],
)
def test_a_hidden_block_is_read_to_its_end(kind: AsideKind, text: str, content: str, after: str | None) -> None:
    assert (content, after) == same_every_way(text, lambda pieces: read(kind, pieces))


@pytest.mark.parametrize("word", ["think", "reasoning"])
@pytest.mark.parametrize("length", [50, 56, 57, 58, 60, 70, 100, 300])
def test_however_long_a_namespace_may_be_the_slicing_does_not_decide(length: int, word: str) -> None:
    text = f"a</{'n' * length}:{word}>b"

    content, _ = same_every_way(text, lambda pieces: read(AsideKind.THOUGHT, pieces))

    assert content.startswith("a")


# --- where the persona begins to speak ------------------------------------------------------


def read_until(name: str, text: str, kind: AsideKind = AsideKind.THOUGHT) -> tuple[str, str | None]:
    """What is thought in *text*, and what is said behind it or by *name* at its end, however it is sliced."""

    def run(pieces: list[str]) -> tuple[str, str | None]:
        block = HiddenBlock(kind)
        after: str | None = None
        for piece in pieces:
            after = block.feed(piece) if after is None else after + piece
        if after is None:
            after = block.speech(AnswerLabel(name)) or None
        return block.content(), after

    return same_every_way(text, run)


@pytest.mark.parametrize(
    ("text", "content", "after"),
    [
        pytest.param("plan\nNerine: Hey", "plan", "\nNerine: Hey", id="a label"),
        pytest.param("plan\n\nNerine：Hey", "plan", "\nNerine：Hey", id="a wide colon"),
        pytest.param("a\nNerine: b\nNerine: c", "a", "\nNerine: b\nNerine: c", id="the first"),
        pytest.param("Nerine: Hey", "Nerine: Hey", None, id="nothing was thought before"),
        pytest.param("\n \nNerine: Hey", "Nerine: Hey", None, id="only white space before"),
        pytest.param("\nNerine: a\nNerine: b", "Nerine: a", "\nNerine: b", id="the second after nothing"),
        pytest.param("plan\nNerine", "plan\nNerine", None, id="no colon"),
        pytest.param("plan\nNerine said: x", "plan\nNerine said: x", None, id="more than the name"),
        pytest.param("plan for Nerine: x", "plan for Nerine: x", None, id="within a line"),
        pytest.param("plan\n- Nerine: x", "plan\n- Nerine: x", None, id="in a list"),
        pytest.param("plan\nnerine: x", "plan\nnerine: x", None, id="not as it is written"),
        pytest.param("plan</think>a\nNerine: b", "plan", "a\nNerine: b", id="behind the end"),
        pytest.param("plan\nNerine: a\nNo.</think>b", "plan\nNerine: a\nNo.", "b", id="a draft before the end"),
        pytest.param("plan </b>\nNerine: a", "plan </b>", "\nNerine: a", id="behind another tag"),
        pytest.param("plan\nNer</think>a", "plan\nNer", "a", id="half of it and the end"),
        pytest.param("plan\n\nNerine\nNerine: a", "plan\n\nNerine", "\nNerine: a", id="almost, and then it"),
    ],
)
def test_a_thought_ends_where_the_persona_speaks(text: str, content: str, after: str | None) -> None:
    assert (content, after) == read_until("Nerine", text)


@pytest.mark.parametrize("name", ["René", "Rene\u0301"], ids=["in one", "in two"])
def test_a_label_is_known_however_its_accents_are_written(name: str) -> None:
    assert ("plan", f"\n{name}: Hey") == read_until("René", f"plan\n{name}: Hey")


def test_only_a_thought_ends_so() -> None:
    assert ("plan\nRen: Hey", None) == read_until("Ren", "plan\nRen: Hey", AsideKind.DETAILS)


@pytest.mark.parametrize(
    ("text", "start", "end", "is_whole"),
    [
        pytest.param("a</think>b", 1, 9, True, id="there"),
        pytest.param("a</thi", 1, 6, False, id="perhaps"),
        pytest.param("a<", 1, 2, False, id="hardly"),
        pytest.param("a", 1, 1, False, id="not there"),
    ],
)
def test_the_end_of_a_thought_is_found(text: str, start: int, end: int, is_whole: bool) -> None:  # noqa: FBT001  # a table
    assert BlockEnd(start, end, is_whole) == thought_end(text)


@given(
    st.lists(st.sampled_from(["\n", "Ren", "R", "en", ":", "：", "a", " ", "</", "think>", "</think>"]), max_size=14)
)
def test_however_a_thought_is_sliced_it_ends_in_the_same_place_and_nothing_is_lost(pieces: list[str]) -> None:
    text = "".join(pieces)

    content, after = read_until("Ren", text)

    assert text.startswith(after or "", len(text) - len(after or ""))
    assert content in text
