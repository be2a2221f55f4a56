"""Bodies of answers, recognised by what is in them."""

from __future__ import annotations

from pathlib import Path

import pytest

from cadenza.play.films.api_dumps import recognised
from cadenza.types import Failed, Finished, TextDelta, ThoughtDelta
from tests.models.recorded import STREAMS, expected, recorded, written

DIALECTS = {
    "anthropic": "Anthropic's messages",
    "google": "Google's generateContent",
    "novelai": "NovelAI",
    "ollama": "Ollama's chat",
    "openai-responses": "OpenAI's responses",
}
UNKNOWN = {
    "custom/wrapped.sse": "what a gateway has put into an envelope",
    "custom/document-error.document": "an error in Google's way",
    "novelai/glm-too-much-context.sse": "one error, and no word of whose it is",
    "ollama/loaded.ndjson": "nothing is said in it",
}
BY_THE_PROMPT = {"glm-bare-call", "glm-call", "glm-calls", "glm-cut-in-call", "glm-unreadable-call", "kayra-speaker"}
"""Which tools were offered, and who speaks, stands in the request, which is not in a dump."""
FILES = [path for folder in sorted(STREAMS.iterdir()) for path in recorded(folder.name)]
KNOWN = [path for path in FILES if f"{path.parent.name}/{path.name}" not in UNKNOWN]


def comparable(chunks: list[dict[str, object]]) -> list[dict[str, object]]:
    """*chunks*, without what only their vendor reads, and of failures only that they are: no dump says whose it is."""
    return [
        {"chunk": "Failed"} if one["chunk"] == "Failed" else {name: one[name] for name in one if name != "state"}
        for one in chunks
    ]


@pytest.mark.parametrize("path", KNOWN, ids=lambda path: f"{path.parent.name}/{path.name}")
def test_a_stream_is_read_as_its_vendor_would_be(path: Path) -> None:
    (dump,) = recognised(path.read_text(encoding="utf-8"))

    assert DIALECTS.get(path.parent.name, "OpenAI's chat completions") == dump.dialect
    if path.stem not in BY_THE_PROMPT:
        assert comparable(expected(path)) == comparable(written(dump.chunks))


CHAT = 'data: {"model": "m", "choices": [{"index": 0, "delta": {"content": "Hi"}}]}\n\ndata: [DONE]\n\n'
HEAD = "HTTP/2 200 \ncontent-type: text/event-stream\nx-data: 1\n\n"
VERBOSE = """\
$ curl -v https://api.example/v1/chat/completions
  % Total    % Received % Xferd  Average Speed   Time    Time     Time  Current
                                 Dload  Upload   Total   Spent    Left  Speed
  0     0    0     0    0     0      0      0 --:--:-- --:--:-- --:--:--     0
* Connected to api.example
> POST /v1/chat/completions HTTP/2
> Host: api.example
>
} [120 bytes data]
< HTTP/2 200
< content-type: text/event-stream
<
{ [64 bytes data]
"""


@pytest.mark.parametrize(
    "text",
    [
        pytest.param(CHAT, id="as it is"),
        pytest.param("\ufeff" + CHAT, id="behind a byte order mark"),
        pytest.param("\n\n" + CHAT, id="behind empty lines"),
        pytest.param(CHAT.replace("\n", "\r\n"), id="with the line ends of the wire"),
        pytest.param(CHAT.replace("\n\n", "\n"), id="without the empty lines"),
        pytest.param(": processing\n\n" + CHAT, id="behind a comment"),
        pytest.param("event: message\n" + CHAT, id="with names of events"),
        pytest.param(HEAD + CHAT, id="curl -i"),
        pytest.param("HTTP/1.1 100 Continue\r\n\r\n" + HEAD + CHAT, id="curl -i with two heads"),
        pytest.param(VERBOSE + CHAT, id="curl -v"),
        pytest.param(VERBOSE + CHAT + "* Connection #0 to host api.example left intact\n", id="curl -v to the end"),
    ],
)
def test_what_stands_around_a_body_is_passed_over(text: str) -> None:
    (dump,) = recognised(text)

    assert dump.model == "m"
    assert (TextDelta("Hi"), Finished("stop")) == dump.chunks


def test_json_behind_a_head_is_read() -> None:
    line = '{"model": "llama3.2", "message": {"role": "assistant", "content": "Hi"}, "done": false}\n'
    (dump,) = recognised("HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\n\r\n" + line)

    assert TextDelta("Hi") in dump.chunks
    assert dump.model == "llama3.2"


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Hello there.", id="a text"),
        pytest.param("data: is a word with a colon behind it", id="a word with a colon"),
        pytest.param('data: {"some": "thing"}\n\n', id="events of somebody else"),
        pytest.param("data: [DONE]\n\n", id="nothing but an end"),
        pytest.param('{"choices": ["tea", "coffee"]}', id="JSON with a word of theirs"),
        pytest.param('{"choices": []}', id="JSON with nothing in it"),
        pytest.param('{"message": {"content": "Hi"}}', id="JSON that is nearly one"),
        pytest.param('{"choices": [{"delta": {"con', id="half of one"),
        pytest.param('{"a": ' * 5000, id="nested too deep"),
        pytest.param("> a quotation\n\nand a text", id="a quotation"),
        pytest.param("* one\n* two\n", id="a list"),
        pytest.param("", id="nothing"),
    ],
)
def test_what_is_none_is_left_alone(text: str) -> None:
    assert [] == recognised(text)


@pytest.mark.parametrize(
    ("error", "dialect"),
    [
        pytest.param(
            '{"type": "error", "error": {"type": "overloaded_error", "message": "no"}}',
            "Anthropic's messages",
            id="anthropic",
        ),
        pytest.param(
            '{"error": {"code": 429, "status": "RESOURCE_EXHAUSTED", "message": "no"}}',
            "Google's generateContent",
            id="google",
        ),
        pytest.param('{"error": {"message": "no", "type": "server_error"}}', "OpenAI's chat completions", id="openai"),
    ],
)
@pytest.mark.parametrize("form", ["data: {}\n\n", "{}"])
def test_an_answer_that_is_only_an_error_is_one(form: str, error: str, dialect: str) -> None:
    (dump,) = recognised(form.replace("{}", error))

    assert dump.dialect == dialect
    assert isinstance(dump.chunks[-1], Failed)


def test_thoughts_are_thoughts() -> None:
    (dump,) = recognised((STREAMS / "anthropic" / "thinking.sse").read_text(encoding="utf-8"))

    assert any(isinstance(one, ThoughtDelta) for one in dump.chunks)
