"""How often the simulated Discord may be asked."""

from __future__ import annotations

from collections.abc import Iterable

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.rate_limits import Denial, Quota, Rate, RateLimits, Scope, Taken, round_up

SAY = "POST", "/channels/1/messages"
NOON = 1_800_000_000.0


def take(limits: RateLimits, now: float, *, path: str = SAY[1], method: str = SAY[0], who: str = "bot") -> Taken:
    return limits.take(method, path, who=who, now=NOON + now)


def denials(taken: Iterable[Taken]) -> list[Denial | None]:
    return [each.denial for each in taken]


# --- buckets -------------------------------------------------------------------------------------------------


def test_five_messages_in_five_seconds_are_taken_and_the_sixth_is_told_when() -> None:
    limits = RateLimits()

    answers = [take(limits, moment) for moment in (0.0, 1.0, 1.0, 1.0, 2.0, 2.0)]

    assert [None] * 5 + [Denial(3.0, Scope.USER)] == denials(answers)


def test_headers_count_down_and_a_window_begins_with_its_first_request() -> None:
    limits = RateLimits()

    answers = [take(limits, moment).headers for moment in (0.0, 1.25, 5.0, 9.0)]

    assert [
        ("5", "4", "5.000", "1800000005.000"),
        ("5", "3", "3.750", "1800000005.000"),
        ("5", "4", "5.000", "1800000010.000"),
        ("5", "3", "1.000", "1800000010.000"),
    ] == [
        tuple(headers[f"X-RateLimit-{name}"] for name in ("Limit", "Remaining", "Reset-After", "Reset"))
        for headers in answers
    ]


def test_a_bucket_is_of_a_kind_of_request_a_channel_and_a_bot() -> None:
    limits = RateLimits(Quota("POST /channels/*/messages", 1, 5.0))
    take(limits, 0.0)

    others = [
        take(limits, 0.0, path="/channels/2/messages"),
        take(limits, 0.0, path="/channels/1/typing"),
        take(limits, 0.0, method="GET"),
        take(limits, 0.0, who="other bot"),
    ]

    assert [None] * 4 == denials(others)
    assert take(limits, 0.0).denial is not None


def test_the_name_of_a_bucket_is_the_same_for_all_channels_and_differs_between_kinds() -> None:
    limits = RateLimits()
    name = "X-RateLimit-Bucket"

    here, there, typing = (
        take(limits, 0.0, path=path).headers[name]
        for path in ("/channels/1/messages", "/channels/2/messages", "/channels/1/typing")
    )

    assert here == there
    assert here != typing


def test_a_webhook_is_known_by_its_id_and_token() -> None:
    limits = RateLimits(Quota("POST /webhooks/*/*", 1, 2.0))

    answers = [take(limits, 0.0, path=f"/webhooks/{path}") for path in ("1/a", "1/b", "2/a", "1/a")]

    assert [None, None, None, Denial(2.0, Scope.USER)] == denials(answers)


def test_what_is_not_limited_says_nothing() -> None:
    assert Taken() == take(RateLimits(), 0.0, method="GET", path="/users/@me")


def test_a_picture_of_a_webhook_may_change_twice_a_minute() -> None:
    limits = RateLimits()

    answers = [take(limits, moment, method="PATCH", path="/webhooks/1/a") for moment in (0.0, 1.0, 2.0, 60.0)]

    assert [None, None, Denial(58.0, Scope.USER), None] == denials(answers)


def test_ones_own_quotas_go_before_those_that_are_known() -> None:
    limits = RateLimits(Quota("POST /channels/1/messages", 1, 9.0))

    answers = [take(limits, 0.0), take(limits, 0.0), take(limits, 0.0, path="/channels/2/messages")]

    assert [None, Denial(9.0, Scope.USER), None] == denials(answers)


MOMENTS = st.lists(st.integers(0, 16).map(lambda eighths: eighths / 8), max_size=40)
"""How long after the one before each request comes."""


@given(MOMENTS, st.integers(1, 6), st.integers(1, 40).map(lambda eighths: eighths / 8))
def test_no_window_ever_takes_more_than_its_limit_and_none_is_refused_without_need(
    gaps: list[float], limit: int, seconds: float
) -> None:
    """Against a model that remembers every request and knows no state but that."""
    limits = RateLimits(Quota("POST /channels/*/messages", limit, seconds), overall=None)
    taken: list[float] = []
    now = 0.0
    for gap in gaps:
        now += gap
        begins = float("-inf")
        for moment in taken:  # whoever comes when a window is over opens the next
            begins = moment if moment >= begins + seconds else begins
        window = [moment for moment in taken if begins <= moment and now < begins + seconds]
        answer = take(limits, now)
        if len(window) < limit:
            assert answer.denial is None
            taken.append(now)
        else:
            assert Denial(begins + seconds - now, Scope.USER) == answer.denial
            assert answer.headers["X-RateLimit-Remaining"] == "0"


