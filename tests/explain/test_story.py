"""What is told of each message, by real replies in virtual time."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.explain.sentences import from_json, rendered
from cadenza.explain.story import MessageStory, Stories
from cadenza.facts import ChunkHeard, Fact, LoggedFact, MessageSent
from cadenza.models.dialects.scripted import ScriptedCodec, parse_script, transport
from cadenza.models.model import Model
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.text.tables import Table
from cadenza.tools.tool import Tool
from cadenza.types import Line, Persona, Roster, Scene, StopReason, ToolSpec
from tests.explain.any_facts import ANY_FACT
from tests.timing import SlowStream, TimedTarget
from tests.trouble import MeteredChannel

SCENE = Scene("kitchen", Persona("Ren"), history=(Line("Mia", "hello"),), roster=Roster({"mia": "<@1>"}))
AT_ONCE = Settings.of(degree=1)
TYPED = Settings.of(degree=2, thinking_chance=0.0)
CALL = '{"tool": {"id": "7", "name": "dice", "arguments": {}}}\n{"finish": "tool_calls"}'


class Book:
    """A hook that knows the stories of a reply, as they become known."""

    def __init__(self, begins: float = 0.0) -> None:
        self._stories = Stories(begins)
        self.told: list[MessageStory] = []
        self.raw = ""

    def __call__(self, logged: LoggedFact) -> None:
        if isinstance(logged.fact, ChunkHeard) and logged.fact.kind == "text":
            self.raw += logged.fact.text
        self.told += self._stories.feed(logged)

    @property
    def stories(self) -> list[Mapping[str, Any]]:
        return [told.about["story"] for told in self.told if told.kind == "story"]  # type: ignore[misc]  # as is documented

    @property
    def words(self) -> list[tuple[str, str]]:
        """What became of the model's words, in the order in which that was known: a number, or a fate."""
        found: list[tuple[str, str]] = []
        for told in self.told:
            about: Any = told.about.get("story", told.about)
            name = str(about["number"] if told.kind == "story" else about["fate"])
            found += [(name, self.raw[begin:end]) for begin, end in about["raw"]]
        return found

    def of(self, name: str) -> list[Any]:
        return [story[name] for story in self.stories]

    @property
    def edges(self) -> list[tuple[str, str]]:
        """Why each message starts and ends where it does."""
        return [(story["starts"]["reason"], story["ends"]["reason"]) for story in self.stories]


def scripted(*scripts: str, name: str = "first") -> Model:
    return Model(ScriptedCodec(), transport([parse_script(script) for script in scripts], asyncio.sleep), name=name)


@pytest.mark.looptime
async def test_a_story_has_all_that_is_known_of_a_message() -> None:
    book = Book(begins=100.0)
    model = SlowStream(1.0, "Hello (@mia\n", 0.5, "and) you.\n", 0.25, "x", 9.0)

    await say(TimedTarget(latency=0.125), model, scene=SCENE, settings=TYPED, trace=book)

    assert {
        "number": 1,
        "text": "Hello (<@1>\nand) you.",
        "name": None,
        "file": None,
        "starts": {"reason": "reply", "setting": "", "value": None, "mark": ""},
        "ends": {"reason": "line", "setting": "degree", "value": 2, "mark": "\n"},
        "raw": [[0, 21]],
        "segments": [1],
        "posts": [1],
        "holds": [
            {"from": 101.0, "to": 101.5, "why": "mark", "mark": "("},
            {"from": 101.5, "to": 101.75, "why": "undecided", "mark": "\n"},
        ],
        "rules": [
            {
                "at": 101.75,
                "rule": "mentions",
                "stage": "rules",
                "effect": "changed",
                "before": ["Hello (@mia\nand) you.\n"],
                "after": ["Hello (<@1>\nand) you.\n"],
                "ranges": [[7, 11]],
                "identity": None,
                "label": "",
                "setting": "",
                "value": None,
                "sprite": "",
            }
        ],
        "pause": {"planned": 0.0, "typing": 0.0, "breath": 0.0, "thinking": 0.0, "cut": 0.0},
        "waits": [],
        "refusals": [],
        "times": {"since": 100.0, "heard": 101.5, "planned": 101.75, "sending": 101.75, "sent": 101.875},
        "merged": None,
    } == {name: value for name, value in book.stories[0].items() if name != "told"}
    assert ["1", "2"] == [told.about["message"] for told in book.told]


@pytest.mark.looptime
async def test_a_message_starts_where_the_one_before_it_ended() -> None:
    book = Book()

    await say(TimedTarget(), "One\n```py\nx\n```\nTwo", settings=AT_ONCE, trace=book)

    assert [("reply", "line"), ("line", "block"), ("block", "reply")] == book.edges


