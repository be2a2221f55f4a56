"""Defects that tools with real threads must not have, by number. Nothing here waits but for events."""

from __future__ import annotations

import asyncio
import threading

from cadenza.tools.functions import tool, toolset
from cadenza.tools.running import ToolRunner
from cadenza.types import ToolCall

_PATIENCE = 60.0


def _ended(name: str) -> bool:
    """Whether every thread of the tool *name* comes to its end."""
    for thread in threading.enumerate():
        if thread.name == f"cadenza tool {name}":
            thread.join(_PATIENCE)
            if thread.is_alive():
                return False
    return True


async def test_b18_a_function_that_takes_too_long_has_no_later_effect() -> None:
    gate = threading.Event()
    effects: list[str] = []

    @tool(seconds=0.02)
    def crawl() -> None:
        """Crawl to the gate."""
        while not gate.wait(0.001):
            pass
        effects.append("acted")

    (use,) = await ToolRunner({"crawl": crawl}).run([ToolCall("1", "crawl", "{}")])
    gate.set()

    assert _ended("crawl")
    assert [] == effects
    assert "The tool took longer than 0.02 seconds and was stopped." in use.result.text


async def test_b18_a_function_that_hangs_is_left_behind_and_has_no_later_effect() -> None:
    gate = threading.Event()
    effects: list[str] = []

    @tool(seconds=1)  # long enough for a thread to begin
    def hang() -> None:
        """Hang at the gate."""
        gate.wait(_PATIENCE)
        effects.append("acted")

    (use,) = await ToolRunner({"hang": hang}, grace=0.02).run([ToolCall("1", "hang", "{}")])
    gate.set()

    assert _ended("hang")
    assert [] == effects
    assert "could not be stopped" in use.result.text


async def test_b18_a_stop_ends_functions_too() -> None:
    begun, gate = threading.Barrier(3), threading.Event()
    effects: list[str] = []

    def crawl(number: int) -> None:
        """Crawl to the gate."""
        begun.wait(_PATIENCE)
        while not gate.wait(0.001):
            pass
        effects.append(f"acted {number}")

    calls = [ToolCall(str(number), "crawl", f'{{"number": {number}}}') for number in range(2)]
    running = asyncio.create_task(ToolRunner(toolset([crawl])).run(calls))
    while begun.n_waiting < 2:  # noqa: ASYNC110  # they wait in other threads
        await asyncio.sleep(0)
    begun.wait(_PATIENCE)
    running.cancel()
    await asyncio.wait([running])
    gate.set()

    assert running.cancelled()
    assert _ended("crawl")
    assert [] == effects


async def test_b56_a_function_is_not_run_again_for_another_model() -> None:
    sent: list[str] = []

    @tool
    def send(text: str) -> str:
        """Send a message."""
        sent.append(text)
        return f"sent as number {len(sent)}"

    tool_runner = ToolRunner({"send": send}, turn="7")
    uses = [
        *await tool_runner.run([ToolCall("1", "send", '{"text": "hello"}')], attempt=0),
        *await tool_runner.run([ToolCall("call_9", "send", '{"text":"hello"}')], attempt=1),
    ]

    assert ["hello"] == sent
    assert [("1", "sent as number 1"), ("call_9", "sent as number 1")] == [
        (use.call.id, use.result.text) for use in uses
    ]