@given(MOMENTS, st.integers(1, 6), st.integers(1, 40).map(lambda eighths: eighths / 8))
def test_who_waits_as_long_as_they_are_told_is_taken(gaps: list[float], limit: int, seconds: float) -> None:
    limits = RateLimits(Quota("POST /channels/*/messages", limit, seconds), overall=None)
    now = 0.0
    for gap in gaps:
        now += gap
        answer = take(limits, now)
        if answer.denial:
            now += round_up(answer.denial.retry_after)
            assert take(limits, now).denial is None


def test_a_thousandth_is_rounded_up_unless_it_is_only_the_clock() -> None:
    assert [1.0, 1.001, 1.001, 1.0] == [round_up(seconds) for seconds in (1.0, 1.0001, 1.001, 1.000_000_2)]


# --- over everything -----------------------------------------------------------------------------------------


def test_fifty_requests_a_second_are_taken_of_a_bot_whatever_they_are() -> None:
    limits = RateLimits()

    answers = [take(limits, 0.5, path=f"/channels/{number}/messages") for number in range(51)]

    assert [None] * 50 + [Denial(1.0, Scope.GLOBAL)] == denials(answers)
    assert {"X-RateLimit-Global": "true"} == answers[-1].headers
    assert take(limits, 0.5, who="other").denial is None
    assert take(limits, 1.5).denial is None


def test_what_the_limit_over_everything_refuses_uses_up_no_bucket() -> None:
    limits = RateLimits(overall=Rate(1, 1.0))

    take(limits, 0.0)
    take(limits, 0.0)

    assert take(limits, 1.0).headers["X-RateLimit-Remaining"] == "3"


def test_an_answer_to_an_interaction_is_exempt() -> None:
    limits = RateLimits(overall=Rate(1, 1.0))
    take(limits, 0.0)

    answer = limits.take("POST", "/interactions/1/a/callback", who="bot", now=NOON, is_exempt=True)

    assert answer.denial is None


def test_the_webhooks_of_a_channel_share_a_limit_of_which_no_header_tells() -> None:
    limits = RateLimits(Quota("POST /webhooks/*/*", 5, 2.0), webhook_channel=Rate(3, 60.0))

    def speak(webhook: int, channel: str) -> Taken:
        return limits.take("POST", f"/webhooks/{webhook}/a", who="", now=NOON, webhook_channel=channel)

    answers = [speak(number, "here") for number in range(4)]

    assert [None, None, None, Denial(60.0, Scope.SHARED)] == denials(answers)
    assert answers[-1].headers["X-RateLimit-Remaining"] == "4"
    assert speak(3, "there").denial is None


def test_without_limits_everything_is_taken() -> None:
    limits = RateLimits.off()

    answers = [limits.take("POST", "/webhooks/1/a", who="bot", now=NOON, webhook_channel="here") for _ in range(200)]
    for _ in range(20_000):
        limits.note(403, None, NOON)

    assert [Taken()] * 200 == answers
    assert limits.ban_left(NOON) == 0.0


# --- bans ----------------------------------------------------------------------------------------------------


def test_whoever_is_refused_too_often_is_banned_for_a_while() -> None:
    limits = RateLimits(invalid=Rate(3, 600.0), ban=100.0)

    for status in (401, 403, 429):
        assert limits.ban_left(NOON) == 0.0
        limits.note(status, None, NOON)

    assert [100.0, 1.0, 0.0, 0.0] == [limits.ban_left(NOON + later) for later in (0.0, 99.0, 100.0, 101.0)]


@pytest.mark.parametrize(
    ("status", "scope"),
    [(200, None), (204, None), (404, None), (400, None), (500, None), (429, Scope.SHARED)],
    ids=str,
)
def test_what_is_no_invalid_request_leads_to_no_ban(status: int, scope: Scope | None) -> None:
    limits = RateLimits(invalid=Rate(1, 600.0))

    limits.note(status, scope, NOON)

    assert limits.ban_left(NOON) == 0.0


def test_refusals_of_long_ago_are_forgiven() -> None:
    limits = RateLimits(invalid=Rate(2, 600.0))

    for moment in (0.0, 600.0, 1200.0):
        limits.note(403, None, NOON + moment)

    assert limits.ban_left(NOON + 1200.0) == 0.0


def test_windows_that_are_over_are_swept_out() -> None:
    limits = RateLimits(overall=None)

    for number in range(10_000):
        take(limits, number * 1.0, path=f"/channels/{number}/messages")

    assert len(limits._windows._windows) <= 4096
