"""Stage 7: text that is sent as a file, because it would be too many messages.

A long code block becomes one file with the extension of its language; the text after the last message that a reply may
have becomes ``reply.md``. The model later sees all of it, as if it had been sent in messages.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType

from ..text.origins import join
from ..text.repair import as_written, in_fence, split_fence, without_closing
from ..text.units import WHITESPACE
from ..types import Attachment, Boundary, Kind, Post, Segment

LARGEST = 1_000_000
"""Characters of a file after which a reply is ended: by then it is a flood."""

_UNITS = ((10**6, "MB"), (10**3, "kB"))

_WORD = re.compile(r"[\w+#-]+")
_FILE_NAME = re.compile(r"[\w-]{1,60}\.(?P<ending>\w{1,10})", re.ASCII)
_ENDINGS: Mapping[str, str] = MappingProxyType(
    {
        **{ending: ending for ending in (
            "c", "cpp", "cs", "css", "csv", "dart", "diff", "go", "h", "hpp", "html", "ini", "java", "js", "json", "jsx",
            "kt", "lua", "md", "php", "pl", "ps1", "py", "r", "rb", "rs", "scala", "sh", "sql", "svg", "swift", "tex",
            "toml", "ts", "tsx", "txt", "vue", "xml", "yaml", "zig",
        )},
        "bash": "sh", "batch": "bat", "c#": "cs", "c++": "cpp", "clojure": "clj", "csharp": "cs", "elixir": "ex",
        "erlang": "erl", "fsharp": "fs", "golang": "go", "haskell": "hs", "javascript": "js", "julia": "jl",
        "kotlin": "kt", "latex": "tex", "markdown": "md", "objective-c": "m", "patch": "diff", "perl": "pl",
        "powershell": "ps1", "python": "py", "python3": "py", "ruby": "rb", "rust": "rs", "shell": "sh", "text": "txt",
        "typescript": "ts", "vb": "vb", "yml": "yaml", "zsh": "sh",
    }
)  # fmt: skip
"""File extensions by the language after the backticks."""


def file_name(info: str) -> str:
    """The name of the file for a code block whose first line says *info*: a file name there, or ``code`` in its language."""
    if named := _FILE_NAME.fullmatch(info.strip(WHITESPACE)):
        return named.group()
    word = _WORD.search(info)
    return f"code.{_ENDINGS.get(word.group().lower(), 'txt') if word else 'txt'}"


def file_in_words(file: Attachment) -> str:
    """A line that stands for *file* where it cannot be shown: its name, its size and what it shows."""
    size = len(file.data)
    unit, name = next(((unit, name) for unit, name in _UNITS if size >= unit), (1, "B"))
    described = " ".join(file.description.split())
    return f"📎 {file.name} ({size / unit:.3g} {name})" + (f": {described}" if described else "")


def is_whole(segment: Segment) -> bool:
    """Whether the code block of *segment* is complete."""
    return segment.boundary is not Boundary.OVERFLOW


def code_file(parts: Sequence[Segment]) -> tuple[Attachment, str] | None:
    """The code block of *parts* as a file, and as the model wrote it; ``None`` if it is quoted or empty."""
    fence, _ = split_fence(parts[0].text.lstrip("\n"))
    if fence.prefix.strip(WHITESPACE):
        return None
    code = as_written(join([*map(_body, parts)])).removesuffix("\n") + "\n"
    if not code.strip(WHITESPACE):
        return None
    return Attachment(file_name(fence.info), code.encode()), in_fence(code, fence)


def _body(part: Segment) -> str:
    """The code in *part*, up to the end of a line unless it was cut in the middle of one."""
    fence, body = split_fence(part.text.lstrip("\n"))
    code = without_closing(body, fence)
    return code.removesuffix("\n") + "\n" * (not part.is_torn)


class Remainder:
    """The last message that a reply may have, held back to collect the text after it."""

    def __init__(self, last: Post) -> None:
        self._last = last
        self._parts: list[str] = []
        self._size = 0

    @property
    def is_too_large(self) -> bool:
        """Whether the text is too long for a file."""
        return self._size > LARGEST

    def add(self, segment: Segment) -> None:
        """Append *segment* as the model wrote it."""
        text = segment.joint + (segment.source or segment.text)
        if segment.text.endswith("\n") and not text.endswith("\n"):
            text += segment.text[-1:]
        starts_line = segment.label or (segment.kind is Kind.CODE and not is_whole(segment))
        self.append(("\n" if starts_line and not self._ends_line else "") + segment.label + text)

    def append(self, text: str) -> None:
        """Append *text*."""
        self._parts.append(text)
        self._size += len(text)

    def name(self, file: str) -> None:
        """Append the *file* in words, in a paragraph of its own."""
        self.append(("\n" if self._ends_line else "\n\n") + f"{file}\n\n")

    @property
    def _ends_line(self) -> bool:
        return bool(self._parts) and self._parts[-1].endswith("\n")

    @property
    def _rest(self) -> str:
        return join(self._parts).strip("\n")

    def post(self) -> Post:
        """The last message, with the text after it as a file."""
        rest = self._rest
        if not rest.strip(WHITESPACE):
            return self._last
        said = self._last.said[len(self._last.label) :] + join(self._parts).rstrip(WHITESPACE)
        if self._last.attachment is not None:  # a message has one file, and this one matters more
            return replace(self._last, attachment=Attachment("reply.md", f"{said}\n".encode()), source=said)
        return replace(self._last, attachment=Attachment("reply.md", f"{rest}\n".encode()), source=said)

    def posts(self) -> list[Post]:
        """The same as text, for a caller that needs only the beginning."""
        whole = join(self._parts)
        rest = whole.strip(WHITESPACE)
        joint = whole[: len(whole) - len(whole.lstrip(WHITESPACE))]
        return [
            self._last,
            *([replace(self._last, text=rest, label="", reply=None, source=None, joint=joint)] if rest else []),
        ]
