"""Explanations of messages, kept by message id."""

from __future__ import annotations

import asyncio

import pytest

from cadenza.bot.config.config import StoreConfig
from cadenza.bot.services import explanations
from cadenza.bot.services.explanations import Explanation, Explanations
from cadenza.bot.store.in_memory import MemoryStore
from cadenza.bot.store.store import Namespace, Record, StoreError
from cadenza.explain.sentences import Said
from cadenza.explain.words import ExplainedLine, printed
from cadenza.facts import (
    ChunkHeard,
    Edge,
    Hook,
    LoggedFact,
    MessagePlanned,
    MessageSent,
    MessagesMerged,
    ReadingPaused,
    ReplyBegan,
    TextCut,
    TextHidden,
    ToolCalled,
)
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.text.tables import Table
from cadenza.types import Attachment, Boundary, Completed, Persona, Post, Receipt, Reply, Scene
from tests.bot.some_facts import logged
from tests.timing import SlowStream, TimedTarget

pytestmark = pytest.mark.looptime

NOW = 1_700_000_000.0
TABLE = "| a | b |\n|---|---|\n| 1 | 2 |"
SCENE = Scene("kitchen", Persona("Ren"))
AT_ONCE = Settings.of(degree=1)


class Broken(MemoryStore):
    """A store that fails to write."""

    async def put(self, *_: Record) -> None:
        msg = "the disk is full"
        raise StoreError(msg)


def kept_in(store: MemoryStore, *, days: float = 7.0) -> Explanations:
    return Explanations(store, lambda: StoreConfig(explanations_days=days), clock=lambda: NOW)


def store() -> MemoryStore:
    return MemoryStore(clock=lambda: NOW)


async def told(hook: Hook) -> Reply:
    """A reply of two messages that *hook* sees."""
    stream = SlowStream(0.5, "Hello ", 0.5, "there.\n", 0.5, "How are ", 0.5, "you?")
    return await say(TimedTarget(), stream, scene=SCENE, settings=AT_ONCE, trace=hook)


def sent(message: str, text: str = "", **values: object) -> LoggedFact:
    return logged(MessageSent, 1.0, message=message, text=text, seconds=0.1, **values)


def english(known: Explanation | None) -> list[str]:
    """The lines of an explanation that must be there."""
    assert known is not None
    return [printed(line) for line in known.lines]


def receipt(message: str, post: Post | None = None) -> Receipt:
    return Receipt(post or Post("Hi.", Boundary.FINAL), message)


async def test_each_message_has_its_story() -> None:
    known = kept_in(store())
    reply = await told(known.listen("t"))
    await known.keep("t", reply, server="5", author="7")
    whole = [await known.about(one.message_id) for one in reply.receipts]
    first, second = map(english, whole)

    assert [("t", "7", "")] * 2 == [(one.turn, one.author, one.source) for one in whole if one]
    assert first[0] == second[0]
    assert "Ren" in first[0]
    assert ["Hello there." in "\n".join(lines) for lines in (first, second)] == [True, False]
    assert ["How are you?" in "\n".join(lines) for lines in (first, second)] == [False, True]
    assert len(first) < len(second)  # it ends with the reply


async def test_it_is_known_after_a_restart() -> None:
    kept = store()
    known = kept_in(kept)
    reply = await told(known.listen("t"))
    await known.keep("t", reply, server="5", author="7")

    again = await kept_in(kept).about(reply.receipts[0].message_id)

    assert again is not None
    assert again == await known.about(reply.receipts[0].message_id)


async def test_it_is_of_somebody_somewhere_and_for_some_days() -> None:
    kept = store()
    known = kept_in(kept, days=2.0)
    await known.keep("t", await told(known.listen("t")), server="5", author="7")
    records = await kept.find(Namespace.EXPLANATIONS)

    assert 2 == len(records)
    assert {("7", "5", NOW + 2 * 86_400)} == {(record.owner, record.server, record.expires) for record in records}


