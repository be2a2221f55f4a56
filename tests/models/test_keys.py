"""Keys: what helps against a failure, which key is used, and how long its cooldown is.

``[test]`` numbers are those of the specification's section 10, ``B`` numbers the defects of its section 12.
"""

from __future__ import annotations

import asyncio
import json
import math
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.errors import (
    Aspect,
    CadenzaError,
    DeliveryError,
    DeliveryKind,
    ErrorKind,
    HttpError,
    InputError,
    ProviderError,
    SettingsError,
    ToolError,
)
from cadenza.models.dialects.dialect import unreadable_stream
from cadenza.models.error_kind import failure, refused, reported
from cadenza.models.keys import Key, KeyRecord, KeyRemedy, Keyring, cure, ready, ready_in
from cadenza.models.model import Model, stream_error
from cadenza.models.vendors import VENDORS
from cadenza.settings import FallbackSettings
from cadenza.types import Broke, Completed, Empty, NeedsTools, Outcome, Stalled, Stopped, StopReason
from tests.timing import now
from tests.tiny import Server, TinyCodec

pytestmark = pytest.mark.looptime

KEY, TIME, MODEL, NOTHING = KeyRemedy.KEY, KeyRemedy.TIME, KeyRemedy.MODEL, KeyRemedy.NOTHING


def http(status: int, body: object = "", **headers: str) -> HttpError:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return HttpError(status, named, (body if isinstance(body, str) else json.dumps(body)).encode())


def refusal(status: int, message: str = "no", *, vendor: str = "openai", **more: object) -> ProviderError:
    return refused(http(status, {"error": {"message": message, **more}}), vendor)


def rate_limit(seconds: float | None = None) -> ProviderError:
    return ProviderError("too often", kind=ErrorKind.RATE_LIMIT, code="429", status=429, retry_after=seconds)


WRONG_KEY = ProviderError("not accepted", kind=ErrorKind.API, code="401", status=401)


# --- what helps: by status, for every vendor -----------------------------------------------------

STATUSES: Mapping[int, KeyRemedy] = {
    400: MODEL, 401: KEY, 402: KEY, 403: KEY, 404: MODEL, 405: MODEL, 408: TIME, 409: MODEL, 413: MODEL, 418: MODEL,
    422: MODEL, 429: KEY, 500: TIME, 501: MODEL, 502: TIME, 503: TIME, 504: TIME, 505: MODEL, 520: TIME, 521: TIME,
    522: TIME, 523: TIME, 524: TIME, 525: TIME, 529: TIME, 530: TIME,
}  # fmt: skip


@pytest.mark.parametrize("vendor", VENDORS)
def test_a_status_says_what_helps(vendor: str) -> None:
    found = {status: cure(refusal(status, vendor=vendor)) for status in STATUSES}
    in_a_stream = {
        status: cure(reported({"error": {"message": "no", "code": status}}, vendor=vendor)) for status in STATUSES
    }
    of_a_page = {status: cure(refused(http(status, "<html><title>Oh</title></html>"), vendor)) for status in STATUSES}

    assert STATUSES == found == in_a_stream == of_a_page


@pytest.mark.parametrize("status", [301, 307, None])
def test_what_is_no_refusal_and_no_trouble_of_the_server_s_needs_another_model(status: int | None) -> None:
    assert MODEL is cure(ProviderError("no", kind=ErrorKind.API, status=status))


@pytest.mark.parametrize("status", [401, 403, 407])
def test_a_proxy_that_refuses_us_does_not_look_at_the_key(status: int) -> None:
    assert MODEL is cure(ProviderError("no", kind=ErrorKind.API, status=status, code=f"{status}_proxy"))


