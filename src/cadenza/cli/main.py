"""The command line: ``cadenza init``, ``run`` and the other commands.

Each command imports its modules only when it runs, so that the help is quick.
"""

from __future__ import annotations

import argparse
import difflib
import json
import logging
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from .. import __version__
from ..errors import CadenzaError, InputError, Sentence
from ..facts import Hook
from ..settings import Settings, given

_OF_A_BOT: Mapping[str, str] = MappingProxyType(
    {
        "init": "create a bot: ask four questions and write its files",
        "doctor": "check that a bot can run, and say how to fix what is wrong",
        "run": "start the bot; with --sim, try it in this terminal",
        "play": "open a simulated Discord in the browser, and look inside every message",
        "store": "back up, export, import, check or delete the bot's data",
    }
)
"""The commands of a bot, with their help."""
_EXPLAIN = {"explain": "show how a text or a recorded stream becomes messages, and why"}
_ELSEWHERE: Mapping[str, str] = MappingProxyType({**_OF_A_BOT, **_EXPLAIN})
"""Commands whose own module adds their options."""
_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""The exit statuses of a shell for a program that ended by Ctrl-C or by a broken pipe."""


class _CommandParser(argparse.ArgumentParser):
    """The parser of a command: an unknown argument is an error with the usage of this command."""

    def parse_known_args(  # type: ignore[override]  # one of its overloads
        self, args: Sequence[str] | None = None, namespace: argparse.Namespace | None = None
    ) -> tuple[argparse.Namespace, list[str]]:
        known, unknown = super().parse_known_args(args, namespace)
        if unknown:
            close = difflib.get_close_matches(unknown[0].partition("=")[0], self._option_string_actions, n=1)
            hint = f"; did you mean {close[0]}?" if close else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{hint}")
        return known, unknown


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return the exit status."""
    try:
        return _run(sys.argv[1:] if arguments is None else arguments)
    except CadenzaError as error:
        _complain(str(error))
        return 2
    except KeyboardInterrupt:
        return _INTERRUPTED
    except OSError as error:
        _abandon_output()
        if isinstance(error, BrokenPipeError):
            return _BROKEN_PIPE  # the reader, such as ``head``, has closed the pipe
        _complain(f"the output cannot be written: {error.strerror or error}")
        return 1


def _run(words: Sequence[str]) -> int:
    parser = _parser(next((word for word in words if not word.startswith("-")), ""))
    options = parser.parse_args(words)
    if options.command is None:
        parser.print_help()
        return 0
    if sys.stdout is None:
        _complain("there is no standard output to write to")
        return 1
    logging.getLogger("cadenza").addHandler(logging.NullHandler())  # errors are printed once, by us
    return _COMMANDS[options.command](options)


def _parser(wanted: str) -> argparse.ArgumentParser:
    """The argument parser; only the *wanted* command is imported."""
    parser = argparse.ArgumentParser(
        prog="cadenza",
        description="Deliver a language model's stream to a chat as natural messages.",
        epilog="Run 'cadenza COMMAND --help' for the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"cadenza {__version__}")
    commands: argparse._SubParsersAction[argparse.ArgumentParser] = parser.add_subparsers(
        dest="command", metavar="COMMAND", title="commands", parser_class=_CommandParser
    )
    for name in _OF_A_BOT:
        _add(commands, name, wanted)
    _add_demo(commands)
    _add(commands, "explain", wanted)
    _add_record(commands)
    _add_replay(commands)
    return parser


def _add(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, wanted: str) -> None:
    """Add a command with its own module, which is imported only if it is *wanted*."""
    if name == wanted:
        getattr(import_module(f".{name}", __package__), f"add_{name}")(commands)
    else:
        commands.add_parser(name, help=_ELSEWHERE[name])


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="watch a conversation become messages",
        description="Play a scripted conversation through the real pipeline in this terminal. "
        "It needs no network, no token and no API key, and takes less than 20 seconds.",
    )
    demo.add_argument("--fast", action="store_true", help="skip the pauses")
    demo.add_argument(
        "--trace", metavar="FILE", help="write a trace, the facts of every reply; read it with 'cadenza explain FILE'"
    )


def _add_record(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    record = commands.add_parser(
        "record",
        help="ask a model, and save the bytes that it sent",
        description="Ask a model, print its answer, and save the received bytes with their timings and without keys. "
        "'cadenza replay' and tests can play the file; attach it when you report a bug of a provider.",
        epilog="See docs/replay.md for the format.",
    )
    record.add_argument("model", metavar="MODEL", help="the model: VENDOR:NAME, local, or script:FILE")
    record.add_argument("prompt", nargs="?", metavar="PROMPT", help="the question (default: standard input)")
    record.add_argument("-o", "--output", required=True, metavar="FILE", help="the file to write")
    record.add_argument("--system", default="", metavar="TEXT", help="the system prompt")
    record.add_argument("--url", metavar="URL", help="the base URL of the vendor's API, if it is not the usual one")
    record.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting, such as max_tokens=100; may be repeated",
    )
    record.add_argument("--with-prompt", action="store_true", help="save the prompt, too")
    record.add_argument("--force", action="store_true", help="overwrite an existing file")


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    replay = commands.add_parser(
        "replay",
        help="run recorded streams through the pipeline: JSON lines in, JSON lines out",
        description="Run recorded streams through the pipeline. Each line of input is one stream, such as "
        '{"id": 1, "chunks": ["Hel", "lo"], "settings": {"shape": "lines"}}; each line of output holds its messages. '
        "Files from 'cadenza record' work too. "
        "A line that cannot be parsed gives a line with an error, and the exit status is then 1.",
        epilog="See docs/replay.md for the format.",
    )
    replay.add_argument("files", nargs="*", metavar="FILE", help="files to read (default, or '-': standard input)")
    replay.add_argument(
        "--slices",
        metavar="HOW",
        help="slice each stream differently: whole, chars, or random:SEED (the messages must not change)",
    )
    replay.add_argument("--settings", metavar="FILE", help="a TOML file with settings for every stream")
    replay.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting for every stream, such as shape=lines; may be repeated",
    )


