from __future__ import annotations

import json
import time

import pytest
from hypothesis import given, strategies as st

from cadenza.models.error_text import ErrorText, complaint_in, complaint_of, is_generic, stated_status

OVERLOADED = {"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}, "request_id": "req_1"}
ROUTED = {
    "error": {
        "message": "Provider returned error",
        "code": 400,
        "metadata": {"raw": json.dumps({"error": {"message": "Unsupported parameter: min_p"}}), "provider_name": "X"},
    }
}
QUOTA = {
    "error": {
        "code": 429,
        "message": "Quota exceeded.",
        "status": "RESOURCE_EXHAUSTED",
        "details": [
            {"@type": "type.googleapis.com/google.rpc.Help", "links": [{"description": "more", "url": "u"}]},
            {"@type": "type.googleapis.com/google.rpc.RetryInfo", "retryDelay": "12.5s"},
        ],
    }
}


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"error": {"message": "no"}}, ErrorText("no"), id="error.message"),
        pytest.param({"message": "no", "code": 429}, ErrorText("no", 429), id="flat"),
        pytest.param({"message": "no", "code": "503"}, ErrorText("no", 503), id="a number in quotes"),
        pytest.param({"message": "no", "code": "1113"}, ErrorText("no"), id="a number that is no status"),
        pytest.param({"detail": "Not Found"}, ErrorText("Not Found"), id="detail"),
        pytest.param({"error": "model 'x' not found"}, ErrorText("model 'x' not found"), id="error is a text"),
        pytest.param({"errors": [{"message": "a"}, {"message": "b"}]}, ErrorText("a; b"), id="errors"),
        pytest.param({"errors": ["a", "b", "a"]}, ErrorText("a; b"), id="errors are texts, one twice"),
        pytest.param({"error": {"message": {"text": 1, "msg": "no"}}}, ErrorText("no"), id="message is an object"),
        pytest.param(
            {
                "detail": [
                    {"loc": ["body", "top_k"], "msg": "Extra inputs are not permitted", "type": "extra_forbidden"}
                ]
            },
            ErrorText("'top_k': Extra inputs are not permitted"),
            id="FastAPI",
        ),
        pytest.param(QUOTA, ErrorText("Quota exceeded.", 429, ("RESOURCE_EXHAUSTED",), 12.5), id="Google"),
        pytest.param([QUOTA], ErrorText("Quota exceeded.", 429, ("RESOURCE_EXHAUSTED",), 12.5), id="Google, in a list"),
        pytest.param(ROUTED, ErrorText("Unsupported parameter: min_p", 400), id="OpenRouter, wrapped"),
        pytest.param(OVERLOADED, ErrorText("Overloaded", None, ("overloaded_error",)), id="Anthropic"),
        pytest.param(
            {"error": json.dumps(OVERLOADED)}, ErrorText("Overloaded", None, ("overloaded_error",)), id="wrapped twice"
        ),
        pytest.param(
            "529 " + json.dumps(OVERLOADED),
            ErrorText("Overloaded", 529, ("overloaded_error",)),
            id="a number before JSON",
        ),
        pytest.param(
            {"error": {"message": "Unsupported value", "param": "temperature", "code": "unsupported_value"}},
            ErrorText("Unsupported value (parameter 'temperature')", None, ("unsupported_value",)),
            id="the parameter is named beside",
        ),
        pytest.param(
            {"error": {"message": "'stop' is bad", "param": "stop"}},
            ErrorText("'stop' is bad"),
            id="and in the message",
        ),
        pytest.param(
            'event: error\ndata: {"error":{"message":"x","code":500}}\n\n', ErrorText("x", 500), id="a stream"
        ),
        pytest.param(
            "<html><head><title>502 Bad Gateway</title></head><body>nginx</body></html>",
            ErrorText("502 Bad Gateway"),
            id="a page",
        ),
        pytest.param("<p>Go <b>away</b></p>", ErrorText("Go away"), id="a page without a title"),
        pytest.param("  upstream\n connect   error ", ErrorText("upstream connect error"), id="plain text"),
        pytest.param("{'not': json}", ErrorText("{'not': json}"), id="not JSON"),
        pytest.param('{"foo": 1}', ErrorText('{"foo": 1}'), id="no key that we know"),
        pytest.param('look: {"foo": 1}', ErrorText('look: {"foo": 1}'), id="nor in a text"),
        pytest.param({"error": {"message": "", "code": 400}}, ErrorText("", 400), id="an empty message"),
        pytest.param('{"error": {}}', ErrorText(), id="an empty error"),
        pytest.param("", ErrorText(), id="nothing"),
        pytest.param(None, ErrorText(), id="null"),
        pytest.param(7, ErrorText(), id="a number"),
    ],
)
def test_the_message_is_found(value: object, expected: ErrorText) -> None:
    assert expected == complaint_in(value)


@pytest.mark.parametrize(
    "value", [OVERLOADED, ROUTED, QUOTA, {"detail": "no"}], ids=["Anthropic", "OpenRouter", "Google", "detail"]
)
def test_an_object_and_its_text_say_the_same(value: object) -> None:
    assert complaint_in(value) == complaint_in(json.dumps(value)) == complaint_of(json.dumps(value).encode(), {})


@pytest.mark.parametrize(("depth", "expected"), [(8, "deep"), (30, "")])
def test_only_so_many_wrappings_are_taken_off(depth: int, expected: str) -> None:
    value: object = "deep"
    for _ in range(depth):
        value = {"error": value}

    assert expected == complaint_in(value).message