# --- by what it is called, where there is no status ----------------------------------------------


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("authentication_error", KEY),
        ("permission_error", KEY),
        ("billing_error", KEY),
        ("rate_limit_error", KEY),
        ("invalid_request_error", MODEL),
        ("not_found_error", MODEL),
        ("request_too_large", MODEL),
        ("api_error", TIME),
        ("overloaded_error", TIME),
        ("timeout_error", TIME),
    ],
)
def test_anthropic_s_names(name: str, expected: KeyRemedy) -> None:
    assert expected is cure(reported({"type": "error", "error": {"type": name, "message": "Oh"}}, vendor="anthropic"))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("rate_limit_exceeded", KEY),
        ("insufficient_quota", KEY),
        ("invalid_api_key", KEY),
        ("authentication_error", KEY),
        ("server_error", TIME),
        ("engine_overloaded_error", TIME),
        ("timeout", TIME),
        ("unsupported_parameter", MODEL),
        ("context_length_exceeded", MODEL),
        ("content_filter", MODEL),
        ("model_not_found", MODEL),
        ("RESOURCE_EXHAUSTED", KEY),
        ("PERMISSION_DENIED", KEY),
        ("UNAUTHENTICATED", KEY),
        ("UNAVAILABLE", TIME),
        ("DEADLINE_EXCEEDED", TIME),
        ("INTERNAL", TIME),
        ("ABORTED", TIME),
        ("INVALID_ARGUMENT", MODEL),
        ("FAILED_PRECONDITION", MODEL),
        ("SAFETY", MODEL),
        ("never_heard_of", MODEL),
    ],
)
def test_the_names_of_the_others(name: str, expected: KeyRemedy) -> None:
    assert expected is cure(reported({"error": {"code": name, "message": "Oh"}}, vendor="openai"))


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("ECONNRESET", TIME),
        ("ETIMEDOUT", TIME),
        ("ECONNREFUSED", MODEL),
        ("ENOTFOUND", MODEL),
        ("429_balance", KEY),
        ("429_plan_access", KEY),
    ],
)
def test_codes_of_the_network_and_of_ours(code: str, expected: KeyRemedy) -> None:
    assert expected is cure(failure("", vendor="openai", code=code))


@pytest.mark.parametrize("code", ["TLS", "EACCES", "ELOOP", "EPROTO", "EINVAL", "EHOSTUNREACH", "closed", "EMSGSIZE"])
def test_a_way_that_leads_nowhere_needs_another_model(code: str) -> None:
    assert MODEL is cure(ProviderError("no", kind=ErrorKind.API, code=code))


@pytest.mark.parametrize(
    "error",
    [
        pytest.param(stream_error(ValueError("x")), id="a stream that broke off"),
        pytest.param(unreadable_stream("openai"), id="nothing that could be read"),
        pytest.param(failure("x", vendor="openai", kind=ErrorKind.API, code="error"), id="an answer that ended so"),
        pytest.param(
            failure("x", vendor="novelai", kind=ErrorKind.API, code="tool_call_parse_error"), id="a call that is none"
        ),
        pytest.param(
            ProviderError("x", kind=ErrorKind.API, code="MALFORMED_FUNCTION_CALL", retryable=True), id="Google's"
        ),
        pytest.param(failure("x", vendor="stream", kind=ErrorKind.API, code="MALFORMED_RESPONSE"), id="of a client"),
        pytest.param(failure("x", vendor="novelai", kind=ErrorKind.OVERLOADED, code="abort"), id="NovelAI's"),
    ],
)
def test_what_happens_to_a_model_by_chance_may_not_happen_again(error: CadenzaError) -> None:
    assert TIME is cure(error)


