"""A trace as a story."""

from __future__ import annotations

import asyncio
import io
import json

import pytest
from hypothesis import given, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.errors import InputError
from cadenza.explain.steps import STEPS, JsonLines, TraceStep
from cadenza.explain.words import explain, explain_each, read
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.types import Persona, Roster, Scene, StopReason
from tests.timing import SlowStream, TimedTarget

SCENE = Scene("kitchen", Persona("Ren"), roster=Roster({"mia": "<@1>"}))


def story(*steps: TraceStep, message: int | None = None) -> list[str]:
    return [*explain(steps, message=message)]


def step(name: str, at: float = 0.0, turn: str = "", **about: object) -> TraceStep:
    return TraceStep(name, at, about, turn)


# --- reading -----------------------------------------------------------------------------------


def test_what_was_written_is_read() -> None:
    file = io.StringIO()
    traced = [step("segment", 0.5, "turn", number=1, text="Grüße\n\ud83d"), step("end", 1.0, "turn")]
    with JsonLines(file) as trace:
        for one in traced:
            trace(one)

    assert (traced, []) == read(file.getvalue().encode("utf-8").splitlines(keepends=True))


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param(b"rubbish", "it is not JSON", id="no JSON"),
        pytest.param(b'{"step": "end", "at"', "it is not JSON", id="half a line"),
        pytest.param(b"\xff\xfe", "it is not JSON", id="no text"),
        pytest.param(b"[" * 100_000, "it is not JSON", id="nested"),
        pytest.param(b"[1]", "it does not name its 'step'", id="no object"),
        pytest.param(b'{"at": 1.0}', "it does not name its 'step'", id="no step"),
        pytest.param(b'{"step": 7, "at": 1.0}', "it does not name its 'step'", id="another step"),
        pytest.param(b'{"step": "end"}', "it does not say 'at' which time", id="no time"),
        pytest.param(b'{"step": "end", "at": "noon"}', "it does not say 'at' which time", id="another time"),
        pytest.param(b'{"step": "end", "at": NaN}', "it does not say 'at' which time", id="no number"),
        pytest.param(b'{"step": "end", "at": true}', "it does not say 'at' which time", id="a truth"),
        pytest.param(b'{"step": "end", "at": 1' + b"0" * 400 + b"}", "it does not say 'at' which time", id="too long"),
    ],
)
def test_a_line_that_cannot_be_read_is_named_and_passed_over(line: bytes, why: str) -> None:
    traced, complaints = read([b'{"step": "end", "at": 0}\n', b"\n", line + b"\n", b'{"step": "end", "at": 1}'])

    assert [0.0, 1.0] == [one.at for one in traced]
    assert [f"line 3 is no step of a trace and was passed over: {why}"] == complaints


# --- messages ------------------------------------------------------------------------------------


MESSAGE = (
    step("reply", settings={"degree": 2}, persona="Ren", channel="kitchen"),
    step("request", 0.5, number=1, turns=3, tools=1, bytes=99),
    step("chunk", 1.0, kind="text", text="Hi @m"),
    step("chunk", 1.25, kind="text", text="ia\nxx"),
    step("segment", 1.5, number=1, text="Hi @mia\n"),
    step("rule", 1.5, rule="mentions", effect="changed", segments=[1], before=["Hi @mia\n"], after=["Hi <@1>\n"]),
    step("post", 1.5, number=1, segments=[1], boundary="newline", pause=1.0, typing=0.75, breath=0.5, thinking=0.25, cut=0.5),
    step("sent", 3.0, posts=[1], text="Hi <@1>", waited={"typing": 1.0}, seconds=0.125),
    step("end", 4.0, outcome={"kind": "completed", "reason": "stop", "error": None}, messages=1),
)  # fmt: skip


def test_a_message_is_told_with_all_that_made_it_what_it_is() -> None:
    assert [
        "Reply as Ren in kitchen",
        "             settings: degree 2",
        "    0.500 s  request 1: 3 turns, 1 tool, 99 bytes",
        "    1.000 s  the model began to speak after 0.500 s",
        '    3.000 s  message 1: "Hi <@1>"',
        "             starts with the reply",
        "             ends at the end of a line",
        '             mentions: changed "Hi @mia\\n" to "Hi <@1>\\n"',
        "             planned pause 1.000 s: typing 0.750 s and breath 0.500 s and thinking 0.250 s, shortened by 0.500 s to fit the budget",
        "             model 0.750 s, buffer 0.250 s, queue 1.375 s (typing 1.000 s), sending 0.125 s",
        "    4.000 s  over: completed (stop), 1 message",
    ] == story(*MESSAGE)


