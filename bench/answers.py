"""Answers as language models write them, made up from a seed: the same for the same seed on every machine.

The words stand in ``answers.toml``, how often each construct occurs stands here. ``constructs.py`` makes answers of the
constructs that are rare.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

Words = Mapping[str, Any]
Maker = Callable[["Writer"], str]

_WORDS = Path(__file__).with_suffix(".toml")
_BLANK = re.compile(r"\{(do|result|thing|Thing)\}")
_SPREAD, _SHORTEST, _LONGEST = 0.42, 800, 4500
"""How lengths vary, and their bounds."""
_MEDIANS = {"english": 1900, "chinese": 700, "japanese": 800, "korean": 900}
"""Characters at which half of the answers are about to end."""
_LED, _PLAIN = 0.45, 0.25
"""How many lists have a line before them that leads to them, and how many answers are mostly prose."""


@cache
def vocabulary() -> Words:
    """All the words."""
    return tomllib.loads(_WORDS.read_text(encoding="utf-8"))


class Writer:
    """Writes sentences about one topic in one language."""

    def __init__(self, language: str, dice: Random) -> None:
        self.dice = dice
        self._words: Words = vocabulary()[language]
        self._topic: Words = dice.choice(self._words["topics"])
        self._decks: dict[str, list[str]] = {}

    def deal(self, name: str) -> str:
        """One of the words of that *name*; none comes again before all the others were dealt."""
        deck = self._decks.setdefault(name, [])
        if not deck:
            deck += self._topic.get(name) or self._words[name]
            self.dice.shuffle(deck)
        return deck.pop()

    def pick(self, name: str) -> str:
        """A pattern of that *name* with its blanks filled in."""
        pattern = self.deal(name)
        while blank := _BLANK.search(pattern):
            word = self.deal(f"{blank[1].lower()}s")
            word = word[0].upper() + word[1:] if blank[1][0].isupper() else word
            pattern = pattern[: blank.start()] + word + pattern[blank.end() :]
        return pattern

    def joined(self, *sentences: str) -> str:
        """*sentences* as a paragraph."""
        return str(self._words["stop"]).join(sentences)

    def sentences(self, low: int, high: int) -> str:
        """A paragraph of *low* to *high* sentences."""
        return self.joined(*(self.pick("patterns") for _ in range(self.dice.randint(low, high))))

    def sentence(self) -> str:
        """One sentence."""
        return self.pick("patterns")

    def fact(self) -> str:
        """The text of a short list item."""
        fact = self.pick("facts")
        return fact[0].upper() + fact[1:]

    def term(self) -> str:
        """The text of a list item with a bold term."""
        term, text = self.deal("terms"), self.sentences(1, 2)
        return self.dice.choice([f"**{term}**: {text}", f"**{term}:** {text}", f"**{term}** – {text}"])


# --- blocks ----------------------------------------------------------------------------------


def _paragraph(writer: Writer) -> str:
    return writer.sentences(2, 4)


def _led(writer: Writer, name: str, chance: float, block: str) -> str:
    """*block*, often with a line before it that leads to it."""
    return f"{writer.pick(name)}\n\n{block}" if writer.dice.random() < chance else block


def _items(writer: Writer, low: int, high: int) -> list[str]:
    makers: list[Maker] = [Writer.fact, Writer.term, Writer.term, Writer.sentence]
    make = writer.dice.choice(makers)
    return [make(writer) for _ in range(writer.dice.randint(low, high))]


def _bullets(writer: Writer) -> str:
    mark, end = writer.dice.choice("--*"), writer.dice.choice(["\n", "\n", "\n", "\n\n"])
    return _led(writer, "leads", _LED, end.join(f"{mark} {item}" for item in _items(writer, 3, 6)))


def _numbered(writer: Writer) -> str:
    end = writer.dice.choice(["\n", "\n", "\n\n"])
    items = (f"{number}. {item}" for number, item in enumerate(_items(writer, 3, 6), 1))
    return _led(writer, "leads", _LED, end.join(items))


def _nested(writer: Writer) -> str:
    indent, parts = writer.dice.choice(["  ", "   ", "    "]), list[str]()
    for number in range(1, writer.dice.randint(3, 5)):
        mark = f"{number}." if len(indent) == 3 else "-"
        parts.append(f"{mark} **{writer.deal('terms')}**")
        parts += [f"{indent}- {writer.fact()}" for _ in range(writer.dice.randint(2, 3))]
    return _led(writer, "leads", _LED, "\n".join(parts))


def _table(writer: Writer) -> str:
    columns = [writer.deal("columns") for _ in range(writer.dice.randint(2, 4))]
    rows = [
        [writer.deal("terms"), *(writer.deal("cells") for _ in columns[1:])] for _ in range(writer.dice.randint(3, 5))
    ]
    lines = [columns, ["---"] * len(columns), *rows]
    return _led(writer, "table_leads", 0.8, "\n".join(f"| {' | '.join(line)} |" for line in lines))


def _quote(writer: Writer) -> str:
    return f"> {writer.pick('quotes')}"


def _code(writer: Writer) -> str:
    return _led(writer, "code_leads", 0.8, snippet(writer.dice))


def _code_in_list(writer: Writer) -> str:
    parts = []
    for number in range(1, writer.dice.randint(3, 5)):
        block = "\n".join(f"   {line}".rstrip() for line in snippet(writer.dice, short=True).split("\n"))
        parts.append(f"{number}. {writer.fact()}:\n{block}")
    return _led(writer, "leads", _LED, "\n".join(parts))


_BLOCKS: Mapping[Maker, int] = {
    _paragraph: 10,
    _bullets: 8,
    _numbered: 5,
    _nested: 3,
    _table: 1,
    _quote: 1,
    _code: 2,
    _code_in_list: 1,
}
"""What an explanation consists of, and how often."""
_PROSE_BLOCKS: Mapping[Maker, int] = {_paragraph: 12, _bullets: 1, _numbered: 1, _quote: 1}
_CODE_BLOCKS: Mapping[Maker, int] = {_paragraph: 2, _code: 8, _bullets: 2, _numbered: 1, _code_in_list: 2, _table: 1}


# --- code ------------------------------------------------------------------------------------


def snippet(dice: Random, *, short: bool = False) -> str:
    """A fenced block of code."""
    words = vocabulary()["code"]
    pattern: str = dice.choice(words["short" if short or dice.random() < 0.3 else "long"])
    name, number = dice.choice(words["names"]), dice.randint(2, 90)
    pattern = pattern.replace("{name}", name).replace("{Name}", name.capitalize()).replace("{number}", str(number))
    return pattern.rstrip("\n")


# --- families --------------------------------------------------------------------------------


def _headed(writer: Writer, style: str, number: int, body: str) -> str:
    title = writer.deal("titles")
    heads = {
        "##": f"## {title}\n\n",
        "###": f"### {number}. {title}\n\n",
        "**": f"**{title}**\n\n",
        "**:": f"**{number}. {title}:**\n",
        "": "",
    }
    return heads[style] + body


def _explained(language: str, dice: Random, blocks: Mapping[Maker, int]) -> str:
    """An explanation: an opening, sections or plain blocks, and mostly a closing line."""
    writer = Writer(language, dice)
    median = _MEDIANS[language]
    scale = median / _MEDIANS["english"]
    wanted = min(max(dice.lognormvariate(0.0, _SPREAD) * median, _SHORTEST * scale), _LONGEST * scale * 0.76)
    style = dice.choice(["##", "###", "###", "**", "**:", ""])
    if dice.random() < _PLAIN and blocks is _BLOCKS:
        style, blocks = "", _PROSE_BLOCKS
    parts = [writer.joined(writer.pick("openings"), writer.sentences(1, 3))]
    number = 0
    while sum(map(len, parts)) < wanted:
        number += 1
        makers = dice.choices(list(blocks), list(blocks.values()), k=dice.randint(1, 2))
        body = "\n\n".join(make(writer) for make in makers)
        if style == "##" and dice.random() < 0.3:
            body = f"### {writer.deal('terms')}\n\n{body}"
        if number > 1 and style.startswith("#") and dice.random() < 0.4:
            parts.append("---")
        parts.append(_headed(writer, style, number, body))
    if dice.random() < 0.75:
        parts.append(writer.pick("closings"))
    return "\n\n".join(parts)


def _assistant(dice: Random) -> str:
    return _explained("english", dice, _BLOCKS)


def _code_heavy(dice: Random) -> str:
    return _explained("english", dice, _CODE_BLOCKS)


def _chinese(dice: Random) -> str:
    return _explained("chinese", dice, _BLOCKS)


def _japanese(dice: Random) -> str:
    return _explained("japanese", dice, _BLOCKS)


def _korean(dice: Random) -> str:
    return _explained("korean", dice, _BLOCKS)


def _chatty(dice: Random) -> str:
    words = vocabulary()["chatty"]
    lines = dice.sample(words["lines"], k=dice.randint(1, 6))
    return "\n".join(line.replace("{x}", dice.choice(words["bits"])) for line in lines)


def _math(dice: Random) -> str:
    words = vocabulary()["math"]

    def filled(text: str) -> str:
        while "{inline}" in text:
            text = text.replace("{inline}", dice.choice(words["inline"]), 1)
        return text

    def sentences(low: int, high: int) -> str:
        return " ".join(map(filled, dice.sample(words["sentences"], k=dice.randint(low, high))))

    parts = [sentences(2, 3)]
    wanted = min(max(dice.lognormvariate(0.0, _SPREAD) * 1400, 500), 3500)
    head = dice.choice(["### {}", "**{}**", "{}"])
    while sum(map(len, parts)) < wanted:
        if dice.random() < 0.6:
            parts.append(head.format(dice.choice(words["titles"])))
        for _ in range(dice.randint(1, 3)):
            parts += [sentences(1, 3), dice.choice(words["leads"]), display(dice)]
        if dice.random() < 0.4:
            parts.append("\n".join(f"- {filled(dice.choice(words['sentences']))}" for _ in range(3)))
    return "\n\n".join([*parts, dice.choice(words["closings"])])


def display(dice: Random) -> str:
    """A display formula."""
    formula = dice.choice(vocabulary()["math"]["display"])
    return str(dice.choice(["\\[\n{}\n\\]", "$$\n{}\n$$", "\\[ {} \\]", "$${}$$"])).replace("{}", formula)


_MAKERS: Mapping[str, Callable[[Random], str]] = {
    "assistant": _assistant,
    "chatty": _chatty,
    "math": _math,
    "code": _code_heavy,
    "chinese": _chinese,
    "japanese": _japanese,
    "korean": _korean,
}
FAMILIES = tuple(_MAKERS)
"""The sorts of answers there are."""


def answers(family: str, count: int, seed: int = 0) -> list[str]:
    """*count* answers of a family; the first of them are the same whatever the *count*."""
    make = _MAKERS[family]
    return [make(Random(f"{family} {seed} {number}")) for number in range(count)]
