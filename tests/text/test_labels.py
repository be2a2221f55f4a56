from __future__ import annotations

import pytest

from cadenza.text.labels import (
    DECORATION,
    after_indent,
    after_white,
    any_of,
    before_space,
    decorated_label,
    label,
    opening_label,
    spellings,
)

NAMES = any_of(["Ren", "Ren Amamiya", "É"])


def body(text: str, matched: int | None) -> str | None:
    return None if matched is None else text[matched:]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Ren: hi", "hi", id="plain"),
        pytest.param("REN:hi", "hi", id="in any case, without a space"),
        pytest.param("Ren Amamiya: hi", "hi", id="the longer name"),
        pytest.param("Ren： hi", "hi", id="a full-width colon"),
        pytest.param("Ren : hi", "hi", id="a space in front of the colon"),
        pytest.param("Ren :", "", id="a space in front of the last colon"),
        pytest.param("**Ren:** hi", "hi", id="bold"),
        pytest.param("**Ren**: hi", "hi", id="bold without the colon"),
        pytest.param("*Ren*: hi", "hi", id="italic"),
        pytest.param("_Ren:_ hi", "hi", id="underscores"),
        pytest.param("__Ren__ : hi", "hi", id="underlined with a space"),
        pytest.param("***Ren:*** hi", "hi", id="bold and italic"),
        pytest.param("**Ren: ** hi", "hi", id="closed behind a space"),
        pytest.param("**Ren:***sighs* hi", "*sighs* hi", id="an action directly behind"),
        pytest.param("Ren:\nhi", "\nhi", id="the line end stays"),
        pytest.param("e\u0301: hi", "hi", id="an accent in two characters"),
        pytest.param("*Ren: *sighs* hi", None, id="an action opens"),
        pytest.param("**Ren: hi**", None, id="not closed"),
        pytest.param("Ren::new()", None, id="two colons"),
        pytest.param("Ren:) hi", None, id="a smiley"),
        pytest.param("Ren :D hi", None, id="a smiley behind a space"),
        pytest.param("Ren :wave: hi", None, id="an emoji behind a space"),
        pytest.param("Ren:wave: hi", None, id="an emoji without a space"),
        pytest.param("Ren:+1: hi", None, id="thumbs up"),
        pytest.param("Ren:12:30 is fine", "12:30 is fine", id="a clock time behind it"),
        pytest.param("Ren:not it: hi", "not it: hi", id="words before another colon"),
        pytest.param("Ren: :wave: hi", ":wave: hi", id="an emoji behind it"),
        pytest.param("Ren：）hi", None, id="a full-width smiley"),
        pytest.param("Ren://hi", None, id="an address"),
        pytest.param("Ren: //hi", "//hi", id="slashes behind it"),
        pytest.param("**Ren :** hi", "hi", id="bold with a space"),
        pytest.param("**Ren :wave:** hi", None, id="an emoji in bold"),
        pytest.param("Renate: hi", None, id="a longer name"),
        pytest.param("Ren\n: hi", None, id="on two lines"),
        pytest.param("`Ren:` hi", None, id="in backticks"),
    ],
)
def test_a_plain_label(text: str, expected: str | None) -> None:
    match = label(NAMES).match(text)

    assert expected == body(text, match and match.end())


SMILEYS = [
    ":)",
    ":-)",
    ":'(",
    ":^)",
    ":))",
    ":(",
    ":[",
    ":/",
    ":-/",
    ":\\",
    ":|",
    ":>",
    ":@",
    ":D",
    ":DDD",
    ":P",
    ":o",
    ":c",
    ":3",
]


@pytest.mark.parametrize("smiley", SMILEYS)
def test_a_smiley_does_not_make_a_label(smiley: str) -> None:
    for text in (
        f"Ren{smiley}",
        f"Ren{smiley} hi",
        f"Ren{smiley}!",
        f"Ren{smiley}...",
        f"Ren{smiley}\nhi",
        f"Ren {smiley} hi",
    ):
        assert label(NAMES).match(text) is None
        assert decorated_label(NAMES, NAMES).match(text.replace("Ren", "Ren (mad)", 1)) is None
    assert label(NAMES).match(f"Ren: {smiley}")


SPEECH = ["Do it", "D-don't", "3rd", "c'est moi", "O’Neil", "p_1", "d", "ooo", "'hi'", "-x", "*sighs*", "(sighs) hi"]
ASIDES = ["(...) hi", "(*sighs*)", "(?!) what", "[…] hi"]
MARKUP = ["[a](b)", "<@1> hi", "||a||", "/shrug", "@Bob", "{a}"]


@pytest.mark.parametrize("speech", [*SPEECH, *ASIDES, *MARKUP])
def test_words_behind_a_colon_are_no_smiley(speech: str) -> None:
    text = f"Ren:{speech}"
    match = label(NAMES).match(text)

    assert speech == body(text, match and match.end())


def test_a_clock_time_does_not_make_a_label() -> None:
    assert label(any_of(["Unit 7"])).match("Unit 7:30 sharp") is None
    assert label(any_of(["Unit 7"])).match("Unit 7: 30 sharp")


