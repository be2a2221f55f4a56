from __future__ import annotations

import pytest

from cadenza.models.guards.backticks import Backticks
from tests.helpers import same_every_way


def state(text: str) -> tuple[bool, bool]:
    """Whether code follows *text*, and whether it has just opened."""

    def run(pieces: list[str]) -> tuple[bool, bool]:
        backticks = Backticks()
        for piece in pieces:
            backticks.note(piece)
        return backticks.is_code, backticks.has_just_opened

    return same_every_way(text, run)


@pytest.mark.parametrize(
    ("text", "is_code", "has_just_opened"),
    [
        pytest.param("", False, False, id="nothing"),
        pytest.param("a", False, False, id="prose"),
        pytest.param("a `", True, True, id="opened"),
        pytest.param("a `b", True, False, id="within"),
        pytest.param("a `b`", False, False, id="closed"),
        pytest.param("a `b\nc", False, False, id="a line ends it"),
        pytest.param("a `\n", False, False, id="a line end right behind it"),
        pytest.param("``a`b", True, False, id="a lone backtick within two"),
        pytest.param("``a`b``", False, False, id="two and two"),
        pytest.param("```\na\nb", True, False, id="a block has lines"),
        pytest.param("```\na\n```", False, False, id="a closed block"),
        pytest.param("```\na\n```\nb `", True, True, id="behind a block"),
        pytest.param("````\n```\n", True, False, id="a longer fence"),
        pytest.param("```\n`x`", True, True, id="backticks within a block"),
    ],
)
def test_code_is_followed(text: str, is_code: bool, has_just_opened: bool) -> None:  # noqa: FBT001  # cases of a table
    assert (is_code, has_just_opened) == state(text)
