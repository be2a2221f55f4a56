"""What a tool is when nothing more is said of it."""

from __future__ import annotations

from cadenza.tools.tool import Tool, ToolContext
from cadenza.types import ToolSpec


async def run(*_: object) -> str:
    raise NotImplementedError


def test_a_tool_is_run_whenever_it_is_called_but_not_twice_for_two_models() -> None:
    tool = Tool(ToolSpec("roll", "", {}), run)

    assert not any((tool.needs_answer, tool.settles, tool.once, tool.repeatable, tool.needs_consent))
    assert (None, None) == (tool.seconds, tool.check)


def test_a_context_can_be_made_for_a_test_without_saying_anything() -> None:
    assert ("", "", "{}") == (ToolContext().key, ToolContext().scene.channel, ToolContext().call.arguments)
