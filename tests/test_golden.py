"""The golden rows: what the system that Cadenza follows was seen to do, row by row.

Every row without a ``bug`` is tried for the newest version that there is of its part (chunker and humanizer: R3,
buffer: R2).
Where ours differs on purpose the row is named in ``golden/exceptions.toml`` with its reason; such a row must really
differ, so that the list cannot grow stale.
"""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from cadenza.settings import Settings
from cadenza.stages.s5_buffer import Buffer, Item
from cadenza.stages.s7_delivery import Composer
from cadenza.text import tables
from cadenza.text.cuts import overflow_cut, up_to_last_clause
from cadenza.text.humanize import humanize
from cadenza.text.overlap import Overlap, without_overlap
from cadenza.text.repair import close_openers
from cadenza.text.spans import Found, Scanner, survey
from cadenza.text.split import split
from cadenza.types import Aside, AsideKind, Boundary, Ending, Kind, Post, Segment
from tests.helpers import Dice

_FOLDER = Path(__file__).parent / "golden"
_EXCEPTIONS: dict[str, str] = {
    row: reason
    for reason, rows in tomllib.loads((_FOLDER / "exceptions.toml").read_text("utf-8")).items()
    for row in rows["rows"]
}

Row = dict[str, Any]


def _rows(name: str, version: str) -> Iterator[Row]:
    for line in (_FOLDER / f"{name}.jsonl").read_text("utf-8").splitlines():
        row: Row = json.loads(line)
        if "bug" not in row and (version in row.get("also", ()) or row["reference_version"].startswith(version)):
            yield row


def _parts() -> Iterator[tuple[str, list[Row], Callable[[Row], tuple[Any, Any]]]]:
    """The parts that rows are about: the name, its rows, and what tells what becomes of one and what should."""
    buffer = list(_rows("buffer", "R2"))
    yield "chunker", list(_rows("chunker", "R3")), _messages_of_a_segment
    for kind, run in _BUFFER.items():
        yield f"buffer, {kind}", [row for row in buffer if row["kind"] == kind], run
    yield "humanizer", list(_rows("humanizer", "R3")), _humanized


# --- the chunker --------------------------------------------------------------------------


def _messages_of_a_segment(row: Row) -> tuple[Any, Any]:
    """The reference's chunker gets code and prose in one; ours gets them from stage 5 as segments."""
    pieces = [(row["input"], Kind.PROSE)]
    if "```" in row["input"] or "~~~" in row["input"]:
        pieces = list(_code_and_prose(row["input"]))
    degree = min(row["degree"], 3)
    ours = [message for text, kind in pieces for message in split(text, kind, degree, row["limit"], lone_words=True)]
    return list(map(_as_shown, ours)), list(map(_as_shown, row["output"]))


def _code_and_prose(text: str) -> Iterator[tuple[str, Kind]]:
    prose = ""
    for segment in _segments([text], 0, Ending.FINAL):
        if segment.kind is Kind.CODE:
            yield prose, Kind.PROSE
            yield segment.text, Kind.CODE
            prose = ""
        else:
            prose += segment.text
    yield prose, Kind.PROSE


def _as_shown(message: str) -> str:
    """What is the same to whoever reads it: a closing fence with or without a line of its own, space at the end."""
    return re.sub(r"(?<=.)\n?```\Z", "```", message.rstrip(), flags=re.DOTALL)


# --- the buffer ---------------------------------------------------------------------------


def _items(chunks: list[str], degree: int, end: Ending | None) -> list[Item]:
    buffer = Buffer(sentences=degree == 3, lone_words=True)
    items = [item for chunk in chunks for item in buffer.feed(chunk)]
    return [*items, *buffer.flush(end)] if end else items


def _segments(chunks: list[str], degree: int, end: Ending | None) -> list[Segment]:
    return [item for item in _items(chunks, degree, end) if isinstance(item, Segment)]


_ENDINGS = {"final": Ending.FINAL, "pending": Ending.FINAL, "pending_trim": Ending.TOOL_CALL, "none": None}


def _stream(row: Row) -> tuple[Any, Any]:
    overlap = Overlap()  # the reference looks for overlaps in every stream, we where it is asked for
    chunks = [overlap.take(chunk) if ".dedup-" in row["id"] else chunk for chunk in row["chunks"]]
    items = _items(chunks, row["degree"], _ENDINGS[row["end"]])
    segments = [item for item in items if isinstance(item, Segment)]
    boundary = Boundary.TOOL_CALL if row["end"] == "pending" else Boundary.FINAL
    labels = [boundary if segment.boundary is Boundary.FINAL else segment.boundary for segment in segments]
    ours = [
        [[label.value, segment.text] for label, segment in zip(labels, segments, strict=True)],
        [item.text for item in items if isinstance(item, Aside) and item.kind is AsideKind.THOUGHT],
        [item.text for item in items if isinstance(item, Aside) and item.kind is AsideKind.DETAILS],
    ]
    wanted = [
        # A segment with nothing in it says nothing; ours does not exist.
        [[label, text] for label, text in zip(row["boundaries"], row["output"], strict=True) if text],
        row["thoughts"],
        row["details"],
    ]
    return ours, wanted


