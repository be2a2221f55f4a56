"""What is said of facts and stories."""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Mapping
from typing import get_args

import pytest

from cadenza import facts as f
from cadenza.explain import telling, words
from cadenza.explain.sentences import Said, as_json, from_json, rendered
from cadenza.explain.telling import change, edge, held, held_because, outcome, quoted, seconds, told_of, told_story
from cadenza.languages import languages, named
from cadenza.rules import RULES
from cadenza.types import StopReason

ENGLISH = named("en", "facts")
ERROR = {"type": "ProviderError", "text": "it is asleep", "kind": "api_error", "code": "400", "detail": "top_p"}
BROKE = {"kind": "broke", "reason": "ProviderError", "error": ERROR}
DONE = {"kind": "completed", "reason": "stop", "error": None}
WITH_MESSAGES = {
    f.TextHeld,
    f.TextCut,
    f.MessagePlanned,
    f.MessagesMerged,
    f.MessageWaits,
    f.SendingBegan,
    f.SendRefused,
    f.MessageSent,
}
"""Facts that are told with a message."""


def said(told: Said | None) -> str:
    return "" if told is None else rendered(told)


# --- the catalogue ------------------------------------------------------------------------------


@pytest.mark.parametrize("language", [language for language in languages() if language != "en"])
def test_every_language_has_the_same_keys_and_values(language: str) -> None:
    """What is missing falls back to English, and then is the same."""
    other = named(language, "facts")
    values = {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in ENGLISH.items()}

    assert values == {key: sorted(re.findall(r"\{\w+\}", text)) for key, text in other.items()}
    same = {key for key, text in ENGLISH.items() if text == other[key]}
    assert same <= {"hold.unknown", "holding.unknown", "outcome.unknown", "error.text", "list.join"}, (
        "it is not translated"
    )


def keys_in(module: object) -> set[str]:
    """All texts in *module* that look like a key."""
    tree = ast.parse(inspect.getsource(module))  # type: ignore[arg-type]  # a module
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def composed() -> set[str]:
    """The keys that are composed of a prefix and a name."""
    made = {f"{side}.{reason}" for side in ("starts", "ends") for reason in (*telling.ENDS, "unknown", "unrecorded")}
    made |= {f"ends.short.{reason}" for reason in telling.ENDS}  # which the page shows
    made |= {f"fate{form}.{fate}" for form in ("", ".short") for fate in telling.FATES} | {"fate.unknown"}
    made |= {f"rule.{rule.name}" for rule in RULES} | {f"stop.{reason.value}" for reason in StopReason}
    holds = (telling.HOLDS - {"hidden"}) | {"thought", "details", "unknown"}
    made |= {f"{prefix}.{hold}" for prefix in ("hold", "holding") for hold in holds}
    made |= {f"wait.{wait}" for wait in (*telling.WAITS, "unknown")}
    made |= {f"wait.typing.{why}" for why in telling.HURRIES}
    made |= {f"refusal.{remedy}" for remedy in (*telling.REMEDIES, "other")}
    made |= {f"change.{effect}" for effect in (*telling.EFFECTS, "regrouped")}
    made |= {f"added.{step}" for step in (*telling.ADDED, "other")}
    made |= {f"dropped.{step}" for step in (*telling.DROPPED, "other")}
    made |= {f"replaced.{step}" for step in (*telling.REPLACED, "other")}
    made |= {f"opener.{opener}" for opener in (*telling._OPENERS.values(), "other")}
    made |= {f"pause.{part}" for part in ("typing", "breath", "thinking")}
    made |= {f"times.{name}" for name in ("heard", "planned", "sending", "sent")}
    made |= {f"outcome.{kind}" for kind in telling._OUTCOMES}
    made |= {f"outcome.{kind}.why" for kind in ("completed", "empty")}
    made |= {f"attempt.{why.replace(' ', '_')}" for why in telling._ATTEMPTS}
    made |= {f"cure.{cure}" for cure in ("key", "time", "model")}
    made |= {f"keep.{keep}" for keep in ("everything", "decided", "clause", "nothing")}
    made |= {
        "skip.cooldown",
        "skip.not_ready",
        *(f"leave.{why}" for why in ("repeated", "skipped", "closed")),
        "merge.rate_limit",
        "merge.stop",
    }
    made |= {"reply.began.as", "reply.began.in", "reply.began.as_in", "list.join"}
    made |= {f"{head}{file}" for head in ("message", "message.as") for file in (".file", ".only_file")}
    counted = ("size.turns", "size.tools", "size.bytes", "attempt.dropped", "cut.dropped", "cut.sent", "reply.ended")
    counted += ("queue.withdrawn", "queue.restored", "superseded", "spared")
    return made | {f"{key}.{form}" for key in counted for form in ("one", "other")}


