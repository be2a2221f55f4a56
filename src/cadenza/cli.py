"""The command line: ``cadenza demo`` and ``cadenza replay``."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path

from . import __version__
from .errors import CadenzaError, InputError
from .settings import Settings

_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""What a shell reports for a program that was ended by Ctrl-C or by the end of its reader."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give back the exit status."""
    parser = _parser()
    options = parser.parse_args(arguments)
    if options.command is None:
        parser.print_help()
        return 0
    if sys.stdout is None:
        _complain("there is no standard output to write to")
        return 1
    try:
        return _demo(options) if options.command == "demo" else _replay(options)
    except CadenzaError as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        _abandon_output()
        if isinstance(error, BrokenPipeError):
            return _BROKEN_PIPE  # whoever read it has seen enough
        _complain(f"the output cannot be written: {error.strerror or error}")
        return 1


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="cadenza",
        description="Deliver a language model's stream to a chat as natural messages.",
        epilog="'cadenza COMMAND --help' tells more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"cadenza {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    _add_demo(commands)
    _add_replay(commands)
    return parser


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="watch a scripted conversation become messages",
        description="Play a scripted conversation through the real pipeline into this terminal. "
        "Needs no network, no token and no key, and ends by itself within 20 seconds.",
    )
    demo.add_argument("--fast", action="store_true", help="skip the pauses")


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    replay = commands.add_parser(
        "replay",
        help="put recorded streams through the pipeline: JSON lines in, JSON lines out",
        description="Put recorded streams through the pipeline. Each line of input is one stream, such as "
        '{"id": 1, "chunks": ["Hel", "lo"], "settings": {"degree": 1}}; each line of output holds its messages. '
        "A line that cannot be read is answered with an error, and the exit status is then 1.",
        epilog="The format is described in docs/replay.md.",
    )
    replay.add_argument("files", nargs="*", metavar="FILE", help="files to read; '-' or none is standard input")
    replay.add_argument(
        "--slices",
        metavar="HOW",
        help="cut each stream anew before it is fed: whole, chars, or random:SEED (the messages must not change)",
    )
    replay.add_argument("--settings", metavar="FILE", help="a TOML file with settings for every stream")


def _demo(options: argparse.Namespace) -> int:
    from .demo import run  # noqa: PLC0415  # the terminal's toolkit is slow to load, and only the demo needs it

    return run(fast=options.fast)


def _replay(options: argparse.Namespace) -> int:
    from .replay import replay_line, slicer  # noqa: PLC0415  # --help should not wait for it

    slices = slicer(options.slices) if options.slices is not None else None
    settings = Settings.load(options.settings) if options.settings is not None else Settings()
    status = 0
    for line in _lines(options.files or ["-"]):
        answer = replay_line(line, settings=settings, slices=slices)
        status = 1 if "error" in answer else status
        sys.stdout.buffer.write(_written(answer) + b"\n")
        sys.stdout.buffer.flush()
    return status


def _written(answer: dict[str, object]) -> bytes:
    """*answer* as JSON; an odd character that UTF-8 cannot hold is written as JSON's own escape."""
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except ValueError:  # an id of 1e999, which Python reads as infinity
        text = json.dumps({**answer, "id": None}, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def _lines(names: Sequence[str]) -> Iterator[bytes]:
    """The lines of all files, blank ones left out."""
    for name in names:
        if name == "-":
            if sys.stdin is None:
                msg = "there is no standard input to read"
                raise InputError(msg)
            yield from filter(bytes.strip, sys.stdin.buffer)
            continue
        try:
            with Path(name).open("rb") as file:
                yield from filter(bytes.strip, file)
        except OSError as error:
            msg = f"cannot read {name!r}: {error.strerror or error}"
            raise InputError(msg) from None


def _complain(sentence: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"cadenza: {sentence}\n")


def _abandon_output() -> None:
    """Nothing more can be written: let the interpreter's last flush go nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
