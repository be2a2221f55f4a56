"""What happens to a message before it goes out, and that nothing of it can keep the message from going out."""

from __future__ import annotations

import asyncio
import threading
from dataclasses import replace

import pytest

from cadenza.concurrency.stops import Stops
from cadenza.pictures import TablePictures
from cadenza.replies.outbox.lookups import Lookup
from cadenza.replies.outbox.outbox import Outbox
from cadenza.replies.outbox.prepare import PostPreparer
from cadenza.replies.reply import say
from cadenza.settings import RuleSettings, Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.targets.target import Limits
from cadenza.text.tables import Table
from cadenza.types import Boundary, Completed, Identity, Persona, Post, Receipt, Roster, Scene, Sprite, StopReason

TABLE = "| a | b |\n|---|---|\n| 1 | 2 |\n"
AT_ONCE = Settings.of(degree=1)
FILES = Limits(files=True)
PICTURE = Post(
    "", Boundary.NEWLINE, source=TABLE, instead=(Post("one", Boundary.NEWLINE), Post("two", Boundary.NEWLINE))
)


class Painter:
    """Paints words, or fails as it is told."""

    def __init__(self, answer: object = b"PNG") -> None:
        self.answer = answer
        self.painted: list[Table] = []

    def paint(self, table: Table, /) -> bytes | None:
        self.painted.append(table)
        if isinstance(self.answer, BaseException):
            raise self.answer
        return self.answer  # type: ignore[return-value]  # it may be told to give back rubbish


async def nobody(_handle: str, _place: str) -> str | None:
    return None


async def somebody(handle: str, _place: str) -> str | None:
    return {"ada": "<@123456789012345678>"}.get(handle.casefold())


# --- pictures ---------------------------------------------------------------------------------


async def test_a_table_goes_out_as_a_picture_and_keeps_its_source() -> None:
    target, painter = MemoryTarget(limits=FILES), Painter()

    reply = await say(target, f"Look:\n\n{TABLE}\nNice.", settings=AT_ONCE, preparer=PostPreparer(painter))

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
        pytest.param(Painter("PNG"), id="it is a text"),
        pytest.param(Painter(RuntimeError("secret")), id="the painter fails"),
        pytest.param(Painter(StopIteration()), id="the painter stops"),
        pytest.param(Painter(asyncio.CancelledError()), id="the painter gives up"),
        pytest.param(Painter(GeneratorExit()), id="the painter leaves"),
        pytest.param(None, id="there is no painter"),
    ],
)
async def test_without_a_picture_the_table_goes_out_as_text(painter: Painter | None) -> None:
    target = MemoryTarget(limits=FILES)

    reply = await say(target, f"Look:\n\n{TABLE}\nNice.", settings=AT_ONCE, preparer=PostPreparer(painter))

    look, table, nice = target.texts
    assert ("Look:", "Nice.") == (look, nice)
    assert table.startswith("```")
    assert all(word in table for word in "ab12")
    assert isinstance(reply.outcome, Completed)
    assert [None] * 3 == [post.attachment for post in target.posts]


async def test_all_of_a_long_table_goes_out_as_text() -> None:
    target = MemoryTarget(limits=FILES)
    rows = "".join(f"| row{number} | {number} |\n" for number in range(400))

    await say(target, f"| name | count |\n|---|---|\n{rows}", settings=AT_ONCE, preparer=PostPreparer(Painter(None)))

    assert len(target.posts) > 2
    assert [number for number in range(400) if f"row{number} " not in "\n".join(target.texts)] == []


async def test_a_target_that_takes_no_files_gets_the_text() -> None:
    target, painter = MemoryTarget(), Painter()

    reply = await say(target, TABLE, settings=AT_ONCE, preparer=PostPreparer(painter))

    assert ([], [None]) == (painter.painted, [post.attachment for post in target.posts])
    assert target.texts[0].startswith("```")
    assert TABLE.strip() == reply.transcript


async def test_the_transcript_has_a_long_table_once_whatever_is_shown() -> None:
    target = MemoryTarget()
    table = "| name | count |\n|---|---|\n" + "".join(f"| row{number} | {number} |\n" for number in range(300))

    reply = await say(target, f"Look:\n\n{table}\nNice.", settings=AT_ONCE)

    assert len(target.posts) > 3
    assert f"Look:\n{table.strip()}\nNice." == reply.transcript


def test_the_settings_say_which_painter_there_is_if_nobody_named_one() -> None:
    painter = Painter()

    assert TablePictures.if_installed(("a.ttf",)) is PostPreparer().under(RuleSettings(table_fonts=("a.ttf",))).painter
    assert PostPreparer().under(RuleSettings(tables="text")).painter is None
    assert PostPreparer(None).under(RuleSettings()).painter is None
    assert PostPreparer(painter).under(RuleSettings()).painter is painter


