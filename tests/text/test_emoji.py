from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.emoji import EMOJI, EmojiText, Form, InWords, _drawn, drawn_emoji, emoji_names, written_emoji
from tests.helpers import calls_of


def found(text: str, odd: str = "") -> list[tuple[Form, str]]:
    return [(emoji.form, text[emoji.start : emoji.end]) for emoji in written_emoji(text, odd)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<:a:1> <a:B_2:34>", ["a", "B_2"], id="tags"),
        pytest.param("<b:a:1> <:a:> <::1> <:a-b:1> <:é:1>", [], id="none"),
    ],
)
def test_a_tag_of_discord_has_a_name(text: str, expected: list[str]) -> None:
    assert expected == [match["name"] for match in EMOJI.finditer(text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a <:b:1><a:c~1:>", [(Form.TAG, "<:b:1>"), (Form.TAG, "<a:c~1:>")], id="tags"),
        pytest.param("<a:b> <:3:1>", [(Form.TAG, "<a:b>"), (Form.TAG, "<:3:1>")], id="without an id, with a number"),
        pytest.param("<:3> <a:1:>", [(Form.NEARLY_TAG, "<:3>"), (Form.NEARLY_TAG, "<a:1:>")], id="faces"),
        pytest.param("<e:b:12345678901234567>", [(Form.TAG, "<e:b:12345678901234567>")], id="a prefix, a real id"),
        pytest.param("<e:b:1>", [(Form.NEARLY_TAG, "<e:b:1>")], id="a prefix"),
        pytest.param("<::b:1> <:b::1>", [(Form.NEARLY_TAG, "<::b:1>"), (Form.TAG, "<:b::1>")], id="doubled colons"),
        pytest.param("<::b> <::b:>", [(Form.UNCLOSED, ":b")], id="a path in angle brackets"),
        pytest.param("<@x:b:> <é:b:> x<y:b:>", [], id="in what is nearly a tag"),
        pytest.param("<3:b: <x> :b:>", [(Form.SHORTCODE, ":b:"), (Form.SHORTCODE, ":b:")], id="behind what is none"),
        pytest.param("<:b:1 <a:c:", [(Form.NEARLY_TAG, "<:b:1"), (Form.NEARLY_TAG, "<a:c:")], id="not closed"),
        pytest.param(":a: :b", [(Form.SHORTCODE, ":a:"), (Form.UNCLOSED, ":b")], id="shortcodes"),
        pytest.param(":a:b:", [(Form.SHORTCODE, ":a:"), (Form.SHORTCODE, ":b:")], id="one colon for two"),
        pytest.param("<x:b> <@1>:é: : ::", [(Form.UNCLOSED, ":b")], id="none"),
        pytest.param(r"\:a: \<:a:1>", [], id="escaped"),
        pytest.param(":" + "a" * 65 + ":", [(Form.UNCLOSED, ":" + "a" * 64)], id="too long"),
    ],
)
def test_emoji_are_found_as_they_are_written(text: str, expected: list[tuple[Form, str]]) -> None:
    assert expected == found(text)


def test_names_may_hold_what_they_are_told() -> None:
    assert [] == found(":é]^-:"), "é begins no name"
    assert [(Form.SHORTCODE, ":é]^-:")] == found(":é]^-:", "é]^")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(":a: b", [True], id="at the beginning"),
        pytest.param("(:a:)", [True], id="between marks"),
        pytest.param("あ:a:あ", [True], id="between other letters"),
        pytest.param(":a::b::c:", [True, True, True], id="in a row"),
        pytest.param("x:a: :b:x 1:c:", [False, False, False], id="in words"),
        pytest.param("x:a::b:", [False, False], id="behind one in a word"),
        pytest.param("::a: :b:: :c::d", [False, False, False], id="beside a colon"),
        pytest.param("std::vec::new:", [False, False], id="in a path"),
    ],
)
def test_a_shortcode_stands_between_what_is_no_word(text: str, expected: list[bool]) -> None:
    assert expected == [emoji.is_separate for emoji in written_emoji(text) if emoji.form is Form.SHORTCODE]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi:a:there", [True], id="between letters"),
        pytest.param("hi:a:you:b:there", [True, True], id="two in a word"),
        pytest.param("hi:a::b::a:x", [True, True, True], id="a row"),
        pytest.param("x:a:y z:a:y:b", [True, False], id="one word of two"),
        pytest.param("<:c:1>x:a:y", [True], id="behind a tag"),
        pytest.param("1:a:x x:a:1 1:a::b:x", [False, False, False, False], id="beside a digit"),
        pytest.param("<3:a: :a:1", [True, True], id="beside a digit on one side"),
        pytest.param("x:c:y:a:z", [False], id="beside an unknown name"),
        pytest.param("x:a:y:z u:v:a:b:w", [False, False, False], id="another colon"),
        pytest.param("x::a::y ::a:: ::a:y", [False, False, False], id="doubled colons"),
        pytest.param("Note::a: :c:a: ::a::b:", [True, True, True, True], id="nothing on one side"),
    ],
)
def test_a_shortcode_in_a_word_is_one_if_all_colons_are_of_some(text: str, expected: list[bool]) -> None:
    words = InWords(text, lambda name: name in ("a", "b"))
    shortcodes = [emoji for emoji in written_emoji(text) if emoji.form is Form.SHORTCODE and emoji.name in ("a", "b")]

    assert expected == [words.holds(emoji) for emoji in shortcodes]