@pytest.mark.looptime
async def test_a_hold_belongs_to_the_message_that_it_kept_back_and_to_no_other() -> None:
    book = Book()
    model = SlowStream(
        "One.\n```py\nx", 1.0, "\n```\n", 1.0, "Two <think>", 1.0, "hm</think>three.", 1.0, "\nfour", 1.0
    )

    await say(TimedTarget(), model, settings=AT_ONCE, trace=book)

    holds = [[(hold["why"], hold["to"] - hold["from"]) for hold in story["holds"]] for story in book.stories]
    assert [[], [("code", 1.0), ("gathered", 1.0)], [("mark", 1.0)], []] == holds, "its line may go on behind the code"


@pytest.mark.looptime
async def test_what_a_rule_keeps_back_and_what_is_gathered_are_holds_too() -> None:
    kept, gathered = Book(), Book()
    scene = Scene("kitchen", Persona("Ren"), roster=Roster(speakers=("Mia",)))

    await say(TimedTarget(), SlowStream("Mia:\nw", 1.0, "ell\nx"), scene=scene, settings=AT_ONCE, trace=kept)
    await say(TimedTarget(), SlowStream("One.\nTwo", 1.0, ".\nx"), settings=Settings.of(degree=0), trace=gathered)

    (first, *_), (all_of_it,) = kept.of("holds"), gathered.of("holds")
    assert [{"from": 0.0, "to": 1.0, "why": "rule", "mark": "trailing_label"}] == first
    assert [{"from": 0.0, "to": 1.0, "why": "gathered", "mark": ""}] == all_of_it


@pytest.mark.looptime
async def test_a_change_of_several_segments_is_told_once() -> None:
    book = Book()

    await say(TimedTarget(), "World is good.\n...\nMore text.\n", settings=Settings.of(shape="lines"), trace=book)

    changes = [(rule["rule"], rule["effect"]) for rule in book.stories[-1]["rules"]]
    assert [("orphan_punctuation", "held"), ("orphan_punctuation", "changed")] == changes


@pytest.mark.looptime
async def test_what_casual_writing_changed_is_told_once_and_with_its_own_message() -> None:
    book = Book()
    text = "Hi! Ok! Oh, I Know John, the baker, is here. And Yes, it works."

    await say(TimedTarget(), text, settings=Settings.of(degree=3, seed=28, thinking_chance=0.0), trace=book)

    told = [(story["text"], *((one["before"], one["after"]) for one in story["rules"])) for story in book.stories]
    assert [
        ("hi! ok!", (["Hi", "Ok"], ["hi", "ok"])),
        ("oh I know john the baker", (["Oh", "Know", "John"], ["oh", "know", "john"]), ([",", ",", ","], [])),
        ("is here", (["."], [])),
        ("and yes it works", (["And", "Yes"], ["and", "yes"]), ([","], []), (["."], [])),
    ] == told


@pytest.mark.looptime
async def test_a_full_stop_that_is_left_out_is_told_with_its_message_whenever_that_is_sent() -> None:
    book = Book()
    model = SlowStream("One is here. ", 5.0, "Two is here. ", 5.0, "Three is here.\n", 5.0, "Four.")

    await say(TimedTarget(), model, settings=Settings.of(shape="sentences"), trace=book)

    (rules,) = {
        tuple((one["rule"], *one["before"], one["setting"], one["value"]) for one in rules)
        for rules in book.of("rules")
    }
    assert (("split", ".", "shape", "sentences"),) == rules


class NoPainter:
    """Makes no picture."""

    def paint(self, _: Table, /) -> bytes | None:
        return None


@pytest.mark.looptime(False)  # noqa: FBT003  # pictures are made in a thread, in real time
async def test_a_table_of_which_no_picture_could_be_made_tells_where_its_texts_end() -> None:
    book = Book()
    rows = "".join(f"| {'name ' * 5}{row} | {'word ' * 30}|\n" for row in range(4))
    target = MemoryTarget(limits=Limits(length=400, files=True))

    preparer = PostPreparer(NoPainter())
    await say(target, f"| a | b |\n|---|---|\n{rows}\nWell.", settings=AT_ONCE, preparer=preparer, trace=book)

    *texts, last = book.stories
    assert len(texts) > 1
    assert [*["limit"] * (len(texts) - 1), "picture"] == [story["ends"]["reason"] for story in texts]
    assert [story["ends"] for story in texts] == [story["starts"] for story in (*texts[1:], last)]
    told = [["unpainted" in (rule["rule"] for rule in story["rules"])] for story in book.stories]
    assert [[True], *[[False]] * len(texts)] == told


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("text", "rule"),
    [
        ("Bell\a and nul\0 here.\r\n\r\nEnd.", ("intake", ["\a", "\0"], ["\ufffd", "\ufffd"])),
        ("-#\nsmall", ("lone_marker", [], [" "])),
        ("Text\n``````", ("lone_fence", [], ["\\`" * 6])),
        ("Text\n``````\n", ("lone_fence", [], ["\\`" * 6])),
    ],
)
async def test_what_the_buffer_replaces_is_told_and_is_in_its_message(
    text: str, rule: tuple[str, list[str], list[str]]
) -> None:
    book = Book()

    await say(TimedTarget(), text, settings=Settings.of(degree=0), trace=book)

    (story,) = book.stories
    assert [rule] == [(one["rule"], one["before"], one["after"]) for one in story["rules"]]
    assert "".join(text.split()) == "".join("".join(words for _, words in book.words).split())
    assert {"1"} == {name for name, _ in book.words}


