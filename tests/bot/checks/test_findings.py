"""Whatever a check does, it ends in sentences and in time."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest

from cadenza.bot.checks.findings import DoctorContext, Finding, Severity, bad, good, in_time, warning
from cadenza.bot.config.config import Config
from cadenza.errors import SettingsError
from tests.timing import now

pytestmark = pytest.mark.looptime


@pytest.mark.parametrize(
    ("error", "text"),
    [
        (SettingsError("say it better"), "say it better"),
        (RuntimeError("hunter2"), "the check failed (RuntimeError)"),
        (asyncio.CancelledError("hunter2"), "the check failed (CancelledError)"),
        (TimeoutError(), "there was no answer within 5 seconds; check the network, or try again"),
    ],
    ids=["ours", "foreign", "a cancellation of its own", "time"],
)
async def test_what_goes_wrong_is_a_sentence(error: BaseException, text: str) -> None:
    async def look() -> Sequence[Finding]:
        raise error

    assert [bad("tea", text)] == await in_time("tea", look, 5)


async def test_what_takes_too_long_is_a_sentence() -> None:
    async def look() -> Sequence[Finding]:
        await asyncio.sleep(1000)
        return []

    (found,) = await in_time("tea", look, 5)

    assert (Severity.BAD, 5) == (found.level, now())


async def test_our_own_cancellation_goes_on() -> None:
    async def look() -> Sequence[Finding]:
        await asyncio.sleep(1000)
        return []

    task = asyncio.create_task(in_time("tea", look, 500))
    await asyncio.sleep(1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


def test_levels_have_their_marks() -> None:
    assert "✓!✗" == "".join(make("a", "b").level.value for make in (good, warning, bad))


def test_a_patient_does_not_show_its_secrets() -> None:
    subject = DoctorContext(Config(), {"DISCORD_TOKEN": "hunter2"}, "https://discord.example")

    assert "hunter2" == subject.token
    assert "hunter2" not in repr(subject)
