from __future__ import annotations

import re
from itertools import count

import pytest
from hypothesis import given, strategies as st

from cadenza.settings import BufferSettings
from cadenza.stages.s5_buffer import Buffer, HoldReason
from cadenza.stages.s5_spoiler import ShownDetails
from cadenza.types import Aside, AsideKind, Boundary, Ending, Kind, Segment
from tests.helpers import same_every_way

Item = Segment | Aside
SHOWN = BufferSettings(details="spoiler")


def read(text: str, why: Ending = Ending.FINAL, settings: BufferSettings = SHOWN) -> list[Item]:
    """All that comes out for *text* if details are shown, however it was sliced."""

    def run(pieces: list[str]) -> list[Item]:
        buffer = Buffer(settings)
        return [*(item for piece in pieces for item in buffer.feed(piece)), *buffer.flush(why)]

    return same_every_way(text, run)


def marked(text: str) -> list[str]:
    """The segments of *text*; a ``>`` where a spoiler is open at their beginning, a ``<`` where it is at their end."""
    found = (item for item in read(text) if isinstance(item, Segment))
    return [">" * bool(one.opens_in) + one.text + "<" * bool(one.ends_in) for one in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<details>a</details>", ["||a||\n"], id="a word"),
        pytest.param("a\n<details>\nb\n</details>\nc", ["a\n", "||b||\n", "c"], id="between lines"),
        pytest.param("<details>a\n\nb\n\n</details>\n\nc", ["||a\n<", ">\n<", ">b||\n", "\n", "c"], id="lines"),
        pytest.param("<details open>\n<summary>T</summary>\n\na</details>", ["**T**\n", "||a||\n"], id="a summary"),
        pytest.param("<details><summary>T</summary>a</details>", ["**T**\n", "||a||\n"], id="all on one line"),
        pytest.param("<details><Summary><b>T</b>\n**u** v</SUMMARY>a", ["**T u v**\n", "||a||"], id="a summary with marks"),
        pytest.param("<details><summary> </summary>a</details>", ["||a||\n"], id="an empty summary"),
        pytest.param("<details><summary>T</summary></details>a", ["**T**\n", "a"], id="a summary alone"),
        pytest.param("<details><summary>T\na</details>b", ["||<summary>T\n<", ">a||\n", "b"], id="an endless summary"),
        pytest.param(f"<details><summary>{'T' * 1000}\na", [f"||<summary>{'T' * 1000}\n<", ">a||"], id="a long summary"),
        pytest.param("<details> \n </details>a", ["a"], id="nothing in it"),
        pytest.param("<details>\na\nb", ["||a\n<", ">b||"], id="never closed"),
        pytest.param("<details>\na\n\n", ["||a||"], id="never closed, with an empty line"),
        pytest.param("See <details>a</details> you", ["See ", "||a||\n", " you"], id="within a line"),
        pytest.param("The <details> tag.\nb", ["The <details> tag.\n", "b"], id="a mention"),
        pytest.param("a</details>b", ["a</details>b"], id="an end that nothing opened"),
        pytest.param("<details>a</details></details>b", ["||a||\n", "</details>b"], id="an end too many"),
        pytest.param("<details>\n||a\n</details>\nb", ["||\\|\\|a||\n", "b"], id="a spoiler in it that is not closed"),
        pytest.param("> <details>\n> a\n> </details>\nb", ["||> a||\n", "b"], id="in a quote"),
        pytest.param(
            "<details><summary>A</summary>a\n<details><summary>B</summary>\nb\n</details>\nc</details>d",
            ["**A**\n", "||a\n<", ">**B**\n<", ">b\n<", ">c||\n", "d"],
            id="details in details",
        ),
        pytest.param("<details>`</details>` a\n</details>b", ["||`</details>` a||\n", "b"], id="an end in code"),
        pytest.param("<details>a ` b\n</details>\nc ` d", ["||a ` b||\n", "c ` d"], id="a lone backtick hides no end"),
        pytest.param("| a |\n|---|\n| <details>b</details>c |\n\nd", ["| a |\n|---|\n| c |\n", "\n", "d"], id="in a table"),
    ],
)  # fmt: skip
def test_details_are_shown_as_a_spoiler(text: str, expected: list[str]) -> None:
    assert expected == marked(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(
            "<details>\n```py\nx\n```\n</details>\na", ["||<", ">```py\nx\n```<", ">||\n", "a"], id="nothing but code"
        ),
        pytest.param(
            "<details>a\n```py\nx\n```\nb</details>",
            ["||a\n<", ">```py\nx\n```<", ">\n<", ">b||\n"],
            id="code within text",
        ),
        pytest.param(
            "<details>\n```\nx\n</details>\na", ["||<", ">```\nx\n</details>\na\n```<", ">||"], id="endless code"
        ),
        pytest.param(
            "<details>\n| a | b |\n|---|---|\n| c | d |\n\n</details>",
            ["||<", ">| a | b |\n|---|---|\n| c | d |\n<", ">||\n"],
            id="a table",
        ),
    ],
)
def test_code_and_tables_in_details_stay_segments_of_their_own(text: str, expected: list[str]) -> None:
    assert expected == marked(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a || b ||| c | d", r"a \|\| b \|\|\| c | d", id="prose"),
        pytest.param("a|", "a|\u200b", id="at the end"),
        pytest.param("`a || b` ||", "`a |\u200b| b` \\|\\|\u200b", id="code within a line"),
    ],
)
def test_no_bars_in_the_content_close_the_spoiler(text: str, expected: str) -> None:
    assert [f"||{expected}||\n"] == marked(f"<details>{text}</details>")


