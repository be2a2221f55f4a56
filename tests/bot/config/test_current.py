"""The configuration of the moment."""

from __future__ import annotations

import pytest

from cadenza.bot.config.config import Config
from cadenza.bot.config.current import Current


def test_listeners_are_told_of_both_and_one_that_fails_holds_nobody_up(caplog: pytest.LogCaptureFixture) -> None:
    current, heard = Current(Config()), list[tuple[str, str]]()
    current.listen(lambda *_: {}["nobody"])  # it fails, as it should
    current.listen(lambda old, new: heard.append((old.language, new.language)))

    current.change(Config(language="ja"))

    assert ([("en", "ja")], "ja") == (heard, current.now.language)
    assert ["a part of the bot did not take the new configuration (KeyError)"] == caplog.messages
