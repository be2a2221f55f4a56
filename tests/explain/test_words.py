"""Facts as readable lines."""

from __future__ import annotations

import asyncio

import pytest
from hypothesis import given, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.errors import InputError
from cadenza.explain.sentences import Said, rendered
from cadenza.explain.words import ExplainedLine, explain, explain_each, lines, printed, replies
from cadenza.facts import (
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessagePlanned,
    MessageSent,
    MessageWaits,
    NoticeShown,
    ReadingPaused,
    ReplyBegan,
    ReplyEnded,
    RequestSent,
    SendingBegan,
    StopAsked,
    TextChanged,
    TextCut,
    TextHeld,
)
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.types import Persona, Roster, Scene, StopReason
from tests.explain.any_facts import ANY_FACT
from tests.timing import SlowStream, TimedTarget

SCENE = Scene("kitchen", Persona("Ren"), roster=Roster({"mia": "<@1>"}))
LINE = Edge("line", "shape", "lines", "\n")
FIRST = Edge("reply")


def told(*facts: LoggedFact, message: int | None = None) -> list[str]:
    return [*explain(facts, message=message)]


def at(time: float, fact: Fact, turn: str = "") -> LoggedFact:
    return LoggedFact(fact, time, turn)


def began(persona: str = "", turn: str = "") -> LoggedFact:
    return at(0.0, ReplyBegan("say", "", persona, None, {}), turn)


def planned(
    number: int, text: str, start: int, *, starts: Edge = FIRST, ends: Edge = LINE, pause: float = 0.0
) -> MessagePlanned:
    places = ((start, start + len(text)),)
    return MessagePlanned(
        number, (number,), text, ((len(text), start, ""),), places, starts, ends,
        pause, pause, 0.0, 0.0, 0.0, None, "", None, picture=False, file=None,
    )  # fmt: skip


def cut(number: int, text: str, start: int) -> TextCut:
    return TextCut(number, text, "newline", "\n", "", None, "prose", ((len(text), start, ""),))


def sent(text: str, start: int = 0, *posts: int, message: str = "1", seconds: float = 0.0) -> MessageSent:
    size = len(text)
    covers = ((start, start + size),) if posts else ()
    return MessageSent(
        posts, text, ((size, start if posts else -1, ""),), covers, message, None, None, None, {}, seconds
    )


# --- messages ------------------------------------------------------------------------------------


MESSAGE = (
    at(0.0, ReplyBegan("reply", "kitchen", "Ren", None, {"degree": 2})),
    at(0.5, RequestSent(1, "", remembered=False, error=None, turns=3, tools=1, bytes=99)),
    at(1.0, ChunkHeard("text", 0.5, "Hi @m")),
    at(1.25, ChunkHeard("text", 0.25, "ia\nxx")),
    at(1.5, cut(1, "Hi @mia\n", 0)),
    at(1.5, TextChanged("mentions", "rules", "changed", (1,), ("Hi @mia\n",), ("Hi <@1>\n",), ((3, 7),))),
    at(1.5, planned(1, "Hi <@1>", 0, pause=1.0)),
    at(1.5, MessageWaits((1,), "typing")),
    at(2.5, SendingBegan((1,))),
    at(3.0, sent("Hi <@1>", 0, 1, seconds=0.5)),
    at(4.0, ReplyEnded({"kind": "completed", "reason": "stop", "error": None}, 1, "", 0, 0, {})),
)


def test_a_message_is_told_with_all_that_made_it_what_it_is() -> None:
    assert [
        "    0.000 s  The reply as Ren in kitchen begins. Settings: degree is 2.",
        "    0.500 s  Request 1 is sent: 3 turns, 1 tool, 99 bytes.",
        "    1.000 s  The model began to speak after 0.50 s.",
        '    3.000 s  Message 1: "Hi <@1>"',
        "             It starts here because it is the first message of the reply.",
        "             It ends here because the line ends: shape is lines.",
        '             The rule mentions (turns @names into real mentions) changed "Hi @mia\\n" to "Hi <@1>\\n".',
        "             A pause of 1.00 s was planned before it: 1.00 s to type it.",
        "             It waited 1.00 s, as long as typing takes.",
        "             Its time: 0.75 s until the model had said it, 0.25 s until its end was decided, 1.00 s in the queue, 0.50 s to send it.",
        "    4.000 s  The reply is over, with 1 message: the model finished.",
    ] == told(*MESSAGE)


def test_the_same_is_told_in_another_language() -> None:
    japanese = [*explain(MESSAGE, language="ja")]

    assert "             返信の最初のメッセージなので、ここから始まります。" in japanese
    assert len(told(*MESSAGE)) == len(japanese)
    assert [*lines(MESSAGE)][3] == ExplainedLine(3.0, Said("message", {"number": "1", "text": '"Hi <@1>"'}))


