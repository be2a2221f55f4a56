"""The guard: under which names we are asked, and by whom."""

from __future__ import annotations

import base64
import hashlib

import pytest
from aiohttp.test_utils import make_mocked_request

from cadenza.play.server.guard import Guard, headers, is_loopback

HOSTS: dict[str, tuple[str, str, bool]] = {
    "its address": ("127.0.0.1", "127.0.0.1:8765", True),
    "localhost": ("127.0.0.1", "localhost:8765", True),
    "LOCALHOST": ("127.0.0.1", "LOCALHOST:8765", True),
    "the other loopback": ("::1", "[::1]:8765", True),
    "a loopback of its own": ("127.0.0.2", "127.0.0.2:8765", True),
    "another port": ("127.0.0.1", "127.0.0.1:80", False),
    "no port": ("127.0.0.1", "127.0.0.1", False),
    "no name": ("127.0.0.1", "", False),
    "a name that leads here": ("127.0.0.1", "rebound.example:8765", False),
    "a name that looks like ours": ("127.0.0.1", "127.0.0.1.evil.example:8765", False),
    "with a user": ("127.0.0.1", "x@127.0.0.1:8765", False),
    "open, by address": ("0.0.0.0", "192.0.2.7:8765", True),  # noqa: S104  # nothing is bound
    "open, by another address": ("::", "[2001:db8::1]:80", True),
    "open, by a foreign name": ("0.0.0.0", "rebound.example:8765", False),  # noqa: S104  # likewise
    "open, by its own name": ("box.local", "box.local:8765", True),
}


@pytest.mark.parametrize(("host", "asked", "is_ours"), HOSTS.values(), ids=HOSTS)
def test_it_is_asked_under_its_own_name(host: str, asked: str, is_ours: bool) -> None:  # noqa: FBT001  # a row of the table
    request = make_mocked_request("GET", "/", headers={"Host": asked})

    assert is_ours == (not Guard(host, 8765).complaint(request))


def test_the_import_map_is_the_only_script_in_the_page() -> None:
    page = b'<script type="importmap">{"a": 1}</script><script src="/page/app.js"></script>'

    policy = headers(page)["Content-Security-Policy"]

    expected = base64.b64encode(hashlib.sha256(b'{"a": 1}').digest()).decode()
    assert f"script-src 'self' 'sha256-{expected}';" in policy
    assert 1 == policy.count("sha256")


@pytest.mark.parametrize(
    ("host", "expected"),
    [("127.0.0.1", True), ("127.9.9.9", True), ("::1", True), ("localhost", True), ("0.0.0.0", False), ("box", False)],  # noqa: S104  # nothing is bound
)
def test_what_only_this_machine_reaches_is_known(host: str, expected: bool) -> None:  # noqa: FBT001  # likewise
    assert expected == is_loopback(host)