def test_what_it_is_called_stands_behind_the_message_once() -> None:
    assert "no (rate_limit_error)" == ErrorText("no", names=("rate_limit_error",)).detail
    assert "a rate_limit_error" == ErrorText("a rate_limit_error", names=("rate_limit_error",)).detail
    assert "(overloaded)" == ErrorText("", names=("overloaded",)).detail


@pytest.mark.parametrize(
    ("headers", "expected"),
    [
        pytest.param({}, None, id="nothing"),
        pytest.param({"retry-after": "7"}, 7.0, id="seconds"),
        pytest.param({"retry-after": "0.5"}, 0.5, id="a part of a second"),
        pytest.param({"retry-after-ms": "1500", "retry-after": "2"}, 1.5, id="milliseconds are more exact"),
        pytest.param({"retry-after": "Wed, 21 Oct 2026 07:28:00 GMT"}, None, id="a date needs a clock"),
        pytest.param({"retry-after": "-1"}, None, id="before now"),
        pytest.param({"retry-after": "999999999"}, None, id="decades"),
        pytest.param({"x-ratelimit-reset-requests": "6m0s"}, None, id="a limit that was not reached"),
        pytest.param(
            {"x-ratelimit-reset-requests": "6m0s", "x-ratelimit-remaining-requests": "0"}, 360.0, id="one that was"
        ),
        pytest.param(
            {
                "x-ratelimit-reset-requests": "1s",
                "x-ratelimit-remaining-requests": "0",
                "x-ratelimit-reset-tokens": "1m2.5s",
                "x-ratelimit-remaining-tokens": "0",
            },
            62.5,
            id="both",
        ),
        pytest.param(
            {"x-ratelimit-reset": "1741305600000", "x-ratelimit-remaining": "0"}, None, id="a time needs a clock"
        ),
    ],
)
def test_headers_say_how_long_to_wait(headers: dict[str, str], expected: float | None) -> None:
    assert expected == complaint_of(b"", headers).retry_after


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param({"message": "Please try again in 20ms."}, 0.02, id="milliseconds"),
        pytest.param({"message": "Rate limit reached. Please retry in 12.7s. Or later"}, 12.7, id="seconds"),
        pytest.param({"message": "try again in 6m0s"}, 360.0, id="minutes"),
        pytest.param({"message": "retry after 3 minutes"}, 180.0, id="in words"),
        pytest.param({"message": "try again in 1h2m3s"}, 3723.0, id="hours"),
        pytest.param({"message": "try again later"}, None, id="some time"),
        pytest.param({"message": "x", "retry_after": 4}, 4.0, id="a field"),
        pytest.param({"message": "x", "retry_after": True}, None, id="a field that is no number"),
        pytest.param({"message": "x", "retry_after": -4}, None, id="a number that is no time"),
    ],
)
def test_the_body_says_how_long_to_wait(value: object, expected: float | None) -> None:
    assert expected == complaint_in(value).retry_after


def test_a_header_counts_for_more_than_the_body() -> None:
    assert 3.0 == complaint_of(json.dumps(QUOTA).encode(), {"retry-after": "3"}).retry_after


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("HTTP 429: slow down", 429),
        ("429 Too Many Requests", 429),
        ("Error code: 500 - x", 500),
        ("error: 402 Payment Required", 402),
        ("status code 503", 503),
        ("request failed (503)", 503),
        ("requested 40012 tokens", None),
        ("requested 400 tokens", None),
        ("(400 tokens)", None),
        ("400 tokens are too many", None),
        ("max is 16384", None),
        ("code 4291", None),
        ("error 200", None),
    ],
)
def test_a_status_counts_only_where_it_is_said_to_be_one(text: str, expected: int | None) -> None:
    assert expected == stated_status(text)


@pytest.mark.parametrize(
    "message",
    ["", " ", "error", "Error.", "Bad Request", "bad request!!", "request failed", "Internal Server Error.",
     "internal error", "Provider returned error", "Internal server error. (InternalServerError)", "(server_error)"],
)  # fmt: skip
def test_what_says_nothing_is_generic(message: str) -> None:
    assert is_generic(message)


@pytest.mark.parametrize(
    "message", ["Service temporarily overloaded", "bad request: min_p", "error in stop", "502 Bad Gateway", "(a) b"]
)
def test_what_says_something_is_not(message: str) -> None:
    assert not is_generic(message)


_KEYS = ["error", "message", "detail", "errors", "metadata", "raw", "code", "status", "type", "param", "loc", "msg",
         "details", "retryDelay", "retry_after", "x"]  # fmt: skip
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from(_KEYS), inner),
)


@given(_VALUES)
def test_whatever_is_sent_something_is_made_of_it(value: object) -> None:
    complaint = complaint_in(value)

    assert complaint.status is None or 400 <= complaint.status <= 599
    assert complaint.retry_after is None or complaint.retry_after >= 0
    assert len(complaint.message) <= 4 * 2100


@given(st.binary())
def test_whatever_the_body_is_it_can_be_read(body: bytes) -> None:
    assert isinstance(complaint_of(body, {}).detail, str)


@pytest.mark.parametrize("body", ["[" * 60_000 + "]" * 60_000, '{"error":' * 9_000 + "1" + "}" * 9_000, "<" * 60_000 + ">",
                                  "{" * 65_000 + "}", "try in 1" * 8_000, "(" * 65_000 + " " * 500])  # fmt: skip
def test_a_hostile_body_costs_little(body: str) -> None:
    start = time.process_time()

    complaint = complaint_of(body.encode(), {})
    is_generic(complaint.detail)
    stated_status(complaint.message)

    assert time.process_time() - start < 2.0