def test_one_message_is_told_alone() -> None:
    alone = told(*MESSAGE, message=1)

    assert '    3.000 s  Message 1: "Hi <@1>"' == alone[0]
    assert 7 == len(alone)


def test_of_one_message_all_of_its_text_is_told() -> None:
    text = "word " * 100
    facts = (
        at(0.0, TextChanged("shout", "rules", "changed", (1,), (text,), (text.upper(),), ())),
        at(0.0, planned(1, text, 0)),
        at(0.0, sent(text, 0, 1)),
    )

    assert text not in "".join(told(*facts))
    assert "…" in "".join(told(*facts))
    whole = "".join(told(*facts, message=1))
    assert text in whole
    assert text.upper() in whole


def test_each_message_is_told_with_what_led_to_it_and_the_last_with_how_it_ended() -> None:
    text = "word " * 100
    facts = (
        began("Ren"),
        at(1.0, sent("One.", message="11")),
        at(2.0, ReadingPaused(1.0)),
        at(3.0, sent(text, message="12")),
        at(4.0, StopAsked("user", "")),
        began("Mia", turn="other"),
    )
    each = {name: [printed(line).strip() for line in told] for name, told in explain_each(facts).items()}

    notice = ["It is not cut from the model’s text: it is a notice.", "It is a notice, and ends with it."]
    assert {
        "11": ["0.000 s  The reply as Ren begins.", '1.000 s  Message 1: "One."', *notice, "It took no time."],
        "12": [
            "0.000 s  The reply as Ren begins.",
            "2.000 s  Reading from the model paused for 1.00 s, because the queue was full.",
            f'3.000 s  Message 2: "{text}"',
            *notice,
            "It took no time.",
            "4.000 s  A person stops the reply.",
        ],
    } == each


@pytest.mark.parametrize("message", [0, -1, 2])
def test_a_message_that_there_is_not_is_refused(message: int) -> None:
    with pytest.raises(InputError, match=rf"there is no message {message} in the trace; it has 1"):
        told(*MESSAGE, message=message)


def test_messages_are_counted_through_all_replies() -> None:
    facts = (*MESSAGE, *MESSAGE)

    assert ["Message 1", "Message 2"] == [
        rendered(line.said).split(":")[0] for line in lines(facts) if line.said.key == "message"
    ]
    assert told(*facts, message=2)[0].startswith("    3.000 s  Message 2: ")
    assert "" in told(*facts), "an empty line stands between two replies"


def test_replies_that_run_side_by_side_are_told_one_after_the_other() -> None:
    facts = [began(turn, turn) for turn in "ab"] + [
        at(time, StopAsked("user", turn), turn) for time in (1.0, 2.0) for turn in "ab"
    ]
    stop = "stops the reply."

    assert [
        *("The reply as a begins.", f"a {stop}", f"a {stop}"),
        "",
        *("The reply as b begins.", f"b {stop}", f"b {stop}"),
    ] == [line.split("s  ")[-1] for line in told(*facts)]
    assert [["a"] * 3, ["b"] * 3] == [[logged.turn for logged in reply] for reply in replies(facts)]


def test_what_a_rule_did_to_text_that_nobody_sees_is_told_by_itself() -> None:
    dropped = TextChanged("guard", "rules", "dropped", (2,), ("Mia: hi",), (), ())
    held = TextChanged("guard", "rules", "held", (2,), ("Mia: hi",), (), ())

    assert ['    2.000 s  The rule guard dropped "Mia: hi".'] == told(at(1.0, held), at(2.0, dropped))


def test_a_message_is_told_with_its_name_and_its_file() -> None:
    def head(text: str, name: str | None, file: str | None) -> str:
        fact = MessageSent((), text, (), (), "1", None, name, file, {}, 0.0)
        return told(at(0.0, fact))[0].split("s  ")[1]

    assert 'Message 1 as Mia: "Hi"' == head("Hi", "Mia", None)
    assert 'Message 1: "Hi", with the file a.png' == head("Hi", None, "a.png")
    assert "Message 1 as Mia: the file a.png" == head("", "Mia", "a.png")


def test_nothing_in_a_story_does_anything_to_a_terminal() -> None:
    facts = (began("\x1b[31mRen\x07"), at(0.0, NoticeShown("", "a\nb\x9b", "", is_shown=True)), at(0.0, sent("\x1b]")))

    assert not any(character < " " or "\x7f" <= character < "\xa0" for line in told(*facts) for character in line)
    assert told(*facts)[0].endswith("The reply as \\x1b[31mRen\\x07 begins.")


