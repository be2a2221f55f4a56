"""What people see is a beginning of the reply, whatever happened to it and whenever; and the books tell the same.

Trouble comes before every event of short streams, and somewhere in long ones. What was delivered is compared with what
would have been delivered without it: message by message where whole messages are kept, by the letters where the last
one is cut at a clause and put together.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from random import Random

import pytest
from hypothesis import example, given, settings as hypothesis_settings, strategies as st

from cadenza.concurrency.stops import Stops
from cadenza.errors import DeliveryError, ProviderError
from cadenza.replies.reply import reply, say
from cadenza.settings import Settings
from cadenza.stages.s4_round import KEEPS, Keep
from cadenza.tools.tool import Tool
from cadenza.types import Broke, Chunk, Completed, Outcome, Persona, Scene, Stalled, Stopped, StopReason, ToolSpec
from tests.laws.material import CORPUS, numbered_markdown, numbered_words
from tests.trouble import (
    NO_TROUBLE,
    REFUSALS,
    TURN,
    Channel,
    FixedChannel,
    MeteredChannel,
    Trouble,
    Voice,
    check_books,
    failing,
    peace,
    speech,
    stalling,
    stopping,
)

pytestmark = pytest.mark.looptime

SCENE = Scene("general", Persona("Ren"))
SHORT = "One. Two,\n**three\nfour** five.\n```py\nsix\n```\n> seven eight\n"
DEGREES = (0, 1, 2, 3, None)


def settings_of(degree: int | None, **values: object) -> Settings:
    return Settings.of(
        degree=degree, idle_timeout=100.0, first_timeout=100.0, tables="source", flood_limit=1_000_000, **values
    )


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of trouble with a model: what happens, and what is kept of what was said until then."""

    act: Callable[[Stops], Callable[[], Awaitable[None]]]
    keeps: Keep
    ends: Callable[[Outcome], bool]


def _stopped(reason: StopReason) -> Kind:
    return Kind(lambda stops: stopping(stops, reason), KEEPS[reason], lambda outcome: outcome == Stopped(reason))


KINDS: dict[str, Kind] = {
    **{reason.value: _stopped(reason) for reason in StopReason},
    "stall": Kind(lambda _: stalling, Keep.EVERYTHING, lambda outcome: isinstance(outcome, Stalled)),
    "failure": Kind(
        lambda _: failing(lambda: ProviderError("overloaded")),
        Keep.EVERYTHING,
        lambda outcome: isinstance(outcome, Broke),
    ),
    "foreign failure": Kind(
        lambda _: failing(lambda: RuntimeError("secret")), Keep.EVERYTHING, lambda outcome: isinstance(outcome, Broke)
    ),
    "follow-up, then stop": Kind(
        lambda stops: stopping(stops, StopReason.FOLLOW_UP, StopReason.USER),
        Keep.CLAUSE,
        lambda outcome: outcome == Stopped(StopReason.USER),
    ),
}


def letters(texts: Sequence[str]) -> str:
    """Only what somebody said: without marks, and without what stands between messages."""
    return "".join(filter(str.isalnum, "".join(texts))).casefold()


_WHOLE: dict[tuple[tuple[str, ...], Settings], list[str]] = {}
"""What ``whole`` found for the short replies, which every kind of trouble is compared with."""


async def whole(pieces: Sequence[str], settings: Settings) -> list[str]:
    """The messages of all *pieces* if nothing happens."""
    if (key := (tuple(pieces), settings)) in _WHOLE:
        return _WHOLE[key]
    channel = Channel()
    await say(channel, speech(pieces), scene=SCENE, settings=settings)
    if len(pieces) <= len(SHORT):
        _WHOLE[key] = channel.texts
    return channel.texts


async def troubled(pieces: Sequence[str], kind: Kind, at: int, settings: Settings, latency: float = 0.0) -> list[str]:
    """The messages of *pieces* with trouble before event *at*; the books must be right, and the outcome as it should."""
    stops, channel = Stops(), Channel(latency=latency)
    with stops.open(TURN) as handle:
        trouble = Trouble(kind.act(stops), at)
        result = await say(channel, speech(pieces, trouble), scene=SCENE, settings=settings, stop=handle)
    check_books(result, channel)
    assert kind.ends(result.outcome), result.outcome
    return channel.texts


