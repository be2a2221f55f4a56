"""The servers of ``a_server.py`` as programs that are there at once; it is run as a program, and without site packages.

The SDK takes most of a second to load. So one process, ``a_quick_server.py kitchen SOCKET``, loads it once, and each
server is a fork of it: ``a_quick_server.py SOCKET WORDS...`` hands its standard streams, its environment and its words to
the kitchen, and the two then end together, however either of them ends. All end with whoever has the other end of the
kitchen's standard input: with the tests, that is, even if these are killed.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable
from select import select

ORDERLY = b"."


def order(address: str, *words: str) -> int:
    """Be the server that these *words* ask for, by way of the kitchen; give back the exit status."""
    asked = json.dumps([words, dict(os.environ)]).encode()
    with socket.socket(socket.AF_UNIX) as line:
        line.connect(address)
        socket.send_fds(line, [len(asked).to_bytes(4, "big")], [0, 1, 2])
        line.sendall(asked)
        for stream in (0, 1, 2):
            os.close(stream)  # who is at their other ends must notice when the fork closes them
        return 0 if line.recv(1) == ORDERLY else 3


def kitchen(address: str) -> None:
    """Fork a server for whoever asks."""
    from a_server import main

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # no fork is waited for
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        print("ready", flush=True)  # noqa: T201  # how a test hears of it
        while listener in select([listener, 0], [], [])[0]:
            line, _ = listener.accept()
            with line:
                if os.fork() == 0:
                    listener.close()
                    serve(line, main)


def serve(line: socket.socket, main: Callable[..., None]) -> None:
    """Be the server that is asked for on the *line*, and nothing after that."""
    tests = os.dup(0)
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    head, streams, *_ = socket.recv_fds(line, 4, 3)
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    with line.makefile("rb") as reader:
        words, environment = json.loads(reader.read(int.from_bytes(head, "big")))
    os.environ.clear()
    os.environ.update(environment)
    threading.Thread(target=end_with, args=(line, tests), daemon=True).start()
    try:
        main(*words)
        sys.stdout.flush()
        line.send(ORDERLY)
    finally:
        os._exit(1)


def end_with(line: socket.socket, tests: int) -> None:
    """End this process when whoever ordered it has ended, or the tests have."""
    select([line, tests], [], [])
    os._exit(1)


if __name__ == "__main__":
    if sys.argv[1] == "kitchen":
        kitchen(sys.argv[2])
    else:
        sys.exit(order(*sys.argv[1:]))