@pytest.mark.parametrize(("server", "days"), [("", 7.0), ("5", 0.0)], ids=["direct messages", "nothing is to be kept"])
async def test_what_is_not_to_be_written_down_is_known_while_the_bot_runs(server: str, days: float) -> None:
    kept = store()
    known = kept_in(kept, days=days)
    reply = await told(known.listen("t"))
    await known.keep("t", reply, server=server, author="7")
    message = reply.receipts[0].message_id

    assert [] == await kept.find(Namespace.EXPLANATIONS)
    assert await known.about(message) is not None
    assert await kept_in(kept, days=days).about(message) is None
    assert (0, 2, 0) == (known.forget("8"), known.forget("7"), known.forget("7"))
    assert await known.about(message) is None


async def test_a_store_that_does_not_work_is_done_without(caplog: pytest.LogCaptureFixture) -> None:
    known = kept_in(Broken())
    reply = await told(known.listen("t"))
    await known.keep("t", reply, server="5", author="7")

    assert await known.about(reply.receipts[0].message_id) is not None
    assert ["explanations of messages could not be stored"] == caplog.messages


async def test_words_of_the_model_are_summed_up_and_the_story_stays_the_same() -> None:
    known = kept_in(store())
    hook, seen = known.listen("t"), list[LoggedFact]()

    def both(fact: LoggedFact) -> None:
        hook(fact)
        seen.append(fact)

    words = [item for letter in "one two three four." for item in (0.1, letter)]
    await say(TimedTarget(), SlowStream(*words), scene=SCENE, trace=both)
    facts = known._turns["t"].facts()
    chunks = [one.fact.text for one in facts if isinstance(one.fact, ChunkHeard)]

    assert 19 <= sum(isinstance(one.fact, ChunkHeard) for one in seen)
    assert ["o", "ne two three four."] == chunks
    [whole] = explanations.explain_each(seen).values()
    [summed] = explanations.explain_each(facts).values()
    assert whole == summed


async def test_what_was_thought_and_what_tools_were_told_is_nobodys_business() -> None:
    known = kept_in(store())
    hook = known.listen("t")
    hook(logged(ReplyBegan, persona="Ren"))
    hook(logged(ChunkHeard, 0.1, kind="thought", text="secret thought", detail={}))
    hook(logged(TextHidden, 0.2, kind="thought", text="secret aside"))
    hook(logged(ToolCalled, 0.3, tool="note", arguments="secret argument", seconds=0.1))
    hook(sent("1", "Hi."))
    await known.keep("t", Reply(Completed(), (receipt("1"),)), server="5", author="7")
    story = await known.about("1")

    assert story is not None
    assert "secret" not in repr(story)
    assert any("note" in line for line in english(story))


@pytest.mark.parametrize(
    ("post", "source"),
    [
        (Post("", Boundary.FINAL, attachment=Attachment("table.png", b"\x89PNG"), source=TABLE, picture=TABLE), TABLE),
        (
            Post(
                "Look:",
                Boundary.FINAL,
                attachment=Attachment("table.png", b"\x89PNG"),
                source=f"Look:\n{TABLE}",
                picture=TABLE,
            ),
            TABLE,
        ),
        (Post("", Boundary.FINAL, attachment=Attachment("table.png", b"\x89PNG"), source=""), ""),
        (Post("Long.", Boundary.FINAL, attachment=Attachment("reply.md", b"x"), source="x"), ""),
        (Post("a: 1", Boundary.FINAL, source=TABLE), ""),
    ],
    ids=["a picture", "with its lead-in", "its second half", "a file", "in words"],
)
async def test_the_markdown_of_a_picture_is_kept(post: Post, source: str) -> None:
    known = kept_in(store())
    known.listen("t")(sent("1"))
    await known.keep("t", Reply(Completed(), (receipt("1", post),)), server="5", author="7")
    story = await known.about("1")

    assert story is not None
    assert source == story.source


