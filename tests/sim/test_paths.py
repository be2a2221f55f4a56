"""Which calls a pattern means."""

from __future__ import annotations

import pytest

from cadenza.sim.paths import Pattern

FITTING = [
    ("POST /channels/*/messages", "POST", "/channels/1/messages"),
    ("post /channels/*/messages", "POST", "/channels/1/messages"),
    ("* /channels/*/messages", "DELETE", "/channels/1/messages"),
    ("POST /channels/1/messages", "POST", "/channels/1/messages"),
    ("PUT /a/{emoji}/@me", "PUT", "/a/%F0%9F%91%8D/@me"),
    ("* /**", "GET", "/users/@me"),
    ("* /webhooks/**", "GET", "/webhooks/1/token/messages/2"),
    ("* /webhooks/1/**", "GET", "/webhooks/1"),
]
OTHERS = [
    ("POST /channels/*/messages", "GET", "/channels/1/messages"),
    ("POST /channels/*/messages", "POST", "/channels/1/messages/2"),
    ("POST /channels/*/messages", "POST", "/channels/1"),
    ("POST /channels/2/messages", "POST", "/channels/1/messages"),
    ("* /webhooks/1/**", "GET", "/webhooks"),
    ("* /webhooks/**", "GET", "/channels/1/webhooks"),
]


@pytest.mark.parametrize(("pattern", "method", "path"), FITTING, ids=str)
def test_a_pattern_fits_what_it_leaves_open(pattern: str, method: str, path: str) -> None:
    assert Pattern.read(pattern).fits(method, path)


@pytest.mark.parametrize(("pattern", "method", "path"), OTHERS, ids=str)
def test_a_pattern_fits_nothing_else(pattern: str, method: str, path: str) -> None:
    assert not Pattern.read(pattern).fits(method, path)


def test_what_has_a_name_is_found_by_it_and_read_from_percents() -> None:
    pattern = Pattern.read("PUT /channels/{channel}/{emoji}/*")

    assert {"channel": "1", "emoji": "👍"} == pattern.read_parts(("channels", "1", "👍", "@me"))


@pytest.mark.parametrize("text", ["", "POST", "/channels/1", "POST channels/1"])
def test_what_is_no_pattern_is_said_to_be_none(text: str) -> None:
    with pytest.raises(ValueError, match="write a method and a path"):
        Pattern.read(text)
