"""Which calls are the same, and what is remembered of them."""

from __future__ import annotations

from cadenza.tools.ledger import Ledger
from cadenza.types import ToolResult

DONE = ToolResult(("done",))


def test_the_key_of_a_call_depends_on_turn_tool_arguments_and_count() -> None:
    def key(turn: str = "t", tool: str = "send", text: str = "hi") -> str:
        return Ledger(turn).enter(tool, {"text": text})

    keys = [key(), key(turn="u"), key(tool="post"), key(text="ho")]

    assert key() == keys[0]
    assert len(set(keys)) == len(keys)


def test_the_same_call_again_is_another_one() -> None:
    ledger = Ledger("t")

    assert ledger.enter("roll", {}) != ledger.enter("roll", {})


def test_the_first_call_of_another_attempt_has_the_key_of_the_first() -> None:
    ledger = Ledger("t")
    first = [ledger.enter("roll", {}), ledger.enter("roll", {})]
    ledger.begin(1)

    assert first == [ledger.enter("roll", {}), ledger.enter("roll", {})]


def test_only_what_an_earlier_attempt_did_is_recalled() -> None:
    ledger = Ledger("t")
    key = ledger.enter("roll", {})
    ledger.note(key, DONE)

    assert ledger.recall(key) is None
    ledger.begin(1)
    assert DONE == ledger.recall(key)
    assert ledger.recall("another") is None
    ledger.begin(2)
    assert DONE == ledger.recall(key)


def test_of_two_at_once_the_one_that_was_done_is_recalled() -> None:
    ledger = Ledger("t")
    failed, done = ledger.enter("roll", {}), ledger.enter("roll", {})
    ledger.note(failed, ToolResult(("no",), is_error=True))
    ledger.note(done, DONE)
    ledger.begin(1)

    assert [done, failed] == [ledger.enter("roll", {}), ledger.enter("roll", {})]
    assert [DONE, None] == [ledger.recall(done), ledger.recall(failed)]


def test_counting_goes_on_within_an_attempt() -> None:
    ledger = Ledger("t")
    first = ledger.enter("roll", {})
    ledger.begin(0)

    assert first != ledger.enter("roll", {})
