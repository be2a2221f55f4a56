from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.name_triggers import called

WORDS = {
    "Ren": ("Ren", "mirror boy"),
    "Tomori": ("Tomori",),
    "Shy Tomori": ("Shy Tomori", "lilya"),
    "蓮": ("蓮", "レン"),
    "José": ("José",),
    "राम": ("राम",),
    "🌸": ("🌸",),
}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Ren, are you there?", ["Ren"], id="a name"),
        pytest.param("hey REN!", ["Ren"], id="in any case"),
        pytest.param("@ren look", ["Ren"], id="as a handle"),
        pytest.param("Ren's hat", ["Ren"], id="a possessive"),
        pytest.param("Ren-chan", ["Ren"], id="with a suffix"),
        pytest.param("*Ren*, _Ren_, __Ren__", ["Ren"], id="in emphasis, once"),
        pytest.param("Trent and Renata met in ren_bot", [], id="within words"),
        pytest.param("write to me@ren.example or ren@example.org", [], id="in mail addresses"),
        pytest.param("Renさん、おはよう", ["Ren"], id="next to kana"),
        pytest.param("the mirror boy again", ["Ren"], id="a word of several words"),
        pytest.param("Shy Tomori came", ["Shy Tomori"], id="the longest counts"),
        pytest.param("Tomori and Ren and lilya", ["Tomori", "Ren", "Shy Tomori"], id="in the order of appearance"),
        pytest.param("今日の蓮くんとレンコン", ["蓮"], id="scripts without words, by a part"),
        pytest.param("hi Jose\u0301", ["José"], id="an accent in two characters"),
        pytest.param("नमस्ते राम", ["राम"], id="a word of Devanagari"),
        pytest.param("रामा", [], id="a vowel sign makes it another word"),
        pytest.param("nice 🌸!", ["🌸"], id="what is no letter"),
        pytest.param("`Ren` is a variable", [], id="in code"),
        pytest.param("```py\nRen = 1\n```", [], id="in a code block"),
        pytest.param("```py\nx = 1\n```\nRen?", ["Ren"], id="behind a code block"),
        pytest.param("see https://example.org/Ren and <https://ren.example/Ren>", [], id="in an address"),
        pytest.param("<:Ren:123> <@1> </Ren:5>", [], id="in tags"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_who_is_called(text: str, expected: list[str]) -> None:
    assert expected == list(called(text, WORDS))


def test_a_word_of_two_calls_the_first() -> None:
    assert ("A",) == called("bot?", {"A": ("bot",), "B": ("Bot", "B")})


def test_blank_words_call_nobody() -> None:
    assert () == called("anything @ all", {"A": ("", " ", "@")})


@given(
    st.text(alphabet="ab Ren`_*<>@:/.蓮\n", max_size=60), st.lists(st.text(alphabet="Renab蓮 ", max_size=4), max_size=4)
)
def test_only_who_is_known_is_called_and_once(text: str, words: list[str]) -> None:
    found = called(text, {word: (word,) for word in words})

    assert len(found) == len(set(found))
    assert set(found) <= set(words)
