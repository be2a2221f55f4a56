"""What goes wrong in a rehearsal: with which message, how often, and how."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from cadenza.errors import InputError
from cadenza.play.films.fault_names import AS_SOMEBODY, WHAT, RehearsalFault, What
from cadenza.sim.faults import Failing, Faults, Losing, Slowing

SEND = ("POST", "/channels/1/messages")


def struck(trouble: RehearsalFault, calls: int = 6) -> list[object]:
    """What becomes of so many messages."""
    faults = Faults()
    trouble.arrange(faults)
    return [verdict or seconds for seconds, verdict in (faults.strike(*SEND) for _ in range(calls))]


@pytest.mark.parametrize(
    ("what", "expected"),
    [
        pytest.param("rate_limit", Slowing(2.0, is_global=False, has_via=True), id="a rate limit"),
        pytest.param("refused", Failing(403, 50013, "403: simulated", None, None, is_carried_out=False), id="refused"),
        pytest.param("lost", Losing(is_carried_out=True), id="an answer is lost"),
        pytest.param("broken", Losing(is_carried_out=False), id="a connection breaks"),
        pytest.param("slow", 3.0, id="an answer takes long"),
        pytest.param("webhook_gone", 0.0, id="no call fails because a webhook is gone"),
    ],
)
def test_what_happens_to_messages(what: Any, expected: object) -> None:
    assert struck(RehearsalFault(what, times=2, at_message=3)) == [0.0, 0.0, expected, expected, 0.0, 0.0]


def test_unless_said_otherwise_it_is_the_first_message() -> None:
    assert struck(RehearsalFault("slow", seconds=7), 2) == [7.0, 0.0]


def test_a_webhook_has_its_own_messages() -> None:
    faults = Faults()
    RehearsalFault("slow").arrange(faults, AS_SOMEBODY)

    assert faults.strike(*SEND) == (0.0, None)
    assert faults.strike("POST", "/webhooks/1/token") == (3.0, None)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        pytest.param(RehearsalFault("webhook_gone"), [1], id="after the first"),
        pytest.param(RehearsalFault("webhook_gone", at_message=1), [1], id="before the first there is none"),
        pytest.param(RehearsalFault("webhook_gone", at_message=4, times=2), [3, 4], id="later, and again"),
        pytest.param(RehearsalFault("lost"), [], id="nothing else deletes it"),
    ],
)
def test_when_the_webhook_is_deleted(trouble: RehearsalFault, said: list[int]) -> None:
    assert [number for number in range(8) if trouble.deletes_webhook(number)] == said


@pytest.mark.parametrize(
    ("fields", "why"),
    [
        pytest.param({"what": "meteor"}, "'meteor' is not a known fault", id="unknown"),
        pytest.param(
            {"what": "disconnect"}, "'disconnect' is not a known fault; .* slow, broken, webhook_gone$", id="no gateway"
        ),
        pytest.param({"what": "slow", "times": 0}, "at least once", id="never"),
        pytest.param({"what": "slow", "at_message": -1}, "from message 1 on", id="before the first"),
        pytest.param({"what": "slow", "seconds": 1e9}, "at most an hour", id="for ever"),
        pytest.param({"what": "slow", "seconds": float("nan")}, "at most an hour", id="no time"),
    ],
)
def test_what_cannot_be_is_refused(fields: dict[str, Any], why: str) -> None:
    with pytest.raises(InputError, match=why):
        RehearsalFault(**fields)


def test_everything_has_a_name() -> None:
    assert WHAT == ("rate_limit", "refused", "lost", "slow", "broken", "webhook_gone")
    assert get_args(What) == (*WHAT, "disconnect")