def _elsewhere(options: argparse.Namespace) -> int:
    module = import_module(f".{options.command}", __package__)
    run: Callable[[argparse.Namespace], int] = getattr(module, f"run_{options.command}")
    return run(options)


def _demo(options: argparse.Namespace) -> int:
    if options.trace is None:
        return _played(options, None)
    from ..explain.fact_log import JsonLines  # noqa: PLC0415  # imported only for --trace

    if options.trace in ("", "-"):
        msg = "a trace needs a file, because the conversation goes to standard output; name one after --trace"
        raise InputError(msg)
    with JsonLines(options.trace) as trace:
        status = _played(options, trace)
    if trace.complaint:
        _complain(trace.complaint)
    return status or bool(trace.complaint)


def _played(options: argparse.Namespace, trace: Hook | None) -> int:
    from .demo import run  # noqa: PLC0415  # the terminal's toolkit is slow to load

    return run(fast=options.fast, trace=trace)


def _record(options: argparse.Namespace) -> int:
    from .record import RecordOptions, run  # noqa: PLC0415  # it imports the HTTP client

    if options.output in ("", "-"):
        msg = "a recording needs a file, because the answer goes to standard output; name one with -o"
        raise InputError(msg)
    prompt = options.prompt if options.prompt is not None else _asked()
    if not prompt.strip():
        msg = "the prompt is empty; give it after the model, or on standard input"
        raise InputError(msg)
    return run(
        RecordOptions(
            options.model,
            prompt,
            Path(options.output),
            system=options.system,
            url=options.url,
            settings=Settings().with_values(given(options.set)),
            with_prompt=options.with_prompt,
            force=options.force,
        )
    )


def _asked() -> str:
    """The prompt from standard input; in a terminal with a hint."""
    if sys.stdin is not None and sys.stdin.isatty():
        _complain("type the prompt, and end it with Ctrl-D on its own line")
    return b"".join(_standard_input()).decode("utf-8", "replace")


def _replay(options: argparse.Namespace) -> int:
    from ..replies.replay import slicer  # noqa: PLC0415  # --help should not wait for it

    slices = slicer(options.slices) if options.slices is not None else None
    settings = Settings.load(options.settings) if options.settings is not None else Settings()
    settings = settings.with_values(given(options.set))
    status = 0
    for answer in chain.from_iterable(_answers(name, settings, slices) for name in options.files or ["-"]):
        status = 1 if "error" in answer else status
        sys.stdout.buffer.write(_written(answer) + b"\n")
        sys.stdout.buffer.flush()
    return status


def _answers(
    name: str, settings: Settings, slices: Callable[[Sequence[str]], Sequence[str]] | None
) -> Iterator[dict[str, object]]:
    """The results of one file: one for each line, or those of a recording. An error says where it is."""
    from ..models.recordings import is_head  # noqa: PLC0415  # --help should not wait for it
    from ..replies.replay import replay_line, replay_recording  # noqa: PLC0415

    lines, is_first = _lines(name), True
    for number, line in enumerate(lines, start=1):
        if is_first and is_head(line.strip()):
            text = b"".join([line, *lines]).decode("utf-8", "surrogateescape")
            for answer in replay_recording(text, settings=settings, slices=slices):
                yield {**answer, "file": name} if "error" in answer else answer
            return
        if line.strip():
            is_first = False
            answer = replay_line(line, settings=settings, slices=slices)
            yield {**answer, "file": name, "line": number} if "error" in answer else answer


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    **dict.fromkeys(_ELSEWHERE, _elsewhere),
    "demo": _demo,
    "record": _record,
    "replay": _replay,
}


def _written(answer: dict[str, object]) -> bytes:
    """*answer* as JSON; a lone surrogate, which UTF-8 cannot hold, is escaped."""
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except ValueError:  # an id of 1e999, which Python parses as infinity
        text = json.dumps({**answer, "id": None}, ensure_ascii=False)
    return text.encode("utf-8", "backslashreplace")


def _lines(name: str) -> Iterator[bytes]:
    """The lines of a file; ``-`` is standard input."""
    if name == "-":
        yield from _standard_input()
        return
    try:
        with Path(name).open("rb") as file:
            yield from file
    except OSError as error:
        msg = Sentence("cannot read {name}: {strerror}", name=repr(name), strerror=error.strerror or error)
        raise InputError(msg) from None


def _standard_input() -> Iterator[bytes]:
    if sys.stdin is None:
        msg = "there is no standard input to read"
        raise InputError(msg)
    yield from sys.stdin.buffer


def _complain(sentence: str) -> None:
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"cadenza: {sentence}\n")


def _abandon_output() -> None:
    """Redirect standard output to the null device, so that the interpreter's last flush does not fail."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