def check_beginning(shown: list[str], kept: Keep, complete: list[str], until_then: list[str]) -> None:
    """Whether *shown* is what is *kept*: of *complete*, the reply without trouble, and of what was said *until_then*."""
    match kept:
        case Keep.EVERYTHING:
            assert until_then == shown
        case Keep.NOTHING | Keep.DECIDED:
            assert complete[: len(shown)] == shown
        case Keep.CLAUSE:
            assert complete[: len(shown[:-1])] == shown[:-1]
            assert letters(until_then).startswith(letters(shown))


# --- one model, every moment ---------------------------------------------------------------------


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("name", KINDS)
async def test_whatever_happens_at_whatever_moment_people_see_a_beginning(name: str, degree: int | None) -> None:
    kind, settings, pieces = KINDS[name], settings_of(degree), list(SHORT)
    complete = await whole(pieces, settings)
    for at in range(len(pieces) + 1):
        until_then = await whole(pieces[:at], settings)

        shown = await troubled(pieces, kind, at, settings)

        check_beginning(shown, kind.keeps, complete, until_then)
        assert letters(complete).startswith(letters(shown))


@pytest.mark.parametrize("latency", [0.3, 3.0])
@pytest.mark.parametrize("name", KINDS)
async def test_a_slow_chat_changes_nothing_about_that(name: str, latency: float) -> None:
    """Then there is nearly always a send under way, which ends, and is shown."""
    kind, settings, pieces = KINDS[name], settings_of(1), SHORT.splitlines(keepends=True)
    complete = await whole(pieces, settings)
    for at in range(len(pieces) + 1):
        until_then = await whole(pieces[:at], settings)

        shown = await troubled(pieces, kind, at, settings, latency)

        check_beginning(shown, kind.keeps, complete, until_then)


@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("name", REFUSALS)
async def test_of_a_chat_that_crashes_people_see_the_messages_before(name: str, degree: int | None) -> None:
    settings = settings_of(degree)
    complete = await whole(list(SHORT), settings)
    for crash_at in range(len(complete) + 1):
        channel = Channel(crash_at=crash_at, error=REFUSALS[name], latency=0.1)

        result = await say(channel, speech(list(SHORT)), scene=SCENE, settings=settings)

        check_books(result, channel)
        assert complete[:crash_at] == channel.texts
        has_crashed = crash_at < len(complete)
        assert has_crashed is not isinstance(result.outcome, Completed)
        if isinstance(result.outcome, Broke):
            assert isinstance(result.outcome.error, DeliveryError)
            assert "secret" not in str(result.outcome.error)


@given(
    st.text("abc .\n>`", max_size=400).map(lambda text: text.replace("`", "\n```\nx\n```\n")),
    st.sampled_from(list(KINDS)),
    st.sampled_from(DEGREES),
    st.floats(0.0, 1.0),
    st.sampled_from([0.0, 0.3]),
)
async def test_a_chat_that_takes_few_messages_changes_nothing_about_that_and_never_gets_too_many(
    text: str, name: str, degree: int | None, moment: float, latency: float
) -> None:
    """Messages are put together there; what they say is the same, and in the same order."""
    kind, settings, pieces = KINDS[name], settings_of(degree), [text[at : at + 7] for at in range(0, len(text), 7)]
    at = round(moment * len(pieces))
    stops, channel = Stops(), MeteredChannel(latency=latency)

    with stops.open(TURN) as handle:
        trouble = Trouble(kind.act(stops), at)
        result = await say(channel, slowly(speech(pieces, trouble)), scene=SCENE, settings=settings, stop=handle)

    check_books(result, channel)
    assert 0 == channel.refused
    until_then = await whole(pieces[:at], settings)
    complete = await whole(pieces, settings)
    if kind.keeps is Keep.EVERYTHING:
        assert letters(until_then) == letters(channel.texts)
    assert letters(complete).startswith(letters(channel.texts)) or letters(until_then).startswith(
        letters(channel.texts)
    )
    planned = [line for message in complete for line in message.split("\n")]
    shown = [line for message in channel.texts for line in message.split("\n")]
    if kind.keeps in (Keep.NOTHING, Keep.DECIDED):
        assert planned[: len(shown)] == shown


async def slowly(chunks: AsyncIterator[Chunk]) -> AsyncIterator[Chunk]:
    """*chunks*, ten in a second."""
    async for chunk in chunks:
        yield chunk
        await asyncio.sleep(0.1)


# --- long replies, random moments -----------------------------------------------------------------


