from __future__ import annotations

import pytest

from cadenza.errors import Aspect, ErrorKind
from cadenza.models.error_message import excludes_top_p, explanation, refuses_key
from cadenza.models.vendors import VENDORS


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        pytest.param(
            {"kind": ErrorKind.RATE_LIMIT, "retry_after": 11.2},
            "the rate limit of OpenAI is reached; try again in 12 seconds, or use another model",
            id="rate limit",
        ),
        pytest.param(
            {"kind": ErrorKind.OVERLOADED},
            "OpenAI is overloaded or down; try again in a little while, or use another model",
            id="overloaded",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "status": 401, "code": "401"},
            "OpenAI did not accept the key; check that it is correct and still valid",
            id="a wrong key",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "status": 400, "detail": "API key not valid. Please pass a valid API key."},
            "OpenAI did not accept the key; check that it is correct and still valid",
            id="a wrong key with another number",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "status": 400, "detail": "`temperature` and `top_p` cannot both be specified"},
            "OpenAI does not take temperature and top_p together; set only one of them",
            id="two dials",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "status": 500},
            "OpenAI had an internal error; try again in a little while, or use another model",
            id="its own fault",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "code": "error"},
            "OpenAI had an internal error; try again in a little while, or use another model",
            id="an answer that ended in an error, and was no refusal",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "code": "tool_call_parse_error"},
            "OpenAI called a tool in an unreadable way; try again, or use another model",
            id="a call that makes no sense, and was no refusal",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "status": 418},
            "OpenAI did not accept the request; check the settings for the model or use another model",
            id="anything else",
        ),
        pytest.param(
            {"kind": ErrorKind.RATE_LIMIT, "aspect": Aspect.CREDIT},
            "the account at OpenAI does not have enough credit for this; "
            "add some, ask for shorter answers or use another model",
            id="an aspect says more than the kind",
        ),
        pytest.param(
            {"kind": ErrorKind.API, "code": "429_plan_access", "status": 429},
            "the plan of the account at OpenAI does not include this model; use another model or change the plan",
            id="so does a code of ours",
        ),
    ],
)
def test_people_are_told_what_happened_and_what_to_do(given: dict[str, object], expected: str) -> None:
    assert expected == explanation("openai", **given)  # type: ignore[arg-type]  # a row of a table


@pytest.mark.parametrize("kind", ErrorKind)
@pytest.mark.parametrize("aspect", [None, *Aspect])
@pytest.mark.parametrize("status", [None, 400, 401, 403, 404, 413, 500])
def test_every_failure_has_one_sentence_with_the_vendor_and_an_advice(
    kind: ErrorKind, aspect: Aspect | None, status: int | None
) -> None:
    sentence = explanation("zai", kind=kind, aspect=aspect, status=status)

    assert "Z.ai" in sentence
    what, _, advice = sentence.partition("; ")
    assert what
    assert advice
    assert not sentence.endswith(".")
    assert not set("{}\n") & set(sentence)


@pytest.mark.parametrize("vendor", VENDORS)
def test_every_vendor_is_called_as_people_know_it(vendor: str) -> None:
    name = explanation(vendor, kind=ErrorKind.TIMEOUT).removesuffix(
        " took too long; try again, or shorten the conversation"
    )

    assert name != vendor


def test_a_vendor_that_is_not_known_is_called_what_it_is_called() -> None:
    assert explanation("{tea}", kind=ErrorKind.TIMEOUT).startswith("{tea} took too long;")


def test_the_detail_is_not_repeated() -> None:
    assert "secret" not in explanation("openai", kind=ErrorKind.UNKNOWN, detail="secret")


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (None, "in a little while"),
        (0.0, "in a second"),
        (0.2, "in a second"),
        (1.5, "in 2 seconds"),
        (119.0, "in 119 seconds"),
        (120.0, "in 2 minutes"),
        (121.0, "in 3 minutes"),
        (7140.0, "in 119 minutes"),
        (7200.0, "in 2 hours"),
        (86400.0, "in 24 hours"),
    ],
)
def test_a_time_to_wait_is_rounded_up(seconds: float | None, expected: str) -> None:
    assert f"try again {expected}," in explanation("openai", kind=ErrorKind.RATE_LIMIT, retry_after=seconds)


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        ("API key not valid. Please pass a valid API key.", True),
        ("API Key not found. Please pass a valid API key.", True),
        ("API key expired. Please renew the API key.", True),
        ("oh (API_KEY_INVALID, INVALID_ARGUMENT)", True),
        ("oh (invalid_api_key)", True),
        ("Incorrect API key provided: ***", True),
        ("Missing or wrong api-key", True),
        ("x (authentication_error)", True),
        ("the model was not found with this api key", False),
        ("invalidate the therapi key", False),
        ("invalid temperature", False),
        ("", False),
    ],
)
def test_whether_it_is_about_the_key(detail: str, expected: bool) -> None:  # noqa: FBT001  # a table
    assert expected is refuses_key(detail)


@pytest.mark.parametrize(
    ("detail", "expected"),
    [
        ("`temperature` and `top_p` cannot both be specified", True),
        ("top_p and temperature are both given", True),
        ("both temperature and top_p", True),
        ("temperature is too high", False),
    ],
)
def test_whether_it_is_about_two_dials(detail: str, expected: bool) -> None:  # noqa: FBT001  # a table
    assert expected is excludes_top_p(detail)
