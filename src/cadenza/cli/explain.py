"""``cadenza explain``: shows how a text or a recorded stream becomes messages, and why."""

from __future__ import annotations

import argparse
import json
import shutil
import sys
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from ..errors import InputError, Sentence
from ..explain.fact_log import read
from ..explain.words import explain
from ..facts import LoggedFact
from ..play.films.comparing import Comparison, compared, comparison_lines
from ..play.films.film import Json, packed
from ..play.films.inputs import ExplainInput, chosen_replies, data_of, is_trace, subject_of, subject_of_trace
from ..play.films.options import ExplainOptions
from ..play.films.printing import WIDEST, Paper, Printer, message_lines, reply_lines
from ..play.films.summary import ReplySummary, counted, tellings
from ..play.page import film_page

VERSION = 2


def add_explain(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    """Add ``cadenza explain`` to the command line."""
    parser = commands.add_parser(
        "explain",
        help="show how a text or a recorded stream becomes messages, and why",
        description="Show how a model's text becomes messages: why each starts and ends where it does, what was held, "
        "which rules changed it, and where the time went. FILE is a text that a model wrote, a recording of "
        "'cadenza record', an answer saved in a provider's own format, lines for 'cadenza replay', a trace or a film. "
        "A trace or a film is shown as it happened. Anything else is delivered to a simulated Discord in virtual time, "
        "and so is a trace or a film with --diff or an option of the simulation.",
        epilog="See docs/explain.md.",
    )
    parser.add_argument("file", metavar="FILE", help="the file to explain; '-' is standard input")
    parser.add_argument("--text", action="store_true", help="treat FILE as plain text, whatever it looks like")
    parser.add_argument("--answer", type=int, metavar="N", help="explain only this one of several answers in FILE")
    parser.add_argument("--message", type=int, metavar="N", help="explain only this message, in full; 1 is the first")
    _add_outputs(parser)
    _add_circumstances(parser)


def _add_outputs(parser: argparse.ArgumentParser) -> None:
    output = parser.add_argument_group("output")
    output.add_argument("--json", action="store_true", help="write one JSON object instead of text")
    output.add_argument("--html", metavar="OUT", help="write a self-contained HTML page; '-' is standard output")
    output.add_argument("--force", action="store_true", help="let --html overwrite an existing file")
    output.add_argument(
        "--diff",
        nargs=2,
        metavar=("A.toml", "B.toml"),
        help="compare the messages under two files of settings; the exit status is 0 if they are the same, else 1",
    )


def _add_circumstances(parser: argparse.ArgumentParser) -> None:
    group = parser.add_argument_group("simulation")
    group.add_argument("--settings", metavar="FILE", help="a TOML file with settings")
    group.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a setting, such as shape=lines; may be repeated",
    )
    group.add_argument(
        "--rate", type=float, metavar="TOKENS", help="tokens per second (default: 50); replaces recorded timings"
    )
    group.add_argument("--asked", default="", metavar="TEXT", help="the message that the reply answers")
    group.add_argument(
        "--limit",
        metavar="N/SECONDS",
        help="the rate limit of the channel: N messages in SECONDS (default: 5/5), or 'off'",
    )
    group.add_argument(
        "--fault",
        action="append",
        default=[],
        metavar="WHAT[xTIMES][@N]",
        help="simulate a fault, TIMES times, from message N on: rate_limit, refused, lost, slow, broken, "
        "webhook_gone; may be repeated",
    )
    group.add_argument("--stop-at", type=float, metavar="SECONDS", help="stop the reply after this time")


def run_explain(options: argparse.Namespace) -> int:
    """Run the command; returns the exit status."""
    wanted = ExplainOptions.of(options)
    data = data_of(wanted.file)
    facts, complaints = read(data.split(b"\n")) if is_trace(data) else ([], [])
    for complaint in complaints:
        _complain(complaint)
    if facts and not wanted.is_rehearsed:
        return max(_explain_trace(wanted, facts), bool(complaints))
    subject = subject_of(wanted, data)
    _remark(subject.told)
    return max(_deliver(wanted, subject), bool(complaints))


def _explain_trace(wanted: ExplainOptions, facts: Sequence[LoggedFact]) -> int:
    """Explain a trace as it happened; in a terminal, fact by fact."""
    if wanted.is_json or wanted.html:
        return _deliver(wanted, subject_of_trace(wanted, facts))
    for line in explain(chosen_replies(wanted, facts), message=wanted.message):
        _write(f"{line}\n")
    return 0


def _deliver(wanted: ExplainOptions, subject: ExplainInput) -> int:
    """Write the explanation of *subject* in the wanted form."""
    if wanted.html:
        _write_page(wanted, subject)
        if not wanted.is_json:
            return _status(wanted, subject)
    if wanted.diff:
        return _tell_differences(wanted, subject)
    told = counted(telling for films in subject.films for telling in tellings(films[0]))
    chosen = _chosen(told, wanted)
    if wanted.is_json:
        _write_json(subject, {"replies": [telling.as_json() for telling in chosen]})
    else:
        _tell(chosen, wanted)
    return 0