# --- by words --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "vendor", "status", "expected"),
    [
        pytest.param("API key not valid. Please pass a valid API key.", "google", 400, KEY, id="Google, wrong key"),
        pytest.param("API Key not found. Please pass a valid API key.", "google", 400, KEY, id="Google, no key"),
        pytest.param("API key expired. Please renew the API key.", "google", 400, KEY, id="Google, old key"),
        pytest.param("oh (API_KEY_INVALID)", "google", 400, KEY, id="Google, by name"),
        pytest.param("Incorrect API key provided: gs***tF.", "xai", 400, KEY, id="xAI"),
        pytest.param("Your credit balance is too low to access the API", "anthropic", 400, KEY, id="Anthropic, credit"),
        pytest.param("You have reached your specified API usage limits.", "anthropic", 400, KEY, id="Anthropic, limit"),
        pytest.param("This organization has been disabled.", "anthropic", 400, KEY, id="Anthropic, disabled"),
        pytest.param("Account x is suspended, for the spending limit", "fireworks", 412, KEY, id="Fireworks"),
        pytest.param("requires more credits, or fewer max_tokens", "openrouter", 402, KEY, id="OpenRouter, credit"),
        pytest.param("Insufficient Balance", "deepseek", 402, KEY, id="DeepSeek"),
        pytest.param("Insufficient balance or no resource package", "zai", 429, KEY, id="Z.ai, balance"),
        pytest.param("Your plan does not include it", "zai", 429, KEY, id="Z.ai, plan"),
        pytest.param("An active subscription is required", "novelai", 402, KEY, id="NovelAI"),
        pytest.param("The caller does not have permission", "google", None, KEY, id="Google, no status"),
        pytest.param("Unauthorized", "custom", None, KEY, id="anybody, no status"),
        pytest.param("You do not have permission for that", "openai", 400, MODEL, id="rights under a status"),
        pytest.param("x is temporarily rate-limited upstream.", "openrouter", 429, TIME, id="OpenRouter, upstream"),
        pytest.param("Rate limit exceeded: free-models-per-min", "openrouter", 429, KEY, id="OpenRouter, our limit"),
        pytest.param(
            "No endpoints found matching your data policy", "openrouter", 404, MODEL, id="OpenRouter, privacy"
        ),
        pytest.param("Country, region, or territory not supported", "openai", 403, MODEL, id="OpenAI, region"),
        pytest.param("User location is not supported for the API use.", "google", 400, MODEL, id="Google, region"),
        pytest.param("Access denied. Please check your network settings.", "groq", 403, MODEL, id="Groq, address"),
        pytest.param("Attention Required! | Cloudflare", "openai", 403, MODEL, id="a gate before it"),
        pytest.param("502: Bad gateway | Cloudflare", "openai", 502, TIME, id="a gate with nobody behind it"),
        pytest.param("the request exceeds the available context size", "llamacpp", 500, MODEL, id="context, as 500"),
        pytest.param("maximum context length is 8192 tokens", "openai", 400, MODEL, id="context"),
        pytest.param("Unsupported model `x`", "openai", 400, MODEL, id="no such model"),
        pytest.param("The model `x` does not exist or you do not have access", "openai", 403, MODEL, id="403 model"),
        pytest.param("Your input was flagged", "openrouter", 403, MODEL, id="a filter, as 403"),
        pytest.param("The model is overloaded. Please try again later.", "google", 503, TIME, id="overloaded"),
        pytest.param("missing field: api version", "openai", 400, MODEL, id="no key in it"),
    ],
)
def test_words_say_what_a_number_does_not(words: str, vendor: str, status: int | None, expected: KeyRemedy) -> None:
    assert expected is cure(failure(words, vendor=vendor, status=status))


@pytest.mark.parametrize(
    ("kind", "aspect", "expected"),
    [
        (ErrorKind.RATE_LIMIT, Aspect.CONTEXT, KEY),  # so many tokens a minute
        (ErrorKind.OVERLOADED, Aspect.CONTEXT, MODEL),
        (ErrorKind.UNKNOWN, Aspect.CONTEXT, MODEL),
        (ErrorKind.API, Aspect.CREDIT, KEY),
        (ErrorKind.UNKNOWN, Aspect.PRIVACY, MODEL),
        (ErrorKind.MODEL, Aspect.CREDIT, MODEL),
        (ErrorKind.UNKNOWN, None, MODEL),
        (ErrorKind.TIMEOUT, None, TIME),
        (ErrorKind.OVERLOADED, None, TIME),
    ],
)
def test_kinds_and_aspects_together(kind: ErrorKind, aspect: Aspect | None, expected: KeyRemedy) -> None:
    assert expected is cure(ProviderError("x", kind=kind, aspect=aspect))


@given(
    st.sampled_from(ErrorKind),
    st.none() | st.sampled_from(Aspect),
    st.none() | st.integers(300, 599),
    st.booleans(),
    st.text(max_size=40),
    st.text(max_size=80),
)
def test_every_failure_of_a_provider_has_a_cure(  # noqa: PLR0917  # one argument a field
    kind: ErrorKind,
    aspect: Aspect | None,
    status: int | None,
    retryable: bool,  # noqa: FBT001  # drawn by hypothesis
    code: str,
    detail: str,
) -> None:
    error = ProviderError("x", kind=kind, aspect=aspect, status=status, retryable=retryable, code=code, detail=detail)

    assert cure(error) in (KEY, TIME, MODEL)
    assert cure(error) is cure(Broke(error))


