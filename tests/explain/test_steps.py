"""The trace as it is written down, and the page that describes it."""

from __future__ import annotations

import io
import json
import logging
import re
from pathlib import Path
from typing import IO

import pytest

from cadenza.errors import InputError
from cadenza.explain.steps import STEPS, JsonLines, TraceStep, line_of

PAGE = Path(__file__).parent.parent / "docs" / "trace.md"
HELLO = TraceStep("aside", 0.5, {"kind": "thought", "text": "Grüß dich 🌠"}, "turn")
END = TraceStep("end", 1.0, {}, "turn")


def test_the_page_describes_every_step_with_its_fields() -> None:
    steps = PAGE.read_text(encoding="utf-8").split("\n## Steps\n")[1].split("\n### ")[1:]
    described = {section.split("`")[1]: tuple(re.findall(r"^- `(\w+)`: ", section, re.MULTILINE)) for section in steps}

    assert dict(STEPS) == described
    assert list(STEPS) == list(described)


def test_no_field_is_called_like_what_every_line_has() -> None:
    assert {"turn", "at", "step"}.isdisjoint(field for fields in STEPS.values() for field in fields)


# --- lines ------------------------------------------------------------------------------------


def test_a_step_is_a_line_of_json(tmp_path: Path) -> None:
    with JsonLines(tmp_path / "trace.jsonl") as trace:
        trace(HELLO)
        trace(END)

    lines = (tmp_path / "trace.jsonl").read_bytes().splitlines()
    assert {"turn": "turn", "at": 0.5, "step": "aside", "kind": "thought", "text": "Grüß dich 🌠"} == json.loads(
        lines[0]
    )
    assert "Grüß dich 🌠".encode() in lines[0]
    assert len(lines) == 2


def test_half_a_character_and_line_ends_stay_in_their_line() -> None:
    line = line_of(TraceStep("aside", 0.0, {"text": "\ud83d\n\u2028"}))

    assert "\n" not in line
    assert "\ud83d\n\u2028" == json.loads(line.encode("utf-8"))["text"]


def test_a_path_begins_anew(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    for _ in range(2):
        with JsonLines(str(file)) as trace:
            trace(HELLO)

    assert 1 == len(file.read_bytes().splitlines())


def test_somebody_else_s_file_is_left_open() -> None:
    file = io.StringIO("before\n")
    file.seek(0, io.SEEK_END)
    with JsonLines(file) as trace:
        trace(HELLO)

    assert ["before", line_of(HELLO)] == file.getvalue().splitlines()


def test_at_the_end_of_a_reply_everything_is_in_the_file(tmp_path: Path) -> None:
    file = tmp_path / "trace.jsonl"
    with JsonLines(file) as trace:
        trace(HELLO)
        trace(END)

        assert 2 == len(file.read_bytes().splitlines())


def test_after_its_end_nothing_is_written(tmp_path: Path) -> None:
    with JsonLines(tmp_path / "trace.jsonl") as trace:
        pass
    trace(HELLO)
    trace.close()

    assert b"" == (tmp_path / "trace.jsonl").read_bytes()
    assert not trace.complaint


@pytest.mark.parametrize(
    "name", ["", "missing/trace.jsonl", "a\0b", "x" * 300], ids=["folder", "no folder", "nul", "long"]
)
def test_a_path_that_cannot_be_written_is_refused_in_a_sentence(name: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot write the trace to "):
        JsonLines(tmp_path / name)


# --- what goes wrong ---------------------------------------------------------------------------


class FullDisk(io.StringIO):
    """Has no room."""

    def write(self, _: str, /) -> int:
        raise OSError(28, "No space left on device")


class FullAtLast(io.StringIO):
    """Has no room, and says so only when it is asked to be sure."""

    def flush(self) -> None:
        raise OSError(28, "No space left on device")


def closed_file() -> IO[str]:
    file = io.StringIO()
    file.close()
    return file


def ascii_file() -> IO[str]:
    return io.TextIOWrapper(io.BytesIO(), encoding="ascii")


@pytest.mark.parametrize(
    ("make", "why"),
    [
        pytest.param(FullDisk, "No space left on device", id="full"),
        pytest.param(FullAtLast, "No space left on device", id="full in the end"),
        pytest.param(closed_file, "ValueError", id="closed"),
        pytest.param(ascii_file, "UnicodeEncodeError", id="not for this text"),
    ],
)
def test_what_cannot_be_written_is_told_once_and_then_it_is_silent(
    make: type[IO[str]], why: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING), JsonLines(make()) as trace:
        for _ in range(3):
            trace(HELLO)
            trace(END)

    assert [
        f"the trace cannot be written ({why}) and is not whole; look for room, or name another file"
    ] == caplog.messages
    assert caplog.messages == [trace.complaint]


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_that_shows_at_the_very_end_raises_nothing() -> None:
    with JsonLines("/dev/full") as trace:
        trace(HELLO)

    assert "No space left on device" in trace.complaint
