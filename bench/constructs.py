"""Answers with the constructs that are rare: every one that Discord's Markdown has, and what models write besides.

They are for the judges of how messages look: the same for the same seed on every machine.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random

from answers import Writer, display, snippet, vocabulary

Construct = Callable[[Writer], str]

_HEBREW = ("שלום לכולם", "זהו משפט ארוך יותר בעברית", "**חשוב** מאוד לזכור", "נתראה מחר בבוקר", "המחיר הוא 25 שקלים")
_ARABIC = ("مرحبا بالجميع", "هذه جملة أطول باللغة العربية", "هذا **مهم** جدا", "نلتقي غدا صباحا", "السعر 25 درهما")
_FACES = ("😀", "👍🏽", "👩‍💻", "🏳️‍🌈", "❤️‍🔥", "🇯🇵", "1️⃣", "☕", "<:wave:123456789012345678>")
_LINKS = ("https://example.com/docs/page_one_two", "https://example.com/a?b=1&c=*2*", "<https://example.com/quiet>")
_VERSE = (
    "The rain has gone to sea again,",
    "and left the harbour bright;",
    "a lamp, a step, a window pane,",
    "and *everything* is light.",
)
_WRAPS = ("**", "*", "_", "__", "~~", "||", "***", "__**")
_LOOSE = ("\n", "\n\n")


def _text(writer: Writer) -> str:
    return writer.sentence()


def _wrapped(mark: str, text: str) -> str:
    """*text* between marks; it must not hold the same ones."""
    return f"{mark}{text.replace('*', '')}{mark[::-1]}"


# --- lists -----------------------------------------------------------------------------------


def _three_deep(writer: Writer) -> str:
    indent, parts = writer.dice.choice(["  ", "   ", "    "]), list[str]()
    for number in range(1, 4):
        parts.append((f"{number}. " if len(indent) == 3 else "- ") + writer.fact())
        for _ in range(2):
            parts.append(f"{indent}- {writer.fact()}")
            parts += [f"{indent * 2}- {writer.fact()}" for _ in range(writer.dice.randint(0, 2))]
    return "\n".join(parts)


def _numbers_in_bullets(writer: Writer) -> str:
    parts = []
    for _ in range(2):
        parts.append(f"- {writer.fact()}")
        parts += [f"  {number}. {writer.fact()}" for number in range(1, 4)]
    return "\n".join(parts)


def _loose_list(writer: Writer) -> str:
    mark = writer.dice.choice("-*")
    return "\n\n".join(f"{mark} {writer.term()}" for _ in range(4))


def _list_from_four(writer: Writer) -> str:
    end = writer.dice.choice(_LOOSE)
    return end.join(f"{number}. {writer.fact()}" for number in range(4, 9))


def _list_to_twelve(writer: Writer) -> str:
    return "\n".join(f"{number}. {writer.fact()}" for number in range(1, 13))


def _brackets(writer: Writer) -> str:
    return "\n".join(f"{number}) {writer.fact()}" for number in range(1, 5))


def _all_ones(writer: Writer) -> str:
    return "\n".join(f"1. {writer.fact()}" for _ in range(4))


def _long_list(writer: Writer) -> str:
    """More than a message holds, so that it is cut."""
    parts = []
    for number in range(1, 16):
        parts.append(f"{number}. {writer.term()}")
        parts += [f"   - {writer.fact()}" for _ in range(writer.dice.randint(0, 3))]
    return "\n".join(parts)


def _long_items(writer: Writer) -> str:
    return "\n".join(f"- {writer.sentences(9, 14)}" for _ in range(3))


def _code_in_items(writer: Writer) -> str:
    indent, parts = writer.dice.choice(["  ", "   ", "    "]), list[str]()
    for number in range(1, 4):
        block = "\n".join(f"{indent}{line}".rstrip() for line in snippet(writer.dice, short=True).split("\n"))
        end = writer.dice.choice(_LOOSE)
        parts.append(f"{number}. {writer.fact()}:{end}{block}")
    return "\n".join(parts)


def _text_in_items(writer: Writer) -> str:
    """Items that go on in a line of their own."""
    return "\n".join(f"{number}. **{writer.deal('terms')}**\n   {writer.sentence()}" for number in range(1, 4))


def _quote_in_list(writer: Writer) -> str:
    return f"- {writer.fact()}\n  > {writer.sentence()}\n- {writer.fact()}"


def _table_in_list(writer: Writer) -> str:
    return f"1. {writer.fact()}\n\n   | a | b |\n   |---|---|\n   | 1 | 2 |\n\n2. {writer.fact()}"


def _tasks(writer: Writer) -> str:
    return f"- [ ] {writer.fact()}\n- [x] {writer.fact()}"


def _tabbed_list(writer: Writer) -> str:
    return f"- {writer.fact()}\n\t- {writer.fact()}\n\t- {writer.fact()}\n- {writer.fact()}"


def _styled_items(writer: Writer) -> str:
    marks = writer.dice.sample(_WRAPS, k=3)
    return "\n".join(f"- {_wrapped(mark, writer.fact())} {writer.fact()}" for mark in marks)


# --- quotes, headings ------------------------------------------------------------------------


def _quote(writer: Writer) -> str:
    return f"> {writer.sentence()}"


def _lines_of_quote(writer: Writer) -> str:
    return "\n".join(f"> {writer.sentence()}" for _ in range(writer.dice.randint(2, 5)))


def _paragraphs_of_quote(writer: Writer) -> str:
    return f"> {writer.sentence()}\n> \n> {writer.sentence()}\n> {writer.sentence()}"


def _list_in_quote(writer: Writer) -> str:
    return f"> {writer.pick('leads')}\n> - {writer.fact()}\n> - {writer.fact()}\n>   - {writer.fact()}"


def _styled_quote(writer: Writer) -> str:
    return f"> **{writer.fact()}** {writer.sentence()}\n> {writer.sentence()} `code`"


def _long_quote(writer: Writer) -> str:
    return "\n".join(f"> {writer.sentences(3, 5)}" for _ in range(10))


def _heading(writer: Writer) -> str:
    return f"{'#' * writer.dice.randint(1, 3)} {writer.deal('titles')}{writer.dice.choice(_LOOSE)}{writer.sentence()}"


def _headings(writer: Writer) -> str:
    return f"# {writer.deal('titles')}\n## {writer.deal('titles')}\n### {writer.deal('titles')}\n{writer.sentence()}"


def _styled_heading(writer: Writer) -> str:
    return f"## **{writer.deal('titles')}** and *{writer.deal('titles')}*\n\n{writer.sentence()}"


def _heading_and_list(writer: Writer) -> str:
    return f"### {writer.deal('titles')}\n- {writer.fact()}\n- {writer.fact()}"


def _subtext(writer: Writer) -> str:
    return f"{writer.sentence()}\n-# {writer.fact()}\n-# {writer.fact()}"


def _rule(writer: Writer) -> str:
    return f"{writer.sentence()}\n\n{writer.dice.choice(['---', '***', '___'])}\n\n{writer.sentence()}"


# --- spans -----------------------------------------------------------------------------------


def _span(writer: Writer) -> str:
    mark = writer.dice.choice(_WRAPS)
    return f"{writer.sentence()} {_wrapped(mark, writer.fact())} {writer.sentence()}"


def _span_of_sentences(writer: Writer) -> str:
    return f"{_wrapped(writer.dice.choice(_WRAPS), writer.sentences(2, 4))} {writer.sentence()}"


def _span_over_lines(writer: Writer) -> str:
    inner = f"{writer.fact()}\n{writer.fact()}"
    return f"{writer.sentence()} {_wrapped(writer.dice.choice(_WRAPS), inner)} {writer.sentence()}"


def _span_over_paragraphs(writer: Writer) -> str:
    inner = f"{writer.sentence()}\n\n{writer.sentence()}"
    return f"{_wrapped(writer.dice.choice(['**', '__', '~~', '||']), inner)} {writer.sentence()}"


def _long_span(writer: Writer) -> str:
    mark = writer.dice.choice(["**", "__", "~~", "||"])
    return f"{_wrapped(mark, writer.sentences(30, 60))} {writer.sentence()}"


def _nested_spans(writer: Writer) -> str:
    return f"**{writer.fact()} *{writer.fact()}* {writer.fact()}** and ~~{writer.fact()} __{writer.fact()}__~~"


def _inline_code(writer: Writer) -> str:
    inner = writer.dice.choice(["`x = a * b`", "``a ` b``", "`**no bold**`", "`<b>`", "`- no item`"])
    return (
        f"{writer.sentence()} Use {inner} and `{writer.dice.choice(['_id_', 'f(x)', '#'])}` here. {writer.sentence()}"
    )


def _links(writer: Writer) -> str:
    link = writer.dice.choice(_LINKS)
    return f"See {link} and [{writer.deal('titles')}](https://example.com/{writer.dice.randint(1, 99)}). {writer.sentence()}"


def _escaped(writer: Writer) -> str:
    return f"Write 2 \\* 3 \\* 4 and \\_not italic\\_, {writer.fact()} \\# 1."


def _stray(writer: Writer) -> str:
    return writer.dice.choice(
        ["2 * 3 = 6, and 5 * 4 = 20.", "snake_case_name stays.", "a < b and c > d", "~5 minutes", "#1 fan"]
    )


# --- blocks ----------------------------------------------------------------------------------


def _fence(writer: Writer) -> str:
    return snippet(writer.dice)


def _long_fence(writer: Writer) -> str:
    body = "\n".join(f"    {writer.dice.choice('abcxyz')}_{number} = step({number})" for number in range(120))
    return f"```py\ndef run():\n{body}\n```"


def _four_backticks(writer: Writer) -> str:
    return f"````markdown\nAn example:\n\n{snippet(writer.dice, short=True)}\n````"


def _tildes(writer: Writer) -> str:
    return f"~~~python\nprint({writer.dice.randint(1, 9)})\n~~~"


def _fence_in_line(writer: Writer) -> str:
    return f"{writer.sentence()} ```print(1)``` {writer.sentence()}"


def _unfenced_code(writer: Writer) -> str:
    name = writer.dice.choice(["load", "save", "run"])
    return f"def {name}(path):\n    with open(path) as file:\n        for line in file:\n            print(line)\n    return True"


def _indented_code(writer: Writer) -> str:
    return f"{writer.sentence()}\n\n    first = 1\n    second = first + {writer.dice.randint(1, 9)}"


def _table(writer: Writer) -> str:
    rows = "\n".join(f"| {writer.deal('terms')} | {writer.deal('cells')} |" for _ in range(3))
    return f"| {writer.deal('columns')} | {writer.deal('columns')} |\n|:--|--:|\n{rows}"


def _formula(writer: Writer) -> str:
    return f"{writer.sentence()}\n\n{display(writer.dice)}"


def _inline_formula(writer: Writer) -> str:
    return f"So {writer.dice.choice(vocabulary()['math']['inline'])} holds. {writer.sentence()}"


def _verse(writer: Writer) -> str:
    end = writer.dice.choice(["\n", "  \n", "\\\n"])
    return end.join(_VERSE)


def _addresses(writer: Writer) -> str:
    return f"{writer.deal('terms')} Street {writer.dice.randint(1, 99)}\n12345 Springfield\nUnited Kingdom"


# --- scripts, white space --------------------------------------------------------------------


def _right_to_left(writer: Writer) -> str:
    lines = writer.dice.choice([_HEBREW, _ARABIC])
    return f"{'. '.join(lines[:3])}.\n\n" + "\n".join(f"- {line}" for line in lines[3:])


def _east_asian(writer: Writer) -> str:
    other = Writer(writer.dice.choice(["chinese", "japanese", "korean"]), writer.dice)
    return f"{other.sentences(2, 3)}\n\n- {other.fact()}\n- {other.fact()}"


def _emoji(writer: Writer) -> str:
    return f"{''.join(writer.dice.sample(_FACES, k=3))} {writer.sentence()} {writer.dice.choice(_FACES)}\n{writer.dice.choice(_FACES)}"


def _tabs(writer: Writer) -> str:
    return f"{writer.fact()}\t{writer.fact()}\n\t{writer.fact()}"


def _trailing_spaces(writer: Writer) -> str:
    return f"{writer.sentence()}   \n{writer.sentence()} \n\n{writer.sentence()}"


def _empty_lines(writer: Writer) -> str:
    return f"{writer.sentence()}\n\n\n\n{writer.sentence()}"


CONSTRUCTS: Mapping[str, Construct] = {
    make.__name__.strip("_"): make
    for make in (
        _text, _three_deep, _numbers_in_bullets, _loose_list, _list_from_four, _list_to_twelve, _brackets, _all_ones,
        _long_list, _long_items, _code_in_items, _text_in_items, _quote_in_list, _table_in_list, _tasks, _tabbed_list,
        _styled_items, _quote, _lines_of_quote, _paragraphs_of_quote, _list_in_quote, _styled_quote, _long_quote,
        _heading, _headings, _styled_heading, _heading_and_list, _subtext, _rule, _span, _span_of_sentences,
        _span_over_lines, _span_over_paragraphs, _long_span, _nested_spans, _inline_code, _links, _escaped, _stray,
        _fence, _long_fence, _four_backticks, _tildes, _fence_in_line, _unfenced_code, _indented_code, _table, _formula,
        _inline_formula, _verse, _addresses, _right_to_left, _east_asian, _emoji, _tabs, _trailing_spaces, _empty_lines,
    )
}  # fmt: skip
"""How each construct is written, by its name."""


def _rest_of_message(writer: Writer) -> str:
    """A quote that only the end of the answer ends."""
    return f">>> {writer.sentence()}\n{writer.sentence()}\n\n- {writer.fact()}\n- {writer.fact()}"


def construct(dice: Random) -> str:
    """An answer of two to six constructs, with prose between some of them."""
    writer, parts = Writer("english", dice), list[str]()
    for name in dice.sample(list(CONSTRUCTS), k=dice.randint(2, 6)):
        if dice.random() < 0.4:
            parts.append(dice.choice([writer.pick("leads"), writer.sentences(1, 2)]))
        parts.append(CONSTRUCTS[name](writer))
    if dice.random() < 0.05:
        parts.append(_rest_of_message(writer))
    text = "\n\n".join(parts)
    return text.replace("\n", "\r\n") if dice.random() < 0.08 else text


def constructs(count: int, seed: int = 0) -> list[str]:
    """*count* answers; the first of them are the same whatever the *count*."""
    return [construct(Random(f"constructs {seed} {number}")) for number in range(count)]
