"""What happens to a message before it goes out, and that nothing of it can keep the message from going out."""

from __future__ import annotations

import asyncio
import threading

import pytest

from cadenza.backstage import Backstage
from cadenza.lookups import Lookup
from cadenza.replies import say
from cadenza.settings import Settings
from cadenza.stops import Stops
from cadenza.targets.memory import MemoryTarget
from cadenza.text.tables import Table
from cadenza.types import Boundary, Completed, Identity, Persona, Post, Receipt, Roster, Scene, Sprite, StopReason

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
AT_ONCE = Settings.of(degree=1)
PICTURE = Post(
    "", Boundary.NEWLINE, source=TABLE, instead=(Post("one", Boundary.NEWLINE), Post("two", Boundary.NEWLINE))
)


class Painter:
    """Paints words, or fails as it is told."""

    def __init__(self, answer: bytes | Exception | None = b"PNG") -> None:
        self.answer = answer
        self.painted: list[Table] = []

    def paint(self, table: Table, /) -> bytes | None:
        self.painted.append(table)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


async def nobody(_handle: str) -> str | None:
    return None


async def somebody(handle: str) -> str | None:
    return {"ada": "<@123456789012345678>"}.get(handle.casefold())


# --- pictures ---------------------------------------------------------------------------------


async def test_a_table_goes_out_as_a_picture_and_keeps_its_source() -> None:
    target, painter = MemoryTarget(), Painter()

    reply = await say(target, f"Look:\n\n{TABLE}\nNice.", settings=AT_ONCE, backstage=Backstage(painter))

    assert ["Look:", "", "Nice."] == target.texts
    attachment = target.posts[1].attachment
    assert attachment is not None
    assert ("table.png", b"PNG") == (attachment.name, attachment.data)
    assert [(("a", "b"), (("1", "2"),))] == [(table.header, table.rows) for table in painter.painted]
    assert TABLE.strip() == target.posts[1].source
    assert f"Look:\n{TABLE.strip()}\nNice." == reply.transcript


@pytest.mark.parametrize(
    "painter",
    [
        pytest.param(Painter(None), id="it cannot be shown well"),
        pytest.param(Painter(b""), id="it is empty"),
        pytest.param(Painter(RuntimeError("secret")), id="the painter fails"),
        pytest.param(None, id="there is no painter"),
    ],
)
async def test_without_a_picture_the_table_goes_out_as_text(painter: Painter | None) -> None:
    target = MemoryTarget()

    reply = await say(target, f"Look:\n\n{TABLE}\nNice.", settings=AT_ONCE, backstage=Backstage(painter))

    look, table, nice = target.texts
    assert ("Look:", "Nice.") == (look, nice)
    assert table.startswith("```")
    assert all(word in table for word in "ab12")
    assert isinstance(reply.outcome, Completed)
    assert [None] * 3 == [post.attachment for post in target.posts]


async def test_all_of_a_long_table_goes_out_as_text() -> None:
    target = MemoryTarget()
    rows = "".join(f"| row{number} | {number} |\n" for number in range(400))

    await say(target, f"| name | count |\n|---|---|\n{rows}", settings=AT_ONCE, backstage=Backstage(Painter(None)))

    assert len(target.posts) > 2
    assert [number for number in range(400) if f"row{number} " not in "\n".join(target.texts)] == []


@pytest.mark.parametrize("how", ["text", "source"])
async def test_pictures_can_be_switched_off(how: str) -> None:
    target, painter = MemoryTarget(), Painter()

    await say(target, TABLE, settings=Settings.of(degree=1, tables=how), backstage=Backstage(painter))

    assert painter.painted == []
    assert ("|---|" in target.texts[0]) is (how == "source")


async def test_at_degree_0_a_picture_stands_between_what_was_gathered() -> None:
    target = MemoryTarget()

    await say(target, f"a\nb\n\n{TABLE}\nc\nd", settings=Settings.of(degree=0), backstage=Backstage(Painter()))

    assert ["a\n\nb", "", "c\n\nd"] == target.texts


async def test_only_the_first_of_what_is_shown_instead_carries_the_label_and_the_answer() -> None:
    target = MemoryTarget()
    rows = "".join(f"| row{number} | {number} |\n" for number in range(300))
    ren = Persona("Ren", sprites=(Sprite("mad", "m.png"),))
    scene = Scene("c", ren, reply_to="9")

    await say(
        target,
        f"Ren (mad):\n| name | count |\n|---|---|\n{rows}",
        scene=scene,
        settings=AT_ONCE,
        backstage=Backstage(Painter(None)),
    )

    first, *rest = target.posts
    assert ("Ren (mad): ", "9") == (first.label, first.reply)
    assert {("", None)} == {(post.label, post.reply) for post in rest}
    assert {"m.png"} == {post.identity.avatar for post in target.posts if post.identity}


