"""The log of facts as a file."""

from __future__ import annotations

import io
import json
import logging
from dataclasses import asdict, fields
from math import inf, nan
from pathlib import Path
from types import MappingProxyType
from typing import IO

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import InputError, Sentence
from cadenza.explain.fact_log import JsonLines, from_json, line_of, read
from cadenza.explain.sentences import rendered
from cadenza.explain.telling import told_of
from cadenza.facts import (
    FACTS,
    VERSION,
    ChunkHeard,
    Edge,
    Fact,
    LoggedFact,
    MessageRefused,
    NoticeShown,
    ReplyBegan,
    ReplyEnded,
    TextHidden,
)
from cadenza.languages import rendered as in_language
from cadenza.text.origins import from_model
from tests.explain.any_facts import ANY_FACT
from tests.play.server.test_refusals import assert_told

HELLO = LoggedFact(TextHidden("thought", "Grüß dich 🌠", ((0, 3), (5, 9))), 0.5, "turn")
END = LoggedFact(ReplyEnded({"kind": "completed", "reason": "", "error": None}, 1, "", 0, 0, {}), 1.0, "turn")
ENDED = b'"fact": "reply_ended", "outcome": {}, "messages": 0, "model": "", "failures": 0, "notices": 0, "usage": {}'


def test_no_field_is_called_like_what_every_line_has() -> None:
    assert {"turn", "at", "fact"}.isdisjoint(spec.name for kind in FACTS.values() for spec in fields(kind))


# --- lines ------------------------------------------------------------------------------------


def test_a_fact_is_a_line_of_json(tmp_path: Path) -> None:
    with JsonLines(tmp_path / "trace.jsonl") as trace:
        trace(HELLO)
        trace(END)

    lines = (tmp_path / "trace.jsonl").read_bytes().splitlines()
    assert {
        "turn": "turn",
        "at": 0.5,
        "fact": "text_hidden",
        "kind": "thought",
        "text": "Grüß dich 🌠",
        "ranges": [[0, 3], [5, 9]],
    } == json.loads(lines[0])
    assert "Grüß dich 🌠".encode() in lines[0]
    assert len(lines) == 2


def test_half_a_character_and_line_ends_stay_in_their_line() -> None:
    line = line_of(LoggedFact(TextHidden("thought", "\ud83d ü\n\u2028", ()), 0.0))

    assert "\n" not in line
    assert "ü" in line
    assert "\ud83d ü\n\u2028" == json.loads(line.encode("utf-8"))["text"]


def test_a_text_that_knows_its_origin_and_a_mapping_are_plain_json() -> None:
    values = MappingProxyType({"by": from_model("tea", 3)})
    logged = LoggedFact(ChunkHeard("served", 0.0, from_model("tea", 0), values), 0.0)

    assert {"text": "tea", "detail": {"by": "tea"}}.items() <= json.loads(line_of(logged)).items()


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
    with pytest.raises(InputError, match="cannot write the trace to ") as raised:
        JsonLines(tmp_path / name)
    assert in_language(raised.value.sentence, "ja").startswith("トレースを")


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
        f"the trace cannot be written ({why}) and is incomplete; free some space, or name another file"
    ] == caplog.messages
    assert caplog.messages == [trace.complaint]
    assert in_language(trace.complaint, "ja").startswith(f"トレースを書き込めず（{why}）")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no disk that is always full")
def test_a_full_disk_that_shows_at_the_very_end_raises_nothing() -> None:
    with JsonLines("/dev/full") as trace:
        trace(HELLO)

    assert "No space left on device" in trace.complaint


# --- reading ------------------------------------------------------------------------------------


SENTENCES = st.recursive(
    st.builds(Sentence, st.sampled_from(["it is over", "{lost}", "the model sent no answer"])),
    lambda inner: st.builds(
        Sentence,
        st.sampled_from(["{a}; {b}", "the answer of {a} broke off", "{b}"]),
        a=inner | st.lists(inner | st.text(max_size=3), max_size=2) | st.sampled_from([1, 2.5, True, 10**30, inf, nan]),
        b=inner | st.text(max_size=3),
    ),
    max_leaves=4,
)


def _facts_with(text: str) -> list[Fact]:
    error = {"type": "ProviderError", "text": text, "kind": "", "code": "", "detail": ""}
    broke = {"kind": "broke", "reason": "ProviderError", "error": error}
    return [
        ReplyEnded(broke, 0, "", 1, 1, {}),
        MessageRefused((1,), {}, error),
        ChunkHeard("failed", 0.0, "", {"error": error}),
        NoticeShown(text, text, "error", is_shown=True),
    ]


@given(SENTENCES)
def test_a_sentence_is_read_as_it_was_written_in_every_language(sentence: Sentence) -> None:
    for fact in _facts_with(sentence):
        again = from_json(json.loads(line_of(LoggedFact(fact, 0.5)))).fact
        live, read_again = told_of(fact), told_of(again)

        assert fact == again
        assert live is not None
        assert live == read_again
        assert rendered(live, "ja") == rendered(live if read_again is None else read_again, "ja")


def test_the_sentence_of_an_error_is_its_template_and_values() -> None:
    inner = Sentence("it is {what}", what="full")
    sentence = Sentence("{why}; wait {seconds} s: {all}", why=inner, seconds=2.5, all=[inner, "x"], unused="secret")
    written = json.loads(line_of(LoggedFact(_facts_with(sentence)[1], 0.5)))

    of_inner = {"template": "it is {what}", "values": {"what": "full"}}
    assert {
        "template": "{why}; wait {seconds} s: {all}",
        "values": {"why": of_inner, "seconds": 2.5, "all": [of_inner, "x"]},
    } == written["error"]["text"]
    assert {"template": "over"} == json.loads(line_of(LoggedFact(_facts_with(Sentence("over"))[3], 0.5)))["title"]