async def test_a_painter_that_nobody_chose_paints_nothing() -> None:
    assert list(PICTURE.instead) == await PostPreparer().prepared(PICTURE, roster=Roster(), limit=1950)


@pytest.mark.parametrize("how", ["text", "source"])
async def test_pictures_can_be_switched_off(how: str) -> None:
    target, painter = MemoryTarget(limits=FILES), Painter()

    await say(target, TABLE, settings=Settings.of(degree=1, tables=how), preparer=PostPreparer(painter))

    assert painter.painted == []
    assert ("|---|" in target.texts[0]) is (how == "source")


async def test_at_degree_0_a_picture_stands_between_what_was_gathered() -> None:
    target = MemoryTarget(limits=FILES)

    await say(target, f"a\nb\n\n{TABLE}\nc\nd", settings=Settings.of(degree=0), preparer=PostPreparer(Painter()))

    assert ["a\nb", "", "c\nd"] == target.texts


async def test_only_the_first_of_what_is_shown_instead_carries_the_label_and_the_answer() -> None:
    target = MemoryTarget(limits=FILES)
    rows = "".join(f"| row{number} | {number} |\n" for number in range(300))
    ren = Persona("Ren", sprites=(Sprite("mad", "m.png"),))
    scene = Scene("c", ren, reply_to="9")

    await say(
        target,
        f"Ren (mad):\n| name | count |\n|---|---|\n{rows}",
        scene=scene,
        settings=AT_ONCE,
        preparer=PostPreparer(Painter(None)),
    )

    first, *rest = target.posts
    assert ("Ren (mad): ", "9") == (first.label, first.reply)
    assert {("", None)} == {(post.label, post.reply) for post in rest}
    assert {"m.png"} == {post.identity.avatar for post in target.posts if post.identity}


@pytest.mark.parametrize("on_stop", ["silence", "clause"])
async def test_a_stop_does_not_wait_for_a_picture(on_stop: str) -> None:
    """The painter is held up until the reply is over. A table has no clause to finish."""
    target, stops, gate = MemoryTarget(limits=FILES), Stops(), threading.Event()
    started = asyncio.Event()
    loop = asyncio.get_running_loop()

    class Slow(Painter):
        def paint(self, table: Table, /) -> bytes | None:
            loop.call_soon_threadsafe(started.set)
            gate.wait(30)
            return super().paint(table)

    with stops.open("turn") as handle:
        saying = asyncio.create_task(
            say(
                target,
                f"{TABLE}\nmore\n",
                settings=AT_ONCE.with_values({"on_stop": on_stop}),
                stop=handle,
                preparer=PostPreparer(Slow()),
            )
        )
        await started.wait()
        stops.request("turn", StopReason.USER)
        await saying
    gate.set()

    assert [] == target.posts


# --- people -----------------------------------------------------------------------------------


async def test_somebody_whom_the_roster_does_not_know_is_looked_up() -> None:
    target = MemoryTarget()

    await say(target, "hi @Ada and @Bob", settings=AT_ONCE, preparer=PostPreparer(None, Lookup(somebody)))

    assert ["hi <@123456789012345678> and @Bob"] == target.texts


async def test_a_message_that_would_get_too_long_stays_as_it_is() -> None:
    post = Post("x" * 1940 + " @ada", Boundary.FINAL)

    assert [post] == await PostPreparer(None, Lookup(somebody)).prepared(post, roster=Roster(), limit=1950)


@pytest.mark.parametrize(
    ("post", "lookup", "helps"),
    [
        pytest.param(Post("a", Boundary.FINAL), Lookup(nobody), False, id="nobody is named"),
        pytest.param(Post("@a", Boundary.FINAL), Lookup(nobody), True, id="somebody is named"),
        pytest.param(Post("@a", Boundary.FINAL), None, False, id="nobody could be asked"),
        pytest.param(Post("```\n@a\n```\n`@b` a@b.org", Boundary.FINAL), Lookup(nobody), False, id="only in code"),
        pytest.param(PICTURE, None, True, id="a picture"),
    ],
)
def test_most_messages_need_no_help(post: Post, lookup: Lookup | None, helps: bool) -> None:  # noqa: FBT001
    assert helps is PostPreparer(None, lookup).helps(post)


