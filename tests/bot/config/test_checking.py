"""One table against its class: what is right is kept, what is wrong is a sentence."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from cadenza.bot.config.checking import Complaints, ConfigError, shown, table, unknown_key, values
from cadenza.bot.config.config import entry


@dataclass(frozen=True)
class Tea:
    """A table."""

    cups: int = entry(1, "how many", low=0, high=9)
    heat: float = entry(90.0, "how hot", low=1.0)
    leaf: str = entry("green", "which", one_of=("green", "black"))
    is_sweet: bool = entry(False, "whether with sugar")  # noqa: FBT003  # a default
    rooms: tuple[str, ...] = entry((), "where", form="id")
    key_env: str = entry("", "where its key is", form="variable")
    url: str = entry("", "where it comes from", form="address")
    pot: str = entry("china", "in what", form="filled")


def complaints_of(given: object) -> tuple[dict[str, object], list[str]]:
    """What is kept of a table, and what is said of it."""
    complaints = Complaints()
    return values(Tea, given, "[tea]", complaints), complaints.lines


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ({"cups": 9, "leaf": "black"}, {"cups": 9, "leaf": "black"}),
        ({"heat": 80}, {"heat": 80.0}),
        (
            {"rooms": [123456789012345678, "223456789012345678"]},
            {"rooms": ("123456789012345678", "223456789012345678")},
        ),
        ({"key_env": "TEA_KEY", "url": "http://localhost:1"}, {"key_env": "TEA_KEY", "url": "http://localhost:1"}),
        ({"url": "", "rooms": []}, {"url": "", "rooms": ()}),
        ({}, {}),
    ],
    ids=["as it is", "a whole number for a number", "ids as numbers", "forms", "empty is the default", "nothing"],
)
def test_what_is_right_is_kept(given: dict[str, object], kept: dict[str, object]) -> None:
    assert (kept, []) == complaints_of(given)


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"cups": "two"}, "[tea] cups must be a whole number, not 'two'"),
        ({"cups": True}, "[tea] cups must be a whole number, not true"),
        ({"cups": 10}, "[tea] cups must be between 0 and 9, not 10"),
        ({"heat": 0}, "[tea] heat must be at least 1.0, not 0.0"),
        ({"heat": float("nan")}, "[tea] heat must be at least 1.0, not nan"),
        ({"heat": 10**400}, None),
        ({"leaf": "blac"}, "[tea] leaf must be one of 'green', 'black', not 'blac'; did you mean 'black'?"),
        ({"leaf": "oak"}, "[tea] leaf must be one of 'green', 'black', not 'oak'"),
        ({"is_sweet": "yes"}, "[tea] is_sweet must be true or false, not 'yes'"),
        ({"rooms": "kitchen"}, "[tea] rooms must be a list of texts such as [\"…\"], not 'kitchen'"),
        ({"rooms": [1.5]}, '[tea] rooms must be a list of texts such as ["…"], but 1.5 is none'),
        ({"pot": "  "}, "[tea] pot must be something and not empty, not '  '"),
        ({"cup": 1}, "[tea] has no key 'cup'; did you mean 'cups'?"),
        ({"api_key": "x"}, "[tea] has no key 'api_key', and no secret belongs into this file; put it into .env beside this file and keep only the name of its variable here"),
        ("green", "[tea] must be a table, not 'green'"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_one_sentence(given: object, complaint: str | None) -> None:
    kept, said = complaints_of(given)

    assert (said == [complaint] and not kept) if complaint else not said


@pytest.mark.parametrize("key", ["key_env", "url"])
def test_what_may_be_a_secret_is_not_repeated(key: str) -> None:
    _, said = complaints_of({key: "hunter2 hunter2"})

    assert len(said) == 1
    assert "hunter2" not in said[0]


def test_several_mistakes_are_told_at_once_and_each_once() -> None:
    _, said = complaints_of({"cups": 10, "leaf": "oak", "milk": 1})

    assert ["cups", "leaf", "has"] == [line.split()[1] for line in said]


def test_keys_of_somebody_else_are_passed_over() -> None:
    complaints = Complaints()

    assert {} == values(Tea, {"biscuits": 1}, "[tea]", complaints, besides=("biscuits",))
    assert [] == complaints.lines


def test_a_complaint_that_is_empty_is_none() -> None:
    complaints = Complaints()
    complaints.add("[tea]", "")

    assert [] == complaints.lines
    assert {"a": 1} == table({"a": 1}, "[tea]", complaints)


def test_an_unknown_key_that_is_like_no_other_is_answered_with_all_there_are() -> None:
    assert "has no key 'zzz'; there are cups, leaf" == unknown_key("zzz", ["cups", "leaf"])


def test_what_is_shown_is_short() -> None:
    assert 60 == len(shown("a" * 1000))


def test_the_error_has_a_line_for_each_mistake() -> None:
    error = ConfigError(["one", "two"])

    assert ("one\ntwo", ("one", "two"), frozenset()) == (str(error), error.mistakes, error.files)