def test_every_sentence_that_can_be_said_is_in_the_catalogue() -> None:
    assert set() == composed() - set(ENGLISH)


def test_there_is_no_sentence_that_nobody_says() -> None:
    assert set() == set(ENGLISH) - composed() - keys_in(telling) - keys_in(words)


@pytest.mark.parametrize("reason", f.MessageEnd, ids=lambda reason: reason.value)
@pytest.mark.parametrize("side", ["starts", "ends"])
def test_every_edge_has_a_sentence_that_names_its_setting(side: str, reason: f.MessageEnd) -> None:
    told = said(edge(side, {"reason": reason.value, "setting": "limit", "value": 2000, "mark": ""}))

    assert told.startswith("It ")
    assert told.endswith(": limit is 2000.")
    assert said(edge(side, {"reason": reason.value, "setting": "", "value": None})) == told.replace(
        ": limit is 2000", ""
    )


def test_every_fact_has_words_or_is_told_with_its_message() -> None:
    assert set(get_args(f.Fact)) - WITH_MESSAGES == set(told_of.registry) - {object}


# --- facts between messages ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("fact", "words"),
    [
        (f.ReplyBegan("say", "", "", None, {}), "The reply begins."),
        (f.ReplyBegan("say", "", "Ren", None, {}), "The reply as Ren begins."),
        (f.ReplyBegan("say", "kitchen", "", None, {}), "The reply in kitchen begins."),
        (
            f.ReplyBegan("reply", "kitchen", "Ren", None, {"degree": 2, "shape": "lines", "typing": True}),
            "The reply as Ren in kitchen begins. Settings: degree is 2, shape is lines, typing is true.",
        ),
        (f.ModelSkipped("a:b", "cooldown", 12.0), "Skipped a:b: all its keys have a cooldown, for 12.00 s more."),
        (f.ModelSkipped("", "not ready", None), "Skipped the model: it was not ready."),
        (f.AttemptBegan(1, "a:b", None, "first"), "Attempt 1 asks a:b."),
        (f.AttemptBegan(1, "a:b", "key 1", "first"), "Attempt 1 asks a:b: with key 1."),
        (
            f.AttemptBegan(2, "", None, "once more", 1.0, 2, reminded=True),
            "Attempt 2 asks the model: once more, because the answer was empty, after 1.00 s, without the 2 oldest exchanges, reminded of whom it speaks for.",
        ),
        (
            f.AttemptEnded(1, "a:b", BROKE, "key"),
            "Attempt 1 failed: it broke off, because of an error: it is asleep [top_p]. Another key may help.",
        ),
        (f.AttemptEnded(1, "a:b", DONE, "nothing"), ""),
        (f.RequestSent(1, "default", remembered=False, error=None, turns=1, tools=0, bytes=1999), "Request 1 is sent: 1 turn, 0 tools, 1,999 bytes."),
        (
            f.RequestSent(2, "probe_drop_top_p", remembered=False, error=ERROR, turns=1, tools=2, bytes=9),
            "Request 2 is sent, changed (probe drop top p) because the API refused the one before: it is asleep [top_p]; 1 turn, 2 tools, 9 bytes.",
        ),
        (
            f.RequestSent(1, "recalled", remembered=True, error=None, turns=1, tools=0, bytes=9),
            "Request 1 is sent, changed (recalled) because the API refused such a request earlier: 1 turn, 0 tools, 9 bytes.",
        ),
        (f.ChunkHeard("text", 0.0, "Hi"), ""),
        (f.ChunkHeard("call", 0.0, "", {"name": "dice"}), "The model calls the tool dice."),
        (f.ChunkHeard("failed", 0.0, "", {"error": ERROR}), "The stream broke off: it is asleep [top_p]."),
        (f.TextHidden("thought", "hm", ()), 'A thought was hidden: "hm".'),
        (f.TextHidden("details", "so", ()), 'A details block was hidden: "so".'),
        (f.TextChanged("joint", "composer", "dropped", (1,), ("\n",), (), ()), ""),
        (f.TextChanged("stop", "outbox", "dropped", (1,), (), ("kept",), ((0, 3),)), ""),
        (f.TextChanged("thematic_breaks", "rules", "added", (), (), ("",), ()), ""),
        (
            f.TextChanged("speaker_guard", "rules", "dropped", (1,), ("Mia: hi",), (), ()),
            'The rule speaker_guard (ends the reply where the model speaks for another person) dropped "Mia: hi".',
        ),
        (f.ReplyHalted("composer", "message_limit"), "The reply is ended here, because the reply has as many messages as it may have."),
        (f.ReplyHalted("shout", "rule"), "The rule shout ends the reply here, because a rule asked for it."),
        (f.ReplyQueued(2, 1.5), "The reply waited 1.50 s for its turn in the channel; replies before it: 2."),
        (f.ReadingPaused(1.5), "Reading from the model paused for 1.50 s, because the queue was full."),
        (f.ReadingPaused(0.0), ""),
        (f.MessageRefused((2,), {}, {"type": "OSError", "text": ""}), "A message could not be sent: OSError."),
        (f.MessageRefused((2,), {}, {"text": "It is asleep; wake it."}), "A message could not be sent: It is asleep; wake it."),
        (f.MessageRefused((2,), {}, None), "A message could not be sent: an unknown error."),
        (f.MessageLeftOut((2,), "repeated"), "A message was left out: the model said the same again."),
        (f.MessageLeftOut((2,), "skipped"), "A message was left out: the chat does not accept it."),
        (f.MessageLeftOut((2,), "skipped", {"text": "A filter refused it."}), "A message was left out: A filter refused it."),
        (f.MessageLeftOut((2,), "closed"), "A message was left out: the reply was over."),
        (f.MessageLeftOut((2,), "so_it_is"), "A message was left out: so it is."),
        (
            f.QueueCut("clause", (2,), (3, 4), "two", f.Edge("stop", "on_stop", "clause"), ("three", "four")),
            'The reply is ended early and keeps at most the clause that comes next, because on_stop is clause: 2 planned messages are dropped ("three", "four"), 1 planned message is still sent, "two".',
        ),
        (
            f.QueueCut("decided", (2, 3), (), "two"),
            'The reply is ended early and keeps what was already decided: 2 planned messages are still sent, beginning with "two".',
        ),
        (
            f.QueueCut("nothing", (), (4, 5), None, f.Edge("stop", "on_stop", "silence"), ("a", "b")),
            'The reply is ended early and keeps nothing more, because on_stop is silence: 2 planned messages are dropped ("a", "b").',
        ),
        (
            f.QueueCut("nothing", (), (4,), None, None, ("a",)),
            'The reply is ended early and keeps nothing more: 1 planned message is dropped ("a").',
        ),
        (
            f.QueueCut("clause", (), (4,), None, f.Edge("stop", "on_stop", "clause"), ("a",)),
            'The reply is ended early. It was to keep at most the clause that comes next, because on_stop is clause, but no further message was possible: 1 planned message is dropped ("a").',
        ),
        (
            f.QueueCut("nothing", (), (), None, f.Edge("stop", "on_stop", "silence")),
            "The reply is ended early and keeps nothing more, because on_stop is silence.",
        ),
        (f.QueueCut("nothing", (), (), None), ""),
        (f.QueueWithdrawn((1, 2)), "2 queued messages are put aside, because their attempt failed."),
        (f.QueueWithdrawn(()), ""),
        (f.QueueRestored((1,)), "1 message that was put aside is sent after all."),
        (f.QueueRestored(()), ""),
        (f.MessagesSuperseded(("7", "8")), "2 messages are deleted as soon as there is something better: 7, 8."),
        (f.MessagesSpared(("7",)), "The message with the id 7 stays after all."),
        (f.MessageDeleted("7", 0.5, None), "The message with the id 7 was deleted in 0.50 s."),
        (f.MessageDeleted("7", 0.5, ERROR), "The message with the id 7 could not be deleted: it is asleep [top_p]."),
        (f.ToolCalled("1", "dice", "{}", 0.5, is_error=False, remembered=False), 'The tool dice took 0.50 s, with "{}".'),
        (f.ToolCalled("1", "dice", "{}", 0.5, is_error=True, remembered=False), 'The tool dice failed after 0.50 s, with "{}".'),
        (f.ToolCalled("1", "dice", "{}", 0.0, is_error=False, remembered=True), 'The tool dice was not run again with "{}": its earlier result was used.'),
        (f.NoticeShown("", "It is late.", "", is_shown=True), "A notice was shown: It is late."),
        (f.NoticeShown("", "It is late.", "", is_shown=False), "A notice could not be shown: It is late."),
        (f.StopAsked("user", "Mia"), "Mia stops the reply."),
        (f.StopAsked("follow_up", ""), "The reply is asked to stop, because a person wrote again."),
        (f.ModelStalled(has_begun=False, seconds=300.0), "The model sent nothing for 300 s, not even a first word."),
        (f.ModelStalled(has_begun=True, seconds=20.0), "The model sent nothing for 20.00 s in the middle of its answer."),
        (f.RoundEnded(2, BROKE, 0, {}), "Round 2 is over: it broke off, because of an error: it is asleep [top_p]."),
        (f.ReplyEnded(DONE, 2, "", 0, 0, {}), "The reply is over, with 2 messages: the model finished."),
        (f.ReplyEnded(DONE, 1, "", 0, 0, {}), "The reply is over, with 1 message: the model finished."),
    ],
    ids=lambda value: value.name if not isinstance(value, str) else "",
)  # fmt: skip
def test_what_is_said_of_a_fact(fact: f.Fact, words: str) -> None:
    assert words == said(told_of(fact))


