"""What a text or a file is taken for, and what a model said in it."""

from __future__ import annotations

import base64
import json
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ErrorKind, InputError
from cadenza.explain.fact_log import line_of
from cadenza.facts import ChunkHeard, LoggedFact, ReplyBegan, ReplyEnded
from cadenza.play.films.film import dump
from cadenza.play.films.plan import Interlude, Rehearsal, beats_of
from cadenza.play.films.rehearsal import rehearse
from cadenza.play.films.sources import LARGEST, Source, understood
from cadenza.settings import Settings
from cadenza.types import Chunk, Failed, Finished, Persona, Served, StopReason, TextDelta, ThoughtDelta, ToolCall, Usage

HEAD = {"recording": 1, "vendor": "openai", "model": "gpt-5.1", "status": 200}


def lines(*values: object) -> str:
    """*values* as lines of JSON."""
    return "".join(json.dumps(value) + "\n" for value in values)


def event(text: str) -> str:
    """An event of a chat in which *text* is said."""
    return f"data: {json.dumps({'choices': [{'index': 0, 'delta': {'content': text}}]})}\n\n"


def only(data: bytes | str, **options: Any) -> Source:
    """The one source that is in *data*."""
    [source] = understood(data, **options)
    return source


def chunks(source: Source) -> list[Chunk]:
    """All that is said."""
    return [chunk for beat in source.beats for chunk in beat.chunks]


def text(source: Source) -> str:
    """The words of it."""
    return "".join(chunk.text for chunk in chunks(source) if isinstance(chunk, TextDelta))


def times(source: Source) -> list[tuple[float, str]]:
    """When what was said."""
    at, found = 0.0, []
    for beat in source.beats:
        at += beat.after
        found += [(round(at, 4), chunk.text) for chunk in beat.chunks if isinstance(chunk, TextDelta | ThoughtDelta)]
    return found


# --- texts ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "said",
    [
        pytest.param("Hello **there**.\n", id="Markdown"),
        pytest.param("こんにちは 👋🏽", id="Japanese"),
        pytest.param('{"name": "tea", "cups": 2}', id="JSON"),
        pytest.param('[1, 2, {"a": "b"}]', id="a list"),
        pytest.param('{"a": 1', id="half a JSON"),
        pytest.param('{"text": "Hello"}', id="one line that could be of a script"),
        pytest.param('{"step": "one", "of": "a recipe"}', id="a step without a time"),
        pytest.param('{"chunk": "of"}\n{"some": "thing"}', id="lines of JSON"),
        pytest.param("data: the plural of datum", id="a word with a colon"),
        pytest.param("film: 1", id="a word about films"),
        pytest.param("> quoted\n\n* listed\n", id="quotes and lists"),
        pytest.param("HTTP/1.1 200 OK means that all is well.", id="a sentence about HTTP"),
        pytest.param("\ud83d half", id="half a character"),
    ],
)
def test_a_text_is_a_text_whatever_it_looks_like(said: str) -> None:
    source = only(said)

    assert source.what == "text"
    assert text(source) == said
    assert chunks(source)[-1] == Finished()


@given(
    st.text(min_size=1).filter(str.strip).filter(lambda said: "\0" not in said), st.sampled_from(["", "a.md", "b.json"])
)
def test_whatever_it_is_it_is_understood_or_refused_with_a_sentence(said: str, name: str) -> None:
    assert all(source.told.endswith(".") for source in understood(said, name))


@given(st.binary())
def test_bytes_are_understood_or_refused_with_a_sentence(data: bytes) -> None:
    sources: list[Source] = []
    with suppress(InputError):
        sources = understood(data)

    assert all(source.beats for source in sources)


def test_a_text_is_said_at_a_rate() -> None:
    assert times(only("abcdefgh", rate=10)) == [(0.1, "abcd"), (0.2, "efgh")]


@pytest.mark.parametrize(
    "data",
    [
        pytest.param("Grüße".encode(), id="UTF-8"),
        pytest.param(b"\xef\xbb\xbf" + "Grüße".encode(), id="UTF-8 with a mark"),
        pytest.param("Grüße".encode("utf-16"), id="UTF-16"),
    ],
)
def test_bytes_are_read_as_text(data: bytes) -> None:
    assert text(only(data)) == "Grüße"


