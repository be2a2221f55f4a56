"""What every test shares: how hard the property tests try, and the corpus."""

from __future__ import annotations

import asyncio
import os

from hypothesis import HealthCheck, settings


def pytest_configure() -> None:
    """Keep plugins from making an event loop that nobody closes when they ask for the current one."""
    asyncio.set_event_loop(None)


_COMMON = {
    "deadline": None,
    "suppress_health_check": [HealthCheck.too_slow, HealthCheck.data_too_large],
    "print_blob": True,
}
# The same examples every time, so that a change is judged by what it changes; `make soak` looks for new ones.
settings.register_profile("quick", max_examples=300, derandomize=True, **_COMMON)
settings.register_profile("soak", max_examples=20_000, **_COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "quick"))
