"""The pipeline as a filter: what goes in, what comes out, and what is said about a bad line."""

from __future__ import annotations

import json
from typing import Any

import pytest

from cadenza.errors import InputError
from cadenza.replies.replay import replay_line, replay_recording, slicer
from cadenza.settings import Settings


def answer(**line: Any) -> dict[str, Any]:
    return replay_line(json.dumps(line).encode())


def texts(**line: Any) -> list[str]:
    return [post["text"] for post in answer(**line)["posts"]]


def test_the_smallest_line_gives_everything() -> None:
    assert {
        "id": None,
        "posts": [
            {
                "text": "Hi :) there, everyone here.",
                "joint": "",
                "boundary": "newline",
                "pause": 0.0,
                "identity": None,
                "label": "",
                "attachment": None,
            },
            {
                "text": "second\nblock",
                "joint": "\n\n",
                "boundary": "final",
                "pause": 0.0,
                "identity": None,
                "label": "",
                "attachment": None,
            },
        ],
        "segments": [
            {"text": "Hi :) there, everyone here.\n", "boundary": "newline", "kind": "prose"},
            {"text": "\n", "boundary": "newline", "kind": "prose"},
            {"text": "second\n", "boundary": "newline", "kind": "prose"},
            {"text": "block", "boundary": "final", "kind": "prose"},
        ],
        "thoughts": [],
        "details": [],
        "halt": None,
        "outcome": "completed",
    } == answer(chunks=["Hi :) there, everyone here.\n\nsecond\nblock"])


@pytest.mark.parametrize("id_", [1, "a", None, [1], {"a": 1}, True])
def test_the_id_comes_back_as_it_was(id_: object) -> None:
    assert id_ == answer(id=id_, chunks=[])["id"]


@pytest.mark.parametrize(
    ("end", "expected", "outcome"),
    [
        pytest.param("final", ["One.", "Two. Three"], "completed", id="final"),
        pytest.param("tool", ["One.", "Two."], "needs_tools", id="tool"),
        pytest.param("stop", ["One."], "stopped", id="stop"),
        pytest.param("follow_up", ["One."], "stopped", id="follow-up"),
    ],
)
def test_how_it_ends(end: str, expected: list[str], outcome: str) -> None:
    result = answer(chunks=["One.\nTwo. Three"], end=end, settings={"degree": 1})

    assert (expected, outcome) == ([post["text"] for post in result["posts"]], result["outcome"])


def test_code_and_tables_have_their_kind() -> None:
    result = answer(chunks=["a\n```py\nx\n```\n| a | b |\n|---|---|\n| 1 | 2 |\n\nz"])

    assert [("prose", "newline"), ("code", "code_close"), ("prose", "newline"), ("table", "newline")] == [
        (segment["kind"], segment["boundary"]) for segment in result["segments"][:4]
    ]


def test_persona_and_roster_reach_the_rules() -> None:
    result = answer(
        chunks=["Ren (Smug): hi @alice and @Bob :wave: there\nRen: bye"],
        settings={"degree": 1},
        persona={"name": "Ren", "aliases": ["R"], "sprites": ["mad", {"name": "smug", "avatar": "x"}]},
        roster={"emoji": ["<:wave:123>"], "mentions": {"alice": 1, "@bob": "<@2>"}, "personas": {}, "recent_emoji": []},
    )

    first, second = result["posts"]
    assert ("hi <@1> and <@2> <:wave:123> there", {"name": "Ren", "avatar": "x"}, "Ren (smug): ") == (
        first["text"],
        first["identity"],
        first["label"],
    )
    assert ("bye", None, "") == (second["text"], second["identity"], second["label"])


def test_a_stage_that_ends_the_reply_is_named() -> None:
    result = answer(chunks=["a\nb\nc"], settings={"message_limit": 1, "degree": 1})

    assert ("message_limit", "stopped", 1) == (result["halt"], result["outcome"], len(result["posts"]))


def test_thoughts_and_details_are_kept_apart() -> None:
    result = answer(chunks=["<think>a</think><details>b</details>c"])

    assert (["a"], ["b"], ["c"]) == (result["thoughts"], result["details"], [p["text"] for p in result["posts"]])


@pytest.mark.parametrize("chunks", [[], [""], ["", ""], [" \n "]])
def test_nothing_said_is_empty(chunks: list[str]) -> None:
    result = answer(chunks=chunks)

    assert ([], "empty") == (result["posts"], result["outcome"])


def test_odd_characters_become_ones_that_can_be_sent() -> None:
    assert ["\ufffd \ufffd x 😀"] == texts(chunks=["\ud800 \0 x \ud83d", "\ude00"])