def test_a_label_does_not_begin_within_a_word() -> None:
    assert label(NAMES).search("Lauren: hi, 3Ren: hi") is None
    assert label(NAMES).search("x Ren: hi") is not None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Ren (mad): grr", ("mad", "grr"), id="plain"),
        pytest.param("ren(mad):grr", ("mad", "grr"), id="without spaces"),
        pytest.param("  Ren  ( mad ) :  grr", (" mad ", "grr"), id="with spaces"),
        pytest.param("Ren（照れ）：うん", ("照れ", "うん"), id="full width"),
        pytest.param("Ren (mad）: hi", ("mad", "hi"), id="mixed brackets"),
        pytest.param("`Ren (mad):` grr", ("mad", "grr"), id="in backticks"),
        pytest.param("_Ren (mad):_ grr", ("mad", "grr"), id="in underscores"),
        pytest.param("*Ren (mad):* hi", ("mad", "hi"), id="italic"),
        pytest.param("**Ren (mad)**: grr", ("mad", "grr"), id="bold without the colon"),
        pytest.param("** Ren (mad):** grr", ("mad", "grr"), id="a space in the bold"),
        pytest.param("Ren: Ren (mad): grr", ("mad", "grr"), id="behind a plain label"),
        pytest.param("Aki: Ren: Ren (mad): grr", ("mad", "grr"), id="behind a chain"),
        pytest.param("**Aki: Ren (mad):** grr", ("mad", "grr"), id="a chain in bold"),
        pytest.param("Ren Amamiya (mad): x", ("mad", "x"), id="the longer name"),
        pytest.param("Ren (" + "m" * 64 + "): x", ("m" * 64, "x"), id="the longest modifier"),
        pytest.param("Ren (" + "m" * 65 + "): x", None, id="too long a modifier"),
        pytest.param("Ren (): grr", None, id="empty brackets"),
        pytest.param("Ren ( \u3000): grr", None, id="blank brackets"),
        pytest.param("Ren (a:b): x", None, id="a colon in the brackets"),
        pytest.param("Ren ((mad)): x", None, id="brackets in the brackets"),
        pytest.param("Ren (mad) :grr", ("mad", "grr"), id="a space in front of the colon only"),
        pytest.param("Ren (mad):wave: hi", None, id="an emoji"),
        pytest.param("Ren (mad) :wave: hi", None, id="an emoji behind a space"),
        pytest.param("**Ren (mad)** :wave: hi", None, id="an emoji behind bold"),
        pytest.param("Ren :wave: Ren (mad): hi", None, id="an emoji behind a name in front"),
        pytest.param("Ren (mad) hi", None, id="no colon"),
        pytest.param("Ren\n(mad): x", None, id="on two lines"),
        pytest.param("Ren (m\nad): x", None, id="brackets on two lines"),
        pytest.param("**Ren (mad): grr", None, id="not closed"),
        pytest.param("* Ren (mad): *sighs* hi", None, id="a bullet"),
        pytest.param("*Ren (mad): *sighs* hi", None, id="an action opens"),
        pytest.param("Aki (mad): grr", None, id="a name of the chain"),
        pytest.param("Zed: Ren (mad): grr", None, id="behind somebody unknown"),
        pytest.param("- Ren (mad): x", None, id="a list"),
        pytest.param("1. Ren (mad): x", None, id="a numbered list"),
        pytest.param("> Ren (mad): x", None, id="a quote"),
        pytest.param("```\nRen (mad): x", None, id="a fence"),
        pytest.param("...Ren (mad): x", None, id="something in front"),
    ],
)
def test_a_decorated_label(text: str, expected: tuple[str, str] | None) -> None:
    match = decorated_label(NAMES, any_of(["Ren", "Aki"])).match(text)

    assert expected == (match and (match["modifier"], text[match.end() :]))
    assert match is None or DECORATION.search(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Ren: hi", "hi", id="plain"),
        pytest.param("Ren (v2): hi", "hi", id="decorated"),
        pytest.param("**Ren (mad)**: hi", "hi", id="decorated in bold"),
        pytest.param("{bot}: hi", "hi", id="a macro"),
        pytest.param("{{ char }}: hi", "hi", id="a macro with spaces"),
        pytest.param("**{{user}}:** hi", "hi", id="a macro in bold"),
        pytest.param("{persona}: hi", None, id="no macro"),
        pytest.param("{bot}} hi", None, id="no colon"),
        pytest.param("Aki: hi", None, id="somebody else"),
    ],
)
def test_what_a_reply_may_open_with(text: str, expected: str | None) -> None:
    match = opening_label(NAMES).match(text)

    assert expected == body(text, match and match.end())


def test_names_are_spelled_in_both_ways_longest_first() -> None:
    assert spellings(["É", "Ren", ""]) == ("Ren", "E\u0301", "\u00c9")


def test_names_are_taken_literally_and_none_is_none() -> None:
    assert label(any_of(["a+b"])).match("a+b: hi")
    assert label(any_of(["a.b"])).match("axb: hi") is None
    assert label(any_of([])).match(": hi") is None


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Ren" + " " * 50_000, id="blanks behind a name"),
        pytest.param("Ren: " * 10_000, id="labels without end"),
        pytest.param("Ren:" + "(" * 50_000 + "x", id="mouths"),
        pytest.param("Ren:" + "D" * 50_000 + "x", id="laughter"),
        pytest.param("*" * 50_000, id="stars"),
        pytest.param("Ren (" * 10_000, id="brackets"),
        pytest.param(" " * 50_000 + "*", id="indentation"),
    ],
)
def test_no_text_is_looked_at_twice(text: str) -> None:
    """Were it, this would take minutes."""
    assert decorated_label(NAMES, NAMES).match(text) is None
    assert DECORATION.search(text) is None


def test_white_space_is_skipped_in_a_line_or_over_lines() -> None:
    text = "a \u3000\n b"

    assert (3, 5) == (after_indent(text, 1), after_white(text, 1))
    assert (4, 3) == (before_space(text, 5), before_space(text, 3))
    assert before_space("  x", 2, 1) == 1
