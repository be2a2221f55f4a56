from __future__ import annotations

import asyncio
import gc
import io
import itertools
import os
import re
import signal
import subprocess
import sys

import pytest
from rich.console import Console

from cadenza.cli import demo
from cadenza.targets.console import ConsoleTarget
from cadenza.types import Completed, Identity, Stopped, StopReason

RUN = """
import signal
signal.signal(signal.SIGINT, signal.default_int_handler)  # a test that runs in the background may have it ignored
from cadenza.cli.main import main
raise SystemExit(main({}))
"""

# Ticks of a power of two: sums of pauses are then never a hair's breadth (less than asyncio's own resolution of a
# nanosecond) after a tick, where a timer rings early and virtual time, unlike real time, would stand still for ever.
virtual_time = pytest.mark.looptime(resolution=2**-20)


def environment(**changes: str) -> dict[str, str]:
    """This environment, but without what forces colours onto a pipe."""
    unwanted = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")
    kept = {name: value for name, value in os.environ.items() if name not in unwanted}
    return {**kept, "PYTHONIOENCODING": "utf-8", **changes}


async def seen(*, fast: bool, terminal: bool = False) -> tuple[str, demo.DemoCount]:
    """Play the demo; give back what was written and what was counted."""
    file = io.StringIO()
    console = Console(file=file, force_terminal=terminal, width=80, _environ={"TERM": "xterm"})
    with ConsoleTarget("Ren", avatar="🦊", console=console) as target:
        tally = await demo.play(target, fast=fast)
    return file.getvalue(), tally


# --- time ---------------------------------------------------------------------------------


@virtual_time
async def test_it_ends_by_itself_within_twenty_seconds() -> None:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await seen(fast=False)
    assert 5 < loop.time() - begun < 20


@virtual_time
async def test_in_haste_it_takes_no_time_at_all() -> None:
    loop = asyncio.get_running_loop()
    begun = loop.time()
    await seen(fast=True)
    assert loop.time() == begun


@virtual_time
async def test_in_haste_the_same_is_said_in_the_same_order() -> None:
    slow, fast = await seen(fast=False), await seen(fast=True)
    assert slow[0] == fast[0]
    assert slow[1].tokens == fast[1].tokens
    assert [[receipt.post.text for receipt in reply.receipts] for reply in slow[1].replies] == [
        [receipt.post.text for receipt in reply.receipts] for reply in fast[1].replies
    ]


@virtual_time
async def test_messages_arrive_one_by_one() -> None:
    """Nothing comes in a heap: between two messages of the persona there is always a moment."""
    loop = asyncio.get_running_loop()
    times: list[float] = []

    class Clock(io.StringIO):
        def write(self, text: str, /) -> int:
            if text.startswith("Ren"):
                times.append(loop.time())
            return super().write(text)

    await demo.play(ConsoleTarget("Ren", console=Console(file=Clock(), force_terminal=False)))
    assert len(times) == 15 + 1  # one is deleted
    assert min(later - earlier for earlier, later in itertools.pairwise(times)) > 0.1


# --- the story ------------------------------------------------------------------------------


async def test_every_element_is_seen() -> None:
    output, _ = await seen(fast=True)
    parts = (
        "Mia: Ren, we're going",
        "\nRen: Evening, @Mia! 🌠\nRen: You need less than you think :)",  # a mention, an emoji, prose in messages
        "\nRen: But do bring:\nRen:\n  - a blanket each (Jo *borrows*)\n  - the big flask\n  - twenty",
        '\nJo: My telescope is 27" long.',
        "\nRen: Let me ask the weather station.\n\n-- weather tool: Whitby, clear from 22:00, wind 3 km/h\n\nRen: Clear",
        "\nRen 😼: I did say Saturday, didn't I?\n",
        "\nRen:\n  | when | look | meteors an hour |\n  |---|---|---:|\n",
        "\n(thought) The peak is at three,",
        "\nRen: Easy, all it takes is a rooster.\n\n-- Deleted: “Easy, all it takes is a rooster.”\n\nRen: Three",
        "\nRen:\n  ```python\n  import time\n",
        "\n-- Another model answered this time.\n\nMia: And where",
        "\n-- Mia pressed stop\n\nMia: Keep",
        "\n-- That was 15 messages from ",
        "cadenza replay --help\n",
    )
    places = [output.find(part) for part in parts]
    assert -1 not in places
    assert places == sorted(places)
    assert "26 kilometres" not in output
    assert "smug" not in output
    assert "<think>" not in output


async def test_plain_output_has_no_control_characters() -> None:
    output, _ = await seen(fast=True)
    assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f-\x9f]", output)