# --- outcomes and other errors -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("trouble", "expected"),
    [
        pytest.param(Stalled(has_begun=False), MODEL, id="never began"),
        pytest.param(Stalled(has_begun=True), MODEL, id="fell silent"),
        pytest.param(Empty(), MODEL, id="empty"),
        pytest.param(Empty("length"), MODEL, id="no room"),
        pytest.param(Completed(), NOTHING, id="completed"),
        pytest.param(NeedsTools(()), NOTHING, id="tools"),
        pytest.param(
            Broke(DeliveryError("refused", code=50013, kind=DeliveryKind.MISSING_PERMISSIONS)),
            NOTHING,
            id="not delivered",
        ),
        pytest.param(Broke(CadenzaError("a rule failed")), NOTHING, id="a rule"),
        pytest.param(Broke(ToolError("five times")), MODEL, id="tools failed"),
        pytest.param(SettingsError("no"), NOTHING, id="a setting"),
        pytest.param(InputError("no"), NOTHING, id="an input"),
    ],
)
def test_what_helps_when_it_was_no_failure_of_a_provider(trouble: Outcome | CadenzaError, expected: KeyRemedy) -> None:
    assert expected is cure(trouble)


@pytest.mark.parametrize("reason", StopReason)
def test_nothing_helps_against_a_stop(reason: StopReason) -> None:
    assert NOTHING is cure(Stopped(reason))


# --- which key ---------------------------------------------------------------------------------------


def ring_of(*secrets: str, **settings: Any) -> Keyring:
    return Keyring(secrets, replace(FallbackSettings(), **settings))


def chosen(ring: Keyring, *excluding: Key) -> Key:
    key = ring.choose(excluding)
    assert key is not None
    return key


def record(ring: Keyring, key: Key) -> KeyRecord:
    return next(row for row in ring if row.label == key.label)


async def test_the_least_used_key_is_chosen_and_of_those_the_first() -> None:
    ring = ring_of("a", "b", "c")

    assert ["a", "b", "c", "a", "b"] == [chosen(ring).secret for _ in range(5)]


async def test_replies_that_are_under_way_at_once_do_not_all_take_the_same_key() -> None:
    ring = ring_of("a", "b")

    first, second = chosen(ring), chosen(ring)
    ring.succeeded(second)
    ring.succeeded(first)

    assert first != second
    assert [(1, 1), (1, 1)] == [(row.chosen, row.uses) for row in ring]


async def test_what_is_excluded_is_not_chosen() -> None:
    ring = ring_of("a", "b")
    first = chosen(ring)

    assert "b" == chosen(ring, first).secret
    assert ring.choose([first, chosen(ring, first)]) is None


async def test_7_a_key_that_is_used_too_often_rests_for_a_minute_and_the_other_is_credited() -> None:
    ring = ring_of("a", "b")
    first = chosen(ring)
    ring.failed(first, rate_limit())
    second = chosen(ring, first)
    ring.succeeded(second)

    assert ("a", "b") == (first.secret, second.secret)
    assert now() + 60 == ring.cooling_until(first)
    assert (0, 1, ErrorKind.RATE_LIMIT) == (
        record(ring, first).uses,
        record(ring, first).errors,
        record(ring, first).kind,
    )
    assert (1, 0) == (record(ring, second).uses, record(ring, second).errors)
    assert [second, second] == [chosen(ring), chosen(ring)]
    await asyncio.sleep(60)
    assert first == chosen(ring)


async def test_8_five_keys_fail_one_after_the_other_and_every_one_of_them_rests() -> None:
    """B51: also the last one, behind which there is no other."""
    ring, tried = ring_of("a", "b", "c", "d", "e"), list[Key]()
    while key := ring.choose(tried):
        tried.append(key)
        ring.failed(key, rate_limit())

    assert ["a", "b", "c", "d", "e"] == [key.secret for key in tried]
    assert [now() + 60] * 5 == [row.cooling_until for row in ring]
    assert ring.choose() is None
    assert "a" == ring.main.secret


@pytest.mark.parametrize(
    "trouble",
    [
        pytest.param(ProviderError("x", kind=ErrorKind.CONTENT_BLOCKED, code="SAFETY"), id="15, content blocked"),
        pytest.param(ProviderError("x", kind=ErrorKind.MODEL), id="no such model"),
        pytest.param(ProviderError("x", aspect=Aspect.CONTEXT), id="context"),
        pytest.param(ProviderError("x", kind=ErrorKind.API, status=400), id="400"),
        pytest.param(ProviderError("x", kind=ErrorKind.OVERLOADED, status=503), id="overloaded"),
        pytest.param(DeliveryError("x", code=50013, kind=DeliveryKind.MISSING_PERMISSIONS), id="not delivered"),
        pytest.param(Stalled(has_begun=False), id="stalled"),
        pytest.param(Empty(), id="empty"),
        pytest.param(Stopped(StopReason.USER), id="stopped"),
    ],
)
async def test_b52_what_no_key_cures_is_not_held_against_one(trouble: Outcome | CadenzaError) -> None:
    ring = ring_of("a", "b")
    key = chosen(ring)
    ring.failed(key, trouble)

    assert KeyRecord("key 1", chosen=1) == record(ring, key)
    assert 0 == ring.ready_in()