def _incomplete(row: Row) -> tuple[Any, Any]:
    return [_is_incomplete(row["input"])], row["output"]


def _is_incomplete(text: str) -> bool:
    """Whether something has begun in *text* that what follows may end."""
    scanner = Scanner(hold=1950)
    scanner.feed(text)
    while find := scanner.find():
        if find.what is Found.BLOCK_TAG:
            return False  # what follows is hidden; before it nothing waits
        if find.what in (Found.LINE_END, Found.TABLE_CLOSE, Found.FENCE_CLOSE):
            scanner.drop(find.end)
    if scanner.fence:
        return False
    line = scanner.text.removesuffix("\n").rpartition("\n")[2]
    waits = bool(scanner.text[scanner.position :].strip()) or tables.could_be_header(line)
    return waits or scanner.table or any(opener.mark not in "[_" for opener in scanner.openers)


def _autoclose(row: Row) -> tuple[Any, Any]:
    scanner = Scanner()
    scanner.feed(row["input"])
    while scanner.find(final=True):
        pass
    return [close_openers(row["input"], scanner.openers)], row["output"]


def _trim(row: Row) -> tuple[Any, Any]:
    text = row["input"]
    clauses = up_to_last_clause(text, survey(text).spans)
    return [text if clauses is None else clauses], row["output"]


def _dedup(row: Row) -> tuple[Any, Any]:
    return [without_overlap(row["accumulated"] + row["aggregated"] + row["buffer"], row["input"])], row["output"]


def _aggregate(row: Row) -> tuple[Any, Any]:
    """The reference makes an empty line of each line end; ours keeps the model's own, so only that differs."""
    composer = Composer(Settings.reference(degree=0).delivery, Random(0))
    posts = []
    for text, boundary in row["segments"]:
        kind = Kind.CODE if text.startswith("```") else Kind.PROSE
        posts += composer.feed(Segment(text, Boundary(boundary or "overflow"), kind))
    posts += composer.flush(Ending.FINAL)
    wanted = [text.replace("\n\n", "\n") for text in row["output"]]
    return [post.text for post in posts if isinstance(post, Post)], wanted


def _tables(row: Row) -> tuple[Any, Any]:
    found: list[list[str]] = []
    for segment in _segments([row["input"]], 0, Ending.FINAL):
        kind = "table" if segment.kind is Kind.TABLE else "text"
        if found and found[-1][0] == kind == "text":
            found[-1][1] += segment.text
        else:
            found.append([kind, segment.text])
    return found, row["output"]


def _overflow(row: Row) -> tuple[Any, Any]:
    scanner = Scanner()
    scanner.feed(row["input"])
    while find := scanner.find(final=True):
        if find.what is Found.TABLE_OPEN and find.start > 0:
            return [find.start], row["output"]  # stage 5 cuts in front of a table before it looks any further
    return [overflow_cut(scanner, row["target"])], row["output"]


_BUFFER: dict[str, Callable[[Row], tuple[Any, Any]]] = {
    "stream": _stream,
    "incomplete": _incomplete,
    "table_tail": _incomplete,
    "autoclose": _autoclose,
    "trim": _trim,
    "dedup": _dedup,
    "aggregate": _aggregate,
    "tables": _tables,
    "overflow": _overflow,
}


# --- the humanizer ------------------------------------------------------------------------


def _humanized(row: Row) -> tuple[Any, Any]:
    roll = Dice(*row["rolls"]).random if "rolls" in row else None
    return humanize(row["input"], roll, reference=True), row["output"]


# --- the tests ----------------------------------------------------------------------------


PARTS = list(_parts())


@pytest.mark.parametrize(("rows", "run"), [pytest.param(rows, run, id=name) for name, rows, run in PARTS])
def test_golden_rows(rows: list[Row], run: Callable[[Row], tuple[Any, Any]]) -> None:
    found = {row["id"]: run(row) for row in rows}
    wrong = {
        row: f"is an exception no more: {_EXCEPTIONS[row]}" if row in _EXCEPTIONS else f"{ours!r} should be {wanted!r}"
        for row, (ours, wanted) in found.items()
        if (ours == wanted) is (row in _EXCEPTIONS)
    }

    assert rows
    assert {} == wrong


def test_every_row_of_the_buffer_is_of_a_known_kind() -> None:
    assert _BUFFER.keys() == {row["kind"] for row in _rows("buffer", "R2")}


def test_every_exception_is_a_row() -> None:
    assert set(_EXCEPTIONS) <= {row["id"] for _, rows, _ in PARTS for row in rows}


def test_the_exceptions_are_few() -> None:
    assert len(_EXCEPTIONS) <= sum(len(rows) for _, rows, _ in PARTS) / 10


def test_a_row_has_its_name_to_itself() -> None:
    names = [row["id"] for _, rows, _ in PARTS for row in rows]

    assert len(set(names)) == len(names)
