from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

from cadenza.text.redaction import HIDDEN, secrets_of, without_payloads, without_secrets
from cadenza.types import HttpRequest

# Made up, in the shapes that vendors give their keys.
KEYS = {
    "openai": "sk-proj-Zk3vQ9xT1bLm8Rw2Yc7Nf5Hd0Gs4Jp6",
    "openai, old": "sk-abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuv",
    "anthropic": "sk-ant-api03-Qw8er_Ty7ui-Op6as5Df4gh3Jk2lz1Xc",
    "openrouter": "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",
    "google": "AIzaSyB1-abcdefghijklmnopqrstuvwxyz_12345",
    "google, new": "AQ.Ab8RN6Kx9_qwertyuiopasdfghjklzxcvbnm",
    "google's access token": "ya29.a0AfB_byC-1234567890abcdefghij",
    "groq": "gsk_9aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789",
    "xai": "xai-7KdLmN0pQrStUvWxYz1234567890abcdef",
    "nvidia": "nvapi-AbCdEf123456_7890-GhIjKlMnOp",
    "perplexity": "pplx-0a1b2c3d4e5f6071",
    "hugging face": "hf_AbCdEfGhIj0123456789KlMnOpQrSt",
    "replicate": "r8_AbC123dEf456GhI789",
    "cerebras": "csk-a1b2c3d4e5f6g7h8i9",
    "fireworks": "fw_3ZabcDEF456ghi789",
    "together": "7c1d9e0b5f3a2846c7d1e9f0b5a3284676c1d9e0b5f3a28460c7d1e9f0b5a328",
    "mistral": "a8Kd93mLq0Zx71Vb55Tn2Wc6Yh4Rf8Gj",
    "zai": "0123456789abcdef0123456789abcdef.AbCdEfGhIjKlMnOp",
    "novelai": "pst-Ab12Cd34Ef56Gh78Ij90Kl12Mn34Op56Qr78St90",
    "github": "ghp_AbCdEf0123456789GhIjKlMnOpQrStUvWx",
    "github, fine": "github_pat_11ABCDEFG0abcdefghijkl_mnopqrstuv",
    "aws": "AKIAIOSFODNN7EXAMPLE",
    "slack": "xoxb-123456789012-abcdefGHIJKL",
    "web token": "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N",
    "discord": "MTIzNDU2Nzg5MDEyMzQ1Njc4OQ.GabcDE.abcdefghijklmnopqrstuvwxyz0123456789AB",
    "masked": "sk-proj-****************abcd",
}


@pytest.mark.parametrize("key", KEYS.values(), ids=KEYS)
@pytest.mark.parametrize(
    "sentence",
    ["Incorrect API key provided: {}.", "{}", '{{"message": "bad key {}", "a": 1}}', "got `{}`, sorry", "({})"],
    ids=["sentence", "alone", "json", "backticks", "brackets"],
)
def test_a_key_is_known_by_its_shape(key: str, sentence: str) -> None:
    shown = without_secrets(sentence.format(key))

    assert key.strip("*") not in shown
    assert HIDDEN in shown
    assert not any(part in shown for part in key.split("-") if len(part) > 7)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        pytest.param("Authorization: Bearer 9f8e7d6c", "Authorization: Bearer ***", id="bearer"),
        pytest.param('{"authorization": "Token abcdef0123"}', '{"authorization": "Token ***"}', id="another scheme"),
        pytest.param("Basic dXNlcjpwYXNz", "Basic dXNlcjpwYXNz", id="too short to tell from a word"),
        pytest.param("Basic dXNlcjpwYXNzd29yZDEyMw==", "Basic ***", id="basic"),
        pytest.param("{'x-api-key': 'abcdef12345'}", "{'x-api-key': '***'}", id="a header"),
        pytest.param("api_key=hunter22&x=1", "api_key=***&x=1", id="a field of a form"),
        pytest.param("password: correct1horse", "password: ***", id="a password"),
        pytest.param("see https://a.example/b.png?ex=66&hm=1a", "see https://a.example/b.png?***", id="signed address"),
        pytest.param("http://me:secret@a.example/x", "http://***@a.example/x", id="user and password in an address"),
        pytest.param(f"data:image/png;base64,{'iVBORw0K' * 9} x", "data:image/png,… x", id="a picture"),
    ],
)
def test_what_is_introduced_as_a_secret_is_hidden(text: str, expected: str) -> None:
    assert expected == without_secrets(text)


@pytest.mark.parametrize(
    "text",
    [
        "Bearer authentication is required",
        "Basic authentication failed",
        "API key: missing or invalid",
        "requested tokens: 40012, max_tokens=4096",
        "Unknown key: temperature_value",
        "prompt is too long: 210000 tokens > 200000 maximum",
        "request req_011CSHoEeqs5C35K2UUqR7Fy",
        "trace 123e4567-e89b-12d3-a456-426614174000",
        "Meta-Llama-3-1-405B-Instruct-Turbo was not found",
        "accounts/fireworks/models/llama-v3p1-405b-instruct",
        "invalid key-value pair",
        "Configure: https://openrouter.ai/settings/privacy",
        "キーが正しくありません 🔑",
    ],
)
def test_a_sentence_stays_readable(text: str) -> None:
    assert text == without_secrets(text)


