"""What every test shares: how hard the property tests try, and the corpus."""

from __future__ import annotations

import asyncio
import gc
import os
import sys
from collections.abc import Callable, Iterator

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import HealthCheck, settings

from tests.browsing import addresses, browser, snap, window, windows

__all__ = ["addresses", "browser", "snap", "window", "windows"]  # fixtures


def pytest_configure() -> None:
    """Keep plugins from making an event loop that is never closed, and the garbage collector out of the collection."""
    asyncio.set_event_loop(None)
    gc.disable()


def pytest_itemcollected(item: pytest.Item) -> None:
    """Virtual time advances as soon as nothing is left to run: looptime would first turn the loop 42 times for nothing."""
    if item.get_closest_marker("looptime"):
        item.add_marker(pytest.mark.looptime(noop_cycles=0))


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """A worker reports a test once instead of five times, unless its setup or teardown fails: reports cost CPU time."""
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed:
            item.ihook.pytest_runtest_logreport(report=report)
    return True


def pytest_collection_finish() -> None:
    """Thousands of tests stay until the end: the garbage collector need not look at them."""
    gc.collect()
    gc.freeze()
    gc.enable()


_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "print_blob": True,
}
# The same examples every time, so that a change is judged by what it changes; `make soak` looks for new ones.
settings.register_profile("few", max_examples=10, derandomize=True, **_COMMON)  # for `make quick`
settings.register_profile("quick", max_examples=100, derandomize=True, **_COMMON)
settings.register_profile("soak", max_examples=20_000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))


@pytest.fixture(autouse=True)
def _the_log_as_it_was() -> Iterator[None]:
    """What a test set up for its log, as a bot does that is started, is gone when the next one begins."""
    yield
    if logs := sys.modules.get("cadenza.bot.services.logs"):
        logs.take_down()


@pytest.fixture
def not_tested(record_property: Callable[[str, object], None]) -> Callable[[str], None]:
    """Say, at the end of the whole run, that something could not be tested on this machine, and what would help."""
    return lambda what: record_property("not tested", what)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print what could not be tested, loudly: a test that saw only half must not look as if it saw all."""
    reports = [
        report for kind in terminalreporter.stats.values() for report in kind if hasattr(report, "user_properties")
    ]
    lines = {value for report in reports for name, value in report.user_properties if name == "not tested"}
    for line in sorted(map(str, lines)):
        terminalreporter.write_line(f"NOT TESTED: {line}", red=True, bold=True)