def test_one_message_is_told_alone() -> None:
    lines = story(*MESSAGE, message=1)

    assert '    3.000 s  message 1: "Hi <@1>"' == lines[0]
    assert 6 == len(lines)


def test_of_one_message_all_of_its_text_is_told() -> None:
    text = "word " * 100
    steps = (
        step("rule", rule="shout", effect="changed", segments=[1], before=[text], after=[text.upper()]),
        step("post", number=1, segments=[1], boundary="final"),
        step("sent", posts=[1], text=text),
    )

    assert text not in "".join(story(*steps))
    assert "…" in "".join(story(*steps))
    whole = "".join(story(*steps, message=1))
    assert text in whole
    assert text.upper() in whole


def test_each_message_is_told_with_what_led_to_it_and_the_last_with_how_it_ended() -> None:
    text = "word " * 100
    steps = (
        step("reply", persona="Ren"),
        step("sent", 1.0, message="11", text="One."),
        step("back_pressure", 2.0, seconds=1.0),
        step("sent", 3.0, message="12", text=text),
        step("stop", 4.0, reason="user"),
        step("reply", turn="other", persona="Mia"),
    )

    assert {
        "11": ["Reply as Ren", '    1.000 s  message 1: "One."', "             sending 0.000 s"],
        "12": [
            "Reply as Ren",
            "    2.000 s  the model had to wait 1.000 s for room",
            f'    3.000 s  message 2: "{text}"',
            "             sending 0.000 s",
            "    4.000 s  stop: user",
        ],
    } == explain_each(steps)


def test_each_message_is_told_without_what_would_do_something_to_a_terminal() -> None:
    [[_, line, *_]] = explain_each([step("reply"), step("notice", text="\x1b[31m"), step("sent", message="1")]).values()

    assert line.endswith("notice (could not be shown): \\x1b[31m")


@pytest.mark.parametrize("message", [0, -1, 2])
def test_a_message_that_there_is_not_is_refused(message: int) -> None:
    with pytest.raises(InputError, match=rf"there is no message {message} in the trace; it has 1"):
        story(*MESSAGE, message=message)


def test_messages_are_counted_through_all_replies() -> None:
    steps = (*MESSAGE, *MESSAGE)

    assert ["message 1", "message 2"] == [line.split("s  ")[1].split(":")[0] for line in story(*steps) if "message " in line and '"Hi' in line]  # fmt: skip
    assert story(*steps, message=2)[0].startswith("    3.000 s  message 2: ")
    assert "" in story(*steps), "an empty line stands between two replies"


def test_replies_that_run_side_by_side_are_told_one_after_the_other() -> None:
    steps = [step("reply", turn=turn, persona=turn) for turn in "ab"] + [
        step("stop", at, turn=turn, reason=turn) for at in (1.0, 2.0) for turn in "ab"
    ]

    assert ["Reply as a", "stop: a", "stop: a", "", "Reply as b", "stop: b", "stop: b"] == [
        line.split("s  ")[-1] for line in story(*steps)
    ]


def test_what_a_rule_did_to_text_that_nobody_sees_is_told_by_itself() -> None:
    dropped = step("rule", 2.0, rule="guard", effect="dropped", segments=[2], before=["Mia: hi"], after=[])

    assert ['    2.000 s  rule guard: dropped "Mia: hi"'] == story(dropped)


def test_what_the_buffer_made_something_else_of_is_timed_by_when_it_came() -> None:
    lines = story(
        step("reply"),
        step("chunk", 1.0, kind="text", text="a\r\nb"),
        step("segment", 2.0, number=1, text="a\nb"),
        step("post", 2.0, number=1, segments=[1], boundary="final"),
        step("sent", 2.5, posts=[1], text="a\nb", waited={}, seconds=0.5),
    )

    assert "             model 1.000 s, buffer 1.000 s, queue 0.000 s, sending 0.500 s" == lines[-1]


def test_nothing_in_a_story_does_anything_to_a_terminal() -> None:
    lines = story(step("reply", persona="\x1b[31mRen\x07"), step("notice", text="a\nb\x9b"), step("sent", text="\x1b]"))

    assert not any(character < " " or "\x7f" <= character < "\xa0" for line in lines for character in line)
    assert "Reply as \\x1b[31mRen\\x07" == lines[0]


