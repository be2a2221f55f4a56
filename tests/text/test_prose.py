from __future__ import annotations

import re
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from cadenza.text.prose import Prose, replacements
from cadenza.text.spans import SpanKind
from cadenza.types import Edit

X = re.compile("x")
WORD = re.compile("[a-z]+")


def edited(text: str, *edits: Edit) -> str:
    return Prose.of(text).edited(edits).text


def without(pattern: str, text: str, replacement: str = "") -> str:
    prose = Prose.of(text)
    return prose.edited(replacements(prose, re.compile(pattern), replacement)).text


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        pytest.param("plain *bold* text", [], id="prose"),
        pytest.param("`a` b", [SpanKind.CODE], id="code"),
        pytest.param("see https://e.x/y now", [SpanKind.URL], id="an address"),
        pytest.param("[a](https://e.x)", [SpanKind.LINK], id="a link is one, with what is in it"),
        pytest.param("hi <@1> <:w:2>", [SpanKind.TAG, SpanKind.TAG], id="tags"),
        pytest.param("", [], id="nothing"),
    ],
)
def test_what_is_out_of_reach_is_known(text: str, kinds: list[SpanKind]) -> None:
    assert kinds == [span.kind for span in Prose.of(text).kept]


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        pytest.param(0, 1, True, id="before"),
        pytest.param(0, 2, True, id="up to it"),
        pytest.param(0, 3, False, id="into it"),
        pytest.param(2, 5, False, id="all of it"),
        pytest.param(3, 4, False, id="inside"),
        pytest.param(5, 6, True, id="behind"),
        pytest.param(2, 2, True, id="put in before it"),
        pytest.param(3, 3, False, id="put in inside"),
        pytest.param(5, 5, True, id="put in behind it"),
        pytest.param(0, 7, False, id="everything"),
    ],
)
def test_code_is_out_of_reach(start: int, end: int, free: bool) -> None:  # noqa: FBT001
    prose = Prose.of("a `c` b")

    assert free is prose.is_free(start, end)


@pytest.mark.parametrize(
    ("start", "end", "free"),
    [
        pytest.param(2, 7, True, id="all of it"),
        pytest.param(0, 9, True, id="more than it"),
        pytest.param(2, 6, False, id="its beginning"),
        pytest.param(3, 7, False, id="its end"),
        pytest.param(4, 5, False, id="a part of it"),
    ],
)
def test_a_tag_is_changed_as_a_whole_or_not_at_all(start: int, end: int, free: bool) -> None:  # noqa: FBT001
    prose = Prose.of("a <@12> b")

    assert free is prose.is_free(start, end)


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("x `x` x", "y `x` y", id="code"),
        pytest.param("x https://x.x/x x", "y https://x.x/x y", id="an address"),
        pytest.param("x [x](https://x.x) x", "y [x](https://x.x) y", id="a link"),
        pytest.param("x <:x:1> x", "y <:x:1> y", id="the inside of a tag"),
        pytest.param("nothing", "nothing", id="nothing"),
        pytest.param("", "", id="no text"),
    ],
)
def test_only_prose_is_changed(text: str, result: str) -> None:
    assert result == without("x", text, "y")


def test_a_match_that_reaches_into_code_does_not_hide_the_next_one() -> None:
    prose = Prose.of("ab `c` de")

    assert ["ab", "de"] == [match.group() for match in prose.matches(WORD)]
    assert ["de"] == [match.group() for match in prose.matches(re.compile("ab `c|de"))]


def test_an_empty_match_is_found_once_at_each_place() -> None:
    assert [0, 1, 2] == [match.start() for match in Prose.of("ab").matches(re.compile(""))]


def test_a_replacement_may_decline() -> None:
    prose = Prose.of("a b")

    assert [Edit(2, 3, "c")] == list(replacements(prose, WORD, lambda word: None if word.group() == "a" else "c"))
    assert [] == list(replacements(prose, WORD, lambda word: word.group()))


