"""From a name to a model that can be asked."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import cadenza
from cadenza import MemoryTarget, Persona, Scene, Settings, connect, reply
from cadenza.errors import ErrorKind, InputError, ProviderError, SettingsError
from cadenza.models.connect import scripted
from cadenza.models.dialects.dialect import Dialect, Endpoint
from cadenza.models.http import Http
from cadenza.models.keys import Keyring
from cadenza.models.model import Model, stream
from cadenza.models.vendors import VENDORS, Vendor
from cadenza.types import Chunk, Failed, Finished, Line, Prompt, PromptTurn, Role, TextDelta, ToolCall, Usage
from tests.loopback import Answer, serving
from tests.models.recorded import joined

ASKED = Prompt("Be brief.", (PromptTurn.said(Role.USER, "Hi"),))
SAID = Answer(
    (
        b'data: {"id":"1","choices":[{"index":0,"delta":{"role":"assistant","content":"He"},"finish_reason":null}]}\n\n',
        b'data: {"id":"1","choices":[{"index":0,"delta":{"content":"llo"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
    )
)


@pytest.fixture(autouse=True)
def _no_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    for variable in {name for vendor in VENDORS.values() for name in vendor.key_variables}:
        monkeypatch.delenv(variable, raising=False)


def endpoint(model: Model) -> Endpoint:
    assert isinstance(model.codec, Dialect)
    return model.codec.endpoint


async def heard(model: Model, prompt: Prompt = ASKED) -> list[Chunk]:
    return joined([chunk async for chunk in stream(model, prompt)])


# --- keys ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "vendor", [name for name, row in VENDORS.items() if row.key_variables and row.url and not row.is_local]
)
def test_a_missing_key_is_named_by_its_variable(vendor: str) -> None:
    with pytest.raises(SettingsError, match=rf"'{vendor}' needs a key; .*{VENDORS[vendor].key_variables[0]}"):
        connect(f"{vendor}:model")


@pytest.mark.parametrize("key", ["", " \n"], ids=["empty", "blank"])
def test_a_key_that_holds_nothing_is_none(key: str) -> None:
    with pytest.raises(SettingsError, match="needs a key"):
        connect("openai:gpt-5.1", key=key)


def test_a_key_stands_in_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GEMINI_API_KEY", "  ")
    monkeypatch.setenv("GOOGLE_API_KEY", " from-the-environment\n")
    monkeypatch.setenv("OPENAI_API_KEY", "another")

    assert endpoint(connect("openai:gpt-5.1")).key == "another"
    assert endpoint(connect("openai:gpt-5.1", key="given")).key == "given"


@pytest.mark.parametrize("name", ["llamacpp:m", "vllm:m", "ollama-compat:m"])
def test_a_model_on_this_machine_needs_none(name: str) -> None:
    assert endpoint(connect(name)).key == ""


def test_somebody_else_at_another_address_may_need_none() -> None:
    assert endpoint(connect("openai:m", url="https://proxy.example/v1")).key == ""


@pytest.mark.parametrize("name", ["custom:m", "vertex:gemini-3-pro-preview"])
def test_who_has_no_address_is_asked_for_that_and_not_for_a_key(name: str) -> None:
    with pytest.raises(SettingsError, match="has no address of its own; give one"):
        connect(name)


def test_a_key_is_never_shown() -> None:
    assert "very-secret" not in repr(connect("openai:gpt-5.1", key="very-secret"))


# --- several keys ------------------------------------------------------------------------------


def secrets(ring: Keyring | None) -> list[str]:
    assert ring is not None
    return [key.secret for key in ring._keys]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        pytest.param("one", ["one"], id="one"),
        pytest.param("one,two", ["one", "two"], id="commas"),
        pytest.param(" one , two,\n", ["one", "two"], id="with spaces"),
        pytest.param("one two\n three", ["one", "two", "three"], id="white space"),
        pytest.param(",one,,one", ["one"], id="nothing, and the same again"),
    ],
)
def test_several_keys_may_stand_in_the_environment(
    monkeypatch: pytest.MonkeyPatch, value: str, expected: list[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", value)
    model = connect("openai:gpt-5.1")

    assert expected == secrets(model.keyring)
    assert expected[0] == endpoint(model).key


def test_a_variable_with_nothing_but_commas_holds_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", " , ,")
    with pytest.raises(SettingsError, match="needs a key"):
        connect("openai:gpt-5.1")


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        pytest.param("one", ["one"], id="a text"),
        pytest.param("one, two", ["one, two"], id="a text is one key, whatever it holds"),
        pytest.param(["one", " two "], ["one", "two"], id="a list"),
        pytest.param(("one",), ["one"], id="a list of one"),
    ],
)
def test_several_keys_may_be_given(key: str | list[str], expected: list[str]) -> None:
    model = connect("openai:gpt-5.1", key=key)

    assert expected == secrets(model.keyring)
    assert expected[0] == endpoint(model).key


@pytest.mark.parametrize("key", [[], [""], [" ", "\n"]], ids=["none", "empty", "blank"])
def test_a_list_that_holds_no_key_is_none(key: list[str]) -> None:
    with pytest.raises(SettingsError, match="needs a key"):
        connect("openai:gpt-5.1", key=key)
    assert connect("openai:m", key=key, url="https://proxy.example/v1").keyring is None


def test_models_may_share_their_keys() -> None:
    ring = Keyring(["one", "two"])
    models = [connect(f"openai:{name}", keyring=ring) for name in ("gpt-5.1", "gpt-5.1-mini")]

    assert [ring, ring] == [model.keyring for model in models]
    assert ["one", "one"] == [endpoint(model).key for model in models]


def test_keys_stand_in_the_ring_or_beside_it_but_not_both() -> None:
    with pytest.raises(SettingsError, match="give either key= or keyring=, not both"):
        connect("openai:gpt-5.1", key="one", keyring=Keyring("two"))


@pytest.mark.parametrize("name", ["llamacpp:m", "ollama:m"])
def test_who_needs_no_key_has_no_ring(name: str) -> None:
    assert connect(name).keyring is None


async def test_the_settings_say_how_long_its_keys_rest() -> None:
    ring = connect("openai:gpt-5.1", key="one", settings=Settings.of(rate_limit_cooldown=7)).keyring
    assert ring is not None
    ring.failed(ring.main, ProviderError("too often", kind=ErrorKind.RATE_LIMIT))

    assert 6 < ring.ready_in() <= 7


async def test_a_model_is_asked_with_the_key_that_was_chosen() -> None:
    settings = Settings.of(private_addresses=True)
    async with (
        serving(SAID) as server,
        connect("custom:m", key=["one-key-1", "two-key-2"], url=server.url, settings=settings) as model,
    ):
        for secret in secrets(model.keyring):
            await heard(model.keyed(secret))

    assert ["Bearer one-key-1", "Bearer two-key-2"] == [asked.headers["authorization"] for asked in server.asked]


@pytest.mark.parametrize("name", ["openai:gpt-5.1", " OpenRouter : meta/llama:free "])
def test_a_model_is_called_as_it_was_asked_for(name: str) -> None:
    assert name.strip() == connect(name, key="very-secret").name


def test_so_is_a_script_and_a_function(tmp_path: Path) -> None:
    file = tmp_path / "answer.jsonl"
    file.write_text('{"text": "Hello"}\n', encoding="utf-8")

    assert f"script:{file}" == connect(f"script:{file}").name
    assert ("scripted", "echo") == (scripted(lambda _: []).name, scripted(lambda _: [], name="echo").name)


# --- names -----------------------------------------------------------------------------------


def test_a_name_is_a_vendor_and_a_model_which_may_have_colons() -> None:
    found = endpoint(connect(" OpenRouter : meta/llama:free ", key="k"))

    assert ("openrouter", "meta/llama:free") == (found.vendor, found.model)


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        pytest.param("opnai:gpt-5.1", "did you mean 'openai'", id="misspelt"),
        pytest.param("locl:smollm2", "did you mean 'local'", id="misspelt, and no vendor"),
        pytest.param("nobody:m", "known are openai, .*custom, local and script", id="nobody"),
        pytest.param("gpt-5.1", "'gpt-5.1'; name the vendor and the model, as in 'openai:gpt-5.1'", id="no vendor"),
        pytest.param("openai/gpt-5.1", "name the vendor and the model", id="no colon"),
        pytest.param("", "unknown vendor ''; name the vendor and the model", id="nothing"),
        pytest.param(None, "by a text such as 'openai:gpt-5.1', .* not NoneType", id="a variable that is not set"),
        pytest.param("openai", "no model is named", id="no model"),
        pytest.param("openai:", "no model is named", id="an empty model"),
        pytest.param("custom:m", "has no address of its own", id="no address"),
        pytest.param("script:", "no file is named", id="no file"),
    ],
)
def test_a_name_that_is_not_right_is_refused_in_a_sentence(name: Any, complaint: str) -> None:
    with pytest.raises(SettingsError, match=complaint):
        connect(name, key="k")


@pytest.mark.parametrize("name", ["local", "script:answer.jsonl"])
def test_an_address_is_not_passed_over_where_there_is_none(name: str) -> None:
    with pytest.raises(SettingsError, match=r"has no address .* 'llamacpp:NAME'"):
        connect(name, url="http://localhost:8080")


def test_an_address_that_is_none_is_no_reason_to_fall_over() -> None:
    """Whoever asks there says so, in a sentence."""
    assert endpoint(connect("llamacpp:m", url="http://[::1")).url == "http://[::1/v1"


# --- a vendor of one's own -------------------------------------------------------------------

TEA = Vendor("tea", "openai", "https://tea.example/v1", key_variables=("TEA_API_KEY",))


def test_a_vendor_may_be_a_row_of_one_s_own(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TEA_API_KEY", "leaf")
    found = endpoint(connect("earl-grey:first-flush", vendor=TEA))

    assert ("tea", "earl-grey:first-flush", "https://tea.example/v1", "leaf") == (
        found.vendor,
        found.model,
        found.url,
        found.key,
    )


def test_it_is_asked_for_its_key_like_any_other() -> None:
    with pytest.raises(SettingsError, match=r"'tea' needs a key; .*TEA_API_KEY"):
        connect("earl-grey", vendor=TEA)


async def test_a_model_of_it_is_asked() -> None:
    async with serving(SAID) as server:
        here = replace(TEA, url=f"{server.url}/v1", key_variables=(), is_local=True)
        async with connect("earl-grey", vendor=here) as model:
            assert [TextDelta("Hello"), Finished("stop")] == await heard(model)

    assert json.loads(server.asked[0].body)["model"] == "earl-grey"


def test_what_is_known_of_a_model_can_be_changed() -> None:
    found = endpoint(
        connect("openai:gpt-5.1", key="k", abilities={"images": False}, quirks={"resends": True}, extra={"seed": 7}, headers={"x-a": "b"})
    )  # fmt: skip

    assert (False, True, 7, "b") == (
        found.abilities.images,
        found.quirks.resends,
        found.extra["seed"],
        found.headers["x-a"],
    )


# --- asking ----------------------------------------------------------------------------------


async def test_a_model_is_asked_and_hung_up_on() -> None:
    async with serving(SAID) as server:
        async with connect("llamacpp:tiny", url=server.url) as model:
            assert [TextDelta("Hello"), Finished("stop")] == await heard(model)
        await server.quiet()

    assert ("POST", "/v1/chat/completions") == (server.asked[0].method, server.asked[0].path)
    assert json.loads(server.asked[0].body)["model"] == "tiny"


async def test_a_whole_reply() -> None:
    target, scene = MemoryTarget(), Scene("c", Persona("Ren"), history=(Line("Mia", "Hi"),))
    async with serving(SAID) as server, connect("llamacpp:tiny", url=server.url) as model:
        await reply(scene, model, target)

    assert ["Hello"] == target.texts


async def test_models_may_share_a_way_which_stays_open() -> None:
    async with serving(SAID) as server, Http() as http:
        for _ in range(2):
            async with connect("llamacpp:tiny", url=server.url, http=http) as model:
                await heard(model)
        assert (1, 2) == (server.accepted, len(server.asked))


async def test_a_vendor_elsewhere_is_not_let_onto_this_machine() -> None:
    async with serving(SAID) as server, connect("custom:m", url=server.url) as model:
        (failed,) = await heard(model)

    assert isinstance(failed, Failed)
    assert isinstance(failed.error, ProviderError | SettingsError)
    assert server.asked == []


async def test_the_setting_lets_it() -> None:
    settings = Settings.of(private_addresses=True)
    async with serving(SAID) as server, connect("custom:m", url=server.url, settings=settings) as model:
        assert [TextDelta("Hello"), Finished("stop")] == await heard(model)


@pytest.mark.parametrize("host", ["192.168.1.1", "example.com", "127.0.0.1.example.com", ""])
def test_only_loopback_is_this_machine(host: str) -> None:
    from cadenza.models.connect import _is_loopback

    assert not _is_loopback(f"http://{host}/v1")
    assert all(
        map(_is_loopback, ("http://localhost:1/v1", "http://127.0.0.2", "http://[::1]:80/", "http://a.localhost"))
    )


# --- scripts and recordings ---------------------------------------------------------------------


async def test_a_script_of_python_is_asked_with_the_prompt(tmp_path: Path) -> None:
    file = tmp_path / "model.py"
    file.write_text("def answer(prompt):\n    yield prompt.turns[-1].text.upper()\n    yield 0.01\n    yield '!'\n")

    async with connect(f"script:{file}") as model:
        heard = [chunk async for chunk in stream(model, Prompt("", (PromptTurn.said(Role.USER, "hello"),)))]

    assert "HELLO!" == "".join(chunk.text for chunk in heard if isinstance(chunk, TextDelta))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        pytest.param("def answers(prompt): ...", "has no function 'answer'", id="another name"),
        pytest.param("1 / 0", "cannot be run .ZeroDivisionError.", id="it fails"),
        pytest.param("def", "cannot be run .SyntaxError.", id="no Python"),
    ],
)
def test_a_script_of_python_that_cannot_be_asked_is_refused_in_a_sentence(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, text: str, complaint: str
) -> None:
    file = tmp_path / "model.py"
    file.write_text(text)

    with pytest.raises(SettingsError, match=complaint) as caught:
        connect(f"script:{file}")

    logged = [record.exc_text.splitlines()[-1] for record in caplog.records if record.exc_text]
    assert logged == [type(cause).__name__ for cause in [caught.value.__cause__] if cause]
    assert bool(logged) is ("cannot be run" in complaint)


async def test_a_script_is_played_over_and_over(tmp_path: Path) -> None:
    file = tmp_path / "answer.jsonl"
    file.write_text('{"text": "Hello"}\n{"finish": "stop"}\n', encoding="utf-8")

    async with connect(f"script:{file}") as model:
        assert [TextDelta("Hello"), Finished("stop")] == await heard(model) == await heard(model)


async def test_a_recording_is_played_by_its_own_dialect(tmp_path: Path) -> None:
    file = tmp_path / "recorded.jsonl"
    head = {"recording": 1, "vendor": "openai", "model": "gpt-5.1"}
    rows: list[Any] = [head, *({"after": 0, "text": step.decode()} for step in SAID.steps if isinstance(step, bytes))]
    file.write_text("\n\n".join(map(json.dumps, rows)), encoding="utf-8")

    async with connect(f"script:{file}") as model:
        assert [TextDelta("Hello"), Finished("stop")] == await heard(model)


@pytest.mark.parametrize(
    ("text", "complaint"), [("nonsense", "line 1 of the script"), ('{"recording": 1}', "line 1 of the recording")]
)
def test_a_file_that_cannot_be_played_is_refused_with_its_line(tmp_path: Path, text: str, complaint: str) -> None:
    file = tmp_path / "a.jsonl"
    file.write_text(text, encoding="utf-8")

    with pytest.raises(InputError, match=complaint):
        connect(f"script:{file}")


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(InputError, match="cannot read 'no-such-file'"):
        connect("script:no-such-file")


async def test_a_model_can_be_a_function() -> None:
    def echo(prompt: Prompt) -> list[str | Chunk]:
        return [prompt.turns[-1].text, " 😀", ToolCall("1", "w", '{"a": 1}'), Usage(1, 2), Finished("tool_calls")]

    assert [TextDelta("Hi 😀"), ToolCall("1", "w", '{"a": 1}'), Usage(1, 2), Finished("tool_calls")] == await heard(
        scripted(echo)
    )


def test_it_is_a_function_whatever_is_imported_first() -> None:
    """A module of the same name would hide it."""
    assert callable(cadenza.connect)
    assert callable(cadenza.from_stream)