@pytest.mark.looptime
async def test_the_second_part_of_a_table_was_not_held_with_what_stands_before_the_table() -> None:
    book = Book()
    rows = "".join(f"| a row with the number {row} | {row * row} |\n" for row in range(20))
    settings = Settings.of(tables="text", limit=400)

    model = SlowStream("Numbers:\n\n", 5.0, f"| a | b |\n|---|---|\n{rows}", 1.0, "\nWell.")
    await say(TimedTarget(), model, settings=settings, trace=book)

    first, *parts, _ = book.stories
    assert 5.0 <= max(hold["to"] - hold["from"] for hold in first["holds"])
    assert parts
    assert not any(story["holds"] for story in parts)


@pytest.mark.looptime
async def test_a_message_that_was_typed_tells_its_pause_and_its_wait() -> None:
    book = Book()

    await say(TimedTarget(), SlowStream("one\ntwo\nx", 9.0), settings=TYPED, trace=book)

    story = book.stories[1]
    wait = {"from": 0.0, "to": story["pause"]["planned"], "why": "typing", "shortened": "", "tail": None}
    assert [wait] == story["waits"]
    assert story["pause"]["planned"] == story["times"]["sending"] > 0.0


@pytest.mark.looptime
@pytest.mark.parametrize(
    ("stream", "settings", "why"),
    [(["one\ntwo and more"], {}, "finished"), (["one\ntwo and more\nthree\nfour\nfive", 9.0], {"queue": 2}, "queue")],
    ids=["finished", "full"],
)
async def test_a_pause_that_was_shortened_says_why(stream: list[Any], settings: dict[str, Any], why: str) -> None:
    book = Book()
    shortened = TYPED.with_values({"typing_tail": 0.25, **settings})

    await say(TimedTarget(), SlowStream(*stream), settings=shortened, trace=book)

    waits, pause = book.stories[1]["waits"], book.stories[1]["pause"]["planned"]
    assert [(why, 0.25)] == [(wait["shortened"], wait["tail"]) for wait in waits if wait["shortened"]]
    assert sum(wait["to"] - wait["from"] for wait in waits) < pause
    told = rendered(from_json(book.stories[1]["told"]["waits"][-1]))
    assert told.endswith(": typing_tail is 0.25.")


@pytest.mark.looptime
async def test_messages_that_went_out_together_are_one_story() -> None:
    book = Book()
    lines = SlowStream(*(item for number in range(8) for item in (f"line {number}\n", 0.5)), "end")

    await say(MeteredChannel(), lines, settings=AT_ONCE, trace=book)

    (joint,) = [story for story in book.stories if story["merged"]][:1]
    assert {"count": 4, "why": "rate_limit"} == joint["merged"]
    assert ("line 3\nline 4\nline 5\nline 6", [4, 5, 6, 7]) == (joint["text"], joint["posts"])
    assert ["rate_limit"] == [wait["why"] for wait in joint["waits"]]
    assert [("4", f"line {number}") for number in range(3, 7)] == [word for word in book.words if word[0] == "4"]


@pytest.mark.looptime
async def test_one_message_of_many_lines_is_made_of_what_is_in_it() -> None:
    """At degree 0 each message may be made of everything; its story knows better."""
    book = Book()
    text = "\n".join(f"This is line number {number}." for number in range(12))

    await say(TimedTarget(), text, settings=Settings.of(degree=0, limit=100), trace=book)

    assert len(book.stories) > 2
    numbers = [number for story in book.stories for number in story["segments"]]
    assert list(range(1, 13)) == numbers


@pytest.mark.looptime
async def test_a_message_that_is_one_emoji_holds_its_name_also_behind_a_mention_with_a_like_id() -> None:
    book = Book()
    roster = Roster({"mia": "<@1593540240998400001>"}, emoji={"wave": "<:wave:1593540240998400004>"})
    scene = Scene("kitchen", Persona("Ren"), roster=roster)

    await say(TimedTarget(), "Evening, @Mia! :wave: Here.\n", scene=scene, settings=AT_ONCE, trace=book)

    assert [("1", "Evening, @Mia!"), ("2", ":wave:"), ("3", "Here.")] == book.words