@pytest.mark.parametrize(
    ("data", "name", "why"),
    [
        pytest.param(b"", "", "nothing in the input", id="nothing"),
        pytest.param(" \n\t", "a.txt", "nothing in 'a.txt'", id="nothing but space"),
        pytest.param("Grüße".encode("latin-1"), "a.txt", "'a.txt' is not text in UTF-8", id="another encoding"),
        pytest.param(b"\x89PNG\r\n\x1a\n\x00\x00", "a.png", "'a.png' is not text", id="a picture"),
        pytest.param(b"abc\x00def", "", "the input is not text", id="a zero"),
        pytest.param("x" * (LARGEST + 1), "", "larger than 8 MB", id="too much"),
        pytest.param(b"\xff\xfe\x00", "", "not text in UTF-8", id="half of UTF-16"),
        pytest.param('{"film": 3, "rec', "", "film is not valid JSON", id="half a film"),
        pytest.param('{"film": 4, "records": []}', "", "version 4", id="a film of tomorrow"),
        pytest.param('{"film": 3, "records": []}', "", "no model said anything", id="an empty film"),
        pytest.param(lines(HEAD, {"after": 0.1}), "", "line 2 of the recording", id="a broken recording"),
        pytest.param(lines(HEAD) + '{"after": 0.1, "te', "", "line 2 of the recording", id="half a recording"),
        pytest.param(lines({"recording": 9}), "", "version 9", id="a recording of tomorrow"),
        pytest.param(lines({**HEAD, "vendor": "nobody"}), "", "unknown vendor 'nobody'", id="a vendor whom nobody knows"),
        pytest.param(lines({"chunks": "Hi"}), "", "line 1 cannot be replayed", id="a broken line to replay"),
        pytest.param(lines({"chunks": ["Hi"]}, {"chunk": []}), "", "line 2 cannot be replayed", id="a misspelt one"),
        pytest.param('{"chunks": ["Hi"]}\n\n{broken', "", r"^line 3 cannot be replayed: the line is not valid JSON: .* \(column 2\)$", id="half a line"),
        pytest.param(lines({"fact": "stop_asked", "at": 0, "reason": "user", "by": ""}), "", "no model said anything in this trace", id="a silent trace"),
        pytest.param(lines({"step": "reply", "at": 0}), "", "the trace cannot be read: .* older version; record the reply again", id="an old trace"),
        pytest.param(lines({"fact": "dream", "at": 0}), "", "the trace cannot be read: 'dream' is not a known fact", id="a trace of tomorrow"),
    ],
)  # fmt: skip
def test_what_cannot_be_used_is_refused_with_a_sentence(data: bytes | str, name: str, why: str) -> None:
    with pytest.raises(InputError, match=why):
        understood(data, name)


def test_a_rate_that_nobody_has_is_refused() -> None:
    with pytest.raises(InputError, match="tokens a second"):
        understood("Hi", rate=0)


def test_a_name_only_explains() -> None:
    assert only("[1]", name="a.json").told == "A text of 3 characters; its format is not recognised."
    assert only("{x", name="a.md").told == "A text of 2 characters; its format is not recognised."
    assert only("[1]", name="a.md").told == "A text of 3 characters."


# --- what Cadenza writes --------------------------------------------------------------------------


def test_a_recording_has_its_own_times() -> None:
    whole = event("Hi 👋").encode()
    cut = whole.index("👋".encode()) if "👋".encode() in whole else len(whole) // 2
    source = only(
        lines(
            HEAD,
            {"after": 0.5, "text": event("One")},
            {"after": 0.25, "base64": base64.b64encode(whole[:cut]).decode()},
            {"after": 1.0, "base64": base64.b64encode(whole[cut:]).decode()},
            {"after": 0.1, "text": "data: [DONE]\n\n"},
        )
    )

    assert source.what == "recording"
    assert source.told == "A recording of openai:gpt-5.1, with its timings."
    assert times(source) == [(0.5, "One"), (1.75, "Hi 👋")]
    assert source.seconds == pytest.approx(1.85)
    assert isinstance(chunks(source)[-1], Finished)


def test_a_recording_of_which_the_connection_broke_fails_then() -> None:
    broke = {"after": 2.0, "broke": {"message": "the connection broke off", "code": "ECONNRESET"}}
    source = only(lines(HEAD, {"after": 0.5, "text": event("One")}, broke))

    assert isinstance(chunks(source)[-1], Failed)
    assert source.seconds == 2.5


def test_a_recording_may_hold_several_answers() -> None:
    refusal = [{**HEAD, "status": 429, "retry_after": "3"}, {"after": 0.2, "text": '{"error": {"message": "no"}}'}]
    first, second = understood(lines(*refusal, HEAD, {"after": 0.5, "text": event("One")}))

    assert isinstance(chunks(first)[-1], Failed)
    assert first.told.endswith("answer 1 of 2, with its timings.")
    assert text(second) == "One"


