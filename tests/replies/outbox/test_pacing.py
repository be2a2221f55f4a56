"""When a post is sent, and with how many others; the arithmetic of the rate limit is in ``test_s7_allowance.py``."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from hypothesis import given, strategies as st

from cadenza.replies.outbox.pacing import Act, Join, Pacing, Step, Wait
from cadenza.replies.outbox.queue import Parcel, PostQueue, Waiting
from cadenza.settings import Settings
from cadenza.targets.target import Allowance
from cadenza.types import Boundary, Notice, Post, Receipt
from tests.helpers import calls_of


def pacing(*, settings: Settings | None = None, is_metered: bool = True, shows_notices: bool = True) -> Pacing:
    return Pacing(settings, 0.0, limit=50, is_metered=is_metered, shows_notices=shows_notices)


def waiting(*sizes: int, pause: float = 0.0) -> list[Parcel]:
    return [Parcel(Post("x" * size, Boundary.NEWLINE, pause), 0) for size in sizes]


def step(
    pace: Pacing,
    parcels: Sequence[Parcel],
    allowance: Allowance | None = None,
    *,
    now: float = 0.0,
    is_last: bool = False,
) -> Step:
    return pace.step(Waiting(parcels), now, allowance, is_last=is_last, is_ready=True)


# --- the rate limit ------------------------------------------------------------------------


def test_without_a_limit_everything_leaves_as_it_is() -> None:
    assert Act.SEND is step(pacing(), waiting(1, 1))


@pytest.mark.parametrize(
    ("answer", "sizes", "wanted"),
    [
        pytest.param(Allowance(5, 5, 0.0), (1, 1), Act.SEND, id="as planned"),
        pytest.param(Allowance(2, 5, 4.0), (1, 1), Wait(2.0, "rate_limit", 0.0), id="for the sake of what may come"),
        pytest.param(Allowance(2, 5, 4.0), (30, 30), Act.SEND, id="what is full need not wait for more"),
        pytest.param(Allowance(1, 5, 4.0), (30, 30), Wait(4.0, "rate_limit", 0.0), id="unless none is left"),
    ],
)
def test_what_can_be_one_message_is_waited_for(answer: Allowance, sizes: tuple[int, ...], wanted: Step) -> None:
    assert wanted == step(pacing(), waiting(*sizes), answer)


def test_what_cannot_be_merged_counts_as_well() -> None:
    few = Allowance(2, 5, 4.0)
    alone = Parcel(Post("x", Boundary.NEWLINE), 1)

    assert Join(2) == step(pacing(), [*waiting(1, 1), alone, alone], few, is_last=True)
    assert Act.SEND is step(pacing(), waiting(1, 1), few, is_last=True)


def test_what_was_merged_is_not_merged_again() -> None:
    first, *rest = waiting(1, 1, 1)

    assert Join(2) == step(pacing(), [first, *rest], Allowance(2, 5, 4.0), is_last=True)
    assert Act.SEND is step(pacing(), [first._replace(is_joined=True), *rest], Allowance(2, 5, 4.0), is_last=True)


def test_a_reply_that_was_short_once_is_careful_from_then_on() -> None:
    pace, answers = pacing(), (Allowance(4, 5, 4.0), Allowance(1, 5, 4.0), Allowance(4, 5, 4.0))

    steps = [step(pace, waiting(1), answer) for answer in answers]

    assert [Act.SEND, Wait(4.0, "rate_limit", 0.0), Wait(1.0, "rate_limit", 0.0)] == steps


def test_a_target_that_never_takes_anything_is_believed_for_a_minute() -> None:
    pace, now, steps = pacing(), 0.0, list[Step]()
    for _ in range(5):
        found = step(pace, waiting(1, 1), Allowance(0, 5, 20.0), now=now, is_last=True)
        steps.append(found)
        if isinstance(found, Wait):
            pace.waited(found, now, now + found.seconds)
            now += found.seconds

    assert [Wait(20.0, "rate_limit", 0.0)] * 3 + [Join(2)] * 2 == steps


def test_a_target_that_took_something_is_believed_again() -> None:
    pace = pacing()
    full, free = Allowance(0, 5, 20.0), Allowance(5, 5, 0.0)
    pace.waited(Wait(50.0, "rate_limit", 0.0), 0.0, 50.0)
    steps = []
    for answer in (full, free, full):
        steps.append(step(pace, waiting(1), answer, is_last=True))
        pace.waited(Wait(10.0, "rate_limit", 0.0), 0.0, 10.0)

    assert [Wait(20.0, "rate_limit", 0.0), Act.SEND, Wait(20.0, "rate_limit", 0.0)] == steps


@pytest.mark.parametrize(
    ("parcel", "is_metered", "shows_notices", "is_asked"),
    [
        pytest.param(waiting(1)[0], True, True, True, id="a post"),
        pytest.param(waiting(1)[0], False, True, False, id="no limit"),
        pytest.param(waiting(1)[0]._replace(is_goodbye=True), True, True, False, id="a goodbye"),
        pytest.param(waiting(1)[0]._replace(notice=Notice("x")), True, True, False, id="a notice beside the chat"),
        pytest.param(waiting(1)[0]._replace(notice=Notice("x")), True, False, True, id="a notice as a message"),
        pytest.param(
            Parcel(Post("", Boundary.NEWLINE, instead=(Post("x", Boundary.NEWLINE),)), 0),
            True,
            True,
            False,
            id="unpainted",
        ),
    ],
)
def test_the_target_is_asked_only_if_it_matters(
    parcel: Parcel, *, is_metered: bool, shows_notices: bool, is_asked: bool
) -> None:
    assert is_asked == pacing(is_metered=is_metered, shows_notices=shows_notices).is_limited(parcel)


@pytest.mark.parametrize(
    ("allowance", "can_leave"), [(None, True), (Allowance(1, 5, 5.0), True), (Allowance(0, 5, 5.0), False)]
)
def test_a_goodbye_leaves_at_once_or_not_at_all(allowance: Allowance | None, *, can_leave: bool) -> None:
    assert can_leave == pacing().can_leave(allowance)


@pytest.mark.parametrize("pause", [0.0, 1.0])
@pytest.mark.parametrize("allowance", [None, Allowance(5, 5, 0.0), Allowance(3, 30, 4.0)], ids=str)
def test_twice_as_many_posts_take_at_most_twice_the_work(allowance: Allowance | None, pause: float) -> None:
    def work(count: int) -> int:
        queue = PostQueue(50)
        queue.add(parcel.post for parcel in waiting(*[4] * count, pause=pause))

        def send() -> None:
            pace, now = pacing(settings=Settings.of(typing_tail=1.5)), 0.0
            queue.close()
            pace.hasten(queue.waiting)
            while queue.waiting:
                match pace.step(queue.waiting, now, allowance, is_last=True, is_ready=True):
                    case Wait() as found:
                        pace.waited(found, now, now + found.seconds)
                        now += found.seconds
                    case Join(together):
                        queue.merge(together)
                    case _:
                        queue.sent(Receipt(queue.take().post, "1"))
                        pace.sent(now)

        return calls_of(send)

    assert work(800) <= 2.2 * work(400)  # near the end there is less to look at


# --- preparing -----------------------------------------------------------------------------


def test_a_picture_is_painted_during_a_rate_limit_and_names_are_looked_up_after_it() -> None:
    picture = Parcel(Post("", Boundary.NEWLINE, instead=(Post("x", Boundary.NEWLINE),)), 0)
    full = Allowance(0, 5, 20.0)

    assert Act.PREPARE is pacing().step(Waiting([picture]), 0.0, full, is_last=False, is_ready=False)
    assert Wait(20.0, "rate_limit", 0.0) == pacing().step(Waiting(waiting(1)), 0.0, full, is_last=False, is_ready=False)
    assert Act.PREPARE is pacing().step(Waiting(waiting(1, pause=5.0)), 0.0, None, is_last=False, is_ready=False)


# --- typing --------------------------------------------------------------------------------


def test_typing_counts_from_the_last_message() -> None:
    pace = pacing()
    pace.sent(10.0)

    assert Wait(3.0, "typing", 14.0) == step(pace, waiting(1, pause=4.0), now=11.0)
    assert Act.SEND is step(pace, waiting(1, pause=4.0), now=14.0)


def test_only_typing_counts_against_the_budget() -> None:
    pace = pacing(settings=Settings.of(typing_budget=3.0))
    pace.waited(Wait(9.0, "rate_limit", 2.0), 0.0, 9.0)
    pace.sent(9.0)

    assert Wait(1.0, "typing", 13.0) == step(pace, waiting(1, pause=4.0), now=9.0)


@pytest.mark.parametrize(
    ("count", "is_metered", "has_room"), [(3, False, True), (4, False, False), (40, True, True), (160, True, False)]
)
def test_a_queue_is_full_by_number_or_where_posts_can_be_merged_by_size(
    count: int, *, is_metered: bool, has_room: bool
) -> None:
    pace = pacing(settings=Settings.of(queue=4), is_metered=is_metered)

    assert has_room == pace.changed(Waiting(waiting(*[1] * count)))


def test_a_full_queue_shortens_the_typing_and_room_lengthens_it_again() -> None:
    pace = pacing(settings=Settings.of(queue=4, typing_tail=1.0), is_metered=False)

    pace.changed(Waiting(waiting(1, 1, 1, 1, pause=2.0)))
    assert Wait(0.25, "typing", 0.25, "queue") == step(pace, waiting(1, pause=2.0))
    pace.changed(Waiting(waiting(1, 1, pause=2.0)))
    assert Wait(2.0, "typing", 2.0) == step(pace, waiting(1, pause=2.0))
    pace.hasten(Waiting(waiting(1, pause=2.0)))
    assert Wait(1.0, "typing", 1.0, "finished") == step(pace, waiting(1, pause=2.0))


@given(
    sizes=st.lists(st.integers(1, 45), min_size=1, max_size=8),
    pauses=st.floats(0.0, 5.0),
    allowances=st.lists(st.builds(Allowance, st.integers(0, 5), st.just(5), st.floats(0.0, 30.0)), min_size=1),
    is_last=st.booleans(),
)
def test_whatever_the_target_says_the_first_post_is_dealt_with_in_the_end(
    sizes: list[int], pauses: float, allowances: list[Allowance], *, is_last: bool
) -> None:
    pace, now, parcels = pacing(), 0.0, waiting(*sizes, pause=pauses)
    for number in range(10_000):
        found = step(pace, parcels, allowances[number % len(allowances)], now=now, is_last=is_last)
        match found:
            case Wait(seconds):
                assert 0.0 < seconds <= 30.0
                pace.waited(found, now, now + seconds)
                now += seconds
            case Join(count):
                assert 2 <= count <= len(parcels)
                assert sum(len(parcel.post.text) + 1 for parcel in parcels[:count]) <= 51
                parcels = [parcels[0]._replace(is_joined=True), *parcels[count:]]
            case _:
                assert found is Act.SEND
                return
    pytest.fail("it is never sent")