@pytest.mark.parametrize(
    ("about", "words"),
    [
        ({"kind": "completed", "reason": "length"}, "the model reached its limit of tokens"),
        ({"kind": "completed", "reason": "maybe"}, "the model finished (maybe)"),
        ({"kind": "empty", "reason": ""}, "the model said nothing"),
        ({"kind": "stopped", "reason": "shutdown"}, "it was stopped, because the bot shuts down"),
        ({"kind": "stalled", "reason": "in the middle"}, "the model fell silent"),
        ({"kind": "needs_tools", "reason": "dice"}, "the model asks for tools (dice)"),
        ({"kind": "raised", "reason": "CancelledError"}, "it was cancelled (CancelledError)"),
        ({"kind": "dreamt", "reason": "sheep"}, "sheep"),
        ({}, "?"),
    ],
)
def test_how_it_ended(about: dict[str, object], words: str) -> None:
    assert words == said(outcome(about))


# --- messages ----------------------------------------------------------------------------------------


LONG = "a long beginning that nobody reads, "
DOES = "The rule emoji (turns :names: into the server’s emoji)"


@pytest.mark.parametrize(
    ("before", "after", "words"),
    [
        (["hi :wave: you"], ["hi 👋 you"], f'{DOES} changed "hi :wave: you" to "hi 👋 you".'),
        ([LONG + "x" + LONG], [LONG + "y" + LONG], f'{DOES} changed "…body reads, xa long begin…" to "…body reads, ya long begin…".'),
        (["aa"], ["aaa"], f'{DOES} changed "aa" to "aaa".'),
        (["a", "b"], ["ab"], f'{DOES} put "ab" together or apart, with the same words.'),
        (["gone"], [], f'{DOES} dropped "gone".'),
    ],
    ids=["whole", "only where it differs", "repeated", "the same words", "nothing left"],
)  # fmt: skip
def test_a_change_is_shown_where_it_is(before: list[str], after: list[str], words: str) -> None:
    rule = {"rule": "emoji", "stage": "rules", "effect": "changed", "before": before, "after": after, "identity": None}

    assert words == said(change(rule))