@pytest.mark.parametrize(
    "secret", ["correct horse battery", "päss-wörd", "abcd", "a.b*c(d"], ids=["spaces", "letters", "short", "signs"]
)
def test_a_secret_that_is_known_is_hidden_whatever_its_shape(secret: str) -> None:
    assert f"you sent {HIDDEN}!" == without_secrets(f"you sent {secret}!", "something else", secret)


@pytest.mark.parametrize("known", ["", " ", "a", "the"])
def test_what_is_too_short_for_a_secret_leaves_the_text_alone(known: str) -> None:
    assert "the cat sat" == without_secrets("the cat sat", known)


def test_a_secret_within_another_leaves_nothing_of_the_longer_one() -> None:
    assert HIDDEN == without_secrets("longer-secret", "secret", "longer-secret")


@pytest.mark.parametrize(
    ("url", "headers", "secrets"),
    [
        pytest.param("", {"Authorization": "Bearer abcdefghi"}, {"Bearer abcdefghi", "abcdefghi"}, id="with a scheme"),
        pytest.param("", {"x-goog-api-key": " abcd "}, {"abcd"}, id="short"),
        pytest.param("", {"x-api-key": "abc"}, set(), id="too short for one"),
        pytest.param("", {"x-team": "night-shift-7"}, {"night-shift-7"}, id="under a name that does not say so"),
        pytest.param("", {"x-corp": "Bearer night-shift"}, {"Bearer night-shift", "night-shift"}, id="by its scheme"),
        pytest.param("", {"x-debug": "true", "x-team": "the night shift 7"}, set(), id="words"),
        pytest.param("", {"Anthropic-Version": "2023-06-01", "user-agent": "a/1.2.3.4"}, set(), id="known to be none"),
        pytest.param("https://a.example/v1?key=abcd&v=2024-10-21", {}, {"abcd"}, id="in an address"),
        pytest.param("https://a.example/v1?v=1&Access_Token=a%2Fb1#x=1", {}, {"a%2Fb1"}, id="behind another question"),
        pytest.param("https://a.example/key=abcdef", {}, set(), id="before the question mark"),
    ],
)
def test_what_a_request_holds_that_nobody_may_read(url: str, headers: dict[str, str], secrets: set[str]) -> None:
    assert secrets == secrets_of(HttpRequest(url, b"", headers))
    assert secrets == secrets_of(HttpRequest(url, b""), headers)


@given(st.text(), st.text(alphabet="abcdefghijklmnop0123456789", min_size=4, max_size=40), st.text())
def test_a_known_secret_is_never_left(before: str, secret: str, after: str) -> None:
    assert secret not in without_secrets(before + secret + after, secret).replace(HIDDEN, " ")


@given(st.text())
def test_hiding_twice_is_hiding_once(text: str) -> None:
    once = without_secrets(text)

    assert once == without_secrets(once)


HOSTILE = [
    "a",
    "a1",
    "key ",
    "sk-",
    "bearer ",
    "eyJ",
    "http://",
    "data:",
    "token: ",
    " ",
    "https://a@",
    "data:a/a;",
    "<",
]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_large_body_costs_little(piece: str) -> None:
    body = (piece * 65_536)[:65_536]
    start = time.process_time()

    without_payloads(without_secrets(body))

    assert time.process_time() - start < 2.0


@pytest.mark.parametrize("ending", ["", "=", "=="])
def test_a_payload_is_replaced_by_its_length(ending: str) -> None:
    payload = "AbC/+9" * 100 + ending

    assert f'{{"data": "<{len(payload)} characters of base64>"}}' == without_payloads(f'{{"data": "{payload}"}}')


def test_prose_is_no_payload() -> None:
    prose = "The quick brown fox jumps over the lazy dog. " * 50

    assert prose == without_payloads(prose)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"token {KEYS['discord']} is wrong", "token *** is wrong"),
        ("POST /webhooks/123/aBc-dEf_123?wait=true", "POST /webhooks/123/***?wait=true"),
        ("POST https://discord.com/api/v10/interactions/1/tok/callback", "POST https://discord.com/api/v10/interactions/1/***/callback"),
        ("sk-abcdefghijklmnop", "***"),
        ("GET /channels/123/messages", "GET /channels/123/messages"),
        ("version 2.7.1 of discord.py", "version 2.7.1 of discord.py"),
    ],
    ids=["bot token", "webhook", "interaction", "key", "channel", "version"],
)  # fmt: skip
def test_tokens_of_discord_are_hidden(text: str, expected: str) -> None:
    assert expected == without_secrets(text)


@given(st.text(alphabet=st.characters(codec="utf-8"), max_size=200), st.text(alphabet="abcXYZ019-_", min_size=8))
def test_a_known_secret_is_hidden_wherever_it_stands(text: str, secret: str) -> None:
    assert secret not in without_secrets(f"{text}{secret}{text}", secret).replace("***", " ")
