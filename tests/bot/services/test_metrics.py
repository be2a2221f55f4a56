"""Metrics: each value follows from what happened, and all state is bounded."""

from __future__ import annotations

import json
import logging
import subprocess
import sys

import pytest

from cadenza.bot.services import metrics as module
from cadenza.bot.services.metrics import Metrics
from cadenza.errors import DeliveryError, DeliveryKind, ErrorKind, ProviderError
from cadenza.explain.recorder import Trace
from cadenza.facts import (
    AttemptBegan,
    MessageDeleted,
    MessageLeftOut,
    MessagePlanned,
    MessageRefused,
    QueueRestored,
    RequestSent,
    StopAsked,
)
from cadenza.replies.reply import say
from cadenza.settings import Settings
from cadenza.targets.memory import MemoryTarget
from cadenza.types import (
    Broke,
    Completed,
    Empty,
    Outcome,
    Reply,
    Stalled,
    Stopped,
    StopReason,
    ToolCall,
    ToolResult,
    ToolUse,
    Usage,
)
from tests.bot.some_facts import logged


def traced(metrics: Metrics) -> Trace:
    """A trace whose facts are counted."""
    return Trace(metrics.hear, clock=lambda: 0.0)


def figure(metrics: Metrics, name: str) -> float | None:
    """The value of *name* with its labels."""
    for line in metrics.rendered().decode().splitlines():
        if line.startswith(f"cadenza_{name} "):
            return float(line.rpartition(" ")[2])
    return None


@pytest.mark.parametrize(
    ("outcome", "labels"),
    [
        (Completed("whatever a model says"), 'outcome="completed",reason=""'),
        (Stopped(StopReason.USER), 'outcome="stopped",reason="user"'),
        (Empty("speaker_guard"), 'outcome="empty",reason="speaker_guard"'),
        (Empty("made up"), 'outcome="empty",reason=""'),
        (Stalled(has_begun=True), 'outcome="stalled",reason=""'),
        (Broke(ProviderError("no", kind=ErrorKind.OVERLOADED)), 'outcome="broke",reason="provider_overloaded"'),
        (
            Broke(DeliveryError("no", code=50013, kind=DeliveryKind.MISSING_PERMISSIONS)),
            'outcome="broke",reason="missing_permissions"',
        ),
    ],
    ids=lambda value: "" if isinstance(value, str) else type(value).__name__,
)
def test_turns_are_counted_by_how_they_ended(outcome: Outcome, labels: str) -> None:
    metrics = Metrics()

    traced(metrics).ends(Reply(outcome))

    assert 1.0 == figure(metrics, f"turns_total{{{labels}}}")


def test_a_reply_that_raises_is_counted() -> None:
    metrics = Metrics()

    traced(metrics).breaks_off(KeyError("secret"))

    assert 1.0 == figure(metrics, 'turns_total{outcome="raised",reason="KeyError"}')


def test_turns_are_measured() -> None:
    metrics = Metrics()

    metrics.turn_ended(seconds=2.0, waited=1.0)

    assert (2.0, 1.0) == (figure(metrics, "turn_seconds_sum"), figure(metrics, "queue_seconds_sum"))


def test_tokens_and_tools_are_counted() -> None:
    metrics = Metrics()
    use = ToolUse(ToolCall("1", "dice", "{}"), ToolResult(("4",)))
    failed = ToolUse(ToolCall("2", "dice", "{}"), ToolResult(("no",), is_error=True))
    trace = traced(metrics)

    trace.used(use, remembered=False)
    trace.used(failed, remembered=False)
    trace.used(use, remembered=True)
    trace.ends(Reply(Completed(), usage=Usage(10, 4, 3, 1), model="openai:gpt"))

    kinds = {
        kind: figure(metrics, f'tokens_total{{kind="{kind}",model="openai:gpt"}}')
        for kind in ("input", "output", "cached", "thought")
    }
    assert {"input": 10.0, "output": 4.0, "cached": 3.0, "thought": 1.0} == kinds
    assert 1.0 == figure(metrics, 'tools_total{outcome="ok",tool="dice"}')
    assert 1.0 == figure(metrics, 'tools_total{outcome="error",tool="dice"}')


@pytest.mark.looptime
async def test_a_real_reply_tells_when_it_first_spoke_and_how_long_readers_waited() -> None:
    metrics = Metrics()

    await say(MemoryTarget(), "One.\nTwo.\nThree.", settings=Settings.of(degree=1), trace=metrics.hear)

    assert 1.0 == figure(metrics, "first_message_seconds_count")
    assert 3.0 == figure(metrics, "reader_wait_seconds_count")
    assert not metrics._replies


def test_the_time_from_a_stop_to_the_end_is_told() -> None:
    metrics, times = Metrics(), iter([0.0, 2.25])

    metrics.hear(logged(StopAsked, 2.0))
    Trace(metrics.hear, "t", clock=lambda: next(times)).ends(Reply(Completed()))

    assert (1.0, 0.25) == (figure(metrics, "stop_seconds_count"), figure(metrics, "stop_seconds_sum"))


