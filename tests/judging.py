"""Judges of how messages look: three readers of Markdown that others wrote, in one process of Node.

A judge reads an answer as one text, and reads its messages one by one. Every character, white space aside, must look
the same: bold, italic, a quote, code of a language, a heading, an item with the same number at the same depth.
Where it may not, ``tests/judges/excused.toml`` says why.

``odiffey`` (@odiffey/discord-markdown) and ``parser`` (discord-markdown-parser) read as Discord's client does, which
cannot read every code block: what they are given of an answer is ``readable``. ``fences`` (markdown-it) reads all code
blocks, as the model wrote them, and nothing else.
"""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import cached_property
from itertools import accumulate, groupby
from pathlib import Path
from typing import NamedTuple, Self

_FOLDER = Path(__file__).parent / "judges"
_GAP, _NEAR, _FAR = 4, 12, 400
"""Characters within which the next character is looked for, and the next word: an address may stand between."""
_TOKEN = re.compile(r"\w+|[^\w\s]")
MISSING = "how messages look, for there is no Node or its packages are missing; try: make judges"

Runs = Sequence[tuple[str, str]]
"""Characters and their style, as a judge read them."""
Reading = Mapping[str, Runs]
"""What each judge read, by its name."""


class Difference(NamedTuple):
    """Characters that a judge reads otherwise in the messages than in the answer."""

    text: str
    was: str
    """Their style in the answer; several stand side by side with ``, ``."""
    became: str
    place: int
    """Where they stand in the answer."""
    shown: str | None = None
    """What stands there in the messages, if it is something else."""

    @property
    def count(self) -> int:
        """How many characters differ."""
        return max(len(self.text), len(self.shown or ""))

    def __str__(self) -> str:
        text, shown = (part if len(part) < 70 else f"{part[:60]}…" for part in (self.text, self.shown or ""))
        what = repr(text) if self.shown is None else f"{text!r} -> {shown!r}"
        return f"{what} [{self.was}] -> [{self.became}]"


@dataclass(frozen=True)
class Excuse:
    """Characters that may look different, and why."""

    name: str
    reason: str
    pattern: str
    """Where in the answer they stand."""
    judges: tuple[str, ...]
    shapes: tuple[str, ...] = ("reply", "blocks", "lines", "sentences")
    marks: str = ""
    """The only characters that may be missing or added; without marks and a style, everything may differ."""
    style: str = ""
    """The only part of their style that may differ then."""

    @cached_property
    def _regex(self) -> re.Pattern[str]:
        return re.compile(self.pattern, re.MULTILINE)

    def covers(self, judge: str, shape: str, answer: str, difference: Difference) -> bool:
        """Whether *difference* is excused."""
        return (
            judge in self.judges
            and shape in self.shapes
            and (not (self.marks or self.style) or self._is_of_style(difference))
            and any(match.start() <= difference.place < match.end() for match in self._regex.finditer(answer))
        )

    def _is_of_style(self, difference: Difference) -> bool:
        marks = str.maketrans("", "", self.marks)
        shown = difference.text if difference.shown is None else difference.shown
        if difference.text.translate(marks) != shown.translate(marks):
            return False
        return not (difference.text and shown) or self._rest(difference.was) == self._rest(difference.became)

    def _rest(self, styles: str) -> set[frozenset[str]]:
        return {frozenset(style.split("|")) - {self.style, ""} for style in styles.split(", ")}


def excuses() -> list[Excuse]:
    """All of them."""
    rows = tomllib.loads((_FOLDER / "excused.toml").read_text(encoding="utf-8")).get("excuse", [])
    return [
        Excuse(**{name: tuple(value) if isinstance(value, list) else value for name, value in row.items()})
        for row in rows
    ]


# --- code blocks -----------------------------------------------------------------------------

_BLOCK = re.compile(
    r"^(?P<indent> *)(?P<fence>`{3,}|~{3,})(?P<info>[^\n`]*)\n(?P<body>(?:.*\n)*?) *(?P=fence)[`~]*[ ]*$", re.MULTILINE
)
_RULE = re.compile(r"^ *(?:-{3,}|\*{3,}|_{3,}) *$", re.MULTILINE)
_HARMLESS = "`\u200b``"
"""Three backticks inside a block, as a message shows them."""


def readable(answer: str) -> str:
    """*answer* with its code blocks as messages have them.

    Discord's client knows three backticks only, no more and no tildes, and shows the fence of a block in a list raw if
    there is an empty line in it. So a message has three backticks, at the beginning of the line. A line such as ``***``
    is not shown, where the client would look for bold text.
    """
    return _BLOCK.sub(_shown_block, without_rules(_plain(answer)))


def without_rules(text: str) -> str:
    """*text* without lines such as ``---``."""
    return _RULE.sub("", text)


def _shown_block(block: re.Match[str]) -> str:
    indent = re.compile(f"^ {{1,{len(block['indent'])}}}" if block["indent"] else "(?!)", re.MULTILINE)
    body = indent.sub("", block["body"]).replace("```", _HARMLESS)
    return f"```{block['info'].strip()}\n{body}```"


def _plain(text: str) -> str:
    return text.replace("\r\n", "\n").strip()


# --- reading ---------------------------------------------------------------------------------


