from __future__ import annotations

import pytest

from cadenza.text.spans import survey
from cadenza.text.standalone import standalone_parts

SOUP, SPOON, SMIRK, OK = "<:soup_bowl:11>", "<:Soupspoon:12>", "<a:smirk:13>", "<:ok:14>"


def alone(text: str, *, addresses: bool = False) -> list[str]:
    return [loner.text for loner in standalone_parts(text, survey(text).spans, addresses=addresses)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(SOUP, [SOUP], id="nothing else"),
        pytest.param(f"{SOUP} tasty", [SOUP], id="before the words"),
        pytest.param(f"That was great! {SOUP}", [SOUP], id="behind a sentence"),
        pytest.param(f"That was great {SOUP}", [SOUP], id="behind the words"),
        pytest.param(f"終わり。{SOUP}次です", [SOUP], id="behind a Japanese sentence"),
        pytest.param(f"hi {SOUP}\nyou", [SOUP], id="at the end of a line"),
        pytest.param(f"1.{SOUP}", [SOUP], id="a number is no list item without a space"),
        pytest.param(f"Wow! {SOUP}, next", [SOUP], id="with a comma behind it"),
        pytest.param(f"I adore {SOUP}, truly", [], id="inside a sentence"),
        pytest.param(f"yes {SOUP}!", [], id="a mark behind it counts as words"),
        pytest.param(f"I adore {SOUP}{SMIRK} a lot", [], id="two inside a sentence"),
        pytest.param(f"私は{SOUP}が好き", [], id="inside a Japanese sentence"),
        pytest.param(f"1. {SOUP}\n2) {SMIRK}\n- {SOUP}\n* {SMIRK}\n• {SOUP}", [], id="list items"),
        pytest.param(f'he said "{SOUP}" ok', [], id="in quotes"),
        pytest.param(f"**{SOUP} yum**", [], id="in bold"),
        pytest.param(f"ok ({SOUP})", [], id="in brackets"),
        pytest.param(f"`{SOUP}`", [], id="in code"),
        pytest.param("😀 :soup: <@11> <#12> <:b a:1> <t:1:R>", [], id="no emoji of the server"),
    ],
)
def test_an_emoji_stands_alone_unless_its_line_needs_it(text: str, expected: list[str]) -> None:
    assert expected == alone(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param(f"{SOUP} {SPOON}\n{SMIRK}", [SOUP + SPOON, SMIRK], id="by the beginning of their names"),
        pytest.param(f"{SOUP}\n\n{SPOON}", [SOUP + SPOON], id="over line ends"),
        pytest.param(f"{SOUP}{SMIRK}{SOUP}", [SOUP, SMIRK, SOUP], id="in order"),
        pytest.param(f"{OK}{OK}", [OK, OK], id="short names have no beginning"),
        pytest.param(f"{SOUP}\nhi\n{SOUP}", [SOUP, SOUP], id="words between them"),
    ],
)
def test_emoji_of_a_kind_are_one_message(text: str, expected: list[str]) -> None:
    assert expected == alone(text)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("see https://e.org/1 now", ["https://e.org/1"], id="in a sentence"),
        pytest.param("see https://e.org/1, now", ["https://e.org/1,"], id="with what stands right behind it"),
        pytest.param("https://e.org/1 https://e.org/2", ["https://e.org/1 https://e.org/2"], id="two are one message"),
        pytest.param("- see https://e.org/1", ["https://e.org/1"], id="words before it in a list item"),
        pytest.param(
            "- https://e.org/1\n1. https://e.org/2\n> https://e.org/3\n# https://e.org/4", [], id="all there is"
        ),
        pytest.param("(https://e.org/1) **https://e.org/2** <https://e.org/3> [a](https://e.org/4)", [], id="enclosed"),
    ],
)
def test_an_address_stands_alone_where_it_is_asked_for(text: str, expected: list[str]) -> None:
    assert expected == alone(text, addresses=True)
    assert alone(text) == []


def test_what_stands_alone_keeps_its_place() -> None:
    text = f"a! {SOUP} b"

    assert [(loner.start, loner.end) for loner in standalone_parts(text, survey(text).spans, addresses=False)] == [
        (3, 3 + len(SOUP))
    ]