# --- how long a cooldown takes ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        pytest.param(rate_limit(), 60, id="too often"),
        pytest.param(WRONG_KEY, 300, id="not accepted"),
        pytest.param(failure("Insufficient balance", vendor="zai", status=429), 300, id="an empty account"),
        pytest.param(rate_limit(7), 7, id="B58, as the provider asks"),
        pytest.param(rate_limit(0), 1, id="at once"),
        pytest.param(rate_limit(-5), 1, id="before that"),
        pytest.param(rate_limit(math.nan), 60, id="no number"),
        pytest.param(rate_limit(math.inf), 60, id="without end"),
        pytest.param(rate_limit(86_400), 3600, id="for a day"),
        pytest.param(refused(http(429, {"error": {"message": "x"}}, retry_after="12"), "openai"), 12, id="a header"),
    ],
)
async def test_how_long_a_key_rests(error: ProviderError, expected: float) -> None:
    ring = ring_of("a")
    ring.failed(ring.main, Broke(error))

    assert expected == ring.ready_in()
    assert now() + expected == ring.cooling_until(ring.main)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(None, [60, 120, 240, 480, 960, 1920, 3600, 3600]), (5, [5, 10, 20, 40, 80, 160, 320, 640]), (0, [1, 2, 4, 8])],
    ids=["a guess", "as asked", "at once"],
)
async def test_b58_each_failure_in_a_row_doubles_it_up_to_the_longest(
    seconds: float | None, expected: list[float]
) -> None:
    ring, cooldowns = ring_of("a"), list[float]()
    for _ in expected:
        ring.failed(ring.main, rate_limit(seconds))
        cooldowns.append(ring.ready_in())
        await asyncio.sleep(ring.ready_in())

    assert expected == cooldowns


async def test_a_key_that_fails_for_ever_is_asked_for_ever() -> None:
    ring = ring_of("a", longest_cooldown=1.0)
    for _ in range(1500):
        ring.failed(ring.main, rate_limit())
        await asyncio.sleep(1)

    assert (1500, 0) == (record(ring, ring.main).in_a_row, ring.ready_in())


async def test_what_fails_while_the_key_rests_was_asked_before_and_doubles_nothing() -> None:
    ring = ring_of("a")
    for _ in range(5):
        ring.failed(ring.main, rate_limit())
        await asyncio.sleep(1)

    assert (5, 1, 59) == (record(ring, ring.main).errors, record(ring, ring.main).in_a_row, ring.ready_in())


async def test_a_shorter_rest_does_not_end_a_longer_one() -> None:
    ring = ring_of("a")
    ring.failed(ring.main, rate_limit(100))
    ring.failed(ring.main, rate_limit(1))

    assert 100 == ring.ready_in()


async def test_an_answer_clears_what_was_wrong() -> None:
    ring = ring_of("a")
    for _ in range(3):
        ring.failed(ring.main, rate_limit())
        await asyncio.sleep(ring.ready_in())
    ring.succeeded(ring.main)

    assert KeyRecord("key 1", uses=1, errors=3) == record(ring, ring.main)
    ring.failed(ring.main, rate_limit())
    assert 60 == ring.ready_in()


async def test_an_answer_that_was_begun_before_a_failure_does_not_end_the_rest() -> None:
    ring = ring_of("a")
    begun = now()
    await asyncio.sleep(1)
    ring.failed(ring.main, rate_limit())
    await asyncio.sleep(1)

    ring.succeeded(ring.main, asked_at=begun)

    assert (59, 1, 1) == (ring.ready_in(), record(ring, ring.main).in_a_row, record(ring, ring.main).uses)
    ring.succeeded(ring.main, asked_at=now())
    assert KeyRecord("key 1", uses=2, errors=1) == record(ring, ring.main)


async def test_the_settings_say_how_long() -> None:
    ring = ring_of("a", "b", "c", rate_limit_cooldown=5.0, error_cooldown=7.0, longest_cooldown=9.0)
    for error in (rate_limit(), WRONG_KEY, rate_limit(10)):
        ring.failed(chosen(ring), error)

    assert [5.0, 7.0, 9.0] == [row.cooling_until - now() for row in ring]
    assert 5 == ring.ready_in()


