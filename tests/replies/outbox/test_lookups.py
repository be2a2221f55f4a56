"""Looking people up: asked once, remembered for a while, never a reason to fail or to wait long. All in virtual time."""

from __future__ import annotations

import asyncio
import logging

import pytest

from cadenza.replies.outbox.lookups import Lookup, Member, the_one
from cadenza.text.handles import Directory
from cadenza.types import Roster
from tests.timing import now

pytestmark = pytest.mark.looptime

NOBODY = Roster()
GHOST = Member("900000000000000001", "ghost", "Ghosty")
BOO = Member("900000000000000002", "ghost_two", "ghost", "Boo")
PAT = Member("900000000000000003", "pat", "Sam")
SAM = Member("900000000000000004", "sam2", "Sam")
LILY = Member("900000000000000005", "lily.k", None, "Lilya")
MEMBERS = (GHOST, BOO, PAT, SAM, LILY)


class Guild:
    """Answers after *latency* seconds, and notes what it was asked, and when."""

    def __init__(self, latency: float = 0.0, members: tuple[Member, ...] = MEMBERS) -> None:
        self.asked: list[str] = []
        self.times: list[float] = []
        self.finished = 0
        self._latency = latency
        self._members = members

    async def find(self, handle: str, _place: str = "") -> str | None:
        self.asked.append(handle)
        self.times.append(now())
        await asyncio.sleep(self._latency)
        self.finished += 1
        member = the_one(handle, self._members)
        return f"<@{member.id}>" if member else None


def lookup(guild: Guild) -> Lookup:
    return Lookup(guild.find, clock=now)


# --- exactly one ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("handle", "expected"),
    [
        pytest.param("ghost", GHOST, id="a user name goes before a global name"),
        pytest.param("@GHOST ", GHOST, id="compared as names are"),
        pytest.param("Ghosty", GHOST, id="a global name"),
        pytest.param("boo", BOO, id="a nickname"),
        pytest.param("lily.k", LILY, id="a user name with a dot"),
        pytest.param("900000000000000005", LILY, id="an id"),
        pytest.param("sam", None, id="two have it"),
        pytest.param("gho", None, id="only the beginning"),
        pytest.param("", None, id="no name"),
        pytest.param(" @ ", None, id="no name but a sign"),
    ],
)
def test_exactly_one_member_is_meant_or_nobody(handle: str, expected: Member | None) -> None:
    assert expected == the_one(handle, iter(MEMBERS))


def test_a_name_that_two_have_may_be_the_only_nickname_of_a_third() -> None:
    third = Member("3", "third", None, "Sam")

    assert third == the_one("sam", (PAT, SAM, third))


# --- golden rows ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "roster", "expected", "asked"),
    [
        pytest.param("hi @ghost", NOBODY, "hi <@900000000000000001>", ["ghost"], id="001"),
        pytest.param("hi @Boo", NOBODY, "hi <@900000000000000002>", ["Boo"], id="002"),
        pytest.param("hi @nobody", NOBODY, "hi @nobody", ["nobody"], id="004"),
        pytest.param("no at sign", NOBODY, "no at sign", [], id="005"),
        pytest.param("`@ghost`", NOBODY, "`@ghost`", [], id="009"),
        pytest.param("@alice", Roster({"alice": "<@5>"}), "@alice", [], id="010 is the rule's"),
        pytest.param("@bob", Roster({"bob": ""}), "@bob", [], id="011 several people, F9"),
        pytest.param("@lilya", Roster(personas={"lilya": "lilya"}), "@lilya", [], id="012 a persona's word, F9"),
        pytest.param(
            "@lily.k, @{Lilya} @{x|900000000000000003}",
            NOBODY,
            "<@900000000000000005>, <@900000000000000005> <@900000000000000003>",
            ["lily.k", "Lilya", "900000000000000003"],
            id="dots, brackets and ids, F9",
        ),
    ],
)
async def test_members_are_found(text: str, roster: Roster, expected: str, asked: list[str]) -> None:
    guild = Guild()

    assert expected == await lookup(guild).resolve(text, roster)
    assert asked == guild.asked


# --- remembering ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "lasts"),
    [pytest.param("@ghost", 600.0, id="somebody"), pytest.param("@nobody", 120.0, id="nobody")],
)
async def test_an_answer_is_remembered_for_a_while(text: str, lasts: float) -> None:
    guild = Guild()
    people = lookup(guild)
    first = await people.resolve(text, NOBODY)

    await asyncio.sleep(lasts - 1)
    again = await people.resolve(text, NOBODY)
    assert first == again
    assert len(guild.asked) == 1

    await asyncio.sleep(1)
    await people.resolve(text, NOBODY)
    assert [0.0, lasts] == guild.times


