from __future__ import annotations

from collections.abc import Callable, Iterable

import pytest

from cadenza.stages.stage import Pipe, skipped
from cadenza.types import Aside, AsideKind, Ending, Halt, StopReason

ASIDE = Aside(AsideKind.THOUGHT, "hm")
HALT = Halt(StopReason.SPEAKER_GUARD)


class Each:
    """A stage made of a function, which remembers what it was given."""

    def __init__(self, change: Callable[[str], Iterable[object]], last: Iterable[object] = ()) -> None:
        self._change = change
        self._last = last
        self.seen: list[object] = []

    def feed(self, item: str, /) -> Iterable[object]:
        self.seen.append(item)
        return self._change(item)

    def flush(self, why: Ending, /) -> Iterable[object]:
        self.seen.append(why)
        return self._last


def shout(item: str) -> list[str]:
    return [item.upper()]


def twice(item: str) -> list[str]:
    return [item, item]


def test_what_one_stage_gives_the_next_one_gets() -> None:
    assert Pipe(Each(shout), Each(twice)).feed("ab") == ["AB", "AB"]


def test_an_empty_pipe_changes_nothing() -> None:
    assert Pipe().feed("a") == ["a"]
    assert Pipe().flush(Ending.FINAL) == []


def test_a_pipe_is_a_stage_itself() -> None:
    assert Pipe(Pipe(Each(shout)), Pipe(Pipe(Each(twice)))).feed("a") == ["A", "A"]


def test_what_is_let_go_at_the_end_passes_the_stages_behind() -> None:
    pipe = Pipe(Each(shout, ["first"]), Each(shout, ["second"]))

    assert pipe.flush(Ending.FINAL) == ["FIRST", "second"]


def test_every_stage_is_told_why_it_ends_after_what_came_before() -> None:
    first, second = Each(shout, ["x"]), Each(shout)

    Pipe(first, second).flush(Ending.STOP)

    assert (first.seen, second.seen) == ([Ending.STOP], ["x", Ending.STOP])


def test_a_stage_may_give_nothing() -> None:
    behind = Each(shout)

    assert Pipe(Each(lambda _: []), behind).feed("a") == []
    assert behind.seen == []


def test_an_aside_passes_by_in_its_place() -> None:
    behind = Each(shout)

    assert Pipe(Each(lambda _: ["a", ASIDE, "b"]), behind).feed("x") == ["A", ASIDE, "B"]
    assert behind.seen == ["a", "b"]


def test_an_aside_that_is_let_go_at_the_end_passes_by_too() -> None:
    assert Pipe(Each(shout, [ASIDE]), Each(shout)).flush(Ending.FINAL) == [ASIDE]


def test_a_halt_ends_everything() -> None:
    behind = Each(shout)
    pipe = Pipe(Each(lambda item: [item, HALT, "never"]), behind)

    assert pipe.feed("a") == ["A", HALT]
    assert pipe.feed("b") == []
    assert pipe.flush(Ending.FINAL) == []
    assert behind.seen == ["a", Ending.FINAL]


def test_before_a_halt_the_stages_behind_let_go_of_what_they_hold() -> None:
    before, second, third = Each(shout, ["not asked"]), Each(shout, ["second"]), Each(shout, ["third"])
    pipe = Pipe(before, Each(lambda item: [item, HALT]), second, third)

    assert ["A", "SECOND", "third", HALT] == pipe.feed("a")
    assert (["a"], ["A", Ending.FINAL]) == (before.seen, second.seen)
    assert ["A", "second", Ending.FINAL] == third.seen


def test_a_halt_at_the_end_lets_the_stages_behind_let_go_once() -> None:
    behind = Each(shout, ["held"])

    assert ["LAST", "held", HALT] == Pipe(Each(shout, ["last", HALT, "never"]), behind).flush(Ending.TOOL_CALL)
    assert ["last", Ending.FINAL] == behind.seen


def test_the_first_halt_counts() -> None:
    """What is let go before a halt may itself end the reply."""
    limit = Halt(StopReason.MESSAGE_LIMIT)

    assert ["A", limit] == Pipe(Each(lambda item: [item, HALT]), Each(shout, [limit, "never"])).feed("a")


