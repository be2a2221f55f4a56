"""The command line: ``cadenza init``, ``run`` and all the others.

What a command needs is imported when it is asked for: nobody waits for a bot who wants to see the help.
"""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from itertools import chain
from pathlib import Path
from types import MappingProxyType

from .. import __version__
from ..errors import CadenzaError, InputError
from ..explain.steps import Hook
from ..settings import Settings, given

_OF_A_BOT: Mapping[str, tuple[str, str]] = MappingProxyType(
    {
        "init": (".service.setup", "make a bot: asks three questions and writes its files"),
        "doctor": (".bot.doctor", "see whether a bot can run, and what to do where it cannot"),
        "run": (".bot.run", "start the bot; with --sim, try it in this terminal"),
        "play": (".playground.run", "open a Discord of your own in the browser, and look inside every message"),
        "store": (".service.storekeeping", "back up, export, import, check or forget what the bot keeps"),
    }
)
"""The commands of a bot: where each one is, and what it is for."""
_EXPLAIN = {"explain": (".films.explaining", "tell how any text or recorded stream becomes messages, and why")}
_ELSEWHERE: Mapping[str, tuple[str, str]] = MappingProxyType({**_OF_A_BOT, **_EXPLAIN})
"""All commands that have a module of their own, which says what they can be told."""
_INTERRUPTED = 130
_BROKEN_PIPE = 141
"""What a shell reports for a program that was ended by Ctrl-C or by the end of its reader."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; give back the exit status."""
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
            return _BROKEN_PIPE  # whoever read it has seen enough
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
    logging.getLogger(__package__).addHandler(logging.NullHandler())  # what there is to say is said once, by us
    return _COMMANDS[options.command](options)


def _parser(wanted: str) -> argparse.ArgumentParser:
    """What reads the command line; of those that are elsewhere only the one that is *wanted* is known in full."""
    parser = argparse.ArgumentParser(
        prog="cadenza",
        description="Deliver a language model's stream to a chat as natural messages.",
        epilog="'cadenza COMMAND --help' tells more about a command.",
    )
    parser.add_argument("--version", action="version", version=f"cadenza {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", title="commands")
    for name in _OF_A_BOT:
        _add(commands, name, wanted)
    _add_demo(commands)
    _add(commands, "explain", wanted)
    _add_record(commands)
    _add_replay(commands)
    return parser


def _add(commands: argparse._SubParsersAction[argparse.ArgumentParser], name: str, wanted: str) -> None:
    """Add a command that has a module of its own; it is imported only if it is *wanted*."""
    module, about = _ELSEWHERE[name]
    if name == wanted:
        getattr(import_module(module, __package__), f"add_{name}")(commands)
    else:
        commands.add_parser(name, help=about)


