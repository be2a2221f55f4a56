from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cadenza
from cadenza.errors import SettingsError
from cadenza.models.dialects.dialect import Dialect, Endpoint, ThinkingField
from cadenza.models.vendors import _DIALECTS, VENDORS, Vendor, codec, endpoint
from cadenza.types import Media, MediaKind, Prompt, PromptTurn, Role

HERE = Path(cadenza.__file__).parent / "models" / "dialects"
HELLO = Prompt("", (PromptTurn.said(Role.USER, "Hello"),))
URLS = {"custom": "http://localhost:1/v1", "vertex": "https://aiplatform.example/v1/projects/p/locations/l"}
# The dialects are files: a row is tried as soon as its dialect is there.
BUILT = [vendor for vendor in VENDORS.values() if (HERE / f"{_DIALECTS[vendor.dialect][0]}.py").exists()]


def of(vendor: str, model: str = "a-model", **options: Any) -> Endpoint:
    return endpoint(VENDORS[vendor], model, **options)


@pytest.mark.parametrize("vendor", BUILT, ids=lambda vendor: vendor.name)
def test_every_vendor_can_be_asked(vendor: Vendor) -> None:
    made = codec(vendor.name, "a-model", key="sk-secret", url=URLS.get(vendor.name, ""))
    request = made.encode(HELLO)

    assert isinstance(made, Dialect)
    assert request.url.startswith(vendor.url or URLS[vendor.name])
    assert "sk-secret" not in request.url
    assert b"sk-secret" not in request.body
    assert isinstance(json.loads(request.body), dict)


def test_a_dialect_is_imported_only_when_it_is_asked_for() -> None:
    script = "import cadenza.models.vendors, sys; print('cadenza.models.dialects.openai' in sys.modules)"

    result = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True, timeout=60)

    assert "False" == result.stdout.strip()


def test_a_vendor_of_ones_own_is_a_row() -> None:
    row = Vendor("tea", "openai", "https://tea.example/v1", ("TEA_KEY",))

    assert "https://tea.example/v1/chat/completions" == codec(row, "earl-grey").encode(HELLO).url


@pytest.mark.parametrize(
    ("vendor", "model", "options", "words"),
    [
        pytest.param("openia", "m", {}, "unknown vendor 'openia'; did you mean 'openai'", id="misspelt vendor"),
        pytest.param("zzz", "m", {}, "known are openai, ", id="unknown vendor"),
        pytest.param("openai", " ", {}, "no model is named for 'openai'", id="C-23: no model"),
        pytest.param("custom", "m", {}, "'custom' has no address", id="C-23: no address"),
        pytest.param("custom", "m", {"url": "localhost:8080"}, "must begin with http", id="no scheme"),
        pytest.param("custom", "m", {"url": "ftp://x/v1"}, "must begin with http", id="another scheme"),
        pytest.param("custom", "m", {"url": "https://"}, "name a host", id="no host"),
        pytest.param("custom", "m", {"url": "https://x/v1 \n"}, "", id="blanks around it are nothing"),
        pytest.param("custom", "m", {"url": "https://x/a b"}, "must begin with http", id="a blank in it"),
        pytest.param("openai", "m", {"key": "sk-\nx"}, "the key for 'openai'", id="a broken key"),
        pytest.param("openai", "m", {"abilities": {"image": True}}, "did you mean 'images'", id="unknown ability"),
        pytest.param("openai", "m", {"quirks": {"harmonic": True}}, "did you mean 'harmony'", id="unknown quirk"),
        pytest.param("openai", "m", {"style": {"x": 1}}, "unknown style 'x'; known are", id="unknown style"),
    ],
)
def test_what_is_not_right_is_refused_in_plain_words(
    vendor: str, model: str, options: dict[str, Any], words: str
) -> None:
    if not words:
        codec(vendor, model, **options)
        return
    with pytest.raises(SettingsError) as caught:
        codec(vendor, model, **options)

    assert words in str(caught.value)
    assert "sk-" not in str(caught.value)


def test_an_unknown_dialect_is_refused() -> None:
    with pytest.raises(SettingsError, match="unknown dialect 'opnai'; did you mean 'openai'"):
        codec(Vendor("tea", "opnai", "https://tea.example"), "m")


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("https://x.example", "https://x.example/v1/chat/completions"),
        ("https://x.example/", "https://x.example/v1/chat/completions"),
        ("http://x.example:8080/v1", "http://x.example:8080/v1/chat/completions"),
        ("http://x.example/v1/", "http://x.example/v1/chat/completions"),
        ("http://x.example/v1/chat", "http://x.example/v1/chat/completions"),
        ("http://x.example/v1/chat/completions/", "http://x.example/v1/chat/completions"),
        ("http://x.example/v1/completions", "http://x.example/v1/chat/completions"),
        ("http://x.example/v1/models", "http://x.example/v1/chat/completions"),
        ("https://x.example/api/openai?v=1", "https://x.example/api/openai/chat/completions?v=1"),
        ("HTTPS://X.example/v1", "HTTPS://X.example/v1/chat/completions"),
        (" http://[::1]:8080/v1 ", "http://[::1]:8080/v1/chat/completions"),
    ],
)
def test_whatever_of_an_address_is_given_the_whole_is_asked(url: str, address: str) -> None:
    assert address == codec("custom", "m", url=url).encode(HELLO).url


