"""The log: text or JSON, no secrets, no tracebacks unless they are asked for, and a level that can change."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cadenza.bot.config.config import LogConfig
from cadenza.bot.services.logs import LEVELS, redacted, set_up, take_down
from cadenza.errors import SettingsError

TOKEN = "MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GabcDE.abcdefghijklmnopqrstuvwxyz0123456789AB"  # noqa: S105  # made up
LOGGERS = ("cadenza", "discord", "aiohttp", "asyncio", "mcp", "httpx", "PIL", "cadenza.tools.mcp.transports")


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    """Put the levels back that a set-up changes."""
    loggers = [logging.getLogger(), *map(logging.getLogger, LOGGERS)]
    before = [logger.level for logger in loggers]
    yield
    take_down()
    for logger, level in zip(loggers, before, strict=True):
        logger.setLevel(level)


class Terminal(io.StringIO):
    """Somewhere with colours."""

    def isatty(self) -> bool:
        return True


def _failed(logger: logging.Logger, text: str) -> None:
    try:
        raise ValueError(text)  # noqa: TRY301  # it is here to be caught
    except ValueError:
        logger.exception("it did not work")


def test_a_line_of_text_says_when_how_serious_where_and_what() -> None:
    out = io.StringIO()
    set_up(LogConfig(), stream=out)

    logging.getLogger("cadenza.bot.app").info("a turn ended", extra={"turn": "12", "channel": "34", "server": ""})

    date, clock, level, *rest = out.getvalue().split()
    assert ("info", "bot.app: a turn ended turn=12 channel=34") == (level, " ".join(rest))
    assert (10, 8) == (len(date), len(clock))


def test_a_line_of_json_has_the_same_in_fields() -> None:
    out = io.StringIO()
    set_up(LogConfig(format="json"), stream=out)

    logging.getLogger("cadenza.bot.app").warning("töricht\nand long", extra={"turn": "12"})

    line = json.loads(out.getvalue())
    stamp = line.pop("ts")
    assert {"level": "warning", "logger": "cadenza.bot.app", "message": "töricht\nand long", "turn": "12"} == line
    assert stamp.endswith("+00:00")
    assert 1 == out.getvalue().count("\n")


@pytest.mark.parametrize(("stream", "coloured"), [(io.StringIO(), False), (Terminal(), True)], ids=["file", "terminal"])
def test_only_a_terminal_has_colours(stream: io.StringIO, *, coloured: bool) -> None:
    set_up(LogConfig(), stream=stream)

    logging.getLogger("cadenza").error("oh")

    assert coloured is ("\x1b[" in stream.getvalue())


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("level", ["info", "debug"])
def test_a_known_secret_is_nowhere(form: str, level: str) -> None:
    out = io.StringIO()
    set_up(LogConfig(level, form), stream=out, secrets=["plain-and-simple", ""])
    logger = logging.getLogger("cadenza.x")

    logger.warning("the key is %s", "plain-and-simple")
    _failed(logger, "plain-and-simple")

    assert "plain-and-simple" not in out.getvalue()
    assert "***" in out.getvalue()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"token {TOKEN} is wrong", "token *** is wrong"),
        ("POST /webhooks/123/aBc-dEf_123?wait=true", "POST /webhooks/123/***?wait=true"),
        ("POST https://discord.com/api/v10/interactions/1/tok/callback", "POST https://discord.com/api/v10/interactions/1/***/callback"),
        ("sk-abcdefghijklmnop", "***"),
        ("GET /channels/123/messages", "GET /channels/123/messages"),
        ("version 2.7.1 of discord.py", "version 2.7.1 of discord.py"),
    ],
    ids=["bot token", "webhook", "interaction", "key", "channel", "version"],
)  # fmt: skip
def test_what_looks_like_a_secret_is_blacked_out(text: str, expected: str) -> None:
    assert expected == redacted(text)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.text(alphabet="abcXYZ019-_", min_size=8))
def test_a_secret_is_blacked_out_wherever_it_stands(text: str, secret: str) -> None:
    assert secret not in redacted(f"{text}{secret}{text}", [secret]).replace("***", " ")


def test_an_exception_is_one_line_with_its_type_and_without_its_text() -> None:
    out = io.StringIO()
    set_up(LogConfig(), stream=out)

    _failed(logging.getLogger("discord.client"), "Mia said hello")

    assert 1 == out.getvalue().count("\n")
    assert out.getvalue().endswith("discord.client: it did not work (ValueError)\n")


def test_nobody_begins_a_line_of_their_own_or_moves_the_cursor() -> None:
    out = io.StringIO()
    set_up(LogConfig(), stream=out)
    logging.getLogger("cadenza").warning("they said: %s", "a\r\nb\x1b[2Jc\u2028d\x9be\x85")

    assert out.getvalue().endswith("they said: a b [2Jc d e \n")


def test_at_debug_there_is_a_traceback() -> None:
    out = io.StringIO()
    set_up(LogConfig("debug"), stream=out)

    _failed(logging.getLogger("cadenza.x"), "why")

    assert "Traceback (most recent call last)" in out.getvalue()


@pytest.mark.parametrize(
    ("level", "expected"),
    [("debug", ["ours"]), ("info", ["ours"]), ("warning", []), ("error", [])],
    ids=str,
)
def test_libraries_are_only_heard_when_they_warn(level: str, expected: list[str]) -> None:
    out = io.StringIO()
    set_up(LogConfig(level), stream=out)

    logging.getLogger("cadenza.x").info("ours")
    logging.getLogger("discord.gateway").info("theirs")
    logging.getLogger("somebody.else").info("theirs")

    assert expected == [line.split(": ")[1] for line in out.getvalue().splitlines()]


def test_what_servers_of_tools_write_is_only_told_at_debug() -> None:
    out = io.StringIO()
    set_up(LogConfig("info"), stream=out)
    logging.getLogger("cadenza.tools.mcp.transports").info("asked for: what Mia said")
    before = out.getvalue()

    set_up(LogConfig("debug"))
    logging.getLogger("cadenza.tools.mcp.transports").info("asked")

    assert ("", True) == (before, out.getvalue().endswith("asked\n"))


def test_a_new_configuration_holds_at_once_and_keeps_stream_and_secrets() -> None:
    out = io.StringIO()
    set_up(LogConfig("warning"), stream=out, secrets=["very-secret"])
    logger = logging.getLogger("cadenza.x")
    logger.info("unheard")

    set_up(LogConfig("info", "json"))
    logger.info("heard very-secret")

    assert "heard ***" == json.loads(out.getvalue())["message"]


@pytest.mark.parametrize(
    ("config", "expected"),
    [(LogConfig("loud"), f"log.level is 'loud'; it can be {', '.join(LEVELS)}"), (LogConfig(format="xml"), "log.format is 'xml'; it can be text or json")],
    ids=["level", "format"],
)  # fmt: skip
def test_what_cannot_be_is_said_in_a_sentence(config: LogConfig, expected: str) -> None:
    with pytest.raises(SettingsError) as caught:
        set_up(config)

    assert expected == str(caught.value)


def test_a_record_with_values_that_do_not_fit_is_still_a_line() -> None:
    out = io.StringIO()
    set_up(LogConfig(), stream=out)

    record = logging.LogRecord("cadenza.x", logging.WARNING, "", 0, "%d apples", ("no",), None)
    logging.getLogger().handlers[-1].handle(record)

    assert out.getvalue().endswith("x: %d apples (its values cannot be shown: TypeError)\n")


def test_a_stream_that_is_closed_disturbs_nobody(capsys: pytest.CaptureFixture[str]) -> None:
    out = io.StringIO()
    set_up(LogConfig(), stream=out)
    out.close()

    logging.getLogger("cadenza.x").warning("lost")

    assert ("", "") == tuple(capsys.readouterr())


def test_what_discord_py_says_of_voice_at_every_start_is_left_out() -> None:
    out = io.StringIO()
    set_up(LogConfig(), stream=out)

    logging.getLogger("discord.client").warning("%s is not installed, voice will NOT be supported", "PyNaCl")

    assert not out.getvalue()


def test_taken_down_it_leaves_the_levels_as_they_were_at_first() -> None:
    set_up(LogConfig("error"), stream=io.StringIO())

    take_down()

    assert logging.WARNING == logging.getLogger().level
    assert {logging.NOTSET} == {logging.getLogger(name).level for name in LOGGERS}