async def test_a_stop_does_not_wait_for_a_picture() -> None:
    """The painter is held up until the reply is over; what is sent is what there is to read."""
    target, stops, gate = MemoryTarget(), Stops(), threading.Event()
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow(Painter):
        def paint(self, table: Table, /) -> bytes | None:
            loop.call_soon_threadsafe(started.set)
            gate.wait(30)
            return super().paint(table)

    with stops.open("turn") as handle:
        saying = asyncio.create_task(
            say(target, f"{TABLE}\nmore\n", settings=AT_ONCE, stop=handle, backstage=Backstage(Slow()))
        )
        await started.wait()
        stops.request("turn", StopReason.USER)
        await saying
    gate.set()

    assert len(target.posts) == 1
    assert target.texts[0].startswith("```")


# --- people -----------------------------------------------------------------------------------


async def test_somebody_whom_the_roster_does_not_know_is_looked_up() -> None:
    target = MemoryTarget()

    await say(target, "hi @Ada and @Bob", settings=AT_ONCE, backstage=Backstage(None, Lookup(somebody)))

    assert ["hi <@123456789012345678> and @Bob"] == target.texts


async def test_a_message_that_would_get_too_long_stays_as_it_is() -> None:
    post = Post("x" * 1940 + " @ada", Boundary.FINAL)

    assert [post] == await Backstage(None, Lookup(somebody)).prepared(post, roster=Roster(), limit=1950)


@pytest.mark.parametrize(
    ("post", "lookup", "helps"),
    [
        pytest.param(Post("a", Boundary.FINAL), Lookup(nobody), False, id="nobody is named"),
        pytest.param(Post("@a", Boundary.FINAL), Lookup(nobody), True, id="somebody is named"),
        pytest.param(Post("@a", Boundary.FINAL), None, False, id="nobody could be asked"),
        pytest.param(PICTURE, None, True, id="a picture"),
    ],
)
def test_most_messages_need_no_help(post: Post, lookup: Lookup | None, helps: bool) -> None:  # noqa: FBT001
    assert helps is Backstage(None, lookup).helps(post)


async def test_what_is_shown_instead_of_a_picture_is_addressed_too() -> None:
    post = Post("", Boundary.NEWLINE, source=TABLE, instead=(Post("@ada", Boundary.NEWLINE),))

    (prepared,) = await Backstage(None, Lookup(somebody)).prepared(post, roster=Roster(), limit=1950)

    assert "<@123456789012345678>" == prepared.text


# --- names ------------------------------------------------------------------------------------


class Grouped(MemoryTarget):
    """Groups by name, as Discord does."""

    channel = "general"

    def __init__(self) -> None:
        super().__init__()
        self.last_message_id: str | None = None

    async def send(self, post: Post, /) -> Receipt:
        receipt = await super().send(post)
        self.last_message_id = receipt.message_id
        return receipt


MOODS = "Ren (mad): grr\nRen (glad): oh\nstill\nRen (mad): grr"
REN = Scene("c", Persona("Ren", sprites=(Sprite("mad", "m.png"), Sprite("glad", "g.png"))))


def names(target: MemoryTarget) -> list[str]:
    return [post.identity.name if post.identity else "" for post in target.posts]


async def test_two_looks_that_follow_each_other_go_under_names_that_differ() -> None:
    target = Grouped()

    await say(target, MOODS, scene=REN, settings=AT_ONCE)

    plain, other, same, again = names(target)
    assert plain == again == "Ren"
    assert other == same != "Ren"
    assert ["m.png", "g.png", "g.png", "m.png"] == [post.identity.avatar for post in target.posts if post.identity]


async def test_a_target_that_does_not_group_sees_one_name() -> None:
    target = MemoryTarget()

    await say(target, MOODS, scene=REN, settings=AT_ONCE)

    assert ["Ren"] * 4 == names(target)


async def test_the_next_reply_remembers_the_last_look() -> None:
    target, backstage = Grouped(), Backstage(None)

    await say(target, "Ren (mad): grr", scene=REN, settings=AT_ONCE, backstage=backstage)
    await say(target, "Ren (glad): oh", scene=REN, settings=AT_ONCE, backstage=backstage)
    target.last_message_id = "1000"  # somebody else spoke
    await say(target, "Ren (mad): grr", scene=REN, settings=AT_ONCE, backstage=backstage)

    first, second, third = names(target)
    assert first == third == "Ren" != second


async def test_an_identity_of_somebody_else_stays_as_it_is() -> None:
    target, backstage = Grouped(), Backstage(None)
    post = Post("hi", Boundary.FINAL, identity=Identity("Ghost (Ren)"))

    receipt = await backstage.sent(post, target)

    assert Identity("Ghost (Ren)") == receipt.identity