@pytest.mark.parametrize(
    "text",
    [
        "word " * 200_000,
        "a" * 1_000_000,
        "(" * 300_000,
        "```py\n" + "x = 1\n" * 150_000,
        "日" * 500_000,
        "x\n" * 20_000,
    ],
    ids=["words", "one word", "brackets", "code", "japanese", "lines"],
)
def test_a_megabyte_in_one_chunk_is_a_stream_like_others(text: str) -> None:
    sent = texts(chunks=[text], settings={"degree": 1, "flood_limit": 1_000_000})

    assert all(0 < len(message) <= 1950 for message in sent)
    assert sum(message.count("x") for message in sent) == text.count("x")


@pytest.mark.parametrize("degree", [0, 1, 2, 3])
def test_pauses_are_the_same_every_time(degree: int) -> None:
    line: dict[str, Any] = {"chunks": ["one\ntwo\nthree\nfour"], "settings": {"degree": degree}}

    assert answer(**line) == answer(**line)


# --- bad lines -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "complaint"),
    [
        pytest.param(b"nope", "not valid JSON", id="not JSON"),
        pytest.param(b"{}", "no 'chunks'", id="no chunks"),
        pytest.param(b"[]", "must be an object", id="a list"),
        pytest.param(b"null", "must be an object", id="null"),
        pytest.param(b"\xff\xfe", "not valid UTF-8", id="not UTF-8"),
        pytest.param(b"[" * 100_000, "nesting is too deep", id="deep"),
        pytest.param(b'{"chunks": [1' + b"0" * 5000 + b"]}", "too long", id="long number"),
        pytest.param(b'{"chunks": "text"}', "'chunks' must be a list", id="chunks is a text"),
        pytest.param(b'{"chunks": ["a", 1]}', "list of strings, but holds 1", id="a number among the chunks"),
        pytest.param(b'{"chunks": [], "setings": {}}', "did you mean 'settings'?", id="misspelt field"),
        pytest.param(b'{"chunks": [], "settings": []}', "'settings' must be an object", id="settings is a list"),
        pytest.param(b'{"chunks": [], "settings": {"degre": 1}}', "did you mean 'degree'?", id="misspelt setting"),
        pytest.param(b'{"chunks": [], "settings": {"x": 1}}', "unknown setting 'x'", id="unknown setting"),
        pytest.param(b'{"chunks": [], "settings": {"degree": "1"}}', "must be a whole number", id="wrong type"),
        pytest.param(b'{"chunks": [], "settings": {"degree": 4}}', "between 0 and 3", id="out of range"),
        pytest.param(b'{"chunks": [], "end": "later"}', "'end' must be one of", id="unknown end"),
        pytest.param(b'{"chunks": [], "end": []}', "'end' must be one of", id="end is a list"),
        pytest.param(b'{"chunks": [], "persona": {"name": 1}}', "'persona.name' must be a text", id="name"),
        pytest.param(
            b'{"chunks": [], "persona": {"sprites": [1]}}', "'persona.sprites[]' must be an object", id="sprite"
        ),
        pytest.param(
            b'{"chunks": [], "persona": {"sprites": [{"name": "a", "is_identity": 1}]}}',
            "true or false",
            id="is_identity",
        ),
        pytest.param(
            b'{"chunks": [], "persona": {"sprites": [{"avatar": "x"}]}}', "sprites[].name' must be a text", id="no name"
        ),
        pytest.param(
            b'{"chunks": [], "persona": {"is_alter": "yes"}}', "'persona.is_alter' must be true or false", id="is_alter"
        ),
        pytest.param(
            b'{"chunks": [], "roster": {"participants": [1]}}',
            "'roster.participants[]' must be an object",
            id="participant",
        ),
        pytest.param(b'{"chunks": [], "roster": {"speakers": "a"}}', "'roster.speakers' must be a list", id="speakers"),
        pytest.param(b'{"chunks": [], "prefill": 1}', "'prefill' must be a text", id="prefill"),
        pytest.param(b'{"chunks": [], "id": NaN}', "invalid", id="NaN"),
        pytest.param(b'{"chunks": [], "roster": {"emoji": ["x"]}}', "tags such as", id="emoji"),
        pytest.param(b'{"chunks": [], "roster": {"mentions": {"a": []}}}', "'roster.mentions' must be", id="mentions"),
    ],
)
def test_a_bad_line_is_answered_with_what_is_wrong_with_it(line: bytes, complaint: str) -> None:
    result = replay_line(line)

    assert ["id", "error"] == list(result)
    assert complaint in str(result["error"])