def _add_demo(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    demo = commands.add_parser(
        "demo",
        help="watch a conversation become messages",
        description="Play a scripted conversation through the real pipeline into this terminal. "
        "Needs no network, no token and no key, and ends by itself within 20 seconds. "
        "With --model, somebody talks with a real model instead.",
    )
    demo.add_argument("--fast", action="store_true", help="skip the pauses")
    demo.add_argument(
        "--model",
        metavar="MODEL",
        help="talk with this model: local (on this machine, needs no key), or VENDOR:NAME such as openai:gpt-5.1",
    )
    demo.add_argument(
        "--trace", metavar="FILE", help="write down all that happens and why; 'cadenza explain FILE' tells it"
    )


def _add_record(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    record = commands.add_parser(
        "record",
        help="ask a model, and save what it really sent",
        description="Ask a model, show what it says, and save the bytes that came, with their timings and without "
        "keys, as a file that 'cadenza replay' and tests can play: how to report a provider's bug.",
        epilog="The format is described in docs/replay.md.",
    )
    record.add_argument("model", metavar="MODEL", help="whom to ask: VENDOR:NAME, local, or script:FILE")
    record.add_argument("prompt", nargs="?", metavar="PROMPT", help="what to ask; standard input if it is absent")
    record.add_argument("-o", "--output", required=True, metavar="FILE", help="where to write the recording")
    record.add_argument("--system", default="", metavar="TEXT", help="what the model is told before")
    record.add_argument("--url", metavar="URL", help="where the vendor's interface is, if not where it usually is")
    record.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting, such as max_tokens=100; may be repeated",
    )
    record.add_argument("--with-prompt", action="store_true", help="save what was asked, too")
    record.add_argument("--force", action="store_true", help="write over a file that is there already")


def _add_replay(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    replay = commands.add_parser(
        "replay",
        help="put recorded streams through the pipeline: JSON lines in, JSON lines out",
        description="Put recorded streams through the pipeline. Each line of input is one stream, such as "
        '{"id": 1, "chunks": ["Hel", "lo"], "settings": {"degree": 1}}; each line of output holds its messages. '
        "A file that 'cadenza record' made is understood too. "
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


def _elsewhere(options: argparse.Namespace) -> int:
    module, _ = _ELSEWHERE[options.command]
    run: Callable[[argparse.Namespace], int] = getattr(import_module(module, __package__), f"run_{options.command}")
    return run(options)


def _demo(options: argparse.Namespace) -> int:
    if options.trace is None:
        return _played(options, None)
    from ..explain.steps import JsonLines  # noqa: PLC0415  # only who asks for it waits for it

    if options.trace in ("", "-"):
        msg = "a trace needs a file, for the conversation goes to standard output; name one behind --trace"
        raise InputError(msg)
    with JsonLines(options.trace) as trace:
        status = _played(options, trace)
    if trace.complaint:
        _complain(trace.complaint)
    return status or bool(trace.complaint)


def _played(options: argparse.Namespace, trace: Hook | None) -> int:
    if options.model is not None:
        from .talk import run as talk  # noqa: PLC0415  # it brings the way to a model along

        return talk(options.model, fast=options.fast, trace=trace)
    from .demo import run  # noqa: PLC0415  # the terminal's toolkit is slow to load, and only the demo needs it

    return run(fast=options.fast, trace=trace)


def _record(options: argparse.Namespace) -> int:
    from .record import RecordOptions, run  # noqa: PLC0415  # likewise

    if options.output in ("", "-"):
        msg = "a recording needs a file, for what the model says goes to standard output; name one with -o"
        raise InputError(msg)
    prompt = options.prompt if options.prompt is not None else _asked()
    if not prompt.strip():
        msg = "there is nothing to ask; give a prompt behind the model, or on standard input"
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
    """What to ask, from standard input; somebody who sits there is told that it is their turn."""
    if sys.stdin is not None and sys.stdin.isatty():
        _complain("what is to be asked? End it with Ctrl-D on a line of its own")
    return b"".join(_standard_input()).decode("utf-8", "replace")


def _replay(options: argparse.Namespace) -> int:
    from ..replies.replay import slicer  # noqa: PLC0415  # --help should not wait for it

    slices = slicer(options.slices) if options.slices is not None else None
    settings = Settings.load(options.settings) if options.settings is not None else Settings()
    status = 0
    for answer in chain.from_iterable(_answers(_lines(name), settings, slices) for name in options.files or ["-"]):
        status = 1 if "error" in answer else status
        sys.stdout.buffer.write(_written(answer) + b"\n")
        sys.stdout.buffer.flush()
    return status


def _answers(
    lines: Iterable[bytes], settings: Settings, slices: Callable[[Sequence[str]], Sequence[str]] | None
) -> Iterator[dict[str, object]]:
    """What the lines of one file come to: each by itself, or all of them if they are a recording."""
    from ..models.recordings import is_head  # noqa: PLC0415  # likewise
    from ..replies.replay import replay_line, replay_recording  # noqa: PLC0415

    is_first = True
    for line in lines:
        if is_first and is_head(line.strip()):
            text = b"".join([line, *lines]).decode("utf-8", "surrogateescape")
            yield from replay_recording(text, settings=settings, slices=slices)
            return
        if line.strip():
            is_first = False
            yield replay_line(line, settings=settings, slices=slices)


_COMMANDS: Mapping[str, Callable[[argparse.Namespace], int]] = {
    **dict.fromkeys(_ELSEWHERE, _elsewhere),
    "demo": _demo,
    "record": _record,
    "replay": _replay,
}


def _written(answer: dict[str, object]) -> bytes:
    """*answer* as JSON; an odd character that UTF-8 cannot hold is written as JSON's own escape."""
    try:
        text = json.dumps(answer, ensure_ascii=False, allow_nan=False)
    except ValueError:  # an id of 1e999, which Python reads as infinity
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
        msg = f"cannot read {name!r}: {error.strerror or error}"
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
    """Nothing more can be written: let the interpreter's last flush go nowhere."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
