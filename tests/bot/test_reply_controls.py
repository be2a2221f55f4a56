"""What people can do about a reply: the bot offers what the commands ask for."""

from __future__ import annotations

import inspect

import pytest

from cadenza.bot.app import CadenzaBot
from cadenza.bot.reply_controls import Asker, Control

OFFERED = [name for name, _ in inspect.getmembers(Control, inspect.isfunction) if not name.startswith("_")]


@pytest.mark.parametrize("name", OFFERED)
def test_the_bot_offers_what_is_promised(name: str) -> None:
    wanted = inspect.signature(getattr(Control, name)).parameters
    offered = inspect.signature(getattr(CadenzaBot, name)).parameters

    assert [(one.name, one.kind) for one in wanted.values()] == [(one.name, one.kind) for one in offered.values()]


def test_nobody_may_manage_messages_unless_it_is_said() -> None:
    assert not Asker("1").may_manage