async def test_without_an_unknown_handle_nothing_is_waited_for() -> None:
    resolving = lookup(Guild()).resolve("hi <@1> @everyone", NOBODY)

    with pytest.raises(StopIteration, match="hi <@1> @everyone"):
        resolving.send(None)


async def test_all_are_asked_at_once() -> None:
    guild = Guild(latency=1.5)

    assert await lookup(guild).resolve("@ghost @boo @nobody", NOBODY) == (
        "<@900000000000000001> <@900000000000000002> @nobody"
    )
    assert now() == 1.5


async def test_one_text_asks_only_so_much() -> None:
    guild = Guild()
    people = Lookup(guild.find, clock=now, most=2)

    assert await people.resolve("@a @b @ghost", NOBODY) == "@a @b @ghost"
    assert guild.asked == ["a", "b"]
    assert await people.resolve("@a @b @ghost", NOBODY) == "@a @b <@900000000000000001>"


async def test_only_the_latest_answers_are_kept() -> None:
    guild = Guild()
    people = Lookup(guild.find, clock=now, room=2)

    for name in ("a", "b", "c", "b", "c", "a"):
        await people.resolve(f"@{name}", NOBODY)

    assert guild.asked == ["a", "b", "c", "a"]


async def test_an_answer_counts_even_if_it_is_not_remembered() -> None:
    guild = Guild()
    people = Lookup(guild.find, clock=now, found_lasts=0.0, room=0)

    assert await people.resolve("@ghost", NOBODY) == "<@900000000000000001>"
    assert await people.resolve("@ghost", NOBODY) == "<@900000000000000001>"
    assert len(guild.asked) == 2


# --- failing -------------------------------------------------------------------------------------


class Broken:
    """Raises what it is given, each time it is asked."""

    def __init__(self, error: BaseException) -> None:
        self.times: list[float] = []
        self._error = error

    async def find(self, _handle: str, _place: str) -> str | None:
        self.times.append(now())
        raise self._error


@pytest.mark.parametrize(
    "error",
    [
        RuntimeError("token=secret"),
        TimeoutError("token=secret"),
        asyncio.CancelledError("token=secret"),
        GeneratorExit("token=secret"),
        StopIteration("token=secret"),
    ],
)
async def test_a_failure_is_nobody_found_and_shown_nowhere(
    error: BaseException, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    caplog.set_level(logging.DEBUG)
    guild = Broken(error)
    people = Lookup(guild.find, clock=now)

    assert await people.resolve("hi @ghost", NOBODY) == "hi @ghost"
    await asyncio.sleep(14)
    assert await people.resolve("hi @ghost", NOBODY) == "hi @ghost"
    await asyncio.sleep(1)
    await people.resolve("hi @ghost", NOBODY)

    assert [0.0, 15.0] == guild.times
    assert "secret" not in caplog.text + str(capsys.readouterr())


@pytest.mark.parametrize(("answer", "lasts"), [(7, 15.0), (b"<@1>", 15.0), (["<@1>"], 15.0), ("", 120.0)])
async def test_only_a_text_is_an_answer(answer: object, lasts: float) -> None:
    times: list[float] = []

    async def find(_handle: str, _place: str) -> str | None:
        times.append(now())
        return answer  # type: ignore[return-value]  # that is the point

    people = Lookup(find, clock=now)

    for _ in range(2):
        assert await people.resolve("hi @ghost", NOBODY) == "hi @ghost"
        await asyncio.sleep(lasts)
    assert [0.0, lasts] == times


async def test_what_cannot_be_waited_for_is_no_answer() -> None:
    assert await Lookup(lambda _handle, _place: "<@1>", clock=now).resolve("@ghost", NOBODY) == "@ghost"  # type: ignore[arg-type, return-value]


async def test_one_failure_does_not_keep_others_from_being_found() -> None:
    async def find(handle: str, _place: str) -> str | None:
        if handle == "boo":
            raise RuntimeError
        return "<@1>"

    assert await Lookup(find, clock=now).resolve("@boo @ghost", NOBODY) == "@boo <@1>"


async def test_who_takes_too_long_is_not_waited_for() -> None:
    guild = Guild(latency=60)
    people = lookup(guild)

    assert await people.resolve("@ghost", NOBODY) == "@ghost"
    assert now() == 2.0
    assert await people.resolve("@ghost", NOBODY) == "@ghost"
    assert now() == 2.0
    await asyncio.sleep(60)
    assert guild.finished == 0


async def test_who_does_not_heed_the_time_limit_is_not_waited_for_either() -> None:
    asked: list[str] = []

    async def find(handle: str, _place: str) -> str | None:
        asked.append(handle)
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            await asyncio.sleep(60)
        return "<@1>"

    people = Lookup(find, clock=now)

    assert await people.resolve("@ghost", NOBODY) == "@ghost"
    assert await people.resolve("@ghost", NOBODY) == "@ghost"
    assert now() == 2.0
    await asyncio.sleep(60)
    assert await people.resolve("@ghost", NOBODY) == "<@1>"
    assert asked == ["ghost"]


# --- places --------------------------------------------------------------------------------------


async def test_places_are_not_mixed_up() -> None:
    asked: list[tuple[str, str]] = []

    async def find(handle: str, place: str) -> str | None:
        asked.append((handle, place))
        await asyncio.sleep(1.0)
        return f"<{handle} of {place}>" if place != "moon" else None

    people = Lookup(find, clock=now)

    for _ in range(2):
        assert ["<ghost of a>", "<ghost of b>", "@ghost", "<ghost of >"] == await asyncio.gather(
            *(people.resolve("@ghost", NOBODY, place) for place in ("a", "b", "moon")), people.resolve("@ghost", NOBODY)
        )
    assert [("ghost", "a"), ("ghost", "b"), ("ghost", "moon"), ("ghost", "")] == asked


async def test_a_roster_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Roster] = []
    of = Directory.of

    def noted(roster: Roster) -> Directory:
        read.append(roster)
        return of(roster)

    monkeypatch.setattr(Directory, "of", noted)
    people = lookup(Guild())
    one, two = Roster({"ghost": ""}), Roster()

    for _ in range(3):
        assert await people.resolve("@ghost", one) == "@ghost"
        assert await people.resolve("@ghost", two) == "<@900000000000000001>"
    assert [one, two] == read
    for _ in range(100):
        await people.resolve("@ghost", Roster())
    assert len(people._directories) == 16