@given(st.lists(st.tuples(st.sampled_from("cfsw"), st.integers(0, 2), st.integers(0, 5000)), max_size=40))
async def test_a_key_that_rests_is_never_chosen_and_never_rests_longer_than_allowed(
    steps: list[tuple[str, int, int]],
) -> None:
    ring = ring_of("a", "b", "c")
    keys = [chosen(ring) for _ in range(3)]
    for step, which, seconds in steps:
        match step:
            case "c":
                key, cooling = ring.choose(), [row.cooling_until > now() for row in ring]
                assert all(cooling) is (key is None) is (ring.ready_in() > 0)
                assert key is None or not cooling[keys.index(key)]
            case "f":
                ring.failed(keys[which], rate_limit(seconds if which else None))
                assert 0 <= ring.cooling_until(keys[which]) - now() <= 3600
            case "s":
                ring.succeeded(keys[which])
                assert ring.cooling_until(keys[which]) <= now()
            case _:
                await asyncio.sleep(seconds)


# --- what is shown --------------------------------------------------------------------------------------

LEAF = "leaf-of-tea-5f3a"


async def test_no_key_is_ever_shown() -> None:
    ring = ring_of(LEAF, "another-key-77")
    error = ProviderError(f"bad {LEAF}", kind=ErrorKind.API, status=401, detail=f"no {LEAF}\n or another-key-77")
    ring.failed(ring.main, error)

    shown = f"{ring!r} {ring.main!r} {ring.main} {list(ring)} {chosen(ring)}"
    assert LEAF not in shown
    assert "another-key-77" not in shown
    assert "no *** or ***" == record(ring, ring.main).message
    assert "key 1" == ring.main.label


async def test_what_an_error_says_is_cut_once_its_secrets_are_out() -> None:
    ring = ring_of(LEAF)
    ring.failed(ring.main, ProviderError("x", kind=ErrorKind.API, status=401, detail="x" * 495 + f" {LEAF}" * 9))

    assert "x" * 495 + " *** " == record(ring, ring.main).message


async def test_an_error_without_a_detail_is_told_in_its_own_words() -> None:
    ring = ring_of("a")
    ring.failed(ring.main, WRONG_KEY)

    assert ("not accepted", now()) == (record(ring, ring.main).message, record(ring, ring.main).failed_at)


# --- making a ring ----------------------------------------------------------------------------------------


async def test_one_text_is_one_key() -> None:
    assert ["abc"] == [Keyring("abc").main.secret]
    assert 1 == len(Keyring("abc"))


async def test_a_key_that_is_given_twice_is_one_and_an_empty_one_is_none() -> None:
    ring = Keyring(["", "a", " b ", "a", "\n"])

    assert ["key 1", "key 2"] == [row.label for row in ring]
    assert ["a", "b"] == [chosen(ring).secret, chosen(ring).secret]


@pytest.mark.parametrize("keys", [[], "", ["", " "]], ids=["nothing", "an empty text", "empty texts"])
def test_a_ring_without_a_key_is_refused(keys: list[str] | str) -> None:
    with pytest.raises(SettingsError, match="needs at least one key"):
        Keyring(keys)


@pytest.mark.parametrize("key", ["sk-ключ", "sk-\x00key", "sk-a\nb"])
def test_a_key_with_a_character_that_none_has_is_refused_and_not_repeated(key: str) -> None:
    with pytest.raises(SettingsError, match="key 2 holds a character that no key has; copy it again") as caught:
        Keyring(["good", key])

    assert key not in str(caught.value)


# --- models with keys --------------------------------------------------------------------------------------


async def test_a_model_can_be_asked_as_long_as_one_of_its_keys_can() -> None:
    ring = ring_of("a", "b")
    model = Model(TinyCodec(), Server(), keyring=ring)
    waits = []
    for seconds in (30, 20):
        assert ready(model)
        ring.failed(chosen(ring), rate_limit(seconds))
        waits.append(ready_in(model))

    assert [0, 20] == waits
    assert not ready(model)
    await asyncio.sleep(20)
    assert ready(model)


async def test_a_model_without_a_ring_is_always_ready() -> None:
    model = Model(TinyCodec(), Server())

    assert ready(model)
    assert 0 == ready_in(model)


def test_the_rows_are_in_the_order_of_the_keys() -> None:
    labels = [row.label for row in ring_of(*"cab")]

    assert all(one < other for one, other in pairwise(labels))
