"""A terminal that looks like a chat: names in colour, messages one by one, somebody typing.

On a terminal a message is drawn: emphasis, code with its colours, tables as tables.
Anywhere else (a file, a pipe, ``TERM=dumb``) it is plain lines, ``Ren: text``, exactly as it was said.
Text is never read as rich's markup, and nothing in it can steer the terminal.

This is the only module that imports rich.
"""

from __future__ import annotations

import errno
import os
import re
import sys
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import suppress
from itertools import islice
from types import TracebackType
from typing import Literal, Self

from rich import box
from rich.cells import cell_len
from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.padding import Padding
from rich.spinner import Spinner
from rich.style import Style
from rich.syntax import Syntax
from rich.table import Table
from rich.text import Text

from ..text import tables
from ..text.blocks import blocks
from ..text.inline_styles import read
from ..text.line_sorts import LineSort, sort_line
from ..text.repair import split_fence
from ..text.units import whole_grapheme
from ..types import Attachment, Edit, Identity, Kind, Notice, Post, Receipt
from .target import Limits

_MARK = "●"
_INDENT = 2
_WIDEST = 100
"""Longer lines are hard to read, however wide the terminal is."""
_NARROWEST = 16
_QUOTED = 40
"""Characters that are quoted of a deleted message."""
_COLOURS = ("magenta", "cyan", "green", "yellow", "blue", "red")


