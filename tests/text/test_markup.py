"""Discord's Markdown as it is shown."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from cadenza.text.intake import Intake
from cadenza.text.markup import Names, Node, nodes, plain
from tests.helpers import calls_of
from tests.laws.nasty import nasty

NAMES = Names(users={"1": "Mia"}, roles={"2": "Cooks"}, channels={"3": "general"})


def _bold(*of: Node) -> Node:
    return {"is": "bold", "of": list(of)}


def _italic(*of: Node) -> Node:
    return {"is": "italic", "of": list(of)}


def _underline(*of: Node) -> Node:
    return {"is": "underline", "of": list(of)}


def _strike(*of: Node) -> Node:
    return {"is": "strike", "of": list(of)}


def _spoiler(*of: Node) -> Node:
    return {"is": "spoiler", "of": list(of)}


def _code(text: str) -> Node:
    return {"is": "code", "text": text}


def _block(text: str, language: str = "") -> Node:
    return {"is": "block", "text": text, "language": language}


def _heading(level: int, *of: Node) -> Node:
    return {"is": "heading", "level": level, "of": list(of)}


def _subtext(*of: Node) -> Node:
    return {"is": "subtext", "of": list(of)}


def _quote(*of: Node) -> Node:
    return {"is": "quote", "of": list(of)}


def _list(*items: list[Node], start: int | None = None) -> Node:
    return {"is": "list", "start": start, "items": list(items)}


def _link(url: str, *of: Node) -> Node:
    return {"is": "link", "url": url, "of": list(of or [url])}


def _mention(sort: str, id_: str | None, name: str) -> Node:
    return {"is": "mention", "sort": sort, "id": id_, "name": name}


def _emoji(name: str, id_: str, *, is_animated: bool = False) -> Node:
    return {"is": "emoji", "name": name, "id": id_, "is_animated": is_animated}


def _time(seconds: int, style: str) -> Node:
    return {"is": "time", "seconds": seconds, "style": style}


A = "https://a.example"
B = "https://b.example/c_(d)"

EMPHASIS = [
    pytest.param("", [], id="nothing"),
    pytest.param("a b\nc", ["a b\nc"], id="words"),
    pytest.param("**a**", [_bold("a")], id="bold"),
    pytest.param("*a* _b_", [_italic("a"), " ", _italic("b")], id="italic"),
    pytest.param("__a__", [_underline("a")], id="underline"),
    pytest.param("~~a~~", [_strike("a")], id="strike"),
    pytest.param("||a||", [_spoiler("a")], id="spoiler"),
    pytest.param("***a***", [_bold(_italic("a"))], id="bold and italic"),
    pytest.param("___a___", [_underline(_italic("a"))], id="underlined and italic"),
    pytest.param("***a** b*", [_italic(_bold("a"), " b")], id="two that close apart"),
    pytest.param("***a* b**", [_bold(_italic("a"), " b")], id="two that close apart the other way"),
    pytest.param("**a *b* c**", [_bold("a ", _italic("b"), " c")], id="italic in bold"),
    pytest.param("__**a**__", [_underline(_bold("a"))], id="bold in underline"),
    pytest.param("||**a** ~~b~~||", [_spoiler(_bold("a"), " ", _strike("b"))], id="emphasis in a spoiler"),
    pytest.param("**a\nb**", [_bold("a\nb")], id="bold across lines"),
    pytest.param("||a\n\nb||", [_spoiler("a\n\nb")], id="a spoiler across paragraphs"),
    pytest.param("**a\n\nb**", [_bold("a\n\nb")], id="bold across paragraphs"),
    pytest.param("**a", ["**a"], id="bold that never closes"),
    pytest.param("||a", ["||a"], id="a spoiler that never closes"),
    pytest.param("a** *b", ["a** *b"], id="marks that open nothing"),
    pytest.param("~~a *b~~", [_strike("a *b")], id="a mark that nothing closes in one that is closed"),
    pytest.param("5 * 3 * 2", ["5 * 3 * 2"], id="times"),
    pytest.param("snake_case_x __init__.py", ["snake_case_x ", _underline("init"), ".py"], id="underscores in words"),
    pytest.param("**", ["**"], id="two stars"),
    pytest.param("****", ["****"], id="four stars"),
    pytest.param(":) :( ^_^ >_< <3 (a)", [":) :( ^_^ >_< <3 (a)"], id="faces"),
    pytest.param(r"\*a\* \\ \n \`", [r"*a* \ \n `"], id="escapes"),
    pytest.param(r"**a\*\*b**", [_bold("a**b")], id="escapes in bold"),
    pytest.param("\\# a", ["# a"], id="an escaped heading"),
    pytest.param('"a" (b) 「c」', ['"a" (b) 「c」'], id="quotation marks and brackets"),
]

CODE = [
    pytest.param("`a`", [_code("a")], id="code"),
    pytest.param("`**a** <@1> @everyone`", [_code("**a** <@1> @everyone")], id="marks inside code"),
    pytest.param("``a`b``", [_code("a`b")], id="two backticks"),
    pytest.param("`` `a` ``", [_code("`a`")], id="spaces that keep backticks apart"),
    pytest.param("` a `", [_code(" a ")], id="other spaces in code"),
    pytest.param(r"`a\`", [_code("a\\")], id="a backslash in code"),
    pytest.param("**`a`**", [_bold(_code("a"))], id="code in bold"),
    pytest.param("`a", ["`a"], id="a backtick that never closes"),
    pytest.param("```py\nx = 1\n```", [_block("x = 1", "py")], id="a block"),
    pytest.param("```\n  x\n\n  y\n```", [_block("  x\n\n  y")], id="a block without a language"),
    pytest.param("```x```", [_block("x")], id="a block on one line"),
    pytest.param("```py```", [_block("py")], id="a language and nothing else is code"),
    pytest.param("```py\n```", [_block("py")], id="likewise on two lines"),
    pytest.param("```not a language\nx\n```", [_block("not a language\nx")], id="words behind the marks"),
    pytest.param("```c++\nx\n```", [_block("x", "c++")], id="a language with marks in it"),
    pytest.param("a\n```\nb\n```\nc", ["a\n", _block("b"), "c"], id="lines around a block"),
    pytest.param("a\n\n```\nb\n```\n\nc", ["a\n\n", _block("b"), "\nc"], id="empty lines around a block"),
    pytest.param("a ```b``` c", ["a ", _block("b"), " c"], id="a block in a line"),
    pytest.param("a\n  ```\n  b\n  ```", ["a\n", _block("  b")], id="an indented block"),
    pytest.param("```\n# a\n> b\n- c\n**d**\n```", [_block("# a\n> b\n- c\n**d**")], id="marks inside a block"),
    pytest.param("```py\n**a**", ["```py\n", _bold("a")], id="a block that never closes"),
    pytest.param("``````", ["``````"], id="an empty block"),
    pytest.param("```\n\n```", ["```\n\n```"], id="a block of nothing"),
    pytest.param("````\na\n```\nb\n````", [_block("a\n```\nb")], id="a block with backticks in it"),
    pytest.param("Use ``` to open\na block", ["Use ``` to open\na block"], id="backticks that mean themselves"),
]

LINES = [
    pytest.param("# a\n## b\n### c", [_heading(1, "a"), _heading(2, "b"), _heading(3, "c")], id="headings"),
    pytest.param("#### a", ["#### a"], id="no fourth heading"),
    pytest.param("#a\n# \n#", ["#a\n# \n#"], id="no headings"),
    pytest.param("a # b", ["a # b"], id="a heading begins its line"),
    pytest.param("# **a** b", [_heading(1, _bold("a"), " b")], id="bold in a heading"),
    pytest.param("**a\n# b** c", [_bold("a\n", _heading(1, "b")), " c"], id="a heading in bold"),
    pytest.param("# **a\nb**", [_heading(1, "**a"), "b**"], id="bold does not leave a heading"),
    pytest.param("-# a\nb", [_subtext("a"), "b"], id="subtext"),
    pytest.param("-#a\n-#\nb", ["-#a\n-#\nb"], id="no subtext"),
    pytest.param("> a\n> b\nc", [_quote("a\nb"), "c"], id="a quote"),
    pytest.param("a\n> b", ["a\n", _quote("b")], id="a quote behind a line"),
    pytest.param(">a\n>\n>> b", [">a\n>\n>> b"], id="no quotes"),
    pytest.param("> > a", [_quote("> a")], id="quotes do not lie in each other"),
    pytest.param(">>> a\n\nb\n> c", [_quote("a\n\nb\n> c")], id="a quote to the end"),
    pytest.param("> **a\n> b** c", [_quote(_bold("a\nb"), " c")], id="bold across the lines of a quote"),
    pytest.param("> **a\nb**", [_quote("**a"), "b**"], id="bold does not leave a quote"),
    pytest.param("||a\n> b||", [_spoiler("a\n", _quote("b"))], id="a quote in a spoiler"),
    pytest.param("> ```py\n> a\n>   b\n> ```\nc", [_quote(_block("a\n  b", "py")), "c"], id="a block in a quote"),
    pytest.param("> ```\na\n```", [_quote("```"), "a\n```"], id="a block does not leave a quote"),
    pytest.param("> # a\n> - b\n> - c", [_quote(_heading(1, "a"), _list(["b"], ["c"]))], id="shapes in a quote"),
    pytest.param("> - a\n>   - b", [_quote(_list(["a\n", _list(["b"])]))], id="nested lists in a quote"),
    pytest.param("- a\n* b", [_list(["a"], ["b"])], id="a list"),
    pytest.param("3. a\n4. b", [_list(["a"], ["b"], start=3)], id="a numbered list"),
    pytest.param("- a\n1. b", [_list(["a"]), _list(["b"], start=1)], id="a list of each sort"),
    pytest.param("- a\n  - b\n    - c\n- d", [_list(["a\n", _list(["b\n", _list(["c"])])], ["d"])], id="nested lists"),
    pytest.param("1. a\n   - b\n2. c", [_list(["a\n", _list(["b"])], ["c"], start=1)], id="a list in a numbered one"),
    pytest.param("- - a\n  - b", [_list([_list(["a"], ["b"])])], id="a list that begins in the line of another"),
    pytest.param("- a\n  b\nc", [_list(["a\nb"]), "c"], id="an item of two lines"),
    pytest.param("- a\n\n- b", [_list(["a"]), "\n", _list(["b"])], id="an empty line ends a list"),
    pytest.param("-a\n-\n1.b\n1) c", ["-a\n-\n1.b\n1) c"], id="no lists"),
    pytest.param("- **a** `b`", [_list([_bold("a"), " ", _code("b")])], id="emphasis in an item"),
    pytest.param("- **a\n- b**", [_list(["**a"], ["b**"])], id="bold does not leave an item"),
    pytest.param("* *a*\n* b", [_list([_italic("a")], ["b"])], id="stars in a list of stars"),
    pytest.param("- # a", [_list([_heading(1, "a")])], id="a heading in an item"),
    pytest.param("- > a\n  > b", [_list([_quote("a\nb")])], id="a quote in an item"),
    pytest.param(
        "- a\n  ```py\n  b\n    c\n  ```\n  d\n- e",
        [_list(["a\n", _block("b\n  c", "py"), "d"], ["e"])],
        id="a block in an item",
    ),
    pytest.param("- a\n  ```\nb\n  ```", [_list(["a\n", _block("b")])], id="a block in an item that is not indented"),
    pytest.param(
        "| a | **b** |\n|---|---|\n| *c* | d |",
        ["| a | ", _bold("b"), " |\n|---|---|\n| ", _italic("c"), " | d |"],
        id="a table is text",
    ),
    pytest.param("a\r\n> b\rc", ["a\n", _quote("b"), "c"], id="other line ends"),
    pytest.param("---\n***\n===", ["---\n***\n==="], id="lines that somebody drew"),
]

LINKS = [
    pytest.param(A, [_link(A)], id="an address"),
    pytest.param(f"see {B}.", ["see ", _link(B), "."], id="an address in a sentence"),
    pytest.param(f"<{A}>", [_link(A)], id="an address without a preview"),
    pytest.param(f"\\<{A}>", ["<", _link(A), ">"], id="an escaped bracket in front of an address"),
    pytest.param(f"[a]({A})", [_link(A, "a")], id="a masked link"),
    pytest.param(f"[a](<{A}>)", [_link(A, "a")], id="a masked link without a preview"),
    pytest.param(f"[a]({B})", [_link(B, "a")], id="brackets in an address"),
    pytest.param(f"[a **b** `c](d`]({A})", [_link(A, "a ", _bold("b"), " ", _code("c](d"))], id="marks in a link"),
    pytest.param(f"[a\\](b]({A})", [_link(A, "a](b")], id="an escaped end of a link's text"),
    pytest.param(f"**[a]({A})**", [_bold(_link(A, "a"))], id="a link in bold"),
    pytest.param(f"[a]({A}/b\\_c)", [_link(f"{A}/b_c", "a")], id="an escape in a link's address"),
    pytest.param(f"[a]({A} 'b c')", [{"is": "link", "url": A, "title": "b c", "of": ["a"]}], id="a link with a title"),
    pytest.param("[a](javascript:alert(1))", ["[a](javascript:alert(1))"], id="a script is no link"),
    pytest.param("[a](data:text/html,b) [c](//d)", ["[a](data:text/html,b) [c](//d)"], id="nor is anything else"),
    pytest.param("[a](b.md) [c] d](e)", ["[a](b.md) [c] d](e)"], id="brackets that are no link"),
    pytest.param(f"[]({A})", [f"[]({A})"], id="a link without a text"),
    pytest.param(f"[{A}]({B})", ["[", _link(A), f"]({B})"], id="a link that pretends to be another"),
    pytest.param("ftp://a.example", ["ftp://a.example"], id="another sort of address"),
    pytest.param(f"`{A}`", [_code(A)], id="an address in code"),
]

TAGS = [
    pytest.param("<@1> <@!1>", [_mention("user", "1", "Mia"), " ", _mention("user", "1", "Mia")], id="somebody"),
    pytest.param("<@&2>", [_mention("role", "2", "Cooks")], id="a role"),
    pytest.param("<#3>", [_mention("channel", "3", "general")], id="a channel"),
    pytest.param("<@9>", [_mention("user", "9", "unknown-user")], id="somebody whom nobody knows"),
    pytest.param("<@&9>", [_mention("role", "9", "unknown-role")], id="a role that nobody knows"),
    pytest.param("<#9>", [_mention("channel", "9", "unknown")], id="a channel that nobody knows"),
    pytest.param("</persona create:5>", [_mention("command", "5", "persona create")], id="a command"),
    pytest.param("<id:guide>", [_mention("channel", "guide", "guide")], id="a place that every server has"),
    pytest.param("<id:elsewhere>", ["<id:elsewhere>"], id="a place that none has"),
    pytest.param("@everyone!", [_mention("everyone", None, "everyone"), "!"], id="everyone"),
    pytest.param("**@here**", [_bold(_mention("here", None, "here"))], id="whoever is here, in bold"),
    pytest.param("@heresy \\@everyone", ["@heresy @everyone"], id="nobody"),
    pytest.param("<:a:6><a:b:7>", [_emoji("a", "6"), _emoji("b", "7", is_animated=True)], id="custom emoji"),
    pytest.param("😀 :grin:", ["😀 :grin:"], id="other emoji are text"),
    pytest.param("<t:8> <t:-9:R>", [_time(8, "f"), " ", _time(-9, "R")], id="times"),
    pytest.param("<t:8:q> <t:99999999999999999>", ["<t:8:q> <t:99999999999999999>"], id="times that there are not"),
    pytest.param("\\<@1>", ["<@1>"], id="an escaped mention"),
    pytest.param("<think>a</think> <b>", ["<think>a</think> <b>"], id="other tags are text"),
]


@pytest.mark.parametrize(("text", "expected"), [*EMPHASIS, *CODE, *LINES, *LINKS, *TAGS])
def test_a_text_is_shown_as_discord_shows_it(text: str, expected: list[Node]) -> None:
    assert expected == nodes(text, NAMES)


# --- laws ---------------------------------------------------------------------------------------

_LETTERS = re.compile(r"[^\W\d_]+")


def _parts(shown: Iterable[Node]) -> Iterator[str]:
    """All texts that nodes hold, in the order of the text that they were made of."""
    for node in shown:
        match node:
            case str():
                yield node
            case {"is": "link", "url": url, "of": of}:
                yield from _parts(of)
                yield from () if of == [url] else (url, node.get("title", ""))
            case {"is": "block", "text": text, "language": language}:
                yield language
                yield text
            case {"is": "list", "items": items}:
                yield from (part for item in items for part in _parts(item))
            case {"is": "code", "text": text}:
                yield text
            case {"is": "time"}:
                continue
            case {"is": "mention", "sort": "user" | "role" | "channel", "id": id_}:
                yield id_
            case {"name": name}:
                yield name
            case _:
                yield from _parts(node["of"])


def _letters(text: str) -> str:
    return "".join(_LETTERS.findall(text))


def _without_sorts(text: str) -> str:
    """*text* without the letters that only tell the sort of a tag."""
    return re.sub(
        r"<(?:t:-?\d{1,17}(?::[a-zA-Z])?|id:(?=customize>|browse>|guide>)|a(?=:\w{1,32}:\d{1,20}>))",
        "<",
        text,
        flags=re.ASCII,
    )


@given(nasty())
def test_no_letter_is_lost_doubled_or_moved(text: str) -> None:
    intake = Intake()
    clean = intake.feed(text) + intake.flush()
    shown = nodes(text)

    assert _letters(_without_sorts(clean)) == _letters(_without_sorts("".join(_parts(shown))))


_PROSE = st.text("ab12*_~|`\\ \n>#-().:)", max_size=60)


@given(_PROSE)
def test_what_is_shown_is_the_text_without_some_of_its_marks(text: str) -> None:
    """What is shown is found in the text, in its order; whatever is missing is a mark, a space or a list's number."""
    left = iter(text)
    missing: list[str] = []
    for character in "".join(_parts(nodes(text))):
        for passed in left:
            if passed == character:
                break
            missing.append(passed)
        else:
            pytest.fail(f"{character!r} was added")
    missing.extend(left)

    assert set(missing) <= set("*_~|`\\ \n>#-.12")


