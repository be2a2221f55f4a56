"""Where something is said, and whether it stays there."""

from __future__ import annotations

import pytest

from cadenza.bot.memory.location import Location
from tests.bot.memory.remembering import DIRECT, PUBLIC, SECRET_ROOM


@pytest.mark.parametrize(
    ("where", "expected"),
    [(PUBLIC, (False, False)), (SECRET_ROOM, (False, True)), (DIRECT, (True, True))],
    ids=["public", "private", "direct"],
)
def test_what_is_said_in_seclusion_stays_there(where: Location, expected: tuple[bool, bool]) -> None:
    assert expected == (where.is_direct, where.is_secluded)