@st.composite
def _sliced(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[str]:
    text, dice = draw(texts), Random(draw(st.integers(0, 2**32)))
    pieces = []
    while text:
        size = dice.randint(1, 40)
        pieces.append(text[:size])
        text = text[size:]
    return pieces


MOMENT = st.floats(0.0, 1.0)


@given(
    _sliced(numbered_markdown()),
    st.sampled_from(list(KINDS)),
    st.sampled_from(DEGREES),
    MOMENT,
    st.sampled_from([0.0, 0.2]),
)
async def test_of_any_reply_people_see_a_beginning(
    pieces: list[str], name: str, degree: int | None, moment: float, latency: float
) -> None:
    at, settings, kind = round(moment * len(pieces)), settings_of(degree), KINDS[name]

    shown = await troubled(pieces, kind, at, settings, latency)

    words = numbered_words("".join(shown))
    assert numbered_words("".join(pieces)).startswith(words)
    complete, until_then = await whole(pieces, settings), await whole(pieces[:at], settings)
    if kind.keeps is not Keep.CLAUSE:
        check_beginning(shown, kind.keeps, complete, until_then)
    assert numbered_words("".join(until_then)).startswith(words)


@hypothesis_settings(max_examples=150)
@given(
    _sliced(st.sampled_from(list(CORPUS.values())).map(lambda text: text[:2500])),
    st.sampled_from(list(KINDS)),
    st.sampled_from(DEGREES),
    MOMENT,
)
async def test_of_a_real_reply_people_see_a_beginning(
    pieces: list[str], name: str, degree: int | None, moment: float
) -> None:
    at, settings, kind = round(moment * len(pieces)), settings_of(degree), KINDS[name]

    shown = await troubled(pieces, kind, at, settings)

    complete, until_then = await whole(pieces, settings), await whole(pieces[:at], settings)
    if kind.keeps is Keep.CLAUSE:
        assert complete[: len(shown[:-1])] == shown[:-1]
    else:
        check_beginning(shown, kind.keeps, complete, until_then)


# --- with tools in between ------------------------------------------------------------------------


def looking(trouble: Trouble | None = None) -> Mapping[str, Tool]:
    """A tool; that it is run is an event, too."""

    async def look(_arguments: Mapping[str, object], *_: object) -> str:
        if trouble:
            await trouble.next()
        return "seen"

    return {"look": Tool(ToolSpec("look", "Look.", {"type": "object", "properties": {}}), look)}


ROUNDS: list[list[str | None]] = [
    ["I ", "look", ".\nThen ", "I see. ", "And", None],
    ["It is\n", "far", " away.\n", "Once", None],
    ["The ", "end.\nOr", " not"],
]
EVENTS = sum(len(said) + 1 for said in ROUNDS) + 2  # the end of each round, and a tool behind all but the last


async def answered(
    rounds: Sequence[Sequence[str | None]], settings: Settings, kind: Kind | None = None, at: int = NO_TROUBLE
) -> tuple[list[str], Outcome, int]:
    stops, channel = Stops(), Channel(latency=0.05)
    with stops.open(TURN) as handle:
        trouble = Trouble(kind.act(stops) if kind else peace, at)
        voice = Voice(rounds, trouble)
        result = await reply(SCENE, voice.model, channel, settings=settings, tools=looking(trouble), stop=handle)
    check_books(result, channel)
    return channel.texts, result.outcome, voice.asked


@pytest.mark.parametrize("degree", [0, 1, 3])
@pytest.mark.parametrize("name", KINDS)
async def test_with_tools_in_between_people_see_a_beginning(name: str, degree: int | None) -> None:
    """Of the round in which it happens, as if the model had ended with that."""
    kind, settings = KINDS[name], settings_of(degree, model_retries=0, empty_retries=0, tool_timeout=100.0)
    ends = [[piece for piece in said if piece is not None] for said in ROUNDS]
    whole_rounds = [(await answered([*ROUNDS[:at], end], settings))[0] for at, end in enumerate(ends)]
    for at in range(EVENTS):
        shown, _, asked = await answered(ROUNDS, settings, kind, at)

        assert letters(whole_rounds[asked - 1]).startswith(letters(shown)), at


async def test_with_tools_and_no_trouble_everything_is_said_once() -> None:
    shown, outcome, asked = await answered(ROUNDS, settings_of(1))

    assert ["I look.", "Then I see.", "It is", "far away.", "Once", "The end.", "Or not"] == shown
    assert (Completed("stop"), 3) == (outcome, asked)


# --- with two models --------------------------------------------------------------------------------

FIRST = "Abc. Def,\nghi\njkl.\nmab"
SECOND = ["Nop,\n", "qrs.\n", "tuv\nwxyz"]


async def both(
    first: Trouble,
    second: Sequence[str],
    channel: FixedChannel,
    settings: Settings,
    *,
    stops: Stops | None = None,
    later: Trouble | None = None,
) -> Outcome:
    models = [Voice([list(FIRST)], first, "first").model, Voice([second], later, "second").model]
    with (stops or Stops()).open(TURN) as handle:
        result = await reply(SCENE, models, channel, settings=settings, stop=handle)
    check_books(result, channel)
    return result.outcome


RETRYLESS = {"model_retries": 0, "empty_retries": 0}


@pytest.mark.parametrize("latency", [0.0, 0.4])
@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("act", [failing(lambda: ProviderError("overloaded")), stalling], ids=["failure", "stall"])
async def test_of_two_models_people_see_one_answer(
    act: Callable[[], Awaitable[None]], degree: int | None, latency: float
) -> None:
    settings = settings_of(degree, **RETRYLESS)
    better = await whole(SECOND, settings)
    for at in range(len(FIRST) + 1):
        channel = Channel(latency=latency)

        outcome = await both(Trouble(act, at), SECOND, channel, settings)

        assert Completed("stop") == outcome
        assert (better == channel.texts) if degree != 3 else (letters(better) == letters(channel.texts))


@pytest.mark.parametrize("latency", [0.0, 0.4])
@pytest.mark.parametrize("degree", DEGREES)
@pytest.mark.parametrize("act", [failing(lambda: ProviderError("overloaded")), stalling], ids=["failure", "stall"])
async def test_if_the_second_model_has_nothing_to_say_the_beginning_of_the_first_stays(
    act: Callable[[], Awaitable[None]], degree: int | None, latency: float
) -> None:
    settings = settings_of(degree, **RETRYLESS)
    for at in range(len(FIRST) + 1):
        channel = Channel(latency=latency)

        await both(Trouble(act, at), [], channel, settings)

        assert await whole(FIRST[:at], settings) == channel.texts


@pytest.mark.parametrize("second", [SECOND, []], ids=["an answer", "nothing"])
@pytest.mark.parametrize("latency", [0.0, 0.4])
@pytest.mark.parametrize("degree", DEGREES)
async def test_where_nothing_can_be_taken_back_people_see_only_the_first_model_once_it_was_seen(
    second: list[str], degree: int | None, latency: float
) -> None:
    settings = settings_of(degree, **RETRYLESS)
    better = await whole(second, settings)
    for at in range(len(FIRST) + 1):
        channel, until_then = FixedChannel(latency=latency), await whole(FIRST[:at], settings)

        await both(Trouble(failing(lambda: ProviderError("overloaded")), at), second, channel, settings)

        assert channel.texts in (until_then, better or until_then)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("name", ["user", "follow_up", "shutdown", "stall", "failure"])
async def test_trouble_with_the_second_model_leaves_one_of_the_two_beginnings(name: str, degree: int | None) -> None:
    """Whether the first one's messages are just taken back or not: never both, and never the end of one without its beginning."""
    kind, settings = KINDS[name], settings_of(degree, **RETRYLESS)
    complete, better = await whole(FIRST, settings), await whole(SECOND, settings)
    for failed_at in (0, 6, 12, 20, len(FIRST)):
        for at in range(len(SECOND) + 1):
            stops, channel = Stops(), Channel(latency=0.4)
            first = Trouble(failing(lambda: ProviderError("overloaded")), failed_at)

            await both(first, SECOND, channel, settings, stops=stops, later=Trouble(kind.act(stops), at))

            shown = letters(channel.texts)
            assert letters(complete).startswith(shown) or letters(better).startswith(shown), channel.texts


@example(seconds=0.0, degree=1)
@given(st.floats(0.0, 12.0), st.sampled_from([1, 2]))
async def test_a_stop_at_any_time_between_two_models_leaves_one_of_the_two_beginnings(
    seconds: float, degree: int | None
) -> None:
    settings = settings_of(degree, **RETRYLESS)
    complete, better = await whole(FIRST, settings), await whole(SECOND, settings)
    stops, channel = Stops(), Channel(latency=0.7)
    first = Trouble(failing(lambda: ProviderError("overloaded")), len(FIRST))
    asyncio.get_running_loop().call_later(seconds, stops.request, TURN, StopReason.USER)

    await both(first, SECOND, channel, settings, stops=stops)

    shown = letters(channel.texts)
    assert letters(complete).startswith(shown) or letters(better).startswith(shown), channel.texts