async def test_a_message_can_be_asked_about_while_its_turn_still_runs() -> None:
    known = kept_in(store())
    hook = known.listen("t")
    hook(logged(TextCut, 0.1, number=1, text="Look:\n", kind="prose"))
    hook(logged(TextCut, 0.2, number=2, text=f"{TABLE}\n", kind="table"))
    hook(logged(MessagePlanned, 0.3, number=1, segments=(1,)))
    hook(logged(MessagePlanned, 0.3, number=2, segments=(2,)))
    hook(sent("1", "Look:", posts=(1,)))
    hook(sent("2", posts=(2,), attachment="table.png"))
    words, picture = await known.about("1"), await known.about("2")

    assert words is not None
    assert picture is not None
    assert ("", TABLE) == (words.source, picture.source)
    assert any("Look:" in line for line in english(words))
    known.drop("t")
    assert await known.about("2") is None


class Painter:
    """Paints the same for everything."""

    def paint(self, _: Table | str, /) -> bytes | None:
        return b"png"


@pytest.mark.looptime(False)  # noqa: FBT003  # its own way to say no: pictures are made in a thread, in real time
@pytest.mark.parametrize(
    "source", [TABLE, r"\[ \sqrt{x} \]", "$$\na = b\n$$"], ids=["a table", "a formula", "on lines"]
)
@pytest.mark.parametrize("shape", ["blocks", "lines"])
async def test_the_markdown_of_a_real_picture_is_the_same_while_its_turn_runs_and_after(
    source: str, shape: str
) -> None:
    known = kept_in(store())
    text = f"Look:\n{source}\n\nNice."
    target = MemoryTarget(limits=Limits(files=True))
    preparer = PostPreparer(Painter(), formula_painter=Painter())
    reply = await say(target, text, preparer=preparer, settings=Settings.of(shape=shape), trace=known.listen("t"))
    [picture] = [receipt.message_id for receipt in reply.receipts if receipt.post.shows_source]
    during = await known.about(picture)
    await known.keep("t", reply, server="5", author="7")
    after = await known.about(picture)

    assert during is not None
    assert after is not None
    assert (source, source) == (during.source, after.source.strip())


async def test_what_came_to_nothing_is_forgotten() -> None:
    known = kept_in(store())
    known.listen("t")(sent("1"))
    known.drop("t")
    known.drop("never")
    await known.keep("t", Reply(Completed(), (receipt("1"),)), server="5", author="7")

    assert await known.about("1") is None
    assert await known.about("unheard of") is None


async def test_a_turn_is_bounded_in_facts_and_still_says_how_it_ended() -> None:
    known = kept_in(store())
    hook = known.listen("t")
    for _ in range(2 * explanations.MOST_FACTS):
        hook(logged(ReadingPaused, seconds=1.0))
    hook(sent("1"))
    for _ in range(2 * explanations.MOST_FACTS):
        hook(sent("2"))
    facts = known._turns["t"].facts()

    assert 2 * explanations.MOST_FACTS == len(facts)
    assert isinstance(facts[explanations.MOST_FACTS].fact, MessageSent)


async def test_of_a_long_reply_each_message_is_told_with_its_true_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "MOST_FACTS", 60)
    known = kept_in(store())
    hook, seen = known.listen("t"), list[LoggedFact]()

    def both(fact: LoggedFact) -> None:
        hook(fact)
        seen.append(fact)

    lines = "".join(f"This is line {number} of very many.\n\n" for number in range(24))
    await say(MemoryTarget(), lines, scene=SCENE, settings=Settings.of(shape="blocks", gather=1), trace=both)
    facts = known._turns["t"].facts()
    whole, kept = explanations.explain_each(seen), explanations.explain_each(facts)

    def told(lines: list[ExplainedLine]) -> list[str]:
        return [printed(line) for line in lines if line.said.key.startswith(("starts.", "ends.", "pause."))]

    assert len(facts) < len(seen)
    assert len(whole) > 10
    assert {message: told(lines) for message, lines in whole.items()} == {
        message: told(lines) for message, lines in kept.items()
    }
    assert "" in [one.fact.text for one in facts if isinstance(one.fact, MessagePlanned)]


