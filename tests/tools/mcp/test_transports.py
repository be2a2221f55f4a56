"""What a program says besides; the ways themselves are tried in ``test_mcp.py``, with real servers."""

from __future__ import annotations

import asyncio
import subprocess
import sys

import pytest
from hypothesis import given, strategies as st

pytestmark = pytest.mark.usefixtures("mcp_sdk")

SAID = "brewing\n\nkey is abcdefgh1\r\ndone with ☕".encode()
LOGGED = ["tea: brewing", "tea: key is ***", "tea: done with ☕"]


class Log:
    """Takes what is logged."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        from cadenza.tools.mcp import transports

        self.lines: list[str] = []
        monkeypatch.setattr(transports.logger, "info", lambda form, *parts: self.lines.append(form % parts))


@given(st.sets(st.integers(0, len(SAID))))
def test_lines_are_logged_whole_wherever_they_were_cut(cuts: set[int]) -> None:
    from cadenza.tools.mcp.transports import _Listener

    with pytest.MonkeyPatch.context() as monkeypatch:
        log = Log(monkeypatch)
        listener = _Listener("tea", {"abcdefgh1"})
        for start, end in zip([0, *sorted(cuts)], [*sorted(cuts), len(SAID)], strict=True):
            listener.data_received(SAID[start:end])
        listener.eof_received()

    assert LOGGED == log.lines


def test_a_line_that_does_not_end_is_logged_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    from cadenza.tools.mcp.transports import _LINE, _Listener

    log = Log(monkeypatch)
    listener = _Listener("tea", ())
    for _ in range(100):
        listener.data_received(b"." * 1000)

    assert len(log.lines) >= 30
    assert max(map(len, log.lines)) <= len("tea: ") + _LINE
    assert len(listener._rest) <= _LINE


async def test_what_a_process_says_last_is_heard(monkeypatch: pytest.MonkeyPatch) -> None:
    from cadenza.tools.mcp.transports import _complaints

    log = Log(monkeypatch)
    async with _complaints("tea", {"abcdefgh1"}) as stderr:
        script = f"import os; os.write(2, {SAID!r})"
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", script, stderr=stderr)
        await process.wait()

    assert LOGGED == log.lines
    assert stderr.closed


async def test_a_child_of_a_child_that_holds_the_line_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    from cadenza.tools.mcp.transports import _complaints

    Log(monkeypatch)
    async with asyncio.timeout(60):
        async with _complaints("tea", ()) as stderr:
            process = subprocess.Popen(  # noqa: ASYNC220  # it is only held, never waited for in here
                [sys.executable, "-c", "input()"], stdin=subprocess.PIPE, stderr=stderr
            )
        assert process.poll() is None
        process.communicate(b"\n")