@pytest.mark.parametrize(
    ("why", "expected"), [("first", None), ("another key", 1.0), ("another model", 1.0), ("later", 1.0)], ids=str
)
def test_tries_after_the_first_are_fallbacks(why: str, expected: float | None) -> None:
    metrics = Metrics()

    metrics.hear(logged(AttemptBegan, why=why))

    assert expected == figure(metrics, f'fallbacks_total{{kind="{why.replace(" ", "_")}"}}')


def test_what_was_made_good_is_counted() -> None:
    metrics = Metrics()

    metrics.hear(logged(RequestSent))
    metrics.hear(logged(RequestSent, error={"type": "ProviderError"}))
    for kind in (QueueRestored, MessageDeleted, MessageRefused):
        metrics.hear(logged(kind))
    metrics.hear(logged(MessageLeftOut, why="skipped"))
    metrics.hear(logged(MessageLeftOut, why="closed"))  # which is no recovery
    metrics.recovered("finished_after_restart")

    facts = ("queue_restored", "message_deleted", "message_refused", "message_left_out")
    kinds = ("request_changed", *facts, "finished_after_restart")
    assert [1.0] * 6 == [figure(metrics, f'recoveries_total{{kind="{kind}"}}') for kind in kinds]


@pytest.mark.parametrize(
    ("route", "way"),
    [
        ("POST /channels/:id/messages", "bot"),
        ("POST /webhooks/:id/:token", "webhook"),
        ("POST /webhooks/:application/:token", "interaction"),
        ("POST /interactions/:id/:token/callback", "interaction"),
    ],
    ids=str,
)
def test_sends_are_counted_by_the_way_they_took(route: str, way: str) -> None:
    metrics = Metrics()

    metrics.called(route, 200)
    metrics.called(route, 403)

    assert 1.0 == figure(metrics, f'sends_total{{way="{way}"}}')
    assert 1.0 == figure(metrics, f'discord_calls_total{{route="{route}",status="403"}}')


def test_calls_that_came_too_early_are_counted_by_whose_limit_it_was() -> None:
    metrics = Metrics()

    for scope in ("user", "shared", "global", "<strange>"):
        metrics.called("GET /gateway/bot", 429, scope=scope)

    scopes = ("user", "shared", "global", "unknown")
    assert [1.0] * 4 == [figure(metrics, f'discord_429_total{{scope="{scope}"}}') for scope in scopes]
    assert 3.0 == figure(metrics, "discord_invalid_requests")


def test_what_is_the_case_at_present_is_asked_when_somebody_reads() -> None:
    metrics, turns = Metrics(), [1, 2, 3]
    metrics.watch(active=lambda: len(turns), waiting=lambda: 5, left_behind=lambda: 1, servers=lambda: 9)
    metrics.watch(cooldown=lambda: 4.5)
    turns.pop()

    names = ("active_turns", "waiting_messages", "left_behind_turns", "servers", "discord_cooldown_seconds")
    assert [2.0, 5.0, 1.0, 9.0, 4.5] == [figure(metrics, name) for name in names]


def test_a_refusal_for_a_limit_is_counted() -> None:
    metrics = Metrics()

    metrics.refused("user_per_day")

    assert 1.0 == figure(metrics, 'refused_total{limit="user_per_day"}')


def test_names_that_are_made_up_do_not_grow_without_end() -> None:
    metrics = Metrics()
    for number in range(300):
        use = ToolUse(ToolCall("1", f"tool{number}", "{}"), ToolResult(("4",)))
        trace = traced(metrics)
        trace.used(use, remembered=False)
        trace.ends(Reply(Completed(), model=f"m:{number}"))

    assert metrics.rendered().count(b"cadenza_tools_total{") <= 101
    assert metrics.rendered().count(b"cadenza_tokens_total{") <= 51 * 4


def test_replies_that_never_end_are_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_REPLIES", 3)
    metrics = Metrics()
    for number in range(10):
        metrics.hear(logged(MessagePlanned, 0.0, str(number), number=1))

    assert ["7", "8", "9"] == list(metrics._replies)


def test_without_the_package_nothing_is_counted_and_one_line_says_so(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "COUNTING", False)
    with caplog.at_level(logging.INFO):
        metrics = Metrics()
        traced(metrics).ends(Reply(Completed()))
        metrics.turn_ended(seconds=1.0, waited=0.0)
        metrics.called("GET /x", 403)
        metrics.recovered("x")
        metrics.refused("x")
        metrics.watch(active=lambda: 1)

    assert b"" == metrics.rendered()
    assert 1 == metrics.refusals.recent()
    assert [
        "there are no metrics: prometheus-client is not installed; 'pip install prometheus-client'"
    ] == caplog.messages


def test_the_package_is_only_loaded_where_somebody_counts() -> None:
    script = "import sys, json, cadenza.bot.services.metrics; print(json.dumps('prometheus_client' in sys.modules))"

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert json.loads(result.stdout) is False