class ConsoleTarget:
    """Shows messages on a terminal, or writes them as plain lines where there is none."""

    def __init__(
        self,
        name: str,
        *,
        avatar: str | None = None,
        limits: Limits | None = None,
        console: Console | None = None,
    ) -> None:
        self._persona = Identity(name, avatar)
        self._limits = limits or Limits(tables=True)
        self._console = console or _standard_output()
        self._draws = self._console.is_terminal and not self._console.is_dumb_terminal
        self._sent = 0
        self._group: Identity | str = ""  # the last speaker on the screen, or another kind of line
        self._colours = {name: _COLOURS[0]}
        self._typing: Identity | None = None
        self._live: Live | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # --- what a target does -----------------------------------------------------------

    @property
    def limits(self) -> Limits:
        """Discord's limits, which a terminal does not need but plays."""
        return self._limits

    async def send(self, post: Post, /) -> Receipt:
        """Show *post*."""
        self._message(post.identity or self._persona, _whole(post))
        self._sent += 1
        return Receipt(post, str(self._sent), identity=post.identity)

    async def typing(self, identity: Identity | None, /) -> None:
        """Show that *identity* is typing, until a message or anything else is shown."""
        who = identity or self._persona
        if not (self._draws and self._console.is_interactive) or (self._live and self._typing == who):
            return
        with suppress(OSError):  # the next message raises it
            self.typing_over()
            self._typing = who
            self._live = Live(self._typing_line(who), console=self._console, transient=True, refresh_per_second=10)
            self._live.start(refresh=True)

    async def notify(self, notice: Notice, /) -> None:
        """Show *notice* as a line of its own."""
        self.notice(notice.text)

    async def remove(self, receipt: Receipt, /) -> None:
        """Say that the message is deleted: a terminal cannot remove it."""
        self.notice(f"Deleted: “{_beginning(_whole(receipt.post))}”")

    # --- what else a chat shows --------------------------------------------------------

    def say(self, name: str, text: str) -> None:
        """Show a message of the person *name*."""
        self._message(Identity(name), text)

    def aside(self, text: str) -> None:
        """Show a thought, set aside from what is said."""
        mark = "💭 " if self._can_show("💭") else "thought: "
        self._remark("thought", mark, text, lambda told: Text(told, Style(dim=True, italic=True)))

    def notice(self, text: str) -> None:
        """Show an event, not a message."""
        self._remark("notice", "— ", text, lambda told: Text(style="dim").append_text(self._prose(told)))

    def typing_over(self) -> None:
        """Remove the typing indicator."""
        live, self._live, self._typing = self._live, None, None
        if live:
            live.stop()

    def close(self) -> None:
        """Leave a clean screen. May be called again; what is shown after it is still shown."""
        with suppress(OSError):
            self.typing_over()
            self._console.file.flush()

    # --- messages ------------------------------------------------------------------------

    def _message(self, who: Identity, text: str) -> None:
        text = self._shown(text)
        self.typing_over()
        begins = self._turn_to(who)
        if self._draws:
            if begins:
                self._console.print(self._name(who), overflow="fold")
            for block in self._drawn(text):
                self._console.print(block, crop=False)
        else:
            # The lines of a block belong under each other, not behind a name.
            opening = ":\n" + " " * _INDENT if _begins_with_block(text) else ": "
            self._write(self._plain_name(who) + opening, text)

    def _remark(self, kind: str, mark: str, text: str, draw: Callable[[str], Text]) -> None:
        text, mark = self._shown(text), self._shown(mark)
        self.typing_over()
        self._turn_to(kind)
        if self._draws:
            self._console.print(self._hung(draw(mark + text)), crop=False)
        elif kind == "thought":
            self._write("(thought) ", text)
        else:
            self._write("-- ", text)

    def _turn_to(self, group: Identity | str) -> bool:
        """Leave an empty line if *group* is not the last on the screen; returns whether it was not."""
        before, self._group = self._group, group
        if before and before != group:
            self._write("", "")
        return before != group

    def _write(self, opening: str, text: str) -> None:
        """Write plain lines: the first one after *opening*, the others indented. At once: a pipe is watched too."""
        lines = text.split("\n")
        indented = [lines[0], *(" " * _INDENT + line if line else "" for line in lines[1:])]
        self._console.file.write(opening + "\n".join(indented) + "\n")
        self._console.file.flush()

    def _plain_name(self, who: Identity) -> str:
        """The name; with its mark if only that distinguishes two sprites of a persona."""
        mark = self._mark(who)
        tells_apart = who.name == self._persona.name and mark not in (_MARK, self._mark(self._persona))
        return self._shown(f"{who.name} {mark}" if tells_apart else who.name).replace("\n", " ")

    def _name(self, who: Identity) -> Text:
        name = self._shown(who.name).replace("\n", " ")
        colour = self._colour(who.name)
        return Text.assemble((self._shown(self._mark(who)), colour), " ", (name, f"bold {colour}"))

    def _mark(self, who: Identity) -> str:
        """The avatar if it is one character, such as an emoji; else a dot."""
        own = self._persona.avatar if who.name == self._persona.name else None
        avatar = who.avatar or own or ""
        return avatar if 0 < cell_len(avatar) <= 2 and self._can_show(avatar) else _MARK

    def _colour(self, name: str) -> str:
        return self._colours.setdefault(name, _COLOURS[len(self._colours) % len(_COLOURS)])

    def _typing_line(self, who: Identity) -> RenderableType:
        text = Text(f"{self._shown(who.name)} is typing".replace("\n", " "), style="dim", no_wrap=True)
        spinner = Spinner("dots" if self._can_show("⠋") else "line", text, style=self._colour(who.name))
        line = Padding(spinner, (0, 0, 0, _INDENT), expand=False)  # short: the "^C" of a terminal must not wrap it
        return Group(Text(), line) if self._group and self._group != who else line

    # --- text that a terminal can show ------------------------------------------------------

    def _shown(self, text: str) -> str:
        """Make *text* harmless and, where the output's encoding is small, as close to it as that allows."""
        text = text.replace("\r\n", "\n").replace("\r", "\n").expandtabs(4)
        text = _CONTROL.sub("\ufffd", text)
        return text if self._can_show(text) else "".join(map(self._closest, text))

    def _can_show(self, text: str) -> bool:
        try:
            text.encode(self._console.encoding)
        except UnicodeError:
            return False
        return True

    def _closest(self, character: str) -> str:
        if self._can_show(character):
            return character
        simpler = _SIMPLER.get(character) or unicodedata.normalize("NFKD", character)
        return simpler.encode(self._console.encoding, "ignore").decode(self._console.encoding) or "?"

    # --- drawing -----------------------------------------------------------------------------

    def _drawn(self, text: str) -> Iterator[RenderableType]:
        for kind, block in _blocks(text):
            match kind:
                case Kind.CODE:
                    yield Padding(_code(block), (0, 0, 0, 2 * _INDENT))
                case Kind.TABLE:
                    yield Padding(self._table(block), (0, 0, 0, _INDENT))
                case Kind.PROSE:
                    yield self._hung(self._prose(block))

    def _hung(self, text: Text) -> Text:
        """Fold *text* to the width of the chat; what is folded hangs, so that a line of the message stands out."""
        width = max(_NARROWEST, min(self._console.width, _WIDEST)) - 2 * _INDENT
        hung = Text(no_wrap=True, overflow="ignore")
        for line in text.split("\n", allow_blank=True):
            for number, part in enumerate(line.wrap(self._console, width, overflow="fold")):
                part.rstrip()
                hung.append("\n" if hung else "").append(" " * (2 * _INDENT if number else _INDENT)).append_text(part)
        return hung

    def _prose(self, text: str) -> Text:
        drawn = _inline(text, bullet=self._shown("•"), bar=self._shown("▌"))
        for name in self._colours:
            drawn.highlight_regex(rf"@{re.escape(name)}(?!\w)", Style(color=self._colour(name), bold=True))
        return drawn

    def _table(self, text: str) -> Table:
        header, separator, *rows = map(tables.cells, tables.lines(text))
        table = Table(box=box.ROUNDED, border_style="dim", header_style="bold")
        for column in range(max(map(len, [header, *rows]))):
            name, dashes = (line[column] if column < len(line) else "" for line in (header, separator))
            table.add_column(self._prose(name), justify=_alignment(dashes), overflow="fold")
        for row in rows:
            table.add_row(*map(self._prose, row))
        return table


