"""Sentences that are rendered later."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import ErrorKind, InputError, Sentence
from cadenza.explain.sentences import Said, as_json, from_json, rendered, said_of
from cadenza.models.error_message import explanation

OVERLOADED = explanation("openai", kind=ErrorKind.OVERLOADED, retry_after=30)
DECIDED = Said("decided", {"setting": "limit", "value": "2000"})
FULL = Said("ends.limit", {"decided": DECIDED})


@pytest.mark.parametrize(
    ("said", "language", "text"),
    [
        pytest.param(
            FULL,
            "en",
            "It ends here because not all of the text that follows fits into the message: limit is 2000.",
            id="English",
        ),
        pytest.param(
            FULL,
            "ja",
            "続きの文の全部はメッセージに入りきらないので、ここで終わります（設定：limit は 2000）。",
            id="Japanese",
        ),
        pytest.param(
            FULL,
            "en-GB",
            "It ends here because not all of the text that follows fits into the message: limit is 2000.",
            id="a locale",
        ),
        pytest.param(
            FULL,
            "xx",
            "It ends here because not all of the text that follows fits into the message: limit is 2000.",
            id="no such language",
        ),
        pytest.param(Said("no.such.key"), "en", "no.such.key", id="no such key"),
        pytest.param(Said("…"), "ja", "…", id="a text"),
        pytest.param(
            Said("pause.planned", {"seconds": "1", "parts": (Said("pause.typing", {"seconds": "2"}), Said("x"))}),
            "ja",
            "送る前に 1 秒の間が予定されました：入力に 2 秒、x。",
            id="several",
        ),
        pytest.param(
            Said("chunk.failed", {"error": Said("error.text", {"error": said_of(OVERLOADED)})}),
            "en",
            "The stream broke off: OpenAI is overloaded or down; try again in 30 seconds, or use another model.",
            id="an error",
        ),
        pytest.param(
            Said("chunk.failed", {"error": Said("error.text", {"error": said_of(OVERLOADED)})}),
            "ja",
            "ストリームが途切れました：OpenAI は混み合っているか、停止しています。30 秒後にもう一度試すか、別のモデルを使ってください。",
            id="an error in Japanese",
        ),
        pytest.param(
            Said("x: {y}", {"y": said_of(Sentence("{a} or {b}", a=(1, Sentence("in a second")), b="{a}"))}),
            "ja",
            "x: 1、1 秒後に or {a}",
            id="a sentence with several values",
        ),
        pytest.param(Said("notice.shown", {"text": "{text}"}), "en", "A notice was shown: {text}", id="braces"),
        pytest.param(Said("notice.shown"), "en", "A notice was shown: {text}", id="no value"),
    ],
)
def test_a_sentence_is_rendered(said: Said, language: str, text: str) -> None:
    assert text == rendered(said, language)


def test_a_sentence_is_json() -> None:
    said = Said("times", {"shares": (Said("times.sent", {"seconds": "0.35"}),), "in": DECIDED})

    assert {
        "key": "times",
        "values": {
            "shares": [{"key": "times.sent", "values": {"seconds": "0.35"}}],
            "in": {"key": "decided", "values": {"setting": "limit", "value": "2000"}},
        },
    } == as_json(said)
    assert {"key": "times.none"} == as_json(Said("times.none"))


VALUES = st.recursive(
    st.text(max_size=5),
    lambda inner: st.builds(Said, st.text(max_size=5), st.dictionaries(st.text(max_size=3), inner, max_size=2)).flatmap(
        lambda said: st.just(said) | st.just((said, said))
    ),
    max_leaves=5,
)


@given(st.dictionaries(st.text(max_size=3), VALUES, max_size=3))
def test_what_was_written_is_read(values: dict[str, Any]) -> None:
    said = Said("key", values)

    assert said == from_json(as_json(said))


def nested(depth: int) -> dict[str, object]:
    said: dict[str, object] = {"key": "inner"}
    for _ in range(depth):
        said = {"key": "outer", "values": {"of": said}}
    return said


@pytest.mark.parametrize(
    "value",
    [
        pytest.param(None, id="nothing"),
        pytest.param("ends.limit", id="a text"),
        pytest.param({}, id="no key"),
        pytest.param({"key": 7}, id="another key"),
        pytest.param({"key": "a", "values": ["b"]}, id="other values"),
        pytest.param({"key": "a", "values": {"b": 7}}, id="a number"),
        pytest.param({"key": "a", "values": {"b": ["c"]}}, id="a list of texts"),
        pytest.param(nested(100), id="too deep"),
    ],
)
def test_what_is_no_sentence_is_refused(value: object) -> None:
    with pytest.raises(InputError, match="is no sentence of an explanation"):
        from_json(value)