def test_a_change_of_face_is_told_and_a_rule_of_another_is_named() -> None:
    rule = {
        "rule": "sprites",
        "stage": "rules",
        "effect": "split",
        "before": ["a: b"],
        "after": ["b", "c"],
        "identity": "Mia",
    }

    assert 'The rule sprites split "a: b" into 2 parts, shown as Mia.' == said(change(rule))


def test_a_rule_that_gave_a_text_only_a_name_or_a_label_changed_no_word() -> None:
    rule = {"rule": "own", "stage": "rules", "effect": "changed", "before": ["a"], "after": ["a"], "identity": "Ren"}

    assert 'The rule own left "a" as it is, shown as Ren.' == said(change(rule))
    assert 'The rule own left "a" as it is, shown as Ren with the sprite mad.' == said(change(rule | {"sprite": "mad"}))
    assert 'The rule own gave "a" the label "Ren (mad): ".' == said(
        change(rule | {"identity": None, "label": "Ren (mad): "})
    )


@pytest.mark.parametrize(
    ("step", "before", "after", "words"),
    [
        ("fence", [], ["```py", "```"], 'Added "```py", "```", so that each part of the code is a code block.'),
        ("casual", ["The", "A", "The"], ["the", "a", "the"], 'Casual writing changed "The", "A" to "the", "a".'),
        ("casual", ["."], [], 'Casual writing left out ".".'),
        ("names", ["hi @ghost"], ["hi <@9>"], 'Changed "hi @ghost" to "hi <@9>", because the name was looked up.'),
        (
            "unpainted",
            [""],
            ["**a:** b"],
            "No picture of the table or the formula could be made, so it is shown as text.",
        ),
        ("intake", ["\a"], ["\ufffd"], 'No chat can show "\\u0007", so it is shown as "\ufffd".'),
        ("overlap", ["Hello"], [], 'Dropped "Hello", because the model had already said it.'),
        ("message_limit", ["rest"], [], 'Cut off "rest", because the reply has as many messages as it may have.'),
        ("dream_on", ["x"], [], 'Left out "x" (dream on).'),
        ("dream_on", [], ["x"], 'Added "x" (dream on).'),
        ("split", list("abcdef"), [], 'Left out "a", "b", "c", "d", … where the text was cut.'),
    ],
)
def test_what_other_steps_did_is_told(step: str, before: list[str], after: list[str], words: str) -> None:
    assert words == said(
        change({"rule": step, "stage": "composer", "effect": "changed", "before": before, "after": after})
    )


