"""Close what a cut or an early end left open, innermost first, and reopen it after the cut."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from .line_sorts import LINE_MARKS
from .origins import explained, rewritten, substituted
from .spans import FENCE_PREFIX, LONGEST_FENCE, LONGEST_INFO, PAIRS, QUOTES, Opener
from .units import WHITESPACE

_FENCE_LINE = re.compile(
    rf"(?P<prefix>{FENCE_PREFIX})(?P<run>`{{3,{LONGEST_FENCE}}}|~{{3,{LONGEST_FENCE}}})"
    rf"(?P<info>[^\n`~]{{0,{LONGEST_INFO}}})(?P<line_end>\n?)"
)

_BACKTICKS = re.compile("`{3,}")
_CLOSES_BLOCK = re.compile("`(?=``)")
_MADE_HARMLESS = re.compile("`\u200b(?=`)")
_BLANKS = re.compile(f"[{WHITESPACE}]*")
_MARKS = re.compile(r"\|\||~+|\*+|_+")
_CUT_CLOSING = re.compile(r"(?<=\n)[ \t>]*(?:`+|~+)\Z")
"""An incomplete closing fence."""


@dataclass(frozen=True, slots=True)
class Fence:
    """The opening line of a code block, and how to close and reopen it."""

    prefix: str
    run: str
    info: str

    @property
    def opening(self) -> str:
        """The line that reopens the block, with its info string."""
        return f"{self.prefix}{self.run}{self.info}\n"

    @property
    def closing(self) -> str:
        """What closes the block, on a line of its own."""
        return self.prefix + self.run


def split_fence(text: str) -> tuple[Fence, str]:
    """Split a code block into its fence and the rest, which includes the closing run."""
    match = _FENCE_LINE.match(text)
    if match is None:
        return Fence("", "```", ""), text
    if match["line_end"]:
        return Fence(match["prefix"], match["run"], match["info"]), text[match.end() :]
    # ```all on one line```, or a line too long for an info string: it is code.
    return Fence(match["prefix"], match["run"], ""), text[match.end("run") :]


def close_fence(text: str) -> str:
    """Close the code block *text*, which the reply left open; an empty one becomes empty text."""
    fence, body = split_fence(text)
    if is_blank(fence, body):
        return _first_line_as_code(text, fence)
    if "\n" not in text:
        return text.rstrip(fence.run[0]) + fence.run
    text = substituted(_CUT_CLOSING, lambda _: "", text)
    return text + ("" if text.endswith("\n") else "\n") + fence.closing


def _first_line_as_code(text: str, fence: Fence) -> str:
    """The block *text*, with only a first line: Discord shows its info string as the code."""
    begin = len(fence.closing)
    end = begin + len(fence.info)
    info = text[begin:end].strip(WHITESPACE)
    return text[:begin] + "\n" + _quoting(fence) + info + rewritten(text[end:], "\n" + fence.closing) if info else ""


def _quoting(fence: Fence) -> str:
    """The beginning of each line of code if the block is in a quote."""
    return fence.prefix if ">" in fence.prefix else ""


def is_blank(fence: Fence, body: str) -> bool:
    """Whether the code block is empty."""
    return not without_closing(body, fence).strip(WHITESPACE + fence.prefix)


def without_closing(body: str, fence: Fence) -> str:
    """*body* without its closing run and the quote marks before that."""
    core = body.rstrip(WHITESPACE)
    if not core.endswith(fence.run):
        return body
    core = core[: -len(fence.run)]
    # A longer run closes too; a shorter one on the line before is code.
    line = core.rfind("\n") + 1
    if not core[line:].strip(fence.run[0] + WHITESPACE):
        core = core[:line]
    return core.removesuffix(fence.prefix) if fence.prefix.strip() else core


def continue_block(text: str, more: str, *, is_torn: bool) -> str:
    """The code block *text* with the code of *more*, its next part; *is_torn* if a line was cut between them."""
    fence, body = split_fence(text)
    code = without_closing(body, fence)
    code = code.removesuffix("\n") if is_torn else _ended(code)
    return text[: len(text) - len(body)] + code + split_fence(more.lstrip("\n"))[1]


def in_backticks(text: str) -> str:
    """The code block *text* with a fence of backticks, the only one Discord knows."""
    if "~~~" not in text:
        return text
    tildes, body = split_fence(text)
    if not tildes.run.startswith("~"):
        return text
    code = without_closing(body, tildes)
    return _block(code, _fence_around(code, tildes), text[: len(text) - len(body)], body[len(code) :])


def in_fence(code: str, like: Fence) -> str:
    """*code* in a fence of more backticks than there are in it, otherwise *like* another."""
    return _block(code, _fence_around(code, like))


def _fence_around(code: str, like: Fence) -> Fence:
    inner = max(map(len, _BACKTICKS.findall(code)), default=0)
    return Fence(like.prefix, "`" * min(max(3, inner + 1), LONGEST_FENCE), like.info)


def _block(code: str, fence: Fence, opening: str = "", closing: str = "") -> str:
    """*code* in *fence*; what was its *opening* and its *closing* keeps its origin."""
    return rewritten(opening, fence.opening) + _ended(code) + rewritten(closing, fence.closing)


def _ended(code: str) -> str:
    return code if code.endswith("\n") else code + "\n"


def with_three_backticks(text: str) -> str:
    """The code block *text* with a fence of three backticks; no run of backticks in it closes it."""
    fence, body = split_fence(text)
    code = without_closing(body, fence)
    beside = "" if text.startswith(fence.opening) else _quoting(fence)  # code on the line of the fence
    three = Fence(fence.prefix, "```", fence.info)
    return _block(beside + harmless(code), three, text[: len(text) - len(body)], body[len(code) :])


def harmless(code: str) -> str:
    """*code* with a zero-width space in every run of three or more backticks, which would close a block."""
    return substituted(_CLOSES_BLOCK, lambda _: "`\u200b", code) if "```" in code else code


def as_written(code: str) -> str:
    """*code* that was made harmless, as it was before."""
    return substituted(_MADE_HARMLESS, lambda _: "`", code)


def tidy_block(text: str) -> str:
    """The code block *text* as it is shown: nothing if it is empty; code on its first line gets a line of its own."""
    first = _FENCE_LINE.match(text)
    if first and first["line_end"] and text[first.end() :].lstrip()[:1].isalnum():
        return text  # nearly always
    fence, body = split_fence(text)
    if is_blank(fence, body):
        return _first_line_as_code(text, fence)
    if "\n" in body and not text[len(fence.closing) :].startswith(f"{fence.info}\n"):
        return rewritten(text[: len(text) - len(body)], fence.opening) + _quoting(fence) + body
    return text


def close_openers(text: str, openers: Iterable[Opener]) -> str:
    """Close the open marks of *text*, innermost first, before the space at its end."""
    core = text.rstrip(WHITESPACE)
    # Backticks at the end would join those that close the code, and empty emphasis is none.
    left = [opener for opener in openers if opener.mark != "`" or not core.endswith("`")]
    left = [opener for opener in left if opener.mark not in "*_~|" or opener.start + opener.width < len(core)]
    closers = "".join(_closer(opener) for opener in reversed(left))
    return core + closers + text[len(core) :]


def enclose(text: str, opens_in: str, ends_in: str) -> str:
    """*text*, cut out of emphasis, as a message of its own: *opens_in* is reopened and *ends_in* closed."""
    text = reopen(text, opens_in)
    core = text.rstrip(WHITESPACE)
    left = _MARKS.findall(ends_in)
    while left and _is_run(core, len(core) - len(left[-1]), left[-1]):
        core = core[: -len(left.pop())].rstrip(WHITESPACE)  # nothing follows the mark that it could emphasise
    if not core:
        return text if text.isspace() else ""
    return explained(core + "".join(reversed(left)), "marks") + text[len(text.rstrip(WHITESPACE)) :]


def reopen(text: str, marks: str) -> str:
    """*text* with *marks* in front, after what makes its line a quote or a list; a mark that closes at once is left out."""
    blanks = _BLANKS.match(text)
    line = text.rfind("\n", 0, blanks.end() if blanks else 0) + 1
    beginning = LINE_MARKS.match(text, line)
    start = max(beginning.end() if beginning else line, blanks.end() if blanks else 0)
    left, body = _MARKS.findall(marks), text[start:]
    while left and _is_run(body, 0, left[-1]):
        body = body[len(left.pop()) :]
    return explained(text[:start] + "".join(left) + body, "marks") if body else text[:start]


def _is_run(text: str, start: int, mark: str) -> bool:
    """Whether *mark* is at *start*, with no such character before or after it."""
    return (
        start >= 0
        and text.startswith(mark, start)
        and mark[0] not in (text[start - 1 : start], text[start + len(mark) : start + len(mark) + 1])
    )


def _closer(opener: Opener) -> str:
    match opener.mark:
        case "*" | "_" | "~" | "|" | "`":
            return opener.mark * opener.width
        case "(":
            return ")"
        case '"':
            return '"'
        case "[":
            return ""  # text in square brackets that is no link yet
        case mark:
            return PAIRS.get(mark) or QUOTES[mark][0]