@given(st.one_of(nasty(), st.text(), st.text("*_`|>-# \n[](<@:1", max_size=200)))
def test_any_text_can_be_shown_and_sent(text: str) -> None:
    shown = nodes(text)

    assert shown == json.loads(json.dumps(shown, ensure_ascii=False).encode("utf-8"))
    assert all(_touching(shown))


def _touching(shown: list[Node]) -> Iterator[bool]:
    """For each pair of neighbours whether one of them is no text: texts that touch are one."""
    for one, other in pairwise(shown):
        yield not (isinstance(one, str) and isinstance(other, str))
    for node in shown:
        if isinstance(node, dict):
            for inner in [node.get("of", []), *node.get("items", [])]:
                yield from _touching(inner)


MARKS = ["**", "*a ", "||", "||a", "_a", "[", "](", "(", "`", "```", "```\n", "~~~py\n", "> ", "\n> ", "- ", "\n- ", "\n  - ",
         "> - ", "# ", "\n-# ", "<", "<@", "\\", "@here", "https://", "[a](", "***a** ", "\0", "\ud83d", "\n", "| a |\n|---|\n"]  # fmt: skip


def _cost(text: str) -> int:
    return calls_of(lambda: nodes(text))


@pytest.mark.parametrize("mark", MARKS, ids=repr)
def test_many_marks_cost_no_more_than_their_length(mark: str) -> None:
    few, many = _cost(mark * 250), _cost(mark * 2000)

    assert many < few * 12 + 500