def test_a_halt_of_an_inner_pipe_ends_the_outer_one() -> None:
    inner = Pipe(Each(lambda item: [item, HALT] if item == "stop" else [item]))
    pipe = Pipe(inner, Each(shout))

    assert (pipe.feed("a"), pipe.feed("stop"), pipe.feed("b")) == (["A"], ["STOP", HALT], [])


def test_an_aside_after_a_halt_does_not_come_out() -> None:
    assert Pipe(Each(lambda _: [HALT, ASIDE])).feed("a") == [HALT]


class Counting:
    def __init__(self, skipped: object) -> None:
        self.skipped = skipped

    def feed(self, item: str, /) -> list[str]:
        return [item]

    def flush(self, why: Ending, /) -> list[str]:  # noqa: ARG002  # nothing is held
        return []


def test_a_row_has_skipped_what_its_stages_have() -> None:
    assert 5 == skipped(Pipe(Counting(2), Pipe(), Pipe(Counting(3))))


@pytest.mark.parametrize("stage", [Pipe(), object(), Counting("many"), None])
def test_who_does_not_count_has_skipped_nothing(stage: object) -> None:
    assert 0 == skipped(stage)


# --- stages that fail ---------------------------------------------------------------------------


def picky(item: str) -> list[str]:
    if item == "bad":
        raise ValueError(item)
    return [item]


class BadEnd(Each):
    """Fails when nothing more comes."""

    def flush(self, why: Ending, /) -> Iterable[object]:
        raise KeyError(why)


def test_what_had_passed_a_stage_before_it_failed_is_given_back_by_the_next_flush() -> None:
    third = Each(shout, ["held"])
    pipe = Pipe(Each(lambda _: ["a", "b", "bad", "c"]), Each(picky), third)

    with pytest.raises(ValueError, match="bad"):
        pipe.feed("x")

    assert ["A", "B", "held"] == pipe.flush(Ending.FINAL)
    assert [] == pipe.flush(Ending.FINAL)
    assert [] == pipe.feed("x")
    assert ["a", "b", Ending.FINAL] == third.seen


def test_the_first_stage_may_fail_too() -> None:
    pipe = Pipe(Each(picky), Each(shout, ["held"]))
    pipe.feed("good")

    with pytest.raises(ValueError, match="bad"):
        pipe.feed("bad")

    assert ["held"] == pipe.flush(Ending.FINAL)


def test_what_was_let_go_before_a_stage_failed_at_the_end_is_given_back_too() -> None:
    pipe = Pipe(Each(shout, ["first"]), BadEnd(shout), Each(shout, ["third"]))

    with pytest.raises(KeyError):
        pipe.flush(Ending.TOOL_CALL)

    assert ["FIRST", "third"] == pipe.flush(Ending.TOOL_CALL)


def test_if_two_stages_fail_what_had_passed_both_is_given_back() -> None:
    pipe = Pipe(
        Each(lambda _: ["a", "b", "bad"]), Each(picky), Each(lambda item: picky("bad" if item == "b" else item))
    )

    with pytest.raises(ValueError, match="bad"):
        pipe.feed("x")

    assert ["a"] == pipe.flush(Ending.FINAL)


def test_asides_pass_a_stage_that_fails_behind_them() -> None:
    pipe = Pipe(Each(lambda _: [ASIDE, "bad"]), Each(picky))

    with pytest.raises(ValueError, match="bad"):
        pipe.feed("x")

    assert [ASIDE] == pipe.flush(Ending.FINAL)


# --- what is not wanted any more ------------------------------------------------------------------


def test_of_what_is_discarded_only_asides_are_left_and_no_stage_sees_it() -> None:
    second = Each(shout, ["two"])
    pipe = Pipe(Each(shout, ["one", ASIDE]), BadEnd(shout), second)

    assert [ASIDE] == pipe.discard()
    assert [Ending.DISCARD] == second.seen
    assert ([], []) == (pipe.feed("x"), pipe.flush(Ending.FINAL))


def test_after_a_halt_there_is_nothing_to_discard() -> None:
    pipe = Pipe(Each(lambda _: [HALT], [ASIDE]))
    pipe.feed("x")

    assert [] == pipe.discard()
