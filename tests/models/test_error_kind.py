"""What a failure is, by the table of the specification (§5.7); ``[test]`` numbers are those of its section 5."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import Aspect, ErrorKind, HttpError, ProviderError
from cadenza.models.error_kind import failure, refused, reported, without_secrets

API, MODEL, UNKNOWN = ErrorKind.API, ErrorKind.MODEL, ErrorKind.UNKNOWN
RATE, TIMEOUT, OVERLOADED, BLOCKED = (
    ErrorKind.RATE_LIMIT,
    ErrorKind.TIMEOUT,
    ErrorKind.OVERLOADED,
    ErrorKind.CONTENT_BLOCKED,
)


def judged(error: ProviderError) -> tuple[ErrorKind, bool, str]:
    return error.kind, error.retryable, error.code


def http(status: int, body: object = "", **headers: str) -> HttpError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpError(status, named, (body if isinstance(body, str) else json.dumps(body)).encode())


# --- by status ------------------------------------------------------------------------------

SHARED = {
    400: (API, False), 401: (API, False), 402: (API, False), 403: (API, False), 404: (API, False),
    408: (TIMEOUT, True), 409: (API, False), 413: (API, False), 418: (API, False), 422: (API, False),
    429: (RATE, True), 500: (OVERLOADED, True), 501: (API, False), 502: (OVERLOADED, True), 503: (OVERLOADED, True),
    504: (TIMEOUT, True), 524: (TIMEOUT, True), 529: (OVERLOADED, True),
}  # fmt: skip
FAMILIES = {
    "openai": SHARED,
    "deepseek": SHARED,
    "a vendor nobody knows": SHARED,
    "google": SHARED | {500: (API, True)},
    "vertex": SHARED | {500: (API, True)},
    "openrouter": SHARED,
    "novelai": SHARED | {500: (API, True), 502: (API, True)},
    "anthropic": SHARED,
}


@pytest.mark.parametrize(
    ("vendor", "status", "expected"),
    [
        pytest.param(vendor, status, expected, id=f"{vendor} {status}")
        for vendor, table in FAMILIES.items()
        for status, expected in table.items()
    ],
)
def test_a_status_says_what_it_is(vendor: str, status: int, expected: tuple[ErrorKind, bool]) -> None:
    assert (*expected, str(status)) == judged(failure("no", vendor=vendor, status=status))
    assert (*expected, str(status)) == judged(refused(http(status, {"error": {"message": "no"}}), vendor))
    assert (*expected, str(status)) == judged(reported({"error": {"message": "no", "code": status}}, vendor=vendor))


@pytest.mark.parametrize("vendor", FAMILIES)
@pytest.mark.parametrize(
    "words",
    ["timeout 400 404 500", "rate limit", "overloaded", "quota", "content safety blocked", "connection refused"],
)
def test_words_never_overrule_a_status(vendor: str, words: str) -> None:
    assert (API, False, "401") == judged(failure(words, vendor=vendor, status=401))
    assert (RATE, True, "429") == judged(failure(words, vendor=vendor, status=429))


@pytest.mark.parametrize(
    ("event", "expected"),
    [
        pytest.param({"error": {"code": 429, "message": "Rate limit"}}, (RATE, True, "429"), id="15a"),
        pytest.param({"error": {"code": 503, "message": "x"}}, (OVERLOADED, True, "503"), id="15b"),
        pytest.param({"error": {"code": 401, "message": "x"}}, (API, False, "401"), id="15c"),
        pytest.param("HTTP 400: Unsupported model `x`", (MODEL, False, "400_model"), id="16a"),
        pytest.param("HTTP 429: please recharge", (API, False, "429_balance"), id="16b"),
        pytest.param({"code": 429, "message": "requested 40012 tokens"}, (RATE, True, "429"), id="17a"),
        pytest.param("too much context (32826 tokens), max is 16384", (UNKNOWN, False, "unknown"), id="18"),
    ],
)
@pytest.mark.parametrize("vendor", ["openai", "openrouter", "novelai"])
def test_events_of_the_specification(vendor: str, event: object, expected: tuple[ErrorKind, bool, str]) -> None:
    error = reported(event, vendor=vendor)

    if expected[0] is UNKNOWN:  # a router's failures are a refusal unless they say something else
        expected = (API if vendor == "openrouter" else UNKNOWN, *expected[1:])
    assert expected == judged(error)


@pytest.mark.parametrize("vendor", ["google", "openrouter", "anthropic"])
def test_17b_to_generate_is_no_rate(vendor: str) -> None:
    assert (API, False, "unknown") == judged(failure("Failed to generate content", vendor=vendor))


def test_18_too_much_context_is_shown_as_such() -> None:
    assert Aspect.CONTEXT is failure("too much context (32826 tokens), max is 16384", vendor="novelai").aspect


# --- by name -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("authentication_error", (API, False)),
        ("permission_error", (API, False)),
        ("invalid_request_error", (API, False)),
        ("not_found_error", (API, False)),
        ("request_too_large", (API, False)),
        ("billing_error", (API, False)),
        ("rate_limit_error", (RATE, True)),
        ("api_error", (API, True)),
        ("overloaded_error", (OVERLOADED, True)),
        ("timeout_error", (TIMEOUT, True)),
    ],
)
def test_anthropic_goes_by_its_names(name: str, expected: tuple[ErrorKind, bool]) -> None:
    event = {"type": "error", "error": {"type": name, "message": "Oh"}}

    assert (*expected, name) == judged(reported(event, vendor="anthropic"))
    assert (*expected, name) == judged(refused(http(418, event), "anthropic"))


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param({"type": "overloaded_error"}, (OVERLOADED, True, "overloaded_error"), id="overloaded_error"),
        pytest.param(
            {"type": "tokens", "code": "rate_limit_exceeded"}, (RATE, True, "rate_limit_exceeded"), id="rate limit"
        ),
        pytest.param({"code": "insufficient_quota"}, (API, False, "insufficient_quota"), id="insufficient_quota"),
        pytest.param({"status": "RESOURCE_EXHAUSTED"}, (RATE, True, "RESOURCE_EXHAUSTED"), id="RESOURCE_EXHAUSTED"),
        pytest.param({"status": "INTERNAL"}, (API, True, "INTERNAL"), id="INTERNAL"),
        pytest.param({"type": "server_error"}, (OVERLOADED, True, "server_error"), id="server_error"),
        pytest.param({"type": "never heard of"}, (UNKNOWN, False, "unknown"), id="unknown"),
    ],
)
def test_a_name_stands_for_a_status(error: dict[str, str], expected: tuple[ErrorKind, bool, str]) -> None:
    assert expected == judged(reported({"error": {"message": "Oh", **error}}, vendor="openai"))


def test_a_status_counts_for_more_than_a_name_unless_the_vendor_goes_by_names() -> None:
    event = {"error": {"type": "overloaded_error", "message": "Oh", "code": 400}}

    assert (API, False, "400") == judged(reported(event, vendor="openai"))
    assert (OVERLOADED, True, "overloaded_error") == judged(reported(event, vendor="anthropic"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ECONNREFUSED", (API, False)),
        ("ENOTFOUND", (API, False)),
        ("ECONNRESET", (UNKNOWN, True)),
        ("ETIMEDOUT", (TIMEOUT, True)),
    ],
)
def test_the_networks_own_codes(code: str, expected: tuple[ErrorKind, bool]) -> None:
    assert (*expected, code) == judged(failure("", vendor="openai", code=code))


# --- by words ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("API key not valid. Please pass a valid API key.", (API, False)),
        ("The caller does not have permission", (API, False)),
        ("RESOURCE_EXHAUSTED: slow down", (RATE, True)),
        ("Quota exceeded", (RATE, True)),
        ("You are being rate limited", (RATE, True)),
        ("Too Many Requests", (RATE, True)),
        ("DEADLINE_EXCEEDED", (TIMEOUT, True)),
        ("The request timed out", (TIMEOUT, True)),
        ("UNAVAILABLE", (OVERLOADED, True)),
        ("The model is overloaded.", (OVERLOADED, True)),
        ("Blocked for safety reasons", (BLOCKED, False)),
        ("An unblockedness of corporate quotation", (API, False)),
        ("operated, accelerated and demonstrated", (API, False)),
    ],
)
def test_google_without_a_code_goes_by_words(words: str, expected: tuple[ErrorKind, bool]) -> None:
    assert (*expected, "unknown") == judged(failure(words, vendor="google"))


@pytest.mark.parametrize("words", ["content", "bad content in message", "Your content is too long", "blocked"])
def test_a_word_with_content_in_it_is_no_filter(words: str) -> None:
    assert failure(words, vendor="openrouter").kind is not BLOCKED


def test_a_refused_connection_is_known_by_its_words() -> None:
    assert (API, False, "ECONNREFUSED") == judged(failure("connect: connection refused", vendor="custom"))


# --- what no number tells --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported model `x`",
        "invalid model",
        "Unknown model: foo",
        "unrecognized model id",
        "model gpt-9 is not supported",
        "The model 'foo/bar:free' is unsupported",
        "model `x` not found",
        "Model not found",
        "The model `gpt-9` does not exist or you do not have access to it.",
        "model foo is not available",
        "This model is unavailable",
        "no such model: x",
        "oops (model_not_found)",
        "gemini-1.0-pro has been deprecated",
    ],
)
def test_there_is_no_such_model(words: str) -> None:
    assert (MODEL, False, "404_model") == judged(failure(words, vendor="openai", status=404))
    assert (MODEL, False, "model_error") == judged(failure(words, vendor="openai"))


@pytest.mark.parametrize(
    "words",
    [
        "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "This model does not support image input",
        "The parameter `functions` is deprecated",
        "Invalid model parameter: top_k",
        "remodel not found",
    ],
)
def test_not_every_model_in_a_sentence_is_missing(words: str) -> None:
    assert (API, False, "400") == judged(failure(words, vendor="openai", status=400))


@pytest.mark.parametrize(("status", "kind"), [(503, OVERLOADED), (429, RATE), (504, TIMEOUT)])
def test_a_model_that_is_busy_is_not_gone(status: int, kind: ErrorKind) -> None:
    assert kind is failure("The model is unavailable", vendor="openai", status=status).kind
    assert MODEL is failure("Model not found", vendor="openai", status=status).kind


@pytest.mark.parametrize(
    "words",
    ["Insufficient balance", "insufficient credits", "Not enough credits", "no resource package", "Please recharge.",
     "x (insufficient_quota)"],
)  # fmt: skip
def test_an_empty_account_is_no_rate_limit(words: str) -> None:
    error = failure(words, vendor="zai", status=429)

    assert (API, False, "429_balance") == judged(error)
    assert error.aspect is Aspect.CREDIT


@pytest.mark.parametrize(
    "words", ["Your subscription plan", "does not yet include access to GLM", "your plan does not include it"]
)
def test_a_plan_without_the_model_is_no_rate_limit(words: str) -> None:
    assert (API, False, "429_plan_access") == judged(failure(words, vendor="zai", status=429))


def test_googles_daily_limit_passes() -> None:
    """It speaks of plans and billing whenever any of its limits is reached, also that of a minute."""
    words = "You exceeded your current quota, please check your plan and billing details. Please retry in 12.5s."

    error = refused(http(429, {"error": {"code": 429, "message": words, "status": "RESOURCE_EXHAUSTED"}}), "google")

    assert ((RATE, True, "429"), 12.5) == (judged(error), error.retry_after)


@pytest.mark.parametrize(
    ("body", "status"),
    [
        pytest.param({"error": {"code": "content_filter", "message": "Oh"}}, 400, id="Azure"),
        pytest.param({"error": {"code": "content_policy_violation", "message": "Oh"}}, 400, id="OpenAI"),
        pytest.param(
            {"error": {"message": "It requires moderation on X. Your input was flagged"}}, 403, id="OpenRouter"
        ),
    ],
)
def test_a_filter_is_known_whatever_the_status(body: object, status: int) -> None:
    assert (BLOCKED, False) == judged(refused(http(status, body), "openai"))[:2]


@pytest.mark.parametrize(
    ("words", "aspect"),
    [
        ("This model's maximum context length is 8192 tokens", Aspect.CONTEXT),
        ("context length exceeded", Aspect.CONTEXT),
        ("the context length is 4096", Aspect.CONTEXT),
        ("oh (context_length_exceeded)", Aspect.CONTEXT),
        ("context window is exceeded", Aspect.CONTEXT),
        ("Please reduce the length of the messages", Aspect.CONTEXT),
        ("prompt is too long: 210000 tokens > 200000 maximum", Aspect.CONTEXT),
        ("The input token count (1200000) exceeds the maximum number of tokens allowed", Aspect.CONTEXT),
        ("the request exceeds the available context size", Aspect.CONTEXT),
        ("This request requires more credits, or fewer max_tokens. You can only afford 12", Aspect.CREDIT),
        ("Insufficient credits", Aspect.CREDIT),
        ("Your credit balance is too low to access the API", Aspect.CREDIT),
        ("No endpoints found matching your data policy (Paid model training)", Aspect.PRIVACY),
        ("the context is missing", None),
        ("give credit where it is due", None),
    ],
)
def test_what_else_is_worth_knowing(words: str, aspect: Aspect | None) -> None:
    assert aspect is failure(words, vendor="openrouter", status=400).aspect


def test_a_status_of_402_is_about_money() -> None:
    assert Aspect.CREDIT is refused(http(402), "deepseek").aspect


# --- what is given is kept ------------------------------------------------------------------------


def test_what_is_given_is_not_read_from_the_words() -> None:
    error = failure(
        "rate limit", vendor="google", kind=BLOCKED, code="SAFETY", retry_after=3.0, aspect=Aspect.PRIVACY, status=200
    )

    assert (BLOCKED, False, "SAFETY") == judged(error)
    assert (200, 3.0, Aspect.PRIVACY, "rate limit") == (error.status, error.retry_after, error.aspect, error.detail)


@pytest.mark.parametrize("kind", ErrorKind)
def test_a_given_kind_says_whether_it_passes(kind: ErrorKind) -> None:
    assert (kind in (RATE, TIMEOUT, OVERLOADED)) is failure("x", vendor="openai", kind=kind).retryable


def test_a_refusal_carries_all_there_is() -> None:
    body = {"error": {"message": "Slow down", "type": "requests", "code": "rate_limit_exceeded"}}

    error = refused(http(429, body, retry_after="7"), "openai")

    assert (RATE, True, "429") == judged(error)
    assert (429, 7.0) == (error.status, error.retry_after)
    assert "Slow down (rate_limit_exceeded, requests)" == error.detail


# --- secrets ---------------------------------------------------------------------------------------

KEY = "sk-proj-Zk3vQ9xT1bLm8Rw2Yc7Nf5Hd0Gs4Jp6"


@pytest.mark.parametrize("vendor", FAMILIES)
def test_a_key_that_a_provider_repeats_is_neither_told_nor_noted(vendor: str) -> None:
    words = f"Incorrect API key provided: {KEY}. See https://a.example/?key={KEY}"
    for error in (
        failure(words, vendor=vendor, status=401),
        refused(http(401, {"error": {"message": words, "type": "invalid_request_error"}}), vendor),
        refused(http(401, words), vendor),
        refused(http(401, f"<html><title>{words}</title></html>"), vendor),
        reported({"message": words, "code": KEY}, vendor=vendor),
        reported(words, vendor=vendor),
    ):
        assert KEY not in f"{error}{error.detail}{error.code}{error!r}{vars(error)}"


def test_the_helper_for_others_is_here_too() -> None:
    assert "***" == without_secrets(KEY)


@given(st.text(), st.sampled_from([*FAMILIES]), st.none() | st.integers(400, 599))
def test_whatever_is_said_an_error_is_made_of_it(words: str, vendor: str, status: int | None) -> None:
    error = failure(words, vendor=vendor, status=status)

    assert error.kind in ErrorKind
    assert error.code
    assert str(error)
    assert "\n" not in str(error)


@given(st.binary(), st.integers(400, 599))
def test_whatever_the_body_is_the_status_is_kept(body: bytes, status: int) -> None:
    assert status == refused(HttpError(status, {}, body), "openai").status