def test_time_does_not_run_backwards() -> None:
    assert ("0.00", "0.005", "1.50", "300") == (seconds(-0.001), seconds(0.005), seconds(1.5), seconds(300.0))


def test_what_is_long_is_cut_unless_all_is_wanted() -> None:
    assert f'"{"x" * 59}…"' == quoted("x" * 100)
    assert f'"{"x" * 100}"' == quoted("x" * 100, None)
    assert 120 == len(quoted(["x" * 100] * 10))


@pytest.mark.parametrize(
    ("why", "mark", "size", "words"),
    [
        pytest.param("code", "```", 0.5, "because a code block was open.", id="code"),
        pytest.param("table", "", 0.5, "because a table was not over.", id="a table"),
        pytest.param("hidden", "thought", 0.5, "because a thought was open, which is not shown.", id="a thought"),
        pytest.param("hidden", "details", 0.5, "because a details block was open, which is not shown.", id="details"),
        pytest.param("mark", "**", 0.5, 'because bold text "**" was open.', id="a mark"),
        pytest.param("mark", "§", 0.5, 'because the mark "§" was open.', id="another mark"),
        pytest.param(
            "undecided",
            "\n",
            0.5,
            "because the next character could change the meaning of the last one.",
            id="a line end",
        ),
        pytest.param("rule", "prefill", 0.5, "because the rule prefill waited for what follows.", id="a rule"),
        pytest.param("gathered", "", 0.5, "because more text could join its message.", id="gathered"),
        pytest.param("undecided", "\n", 0.05, "", id="a moment"),
        pytest.param("code", "```", 0.0, "", id="no time"),
    ],
)
def test_what_held_a_message_is_told(why: str, mark: str, size: float, words: str) -> None:
    expected = f"Its text was held for 0.50 s, {words}" if words else ""

    assert expected == said(held({"from": 1.0, "to": 1.0 + size, "why": why, "mark": mark}))


