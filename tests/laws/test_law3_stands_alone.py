"""Law 3: every message stands alone: short enough, closed, and with nothing cut that people see as one."""

from __future__ import annotations

import re

import pytest
import regex
from hypothesis import given, strategies as st

from cadenza.text.units import WHITESPACE, units
from tests.laws.material import CORPUS, messages, nasty_markdown
from tests.laws.nasty import DEGREES

_CODE_BLOCK = re.compile(r"(`{3,})(?:.|\n)*?\1`*")


def _is_sound(message: str, limit: int) -> bool:
    """Short enough, not blank, every code block closed, and text that can be sent at all."""
    message.encode("utf-8")
    return units(message) <= limit and bool(message.strip(WHITESPACE)) and _is_closed(message)


def _is_closed(message: str) -> bool:
    """Whether every code block is closed; outside code a backtick behind a backslash is only a backtick."""
    rest = _CODE_BLOCK.sub("", message)
    return "```" not in rest or "```" not in _CODE_BLOCK.sub("", re.sub(r"\\`", "", message))


@pytest.mark.parametrize("limit", [1950, 300, 60])
@pytest.mark.parametrize("name", CORPUS)
def test_the_messages_of_a_real_reply_are_sound(name: str, limit: int) -> None:
    for degree in DEGREES:
        for message in messages(CORPUS[name], degree=degree, limit=limit):
            assert _is_sound(message, limit), message


@given(nasty_markdown(), st.sampled_from([1950, 300, 50]), st.sampled_from(DEGREES))
def test_the_messages_of_nasty_markdown_are_sound(text: str, limit: int, degree: int | None) -> None:
    for message in messages(text, degree=degree, limit=limit):
        assert _is_sound(message, limit), message


@given(
    st.lists(st.sampled_from(["👨‍👩‍👧‍👦", "🇯🇵", "👍🏽", "e\u0301", "日", "a", " "]), max_size=400), st.integers(50, 200)
)
def test_no_character_is_cut(characters: list[str], limit: int) -> None:
    text = "".join(characters)
    whole = set(regex.findall(r"\X", text))

    for message in messages(text, degree=1, limit=limit):
        assert set(regex.findall(r"\X", message)) <= whole


@given(
    st.lists(
        st.sampled_from(
            [
                "https://example.org/a_(b)/c?d=e&f=g",
                "<:soup:123456789012345678>",
                "<@123456789012345678>",
                "[a link](https://example.org/x)",
                "`some code`",
                "word",
                "and.",
            ]
        ),
        max_size=60,
    ),
    st.integers(50, 120),
)
def test_no_address_tag_link_or_code_is_cut(things: list[str], limit: int) -> None:
    # Emoji that stand alone are put together without a space.
    arrived = [piece for message in messages(" ".join(things), degree=1, limit=limit) for piece in _words(message)]

    assert [piece for thing in things for piece in _words(thing)] == arrived


def _words(text: str) -> list[str]:
    return text.replace("><:", "> <:").split(" ")


@given(st.integers(1, 600), st.sampled_from(["**", "*", "~~", "||", "__", "***"]), st.integers(60, 300))
def test_emphasis_that_has_to_be_cut_is_closed_and_opened_again(count: int, mark: str, limit: int) -> None:
    text = mark + "word " * count + "end" + mark

    pieces = messages(text, degree=1, limit=limit, hold=100_000, overflow=100_000)

    assert all(piece.startswith(mark) and piece.endswith(mark) for piece in pieces)


@given(st.integers(0, 360), st.sampled_from(["**{}**", "`{}`", "[{}](https://e.org)", '"{}"', "~~{}~~", "({})"]))
def test_what_fits_into_a_message_is_not_cut_however_much_follows(count: int, frame: str) -> None:
    whole = frame.format("word " * count + "end")
    text = f"some words {whole} " + "tail " * 500

    assert any(whole in message for message in messages(text, degree=1, hold=8000))


@given(st.integers(1, 300), st.sampled_from(["py", "c++", "objective-c", "py title=x", ""]), st.integers(60, 300))
def test_a_code_block_that_has_to_be_cut_keeps_its_first_line_and_every_other(
    count: int, info: str, limit: int
) -> None:
    lines = ["", "    indented", "x = 1", "\ty"] * count

    pieces = messages(f"```{info}\n" + "\n".join(lines) + "\n```", degree=1, limit=limit, code_overflow=1_000_000)

    assert all(piece.startswith(f"```{info}\n") and piece.endswith("\n```") for piece in pieces)
    assert lines == [line for piece in pieces for line in piece.split("\n")[1:-1]]
