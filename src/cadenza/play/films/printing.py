"""A reply in a terminal: its messages as in the chat, each with its story.

Foreign text is stripped of control characters first, and wrapped by its width in columns.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import zip_longest

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from ...explain.sentences import rendered
from ...explain.telling import setting, with_file
from . import film_words
from .summary import Message, ReplyEvent, ReplySummary
from .values import About, parts_of, texts_of

WIDEST = 100
_LABEL = 9
_MOST_LINES = 12
_LAST_LINES = 2
_SEEN = 0.005
_HARMFUL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")
"""Control characters, marks that reverse a line, and lone surrogates; not tabs and line ends."""


@dataclass(frozen=True, slots=True)
class Paper:
    """The page that is printed on."""

    width: int = 80
    is_full: bool = False
    """Whether long texts are printed in full."""


def harmless(text: str) -> str:
    """*text* with control characters written out."""
    return _HARMFUL.sub(_written_out, text).expandtabs(4)


def _written_out(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"


class Printer:
    """Renders lines for a terminal, or as plain text."""

    def __init__(self, *, width: int = 80, is_terminal: bool = False) -> None:
        self._out = io.StringIO()
        self._console = Console(
            file=self._out,
            width=width,
            force_terminal=is_terminal or None,
            legacy_windows=False,
            highlight=False,
            markup=False,
            emoji=False,
        )

    def printed(self, lines: Iterable[Text]) -> Iterator[str]:
        """Each of *lines*, rendered, with its line end."""
        for line in lines:
            line.rstrip()
            self._console.print(line, soft_wrap=True)
            text = self._out.getvalue()
            self._out.seek(0)
            self._out.truncate()
            yield text


def reply_lines(telling: ReplySummary, paper: Paper) -> Iterator[Text]:
    """A whole reply: its messages, the events between them, and its numbers."""
    if telling.settings:
        settings = ", ".join(rendered(setting(name, value)) for name, value in telling.settings.items())
        yield from labelled("settings", settings, paper)
        yield from labelled("unused", _unused(telling), paper)
        yield Text()
    happened: list[Message | ReplyEvent] = sorted([*telling.events, *telling.messages], key=lambda one: one.at)
    for one in happened:
        if isinstance(one, Message):
            yield from message_lines(one, paper)
            yield Text()
        else:
            yield from _event(one, paper)
    yield from summary_lines(telling, paper)


def _unused(telling: ReplySummary) -> str:
    """That some settings play no role."""
    if not telling.unused:
        return ""
    verb = "plays" if len(telling.unused) == 1 else "play"
    return f"{', '.join(telling.unused)} {verb} no role here: the text was given, and no model was asked."


def message_lines(message: Message, paper: Paper) -> Iterator[Text]:
    """A message, and its story."""
    yield headline(f"{message.number}  {message.author}", f"at {film_words.shown_seconds(message.at)}", paper)
    yield from body(message, paper, style="")
    for part in ("starts", "ends"):
        yield from labelled(part, film_words.told(message, part), paper)
    for hold in film_words.all_told(message, "holds"):
        yield from labelled("held", hold, paper)
    for rule, told in zip_longest(parts_of(message.story, "rules"), film_words.all_told(message, "rules")):
        yield from labelled("rule", told or "", paper)
        if paper.is_full:
            yield from _change(rule or {}, paper)
    yield from labelled("pings", film_words.pings(message), paper)
    for part in ("merged", "pause"):
        yield from labelled(part, film_words.told(message, part), paper)
    for wait in film_words.all_told(message, "waits"):
        yield from labelled("waited", wait, paper)
    for refusal in film_words.all_told(message, "refusals"):
        yield from labelled("refused", refusal, paper)
    yield from labelled("time", film_words.told(message, "times"), paper)


def body(message: Message, paper: Paper, *, style: str, mark: str = "│ ") -> Iterator[Text]:
    """The text of the message, with a bar beside it."""
    lines = wrapped(Text(harmless(message.shown), style=style), paper.width - 2) if message.shown else []
    if not paper.is_full and len(lines) > _MOST_LINES:
        left = len(lines) - _MOST_LINES
        more = Text(
            f"… {film_words.many(left, 'more line')}; --message {message.number} shows all …", style="dim italic"
        )
        lines = [*lines[: _MOST_LINES - _LAST_LINES], more, *lines[-_LAST_LINES:]]
    if message.file:
        lines += wrapped(Text(f"[{rendered(with_file(harmless(message.file)))}]", style="italic"), paper.width - 2)
    for line in lines:
        yield Text.assemble((mark, style or "cyan"), line)


def summary_lines(telling: ReplySummary, paper: Paper) -> Iterator[Text]:
    """A reply in numbers."""
    yield headline("Summary", "", paper)
    for label, value in numbers_in_words(telling):
        yield from labelled(label, value, paper)


def numbers_in_words(telling: ReplySummary) -> list[tuple[str, str]]:
    """The numbers of a reply, each with its label; missing ones are left out."""
    numbers = telling.numbers
    came, first = numbers.last_token, numbers.first_message
    late, last = numbers.after_last_token, numbers.last_message
    planned = f" instead of {numbers.planned:,}, put together" if numbers.planned > numbers.messages else ""
    refused = f"{film_words.many(numbers.refusals, 'answer')} of 429" if numbers.refusals else ""
    waited = f"{film_words.shown_seconds(numbers.rate_limit)} waited" if numbers.rate_limit >= _SEEN else ""
    told = [
        ("ended", telling.ended),
        ("messages", f"{numbers.messages:,}{planned}; {film_words.many(numbers.characters, 'character')}"),
        ("tokens", f"{numbers.tokens:,} in {film_words.shown_seconds(came)}" if came is not None else ""),
        ("first", f"message after {film_words.shown_seconds(first)}" if first is not None else ""),
        ("last", f"message after {film_words.shown_seconds(last)}" if last is not None else ""),
        (
            "held",
            f"{film_words.shown_seconds(numbers.held)}, until it was decided what the messages are"
            if numbers.held >= _SEEN
            else "",
        ),
        ("typing", f"{film_words.shown_seconds(numbers.typing)} waited" if numbers.typing >= _SEEN else ""),
        ("limited", ", ".join(filter(None, (refused, waited)))),
        ("unshown", film_words.unshown(telling)),
    ]
    if late is not None:
        told[4] = ("last", f"{told[4][1]}, {film_words.shown_seconds(late)} after the last token")
    return [(label, value) for label, value in told if value]


# --- parts ---------------------------------------------------------------------------------------


def labelled(label: str, value: str, paper: Paper) -> Iterator[Text]:
    """*value* after its *label*, wrapped; nothing if it is empty."""
    if not value:
        return
    indent = _LABEL + 3
    for number, line in enumerate(wrapped(Text(harmless(value)), paper.width - indent)):
        yield Text.assemble((f"  {label if not number else '':{_LABEL}} ", "dim"), line)


def headline(left: str, right: str, paper: Paper, *, style: str = "") -> Text:
    """A line across the paper, with text at its left and at its right."""
    left, right = cut_to(harmless(left).replace("\n", " "), paper.width - cell_len(right) - 8), harmless(right)
    fill = paper.width - cell_len(left) - cell_len(right) - 4 - (2 if right else 0)
    tail = [(f" {right} ", "dim")] if right else [("", "")]
    return Text.assemble(("── ", "dim"), (left, f"bold {style}"), (f" {'─' * max(0, fill)}", "dim"), *tail)


def cut_to(text: str, width: int) -> str:
    """*text*, at most *width* columns wide."""
    if cell_len(text) <= width:
        return text
    kept, used = "", 1
    for character in text:
        used += cell_len(character)
        if used > width:
            break
        kept += character
    return f"{kept}…"


def _event(event: ReplyEvent, paper: Paper) -> Iterator[Text]:
    """An event between two messages."""
    at = f"at {film_words.shown_seconds(event.at)}  "
    lines = [line for part in harmless(event.told).split("\n") for line in wrapped(Text(part), paper.width - 16)]
    for number, line in enumerate(lines):
        yield Text.assemble((f"  {'•' if not number else ' '} {at if not number else '':12}", "dim"), line)
    yield Text()


def _change(rule: About, paper: Paper) -> Iterator[Text]:
    """The text before and after a rule, in full."""
    before, after = "".join(texts_of(rule, "before")).rstrip("\n"), "".join(texts_of(rule, "after")).rstrip("\n")
    if before == after:
        return
    for sign, text, style in (("-", before, "red"), ("+", after, "green")):
        yield from _signed(sign, text, style, paper) if text else ()


def _signed(sign: str, text: str, style: str, paper: Paper) -> Iterator[Text]:
    indent = " " * (_LABEL + 3)
    for number, line in enumerate(wrapped(Text(harmless(text), style=style), paper.width - _LABEL - 5)):
        yield Text.assemble(indent, (f"{sign if not number else ' '} ", style), line)


def wrapped(text: Text, width: int) -> list[Text]:
    """*text* in lines of at most that many columns."""
    width = max(20, width)
    return list(text.wrap(Console(width=width), width))
