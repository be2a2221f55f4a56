"""What a client knows of the limits."""

from __future__ import annotations

import pytest

from cadenza.sim.client_limits import BucketMeter
from cadenza.targets.discord.api import Bucket


def headers(left: int, seconds: float) -> dict[str, str]:
    return {
        "X-RateLimit-Limit": "5",
        "X-RateLimit-Remaining": str(left),
        "X-RateLimit-Reset-After": f"{seconds:.3f}",
    }


def test_of_a_bucket_nothing_is_known_before_it_was_told() -> None:
    meter = BucketMeter()
    meter.read({"Via": "1.1 google"}, 0.0)

    assert meter.bucket(0.0) is None
    assert meter.wait(0.0) == 0.0


@pytest.mark.parametrize(
    ("now", "expected", "wait"),
    [
        (10.0, Bucket(5, 0, 4.0), 4.0),
        (13.0, Bucket(5, 0, 1.0), 1.0),
        (13.999_999, Bucket(5, 5, 0.0), 0.0),
        (14.0, Bucket(5, 5, 0.0), 0.0),
        (99.0, Bucket(5, 5, 0.0), 0.0),
    ],
)
def test_one_that_is_used_up_is_waited_for_until_it_is_whole_again(now: float, expected: Bucket, wait: float) -> None:
    meter = BucketMeter()
    meter.read(headers(0, 4.0), 10.0)

    assert (expected, wait) == (meter.bucket(now), meter.wait(now))


def test_while_something_is_left_nobody_waits() -> None:
    meter = BucketMeter()
    meter.read(headers(1, 4.0), 10.0)

    assert (Bucket(5, 1, 3.0), 0.0) == (meter.bucket(11.0), meter.wait(11.0))


def test_an_answer_that_tells_nothing_changes_nothing() -> None:
    meter = BucketMeter()
    meter.read(headers(2, 4.0), 10.0)
    meter.read({"X-RateLimit-Global": "true"}, 11.0)

    assert Bucket(5, 2, 3.0) == meter.bucket(11.0)