@pytest.mark.parametrize("unit", ["x:a:", ":a:x", "x:a:y ", "x::a::", "x:a:y:", ":a:"])
def test_what_a_look_at_words_costs_grows_with_the_text(unit: str) -> None:
    def cost(length: int) -> int:
        text = "x" + unit * (length // len(unit)) + "x"
        found = [emoji for emoji in written_emoji(text) if emoji.form is Form.SHORTCODE]
        words = InWords(text, lambda name: name == "a")
        return calls_of(lambda: [words.holds(emoji) for emoji in found])

    assert cost(4000) < 3 * cost(2000) + 100


@pytest.mark.parametrize(
    ("emoji", "number", "plain"),
    [
        pytest.param(EmojiText(Form.SHORTCODE, 0, 0, "a1", is_separate=True), False, True, id="a shortcode"),
        pytest.param(EmojiText(Form.SHORTCODE, 0, 0, "_", is_separate=True), False, True, id="an underscore"),
        pytest.param(EmojiText(Form.SHORTCODE, 0, 0, "a", is_separate=False), False, False, id="in a word"),
        pytest.param(EmojiText(Form.SHORTCODE, 0, 0, "30", is_separate=True), True, False, id="a number"),
        pytest.param(EmojiText(Form.SHORTCODE, 0, 0, "+1", is_separate=True), True, True, id="thumbs up"),
        pytest.param(EmojiText(Form.SHORTCODE, 0, 0, "-1", is_separate=False), True, False, id="minus one in a word"),
        pytest.param(EmojiText(Form.TAG, 0, 0, "30", is_separate=False), True, True, id="a tag"),
        pytest.param(EmojiText(Form.NEARLY_TAG, 0, 0, "a", is_separate=False), False, False, id="nearly a tag"),
        pytest.param(EmojiText(Form.UNCLOSED, 0, 0, "a", is_separate=False), False, False, id="not closed"),
    ],
)
def test_some_are_emoji_whoever_asks(emoji: EmojiText, number: bool, plain: bool) -> None:  # noqa: FBT001
    assert (number, plain) == (emoji.is_number, emoji.is_plain)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("hi :a: <:b:1> c: 10:30", ["a", "b", "1", "30"], id="names and numbers"),
        pytest.param("hi: there :)", [], id="none"),
    ],
)
def test_a_quick_look_finds_every_name(text: str, expected: list[str]) -> None:
    assert expected == emoji_names(text)


@given(st.lists(st.sampled_from([*":<>a1~+\\ \n", "<:", ":b:", "é"]), max_size=30).map("".join))
def test_a_quick_look_misses_nothing(text: str) -> None:
    assert {emoji.name for emoji in written_emoji(text, "é")} <= set(emoji_names(text, "é"))


@pytest.mark.parametrize(
    "emoji",
    [
        pytest.param("🎉", id="one"),
        pytest.param("⌚", id="an old one"),
        pytest.param("❤️", id="a symbol that is to be drawn"),
        pytest.param("©️", id="a letter that is to be drawn"),
        pytest.param("👍🏽", id="a skin tone"),
        pytest.param("☝🏽", id="a symbol with a skin tone"),
        pytest.param("☝️🏽", id="both"),
        pytest.param("🏽", id="a skin tone alone"),
        pytest.param("👨‍👩‍👧‍👦", id="a family"),
        pytest.param("👩🏽‍❤️‍💋‍👩🏿", id="a kiss"),
        pytest.param("🏳️‍🌈", id="a rainbow flag"),
        pytest.param("❤‍🔥", id="a heart on fire"),
        pytest.param("👁‍🗨", id="an eye in a bubble"),
        pytest.param("🇯🇵", id="a flag"),
        pytest.param("🇯", id="half a flag"),
        pytest.param("🏴󠁧󠁢󠁥󠁮󠁧󠁿", id="the flag of England"),
        pytest.param("1️⃣", id="a keycap"),
        pytest.param("#⃣", id="a keycap without a selector"),
    ],
)
def test_what_is_drawn_is_found_whole(emoji: str) -> None:
    assert [(1, 1 + len(emoji))] == list(drawn_emoji(f"a{emoji}b"))


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("plain text, 12 #*", id="text"),
        pytest.param("™ © ☑ ↔ ℹ ❤ ☺ ♀", id="symbols"),
        pytest.param("⌚︎", id="an emoji that is to be text"),
        pytest.param("می‌خواهم क्‍ष", id="letters that are joined"),
        pytest.param("1️ a\ufe0f \u200d \ud83d", id="odds and ends"),
    ],
)
def test_text_is_not_drawn(text: str) -> None:
    assert list(drawn_emoji(text)) == []


def test_the_quick_look_at_a_character_misses_nothing() -> None:
    """Every character there is, alone and with what makes some of them pictures."""
    drawn = _drawn()
    missed = [
        text
        for code in range(0x20, 0x20000)
        for text in (chr(code), chr(code) + "\ufe0f", chr(code) + "\U0001f3fd")
        if drawn.match(text) and not list(drawn_emoji(text))
    ]

    assert missed == []


@pytest.mark.parametrize("text", ["<:wave:abc>", "<:wave:12a>", "<:wave:x:1>", "<a:wave:x>", "<::wave:>"])
def test_what_only_begins_like_a_tag_holds_no_emoji(text: str) -> None:
    assert [] == [emoji for emoji in written_emoji(text) if emoji.form is not Form.UNCLOSED]