def test_times_can_be_set_aside() -> None:
    recording = lines(HEAD, {"after": 0.5, "text": event("One") + event("Two")}, {"after": 9, "text": event("Three")})

    assert times(only(recording, rate=10, timed=False)) == [(0.1, "One"), (0.2, "Two"), (0.3, "Three")]


def test_a_script_has_its_own_times() -> None:
    script = lines({"after": 0.5, "text": "Hi"}, {"thought": "Hm."}, {"after": 1, "text": "Bye"}, {"finish": "stop"})
    source = only(script)

    assert source.what == "script"
    assert times(source) == [(0.5, "Hi"), (0.5, "Hm."), (1.5, "Bye")]


def test_a_script_without_times_is_said_at_a_rate() -> None:
    assert times(only(lines({"text": "Hi"}, {"text": "Bye"}), rate=10)) == [(0.1, "Hi"), (0.2, "Bye")]


def test_what_only_looks_like_a_script_is_a_text() -> None:
    assert only(lines({"after": "soon", "text": "Hi"}, {"text": "Bye"})).what == "text"


def test_a_line_to_replay_brings_its_scene() -> None:
    line = {
        "chunks": ["Hel", "lo @kim"],
        "settings": {"degree": 3},
        "persona": {"name": "Ren"},
        "roster": {"mentions": {"kim": 7}},
        "prefill": "Well",
    }
    source = only(lines(line), rate=10)

    assert source.what == "replay"
    assert times(source) == [(0.1, "Hel"), (0.2, "lo @kim")]
    assert source.settings == Settings.of(degree=3)
    assert source.persona == Persona("Ren")
    assert source.roster is not None
    assert source.roster.mentions == {"kim": "<@7>"}
    assert source.rehearsal().prefill == "Well"


@pytest.mark.parametrize(
    ("end", "last", "stops"),
    [
        pytest.param("final", [Finished()], None, id="final"),
        pytest.param("tool", [ToolCall("1", "tool", "{}"), Finished("tool_calls")], None, id="tool"),
        pytest.param("stop", [], StopReason.USER, id="stop"),
        pytest.param("follow_up", [], StopReason.FOLLOW_UP, id="follow-up"),
    ],
)
def test_a_line_to_replay_ends_as_it_says(end: str, last: list[Chunk], stops: StopReason | None) -> None:
    source = only(lines({"chunks": ["Hi"], "end": end}), rate=10)

    assert chunks(source) == [TextDelta("Hi"), *last]
    assert source.rehearsal().asides == ((Interlude(0.1, stops=stops),) if stops else ())


def test_several_lines_are_several_sources() -> None:
    assert ["a", "b"] == [text(source) for source in understood(lines({"chunks": ["a"]}, {"chunks": ["b"]}))]


def begun(persona: str, settings: dict[str, object], turn: str = "1") -> LoggedFact:
    """A reply begins."""
    return LoggedFact(ReplyBegan("reply", "", persona, None, settings), 0.0, turn)


def heard(at: float, kind: str, text: str = "", turn: str = "1", **detail: object) -> LoggedFact:
    """Something arrived from the model."""
    return LoggedFact(ChunkHeard(kind, 0.0, text, detail), at, turn)


def traced() -> list[LoggedFact]:
    """The facts of a reply that calls a tool, and of another beside it."""
    return [
        begun("Ren", {"degree": 3}),
        heard(0.5, "thought", "Hm."),
        begun("", {"gone": 1}, "2"),
        heard(1.0, "text", "One. "),
        heard(1.0, "call", id="1", name="dice", arguments="{}"),
        heard(1.0, "finished", reason="tool_calls"),
        heard(2.5, "text", "Two."),
        heard(2.5, "usage", input_tokens=3, output_tokens=4),
        heard(2.6, "finished", reason="length"),
        heard(0.25, "text", "Other.", "2"),
        heard(0.5, "failed", turn="2", error={"text": "no", "kind": "timeout"}),
        LoggedFact(ReplyEnded({}, 0, "", 0, 0, {}), 3.0, "1"),
    ]


def written(*facts: LoggedFact) -> str:
    """*facts* as lines of a trace."""
    return "".join(line_of(logged) + "\n" for logged in facts)


def test_a_trace_is_all_that_was_said_in_each_reply() -> None:
    first, second = understood(written(*traced()))

    assert first.what == "trace"
    assert first.told == "A trace of Cadenza, reply 1 of 2, with its timings."
    assert times(first) == [(0.5, "Hm."), (1.0, "One. "), (2.5, "Two.")]
    assert chunks(first)[-2:] == [Usage(3, 4), Finished("length")]
    assert first.settings == Settings.of(degree=3)
    assert first.persona == Persona("Ren")
    assert times(second) == [(0.25, "Other.")]
    assert isinstance(chunks(second)[-1], Failed)
    assert second.settings is None


