"""What is said of each step."""

from __future__ import annotations

import pytest

from cadenza.explain.step_words import WORDS, change, ends, held, limited, pause, quoted, shown, starts
from cadenza.explain.steps import STEPS

ERROR = {"type": "ProviderError", "text": "it is asleep", "kind": "api_error", "code": "400", "detail": "top_p"}
OUTCOME = {"kind": "broke", "reason": "ProviderError", "error": ERROR}
WITH_MESSAGES = {"chunk", "segment", "rule", "post", "sent"}
"""Steps that are told with a message, by the story itself."""


def test_there_are_words_for_every_step() -> None:
    assert set(STEPS) - WITH_MESSAGES == set(WORDS)


@pytest.mark.parametrize("step", WORDS)
def test_a_step_that_says_nothing_of_itself_has_words_too(step: str) -> None:
    assert isinstance(WORDS[step]({}), str)


@pytest.mark.parametrize(
    ("step", "about", "words"),
    [
        ("reply", {"persona": "", "channel": "", "settings": {}}, "Reply"),
        ("passed_over", {"model": "a:b", "why": "cooldown", "seconds": 12.0}, "a:b passed over: cooldown for 12.000 s more"),
        ("passed_over", {"model": "", "why": "not ready", "seconds": None}, "a model passed over: not ready"),
        ("try", {"number": 1, "model": "a:b", "key": "key 1", "why": "first"}, "try 1: a:b with key 1 (first)"),
        (
            "try",
            {"number": 2, "model": "", "key": None, "why": "once more", "waited": 1.0, "dropped": 2, "reminded": True},
            "try 2: the model (once more), after 1.000 s, without the oldest 2 exchanges, reminded of whom it speaks for",
        ),
        ("request", {"number": 1, "turns": 1, "tools": 0, "bytes": 9, "rung": "default"}, "request 1: 1 turn, 0 tools, 9 bytes"),
        (
            "request",
            {"number": 2, "turns": 1, "tools": 2, "bytes": 9, "rung": "probe_drop_top_p", "error": ERROR},
            "request 2: 1 turn, 2 tools, 9 bytes, probe_drop_top_p, because it is asleep [top_p]",
        ),
        (
            "request",
            {"number": 1, "turns": 1, "tools": 0, "bytes": 9, "rung": "recalled", "remembered": True},
            "request 1: 1 turn, 0 tools, 9 bytes, recalled, as was learnt before",
        ),
        ("aside", {"kind": "thought", "text": "hm"}, 'thought: "hm"'),
        ("halt", {"by": "speaker_guard", "reason": "speaker_guard"}, "ended by speaker_guard: speaker_guard"),
        ("back_pressure", {"seconds": 1.5}, "the model had to wait 1.500 s for room"),
        ("unsent", {"posts": [2], "error": {"type": "OSError", "text": ""}}, "a message could not be sent: OSError"),
        ("merged", {"posts": [2, 3], "text": "b\nc", "why": "rate_limit"}, "2 messages put together: rate limit"),
        ("left_out", {"posts": [2], "why": "repeated"}, "a message left out: repeated"),
        (
            "cut",
            {"keep": "clause", "posts": [2, 3], "dropped": [4], "text": "two\nthree"},
            'cut off, keeping the text up to its last whole clause: 1 message dropped, 2 still sent, starting with "two\\nthree"',
        ),
        ("cut", {"keep": "nothing", "posts": [], "dropped": [4, 5], "text": None}, "cut off, keeping nothing: 2 messages dropped"),
        ("cut", {"keep": "decided", "posts": [2], "dropped": [], "text": "two"}, 'cut off, keeping what was already decided: 1 still sent, starting with "two"'),
        ("cut", {"keep": "nothing", "posts": [], "dropped": [], "text": None}, ""),
        ("withdrawn", {"posts": [1, 2]}, "2 messages that waited put aside"),
        ("withdrawn", {"posts": []}, ""),
        ("brought_back", {"posts": [1]}, "1 message sent after all"),
        ("superseded", {"messages": ["7", "8"]}, "to be deleted: message id 7, 8"),
        ("spared", {"messages": ["7"]}, "kept after all: message id 7"),
        ("deleted", {"message": "7", "seconds": 0.5, "error": None}, "message id 7 deleted in 0.500 s"),
        ("deleted", {"message": "7", "seconds": 0.5, "error": ERROR}, "message id 7 could not be deleted: it is asleep [top_p]"),
        ("tool", {"name": "dice", "arguments": "{}", "seconds": 0.5}, 'tool dice "{}": took 0.500 s'),
        ("tool", {"name": "dice", "arguments": "{}", "seconds": 0.5, "is_error": True}, 'tool dice "{}": failed after 0.500 s'),
        ("tool", {"name": "dice", "arguments": "{}", "remembered": True}, 'tool dice "{}": remembered, not run again'),
        ("notice", {"text": "It is late.", "is_shown": True}, "notice: It is late."),
        ("notice", {"text": "It is late.", "is_shown": False}, "notice (could not be shown): It is late."),
        ("stop", {"reason": "user", "by": "Mia"}, "stop: user by Mia"),
        ("stall", {"has_begun": False, "seconds": 300.0}, "the model fell silent before its first word, for 300.000 s"),
        ("stall", {"has_begun": True, "seconds": 120.0}, "the model fell silent in the middle, for 120.000 s"),
        ("round", {"number": 2, "outcome": OUTCOME}, "round 2: broke (it is asleep [top_p])"),
        ("tried", {"number": 1, "outcome": OUTCOME, "cure": "key"}, "try 1: broke (it is asleep [top_p]), which another key may cure"),
        ("tried", {"number": 1, "outcome": {"kind": "completed"}, "cure": "nothing"}, ""),
        ("end", {"outcome": {"kind": "completed", "reason": "stop"}, "messages": 2}, "over: completed (stop), 2 messages"),
    ],
)  # fmt: skip
def test_what_is_said_of_a_step(step: str, about: dict[str, object], words: str) -> None:
    assert words == WORDS[step](about)


