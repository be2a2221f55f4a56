from __future__ import annotations

import pytest

from cadenza.sim import api_errors
from cadenza.sim.api_errors import bad_length, invalid, not_one_of, refuse, required, too_long, unauthorised


@pytest.mark.parametrize("code", api_errors._KNOWN)
def test_a_refusal_of_each_code_has_a_status_of_its_kind_and_words(code: int) -> None:
    refusal = refuse(code, retry_after=2.0)

    assert (code, 2.0) == (refusal.code, refusal.retry_after)
    assert 400 <= refusal.status < 500
    assert str(refusal)


@pytest.mark.parametrize(
    ("code", "status"), [(10003, 404), (10008, 404), (10015, 404), (50027, 401), (50013, 403), (50001, 403), (50006, 400), (40005, 413), (20016, 429)]
)  # fmt: skip
def test_the_status_of_what_bots_react_to(code: int, status: int) -> None:
    assert status == refuse(code).status


def test_a_code_that_is_not_listed_is_a_mistake_of_ours() -> None:
    with pytest.raises(KeyError):
        refuse(1)


def test_a_form_is_refused_where_it_is_wrong() -> None:
    refusal = invalid(at="embeds.0.title", code="X", problem="No.")

    assert (400, 50035) == (refusal.status, refusal.code)
    assert {"embeds": {"0": {"title": {"_errors": [{"code": "X", "message": "No."}]}}}} == refusal.fields


def test_the_usual_complaints_say_what_would_be_right() -> None:
    complaints = [
        too_long(at="a", most=3),
        bad_length(at="a", least=1, most=3),
        required(at="a"),
        not_one_of(at="a", choices="(1, 2)"),
    ]

    assert [
        ("BASE_TYPE_MAX_LENGTH", "Must be 3 or fewer in length."),
        ("BASE_TYPE_BAD_LENGTH", "Must be between 1 and 3 in length."),
        ("BASE_TYPE_REQUIRED", "This field is required"),
        ("BASE_TYPE_CHOICES", "Value must be one of (1, 2)."),
    ] == [tuple((one.fields or {})["a"]["_errors"][0].values()) for one in complaints]


def test_a_token_that_nobody_has_is_unauthorised() -> None:
    assert (401, 0) == (unauthorised().status, unauthorised().code)
