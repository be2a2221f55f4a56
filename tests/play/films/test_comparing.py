"""The same stream under two settings."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len

from cadenza.play.films.comparing import Comparison, compared, comparison_lines
from cadenza.play.films.printing import Paper
from cadenza.play.films.summary import ReplyNumbers, ReplySummary, counted
from tests.play.films.told import message, told

TEXT = "Hi there. How are you?\nFine, thanks.\n| a | b |\n|---|---|\n| 1 | 2 |\n"


def comparison(left: dict[str, object], right: dict[str, object], text: str = TEXT) -> Comparison:
    return compared(told(text, settings=left), told(text, settings=right))


def printed(one: Comparison, width: int = 80) -> list[str]:
    return [line.plain.rstrip() for line in comparison_lines(one, ("a.toml", "b.toml"), Paper(width))]


def test_the_same_settings_make_the_same_messages() -> None:
    one = comparison({"degree": 1}, {"degree": 1})

    assert one.is_same
    assert {} == one.as_json()["settings"]
    assert "  People read the same messages." == printed(one)[-1]


def test_when_messages_come_does_not_make_them_others() -> None:
    one = comparison({"degree": 1}, {"degree": 2})

    assert one.is_same
    assert {"degree": [1, 2]} == one.as_json()["settings"]
    assert any("Fine, thanks." in line and "|" in line for line in printed(one))


def test_messages_that_call_others_are_not_the_same() -> None:
    left, right = (told("Hello, @Mia!", settings={"mention_people": people}) for people in (10, 0))
    comparison = compared(left, right)
    assert not comparison.is_same
    lines = [line.plain for line in comparison_lines(comparison, ("one", "other"), Paper())]
    assert ["  It pings @Mia.", "  It names @Mia without a ping."] == [
        line for line in lines if "@Mia" in line and line.startswith("  It ")
    ]


def test_what_differs_stands_in_the_place_of_the_other() -> None:
    one = comparison({"tables": "source", "degree": 1}, {"tables": "text", "degree": 1})

    assert not one.is_same
    assert [{"is_same": True, "a": [1, 2], "b": [1, 2]}, {"is_same": False, "a": [3], "b": [3]}] == one.as_json()[
        "messages"
    ]
    lines = printed(one)
    assert "- | 1 | 2 |" in lines
    assert "+ 1  2" in lines
    assert "  2 messages the same; 1 only in A, 1 only in B." == lines[-1]


def test_the_settings_that_differ_are_named_with_their_values() -> None:
    lines = printed(comparison({"degree": 3, "use_emoji": False}, {"use_emoji": False}))

    assert any(line.split() == ["degree", "3", "not", "set"] for line in lines)
    assert not any("use_emoji" in line for line in lines)


def test_a_setting_without_a_value_is_shown_as_what_holds_in_its_place() -> None:
    lines = [line.split() for line in printed(comparison({"shape": "sentences"}, {}))]
    of_degree = [line.split() for line in printed(comparison({"degree": 2, "shape": "reply"}, {"degree": 2}))]

    assert ["shape", "sentences", "blocks"] in lines
    assert ["shape", "reply", "lines"] in of_degree


def test_the_numbers_of_both_stand_side_by_side() -> None:
    lines = printed(comparison({"degree": 0}, {"degree": 1}))

    assert any(line.split()[:2] == ["messages", "1;"] and " 3; " in line for line in lines)


def test_a_message_that_only_one_side_has_is_shown_alone() -> None:
    one = comparison({"degree": 1, "message_limit": 1, "when_full": "stop"}, {"degree": 1})

    assert [[1], []] == [one.as_json()["messages"][0]["a"], one.as_json()["messages"][1]["a"]]
    assert not any(line.startswith("- ") and "toml" not in line for line in printed(one))


def test_a_comparison_is_json() -> None:
    value = json.loads(json.dumps(comparison({"degree": 1, "rules_off": ["tables"]}, {"degree": 3}).as_json()))

    assert {"is_same", "settings", "messages", "sides"} == value.keys()
    assert [["tables"], []] == value["settings"]["rules_off"]


def telling(texts: Sequence[str]) -> ReplySummary:
    messages = tuple(message(text=text) for text in texts)
    return counted([ReplySummary("Ren", {}, messages, (), (), {}, "", ReplyNumbers(messages=len(texts)))])[0]


TEXTS = st.lists(st.sampled_from(["One.", "Two.", "日本語" * 40, "x" * 300, "\x1b[0m"]), max_size=6)


@settings(max_examples=60)
@given(TEXTS, TEXTS, st.integers(40, 100))
def test_every_message_of_both_sides_is_in_a_comparison_once(left: list[str], right: list[str], width: int) -> None:
    one = compared(telling(left), telling(right))

    assert left == [each.text for stretch in one.stretches for each in stretch.left]
    assert right == [each.text for stretch in one.stretches for each in stretch.right]
    assert (left == right) == one.is_same
    assert all(cell_len(line) <= width for line in printed(one, width))


@pytest.mark.parametrize("width", [40, 80, 100])
def test_a_table_of_long_values_fits(width: int) -> None:
    one = comparison({"stop_strings": ["a long word of many letters" * 5], "degree": 1}, {"degree": 1})

    assert all(cell_len(line) <= width for line in printed(one, width))
