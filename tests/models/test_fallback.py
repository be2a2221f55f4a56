"""Who is asked next, after what, when and with which key."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import Aspect, CadenzaError, DeliveryError, ErrorKind, ProviderError, SettingsError, ToolError
from cadenza.models.dialects.dialect import Dialect
from cadenza.models.fallback import Attempt, FallbackChain, ModelSource
from cadenza.models.keys import Keyring
from cadenza.models.model import Model
from cadenza.settings import FallbackSettings, Settings
from cadenza.types import Broke, Completed, Empty, Failed, NeedsTools, Outcome, Stalled, Stopped, StopReason
from tests.actors import BLOCKED, BUSY, LIMITED, NO_MODEL, NOTHING, REFUSED, Actor, fails
from tests.helpers import Dice
from tests.timing import now

pytestmark = pytest.mark.looptime

EMPTY, SHORT, GUARDED = Empty(), Empty("length"), Empty("speaker_guard")


def ring(*keys: str, **settings: object) -> Keyring:
    return Keyring(keys or ("k1",), fallback(**settings))


def fallback(**settings: object) -> FallbackSettings:
    return Settings.of(**settings).fallback


def model(name: str = "a", keys: Keyring | None = None) -> Model:
    return Actor(NOTHING, name=name, keys=keys).model


def fallback_chain(*models: ModelSource, dice: Dice | None = None, **settings: object) -> FallbackChain:
    return FallbackChain(models, fallback(**settings), dice or Dice())


def broke(failed: Failed) -> Outcome:
    return Broke(failed.error)


def limited(seconds: float) -> Outcome:
    return broke(fails(ErrorKind.RATE_LIMIT, status=429, retry_after=seconds))


def key(again: Attempt | None) -> str:
    assert again is not None
    assert isinstance(again.model.codec, Dialect)
    return again.model.codec.endpoint.key


async def after(cast: FallbackChain, outcome: Outcome) -> Attempt | None:
    """As a try does it: the key learns of it, then the next one is looked for."""
    cast.note(outcome)
    return await cast.after(outcome)


async def names(cast: FallbackChain, outcome: Outcome, *, most: int = 20) -> list[str]:
    """Whom *cast* names, one after the other, if every try ends with *outcome*."""
    again = await cast.begin()
    asked: list[str] = []
    while again is not None and len(asked) < most:
        asked.append(f"{cast.name}{f' {key(again)}' if again.model.keyring else ''}")
        again = await after(cast, outcome)
    return asked


# --- what is tried after what -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "asked"),
    [
        pytest.param(broke(REFUSED), ["a k1", "a k2", "a k3", "b"], id="a key that is not accepted"),
        pytest.param(broke(LIMITED), ["a k1", "a k2", "a k3", "b", "b"], id="a key that is used too often"),
        pytest.param(broke(BLOCKED), ["a k1", "b"], id="a filter"),
        pytest.param(broke(NO_MODEL), ["a k1", "b"], id="no such model"),
        pytest.param(broke(BUSY), ["a k1", "a k1", "b", "b"], id="an overloaded model"),
        pytest.param(Stalled(has_begun=True), ["a k1", "b"], id="a model that fell silent"),
        pytest.param(EMPTY, ["a k1", "a k1", "a k1", "b", "b", "b"], id="a model that says nothing"),
        pytest.param(Broke(ToolError("no")), ["a k1", "b"], id="tools that fail"),
        pytest.param(Broke(DeliveryError("no")), ["a k1"], id="a message that cannot be sent"),
        pytest.param(Broke(CadenzaError("a rule failed")), ["a k1"], id="a rule that fails"),
        pytest.param(Stopped(StopReason.USER), ["a k1"], id="a stop"),
        pytest.param(Completed(), ["a k1"], id="an answer"),
    ],
)
async def test_who_is_asked_after_what(outcome: Outcome, asked: list[str]) -> None:
    """Only what another key can cure is tried with another (B52); of five keys, three are (B50)."""
    keys = ring("k1", "k2", "k3", "k4", "k5")

    assert asked == await names(fallback_chain(model("a", keys), model("b")), outcome)


@pytest.mark.parametrize("attempts", [1, 2, 5])
async def test_how_many_keys_are_tried_is_a_setting(attempts: int) -> None:
    keys = ring("k1", "k2", "k3")

    asked = await names(fallback_chain(model("a", keys), key_attempts=attempts), broke(REFUSED))

    assert min(attempts, 3) == len(asked)


async def test_counting_begins_anew_with_every_model_and_not_with_every_key() -> None:
    cast = fallback_chain(model("a", ring("k1", "k2")), model("b"), empty_retries=1, model_retries=1)
    await cast.begin()

    asked = []
    for outcome in (EMPTY, broke(REFUSED), EMPTY, EMPTY, broke(BUSY), broke(BUSY)):
        again = await after(cast, outcome)
        asked.append(cast.name if again else None)

    assert ["a", "a", "b", "b", "b", None] == asked


# --- waiting ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("retry_after", "seconds"),
    [
        pytest.param(None, 1.0, id="as the settings say"),
        pytest.param(0.2, 1.0, id="not less than that"),
        pytest.param(7.0, 7.0, id="as the server says"),
        pytest.param(10.0, 10.0, id="at most so long"),
        pytest.param(10.5, None, id="and no longer"),
    ],
)
async def test_how_long_an_overloaded_model_is_waited_for(retry_after: float | None, seconds: float | None) -> None:
    cast = fallback_chain(model())
    await cast.begin()

    again = await after(cast, broke(fails(ErrorKind.OVERLOADED, status=503, retry_after=retry_after)))

    assert seconds == (again.seconds if again else None)


async def test_the_key_that_can_be_used_first_is_waited_for_if_nobody_else_is_there() -> None:
    cast = fallback_chain(model("a", ring("k1", "k2")))
    await cast.begin()

    assert "k2" == key(await after(cast, limited(4.0)))
    await asyncio.sleep(1.0)
    again = await after(cast, limited(8.0))

    assert again is not None
    assert ("k1", 3.0) == (key(again), again.seconds)


async def test_a_key_that_rests_for_long_is_not_waited_for() -> None:
    """Its cooldown is a minute if its provider does not say for how long."""
    assert ["a k1"] == await names(fallback_chain(model("a", ring("k1"))), broke(LIMITED))


async def test_without_a_ring_a_limit_is_waited_for_like_anything_that_passes() -> None:
    assert ["a", "a"] == await names(fallback_chain(model("a")), broke(LIMITED))


async def test_an_empty_answer_is_asked_for_again_after_a_moment() -> None:
    cast = fallback_chain(model(), retry_delay=2.5)
    await cast.begin()

    again = await after(cast, EMPTY)

    assert again is not None
    assert 2.5 == again.seconds


# --- what the next try is told ---------------------------------------------------------------------------------


async def test_what_is_left_out_grows_each_time_and_is_told_to_the_next_model_again() -> None:
    """Two more each time, so four the second time (§10 test 12); whoever asks, not only one provider (B22)."""
    cast = fallback_chain(model("a"), model("b"), empty_retries=3)
    context = Broke(ProviderError("too long", aspect=Aspect.CONTEXT))
    first = await cast.begin()

    tries = [first, *[await after(cast, outcome) for outcome in (SHORT, EMPTY, context, SHORT)]]

    assert [("a", 0), ("a", 2), ("a", 2), ("a", 4), ("b", 0)] == [
        (again.model.name, again.drop) for again in tries if again
    ]


async def test_who_speaks_for_somebody_else_is_reminded_from_then_on_and_the_next_model_is_not() -> None:
    cast = fallback_chain(model("a"), model("b"))
    await cast.begin()

    tries = [await after(cast, outcome) for outcome in (GUARDED, EMPTY, GUARDED)]

    assert [("a", True), ("a", True), ("b", False)] == [(again.model.name, again.insist) for again in tries if again]


async def test_a_function_that_makes_a_model_need_not_be_asynchronous() -> None:
    again = await fallback_chain(lambda: None, lambda: model("b")).begin()

    assert again is not None
    assert "b" == again.model.name


async def test_a_function_that_makes_something_else_has_failed() -> None:
    cast = fallback_chain(lambda: "b", model("c"))  # type: ignore[arg-type,return-value]

    again = await cast.begin()

    assert again is not None
    assert "c" == again.model.name
    assert "not str" in str(cast.failures[0].outcome)


async def test_it_is_known_how_many_others_were_asked_before() -> None:
    cast = fallback_chain(model("a", ring("k1", "k2")), model("b"))

    tries = [await cast.begin(), *[await after(cast, outcome) for outcome in (broke(REFUSED), EMPTY, broke(BLOCKED))]]

    assert [0, 0, 0, 1] == [again.before for again in tries if again]


@pytest.mark.parametrize(
    ("models", "outcomes", "may"),
    [
        pytest.param(1, [], True, id="it may be asked again"),
        pytest.param(1, [EMPTY, EMPTY], False, id="it was asked often enough"),
        pytest.param(2, [EMPTY, EMPTY], True, id="there is another"),
    ],
)
async def test_whether_somebody_could_be_asked_again(models: int, outcomes: list[Outcome], *, may: bool) -> None:
    cast = fallback_chain(*[model(str(number)) for number in range(models)])
    await cast.begin()
    for outcome in outcomes:
        await after(cast, outcome)

    assert may == cast.may_ask_again


# --- keys ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("outcome", "uses", "errors", "rests"),
    [
        pytest.param(Completed(), 1, 0, 0.0, id="an answer"),
        pytest.param(EMPTY, 1, 0, 0.0, id="an empty answer"),
        pytest.param(broke(LIMITED), 0, 1, 60.0, id="a limit"),
        pytest.param(broke(REFUSED), 0, 1, 300.0, id="a refusal, also of the last key (B51)"),
        pytest.param(broke(BLOCKED), 0, 0, 0.0, id="§10 test 15: a filter"),
        pytest.param(Stalled(has_begun=True), 0, 0, 0.0, id="§10 test 9: silence is not credited"),
        pytest.param(Broke(DeliveryError("no")), 0, 0, 0.0, id="the chat's fault"),
        pytest.param(Stopped(StopReason.USER), 0, 0, 0.0, id="a stop"),
        pytest.param(NeedsTools(()), 0, 0, 0.0, id="it goes on"),
    ],
)
async def test_what_a_key_learns_of_a_try(outcome: Outcome, uses: int, errors: int, rests: float) -> None:
    keys = ring("k1")
    cast = fallback_chain(model("a", keys))
    await cast.begin()
    cast.note(outcome)

    (record,) = keys
    assert (uses, errors, rests) == (record.uses, record.errors, record.cooling_until)


async def test_a_key_that_another_reply_put_to_rest_is_not_rotated_to() -> None:
    keys = ring("k1", "k2")
    one, two = fallback_chain(model("a", keys)), fallback_chain(model("b", keys))
    assert ("k1", "k2") == (key(await one.begin()), key(await two.begin()))
    two.note(broke(LIMITED))

    assert await after(one, broke(REFUSED)) is None


async def test_an_answer_does_not_end_a_rest_that_began_while_it_was_written() -> None:
    keys = ring("k1")
    first, second = fallback_chain(model("a", keys)), fallback_chain(model("a", keys))
    await first.begin()
    await second.begin()
    await asyncio.sleep(1)
    second.note(broke(LIMITED))
    await asyncio.sleep(1)
    first.note(Completed())

    assert 59 == keys.ready_in()


async def test_a_key_that_another_reply_put_to_rest_is_not_asked_a_second_time() -> None:
    keys = ring("k1", "k2")
    cast = fallback_chain(model("a", keys))
    await cast.begin()
    keys.failed(keys.main, LIMITED.error)

    assert "k2" == key(await after(cast, broke(BUSY)))


async def test_two_replies_at_once_take_turns_with_the_keys() -> None:
    keys = ring("k1", "k2", "k3")

    asked = [key(await fallback_chain(model("a", keys)).begin()) for _ in range(4)]

    assert ["k1", "k2", "k3", "k1"] == asked


# --- models in cooldown ----------------------------------------------------------------------------------------


def cooling(name: str, seconds: float) -> Model:
    keys = ring("k1")
    keys.failed(keys.main, limited(seconds))
    return model(name, keys)


async def test_a_model_whose_keys_rest_is_asked_last_and_noted_once() -> None:
    cast = fallback_chain(cooling("a", 100.0), model("b"), cooling("c", 100.0), model("d"))

    assert ["b", "d", "a k1", "c k1"] == await names(cast, broke(BLOCKED))
    assert ["a", "b", "c", "d", "a"] == [failure.model for failure in cast.failures]
    assert cast.failures[0].outcome != cast.failures[4].outcome


async def test_the_first_model_is_no_fallback_even_if_it_is_asked_last() -> None:
    cast = fallback_chain(cooling("a", 100.0), model("b"))

    await cast.begin()
    was = cast.is_fallback
    await after(cast, broke(BLOCKED))

    assert (True, False) == (was, cast.is_fallback)


@pytest.mark.parametrize(("seconds", "waits"), [(6.0, 6.0), (60.0, 0.0)], ids=["short", "long"])
async def test_a_rest_is_waited_for_if_it_is_short(seconds: float, waits: float) -> None:
    """If it is long, the main key is tried all the same: whoever looked after it meanwhile should not have to wait."""
    again = await fallback_chain(cooling("a", seconds)).begin()

    assert ("k1", waits) == (key(again), now())


# --- models that are made ready when it is their turn -----------------------------------------------------------------


def made(result: Model | BaseException | None) -> Callable[[], Awaitable[Model | None]]:
    async def make() -> Model | None:
        if isinstance(result, BaseException):
            raise result
        return result

    return make


async def test_a_model_is_made_ready_only_when_it_is_its_turn() -> None:
    calls: list[str] = []

    def noting(name: str) -> Callable[[], Awaitable[Model | None]]:
        async def make() -> Model | None:
            calls.append(name)
            return model(name)

        return make

    cast = fallback_chain(noting("a"), noting("b"), noting("c"))
    await cast.begin()
    await after(cast, broke(BLOCKED))

    assert (["a", "b"], "b", True) == (calls, cast.name, cast.is_fallback)


@pytest.mark.parametrize(
    ("result", "is_fallback", "failures"),
    [
        pytest.param(None, False, [], id="there is none to be had"),
        pytest.param(SettingsError("'openai' needs a key"), True, ["'openai' needs a key"], id="a reason for people"),
        pytest.param(OSError("password"), True, ["a model could not be created (OSError); see the log"], id="foreign"),
        pytest.param(
            asyncio.CancelledError(),
            True,
            ["a model could not be created (CancelledError); see the log"],
            id="cancelled by itself",
        ),
    ],
)
async def test_a_model_that_cannot_be_made_ready_is_passed_over(
    result: BaseException | None, failures: list[str], *, is_fallback: bool
) -> None:
    cast = fallback_chain(made(result), model("b"))

    again = await cast.begin()

    assert again is not None
    assert ("b", is_fallback) == (again.model.name, cast.is_fallback)
    assert failures == [str(failure.outcome.error) for failure in cast.failures if isinstance(failure.outcome, Broke)]


@pytest.mark.parametrize(
    ("sources", "reason"),
    [
        pytest.param([], "there is no model to ask; name at least one", id="none was named"),
        pytest.param([made(None)], "there is no model to ask; name at least one", id="none is to be had"),
        pytest.param([made(SettingsError("one")), made(SettingsError("two"))], "two", id="the last reason"),
    ],
)
async def test_why_nobody_can_be_asked(sources: list[ModelSource], reason: str) -> None:
    cast = fallback_chain(*sources)

    assert await cast.begin() is None
    outcome = cast.no_model()
    assert isinstance(outcome, Broke)
    assert reason == str(outcome.error)
    assert len(sources) - 1 == len(cast.failures) or not cast.failures


async def test_making_ready_can_be_cancelled() -> None:
    async def hangs() -> Model | None:
        await asyncio.sleep(1e9)
        return None

    beginning = asyncio.create_task(fallback_chain(hangs, model()).begin())
    await asyncio.sleep(1)
    beginning.cancel()

    with pytest.raises(asyncio.CancelledError):
        await beginning


async def test_a_failure_that_was_the_last_word_is_not_one_that_came_before() -> None:
    cast = fallback_chain(model("a"), made(OSError()))
    await cast.begin()

    assert await after(cast, broke(BLOCKED)) is None
    assert [""] == [failure.model for failure in cast.failures]


# --- who is first ---------------------------------------------------------------------------------------------------


async def test_11_one_of_the_models_is_drawn_to_be_first() -> None:
    cast = fallback_chain(model("P"), model("F1"), model("F2"), dice=Dice(0.99), random_model=True)

    assert ["F2", "P", "F1"] == await names(cast, broke(BLOCKED))


async def test_11_who_was_drawn_is_no_fallback() -> None:
    cast = fallback_chain(model("P"), model("F1"), dice=Dice(0.99), random_model=True)
    await cast.begin()

    assert ("F1", False) == (cast.name, cast.is_fallback)


@given(count=st.integers(0, 6), roll=st.floats(0, 1, exclude_max=True))
def test_11_drawing_only_reorders(count: int, roll: float) -> None:
    async def ordered() -> list[str]:
        models: list[Any] = [model(str(number)) for number in range(count)]
        return await names(fallback_chain(*models, dice=Dice(roll), random_model=True), broke(BLOCKED))

    first, *rest = asyncio.run(ordered()) or [""]

    assert sorted(rest) == rest
    assert sorted([first, *rest]) == ([str(number) for number in range(count)] or [""])


async def test_without_that_setting_no_dice_are_thrown() -> None:
    dice = Dice()

    await fallback_chain(model("P"), model("F1"), dice=dice).begin()

    assert 0 == dice.thrown


# --- it comes to an end -----------------------------------------------------------------------------------------------

OUTCOMES = (
    broke(LIMITED),
    broke(REFUSED),
    broke(BUSY),
    broke(BLOCKED),
    EMPTY,
    SHORT,
    GUARDED,
    Stalled(has_begun=False),
)


@given(
    outcomes=st.lists(st.sampled_from(OUTCOMES), min_size=1, max_size=8),
    keys=st.lists(st.integers(0, 5), min_size=1, max_size=4),
)
def test_however_everything_fails_it_comes_to_an_end(outcomes: list[Outcome], keys: list[int]) -> None:
    """No model is tried more often than its keys, its retries and its second chances add up to."""

    async def tries() -> int:
        models = [
            model(str(place), ring(*(f"k{number}" for number in range(count))) if count else None)
            for place, count in enumerate(keys)
        ]
        cast, count = fallback_chain(*models), 0
        again = await cast.begin()
        while again is not None:
            count += 1
            again = await after(cast, outcomes[count % len(outcomes)])
        assert count - 1 == len(cast.failures)
        return count

    assert asyncio.run(tries()) <= sum(1 + 2 + 1 + 2 for _ in keys)
