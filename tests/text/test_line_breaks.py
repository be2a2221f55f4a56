from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from cadenza.text.line_breaks import may_break, parts
from tests.helpers import calls_of


@pytest.mark.parametrize(
    ("word", "width", "expected"),
    [
        pytest.param("", None, [""], id="nothing"),
        pytest.param("well-known", None, ["well-known"], id="no width"),
        pytest.param("well-known", 10, ["well-known"], id="short enough"),
        pytest.param("well-known", 9, ["well-", "known"], id="a hyphen"),
        pytest.param("users/{id}/posts", 0, ["users/", "{id}/", "posts"], id="a path"),
        pytest.param("text/plain_table.py", 14, ["text/", "plain_table.py"], id="the better places first"),
        pytest.param("text/plain_table.py", 8, ["text/", "plain_", "table.py"], id="then the others"),
        pytest.param("plain_table.py", 0, ["plain_", "table.py"], id="a short end stays"),
        pytest.param("--max-old-space", 0, ["--max-", "old-", "space"], id="a flag keeps its hyphens"),
        pytest.param("2024-01-15", 0, ["2024-01-15"], id="a date"),
        pytest.param("1,234,567.89", 0, ["1,234,567.89"], id="a number"),
        pytest.param("192.168.0.1:8080", 0, ["192.168.0.1:8080"], id="a network address"),
        pytest.param("and/or", 0, ["and/or"], id="two short words"),
        pytest.param("Größen-Änderung", 0, ["Größen-", "Änderung"], id="letters with marks"),
        pytest.param("東京タワー。", None, ["東", "京", "タ", "ワー。"], id="Japanese"),
        pytest.param("高さ333メートル", None, ["高", "さ", "333", "メー", "ト", "ル"], id="a number in Japanese"),
        pytest.param("한국어-문법책", 0, ["한국어-", "문법책"], id="Korean"),
        pytest.param("👨\u200d👩\u200d👧👍🏽", None, ["👨\u200d👩\u200d👧", "👍🏽"], id="emoji"),
    ],
)
def test_a_word_has_parts(word: str, width: int | None, expected: list[str]) -> None:
    assert expected == parts(word, width)


@given(st.text("ab1-/_.日。（é👨\u200d👩", max_size=30), st.one_of(st.none(), st.integers(0, 20)))
def test_the_parts_are_the_word(word: str, width: int | None) -> None:
    assert word == "".join(parts(word, width))


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [
        ("a", "b", False),
        ("日", "本", True),
        ("a", "日", True),
        ("日", "。", False),
        ("（", "日", False),
        ("한", "국", False),
    ],
)
def test_a_line_may_end_between(before: str, after: str, expected: bool) -> None:  # noqa: FBT001
    assert expected is may_break(before, after)


def test_a_long_word_costs_as_much_as_its_characters() -> None:
    def work(size: int) -> int:
        return calls_of(lambda: parts("é" * size + "日" * size, 10))

    work(1)  # what is made once

    assert work(4000) <= 4.5 * work(1000)