# --- side by side --------------------------------------------------------------------------------


async def test_two_who_want_to_know_the_same_ask_once() -> None:
    guild = Guild(latency=1.0)
    people = lookup(guild)

    texts = await asyncio.gather(people.resolve("@ghost 1", NOBODY), people.resolve("@Ghost 2", NOBODY))

    assert texts == ["<@900000000000000001> 1", "<@900000000000000001> 2"]
    assert guild.asked == ["ghost"]


async def test_a_question_goes_on_if_one_of_those_who_wait_is_cancelled() -> None:
    guild = Guild(latency=1.0)
    people = lookup(guild)
    first = asyncio.create_task(people.resolve("@ghost", NOBODY))
    second = asyncio.create_task(people.resolve("@ghost", NOBODY))
    await asyncio.sleep(0.5)

    first.cancel()

    assert await second == "<@900000000000000001>"
    assert first.cancelled()
    assert now() == 1.0
    assert guild.asked == ["ghost"]


async def test_what_nobody_waits_for_any_more_is_remembered_all_the_same() -> None:
    guild = Guild(latency=1.0)
    people = lookup(guild)
    only = asyncio.create_task(people.resolve("@ghost", NOBODY))
    await asyncio.sleep(0.5)
    only.cancel()
    await asyncio.sleep(1.0)

    assert await people.resolve("@ghost", NOBODY) == "<@900000000000000001>"
    assert guild.asked == ["ghost"]


async def test_after_closing_no_question_is_open() -> None:
    guild = Guild(latency=1.0)
    people = lookup(guild)
    waiting = asyncio.create_task(people.resolve("@ghost", NOBODY))
    await asyncio.sleep(0.5)

    await people.close()

    assert await waiting == "@ghost"
    assert now() == 0.5
    assert [task for task in asyncio.all_tasks() if task.get_name() == "cadenza lookup"] == []


async def test_a_question_that_was_closed_before_it_was_asked() -> None:
    guild = Guild()
    people = lookup(guild)
    waiting = asyncio.create_task(people.resolve("@ghost", NOBODY))
    asyncio.get_running_loop().call_soon(lambda: [question.cancel() for question in people._questions.values()])

    assert await waiting == "@ghost"
    assert guild.asked == []
    assert await people.resolve("@ghost", NOBODY) == "<@900000000000000001>"


async def test_closing_what_asks_nothing_takes_no_time() -> None:
    await lookup(Guild()).close()

    assert now() == 0.0


async def test_who_was_found_is_known_where_they_were_found_and_nowhere_else() -> None:
    async def find(handle: str, _place: str) -> str | None:
        return "<@9>" if handle == "ghost" else None

    lookup = Lookup(find)
    await lookup.resolve("hi @ghost and @nobody", Roster(), "cellar")

    assert [True, False, False] == [
        lookup.has_found(tag, place) for tag, place in (("<@9>", "cellar"), ("<@9>", "attic"), ("<@8>", "cellar"))
    ]
