from __future__ import annotations

import pytest

from cadenza.explain.text_origins import TextOrigins


def heard(*pieces: str) -> TextOrigins:
    """What knows *pieces*, one a second."""
    hearsay = TextOrigins()
    for second, piece in enumerate(pieces):
        hearsay.add(piece, float(second))
    return hearsay


def raw(hearsay: TextOrigins, characters: object, pieces: str) -> list[str]:
    """What *characters* are in the model's text, in UTF-16 units."""
    data = pieces.encode("utf-16-le", "surrogatepass")
    return [data[2 * a : 2 * b].decode("utf-16-le", "surrogatepass") for a, b in hearsay.ranges(characters)]  # type: ignore[arg-type]  # as the methods give them


def test_what_left_is_found_where_it_stood() -> None:
    text = "Hello 🌠 there.\nHow are you?\n"
    hearsay = heard(text)

    assert ["Hello 🌠 there."] == raw(hearsay, hearsay.take("Hello🌠there.").owned, text)
    assert ["How are you?"] == raw(hearsay, hearsay.take("Howareyou?").owned, text)
    assert [] == list(hearsay.take_rest())


def test_half_a_character_waits_for_the_other_half() -> None:
    hearsay = heard("a\ud83c", "\udf20b")

    assert [[0, 4]] == hearsay.ranges(hearsay.take("a🌠b").owned)
    assert (1.0, 1) == hearsay.heard_at(1)


def test_half_a_character_that_stays_half_is_one_too() -> None:
    hearsay = heard("a\ud83c")

    assert [[0, 2]] == hearsay.ranges([*hearsay.take("a").owned, *hearsay.take_rest()])


def test_it_knows_when_a_character_came() -> None:
    hearsay = heard("ab", " ", "c")

    assert [(0.0, 0), (0.0, 0), (2.0, 2)] == [hearsay.heard_at(character) for character in range(3)]


@pytest.mark.parametrize(
    ("text", "kind", "words", "expected"),
    [
        pytest.param("a <think>b c</think> d", "thought", "b c", "<think>b c</think>", id="a thought"),
        pytest.param("a <ns:THINKING>b</ns:thinking> d", "thought", "b", "<ns:THINKING>b</ns:thinking>", id="with a namespace"),
        pytest.param("a <think>b c", "thought", "b c", "<think>b c", id="a thought without end"),
        pytest.param("a b</think> d", "thought", "a b", "a b</think>", id="a thought that nothing opened"),
        pytest.param("`<think>` <think>b</think>", "thought", "b", "<think>b</think>", id="a tag that is none"),
        pytest.param("<details open>\n<summary>s</summary>x</details>y", "details", "x", "<details open>\n<summary>s</summary>x</details>", id="details"),
        pytest.param(
            "<details>x\n<details>y</details>z</details>a",
            "details",
            "x\n<details>y</details>z",
            "<details>x\n<details>y</details>z</details>",
            id="details in details",
        ),
        pytest.param("The <details> tag.\n<details>x</details>y", "details", "x", "<details>x</details>", id="after a mention"),
        pytest.param("a <details>x", "details", "x", "<details>x", id="details without end"),
    ],
)  # fmt: skip
def test_a_hidden_block_is_found_with_its_tags(text: str, kind: str, words: str, expected: str) -> None:
    hearsay = heard(text)

    assert [expected] == raw(hearsay, hearsay.hide(kind, words), text)


def test_a_block_in_the_middle_of_a_line_is_not_in_the_line() -> None:
    text = "Hello <think>who?</think> you.\n"
    hearsay = heard(text)
    hearsay.hide("thought", "who?")

    assert ["Hello", "you."] == raw(hearsay, hearsay.take("Helloyou.").owned, text)


def test_a_block_that_is_nowhere_hides_nothing() -> None:
    assert [] == list(heard("Hello").hide("thought", "who?"))


def test_the_tags_of_an_empty_block_belong_to_no_text() -> None:
    text = "<think> </think>Hello"
    hearsay = heard(text)
    taken = hearsay.take("Hello")

    assert (["<think> </think>"], ["Hello"]) == (raw(hearsay, taken.hidden, text), raw(hearsay, taken.owned, text))


def test_text_that_stands_far_behind_is_found() -> None:
    text = "<think>" + "nobody told " * 500 + "</think>Hello there, everybody."
    hearsay = heard(text)
    taken = hearsay.take("Hellothere,everybody.")

    assert ["Hello there, everybody."] == raw(hearsay, taken.owned, text)
    assert len("".join(text.split())) - len(taken.owned) == len(taken.passed)


def test_what_was_put_in_is_made_of_nothing() -> None:
    hearsay = heard("Hello")

    assert [] == list(hearsay.take("```").owned)
    assert 5 == len(hearsay.take("Hello").owned)


def test_what_arrives_twice_is_given_back_where_that_is_known() -> None:
    hearsay = TextOrigins()
    hearsay.repeats = True
    hearsay.add("Hello there, ", 0.0)
    twice = hearsay.add("Hello there, you.", 1.0)

    assert [[13, 25]] == hearsay.ranges(twice)
    assert [[0, 12], [26, 30]] == hearsay.ranges(hearsay.take("Hellothere,you.").owned)


def test_what_is_over_is_forgotten_in_time() -> None:
    hearsay = heard("word " * 40_000)
    for _ in range(40_000):
        hearsay.take("word")

    assert [] == list(hearsay.take_rest())
