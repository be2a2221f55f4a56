"""What waits in a channel: plain values, and time as a number."""

from __future__ import annotations

from dataclasses import replace

import pytest

from cadenza.settings import ChannelSettings
from cadenza.turns.waiting import IncomingMessage, QueuedTurn, TurnQueue, TurnReason
from cadenza.types import Receipt
from tests.at_the_desk import receipts


def message(text: str, author: str = "ann", *, command: bool = False, persona: str = "") -> IncomingMessage:
    return IncomingMessage(text, "general", author, text, is_command=command, persona=persona)


def waiting(*texts: str, debounce: float = 0.0, most: int = 10, age: float = 300.0) -> TurnQueue:
    """A queue in which *texts*, each of somebody else, wait since the beginning."""
    made = TurnQueue(ChannelSettings(waiting=most, waiting_age=age, debounce=debounce))
    for text in texts:
        made.add(message(text, f"who said {text}"), TurnReason.QUEUED, 0.0)
    return made


def follow(made: TurnQueue, text: str, *, before: tuple[str, ...] = (), now: float = 0.0) -> None:
    made.follow(message(text), tuple(map(message, before)), turn="turn", persona="Ren", now=now)


def taken(made: TurnQueue, now: float = 1000.0) -> list[str]:
    """Everything that may begin, in its order."""
    entries = iter(lambda: made.take_ripe(now), None)
    return ["+".join(heard.text for heard in entry.messages) for entry in entries]


def test_what_waits_is_taken_in_order() -> None:
    made = waiting("one", "two", "three")

    assert made
    assert ("one", "two", "three") == made.ids
    assert ["one", "two", "three"] == taken(made)
    assert not made
    assert made.ripe_at is None


def test_a_follow_up_comes_first_and_is_for_whoever_was_interrupted() -> None:
    made = waiting("one")
    follow(made, "more", now=1.0)
    entry = made.take_ripe(1.0)

    assert entry
    assert ("more", TurnReason.FOLLOW_UP, "Ren", "turn") == (
        entry.messages[0].text,
        entry.why,
        entry.persona,
        entry.succeeds,
    )


def test_a_further_one_joins_it_whatever_was_said_between() -> None:
    made = waiting()
    assert made.join(message("more"), "turn", 0.0) is None, "nothing follows that turn yet"
    follow(made, "more", before=("one",))
    made.add(message("other", "bob"), TurnReason.QUEUED, 0.0)

    assert made.join(message("still more"), "another turn", 0.0) is None
    assert [] == made.join(message("still more"), "turn", 1.0)
    assert ["one+more+still more", "other"] == taken(made)


def test_so_many_join_it_and_the_oldest_are_left_to_the_history() -> None:
    made = waiting()
    follow(made, "0")
    too_much = [made.join(message(str(number)), "turn", 0.0) for number in range(1, 53)]

    assert [[]] * 49 + [["0"], ["1"], ["2"]] == [[heard.text for heard in left or ()] for left in too_much]
    assert 50 == len(made.ids)


@pytest.mark.parametrize(("most", "is_idle", "room"), [(2, False, False), (2, True, True), (3, False, True)])
def test_there_is_room_for_so_many(most: int, *, is_idle: bool, room: bool) -> None:
    assert room == waiting("one", "two", most=most).has_room(is_idle=is_idle)


def test_what_comes_before_all_others_takes_nobodys_place() -> None:
    made = waiting("one", most=2)
    follow(made, "more")
    made.put_first(QueuedTurn.of(message("again"), TurnReason.EDITED, 0.0))

    assert made.has_room(is_idle=False)
    assert ["again", "more", "one"] == taken(made)


def test_what_is_too_old_is_taken_out_but_not_what_comes_first() -> None:
    made = waiting("old", age=10.0)
    follow(made, "more")
    made.add(message("new", "bob"), TurnReason.QUEUED, 5.0)

    assert ["old"] == [heard.text for heard in made.take_too_old(10.5)]
    assert ["more", "new"] == taken(made)


# --- what is gathered -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("second", "at", "together"),
    [
        pytest.param(message("two"), 1.9, True, id="soon"),
        pytest.param(message("two"), 2.0, False, id="later"),
        pytest.param(message("two", "bob"), 1.0, False, id="somebody else"),
        pytest.param(message("two", command=True), 1.0, False, id="a command"),
        pytest.param(message("two", persona="Ren"), 1.0, True, id="to the same"),
        pytest.param(message("two", persona="Anon"), 1.0, False, id="to another"),
    ],
)
def test_what_belongs_together_is_gathered(second: IncomingMessage, at: float, *, together: bool) -> None:
    made = waiting(debounce=2.0)
    made.add(message("one", persona="Ren"), TurnReason.MESSAGE, 0.0)

    assert together == made.gather(second, at, is_idle=True)
    assert ["one+two" if together else "one"] == taken(made)


