"""Several answers one behind the other: each is read as it would be alone."""

from __future__ import annotations

import json
import re
import time
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from cadenza.play.films.api_dumps import recognised
from cadenza.play.films.split_dumps import events_parted, lines_parted
from cadenza.types import TextDelta, ThoughtDelta, ToolCall
from tests.models.recorded import written
from tests.play.films.test_api_dumps import KNOWN


def event(value: object) -> str:
    return f"data: {value if isinstance(value, str) else json.dumps(value)}\n\n"


def chat(id_: str, text: str, *, is_last: bool = False) -> str:
    choice = {"index": 0, "delta": {"content": text}, "finish_reason": "stop" if is_last else None}
    return event({"id": id_, "model": "m", "choices": [choice]})


def opening(id_: str) -> str:
    return event({"id": id_, "choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}}]})


def token(text: str, place: int, *, is_last: bool = False) -> str:
    return f"event: newToken\nid: {place}\n" + event({"token": text, "ptr": place, "final": is_last})


def candidate(text: str, **more: str) -> str:
    return event({"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}, **more}]})


def cost(id_: str) -> str:
    return event({"id": id_, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}})


DONE = event("[DONE]")
PING = 'event: ping\ndata: {"type": "ping"}\n\n'
START, STOP = event({"type": "message_start", "message": {}}), event({"type": "message_stop"})


@pytest.mark.parametrize(
    "parts",
    [
        pytest.param([chat("a", "One", is_last=True) + DONE], id="one"),
        pytest.param([chat("a", "One", is_last=True) + DONE, chat("b", "Two", is_last=True) + DONE], id="two"),
        pytest.param([chat("a", "One") + DONE, chat("a", "Two") + DONE], id="two of the same id"),
        pytest.param([chat("a", "One", is_last=True) + cost("a"), chat("b", "Two")], id="no mark at the end"),
        pytest.param([chat("a", "One") + chat("b", "Two") + chat("c", "!")], id="a new id for every token"),
        pytest.param([chat("a", "One", is_last=True) + cost("")], id="a cost without an id"),
        pytest.param([DONE + DONE], id="an end that is said twice"),
        pytest.param([START + PING + STOP, START + STOP], id="Anthropic"),
        pytest.param([START + PING, START + STOP], id="one that broke off"),
        pytest.param([event({"type": "response.created"}) + event({"type": "response.completed"}),
                      event({"type": "response.created"})], id="OpenAI's responses"),
        pytest.param([event({"responseId": "a", "candidates": [{"finishReason": "STOP"}]}),
                      event({"responseId": "b", "candidates": []})], id="Google"),
        pytest.param([candidate("One") + candidate("", finishReason="STOP") + event({"usageMetadata": {}}) + candidate(""),
                      candidate("Two", finishReason="STOP")], id="Google, without ids"),
        pytest.param([token("a", 0) + token("b", 1, is_last=True), token("c", 0, is_last=True)], id="NovelAI"),
        pytest.param([opening("a") + chat("a", "On"), opening("b") + chat("b", "Two")], id="one that was cut off"),
        pytest.param([opening("a") + opening("b") + chat("c", "On")], id="a new id and a role for every token"),
        pytest.param([PING + START + STOP + PING, START + STOP], id="keep-alives before, between and behind"),
        pytest.param([": a comment\n\n" + chat("a", "One") + DONE + ": another\n\n"], id="comments"),
        pytest.param(["data: {broken\n\ndata: [1]\n\n" + chat("a", "One")], id="nonsense"),
        pytest.param([""], id="nothing"),
    ],
)  # fmt: skip
def test_events_are_parted_where_an_answer_begins(parts: list[str]) -> None:
    assert parts == events_parted("".join(parts))


@pytest.mark.parametrize(
    "parts",
    [
        ['{"message": {}, "done": false}\n{"message": {}, "done": true}\n', '{"message": {}, "done": true}\n'],
        ['{"id": "a", "choices": [{"finish_reason": "stop"}]}\n', '{"id": "b", "choices": []}'],
        ['{\n  "done": true\n}\n'],
        ['[{"done": true}\n,\n{"done": true}\n]'],
    ],
    ids=["Ollama", "documents", "over several lines", "an array"],
)
def test_lines_are_parted_where_each_is_an_object(parts: list[str]) -> None:
    assert parts == lines_parted("".join(parts))


@pytest.mark.parametrize(
    "piece", ["{\\n", "data: {\\n", "data: {\\n\\n", "{}\\n", ": x\\n\\n", '{"a":', "\\n", "data:"]
)
def test_what_only_looks_like_answers_does_not_take_long(piece: str) -> None:
    body = piece * (2**20 // len(piece))
    began = time.process_time()

    assert body == "".join(events_parted(body)) == "".join(lines_parted(body))
    assert time.process_time() - began < 4


@given(st.text(alphabet='{}[]":, \n\rdataONE1', max_size=80))
def test_nothing_is_lost_or_doubled(body: str) -> None:
    assert body == "".join(events_parted(body)) == "".join(lines_parted(body))


ENDED = [
    path
    for path in KNOWN
    if path.suffix == ".sse" and re.search(r"\[DONE\]|message_start|response.created", path.read_text(encoding="utf-8"))
]


@pytest.mark.parametrize("path", ENDED, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_twice_the_same_is_two_answers(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    (alone,) = recognised(text)

    both = recognised(f"{text.rstrip()}\n\n{text}")

    says = any(isinstance(one, TextDelta | ThoughtDelta | ToolCall) for one in alone.chunks)
    assert [written(alone.chunks)] * (2 if says else len(both)) == [written(one.chunks) for one in both]
