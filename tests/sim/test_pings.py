from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from cadenza.sim.pings import FOR_MESSAGES, FOR_WEBHOOKS, Allowed, PingedIds, as_allowed, pinged_by
from tests.sim.tearoom import wrong_field

TEXT = "@everyone <@1> <@!2> <@&3>"
ALL_OF_IT = PingedIds(("1", "2"), ("3",), everyone=True)


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        pytest.param(None, ALL_OF_IT, id="nothing said: everything"),
        pytest.param({}, PingedIds(), id="an empty object: nothing"),
        pytest.param({"parse": []}, PingedIds(), id="an empty list: nothing"),
        pytest.param({"parse": ["users"]}, PingedIds(("1", "2")), id="users"),
        pytest.param({"parse": ["roles"]}, PingedIds((), ("3",)), id="roles"),
        pytest.param({"parse": ["everyone"]}, PingedIds(everyone=True), id="everyone"),
        pytest.param({"parse": ["users", "roles", "everyone"]}, ALL_OF_IT, id="all three"),
        pytest.param({"users": ["2", "7"]}, PingedIds(("2",)), id="some users, though nothing is parsed"),
        pytest.param({"users": [1]}, PingedIds(("1",)), id="ids may be numbers"),
        pytest.param({"parse": ["users"], "roles": ["3"]}, PingedIds(("1", "2"), ("3",)), id="a kind and a list of another"),
        pytest.param({"parse": ["users"], "users": []}, PingedIds(("1", "2")), id="an empty list beside its kind"),
    ],
)  # fmt: skip
def test_whom_a_bot_calls(allowed: dict[str, Any] | None, expected: PingedIds) -> None:
    assert expected == pinged_by(TEXT, as_allowed(allowed, FOR_MESSAGES))


def test_a_webhook_that_says_nothing_calls_users_only() -> None:
    assert PingedIds(("1", "2")) == pinged_by(TEXT, as_allowed(None, FOR_WEBHOOKS))


@pytest.mark.parametrize(
    ("allowed", "expected"),
    [
        pytest.param(None, ("5",), id="nothing said: yes"),
        pytest.param({"parse": ["users"]}, (), id="the object is there: no"),
        pytest.param({"replied_user": True}, ("5",), id="unless it says so"),
        pytest.param({"replied_user": False}, (), id="or says no"),
        pytest.param({"users": ["5"]}, (), id="a list is for those who are named in the text"),
    ],
)
def test_whether_the_author_of_the_message_that_is_answered_is_called(
    allowed: dict[str, Any] | None, expected: tuple[str, ...]
) -> None:
    assert expected == pinged_by("hi", as_allowed(allowed, FOR_MESSAGES), answered="5").users


@pytest.mark.parametrize(
    ("allowed", "where"),
    [
        pytest.param({"parse": ["users"], "users": ["1"]}, "allowed_mentions", id="a kind and its list"),
        pytest.param({"parse": ["roles"], "roles": ["1"]}, "allowed_mentions", id="likewise roles"),
        pytest.param({"parse": ["here"]}, "allowed_mentions.parse.0", id="a kind that there is not"),
        pytest.param({"users": [str(n) for n in range(101)]}, "allowed_mentions.users", id="101 users"),
        pytest.param({"roles": [str(n) for n in range(101)]}, "allowed_mentions.roles", id="101 roles"),
        pytest.param([], "allowed_mentions", id="no object"),
    ],
)
def test_what_is_refused(allowed: Any, where: str) -> None:
    assert where == wrong_field(lambda: as_allowed(allowed, FOR_MESSAGES))


def test_a_hundred_may_be_listed() -> None:
    assert 100 == len(as_allowed({"users": [str(n) for n in range(100)]}, FOR_MESSAGES).users)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("<@1> and <@1>", PingedIds(("1",)), id="each once"),
        pytest.param("`<@1>` <@2>", PingedIds(("2",)), id="code calls nobody"),
        pytest.param("```\n@everyone <@1>\n``` <@&3>", PingedIds((), ("3",)), id="nor does a block of it"),
        pytest.param("``a ` <@1>`` <@2>", PingedIds(("2",)), id="nor does code with a mark in it"),
        pytest.param("` <@1>", PingedIds(("1",)), id="a single mark is no code"),
        pytest.param("@here", PingedIds(everyone=True), id="here"),
        pytest.param("@everyones @hereby", PingedIds(), id="longer words are not meant"),
        pytest.param("<@> <@x> @1 <#1>", PingedIds(), id="nobody is named"),
    ],
)
def test_what_names_somebody(text: str, expected: PingedIds) -> None:
    assert expected == pinged_by(text, FOR_MESSAGES)


@given(st.text(alphabet="<@&!>`123 everyone", max_size=60))
def test_what_is_not_allowed_is_never_called(text: str) -> None:
    assert PingedIds() == pinged_by(text, Allowed(), answered="1")
    listed = pinged_by(text, Allowed(users=frozenset({"1"})))
    assert set(listed.users) <= {"1"}
    assert (((), False)) == (listed.roles, listed.everyone)
