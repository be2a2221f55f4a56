"""What waits at the desk of a bot."""

from __future__ import annotations

from typing import Any

import pytest

from cadenza.bot.reply_request import ReplyRequest, key_of, message_of, request_of
from cadenza.turns import IncomingMessage


@pytest.mark.parametrize(
    ("persona", "is_first", "key"),
    [pytest.param("Ren", True, "7", id="the first"), pytest.param("Kira #2", False, "7#Kira #2", id="another")],
)
def test_a_message_that_several_answer_waits_under_several_keys(persona: str, key: str, *, is_first: bool) -> None:
    assert key == key_of("7", persona, is_first=is_first)
    assert "7" == message_of(key)


def test_a_request_comes_back_as_it_went_in() -> None:
    message: Any = object()
    request = ReplyRequest(message, "1")

    assert request is request_of(IncomingMessage("7", "2", "1", "hi", payload=request))


def test_nothing_else_waits_there() -> None:
    with pytest.raises(TypeError, match="only requests"):
        request_of(IncomingMessage("7", "2", "1", "hi"))
