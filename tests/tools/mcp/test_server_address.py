from __future__ import annotations

import pytest

from cadenza.errors import SettingsError
from cadenza.tools.mcp.server_address import Place, ServerProgram, ServerUrl, from_entry

SECRET = "tea-key-4711-0815"  # noqa: S105  # it opens nothing


@pytest.mark.parametrize(
    ("entry", "place"),
    [
        pytest.param({"command": "uvx"}, ServerProgram("uvx"), id="command"),
        pytest.param(
            {"command": "npx", "args": ["-y", "x"], "env": {"KEY": "v", "EMPTY": ""}, "cwd": "/srv", "type": "stdio"},
            ServerProgram("npx", ("-y", "x"), {"KEY": "v", "EMPTY": ""}, "/srv"),
            id="all of a program",
        ),
        pytest.param({"url": "https://tea.example/mcp"}, ServerUrl("https://tea.example/mcp"), id="url"),
        pytest.param(
            {"url": "http://[::1]:8000/", "headers": {"authorization": "Bearer x"}, "type": "http"},
            ServerUrl("http://[::1]:8000/", {"authorization": "Bearer x"}),
            id="all of a site",
        ),
        pytest.param({"url": "http://x/", "type": "streamable-http"}, ServerUrl("http://x/"), id="another word for it"),
    ],
)
def test_an_entry_of_a_config_is_understood(entry: object, place: Place) -> None:
    assert place == from_entry(entry)


@pytest.mark.parametrize(
    ("entry", "told"),
    [
        pytest.param(["uvx"], "must be a table", id="no table"),
        pytest.param({}, "either 'command' or 'url'", id="nothing"),
        pytest.param({"command": "x", "url": "http://x/"}, "either 'command' or 'url'", id="both"),
        pytest.param({"command": ""}, "'command'", id="empty command"),
        pytest.param({"command": ["uvx"]}, "'command'", id="list as command"),
        pytest.param({"command": f"{SECRET}\0"}, "'command'", id="zero in command"),
        pytest.param({"command": "x", "args": SECRET}, "'args'", id="args are a string"),
        pytest.param({"command": "x", "args": [SECRET, 1]}, "'args'", id="number among args"),
        pytest.param({"command": "x", "args": [f"{SECRET}\0"]}, "'args'", id="zero in args"),
        pytest.param({"command": "x", "env": [SECRET]}, "'env'", id="env is a list"),
        pytest.param({"command": "x", "env": {"KEY": 1}}, "'KEY' among the 'env'", id="number in env"),
        pytest.param({"command": "x", "env": {"KEY": f"{SECRET}\0"}}, "'KEY' among the 'env'", id="zero in env"),
        pytest.param({"command": "x", "env": {f"{SECRET}=": ""}}, "proper names", id="name that is none"),
        pytest.param({"command": "x", "cwd": 1}, "'cwd'", id="number as cwd"),
        pytest.param({"command": "x", "headers": {}}, "'headers', which is not known", id="headers of a program"),
        pytest.param({"command": "x", "type": "http"}, "must be 'stdio'", id="program over http"),
        pytest.param({"url": "http://x/", "type": "sse"}, "must be 'http'", id="sse"),
        pytest.param({"url": "http://x/", "timeout": 3}, "'timeout', which is not known", id="something else"),
        pytest.param({"url": f"ftp://{SECRET}/"}, "'url'", id="ftp"),
        pytest.param({"url": "https://"}, "'url'", id="no host"),
        pytest.param({"url": f"https://x:{SECRET}/"}, "'url'", id="port that is none"),
        pytest.param({"url": f"https://[{SECRET}/"}, "'url'", id="broken host"),
        pytest.param({"url": 1}, "'url'", id="number as url"),
        pytest.param({"url": "http://x/", "headers": {"a b": SECRET}}, "proper names", id="header that is none"),
        pytest.param({"url": "http://x/", "headers": {"a": f"{SECRET}\r\nb: c"}}, "'a' among the 'headers'", id="two"),
        pytest.param({"url": "http://x/", "headers": {"a": f"{SECRET}☕"}}, "'a' among the 'headers'", id="not Latin"),
    ],
)
def test_an_entry_that_is_not_right_is_refused_by_the_name_of_its_field(entry: object, told: str) -> None:
    with pytest.raises(SettingsError, match=told) as raised:
        from_entry(entry)

    assert SECRET not in str(raised.value) or "names" in str(raised.value)


@pytest.mark.parametrize(
    ("place", "label", "secrets"),
    [
        pytest.param(ServerProgram("/usr/bin/uvx", ("--key", SECRET)), "uvx", {SECRET}, id="argument"),
        pytest.param(
            ServerProgram("uvx", (), {"TEA_KEY": "abcdefgh", "LANG": "C"}), "uvx", {"abcdefgh"}, id="environment"
        ),
        pytest.param(
            ServerUrl(f"https://me:pw@tea.example/?api_key={SECRET}"), "tea.example", {SECRET}, id="key in an address"
        ),
        pytest.param(
            ServerUrl("http://tea.example/", {"authorization": f"Bearer {SECRET}", "accept": "text/plain"}),
            "tea.example",
            {f"Bearer {SECRET}", SECRET},
            id="header",
        ),
    ],
)
def test_a_place_knows_what_it_is_called_and_what_of_it_is_secret(place: Place, label: str, secrets: set[str]) -> None:
    assert (label, secrets) == (place.label, place.secrets)
    assert SECRET not in repr(place)
