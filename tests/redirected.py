"""Leads discord.py and ``cadenza.connect`` to servers of a test; a program run by ``python -m tests.redirected`` knows nothing of it."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

from cadenza.models import vendors
from cadenza.sim.clients import discord_py


@contextmanager
def models_at(url: str) -> Iterator[None]:
    """Let OpenAI's and Anthropic's models be asked at *url*; their own clients read that from the environment."""
    before = vendors.VENDORS
    ours = {"openai": f"{url}/v1", "openai-responses": f"{url}/v1", "anthropic": url}
    moved = {name: replace(before[name], url=address, is_local=True) for name, address in ours.items()}
    vendors.VENDORS = {**before, **moved}
    try:
        yield
    finally:
        vendors.VENDORS = before


if __name__ == "__main__":
    *discord, models, program = sys.argv[1:]
    with discord_py(*discord), models_at(models):
        runpy.run_path(program, run_name="__main__")
