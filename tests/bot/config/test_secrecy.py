"""Secrets are recognised and never shown."""

from __future__ import annotations

import base64

import pytest
from hypothesis import given, strategies as st

from cadenza.bot.config.secrecy import application_id, secrets_in, token_complaint

ID = "123456789012345678"
FIRST = base64.urlsafe_b64encode(ID.encode()).decode().rstrip("=")
TOKEN = f"{FIRST}.GaBcDe.{'x1Y_' * 9}ab"


@pytest.mark.parametrize(
    ("secret", "what"),
    [
        (TOKEN, "a Discord token"),
        ("sk-" + "proj-abcdefghij0123456789", "an API key"),
        ("sk-ant-" + "api03-abcdefghij0123456789", "an API key"),
        ("AIza" + "SyA0123456789abcdefghijABCDEFGHIJ_-x", "an API key"),
        ("gsk_" + "abcdefghij0123456789", "an API key"),
        ("hf_" + "abcdefghij0123456789", "an API key"),
        ("Bearer " + "abcdefghij0123456789", "an API key"),
        ("https://discord.com/api/webhooks/1234/" + "abcdefghij0123456789-_", "a Discord webhook's address"),
        ("http://mia:" + "tea@proxy.example:8080", "a password in an address"),
    ],
    ids=range(9),
)
@pytest.mark.parametrize("form", ['key = "{}"', "# {}", "a = {{ b = '{}' }}", "{}"])
def test_a_secret_is_found_wherever_it_stands(secret: str, what: str, form: str) -> None:
    sentences = list(secrets_in("[discord]\n" + form.format(secret) + "\n"))

    assert 1 == len(sentences)
    assert sentences[0].startswith(f"line 2 contains what looks like {what}; ")
    assert secret not in sentences[0]


@pytest.mark.parametrize(
    "line",
    [
        'token_env = "DISCORD_TOKEN"',
        'model = "openai:gpt-5.1"',
        'channels = ["123456789012345678"]',
        'url = "https://api.example.org/v1/chat"',
        'proxy = "http://${USER}:${PASSWORD}@proxy.example"',
        'prompt = "A task-oriented, risk-averse-and-very-long-hyphenated-word fox."',
        'avatar = "data:image/png;base64,iVBORw0KGgoAAAAsk/AIzaSyA0123456789abcdefghijABCDEFGHIJKLM"',
        'authorization = "Bearer ${SEARCH_KEY}"',
    ],
)
def test_what_is_no_secret_is_left_alone(line: str) -> None:
    assert [] == list(secrets_in(line))


@pytest.mark.parametrize(
    ("token", "word"),
    [
        (TOKEN, ""),
        ("", "there is no token"),
        (ID, "an id"),
        ("a1" * 32, "public key"),
        ("Ab-3" * 8, "client secret"),
        (f"Bot {TOKEN}", "must stand alone"),
        (f"{TOKEN}\u200b", "no token has"),
        ("hello", "three parts"),
        ("aaaaaaaaaaaaaaaaaaaaaaaa.GaBcDe.aaaaaaaaaaaaaaaaaaaaaaaaaaa", "three parts"),
    ],
    ids=["a token", "nothing", "an id", "a public key", "a client secret", "with Bot", "invisible", "a word", "no id"],
)
def test_what_is_no_token_is_told_by_what_it_seems_to_be(token: str, word: str) -> None:
    complaint = token_complaint(token)

    assert bool(complaint) == bool(word)
    assert word in complaint
    assert len(token) < 8 or token not in complaint


@given(st.text())
def test_any_text_gets_an_answer_without_itself(token: str) -> None:
    complaint = token_complaint(token)

    assert complaint
    assert len(token) < 12 or token not in complaint


def test_a_token_begins_with_the_id_of_its_bot() -> None:
    assert ID == application_id(TOKEN)
    assert "" == application_id("sim-token")