async def test_in_a_long_reply_messages_are_merged_for_their_true_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(explanations, "MOST_FACTS", 3)
    known = kept_in(store())
    hook = known.listen("t")
    hook(logged(ReplyBegan, persona="Ren"))
    for number in (1, 2):
        hook(logged(MessagePlanned, 0.3, number=number, starts=Edge("reply"), ends=Edge("line")))
    hook(logged(MessagesMerged, 0.4, posts=(1, 2), text="One.\nTwo.", why="rate_limit"))
    hook(sent("1", posts=(1, 2)))

    assert any("only so many messages" in line for line in english(await known.about("1")))


async def test_a_turn_is_bounded_in_size() -> None:
    known = kept_in(store())
    hook = known.listen("t")
    for number in range(100):
        hook(sent(str(number), "x" * 50_000))
    await known.keep("t", Reply(Completed(), (receipt("1"), receipt("99"))), server="5", author="7")
    [record] = await known._store.find(Namespace.EXPLANATIONS)

    assert [{"at": None, "said": {"key": "…"}}] == record.value["lines"]


async def test_who_never_ends_a_turn_costs_little() -> None:
    known = kept_in(store(), days=0.0)
    for number in range(2 * explanations.MOST_REMEMBERED):
        known.listen(f"left {number}")
        known.listen("t")(sent(str(number)))
        await known.keep("t", Reply(Completed(), (receipt(str(number)),)), server="5", author="7")

    assert explanations.MOST_TURNS >= len(known._turns)
    assert explanations.MOST_REMEMBERED == len(known._remembered)
    assert await known.about("0") is None


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ({"lines": ["    1.000 s  message 1", 2], "turn": 7, "source": "s"}, Explanation((), "s")),
        ({"lines": "a"}, Explanation(())),
        (
            {"lines": [{"at": "1", "said": {"key": "a"}}, {"at": 1, "said": "a"}, {"said": {"key": "a"}}]},
            Explanation(()),
        ),
        (
            {"lines": [{"at": 1, "said": {"key": "a"}}, {"at": None, "said": {"key": "b", "values": {"c": "d"}}}]},
            Explanation((ExplainedLine(1, Said("a")), ExplainedLine(None, Said("b", {"c": "d"})))),
        ),
    ],
    ids=["English lines of an older version", "no list", "no sentences", "sentences"],
)
async def test_what_another_version_kept_is_read_as_far_as_it_goes(
    value: dict[str, object], expected: Explanation
) -> None:
    kept = store()
    await kept.put(Record(Namespace.EXPLANATIONS, "1", value))

    assert expected == await kept_in(kept).about("1")


async def test_who_is_cancelled_is_cancelled() -> None:
    class Slow(MemoryStore):
        async def put(self, *_: Record) -> None:
            await asyncio.sleep(5)

    known = kept_in(Slow())
    known.listen("t")(sent("1"))
    task = asyncio.create_task(known.keep("t", Reply(Completed(), (receipt("1"),)), server="5", author="7"))
    await asyncio.sleep(1)
    task.cancel()

    with pytest.raises(asyncio.CancelledError):
        await task


async def test_what_keeps_text_back_is_collected_but_not_every_line_end() -> None:
    explained = kept_in(store())
    stream = SlowStream("One.\n", 0.5, "(two\n", 0.5, "three)\n", 0.5, "four\n", 0.5, "five")

    reply = await say(TimedTarget(), stream, scene=SCENE, settings=AT_ONCE, trace=explained.listen("t"))
    await explained.keep("t", reply, server="1", author="2")

    stories = [await explained.about(receipt.message_id) for receipt in reply.receipts]
    held = [[line.said for line in known.lines if line.said.key.startswith("hold.")] for known in stories if known]
    assert [[], ["hold.mark"], [], []] == [[said.key for said in one] for one in held]
