"""Replies as a terminal shows them."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st
from rich.cells import cell_len
from rich.text import Text

from cadenza.play.films import film_words
from cadenza.play.films.printing import (
    Paper,
    Printer,
    cut_to,
    harmless,
    labelled,
    message_lines,
    reply_lines,
)
from cadenza.play.films.summary import ReplyEvent, ReplyNumbers, ReplySummary
from tests.play.films.told import message, told

TALK = "Evening, @Mia!\n<think>hm</think>Look (it\nworks).\n```py\nx = 1\n```\nBye.\n"


def printed(telling: ReplySummary, width: int = 80, *, is_full: bool = False) -> list[str]:
    return [line.plain.rstrip() for line in reply_lines(telling, Paper(width, is_full=is_full))]


def test_settings_that_play_no_role_where_no_model_is_asked_are_named() -> None:
    one = _joined(printed(told("Hi.", settings={"turn_timeout": 2.0, "idle_timeout": 9.0})))
    two = _joined(printed(told("Hi.", settings={"turn_timeout": 2.0, "model_retries": 0})))

    assert "unused turn_timeout plays no role here: the text was given, and no model was asked." in one
    [unused] = [line for line in two if line.startswith("unused ")]
    assert "turn_timeout" in unused
    assert "model_retries" in unused
    assert not any(line.startswith("unused ") for line in _joined(printed(told("Hi.", settings={"degree": 1}))))


def test_a_reply_is_printed_message_by_message_with_its_reasons_and_numbers() -> None:
    telling = told("Evening, @Mia!\nLook (it\nworks).", settings={"degree": 1})
    first, second = telling.messages
    [rule], [hold] = film_words.all_told(first, "rules"), film_words.all_told(second, "holds")

    assert [
        "settings degree is 1",
        f"── 1 Cadenza {'─' * 55} at 0.16 s",
        "│ Evening, @Mia!",
        f"starts {film_words.told(first, 'starts')}",
        f"ends {film_words.told(first, 'ends')}",
        f"rule {rule}",
        "pings It pings @Mia.",
        f"time {film_words.told(first, 'times')}",
        f"── 2 Cadenza {'─' * 55} at 0.24 s",
        "│ Look (it",
        "│ works).",
        f"starts {film_words.told(second, 'starts')}",
        f"ends {film_words.told(second, 'ends')}",
        f"held {hold}",
        f"time {film_words.told(second, 'times')}",
        f"── Summary {'─' * 69}",
        f"ended {telling.ended}",
        "messages 2; 48 characters",
        "tokens 8 in 0.16 s",
        "first message after 0.16 s",
        "last message after 0.24 s, 0.08 s after the last token",
        "held 0.04 s, until it was decided what the messages are",
    ] == _joined(printed(telling))


def _joined(lines: list[str]) -> list[str]:
    """*lines* without their columns; one that continues another stands behind it."""
    joined: list[str] = []
    for line in filter(None, lines):
        text = " ".join(line.split())
        if line.startswith(" " * 12):
            joined[-1] += f" {text}"
        else:
            joined.append(text)
    return joined


def test_a_change_is_printed_whole_if_all_of_a_message_is_wanted() -> None:
    lines = printed(told("Evening, @Mia!"), is_full=True)

    assert ["            - Evening, @Mia!", "            + Evening, <@1593540240998400001>!"] == [
        line for line in lines if line.startswith(("            -", "            +"))
    ]


def test_what_happened_between_messages_stands_between_them() -> None:
    lines = printed(told(TALK, asked="Well?"))

    assert "  • at 0.00 s   Mia: Well?" in lines
    assert any("•" in line and '"hm"' in line for line in lines)
    assert "  unshown   17 characters (thought)" in lines


def test_a_long_message_is_printed_in_part_unless_all_of_it_is_wanted() -> None:
    telling = told("```\n" + "\n".join(f"item {number}" for number in range(40)) + "\n```")

    short, full = printed(telling), printed(telling, is_full=True)

    assert "│ … 30 more lines; --message 1 shows all …" in short
    assert ["│ item 0", "│ item 39"] == [line for line in short if line in ("│ item 0", "│ item 39")]
    assert [f"│ item {number}" for number in range(40)] == [line for line in full if line.startswith("│ i")]


def test_a_file_is_named() -> None:
    lines = [line.plain for line in message_lines(message(file="table.png"), Paper())]

    assert "│ [With the file table.png.]" in lines


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        pytest.param("\x1b[31mred", "\\x1b[31mred", id="colour"),
        pytest.param("a\x07b\x7f\x9b", "a\\x07b\\x7f\\x9b", id="control"),
        pytest.param("\u202edcba", "\\u202edcba", id="turned around"),
        pytest.param("\ud83d", "\\ud83d", id="half a character"),
        pytest.param("\r\n", "\\x0d\n", id="carriage return"),
        pytest.param("👩‍👧 é 日本", "👩‍👧 é 日本", id="joined"),
    ],
)
def test_what_a_terminal_would_obey_is_written_out(text: str, safe: str) -> None:
    assert safe == harmless(text)


TEXTS = st.text(st.characters() | st.sampled_from("日本語한국 ⚠️👩‍👧\x1b\u202e\t\r\n ﷽e\u0301"), max_size=300)


@settings(max_examples=60)
@given(TEXTS, TEXTS, st.integers(40, 100))
def test_no_line_is_wider_than_the_paper_nor_moves_the_cursor(text: str, other: str, width: int) -> None:
    story: dict[str, object] = {
        "text": text,
        "rules": [{"rule": "x", "before": [text], "after": [other]}],
        "file": other,
    }
    one = message(**story)
    telling = ReplySummary(
        other, {}, (one,), (ReplyEvent(0.5, "said", other),), (), {"kind": other}, other, ReplyNumbers(messages=1)
    )

    for line in reply_lines(telling, Paper(width)):
        assert cell_len(line.plain) <= width
        assert line.plain.isprintable() or not set(line.plain) & {*map(chr, range(32)), "\x7f", "\u202e"}


@pytest.mark.parametrize(
    ("text", "cut"), [("short", "short"), ("日本語日本語", "日本語日…"), ("abcdefghijk", "abcdefghi…")]
)
def test_a_text_is_cut_by_how_wide_it_is(text: str, cut: str) -> None:
    assert cut == cut_to(text, 10)


def test_what_there_is_not_is_not_labelled() -> None:
    assert [] == [*labelled("rule", "", Paper())]


def test_only_a_terminal_is_told_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR", "TTY_COMPATIBLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    line = Text("red", style="red")

    assert ["red\n"] == [*Printer(is_terminal=False).printed([line])]
    assert ["\x1b[31mred\x1b[0m\n"] == [*Printer(is_terminal=True).printed([line])]
    monkeypatch.setenv("NO_COLOR", "1")
    assert ["red\n"] == [*Printer(is_terminal=True).printed([line])]