def test_nor_do_bars_in_code_and_tables() -> None:
    text = "<details>\n```\na || b\n```\n| a | b |\n|---|---|\n| \\|\\| || c |\n\n</details>"

    code, table = (item.text for item in read(text) if isinstance(item, Segment) and item.kind is not Kind.PROSE)

    assert "```\na |\u200b| b\n```" == code
    assert "| a | b |\n|---|---|\n| \\|\u200b\\| | | c |\n" == table


def test_a_thought_in_details_is_not_shown() -> None:
    items = read("<details>a <think>b</think> c\n<think>\nd\n</think>e</details>f")

    assert [Aside(AsideKind.THOUGHT, "b"), Aside(AsideKind.THOUGHT, "d")] == [
        one for one in items if isinstance(one, Aside)
    ]
    assert ["||a  c\n", "e||\n", "f"] == [one.text for one in items if isinstance(one, Segment)]


def test_emphasis_that_is_open_at_a_cut_stays_open_within_the_spoiler() -> None:
    shown = ShownDetails()

    first = shown.wrapped(
        [
            Segment("**a || b\n", Boundary.NEWLINE, ends_in="**||"),
            Segment("b\n", Boundary.NEWLINE, opens_in="**||", ends_in="**"),
        ]
    )
    last = shown.closed([], Boundary.NEWLINE)

    assert [Segment("||**a \\|\\| b\n", Boundary.NEWLINE, ends_in="||**")] == first
    assert [Segment("b**||\n", Boundary.NEWLINE, opens_in="||**")] == last


@pytest.mark.parametrize("why", [Ending.FINAL, Ending.TOOL_CALL, Ending.STOP])
def test_however_the_reply_ends_the_spoiler_closes_and_the_next_text_is_outside(why: Ending) -> None:
    buffer = Buffer(SHOWN)
    buffer.feed("<details>\na.\n")

    assert [Segment("||a.||", why.boundary)] == list(buffer.flush(why))
    assert [Segment("b\n", Boundary.NEWLINE)] == list(buffer.feed("b\nc"))


def test_it_says_that_a_line_waits_for_the_end_of_the_spoiler() -> None:
    buffer = Buffer(SHOWN)
    buffer.feed("<details>\na line\nb")

    assert (HoldReason("mark", "||"), len("||a line\nb")) == (buffer.waiting(), buffer.size)


_ALOUD = ["{v} ", "{v}\n", "{v}\n\n", "```py\n{v}\n```\n", "- {v}\n", "**{v}** ", "({v}) ", "`{v}` "]
_VEILED = [
    *("{h} ", "{h}\n", "{h}\n\n", "\n```py\n{h} || {h}\n```\n", "- {h}\n", "**{h}** ", "||{h}|| ", "{h} || ", "`{h} || {h}` "),
    *("\n| a | b |\n|---|---|\n| {h} || {h} |\n\n", "|", "{h}|", "**{h}\n", "\n<details>\n{h}\n</details>\n", "\n> {h}\n"),
]  # fmt: skip
_ROWS = st.tuples(
    st.lists(st.sampled_from(_ALOUD), max_size=4).map("".join),
    st.sampled_from(["", "<summary>s</summary>\n"]),
    st.lists(st.sampled_from(_VEILED), max_size=8).map("".join),
).map(lambda parts: "{}\n<details>\n{}{}\n</details>\n".format(*parts))
_SPOILER = re.compile(r"\|\|([\s\S]+?)\|\|")
"""A spoiler as Discord reads it."""


def _words(letter: str, text: str) -> list[str]:
    return re.findall(rf"{letter}\d+", text)


@given(st.lists(_ROWS, min_size=1, max_size=3).map("".join), st.lists(st.integers(1, 4), min_size=1))
def test_whatever_shares_a_message_nothing_leaks_and_nothing_else_is_veiled(frames: str, sizes: list[int]) -> None:
    numbers = count(1)
    text = re.sub(r"\{([vh])\}", lambda match: f"{match[1]}{next(numbers)}", frames)
    buffer = Buffer(SHOWN, sentences=len(sizes) % 2 > 0)
    items = [*buffer.feed(text), *buffer.flush(Ending.FINAL)]
    segments = [item for item in items if isinstance(item, Segment)]

    messages = []
    while segments:
        size = sizes[len(messages) % len(sizes)]
        group, segments = segments[:size], segments[size:]
        message = group[0].opens_in + "".join(one.text for one in group).strip() + group[-1].ends_in[::-1]
        messages.append(message.replace("||||", ""))  # an empty spoiler is none

    veiled = [spoiler for message in messages for spoiler in _SPOILER.findall(message)]
    seen = [_SPOILER.sub("", message) for message in messages]
    assert (_words("h", text), []) == (_words("h", "".join(veiled)), _words("h", "".join(seen)))
    assert (_words("v", text), []) == (_words("v", "".join(seen)), _words("v", "".join(veiled)))