def test_a_bad_line_keeps_its_id() -> None:
    assert answer(id=7)["id"] == 7


def test_a_field_that_is_nobody_s_is_left_alone() -> None:
    assert "error" not in answer(chunks=["a"], note="seen on Tuesday")


def test_settings_from_outside_hold_where_the_line_is_silent() -> None:
    settings = Settings.of(degree=0, limit=60)

    result = replay_line(b'{"chunks": ["a\\nb"], "settings": {"degree": 1}}', settings=settings)

    assert len(result["posts"]) == 2  # type: ignore[arg-type]


# --- slices ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("how", "count"), [pytest.param("whole", 1, id="whole"), pytest.param("chars", 10, id="characters")]
)
def test_slices(how: str, count: int) -> None:
    slices = slicer(how)(["abc", "defghij"])

    assert (count, "abcdefghij") == (len(slices), "".join(slices))


def test_random_slices_are_the_same_for_the_same_seed() -> None:
    text = ["word " * 100]

    assert slicer("random:7")(text) == slicer("random:7")(text) != slicer("random:8")(text)
    assert "".join(slicer("random:7")(text)) == text[0]


@pytest.mark.parametrize(
    "how", ["", "half", "random", "random:", "random:x", "random:" + "9" * 5000, "random:-1", "random:²"]
)
def test_an_unknown_way_to_slice_is_refused(how: str) -> None:
    with pytest.raises(InputError, match="whole, chars or random:SEED"):
        slicer(how)


# --- recordings --------------------------------------------------------------------------------------


def recording(*rows: dict[str, Any], **head: Any) -> str:
    return "\n".join(json.dumps(row) for row in ({"recording": 1, "vendor": "openai", "model": "m", **head}, *rows))


def delta(text: str) -> dict[str, Any]:
    event = {"choices": [{"index": 0, "delta": {"content": text}, "finish_reason": None}]}
    return {"after": 0.5, "text": f"data: {json.dumps(event)}\n\n"}


CALLED = {
    "text": 'data: {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": 0, "id": "c1", "function": '
    '{"name": "weather", "arguments": "{}"}}]}, "finish_reason": "tool_calls"}], '
    '"usage": {"prompt_tokens": 9, "completion_tokens": 4}}\n\ndata: [DONE]\n\n'
}


@pytest.mark.parametrize("how", [None, "whole", "chars", "random:3"])
def test_a_recording_is_what_the_provider_said(how: str | None) -> None:
    text = recording(delta("Hi :) th"), delta("ere\nTea (gre"), delta("en) is ready."), CALLED)

    (result,) = replay_recording(text, settings=Settings.of(degree=1), slices=slicer(how) if how else None)

    assert ["Hi :) there", "Tea (green) is ready."] == [post["text"] for post in result["posts"]]  # type: ignore[attr-defined]
    assert ("openai:m", "needs_tools", None) == (result["id"], result["outcome"], result["failure"])
    assert [{"id": "c1", "name": "weather", "arguments": "{}"}] == result["calls"]
    assert {"input_tokens": 9, "output_tokens": 4, "cached_tokens": 0, "thought_tokens": 0} == result["usage"]


def test_every_answer_of_a_recording_is_a_line() -> None:
    refused = recording({"text": '{"error": {"message": "no"}}'}, status=400)
    broken = recording(delta("One.\nTw"), {"broke": {"message": "it broke"}})

    first, second = replay_recording(f"{refused}\n{broken}", settings=Settings.of(degree=1))

    assert ([], "broke") == (first["posts"], first["outcome"])
    assert first["failure"]
    assert ["One.", "Tw"] == [post["text"] for post in second["posts"]]  # type: ignore[attr-defined]
    assert ("broke", "it broke") == (second["outcome"], second["failure"])


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param(recording() + "\nnonsense", "line 2 of the recording", id="a broken line"),
        pytest.param(recording(vendor="acme"), "unknown vendor 'acme'", id="an unknown vendor"),
    ],
)
def test_a_recording_that_cannot_be_read_is_answered_with_an_error(text: str, complaint: str) -> None:
    (result,) = replay_recording(text)

    assert ["id", "error"] == list(result)
    assert complaint in str(result["error"])


@pytest.mark.parametrize(("on_stop", "said"), [("silence", []), ("clause", ["words and words."])])
def test_after_a_stop_there_is_one_clause_at_most(on_stop: str, said: list[str]) -> None:
    settings = {"degree": 0, "limit": 50, "on_stop": on_stop}

    assert said == texts(chunks=["words and words. " * 10], end="stop", settings=settings)