class Judges:
    """The process of the judges."""

    def __init__(self) -> None:
        node = shutil.which("node")
        assert node
        self._process = subprocess.Popen(
            [node, str(_FOLDER / "judge.mjs")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        self._read: dict[str, Reading] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.communicate()

    def read(self, texts: Iterable[str]) -> list[Reading]:
        """What the judges see in each of *texts*."""
        wanted = [_plain(text) for text in texts]
        new = [text for text in dict.fromkeys(wanted) if text not in self._read]
        for start in range(0, len(new), 500):
            part = new[start : start + 500]
            self._read |= zip(part, self._ask(part), strict=True)
        return [self._read[text] for text in wanted]

    def _ask(self, texts: Sequence[str]) -> list[Reading]:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(json.dumps(texts) + "\n")
        self._process.stdin.flush()
        found: list[Reading] = json.loads(self._process.stdout.readline())
        return found

    def compare(self, answer: str, messages: Sequence[str]) -> dict[str, list[Difference]]:
        """What looks different in *messages* than in *answer*, judge by judge."""
        written = self.read([answer, *messages])
        shown = self.read([readable(answer), *map(without_rules, messages)])
        found = {}
        for judge in written[0]:
            whole, *parts = (reading[judge] for reading in (written if judge == "fences" else shown))
            found[judge] = differences(whole, [run for part in parts for run in (*part, ("\n", ""))], answer)
        return found


def are_present() -> bool:
    """Whether this machine has the judges."""
    return shutil.which("node") is not None and (_FOLDER / "node_modules" / "ready").exists()


# --- comparing -------------------------------------------------------------------------------


_IN_CODE = re.compile(r"(?<=code:)(.*)\|list:.*")  # a block is shown by itself, also if it belongs to an item


def _seen(runs: Runs) -> list[tuple[str, str]]:
    """*runs* without what is not seen."""
    return [(run.replace("\u200b", ""), _IN_CODE.sub(r"\1", style)) for run, style in runs]


def _squeezed(runs: Runs) -> list[tuple[str, str]]:
    """*runs* without white space, one for each style."""
    return [
        ("".join(part for run, _ in group for part in run.split()), style)
        for style, group in groupby((run for run in runs if run[0].strip()), lambda run: run[1])
    ]


class _Page:
    """The visible characters of a text, with their styles."""

    def __init__(self, runs: Runs) -> None:
        self.tokens = _TOKEN.findall("".join(run for run, _ in runs))
        self.starts = [0, *accumulate(map(len, self.tokens))]
        """Which character each token begins at."""
        self.characters = "".join(self.tokens)
        self.styles = [style for run, style in runs for character in run if not character.isspace()]


def differences(answer_runs: Runs, message_runs: Runs, answer: str) -> list[Difference]:
    """What differs between an answer and its messages, both as one judge read them."""
    answer_runs, message_runs = _seen(answer_runs), _seen(message_runs)
    if _squeezed(answer_runs) == _squeezed(message_runs):
        return []
    was, became = _Page(answer_runs), _Page(message_runs)
    places = _places(answer_runs, answer)
    found: list[Difference] = []
    for code, a, b, c, d in _opcodes(was, became):
        old, new = slice(was.starts[a], was.starts[b]), slice(became.starts[c], became.starts[d])
        found += (_restyled if code == "equal" else _reworded)(was, old, became, new, places)
    return found


def _opcodes(was: _Page, became: _Page) -> list[tuple[str, int, int, int, int]]:
    if was.tokens == became.tokens:
        return [("equal", 0, len(was.tokens), 0, len(became.tokens))]
    return list(SequenceMatcher(None, was.tokens, became.tokens, autojunk=False).get_opcodes())


def _restyled(was: _Page, old: slice, became: _Page, new: slice, places: Sequence[int]) -> Iterator[Difference]:
    """What of the same characters has another style."""
    pairs = zip(was.styles[old], became.styles[new], was.characters[old], places[old], strict=True)
    for (before, after), group in groupby(pairs, lambda pair: pair[:2]):
        if before != after:
            _, _, characters, found = zip(*group, strict=True)
            yield Difference("".join(characters), before, after, found[0])


def _reworded(was: _Page, old: slice, became: _Page, new: slice, places: Sequence[int]) -> Iterator[Difference]:
    """Characters in whose place there are others."""
    yield Difference(
        was.characters[old],
        ", ".join(dict.fromkeys(was.styles[old])),
        ", ".join(dict.fromkeys(became.styles[new])),
        places[min(old.start, len(places) - 1)] if places else 0,
        became.characters[new],
    )


def _places(runs: Runs, answer: str) -> list[int]:
    """Where each visible character stands in *answer*, as well as can be found out: judges do not say it."""
    places: list[int] = []
    cursor = 0
    for word in (word for run, _ in runs for word in run.split()):
        found = (
            _whole(word, answer, cursor, _NEAR) or _spelled(word, answer, cursor) or _whole(word, answer, cursor, _FAR)
        )
        places += found or [cursor] * len(word)
        cursor = found[-1] + 1 if found else cursor
    return places


def _whole(word: str, answer: str, cursor: int, reach: int) -> list[int]:
    start = answer.find(word, cursor, cursor + len(word) + reach)
    return [] if start < 0 else list(range(start, start + len(word)))


def _spelled(word: str, answer: str, cursor: int) -> list[int]:
    """The places of the characters of *word*, between which there may be marks."""
    places: list[int] = []
    for character in word:
        place = answer.find(character, cursor, cursor + _GAP)
        if place < 0:
            return []
        places.append(place)
        cursor = place + 1
    return places


def line_of(answer: str, place: int) -> str:
    """The line of *answer* in which something stands."""
    start = answer.rfind("\n", 0, place) + 1
    return answer[start:].partition("\n")[0]
