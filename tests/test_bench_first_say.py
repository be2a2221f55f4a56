"""The benchmark of the first reply of a process."""

from __future__ import annotations

import pytest

from first_say import measured


@pytest.mark.timeout(120)
def test_a_round_is_a_process_of_its_own() -> None:
    [found] = measured(1)

    assert 0 < found < 10_000