def test_errors_of_an_older_trace_are_plain_text() -> None:
    """Version 1 wrote the English text of a sentence."""
    line = line_of(LoggedFact(_facts_with("it is over")[3], 0.5))

    assert "it is over" == json.loads(line)["text"]
    assert _facts_with("it is over")[3] == from_json(json.loads(line)).fact


@pytest.mark.parametrize("text", [{}, {"template": 3}, {"template": "{a}", "values": []}], ids=repr)
def test_what_is_no_sentence_is_none(text: object) -> None:
    line = json.loads(line_of(LoggedFact(_facts_with("gone")[3], 0.5)))

    with pytest.raises(InputError, match="its values are wrong: "):
        from_json({**line, "text": text})


@given(st.lists(ANY_FACT, max_size=4))
def test_what_was_written_is_read(facts: list[Fact]) -> None:
    file = io.StringIO()
    logged = [LoggedFact(fact, 0.5, "turn") for fact in facts]
    with JsonLines(file) as trace:
        for one in logged:
            trace(one)

    found, complaints = read(file.getvalue().encode("utf-8").split(b"\n"))
    assert [] == complaints
    assert [*map(line_of, logged)] == [*map(line_of, found)]


def test_edges_are_read_as_they_were() -> None:
    edge = Edge("limit", "limit", 2000, "\n")
    fact = FACTS["message_planned"]
    values = dict.fromkeys((spec.name for spec in fields(fact)), "")
    values |= {
        "number": 1,
        "segments": [1],
        "origin": [[2, 0, ""]],
        "covers": [[0, 2]],
        "starts": asdict(edge),
        "ends": asdict(edge),
        "pause": 0,
        "typing": 0.0,
        "breath": 0.0,
        "thinking": 0.0,
        "cut": 0.0,
        "picture": False,
        "instead": [asdict(edge)],
    }  # type: ignore[dict-item]  # as JSON has it

    logged = from_json({"fact": "message_planned", "at": 0, **values})

    assert (edge,) == logged.fact.instead  # type: ignore[union-attr]  # as below
    assert edge == logged.fact.ends  # type: ignore[union-attr]  # of a planned message
    assert json.loads(line_of(logged))["ends"] == asdict(edge)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        pytest.param(b"rubbish", "it is not JSON", id="no JSON"),
        pytest.param(b'{"fact": "reply_ended", "at"', "it is not JSON", id="half a line"),
        pytest.param(b"\xff\xfe", "it is not JSON", id="no text"),
        pytest.param(b"[" * 100_000, "it is not JSON", id="nested"),
        pytest.param(b"[1]", "it does not name its 'fact'", id="no object"),
        pytest.param(b'{"at": 1.0}', "it does not name its 'fact'", id="no fact"),
        pytest.param(b'{"fact": 7, "at": 1.0}', "it does not name its 'fact'", id="another fact"),
        pytest.param(b'{"step": "end", "at": 1.0}', "it was written by an older version; record the reply again", id="a step"),
        pytest.param(b'{"fact": "dream", "at": 1.0}', "'dream' is not a known fact; update cadenza", id="not known"),
        pytest.param(b"{" + ENDED + b"}", "it does not say 'at' which time", id="no time"),
        pytest.param(b"{" + ENDED + b', "at": "noon"}', "it does not say 'at' which time", id="another time"),
        pytest.param(b"{" + ENDED + b', "at": NaN}', "it does not say 'at' which time", id="no number"),
        pytest.param(b"{" + ENDED + b', "at": true}', "it does not say 'at' which time", id="a truth"),
        pytest.param(b"{" + ENDED + b', "at": -1}', "it does not say 'at' which time", id="before"),
        pytest.param(b"{" + ENDED + b', "at": 1' + b"0" * 400 + b"}", "it does not say 'at' which time", id="too long"),
    ],
)  # fmt: skip
def test_a_line_that_cannot_be_read_is_named_and_skipped(line: bytes, why: str) -> None:
    good = [b"{" + ENDED + b', "at": ' + at + b"}" for at in (b"0", b"1")]
    facts, complaints = read([good[0] + b"\n", b"\n", line + b"\n", good[1]])

    assert [0.0, 1.0] == [one.at for one in facts]
    assert [f"line 3 is no fact of a trace and was skipped: {why}"] == complaints
    assert_told(complaints[0])


def test_a_fact_of_a_later_version_is_refused() -> None:
    began = json.loads(line_of(LoggedFact(ReplyBegan("say", "", "", None, {}, VERSION + 1), 0.0)))

    with pytest.raises(
        InputError, match=f"it has version {VERSION + 1}, and only {VERSION} is known; update cadenza"
    ) as raised:
        from_json(began)
    assert_told(raised.value.sentence)


def test_values_of_another_type_are_refused() -> None:
    with pytest.raises(InputError, match="its values are wrong: ") as raised:
        from_json({"fact": "reading_paused", "at": 0.0, "seconds": "long"})
    assert in_language(raised.value.sentence, "ja").startswith("値が正しくありません：")


@given(st.lists(st.binary(max_size=40)))
def test_whatever_stands_in_a_file_is_read(lines: list[bytes]) -> None:
    facts, complaints = read(lines)

    assert len(facts) + len(complaints) == sum(bool(line.strip()) for line in lines)