@pytest.mark.parametrize(
    ("vendor", "url", "address"),
    [
        ("ollama", "http://h:1", "http://h:1/api/chat"),
        ("ollama", "http://h:1/v1", "http://h:1/api/chat"),
        ("ollama", "http://h:1/api/chat", "http://h:1/api/chat"),
        ("openai-responses", "https://h", "https://h/v1/responses"),
        ("openai-responses", "https://h/v1/responses", "https://h/v1/responses"),
        ("google", "https://h", "https://h/v1beta/models/m:streamGenerateContent?alt=sse"),
        ("google", "https://h/v1/models", "https://h/v1/models/m:streamGenerateContent?alt=sse"),
        ("anthropic", "https://h", "https://h/v1/messages"),
        ("anthropic", "https://h/v1", "https://h/v1/messages"),
    ],
)
def test_so_it_is_in_every_dialect(vendor: str, url: str, address: str) -> None:
    assert address == codec(vendor, "m", url=url, key="key").encode(HELLO).url


def test_another_address_may_be_given_for_any_vendor() -> None:
    assert "https://proxy.example/v1" == of("openai", url="https://proxy.example").url


class TestHeaders:
    def test_a_router_is_told_who_asks(self) -> None:
        assert {"x-title": "Cadenza"} == dict(of("openrouter").headers)

    def test_it_need_not_be(self) -> None:
        assert {} == dict(of("openrouter", headers={"X-Title": ""}).headers)

    def test_others_are_added(self) -> None:
        assert {"x-title": "Cadenza", "http-referer": "https://my.example"} == dict(
            of("openrouter", headers={"HTTP-Referer": "https://my.example"}).headers
        )


class TestWhatIsKnown:
    def test_the_name_of_a_model_has_a_word_after_the_row(self) -> None:
        assert (4, 0) == (of("openai", "gpt-4.1").abilities.stops, of("openai", "gpt-5").abilities.stops)

    def test_the_user_has_the_last_word(self) -> None:
        told = of("openai", "gpt-5", abilities={"stops": 2}, quirks={"harmony": True}, style={"max_tokens": "max"})

        assert (2, True, "max") == (told.abilities.stops, told.quirks.harmony, told.style.max_tokens)

    def test_a_later_fact_has_the_last_word(self) -> None:
        words = of("openai", "gpt-5.1").style.efforts

        assert "none" in words.values()

    def test_fields_of_the_body_are_added(self) -> None:
        told = of("groq", "qwen/qwen3-32b", extra={"seed": 1})

        assert {"reasoning_format": "parsed", "seed": 1} == dict(told.extra)

    @pytest.mark.parametrize(
        ("url", "field"),
        [
            ("http://localhost:11434/v1", ThinkingField.EFFORT),
            ("https://ollama.my.example/v1", ThinkingField.EFFORT),
            ("http://localhost:8080/v1", ThinkingField.NOWHERE),
            ("http://x.example/ollama/v1", ThinkingField.NOWHERE),
        ],
    )
    def test_a_custom_ollama_is_known_by_its_address(self, url: str, field: ThinkingField) -> None:
        assert field is of("custom", url=url).style.thinking

    def test_a_row_is_not_changed_by_what_is_told(self) -> None:
        before = replace(VENDORS["openai"])
        of("openai", "gpt-5", abilities={"stops": 2})

        assert before == VENDORS["openai"]


@pytest.mark.parametrize("vendor", VENDORS.values(), ids=lambda vendor: vendor.name)
@pytest.mark.parametrize("url", ["https://e.org/a.png", "gs://bucket/a.png", "attachment://a.png", "data:,x", ""])
@pytest.mark.parametrize("role", [Role.USER, Role.MODEL])
def test_a_picture_that_nobody_fetched_is_linked_or_told_of(vendor: Vendor, url: str, role: Role) -> None:
    shown = PromptTurn(role, ("look", Media(MediaKind.IMAGE, "image/png", url)))
    spoken = codec(vendor, "m", url="" if vendor.url else "https://x.example/v1")

    body = spoken.encode(Prompt("", (shown, PromptTurn.said(Role.USER, "well?")))).body.decode()

    assert (bool(url) and f'"{url}"' in body) or "n image was sent here that " in body
