"""Which tools are exposed."""

from __future__ import annotations

import pytest

from cadenza.tools.consent import NOBODY, Consent, ConsentPolicy
from cadenza.tools.tool import Tool
from cadenza.types import ToolCall, ToolSpec


async def run(*_: object) -> str:
    raise NotImplementedError


def tool(name: str, *, needs_consent: bool = False) -> Tool:
    return Tool(ToolSpec(name, "", {}), run, needs_consent=needs_consent)


def never(*_: object) -> str:
    return "not on a Sunday"


@pytest.mark.parametrize(
    ("deliberate", "asked", "answer"),
    [
        pytest.param(ConsentPolicy(["roll"]), tool("roll"), True, id="exposed"),
        pytest.param(ConsentPolicy(["roll"]), tool("ban"), "it is not exposed in this conversation; exposed are: roll", id="not exposed"),
        pytest.param(ConsentPolicy([]), tool("ban"), "it is not exposed in this conversation; exposed are: none", id="nothing exposed"),
        pytest.param(ConsentPolicy(["ban"]), tool("ban", needs_consent=True), NOBODY, id="nobody to ask"),
        pytest.param(ConsentPolicy(["ban"], never), tool("ban", needs_consent=True), "not on a Sunday", id="somebody to ask"),
        pytest.param(ConsentPolicy(["roll"], never), tool("roll"), True, id="somebody who need not be asked"),
    ],
)  # fmt: skip
def test_only_what_is_exposed_may_be_run(deliberate: Consent, asked: Tool, answer: object) -> None:
    assert answer == deliberate(asked, ToolCall("1", asked.spec.name, "{}"), {})