async def test_what_happened_is_what_is_told() -> None:
    output, tally = await seen(fast=True)
    *whole, last = tally.replies
    assert all(reply.outcome == Completed("end_of_stream") for reply in whole)
    assert last.outcome == Stopped(StopReason.USER)
    told = "1 thought kept back, 1 failure made good, 1 stop obeyed"
    assert f"{tally.messages} messages from {tally.tokens} tokens: {told}" in output
    assert [reply.model for reply in tally.replies] == ["polaris", "polaris", "polaris", "vega", "polaris"]
    smug = whole[1].receipts[-1].post
    assert (smug.identity, smug.label) == (Identity("Ren", "😼", "smug"), "Ren (smug): ")


async def test_on_a_terminal_the_screen_is_left_clean() -> None:
    output, _ = await seen(fast=True, terminal=True)
    assert output.count("\x1b[?25l") == output.count("\x1b[?25h") > 0
    assert "is typing" not in output[output.rindex("\x1b[?25h") :]
    assert "╭" in output


# --- how it can end ---------------------------------------------------------------------------


def test_it_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert demo.run(fast=True) == 0
    assert capsys.readouterr().out.endswith("cadenza replay --help\n")


def test_an_interrupt_ends_it_with_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "reply", interrupted)
    assert demo.run(fast=True) == 130
    output, errors = capsys.readouterr()
    assert output.endswith("What do we need?\n\n-- Good night.\n")
    assert not errors


@pytest.mark.parametrize(
    "moment",
    [
        "stargazers",
        "What do we need?",
        "Evening",
        "Let me ask",
        "weather tool",
        "| when",
        "a rooster",
        "Deleted",
        "three days apart",
        "pressed stop",
    ],
)
@virtual_time
async def test_cut_short_at_any_moment_it_leaves_nothing_behind(moment: str) -> None:
    complaints: list[dict[str, object]] = []
    asyncio.get_running_loop().set_exception_handler(lambda _, context: complaints.append(context))
    assert await cut_short(moment)
    gc.collect()
    assert asyncio.all_tasks() == {asyncio.current_task()}
    assert not complaints


async def cut_short(moment: str) -> bool:
    """Play the demo and cancel it shortly after *moment* was written; say whether that was how it ended."""

    class Trigger(io.StringIO):
        def write(self, text: str, /) -> int:
            if moment in text:
                asyncio.get_running_loop().call_later(0.2, playing.cancel)
            return super().write(text)

    target = ConsoleTarget("Ren", console=Console(file=Trigger(), force_terminal=False))
    playing = asyncio.create_task(demo.play(target))
    await asyncio.wait([playing])
    return playing.cancelled()


@pytest.mark.parametrize("lines", [1, 5])
def test_control_c_ends_it_cleanly(lines: int) -> None:
    """A real signal to a real process, before and while the persona speaks."""
    process = subprocess.Popen(
        [sys.executable, "-c", RUN.format(["demo"])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
        env=environment(),
    )
    try:
        assert process.stdout
        begun = [process.stdout.readline() for _ in range(lines)]
        process.send_signal(signal.SIGINT)
        output, errors = process.communicate(timeout=110)
    finally:
        process.kill()
        process.wait()
    assert begun[0] == "-- #stargazers: Mia, Jo and Ren\n"
    assert (process.returncode, errors) == (130, "")
    assert output.endswith("-- Good night.\n")
    assert "That was" not in output


@pytest.mark.parametrize("lines", [1, 4, 6, 15])
@pytest.mark.parametrize("colour", [{}, {"FORCE_COLOR": "1"}], ids=["plain", "colour"])
def test_a_reader_who_has_seen_enough_is_no_error(lines: int, colour: dict[str, str]) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", RUN.format(["demo", "--fast"])],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(**colour),
        bufsize=0,
    )
    assert process.stdout
    assert process.stderr
    try:
        for _ in range(lines):
            process.stdout.readline()
        process.stdout.close()
        errors = process.stderr.read()
        status = process.wait(timeout=110)
    finally:
        process.kill()
        process.wait()
        process.stderr.close()
    # The pipe may have taken everything before it was closed; then the demo was simply over.
    assert status in (0, 141)
    assert errors == b""


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs a device that is always full")  # noqa: PTH110
def test_a_full_disk_is_told_in_one_line() -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        done = subprocess.run(
            [sys.executable, "-c", RUN.format(["demo", "--fast"])],
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            env=environment(),
            check=False,
            timeout=110,
        )
    assert done.returncode == 1
    assert done.stderr == "cadenza: the output cannot be written: No space left on device\n"


def test_an_output_that_knows_only_ascii_is_no_error() -> None:
    done = subprocess.run(
        [sys.executable, "-c", RUN.format(["demo", "--fast"])],
        capture_output=True,
        env=environment(PYTHONIOENCODING="ascii"),
        check=False,
        timeout=110,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert b"Ren: Evening, @Mia! ?\n" in done.stdout