HELD = (
    began(),
    at(1.0, ChunkHeard("text", 1.0, "One (two\n")),
    at(1.0, TextHeld("mark", "(", 9)),
    at(1.5, ChunkHeard("text", 0.5, "three) four\nfive\n")),
    at(1.5, cut(1, "One (two\nthree) four\n", 0)),
    at(1.5, TextHeld("undecided", "\n", 5)),
    at(1.5, planned(1, "One (two\nthree) four", 0)),
    at(1.5, SendingBegan((1,))),
    at(1.5, sent("One (two\nthree) four", 0, 1)),
    at(1.75, ChunkHeard("text", 0.25, "x")),
    at(1.75, cut(2, "five\n", 21)),
    at(1.75, TextHeld("", "", 1)),
    at(1.75, planned(2, "five", 21, starts=LINE)),
    at(1.75, MessageWaits((2,), "rate_limit")),
    at(4.0, SendingBegan((2,))),
    at(4.0, sent("five", 21, 2)),
)


def test_a_message_says_what_was_held_and_when_it_waited_for_the_rate_limit() -> None:
    assert [
        "    0.000 s  The reply begins.",
        "    1.000 s  The model began to speak after 1.00 s.",
        '    1.500 s  Message 1: "One (two\\nthree) four"',
        "             It starts here because it is the first message of the reply.",
        "             It ends here because the line ends: shape is lines.",
        '             Its text was held for 0.50 s, because a bracket "(" was open.',
        "             Its time: 1.50 s until the model had said it.",
        '    4.000 s  Message 2: "five"',
        "             It starts here because the line before it ended: shape is lines.",
        "             It ends here because the line ends: shape is lines.",
        "             Its text was held for 0.25 s, because the next character could change the meaning of the last one.",
        "             It waited 2.25 s, because the chat takes only so many messages at a time.",
        "             Its time: 0.25 s until its end was decided, 2.25 s in the queue.",
    ] == told(*HELD)


# --- whatever it is given ----------------------------------------------------------------------------


@given(st.lists(ANY_FACT, max_size=12))
def test_whatever_a_trace_says_it_is_told(facts: list[Fact]) -> None:
    logged = [at(float(time), fact) for time, fact in enumerate(facts)]

    assert all("\n" not in line for language in ("en", "ja") for line in explain(logged, language=language))
    assert all("\n" not in printed(line) for told in explain_each(logged).values() for line in told)


# --- real replies ---------------------------------------------------------------------------------------


@pytest.mark.looptime
async def test_a_real_reply_is_told() -> None:
    seen: list[LoggedFact] = []
    stops = Stops()
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(2.5, lambda: stops.request("turn", StopReason.FOLLOW_UP, by="Mia"))
        model = SlowStream(0.5, "Ren: Hi @mia!\nHow ", 1.0, "are you?\nI am", 60.0)
        await say(TimedTarget(latency=0.125), model, scene=SCENE, settings=Settings.of(degree=2), stop=stop, trace=seen.append)  # fmt: skip

    assert [
        "    0.000 s  The reply as Ren in kitchen begins. Settings: tables is text, math is text, degree is 2.",
        "    0.500 s  The model began to speak after 0.50 s.",
        '    0.625 s  Message 1: "Hi <@1>!"',
        "             It starts here because it is the first message of the reply.",
        "             It ends here because the line ends: degree is 2.",
        '             The rule own_name (removes the persona’s own name from the start) changed "Ren: Hi @mia!\\n" to "Hi @mia!\\n".',
        '             The rule mentions (turns @names into real mentions) changed "Hi @mia!\\n" to "Hi <@1>!\\n".',
        "             Its time: 0.50 s until the model had said it, 0.12 s to send it.",
        '    1.625 s  Message 2: "How are you?"',
        "             It starts here because the line before it ended: degree is 2.",
        "             It ends here because the line ends: degree is 2.",
        "             A pause of 0.75 s was planned before it: 0.75 s to type it.",
        "             Its time: 1.00 s until the model had said it, 0.12 s to send it.",
        "    2.500 s  Mia asks the reply to stop, because a person wrote again.",
        "    2.500 s  The reply is ended early and keeps nothing more, because interrupts is 3.",
        '    2.500 s  Cut off "I am", because a person wrote again.',
        "    2.500 s  Round 1 is over: it was stopped, because a person wrote again.",
        "    2.500 s  The reply is over, with 2 messages: it was stopped, because a person wrote again.",
    ] == [*explain(seen)]


@pytest.mark.looptime
async def test_what_the_limit_cuts_is_told_so() -> None:
    """Code that is longer than a message ends where the message is full, not where its block ends."""
    seen: list[LoggedFact] = []

    await say(TimedTarget(), "```py\n" + "x = 1\n" * 40 + "```", settings=Settings.of(limit=100), trace=seen.append)

    ends = [line.said for line in lines(seen) if line.said.key.startswith("ends.")]
    assert [Said("ends.limit", {"decided": Said("decided", {"setting": "limit", "value": "100"})})] * 2 == ends[:2]
    assert "ends.reply" == ends[-1].key
    assert 'Added "```py", "```", so that each part of the code is a code block.' in "".join(told(*seen))