def _tell(told: Sequence[ReplySummary], wanted: ExplainOptions) -> None:
    paper, printer = _paper(is_full=wanted.message is not None)
    for place, telling in enumerate(told):
        if place:
            _write("\n")
        lines = (
            reply_lines(telling, paper)
            if wanted.message is None
            else (line for message in telling.messages for line in message_lines(message, paper))
        )
        for text in printer.printed(lines):
            _write(text)


def _chosen(told: Sequence[ReplySummary], wanted: ExplainOptions) -> Sequence[ReplySummary]:
    """The replies, reduced to the wanted message if one is chosen."""
    if wanted.message is None:
        return told
    for telling in told:
        if narrowed := telling.only(wanted.message):
            return [narrowed]
    count = sum(len(telling.messages) for telling in told)
    msg = Sentence(
        "there is no message {message}: {name} becomes 1 message"
        if count == 1
        else "there is no message {message}: {name} becomes {count} messages",
        message=wanted.message,
        name=repr(wanted.name),
        count=count,
    )
    raise InputError(msg)


# --- two settings ----------------------------------------------------------------------------------


def _comparisons(subject: ExplainInput) -> list[Comparison]:
    """Each answer under both settings."""
    sides = [counted(told) for told in zip(*_told_twice(subject), strict=True)]
    return [compared(*pair) for pair in zip(*sides, strict=True)]


def _told_twice(subject: ExplainInput) -> list[tuple[ReplySummary, ReplySummary]]:
    return [(tellings(left)[0], tellings(right)[0]) for left, right in subject.films]


def _tell_differences(wanted: ExplainOptions, subject: ExplainInput) -> int:
    found = _comparisons(subject)
    if wanted.is_json:
        _write_json(subject, {"labels": list(wanted.labels), "replies": [one.as_json() for one in found]})
    else:
        paper, printer = _paper()
        for place, comparison in enumerate(found):
            if place:
                _write("\n")
            for text in printer.printed(comparison_lines(comparison, wanted.labels, paper)):
                _write(text)
    return 0 if all(one.is_same for one in found) else 1


def _status(wanted: ExplainOptions, subject: ExplainInput) -> int:
    return 1 if wanted.diff and not all(one.is_same for one in _comparisons(subject)) else 0


# --- a page ------------------------------------------------------------------------------------------


def _write_page(wanted: ExplainOptions, subject: ExplainInput) -> None:
    page = film_page([packed(film) for film in subject.films[0]], title=wanted.title, labels=wanted.labels)
    if wanted.html == "-":
        _write(page)
        return
    _save(wanted, page)
    _complain(f"the page is in {wanted.html!r}; any browser opens it")


def _save(wanted: ExplainOptions, page: str) -> None:
    path = Path(wanted.html)
    try:
        with path.open("w" if wanted.is_forced else "x", encoding="utf-8", newline="\n") as file:
            file.write(page)
    except FileExistsError:
        raise wanted.in_the_way() from None
    except (OSError, ValueError) as error:  # a name with a NUL in it is a ValueError
        msg = Sentence(
            "cannot write {html}: {error}", html=repr(wanted.html), error=getattr(error, "strerror", None) or error
        )
        raise InputError(msg) from None


# --- writing -----------------------------------------------------------------------------------------


def _write_json(subject: ExplainInput, about: Json) -> None:
    head: Json = {
        "explained": VERSION,
        "what": subject.what,
        "told": subject.told,
        "is_rehearsed": subject.is_rehearsed,
    }
    _write(json.dumps({**head, **about}, ensure_ascii=False) + "\n")


def _paper(*, is_full: bool = False) -> tuple[Paper, Printer]:
    """Paper and printer, as wide as the terminal if there is one."""
    is_terminal = sys.stdout.isatty()
    width = min(WIDEST, max(40, shutil.get_terminal_size().columns)) if is_terminal else Paper().width
    return Paper(width, is_full=is_full), Printer(width=width, is_terminal=is_terminal)


def _write(text: str) -> None:
    """Write *text* as UTF-8, whatever the locale says; a lone surrogate is written as an escape."""
    sys.stdout.buffer.write(text.encode("utf-8", "backslashreplace"))
    sys.stdout.buffer.flush()


def _remark(sentence: str) -> None:
    """Print *sentence* if standard error is a terminal."""
    if sys.stderr is not None and sys.stderr.isatty():
        _complain(sentence)


def _complain(sentence: str) -> None:
    """Print *sentence* on standard error."""
    if sys.stderr is not None:
        with suppress(OSError):
            sys.stderr.write(f"cadenza: {sentence}\n")