def test_what_holds_text_now_is_told() -> None:
    assert 'a bracket "(" is open' == said(held_because("mark", "("))
    assert "dream on" == said(held_because("dream_on", ""))


def story(**more: object) -> dict[str, object]:
    edges = {"reason": "line", "setting": "shape", "value": "lines", "mark": "\n"}
    times = {"since": 0.0, "heard": 1.0, "planned": 1.25, "sending": 2.0, "sent": 2.0}
    empty: dict[str, object] = {"holds": [], "rules": [], "waits": [], "merged": None, "pause": {}, "posts": [1]}
    return {"starts": edges, "ends": edges, "times": times, **empty, **more}


def told(**more: object) -> dict[str, object]:
    def plain(value: object) -> object:
        match value:
            case list():
                return [plain(one) for one in value]
            case None:
                return None
            case _:
                return rendered(from_json(value))

    return {name: plain(value) for name, value in told_story(story(**more)).items()}


def test_all_of_a_story_is_told() -> None:
    assert {
        "starts": "It starts here because the line before it ended: shape is lines.",
        "ends": "It ends here because the line ends: shape is lines.",
        "merged": "3 planned messages were sent as one: the chat takes only so many messages at a time.",
        "holds": ["Its text was held for 1.00 s, because a code block was open.", None],
        "rules": ['Casual writing left out ".".'],
        "pause": "A pause of 1.00 s was planned before it: 0.75 s to type it, 0.50 s to draw breath, 0.25 s to think, less 0.50 s because the reply’s typing budget was used up.",
        "waits": [
            "It waited 2.00 s, as long as typing takes.",
            "It waited 2.00 s, because the chat takes only so many messages at a time.",
            "It waited 2.00 s for its picture.",
            "It waited 2.00 s, until it was known who is meant.",
            None,
        ],
        "refusals": [
            "The chat did not confirm it (overloaded, 503), so it was sent again.",
            "It was unclear whether it had arrived (lost): it had.",
            "The chat refused it at first (forbidden).",
        ],
        "times": "Its time: 1.00 s until the model had said it, 0.25 s until its end was decided, 0.75 s in the queue.",
    } == told(
        merged={"count": 3, "why": "rate_limit"},
        holds=[
            {"from": 0.0, "to": 1.0, "why": "code", "mark": ""},
            {"from": 1.0, "to": 1.0, "why": "code", "mark": ""},
        ],
        rules=[{"rule": "casual", "stage": "composer", "effect": "dropped", "before": ["."], "after": []}],
        pause={"planned": 1.0, "typing": 0.75, "breath": 0.5, "thinking": 0.25, "cut": 0.5},
        waits=[
            *({"from": 1.0, "to": 3.0, "why": why} for why in ("typing", "rate_limit", "picture", "names")),
            {"from": 1.0, "to": 1.0, "why": "typing"},
        ],
        refusals=[
            {"reason": "overloaded", "code": "503", "remedy": "retry"},
            {"reason": "lost", "code": "", "remedy": "found"},
            {"reason": "forbidden", "code": "", "remedy": "dream"},
        ],
    )


def test_a_message_that_was_not_planned_has_only_the_time_that_sending_took() -> None:
    times = {"since": 0.0, "heard": 9.0, "planned": 9.0, "sending": 9.0, "sent": 9.5}

    assert ("Its time: 0.50 s to send it.", None) == (told(times=times, posts=[])["times"], told()["pause"])
    assert "It took no time." == told(times={}, posts=[])["times"]


def test_a_part_of_a_sentence_is_json_too() -> None:
    hold: Mapping[str, object] = {"from": 0.0, "to": 1.0, "why": "mark", "mark": "("}

    assert {
        "key": "hold.mark",
        "values": {"seconds": "1.00", "opener": {"key": "opener.bracket", "values": {"mark": '"("'}}},
    } == as_json(held(hold) or Said(""))
