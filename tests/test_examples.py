"""The examples, as people run them: real processes, real pipes."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
CHAT = ROOT / "examples" / "terminal_chat.py"
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONUNBUFFERED": "1"}
SECONDS = 30.0


@contextmanager
def chatting(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """The chat, with pipes for a keyboard and a screen."""
    command = [sys.executable, str(CHAT), *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=ENVIRONMENT
    ) as chat:
        try:
            yield chat
        finally:
            chat.kill()


def test_the_chat_answers_with_what_its_tool_said_and_ends_with_its_input() -> None:
    with chatting() as chat:
        screen, errors = chat.communicate("Roll for me!\nAnd again!\n", timeout=SECONDS)

    rolls = [int(number) for number in re.findall(r"You have rolled a (\d+)\.", screen)]
    assert (2, "", 0) == (len(rolls), errors, chat.returncode)
    assert all(1 <= number <= 20 for number in rolls)


def test_an_interrupt_stops_the_reply_and_not_the_chat(tmp_path: Path) -> None:
    script = tmp_path / "slow.jsonl"
    script.write_text(
        '{"text": "One. That was the first number.\\n\\nTw"}\n{"after": 600, "text": "o."}\n', encoding="utf-8"
    )
    with chatting(f"script:{script}") as chat:
        assert chat.stdin
        assert chat.stdout
        for _ in range(2):  # the second line is answered too
            chat.stdin.write("Count!\n")
            chat.stdin.flush()
            while "One." not in chat.stdout.readline():
                assert chat.poll() is None
            chat.send_signal(signal.SIGINT)
        screen, errors = chat.communicate(timeout=SECONDS)

    assert ("", 0) == (errors, chat.returncode)
    assert "Two" not in screen


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_says_how_it_is_run(example: Path) -> None:
    assert f"python examples/{example.name}" in example.read_text(encoding="utf-8")