@pytest.mark.parametrize("mark", ["**", "||a", "> ", "- ", "[", "*a ", "> - ", "(", "\n- "], ids=repr)
def test_a_hundred_thousand_marks_are_shown(mark: str) -> None:
    shown = nodes(mark * (100_000 // len(mark)))

    assert json.dumps(shown)


def test_what_is_nested_too_deep_is_text() -> None:
    depths = range(1, 60)
    text = "\n".join(f"{'  ' * depth}- a{depth}" for depth in depths)

    shown = nodes(text)

    assert _depth(shown) <= 30
    assert all(f"a{depth}" in plain(shown) for depth in depths)
    assert "- a59" in plain(shown)


def _depth(shown: list[Node]) -> int:
    inner = [part for node in shown if isinstance(node, dict) for part in [node.get("of", []), *node.get("items", [])]]
    return 1 + max(map(_depth, inner), default=0)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("# a\n**b** `c`", "a\nb c"),
        ("- a\n- b", "a\nb\n"),
        ("```py\na\n```b", "a\nb"),
        ("<@1> <@&2> <#3> </a b:4> <:c:5> @here", "@Mia @Cooks #general /a b :c: @here"),
        ("<t:0:d>", "1970-01-01"),
        ("[a](https://example.org/)", "a"),
    ],
    ids=["lines", "a list", "a block", "tags", "a time", "a link"],
)
def test_what_is_shown_has_these_words(text: str, expected: str) -> None:
    assert expected == plain(nodes(text, NAMES))


def test_the_words_of_a_spoiler_can_be_hidden() -> None:
    assert "a …, c" == plain(nodes("a **||b||**, c"), hidden="…")
    assert "… \n" == plain(nodes("- ||b||\n  > ||c||"), hidden="…").replace("\n…\n", " ")
