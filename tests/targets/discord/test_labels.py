"""Names in front of a text, and texts that are too long."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.targets.discord.labels import LONGEST, file_name, labelled, plain_name, read_label, shortened
from cadenza.text.units import units


@pytest.mark.parametrize(
    ("name", "text", "messages"),
    [
        ("Ren", "Hi.", ["**Ren:** Hi."]),
        ("Ren", "", ["**Ren:**"]),
        ("R*n_", "Hi.", [r"**R\*n\_:** Hi."]),
        ("Ren", "```py\nx\n```", ["**Ren:**\n```py\nx\n```"]),
        ("Ren", "> quoted", ["**Ren:**\n> quoted"]),
        ("Ren", "- item", ["**Ren:**\n- item"]),
        ("Ren", "2. item", ["**Ren:**\n2. item"]),
        ("Ren", "**bold** it is", ["**Ren:** **bold** it is"]),
        ("", "Hi.", ["**Persona:** Hi."]),
        ("\u200b", "Hi.", ["**Persona:** Hi."]),
        ("[Ren](https://example.com)", "Hi.", [r"**\[Ren\](https\://example.com):** Hi."]),
        ("<@1> :tea:", "Hi.", [r"**\<@1> \:tea\::** Hi."]),
        ("Clyde", "Hi.", ["**Clyde:** Hi."]),
    ],
    ids=[
        "text",
        "nothing",
        "marks in the name",
        "code",
        "quote",
        "list",
        "numbers",
        "bold",
        "no name",
        "an unseen name",
        "a link",
        "tags",
        "a forbidden name",
    ],
)
def test_a_name_stands_in_front(name: str, text: str, messages: list[str]) -> None:
    assert messages == labelled(name, text)


def test_a_text_that_gets_too_long_is_cut() -> None:
    text = "word " * 390
    messages = labelled("A name that is not short at all, and goes on for a while", text.strip())
    assert 2 == len(messages)
    assert all(units(message) <= LONGEST for message in messages)
    assert text.split() == " ".join(messages).split(":** ")[1].split()


def test_a_code_block_is_not_cut_for_the_sake_of_a_name() -> None:
    block = "```py\n" + "x = 1\n" * 324 + "```"
    assert ["**" + "N" * 80 + ":**", block] == labelled("N" * 80, block)


@given(st.text(max_size=100), st.text(min_size=1, max_size=2500))
def test_no_message_with_a_name_is_longer_than_discord_takes(name: str, text: str) -> None:
    assert all(units(message) <= LONGEST for message in labelled(name * 30, text[:1950]) if units(text) <= 1950)


def test_what_is_shortened_keeps_its_words_and_its_code_blocks() -> None:
    text = "words " * 100 + "\n```py\n" + "x = 1\n" * 200 + "```"
    pieces = shortened(text, 500)
    assert all(units(piece) <= 500 for piece in pieces)
    assert 100 == sum(piece.count("words") for piece in pieces)
    assert 200 == sum(piece.count("x = 1") for piece in pieces)
    assert all(piece.count("```") in (0, 2) for piece in pieces)


@pytest.mark.parametrize(
    ("name", "plain"),
    [("Ren", "Ren"), ("R€n ☆ (mad)", "Rn (mad)"), ("☆", ""), ("  a   b ", "a b"), ("れん", "れん")],
)
def test_a_plain_name_has_nothing_odd_in_it(name: str, plain: str) -> None:
    assert plain == plain_name(name)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("fox.png", "fox.png"),
        ("deep\nred.png", "deep_red.png"),
        ("a/b\\c.png", "c.png"),
        ("\u202egnp.exe", "_gnp.exe"),
        ("..", "file"),
        ("", "file"),
        ("狐.png", "狐.png"),
        (f"{'a' * 300}.png", f"{'a' * 96}.png"),
    ],
)
def test_the_name_of_a_file_breaks_no_request(name: str, expected: str) -> None:
    assert expected == file_name(name)


@pytest.mark.parametrize("name", ["Ren", "R*e_n", "Ren: the fox", "狐"])
@pytest.mark.parametrize("text", ["Hello.", "- a list", "```\ncode\n```"])
def test_a_label_is_read_back(name: str, text: str) -> None:
    [whole] = labelled(name, text)

    found = read_label(whole)

    assert found is not None
    assert (name, text) == (found[0], whole[found[1] :])


def test_what_is_no_label_is_none() -> None:
    assert [None, None] == [read_label("Ren: hello"), read_label("**Ren** hello")]