@pytest.mark.looptime
async def test_what_a_stop_leaves_out_is_cut() -> None:
    book, stops = Book(), Stops()
    with stops.open("turn") as stop:
        asyncio.get_running_loop().call_later(1.0, stops.request, "turn", StopReason.USER)
        model = SlowStream("One.\nTwo is long enough.\nThree. And the fourth is bro", 60.0)
        await say(TimedTarget(), model, settings=TYPED, stop=stop, trace=book)

    assert [("1", "One."), ("2", "Two is long enough."), ("cut", "Three. And the fourth is bro")] == book.words


@pytest.mark.looptime
async def test_what_a_limit_of_time_ends_names_its_setting() -> None:
    """The queue was cut after it, without a stop."""
    book, lines = Book(), "".join(f"{letter * 40}\\n" for letter in "abcde")
    settings = TYPED.with_values({"limit": 90, "turn_timeout": 1.0, "on_stop": "clause"})

    await reply(SCENE, [scripted(f'{{"text": "{lines}"}}\n{{"after": 60.0, "text": "e"}}')], TimedTarget(), settings=settings, trace=book)  # fmt: skip

    assert {"reason": "stop", "setting": "turn_timeout", "value": 1.0, "mark": ""} == book.of("ends")[-1]


@pytest.mark.looptime
async def test_thoughts_and_details_have_a_fate_of_their_own() -> None:
    book = Book()

    await say(TimedTarget(), "<think>Well.</think>Hi <details>secret</details>there", settings=AT_ONCE, trace=book)

    assert [
        ("thought", "<think>Well.</think>"),
        ("details", "<details>secret</details>"),
        ("1", "Hi "),
        ("1", "there"),
    ] == book.words


@pytest.mark.looptime
async def test_words_are_counted_through_the_rounds_of_a_tool() -> None:
    book = Book()

    async def roll(*_: object) -> str:
        return "4"

    model = scripted('{"text": "Rolling. I th"}\n' + CALL, '{"text": "A four."}')
    tools = {"dice": Tool(ToolSpec("dice", "Roll dice.", {}), roll)}
    await reply(SCENE, model, TimedTarget(), settings=AT_ONCE, tools=tools, trace=book)

    assert {("1", "Rolling."), ("cut", "I th"), ("2", "A four.")} == set(book.words)
    assert [("reply", "tool_call"), ("tool_call", "reply")] == book.edges


@pytest.mark.looptime
async def test_what_a_model_said_that_failed_is_dropped_when_another_has_answered() -> None:
    book = Book()
    first = scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}')
    models = [first, scripted('{"text": "better"}', name="second")]

    await reply(SCENE, models, TimedTarget(), settings=TYPED.with_values({"model_retries": 0}), trace=book)

    assert [("1", "one"), ("2", "better"), ("dropped", "two")] == book.words
    assert ["reply", "reply"] == [start for start, _ in book.edges]


@pytest.mark.looptime
async def test_what_was_put_aside_and_sent_after_all_is_in_its_message() -> None:
    book = Book()
    first = scripted('{"text": "one\\ntwo\\n"}\n{"after": 0.5, "error": "asleep"}')
    models = [first, scripted('{"error": "asleep too"}', name="second")]

    await reply(SCENE, models, TimedTarget(), settings=TYPED.with_values({"model_retries": 0}), trace=book)

    assert [("1", "one"), ("2", "two")] == book.words


def test_a_message_that_was_not_planned_has_a_story_too() -> None:
    stories = Stories()
    sent = MessageSent((), "Hi", (), (), "9", None, None, None, {}, 0.5)

    (told,) = stories.feed(LoggedFact(sent, 2.0))

    story: Any = told.about["story"]
    assert ("notice", [], None) == (story["ends"]["reason"], story["raw"], story["merged"])


def test_a_message_whose_plan_is_not_known_is_no_notice() -> None:
    (told,) = Stories().feed(LoggedFact(MessageSent((7,), "Hi", (), ((5, 7),), "9", None, None, None, {}, 0.5), 2.0))

    story: Any = told.about["story"]
    assert ("", "") == (story["starts"]["reason"], story["ends"]["reason"])
    assert ({"key": "starts.unrecorded"}, {"key": "ends.unrecorded"}) == (
        story["told"]["starts"],
        story["told"]["ends"],
    )
    assert {"since": 0.0, "heard": 1.5, "planned": 1.5, "sending": 1.5, "sent": 2.0} == story["times"]


@given(st.lists(ANY_FACT, max_size=20))
def test_whatever_a_trace_says_it_is_taken(facts: list[Fact]) -> None:
    stories = Stories()
    told = [one for at, fact in enumerate(facts) for one in stories.feed(LoggedFact(fact, float(at)))]

    assert sum(isinstance(fact, MessageSent) for fact in facts) == sum(one.kind == "story" for one in told)