async def test_what_is_shown_instead_of_a_picture_is_addressed_too() -> None:
    post = Post("", Boundary.NEWLINE, source=TABLE, instead=(Post("@ada", Boundary.NEWLINE),))

    (prepared,) = await PostPreparer(None, Lookup(somebody)).prepared(post, roster=Roster(), limit=1950)

    assert "<@123456789012345678>" == prepared.text


async def test_the_texts_instead_of_a_picture_are_prepared_one_by_one() -> None:
    texts = tuple(Post("@ada", Boundary.NEWLINE) for _ in range(2))
    post = Post("", Boundary.NEWLINE, source=TABLE, instead=texts)

    first, second = await PostPreparer(None, Lookup(somebody)).prepared(post, roster=Roster(), limit=1950)

    assert ("<@123456789012345678>", "@ada") == (first.text, second.text)
    target = MemoryTarget()
    async with Outbox(target, preparer=PostPreparer(None, Lookup(somebody))) as outbox:
        outbox.add([post])
    assert ["<@123456789012345678>"] * 2 == target.texts


async def test_code_is_neither_asked_about_nor_touched() -> None:
    asked: list[str] = []
    code = "~~~py\n@ada\n~~~\n> ```\n> @ada\n> ```\n`@ada`"

    async def find(handle: str, _place: str) -> str:
        asked.append(handle)
        return "<@1>"

    target = MemoryTarget()
    await say(target, f"@bob:\n{code}", settings=Settings.of(degree=0), preparer=PostPreparer(None, Lookup(find)))

    assert ["bob"] == asked
    assert "<@1>" in target.texts[0]
    assert target.texts[0].count("@ada") == 3


async def test_who_is_found_depends_on_the_place() -> None:
    async def find(handle: str, place: str) -> str:
        return f"<{handle} of {place}>"

    target, preparer = MemoryTarget(), PostPreparer(None, Lookup(find))
    for place in ("north", "south", "north"):
        await say(target, "@ada", scene=Scene(place, Persona("Ren")), settings=AT_ONCE, preparer=preparer)

    assert ["<ada of north>", "<ada of south>", "<ada of north>"] == target.texts


@pytest.mark.parametrize(("on_stop", "texts"), [("silence", []), ("clause", ["hi @ada"])])
async def test_after_a_stop_nobody_is_looked_up(on_stop: str, texts: list[str]) -> None:
    target, stops, asked = MemoryTarget(), Stops(), asyncio.Event()

    async def find(_handle: str, _place: str) -> None:
        asked.set()
        await asyncio.Event().wait()

    lookup, settings = Lookup(find), AT_ONCE.with_values({"on_stop": on_stop})
    with stops.open("turn") as handle:
        saying = asyncio.create_task(
            say(target, "hi @ada\nand @bob\n", settings=settings, stop=handle, preparer=PostPreparer(None, lookup))
        )
        await asked.wait()
        asked.clear()
        stops.request("turn", StopReason.USER)
        await saying
    await lookup.close()

    assert texts == target.texts
    assert not asked.is_set()


class Unhelpful(PostPreparer):
    """Fails at whatever it is asked to prepare."""

    __slots__ = ()

    def helps(self, post: Post) -> bool:
        return post.text != "one"

    async def prepared(self, post: Post, **_where: object) -> list[Post]:
        raise {"two": GeneratorExit, "three": asyncio.CancelledError}.get(post.text, ValueError)


async def test_whatever_preparing_raises_what_was_planned_goes_out() -> None:
    target = MemoryTarget()

    async with Outbox(target, preparer=Unhelpful()) as outbox:
        outbox.add([PICTURE, Post("three", Boundary.NEWLINE), Post("four", Boundary.FINAL)])

    assert ["one", "two", "three", "four"] == target.texts


async def test_closing_ends_open_questions() -> None:
    async def find(_handle: str, _place: str) -> None:
        await asyncio.Event().wait()

    preparer = PostPreparer(None, Lookup(find))
    preparing = asyncio.create_task(preparer.prepared(Post("@ada", Boundary.FINAL), roster=Roster(), limit=1950))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    await preparer.close()
    await PostPreparer(None).close()

    assert [Post("@ada", Boundary.FINAL)] == await preparing


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


async def test_two_sprites_that_follow_each_other_go_under_names_that_differ() -> None:
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


async def test_the_next_reply_remembers_the_last_sprite() -> None:
    target, preparer = Grouped(), PostPreparer(None)

    await say(target, "Ren (mad): grr", scene=REN, settings=AT_ONCE, preparer=preparer)
    await say(target, "Ren (glad): oh", scene=REN, settings=AT_ONCE, preparer=preparer)
    target.last_message_id = "1000"  # somebody else spoke
    await say(target, "Ren (mad): grr", scene=REN, settings=AT_ONCE, preparer=preparer)

    first, second, third = names(target)
    assert first == third == "Ren" != second


