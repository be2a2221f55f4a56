"""What tests of tools share."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec

import pytest


@pytest.fixture
def mcp_sdk(not_tested: Callable[[str], None]) -> None:
    """The MCP SDK, or a loud word that without it nothing was tested."""
    if find_spec("mcp") is None:
        not_tested("MCP servers; try: pip install 'cadenza[mcp]'")
        pytest.skip("the MCP SDK is not installed")