class _Console(Console):
    """rich's console, but a broken pipe is an error like others and does not end the program from within."""

    def on_broken_pipe(self) -> None:
        raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))


def _standard_output() -> Console:
    """Colours may be forced into a pipe (``FORCE_COLOR``), but a line that goes away again needs a screen."""
    is_screen = sys.stdout is not None and sys.stdout.isatty()
    return _Console(file=sys.stdout, force_interactive=is_screen)


_CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\ud800-\udfff]")
"""Control characters except the line end, and lone surrogates, which no encoding can write."""

_SIMPLER = {
    "–": "-",
    "—": "-",
    "·": "-",
    "•": "*",
    "●": "o",
    "‘": "'",
    "’": "'",
    "“": '"',
    "”": '"',
    "→": "->",
    "▌": "|",
}

_STYLES = {
    "bold": Style(bold=True),
    "italic": Style(italic=True),
    "underline": Style(underline=True),
    "strike": Style(strike=True),
    "code": Style(color="bright_cyan"),
    "link": Style(color="blue", underline=True),
    "spoiler": Style(dim=True, reverse=True),
}

# What a line may begin with, and how the line looks then.
_HEADING = re.compile(r"^#{1,3} +(?=\S)(?P<rest>.*)", re.MULTILINE)
_SUBTEXT = re.compile(r"^-# +(?=\S)(?P<rest>.*)", re.MULTILINE)
_QUOTE = re.compile(r"^>(?:>>)? (?P<rest>.*)", re.MULTILINE)
_BULLET = re.compile(r"^ *(?P<mark>[-*]) +\S", re.MULTILINE)


def _whole(post: Post) -> str:
    """What is shown of *post*: its text, and which file goes with it."""
    return "\n".join(filter(None, [post.text, _attached(post.attachment)]))


def _attached(attachment: Attachment | None) -> str:
    return f"[{attachment.name}, {len(attachment.data)} bytes]" if attachment else ""


def _beginning(text: str) -> str:
    """The first words of *text*, in one line."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTED else line[: whole_grapheme(line, _QUOTED)].rstrip() + " …"


def _blocks(text: str) -> Iterator[tuple[Kind, str]]:
    """What *text* is made of, without the line ends around each."""
    return ((kind, block.strip("\n")) for kind, block in blocks(text) if block.strip())


def _begins_with_block(text: str) -> bool:
    first, _, more = text.partition("\n")
    if more and sort_line(first).sort is not LineSort.TEXT:
        return True
    return any(kind is not Kind.PROSE for kind, _ in islice(_blocks(text), 1))


def _code(block: str) -> Syntax:
    fence, body = split_fence(block)
    language, *_ = fence.info.split() or ["text"]
    code = re.sub(rf"\n?[ \t>]*{fence.run}`*\s*\Z", "", body)
    if fence.prefix.strip():  # a code block in a quote
        code = re.sub(r"^[ \t]*> ?", "", code, flags=re.MULTILINE)
    return Syntax(code, language, theme="ansi_dark", background_color="default", word_wrap=True)


def _alignment(dashes: str) -> Literal["left", "center", "right"]:
    if dashes.endswith(":"):
        return "center" if dashes.startswith(":") else "right"
    return "left"


def _inline(text: str, *, bullet: str, bar: str) -> Text:
    """Draw prose: the marks go, what they mean stays. What the scanner does not call emphasis is left as it is."""
    drawn = Text(text)
    reading = read(text)
    for style, start, end in reading.stretches:
        drawn.stylize(_STYLES[style], start, end)
    return _edited(drawn, [*reading.edits, *_drawn_lines(drawn, bullet=bullet, bar=bar)])


def _drawn_lines(drawn: Text, *, bullet: str, bar: str) -> list[Edit]:
    edits: list[Edit] = []
    for pattern, instead, style in (
        (_HEADING, "", Style(bold=True)),
        (_SUBTEXT, "", Style(dim=True)),
        (_QUOTE, bar + " ", Style(dim=True)),
    ):
        for match in pattern.finditer(drawn.plain):
            drawn.stylize(style, match.start(), match.end())
            edits.append(Edit(match.start(), match.start("rest"), instead))
    edits += [Edit(*match.span("mark"), bullet) for match in _BULLET.finditer(drawn.plain)]
    return edits


def _edited(drawn: Text, edits: list[Edit]) -> Text:
    parts = Text()
    position = 0
    for start, end, instead in sorted(edits):
        if start < position:
            continue  # what stood here is gone already
        parts.append_text(drawn[position:start]).append(instead)
        position = end
    return parts.append_text(drawn[position:])