@pytest.mark.parametrize(
    ("kind", "detail", "read"),
    [
        ("served", {"by": "somebody"}, Served("somebody")),
        ("usage", {"input_tokens": "many"}, None),
        ("call", {"id": "1"}, None),
    ],
    ids=["who answered", "odd usage", "a call"],
)
def test_of_what_a_trace_holds_only_what_can_be_said_again_is_read(
    kind: str, detail: dict[str, object], read: Chunk | None
) -> None:
    said, other = heard(1.0, "text", "Hi."), heard(2.0, kind, **detail)
    expected = [TextDelta("Hi."), *([] if read is None else [read]), Finished()]

    assert chunks(only(written(said, other))) == expected


def test_an_error_of_a_sort_that_is_gone_is_one_all_the_same() -> None:
    error = heard(1.0, "failed", error={"text": "", "kind": "gone"})
    last = chunks(only(written(heard(1.0, "text", "Hi."), error)))[-1]

    assert isinstance(last, Failed)
    assert (str(last.error), last.error.kind) == ("the model failed", ErrorKind.API)


def test_a_trace_that_breaks_off_is_read_as_far_as_it_goes() -> None:
    whole = written(*traced()[:4])

    assert text(understood(whole + '{"turn": "1", "at": 2, "fa')[0]) == "One. "


def test_a_film_can_be_played_again() -> None:
    wanted = Rehearsal(
        beats_of("Hello there 👋.\nHow are <think>hm</think> you?", 20), settings=Settings.of(degree=3), asked="Well?"
    )
    film = rehearse(wanted)
    source = only(dump(film))

    assert source.what == "film"
    assert text(source) == "Hello there 👋.\nHow are <think>hm</think> you?"
    again = rehearse(source.rehearsal(Rehearsal((), asked="Well?")))
    assert [one.about for one in film.of_kind("message")] == [one.about for one in again.of_kind("message")]


def test_a_film_with_odd_tokens_is_refused() -> None:
    tokens = {"at": 0, "kind": "tokens", "turn": "1", "sort": "text", "text": "a", "lengths": ["x"], "times": [0]}

    with pytest.raises(InputError, match="no numbers"):
        understood(json.dumps({"film": 3, "records": [tokens]}))


# --- what others write ----------------------------------------------------------------------------


def test_a_stream_of_somebody_is_said_at_a_rate() -> None:
    source = only(event("One") + event("Two") + "data: [DONE]\n\n", rate=10)

    assert source.what == "stream"
    assert source.told == "A stream in the dialect of OpenAI's chat completions; it has no timings of its own."
    assert times(source) == [(0.1, "One"), (0.2, "Two")]


# --- what is made of it ---------------------------------------------------------------------------


def test_a_dump_may_hold_several_answers() -> None:
    one = 'data: {"model": "m", "choices": [{"delta": {"content": "%s"}}]}\n\ndata: [DONE]\n\n'
    first, second = understood(one % "One" + one % "Two")

    assert ("One", "Two") == (first.said, second.said)
    assert (
        "A stream in the dialect of OpenAI's chat completions by m, answer 2 of 2; it has no timings of its own."
        == second.told
    )


def test_settings_that_were_chosen_go_before_those_that_were_found() -> None:
    source = only(lines({"chunks": ["a"], "settings": {"degree": 3}}))

    assert source.rehearsal().settings == Settings.of(degree=3)
    assert source.rehearsal(Rehearsal((), settings=Settings.of(degree=1))).settings == Settings.of(degree=1)


def test_what_a_source_does_not_say_stays_as_it_was() -> None:
    base = Rehearsal((), asked="Well?", persona=Persona("Nova"), title="So")
    wanted = only("Hi", rate=10).rehearsal(base)

    assert (wanted.asked, wanted.persona, wanted.title) == ("Well?", Persona("Nova"), "So")
    assert wanted.beats == tuple(beats_of("Hi", 10))


@pytest.mark.parametrize("sort", ["replay", "trace"])
def test_no_file_that_somebody_gives_chooses_files_of_this_machine_or_a_way_to_a_model(sort: str) -> None:
    chosen = {"table_fonts": ["/dev/zero"], "proxy": "http://evil.example", "degree": 1}
    given = (
        json.dumps({"chunks": ["Hi"], "settings": chosen})
        if sort == "replay"
        else written(begun("", chosen), heard(0.1, "text", "Hi"))
    )

    (found,) = understood(given)

    assert sort == found.what
    assert Settings.of(degree=1) == found.settings