def test_nothing_changed_is_the_same_thing() -> None:
    prose = Prose.of("`x` y")

    assert prose is prose.edited([])
    assert prose is prose.edited([Edit(1, 2, "z")])


@pytest.mark.parametrize(
    ("text", "result"),
    [
        pytest.param("`a`x`b`", "`a` `b`", id="two codes stay two"),
        pytest.param("https://a.b<:x:1>c", "https://a.b c", id="an address does not grow"),
        pytest.param("c<:x:1>https://a.b", "c https://a.b", id="an address is not swallowed"),
        pytest.param("`a` x `b`", "`a`  `b`", id="white space is enough"),
        pytest.param("x`b`", "`b`", id="nothing before"),
        pytest.param("`b`x", "`b`", id="nothing behind"),
    ],
)
def test_what_is_taken_out_joins_nothing(text: str, result: str) -> None:
    assert result == without("<:x:1>|x", text)


def test_what_is_put_in_is_not_put_in_by_template() -> None:
    assert r"\1 \g<0> $&" == edited("a", Edit(0, 1, r"\1 \g<0> $&"))


TEXT = st.lists(
    st.sampled_from(["x", " ", "`", "a`x`b", "https://e.x/x", "<:x:1>", "[x](https://x.y)", "*", "\n", "é", "<@2>"])
).map("".join)


@given(TEXT, st.sampled_from(["", "y", "<:y:9>", " "]))
def test_what_is_out_of_reach_stays_so(text: str, replacement: str) -> None:
    """After an edit the same things are out of reach, and they read as before; they are in order and apart."""
    before = Prose.of(text)
    after = before.edited(replacements(before, re.compile("<:x:1>|x"), replacement))

    def fixed(prose: Prose) -> list[str]:
        return [prose.text[span.start : span.end] for span in prose.kept if span.kind is not SpanKind.TAG]

    assert fixed(before) == fixed(after)
    assert all(first.end <= second.start for first, second in pairwise(after.kept))


@given(TEXT)
def test_an_edit_changes_nothing_but_its_place(text: str) -> None:
    prose = Prose.of(text)
    edits = [Edit(match.start(), match.end(), "") for match in prose.matches(X)]

    for edit in edits:
        once = prose.edited([edit]).text
        assert once.replace(" ", "") == (text[: edit.start] + text[edit.end :]).replace(" ", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("a `a` a", "X `a` X", id="code"),
        pytest.param("a ``a`a`` a", "X ``a`a`` X", id="longer code"),
        pytest.param("[a](a) a", "[a](a) X", id="link"),
        pytest.param("http://a.a/a a", "http://a.a/a X", id="address"),
        pytest.param("<:aa:1> a", "<:aa:1> X", id="tag"),
        pytest.param("**a** (a) 'a'", "**X** (X) 'X'", id="emphasis and brackets are prose"),
        pytest.param("(b `a`, a)", "(b `a`, X)", id="code in brackets"),
        pytest.param("`a", "`X", id="an open backtick is prose"),
        pytest.param("", "", id="nothing"),
    ],
)
def test_what_is_prose_is_changed(text: str, expected: str) -> None:
    assert expected == without("a", text, "X")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("`a`x`b`", "`a` `b`", id="between two"),
        pytest.param("``x`b`", "`` `b`", id="before one"),
        pytest.param("`a`x``", "`a` ``", id="behind one"),
        pytest.param("`a`xc`b`", "`a`c`b`", id="something is left"),
        pytest.param("`a` x `b`", "`a`  `b`", id="they were apart"),
    ],
)
def test_runs_of_backticks_stay_apart_when_what_parted_them_is_gone(text: str, expected: str) -> None:
    assert expected == without("x", text)


def test_a_part_keeps_what_is_protected_in_it() -> None:
    part = Prose.of("`a` b `c` d `e`").part(4, 11)

    assert ("b `c` d", [(2, 5)]) == (part.text, [(span.start, span.end) for span in part.kept])