class Numbered(Grouped):
    """Has numbers for ids, as many libraries do."""

    channel = 7  # type: ignore[assignment]

    async def send(self, post: Post, /) -> Receipt:
        receipt = await MemoryTarget.send(self, post)
        self.last_message_id = len(self.posts)  # type: ignore[assignment]
        return replace(receipt, message_id=len(self.posts))  # type: ignore[arg-type]


async def test_ids_may_be_numbers() -> None:
    target = Numbered()

    reply = await say(target, MOODS, scene=REN, settings=AT_ONCE)

    plain, other, same, again = names(target)
    assert plain == again == "Ren" != other == same
    assert len(reply.receipts) == 4


class Vague(MemoryTarget):
    """Does not know where it is."""

    last_message_id = None

    @property
    def channel(self) -> str:
        raise ConnectionError


async def test_a_target_that_does_not_know_where_it_is_gets_its_messages() -> None:
    target = Vague()

    reply = await say(target, MOODS, scene=REN, settings=AT_ONCE)

    assert ["Ren"] * 4 == names(target)
    assert (Completed("end_of_stream"), 4) == (reply.outcome, len(reply.receipts))


async def test_an_identity_of_somebody_else_stays_as_it_is() -> None:
    target, preparer = Grouped(), PostPreparer(None)
    post = Post("hi", Boundary.FINAL, identity=Identity("Ghost (Ren)"))

    receipt = await preparer.sent(post, target)

    assert Identity("Ghost (Ren)") == receipt.identity


# --- formulas ---------------------------------------------------------------------------------

FORMULA = "\\[\nx^2 = 1\n\\]"


class FormulaPainter:
    """Paints words, and remembers what it was given."""

    def __init__(self) -> None:
        self.painted: list[str] = []

    def paint(self, source: str, /) -> bytes | None:
        self.painted.append(source)
        return b"PNG"


async def test_a_formula_goes_out_as_a_picture_and_the_model_later_sees_its_latex() -> None:
    target, painter = MemoryTarget(limits=FILES), FormulaPainter()
    preparer = PostPreparer(None, formula_painter=painter)

    reply = await say(target, f"So:\n{FORMULA}\nNice.", settings=AT_ONCE, preparer=preparer)

    assert [FORMULA] == painter.painted
    picture = target.posts[1]
    assert picture.attachment is not None
    assert ("formula.png", "", FORMULA) == (picture.attachment.name, picture.text, picture.said)
    assert picture.shows_source
    assert ["So:", FORMULA, "Nice."] == [receipt.post.said for receipt in reply.receipts]


@pytest.mark.parametrize(
    ("values", "limits"),
    [
        pytest.param({"math": "text"}, FILES, id="if that is wanted"),
        pytest.param({}, Limits(), id="where no file is taken"),
    ],
)
async def test_a_formula_goes_out_as_readable_text(values: dict[str, object], limits: Limits) -> None:
    target, painter = MemoryTarget(limits=limits), FormulaPainter()
    preparer = PostPreparer(formula_painter=painter)

    await say(target, f"So:\n{FORMULA}\nNice.", settings=Settings.of(degree=1, **values), preparer=preparer)

    assert [] == painter.painted
    assert ("```\nx² = 1\n```", FORMULA) == (target.posts[1].text, target.posts[1].said)


async def test_a_formula_that_cannot_be_drawn_goes_out_as_text() -> None:
    target = MemoryTarget(limits=FILES)

    await say(target, "\\[\n\\foo{x}\n\\]", settings=AT_ONCE)

    assert ["```\n\\foo{x}\n```"] == [post.text for post in target.posts]


def test_without_pictures_of_tables_by_choice_of_the_caller_there_are_none_of_formulas() -> None:
    painter = FormulaPainter()

    assert PostPreparer(None).under(RuleSettings()).formula_painter is None
    assert PostPreparer().under(RuleSettings(math="text")).formula_painter is None
    assert PostPreparer(None, formula_painter=painter).under(RuleSettings()).formula_painter is painter


async def test_a_formula_is_really_drawn() -> None:
    pytest.importorskip("ziamath")
    pytest.importorskip("resvg_py")
    target = MemoryTarget(limits=FILES)

    await say(target, "\\[\n\\frac{a}{b}\n\\]", settings=AT_ONCE)

    (post,) = target.posts
    assert post.attachment is not None
    assert post.attachment.data.startswith(b"\x89PNG")