def test_it_ripens_so_long_after_the_last_word_and_at_last_in_any_case() -> None:
    made = waiting(debounce=2.0)
    made.add(message("0"), TurnReason.MESSAGE, 0.0)
    ripe = []
    for number in range(1, 10):
        made.gather(message(str(number)), number * 1.5, is_idle=True)
        ripe.append(made.ripe_at)

    assert [3.5, 5.0, 6.5, 8.0, 9.5, 10.0, 10.0, 10.0, 10.0] == ripe
    assert made.take_ripe(9.9) is None
    assert ["0+1+2+3+4+5+6"] == taken(made, 10.0)


def test_nothing_is_gathered_without_end() -> None:
    made = waiting(debounce=1000.0)
    made.add(message("0"), TurnReason.MESSAGE, 0.0)
    gathered = [made.gather(message(str(number)), 1.0, is_idle=True) for number in range(1, 60)]

    assert 49 == sum(gathered)
    assert 1.0 == made.ripe_at


def test_whom_it_is_for_may_be_said_later() -> None:
    made = waiting(debounce=2.0)
    made.add(message("hey"), TurnReason.MESSAGE, 0.0)
    made.gather(message("Ren?", persona="Ren"), 1.0, is_idle=True)
    entry = made.take_ripe(5.0)

    assert entry
    assert "Ren" == entry.persona


# --- what changes ------------------------------------------------------------------------------------


def test_a_message_that_is_deleted_is_taken_out() -> None:
    made = waiting("one", "two")

    assert ["one"] == [heard.text for heard in made.delete("one")]
    assert [] == made.delete("one")
    assert ["two"] == taken(made)


def test_a_burst_goes_on_without_what_was_deleted() -> None:
    made = waiting(debounce=2.0)
    made.add(message("one"), TurnReason.MESSAGE, 0.0)
    made.gather(message("two"), 0.0, is_idle=True)
    made.delete("two")

    assert made.gather(message("three"), 1.0, is_idle=True)
    assert ["one+three"] == taken(made)


def test_a_message_that_is_edited_says_what_it_says_now() -> None:
    made = waiting("one", "two")

    assert made.edit(replace(message("one"), text="1"))
    assert not made.edit(replace(message("one"), text="1"))
    assert not made.edit(message("three"))
    assert ["1", "two"] == taken(made)


def test_an_edit_may_say_whom_it_is_for() -> None:
    entry = QueuedTurn.of(message("one", persona="Ren"), TurnReason.MESSAGE, 0.0)
    edited = entry.edited(replace(message("one"), text="1"))
    readdressed = entry.edited(replace(message("one", persona="Anon"), text="1"))

    assert edited
    assert readdressed
    assert ("Ren", "Anon") == (edited.persona, readdressed.persona)


def test_what_a_turn_leaves_is_handed_to_its_successor() -> None:
    made = waiting("other")
    follow(made, "more", before=("one", "two"))
    made.put_first(replace(QueuedTurn.of(message("one"), TurnReason.EDITED, 0.0), succeeds="turn"))
    made.hand_over("turn", QueuedTurn.of(message("one"), TurnReason.MESSAGE, 0.0), receipts("owed"), receipts("said"))
    entries = [made.take_ripe(0.0) for _ in range(3)]

    assert [receipts("owed", "said"), receipts("owed"), ()] == [entry.supersedes for entry in entries if entry]


@pytest.mark.parametrize(
    ("said", "texts"),
    [
        pytest.param((), "one+more", id="nothing was said"),
        pytest.param(receipts("said"), "more", id="it had begun to speak"),
    ],
)
def test_what_was_not_answered_at_all_is_answered_with_what_follows(said: tuple[Receipt, ...], texts: str) -> None:
    made = waiting()
    follow(made, "more", before=("one",))
    made.hand_over("turn", QueuedTurn.of(message("one"), TurnReason.MESSAGE, 0.0), (), said)

    assert [texts] == taken(made)


def test_what_is_left_when_the_follow_up_is_deleted_is_answered_whatever_was_said() -> None:
    made = waiting()
    follow(made, "more", before=("one",))
    made.delete("more")
    made.hand_over("turn", QueuedTurn.of(message("one"), TurnReason.MESSAGE, 0.0), (), receipts("said"))

    assert ["one"] == taken(made)


# --- while others are answered ----------------------------------------------------------------------


def test_what_has_to_wait_for_others_anyway_is_gathered_however_late_it_comes() -> None:
    made = waiting(age=10.0)
    made.add(message("one"), TurnReason.QUEUED, 0.0)

    assert not made.gather(message("two"), 9.0, is_idle=True)
    assert made.gather(message("two"), 9.0, is_idle=False)
    assert [] == made.take_too_old(15.0), "who says something again still waits"
    assert not made.gather(message("three", "bob"), 9.0, is_idle=False)
    assert ["one+two"] == taken(made)


def test_what_was_said_before_others_is_not_gathered() -> None:
    made = waiting()
    made.add(message("one"), TurnReason.QUEUED, 0.0)
    made.add(message("two", "bob"), TurnReason.QUEUED, 0.0)

    assert not made.gather(message("three"), 1.0, is_idle=False)