HELD = (
    step("reply"),
    step("chunk", 1.0, kind="text", text="One (two\n"),
    step("hold", 1.0, why="mark", mark="(", size=9),
    step("chunk", 1.5, kind="text", text="three) four\nfive\n"),
    step("segment", 1.5, number=1, text="One (two\nthree) four\n"),
    step("hold", 1.5, why="undecided", mark="\n", size=5),
    step("post", 1.5, number=1, segments=[1], text="One (two\nthree) four", boundary="newline"),
    step("sending", 1.5, posts=[1]),
    step("sent", 1.5, posts=[1], text="One (two\nthree) four", waited={}, seconds=0.0),
    step("chunk", 1.75, kind="text", text="x"),
    step("segment", 1.75, number=2, text="five\n"),
    step("hold", 1.75, why="", mark="", size=1),
    step("post", 1.75, number=2, segments=[2], text="five", boundary="newline"),
    step("wait", 1.75, posts=[2], why="rate_limit"),
    step("sending", 4.0, posts=[2]),
    step("sent", 4.0, posts=[2], text="five", waited={"rate_limit": 2.25}, seconds=0.0),
)


def test_a_message_says_what_was_held_and_when_it_waited_for_the_rate_limit() -> None:
    assert [
        "Reply",
        "    1.000 s  the model began to speak after 1.000 s",
        '    1.500 s  message 1: "One (two\\nthree) four"',
        "             starts with the reply",
        "             ends at the end of a line",
        '             held 0.500 s by "(", which might close',
        "             model 1.500 s, buffer 0.000 s, queue 0.000 s, sending 0.000 s",
        '    4.000 s  message 2: "five"',
        "             starts on a new line",
        "             ends at the end of a line",
        "             held 0.250 s until it was clear what follows",
        "             waited 2.250 s for the rate limit, from 1.750 s on",
        "             model 0.000 s, buffer 0.250 s, queue 2.250 s (rate_limit 2.250 s), sending 0.000 s",
    ] == story(*HELD)


# --- whatever it is given ----------------------------------------------------------------------------


def test_a_step_that_is_not_known_is_shown_as_it_is() -> None:
    assert ['    1.000 s  dream (a step that is not known here): {"of": "sheep"}'] == story(
        step("dream", 1.0, of="sheep")
    )


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)
FIELDS = sorted({field for fields in STEPS.values() for field in fields})


@given(
    st.lists(st.tuples(st.sampled_from([*STEPS, "dream"]), st.dictionaries(st.sampled_from(FIELDS), JSON)), max_size=12)
)
def test_whatever_a_trace_says_it_is_told(steps: list[tuple[str, dict[str, object]]]) -> None:
    lines = [json.dumps({"step": name, "at": 0.0, **about}).encode() for name, about in steps]
    traced, complaints = read(lines)

    assert [] == complaints
    assert all("\n" not in line for line in explain(traced))
    assert all("\n" not in line for lines in explain_each(traced).values() for line in lines)


@given(st.lists(st.binary(max_size=40)))
def test_whatever_stands_in_a_file_is_read(lines: list[bytes]) -> None:
    traced, complaints = read(lines)

    assert len(traced) + len(complaints) == sum(bool(line.strip()) for line in lines)


# --- real traces ----------------------------------------------------------------------------------------


@pytest.mark.looptime
async def test_a_real_reply_is_told() -> None:
    seen: list[TraceStep] = []
    stops = Stops()
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(2.5, lambda: stops.request("turn", StopReason.FOLLOW_UP, by="Mia"))
        model = SlowStream(0.5, "Ren: Hi @mia!\nHow ", 1.0, "are you?\nI am", 60.0)
        await say(TimedTarget(latency=0.125), model, scene=SCENE, settings=Settings.of(degree=2), stop=stop, trace=seen.append)  # fmt: skip

    assert [
        "Reply as Ren in kitchen",
        '             settings: tables "text", math "text", degree 2',
        "    0.500 s  the model began to speak after 0.500 s",
        '    0.625 s  message 1: "Hi <@1>!"',
        "             starts with the reply",
        "             ends at the end of a line",
        '             own_name: changed "Ren: Hi @mia!\\n" to "Hi @mia!\\n"',
        '             mentions: changed "Hi @mia!\\n" to "Hi <@1>!\\n"',
        "             model 0.500 s, buffer 0.000 s, queue 0.000 s, sending 0.125 s",
        '    1.625 s  message 2: "How are you?"',
        "             starts on a new line",
        "             ends at the end of a line",
        "             planned pause 0.750 s: typing 0.750 s",
        "             model 1.000 s, buffer 0.000 s, queue 0.000 s, sending 0.125 s",
        "    2.500 s  stop: follow_up by Mia",
        "    2.500 s  round 1: stopped (follow_up)",
        "    2.500 s  over: stopped (follow_up), 2 messages",
    ] == [*explain(seen)]