LONG = "a long beginning that nobody reads, "


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (["hi :wave: you"], ["hi 👋 you"], 'emoji: changed "hi :wave: you" to "hi 👋 you"'),
        ([LONG + "x" + LONG], [LONG + "y" + LONG], 'emoji: changed "…body reads, xa long begin…" to "…body reads, ya long begin…"'),
        (["aa"], ["aaa"], 'emoji: changed "aa" to "aaa"'),
        (["a", "b"], ["ab"], 'emoji: changed "ab"'),
        (["gone"], [], 'emoji: changed "gone"'),
    ],
    ids=["whole", "only where it differs", "repeated", "the same words", "nothing left"],
)  # fmt: skip
def test_a_change_is_shown_where_it_is(before: list[str], after: list[str], words: str) -> None:
    assert words == change({"rule": "emoji", "effect": "changed", "before": before, "after": after})


def test_a_change_of_face_is_told() -> None:
    about = {"rule": "sprites", "effect": "changed", "before": ["a: b"], "after": ["b"], "identity": "Mia"}

    assert change(about).endswith(", shown as Mia")


def test_no_pause_is_nothing_to_tell() -> None:
    assert "" == pause({"pause": 0.0, "typing": 0.0, "breath": 0.0, "thinking": 0.0, "cut": 0.0})


def test_time_does_not_run_backwards() -> None:
    assert ("0.000 s", "1.500 s") == (shown(-0.001), shown(1.5))


def test_what_is_long_is_cut_unless_all_is_wanted() -> None:
    assert f'"{"x" * 59}…"' == quoted("x" * 100)
    assert f'"{"x" * 100}"' == quoted("x" * 100, None)
    assert 120 == len(quoted(["x" * 100] * 10))


@pytest.mark.parametrize(
    ("why", "mark", "seconds", "words"),
    [
        pytest.param("code", "```", 0.5, "held 0.500 s in code that was not over", id="code"),
        pytest.param("table", "", 0.5, "held 0.500 s in a table that was not over", id="a table"),
        pytest.param("hidden", "thought", 0.5, "held 0.500 s by a hidden block (thought)", id="a thought"),
        pytest.param("mark", "**", 0.5, 'held 0.500 s by "**", which might close', id="a mark"),
        pytest.param("undecided", "\n", 0.5, "held 0.500 s until it was clear what follows", id="a line end"),
        pytest.param("undecided", "\n", 0.05, "", id="a moment"),
        pytest.param("dream", "", 0.5, "held 0.500 s dream", id="not known"),
        pytest.param("code", "```", 0.0, "", id="no time"),
    ],
)
def test_what_held_a_message_is_told(why: str, mark: str, seconds: float, words: str) -> None:
    assert words == held({"from": 1.0, "to": 1.0 + seconds, "why": why, "mark": mark})


def test_only_a_wait_for_the_rate_limit_has_a_line_of_its_own() -> None:
    waits = [{"from": 1.0, "to": 3.0, "why": why} for why in ("typing", "rate_limit")]

    assert ["", "waited 2.000 s for the rate limit, from 1.000 s on"] == [limited(wait) for wait in waits]


def test_why_a_message_starts_and_ends_where_it_does() -> None:
    story = {"starts": "code_close", "ends": "newline", "segments": [3, 4], "merged": {"count": 2, "why": "rate_limit"}}

    assert "starts after a block of code" == starts(story)
    assert "starts with the reply" == starts({"starts": "reply"})
    assert "2 messages in one, ends at the end of a line, made of 2 segments" == ends(story)
